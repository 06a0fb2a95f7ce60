/** One source text with a name; positions in it are offsets in UTF-16 code units. */
export class SourceFile {
  readonly name: string
  readonly text: string
  /** Part of the core library: no file that a user could look at. */
  readonly isCore: boolean
  #lineStarts: number[] | undefined

  constructor(name: string, text: string, isCore = false) {
    this.name = name
    this.text = text
    this.isCore = isCore
  }

  /** Offsets at which the lines begin; `\n`, `\r\n` and `\r` each end a line. */
  get lineStarts(): readonly number[] {
    if (this.#lineStarts === undefined) {
      // A byte order mark is no part of the first line.
      const starts = [this.text.charCodeAt(0) === 0xfeff ? 1 : 0]
      for (let i = 0; i < this.text.length; i++) {
        const c = this.text.charCodeAt(i)
        if (c === 10 || (c === 13 && this.text.charCodeAt(i + 1) !== 10)) starts.push(i + 1)
      }
      this.#lineStarts = starts
    }
    return this.#lineStarts
  }

  /** Line and column of an offset, both counted from 1. */
  position(offset: number): { readonly line: number; readonly column: number } {
    const starts = this.lineStarts
    let lo = 0
    let hi = starts.length - 1
    while (lo < hi) {
      const mid = (lo + hi + 1) >> 1
      if (starts[mid]! <= offset) lo = mid
      else hi = mid - 1
    }
    return { line: lo + 1, column: Math.max(offset - starts[lo]!, 0) + 1 }
  }

  /** The text of a line (counted from 1) without its line end. */
  line(line: number): string {
    const start = this.lineStarts[line - 1]
    if (start === undefined) return ''
    const end = this.lineStarts[line] ?? this.text.length
    return this.text.slice(start, end).replace(/[\r\n]+$/, '')
  }
}

/** A line and a column of a file, both counted from 1. */
export interface Position {
  readonly file: string
  readonly line: number
  readonly column: number
}

/** A range of one file, from `start` up to but not including `end`. */
export class Span {
  readonly file: SourceFile
  /** The offset of the first character, in UTF-16 code units. */
  readonly start: number
  /** The offset behind the last one. */
  readonly end: number
  /** The line that `#line` gave the start, where a directive moved it; else undefined. */
  readonly presumed: { readonly file: string; readonly line: number } | undefined

  constructor(
    file: SourceFile,
    start: number,
    end: number,
    presumed?: { readonly file: string; readonly line: number },
  ) {
    this.file = file
    this.start = start
    this.end = end
    this.presumed = presumed
  }

  /** Where it starts, as `#line` has it. */
  get position(): Position {
    const { line, column } = this.file.position(this.start)
    return { file: this.presumed?.file ?? this.file.name, line: this.presumed?.line ?? line, column }
  }

  /** The smallest span that covers this one and `other`; this one where they lie in different files. */
  to(other: Span): Span {
    if (other.file !== this.file) return this
    return new Span(this.file, Math.min(this.start, other.start), Math.max(this.end, other.end), this.presumed)
  }
}
