/**
 * The only file that knows the order of the stages:
 *
 *   source → syntax → check → lower → tidy → derivatives → tidy, inline, optimise → target
 *
 * It owns what runs at each level, the dumps, the timing, and the verification after each pass.
 */
import type { Explain } from './ad/context.ts'
import { resolveRequests, type AdHooks } from './ad/request.ts'
import { InternalError, Sink } from './base/diag.ts'
import { suggestAmong } from './base/near.ts'
import { LimitReached } from './base/limits.ts'
import { unknownBound } from './base/errors/ad.ts'
import { missingEntry } from './base/errors/target.ts'
import { missingExport } from './base/errors/lower.ts'
import { check } from './check/check.ts'
import type { LibraryData } from './check/modules/library.ts'
import type { CheckedProgram } from './check/model/tree.ts'
import type * as verifiers from './ir/verify.ts'
import type { DiffLevel, Func, Module } from './ir/value.ts'
import { walk } from './ir/walk.ts'
import type { Pictures } from './lower/context.ts'
import type { Conformance } from './lower/dispatch.ts'
import { lower, type Lowered, type EntryRoot, type ExportRoot, type Roots } from './lower/lower.ts'
import { subjectsOf, type Subject } from './lower/subjects.ts'
import type { Change, Cx } from './opt/cx.ts'
import { dce } from './opt/dce.ts'
import { effects } from './opt/effects.ts'
import { expand } from './opt/expand.ts'
import { gvn } from './opt/gvn.ts'
import { inline, inlineAll, inlineContexts, inlineSingleCalls, sizeOf } from './opt/inline.ts'
import { licm } from './opt/licm.ts'
import { boundLists, listVariables } from './opt/lists.ts'
import { memory } from './opt/memory.ts'
import { forgetRecursion } from './opt/recursion.ts'
import { resources } from './opt/resources.ts'
import { shapeOf, type Shape } from './opt/shape.ts'
import { simplify } from './opt/simplify.ts'
import { slots } from './opt/slots.ts'
import { sroa } from './opt/sroa.ts'
import { ssa } from './opt/ssa.ts'
import { unroll, unrollFew, unrollSmall } from './opt/unroll.ts'
import { unused, unusedParams, unusedTypes } from './opt/unused.ts'

export { core } from './check/core.generated.ts'
export { forgetCore } from './check/modules/library.ts'
export type { LibraryData }

/** The stages whose IR can be looked at, in order. */
export const stages: readonly Stage[] = ['lower', 'ssa', 'prepared', 'linearized', 'unzipped', 'transposed', 'checkpointed', 'extracted', 'final']

export type Stage = 'lower' | 'ssa' | 'prepared' | 'linearized' | 'unzipped' | 'transposed' | 'checkpointed' | 'extracted' | 'final'

export { limitTrips } from './opt/limit.ts'
export { Explainer, type Change, type Explanation, type Residual } from './ad/explain.ts'
export type { Explain }

export type Target = 'wgsl' | 'wasm' | 'js'

/** How hard to optimise: `-O0` to `-O3`. */
export type Level = 0 | 1 | 2 | 3

/** What verifies IR: bundles that only make WGSL go without. */
export type Verifier = Pick<typeof verifiers, 'verify' | 'verifyModule'>

export interface MiddleOptions {
  readonly level: Level
  /** Verifies after each pass; a failure is an `InternalError`. */
  readonly verifier?: Verifier | undefined
  /**
   * What the IR is for: fallback bodies of functions that the target spells are left out (not for WebAssembly, which has
   * its spellings for some types only). Undefined: for any target.
   */
  readonly target?: Target | undefined
  /** What stands for textures, where the target has none. */
  readonly pictures?: Pictures | undefined
  /** Floats are computed in double precision, so constants are not rounded to their type. */
  readonly wide?: boolean | undefined
  /** Makes a function check at run time, on a CPU, what is otherwise taken at its word: that its loops keep to `[MaxIters]`. */
  readonly limit?: ((func: Func) => void) | undefined
  /** Takes what a stage made: the whole module for `lower`, `ssa` and `final`, one function for the others. */
  readonly dump?: ((stage: Stage, what: Module | Func) => void) | undefined
  /** How many bytes a reverse pass may keep. */
  readonly maxContext?: number | undefined
  /** Told what the reverse passes keep, compute again and store. */
  readonly explain?: Explain | undefined
  /** Takes the time that each phase took, in milliseconds. */
  readonly time?: ((phase: string, ms: number) => void) | undefined
}

