/** Locations in linear memory: their parts, loads, stores, copies and clears. */
import * as costs from '../../ir/costs.ts'
import * as t from '../../ir/type.ts'
import type { ScalarName, Type } from '../../ir/type.ts'
import { holdsList } from '../../opt/lists.ts'
import { scalarSize, type Layouts } from '../../ir/layout.ts'
import type { Graph } from './graph.ts'
import { valType, type Leaves } from './leaf.ts'
import type { Node, Stmt } from './node.ts'
import type { TapeName } from './tape.ts'
import { f32, f64, i32, i64, op } from './opcode.ts'
import { floatToHalf, halfToFloat } from './scalar.ts'

/** Typed memory at `base + offset`. */
export interface Location {
  readonly type: Type
  readonly layouts: Layouts
  readonly base: Node
  readonly offset: number
  /** For an index that may be out of bounds: the unclamped base, and whether it is in bounds. Stores use these. */
  readonly write: { readonly base: Node; readonly inside: Node } | undefined
  /** Elements of a runtime-sized array, or of the one that a struct ends with, and the last index to read (0 where it is empty). */
  readonly extent: { readonly length: Node; readonly last: Node } | undefined
  /** For an element of a list: the list and the index; `base` and `offset` then count from the element's address, which is found when it is used. */
  readonly element: { readonly of: Location; readonly index: Node } | undefined
  /** True where nothing writes this memory while the function runs. */
  readonly fixed: boolean
  /** The object that owns the memory. Memory of different objects does not overlap; undefined may be any. */
  readonly object: object | undefined
}

/** A location in memory of this module, without an index yet. */
export function location(
  type: Type,
  layouts: Layouts,
  base: Node,
  offset: number,
  fixed: boolean,
  object?: object,
): Location {
  return { type, layouts, base, offset, write: undefined, extent: undefined, element: undefined, fixed, object }
}

export function sameLocation(x: Location, y: Location): boolean {
  return x.base === y.base && x.offset === y.offset && x.layouts === y.layouts && x.element === y.element
}

/** Calls of the functions that keep lists. */
export type Tape = (name: TapeName, args: readonly Node[]) => Node

export class Memory {
  protected readonly g: Graph
  protected readonly leaves: Leaves
  readonly #tape: Tape
  readonly #zeros: (size: number) => number
  /** The last statement that cleared memory at a fixed address, and where that ended. */
  #cleared: Stmt | undefined = undefined
  #clearedTo = 0
  /** By pairs of layouts, whether types have the same bytes under both. */
  readonly #same = new Map<string, Map<Type, boolean>>()

  constructor(g: Graph, leaves: Leaves, tape: Tape, zeros: (size: number) => number) {
    this.g = g
    this.leaves = leaves
    this.#tape = tape
    this.#zeros = zeros
  }

