/** Which numbers are emulated, and the types that stand for them. */
import * as t from '../../ir/type.ts'
import type { Type } from '../../ir/type.ts'

/** Integers of 8 or 16 bits lie in 32 bits, and halves in floats; integers of 64 bits are pairs of words, the low one first. */
export type Emulated = 'small' | 'long' | 'half'

/** Two words. */
export const pair: Type = t.vec(t.u32, 2)

/** Maps types to those that stand for them. */
export class TypeMap {
  readonly #halves: boolean
  readonly #memo = new Map<Type, Type>()
  readonly #needs = new Map<Type, boolean>()
  /** The structs that it has made. */
  readonly structs: Type[] = []

  /** `halves`: those are emulated too. */
  constructor(halves: boolean) {
    this.#halves = halves
  }

  /** How a number, a vector or a matrix is emulated; undefined for all else. */
  kind({ scalar }: Type): Emulated | undefined {
    switch (scalar) {
      case 'i64':
      case 'u64':
        return 'long'
      case 'i8':
      case 'i16':
      case 'u8':
      case 'u16':
        return 'small'
      case 'f16':
        return this.#halves ? 'half' : undefined
      default:
        return undefined
    }
  }

  /** Whether something of the type is emulated. */
  holds(type: Type): boolean {
    let found = this.#needs.get(type)
    if (found === undefined) {
      this.#needs.set(type, false)
      found =
        this.kind(type) !== undefined ||
        (type.elem !== undefined && this.holds(type.elem)) ||
        type.fields.some(f => this.holds(f.type))
      this.#needs.set(type, found)
    }
    return found
  }

  /** Whether memory of the type that the host sees is addressed by words: its parts are smaller than a word, or lie closer than those of what stands for them. */
  packed(type: Type): boolean {
    const kind = this.kind(type)
    if (kind !== undefined) return kind !== 'long' || type.kind !== 'scalar'
    return (type.elem !== undefined && this.packed(type.elem)) || type.fields.some(f => this.packed(f.type))
  }

  value(type: Type): Type {
    if (!this.holds(type)) return type
    let made = this.#memo.get(type)
    if (made === undefined) this.#memo.set(type, (made = this.#make(type)))
    return made
  }

  #make(type: Type): Type {
    const elem = (): Type => this.value(type.elem!)
    switch (type.kind) {
      case 'array':
        return t.array(elem(), type.count, type.rule)
      case 'list':
        return t.list(elem())
      case 'ptr':
        return t.ptr(type.space!, elem())
      case 'struct': {
        const made = t.struct(
          type.name,
          type.fields.map(f => ({ name: f.name, type: this.value(f.type) })),
        )
        this.structs.push(made)
        return made
      }
      default:
        if (this.kind(type) === 'long') return type.kind === 'scalar' ? pair : t.array(elem(), type.count)
        return t.withScalar(type, t.isFloat(type) ? t.f32 : t.isSigned(type) ? t.i32 : t.u32)
    }
  }
}
