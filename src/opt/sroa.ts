/**
 * Splits local variables of composite type into parts that `ssa` can promote.
 *
 *   %s: ptr = var  (struct S { f32 a; f32 b[4]; })      %s.a: ptr = var
 *   %p: ptr = field 0 %s                                %s.b: ptr = var
 *   store %p, %x                                    →   store %s.a, %x
 *   %v: S = load %s                                     %a: f32 = load %s.a  …  %v: S = construct %a, %b
 *
 * A variable's accesses form a tree by type. A struct is split where an access reaches into it; an array where all
 * indices are constant; an array that is indexed by computed values stays in memory, but structs in it become arrays of
 * their fields where nothing takes the array as a whole. Lanes of vectors and matrices become `insert` and `extract`.
 */
import type { Work } from '../base/limits.ts'
import { Builder } from '../ir/build.ts'
import * as t from '../ir/type.ts'
import type { Type } from '../ir/type.ts'
import type { Inst } from '../ir/value.ts'
import { type Func, type Region, type Value } from '../ir/value.ts'
import { valueTable, walk, type ValueTable } from '../ir/walk.ts'
import type { Cx } from './cx.ts'
import { constantIndex } from './match.ts'
import * as costs from '../ir/costs.ts'

/** Accesses of one type position; all elements of an array share a node. */
interface Node {
  readonly type: Type
  readonly name: string
  /** Struct fields by index, or the shared element at 0. */
  readonly parts: (Node | undefined)[]
  /** Something other than load, store and the derivation of pointers uses a pointer to this. */
  escapes: boolean
  /** Loaded or stored as a whole, except for storing zeros. */
  whole: boolean
  /** Indexed by a computed value. */
  dynamic: boolean
  /** How it is laid out; decided after all accesses are known. */
  mode: 'leaf' | 'lanes' | 'struct' | 'elements' | 'memory'
}

/** A variable that is split: its pieces, in the shape of the node. */
type Piece =
  | { readonly is: 'var'; readonly pointer: Value; readonly node: Node }
  | { readonly is: 'parts'; readonly parts: readonly Piece[]; readonly node: Node }

/** Where a pointer into a split variable points. */
interface Pointee {
  piece: Piece
  /** The node reached. */
  node: Node
  /** Computed indices taken above a struct that was split under an array. */
  outer: readonly Value[]
  /** Steps below the piece's variable, for lanes. */
  steps: readonly (number | Value)[]
}

/** Splits aggregate variables. Instructions by which a function grows much count as work. */
export function sroa(func: Func, cx?: Pick<Cx, 'sink'>): boolean {
  const body = func.body
  if (body === undefined) return false
  const nodes = new Array<Node | undefined>(func.nextValue)
  const roots = new Map<Value, Node>()
  collect(body, nodes, roots)
  let split = false
  roots.forEach(root => {
    decide(root, false)
    if (root.mode !== 'leaf' && root.mode !== 'memory') split = true
    else if (root.mode === 'memory' && splitsBelow(root)) split = true
  })
  if (!split) return false
  new Splitter(func, roots, cx?.sink.work).region(body)
  return true
}

function node(type: Type, name: string): Node {
  return { type, name, parts: [], escapes: false, whole: false, dynamic: false, mode: 'leaf' }
}

/** Builds the access trees, by pointer, and notes those of whole variables. */
function collect(body: Region, nodes: (Node | undefined)[], roots: Map<Value, Node>): void {
  walk(body, inst => {
    if (inst.op === 'var') {
      const pointer = inst.results[0]!
      const type = pointer.type.elem!
      if (type.kind === 'scalar' || type.kind === 'ptr' || type.kind === 'opaque') return
      const root = node(type, pointer.name)
      openResources(root)
      nodes[pointer.id] = root
      roots.set(pointer, root)
      return
    }
    const at = inst.args.length > 0 ? nodes[inst.args[0]!.id] : undefined
    for (let k = 1; k < inst.args.length; k++) {
      const other = nodes[inst.args[k]!.id]
      if (other !== undefined) other.escapes = true
    }
    if (at === undefined) return
    if (inst.op === 'field') nodes[inst.results[0]!.id] = part(at, inst.attr)
    else if (inst.op === 'elem') {
      if (constantIndex(inst.args[1]!, at.type.count) === undefined) at.dynamic = true
      nodes[inst.results[0]!.id] = part(at, 0)
    } else if (inst.op === 'load') at.whole = true
    else if (inst.op !== 'store') at.escapes = true
    else if (!isBlank(inst.args[1]!)) at.whole = true
  })
}

/** Splits structs that hold resources even if only wholes move: which resource it is must be seen though the rest changes. */
function openResources(at: Node): void {
  if (at.type.kind === 'struct' && t.holdsPointer(at.type))
    for (let i = 0; i < at.type.count; i++) openResources(part(at, i))
}

function part(at: Node, index: number): Node {
  const field = at.type.kind === 'struct' ? at.type.fields[index]!.name : ''
  return (at.parts[index] ??= node(t.component(at.type, index), field === '' ? at.name : `${at.name}_${field}`))
}

