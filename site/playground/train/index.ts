/** Training of programs, without a page. */
export {
  Session,
  type Picture,
  type Place,
  type SessionOptions,
  type Snapshot,
  type State,
  type Watch,
} from './session.ts'
export { defaultPlan, trainables, type Pick, type Trainable } from './trainable.ts'
export type { Slice } from './task.ts'
export { PlanError, type Fill, type Plan, type Value } from './plan.ts'
export { planFrom } from './parse.ts'
export type { Optimizer } from './optimizer.ts'
export type { Stop } from './trace.ts'
export { Curve, type Point } from './curve.ts'
export { Player, type PlayerOptions } from './player.ts'
