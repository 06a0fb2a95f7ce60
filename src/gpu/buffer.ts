/** Memory of the device: buffers that remember the kind of their numbers, and parts of buffers. */
import type { BindingInfo } from '../index.ts'
import { bytesOf, classOf, has, isCount, shown, unknownName, withArticle, wrongMemory } from '../host/given.ts'
import type { Device } from './device.ts'
import { errorOf, refuse, refuseIf } from './error.ts'
import type { BufferData, BufferOptions, BufferPart, DeviceBuffer, OnDevice, TypedArray } from './options.ts'
import { copyBuffer, readBack, recordCopy } from './read.ts'
import { usage } from './usage.ts'

/** The name of the class of a typed array, also for those of other classes that extend it; undefined for all else. */
function kindOf(data: unknown): string | undefined {
  const kind = classOf(data)
  return ArrayBuffer.isView(data) && kind !== 'DataView' && kind in globalThis ? kind : undefined
}

const anything = { kind: 'void' } as const

/** What `g.buffer` gives. */
export class OwnBuffer<T extends TypedArray = TypedArray> implements DeviceBuffer<T> {
  readonly length: number
  readonly byteLength: number
  readonly device: Device
  readonly #kind: string
  readonly #buffer: GPUBuffer
  readonly #accepted: Promise<void>
  #destroyed = false
  /** What the device refused, once it is known. */
  #refusal: Error | undefined

