/**
 * The passes and their order, as data: a row for each pass, over one function or over the module. A row says what it needs, what it
 * leaves to others, and why it stands where it does. `runner.ts` reads the rows, and nothing else knows them.
 *
 *   ssa leaves `foldable`  →  simplify, which uses `foldable`, runs again in the next round
 */
import type { Func, Module } from '../ir/value.ts'
import type { Form } from '../ir/verify.ts'
import { coalesce } from './coalesce.ts'
import { copyElision } from './copy-elision.ts'
import type { Change, Cx } from './cx.ts'
import { dce } from './dce.ts'
import { deadStores } from './dead-stores.ts'
import { effects } from './effects.ts'
import { expand } from './expand.ts'
import { gvn } from './gvn.ts'
import { inline, inlineContexts, inlineLists, inlineSingleCalls } from './inline.ts'
import { licm } from './licm.ts'
import { boundLists, listVariables, refuseLists } from './lists.ts'
import { reread } from './reread.ts'
import { resources } from './resources.ts'
import type { Shape } from './shape.ts'
import { simplify } from './simplify.ts'
import { sroa } from './sroa.ts'
import { ssa } from './ssa.ts'
import { storeEarly } from './store-early.ts'
import { unroll, unrollArrays, unrollFew, unrollSmall } from './unroll.ts'
import { unused, unusedParams } from './unused.ts'

/** An opportunity to improve code, which one pass leaves and another uses. */
type Opportunity =
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

interface Row {
  readonly name: string
  /** The least level that it runs at. */
  readonly from?: number
  /** The greatest level that it runs at. */
  readonly to?: number
  /** It runs only for such code. */
  readonly only?: 'bounded' | 'debug'
}

/** A pass over one function. */
export interface Step extends Row {
  readonly pass: (func: Func, cx: Cx) => Change
  /** What a function must have, or the pass finds nothing. */
  readonly needs?: keyof Shape
  /** The opportunity that makes it run again. Without one it runs once. */
  readonly uses?: Opportunity
  /** The opportunities that a change leaves. A pass whose change is `control` leaves `foldable` too. */
  readonly leaves: readonly Opportunity[]
  /** A change may alter the `Shape` of the function. */
  readonly reshapes?: boolean
  /** The pass duplicates code, so the runner counts the new instructions as work. */
  readonly grows?: boolean
  /** What holds of the function afterwards. */
  readonly form?: Form
}

/** A pass over the whole module. If it leaves steps, they are due in the functions that it gives. */
export type ModuleStep = Row &
  (
    | { readonly pass: (module: Module, cx: Cx) => void; readonly leaves?: never }
    | { readonly pass: (module: Module, cx: Cx) => ReadonlySet<Func>; readonly leaves: readonly Step[] }
  )

// ── Passes over one function ─────────────────────────────────────────────────────────────────────────────────────

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

/** Functions as they were lowered: only their loops have bounds that somebody gave. */
export const loweredSteps: readonly Step[] = [
  // Alone, since all others trust the bounds.
  { name: 'limitTrips', pass: (func, { debug }) => debug!(func), only: 'debug', needs: 'loops', leaves: [] },
]

/** Clean SSA form, with calls as they stand, since a callee may have a derivative of its own. */
export const tidySteps: readonly Step[] = [
  splitting,
  promoting,
  folding,
  // After folding, which finds how many trips a loop makes.
  { name: 'unroll', pass: unroll, ...writingOut },
  merging,
  dropping,
]

/** A function that is about to get a reverse derivative. Whoever asks for this tidies it afterwards. */
export const differentiatedSteps: readonly Step[] = [
  // Alone, since it looks at the loops as they are in clean SSA form.
  { name: 'unrollFew', pass: unrollFew, from: 2, needs: 'loops', leaves: [] },
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
  { name: 'unrollSmall', pass: unrollSmall, from: 2, ...writingOut },
  // Beside it, so that what is written out goes through the others once.
  { name: 'unrollArrays', pass: unrollArrays, from: 2, only: 'bounded', ...writingOut },
  splitting,
  promoting,
  folding,
  coalescing,
  merging,
  // After equal values are merged, so that each is moved once; what it brings together in front of a loop may be equal again.
  { name: 'licm', pass: licm, needs: 'loops', uses: 'invariant', leaves: ['equal'] },
  // After promotion, since it looks only at variables that stay in memory; a copy that went may leave others promotable.
  { name: 'copyElision', pass: copyElision, ...inMemory },
  // After that, since merging variables leaves stores that nothing reads.
  { name: 'deadStores', pass: deadStores, ...inMemory },
  dropping,
]

