/** Attributes before declarations and statements, and `__generic<…>`. They stay on the lines where they stand. */
import type { Cx } from './context.ts'
import { concat, fill, follow, group, hard, isHard, line, type Doc } from './doc.ts'
import { inline } from './inline.ts'
import { punctuator } from './space.ts'

/** The token behind the attributes that begin at `first`. */
export function attributesEnd(cx: Cx, first: number): number {
  let at = first
  for (let last = lastOf(cx, at); last !== undefined; last = lastOf(cx, at)) at = last + 1
  return at
}

/** The last token of an attribute that begins at `first`. */
function lastOf(cx: Cx, first: number): number | undefined {
  const open = cx.tokens.text(first) === '__generic' ? first + 1 : punctuator(cx, first) === '[' ? first : undefined
  return open !== undefined && cx.roles.close(open) > open ? cx.roles.close(open) : undefined
}

/** The attributes from `first` up to `end`, and then what they belong to. */
export function attributes(cx: Cx, first: number, end: number, doc: Doc): Doc {
  const rows: Doc[][] = [[]]
  let last = first
  for (let at = first; at < end; at = last + 1) {
    last = lastOf(cx, at)!
    const row = rows.at(-1)!
    const attribute = inline(cx, at, last)
    if (at === first) row.push(attribute)
    else if (cx.tokens.onNewLine(at)) rows.push([cx.gap(at, hard), attribute])
    else row.push(cx.gap(at, line), attribute)
  }
  const lines = rows.map((row, k) => (k === 0 ? fill(row) : concat([row[0]!, fill(row.slice(1))])))
  const gap = cx.gap(end, cx.tokens.onNewLine(end) ? hard : line)
  if (isHard(gap)) return concat([...lines, gap, doc])
  // On the line of the last attribute.
  if (cx.isPlain(end) && isHard(doc)) return concat([...lines, follow(doc, 0)])
  return concat([...lines.slice(0, -1), group(lines.at(-1)!, gap, doc)])
}
