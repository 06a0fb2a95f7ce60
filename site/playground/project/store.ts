/** State that parts of the page share: each reads it, changes it, and hears of changes. */

/** Holds one value. Values are never changed in place. */
export class Store<T> {
  #value: T
  readonly #listeners = new Set<(value: T, before: T) => void>()

  constructor(value: T) {
    this.#value = value
  }

  get value(): T {
    return this.#value
  }

  /** Replaces the value and tells listeners, unless it is the same. */
  set(value: T): void {
    if (Object.is(value, this.#value)) return
    const before = this.#value
    this.#value = value
    for (const listener of this.#listeners) listener(value, before)
  }

  /** Replaces the value by one made from it. */
  change(of: (value: T) => T): void {
    this.set(of(this.#value))
  }

  /** Hears of changes from now on, until the function that it gives is called. */
  subscribe(listener: (value: T, before: T) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
