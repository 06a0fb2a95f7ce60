/** Removes dead stores: nothing can read what they write before it is overwritten or out of scope. */
import type { Func, Inst } from '../ir/value.ts'
import { Global, type Region, type Value } from '../ir/value.ts'
import { Exits } from '../ir/exits.ts'
import { mayOverlap, pathOf, type Path } from './alias.ts'
import { fallsThrough, isPureCall } from './match.ts'
import * as costs from '../ir/costs.ts'

/**
 * The paths that are overwritten later, before they are read, by their root. Those of a region begin as those after the region. They are
 * shared, and only differences are kept, since there may be as many regions as paths.
 */
class Overwritten {
  #after: Overwritten | undefined
  #globals = true
  readonly #own = new Map<Inst | Global, readonly Path[]>()

  constructor(after?: Overwritten) {
    this.#after = after
  }

  get isEmpty(): boolean {
    return this.#own.size === 0 && (this.#after === undefined || this.#after.isEmpty)
  }

  get(root: Inst | Global): readonly Path[] {
    return (
      this.#own.get(root) ??
      (this.#after === undefined || (!this.#globals && root instanceof Global) ? none : this.#after.get(root))
    )
  }

  set(root: Inst | Global, paths: readonly Path[]): void {
    this.#own.set(root, paths)
  }

  clear(): void {
    this.#own.clear()
    this.#after = undefined
  }

  forgetGlobals(): void {
    this.#globals = false
    for (const root of this.#own.keys()) if (root instanceof Global) this.#own.delete(root)
  }

  forget(path: Path): void {
    const known = this.get(path.root!)
    if (known.length > 0)
      this.set(
        path.root!,
        known.filter(k => !mayOverlap(k, path)),
      )
  }
}

const none: readonly Path[] = []

/** Removes dead stores to local variables and to globals of one invocation; true where there were some. */
export function deadStores(func: Func): boolean {
  if (func.body === undefined) return false
  return new Sweep(Exits.in(func)).region(func.body, new Overwritten(), undefined)
}

/** Whether a pointer is to memory of one invocation. This pass looks at no other memory. */
function isOwn(pointer: Value): boolean {
  return pointer.type.space === 'function' || pointer.type.space === 'private'
}

class Sweep {
  readonly #exits: Exits

  constructor(exits: Exits) {
    this.#exits = exits
  }

  region(region: Region, after: Overwritten, owner: Inst | undefined): boolean {
    const isHead = owner?.op === 'loop' && owner.regions[0] === region
    const over = new Overwritten(fallsThrough(region) ? after : undefined)
    if (!isHead) {
      for (let i = 0; i < region.insts.length; i++) {
        const inst = region.insts[i]!
        if (inst.op === 'var') over.set(inst, [{ root: inst, steps: [] }])
      }
    }
    const dead = new Set<Inst>()
    let changed = false
    for (let i = region.insts.length - 1; i >= 0; i--) {
      const inst = region.insts[i]!
      if (inst.op === 'store' && this.#store(inst, over)) dead.add(inst)
      else if (inst.op === 'var') over.set(inst, none)
      else {
        if (this.#exits.leavesAround(inst)) over.clear()
        if (!over.isEmpty) read(inst, over)
        for (let k = 0; k < inst.regions.length; k++) changed = this.region(inst.regions[k]!, over, inst) || changed
      }
    }
    if (dead.size > 0) region.insts = region.insts.filter(inst => !dead.has(inst))
    return changed || dead.size > 0
  }

  /** True for a dead store. Notes what a live one overwrites. */
  #store(inst: Inst, over: Overwritten): boolean {
    const path = pathOf(inst.args[0]!)
    const { root } = path
    if (root === undefined || (root instanceof Global && root.space !== 'private')) return false
    const known = over.get(root)
    if (known.some(k => covers(k, path))) return true
    if (known.length < costs.overwrittenPaths) over.set(root, [...known, path])
    return false
  }
}

/** Forgets what an instruction reads, with its regions. */
function read(inst: Inst, over: Overwritten): void {
  const { op, args, regions } = inst
  if (op === 'call' && !isPureCall(inst)) over.forgetGlobals()
  else if (op !== 'field' && op !== 'elem') {
    for (let k = op === 'store' ? 1 : 0; k < args.length; k++) {
      if (args[k]!.type.kind !== 'ptr' || !isOwn(args[k]!)) continue
      const path = pathOf(args[k]!)
      if (path.root === undefined) over.clear()
      else over.forget(path)
    }
  }
  for (let k = 0; k < regions.length; k++) for (const inner of regions[k]!.insts) read(inner, over)
}

function covers(whole: Path, part: Path): boolean {
  return whole.steps.length <= part.steps.length && whole.steps.every((s, i) => s === part.steps[i])
}
