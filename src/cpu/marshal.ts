/**
 * Converts between JavaScript values and WebAssembly. A scalar is a number (a bigint or number for 64-bit integers, a boolean or
 * number for `bool`); a vector or array is an array or typed array; a matrix is an array of rows, or one flat list, row by row; a
 * struct is an object. Converters are made once per type.
 */
import type { DataType } from '../index.ts'
import { ShapeError } from './errors.ts'
import { fromHalf, halfBits } from '../host/half.ts'
import { has, isObject, wrongFields } from '../host/given.ts'
import { put } from '../host/record.ts'
import { namesOf, tagOffset, valueOffset } from '../host/variant.ts'

export type ScalarName = (DataType & { kind: 'scalar' })['scalar']

/** A scalar as WebAssembly's JavaScript interface takes and gives it. */
export type Scalar = number | bigint

/** Appends the scalars of a value; `where` names it in errors. */
export type Flatten = (value: unknown, out: Scalar[], where: string) => void
/** Reads a value from scalars; `next` says where, and is moved on. */
export type Gather = (scalars: readonly Scalar[], cursor: { next: number }) => unknown
/** Writes a value to memory. */
export type Write = (view: DataView, at: number, value: unknown, where: string) => void
/** Reads a value from memory. */
export type Read = (view: DataView, at: number) => unknown

/** How a type is called in messages. */
export function typeName(type: DataType): string {
  switch (type.kind) {
    case 'void':
      return 'nothing'
    case 'scalar':
      return scalarNames[type.scalar]
    case 'vector':
      return `${scalarNames[type.scalar]}${type.count}`
    case 'matrix':
      return `${scalarNames[type.scalar]}${type.rows}x${type.cols}`
    case 'array':
      return `${typeName(type.elem)}[${type.count === 0 ? '' : type.count}]`
    case 'struct':
      return type.name
  }
}

const scalarNames: Readonly<Record<ScalarName, string>> = {
  f32: 'float',
  f64: 'double',
  f16: 'half',
  i32: 'int',
  u32: 'uint',
  bool: 'bool',
  i64: 'int64_t',
  u64: 'uint64_t',
  i16: 'int16_t',
  u16: 'uint16_t',
  i8: 'int8_t',
  u8: 'uint8_t',
}

export function expected(type: DataType | Parameters<typeof fieldsOf>[0]): string {
  switch (type.kind) {
    case 'void':
      return 'nothing'
    case 'scalar':
      return type.scalar === 'bool' ? 'a boolean' : 'a number'
    case 'vector':
      return `${type.count} numbers for a ${typeName(type)}`
    case 'matrix':
      return `${type.rows} rows of ${type.cols} numbers for a ${typeName(type)}`
    case 'array':
      return `${type.count} elements for a ${typeName(type)}`
    case 'struct':
      return `an object with fields ${type.fields.map(f => f.name).join(', ')} for a ${type.name}`
  }
}

/** What a value of an interface has. */
const taggedFields = [{ name: 'type' }, { name: 'value' }]

/** The same function, which makes a converter once for each type. */
function once<T>(make: (type: DataType) => T): (type: DataType) => T {
  const known = new WeakMap<DataType, T>()
  return type => {
    let made = known.get(type)
    if (made === undefined) known.set(type, (made = make(type)))
    return made
  }
}

// ── Scalars ──────────────────────────────────────────────────────────────────────────────────────────────────────

export function toScalar(scalar: ScalarName, value: unknown, where: string): Scalar {
  if (scalar === 'i64' || scalar === 'u64') {
    if (typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value))) {
      const whole = BigInt(value)
      if (whole >= -(2n ** 63n) && whole < 2n ** 64n) return whole
    }
    throw new ShapeError(where, 'an integer of 64 bits', value)
  }
  const number = typeof value === 'bigint' ? Number(value) : typeof value === 'boolean' ? (value ? 1 : 0) : value
  if (typeof number !== 'number')
    throw new ShapeError(
      where,
      scalar === 'bool' ? 'a boolean' : scalar.startsWith('f') ? 'a number' : 'an integer',
      value,
    )
  switch (scalar) {
    case 'bool':
      return number === 0 ? 0 : 1
    case 'i8':
      return (integer(8, number, where) << 24) >> 24
    case 'i16':
      return (integer(16, number, where) << 16) >> 16
    case 'u8':
      return integer(8, number, where) & 0xff
    case 'u16':
      return integer(16, number, where) & 0xffff
    case 'i32':
    case 'u32':
      return integer(32, number, where)
    // What lies in memory as a float is a half all the same.
    case 'f16':
      return fromHalf(halfBits(number))
    default:
      return number
  }
}

