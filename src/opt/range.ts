/**
 * What is known of an integer's range, from constants, masks and the counters of loops: an index proved to lie within its
 * array needs no clamp.
 */
import type { OpName } from '../ir/op.ts'
import { Inst, Region, type Func, type Value } from '../ir/value.ts'
import { walk } from '../ir/walk.ts'
import { costs } from './costs.ts'

/** Inclusive bounds. */
export interface Range {
  readonly lo: number
  readonly hi: number
}

const limit = 2 ** 31 - 1

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

  /** The range of a value at a place inside the bodies for which `inBody` holds; undefined where nothing is known. */
  of(value: Value, inBody: (loop: Inst<'loop'>) => boolean): Range | undefined {
    this.#budget = costs.rangeValues
    return this.#of(value, inBody, costs.rangeSteps)
  }

  #of(value: Value, inBody: (loop: Inst<'loop'>) => boolean, steps: number): Range | undefined {
    if (steps === 0 || --this.#budget < 0) return undefined
    const known = this.given.get(value)
    if (known !== undefined) return known
    const at = (v: Value): Range | undefined => this.#of(v, inBody, steps - 1)
    const def = value.def
    if (def.op === 'param') return this.#counter(value, def, inBody, steps)
    const unsigned = value.type.scalar === 'u32'
    const [x, y] = [def.args[0], def.args[1]]
    switch (def.op) {
      case 'const': return typeof def.attr === 'number' ? within({ lo: def.attr, hi: def.attr }, unsigned) : undefined
      case 'add': return within(combine(at(x!), at(y!), (a, b) => ({ lo: a.lo + b.lo, hi: a.hi + b.hi })), unsigned)
      case 'sub': return within(combine(at(x!), at(y!), (a, b) => ({ lo: a.lo - b.hi, hi: a.hi - b.lo })), unsigned)
      case 'mul': return within(combine(at(x!), at(y!), (a, b) => a.lo < 0 || b.lo < 0 ? undefined : { lo: a.lo * b.lo, hi: a.hi * b.hi }), unsigned)
      case 'and': {
        const mask = at(y!) ?? at(x!)
        return mask !== undefined && mask.lo >= 0 ? { lo: 0, hi: mask.hi } : undefined
      }
      case 'rem': {
        const by = at(y!)
        if (by === undefined || by.lo <= 0) return undefined
        const from = at(x!)
        return unsigned || (from !== undefined && from.lo >= 0) ? { lo: 0, hi: by.hi - 1 } : { lo: 1 - by.hi, hi: by.hi - 1 }
      }
      case 'div': {
        const by = at(y!)
        const from = at(x!)
        return by !== undefined && from !== undefined && by.lo > 0 && from.lo >= 0 ? { lo: Math.floor(from.lo / by.hi), hi: Math.floor(from.hi / by.lo) } : undefined
      }
      case 'shr': {
        const [from, by] = [at(x!), at(y!)]
        return from !== undefined && by !== undefined && from.lo >= 0 && by.lo === by.hi ? { lo: from.lo >> by.lo, hi: from.hi >> by.lo } : undefined
      }
      case 'extract': return this.lanes.get(x!)?.[def.attr]
      case 'select': return combine(at(y!), at(def.args[2]!), union)
      case 'convert': {
        const from = x!.type.scalar
        return from === 'i32' || from === 'u32' ? within(at(x!), unsigned) : from === 'bool' ? { lo: 0, hi: 1 } : undefined
      }
      case 'loop': return this.#exits(def, value.index, inBody, steps)
      case 'if': case 'block': case 'switch': return this.#yields(def, value.index, at)
      default: return undefined
    }
  }

  #yields(inst: Inst, index: number, at: (v: Value) => Range | undefined): Range | undefined {
    let all: Range | undefined
    const ends = inst.regions.map(r => r.end).filter(e => e.op === 'yield')
    for (const end of [...ends, ...this.#leaves.get(inst) ?? []]) {
      const one = at(end.args[index]!)
      if (one === undefined) return undefined
      all = all === undefined ? one : union(all, one)
    }
    return all
  }

  #exits(loop: Inst<'loop'>, index: number, inBody: (loop: Inst<'loop'>) => boolean, steps: number): Range | undefined {
    const outside = (l: Inst<'loop'>): boolean => l !== loop && inBody(l)
    let all = this.#of(loop.regions[0]!.end.args[1 + index]!, outside, steps - 1)
    for (const leave of this.#leaves.get(loop) ?? []) {
      const one = this.#of(leave.args[index]!, l => l === loop || inBody(l), steps - 1)
      all = all === undefined || one === undefined ? undefined : union(all, one)
    }
    return all
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
    if (first === undefined || !(step instanceof Inst) || (step.op !== 'add' && step.op !== 'sub') || step.args[0] !== value) return undefined
    const by = this.#of(step.args[1]!, inBody, steps - 1)
    if (by === undefined || by.lo !== by.hi || by.lo === 0) return undefined
    const up = (step.op === 'add') === (by.lo > 0)
    const stride = Math.abs(by.lo)
    const test = comparisonOf(value, head.end.args[0]!)
    if (test === undefined) return undefined
    const [x, y] = [test.args[0], test.args[1]]
    const flipped = y === value
    const bound = this.#of(flipped ? x! : y!, inBody, steps - 1)
    if (bound === undefined) return undefined
    const less = flipped ? test.op === 'gt' : test.op === 'lt'
    const lessEq = flipped ? test.op === 'ge' : test.op === 'le'
    const more = flipped ? test.op === 'lt' : test.op === 'gt'
    const moreEq = flipped ? test.op === 'le' : test.op === 'ge'
    const differs = test.op === 'ne' && stride === 1
    const inside = inBody(loop)
    const unsigned = value.type.scalar === 'u32'
    if (up && (less || lessEq || differs && first.hi <= bound.lo)) {
      const last = lessEq ? bound.hi : bound.hi - 1
      return within({ lo: first.lo, hi: inside ? Math.max(last, first.lo) : Math.max(last + stride, first.hi) }, unsigned)
    }
    if (!up && (more || moreEq || differs && first.lo >= bound.hi)) {
      const last = moreEq ? bound.lo : bound.lo + 1
      return within({ lo: inside ? Math.min(last, first.hi) : Math.min(last - stride, first.lo), hi: first.hi }, unsigned)
    }
    return undefined
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

function combine(x: Range | undefined, y: Range | undefined, f: (x: Range, y: Range) => Range | undefined): Range | undefined {
  return x === undefined || y === undefined ? undefined : f(x, y)
}

function union(x: Range, y: Range): Range {
  return { lo: Math.min(x.lo, y.lo), hi: Math.max(x.hi, y.hi) }
}

/** The range, where no step of it wraps around. */
function within(r: Range | undefined, unsigned: boolean): Range | undefined {
  return r === undefined || r.lo < (unsigned ? 0 : -limit) || r.hi > limit ? undefined : r
}
