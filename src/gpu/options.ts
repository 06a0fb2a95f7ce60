/** What callers give to a program on a device, and the kinds of data that it takes. */
import type { Bytes, EntryTypes, Filled, IfKnown, Member, TensorsOf } from '../index.ts'
import type { GradGiven, TensorData } from '../host/tensor.ts'
import type { Plain } from './pack.ts'
import type { SamplerDescription, WebGpuBuffer, WebGpuSampler, WebGpuTexture, WebGpuTextureView } from './webgpu.ts'

/** The kinds of typed arrays by name. */
export interface TypedArrays {
  readonly Float32Array: Float32Array
  readonly Float64Array: Float64Array
  readonly Int8Array: Int8Array
  readonly Int16Array: Int16Array
  readonly Int32Array: Int32Array
  readonly Uint8Array: Uint8Array
  readonly Uint8ClampedArray: Uint8ClampedArray
  readonly Uint16Array: Uint16Array
  readonly Uint32Array: Uint32Array
  readonly BigInt64Array: BigInt64Array
  readonly BigUint64Array: BigUint64Array
}

/** A typed array of numbers of one kind. */
export type TypedArray = TypedArrays[keyof TypedArrays]

/** A typed array of the kind of another, whichever memory that views. */
export type SameKind<T extends TypedArray> = TypedArrays[T[typeof Symbol.toStringTag]]

/**
 * A buffer of the device that `g.buffer(array)` made, with the kind and the length of that array. Whoever made it destroys it. After
 * `destroy`, every use throws a `GpuError` named `Destroyed`.
 */
export interface DeviceBuffer<T extends TypedArray = TypedArray> {
  /** The buffer itself, for WebGPU calls of your own. */
  readonly buffer: WebGpuBuffer
  /** How many numbers it holds. */
  readonly length: number
  /** How many bytes these numbers are. The `GPUBuffer` is as large, rounded up to a multiple of 4. */
  readonly byteLength: number
  /** Whether `destroy` was called. */
  readonly destroyed: boolean
  /**
   * Waits for all work that was submitted before, and gives the numbers: in a new array, which is yours, or in `into`, an array of the same
   * kind that is at most as long; it gets the first numbers. Throws a `GpuError` named `BufferError` where `into` does not fit, and
   * `DeviceLost` where the device is lost.
   */
  read(into?: T): Promise<T>
  /**
   * Copies `data`, an array of the same kind, to the buffer, from number `offset` on (default 0). Work that was submitted before sees the old
   * numbers, and work submitted afterwards sees the new ones. Does not wait: you may change `data` at once. Throws a `GpuError` named `BufferError`
   * where the data does not fit.
   */
  write(data: T, offset?: number): void
  /** Frees the memory once work that was submitted before is done. Does not wait. A second call does nothing. */
  destroy(): void
}

/** The part of a buffer from byte `offset` on (default 0), `size` bytes long (default: all that follow). */
export interface BufferPart {
  readonly buffer: WebGpuBuffer | DeviceBuffer
  /** A multiple of the device's limit `minStorageBufferOffsetAlignment`, which is 256 unless you ask for less. */
  readonly offset?: number | undefined
  /** A multiple of 4. */
  readonly size?: number | undefined
}

/** Memory of the device that can be bound. */
export type OnDevice = WebGpuBuffer | DeviceBuffer | BufferPart

/**
 * What can be bound where a kernel uses a buffer: a typed array of the kind that all numbers of an element are, in the layout of reflection; bytes in
 * that layout (`Uint8Array`, `DataView`, `ArrayBuffer`); plain values; or memory of the device. A byte-address buffer takes every typed array.
 */
export type BufferData = ArrayBufferView | ArrayBufferLike | readonly Plain[] | OnDevice

/** A texture to make for one dispatch. Where the kernel writes it, `data` is written back in place. */
export interface TextureData {
  /** Width, then height, then depth or layers, in texels. */
  readonly size: readonly number[]
  /** WebGPU's name for the format. Default: that of the program for a texture that it writes, else four channels like those of `data`. */
  readonly format?: string | undefined
  /** Texels from left to right, then from top to bottom, then layer by layer, without padding. Default: zeros. */
  readonly data?: ArrayBufferView
}

