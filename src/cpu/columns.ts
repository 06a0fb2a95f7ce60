/**
 * Lists of values: one after the other in memory, and in JavaScript in one of three forms. A list of three points is
 *
 *     numbers   Float32Array.of(1, 2, 3, 4, 5, 6)      for `float2`: all components, element by element
 *     values    [{ x: 1, y: 2 }, { x: 3, y: 4 }, …]    what a call takes, for each element
 *     fields    { x: [1, 3, 5], y: [2, 4, 6] }         for a struct: a list for each field, in any form
 */
import type { DataType } from '../index.ts'
import { isDetached, isObject, onlyScalar } from '../host/given.ts'
import { put } from '../host/record.ts'
import { isTagged } from '../host/variant.ts'
import { ShapeError } from './errors.ts'
import {
  expected,
  fieldsOf,
  putScalar,
  reader,
  rowSize,
  takeScalar,
  toScalar,
  writer,
  type ScalarName,
} from './marshal.ts'

type Struct = DataType & { kind: 'struct' }

/** The form of a list of values; of fields, that of each. */
export type Form = 'numbers' | 'values' | ReadonlyMap<string, Form>

/** A list of values as a caller gave it. */
export interface Measured {
  readonly count: number
  readonly form: Form
}

type Arrays = Readonly<
  Record<
    ScalarName,
    | Float32ArrayConstructor
    | Float64ArrayConstructor
    | Int8ArrayConstructor
    | Int16ArrayConstructor
    | Int32ArrayConstructor
    | BigInt64ArrayConstructor
    | Uint8ArrayConstructor
    | Uint16ArrayConstructor
    | Uint32ArrayConstructor
    | BigUint64ArrayConstructor
  >
>

/** The typed array of numbers of one kind: halves are floats there, and booleans bytes. */
export const arrays: Arrays = {
  f16: Float32Array,
  f32: Float32Array,
  f64: Float64Array,
  i8: Int8Array,
  i16: Int16Array,
  i32: Int32Array,
  i64: BigInt64Array,
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  u64: BigUint64Array,
  bool: Uint8Array,
}

type List = ArrayLike<unknown>

/** What can be set and read number by number: numbers, or bigints for integers of 64 bits. */
type Numbers = { [i: number]: unknown; readonly length: number }

function isList(value: unknown): value is List {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && 'length' in value)
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint'
}

/** Whether a value has the form of one value of a type, as a call takes it. */
export function isOne(type: DataType, value: unknown): boolean {
  if (type.kind === 'void') return false
  if (type.kind === 'scalar') return isNumber(value)
  if (type.kind === 'struct')
    return (
      isObject(value) &&
      !isList(value) &&
      (isTagged(value) || type.fields.every(f => isOne(f.type, (value as Readonly<Record<string, unknown>>)[f.name])))
    )
  if (!isList(value)) return false
  const { length } = value
  const first = value[0]
  switch (type.kind) {
    case 'vector':
      return length === type.count && isNumber(first)
    case 'matrix':
      return isNumber(first)
        ? length === type.rows * type.cols
        : length === type.rows && isList(first) && first.length === type.cols && isNumber(first[0])
    case 'array':
      return length === type.count && (length === 0 || isOne(type.elem, first))
  }
}

/** The struct that a type is, or an array is of; `part` gives the type of one field of all of them. */
function structIn(
  type: DataType,
): { readonly struct: Struct; readonly part: (type: DataType) => DataType } | undefined {
  if (type.kind === 'struct') return type.variants === undefined ? { struct: type, part: of => of } : undefined
  if (type.kind !== 'array') return undefined
  const inner = structIn(type.elem)
  return inner && { struct: inner.struct, part: of => ({ ...type, elem: inner.part(of) }) }
}

/** What a list of values may be, in a message. */
function expectedList(type: DataType): string {
  const column = columnOf(type)
  const ways = [
    ...(column === undefined
      ? []
      : [`a list of ${column.offsets.length === 1 ? 'numbers' : `${column.offsets.length} numbers for each`}`]),
    ...(column?.offsets.length === 1 ? [] : ['a list of values']),
    ...(structIn(type) === undefined ? [] : ['an object with a list for each field']),
  ]
  return `${expected(type)}, or for many ${ways.join(' or ')}`
}