  /** Copies an array to the device. Throws a `GpuError` where it is no array that fits. */
  constructor(device: Device, data: T, options: BufferOptions = {}) {
    refuseIf(
      'UnknownOption',
      unknownName(options, () => ['usage'], 'g.buffer takes no option'),
    )
    const { usage: more = 0 } = options
    if (!isCount(more)) refuse('UnknownOption', `usage is a number of WebGPU's flags, and ${shown(more)} came`)
    const kind = kindOf(data)
    if (kind === undefined) refuse('BufferError', `g.buffer takes a typed array, and ${shown(data)} came`)
    refuseDetached('g.buffer', data)
    const { length, byteLength } = data
    if (length === 0) refuse('BufferError', 'g.buffer takes at least one number')
    device.needs('maxBufferSize', byteLength, `g.buffer: the array has ${byteLength} bytes`, 'BufferError')
    this.device = device
    this.#kind = kind
    this.length = length
    this.byteLength = byteLength
    const { result, accepted } = device.watched('g.buffer', () => {
      const buffer = device.gpu.createBuffer({
        size: roundTo(byteLength, 4),
        usage: usage.STORAGE | usage.COPY_SRC | usage.COPY_DST | usage.INDIRECT | more,
      })
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
    const classes = globalThis as unknown as Readonly<Record<string, new (length: number) => T>>
    return new classes[this.#kind]!(length)
  }

  /** Throws where the buffer cannot be used. */
  check(what: string): void {
    if (this.#destroyed) refuse('Destroyed', `${what} was destroyed; make another by g.buffer`)
    if (this.#refusal !== undefined) throw this.#refusal
  }

  async read(into?: T): Promise<T> {
    const { buffer, device } = this
    const target = into ?? this.array(this.length)
    this.#check('read', target)
    const size = roundTo(target.byteLength, 4)
    if (size === 0) return target
    const read = readBack(device, 'read', (encoder, own) => {
      const copy = own(copyBuffer(device, size))
      recordCopy(encoder, buffer, copy)
      const take = (bytes: Uint8Array): void => {
        refuseDetached('read', target)
        bytesOf(target)!.set(bytes.subarray(0, target.byteLength))
      }
      return [{ copy, take }]
    })
    read.catch(() => undefined)
    // What the device said of the buffer is the reason for what it says of the copy.
    await this.#accepted
    await read
    return target
  }

  write(data: T, offset = 0): void {
    const { buffer, device, byteLength } = this
    device.check()
    this.#check('write', data)
    if (!isCount(offset, this.length - data.length))
      refuse(
        'BufferError',
        `write: the buffer has ${this.length} numbers, and ${data.length} from number ${shown(offset)} on came`,
      )
    const at = (offset * byteLength) / this.length
    // A device writes words. Behind the last number there is room to the end of its word.
    if (at % 4 !== 0 || (data.byteLength % 4 !== 0 && at + data.byteLength !== byteLength))
      refuse(
        'BufferError',
        `write: data begins and ends at a multiple of 4 bytes, or ends with the buffer; ${data.byteLength} bytes from byte ${at} on came`,
      )
    write(device, buffer, at, data)
  }

  destroy(): void {
    if (this.#destroyed) return
    this.#destroyed = true
    this.#buffer.destroy()
  }

  /** Throws for an array that is of another kind or too long. */
  #check(what: string, data: T): void {
    if (kindOf(data) !== this.#kind)
      refuse('BufferError', `${what}: expected ${withArticle(this.#kind)}, and ${shown(data)} came`)
    refuseDetached(what, data)
    if (data.length > this.length)
      refuse('BufferError', `${what}: the buffer has ${this.length} numbers, and the array ${data.length}`)
  }
}

function refuseDetached(what: string, data: unknown): void {
  const wrong = wrongMemory(anything, true, data)
  if (wrong !== undefined) refuse('BufferError', `${what}: ${wrong}`)
}

/** The next multiple of a number. */
export function roundTo(bytes: number, multiple: number): number {
  return Math.ceil(bytes / multiple) * multiple
}

/** Copies memory to a buffer, which has room to the end of the last word. */
export function write(device: Device, buffer: GPUBuffer, at: number, data: ArrayBufferView): void {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
  const whole = roundTo(bytes.length, 4)
  // A device reads neither memory that is shared or may be resized, nor parts of words.
  const isOwn = bytes.buffer instanceof ArrayBuffer && !(bytes.buffer as { readonly resizable?: boolean }).resizable
  if (isOwn && whole === bytes.length) device.queue.writeBuffer(buffer, at, bytes as Uint8Array<ArrayBuffer>)
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

/** Whether it is a buffer of WebGPU, whichever implementation made it. */
export function isGpuBuffer(data: unknown): data is GPUBuffer {
  return has(data, 'mapAsync')
}

/** Whether it is memory of the device. */
export function isOnDevice(data: BufferData | undefined): data is OnDevice {
  return isGpuBuffer(data) || data instanceof OwnBuffer || isPart(data)
}

function isPart(data: unknown): data is BufferPart {
  return has(data, 'buffer') && !ArrayBuffer.isView(data) && !Array.isArray(data)
}

/** The range of a buffer that is given; `name` is what it is given for. Throws a `GpuError` where it does not lie in the buffer. */
export function rangeOf(name: string, data: OnDevice): Range {
  if (data instanceof OwnBuffer) {
    data.check(`buffer ${name}`)
    return { buffer: data.buffer, offset: 0, size: data.buffer.size, own: data }
  }
  if (isGpuBuffer(data)) return { buffer: data, offset: 0, size: data.size, own: undefined }
  refuseIf(
    'WrongBuffer',
    unknownName(data, () => ['buffer', 'offset', 'size'], `the part of a buffer given for ${name} has no`),
  )
  const { buffer: of, offset = 0 } = data as BufferPart
  if (!isGpuBuffer(of) && !(of instanceof OwnBuffer))
    return refuse(
      'WrongBuffer',
      `${name}: expected { buffer, offset, size } with a GPUBuffer or what g.buffer gave, and its buffer is ${shown(of)}`,
    )
  const whole = rangeOf(name, of)
  const { size = whole.size - offset } = data as BufferPart
  if (!isCount(offset, whole.size) || !isCount(size, whole.size - offset) || size === 0)
    refuse(
      'WrongBuffer',
      `${name}: expected a part of ${whole.size} bytes, and { offset: ${shown(offset)}, size: ${shown(size)} } came`,
    )
  return { ...whole, offset, size }
}

/** Checks that a range can be bound as a storage buffer. */
export function checkStorage(device: Device, info: BindingInfo, range: Range, least: number): Range {
  const { buffer, offset, size, own } = range
  const { name, type, raw } = info
  const check = (holds: boolean, otherwise: string): void => {
    if (!holds) refuse('WrongBuffer', `${name}: ${otherwise}`)
  }
  check(own === undefined || own.device.gpu === device.gpu, 'the buffer is of another device; make one of this program')
  check((buffer.usage & usage.STORAGE) !== 0, 'the buffer lacks GPUBufferUsage.STORAGE among its usage')
  const alignment = device.limits.minStorageBufferOffsetAlignment
  check(
    offset % alignment === 0,
    `expected an offset that is a multiple of ${alignment} (minStorageBufferOffsetAlignment), got ${offset}`,
  )
  checkSize(name, size, least)
  device.needs(
    'maxStorageBufferBindingSize',
    size,
    `${name}: ${size} bytes are bound; { buffer, offset, size } binds a part`,
    'WrongBuffer',
  )
  if (own !== undefined && type !== null && wrongMemory(type, raw === true, own.array(0)) !== undefined)
    refuse('BufferError', `buffer ${name}: ${wrongMemory(type, raw === true, own.array(own.length))}`)
  return range
}

/** Throws where a storage buffer has a size that no device binds, or less than an element. */
export function checkSize(name: string, size: number, least: number): void {
  if (size < least || size % 4 !== 0)
    refuse('WrongBuffer', `${name}: expected at least ${least} bytes and a multiple of 4, got ${size}`)
}
