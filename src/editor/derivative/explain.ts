/**
 * What reverse passes keep, recompute and store, at the places in the source: as data for `cotangent/explain`, and as short hints between the
 * characters of the source.
 */
import { Sink, type Diagnostic } from '../../base/diag.ts'
import type { SourceFile, Span } from '../../base/source.ts'
import type { FuncDecl } from '../../check/model/decl.ts'
import { noSubst } from '../../check/model/type.ts'
import { Explainer, bounded, core, middle, type Change, type Explanation, type Roots } from '../../compile.ts'
import { rangeOf, spanOf, type Position, type Range } from '../range.ts'
import { reasonsFor, reasonText } from './reasons.ts'
import {
  errorIn,
  fileOf,
  functionAt,
  genericsOf,
  instancesOf,
  nameOf,
  reachedFrom,
  type EditorProgram,
} from './subject.ts'

/** The request `cotangent/explain`, without the document. With neither place nor range it asks about the whole file. */
export interface ExplainQuery {
  /** Asks about the function here alone. */
  readonly position?: Position | undefined
  /** Asks about the functions that reach into this range. */
  readonly range?: Range | undefined
  /** How many bytes a reverse pass may keep; default: what the program's options say. */
  readonly maxContext?: number | undefined
}

/** A value that a reverse pass needs. */
export interface ExplainedValue {
  /** Its name in the source, or the text that computes it. */
  readonly value: string
  /** Where it is computed; for what a loop carries from trip to trip, the loop. */
  readonly range: Range
  readonly decision: 'kept' | 'recomputed' | 'stored'
  /** False where only values that are computed again need it. */
  readonly used: boolean
  /** Bytes of one of it. */
  readonly bytes: number
  /** How often one call computes it; null where nothing bounds that. */
  readonly trips: number | null
  /** Bytes of memory that hold it; those of one trip where nothing bounds the trips. */
  readonly stored: number
  /** Operations that compute it again. */
  readonly operations: number
  /** Why, as a sentence. */
  readonly reason: string
  /** What the other choice would change. */
  readonly change?: Change
}

/** The reverse pass of one function. */
export interface ExplainedFunction {
  readonly name: string
  /** Where its name stands. */
  readonly range: Range
  /** True where the reverse derivative is the user's own: it stores nothing. */
  readonly custom: boolean
  /** The values in this file, in order of the source. */
  readonly values: readonly ExplainedValue[]
  /** Bytes that one call stores. */
  readonly bytes: number
  /** Bytes of memory that one call takes besides registers. */
  readonly memory: number
  /** Operations that one call does again. */
  readonly operations: number
}

/** The answer to `cotangent/explain`. */
export interface Explained {
  readonly functions: readonly ExplainedFunction[]
  /** Why a reverse pass could not be made, where one could not. */
  readonly diagnostics: readonly Diagnostic[]
  /** Why there is nothing, in a sentence. */
  readonly refused?: string
}

/** What the reverse passes of a file's functions do with the values that they need. */
export function explainFile(program: EditorProgram, fileName: string, query: ExplainQuery = {}): Explained {
  const file = fileOf(program, fileName)
  if (file === undefined) return { functions: [], diagnostics: [], refused: 'this file is no part of the program' }
  const asked = query.position && functionAt(program, file, query.position)
  if (query.position !== undefined && asked === undefined)
    return { functions: [], diagnostics: [], refused: 'no function with a body stands here' }
  const refused = asked && refusalFor(program, asked)
  if (refused !== undefined) return { functions: [], diagnostics: [], refused }
  const funcs = asked === undefined ? functionsIn(program, file, query.range) : [asked]
  if (funcs.length === 0) return { functions: [], diagnostics: [] }

  const { options, checked } = program
  const maxContext = query.maxContext ?? options.maxContext
  const sink = new Sink(options.limits)
  sink.work.measure(
    checked.files().reduce((sum, f) => sum + f.text.length, 0),
    maxContext !== undefined,
  )
  const explainer = new Explainer()
  const passes = { level: options.optimize ?? 2, maxContext, explain: explainer } as const
  bounded(core, sink, () => middle(checked.program, rootsOf(program, funcs), sink, passes))
  const functions = new Map<string, ExplainedFunction>()
  const add = (e: Explanation): void => {
    const span = explainer.placeOf(e)
    if (span?.file === file && within(span, asked) && !functions.has(e.name))
      functions.set(e.name, explained(e, span, explainer))
    e.callees.forEach(add)
  }
  explainer.explanations().forEach(add)
  return {
    functions: [...functions.values()].toSorted((a, b) => before(a.range.start, b.range.start)),
    diagnostics: sink.list.filter(d => d.severity === 'error'),
  }
}

