/** `cotangent/gpu`: the entry points of a program on a WebGPU device. */
export { attach } from './attach.ts'
export type { Attachable, AttachOptions, DispatchResult, GpuKernel, GpuProgram, GradOptions } from './attach.ts'
export type { BufferData, DispatchOptions, Tensor } from './options.ts'
export type { TextureData, TextureSource } from './texture.ts'
export { GpuError, type GpuErrorName } from './error.ts'
export type { Plain } from './pack.ts'