/** An integer of so many bits, with or without sign: the same bits may be asked for either way. */
function integer(bits: number, value: number, where: string): number {
  if (Number.isInteger(value) && value >= -(2 ** (bits - 1)) && value < 2 ** bits) return value
  throw new ShapeError(where, `an integer of ${bits} bits`, value)
}

function fromScalar(scalar: ScalarName, x: Scalar): unknown {
  switch (scalar) {
    case 'bool':
      return x !== 0
    case 'u32':
      return (x as number) >>> 0
    case 'u64':
      return BigInt.asUintN(64, x as bigint)
    default:
      return x
  }
}

/** The components of a value that should be a list of `count`; a matrix may come as one flat list. */
function components(type: DataType, count: number, value: unknown, where: string): ArrayLike<unknown> {
  const list = value as ArrayLike<unknown> | null | undefined
  if (list === null || typeof list !== 'object' || typeof list.length !== 'number' || list.length !== count) {
    throw new ShapeError(where, expected(type), value)
  }
  return list
}

function matrixRows(type: DataType & { kind: 'matrix' }, value: unknown, where: string): ArrayLike<unknown> {
  const list = value as ArrayLike<unknown> & { slice?: (from: number, to: number) => unknown }
  const flat = type.rows * type.cols
  if (
    list !== null &&
    typeof list === 'object' &&
    list.length === flat &&
    typeof list.slice === 'function' &&
    (flat !== type.rows || !isObject(list[0]))
  ) {
    return Array.from({ length: type.rows }, (_x, r) => list.slice!(r * type.cols, (r + 1) * type.cols))
  }
  return components(type, type.rows, value, where)
}

export function fieldsOf(
  type: { readonly kind: 'struct'; readonly name: string; readonly fields: readonly { readonly name: string }[] },
  value: unknown,
  where: string,
): Readonly<Record<string, unknown>> {
  if (!isObject(value)) throw new ShapeError(where, expected(type), value)
  if (Object.keys(value).length !== type.fields.length || type.fields.some(f => !Object.hasOwn(value, f.name)))
    throw new ShapeError(where, expected(type), value, undefined, wrongFields(value, type.fields))
  return value as Readonly<Record<string, unknown>>
}

/** The type of the transpose: its rows are the columns of the matrix in memory. */
function transposed(type: DataType & { kind: 'matrix' }): DataType & { kind: 'matrix' } {
  const { columnMajor: _, ...others } = type
  return { ...others, rows: type.cols, cols: type.rows }
}

/** The columns of a matrix. They hold scalars, so that errors name its elements and not those of the transpose. */
function columnsOf(type: DataType & { kind: 'matrix' }, value: unknown, where: string): unknown[][] {
  return turn(
    Array.from(matrixRows(type, value, where), (row, i) =>
      Array.from(components(rowType(type), type.cols, row, `${where}[${i}]`), (x, c) =>
        toScalar(type.scalar, x, `${where}[${i}][${c}]`),
      ),
    ),
  )
}

const turn = (rows: readonly (readonly unknown[])[]): unknown[][] => rows[0]!.map((_, c) => rows.map(row => row[c]))

function rowType(type: DataType & { kind: 'matrix' }): DataType {
  return { kind: 'vector', scalar: type.scalar, count: type.cols, size: type.stride }
}

// ── Lists of scalars ─────────────────────────────────────────────────────────────────────────────────────────────

