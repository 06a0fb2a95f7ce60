/** `cotangent/gpu`: the entry points of a program on a WebGPU device. */
export { attach, type Attachable, type BufferData, type DispatchOptions, type DispatchResult, type GpuKernel, type GpuProgram } from './attach.ts'
export { GpuError } from './error.ts'
export type { Plain } from './pack.ts'
