/**
 * `constexpr` parameters. A call whose arguments are known makes an instance of the function for these: the values join the
 * arguments for generic parameters, by the identity of the parameter.
 */
import { notConstant } from '../base/errors/types.ts'
import type { ParamDecl } from '../check/model/decl.ts'
import type { Arg } from '../check/model/tree.ts'
import type { FuncRef } from '../check/model/func-ref.ts'
import { intConst, known, type GenericArg } from '../check/model/type.ts'
import type { Value } from '../ir/value.ts'
import type { Fn, Lowering } from './context.ts'

const constantsOf = (cx: Lowering, ref: FuncRef & { readonly kind: 'direct' }): readonly ParamDecl[] =>
  cx.program.params(ref.decl).filter(p => p.modifiers.includes('constexpr'))

/** The instance of a function for the constants among its arguments. The library cannot do with others. */
export function forConstants(fn: Fn, ref: FuncRef, args: readonly Arg[]): FuncRef {
  if (ref.kind === 'derivative') {
    const names = fn.cx.program.signature(ref).params.map(p => p.name)
    const given = (p: ParamDecl): Arg | undefined => args[names.indexOf(p.name)]
    const of = ref.of.kind === 'direct' ? instance(fn, ref.of, given) : ref.of
    return of === ref.of ? ref : { ...ref, of }
  }
  return ref.kind === 'direct' ? instance(fn, ref, p => args[p.index]) : ref
}

function instance(
  fn: Fn,
  ref: FuncRef & { readonly kind: 'direct' },
  given: (p: ParamDecl) => Arg | undefined,
): FuncRef {
  const params = constantsOf(fn.cx, ref)
  if (params.length === 0) return ref
  const all = new Map<number, GenericArg>(ref.subst.args)
  for (const p of params) {
    const arg = given(p)
    const value = arg?.dir === 'in' ? fn.cx.program.fold(arg.value, fn.subst) : null
    if (value !== null) all.set(p.id, intConst(value))
    else if (ref.decl.module.isCore && !fn.func.info.library)
      fn.cx.sink.add(notConstant, (arg?.dir === 'in' ? arg.value.span : null) ?? fn.b.span ?? undefined, {})
  }
  return { ...ref, subst: { ...ref.subst, args: all } }
}

/** A derivative of the user's for the same constants as the function. */
export function sameConstants(cx: Lowering, from: FuncRef, to: FuncRef): FuncRef {
  if (from.kind !== 'direct' || to.kind !== 'direct') return to
  const params = constantsOf(cx, from)
  if (params.length === 0) return to
  const all = new Map<number, GenericArg>(to.subst.args)
  constantsOf(cx, to).forEach((p, i) => {
    const value = from.subst.args.get(params[i]?.id ?? -1)
    if (value !== undefined) all.set(p.id, value)
  })
  return { ...to, subst: { ...to.subst, args: all } }
}

/** The value of a parameter that is known in this instance. */
export function constant(fn: Fn, decl: ParamDecl): Value | undefined {
  const arg = fn.subst.args.get(decl.id)
  const value = arg?.kind === 'const' ? known(arg) : null
  if (value === null) return undefined
  const type = fn.type(decl.type)
  return fn.b.const(type, type.scalar === 'bool' ? value !== 0 : type.scalar!.endsWith('64') ? BigInt(value) : value)
}
