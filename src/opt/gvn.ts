/**
 * Value numbering: replaces an instruction by an earlier one in scope that computes the same. A scope is a region: all that is
 * known before a region is known in it. Loads take part between writes, and a load of what has just been stored is the stored
 * value.
 *
 *   %x: f32 = mul %a, %b         %x: f32 = mul %a, %b
 *   store %p, %x             →   store %p, %x
 *   %y: f32 = mul %b, %a
 *   %z: f32 = load %p
 */
import { Builder } from '../ir/build.ts'
import type { OpName } from '../ir/op.ts'
import * as t from '../ir/type.ts'
import type { Region } from '../ir/value.ts'
import { Inst, Value, noRegions, type Attr, type Func, type Global } from '../ir/value.ts'
import { useCounts, valueTable, type ValueTable } from '../ir/walk.ts'
import {
  addWrites,
  disturbs,
  isReadOnly,
  isShared,
  mayOverlap,
  noWrites,
  pathOf,
  writesByControl,
  type Path,
  type Writes,
} from './alias.ts'
import type { Change, Cx } from './cx.ts'
import { constantIndex, definedBy, isCommutative, isPure } from './match.ts'
import { rewrite } from './rules.ts'
import * as costs from '../ir/costs.ts'

/** Instructions with the same hash, the latest first. */
interface Numbered {
  readonly inst: Inst
  readonly hash: number
  readonly below: Numbered | undefined
}

/** A value that memory is known to hold. */
interface Known {
  readonly pointer: Value
  readonly path: Path
  readonly value: Value
}

/** The known contents of memory. Changes are undone at the end of a scope: to copy everything for each scope would take quadratic time. */
class Memory {
  /** Known values by variable; and by memory that others can write too. */
  readonly #local = new Map<Inst | Global, readonly Known[]>()
  readonly #global = new Map<Inst | Global, readonly Known[]>()
  readonly #undo: [root: Inst | Global, before: readonly Known[] | undefined][] = []

  get isEmpty(): boolean {
    return this.#local.size === 0 && this.#global.size === 0
  }

  at(root: Inst | Global): readonly Known[] {
    return this.#of(root).get(root) ?? []
  }

  remember(root: Inst | Global, entry: Known, others: readonly Known[]): void {
    const kept = others.length >= costs.knownValues ? others.slice(1) : others
    this.#set(root, [...kept, entry])
  }

  /** Drops what the writes may have changed; with `again` also what others may change between two trips of a loop. */
  forget(writes: Writes, again = false): void {
    if (this.isEmpty) return
    if (writes.unknown) this.#local.forEach((_, root) => this.#set(root, undefined))
    else if (this.#local.size > 0) writes.roots.forEach(root => this.#set(root, undefined))
    this.#global.forEach((known, root) => {
      const space = known[0]!.pointer.type.space!
      if (isReadOnly(space)) return
      const kept = known.filter(
        k => !disturbs(writes, k.path, space) && !(again && isShared(space) && t.isInt(k.pointer.type.elem!)),
      )
      if (kept.length < known.length) this.#set(root, kept.length === 0 ? undefined : kept)
    })
  }

  mark(): number {
    return this.#undo.length
  }

  unwind(mark: number): void {
    while (this.#undo.length > mark) {
      const [root, before] = this.#undo.pop()!
      if (before === undefined) this.#of(root).delete(root)
      else this.#of(root).set(root, before)
    }
  }

  #of(root: Inst | Global): Map<Inst | Global, readonly Known[]> {
    return root instanceof Inst ? this.#local : this.#global
  }

  #set(root: Inst | Global, known: readonly Known[] | undefined): void {
    const map = this.#of(root)
    const before = map.get(root)
    if (before === undefined && known === undefined) return
    this.#undo.push([root, before])
    if (known === undefined) map.delete(root)
    else map.set(root, known)
  }
}

/** Merges equal computations and forwards stores to loads. */
export function gvn(func: Func, cx?: Pick<Cx, 'wide'>): Change {
  if (func.body === undefined) return false
  const pass = new Numbering(func, func.body, cx?.wide === true)
  pass.region(func.body, new Memory())
  return pass.control ? 'control' : pass.changed
}

class Numbering {
  changed = false
  /** True once a condition, or a result of control, became something that `simplify` can use. */
  control = false
  readonly #wide: boolean
  readonly #b: Builder
  readonly #func: Func
  readonly #to: ValueTable
  /** By the lower bits of the hash. */
  readonly #table: (Numbered | undefined)[]
  readonly #mask: number
  /** The entries of this scope, which are removed at its end. */
  readonly #entered: Numbered[] = []
  readonly #writes: ReadonlyMap<Inst, Writes>
  readonly #uses: readonly number[]

