/**
 * Values of interface type, as closed sums: a tag and room for a value of each conforming type that the program makes.
 *
 *   struct Any_IShape { u32 tag; Square square; Disc disc; }
 *
 * All but the tagged part is zero, so the differential is the struct of the parts' differentials, field by field. A call
 * through the interface calls one function that switches on the tag; the derivative transforms see an ordinary `switch`.
 * Which types there are is only known once everything is lowered: lowering starts over when a new one turns up.
 */
import { Fn } from './context.ts'
import type { Operand, Ref } from './ref.ts'
import type { Expr } from '../check/model/tree.ts'
import type { FuncRef } from '../check/model/func-ref.ts'
import * as s from '../check/model/type.ts'
import * as t from '../ir/type.ts'
import { outputs, type Func, type Value } from '../ir/value.ts'
import { reinterpret, unpacked, wordsOf } from './box.ts'
import { adapt, callWith } from './call.ts'
import { assemble, kept } from './columns.ts'
import { impossible, type Lowering } from './context.ts'
import { lowerExpr } from './expr.ts'
import { cases } from './flow.ts'
import { read, typeOfRef, write } from './place.ts'

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
  return b.construct(
    type,
    type.fields.map((f, i) => (i === 0 ? tag : i === index + 1 ? kept(b, value, type, i) : b.unset(f.type))),
  )
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

/** Makes an interface value from a tag and raw data. */
export function fromBits(fn: Fn, tag: Value, data: Value, type: t.Type): Value {
  const { cx } = fn
  const iface = cx.interfaceOf(type)
  if (iface === undefined) return reinterpret(fn, data, type)
  cx.boxes.room(type, iface)
  return unpacked(fn, fn.b.convert(tag, t.u32), wordsOf(fn, data), type)
}

/** Converts a value of one interface to another, which all its variants conform to. */
function rewrap(fn: Fn, value: Value, from: s.InterfaceType, to: s.InterfaceType): Value {
  const { b, cx } = fn
  const type = cx.sumType(to)
  const out = b.variable(type)
  const variants = cx.variants.of(cx, from).slice(0, value.type.count - 1)
  cases(fn.b, value, variants, fn.left, i => {
    const wrapped = wrapValue(fn, b.extract(value, i + 1), to, cx.variants.index(cx, to, variants[i]!.type))
    b.store(out, wrapped)
  })
  return b.load(out)
}

/** The reference for an object whose interface inherits or joins the one that is asked: what it may be decides, and nothing of it gets lost. */
export function over<R extends FuncRef & { readonly kind: 'dynamic' }>(fn: Fn, ref: R, object: Operand): R {
  const own = fn.cx.interfaceOf(fn.cx.boxes.valueType(object.dir === 'in' ? object.value.type : typeOfRef(object.ref)))
  return own === undefined || own.key === ref.iface.key ? ref : { ...ref, over: own }
}

/** Unwraps an operand: an associated type of an interface value is an interface too, and the variant takes the only type that it may be. */
function opened(fn: Fn, operand: Operand, type: s.Type | undefined): Operand {
  if (operand.dir !== 'in' || type === undefined || type.kind === 'interface') return operand
  const iface = fn.cx.interfaceOf(operand.value.type)
  if (iface === undefined) return operand
  const index = fn.cx.variants.index(fn.cx, iface, type)
  return {
    dir: 'in',
    value: index < 0 ? fn.b.emit1('undef', [], null, fn.cx.types.of(type)) : fn.b.extract(operand.value, index + 1),
  }
}

/** Wraps the result of a variant as a value of that interface. */
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
  const copied = (value: Value, name: string): Ref => {
    const ref = fn.variable(value.type, name, value)
    if (ref.kind === 'pointer') fn.copies.set(ref.pointer, name)
    return ref
  }
  const operands: Operand[] = func.sig.params.map(p => {
    if (p.dir === 'in') return { dir: 'in', value: b.param(p.type, p.name) }
    return { dir: p.dir, ref: p.dir === 'out' ? fn.variable(p.type, p.name) : copied(b.param(p.type, p.name), p.name) }
  })
  const self = operands[0] ?? impossible('a dispatch without an object')
  const rest = operands.slice(1)
  const value = self.dir === 'in' ? self.value : read(fn, self.ref)
  const result = func.sig.result.kind === 'void' ? undefined : b.variable(func.sig.result, 'result')
  const variants = cx.variants.of(cx, ref.over ?? ref.iface).slice(0, value.type.count - 1)
  if (variants.length === 0 && !ref.decl.module.isCore) cx.variants.unmet.add(ref.decl)
  cases(fn.b, value, variants, fn.left, i => {
    const method = cx.resolve({
      kind: 'requirement',
      type: variants[i]!.type,
      iface: ref.iface,
      decl: ref.decl,
      subst: ref.subst,
    })
    if (ref.decl.role === 'static') {
      const out = callWith(fn, method, null, rest, null)
      if (result !== undefined && out !== undefined) b.store(result, out)
      return
    }
    const payload = b.extract(value, i + 1)
    const mutating = self.dir !== 'in'
    const place = mutating ? copied(payload, 'this') : undefined
    const object: Operand = place === undefined ? { dir: 'in', value: payload } : { dir: 'inout', ref: place }
    const own = cx.program.signature(method)
    const out = callWith(
      fn,
      method,
      object,
      rest.map((o, k) => opened(fn, o, own.params[k]?.type)),
      null,
    )
    if (result !== undefined && out !== undefined) b.store(result, closed(fn, out, own.result, func.sig.result))
    if (place !== undefined && self.dir !== 'in') {
      write(fn, self.ref, b.insert(value, i + 1, kept(b, read(fn, place), value.type, i + 1)))
    }
  })
  const results: Value[] = result === undefined ? [] : [b.load(result)]
  for (const p of outputs(func.sig)) {
    const operand = operands[func.sig.params.indexOf(p)]!
    if (operand.dir !== 'in') results.push(read(fn, operand.ref))
  }
  b.emit('ret', results)
}
