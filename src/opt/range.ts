/** Range analysis of integers, from constants, masks and loop counters. An index that is proved to lie within its array needs no clamp. */
import type { OpName } from '../ir/op.ts'
import type { ScalarName, Type } from '../ir/type.ts'
import type { Region } from '../ir/value.ts'
import { Inst, type Func, type Value } from '../ir/value.ts'
import { walk } from '../ir/walk.ts'
import { constantInt } from './match.ts'
import * as costs from '../ir/costs.ts'

/** Inclusive bounds of an integer; infinite where nothing is known. */
export interface Range {
  readonly lo: number
  readonly hi: number
}

/** The range of each type, as far as numbers here are exact. */
export const limits: Readonly<Partial<Record<ScalarName, Range>>> = {
  bool: { lo: 0, hi: 1 },
  i8: { lo: -128, hi: 127 },
  u8: { lo: 0, hi: 255 },
  i16: { lo: -32768, hi: 32767 },
  u16: { lo: 0, hi: 65535 },
  i32: { lo: -(2 ** 31), hi: 2 ** 31 - 1 },
  u32: { lo: 0, hi: 2 ** 32 - 1 },
  i64: { lo: 1 - 2 ** 53, hi: 2 ** 53 - 1 },
  u64: { lo: 0, hi: 2 ** 53 - 1 },
}

/** The range of a value by its type alone: unsigned numbers are not negative. */
export function anyOf(type: Type): Range {
  return { lo: limits[type.scalar!]?.lo === 0 ? 0 : -Infinity, hi: type.scalar === 'bool' ? 1 : Infinity }
}

export const isFinite = ({ lo, hi }: Range): boolean => lo > -Infinity && hi < Infinity

export const union = (x: Range, y: Range): Range => ({ lo: Math.min(x.lo, y.lo), hi: Math.max(x.hi, y.hi) })

export const meet = (x: Range, y: Range): Range => ({ lo: Math.max(x.lo, y.lo), hi: Math.min(x.hi, y.hi) })

/** The range if the type holds all of it, so that nothing wraps around; else that of the type. */
function within(r: Range, type: Type): Range {
  const most = limits[type.scalar!]
  return most !== undefined && r.lo >= most.lo && r.hi <= most.hi ? r : anyOf(type)
}

const narrow: Readonly<Partial<Record<ScalarName, number>>> = { i8: 8, u8: 8, i16: 16, u16: 16 }

/** The range of an instruction's result, by the ranges of its operands. */
export function transfer(inst: Inst, type: Type, of: (v: Value) => Range): Range {
  const at = (i: number): Range => of(inst.args[i]!)
  switch (inst.op) {
    case 'const': {
      const c = constantInt(inst.results[0]!)
      return c === undefined ? anyOf(type) : within({ lo: c, hi: c }, type)
    }
    case 'add': {
      const [x, y] = [at(0), at(1)]
      return within({ lo: x.lo + y.lo, hi: x.hi + y.hi }, type)
    }
    case 'sub': {
      const [x, y] = [at(0), at(1)]
      return within({ lo: x.lo - y.hi, hi: x.hi - y.lo }, type)
    }
    case 'mul': {
      const [x, y] = [at(0), at(1)]
      return x.lo < 0 || y.lo < 0 ? anyOf(type) : within({ lo: x.lo * y.lo, hi: x.hi * y.hi }, type)
    }
    case 'and': {
      const masks = [at(0), at(1)].filter(m => m.lo >= 0)
      return masks.length === 0 ? anyOf(type) : { lo: 0, hi: Math.min(...masks.map(m => m.hi)) }
    }
    case 'rem': {
      const [x, y] = [at(0), at(1)]
      if (y.lo <= 0 && y.hi >= 0) return anyOf(type)
      const most = Math.max(Math.abs(y.lo), Math.abs(y.hi)) - 1
      return { lo: x.lo >= 0 ? 0 : -most, hi: most }
    }
    case 'div': {
      const [x, y] = [at(0), at(1)]
      return x.lo >= 0 && y.lo > 0 ? { lo: Math.floor(x.lo / y.hi), hi: Math.floor(x.hi / y.lo) } : anyOf(type)
    }
    case 'shr': {
      const [x, y] = [at(0), at(1)]
      // An amount counts modulo the width.
      if (x.lo < 0 || y.lo !== y.hi || y.lo < 0 || y.lo >= (narrow[type.scalar!] ?? 32)) return anyOf(type)
      return { lo: Math.floor(x.lo / 2 ** y.lo), hi: Math.floor(x.hi / 2 ** y.lo) }
    }
    case 'select': {
      const [x, y] = [at(1), at(2)]
      const least = selectsLess(inst)
      return least === undefined ? union(x, y) : least ? least2(x, y) : most2(x, y)
    }
    case 'convert': {
      const from = inst.args[0]!.type
      return limits[from.scalar!] === undefined ? anyOf(type) : within(at(0), type)
    }
    case 'call':
      return limits[type.scalar!] === undefined ? anyOf(type) : called(inst, type, at)
    default:
      return anyOf(type)
  }
}

