/**
 * A virtual document: the derivative of the function at a place, as IR after a stage, as WGSL or as JavaScript, linked line by line with the
 * source. Nothing of it depends on entry points: the function alone is lowered, with what it calls.
 */
import { Sink, type Diagnostic } from '../../base/diag.ts'
import type { FuncDecl } from '../../check/model/decl.ts'
import {
  Stores,
  bounded,
  core,
  finish,
  middle,
  stages,
  targets,
  textureEmulation,
  type MiddleOptions,
  type Roots,
  type Stage,
  type Target,
} from '../../compile.ts'
import { resourceChoiceInTarget } from '../../base/errors/target.ts'
import { printFunc, printModule } from '../../ir/print.ts'
import type { Func, Module } from '../../ir/value.ts'
import { walk } from '../../ir/walk.ts'
import { emitJs } from '../../target/js/js.ts'
import { emitWgsl } from '../../target/wgsl/emit.ts'
import type { Position } from '../range.ts'
import { linksOf, type Link, type Mapped } from './links.ts'
import { reasonsFor, reasonText, type Reason } from './reasons.ts'
import {
  callsIn,
  errorIn,
  fileOf,
  functionAt,
  genericsOf,
  instancesOf,
  nameOf,
  reachedFrom,
  type Call,
  type EditorProgram,
  type Instance,
} from './subject.ts'

/** What of a function to show. `primal` is the function itself, beside which its derivatives can be read. */
export type DerivativeMode = 'primal' | 'forward' | 'reverse'

/** What to show it as. */
export type DerivativeForm = 'ir' | 'wgsl' | 'js'

/** The request `cotangent/derivative`, without the document. */
export interface DerivativeQuery {
  readonly position: Position
  readonly mode: DerivativeMode
  readonly as: DerivativeForm
  /** For `ir`: the stage to look at, by the names that `--dump-ir` takes; default the last. */
  readonly stage?: string | undefined
  /** Of a generic function: which instance, as `name<arguments>`; default the first that the program makes. */
  readonly instance?: string | undefined
}

/** A text and what its lines were made of. */
export interface DerivativeText {
  /** The name of the function, of a generic one with its arguments. */
  readonly name: string
  readonly text: string
  readonly links: readonly Link[]
  /** The other instances that the program makes of the function. */
  readonly instances: readonly string[]
}

/** Why there is no text. */
export interface Refusal {
  /** A sentence. */
  readonly refused: string
  /** The mistakes that are in the way. */
  readonly diagnostics: readonly Diagnostic[]
  /** Why the function is not differentiable, where that is it. */
  readonly reasons: readonly Reason[]
}

function refusal(refused: string, diagnostics: readonly Diagnostic[] = [], reasons: readonly Reason[] = []): Refusal {
  return { refused, diagnostics, reasons }
}

/** The derivative of the function at a place of a file. */
export function derivativeAt(
  program: EditorProgram,
  fileName: string,
  query: DerivativeQuery,
): DerivativeText | Refusal {
  const { mode, as, stage = 'final' } = query
  if (!isOneOf(['primal', 'forward', 'reverse'], mode))
    return refusal(`${String(mode)} is no mode; the modes are primal, forward, reverse`)
  if (!isOneOf(['ir', 'wgsl', 'js'], as)) return refusal(`${String(as)} is no form; the forms are ir, wgsl, js`)
  if (!isOneOf(stages, stage)) return refusal(`${stage} is no stage; the stages are ${stages.join(', ')}`)
  const file = fileOf(program, fileName)
  const func = file && functionAt(program, file, query.position)
  if (file === undefined || func === undefined) return refusal('no function with a body stands here')
  const broken = brokenBelow(program, func)
  if (broken !== undefined) return broken
  const without = underivable(program, func, mode)
  if (without !== undefined) return without
  if (mode === 'forward' && as !== 'ir' && isEntry(program, func))
    return refusal(
      `the entry point ${nameOf(func)} has its forward derivative as IR only; its reverse derivative is an entry point too`,
    )
  const instances = attempted(program, () => instancesOf(program, func))
  if ('refused' in instances) return instances
  const instance = query.instance === undefined ? instances[0] : instances.find(i => i.name === query.instance)
  if (instance === undefined) return noInstance(func, query.instance, instances)
  const made = attempted(program, () => make(program, func, instance, { mode, as, stage }))
  if ('refused' in made) return made
  return {
    name: instance.name,
    text: made.text,
    links: linksOf(made.text, made.mapped, file.name),
    instances: instances.filter(i => i !== instance).map(i => i.name),
  }
}

function isOneOf<T extends string>(list: readonly T[], value: string): value is T {
  return (list as readonly string[]).includes(value)
}