/** True for zero and undefined values, whose parts cost nothing. */
function isBlank(value: Value): boolean {
  return value.def.op !== 'param' && (value.def.op === 'zero' || value.def.op === 'undef')
}

/**
 * Chooses the layout of a node and the nodes below it. `indexed` is true below an array that stays in memory. `copies` is how many
 * nodes like this one are moved one by one when something around it is loaded or stored as a whole, 0 if nothing is.
 */
function decide(at: Node, indexed: boolean, room: number = costs.splitPieces, copies = 0): void {
  const kind = at.type.kind
  if (at.escapes) at.mode = 'memory'
  else if (at.parts.length === 0) at.mode = 'leaf'
  else if (kind === 'struct') at.mode = 'struct'
  else if (kind === 'vec' || kind === 'mat') at.mode = indexed || anyEscapes(at) ? 'memory' : 'lanes'
  else if (indexed || at.dynamic || at.type.count > Math.min(costs.splitArray, room) || at.type.count === 0)
    at.mode = 'memory'
  else at.mode = 'elements'
  if (at.mode === 'lanes' || at.mode === 'leaf') return
  const below = at.mode === 'memory'
  if (below && (at.escapes || at.whole || kind === 'struct' || copies * at.type.count > costs.splitArray))
    return freeze(at)
  const each = Math.max(copies, at.whole ? 1 : 0) * (kind === 'array' ? at.type.count : 1)
  for (const p of at.parts)
    if (p !== undefined) decide(p, indexed || below, at.mode === 'elements' ? room / at.type.count : room, each)
  if (below && (kind === 'array' || kind === 'list')) {
    const element = at.parts[0]!
    if (element.mode === 'struct' && anyEscapes(element)) freeze(at)
  }
}

function anyEscapes(at: Node): boolean {
  return at.escapes || at.parts.some(p => p !== undefined && anyEscapes(p))
}

/** Leaves everything below in memory as it is. */
function freeze(at: Node): void {
  at.mode = 'memory'
  for (const p of at.parts) if (p !== undefined) freeze(p)
}

function splitsBelow(at: Node): boolean {
  return at.parts.some(p => p !== undefined && (p.mode === 'struct' || (p.mode === 'memory' && splitsBelow(p))))
}

class Splitter {
  readonly #roots: ReadonlyMap<Value, Node>
  readonly #pointees: (Pointee | undefined)[] = []
  readonly #replaced: ValueTable
  readonly #b: Builder
  readonly #func: Func
  readonly #work: Work | undefined
  /** How many values were counted as work, or need not be. */
  #counted: number

  constructor(func: Func, roots: ReadonlyMap<Value, Node>, work: Work | undefined) {
    this.#func = func
    this.#work = work
    this.#counted = 2 * func.nextValue
    this.#roots = roots
    this.#b = new Builder(func, func.body!)
    this.#replaced = valueTable(func)
  }

  region(region: Region): void {
    const insts = region.insts
    region.insts = []
    const b = this.#b
    for (let i = 0; i < insts.length; i++) {
      const inst = insts[i]!
      for (let k = 0; k < inst.args.length; k++) {
        const to = this.#replaced[inst.args[k]!.id]
        if (to !== undefined) inst.args[k] = to
      }
      b.at = region
      b.span = inst.span
      if (this.#access(inst)) {
        const made = this.#func.nextValue - this.#counted
        if (made <= 0) continue
        this.#work?.spend('instructions', made, inst.span)
        this.#counted += made
        continue
      }
      region.insts.push(inst)
      for (let k = 0; k < inst.regions.length; k++) this.region(inst.regions[k]!)
    }
  }

