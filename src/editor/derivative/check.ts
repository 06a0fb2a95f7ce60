/**
 * The verdict of `check` on single functions, for a code lens: which functions have one to ask for, and what came of it. Checking runs the function, so
 * an editor does it in a worker.
 */
import { checkDerivatives, type CheckOutcome } from '../../cpu/index.ts'
import { alongText, blameText } from '../../cpu/report.ts'
import { SourceFile } from '../../base/source.ts'
import type { FuncDecl } from '../../check/model/decl.ts'
import type { CheckedProgram } from '../../check/model/tree.ts'
import type { Type } from '../../check/model/type.ts'
import { CompileError, compile, type CompileOptions, type Program } from '../../index.ts'
import { offsetOf, positionOf, rangeOf, type Position, type Range } from '../range.ts'
import { fileOf, functionAt, genericsOf, nameOf, subjectsOf, type EditorProgram } from './subject.ts'

/** What is known of a function's derivatives. */
export type CheckState = 'unchecked' | 'running' | 'agrees' | 'differs' | 'cannot'

/** A function whose derivatives can be checked. */
export interface CheckLens {
  /** Where its name stands. */
  readonly range: Range
  /** The name by which `checkFunction` takes it. */
  readonly function: string
  readonly state: CheckState
  readonly title: string
  /** The place whose derivative is wrong. */
  readonly blame?: Blamed
}

/** A place whose derivative is wrong. */
export interface Blamed {
  /** A sentence. */
  readonly message: string
  /** The name of the file. */
  readonly file: string
  readonly range: Range
}

/** What came of checking a function. Numbers that are not finite are null, so that it can travel as JSON. */
export interface CheckVerdict {
  readonly function: string
  readonly state: 'agrees' | 'differs' | 'cannot'
  /** The verdict in a few words. */
  readonly title: string
  /** Why there is none, or what else there is to say; '' if nothing. */
  readonly reason: string
  /** At how many inputs derivatives and differences agreed. */
  readonly inputs: number
  /** The seed that makes the same inputs again. */
  readonly seed: number
  /** The first parameter along which they do not; '' if that is all together. */
  readonly parameter?: string
  readonly forward?: number | null
  readonly reverse?: number | null
  readonly differences?: number | null
  /** The arguments of that call, by parameter, as text. */
  readonly arguments?: string
  readonly blame?: Blamed
}

/** How long to check. */
export interface CheckEffort {
  /** Random inputs; default 20. */
  readonly samples?: number | undefined
  /** Milliseconds after which no further input is tried; default 5000. */
  readonly timeLimit?: number | undefined
  /** The seed of the random inputs; default: always the same, so that an editor does not change its mind. */
  readonly seed?: number | undefined
  /** Called and awaited between inputs; may throw to end the check. */
  readonly pause?: (() => Promise<void>) | undefined
}

/** The functions of a file whose derivatives can be checked, with what is known of them by name. */
export function checkLenses(
  program: EditorProgram,
  fileName: string,
  known: ReadonlyMap<string, CheckVerdict | 'running'> = new Map(),
): readonly CheckLens[] {
  const file = fileOf(program, fileName)
  if (file === undefined) return []
  return program.checked.program.declarations.flatMap((d): CheckLens[] => {
    if (d.kind !== 'func' || d.span?.file !== file || obstacleOf(program, d) !== undefined) return []
    return checkNames(program, d).map(name => lensOf(rangeOf(d.span!), name, known.get(name)))
  })
}

function lensOf(range: Range, name: string, known: CheckVerdict | 'running' | undefined): CheckLens {
  const state: CheckState = known === undefined ? 'unchecked' : known === 'running' ? known : known.state
  const title =
    typeof known === 'object' ? known.title : known === 'running' ? 'checking derivatives …' : 'check derivatives'
  const blame = typeof known === 'object' ? known.blame : undefined
  return { range, function: name, state, title, ...(blame === undefined ? {} : { blame }) }
}

/** The names by which the function at a place can be checked; or why it cannot. */
export function checkedAt(
  program: EditorProgram,
  fileName: string,
  position: Position,
): { readonly names: readonly string[] } | { readonly reason: string } {
  const file = fileOf(program, fileName)
  const func = file && functionAt(program, file, position)
  if (func === undefined) return { reason: 'no function with a body stands here' }
  const reason = obstacleOf(program, func)
  if (reason !== undefined) return { reason }
  const names = checkNames(program, func)
  return names.length === 0
    ? {
        reason: `${nameOf(func)} is generic, and nothing calls it: the argument of ${genericsOf(func).join(', ')} is not known`,
      }
    : { names }
}

/** Why a function cannot be checked by itself. */
function obstacleOf({ checked: { program } }: EditorProgram, func: FuncDecl): string | undefined {
  const name = nameOf(func)
  if (!func.hasBody || func.owner !== null) return `${name} has no body of its own`
  const { level, stage } = program.attributes(func)
  if (stage !== null) return `${name} is an entry point: check the functions that it calls`
  if (level === 'none') return `${name} is not differentiable`
  if (func.module !== program.modules[0]) return `${name} belongs to another module: check it there`
  const resource = program.params(func).find(p => !isPlain(program, p.type))
  if (resource !== undefined) return `parameter ${resource.name} of ${name} is no plain data, which random inputs are`
  return undefined
}

