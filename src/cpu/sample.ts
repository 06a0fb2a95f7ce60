/** Random values of a type, and arithmetic on values of one shape, for testing derivatives. */
import type { DataType } from '../index.ts'

export type Random = () => number

/** A reproducible source of numbers in [0, 1): Mulberry32. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let z = Math.imul(state ^ (state >>> 15), state | 1)
    z ^= z + Math.imul(z ^ (z >>> 7), z | 61)
    return ((z ^ (z >>> 14)) >>> 0) / 2 ** 32
  }
}

export const isFloat = (scalar: string): boolean => scalar.startsWith('f')

/** Elements of a random buffer. */
export const bufferLength = 64

/** A value of a type, its scalars made by `scalar`. An array without a length gets one. */
export function build(type: DataType, scalar: (name: string) => unknown): unknown {
  switch (type.kind) {
    case 'void':
      return undefined
    case 'scalar':
      return scalar(type.scalar)
    case 'vector':
      return Array.from({ length: type.count }, () => scalar(type.scalar))
    case 'matrix':
      return Array.from({ length: type.rows }, () => Array.from({ length: type.cols }, () => scalar(type.scalar)))
    case 'array':
      return Array.from({ length: type.count || bufferLength }, () => build(type.elem, scalar))
    case 'struct':
      return Object.fromEntries(type.fields.map(f => [f.name, build(f.type, scalar)]))
  }
}

/** A scalar to start from: floats in (-2, 2), or all above zero; small indices for integers. */
export function anyScalar(random: Random, positive: boolean): (scalar: string) => unknown {
  return scalar => {
    if (scalar === 'bool') return random() < 0.5
    if (!isFloat(scalar)) return scalar.endsWith('64') ? BigInt(Math.floor(random() * 4)) : Math.floor(random() * 4)
    const x = (random() * 2 - 1) * 2
    return positive ? Math.abs(x) + 0.05 : x
  }
}

/** A direction: floats in (-1, 1), zero for the rest. */
export function anyDirection(random: Random, type: DataType): unknown {
  return build(type, s => (isFloat(s) ? random() * 2 - 1 : 0))
}

/** Combines numbers of two values of one shape; what the second lacks stays as it is in the first. */
export function combine(a: unknown, b: unknown, f: (x: number, y: number) => number): unknown {
  if (b === undefined || b === null) return a
  if (typeof a === 'number' && typeof b === 'number') return f(a, b)
  if (isList(a) && isList(b)) return Array.from(a, (x, i) => combine(x, b[i], f))
  if (typeof a === 'object' && a !== null)
    return Object.fromEntries(Object.entries(a).map(([k, x]) => [k, combine(x, (b as Record<string, unknown>)[k], f)]))
  return a
}

function isList(v: unknown): v is ArrayLike<unknown> {
  return Array.isArray(v) || ArrayBuffer.isView(v)
}

/** The inner product of two values, over the shape of the second. */
export function inner(a: unknown, b: unknown): number {
  if (typeof b === 'number') return typeof a === 'number' ? a * b : 0
  if (isList(b))
    return Array.from(b, (x, i) => inner((a as ArrayLike<unknown> | undefined)?.[i], x)).reduce((s, x) => s + x, 0)
  if (typeof b === 'object' && b !== null)
    return Object.entries(b).reduce((s, [k, x]) => s + inner((a as Record<string, unknown> | undefined)?.[k], x), 0)
  return 0
}

/** The array without a length that a type ends with, if it does. */
export function openEnd(type: DataType): Extract<DataType, { kind: 'array' }> | undefined {
  const last = type.kind === 'struct' ? type.fields.at(-1)?.type : undefined
  return last?.kind === 'array' && last.count === 0 ? last : undefined
}

/** The bytes of a buffer of these elements, or of a single one that ends with an array without a length. */
export function bytesOf(values: readonly unknown[], elem: DataType, stride: number): Uint8Array {
  const end = (openEnd(elem)?.stride ?? 0) * bufferLength
  const view = new DataView(new ArrayBuffer(Math.max(stride, elem.size) * values.length + end))
  const write = (type: DataType, value: unknown, at: number): void => {
    switch (type.kind) {
      case 'void':
        return
      case 'scalar': {
        const x = Number(value)
        if (type.scalar === 'f32') view.setFloat32(at, x, true)
        else if (type.scalar === 'f64') view.setFloat64(at, x, true)
        else if (type.size === 8) view.setBigUint64(at, BigInt(x), true)
        else if (type.size === 4) view.setUint32(at, x, true)
        return
      }
      case 'vector': {
        const size = scalarBytes(type.scalar)
        list(value).forEach((x, i) => write({ kind: 'scalar', scalar: type.scalar, size }, x, at + i * size))
        return
      }
      case 'matrix':
        if (type.columnMajor)
          for (let c = 0; c < type.cols; c++)
            write(
              { kind: 'vector', scalar: type.scalar, count: type.rows, size: 0 },
              list(value).map(row => list(row)[c]),
              at + c * type.stride,
            )
        else
          list(value).forEach((x, i) =>
            write({ kind: 'vector', scalar: type.scalar, count: type.cols, size: 0 }, x, at + i * type.stride),
          )
        return
      case 'array':
        list(value).forEach((x, i) => write(type.elem, x, at + i * type.stride))
        return
      case 'struct':
        for (const f of type.fields) write(f.type, (value as Record<string, unknown>)[f.name], at + f.offset)
    }
  }
  const list = (value: unknown): readonly unknown[] => value as readonly unknown[]
  values.forEach((value, i) => write(elem, value, i * stride))
  return new Uint8Array(view.buffer)
}

function scalarBytes(scalar: string): number {
  return scalar.endsWith('64') ? 8 : scalar.endsWith('16') ? 2 : 4
}
