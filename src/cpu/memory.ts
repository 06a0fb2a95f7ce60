/**
 * The memory of a loaded program, and who owns which part:
 *
 *     | what stays: regions of instances, and buffers that the host asked for | what one call needs: copies of arrays | its tape →
 *
 * What stays only grows, and only between two calls. What one call needs begins behind it and is forgotten after the call. The tape comes
 * last, so memory can grow with it. Only one instance runs at a time (`turn.ts`), so all share the part for calls.
 */
import { BufferError, ClosedError, TrapError } from './errors.ts'
import type { LinearMemory } from './job.ts'
import type { Team } from './team.ts'
import { Turn } from './turn.ts'

const pageSize = 65536
/** All that addresses of 32 bits reach. */
const mostPages = 65536

/** A part of memory that belongs to the host. */
export interface HostPart {
  /** The name for which `m.buffer` made it. */
  readonly name: string
  readonly at: number
  readonly bytes: number
}

/** The memory that the instances of a loaded program share. */
export class ProgramMemory {
  readonly turn: Turn = new Turn()
  readonly #limit: number | undefined
  readonly #shared: boolean
  #memory: LinearMemory | undefined
  #top = 0
  /** Whether it has grown as far as it can. */
  #isFull = false
  /** Bytes of the instances' own regions. */
  #variables = 0
  readonly #kept: HostPart[] = []
  /** The parts that views of the host show, which are known even when memory has grown since. */
  readonly #parts = new WeakMap<object, HostPart>()
  /** Each `ArrayBuffer` of this memory on which the host got a view. */
  readonly #buffers = new WeakSet<object>()
  readonly #closers: (() => void)[] = []
  /** The threads that share it; undefined where there is one. */
  team: Team | undefined

  /** `limit` is the most bytes that it may have; undefined for all that WebAssembly can have. `shared` memory may be that of several threads. */
  constructor(limit: number | undefined, shared = false) {
    this.#limit = limit
    this.#shared = shared
    // A page that the limit ends in is whole: `reserve` counts bytes.
    const maximum = limit === undefined ? undefined : Math.min(mostPages, Math.max(1, Math.ceil(limit / pageSize)))
    this.#memory = shared
      ? sharedMemory(maximum ?? mostPages)
      : new WebAssembly.Memory({ initial: 1, ...(maximum === undefined ? {} : { maximum }) })
  }

