/**
 * Barriers that not all threads of a workgroup may reach, which WGSL refuses. The rules are those of WGSL's uniformity
 * analysis: what a thread computes from its own number or from memory that others write may differ between threads; so may
 * what is assigned where the flow of control depends on that.
 */
import type { Sink } from '../../base/diag.ts'
import { divergentBarrier } from '../../base/errors/target.ts'
import type { Func, Inst } from '../../ir/value.ts'
import { type Global, type Region, type Value } from '../../ir/value.ts'
import { walk } from '../../ir/walk.ts'
import { intrinsicOf } from './intrinsic.ts'

/**
 * Reports the barriers that are not in uniform control flow of an entry point, or of a function whose arguments do not differ between threads;
 * `isConstant` tells of variables that nothing writes.
 */
export function checkBarriers(root: Func, isConstant: (global: Global) => boolean, sink: Sink): void {
  const barriers = new Map<Func, boolean>()
  if (!hasBarrier(root, barriers)) return
  const semantics = root.info.entry?.semantics ?? []
  new Uniformity(barriers, isConstant, sink).results(
    root,
    semantics.map(s => s !== 'SV_GROUPID'),
  )
}

/** Whether a function or one that it calls has a barrier; `known` is filled. */
function hasBarrier(func: Func, known: Map<Func, boolean>): boolean {
  const old = known.get(func)
  if (old !== undefined) return old
  known.set(func, false)
  let found = false
  if (func.body !== undefined) {
    walk(func.body, inst => {
      if (inst.op === 'barrier' || (inst.op === 'call' && hasBarrier(inst.attr, known))) found = true
    })
  }
  known.set(func, found)
  return found
}

class Uniformity {
  readonly #barriers: ReadonlyMap<Func, boolean>
  readonly #isConstant: (global: Global) => boolean
  readonly #sink: Sink
  readonly #memo = new Map<Func, Map<string, readonly boolean[]>>()

  constructor(barriers: ReadonlyMap<Func, boolean>, isConstant: (global: Global) => boolean, sink: Sink) {
    this.#barriers = barriers
    this.#isConstant = isConstant
    this.#sink = sink
  }

  /** Which results of a function may differ between threads, where those of its arguments may that are said to. */
  results(func: Func, args: readonly boolean[]): readonly boolean[] {
    let known = this.#memo.get(func)
    if (known === undefined) this.#memo.set(func, (known = new Map()))
    const key = args.map(Number).join('')
    const old = known.get(key)
    if (old !== undefined) return old
    const all = func.results.map(() => true)
    if (func.body === undefined) return all
    // A function that calls itself is refused elsewhere.
    known.set(key, all)
    const flow = new Flow(func, this)
    func.body.params.forEach((p, i) => {
      if (args[i] === true) flow.mark(p)
    })
    const found = flow.run()
    known.set(key, found)
    return found
  }

  needsAll(func: Func): boolean {
    return this.#barriers.get(func) === true
  }

  isConstant(global: Global): boolean {
    return this.#isConstant(global)
  }

  report(inst: Inst, func: Func): void {
    this.#sink.add(divergentBarrier, inst.span ?? func.span ?? undefined, { func: func.name })
  }
}

/** One function: walked again until nothing more is found to differ. */
class Flow {
  readonly #func: Func
  readonly #all: Uniformity
  /** By value: it may differ between threads. */
  readonly #differs: boolean[] = []
  /** Variables that hold, where the walk is, what may differ; and those that do where a trip of a loop ends. */
  readonly #held = new Set<Inst>()
  readonly #carried = new Map<Inst, Set<Inst>>()
  /** Control that something inside leaves for a place further out. */
  readonly #escaped = new Set<Inst>()
  /** Control that something inside leaves, or ends a trip, where not all threads are. */
  readonly #split = new Set<Inst>()
  readonly #around: Inst[] = []
  readonly #returned: boolean[]
  readonly #found: Inst[] = []
  #changed = false

  constructor(func: Func, all: Uniformity) {
    this.#func = func
    this.#all = all
    this.#returned = func.results.map(() => false)
  }

