/** What one run of a command reads from the file system. `--watch` looks at all of it again. */
import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { SourceProblem, readInput, readSource, sourceAt } from './files.ts'
import { InputError } from './usage.ts'

/** Names of standard input among files, which is no regular file. */
const standardInput = /^\/(dev\/stdin|dev\/fd\/0|proc\/self\/fd\/0)$/

/** What tells one state of a file from another; '' where there is no file. Editors that write a new file in place of the old one change its number. */
function stateOf(path: string): string {
  try {
    const { mtimeNs, ctimeNs, size, ino } = statSync(path, { bigint: true })
    return `${mtimeNs} ${ctimeNs} ${size} ${ino}`
  } catch {
    return ''
  }
}

export class Inputs {
  /** Every path that was asked for, with the state that it was in before it was read: also paths where there was nothing. */
  readonly #states = new Map<string, string>()

  #ask(path: string): void {
    const whole = resolve(path)
    if (!this.#states.has(whole)) this.#states.set(whole, stateOf(whole))
  }

  /** The text of a file that the command line names; `-` is standard input. Throws an `InputError`. */
  text(file: string): string {
    try {
      if (file === '-') return readInput()
      this.#ask(file)
      return readSource(file)
    } catch (cause) {
      if (!(cause instanceof SourceProblem)) throw cause
      throw new InputError(
        `${file === '-' ? 'standard input' : file}: ${cause.message}${standardInput.test(file) ? '; - reads standard input' : ''}`,
        file,
      )
    }
  }

  /** The text of a file that a program asks for; undefined where there is none. Throws a `SourceProblem` where it is not to be read. */
  readonly sourceAt = (path: string): string | undefined => {
    this.#ask(path)
    return sourceAt(path)
  }

  /** Whether there is something at a path. */
  has(path: string): boolean {
    this.#ask(path)
    return existsSync(path)
  }

  /** How many files were read. */
  get files(): number {
    return [...this.#states.values()].filter(state => state !== '').length
  }

  /** Whether anything is in another state than before it was read. */
  get changed(): boolean {
    for (const [path, state] of this.#states) if (stateOf(path) !== state) return true
    return false
  }
}
