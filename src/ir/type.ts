/** The types of the IR, and how each is differentiated. */
import { handleKind, type SamplerKind, type TextureKind } from '../base/handle.ts'
import type { Func } from './value.ts'

/** Scalars by name; `bool` has no bits of its own in memory. */
export type ScalarName = 'bool' | 'i8' | 'i16' | 'i32' | 'i64' | 'u8' | 'u16' | 'u32' | 'u64' | 'f16' | 'f32' | 'f64'

/** Where a pointer points. `private` is a module-level variable of one invocation. */
export type Space = 'function' | 'private' | 'workgroup' | 'uniform' | 'storage' | 'storage_rw' | 'handle'

/** How memory is laid out (`layout.ts`). */
export type LayoutRule = 'tight' | 'storage' | 'uniform' | 'natural'

export type Kind = 'void' | 'scalar' | 'vec' | 'mat' | 'array' | 'list' | 'struct' | 'ptr' | 'opaque'

export interface Field {
  readonly name: string
  readonly type: Type
}

/** How a struct is differentiated. */
export interface StructDiff {
  /** The differential type; the struct itself where they are the same. */
  readonly type: Type
  /** For each field of the struct, the index of its counterpart in the differential, or -1 where it has none. */
  readonly fields: readonly number[]
  /** User-written `dzero()` and `dadd(a, b)`; undefined where they are field by field. */
  readonly dzero: Func | undefined
  readonly dadd: Func | undefined
  /** Pairs of a field of the struct and a field of the differential, which users must find equal in both halves of a pair. */
  readonly alike?: readonly (readonly [number, number])[]
}

/** The number in a texel's channels, and how many of these the program sees. */
export interface Texel {
  readonly scalar: ScalarName
  readonly lanes: number
}

export type Texture = TextureKind & { readonly texel: Texel }

export type Handle = SamplerKind | Texture

/**
 * An interned IR type: equal types are the same object, so `===` compares. Scalars, vectors and matrices are shared by
 * all compilations; arrays, structs and pointers hang on their element, so nothing outlives the program that made it.
 */
export class Type {
  readonly kind: Kind
  /** The name in IR text; unique within a program. */
  readonly name: string
  /** Scalar name for `scalar`, and the scalar of a `vec` or `mat`; else undefined. */
  readonly scalar: ScalarName | undefined
  /** Element of an array, list or vector, row of a matrix, pointee of a pointer. */
  readonly elem: Type | undefined
  /** Lanes of a vector, rows of a matrix, elements of an array (0: runtime-sized). */
  readonly count: number
  readonly fields: readonly Field[]
  readonly space: Space | undefined
  /** How many scalars it consists of, where an array counts as one of its elements. None take no room in memory. */
  readonly scalars: number
  /** Structs only: filled in by lowering right after creation; null where the struct carries no derivative. */
  diff: StructDiff | null = null
  /** Pointer structs only (`IDifferentiablePtrType`): the type of their shadows, and which field of it belongs to each field. */
  shadow: Pick<StructDiff, 'type' | 'fields'> | null = null
  /**
   * Structs only: the matrix that a struct of one field emulates in memory. The field is the matrix's transpose, so columns lie one
   * after the other.
   */
  columnsOf: Type | null = null
  /** Structs only: of one that holds a value of an interface in memory, the types that it may have. The value begins after 16 bytes. */
  variants: readonly { readonly name: string; readonly tag: number; readonly type: Type }[] | null = null
  /** Opaque types only: the texture or sampler that it is; null where it is none. */
  handle: Handle | null = null
  /** Only of what a buffer holds, runtime-sized arrays and structs that end with one: how it is laid out. */
  rule: LayoutRule = 'storage'
  readonly derived: Map<string, Type> = new Map()

  constructor(
    kind: Kind,
    name: string,
    scalar: ScalarName | undefined,
    elem: Type | undefined,
    count: number,
    fields: readonly Field[],
    space: Space | undefined,
  ) {
    this.kind = kind
    this.name = name
    this.scalar = scalar
    this.elem = elem
    this.count = count
    this.fields = fields
    this.space = space
    this.scalars =
      kind === 'struct'
        ? fields.reduce((sum, f) => sum + f.type.scalars, 0)
        : kind === 'vec' || kind === 'mat'
          ? count * elem!.scalars
          : kind === 'array' || kind === 'list'
            ? elem!.scalars
            : kind === 'scalar'
              ? count
              : 1
  }
}

const noFields: readonly Field[] = []

