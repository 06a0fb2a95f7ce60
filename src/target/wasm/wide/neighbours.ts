/**
 * Finds accesses of neighbouring elements of one buffer, which can be made at once: their indices are one number, which may be any, and
 * constants that are added to it. Loads come together at the first of them, stores at the last. So nothing between may write what is
 * loaded, or look at what is stored.
 *
 *   b[o] += x      →   both loads
 *   b[o + 1] += y      both stores
 */
import * as t from '../../../ir/type.ts'
import type { Type } from '../../../ir/type.ts'
import type { Global, Inst, Region, Value } from '../../../ir/value.ts'
import { mayOverlap, offset, pathOf } from '../../../opt/alias.ts'
import { constantIndex, definedBy, isPureCall, rootOf } from '../../../opt/match.ts'

/** The most by which a constant differs from the first of its group. */
const mostApart = 7
/** The most accesses of a group, each of which is compared with all others. */
const mostAccesses = 32

export interface Access extends Found {
  readonly inst: Inst
  /** How far its index is from that of the first access of the group, modulo 2³². */
  readonly distance: number
}

export interface Group {
  /** `mixed`: with loads behind stores. Where one of its elements is out of bounds, they may not change places. */
  readonly kind: 'load' | 'store' | 'mixed'
  /** In the order of the program. */
  readonly accesses: readonly Access[]
}

/** The element of a buffer in which an access lies. */
interface Found {
  readonly elem: Inst
  /** The way from there to what is accessed. */
  readonly steps: readonly Inst[]
  /** Whether the way is the same for all lanes and known: components with constant indices. */
  readonly isFixed: boolean
}

/** A group to which accesses may still come, of both kinds. */
interface Open {
  readonly accesses: Access[]
  readonly root: Global
  /** What all indices begin with, and the constant of the first. */
  readonly base: Value
  readonly first: number
}

/** Groups of a region, of one access or more. Of what is not flat there are none. */
export function neighboursIn(region: Region, isFlat: (type: Type) => boolean): readonly Group[] {
  const all: Open[] = []
  let open: Open[] = []
  /** Ends the groups of a buffer, or of all, that an instruction may disturb. */
  const close = (root: Global | undefined, disturbs: (group: Open) => boolean): void => {
    open = open.filter(g => (root ?? g.root) !== g.root || !disturbs(g))
  }
  for (const inst of region.insts) {
    // A variable is no part of a buffer.
    if (inst.op === 'var') continue
    if (inst.op !== 'load' && inst.op !== 'store') {
      if (inst.regions.length > 0 || (inst.row.effect !== 'none' && !isPureCall(inst))) open = []
      continue
    }
    const root = rootOf(inst.args[0]!)
    if (root?.op === 'var') continue
    const global = root?.op === 'global' ? root.attr : undefined
    const found = global === undefined || !isFlat(accessed(inst)) ? undefined : findElement(inst)
    const access = found && { inst, ...found }
    const joined = access && open.find(group => group.root === global && join(group, access))
    close(global, group => group !== joined && (inst.op === 'store' || group.accesses.some(isStore)))
    if (joined !== undefined || !access || global === undefined) continue
    const [base, first] = parts(access.elem.args[1]!)
    const group: Open = { accesses: [{ ...access, distance: 0 }], root: global, base, first }
    all.push(group)
    if (access.isFixed) open.push(group)
  }
  return all.flatMap(({ accesses }) => ordered(accesses))
}

const isStore = ({ inst }: Access): boolean => inst.op === 'store'

/** The groups of accesses: where all loads come before all stores, one of each. */
function ordered(accesses: readonly Access[]): readonly Group[] {
  const firstStore = accesses.findIndex(isStore)
  if (firstStore >= 0 && !accesses.slice(firstStore).every(isStore)) return [{ kind: 'mixed', accesses }]
  const of = (kind: 'load' | 'store'): readonly Group[] => {
    const own = accesses.filter(a => a.inst.op === kind)
    return own.length === 0
      ? []
      : [{ kind, accesses: own.map(a => ({ ...a, distance: a.distance - own[0]!.distance })) }]
  }
  return [...of('load'), ...of('store')]
}

/** What an access loads or stores. */
export function accessed(inst: Inst): Type {
  return inst.op === 'load' ? inst.results[0]!.type : inst.args[1]!.type
}

/** Takes an access to a group of its buffer, if it belongs there. A buffer has one array without a length. */
function join(group: Open, access: Omit<Access, 'distance'>): boolean {
  const { inst, elem, isFixed } = access
  const [base, constant] = parts(elem.args[1]!)
  const distance = (constant - group.first) | 0
  if (group.accesses.length === mostAccesses) return false
  if (group.base !== base || !isFixed || Math.abs(distance) > mostApart) return false
  // What is stored may not be loaded behind it, and of two stores to one place the later is the last.
  const overlaps = (a: Access): boolean =>
    isStore(a) && a.distance === distance && mayOverlap(pathOf(a.inst.args[0]!), pathOf(inst.args[0]!))
  if (group.accesses.some(overlaps)) return false
  group.accesses.push({ ...access, distance })
  return true
}

/** An index as a value and a constant distance from it, whether these are signed or not. */
function parts(index: Value): readonly [base: Value, distance: number] {
  const [base, distance] = offset(beforeConversion(index))
  return [beforeConversion(base), distance]
}

/** A number before it became signed or unsigned, which leaves its bits alone. */
function beforeConversion(index: Value): Value {
  const from = definedBy(index, 'convert')?.args[0]
  return from !== undefined && isWord(from) && isWord(index) ? from : index
}

const isWord = ({ type }: Value): boolean => type === t.i32 || type === t.u32

function findElement(inst: Inst): Found | undefined {
  const steps: Inst[] = []
  let isFixed = true
  for (let { def } = inst.args[0]!; def.op === 'field' || def.op === 'elem'; { def } = def.args[0]!) {
    if (def.op === 'elem') {
      const { kind, count } = def.args[0]!.type.elem!
      const index = def.args[1]!
      if (kind === 'array' && count === 0) return isWord(index) ? { elem: def, steps, isFixed } : undefined
      isFixed &&= constantIndex(index, count) !== undefined
    }
    steps.unshift(def)
  }
  return undefined
}
