/** Converts plain values to bytes and back, by the layout in the reflection. */
import type { DataType } from '../index.ts'
import { unknownName } from '../host/given.ts'
import { GpuError } from './error.ts'

/** A number, a boolean, an array for vectors, matrices (of rows) and arrays, or an object for structs. */
export type Plain = number | boolean | readonly Plain[] | ArrayLike<number> | { readonly [field: string]: Plain }

function wrong(path: string, expected: string, value: unknown): never {
  const came =
    value === undefined
      ? 'nothing'
      : Array.isArray(value)
        ? `an array of ${value.length}`
        : `${typeof value} ${String(value)}`
  throw new GpuError('WrongUniform', `${path}: expected ${expected}, got ${came}`)
}

function list(path: string, value: Plain | undefined, count: number, what: string): ArrayLike<Plain> {
  const given = value as ArrayLike<Plain> | undefined
  if (typeof value !== 'object' || value === null || typeof given?.length !== 'number')
    return wrong(path, `${what} of ${count}`, value)
  if (count > 0 && given.length !== count) return wrong(path, `${what} of ${count}`, value)
  return given
}

/** Writes a value at an offset; of a struct without those `foreign` fields that are not given. */
export function pack(
  view: DataView,
  offset: number,
  type: DataType,
  value: Plain | undefined,
  path: string,
  foreign?: ReadonlySet<string>,
): void {
  switch (type.kind) {
    case 'scalar':
      setScalar(view, offset, type.scalar, value, path)
      return
    case 'vector': {
      const lanes = list(path, value, type.count, 'a vector')
      for (let i = 0; i < type.count; i++) setScalar(view, offset + i * 4, type.scalar, lanes[i], `${path}[${i}]`)
      return
    }
    case 'matrix': {
      const rows = list(path, value, type.rows, 'a matrix')
      if (type.columnMajor) {
        const lists = Array.from(rows, (row, i) => list(`${path}[${i}]`, row, type.cols, 'a vector'))
        pack(
          view,
          offset,
          transposed(type),
          Array.from({ length: type.cols }, (_, c) => lists.map(row => row[c]!)),
          path,
        )
        return
      }
      const row: DataType = { kind: 'vector', scalar: type.scalar, count: type.cols, size: type.stride }
      for (let i = 0; i < type.rows; i++) pack(view, offset + i * type.stride, row, rows[i], `${path}[${i}]`)
      return
    }
    case 'array': {
      const items = list(path, value, type.count, 'an array')
      for (let i = 0; i < items.length; i++) pack(view, offset + i * type.stride, type.elem, items[i], `${path}[${i}]`)
      return
    }
    case 'struct': {
      if (typeof value !== 'object' || value === null)
        return wrong(path, `an object with the fields of ${type.name}`, value)
      const fields = value as { readonly [field: string]: Plain }
      // Uniforms outside of blocks come with those of blocks, whose names are known to be right.
      const unknown =
        path === 'globalParams'
          ? undefined
          : unknownName(fields, () => type.fields.map(f => f.name), `${path}: ${type.name} has no field`)
      if (unknown !== undefined) throw new GpuError('WrongUniform', unknown)
      for (const f of type.fields)
        if (fields[f.name] !== undefined || foreign?.has(f.name) !== true)
          pack(view, offset + f.offset, f.type, fields[f.name], `${path}.${f.name}`)
      return
    }
    case 'void':
      return
  }
}

/** The type of the transpose: its rows are the columns of the matrix in memory. */
function transposed(type: DataType & { kind: 'matrix' }): DataType {
  return { kind: 'matrix', scalar: type.scalar, rows: type.cols, cols: type.rows, stride: type.stride, size: type.size }
}

function setScalar(view: DataView, offset: number, scalar: string, given: Plain | undefined, path: string): void {
  if (typeof given !== 'number' && typeof given !== 'boolean') wrong(path, scalar, given)
  const value = Number(given)
  switch (scalar) {
    case 'f32':
      view.setFloat32(offset, value, true)
      return
    case 'bool':
      view.setUint32(offset, value === 0 ? 0 : 1, true)
      return
    // The same bits may be asked for with or without sign.
    case 'i32':
    case 'u32':
      if (!Number.isInteger(value) || value < -(2 ** 31) || value >= 2 ** 32)
        wrong(path, `an integer of 32 bits for ${scalar}`, given)
      view.setInt32(offset, value, true)
      return
    default:
      wrong(path, `a type that WebGPU has (${scalar} is none)`, value)
  }
}

/** Reads a value at an offset; an array without a length of its own takes what is there. */
export function unpack(view: DataView, offset: number, type: DataType): Plain {
  switch (type.kind) {
    case 'scalar':
      return getScalar(view, offset, type.scalar)
    case 'vector':
      return Array.from({ length: type.count }, (_, i) => getScalar(view, offset + i * 4, type.scalar))
    case 'matrix': {
      if (type.columnMajor) {
        const columns = unpack(view, offset, transposed(type)) as Plain[][]
        return Array.from({ length: type.rows }, (_, r) => columns.map(column => column[r]!))
      }
      const row: DataType = { kind: 'vector', scalar: type.scalar, count: type.cols, size: type.stride }
      return Array.from({ length: type.rows }, (_, i) => unpack(view, offset + i * type.stride, row))
    }
    case 'array': {
      const count = type.count > 0 ? type.count : Math.floor((view.byteLength - offset) / type.stride)
      return Array.from({ length: count }, (_, i) => unpack(view, offset + i * type.stride, type.elem))
    }
    case 'struct':
      return Object.fromEntries(type.fields.map(f => [f.name, unpack(view, offset + f.offset, f.type)]))
    case 'void':
      return 0
  }
}

function getScalar(view: DataView, offset: number, scalar: string): number | boolean {
  switch (scalar) {
    case 'f32':
      return view.getFloat32(offset, true)
    case 'i32':
      return view.getInt32(offset, true)
    case 'bool':
      return view.getUint32(offset, true) !== 0
    default:
      return view.getUint32(offset, true)
  }
}
