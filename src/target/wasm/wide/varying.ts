/**
 * What differs between the lanes of a kernel that runs several threads at once: values, variables, and where control parts.
 * What is not found here is computed once for all lanes.
 *
 * Control has a depth: 0 is the function, and each construct is one deeper than what is around it. Where lanes are apart, it matters
 * since which construct they are: what was made inside of that construct, only lanes have seen that are together.
 */
import * as t from '../../../ir/type.ts'
import type { Func, Inst, Region, Value } from '../../../ir/value.ts'
import { walk } from '../../../ir/walk.ts'
import { Exits } from '../../../ir/exits.ts'
import { constantInt, rootOf } from '../../../opt/match.ts'
import { laneCount } from './graph.ts'

/** All lanes are together. */
const together = -1

/** A value that differs from the start. */
export interface Root {
  /** Which of its parts do. */
  readonly differs: readonly boolean[]
  /** Whether the first part is one more from lane to lane. */
  readonly isRow: boolean
  /** Whether it also begins with a multiple of four. */
  readonly isAligned: boolean
}

export class Varying {
  readonly #differs: boolean[] = []
  /** Constructs whose ends lanes reach apart, with different values. */
  readonly #split = new Set<Inst>()
  /** The deepest place outside of a construct to which some lanes leave from inside, while others do not. */
  readonly #escapes = new Map<Inst, number>()
  /** Exits that some lanes take while others do not, and writes to variables that others look at. */
  readonly #parted = new Set<Inst>()
  readonly #depth = new Map<Inst, number>()
  /** How deep a variable stands that each lane has for itself, by its instruction. */
  readonly #scope = new Map<Inst, number>()
  readonly #around: Inst[] = []
  /** Loops over threads: each trip runs several. */
  readonly #threads: ReadonlySet<Inst>
  #changed = false

  readonly #roots: ReadonlyMap<Value, Root>
  readonly #exits: Exits
  /** By the head of a loop: the loop. */
  readonly #loops = new Map<Region, Inst>()
  /** Loops that count down from numbers that differ, with the index of the counter. */
  readonly #late = new Map<Inst, number>()

  /** Whether trips of loops are counted, those of each lane by themselves. */
  readonly #counts: boolean

  /** `roots` says what differs from the start; each trip of a loop of `threads` stands for a lane. */
  constructor(func: Func, roots: ReadonlyMap<Value, Root>, threads: ReadonlySet<Inst>, counts: boolean) {
    this.#threads = threads
    this.#counts = counts
    this.#roots = roots
    this.#exits = Exits.in(func)
    roots.forEach(({ differs }, v) => {
      if (differs.includes(true)) this.#mark(v)
    })
    do {
      this.#changed = false
      this.#region(func.body!, together)
    } while (this.#changed)
  }

  /** Whether a value, or what a variable holds that it points to, may differ. */
  differs(value: Value): boolean {
    return this.#differs[value.id] === true
  }

  /** Whether a call does the same for all lanes, so that one call is enough. */
  isShared(call: Inst<'call'>): boolean {
    return !this.#counts && isSteady(call.attr) && !call.args.some(a => this.differs(a))
  }

  /** Whether lanes may reach the end of a construct apart. */
  splits(inst: Inst): boolean {
    return this.#split.has(inst)
  }

  /** Whether some lanes may leave a construct for what is around it while others do not. */
  escapes(inst: Inst): boolean {
    return this.#escapes.has(inst)
  }

  /** Whether a `leave`, or a write to a variable, is for some of the lanes that come to it or look at it later. */
  isParted(inst: Inst): boolean {
    return this.#parted.has(inst)
  }

  /**
   * The index of the counter of a loop that counts down to zero, from numbers that differ, and ends in no other way. Lanes begin such
   * a loop late rather than to end it early: so the counter, and what it indexes, is the same for all.
   */
  lateCounter(loop: Inst): number | undefined {
    return this.#late.get(loop)
  }

  /** How much more an integer is from lane to lane; undefined where nothing is known. */
  stepOf(value: Value): number | undefined {
    return this.#step(value, new Map(), { left: 200 })
  }

  /** `assumed` are steps of what loops carry, until it is seen whether they keep them. */
  #step(v: Value, assumed: ReadonlyMap<Value, number>, budget: { left: number }): number | undefined {
    if (!this.differs(v)) return 0
    if ((v.type !== t.i32 && v.type !== t.u32) || --budget.left < 0) return undefined
    const known = assumed.get(v)
    if (known !== undefined) return known
    if (this.#roots.has(v)) return this.#roots.get(v)!.isRow ? 1 : undefined
    const { def } = v
    const of = (x: Value): number | undefined => this.#step(x, assumed, budget)
    const both = (f: (x: number, y: number) => number): number | undefined => {
      if (def.op === 'param') return undefined
      const [x, y] = [of(def.args[0]!), of(def.args[1]!)]
      return x === undefined || y === undefined ? undefined : f(x, y) | 0
    }
    switch (def.op) {
      case 'param': {
        const loop = this.#loops.get(def)
        if (loop === undefined || this.#late.has(loop) || loop.regions[1]!.end.op !== 'next') return undefined
        const step = of(loop.args[v.index]!)
        if (step === undefined) return undefined
        const next = loop.regions[1]!.end.args[v.index]!
        return this.#step(next, new Map([...assumed, [v, step]]), budget) === step ? step : undefined
      }
      case 'extract':
        return def.attr === 0 && this.#roots.get(def.args[0]!)?.isRow === true ? 1 : undefined
      case 'add':
        return both((x, y) => x + y)
      case 'sub':
        return both((x, y) => x - y)
      case 'mul': {
        const by = constantInt(def.args[1]!) ?? constantInt(def.args[0]!)
        const x = of(constantInt(def.args[1]!) === undefined ? def.args[1]! : def.args[0]!)
        return by === undefined || x === undefined ? undefined : Math.imul(x, by)
      }
      case 'bitcast':
      case 'convert': {
        const from = def.args[0]!
        return from.type === t.i32 || from.type === t.u32 ? of(from) : undefined
      }
      case 'loop':
        // What leaves it from inside brings other numbers than the head.
        return this.#split.has(def) || this.#late.has(def) || this.#exits.isLeft(def)
          ? undefined
          : of(def.regions[0]!.end.args[v.index + 1]!)
      default:
        return undefined
    }
  }

  #mark(v: Value): void {
    if (this.#differs[v.id] === true) return
    this.#differs[v.id] = true
    this.#changed = true
  }

  #markWhere(condition: boolean, values: readonly Value[], from: readonly Value[]): void {
    values.forEach((v, i) => {
      if (condition || this.differs(from[i]!)) this.#mark(v)
    })
  }

  /** Walks a region; gives the depth since which lanes are apart at its end. */
  #region(region: Region, apart: number): number {
    let now = apart
    for (const inst of region.insts) now = this.#inst(inst, now)
    return now
  }

