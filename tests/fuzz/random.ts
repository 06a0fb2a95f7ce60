/** Random numbers of which each program has its own, so that any program can be made without those before it. */
export class Random {
  #state: number

  /** The numbers of program `index` under a seed. */
  constructor(seed: number, index: number) {
    this.#state = mix(mix(seed) + index)
  }

  /** A whole number from 0 to n - 1. */
  pick(n: number): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0
    return Math.floor((mix(this.#state) / 2 ** 32) * n)
  }

  /** One of a list that is not empty. */
  one<T>(list: readonly T[]): T {
    return list[this.pick(list.length)]!
  }
}

/** The finalizer of MurmurHash3: each bit of the input changes each bit of the output half of the time. */
function mix(x: number): number {
  let h = x >>> 0
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}
