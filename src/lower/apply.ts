/**
 * `__apply(f)`: the reverse derivative in two halves. The first gives what f gives and a context; the second, the `operator()` of the
 * context, takes the derivatives of what f gives and gives those of what f takes.
 */
import type { FuncRef } from '../check/model/func-ref.ts'
import { noSubst } from '../check/model/type.ts'
import type { Builder } from '../ir/build.ts'
import * as t from '../ir/type.ts'
import { Func, inputs, outputs, type ParamSig, type Signature, type Value } from '../ir/value.ts'
import { Fn, type Lowering } from './context.ts'
import { sameConstants } from './constexpr.ts'

/** The reverse derivative of `func`, with the halves that a program keeps apart where the context may outlive the first. */
export function reverseByHalves(
  cx: Lowering,
  func: Func,
  ref: FuncRef,
  given: { readonly apply: FuncRef; readonly context: FuncRef },
): Func {
  const [apply, second] = [
    cx.instance(sameConstants(cx, ref, given.apply)),
    cx.instance(sameConstants(cx, ref, given.context)),
  ]
  const { sig } = func
  const level = apply.info.level === 'backward' && second.info.level === 'backward' ? 'backward' : 'none'
  const make = (name: string, own: Signature, fill: (b: Builder, params: readonly Value[]) => Value[]): Func => {
    const made = new Func(cx.names.unique(`${func.name}_${name}`), own, apply.span)
    made.info.level = level
    made.info.forceInline = level === 'backward'
    made.info.derives = given.apply.kind === 'direct' ? given.apply.decl.name : undefined
    const { b } = new Fn(cx, made, noSubst)
    const params = inputs(own).map(p => b.param(p.type, p.name))
    b.emit('ret', fill(b, params))
    cx.module.funcs.push(made)
    return made
  }
  const isVoid = sig.result.kind === 'void'
  /** The results of the first half, and the context. */
  const first = (b: Builder, args: Value[]): Value[] => {
    const [value, ...outs] = b.call(apply, args)
    return isVoid ? [...outs, value!] : [b.extract(value!, 0), ...outs, b.extract(value!, 1)]
  }
  const reverse = make('reverse', cx.signature({ kind: 'derivative', mode: 'backward', of: ref }), (b, params) => {
    const rest = [...params]
    const primals: Value[] = []
    const pairs: Value[] = []
    const cts: Value[] = []
    for (const p of sig.params) {
      if (!t.carries(p)) {
        if (p.dir !== 'out') primals.push(rest.shift()!)
        continue
      }
      const v = rest.shift()!
      if (p.dir !== 'in') cts.push(p.dir === 'out' ? v : b.extract(v, 1))
      if (p.dir === 'out') continue
      pairs.push(v)
      primals.push(b.extract(v, 0))
    }
    const context = first(b, primals).at(-1)!
    const out = b.call(second, [context, ...cts, ...rest])
    const grads = out.slice(out.length - pairs.length)
    return pairs.map((v, i) => b.construct(v.type, [b.extract(v, 0), grads[i]!]))
  })
  // A pointer travels with its shadow, which the halves apart do not know.
  if (t.takePointers(sig.params)) return reverse
  const context = isVoid ? apply.sig.result : apply.sig.result.fields[1]!.type
  const kept: ParamSig = { name: 'context', type: context, dir: 'out', noDiff: t.differential(context) === null }
  const taken: ParamSig[] = [{ ...kept, dir: 'in' }]
  const ct = (name: string, type: t.Type, dir: ParamSig['dir']): ParamSig => ({
    name: `d_${name}`,
    type,
    dir,
    noDiff: false,
  })
  const result = sig.resultNoDiff ? null : t.differential(sig.result)
  if (result !== null) taken.push(ct('result', result, 'in'))
  for (const p of outputs(sig)) if (t.carries(p)) taken.push(ct(p.name, t.differential(p.type)!, 'in'))
  const gives = inputs(sig).flatMap(p => (t.carries(p) ? [ct(p.name, t.differential(p.type)!, 'out')] : []))
  reverse.info.halves = {
    primal: make('primal', { ...sig, params: [...sig.params, kept] }, (b, params) => first(b, [...params])),
    reverse: make(
      'propagate',
      { params: [...taken, ...gives], result: t.voidType, resultNoDiff: true },
      (b, [held, ...cts]) => {
        // The derivative of the result comes last.
        const last = result === null ? [] : [cts.shift()!]
        const out = b.call(second, [held!, ...cts, ...last])
        return out.slice(out.length - gives.length)
      },
    ),
  }
  return reverse
}
