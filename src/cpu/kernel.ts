/** Compute entry points on the CPU, with tensors and gradients. */
import type {
  Bytes,
  EntryTypes,
  Filled,
  IfKnown,
  Member,
  Optional,
  TensorsOf,
  UnknownEntry,
  WasmBuffer,
} from '../index.ts'
import { KernelParameters, type Buffers, type Given, type GradGiven, type TensorData } from '../host/tensor.ts'
import { onlyScalar, unknownName } from '../host/given.ts'
import { zeroOf } from './constant.ts'
import { BufferError, NameError, ShapeError } from './errors.ts'
import type { Lanes } from './lanes.ts'
import type { Machine, Resources } from './machine.ts'
import { Textures, refuseWrong, type SamplerData, type TextureData, type TextureResources } from './texture.ts'
import { sizeOf, type BufferData } from './upload.ts'

/** The arguments of a kernel: tensors by the names of its parameters, textures and samplers, besides buffers and uniforms. */
export interface KernelResources extends Resources, TextureResources {
  readonly tensors?: Readonly<Record<string, Tensor>> | undefined
}

/** A tensor in memory: a typed array, or a list of elements. */
export type Tensor = TensorData<BufferData>

/** The arguments of `grad`: also cotangents of what the kernel writes, and the buffers to which it adds gradients by itself. */
export interface GradResources extends KernelResources, Pick<GradGiven<BufferData>, 'cotangents' | 'gradients'> {}

/** What a kernel is given, by its types where they are known. */
export type KernelGiven<E extends EntryTypes> = IfKnown<E, TypedResources<E>, KernelResources>

/** What a kernel whose types are known is given. */
type TypedResources<E extends EntryTypes> = Member<'buffers', Filled<E['buffers'], Bytes>> &
  Member<'uniforms', E['uniforms']> &
  Member<'tensors', { readonly [N in keyof TensorsOf<E>]: TensorData<TensorsOf<E>[N] | Bytes> }> &
  Member<'textures', Readonly<Record<E['textures'], TextureData>>> & {
    readonly samplers?: Partial<Readonly<Record<E['samplers'], SamplerData>>> | undefined
  }

/** The same for `grad`. */
export type GradKernelGiven<E extends EntryTypes> = KernelGiven<E> &
  Pick<GradGiven<BufferData>, 'cotangents' | 'gradients'>

/** A compute entry point. */
export interface Kernel<E extends EntryTypes = UnknownEntry> {
  readonly name: string
  /** Threads of a workgroup along x, y and z. */
  readonly workgroupSize: readonly [number, number, number]
  /** How many of its threads run at once, and why one alone does. */
  readonly lanes: Lanes
  /** Names of the buffers and uniform blocks that it uses. */
  readonly buffers: readonly string[]
  readonly uniforms: readonly string[]
  /**
   * Runs `groups` workgroups along x, y and z. Buffers are typed arrays in the layout of WGSL, or arrays of elements, and are
   * written in place. Throws `BufferError` where one is missing, too short or of another kind.
   */
  readonly dispatch: (groups: readonly [number, number, number], ...options: Optional<KernelGiven<E>>) => void
  /**
   * The same without waiting: workers run the workgroups, also in a page that is cross-origin isolated. Where there are none, this thread
   * does, and has time for other things after each 8 ms, between two workgroups. Resources are read at once; arrays are written just before
   * the promise resolves, and a buffer in the module's memory while the kernel runs. Until then each other call of the module throws
   * `BusyError`. Rejects with what `dispatch` throws.
   */
  readonly dispatchAsync: (
    groups: readonly [number, number, number],
    ...options: Optional<KernelGiven<E>>
  ) => Promise<void>
  /**
   * Gradients of everything that a kernel is given and that can have one: buffers for them are made, zeroed (or set to the cotangents
   * given) and bound. A kernel marked `[Differentiable]` runs backwards; another runs as it is, for it asks for derivatives itself.
   * By name: of `DiffTensorView`s in the shape of the tensor, without gaps; of `DiffStructuredBuffer`s and their kin like the buffer;
   * of `gradients` like the buffers named there. Throws `NameError` where the kernel has no derivative.
   */
  readonly grad: (
    groups: readonly [number, number, number],
    ...options: Optional<GradKernelGiven<E>>
  ) => Readonly<Record<string, BufferData>>
  /** The same without waiting, as `dispatchAsync`. */
  readonly gradAsync: (
    groups: readonly [number, number, number],
    ...options: Optional<GradKernelGiven<E>>
  ) => Promise<Readonly<Record<string, BufferData>>>
}

