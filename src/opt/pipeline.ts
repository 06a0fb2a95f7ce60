/**
 * The order of the passes, as data. A step names the chances that it uses, and those that it leaves for other steps. If a step
 * changed something, the steps that use its chances run again. `PassRunner` reads nothing else.
 *
 *   ssa leaves `foldable`  →  simplify, which uses `foldable`, runs again in the next round
 */
import { InternalError } from '../base/diag.ts'
import { unknownBound } from '../base/errors/ad.ts'
import { LimitReached } from '../base/limits.ts'
import { calleesFirst } from '../ir/calls.ts'
import type { Func, Module } from '../ir/value.ts'
import type * as verifiers from '../ir/verify.ts'
import type { Change, Cx } from './cx.ts'
import { copyElision } from './copy-elision.ts'
import { dce } from './dce.ts'
import { deadStores } from './dead-stores.ts'
import { duplicateVariables } from './duplicate-variables.ts'
import { effects } from './effects.ts'
import { expand } from './expand.ts'
import { gvn } from './gvn.ts'
import { inline, inlineAll, inlineContexts, inlineSingleCalls, sizeOf } from './inline.ts'
import { licm } from './licm.ts'
import { boundLists, listVariables } from './lists.ts'
import { resources } from './resources.ts'
import { shapeOf, type Shape } from './shape.ts'
import { simplify } from './simplify.ts'
import { coalesce } from './coalesce.ts'
import { sroa } from './sroa.ts'
import { ssa } from './ssa.ts'
import { unroll, unrollSmall } from './unroll.ts'
import { unused, unusedParams } from './unused.ts'
import { costs } from '../ir/costs.ts'

/** The verifier of IR. Bundles that only make WGSL do not have it. */
export type Verifier = Pick<typeof verifiers, 'verifyForm' | 'verifyModule'>

/** A chance to improve code, which one pass leaves and another uses. */
type Chance =
  /** Calls that may be replaced by bodies. */
  | 'calls'
  /** Variables whose accesses became whole, or constant in their indices. */
  | 'promotable'
  /** Values and conditions that became constant, or branches that became short. */
  | 'foldable'
  /** Loops whose number of trips became known, or whose bodies became short. */
  | 'trips'
  /** Branches that give several results. */
  | 'choices'
  /** Equal instructions that came to stand in one scope. */
  | 'equal'
  /** Work in a loop that is the same in every trip. */
  | 'invariant'
  /** Copies of variables in memory. */
  | 'copies'
  /** Instructions that nothing needs. */
  | 'dead'

interface Step {
  readonly name: string
  readonly pass: (func: Func, cx: Cx) => Change
  /** What a function must have, or the pass finds nothing. */
  readonly needs?: keyof Shape
  readonly uses: Chance
  /** The chances that a change leaves. A pass whose change is `control` leaves `foldable` too. */
  readonly leaves: readonly Chance[]
  /** A change may alter the `Shape` of the function. */
  readonly reshapes?: boolean
  /** The pass duplicates code, so the runner counts the new instructions as work. */
  readonly grows?: boolean
  /** What holds of the function afterwards. */
  readonly form?: verifiers.Form
}

/** Composites are taken apart before variables are promoted, so that promotion sees scalars and vectors. */
const splitting: Step = { name: 'sroa', pass: sroa, needs: 'variables', uses: 'promotable', leaves: [] }
/** What a load gives shows only after promotion: constants to fold, equal values, loads that were the only use of another variable. */
const promoting: Step = {
  name: 'ssa',
  pass: ssa,
  form: 'ssa',
  needs: 'variables',
  uses: 'promotable',
  leaves: ['foldable', 'choices', 'equal', 'invariant', 'copies', 'dead'],
  reshapes: true,
}
/** Constants are folded before equal values are found, since what folds to one constant is equal. */
const folding: Step = { name: 'simplify', pass: simplify, uses: 'foldable', leaves: ['equal', 'dead'] }
/** Trips that are written out have constant indices, so arrays become promotable; their bodies share much. The loop around may now be short. */
const writingOut = {
  needs: 'loops',
  uses: 'trips',
  leaves: ['promotable', 'foldable', 'trips', 'equal', 'dead'],
  reshapes: true,
  grows: true,
} as const
/** They work on variables that stay in memory. */
const inMemory = { needs: 'ownStores', uses: 'copies', leaves: ['promotable', 'equal', 'dead'] } as const
const merging: Step = { name: 'gvn', pass: gvn, uses: 'equal', leaves: ['dead'] }
/** Unused instructions go last. */
const dropping: Step = { name: 'dce', pass: dce, uses: 'dead', leaves: [] }
/** After branches are folded, since a branch that goes takes its results along. */
const coalescing: Step = { name: 'coalesce', pass: coalesce, needs: 'choices', uses: 'choices', leaves: ['dead'] }

