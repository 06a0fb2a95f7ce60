/**
 * A graph whose nodes may be vectors. What takes vectors becomes an operation of vectors, and scalars are spread over their lanes where
 * they meet one; so code that works on nodes need not ask. Conditions are masks. What WebAssembly does not have for vectors is done
 * lane by lane.
 */
import { InternalError } from '../../../base/diag.ts'
import { Graph, isBoolean, isConst } from '../graph.ts'
import { laneAt } from '../encode.ts'
import type { Code, Node, Stmt } from '../node.ts'
import {
  f32,
  f32x4,
  f64,
  f64x2,
  i32,
  i32x4,
  i64,
  i64x2,
  isVector,
  mask2,
  mask4,
  op,
  type ScalarType,
  type ValType,
  type VectorType,
} from '../opcode.ts'
import { divided } from './division.ts'
import { vectorOps, vectorShifts } from './vectors.ts'

/** What vectors do not do, so that the kernel runs one thread at a time. */
export class NotWide extends Error {}

/** Lanes that are evenly apart: the first, and how much more the next is, modulo 2³². */
export interface Row {
  readonly first: Node
  readonly step: number
}

/** How many threads run at once. */
export const laneCount = 4
export const lanes: readonly number[] = [0, 1, 2, 3]

interface Parts {
  readonly scalar: ScalarType
  /** Bits of a lane. */
  readonly bits: number
  readonly splat: number
  readonly extract: number
}

const parts: Readonly<Record<VectorType, Parts>> = {
  [f32x4]: { scalar: f32, bits: 32, splat: op.f32x4Splat, extract: op.f32x4ExtractLane },
  [i32x4]: { scalar: i32, bits: 32, splat: op.i32x4Splat, extract: op.i32x4ExtractLane },
  [mask4]: { scalar: i32, bits: 32, splat: op.i32x4Splat, extract: op.i32x4ExtractLane },
  [f64x2]: { scalar: f64, bits: 64, splat: op.f64x2Splat, extract: op.f64x2ExtractLane },
  [i64x2]: { scalar: i64, bits: 64, splat: op.i64x2Splat, extract: op.i64x2ExtractLane },
  [mask2]: { scalar: i32, bits: 64, splat: op.i64x2Splat, extract: op.i64x2ExtractLane },
}

const isMask = (type: ValType): boolean => type === mask4 || type === mask2

/** The vector whose lanes hold scalars of a type. */
export function vectorOf(type: ScalarType): VectorType {
  switch (type) {
    case f32:
      return f32x4
    case i32:
      return i32x4
    case f64:
      return f64x2
    case i64:
      return i64x2
  }
}

const no64 = 'it has numbers of 64 bits that differ between threads'

/** The vector that holds a scalar of each lane; of scalars of 32 bits alone. */
export function lanesOf(type: ScalarType): typeof f32x4 | typeof i32x4 {
  if (type === f32) return f32x4
  if (type === i32) return i32x4
  throw new NotWide(no64)
}

export class WideGraph extends Graph {
  readonly #inMemory: (bytes: Uint8Array) => number
  /** The addresses of constants by their bits. */
  readonly #addresses = new Map<bigint, number>()
  /** The bits of constants that are loaded. */
  readonly #loaded = new Map<Node, bigint>()
  readonly #rows = new Map<Node, Row>()
  readonly #aligned = new Set<Node>()

  /** `inMemory` gives the address of constant bytes. */
  constructor(code: Code, inMemory: (bytes: Uint8Array) => number) {
    super(code)
    this.#inMemory = inMemory
  }

  /** Constants of vectors are loaded: engines make them of several instructions, and a load is one. */
  override constant(type: ValType, value: number | bigint): Node {
    if (!isVector(type)) return super.constant(type, value)
    const bits = BigInt.asUintN(128, BigInt(value))
    if (bits === 0n || bits === allOnes) return super.constant(type, bits)
    let at = this.#addresses.get(bits)
    if (at === undefined) {
      const view = new DataView(new ArrayBuffer(16))
      view.setBigUint64(0, bits, true)
      view.setBigUint64(8, bits >> 64n, true)
      at = this.#inMemory(new Uint8Array(view.buffer))
      this.#addresses.set(bits, at)
    }
    const node = this.plain(op.v128Load, type, [this.base()], at)
    this.#loaded.set(node, bits)
    return node
  }

