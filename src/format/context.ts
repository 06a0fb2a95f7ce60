/** What all parts of the formatter share: tokens, their roles, and what stands in the gaps between them. */
import { comment, concat, indent, isHard, newline, raw, trailing, trailingIfBroken, type Doc } from './doc.ts'
import type { Options } from './options.ts'
import type { Roles } from './roles.ts'
import type { Piece, Tokens } from './tokens.ts'

/** Where a gap lies: between tokens of a line; or between the items of a list, where blank lines count, but not at either end of it. */
export type Place = 'inside' | 'between' | 'first' | 'last'

/** What stands before a token, with the break right before the token apart. */
export interface Gap {
  /** One for each comment or directive. */
  readonly comments: readonly Doc[]
  readonly then: Doc
}

/** The context of formatting one file. */
export class Cx {
  readonly tokens: Tokens
  readonly roles: Roles
  readonly options: Options
  /** Where the braces of bodies stand. */
  readonly braces: 'own-line' | 'same-line'

  constructor(tokens: Tokens, roles: Roles, options: Options, braces: 'own-line' | 'same-line') {
    this.tokens = tokens
    this.roles = roles
    this.options = options
    this.braces = braces
  }

  /** Whether nothing but white space stands before a token. */
  isPlain(index: number): boolean {
    return this.tokens.pieces(index).length === 0 && this.tokens.off(index) === undefined
  }

  /** What stands before a token: `sep`, and more where comments and directives stand. */
  gap(index: number, sep: Doc, place: Place = 'inside', frozen = false): Doc {
    const { tokens } = this
    if (tokens.pieces(index).length === 0 && !frozen && tokens.off(index) === undefined)
      return this.#plain(index, sep, place)
    const { comments, then } = this.split(index, sep, place, frozen)
    return comments.length === 0 ? then : concat([...comments, then])
  }

  /** Comments before a closing bracket, indented, and then the break before it. */
  closing(index: number, sep: Doc, place: Place = 'inside'): Doc {
    const { comments, then } = this.split(index, sep, place)
    return comments.length === 0 ? then : concat([indent(...comments), then])
  }