  /** What instances import. */
  get linear(): LinearMemory {
    if (this.#memory === undefined) throw new ClosedError('the program')
    return this.#memory
  }

  /** The bytes as they are now: growing detaches them. */
  get buffer(): ArrayBuffer {
    return this.linear.buffer
  }

  /** Where a tape may end at most: addresses have 32 bits, of which the last page stays unused. */
  get tapeEnd(): number {
    const last = (mostPages - 1) * pageSize
    return Math.floor(Math.min(this.#limit ?? last, last) / 16) * 16
  }

  /** The end of what stays. */
  get top(): number {
    return this.#top
  }

  /** Runs `closer` when the memory is closed. */
  onClose(closer: () => void): void {
    this.#closers.push(closer)
  }

  /** Detaches all views, and lets go of the memory. */
  close(): void {
    if (this.turn.closed) return
    this.turn.close()
    this.linear.grow(0)
    this.#memory = undefined
    this.team?.close()
    for (const closer of this.#closers.splice(0)) closer()
  }

  // ── What stays ───────────────────────────────────────────────────────────────────────────────────────────────

  /** The address of a new region of zeros for an instance. Throws `TrapError` where the limit does not allow it. */
  region(bytes: number): number {
    const variables = this.#variables + bytes
    const buffers = this.#kept.reduce((sum, part) => sum + part.bytes, 0)
    const at = this.#take(
      bytes,
      limit =>
        `the program has ${variables} bytes of variables and tables${buffers === 0 ? '' : ` and ${buffers} bytes of buffers`}, and limits.bytes allows ${limit}`,
    )
    this.#variables = variables
    return at
  }

  /** New memory of zeros for a buffer of the host, at a multiple of 16. */
  keep(name: string, bytes: number): HostPart {
    const part = { name, at: this.#take(bytes, limit => tooMuch(this.#top + bytes, limit)), bytes }
    this.#kept.push(part)
    return part
  }

  #take(bytes: number, excess: (limit: number) => string): number {
    const at = align(this.#top)
    const dirty = this.buffer.byteLength
    this.reserve(at + bytes, excess)
    // What calls used is not clean. What is new is.
    if (at < dirty) new Uint8Array(this.buffer, at, Math.min(bytes, dirty - at)).fill(0)
    this.#top = align(at + bytes)
    return at
  }

  /** Grows memory to so many bytes at least. `excess` says what exceeds the limit. */
  reserve(bytes: number, excess = (limit: number): string => tooMuch(bytes, limit)): void {
    if (this.#limit !== undefined && bytes > this.#limit) throw new TrapError(excess(this.#limit))
    const missing = bytes - this.buffer.byteLength
    if (missing <= 0) return
    try {
      this.linear.grow(Math.ceil(missing / pageSize))
    } catch (cause) {
      throw new BufferError(`${bytes} bytes of memory are needed, more than WebAssembly can have: ${String(cause)}`)
    }
  }

  /** Grows memory as far as it can, and gives where it ends. Of what nobody touches an engine sets aside the addresses only. */
  reserveAll(): number {
    const most = this.#limit === undefined ? mostPages : Math.floor(this.#limit / pageSize)
    const left = this.#isFull ? 0 : most - this.buffer.byteLength / pageSize
    for (let pages = left; pages >= 1; pages = Math.floor(pages / 2)) {
      try {
        this.linear.grow(pages)
      } catch {
        // Half of that, then.
      }
    }
    this.#isFull = true
    return this.buffer.byteLength
  }

  // ── Views ────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Remembers that a view shows a part. */
  show<V extends ArrayBufferView>(view: V, part: HostPart): V {
    this.#parts.set(view, part)
    this.#buffers.add(view.buffer)
    return view
  }

  /**
   * Remembers the part that a view of this memory shows, which stays known when memory grows during the same call. Throws if memory has grown
   * since the view was made. `name` is the buffer for which it is given.
   */
  note(name: string, data: unknown): void {
    if (typeof data !== 'object' || data === null) return
    const owner = ArrayBuffer.isView(data) ? data.buffer : data
    if (this.#buffers.has(owner) && !this.#owns(owner))
      throw new BufferError(
        `buffer ${name}: the memory of the program has grown since this view was made, so the view is detached and has length 0; m.buffer('${this.#parts.get(data)?.name ?? name}') gives a new view of the same numbers`,
      )
    this.partOf(name, data)
  }

  /** Whether bytes are this memory as it is now. A shared memory keeps its bytes where they are when it grows. */
  #owns(owner: object): boolean {
    return owner === this.buffer || (this.#shared && this.#buffers.has(owner))
  }

  /** Throws if data lies in this memory, from which it is not read: it would be lost when memory grows during the call. */
  refuseOwn(what: string, data: unknown): void {
    if (ArrayBuffer.isView(data) && this.#buffers.has(data.buffer))
      throw new BufferError(
        `${what}: its data lies in the memory of the program, which only buffers may: pass a copy, data.slice()`,
      )
  }

  /**
   * The part that data shows; undefined if the data is no view of this memory. Throws if it shows more of this memory than belongs to
   * the host.
   */
  partOf(name: string, data: unknown): HostPart | undefined {
    if (typeof data !== 'object' || data === null) return undefined
    const known = this.#parts.get(data)
    if (known !== undefined) return known
    const isView = ArrayBuffer.isView(data)
    if (!this.#owns(isView ? data.buffer : data)) return undefined
    const [at, bytes] = isView ? [data.byteOffset, data.byteLength] : [0, this.buffer.byteLength]
    const own = this.#kept.find(p => p.at <= at && at + bytes <= p.at + p.bytes)
    if (own === undefined)
      throw new BufferError(
        `buffer ${name}: ${bytes} bytes at ${at} of the program's memory belong to more than one buffer: pass what m.buffer gave, or a part of it`,
      )
    const part = { name: own.name, at, bytes }
    this.#parts.set(data, part)
    return part
  }
}

/** A shared memory has to say how far it may grow, and an engine sets that much aside: less where it has not that much. */
function sharedMemory(maximum: number): LinearMemory {
  for (let most = maximum; ; most = Math.ceil(most / 2)) {
    try {
      return new WebAssembly.Memory({ initial: 1, maximum: most, shared: true })
    } catch (cause) {
      if (most === 1 || !(cause instanceof RangeError)) throw cause
    }
  }
}

function tooMuch(bytes: number, limit: number): string {
  return `${bytes} bytes of memory are needed for what is bound, and limits.bytes allows ${limit}`
}

/** The next multiple of 16. */
export function align(bytes: number): number {
  // Not by bits, which are signed: addresses go up to 4 GiB.
  return Math.ceil(bytes / 16) * 16
}
