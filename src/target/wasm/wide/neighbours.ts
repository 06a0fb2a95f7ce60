/**
 * Finds accesses of neighbouring elements of one buffer, which can be made at once: their indices have one part that may be anything and
 * is the same, and constants. Loads come together at the first of them, stores at the last. So nothing between may write what is loaded,
 * or look at what is stored.
 */
import * as t from '../../../ir/type.ts'
import type { Type } from '../../../ir/type.ts'
import type { Global, Inst, Region, Value } from '../../../ir/value.ts'
import { constantIndex, constantInt, isPureCall, rootOf } from '../../../opt/match.ts'

/** The most by which constants of one group differ. */
const mostApart = 7
/** So many instructions are looked at to find what an index is made of. */
const mostTerms = 12

export interface Access {
  readonly inst: Inst
  /** The element. */
  readonly elem: Inst
  /** The way from the element to the part that is accessed: components with constant indices. */
  readonly steps: readonly number[]
  /** How far its index is from that of the first access of the group, modulo 2³². */
  readonly distance: number
}

export interface Group {
  readonly kind: 'load' | 'store'
  /** In the order of the program. */
  readonly accesses: readonly Access[]
}

interface Found {
  readonly elem: Inst
  readonly steps: readonly number[]
}

/** A group to which accesses may still come. */
interface Open extends Group {
  readonly accesses: Access[]
  readonly index: Sum
  lowest: number
  highest: number
}

/** An index as a sum of products with constants, modulo 2³². */
interface Sum {
  /** The same for indices that only differ by their constants. */
  readonly terms: string
  readonly constant: number
}

/** Groups of a region. `isPlain` tells which types consist of words alone. */
export function neighboursIn(region: Region, isPlain: (type: Type) => boolean): readonly Group[] {
  const all: Group[] = []
  const open = new Map<Global, Open[]>()
  /** Ends groups of a buffer, or of all; those of one kind, or both. */
  const close = (root: Global | undefined, kind?: Group['kind']): void => {
    for (const [global, groups] of open)
      if (root === undefined || root === global)
        open.set(
          global,
          groups.filter(group => kind !== undefined && group.kind !== kind),
        )
  }
  for (const inst of region.insts) {
    if (inst.op !== 'load' && inst.op !== 'store') {
      if (inst.regions.length > 0 || (inst.row.effect !== 'none' && !isPureCall(inst))) close(undefined)
      continue
    }
    const root = rootOf(inst.args[0]!)
    if (root?.op === 'var') continue
    const global = root?.op === 'global' ? root.attr : undefined
    if (inst.op === 'load') close(global, 'store')
    const type = inst.op === 'load' ? inst.results[0]!.type : inst.args[1]!.type
    const found = global === undefined || !isPlain(type) ? undefined : findElement(inst)
    if (found === undefined) {
      if (inst.op === 'store') close(global)
      continue
    }
    const groups = open.get(global!) ?? []
    const index = sumOf(found.elem.args[1]!)
    if (groups.some(group => join(group, inst, found, index))) continue
    // While a group of stores is open, no other access of its buffer has come.
    if (inst.op === 'store') close(global)
    const access = { inst, ...found, distance: 0 }
    const group: Open = { kind: inst.op, accesses: [access], index, lowest: 0, highest: 0 }
    all.push(group)
    open.set(global!, [...(open.get(global!) ?? []), group])
  }
  return all
}

function join(group: Open, inst: Inst, { elem, steps }: Found, { terms, constant }: Sum): boolean {
  const [first] = group.accesses
  if (group.kind !== inst.op || terms !== group.index.terms || !sameArray(elem, first!.elem)) return false
  const distance = (constant - group.index.constant) | 0
  const [lowest, highest] = [Math.min(group.lowest, distance), Math.max(group.highest, distance)]
  if (highest - lowest > mostApart) return false
  // Of two stores to one place the later is the last.
  const overlaps = (a: Access): boolean =>
    a.distance === distance && steps.every((s, k) => k >= a.steps.length || a.steps[k] === s)
  if (group.kind === 'store' && group.accesses.some(overlaps)) return false
  group.lowest = lowest
  group.highest = highest
  group.accesses.push({ inst, elem, steps, distance })
  return true
}

/** The element of a buffer in which an access lies, where all further steps are constant. */
function findElement(inst: Inst): Found | undefined {
  const steps: number[] = []
  for (let { def } = inst.args[0]!; def.op !== 'param'; def = def.args[0]!.def) {
    if (def.op === 'field') steps.unshift(def.attr)
    else if (def.op === 'elem') {
      const { kind, count } = def.args[0]!.type.elem!
      const index = def.args[1]!
      if (kind === 'array' && count === 0) return isWord(index) ? { elem: def, steps } : undefined
      const constant = constantIndex(index, count)
      if (constant === undefined) return undefined
      steps.unshift(constant)
    } else return undefined
  }
  return undefined
}

/** Whether two elements are of one array. */
function sameArray(a: Inst, b: Inst): boolean {
  let [x, y] = [a.args[0]!, b.args[0]!]
  while (x !== y) {
    const [p, q] = [x.def, y.def]
    if (p.op === 'global' && q.op === 'global') return p.attr === q.attr
    if (p.op !== 'field' || q.op !== 'field' || p.attr !== q.attr) return false
    x = p.args[0]!
    y = q.args[0]!
  }
  return true
}

const isWord = ({ type }: Value): boolean => type === t.i32 || type === t.u32

function sumOf(index: Value): Sum {
  const terms = new Map<Value, number>()
  let constant = 0
  let left = mostTerms
  const add = (v: Value, by: number): void => {
    const c = constantInt(v)
    if (c !== undefined) {
      constant = (constant + Math.imul(c, by)) | 0
      return
    }
    const { def } = v
    if (def.op !== 'param' && isWord(v) && --left >= 0) {
      const [x, y] = [def.args[0]!, def.args[1]!]
      const factor = def.op === 'mul' || def.op === 'shl' ? constantInt(y) : undefined
      if (def.op === 'add' || def.op === 'sub') {
        add(x, by)
        add(y, def.op === 'add' ? by : -by | 0)
        return
      }
      if (factor !== undefined && (def.op === 'mul' || (factor >= 0 && factor < 32))) {
        add(x, def.op === 'mul' ? Math.imul(by, factor) : by << factor)
        return
      }
      if ((def.op === 'bitcast' || def.op === 'convert') && isWord(x)) {
        add(x, by)
        return
      }
    }
    terms.set(v, ((terms.get(v) ?? 0) + by) | 0)
  }
  add(index, 1)
  const names = [...terms].filter(([, by]) => by !== 0).map(([v, by]) => `${v.id}*${by}`)
  return { terms: names.sort().join(), constant }
}
