/**
 * Compiles a function's regions to statements. A value of a flat type is a list of scalar nodes. Another value is a location in
 * memory that keeps its contents as long as the value is used, so it is copied only where a variable is written.
 */
import { InternalError } from '../../base/diag.ts'
import type { PlainOp } from '../../ir/op.ts'
import type { Type } from '../../ir/type.ts'
import type { Func, Region } from '../../ir/value.ts'
import { Inst, type Global, type Value } from '../../ir/value.ts'
import { roundUp, type Layouts } from '../../ir/layout.ts'
import { atomic } from './atomic.ts'
import { printf, trapUnless } from './effect.ts'
import { applyIntrinsic, compute, zeros } from './compute.ts'
import { constantBytes } from './constant.ts'
import { Control } from './control.ts'
import { Graph } from './graph.ts'
import { valType } from './leaf.ts'
import { countDepth } from './limit.ts'
import { Memory, location, type Location, type Tape } from './memory.ts'
import type { Callee, Code, Node } from './node.ts'
import { i32, i64, op, type ScalarType, type ValType } from './opcode.ts'
import type { Plan } from './plan.ts'
import { Ranges } from '../../opt/ranges.ts'
import { isRecursive } from '../../opt/recursion.ts'
import { narrow } from './scalar.ts'
import { flatSum, sumInto } from './sum.ts'
import type { TapeName } from './tape.ts'
import { Usage } from './usage.ts'

/** What one thread has of nodes and locations. */
export interface LaneView {
  node(x: Node): Node
  location(p: Location): Location
}

const oneLane: LaneView = { node: x => x, location: p => p }

/** A compiled value: scalars; a location; nothing but zeros; or a `construct` that its only use, a store, writes in place. */
export type Rep = readonly Node[] | Location | 'zero' | Inst

/** How a body makes nodes, accesses memory and follows control: for one thread, or for several at once (`wide`). */
export interface Kit {
  readonly graph: (code: Code) => Graph
  readonly memory: (g: Graph, plan: Plan, tape: Tape) => Memory
  readonly control: (body: Body) => Control
}

const oneThread: Kit = {
  graph: code => new Graph(code),
  memory: (g, plan, tape) => new Memory(g, plan.leaves, tape, size => plan.zeros(size)),
  control: body => new Control(body),
}

export class Body {
  readonly plan: Plan
  readonly func: Func
  readonly g: Graph
  readonly memory: Memory
  readonly #usage: Usage
  readonly ranges: Ranges
  /** Emits a return: where results in memory go, and how control leaves the function. */
  readonly leave: (body: Body, values: readonly Value[]) => void
  /** True once some value or variable lies in the function's own memory. */
  keepsMemory = false
  /** The loops whose bodies are being compiled. */
  readonly bodies: Set<Inst> = new Set()
  /** How many trips one of a loop counts as, where that is not one. */
  readonly trips: Map<Inst, number> = new Map()
  readonly #reps: (Rep | undefined)[] = []
  readonly #owned = new Set<Value>()
  readonly #control: Control
  readonly #frame: { top: number }

  constructor(
    plan: Plan,
    func: Func,
    code: Code,
    frame: { top: number },
    leave: (body: Body, values: readonly Value[]) => void,
    kit: Kit = oneThread,
  ) {
    this.plan = plan
    this.func = func
    this.g = kit.graph(code)
    this.memory = kit.memory(this.g, plan, (name, args) => this.tape(name, args))
    this.#usage = new Usage(func, v => plan.leaves.flat(v.type))
    this.ranges = new Ranges(func)
    this.leave = leave
    this.#frame = frame
    this.#control = kit.control(this)
  }

  /** Compiles a region's instructions up to its terminator. */
  region(region: Region): void {
    for (let i = 0; i < region.insts.length && this.g.at.open; i++) this.inst(region.insts[i]!)
  }

  // ── Values ───────────────────────────────────────────────────────────────────────────────────────────────────

  isFlat(type: Type): boolean {
    return this.plan.leaves.flat(type)
  }

  set(value: Value, rep: Rep): void {
    this.#reps[value.id] = rep
  }

  rep(value: Value): Rep {
    const rep = this.#reps[value.id]
    if (rep === undefined)
      throw new InternalError('wasm', `%${value.name || value.id} in ${this.func.name} is used before it is defined`)
    return rep
  }

