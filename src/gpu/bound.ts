/** Kernels that are bound once and run often. */
import { has, isCount, shown } from '../host/given.ts'
import { isGpuBuffer, OwnBuffer, rangeOf, roundTo } from './buffer.ts'
import type { Own, Owned } from './device.ts'
import { errorOf, refuse } from './error.ts'
import type { BindOptions, DeviceBuffer, Groups, UniformValues } from './options.ts'
import { compileAtOnce, setPipeline, uniformsOf, type Code } from './pipeline.ts'
import { bindGroups, bindResources, type Writes } from './resources.ts'
import { uniformSlots, type Slot, type Slots } from './uniform-slots.ts'
import { uniformValues } from './uniform-values.ts'
import { placesOf, uniformsFor } from './uniforms.ts'
import { usage } from './usage.ts'
import type { WebGpuBuffer, WebGpuComputePass } from './webgpu.ts'

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

/** Records a dispatch once pipeline and bind groups are set. */
type Run = (pass: GPUComputePassEncoder) => void

/** Binds a kernel, which it compiles at once. */
export function bind(code: Code, options: BindOptions): BoundKernel {
  const { signature } = code
  const { device, name, context } = signature
  const given = signature.prepare(options)
  const uniforms = uniformsFor(signature, given)
  const { memory, blocks } = uniforms
  device.needs(
    'maxDynamicUniformBuffersPerPipelineLayout',
    blocks.length,
    `${name} binds ${blocks.length} uniform buffers with offsets`,
  )
  const values = uniformValues(memory, placesOf(signature, uniforms, given, options)) as UniformValues
  const all: Owned[] = []
  const own: Own = made => {
    all.push(made)
    return made
  }
  let isDestroyed = false
  const destroy = (): void => {
    isDestroyed = true
    for (const made of all.splice(0)) made.destroy()
  }
  let refusal: Error | undefined
  const refused = (reason: unknown): void => {
    refusal ??= errorOf(reason)
  }
  const attempt = <T>(work: () => T): T => {
    try {
      return work()
    } catch (mistake) {
      destroy()
      throw mistake
    }
  }
  const { result: made, accepted } = attempt(() =>
    device.watched(name, () => {
      const { entries, buffers, output } = bindResources(signature, given, own, refusing(name))
      const compiled = compileAtOnce(code)
      const groupsOver = (buffer: GPUBuffer): GPUBindGroup[] =>
        bindGroups(signature, compiled, [...entries, ...uniforms.entries(buffer)])
      const constant: Slot = { groups: blocks.length > 0 ? [] : bindGroups(signature, compiled, entries), offsets: [] }
      const slots: Slots =
        blocks.length > 0
          ? uniformSlots(device, memory, {
              name,
              stride: roundTo(memory.bytes.length, device.limits.minUniformBufferOffsetAlignment),
              counts: compiled.layouts.map((_, group) => uniformsOf(signature.bindings, group).length),
              submissions: context.submissions,
              groups: groupsOver,
              own,
              refused,
            })
          : { direct: () => constant, recorded: () => constant }
      // Recorded once for the device to check it all. Nobody submits it.
      const encoder = device.gpu.createCommandEncoder()
      const pass = encoder.beginComputePass()
      setPipeline(pass, compiled, slots.direct())
      pass.dispatchWorkgroups(1, 1, 1)
      pass.end()
      encoder.finish()
      return { compiled, slots, output, buffers }
    }),
  )
  accepted.catch(refused)
  const { compiled, slots, output, buffers } = made
  /** Buffers that others may destroy. */
  const borrowed = buffers.filter(b => b.range.own !== undefined)

  /** Throws where the kernel cannot run. */
  const check = (): void => {
    if (isDestroyed) refuse('Destroyed', `${name} was destroyed; bind it again`)
    device.check()
    if (refusal !== undefined) throw refusal
    for (const { info, range } of borrowed) range.own!.check(`buffer ${info.name} of ${name}`)
  }
  const direct = (groups: Groups): Run => {
    check()
    const counts = signature.checkGroups(groups)
    return pass => pass.dispatchWorkgroups(...counts)
  }
  /** The same with the numbers of groups in a buffer. Throws a `GpuError` where it cannot hold them. */
  const indirect = (from: WebGpuBuffer | DeviceBuffer, offset: number): Run => {
    check()
    const needs = (holds: boolean, otherwise: string): void => {
      if (!holds) refuse('WrongGroups', `${name}: ${otherwise}`)
    }
    const isBuffer = from instanceof OwnBuffer || isGpuBuffer(from)
    needs(isBuffer, `the numbers of groups lie in a GPUBuffer or in what g.buffer gave, and ${shown(from)} came`)
    const { buffer, size } = rangeOf('with the numbers of groups', from)
    needs(
      (buffer.usage & usage.INDIRECT) !== 0,
      'the buffer with the numbers of groups lacks GPUBufferUsage.INDIRECT among its usage',
    )
    needs(
      isCount(offset, size - 12) && offset % 4 === 0,
      `the numbers of groups are 12 bytes at a multiple of 4, in ${size} bytes, and offset ${shown(offset)} came`,
    )
    needs(
      !buffers.some(b => b.info.kind === 'storage' && b.range.buffer === buffer),
      'it writes the buffer with the numbers of groups: give two buffers',
    )
    return pass => pass.dispatchWorkgroupsIndirect(buffer, offset)
  }
  const record = (call: string, pass: GPUComputePassEncoder, run: Run): void => {
    if (!has(pass, 'dispatchWorkgroups'))
      refuse(
        'WrongPass',
        `${call} of ${name} takes a GPUComputePassEncoder first, from beginComputePass(), and ${shown(pass)} came`,
      )
    setPipeline(pass, compiled, slots.recorded())
    run(pass)
  }
  const submit = (run: Run): void => {
    const encoder = device.gpu.createCommandEncoder()
    const pass = encoder.beginComputePass()
    setPipeline(pass, compiled, slots.direct())
    run(pass)
    pass.end()
    device.queue.submit([encoder.finish()])
  }
  return {
    name,
    get workgroupSize() {
      return signature.entry.workgroupSize
    },
    ready: accepted,
    uniforms: values,
    encode: (pass, groups) => record('encode', pass, direct(groups)),
    encodeIndirect: (pass, buffer, offset = 0) => record('encodeIndirect', pass, indirect(buffer, offset)),
    dispatch: groups => submit(direct(groups)),
    dispatchIndirect: (buffer, offset = 0) => submit(indirect(buffer, offset)),
    async flush() {
      check()
      if (output === undefined) return
      await context.parts.prints!.flush(signature, output)
    },
    destroy,
  }
}

/** Refuses memory that a kernel writes. */
function refusing(kernel: string): Writes {
  const why = (name: string): string => `${name}: ${kernel} writes it, and a bound kernel reads nothing back to memory`
  return {
    buffer: ({ name }) =>
      refuse('WrongBuffer', `${why(name)}: give a GPUBuffer, { buffer, offset, size }, or g.buffer(array)`),
    texture: (_, { name }) => refuse('WrongTexture', `${why(name)}: give a GPUTexture`),
  }
}