/** Why there is no reverse pass of a function to explain. */
function refusalFor(program: EditorProgram, func: FuncDecl): string | undefined {
  const { level } = program.checked.program.attributes(func)
  if (level !== 'backward') {
    const chain = level === 'none' ? `\n${reasonText(reasonsFor(program, func))}` : ''
    return `${nameOf(func)} has no reverse derivative${chain}`.trimEnd()
  }
  return isWhole(program, func) ? undefined : `${nameOf(func)} has an error, or leads to one`
}

/** Whether neither a function nor what it leads to has a mistake, nor the user's derivatives of those. */
function isWhole({ checked: { program }, diagnostics }: EditorProgram, func: FuncDecl): boolean {
  if (!diagnostics.some(d => d.severity === 'error')) return true
  const reached = new Set([func])
  // A set is walked to its end also where it grows on the way.
  for (const of of reached) {
    if (errorIn(diagnostics, of) !== undefined) return false
    for (const callee of reachedFrom(program, of).keys()) reached.add(callee)
    if (of.module.isCore || genericsOf(of).length > 0) continue
    const { forward, backward, substitute, apply } = program.derivatives({ kind: 'direct', decl: of, subst: noSubst })
    for (const rule of [forward, backward, substitute, apply?.apply, apply?.context])
      if (rule?.kind === 'direct') reached.add(rule.decl)
  }
  return true
}

/** The functions of a file with a reverse derivative, of which some text is in a range. */
function functionsIn(program: EditorProgram, file: SourceFile, range: Range | undefined): readonly FuncDecl[] {
  const part = range === undefined ? undefined : spanOf(file, range)
  return program.checked.program.declarations.filter((d): d is FuncDecl => {
    if (d.kind !== 'func' || !d.hasBody || d.owner !== null) return false
    const { span } = d.syntax
    if (span.file !== file || (part !== undefined && (span.end < part.start || span.start > part.end))) return false
    return program.checked.program.attributes(d).level === 'backward' && isWhole(program, d)
  })
}

function rootsOf(program: EditorProgram, funcs: readonly FuncDecl[]): Roots {
  const { entries, conformances } = program.checked.roots(new Sink())
  const isEntry = (func: FuncDecl): boolean => entries.some(e => e.func === func && e.stage === 'compute')
  return {
    entries: entries.filter(e => funcs.includes(e.func) && isEntry(e.func)).map(e => ({ ...e, reverse: true })),
    exports: funcs
      .filter(f => !isEntry(f))
      .flatMap(func =>
        instancesOf(program, func).map(({ name, ref }) => ({ func, ref, name, mode: 'backward' as const })),
      ),
    conformances,
  }
}

/** Whether an explanation is of the function that was asked about. What is inside of others that it calls is theirs. */
function within({ file, start }: Span, func: FuncDecl | undefined): boolean {
  const outer = func?.syntax.span
  return outer === undefined || (outer.file === file && outer.start <= start && start <= outer.end)
}

function explained(e: Explanation, span: Span, explainer: Explainer): ExplainedFunction {
  const values = e.residuals.flatMap((r): ExplainedValue[] => {
    const at = explainer.spanOf(r)
    if (at === null || at.file !== span.file) return []
    const { value, decision, used, bytes, trips, stored, operations, reason, change } = r
    const range = rangeOf(at)
    const more = change === undefined ? {} : { change }
    return [{ value, range, decision, used, bytes, trips, stored, operations, reason, ...more }]
  })
  const { name, custom, bytes, memory, operations } = e
  return {
    name,
    range: rangeOf(span),
    custom,
    values: values.toSorted((a, b) => before(a.range.start, b.range.start)),
    bytes,
    memory,
    operations,
  }
}

