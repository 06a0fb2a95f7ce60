/** Generated programs on CPU targets: their functions with their derivatives. */
import type { loadSync } from '../../src/cpu/index.ts'
import type { Data } from '../../src/ir/run.ts'
import { differential, type Type } from '../../src/ir/type.ts'
import { fill } from './gradients.ts'
import { fromHost, toHost, type Evaluated } from './js-run.ts'
import { paramDifferential, type Program } from './program.ts'

/** A function with its derivatives, on the interpreter's data: whatever computes it. */
export interface Subject {
  readonly value: (args: readonly Data[]) => Data[]
  readonly jvp: (
    args: readonly Data[],
    tangents: readonly (Data | undefined)[],
  ) => { readonly values: Data[]; readonly tangents: Data[] }
  readonly vjp: (args: readonly Data[], cts: readonly Data[]) => (Data | undefined)[]
}

type Host = Record<string, unknown>
/** A pair as hosts see it. */
export type Pair = { p: unknown; d: unknown }

/** The emitted JavaScript of a program, as a subject. */
export function scripted(program: Program, module: Evaluated): Subject {
  const { params, result } = program.main
  const ins = params.filter(p => p.dir !== 'out')
  const outs = params.filter(p => p.dir !== 'in')
  const results = (value: unknown): unknown[] =>
    outs.length === 0
      ? [value]
      : [(value as Host)['result'], ...outs.map(p => ((value as Host)['out'] as Host)[p.name])]
  const types = [result, ...outs.map(p => p.type)]
  const tangentOf = (type: Type): Type => differential(type)!
  return {
    value: args =>
      results(module['f']!(...args.map((a, i) => toHost(ins[i]!.type, a)))).map((v, i) => fromHost(types[i]!, v)),
    jvp: (args, tangents) => {
      const given = args.map((a, i) =>
        tangents[i] === undefined
          ? toHost(ins[i]!.type, a)
          : { p: toHost(ins[i]!.type, a), d: toHost(tangentOf(ins[i]!.type), tangents[i]) },
      )
      const pairs = results(module['fwd_diff(f)']!(...given)) as Pair[]
      return {
        values: pairs.map((v, i) => fromHost(types[i]!, v.p)),
        tangents: pairs.map((v, i) => fromHost(tangentOf(types[i]!), v.d)),
      }
    },
    vjp: (args, cts) => {
      const given: unknown[] = []
      let [input, ct] = [0, 1]
      for (const p of params) {
        if (p.dir === 'out') {
          given.push(toHost(tangentOf(p.type), cts[ct++]!))
          continue
        }
        const primal = toHost(p.type, args[input++]!)
        const diff = paramDifferential(p)
        if (diff === null) given.push(primal)
        // What an `in` pair brings along is ignored: it must not matter what it is.
        else given.push({ p: primal, d: toHost(diff, p.dir === 'inout' ? cts[ct++]! : fill(diff, () => 777)) })
      }
      given.push(toHost(tangentOf(result), cts[0]!))
      const whole = module['bwd_diff(f)']!(...given) as { out: Record<string, Pair> }
      return ins.map(p =>
        paramDifferential(p) === null ? undefined : fromHost(tangentOf(p.type), whole.out[p.name]!.d),
      )
    },
  }
}

/** The WebAssembly of a program, as a subject. */
export function assembled(program: Program, loaded: ReturnType<typeof loadSync>): Subject {
  const f = loaded.fn['f']!
  const { params, result } = program.main
  const ins = params.filter(p => p.dir !== 'out')
  const outs = params.filter(p => p.dir !== 'in')
  const types = [result, ...outs.map(p => p.type)]
  const list = (value: unknown): unknown[] =>
    outs.length === 0
      ? [value]
      : [(value as Host)['result'], ...outs.map(p => ((value as Host)['out'] as Host)[p.name])]
  const host = (args: readonly Data[]): unknown[] => args.map((a, i) => toHost(ins[i]!.type, a))
  return {
    value: args => list(f(...host(args))).map((v, i) => fromHost(types[i]!, v)),
    jvp: (args, tangents) => {
      const both = f.jvp(
        host(args),
        tangents.map((d, i) => (d === undefined ? null : toHost(paramDifferential(ins[i]!)!, d))),
      )
      return {
        values: list(both.value).map((v, i) => fromHost(types[i]!, v)),
        tangents: list(both.tangent).map((v, i) => fromHost(differential(types[i]!)!, v)),
      }
    },
    vjp: (args, cts) => {
      const given = types.map((type, i) => toHost(differential(type)!, cts[i]!))
      const out = Object.fromEntries(outs.map((p, i) => [p.name, given[i + 1]]))
      const grads = f.vjp(host(args), outs.length === 0 ? given[0] : { result: given[0], out })
      return ins.map((p, i) => (paramDifferential(p) === null ? undefined : fromHost(paramDifferential(p)!, grads[i])))
    },
  }
}
