/** Prints a document: decides which of its places for breaks are line breaks, so that lines fit into a width. */
import { Alignment } from './align.ts'
import { flatWidth, widthOf, type Comment, type Doc, type Fill } from './doc.ts'
import type { Options } from './options.ts'

/** A document to print whose lines may break, and how far in. */
interface Job {
  readonly depth: number
  readonly doc: Doc
}

/** Prints documents one after the other; its lines end with `eol`. */
export class Printer {
  readonly #options: Options
  readonly #eol: string
  readonly #out: string[] = []
  readonly #alignment = new Alignment()
  /** What is still to be printed, the next last. */
  readonly #jobs: Job[] = []
  #column = 0
  #line = 0

  constructor(options: Options, eol: string) {
    this.#options = options
    this.#eol = eol
  }

  /** Prints one more document. It ends where a line surely breaks. */
  print(doc: Doc): void {
    this.#jobs.push({ depth: 0, doc })
    for (let job = this.#jobs.pop(); job !== undefined; job = this.#jobs.pop()) this.#broken(job.doc, job.depth)
  }

  /** The text of what was printed. */
  text(): string {
    this.#alignment.align((place, spaces) => {
      this.#out[place] = ' '.repeat(spaces)
    })
    return this.#out.join('')
  }

  /** Prints a document, or puts its parts among what is still to be printed. */
  #broken(doc: Doc, depth: number): void {
    if (typeof doc === 'string') return this.#text(doc)
    switch (doc.kind) {
      case 'concat':
        for (let i = doc.parts.length - 1; i >= 0; i--) this.#jobs.push({ depth, doc: doc.parts[i]! })
        return
      case 'line':
        return this.#newline(doc.atStart ? 0 : depth, doc.blank)
      case 'indent':
        this.#jobs.push({ depth: depth + 1, doc: doc.content })
        return
      case 'group':
        if (this.#fits(doc.width)) this.#flat(doc.content)
        else this.#jobs.push({ depth, doc: doc.content })
        return
      case 'follow':
        if (this.#begins(doc.content)) {
          this.#text(' ')
          this.#jobs.push({ depth, doc: doc.content })
        } else {
          this.#newline(depth + doc.steps, false)
          this.#jobs.push({ depth: depth + doc.steps, doc: doc.content })
        }
        return
      case 'fill':
        return this.#fill(doc, depth)
      case 'raw':
        return this.#lines(doc.text.split(/\r\n?|[\n\u2028\u2029]/), doc.text)
      case 'comment':
        return this.#comment(doc)
      case 'trailing':
        this.#alignment.add(doc, this.#line, this.#column, this.#out.length)
        this.#out.push('', doc.text)
        this.#column += 1 + widthOf(doc.text)
    }
  }

  /** Prints a document that has no line that surely breaks on one line. */
  #flat(doc: Doc): void {
    if (typeof doc === 'string') return this.#text(doc)
    switch (doc.kind) {
      case 'concat':
        for (const part of doc.parts) this.#flat(part)
        return
      case 'line':
        return this.#text(doc.flat ?? '')
      case 'indent':
      case 'group':
        return this.#flat(doc.content)
      case 'follow':
        this.#text(' ')
        return this.#flat(doc.content)
      case 'fill':
        for (let i = doc.from; i < doc.parts.length; i++) this.#flat(doc.parts[i]!)
        return
      case 'raw':
      case 'comment':
        return this.#broken(doc, 0)
      case 'trailing':
        return doc.width > 0 ? this.#text(` ${doc.text}`) : this.#broken(doc, 0)
    }
  }

  #text(text: string): void {
    this.#out.push(text)
    this.#column += widthOf(text)
  }

  #newline(depth: number, isBlank: boolean): void {
    const columns = depth * this.#options.tabSize
    this.#out.push(isBlank ? this.#eol + this.#eol : this.#eol, this.#blanks(columns))
    this.#column = columns
    this.#line += isBlank ? 2 : 1
  }

  /** White space of so many columns, at the start of a line. */
  #blanks(columns: number): string {
    const { tabSize, insertSpaces } = this.#options
    return insertSpaces
      ? ' '.repeat(columns)
      : '\t'.repeat(Math.floor(columns / tabSize)) + ' '.repeat(columns % tabSize)
  }

  /** A text with its own line ends. */
  #lines(lines: readonly string[], text: string): void {
    this.#out.push(text)
    this.#line += lines.length - 1
    this.#column = (lines.length === 1 ? this.#column : 0) + widthOf(lines.at(-1)!)
  }

  /** A comment whose first line moved moves with its other lines, as far as these can. */
  #comment({ piece, text }: Comment): void {
    const lines = text.split(/\r\n?|[\n\u2028\u2029]/)
    const columns = lines.map(l => (l.trim() === '' ? Infinity : this.#indentation(l)))
    const shift = Math.max(this.#column - piece.column, -Math.min(...columns.slice(1)))
    if (shift === 0 || !Number.isFinite(shift)) return this.#lines(lines, text)
    const moved = lines.map((l, i) =>
      i === 0 ? l : l.trim() === '' ? '' : this.#blanks(columns[i]! + shift) + l.trimStart(),
    )
    this.#lines(moved, moved.join(this.#eol))
  }

  /** The column at which the text of a line begins. */
  #indentation(text: string): number {
    let column = 0
    for (const c of text) {
      if (c === '\t') column += this.#options.tabSize - (column % this.#options.tabSize)
      else if (c.trim() === '') column++
      else break
    }
    return column
  }

  /** Prints one item of a fill, and the break behind it, which depends on whether the next item fits too. */
  #fill({ width, parts, from }: Fill, depth: number): void {
    const item = parts[from]!
    const gap = parts[from + 1]
    const next = parts[from + 2]
    const left = this.#options.lineWidth - this.#column
    const used = flatWidth(item) + (gap === undefined ? 0 : flatWidth(gap))
    if (next !== undefined)
      this.#jobs.push({ depth, doc: { kind: 'fill', width: width - used, parts, from: from + 2 } })
    const fits = flatWidth(item) <= left
    const stays = next !== undefined && used + flatWidth(next) <= left
    if (gap !== undefined && !stays) this.#jobs.push({ depth, doc: gap })
    if (fits) this.#flat(item)
    else this.#jobs.push({ depth, doc: item })
    if (gap !== undefined && stays) this.#flat(gap)
  }

  /** Whether so many columns fit on the line, with what follows them up to the next place where the line may break. */
  #fits(width: number): boolean {
    const left = this.#options.lineWidth - this.#column - width
    return left >= 0 && restFits(left, this.#jobs, [])
  }

  /** Whether a document fits behind a space up to the first place where its line may break. */
  #begins(doc: Doc): boolean {
    return restFits(this.#options.lineWidth - this.#column - 1, this.#jobs, [doc])
  }
}

/** Whether documents, and then those of jobs, fit into a width up to the first place where their line may break. */
function restFits(width: number, jobs: readonly Job[], first: Doc[]): boolean {
  let left = width
  let at = jobs.length
  while (left >= 0) {
    const doc = first.pop() ?? jobs[--at]?.doc
    if (doc === undefined) return true
    if (typeof doc === 'string') {
      left -= widthOf(doc)
      continue
    }
    switch (doc.kind) {
      case 'concat':
        for (let i = doc.parts.length - 1; i >= 0; i--) first.push(doc.parts[i]!)
        break
      case 'fill':
        for (let i = doc.parts.length - 1; i >= doc.from; i--) first.push(doc.parts[i]!)
        break
      case 'line':
      case 'follow':
        return true
      case 'indent':
      case 'group':
        first.push(doc.content)
        break
      case 'raw':
      case 'comment':
        return widthOf(doc.text.slice(0, doc.text.search(/[\r\n\u2028\u2029]/))) <= left
      case 'trailing':
    }
  }
  return false
}
