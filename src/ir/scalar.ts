/** Arithmetic on scalars as the ops define it, for folding and for the reference interpreter. */
import type { LaneOp } from './op.ts'
import { rowOf } from './ops.ts'
import { roundHalf, saturated } from '../base/number.ts'
import type { ScalarName } from './type.ts'

/** A scalar at run time: bigint for 64-bit integers. */
export type Scalar = number | bigint | boolean

/** Rounding of `f32` and `f16`: `f32` rounds each result to the type, `f64` computes all floats as doubles. */
export type Mode = 'f32' | 'f64'

/** A number as a value of the scalar type: integers wrap, floats round (by the mode). */
export function wrap(type: ScalarName, x: number, mode: Mode): number {
  switch (type) {
    case 'i32':
      return x | 0
    case 'u32':
      return x >>> 0
    case 'i16':
      return (x << 16) >> 16
    case 'u16':
      return x & 0xffff
    case 'i8':
      return (x << 24) >> 24
    case 'u8':
      return x & 0xff
    case 'f32':
      return mode === 'f32' ? Math.fround(x) : x
    case 'f16':
      return mode === 'f32' ? roundHalf(x) : x
    default:
      return x
  }
}

/** The 16 bits of the nearest half-precision number. */
export function halfBits(x: number): number {
  const rounded = roundHalf(x)
  if (Number.isNaN(rounded)) return 0x7e00
  const sign = rounded < 0 || Object.is(rounded, -0) ? 0x8000 : 0
  const size = Math.abs(rounded)
  if (size === Infinity) return sign | 0x7c00
  if (size < 2 ** -14) return sign | (size * 2 ** 24)
  const exponent = Math.floor(Math.log2(size))
  return sign | ((exponent + 15) << 10) | (size * 2 ** (10 - exponent) - 1024)
}

/** The half-precision number that 16 bits stand for. */
export function halfOf(bits: number): number {
  const [sign, exponent, rest] = [bits & 0x8000 ? -1 : 1, (bits >> 10) & 31, bits & 1023]
  if (exponent === 31) return rest === 0 ? sign * Infinity : NaN
  return sign * (exponent === 0 ? rest * 2 ** -24 : (1024 + rest) * 2 ** (exponent - 25))
}

/** The result of the op on scalars of the operands' type. Comparisons give booleans. */
export function apply(op: LaneOp, type: ScalarName, x: Scalar, y: Scalar, mode: Mode): Scalar {
  const result = applyIfTaken(op, type, x, y, mode)
  if (result === undefined) throw new Error(`${op} does not take ${type}`)
  return result
}

/** The result of the op, or undefined if the op does not take scalars of the type. */
export function applyIfTaken(op: LaneOp, type: ScalarName, x: Scalar, y: Scalar, mode: Mode): Scalar | undefined {
  const lanes = rowOf(op).lanes!
  if (type === 'bool') return lanes.bool?.(x as boolean, y as boolean)
  if (type === 'i64' || type === 'u64') {
    const wide = lanes.long?.(x as bigint, y as bigint)
    return typeof wide === 'bigint' ? (type === 'i64' ? BigInt.asIntN(64, wide) : BigInt.asUintN(64, wide)) : wide
  }
  const [a, b] = [x as number, y as number]
  const result = type.startsWith('f')
    ? lanes.float?.(a, b)
    : (type.startsWith('u') ? (lanes.uint ?? lanes.int) : lanes.int)?.(a, b, Number(type.slice(1)))
  return typeof result === 'number' ? wrap(type, result, mode) : result
}

/** Conversion by value. Floats saturate, as they do on every target. */
export function convertScalar(from: ScalarName, to: ScalarName, x: Scalar, mode: Mode): Scalar {
  if (to === 'bool') return from === 'bool' ? x : Number(x) !== 0
  if (from.startsWith('f') && !to.startsWith('f'))
    return saturated(x as number, Number(to.slice(1)), to.startsWith('i'))
  if (to === 'i64' || to === 'u64') {
    const whole = BigInt(x)
    return to === 'i64' ? BigInt.asIntN(64, whole) : BigInt.asUintN(64, whole)
  }
  if (typeof x === 'bigint' && !to.startsWith('f')) return wrap(to, Number(BigInt.asIntN(32, x)), mode)
  return wrap(to, Number(x), mode)
}

/** Conversion by bits, of scalars of one size. */
export function bitcastScalar(from: ScalarName, to: ScalarName, x: Scalar): Scalar {
  const view = new DataView(new ArrayBuffer(8))
  switch (from) {
    case 'f32':
      view.setFloat32(0, x as number)
      break
    case 'f64':
      view.setFloat64(0, x as number)
      break
    case 'i64':
    case 'u64':
      view.setBigInt64(0, x as bigint)
      break
    case 'i32':
    case 'u32':
      view.setInt32(0, x as number)
      break
    case 'f16':
      view.setInt32(0, halfBits(x as number))
      break
    case 'bool':
      return x
    default:
      view.setInt32(0, x as number)
  }
  switch (to) {
    case 'f32':
      return view.getFloat32(0)
    case 'f64':
      return view.getFloat64(0)
    case 'i64':
      return view.getBigInt64(0)
    case 'u64':
      return view.getBigUint64(0)
    case 'i32':
      return view.getInt32(0)
    case 'u32':
      return view.getUint32(0)
    case 'f16':
      return halfOf(view.getInt32(0))
    case 'bool':
      return x
    default:
      return wrap(to, view.getInt32(0), 'f32')
  }
}

/** Zero of a scalar type. */
export function zeroScalar(type: ScalarName): Scalar {
  return type === 'bool' ? false : type === 'i64' || type === 'u64' ? 0n : 0
}
