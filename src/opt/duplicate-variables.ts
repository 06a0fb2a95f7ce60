/**
 * Merges duplicate variables, which always hold the same: each store to one stands beside a store of the same value to the same
 * part of the other.
 *
 *   store (elem %a %i) %x; store (elem %b %i) %x   →   store (elem %a %i) %x
 *
 * Derivatives keep values in such pairs of variables where two rules ask for one value.
 */
import type { Func, Inst, Region, Value } from '../ir/value.ts'
import { substitute, type ValueTable } from '../ir/walk.ts'
import { pathOf } from './alias.ts'
import * as costs from '../ir/costs.ts'

interface Local {
  readonly pointer: Value
  readonly region: number
  readonly stores: { readonly inst: Inst; readonly at: number; readonly key: string }[]
  readonly loads: number[]
  escapes: boolean
}

/** Merges duplicate variables; true where there were some. */
export function duplicateVariables(func: Func): boolean {
  if (func.body === undefined) return false
  const first = new Map<string, Local>()
  const to: ValueTable = []
  const drop = new Set<Inst>()
  const exits: number[] = []
  for (const local of collect(func.body, exits)) {
    if (local.escapes || local.stores.length === 0 || local.stores.length > costs.duplicateStores) continue
    const key = `${local.pointer.type.name} ${local.region} ${local.stores.map(s => s.key).join(' ')}`
    const kept = first.get(key)
    if (kept === undefined) first.set(key, local)
    else if (isSteady(local, kept, exits)) {
      to[local.pointer.id] = kept.pointer
      for (const s of local.stores) drop.add(s.inst)
      kept.loads.push(...local.loads)
    }
  }
  if (drop.size === 0) return false
  substitute(func.body, to)
  remove(func.body, drop)
  return true
}

/** True where between the stores of a pair neither is loaded, and nothing leaves. */
function isSteady(x: Local, y: Local, exits: readonly number[]): boolean {
  return x.stores.every((s, i) => {
    const [from, to] = [Math.min(s.at, y.stores[i]!.at), Math.max(s.at, y.stores[i]!.at)]
    return ![...x.loads, ...y.loads, ...exits].some(at => at > from && at < to)
  })
}

function collect(body: Region, exits: number[]): Iterable<Local> {
  const locals = new Map<Inst, Local>()
  let at = 0
  let regions = 0
  const visit = (region: Region): void => {
    const here = regions++
    for (let i = 0; i < region.insts.length; i++) {
      const inst = region.insts[i]!
      at++
      if (inst.op === 'leave' || inst.op === 'ret') exits.push(at)
      if (inst.op === 'var') {
        locals.set(inst, { pointer: inst.results[0]!, region: here, stores: [], loads: [], escapes: false })
        continue
      }
      for (let k = 0; k < inst.args.length; k++) {
        const arg = inst.args[k]!
        if (arg.type.kind !== 'ptr' || inst.op === 'field' || inst.op === 'elem') continue
        const path = pathOf(arg)
        const local = path.root === undefined ? undefined : locals.get(path.root as Inst)
        if (local === undefined) continue
        if (inst.op === 'load') local.loads.push(at)
        else if (inst.op === 'store' && k === 0) {
          const steps = path.steps.map(s => (typeof s === 'number' ? `.${s}` : `[${s.id}]`)).join('')
          local.stores.push({ inst, at, key: `${here}${steps}=${inst.args[1]!.id}` })
        } else local.escapes = true
      }
      for (let i = 0; i < inst.regions.length; i++) visit(inst.regions[i]!)
    }
  }
  visit(body)
  return locals.values()
}

function remove(region: Region, drop: ReadonlySet<Inst>): void {
  region.insts = region.insts.filter(inst => !drop.has(inst))
  for (const inst of region.insts) for (let i = 0; i < inst.regions.length; i++) remove(inst.regions[i]!, drop)
}
