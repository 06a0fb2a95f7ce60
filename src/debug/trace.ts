/** Finds the first instruction of a run that makes a NaN or an infinity of finite numbers. */
import type { Span } from '../base/source.ts'
import { Machine, type Data } from '../ir/run.ts'
import { differential, type Type } from '../ir/type.ts'
import type { Inst } from '../ir/value.ts'
import { Region, inputs, type Func } from '../ir/value.ts'
import { filled, isFinite, toData } from './data.ts'

export interface Origin {
  readonly inst: Inst
  readonly value: Data
  readonly args: readonly Data[]
}

/** An instruction's name in source and IR terms, with its operands. */
export interface NonFinite {
  /** The value made: a number, or an array of them. */
  readonly value: unknown
  /** The operation, or the library function, that made it. */
  readonly operation: string
  readonly operands: readonly { readonly name: string; readonly value: unknown }[]
  /** Whether the function itself made it, or only its derivative. */
  readonly in: 'primal' | 'derivative'
  readonly file: string
  readonly line: number
  readonly column: number
  /** The source text of the expression; for a derivative, of the expression that it is the derivative of. */
  readonly text: string
}

class Stop extends Error {
  readonly origin: Origin

  constructor(origin: Origin) {
    super('found')
    this.origin = origin
  }
}

/** Runs a function until it computes something that is not finite from finite values; undefined if it never does. */
export function originOf(
  func: Func,
  args: readonly Data[],
  globals: Readonly<Record<string, Data>>,
): Origin | undefined {
  const watch = (inst: Inst, value: Data, of: readonly Data[]): void => {
    if (inst.op === 'const' || inst.op === 'undef' || inst.op === 'load' || isFinite(value) || !of.every(isFinite))
      return
    throw new Stop({ inst, value, args: of })
  }
  try {
    new Machine({ mode: 'f32', globals, watch, opaque: true }).call(func, args)
  } catch (error) {
    if (error instanceof Stop) return error.origin
    throw error
  }
  return undefined
}

/** How long a text stands for an operand without a name. */
const textLimit = 60

function textOf(span: Span | null): string {
  if (span === null) return ''
  const text = span.file.text.slice(span.start, span.end).replace(/\s+/g, ' ')
  return text.length > textLimit ? `${text.slice(0, textLimit - 1)}…` : text
}

/** An origin as data. */
export function describe({ inst, value, args }: Origin, phase: NonFinite['in']): NonFinite {
  const position = inst.span?.file.position(inst.span.start)
  return {
    value,
    in: phase,
    operation: inst.op === 'call' ? inst.attr.name.replace(/_(float|double|half|vector|matrix).*$/, '') : inst.op,
    operands: inst.args.map((v, i) => ({
      name: v.name !== '' ? v.name : v.def instanceof Region ? '' : v.def.op === 'const' ? '' : textOf(v.def.span),
      value: args[i],
    })),
    file: inst.span?.presumed?.file ?? inst.span?.file.name ?? '',
    line: inst.span?.presumed?.line ?? position?.line ?? 0,
    column: position?.column ?? 0,
    text: textOf(inst.span),
  }
}

/** What the derivative is taken of: the weights of the outputs by name, the result as ''; undefined for one each. */
export type Weights = Readonly<Record<string, unknown>> | undefined

/**
 * Runs `primal`, then its reverse derivative where `reverse` is given, which has the signature of the user guide; says what
 * first is not finite, or undefined.
 */
export function traceNonFinite(
  primal: Func,
  reverse: Func | undefined,
  args: readonly unknown[],
  weights: Weights,
  globals: Readonly<Record<string, Data>>,
): NonFinite | undefined {
  const data = inputs(primal.sig).map((p, i) => toData(p.type, args[i]))
  const found = originOf(primal, data, globals)
  if (found !== undefined) return describe(found, 'primal')
  if (reverse === undefined) return undefined
  const later = originOf(reverse, reverseArguments(primal, reverse, data, weights), globals)
  return later === undefined ? undefined : describe(later, 'derivative')
}

/** The arguments of `bwd_diff(primal)`: pairs, plain inputs, weights of outputs, the weight of the result. */
function reverseArguments(primal: Func, reverse: Func, data: readonly Data[], weights: Weights): Data[] {
  const hasResult = primal.sig.result.kind !== 'void'
  const weight = (type: Type, name: string): Data => {
    const isOne = weights === undefined && (name === '' || !hasResult)
    return isOne ? filled(type, () => 1) : toData(type, weights?.[name])
  }
  const out: Data[] = []
  let next = 0
  for (const p of primal.sig.params) {
    const x = p.dir === 'out' ? undefined : data[next++]!
    const q = reverse.sig.params.find(r => r.name === p.name)
    if (q === undefined) continue
    if (x === undefined) out.push(weight(q.type, p.name))
    else if (q.type === p.type) out.push(x)
    else out.push([x, p.dir === 'inout' ? weight(differential(p.type)!, p.name) : toData(differential(p.type)!, null)])
  }
  if (out.length < inputs(reverse.sig).length) out.push(weight(differential(primal.sig.result)!, ''))
  return out
}
