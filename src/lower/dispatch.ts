/** Values of interface type and calls through them. */
import { dynamicDispatch } from '../base/errors/lower.ts'
import type { Expr, FuncRef } from '../check/tree.ts'
import { show } from '../check/type.ts'
import type { Value } from '../ir/value.ts'
import type { Operand } from './call.ts'
import type { Fn } from './func.ts'

/** A value of a conforming type as a value of the interface. */
export function wrap(fn: Fn, expr: Expr & { readonly kind: 'wrap' }): Value | undefined {
  fn.cx.sink.add(dynamicDispatch, expr.span ?? undefined, { name: show(expr.type) })
  return undefined
}

/** A call that the type of the value decides at run time. */
export function dispatch(fn: Fn, ref: FuncRef & { readonly kind: 'dynamic' }, _operands: readonly Operand[]): Value | undefined {
  fn.cx.sink.add(dynamicDispatch, fn.b.span ?? undefined, { name: show(ref.iface) })
  return undefined
}
