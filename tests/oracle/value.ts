/** Values of programs. None is ever changed: what changes a part makes another whole. Nothing here knows the compiler. */
import { Dual, add, mul, primalAt, real, tagOf, tangentAt, type Num } from './dual.ts'
import { derivativeFields, isActive, partsOf, type StructType, type Type } from './tree.ts'

/** A value of an interface. */
export class Dynamic {
  readonly struct: StructType
  readonly value: Value

  constructor(struct: StructType, value: Value) {
    this.struct = struct
    this.value = value
  }
}

export type Value = Num | boolean | readonly Value[] | Dynamic

export const list = (v: Value): readonly Value[] => v as readonly Value[]
export const num = (v: Value): Num => v as Num

export function zero(type: Type): Value {
  if (type.kind === 'bool') return false
  const parts = partsOf(type)
  return type.kind === 'real' || type.kind === 'int' || type.kind === 'uint' ? 0 : parts.map(p => zero(p.type))
}

/** A value without any derivative. */
export function held(v: Value): Value {
  if (typeof v === 'number' || typeof v === 'boolean') return v
  if (v instanceof Dual) return real(v)
  return v instanceof Dynamic ? new Dynamic(v.struct, held(v.value)) : v.map(held)
}

/** A value as a place keeps it: what has no derivative there loses it. */
export function kept(type: Type, noDiff: boolean, v: Value): Value {
  if (noDiff || (type.kind === 'struct' && !type.differentiable)) return held(v)
  if (type.kind === 'struct') return list(v).map((x, i) => kept(type.fields[i]!.type, type.fields[i]!.noDiff, x))
  if (type.kind === 'array') return list(v).map(x => kept(type.of, false, x))
  return v
}

/** The highest tag in a value; 0 where there is none. */
export function highest(v: Value): number {
  if (typeof v === 'number' || typeof v === 'boolean') return 0
  if (v instanceof Dual) return tagOf(v)
  if (v instanceof Dynamic) return highest(v.value)
  let most = 0
  for (const x of v) most = Math.max(most, highest(x))
  return most
}

/** Calls a function with each active part of a type that is itself active, and with its place among those of the differential. */
function eachActive(type: Type, f: (at: number, inDifferential: number, type: Type) => void): void {
  if (type.kind === 'struct') {
    derivativeFields(type).forEach((field, k) => {
      f(type.fields.indexOf(field), k, field.type)
    })
    return
  }
  let k = 0
  partsOf(type).forEach((part, i) => {
    if (isActive(part)) f(i, k++, part.type)
  })
}

/** `p + d·ε`. */
export function attach(type: Type, p: Value, d: Value, tag: number): Value {
  if (type.kind === 'real') return new Dual(tag, num(p), num(d))
  if (!isActive({ type, noDiff: false })) return p
  const out = [...list(p)]
  eachActive(type, (i, k, part) => {
    out[i] = attach(part, list(p)[i]!, list(d)[k]!, tag)
  })
  return out
}

export function primalPart(v: Value, tag: number): Value {
  if (typeof v === 'number' || typeof v === 'boolean') return v
  if (v instanceof Dual) return primalAt(v, tag)
  return v instanceof Dynamic ? new Dynamic(v.struct, primalPart(v.value, tag)) : v.map(x => primalPart(x, tag))
}

/** The derivative by ε, a value of the differential type. */
export function tangentPart(type: Type, v: Value, tag: number): Value {
  if (type.kind === 'real') return tangentAt(num(v), tag)
  const out: Value[] = []
  eachActive(type, (i, _, part) => {
    out.push(tangentPart(part, list(v)[i]!, tag))
  })
  return out
}

/** The numbers of a value of a differential type, in order. */
export function numbersOf(v: Value): Num[] {
  return Array.isArray(v) ? list(v).flatMap(numbersOf) : [v as Num]
}

/** A value of the shape of another, of numbers in order. */
export function shapedLike(v: Value, numbers: readonly Num[]): Value {
  let next = 0
  const build = (x: Value): Value => (Array.isArray(x) ? list(x).map(build) : numbers[next++]!)
  return build(v)
}

export function sumOfProducts(x: readonly Num[], y: readonly Num[]): Num {
  let sum: Num = 0
  x.forEach((v, i) => {
    const w = y[i]!
    if (v !== 0 && w !== 0) sum = add(sum, mul(v, w))
  })
  return sum
}
