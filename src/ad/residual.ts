/**
 * The primal tree as `checkpoint` sees it: for each value where it is defined, how many bytes it takes, and how, at what cost, it
 * can be computed again.
 */
import type { PlainOp } from '../ir/op.ts'
import { array, list, perType, wordsOf, type Type } from '../ir/type.ts'
import type { Inst } from '../ir/value.ts'
import { type Func, type Region, type Value } from '../ir/value.ts'
import { captured } from '../ir/walk.ts'
import { baseOf } from '../ir/pointer.ts'
import * as costs from '../ir/costs.ts'
import { sliceOf, type Slice } from './slice.ts'

/** Bytes of a value in a context: four a scalar, eight if it has 64 bits. A list counts as a reference. */
export function bytesOf(type: Type): number {
  return 4 * wordsOf(type)
}

/** Bytes of a value, or behind a pointer, that registers cannot hold. */
export const inMemory: (type: Type) => number = perType(type => {
  if (type.kind === 'struct') return type.fields.reduce((sum, f) => sum + inMemory(f.type), 0)
  return type.kind === 'ptr' ? bytesOf(type.elem!) : type.kind === 'array' || type.kind === 'list' ? bytesOf(type) : 0
})

/** Whether an instruction gives the same when it is done again, without an observable effect. */
export interface Again {
  readonly load: (inst: Inst<'load'>) => boolean
  readonly call: (inst: Inst<'call'>) => boolean
  /** Of a call whose effects may happen again: whether what it reads is the same. */
  readonly marked: (inst: Inst<'call'>) => boolean
}

/** Where a primal value is defined. */
export interface Site {
  readonly region: Region
  /** The loops around it, outermost first; a loop's head counts as inside. */
  readonly loops: readonly Inst<'loop'>[]
  /** Position in a walk of the tree. */
  readonly order: number
}

/** How a value can be computed again: from which values, and at what cost each time. */
export interface Recipe {
  readonly from: readonly Value[]
  readonly cost: number
}

/** Estimates counts of operations. The cost of each function and branch is computed once. */
export class Costs {
  readonly #insts: Map<Inst, number> = new Map()
  readonly #funcs: Map<Func, number> = new Map()
  #depth = 0

  of(inst: Inst): number {
    if (inst.regions.length === 0 && inst.op !== 'call') return this.#count(inst)
    let cost = this.#insts.get(inst)
    if (cost === undefined) {
      cost = this.#count(inst)
      this.#insts.set(inst, cost)
    }
    return cost
  }

  #region(region: Region): number {
    if (this.#depth >= costs.followedRegions) return costs.deepCall
    this.#depth++
    let cost = 0
    for (const inst of region.insts) cost += this.of(inst)
    this.#depth--
    return cost
  }

  #regions(inst: Inst): number {
    let cost = 0
    for (const r of inst.regions) cost += this.#region(r)
    return cost
  }

  #func(func: Func): number {
    let cost = this.#funcs.get(func)
    if (cost === undefined) {
      // A function that calls itself counts as a library call inside.
      this.#funcs.set(func, costs.libraryCall)
      cost = 1 + this.#region(func.body!)
      this.#funcs.set(func, cost)
    }
    return cost
  }

  #count(inst: Inst): number {
    switch (inst.op) {
      case 'const':
      case 'zero':
      case 'undef':
      case 'extract':
      case 'construct':
      case 'splat':
      case 'swizzle':
      case 'insert':
      case 'detach':
      case 'bitcast':
      case 'global':
      case 'field':
      case 'elem':
        return 0
      case 'load':
        return costs.load
      case 'div':
      case 'rem':
        return costs.division * laneCount(inst.results[0]!.type)
      case 'loop':
        return costs.assumedTrips * this.#regions(inst)
      case 'call': {
        const callee = inst.attr
        return callee.info.intrinsics !== undefined || callee.body === undefined
          ? costs.libraryCall * laneCount(inst.results[0]?.type)
          : this.#func(callee)
      }
      default:
        return 1 + this.#regions(inst)
    }
  }
}

function laneCount(type: Type | undefined): number {
  return type === undefined ? 1 : Math.max(1, bytesOf(type) / 4)
}

/** The primal tree, indexed. */
export class Primal {
  readonly func: Func
  readonly body: Region
  readonly #again: Again
  readonly #costs: Costs = new Costs()
  /** By id of an instruction's first result. */
  readonly #recipes: (Recipe | null | undefined)[]
  readonly sites: (Site | undefined)[] = []
  /** By id of a variable: its stores. */
  readonly #stores: Map<number, { readonly inst: Inst; readonly site: Site }[]> = new Map()
  readonly #loads: Map<Inst, Site> = new Map()
  readonly #slices: Map<Value, (Recipe & { readonly slice: Slice }) | null> = new Map()
  readonly #parents: Map<Region, { readonly inst: Inst; readonly region: Region }> = new Map()
  #order = 0

  constructor(func: Func, body: Region, again: Again) {
    this.#again = again
    this.func = func
    this.body = body
    this.#recipes = new Array<Recipe | null | undefined>(func.nextValue)
    this.#index(body, [])
  }

