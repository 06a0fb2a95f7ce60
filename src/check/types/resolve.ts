/** Resolves type expressions. */
import * as generics from '../../base/errors/generics.ts'
import * as names from '../../base/errors/names.ts'
import * as types from '../../base/errors/types.ts'
import type { Span } from '../../base/source.ts'
import type * as ast from '../../syntax/ast.ts'
import { builtinType } from '../model/builtin.ts'
import { ownArgs, put, putArg } from './conform.ts'
import { conjunction } from './conjunction.ts'
import { foldExpr } from './const.ts'
import { optionalType, pointerType } from './optional.ts'
import { Env, type Cx } from '../model/context.ts'
import type { AliasDecl, Decl, GlobalDecl, StructDecl } from '../model/decl.ts'
import { constraintsOf, miscounted, violation } from './generic.ts'
import { isUnresolved, linkedType } from './link.ts'
import type { Lack } from '../model/lack.ts'
import type { Scope } from '../model/scope.ts'
import { callableType } from './callable.ts'
import { foreignFeature } from './foreign.ts'
import { shared, writtenOut } from './pack.ts'
import { spreadArguments } from './spread.ts'
import { globalInit } from './signature.ts'
import { textureOf } from './texture.ts'
import type { Term } from '../model/term.ts'
import type { Expr } from '../model/tree.ts'
import {
  arrayType,
  assocType,
  enumType,
  errorInt,
  errorType,
  intConst,
  interfaceType,
  known,
  matrixType,
  maxElements,
  noSubst,
  paramType,
  shapeType,
  show,
  structType,
  thisType,
  vectorType,
  withOrder,
  type GenericArg,
  type Int,
  type Subst,
  type Type,
} from '../model/type.ts'
import { eachExpr } from '../model/walk.ts'

/** The type term of a declaration that is a type; null for others. `subst` puts in the generic parameters around it. */
export function typeTerm(cx: Cx, decl: Decl, subst: Subst, base: Type | null): Term | null {
  switch (decl.kind) {
    case 'struct':
      if (decl.generics !== null) return { kind: 'open', decl, outer: subst }
      return { kind: 'type', type: put(cx, structType(decl, ownArgs(decl)), subst) }
    case 'interface':
      if (decl.generics !== null) return { kind: 'open', decl, outer: subst }
      return { kind: 'type', type: interfaceType(decl, []) }
    case 'enum':
      return { kind: 'type', type: enumType(decl) }
    case 'typeparam': {
      const type = put(cx, paramType(decl), subst)
      const list = type.kind === 'param' && type.decl === decl ? cx.of(decl).paramLists.get(decl.scope) : undefined
      if (list === undefined || list.syntax.where.length === 0) return { kind: 'type', type }
      constraintsOf(cx, list)
      return { kind: 'type', type: cx.equalTo(type.key) ?? type }
    }
    case 'alias':
      if (decl.generics !== null) return { kind: 'open', decl, outer: subst }
      return { kind: 'type', type: put(cx, aliasType(cx, decl), subst) }
    case 'assoc': {
      const self = base ?? thisType(decl.owner)
      const iface = interfaceType(decl.owner, ownArgs(decl.owner))
      if (base === null || base.kind === 'this') {
        const type = assocType(self, iface, decl)
        return { kind: 'type', type: cx.equalTo(type.key) ?? type }
      }
      return { kind: 'type', type: put(cx, assocType(thisType(decl.owner), iface, decl), { args: subst.args, self }) }
    }
    default:
      return null
  }
}

function aliasType(from: Cx, decl: AliasDecl): Type {
  const cx = from.of(decl)
  const known = cx.aliases.get(decl)
  if (known === 'busy') {
    cx.sink.add(names.cyclic, decl.span ?? undefined, { name: decl.name })
    return errorType
  }
  if (known !== undefined) return known
  cx.aliases.set(decl, 'busy')
  const linked = decl.link === undefined ? null : linkedType(cx, decl)
  const isMissing = linked === null && decl.link !== undefined && decl.link.alias === undefined && decl.span !== null
  const type = isMissing
    ? missingType(decl.name, { span: decl.span, feature: decl.name, isExternal: true })
    : linked === null
      ? resolveType(cx, decl.target, decl.inner)
      : linked.kind === 'alias'
        ? aliasType(cx, linked)
        : structType(linked, [])
  cx.aliases.set(decl, type)
  return type
}

/** The term of a built-in name, or null. */
export function builtinTerm(name: string): Term | null {
  if (
    name === 'vector' ||
    name === 'matrix' ||
    name === 'Array' ||
    name === 'Tuple' ||
    name === '__Shape' ||
    name === '_Texture'
  )
    return { kind: 'open', decl: name, outer: noSubst }
  const type = builtinType(name)
  return type === null ? null : { kind: 'type', type }
}

