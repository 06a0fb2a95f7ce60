/** Runs the entry points of a program on a WebGPU device. */
import type { BindingInfo, EntryReflection, PrintInfo, Wgsl } from '../index.ts'
import { sourceOf } from '../host/origin.ts'
import { bytesOf, unknownName, wrongList, wrongMemory } from '../host/given.ts'
import { KernelParameters, type GradGiven } from '../host/tensor.ts'
import type { BufferData, DispatchOptions } from './options.ts'
import { Device, type Owned } from './device.ts'
import { GpuError, type GpuErrorName } from './error.ts'
import { gpuBuffers, isGpuBuffer } from './gradient.ts'
import { pack, unpack, type Plain } from './pack.ts'
import { readPrinted } from './print.ts'
import { bindSampler, bindTexture, handleLayout, readTexture, type BoundTexture } from './texture.ts'
import { put } from '../host/record.ts'

// WebGPU's flags by number: outside of browsers a device may come without the globals that name them.
const usage = { MAP_READ: 0x1, COPY_SRC: 0x4, COPY_DST: 0x8, UNIFORM: 0x40, STORAGE: 0x80 } as const
const computeStage = 0x4
const readMode = 0x1

/** The options of `grad`: also cotangents of what the kernel writes, and the buffers to which it adds gradients by itself. */
export interface GradOptions extends DispatchOptions, Pick<GradGiven<BufferData>, 'cotangents' | 'gradients'> {}

/** Contents of the buffers that a kernel may write, after a dispatch: what was passed in, or plain values where plain values were. */
export type DispatchResult = Readonly<Record<string, BufferData>>

/** An entry point that can be run. */
export interface GpuKernel {
  readonly name: string
  /** Threads of a group in each dimension. */
  readonly workgroupSize: readonly [number, number, number]
  /** Runs that many groups and waits for them. Throws a `GpuError` where a buffer or uniform is missing or has the wrong size. */
  dispatch(groups: readonly [number, number, number], options?: DispatchOptions): Promise<DispatchResult>
  /**
   * Gradients of everything that a kernel is given and that can have one: buffers for them are made, zeroed (or set to the cotangents
   * given) and bound. A kernel marked `[Differentiable]` runs backwards; another runs as it is, for it asks for derivatives itself.
   * By name: `Float32Array`s, or buffers of the device where the tensor or buffer itself is one; of `DiffTensorView`s in the shape of
   * the tensor, without gaps, of others in the layout of reflection. Throws a `GpuError` where the kernel has no derivative.
   */
  grad(groups: readonly [number, number, number], options?: GradOptions): Promise<Readonly<Record<string, BufferData>>>
}

/** A program on a device. */
export interface GpuProgram {
  /** The compiled module. */
  readonly wgsl: Wgsl
  /** The entry point of that name. Throws a `GpuError` where there is none. */
  kernel(name: string): GpuKernel
}

/** What is the same for all dispatches. */
export interface AttachOptions {
  /** Called with each text that `printf` made, after a dispatch, call by call; default: the console. */
  readonly print?: ((text: string) => void) | undefined
  /** Bytes of the buffer into which one dispatch prints; default 65536. Output that does not fit is dropped, and the last text says so. */
  readonly printBytes?: number | undefined
}

/** What can be attached: a program of `cotangent`, or of `cotangent/wgsl`. */
export interface Attachable {
  wgsl(options?: { readonly reverseOf?: string | undefined }): Wgsl
  readonly functions: readonly { readonly name: string; readonly differentiable: 'none' | 'forward' | 'backward' }[]
}

/**
 * Compiles a program for a device: a browser's, or Dawn's in Node. Throws the program's `CompileError` where it has errors,
 * and a `GpuError` where it has no entry point or the device refuses it.
 *
 * ```ts
 * const g = await attach(compile(source), device)
 * await g.kernel('computeMain').dispatch([4, 1, 1], { buffers: { inp, outp }, uniforms: { scale: 2 } })
 * ```
 */