/** Clean SSA form, with calls as they stand, since a callee may have a derivative of its own. */
const tidySteps: readonly Step[] = [
  splitting,
  promoting,
  folding,
  { name: 'unroll', pass: unroll, ...writingOut },
  merging,
  dropping,
]

/** Steps that pay only once derivatives have been made. */
const finalSteps: readonly Step[] = [
  // First, since all others work on what it brings in.
  {
    name: 'inline',
    pass: inline,
    needs: 'calls',
    uses: 'calls',
    leaves: ['promotable', 'foldable', 'equal', 'dead'],
    reshapes: true,
  },
  // Before promotion, since its indices are constant.
  { name: 'unrollSmall', pass: unrollSmall, ...writingOut },
  splitting,
  promoting,
  folding,
  coalescing,
  merging,
  // After equal values are merged, so that each is moved once; what it brings together in front of a loop may be equal again.
  { name: 'licm', pass: licm, needs: 'loops', uses: 'invariant', leaves: ['equal'] },
  // After promotion, since it looks only at variables that stay in memory; a copy that went may leave others promotable.
  { name: 'copyElision', pass: copyElision, ...inMemory },
  { name: 'duplicateVariables', pass: duplicateVariables, ...inMemory },
  // Last of the three, since merging variables leaves stores that nothing reads.
  { name: 'deadStores', pass: deadStores, ...inMemory },
  dropping,
]

/** After sums are taken apart, which brings in neither calls nor work for each trip of a loop that was there. */
const sumSteps: readonly Step[] = finalSteps.filter(step => step.uses !== 'calls' && step.uses !== 'invariant')

/** Without optimisation: the text of a chain of branches would grow with the square of its length. */
const leastSteps: readonly Step[] = [coalescing, dropping]

/** Runs passes over functions, and verifies their results. */
export class PassRunner {
  readonly #cx: Cx
  readonly #verifier: Verifier | undefined

  constructor(cx: Cx, verifier: Verifier | undefined) {
    this.#cx = cx
    this.#verifier = verifier
  }

  /** Counts a new function as work. */
  count(func: Func): void {
    if (func.body !== undefined)
      this.#cx.sink.work.spend('instructions', costs.functionInstructions + sizeOf(func.body), func.span)
  }

  /** Brings a function into clean SSA form. */
  tidy(func: Func): void {
    this.#run(func, tidySteps)
  }

  /** Optimises a module in place; at level 0 only as far as targets need. */
  optimise(module: Module): void {
    const level = this.#cx.level
    const final = (func: Func): void => this.#run(func, finalSteps)
    unused(module)
    // Resources find their functions before anything else, since a pointer of unknown origin keeps passes from seeing memory.
    const before = module.funcs.length
    const found = this.#whole(module, 'resources', resources)
    for (let i = before; i < module.funcs.length; i++) this.count(module.funcs[i]!)
    unused(module)
    for (const func of module.funcs) if (found.has(func)) this.tidy(func)
    if (level === 0) {
      for (const func of module.funcs) this.#run(func, leastSteps)
      return
    }
    effects(module)
    if (level >= 2) {
      // What is called once need not be optimised apart from its caller.
      this.#whole(module, 'inline', inlineSingleCalls)
      unused(module)
    }
    for (const func of calleesFirst(module.funcs)) if (func.body !== undefined) final(func)
    unused(module)
    if (level >= 2) {
      const grown = this.#whole(module, 'inline', inlineSingleCalls)
      unused(module)
      for (const func of module.funcs) if (grown.has(func)) final(func)
    }
    // What stayed a call passes only what is used; sums of arrays are taken apart last, when it shows which are in memory.
    const slimmer = this.#whole(module, 'unusedParams', unusedParams)
    const expanded = this.#whole(module, 'expand', () => new Set(module.funcs.filter(func => expand(func))))
    for (const func of module.funcs) {
      if (slimmer.has(func)) final(func)
      else if (expanded.has(func)) this.#run(func, sumSteps)
    }
    effects(module)
    unused(module)
  }

