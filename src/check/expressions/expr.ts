/** Expressions: from syntax to the typed tree. A term gets its meaning by its use; here it becomes a value where one is needed. */
import * as derivative from '../../base/errors/derivative.ts'
import * as generics from '../../base/errors/generics.ts'
import * as names from '../../base/errors/names.ts'
import * as types from '../../base/errors/types.ts'
import type { Span } from '../../base/source.ts'
import type * as ast from '../../syntax/ast.ts'
import { accessorsTerm, memberTerm, nameTerm, objectTerm } from './access.ts'
import { indexTerm } from './element.ts'
import {
  applyGeneric,
  arrayOf,
  byteSize,
  describe,
  lookup,
  membersOf,
  resolveInt,
  resolveType,
  selfType,
  termType,
} from '../types/index.ts'
import { coerce } from './convert.ts'
import type { Env } from '../model/context.ts'
import { construct } from './init.ts'
import { checkConditional } from './conditional.ts'
import { checkAssign, checkBinary, checkPostfix, checkPrefix } from './operator.ts'
import { noneTerm, typeQuestion } from './optional.ts'
import { errorTerm, funcsOf, typeOf, unusable, value, type Term, emptyError } from '../model/term.ts'
import type { Arg, Expr, Place } from '../model/tree.ts'
import {
  boolType,
  errorType,
  intMember,
  intType,
  isGeneric,
  poisoned,
  scalars,
  show,
  stringType,
  uintType,
  withOrder,
  type GenericArg,
  type Type,
} from '../model/type.ts'
import { isSet, nullTerm, punned } from './pointer.ts'
import { candidatesOf, resolveCall } from './call.ts'
import { withReceiver } from './receiver.ts'
import { spread } from './spread.ts'

/** How deep the tree of one body may be. A sum is as deep as it is long, but walks over the tree take little stack for each level. */
export const maxDepth = 1000

/** What an expression is. */
export function checkExpr(env: Env, e: ast.Expr): Term {
  const { sink } = env.cx
  if (env.depth > maxDepth || !sink.work.descend(1)) {
    sink.add(names.tooDeep, e.span, {})
    return errorTerm
  }
  env.depth++
  const term = check(env, e)
  env.depth--
  sink.work.ascend(1)
  env.cx.observer?.term(env, e, term)
  // How a matrix lies in memory is no matter of its value.
  const type = typeOf(term)
  if (type?.kind !== 'matrix' || !type.turned) return term
  const plain = withOrder(type, false)
  return term.kind === 'value'
    ? { ...term, expr: { ...term.expr, type: plain } as Expr }
    : term.kind === 'place'
      ? { ...term, place: { ...term.place, type: plain } as Place }
      : term
}

/** A term for what no target has: it fits everywhere, and is reported if something reaches it. */
export function lacking(env: Env, span: Span, feature: string): Term {
  env.cx.lacks.push({ span, feature })
  return errorTerm
}

