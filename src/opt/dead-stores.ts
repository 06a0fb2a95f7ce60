/** Removes dead stores: nothing can read what they write before it is overwritten or out of scope. */
import type { Func, Inst } from '../ir/value.ts'
import { Global, type Region, type Value } from '../ir/value.ts'
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

/** What the regions of a control instruction may do to memory. */
interface Summary {
  readonly reads: Path[]
  unknown: boolean
  calls: boolean
  /** Something leaves past the instruction. */
  escapes: boolean
}

/** Removes dead stores to local variables and to globals of one invocation; true where there were some. */
export function deadStores({ body }: Func): boolean {
  if (body === undefined || !writesOwn(body)) return false
  return new Sweep(body).region(body, new Overwritten(), undefined)
}

/** Whether a pointer is to memory of one invocation. This pass looks at no other memory. */
function isOwn(pointer: Value): boolean {
  return pointer.type.space === 'function' || pointer.type.space === 'private'
}

function writesOwn(region: Region): boolean {
  return region.insts.some(inst => (inst.op === 'store' && isOwn(inst.args[0]!)) || inst.regions.some(writesOwn))
}

class Sweep {
  readonly #summaries = new Map<Inst, Summary>()

  constructor(body: Region) {
    this.#summarise(body)
  }

  /** Sums up a region, with the control instructions that its `leave`s name. */
  #summarise(region: Region): Summary & { readonly targets: Set<Inst>; returns: boolean } {
    const own = {
      reads: [] as Path[],
      unknown: false,
      calls: false,
      escapes: false,
      targets: new Set<Inst>(),
      returns: false,
    }
    for (let i = 0; i < region.insts.length; i++) {
      const inst = region.insts[i]!
      if (inst.op === 'ret') own.returns = true
      else if (inst.op === 'leave') own.targets.add(inst.attr)
      else if (inst.op === 'call' && !isPureCall(inst)) own.calls = true
      else readsOf(inst, own)
      if (inst.regions.length === 0) continue
      const inside: Summary = { reads: [], unknown: false, calls: false, escapes: false }
      for (let i = 0; i < inst.regions.length; i++) {
        const r = inst.regions[i]!
        const part = this.#summarise(r)
        for (const read of part.reads) inside.reads.push(read)
        inside.unknown ||= part.unknown
        inside.calls ||= part.calls
        own.returns ||= part.returns
        inside.escapes ||= part.returns
        for (const target of part.targets) {
          if (target === inst) continue
          own.targets.add(target)
          if (!this.#summaries.has(target)) inside.escapes = true
        }
      }
      this.#summaries.set(inst, inside)
      for (const read of inside.reads) own.reads.push(read)
      own.unknown ||= inside.unknown
      own.calls ||= inside.calls
    }
    return own
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
      else if (inst.op === 'call' && !isPureCall(inst)) over.forgetGlobals()
      else if (inst.regions.length > 0) {
        const summary = this.#summaries.get(inst)!
        if (summary.escapes) over.clear()
        if (summary.calls) over.forgetGlobals()
        if (summary.unknown) over.clear()
        if (!over.isEmpty) for (const path of summary.reads) over.forget(path)
        for (let k = 0; k < inst.regions.length; k++) changed = this.region(inst.regions[k]!, over, inst) || changed
      } else if (!over.isEmpty && reads(inst)) {
        const read: Summary = { reads: [], unknown: false, calls: false, escapes: false }
        readsOf(inst, read)
        if (read.unknown) over.clear()
        for (const path of read.reads) over.forget(path)
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

/** Whether an instruction without regions reads memory of one invocation. */
function reads({ op, args }: Inst): boolean {
  if (op === 'field' || op === 'elem') return false
  for (let k = op === 'store' ? 1 : 0; k < args.length; k++)
    if (args[k]!.type.kind === 'ptr' && isOwn(args[k]!)) return true
  return false
}

/** Adds the memory that an instruction without regions reads. */
function readsOf(inst: Inst, into: Summary): void {
  const { op, args } = inst
  if (!reads(inst)) return
  for (let k = op === 'store' ? 1 : 0; k < args.length; k++) {
    const arg = args[k]!
    if (arg.type.kind !== 'ptr' || !isOwn(arg)) continue
    const path = pathOf(arg)
    if (path.root === undefined) into.unknown = true
    else into.reads.push(path)
  }
}

function covers(whole: Path, part: Path): boolean {
  return whole.steps.length <= part.steps.length && whole.steps.every((s, i) => s === part.steps[i])
}
