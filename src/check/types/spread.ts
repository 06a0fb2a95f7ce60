/**
 * Expansions whose `each` stands before a tuple instead of a pack: `f(expand each pair)`, `Tuple<expand each Tuple<int, float>>`. The type
 * says how many parts there are. Packs are gone by then: see `pack.ts`.
 */
import type * as ast from '../../syntax/ast.ts'
import { isNode } from './pack.ts'

/** What stands behind `each` in a pattern, without that of an `expand` inside of it. */
export function eachesOf(pattern: unknown): readonly ast.Expr[] {
  if (Array.isArray(pattern)) return pattern.flatMap(eachesOf)
  if (!isNode(pattern) || pattern['kind'] === 'expand') return []
  if (pattern['kind'] === 'each') return [pattern['operand'] as ast.Expr]
  return Object.entries(pattern).flatMap(([key, child]) => (key === 'span' ? [] : eachesOf(child)))
}

/** The pattern with a part of it for each `each`. */
export function patternAt(pattern: ast.Expr, part: (operand: ast.Expr) => ast.Expr): ast.Expr {
  const copy = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(copy)
    if (!isNode(node) || node['kind'] === 'expand') return node
    if (node['kind'] === 'each') return part(node['operand'] as ast.Expr)
    return Object.fromEntries(Object.entries(node).map(([k, child]) => [k, k === 'span' ? child : copy(child)]))
  }
  return copy(pattern) as ast.Expr
}

/** The arguments of a generic type, with each `expand` over tuples that are written out replaced by its parts. */
export function spreadArguments(args: readonly ast.Expr[]): readonly ast.Expr[] {
  return args.flatMap(arg => {
    if (arg.kind !== 'expand') return [arg]
    const tuples = eachesOf(arg.operand).map(tupleArguments)
    const count = tuples[0]?.length
    if (count === undefined || tuples.some(t => t?.length !== count)) return [arg]
    return Array.from({ length: count }, (_, i) => patternAt(arg.operand, operand => tupleArguments(operand)![i]!))
  })
}

/** What stands in `Tuple<…>`; undefined for other syntax. */
export function tupleArguments(type: ast.Expr): readonly ast.Expr[] | undefined {
  return type.kind === 'generic' && type.base.kind === 'name' && type.base.name === 'Tuple'
    ? spreadArguments(type.args)
    : undefined
}
