/**
 * The reverse of a user's forward derivative that has derivatives of its own. Such a derivative may not be transposed, since its body
 * does not stand for it. Instead it gives the Jacobian column by column: it is called once for each float of the inputs, with a tangent of
 * one there, and the cotangents are multiplied with each column. A derivative of this reverse differentiates those calls, and so takes
 * what the user says.
 */
import type { Split } from './model.ts'
import { forwardWithEffects, wideForward } from '../base/errors/ad.ts'
import { Builder } from '../ir/build.ts'
import { component, differential, isFloat, type Type } from '../ir/type.ts'
import { Region, Value, inputs, type Func } from '../ir/value.ts'
import { newFunc, zeroOf, type AdContext } from './context.ts'
import { writesAnywhere } from './outside.ts'
import { pairOf } from './pair.ts'
import { carryingOf } from './plan.ts'

/**
 * A Jacobian has at most so many rows and columns together, since the code grows with their product. This is a limit and no cost: beyond it a
 * program is refused.
 */
const mostFloats = 64

/** How many floats a differential has, as far as it matters. */
function floatsOf(type: Type): number {
  if (isFloat(type) && type.kind === 'scalar') return 1
  if (type.kind === 'list') return Infinity
  let sum = 0
  for (let i = 0; i < type.count && sum <= mostFloats && type.kind !== 'scalar'; i++)
    sum += floatsOf(component(type, i))
  return sum
}

/** Makes such a reverse, with respect to the active inputs. Undefined, with a diagnostic, if there are too many floats, or effects that calls would repeat. */
export function jacobianSplit(cx: AdContext, func: Func, forward: Func, active: readonly boolean[]): Split | undefined {
  const ins = inputs(func.sig)
  const { inputs: can, results } = carryingOf(func)
  const differentials = func.results.flatMap((type, i) => (results[i] ? [differential(type)!] : []))
  const wanted = ins.flatMap((p, i) => (active[i] ? [differential(p.type)!] : []))
  if ([...wanted, ...differentials].reduce((sum, type) => sum + floatsOf(type), 0) > mostFloats) {
    cx.sink.add(wideForward, forward.span ?? undefined, { name: forward.name, limit: String(mostFloats) })
    return undefined
  }
  if (writesAnywhere(cx, forward)) {
    cx.sink.add(forwardWithEffects, forward.span ?? undefined, { name: forward.name })
    return undefined
  }
  const lend = (type: Type, name: string): Value => new Value(0, type, new Region(), 0, name)
  const takes = [...ins.map(p => lend(p.type, p.name)), ...differentials.map((type, i) => lend(type, `ct${i}`))]
  const vjp = newFunc(cx, `${func.name}_vjp`, takes, wanted, func.span, { inputs: can, results: [] })
  vjp.body = new Region()
  const b = new Builder(vjp, vjp.body)
  const primals = ins.map(p => b.param(p.type, p.name))
  const cts = differentials.map((type, i) => b.param(type, `ct${i}`))
  const pairs = inputs(forward.sig)
  const zeros = ins.map((p, i) => (can[i] ? zeroOf(cx, b, differential(p.type)!) : undefined))
  const along = (input: number, tangent: Value): Value[] => {
    const args = primals.map((p, i) => (can[i] ? pairOf(b, pairs[i]!.type, p, i === input ? tangent : zeros[i]!) : p))
    return b.call(forward, args).flatMap((v, i) => (results[i] ? [b.extract(v, 1)] : []))
  }
  const gradient = (input: number, type: Type, path: readonly number[]): Value => {
    if (type.kind === 'scalar') {
      if (!isFloat(type)) return b.zero(type)
      const column = along(input, unit(b, differential(ins[input]!.type)!, path))
      return column.reduce<Value>((sum, d, k) => product(b, sum, d, cts[k]!), b.zero(type))
    }
    return b.construct(
      type,
      Array.from({ length: type.count }, (_, k) => gradient(input, component(type, k), [...path, k])),
    )
  }
  b.emit(
    'ret',
    ins.flatMap((p, i) => (active[i] ? [gradient(i, differential(p.type)!, [])] : [])),
  )
  return {
    primal: primalOf(cx, func, forward),
    own: func.results.length,
    vjp,
    needs: ins.map((_, i) => i),
    activeInputs: active,
    activeResults: results,
    effects: false,
  }
}

/** The primal values that the forward derivative gives. Forward mode goes on with them, so reverse mode does too. */
function primalOf(cx: AdContext, func: Func, forward: Func): Func {
  const ins = inputs(func.sig)
  const carrying = carryingOf(func)
  const primal = newFunc(
    cx,
    `${func.name}_primal`,
    ins.map(p => new Value(0, p.type, new Region(), 0, p.name)),
    func.results,
    func.span,
    carrying,
  )
  primal.body = new Region()
  const b = new Builder(primal, primal.body)
  const pairs = inputs(forward.sig)
  const params = ins.map(p => b.param(p.type, p.name))
  const args = params.map((p, i) =>
    carrying.inputs[i] ? pairOf(b, pairs[i]!.type, p, zeroOf(cx, b, differential(p.type)!)) : p,
  )
  b.emit(
    'ret',
    b.call(forward, args).map((v, i) => (carrying.results[i] ? b.extract(v, 0) : v)),
  )
  return primal
}

/** A differential that is one at a path, and zero elsewhere. */
function unit(b: Builder, type: Type, path: readonly number[]): Value {
  const [at, ...rest] = path
  return at === undefined ? b.one(type) : b.insert(b.zero(type), at, unit(b, component(type, at), rest))
}

/** `sum` and the inner product of two values of a type. */
function product(b: Builder, sum: Value, x: Value, y: Value): Value {
  if (x.type.kind === 'scalar') return isFloat(x.type) ? b.add(sum, b.convert(b.mul(x, y), sum.type)) : sum
  let all = sum
  for (let i = 0; i < x.type.count; i++) all = product(b, all, b.extract(x, i), b.extract(y, i))
  return all
}
