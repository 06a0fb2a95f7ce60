/**
 * Memory of several threads at once. A variable that differs between lanes is interleaved: each of its scalars is a vector (the layout
 * `lanes`). Other memory holds scalars; where the addresses of lanes differ, each lane reads its own. Writes are for the active
 * lanes alone.
 */
import * as costs from '../../../ir/costs.ts'
import type { ScalarName } from '../../../ir/type.ts'
import { valType, type Leaves } from '../leaf.ts'
import { Memory, sameLocation, type Location } from '../memory.ts'
import type { Node } from '../node.ts'
import { f32x4, i32, i32x4, isVector, mask4, op } from '../opcode.ts'
import { laneCount, lanesOf, NotWide, type WideGraph } from './graph.ts'

/** Bytes of a vector. */
const vectorBytes = 16
/** Up to so many bytes vectors are moved and cleared one by one, which is faster than a call into the engine. */
const movedBytes = 4 * costs.copiedBytes

/** The vector that holds a scalar of each lane. */
export function laneType(scalar: ScalarName): typeof f32x4 | typeof i32x4 | typeof mask4 {
  return scalar === 'bool' ? mask4 : lanesOf(valType(scalar))
}

export class WideMemory extends Memory {
  declare protected readonly g: WideGraph
  /** The lanes that are active; undefined for all. */
  mask: Node | undefined = undefined
  #whole = false

  constructor(g: WideGraph, leaves: Leaves, zeros: (size: number) => number) {
    super(
      g,
      leaves,
      () => {
        throw new NotWide('it keeps lists')
      },
      zeros,
    )
  }

  /** Runs `f` for the lanes of a mask. */
  within<T>(mask: Node | undefined, f: () => T): T {
    const saved = this.mask
    this.mask = mask
    const out = f()
    this.mask = saved
    return out
  }

  /** Runs `f`, which writes to memory that lanes that are not active never look at. */
  whole<T>(f: () => T): T {
    const saved = this.#whole
    this.#whole = true
    const out = f()
    this.#whole = saved
    return out
  }