function check(env: Env, e: ast.Expr): Term {
  switch (e.kind) {
    case 'int':
      return value(intLiteral(e))
    case 'float': {
      const type = e.suffix === 'h' ? scalars.f16 : e.suffix === 'l' ? scalars.f64 : scalars.f32
      return value({ kind: 'const', type, span: e.span, value: type === scalars.f32 ? Math.fround(e.value) : e.value })
    }
    // A declaration may have the name: it then is that.
    case 'bool':
      return lookup(env.cx, env.scope, String(e.value)).length > 0
        ? nameTerm(env, { kind: 'name', name: String(e.value), span: e.span, global: false })
        : value({ kind: 'const', type: boolType, span: e.span, value: e.value })
    case 'string':
      return value({ kind: 'string', type: stringType, span: e.span, value: e.value })
    case 'this': {
      const object = objectTerm(env, env.object(e.span))
      if (object === null) env.cx.sink.add(names.noThis, e.span, {})
      return object ?? errorTerm
    }
    case 'thisType':
      return thisTypeTerm(env, e.span)
    case 'name':
      return nameTerm(env, e)
    case 'member': {
      const accessors = accessorsTerm(env, e)
      if (accessors !== null) return accessors
      const base = checkExpr(env, e.base)
      // A name that is not written yet.
      return e.name.text === '' ? errorTerm : memberTerm(env, base, e.name.text, e.name.span)
    }
    case 'generic':
      return genericTerm(env, e)
    case 'index': {
      const base = checkExpr(env, e.base)
      if (base.kind === 'type' || base.kind === 'open')
        return { kind: 'type', type: arrayOf(env.cx, termType(env.cx, base, e.base.span), e, env.scope) }
      return indexTerm(env, base, e)
    }
    case 'call':
      return callTerm(env, e)
    case 'prefix':
      return punned(env, e) ?? checkPrefix(env, e)
    case 'postfix':
      return checkPostfix(env, e)
    case 'binary':
      return checkBinary(env, e)
    case 'assign':
      return checkAssign(env, e)
    case 'conditional':
      return checkConditional(env, e)
    case 'cast':
      return construct(env, resolveType(env.cx, e.type, env.scope), [checkExpr(env, e.value)], e.span)
    case 'list':
      return { kind: 'list', items: e.items.map(i => checkExpr(env, i)), span: e.span }
    case 'differentiate':
      return differentiateTerm(env, e)
    case 'noDiff':
      return noDiffTerm(env, e)
    case 'sizeof':
      return sizeofTerm(env, e)
    case 'lambda':
      return env.cx.above.lambda(env, e)
    case 'try':
      return env.cx.above.attempt(env, e)
    case 'is':
    case 'as':
      return typeQuestion(env, e)
    case 'each':
    case 'expand':
      env.cx.sink.add(generics.packHere, e.span, {})
      return errorTerm
    case 'none':
      return lookup(env.cx, env.scope, 'none').length > 0
        ? nameTerm(env, { kind: 'name', name: 'none', span: e.span, global: false })
        : noneTerm(env, e.span)
    case 'null':
      return nullTerm(env, e.span)
    case 'unsupported':
      return lacking(env, e.span, e.feature)
    case 'error':
      return errorTerm
    default:
      return { kind: 'type', type: resolveType(env.cx, e, env.scope) }
  }
}

function intLiteral(e: ast.IntExpr): Expr {
  const unsigned = e.suffix.includes('u')
  const wide = e.suffix.includes('l') || e.suffix.includes('z')
  let type = unsigned ? (wide ? scalars.u64 : uintType) : wide ? scalars.i64 : intType
  if (type === intType && e.value > 0x7fffffffn)
    type = !e.hex || e.value > 0xffffffffn ? (e.value > 0x7fffffffffffffffn ? scalars.u64 : scalars.i64) : uintType
  if (type === uintType && e.value > 0xffffffffn) type = scalars.u64
  const exact = e.value <= BigInt(Number.MAX_SAFE_INTEGER)
  return { kind: 'const', type, span: e.span, value: exact ? Number(e.value) : e.value, literal: !e.grouped }
}

function thisTypeTerm(env: Env, span: Span): Term {
  for (let s: typeof env.scope | null = env.scope; s !== null; s = s.parent) {
    if (s.kind !== 'type' || s.owner === null) continue
    const type = selfType(env.cx, s.owner)
    if (type !== null) return { kind: 'type', type }
  }
  env.cx.sink.add(names.noThis, span, {})
  return errorTerm
}

function genericTerm(env: Env, e: ast.GenericExpr): Term {
  const base = checkExpr(env, e.base)
  switch (base.kind) {
    case 'open':
      return { kind: 'type', type: applyGeneric(env.cx, base, e.args, env.scope, e.span) }
    case 'error':
      return base
    case 'funcs': {
      // Overloads may differ in how many parameters they have, and in what stands where.
      const args = e.args.map((a, i): GenericArg => {
        const kinds = new Set(base.candidates.flatMap(c => c.decl.generics?.params[i]?.kind ?? []))
        if (kinds.size === 1 && kinds.has('valueparam')) return resolveInt(env.cx, a, env.scope)
        return argument(env, a, kinds.size !== 1)
      })
      if (args.some(a => a.kind === 'error')) return errorTerm
      return { ...base, args }
    }
    default:
      if (base.kind === 'type' && poisoned(base.type)) return errorTerm
      env.cx.sink.add(generics.notGeneric, e.base.span, { name: describe(base) })
      return errorTerm
  }
}