/** What a term is, for messages. */
export function describe(term: Term): string {
  switch (term.kind) {
    case 'value':
      return `a value of type ${show(term.expr.type)}`
    case 'place':
      return `a value of type ${show(term.place.type)}`
    case 'type':
      return `type ${show(term.type)}`
    case 'open':
      return `generic type ${typeof term.decl === 'string' ? term.decl : term.decl.name}`
    case 'namespace':
      return `namespace ${term.decl.name}`
    case 'funcs':
      return `function ${term.name}`
    case 'list':
      return 'an initialiser list'
    case 'error':
      return 'an error'
  }
}

/** The type that an expression of the syntax stands for; reports where it is none. */
export function resolveType(cx: Cx, e: ast.TypeExpr, scope: Scope): Type {
  if (e.kind === 'name') {
    // Most types are built in, and cannot be redefined.
    const builtin = builtinType(e.name)
    if (builtin !== null) return builtin
  }
  const { work } = cx.sink
  if (!work.descend(2)) {
    cx.sink.add(names.tooDeep, e.span, {})
    return errorType
  }
  const before = cx.lacks.length
  const term = typeExprTerm(cx, e, scope)
  const found = termType(cx, term, e.span)
  // A type that no target has differs from others, so that functions may be overloaded for it.
  const type = found === errorType && cx.lacks.length > before ? missingType(textOf(e.span), cx.lacks[before]!) : found
  work.check('typeText', type.key.length, e.span)
  work.ascend(2)
  return type
}

/** A type that no target has, by its text. It fits everywhere, as a type with a reported mistake does. */
function missingType(text: string, lack: Lack): Type {
  return { kind: 'error', key: `!${text}`, lack }
}

function textOf({ file, start, end }: Span): string {
  return file.text.slice(start, end).replace(/\s+/g, ' ')
}

/** The type as `row_major` and `column_major` want it in memory. */
export function ordered(cx: Cx, node: { readonly modifiers: readonly ast.Modifier[] }, type: Type): Type {
  const order = node.modifiers.find(m => m.name === 'row_major' || m.name === 'column_major')
  return order === undefined ? type : withOrder(type, (order.name === 'column_major') !== cx.columnMajor)
}

/** The type of a term that must be a type. */
export function termType(cx: Cx, term: Term, span: Span): Type {
  if (term.kind === 'type') return term.type
  if (term.kind === 'error') return errorType
  if (term.kind === 'open') return applyGeneric(cx, term, [], null, span)
  cx.sink.add(names.expectedType, span, { what: describe(term) })
  return errorType
}

function typeExprTerm(cx: Cx, e: ast.TypeExpr, scope: Scope): Term {
  const lacking = (feature: string): Term => {
    cx.lacks.push({ span: e.span, feature })
    return { kind: 'error' }
  }
  switch (e.kind) {
    case 'name':
    case 'member':
    case 'generic':
    case 'thisType':
      return cx.above.term(new Env(cx, scope), e)
    case 'index':
      return { kind: 'type', type: arrayOf(cx, resolveType(cx, e.base, scope), e, scope) }
    case 'modified': {
      const term = typeExprTerm(cx, e.type, scope)
      return term.kind === 'type' ? { kind: 'type', type: ordered(cx, e, term.type) } : term
    }
    case 'pointer': {
      const target = resolveType(cx, e.target, scope)
      if (target === errorType) return { kind: 'error' }
      const missing = foreignFeature(cx, 'Ptr')
      if (missing !== null) return lacking(missing)
      cx.hasPointers = true
      return { kind: 'type', type: pointerType(cx, target) }
    }
    case 'optional': {
      const elem = resolveType(cx, e.target, scope)
      return elem.kind === 'error' ? { kind: 'error' } : { kind: 'type', type: optionalType(cx, elem) }
    }
    case 'funcType': {
      if (e.params.some(p => p.modifiers.some(m => /^(out|inout|ref|__ref)$/.test(m.name))))
        return lacking('a function type with out or inout parameters')
      const params = e.params.map(p => (p.type === undefined ? errorType : resolveType(cx, p.type, scope)))
      const type = callableType(cx, params, resolveType(cx, e.result, scope), e.smooth)
      return type === null ? lacking('a function type of so many parameters') : { kind: 'type', type }
    }
    case 'decltype': {
      const term = cx.above.term(new Env(cx, scope), e.operand)
      if (term.kind === 'value') return { kind: 'type', type: term.expr.type }
      if (term.kind === 'place') return { kind: 'type', type: term.place.type }
      return term.kind === 'error' ? term : lacking('decltype of this')
    }
    case 'expand':
    case 'each':
      cx.sink.add(generics.packHere, e.span, {})
      return { kind: 'error' }
    case 'unsupported':
      return lacking(e.feature)
    case 'error':
      return { kind: 'error' }
    case 'binary':
      if (e.op === '&') return { kind: 'type', type: conjunction(cx, e, scope) }
      cx.sink.add(names.expectedType, e.span, { what: 'an expression' })
      return { kind: 'error' }
    default:
      cx.sink.add(names.expectedType, e.span, { what: 'an expression' })
      return { kind: 'error' }
  }
}

