/** Typed arrays, which hold the leaves of arrays. */
import type { Mode } from '../../ir/scalar.ts'
import type { ScalarName } from '../../ir/type.ts'

/** The typed array that holds scalars of a type. */
export function arrayClass(scalar: ScalarName, mode: Mode): string {
  switch (scalar) {
    case 'bool':
      return 'Uint8Array'
    case 'i8':
      return 'Int8Array'
    case 'u8':
      return 'Uint8Array'
    case 'i16':
      return 'Int16Array'
    case 'u16':
      return 'Uint16Array'
    case 'i32':
      return 'Int32Array'
    case 'u32':
      return 'Uint32Array'
    case 'i64':
      return 'BigInt64Array'
    case 'u64':
      return 'BigUint64Array'
    case 'f16':
    case 'f32':
      return mode === 'f32' ? 'Float32Array' : 'Float64Array'
    case 'f64':
      return 'Float64Array'
  }
}
