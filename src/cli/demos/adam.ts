/** Adam (Kingma and Ba, 2015) over a few numbers. */
export class Adam {
  readonly #rate: number
  readonly #m: number[] = []
  readonly #v: number[] = []
  #t = 0

  constructor(rate: number) {
    this.#rate = rate
  }

  /** The parameters after a step against the gradient. */
  step(params: readonly number[], gradient: readonly number[]): number[] {
    this.#t++
    const [b1, b2] = [0.9, 0.99]
    return params.map((p, i) => {
      const g = gradient[i]!
      const m = this.#m[i] = b1 * (this.#m[i] ?? 0) + (1 - b1) * g
      const v = this.#v[i] = b2 * (this.#v[i] ?? 0) + (1 - b2) * g * g
      return p - this.#rate * m / (1 - b1 ** this.#t) / (Math.sqrt(v / (1 - b2 ** this.#t)) + 1e-8)
    })
  }
}
