/** Random choices that a seed repeats. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = (Math.imul(seed, 0x9e3779b1) + 0x7f4a7c15) | 0
    for (let i = 0; i < 4; i++) this.next()
  }

  /** From 0 to 1, without 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }

  below(n: number): number {
    return Math.floor(this.next() * n)
  }

  /** True once in so many times. */
  once(n: number): boolean {
    return this.below(n) === 0
  }

  one<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!
  }
}
