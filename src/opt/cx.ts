/** What every pass is given, and what it answers. */
import type { Sink } from '../base/diag.ts'
import type { Func, Module } from '../ir/value.ts'

/** Whether a pass changed a function. `control`: it did, and control flow may now become simpler. */
export type Change = boolean | 'control'

/** The context of a pass. */
export interface Cx {
  /** Takes diagnostics for mistakes that only an optimisation can see. */
  readonly sink: Sink
  /** How much work the optimiser does: 0 only what targets need, 1 without growing code, 2 and 3 growing it. */
  readonly level: number
  /** The target. Calls of functions that it has by name stay calls; if undefined, of those that WGSL has. */
  readonly target?: string | undefined
  /** The target computes floats in double precision: constants are folded without rounding them to their type. */
  readonly wide?: boolean | undefined
  /** The target's memory does not grow: it has no lists, and contexts should not pass from call to call. */
  readonly bounded?: boolean
  /** Makes a function check at run time what it promises elsewhere. True if it changed. */
  readonly debug?: ((func: Func) => boolean) | undefined
  /** Replaces numbers that the target lacks. Gives the functions that changed. */
  readonly emulate?: ((module: Module) => ReadonlySet<Func>) | undefined
}
