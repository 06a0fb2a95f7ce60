/** Values in byte-address buffers: members have the offsets that C gives them, but a boolean takes a word. */
import type { Fn } from './context.ts'
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

/** The pointer to the word at an address, plus an offset in bytes. */
export function wordAt(fn: Fn, { buffer, address }: Bytes, offset = 0): Value {
  const { b } = fn
  const words = (bytes: Value): Value => b.emit1('shr', [bytes, b.const(t.u32, 2)])
  if (offset % 4 !== 0) return b.elem(buffer, words(b.add(address, b.const(t.u32, offset))))
  return b.elem(buffer, offset === 0 ? words(address) : b.add(words(address), b.const(t.u32, offset / 4)))
}

const scalarBytes = (type: Type): number => (type.scalar === 'bool' ? 4 : Number(type.scalar!.slice(1)) / 8)

const upTo = (offset: number, align: number): number => Math.ceil(offset / align) * align

function alignOf(type: Type): number {
  if (type.kind === 'struct') return Math.max(1, ...type.fields.map(f => alignOf(f.type)))
  return type.kind === 'scalar' ? scalarBytes(type) : alignOf(type.elem!)
}

/** The components of a composite value with their offsets, and its size. */
function parts(type: Type): { readonly offsets: readonly number[]; readonly size: number } {
  let size = 0
  const offsets = Array.from({ length: type.count }, (_, i) => {
    const part = t.component(type, i)
    const at = upTo(size, alignOf(part))
    size = at + bytesOf(part)
    return at
  })
  return { offsets, size }
}

function bytesOf(type: Type): number {
  return type.kind === 'scalar' ? scalarBytes(type) : parts(type).size
}

/** Reads a value. */
export function loadBytes(fn: Fn, type: Type, from: Bytes, offset = 0): Value {
  const { b } = fn
  if (type.kind !== 'scalar')
    return b.construct(
      type,
      parts(type).offsets.map((own, i) => loadBytes(fn, t.component(type, i), from, offset + own)),
    )
  const bytes = scalarBytes(type)
  if (bytes >= 4) return fromWords(fn, type, i => b.load(wordAt(fn, from, offset + 4 * i)))
  const bits = b.emit1('and', [
    b.emit1('shr', [b.load(wordAt(fn, from, offset)), shiftOf(fn, from, offset, bytes)]),
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
    parts(type).offsets.forEach((own, i) => {
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
