/** What was read from the file system to compile programs, so that all of it can be looked at again. */
import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { readSource, sourceAt } from './read.ts'

/** What tells one state of a file from another; '' where there is no file. Editors that write a new file in place of the old one change its number. */
function stateOf(path: string): string {
  try {
    const { mtimeNs, ctimeNs, size, ino } = statSync(path, { bigint: true })
    return `${mtimeNs} ${ctimeNs} ${size} ${ino}`
  } catch {
    return ''
  }
}

/** The files that something was made of. */
export class Inputs {
  /** Every path that was asked for, with the state that it was in before it was read: also paths where there was nothing. */
  readonly #states = new Map<string, string>()
  /** Every way in which files were looked for, with those that were found. */
  readonly #found = new Map<() => readonly string[], string>()

  #ask(path: string): void {
    const whole = resolve(path)
    if (!this.#states.has(whole)) this.#states.set(whole, stateOf(whole))
  }

  /** The text of a file that somebody names. Throws a `SourceProblem`. */
  source(path: string): string {
    this.#ask(path)
    return readSource(path)
  }

  /** The text of a file that a program asks for; undefined where there is none. Throws a `SourceProblem` where it is not to be read. */
  readonly sourceAt = (path: string): string | undefined => {
    this.#ask(path)
    return sourceAt(path)
  }

  /** The files that `find` finds, which it is asked for again to see whether others came or some went. */
  look(find: () => readonly string[]): readonly string[] {
    const files = find()
    this.#found.set(find, files.join('\n'))
    return files
  }

  /** Whether there is something at a path. */
  has(path: string): boolean {
    this.#ask(path)
    return existsSync(path)
  }

  /** Every path that was asked for, whether there was something or not. */
  get asked(): readonly string[] {
    return [...this.#states.keys()]
  }

  /** The files that were there. */
  get files(): readonly string[] {
    return this.asked.filter(path => this.#states.get(path) !== '')
  }

  /** Whether anything is in another state than before it was read, or other files are found. */
  get changed(): boolean {
    for (const [path, state] of this.#states) if (stateOf(path) !== state) return true
    for (const [find, files] of this.#found) if (find().join('\n') !== files) return true
    return false
  }
}
