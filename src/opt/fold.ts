/** Constant folding: what an op gives on constants, with the rounding and wrapping of its type. */
import { roundHalf, roundTo, saturated } from '../base/number.ts'
import type { Constant, OpName } from '../ir/op.ts'
import { rows } from '../ir/ops.ts'
import type { ScalarName, Type } from '../ir/type.ts'
import * as t from '../ir/type.ts'

const bits: Readonly<Partial<Record<ScalarName, number>>> = { i8: 8, i16: 16, i32: 32, i64: 64, u8: 8, u16: 16, u32: 32, u64: 64 }

/** Rounds or wraps to the scalar type; undefined where the type has no exact representation here, or the value is not finite. */
export function fit(value: number | bigint, scalar: ScalarName): Constant | undefined {
  switch (scalar) {
    case 'bool': return value !== 0 && value !== 0n
    case 'f64': return finite(Number(value))
    case 'f32': return finite(Math.fround(Number(value)))
    case 'f16': return finite(roundHalf(Number(value)))
    case 'i64': return BigInt.asIntN(64, BigInt(value))
    case 'u64': return BigInt.asUintN(64, BigInt(value))
    case 'i32': return Number(value) | 0
    case 'u32': return Number(value) >>> 0
    case 'i8': return Number(value) << 24 >> 24
    case 'i16': return Number(value) << 16 >> 16
    case 'u8': return Number(value) & 0xff
    case 'u16': return Number(value) & 0xffff
  }
}

/** Targets cannot spell infinities and NaN as constants, so these are never made. */
function finite(x: number): number | undefined {
  return Number.isFinite(x) ? x : undefined
}

/** The value of an op on constants of one scalar type, or undefined where it has none. */
export function fold(op: OpName, type: Type, args: readonly Constant[]): Constant | undefined {
  const scalar = type.scalar!
  // Constants of floats may have more digits than their type.
  const [x, y] = scalar === 'f32' || scalar === 'f16' ? args.map(a => roundTo(scalar, a as number)) : args
  if (op === 'not') return typeof x === 'boolean' ? !x : typeof x === 'bigint' ? fit(~x, scalar) : fit(~x!, scalar)
  if (typeof x === 'bigint') return foldWide(op, scalar, x, y as bigint | undefined)
  if (typeof x === 'boolean') return foldBool(op, x, y as boolean | undefined)
  if (t.isFloat(type)) return foldFloat(op, scalar, x!, y as number | undefined)
  return foldInt(op, scalar, x!, y as number | undefined)
}

function foldBool(op: OpName, x: boolean, y: boolean | undefined): boolean | undefined {
  switch (op) {
    case 'and': return x && y
    case 'or': return x || y
    case 'xor': case 'ne': return x !== y
    case 'eq': return x === y
    default: return undefined
  }
}

function foldFloat(op: OpName, scalar: ScalarName, x: number, y: number | undefined): Constant | undefined {
  if (op === 'div') return y === 0 ? undefined : fit(x / y!, scalar)
  if (op === 'rem') return y === 0 ? undefined : fit(x % y!, scalar)
  const value = y === undefined ? rows[op].fold?.(x) : rows[op].fold?.(x, y)
  return typeof value === 'number' ? fit(value, scalar) : value
}

function foldInt(op: OpName, scalar: ScalarName, x: number, y: number | undefined): Constant | undefined {
  const width = bits[scalar]!
  switch (op) {
    case 'mul': return fit(Math.imul(x, y!), scalar)
    case 'div': return y === 0 ? x : fit(Math.trunc(x / y!), scalar)
    case 'rem': return y === 0 ? 0 : fit(x % y!, scalar)
    case 'shl': return fit(x << (y! & (width - 1)), scalar)
    case 'shr': return fit(scalar.charCodeAt(0) === 117 ? x >>> (y! & (width - 1)) : x >> (y! & (width - 1)), scalar)
    default: {
      const value = y === undefined ? rows[op].fold?.(x) : rows[op].fold?.(x, y)
      return typeof value === 'number' ? fit(value, scalar) : value
    }
  }
}

function foldWide(op: OpName, scalar: ScalarName, x: bigint, y: bigint | undefined): Constant | undefined {
  switch (op) {
    case 'add': return fit(x + y!, scalar)
    case 'sub': return fit(x - y!, scalar)
    case 'mul': return fit(x * y!, scalar)
    case 'div': return y === 0n ? x : fit(x / y!, scalar)
    case 'rem': return y === 0n ? 0n : fit(x % y!, scalar)
    case 'neg': return fit(-x, scalar)
    case 'and': return fit(x & y!, scalar)
    case 'or': return fit(x | y!, scalar)
    case 'xor': return fit(x ^ y!, scalar)
    case 'shl': return fit(x << (y! & 63n), scalar)
    case 'shr': return fit(x >> (y! & 63n), scalar)
    case 'lt': return x < y!
    case 'le': return x <= y!
    case 'gt': return x > y!
    case 'ge': return x >= y!
    case 'eq': return x === y
    case 'ne': return x !== y
    default: return undefined
  }
}

/** A constant converted by value from one scalar type to another; undefined where the result is not finite. */
export function foldConvert(x: Constant, from: Type, to: Type): Constant | undefined {
  const scalar = to.scalar!
  if (typeof x === 'boolean') return fit(x ? 1 : 0, scalar)
  if (scalar === 'bool') return x !== 0 && x !== 0n
  // A constant keeps the digits of the source, for targets that compute floats in double precision; others round it when they print it.
  if (scalar === 'f32' && from.scalar === 'f64') return finite(Math.fround(Number(x))) === undefined ? undefined : x
  if (t.isFloat(to)) return fit(t.isFloat(from) ? roundTo(from.scalar!, Number(x)) : x, scalar)
  if (t.isFloat(from)) return saturated(roundTo(from.scalar!, Number(x)), bits[scalar]!, scalar.charCodeAt(0) === 105)
  if (typeof x === 'bigint') return scalar === 'i64' || scalar === 'u64' ? fit(x, scalar) : fit(BigInt.asIntN(32, x), scalar)
  return fit(x, scalar)
}