const least2 = (x: Range, y: Range): Range => ({ lo: Math.min(x.lo, y.lo), hi: Math.min(x.hi, y.hi) })
const most2 = (x: Range, y: Range): Range => ({ lo: Math.max(x.lo, y.lo), hi: Math.max(x.hi, y.hi) })

/** The range of a library call whose result has bounds. */
function called(call: Inst<'call'>, type: Type, at: (i: number) => Range): Range {
  switch (call.attr.info.computes) {
    case 'min':
      return least2(at(0), at(1))
    case 'max':
      return most2(at(0), at(1))
    case 'clamp':
      return least2(most2(at(0), at(1)), at(2))
    default:
      return anyOf(type)
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

export class Ranges {
  /** By the head of a loop: the loop. */
  readonly #loops = new Map<Region, Inst<'loop'>>()
  readonly #leaves = new Map<Inst, Inst[]>()
  /** Ranges that the caller knows: thread ids. */
  readonly given: Map<Value, Range> = new Map()
  /** The same for the lanes of vectors. */
  readonly lanes: Map<Value, readonly Range[]> = new Map()

  #budget = 0

  constructor(func: Func) {
    walk(func.body!, inst => {
      if (inst.op === 'loop') this.#loops.set(inst.regions[0]!, inst)
      if (inst.op !== 'leave') return
      const target = inst.attr
      const list = this.#leaves.get(target)
      if (list === undefined) this.#leaves.set(target, [inst])
      else list.push(inst)
    })
  }

  /** The range of a value at a point inside the bodies for which `inBody` holds. */
  of(value: Value, inBody: (loop: Inst<'loop'>) => boolean): Range {
    this.#budget = costs.rangeValues
    return this.#of(value, inBody, costs.rangeSteps)
  }

  #of(value: Value, inBody: (loop: Inst<'loop'>) => boolean, steps: number): Range {
    if (steps === 0 || --this.#budget < 0) return anyOf(value.type)
    const known = this.given.get(value)
    if (known !== undefined) return known
    const at = (v: Value): Range => this.#of(v, inBody, steps - 1)
    const def = value.def
    switch (def.op) {
      case 'param':
        return this.#counter(value, def, inBody, steps) ?? anyOf(value.type)
      case 'extract':
        return this.lanes.get(def.args[0]!)?.[def.attr] ?? anyOf(value.type)
      case 'loop':
        return this.#exits(def, value.index, inBody, steps)
      case 'if':
      case 'block':
      case 'switch':
        return this.#yields(def, value, at)
      default:
        return transfer(def, value.type, at)
    }
  }

  #yields(inst: Inst, { type, index }: Value, at: (v: Value) => Range): Range {
    const ends = inst.regions.map(r => r.end).filter(e => e.op === 'yield')
    const all = [...ends, ...(this.#leaves.get(inst) ?? [])].map(end => at(end.args[index]!))
    return all.length === 0 ? anyOf(type) : all.reduce(union)
  }

  #exits(loop: Inst<'loop'>, index: number, inBody: (loop: Inst<'loop'>) => boolean, steps: number): Range {
    const outside = (l: Inst<'loop'>): boolean => l !== loop && inBody(l)
    const inside = (l: Inst<'loop'>): boolean => l === loop || inBody(l)
    const last = this.#of(loop.regions[0]!.end.args[1 + index]!, outside, steps - 1)
    // The test of a trip need not hold for what leaves from the head.
    const body = new Set<Inst>()
    walk(loop.regions[1]!, x => {
      if (x.op === 'leave') body.add(x)
    })
    const leaves = this.#leaves.get(loop) ?? []
    return leaves
      .map(leave => this.#of(leave.args[index]!, body.has(leave) ? inside : outside, steps - 1))
      .reduce(union, last)
  }

  /** A counter: starts at its first value, steps by a constant, and goes on while a comparison with its bound holds. */
  #counter(value: Value, head: Region, inBody: (loop: Inst<'loop'>) => boolean, steps: number): Range | undefined {
    const loop = this.#loops.get(head)
    if (loop === undefined) return undefined
    const end = loop.regions[1]!.end
    if (end.op !== 'next') return undefined
    const first = this.#of(loop.args[value.index]!, inBody, steps - 1)
    const then = end.args[value.index]!
    if (then === value) return first
    const step = then.def
    if (
      !isFinite(first) ||
      !(step instanceof Inst) ||
      (step.op !== 'add' && step.op !== 'sub') ||
      step.args[0] !== value
    )
      return undefined
    const by = this.#of(step.args[1]!, inBody, steps - 1)
    if (by.lo !== by.hi || by.lo === 0) return undefined
    const up = (step.op === 'add') === by.lo > 0
    const stride = Math.abs(by.lo)
    const test = comparisonOf(value, head.end.args[0]!)
    if (test === undefined) return undefined
    const [x, y] = [test.args[0], test.args[1]]
    const flipped = y === value
    const bound = this.#of(flipped ? x! : y!, inBody, steps - 1)
    if (!isFinite(bound)) return undefined
    const less = flipped ? test.op === 'gt' : test.op === 'lt'
    const lessEq = flipped ? test.op === 'ge' : test.op === 'le'
    const more = flipped ? test.op === 'lt' : test.op === 'gt'
    const moreEq = flipped ? test.op === 'le' : test.op === 'ge'
    const differs = test.op === 'ne' && stride === 1
    const inside = inBody(loop)
    // A bound that changes from trip to trip may be passed without being met.
    const isMet = differs && bound.lo === bound.hi
    let last: number
    if (up && (less || lessEq || (isMet && first.hi <= bound.lo))) last = lessEq ? bound.hi : bound.hi - 1
    else if (!up && (more || moreEq || (isMet && first.lo >= bound.hi))) last = moreEq ? bound.lo : bound.lo + 1
    else return undefined
    const all = up
      ? { lo: first.lo, hi: Math.max(last + stride, first.hi) }
      : { lo: Math.min(last - stride, first.lo), hi: first.hi }
    const most = limits[value.type.scalar!]
    // A step that wraps around comes back into the body with any number.
    if (most === undefined || all.lo < most.lo || all.hi > most.hi) return undefined
    if (!inside) return all
    return up ? { lo: first.lo, hi: Math.max(last, first.lo) } : { lo: Math.min(last, first.hi), hi: first.hi }
  }
}

/** The comparison of a value that must hold for a condition to hold: the condition itself, or a part of a conjunction. */
function comparisonOf(value: Value, condition: Value): Inst | undefined {
  const def = condition.def
  if (def.op === 'param') return undefined
  if (def.op === 'and') return comparisonOf(value, def.args[0]!) ?? comparisonOf(value, def.args[1]!)
  return comparisons.has(def.op) && (def.args[0] === value || def.args[1] === value) ? def : undefined
}

const comparisons: ReadonlySet<OpName> = new Set(['lt', 'le', 'gt', 'ge', 'ne'])
