/**
 * Unrolls loops with `[ForceUnroll]`, and on higher levels small ones. A trip is a copy of head and body. While it is copied,
 * constants are folded and known branches taken, so that the next trip's condition is known:
 *
 *   loop unroll %z (%i: i32) { %c = lt %i, 2; test %c } { A(%i); next %i + 1 }   →   block { A(0); A(1); yield }
 */
import { unrollForever } from '../base/errors/opt.ts'
import { Builder } from '../ir/build.ts'
import { Inst, Region, Value, noRegions, type Attr, type Func } from '../ir/value.ts'
import { mapValues, valueTable, type ValueTable } from '../ir/walk.ts'
import { leavesTo } from '../ir/exits.ts'
import { loopsOfArrays } from './array-loops.ts'
import type { Cx } from './cx.ts'
import { writtenOut } from './folding.ts'
import { sizeOf } from './inline.ts'
import { statesOf, tripBound } from './loops.ts'
import { caseOf, constantInt, constantOf } from './match.ts'
import { rewrite } from './rules.ts'
import * as costs from '../ir/costs.ts'

/** A loop with more trips, or more instructions, counts as endless: limits of what `[ForceUnroll]` may ask for, told by a diagnostic. */
const tripLimit = 4096
const sizeLimit = 100_000
/** The same where each trip asks anew whether the loop goes on. */
const openTrips = 256

/** Unrolls the loops that `[ForceUnroll]` marks, an error for one that exceeds the limits, and those for which `[unroll]` asks. */
export function unroll(func: Func, cx: Cx): boolean {
  const trips = upTo(costs.arrayLoopTrips)
  const asks = (loop: Inst<'loop'>): boolean =>
    loop.attr === 'ask' && trips(loop) !== undefined && writtenOut([loop], trips) <= costs.arrayLoopGrowth
  return unrollWhere(func, cx, loop => loop.attr === 'unroll' || asks(loop))
}

/** Unrolls loops with few trips and a small body. */
export function unrollSmall(func: Func, cx: Cx): boolean {
  const [most, total] =
    cx.level >= 3
      ? [costs.smallLoopTripsFast, costs.smallLoopInstructionsFast]
      : [costs.smallLoopTrips, costs.smallLoopInstructions]
  const short = costs.smallLoopInstructions
  const trips = upTo(most)
  const small = (loop: Inst<'loop'>): boolean => {
    const exact = trips(loop)
    if (exact === undefined) return false
    const size = sizeOf(loop.regions[0]!) + sizeOf(loop.regions[1]!)
    // One that becomes no longer is short enough too, within limits, since that is a low guess.
    return exact * size <= total || writtenOut([loop], trips) <= Math.max(short, Math.min(size, 2 * short))
  }
  return unrollWhere(func, cx, small, costs.smallLoopAll * total)
}

/** Gives the trips of loops that are known to make at most so many, and may be unrolled. */
const upTo =
  (most: number) =>
  (loop: Inst<'loop'>): number | undefined => {
    const exact = tripBound(loop)?.exact
    return exact !== undefined && exact <= most && loop.attr !== 'keep' ? exact : undefined
  }

/** Unrolls loops of few trips that keep small arrays in memory. Copies get no names: each trip would repeat them with another number. */
export function unrollArrays(func: Func, cx: Cx): boolean {
  if (func.body === undefined) return false
  const loops = loopsOfArrays(func)
  return loops.size > 0 && unrollWhere(func, cx, loop => loops.has(loop), Infinity, false)
}

/**
 * Unrolls loops of few trips in functions that will be differentiated. The number of trips must be known. With a constant trip
 * number, arrays become values, and a reverse pass neither stores nor counts anything for the loop.
 */
export function unrollFew(func: Func, cx: Cx): boolean {
  const trips = upTo(costs.unrollTrips)
  const few = (loop: Inst<'loop'>): boolean =>
    trips(loop) !== undefined &&
    statesOf(loop.attr) === undefined &&
    writtenOut([loop], trips) <= costs.unrollInstructions
  return unrollWhere(func, cx, few, costs.unrollAll * costs.unrollInstructions)
}

