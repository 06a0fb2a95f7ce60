/** The variables of a function that stay in memory, and where they are accessed. */
import type { Inst, Region, Value } from '../ir/value.ts'
import { rootOf } from './match.ts'

/** An instruction with its region, and its index in a walk of the function. */
export interface Site {
  readonly inst: Inst
  readonly region: Region
  readonly at: number
}

export interface Local {
  readonly declared: Site
  readonly pointer: Value
  /** Whole stores to the variable. */
  readonly stores: Site[]
  /** Whole loads of the variable. */
  readonly loads: Site[]
  /** Stores to parts. */
  readonly writes: Site[]
  /** All accesses and derived pointers. */
  readonly uses: Site[]
  escapes: boolean
}

/** Whether an instruction declares or accesses memory, or is control flow. */
function concerns({ op, args, regions }: Inst): boolean {
  if (op === 'var' || op === 'leave' || regions.length > 0) return true
  for (let k = 0; k < args.length; k++) if (args[k]!.type.kind === 'ptr') return true
  return false
}

/** What is found in one walk. */
export class Locals {
  readonly all: Map<Inst, Local> = new Map<Inst, Local>()
  /** The instruction that owns a region, and the region that holds it. */
  readonly owner: Map<Region, Site> = new Map<Region, Site>()
  readonly loads: Map<Inst, Site> = new Map<Inst, Site>()
  /** Where `leave` stands, and what it leaves. */
  readonly exits: { readonly at: number; readonly target: Inst }[] = []

  constructor(body: Region) {
    let at = 0
    const visit = (region: Region): void => {
      for (let i = 0; i < region.insts.length; i++) {
        const inst = region.insts[i]!
        const here = at++
        if (!concerns(inst)) continue
        const site: Site = { inst, region, at: here }
        this.#note(site)
        for (let i = 0; i < inst.regions.length; i++) {
          const r = inst.regions[i]!
          this.owner.set(r, site)
          visit(r)
        }
      }
    }
    visit(body)
  }

  #note(site: Site): void {
    const { inst } = site
    if (inst.op === 'var') {
      this.all.set(inst, {
        declared: site,
        pointer: inst.results[0]!,
        stores: [],
        loads: [],
        writes: [],
        uses: [],
        escapes: false,
      })
      return
    }
    if (inst.op === 'leave') this.exits.push({ at: site.at, target: inst.attr })
    if (inst.op === 'load') this.loads.set(inst, site)
    for (let k = 0; k < inst.args.length; k++) {
      const arg = inst.args[k]!
      if (arg.type.kind !== 'ptr') continue
      const root = rootOf(arg)
      const local = root === undefined ? undefined : this.all.get(root)
      if (local === undefined) continue
      local.uses.push(site)
      const whole = arg === local.pointer
      if (k > 0) local.escapes = true
      else if (inst.op === 'load') {
        if (whole) local.loads.push(site)
      } else if (inst.op === 'store') (whole ? local.stores : local.writes).push(site)
      else if (inst.op !== 'field' && inst.op !== 'elem') local.escapes = true
    }
  }
}

/** Removes instructions. */
export function remove(region: Region, drop: ReadonlySet<Inst>): void {
  region.insts = region.insts.filter(inst => !drop.has(inst))
  for (const inst of region.insts) for (let i = 0; i < inst.regions.length; i++) remove(inst.regions[i]!, drop)
}