  #inst(inst: Inst, apart: number): number {
    if (inst.regions.length > 0) return this.#construct(inst, apart)
    switch (inst.op) {
      case 'var':
        // What stands outside of all loops over threads holds what is of all threads.
        if (this.#threads.size === 0 || this.#around.some(i => this.#threads.has(i)))
          this.#scope.set(inst, this.#around.length + 1)
        break
      case 'store': {
        const root = rootOf(inst.args[0]!)
        const scope = root?.op === 'var' ? this.#scope.get(root) : undefined
        if (root === undefined || scope === undefined) break
        const parted = apart >= scope
        if (parted) this.#parted.add(inst)
        if (parted || inst.args.some(a => this.differs(a))) this.#mark(root.results[0]!)
        break
      }
      case 'atomic': {
        for (const r of inst.results) this.#mark(r)
        // Of a variable, each lane changes its own.
        const root = rootOf(inst.args[0]!)
        if (root?.op === 'var' && this.#scope.has(root)) this.#mark(root.results[0]!)
        break
      }
      case 'call': {
        if (!this.isShared(inst)) for (const r of inst.results) this.#mark(r)
        break
      }
      case 'extract':
        if (this.#roots.get(inst.args[0]!)?.differs[inst.attr] === false) break
        this.#markWhere(false, inst.results, inst.args)
        break
      case 'div':
      case 'shr': {
        const by = constantInt(inst.args[1]!)
        const isQuotient = by !== undefined && (inst.op === 'shr' ? by > 1 && by < 32 : by > 0 && by % laneCount === 0)
        if (!isQuotient || !this.#isAligned(inst.args[0]!)) this.#markWhere(false, inst.results, inst.args)
        if (inst.args.length > 1 && this.differs(inst.args[1]!)) this.#mark(inst.results[0]!)
        break
      }
      case 'leave':
        this.#leave(inst, apart)
        break
      case 'ret':
        if (apart >= 0) this.#escape(0)
        break
      default:
        if (inst.args.some(a => this.differs(a))) for (const r of inst.results) this.#mark(r)
    }
    return apart
  }

  /** Whether lanes have numbers without sign that follow each other from a multiple of four. */
  #isAligned(v: Value): boolean {
    if (v.type !== t.u32) return false
    const own = this.#roots.get(v)
    if (own !== undefined) return own.isAligned
    const { def } = v
    if (def.op === 'param' || def.op !== 'extract' || def.attr !== 0) return false
    return this.#roots.get(def.args[0]!)?.isAligned === true
  }

  #leave(leave: Inst<'leave'>, apart: number): void {
    const target = leave.attr
    const depth = this.#depth.get(target)!
    if (apart >= depth) {
      this.#parted.add(leave)
      this.#splitAt(target)
      this.#escape(depth)
    }
    this.#markWhere(this.#split.has(target), target.results, leave.args)
  }

  #splitAt(inst: Inst): void {
    if (this.#split.has(inst)) return
    this.#split.add(inst)
    this.#changed = true
  }

  /** Some lanes leave for a construct, or for the end of the function. */
  #escape(depth: number): void {
    for (const inst of this.#around) {
      if (this.#depth.get(inst)! <= depth || (this.#escapes.get(inst) ?? together) >= depth) continue
      this.#escapes.set(inst, depth)
      this.#changed = true
    }
  }

  #construct(inst: Inst, before: number): number {
    this.#around.push(inst)
    const depth = this.#around.length
    this.#depth.set(inst, depth)
    if (inst.op === 'loop') this.#loop(inst, depth, before)
    else {
      const chooses = (inst.op === 'if' || inst.op === 'switch') && this.differs(inst.args[0]!)
      if (chooses) this.#splitAt(inst)
      for (const region of inst.regions) {
        this.#region(region, chooses ? depth : before)
        const { end } = region
        if (end.op === 'yield') this.#markWhere(this.#split.has(inst), inst.results, end.args)
      }
    }
    this.#around.pop()
    return Math.max(before, this.#escapes.get(inst) ?? together)
  }

  #loop(loop: Inst, depth: number, before: number): void {
    const [head, body] = [loop.regions[0]!, loop.regions[1]!]
    this.#loops.set(head, loop)
    const isClosed = !this.#exits.isLeft(loop) && !this.#exits.leavesAround(loop) && !this.#threads.has(loop)
    const counter = isClosed ? counterDown(loop) : undefined
    if (counter !== undefined && this.differs(loop.args[counter]!) && !this.#late.has(loop)) {
      this.#late.set(loop, counter)
      this.#changed = true
    }
    const isLate = this.#late.has(loop)
    const carry = (from: readonly Value[]): void =>
      head.params.forEach((p, i) => {
        // Those that have not begun keep what they begin with.
        if (i !== counter ? isLate || this.differs(from[i]!) : !isLate && this.differs(from[i]!)) this.#mark(p)
      })
    carry(loop.args)
    // Later trips begin where lanes that left are missing.
    const missing = (): number =>
      Math.max(before, this.#split.has(loop) || isLate ? depth : together, this.#escapes.get(loop) ?? together)
    this.#region(head, missing())
    const test = head.end
    if (!this.#threads.has(loop) && this.differs(test.args[0]!)) this.#splitAt(loop)
    this.#markWhere(this.#split.has(loop), loop.results, test.args.slice(1))
    this.#region(body, missing())
    if (body.end.op === 'next') carry(body.end.args)
  }
}

/** The index of what a loop counts down by one as long as it is above zero. */
function counterDown(loop: Inst): number | undefined {
  const [head, body] = [loop.regions[0]!, loop.regions[1]!]
  const cond = head.end.args[0]!.def
  if (cond.op !== 'gt' && cond.op !== 'lt') return undefined
  const [p, zero] = cond.op === 'gt' ? [cond.args[0]!, cond.args[1]!] : [cond.args[1]!, cond.args[0]!]
  if (p.def !== head || (p.type !== t.i32 && p.type !== t.u32) || constantInt(zero) !== 0) return undefined
  if (body.end.op !== 'next') return undefined
  const next = body.end.args[p.index]!.def
  const by = next.op === 'sub' ? 1 : next.op === 'add' ? -1 : undefined
  const isNext = by !== undefined && next.op !== 'param' && next.args[0] === p && constantInt(next.args[1]!) === by
  if (!isNext) return undefined
  // Lanes that begin below zero come to the head with zero, as makes no difference where nothing else looks at the counter.
  return p.type === t.i32 && usedBesides(head, p, cond) ? undefined : p.index
}

/** Whether something in a region uses a value, besides one instruction. */
function usedBesides(region: Region, v: Value, known: Inst): boolean {
  let is = false
  walk(region, inst => {
    is ||= inst !== known && inst.args.includes(v)
  })
  return is
}

/** Whether a call gives the same in a whole dispatch: it takes constants, and reads nothing that a kernel may write. */
export function isConstantCall(call: Inst<'call'>): boolean {
  return (
    call.args.every(a => a.def.op !== 'param' && a.def.op === 'const') && isSteady(call.attr) && isDispatched(call.attr)
  )
}

/** True for functions that read no memory but what nobody writes during a dispatch. */
function isDispatched({ body }: Func): boolean {
  let is = body !== undefined
  if (body !== undefined)
    walk(body, inst => {
      if (inst.op === 'global') is &&= inst.attr.space === 'storage' || inst.attr.space === 'uniform'
      else if (inst.op === 'call') is &&= inst.attr.info.pure || isDispatched(inst.attr)
    })
  return is
}

const steady = new WeakMap<Func, boolean>()

/** True for functions that write nothing but their own variables, and read nothing that each thread has for itself. */
function isSteady(func: Func): boolean {
  if (func.info.pure) return true
  if (func.body === undefined) return false
  let is = steady.get(func)
  if (is !== undefined) return is
  // Of a circle of calls nothing is said.
  steady.set(func, false)
  is = true
  walk(func.body, inst => {
    if (inst.op === 'call') is &&= isSteady(inst.attr)
    else if (inst.op === 'store') is &&= rootOf(inst.args[0]!)?.op === 'var'
    else if (inst.op === 'global') is &&= inst.attr.space !== 'private'
    else if (inst.row.effect === 'write') is = false
  })
  steady.set(func, is)
  return is
}
