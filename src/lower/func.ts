/** A function body while it is lowered, and the values of parameters, `this` and results. */
import { Fn } from './context.ts'
import { constant } from './constexpr.ts'
import { missingBody } from '../base/errors/lower.ts'
import type { FuncAttributes, ParamDecl } from '../check/model/decl.ts'
import type { Body } from '../check/model/tree.ts'
import type { Type } from '../ir/type.ts'
import { type Func, type Value } from '../ir/value.ts'
import type { Lowering, Pending } from './context.ts'
import { isWay, placeOf, placeParams } from './by-reference.ts'
import { dispatchBody } from './dispatch.ts'
import { closed } from './flow.ts'
import { defaultFields } from './init.ts'
import { opBody } from './intrinsic.ts'
import type { Ref } from './ref.ts'
import { lowerStmts, leaveFunction } from './stmt.ts'

/** Fills in the body of an instance. */
export function lowerBody(cx: Lowering, pending: Pending): void {
  const { func, ref } = pending
  if (ref.kind === 'dynamic') {
    dispatchBody(cx, func, ref)
    return
  }
  if (ref.kind !== 'direct') return
  const attributes: FuncAttributes = cx.program.attributes(ref.decl)
  if (attributes.op !== null || attributes.intrinsic !== null) {
    opBody(new Fn(cx, func, ref.subst), attributes)
    return
  }
  if (func.info.lanewise !== undefined && !attributes.marked && !attributes.treatAsDifferentiable) {
    lanesBody(new Fn(cx, func, ref.subst), func.info.lanewise)
    return
  }
  const body = cx.program.body(ref.decl)
  if (body === null) {
    const { forward, backward, substitute } = cx.program.derivatives(ref)
    // Where only the derivative is called, nobody misses the body.
    const derived = forward !== null || backward !== null || substitute !== null
    if (func.info.intrinsics === undefined && !func.info.library && !derived)
      cx.sink.add(missingBody, func.span ?? undefined, { name: ref.decl.name })
    return
  }
  const fn = new Fn(cx, func, ref.subst)
  fn.constructs = ref.decl.role === 'constructor'
  fn.decides = func.info.library
  enter(fn, body, pending)
  lowerStmts(fn, body.stmts)
  if (!closed(fn.b.at)) leaveFunction(fn, undefined)
}

/**
 * Makes the body of a lane-wise library function on vectors or matrices: a call for each lane, since its source may only work for
 * scalars.
 */
function lanesBody(fn: Fn, scalar: Func): void {
  const { b, func } = fn
  const params = func.sig.params.map(p => b.param(p.type, p.name))
  const map = (type: Type, args: readonly Value[]): Value => {
    if (type.kind === 'scalar') return b.call(scalar, [...args])[0]!
    const parts: Value[] = []
    for (let i = 0; i < type.count; i++)
      parts.push(
        map(
          type.elem!,
          args.map(a => (a.type.kind === 'scalar' ? a : b.extract(a, i))),
        ),
      )
    return b.construct(type, parts)
  }
  b.emit('ret', [map(func.sig.result, params)])
}

/** Makes the region's parameters and the variables behind them. */
function enter(fn: Fn, body: Body, { ref, ways }: Pending): void {
  const { b, func } = fn
  const sig = ways.length === 0 ? func.sig.params : fn.cx.signature(ref).params
  const method = sig.length - body.params.length
  const wanted = sig.some(p => p.dir === 'inout') ? placeParams(fn.cx.program, ref) : undefined
  const place = (k: number): Ref | undefined =>
    isWay(ways[k]) ? { kind: 'pointer', pointer: placeOf(b, ways[k], sig[k]!.name) } : undefined
  const incoming = (value: Value, k: number, written: boolean): Ref => {
    const held = fn.incoming(value, written)
    const isOwn = wanted?.[k] === true && ways[k] === undefined
    if (sig[k]!.dir === 'inout' && !isOwn && held.kind === 'pointer') fn.copies.set(held.pointer, value.name)
    return held
  }
  if (method > 0) {
    const { type, dir } = sig[0]!
    fn.self = place(0) ?? incoming(b.param(type, 'this'), 0, dir !== 'in')
  }
  for (let i = 0; i < body.params.length; i++) {
    const decl: ParamDecl = body.params[i]!
    const p = sig[i + method]!
    const at = place(i + method)
    if (at !== undefined || p.dir === 'out') {
      fn.params.set(decl.id, at ?? fn.variable(p.type, decl.name))
      continue
    }
    const value = b.param(p.type, decl.name)
    const known = constant(fn, decl)
    fn.decides ||= known !== undefined
    fn.params.set(
      decl.id,
      known === undefined
        ? incoming(value, i + method, p.dir === 'inout' || !decl.constant)
        : { kind: 'value', value: known },
    )
  }
  if (fn.constructs) {
    const self = fn.variable(func.sig.result, 'this')
    fn.self = self
    defaultFields(fn, self)
  }
}