/** A pass over one function. */
type Pass = (func: Func, cx: Cx) => Change

/** A pass, and what a function must have for it to find work. */
type Step = readonly [name: string, pass: Pass, needs?: keyof Shape]

/** What a function takes beside its instructions, counted in these. */
const functionCost = 10

/** After these a pass over a function changes little more. */
const maxRounds = 4

/**
 * Clean SSA form, with calls as they stand, since a callee may have a derivative of its own: composites are taken apart
 * before variables are promoted, constants folded before equal values are found, and what is left unused goes last; each
 * may make work for the ones before, so the list is run again while it does.
 */
const tidyPasses: readonly Step[] = [
  ['sroa', sroa, 'variables'],
  ['ssa', ssa, 'variables'],
  ['simplify', simplify],
  ['unroll', unroll, 'loops'],
  ['gvn', gvn],
  ['dce', dce],
]

/** What pays only once derivatives are there: small loops unrolled, invariant work moved out, more folding after both. */
const finalPasses: readonly Step[] = [
  ['inline', inline, 'calls'],
  ['unrollSmall', unrollSmall, 'loops'],
  ['sroa', sroa, 'variables'],
  ['ssa', ssa, 'variables'],
  ['simplify', simplify],
  ['slots', slots, 'choices'],
  ['gvn', gvn],
  ['licm', licm, 'loops'],
  ['memory', memory, 'ownStores'],
  ['dce', dce],
]

/** What pays once more where sums were taken apart, which brings in neither calls nor work for each trip of a loop that was there. */
const sumPasses: readonly Step[] = finalPasses.filter(([name]) => name !== 'inline' && name !== 'licm')

const slotPasses: readonly Step[] = [
  ['slots', slots, 'choices'],
  ['dce', dce],
]

/** Passes after which variables can be promoted that could not be before. */
const uncovering: ReadonlySet<string> = new Set(['unroll', 'unrollSmall'])

/** Passes that bring equal work together. */
const moving: ReadonlySet<string> = new Set(['licm', 'memory', 'unroll', 'unrollSmall'])

/** Passes that make code of code, and do not count it themselves. */
const growing: ReadonlySet<string> = new Set(['unroll', 'unrollSmall'])

/** Passes after which a function may have less, or more, for others to work on. */
const reshaping: ReadonlySet<string> = new Set(['inline', 'unroll', 'unrollSmall', 'ssa'])

/** Does the work, and tells how long it took where somebody asks: Node takes milliseconds to make its clock ready. */
export function timed<T>({ time }: Pick<MiddleOptions, 'time'>, phase: string, work: () => T): T {
  if (time === undefined) return work()
  const start = performance.now()
  const out = work()
  time(phase, performance.now() - start)
  return out
}

class Runner {
  readonly #cx: Cx
  readonly #options: MiddleOptions

  constructor(cx: Cx, options: MiddleOptions) {
    this.#cx = cx
    this.#options = options
  }

