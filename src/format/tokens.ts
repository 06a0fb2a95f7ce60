/**
 * The tokens of a file as the formatter sees them: those of the parser, with neither directives nor macros obeyed, and between them what the
 * parser does not see: comments, directives, and branches that are left as they are.
 */
import type { SourceFile } from '../base/source.ts'
import { endOfBlockComment, endOfLineComment, lex } from '../syntax/lex.ts'
import { badKind, errorKind, TokenStream, type RawTokens } from '../syntax/token.ts'
import { findSkipped, type Skipped } from './directives.ts'

/** Something between two tokens. */
export interface Piece {
  readonly kind: 'line' | 'block' | 'directive' | 'branch'
  readonly start: number
  readonly end: number
  /** How many lines end between it and what stands before it. */
  readonly newlines: number
  /** The line it begins on, counted from 0. */
  readonly line: number
  /** The column it begins at, counted from 0, with tabs as wide as they are. */
  readonly column: number
  /** How many columns lie between it and what stands before it on its line. */
  readonly gap: number
}

/** A part of the text, from `start` up to but not including `end`. */
export interface Extent {
  readonly start: number
  readonly end: number
}

const pragma = /^\/[/*]\s*(?:clang|cotangent)-format\s+(on|off)\b/

const none: readonly Piece[] = []

/** The tokens of a file; the one behind the last is the end of the file. */
export class Tokens {
  readonly file: SourceFile
  readonly stream: TokenStream
  /** The number of tokens without the end of the file. */
  readonly count: number
  /** Where something stands that no formatter may touch: the places of what the lexer does not understand. */
  readonly faults: number[] = []
  /** What is to be left as it is, because comments ask for that or because it is no white space: in order, apart from one another. */
  readonly #off: Extent[] = []
  readonly #tabSize: number
  readonly #pieces: (readonly Piece[] | undefined)[]
  /** By token: how many lines end right before it. */
  readonly #newlines: Int32Array
  /** By token: the line it begins on. */
  readonly #lines: Int32Array
  /** By offset: the token that it lies in. */
  readonly #owners: Int32Array

  constructor(file: SourceFile, tabSize: number) {
    this.file = file
    this.#tabSize = tabSize
    const raw = lex(file)
    const dropped = new Uint8Array(raw.count)
    const skipped = raw.directives ? findSkipped(file, raw, dropped) : []
    this.stream = this.#kept(raw, dropped)
    this.count = this.stream.count - 1
    this.#pieces = new Array<undefined>(this.stream.count).fill(undefined)
    this.#newlines = new Int32Array(this.stream.count)
    this.#lines = new Int32Array(this.stream.count)
    this.#owners = new Int32Array(file.text.length + 1)
    for (let i = 0; i < this.count; i++) this.#owners.fill(i, this.start(i), this.end(i))
    this.#readGaps(skipped)
  }

  /** The tokens that are read: all but those of directives and of branches that are left as they are. */
  #kept(raw: RawTokens, dropped: Uint8Array): TokenStream {
    const { kinds, flags, starts, ends } = raw
    let count = 0
    for (let i = 0; i < raw.count; i++) {
      if (dropped[i] !== 0) continue
      const isBad = kinds[i] === badKind
      if (isBad) this.faults.push(starts[i]!)
      kinds[count] = isBad ? errorKind : kinds[i]!
      flags[count] = flags[i]!
      starts[count] = starts[i]!
      ends[count] = ends[i]!
      count++
    }
    return new TokenStream(kinds, starts, ends, flags, count, [this.file])
  }

  /** Finds what stands between tokens. */
  #readGaps(skipped: readonly Skipped[]): void {
    const { starts, ends, count } = this.stream
    const reader = new GapReader(this.file, skipped, this.#tabSize)
    for (let i = 0; i < count; i++) {
      const start = i === 0 ? 0 : ends[i - 1]!
      this.#pieces[i] = reader.read(start, starts[i]!)
      // A backslash that continues a line of code is neither a token nor white space.
      // What the lexer does not understand may take in what is put behind it.
      const isByFault = this.kind(i) === errorKind || (i > 0 && this.kind(i - 1) === errorKind)
      if (reader.splices || isByFault) this.#off.push({ start, end: starts[i]! })
      this.#newlines[i] = reader.newlines
      this.#lines[i] = reader.line
      reader.token(starts[i]!, ends[i]!)
    }
    this.#addOff(reader.pragmas)
  }

  /** Adds the parts that comments ask to leave as they are. */
  #addOff(pragmas: readonly Piece[]): void {
    let off: Piece | undefined
    for (const comment of pragmas) {
      const isOff = pragma.exec(this.#textOf(comment))![1] === 'off'
      if (isOff) off ??= comment
      else if (off !== undefined) {
        this.#off.push(this.#wholeSentences(off.start, comment.end))
        off = undefined
      }
    }
    if (off !== undefined) this.#off.push(this.#wholeSentences(off.start, this.file.text.length))
    this.#off.sort((a, b) => a.start - b.start || b.end - a.end)
    let last = -1
    let count = 0
    for (const part of this.#off) {
      if (part.end <= last) continue
      this.#off[count++] = { start: Math.max(part.start, last), end: part.end }
      last = part.end
    }
    this.#off.length = count
  }

  /** A part of the text that begins and ends between statements or declarations: of one that it cuts, it takes all. */
  #wholeSentences(start: number, end: number): Extent {
    const isEnd = (index: number): boolean => index < 0 || /^[;{}]$/.test(this.text(index))
    let before = this.#firstFrom(start) - 1
    let from = start
    for (; !isEnd(before); before--) from = this.start(before)
    let behind = this.#firstFrom(end)
    let to = end
    if (behind > 0 && !isEnd(behind - 1)) {
      while (behind < this.count && !isEnd(behind)) behind++
      to = behind < this.count ? this.end(behind) : this.file.text.length
    }
    return { start: from, end: to }
  }

  /** The first token that begins at an offset or behind it. */
  #firstFrom(offset: number): number {
    const { starts } = this.stream
    let low = 0
    let high = this.count
    while (low < high) {
      const middle = (low + high) >> 1
      if (starts[middle]! < offset) low = middle + 1
      else high = middle
    }
    return low
  }

  /** The other bracket of a pair, or -1. */
  match(index: number): number {
    return this.stream.matches[index]!
  }

  kind(index: number): number {
    return this.stream.kinds[index]!
  }

  text(index: number): string {
    return this.stream.text(index)
  }

  start(index: number): number {
    return this.stream.starts[index]!
  }

  end(index: number): number {
    return this.stream.ends[index]!
  }

  /** The first token of a part of the text. */
  first({ start }: Extent): number {
    return this.#owners[start]!
  }

  /** The last token of a part of the text. */
  last({ end }: Extent): number {
    return this.#owners[end - 1]!
  }

  /** What stands before a token, behind the token before that. */
  pieces(index: number): readonly Piece[] {
    return this.#pieces[index] ?? none
  }

  /** How many lines end right before a token, behind all that stands before it. */
  newlines(index: number): number {
    return this.#newlines[index]!
  }

  /** Whether a token stands on another line than the end of the one before it. */
  onNewLine(index: number): boolean {
    return this.#newlines[index]! > 0 || this.pieces(index).some(p => p.newlines > 0)
  }

  /** The first token of the line on which a token begins. */
  firstOfLine(index: number): number {
    let first = index
    while (first > 0 && this.#lines[first - 1] === this.#lines[index]) first--
    return first
  }

  /** The column of a token, counted from 0. */
  column(index: number): number {
    const { text } = this.file
    const start = this.start(index)
    let at = start
    while (at > 0 && text[at - 1] !== '\n' && text[at - 1] !== '\r') at--
    let column = 0
    for (; at < start; at++) column += text[at] === '\t' ? this.#tabSize - (column % this.#tabSize) : 1
    return column
  }

  /** Whether two tokens and all between them stand on one line. */
  onOneLine(first: number, last: number): boolean {
    return this.#lines[first] === this.#lines[last]
  }

  /** Whether all that stands before a token is to be left as it is, or a part of it. */
  off(index: number): 'all' | 'part' | undefined {
    if (this.#off.length === 0) return undefined
    const start = index === 0 ? 0 : this.end(index - 1)
    const end = this.start(index)
    const k = this.#offAt(start)
    const part = this.#off[k]
    if (part !== undefined && end <= part.end) return 'all'
    const next = this.#off[k + 1]
    return (part !== undefined && start < part.end) || (next !== undefined && next.start < end) ? 'part' : undefined
  }

  /** The end of the part to be left as it is in which an offset lies; 0 if it lies in none. */
  offUntil(offset: number): number {
    const part = this.#off[this.#offAt(offset)]
    return part !== undefined && offset < part.end ? part.end : 0
  }

  /** The index of the last part to be left as it is that begins at an offset or before, or -1. */
  #offAt(offset: number): number {
    let low = 0
    let high = this.#off.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#off[middle]!.start <= offset) low = middle + 1
      else high = middle
    }
    return low - 1
  }

  #textOf({ start, end }: Extent): string {
    return this.file.text.slice(start, end)
  }
}

