/** Memory that browsers do not let a device read: Dawn in Node reads it, so the queue stands for that of a browser. */
import { expect, test } from 'vitest'
import { write } from '../../src/gpu/buffer.ts'

test('memory that may be resized is copied before a device reads it', () => {
  const written: Uint8Array[] = []
  const queue = { writeBuffer: (_buffer: unknown, _at: number, bytes: Uint8Array) => void written.push(bytes) }
  const device = { queue } as unknown as Parameters<typeof write>[0]
  const resizable = Reflect.construct(ArrayBuffer, [8, { maxByteLength: 16 }]) as ArrayBuffer
  for (const memory of [resizable, new ArrayBuffer(8)]) {
    new Uint8Array(memory).set([1, 2, 3, 4, 5, 6, 7, 8])
    write(device, {} as GPUBuffer, 0, new Uint8Array(memory))
  }
  expect(written.map(bytes => [...bytes])).toEqual([
    [1, 2, 3, 4, 5, 6, 7, 8],
    [1, 2, 3, 4, 5, 6, 7, 8],
  ])
  expect(written.map(bytes => 'resizable' in bytes.buffer && bytes.buffer.resizable)).toEqual([false, false])
})