// ── What is in the way ───────────────────────────────────────────────────────────────────────────────────────────

/** A mistake in the function, or in one that it calls. Mistakes elsewhere are none of its business. */
function brokenBelow({ checked, diagnostics }: EditorProgram, func: FuncDecl): Refusal | undefined {
  if (!diagnostics.some(d => d.severity === 'error')) return undefined
  for (const [of, call] of reachedFrom(checked.program, func)) {
    const error = errorIn(diagnostics, of)
    if (error === undefined) continue
    const whose =
      of === func
        ? `${nameOf(func)} has an error`
        : `${nameOf(func)} leads to ${nameOf(of)}${lineOf(call)}, which has an error`
    return refusal(`${whose}: ${error.message}`, [error])
  }
  return undefined
}

function lineOf(call: Call | null): string {
  const span = call?.span ?? undefined
  return span === undefined ? '' : ` (line ${span.position.line})`
}

/** What lowering says of a program with mistakes elsewhere, which it need not understand. */
function attempted<T>(program: EditorProgram, work: () => T): T | Refusal {
  const errors = program.diagnostics.filter(d => d.severity === 'error')
  try {
    return work()
  } catch (error) {
    if (errors.length === 0) throw error
    return refusal(`errors in other declarations are in the way; the first is: ${errors[0]!.message}`, errors)
  }
}

/** A function without the derivative that was asked for. */
function underivable(program: EditorProgram, func: FuncDecl, mode: DerivativeMode): Refusal | undefined {
  if (mode === 'primal') return undefined
  const { level, stage } = program.checked.program.attributes(func)
  if (level === 'backward' || (level === 'forward' && mode === 'forward')) return undefined
  const name = nameOf(func)
  if (level === 'forward')
    return refusal(`${name} has a forward derivative only: mark it [Differentiable], or give it a [BackwardDerivative]`)
  const body = program.checked.program.body(func)
  const derivable =
    stage === null || body === null
      ? []
      : [
          ...new Set(
            callsIn(body)
              .map(c => c.func)
              .filter(f => !f.module.isCore && program.checked.program.attributes(f).level !== 'none')
              .map(nameOf),
          ),
        ]
  const reasons = reasonsFor(program, func)
  const instead = derivable.length === 0 ? '' : `; it calls ${derivable.join(', ')}, of which there are derivatives`
  const what = stage === null ? name : `the entry point ${name}`
  return refusal(`${what} is not differentiable${instead}\n${reasonText(reasons)}`.trimEnd(), [], reasons)
}

function noInstance(func: FuncDecl, asked: string | undefined, instances: readonly Instance[]): Refusal {
  const missing = genericsOf(func).join(', ')
  if (asked !== undefined)
    return refusal(
      `the program makes no instance ${asked}${instances.length === 0 ? '' : `; it makes ${instances.map(i => i.name).join(', ')}`}`,
    )
  return refusal(`${nameOf(func)} is generic, and nothing calls it: the argument of ${missing} is not known`)
}

// ── Making it ────────────────────────────────────────────────────────────────────────────────────────────────────

interface Made {
  readonly text: string
  readonly mapped: readonly Mapped[]
}

interface Wanted {
  readonly mode: DerivativeMode
  readonly as: DerivativeForm
  readonly stage: Stage
}

function make(program: EditorProgram, func: FuncDecl, instance: Instance, wanted: Wanted): Made | Refusal {
  const { options, checked } = program
  const { as } = wanted
  const sink = new Sink(options.limits)
  const characters = checked.files().reduce((sum, f) => sum + f.text.length, 0)
  sink.work.measure(characters, options.maxContext !== undefined)
  const roots = rootsOf(program, func, instance, wanted.mode)
  const made = bounded(core, sink, () =>
    as === 'ir' ? irOf(program, roots, sink, wanted) : codeOf(program, roots, sink, as),
  )
  const errors = sink.list.filter(d => d.severity === 'error')
  // Nobody calls the function here, so nobody says which resource a parameter is.
  if (errors.length > 0 && errors.every(d => d.entry === resourceChoiceInTarget)) return unsuitable(func, wanted)
  if (errors.length > 0) return refusal([...new Set(errors.map(d => d.message))].join('\n'), errors)
  if (made !== undefined && 'refused' in made) return made
  return made === undefined || made.text === '' ? unsuitable(func, wanted) : made
}

/** What neither errs nor gives anything: a resource stands among its parameters. */
function unsuitable(func: FuncDecl, { as, stage }: Wanted): Refusal {
  return as === 'ir'
    ? refusal(`${nameOf(func)} does not go through the stage ${stage}`)
    : refusal(
        `${nameOf(func)} takes or gives a resource, which ${as === 'js' ? 'JavaScript' : 'WGSL'} cannot hand over: look at its IR, or at a function that calls it`,
      )
}