/** The kernel of that name; `reverse` makes the machine that runs it backwards, if it has a reverse derivative. */
export function makeKernel<E extends EntryTypes>(
  machine: Machine,
  name: string,
  reverse: () => Machine | undefined,
): Kernel<E> {
  const { numthreads, lanes, buffers, uniforms } = machine.kernel(name)
  const plain: Subject = {
    machine,
    name,
    parameters: parametersOf(machine, name, name),
    textures: texturesOf(machine, name, name),
  }
  let derived: Subject | undefined
  const backwards = (): Subject => {
    if (derived !== undefined) return derived
    const made = reverse()
    if (made === undefined) return (derived = plain)
    const own = made.host.kernels[0]!.name
    return (derived = {
      machine: made,
      name: own,
      parameters: parametersOf(made, own, name),
      textures: texturesOf(made, own, name),
    })
  }
  /** The options of a call, which takes `more` than a dispatch. */
  const taken = (call: string, options: object | undefined, more: readonly string[] = []): KernelResources => {
    const resources = options === undefined ? {} : options
    refuseOptions(`${call} of ${name}`, resources, more)
    noteViews(machine, resources)
    return resources
  }
  /** What runs backwards, and what it is given: buffers for gradients too. */
  const gradientsOf = (call: string, options: object | undefined) => {
    // The reverse kernel takes memory of its own when it is made, which may detach the views: those are noted before.
    const resources: GradResources = taken(call, options, ['cotangents', 'gradients'])
    const on = backwards()
    if (on.machine === machine && !on.parameters.usesGradients && resources.gradients === undefined) {
      throw new NameError(
        `${name} has no reverse derivative and uses no gradients: mark it [Differentiable], or say which buffers it adds gradients to`,
      )
    }
    const own = buffersOf(on, resources)
    return { on, resources, ...on.parameters.withGradients<BufferData>(resources, own, new Float32Array()) }
  }
  return {
    name,
    workgroupSize: numthreads,
    lanes: { count: lanes.count, reason: lanes.count === 1 ? lanes.reason : undefined },
    buffers,
    uniforms,
    dispatch: (groups, ...[options]) => {
      const resources = taken('dispatch', options)
      run(plain, groups, resources, resources)
    },
    dispatchAsync: async (groups, ...[options]) => {
      const resources = taken('dispatchAsync', options)
      await runAsync(plain, groups, resources, resources)
    },
    grad: (groups, ...[options]) => {
      const { on, given, gradients, resources } = gradientsOf('grad', options)
      run(on, groups, given, resources)
      return gradients
    },
    gradAsync: async (groups, ...[options]) => {
      const { on, given, gradients, resources } = gradientsOf('gradAsync', options)
      await runAsync(on, groups, given, resources)
      return gradients
    },
  }
}

/** A kernel, or the reverse of one, on the machine that runs it. */
interface Subject {
  readonly machine: Machine
  readonly name: string
  readonly parameters: KernelParameters
  readonly textures: Textures
}

/** Textures and samplers as the buffers that exported functions read. */
export function withTextures(machine: Machine, resources: Resources & TextureResources): Resources {
  refuseWrong(resources, 'bind')
  const { parameters, buffers } = machine.host
  const textures = new Textures(
    'the program',
    parameters,
    buffers.map(b => b.name),
    buffers,
  ).bind(resources)
  return { ...resources, buffers: { ...resources.buffers, ...textures.buffers } }
}

