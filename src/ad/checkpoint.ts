/**
 * Makes the residuals available to the adjoint. A residual is free (a parameter, a constant, a trip number), or the adjoint
 * computes it again, in the region that mirrors the region of its definition, or the primal tree stores it in the context, one slot
 * a trip. A minimum cut chooses between the last two: storing a value costs its bytes; computing it again costs its operations, and
 * its operands must be had; both costs are multiplied by the trips of the loops around.
 */
import type { Adjoint, Choice, ContextEntry, Trees } from './model.ts'
import type { Recipe } from './residual.ts'
import { Builder } from '../ir/build.ts'
import type * as t from '../ir/type.ts'
import { Inst, Region, type Value } from '../ir/value.ts'
import { cloneInst, valueTable, walk, zeros, type ValueTable } from '../ir/walk.ts'
import { boundOf, inductions, tripBound } from '../opt/loops.ts'
import { byteScale } from './budget.ts'
import type { AdContext } from './context.ts'
import { mayCallAgain, mayLoadAgain, readsTheSame } from './memory.ts'
import { Network } from './mincut.ts'
import { Primal, bytesOf, inMemory, entryType } from './residual.ts'
import { cloneSlice } from './slice.ts'
import * as costs from '../ir/costs.ts'

export interface Checkpointed {
  readonly entries: readonly ContextEntry[]
  /** Indices of the primal inputs that the adjoint uses, and the values that stand for them there. */
  readonly needs: readonly number[]
  readonly inputs: readonly Value[]
  /** Bytes of the entries that stay in memory when the two halves become one function. */
  readonly memory: number
}

/** The source of a value that is available without computing it. */
const nothing: Recipe = { from: [], cost: 0 }

class Checkpointer {
  readonly #cx: AdContext
  readonly trees: Trees
  readonly adjoint: Adjoint
  readonly primal: Primal
  choices: ReadonlyMap<Value, Choice> = new Map()
  readonly #bounds: Map<Inst, { readonly max: number; readonly exact: boolean }> = new Map()
  readonly counters: Map<Inst, Value> = new Map()
  readonly #inductionOf: Map<number, { readonly loop: Inst<'loop'>; readonly start: Value; readonly step: number }> =
    new Map()
  readonly #stored: Map<number, { readonly entry: ContextEntry; readonly variable: boolean }> = new Map()
  readonly entries: ContextEntry[] = []
  readonly #inputs: Map<number, Value> = new Map()
  readonly #work: Builder
  /** The variables of the primal tree that hold entries, to stand at its start. */
  readonly #primalStart: Region = new Region()
  readonly #primalEnd: Region = new Region()
  readonly #adjointStart: Region = new Region()