/** What can be bound where a kernel uses a texture. */
export type TextureSource = WebGpuTexture | WebGpuTextureView | TextureData

/** A tensor in memory or on the device. */
export type Tensor = TensorData<ArrayBufferView | OnDevice>

/** The number of groups along x, y and z: whole numbers, none below 0. */
export type Groups = readonly [number, number, number]

/** What a dispatch is given. */
export interface DispatchOptions {
  /**
   * Contents of the buffers, by name. Views and array buffers are written back in place where the kernel may write them;
   * memory of the device is bound as it is, and nothing is copied.
   */
  readonly buffers?: Readonly<Record<string, BufferData>>
  /** Uniforms by name: those outside of blocks each by their own, constant buffers as objects. */
  readonly uniforms?: Readonly<Record<string, Plain>>
  /** Textures by name: textures and views of the device, or texels in memory, which are written back where the kernel may write them. */
  readonly textures?: Readonly<Record<string, TextureSource>>
  /** Tensors by the names of the kernel's parameters, or of variables: views of memory, or memory of the device. */
  readonly tensors?: Readonly<Record<string, Tensor>> | undefined
  /** Samplers by name. Default: linear, clamped at the edges; for comparison, `less`. */
  readonly samplers?: Readonly<Record<string, WebGpuSampler | SamplerDescription>>
}

/** The options of `grad`: also cotangents of what the kernel writes, and the buffers to which it adds gradients by itself. */
export interface GradOptions extends DispatchOptions, Pick<GradGiven<BufferData>, 'cotangents' | 'gradients'> {}

/**
 * What a kernel is bound to. Buffers and textures that it writes are memory of the device, for nothing is read back. What it only reads may
 * also lie in memory: `bind` copies it once, and later changes of that memory are not seen. All uniforms are given; they can be set again later.
 */
export interface BindOptions extends DispatchOptions {}

/** What is the same for all dispatches. */
export interface AttachOptions {
  /** Called with each text that `printf` made, after a dispatch, call by call; default: the console. */
  readonly print?: ((text: string) => void) | undefined
  /** Bytes of the buffer into which one dispatch prints; default 65536. Output that does not fit is dropped, and the last text says so. */
  readonly printBytes?: number | undefined
}

/** The options of `g.buffer`. */
export interface BufferOptions {
  /** More uses of the buffer, as WebGPU numbers them: `GPUBufferUsage.VERTEX`. It always has STORAGE, COPY_SRC, COPY_DST and INDIRECT. */
  readonly usage?: number | undefined
}

/** Contents of the buffers that a kernel may write, after a dispatch: what was passed in, or plain values where plain values were. */
export type DispatchResult = Readonly<Record<string, BufferData>>

/** Uniforms of a bound kernel whose names and types are not known to TypeScript. */
export interface UniformValues {
  [name: string]: Plain
}

/** What a kernel whose types are known is given. */
type TypedOptions<E extends EntryTypes> = Member<'buffers', Filled<E['buffers'], Bytes | OnDevice>> &
  Member<'uniforms', E['uniforms']> &
  Member<'tensors', { readonly [N in keyof TensorsOf<E>]: TensorData<TensorsOf<E>[N] | Bytes | OnDevice> }> &
  Member<'textures', Readonly<Record<E['textures'], TextureSource>>> & {
    readonly samplers?: Partial<Readonly<Record<E['samplers'], WebGpuSampler | SamplerDescription>>> | undefined
  }

/** What a kernel is given, by its types where they are known. */
export type KernelGiven<E extends EntryTypes> = IfKnown<E, TypedOptions<E>, DispatchOptions>

/** The same for `grad`. */
export type GradKernelGiven<E extends EntryTypes> = KernelGiven<E> & Pick<GradOptions, 'cotangents' | 'gradients'>

/** Contents of the buffers that a kernel of known types may write: what was passed in, or plain values where plain values were. */
export type KernelResult<E extends EntryTypes> = IfKnown<
  E,
  { readonly [N in keyof E['buffers']]?: E['buffers'][N] | Bytes | OnDevice },
  DispatchResult
>

/** The uniforms of a bound kernel, to be set. */
export type BoundUniforms<E extends EntryTypes> = IfKnown<
  E,
  { -readonly [N in keyof E['uniforms']]: E['uniforms'][N] },
  UniformValues
>
