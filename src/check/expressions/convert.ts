/** Conversions: what they cost, and the tree that does them. */
import * as errors from '../../base/errors/types.ts'
import type { Span } from '../../base/source.ts'
import { isNumeric } from '../model/builtin.ts'
import { boundsOf, conforms } from '../types/conform.ts'
import { convertNumber } from '../types/const.ts'
import type { Cx, Env } from '../model/context.ts'
import { lossy, scalarCost } from '../types/cost.ts'
import { enumTag } from '../types/enum.ts'
import { intsAgree } from '../types/generic.ts'
import { coerceList, listFits } from './init.ts'
import { baseOfExpr, stepsTo } from '../types/inherit.ts'
import { isOpen } from '../types/member.ts'
import { emptyError, type Term } from '../model/term.ts'
import { toExpr } from './expr.ts'
import { isNone, optionalElem } from './optional.ts'
import type { Expr, Place } from '../model/tree.ts'
import { bits, boolType, isFloatName, known, poisoned, same, scalarName, show, withOrder, type Type } from '../model/type.ts'

/** From this on a conversion must be written. */
export const explicitOnly = 10000

/** Whether a type of generic code behaves like a number: a bounded parameter, or a shape of one. */
export function isNumericParam(cx: Cx, type: Type): boolean {
  if (type.kind === 'shape') return true
  return isOpen(type) && (boundsOf(cx, type).some(b => b.decl.module.isCore && isNumeric(b.decl.name)))
}

/** Whether a type parameter may stand for a user's struct that conforms to `IArithmetic` or the like: operators on it are calls of methods. */
export function isNumberLike(cx: Cx, type: Type): boolean {
  return type.kind !== 'shape' && isNumericParam(cx, type) && boundsOf(cx, type).every(b => !b.decl.module.isCore || !b.decl.name.startsWith('__'))
}

/** What it costs to make one type of another; null where that is impossible. `literal` is the value of an integer literal. */
export function typeCost(cx: Cx, from: Type, to: Type, literal: bigint | null = null): number | null {
  if (same(from, to)) return 0
  if (from.kind === 'error' || to.kind === 'error') return 0
  const held = optionalElem(to)
  if (held !== null) {
    if (isNone(from)) return 1
    const inner = typeCost(cx, from, held, literal)
    return inner === null || inner >= explicitOnly ? null : inner + 50
  }
  const direct = numericCost(cx, from, to, literal)
  if (direct !== null) return direct
  if (to.kind === 'interface') return from.kind !== 'void' && conforms(cx, from, to) ? 50 : null
  switch (from.kind) {
    case 'struct': {
      const steps = stepsTo(cx, from, to)
      if (steps !== null) return steps * 50
      if ((from.decl.intrinsic === 'ConstantBuffer' || from.decl.intrinsic === 'ParameterBlock') && from.args[0] !== undefined) {
        const inner = typeCost(cx, from.args[0] as Type, to)
        return inner === null ? null : inner + 10
      }
      return from.decl.intrinsic === 'DifferentialPair' && to.kind === 'struct' && to.decl === from.decl ? pairCost(cx, from.args[0] as Type, to.args[0] as Type) : null
    }
    case 'array':
      if (to.kind !== 'array' || !same(withOrder(from.elem, false), withOrder(to.elem, false))) return null
      if (to.count === null) return 30
      return from.count !== null && intsAgree(from.count, to.count) ? 0 : null
    case 'enum': {
      const tag = typeCost(cx, enumTag(cx, from.decl), to)
      return tag === null ? null : tag + 150
    }
    default:
      if (to.kind === 'enum' && from.kind === 'scalar') return explicitOnly
      return null
  }
}

/** A pair of numbers converts as its halves do: `fwd_diff(f)` takes what f takes. */
function pairCost(cx: Cx, from: Type, to: Type): number | null {
  if (from.kind === 'struct' && !(to.kind === 'struct' && from.decl.intrinsic === 'DifferentialPair')) return null
  const cost = from.kind === 'struct' ? typeCost(cx, from, to) : numericCost(cx, from, to, null)
  return cost === null || cost >= explicitOnly ? null : cost
}

