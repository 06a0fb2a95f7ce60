/** What implicit conversions between scalars cost; the sums decide between overloads. Shaders rely on these very numbers. */
import { bits, isFloatName, isIntName, isSignedName, type ScalarName } from '../model/type.ts'

/** From this on a conversion loses something, and is warned about. */
export const lossy = 900

/** Whether an integer can be held by an integer type. */
export function fits(literal: bigint, to: ScalarName): boolean {
  const n = BigInt(bits(to))
  return isSignedName(to) ? literal >= -(1n << (n - 1n)) && literal < 1n << (n - 1n) : literal >= 0n && literal < 1n << n
}

/** The cost from scalar to scalar; `literal` is the value of an integer literal, else null. */
export function scalarCost(from: ScalarName, to: ScalarName, literal: bigint | null): number {
  if (from === to) return 0
  if (isIntName(from)) {
    if (isIntName(to)) {
      const [signed, toSigned] = [isSignedName(from), isSignedName(to)]
      if (literal !== null && fits(literal, to)) return signed === toSigned ? 23 : signed ? 32 : 81
      const [n, m] = [bits(from), bits(to)]
      if (signed === toSigned) return m > n ? 150 : lossy
      if (signed) return m >= n ? 250 : lossy
      return m > n ? 200 : m === n ? 300 : lossy
    }
    if (to === 'f16') return 500
    return isFloatName(to) ? 400 : lossy
  }
  if (from === 'bool') return to === 'i32' ? 120 : isIntName(to) ? 170 : 520
  if (isFloatName(from) && isFloatName(to)) return bits(to) > bits(from) ? 150 : lossy
  return lossy
}

const candidates: readonly ScalarName[] = ['i32', 'u32', 'i64', 'u64', 'f32', 'f16', 'f64', 'i8', 'i16', 'u8', 'u16']

/** The scalar in which an operator on two different ones works; literals count by their value. */
export function commonScalar(a: ScalarName, b: ScalarName, la: bigint | null = null, lb: bigint | null = null): ScalarName {
  if (a === b && a !== 'bool') return a
  let best: ScalarName = 'i32'
  let least = Infinity
  for (const c of candidates) {
    const cost = scalarCost(a, c, la) + scalarCost(b, c, lb)
    if (cost < least) {
      least = cost
      best = c
    }
  }
  return best
}
