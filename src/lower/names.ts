/** Names that are unique in one program: the first comer keeps its name, later ones get a number. */
export class Names {
  readonly #taken = new Map<string, number>()

  /** The name, or the name with the first number that is free. */
  unique(name: string): string {
    const base = name === '' ? 'unnamed' : name
    let count = this.#taken.get(base)
    if (count === undefined) {
      this.#taken.set(base, 0)
      return base
    }
    let next: string
    do next = `${base}_${++count}`
    while (this.#taken.has(next))
    this.#taken.set(base, count)
    this.#taken.set(next, 0)
    return next
  }
}
