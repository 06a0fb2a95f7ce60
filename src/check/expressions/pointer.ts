/** Pointers: `*p`, `p->x`, `&p[i]`, `nullptr`. The type lies in the library (`core/pointer.slang`). */
import type { Span } from '../../base/source.ts'
import type * as ast from '../../syntax/ast.ts'
import { byteSize, foreignFeature, holdsBoolean, isDescriptor, pointerType, resolveType } from '../types/index.ts'
import type { Env } from '../model/context.ts'
import { errorTerm, value, type Term } from '../model/term.ts'
import type { Expr } from '../model/tree.ts'
import { intType, same, scalarName, structType, type GenericArg, type StructType, type Type } from '../model/type.ts'
import { convertExpr } from './convert.ts'
import { subscriptTerm } from './element.ts'
import { checkExpr, lacking } from './expr.ts'
import { userOperator } from './operator.ts'

/** `nullptr`. */
export function nullTerm(env: Env, span: Span): Term {
  return value({ kind: 'default', type: structType(env.cx.library.the('struct', '__Null'), []), span })
}

/** Whether it is a pointer. */
export function isPointer(type: Type | null): boolean {
  return type?.kind === 'struct' && type.decl.intrinsic === 'Ptr'
}

/** What a pointer points to, or the resource that a handle is; null for other terms. */
export function pointee(env: Env, base: Term, span: Span): Term | null {
  const type = base.kind === 'place' ? base.place.type : base.kind === 'value' ? base.expr.type : null
  if (type === null || (base.kind !== 'place' && base.kind !== 'value')) return null
  if (isPointer(type))
    return subscriptTerm(env, base, type, [value({ kind: 'const', type: intType, span, value: 0 })], span)
  return isDescriptor(env.cx, type) ? base : null
}

/** `&place`: a pointer to an element of a buffer that is written, or of what a pointer points to; null for other terms. */
export function addressTerm(env: Env, term: Term, span: Span): Term | null {
  if (term.kind !== 'place' || term.place.kind !== 'ref') return null
  const { object, args } = term.place
  const given = args[0]
  if (given?.dir !== 'in') return null
  const base: Expr =
    object.dir === 'in' ? object.value : { kind: 'read', type: object.place.type, span, place: object.place }
  const { type } = base
  if (type.kind !== 'struct') return null
  const isBuffer = type.decl.intrinsic === 'RWStructuredBuffer'
  if (!isBuffer && !isPointer(type)) return null
  const missing = foreignFeature(env.cx, 'Ptr')
  if (missing !== null) return lacking(env, span, missing)
  const one: Expr = { kind: 'const', type: intType, span, value: 1 }
  const first: Expr = isBuffer
    ? { kind: 'construct', type: pointerType(env.cx, type.args[0] as Type), span, parts: [base, one] }
    : base
  return userOperator(env, '+', [value(first), value(convertExpr(env.cx, given.value, intType, span))], span)
}

/**
 * `*(T*)&x`, as C reads the bits of a variable: those that `x` begins with, as a value of another type. Null for other syntax, and for
 * what has an address.
 */
export function punned(env: Env, e: ast.PrefixExpr): Term | null {
  const cast = e.operand
  if (e.op !== '*' || cast.kind !== 'cast' || cast.value.kind !== 'prefix' || cast.value.op !== '&') return null
  const { cx } = env
  const pointer = resolveType(cx, cast.type, env.scope)
  if (!isPointer(pointer)) return null
  const { span } = e
  const term = checkExpr(env, cast.value.operand)
  if (term.kind === 'error') return term
  if (term.kind !== 'place' || addressTerm(env, term, span) !== null) return null
  const [to, from] = [(pointer as StructType).args[0] as Type, term.place.type]
  if (same(to, from)) return term
  const [asked, given] = [byteSize(cx, to), byteSize(cx, from)]
  if (asked === null || given === null || asked.size > given.size) return null
  if (holdsBoolean(cx, to) || holdsBoolean(cx, from)) return null
  const decl = cx.library.the('func', 'reinterpret')
  const [t, u] = decl.generics!.params
  const args = new Map<number, GenericArg>([
    [t!.id, to],
    [u!.id, from],
  ])
  const read: Expr = { kind: 'read', type: from, span, place: term.place }
  const func = { kind: 'direct', decl, subst: { args, self: null } } as const
  return value({ kind: 'call', type: to, span, func, object: null, args: [{ dir: 'in', value: read }] })
}

/** Whether a pointer is not null, as an expression; null for what is no pointer. */
export function isSet(env: Env, e: Expr, span: Span): Expr | null {
  const made = isPointer(e.type) ? userOperator(env, '!=', [value(e), nullTerm(env, span)], span) : null
  return made?.kind === 'value' ? made.expr : null
}

/** A cast to or from a pointer or a handle; null where neither is one, or it is none. */
export function castPointer(env: Env, e: Expr, to: Type, span: Span): Term | null {
  const { type: from } = e
  const [number, resource] = scalarName(to) === null ? [from, to] : [to, from]
  if (scalarName(number) !== null && isDescriptor(env.cx, resource)) {
    env.cx.lacks.push({ span, feature: 'a descriptor as a number' })
    return errorTerm
  }
  if (same(from, to) || (!isPointer(from) && !isPointer(to))) return null
  if (scalarName(to) === 'bool') return value(isSet(env, e, span)!)
  const elem = (type: Type): Type | null => (isPointer(type) ? ((type as StructType).args[0] as Type) : null)
  const [x, y] = [elem(from), elem(to)]
  if (x !== null && y !== null && same(x, y)) return value({ kind: 'convert', type: to, span, value: e })
  if ((x === null && scalarName(from) === null) || (y === null && scalarName(to) === null)) return null
  env.cx.lacks.push({ span, feature: 'a pointer as something else' })
  return errorTerm
}
