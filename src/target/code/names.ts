/** Unique names. A name of the source stays as it is if the language allows it and nothing else has it. */

/** The hint as an identifier that most languages allow; the fallback if nothing is left of it. */
export function identifierOf(hint: string, fallback: string): string {
  if (/^[A-Za-z](?:_?[A-Za-z0-9])*$/.test(hint)) return hint
  const name = hint
    .replace(/\W+/g, '_')
    .replace(/^_+|_+$/g, '')
    .replace(/__+/g, '_')
  if (name === '') return fallback
  return /^\d/.test(name) ? `_${name}` : name
}

/** Gives out names that are unique in this scope and the scopes around. A name that is taken gets a suffix `_0`, `_1`, …. */
export class Names {
  readonly #outer: Names | undefined
  readonly #isReserved: (name: string) => boolean
  readonly #taken = new Set<string>()
  /** The suffix to try next for a name. To count from zero each time would take quadratic time for many equal names. */
  readonly #next = new Map<string, number>()

  /** `isReserved` is true for words of the language. None of them may end in `_` and a number. */
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
    const base = identifierOf(hint, fallback)
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