function numericCost(cx: Cx, from: Type, to: Type, literal: bigint | null): number | null {
  if (from.kind === 'scalar') {
    switch (to.kind) {
      case 'scalar': return scalarCost(from.name, to.name, literal)
      case 'vector': case 'matrix': {
        const elem = typeCost(cx, from, to.elem, literal)
        return elem === null ? null : elem + (to.kind === 'vector' ? 2 : 10)
      }
      default: return isNumericParam(cx, to) ? 600 : null
    }
  }
  if (from.kind === 'vector') {
    if (to.kind === 'vector') {
      const elem = typeCost(cx, from.elem, to.elem)
      if (elem === null) return null
      if (intsAgree(from.count, to.count)) return elem
      const [n, m] = [known(from.count), known(to.count)]
      return n === 1 ? elem + 3 : n !== null && m !== null && n > m ? explicitOnly + elem : null
    }
    if (to.kind === 'scalar') {
      const elem = typeCost(cx, from.elem, to)
      return elem === null ? null : known(from.count) === 1 ? elem + 1 : explicitOnly + elem
    }
    if (to.kind === 'matrix') {
      const n = known(from.count)
      return n !== null && n === (known(to.rows) ?? 0) * (known(to.cols) ?? 0) && typeCost(cx, from.elem, to.elem) !== null ? explicitOnly : null
    }
    return isNumericParam(cx, to) ? explicitOnly : null
  }
  if (from.kind === 'matrix') {
    if (to.kind === 'matrix') {
      const elem = typeCost(cx, from.elem, to.elem)
      if (elem === null) return null
      if (intsAgree(from.rows, to.rows) && intsAgree(from.cols, to.cols)) return elem
      const cuts = (known(from.rows) ?? 0) >= (known(to.rows) ?? 9) && (known(from.cols) ?? 0) >= (known(to.cols) ?? 9)
      return cuts ? explicitOnly + elem : null
    }
    if (to.kind === 'vector') {
      const n = known(to.count)
      return n !== null && n === (known(from.rows) ?? 0) * (known(from.cols) ?? 0) && typeCost(cx, from.elem, to.elem) !== null ? explicitOnly : null
    }
    return isNumericParam(cx, to) ? explicitOnly : null
  }
  if (!isNumericParam(cx, from)) return null
  if (to.kind === 'vector' || to.kind === 'matrix') {
    const elem = typeCost(cx, from, to.elem)
    return elem === null ? null : elem >= explicitOnly ? elem : elem + (to.kind === 'vector' ? 2 : 10)
  }
  return to.kind === 'scalar' || isNumericParam(cx, to) ? explicitOnly : null
}

/** The value of an integer literal, perhaps negated, that its use may still give another type. */
export function literalOf(e: Expr): bigint | null {
  return e.kind === 'const' && e.literal === true && typeof e.value !== 'boolean' ? BigInt(e.value) : null
}

/** What it costs to pass a term where a type is wanted; null where that is impossible. */
export function termCost(env: Env, term: Term, to: Type): number | null {
  switch (term.kind) {
    case 'error': return 0
    case 'value': return typeCost(env.cx, term.expr.type, to, literalOf(term.expr))
    case 'place': return typeCost(env.cx, term.place.type, to)
    case 'list': return to.kind === 'error' || listFits(env, term.items, to) ? 0 : null
    default: return null
  }
}

