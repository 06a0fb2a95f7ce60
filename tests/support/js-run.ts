import { component, type Type } from '../../src/ir/type.ts'
import type { Data } from '../../src/ir/run.ts'
import { inputs, outputs, type Func } from '../../src/ir/value.ts'

/** The exports of an emitted module, evaluated here. */
export type Evaluated = Readonly<Record<string, (...args: unknown[]) => unknown>>

/** Evaluates the code of an ES module without imports, perhaps with another idea of mathematics. */
export function evaluate(code: string, math: unknown = Math): Evaluated {
  const body = code.replace(/^export const /gm, 'const ').replace(
    /export \{(.*)\}/,
    (_, list: string) =>
      `return { ${list
        .split(',')
        .map(item => {
          const [from, to] = item.trim().split(' as ')
          return to === undefined ? from! : `${to}: ${from!}`
        })
        .join(', ')} }`,
  )
  return new Function('Math', body)(math) as Evaluated
}

const turned = (rows: unknown): Data =>
  (rows as readonly Data[][])[0]!.map((_, c) => (rows as readonly Data[][]).map(row => row[c]!))

/** The interpreter's data as a host hands it over: structs as objects. */
export function toHost(type: Type, data: Data): unknown {
  if (type.kind === 'scalar') return data
  const parts = data as readonly Data[]
  if (type.columnsOf !== null) return turned(parts[0])
  if (type.kind === 'struct') return Object.fromEntries(type.fields.map((f, i) => [f.name, toHost(f.type, parts[i]!)]))
  return parts.map((part, i) => toHost(component(type, i), part))
}

/** Host data as the interpreter's. */
export function fromHost(type: Type, data: unknown): Data {
  if (type.kind === 'scalar') return data as Data
  if (type.columnsOf !== null) return [turned(data)]
  if (type.kind === 'struct') return type.fields.map(f => fromHost(f.type, (data as Record<string, unknown>)[f.name]))
  return (data as unknown[]).map((part, i) => fromHost(component(type, i), part))
}

/** Calls an emitted function with the interpreter's data; gives its results in order. */
export function callEmitted(module: Evaluated, func: Func, name: string, args: readonly Data[]): Data[] {
  const host = inputs(func.sig).map((p, i) => toHost(p.type, args[i]!))
  const value = module[name]!(...host)
  const outs = outputs(func.sig)
  const isVoid = func.sig.result.kind === 'void'
  if (outs.length === 0) return isVoid ? [] : [fromHost(func.sig.result, value)]
  const whole = value as { result: unknown; out: Record<string, unknown> }
  const rest = outs.map(p => fromHost(p.type, whole.out[p.name]))
  return isVoid ? rest : [fromHost(func.sig.result, whole.result), ...rest]
}
