/** Keystrokes in the bodies of a program: one character after the other, in function after function. Used by editing.ts and editor-server.ts. */
import { Document, type TextChange } from '../src/editor/document.ts'
import { positionOf, type Position } from '../src/editor/range.ts'
import { Random } from '../tests/fuzz/random.ts'

export const uri = 'file:///long.slang'

/** What a keystroke changed. */
export interface Keystroke {
  readonly version: number
  readonly changes: readonly TextChange[]
  /** The place behind it. */
  readonly position: Position
}

export class Keys {
  readonly #random = new Random(18, 0)
  readonly #starts: readonly number[]
  #document: Document
  #typed = ''
  #at = 0

  constructor(text: string) {
    this.#document = new Document(uri, 0, text)
    // Where the first line of a body begins.
    this.#starts = [...text.matchAll(/(?<=\)\n\{\n) {4}(?=\S)/g)].map(m => m.index)
  }

  get document(): Document {
    return this.#document
  }

  /** Types one character. */
  press(): Keystroke {
    const statement = '    float q = max(1.0, 2.0);\n'
    const changes: TextChange[] = []
    if (this.#typed.length === statement.length) {
      changes.push(this.#replace(this.#at, this.#typed.length, ''))
      this.#typed = ''
    }
    if (this.#typed === '') this.#at = this.#random.one(this.#starts)
    const put = statement[this.#typed.length]!
    changes.push(this.#replace(this.#at + this.#typed.length, 0, put))
    this.#typed += put
    const { file, version } = this.#document
    return { version, changes, position: positionOf(file, this.#at + this.#typed.length) }
  }

  #replace(start: number, length: number, text: string): TextChange {
    const { file, version } = this.#document
    const range = { start: positionOf(file, start), end: positionOf(file, start + length) }
    const change = { range, text }
    this.#document = this.#document.changed(version + 1, [change])
    return change
  }
}
