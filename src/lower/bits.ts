/** Values as 32-bit words, for byte-address buffers and `reinterpret`. A boolean is a word too. */
import type { Fn } from './context.ts'
import * as t from '../ir/type.ts'
import type { Type } from '../ir/type.ts'
import type { Value } from '../ir/value.ts'

/** The words of a value, first word first. */
export function toWords(fn: Fn, value: Value): Value[] {
  const { b } = fn
  const type = value.type
  if (type.kind !== 'scalar')
    return Array.from({ length: type.count }, (_, i) => toWords(fn, b.extract(value, i))).flat()
  switch (type.scalar) {
    case 'u32':
      return [value]
    case 'f32':
    case 'i32':
      return [b.emit1('bitcast', [value], null, t.u32)]
    case 'bool':
      return [b.convert(value, t.u32)]
    case 'i64':
    case 'u64':
    case 'f64': {
      const bits = type.scalar === 'u64' ? value : b.emit1('bitcast', [value], null, t.u64)
      return [b.convert(bits, t.u32), b.convert(b.emit1('shr', [bits, b.const(t.u64, 32n)]), t.u32)]
    }
    case 'i8':
    case 'i16':
    case 'u8':
    case 'u16':
      return [b.convert(value, t.u32)]
    default:
      return [unsupported(fn, type, t.u32)]
  }
}

/** A value from its words; `word(i)` gives the `i`-th. */
export function fromWords(fn: Fn, type: Type, word: (index: number) => Value, at = 0): Value {
  const { b } = fn
  if (type.kind !== 'scalar') {
    const parts: Value[] = []
    for (let i = 0, from = at; i < type.count; i++) {
      const part = t.component(type, i)
      parts.push(fromWords(fn, part, word, from))
      from += t.wordsOf(part)
    }
    return b.construct(type, parts)
  }
  switch (type.scalar) {
    case 'u32':
      return word(at)
    case 'f32':
    case 'i32':
      return b.emit1('bitcast', [word(at)], null, type)
    case 'bool':
    case 'i8':
    case 'i16':
    case 'u8':
    case 'u16':
      return b.convert(word(at), type)
    case 'i64':
    case 'u64':
    case 'f64': {
      const high = b.emit1('shl', [b.convert(word(at + 1), t.u64), b.const(t.u64, 32n)])
      const bits = b.emit1('or', [high, b.convert(word(at), t.u64)])
      return type.scalar === 'u64' ? bits : b.emit1('bitcast', [bits], null, type)
    }
    default:
      return unsupported(fn, type, type)
  }
}

function unsupported(fn: Fn, type: Type, result: Type): Value {
  fn.unsupported(`${type.name} as raw bits`)
  return fn.b.zero(result)
}

/** The same bits as another type; missing words are zero. */
export function reinterpret(fn: Fn, value: Value, to: Type): Value {
  const { b } = fn
  if (value.type === to) return value
  const from = value.type
  const sizeOf = (type: Type): string | undefined => (type.kind === 'scalar' ? type.scalar!.slice(1) : undefined)
  if (from.scalar !== 'bool' && sizeOf(from) !== undefined && sizeOf(from) === sizeOf(to))
    return b.emit1('bitcast', [value], null, to)
  const words = toWords(fn, value)
  return fromWords(fn, to, i => words[i] ?? b.const(t.u32, 0))
}
