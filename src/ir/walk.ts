/**
 * Walks over regions, and copies of them. Side tables are arrays indexed by value id: a table that is said to be
 * "of" a function must have been made when the function had all the values it is asked about.
 */
import type { Attr, OpName } from './op.ts'
import { Func, Inst, Region, Value, noRegions, type Signature } from './value.ts'

/** Replacements by the id of the replaced value; absent for a value that stays. */
export type ValueTable = (Value | undefined)[]

/** A table with room for all values of a function. An array that starts empty and first gets a distant entry becomes slow in engines. */
export function valueTable(func: Func): ValueTable {
  return func.nextValue > 1000 ? new Array<Value | undefined>(func.nextValue) : []
}

/** Calls `visit` with each instruction, an owner before what its regions hold. */
export function walk(region: Region, visit: (inst: Inst, region: Region) => void): void {
  const insts = region.insts
  for (let i = 0; i < insts.length; i++) {
    const inst = insts[i]!
    visit(inst, region)
    for (let k = 0; k < inst.regions.length; k++) walk(inst.regions[k]!, visit)
  }
}

/** Calls `visit` with each instruction, last first and what its regions hold before their owner. */
export function walkBack(region: Region, visit: (inst: Inst, region: Region) => void): void {
  const insts = region.insts
  for (let i = insts.length - 1; i >= 0; i--) {
    const inst = insts[i]!
    for (let k = inst.regions.length - 1; k >= 0; k--) walkBack(inst.regions[k]!, visit)
    visit(inst, region)
  }
}

/** Calls `visit` with the region and each region inside it, outermost first. */
export function walkRegions(region: Region, visit: (region: Region) => void): void {
  visit(region)
  for (let i = 0; i < region.insts.length; i++) {
    const inst = region.insts[i]!
    for (let k = 0; k < inst.regions.length; k++) walkRegions(inst.regions[k]!, visit)
  }
}

/** The instruction that defines a value, or undefined where a region's parameter does. */
export function defining(value: Value): Inst | undefined {
  return value.def.op !== 'param' ? value.def : undefined
}

/**
 * Copies a region for `into`. `values` maps values of the source function by id. Values in it are replaced, others stay (captured
 * values), and the copy's own values are added to it. `leave`s of copied instructions name the copies; `labels` may map further
 * labels.
 */
export function cloneRegion(
  region: Region,
  into: Func,
  values: ValueTable,
  labels: Map<Inst, Inst> = new Map(),
): Region {
  const copy = new Region()
  for (let i = 0; i < region.params.length; i++) {
    const p = region.params[i]!
    const q = new Value(into.nextValue++, p.type, copy, i, p.name)
    values[p.id] = q
    copy.params.push(q)
  }
  for (let i = 0; i < region.insts.length; i++) copy.insts.push(cloneInst(region.insts[i]!, into, values, labels))
  return copy
}

/** A copy of an instruction with all its regions; see `cloneRegion`. The caller puts it into a region. */
export function cloneInst<K extends OpName>(
  inst: Inst<K>,
  into: Func,
  values: ValueTable,
  labels?: Map<Inst, Inst>,
): Inst<K>
export function cloneInst(inst: Inst, into: Func, values: ValueTable, labels: Map<Inst, Inst> = new Map()): Inst {
  const args = mapValues(inst.args, values)
  const attr: Attr = inst.attr instanceof Inst ? (labels.get(inst.attr) ?? inst.attr) : inst.attr
  const copy = new Inst(inst.op, args, attr, noRegions, inst.span)
  if (inst.regions.length > 0) {
    const regions: Region[] = []
    copy.regions = regions
    labels.set(inst, copy)
    for (let k = 0; k < inst.regions.length; k++) regions.push(cloneRegion(inst.regions[k]!, into, values, labels))
  }
  const { results } = inst
  for (let k = 0; k < results.length; k++) {
    const r = results[k]!
    const q = new Value(into.nextValue++, r.type, copy, k, r.name)
    values[r.id] = q
    if (k === 0) copy.results = [q]
    else copy.results.push(q)
  }
  return copy
}

/** A copy of a function under another name, with body, request and info, but no longer an entry point or an export. */
export function cloneFunc(func: Func, name: string, sig: Signature = func.sig): Func {
  const copy = new Func(name, sig, func.span)
  Object.assign(copy.info, func.info)
  copy.info.entry = undefined
  copy.info.exported = undefined
  copy.request = func.request
  if (func.body !== undefined) copy.body = cloneRegion(func.body, copy, valueTable(func))
  return copy
}

/** The values with those in the table replaced. */
export function mapValues(list: readonly Value[], values: ValueTable): Value[] {
  const out = list.slice()
  for (let i = 0; i < out.length; i++) out[i] = values[out[i]!.id] ?? out[i]!
  return out
}

/** What a value is replaced by, following chains of replacements. */
export function resolved(value: Value, values: ValueTable): Value {
  let to = value
  for (let next = values[to.id]; next !== undefined && next !== to; next = values[to.id]) to = next
  return to
}

/** Replaces every use in the region as the table says, following chains of replacements. True if any use changed. */
export function substitute(region: Region, values: ValueTable): boolean {
  let changed = false
  walk(region, inst => {
    for (let k = 0; k < inst.args.length; k++) {
      const from = inst.args[k]!
      const to = resolved(from, values)
      if (to === from) continue
      inst.args[k] = to
      changed = true
    }
  })
  return changed
}

/** So many zeros. A list, since the memory of a typed array lies outside the heap of engines, which makes and frees it slowly. */
export function zeros(count: number): number[] {
  return new Array<number>(count).fill(0)
}

/** How often each value of the function is used, by value id. */
export function useCounts(func: Func): number[] {
  const counts = zeros(func.nextValue)
  if (func.body !== undefined) countUses(func.body, counts)
  return counts
}

function countUses({ insts }: Region, counts: number[]): void {
  for (let i = 0; i < insts.length; i++) {
    const { args, regions } = insts[i]!
    for (let k = 0; k < args.length; k++) counts[args[k]!.id]!++
    for (let k = 0; k < regions.length; k++) countUses(regions[k]!, counts)
  }
}

/** The values that a region uses but does not define, in order of first use. A loop's body captures its head's values. */
export function captured(region: Region, func: Func): Value[] {
  const seen = zeros(func.nextValue)
  const free: Value[] = []
  walkRegions(region, r => {
    for (let i = 0; i < r.params.length; i++) seen[r.params[i]!.id] = 1
    for (let i = 0; i < r.insts.length; i++) {
      const results = r.insts[i]!.results
      for (let k = 0; k < results.length; k++) seen[results[k]!.id] = 1
    }
  })
  walk(region, inst => {
    for (let k = 0; k < inst.args.length; k++) {
      const arg = inst.args[k]!
      if (seen[arg.id] === 1) continue
      seen[arg.id] = 1
      free.push(arg)
    }
  })
  return free
}
