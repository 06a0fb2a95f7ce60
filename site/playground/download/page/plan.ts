/** Stands in for the file that a download writes: what the pages beside it need of it. */
import type { BackendChoice } from '../../project/project.ts'
import type { Plan } from '../../train/index.ts'

export declare const plan: Plan
export declare const size: readonly [number, number]
export declare const backend: BackendChoice