  constructor(func: Func, body: Region, wide: boolean) {
    this.#wide = wide
    this.#func = func
    this.#to = valueTable(func)
    this.#b = new Builder(func, body)
    let places = costs.numberedPlaces
    while (places < func.nextValue) places *= 2
    this.#table = new Array<Numbered | undefined>(places)
    this.#mask = places - 1
    const flat = body.insts.every(inst => inst.regions.length === 0)
    this.#writes = flat ? noControl : writesByControl(body)
    this.#uses = flat ? noUses : useCounts(func)
  }

  /** Numbers a region. The caller drops or keeps what is known at its end. */
  region(region: Region, memory: Memory): void {
    const mark = this.#entered.length
    this.#insts(region, memory)
    this.#unwind(mark)
  }

  #unwind(mark: number): void {
    while (this.#entered.length > mark) {
      const { hash, below } = this.#entered.pop()!
      this.#table[hash & this.#mask] = below
    }
  }

  #insts(region: Region, memory: Memory): void {
    const insts = region.insts
    region.insts = []
    for (let i = 0; i < insts.length; i++) {
      const inst = insts[i]!
      const { args } = inst
      let touched = false
      for (let k = 0; k < args.length; k++) {
        const to = this.#to[args[k]!.id]
        if (to === undefined) continue
        args[k] = to
        touched = true
      }
      if (touched) this.changed = true
      if (inst.regions.length > 0) {
        this.control ||= touched
        this.#control(region, inst, memory)
        this.control ||= agree(inst)
      } else if (touched && this.#simpler(region, inst)) continue
      else if (inst.op === 'load') this.#load(region, inst, memory)
      else if (inst.op === 'store') this.#store(region, inst, memory)
      else if (isPure(inst)) this.#pure(region, inst)
      else {
        region.insts.push(inst)
        if (inst.row.effect === 'write' && !memory.isEmpty) {
          const writes = noWrites()
          addWrites(writes, inst)
          memory.forget(writes)
        }
      }
    }
  }

  /** Folds an instruction whose operands have changed; true if nothing is left of it. */
  #simpler(region: Region, inst: Inst): boolean {
    this.#b.at = region
    this.#b.span = inst.span
    const value = rewrite(this.#b, inst, this.#wide)
    if (value === undefined) return false
    this.#replace(inst.results[0]!, value)
    return true
  }

  #pure(region: Region, inst: Inst): void {
    const hash = hashOf(inst)
    const at = hash & this.#mask
    const head = this.#table[at]
    for (let n = head; n !== undefined; n = n.below) {
      if (n.hash !== hash || !sameWork(n.inst, inst)) continue
      for (let k = 0; k < inst.results.length; k++) this.#replace(inst.results[k]!, n.inst.results[k]!)
      return
    }
    const numbered: Numbered = { inst, hash, below: head }
    this.#entered.push(numbered)
    this.#table[at] = numbered
    region.insts.push(inst)
  }

  #replace(from: Value, to: Value): void {
    if (to.name === '') to.name = from.name
    this.#to[from.id] = to
    this.changed = true
  }

  #load(region: Region, inst: Inst, memory: Memory): void {
    const pointer = inst.args[0]!
    const result = inst.results[0]!
    const path = pathOf(pointer)
    if (path.root !== undefined) {
      const known = memory.at(path.root)
      const value = this.#known(region, inst, pointer, known)
      if (value !== undefined) return this.#replace(result, value)
      memory.remember(path.root, { pointer, path, value: result }, known)
    }
    region.insts.push(inst)
  }

  /** The known value at the pointer, also as a part of a known whole. */
  #known(region: Region, inst: Inst, pointer: Value, known: readonly Known[]): Value | undefined {
    if (known.length === 0) return undefined
    const at = known.find(k => k.pointer === pointer)
    if (at !== undefined) return at.value
    const def = pointer.def
    if (def.op === 'param' || (def.op !== 'field' && def.op !== 'elem')) return undefined
    const whole = def.args[0]!
    const part = def.op === 'field' ? def.attr : constantIndex(def.args[1]!, whole.type.elem!.count)
    if (part === undefined) return undefined
    const from = this.#known(region, inst, whole, known)
    if (from === undefined) return undefined
    this.#b.at = region
    this.#b.span = inst.span
    return this.#b.extract(from, part)
  }

  #store(region: Region, inst: Inst, memory: Memory): void {
    const pointer = inst.args[0]!,
      value = inst.args[1]!
    const path = pathOf(pointer)
    if (path.root === undefined) {
      const writes = noWrites()
      writes.unknown = true
      memory.forget(writes)
    } else {
      const known = memory.at(path.root)
      if (known.some(k => k.pointer === pointer && k.value === value)) {
        this.changed = true
        return
      }
      memory.remember(
        path.root,
        { pointer, path, value },
        known.filter(k => !mayOverlap(k.path, path)),
      )
    }
    region.insts.push(inst)
  }

  #control(region: Region, inst: Inst, memory: Memory): void {
    region.insts.push(inst)
    const writes = this.#writes.get(inst)!
    if (inst.op === 'loop') memory.forget(writes, true)
    const before = memory.mark()
    if (inst.op === 'loop') {
      const mark = this.#entered.length
      const head = inst.regions[0]!
      this.#insts(head, memory)
      const end = head.end
      if (end.op === 'test') this.#assuming(inst.regions[1]!, end.args[0]!, true, memory)
      else this.region(inst.regions[1]!, memory)
      this.#unwind(mark)
    } else if (inst.op === 'if') {
      this.#assuming(inst.regions[0]!, inst.args[0]!, true, memory)
      memory.unwind(before)
      this.#assuming(inst.regions[1]!, inst.args[0]!, false, memory)
    } else {
      for (let i = 0; i < inst.regions.length; i++) {
        this.region(inst.regions[i]!, memory)
        memory.unwind(before)
      }
    }
    memory.unwind(before)
    memory.forget(writes)
  }

  /** Numbers a region in which a condition is known. */
  #assuming(region: Region, condition: Value, holds: boolean, memory: Memory): void {
    const plain = definedBy(condition, 'const') === undefined && (this.#uses[condition.id] ?? 0) > 1
    if (!plain) return this.region(region, memory)
    const before = this.#to[condition.id]
    const inst = new Inst('const', [], holds, noRegions, null)
    const value = new Value(this.#func.nextValue++, t.bool, inst, 0, '')
    inst.results.push(value)
    this.#to[condition.id] = value
    const changed = this.changed
    this.changed = false
    this.region(region, memory)
    this.#to[condition.id] = before
    if (this.changed) region.insts.unshift(inst)
    this.changed ||= changed
  }
}