  /** The location at its address as it is now: elements of lists move when these grow. */
  #found(p: Location, toWrite: boolean): Location {
    if (p.element === undefined) return p
    const g = this.g
    const list = this.#found(p.element.of, toWrite)
    const stride = list.layouts.of(list.type).stride
    const args = [this.address(list), p.element.index, g.i32(stride)]
    const zeros = (): Node => g.add(g.base(), g.i32(this.#zeros(stride)))
    const at = toWrite ? this.#tape('put', args) : this.#tape('at', [...args, zeros()])
    return { ...p, base: g.add(at, p.base), element: undefined }
  }

  /** The address to read from. */
  address(at: Location): Node {
    const p = this.#found(at, false)
    return this.g.add(p.base, this.g.i32(p.offset))
  }

  /** A component with a constant index: field, element, row or lane. */
  part(p: Location, index: number): Location {
    const layout = p.layouts.of(p.type)
    const offset = p.offset + (p.type.kind === 'struct' ? layout.offsets[index]! : index * layout.stride)
    const type = t.component(p.type, index)
    const isLast = type.kind === 'array' && type.count === 0
    return { ...p, type, offset, extent: isLast ? p.extent : undefined }
  }

  /** An element by a computed index; `safe` where it is known to be in bounds. */
  element(p: Location, index: Node, safe: boolean): Location {
    const g = this.g
    const stride = p.layouts.of(p.type).stride
    const type = p.type.elem!
    const count = p.type.count
    if (p.type.kind === 'list') return { ...location(type, p.layouts, g.i32(0), 0, false), element: { of: p, index } }
    const constant = index.op === op.i32Const ? (index.imm as number) : -1
    if (constant >= 0 && constant < count) return this.part(p, constant)
    const at = (base: Node, i: Node): Node => g.add(base, g.mul(i, g.i32(stride)))
    if (p.extent !== undefined) {
      const { length, last } = p.extent
      const inside = g.pure(op.i32LtU, i32, index, length)
      const clamped = g.select(inside, index, last)
      return { ...p, type, base: at(p.base, clamped), write: { base: at(p.base, index), inside }, extent: undefined }
    }
    let i = index
    if (!safe)
      i = count <= 1 ? g.i32(0) : g.select(g.pure(op.i32LtU, i32, index, g.i32(count)), index, g.i32(count - 1))
    return { ...p, type, base: at(p.base, i), write: p.write && { base: at(p.write.base, i), inside: p.write.inside } }
  }

  /** Where the scalars of a flat type lie. */
  scalars(p: Location): readonly Location[] {
    if (p.type.kind === 'scalar') return [p]
    return Array.from({ length: p.type.count }, (_, i) => this.scalars(this.part(p, i))).flat()
  }

  /** The scalars of a flat type. */
  load(p: Location): readonly Node[] {
    const out: Node[] = []
    this.#load(this.#found(p, false), out)
    return out
  }

  #load(p: Location, out: Node[]): void {
    if (p.type.kind === 'list') {
      out.push(this.#tape('share', [this.address(p)]))
      return
    }
    if (p.type.kind === 'scalar') {
      out.push(this.loadScalar(p, p.type.scalar!))
      return
    }
    for (let i = 0; i < p.type.count; i++) this.#load(this.part(p, i), out)
  }

  protected loadScalar(p: Location, scalar: ScalarName): Node {
    const g = this.g
    const host = p.layouts.rule !== 'tight'
    const read = (code: number): Node => g.read(code, valType(scalar), p.base, p.offset, p.fixed, p.object)
    switch (valType(scalar)) {
      case i64:
        return read(op.i64Load)
      case f64:
        return read(op.f64Load)
      case f32:
        if (scalar === 'f16' && host)
          return halfToFloat(g, g.read(op.i32Load16U, i32, p.base, p.offset, p.fixed, p.object))
        return read(op.f32Load)
      case i32:
        if (!host) return read(op.i32Load)
        switch (scalar) {
          case 'bool':
            return g.pure(op.i32Ne, i32, read(op.i32Load), g.i32(0))
          case 'i8':
            return read(op.i32Load8S)
          case 'u8':
            return read(op.i32Load8U)
          case 'i16':
            return read(op.i32Load16S)
          case 'u16':
            return read(op.i32Load16U)
          default:
            return read(op.i32Load)
        }
    }
  }

  /** Writes the scalars of a flat type, where the location is in bounds. */
  store(p: Location, values: readonly Node[]): void {
    this.guarded(p, q => this.put(q, values, 0))
  }

  /** Runs `f` with the exact location where an index into it is in bounds, and not at all otherwise. */
  guarded(at: Location, f: (exact: Location) => void): void {
    const p = this.#found(at, true)
    if (p.write === undefined) f(p)
    else this.g.when(p.write.inside, () => f({ ...p, base: p.write!.base, write: undefined }))
  }

  protected put(p: Location, values: readonly Node[], from: number): number {
    if (p.type.kind === 'scalar' || p.type.kind === 'list') {
      this.storeScalar(p, p.type.scalar ?? 'u32', values[from]!)
      return from + 1
    }
    let next = from
    for (let i = 0; i < p.type.count; i++) next = this.put(this.part(p, i), values, next)
    return next
  }

  protected storeScalar(p: Location, scalar: ScalarName, value: Node): void {
    const g = this.g
    const write = (code: number, v: Node = value): void =>
      g.stmt({ kind: 'store', op: code, addr: p.base, value: v, offset: p.offset, object: p.object })
    const size = scalarSize(scalar, p.layouts.rule)
    switch (valType(scalar)) {
      case i64:
        write(op.i64Store)
        return
      case f64:
        write(op.f64Store)
        return
      case f32:
        if (size === 2) write(op.i32Store16, floatToHalf(g, value))
        else write(op.f32Store)
        return
      case i32:
        write(size === 1 ? op.i32Store8 : size === 2 ? op.i32Store16 : op.i32Store)
        return
    }
  }

  /** Copies a value of any type; the locations may be the same but do not overlap otherwise. */
  copy(to: Location, from: Location): void {
    if (sameLocation(to, from)) return
    const source = this.#found(from, false)
    this.guarded(to, q => this.#copy(q, source))
  }

  #copy(to: Location, from: Location): void {
    const g = this.g
    const type = to.type
    // What shares a list has to say so.
    if (!holdsList(type) && this.#sameBytes(type, to.layouts, from.layouts)) {
      const size = to.layouts.of(type).size
      if (size > costs.copiedBytes) {
        g.stmt({
          kind: 'bulk',
          op: op.memoryCopy,
          args: [this.address(to), this.address(from), g.i32(size)],
          offset: 0,
          object: to.object,
        })
      } else {
        this.#words(size, (code, store, at) => {
          const value = g.read(code, i32, from.base, from.offset + at, from.fixed, from.object)
          g.stmt({ kind: 'store', op: store, addr: to.base, value, offset: to.offset + at, object: to.object })
        })
      }
    } else if (this.leaves.flat(type)) {
      this.put(to, this.load(from), 0)
    } else if (type.kind === 'array') {
      g.count(g.i32(type.count), i => this.#copy(this.element(to, i, true), this.element(from, i, true)))
    } else {
      for (let i = 0; i < type.count; i++) this.#copy(this.part(to, i), this.part(from, i))
    }
  }