export async function attach(program: Attachable, gpu: GPUDevice, options: AttachOptions = {}): Promise<GpuProgram> {
  refuseOthers('a program', program, 'wgsl')
  refuseOthers('a GPUDevice', gpu, 'createShaderModule')
  refuseOptions('attach takes no option', options, ['print', 'printBytes'])
  if (options.print !== undefined && typeof options.print !== 'function')
    throw new GpuError('UnknownOption', `print is a function, and ${String(options.print)} came`)
  const wgsl = program.wgsl()
  if (wgsl.code === '') throw new GpuError('CompileError', 'the program has no entry point')
  const { printBytes = defaultPrintBytes } = options
  if (!Number.isSafeInteger(printBytes) || printBytes < 0)
    throw new GpuError('UnknownOption', `printBytes is a whole number of bytes, and ${String(printBytes)} came`)
  const device = new Device(gpu)
  const module = await compileModule(device, wgsl)
  const differentiable = new Set(program.functions.filter(f => f.differentiable === 'backward').map(f => f.name))
  const reverse = async (of: Kernel): Promise<Kernel | undefined> => {
    if (!differentiable.has(of.name)) return undefined
    const derived = program.wgsl({ reverseOf: of.name })
    return new Kernel(
      device,
      await compileModule(device, derived),
      derived.reflection.entries[0]!,
      derived,
      options,
      of,
    )
  }
  const kernels = new Map(
    wgsl.reflection.entries.map(e => [e.name, new Kernel(device, module, e, wgsl, options, reverse)]),
  )
  return {
    wgsl,
    kernel: name => {
      const kernel = kernels.get(name)
      if (kernel !== undefined) return kernel
      throw new GpuError(
        'NoSuchKernel',
        `there is no entry point ${String(name)}; there are: ${[...kernels.keys()].join(', ')}`,
      )
    },
  }
}

async function compileModule(device: Device, wgsl: Wgsl): Promise<GPUShaderModule> {
  const missing = wgsl.reflection.features.filter(f => !device.gpu.features.has(f))
  if (missing.length > 0)
    throw new GpuError(
      'MissingFeature',
      `the program needs ${missing.join(' and ')}; ask for it by requestDevice({ requiredFeatures })`,
    )
  let module: GPUShaderModule | undefined
  const refusal = await device
    .scoped('the WGSL', () => {
      module = device.gpu.createShaderModule({ code: wgsl.code })
    })
    .then(
      () => undefined,
      (cause: unknown) => cause,
    )
  if (module === undefined || (refusal instanceof GpuError && refusal.name === 'DeviceLost')) throw refusal
  const info = await device.until(module.getCompilationInfo())
  const message = info.messages.find(m => m.type === 'error')
  if (message !== undefined) {
    const place = sourceOf(wgsl, message.lineNum)
    const origin = place === undefined ? '' : ` (${place.file}:${place.line})`
    throw new GpuError('CompileError', `line ${message.lineNum} of the WGSL${origin}: ${message.message}`)
  }
  if (refusal !== undefined)
    throw new GpuError('CompileError', refusal instanceof Error ? refusal.message : String(refusal))
  return module
}

const defaultPrintBytes = 65536

/** A binding with what is bound. */
interface Bound {
  readonly info: BindingInfo
  readonly buffer: GPUBuffer
  readonly size: number
  /** Bytes to read back into; undefined where nothing is. */
  readonly given: BufferData | undefined
}

/** Keeps what is made for one dispatch, to be destroyed when it is over. */
type Own = <O extends Owned>(made: O) => O

const dispatchOptions = ['buffers', 'uniforms', 'textures', 'tensors', 'samplers']

/** Throws for a value without a method that an attached program or device has. */
function refuseOthers(what: string, given: unknown, method: string): void {
  if (typeof given === 'object' && given !== null && typeof (given as Record<string, unknown>)[method] === 'function')
    return
  throw new GpuError(
    'UnknownOption',
    `attach takes ${what}, and ${given === null ? 'null' : `a value of type ${typeof given}`} came`,
  )
}