  /** The same for a GPU, which has no lists, and should not pass contexts from call to call. */
  optimiseBounded(module: Module): void {
    const listed = module.funcs.some(f => listVariables(f).length > 0)
    inlineContexts(module)
    this.optimise(module)
    if (listed) this.#bound(module)
  }

  /** Replaces all lists by arrays. Adds a diagnostic for each loop whose list has no known bound. */
  #bound(module: Module): void {
    const shorten = (func: Func): boolean => {
      if (listVariables(func).length === 0) return false
      if (this.#cx.level === 0) this.#run(func, finalSteps)
      if (boundLists(func)) this.#run(func, finalSteps)
      return listVariables(func).length > 0
    }
    // A bound may be known where a function is called.
    const open = new Set(module.funcs.filter(shorten))
    if (open.size === 0) return
    for (const func of module.funcs)
      if (inlineAll(func, callee => open.has(callee), Infinity, this.#cx.sink.work)) this.#run(func, finalSteps)
    unused(module)
    for (const func of module.funcs) {
      if (!shorten(func)) continue
      const left = listVariables(func).map(inst => inst.span)
      const spans = left.filter(span => span !== null)
      for (const span of spans) this.#cx.sink.add(unknownBound, span, {})
      if (spans.length === 0) this.#cx.sink.add(unknownBound, func.span ?? undefined, {})
    }
  }

  /** Runs the steps in order. Further rounds run the steps that use chances which others left. */
  #run(func: Func, steps: readonly Step[]): void {
    let shape = this.#shapeOf(func)
    let due: ReadonlySet<Step> = new Set(steps)
    for (let round = 0; due.size > 0 && round < costs.passRounds; round++) {
      const open = new Set(due)
      for (const step of steps) {
        if (!open.delete(step) || (step.needs !== undefined && !shape[step.needs])) continue
        const change = this.#step(func, step)
        if (change === false) continue
        for (const other of steps) {
          if (step.leaves.includes(other.uses) || (change === 'control' && other.uses === 'foldable')) open.add(other)
        }
        if (step.reshapes === true) shape = this.#shapeOf(func)
      }
      due = open
    }
  }

  /** The shape of a function. Checks the depth of its regions against the limit `nesting`, since passes recurse into them. */
  #shapeOf(func: Func): Shape {
    const shape = shapeOf(func)
    this.#cx.sink.work.check('nesting', shape.depth, func.span)
    return shape
  }

  #step(func: Func, { name, pass, grows, form }: Step): Change {
    let did: Change
    const values = func.nextValue
    try {
      did = pass(func, this.#cx)
    } catch (cause) {
      if (cause instanceof InternalError || cause instanceof LimitReached) throw cause
      throw new InternalError(name, `${cause instanceof Error ? cause.message : String(cause)} in ${func.name}`, {
        cause,
      })
    }
    if (did !== false || form !== undefined) this.#verifier?.verifyForm(func, form ?? 'surface', name)
    if (grows === true) this.#cx.sink.work.spend('instructions', func.nextValue - values, func.span)
    return did
  }

  /** Runs a pass over all functions. */
  #whole<T>(module: Module, name: string, pass: (module: Module) => T): T {
    const out = pass(module)
    this.#verifier?.verifyModule(module, name)
    return out
  }
}
