/** The losses of a training as a curve of bounded length, however long it takes. */

export interface Point {
  readonly step: number
  readonly loss: number
}

/** Keeps every step at first. When it is full it drops every second point, and from then on takes every second step: so points stay evenly spaced. */
export class Curve {
  readonly #most: number
  #every = 1
  #points: Point[] = []
  #last: Point | undefined

  constructor(most = 512) {
    this.#most = most
  }

  /** Takes the loss after a step, which is after the last one. Losses that are not finite are left out. */
  add(step: number, loss: number): void {
    if (!Number.isFinite(loss)) return
    this.#last = { step, loss }
    const before = this.#points.at(-1)
    if (before !== undefined && step - before.step < this.#every) return
    this.#points.push(this.#last)
    while (this.#points.length > this.#most) {
      this.#every *= 2
      this.#points = this.#points.filter((_, i) => i % 2 === 0)
    }
  }

  /** What to draw: the points kept, and the last one. */
  get points(): readonly Point[] {
    const kept = this.#points.at(-1)
    return this.#last === undefined || kept === this.#last ? this.#points : [...this.#points, this.#last]
  }

  clear(): void {
    this.#every = 1
    this.#points = []
    this.#last = undefined
  }
}
