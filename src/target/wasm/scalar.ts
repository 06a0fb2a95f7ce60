/** Scalar operations of the IR as nodes. No integer operation traps, and small integers stay in their range. */
import { InternalError } from '../../base/diag.ts'
import { roundHalf } from '../../base/number.ts'
import type { LaneOp, OpName } from '../../ir/op.ts'
import type { ScalarName } from '../../ir/type.ts'
import { direct } from './direct.ts'
import { isComparison } from '../../opt/match.ts'
import type { Graph } from './graph.ts'
import { valType } from './leaf.ts'
import type { Node } from './node.ts'
import { f32, f64, i32, i64, op } from './opcode.ts'

const wide: Readonly<Record<ScalarName, ScalarName>> = {
  bool: 'bool',
  i8: 'i32',
  i16: 'i32',
  i32: 'i32',
  i64: 'i64',
  u8: 'u32',
  u16: 'u32',
  u32: 'u32',
  u64: 'u64',
  f16: 'f32',
  f32: 'f32',
  f64: 'f64',
}

const bits: Readonly<Record<ScalarName, number>> = {
  bool: 1,
  i8: 8,
  i16: 16,
  i32: 32,
  i64: 64,
  u8: 8,
  u16: 16,
  u32: 32,
  u64: 64,
  f16: 16,
  f32: 32,
  f64: 64,
}

/** A row's operation on scalars of one kind; undefined where the row has none for them. */
export function lane(g: Graph, row: LaneOp, scalar: ScalarName, args: readonly Node[]): Node | undefined {
  const [x, y] = [args[0]!, args[1]!]
  const type = valType(scalar)
  switch (row) {
    case 'div':
      if (type === i32 || type === i64) return narrow(g, scalar, divide(g, scalar, x, y))
      break
    case 'rem':
      return remainder(g, scalar, x, y)
    case 'neg':
      if (type === i32 || type === i64)
        return narrow(g, scalar, g.pure(type === i32 ? op.i32Sub : op.i64Sub, type, g.zero(type), x))
      break
    case 'not':
      if (scalar === 'bool') return g.eqz(x)
      return narrow(
        g,
        scalar,
        type === i32 ? g.pure(op.i32Xor, i32, x, g.i32(-1)) : g.pure(op.i64Xor, i64, x, g.i64(-1n)),
      )
    case 'shl':
    case 'shr': {
      const by =
        type === i64 && y.type === i32
          ? g.pure(op.i64ExtendI32U, i64, y)
          : type === i32 && y.type === i64
            ? g.pure(op.i32WrapI64, i32, y)
            : y
      const amount = bits[scalar] < 32 ? g.pure(op.i32And, i32, by, g.i32(bits[scalar] - 1)) : by
      return narrow(g, scalar, g.pure(direct[row][wide[scalar]]!, type, x, amount))
    }
    default:
  }
  const code = direct[row][wide[scalar]]
  if (code === undefined) return undefined
  if (isComparison(row)) return g.pure(code, i32, ...args)
  return narrow(g, scalar, g.pure(code, type, ...args))
}

/** Brings a result back into the range of a small integer, or to the precision of half floats. */
export function narrow(g: Graph, scalar: ScalarName, x: Node): Node {
  switch (scalar) {
    case 'i8':
      return g.pure(op.i32Extend8S, i32, x)
    case 'i16':
      return g.pure(op.i32Extend16S, i32, x)
    case 'u8':
      return g.pure(op.i32And, i32, x, g.i32(0xff))
    case 'u16':
      return g.pure(op.i32And, i32, x, g.i32(0xffff))
    case 'f16':
      return x.op === op.f32Const ? g.f32(roundHalf(x.imm as number)) : halfToFloat(g, floatToHalf(g, x))
    default:
      return x
  }
}

function isNumber(n: Node): boolean {
  return n.op === op.i32Const || n.op === op.i64Const
}

/** A divisor that does not trap: 1 where it is 0, or where it is -1 under the least integer. */
function safeDivisor(g: Graph, scalar: ScalarName, x: Node, y: Node, overflow: boolean): Node {
  const big = valType(scalar) === i64
  const isZero = zeroTest(g, y)
  if (!overflow || scalar.startsWith('u')) {
    return big ? g.select(isZero, g.i64(1n), y) : g.pure(op.i32Or, i32, y, isZero)
  }
  const least = big ? g.pure(op.i64Eq, i32, x, g.i64(-(1n << 63n))) : g.pure(op.i32Eq, i32, x, g.i32(-0x80000000))
  const minus = big ? g.pure(op.i64Eq, i32, y, g.i64(-1n)) : g.pure(op.i32Eq, i32, y, g.i32(-1))
  const bad = g.pure(op.i32Or, i32, isZero, g.pure(op.i32And, i32, least, minus))
  return g.select(bad, big ? g.i64(1n) : g.i32(1), y)
}