  #access(inst: Inst): boolean {
    if (inst.op === 'var') return this.#variable(inst)
    const pointer = inst.args[0]
    const pointee = pointer === undefined ? undefined : this.#pointees[pointer.id]
    if (pointee === undefined) return false
    if (inst.op === 'field') this.#step(inst, pointee, inst.attr)
    else if (inst.op === 'elem')
      this.#step(inst, pointee, constantIndex(inst.args[1]!, pointee.node.type.count) ?? inst.args[1]!)
    else if (inst.op === 'load') this.#replaced[inst.results[0]!.id] = this.#read(pointee)
    else this.#write(pointee, inst.args[1]!)
    return true
  }

  #variable(inst: Inst): boolean {
    const pointer = inst.results[0]!
    const root = this.#roots.get(pointer)
    if (root === undefined || root.mode === 'leaf' || (root.mode === 'memory' && !splitsBelow(root))) return false
    this.#pointees[pointer.id] = { piece: this.#piece(root, []), node: root, outer: [], steps: [] }
    return true
  }

  /** Makes the variables of a node; `dims` are the lengths of the arrays above that stay in memory, undefined for lists. */
  #piece(at: Node, dims: readonly (number | undefined)[], isNamed = true): Piece {
    if (at.mode === 'struct') {
      return { is: 'parts', node: at, parts: at.type.fields.map((_, i) => this.#piece(part(at, i), dims, isNamed)) }
    }
    if (at.mode === 'elements') {
      const parts: Piece[] = []
      for (let i = 0; i < at.type.count; i++)
        parts.push(this.#piece(part(at, 0), dims, isNamed && at.type.count <= costs.namedElements))
      return { is: 'parts', node: at, parts }
    }
    if (at.mode === 'memory' && splitsBelow(at)) {
      return {
        is: 'parts',
        node: at,
        parts: [this.#piece(part(at, 0), [...dims, at.type.kind === 'list' ? undefined : at.type.count], isNamed)],
      }
    }
    let type = at.type
    for (let i = dims.length - 1; i >= 0; i--) {
      const n = dims[i]
      type = n === undefined ? t.list(type) : t.array(type, n)
    }
    return { is: 'var', node: at, pointer: this.#b.variable(type, isNamed ? at.name : '') }
  }

  #step(inst: Inst, pointee: Pointee, index: number | Value): void {
    const result = inst.results[0]!
    if (pointee.piece.is === 'var') {
      this.#pointees[result.id] = { ...pointee, node: part(pointee.node, 0), steps: [...pointee.steps, index] }
      return
    }
    const { node: at, parts } = pointee.piece
    const inArray = at.mode === 'memory'
    const piece = inArray ? parts[0]! : parts[index as number]!
    const outer = inArray ? [...pointee.outer, typeof index === 'number' ? inst.args[1]! : index] : pointee.outer
    const below: Pointee = { piece, node: piece.node, outer, steps: [] }
    this.#pointees[result.id] = below
    if (piece.is !== 'var' || piece.node.mode === 'lanes') return
    this.#pointees[result.id] = undefined
    this.#replaced[result.id] = this.#pointer(below)
  }

  /** The pointer to the variable of a pointee, or to its element that the computed indices choose. */
  #pointer(pointee: Pointee): Value {
    let pointer = (pointee.piece as { pointer: Value }).pointer
    for (const index of pointee.outer) pointer = this.#b.elem(pointer, index)
    return pointer
  }

  #read(pointee: Pointee): Value {
    const { piece } = pointee
    if (piece.is === 'var') {
      let value = this.#b.load(this.#pointer(pointee))
      for (const step of pointee.steps) value = this.#lane(value, step)
      return value
    }
    const parts = this.#parts(pointee).map(p => this.#read(p))
    return this.#b.construct(pointee.node.type, parts)
  }

  #write(pointee: Pointee, value: Value): void {
    const { piece } = pointee
    const blank = value.def.op !== 'param' ? value.def.op : undefined
    if (blank === 'undef') return
    if (blank === 'zero' && pointee.steps.length === 0) return this.#clear(pointee)
    if (piece.is === 'var') {
      const pointer = this.#pointer(pointee)
      this.#b.store(
        pointer,
        pointee.steps.length === 0 ? value : this.#replaceLane(this.#b.load(pointer), pointee.steps, 0, value),
      )
      return
    }
    this.#parts(pointee).forEach((p, i) => this.#write(p, this.#b.extract(value, i)))
  }

  /** Stores zero in all variables of a pointee. */
  #clear(pointee: Pointee): void {
    const { piece, outer } = pointee
    if (piece.is === 'var') {
      const pointer = this.#pointer(pointee)
      // There is no resource of zero.
      if (pointer.type.elem!.kind !== 'ptr') this.#b.store(pointer, this.#b.zero(pointer.type.elem!))
    } else {
      for (const p of piece.parts) this.#clear({ piece: p, node: p.node, outer, steps: [] })
    }
  }

  /** The parts of a split aggregate; the elements one by one for an array of split structs. */
  #parts(pointee: Pointee): Pointee[] {
    const piece = pointee.piece as Extract<Piece, { is: 'parts' }>
    const { outer } = pointee
    if (piece.node.mode !== 'memory') return piece.parts.map(p => ({ piece: p, node: p.node, outer, steps: [] }))
    const below = piece.parts[0]!
    const parts: Pointee[] = []
    for (let i = 0; i < piece.node.type.count; i++) {
      parts.push({ piece: below, node: below.node, outer: [...outer, this.#b.const(t.i32, i)], steps: [] })
    }
    return parts
  }

  #lane(value: Value, step: number | Value): Value {
    return typeof step === 'number' ? this.#b.extract(value, step) : this.#b.emit1('index', [value, step])
  }

  /** `value` with the lane that `steps` choose replaced. */
  #replaceLane(value: Value, steps: readonly (number | Value)[], depth: number, lane: Value): Value {
    const b = this.#b
    if (depth === steps.length) return lane
    const step = steps[depth]!
    if (typeof step === 'number') {
      return b.insert(value, step, this.#replaceLane(b.extract(value, step), steps, depth + 1, lane))
    }
    const parts: Value[] = []
    for (let i = 0; i < value.type.count; i++) {
      const old = b.extract(value, i)
      const here = b.emit1('eq', [
        step,
        b.const(step.type, step.type.scalar === 'i64' || step.type.scalar === 'u64' ? BigInt(i) : i),
      ])
      parts.push(b.select(here, this.#replaceLane(old, steps, depth + 1, lane), old))
    }
    return b.construct(value.type, parts)
  }
}
