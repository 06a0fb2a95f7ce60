/** Slots of memory of the device for the uniforms of a bound kernel, so that each recorded dispatch finds the values of its time. */
import type { Device, Owned } from './device.ts'
import { GpuError } from './error.ts'
import type { UniformMemory } from './uniform-values.ts'
import { usage } from './usage.ts'

/** How often the caller said that everything recorded is submitted. */
export interface Submissions {
  count: number
}

/** Where one set of uniforms lies. */
export interface Slot {
  /** The bind groups over the buffer of this slot. */
  readonly groups: readonly GPUBindGroup[]
  readonly buffer: GPUBuffer
  readonly offset: number
  /** The offset for each uniform buffer of a group, by group. */
  readonly offsets: readonly (readonly number[])[]
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
  readonly own: <O extends Owned>(made: O) => O
  /** Hears what the device refuses when more slots are made. */
  readonly refused: (refusal: unknown) => void
}

export class UniformSlots {
  readonly #device: Device
  readonly #memory: UniformMemory
  readonly #options: SlotsOptions
  readonly #most: number
  /** For dispatches with a submit of their own: the next one may overwrite it at once. */
  readonly #direct: Slot
  #directHas = -1
  /** All others. Those before `#next` may stand in passes that are not submitted; the last of them is the current one. */
  readonly #slots: Slot[] = []
  #next = 0
  #currentHas = -1
  #submissions = 0

  /** Makes the first slots, inside of the caller's error scope. */
  constructor(device: Device, memory: UniformMemory, options: SlotsOptions) {
    this.#device = device
    this.#memory = memory
    this.#options = options
    this.#most = Math.max(2, Math.floor(mostBytes / options.stride))
    this.#add(Math.max(2, Math.floor(firstBytes / options.stride)))
    this.#direct = this.#slots.pop()!
  }

  /** The slot for a dispatch that is submitted at once. */
  direct(): Slot {
    const { changes } = this.#memory
    if (this.#directHas !== changes) {
      this.#write(this.#direct)
      this.#directHas = changes
    }
    return this.#direct
  }

  /** The slot for a dispatch that somebody else submits later. Throws a `GpuError` where too many wait to be submitted. */
  recorded(): Slot {
    const slots = this.#slots
    const { count } = this.#options.submissions
    if (count !== this.#submissions) {
      this.#submissions = count
      if (this.#next > 1) {
        // The current values may be recorded again, so their slot stays taken.
        const current = slots[this.#next - 1]!
        slots[this.#next - 1] = slots[0]!
        slots[0] = current
        this.#next = 1
      }
    }
    const { changes } = this.#memory
    if (this.#next > 0 && this.#currentHas === changes) return slots[this.#next - 1]!
    if (this.#next === slots.length) this.#grow()
    const slot = slots[this.#next++]!
    this.#write(slot)
    this.#currentHas = changes
    return slot
  }

  #grow(): void {
    const { name, refused } = this.#options
    const now = this.#slots.length
    if (now + 1 >= this.#most)
      throw new GpuError(
        'TooManyUniforms',
        `${name}: its uniforms were changed for ${now} recorded dispatches, and none of them is known to be submitted: call submitted() of the program after queue.submit(…)`,
      )
    const { accepted } = this.#device.watched(name, () => this.#add(Math.min(now + 1, this.#most - now - 1)))
    accepted.catch(refused)
  }

  #add(count: number): void {
    const { stride, counts, groups, own } = this.#options
    const buffer = own(this.#device.gpu.createBuffer({ size: count * stride, usage: usage.UNIFORM | usage.COPY_DST }))
    const made = groups(buffer)
    for (let i = 0; i < count; i++) {
      const offset = i * stride
      this.#slots.push({ groups: made, buffer, offset, offsets: counts.map(n => new Array<number>(n).fill(offset)) })
    }
  }

  #write({ buffer, offset }: Slot): void {
    this.#device.queue.writeBuffer(buffer, offset, this.#memory.bytes)
  }
}
