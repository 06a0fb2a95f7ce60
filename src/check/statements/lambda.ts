/**
 * Lambdas: a struct of the captured values, with a method `operator()`. It conforms to `IFunc` of its types. Names in the body that
 * mean locals or parameters outside are captured, and found as fields of that struct. The same goes for `this`, and for what an
 * outer lambda has captured.
 */
import * as names from '../../base/errors/names.ts'
import type * as ast from '../../syntax/ast.ts'
import { fieldSigs, lookup, paramOf, resolveType } from '../types/index.ts'
import type { FieldDecl, ParamDecl } from '../model/decl.ts'
import type { Env } from '../model/context.ts'
import { checkExpr, closureOf, toExpr } from '../expressions/index.ts'
import { declare } from '../model/scope.ts'
import { openEnd } from './returns.ts'
import { checkBlock } from './stmt.ts'
import { value, type Term } from '../model/term.ts'
import type { Place, Stmt } from '../model/tree.ts'
import { errorType } from '../model/type.ts'

/** Every name in a piece of syntax, `this` included. */
function namesIn(node: unknown, found: Set<string>, depth = 0): void {
  if (depth > 500 || typeof node !== 'object' || node === null) return
  if (Array.isArray(node)) {
    for (const n of node) namesIn(n, found, depth + 1)
    return
  }
  const fields = node as Readonly<Record<string, unknown>>
  if (fields['kind'] === 'this') found.add('this')
  if (fields['kind'] === 'name' && typeof fields['name'] === 'string') found.add(fields['name'])
  for (const key in fields) if (key !== 'span' && key !== 'file') namesIn(fields[key], found, depth + 1)
}

/** Checks a lambda: the value of its struct. */
export function checkLambda(env: Env, e: ast.LambdaExpr): Term {
  const { cx } = env
  const { span } = e
  const closure = closureOf(env, span, e.params)
  const { inner } = closure.struct
  const mentioned = new Set<string>()
  namesIn(e.body, mentioned)
  const capture = (name: string, place: Place, noDiff: boolean): FieldDecl => {
    const field = closure.capture(name, { kind: 'read', type: place.type, span, place }, noDiff)
    cx.observer?.captured(field, place)
    return field
  }
  const object = env.object(span)
  let needsObject = mentioned.has('this')
  for (const name of mentioned) {
    const found = lookup(cx, env.scope, name)[0]
    if (found === undefined) continue
    const { decl, type } = found
    if (decl.kind === 'local')
      declare(inner, capture(name, { kind: 'local', type: decl.type, span, decl }, decl.noDiff))
    // Only what comes in by a parameter without derivative has none, not what is assigned to it.
    else if (decl.kind === 'parameter')
      declare(inner, capture(name, { kind: 'param', type: decl.type, span, decl }, false))
    else if (type === null) continue
    else if (type.key === object?.type.key)
      needsObject ||=
        decl.kind === 'field' || decl.kind === 'property' || (decl.kind === 'func' && decl.role === 'method')
    else if (decl.kind === 'field' && type.key === env.self?.key) {
      const sig = fieldSigs(cx, decl.owner)[decl.index]!
      const base: Place = { kind: 'this', type: env.self, span }
      declare(inner, capture(name, { kind: 'field', type: sig.type, span, base, field: decl }, sig.noDiff))
    }
  }
  const outer = needsObject && object !== null ? capture(mentioned.has('self') ? 'self_' : 'self', object, false) : null
  const params = e.params.map((p, index): ParamDecl => {
    if (p.type === undefined) cx.sink.add(names.unsupported, p.span, { feature: 'a lambda parameter without a type' })
    const type = p.type === undefined ? errorType : resolveType(cx, p.type, env.scope)
    return paramOf(cx, p, index, type)
  })
  const method = closure.method(params, env.level, body => {
    for (const p of params) if (p.span !== null) cx.observer?.named(p.span, p)
    body.outer = outer === null ? null : closure.field(outer.index, object!.type)
    let stmts: readonly Stmt[]
    if (e.body.kind === 'block') {
      body.infers = true
      stmts = checkBlock(body, e.body)
    } else {
      const result = toExpr(body, checkExpr(body, e.body), e.body.span)
      body.result = result.type
      stmts = [
        result.type.kind === 'void'
          ? { kind: 'expr', expr: result, span: e.body.span }
          : { kind: 'return', value: result, span: e.body.span },
      ]
    }
    const open = body.result.kind === 'void' ? null : openEnd(cx, stmts)
    return { stmts, result: body.result, ...(open !== null && { open }) }
  })
  return value(closure.finish(method, env.level))
}
