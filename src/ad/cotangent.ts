/**
 * The cotangents of the linear tree's values during transposition. Contributions to parts of a composite are kept as parts and
 * assembled once. So a struct of n fields that is read field by field costs n, not n².
 */
import type { Builder } from '../ir/build.ts'
import { component, type Type } from '../ir/type.ts'
import type { Value } from '../ir/value.ts'

interface Cotangent {
  whole: Value | undefined
  parts: (Cotangent | undefined)[] | undefined
}

export class Cotangents {
  readonly #table: Map<number, Cotangent> = new Map()
  readonly #sum: (b: Builder, x: Value, y: Value) => Value
  readonly #zero: (b: Builder, type: Type) => Value

  constructor(sum: (b: Builder, x: Value, y: Value) => Value, zero: (b: Builder, type: Type) => Value) {
    this.#sum = sum
    this.#zero = zero
  }

  has(v: Value): boolean {
    return this.#table.has(v.id)
  }

  /** Adds a contribution to a component of `v`, given by its path of indices; to the whole for an empty path. */
  add(b: Builder, v: Value, ct: Value | undefined, path: readonly number[] = []): void {
    if (ct === undefined) return
    let at = this.#table.get(v.id)
    if (at === undefined) this.#table.set(v.id, (at = { whole: undefined, parts: undefined }))
    for (const i of path) {
      at.parts ??= []
      at = at.parts[i] ??= { whole: undefined, parts: undefined }
    }
    at.whole = at.whole === undefined ? ct : this.#sum(b, at.whole, ct)
  }

  /** Takes what `v` has received, assembled; undefined where it has received nothing. */
  take(b: Builder, v: Value): Value | undefined {
    const at = this.#table.get(v.id)
    if (at === undefined) return undefined
    this.#table.delete(v.id)
    return this.#assemble(b, at, v.type)
  }

  /** Puts aside what the values have received while a region of its own is transposed. */
  suspend(values: readonly Value[]): () => void {
    const saved = values.map(v => this.#table.get(v.id))
    for (const v of values) this.#table.delete(v.id)
    return () =>
      values.forEach((v, i) => {
        const old = saved[i]
        if (old === undefined) this.#table.delete(v.id)
        else this.#table.set(v.id, old)
      })
  }

  #assemble(b: Builder, at: Cotangent, type: Type): Value {
    if (at.parts === undefined) return at.whole!
    const parts: Value[] = []
    for (let i = 0; i < type.count; i++) {
      const part = at.parts[i]
      const own = part === undefined ? undefined : this.#assemble(b, part, component(type, i))
      const rest = at.whole === undefined ? undefined : b.extract(at.whole, i)
      parts.push(
        own === undefined
          ? (rest ?? this.#zero(b, component(type, i)))
          : rest === undefined
            ? own
            : this.#sum(b, own, rest),
      )
    }
    return b.construct(type, parts)
  }
}