/** After sums are taken apart, which brings in neither calls nor work for each trip of a loop that was there. */
const sumSteps: readonly Step[] = finalSteps.filter(step => step.uses !== 'calls' && step.uses !== 'invariant')

/** Without optimisation: the text of a chain of branches would grow with the square of its length. */
const leastSteps: readonly Step[] = [coalescing, dropping]

// ── Passes over the module ───────────────────────────────────────────────────────────────────────────────────────

/** Rows of the module's steps. At a text, the steps that are due in functions run, in the order of the module or callees before callers. */
type ModuleSteps = readonly (ModuleStep | 'functions' | 'callees first')[]

/** Gives the functions that a pass over one function changes, or of which something holds. */
const each =
  (pass: (func: Func, cx: Cx) => Change) =>
  (module: Module, cx: Cx): ReadonlySet<Func> =>
    new Set(module.funcs.filter(func => pass(func, cx) !== false))

const hasBody = (func: Func): boolean => func.body !== undefined
const hasLists = (func: Func): boolean => listVariables(func).length > 0

const emulate = (module: Module, { emulate }: Cx): ReadonlySet<Func> => emulate?.(module) ?? new Set()

/** What nothing reaches any more is neither optimised nor written. */
const sweeping: ModuleStep = { name: 'unused', pass: unused }
/** Passes merge, move and drop the calls of pure functions. */
const purity: ModuleStep = { name: 'effects', pass: effects, from: 1 }

/** Makes arrays of lists. */
const bounding: ModuleSteps = [
  // Without optimisation, nothing has yet folded what bounds the indices.
  { name: 'lists', pass: each(hasLists), to: 0, only: 'bounded', leaves: finalSteps },
  'functions',
  // After everything else, since indices have known ranges once calls are inlined and constants are folded.
  { name: 'boundLists', pass: each(boundLists), only: 'bounded', leaves: finalSteps },
  'functions',
]

/** Makes IR that a target can take. */
export const moduleSteps: ModuleSteps = [
  // Before the functions that it inlines are looked at. A GPU would copy the contexts that calls return.
  { name: 'inlineContexts', pass: inlineContexts, only: 'bounded' },
  sweeping,
  // Before passes over functions, since a pointer of unknown origin keeps them from seeing memory.
  { name: 'resources', pass: resources, leaves: tidySteps },
  sweeping,
  'functions',
  purity,
  // What is called once need not be optimised apart from its caller.
  { name: 'inlineSingleCalls', pass: inlineSingleCalls, from: 2 },
  sweeping,
  { name: 'least', pass: each(hasBody), to: 0, leaves: leastSteps },
  { name: 'final', pass: each(hasBody), from: 1, leaves: finalSteps },
  // A body that is inlined is then optimised already.
  'callees first',
  sweeping,
  // After numbers that the target lacks were folded as what they are, and before calls of what stands for them are inlined.
  { name: 'emulate', pass: emulate, to: 0, leaves: leastSteps },
  { name: 'emulate', pass: emulate, from: 1, leaves: finalSteps },
  'functions',
  // Again, since calls went with what was dropped or folded.
  { name: 'inlineSingleCalls', pass: inlineSingleCalls, from: 2, leaves: finalSteps },
  sweeping,
  'functions',
  // After inlining: what stayed a call passes only what is used.
  { name: 'unusedParams', pass: unusedParams, from: 1, leaves: finalSteps },
  // When loops that fill or store arrays are written out, and what can be in registers is.
  { name: 'reread', pass: each(reread), from: 2, only: 'bounded', leaves: sumSteps },
  { name: 'storeEarly', pass: each(storeEarly), from: 2, only: 'bounded', leaves: sumSteps },
  // Last, when it shows which arrays are in memory.
  { name: 'expand', pass: each(expand), from: 1, leaves: sumSteps },
  'functions',
  // For targets, which ask it too.
  purity,
  sweeping,
  ...bounding,
  // A bound may be known where a function is called.
  { name: 'inlineLists', pass: inlineLists, only: 'bounded', leaves: finalSteps },
  'functions',
  sweeping,
  ...bounding,
  // What is left now has no bound.
  { name: 'refuseLists', pass: refuseLists, only: 'bounded' },
]
