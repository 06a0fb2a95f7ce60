/** Entry points that can be run: each call is given everything, and waits for the result. */
import type { EntryTypes, Optional, UnknownEntry } from '../index.ts'
import { put } from '../host/record.ts'
import { bind, type BoundKernel } from './bound.ts'
import { write } from './buffer.ts'
import type { Gradients, PassageFor } from './gradient.ts'
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
import { compile, compileAtOnce, isDynamic, setPipeline, uniformsOf, type Compiled } from './pipeline.ts'
import { copyBuffer, readBack, recordCopy, type Read } from './read.ts'
import { bindGroups, bindResources, storageBuffer, written, type Entry } from './resources.ts'
import type { Signature } from './signature.ts'
import type { Submissions } from './uniform-slots.ts'
import { uniformsFor } from './uniforms.ts'
import { usage } from './usage.ts'

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

/** Makes the kernel that runs another one backwards. */
export type MakeReverse = () => Promise<Kernel>

export class Kernel implements GpuKernel {
  readonly name: string
  readonly workgroupSize: readonly [number, number, number]
  readonly #signature: Signature
  readonly #module: GPUShaderModule
  readonly #submissions: Submissions
  readonly #makeReverse: MakeReverse | undefined
  #gradients: Promise<Gradients> | undefined
  #compiling: Promise<Compiled> | undefined
  #compiled: Compiled | undefined

  /** `makeReverse` makes the kernel that runs this one backwards, where there is one. */
  constructor(module: GPUShaderModule, signature: Signature, submissions: Submissions, makeReverse?: MakeReverse) {
    this.name = signature.name
    this.workgroupSize = signature.entry.workgroupSize
    this.#signature = signature
    this.#module = module
    this.#submissions = submissions
    this.#makeReverse = makeReverse
  }

  async dispatch(groups: Groups, options: DispatchOptions = {}): Promise<DispatchResult> {
    this.#signature.checkOptions('dispatch', options)
    return this.#run(groups, options)
  }

  bind<U extends object = UniformValues>(options: BindOptions = {}): BoundKernel<U> {
    const signature = this.#signature
    signature.checkOptions('bind', options)
    signature.device.check()
    const compiled = (): Compiled => (this.#compiled ??= compileAtOnce(this.#module, signature))
    const bound: BoundKernel<object> = bind(signature, this.#submissions, compiled, options)
    bound.ready.catch(() => {
      // Whoever tries again hears the reason, and not that the pipeline is of no use.
      this.#compiled = undefined
    })
    return bound as BoundKernel<U>
  }

  async grad(groups: Groups, options: GradOptions = {}): Promise<Readonly<Record<string, BufferData>>> {
    this.#signature.checkOptions('grad', options, ['cotangents', 'gradients'])
    const gradients = await (this.#gradients ??= this.#makeGradients())
    return gradients(groups, options)
  }

  async #makeGradients(): Promise<Gradients> {
    const [{ gradientsOf }, on = this] = await Promise.all([import('./gradient.ts'), this.#makeReverse?.()])
    return gradientsOf({ signature: on.#signature, run: on.#run.bind(on) })
  }

  /** Submits one dispatch, and waits for what it writes. `passages` may give memory for that. */
  async #run(groups: Groups, options: DispatchOptions, passages?: PassageFor): Promise<DispatchResult> {
    const signature = this.#signature
    const { device, name, bindings } = signature
    device.check()
    signature.checkGroups(groups)
    const given = signature.prepare(options)
    const uniforms = uniformsFor(signature, given)
    const compiled = await this.#compile()
    const results: Record<string, BufferData> = {}
    await readBack(device, name, (encoder, own) => {
      const reads: (() => Read)[] = []
      const { entries, output } = bindResources(signature, given, own, {
        buffer: (info, bytes, data) => {
          const size = bytes.length
          const passage = passages?.(info, data, size)
          const buffer = passage?.buffer ?? own(storageBuffer(signature, size))
          if (passage?.zero === true) encoder.clearBuffer(buffer)
          else write(device, buffer, 0, bytes)
          reads.push(() => {
            const copy = passage?.copy ?? own(copyBuffer(device, size))
            recordCopy(encoder, buffer, copy)
            return { copy, take: left => put(results, info.name, written(left, data, info)) }
          })
          return buffer
        },
        texture: bound => reads.push(() => signature.parts.textures!.readTexture(device, encoder, bound, own)),
      })
      if (output !== undefined)
        reads.push(() => {
          const copy = own(copyBuffer(device, output.size))
          recordCopy(encoder, output, copy)
          return { copy, take: signature.report }
        })
      const all: Entry[] = [...entries]
      const { bytes } = uniforms.memory
      if (bytes.length > 0) {
        const buffer = own(device.gpu.createBuffer({ size: bytes.length, usage: usage.UNIFORM | usage.COPY_DST }))
        write(device, buffer, 0, bytes)
        all.push(...uniforms.entries(buffer))
      }
      const offsets = compiled.layouts.map((_, group) =>
        isDynamic(signature) ? uniformsOf(bindings, group).map(() => 0) : [],
      )
      const pass = encoder.beginComputePass()
      setPipeline(pass, compiled, { groups: bindGroups(signature, compiled, all), offsets })
      pass.dispatchWorkgroups(...groups)
      pass.end()
      return reads.map(read => read())
    })
    return results
  }

  async #compile(): Promise<Compiled> {
    const { device } = this.#signature
    device.check()
    return (this.#compiled ??= await device.until((this.#compiling ??= compile(this.#module, this.#signature))))
  }
}
