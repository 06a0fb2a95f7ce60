/** Lines of text with the place in the source that each comes from. */
import type { Work } from '../../base/limits.ts'
import type { Span } from '../../base/source.ts'

/** What each step further in is indented by. */
const step = '  '

export class Lines {
  readonly text: string[] = []
  readonly spans: (Span | null)[] = []
  readonly #work: Work | undefined
  #indent = 0

  /** `work` counts what is added. */
  constructor(work?: Work) {
    this.#work = work
  }

  /** The number of lines so far. */
  get count(): number {
    return this.text.length
  }

  add(text: string, span: Span | null = null): void {
    const line = text === '' ? '' : step.repeat(this.#indent) + text
    this.#work?.spend('output', line.length + 1, span)
    this.text.push(line)
    this.spans.push(span)
  }

  /** Adds `head {`, what `body` adds, and `}`. */
  braces(head: string, span: Span | null, body: () => void, tail = '}'): void {
    this.add(`${head} {`, span)
    this.indented(body)
    this.add(tail, null)
  }

  /** Runs `body` one step further in. */
  indented(body: () => void): void {
    this.#indent++
    body()
    this.#indent--
  }

  /** Replaces the text of a line, at the indentation it has. */
  replace(line: number, text: string): void {
    this.text[line] = /^ */.exec(this.text[line]!)![0] + text
  }

  /** Takes lines out, from `start` up to `end`. */
  remove(start: number, end: number): void {
    this.text.splice(start, end - start)
    this.spans.splice(start, end - start)
  }

  /**
   * Writes `else { if … }` as `else if …`, where the lines from `start` on are an `else` whose only statement is an `if`
   * with its branches.
   */
  joinElse(start: number): void {
    const end = this.count - 1
    const inner = step.repeat(this.#indent + 1)
    if (end - start < 3 || !this.text[start + 1]!.startsWith(`${inner}if (`) || this.text[end - 1] !== `${inner}}`) return
    for (let i = start + 2; i < end - 1; i++) {
      const line = this.text[i]!
      if (line.startsWith(inner) && line[inner.length] !== ' ' && !line.startsWith(`${inner}} else`)) return
    }
    this.text[start] = `${this.text[start]!.slice(0, -1)}${this.text[start + 1]!.slice(inner.length)}`
    this.spans[start] = this.spans[start + 1]!
    this.remove(start + 1, start + 2)
    for (let i = start + 1; i < end - 1; i++) this.text[i] = this.text[i]!.slice(step.length)
    this.remove(end - 1, end)
  }

  append(other: Lines): void {
    for (let i = 0; i < other.count; i++) {
      this.text.push(other.text[i]!)
      this.spans.push(other.spans[i]!)
    }
  }
}

/** What a comment says of where code comes from; nothing of the core library. No name of a file ends the comment. */
export function remarkOf(span: Span): string {
  const { file, line } = span.place
  return span.file.isCore ? '' : `// ${file.replace(/[\0-\x1f\x85\u2028\u2029]/g, '?')}:${line}`
}
