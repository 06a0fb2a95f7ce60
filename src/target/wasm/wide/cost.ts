/**
 * Estimates what a kernel costs for several threads at once, beside the same threads one after the other. Vectors lose where each lane has to
 * be looked at by itself, and where lanes part: each way then runs for the few that take it. Plain numbers count instructions.
 */
import * as costs from '../../../ir/costs.ts'
import { isFloat } from '../../../ir/type.ts'
import type { Func, Inst, Region, Value } from '../../../ir/value.ts'
import { tripBound } from '../../../opt/loops.ts'
import { constantInt, rootOf } from '../../../opt/match.ts'
import type { Plan } from '../plan.ts'
import { laneCount } from './graph.ts'
import { neighboursIn } from './neighbours.ts'
import type { Varying } from './varying.ts'

/** How often code runs for several threads at once, and how many of them are active each time, in the mean. */
interface Share {
  readonly times: number
  readonly active: number
}

/** Whether a kernel costs less for several threads at once. `threads` has the loops over threads, and over how many; `share` what it begins with. */
export function pays(
  plan: Plan,
  func: Func,
  varying: Varying,
  threads: ReadonlyMap<Inst, number>,
  share: Share,
): boolean {
  const cost = new Cost(plan, varying, threads)
  cost.region(func.body!, share)
  return cost.together <= cost.alone
}

class Cost {
  /** For several threads at once, and for one after the other. */
  together = 0
  alone = 0
  readonly #plan: Plan
  readonly #varying: Varying
  readonly #threads: ReadonlyMap<Inst, number>
  /** Accesses that are made with others before them, and the elements that they lie in. */
  readonly #neighbours = new Set<Inst>()

  constructor(plan: Plan, varying: Varying, threads: ReadonlyMap<Inst, number>) {
    this.#plan = plan
    this.#varying = varying
    this.#threads = threads
  }

  region(region: Region, share: Share): void {
    for (const { accesses } of neighboursIn(region, type => this.#plan.leaves.flat(type)))
      for (const { inst, elem } of accesses.slice(1)) this.#neighbours.add(inst).add(elem)
    for (const inst of region.insts) {
      if (inst.op === 'loop') this.#loop(inst, share)
      else if (inst.regions.length > 0) this.#ways(inst, share)
      else this.#inst(inst, share)
    }
  }

  #loop(loop: Inst<'loop'>, share: Share): void {
    const count = this.#threads.get(loop)
    let inside: Share
    if (count !== undefined) inside = shareOf(count, share.times)
    else {
      const trips = share.times * Math.min(tripBound(loop)?.max ?? costs.assumedTrips, costs.assumedTrips)
      const late = this.#varying.splits(loop) || this.#varying.lateCounter(loop) !== undefined
      inside = late
        ? { times: trips * costs.laneTrips, active: share.active / costs.laneTrips }
        : { times: trips, active: share.active }
      this.#add(inside, 2, late ? 2 + costs.laneWay : 2)
    }
    for (const region of loop.regions) this.region(region, inside)
  }

  #ways(inst: Inst, share: Share): void {
    if (inst.op === 'block') {
      this.region(inst.regions[0]!, share)
      return
    }
    const ways = inst.regions.length
    const parts = this.#varying.differs(inst.args[0]!)
    const of = parts ? partOf(share, 1 / ways) : { times: share.times / ways, active: share.active }
    this.#add(share, 1, 1)
    for (const region of inst.regions) {
      if (parts && region.insts.length > 1) this.#add(share, 0, costs.laneWay)
      if (parts && inst.results.length > 0) this.#add(of, 0, inst.results.length)
      this.region(region, of)
    }
  }