/** Reads the gaps between the tokens of a text from its start to its end. */
class GapReader {
  readonly #text: string
  readonly #skipped: readonly Skipped[]
  readonly #tabSize: number
  #nextSkipped = 0
  /** The line that was reached. */
  line = 0
  /** How many lines end behind the last piece of the gap that was read last. */
  newlines = 0
  /** Whether a backslash continues a line in that gap. */
  splices = false
  /** The comments that ask to leave code alone, and to do so no longer. */
  readonly pragmas: Piece[] = []
  /** Where the current line begins, and the column reached there: columns are counted only where a piece begins. */
  #lineStart = 0
  /** An offset whose column is known. */
  #counted = { offset: 0, column: 0 }

  constructor(file: SourceFile, skipped: readonly Skipped[], tabSize: number) {
    this.#text = file.text
    this.#skipped = skipped
    this.#tabSize = tabSize
    if (file.text.charCodeAt(0) === 0xfeff) this.#lineStart = 1
  }

  /** What stands between two offsets, where no token is. */
  read(from: number, to: number): readonly Piece[] | undefined {
    const text = this.#text
    // Most gaps hold nothing, and cost no array.
    let pieces: Piece[] | undefined
    this.newlines = 0
    this.splices = false
    let before = from
    for (let i = from; i < to;) {
      const skipped = this.#skipped[this.#nextSkipped]
      if (skipped !== undefined && skipped.start === i) {
        this.#nextSkipped++
        i = before = this.#piece(skipped.kind, i, skipped.end, before, (pieces ??= []))
        continue
      }
      const c = text.charCodeAt(i)
      if (c === 47) {
        const isLine = text.charCodeAt(i + 1) === 47
        const end = isLine ? endOfLineComment(text, i, to) : endOfBlockComment(text, i, to)
        i = before = this.#piece(isLine ? 'line' : 'block', i, end, before, (pieces ??= []))
        continue
      }
      if (c === 92) this.splices = true
      i++
      if (isLineEnd(text, i - 1)) {
        this.newlines++
        this.line++
        this.#lineStart = i
      }
    }
    return pieces
  }

