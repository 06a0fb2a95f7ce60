/** Entry points that can be run: each call is given everything, and waits for the result. */
import type { BindingInfo, EntryTypes, Optional, UnknownEntry } from '../index.ts'
import { bind, type BoundKernel } from './bound.ts'
import type {
  BindOptions,
  BoundUniforms,
  BufferData,
  DispatchOptions,
  DispatchResult,
  GradKernelGiven,
  GradOptions,
  Groups,
  KernelGiven,
  KernelResult,
  UniformValues,
} from './options.ts'
import type { Code } from './pipeline.ts'

/** An entry point that can be run. */
export interface GpuKernel<E extends EntryTypes = UnknownEntry> {
  readonly name: string
  /** Threads of a group in each dimension. */
  readonly workgroupSize: readonly [number, number, number]
  /**
   * Runs that many groups and waits for them. Throws a `GpuError` where a buffer or uniform is missing or has the wrong size. To run a kernel
   * often, `bind` it.
   */
  dispatch(groups: Groups, ...options: Optional<KernelGiven<E>>): Promise<KernelResult<E>>
  /**
   * Binds the kernel to memory of the device, textures and uniforms, to be run often: checks everything once, and keeps pipeline and bind groups. Does not
   * wait for the device; `ready` of the bound kernel does. Throws a `GpuError` for what is missing, unknown or does not fit, and then keeps nothing.
   * `U` is the type of its uniforms, where it is not known from the program: `kernel.bind<{ rate: number }>({ … })`.
   */
  bind<U extends object = BoundUniforms<E>>(...options: Optional<KernelGiven<E>>): BoundKernel<U>
  /**
   * Gradients of everything that a kernel is given and that can have one: buffers for them are made, zeroed (or set to the cotangents
   * given) and bound. A kernel marked `[Differentiable]` runs backwards; another runs as it is, for it asks for derivatives itself.
   * By name: `Float32Array`s, or buffers of the device where the tensor or buffer itself is one; of `DiffTensorView`s in the shape of
   * the tensor, without gaps, of others in the layout of reflection. Throws a `GpuError` where the kernel has no derivative.
   *
   * What you get is yours: each call makes new arrays, and new buffers where gradients stay on the device, which you destroy. Memory of the device that
   * gradients only pass through on their way to an array is the kernel's, and serves the next call.
   */
  grad(groups: Groups, ...options: Optional<GradKernelGiven<E>>): Promise<Readonly<Record<string, BufferData>>>
}

/** Memory of the device that a kernel writes and that is read. */
export interface Passage {
  readonly buffer: GPUBuffer
  readonly copy: GPUBuffer
  /** Whether the device is to set it to zero. */
  readonly zero: boolean
}

/** Gives memory for data that a kernel writes; undefined where a dispatch makes its own. */
export type PassageFor = (info: BindingInfo, data: BufferData, size: number) => Passage | undefined

/** Makes gradients of what a kernel is given. */
export interface Gradients {
  /** What runs: the reverse of the kernel, or the kernel itself. */
  readonly code: Code
  readonly make: (groups: Groups, options: GradOptions) => Promise<Readonly<Record<string, BufferData>>>
}

/** How what only some calls need is loaded. */
export interface CallLoaders {
  readonly run: () => Promise<{
    readonly run: (
      code: Code,
      groups: Groups,
      options: DispatchOptions,
      passages?: PassageFor,
    ) => Promise<DispatchResult>
  }>
  readonly gradients: () => Promise<{ readonly gradientsOf: (of: Code) => Promise<Gradients> }>
}

export class Kernel implements GpuKernel {
  readonly code: Code
  readonly #loaders: CallLoaders
  /** What `grad` runs, once it was called. */
  gradients: Promise<Gradients> | undefined

  constructor(code: Code, loaders: CallLoaders) {
    this.code = code
    this.#loaders = loaders
  }

  get name(): string {
    return this.code.signature.name
  }

  get workgroupSize(): readonly [number, number, number] {
    return this.code.signature.entry.workgroupSize
  }

  async dispatch(groups: Groups, options: DispatchOptions = {}): Promise<DispatchResult> {
    this.code.signature.checkOptions('dispatch', options)
    const { run } = await this.#loaders.run()
    return run(this.code, groups, options)
  }

  bind<U extends object = UniformValues>(options: BindOptions = {}): BoundKernel<U> {
    const { code } = this
    code.signature.checkOptions('bind', options)
    code.signature.device.check()
    const bound: BoundKernel<object> = bind(code, options)
    bound.ready.catch(() => {
      // Whoever tries again hears the reason, and not that the pipeline is of no use.
      code.compiled = undefined
    })
    return bound as BoundKernel<U>
  }

  async grad(groups: Groups, options: GradOptions = {}): Promise<Readonly<Record<string, BufferData>>> {
    this.code.signature.checkOptions('grad', options, 'cotangents', 'gradients')
    const { make } = await (this.gradients ??= this.makeGradients())
    return make(groups, options)
  }

  async makeGradients(): Promise<Gradients> {
    const { gradientsOf } = await this.#loaders.gradients()
    return gradientsOf(this.code)
  }
}