  /** Marks the memory of a value as its own: nothing else reads or writes it. */
  own(value: Value): void {
    this.#owned.add(value)
  }

  /** The scalars of a value of a flat type. */
  nodes(value: Value): readonly Node[] {
    return this.rep(value) as readonly Node[]
  }

  node(value: Value): Node {
    return this.nodes(value)[0]!
  }

  /** The memory of a value that is not flat, or that a pointer points to. */
  at(value: Value): Location {
    const rep = this.rep(value)
    if (rep === 'zero')
      return location(
        value.type,
        this.plan.tight,
        this.g.base(),
        this.plan.zeros(this.plan.tight.of(value.type).size),
        true,
      )
    if (rep instanceof Inst) {
      const slot = this.slot(value.type, value)
      this.fresh(() => this.build(slot, value))
      this.set(value, slot)
      return slot
    }
    return rep as Location
  }

  /** The location of a value in the layout of this module's own memory, at an address that can be passed on. */
  tight(value: Value): Location {
    const p = this.at(value)
    if (p.layouts === this.layoutsOf(value)) return p
    const slot = this.slot(value.type, value)
    this.fresh(() => this.memory.copy(slot, p))
    return slot
  }

  /** New memory in the function's frame, for a value or for what a variable holds. */
  slot(type: Type, holder: Value): Location {
    const layouts = this.layoutsOf(holder)
    const layout = layouts.of(type)
    const at = roundUp(this.#frame.top, Math.max(4, layout.align))
    this.#frame.top = at + layout.size
    this.keepsMemory = true
    return location(type, layouts, this.g.base(), at, false, {})
  }

  /** How the function's own memory holds a value, or what a variable holds. */
  protected layoutsOf(_holder: Value): Layouts {
    return this.plan.tight
  }

  /** Runs `f`, which writes memory that nothing has looked at yet. */
  fresh<T>(f: () => T): T {
    return f()
  }

  /** Writes a value to a location. */
  build(to: Location, value: Value): void {
    const rep = this.rep(value)
    if (rep === 'zero') {
      this.memory.clear(to)
    } else if (rep instanceof Inst) {
      this.memory.guarded(to, exact => rep.args.forEach((arg, k) => this.build(this.memory.part(exact, k), arg)))
    } else if (this.isFlat(value.type)) {
      this.memory.store(to, rep as readonly Node[])
    } else {
      this.memory.copy(to, rep as Location)
    }
  }

  locals(value: Value): number[] {
    return this.plan.leaves.of(value.type).map(s => this.g.code.local(valType(s)))
  }

  /** Runs `f`, which changes memory that a loop carries. */
  protected inPlace(f: () => void): void {
    f()
  }

  // ── Lanes ────────────────────────────────────────────────────────────────────────────────────────────────────

  /** 1 if some thread runs for which a condition does not hold. */
  fails(cond: Node): Node {
    return this.g.eqz(cond)
  }

  /** How many trips one of a loop counts as. */
  countOf(loop: Inst): Node {
    return this.g.i32(this.trips.get(loop) ?? 1)
  }

  /** Runs `f` for each thread. It gives scalars of the types of `results`, and the outcome is those of all threads. */
  eachLane(_results: readonly ScalarType[], f: (lane: LaneView) => readonly Node[]): readonly Node[] {
    return f(oneLane)
  }

  // ── Instructions ─────────────────────────────────────────────────────────────────────────────────────────────

  protected inst(inst: Inst): void {
    const g = this.g
    switch (inst.op) {
      case 'var':
        this.#variable(inst)
        return
      case 'global':
        this.set(inst.results[0]!, this.plan.locationOf(g, inst.attr))
        return
      case 'field':
        this.set(inst.results[0]!, this.memory.part(this.at(inst.args[0]!), inst.attr))
        return
      case 'elem':
        this.set(inst.results[0]!, this.elementIn(this.at(inst.args[0]!), inst))
        return
      case 'load':
        this.#load(inst)
        return
      case 'store':
        this.#store(inst)
        return
      case 'length': {
        const p = this.at(inst.args[0]!)
        this.set(inst.results[0]!, [p.extent?.length ?? g.i32(p.type.count)])
        return
      }
      case 'atomic':
        atomic(this, inst)
        return
      case 'barrier':
        return
      case 'printf':
        printf(this, inst)
        return
      case 'trap':
        trapUnless(this, inst)
        return
      case 'call':
        this.#call(inst)
        return
      case 'ret':
        this.leave(this, inst.args)
        return
      case 'if':
      case 'switch':
      case 'loop':
      case 'block':
      case 'yield':
      case 'test':
      case 'next':
      case 'leave':
      case 'unreachable':
        this.#control.inst(inst)
        return
      case 'intrinsic.pure':
      case 'intrinsic.read':
      case 'intrinsic.write':
      case 'intrinsic.hide':
        throw new InternalError('wasm', `${inst.op} is for other targets`)
      default:
        this.#pure(inst)
    }
  }

  #pure(inst: Inst<Exclude<PlainOp, 'length'>>): void {
    const result = inst.results[0]!
    const plan = this.plan
    const from = inst.args[0]
    if (!this.isFlat(result.type)) {
      this.#aggregate(inst)
    } else if (inst.op === 'extract' && !this.isFlat(from!.type)) {
      const rep = this.rep(from!)
      if (rep === 'zero') this.set(result, zeros(this.g, plan.leaves.of(result.type)))
      else this.set(result, this.memory.load(this.memory.part(this.at(from!), inst.attr)))
    } else if (inst.op === 'add' && result.type.scalar === undefined) {
      this.set(result, flatSum(this, result.type, this.nodes(from!), this.nodes(inst.args[1]!)))
    } else {
      this.set(
        result,
        compute(
          this.g,
          plan.leaves,
          inst,
          inst.args.map(a => this.nodes(a)),
          (name, args) => this.#helper(name, args),
        ),
      )
    }
  }

