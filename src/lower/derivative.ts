/**
 * User-written derivatives, as the derivative transforms call them. If a derivative takes the differential of an interface value as
 * any `IDifferentiable`, a wrapper drops it, since it has no type of its own.
 */
import { Fn } from './context.ts'
import { unsupportedHere } from '../base/errors/lower.ts'
import type { FuncRef } from '../check/model/func-ref.ts'
import { eachExpr, eachStmt, expressions } from '../check/model/walk.ts'
import { noSubst } from '../check/model/type.ts'
import { carries, differential, type Type } from '../ir/type.ts'
import { Func, type ParamSig } from '../ir/value.ts'
import type { Lowering } from './context.ts'

/** The backward derivative `ref` of `func`, with the differentials as the transforms have them. */
export function backwardOf(cx: Lowering, func: Func, ref: FuncRef): Func {
  const backward = cx.instance(ref)
  const isOpen = (type: Type): boolean => cx.interfaceOf(type)?.decl.name === 'IDifferentiable'
  if (ref.kind !== 'direct' || !backward.sig.params.some(p => isOpen(p.type))) return backward
  const given = cotangents(func)
  const params = backward.sig.params.map((p, i): ParamSig =>
    isOpen(p.type) && given[i] !== undefined ? { ...p, type: given[i], noDiff: false } : p,
  )
  if (params.every((p, i) => p.type === backward.sig.params[i]!.type)) return backward
  const between = new Func(cx.names.unique(`${backward.name}_any`), { ...backward.sig, params }, backward.span)
  between.info.level = backward.info.level
  cx.module.funcs.push(between)
  const { b } = new Fn(cx, between, noSubst)
  const decls = cx.program.params(ref.decl)
  const args = params.map((p, i) => {
    const value = b.param(p.type, p.name)
    const own = backward.sig.params[i]!
    if (own.type === p.type) return value
    if (decls.some(d => d.name === own.name && reads(cx, ref, d.id)))
      cx.sink.add(unsupportedHere, backward.span ?? undefined, {
        what: `a use of ${own.name}, a differential of any type,`,
      })
    return b.zero(own.type)
  })
  b.emit('ret', b.call(backward, args))
  return between
}

/** By parameter of a backward derivative: the cotangent that it takes there; undefined for pairs and values without derivative. */
function cotangents(func: Func): (Type | undefined)[] {
  const list: (Type | undefined)[] = []
  for (const p of func.sig.params) {
    if (p.dir !== 'out') list.push(undefined)
    else if (carries(p)) list.push(differential(p.type)!)
  }
  const result = func.sig.resultNoDiff ? null : differential(func.sig.result)
  if (result !== null) list.push(result)
  return list
}

function reads(cx: Lowering, ref: FuncRef & { readonly kind: 'direct' }, param: number): boolean {
  let found = false
  eachStmt(cx.program.body(ref.decl)?.stmts ?? [], s => {
    for (const e of expressions(s))
      eachExpr(e, x => {
        if (x.kind === 'read' && x.place.kind === 'param' && x.place.decl.id === param) found = true
      })
  })
  return found
}
