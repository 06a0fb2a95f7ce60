/**
 * Memory layouts of types, by four rules. `tight` is private to a CPU target: every scalar takes 4 or 8 bytes, without further
 * padding. `storage` and `uniform` are the rules of WGSL, so that one buffer serves GPU and CPU. `natural` is that of a value of an
 * interface inside a buffer, of what a pointer leads to, and Slang's `ScalarDataLayout`: members lie where C puts them, and nothing
 * follows the last. `lanes` is `tight` for four threads at once: each scalar is a vector.
 */
import { bitsOf, perType, type LayoutRule, type ScalarName, type Type } from './type.ts'
import type { Global } from './value.ts'

/** Size and place of a type's parts in bytes. */
export interface Layout {
  readonly size: number
  readonly align: number
  /** Distance from one component to the next of an array, list, matrix or vector; 0 for others. */
  readonly stride: number
  /** Offset of each field of a struct; else empty. */
  readonly offsets: readonly number[]
}

/** Bytes of a scalar under a rule; booleans take four in memory. */
export function scalarSize(scalar: ScalarName, rule: Layouts['rule']): number {
  if (rule === 'lanes') return 16
  const bytes = scalar === 'bool' ? 4 : bitsOf(scalar) / 8
  return rule === 'tight' ? Math.max(4, bytes) : bytes
}

/** Layouts under one rule, each computed once. */
export class Layouts {
  readonly rule: LayoutRule | 'lanes'
  readonly #known = new WeakMap<Type, Layout>()

  constructor(rule: Layouts['rule']) {
    this.rule = rule
  }

  of(type: Type): Layout {
    let layout = this.#known.get(type)
    if (layout === undefined) {
      layout = this.#compute(type)
      this.#known.set(type, layout)
    }
    return layout
  }

  #compute(type: Type): Layout {
    // What holds nothing takes no room.
    if (type.scalars === 0) return { size: 0, align: 1, stride: 0, offsets: type.fields.map(() => 0) }
    const packed = this.rule !== 'storage' && this.rule !== 'uniform'
    switch (type.kind) {
      case 'scalar': {
        const size = scalarSize(type.scalar!, this.rule)
        return { size, align: size, stride: 0, offsets: none }
      }
      case 'vec': {
        const one = scalarSize(type.scalar!, this.rule)
        const align = packed ? one : one * (type.count === 1 ? 1 : type.count === 2 ? 2 : 4)
        return { size: one * type.count, align, stride: one, offsets: none }
      }
      case 'mat': {
        const row = this.of(type.elem!)
        // As those of an array, rows begin at multiples of 16 bytes, also where a matrix of WGSL would be shorter.
        if (this.rule === 'uniform' && type.count > 1 && type.elem!.count > 1) {
          const align = roundUp(row.align, 16)
          const stride = roundUp(row.size, align)
          return { size: stride * type.count, align, stride, offsets: none }
        }
        // WGSL has no matrices of one row or column: they are vectors there.
        const stride = packed || type.elem!.count === 1 ? row.size : roundUp(row.size, row.align)
        const align =
          packed || type.elem!.count > 1 ? row.align : row.size * (type.count === 1 ? 1 : type.count === 2 ? 2 : 4)
        return { size: type.count === 1 ? row.size : stride * type.count, align, stride, offsets: none }
      }
      case 'array': {
        const elem = this.of(type.elem!)
        const align = this.rule === 'uniform' ? roundUp(elem.align, 16) : elem.align
        const stride = roundUp(elem.size, align)
        // What follows may begin in the padding of the last element, as in that of a struct.
        const unused = this.rule === 'natural' && type.count > 0 ? stride - elem.size : 0
        return { size: stride * type.count - unused, align, stride, offsets: none }
      }
      // In memory of a CPU: the address of its elements, which lie `stride` bytes apart.
      case 'list':
        return {
          size: 4,
          align: 4,
          stride: roundUp(this.of(type.elem!).size, this.of(type.elem!).align),
          offsets: none,
        }
      case 'struct': {
        const offsets: number[] = []
        let [size, align] = [0, this.rule === 'uniform' ? 16 : 1]
        for (const field of type.fields) {
          const part = this.of(field.type)
          align = Math.max(align, part.align)
          size = roundUp(size, part.align)
          offsets.push(size)
          size += part.size
        }
        return { size: this.rule === 'natural' ? size : roundUp(size, align), align, stride: 0, offsets }
      }
      default:
        return { size: 0, align: 1, stride: 0, offsets: none }
    }
  }
}

const none: readonly number[] = []

/** The layouts under each rule. */
export const layouts: Readonly<Record<LayoutRule, Layouts>> = {
  tight: new Layouts('tight'),
  storage: new Layouts('storage'),
  uniform: new Layouts('uniform'),
  natural: new Layouts('natural'),
}

/** Where the variables of four threads lie that run at once. */
export const laneLayouts: Layouts = new Layouts('lanes')

/** Whether a type lies alike in `storage` and in `natural` memory. */
export const isPacked: (type: Type) => boolean = perType(type => {
  const [one, other] = [layouts.storage.of(type), layouts.natural.of(type)]
  const parts = type.elem === undefined ? type.fields.map(f => f.type) : [type.elem]
  return one.stride === other.stride && one.offsets.every((at, i) => at === other.offsets[i]) && parts.every(isPacked)
})

/** The layouts in a buffer that the host sees. */
export function layoutsOf({ space, declared }: Global): Layouts {
  return layouts[space === 'uniform' ? space : declared.rule]
}

/** Where the elements of what a buffer holds begin, and how far apart they lie; undefined where it holds no array without a length. */
export function elementsIn(
  type: Type,
  layouts: Layouts,
): { readonly offset: number; readonly stride: number } | undefined {
  const { offsets, stride } = layouts.of(type)
  if (type.kind === 'array') return type.count === 0 ? { offset: 0, stride } : undefined
  const last = type.kind === 'struct' ? type.fields.at(-1) : undefined
  const elements = last && elementsIn(last.type, layouts)
  return elements && { ...elements, offset: offsets.at(-1)! + elements.offset }
}

/** The next multiple of `align` that is not less than `n`. */
export function roundUp(n: number, align: number): number {
  return Math.ceil(n / align) * align
}
