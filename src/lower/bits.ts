/** Scalars of 32 and 64 bits as words. A boolean is a word too. */
import type { Fn } from './context.ts'
import * as t from '../ir/type.ts'
import type { Type } from '../ir/type.ts'
import type { Value } from '../ir/value.ts'

/** The words of a scalar, low word first. */
export function toWords({ b }: Fn, value: Value): Value[] {
  switch (value.type.scalar) {
    case 'u32':
      return [value]
    case 'bool':
      return [b.convert(value, t.u32)]
    case 'i64':
    case 'u64':
    case 'f64': {
      const bits = value.type.scalar === 'u64' ? value : b.emit1('bitcast', [value], null, t.u64)
      return [b.convert(bits, t.u32), b.convert(b.emit1('shr', [bits, b.const(t.u64, 32n)]), t.u32)]
    }
    default:
      return [b.emit1('bitcast', [value], null, t.u32)]
  }
}

/** A scalar from its words; `word(i)` gives the `i`-th. */
export function fromWords({ b }: Fn, type: Type, word: (index: number) => Value): Value {
  switch (type.scalar) {
    case 'u32':
      return word(0)
    case 'bool':
      return b.convert(word(0), type)
    case 'i64':
    case 'u64':
    case 'f64': {
      const high = b.emit1('shl', [b.convert(word(1), t.u64), b.const(t.u64, 32n)])
      const bits = b.emit1('or', [high, b.convert(word(0), t.u64)])
      return type.scalar === 'u64' ? bits : b.emit1('bitcast', [bits], null, type)
    }
    default:
      return b.emit1('bitcast', [word(0)], null, type)
  }
}