  constructor(cx: AdContext, trees: Trees, adjoint: Adjoint) {
    this.#cx = cx
    this.trees = trees
    this.adjoint = adjoint
    this.primal = new Primal(trees.work, trees.primal, {
      load: inst => mayLoadAgain(cx.policy.kept, inst, trees.primal),
      call: inst => mayCallAgain(cx, cx.policy.kept, inst, trees.primal),
      marked: inst => readsTheSame(cx, cx.policy.kept, inst, trees.primal),
    })
    this.#work = new Builder(trees.work, trees.primal)
    for (const trips of trees.trips.values()) {
      this.counters.set(trips.primal, trips.counter)
      for (const i of inductions(trips.primal))
        this.#inductionOf.set(i.param.id, { loop: trips.primal, start: i.start, step: i.step })
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
    const seen = zeros(this.trees.work.nextValue),
      out: Value[] = []
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

  /** How the reverse region that mirrors the region of a value can compute the value again. */
  recipe(v: Value): Recipe | undefined {
    if (this.#constants.has(v.id)) return nothing
    if (v.def.op === 'param') {
      if (v.def === this.trees.primal) return nothing
      const loop = this.primal.sites[v.id]!.loops.at(-1)
      if (loop !== undefined && this.counters.get(loop) === v) return nothing
      const induction = this.#inductionOf.get(v.id)
      return induction === undefined ? undefined : { from: [induction.start], cost: costs.cheap }
    }
    if (v.def.op !== 'loop') return this.primal.recipe(v.def)
    // A loop is run again only where nothing can be kept.
    return this.#isImpossible(this.primal.sites[v.id]!.loops) ? this.primal.slice(v) : undefined
  }

  /** Whether no slots can be had for the trips of some loops. */
  #isImpossible(loops: readonly Inst<'loop'>[]): boolean {
    return this.#cx.growable !== true && loops.some(loop => this.bound(loop) === undefined)
  }

  #weight(v: Value): number {
    let trips = 1
    for (const loop of this.primal.sites[v.id]!.loops)
      trips = Math.min(trips * (this.bound(loop)?.max ?? costs.assumedTrips), 1e12)
    return trips
  }

  #storeCost(v: Value): number {
    const type = v.type.kind === 'ptr' ? v.type.elem! : v.type
    if (v.type.kind === 'ptr' && !(v.def.op !== 'param' && v.def.op === 'var')) return Infinity
    if (this.#isImpossible(this.primal.sites[v.id]!.loops)) return bytesOf(type) * costs.byteUnderPressure
    return (
      bytesOf(type) *
      (this.primal.sites[v.id]!.loops.length === 0
        ? costs.byteAtTop
        : this.#cx.growable === true
          ? costs.byteInLoop
          : costs.byteInGpuLoop) *
      this.#weight(v) *
      byteScale(this.#cx)
    )
  }

  /** Solves the minimum cut. The forced values are stored or computed again as `as` says, if they can be. */
  decide(forced: readonly Value[] = [], as?: 'store' | 'recompute'): Map<Value, Choice> {
    const choices = new Map<Value, Choice>()
    // Who explains nothing only asks what is stored.
    const all = this.#cx.explain !== undefined
    const net = new Network()
    const source = net.node(),
      sink = net.node()
    // By id, for each value the node that its being computed again makes flow into, and after it the one for having it.
    const nodes = zeros(this.trees.work.nextValue)
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
      const prefers = recipe !== undefined && (marked || (as === 'recompute' && forced.includes(v)))
      net.edge(into, into + 1, prefers ? Infinity : this.#storeCost(v))
      let made = into
      if (recipe !== undefined && v.def.op !== 'param' && v.def.op !== 'loop' && v.def.results.length > 1) {
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
      if (side[into + 1]) continue
      if (side[into]) choices.set(v, 'store')
      else if (all) choices.set(v, 'recompute')
    }
    return choices
  }

  /** The instructions that store the entries. They go into the primal tree last: a branch that is computed again is copied without them. */
  readonly #pieces: { readonly v: Value; readonly insts: readonly Inst[] }[] = []

  /** Makes the entry of a value: stores it in the primal tree, and takes it as a parameter of the adjoint. */
  #store(v: Value): void {
    const site = this.primal.sites[v.id]!
    const variable = v.type.kind === 'ptr'
    const type = variable ? v.type.elem! : v.type
    const body = this.trees.primal
    const bounds = site.loops.map(loop => this.bound(loop))
    const bytes = this.#cx.growable === true ? bounds.reduce((n, bound) => n * (bound?.max ?? 1), bytesOf(type)) : 0
    const [isLarge, isHuge] = [bytes > costs.reservedBytes, bytes > costs.hugeBytes]
    const dims = bounds.map(bound =>
      bound === undefined || isHuge || (isLarge && !bound.exact) ? undefined : Math.max(1, bound.max),
    )
    const full = entryType(type, dims)
    const b = this.#work
    // Where the target has no lists, this is the loop to complain of.
    const unbounded = site.loops[bounds.indexOf(undefined)]?.span ?? null
    let out: Value
    if (site.region === body && !variable) {
      out = v
    } else {
      b.span = unbounded
      const memory = b.within(this.#primalStart, () => b.variable(full, v.name))
      b.span = null
      const piece = new Region()
      b.within(piece, () => {
        let p = memory
        for (const loop of site.loops) p = b.elem(p, this.counters.get(loop)!)
        b.store(p, variable ? b.load(v) : v)
      })
      this.#pieces.push({ v, insts: piece.insts })
      out = b.within(this.#primalEnd, () => b.load(memory))
    }
    const into = b.param(full, v.name, this.adjoint.body)
    const entry: ContextEntry = { value: v, type: full, out, in: into }
    this.entries.push(entry)
    this.#stored.set(v.id, { entry, variable })
  }

  /**
   * Where a value is stored: right after its definition; for a parameter of a loop's head, at the start of the body; for a
   * variable, at the end of its region.
   */
  #storePoint(v: Value): { readonly region: Region; readonly index: number } {
    const { region, loops } = this.primal.sites[v.id]!
    if (v.type.kind === 'ptr')
      return { region, index: region.insts.length - (region.insts.at(-1)?.row.ends === true ? 1 : 0) }
    const loop = loops.at(-1)
    if (loop !== undefined && loop.regions[0] === region) return { region: loop.regions[1]!, index: 0 }
    return { region, index: v.def.op !== 'param' ? region.insts.indexOf(v.def) + 1 : 0 }
  }

  run(): Checkpointed {
    this.#foldCounts()
    this.choices = this.decide()
    this.choices.forEach((choice, v) => {
      if (choice === 'store') this.#store(v)
    })
    this.#cx.explain?.decided(this)
    const top: Frame = { homes: [this.trees.primal], out: [], values: new Map(), loop: undefined, number: undefined }
    this.#rebuild(this.adjoint.body, [top])
    for (const { v, insts } of this.#pieces) {
      const at = this.#storePoint(v)
      at.region.insts.splice(at.index, 0, ...insts)
    }
    this.trees.primal.insts.unshift(...this.#primalStart.insts)
    this.trees.primal.insts.push(...this.#primalEnd.insts)
    this.adjoint.body.insts.unshift(...this.#adjointStart.insts)
    const needs: number[] = [],
      inputs: Value[] = []
    this.trees.primal.params.forEach((p, i) => {
      const v = this.#inputs.get(p.id)
      if (v === undefined) return
      needs.push(i)
      inputs.push(v)
    })
    return { entries: this.entries, needs, inputs, memory: this.memory() }
  }

  memory(): number {
    let sum = 0
    for (const { value } of this.entries) {
      const { loops } = this.primal.sites[value.id]!
      const { type } = value
      sum += loops.reduce(
        (n, loop) => n * (this.bound(loop)?.max ?? Infinity),
        loops.length === 0 ? inMemory(type) : bytesOf(type.kind === 'ptr' ? type.elem! : type),
      )
    }
    return sum
  }

  /** Replaces residuals by values of the adjoint. What computes or loads them is emitted before their first use. */
  #rebuild(region: Region, frames: readonly Frame[]): void {
    const frame = frames.at(-1)!
    for (const inst of region.insts) {
      for (let i = 0; i < inst.args.length; i++) {
        const v = inst.args[i]!
        if (this.primal.isPrimal(v)) inst.args[i] = this.#available(v, frames)
      }
      for (const r of inst.regions) {
        const trip = this.adjoint.trips.get(r)
        this.#rebuild(r, [
          ...frames,
          {
            homes: this.adjoint.mirrors.get(r) ?? [],
            out: [],
            values: new Map(),
            loop: trip?.of.primal,
            number: trip?.number,
          },
        ])
      }
      frame.out.push(inst)
    }
    region.insts = frame.out
  }

  /** What a value is in the reverse pass. Chains of values are as long as programs, so what they need is made in a loop. */
  #available(v: Value, frames: readonly Frame[]): Value {
    const known = this.#around(v, frames).at(-1)!.values.get(v.id)
    if (known !== undefined) return known
    const open = [{ v, within: frames }]
    for (;;) {
      const at = open.at(-1)!
      const within = this.#around(at.v, at.within)
      const { values } = within.at(-1)!
      let made = values.get(at.v.id)
      if (made === undefined) {
        const from = this.#stored.has(at.v.id) ? [] : this.recipe(at.v)!.from
        const missing = from.filter(u => !this.#around(u, within).at(-1)!.values.has(u.id))
        if (missing.length > 0) {
          for (const u of missing.toReversed()) open.push({ v: u, within })
          continue
        }
        made = this.#make(at.v, within.at(-1)!, within)
        values.set(at.v.id, made)
      }
      open.pop()
      if (open.length === 0) return made
    }
  }

  /** The frames around what mirrors the region of a value. */
  #around(v: Value, frames: readonly Frame[]): readonly Frame[] {
    const { region } = this.primal.sites[v.id]!
    let n = frames.length
    while (!frames[n - 1]!.homes.includes(region)) n--
    return n === frames.length ? frames : frames.slice(0, n)
  }

  #make(v: Value, frame: Frame, frames: readonly Frame[]): Value {
    const constant = this.#constants.get(v.id)
    if (constant !== undefined) return this.#emit(frame, b => b.const(v.type, constant))
    const stored = this.#stored.get(v.id)
    if (stored !== undefined) return this.#fetch(v, stored.entry, stored.variable, frames, frame)
    if (v.def.op === 'param') return this.#makeParam(v, v.def, frame, frames)
    return v.def.op === 'var' ? this.#makeVariable(v, frame, frames) : this.#makeAgain(v, v.def, frame, frames)
  }

  /** Appends the instructions that `make` builds to a frame. */
  #emit<T>(frame: Frame, make: (b: Builder) => T): T {
    const at = new Region()
    const result = this.#work.within(at, () => make(this.#work))
    frame.out.push(...at.insts)
    return result
  }