/** Unrolls loops. All of a function together become at most `most` instructions in one run; once one would be too much, those that follow stay loops. */
function unrollWhere(
  func: Func,
  cx: Cx,
  wanted: (loop: Inst<'loop'>) => boolean,
  most: number = Infinity,
  keepsNames: boolean = true,
): boolean {
  if (func.body === undefined) return false
  let changed = false
  let left = most
  // One table for all loops, since it has the length of the function.
  let to: ValueTable | undefined
  const visit = (region: Region): void => {
    for (let i = 0; i < region.insts.length; i++) {
      const inst = region.insts[i]!
      if (inst.op === 'loop' && left > 0 && wanted(inst)) {
        to ??= valueTable(func)
        const unrolling = new Unrolling(func, to, wanted, left, cx.wide === true, keepsNames)
        const block = unrolling.loop(inst)
        if (block !== undefined) {
          left -= unrolling.made
          block.results = inst.results
          for (const r of block.results) r.def = block
          region.insts[i] = block
          changed = true
          continue
        }
        // Loops inside are tried next, and what was copied of this one is gone.
        to = undefined
        if (unrolling.made > left) left = 0
        if (inst.attr === 'unroll') {
          inst.attr = null
          cx.sink.add(unrollForever, inst.span ?? func.span ?? undefined, { limit: tripLimit })
        }
      }
      for (let i = 0; i < inst.regions.length; i++) visit(inst.regions[i]!)
    }
  }
  visit(func.body)
  return changed
}

class Unrolling {
  readonly #func: Func
  readonly #b: Builder
  readonly #wide: boolean
  readonly #keepsNames: boolean
  readonly #wanted: (loop: Inst<'loop'>) => boolean
  readonly #to: ValueTable
  readonly #labels = new Map<Inst, Inst>()
  readonly #limit: number
  #copied = 0
  /** The instructions that it became so far: copies that were not folded. */
  made = 0

  constructor(
    func: Func,
    to: ValueTable,
    wanted: (loop: Inst<'loop'>) => boolean,
    limit: number,
    wide: boolean,
    keepsNames: boolean,
  ) {
    this.#wide = wide
    this.#keepsNames = keepsNames
    this.#to = to
    this.#func = func
    this.#b = new Builder(func, new Region())
    this.#wanted = wanted
    this.#limit = limit
  }

