/** Converts plain values to bytes and back, by the layout in the reflection. */
import type { DataType } from '../index.ts'
import { isObject, shown, unknownName, withArticle } from '../host/given.ts'
import { refuse, refuseIf } from './error.ts'

/** A number (for 64 bits perhaps a bigint), a boolean, an array for vectors, matrices (of rows) and arrays, or an object for structs. An interface's has the name of a type. */
export type Plain =
  | number
  | bigint
  | boolean
  | string
  | readonly Plain[]
  | ArrayLike<number>
  | { readonly [field: string]: Plain }

/** A type in memory. Between the numbers of a vector lie `lane` bytes, where it is a row of a matrix of columns. */
export type Laid = DataType | (Extract<DataType, { readonly kind: 'vector' }> & { readonly lane: number })

type ListType = Extract<Laid, { readonly kind: 'vector' | 'matrix' | 'array' }>

export type StructType = Extract<DataType, { readonly kind: 'struct' }>

/** Values that few programs exchange: numbers that are no words, and values of interfaces. */
export interface RareValues {
  /** The bytes of a number. */
  sizeOf(scalar: string): number
  /** Writes a number; false where it is a word. */
  setNumber(view: DataView, offset: number, scalar: string, value: Plain | undefined, path: string): boolean
  /** Reads a number; undefined where it is a word. */
  getNumber(view: DataView, offset: number, scalar: string): number | bigint | undefined
  /** Writes a value that names its type; false where it does not. */
  packTagged(view: DataView, offset: number, type: StructType, value: unknown, path: string): boolean
  /** Reads a value with the name of its type; undefined where it is of no interface, or the tag is none. */
  unpackTagged(view: DataView, offset: number, type: StructType): Plain | undefined
}

let rare: RareValues | undefined

/** Gives `pack` and `unpack` the part for values that few programs exchange. It keeps nothing, so once is enough for all programs. */
export function useRareValues(part: RareValues): void {
  rare = part
}

const sizeOf = (scalar: string): number => rare?.sizeOf(scalar) ?? 4

/** What a vector, a matrix or an array consists of: so many of a type, and the bytes from one to the next. */
export function itemsOf(type: ListType): { readonly count: number; readonly type: Laid; readonly stride: number } {
  switch (type.kind) {
    case 'vector': {
      const { scalar, count } = type
      const size = sizeOf(scalar)
      return { count, type: { kind: 'scalar', scalar, size }, stride: 'lane' in type ? type.lane : size }
    }
    case 'matrix': {
      const { scalar, rows, cols: count, stride, columnMajor } = type
      const size = sizeOf(scalar)
      const [row, lane] = columnMajor === true ? [size, stride] : [stride, size]
      return {
        count: rows,
        type: { kind: 'vector', scalar, count, lane, size: (count - 1) * lane + size },
        stride: row,
      }
    }
    case 'array':
      return { count: type.count, type: type.elem, stride: type.stride }
  }
}

export function wrong(path: string, expected: string, value: unknown): never {
  const came = value === undefined ? 'nothing' : Array.isArray(value) ? `an array of ${value.length}` : shown(value)
  refuse('WrongUniform', `${path}: expected ${expected}, got ${came}`)
}

/**
 * Writes a value at an offset; of a struct without those `foreign` fields that are not given. `path` says where mistakes are; the path
 * of all uniforms outside of blocks is empty.
 */
export function pack(
  view: DataView,
  offset: number,
  type: Laid,
  value: Plain | undefined,
  path: string,
  foreign?: ReadonlySet<string>,
): void {
  switch (type.kind) {
    case 'scalar':
      setScalar(view, offset, type.scalar, value, path)
      return
    case 'struct': {
      const here = path === '' ? 'uniforms' : path
      if (rare?.packTagged(view, offset, type, value, path) === true) return
      if (!isObject(value)) return wrong(here, `an object with the fields of ${type.name}`, value)
      const fields = value as { readonly [field: string]: Plain }
      // Uniforms outside of blocks come with those of blocks, whose names are known to be right.
      if (path !== '')
        refuseIf(
          'WrongUniform',
          unknownName(fields, () => type.fields.map(f => f.name), `${path}: ${type.name} has no field`),
        )
      for (const f of type.fields)
        if (fields[f.name] !== undefined || foreign?.has(f.name) !== true)
          pack(view, offset + f.offset, f.type, fields[f.name], `${here}.${f.name}`)
      return
    }
    case 'void':
      return
    default: {
      const { count, type: item, stride } = itemsOf(type)
      let given = value as ArrayLike<Plain> | null | undefined
      const length = typeof given === 'object' ? given?.length : undefined
      if (typeof length !== 'number' || (count > 0 && length !== count)) {
        const { cols } = type as { readonly cols?: number }
        if (length !== count * cols!) return wrong(path, `${withArticle(type.kind)} of ${count}`, value)
        // One flat list, row by row, as on the CPU.
        const list = Array.from(given!)
        given = Array.from({ length: count }, () => list.splice(0, cols))
      }
      for (let i = 0; i < given!.length; i++) pack(view, offset + i * stride, item, given![i], `${path}[${i}]`)
    }
  }
}

function setScalar(view: DataView, offset: number, scalar: string, given: Plain | undefined, path: string): void {
  if (rare?.setNumber(view, offset, scalar, given, path) === true) return
  if (typeof given !== 'number' && typeof given !== 'boolean') return wrong(path, scalar, given)
  const value = Number(given)
  if (scalar === 'f32') view.setFloat32(offset, value, true)
  else if (scalar === 'bool') view.setUint32(offset, value === 0 ? 0 : 1, true)
  else {
    // The same bits may be asked for with or without sign.
    if (!Number.isInteger(value) || value < -(2 ** 31) || value >= 2 ** 32)
      wrong(path, `an integer of 32 bits for ${scalar}`, given)
    view.setInt32(offset, value, true)
  }
}

/** Reads a value at an offset; an array without a length of its own takes what is there. */
export function unpack(view: DataView, offset: number, type: Laid): Plain {
  switch (type.kind) {
    case 'scalar':
      return getScalar(view, offset, type.scalar)
    case 'struct': {
      return (
        rare?.unpackTagged(view, offset, type) ??
        Object.fromEntries(type.fields.map(f => [f.name, unpack(view, offset + f.offset, f.type)]))
      )
    }
    case 'void':
      return 0
    default: {
      const { count, type: item, stride } = itemsOf(type)
      const length = count > 0 ? count : Math.floor((view.byteLength - offset) / stride)
      return Array.from({ length }, (_, i) => unpack(view, offset + i * stride, item))
    }
  }
}

/** Reads a number or a boolean at an offset. */
export function getScalar(view: DataView, offset: number, scalar: string): number | bigint | boolean {
  const own = rare?.getNumber(view, offset, scalar)
  if (own !== undefined) return own
  if (scalar === 'f32') return view.getFloat32(offset, true)
  if (scalar === 'i32') return view.getInt32(offset, true)
  const word = view.getUint32(offset, true)
  return scalar === 'bool' ? word !== 0 : word
}
