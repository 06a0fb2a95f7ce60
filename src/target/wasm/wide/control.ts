/**
 * Control flow of several threads at once. Where all lanes go the same way, it is that of one thread. Where they part, each way runs
 * for its lanes, under a mask; a loop goes on until no lane is left. Code never runs without an active lane: before each way, and
 * where lanes may have left for what is further out, it asks whether there are some.
 */
import * as t from '../../../ir/type.ts'
import type { Inst, Region, Value } from '../../../ir/value.ts'
import { Control, type Destination, type Scope } from '../control.ts'
import type { Location } from '../memory.ts'
import { Label, type Node } from '../node.ts'
import { i32, isVector, mask4, op } from '../opcode.ts'
import type { WideBody } from './body.ts'
import { laneCount } from './graph.ts'
import type { Varying } from './varying.ts'

/** Where the ways through a construct meet. */
interface Join {
  /** The lanes that come in. */
  readonly entry: Node | undefined
  /** The lanes with which the next region begins. */
  start: Node | undefined
  /** Where to go if no lane is left in the region; undefined for the end of the construct. */
  end: Label | undefined
  /** Whether fewer lanes may come out than went in. If so, the lanes that do: locals that the ways set, or masks. */
  readonly counts: boolean
  readonly ways: number[]
  readonly masks: Node[]
  /** Whether ways bring values for their own lanes alone. */
  readonly blends: boolean
  /** In the first way in, which finds nothing to keep. */
  isFirst: boolean
}

export class WideControl extends Control {
  declare protected readonly body: WideBody
  readonly #varying: Varying
  /** The loops over threads, and over how many. */
  readonly #threads: ReadonlyMap<Inst, number>
  readonly #joins = new Map<Inst, Join>()
  /** By loop that lanes leave one by one: the local with the lanes that are in it. By loop over threads: its counter. */
  readonly #locals = new Map<Inst, number>()
  /** Where to go if no lane is left. */
  end: Label = new Label()
  #blends = false
  /** The loops around that lanes begin late: what they carry must not change for those that have not begun. */
  readonly #late: Inst[] = []

  constructor(body: WideBody, varying: Varying, threads: ReadonlyMap<Inst, number>) {
    super(body)
    this.#varying = varying
    this.#threads = threads
  }

  // ── Ways that meet ───────────────────────────────────────────────────────────────────────────────────────────

