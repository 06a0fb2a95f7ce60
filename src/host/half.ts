/** Halves as bits. */

/** The number that the bits of a half are. */
export function fromHalf(h: number): number {
  const [sign, exponent, fraction] = [h & 0x8000 ? -1 : 1, (h >> 10) & 31, h & 1023]
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25))
}

/** The bits of the nearest half. */
export function halfBits(x: number): number {
  const sign = x < 0 || Object.is(x, -0) ? 0x8000 : 0
  const a = Math.abs(x)
  if (Number.isNaN(x)) return 0x7e00
  if (a >= 65520) return sign | 0x7c00
  const exponent = Math.max(Math.floor(Math.log2(a)), -14)
  const scaled = a / 2 ** (exponent - 10)
  const near = Math.round(scaled)
  const bits = scaled - Math.trunc(scaled) === 0.5 && near % 2 !== 0 ? near - 1 : near
  return sign | (a === 0 ? 0 : ((exponent + 14) << 10) + bits)
}
