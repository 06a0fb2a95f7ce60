/**
 * The items of a list of declarations or statements: every token between two braces belongs to one. An item that the parser did not understand
 * is frozen: it is left as it is.
 */
import type { Decl } from '../syntax/ast.ts'
import type { Cx } from './context.ts'
import type { Extent } from './tokens.ts'
import { punctuator } from './space.ts'

/** A declaration or statement with its semicolon: its first token and its last. */
export interface Item<T> {
  readonly first: number
  readonly last: number
  /** What the parser made of it: `int a, b;` is two declarations. None for what it passed over. */
  readonly nodes: readonly T[]
}

/**
 * The items from one token to another. The spans of nodes leave out the commas or semicolons of which each item takes those that `ends` lists.
 * `joins` says whether a node belongs to the item that ends before it.
 */
export function itemsOf<T extends { readonly span: Extent }>(
  cx: Cx,
  nodes: readonly T[],
  from: number,
  to: number,
  ends: RegExp | undefined,
  joins: (item: Item<T>, node: T, first: number) => boolean = () => false,
): readonly Item<T>[] {
  const { tokens } = cx
  const items: Item<T>[] = []
  let next = from
  for (const node of nodes) {
    let first = tokens.first(node.span)
    let last = Math.max(first, tokens.last(node.span))
    while (ends !== undefined && last < to && ends.test(tokens.text(last + 1))) last++
    let all = [node]
    for (let before = items.at(-1); before !== undefined; before = items.at(-1)) {
      // The `struct` of a `typedef struct` comes first, and the `typedef` covers it.
      if (first > before.last && (before.nodes.length === 0 || !joins(before, node, first))) break
      all = [...before.nodes, ...all]
      first = Math.min(first, before.first)
      last = Math.max(last, before.last)
      next = first
      items.pop()
    }
    if (next < first) items.push({ first: next, last: first - 1, nodes: [] })
    items.push({ first, last, nodes: all })
    next = last + 1
  }
  if (next <= to) items.push({ first: next, last: to, nodes: [] })
  return items
}

/** The declarations from one token to another. */
export function declarationsOf(cx: Cx, decls: readonly Decl[], from: number, to: number): readonly Item<Decl>[] {
  return itemsOf(cx, decls, from, to, /^[;,]$/, ({ last, nodes }, node, first) => {
    if (first !== last + 1 || node.kind !== 'var') return false
    // The next name of `int a, b;` or that of `struct S { … } s;`.
    return (
      punctuator(cx, last) === ',' ||
      (nodes.at(-1)!.kind === 'struct' && punctuator(cx, last) === '}' && !cx.tokens.onNewLine(first))
    )
  })
}
