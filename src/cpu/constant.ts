/** Values of a type with all components zero or one. */
import type { DataType } from '../index.ts'

/** All zeros. */
export function zeroOf(type: DataType): unknown {
  return filled(type, 0)
}

/** All ones. */
export function onesOf(type: DataType): unknown {
  return filled(type, 1)
}

function filled(type: DataType, n: number): unknown {
  switch (type.kind) {
    case 'void':
      return undefined
    case 'scalar':
      return n
    case 'vector':
      return Array.from({ length: type.count }, () => n)
    case 'matrix':
      return Array.from({ length: type.rows }, () => Array.from({ length: type.cols }, () => n))
    case 'array':
      return Array.from({ length: type.count }, () => filled(type.elem, n))
    case 'struct':
      return Object.fromEntries(type.fields.map(f => [f.name, filled(f.type, n)]))
  }
}
