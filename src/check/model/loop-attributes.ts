/** What the attributes of a loop say. */
import type { Int } from './type.ts'

export interface LoopAttributes {
  /** `[ForceUnroll]`: before differentiation; fails where the trips are not known. */
  readonly forceUnroll: boolean
  /** `[unroll]` asks that the loop is written out where its trips are known and the code stays short, `[loop]` that it stays a loop. */
  readonly hint: null | 'ask' | 'keep'
  /** `[MaxIters(n)]`, else null. */
  readonly maxIters: Int | null
  /** `[Checkpoints(k)]`: the states that the reverse pass keeps at a time; else null. */
  readonly checkpoints: Int | null
}