function before(a: Position, b: Position): number {
  return a.line - b.line || a.character - b.character
}

// ── Hints ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A text to show between two characters. */
export interface ReverseHint {
  readonly position: Position
  readonly label: string
  /** More than fits beside the code. */
  readonly tooltip: string
  readonly paddingLeft: true
}

/** The hints of a range: behind each value that a reverse pass stores or computes again, at what cost. */
export function reverseHints(program: EditorProgram, fileName: string, range: Range): readonly ReverseHint[] {
  const file = fileOf(program, fileName)
  if (file === undefined) return []
  const { functions } = explainFile(program, fileName, { range })
  const groups = new Map<string, { readonly position: Position; readonly values: ExplainedValue[] }>()
  // What became a part of its callers is told of as it is by itself.
  const own = functions.flatMap(f => {
    const func = functionAt(program, file, f.range.start)
    return f.values.filter(v => functionAt(program, file, v.range.start) === func)
  })
  for (const value of own) {
    if (value.decision === 'kept' || (value.decision === 'recomputed' && !value.used)) continue
    const position = hintPlace(file, value.range)
    if (before(position, range.start) < 0 || before(position, range.end) > 0) continue
    const key = `${position.line}:${position.character}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { position, values: [value] })
    else group.values.push(value)
  }
  return [...groups.values()].map(({ position, values }) => {
    const merged = mergedValues(values)
    return {
      position,
      label: [...new Set(merged.map(v => labelOf(v)))].join(', '),
      tooltip: merged.map(tooltipOf).join('\n'),
      paddingLeft: true,
    }
  })
}

/** Behind the value; for what takes several lines, such as a loop, behind the first that is no attribute. */
function hintPlace(file: SourceFile, { start, end }: Range): Position {
  if (start.line === end.line) return end
  let { line } = start
  while (line < end.line && /^\s*\[.*\]\s*$/.test(file.line(line + 1))) line++
  return { line, character: file.line(line + 1).trimEnd().length }
}

/** Values that read alike, as one with the sum of what they cost. */
function mergedValues(values: readonly ExplainedValue[]): readonly ExplainedValue[] {
  const found = new Map<string, ExplainedValue>()
  for (const v of values) {
    const key = `${v.value} ${v.decision} ${v.trips}`
    const old = found.get(key)
    found.set(
      key,
      old === undefined
        ? v
        : {
            ...old,
            bytes: old.bytes + v.bytes,
            stored: old.stored + v.stored,
            operations: old.operations + v.operations,
          },
    )
  }
  return [...found.values()]
}

function labelOf(v: ExplainedValue): string {
  // What a loop carries does not stand right before the hint.
  const what = v.range.start.line === v.range.end.line ? '' : `${v.value} `
  return v.decision === 'recomputed' ? `${what}recomputed` : `${what}stored ${costOf(v)}`
}

function costOf({ bytes, trips }: ExplainedValue): string {
  return trips === 1 ? `${bytes} B` : trips === null ? `${bytes} B a trip` : `${bytes} B × ${trips} trips`
}

function tooltipOf(v: ExplainedValue): string {
  const total = v.decision === 'stored' && v.trips !== null && v.trips > 1 ? `, ${v.stored} bytes in all` : ''
  const cost =
    v.decision === 'stored' ? ` (${costOf(v)}${total})` : v.operations === 0 ? '' : ` (${v.operations} operations)`
  const change =
    v.change === undefined
      ? ''
      : `; [${v.change.attribute}]${v.change.on === '' ? '' : ` on ${v.change.on}`} would change that by ${signed(v.change.bytes)} B and ${signed(v.change.operations)} operations`
  return `${v.value}: ${v.decision} in the reverse pass${cost}: ${v.reason}${change}`
}

function signed(n: number): string {
  return n < 0 ? `−${-n}` : `+${n}`
}
