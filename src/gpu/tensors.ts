/** Tensors of a kernel, and gradients beside its resources, on a device. */
import type { BindingInfo } from '../index.ts'
import { KernelParameters, type Buffers } from '../host/tensor.ts'
import type { BufferData, DispatchOptions } from './options.ts'
import type { Described } from './parts.ts'
import {
  OwnBuffer,
  bytesOf,
  isOnDevice,
  rangeOf,
  refuse,
  usage,
  wrongMemory,
  type Owned,
  type Prepared,
} from './core.ts'

/** What `grad` makes for one call. */
export interface Made {
  /** Gradients on the device, which callers get. */
  readonly device: Owned[]
  /** Gradients in memory, each with whether it holds cotangents; others are zeros. */
  readonly memory: Map<unknown, boolean>
}

/** The shader parameters of a kernel with its tensors. */
export function parametersOf({ name, source, context, entry }: Described): KernelParameters {
  return new KernelParameters(source, context.wgsl.reflection.parameters, entry.bindings, source !== name)
}

/** How tensors become buffers and uniforms. */
export function preparing(kernel: Described): (from: DispatchOptions) => Prepared<BufferData> {
  const parameters = parametersOf(kernel)
  return from => parameters.prepare<BufferData>(from, gpuBuffers(kernel, from))
}

const fail = (message: string): never => refuse('WrongTensor', message)

/** What a kernel's bindings are to tensors and gradients. Gradients are floats, in memory or on the device as what they are the gradients of; what is made is added to `made`. */
export function gpuBuffers(
  { device, known, context }: Described,
  options: DispatchOptions,
  made?: Made,
): Buffers<BufferData> {
  const find = (name: string): BindingInfo | undefined => known.find(b => b.name === name)
  const stride = (name: string): number => {
    const type = find(name)?.type
    return type?.kind === 'array' ? type.stride : fail(`there is no buffer ${name} of elements`)
  }
  const keep = <B extends Owned>(buffer: B): B => {
    made?.device.push(buffer)
    return buffer
  }
  return {
    fail,
    count: (binding, data, name = binding) => {
      const each = stride(binding)
      if (isOnDevice(data)) return Math.floor(rangeOf(name, data).size / each)
      if (Array.isArray(data)) return data.length
      const { type, raw } = find(binding)!
      const wrong = wrongMemory(type!, raw === true, data)
      if (wrong !== undefined) refuse('BufferError', `${name}: ${wrong}`)
      return Math.floor(bytesOf(data)!.byteLength / each)
    },
    zeros: (name, count, like) => {
      const size = Math.max(count, 1) * stride(name)
      if (like instanceof OwnBuffer) return keep(new OwnBuffer(device, new Float32Array(size / 4)))
      if (isOnDevice(like))
        return keep(device.gpu.createBuffer({ size, usage: usage.STORAGE | usage.COPY_SRC | usage.COPY_DST }))
      const zeros = new Float32Array(size / 4)
      made?.memory.set(zeros, false)
      return zeros
    },
    fill: (data, values, what) => {
      const range = isOnDevice(data) ? rangeOf(what, data) : undefined
      const count = range === undefined ? (data as Float32Array).length : range.size / 4
      const isNumber = typeof values === 'number'
      if (!isNumber && values?.length !== count) fail(`${what}: expected ${count} numbers, got ${values?.length}`)
      if (!isNumber && !Array.from(values).every(x => typeof x === 'number')) fail(`${what}: expected numbers alone`)
      const numbers = isNumber ? new Float32Array(count).fill(values) : Float32Array.from(values as ArrayLike<number>)
      if (range !== undefined) device.queue.writeBuffer(range.buffer, range.offset, numbers)
      else {
        ;(data as Float32Array).set(numbers)
        made?.memory.set(data, true)
      }
    },
    texels: (binding, name) => {
      const texture = options.textures?.[binding] ?? options.textures?.[name]
      return texture === undefined ? undefined : context.parts.textures?.texelsOf(texture, name)
    },
    address: () => {
      const modes = known
        .filter(b => b.kind === 'sampler')
        .map(b => context.parts.textures!.addressing(options.samplers?.[b.name]))
      return modes.every(m => m !== undefined && m[0] === modes[0]![0] && m[1] === modes[0]![1])
        ? (modes[0] ?? [0, 0])
        : undefined
    },
  }
}