/** Whether values of a type are numbers and what is made of them, as far as the type is known. */
function isPlain(program: CheckedProgram, type: Type): boolean {
  switch (type.kind) {
    case 'array':
      return isPlain(program, type.elem)
    case 'struct':
      if (type.decl.intrinsic === 'DifferentialPair')
        return type.args.every(a => !('decl' in a) || isPlain(program, a as Type))
      return type.decl.intrinsic === null && program.fields(type).every(f => isPlain(program, f.type))
    case 'interface':
    case 'func':
    case 'string':
      return false
    default:
      return true
  }
}

/**
 * The names of a function's instances. Those of generic functions, and of overloads, which have their types in their names, are only known of a program
 * without errors.
 */
function checkNames(program: EditorProgram, func: FuncDecl): readonly string[] {
  const isGeneric = genericsOf(func).length > 0
  const isOverloaded = (func.scope.names.get(func.name)?.length ?? 0) > 1
  if (!isGeneric && !isOverloaded) return [nameOf(func)]
  if (program.diagnostics.some(d => d.severity === 'error')) return isGeneric ? [] : [nameOf(func)]
  return subjectsOf(program)
    .filter(s => s.func === func)
    .map(s => s.name)
}

/** The fixed seed of editors: the same text has the same verdict. */
const editorSeed = 20_200_426

/** Checks the derivatives of a function of a program. Mistakes of the program become the reason why there is no verdict. */
export function checkFunction(
  source: string,
  options: CompileOptions,
  name: string,
  effort: CheckEffort = {},
): Promise<CheckVerdict> {
  return checkIn(compile(source, { ...options, debug: true }), name, effort)
}

/** As `checkFunction`, in a program that is compiled already, with `debug`. */
export async function checkIn(
  program: Program,
  name: string,
  { samples = 20, timeLimit = 5000, seed = editorSeed, pause }: CheckEffort = {},
): Promise<CheckVerdict> {
  const cannot = (reason: string): CheckVerdict => ({
    function: name,
    state: 'cannot',
    title: 'cannot be checked',
    reason,
    inputs: 0,
    seed,
  })
  const [first] = program.diagnostics.filter(d => d.severity === 'error')
  if (first !== undefined) return cannot(`the program has errors; the first is: ${first.message}`)
  const known = program.subjects.find(s => s.name === name)
  if (known === undefined) return cannot(`there is no function ${name}`)
  if (known.differentiable === 'none') return cannot(`${name} is not differentiable`)
  let outcome: CheckOutcome
  try {
    const report = await checkDerivatives(program, { functions: [name], samples, seed, timeLimit, pause })
    outcome = report.functions[0]!
  } catch (error) {
    if (!(error instanceof CompileError)) throw error
    return cannot(error.diagnostics.map(d => d.message).join('; '))
  }
  return verdictOf(outcome, program.files, seed, cannot)
}

function verdictOf(
  o: CheckOutcome,
  files: readonly { readonly name: string; readonly text: string }[],
  seed: number,
  cannot: (reason: string) => CheckVerdict,
): CheckVerdict {
  const inputs = o.compared + o.held
  if (o.status === 'skipped') return cannot(o.detail)
  if (o.status === 'ok')
    return {
      function: o.name,
      state: 'agrees',
      title: `derivatives agree at ${inputs} ${inputs === 1 ? 'input' : 'inputs'}`,
      reason: o.detail,
      inputs,
      seed,
    }
  const d = o.disagreement
  if (d === null) return cannot(`${o.detail}: ${o.diagnostics.map(x => x.message).join('; ')}`)
  const where = d.blame === null ? undefined : nameRange(files, d.blame)
  const blame =
    d.blame === null || where === undefined
      ? {}
      : { blame: { message: blameText(d.blame), file: d.blame.file, range: where } }
  return {
    function: o.name,
    state: 'differs',
    title: `the ${d.mode} derivative is wrong${d.parameter === '' ? '' : ` along ${d.parameter}`}`,
    reason: alongText(d),
    inputs,
    seed,
    parameter: d.parameter,
    forward: finite(d.forward),
    reverse: d.reverse === null ? null : finite(d.reverse),
    differences: finite(d.differences),
    arguments: JSON.stringify(d.inputs, (_, v: unknown) => (typeof v === 'bigint' ? Number(v) : v)),
    ...blame,
  }
}

function finite(x: number): number | null {
  return Number.isFinite(x) ? x : null
}

/** The name that begins at a line and a column, which count from 1. */
function nameRange(
  files: readonly { readonly name: string; readonly text: string }[],
  at: { readonly file: string; readonly line: number; readonly column: number },
): Range | undefined {
  const found = files.find(f => f.name === at.file)
  if (found === undefined) return undefined
  const file = new SourceFile(found.name, found.text)
  const start = { line: at.line - 1, character: at.column - 1 }
  const offset = offsetOf(file, start)
  const length = /^\w*/.exec(file.text.slice(offset))![0].length
  return { start, end: positionOf(file, offset + length) }
}
