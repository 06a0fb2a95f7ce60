/** `cotangent/gpu`: the entry points of a program on a WebGPU device. */
export { attach } from './attach.ts'
export type { Attachable, AttachOptions, BufferData, DispatchOptions, DispatchResult, GpuKernel, GpuProgram, GradOptions, Tensor } from './attach.ts'
export type { TextureData, TextureSource } from './texture.ts'
export { GpuError, type GpuErrorName } from './error.ts'
export type { Plain } from './pack.ts'
