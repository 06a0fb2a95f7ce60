/** Numbers known at compile time, as values of scalar types. */
import { roundTo, saturated } from '../../base/number.ts'
import type { ScalarName, Type } from './decl.ts'
import { bits, isFloatName, isSignedName, scalarName } from './type.ts'

/** Whether an integer type has too few bits for a number. A number that fits with the other sign is fine: `0xffffffff` and `-1`. */
export function misfits(value: number | bigint, to: Type): boolean {
  const name = scalarName(to)
  if (name === null || name === 'bool' || isFloatName(name)) return false
  if (typeof value === 'number' && !Number.isInteger(value)) return true
  const n = BigInt(bits(name))
  return BigInt(value) < -(1n << (n - 1n)) || BigInt(value) >= 1n << n
}

/** Converts a number from one scalar type to another, as a program would. */
export function convertNumber(
  value: number | bigint | boolean,
  from: ScalarName,
  to: ScalarName,
): number | bigint | boolean {
  if (to === 'bool') return typeof value === 'boolean' ? value : typeof value === 'bigint' ? value !== 0n : value !== 0
  // A number that is written may have more digits than its type, which are lost on the way to another.
  const known = isFloatName(from) ? roundTo(from, Number(value)) : value
  if (isFloatName(to)) return to === 'f32' ? Math.fround(Number(known)) : Number(known)
  const n = bits(to)
  const whole = isFloatName(from) ? saturated(Number(known), n, isSignedName(to)) : value
  if (n === 64) {
    const big = BigInt(whole)
    const cut = isSignedName(to) ? BigInt.asIntN(64, big) : BigInt.asUintN(64, big)
    return cut >= BigInt(Number.MIN_SAFE_INTEGER) && cut <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(cut) : cut
  }
  const int = typeof whole === 'bigint' ? Number(BigInt.asIntN(32, whole)) : Number(whole)
  return isSignedName(to) ? (int << (32 - n)) >> (32 - n) : n === 32 ? int >>> 0 : int & ((1 << n) - 1)
}