/** Remembers which data lies in the program's own memory. Throws where memory has grown since a view of it was made. */
export function noteViews({ memory }: Machine, { buffers, tensors, textures }: KernelResources): void {
  memory.turn.refuseClosed('the program')
  for (const [name, data] of Object.entries(buffers ?? {})) memory.note(name, data)
  for (const [name, tensor] of Object.entries(tensors ?? {})) {
    if (typeof tensor !== 'object' || tensor === null) continue
    memory.note(name, tensor.data)
    memory.note(name, tensor.grad)
  }
  for (const [name, texture] of Object.entries(textures ?? {})) memory.refuseOwn(`texture ${name}`, texture?.data)
}

function refuseOptions(owner: string, given: object, more: readonly string[]): void {
  const wrong = unknownName(
    given,
    () => ['buffers', 'uniforms', 'textures', 'samplers', 'tensors', ...more],
    `${owner} takes no`,
  )
  if (wrong !== undefined) throw new NameError(wrong)
  refuseWrong(given, owner)
}

function run(
  on: Subject,
  groups: readonly [number, number, number],
  given: Given<BufferData>,
  resources: KernelResources,
): void {
  const { prepared, textures } = prepare(on, given, resources)
  on.machine.dispatch(on.name, groups, prepared, undefined, undefined, prepared.foreign)
  textures.back()
}

async function runAsync(
  on: Subject,
  groups: readonly [number, number, number],
  given: Given<BufferData>,
  resources: KernelResources,
): Promise<void> {
  const { prepared, textures } = prepare(on, given, resources)
  await on.machine.dispatchAsync(on.name, groups, prepared, prepared.foreign)
  textures.back()
}

/** What the kernel's machine is given, and the textures that it writes. */
function prepare(on: Subject, given: Given<BufferData>, resources: KernelResources) {
  const textures = on.textures.bind(resources)
  const prepared = on.parameters.prepare(
    { ...given, buffers: { ...given.buffers, ...textures.buffers } },
    buffersOf(on, resources),
  )
  on.machine.refuseUnknown(on.parameters.of, prepared)
  return { prepared, textures }
}

function texturesOf(machine: Machine, kernel: string, of: string): Textures {
  const parts = machine.host.parameters.filter(p => p.entry === null || p.entry === of)
  return new Textures(of, parts, machine.kernel(kernel).buffers, machine.host.buffers)
}

function parametersOf(machine: Machine, kernel: string, of: string): KernelParameters {
  const { buffers, uniforms } = machine.kernel(kernel)
  return new KernelParameters(of, machine.host.parameters, [...buffers, ...uniforms], kernel !== of)
}

const fail = (message: string): never => {
  throw new BufferError(message)
}

function buffersOf({ machine, textures }: Subject, resources: KernelResources): Buffers<BufferData> {
  const find = (binding: string): WasmBuffer =>
    machine.host.buffers.find(b => b.name === binding) ?? fail(`there is no buffer ${binding}`)
  return {
    fail,
    count: (binding, data, name = binding) => {
      const buffer = find(binding)
      return sizeOf({ ...buffer, name }, data, machine.memory.partOf(name, data)) / buffer.stride
    },
    zeros: (binding, count, like) => {
      const { elem, stride } = find(binding)
      const kind = kinds[onlyScalar(elem) ?? '']
      return kind === undefined || Array.isArray(like)
        ? Array.from({ length: count }, () => zeroOf(elem))
        : new kind((count * stride) / kind.BYTES_PER_ELEMENT)
    },
    texels: binding => textures.texels(binding, resources),
    address: () => textures.address(resources),
    fill: (data, values, what) => {
      const target = data as unknown as unknown[]
      if (typeof values !== 'number' && values?.length !== target.length)
        throw new ShapeError(what, `${target.length} numbers`, values)
      for (let i = 0; i < target.length; i++) {
        const value = typeof values === 'number' ? values : values[i]
        // Elements of lists are checked when they are copied.
        if (ArrayBuffer.isView(data) && typeof value !== 'number')
          throw new ShapeError(`${what}[${i}]`, 'a number', value)
        target[i] = value
      }
    },
  }
}

const kinds: Readonly<
  Record<
    string,
    Float32ArrayConstructor | Float64ArrayConstructor | Int32ArrayConstructor | Uint32ArrayConstructor | undefined
  >
> = { f32: Float32Array, f64: Float64Array, i32: Int32Array, u32: Uint32Array }
