/** `cotangent/gpu`: the entry points of a program on a WebGPU device. */
export { attach } from './attach.ts'
export type { GpuProgram } from './program.ts'
export type { BoundKernel } from './bound.ts'
export type { GpuKernel } from './kernel.ts'
export type {
  AttachOptions,
  BindOptions,
  BoundUniforms,
  BufferData,
  BufferOptions,
  BufferPart,
  DeviceBuffer,
  DispatchOptions,
  DispatchResult,
  GradKernelGiven,
  GradOptions,
  Groups,
  KernelGiven,
  KernelResult,
  OnDevice,
  SameKind,
  Tensor,
  TextureData,
  TextureSource,
  TypedArray,
  TypedArrays,
  UniformValues,
} from './options.ts'
export type { Attachable } from './signature.ts'
export { GpuError, type GpuErrorName } from './core.ts'
export type { Plain } from './pack.ts'
export type {
  SamplerDescription,
  WebGpuBuffer,
  WebGpuComputePass,
  WebGpuDevice,
  WebGpuSampler,
  WebGpuTexture,
  WebGpuTextureView,
} from './webgpu.ts'