  /** Passes over a token. */
  token(start: number, end: number): void {
    if (end > start + 1) this.#pass(start, end)
  }

  #piece(kind: Piece['kind'], start: number, end: number, before: number, pieces: Piece[]): number {
    const from = this.newlines > 0 ? 0 : this.#columnOf(before)
    const column = this.#columnOf(start)
    const gap = this.newlines > 0 ? 0 : column - from
    const piece: Piece = { kind, start, end, newlines: this.newlines, line: this.line, column, gap }
    pieces.push(piece)
    if ((kind === 'line' || kind === 'block') && pragma.test(this.#text.slice(start, start + 80)))
      this.pragmas.push(piece)
    this.#pass(start, end)
    this.newlines = 0
    return end
  }

  #pass(start: number, end: number): void {
    for (let i = start; i < end; i++) {
      if (!isLineEnd(this.#text, i)) continue
      this.line++
      this.#lineStart = i + 1
    }
  }

  #columnOf(offset: number): number {
    // Mostly one asks for one offset after the other of a line, which may be long.
    const goesOn = this.#counted.offset > this.#lineStart && this.#counted.offset <= offset
    let column = goesOn ? this.#counted.column : 0
    for (let i = goesOn ? this.#counted.offset : this.#lineStart; i < offset; i++) {
      const c = this.#text.charCodeAt(i)
      if (c === 9) column += this.#tabSize - (column % this.#tabSize)
      else if (c < 0xdc00 || c >= 0xe000) column++
    }
    this.#counted = { offset, column }
    return column
  }
}

/** Whether the character at an offset is the last one of a line's end. */
function isLineEnd(text: string, at: number): boolean {
  const c = text.charCodeAt(at)
  return c === 10 || (c === 13 && text.charCodeAt(at + 1) !== 10) || c === 0x2028 || c === 0x2029
}