/** A generic argument where the kind of the parameter is not known yet. */
function argument(env: Env, a: ast.Expr, either: boolean): GenericArg {
  if (
    either &&
    (a.kind === 'int' ||
      a.kind === 'bool' ||
      a.kind === 'binary' ||
      (a.kind === 'name' && /value|place/.test(checkExpr(env, a).kind)))
  )
    return resolveInt(env.cx, a, env.scope)
  return resolveType(env.cx, a, env.scope)
}

/** A call that returns nothing, as part of a pack, is the value of a type that holds nothing. */
function ran(env: Env, term: Term): Term {
  if (term.kind !== 'value' || term.expr.type.kind !== 'void') return term
  const none = toExpr(env, noneTerm(env, term.expr.span!), term.expr.span!)
  return value({ kind: 'sequence', type: none.type, span: term.expr.span, parts: [term.expr, none] })
}

function callTerm(env: Env, e: ast.CallExpr): Term {
  const callee = checkExpr(env, e.callee)
  const args = e.args.flatMap(a => spread(env, a)).map(a => checkExpr(env, a))
  switch (callee.kind) {
    case 'error':
      return callee
    case 'type':
      return construct(env, callee.type, args, e.span)
    case 'open':
      return construct(env, termType(env.cx, callee, e.callee.span), args, e.span)
    case 'funcs': {
      const given = callee.candidates.some(c => c.decl.generics?.packed === true) ? args.map(a => ran(env, a)) : args
      return resolveCall(env, callee, withReceiver(env, callee, given, e.span), e.span) ?? errorTerm
    }
    case 'value':
    case 'place': {
      const type = callee.kind === 'value' ? callee.expr.type : callee.place.type
      if (poisoned(type)) return errorTerm
      const found = candidatesOf(env.cx, membersOf(env.cx, type, 'operator()'), callee, 0)
      if (found.length > 0) return resolveCall(env, funcsOf('operator()', found), args, e.span) ?? errorTerm
      break
    }
    default:
      break
  }
  env.cx.sink.add(types.notCallable, e.callee.span, { what: describe(callee) })
  return errorTerm
}

function differentiateTerm(env: Env, e: ast.DifferentiateExpr): Term {
  const func = checkExpr(env, e.func)
  if (func.kind === 'error') return func
  if (func.kind !== 'funcs') {
    env.cx.sink.add(derivative.notFunction, e.func.span, {})
    return errorTerm
  }
  return { ...func, modes: [...func.modes, e.mode] }
}

function noDiffTerm(env: Env, e: ast.NoDiffExpr): Term {
  const inner = checkExpr(env, e.operand)
  if (inner.kind === 'error') return inner
  const expr = toExpr(env, inner, e.operand.span)
  if (expr.kind === 'error') return errorTerm
  let syntax: ast.Expr = e.operand
  while (syntax.kind === 'member') syntax = syntax.base
  if (syntax.kind !== 'call' && syntax.kind !== 'index' && syntax.kind !== 'noDiff')
    env.cx.sink.add(derivative.noDiffNeedsCall, e.span, {})
  else if (env.level === 'none' && env.func !== null) env.cx.sink.add(derivative.noDiffOutside, e.span, {})
  return value({ kind: 'noDiff', type: expr.type, span: e.span, value: expr })
}