/** A converter from values of a type to lists of scalars. */
export function flattener(type: DataType): Flatten {
  switch (type.kind) {
    case 'void':
      return () => undefined
    case 'scalar': {
      const scalar = type.scalar
      return (value, out, where) => {
        out.push(toScalar(scalar, value, where))
      }
    }
    case 'vector': {
      const { scalar, count } = type
      return (value, out, where) => {
        const list = components(type, count, value, where)
        for (let i = 0; i < count; i++) out.push(toScalar(scalar, list[i], `${where}[${i}]`))
      }
    }
    case 'matrix': {
      if (type.columnMajor) {
        const columns = flattener(transposed(type))
        return (value, out, where) => columns(columnsOf(type, value, where), out, where)
      }
      const row = flattener(rowType(type))
      return (value, out, where) => {
        const rows = matrixRows(type, value, where)
        for (let i = 0; i < type.rows; i++) row(rows[i], out, `${where}[${i}]`)
      }
    }
    case 'array': {
      const elem = flattener(type.elem)
      return (value, out, where) => {
        const list = components(type, type.count, value, where)
        for (let i = 0; i < type.count; i++) elem(list[i], out, `${where}[${i}]`)
      }
    }
    case 'struct': {
      const parts = type.fields.map(f => ({ name: f.name, flatten: flattener(f.type) }))
      return (value, out, where) => {
        const object = fieldsOf(type, value, where)
        for (const part of parts) part.flatten(object[part.name], out, `${where}.${part.name}`)
      }
    }
  }
}

/** A converter from lists of scalars to values of a type. */
export function gatherer(type: DataType): Gather {
  switch (type.kind) {
    case 'void':
      return () => undefined
    case 'scalar': {
      const scalar = type.scalar
      return (scalars, cursor) => fromScalar(scalar, scalars[cursor.next++]!)
    }
    case 'vector':
      return repeated(gatherer({ kind: 'scalar', scalar: type.scalar, size: 0 }), type.count)
    case 'matrix': {
      if (!type.columnMajor) return repeated(gatherer(rowType(type)), type.rows)
      const columns = gatherer(transposed(type))
      return (scalars, cursor) => turn(columns(scalars, cursor) as unknown[][])
    }
    case 'array':
      return repeated(gatherer(type.elem), type.count)
    case 'struct': {
      const parts = type.fields.map(f => ({ name: f.name, gather: gatherer(f.type) }))
      return (scalars, cursor) => {
        const out: Record<string, unknown> = {}
        for (const part of parts) put(out, part.name, part.gather(scalars, cursor))
        return out
      }
    }
  }
}

function repeated(gather: Gather, count: number): Gather {
  return (scalars, cursor) => {
    const out: unknown[] = []
    for (let i = 0; i < count; i++) out.push(gather(scalars, cursor))
    return out
  }
}

// ── Memory ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** A converter from values of a type to memory. Scalars of `size` 1 and 2 are stored as such. */
export const writer: (type: DataType) => Write = once(writerOf)

function writerOf(type: DataType): Write {
  switch (type.kind) {
    case 'void':
      return () => undefined
    case 'scalar': {
      const { scalar, size } = type
      return (view, at, value, where) => putScalar(view, at, scalar, size, toScalar(scalar, value, where))
    }
    case 'vector': {
      const { scalar, count } = type
      const size = type.size / count
      return (view, at, value, where) => {
        const list = components(type, count, value, where)
        for (let i = 0; i < count; i++)
          putScalar(view, at + i * size, scalar, size, toScalar(scalar, list[i], `${where}[${i}]`))
      }
    }
    case 'matrix': {
      if (type.columnMajor) {
        const columns = writer(transposed(type))
        return (view, at, value, where) => columns(view, at, columnsOf(type, value, where), where)
      }
      const row = writer({ kind: 'vector', scalar: type.scalar, count: type.cols, size: rowSize(type) })
      return (view, at, value, where) => {
        const rows = matrixRows(type, value, where)
        for (let i = 0; i < type.rows; i++) row(view, at + i * type.stride, rows[i], `${where}[${i}]`)
      }
    }
    case 'array': {
      const elem = writer(type.elem)
      return (view, at, value, where) => {
        const list = components(type, type.count, value, where)
        for (let i = 0; i < type.count; i++) elem(view, at + i * type.stride, list[i], `${where}[${i}]`)
      }
    }
    case 'struct': {
      const parts = type.fields.map(f => ({ name: f.name, offset: f.offset, write: writer(f.type) }))
      const variants = type.variants?.map(v => ({ ...v, write: writer(v.type) }))
      return (view, at, value, where) => {
        // It may also be given by the words in memory.
        if (variants !== undefined && !has(value, 'rtti')) {
          const given = fieldsOf({ ...type, fields: taggedFields }, value, where)
          const chosen = variants.find(v => v.name === given['type'])
          if (chosen === undefined) throw new ShapeError(`${where}.type`, namesOf(variants), given['type'])
          view.setUint32(at + tagOffset, chosen.tag, true)
          chosen.write(view, at + valueOffset, given['value'], `${where}.value`)
          return
        }
        const object = fieldsOf(type, value, where)
        for (const part of parts) part.write(view, at + part.offset, object[part.name], `${where}.${part.name}`)
      }
    }
  }
}

