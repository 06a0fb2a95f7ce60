/** Entry points that can be run: each call is given everything, and waits for the result. */
import type { BindingInfo, EntryTypes, Optional, UnknownEntry } from '../index.ts'
import { put } from '../host/record.ts'
import { Bound, type BoundKernel, type Context } from './bound.ts'
import { write, type Range } from './buffer.ts'
import { readBack, refuseShared, storageOf, uniformBytes } from './contents.ts'
import type { Owned } from './device.ts'
import { GpuError } from './error.ts'
import { gpuBuffers, type Made } from './gradient.ts'
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
import { compile, compileAtOnce, isDynamic, uniformsOf, type Compiled } from './pipeline.ts'
import { printSize, report } from './print.ts'
import { dispatchOptions, refuseOptions, type Given, type Signature } from './signature.ts'
import { bindSampler, bindTexture, readTexture, type BoundTexture } from './texture.ts'
import { readMode, usage } from './usage.ts'

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

/** Memory of the device that a gradient is made in and read from, kept from call to call. */
interface Passage {
  readonly buffer: GPUBuffer
  readonly copy: GPUBuffer
}

/** A buffer of one dispatch. */
interface BoundBuffer {
  readonly info: BindingInfo
  readonly range: Omit<Range, 'own'>
  /** What to read back into; undefined where nothing is. */
  readonly given: BufferData | undefined
  readonly passage: Passage | undefined
  /** Whether the device is to set it to zero. */
  readonly zero: boolean
}

/** Keeps what is made for one dispatch, to be destroyed when it is over. */
type Own = <O extends Owned>(made: O) => O

export class Kernel implements GpuKernel {
  readonly name: string
  readonly workgroupSize: readonly [number, number, number]
  readonly #context: Context
  readonly #module: GPUShaderModule
  readonly #signature: Signature
  readonly #makeReverse: (() => Promise<Kernel>) | undefined
  #reverse: Promise<Kernel> | undefined
  #compiling: Promise<Compiled> | undefined
  #compiled: Compiled | undefined
  readonly #passages = new Map<string, Passage>()

  /** `makeReverse` makes the kernel that runs this one backwards, where there is one. */
  constructor(
    context: Context,
    module: GPUShaderModule,
    signature: Signature,
    makeReverse: (() => Promise<Kernel>) | undefined,
  ) {
    this.name = signature.name
    this.workgroupSize = signature.entry.workgroupSize
    this.#context = context
    this.#module = module
    this.#signature = signature
    this.#makeReverse = makeReverse
  }

  async dispatch(groups: Groups, from: DispatchOptions = {}): Promise<DispatchResult> {
    refuseOptions(`dispatch of ${this.name} takes no`, from, dispatchOptions)
    return this.#dispatch(groups, from)
  }

