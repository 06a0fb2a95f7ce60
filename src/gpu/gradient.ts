/** Buffers of the device for tensors and gradients. */
import type { BindingInfo } from '../index.ts'
import { bytesOf, wrongMemory } from '../host/given.ts'
import type { Buffers } from '../host/tensor.ts'
import { isOnDevice, OwnBuffer, rangeOf } from './buffer.ts'
import type { Device, Owned } from './device.ts'
import type { BufferData, DispatchOptions } from './options.ts'
import { GpuError } from './error.ts'
import { usage } from './usage.ts'

/** What `grad` makes for one call. */
export interface Made {
  /** Gradients on the device, which callers get. */
  readonly device: Owned[]
  /** Gradients in memory, each with whether it holds cotangents; others are zeros. */
  readonly memory: Map<Float32Array, boolean>
}

const fail = (message: string): never => {
  throw new GpuError('WrongTensor', message)
}

/** What a kernel's bindings are to tensors and gradients. Gradients are floats, in memory or on the device as what they are the gradients of; what is made is added to `made`. */
export function gpuBuffers(
  device: Device,
  bindings: readonly BindingInfo[],
  options: DispatchOptions,
  made?: Made,
): Buffers<BufferData> {
  const stride = (name: string): number => {
    const type = bindings.find(b => b.name === name)?.type
    return type?.kind === 'array' ? type.stride : fail(`there is no buffer ${name} of elements`)
  }
  return {
    fail,
    count: (name, data) => {
      const each = stride(name)
      if (isOnDevice(data)) return Math.floor(rangeOf(name, data).size / each)
      if (Array.isArray(data)) return data.length
      const { type, raw } = bindings.find(b => b.name === name)!
      const wrong = wrongMemory(type!, raw === true, data)
      if (wrong !== undefined) throw new GpuError('BufferError', `${name}: ${wrong}`)
      return Math.floor(bytesOf(data)!.byteLength / each)
    },
    zeros: (name, count, like) => {
      const size = Math.max(count, 1) * stride(name)
      if (!isOnDevice(like)) {
        const zeros = new Float32Array(size / 4)
        made?.memory.set(zeros, false)
        return zeros
      }
      if (like instanceof OwnBuffer) {
        const own = new OwnBuffer(device, new Float32Array(size / 4))
        made?.device.push(own)
        return own
      }
      const buffer = device.gpu.createBuffer({ size, usage: usage.STORAGE | usage.COPY_SRC | usage.COPY_DST })
      made?.device.push(buffer)
      return buffer
    },
    fill: (data, values, what) => {
      const range = isOnDevice(data) ? rangeOf(what, data) : undefined
      const count = range === undefined ? (data as Float32Array).length : range.size / 4
      if (typeof values !== 'number' && values.length !== count)
        fail(`${what}: expected ${count} numbers, got ${values.length}`)
      const numbers =
        typeof values === 'number'
          ? new Float32Array(count).fill(values)
          : Float32Array.from(values as ArrayLike<number>)
      if (range !== undefined) device.queue.writeBuffer(range.buffer, range.offset, numbers)
      else {
        ;(data as Float32Array).set(numbers)
        made?.memory.set(data as Float32Array, true)
      }
    },
    texels: (binding, name) => {
      const texture = options.textures?.[binding] ?? options.textures?.[name]
      if (texture === undefined) return undefined
      if ('size' in texture) return texture.size.reduce((a, b) => a * b, 1)
      if (!('mipLevelCount' in texture)) return fail(`the size of ${name} is not known from a view: give the texture`)
      return Array.from(
        { length: texture.mipLevelCount },
        (_, k) => Math.max(texture.width >> k, 1) * Math.max(texture.height >> k, 1),
      ).reduce((a, b) => a + b, 0)
    },
    address: () => {
      const modes = bindings.filter(b => b.handle?.kind === 'sampler').map(b => addressing(options.samplers?.[b.name]))
      return modes.every(m => m !== undefined && m[0] === modes[0]![0] && m[1] === modes[0]![1])
        ? (modes[0] ?? [0, 0])
        : undefined
    },
  }
}

/** The address modes of a described sampler; undefined if they are unknown, or gradients are not defined for the sampler. */
function addressing(sampler: GPUSampler | GPUSamplerDescriptor | undefined): readonly [number, number] | undefined {
  if (sampler === undefined) return [0, 0]
  const described = Object.keys(sampler).length > 0 || Object.getPrototypeOf(sampler) === Object.prototype
  const {
    addressModeU = 'clamp-to-edge',
    addressModeV = 'clamp-to-edge',
    magFilter = 'linear',
    minFilter = 'linear',
  } = sampler as GPUSamplerDescriptor
  if (!described || magFilter !== 'linear' || minFilter !== 'linear') return undefined
  const modes = ['clamp-to-edge', 'repeat', 'mirror-repeat']
  return [modes.indexOf(addressModeU), modes.indexOf(addressModeV)]
}
