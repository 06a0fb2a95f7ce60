/** The tokens of a file as it is written, without preprocessing, and the word at a place. */
import { Span, type SourceFile } from '../base/source.ts'
import { lex } from '../syntax/lex.ts'
import { nameKind, type RawTokens } from '../syntax/token.ts'

const known = new WeakMap<SourceFile, RawTokens>()

/** The tokens of a file, before preprocessing. */
export function tokensOf(file: SourceFile): RawTokens {
  let raw = known.get(file)
  if (raw === undefined) known.set(file, (raw = lex(file)))
  return raw
}

/** The number of the last token that begins before an offset; -1 where none does. */
export function tokenBefore({ starts, count }: RawTokens, offset: number): number {
  let lo = 0
  let hi = count
  while (lo < hi) {
    const mid = (lo + hi) >> 1
    if (starts[mid]! < offset) lo = mid + 1
    else hi = mid
  }
  return lo - 1
}

/** A word of a text. */
export interface Word {
  readonly span: Span
  readonly text: string
}

/** The name or keyword that stands around an offset or ends there; not one in a comment or a string. */
export function wordAt(file: SourceFile, offset: number): Word | undefined {
  const raw = tokensOf(file)
  for (const i of [tokenBefore(raw, offset + 1), tokenBefore(raw, offset)]) {
    if (i < 0 || raw.kinds[i] !== nameKind || raw.ends[i]! < offset) continue
    const span = new Span(file, raw.starts[i]!, raw.ends[i]!)
    return { span, text: file.text.slice(span.start, span.end) }
  }
  return undefined
}

/** The token that stands around an offset or begins there; none in white space or a comment. */
export function tokenAt(file: SourceFile, offset: number): Span | undefined {
  const raw = tokensOf(file)
  const i = tokenBefore(raw, offset + 1)
  return i < 0 || raw.ends[i]! <= offset ? undefined : new Span(file, raw.starts[i]!, raw.ends[i]!)
}
