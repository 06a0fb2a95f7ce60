/** Conversions: their costs, and the expressions that do them. */
import * as errors from '../../base/errors/types.ts'
import type { Span } from '../../base/source.ts'
import { convertNumber, misfits } from '../model/number.ts'
import type { Cx, Env } from '../model/context.ts'
import {
  baseOfExpr,
  calledAs,
  conditionalElem,
  conforms,
  costs,
  isNone,
  isLossy,
  optionalElem,
  optionalType,
  stepsTo,
  substFor,
  typeCost,
} from '../types/index.ts'
import { asCallable, isBroken, showCalled } from './callable.ts'
import { coerceList, listFits } from './init.ts'
import { emptyError, spanOf, type Term } from '../model/term.ts'
import { toExpr } from './expr.ts'
import type { FuncDecl } from '../model/decl.ts'
import type { Arg, Expr, OldExpr, Place } from '../model/tree.ts'
import type { FuncRef } from '../model/func-ref.ts'
import {
  bits,
  boolType,
  isIntName,
  isWrapper,
  known,
  poisoned,
  same,
  scalarName,
  show,
  withOrder,
  type InterfaceType,
  type StructType,
  type Type,
} from '../model/type.ts'

/** The value of an integer literal, perhaps negated, whose type still depends on its use. */
export function literalOf(e: Expr): bigint | null {
  return e.kind === 'const' && e.literal === true && typeof e.value !== 'boolean' ? BigInt(e.value) : null
}

/** What it costs to pass a term where a type is wanted; null where that is impossible. */
export function termCost(env: Env, term: Term, to: Type): number | null {
  switch (term.kind) {
    case 'error':
      return 0
    case 'value':
      return typeCost(env.cx, term.expr.type, to, literalOf(term.expr)) ?? calledCost(env, term, to)
    case 'place':
      return typeCost(env.cx, term.place.type, to) ?? calledCost(env, term, to)
    case 'funcs':
      return poisoned(to) ? 0 : calledCost(env, term, to)
    case 'list':
      return to.kind === 'error' || listFits(env, term.items, to) ? 0 : null
    default:
      return null
  }
}

/** What it costs to pass a function as a value. */
function calledCost(env: Env, term: Term, to: Type): number | null {
  const span = spanOf(term) ?? (term.kind === 'funcs' ? term.candidates[0]?.decl.syntax.span : undefined)
  const isCalled = calledAs(to) !== null && span !== undefined
  return isCalled && asCallable(env, term, to as InterfaceType, new Map(), span) !== null ? costs.interface : null
}

/** A member of a type of the library. */
function memberOf(type: StructType, name: string): FuncRef {
  const decl = type.decl.inner.names.get(name)![0] as FuncDecl
  return { kind: 'direct', decl, subst: substFor(type.decl, type.args, null) }
}

/** A conversion that is known to be possible. Constants are converted at once. */
export function convertExpr(cx: Cx, e: Expr, to: Type, span: Span | null = e.span): Expr {
  if (same(e.type, to) || e.type.kind === 'error') return e
  if (to.kind === 'interface') {
    const { type } = e
    const held = type.kind === 'struct' && isWrapper(type) && !conforms(cx, type, to) ? (type.args[0] as Type) : null
    return { kind: 'wrap', type: to, span, value: held === null ? e : { kind: 'convert', type: held, span, value: e } }
  }
  const there = conditionalElem(to)
  if (there !== null) {
    const arg: Arg = { dir: 'in', value: convertExpr(cx, e, there, span) }
    return { kind: 'call', type: to, span, func: memberOf(to as StructType, '__init'), object: null, args: [arg] }
  }
  const inside = conditionalElem(e.type)
  if (inside !== null && optionalElem(to) !== null) {
    const func = memberOf(e.type as StructType, 'get')
    const object: Arg = { dir: 'in', value: e }
    return convertExpr(cx, { kind: 'call', type: optionalType(cx, inside), span, func, object, args: [] }, to, span)
  }
  const held = optionalElem(to)
  if (held !== null) {
    if (isNone(e.type)) return { kind: 'default', type: to, span }
    const own = optionalElem(e.type)
    if (own !== null && (typeCost(cx, e.type, held) ?? costs.explicit) >= costs.explicit) {
      const old: OldExpr = { kind: 'old', type: own, span }
      return { kind: 'convert', type: to, span, value: e, lift: { held: old, part: convertExpr(cx, old, held, span) } }
    }
    return {
      kind: 'construct',
      type: to,
      span,
      parts: [{ kind: 'const', type: boolType, span, value: true }, convertExpr(cx, e, held, span)],
    }
  }
  if (e.kind === 'const' && to.kind === 'scalar' && e.type.kind === 'scalar')
    return { kind: 'const', type: to, span, value: convertNumber(e.value, e.type.name, to.name) }
  if (e.type.kind === 'array' && to.kind === 'array' && same(e.type.elem, to.elem)) return e
  if (e.type.kind === 'struct' && e.type.decl.intrinsic === 'nullptr') return { kind: 'default', type: to, span }
  const steps = stepsTo(cx, e.type, to)
  if (steps !== null) return baseOfExpr(cx, e, steps)
  return { kind: 'convert', type: to, span, value: e }
}

