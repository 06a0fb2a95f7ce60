/** When numbers count as the same. An infinity is near nothing but itself: a tolerance that grows with it would take any number. */

/** True where two numbers are the same, or finite and no further apart than `most`. */
export function isNear(x: number, y: number, most: number): boolean {
  return Object.is(x, y) || x === y || (Number.isFinite(x) && Number.isFinite(y) && Math.abs(x - y) <= most)
}

/** The largest size among the finite ones of some numbers, at least 1: what a relative tolerance is taken of. */
export function sizeOf(list: readonly number[]): number {
  return list.reduce((size, x) => (Number.isFinite(x) ? Math.max(size, Math.abs(x)) : size), 1)
}