export const voidType: Type = new Type('void', 'void', undefined, undefined, 0, noFields, undefined)
const scalarOf = (name: ScalarName): Type => new Type('scalar', name, name, undefined, 1, noFields, undefined)
export const bool: Type = scalarOf('bool')
export const i8: Type = scalarOf('i8')
export const i16: Type = scalarOf('i16')
export const i32: Type = scalarOf('i32')
export const i64: Type = scalarOf('i64')
export const u8: Type = scalarOf('u8')
export const u16: Type = scalarOf('u16')
export const u32: Type = scalarOf('u32')
export const u64: Type = scalarOf('u64')
export const f16: Type = scalarOf('f16')
export const f32: Type = scalarOf('f32')
export const f64: Type = scalarOf('f64')
export const scalars: Readonly<Record<ScalarName, Type>> = { bool, i8, i16, i32, i64, u8, u16, u32, u64, f16, f32, f64 }

/** The source's names for scalars that not all targets have. */
const sourceNames: Readonly<Partial<Record<ScalarName, string>>> = {
  f64: 'double',
  f16: 'half',
  i64: 'int64_t',
  u64: 'uint64_t',
  i16: 'int16_t',
  u16: 'uint16_t',
  i8: 'int8_t',
  u8: 'uint8_t',
}

/** Bits of a scalar's values: one of a boolean. */
export function bitsOf(scalar: ScalarName): number {
  return scalar === 'bool' ? 1 : Number(scalar.slice(1))
}

/** What the source calls a scalar. */
export function sourceName(scalar: ScalarName): string {
  return sourceNames[scalar] ?? scalar
}

function derive(base: Type, key: string, make: () => Type): Type {
  let type = base.derived.get(key)
  if (type === undefined) {
    type = make()
    base.derived.set(key, type)
  }
  return type
}

/** A vector of 1 to 4 lanes. */
export function vec(elem: Type, lanes: number): Type {
  return derive(
    elem,
    `x${lanes}`,
    () => new Type('vec', `${elem.name}x${lanes}`, elem.scalar, elem, lanes, noFields, undefined),
  )
}

/** A matrix of `rows` row vectors of `cols` lanes. */
export function mat(elem: Type, rows: number, cols: number): Type {
  return derive(
    elem,
    `x${rows}x${cols}`,
    () => new Type('mat', `${elem.name}x${rows}x${cols}`, elem.scalar, vec(elem, cols), rows, noFields, undefined),
  )
}

/** An array; `count` 0 is runtime-sized and stands behind a storage pointer only, by whose `rule` its elements are laid out. */
export function array(elem: Type, count: number, rule: LayoutRule = 'storage'): Type {
  const own = rule === 'storage' ? '' : `, ${rule}`
  return derive(elem, `[${count}${own}]`, () => {
    const type = new Type('array', `array<${elem.name}, ${count}${own}>`, undefined, elem, count, noFields, undefined)
    type.rule = rule
    return type
  })
}

/**
 * A list: an array without end of which only the first elements are other than zero. Reads past them give zero, and writes past
 * them make it longer. It is a value like any other; only CPU targets have lists.
 */
export function list(elem: Type): Type {
  return derive(elem, '[]', () => new Type('list', `list<${elem.name}>`, undefined, elem, 0, noFields, undefined))
}

export function ptr(space: Space, elem: Type): Type {
  return derive(
    elem,
    `*${space}`,
    () => new Type('ptr', `ptr<${space}, ${elem.name}>`, undefined, elem, 0, noFields, space),
  )
}

/** A new struct type. The caller sees to it that the name is unique within the program. */
export function struct(name: string, fields: readonly Field[]): Type {
  return new Type('struct', name, undefined, undefined, fields.length, fields, undefined)
}

/** Integers of 64 bits as words, where a target that lacks them prints them. */
export const printedWords: Readonly<Record<'i64' | 'u64', Type>> = { i64: words('i64'), u64: words('u64') }

function words(name: ScalarName): Type {
  return struct(name, [
    { name: 'low', type: u32 },
    { name: 'high', type: u32 },
  ])
}

/** A type that a target knows by name. */
export function opaque(name: string): Type {
  return new Type('opaque', name, undefined, undefined, 0, noFields, undefined)
}

/** A texture or sampler, by the library's name for it; `texel` is what a texture holds at each place. */
export function handle(name: string, texel: Texel): Type {
  const kind = handleKind(name)!
  if (kind.is === 'sampler') {
    const type = opaque(name)
    type.handle = kind
    return type
  }
  const type = opaque(`${name}<${texel.scalar}x${texel.lanes}>`)
  type.handle = { ...kind, texel }
  return type
}

/** The texture or sampler that IR text calls so: `Texture2D<f32x4>`; undefined for another opaque type. */
export function handleNamed(text: string): Type | undefined {
  const [, name = '', scalar = 'f32', lanes = '4'] = /^(\w+)(?:<(\w+)x(\d)>)?$/.exec(text) ?? []
  return handleKind(name) === undefined
    ? undefined
    : handle(name, { scalar: scalar as ScalarName, lanes: Number(lanes) })
}