  #helper(name: 'fmod32' | 'fmod64', args: readonly Node[]): Node {
    return this.callScalar(this.plan.helper(name), args, true)
  }

  /** Calls a function of scalars with one result. */
  protected callScalar(callee: Callee, args: readonly Node[], pure: boolean): Node {
    const local = this.g.code.local(callee.results[0]!)
    this.g.stmt({ kind: 'call', func: callee, args, locals: [local], pure })
    return this.g.get(local)
  }

  protected callElementary(intrinsic: string, func: Func, args: readonly Node[]): Node {
    return this.callScalar(this.plan.elementary(intrinsic, func), args, true)
  }

  /** Calls a function that keeps lists. */
  tape(name: TapeName, args: readonly Node[]): Node {
    const local = this.g.code.local(i32)
    this.g.stmt({ kind: 'call', func: this.plan.tape(name), args, locals: [local], pure: name === 'at' })
    return this.g.get(local)
  }

  /** Instructions whose result lives in memory. */
  #aggregate(inst: Inst): void {
    const result = inst.results[0]!
    const [x, y] = [inst.args[0], inst.args[1]]
    switch (inst.op) {
      case 'zero':
      case 'undef':
        this.set(result, 'zero')
        return
      case 'detach':
        this.set(result, this.rep(x!))
        return
      case 'extract': {
        const rep = this.rep(x!)
        this.set(result, rep === 'zero' ? 'zero' : this.memory.part(this.at(x!), inst.attr))
        return
      }
      case 'construct': {
        const bytes = constantBytes(this.plan.tight, result)
        if (bytes !== undefined) {
          this.set(result, location(result.type, this.plan.tight, this.g.base(), this.plan.constants(bytes), true))
          return
        }
        this.set(result, inst)
        if (this.#writtenInPlace(inst)) return
        this.at(result)
        this.own(result)
        return
      }
      case 'insert': {
        let to: Location
        const put = (): void => this.build(this.memory.part(to, inst.attr), y!)
        if (this.#mayTake(x!, inst)) {
          to = this.at(x!)
          this.inPlace(put)
        } else {
          to = this.slot(result.type, result)
          this.fresh(() => this.build(to, x!))
          this.fresh(put)
        }
        this.set(result, to)
        this.own(result)
        return
      }
      case 'select':
        this.set(result, this.chosen(result, x!, y!, inst.args[2]!))
        return
      case 'add': {
        const slot = this.slot(result.type, result)
        const [a, b] = [this.tight(x!), this.tight(y!)]
        this.fresh(() => sumInto(this, slot, a, b))
        this.set(result, slot)
        this.own(result)
        return
      }
      default:
        throw new InternalError('wasm', `no code for ${inst.op} on ${result.type.name}`)
    }
  }

  /** The memory of one of two values. */
  protected chosen(result: Value, cond: Value, yes: Value, no: Value): Location {
    const [a, b] = [this.tight(yes), this.tight(no)]
    const base = this.g.select(this.node(cond), this.memory.address(a), this.memory.address(b))
    return location(result.type, this.plan.tight, base, 0, a.fixed && b.fixed)
  }

  /** True where a `construct` may wait for its only use, which writes its parts where they belong. */
  #writtenInPlace(inst: Inst): boolean {
    const into = this.#destination(inst)
    if (into === undefined || (into instanceof Inst && this.#usage.onceStored(into) !== undefined)) return false
    return inst.args.every(arg => {
      if (this.isFlat(arg.type)) return true
      const rep = this.rep(arg)
      if (rep === 'zero' || rep instanceof Inst) return true
      if (arg.def.op === 'param') return false
      return this.#owned.has(arg) || (arg.def.op === 'load' && this.#usage.root(arg.def.args[0]!) !== into)
    })
  }

  /** The memory that a `construct` is written to by its only use: a variable, the function's results, or undefined where there is none. */
  #destination(inst: Inst): Inst | Global | Func | undefined {
    const region = this.#usage.regionOf(inst)
    for (let from = inst; ;) {
      const uses = this.#usage.usesOf(from.results[0]!)
      const use = uses[0]
      if (uses.length !== 1 || this.#usage.regionOf(use!) !== region) return undefined
      if (use!.op === 'ret') return this.func
      if (use!.op === 'store') return this.#usage.root(use.args[0]!)
      if (use!.op !== 'construct') return undefined
      from = use!
    }
  }

  /** True where an `insert` is the only use of a value with memory of its own, and runs once for it. */
  #mayTake(value: Value, by: Inst): boolean {
    if (!this.#owned.has(value) || this.#usage.usesOf(value).length !== 1) return false
    const region = this.#usage.regionOf(by)
    if (value.def.op !== 'param') return this.#usage.regionOf(value.def) === region
    const loop = this.#usage.ownerOf(value.def)
    return loop !== undefined && loop.op === 'loop' && loop.regions[1] === region
  }

  // ── Memory ───────────────────────────────────────────────────────────────────────────────────────────────────

  #variable(inst: Inst): void {
    const p = inst.results[0]!
    if (this.#usage.onceStored(inst) !== undefined && !this.isFlat(p.type.elem!)) return
    const slot = this.slot(p.type.elem!, p)
    this.set(p, slot)
    const first = this.#usage.usesOf(p)[0]
    if (first === undefined) return
    const overwritten =
      first.op === 'store' && first.args[0] === p && this.#usage.regionOf(first) === this.#usage.regionOf(inst)
    if (!overwritten) this.fresh(() => this.memory.clear(slot))
  }

  /** The element that an instruction names, of an array that lies somewhere. */
  elementIn(p: Location, inst: Inst): Location {
    const by = inst.args[1]!
    const range = p.type.count > 0 ? this.ranges.of(by, loop => this.bodies.has(loop)) : undefined
    return this.memory.element(p, this.index(by), range !== undefined && range.lo >= 0 && range.hi < p.type.count)
  }

  /** An index as an i32 node. */
  index(value: Value): Node {
    const node = this.node(value)
    return node.type === i64 ? this.g.pure(op.i32WrapI64, i32, node) : node
  }

  #load(inst: Inst): void {
    const result = inst.results[0]!
    const from = this.at(inst.args[0]!)
    if (this.isFlat(result.type)) {
      this.set(result, this.memory.load(from))
    } else if (from.fixed || this.#usage.staysAsLoaded(inst)) {
      this.set(result, from.write === undefined ? from : { ...from, write: undefined })
    } else {
      const slot = this.slot(result.type, result)
      this.fresh(() => this.memory.copy(slot, from))
      this.set(result, slot)
      this.own(result)
    }
  }

  #store(inst: Inst): void {
    const [p, v] = [inst.args[0]!, inst.args[1]!]
    const into = p.def
    if (into instanceof Inst && into.op === 'var' && !this.isFlat(v.type) && this.#usage.onceStored(into) === inst) {
      this.set(p, this.tight(v))
      return
    }
    this.write(inst, this.at(p), v)
  }

  /** Writes what is stored. */
  protected write(_store: Inst, to: Location, value: Value): void {
    this.build(to, value)
  }

  // ── Calls ────────────────────────────────────────────────────────────────────────────────────────────────────

  #call(inst: Inst<'call'>): void {
    const func = inst.attr
    const target = this.plan.target(func)
    const result = inst.results[0]
    switch (target.kind) {
      case 'op': {
        const nodes = applyIntrinsic(
          this.g,
          target.intrinsic,
          result!.type.scalar!,
          inst.args.map(a => this.nodes(a)),
        )
        if (nodes === undefined) throw new InternalError('wasm', `no instruction for ${func.name}`)
        this.set(result!, nodes)
        return
      }
      case 'helper':
      case 'lanes': {
        const all = inst.args.map(a => this.nodes(a))
        const out = this.plan.leaves.of(result!.type).map((scalar, k) => {
          const args = all.map(a => a[a.length === 1 ? 0 : k]!)
          if (target.kind === 'helper')
            return narrow(this.g, scalar, this.callElementary(target.intrinsic, target.func, args))
          return this.callScalar(this.plan.calleeOf(target.func), args, target.func.info.pure)
        })
        this.set(result!, out)
        return
      }
      case 'call':
        this.callFunc(inst, target.func)
        return
      case 'none':
        for (const r of inst.results)
          this.set(r, this.isFlat(r.type) ? zeros(this.g, this.plan.leaves.of(r.type)) : 'zero')
    }
  }

  protected callFunc(inst: Inst<'call'>, func: Func): void {
    const callee = this.plan.calleeOf(func)
    const args: Node[] = []
    const passing = this.plan.passing(func)
    inst.args.forEach((arg, i) => {
      if (passing.params[i]) args.push(...this.nodes(arg))
      else args.push(this.memory.address(this.isFlat(arg.type) ? this.#stored(arg) : this.tight(arg)))
    })
    const locations = inst.results.map((r, i) =>
      passing.results[i] ? undefined : this.isFlat(r.type) ? this.slot(r.type, r) : this.#resultLocation(inst, r),
    )
    for (const p of locations) {
      if (p !== undefined) args.push(this.memory.address(p))
    }
    const locals: number[] = callee.results.map((type: ValType) => this.g.code.local(type))
    const call = (): void =>
      this.g.stmt({
        kind: 'call',
        func: callee,
        args,
        locals,
        pure: func.info.pure && locations.every(p => p === undefined),
      })
    if (this.plan.limits.depth !== undefined && isRecursive(func)) countDepth(this, func, call)
    else call()
    let next = 0
    inst.results.forEach((r, k) => {
      const p = locations[k]
      if (p === undefined) {
        this.set(
          r,
          this.plan.leaves.of(r.type).map(() => this.g.get(locals[next++]!)),
        )
      } else if (this.isFlat(r.type)) {
        this.set(r, this.memory.load(p))
      } else {
        this.set(r, p)
        this.own(r)
      }
    })
  }

  /** A flat value in memory of its own. */
  #stored(value: Value): Location {
    const slot = this.slot(value.type, value)
    this.build(slot, value)
    return slot
  }

  /** Where a call writes a result: the variable that it is stored to next and for good, or a new slot. */
  #resultLocation(call: Inst, result: Value): Location {
    const uses = this.#usage.usesOf(result)
    const store = uses[0]
    if (uses.length === 1 && store!.op === 'store' && store.args[1] === result) {
      const root = this.#usage.root(store.args[0]!)
      const known = this.#reps[store.args[0]!.id]
      if (
        root instanceof Inst &&
        this.#usage.onceStored(root) === undefined &&
        known !== undefined &&
        this.#usage.regionOf(store) === this.#usage.regionOf(call) &&
        this.#usage.untouchedUntil(call, store, root)
      ) {
        const p = known as Location
        if (p.write === undefined && p.element === undefined && p.layouts === this.plan.tight) return p
      }
    }
    return this.slot(result.type, result)
  }
}
