/** Operands for tests of operations: values at the edges of each scalar type, laid over the lanes of any shape. */
import type { Data } from '../../src/ir/run.ts'
import type { Scalar } from '../../src/ir/scalar.ts'
import { component, type ScalarName, type Type } from '../../src/ir/type.ts'

/** The arguments of one call. */
export type Point = readonly Data[]

const big = (bits: bigint): bigint => 1n << bits

/** Values of each scalar type at which operations tend to be wrong. */
export const interesting: Readonly<Record<ScalarName, readonly Scalar[]>> = {
  bool: [false, true],
  i8: [0, 1, -1, 7, 8, -77, 127, -128],
  u8: [0, 1, 7, 8, 100, 128, 255],
  i16: [0, 1, -1, 15, 16, 300, -301, 32767, -32768],
  u16: [0, 1, 15, 16, 300, 32768, 65535],
  i32: [0, 1, -1, 3, -7, 31, 32, 33, 100_003, -65_536, 2 ** 31 - 1, -(2 ** 31)],
  u32: [0, 1, 3, 7, 31, 32, 33, 65_536, 2 ** 31, 2 ** 32 - 1],
  i64: [0n, 1n, -1n, 7n, -13n, 63n, 64n, 65n, big(32n), big(53n) + 1n, big(63n) - 1n, -big(63n)],
  u64: [0n, 1n, 7n, 63n, 64n, 65n, big(32n), big(53n) + 1n, big(63n), big(64n) - 1n],
  f16: [0, -0, 1, -1.5, 0.0999755859375, 2.0 ** -14, 1025, 65504, -65504, Infinity, NaN],
  f32: [
    0,
    -0,
    1,
    -1,
    0.5,
    -2.75,
    3,
    Math.fround(0.1),
    7.25,
    -1e-3,
    16_777_216,
    2 ** -126,
    1e30,
    -3.4028234663852886e38,
    Infinity,
    -Infinity,
    NaN,
  ].map(Math.fround),
  f64: [0, -0, 1, -1, 0.1, -2.75, 3, 1e-3, 2 ** 53, 2 ** -1022, 1e300, Infinity, -Infinity, NaN],
}

/** The scalars of a type, in order. */
export function scalarsOf(type: Type): readonly ScalarName[] {
  if (type.kind === 'scalar') return [type.scalar!]
  return Array.from({ length: type.count }, (_, i) => scalarsOf(component(type, i))).flat()
}

/** A value of the type from its scalars, in order. */
export function assemble(type: Type, next: () => Scalar): Data {
  if (type.kind === 'scalar') return next()
  return Array.from({ length: type.count }, (_, i) => assemble(component(type, i), next))
}

/** The scalars of a value, in order. */
export function scalarsIn(data: Data): Scalar[] {
  return Array.isArray(data) ? (data as readonly Data[]).flatMap(scalarsIn) : [data as Scalar]
}

/** All combinations of one value of each list, the last changing fastest. */
export function combinations<T extends readonly unknown[]>(lists: { readonly [K in keyof T]: readonly T[K][] }): T[] {
  return (lists as readonly (readonly unknown[])[]).reduce<unknown[][]>(
    (rows, list) => rows.flatMap(row => list.map(x => [...row, x])),
    [[]],
  ) as unknown as T[]
}

/**
 * Points at which operands of one shape, or scalars beside them, meet in every combination of the values given for each:
 * each lane takes another combination.
 */
export function lanewise(
  types: readonly Type[],
  values: readonly (readonly Scalar[])[] = types.map(t => interesting[t.scalar!]),
): Point[] {
  const all: readonly (readonly Scalar[])[] = combinations(values)
  const lanes = Math.max(...types.map(type => scalarsOf(type).length))
  return Array.from({ length: Math.ceil(all.length / lanes) }, (_, k) =>
    types.map((type, operand) => {
      let lane = 0
      return assemble(type, () => all[(k * lanes + lane++) % all.length]![operand]!)
    }),
  )
}

/** Some points for operands whose scalars do not meet lane by lane. */
export function spread(types: readonly Type[], count = 8): Point[] {
  let step = 0
  return Array.from({ length: count }, () =>
    types.map(type => {
      const scalars = scalarsOf(type)
      let lane = 0
      return assemble(type, () => {
        const list = interesting[scalars[lane++]!]
        return list[step++ % list.length]!
      })
    }),
  )
}

/** Points at which differentiable functions are smooth: floats of moderate size, no two alike; other scalars from the usual values. */
export function smooth(types: readonly Type[], count = 2): Point[] {
  let at = 0
  const number = (): number => {
    at++
    return Math.fround((at % 2 === 0 ? -1 : 1) * (0.37 + ((at * 0.618034) % 1.9)))
  }
  const others: Readonly<Partial<Record<ScalarName, readonly Scalar[]>>> = {
    i32: [1, 2, 0, 3],
    u32: [2, 1, 0, 3],
    bool: [true, false],
  }
  return Array.from({ length: count }, () =>
    types.map(type => {
      const scalars = scalarsOf(type)
      let lane = 0
      return assemble(type, () => {
        const scalar = scalars[lane++]!
        if (scalar.startsWith('f')) return number()
        const list = others[scalar] ?? interesting[scalar]
        return list[at++ % list.length]!
      })
    }),
  )
}

/** Some of many points, evenly. */
export function some<T>(points: readonly T[], most: number): T[] {
  if (points.length <= most) return [...points]
  return Array.from({ length: most }, (_, k) => points[Math.floor((k * points.length) / most)]!)
}

/** True for a scalar that every target computes with: GPUs promise nothing of infinities, NaN, subnormal numbers and the sign of zero. */
export function isOrdinary(x: Scalar): boolean {
  return typeof x !== 'number' || Object.is(x, 0) || (Number.isFinite(x) && Math.abs(x) >= 2 ** -126)
}

const words = new DataView(new ArrayBuffer(4))

/** A scalar of at most 32 bits as a word of a buffer. */
export function toWord(scalar: ScalarName, x: Scalar): number {
  if (scalar.startsWith('f')) words.setFloat32(0, x as number)
  else words.setInt32(0, Number(x))
  return words.getUint32(0)
}

/** A scalar as the words of a buffer, the low one first. */
export function toWords(scalar: ScalarName, x: Scalar): number[] {
  if (scalar !== 'i64' && scalar !== 'u64') return [toWord(scalar, x)]
  return [BigInt(x), BigInt(x) >> 32n].map(word => Number(BigInt.asUintN(32, word)))
}

/** The scalar that words of a buffer stand for. */
export function fromWords(scalar: ScalarName, words: ArrayLike<number>): Scalar {
  if (scalar !== 'i64' && scalar !== 'u64') return fromWord(scalar, words[0]!)
  const bits = (BigInt(words[1]!) << 32n) | BigInt(words[0]!)
  return scalar === 'i64' ? BigInt.asIntN(64, bits) : bits
}

/** The scalar that a word of a buffer stands for. */
export function fromWord(scalar: ScalarName, word: number): Scalar {
  words.setUint32(0, word)
  return scalar === 'bool'
    ? word !== 0
    : scalar.startsWith('f')
      ? words.getFloat32(0)
      : scalar.startsWith('i')
        ? words.getInt32(0)
        : word
}
