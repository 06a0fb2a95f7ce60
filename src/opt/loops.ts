/**
 * Loop analysis: carried values that step by a constant, and how many trips there can be. A trip is one run of the body, begun or
 * completed.
 */
import type { Comparison, Hint } from '../ir/op.ts'
import * as t from '../ir/type.ts'
import type { Inst, Value } from '../ir/value.ts'
import { Exits } from '../ir/exits.ts'
import * as costs from '../ir/costs.ts'
import { constantInt, constantOf, definedBy, inverse, isComparison, turned } from './match.ts'
import { anyOf, limits, meet, transfer, union, type Range } from './range.ts'

/** A carried value that changes by the same amount on every trip. */
export interface Induction {
  readonly param: Value
  /** Its place among the carried values. */
  readonly index: number
  /** Its value on the first trip, computed outside the loop. */
  readonly start: Value
  readonly step: number
}

export interface TripBound {
  /** The number of trips, where it is known. */
  readonly exact?: number | undefined
  /** No run of the loop makes more trips. */
  readonly max: number
  /** A `leave` or a `ret` in it may end it, not only its test. */
  readonly early: boolean
}

/** A value that is an induction plus a constant. */
interface Affine {
  readonly of: Induction
  readonly offset: number
}

/** The condition `value op limit` under which a loop goes on. */
export interface Condition {
  readonly value: Affine
  readonly op: Comparison
  readonly limit: Value
}

/** The carried integers of a loop that step by a constant; none if the body never reaches its end. */
export function inductions(loop: Inst<'loop'>): Induction[] {
  const head = loop.regions[0]!
  const end = loop.regions[1]!.end
  const found: Induction[] = []
  if (end.op !== 'next') return found
  for (let k = 0; k < head.params.length; k++) {
    const param = head.params[k]!
    if (param.type.kind !== 'scalar' || !t.isInt(param.type)) continue
    const [base, step] = offsetOf(end.args[k]!)
    if (base === param && step !== 0) found.push({ param, index: k, start: loop.args[k]!, step })
  }
  return found
}

/** The carried value of a loop that counts its trips from 0 by 1, if there is one. */
export function counterOf(loop: Inst<'loop'>): Value | undefined {
  const counts = ({ param: { type }, start, step }: Induction): boolean =>
    (type === t.i32 || type === t.u32) && step === 1 && constantInt(start) === 0
  return inductions(loop).find(counts)?.param
}

/** A value as another plus a constant. */
export function offsetOf(value: Value): [Value, number] {
  let base = value
  let offset = 0
  for (let depth = 0; depth < costs.offsetSteps; depth++) {
    const sum = definedBy(base, 'add') ?? definedBy(base, 'sub')
    if (sum === undefined) break
    const right = constantInt(sum.args[1]!)
    const left = sum.op === 'add' ? constantInt(sum.args[0]!) : undefined
    if (right !== undefined) {
      offset += sum.op === 'add' ? signed(right, base) : -signed(right, base)
      base = sum.args[0]!
    } else if (left !== undefined) {
      offset += signed(left, base)
      base = sum.args[1]!
    } else break
  }
  return [base, offset]
}

/** Adding 2³²-1 to an unsigned number is subtracting one. */
function signed(c: number, value: Value): number {
  return value.type.scalar === 'u32' ? c | 0 : c
}

/** The most trips that a loop's hint allows. */
export function boundOf(hint: Hint): number | undefined {
  return typeof hint === 'number' ? hint : Array.isArray(hint) ? (hint as readonly number[])[1] : undefined
}

/** How many states `[Checkpoints(k)]` lets the reverse pass of a loop keep. */
export function statesOf(hint: Hint): number | undefined {
  return Array.isArray(hint) ? (hint as readonly number[])[0] : undefined
}

/** The hint with another bound on the trips. */
export function hintWith(hint: Hint, bound: number | undefined): Hint {
  const states = statesOf(hint)
  return states === undefined ? (bound ?? null) : bound === undefined ? [states] : [states, bound]
}

/** The range of a value where it is used, besides what its definition says. */
export type Known = (value: Value) => Range

const byType: Known = value => anyOf(value.type)

/** How many trips a loop can make; undefined where nothing bounds them. Trusts `[MaxIters]`. */
export function tripBound(loop: Inst<'loop'>, known: Known = byType): TripBound | undefined {
  const hint = boundOf(loop.attr)
  const exits = Exits.of(loop)
  const early = exits.isLeft(loop) || exits.leavesAround(loop)
  let max = hint ?? Infinity
  let exact: number | undefined
  const steps = inductions(loop)
  const end = loop.regions[0]!.end
  if (end.op === 'test') {
    if (constantOf(end.args[0]!) === false) return { exact: 0, max: 0, early }
    for (const c of conditions(end.args[0]!, true, steps)) {
      max = Math.min(max, trips(c, true, known) ?? Infinity)
      if (!early && isWhole(end.args[0]!)) exact = trips(c, false, known)
    }
    if (early) max = Math.min(max, boundOfExits(loop, steps, known))
    // A body that never comes back to the head is run once.
    if (loop.regions[1]!.end.op !== 'next') max = Math.min(max, 1)
  }
  max = exact ?? max
  return max === Infinity ? undefined : { exact, max, early }
}

