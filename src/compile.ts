/**
 * The only file that knows the order of the stages:
 *
 *   source → syntax → check → lower → tidy → derivatives → optimise → target
 *
 * `front.ts` reads and checks; `middle` lowers and writes derivatives; `finish` optimises; `program.ts` hands the result to a target.
 * `opt/pipeline.ts` lists the passes of `tidy` and `optimise` in order.
 */
import type { Explain } from './ad/context.ts'
import { resolveRequests, type AdHooks } from './ad/request.ts'
import { InternalError, type Sink } from './base/diag.ts'
import { limitReached } from './base/errors/limits.ts'
import { LimitReached, counted } from './base/limits.ts'
import { timed, type Timer } from './base/time.ts'
import type { CheckedProgram } from './check/model/tree.ts'
import { forgetCore, type LibraryData } from './check/modules/library.ts'
import type { Func, Module } from './ir/value.ts'
import { substitute, walk, type ValueTable } from './ir/walk.ts'
import type { TextureEmulation } from './lower/context.ts'
import { lower, type ExportRoot, type Lowered, type Roots } from './lower/lower.ts'
import { anyTarget, targets, type Target } from './lower/target.ts'
import type { Cx } from './opt/cx.ts'
import { forgetRecursion } from './opt/recursion.ts'
import { PassRunner, type Verifier } from './opt/runner.ts'

export { core } from './check/core.generated.ts'
export { forgetCore } from './check/modules/library.ts'
export { Explainer } from './ad/explain.ts'
export { Stores } from './ad/held.ts'
export { addMap } from './ad/map.ts'
export type { Change, Explanation, Residual } from './ad/model.ts'
export { limitTrips } from './opt/limit.ts'
export { textureEmulation } from './lower/emulated-texture.ts'
export { timed }
export { targets }
export type { Explain, LibraryData, Lowered, TextureEmulation, Roots, Target, Verifier }
export type Root = ExportRoot

/** The stages whose IR can be looked at, in order. */
export const stages = [
  'lower',
  'ssa',
  'prepared',
  'linearized',
  'unzipped',
  'transposed',
  'checkpointed',
  'extracted',
  'final',
] as const

/** A stage after which a program's IR can be looked at. */
export type Stage = (typeof stages)[number]

/** How hard to optimise: `-O0` to `-O3`. */
export type Level = 0 | 1 | 2 | 3

export interface MiddleOptions {
  readonly level: Level
  /** Verifies after each pass; a failure is an `InternalError`. */
  readonly verifier?: Verifier | undefined
  /**
   * The target that the IR is for: it leaves out the bodies of functions for which the target has an intrinsic (not for WebAssembly,
   * whose intrinsics take some types only). Undefined: for any target.
   */
  readonly target?: Target | undefined
  /** Emulates textures where the target has none. */
  readonly textureEmulation?: TextureEmulation | undefined
  /** Replaces numbers that the target lacks; gives the functions that changed. */
  readonly emulate?: Cx['emulate']
  /** Floats are computed in double precision, so constants are not rounded to their type. */
  readonly wide?: boolean | undefined
  /** Checks at run time that loops keep to `[MaxIters]`, which is otherwise trusted. */
  readonly debug?: Cx['debug']
  /** Called with the result of a stage: the whole module for `lower`, `ssa` and `final`, one function for the others. */
  readonly dump?: ((stage: Stage, what: Module | Func) => void) | undefined
  /** How many bytes a reverse pass may keep. */
  readonly maxContext?: number | undefined
  /** A listener for the decisions that reverse passes make, which `explain` shows. */
  readonly explain?: Explain | undefined
  /** Takes the time that each phase took, in milliseconds. */
  readonly time?: Timer | undefined
}

function contextOf({ level, wide, debug, target, emulate }: MiddleOptions, sink: Sink): Cx {
  const bounded = target !== undefined && !targets[target].growingMemory
  return { sink, level, target, wide, debug, bounded, emulate }
}

/** Runs a stage. A program that exceeds a limit gets a diagnostic, and the result is undefined. */
export function bounded<T>(library: LibraryData, sink: Sink, work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    forgetCore(library)
    const cause = error instanceof InternalError ? error.cause : error
    if (!(cause instanceof LimitReached)) throw error
    const { limit, most, span } = cause
    sink.add(limitReached, span, { limit, most, what: counted[limit] })
    return undefined
  }
}

/** Lowers what the roots need, without any pass. Derivatives stay requests: the program as it is written. */
export function asWritten(
  program: CheckedProgram,
  roots: Roots,
  sink: Sink,
  textureEmulation: TextureEmulation | undefined,
): Lowered {
  return lower(program, roots, sink, undefined, textureEmulation)
}

/** Lowers what the roots need and writes the derivatives. Every mistake that IR can show is found here. */
export function middle(program: CheckedProgram, roots: Roots, sink: Sink, options: MiddleOptions): Module {
  const runner = new PassRunner(contextOf(options, sink), options.verifier)
  const { module, derivatives } = timed(options, 'lower', () =>
    lower(
      program,
      roots,
      sink,
      options.target === undefined ? anyTarget : targets[options.target],
      options.textureEmulation,
    ),
  )
  // What stands for what was refused need not fit.
  if (sink.errors === 0) options.verifier?.verifyModule(module, 'lower')
  options.dump?.('lower', module)
  if (sink.errors > 0) return module

  // A function that derivatives ask for later is tidied when it is lowered, by the hook below.
  const tidied = new Set<Func>()
  const tidy = (func: Func): void => {
    if (func.body !== undefined) {
      if (!tidied.has(func)) runner.count(func)
      runner.tidy(func)
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
  const lowered = (from: number): void => {
    for (let i = from; i < module.funcs.length; i++) runner.lowered(module.funcs[i]!)
  }
  lowered(0)
  timed(options, 'ssa', () => fresh())
  options.dump?.('ssa', module)

  const hooks: AdHooks = {
    sink,
    derivatives: func => {
      const before = module.funcs.length
      derivatives(func)
      lowered(before)
      if (module.funcs.length > before) fresh(true)
    },
    tidy,
    isTidy: func => tidied.has(func),
    growable: options.target !== undefined && targets[options.target].growingMemory,
    expand: func => runner.differentiated(func),
    explain: options.explain,
    maxContext: options.maxContext,
    observe: (stage, func, form) => {
      if (form !== undefined) options.verifier?.verifyForm(func, form, stage)
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
  attach(module)
  const runner = new PassRunner(contextOf(options, sink), options.verifier)
  timed(options, 'optimise', () => runner.optimise(module))
  options.verifier?.verifyModule(module, 'optimise')
  options.dump?.('final', module)
}

/** Lets what was detached be the value itself, once all derivatives are written: passes see through it. */
function attach({ funcs }: Module): void {
  for (const { body } of funcs) {
    if (body === undefined) continue
    const to: ValueTable = []
    walk(body, inst => {
      if (inst.op === 'detach') to[inst.results[0]!.id] = inst.args[0]
    })
    substitute(body, to)
  }
}
