/** Mistakes of callers. Each error says what was expected and what was given. */
import { classOf, isDetached, quoted, withArticle } from '../host/given.ts'

/** A call with too few or too many arguments. */
export class ArityError extends TypeError {
  constructor(name: string, expected: readonly string[], came: number) {
    super(
      `${name} takes ${expected.length} argument${expected.length === 1 ? '' : 's'} (${expected.join(', ')}), but ${came} came`,
    )
    this.name = 'ArityError'
  }
}

/** A value whose shape does not fit its type. */
export class ShapeError extends TypeError {
  constructor(where: string, expected: string, came: unknown, said: string = describe(came), hint = '') {
    super(`${where}: expected ${expected}, but ${said} came${hint === '' ? '' : `; ${hint}`}`)
    this.name = 'ShapeError'
  }
}

/** A buffer or uniform that a kernel needs and that is missing, too short, or of the wrong kind. */
export class BufferError extends TypeError {
  constructor(message: string) {
    super(message)
    this.name = 'BufferError'
  }
}

/** A function, kernel, option or derivative that does not exist. */
export class NameError extends ReferenceError {
  constructor(message: string) {
    super(message)
    this.name = 'NameError'
  }
}

/** A call of a module during another call of it: while `dispatchAsync`, `gradAsync` or `mapAsync` runs, from a `print` function, or while it reads its arguments. */
export class BusyError extends Error {
  constructor(name: string, running: string) {
    super(
      `${name} is called while ${running} runs: a module does one thing at a time; call it after that has returned (await dispatchAsync, gradAsync and mapAsync), or load the program a second time`,
    )
    this.name = 'BusyError'
  }
}

/** A call of a module after `close`. */
export class ClosedError extends Error {
  constructor(name: string) {
    super(`${name} is called after close, which gave the memory of the program back: load the program again`)
    this.name = 'ClosedError'
  }
}

/** A program that stopped while it ran: a check that failed, or calls nested too deeply. */
export class TrapError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'TrapError'
  }
}

/**
 * Whether an engine says that the stack is full. No standard says how: V8 and JavaScriptCore throw a `RangeError`, and SpiderMonkey
 * an `InternalError` of its own, for WebAssembly as for JavaScript.
 */
export function isStackOverflow(error: unknown): boolean {
  return error instanceof RangeError || (error instanceof Error && error.name === 'InternalError')
}

function describe(x: unknown): string {
  if (x === null || x === undefined) return String(x)
  if (ArrayBuffer.isView(x))
    return withArticle(
      `${isDetached(x) ? 'detached ' : ''}${classOf(x)}${'length' in x ? ` of length ${String(x.length)}` : ''}`,
    )
  if (Array.isArray(x)) return `an array of length ${x.length}`
  if (typeof x === 'object') {
    const keys = Object.keys(x)
    return `an object with ${keys.length === 0 ? 'no fields' : `fields ${keys.slice(0, 6).join(', ')}`}`
  }
  return typeof x === 'string' ? `the text ${quoted(x)}` : `${typeof x} ${String(x)}`
}