/** A place seen as another type, for `out` and `inout` arguments. */
export function convertPlace(place: Place, to: Type): Place {
  if (
    same(place.type, to) ||
    place.type.kind === 'error' ||
    (place.type.kind === 'array' && to.kind === 'array' && same(place.type.elem, to.elem))
  )
    return place
  return { kind: 'convert', type: to, span: place.span, base: place }
}

const isPair = (type: Type): boolean => type.kind === 'struct' && type.decl.intrinsic === 'DifferentialPair'

/** Makes a term a value of a type, or reports that this is impossible. */
export function coerce(env: Env, term: Term, to: Type, span: Span): Expr {
  if (term.kind === 'error') return emptyError(to)
  if (term.kind === 'list') return coerceList(env, term, to, span)
  if (term.kind === 'funcs' && poisoned(to)) return emptyError(to)
  if (calledAs(to) !== null) {
    const made = asCallable(env, term, to as InterfaceType, new Map(), span)
    if (made === null && isBroken(env, term)) return emptyError(to)
    if (made === null && term.kind === 'funcs') {
      env.cx.sink.add(errors.notThatFunction, span, { expected: showCalled(to), got: `function ${term.name}` })
      return emptyError(to)
    }
    term = made ?? term
  }
  const e = toExpr(env, term, span)
  if (e.kind === 'error' || poisoned(e.type) || poisoned(to)) return e.kind === 'error' ? emptyError(to) : e
  if (e.type.kind === 'void') {
    env.cx.sink.add(errors.voidValue, span, {})
    return emptyError(to)
  }
  const cost = typeCost(env.cx, e.type, to, literalOf(e))
  if (cost === null) {
    const edit =
      isPair(e.type) === isPair(to)
        ? null
        : isPair(to)
          ? 'make a pair: diffPair(...)'
          : 'take .p, the value, or .d, the derivative'
    env.cx.sink.add(edit === null ? errors.typeMismatch : errors.pairMismatch, span, {
      expected: show(to),
      got: show(e.type),
      edit: edit!,
    })
    return emptyError(to)
  }
  if (cost >= costs.explicit) {
    env.cx.sink.add(errors.needsCast, span, { expected: show(to), got: show(e.type) })
    return emptyError(to)
  }
  if (isLossy(cost) && e.kind !== 'const' && scalarName(to) !== 'bool' && !env.cx.isCore) {
    env.cx.sink.add(errors.lossyConversion, span, { from: show(e.type), to: show(to) })
  }
  const made = convertExpr(env.cx, e, to, span)
  if (e.kind === 'const' && made.kind === 'const' && typeof e.value !== 'boolean' && misfits(e.value, to)) {
    env.cx.sink.add(errors.literalDoesNotFit, span, { value: String(e.value), type: show(to), got: String(made.value) })
  }
  return made
}

/** A cast `(T)x` or `T(x)` of one value between types without constructors; null where there is none. */
export function castExpr(env: Env, e: Expr, to: Type): Expr | null {
  if (e.kind === 'error' || poisoned(to)) return emptyError(to)
  return typeCost(env.cx, e.type, to, literalOf(e)) === null ? null : convertExpr(env.cx, e, to)
}

/** Whether two numbers have the same rows and columns. */
function sameLanes(a: Type, b: Type): boolean {
  if (a.kind === 'vector' && b.kind === 'vector') return known(a.count) === known(b.count)
  if (a.kind === 'matrix' && b.kind === 'matrix')
    return known(a.rows) === known(b.rows) && known(a.cols) === known(b.cols)
  return a.kind === 'scalar' && b.kind === 'scalar'
}

/**
 * Whether a place of one type can stand for one of another: among numbers only for integers of one size, which convert without loss
 * both ways.
 */
export function canStandFor(from: Type, to: Type): boolean {
  const [a, b] = [scalarName(from), scalarName(to)]
  if (a === null || b === null || same(from, withOrder(to, false))) return true
  return isIntName(a) && isIntName(b) && bits(a) === bits(b) && sameLanes(from, to)
}
