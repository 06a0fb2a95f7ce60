/** What each stage of the reverse derivative shows of one function: the text of its IR, and what role each value plays there. */
import { compile, renderDiagnostics, stages, type Program, type Stage } from 'cotangent'
import { dependent, flowOf, type Flow } from './flow.ts'
import { readFunctions, type IrFunction, type IrInstruction } from './read.ts'

/** What a value is to the derivative. */
export type Role = 'primal' | 'tangent' | 'cotangent' | 'kept' | 'stored' | 'recomputed'

/** A function beside others in a picture. */
export interface Column {
  readonly name: string
  readonly flow: Flow
  /** Of each row of `flow`. */
  readonly roles: readonly Role[]
  /** Whether it is drawn from the bottom to the top, as cotangents flow. */
  readonly goesUp: boolean
}

/** A value of one column that another column takes: a residual. */
export interface Residual {
  readonly value: string
  readonly from: { readonly column: number; readonly row: number }
  readonly to: { readonly column: number; readonly row: number }
}

export interface StageView {
  readonly stage: Stage
  /** The text of the functions that are drawn. */
  readonly text: string
  readonly columns: readonly Column[]
  readonly residuals: readonly Residual[]
}

/** Either the stages, or what is wrong, for people. */
export type Views =
  | { readonly subject: string; readonly stages: readonly StageView[] }
  | { readonly subject: undefined; readonly problem: string }

/** Names of functions at each stage, of the function `f`. */
const shown: Readonly<Record<Stage, readonly ((f: string) => string)[]>> = {
  lower: [f => f],
  ssa: [f => f],
  prepared: [f => f],
  linearized: [f => `${f}_jvp`],
  unzipped: [f => `${f}.primal`, f => `${f}.linear`],
  transposed: [f => `${f}.primal`, f => `${f}.adjoint`],
  checkpointed: [f => `${f}.primal`, f => `${f}.adjoint`],
  extracted: [f => `${f}_primal`, f => `${f}_vjp`],
  final: [f => `bwd_${f}`],
}

/** Compiles a source, and shows the last of its exported functions that has a reverse derivative. */
export function viewsOf(source: string): Views {
  const program = compile(source, { fileName: 'edited.slang' })
  const errors = program.diagnostics.filter(d => d.severity === 'error')
  if (errors.length > 0) return { subject: undefined, problem: renderDiagnostics(errors, { color: false }) }
  const subject = program.exports.findLast(f => f.differentiable === 'backward')?.name
  if (subject === undefined)
    return { subject: undefined, problem: 'Mark a function [Differentiable] and public: then its derivative is shown.' }
  try {
    return { subject, stages: viewsIn(program, subject) }
  } catch (error) {
    // The derivative may be refused where the function itself is not.
    return { subject: undefined, problem: error instanceof Error ? error.message : String(error) }
  }
}

function viewsIn(program: Program, subject: string): StageView[] {
  const functions = new Map<Stage, readonly IrFunction[]>()
  for (const stage of stages) {
    const all = readFunctions(program.ir(stage, subject))
    functions.set(
      stage,
      // A derivative of higher order has stages of its own; the first of a name is that of the function itself.
      shown[stage].flatMap(name => all.find(f => f.name === name(subject)) ?? []),
    )
  }
  const of = (stage: Stage): readonly IrFunction[] => functions.get(stage) ?? []
  const missing = stages.filter(stage => of(stage).length < shown[stage].length)
  if (missing.length > 0)
    throw new Error(
      `${subject} has no stage of its own named ${missing.join(', ')}: its derivative is written by hand, or nothing has a gradient.`,
    )
  const inputs = of('prepared')[0]!.params.length
  const cotangents = of('transposed')[1]!.params.length
  const context = of('checkpointed')[1]!.params.length - cotangents
  return stages.map((stage): StageView => {
    const funcs = of(stage)
    const columns = funcs.map((func, i) => columnOf(stage, func, i === 1, { inputs, cotangents }))
    return { stage, text: funcs.map(f => f.text).join('\n\n'), columns, residuals: residualsOf(stage, funcs, columns) }

    function residualsOf(at: Stage, pair: readonly IrFunction[], drawn: readonly Column[]): Residual[] {
      const [first, second] = drawn
      if (first === undefined || second === undefined) return []
      if (at === 'unzipped' || at === 'transposed')
        return second.flow.edges.flatMap(({ value, from, to }): Residual[] =>
          from !== undefined ? [] : crossing(value, rowOf(first, value), to),
        )
      // The primal half returns its results, and then the context, in the order in which the reverse half takes it.
      const returned = of('extracted')[0]!.body?.instructions.findLast(i => i.op === 'ret')?.args ?? []
      const kept = returned.slice(returned.length - context)
      const places = pair[1]!.params.slice(at === 'checkpointed' ? cotangents : inputs)
      return kept.flatMap((value, i) => crossing(value, rowOf(first, value), rowOf(second, places[i]?.name)))
    }
  })
}

const rowOf = (column: Column, value: string | undefined): number =>
  column.flow.rows.findIndex(row => row.defines.some(v => v.name === value))

function crossing(value: string, from: number, to: number): Residual[] {
  return from < 0 || to < 0 ? [] : [{ value, from: { column: 0, row: from }, to: { column: 1, row: to } }]
}

/** Operations that only find or move a value: to do them again costs nothing worth a name. */
const moves = new Set(['const', 'var', 'elem', 'field', 'load', 'store', 'extract', 'construct', 'splat', 'parameter'])

function columnOf(
  stage: Stage,
  func: IrFunction,
  isSecond: boolean,
  counts: { readonly inputs: number; readonly cotangents: number },
): Column {
  const flow = flowOf(func)
  const names = func.params.map(p => p.name)
  const { inputs, cotangents } = counts
  const isReverse = isSecond && stage !== 'unzipped'
  const seeds =
    stage === 'linearized'
      ? names.slice(inputs)
      : stage === 'unzipped' && isSecond
        ? names
        : (stage === 'transposed' || stage === 'checkpointed') && isSecond
          ? names.slice(0, cotangents)
          : stage === 'extracted' && isSecond
            ? names.slice(names.length - cotangents)
            : stage === 'final'
              ? names.slice(inputs)
              : []
  const moving = dependent(func, seeds, stage === 'linearized' ? primalResults : undefined)
  const derived: Role = stage === 'linearized' || stage === 'unzipped' ? 'tangent' : 'cotangent'
  const slots = new Set(
    stage === 'checkpointed' && isSecond
      ? names.slice(cotangents)
      : stage === 'extracted' && isSecond
        ? names.slice(inputs, names.length - cotangents)
        : [],
  )
  const roles = flow.rows.map((row): Role => {
    const isDerived =
      row.kind === 'end' || row.defines.length === 0
        ? row.args.some(a => moving.has(a))
        : row.defines.some(v => moving.has(v.name))
    if (isDerived) return derived
    const slot = row.defines.find(v => slots.has(v.name))
    if (slot !== undefined) return /^(array|list)</.test(slot.type) ? 'stored' : 'kept'
    if (isReverse && row.kind === 'instruction' && !moves.has(row.op)) return 'recomputed'
    return 'primal'
  })
  return { name: func.name, flow, roles, goesUp: isReverse }
}

/** Of a call of a forward derivative: it gives the values first, then a tangent of each that has one. */
function primalResults({ results }: IrInstruction): number {
  const floats = results.filter(r => !/^(bool|[iu]\d)/.test(r.type)).length
  return results.length - Math.floor(floats / 2)
}
