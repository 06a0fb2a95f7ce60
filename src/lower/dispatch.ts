/**
 * Values of interface type, as closed sums: a tag and room for a value of each conforming type that the program makes.
 *
 *   struct Any_IShape { u32 tag; Square square; Disc disc; }
 *
 * All but the tagged part is zero, so the differential is the struct of the parts' differentials, field by field. A call
 * through the interface calls one function that switches on the tag; the derivative transforms see an ordinary `switch`.
 * Which types there are is only known once everything is lowered: lowering starts over when a new one turns up.
 */
import type { FuncDecl } from '../check/model/decl.ts'
import type { Expr, FuncRef } from '../check/model/tree.ts'
import * as s from '../check/model/type.ts'
import * as t from '../ir/type.ts'
import { outputs, type Func, type Value } from '../ir/value.ts'
import { reinterpret } from './bits.ts'
import { adapt, callWith, type Operand } from './call.ts'
import { assemble } from './columns.ts'
import { impossible, type Lowering } from './context.ts'
import { lowerExpr } from './expr.ts'
import { select } from './flow.ts'
import { Fn } from './func.ts'
import { read, write } from './place.ts'
import { typeName } from './type.ts'

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
  /** Set when a type turned up that the lowering under way did not know. */
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

  /** Those of an interface, in order of their tags. */
  of(cx: Lowering, iface: s.InterfaceType): readonly Variant[] {
    this.used = true
    let list = this.#lists.get(iface.key)
    if (list === undefined) {
      list = []
      this.#lists.set(iface.key, list)
      for (const c of this.#asked) {
        if (c.iface !== s.show(iface) && c.iface !== iface.decl.name) continue
        const type = cx.typeNamed(c.type)
        if (type !== undefined) this.#add(list, type, c.id)
      }
    }
    return list
  }

  /** Where a type stands among the variants; -1 where the lowering under way does not know it. */
  index(cx: Lowering, iface: s.InterfaceType, type: s.Type): number {
    const list = this.of(cx, iface) as Variant[]
    const at = list.findIndex(v => v.type.key === type.key)
    if (at >= 0 && at < cx.sumType(iface).count - 1) return at
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

/** Makes the struct that stands for values of an interface. */
export function makeSum(cx: Lowering, iface: s.InterfaceType): t.Type {
  const variants = [...cx.variants.of(cx, iface)]
  const name = cx.names.unique(`Any_${typeName(iface)}`)
  const fields: t.Field[] = [{ name: 'tag', type: t.u32 }]
  for (const v of variants) fields.push({ name: `as_${typeName(v.type).replaceAll('.', '_')}`, type: cx.types.of(v.type) })
  const made = t.struct(name, fields)
  cx.module.structs.push(made)
  if (cx.program.differentialOf(iface) === null) return made
  const map = [-1]
  const parts: t.Field[] = []
  for (const f of fields.slice(1)) {
    const diff = t.differential(f.type)
    map.push(diff === null ? -1 : parts.length)
    if (diff !== null) parts.push({ name: f.name, type: diff })
  }
  const diff = t.struct(cx.names.unique(`${name}.Differential`), parts)
  diff.diff = { type: diff, fields: parts.map((_, i) => i), dzero: undefined, dadd: undefined }
  cx.module.structs.push(diff)
  made.diff = { type: diff, fields: map, dzero: undefined, dadd: undefined }
  return made
}

/** A value of a conforming type as a value of the interface. */
export function wrap(fn: Fn, expr: Expr & { readonly kind: 'wrap' }): Value {
  const { cx } = fn
  const value = lowerExpr(fn, expr.value)
  const iface = fn.source(expr.type)
  const from = fn.source(expr.value.type)
  if (iface.kind !== 'interface') return value
  if (from.kind === 'interface') return from.key === iface.key ? value : rewrap(fn, value, from, iface)
  return wrapValue(fn, value, iface, cx.variants.index(cx, iface, from))
}

function wrapValue(fn: Fn, value: Value, iface: s.InterfaceType, index: number): Value {
  const { b, cx } = fn
  const type = cx.sumType(iface)
  if (index < 0) return b.emit1('undef', [], null, type)
  const tag = b.const(t.u32, cx.variants.of(cx, iface)[index]!.tag)
  return b.construct(type, type.fields.map((f, i) => i === 0 ? tag : i === index + 1 ? value : emptyOf(fn, f.type)))
}

/** `x is T` and `x as T`: a comparison of tags, and an `Optional` of the part. */
export function asks(fn: Fn, expr: Expr & { readonly kind: 'is' | 'as' }): Value {
  const { b, cx } = fn
  const value = lowerExpr(fn, expr.value)
  const from = fn.source(expr.value.type)
  const of = fn.source(expr.of)
  const type = fn.type(expr.type)
  if (of.kind === 'interface') return b.const(t.bool, cx.program.conforms(from, of))
  if (from.kind !== 'interface') {
    const isSame = s.same(from, of)
    if (expr.kind === 'is') return b.const(t.bool, isSame)
    return isSame ? assemble(b, type, [b.const(t.bool, true), value]) : b.zero(type)
  }
  const index = cx.variants.index(cx, from, of)
  if (index < 0) return b.emit1('undef', [], null, type)
  const is = b.emit1('eq', [b.extract(value, 0), b.const(t.u32, cx.variants.of(cx, from)[index]!.tag)])
  return expr.kind === 'is' ? is : assemble(b, type, [is, b.extract(value, index + 1)])
}

/** A value of an interface from a tag and raw data: whichever variant it is, its part is made of the same data. */
export function fromBits(fn: Fn, tag: Value, data: Value, type: t.Type): Value {
  const { b, cx } = fn
  if (cx.interfaceOf(type) === undefined) return reinterpret(fn, data, type)
  return b.construct(type, type.fields.map((f, i) => i === 0 ? b.convert(tag, t.u32) : reinterpret(fn, data, f.type)))
}

/** A value of one interface as a value of another, which all its variants have. */
function rewrap(fn: Fn, value: Value, from: s.InterfaceType, to: s.InterfaceType): Value {
  const { b, cx } = fn
  const type = cx.sumType(to)
  const out = b.variable(type)
  const variants = cx.variants.of(cx, from).slice(0, value.type.count - 1)
  cases(fn, value, variants, i => {
    const wrapped = wrapValue(fn, b.extract(value, i + 1), to, cx.variants.index(cx, to, variants[i]!.type))
    b.store(out, wrapped)
  })
  return b.load(out)
}

/** An object as a value of the interface whose requirement is called: that may be one which its own interface inherits from. */
export function seenAs(fn: Fn, object: Operand, iface: s.InterfaceType): Operand {
  if (object.dir !== 'in') return object
  const own = fn.cx.interfaceOf(object.value.type)
  return own === undefined || own.key === iface.key ? object : { dir: 'in', value: rewrap(fn, object.value, own, iface) }
}

function emptyOf(fn: Fn, type: t.Type): Value {
  return type.kind === 'ptr' ? fn.b.emit1('undef', [], null, type) : fn.b.zero(type)
}

/** Switches on the tag; the last variant also serves as the default. */
function cases(fn: Fn, value: Value, variants: readonly Variant[], body: (index: number) => void): void {
  if (variants.length === 0) return
  if (variants.length === 1) {
    body(0)
    return
  }
  const labels = variants.slice(0, -1).flatMap((v, i) => [v.tag, i])
  select(fn.b, fn.b.extract(value, 0), labels, variants.map((_, i) => () => body(i)), fn.left)
}

/** An associated type of an interface value is an interface too: the one value that a variant takes of it. */
function opened(fn: Fn, operand: Operand, type: s.Type | undefined): Operand {
  if (operand.dir !== 'in' || type === undefined || type.kind === 'interface') return operand
  const iface = fn.cx.interfaceOf(operand.value.type)
  if (iface === undefined) return operand
  const index = fn.cx.variants.index(fn.cx, iface, type)
  return { dir: 'in', value: index < 0 ? fn.b.emit1('undef', [], null, fn.cx.types.of(type)) : fn.b.extract(operand.value, index + 1) }
}

/** And what a variant gives of it, as a value of that interface. */
function closed(fn: Fn, value: Value, type: s.Type, to: t.Type): Value {
  const iface = fn.cx.interfaceOf(to)
  if (iface === undefined || value.type === to) return adapt(fn, value, to)
  if (type.kind === 'interface') return rewrap(fn, value, type, iface)
  return wrapValue(fn, value, iface, fn.cx.variants.index(fn.cx, iface, type))
}

/** The body of the function behind such calls. */
export function dispatchBody(cx: Lowering, func: Func, ref: FuncRef & { readonly kind: 'dynamic' }): void {
  const fn = new Fn(cx, func, s.noSubst)
  const { b } = fn
  const operands: Operand[] = func.sig.params.map(p => {
    if (p.dir === 'in') return { dir: 'in', value: b.param(p.type, p.name) }
    return { dir: p.dir, ref: fn.variable(p.type, p.name, p.dir === 'out' ? undefined : b.param(p.type, p.name)) }
  })
  const self = operands[0] ?? impossible('a dispatch without an object')
  const rest = operands.slice(1)
  const value = self.dir === 'in' ? self.value : read(fn, self.ref)
  const result = func.sig.result.kind === 'void' ? undefined : b.variable(func.sig.result, 'result')
  const variants = cx.variants.of(cx, ref.iface).slice(0, value.type.count - 1)
  if (variants.length === 0 && !ref.decl.module.isCore) cx.variants.unmet.add(ref.decl)
  cases(fn, value, variants, i => {
    const method = cx.resolve({ kind: 'requirement', type: variants[i]!.type, iface: ref.iface, decl: ref.decl, subst: ref.subst })
    if (ref.decl.role === 'static') {
      const out = callWith(fn, method, null, rest, null)
      if (result !== undefined && out !== undefined) b.store(result, out)
      return
    }
    const payload = b.extract(value, i + 1)
    const mutating = self.dir !== 'in'
    const place = mutating ? fn.variable(payload.type, 'this', payload) : undefined
    const object: Operand = place === undefined ? { dir: 'in', value: payload } : { dir: 'inout', ref: place }
    const own = cx.program.signature(method)
    const out = callWith(fn, method, object, rest.map((o, k) => opened(fn, o, own.params[k]?.type)), null)
    if (result !== undefined && out !== undefined) b.store(result, closed(fn, out, own.result, func.sig.result))
    if (place !== undefined && self.dir !== 'in') write(fn, self.ref, b.insert(value, i + 1, read(fn, place)))
  })
  const results: Value[] = result === undefined ? [] : [b.load(result)]
  for (const p of outputs(func.sig)) {
    const operand = operands[func.sig.params.indexOf(p)]!
    if (operand.dir !== 'in') results.push(read(fn, operand.ref))
  }
  b.emit('ret', results)
}
