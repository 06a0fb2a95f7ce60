/**
 * Runs the passes of `pipeline.ts` and verifies their results. One loop reads the steps over a function, one those over the module.
 */
import { InternalError } from '../base/diag.ts'
import { LimitReached } from '../base/limits.ts'
import { calleesFirst } from '../ir/calls.ts'
import * as costs from '../ir/costs.ts'
import type { Func, Module } from '../ir/value.ts'
import type * as verifiers from '../ir/verify.ts'
import type { Change, Cx } from './cx.ts'
import { sizeOf } from './inline.ts'
import { differentiatedSteps, loweredSteps, moduleSteps, tidySteps, type ModuleStep, type Step } from './pipeline.ts'
import { shapeOf, type Shape } from './shape.ts'

/** The verifier of IR. Bundles that only make WGSL do not have it. */
export type Verifier = Pick<typeof verifiers, 'verifyForm' | 'verifyModule'>

/** Runs passes over functions and modules. */
export class PassRunner {
  readonly #cx: Cx
  readonly #verifier: Verifier | undefined
  /** Memo of `#applicable`. */
  readonly #lists = new Map<readonly Step[], readonly Step[]>()

  constructor(cx: Cx, verifier: Verifier | undefined) {
    this.#cx = cx
    this.#verifier = verifier
  }

  /** Counts a new function as work. */
  count(func: Func): void {
    if (func.body !== undefined)
      this.#cx.sink.work.spend('instructions', costs.functionInstructions + sizeOf(func.body), func.span)
  }

  /** Changes a function as it was lowered. */
  lowered(func: Func): void {
    this.#run(func, loweredSteps)
  }

  /** Brings a function into clean SSA form. */
  tidy(func: Func): void {
    this.#run(func, tidySteps)
  }

  /** Makes a function easier to differentiate. True if that changed it. */
  differentiated(func: Func): boolean {
    return this.#run(func, differentiatedSteps)
  }

  /** Optimises a module in place; at level 0 only as far as targets need. */
  optimise(module: Module): void {
    const due = new Map<Func, readonly Step[]>()
    for (const row of moduleSteps) {
      if (typeof row === 'object') {
        if (this.#applies(row)) this.#whole(module, row, due)
        continue
      }
      for (const func of row === 'functions' ? module.funcs : calleesFirst(module.funcs)) {
        const steps = due.get(func)
        if (steps !== undefined) this.#run(func, steps)
      }
      due.clear()
    }
  }

  /** Runs a pass over the module, and notes the steps that it leaves. Of two lists that are due in a function, the longer one runs. */
  #whole(module: Module, step: ModuleStep, due: Map<Func, readonly Step[]>): void {
    const before = module.funcs.length
    named(step.name, undefined, () => {
      if (step.leaves === undefined) return step.pass(module, this.#cx)
      for (const func of step.pass(module, this.#cx)) {
        if (step.leaves.length > (due.get(func)?.length ?? 0)) due.set(func, step.leaves)
      }
    })
    this.#verifier?.verifyModule(module, step.name)
    for (let i = before; i < module.funcs.length; i++) this.count(module.funcs[i]!)
  }

  /** Runs the steps in order. Further rounds run the steps that use opportunities which others left. True if anything changed. */
  #run(func: Func, all: readonly Step[]): boolean {
    const steps = this.#applicable(all)
    if (steps.length === 0) return false
    let changed = false
    let shape = this.#shapeOf(func)
    const due = steps.map(() => true)
    for (let round = 0; due.includes(true) && round < costs.passRounds; round++) {
      for (let i = 0; i < steps.length; i++) {
        const step = steps[i]!
        if (!due[i]) continue
        due[i] = false
        if (step.needs !== undefined && !shape[step.needs]) continue
        const change = this.#step(func, step)
        if (change === false) continue
        changed = true
        for (let k = 0; k < steps.length; k++) {
          const { uses } = steps[k]!
          if (uses !== undefined && (step.leaves.includes(uses) || (change === 'control' && uses === 'foldable')))
            due[k] = true
        }
        if (step.reshapes === true) shape = this.#shapeOf(func)
      }
    }
    return changed
  }

  /** The steps of a list that run under the options of this compile. */
  #applicable(all: readonly Step[]): readonly Step[] {
    let steps = this.#lists.get(all)
    if (steps === undefined) this.#lists.set(all, (steps = all.filter(step => this.#applies(step))))
    return steps
  }

  #applies({ from = 0, to = Infinity, only }: Step | ModuleStep): boolean {
    const { level } = this.#cx
    return from <= level && level <= to && (only === undefined || (this.#cx[only] ?? false) !== false)
  }

  /** The shape of a function. Checks the depth of its regions against the limit `nesting`, since passes recurse into them. */
  #shapeOf(func: Func): Shape {
    const shape = shapeOf(func)
    this.#cx.sink.work.check('nesting', shape.depth, func.span)
    return shape
  }

  #step(func: Func, { name, pass, grows, form }: Step): Change {
    const values = func.nextValue
    const did = named(name, func, () => pass(func, this.#cx))
    if (did !== false || form !== undefined) this.#verifier?.verifyForm(func, form ?? 'surface', name)
    if (grows === true) this.#cx.sink.work.spend('instructions', func.nextValue - values, func.span)
    return did
  }
}

/** Runs a pass. If it fails, the error names the pass. */
function named<T>(name: string, func: Func | undefined, run: () => T): T {
  try {
    return run()
  } catch (cause) {
    if (cause instanceof InternalError || cause instanceof LimitReached) throw cause
    const where = func === undefined ? '' : ` in ${func.name}`
    throw new InternalError(name, `${cause instanceof Error ? cause.message : String(cause)}${where}`, { cause })
  }
}
