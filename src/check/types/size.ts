/** `sizeof` and `alignof`: the natural layout, without padding at the end. */
import { put, substFor } from './conform.ts'
import type { Cx } from '../model/context.ts'
import { enumTag } from './enum.ts'
import { fieldSigs } from './signature.ts'
import { known, type Type } from '../model/type.ts'

interface Size {
  readonly size: number
  readonly align: number
}

const upTo = (size: number, align: number): number => Math.ceil(size / align) * align

/** Size and alignment of a type in bytes; null if it has none, or none that is independent of the target. */
export function byteSize(cx: Cx, type: Type, structs: Map<string, Size | null> = new Map()): Size | null {
  switch (type.kind) {
    case 'void':
      return { size: 0, align: 1 }
    case 'scalar': {
      const n = type.name === 'bool' ? 1 : Number(type.name.slice(1)) / 8
      return { size: n, align: n }
    }
    case 'vector':
      return times(byteSize(cx, type.elem), known(type.count))
    case 'matrix':
      return times(times(byteSize(cx, type.elem), known(type.cols)), known(type.rows))
    case 'array':
      return times(byteSize(cx, type.elem, structs), known(type.count))
    case 'enum':
      return byteSize(cx, enumTag(cx, type.decl))
    case 'struct': {
      const { intrinsic } = type.decl
      if (intrinsic === 'nullptr') return { size: 8, align: 8 }
      if (intrinsic !== null && !plain.has(intrinsic)) return null
      const old = structs.get(type.key)
      if (old !== undefined) return old
      // One that contains itself has none.
      structs.set(type.key, null)
      const subst = substFor(type.decl, type.args, null)
      let size = 0
      let align = 1
      for (const f of fieldSigs(cx, type.decl)) {
        const part = byteSize(cx, put(cx, f.type, subst), structs)
        if (part === null) return null
        size = upTo(size, part.align) + part.size
        align = Math.max(align, part.align)
      }
      const made = { size, align }
      structs.set(type.key, made)
      return made
    }
    default:
      return null
  }
}

/** Whether a type that has a size holds a boolean, which takes a byte there and a word where bits are reinterpreted. */
export function holdsBoolean(cx: Cx, type: Type): boolean {
  switch (type.kind) {
    case 'scalar':
      return type.name === 'bool'
    case 'vector':
    case 'matrix':
    case 'array':
      return holdsBoolean(cx, type.elem)
    case 'struct': {
      const subst = substFor(type.decl, type.args, null)
      return fieldSigs(cx, type.decl).some(f => holdsBoolean(cx, put(cx, f.type, subst)))
    }
    default:
      return false
  }
}

/** Types of the library that are structs of what they hold. */
const plain: ReadonlySet<string> = new Set(['Tuple', 'Optional', 'Conditional', 'DifferentialPair'])

/** So many of one size, one after the other. */
function times(elem: Size | null, count: number | null): Size | null {
  return elem === null || count === null
    ? null
    : count === 0
      ? { size: 0, align: 1 }
      : { size: upTo(elem.size, elem.align) * (count - 1) + elem.size, align: elem.align }
}
