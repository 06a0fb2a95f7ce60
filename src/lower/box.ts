/**
 * Values of interfaces in memory that hosts share, laid out as Slang does: a type, which nothing reads; the tag; and room for a value of any
 * conforming type, with its members at the offsets that C gives them.
 *
 *   struct IShape { uint2 rtti, tag; uint value_0, value_1 … }
 *
 * Structs and arrays that hold such values get types for memory too. Reading gives the values that programs compute with (`dispatch.ts`).
 */
import type { Fn } from './context.ts'
import * as t from '../ir/type.ts'
import type { Type } from '../ir/type.ts'
import type { Value } from '../ir/value.ts'
import { header, tagAt } from './boxes.ts'
import { fromBytes, toBytes } from './bytes.ts'
import { cases } from './flow.ts'

/** What a pointer points to, as a value. */
export function loaded(fn: Fn, pointer: Value): Value {
  return unboxed(fn, fn.b.load(pointer))
}

/** What lies in memory that hosts share as a value. */
export function unboxed(fn: Fn, value: Value): Value {
  const { b } = fn
  const type = fn.cx.boxes.valueType(value.type)
  if (type === value.type) return value
  if (value.type.variants === null)
    return b.construct(
      type,
      Array.from({ length: type.count }, (_, i) => unboxed(fn, b.extract(value, i))),
    )
  const words = value.type.fields.slice(header.length).map((_, i) => b.extract(value, header.length + i))
  return unpacked(fn, b.extract(b.extract(value, tagAt), 0), words, type)
}

/** A value of an interface, made of a tag and words. Each variant's part is made of the same words. */
export function unpacked(fn: Fn, tag: Value, words: readonly Value[], type: Type): Value {
  return fn.b.construct(
    type,
    type.fields.map((f, i) => (i === 0 ? tag : ofWords(fn, words, f.type))),
  )
}

/** A value as it lies in memory of that type. */
export function boxed(fn: Fn, value: Value, form: Type): Value {
  const { b } = fn
  if (form === value.type || fn.cx.boxes.valueType(form) !== value.type) return value
  if (form.variants === null)
    return b.construct(
      form,
      Array.from({ length: form.count }, (_, i) => boxed(fn, b.extract(value, i), t.component(form, i))),
    )
  const iface = fn.cx.interfaceOf(value.type)!
  const variants = fn.cx.variants.of(fn.cx, iface).slice(0, value.type.count - 1)
  const zero = b.const(t.u32, 0)
  const none = b.zero(form.fields[0]!.type)
  const tag = b.construct(none.type, [b.extract(value, 0), zero])
  const out = b.variable(form)
  const put = (words: readonly Value[]): Value =>
    b.construct(
      form,
      form.fields.map((_, i) => (i === tagAt ? tag : i < tagAt ? none : (words[i - header.length] ?? zero))),
    )
  b.store(out, put([]))
  cases(b, value, variants, fn.left, i => {
    b.store(out, put(wordsOf(fn, b.extract(value, i + 1))))
  })
  return b.load(out)
}

/** The words of a value: those that only hold padding are absent. */
export function wordsOf(fn: Fn, value: Value): Value[] {
  return toBytes(fn, boxed(fn, value, fn.cx.boxes.form(value.type)))
}

/** The value that words hold; where there are too few, zero. */
function ofWords(fn: Fn, words: readonly Value[], type: Type): Value {
  return unboxed(fn, fromBytes(fn, fn.cx.boxes.form(type), words))
}

/** The same bits as another type; missing words are zero. */
export function reinterpret(fn: Fn, value: Value, to: Type): Value {
  const from = value.type
  if (from === to) return value
  const sizeOf = (type: Type): string | undefined => (type.kind === 'scalar' ? type.scalar!.slice(1) : undefined)
  if (from.scalar !== 'bool' && sizeOf(from) !== undefined && sizeOf(from) === sizeOf(to))
    return fn.b.emit1('bitcast', [value], null, to)
  return ofWords(fn, wordsOf(fn, value), to)
}
