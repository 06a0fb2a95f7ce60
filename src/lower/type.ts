/**
 * Source types as IR types. A struct instance becomes one IR struct with a name that is unique in the program. A resource becomes a
 * pointer to its contents, and an enum its tag.
 */
import { handleType } from './handle.ts'
import { InternalError, type Sink } from '../base/diag.ts'
import { resourceInBuffer, unknownNumber, unsizedArray, unsupportedHere } from '../base/errors/lower.ts'
import { arrayTooLarge, badArraySize, badVectorSize } from '../base/errors/types.ts'
import type { CheckedProgram } from '../check/model/tree.ts'
import type { FuncRef } from '../check/model/func-ref.ts'
import * as s from '../check/model/type.ts'
import { isPacked } from '../ir/layout.ts'
import * as t from '../ir/type.ts'
import type { Func, Module } from '../ir/value.ts'
import { columnsType } from './columns.ts'
import type { Names } from './names.ts'
import type { Reach } from './reach.ts'

/** Lowers types, each once. */
export class Types {
  readonly #program: CheckedProgram
  readonly #module: Module
  readonly #names: Names
  readonly #sink: Sink
  readonly #instance: (ref: FuncRef) => Func
  readonly #sum: (iface: s.InterfaceType) => t.Type
  readonly #stand: (type: s.StructType) => s.StructType | undefined
  readonly #form: (type: t.Type) => t.Type
  readonly #reach: Reach
  readonly #known = new Map<string, t.Type>()
  readonly #handles = new Map<string, t.Type>()
  readonly #columns = new Map<t.Type, t.Type>()
  readonly #sources = new Map<t.Type, s.StructType>()

  constructor(
    program: CheckedProgram,
    module: Module,
    names: Names,
    sink: Sink,
    instance: (ref: FuncRef) => Func,
    sum: (iface: s.InterfaceType) => t.Type,
    stand: (type: s.StructType) => s.StructType | undefined,
    form: (type: t.Type) => t.Type,
    reach: Reach,
  ) {
    this.#reach = reach
    this.#stand = stand
    this.#form = form
    this.#sum = sum
    this.#program = program
    this.#module = module
    this.#names = names
    this.#sink = sink
    this.#instance = instance
  }

