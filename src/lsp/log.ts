/** The server's log, which clients show: trouble always, and what happens as far as the setting `cotangent.trace` asks for it. */
import type { Connection } from 'vscode-languageserver'
import { errorOf } from './answer.ts'
import { defaults, type Settings } from './settings.ts'

/** Writes to the log of the client. */
export class Log {
  readonly #connection: Connection
  level: Settings['trace'] = defaults.trace

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** A bug. */
  readonly error = (message: string): void => {
    this.#connection.console.error(message)
  }

  /** A mistake of the user's or of the client's. */
  readonly warn = (message: string): void => {
    this.#connection.console.warn(message)
  }

  /** An exception that nobody waits for, which is a bug. */
  bug(what: string, cause: unknown): void {
    this.error(`${errorOf(what, cause).message}\n${cause instanceof Error ? (cause.stack ?? '') : ''}`)
  }

  readonly #told = new WeakSet<object>()

  /** An exception of the compiler, which a program that stays as it is shows again and again. */
  fault(cause: unknown): void {
    if (typeof cause === 'object' && cause !== null) {
      if (this.#told.has(cause)) return
      this.#told.add(cause)
    }
    this.bug('checking a program', cause)
  }

  /** What happens: `more` only in detail. */
  trace(message: string, more: () => string): void {
    if (this.level === 'off') return
    this.#connection.console.log(this.level === 'verbose' ? `${message} ${more()}` : message)
  }
}
