/** Rounding and conversion of numbers, wherever the compiler computes with them. */

/** The nearest half-precision number, the even one of two; an infinity past the largest. */
export function roundHalf(x: number): number {
  const size = Math.abs(x)
  if (!(size < Infinity) || size === 0) return x
  const quantum = 2 ** (Math.max(-14, Math.floor(Math.log2(size))) - 10)
  const floor = Math.floor(size / quantum)
  const rest = size / quantum - floor
  const rounded = (rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? floor + 1 : floor) * quantum
  return Math.sign(x) * (rounded > 65504 ? Infinity : rounded)
}

/** A number that is written with more digits than its type (`f16`, `f32` or another) has, as a program sees it. */
export function roundTo(scalar: string, x: number): number {
  return scalar === 'f32' ? Math.fround(x) : scalar === 'f16' ? roundHalf(x) : x
}

/** The integer that a float becomes: without its fraction, the nearest that the type has, and 0 for NaN. A bigint for types of 64 bits. */
export function saturated(x: number, bits: number, signed: boolean): number | bigint {
  const [low, end] = signed ? [-(2 ** (bits - 1)), 2 ** (bits - 1)] : [0, 2 ** bits]
  const kept = Number.isNaN(x) ? 0 : Math.trunc(Math.min(Math.max(x, low), end))
  if (bits === 64) return kept === end ? BigInt(end) - 1n : BigInt(kept)
  // Minus zero is no integer.
  return Math.min(kept, end - 1) + 0
}
