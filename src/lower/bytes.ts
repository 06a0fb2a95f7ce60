/** Values as bytes, in byte-address buffers and of interfaces: members have the offsets that C gives them, but a boolean takes a word. */
import type { Fn } from './context.ts'
import { layouts, scalarSize } from '../ir/layout.ts'
import * as t from '../ir/type.ts'
import type { Type } from '../ir/type.ts'
import type { Value } from '../ir/value.ts'
import { fromWords, toWords } from './bits.ts'
import { callExternal } from './external.ts'

/** A place in a buffer, by bytes. */
export interface Bytes {
  readonly buffer: Value
  readonly address: Value
}

const scalarBytes = (type: Type): number => scalarSize(type.scalar!, 'natural')

/** Where the components of a composite value begin, in bytes. */
function offsetsOf(type: Type): readonly number[] {
  const { offsets, stride } = layouts.natural.of(type)
  return type.kind === 'struct' ? offsets : Array.from({ length: type.count }, (_, i) => i * stride)
}

/** The pointer to the word at an address, plus an offset in bytes. */
export function wordAt(fn: Fn, { buffer, address }: Bytes, offset = 0): Value {
  const { b } = fn
  const words = (bytes: Value): Value => b.emit1('shr', [bytes, b.const(t.u32, 2)])
  if (offset % 4 !== 0) return b.elem(buffer, words(b.add(address, b.const(t.u32, offset))))
  return b.elem(buffer, offset === 0 ? words(address) : b.add(words(address), b.const(t.u32, offset / 4)))
}

/** Where the words of a value come from, and how far up in its word a part begins, by offsets in bytes. */
interface Words {
  readonly word: (offset: number) => Value
  readonly shift: (offset: number, bytes: number) => Value
}

/** Reads a value. */
export function loadBytes(fn: Fn, type: Type, from: Bytes): Value {
  return readFrom(fn, type, 0, {
    word: offset => fn.b.load(wordAt(fn, from, offset)),
    shift: (offset, bytes) => shiftOf(fn, from, offset, bytes),
  })
}

/** The value that words hold; where there are too few, zero. */
export function fromBytes(fn: Fn, type: Type, words: readonly Value[]): Value {
  const { b } = fn
  return readFrom(fn, type, 0, {
    word: offset => words[Math.floor(offset / 4)] ?? b.const(t.u32, 0),
    shift: offset => b.const(t.u32, (offset % 4) * 8),
  })
}

/** The words of a value: those that only hold padding are absent. */
export function toBytes(fn: Fn, value: Value): Value[] {
  const words: Value[] = []
  const write = (part: Value, offset: number): void => {
    const { type } = part
    const at = Math.floor(offset / 4)
    if (type.kind !== 'scalar')
      offsetsOf(type).forEach((own, i) => {
        write(fn.b.extract(part, i), offset + own)
      })
    else if (scalarBytes(type) >= 4)
      toWords(fn, part).forEach((word, i) => {
        words[at + i] = word
      })
    else {
      const mask = fn.b.const(t.u32, 2 ** (8 * scalarBytes(type)) - 1)
      const bits = fn.b.emit1('and', [halfBits(fn, part), mask])
      const moved = fn.b.emit1('shl', [bits, fn.b.const(t.u32, (offset % 4) * 8)])
      words[at] = words[at] === undefined ? moved : fn.b.emit1('or', [words[at], moved])
    }
  }
  write(value, 0)
  return words
}

function readFrom(fn: Fn, type: Type, offset: number, from: Words): Value {
  const { b } = fn
  if (type.kind === 'ptr') {
    fn.unsupported('a resource as raw bits')
    return b.emit1('undef', [], null, type)
  }
  if (type.kind !== 'scalar')
    return b.construct(
      type,
      offsetsOf(type).map((own, i) => readFrom(fn, t.component(type, i), offset + own, from)),
    )
  const bytes = scalarBytes(type)
  if (bytes >= 4) return fromWords(fn, type, i => from.word(offset + 4 * i))
  const bits = b.emit1('and', [
    b.emit1('shr', [from.word(offset), from.shift(offset, bytes)]),
    b.const(t.u32, 2 ** (8 * bytes) - 1),
  ])
  if (type.scalar !== 'f16') return b.convert(bits, type)
  if (fn.cx.target.halfBits) return b.emit1('bitcast', [b.convert(bits, t.u16)], null, type)
  return b.convert(b.extract(callExternal(fn, 'unpack2x16float', [bits], t.vec(t.f32, 2), true)!, 0), type)
}

/** Writes a value. It leaves the other bytes of a word as they are, even if another thread writes them at the same time. */
export function storeBytes(fn: Fn, value: Value, to: Bytes, offset = 0): void {
  const { b } = fn
  const { type } = value
  if (type.kind !== 'scalar') {
    offsetsOf(type).forEach((own, i) => {
      storeBytes(fn, b.extract(value, i), to, offset + own)
    })
    return
  }
  const bytes = scalarBytes(type)
  if (bytes >= 4) {
    toWords(fn, value).forEach((word, i) => {
      b.store(wordAt(fn, to, offset + 4 * i), word)
    })
    return
  }
  const shift = shiftOf(fn, to, offset, bytes)
  const mask = b.const(t.u32, 2 ** (8 * bytes) - 1)
  const bits = b.emit1('and', [halfBits(fn, value), mask])
  b.emit1('atomic', [wordAt(fn, to, offset), b.emit1('not', [b.emit1('shl', [mask, shift])])], 'and', t.u32)
  b.emit1('atomic', [wordAt(fn, to, offset), b.emit1('shl', [bits, shift])], 'or', t.u32)
}

function halfBits(fn: Fn, value: Value): Value {
  const { b } = fn
  if (value.type.scalar !== 'f16') return b.convert(value, t.u32)
  if (fn.cx.target.halfBits) return b.convert(b.emit1('bitcast', [value], null, t.u16), t.u32)
  return callExternal(
    fn,
    'pack2x16float',
    [b.construct(t.vec(t.f32, 2), [b.convert(value, t.f32), b.const(t.f32, 0)])],
    t.u32,
    true,
  )!
}

/** How far up in its word a part begins. */
function shiftOf(fn: Fn, { address }: Bytes, offset: number, bytes: number): Value {
  const { b } = fn
  const at = offset === 0 ? address : b.add(address, b.const(t.u32, offset))
  return b.emit1('shl', [b.emit1('and', [at, b.const(t.u32, 4 - bytes)]), b.const(t.u32, 3)])
}
