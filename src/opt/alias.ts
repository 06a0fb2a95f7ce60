/** Alias analysis: which memory a pointer can reach, and which memory an instruction can write. */
import type { PlainOp } from '../ir/op.ts'
import type { Space } from '../ir/type.ts'
import type { Global, Inst } from '../ir/value.ts'
import { type Region, type Value } from '../ir/value.ts'
import { constantIndex, constantInt, definedBy, isPureCall, rootOf } from './match.ts'

/** A variable (its instruction) or a global: distinct roots never share memory. Undefined for a pointer of unknown origin. */
export type Root = Inst | Global | undefined

/** An access path: the root of a pointer, and the steps from there. */
export interface Path {
  readonly root: Root
  readonly steps: readonly (number | Value)[]
}

const none: readonly never[] = []
const unknown: Path = { root: undefined, steps: none }

/** The path of a pointer. */
export function pathOf(pointer: Value): Path {
  const root = rootOf(pointer)
  if (root === undefined) return unknown
  const where = root.op === 'global' ? root.attr : root
  const first = pointer.def as Inst
  if (first === root) return { root: where, steps: none }
  if (first.args[0]!.def === root) return { root: where, steps: [stepOf(first)] }
  const steps: (number | Value)[] = []
  for (let at = first; at !== root; at = at.args[0]!.def as Inst) steps.push(stepOf(at))
  return { root: where, steps: steps.reverse() }
}

function stepOf(inst: Inst): number | Value {
  return inst.op === 'field' ? inst.attr : indexStep(inst)
}

/** An index past the end of a fixed array may reach any element, so it is no constant. */
function indexStep(elem: Inst): number | Value {
  const at = elem.args[1]!
  const count = elem.args[0]!.type.elem!.count
  return (count === 0 ? constantInt(at) : constantIndex(at, count)) ?? at
}

/** True where two pointers with one root may overlap. */
export function mayOverlap(a: Path, b: Path): boolean {
  const n = Math.min(a.steps.length, b.steps.length)
  for (let i = 0; i < n; i++) if (differ(a.steps[i]!, b.steps[i]!)) return false
  return true
}

function differ(x: number | Value, y: number | Value): boolean {
  if (x === y) return false
  if (typeof x === 'number' && typeof y === 'number') return true
  if (typeof x === 'number' || typeof y === 'number') return false
  const [bx, ox] = offset(x)
  const [by, oy] = offset(y)
  return bx === by && ox !== oy
}

/** An index as a value and a constant distance from it. */
export function offset(index: Value): [Value, number] {
  const sum = definedBy(index, 'add') ?? definedBy(index, 'sub')
  const c = sum === undefined ? undefined : constantInt(sum.args[1]!)
  return c === undefined ? [index, 0] : [sum!.args[0]!, sum!.op === 'add' ? c | 0 : -c | 0]
}

/**
 * True if there are pointers, and no two overlap: their steps begin with the same values, and the constants that are added to these differ. It
 * takes linear time; `mayOverlap` knows of more pairs that do not overlap.
 */
export function areApart(paths: readonly Path[]): boolean {
  const forms = new Set<string>()
  const places = new Set<string>()
  for (const { root, steps } of paths) {
    if (root === undefined || root !== paths[0]!.root) return false
    const parts = steps.map(s => (typeof s === 'number' ? ([undefined, s] as const) : offset(s)))
    forms.add(parts.map(p => p[0]?.id ?? '.').join())
    places.add(parts.map(p => p[1]).join())
  }
  return forms.size === 1 && places.size === paths.length
}

/** True where nothing in the program writes the space. */
export function isReadOnly(space: Space): boolean {
  return space === 'uniform' || space === 'storage' || space === 'handle'
}

/** True for memory of other invocations too, whose integers may be atomics that others change. */
export function isShared(space: Space): boolean {
  return space === 'workgroup' || space === 'storage_rw'
}

/** What a piece of code may write. */
export interface Writes {
  readonly roots: Set<Inst | Global>
  /** Writes through a pointer of unknown origin. */
  unknown: boolean
  /** Calls of functions with effects: any global that can be written. */
  calls: boolean
  /** A barrier, after which the writes of other invocations are visible. */
  barrier: boolean
}

export function noWrites(): Writes {
  return { roots: new Set(), unknown: false, calls: false, barrier: false }
}

/** Adds what one instruction, without its regions, writes. */
export function addWrites(writes: Writes, inst: Inst): void {
  switch (inst.op) {
    case 'store':
    case 'atomic': {
      const { root } = pathOf(inst.args[0]!)
      if (root === undefined) writes.unknown = true
      else writes.roots.add(root)
      return
    }
    case 'var':
      writes.roots.add(inst)
      return
    case 'barrier':
      writes.barrier = true
      return
    case 'call':
      if (!isPureCall(inst)) writes.calls = true
      return
    case 'global':
    case 'field':
    case 'elem':
    case 'load':
    case 'printf':
    case 'trap':
    case 'if':
    case 'switch':
    case 'loop':
    case 'block':
    case 'yield':
    case 'test':
    case 'next':
    case 'leave':
    case 'ret':
    case 'unreachable':
      return
    case 'intrinsic.pure':
    case 'intrinsic.read':
    case 'intrinsic.write':
    case 'intrinsic.hide':
      return
    default:
      inst.op satisfies PlainOp
  }
}

/** What each control instruction writes in its regions. */
export function writesByControl(body: Region): Map<Inst, Writes> {
  const all = new Map<Inst, Writes>()
  const visit = (region: Region, own: Writes): void => {
    for (let i = 0; i < region.insts.length; i++) {
      const inst = region.insts[i]!
      addWrites(own, inst)
      if (inst.regions.length === 0) continue
      const inside = noWrites()
      for (let i = 0; i < inst.regions.length; i++) visit(inst.regions[i]!, inside)
      all.set(inst, inside)
      merge(own, inside)
    }
  }
  visit(body, noWrites())
  return all
}

function merge(into: Writes, from: Writes): void {
  if (from.roots.size > 0) from.roots.forEach(root => into.roots.add(root))
  into.unknown ||= from.unknown
  into.calls ||= from.calls
  into.barrier ||= from.barrier
}

/** True where the writes may change what a load through the pointer gives. */
export function disturbs(writes: Writes, path: Path, space: Space): boolean {
  if (isReadOnly(space)) return false
  if (path.root === undefined) return writes.roots.size > 0 || writes.unknown || writes.calls || writes.barrier
  if (writes.roots.has(path.root)) return true
  if (space === 'function') return writes.unknown
  return writes.calls || writes.unknown || (writes.barrier && isShared(space))
}
