/** Ranges of the values of a function, at the places where they are used. An index that is proved to lie within its array needs no clamp. */
import * as costs from '../ir/costs.ts'
import type { Func, Inst, Region, Value } from '../ir/value.ts'
import { walk } from '../ir/walk.ts'
import { conditions, inductions } from './loops.ts'
import { anyOf, isFinite, limits, transfer, union, type Range } from './range.ts'

export class Ranges {
  /** By the head of a loop: the loop. */
  readonly #loops = new Map<Region, Inst<'loop'>>()
  readonly #leaves = new Map<Inst, Inst[]>()
  /** Ranges that the caller knows: thread ids. */
  readonly given: Map<Value, Range> = new Map()
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
    if (end.args[value.index] === value) return first
    const own = inductions(loop).find(i => i.param === value)
    if (own === undefined || !isFinite(first) || head.end.op !== 'test') return undefined
    const test = conditions(head.end.args[0]!, true, [own]).find(c => c.value.offset === 0)
    if (test === undefined) return undefined
    const { op } = test
    const bound = this.#of(test.limit, inBody, steps - 1)
    if (!isFinite(bound)) return undefined
    const up = own.step > 0
    const stride = Math.abs(own.step)
    const inside = inBody(loop)
    // A bound that changes from trip to trip may be passed without being met.
    const isMet = op === 'ne' && stride === 1 && bound.lo === bound.hi
    let last: number
    if (up && (op === 'lt' || op === 'le' || (isMet && first.hi <= bound.lo))) last = bound.hi - (op === 'le' ? 0 : 1)
    else if (!up && (op === 'gt' || op === 'ge' || (isMet && first.lo >= bound.hi)))
      last = bound.lo + (op === 'ge' ? 0 : 1)
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
