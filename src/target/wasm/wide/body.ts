/** Compiles a function's regions for several threads at once: what differs between them are vectors, and interleaved variables. */
import { InternalError } from '../../../base/diag.ts'
import { laneLayouts, type Layouts } from '../../../ir/layout.ts'
import type { Func, Inst, Region, Value } from '../../../ir/value.ts'
import { isRecursive } from '../../../opt/recursion.ts'
import { Body, type LaneView } from '../body.ts'
import { valType } from '../leaf.ts'
import type { Location } from '../memory.ts'
import type { Callee, Code, Label, Node } from '../node.ts'
import { f32x4, i32, isVector, op, type ScalarType } from '../opcode.ts'
import type { Plan } from '../plan.ts'
import { constant } from '../scalar.ts'
import { WideControl } from './control.ts'
import { laneCount, lanesOf, NotWide, WideGraph } from './graph.ts'
import { laneType, WideMemory } from './memory.ts'
import { Rows } from './rows.ts'
import { isConstantCall, type Varying } from './varying.ts'

export class WideBody extends Body {
  declare readonly g: WideGraph
  declare readonly memory: WideMemory
  readonly #varying: Varying
  readonly #flow: WideControl
  /** By local that holds the first of numbers that are evenly apart: how much more the next is. */
  readonly #rows = new Map<number, number>()
  /** Calls that were made before all threads. */
  readonly #once = new Set<unknown>()
  readonly #accesses: Rows

  /** `threads` are the loops over threads, and over how many. */
  constructor(
    plan: Plan,
    func: Func,
    code: Code,
    frame: { top: number },
    varying: Varying,
    threads: ReadonlyMap<Inst, number>,
    leave: (body: Body) => void,
  ) {
    let flow!: WideControl
    super(plan, func, code, frame, leave, {
      graph: c => new WideGraph(c, bytes => plan.constants(bytes)),
      memory: g => new WideMemory(g as WideGraph, plan.leaves, size => plan.zeros(size)),
      control: body => (flow = new WideControl(body as WideBody, varying, threads)),
    })
    this.#varying = varying
    this.#flow = flow
    this.#accesses = new Rows(this)
  }

  /** Where control goes if no lane is left in the function. */
  endAt(label: Label): void {
    this.#flow.end = label
  }

  /** Lanes begin with the threads that follow `first`; those past the last of them are not active. */
  startLanes(index: Value, first: Node, threads: number): void {
    const { g } = this
    const row = g.row(g.align(first), 1)
    this.set(index, [row])
    this.ranges.given.set(index, { lo: 0, hi: threads - 1 })
    this.memory.mask = threads % laneCount === 0 ? undefined : g.pure(op.i32LtU, i32, row, g.i32(threads))
  }

  override region(region: Region): void {
    this.#accesses.enter(region)
    super.region(region)
  }

