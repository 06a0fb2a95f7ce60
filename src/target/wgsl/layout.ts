/**
 * The layout of memory that host and shader share. A `Stored` is the type of a value in memory, where that differs from the value's
 * type. Booleans are `u32`, and memory that atomics access is `atomic<…>`. In uniform buffers elements and nested structs begin at
 * multiples of 16 bytes, so short elements are wrapped in a struct of one field.
 */
import { layouts as rules, roundUp, type Layout } from '../../ir/layout.ts'
import * as t from '../../ir/type.ts'
import type { LayoutRule, Type } from '../../ir/type.ts'

/** How a value lies in memory. */
export interface Stored {
  /** The type in memory. */
  readonly type: Type
  /** The type that the shader computes with. */
  readonly value: Type
  /** True if both are the same type, so that loads and stores need no conversion. */
  readonly plain: boolean
  /** True for a scalar that atomics touch. */
  readonly atomic: boolean
  /** True where each element of an array sits in a struct of one field. */
  readonly wrapped: boolean
  /** Of a struct, its fields; of an array, vector or matrix, its element alone. */
  readonly parts: readonly Stored[]
  /** Of a struct without some fields in memory, which member each field is: -1 for those that are left out. */
  readonly members?: readonly number[]
}

/** Which places below a type atomics touch. */
export interface AtomicParts {
  self: boolean
  /** By field; of arrays and vectors the element, at 0. */
  readonly parts: Map<number, AtomicParts>
}

/** No atomics yet. */
export function noAtomicParts(): AtomicParts {
  return { self: false, parts: new Map() }
}

const atomicU32: Type = t.opaque('atomic<u32>')
const atomicI32: Type = t.opaque('atomic<i32>')

/** Size and alignment in bytes. */
export interface Extent {
  readonly size: number
  readonly align: number
}

/** The layout that the host sees. */
function hostLayout(type: Type, kind: LayoutRule | 'workgroup'): Layout {
  return rules[kind === 'workgroup' ? 'storage' : kind].of(type)
}

/** What in `natural` memory has the next member in the padding at its end. WGSL gives a struct all of its padding. */
export const filled: (type: Type) => Type | undefined = t.perType(type => {
  const { offsets } = rules.natural.of(type)
  let found = type.elem && filled(type.elem)
  type.fields.forEach((f, i) => {
    const { size, align } = rules.natural.of(f.type)
    found ??= offsets[i + 1]! < offsets[i]! + roundUp(size, align) ? f.type : filled(f.type)
  })
  return found
})

/** A type that lies in memory as it is. */
const alike = (type: Type, parts: readonly Stored[]): Stored => ({
  type,
  value: type,
  plain: true,
  atomic: false,
  wrapped: false,
  parts,
})

/** Makes stored types for one module, and knows the alignments that their members are declared with. */
export class Layouts {
  readonly #memo = new Map<string, Map<Type, Stored>>()
  /** `@align` of the members of structs made here; 0 where there is none. */
  readonly memberAlign: Map<Type, readonly number[]> = new Map()

