/** The types that a value of an interface may have, as far as lowering knows them. */
import type { FuncDecl } from '../check/model/decl.ts'
import * as s from '../check/model/type.ts'
import type { Type } from '../ir/type.ts'

/** What variants ask of the lowering under way. */
export interface Sums {
  /** A struct of the user's modules that is not generic, by name. */
  typeNamed(name: string): s.Type | undefined
  /** The struct that stands for values of an interface. */
  sumType(iface: s.InterfaceType): Type
}

/** A type that a value of an interface may have, with its tag. */
export interface Variant {
  readonly type: s.Type
  readonly tag: number
}

/** A conformance that the user asks for: values of the type get the tag. */
export interface Conformance {
  readonly type: string
  readonly iface: string
  readonly id: number | undefined
}

/** The variants of each interface, as far as they are known. */
export class Variants {
  /** Set when a conforming type was found that this round of lowering did not know. */
  grew = false
  /** Requirements that are called while no type is known that could meet them. */
  readonly unmet: Set<FuncDecl> = new Set()
  /** Set when a value of interface type turned up. */
  used = false
  readonly #lists = new Map<string, Variant[]>()
  readonly #asked: readonly Conformance[]

  constructor(asked: readonly Conformance[]) {
    this.#asked = asked
  }

  /** The variants of an interface, in order of their tags. */
  of(sums: Sums, iface: s.InterfaceType): readonly Variant[] {
    this.used = true
    let list = this.#lists.get(iface.key)
    if (list === undefined) {
      list = []
      this.#lists.set(iface.key, list)
      for (const c of this.#asked) {
        if (c.iface !== s.show(iface) && c.iface !== iface.decl.name) continue
        const type = sums.typeNamed(c.type)
        if (type !== undefined) this.#add(list, type, c.id)
      }
    }
    return list
  }

  /** The tag of a type; -1 if this round of lowering does not know it. */
  index(sums: Sums, iface: s.InterfaceType, type: s.Type): number {
    const list = this.of(sums, iface) as Variant[]
    const at = list.findIndex(v => v.type.key === type.key)
    if (at >= 0 && at < sums.sumType(iface).count - 1) return at
    if (at < 0) this.#add(list, type, undefined)
    this.grew = true
    return -1
  }

  #add(list: Variant[], type: s.Type, id: number | undefined): void {
    let tag = id ?? 0
    if (id === undefined) while (list.some(v => v.tag === tag)) tag++
    list.push({ type, tag })
  }
}
