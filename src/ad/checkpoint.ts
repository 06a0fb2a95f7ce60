/**
 * Makes the residuals of the adjoint available: each is free (a parameter, a constant, a trip number), computed again in
 * the reverse region that mirrors the region of its definition, or stored in the context, one slot a trip. Which of the
 * two is a minimum cut: storing a value costs its bytes, computing it again its operations and having its operands, both
 * times the trips of its loops.
 */
import { Builder } from '../ir/build.ts'
import * as t from '../ir/type.ts'
import { Inst, Region, type Value } from '../ir/value.ts'
import { cloneInst, valueTable, walk } from '../ir/walk.ts'
import { boundOf, inductions, tripBound } from '../opt/loops.ts'
import { byteScale } from './budget.ts'
import type { AdContext } from './context.ts'
import type { Trees } from './linearize.ts'
import { Network } from './mincut.ts'
import { Primal, bytesOf, inMemory, slotType } from './residual.ts'
import type { Adjoint } from './transpose.ts'
import { costs } from '../opt/costs.ts'

/** One entry of the context. */
export interface Slot {
  /** The primal value that it holds; for a variable, what the variable holds in the end. */
  readonly value: Value
  readonly type: t.Type
  /** In the primal tree: what is returned. */
  readonly out: Value
  /** In the adjoint: what is taken. */
  readonly in: Value
}

export interface Checkpointed {
  readonly slots: readonly Slot[]
  /** Indices of the primal inputs that the adjoint uses, and the values that stand for them there. */
  readonly needs: readonly number[]
  readonly inputs: readonly Value[]
  /** Bytes of the slots that are no registers where the two halves become one function. */
  readonly memory: number
}

export type Choice = 'free' | 'store' | 'recompute'

/** How a value can be had again, and at what cost a time. */
export interface Source {
  readonly from: readonly Value[]
  readonly cost: number
}

/** What `checkpoint` decided of a function, before the trees change; for `explain`. */
export interface Decisions {
  readonly trees: Trees
  readonly adjoint: Adjoint
  readonly primal: Primal
  readonly slots: readonly Slot[]
  readonly choices: ReadonlyMap<Value, Choice>
  /** By loop: the value that numbers its trips. */
  readonly counters: ReadonlyMap<Inst, Value>
  /** The primal values that the reverse pass names. */
  needed(): readonly Value[]
  recipe(v: Value): Source | undefined
  bound(loop: Inst<'loop'>): { readonly max: number; readonly exact: boolean } | undefined
  /** What would be chosen if some values had to be computed again or stored. */
  decide(values: readonly Value[], as: 'store' | 'recompute'): ReadonlyMap<Value, Choice>
}

/** What is there without computing it. */
const nothing: Source = { from: [], cost: 0 }

class Checkpointer {
  readonly #cx: AdContext
  readonly trees: Trees
  readonly adjoint: Adjoint
  readonly primal: Primal
  choices: ReadonlyMap<Value, Choice> = new Map()
  readonly #bounds: Map<Inst, { readonly max: number; readonly exact: boolean }> = new Map()
  readonly counters: Map<Inst, Value> = new Map()
  readonly #inductionOf: Map<number, { readonly loop: Inst<'loop'>; readonly start: Value; readonly step: number }> = new Map()
  readonly #stored: Map<number, { readonly slot: Slot; readonly variable: boolean }> = new Map()
  readonly slots: Slot[] = []
  readonly #inputs: Map<number, Value> = new Map()
  readonly #work: Builder
  /** Slot variables of the primal tree, to stand at its start. */
  readonly #primalStart: Region = new Region()
  readonly #primalEnd: Region = new Region()
  readonly adjointStart: Region = new Region()