  #index(region: Region, loops: readonly Inst<'loop'>[]): void {
    for (const v of region.params) this.sites[v.id] = { region, loops, order: this.#order++ }
    for (const inst of region.insts) {
      const site: Site = { region, loops, order: this.#order++ }
      for (const r of inst.regions) {
        this.#parents.set(r, { inst, region })
        this.#index(r, inst.op === 'loop' ? [...loops, inst] : loops)
      }
      const done: Site = inst.regions.length === 0 ? site : { region, loops, order: this.#order++ }
      for (const v of inst.results) this.sites[v.id] = done
      if (inst.op === 'load') this.#loads.set(inst, site)
      if (inst.op !== 'store' && inst.op !== 'atomic') continue
      const root = baseOf(inst.args[0]!)
      const list = this.#stores.get(root.id)
      if (list === undefined) this.#stores.set(root.id, [{ inst, site }])
      else list.push({ inst, site })
    }
  }

  isPrimal(v: Value): boolean {
    return this.sites[v.id] !== undefined
  }

  /** The only value that a variable ever holds: it is stored whole, once, beside the declaration. Undefined if there is none. */
  initialiser(variable: Value): Value | undefined {
    const stores = this.#stores.get(variable.id)
    if (stores === undefined || stores.length !== 1) return undefined
    const { inst, site } = stores[0]!
    return inst.args[0] === variable && inst.op === 'store' && site.region === this.sites[variable.id]!.region
      ? inst.args[1]
      : undefined
  }

  /** True where nothing writes the variable after the load, as long as the variable lives. */
  #isFinal(load: Inst, variable: Value): boolean {
    const at = this.#loads.get(load)!
    const home = this.sites[variable.id]!.loops.length
    for (const { site } of this.#stores.get(variable.id) ?? []) {
      if (site.loops.length > home && at.loops.length > home && site.loops[home] === at.loops[home]) return false
      if (site.order > at.order && !this.#exclusive(site.region, at.region)) return false
    }
    return true
  }

  /** True where the two regions lie in different arms of one branch. */
  #exclusive(a: Region, b: Region): boolean {
    const arms = new Map<Inst, Region>()
    for (let r: Region | undefined = a; r !== undefined;) {
      const up = this.#parents.get(r)
      if (up === undefined) break
      arms.set(up.inst, r)
      r = up.region
    }
    for (let r: Region | undefined = b; r !== undefined;) {
      const up = this.#parents.get(r)
      if (up === undefined) return false
      const arm = arms.get(up.inst)
      if (arm !== undefined) return arm !== r && up.inst.op !== 'loop'
      r = up.region
    }
    return false
  }

  /** How an instruction's results can be computed again; undefined if they must be stored. */
  recipe(inst: Inst): Recipe | undefined {
    if (inst.results.length === 0) return this.#recipe(inst)
    const { id } = inst.results[0]!
    const known = this.#recipes[id]
    if (known !== undefined) return known ?? undefined
    const recipe = this.#recipe(inst)
    this.#recipes[id] = recipe ?? null
    return recipe
  }

  #recipe(inst: Inst): Recipe | undefined {
    switch (inst.op) {
      case 'var': {
        const init = this.initialiser(inst.results[0]!)
        return init === undefined ? undefined : { from: [init], cost: 0 }
      }
      case 'load': {
        const root = baseOf(inst.args[0]!)
        if (this.#again.load(inst)) return { from: inst.args, cost: this.#costs.of(inst) }
        if (root.def.op === 'param' || root.def.op !== 'var' || !this.#isFinal(inst, root)) return undefined
        return { from: inst.args, cost: costs.cheap }
      }
      case 'call': {
        const { prefer } = inst.attr.info
        if (prefer === 'checkpoint') return undefined
        if (!(prefer === 'recompute' ? this.#again.marked(inst) : this.#again.call(inst))) return undefined
        return { from: inst.args, cost: prefer === 'recompute' ? 0 : this.#costs.of(inst) }
      }
      case 'if':
      case 'switch': {
        if (!inst.regions.every(r => this.#repeatable(r))) return undefined
        const free = new Set(inst.args)
        for (const r of inst.regions) for (const v of captured(r, this.func)) free.add(v)
        return { from: [...free], cost: this.#costs.of(inst) }
      }
      case 'global':
      case 'field':
      case 'elem':
        return { from: inst.args, cost: this.#costs.of(inst) }
      case 'store':
      case 'atomic':
      case 'barrier':
      case 'printf':
      case 'trap':
        return undefined
      case 'loop':
      case 'block':
      case 'yield':
      case 'test':
      case 'next':
      case 'leave':
      case 'ret':
      case 'unreachable':
        return undefined
      case 'intrinsic.pure':
      case 'intrinsic.read':
      case 'intrinsic.write':
      case 'intrinsic.hide':
        return undefined
      default:
        inst.op satisfies PlainOp
        return { from: inst.args, cost: this.#costs.of(inst) }
    }
  }

  /** The part of a loop that makes a result again, and at what cost. */
  slice(v: Value): (Recipe & { readonly slice: Slice }) | undefined {
    let found = this.#slices.get(v)
    if (found === undefined) {
      const slice = sliceOf(v, this.func, inst =>
        inst.op === 'loop'
          ? inst.regions.every(r => this.#repeatable(r))
          : inst.op !== 'var' && this.recipe(inst) !== undefined,
      )
      let cost = 0
      for (const inst of slice?.insts ?? []) cost += this.#costs.of(inst)
      found = slice === undefined ? null : { from: slice.from, cost: costs.assumedTrips * cost, slice }
      this.#slices.set(v, found)
    }
    return found ?? undefined
  }

  #repeatable(region: Region): boolean {
    return region.insts.every(inst => inst.row.ends || (inst.op !== 'var' && this.recipe(inst) !== undefined))
  }
}

/**
 * The type of an entry with one slot for each trip of loops with these bounds, outermost first. Where a bound is undefined it is a
 * list, which grows.
 */
export function entryType(type: Type, bounds: readonly (number | undefined)[]): Type {
  return bounds.reduceRight<Type>((inner, n) => (n === undefined ? list(inner) : array(inner, n)), type)
}