  /**
   * What stands before a token in two parts: before a closing bracket comments are indented and the bracket is not. A `frozen` token begins
   * something that is left as it is, with its indentation.
   */
  split(index: number, sep: Doc, place: Place = 'inside', frozen = false): Gap {
    const { tokens } = this
    const start = index === 0 ? 0 : tokens.end(index - 1)
    const end = tokens.start(index)
    const off = tokens.off(index)
    if (off === 'all') return { comments: [], then: raw(this.#source(start, end)) }
    const pieces = tokens.pieces(index)
    const own = off === 'part' ? pieces.length : this.#attachedFrom(index, pieces)
    const { comments, breaks, offUntil } = this.#comments(index, own, place, sep)
    if (offUntil > 0 && offUntil >= end) return { comments, then: raw(this.#source(pieces.at(-1)!.end, end)) }
    const attached = pieces.slice(own)
    const newlines = attached[0]?.newlines ?? tokens.newlines(index)
    if (frozen && attached.length === 0 && (newlines > 0 || start === 0))
      return { comments, then: concat([this.#newline(index, own, newlines, place, true), this.#indentation(index)]) }
    if (attached.length === 0) {
      const then = breaks ? this.#newline(index, own, newlines, place) : this.#plain(index, sep, place)
      return { comments, then }
    }
    const before = breaks || isHard(sep) ? this.#newline(index, own, newlines, place) : sep
    const texts = attached.flatMap(piece => [this.#comment(piece), ' '])
    const isTight = sep === '' && this.#is(index, /^[)\],;]$/)
    const lead = before === '' && !this.#is(index - 1, /^[([]$/) && index > 0 ? ' ' : before
    return { comments, then: concat([lead, ...texts.slice(0, -1), isTight ? '' : ' ']) }
  }

  /** The first of the comments at the end of a gap that belong to the token behind it: it follows them on their line. */
  #attachedFrom(index: number, pieces: readonly Piece[]): number {
    let from = pieces.length
    // Those before a brace that closes belong to what it closes.
    if (index === this.tokens.count || this.#is(index, /^\}$/)) return from
    let newlines = this.tokens.newlines(index)
    while (from > 0 && newlines === 0 && pieces[from - 1]!.kind === 'block') {
      from--
      newlines = pieces[from]!.newlines
    }
    return from
  }

  /**
   * The first `count` comments and directives before a token, each on its line or at the end of a line; whether what follows must begin a line,
   * which `sep` says of the token; and the end of the part that a comment among them asks to leave as it is.
   */
  #comments(
    index: number,
    count: number,
    place: Place,
    sep: Doc,
  ): { readonly comments: readonly Doc[]; readonly breaks: boolean; readonly offUntil: number } {
    const { tokens } = this
    const start = index === 0 ? 0 : tokens.end(index - 1)
    const breaksBehind = index === tokens.count || isHard(sep) || tokens.newlines(index) > 0
    const isSoft = typeof sep !== 'string' && sep.kind === 'line'
    const pieces = tokens.pieces(index)
    const comments: Doc[] = []
    let breaks = false
    let offUntil = tokens.offUntil(start)
    /** The comment at the end of a line that those below it may continue. */
    let above: Piece | undefined
    for (let k = 0; k < count; k++) {
      const piece = pieces[k]!
      const { kind, newlines } = piece
      const isComment = kind === 'line' || kind === 'block'
      const next = pieces[k + 1]
      const endsLine = kind !== 'block' || (next === undefined ? breaksBehind : next.newlines > 0)
      if (piece.start < offUntil) {
        comments.push(raw(this.#source(pieces[k - 1]?.end ?? start, piece.end)))
        breaks = endsLine
        continue
      }
      offUntil = tokens.offUntil(piece.start)
      const text = this.#textOf(piece)
      const isBehind = isComment && newlines === 0 && !breaks && piece.start > 0 && index > 0
      const isRow = isBehind && !/[\r\n]/.test(text)
      const isTrailing = isRow && endsLine
      const continues = above !== undefined && kind === 'line' && newlines === 1 && piece.column === above.column
      if (isTrailing) comments.push(trailing(piece, text, false))
      else if (isRow && next === undefined && isSoft) comments.push(trailingIfBroken(piece, text))
      else if (isBehind) comments.push(concat([' ', this.#comment(piece)]))
      else {
        const doc = continues ? trailing(piece, text, true) : isComment ? this.#comment(piece) : raw(text)
        comments.push(concat([this.#newline(index, k, newlines, place, !isComment), doc]))
      }
      if (isTrailing) above = piece
      else if (!continues) above = undefined
      breaks = endsLine
    }
    return { comments, breaks, offUntil }
  }

  /** The break before a token that no comment stands before. */
  #plain(index: number, sep: Doc, place: Place): Doc {
    if (index === 0) return ''
    return isHard(sep) ? this.#newline(index, 0, this.tokens.newlines(index), place) : sep
  }

  /** A line break before the piece `k` of a gap, or before its token. Of blank lines one is kept, but none at the start or end of a list. */
  #newline(index: number, k: number, newlines: number, place: Place, atStart = false): Doc {
    if (index === 0 && k === 0) return ''
    const isToken = k === this.tokens.pieces(index).length
    const keepsBlank = place === 'between' || (place === 'first' && k > 0) || (place === 'last' && !isToken)
    return newline(newlines > 1 && keepsBlank, atStart)
  }

  #comment(piece: Piece): Doc {
    return piece.kind === 'block' ? comment(piece, this.#textOf(piece)) : raw(this.#textOf(piece))
  }

  /** The text of a piece, without white space at its end. */
  #textOf({ start, end, kind }: Piece): string {
    const text = this.#source(start, end)
    const trimmed = text.trimEnd()
    // A backslash at the end of a line would join the next one to it.
    return kind === 'line' && trimmed.endsWith('\\') ? text : trimmed
  }

  /** The white space before the first token of a line. */
  #indentation(index: number): string {
    const { text } = this.tokens.file
    const end = this.tokens.start(index)
    let start = end
    while (start > 0 && /[^\S\r\n\ufeff]/.test(text[start - 1]!)) start--
    return text.slice(start, end)
  }

  #is(index: number, pattern: RegExp): boolean {
    return pattern.test(this.tokens.text(index))
  }

  #source(start: number, end: number): string {
    return this.tokens.file.text.slice(start, end)
  }
}