  /** Compiles a construct: `f` its regions, and after that what is known where they meet. */
  #construct(inst: Inst, f: (join: Join) => void): void {
    const { g, memory } = this.body
    const join: Join = {
      entry: memory.mask,
      start: memory.mask,
      end: undefined,
      counts: this.#varying.escapes(inst),
      ways: [],
      masks: [],
      blends: this.#varying.splits(inst),
      isFirst: false,
    }
    this.#joins.set(inst, join)
    const before = g.at.stmts.length
    const { at } = g
    f(join)
    if (!join.counts) {
      memory.mask = join.entry
      return
    }
    at.stmts.splice(before, 0, ...join.ways.map(local => ({ kind: 'set', local, value: g.zero(mask4) }) as const))
    const [first, ...rest] = [...join.masks, ...join.ways.map(local => g.get(local))]
    if (first === undefined) {
      g.br(this.end)
      return
    }
    memory.mask = rest.reduce((all, mask) => g.either(all, mask), first)
    g.br(this.end, g.eqz(g.any(memory.mask)))
  }

  /** The active lanes come to where the ways meet. */
  #arrive(join: Join): void {
    if (!join.counts) return
    const { g, memory } = this.body
    const local = g.code.local(mask4)
    const mask = memory.mask ?? g.constant(mask4, -1n)
    join.ways.push(local)
    g.stmt({ kind: 'set', local, value: g.here(op.v128Or, mask4, [g.get(local), mask]) })
  }

  #bring(join: Join, values: readonly Value[], destinations: readonly Destination[]): void {
    const saved = this.#blends
    this.#blends = join.blends && !join.isFirst
    this.deliver(values, destinations)
    this.#blends = saved
  }

  protected override fill(slot: Location, value: Value): void {
    const { body } = this
    if (this.#blends) body.build(slot, value)
    else body.fresh(() => body.build(slot, value))
  }

  protected override place(local: number, value: Node): void {
    const { g, memory } = this.body
    const own = this.as(local, value)
    const blended =
      this.#blends && memory.mask !== undefined && isVector(own.type)
        ? g.here(op.v128Bitselect, own.type, [own, g.get(local), memory.mask])
        : own
    g.stmt({ kind: 'set', local, value: blended })
  }

  protected override held(local: number): Node {
    return this.body.heldBy(local)
  }

  protected override as(local: number, value: Node): Node {
    return this.body.asLocal(local, value)
  }

  protected override within(inst: Inst, region: Region): void {
    const join = this.#joins.get(inst)!
    const saved = this.end
    this.end = join.end ?? this.scopes.get(inst)!.label
    if (inst.op !== 'loop') this.body.memory.mask = join.start
    super.within(inst, region)
    this.end = saved
  }

  protected override yield(inst: Inst): void {
    const { memory } = this.body
    const join = this.#joins.get(this.owner!)!
    this.#bring(join, inst.args, this.scopes.get(this.owner!)!.destinations)
    // Of a way that has a mask from outside, that mask says who comes.
    if (join.counts && join.end !== undefined && memory.mask === join.start) join.masks.push(memory.mask!)
    else this.#arrive(join)
  }

  protected override leave(inst: Inst<'leave'>, scope: Scope): void {
    const join = this.#joins.get(inst.attr)!
    this.#bring(join, inst.args, scope.destinations)
    this.#arrive(join)
    if (!this.#varying.isParted(inst)) this.body.g.br(scope.label)
  }

  // ── Choices ──────────────────────────────────────────────────────────────────────────────────────────────────

  protected override if(inst: Inst): void {
    const { g, memory } = this.body
    const cond = this.body.node(inst.args[0]!)
    if (isVector(cond.type)) this.#apart(inst, [g.both(memory.mask, cond), g.without(memory.mask, cond)])
    else this.#construct(inst, () => super.if(inst))
  }

  protected override block(inst: Inst): void {
    this.#construct(inst, () => super.block(inst))
  }

  protected override switch(inst: Inst<'switch'>): void {
    const { g, memory } = this.body
    const selector = this.body.index(inst.args[0]!)
    if (!isVector(selector.type)) {
      this.#construct(inst, () => super.switch(inst))
      return
    }
    const last = inst.regions.length - 1
    const masks: (Node | undefined)[] = inst.regions.map(() => undefined)
    let rest = memory.mask
    for (let i = 0; i < inst.attr.length; i += 2) {
      const is = g.pure(op.i32Eq, i32, selector, g.i32(inst.attr[i]!))
      const mask = g.both(memory.mask, is)
      const to = inst.attr[i + 1]!
      masks[to] = masks[to] === undefined ? mask : g.either(masks[to], mask)
      rest = g.without(rest, is)
    }
    if (rest !== undefined) masks[last] = masks[last] === undefined ? rest : g.either(masks[last], rest)
    this.#apart(inst, masks)
  }

  /** Runs each region for its lanes; not at all a region without a mask. */
  #apart(inst: Inst, masks: readonly (Node | undefined)[]): void {
    const { g } = this.body
    let scope!: Scope
    this.#construct(inst, join => {
      scope = this.open(inst)
      inst.regions.forEach((region, k) => {
        const mask = masks[k]
        if (mask === undefined) return
        join.start = mask
        join.end = new Label()
        join.isFirst = k === 0 && !this.exits.isLeft(inst)
        const yes = g.nested(false, () => this.within(inst, region))
        if (yes.stmts.length > 0) g.stmt({ kind: 'if', cond: g.any(mask), yes, no: undefined, label: join.end })
      })
    })
    this.receive(inst.results, scope.destinations)
  }

  // ── Loops ────────────────────────────────────────────────────────────────────────────────────────────────────

  protected override loop(inst: Inst): void {
    const threads = this.#threads.get(inst)
    if (threads !== undefined) {
      this.#overThreads(inst, threads)
      return
    }
    const { g, memory } = this.body
    if (this.#varying.splits(inst) || this.#varying.escapes(inst)) {
      const local = g.code.local(mask4)
      this.#locals.set(inst, local)
      g.stmt({ kind: 'set', local, value: memory.mask ?? g.constant(mask4, -1n) })
    }
    const late = this.#late.length
    this.#construct(inst, () => super.loop(inst))
    this.#late.length = late
  }

  /** Whether some lanes may have what they begin a loop with, while others run. */
  get isLate(): boolean {
    return this.#late.length > 0
  }

  protected override enter(loop: Inst, carried: readonly Destination[]): void {
    const counter = this.#varying.lateCounter(loop)
    if (counter === undefined) {
      super.enter(loop, carried)
      return
    }
    const others = loop.args.map((_, i) => i).filter(i => i !== counter)
    this.deliver(
      others.map(i => loop.args[i]!),
      others.map(i => carried[i]!),
    )
    const value = loop.args[counter]!
    this.place((carried[counter] as readonly number[])[0]!, this.#most(this.#from(value), aboveOf(value)))
    this.#late.push(loop)
  }

  /** What lanes count down from: zero instead of numbers below it, which makes no trip either. */
  #from(value: Value): Node {
    const { g } = this.body
    const own = this.body.node(value)
    return value.type === t.i32 ? g.select(g.pure(op.i32GtS, i32, own, g.i32(0)), own, g.i32(0)) : own
  }

  /** The largest number of the active lanes, or zero. */
  #most(all: Node, above: number): Node {
    const { g, memory } = this.body
    if (!isVector(all.type)) return all
    const own = memory.mask === undefined ? all : g.pure(op.select, i32, all, g.i32(0), memory.mask)
    return g.lanes(own).reduce((x, y) => g.select(g.pure(above, i32, x, y), x, y), g.i32(0))
  }

  protected override move(loop: Inst, f: () => void): void {
    if (this.#varying.lateCounter(loop) === undefined) super.move(loop, f)
    else f()
  }

  protected override carry(loop: Inst, local: number, value: Node): Node {
    const { g, memory } = this.body
    const own = super.carry(loop, local, value)
    if (!isVector(own.type) || this.#varying.lateCounter(loop) === undefined) return own
    return g.here(op.v128Bitselect, own.type, [own, g.get(local), memory.mask!])
  }

  protected override begin(loop: Inst): void {
    const { g, memory } = this.body
    const counter = this.#varying.lateCounter(loop)
    if (counter !== undefined) {
      const value = loop.args[counter]!
      const left = this.body.node(loop.regions[0]!.params[counter]!)
      const waits = g.pure(aboveOf(value), i32, left, this.#from(value))
      memory.mask = g.without(this.#joins.get(loop)!.entry, waits)
    }
    const local = this.#locals.get(loop)
    if (local !== undefined) memory.mask = g.get(local)
  }

  protected override further(loop: Inst): readonly (readonly [number, Node])[] {
    const local = this.#locals.get(loop)
    return local === undefined ? [] : [[local, this.body.memory.mask!]]
  }

  protected override exitsThatAreParams(inst: Inst): number[] | undefined {
    return this.#varying.splits(inst) ? undefined : super.exitsThatAreParams(inst)
  }

  protected override test(end: Inst): void {
    const { g, memory } = this.body
    const loop = this.owner!
    const scope = this.scopes.get(loop)!
    const join = this.#joins.get(loop)!
    const cond = this.body.node(end.args[0]!)
    if (!isVector(cond.type)) {
      if (!join.counts && !join.blends) super.test(end)
      else
        g.when(g.eqz(cond), () => {
          this.#bring(join, end.args.slice(1), scope.destinations)
          this.#arrive(join)
          g.br(scope.label)
        })
      return
    }
    const going = g.both(memory.mask, cond)
    const leaving = g.without(memory.mask, cond)
    if (end.args.length > 1 || join.counts)
      g.when(g.any(leaving), () => {
        memory.mask = leaving
        this.#bring(join, end.args.slice(1), scope.destinations)
        this.#arrive(join)
      })
    memory.mask = going
    g.br(scope.label, g.eqz(g.any(going)))
  }

  protected override next(end: Inst): void {
    const loop = this.owner!
    if (!this.#threads.has(loop)) {
      super.next(end)
      return
    }
    const { g } = this.body
    const local = this.#locals.get(loop)!
    g.stmt({ kind: 'set', local, value: g.add(g.get(local), g.i32(laneCount)) })
    g.br(this.tops.get(loop)!)
  }

  /** A loop whose trips are threads runs several in one trip. */
  #overThreads(inst: Inst, threads: number): void {
    const { body } = this
    const { g, memory } = body
    const [head, inner] = [inst.regions[0]!, inst.regions[1]!]
    const [top, label] = [new Label(), new Label()]
    const local = g.code.local(i32)
    this.#locals.set(inst, local)
    this.tops.set(inst, top)
    this.scopes.set(inst, { label, destinations: [] })
    g.stmt({ kind: 'set', local, value: g.i32(0) })
    this.#construct(inst, () => {
      const seq = g.nested(true, () => {
        const first = g.get(local)
        g.br(label, g.pure(op.i32GeU, i32, first, g.i32(threads)))
        body.startLanes(head.params[0]!, first, threads)
        body.bodies.add(inst)
        this.within(inst, inner)
        body.bodies.delete(inst)
      })
      g.stmt({ kind: 'loop', body: seq, top, exit: label })
    })
    memory.mask = undefined
  }
}

/** The comparison that finds the larger of two numbers. */
function aboveOf({ type }: Value): number {
  return type.scalar === 'u32' ? op.i32GtU : op.i32GtS
}