  /**
   * Runs passes in order: again in full while one of those changed something that make work for the ones before them, and in
   * the end once more what folds and merges, where a pass that came later has left it something.
   */
  passes(func: Func, list: readonly Step[]): void {
    let shape = shapeOf(func)
    // What the passes run last left for others to fold, or to find equal.
    let control = false
    let values = false
    // In another round, passes up to the last that may have made work for others; once one finds work, all.
    let last = list.length
    for (let round = 0; last >= 0 && round < maxRounds; round++) {
      let until = last
      last = -1
      for (let i = 0; i < list.length && i <= until; i++) {
        const [name, pass, needs] = list[i]!
        if (needs !== undefined && !shape[needs]) continue
        const change = this.#run(func, name, pass)
        if (name === 'simplify') control = false
        else if (name === 'gvn') values = false
        if (change === false) continue
        until = list.length
        control ||= change === 'control'
        values ||= moving.has(name)
        if (uncovering.has(name) || (last >= 0 && name === 'memory')) last = i
        // What has become promotable is promoted at once; folding and merging is all that it then takes.
        if (name === 'memory' && this.#promotes(func)) control = true
        if (reshaping.has(name)) shape = shapeOf(func)
      }
    }
    if (control && this.#run(func, 'simplify', simplify) !== false) values = true
    if (values && this.#run(func, 'gvn', gvn) !== false) this.#run(func, 'dce', dce)
  }

  /** Promotes what has become promotable; true where there was some. */
  #promotes(func: Func): boolean {
    const split = this.#run(func, 'sroa', sroa)
    return this.#run(func, 'ssa', ssa) !== false || split !== false
  }

  #run(func: Func, name: string, pass: Pass): Change {
    let did: Change
    const values = func.nextValue
    try {
      did = pass(func, this.#cx)
    } catch (cause) {
      if (cause instanceof InternalError || cause instanceof LimitReached) throw cause
      throw new InternalError(name, `${cause instanceof Error ? cause.message : String(cause)} in ${func.name}`, { cause })
    }
    if (did !== false) this.#options.verifier?.verify(func, name)
    if (growing.has(name)) this.#cx.sink.work.spend('instructions', func.nextValue - values, func.span)
    return did
  }

  /** Runs a pass over all functions. */
  whole<T>(module: Module, name: string, pass: (module: Module) => T): T {
    const out = pass(module)
    this.#options.verifier?.verifyModule(module, name)
    return out
  }

  dump(stage: Stage, module: Module): void {
    this.#options.dump?.(stage, module)
  }
}

export type Root = ExportRoot
export type { Lowered, Pictures, Roots }
export { pictures } from './lower/picture.ts'

/** What to read and what to compile of it. */
export interface FrontOptions {
  /** The name of the source in messages, and the place from which imports are looked up. Default `main.slang`. */
  readonly fileName?: string | undefined
  /** Sources by path, for `import`, `__include` and `#include`. */
  readonly files?: Readonly<Record<string, string>> | undefined
  /**
   * Finds a source that is not among `files`: its text, or undefined where there is no such file. Must answer at once: anything else (null, bytes,
   * a Promise) is an error at the place that asked, as is an exception, whose message is told.
   *
   * The path is what the program asks for, behind the folder of the file that asks, each of `searchPaths`, or nothing, in that order until there
   * is an answer; `.` and `..` are taken out as far as they can be, and each path is asked for once. So it is whatever the author of the program
   * chose: it may be absolute, begin with `../`, or hold any character. Who compiles programs of strangers answers only for what they may read,
   * and where files are read, only regular ones of bounded size.
   */
  readonly resolve?: ((path: string) => string | undefined) | undefined
  /** Folders in which imports are looked up, after that of the importing file. */
  readonly searchPaths?: readonly string[] | undefined
  /** Macros, as by `#define`; `true` defines one as 1. */
  readonly defines?: Readonly<Record<string, string | number | boolean>> | undefined
  /**
   * How matrices lie in buffers and uniforms, where neither `row_major` nor `column_major` says it: row by row, as by default, or
   * column by column, as `slangc` has it by default.
   */
  readonly matrixLayout?: 'row-major' | 'column-major' | undefined
  /** Types for dynamic dispatch beyond those that the program makes: `Type:Interface` or `Type:Interface=id`. */
  readonly conformances?: readonly string[] | undefined
  /** Entry points to compile; default: every function with a stage. One without `[shader]` needs its stage here. */
  readonly entries?: readonly (string | { readonly name: string; readonly stage: Stages })[] | undefined
  /** Threads of a group of `[CUDAKernel]`s without `[numthreads]`, which in other places the launch says; default 64 × 1 × 1. */
  readonly blockSize?: readonly [number, number, number] | undefined
  /** Functions to export to WebAssembly and JavaScript; default: every `public` or `export` function of the source. */
  readonly exports?: readonly string[] | undefined
  /** Told how long each phase took, in milliseconds. What it throws is the caller's own, and goes through. */
  readonly time?: ((phase: string, ms: number) => void) | undefined
}

type Stages = 'compute' | 'vertex' | 'fragment'

/** A checked program with what was asked of it. */
export class Checked {
  readonly program: CheckedProgram
  readonly #options: FrontOptions

  constructor(program: CheckedProgram, options: FrontOptions) {
    this.program = program
    this.#options = options
  }

  /** The files it was read from, the root file first. */
  files(): readonly { readonly name: string; readonly text: string }[] {
    return this.program.modules.filter(m => !m.isCore).flatMap(m => m.files).map(f => ({ name: f.name, text: f.text }))
  }

  /** The user's functions at module level. */
  functions(): readonly { readonly name: string; readonly differentiable: DiffLevel }[] {
    return this.program.functions.filter(f => f.role === 'function' && f.hasBody).map(f => ({ name: f.name, differentiable: this.program.attributes(f).level }))
  }

  /** How far a function lets itself be differentiated. */
  level(root: Pick<ExportRoot, 'func'>): DiffLevel {
    return this.program.attributes(root.func).level
  }

  #subjects: ReadonlyMap<string, Subject> | undefined

  /** Every function that has a name of its own: methods and instances of generic functions too. */
  subjects(): ReadonlyMap<string, Subject> {
    const entries = this.program.entries.map((func): EntryRoot => ({ func, stage: stageOf(this.program.attributes(func).stage) }))
    return this.#subjects ??= subjectsOf(this.program, entries)
  }

  /** Those of the source's own file, with how far each lets itself be differentiated. */
  own(): readonly { readonly name: string; readonly differentiable: DiffLevel }[] {
    const root = this.program.modules[0]
    return [...this.subjects().values()].filter(s => s.func.module === root).map(s => ({ name: s.name, differentiable: this.level(s) }))
  }

  /** The function of that name, however its generic arguments are spaced. */
  subject(name: string): Subject | undefined {
    const subjects = this.subjects()
    return subjects.get(name) ?? subjects.get(name.replace(/\s+/g, '').replaceAll(',', ', '))
  }

  /** What to lower: what the options name, else all entry points and all exported functions. */
  roots(sink: Sink): Roots {
    const { program } = this
    const options = this.#options
    const free = program.functions.filter(f => f.role === 'function' && f.hasBody)
    const entries: EntryRoot[] = []
    if (options.entries === undefined) {
      for (const func of program.entries) entries.push({ func, stage: stageOf(program.attributes(func).stage), blockSize: options.blockSize })
    } else {
      for (const asked of options.entries) {
        const name = typeof asked === 'string' ? asked : asked.name
        const func = free.find(f => f.name === name)
        const stage = func === undefined ? null : typeof asked === 'string' ? program.attributes(func).stage : asked.stage
        if (func === undefined || stage === null) sink.add(missingEntry, undefined, { name }, ...suggestAmong(name, program.entries.map(f => f.name)))
        else entries.push({ func, stage: stageOf(stage), blockSize: options.blockSize })
      }
    }
    const names = options.exports
    const exports: ExportRoot[] = []
    const taken = new Set<string>()
    for (const func of free) {
      const wanted = names === undefined ? program.attributes(func).exported : names.includes(func.name)
      if (!wanted || taken.has(func.name) || entries.some(e => e.func === func)) continue
      taken.add(func.name)
      exports.push({ func, name: func.name, mode: 'primal' })
    }
    for (const name of names ?? []) {
      if (taken.has(name)) continue
      const subject = this.subject(name)
      if (subject === undefined) sink.add(missingExport, undefined, { name }, ...suggestAmong(name, [...this.subjects().keys()]))
      else exports.push({ ...subject, name, mode: 'primal' })
    }
    return { entries, exports, conformances: (options.conformances ?? []).map(conformance) }
  }
}

function stageOf(stage: string | null): Stages {
  return stage === 'vertex' ? stage : stage === 'fragment' || stage === 'pixel' ? 'fragment' : 'compute'
}

/** Reads `Type:Interface` or `Type:Interface=id`. */
function conformance(text: string): Conformance {
  const [, type = text, iface = '', id] = /^(.*?):([^:=]*)(?:=(\d+))?$/.exec(text) ?? []
  return { type: type.trim(), iface: iface.trim(), id: id === undefined ? undefined : Number(id) }
}

/** Parses and checks a program; mistakes go to the sink. */
export function front(source: string, options: FrontOptions, core: LibraryData, sink: Sink): Checked {
  const program = timed(options, 'check', () => check({
    source, fileName: options.fileName ?? 'main.slang', files: options.files ?? {}, resolve: options.resolve,
    searchPaths: options.searchPaths ?? [], defines: options.defines ?? {}, columnMajor: options.matrixLayout === 'column-major',
  }, core, sink))
  return new Checked(program, options)
}

/** Lowers what the roots need, and leaves derivatives as what they are asked for: what the program says, without any pass. */
export function asWritten(program: CheckedProgram, roots: Roots, sink: Sink, pictures: Pictures | undefined): Lowered {
  return lower(program, roots, sink, undefined, pictures)
}

/** Lowers what the roots need and writes the derivatives; every mistake that IR can show is found here. */
export function middle(program: CheckedProgram, roots: Roots, sink: Sink, options: MiddleOptions): Module {
  const cx: Cx = { sink, level: options.level, wide: options.wide === true }
  const runner = new Runner(cx, options)
  const { module, derivatives } = timed(options, 'lower', () => lower(program, roots, sink, options.target === 'wasm' ? undefined : options.target, options.pictures))
  // What stands for what was refused need not fit.
  if (sink.errors === 0) options.verifier?.verifyModule(module, 'lower')
  runner.dump('lower', module)
  if (sink.errors > 0) return module

  // A function that derivatives ask for later is tidied when it is lowered, by the hook below.
  const tidied = new Set<Func>()
  const tidy = (func: Func): void => {
    if (func.body !== undefined) {
      if (!tidied.has(func)) sink.work.spend('instructions', functionCost + sizeOf(func.body), func.span)
      runner.passes(func, tidyPasses)
    }
    tidied.add(func)
  }
  const fresh = (exceptRules = false): void => {
    for (let i = 0; i < module.funcs.length; i++) {
      const func = module.funcs[i]!
      // A rule of the library is tidied once it has become part of what asked for it.
      if (!tidied.has(func) && !(exceptRules && func.info.library)) tidy(func)
    }
  }
  // Only loops as they were written have bounds that somebody gave.
  const limit = (from: number): void => {
    if (options.limit !== undefined) for (let i = from; i < module.funcs.length; i++) options.limit(module.funcs[i]!)
  }
  limit(0)
  timed(options, 'ssa', () => fresh())
  runner.dump('ssa', module)

  const hooks: AdHooks = {
    sink,
    derivatives: func => {
      const before = module.funcs.length
      derivatives(func)
      limit(before)
      if (module.funcs.length > before) fresh(true)
    },
    tidy,
    isTidy: func => tidied.has(func),
    growable: options.target === 'wasm' || options.target === 'js',
    expand: func => unrollFew(func, cx),
    explain: options.explain, maxContext: options.maxContext,
    observe: (stage, func) => {
      // The trees of the stages between are no whole functions: one uses values of the other.
      if (stage === 'prepared' || stage === 'linearized' || stage === 'extracted') options.verifier?.verify(func, stage)
      options.dump?.(stage, func)
    },
  }
  timed(options, 'derivatives', () => resolveRequests(module, hooks))
  forgetRecursion(module.funcs)
  if (sink.errors > 0) return module
  options.verifier?.verifyModule(module, 'derivatives')
  return module
}

/** Optimises a module in place: IR that a target can take. */
export function finish(module: Module, sink: Sink, options: MiddleOptions): void {
  const cx: Cx = { sink, level: options.level, wide: options.wide === true }
  const runner = new Runner(cx, options)
  timed(options, 'optimise', () => {
    const listed = options.target === 'wgsl' && module.funcs.some(f => listVariables(f).length > 0)
    // What is stored for the trips of loops is copied from call to call on a GPU; lists cannot be, and shorten only where their loops are seen.
    if (options.target === 'wgsl') inlineContexts(module)
    optimise(module, runner, cx)
    if (listed) bound(module, runner, cx)
    unusedTypes(module)
  })
  options.verifier?.verifyModule(module, 'optimise')
  runner.dump('final', module)
}

/** Makes arrays of all lists; complains of the loops that leave no bound to be seen. */
function bound(module: Module, runner: Runner, cx: Cx): void {
  const shorten = (func: Func): boolean => {
    if (listVariables(func).length === 0) return false
    if (cx.level === 0) runner.passes(func, finalPasses)
    if (boundLists(func)) runner.passes(func, finalPasses)
    return listVariables(func).length > 0
  }
  // A bound may be known where a function is called.
  const open = new Set(module.funcs.filter(shorten))
  if (open.size === 0) return
  for (const func of module.funcs) if (inlineAll(func, callee => open.has(callee), Infinity, cx.sink.work)) runner.passes(func, finalPasses)
  unused(module)
  for (const func of module.funcs) {
    if (!shorten(func)) continue
    const left = listVariables(func).map(inst => inst.span)
    const spans = left.filter(span => span !== null)
    for (const span of spans) cx.sink.add(unknownBound, span, {})
    if (spans.length === 0) cx.sink.add(unknownBound, func.span ?? undefined, {})
  }
}

function optimise(module: Module, runner: Runner, cx: Cx): void {
  unused(module)
  // Resources find their functions before anything else, since a pointer of unknown origin keeps passes from seeing memory.
  const found = runner.whole(module, 'resources', resources)
  unused(module)
  for (const func of module.funcs) if (found.has(func)) runner.passes(func, tidyPasses)
  if (cx.level === 0) {
    // Without this the text of a chain of branches would grow with the square of its length.
    for (const func of module.funcs) runner.passes(func, slotPasses)
    return
  }
  effects(module)
  if (cx.level >= 2) {
    // What is called once need not be optimised apart from its caller.
    runner.whole(module, 'inline', inlineSingleCalls)
    unused(module)
  }
  for (const func of calleesFirst(module)) {
    if (func.body !== undefined) runner.passes(func, finalPasses)
  }
  unused(module)
  if (cx.level >= 2) {
    const grown = runner.whole(module, 'inline', inlineSingleCalls)
    unused(module)
    for (const func of module.funcs) if (grown.has(func)) runner.passes(func, finalPasses)
  }
  // What stayed a call passes only what is used; sums of arrays are taken apart last, when it shows which are in memory.
  const slimmer = runner.whole(module, 'unusedParams', unusedParams)
  const expanded = runner.whole(module, 'expand', () => new Set(module.funcs.filter(func => expand(func))))
  for (const func of module.funcs) {
    if (slimmer.has(func)) runner.passes(func, finalPasses)
    else if (expanded.has(func)) runner.passes(func, sumPasses)
  }
  effects(module)
  unused(module)
}

function calleesFirst(module: Module): readonly Func[] {
  const order: Func[] = []
  const seen = new Set<Func>()
  const visit = (func: Func): void => {
    if (seen.has(func)) return
    seen.add(func)
    for (const callee of calleesOf(func)) visit(callee)
    order.push(func)
  }
  for (const func of module.funcs) visit(func)
  return order
}

function calleesOf(func: Func): readonly Func[] {
  const callees = new Set<Func>()
  if (func.body !== undefined) walk(func.body, inst => { if (inst.op === 'call') callees.add(inst.attr as Func) })
  return [...callees]
}