  bind<U extends object = UniformValues>(options: BindOptions = {}): BoundKernel<U> {
    refuseOptions(`bind of ${this.name} takes no`, options, dispatchOptions)
    const { device } = this.#context
    device.check()
    const compiled = (): Compiled => (this.#compiled ??= compileAtOnce(device, this.#module, this.#signature))
    const bound: BoundKernel<object> = new Bound(this.#context, this.#signature, compiled, options)
    bound.ready.catch(() => {
      // Whoever tries again hears the reason, and not that the pipeline is of no use.
      this.#compiled = undefined
    })
    return bound as BoundKernel<U>
  }

  async grad(groups: Groups, options: GradOptions = {}): Promise<Readonly<Record<string, BufferData>>> {
    refuseOptions(`grad of ${this.name} takes no`, options, [...dispatchOptions, 'cotangents', 'gradients'])
    const reverse = await (this.#reverse ??= this.#makeReverse?.())
    if (reverse === undefined && !this.#signature.parameters.usesGradients && options.gradients === undefined) {
      throw new GpuError(
        'NoDerivative',
        `${this.name} has no reverse derivative and uses no gradients: mark it [Differentiable], or say which buffers it adds gradients to`,
      )
    }
    const on = reverse ?? this
    const made: Made = { device: [], memory: new Map() }
    try {
      const { given, gradients } = on.#signature.parameters.withGradients<BufferData>(
        options,
        gpuBuffers(on.#context.device, on.#signature.known, options, made),
        new Float32Array(),
      )
      await on.#dispatch(groups, { ...options, ...given } as DispatchOptions, made.memory)
      return gradients
    } catch (mistake) {
      // Nobody but us knows of these.
      for (const buffer of made.device) buffer.destroy()
      throw mistake
    }
  }

  async #dispatch(
    groups: Groups,
    from: DispatchOptions,
    gradients: ReadonlyMap<unknown, boolean> = new Map(),
  ): Promise<DispatchResult> {
    const { device, options } = this.#context
    const signature = this.#signature
    device.check()
    signature.checkGroups(device, groups)
    const given = signature.prepare(device, from)
    const compiled = await this.#compile()
    const passages: [string, Passage][] = []
    try {
      return await device.owning(async own => {
        const { result, accepted } = device.watched(this.name, () =>
          this.#submit(groups, given, compiled, gradients, own, passages),
        )
        // All are waited for together: one after the other, each would cost a round trip.
        await device.allOf(
          accepted,
          [...result.reads, ...result.textureReads].map(read => read.mapped),
        )
        const results: Record<string, BufferData> = {}
        const printed: Uint8Array[] = []
        for (const { bound, copy } of result.reads) {
          const bytes = new Uint8Array(copy.getMappedRange(0, bound.range.size))
          if (signature.isPrinted(bound.info)) printed.push(bytes.slice())
          else put(results, bound.info.name, readBack(bytes, bound.given!, bound.info))
        }
        for (const read of result.textureReads) read.take()
        for (const [name, passage] of passages.splice(0)) this.#keep(name, passage)
        for (const bytes of printed) report(this.name, bytes, signature.prints!, options)
        return results
      })
    } finally {
      for (const [, passage] of passages) destroyPassage(passage)
    }
  }

  async #compile(): Promise<Compiled> {
    const { device } = this.#context
    device.check()
    return (this.#compiled ??= await device.until((this.#compiling ??= compile(device, this.#module, this.#signature))))
  }

  /** Makes the bind groups and submits the work. Gives what to read when it is done. */
  #submit(
    groups: Groups,
    given: Given,
    { pipeline, layouts }: Compiled,
    gradients: ReadonlyMap<unknown, boolean>,
    own: Own,
    passages: [string, Passage][],
  ): {
    readonly reads: readonly {
      readonly bound: BoundBuffer
      readonly copy: GPUBuffer
      readonly mapped: Promise<undefined>
    }[]
    readonly textureReads: readonly { readonly mapped: Promise<undefined>; readonly take: () => void }[]
  } {
    const { device } = this.#context
    const { gpu } = device
    const { bindings, name } = this.#signature
    const textures: BoundTexture[] = []
    const handles: (GPUBindGroupEntry & { readonly group: number })[] = []
    const bound = bindings
      .filter(b => b.handle === null)
      .map(info => this.#bindBuffer(info, given, gradients, own, passages))
    refuseShared(name, bound)
    for (const info of bindings) {
      if (info.handle === null) continue
      const at = { group: info.group, binding: info.binding }
      if (info.kind === 'sampler')
        handles.push({ ...at, resource: bindSampler(gpu, info, given.samplers?.[info.name]) })
      else {
        const texture = bindTexture(gpu, info, given.textures?.[info.name], name, own)
        textures.push(texture)
        handles.push({ ...at, resource: texture.view })
      }
    }
    const encoder = gpu.createCommandEncoder()
    for (const { zero, range } of bound) if (zero) encoder.clearBuffer(range.buffer)
    const pass = encoder.beginComputePass()
    pass.setPipeline(pipeline)
    layouts.forEach((layout, group) => {
      const entries: GPUBindGroupEntry[] = bound
        .filter(b => b.info.group === group)
        .map(({ info, range: { buffer, offset, size } }) => ({
          binding: info.binding,
          resource: { buffer, offset, size },
        }))
      for (const { group: of, ...entry } of handles) if (of === group) entries.push(entry)
      const offsets = isDynamic(device, bindings) ? uniformsOf(bindings, group).map(() => 0) : []
      pass.setBindGroup(group, gpu.createBindGroup({ layout, entries }), offsets)
    })
    pass.dispatchWorkgroups(...groups)
    pass.end()
    const copies = bound
      .filter(b => b.given !== undefined)
      .map(b => {
        const { buffer, size } = b.range
        const copy = b.passage?.copy ?? own(gpu.createBuffer({ size, usage: usage.MAP_READ | usage.COPY_DST }))
        encoder.copyBufferToBuffer(buffer, 0, copy, 0, size)
        return { bound: b, copy }
      })
    const texels = textures.map(texture => readTexture(gpu, encoder, texture, own)).filter(read => read !== undefined)
    device.queue.submit([encoder.finish()])
    return {
      reads: copies.map(read => ({ ...read, mapped: read.copy.mapAsync(readMode) })),
      textureReads: texels.map(({ mapped, take }) => ({ mapped: mapped(), take })),
    }
  }

  #bindBuffer(
    info: BindingInfo,
    given: Given,
    gradients: ReadonlyMap<unknown, boolean>,
    own: Own,
    passages: [string, Passage][],
  ): BoundBuffer {
    if (this.#signature.isPrinted(info)) {
      const bytes = new Uint8Array(printSize(this.#context.options))
      return this.#upload(info, bytes, bytes, own)
    }
    if (info.kind === 'uniform')
      return this.#upload(info, uniformBytes(info, given.uniforms, given.foreign), undefined, own)
    const data = given.buffers?.[info.name]
    const { device } = this.#context
    const found = storageOf(device, this.name, info, data)
    if (!(found instanceof Uint8Array)) return { info, range: found, given: undefined, passage: undefined, zero: false }
    const filled = gradients.get(data)
    if (filled === undefined || info.kind !== 'storage')
      return this.#upload(info, found, info.kind === 'storage' ? data : undefined, own)
    const passage = this.#passage(info.name, found.length)
    passages.push([info.name, passage])
    if (filled) write(device, passage.buffer, 0, found)
    const range = { buffer: passage.buffer, offset: 0, size: found.length }
    return { info, range, given: data, passage, zero: !filled }
  }

  #upload(info: BindingInfo, bytes: Uint8Array, given: BufferData | undefined, own: Own): BoundBuffer {
    const { device } = this.#context
    const role = info.kind === 'uniform' ? usage.UNIFORM : usage.STORAGE
    const size = bytes.byteLength
    const buffer = own(device.gpu.createBuffer({ size, usage: role | usage.COPY_SRC | usage.COPY_DST }))
    write(device, buffer, 0, bytes)
    return { info, range: { buffer, offset: 0, size }, given, passage: undefined, zero: false }
  }

  /** The memory that the last call left for a gradient of this size, or new memory. A call that runs at the same time has its own. */
  #passage(name: string, size: number): Passage {
    const { gpu } = this.#context.device
    const kept = this.#passages.get(name)
    this.#passages.delete(name)
    if (kept?.buffer.size === size) return kept
    if (kept !== undefined) destroyPassage(kept)
    return {
      buffer: gpu.createBuffer({ size, usage: usage.STORAGE | usage.COPY_SRC | usage.COPY_DST }),
      copy: gpu.createBuffer({ size, usage: usage.MAP_READ | usage.COPY_DST }),
    }
  }

  #keep(name: string, passage: Passage): void {
    passage.copy.unmap()
    if (this.#passages.has(name)) destroyPassage(passage)
    else this.#passages.set(name, passage)
  }
}

function destroyPassage({ buffer, copy }: Passage): void {
  buffer.destroy()
  copy.destroy()
}
