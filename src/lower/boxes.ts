/** The types of values of interfaces in memory that hosts share: see `box.ts`. */
import { tooLarge } from '../base/errors/lower.ts'
import { note, type Sink } from '../base/diag.ts'
import type { CheckedProgram } from '../check/model/tree.ts'
import { conjuncts } from '../check/model/conjunct.ts'
import * as s from '../check/model/type.ts'
import { layouts } from '../ir/layout.ts'
import * as t from '../ir/type.ts'
import type { Type } from '../ir/type.ts'
import type { Module } from '../ir/value.ts'
import type { Names } from './names.ts'
import { typeName } from './type.ts'
import type { Sums, Variants } from './variants.ts'

/** What boxes ask of the lowering under way. */
interface Interfaces extends Sums {
  readonly program: CheckedProgram
  readonly sink: Sink
  readonly module: Module
  readonly names: Names
  readonly variants: Variants
  interfaceOf(type: Type): s.InterfaceType | undefined
}

/** What stands in front of the value, each in 64 bits: a type, which nothing reads, and the tag. */
export const header: readonly string[] = ['rtti', 'tag']
export const tagAt = 1

/** The types in memory, each made once. */
export class Boxes {
  readonly #cx: Interfaces
  readonly #forms = new Map<Type, Type>()
  readonly #values = new Map<Type, Type>()

  constructor(cx: Interfaces) {
    this.#cx = cx
  }

  /** How a type lies in memory that hosts share. */
  form(type: Type): Type {
    if (type.kind === 'array') return this.#of(type, this.#array(type))
    if (type.kind !== 'struct' || this.#values.has(type)) return type
    const known = this.#forms.get(type)
    if (known !== undefined) return known
    const iface = this.#cx.interfaceOf(type)
    return this.#of(type, iface === undefined ? this.#struct(type) : this.#box(type, iface))
  }

  /** The type of the values in memory of a type. */
  valueType(form: Type): Type {
    return this.#values.get(form) ?? form
  }

  #of(type: Type, form: Type): Type {
    this.#forms.set(type, form)
    if (form !== type) this.#values.set(form, type)
    return form
  }

  #array(type: Type): Type {
    const elem = this.form(type.elem!)
    return elem === type.elem ? type : t.array(elem, type.count)
  }

  #struct(type: Type): Type {
    const fields = type.fields.map(f => ({ name: f.name, type: this.form(f.type) }))
    return fields.every((f, i) => f.type === type.fields[i]!.type) ? type : this.#made(`${type.name}_memory`, fields)
  }

  #box(type: Type, iface: s.InterfaceType): Type {
    const words = Math.ceil(this.room(type, iface) / 4)
    const made = this.#made(typeName(iface), [
      ...header.map(name => ({ name, type: t.vec(t.u32, 2) })),
      ...Array.from({ length: words }, (_, i) => ({ name: `value_${i}`, type: t.u32 })),
    ])
    made.variants = this.#cx.variants
      .of(this.#cx, iface)
      .slice(0, type.count - 1)
      .map((v, i) => ({ name: s.show(v.type), tag: v.tag, type: this.form(type.fields[i + 1]!.type) }))
    return made
  }

  #made(name: string, fields: readonly t.Field[]): Type {
    const made = t.struct(this.#cx.names.unique(name), fields)
    this.#cx.module.structs.push(made)
    return made
  }

  /** Bytes that a value of an interface takes; a conforming type that needs more is a mistake where the interface says how many. */
  room(type: Type, iface: s.InterfaceType): number {
    const asked = conjuncts(iface).flatMap(i => this.#cx.program.anyValueSize(i.decl) ?? [])
    const given = asked.length === 0 ? null : Math.max(...asked)
    let room = given ?? 0
    this.#cx.variants
      .of(this.#cx, iface)
      .slice(0, type.count - 1)
      .forEach((v, i) => {
        const size = layouts.natural.of(this.form(type.fields[i + 1]!.type)).size
        if (size > room && given !== null)
          this.#cx.sink.add(
            tooLarge,
            (v.type.kind === 'struct' ? v.type.decl.span : null) ?? undefined,
            { type: s.show(v.type), size, interface: iface.decl.name, limit: given },
            note(iface.decl.span ?? undefined, 'the interface says so here'),
          )
        room = Math.max(room, size)
      })
    return room
  }
}
