/** The contents of a kernel's buffers and uniforms as bytes, and back. */
import type { BindingInfo } from '../index.ts'
import { bytesOf, wrongList, wrongMemory } from '../host/given.ts'
import { checkStorage, isOnDevice, rangeOf, type Range } from './buffer.ts'
import type { Device } from './device.ts'
import { GpuError } from './error.ts'
import type { BufferData, OnDevice } from './options.ts'
import { pack, unpack, type Plain } from './pack.ts'

/** A storage buffer as it is given: a range of the device's memory, or bytes. Throws a `GpuError` where it does not fit. */
export function storageOf(
  device: Device,
  kernel: string,
  info: BindingInfo,
  data: BufferData | undefined,
): Range | Uint8Array {
  if (data === undefined) throw new GpuError('MissingBuffer', `${kernel} needs the buffer ${info.name}`)
  const least = info.type?.kind === 'array' ? info.type.stride : 4
  if (isOnDevice(data)) return checkStorage(device, info, rangeOf(info.name, data), least)
  const bytes = packed(data, info)
  if (bytes.byteLength < least || bytes.byteLength % 4 !== 0) {
    throw new GpuError(
      'WrongBuffer',
      `${info.name}: expected at least ${least} bytes and a multiple of 4, got ${bytes.byteLength}`,
    )
  }
  return bytes
}

/** The contents of a uniform buffer. */
export function uniformBytes(
  info: BindingInfo,
  uniforms: Readonly<Record<string, Plain>>,
  foreign: ReadonlySet<string>,
): Uint8Array<ArrayBuffer> {
  const type = info.type
  if (type === null) throw new GpuError('WrongUniform', `${info.name} cannot be set from here`)
  const bytes = new Uint8Array(Math.ceil(type.size / 16) * 16)
  // Uniforms outside of blocks are fields of one buffer, but the caller knows them one by one.
  const value = uniforms[info.name] ?? (info.name === 'globalParams' ? uniforms : undefined)
  pack(new DataView(bytes.buffer), 0, type, value, info.name, foreign)
  return bytes
}

/** The data as bytes. Throws a `GpuError` if it does not fit the elements. */
function packed(data: Exclude<BufferData, OnDevice>, info: BindingInfo): Uint8Array {
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

/** What a caller gave, with the bytes that a kernel left: memory is written in place, plain values are made anew. */
export function readBack(bytes: Uint8Array, given: BufferData, info: BindingInfo): BufferData {
  const memory = bytesOf(given)
  if (memory !== undefined) {
    memory.set(bytes)
    return given
  }
  return unpack(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), 0, info.type!) as readonly Plain[]
}

/** Throws where a kernel writes a buffer that it also uses under another name, which no device allows. */
export function refuseShared(
  kernel: string,
  bound: readonly { readonly info: BindingInfo; readonly range: Omit<Range, 'own'> }[],
): void {
  for (const a of bound)
    for (const b of bound) {
      if (a === b || a.range.buffer !== b.range.buffer || a.info.kind !== 'storage') continue
      const apart = a.range.offset + a.range.size <= b.range.offset || b.range.offset + b.range.size <= a.range.offset
      if (b.info.kind === 'storage' && apart) continue
      throw new GpuError(
        'WrongBuffer',
        `${kernel} writes ${a.info.name}, and ${b.info.name} is ${apart ? 'a part of the same buffer, which it only reads' : 'the same memory'}: give two buffers`,
      )
    }
}
