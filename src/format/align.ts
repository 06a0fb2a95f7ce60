/**
 * Comments at the ends of lines. Those of consecutive lines that stood in one column do so again, as far behind the longest line as before;
 * any other stands one space behind its line.
 */
import type { Trailing } from './doc.ts'

interface Entry {
  readonly comment: Trailing
  readonly line: number
  /** Where the code before it ends. */
  readonly column: number
  /** Where its spaces go. */
  readonly place: number
}

/** The comments at the ends of the lines of one text. */
export class Alignment {
  readonly #entries: Entry[] = []

  /** Notes a comment that is printed behind `column` of a line. */
  add(comment: Trailing, line: number, column: number, place: number): void {
    this.#entries.push({ comment, line, column, place })
  }

  /** Tells how many spaces go to each place. */
  align(put: (place: number, spaces: number) => void): void {
    let first = 0
    for (let i = 1; i <= this.#entries.length; i++) {
      if (i < this.#entries.length && this.#belong(this.#entries[i - 1]!, this.#entries[i]!)) continue
      this.#alignRun(this.#entries.slice(first, i), put)
      first = i
    }
  }

  /** Whether two comments stood in one column, as many lines apart as they are now. */
  #belong(above: Entry, below: Entry): boolean {
    const [a, b] = [above.comment.piece, below.comment.piece]
    const apart = b.line - a.line
    return a.column === b.column && apart === below.line - above.line && apart <= 3
  }

  #alignRun(run: readonly Entry[], put: (place: number, spaces: number) => void): void {
    const behindCode = run.filter(e => !e.comment.continues)
    const gap = run.length === 1 ? 1 : Math.max(1, Math.min(...behindCode.map(e => e.comment.piece.gap)))
    const column = Math.max(...behindCode.map(e => e.column)) + gap
    for (const e of run) put(e.place, Math.max(e.comment.continues ? 0 : 1, column - e.column))
  }
}