/** `elem[n]`: `int x[2][3]` comes as an index node whose outermost argument is the 2. */
export function arrayOf(cx: Cx, elem: Type, e: ast.IndexExpr, scope: Scope): Type {
  if (elem.kind === 'error') return elem
  const size = e.args[0]
  if (size === undefined) return arrayType(elem, null)
  const count = resolveInt(cx, size, scope)
  const n = known(count)
  if (n !== null && n < 0) {
    cx.sink.add(types.badArraySize, size.span, {})
    return errorType
  }
  if (n !== null && n > maxElements) {
    cx.sink.add(types.arrayTooLarge, size.span, { count: n, limit: maxElements })
    return errorType
  }
  return count.kind === 'error' ? errorType : arrayType(elem, count)
}

/** Why a value has no number: a mistake that was reported already, or a constant that no module exports. Null for another reason. */
function unknownBecause(cx: Cx, expr: Expr, depth = 0): 'mistake' | GlobalDecl | null {
  let found: 'mistake' | GlobalDecl | null = null
  eachExpr(expr, e => {
    if (e.kind === 'error') found ??= 'mistake'
    if (e.kind !== 'read' || e.place.kind !== 'global' || e.place.decl.storage !== 'constant' || depth > 16) return
    const { decl } = e.place
    if (isUnresolved(cx, decl)) found ??= decl
    const init = globalInit(cx, decl)
    if (init !== null) found ??= unknownBecause(cx, init, depth + 1)
  })
  return found
}

/** An integer that is known when generics are instantiated. */
export function resolveInt(cx: Cx, e: ast.Expr, scope: Scope): Int {
  if (e.kind === 'int') return intConst(Number(e.value))
  if (e.kind === 'bool') return intConst(e.value ? 1 : 0)
  const term = cx.above.term(new Env(cx, scope), e)
  const expr =
    term.kind === 'value'
      ? term.expr
      : term.kind === 'place'
        ? { kind: 'read' as const, type: term.place.type, span: e.span, place: term.place }
        : null
  if (term.kind === 'error' || (expr !== null && expr.kind === 'error')) return errorInt
  if (term.kind === 'type' || term.kind === 'open') {
    cx.sink.add(generics.argumentKind, e.span, { expected: 'an integer' })
    return errorInt
  }
  const folded = expr === null ? null : foldExpr(cx, expr, noSubst)
  if (folded === null) {
    const why = expr === null ? null : unknownBecause(cx, expr)
    if (why === null) cx.sink.add(types.notConstant, e.span, {})
    else if (why !== 'mistake') cx.lacks.push({ span: e.span, feature: why.name, isExternal: true })
    return errorInt
  }
  return folded
}

/** The number of lanes, rows or columns, which no target has more than four of. */
function side(cx: Cx, e: ast.Expr, count: Int): Int {
  const n = known(count)
  if (cx.namesOnly > 0 || n === null || (n >= 1 && n <= 4)) return count
  cx.sink.add(types.badVectorSize, e.span, { count: n })
  return errorInt
}