  override stmt(s: Stmt): void {
    if (
      (s.kind === 'if' && isVector(s.cond.type)) ||
      (s.kind === 'br' && s.cond !== undefined && isVector(s.cond.type))
    )
      throw new InternalError('wasm', 'lanes go different ways without a mask')
    super.stmt(s)
  }

  override pure(code: number, type: ValType, ...args: Node[]): Node {
    if (!args.some(a => isVector(a.type))) return super.pure(code, type, ...args)
    const made = this.#wide(code, type as ScalarType, args)
    if (made.type === i32x4) this.#findRow(code, args, made)
    return made
  }

  override read(code: number, type: ValType, addr: Node, offset: number, fixed: boolean, object?: object): Node {
    if (!isVector(addr.type)) return super.read(code, type, addr, offset, fixed, object)
    const from = lanes.map(k => this.laneAddress(addr, offset, k))
    if (code !== op.i32Load && code !== op.f32Load) {
      if (type !== i32) throw new NotWide(no64)
      return this.collect(
        i32x4,
        from.map(a => super.read(code, type, a.base, a.offset, fixed, object)),
      )
    }
    const vector = code === op.f32Load ? f32x4 : i32x4
    const row = this.rowOf(addr)
    if (row?.step === 4) return this.loads(op.v128Load, vector, [row.first], offset, fixed, object)
    let out = this.loads(op.v128Load32Zero, vector, [from[0]!.base], from[0]!.offset, fixed, object)
    for (const k of lanes.slice(1))
      out = this.loads(op.v128Load32Lane, vector, [from[k]!.base, out], laneAt(from[k]!.offset, k), fixed, object)
    return out
  }

  /** The address of a lane, as a scalar and a constant, where the addresses of all lanes are in bounds. */
  laneAddress(addr: Node, offset: number, lane: number): { readonly base: Node; readonly offset: number } {
    const row = this.rowOf(addr)
    // Immediates do not wrap around.
    if (row !== undefined && row.step >= 0 && row.step < 2 ** 28)
      return { base: row.first, offset: offset + lane * row.step }
    return { base: this.lane(addr, lane), offset }
  }

  // ── Vectors and scalars ──────────────────────────────────────────────────────────────────────────────────────

  /** A value as a vector: its lanes, a scalar in all of them, or a condition as a number and the other way round. */
  as(type: VectorType, x: Node): Node {
    if (x.type === type) return x
    if (!isVector(x.type)) return this.#splat(type, x)
    if (type === mask4 && x.type === i32x4) return this.plain(op.i32x4Ne, mask4, [x, this.zero(i32x4)])
    if (type === mask2 && x.type === i64x2) return this.plain(op.i64x2Ne, mask2, [x, this.zero(i64x2)])
    if (type === i32x4 && x.type === mask4) return this.plain(op.v128And, i32x4, [x, this.#splat(i32x4, this.i32(1))])
    throw new InternalError('wasm', 'a vector of other lanes was expected')
  }

  #splat(type: VectorType, x: Node): Node {
    const { scalar, bits, splat } = parts[type]
    if (x.type !== scalar) throw new InternalError('wasm', 'a scalar of another type was expected')
    if (isConst(x)) return this.constant(type, spread(isMask(type) ? truth(x) : bitsOf(x), bits))
    if (!isMask(type)) return this.plain(splat, type, [x])
    const is = isBoolean(x) ? x : super.pure(op.i32Ne, i32, x, this.i32(0))
    const word = super.pure(op.i32Sub, i32, this.i32(0), is)
    return this.plain(splat, type, [type === mask2 ? super.pure(op.i64ExtendI32S, i64, word) : word])
  }

  /** One lane as a scalar; a condition as 0 or 1. */
  lane(x: Node, k: number): Node {
    if (!isVector(x.type)) return x
    const { scalar, bits, splat, extract } = parts[x.type]
    const row = this.rowOf(x)
    if (row !== undefined) return this.add(row.first, this.i32(k * row.step))
    const known = x.op === op.v128Const ? (x.imm as bigint) : this.#loaded.get(x)
    if (known !== undefined) return this.#laneOf(known, x.type, bits, k)
    if (x.op === splat && !isMask(x.type)) return x.args[0]!
    const made = this.plain(extract, x.type === mask2 ? i64 : scalar, [x], k)
    if (!isMask(x.type)) return made
    return x.type === mask4 ? super.pure(op.i32And, i32, made, this.i32(1)) : super.pure(op.i32WrapI64, i32, made)
  }

  /** All lanes as scalars. */
  lanes(x: Node): readonly Node[] {
    return lanes.map(k => this.lane(x, k))
  }

  #laneOf(all: bigint, type: VectorType, bits: number, k: number): Node {
    const word = BigInt.asUintN(bits, all >> BigInt(bits * k))
    if (isMask(type)) return this.i32(word === 0n ? 0 : 1)
    const view = new DataView(new ArrayBuffer(8))
    view.setBigUint64(0, word, true)
    if (type === f32x4) return this.f32(view.getFloat32(0, true))
    if (type === f64x2) return this.f64(view.getFloat64(0, true))
    return type === i32x4 ? this.i32(view.getInt32(0, true)) : this.i64(word)
  }

