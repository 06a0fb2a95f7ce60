/** Names that differ from each other. A name from the source survives where the language allows it and nothing else has it. */

/** A name as most languages allow one; the fallback where nothing of the hint can be spelled. */
export function spellable(hint: string, fallback: string): string {
  const name = hint.replace(/\W+/g, '_').replace(/^_+|_+$/g, '').replace(/__+/g, '_')
  if (name === '') return fallback
  return /^\d/.test(name) ? `_${name}` : name
}

/** Gives out names that differ from each other and from those of the scopes around; another has it where it gets a suffix `_0`, `_1`, …. */
export class Names {
  readonly #outer: Names | undefined
  readonly #isReserved: (name: string) => boolean
  readonly #taken = new Set<string>()
  /** The number to try next for a name: counting from zero again would take time with the square of the names alike. */
  readonly #next = new Map<string, number>()

  /** `isReserved` tells words that are no names; none of them may end in `_` and a number. */
  constructor(isReserved: (name: string) => boolean, outer?: Names) {
    this.#isReserved = isReserved
    this.#outer = outer
  }

  /** Names for a scope inside. */
  inside(): Names {
    return new Names(this.#isReserved, this)
  }

  /** True where the name is in use here or outside. */
  has(name: string): boolean {
    return this.#taken.has(name) || (this.#outer !== undefined && this.#outer.has(name))
  }

  /** A new name after a hint. */
  make(hint: string, fallback: string): string {
    const base = spellable(hint, fallback)
    let name = base
    let n = this.#from(base)
    if (n < 0 && (this.#isReserved(base) || this.has(base))) n = 0
    if (n >= 0) {
      do name = `${base}_${n++}`
      while (this.has(name))
      this.#next.set(base, n)
    }
    this.#taken.add(name)
    return name
  }

  /** The number to begin with; -1 for none. */
  #from(base: string): number {
    return this.#next.get(base) ?? (this.#outer === undefined ? -1 : this.#outer.#from(base))
  }
}
