/** Which part of a text to format once a character was typed. */
import type { SourceFile } from '../base/source.ts'
import { Tokens, type Extent } from './tokens.ts'

/** A character after which editors may ask. */
export type Typed = '}' | ';' | '\n'

/**
 * What a character that was typed ends, with the cursor at `offset`: a `}` its braces with what stands before them, a `;` its statement, and a new line
 * the line above. Undefined where it ends nothing: in a comment, or for a bracket without another.
 */
export function ended(file: SourceFile, offset: number, typed: Typed): Extent | undefined {
  if (typed === '\n') {
    const { line } = file.position(offset)
    if (line < 2) return undefined
    const start = file.lineStarts[line - 2]!
    return { start, end: start + file.line(line - 1).length }
  }
  const tokens = new Tokens(file, 1)
  const last = offset < 1 ? tokens.count : tokens.last({ start: offset - 1, end: offset })
  if (tokens.end(last) !== offset || tokens.text(last) !== typed) return undefined
  const open = typed === '}' ? tokens.match(last) : last
  return open < 0 ? undefined : { start: startOf(tokens, open), end: offset }
}

/** Where the statement or declaration begins that a token belongs to: behind the end of the one before. */
function startOf(tokens: Tokens, index: number): number {
  let at = index - 1
  for (; at >= 0; at--) {
    const match = tokens.match(at)
    const text = tokens.text(at)
    // Other brackets are passed over; what opens around the token, or closes a body before it, ends the search.
    if (text === '{' || text === ';' || text === '}' || ((text === '(' || text === '[') && match > index)) break
    if (match >= 0 && match < at) at = match
  }
  return at < 0 ? 0 : tokens.end(at)
}