  /** The unrolled loop as a block without results of its own; undefined if it exceeds the limits. */
  loop(loop: Inst<'loop'>): Inst | undefined {
    const region = new Region()
    const block = new Inst('block', [], null, [region], loop.span)
    this.#labels.set(loop, block)
    const [head, body] = [loop.regions[0]!, loop.regions[1]!]
    let carried = mapValues(loop.args, this.#to)
    for (let trip = 0; trip <= tripLimit; trip++) {
      head.params.forEach((p, k) => {
        this.#to[p.id] = carried[k]!
      })
      const test = this.#insts(region, head.insts)
      if (test === undefined) return undefined
      if (test.op !== 'test') return this.#ended(block, region, test)
      const condition = this.#mapped(test.args[0]!)
      const goes = constantOf(condition)
      if (goes === undefined) {
        // What is marked may also end earlier than what can be computed, as `while (i < 4 && x > 0)`.
        if (loop.attr !== 'unroll' || trip > openTrips) return undefined
        const out = new Region()
        out.insts.push(new Inst('leave', mapValues(test.args.slice(1), this.#to), block, noRegions, test.span))
        const on = new Region()
        on.insts.push(new Inst('yield', [], null, noRegions, test.span))
        region.insts.push(new Inst('if', [condition], null, [on, out], test.span))
      } else if (goes === false) {
        region.insts.push(new Inst('yield', mapValues(test.args.slice(1), this.#to), null, noRegions, test.span))
        return block
      }
      const end = this.#insts(region, body.insts)
      if (end === undefined) return undefined
      if (end.op !== 'next') return this.#ended(block, region, end)
      carried = mapValues(end.args, this.#to)
    }
    return undefined
  }

  #mapped(value: Value): Value {
    return this.#to[value.id] ?? value
  }

  #ended(block: Inst, region: Region, end: Inst): Inst {
    const copy = this.#end(end)
    region.insts.push(copy.attr === block ? new Inst('yield', copy.args, null, noRegions, copy.span) : copy)
    return block
  }

  #end(end: Inst): Inst {
    return new Inst(end.op, mapValues(end.args, this.#to), this.#attr(end.attr), noRegions, end.span)
  }

  #attr(attr: Attr): Attr {
    return attr instanceof Inst ? (this.#labels.get(attr) ?? attr) : attr
  }

  /** Appends copies of instructions. Gives the terminator that it reached, which is not copied; undefined if it reached the limit. */
  #insts(region: Region, insts: readonly Inst[]): Inst | undefined {
    for (let i = 0; i < insts.length; i++) {
      const inst = insts[i]!
      if (inst.row.ends) return inst
      if (++this.#copied > sizeLimit || this.made > this.#limit) return undefined
      this.#b.at = region
      this.#b.span = inst.span
      if (inst.regions.length === 0) {
        this.#plain(region, inst)
        continue
      }
      const only = this.#known(inst)
      if (only !== undefined) {
        const end = this.#insts(region, only.insts)
        if (end === undefined) return undefined
        if (end.op !== 'yield') return end
        inst.results.forEach((r, k) => {
          this.#to[r.id] = this.#mapped(end.args[k]!)
        })
        continue
      }
      if (!this.#control(region, inst)) return undefined
    }
    return undefined
  }

  #plain(region: Region, inst: Inst): void {
    const copy = new Inst(inst.op, mapValues(inst.args, this.#to), inst.attr, noRegions, inst.span)
    this.#results(inst, copy)
    const value = rewrite(this.#b, copy, this.#wide)
    if (value === undefined) {
      region.insts.push(copy)
      this.made++
    } else this.#to[inst.results[0]!.id] = value
  }

  #results(inst: Inst, copy: Inst): void {
    for (let k = 0; k < inst.results.length; k++) {
      const r = inst.results[k]!
      const q = new Value(this.#func.nextValue++, r.type, copy, k, this.#keepsNames ? r.name : '')
      copy.results.push(q)
      this.#to[r.id] = q
    }
  }

  /** The region that a branch takes, where that is known and nothing leaves the branch from inside. */
  #known(inst: Inst): Region | undefined {
    if (inst.op !== 'if' && inst.op !== 'switch') return undefined
    const selector = this.#mapped(inst.args[0]!)
    let only: Region | undefined
    if (inst.op === 'if') {
      const c = constantOf(selector)
      only = c === undefined ? undefined : inst.regions[c === true ? 0 : 1]
    } else {
      const c = constantInt(selector)
      if (c !== undefined) only = inst.regions[caseOf(inst, c)]
    }
    return only === undefined || leavesTo(only, inst) > 0 ? undefined : only
  }

  #control(region: Region, inst: Inst): boolean {
    if (inst.op === 'loop' && this.#wanted(inst)) {
      const block = this.loop(inst)
      if (block === undefined) return false
      region.insts.push(block)
      this.#results(inst, block)
      return true
    }
    const regions: Region[] = []
    const copy = new Inst(inst.op, mapValues(inst.args, this.#to), inst.attr, regions, inst.span)
    this.made++
    this.#labels.set(inst, copy)
    for (let i = 0; i < inst.regions.length; i++) {
      const r = inst.regions[i]!
      const inner = new Region()
      regions.push(inner)
      r.params.forEach((p, k) => {
        const q = new Value(this.#func.nextValue++, p.type, inner, k, p.name)
        inner.params.push(q)
        this.#to[p.id] = q
      })
      const end = this.#insts(inner, r.insts)
      if (end === undefined) return false
      // A branch taken for certain may end the region by leaving further out, which the head of a loop cannot.
      if (inst.op === 'loop' && end.op === 'leave' && r === inst.regions[0]) return false
      inner.insts.push(this.#end(end))
    }
    this.#results(inst, copy)
    region.insts.push(copy)
    return true
  }
}