  /** The vector of four scalars; of conditions, if they are 0 or 1. */
  collect(type: typeof f32x4 | typeof i32x4 | typeof mask4, scalars: readonly Node[]): Node {
    if (type === mask4) return this.as(mask4, this.collect(i32x4, scalars))
    if (scalars.every(s => s === scalars[0])) return this.#splat(type, scalars[0]!)
    const replace = type === f32x4 ? op.f32x4ReplaceLane : op.i32x4ReplaceLane
    let out = this.#splat(type, scalars[0]!)
    for (const k of lanes.slice(1)) out = this.plain(replace, type, [out, scalars[k]!], k)
    return out
  }

  /** Four words out of two vectors; those of the second are numbered from four. */
  shuffle(type: VectorType, x: Node, y: Node, words: readonly number[]): Node {
    const bytes = words.reduce((all, word, k) => {
      const four = lanes.reduce((sum, b) => sum | (BigInt(4 * word + b) << BigInt(8 * b)), 0n)
      return all | (four << BigInt(32 * k))
    }, 0n)
    return this.plain(op.i8x16Shuffle, type, [x, y], bytes)
  }

  // ── Masks ────────────────────────────────────────────────────────────────────────────────────────────────────

  /** The lanes of a mask in which a condition holds; undefined is the mask of all lanes. */
  both(mask: Node | undefined, cond: Node): Node {
    const c = this.as(mask4, cond)
    return mask === undefined || mask === c ? c : this.plain(op.v128And, mask4, [mask, c])
  }

  /** The lanes of a mask in which a condition does not hold. */
  without(mask: Node | undefined, cond: Node): Node {
    const c = this.as(mask4, cond)
    return mask === undefined ? this.plain(op.v128Not, mask4, [c]) : this.plain(op.v128Andnot, mask4, [mask, c])
  }

  either(x: Node, y: Node): Node {
    return this.plain(op.v128Or, mask4, [x, y])
  }

  /** 1 if some lane holds. */
  any(mask: Node): Node {
    return this.plain(op.v128AnyTrue, i32, [mask])
  }

  all(mask: Node): Node {
    return this.plain(op.i32x4AllTrue, i32, [mask])
  }

  /** A bit for each lane. */
  bits(mask: Node): Node {
    return this.plain(op.i32x4Bitmask, i32, [mask])
  }

  /** What each lane has of two vectors: of the first where the mask holds. */
  blend(mask: Node, x: Node, y: Node): Node {
    return x === y ? x : this.plain(op.v128Bitselect, x.type, [x, y, mask])
  }

  // ── Rows ─────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Says of a number that it is a multiple of the number of lanes. */
  align(x: Node): Node {
    this.#aligned.add(x)
    return x
  }