  /** The stored type of a variable that the host does not see. */
  local(type: Type): Stored {
    return this.#memoised('local', type, () =>
      alike(
        type,
        this.#partTypes(type).map(p => this.local(p)),
      ),
    )
  }

  /** The stored type in memory of the given kind; `atomics` says where atomics access it. */
  stored(type: Type, kind: LayoutRule | 'workgroup', atomics?: AtomicParts): Stored {
    if (atomics !== undefined && (atomics.self || atomics.parts.size > 0)) return this.#make(type, kind, atomics)
    return this.#memoised(kind, type, () => this.#make(type, kind, undefined))
  }

  #memoised(key: string, type: Type, make: () => Stored): Stored {
    let table = this.#memo.get(key)
    if (table === undefined) this.#memo.set(key, (table = new Map<Type, Stored>()))
    let stored = table.get(type)
    if (stored === undefined) table.set(type, (stored = make()))
    return stored
  }

  #partTypes(type: Type): readonly Type[] {
    return type.kind === 'struct' ? type.fields.map(f => f.type) : type.elem === undefined ? [] : [type.elem]
  }

  #make(type: Type, kind: LayoutRule | 'workgroup', atomics: AtomicParts | undefined): Stored {
    switch (type.kind) {
      case 'scalar':
        return this.#scalar(type, kind, atomics)
      case 'vec':
        return this.#vector(type, kind, atomics)
      case 'mat':
        // One whose elements atomics touch is an array of its rows, and one whose rows lie closer or farther than WGSL's.
        if (atomics !== undefined || this.extent(type).align !== hostLayout(type, kind).align)
          return this.#array(type, kind, atomics)
        return alike(type, [this.stored(type.elem!, kind)])
      case 'array':
        return this.#array(type, kind, atomics)
      case 'struct':
        return this.#struct(type, kind, atomics)
      default:
        return this.local(type)
    }
  }

  #scalar(type: Type, kind: LayoutRule | 'workgroup', atomics: AtomicParts | undefined): Stored {
    if (atomics?.self === true)
      return { ...alike(type, []), type: type.scalar === 'i32' ? atomicI32 : atomicU32, plain: false, atomic: true }
    return type.scalar === 'bool' && kind !== 'workgroup'
      ? { ...alike(type, []), type: t.u32, plain: false }
      : alike(type, [])
  }

  #vector(type: Type, kind: LayoutRule | 'workgroup', atomics: AtomicParts | undefined): Stored {
    const lane = this.stored(type.elem!, kind, atomics?.parts.get(0))
    const apart = lane.atomic || kind === 'natural'
    if (lane.plain && !apart) return alike(type, [lane])
    const stored = apart ? t.array(lane.type, type.count) : t.withScalar(type, lane.type)
    return { ...alike(type, [lane]), type: stored, plain: false }
  }

  #array(type: Type, kind: LayoutRule | 'workgroup', atomics: AtomicParts | undefined): Stored {
    let part = this.stored(type.elem!, kind, atomics?.parts.get(0))
    if (kind === 'uniform' && part.type.kind === 'struct') part = this.#aligned(part)
    // Three atomic lanes take less room than the vector, whose place the next element keeps.
    const { stride, align } = hostLayout(type, kind)
    const wrapped = this.#stride(part.type) !== stride
    const elem = wrapped ? this.#wrapper(part.type, align) : part.type
    const plain = part.plain && !wrapped && elem === type.elem
    return plain ? alike(type, [part]) : { ...alike(type, [part]), type: t.array(elem, type.count), plain, wrapped }
  }

  #struct(type: Type, kind: LayoutRule | 'workgroup', atomics: AtomicParts | undefined): Stored {
    let parts = type.fields.map((f, i) => this.stored(f.type, kind, atomics?.parts.get(i)))
    if (kind === 'uniform') parts = parts.map(p => (p.type.kind === 'struct' ? this.#aligned(p) : p))
    const aligns = parts.map((p, i) => {
      const own = this.extent(p.type).align
      // An array of atomic lanes keeps the place that the vector had.
      const { align } = hostLayout(type.fields[i]!.type, kind)
      if (own < align) return align
      // WGSL gives a member the alignment of its type, declared ones within it included. naga forgets those, so they are said again.
      return this.#declares(p.type) ? own : 0
    })
    const same = parts.every((p, i) => p.plain && p.type === type.fields[i]!.type) && aligns.every(a => a === 0)
    const kept = type.fields.map((_, i) => i).filter(i => type.fields[i]!.type.scalars > 0)
    // WGSL has no struct without members.
    const all = kept.length === type.count || kept.length === 0 || kind === 'workgroup'
    if (same && all) return alike(type, parts)
    const stored = t.struct(
      `${type.name}_${kind}`,
      type.fields.map((f, i) => ({ name: f.name, type: parts[i]!.type })).filter((_, i) => all || kept.includes(i)),
    )
    this.memberAlign.set(stored, all ? aligns : kept.map(i => aligns[i]!))
    const made = { ...alike(type, parts), type: stored, plain: false }
    return all ? made : { ...made, members: type.fields.map((_, i) => kept.indexOf(i)) }
  }

  /** Whether a type has an alignment that was declared, rather than its parts' own. */
  #declares(type: Type): boolean {
    if (type.kind === 'array') return this.#declares(type.elem!)
    return (
      type.kind === 'struct' &&
      (this.memberAlign.get(type)?.some(a => a > 0) === true || type.fields.some(f => this.#declares(f.type)))
    )
  }

  /** The same struct, beginning and ending at multiples of 16 bytes. */
  #aligned(part: Stored): Stored {
    if (this.extent(part.type).align >= 16) return part
    return this.#memoised('aligned', part.type, () => {
      const stored = t.struct(part.plain ? `${part.value.name}_uniform` : part.type.name, part.type.fields)
      const aligns = [...(this.memberAlign.get(part.type) ?? part.type.fields.map(() => 0))]
      aligns[0] = 16
      this.memberAlign.set(stored, aligns)
      return { ...part, type: stored, plain: false }
    })
  }

  readonly #wrappers = new Map<Type, Type>()

  #stride(type: Type): number {
    const { size, align } = this.extent(type)
    return roundUp(size, align)
  }

  #wrapper(elem: Type, align: number): Type {
    let type = this.#wrappers.get(elem)
    if (type === undefined) {
      type = t.struct(`${elem.name}_slot`, [{ name: 'value', type: elem }])
      this.memberAlign.set(type, [align])
      this.#wrappers.set(elem, type)
    }
    return type
  }

  /** Size and alignment of a type in memory. A runtime-sized array has size 0. */
  extent(type: Type): Extent {
    switch (type.kind) {
      case 'scalar':
        if (type.scalars === 0) return { size: 0, align: 1 }
        return type.scalar === 'f16' ? { size: 2, align: 2 } : { size: 4, align: 4 }
      case 'vec': {
        const lane = this.extent(type.elem!).size
        return { size: lane * type.count, align: lane * (type.count === 2 ? 2 : 4) }
      }
      case 'mat':
      case 'array': {
        const elem = this.extent(type.elem!)
        return { size: roundUp(elem.size, elem.align) * type.count, align: elem.align }
      }
      case 'struct':
        return this.#fields(type)
      default:
        return { size: 4, align: 4 }
    }
  }

  /** Where the fields of a struct in memory begin, in bytes. */
  offsets(type: Type): readonly number[] {
    return this.#fields(type).offsets
  }

  readonly #structs = new Map<Type, Extent & { readonly offsets: readonly number[] }>()

  #fields(type: Type): Extent & { readonly offsets: readonly number[] } {
    let known = this.#structs.get(type)
    if (known === undefined) {
      const offsets: number[] = []
      const aligns = this.memberAlign.get(type)
      let [at, align] = [0, 1]
      for (let i = 0; i < type.count; i++) {
        const e = this.extent(type.fields[i]!.type)
        const own = Math.max(e.align, aligns?.[i] ?? 0)
        at = roundUp(at, own)
        offsets.push(at)
        at += e.size
        align = Math.max(align, own)
      }
      this.#structs.set(type, (known = { size: roundUp(at, align), align, offsets }))
    }
    return known
  }
}
