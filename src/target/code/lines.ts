/** Lines of output, each with its source position. */
import type { Work } from '../../base/limits.ts'
import type { Span } from '../../base/source.ts'

/** What each step further in is indented by. */
const step = '  '

/** A line of output with its source position. */
export interface Mapping {
  /** Counted from 1. */
  readonly line: number
  /** Where its text begins, counted from 0. */
  readonly column: number
  readonly span: Span
}

/** One of the places in the source that a line was made of. */
export interface Origin {
  /** Counted from 1. */
  readonly line: number
  readonly span: Span
}

export class Lines {
  readonly #text: string[] = []
  readonly #mappings: Mapping[] = []
  readonly #origins: Origin[] = []
  /** What the line that is added next was made of; undefined where nobody asks. */
  readonly #parts: Set<Span> | undefined
  readonly #work: Work | undefined
  #indent = 0

  /** The added text counts as `work`. With `origins`, each line tells every place that it was made of. */
  constructor(work?: Work, origins = false) {
    this.#work = work
    this.#parts = origins ? new Set() : undefined
  }

  /** The number of lines so far. */
  get count(): number {
    return this.#text.length
  }

  /** The whole text, without an end of the last line. */
  get text(): string {
    return this.#text.join('\n')
  }

  get mappings(): readonly Mapping[] {
    return this.#mappings
  }

  /** Every place that a line was made of, where a mapping has one for each line; none where nobody asked for them. */
  get origins(): readonly Origin[] {
    return this.#origins
  }

  /** Notes what the line that is added next was made of, besides its own place. */
  part(span: Span | null): void {
    if (span !== null) this.#parts?.add(span)
  }

  add(text: string, span: Span | null = null): void {
    const line = text === '' ? '' : step.repeat(this.#indent) + text
    this.#work?.spend('output', line.length + 1, span)
    this.#text.push(line)
    if (this.#parts !== undefined) {
      this.part(span)
      for (const part of this.#parts) this.#origins.push({ line: this.#text.length, span: part })
      this.#parts.clear()
    }
    if (span !== null) this.#mappings.push({ line: this.#text.length, column: step.length * this.#indent, span })
  }

  /** Adds `head {`, what `body` adds, and `}`. */
  braces(head: string, span: Span | null, body: () => void): void {
    this.add(`${head} {`, span)
    this.indented(body)
    this.add('}')
  }

  /** Runs `body` one step further in. */
  indented(body: () => void): void {
    this.#indent++
    body()
    this.#indent--
  }

  append(other: Lines): void {
    const before = this.#text.length
    for (let i = 0; i < other.#text.length; i++) this.#text.push(other.#text[i]!)
    for (const { line, column, span } of other.#mappings) this.#mappings.push({ line: before + line, column, span })
    for (const { line, span } of other.#origins) this.#origins.push({ line: before + line, span })
  }
}

/** The comment with the source position of code; '' for the core library. A file's name cannot end the comment. */
export function remarkOf(span: Span): string {
  const { file, line } = span.position
  return span.file.isCore ? '' : `// ${file.replace(/[\0-\x1f\x85\u2028\u2029]/g, '?')}:${line}`
}