  /** Whether a number is a multiple of the number of lanes, modulo 2³². */
  #isAligned(x: Node): boolean {
    if (this.#aligned.has(x)) return true
    const by = x.args[1]?.op === op.i32Const ? (x.args[1].imm as number) : undefined
    switch (x.op) {
      case op.i32Const:
        return (x.imm as number) % laneCount === 0
      case op.i32Add:
      case op.i32Sub:
        return x.args.every(a => this.#isAligned(a))
      case op.i32Shl:
        return by !== undefined && 1 << by >= laneCount
      case op.i32Mul:
        return by !== undefined && by % laneCount === 0
      default:
        return false
    }
  }

  /**
   * Four numbers that follow each other from a multiple of four: they have the same quotient by a multiple of four, and their remainders
   * follow each other too.
   */
  #ofAlignedRow(code: number, x: Node, y: Node): Node | undefined {
    const row = isVector(x.type) ? this.rowOf(x) : undefined
    if (row === undefined || row.step !== 1 || y.op !== op.i32Const || !this.#isAligned(row.first)) return undefined
    const by = (y.imm as number) >>> 0
    switch (code) {
      case op.i32DivU:
        return by > 0 && by % laneCount === 0 ? super.pure(code, i32, row.first, y) : undefined
      case op.i32ShrU:
      case op.i32ShrS:
        return by > 1 && by < 32 ? super.pure(code, i32, row.first, y) : undefined
      case op.i32RemU:
        return by > 0 && by % laneCount === 0 ? this.row(this.align(super.pure(code, i32, row.first, y)), 1) : undefined
      case op.i32And:
        return by > 2 && ((by + 1) & by) === 0
          ? this.row(this.align(super.pure(code, i32, row.first, y)), 1)
          : undefined
      default:
        return undefined
    }
  }

  /** The vector first, first + step, first + 2 step, first + 3 step. */
  row(first: Node, step: number): Node {
    const node = this.plain(op.i32x4Add, i32x4, [this.#splat(i32x4, first), this.#steps(step)])
    this.#rows.set(node, { first, step })
    return node
  }

  #steps(step: number): Node {
    return this.constant(
      i32x4,
      lanes.reduce((all, k) => all | (BigInt.asUintN(32, BigInt(k * step)) << BigInt(32 * k)), 0n),
    )
  }

  rowOf(x: Node): Row | undefined {
    return this.#rows.get(x)
  }

  /** Where operands are rows or the same in all lanes, so may the result be. */
  #findRow(code: number, args: readonly Node[], made: Node): void {
    if (this.#rows.has(made) || args.length !== 2) return
    const of = (x: Node): Row | undefined => (isVector(x.type) ? this.#rows.get(x) : { first: x, step: 0 })
    const [x, y] = [of(args[0]!), of(args[1]!)]
    if (x === undefined || y === undefined) return
    const by = isConst(y.first) && y.step === 0 ? (y.first.imm as number) : undefined
    const set = (step: number): void => {
      this.#rows.set(made, { first: super.pure(code, i32, x.first, y.first), step: step | 0 })
    }
    if (code === op.i32Add) set(x.step + y.step)
    else if (code === op.i32Sub) set(x.step - y.step)
    else if (code === op.i32Shl && by !== undefined) set(x.step << by)
    else if (code === op.i32Mul && by !== undefined) set(Math.imul(x.step, by))
    else if (code === op.i32Mul && isConst(x.first) && x.step === 0) set(Math.imul(y.step, x.first.imm as number))
  }

  // ── Operations ───────────────────────────────────────────────────────────────────────────────────────────────

  #wide(code: number, type: ScalarType, args: readonly Node[]): Node {
    const [x, y, c] = [args[0]!, args[1], args[2]]
    const inRow = y === undefined ? undefined : this.#ofAlignedRow(code, x, y)
    if (inRow !== undefined) return inRow
    switch (code) {
      case op.select:
        return this.#select(x, y!, c!)
      case op.i32Eqz:
        if (x.type === mask4) return this.without(undefined, x)
        return this.plain(op.i32x4Eq, mask4, [x, this.zero(i32x4)])
      case op.i32Ne:
        if (isZero(y!) && x.type === mask4) return x
        break
      case op.i32And:
      case op.i32Or:
      case op.i32Xor:
        if (args.every(a => isMask(a.type) || isBoolean(a) || isTruth(a))) return this.#logic(code, x, y!)
        break
      case op.i32Extend8S:
      case op.i32Extend16S: {
        const by = this.i32(code === op.i32Extend8S ? 24 : 16)
        return this.pure(op.i32ShrS, i32, this.pure(op.i32Shl, i32, x, by), by)
      }
      case op.i32Add:
        if (isZero(y!)) return x
        break
      case op.i32Mul: {
        const by = y!.op === op.i32Const ? (y!.imm as number) : 0
        if (by > 0 && (by & (by - 1)) === 0)
          return by === 1 ? x : this.plain(op.i32x4Shl, i32x4, [this.as(i32x4, x), this.i32(31 - Math.clz32(by))])
        break
      }
      case op.f32Copysign:
        return this.plain(op.v128Bitselect, f32x4, [
          this.as(f32x4, x),
          this.as(f32x4, y!),
          this.constant(f32x4, spread(0x7fffffffn, 32)),
        ])
    }
    const shift = vectorShifts.get(code)
    if (shift !== undefined && !isVector(y!.type)) {
      const by = y!.op === op.i64Const ? this.i32(Number(y!.imm)) : y!
      return this.plain(shift.code, shift.gives, [this.as(shift.takes, x), by])
    }
    const known = shift === undefined ? vectorOps.get(code) : undefined
    if (known === undefined) return divided(this, code, x, y!) ?? this.#laneByLane(code, type, args)
    return this.plain(
      known.code,
      known.gives,
      args.map(a => this.as(known.takes, a)),
    )
  }

  #logic(code: number, x: Node, y: Node): Node {
    const type = x.type === mask2 || y.type === mask2 ? mask2 : mask4
    const vector = code === op.i32And ? op.v128And : code === op.i32Or ? op.v128Or : op.v128Xor
    return this.plain(vector, type, [this.as(type, x), this.as(type, y)])
  }

  #select(x: Node, y: Node, c: Node): Node {
    if (isConst(c)) return c.imm !== 0 ? x : y
    // Conditions stay such among themselves, and are numbers where they meet one.
    const isCondition = (n: Node): boolean => isMask(n.type) || isTruthOnly(n)
    const other = isCondition(x) ? y : x
    const both =
      isCondition(x) && isCondition(y)
        ? x.type === mask2 || y.type === mask2
          ? mask2
          : mask4
        : isVector(other.type)
          ? other.type
          : vectorOf(other.type)
    if (!isVector(c.type)) return this.plain(op.select, both, [this.as(both, x), this.as(both, y), c])
    const wide = parts[both].bits === 64
    if (wide !== (c.type === mask2 || c.type === i64x2)) throw new NotWide(no64)
    return this.blend(this.as(wide ? mask2 : mask4, c), this.as(both, x), this.as(both, y))
  }