const noControl: ReadonlyMap<Inst, Writes> = new Map()
const noUses: readonly number[] = []

/** True if all branches of a control instruction give the same result, or a loop carries a value that does not change. */
function agree(inst: Inst): boolean {
  if (inst.op === 'loop') {
    const { params } = inst.regions[0]!
    const again = inst.regions[1]!.end
    return again.op === 'next' && again.args.some((a, k) => a === params[k] || a === inst.args[k])
  }
  for (let k = 0; k < inst.results.length; k++) {
    let same: Value | undefined
    let all = true
    for (let i = 0; i < inst.regions.length; i++) {
      const r = inst.regions[i]!
      const { end } = r
      if (end.op !== 'yield') continue
      const value = end.args[k]!
      if (same !== undefined && value !== same) all = false
      same = value
    }
    if (same !== undefined && all) return true
  }
  return false
}

function swaps(op: OpName): boolean {
  return op === 'dot' || isCommutative(op)
}

function hashOf(inst: Inst): number {
  const { op, row, attr, args } = inst
  let h = row.hash
  if (typeof attr === 'number') h = (h * 31 + Math.trunc(attr * 16)) | 0
  else if (Array.isArray(attr)) for (const l of attr) h = (h * 5 + l) | 0
  if (swaps(op)) {
    const x = args[0]!.id,
      y = args[1]!.id
    return (Math.imul(Math.imul(h, 31) + Math.min(x, y), 31) + Math.max(x, y)) | 0
  }
  for (let k = 0; k < args.length; k++) h = (Math.imul(h, 31) + args[k]!.id) | 0
  return h
}

function sameWork(a: Inst, b: Inst): boolean {
  if (a.op !== b.op || a.results.length !== b.results.length || a.args.length !== b.args.length) return false
  if (a.results.length > 0 && a.results[0]!.type !== b.results[0]!.type) return false
  if (!sameAttr(a.attr, b.attr)) return false
  if (swaps(a.op) && a.args[0] === b.args[1] && a.args[1] === b.args[0]) return true
  for (let k = 0; k < a.args.length; k++) if (a.args[k] !== b.args[k]) return false
  return true
}

function sameAttr(a: Attr, b: Attr): boolean {
  if (Object.is(a, b)) return true
  if (!Array.isArray(a) || !Array.isArray(b)) return false
  return a.length === b.length && a.every((x, i) => x === (b as readonly number[])[i])
}
