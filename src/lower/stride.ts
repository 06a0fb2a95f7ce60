/** Bytes from one element of a structured buffer to the next, for programs that ask. */
import type { Type } from '../ir/type.ts'

interface Extent {
  readonly size: number
  readonly align: number
}

function extent(type: Type): Extent {
  switch (type.kind) {
    case 'scalar': {
      const bits = type.scalar === 'bool' ? 32 : Number(type.scalar!.slice(1))
      return { size: bits / 8, align: bits / 8 }
    }
    case 'vec': {
      const lane = extent(type.elem!).size
      return { size: lane * type.count, align: lane * (type.count === 3 ? 4 : type.count) }
    }
    case 'struct': {
      let [size, align] = [0, 1]
      for (const field of type.fields) {
        const e = extent(field.type)
        size = Math.ceil(size / e.align) * e.align + e.size
        align = Math.max(align, e.align)
      }
      return { size: Math.ceil(size / align) * align, align }
    }
    case 'mat':
    case 'array': {
      const e = extent(type.elem!)
      return { size: Math.ceil(e.size / e.align) * e.align * type.count, align: e.align }
    }
    default:
      return { size: 4, align: 4 }
  }
}

/** Bytes from one element of a structured buffer to the next, as WebGPU lays it out. */
export function bufferStride(elem: Type): number {
  const e = extent(elem)
  return Math.ceil(e.size / e.align) * e.align
}