  /** Says that something costs each thread so much alone, and all of them together so much. */
  #add({ times, active }: Share, alone: number, together: number): void {
    this.alone += times * active * alone
    this.together += times * together
  }

  #inst(inst: Inst, share: Share): void {
    const { leaves } = this.#plan
    const { active } = share
    const result = inst.results[0]
    // Larger values are copied in memory.
    const scalars = (v: Value): number => (v.type.kind === 'ptr' ? 1 : Math.min(leaves.count(v.type), 64))
    const differs = (v: Value | undefined): boolean => v !== undefined && this.#varying.differs(v)
    const differ = inst.args.some(differs) || differs(result)
    const n = result === undefined ? 1 : scalars(result)
    switch (inst.op) {
      case 'const':
      case 'zero':
      case 'undef':
      case 'extract':
      case 'construct':
      case 'splat':
      case 'swizzle':
      case 'insert':
      case 'detach':
      case 'bitcast':
      case 'var':
      case 'global':
      case 'field':
      case 'yield':
      case 'next':
      case 'test':
      case 'ret':
      case 'unreachable':
        return
      case 'leave':
        return this.#add(share, 1, this.#varying.isParted(inst) ? costs.laneWay + inst.args.length : 1)
      case 'elem':
        // A check of the index and an address; neighbours share them.
        return this.#add(share, 3, this.#neighbours.has(inst) ? 0 : 2)
      case 'load':
        return this.#add(share, n, this.#load(inst, n))
      case 'store': {
        const words = scalars(inst.args[1]!)
        return this.#add(share, words, this.#store(inst, words, active))
      }
      case 'div':
      case 'rem': {
        if (isFloat(result!.type)) return this.#add(share, costs.division * n, costs.division * n)
        const [alone, together] = divisionBy(constantInt(inst.args[1]!))
        return this.#add(share, alone * n, (differ ? together : alone) * n)
      }
      case 'shl':
      case 'shr':
        return this.#add(share, n, differs(inst.args[1]) ? laneCount * (1 + costs.laneMove) * n : n)
      case 'atomic':
        // Each lane asks whether it is active, takes an address and operands, checks the address, and puts a result back.
        return this.#add(share, costs.load, active * (costs.load + 4 * costs.laneMove) + 3 * laneCount)
      case 'call': {
        const target = this.#plan.target(inst.attr)
        if (target.kind === 'op' || target.kind === 'none') return this.#add(share, n, n)
        if (target.kind === 'helper') return this.#add(share, costs.libraryCall * n, costs.libraryCall * n)
        const cost = costs.libraryCall * n
        return this.#add(share, cost, differ ? active * (cost + inst.args.length + n + costs.laneMove) : cost)
      }
      default:
        return this.#add(share, n, n)
    }
  }

  #isInterleaved(pointer: Value): boolean {
    const root = rootOf(pointer)
    return root?.op === 'var' && this.#varying.differs(root.results[0]!)
  }

  /** How lanes lie in memory: all at one place, one after the other, evenly apart, or anywhere. */
  #spread(pointer: Value): 'one' | 'row' | 'even' | 'any' {
    let found: 'one' | 'row' | 'even' | 'any' = 'one'
    for (let { def } = pointer; def.op === 'elem' || def.op === 'field'; def = def.args[0]!.def) {
      if (def.op === 'field' || !this.#varying.differs(def.args[1]!)) continue
      const step = this.#varying.stepOf(def.args[1]!)
      if (step === undefined) return 'any'
      found = found === 'one' && step === 1 && def.results[0]!.type.elem!.kind === 'scalar' ? 'row' : 'even'
    }
    return found
  }

  #load(load: Inst, words: number): number {
    if (this.#neighbours.has(load)) return 2 * words
    const pointer = load.args[0]!
    switch (this.#spread(pointer)) {
      case 'one':
      case 'row':
        return words
      case 'even':
        return 2 * words
      case 'any':
        return laneCount * costs.laneMove + (this.#isInterleaved(pointer) ? laneCount : 2) * words
    }
  }

  #store(store: Inst<'store'>, words: number, active: number): number {
    const pointer = store.args[0]!
    const spread = this.#spread(pointer)
    if (spread === 'one' && this.#isInterleaved(pointer)) return this.#varying.isParted(store) ? 3 * words : words
    if (spread === 'row') return 2 * words
    const lanes = this.#neighbours.has(store) ? 0 : active * costs.laneMove + laneCount
    return lanes + active * words + words
  }
}

/**
 * What a division of integers costs, by a constant or by a number that only a run knows: of scalars, and of vectors (`division.ts`). Engines
 * multiply by constants and shift by powers of two; vectors are converted to doubles and back, two lanes at a time.
 */
function divisionBy(by: number | undefined): readonly [alone: number, together: number] {
  if (by === undefined) return [2 * costs.division, 20]
  return (by & (by - 1)) === 0 ? [1, 4] : [costs.division, 10]
}

/** The lanes that take a way which each takes with a probability. Often all lanes take the same; else each goes by itself. */
function partOf({ times, active }: Share, probability: number): Share {
  const some = 1 - (1 - probability) ** active
  const runs = costs.laneAccord * probability + (1 - costs.laneAccord) * some
  return { times: times * runs, active: (active * probability) / runs }
}

/** What threads in a row begin with, where all of them run so many times. */
export function shareOf(threads: number, times = 1): Share {
  const runs = Math.ceil(threads / laneCount)
  return { times: times * runs, active: threads / runs }
}