  constructor(cx: AdContext, trees: Trees, adjoint: Adjoint) {
    this.#cx = cx
    this.trees = trees
    this.adjoint = adjoint
    this.primal = new Primal(trees.work, trees.primal)
    this.#work = new Builder(trees.work, trees.primal)
    for (const trips of trees.trips.values()) {
      this.counters.set(trips.primal, trips.counter)
      for (const i of inductions(trips.primal)) this.#inductionOf.set(i.param.id, { loop: trips.primal, start: i.start, step: i.step })
    }
  }

  /** The most trips of a loop; undefined where nothing says. */
  bound(loop: Inst<'loop'>): { readonly max: number; readonly exact: boolean } | undefined {
    const known = this.#bounds.get(loop)
    if (known !== undefined) return known
    const found = tripBound(loop)
    const max = found?.max ?? boundOf(loop.attr)
    if (max === undefined) return undefined
    const bound = { max, exact: found?.exact !== undefined }
    this.#bounds.set(loop, bound)
    return bound
  }

  /** Notes the trip counts that are known when compiling. */
  #foldCounts(): void {
    for (const trips of this.trees.trips.values()) {
      const bound = this.bound(trips.primal)
      if (bound?.exact === true) this.#constants.set(trips.count.id, bound.max)
    }
  }

  readonly #constants: Map<number, number> = new Map()

  /** The primal values that the adjoint names, each once, in order. */
  needed(): Value[] {
    const seen = new Uint8Array(this.trees.work.nextValue), out: Value[] = []
    walk(this.adjoint.body, ({ args }) => {
      for (let i = 0; i < args.length; i++) {
        const v = args[i]!
        if (seen[v.id] === 1 || !this.primal.isPrimal(v)) continue
        seen[v.id] = 1
        out.push(v)
      }
    })
    return out
  }

  /** From what and at what cost a value can be computed again in the reverse region that mirrors its own. */
  recipe(v: Value): Source | undefined {
    if (this.#constants.has(v.id)) return nothing
    if (v.def.op === 'param') {
      if (v.def === this.trees.primal) return nothing
      const loop = this.primal.places[v.id]!.loops.at(-1)
      if (loop !== undefined && this.counters.get(loop) === v) return nothing
      const induction = this.#inductionOf.get(v.id)
      return induction === undefined ? undefined : { from: [induction.start], cost: 1 }
    }
    return this.primal.recipe(v.def)
  }

  #weight(v: Value): number {
    let trips = 1
    for (const loop of this.primal.places[v.id]!.loops) trips = Math.min(trips * (this.bound(loop)?.max ?? costs.assumedTrips), 1e12)
    return trips
  }

  #storeCost(v: Value): number {
    const type = v.type.kind === 'ptr' ? v.type.elem! : v.type
    if (v.type.kind === 'ptr' && !(v.def.op !== 'param' && v.def.op === 'var')) return Infinity
    return bytesOf(type) * (this.primal.places[v.id]!.loops.length === 0 ? costs.byteAtTop : this.#cx.growable === true ? costs.byteInLoop : costs.byteInGpuLoop) * this.#weight(v) * byteScale(this.#cx)
  }

  /** The minimum cut; values that are given must be had the way that is said, if they can. */
  decide(forced: readonly Value[] = [], as?: 'store' | 'recompute'): Map<Value, Choice> {
    const choices = new Map<Value, Choice>()
    // Who explains nothing only asks what is stored.
    const all = this.#cx.explain !== undefined
    const net = new Network()
    const source = net.node(), sink = net.node()
    // By id, for each value the node that its being computed again makes flow into, and after it the one for having it.
    const nodes = new Int32Array(this.trees.work.nextValue)
    const isFree = -1
    const queue: Value[] = []
    const node = (v: Value): number | undefined => {
      const known = nodes[v.id]!
      if (known !== 0) return known === isFree ? undefined : known + 1
      const recipe = this.recipe(v)
      if (recipe !== undefined && recipe.cost === 0 && recipe.from.length === 0) {
        if (all) choices.set(v, 'free')
        nodes[v.id] = isFree
        return undefined
      }
      nodes[v.id] = net.node()
      queue.push(v)
      return net.node()
    }
    for (const v of this.needed()) {
      const out = node(v)
      if (out !== undefined) net.edge(out, sink, Infinity)
    }
    // What an instruction with several results costs is paid once.
    const shared = new Map<Inst, number>()
    for (let q = 0; q < queue.length; q++) {
      const v = queue[q]!
      const into = nodes[v.id]!
      const recipe = as === 'store' && forced.includes(v) ? undefined : this.recipe(v)
      const marked = v.def.op !== 'param' && v.def.op === 'call' && v.def.attr.info.prefer === 'recompute'
      const prefers = marked || (as === 'recompute' && recipe !== undefined && forced.includes(v))
      net.edge(into, into + 1, prefers ? Infinity : this.#storeCost(v))
      let made = into
      if (recipe !== undefined && v.def.op !== 'param' && v.def.results.length > 1) {
        const known = shared.get(v.def)
        made = known ?? net.node()
        net.edge(made, into, Infinity)
        if (known !== undefined) continue
        shared.set(v.def, made)
      }
      net.edge(source, made, recipe === undefined ? Infinity : recipe.cost * this.#weight(v))
      if (recipe === undefined) continue
      for (let i = 0; i < recipe.from.length; i++) {
        const from = node(recipe.from[i]!)
        if (from !== undefined) net.edge(from, made, Infinity)
      }
    }
    // A value without a recipe may never be computed again: its `into` stays on the source's side.
    const side = net.cut(source, sink)
    for (const v of queue) {
      const into = nodes[v.id]!
      if (side[into + 1] === 1) continue
      if (side[into] === 1) choices.set(v, 'store')
      else if (all) choices.set(v, 'recompute')
    }
    return choices
  }

  /** What stores the slots. It goes into the primal tree last, since a branch that is computed again is copied without it. */
  readonly #pieces: { readonly v: Value; readonly insts: readonly Inst[] }[] = []

  /** Makes the slot of a value: stores it in the primal tree, and takes it as a parameter of the adjoint. */
  #store(v: Value): void {
    const place = this.primal.places[v.id]!
    const variable = v.type.kind === 'ptr'
    const type = variable ? v.type.elem! : v.type
    const body = this.trees.primal
    const bounds = place.loops.map(loop => this.bound(loop))
    const bytes = this.#cx.growable === true ? bounds.reduce((n, bound) => n * (bound?.max ?? 1), bytesOf(type)) : 0
    const [isLarge, isHuge] = [bytes > costs.reservedBytes, bytes > costs.hugeBytes]
    const dims = bounds.map(bound => bound === undefined || isHuge || (isLarge && !bound.exact) ? undefined : Math.max(1, bound.max))
    const full = slotType(type, dims)
    const b = this.#work
    // Where the target has no lists, this is the loop to complain of.
    const unbounded = place.loops[bounds.indexOf(undefined)]?.span ?? null
    let out: Value
    if (place.region === body && !variable) {
      out = v
    } else {
      b.span = unbounded
      const slot = b.within(this.#primalStart, () => b.variable(full, v.name))
      b.span = null
      const piece = new Region()
      b.within(piece, () => {
        let p = slot
        for (const loop of place.loops) p = b.elem(p, this.counters.get(loop)!)
        b.store(p, variable ? b.load(v) : v)
      })
      this.#pieces.push({ v, insts: piece.insts })
      out = b.within(this.#primalEnd, () => b.load(slot))
    }
    const into = b.param(full, v.name, this.adjoint.body)
    const slot: Slot = { value: v, type: full, out, in: into }
    this.slots.push(slot)
    this.#stored.set(v.id, { slot, variable })
  }

  /** Right after the definition; for a loop's head, at the start of its body; for a variable, at the end of its region. */
  #storePoint(v: Value): { readonly region: Region; readonly index: number } {
    const { region, loops } = this.primal.places[v.id]!
    if (v.type.kind === 'ptr') return { region, index: region.insts.length - (region.insts.at(-1)?.row.ends === true ? 1 : 0) }
    const loop = loops.at(-1)
    if (loop !== undefined && loop.regions[0] === region) return { region: loop.regions[1]!, index: 0 }
    return { region, index: v.def.op !== 'param' ? region.insts.indexOf(v.def) + 1 : 0 }
  }

  run(): Checkpointed {
    this.#foldCounts()
    this.choices = this.decide()
    this.choices.forEach((choice, v) => { if (choice === 'store') this.#store(v) })
    this.#cx.explain?.decided(this)
    const top: Frame = { homes: [this.trees.primal], out: [], values: new Map(), loop: undefined, number: undefined }
    this.#rebuild(this.adjoint.body, [top])
    for (const { v, insts } of this.#pieces) {
      const at = this.#storePoint(v)
      at.region.insts.splice(at.index, 0, ...insts)
    }
    this.trees.primal.insts.unshift(...this.#primalStart.insts)
    this.trees.primal.insts.push(...this.#primalEnd.insts)
    const needs: number[] = [], inputs: Value[] = []
    this.trees.primal.params.forEach((p, i) => {
      const v = this.#inputs.get(p.id)
      if (v === undefined) return
      needs.push(i)
      inputs.push(v)
    })
    return { slots: this.slots, needs, inputs, memory: this.memory() }
  }

  memory(): number {
    let sum = 0
    for (const { value } of this.slots) {
      const { loops } = this.primal.places[value.id]!
      const { type } = value
      sum += loops.reduce((n, loop) => n * (this.bound(loop)?.max ?? Infinity), loops.length === 0 ? inMemory(type) : bytesOf(type.kind === 'ptr' ? type.elem! : type))
    }
    return sum
  }

  /** Replaces residuals by values of the adjoint, emitting what computes or loads them before their first use. */
  #rebuild(region: Region, frames: readonly Frame[]): void {
    const frame = frames.at(-1)!
    for (const inst of region.insts) {
      for (let i = 0; i < inst.args.length; i++) {
        const v = inst.args[i]!
        if (this.primal.isPrimal(v)) inst.args[i] = this.#available(v, frames)
      }
      for (const r of inst.regions) {
        const trip = this.adjoint.trips.get(r)
        this.#rebuild(r, [...frames, {
          homes: this.adjoint.mirrors.get(r) ?? [], out: [], values: new Map(), loop: trip?.of.primal, number: trip?.number,
        }])
      }
      frame.out.push(inst)
    }
    region.insts = frame.out
  }

  #available(v: Value, frames: readonly Frame[]): Value {
    const region = this.primal.places[v.id]!.region
    let depth = frames.length - 1
    while (!frames[depth]!.homes.includes(region)) depth--
    const frame = frames[depth]!
    const known = frame.values.get(v.id)
    if (known !== undefined) return known
    const made = this.#make(v, frame, depth + 1 === frames.length ? frames : frames.slice(0, depth + 1))
    frame.values.set(v.id, made)
    return made
  }

  #make(v: Value, frame: Frame, frames: readonly Frame[]): Value {
    const constant = this.#constants.get(v.id)
    if (constant !== undefined) return this.#emit(frame, b => b.const(v.type, constant))
    const stored = this.#stored.get(v.id)
    if (stored !== undefined) return this.#fetch(v, stored.slot, stored.variable, frames, frame)
    if (v.def.op === 'param') return this.#makeParam(v, v.def, frame, frames)
    return v.def.op === 'var' ? this.#makeVariable(v, frame, frames) : this.#makeAgain(v, v.def, frame, frames)
  }

  /** Appends to what a frame has what `make` builds. */
  #emit<T>(frame: Frame, make: (b: Builder) => T): T {
    const at = new Region()
    const result = this.#work.within(at, () => make(this.#work))
    frame.out.push(...at.insts)
    return result
  }

  /** What a region's parameter is in the reverse pass: an input, the number of a trip, or what follows from that. */
  #makeParam(v: Value, of: Region, frame: Frame, frames: readonly Frame[]): Value {
    if (of === this.trees.primal) {
      const param = this.#work.value(v.type, this.adjoint.body, 0, v.name)
      this.#inputs.set(v.id, param)
      return param
    }
    const loop = this.primal.places[v.id]!.loops.at(-1)!
    if (this.counters.get(loop) === v) return frame.number!
    const { start, step } = this.#inductionOf.get(v.id)!
    const from = this.#available(start, frames)
    return this.#emit(frame, b => b.add(from, b.mul(b.convert(frame.number!, v.type), b.const(v.type, wide(v.type) ? BigInt(step) : step))))
  }

  /** A variable that holds what it was given at first. */
  #makeVariable(v: Value, frame: Frame, frames: readonly Frame[]): Value {
    const value = this.#available(this.primal.initialiser(v)!, frames)
    return this.#emit(frame, b => {
      const copy = b.variable(v.type.elem!, v.name)
      b.store(copy, value)
      return copy
    })
  }

  /** The results of an instruction that is computed again; gives the one that is asked for. */
  #makeAgain(v: Value, inst: Inst, frame: Frame, frames: readonly Frame[]): Value {
    // A branch brings its regions; what they use from outside must be there first.
    let copy: Inst
    if (inst.regions.length === 0) {
      copy = new Inst(inst.op, inst.args.map(u => this.#available(u, frames)), inst.attr, inst.regions, inst.span)
      copy.results = inst.results.map((r, i) => this.#work.value(r.type, copy, i, r.name))
    } else {
      const { from } = this.recipe(v)!
      const there = from.map(u => this.#available(u, frames))
      const table = valueTable(this.trees.work)
      from.forEach((u, i) => { table[u.id] = there[i]! })
      copy = cloneInst(inst, this.trees.work, table)
    }
    for (let i = 0; i < copy.results.length; i++) frame.values.set(inst.results[i]!.id, copy.results[i]!)
    frame.out.push(copy)
    return copy.results[v.index]!
  }

  #fetch(v: Value, slot: Slot, variable: boolean, frames: readonly Frame[], frame: Frame): Value {
    const loops = this.primal.places[v.id]!.loops
    if (loops.length === 0 && !variable) return slot.in
    const numbers = loops.map(loop => frames.find(f => f.loop === loop)!.number!)
    return this.#emit(frame, b => {
      let value: Value
      if (loops.length === 0) value = slot.in
      else {
        let p = this.#memoryOf(slot)
        for (const k of numbers) p = b.elem(p, k)
        value = b.load(p)
      }
      if (!variable) return value
      const copy = b.variable(v.type.elem!, v.name)
      b.store(copy, value)
      return copy
    })
  }

  readonly #memory: Map<Slot, Value> = new Map()

  /** The context entry as memory, at the start of the adjoint, so that it can be indexed by trips. */
  #memoryOf(slot: Slot): Value {
    const known = this.#memory.get(slot)
    if (known !== undefined) return known
    const b = this.#work
    const made = b.within(this.adjointStart, () => {
      const copy = b.variable(slot.type, slot.value.name)
      b.store(copy, slot.in)
      return copy
    })
    this.#memory.set(slot, made)
    return made
  }
}

function wide(type: t.Type): boolean {
  return type.scalar === 'i64' || type.scalar === 'u64'
}

interface Frame {
  readonly homes: readonly Region[]
  readonly out: Inst[]
  readonly values: Map<number, Value>
  readonly loop: Inst<'loop'> | undefined
  readonly number: Value | undefined
}

/** Extends the primal tree by the stores of the context, and makes the adjoint free of residuals. */
export function checkpoint(cx: AdContext, trees: Trees, adjoint: Adjoint): Checkpointed {
  const c = new Checkpointer(cx, trees, adjoint)
  const done = c.run()
  adjoint.body.insts.unshift(...c.adjointStart.insts)
  return done
}
