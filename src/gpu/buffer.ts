/** Memory of the device: buffers that remember the kind of their numbers, and parts of buffers. */
import type { BindingInfo } from '../index.ts'
import { bytesOf, unknownName, wrongMemory } from '../host/given.ts'
import { shown } from '../host/texture.ts'
import type { Device } from './device.ts'
import { errorOf, GpuError } from './error.ts'
import type { BufferData, BufferOptions, BufferPart, DeviceBuffer, OnDevice, TypedArray } from './options.ts'
import { readMode, usage } from './usage.ts'

type Class<T> = new (length: number) => T

/** The class of a typed array, whichever window it comes from; also for those of other classes that extend it. */
function classOf(data: unknown): Class<TypedArray> | undefined {
  if (!ArrayBuffer.isView(data) || data instanceof DataView) return undefined
  const name = Object.prototype.toString.call(data).slice(8, -1)
  return (globalThis as unknown as Readonly<Record<string, Class<TypedArray> | undefined>>)[name]
}

const anything = { kind: 'void' } as const

/** What `g.buffer` gives. */
export class OwnBuffer<T extends TypedArray = TypedArray> implements DeviceBuffer<T> {
  readonly length: number
  readonly byteLength: number
  readonly device: Device
  readonly #class: Class<T>
  readonly #buffer: GPUBuffer
  readonly #accepted: Promise<void>
  #destroyed = false
  /** What the device refused, once it is known. */
  #refusal: Error | undefined

  /** Copies an array to the device. Throws a `GpuError` where it is no array that fits. */
  constructor(device: Device, data: T, options: BufferOptions = {}) {
    const wrongOption = unknownName(options, () => ['usage'], 'g.buffer takes no option')
    if (wrongOption !== undefined) throw new GpuError('UnknownOption', wrongOption)
    const { usage: more = 0 } = options
    if (!Number.isSafeInteger(more) || more < 0)
      throw new GpuError('UnknownOption', `usage is a number of WebGPU's flags, and ${shown(more)} came`)
    const kind = classOf(data)
    if (kind === undefined) throw new GpuError('BufferError', `g.buffer takes a typed array, and ${shown(data)} came`)
    refuseDetached('g.buffer', data)
    if (data.length === 0)
      throw new GpuError('BufferError', 'g.buffer takes at least one number, and an empty array came')
    const most = device.limits.maxBufferSize
    if (data.byteLength > most)
      throw new GpuError(
        'BufferError',
        `g.buffer: the array has ${data.byteLength} bytes, and the device allows ${most}: ask for more by requestDevice({ requiredLimits: { maxBufferSize } })`,
      )
    this.device = device
    this.#class = kind as unknown as Class<T>
    this.length = data.length
    this.byteLength = data.byteLength
    const always = usage.STORAGE | usage.COPY_SRC | usage.COPY_DST | usage.INDIRECT
    const { result, accepted } = device.watched('g.buffer', () => {
      const buffer = device.gpu.createBuffer({ size: roundUp(data.byteLength), usage: always | more })
      write(device, buffer, 0, data)
      return buffer
    })
    this.#buffer = result
    this.#accepted = accepted
    accepted.catch((refusal: unknown) => {
      this.#refusal = errorOf(refusal)
    })
  }

  get buffer(): GPUBuffer {
    this.check('this buffer')
    return this.#buffer
  }

  get destroyed(): boolean {
    return this.#destroyed
  }

  /** An array of the kind of this buffer. */
  array(length: number): T {
    return new this.#class(length)
  }