  /** The IR type of a concrete source type. */
  of(type: s.Type): t.Type {
    switch (type.kind) {
      case 'void':
        return t.voidType
      case 'scalar':
        return t.scalars[type.name]
      case 'string':
        return t.u32
      case 'enum':
        return this.of(this.#program.enumTag(type))
      case 'vector':
        return type.elem.kind === 'vector'
          ? t.array(this.of(type.elem), this.#side(type.count))
          : t.vec(this.#lane(type), this.#side(type.count))
      case 'matrix':
        return t.mat(this.#lane(type), this.#side(type.rows), this.#side(type.cols))
      case 'array': {
        if (type.count !== null) {
          const n = this.number(type.count)
          return n === 0 ? this.#nothing(type) : t.array(this.part(type.elem), this.#length(n))
        }
        this.#sink.add(unsizedArray, this.#reach.outside() ?? this.#reach.here(), { type: s.show(type) })
        return t.array(this.part(type.elem), 1)
      }
      case 'struct': {
        const known = this.#known.get(type.key)
        return known ?? this.#struct(type)
      }
      case 'interface':
        return this.#sum(type)
      case 'assoc': {
        // Of a value of interface type: the differentials of all that it may be.
        const diff =
          type.base.kind === 'interface' && type.decl.name === 'Differential'
            ? t.differential(this.#sum(type.base))
            : null
        if (diff === null) throw new InternalError('lower', `${s.show(type)} is no concrete type`)
        return diff
      }
      case 'func':
        this.#sink.add(unsupportedHere, this.#reach.here(), { what: `a value of type ${s.show(type)}` })
        return t.i32
      case 'error':
        this.#reach.refuse(type.lack)
        // Without a mistake so far it is what an associated type without interfaces is at run time.
        if (this.#sink.errors === 0)
          this.#sink.add(unsupportedHere, this.#reach.here(), {
            what: 'a value of an associated type of which nothing is known',
          })
        return t.i32
      default:
        throw new InternalError('lower', `${s.show(type)} is no concrete type`)
    }
  }

  /** The IR type of a part of a struct, an array or a buffer, where a matrix may be column-major. */
  part(type: s.Type): t.Type {
    const made = this.of(type)
    if (
      type.kind !== 'matrix' ||
      type.turned === this.#program.columnMajor ||
      made.count === 1 ||
      made.elem!.count === 1
    )
      return made
    let columns = this.#columns.get(made)
    if (columns === undefined) {
      columns = columnsType(this.#names.unique(`${typeName(type)}_columns`), made)
      this.#columns.set(made, columns)
      this.#module.structs.push(columns)
    }
    return columns
  }

  /** What a pointer leads to: elements, or one struct that ends with an array without a length. */
  #pointees(type: s.Type): t.Type {
    const fields = type.kind === 'struct' ? this.#program.fields(type) : []
    const last = fields.at(-1)
    if (last?.type.kind !== 'array' || last.type.count !== null) return this.#elements(type, 'natural')
    const { elem } = last.type
    const made = t.struct(
      this.#names.unique(typeName(type)),
      fields.map(f => ({ name: f.name, type: f === last ? this.#elements(elem) : this.part(f.type) })),
    )
    this.#module.structs.push(made)
    const formed = this.#form(made)
    if (!isPacked(formed)) formed.rule = 'natural'
    return formed
  }

  /** The rule that a data layout of Slang names; undefined for the usual one. */
  #rule(layout: s.GenericArg | undefined): t.LayoutRule | undefined {
    if (layout === undefined) return undefined
    if (layout.kind === 'struct' && layout.decl.module.isCore)
      return (layout.decl.intrinsic ?? undefined) as t.LayoutRule | undefined
    this.#reach.refuse({ span: this.#reach.here()!, feature: 'a buffer layout of your own' })
    return undefined
  }

  /** Elements of a buffer. Where two rules say the same there is one type, so that a pointer leads to either. */
  #elements(type: s.Type, rule?: t.LayoutRule): t.Type {
    const made = this.part(type)
    if (t.holdsPointer(made)) this.#sink.add(resourceInBuffer, this.#reach.here(), { type: s.show(type) })
    const stored = t.array(this.#form(made), 0)
    return rule === 'natural' && isPacked(stored) ? stored : t.array(stored.elem!, 0, rule)
  }

  /** The number that an integer of a concrete type is. */
  number(value: s.Int | null): number {
    const n = s.known(value)
    if (n === null)
      this.#sink.add(unknownNumber, this.#reach.here(), { value: value === null ? 'a length' : s.show(value) })
    return n ?? 1
  }

  /** Elements of an array; generic arguments may ask for too few or too many. */
  #length(n: number): number {
    if (n > 0 && n <= s.maxElements) return n
    if (n < 0) this.#sink.add(badArraySize, this.#reach.here(), {})
    else this.#sink.add(arrayTooLarge, this.#reach.here(), { count: n, limit: s.maxElements })
    return 1
  }

  /** The element type of a vector or matrix; generic arguments may make it something else than a number. */
  #lane(type: s.VectorType | s.MatrixType): t.Type {
    if (type.elem.kind !== 'scalar')
      this.#sink.add(unsupportedHere, this.#reach.here(), { what: `a value of type ${s.show(type)}` })
    return this.of(type.elem)
  }

  /** Lanes, rows or columns; generic arguments may ask for more than there are. */
  #side(count: s.Int): number {
    const n = this.number(count)
    if (n < 1 || n > 4) this.#sink.add(badVectorSize, this.#reach.here(), { count: n })
    return n
  }

  /** A pointer to the texture or sampler; equal ones are one type. */
  #handle(handle: t.Type): t.Type {
    let type = this.#handles.get(handle.name)
    if (type === undefined) {
      type = t.ptr('handle', handle)
      this.#handles.set(handle.name, type)
    }
    return type
  }

  /** The source type of an IR struct. */
  source(type: t.Type): s.StructType | undefined {
    return this.#sources.get(type)
  }

  /** An array without elements: a struct without fields, since targets have no such arrays. */
  #nothing(type: s.Type): t.Type {
    let made = this.#known.get(type.key)
    if (made === undefined) {
      made = t.struct(this.#names.unique('NoElements'), [])
      this.#known.set(type.key, made)
      this.#module.structs.push(made)
      if (this.#program.differentialOf(type) !== null)
        made.diff = { type: made, fields: [], dzero: undefined, dadd: undefined }
    }
    return made
  }

  #struct(type: s.StructType): t.Type {
    const stand = this.#stand(type)
    const resource = stand === undefined ? this.#resource(type) : this.of(stand)
    if (resource !== undefined) {
      this.#known.set(type.key, resource)
      return resource
    }
    const fields: t.Field[] = []
    if (isPair(type)) {
      const p = this.of(type.args[0] as s.Type)
      fields.push({ name: 'p', type: p }, { name: 'd', type: t.differential(p) ?? this.of(this.pairParts(type)[1]) })
    } else {
      this.#sink.work.within(1, type.decl.span, () => {
        for (const f of this.#program.fields(type)) {
          const made = this.#reach.within(null, f.decl.syntax?.span ?? null, () => this.part(f.type))
          fields.push({ name: f.name, type: made })
        }
      })
    }
    const again = this.#known.get(type.key)
    if (again !== undefined) return again
    const made = t.struct(this.#names.unique(typeName(type)), fields)
    this.#sink.work.check('scalars', made.scalars, type.decl.span)
    this.#known.set(type.key, made)
    this.#sources.set(made, type)
    this.#module.structs.push(made)
    this.#differential(type, made)
    return made
  }

  #differential(type: s.StructType, made: t.Type): void {
    if (isPair(type)) {
      if (type.decl.intrinsic !== 'DifferentialPair') return
      const diff = t.differential(made.fields[1]!.type)
      const source = this.#program.differentialOf(type)
      if (diff === null || source === null) return
      made.diff = {
        type: source.key === type.key ? made : this.of(source),
        fields: [0, 1],
        dzero: undefined,
        dadd: undefined,
      }
      return
    }
    this.#shadow(type, made)
    const info = this.#program.structDiff(type)
    if (info === null) return
    const diff = info.type.key === type.key ? made : this.of(info.type)
    // The signatures of `dzero` and `dadd` ask for this very entry.
    made.diff = { type: diff, fields: info.fields, dzero: undefined, dadd: undefined }
    if (type.decl.intrinsic === 'Optional') made.diff = { ...made.diff, alike: [[0, 0]] }
    if (info.dzero === null && info.dadd === null) return
    made.diff = {
      ...made.diff,
      dzero: info.dzero === null ? undefined : this.#instance(info.dzero),
      dadd: info.dadd === null ? undefined : this.#addition(info.dadd),
    }
  }

