/** Bodies in braces: items on lines of their own. A body that stands on one line stays there if it fits. */
import type { Cx } from './context.ts'
import { concat, hard, indent, line, raw, type Doc } from './doc.ts'

/** An item of a body, to be printed without what stands before it. */
export interface Printed {
  readonly first: number
  readonly doc: Doc
  /** It is left as it is, and so is the space before it on its line. */
  readonly frozen: boolean
}

/** The break before the brace of a body that is printed together with it, in one group. */
export function braceGap(cx: Cx): Doc {
  return cx.braces === 'own-line' ? line : ' '
}

/** `{ … }` with its items. */
export function body(cx: Cx, open: number, close: number, items: readonly Printed[]): Doc {
  const { tokens } = cx
  if (items.length === 0) {
    if (cx.isPlain(close)) return '{}'
    const { comments, then } = cx.split(close, tokens.onNewLine(close) ? hard : ' ', 'first')
    return concat(['{', indent(...comments), then, '}'])
  }
  const sep = tokens.onOneLine(open, close) ? line : hard
  return concat(['{', indent(list(cx, items, sep)), cx.closing(close, sep, 'last'), '}'])
}

/** Items with what stands before each. */
export function list(cx: Cx, items: Iterable<Printed>, sep: Doc): Doc {
  const docs: Doc[] = []
  for (const { first, doc, frozen } of items)
    docs.push(cx.gap(first, sep, docs.length === 0 ? 'first' : 'between', frozen), doc)
  return concat(docs)
}

/** Tokens as they stand in the source. */
export function frozen(cx: Cx, first: number, last: number): Printed {
  const text = cx.tokens.file.text.slice(cx.tokens.start(first), cx.tokens.end(last))
  return { first, doc: raw(text), frozen: true }
}
