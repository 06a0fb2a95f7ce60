/** What `__op` and `__intrinsic` functions of the core library become. */
import { unsupportedHere } from '../base/errors/lower.ts'
import type { FuncAttributes } from '../check/decl.ts'
import type { CallExpr, FuncRef } from '../check/tree.ts'
import * as ops from '../ir/ops.ts'
import type { Type } from '../ir/type.ts'
import { outputs, type Value } from '../ir/value.ts'
import { valueOf, type Operand } from './call.ts'
import { impossible } from './context.ts'
import type { Fn } from './func.ts'
import { read, type Ref } from './place.ts'
import { zeroDifferential } from './zero.ts'

type Handler = (fn: Fn, args: readonly Operand[], result: Type, call: CallExpr | null) => Value | undefined

const value = (fn: Fn, args: readonly Operand[], i: number): Value => valueOf(fn, args[i] ?? impossible('too few operands of an intrinsic'))

const handlers: Readonly<Record<string, Handler>> = {
  pair: (fn, args, result) => fn.b.construct(result, [value(fn, args, 0), value(fn, args, 1)]),
  pair_zero: (fn, args, result) => {
    const p = value(fn, args, 0)
    return fn.b.construct(result, [p, zeroDifferential(fn, p.type)])
  },
  pair_p: (fn, args) => fn.b.extract(value(fn, args, 0), 0),
  pair_d: (fn, args) => fn.b.extract(value(fn, args, 0), 1),
}

/** Emits an intrinsic; undefined where it gives nothing. */
export function intrinsic(fn: Fn, name: string, ref: FuncRef, args: readonly Operand[], result: Type, call: CallExpr | null): Value | undefined {
  const handler = handlers[name]
  if (handler !== undefined) return handler(fn, args, result, call)
  void ref
  fn.cx.sink.add(unsupportedHere, fn.b.span ?? undefined, { what: name })
  return result.kind === 'void' ? undefined : fn.b.zero(result)
}

/** The place that a `ref` accessor of the core library gives. */
export function intrinsicPlace(fn: Fn, ref: FuncRef, args: readonly Operand[], type: Type): Ref {
  const name = ref.kind === 'direct' ? fn.cx.program.attributes(ref.decl).intrinsic : null
  void args
  void type
  return impossible(`no place for ${name ?? 'a ref accessor'}`)
}

/** Emits the operation that `__op` names. */
export function emitOp(fn: Fn, attributes: FuncAttributes, args: readonly Value[], result: Type): Value | undefined {
  const row = ops.byName.get(attributes.op!) ?? impossible(`no operation ${attributes.op}`)
  const types = row.type === undefined ? (result.kind === 'void' ? [] : [result]) : undefined
  return fn.b.emit(row, [...args], null, types).results[0]
}

/** The body of such a function where it is needed as one, for a derivative of it or as a value. */
export function opBody(fn: Fn, ref: FuncRef & { readonly kind: 'direct' }, attributes: FuncAttributes): void {
  const { b, func } = fn
  const operands: Operand[] = func.sig.params.map(p => {
    if (p.dir === 'in') return { dir: 'in', value: b.param(p.type, p.name) }
    return { dir: p.dir, ref: fn.variable(p.type, p.name, p.dir === 'out' ? undefined : b.param(p.type, p.name)) }
  })
  const out = attributes.op !== null ? emitOp(fn, attributes, operands.map(o => valueOf(fn, o)), func.sig.result)
    : intrinsic(fn, attributes.intrinsic!, ref, operands, func.sig.result, null)
  const results: Value[] = out === undefined ? [] : [out]
  for (const p of outputs(func.sig)) {
    const operand = operands[func.sig.params.indexOf(p)]!
    if (operand.dir !== 'in') results.push(read(fn, operand.ref))
  }
  b.emit(ops.ret, results)
}