function zeroTest(g: Graph, y: Node): Node {
  return y.type === i64 ? g.pure(op.i64Eqz, i32, y) : g.eqz(y)
}

/** True for a constant that no dividend makes trap. */
function isSafe(y: Node): boolean {
  return isNumber(y) && Number(y.imm) !== 0 && Number(y.imm) !== -1
}

/** A quotient; by 0 the dividend. */
function divide(g: Graph, scalar: ScalarName, x: Node, y: Node): Node {
  const signed = scalar.charCodeAt(0) === 105
  const [type, code] =
    valType(scalar) === i64
      ? ([i64, signed ? op.i64DivS : op.i64DivU] as const)
      : ([i32, signed ? op.i32DivS : op.i32DivU] as const)
  if (isSafe(y)) return g.pure(code, type, x, y)
  return g.pure(code, type, x, safeDivisor(g, scalar, x, y, true))
}

function remainder(g: Graph, scalar: ScalarName, x: Node, y: Node): Node | undefined {
  const signed = scalar.charCodeAt(0) === 105
  const by = (): Node => (isSafe(y) ? y : safeDivisor(g, scalar, x, y, false))
  switch (valType(scalar)) {
    case i32:
      return g.pure(signed ? op.i32RemS : op.i32RemU, i32, x, by())
    case i64:
      return g.pure(signed ? op.i64RemS : op.i64RemU, i64, x, by())
    default:
      return undefined
  }
}

/** A float that was brought into the range of 32 bits, in that of its small integer. */
function clamped(g: Graph, to: ScalarName, x: Node): Node {
  if (bits[to] === 32) return x
  if (to.charCodeAt(0) === 117)
    return g.select(g.pure(op.i32LtU, i32, x, g.i32(2 ** bits[to])), x, g.i32(2 ** bits[to] - 1))
  const end = 2 ** (bits[to] - 1)
  const below = g.select(g.pure(op.i32LtS, i32, x, g.i32(end)), x, g.i32(end - 1))
  return g.select(g.pure(op.i32LtS, i32, below, g.i32(-end)), g.i32(-end), below)
}

/** A scalar converted by value. */
export function convert(g: Graph, from: ScalarName, to: ScalarName, x: Node): Node {
  if (from === to) return x
  const [a, b] = [valType(from), valType(to)]
  const unsigned = (s: ScalarName): boolean => s.charCodeAt(0) === 117 || s === 'bool'
  if (to === 'bool') {
    switch (a) {
      case i32:
        return g.pure(op.i32Ne, i32, x, g.i32(0))
      case i64:
        return g.pure(op.i64Ne, i32, x, g.i64(0n))
      case f32:
        return g.pure(op.f32Ne, i32, x, g.f32(0))
      case f64:
        return g.pure(op.f64Ne, i32, x, g.f64(0))
    }
  }
  switch (b) {
    case i32: {
      if (a === i32)
        return bits[to] < bits[from] || (bits[to] < 32 && unsigned(to) !== unsigned(from)) ? narrow(g, to, x) : x
      if (a === i64) return narrow(g, to, g.pure(op.i32WrapI64, i32, x))
      const code =
        a === f32
          ? unsigned(to)
            ? op.i32TruncSatF32U
            : op.i32TruncSatF32S
          : unsigned(to)
            ? op.i32TruncSatF64U
            : op.i32TruncSatF64S
      return clamped(g, to, g.pure(code, i32, x))
    }
    case i64:
      if (a === i64) return x
      if (a === i32) return g.pure(unsigned(from) ? op.i64ExtendI32U : op.i64ExtendI32S, i64, x)
      return g.pure(
        a === f32
          ? unsigned(to)
            ? op.i64TruncSatF32U
            : op.i64TruncSatF32S
          : unsigned(to)
            ? op.i64TruncSatF64U
            : op.i64TruncSatF64S,
        i64,
        x,
      )
    case f32:
      if (a === f32) return narrow(g, to, x)
      if (a === f64) return narrow(g, to, g.pure(op.f32DemoteF64, f32, x))
      if (a === i32) return narrow(g, to, g.pure(unsigned(from) ? op.f32ConvertI32U : op.f32ConvertI32S, f32, x))
      return narrow(g, to, g.pure(unsigned(from) ? op.f32ConvertI64U : op.f32ConvertI64S, f32, x))
    case f64:
      if (a === f64) return x
      if (a === f32) return g.pure(op.f64PromoteF32, f64, x)
      if (a === i32) return g.pure(unsigned(from) ? op.f64ConvertI32U : op.f64ConvertI32S, f64, x)
      return g.pure(unsigned(from) ? op.f64ConvertI64U : op.f64ConvertI64S, f64, x)
  }
}

