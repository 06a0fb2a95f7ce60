/**
 * Costs of implicit conversions. Overload resolution compares the sums over a call's arguments. Shaders rely on these very numbers:
 * those between scalars are Slang's.
 */
import { bits, isFloatName, isIntName, isSignedName, type ScalarName } from '../model/type.ts'

/** What each kind of conversion costs. */
export const costs = {
  // Of shapes, which add up to less than `shapes`: a scalar of a vector of one, nothing made an `Optional`, a scalar in every lane, the vector of one as a longer one, …
  scalarOfOne: 1,
  none: 1,
  everyLane: 2,
  lanesOfOne: 3,
  everyElement: 10,
  contents: 10,
  unsized: 30,
  /** A struct as one that it inherits, by each step up; a value as one of an interface; a value as an `Optional`. */
  base: 50,
  interface: 50,
  optional: 50,
  /** A literal as an integer type that holds it: of the same sign, without one, with one. */
  literal: 23,
  literalUnsigned: 32,
  literalSigned: 81,
  boolToInt: 120,
  boolToOther: 170,
  boolToFloat: 520,
  /** A scalar as a wider one of its kind; an unsigned integer as a wider signed one; a signed one as one without; an unsigned one as a signed one of its size. */
  wider: 150,
  widerSigned: 200,
  unsigned: 250,
  signed: 300,
  /** An enum as its tag type. */
  tag: 150,
  intToFloat: 400,
  intToHalf: 500,
  /** A number as one of a type parameter. */
  generic: 600,
  /** The extra cost of an `out` or `inout` argument of another type, since it is converted back. */
  back: 800,
  /** A scalar as one that does not hold all its values. */
  lossy: 900,
  /** Between a type that no target has and another: which conversions there would be is not known. */
  missing: 5000,
  /** From this on a conversion must be written. */
  explicit: 10_000,
} as const

/** What conversions of shapes stay below. */
const shapes = 100

/** Whether an implicit conversion may lose something besides a change of shape. It gets a warning. */
export function isLossy(cost: number): boolean {
  return cost >= costs.lossy && cost % costs.lossy < shapes
}

/** Whether a literal counts as one of an integer type: whatever its sign, as in Slang, so that `u == -1` compares 32 bits. */
function fits(literal: bigint, to: ScalarName): boolean {
  return (literal < 0n ? -literal : literal) < 1n << BigInt(bits(to))
}

/** The cost from scalar to scalar; `literal` is the value of an integer literal, else null. */
export function scalarCost(from: ScalarName, to: ScalarName, literal: bigint | null): number {
  if (from === to) return 0
  if (isIntName(from)) {
    if (isIntName(to)) {
      const [signed, toSigned] = [isSignedName(from), isSignedName(to)]
      if (literal !== null && fits(literal, to))
        return signed === toSigned ? costs.literal : signed ? costs.literalUnsigned : costs.literalSigned
      const [n, m] = [bits(from), bits(to)]
      if (signed === toSigned) return m > n ? costs.wider : costs.lossy
      if (signed) return m >= n ? costs.unsigned : costs.lossy
      return m > n ? costs.widerSigned : m === n ? costs.signed : costs.lossy
    }
    if (to === 'f16') return costs.intToHalf
    return isFloatName(to) ? costs.intToFloat : costs.lossy
  }
  if (from === 'bool') return to === 'i32' ? costs.boolToInt : isIntName(to) ? costs.boolToOther : costs.boolToFloat
  return isFloatName(from) && isFloatName(to) && bits(to) > bits(from) ? costs.wider : costs.lossy
}

const candidates: readonly ScalarName[] = ['i32', 'u32', 'i64', 'u64', 'f32', 'f16', 'f64', 'i8', 'i16', 'u8', 'u16']

/** The scalar in which an operator on two different ones works; literals count by their value. */
export function commonScalar(
  a: ScalarName,
  b: ScalarName,
  la: bigint | null = null,
  lb: bigint | null = null,
): ScalarName {
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