  protected override inst(inst: Inst): void {
    if (!this.#accesses.takes(inst)) super.inst(inst)
  }

  // ── Values ───────────────────────────────────────────────────────────────────────────────────────────────────

  override locals(value: Value): number[] {
    if (!this.#varying.differs(value)) return super.locals(value)
    const step = this.#varying.stepOf(value)
    if (step !== undefined) {
      const local = this.g.code.local(i32)
      this.#rows.set(local, step)
      return [local]
    }
    return this.plan.leaves.of(value.type).map(s => this.g.code.local(laneType(s)))
  }

  /** A value as what a local holds. */
  asLocal(local: number, value: Node): Node {
    const type = this.g.code.locals[local]!
    if (isVector(type)) return this.g.as(type, value)
    if (this.#rows.has(local)) return this.g.rowOf(value)?.first ?? this.g.lane(value, 0)
    if (isVector(value.type)) throw new InternalError('wasm', 'a value that differs between lanes was said not to')
    return value
  }

  /** The value that a local holds. */
  heldBy(local: number): Node {
    const value = this.g.get(local)
    const step = this.#rows.get(local)
    return step === undefined ? value : this.g.row(value, step)
  }

  protected override layoutsOf(holder: Value): Layouts {
    return this.#varying.differs(holder) ? laneLayouts : super.layoutsOf(holder)
  }

  override fresh<T>(f: () => T): T {
    return this.memory.whole(f)
  }

  protected override inPlace(f: () => void): void {
    if (this.#flow.isLate) f()
    else this.fresh(f)
  }

  protected override write(store: Inst, to: Location, value: Value): void {
    if (this.#varying.isParted(store)) super.write(store, to, value)
    else this.fresh(() => super.write(store, to, value))
  }

  protected override chosen(result: Value, cond: Value, yes: Value, no: Value): Location {
    if (!this.#varying.differs(result)) return super.chosen(result, cond, yes, no)
    const { g, memory } = this
    const slot = this.slot(result.type, result)
    const c = this.node(cond)
    this.fresh(() => this.build(slot, no))
    if (isVector(c.type)) memory.within(g.both(undefined, c), () => this.build(slot, yes))
    else g.when(c, () => this.fresh(() => this.build(slot, yes)))
    return slot
  }

  // ── Lanes ────────────────────────────────────────────────────────────────────────────────────────────────────

  override fails(cond: Node): Node {
    return isVector(cond.type) ? this.g.any(this.g.without(this.memory.mask, cond)) : super.fails(cond)
  }

  override countOf(loop: Inst): Node {
    const { g, memory } = this
    // What all threads of a workgroup do together is counted for all.
    if (this.trips.has(loop)) return super.countOf(loop)
    return memory.mask === undefined ? g.i32(laneCount) : g.pure(op.i32Popcnt, i32, g.bits(memory.mask))
  }

  override eachLane(results: readonly ScalarType[], f: (lane: LaneView) => readonly Node[]): readonly Node[] {
    const { g, memory } = this
    const types = results.map(lanesOf)
    const found: number[][] = results.map(() => [])
    memory.eachLane(lane => {
      f(lane).forEach((value, k) => {
        const local = g.code.local(results[k]!)
        g.stmt({ kind: 'set', local, value })
        found[k]!.push(local)
      })
    })
    return found.map((locals, k) =>
      g.collect(
        types[k]!,
        locals.map(local => g.get(local)),
      ),
    )
  }

  /** Calls functions before all threads that give the same for each. */
  callOnce(region: Region): void {
    // Trips are counted for each thread.
    if (this.plan.limits.trips !== undefined) return
    for (const inst of region.insts) {
      if (inst.op !== 'call' || this.plan.target(inst.attr).kind !== 'call' || !isConstantCall(inst)) continue
      for (const { def, type } of inst.args)
        if (def.op === 'const') this.set(def.results[0]!, [constant(this.g, type.scalar!, def.attr)])
      this.#once.add(inst)
      super.callFunc(inst, inst.attr)
    }
  }

  override own(value: Value): void {
    // What all threads read, none may change.
    if (!this.#once.has(value.def)) super.own(value)
  }

  // ── Calls ────────────────────────────────────────────────────────────────────────────────────────────────────

  protected override callScalar(callee: Callee, args: readonly Node[], pure: boolean): Node {
    if (pure && !args.some(a => isVector(a.type))) return super.callScalar(callee, args, pure)
    const type = callee.results[0] as ScalarType
    return this.eachLane([type], lane => [
      super.callScalar(
        callee,
        args.map(a => lane.node(a)),
        pure,
      ),
    ])[0]!
  }

  protected override callElementary(intrinsic: string, func: Func, args: readonly Node[]): Node {
    const { g } = this
    if (!args.some(a => isVector(a.type))) return super.callElementary(intrinsic, func, args)
    return super.callScalar(
      this.plan.elementary(intrinsic, func, true),
      args.map(a => g.as(f32x4, a)),
      true,
    )
  }

  protected override callFunc(inst: Inst<'call'>, func: Func): void {
    if (this.#once.has(inst)) return
    const { leaves } = this.plan
    if (this.#varying.isShared(inst)) {
      super.callFunc(inst, func)
      return
    }
    const flat = [...inst.args, ...inst.results].every(v => this.isFlat(v.type))
    const passing = this.plan.passing(func)
    const asScalars = passing.params.every(p => p) && passing.results.every(p => p)
    if (!flat || !asScalars || isRecursive(func)) throw new NotWide(`it calls ${func.name}`)
    const callee = this.plan.calleeOf(func)
    const args = inst.args.flatMap(a => this.nodes(a))
    const types = inst.results.flatMap(r => leaves.of(r.type).map(valType))
    const found = this.eachLane(types, lane => {
      const locals = callee.results.map(type => this.g.code.local(type))
      const own = args.map(a => lane.node(a))
      this.g.stmt({ kind: 'call', func: callee, args: own, locals, pure: func.info.pure })
      return locals.map(local => this.g.get(local))
    })
    let at = 0
    for (const r of inst.results) this.set(r, found.slice(at, (at += leaves.count(r.type))))
  }
}
