/** Kernels that are bound once and run often. */
import type { BindingInfo } from '../index.ts'
import { refuseShared, storageOf, uniformBytes } from './contents.ts'
import { OwnBuffer, rangeOf, write, type Range } from './buffer.ts'
import type { Device, Owned } from './device.ts'
import { errorOf, GpuError } from './error.ts'
import type { AttachOptions, BindOptions, DeviceBuffer, Groups, UniformValues } from './options.ts'
import { isDynamic, uniformsOf, type Compiled } from './pipeline.ts'
import { printSize, report } from './print.ts'
import type { Given, Signature } from './signature.ts'
import { bindSampler, bindTexture } from './texture.ts'
import { UniformSlots, type Slot, type Submissions } from './uniform-slots.ts'
import { uniformValues, type UniformMemory, type UniformPlace } from './uniform-values.ts'
import { readMode, usage } from './usage.ts'
import type { WebGpuBuffer, WebGpuComputePass } from './webgpu.ts'
import { shown } from '../host/texture.ts'

/**
 * A kernel with everything that it uses. What `encode` and `dispatch` can check at once they check, and throw a `GpuError`: the number of groups, a
 * buffer of `g.buffer` that is destroyed, a device that is lost. They neither wait for the device nor open an error scope. What the
 * device itself refuses later, such as a `GPUBuffer` that you destroyed, it says by its event `uncapturederror`.
 *
 * `U` is the type of `uniforms`.
 */
export interface BoundKernel<U extends object = UniformValues> {
  /** The name of the entry point. */
  readonly name: string
  /** Threads of a group in each dimension. */
  readonly workgroupSize: readonly [number, number, number]
  /**
   * Waits until the device has compiled the kernel and accepted what is bound; fails with the `GpuError` of what it refused. You need not wait: work is
   * done in order. Once a refusal is known, every call throws it.
   */
  readonly ready: Promise<void>
  /**
   * The uniforms, to read and to set: `k.uniforms.rate = 0.1`, `k.uniforms.light = { … }`, `k.uniforms.light.power = 3`,
   * `k.uniforms.light.direction[0] = 1`. Names and values are those of the `uniforms` of `bind`. A value that does not fit throws a `GpuError` named
   * `WrongUniform` and changes nothing; setting an unknown name throws a `TypeError`.
   *
   * Each call of `encode` or `dispatch` uses the values of its time. A pass that is not submitted yet keeps them in a slot of the device's memory for
   * each change, up to 16 MiB (65,536 changes of up to 256 bytes). `g.submitted()` frees the slots. If none is free, `encode`
   * throws a `GpuError` named `TooManyUniforms`. `dispatch` needs no slots.
   */
  readonly uniforms: U
  /**
   * Records the kernel into your compute pass: pipeline, bind groups, dispatch. Returns at once. You end the pass and submit it; the pass may hold
   * other work, and this kernel many times. Sets the pipeline and the bind groups of the pass, so set your own again afterwards.
   */
  encode(pass: WebGpuComputePass, groups: Groups): void
  /**
   * The same with the number of groups in memory of the device: three `u32` from byte `offset` on (default 0), a multiple of 4. The
   * buffer needs `GPUBufferUsage.INDIRECT`, which buffers of `g.buffer` have, and the kernel itself may not write it.
   */
  encodeIndirect(pass: WebGpuComputePass, buffer: WebGpuBuffer | DeviceBuffer, offset?: number): void
  /** Runs that many groups in a submit of its own. Returns at once: read a buffer to wait for the result. */
  dispatch(groups: Groups): void
  /** The same with the number of groups in memory of the device, as in `encodeIndirect`. */
  dispatchIndirect(buffer: WebGpuBuffer | DeviceBuffer, offset?: number): void
  /**
   * Waits for all work that was submitted before, and hands what this kernel printed by `printf` since the last `flush` to the `print` of `attach`. Until
   * then it collects in `printBytes` bytes. Does nothing for a kernel that does not print.
   */
  flush(): Promise<void>
  /** Frees what `bind` made: memory for uniforms and output, copies of memory and textures. What you gave stays. Does not wait. A second call does nothing. */
  destroy(): void
}

/** What all bound kernels of a program share. */
export interface Context {
  readonly device: Device
  readonly options: AttachOptions
  readonly submissions: Submissions
}

