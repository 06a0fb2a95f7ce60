/** What to train and how, as plain data: it stands in the JSON of a starter and in links. */
import { randomFrom } from './random.ts'
import type { Optimizer } from './optimizer.ts'
import { leavesOf, type DataType } from './layout.ts'

/** A mistake in a plan, for people. */
export class PlanError extends Error {
  override readonly name = 'PlanError'
}

/**
 * The first contents of a buffer: its numbers in the order of memory, or so many elements with random numbers between `low` and `high`.
 * Each bound is one number for all, or a list with one for each number of an element. Without `high` all numbers are `low`, without `low`
 * they are zero.
 */
export type Fill =
  | readonly number[]
  | {
      readonly count: number
      readonly low?: number | readonly number[]
      readonly high?: number | readonly number[]
      /** The shape of a tensor. Default: one dimension. */
      readonly shape?: readonly number[]
    }

/** Arguments and uniforms: numbers, lists for vectors and arrays, objects for structs. */
export type Value = number | boolean | readonly Value[] | { readonly [field: string]: Value }

export interface Plan {
  /** The function or kernel whose loss falls. */
  readonly subject: string
  /** What changes: parameters of the function by name, or buffers that the kernel differentiates. */
  readonly parameters: readonly string[]
  /** Arguments of a function by name. Those that are trained begin so. */
  readonly values?: Readonly<Record<string, Value>>
  /** First contents of buffers by name. */
  readonly buffers?: Readonly<Record<string, Fill>>
  /** Uniforms by name. */
  readonly uniforms?: Readonly<Record<string, Value>>
  /** Groups of threads of a kernel. By default there is a thread for each element of `loss`. */
  readonly groups?: readonly [number, number, number]
  readonly optimizer: Optimizer
  /** Where random numbers begin. Default: 1. */
  readonly seed?: number
  /** A kernel that draws the state into `RWTexture2D<float4> outputTexture`. */
  readonly picture?: string
  /** How many steps are taken in a second at most. Default: no limit. */
  readonly speed?: number
}

/** The numbers that a buffer begins with, as they lie in memory: an element takes `stride` of them. */
export function filled(fill: Fill, element: DataType, stride: number, random: () => number): Float32Array {
  if (!('count' in fill)) return Float32Array.from(fill)
  const leaves = leavesOf(element)
  const made = new Float32Array(fill.count * stride)
  const bound = (of: number | readonly number[], leaf: number): number =>
    typeof of === 'number' ? of : of[leaf % of.length]!
  for (let i = 0; i < fill.count; i++) {
    leaves.forEach(({ offset }, leaf) => {
      const low = bound(fill.low ?? 0, leaf)
      const high = fill.high === undefined ? low : bound(fill.high, leaf)
      made[i * stride + offset / 4] = high === low ? low : low + (high - low) * random()
    })
  }
  return made
}

/** How many elements a fill makes. */
export function countOf(fill: Fill, stride: number): number {
  return 'count' in fill ? fill.count : Math.ceil(fill.length / stride)
}

/** The seed of one buffer: buffers do not depend on the order in which they are filled. */
export function randomOf(plan: Plan, name: string): () => number {
  let hash = plan.seed ?? 1
  for (const letter of name) hash = Math.imul(hash ^ letter.codePointAt(0)!, 0x01000193)
  return randomFrom(hash)
}
