/**
 * What stands in brackets. Arguments that do not fit on a line stand below one another:
 *
 *     float4 v = lerp(
 *         first,
 *         second,
 *         0.5);
 *
 * Where braces open at the ends of lines, the bracket that closes stands on a line of its own.
 *
 * The rows of a list in braces stay as they are, and so do those of arguments that look like a matrix.
 */
import { floatKind, intKind, nameKind } from '../syntax/token.ts'
import { concat, fill, flatWidth, group, hard, indent, isHard, line, newline, soft, type Doc } from './doc.ts'
import type { Cx } from './context.ts'
import { inline, separators } from './inline.ts'
import { opensArguments, punctuator, space } from './space.ts'

/** One of several things with commas between them. */
interface Item {
  readonly first: number
  readonly last: number
  readonly doc: Doc
}

/** How long an item may be so that several of its kind share a line. */
const shortItem = 14
/** How many items must be short for that. */
const manyItems = 5

/** The brackets that open at `open`, with what is in them, among tokens that end at `last`. */
export function bracket(cx: Cx, open: number, last: number): Doc {
  const close = cx.roles.close(open)
  // A `>>` closes two: the outer one prints it.
  const closer = close <= last ? cx.tokens.text(close) : ''
  const opener = cx.tokens.text(open)
  const from = open + 1
  const to = Math.min(close - 1, last)
  if (from > to) return concat([opener, closer === '' ? '' : cx.closing(close, ''), closer])
  const marks = separators(cx, from, to + 1)
  if (opener === '{') return braced(cx, items(cx, from, to, marks), close)
  const end = closer === '' ? '' : concat([cx.closing(close, space(cx, close)), closer])
  const isList = opener === '<' || (opener === '(' && opensArguments(cx, open) && marks.every(m => m.level > 0))
  if (!isList) {
    const gap = cx.gap(from, '')
    const content = concat([gap, inline(cx, from, to)])
    return concat([opener, isHard(gap) ? indent(content) : content, end])
  }
  const parts = items(cx, from, to, marks)
  const only = parts.length === 1 ? parts[0]! : undefined
  if (only !== undefined && endsWithBracket(cx, only))
    return concat([opener, cx.gap(from, ''), withComma(cx, only), end])
  // Arguments of types do not break.
  if (opener === '<' && !cx.roles.parameters.has(open))
    return concat([opener, cx.gap(from, ''), ...separated(cx, parts, ' '), end])
  const { doc, isTable } = list(cx, parts)
  const sep = isTable ? hard : soft
  const isOwnLine = cx.braces === 'own-line' || closer === ''
  return group(opener, indent(cx.gap(from, sep), doc), isOwnLine ? end : concat([cx.closing(close, sep), closer]))
}

/** What stands between commas. One comma may follow the last. */
function items(
  cx: Cx,
  from: number,
  to: number,
  marks: readonly { readonly index: number; readonly level: number }[],
): Item[] {
  const found: Item[] = []
  let first = from
  const add = (last: number): void => {
    found.push({ first, last, doc: inline(cx, first, last) })
  }
  for (const { index, level } of marks) {
    if (level !== 1) continue
    add(index - 1)
    first = index + 1
  }
  if (first <= to) add(to)
  return found
}

/** `{ a, b }`: on one line if it stands there and fits. */
function braced(cx: Cx, parts: readonly Item[], close: number): Doc {
  const breaks = parts.some(({ first }) => cx.tokens.onNewLine(first)) || cx.tokens.onNewLine(close)
  const sep = breaks ? hard : line
  const isFilled = isShort(cx, parts, true)
  const rows = breaks && !(isFilled && isWide(cx, parts)) ? rowsOf(cx, parts) : [parts]
  const docs: Doc[] = []
  rows.forEach((row, k) => {
    if (k > 0) docs.push(cx.gap(row[0]!.first, hard, 'between'))
    docs.push(breaks || isFilled ? filled(cx, row) : concat(separated(cx, row)))
  })
  const first = parts[0]!.first
  return group('{', indent(cx.gap(first, sep, 'first'), concat(docs)), cx.closing(close, sep, 'last'), '}')
}

/** Arguments: in rows if they look like a matrix, as many on a line as fit if they are numbers, or else below one another. */
function list(cx: Cx, parts: readonly Item[]): { readonly doc: Doc; readonly isTable: boolean } {
  const rows = rowsOf(cx, parts)
  const length = rows[0]!.length
  const { tokens } = cx
  const isPlain = parts.every(
    ({ first, last, doc }) => !isHard(doc) && tokens.pieces(first).length + tokens.pieces(last + 1).length === 0,
  )
  if (isPlain && rows.length > 1 && length > 1 && rows.every(row => row.length === length)) {
    const docs = rows.flatMap((row, k) => [
      k === 0 ? '' : cx.gap(row[0]!.first, newline(false)),
      concat(separated(cx, row, ' ')),
    ])
    return { doc: concat(docs), isTable: true }
  }
  return { doc: isShort(cx, parts, false) ? filled(cx, parts) : concat(separated(cx, parts)), isTable: false }
}

/** Items that stood on one line. */
function rowsOf(cx: Cx, parts: readonly Item[]): Item[][] {
  const rows: Item[][] = []
  for (const part of parts) {
    if (rows.length === 0 || cx.tokens.onNewLine(part.first)) rows.push([part])
    else rows.at(-1)!.push(part)
  }
  return rows
}

/** Whether some row of a list of short items is too wide. All are filled again then, so that no row leaves a short one behind. */
function isWide(cx: Cx, parts: readonly Item[]): boolean {
  const { tabSize, lineWidth } = cx.options
  return rowsOf(cx, parts).some(
    row => cx.tokens.end(row.at(-1)!.last) - cx.tokens.start(row[0]!.first) > lineWidth - 2 * tabSize,
  )
}

/** Items with their commas, and what stands before the next item. */
function separated(cx: Cx, parts: readonly Item[], sep: Doc = line): Doc[] {
  const docs: Doc[] = []
  for (const part of parts) {
    if (docs.length > 0) docs.push(cx.gap(part.first, sep))
    docs.push(withComma(cx, part))
  }
  return docs
}

function filled(cx: Cx, parts: readonly Item[]): Doc {
  return fill(separated(cx, parts))
}

function withComma(cx: Cx, { last, doc }: Item): Doc {
  return punctuator(cx, last + 1) === ',' ? concat([doc, cx.gap(last + 1, ''), ',']) : doc
}

/** Whether the items are numbers, or also names, of which several may stand on a line. */
function isShort(cx: Cx, parts: readonly Item[], names: boolean): boolean {
  if (parts.length < manyItems) return false
  return parts.every(({ first, last, doc }) => {
    const { tokens } = cx
    const kind = tokens.kind(last)
    const isAtom = kind === intKind || kind === floatKind || (names && kind === nameKind)
    const isSigned = last === first + 1 && cx.roles.of(first) === 'prefix'
    return isAtom && (first === last || isSigned) && flatWidth(doc) <= shortItem
  })
}

/** Whether an argument is one call or list, so that its own brackets break first. */
function endsWithBracket(cx: Cx, { first, last }: Item): boolean {
  return /^[)}]$/.test(cx.tokens.text(last)) && separators(cx, first, last).length === 0
}
