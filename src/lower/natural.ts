/** Where C puts the members of a value, in bytes, but for booleans, which take a word. Nothing is added at the end of a struct. */
import * as t from '../ir/type.ts'
import type { Type } from '../ir/type.ts'

/** Bytes of a scalar: a boolean takes a word. */
export const scalarBytes = (type: Type): number => (type.scalar === 'bool' ? 4 : Number(type.scalar!.slice(1)) / 8)

const upTo = (offset: number, align: number): number => Math.ceil(offset / align) * align

function alignOf(type: Type): number {
  if (type.kind === 'struct') return Math.max(1, ...type.fields.map(f => alignOf(f.type)))
  return type.kind === 'scalar' ? scalarBytes(type) : alignOf(type.elem!)
}

/** The components of a composite value with their offsets, and its size. */
export function parts(type: Type): { readonly offsets: readonly number[]; readonly size: number } {
  let size = 0
  const offsets = Array.from({ length: type.count }, (_, i) => {
    const part = t.component(type, i)
    const at = upTo(size, alignOf(part))
    size = at + bytesOf(part)
    return at
  })
  return { offsets, size }
}

/** Bytes that a value takes. */
export function bytesOf(type: Type): number {
  return type.kind === 'scalar' ? scalarBytes(type) : parts(type).size
}