/** How many values a list has, and in which form. */
export function measure(type: DataType, value: unknown, where: string): Measured {
  if (ArrayBuffer.isView(value) && isDetached(value)) throw new ShapeError(where, expectedList(type), value)
  if (isList(value)) {
    const { length } = value
    if (length > 0 && !isNumber(value[0]) && !ArrayBuffer.isView(value)) return { count: length, form: 'values' }
    const each = columnOf(type)?.offsets.length
    if (each === undefined && length === 0) return { count: 0, form: 'values' }
    if (each === undefined || length % each !== 0) throw new ShapeError(where, expectedList(type), value)
    return { count: length / each, form: 'numbers' }
  }
  const own = structIn(type)
  if (own === undefined || !isObject(value)) throw new ShapeError(where, expectedList(type), value)
  const object = fieldsOf(own.struct, value, where)
  const form = new Map<string, Form>()
  let first: { readonly name: string; readonly count: number } | undefined
  // What is wrong in an object that should be one value is no field that fits.
  const fits = ({ name, type: of }: Struct['fields'][number]): number => Number(isOne(own.part(of), object[name]))
  for (const { name, type: of } of [...own.struct.fields].sort((a, b) => fits(a) - fits(b))) {
    // What holds nothing has no length.
    if (of.size === 0) continue
    const part = measure(own.part(of), object[name], `${where}.${name}`)
    first ??= { name, count: part.count }
    if (part.count !== first.count)
      throw new ShapeError(
        `${where}.${name}`,
        `${first.count} elements, as ${where}.${first.name} has`,
        value,
        `${part.count}`,
      )
    form.set(name, part.form)
  }
  return { count: first?.count ?? 0, form }
}

// ── To memory ────────────────────────────────────────────────────────────────────────────────────────────────────

/** A list of values as memory; where it is that already, it is not copied. */
export function packed(type: DataType, value: unknown, { count, form }: Measured, where: string): Uint8Array {
  const column = form === 'numbers' ? columnOf(type)! : undefined
  if (
    column !== undefined &&
    isDense(column, type.size) &&
    // Floats are rounded to halves.
    column.scalar !== 'f16' &&
    value instanceof arrays[column.scalar] &&
    column.size === value.BYTES_PER_ELEMENT
  )
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
  const bytes = new Uint8Array(count * type.size)
  pack(new DataView(bytes.buffer), 0, type.size, count, type, value, form, where)
  return bytes
}

/** One value as memory of its own. */
export function packedOne(type: DataType, value: unknown, where: string): Uint8Array {
  // Number by number, which takes large arrays faster than by the converter of the type.
  if (isList(value) && isNumber(value[0]) && value.length === columnOf(type)?.offsets.length && isOne(type, value))
    return packed(type, value, { count: 1, form: 'numbers' }, where).slice()
  const bytes = new Uint8Array(type.size)
  writer(type)(new DataView(bytes.buffer), 0, value, where)
  return bytes
}

function pack(
  view: DataView,
  at: number,
  stride: number,
  count: number,
  type: DataType,
  value: unknown,
  form: Form,
  where: string,
): void {
  if (form === 'numbers') {
    const { scalar, size, offsets } = columnOf(type)!
    const list = value as List
    const floats = list instanceof Float32Array || list instanceof Float64Array
    for (let i = 0, k = 0; i < count; i++, at += stride) {
      for (const offset of offsets) {
        // The names of elements cost more than to write them.
        if (floats && scalar === 'f32') view.setFloat32(at + offset, list[k] as number, true)
        else putScalar(view, at + offset, scalar, size, toScalar(scalar, list[k], `${where}[${k}]`))
        k++
      }
    }
  } else if (form === 'values') {
    const write = writer(type)
    const list = value as List
    for (let i = 0; i < count; i++) write(view, at + i * stride, list[i], `${where}[${i}]`)
  } else {
    const { struct, part } = structIn(type)!
    for (const { name, type: of, offset } of struct.fields) {
      const own = form.get(name)
      const list = (value as Readonly<Record<string, unknown>>)[name]
      if (own !== undefined) pack(view, at + offset, stride, count, part(of), list, own, `${where}.${name}`)
    }
  }
}