/** A converter from memory to values of a type. */
export const reader: (type: DataType) => Read = once(readerOf)

function readerOf(type: DataType): Read {
  switch (type.kind) {
    case 'void':
      return () => undefined
    case 'scalar': {
      const { scalar, size } = type
      return (view, at) => takeScalar(view, at, scalar, size)
    }
    case 'vector': {
      const size = type.size / type.count
      const { scalar, count } = type
      return (view, at) => {
        const out: unknown[] = []
        for (let i = 0; i < count; i++) out.push(takeScalar(view, at + i * size, scalar, size))
        return out
      }
    }
    case 'matrix': {
      if (!type.columnMajor)
        return spaced(
          reader({ kind: 'vector', scalar: type.scalar, count: type.cols, size: rowSize(type) }),
          type.rows,
          type.stride,
        )
      const columns = reader(transposed(type))
      return (view, at) => turn(columns(view, at) as unknown[][])
    }
    case 'array':
      return spaced(reader(type.elem), type.count, type.stride)
    case 'struct': {
      const parts = type.fields.map(f => ({ name: f.name, offset: f.offset, read: reader(f.type) }))
      const variants = type.variants?.map(v => ({ ...v, read: reader(v.type) }))
      return (view, at) => {
        const chosen = variants?.find(v => v.tag === view.getUint32(at + tagOffset, true))
        if (chosen !== undefined) return { type: chosen.name, value: chosen.read(view, at + valueOffset) }
        const out: Record<string, unknown> = {}
        for (const part of parts) put(out, part.name, part.read(view, at + part.offset))
        return out
      }
    }
  }
}

function spaced(read: Read, count: number, stride: number): Read {
  return (view, at) => {
    const out: unknown[] = []
    for (let i = 0; i < count; i++) out.push(read(view, at + i * stride))
    return out
  }
}

/** Bytes of a matrix's row without the padding after it. In the memory of an instance, which no host fills, small numbers take words. */
export function rowSize({ scalar, cols, align }: DataType & { kind: 'matrix' }): number {
  const own = Number(/\d+/.exec(scalar) ?? 32) / 8
  return cols * (align === undefined ? Math.max(4, own) : own)
}

export function putScalar(view: DataView, at: number, scalar: ScalarName, size: number, x: Scalar): void {
  switch (scalar) {
    case 'f32':
      view.setFloat32(at, x as number, true)
      return
    case 'f64':
      view.setFloat64(at, x as number, true)
      return
    case 'i64':
    case 'u64':
      view.setBigInt64(at, BigInt.asIntN(64, x as bigint), true)
      return
    case 'f16':
      if (size === 2) view.setUint16(at, halfBits(x as number), true)
      else view.setFloat32(at, x as number, true)
      return
    default:
      if (size === 1) view.setInt8(at, x as number)
      else if (size === 2) view.setInt16(at, x as number, true)
      else view.setInt32(at, x as number, true)
  }
}

export function takeScalar(view: DataView, at: number, scalar: ScalarName, size: number): unknown {
  switch (scalar) {
    case 'f32':
      return view.getFloat32(at, true)
    case 'f64':
      return view.getFloat64(at, true)
    case 'i64':
      return view.getBigInt64(at, true)
    case 'u64':
      return view.getBigUint64(at, true)
    case 'f16':
      return size === 2 ? fromHalf(view.getUint16(at, true)) : view.getFloat32(at, true)
    case 'bool':
      return view.getInt32(at, true) !== 0
    case 'u8':
    case 'u16':
    case 'u32':
      return size === 1 ? view.getUint8(at) : size === 2 ? view.getUint16(at, true) : view.getUint32(at, true)
    case 'i8':
    case 'i16':
    case 'i32':
      return size === 1 ? view.getInt8(at) : size === 2 ? view.getInt16(at, true) : view.getInt32(at, true)
  }
}