/** A scalar with the same bits; undefined where the sizes differ. */
export function bitcast(g: Graph, from: ScalarName, to: ScalarName, x: Node): Node | undefined {
  if (from === to) return x
  if (bits[from] !== bits[to]) return undefined
  if (from === 'f16') return narrow(g, to, floatToHalf(g, x))
  if (to === 'f16') return halfToFloat(g, g.pure(op.i32And, i32, x, g.i32(0xffff)))
  const [a, b] = [valType(from), valType(to)]
  if (a === b) return narrow(g, to, x)
  if (a === f32) return g.pure(op.i32ReinterpretF32, i32, x)
  if (b === f32) return g.pure(op.f32ReinterpretI32, f32, x)
  if (a === f64) return g.pure(op.i64ReinterpretF64, i64, x)
  return g.pure(op.f64ReinterpretI64, f64, x)
}

/** A constant of a scalar kind. */
export function constant(g: Graph, scalar: ScalarName, value: number | bigint | boolean): Node {
  switch (valType(scalar)) {
    case i32:
      return g.i32(Number(value))
    case i64:
      return g.i64(BigInt(value))
    case f32:
      return g.f32(scalar === 'f16' ? roundHalf(Number(value)) : Number(value))
    case f64:
      return g.f64(Number(value))
  }
}

/** The float that 16 bits stand for: the exponent is moved by a multiplication, which scales subnormals too. */
export function halfToFloat(g: Graph, h: Node): Node {
  const sign = g.pure(op.i32Shl, i32, g.pure(op.i32And, i32, h, g.i32(0x8000)), g.i32(16))
  const rest = g.pure(op.i32And, i32, h, g.i32(0x7fff))
  const scaled = g.pure(
    op.f32Mul,
    f32,
    g.pure(op.f32ReinterpretI32, f32, g.pure(op.i32Shl, i32, rest, g.i32(13))),
    g.f32(2 ** 112),
  )
  const bits = g.pure(op.i32ReinterpretF32, i32, scaled)
  const special = g.pure(op.i32Or, i32, bits, g.i32(0x7f800000))
  const finite = g.pure(op.i32LtU, i32, rest, g.i32(0x7c00))
  return g.pure(op.f32ReinterpretI32, f32, g.pure(op.i32Or, i32, g.select(finite, bits, special), sign))
}

/** The 16 bits of the half float nearest to a float; ties go to even. */
export function floatToHalf(g: Graph, x: Node): Node {
  const all = g.pure(op.i32ReinterpretF32, i32, x)
  const sign = g.pure(op.i32And, i32, g.pure(op.i32ShrU, i32, all, g.i32(16)), g.i32(0x8000))
  const a = g.pure(op.i32And, i32, all, g.i32(0x7fffffff))
  const odd = g.pure(op.i32And, i32, g.pure(op.i32ShrU, i32, a, g.i32(13)), g.i32(1))
  const normal = g.pure(op.i32ShrU, i32, g.add(g.add(a, g.i32(0xc8000fff)), odd), g.i32(13))
  // Adding a half aligns the last bit of a subnormal half float with the last bit of the sum.
  const sum = g.pure(op.f32Add, f32, g.pure(op.f32ReinterpretI32, f32, a), g.f32(0.5))
  const subnormal = g.pure(op.i32Sub, i32, g.pure(op.i32ReinterpretF32, i32, sum), g.i32(0x3f000000))
  const finite = g.select(g.pure(op.i32LtU, i32, a, g.i32(0x38800000)), subnormal, normal)
  const special = g.select(g.pure(op.i32GtU, i32, a, g.i32(0x7f800000)), g.i32(0x7e00), g.i32(0x7c00))
  return g.pure(op.i32Or, i32, g.select(g.pure(op.i32LtU, i32, a, g.i32(0x47800000)), finite, special), sign)
}

/** An operation that the row promises but that has no code here. */
export function missing(row: OpName, scalar: ScalarName): InternalError {
  return new InternalError('wasm', `no code for ${row} on ${scalar}`)
}