function refuseOptions(what: string, given: unknown, known: readonly string[]): void {
  const wrong = unknownName(given, () => known, what)
  if (wrong !== undefined) throw new GpuError('UnknownOption', wrong)
}

class Kernel implements GpuKernel {
  readonly name: string
  readonly workgroupSize: readonly [number, number, number]
  readonly #device: Device
  readonly #module: GPUShaderModule
  readonly #entry: EntryReflection
  readonly #bindings: readonly BindingInfo[]
  readonly #prints: PrintInfo | null
  readonly #options: AttachOptions
  readonly #parameters: KernelParameters
  readonly #makeReverse: ((of: Kernel) => Promise<Kernel | undefined>) | undefined
  /** The bindings that callers may set; for a reverse kernel also those that only the kernel itself uses. */
  readonly #known: readonly BindingInfo[]
  readonly #uniformNames: ReadonlySet<string>
  #reverse: Promise<Kernel | undefined> | undefined
  #pipeline:
    | Promise<{ readonly pipeline: GPUComputePipeline; readonly layouts: readonly GPUBindGroupLayout[] }>
    | undefined

  /** `reverse` makes the reverse of a kernel; or it is the kernel that this one is the reverse of. */
  constructor(
    device: Device,
    module: GPUShaderModule,
    entry: EntryReflection,
    wgsl: Wgsl,
    options: AttachOptions,
    reverse: Kernel | ((of: Kernel) => Promise<Kernel | undefined>),
  ) {
    this.name = entry.name
    this.workgroupSize = entry.workgroupSize
    this.#device = device
    this.#module = module
    this.#entry = entry
    this.#prints = wgsl.reflection.prints
    this.#options = options
    this.#bindings = wgsl.reflection.bindings.filter(b => entry.bindings.includes(b.name))
    const of = typeof reverse === 'function' ? undefined : reverse
    this.#known = of === undefined ? this.#bindings : [...this.#bindings, ...of.#bindings]
    const blocks = wgsl.reflection.bindings.flatMap(b =>
      b.kind !== 'uniform'
        ? []
        : [b.name, ...(b.name === 'globalParams' && b.type?.kind === 'struct' ? b.type.fields.map(f => f.name) : [])],
    )
    this.#uniformNames = new Set([
      ...blocks,
      ...wgsl.reflection.parameters.flatMap(p => (p.field === null ? [] : [p.binding, p.field, p.path.join('_')])),
    ])
    this.#parameters = new KernelParameters(
      of?.name ?? entry.name,
      wgsl.reflection.parameters,
      entry.bindings,
      of !== undefined,
    )
    this.#makeReverse = typeof reverse === 'function' ? reverse : undefined
  }

  async grad(
    groups: readonly [number, number, number],
    options: GradOptions = {},
  ): Promise<Readonly<Record<string, BufferData>>> {
    refuseOptions(`grad of ${this.name} takes no`, options, [...dispatchOptions, 'cotangents', 'gradients'])
    const reverse = await (this.#reverse ??= this.#makeReverse?.(this))
    if (reverse === undefined && !this.#parameters.usesGradients && options.gradients === undefined) {
      throw new GpuError(
        'NoDerivative',
        `${this.name} has no reverse derivative and uses no gradients: mark it [Differentiable], or say which buffers it adds gradients to`,
      )
    }
    const on = reverse ?? this
    const made: GPUBuffer[] = []
    try {
      const { given, gradients } = on.#parameters.withGradients<BufferData>(
        options,
        gpuBuffers(on.#device.gpu, on.#known, options, made),
        new Float32Array(),
      )
      await on.#dispatch(groups, { ...options, ...given } as DispatchOptions)
      return gradients
    } catch (mistake) {
      // Nobody but us knows of these.
      for (const buffer of made) buffer.destroy()
      throw mistake
    }
  }

  async dispatch(groups: readonly [number, number, number], from: DispatchOptions = {}): Promise<DispatchResult> {
    refuseOptions(`dispatch of ${this.name} takes no`, from, dispatchOptions)
    return this.#dispatch(groups, from)
  }

  async #dispatch(groups: readonly [number, number, number], from: DispatchOptions): Promise<DispatchResult> {
    const device = this.#device
    device.check()
    this.#checkGroups(groups)
    const prepared = this.#parameters.prepare<BufferData>(from, gpuBuffers(device.gpu, this.#known, from, []))
    const options = { ...from, ...prepared, uniforms: prepared.uniforms as Readonly<Record<string, Plain>> }
    this.#refuseUnknown(
      'UnknownBuffer',
      'buffer',
      options.buffers,
      this.#namesOf(b => b.handle === null && b.kind !== 'uniform' && b.name !== this.#prints?.binding),
    )
    this.#refuseUnknown(
      'WrongTexture',
      'texture',
      options.textures,
      this.#namesOf(b => b.kind === 'texture' || b.kind === 'storage-texture'),
    )
    this.#refuseUnknown(
      'WrongTexture',
      'sampler',
      options.samplers,
      this.#namesOf(b => b.kind === 'sampler'),
    )
    this.#refuseUnknown('WrongUniform', 'uniform', options.uniforms, () => this.#uniformNames)
    const { pipeline, layouts } = await device.until((this.#pipeline ??= this.#makePipeline()))
    return device.owning(async own => {
      const { reads, textureReads } = await device.scoped(this.name, () =>
        this.#submit(groups, options, pipeline, layouts, own),
      )
      const results: Record<string, BufferData> = {}
      const texts: Uint32Array[] = []
      for (const {
        bound: { info, given },
        copy,
      } of reads) {
        await device.until(copy.mapAsync(readMode))
        const bytes = new Uint8Array(copy.getMappedRange())
        if (info.name === this.#prints?.binding) texts.push(new Uint32Array(bytes.slice().buffer))
        else put(results, info.name, readBack(bytes, given!, info))
      }
      for (const read of textureReads) await device.until(read())
      for (const words of texts) this.#print(words, this.#prints!)
      return results
    })
  }

  /** Makes the bind groups and submits the work. Gives the buffers to read when it is done. */
  #submit(
    groups: readonly [number, number, number],
    options: DispatchOptions & { readonly foreign: ReadonlySet<string> },
    pipeline: GPUComputePipeline,
    layouts: readonly GPUBindGroupLayout[],
    own: Own,
  ): {
    readonly reads: readonly { readonly bound: Bound; readonly copy: GPUBuffer }[]
    readonly textureReads: readonly (() => Promise<void>)[]
  } {
    const device = this.#device.gpu
    const textures: BoundTexture[] = []
    const handles: (GPUBindGroupEntry & { readonly group: number })[] = []
    const bound = this.#bindings.filter(b => b.handle === null).map(info => this.#bind(info, options, own))
    for (const info of this.#bindings) {
      if (info.handle === null) continue
      const at = { group: info.group, binding: info.binding }
      if (info.kind === 'sampler')
        handles.push({ ...at, resource: bindSampler(device, info, options.samplers?.[info.name]) })
      else {
        const texture = bindTexture(device, info, options.textures?.[info.name], this.name, own)
        textures.push(texture)
        handles.push({ ...at, resource: texture.view })
      }
    }
    const encoder = device.createCommandEncoder()
    const pass = encoder.beginComputePass()
    pass.setPipeline(pipeline)
    layouts.forEach((layout, group) => {
      const entries: GPUBindGroupEntry[] = bound
        .filter(b => b.info.group === group)
        .map(b => ({ binding: b.info.binding, resource: { buffer: b.buffer, size: b.size } }))
      for (const { group: of, ...entry } of handles) if (of === group) entries.push(entry)
      pass.setBindGroup(group, device.createBindGroup({ layout, entries }))
    })
    pass.dispatchWorkgroups(...groups)
    pass.end()
    const reads = bound
      .filter(b => b.given !== undefined)
      .map(b => {
        const copy = own(device.createBuffer({ size: b.size, usage: usage.MAP_READ | usage.COPY_DST }))
        encoder.copyBufferToBuffer(b.buffer, 0, copy, 0, b.size)
        return { bound: b, copy }
      })
    const textureReads = textures
      .map(texture => readTexture(device, encoder, texture, own))
      .filter(read => read !== undefined)
    device.queue.submit([encoder.finish()])
    return { reads, textureReads }
  }

  #checkGroups(groups: readonly [number, number, number]): void {
    const came: unknown = groups
    const shown = Array.isArray(came) ? came.join(' × ') : String(came)
    if (!Array.isArray(came) || came.length !== 3 || !came.every(n => Number.isInteger(n) && (n as number) >= 0)) {
      throw new GpuError(
        'WrongGroups',
        `${this.name}: the number of groups is ${shown}: three whole numbers are needed, none below 0`,
      )
    }
    const most = this.#device.gpu.limits.maxComputeWorkgroupsPerDimension
    if (groups.some(n => n > most))
      throw new GpuError(
        'WrongGroups',
        `${this.name}: the number of groups is ${shown}, and the device allows ${most} along each dimension`,
      )
  }

  #print(words: Uint32Array, prints: PrintInfo): void {
    const print = this.#options.print ?? ((text: string): void => console.log(text.replace(/\n$/, '')))
    const { texts, lost } = readPrinted(words, prints)
    for (const text of texts) print(text)
    if (lost > 0)
      print(
        `${this.name}: ${lost * 4} more bytes of output did not fit into ${words.byteLength}; attach with larger printBytes\n`,
      )
  }

  #namesOf(is: (b: BindingInfo) => boolean): () => string[] {
    return () => this.#known.filter(is).map(b => b.name)
  }

  #refuseUnknown(error: GpuErrorName, what: string, given: object | undefined, known: () => Iterable<string>): void {
    const wrong = unknownName(given, known, `${this.name} uses no ${what}`)
    if (wrong !== undefined) throw new GpuError(error, wrong)
  }

  async #makePipeline(): Promise<{
    readonly pipeline: GPUComputePipeline
    readonly layouts: readonly GPUBindGroupLayout[]
  }> {
    const device = this.#device.gpu
    const buffers = this.#bindings.filter(b => b.kind === 'storage' || b.kind === 'read-only-storage').length
    const allowed = device.limits.maxStorageBuffersPerShaderStage
    if (buffers > allowed) {
      throw new GpuError(
        'DeviceError',
        `${this.name} uses ${buffers} storage buffers, and the device allows ${allowed}: ask for more by requestDevice({ requiredLimits: { maxStorageBuffersPerShaderStage: ${buffers} } })`,
      )
    }
    const count = Math.max(-1, ...this.#bindings.map(b => b.group)) + 1
    const layouts = await this.#device.scoped(this.name, () =>
      Array.from({ length: count }, (_, group) =>
        device.createBindGroupLayout({
          entries: this.#bindings
            .filter(b => b.group === group)
            .map(b => ({
              binding: b.binding,
              visibility: computeStage,
              ...(b.handle === null ? { buffer: { type: b.kind as GPUBufferBindingType } } : handleLayout(b.handle)),
            })),
        }),
      ),
    )
    const layout = await this.#device.scoped(this.name, () =>
      device.createPipelineLayout({ bindGroupLayouts: layouts }),
    )
    try {
      const pipeline = await this.#device.until(
        device.createComputePipelineAsync({
          layout,
          compute: { module: this.#module, entryPoint: this.#entry.target },
        }),
      )
      return { pipeline, layouts }
    } catch (cause) {
      if (cause instanceof GpuError) throw cause
      throw new GpuError('DeviceError', `${this.name}: ${cause instanceof Error ? cause.message : String(cause)}`)
    }
  }

  #bind(info: BindingInfo, options: DispatchOptions & { readonly foreign: ReadonlySet<string> }, own: Own): Bound {
    if (info.name === this.#prints?.binding) {
      const bytes = new Uint8Array(Math.max(16, Math.ceil((this.#options.printBytes ?? defaultPrintBytes) / 4) * 4))
      return this.#upload(info, bytes, bytes, own)
    }
    if (info.kind === 'uniform')
      return this.#upload(info, this.#uniform(info, options.uniforms ?? {}, options.foreign), undefined, own)
    const data = options.buffers?.[info.name]
    if (data === undefined) throw new GpuError('MissingBuffer', `${this.name} needs the buffer ${info.name}`)
    if (isGpuBuffer(data)) return { info, buffer: data, size: data.size, given: undefined }
    const bytes = packed(data, info)
    const least = info.type?.kind === 'array' ? info.type.stride : 4
    if (bytes.byteLength < least || bytes.byteLength % 4 !== 0) {
      throw new GpuError(
        'WrongBuffer',
        `${info.name}: expected at least ${least} bytes and a multiple of 4, got ${bytes.byteLength}`,
      )
    }
    return this.#upload(info, bytes, info.kind === 'storage' ? data : undefined, own)
  }

  #upload(info: BindingInfo, bytes: Uint8Array, given: BufferData | undefined, own: Own): Bound {
    const role = info.kind === 'uniform' ? usage.UNIFORM : usage.STORAGE
    const buffer = own(
      this.#device.gpu.createBuffer({ size: bytes.byteLength, usage: role | usage.COPY_SRC | usage.COPY_DST }),
    )
    this.#device.gpu.queue.writeBuffer(buffer, 0, unshared(bytes))
    return { info, buffer, size: bytes.byteLength, given }
  }

  #uniform(info: BindingInfo, uniforms: Readonly<Record<string, Plain>>, foreign: ReadonlySet<string>): Uint8Array {
    const type = info.type
    if (type === null) throw new GpuError('WrongUniform', `${info.name} cannot be set from here`)
    const bytes = new Uint8Array(Math.ceil(type.size / 16) * 16)
    // Uniforms outside of blocks are fields of one buffer, but the caller knows them one by one.
    const value = uniforms[info.name] ?? (info.name === 'globalParams' ? uniforms : undefined)
    pack(new DataView(bytes.buffer), 0, type, value, info.name, foreign)
    return bytes
  }
}

