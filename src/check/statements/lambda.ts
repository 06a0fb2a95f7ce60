/**
 * Lambdas: a struct of the captured values, with a method `operator()`. It conforms to `IFunc` of its types. Names in the body that
 * mean locals or parameters outside are captured, and found as fields of that struct. The same goes for `this`, and for what an
 * outer lambda has captured.
 */
import * as names from '../../base/errors/names.ts'
import type * as ast from '../../syntax/ast.ts'
import { attributesOf, coreInterface, fieldSigs, lookup, ownArgs, resolveType } from '../types/index.ts'
import type { FieldDecl, FuncDecl, ParamDecl, StructDecl } from '../model/decl.ts'
import { Env } from '../model/context.ts'
import { checkExpr, toExpr } from '../expressions/index.ts'
import { declare, newScope } from '../model/scope.ts'
import { openEnd } from './returns.ts'
import { checkBlock } from './stmt.ts'
import { value, type Term } from '../model/term.ts'
import type { Expr, Place, Stmt } from '../model/tree.ts'
import {
  errorType,
  interfaceType,
  structType,
  voidType,
  type GenericArg,
  type InterfaceType,
  type Type,
} from '../model/type.ts'

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
  const module = env.func?.module ?? cx.modules[0] ?? cx.library.module
  const inner = newScope(env.scope, 'type', null)
  const struct: StructDecl = {
    kind: 'struct',
    id: cx.id(),
    name: 'Lambda',
    parent: env.func,
    module,
    span: e.span,
    visibility: 'public',
    scope: env.scope,
    generics: null,
    nested: null,
    intrinsic: null,
    differentialOf: null,
    isBlock: false,
    syntax: null,
    inner,
    fields: [],
  }
  Object.assign(inner, { owner: struct })
  const captured: Expr[] = []
  const fields: { decl: FieldDecl; type: Type; noDiff: boolean; semantic: string }[] = []
  const mentioned = new Set<string>()
  namesIn(e.body, mentioned)
  const capture = (name: string, place: Place, noDiff: boolean): FieldDecl => {
    const field: FieldDecl = {
      kind: 'field',
      id: cx.id(),
      name,
      parent: struct,
      module,
      span: e.span,
      visibility: 'public',
      scope: inner,
      index: fields.length,
      owner: struct,
      syntax: null,
    }
    struct.fields.push(field)
    fields.push({ decl: field, type: place.type, noDiff, semantic: '' })
    captured.push({ kind: 'read', type: place.type, span: e.span, place })
    cx.observer?.captured(field, place)
    return field
  }
  const object = env.object(e.span)
  let needsObject = mentioned.has('this')
  for (const name of mentioned) {
    const found = lookup(cx, env.scope, name)[0]
    if (found === undefined) continue
    const { decl, type } = found
    if (decl.kind === 'local')
      declare(inner, capture(name, { kind: 'local', type: decl.type, span: e.span, decl }, decl.noDiff))
    // Only what comes in by a parameter without derivative has none, not what is assigned to it.
    else if (decl.kind === 'parameter')
      declare(inner, capture(name, { kind: 'param', type: decl.type, span: e.span, decl }, false))
    else if (type === null) continue
    else if (type.key === object?.type.key)
      needsObject ||=
        decl.kind === 'field' || decl.kind === 'property' || (decl.kind === 'func' && decl.role === 'method')
    else if (decl.kind === 'field' && type.key === env.self?.key) {
      const sig = fieldSigs(cx, decl.owner)[decl.index]!
      const base: Place = { kind: 'this', type: env.self, span: e.span }
      declare(inner, capture(name, { kind: 'field', type: sig.type, span: e.span, base, field: decl }, sig.noDiff))
    }
  }
  const outer = needsObject && object !== null ? capture(mentioned.has('self') ? 'self_' : 'self', object, false) : null
  cx.fieldSigs.set(struct, fields)
  cx.bases.set(struct, [])
  const type = structType(struct, ownArgs(struct))
  const params = e.params.map((p, index): ParamDecl => {
    if (p.type === undefined) cx.sink.add(names.unsupported, p.span, { feature: 'a lambda parameter without a type' })
    return {
      kind: 'parameter',
      id: cx.id(),
      name: p.name?.text ?? `p${index}`,
      index,
      type: p.type === undefined ? errorType : resolveType(cx, p.type, env.scope),
      dir: 'in',
      noDiff: false,
      constant: false,
      hasDefault: false,
      semantic: '',
      modifiers: [],
      span: p.name?.span ?? p.span,
    }
  })
  const syntax: ast.FuncDecl = {
    kind: 'func',
    span: e.span,
    attributes: [],
    modifiers: [],
    name: { text: 'operator()', span: e.span },
    generics: undefined,
    params: e.params,
    result: undefined,
    semantics: [],
    body: { kind: 'block', span: e.span, stmts: [] },
  }
  const func: FuncDecl = {
    kind: 'func',
    id: cx.id(),
    name: 'operator()',
    parent: struct,
    module,
    span: e.span,
    visibility: 'public',
    scope: inner,
    role: 'method',
    accessor: null,
    generics: null,
    owner: null,
    hasBody: true,
    syntax,
    of: null,
    inner,
  }
  declare(inner, func)
  const bases: InterfaceType[] = []
  const differentiable = env.level === 'none' ? null : coreInterface(cx, 'IDifferentiable')
  if (differentiable !== null) bases.push(differentiable)
  cx.bases.set(struct, bases)

  const scope = newScope(inner, 'block', func)
  for (const p of params) {
    declare(scope, p)
    if (p.span !== null) cx.observer?.named(p.span, p)
  }
  const body = new Env(cx, scope, func, type, 'what a lambda captures is constant', voidType, env.level)
  body.outer =
    outer === null
      ? null
      : { kind: 'field', type: object!.type, span: e.span, base: { kind: 'this', type, span: e.span }, field: outer }
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
  cx.sigs.set(func, { params, result: body.result, resultNoDiff: false })
  const open = body.result.kind === 'void' ? null : openEnd(cx, stmts)
  cx.bodies.set(func, { params, stmts, ...(open === null ? {} : { open }) })
  cx.attributes.set(func, { ...attributesOf(cx, func), level: env.level, marked: env.level !== 'none' })
  for (const name of env.level === 'none' ? ['IFunc'] : ['IFunc', 'IDifferentiableFunc']) {
    const iface = cx.library.lookup(name)[0]
    if (iface === undefined || iface.kind !== 'interface' || iface.generics === null) continue
    const args: GenericArg[] = [body.result, ...params.map(p => p.type)]
    while (args.length < iface.generics.params.length) args.push(voidType)
    if (args.length === iface.generics.params.length) bases.push(interfaceType(iface, args))
  }
  return value({ kind: 'construct', type, span: e.span, parts: captured })
}
