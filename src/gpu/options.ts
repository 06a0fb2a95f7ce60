/** The options of a dispatch on a device. */
import type { TensorData } from '../host/tensor.ts'
import type { Plain } from './pack.ts'
import type { TextureSource } from './texture.ts'

/**
 * What can be bound where a kernel uses a buffer: a typed array of the kind that all numbers of an element are, in the layout of reflection; bytes in
 * that layout (`Uint8Array`, `DataView`, `ArrayBuffer`); plain values; or a buffer of the device. A byte-address buffer takes every typed array.
 */
export type BufferData = ArrayBufferView | ArrayBufferLike | readonly Plain[] | GPUBuffer

/** A tensor in memory or on the device. */
export type Tensor = TensorData<ArrayBufferView | GPUBuffer>

/** What a dispatch is given. */
export interface DispatchOptions {
  /**
   * Contents of the buffers, by name. Views and array buffers are written back in place where the kernel may write them;
   * buffers of the device are bound as they are, and nothing is copied.
   */
  readonly buffers?: Readonly<Record<string, BufferData>>
  /** Uniforms by name: those outside of blocks each by their own, constant buffers as objects. */
  readonly uniforms?: Readonly<Record<string, Plain>>
  /** Textures by name: textures and views of the device, or texels in memory, which are written back where the kernel may write them. */
  readonly textures?: Readonly<Record<string, TextureSource>>
  /** Tensors by the names of the kernel's parameters, or of variables: views of memory, or buffers of the device. */
  readonly tensors?: Readonly<Record<string, Tensor>> | undefined
  /** Samplers by name. Default: linear, clamped at the edges; for comparison, `less`. */
  readonly samplers?: Readonly<Record<string, GPUSampler | GPUSamplerDescriptor>>
}