export function isFloat(type: Type): boolean {
  return type.scalar === 'f32' || type.scalar === 'f64' || type.scalar === 'f16'
}

/** Columns of a matrix, lanes of a vector, 1 of a scalar. */
export function lanes(type: Type): number {
  return type.kind === 'mat' ? type.elem!.count : type.kind === 'vec' ? type.count : 1
}

/** True for an integer scalar, or a vector or matrix of one. */
export function isInt(type: Type): boolean {
  return type.scalar !== undefined && type.scalar !== 'bool' && !isFloat(type)
}

export function isSigned(type: Type): boolean {
  return type.scalar !== undefined && type.scalar.charCodeAt(0) === 105
}

/** The type of the same shape with another scalar. */
export function withScalar(type: Type, scalar: Type): Type {
  if (type.kind === 'scalar') return scalar
  if (type.kind === 'vec') return vec(scalar, type.count)
  return mat(scalar, type.count, type.elem!.count)
}

/** Memoises a question about types: structs of structs of structs have more paths than types. */
export function perType<T>(answer: (type: Type) => T): (type: Type) => T {
  const known = new WeakMap<Type, T>()
  return type => {
    let found = known.get(type)
    if (found === undefined) known.set(type, (found = answer(type)))
    return found
  }
}

/** Makes the question whether a type is of one of these kinds, or has such a field or element. */
export function holding(...kinds: readonly Kind[]): (type: Type) => boolean {
  const holds: (type: Type) => boolean = perType(
    ({ kind, elem, fields }) =>
      kinds.includes(kind) ||
      ((kind === 'array' || kind === 'list') && holds(elem!)) ||
      fields.some(f => holds(f.type)),
  )
  return holds
}

/** The component that a computed index selects: past the end, or below zero, the last. */
export function bounded(index: number, count: number): number {
  return index >= 0 && index < count ? index : count - 1
}

/** The type of a component: lane of a vector, row of a matrix, element of an array, field of a struct. */
export function component(type: Type, index: number): Type {
  return type.kind === 'struct' ? type.fields[index]!.type : type.elem!
}

/**
 * The differential of a type, or null if it carries no derivative. A float, and a vector or matrix of floats, is its own
 * differential. An array or list has the array or list of its element's differential. A struct names its differential.
 */
export function differential(type: Type): Type | null {
  switch (type.kind) {
    case 'scalar':
    case 'vec':
    case 'mat':
      return isFloat(type) ? type : null
    case 'array': {
      const elem = differential(type.elem!)
      return elem === null ? null : elem === type.elem ? type : array(elem, type.count)
    }
    case 'list': {
      const elem = differential(type.elem!)
      return elem === null ? null : list(elem)
    }
    case 'struct':
      return type.diff === null ? null : type.diff.type
    default:
      return null
  }
}

/** Whether the type of a parameter and the signature let it carry a derivative. */
export function carries(p: { readonly type: Type; readonly noDiff: boolean }): boolean {
  return !p.noDiff && differential(p.type) !== null
}

/** The type of the shadows of a pointer type (`ad/shadow.ts`), or null for other types: a struct says its own, an array has its element's. */
export function shadowType(type: Type): Type | null {
  if (type.kind === 'struct') return type.shadow === null ? null : type.shadow.type
  if (type.kind !== 'array') return null
  const elem = shadowType(type.elem!)
  return elem === null ? null : array(elem, type.count)
}

/** Whether some parameter is of pointer type. */
export function takePointers(params: readonly { readonly type: Type }[]): boolean {
  return params.some(p => shadowType(p.type) !== null)
}

/** Whether a value of the type holds a pointer, that is a resource. */
export const holdsPointer: (type: Type) => boolean = holding('ptr')

/** How many 32-bit words a value of the type takes. A list counts as a reference. */
export const wordsOf: (type: Type) => number = perType(type => {
  switch (type.kind) {
    case 'scalar':
      return type.scalar === 'f64' || type.scalar === 'i64' || type.scalar === 'u64' ? 2 : 1
    case 'struct':
      return type.fields.reduce((sum, f) => sum + wordsOf(f.type), 0)
    case 'vec':
    case 'mat':
    case 'array':
      return type.count * wordsOf(type.elem!)
    case 'list':
      return 2
    default:
      return 0
  }
})

/** The index of a component's counterpart in the differential, or -1 where the component has none. */
export function tangentIndex(type: Type, index: number): number {
  return type.kind === 'struct' ? (type.diff === null ? -1 : type.diff.fields[index]!) : index
}