export class Bound implements BoundKernel {
  readonly name: string
  readonly workgroupSize: readonly [number, number, number]
  readonly ready: Promise<void>
  readonly uniforms: UniformValues
  readonly #context: Context
  readonly #device: Device
  readonly #signature: Signature
  readonly #made: Owned[] = []
  readonly #pipeline: GPUComputePipeline
  /** Bind groups that never change; with uniforms, slots hold those to use. */
  readonly #groups: readonly GPUBindGroup[]
  readonly #slots: UniformSlots | undefined
  readonly #output: GPUBuffer | undefined
  /** Buffers that may be destroyed by others. */
  readonly #borrowed: readonly { readonly name: string; readonly own: OwnBuffer }[]
  readonly #written: ReadonlySet<GPUBuffer>
  #refusal: Error | undefined
  #destroyed = false

  /** `compiled` compiles at once, inside of an error scope. */
  constructor(context: Context, signature: Signature, compiled: () => Compiled, options: BindOptions) {
    const { device } = context
    this.#context = context
    this.#device = device
    this.#signature = signature
    this.name = signature.name
    this.workgroupSize = signature.entry.workgroupSize
    const given = signature.prepare(device, options)
    const blocks = uniformsOf(signature.bindings)
    if (blocks.length > 0 && !isDynamic(device, signature.bindings))
      throw new GpuError(
        'DeviceError',
        `${this.name} uses ${blocks.length} uniform buffers, and a bound kernel may use ${device.limits.maxDynamicUniformBuffersPerPipelineLayout} on this device: ask for more by requestDevice({ requiredLimits: { maxDynamicUniformBuffersPerPipelineLayout: ${blocks.length} } })`,
      )
    const layout = uniformLayout(device, blocks)
    const memory = uniformMemory(blocks, layout, given)
    this.uniforms = uniformValues(memory, placesOf(signature, blocks, layout, given, options)) as UniformValues
    const own = <O extends Owned>(made: O): O => {
      this.#made.push(made)
      return made
    }
    try {
      const { result, accepted } = device.watched(this.name, () => {
        const resources = bindAll(context, signature, given, own)
        const { pipeline, layouts } = compiled()
        const groupsOver = (uniforms: GPUBuffer | undefined): GPUBindGroup[] =>
          layouts.map((layoutOfGroup, group) =>
            device.gpu.createBindGroup({
              layout: layoutOfGroup,
              entries: [
                ...resources.entries.filter(e => e.group === group),
                ...uniformsOf(signature.bindings, group).map(b => ({
                  binding: b.binding,
                  resource: { buffer: uniforms!, offset: layout.get(b)!.offset, size: layout.get(b)!.size },
                })),
              ],
            }),
          )
        const slots =
          blocks.length === 0
            ? undefined
            : new UniformSlots(device, memory, {
                name: this.name,
                stride: roundTo(memory.bytes.length, device.limits.minUniformBufferOffsetAlignment),
                counts: layouts.map((_, group) => uniformsOf(signature.bindings, group).length),
                submissions: context.submissions,
                groups: groupsOver,
                own,
                refused: this.#refuse,
              })
        const groups = slots === undefined ? groupsOver(undefined) : []
        // Recorded once for the device to check it all. Nobody submits it.
        const encoder = device.gpu.createCommandEncoder()
        const pass = encoder.beginComputePass()
        set(pass, pipeline, groups, slots?.direct())
        pass.dispatchWorkgroups(1, 1, 1)
        pass.end()
        encoder.finish()
        return { ...resources, pipeline, groups, slots }
      })
      this.#pipeline = result.pipeline
      this.#groups = result.groups
      this.#slots = result.slots
      this.#output = result.output
      this.#borrowed = result.borrowed
      this.#written = result.written
      this.ready = accepted
      accepted.catch(this.#refuse)
    } catch (mistake) {
      this.destroy()
      throw mistake
    }
  }

  encode(pass: GPUComputePassEncoder, groups: Groups): void {
    this.#check()
    this.#signature.checkGroups(this.#device, groups)
    this.#checkPass('encode', pass)
    set(pass, this.#pipeline, this.#groups, this.#slots?.recorded())
    pass.dispatchWorkgroups(groups[0], groups[1], groups[2])
  }

  encodeIndirect(pass: GPUComputePassEncoder, buffer: GPUBuffer | DeviceBuffer, offset = 0): void {
    this.#check()
    const from = this.#indirect(buffer, offset)
    this.#checkPass('encodeIndirect', pass)
    set(pass, this.#pipeline, this.#groups, this.#slots?.recorded())
    pass.dispatchWorkgroupsIndirect(from, offset)
  }

  dispatch(groups: Groups): void {
    this.#check()
    this.#signature.checkGroups(this.#device, groups)
    this.#submit(pass => pass.dispatchWorkgroups(groups[0], groups[1], groups[2]))
  }

  dispatchIndirect(buffer: GPUBuffer | DeviceBuffer, offset = 0): void {
    this.#check()
    const from = this.#indirect(buffer, offset)
    this.#submit(pass => pass.dispatchWorkgroupsIndirect(from, offset))
  }

  async flush(): Promise<void> {
    this.#check()
    const device = this.#device
    const output = this.#output
    if (output === undefined) return
    const bytes = await device.owning(async own => {
      const copy = own(device.gpu.createBuffer({ size: output.size, usage: usage.MAP_READ | usage.COPY_DST }))
      const { result: mapped, accepted } = device.watched(this.name, () => {
        const encoder = device.gpu.createCommandEncoder()
        encoder.copyBufferToBuffer(output, 0, copy, 0, output.size)
        encoder.clearBuffer(output)
        device.queue.submit([encoder.finish()])
        return copy.mapAsync(readMode)
      })
      await device.allOf(accepted, [mapped])
      return new Uint8Array(copy.getMappedRange().slice(0))
    })
    report(this.name, bytes, this.#signature.prints!, this.#context.options)
  }

  destroy(): void {
    this.#destroyed = true
    for (const made of this.#made.splice(0)) made.destroy()
  }

  readonly #refuse = (refusal: unknown): void => {
    this.#refusal ??= errorOf(refusal)
  }

  /** Throws where the kernel cannot run. */
  #check(): void {
    if (this.#destroyed) throw new GpuError('Destroyed', `this bound kernel ${this.name} was destroyed; bind another`)
    this.#device.check()
    if (this.#refusal !== undefined) throw this.#refusal
    for (const { name, own } of this.#borrowed) own.check(`buffer ${name} of ${this.name}`)
  }

  #checkPass(call: string, pass: unknown): void {
    if (typeof pass === 'object' && pass !== null && 'dispatchWorkgroups' in pass) return
    throw new GpuError(
      'WrongPass',
      `${call} of ${this.name} takes a GPUComputePassEncoder first, from beginComputePass(), and ${shown(pass)} came`,
    )
  }

  /** The buffer that holds numbers of groups. Throws a `GpuError` where it cannot. */
  #indirect(given: GPUBuffer | DeviceBuffer, offset: number): GPUBuffer {
    const refuse = (message: string): never => {
      throw new GpuError('WrongGroups', `${this.name}: ${message}`)
    }
    const isBuffer = given instanceof OwnBuffer || (typeof given === 'object' && given !== null && 'mapAsync' in given)
    if (!isBuffer)
      return refuse(`the numbers of groups lie in a GPUBuffer or in what g.buffer gave, and ${shown(given)} came`)
    const { buffer, size } = rangeOf('with the numbers of groups', given)
    if ((buffer.usage & usage.INDIRECT) === 0)
      refuse(
        'the buffer with the numbers of groups cannot be used so: create it with GPUBufferUsage.INDIRECT among its usage',
      )
    if (!Number.isSafeInteger(offset) || offset < 0 || offset % 4 !== 0 || offset + 12 > size)
      refuse(
        `the numbers of groups are 12 bytes from a multiple of 4 on, in a buffer of ${size} bytes, and offset ${shown(offset)} came`,
      )
    if (this.#written.has(buffer)) refuse('it writes the buffer with the numbers of groups: give two buffers')
    return buffer
  }

  #submit(run: (pass: GPUComputePassEncoder) => void): void {
    const encoder = this.#device.gpu.createCommandEncoder()
    const pass = encoder.beginComputePass()
    set(pass, this.#pipeline, this.#groups, this.#slots?.direct())
    run(pass)
    pass.end()
    this.#device.queue.submit([encoder.finish()])
  }
}

function set(
  pass: GPUComputePassEncoder,
  pipeline: GPUComputePipeline,
  constant: readonly GPUBindGroup[],
  slot: Slot | undefined,
): void {
  pass.setPipeline(pipeline)
  const groups = slot?.groups ?? constant
  for (let i = 0; i < groups.length; i++) {
    const offsets = slot?.offsets[i]
    if (offsets === undefined || offsets.length === 0) pass.setBindGroup(i, groups[i])
    else pass.setBindGroup(i, groups[i], offsets)
  }
}

type Layout = ReadonlyMap<BindingInfo, { readonly offset: number; readonly size: number }>

function roundTo(bytes: number, alignment: number): number {
  return Math.ceil(bytes / alignment) * alignment
}

/** Where each uniform buffer lies in a slot. */
function uniformLayout(device: Device, blocks: readonly BindingInfo[]): Layout {
  let end = 0
  return new Map(
    blocks.map(info => {
      if (info.type === null || info.type.kind === 'void')
        throw new GpuError('WrongUniform', `${info.name} cannot be set from here`)
      const offset = roundTo(end, device.limits.minUniformBufferOffsetAlignment)
      const size = roundTo(info.type.size, 16)
      end = offset + size
      return [info, { offset, size }]
    }),
  )
}

function uniformMemory(blocks: readonly BindingInfo[], layout: Layout, given: Given): UniformMemory {
  const bytes = new Uint8Array(Math.max(0, ...Array.from(layout.values(), at => at.offset + at.size)))
  for (const info of blocks) bytes.set(uniformBytes(info, given.uniforms, given.foreign), layout.get(info)!.offset)
  return { bytes, view: new DataView(bytes.buffer), changes: 0 }
}

/** The names under which callers set uniforms: those outside of blocks each by their own, also where the compiled text has another. */
function placesOf(
  { parts }: Signature,
  blocks: readonly BindingInfo[],
  layout: Layout,
  given: Given,
  options: BindOptions,
): UniformPlace[] {
  const places = new Map<string, UniformPlace>()
  for (const info of blocks) {
    const { offset } = layout.get(info)!
    const type = info.type!
    if (info.name === 'globalParams' && type.kind === 'struct') {
      const add = (name: string, field: string): void => {
        const f = type.fields.find(of => of.name === field)
        if (f !== undefined) places.set(name, { name, type: f.type, offset: offset + f.offset, optional: new Set() })
      }
      for (const f of type.fields) add(f.name, f.name)
      for (const p of parts) if (p.binding === info.name && p.field !== null) add(p.path.join('_'), p.field)
      continue
    }
    // Tensors describe themselves in fields that callers need not set.
    const [all, said] = [given.uniforms[info.name], options.uniforms?.[info.name]].map(block =>
      typeof block === 'object' ? Object.keys(block) : [],
    )
    const optional = new Set([...given.foreign, ...all!.filter(name => !said!.includes(name))])
    places.set(info.name, { name: info.name, type, offset, optional })
  }
  return [...places.values()]
}

interface Resources {
  readonly entries: readonly (GPUBindGroupEntry & { readonly group: number })[]
  readonly borrowed: readonly { readonly name: string; readonly own: OwnBuffer }[]
  readonly written: ReadonlySet<GPUBuffer>
  /** What the kernel prints into. */
  readonly output: GPUBuffer | undefined
}

/** Everything but uniforms as entries of bind groups. */
function bindAll(
  { device, options }: Context,
  signature: Signature,
  given: Given,
  own: <O extends Owned>(made: O) => O,
): Resources {
  const entries: (GPUBindGroupEntry & { readonly group: number })[] = []
  const bound: { readonly info: BindingInfo; readonly range: Range }[] = []
  let output: GPUBuffer | undefined
  const make = (size: number): GPUBuffer =>
    own(device.gpu.createBuffer({ size, usage: usage.STORAGE | usage.COPY_SRC | usage.COPY_DST }))
  const refuseMemory = (info: BindingInfo, make: string): never => {
    throw new GpuError(
      info.handle === null ? 'WrongBuffer' : 'WrongTexture',
      `${info.name}: ${signature.name} writes it, and a bound kernel reads nothing back to memory: ${make}`,
    )
  }
  for (const info of signature.bindings) {
    const at = { group: info.group, binding: info.binding }
    if (info.kind === 'uniform') continue
    if (info.kind === 'sampler') {
      entries.push({ ...at, resource: bindSampler(device.gpu, info, given.samplers?.[info.name]) })
    } else if (info.handle !== null) {
      const texture = bindTexture(device.gpu, info, given.textures?.[info.name], signature.name, own)
      if (texture.into !== undefined) refuseMemory(info, 'give a GPUTexture')
      entries.push({ ...at, resource: texture.view })
    } else if (signature.isPrinted(info)) {
      output = make(printSize(options))
      entries.push({ ...at, resource: { buffer: output } })
    } else {
      let range = storageOf(device, signature.name, info, given.buffers?.[info.name])
      if (range instanceof Uint8Array) {
        if (info.kind === 'storage')
          refuseMemory(info, 'give a GPUBuffer, { buffer, offset, size }, or g.buffer(array), which has read()')
        const buffer = make(range.length)
        write(device, buffer, 0, range)
        range = { buffer, offset: 0, size: range.length, own: undefined }
      }
      bound.push({ info, range })
      const { buffer, offset, size } = range
      entries.push({ ...at, resource: { buffer, offset, size } })
    }
  }
  refuseShared(signature.name, bound)
  return {
    entries,
    output,
    borrowed: bound.flatMap(({ info, range }) =>
      range.own === undefined ? [] : [{ name: info.name, own: range.own }],
    ),
    written: new Set(bound.filter(b => b.info.kind === 'storage').map(b => b.range.buffer)),
  }
}
