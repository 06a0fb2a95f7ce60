/** Random numbers from a seed: the same seed gives the same numbers everywhere. */

/**
 * A generator of numbers from 0 up to 1, with 32 bits of state: "mulberry32" by Tommy Ettinger, which is in the public domain
 * (https://gist.github.com/tommyettinger/46a874533244883189143505d203312c). It is good enough to choose where training begins.
 */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let x = Math.imul(state ^ (state >>> 15), state | 1)
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61)
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32
  }
}
