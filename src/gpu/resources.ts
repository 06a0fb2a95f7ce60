/** What a kernel is given as entries of bind groups: all but its uniform buffers. */
import type { BindingInfo } from '../index.ts'
import { bytesOf, wrongList, wrongMemory } from '../host/given.ts'
import { checkSize, checkStorage, isOnDevice, rangeOf, roundTo, write, type Range } from './buffer.ts'
import type { Own } from './device.ts'
import { refuse } from './error.ts'
import type { BufferData, OnDevice } from './options.ts'
import { pack, type Plain } from './pack.ts'
import type { Compiled } from './pipeline.ts'
import type { Given, Signature } from './signature.ts'
import type { BoundTexture } from './parts.ts'
import { usage } from './usage.ts'

/** An entry of the bind group of that number. */
export type Entry = GPUBindGroupEntry & { readonly group: number }

/** A buffer as it is bound. */
interface BoundBuffer {
  readonly info: BindingInfo
  readonly range: Range
}

export interface Resources {
  readonly entries: readonly Entry[]
  readonly buffers: readonly BoundBuffer[]
  /** What the kernel prints into. */
  readonly output: GPUBuffer | undefined
}

/** What becomes of memory that a kernel writes. */
export interface Writes {
  /** Gives the buffer to bind in its place. */
  readonly buffer: (info: BindingInfo, bytes: Uint8Array, data: BufferData) => GPUBuffer
  readonly texture: (bound: BoundTexture, info: BindingInfo) => void
}

/** A buffer of the device that kernels can use as storage. */
export function storageBuffer({ device }: Signature, size: number): GPUBuffer {
  return device.gpu.createBuffer({ size, usage: usage.STORAGE | usage.COPY_SRC | usage.COPY_DST })
}

/** Makes what is not on the device yet. Throws a `GpuError` for what is missing or does not fit. */
export function bindResources(signature: Signature, given: Given, own: Own, writes: Writes): Resources {
  const { device, name: kernel, context } = signature
  const { parts } = context
  const entries: Entry[] = []
  const buffers: BoundBuffer[] = []
  let output: GPUBuffer | undefined
  for (const info of signature.bindings) {
    const { group, binding, name } = info
    const bind = (resource: GPUBindingResource): void => void entries.push({ group, binding, resource })
    if (info.kind === 'uniform') continue
    if (info.handle !== null) {
      if (info.kind === 'sampler') bind(parts.textures!.bindSampler(device.gpu, info, given.samplers?.[name]))
      else {
        const texture = parts.textures!.bindTexture(device.gpu, info, given.textures?.[name], kernel, own)
        if (texture.into !== undefined) writes.texture(texture, info)
        bind(texture.view)
      }
    } else if (signature.isPrinted(info)) {
      output = own(storageBuffer(signature, parts.prints!.printSize(signature)))
      bind({ buffer: output })
    } else {
      const range = rangeFor(signature, info, given.buffers?.[name], own, writes)
      const { buffer, offset, size } = range
      buffers.push({ info, range })
      bind({ buffer, offset, size })
    }
  }
  refuseShared(kernel, buffers)
  return { entries, buffers, output }
}

/** The bind groups of a kernel. */
export function bindGroups({ device }: Signature, { layouts }: Compiled, entries: readonly Entry[]): GPUBindGroup[] {
  return layouts.map((layout, group) =>
    device.gpu.createBindGroup({ layout, entries: entries.filter(e => e.group === group) }),
  )
}

/** Where data lies on the device. */
function rangeFor(
  signature: Signature,
  info: BindingInfo,
  data: BufferData | undefined,
  own: Own,
  writes: Writes,
): Range {
  const { device, name: kernel } = signature
  if (data === undefined) refuse('MissingBuffer', `${kernel} needs the buffer ${info.name}`)
  const { type } = info
  // A struct ends with its elements. There must be room for one.
  const elements = type?.kind === 'struct' ? type.fields.at(-1) : { type, offset: 0 }
  const least = elements?.type?.kind === 'array' ? elements.offset + elements.type.stride : 4
  if (isOnDevice(data)) return checkStorage(device, info, rangeOf(info.name, data), least)
  const bytes = packed(data, info)
  // Behind the last of elements that are smaller than a word, the word goes on.
  const size = least % 4 === 0 ? bytes.length : roundTo(bytes.length, 4)
  checkSize(info.name, size, least)
  if (info.kind === 'storage') return { buffer: writes.buffer(info, bytes, data), offset: 0, size, own: undefined }
  const buffer = own(storageBuffer(signature, size))
  write(device, buffer, 0, bytes)
  return { buffer, offset: 0, size, own: undefined }
}

/** The data as bytes. Throws a `GpuError` if it does not fit the elements. */
function packed(data: Exclude<BufferData, OnDevice>, { type, name, kind, raw }: BindingInfo): Uint8Array {
  const isList = Array.isArray(data)
  const wrong = isList
    ? kind === 'storage'
      ? wrongList(data)
      : undefined
    : wrongMemory(type ?? { kind: 'void' }, raw === true, data)
  if (wrong !== undefined) refuse('BufferError', `buffer ${name}: ${wrong}`)
  if (!isList) return bytesOf(data)!
  if (type?.kind !== 'array') return refuse('WrongBuffer', `${name}: plain values need an array type`)
  const bytes = new Uint8Array(Math.max(4, data.length * type.stride))
  pack(new DataView(bytes.buffer), 0, type, data as readonly Plain[], name)
  return bytes
}

/** Throws where a kernel writes a buffer that it also uses under another name, which no device allows. */
function refuseShared(kernel: string, bound: readonly BoundBuffer[]): void {
  for (const a of bound)
    for (const b of bound) {
      if (a === b || a.range.buffer !== b.range.buffer || a.info.kind !== 'storage') continue
      const apart = a.range.offset + a.range.size <= b.range.offset || b.range.offset + b.range.size <= a.range.offset
      if (b.info.kind === 'storage' && apart) continue
      refuse(
        'WrongBuffer',
        `${kernel} writes ${a.info.name}, and ${b.info.name} is ${apart ? 'a part of the same buffer, which it only reads' : 'the same memory'}: give two buffers`,
      )
    }
}