  #laneByLane(code: number, type: ScalarType, args: readonly Node[]): Node {
    const is32 = (t: ValType): boolean => t === i32 || t === f32 || t === f32x4 || t === i32x4 || t === mask4
    if (!is32(type) || !args.every(a => is32(a.type))) throw new NotWide(no64)
    return this.collect(
      type === f32 ? f32x4 : i32x4,
      lanes.map(k => super.pure(code, type, ...args.map(a => this.lane(a, k)))),
    )
  }
}

const isZero = (x: Node): boolean => x.op === op.i32Const && x.imm === 0
const isTruth = (x: Node): boolean => x.op === op.i32Const && (x.imm === 0 || x.imm === 1)
const isTruthOnly = (x: Node): boolean => isBoolean(x) || isTruth(x)

/** The bits of a vector that are all set. */
const allOnes = 2n ** 128n - 1n

const truth = (x: Node): bigint => (x.imm === 0 ? 0n : -1n)

function bitsOf(x: Node): bigint {
  const view = new DataView(new ArrayBuffer(8))
  if (x.type === f32) view.setFloat32(0, x.imm as number, true)
  else if (x.type === f64) view.setFloat64(0, x.imm as number, true)
  else return BigInt(x.imm)
  return view.getBigUint64(0, true)
}

/** The same bits in each lane. */
function spread(word: bigint, bits: number): bigint {
  const one = BigInt.asUintN(bits, word)
  let all = 0n
  for (let at = 0; at < 128; at += bits) all |= one << BigInt(at)
  return all
}