  /** The user's `dadd`. It is differentiable even if the user does not mark it: derivatives of its callers need that. */
  #addition(ref: FuncRef): Func {
    const func = this.#instance(ref)
    if (func.info.level === 'none') func.info.level = 'backward'
    return func
  }

  #shadow(type: s.StructType, made: t.Type): void {
    const shadow = this.#program.shadowOf(type)
    if (shadow === null) return
    const theirs = shadow.kind === 'struct' ? this.#program.fields(shadow) : []
    const fields = this.#program
      .fields(type)
      .map(f => (this.#program.shadowOf(f.type) === null ? -1 : theirs.findIndex(o => o.name === f.name)))
    made.shadow = { type: made, fields }
    if (shadow.key !== type.key) made.shadow = { type: this.of(shadow), fields }
  }

  /** The two halves of a `DifferentialPair` or `DifferentialPtrPair`. */
  pairParts(type: s.StructType): readonly [s.Type, s.Type] {
    const p = type.args[0] as s.Type
    const d =
      type.decl.intrinsic === 'DifferentialPtrPair' ? this.#program.shadowOf(p) : this.#program.differentialOf(p)
    if (d === null) throw new InternalError('lower', `${s.show(type)} of a type without a differential`)
    return [p, d]
  }

  #resource(type: s.StructType): t.Type | undefined {
    const name = type.decl.intrinsic
    if (name === null) return undefined
    const [arg, layout] = type.args
    switch (name) {
      case 'StructuredBuffer':
        return t.ptr('storage', this.#elements(arg as s.Type, this.#rule(layout)))
      case 'RWStructuredBuffer':
        return t.ptr('storage_rw', this.#elements(arg as s.Type, this.#rule(layout)))
      case 'Pointees':
        return t.ptr('storage_rw', this.#pointees(arg as s.Type))
      case 'ByteAddressBuffer':
        return t.ptr('storage', t.array(t.u32, 0))
      case 'RWByteAddressBuffer':
        return t.ptr('storage_rw', t.array(t.u32, 0))
      case 'ConstantBuffer':
      case 'ParameterBlock': {
        const inner = this.part(arg as s.Type)
        if ((this.#rule(layout) ?? 'uniform') !== 'uniform')
          this.#reach.refuse({ span: this.#reach.here()!, feature: s.show(type) })
        return t.holdsPointer(inner) ? inner : t.ptr('uniform', this.#form(inner))
      }
      case 'Ptr': {
        const span = this.#reach.here()
        if (span !== undefined && this.#program.isMissing(type))
          this.#reach.refuse({ span, feature: 'a pointer to what holds pointers' })
        return undefined
      }
      case 'Atomic':
        return this.of(arg as s.Type)
      default: {
        const handle = handleType(name, arg === undefined || s.isInt(arg) ? undefined : this.of(arg))
        return handle === undefined ? undefined : this.#handle(handle)
      }
    }
  }
}

/** Whether a value of the type holds an array, which a computed index needs in memory. */
export const holdsArray: (type: t.Type) => boolean = t.holding('array')

/** Whether it is `DifferentialPair<T>` or `DifferentialPtrPair<T>`. */
export function isPair(type: s.Type): boolean {
  return (
    type.kind === 'struct' &&
    (type.decl.intrinsic === 'DifferentialPair' || type.decl.intrinsic === 'DifferentialPtrPair')
  )
}

/** A name for IR text: letters, digits, `_` and `.`. */
export function typeName(type: s.GenericArg): string {
  const name = s.show(type)
  return /^[A-Za-z][A-Za-z0-9]*$/.test(name)
    ? name
    : name
        .replace(/[^A-Za-z0-9_.]+/g, '_')
        .replace(/_+$/, '')
        .replace(/^(\d)/, '_$1')
}