/** True if the condition is one comparison, perhaps negated: a part of a longer one does not say when the whole fails. */
function isWhole(condition: Value): boolean {
  const { def } = condition
  return def.op !== 'param' && (def.op === 'not' ? isWhole(def.args[0]!) : isComparison(def.op))
}

/** The bound on the trips that an `if (c) break` directly in the body gives. */
function boundOfExits(loop: Inst<'loop'>, steps: readonly Induction[], known: Known): number {
  let max = Infinity
  for (const inst of loop.regions[1]!.insts) {
    if (inst.op !== 'if') continue
    const leaving = inst.regions.findIndex(({ end }) => (end.op === 'leave' ? end.attr !== inst : end.op === 'ret'))
    if (leaving < 0) continue
    for (const c of conditions(inst.args[0]!, leaving === 1, steps))
      max = Math.min(max, (trips(c, true, known) ?? Infinity) + 1)
  }
  return max
}

/** The comparisons of an induction that must hold for a condition to be as `holds` says. */
export function conditions(condition: Value, holds: boolean, steps: readonly Induction[]): Condition[] {
  const def = condition.def
  if (def.op === 'param') return []
  if (def.op === 'not') return conditions(def.args[0]!, !holds, steps)
  if (def.op === (holds ? 'and' : 'or'))
    return [...conditions(def.args[0]!, holds, steps), ...conditions(def.args[1]!, holds, steps)]
  if (def.args.length !== 2) return []
  if (!isComparison(def.op)) return []
  const op = holds ? def.op : inverse[def.op]
  const [x, y] = [def.args[0]!, def.args[1]!]
  const left = affine(x, steps)
  if (left !== undefined) return [{ value: left, op, limit: y }]
  const right = affine(y, steps)
  return right === undefined ? [] : [{ value: right, op: turned[op], limit: x }]
}

function affine(value: Value, steps: readonly Induction[]): Affine | undefined {
  const [base, offset] = offsetOf(value)
  const of = steps.find(s => s.param === base)
  return of === undefined ? undefined : { of, offset }
}

/** How often the condition holds before it first fails: at most, or exactly. Undefined where that is unknown, or something may wrap around. */
function trips(c: Condition, atMost: boolean, known: Known): number | undefined {
  const { step } = c.value.of
  const up = step > 0
  const most = limits[c.limit.type.scalar!]!
  const range = (v: Value): Range => {
    if (atMost) return rangeOf(v, known)
    const only = constantInt(v)
    return only === undefined ? { lo: -Infinity, hi: Infinity } : { lo: only, hi: only }
  }
  const { offset } = c.value
  const starts = range(c.value.of.start)
  const ends = range(c.limit)
  const [from, limit] = up ? [starts.lo + offset, ends.hi] : [starts.hi + offset, ends.lo]
  if (!Number.isFinite(from) || !Number.isFinite(limit)) return undefined
  // What starts anywhere in its range must not wrap where the offset is added.
  if (offset !== 0 && (starts.lo + offset < most.lo || starts.hi + offset > most.hi)) return undefined
  if (from < most.lo || from > most.hi) return undefined
  const apart = up ? limit - from : from - limit
  const pace = Math.abs(step)
  let count: number
  // How far behind the limit the first value may be for which the condition fails.
  let beyond: number
  switch (c.op) {
    case 'lt':
    case 'gt':
      if ((c.op === 'lt') !== up) return apart < 0 || atMost ? undefined : 0
      count = Math.max(0, Math.ceil(apart / pace))
      beyond = pace - 1
      break
    case 'le':
    case 'ge':
      if ((c.op === 'le') !== up) return apart <= 0 || atMost ? undefined : 0
      count = Math.max(0, Math.floor(apart / pace) + 1)
      beyond = pace
      break
    case 'eq':
      // A limit that changes from trip to trip may be met again.
      if (constantInt(c.limit) === undefined) return undefined
      return atMost || from === limit ? 1 : 0
    case 'ne': {
      if (constantInt(c.value.of.start) === undefined || constantInt(c.limit) === undefined) return undefined
      if (apart < 0 || apart % pace !== 0) return undefined
      return apart / pace
    }
    default:
      return undefined
  }
  if (starts.lo === starts.hi && ends.lo === ends.hi) {
    const past = from + count * step
    return past < most.lo || past > most.hi ? undefined : count
  }
  return limit + (up ? beyond : -beyond) > most.hi || limit - (up ? 0 : beyond) < most.lo ? undefined : count
}

/** The integers that a value can be, by its definition and what is known of others. */
function rangeOf(value: Value, known: Known, depth: number = costs.boundSteps): Range {
  const own = known(value)
  const def = value.def
  if (def.op === 'param' || depth === 0) return own
  const of = (v: Value): Range => rangeOf(v, known, depth - 1)
  if (def.op !== 'if') return def.regions.length > 0 ? own : meet(transfer(def, value.type, of), own)
  const ends = def.regions.map(r => r.end)
  if (ends.some(end => end.op !== 'yield') || Exits.of(def).isLeft(def)) return own
  return meet(ends.map(end => of(end.args[value.index]!)).reduce(union), own)
}
