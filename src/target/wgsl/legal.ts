/** Operations that only the legalised IR of this target has: calls of what WGSL itself offers. */
import type { Effect, Op } from '../../ir/ops.ts'

const row = (name: string, of: { readonly doc: string }, effect: Effect): Op => ({
  ...of, name, hash: 0, attr: 'text', effect, ends: false, type: undefined, check: undefined, ad: { is: 'flat' }, fold: undefined,
  spell: undefined, samples: [],
})

/** A call of a built-in function without effects; the immediate is its name. */
export const builtin: Op = row('wgsl.builtin', { doc: 'A pure built-in function.' }, 'none')
/** A call of a built-in function that reads memory; pointers among the operands are passed by address. */
export const builtinRead: Op = row('wgsl.read', { doc: 'A built-in function that reads memory.' }, 'read')
/** A call of a built-in function that writes memory or waits; pointers among the operands are passed by address. */
export const builtinWrite: Op = row('wgsl.write', { doc: 'A built-in function with effects.' }, 'write')
/** `atomicCompareExchangeWeak`: results are the old value and whether the new one was stored. */
export const exchangeWeak: Op = row('wgsl.exchange', { doc: 'A compare-exchange that may fail without reason.' }, 'write')
/** The operand, in a `let`, so that the WGSL compiler does not evaluate what uses it and refuse the outcome. */
export const hide: Op = row('wgsl.hide', { doc: 'The operand, hidden from constant evaluation.' }, 'none')

/** Functions of WGSL that the threads of a subgroup call together; they stand where they are called. */
export const together: RegExp = /^(subgroup|quad)[A-Z]/
