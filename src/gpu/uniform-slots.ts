/** Slots of memory of the device for the uniforms of a bound kernel, so that each recorded dispatch finds the values of its time. */
import type { Device, Own } from './device.ts'
import { refuse } from './error.ts'
import type { UniformMemory } from './uniform-values.ts'
import { usage } from './usage.ts'

/** How often the caller said that everything recorded is submitted. */
export interface Submissions {
  count: number
}

/** The bind groups of a dispatch, and by group the offset of each uniform buffer. */
export interface Slot {
  readonly groups: readonly GPUBindGroup[]
  readonly offsets: readonly (readonly number[])[]
}

/** The slots of a bound kernel. */
export interface Slots {
  /** The slot for a dispatch that is submitted at once. */
  readonly direct: () => Slot
  /** The slot for a dispatch that somebody else submits later. Throws a `GpuError` where too many wait to be submitted. */
  readonly recorded: () => Slot
}

/** Where one set of uniforms lies. */
interface PlacedSlot extends Slot {
  readonly buffer: GPUBuffer
  readonly offset: number
}

/** Memory for the slots of one bound kernel. */
const mostBytes = 2 ** 24
const firstBytes = 2 ** 14

export interface SlotsOptions {
  readonly name: string
  /** Bytes from one slot to the next. */
  readonly stride: number
  /** The number of uniform buffers of each group. */
  readonly counts: readonly number[]
  readonly submissions: Submissions
  /** Makes the bind groups over a buffer of slots. */
  readonly groups: (buffer: GPUBuffer) => readonly GPUBindGroup[]
  readonly own: Own
  /** Hears what the device refuses when more slots are made. */
  readonly refused: (refusal: unknown) => void
}

/** Makes the first slots, inside of the caller's error scope. */
export function uniformSlots(device: Device, memory: UniformMemory, options: SlotsOptions): Slots {
  const { name, stride, counts, submissions, groups, own, refused } = options
  const slotsIn = (bytes: number): number => Math.max(2, Math.floor(bytes / stride))
  const most = slotsIn(mostBytes)
  /** Those before `next` may stand in passes that are not submitted; the last of them is the current one. */
  const slots: PlacedSlot[] = []
  let next = 0
  let currentHas = -1
  let submitted = 0

  const add = (count: number): void => {
    const buffer = own(device.gpu.createBuffer({ size: count * stride, usage: usage.UNIFORM | usage.COPY_DST }))
    const made = groups(buffer)
    for (let i = 0; i < count; i++) {
      const offset = i * stride
      slots.push({ groups: made, buffer, offset, offsets: counts.map(n => new Array<number>(n).fill(offset)) })
    }
  }
  const grow = (): void => {
    const now = slots.length
    if (now + 1 >= most)
      refuse(
        'TooManyUniforms',
        `${name}: its uniforms changed for ${now} recorded dispatches that are not known to be submitted: call g.submitted() after queue.submit(…)`,
      )
    const { accepted } = device.watched(name, () => add(Math.min(now + 1, most - now - 1)))
    accepted.catch(refused)
  }
  const write = ({ buffer, offset }: PlacedSlot): void => device.queue.writeBuffer(buffer, offset, memory.bytes)

  add(slotsIn(firstBytes))
  /** For dispatches with a submit of their own: the next one may overwrite it at once. */
  const single = slots.pop()!
  let directHas = -1
  return {
    direct: () => {
      if (directHas !== memory.changes) {
        write(single)
        directHas = memory.changes
      }
      return single
    },
    recorded: () => {
      if (submissions.count !== submitted) {
        submitted = submissions.count
        if (next > 1) {
          // The current values may be recorded again, so their slot stays taken.
          ;[slots[0], slots[next - 1]] = [slots[next - 1]!, slots[0]!]
          next = 1
        }
      }
      if (next > 0 && currentHas === memory.changes) return slots[next - 1]!
      if (next === slots.length) grow()
      const slot = slots[next++]!
      write(slot)
      currentHas = memory.changes
      return slot
    },
  }
}
