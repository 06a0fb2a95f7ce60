/**
 * Kinds of tokens, and tokens in typed arrays. Keywords are names: nearly all of them may also be used as identifiers, so the
 * parser decides by context.
 */
import type { SourceFile } from '../base/source.ts'
import { Span } from '../base/source.ts'

export const eofKind = 0
export const nameKind = 1
export const intKind = 2
export const floatKind = 3
export const stringKind = 4
export const charKind = 5
/** An invalid character or literal; the parser never sees it. */
export const badKind = 6
/** Replaces a token that the preprocessor could not make, after a diagnostic. */
export const errorKind = 7

const firstPunctuator = 8

/** All punctuators; the kind of one is its index here plus 8. */
const punctuators = [
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  ',',
  ';',
  ':',
  '::',
  '.',
  '...',
  '?',
  '->',
  '=>',
  '=',
  '+',
  '-',
  '*',
  '/',
  '%',
  '<<',
  '>>',
  '<',
  '>',
  '<=',
  '>=',
  '==',
  '!=',
  '!',
  '~',
  '&',
  '|',
  '^',
  '&&',
  '||',
  '+=',
  '-=',
  '*=',
  '/=',
  '%=',
  '<<=',
  '>>=',
  '&=',
  '|=',
  '^=',
  '++',
  '--',
  '#',
  '##',
  '$',
  '@',
] as const

/** A punctuator as it is spelled. */
export type Punctuator = (typeof punctuators)[number]

const kindOfPunctuator: ReadonlyMap<string, number> = new Map(punctuators.map((text, i) => [text, i + firstPunctuator]))

/** The kind of a punctuator. */
export function punctuatorKind(text: Punctuator): number {
  return kindOfPunctuator.get(text)!
}

/** By kind. It has entries for all kinds, since reads outside an array are slow. */
const textOfKind: readonly (Punctuator | undefined)[] = [
  ...Array.from({ length: firstPunctuator }, () => undefined),
  ...punctuators,
]

/** The spelling of a kind of punctuator; undefined for other kinds. */
export function punctuatorText(kind: number): Punctuator | undefined {
  return textOfKind[kind]
}

/** The first token of a line. */
export const lineFlag = 1
/** White space or a comment stands before the token. */
export const spaceFlag = 2
/** Something before the token was left out and reported, so the parser does not report what it misses here. */
export const damageFlag = 4

const closeBrace = punctuatorKind('}')

/** The tokens of one text, before preprocessing; the last one is the end of the file. */
export interface RawTokens {
  readonly kinds: Uint8Array
  readonly flags: Uint8Array
  readonly starts: Int32Array
  readonly ends: Int32Array
  readonly count: number
  /** Some token is a `#` at the start of a line. */
  readonly directives: boolean
}

/** The tokens that the parser reads, perhaps from several files and from macros. */
export class TokenStream {
  readonly kinds: Uint8Array
  readonly starts: Int32Array
  readonly ends: Int32Array
  readonly flags: Uint8Array
  readonly count: number
  /** Index into `files` per token; undefined when all come from the first. */
  readonly owners: Uint16Array | undefined
  readonly files: readonly SourceFile[]
  /** Texts of tokens that are not spelled by their span: those from macros. */
  readonly texts: ReadonlyMap<number, string>
  /** The other bracket of a pair; -1 for an unmatched bracket and for all other tokens. */
  readonly matches: Int32Array
  /** The preprocessor gave up before the end of the text, and said so. */
  readonly truncated: boolean
  /** The version of the language. */
  readonly version: number
  readonly #presumed: ReadonlyMap<SourceFile, PresumedLines>
  /** Texts that have been asked for: the parser asks several times. */
  readonly #cache: (string | undefined)[] = []

  constructor(
    kinds: Uint8Array,
    starts: Int32Array,
    ends: Int32Array,
    flags: Uint8Array,
    count: number,
    files: readonly SourceFile[],
    owners?: Uint16Array,
    texts?: ReadonlyMap<number, string>,
    presumed?: ReadonlyMap<SourceFile, PresumedLines>,
    truncated = false,
    version = 0,
  ) {
    this.version = version
    this.truncated = truncated
    this.kinds = kinds
    this.starts = starts
    this.ends = ends
    this.flags = flags
    this.count = count
    this.files = files
    this.owners = owners
    this.texts = texts ?? new Map()
    this.#presumed = presumed ?? new Map()
    this.matches = matchBrackets(kinds, count)
  }

  text(index: number): string {
    const known = this.#cache[index]
    if (known !== undefined) return known
    return (this.#cache[index] =
      this.texts.get(index) ?? this.#fileOf(index).text.slice(this.starts[index], this.ends[index]))
  }

  #strayBrace: number | undefined

  /** The last `}` that closes nothing; -1 where there is none. */
  get strayBrace(): number {
    if (this.#strayBrace !== undefined) return this.#strayBrace
    let i = this.count - 1
    while (i >= 0 && (this.kinds[i] !== closeBrace || this.matches[i] !== -1)) i--
    return (this.#strayBrace = i)
  }

  #fileOf(index: number): SourceFile {
    return this.files[this.owners === undefined ? 0 : this.owners[index]!]!
  }

  /** The span from the start of one token to the end of another. */
  span(first: number, last: number): Span {
    const file = this.#fileOf(first)
    let start = this.starts[first]!
    let end = this.ends[last]!
    if (this.owners !== undefined && this.#fileOf(last) !== file) end = this.ends[first]!
    if (end < start) {
      start = Math.min(start, this.starts[last]!)
      end = this.ends[first]!
    }
    return new Span(file, start, end, this.#presumed.size === 0 ? undefined : this.#presumed.get(file)?.at(start))
  }
}

/** What `#line` said about the lines of one file. */
export class PresumedLines {
  readonly #file: SourceFile
  readonly #marks: { readonly from: number; readonly file: string; readonly line: number }[] = []

  constructor(file: SourceFile) {
    this.#file = file
  }

  /** From line `from` of the file on, lines are counted from `line` and belong to `name`. */
  mark(from: number, line: number, name: string | undefined): void {
    this.#marks.push({ from, file: name ?? this.#marks.at(-1)?.file ?? this.#file.name, line })
  }

  /** The name and line that the directives give to an offset. */
  at(offset: number): { readonly file: string; readonly line: number } | undefined {
    const line = this.#file.position(offset).line
    const mark = this.#marks.findLast(m => m.from <= line)
    return mark === undefined ? undefined : { file: mark.file, line: mark.line + line - mark.from }
  }
}

/**
 * Pairs up brackets. A brace ends whatever parentheses are open in it, and a parenthesis never ends an open brace. Each of
 * `open` and `tops` is a stack that only shrinks by what it grew, so that the work is linear for any text.
 */
function matchBrackets(kinds: Uint8Array, count: number): Int32Array {
  const matches = new Int32Array(count).fill(-1)
  const open: number[] = []
  const tops: readonly [number[], number[], number[]] = [[], [], []]
  for (let i = 0; i < count; i++) {
    const kind = kinds[i]! - firstPunctuator
    if (kind < 0 || kind > 5) continue
    const own = tops[kind >> 1]!
    if ((kind & 1) === 0) {
      own.push(open.length)
      open.push(i)
      continue
    }
    const at = own.at(-1) ?? -1
    if (at < 0 || at < (tops[2].at(-1) ?? -1)) continue
    matches[open[at]!] = i
    matches[i] = open[at]!
    open.length = at
    for (const top of tops) while (top.length > 0 && top[top.length - 1]! >= at) top.pop()
  }
  return matches
}
