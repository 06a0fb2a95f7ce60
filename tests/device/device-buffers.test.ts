/** Buffers of the device and their parts, and what dispatch and grad read back. */
import { beforeAll, describe, expect, test } from 'vitest'
import { runScript } from '../support/script.ts'

let said: Record<string, unknown>

beforeAll(async () => {
  said = await runScript('device-buffer-script.ts')
}, 60_000)

const bytes = 'a list of elements, or bytes (Uint8Array, DataView or ArrayBuffer)'

describe('buffers of the device', () => {
  test('are read and written as the arrays that they were made of', () =>
    expect(said['buffers']).toEqual([
      [1, 7, 8, 4],
      'Int32Array',
      [4, 16, 16, false],
      [1, 2, 3, 4, 9],
      [5, 5, 8],
      [1.5, 2.5],
      true,
    ]))
  test('are bound in parts, two of which a kernel may write', () =>
    expect([said['parts'], said['twoParts']]).toEqual([[129, -5], 14]))
  test('are tensors, whole and in parts', () =>
    expect(said['tensors']).toEqual([
      [4, 16],
      [40, 160],
    ]))
  test('parts that no device binds are refused', () => {
    const alignment = (offset: number): string =>
      `WrongBuffer: marks: expected an offset that is a multiple of 256 (minStorageBufferOffsetAlignment), got ${offset}`
    const within = (offset: number, size: number): string =>
      `WrongBuffer: marks: expected a part of 1024 bytes, and { offset: ${offset}, size: ${size} } came`
    expect(said['wrongParts']).toEqual([
      alignment(100),
      within(1024, 0),
      within(-256, 1280),
      within(256, 2000),
      'WrongBuffer: marks: expected at least 4 bytes and a multiple of 4, got 6',
      'WrongBuffer: the part of a buffer given for marks has no ofset: did you mean offset?; there are buffer, offset, size',
      'WrongBuffer: marks: expected { buffer, offset, size } with a GPUBuffer or what g.buffer gave, and its buffer is a Float32Array',
      alignment(4),
    ])
  })
  test('mistakes are named', () => {
    const gone = 'Destroyed: this buffer was destroyed; make another by g.buffer'
    const goneMarks = 'Destroyed: buffer marks was destroyed; make another by g.buffer'
    const goneBound = 'Destroyed: buffer marks of mark was destroyed; make another by g.buffer'
    expect(said['wrongBuffers']).toEqual({
      refused: expect.stringMatching(/^DeviceError: g\.buffer: /) as string,
      read: gone,
      write: gone,
      buffer: gone,
      bind: goneMarks,
      part: goneMarks,
      dispatch: goneMarks,
      bound: goneBound,
      encoded: goneBound,
      kind: `BufferError: buffer marks: expected a Float32Array, ${bytes}, but an Int32Array of length 4 came`,
      into: 'BufferError: read: expected an Int32Array, and a Float32Array came',
      long: 'BufferError: read: the buffer has 4 numbers, and the array 5',
      writeKind: 'BufferError: write: expected an Int32Array, and an Array came',
      writeLong: 'BufferError: write: the buffer has 4 numbers, and 2 from number 3 on came',
      writeOffset: 'BufferError: write: the buffer has 4 numbers, and 1 from number -1 on came',
      writeBytes:
        'BufferError: write: data begins and ends at a multiple of 4 bytes, or ends with the buffer; 1 bytes from byte 1 on came',
      list: 'BufferError: g.buffer takes a typed array, and an Array came',
      view: 'BufferError: g.buffer takes a typed array, and a DataView came',
      empty: 'BufferError: g.buffer takes at least one number',
      detached:
        'BufferError: g.buffer: expected memory that can be read, but its Float32Array was transferred or shrunk and is detached',
      option: 'UnknownOption: g.buffer takes no option usag: did you mean usage?; there is usage',
      usage: 'UnknownOption: usage is a number of WebGPU\'s flags, and "VERTEX" came',
    })
  })
})

describe('dispatch and grad', () => {
  test('ask for all that they read before they wait', () =>
    expect(said['order']).toEqual(['asked', 'asked', 'came', 'came']))
  test('gradients use memory of the device again, and what callers have stays as it is', () => {
    const [before, after, longer, one, two, half, whole, onDevice, saved] = said['gradients'] as unknown[]
    expect([before, after, longer]).toEqual([
      [3, 12],
      [27, 48],
      [3, 12, 27],
    ])
    expect([one, two]).toEqual([
      [3, 3],
      [12, 12],
    ])
    expect([half, whole, onDevice]).toEqual([
      [1, 2],
      [2, 40],
      [2, 4, 6, 8],
    ])
    expect(saved).toBe(2)
  })
})