  /** The lanes whose vectors change in interleaved memory. */
  get #kept(): Node | undefined {
    return this.#whole ? undefined : this.mask
  }

  override element(p: Location, index: Node, safe: boolean): Location {
    if (p.type.kind === 'list') throw new NotWide('it keeps lists')
    if (!isVector(index.type)) return super.element(p, index, safe)
    // An address of interleaved memory is one for each lane.
    const base = p.layouts.rule === 'lanes' && !isVector(p.base.type) ? this.g.row(p.base, 4) : p.base
    // What is known of an index is so for lanes that are active.
    return super.element({ ...p, base }, index, safe && this.mask === undefined)
  }

  // ── Loads ────────────────────────────────────────────────────────────────────────────────────────────────────

  protected override loadScalar(p: Location, scalar: ScalarName): Node {
    if (p.layouts.rule !== 'lanes') return super.loadScalar(p, scalar)
    const type = laneType(scalar)
    const { g } = this
    if (!isVector(p.base.type)) return g.loads(op.v128Load, type, [p.base], p.offset, p.fixed, p.object)
    const found = g.read(type === f32x4 ? op.f32Load : op.i32Load, valType(scalar), p.base, p.offset, p.fixed, p.object)
    return type === mask4 ? g.as(mask4, found) : found
  }

  // ── Stores ───────────────────────────────────────────────────────────────────────────────────────────────────

  /** `f` runs for the lanes whose index is in bounds. */
  override guarded(p: Location, f: (exact: Location) => void): void {
    const inside = p.write?.inside
    if (inside === undefined || !isVector(inside.type)) super.guarded(p, f)
    else this.within(this.g.both(this.mask, inside), () => f({ ...p, base: p.write!.base, write: undefined }))
  }

  override store(p: Location, values: readonly Node[]): void {
    const asVectors = p.layouts.rule === 'lanes' && !isVector(p.base.type)
    const differs = isVector(p.base.type) || values.some(v => isVector(v.type))
    if (asVectors || !differs) super.store(p, values)
    else this.#scatter(p, values)
  }

  /** Each lane writes its scalars. */
  #scatter(p: Location, values: readonly Node[]): void {
    this.guarded(p, q =>
      this.eachLane(lane => {
        const to = lane.location(q)
        const own = values.map(v => lane.node(v))
        if (q.layouts.rule === 'lanes') this.#storeLane(to, own)
        else super.store(to, own)
      }),
    )
  }

  /** One lane of interleaved memory, where conditions are masks. */
  #storeLane(to: Location, values: readonly Node[]): void {
    const { g } = this
    const { base, object } = to
    this.leaves.of(to.type).forEach((scalar, k) => {
      const value = values[k]!
      const word = scalar === 'bool' ? g.pure(op.i32Sub, i32, g.i32(0), value) : value
      const code = laneType(scalar) === f32x4 ? op.f32Store : op.i32Store
      g.stmt({ kind: 'store', op: code, addr: base, value: word, offset: to.offset + vectorBytes * k, object })
    })
  }

  protected override storeScalar(p: Location, scalar: ScalarName, value: Node): void {
    if (p.layouts.rule !== 'lanes') super.storeScalar(p, scalar, value)
    else if (isVector(p.base.type)) this.#scatter(p, [value])
    else this.#put(p, this.g.as(laneType(scalar), value))
  }

  // ── Lane by lane ─────────────────────────────────────────────────────────────────────────────────────────────

  /** Runs `f` for each lane that is active. */
  eachLane(f: (lane: Lane) => void): void {
    const { g, mask } = this
    const bits = mask === undefined ? undefined : g.bits(mask)
    for (let k = 0; k < laneCount; k++) {
      const lane = new Lane(g, k)
      const run = (): void => this.within(undefined, () => f(lane))
      if (bits === undefined) run()
      else g.when(g.pure(op.i32And, i32, bits, g.i32(1 << k)), run)
    }
  }

  // ── Copies ───────────────────────────────────────────────────────────────────────────────────────────────────

  override copy(to: Location, from: Location): void {
    if (sameLocation(to, from)) return
    const plain = (p: Location): boolean => !isVector(p.base.type)
    if (plain(to) && plain(from) && to.layouts.rule !== 'lanes' && from.layouts.rule !== 'lanes') {
      super.copy(to, from)
      return
    }
    this.guarded(to, q => this.#copyLanes(q, from))
  }

  #copyLanes(to: Location, from: Location): void {
    const { g } = this
    const type = to.type
    const isBlock = (p: Location): boolean => p.layouts.rule === 'lanes' && !isVector(p.base.type)
    const size = to.layouts.of(type).size
    if (isBlock(to) && isBlock(from)) {
      if (this.#kept === undefined && size > movedBytes) super.copy(to, from)
      else this.#copyBlock(size, to, from)
    } else if (this.leaves.flat(type)) {
      this.store(to, this.load(from))
    } else if (type.kind === 'array') {
      g.count(g.i32(type.count), i => this.#copyLanes(this.element(to, i, true), this.element(from, i, true)))
    } else {
      for (let i = 0; i < type.count; i++) this.#copyLanes(this.part(to, i), this.part(from, i))
    }
  }

  /** Copies interleaved memory vector by vector. */
  #copyBlock(size: number, to: Location, from: Location): void {
    const { g } = this
    const move = (base: Node, source: Node, at: number): void => {
      const value = g.loads(op.v128Load, i32x4, [source], from.offset + at, from.fixed, from.object)
      this.#put({ ...to, base, offset: to.offset + at }, value)
    }
    if (size <= movedBytes) for (let at = 0; at < size; at += vectorBytes) move(to.base, from.base, at)
    else
      g.count(g.i32(size / vectorBytes), i => {
        const at = g.mul(i, g.i32(vectorBytes))
        move(g.add(to.base, at), g.add(from.base, at), 0)
      })
  }

  /** Writes a vector to interleaved memory; lanes that are not active keep what is there. */
  #put({ base, offset, object }: Location, value: Node): void {
    const { g } = this
    const mask = this.#kept
    const old = (): Node => g.loads(op.v128Load, value.type, [base], offset, false, object)
    const kept = mask === undefined ? value : g.blend(mask, value, old())
    g.stmt({ kind: 'store', op: op.v128Store, addr: base, value: kept, offset, object })
  }

  override clear(p: Location): void {
    if (p.layouts.rule !== 'lanes' && !isVector(p.base.type)) {
      super.clear(p)
      return
    }
    this.guarded(p, q => this.#clearLanes(q))
  }

  #clearLanes(p: Location): void {
    const { g } = this
    const isBlock = p.layouts.rule === 'lanes' && !isVector(p.base.type)
    const size = p.layouts.of(p.type).size
    if (isBlock && size <= movedBytes)
      for (let at = 0; at < size; at += vectorBytes) this.#put({ ...p, offset: p.offset + at }, g.zero(i32x4))
    else if (isBlock && this.#kept === undefined) super.clear(p)
    else if (this.leaves.flat(p.type))
      this.store(
        p,
        this.leaves.of(p.type).map(s => g.zero(valType(s))),
      )
    else if (p.type.kind === 'array') g.count(g.i32(p.type.count), i => this.#clearLanes(this.element(p, i, true)))
    else for (let i = 0; i < p.type.count; i++) this.#clearLanes(this.part(p, i))
  }
}

/** One of the threads that run at once. */
export class Lane {
  readonly #g: WideGraph
  readonly index: number

  constructor(g: WideGraph, index: number) {
    this.#g = g
    this.index = index
  }

  node(x: Node): Node {
    return this.#g.lane(x, this.index)
  }

  location(p: Location): Location {
    const { write } = p
    const own = write && { base: this.node(write.base), inside: this.node(write.inside) }
    // No constant offset from the first lane, which may be out of bounds, below address zero.
    return { ...p, base: this.node(p.base), write: own }
  }
}