  /** Throws where the buffer cannot be used. */
  check(what: string): void {
    if (this.#destroyed) throw new GpuError('Destroyed', `${what} was destroyed; make another by g.buffer`)
    if (this.#refusal !== undefined) throw this.#refusal
  }

  async read(into?: T): Promise<T> {
    const { device } = this
    const buffer = this.buffer
    const target = into === undefined ? this.array(this.length) : this.#checked('read', into)
    const size = roundUp(target.byteLength)
    if (size === 0) return target
    await device.owning(async own => {
      const copy = own(device.gpu.createBuffer({ size, usage: usage.MAP_READ | usage.COPY_DST }))
      const { result: mapped, accepted } = device.watched('read', () => {
        const encoder = device.gpu.createCommandEncoder()
        encoder.copyBufferToBuffer(buffer, 0, copy, 0, size)
        device.queue.submit([encoder.finish()])
        return copy.mapAsync(readMode)
      })
      const copied = device.allOf(accepted, [mapped])
      copied.catch(() => undefined)
      // What the device said of the buffer is the reason for what it says of the copy.
      await this.#accepted
      await copied
      refuseDetached('read', target)
      bytesOf(target)!.set(new Uint8Array(copy.getMappedRange()).subarray(0, target.byteLength))
    })
    return target
  }

  write(data: T, offset = 0): void {
    const { buffer, device } = this
    device.check()
    this.#checked('write', data)
    if (!Number.isSafeInteger(offset) || offset < 0 || offset + data.length > this.length)
      throw new GpuError(
        'BufferError',
        `write: the buffer has ${this.length} numbers, and ${data.length} from number ${shown(offset)} on came`,
      )
    const at = (offset * this.byteLength) / this.length
    // A device writes words. Behind the last number there is room to the end of its word.
    if (at % 4 !== 0 || (data.byteLength % 4 !== 0 && at + data.byteLength !== this.byteLength))
      throw new GpuError(
        'BufferError',
        `write: what is written begins and ends at a multiple of 4 bytes, or ends with the buffer; ${data.byteLength} bytes from byte ${at} on came`,
      )
    write(device, buffer, at, data)
  }

  destroy(): void {
    if (this.#destroyed) return
    this.#destroyed = true
    this.#buffer.destroy()
  }

  #checked(what: string, data: T): T {
    const came = classOf(data) as unknown
    if (came !== this.#class)
      throw new GpuError(
        'BufferError',
        `${what}: expected ${/^[AEIO]/.test(this.#class.name) ? 'an' : 'a'} ${this.#class.name}, and ${shown(data)} came`,
      )
    refuseDetached(what, data)
    if (data.length > this.length)
      throw new GpuError('BufferError', `${what}: the buffer has ${this.length} numbers, and the array ${data.length}`)
    return data
  }
}

function refuseDetached(what: string, data: unknown): void {
  const wrong = wrongMemory(anything, true, data)
  if (wrong !== undefined) throw new GpuError('BufferError', `${what}: ${wrong}`)
}

/** The next multiple of 4. */
export function roundUp(bytes: number): number {
  return Math.ceil(bytes / 4) * 4
}

/** Copies memory to a buffer, which has room to the end of the last word. */
export function write(device: Device, buffer: GPUBuffer, at: number, data: ArrayBufferView): void {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
  const whole = roundUp(bytes.length)
  // A device reads neither shared memory nor parts of words.
  if (bytes.buffer instanceof ArrayBuffer && whole === bytes.length)
    device.queue.writeBuffer(buffer, at, bytes as Uint8Array<ArrayBuffer>)
  else {
    const copy = new Uint8Array(whole)
    copy.set(bytes)
    device.queue.writeBuffer(buffer, at, copy)
  }
}

/** A part of a buffer of the device, checked to lie in it. */
export interface Range {
  readonly buffer: GPUBuffer
  readonly offset: number
  readonly size: number
  /** What `g.buffer` made, where it is a part of that. */
  readonly own: OwnBuffer | undefined
}

function isGpuBuffer(data: unknown): data is GPUBuffer {
  return typeof data === 'object' && data !== null && 'mapAsync' in data
}

/** Whether it is memory of the device. */
export function isOnDevice(data: BufferData | undefined): data is OnDevice {
  return isGpuBuffer(data) || data instanceof OwnBuffer || isPart(data)
}

function isPart(data: unknown): data is BufferPart {
  return (
    typeof data === 'object' && data !== null && 'buffer' in data && !ArrayBuffer.isView(data) && !Array.isArray(data)
  )
}

/** The range of a buffer that is given; `name` is what it is given for. Throws a `GpuError` where it does not lie in the buffer. */
export function rangeOf(name: string, data: OnDevice): Range {
  if (data instanceof OwnBuffer) {
    data.check(`buffer ${name}`)
    return { buffer: data.buffer, offset: 0, size: data.buffer.size, own: data }
  }
  if (isGpuBuffer(data)) return { buffer: data, offset: 0, size: data.size, own: undefined }
  const wrong = unknownName(data, () => ['buffer', 'offset', 'size'], `the part of a buffer given for ${name} has no`)
  if (wrong !== undefined) throw new GpuError('WrongBuffer', wrong)
  const { buffer: of, offset = 0 } = data as BufferPart
  if (!isGpuBuffer(of) && !(of instanceof OwnBuffer))
    throw new GpuError(
      'WrongBuffer',
      `${name}: expected { buffer, offset, size } with a GPUBuffer or what g.buffer gave, and its buffer is ${shown(of)}`,
    )
  const whole = rangeOf(name, of)
  const { size = whole.size - offset } = data as BufferPart
  const isWhole = (n: unknown): boolean => Number.isSafeInteger(n) && (n as number) >= 0
  if (!isWhole(offset) || offset >= whole.size || !isWhole(size) || size === 0 || offset + size > whole.size)
    throw new GpuError(
      'WrongBuffer',
      `${name}: expected a part of a buffer of ${whole.size} bytes, and { offset: ${shown(offset)}, size: ${shown(size)} } came`,
    )
  return { ...whole, offset, size }
}

/** Checks that a range can be bound as a storage buffer. */
export function checkStorage(device: Device, info: BindingInfo, range: Range, least: number): Range {
  const { buffer, offset, size, own } = range
  const refuse = (message: string): never => {
    throw new GpuError('WrongBuffer', `${info.name}: ${message}`)
  }
  if (own !== undefined && own.device.gpu !== device.gpu)
    refuse('the buffer was made by g.buffer of another device; make one of this program')
  if ((buffer.usage & usage.STORAGE) === 0)
    refuse('the buffer cannot be bound: create it with GPUBufferUsage.STORAGE among its usage')
  const alignment = device.limits.minStorageBufferOffsetAlignment
  if (offset % alignment !== 0)
    refuse(
      `the offset of what is bound is a multiple of ${alignment} bytes on this device (minStorageBufferOffsetAlignment), and ${offset} came`,
    )
  if (size < least || size % 4 !== 0) refuse(`expected at least ${least} bytes and a multiple of 4, got ${size}`)
  const most = device.limits.maxStorageBufferBindingSize
  if (size > most)
    refuse(
      `the device binds at most ${most} bytes, and ${size} came: bind a part by { buffer, offset, size }, or ask for more by requestDevice({ requiredLimits: { maxStorageBufferBindingSize } })`,
    )
  if (own !== undefined && info.type !== null) {
    const fits = wrongMemory(info.type, info.raw === true, own.array(0)) === undefined
    if (!fits)
      throw new GpuError(
        'BufferError',
        `buffer ${info.name}: ${wrongMemory(info.type, info.raw === true, own.array(own.length))}`,
      )
  }
  return range
}
