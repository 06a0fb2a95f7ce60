import type { Sink } from '../base/diag.ts'

/** What a pass over a function did: nothing, something, or something that control may become simpler by. */
export type Change = boolean | 'control'

/** What every pass is given besides its function. */
export interface Cx {
  /** Takes the mistakes that only an optimisation can see. */
  readonly sink: Sink
  /** How much work the optimiser does: 0 only what targets need, 1 without growing code, 2 and 3 growing it. */
  readonly level: number
  /** The target computes floats in double precision: constants are folded without rounding them to their type. */
  readonly wide?: boolean
}