/** A conversion that is known to be possible. Constants are converted at once. */
export function convertExpr(cx: Cx, e: Expr, to: Type, span: Span | null = e.span): Expr {
  if (same(e.type, to) || e.type.kind === 'error') return e
  if (to.kind === 'interface') return { kind: 'wrap', type: to, span, value: e }
  const held = optionalElem(to)
  if (held !== null) {
    if (isNone(e.type)) return { kind: 'default', type: to, span }
    return { kind: 'construct', type: to, span, parts: [{ kind: 'const', type: boolType, span, value: true }, convertExpr(cx, e, held, span)] }
  }
  if (e.kind === 'const' && to.kind === 'scalar' && e.type.kind === 'scalar') return { kind: 'const', type: to, span, value: convertNumber(e.value, e.type.name, to.name) }
  if (e.type.kind === 'array' && to.kind === 'array' && same(e.type.elem, to.elem)) return e
  const steps = stepsTo(cx, e.type, to)
  if (steps !== null) return baseOfExpr(cx, e, steps)
  return { kind: 'convert', type: to, span, value: e }
}

/** A place seen as another type, for `out` and `inout` arguments. */
export function convertPlace(place: Place, to: Type): Place {
  if (same(place.type, to) || place.type.kind === 'error' || (place.type.kind === 'array' && to.kind === 'array' && same(place.type.elem, to.elem))) return place
  return { kind: 'convert', type: to, span: place.span, base: place }
}

const isPair = (type: Type): boolean => type.kind === 'struct' && type.decl.intrinsic === 'DifferentialPair'

/** Makes a term a value of a type, or reports that this is impossible. */
export function coerce(env: Env, term: Term, to: Type, span: Span): Expr {
  if (term.kind === 'error') return emptyError(to)
  if (term.kind === 'list') return coerceList(env, term, to, span)
  const e = toExpr(env, term, span)
  if (e.kind === 'error' || poisoned(e.type) || poisoned(to)) return e.kind === 'error' ? emptyError(to) : e
  if (e.type.kind === 'void') {
    env.cx.sink.add(errors.voidValue, span, {})
    return emptyError(to)
  }
  const cost = typeCost(env.cx, e.type, to, literalOf(e))
  if (cost === null) {
    const edit = isPair(e.type) === isPair(to) ? null : isPair(to) ? 'make a pair: diffPair(...)' : 'take .p, the value, or .d, the derivative'
    env.cx.sink.add(edit === null ? errors.typeMismatch : errors.pairMismatch, span, { expected: show(to), got: show(e.type), edit: edit! })
    return emptyError(to)
  }
  if (cost >= explicitOnly) {
    env.cx.sink.add(errors.needsCast, span, { expected: show(to), got: show(e.type) })
    return emptyError(to)
  }
  if (cost % 900 < 100 && cost >= lossy && e.kind !== 'const' && scalarName(to) !== 'bool' && !env.cx.isCore) {
    env.cx.sink.add(errors.lossyConversion, span, { from: show(e.type), to: show(to) })
  }
  const made = convertExpr(env.cx, e, to, span)
  if (e.kind === 'const' && made.kind === 'const' && typeof e.value !== 'boolean' && misfits(e.value, to)) {
    env.cx.sink.add(errors.literalDoesNotFit, span, { value: String(e.value), type: show(to), got: String(made.value) })
  }
  return made
}

/** Whether an integer type has no bits for a number; it may have them for the other sign, as for `0xffffffff` and `-1`. */
export function misfits(value: number | bigint, to: Type): boolean {
  const name = scalarName(to)
  if (name === null || name === 'bool' || isFloatName(name)) return false
  if (typeof value === 'number' && !Number.isInteger(value)) return true
  const n = BigInt(bits(name))
  return BigInt(value) < -(1n << (n - 1n)) || BigInt(value) >= 1n << n
}

/** A cast `(T)x` or `T(x)` of one value between types without constructors; null where there is none. */
export function castExpr(env: Env, e: Expr, to: Type): Expr | null {
  if (e.kind === 'error' || poisoned(to)) return emptyError(to)
  return typeCost(env.cx, e.type, to, literalOf(e)) === null ? null : convertExpr(env.cx, e, to)
}