function sizeofTerm(env: Env, e: ast.SizeofExpr): Term {
  const inner = checkExpr(env, e.operand)
  if (inner.kind === 'error') return inner
  const type = inner.kind === 'type' ? inner.type : (typeOf(inner) ?? errorType)
  if (e.which === 'countof' && type.kind === 'struct' && type.decl.intrinsic === 'Tuple') {
    return value({ kind: 'const', type: intType, span: e.span, value: type.args.length })
  }
  if (e.which === 'countof') {
    const count = type.kind === 'array' ? type.count : type.kind === 'vector' ? type.count : null
    if (count !== null)
      return value(
        count.kind === 'const'
          ? { kind: 'const', type: intType, span: e.span, value: count.value }
          : { kind: 'int', type: intType, span: e.span, value: count },
      )
  }
  // What is not known yet is asked for like a constant of the type.
  if (isGeneric(type) && e.which !== 'countof')
    return value({ kind: 'int', type: intType, span: e.span, value: intMember(type, e.which) })
  if (poisoned(type)) return errorTerm
  const size = e.which === 'countof' ? null : byteSize(env.cx, type)
  if (size === null) return lacking(env, e.span, `${e.which} of this type`)
  return value({ kind: 'const', type: intType, span: e.span, value: e.which === 'sizeof' ? size.size : size.align })
}

// ── Terms as values ──────────────────────────────────────────────────────────────────────────────────────────────

/** The value of a place. A getter becomes its call. */
export function readPlace(place: Place, span: Span | null): Expr {
  if (place.kind === 'temp') return place.value
  if (place.kind === 'accessor' && place.get !== null) {
    const object: Arg | null =
      place.object === null || place.object.dir === 'in'
        ? place.object
        : { dir: 'in', value: readPlace(place.object.place, span) }
    return { kind: 'call', type: place.type, span, func: place.get, object, args: place.args }
  }
  return { kind: 'read', type: place.type, span, place }
}

/** Makes a term a value, or reports that it has none. */
export function toExpr(env: Env, term: Term, span: Span): Expr {
  switch (term.kind) {
    case 'value':
      return term.expr
    case 'place': {
      const why = unusable(term.place)
      if (why === null) return readPlace(term.place, span)
      env.cx.sink.add(types.notAssignable, span, { why })
      return emptyError(term.place.type)
    }
    case 'error':
      return emptyError(errorType)
    case 'list':
      env.cx.sink.add(types.listNeedsType, term.span, {})
      return emptyError(errorType)
    default:
      env.cx.sink.add(names.expectedValue, span, { what: describe(term) })
      return emptyError(errorType)
  }
}

/** An expression as a value of whatever type it has. */
export function checkValue(env: Env, e: ast.Expr): Expr {
  const expr = toExpr(env, checkExpr(env, e), e.span)
  if (expr.type.kind === 'void') {
    env.cx.sink.add(types.voidValue, e.span, {})
    return emptyError(errorType)
  }
  return expr
}

/** An expression as a value of a given type. */
export function checkAs(env: Env, e: ast.Expr, to: Type): Expr {
  return coerce(env, checkExpr(env, e), to, e.span)
}

/** A condition: any scalar that converts to bool. */
export function checkCondition(env: Env, e: ast.Expr): Expr {
  const expr = checkValue(env, e)
  if (expr.kind === 'error' || poisoned(expr.type)) return emptyError(boolType)
  if (expr.type.kind === 'scalar')
    return expr.type.name === 'bool' ? expr : { kind: 'convert', type: boolType, span: expr.span, value: expr }
  if (expr.type.kind === 'vector' && expr.type.count.kind === 'const' && expr.type.count.value === 1)
    return coerce(env, value(expr), boolType, e.span)
  if (expr.type.kind === 'enum') return coerce(env, value(expr), boolType, e.span)
  const set = isSet(env, expr, e.span)
  if (set !== null) return set
  env.cx.sink.add(types.conditionType, e.span, { type: show(expr.type) })
  return emptyError(boolType)
}

/** The argument for `this`. Resources and values are passed by value; a mutating method needs a place. */
export function asArg(env: Env, object: Term, mutating: boolean, name: string, span: Span): Arg {
  if (!mutating) return { dir: 'in', value: toExpr(env, object, span) }
  const fixed = object.kind === 'place' ? (object.fixed ?? unusable(object.place)) : null
  if (object.kind === 'place' && fixed === null) return { dir: 'inout', place: object.place }
  if (object.kind === 'error') return { dir: 'in', value: emptyError(errorType) }
  env.cx.sink.add(types.mutatingOnFixed, span, {
    name,
    why: fixed ?? (object.kind === 'value' ? 'it is a value that has no place' : 'it is no value'),
  })
  return { dir: 'in', value: emptyError(errorType) }
}