  /** The value of a region's parameter in the reverse pass: an input, a trip number, or a value that follows from one. */
  #makeParam(v: Value, of: Region, frame: Frame, frames: readonly Frame[]): Value {
    if (of === this.trees.primal) {
      const param = this.#work.value(v.type, this.adjoint.body, 0, v.name)
      this.#inputs.set(v.id, param)
      return param
    }
    const loop = this.primal.sites[v.id]!.loops.at(-1)!
    if (this.counters.get(loop) === v) return frame.number!
    const { start, step } = this.#inductionOf.get(v.id)!
    const from = this.#available(start, frames)
    return this.#emit(frame, b =>
      b.add(from, b.mul(b.convert(frame.number!, v.type), b.const(v.type, wide(v.type) ? BigInt(step) : step))),
    )
  }

  /** Declares a variable again, with its initial value. */
  #makeVariable(v: Value, frame: Frame, frames: readonly Frame[]): Value {
    const value = this.#available(this.primal.initialiser(v)!, frames)
    return this.#emit(frame, b => {
      const copy = b.variable(v.type.elem!, v.name)
      b.store(copy, value)
      return copy
    })
  }

  /** Computes an instruction again, and gives the result that is asked for. */
  #makeAgain(v: Value, inst: Inst, frame: Frame, frames: readonly Frame[]): Value {
    // A branch brings its regions; what they use from outside must be there first.
    let copy: Inst
    if (inst.op === 'loop') {
      const { slice, from } = this.primal.slice(v)!
      const table = this.#tableOf(from, frames)
      copy = cloneSlice(slice, v, this.trees.work, table)
      frame.out.push(copy)
      return copy.results[0]!
    }
    if (inst.regions.length === 0) {
      copy = new Inst(
        inst.op,
        inst.args.map(u => this.#available(u, frames)),
        inst.attr,
        inst.regions,
        inst.span,
      )
      copy.results = inst.results.map((r, i) => this.#work.value(r.type, copy, i, r.name))
    } else {
      copy = cloneInst(inst, this.trees.work, this.#tableOf(this.recipe(v)!.from, frames))
    }
    for (let i = 0; i < copy.results.length; i++) frame.values.set(inst.results[i]!.id, copy.results[i]!)
    frame.out.push(copy)
    return copy.results[v.index]!
  }

  /** What values are in the reverse pass. */
  #tableOf(values: readonly Value[], frames: readonly Frame[]): ValueTable {
    const there = values.map(v => this.#available(v, frames))
    const table = valueTable(this.trees.work)
    values.forEach((v, i) => {
      table[v.id] = there[i]!
    })
    return table
  }

  #fetch(v: Value, entry: ContextEntry, variable: boolean, frames: readonly Frame[], frame: Frame): Value {
    const loops = this.primal.sites[v.id]!.loops
    if (loops.length === 0 && !variable) return entry.in
    const numbers = loops.map(loop => frames.find(f => f.loop === loop)!.number!)
    return this.#emit(frame, b => {
      let value: Value
      if (loops.length === 0) value = entry.in
      else {
        let p = this.#memoryOf(entry)
        for (const k of numbers) p = b.elem(p, k)
        value = b.load(p)
      }
      if (!variable) return value
      const copy = b.variable(v.type.elem!, v.name)
      b.store(copy, value)
      return copy
    })
  }

  readonly #memory: Map<ContextEntry, Value> = new Map()

  /** Stores the context entry in memory at the start of the adjoint, so that trips can index it. */
  #memoryOf(entry: ContextEntry): Value {
    const known = this.#memory.get(entry)
    if (known !== undefined) return known
    const b = this.#work
    const made = b.within(this.#adjointStart, () => {
      const copy = b.variable(entry.type, entry.value.name)
      b.store(copy, entry.in)
      return copy
    })
    this.#memory.set(entry, made)
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

/** Adds the stores of the context to the primal tree, and replaces all residuals in the adjoint. */
export function checkpoint(cx: AdContext, trees: Trees, adjoint: Adjoint): Checkpointed {
  return new Checkpointer(cx, trees, adjoint).run()
}
