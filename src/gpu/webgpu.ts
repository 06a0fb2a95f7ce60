/**
 * WebGPU's types as the project has them: those of `lib.dom` (TypeScript 6 and later) or of `@webgpu/types`; where there are neither, as much
 * as this package uses.
 */

/** A type of WebGPU by the name of its global; `Else` where that is not declared. */
type Known<Name extends string, Else> =
  typeof globalThis extends Readonly<Record<Name, { readonly prototype: infer T }>> ? T : Else

/** A WebGPU device. */
export type WebGpuDevice = Known<'GPUDevice', { readonly queue: object; createShaderModule(descriptor: never): object }>
/** A buffer of the device. */
export type WebGpuBuffer = Known<'GPUBuffer', { readonly size: number; mapAsync(mode: number): Promise<undefined> }>
/** A texture of the device. */
export type WebGpuTexture = Known<'GPUTexture', { readonly width: number; createView(): object }>
/** A view of a texture. */
export type WebGpuTextureView = Known<'GPUTextureView', { readonly label: string }>
/** A sampler of the device. */
export type WebGpuSampler = Known<'GPUSampler', { readonly label: string }>
/** A compute pass that is being encoded. */
export type WebGpuComputePass = Known<'GPUComputePassEncoder', { end(): undefined }>

/** How a texture is read, as `createSampler` takes it. */
export interface SamplerDescription {
  readonly addressModeU?: 'clamp-to-edge' | 'repeat' | 'mirror-repeat'
  readonly addressModeV?: 'clamp-to-edge' | 'repeat' | 'mirror-repeat'
  readonly addressModeW?: 'clamp-to-edge' | 'repeat' | 'mirror-repeat'
  readonly magFilter?: 'nearest' | 'linear'
  readonly minFilter?: 'nearest' | 'linear'
  readonly mipmapFilter?: 'nearest' | 'linear'
  readonly lodMinClamp?: number
  readonly lodMaxClamp?: number
  readonly compare?: 'never' | 'less' | 'equal' | 'less-equal' | 'greater' | 'not-equal' | 'greater-equal' | 'always'

  readonly maxAnisotropy?: number
  readonly label?: string
}
