/** Uniforms as an object: its properties are places in memory, and remember nothing themselves. */
import type { DataType } from '../index.ts'
import { pack, unpack, type Plain } from './pack.ts'

/** Contents of uniform buffers, and how often they were changed. */
export interface UniformMemory {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly view: DataView
  changes: number
}

/** A name, and where its value lies. */
export interface UniformPlace {
  readonly name: string
  readonly type: DataType
  readonly offset: number
  /** Fields that keep their value when the whole is set without them. */
  readonly optional: ReadonlySet<string>
}

type Target = Record<string, unknown>

/** An object with a property for each place. Setting one checks the value, as `dispatch` does; other properties cannot be added. */
export function uniformValues(memory: UniformMemory, places: readonly UniformPlace[]): Target {
  const all = Object.create(null) as Target
  for (const { name, type, offset, optional } of places) place(all, name, memory, type, offset, name, optional)
  return Object.seal(all)
}

const none: ReadonlySet<string> = new Set()

function define(target: object, name: string | number, get: () => unknown, set: (value: Plain) => void): void {
  Object.defineProperty(target, name, { get, set, enumerable: true, configurable: true })
}

/** Adds a property for what lies at an offset. */
function place(
  target: object,
  name: string | number,
  memory: UniformMemory,
  type: DataType,
  offset: number,
  path: string,
  optional = none,
): void {
  if (type.kind === 'scalar') {
    define(
      target,
      name,
      () => unpack(memory.view, offset, type),
      value => {
        pack(memory.view, offset, type, value, path)
        memory.changes++
      },
    )
    return
  }
  let parts: unknown
  define(
    target,
    name,
    () => (parts ??= partsOf(memory, type, offset, path)),
    value => {
      // Packed beside it first, so that a wrong value changes nothing.
      const packed = memory.bytes.slice(offset, offset + type.size)
      pack(new DataView(packed.buffer), 0, type, value, path, optional)
      memory.bytes.set(packed, offset)
      memory.changes++
    },
  )
}

/** The fields of a struct as an object, or the elements of an array, vector or matrix as a list. */
function partsOf(memory: UniformMemory, type: DataType, offset: number, path: string): unknown {
  switch (type.kind) {
    case 'struct': {
      const fields = Object.create(null) as Target
      for (const f of type.fields) place(fields, f.name, memory, f.type, offset + f.offset, `${path}.${f.name}`)
      return Object.seal(fields)
    }
    case 'array':
      return list(type.count, (all, i) => place(all, i, memory, type.elem, offset + i * type.stride, `${path}[${i}]`))
    case 'vector':
      return lanes(memory, type.scalar, type.count, offset, 4, path)
    case 'matrix': {
      const { scalar, rows, cols, stride } = type
      const [row, lane] = type.columnMajor === true ? [4, stride] : [stride, 4]
      return list(rows, (all, i) => {
        const at = offset + i * row
        const own = `${path}[${i}]`
        let parts: unknown
        define(
          all,
          i,
          () => (parts ??= lanes(memory, scalar, cols, at, lane, own)),
          value => {
            const packed = new DataView(new ArrayBuffer(cols * 4))
            pack(packed, 0, { kind: 'vector', scalar, count: cols, size: cols * 4 }, value, own)
            for (let k = 0; k < cols; k++) memory.view.setUint32(at + k * lane, packed.getUint32(k * 4))
            memory.changes++
          },
        )
      })
    }
    default:
      return undefined
  }
}

function lanes(
  memory: UniformMemory,
  scalar: Extract<DataType, { readonly kind: 'scalar' }>['scalar'],
  count: number,
  offset: number,
  distance: number,
  path: string,
): unknown {
  return list(count, (all, i) =>
    place(all, i, memory, { kind: 'scalar', scalar, size: 4 }, offset + i * distance, `${path}[${i}]`),
  )
}

function list(count: number, add: (all: unknown[], i: number) => void): unknown {
  const all: unknown[] = []
  for (let i = 0; i < count; i++) add(all, i)
  return Object.seal(all)
}
