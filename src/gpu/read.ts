/** Submits work and reads memory of the device back: a buffer, all that a kernel wrote, what it printed. */
import type { Device, Own, Owned } from './device.ts'
import { readMode, usage } from './usage.ts'

/** A copy that can be mapped, and who takes its bytes before it is destroyed. */
export interface Read {
  readonly copy: GPUBuffer
  readonly take: (bytes: Uint8Array) => void
}

/** A buffer that can be mapped. */
export function copyBuffer(device: Device, size: number): GPUBuffer {
  return device.gpu.createBuffer({ size, usage: usage.MAP_READ | usage.COPY_DST })
}

/** Records a copy of the first bytes of a buffer, as many as the copy has. */
export function recordCopy(encoder: GPUCommandEncoder, from: GPUBuffer, copy: GPUBuffer): void {
  encoder.copyBufferToBuffer(from, 0, copy, 0, copy.size)
}

/**
 * Submits what `record` records, and waits until all reads that it gives are done. All are waited for together: one after the other, each would
 * cost a round trip. `what` names the work.
 */
export async function readBack(
  device: Device,
  what: string,
  record: (encoder: GPUCommandEncoder, own: Own) => readonly Read[],
): Promise<void> {
  const all: Owned[] = []
  try {
    const { result, accepted } = device.watched(what, () => {
      const encoder = device.gpu.createCommandEncoder()
      const reads = record(encoder, made => {
        all.push(made)
        return made
      })
      device.queue.submit([encoder.finish()])
      return { reads, mapped: Promise.all(reads.map(({ copy }) => copy.mapAsync(readMode))) }
    })
    // The device says why it refused the work; what follows from that says less.
    result.mapped.catch(() => undefined)
    await accepted
    await device.until(result.mapped)
    for (const { copy, take } of result.reads) take(new Uint8Array(copy.getMappedRange()))
  } finally {
    for (const made of all) made.destroy()
  }
}
