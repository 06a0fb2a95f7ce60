/** User-written `ref` accessors, rewritten as a `get` with the same body and a `set` that assigns where the body returns a place. So are functions with the result `Ref<T>`. */
import type * as ast from '../../syntax/ast.ts'

/** How deep statements are followed; the parser allows no deeper ones. */
const maxDepth = 256

/** The accessors, with each `ref` rewritten as a `get` and a `set`, unless those are given too. */
export function withoutRef(given: readonly ast.AccessorDecl[]): readonly ast.AccessorDecl[] {
  const ref = given.find(a => a.which === 'ref')
  if (ref === undefined) return given
  const has = (which: ast.AccessorDecl['which']): boolean => given.some(a => a.which === which)
  const get: ast.AccessorDecl = { ...ref, which: 'get' }
  const set: ast.AccessorDecl = {
    ...ref,
    which: 'set',
    body: ref.body === undefined ? undefined : (assigned(ref.body, 0) as ast.Block),
  }
  return [...given.filter(a => a.which !== 'ref'), ...(has('get') ? [] : [get]), ...(has('set') ? [] : [set])]
}

/** A copy in which `return place;` is `{ place = newValue; return; }`. What a lambda returns stays. */
export function assigned(node: unknown, depth: number): unknown {
  if (depth > maxDepth || typeof node !== 'object' || node === null) return node
  if (Array.isArray(node)) return node.map(n => assigned(n, depth + 1))
  const { kind, span } = node as ast.Stmt
  if (kind === undefined || (kind as string) === 'lambda') return node
  if (kind === 'return') {
    const target = (node as ast.ReturnStmt).value
    if (target === undefined) return node
    const value: ast.Expr = { kind: 'name', span, name: 'newValue', global: false }
    const stmts: ast.Stmt[] = [
      { kind: 'expr', span, expr: { kind: 'assign', span, op: '=', target, value } },
      { kind: 'return', span, value: undefined },
    ]
    return { kind: 'block', span, stmts }
  }
  return Object.fromEntries(
    Object.entries(node).map(([key, child]) => [key, key === 'span' ? child : assigned(child, depth + 1)]),
  )
}