// ── From memory ──────────────────────────────────────────────────────────────────────────────────────────────────

/**
 * A list of values that lies in memory. It comes as typed arrays, of structs by fields; but where `form` is that of another list of
 * values with structs, in that form.
 */
export function unpacked(type: DataType, buffer: ArrayBuffer, count: number, form?: Form): unknown {
  return unpack(type, buffer, 0, type.size, count, form)
}

function unpack(
  type: DataType,
  buffer: ArrayBuffer,
  at: number,
  stride: number,
  count: number,
  form: Form | undefined,
): unknown {
  const own = structIn(type)
  const column = own === undefined || form === 'numbers' ? columnOf(type) : undefined
  if (column !== undefined) {
    const { scalar, size, offsets } = column
    const Kind = arrays[scalar]
    const total = count * offsets.length
    if (at === 0 && isDense(column, stride) && size === Kind.BYTES_PER_ELEMENT) return new Kind(buffer, 0, total)
    const view = new DataView(buffer)
    const out: Numbers = new Kind(total)
    for (let i = 0, k = 0; i < count; i++, at += stride)
      for (const offset of offsets) out[k++] = takeScalar(view, at + offset, scalar, size)
    return out
  }
  if (own === undefined || form === 'values') {
    const view = new DataView(buffer)
    const read = reader(type)
    return Array.from({ length: count }, (_, i) => read(view, at + i * stride))
  }
  const out: Record<string, unknown> = {}
  for (const { name, type: of, offset } of own.struct.fields) {
    const inner = form instanceof Map ? form.get(name) : undefined
    put(out, name, unpack(own.part(of), buffer, at + offset, stride, count, inner))
  }
  return out
}

// ── Columns ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** Where the numbers of a value lie that are all of one kind, in the order in which they are written: of matrices row by row. */
interface Column {
  readonly scalar: ScalarName
  /** Bytes of each in memory. */
  readonly size: number
  readonly offsets: readonly number[]
}

const known = new WeakMap<DataType, Column | undefined>()

/** Undefined for numbers of several kinds, and where there are none. */
function columnOf(type: DataType): Column | undefined {
  if (!known.has(type)) known.set(type, find(type))
  return known.get(type)
}

function find(type: DataType): Column | undefined {
  const scalar = onlyScalar(type) as ScalarName | undefined
  if (scalar === undefined) return undefined
  const offsets: number[] = []
  const size = place(type, 0, offsets)
  return size === undefined || offsets.length === 0 ? undefined : { scalar, size, offsets }
}

/** Appends where the numbers of a value lie; gives the bytes of one, undefined where the value is one of several types. */
function place(type: DataType, at: number, offsets: number[]): number | undefined {
  const line = (count: number, step: number, start = at): number => {
    for (let i = 0; i < count; i++) offsets.push(start + i * step)
    return step
  }
  switch (type.kind) {
    case 'void':
      return undefined
    case 'scalar':
      return line(1, type.size)
    case 'vector':
      return line(type.count, type.size / type.count)
    case 'matrix': {
      const { rows, cols, stride } = type
      const size = rowSize(type) / cols
      for (let r = 0; r < rows; r++)
        line(cols, type.columnMajor === true ? stride : size, at + r * (type.columnMajor === true ? size : stride))
      return size
    }
    case 'array': {
      let size: number | undefined
      for (let i = 0; i < type.count; i++) size = place(type.elem, at + i * type.stride, offsets)
      return size
    }
    case 'struct': {
      if (type.variants !== undefined) return undefined
      let size: number | undefined
      for (const f of type.fields) size = place(f.type, at + f.offset, offsets) ?? size
      return size
    }
  }
}

/** Whether the numbers of a list lie without gaps, in order. */
function isDense({ size, offsets }: Column, stride: number): boolean {
  return stride === offsets.length * size && offsets.every((at, i) => at === i * size)
}
