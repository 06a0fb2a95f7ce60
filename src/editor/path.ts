/** Finds the nodes of a syntax tree around a place. */
import type { SourceFile } from '../base/source.ts'
import type * as ast from '../syntax/ast.ts'

/** A node of the tree, of whatever kind. */
export type Node =
  | ast.Module
  | ast.Decl
  | ast.Stmt
  | ast.Expr
  | ast.Param
  | ast.Attribute
  | ast.Argument
  | ast.Modifier
  | ast.Semantic
  | ast.Generics
  | ast.GenericParam
  | ast.Where
  | ast.CaseGroup
  | ast.TargetCase

type Fields = Readonly<Record<string, unknown>>

const isNode = (x: unknown): x is Node => typeof x === 'object' && x !== null && 'kind' in x && 'span' in x

/** Calls `visit` with each node right inside a node. */
export function eachChild(node: Node, visit: (child: Node) => void): void {
  const fields = node as unknown as Fields
  for (const key in fields) {
    const value = fields[key]
    if (typeof value !== 'object' || value === null || key === 'span' || key === 'file') continue
    if (!Array.isArray(value)) {
      if (isNode(value)) visit(value)
    } else for (const part of value as readonly unknown[]) if (isNode(part)) visit(part)
  }
}

/**
 * Calls `visit` with a node and all inside of it, in no particular order; where it says `false`, what is inside is left out. Sums nest thousands
 * deep, so this is a loop.
 */
export function eachNode(root: Node, visit: (node: Node) => boolean | void): void {
  const queue = [root]
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    if (visit(node) === false) continue
    eachChild(node, child => {
      queue.push(child)
    })
  }
}

/**
 * The nodes around an offset, the outermost first. A node also counts where the offset is its end; of two that meet there it is the one that
 * begins, or with `before` the one that ends.
 */
export function pathAt(tree: ast.Module, file: SourceFile, offset: number, before = false): readonly Node[] {
  const path: Node[] = [tree]
  for (let node: Node | undefined = tree; node !== undefined;) {
    let next: Node | undefined
    eachChild(node, child => {
      const { span } = child
      if (span.file !== file || span.start > offset || span.end < offset) return
      if (next === undefined || (before ? next.span.start === offset : next.span.end === offset)) next = child
    })
    if (next !== undefined) path.push(next)
    node = next
  }
  return path
}
