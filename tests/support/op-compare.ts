/** Compares the answers of targets, and derivatives with differences. */
import { funcNamed, run, type Data } from '../../src/ir/run.ts'
import type { Mode, Scalar } from '../../src/ir/scalar.ts'
import { differential, type Type } from '../../src/ir/type.ts'
import { inputs, type Module } from '../../src/ir/value.ts'
import { disagreement, flatten, moved } from './gradients.ts'
import { activeInputs, type Case, type Derivative } from './op-maker.ts'
import { isNear } from './near.ts'
import type { Call } from './op-run.ts'
import { isOrdinary, scalarsIn, scalarsOf } from './op-values.ts'

/** What functions answer: by case, point and result. */
export type Answers = readonly (readonly (readonly Data[])[])[]

/** The functions of a module in the interpreter. */
export function interpreted(module: Module, mode: Mode = 'f32'): Call {
  return (name, args) => run(funcNamed(module, name), args, { mode })
}

/** The answers to all points: by case, point and result. */
export function answers(cases: readonly Case[], call: Call): Answers {
  return cases.map(c => c.points.map(point => call(c.func.name, point)))
}

const text = (data: unknown): string =>
  JSON.stringify(data, (_, x: unknown) =>
    typeof x === 'bigint' ? `${x}n` : typeof x === 'number' ? (Object.is(x, -0) ? '-0' : String(x)) : x,
  ).replaceAll('"', '')

/** Says where a target computes otherwise. */
export function differences(cases: readonly Case[], expected: Answers, call: Call): string[] {
  const wrong: string[] = []
  cases.forEach((c, i) =>
    c.points.forEach((point, k) => {
      const [wanted, got] = [expected[i]![k]!, call(c.func.name, point)]
      wanted.forEach((data, n) => {
        if (!c.promised(c.operands(point, n))) return
        const [x, y] = [scalarsIn(data), scalarsIn(got[n]!)]
        const same = x.length === y.length && x.every((v, lane) => Object.is(v, y[lane]))
        if (!same) wrong.push(`${c.name} at ${text(point)}: result ${n} is ${text(got[n])}, not ${text(data)}`)
      })
    }),
  )
  return wrong
}

/** The same of results that are there already, as a GPU may compute them. */
export function gpuDifferences(cases: readonly Case[], expected: Answers, found: Answers): string[] {
  const wrong: string[] = []
  cases.forEach((c, i) =>
    c.points.forEach((point, k) => {
      expected[i]![k]!.forEach((data, n) => {
        const operands = c.operands(point, n)
        if (!c.promised(operands) || !operands.flatMap(scalarsIn).every(isOrdinary)) return
        const [x, y] = [scalarsIn(data), scalarsIn(found[i]![k]![n]!)]
        const scale = Math.max(0, ...x.map(v => (typeof v === 'number' && Number.isFinite(v) ? Math.abs(v) : 0)))
        const close = (v: Scalar, w: Scalar): boolean =>
          v === w || (typeof v === 'number' && (!isOrdinary(v) || isNear(v, w as number, c.gpuError * scale)))
        const isFloating = scalarsOf(c.func.results[n]!).map(s => s.startsWith('f'))
        const same = x.every((v, lane) => (isFloating[lane] === true ? close(v, y[lane]!) : v === y[lane]))
        if (!same)
          wrong.push(`${c.name} at ${text(point)}: result ${n} is ${text(found[i]![k]![n])}, not ${text(data)}`)
      })
    }),
  )
  return wrong
}

/** Says what is wrong with derivatives; both modes, in double precision. */
export function wrongDerivatives(d: Derivative): string[] {
  const ins = inputs(d.of.sig)
  const active = activeInputs(d.of)
  const wide = { mode: 'f64' } as const
  const flat = (types: readonly Type[], data: readonly Data[]): number[] =>
    types.flatMap((type, i) => flatten(type, data[i]!))
  const own = ins.filter((_, i) => active[i]).map(p => differential(p.type)!)
  const cts = d.of.results.map(type => differential(type)!)
  return d.points.flatMap(point => {
    const args = point.slice(0, ins.length)
    const tangents = point.slice(ins.length, ins.length + own.length)
    let used = 0
    const steps = ins.map((_, i) => (active[i] ? tangents[used++]! : undefined))
    const value = (h: number): number[] =>
      flat(
        d.of.results,
        run(
          d.of,
          args.map((x, i) => (steps[i] === undefined ? x : moved(ins[i]!.type, x, steps[i], h))),
          wide,
        ),
      )
    const out = run(d.func, point, wide)
    const count = d.of.results.length
    const grads = flat(own, out.slice(2 * count))
    const direction = flat(own, tangents)
    const found = disagreement({
      value,
      forward: flat(cts, out.slice(count, 2 * count)),
      reverse: grads.map((g, i) => g * direction[i]!),
      weights: flat(cts, point.slice(ins.length + own.length)),
    })
    const primal = flat(d.of.results, out.slice(0, count))
    const same = value(0).every((v, i) => isNear(v, primal[i]!, 1e-12 * (1 + Math.abs(v))))
    return found === undefined && same ? [] : [`${d.name} at ${text(point)}: ${found ?? 'another value'}`]
  })
}
