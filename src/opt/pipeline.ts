/**
 * The order of the passes, as data. A step names the chances that it uses and those that it leaves for others: where a step changed
 * something, the steps that use what it left run again. `PassRunner` reads nothing but that.
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
import { dce } from './dce.ts'
import { effects } from './effects.ts'
import { expand } from './expand.ts'
import { gvn } from './gvn.ts'
import { inline, inlineAll, inlineContexts, inlineSingleCalls, sizeOf } from './inline.ts'
import { licm } from './licm.ts'
import { boundLists, listVariables } from './lists.ts'
import { memory } from './memory.ts'
import { resources } from './resources.ts'
import { shapeOf, type Shape } from './shape.ts'
import { simplify } from './simplify.ts'
import { slots } from './slots.ts'
import { sroa } from './sroa.ts'
import { ssa } from './ssa.ts'
import { unroll, unrollSmall } from './unroll.ts'
import { unused, unusedParams } from './unused.ts'
import { costs } from './costs.ts'

/** What verifies IR: bundles that only make WGSL go without. */
export type Verifier = Pick<typeof verifiers, 'verify' | 'verifyModule'>

/** A chance to make code better, which one pass may leave and another uses. */
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
  /** What a function must have for the pass to find anything. */
  readonly needs?: keyof Shape
  readonly uses: Chance
  /** What a change leaves. A pass that says `control` of its change leaves `foldable` too. */
  readonly leaves: readonly Chance[]
  /** A change may alter the `Shape` of the function. */
  readonly reshapes?: boolean
  /** It makes code of code, which counts as work, and does not count it itself. */
  readonly grows?: boolean
}

/** Composites are taken apart before variables are promoted, so that promotion sees scalars and vectors. */
const splitting: Step = { name: 'sroa', pass: sroa, needs: 'variables', uses: 'promotable', leaves: [] }
/** What a load gives shows only after promotion: constants to fold, equal values, loads that were the only use of another variable. */
const promoting: Step = { name: 'ssa', pass: ssa, needs: 'variables', uses: 'promotable', leaves: ['foldable', 'choices', 'equal', 'invariant', 'copies', 'dead'], reshapes: true }
/** Constants are folded before equal values are found, since what folds to one constant is equal. */
const folding: Step = { name: 'simplify', pass: simplify, uses: 'foldable', leaves: ['equal', 'dead'] }
/** Trips that are written out have constant indices, so arrays become promotable; their bodies share much. The loop around may now be short. */
const writingOut = { needs: 'loops', uses: 'trips', leaves: ['promotable', 'foldable', 'trips', 'equal', 'dead'], reshapes: true, grows: true } as const
const merging: Step = { name: 'gvn', pass: gvn, uses: 'equal', leaves: ['dead'] }
/** What is left unused goes last. */
const dropping: Step = { name: 'dce', pass: dce, uses: 'dead', leaves: [] }
/** After branches are folded, since a branch that goes takes its results along. */
const sharingResults: Step = { name: 'slots', pass: slots, needs: 'choices', uses: 'choices', leaves: ['dead'] }

/** Clean SSA form, with calls as they stand, since a callee may have a derivative of its own. */
const tidySteps: readonly Step[] = [
  splitting,
  promoting,
  folding,
  { name: 'unroll', pass: unroll, ...writingOut },
  merging,
  dropping,
]

/** What pays only once derivatives are there. */
const finalSteps: readonly Step[] = [
  // First, since all others work on what it brings in.
  { name: 'inline', pass: inline, needs: 'calls', uses: 'calls', leaves: ['promotable', 'foldable', 'equal', 'dead'], reshapes: true },
  // Before promotion, since its indices are constant.
  { name: 'unrollSmall', pass: unrollSmall, ...writingOut },
  splitting,
  promoting,
  folding,
  sharingResults,
  merging,
  // After equal values are merged, so that each is moved once; what it brings together in front of a loop may be equal again.
  { name: 'licm', pass: licm, needs: 'loops', uses: 'invariant', leaves: ['equal'] },
  // After promotion, since it looks only at variables that stay in memory; a copy that went may leave others promotable.
  { name: 'memory', pass: memory, needs: 'ownStores', uses: 'copies', leaves: ['promotable', 'equal', 'dead'] },
  dropping,
]

/** After sums are taken apart, which brings in neither calls nor work for each trip of a loop that was there. */
const sumSteps: readonly Step[] = finalSteps.filter(step => step.uses !== 'calls' && step.uses !== 'invariant')

/** Without optimisation: the text of a chain of branches would grow with the square of its length. */
const leastSteps: readonly Step[] = [sharingResults, dropping]

/** What a function takes beside its instructions, counted in these. */
const functionCost = 10

/** Runs passes over the functions of a module, and verifies what they leave. */
export class PassRunner {
  readonly #cx: Cx
  readonly #verifier: Verifier | undefined

  constructor(cx: Cx, verifier: Verifier | undefined) {
    this.#cx = cx
    this.#verifier = verifier
  }

  /** Counts a function that has come up as work. */
  count(func: Func): void {
    if (func.body !== undefined) this.#cx.sink.work.spend('instructions', functionCost + sizeOf(func.body), func.span)
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

  /** The same for a GPU, which neither grows lists nor passes what is stored for the trips of loops from call to call. */
  optimiseBounded(module: Module): void {
    const listed = module.funcs.some(f => listVariables(f).length > 0)
    inlineContexts(module)
    this.optimise(module)
    if (listed) this.#bound(module)
  }

  /** Makes arrays of all lists; complains of the loops that leave no bound to be seen. */
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
    for (const func of module.funcs) if (inlineAll(func, callee => open.has(callee), Infinity, this.#cx.sink.work)) this.#run(func, finalSteps)
    unused(module)
    for (const func of module.funcs) {
      if (!shorten(func)) continue
      const left = listVariables(func).map(inst => inst.span)
      const spans = left.filter(span => span !== null)
      for (const span of spans) this.#cx.sink.add(unknownBound, span, {})
      if (spans.length === 0) this.#cx.sink.add(unknownBound, func.span ?? undefined, {})
    }
  }

  /** Runs steps in order; in further rounds those that use what others left. */
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

  /** What a function has, which must not be too deep for passes that go down by recursion. */
  #shapeOf(func: Func): Shape {
    const shape = shapeOf(func)
    this.#cx.sink.work.check('nesting', shape.depth, func.span)
    return shape
  }

  #step(func: Func, { name, pass, grows }: Step): Change {
    let did: Change
    const values = func.nextValue
    try {
      did = pass(func, this.#cx)
    } catch (cause) {
      if (cause instanceof InternalError || cause instanceof LimitReached) throw cause
      throw new InternalError(name, `${cause instanceof Error ? cause.message : String(cause)} in ${func.name}`, { cause })
    }
    if (did !== false) this.#verifier?.verify(func, name)
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
