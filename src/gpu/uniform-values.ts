/** Uniforms as an object: its properties are places in memory, and remember nothing themselves. */
import { itemsOf, pack, unpack, type Laid, type Plain } from './pack.ts'

/** Contents of uniform buffers, and how often they were changed. */
export interface UniformMemory {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly view: DataView
  changes: number
}

/** A name, and where its value lies. */
export interface UniformPlace {
  readonly name: string
  readonly type: Laid
  readonly offset: number
  /** Fields that keep their value when the whole is set without them. */
  readonly optional: ReadonlySet<string>
}

/** An object with a property for each place. Setting one checks the value, as `dispatch` does; other properties cannot be added. */
export function uniformValues(memory: UniformMemory, places: Iterable<UniformPlace>): object {
  const all = Object.create(null) as object
  for (const { name, type, offset, optional } of places) place(all, name, memory, type, offset, name, optional)
  return Object.seal(all)
}

/** Adds a property for what lies at an offset. */
function place(
  target: object,
  name: string | number,
  memory: UniformMemory,
  type: Laid,
  offset: number,
  path: string,
  optional?: ReadonlySet<string>,
): void {
  const { view, bytes } = memory
  const isScalar = type.kind === 'scalar'
  let parts: unknown
  Object.defineProperty(target, name, {
    get: () => (isScalar ? unpack(view, offset, type) : (parts ??= partsOf(memory, type, offset, path))),
    set: (value: Plain) => {
      if (isScalar) pack(view, offset, type, value, path)
      else {
        // Packed beside it first, so that a wrong value changes nothing.
        const packed = bytes.slice(offset, offset + type.size)
        pack(new DataView(packed.buffer), 0, type, value, path, optional)
        bytes.set(packed, offset)
      }
      memory.changes++
    },
    enumerable: true,
    configurable: true,
  })
}

/** The fields of a struct as an object, or the elements of an array, vector or matrix as a list. */
function partsOf(memory: UniformMemory, type: Laid, offset: number, path: string): unknown {
  switch (type.kind) {
    case 'scalar':
    case 'void':
      return undefined
    case 'struct': {
      const fields = Object.create(null) as object
      for (const f of type.fields) place(fields, f.name, memory, f.type, offset + f.offset, `${path}.${f.name}`)
      return Object.seal(fields)
    }
    default: {
      const { count, type: item, stride } = itemsOf(type)
      const all: unknown[] = []
      for (let i = 0; i < count; i++) place(all, i, memory, item, offset + i * stride, `${path}[${i}]`)
      return Object.seal(all)
    }
  }
}
