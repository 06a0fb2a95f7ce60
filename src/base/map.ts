/** What a caller of `map` and the compiler agree on: how the arguments of a function come, and the names of what the kernels work on. */

/** An argument of which each call gets an element, or which all calls share. */
export type Coming = 'mapped' | 'held'

/** A function over arrays of arguments, as a kernel. Lists have an entry for each `in` and `inout` parameter. */
export interface MapRequest {
  readonly of: string
  /** What is computed: what the function gives; that and gradients; or that and its derivative along tangents. */
  readonly mode: 'value' | 'gradient' | 'tangent'
  readonly primals: readonly Coming[]
  /** Of `tangent`: how tangents come, or that they are zero. */
  readonly tangents: readonly (Coming | 'zero')[]
}

/** Whether a value is a request. */
export function isMapRequest(value: unknown): value is MapRequest {
  if (typeof value !== 'object' || value === null) return false
  const { of, mode, primals, tangents } = value as Readonly<Record<keyof MapRequest, unknown>>
  return (
    typeof of === 'string' &&
    ['value', 'gradient', 'tangent'].includes(mode as string) &&
    isListOf(primals, ['mapped', 'held']) &&
    isListOf(tangents, ['mapped', 'held', 'zero'])
  )
}

function isListOf(list: unknown, words: readonly unknown[]): boolean {
  return Array.isArray(list) && list.every(x => words.includes(x))
}

/** Elements whose gradients are summed first, one after the other, where an argument is held. */
export const blockOfSums = 64
/** Threads of a workgroup of the kernel. */
export const mapGroup = 64

/** The kernels. */
export const mapKernels = {
  /** A thread for each element. */
  map: (of: string): string => `map(${of})`,
  /** Sums the gradients of held arguments in each block; a thread for each. */
  sum: (of: string): string => `sum(${of})`,
  /** Adds the sums of blocks to the gradient; one thread. */
  total: (of: string): string => `total(${of})`,
} as const

/** Buffers by the names of parameters, the result's being ''. No name of a source has a colon. What is held is a list of one. */
export const mapBuffers = {
  primal: (name: string): string => `in:${name}`,
  tangent: (name: string): string => `in-tangent:${name}`,
  output: (name: string): string => `out:${name}`,
  outputTangent: (name: string): string => `out-tangent:${name}`,
  gradient: (name: string): string => `gradient:${name}`,
  /** Of a held argument: gradients by element, sums of blocks, and the gradient, which is one element. */
  row: (name: string): string => `row:${name}`,
  sums: (name: string): string => `sums:${name}`,
  total: (name: string): string => `total:${name}`,
} as const

/** Uniforms. */
export const mapUniforms = {
  /** Elements, or blocks, that a kernel works on. */
  count: 'map:count',
  /** For `total`: whether it adds to what it found before. */
  resumes: 'map:resumes',
} as const
