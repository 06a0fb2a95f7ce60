/** Values of the types that reflection describes: in bytes, as plain values, and as the rows of a table. */
import type { DataType } from 'cotangent'

/** A value as hosts give it to a kernel. */
export type Plain = number | boolean | Plain[] | { [field: string]: Plain }

type Scalar = Extract<DataType, { kind: 'scalar' }>['scalar']

/** Zeros of a type. */
export function zeroOf(type: DataType): Plain {
  switch (type.kind) {
    case 'scalar':
      return type.scalar === 'bool' ? false : 0
    case 'vector':
      return Array.from({ length: type.count }, () => 0)
    case 'matrix':
      return Array.from({ length: type.rows }, () => Array.from({ length: type.cols }, () => 0))
    case 'array':
      return Array.from({ length: type.count }, () => zeroOf(type.elem))
    case 'struct':
      return Object.fromEntries(type.fields.map(f => [f.name, zeroOf(f.type)]))
    case 'void':
      return 0
  }
}

/** A number inside a value: what it is called, where it lies, and how. */
interface Leaf {
  readonly name: string
  readonly offset: number
  readonly scalar: Scalar
}

/** The numbers of a type, in the order of their bytes. Arrays of unknown length have none. */
export function leavesOf(type: DataType, name = '', offset = 0): Leaf[] {
  const inner = (part: string): string => (name === '' ? part : `${name}.${part}`)
  switch (type.kind) {
    case 'scalar':
      return [{ name, offset, scalar: type.scalar }]
    case 'vector':
      return Array.from({ length: type.count }, (_, i) => ({
        name: inner('xyzw'[i]!),
        offset: offset + i * bytesOf(type.scalar),
        scalar: type.scalar,
      }))
    case 'matrix':
      return Array.from({ length: type.rows * type.cols }, (_, i) => {
        const [row, column] = [Math.floor(i / type.cols), i % type.cols]
        const [outer, within] = type.columnMajor === true ? [column, row] : [row, column]
        return {
          name: inner(`${row}${column}`),
          offset: offset + outer * type.stride + within * bytesOf(type.scalar),
          scalar: type.scalar,
        }
      })
    case 'array':
      return Array.from({ length: type.count }, (_, i) =>
        leavesOf(type.elem, `${name}[${i}]`, offset + i * type.stride),
      ).flat()
    case 'struct':
      return type.fields.flatMap(f => leavesOf(f.type, inner(f.name), offset + f.offset))
    case 'void':
      return []
  }
}

/** Bytes of a number in a buffer. */
function bytesOf(scalar: Scalar): number {
  const bits = /\d+$/.exec(scalar)
  return bits === null ? 4 : Number(bits[0]) / 8
}

/** Reads a number. */
export function numberAt(view: DataView, offset: number, scalar: Scalar): number {
  switch (scalar) {
    case 'f16':
      return halfOf(view.getUint16(offset, true))
    case 'f32':
      return view.getFloat32(offset, true)
    case 'f64':
      return view.getFloat64(offset, true)
    case 'i8':
      return view.getInt8(offset)
    case 'i16':
      return view.getInt16(offset, true)
    case 'i32':
      return view.getInt32(offset, true)
    case 'i64':
      return Number(view.getBigInt64(offset, true))
    case 'u8':
      return view.getUint8(offset)
    case 'u16':
      return view.getUint16(offset, true)
    case 'u32':
    case 'bool':
      return view.getUint32(offset, true)
    case 'u64':
      return Number(view.getBigUint64(offset, true))
  }
}

function halfOf(bits: number): number {
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023]
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}

/** Writes a plain value in the layout of its type. Numbers that buffers have and uniforms do not have are left out. */
export function write(view: DataView, offset: number, type: DataType, value: Plain): void {
  switch (type.kind) {
    case 'scalar':
      writeNumber(view, offset, type.scalar, Number(value))
      break
    case 'vector':
      for (let i = 0; i < type.count; i++)
        writeNumber(view, offset + i * bytesOf(type.scalar), type.scalar, Number((value as Plain[])[i]))
      break
    case 'matrix':
      for (let row = 0; row < type.rows; row++)
        for (let column = 0; column < type.cols; column++) {
          const [outer, within] = type.columnMajor === true ? [column, row] : [row, column]
          const n = Number(((value as Plain[])[row] as Plain[])[column])
          writeNumber(view, offset + outer * type.stride + within * bytesOf(type.scalar), type.scalar, n)
        }
      break
    case 'array':
      for (let i = 0; i < type.count; i++) write(view, offset + i * type.stride, type.elem, (value as Plain[])[i]!)
      break
    case 'struct':
      for (const f of type.fields) write(view, offset + f.offset, f.type, (value as { [name: string]: Plain })[f.name]!)
      break
    case 'void':
      break
  }
}

function writeNumber(view: DataView, offset: number, scalar: Scalar, value: number): void {
  if (scalar === 'f32') view.setFloat32(offset, value, true)
  else if (scalar === 'i32') view.setInt32(offset, value, true)
  else view.setUint32(offset, value, true)
}
