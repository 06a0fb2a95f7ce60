/**
 * Finds the loops that keep a small array in memory: were they written out, all indices of the array would be constant, and `sroa` could
 * split it into values. An array that is indexed at run time lives in slow local memory on a GPU.
 *
 *   loop %z (%i: i32) { … %p = elem %array, %i … }   is one for %array, if nothing else indexes that by what only a run knows
 */
import * as costs from '../ir/costs.ts'
import type { Func, Inst, Region, Value } from '../ir/value.ts'
import { walk } from '../ir/walk.ts'
import { writtenOut } from './folding.ts'
import { tripBound } from './loops.ts'
import { constantIndex, isPure, rootOf } from './match.ts'
import { Ranges } from './ranges.ts'

type Loop = Inst<'loop'>

/** Chooses loops to write out. Where not all fit, the arrays go first whose loops grow least. */
export function loopsOfArrays(func: Func): ReadonlySet<Loop> {
  const chosen = new Set<Loop>()
  const indexed = indexedArrays(func.body!)
  if (indexed.size === 0) return chosen
  const indices = new Indices(func)
  const outermost: Loop[] = []
  const visit = ({ insts }: Region): void => {
    for (const inst of insts) {
      if (inst.op === 'loop') outermost.push(inst)
      else inst.regions.forEach(visit)
    }
  }
  visit(func.body!)
  const size = (loops: ReadonlySet<Loop>): number =>
    // Pipelines inline what is called.
    writtenOut(outermost, loop => (loops.has(loop) ? indices.trips(loop) : undefined), costs.arrayLoopGrowth)
  const wanted: { readonly loops: ReadonlySet<Loop>; readonly size: number }[] = []
  for (const at of indexed.values()) {
    const loops = indices.loopsOf(at)
    if (loops !== undefined && loops.size > 0) wanted.push({ loops, size: size(loops) })
    if (wanted.length === costs.arrayLoopGroups) break
  }
  const accesses = (insts: readonly Inst[], loops: ReadonlySet<Inst>): number =>
    insts.reduce((sum, inst) => {
      const own = inst.op === 'elem' && indexed.has(rootOf(inst.args[0]!)!) ? 1 : 0
      const times = loops.has(inst) ? indices.trips(inst as Loop)! : 1
      return sum + own + times * inst.regions.reduce((n, r) => n + accesses(r.insts, loops), 0)
    }, 0)
  const before = size(chosen)
  for (const { loops } of wanted.sort((a, b) => a.size - b.size)) {
    const all = new Set([...chosen, ...loops])
    // Memory is slow, but not so slow that much work is worth writing out for little of it.
    const limit = Math.min(costs.arrayLoopGrowth, costs.arrayLoopWork * accesses(outermost, all))
    if (all.size > chosen.size && size(all) - before <= limit) for (const loop of loops) chosen.add(loop)
  }
  return chosen
}

/** What computed values index each array that is indexed by such, if it is small and nothing but this function sees it. */
function indexedArrays(body: Region): ReadonlyMap<Inst, readonly Value[]> {
  const arrays = new Map<Inst, Value[]>()
  const others = new Set<Inst>()
  walk(body, inst => {
    for (let k = 0; k < inst.args.length; k++) {
      const { type } = inst.args[k]!
      if (type.kind !== 'ptr' || type.space !== 'function') continue
      if (inst.op === 'elem') {
        const { kind, count } = type.elem!
        if (constantIndex(inst.args[1]!, count) !== undefined) continue
        const root = rootOf(inst.args[0]!)
        if (root === undefined) continue
        if (kind !== 'array' || count > costs.splitArray) others.add(root)
        else if (arrays.has(root)) arrays.get(root)!.push(inst.args[1]!)
        else arrays.set(root, [inst.args[1]!])
      } else if (k > 0 || (inst.op !== 'field' && inst.op !== 'load' && inst.op !== 'store')) {
        const root = rootOf(inst.args[k]!)
        if (root !== undefined) others.add(root)
      }
    }
  })
  for (const other of others) arrays.delete(other)
  return arrays
}

/** Which loops must be written out so that values become constants. */
class Indices {
  /** The loop that carries the parameters of a region. */
  readonly #owners = new Map<Region, Loop>()
  readonly #ranges: Ranges
  readonly #trips = new Map<Loop, number | undefined>()

  constructor(func: Func) {
    this.#ranges = new Ranges(func)
    walk(func.body!, inst => {
      if (inst.op === 'loop') this.#owners.set(inst.regions[0]!, inst)
    })
  }

  /** The trips of a loop that may be written out: at most, where it is for the loops around to say how many. */
  trips(loop: Loop): number | undefined {
    if (!this.#trips.has(loop)) {
      const bound = tripBound(loop, v => this.#ranges.of(v, () => true))
      const isSmall = bound !== undefined && !bound.early && bound.max <= costs.arrayLoopTrips && loop.attr !== 'keep'
      this.#trips.set(loop, isSmall ? bound.max : undefined)
    }
    return this.#trips.get(loop)
  }

  /** The loops for some values, and those that their trips depend on. Undefined for what only a run knows. */
  loopsOf(indices: readonly Value[]): ReadonlySet<Loop> | undefined {
    const loops = new Set<Loop>()
    // Grows on the way.
    const values = new Set(indices)
    for (const { def, index } of values) {
      const loop = def.op === 'param' ? this.#owners.get(def) : def.op === 'loop' ? def : undefined
      if (loop !== undefined) {
        const [{ end }, { end: next }] = [loop.regions[0]!, loop.regions[1]!]
        if (end.op !== 'test' || this.trips(loop) === undefined) return undefined
        loops.add(loop)
        values.add(end.args[0]!)
        if (def === loop) values.add(end.args[1 + index]!)
        else if (next.op === 'next') values.add(loop.args[index]!).add(next.args[index]!)
        else return undefined
      } else if (def.op !== 'param' && def.op !== 'call' && isPure(def)) for (const arg of def.args) values.add(arg)
      else return undefined
    }
    return loops
  }
}