/** The data as bytes. Throws a `GpuError` if it does not fit the elements. */
function packed(data: Exclude<BufferData, GPUBuffer>, info: BindingInfo): Uint8Array {
  const type = info.type
  const unwritable = info.kind === 'storage' ? wrongList(data) : undefined
  if (unwritable !== undefined) throw new GpuError('BufferError', `buffer ${info.name}: ${unwritable}`)
  if (!Array.isArray(data)) {
    const wrong = wrongMemory(type ?? { kind: 'void' }, info.raw === true, data)
    if (wrong !== undefined) throw new GpuError('BufferError', `buffer ${info.name}: ${wrong}`)
    return bytesOf(data)!
  }
  if (type?.kind !== 'array') throw new GpuError('WrongBuffer', `${info.name}: plain values need an array type`)
  const bytes = new Uint8Array(Math.max(4, data.length * type.stride))
  pack(new DataView(bytes.buffer), 0, type, data as readonly Plain[], info.name)
  return bytes
}

/** The same bytes outside of shared memory, which a device does not read. */
function unshared(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes)
}

function readBack(bytes: Uint8Array, given: BufferData, info: BindingInfo): BufferData {
  if (isGpuBuffer(given)) return given
  const memory = bytesOf(given)
  if (memory !== undefined) {
    memory.set(bytes)
    return given
  }
  return unpack(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), 0, info.type!) as readonly Plain[]
}
