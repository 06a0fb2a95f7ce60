/**
 * What can be known of a loop without running it: the values that step by a constant, how many trips there can be, and
 * code that computes the number of trips in front of the loop. A trip is one run of the body, begun or completed.
 */
import type { Builder } from '../ir/build.ts'
import type { Comparison, Hint } from '../ir/op.ts'
import * as t from '../ir/type.ts'
import type { ScalarName } from '../ir/type.ts'
import { Inst, type Region, type Value } from '../ir/value.ts'
import { walk } from '../ir/walk.ts'
import { constantInt, constantOf, definedBy, inverse, isComparison, turned } from './match.ts'

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
  readonly exact?: number
  /** No run of the loop makes more trips. */
  readonly max: number
}

/** A value that is an induction plus a constant. */
interface Affine {
  readonly of: Induction
  readonly offset: number
}

/** The condition `value op limit` under which a loop goes on. */
interface Condition {
  readonly value: Affine
  readonly op: Comparison
  readonly limit: Value
}

/** The integers that a loop carries and steps by a constant; empty where the body never comes back. */
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
  const head = loop.regions[0]!
  const end = loop.regions[1]!.end
  if (end.op !== 'next') return undefined
  return head.params.find((v, i) => {
    const init = loop.args[i]!.def, next = end.args[i]!.def
    return (v.type === t.i32 || v.type === t.u32) && init instanceof Inst && init.op === 'const' && init.attr === 0
      && next instanceof Inst && next.op === 'add' && next.args[0] === v
      && next.args[1]!.def.op !== 'param' && next.args[1]!.def.op === 'const' && next.args[1]!.def.attr === 1
  })
}