  run(): readonly boolean[] {
    do {
      this.#changed = false
      this.#found.length = 0
      this.#held.clear()
      this.#region(this.#func.body!, false)
    } while (this.#changed)
    for (const inst of this.#found) this.#all.report(inst, this.#func)
    return this.#returned
  }

  mark(v: Value): void {
    if (this.#differs[v.id] === true) return
    this.#differs[v.id] = true
    this.#changed = true
  }

  #any(values: readonly Value[]): boolean {
    return values.some(v => this.#differs[v.id] === true)
  }

  #add(set: Set<Inst>, inst: Inst): void {
    if (set.has(inst)) return
    set.add(inst)
    this.#changed = true
  }

  /** Walks a region where control may differ or not; gives whether it may at the end. */
  #region(region: Region, differs: boolean): boolean {
    let now = differs
    for (const inst of region.insts) now = this.#inst(inst, now)
    return now
  }

  #inst(inst: Inst, now: boolean): boolean {
    const { op, args } = inst
    if (inst.regions.length > 0) return this.#control(inst, now)
    if (op === 'barrier') {
      if (now || this.#any(args)) this.#found.push(inst)
    } else if (op === 'call') this.#call(inst, now)
    else if (op === 'store') {
      if (now || this.#any(args)) this.#markRoot(args[0]!)
    } else if (op === 'load' || op === 'atomic') {
      if (op === 'atomic' || this.#any(args) || this.#memoryDiffers(args[0]!)) inst.results.forEach(r => this.mark(r))
    } else if (op === 'leave') this.#leave(inst.attr, args, now)
    else if (op === 'ret') {
      for (const e of this.#around) this.#exit(e, now)
      args.forEach((a, i) => {
        if (this.#returned[i] === true || (!now && this.#differs[a.id] !== true)) return
        this.#returned[i] = true
        this.#changed = true
      })
    } else if (op !== 'var' && this.#any(args)) inst.results.forEach(r => this.mark(r))
    return now
  }

  /** Something in `inst` leaves it for a place further out. */
  #exit(inst: Inst, now: boolean): void {
    this.#add(this.#escaped, inst)
    if (now) this.#add(this.#split, inst)
  }

  #leave(target: Inst, values: readonly Value[], now: boolean): void {
    for (let i = this.#around.length - 1; this.#around[i] !== target && i >= 0; i--) this.#exit(this.#around[i]!, now)
    if (now) this.#add(this.#split, target)
    values.forEach((v, i) => {
      if (now || this.#differs[v.id] === true) this.mark(target.results[i]!)
    })
  }

  #control(inst: Inst, now: boolean): boolean {
    this.#around.push(inst)
    const isLoop = inst.op === 'loop'
    const choice = (inst.op === 'if' || inst.op === 'switch') && this.#any(inst.args.slice(0, 1))
    // Later trips begin where threads that left are missing.
    let inside = now || choice || (isLoop && this.#split.has(inst))
    if (isLoop) this.#carried.get(inst)?.forEach(v => this.#held.add(v))
    if (isLoop)
      inst.args.forEach((a, i) => {
        if (inside || this.#differs[a.id] === true) this.mark(inst.regions[0]!.params[i]!)
      })
    let after = inside
    for (const region of inst.regions) {
      const end = this.#region(region, inside)
      const last = region.end
      if (last.op === 'yield') {
        last.args.forEach((a, i) => {
          if (end || this.#differs[a.id] === true) this.mark(inst.results[i]!)
        })
        after ||= end
      } else if (last.op === 'test') {
        const parts = end || this.#any(last.args.slice(0, 1))
        if (parts) this.#add(this.#split, inst)
        last.args.slice(1).forEach((a, i) => {
          if (parts || this.#differs[a.id] === true) this.mark(inst.results[i]!)
        })
        inside = parts
      } else if (last.op === 'next') {
        if (end) this.#add(this.#split, inst)
        this.#carry(inst)
        last.args.forEach((a, i) => {
          if (end || this.#differs[a.id] === true) this.mark(inst.regions[0]!.params[i]!)
        })
      }
    }
    this.#around.pop()
    // Where all that comes in goes out at the end, threads meet there again.
    return this.#escaped.has(inst) ? after || this.#split.has(inst) : now
  }

  /** What the variables hold at the end of a trip, they hold at the start of the next. */
  #carry(loop: Inst): void {
    const old = this.#carried.get(loop)
    if (old?.size === this.#held.size) return
    this.#carried.set(loop, new Set(this.#held))
    this.#changed = true
  }

  #call(inst: Inst<'call'>, now: boolean): void {
    const callee = inst.attr
    if (now && this.#all.needsAll(callee)) this.#found.push(inst)
    const args = inst.args.map(a => this.#differs[a.id] === true)
    const intrinsic = intrinsicOf(callee)
    const found =
      intrinsic?.uniformity === 'subgroup'
        ? callee.results.map(() => true)
        : intrinsic !== undefined || (callee.info.pure && !args.includes(true))
          ? callee.results.map(() => args.includes(true))
          : this.#all.results(callee, args)
    inst.results.forEach((r, i) => {
      if (found[i] === true) this.mark(r)
    })
  }

  /** Where a pointer leads: a variable of the function, or a global. */
  #root(ptr: Value): Inst | undefined {
    let def = ptr.def
    while (def.op !== 'param' && (def.op === 'field' || def.op === 'elem')) def = def.args[0]!.def
    return def.op !== 'param' ? def : undefined
  }

  #memoryDiffers(ptr: Value): boolean {
    const root = this.#root(ptr)
    if (root === undefined) return true
    if (root.op === 'var') return this.#held.has(root)
    if (root.op !== 'global') return true
    const global = root.attr
    return (
      global.space === 'storage_rw' ||
      global.space === 'workgroup' ||
      (global.space === 'private' && !this.#all.isConstant(global))
    )
  }

  #markRoot(ptr: Value): void {
    const root = this.#root(ptr)
    if (root !== undefined && root.op === 'var') this.#held.add(root)
  }
}