function isEntry({ checked }: EditorProgram, func: FuncDecl): boolean {
  return checked.program.attributes(func).stage !== null
}

/** An entry point stays one, and its reverse derivative is another; of any other function what is asked for is exported. */
function rootsOf({ checked }: EditorProgram, func: FuncDecl, { name, ref }: Instance, mode: DerivativeMode): Roots {
  const { entries, conformances } = checked.roots(new Sink())
  const entry = mode === 'forward' ? undefined : entries.find(e => e.func === func)
  if (entry !== undefined && (mode === 'primal' || entry.stage === 'compute'))
    return { entries: [mode === 'primal' ? entry : { ...entry, reverse: true }], exports: [], conformances }
  const exported =
    mode === 'primal'
      ? ({ func, ref, name, mode } as const)
      : mode === 'forward'
        ? ({ func, ref, name: `fwd_diff(${name})`, mode } as const)
        : ({ func, ref, name: `bwd_diff(${name})`, mode: 'backward' } as const)
  return { entries: [], exports: [exported], conformances }
}

function passesOf({ options }: EditorProgram, target: Target | undefined): MiddleOptions {
  const { optimize = 2, maxContext } = options
  return {
    level: optimize,
    target,
    textureEmulation: target !== undefined && !targets[target].textures ? textureEmulation : undefined,
    maxContext,
    explain: maxContext === undefined ? undefined : new Stores(),
  }
}

/** IR after a stage: of the whole, or of the functions that go through the stage one by one. The library's functions are left out. */
function irOf(program: EditorProgram, roots: Roots, sink: Sink, { stage, mode }: Wanted): Made | Refusal {
  const parts = new Map<string, Made>()
  const seen = new Set<Stage>()
  const take = (at: Stage, what: Module | Func): void => {
    if (!('funcs' in what) && isLibrary(what)) return
    if ('funcs' in what && at === 'final') placed(what, roots)
    seen.add(at)
    if (at !== stage) return
    const mapped: Mapped[] = []
    const line = (line: number, span: Mapped['span']): number => mapped.push({ line, span })
    const text = 'funcs' in what ? printModule(what, { take: line, keep: f => !isLibrary(f) }) : printFunc(what, line)
    // A derivative is made again where it does not fit a budget; the last one stays.
    parts.set('funcs' in what ? '' : what.name, { text, mapped })
  }
  const options = { ...passesOf(program, undefined), dump: take }
  const module = middle(program.checked.program, roots, sink, options)
  if (sink.errors === 0) finish(module, sink, options)
  if (sink.errors === 0 && parts.size === 0)
    return refusal(
      `the ${mode === 'primal' ? 'function itself' : `${mode} derivative`} does not go through the stage ${stage}; it goes through ${[...seen].join(', ')}`,
    )
  return joined([...parts.values()])
}

/**
 * Gives what the compiler wrote itself a place: a derivative stands where its function does, and what gathers values, such as a `return`, where the
 * first of them is computed.
 */
function placed(module: Module, roots: Roots): void {
  for (const func of module.funcs) {
    if (isLibrary(func) || func.body === undefined) continue
    if (func.info.exported !== undefined) func.span ??= roots.exports[0]?.func.span ?? null
    walk(func.body, inst => {
      if (inst.span !== null && !inst.span.file.isCore) return
      for (const { def } of inst.args) {
        if (def.op === 'param' || def.span === null || def.span.file.isCore) continue
        inst.span = def.span
        return
      }
    })
  }
}

function isLibrary(func: Func): boolean {
  return func.info.library || func.span?.file.isCore === true
}

function joined(parts: readonly Made[]): Made {
  let text = ''
  let before = 0
  const mapped: Mapped[] = []
  for (const part of parts) {
    if (text !== '') {
      text += '\n'
      before++
    }
    for (const { line, span } of part.mapped) mapped.push({ line: before + line, span })
    text += part.text
    before += part.text.split('\n').length - 1
  }
  return { text, mapped }
}

function codeOf(program: EditorProgram, roots: Roots, sink: Sink, target: 'wgsl' | 'js'): Made | undefined {
  const options = passesOf(program, target)
  const module = middle(program.checked.program, roots, sink, options)
  if (sink.errors > 0) return undefined
  finish(module, sink, options)
  placed(module, roots)
  const origins: Mapped[] = []
  if (target === 'js') {
    const { code, exports } = emitJs(module, { origins }, sink)
    return exports.length === 0 ? undefined : { text: code, mapped: origins }
  }
  const functions = module.funcs.filter(f => f.info.exported !== undefined)
  const { code } = emitWgsl(module, { functions, origins }, sink)
  return { text: code, mapped: origins }
}