/** A value as another plus a constant. */
function offsetOf(value: Value): [Value, number] {
  let base = value
  let offset = 0
  for (let depth = 0; depth < 16; depth++) {
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

/** A hint that allows so many trips, and is otherwise as it was. */
export function hintWith(hint: Hint, bound: number | undefined): Hint {
  const states = statesOf(hint)
  return states === undefined ? bound ?? null : bound === undefined ? [states] : [states, bound]
}

/** What may be known of a value from where it stands: the largest that it can be, or the smallest. */
export type Extremes = (value: Value, upper: boolean) => number | undefined

const unknown: Extremes = () => undefined

/** How many trips a loop can make; undefined where nothing tells. Takes `[MaxIters]` at its word. */
export function tripBound(loop: Inst<'loop'>, known: Extremes = unknown): TripBound | undefined {
  const hint = boundOf(loop.attr)
  const early = leavesEarly(loop)
  let max = hint ?? Infinity
  let exact: number | undefined
  const steps = inductions(loop)
  const end = loop.regions[0]!.end
  if (end.op === 'test') {
    if (constantOf(end.args[0]!) === false) return { exact: 0, max: 0 }
    for (const c of conditions(end.args[0]!, true, steps)) {
      max = Math.min(max, trips(c, true, known) ?? Infinity)
      if (!early && isWhole(end.args[0]!)) exact = trips(c, false, known)
    }
    if (early) max = Math.min(max, boundOfExits(loop, steps, known))
    // A body that never comes back to the head is run once.
    if (loop.regions[1]!.end.op !== 'next') max = Math.min(max, 1)
  }
  if (exact !== undefined) return { exact, max: exact }
  return max === Infinity ? undefined : { max }
}

/** True where the condition is one comparison. */
function isWhole(condition: Value): boolean {
  return definedBy(condition, 'and') === undefined
}

/** The bound that `if (c) break` directly in the body gives. */
function boundOfExits(loop: Inst<'loop'>, steps: readonly Induction[], known: Extremes): number {
  let max = Infinity
  for (const inst of loop.regions[1]!.insts) {
    if (inst.op !== 'if') continue
    const leaving = inst.regions.findIndex(r => r.end.op === 'leave' ? leavesLoop(r.end, loop) : r.end.op === 'ret')
    if (leaving < 0) continue
    for (const c of conditions(inst.args[0]!, leaving === 1, steps)) max = Math.min(max, (trips(c, true, known) ?? Infinity) + 1)
  }
  return max
}

function leavesLoop(leave: Inst, loop: Inst<'loop'>): boolean {
  const target = leave.attr
  if (target === loop) return true
  let inside = false
  for (const r of loop.regions) walk(r, inst => { if (inst === target) inside = true })
  return !inside
}

/** True where the loop can be left other than by its test: by a `leave` or a `ret` in it. */
function leavesEarly(loop: Inst<'loop'>): boolean {
  const inside = new Set<Inst>()
  let early = false
  for (const r of loop.regions) {
    walk(r, inst => {
      if (inst.regions.length > 0) inside.add(inst)
      else if (inst.op === 'ret' || (inst.op === 'leave' && !inside.has(inst.attr))) early = true
    })
  }
  return early
}

/** The comparisons of an induction that must hold for a condition to be as `holds` says. */
function conditions(condition: Value, holds: boolean, steps: readonly Induction[]): Condition[] {
  const def = condition.def
  if (def.op === 'param') return []
  if (def.op === 'not') return conditions(def.args[0]!, !holds, steps)
  if (def.op === (holds ? 'and' : 'or')) return [...conditions(def.args[0]!, holds, steps), ...conditions(def.args[1]!, holds, steps)]
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

const ranges: Readonly<Partial<Record<ScalarName, readonly [number, number]>>> = {
  i8: [-128, 127], u8: [0, 255], i16: [-32768, 32767], u16: [0, 65535], i32: [-(2 ** 31), 2 ** 31 - 1], u32: [0, 2 ** 32 - 1],
  i64: [-(2 ** 53), 2 ** 53], u64: [0, 2 ** 53],
}

/** How often the condition holds before it first fails: at most, or exactly. Undefined where it cannot be told. */
function trips(c: Condition, atMost: boolean, known: Extremes): number | undefined {
  const { step } = c.value.of
  const up = step > 0
  const range = ranges[c.limit.type.scalar!]!
  const bound = (v: Value, upper: boolean): number | undefined => atMost ? extreme(v, upper, known) : constantInt(v)
  const start = bound(c.value.of.start, !up)
  const limit = bound(c.limit, up)
  if (start === undefined || limit === undefined) return undefined
  const from = start + c.value.offset
  if (from < range[0] || from > range[1]) return undefined
  const apart = up ? limit - from : from - limit
  const pace = Math.abs(step)
  let count: number
  switch (c.op) {
    case 'lt': case 'gt':
      if ((c.op === 'lt') !== up) return apart < 0 || atMost ? undefined : 0
      count = Math.max(0, Math.ceil(apart / pace))
      break
    case 'le': case 'ge':
      if ((c.op === 'le') !== up) return apart <= 0 || atMost ? undefined : 0
      count = Math.max(0, Math.floor(apart / pace) + 1)
      break
    case 'eq': return atMost || from === limit ? 1 : 0
    case 'ne': {
      if (constantInt(c.value.of.start) === undefined || constantInt(c.limit) === undefined) return undefined
      if (apart < 0 || apart % pace !== 0) return undefined
      return apart / pace
    }
    default: return undefined
  }
  const past = from + count * step
  return past < range[0] || past > range[1] ? undefined : count
}

/** The largest or smallest value that an integer can have, where its definition tells. */
function extreme(value: Value, upper: boolean, known: Extremes, depth = 8): number | undefined {
  const c = constantInt(value)
  if (c !== undefined) return c
  const def = value.def
  const natural = known(value, upper) ?? (!upper && (value.type.scalar === 'u32' || value.type.scalar === 'u64') ? 0 : undefined)
  if (def.op === 'param' || depth === 0) return natural
  const of = (v: Value): number | undefined => extreme(v, upper, known, depth - 1)
  const both = (x: number | undefined, y: number | undefined): number | undefined =>
    x === undefined || y === undefined ? undefined : upper ? Math.max(x, y) : Math.min(x, y)
  const either = (x: number | undefined, y: number | undefined): number | undefined =>
    x === undefined ? y : y === undefined ? x : upper ? Math.min(x, y) : Math.max(x, y)
  const [x, y] = def.args
  switch (def.op) {
    case 'select': {
      const picked = selectsLess(def)
      if (picked === upper) return either(of(y!), of(def.args[2]!)) ?? natural
      return both(of(y!), of(def.args[2]!)) ?? natural
    }
    case 'and': {
      const mask = constantInt(y!)
      return mask === undefined || mask < 0 ? natural : upper ? mask : 0
    }
    case 'rem': {
      const by = constantInt(y!)
      if (by === undefined || by === 0) return natural
      return upper ? Math.abs(by) - 1 : t.isSigned(value.type) && (of(x!) ?? -1) < 0 ? 1 - Math.abs(by) : 0
    }
    case 'if': {
      const [a, b] = def.regions.map(r => r.end.op === 'yield' ? r.end.args[value.index] : undefined)
      return a === undefined || b === undefined ? natural : both(of(a), of(b)) ?? natural
    }
    case 'call': {
      switch (def.attr.info.computes) {
        case 'min': return (upper ? either(of(x!), of(y!)) : both(of(x!), of(y!))) ?? natural
        case 'max': return (upper ? both(of(x!), of(y!)) : either(of(x!), of(y!))) ?? natural
        case 'clamp': return (upper ? of(def.args[2]!) : of(y!)) ?? natural
        default: return natural
      }
    }
    case 'convert': {
      const range = ranges[value.type.scalar!]
      if (range === undefined || x!.type.scalar === undefined || !t.isInt(x!.type)) return natural
      const [low, high] = [extreme(x!, false, known, depth - 1), extreme(x!, true, known, depth - 1)]
      return low !== undefined && high !== undefined && low >= range[0] && high <= range[1] ? (upper ? high : low) : natural
    }
    default: return natural
  }
}

/** True for `x < y ? x : y`, false for `x < y ? y : x`, undefined for any other choice. */
function selectsLess(select: Inst): boolean | undefined {
  const test = select.args[0]!.def
  if (!(test instanceof Inst) || test.args.length !== 2) return undefined
  const less = test.op === 'lt' || test.op === 'le'
  if (!less && test.op !== 'gt' && test.op !== 'ge') return undefined
  const [x, y] = [select.args[1], select.args[2]]
  if (same(test.args[0]!, x!) && same(test.args[1]!, y!)) return less
  return same(test.args[0]!, y!) && same(test.args[1]!, x!) ? !less : undefined
}

function same(x: Value, y: Value): boolean {
  if (x === y) return true
  const c = constantInt(x)
  return c !== undefined && c === constantInt(y)
}

/** Emits the number of trips as an `i32`, in front of the loop; undefined where it does not follow from values known there. */
export function tripCountValue(b: Builder, loop: Inst<'loop'>): Value | undefined {
  const end = loop.regions[0]!.end
  if (end.op !== 'test' || leavesEarly(loop)) return undefined
  const known = tripBound(loop)?.exact
  if (known !== undefined) return b.const(t.i32, known)
  const found = conditions(end.args[0]!, true, inductions(loop))
  const c = found[0]
  if (c === undefined || found.length !== 1 || !isWhole(end.args[0]!)) return undefined
  const { of, offset } = c.value
  const up = of.step > 0
  const type = of.param.type
  if (offset !== 0 || (type !== t.i32 && type !== t.u32)) return undefined
  const rising = c.op === 'lt' || c.op === 'le'
  if ((rising !== up && c.op !== 'ne') || c.op === 'eq') return undefined
  if (c.op === 'ne' && Math.abs(of.step) !== 1) return undefined
  const limit = outside(b, loop, c.limit)
  if (limit === undefined) return undefined
  const apart = up ? b.sub(limit, of.start) : b.sub(of.start, limit)
  if (c.op === 'ne') return b.convert(apart, t.i32)
  const distance = b.convert(apart, t.u32)
  const inclusive = c.op === 'le' || c.op === 'ge'
  const pace = Math.abs(of.step)
  const less = inclusive ? distance : b.sub(distance, b.const(t.u32, 1))
  const full = b.add(pace === 1 ? less : b.div(less, b.const(t.u32, pace)), b.const(t.u32, 1))
  const runs = b.emit1(c.op, [of.start, limit])
  return b.convert(b.select(runs, full, b.const(t.u32, 0)), t.i32)
}

/** The value if it is defined outside the loop; a constant is made anew. */
function outside(b: Builder, loop: Inst<'loop'>, value: Value): Value | undefined {
  const c = constantOf(value)
  if (c !== undefined) return b.const(value.type, c)
  let inside = false
  const check = (region: Region): void => {
    if (region.params.includes(value)) inside = true
    walk(region, inst => { if (inst.results.includes(value)) inside = true })
  }
  loop.regions.forEach(check)
  return inside ? undefined : value
}
