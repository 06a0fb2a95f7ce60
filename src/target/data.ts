/**
 * Types as hosts see them: plain data, so that it can be printed as JSON and used without the compiler. Offsets and strides follow
 * one layout rule.
 */
import type { ScalarName, Type } from '../ir/type.ts'
import type { Direction, Func } from '../ir/value.ts'
import { layouts as rules, type Layouts } from '../ir/layout.ts'

/**
 * A type as hosts see it. `size` is in bytes; an array of count 0 is as long as its buffer. `align` stands where the type
 * lies in a buffer that a host fills: its address is a multiple of that.
 */
export type DataType = { readonly align?: number } & Shape

/** The kinds of types. A `stride` is from one element to the next, in bytes. */
type Shape =
  | { readonly kind: 'void'; readonly size: 0 }
  | { readonly kind: 'scalar'; readonly scalar: ScalarName; readonly size: number }
  | { readonly kind: 'vector'; readonly scalar: ScalarName; readonly count: number; readonly size: number }
  /** `stride` is from one row to the next, or from one column to the next where they lie one after the other. */
  | MatrixShape
  | {
      readonly kind: 'array'
      readonly elem: DataType
      readonly count: number
      readonly stride: number
      readonly size: number
    }
  | {
      readonly kind: 'struct'
      readonly name: string
      readonly fields: readonly DataField[]
      readonly size: number
      /** Of a value of an interface in memory: what it may be. */
      readonly variants?: readonly DataVariant[]
    }

/** A matrix. */
export interface MatrixShape {
  readonly kind: 'matrix'
  readonly scalar: ScalarName
  readonly rows: number
  readonly cols: number
  readonly columnMajor?: true
  readonly stride: number
  readonly size: number
}

/** A type that a value of an interface may have. The field `tag` says which, and its members begin at byte 16. */
export interface DataVariant {
  readonly name: string
  readonly tag: number
  readonly type: DataType
}

/** A field of a struct. */
export interface DataField {
  readonly name: string
  readonly type: DataType
  /** Bytes from the start of the struct. */
  readonly offset: number
}

/** A parameter of a function that a host can call. */
export interface DataParam {
  readonly name: string
  readonly dir: Direction
  readonly type: DataType
}

/** The signature of a function that a host can call. */
export interface DataSignature {
  readonly name: string
  readonly params: readonly DataParam[]
  readonly result: DataType
}

/** Descriptions of types for hosts, by layout. */
const described = new WeakMap<Layouts, WeakMap<Type, DataType | undefined>>()

/** Describes a type to a host; undefined for what a host cannot hand over (pointers, textures). */
export function dataType(type: Type, layouts: Layouts): DataType | undefined {
  // Structs of structs of structs have more paths than types.
  const known = described.get(layouts) ?? new WeakMap<Type, DataType | undefined>()
  described.set(layouts, known)
  if (known.has(type)) return known.get(type)
  const shape: ({ align?: number } & Shape) | undefined = shapeOf(type, layouts)
  if (shape !== undefined && layouts.rule !== 'tight') shape.align = layouts.of(type).align
  known.set(type, shape)
  return shape
}

function shapeOf(type: Type, layouts: Layouts): Shape | undefined {
  const size = layouts.of(type).size
  switch (type.kind) {
    case 'void':
      return { kind: 'void', size: 0 }
    case 'scalar':
      return { kind: 'scalar', scalar: type.scalar!, size }
    case 'vec':
      return { kind: 'vector', scalar: type.scalar!, count: type.count, size }
    case 'mat':
      return {
        kind: 'matrix',
        scalar: type.scalar!,
        rows: type.count,
        cols: type.elem!.count,
        stride: layouts.of(type).stride,
        size,
      }
    case 'array': {
      const elem = dataType(type.elem!, layouts)
      return elem && { kind: 'array', elem, count: type.count, stride: layouts.of(type).stride, size }
    }
    case 'struct': {
      if (type.columnsOf !== null)
        return {
          kind: 'matrix',
          scalar: type.columnsOf.scalar!,
          rows: type.columnsOf.count,
          cols: type.columnsOf.elem!.count,
          columnMajor: true,
          stride: layouts.of(type.fields[0]!.type).stride,
          size,
        }
      const fields: DataField[] = []
      for (let i = 0; i < type.fields.length; i++) {
        const field = type.fields[i]!
        const of = dataType(field.type, layouts)
        if (of === undefined) return undefined
        fields.push({ name: field.name, type: of, offset: layouts.of(type).offsets[i]! })
      }
      if (type.variants === null) return { kind: 'struct', name: type.name, fields, size }
      const variants = type.variants.map(v => ({ name: v.name, tag: v.tag, type: dataType(v.type, rules.natural)! }))
      return { kind: 'struct', name: type.name, fields, size, variants }
    }
    default:
      return undefined
  }
}

/** Describes a function to a host; undefined where a type of its signature cannot be handed over. */
export function dataSignature(func: Func, name: string, layouts: Layouts): DataSignature | undefined {
  const params: DataParam[] = []
  for (const p of func.sig.params) {
    const type = dataType(p.type, layouts)
    if (type === undefined) return undefined
    params.push({ name: p.name, dir: p.dir, type })
  }
  const result = dataType(func.sig.result, layouts)
  return result && { name, params, result }
}
