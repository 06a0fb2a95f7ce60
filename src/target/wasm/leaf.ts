/** Flattens IR types into WASM scalars, in order: lanes, rows, elements, fields. */
import * as costs from '../../ir/costs.ts'
import type { ScalarName, Type } from '../../ir/type.ts'
import { f32, f64, i32, i64, type ScalarType } from './opcode.ts'

/** The WASM type that holds a scalar. */
export function valType(scalar: ScalarName): ScalarType {
  switch (scalar) {
    case 'i64':
    case 'u64':
      return i64
    case 'f64':
      return f64
    case 'f32':
    case 'f16':
      return f32
    default:
      return i32
  }
}

/** Scalars that a call may take or give. This is a limit of engines and no cost: they refuse more than 1000, of which addresses take some. */
const maxScalars = 800

/** Answers about types, each computed once. */
export class Leaves {
  readonly #leaves = new Map<Type, readonly ScalarName[]>()
  readonly #counts = new Map<Type, number>()
  readonly #flat = new Map<Type, boolean>()
  readonly #maxArray: number

  constructor(maxArray: number = costs.flatArray) {
    this.#maxArray = maxArray
  }

  /** The scalars of a type in order; a list is an address. Only for types that are flat or small. */
  of(type: Type): readonly ScalarName[] {
    if (type.kind === 'scalar') return scalarLists[type.scalar!]
    if (type.kind === 'list') return scalarLists.u32
    let list = this.#leaves.get(type)
    if (list === undefined) {
      const out: ScalarName[] = []
      if (type.kind === 'struct') {
        for (const field of type.fields) out.push(...this.of(field.type))
      } else if (type.kind === 'vec' || type.kind === 'mat' || type.kind === 'array') {
        const part = this.of(type.elem!)
        for (let i = 0; i < type.count; i++) out.push(...part)
      }
      list = out
      this.#leaves.set(type, list)
    }
    return list
  }

  /** The number of scalars of a type. */
  count(type: Type): number {
    let n = this.#counts.get(type)
    if (n === undefined) {
      switch (type.kind) {
        case 'scalar':
        case 'list':
          n = 1
          break
        case 'vec':
        case 'mat':
        case 'array':
          n = type.count * this.count(type.elem!)
          break
        case 'struct':
          n = type.fields.reduce((sum, f) => sum + this.count(f.type), 0)
          break
        default:
          n = 0
      }
      this.#counts.set(type, n)
    }
    return n
  }

  /** The index of the first scalar of a component. */
  start(type: Type, index: number): number {
    if (type.kind !== 'struct') return index * this.count(type.elem!)
    let at = 0
    for (let i = 0; i < index; i++) at += this.count(type.fields[i]!.type)
    return at
  }

  /** True for flat types, whose values are lists of scalars. Values of other types are addresses of memory that stays unchanged. */
  flat(type: Type): boolean {
    let flat = this.#flat.get(type)
    if (flat === undefined) {
      flat = this.count(type) <= costs.flatScalars && this.#smallArrays(type)
      this.#flat.set(type, flat)
    }
    return flat
  }

  /** Which values of a signature are passed as scalars: flat ones, without the largest if engines take no more scalars. */
  asScalars(types: readonly Type[]): readonly boolean[] {
    const out = types.map(t => this.flat(t))
    const order = types
      .map((_t, i) => i)
      .filter(i => out[i])
      .sort((a, b) => this.count(types[b]!) - this.count(types[a]!))
    let total = order.reduce((sum, i) => sum + this.count(types[i]!), 0)
    for (const i of order) {
      if (total <= maxScalars) break
      out[i] = false
      total -= this.count(types[i]!)
    }
    return out
  }

  #smallArrays(type: Type): boolean {
    if (type.kind === 'array') return this.count(type) <= this.#maxArray
    return type.kind !== 'struct' || type.fields.every(f => this.#smallArrays(f.type))
  }
}

const scalarLists: Readonly<Record<ScalarName, readonly ScalarName[]>> = {
  bool: ['bool'],
  i8: ['i8'],
  i16: ['i16'],
  i32: ['i32'],
  i64: ['i64'],
  u8: ['u8'],
  u16: ['u16'],
  u32: ['u32'],
  u64: ['u64'],
  f16: ['f16'],
  f32: ['f32'],
  f64: ['f64'],
}