/** Applies an open generic type to arguments of the syntax. */
export function applyGeneric(
  cx: Cx,
  open: Term & { readonly kind: 'open' },
  given: readonly ast.Expr[],
  scope: Scope | null,
  span: Span,
): Type {
  const { decl } = open
  const args = spreadArguments(given)
  if (typeof decl === 'object' && decl.kind === 'struct' && decl.intrinsic === 'Ptr') cx.hasPointers = true
  const type = (i: number): Type => resolveType(cx, args[i]!, scope!)
  const int = (i: number): Int => resolveInt(cx, args[i]!, scope!)
  if (decl === 'Tuple') {
    const made = cx.library.lookup(`__Tuple${args.length}`)[0]
    if (made?.kind === 'struct' && args.length === 0) return structType(made, [])
    if (made?.kind === 'struct')
      return applyGeneric(cx, { kind: 'open', decl: made, outer: noSubst }, args, scope, span)
    cx.sink.add(generics.argumentCount, span, { name: decl, expected: 'up to eight', got: args.length })
    return errorType
  }
  if (decl === '_Texture') return textureOf(cx, open, args, scope, span)
  if (typeof decl === 'string') {
    const wanted = decl === 'matrix' ? 3 : 2
    if (decl === 'vector' && args.length < 2)
      return vectorType(args.length === 0 ? builtinType('float')! : type(0), intConst(4))
    if (decl === 'matrix' && args.length === 0) return matrixType(builtinType('float')!, intConst(4), intConst(4))
    if (args.length === 4 && decl === 'matrix') {
      const order = resolveInt(cx, args[3]!, scope!)
      if (order.kind === 'param') cx.orders.add(order.decl)
    } else if (args.length !== wanted) {
      cx.sink.add(generics.argumentCount, span, { name: decl, expected: wanted, got: args.length })
      return errorType
    }
    const elem = type(0)
    if (
      (decl === 'vector' || decl === 'matrix') &&
      cx.namesOnly === 0 &&
      /^(?:vector|matrix|array|struct|interface|void)$/.test(elem.kind) &&
      !(decl === 'vector' && elem.kind === 'vector')
    ) {
      cx.sink.add(generics.argumentKind, args[0]!.span, {
        expected: decl === 'vector' ? 'a scalar or a vector type' : 'a scalar type',
      })
      return errorType
    }
    switch (decl) {
      case 'vector':
        return elem.kind === 'error' ? elem : vectorType(elem, side(cx, args[1]!, int(1)))
      case 'matrix':
        return elem.kind === 'error' ? elem : matrixType(elem, side(cx, args[1]!, int(1)), side(cx, args[2]!, int(2)))
      case 'Array':
        return elem.kind === 'error' ? elem : arrayType(elem, int(1))
      case '__Shape':
        return shapeType(elem, type(1))
    }
  }
  const list = decl.generics
  if (list === null) {
    cx.sink.add(generics.notGeneric, span, { name: decl.name })
    return errorType
  }
  if (list.packed && scope !== null) {
    const counts = shared(list, args.length)
    const made = counts === null ? undefined : writtenOut(cx, decl as StructDecl | AliasDecl, counts)
    if (made === null) return errorType
    if (made !== undefined) return applyGeneric(cx, { ...open, decl: made }, args, scope, span)
  }
  const needed = list.params.findLastIndex(p => p.syntax.fallback === undefined) + 1
  if (args.length < needed || args.length > list.params.length) {
    if (args.length === 0) cx.sink.add(generics.needsArguments, span, { name: decl.name })
    else cx.sink.add(generics.argumentCount, span, { name: decl.name, expected: list.params.length, got: args.length })
    return errorType
  }
  const map = new Map<number, GenericArg>(open.outer.args)
  const subst: Subst = { args: map, self: open.outer.self }
  // `Rule<vector<Unknown, 0>>` may only choose an extension: a value of that type is refused where one is made.
  const isName = !decl.module.isCore
  for (let i = 0; i < list.params.length; i++) {
    const p = list.params[i]!
    const arg = args[i]
    if (p.kind === 'typeparam') {
      if (isName) cx.namesOnly++
      const t =
        arg !== undefined
          ? resolveType(cx, arg, scope!)
          : put(cx, resolveType(cx, p.syntax.fallback!, list.scope), subst)
      if (isName) cx.namesOnly--
      if (t.kind === 'error') return t
      map.set(p.id, t)
    } else {
      const n =
        arg !== undefined
          ? resolveInt(cx, arg, scope!)
          : (putArg(cx, resolveInt(cx, p.syntax.fallback!, list.scope), subst) as Int)
      if (n.kind === 'error') return errorType
      map.set(p.id, n)
    }
  }
  const broken = violation(cx, list, subst)
  if (broken !== null) {
    cx.sink.add(generics.doesNotConform, span, { type: show(broken.subject), interface: show(broken.iface) })
    return errorType
  }
  const wrong = miscounted(cx, list, subst)
  if (wrong !== null) {
    cx.sink.add(generics.countDiffers, span, { got: show(wrong.got), expected: show(wrong.expected) })
    return errorType
  }
  if (decl.kind === 'alias') return put(cx, aliasType(cx, decl), subst)
  const all = ownArgs(decl).map(a => (a.kind === 'param' ? (map.get(a.decl.id) ?? a) : a))
  return decl.kind === 'struct' ? structType(decl, all) : interfaceType(decl, all)
}
