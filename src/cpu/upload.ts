/** Buffers of one call: what data fits them, and whether it may lie where it lies. */
import type { WasmBuffer } from '../index.ts'
import { bytesOf, wrongList, wrongMemory } from '../host/given.ts'
import { BufferError } from './errors.ts'
import { reader, typeName, writer } from './marshal.ts'
import type { HostPart } from './memory.ts'

/**
 * What a kernel works on, and writes in place: a typed array of the kind that all numbers of an element are, in the layout of WGSL; bytes in
 * that layout (`Uint8Array`, `DataView`, `ArrayBuffer`), which is what a buffer of structs of several kinds may be; or a list of elements
 * (numbers, lists, objects). A byte-address buffer takes every typed array.
 */
export type BufferData = ArrayBufferView | ArrayBufferLike | unknown[]

/** A buffer of one call, with its place in memory. */
export interface Upload {
  /** The buffer, with the name that the caller has for it. */
  readonly buffer: WasmBuffer
  /** Its own name. */
  readonly binding: string
  readonly data: BufferData
  readonly at: number
  readonly bytes: number
  /** Whether the data is a view of this memory, so that nothing is copied. */
  readonly inPlace: boolean
}

/** Data of buffers, and for those that have none data without elements. */
export function withEmpty(
  buffers: readonly WasmBuffer[],
  given: Readonly<Record<string, BufferData>> | undefined,
): Record<string, BufferData> {
  const all = { ...given }
  for (const { name, stride, elem } of buffers)
    if (!Object.hasOwn(all, name)) all[name] = new Uint8Array(stride === 0 ? elem.size : 0)
  return all
}

/** How many elements data had when it was copied; bytes, of a buffer that is no array. */
export function elementsOf({ buffer, bytes }: Upload): number {
  return buffer.stride === 0 ? bytes : Math.floor(bytes / buffer.stride)
}

/** What a buffer takes, in a message. */
export function bufferText(buffer: WasmBuffer): string {
  return buffer.stride === 0
    ? `at least ${buffer.elem.size} bytes of ${typeName(buffer.elem)}`
    : `a typed array of ${typeName(buffer.elem)}, ${buffer.stride} bytes an element`
}

/** The bytes of a buffer's data, which may lie in a part of the program's memory; whole elements only. */
export function sizeOf(buffer: WasmBuffer, data: BufferData, part: HostPart | undefined): number {
  const least = buffer.stride === 0 ? buffer.elem.size : 0
  const unit = buffer.stride === 0 ? 1 : buffer.stride
  // A view whose part is known was memory when it was given, even if memory has grown since.
  const isGone = part !== undefined && part.bytes > 0 && (data as ArrayBufferView).byteLength === 0
  const wrong = Array.isArray(data)
    ? buffer.writable
      ? wrongList(data)
      : undefined
    : isGone
      ? undefined
      : wrongMemory(buffer.elem, buffer.raw, data)
  if (wrong !== undefined) throw new BufferError(`buffer ${buffer.name} of ${typeName(buffer.elem)}: ${wrong}`)
  const bytes = Array.isArray(data) ? data.length * unit : (part?.bytes ?? (data as ArrayBufferView).byteLength)
  if (bytes < least || bytes % unit !== 0)
    throw new BufferError(`buffer ${buffer.name}: expected ${bufferText(buffer)}, but ${bytes} bytes came`)
  return bytes
}

/**
 * Throws if two buffers share memory and the program writes one of them. Passes and derivatives take buffers for apart, so the program would compute
 * something else at each level of optimisation. WebGPU refuses it too.
 */
export function refuseShared(uploads: readonly Upload[]): void {
  for (const [i, a] of uploads.entries())
    for (const b of uploads.slice(i + 1)) {
      const isWritten = a.buffer.writable || b.buffer.writable
      if (!isWritten || !(overlap(a.at, a.bytes, b.at, b.bytes) || shareMemory(a, b))) continue
      throw new BufferError(
        `buffers ${a.buffer.name} and ${b.buffer.name} share memory, and the program writes ${(a.buffer.writable ? a : b).buffer.name}: pass a copy for one of them`,
      )
    }
}

function overlap(a: number, aBytes: number, b: number, bBytes: number): boolean {
  return a < b + bBytes && b < a + aBytes
}

/** Whether two arrays of a caller are views of the same bytes. Views of the program's memory have their places there. */
function shareMemory(a: Upload, b: Upload): boolean {
  if (a.inPlace || b.inPlace) return false
  const [x, y] = [bytesOf(a.data), bytesOf(b.data)]
  return x?.buffer === y?.buffer && x !== undefined && overlap(x.byteOffset, x.length, y!.byteOffset, y!.length)
}

/** Copies the data of a buffer into memory. */
export function copyIn(upload: Upload, memory: ArrayBuffer, at: number): void {
  const { elem, stride, name } = upload.buffer
  // Getters of another buffer's list may have transferred, shrunk or lengthened this memory since its place was chosen.
  if (sizeOf(upload.buffer, upload.data, undefined) < upload.bytes && !Array.isArray(upload.data))
    throw new BufferError(`buffer ${name}: its memory was shrunk while the host read other buffers`)
  const given = bytesOf(upload.data)
  if (given !== undefined) return new Uint8Array(memory).set(given.subarray(0, upload.bytes), at)
  const view = new DataView(memory)
  const write = writer(elem)
  const list = upload.data as unknown[]
  // Getters may shorten the list, and it may have holes.
  for (let i = 0; i < elementsOf(upload); i++) write(view, at + i * stride, list[i], `${name}[${i}]`)
}

/** Copies what the program has written back to the data of a buffer, which may have changed its length meanwhile, or be gone. */
export function copyBack({ buffer, data, bytes, inPlace }: Upload, memory: ArrayBuffer, at: number): void {
  if (!buffer.writable || inPlace || bytes === 0) return
  const now = Math.min(bytes, sizeOf(buffer, data, undefined))
  const given = bytesOf(data)
  if (given !== undefined) return given.set(new Uint8Array(memory, at, now))
  const view = new DataView(memory)
  const read = reader(buffer.elem)
  let i = 0
  try {
    for (; i * buffer.stride < now; i++) (data as unknown[])[i] = read(view, at + i * buffer.stride)
  } catch (cause) {
    throw new BufferError(`buffer ${buffer.name}: element ${i} of its list cannot be written: ${String(cause)}`)
  }
}
