/**
 * Parts of the runtime that only some programs need. `attach` loads those that a program's reflection asks for, so that a page downloads no others. They
 * are known by what they do, for they import the rest of the runtime.
 */
import type { BindingInfo, HandleInfo, PrintInfo, Reflection, Wgsl } from '../index.ts'
import type { Prepared } from '../host/parameters.ts'
import type { Device, Own } from './device.ts'
import type { AttachOptions, BufferData, DispatchOptions, TextureSource } from './options.ts'
import { useRareValues, type RareValues } from './pack.ts'
import type { Read } from './read.ts'

/** A kernel, as far as parts need to know it. */
export interface Described {
  readonly name: string
  /** Of a reverse kernel, the name of the kernel that it reverses. */
  readonly source: string
  readonly device: Device
  readonly entry: { readonly bindings: readonly string[] }
  readonly known: readonly BindingInfo[]
  readonly prints: PrintInfo | null
  readonly context: { readonly wgsl: Wgsl; readonly options: AttachOptions; readonly parts: Parts }
}

/** A bound texture, and the memory that it is read back into after the dispatch. */
export interface BoundTexture {
  readonly view: GPUTextureView
  /** Made for this dispatch. */
  readonly texture: GPUTexture | undefined
  readonly size: readonly [number, number, number]
  readonly bytesPerRow: number
  /** Where to read back into. */
  readonly into: ArrayBufferView | undefined
}

/** For kernels with textures or samplers. */
export interface Textures {
  handleLayout(handle: HandleInfo): Partial<GPUBindGroupLayoutEntry>
  bindTexture(
    device: GPUDevice,
    info: BindingInfo,
    given: TextureSource | undefined,
    kernel: string,
    own: Own,
  ): BoundTexture
  bindSampler(device: GPUDevice, info: BindingInfo, given: GPUSampler | GPUSamplerDescriptor | undefined): GPUSampler
  readTexture(device: Device, encoder: GPUCommandEncoder, bound: BoundTexture, own: Own): Read
  texelsOf(texture: TextureSource, name: string): number
  addressing(sampler: GPUSampler | GPUSamplerDescriptor | undefined): readonly [number, number] | undefined
}

/** For programs that call `printf`. */
export interface Prints {
  printSize(kernel: Described): number
  readOutput(kernel: Described, encoder: GPUCommandEncoder, output: GPUBuffer, own: Own): Read
  flush(kernel: Described, output: GPUBuffer): Promise<void>
}

/** For programs with tensors, or with gradients beside resources. */
export interface Tensors {
  preparing(kernel: Described): (from: DispatchOptions) => Prepared<BufferData>
}

export interface Parts {
  readonly textures: Textures | undefined
  readonly prints: Prints | undefined
  readonly tensors: Tensors | undefined
}

/** How parts are loaded. */
export interface PartLoaders {
  readonly textures: () => Promise<Textures>
  readonly prints: () => Promise<Prints>
  readonly tensors: () => Promise<Tensors>
  readonly rare: () => Promise<RareValues>
}

/** Loads the parts for some modules, such as that of a program and that of a kernel's reverse. */
export async function loadParts(loaders: PartLoaders, modules: readonly Reflection[]): Promise<Parts> {
  const has = (is: (module: Reflection) => boolean): boolean => modules.some(is)
  const [textures, prints, tensors] = await Promise.all([
    has(m => m.bindings.some(b => b.handle !== null)) ? loaders.textures() : undefined,
    has(m => m.prints !== null) ? loaders.prints() : undefined,
    // Each tensor has a rank; what lies beside a resource for its gradient is `diff`.
    has(m => m.parameters.some(({ path }) => ['rank', 'diff'].includes(String(path.at(-1)))))
      ? loaders.tensors()
      : undefined,
    // Numbers that are no words, and values of interfaces.
    has(m => /"([iuf](8|16|64)|variants)"/.test(JSON.stringify(m))) ? loaders.rare().then(useRareValues) : undefined,
  ])
  return { textures, prints, tensors }
}