  #sameBytes(type: Type, to: Layouts, from: Layouts): boolean {
    if (to === from) return true
    const key = `${to.rule} ${from.rule}`
    let known = this.#same.get(key)
    if (known === undefined) this.#same.set(key, (known = new Map()))
    let same = known.get(type)
    if (same === undefined) known.set(type, (same = sameBytes(type, to, from)))
    return same
  }

  /** Writes zeros. Locations that touch and are cleared one after the other are cleared at once. */
  clear(p: Location): void {
    this.guarded(p, q => {
      const g = this.g
      const size = q.layouts.of(q.type).size
      const last = g.at.stmts[g.at.stmts.length - 1]
      const end = q.offset + size
      if (
        last !== undefined &&
        last.kind === 'bulk' &&
        last === this.#cleared &&
        q.base === g.base() &&
        q.offset === this.#clearedTo
      ) {
        g.at.stmts.pop()
        this.#fill(q.base, last.offset, end, undefined)
      } else {
        this.#fill(q.base, q.offset, end, q.object)
      }
    })
  }

  #fill(base: Node, from: number, to: number, object: object | undefined): void {
    const g = this.g
    const args = [base, g.i32(0), g.i32(to - from)]
    const cleared = { kind: 'bulk', op: op.memoryFill, args, offset: from, object } as const
    this.#cleared = base === g.base() ? cleared : undefined
    this.#clearedTo = to
    g.stmt(cleared)
  }

  /** Word by word, not in larger pieces: a load that spans two recent stores has to wait for both to reach the cache. */
  #words(size: number, each: (load: number, store: number, at: number) => void): void {
    let at = 0
    for (; at + 4 <= size; at += 4) each(op.i32Load, op.i32Store, at)
    for (; at + 2 <= size; at += 2) each(op.i32Load16U, op.i32Store16, at)
    if (at < size) each(op.i32Load8U, op.i32Store8, at)
  }
}

/** True where a type has the same bytes under both layouts. */
function sameBytes(type: Type, a: Layouts, b: Layouts): boolean {
  if (a === b) return true
  const [x, y] = [a.of(type), b.of(type)]
  if (x.size !== y.size || x.stride !== y.stride) return false
  switch (type.kind) {
    case 'scalar':
      return type.scalar !== 'bool'
    case 'struct':
      return type.fields.every((f, i) => x.offsets[i] === y.offsets[i] && sameBytes(f.type, a, b))
    default:
      return type.elem === undefined || sameBytes(type.elem, a, b)
  }
}
