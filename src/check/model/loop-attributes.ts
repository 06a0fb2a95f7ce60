/** What the attributes of a loop say. */
import type { Int } from './type.ts'

export interface LoopAttributes {
  /** `[ForceUnroll]`: before differentiation; fails where the trips are not known. */
  readonly forceUnroll: boolean
  /** `[unroll]` or `[loop]`: a hint for the target. */
  readonly hint: 'none' | 'unroll' | 'loop'
  /** `[MaxIters(n)]`, else null. */
  readonly maxIters: Int | null
  /** `[Checkpoints(k)]`: the states that the reverse pass keeps at a time; else null. */
  readonly checkpoints: Int | null
}
