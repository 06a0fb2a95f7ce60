/** Constants and zeros in linear memory, each kept once. */
import type { Work } from '../../base/limits.ts'
import * as costs from '../../ir/costs.ts'
import { roundUp } from '../../ir/layout.ts'
import type { Data } from './node.ts'

export class ConstantPool {
  readonly #filled: Data[] = []
  readonly #frame: { top: number }
  readonly #work: Work
  readonly #constantAt = new Map<string, number>()
  readonly #zeroAt = new Map<number, number>()

  /** `frame.top` is the first free address. */
  constructor(frame: { top: number }, work: Work) {
    this.#frame = frame
    this.#work = work
  }

  /** The bytes that differ from zero, in one piece where they touch. */
  get data(): readonly Data[] {
    const pieces: Data[] = []
    for (let i = 0, first = 0; i < this.#filled.length; i++) {
      const { at, bytes } = this.#filled[i]!
      if (this.#filled[i + 1]?.at === at + bytes.length) continue
      const start = this.#filled[first]!.at
      const piece = { at: start, bytes: new Uint8Array(at + bytes.length - start) }
      for (; first <= i; first++) piece.bytes.set(this.#filled[first]!.bytes, this.#filled[first]!.at - start)
      pieces.push(piece)
    }
    return pieces
  }

  /** The address of so many bytes of zeros. */
  zeros(size: number): number {
    let at = this.#zeroAt.get(size)
    if (at === undefined) {
      at = this.#allocate(size)
      this.#zeroAt.set(size, at)
    }
    return at
  }

  /** The address of these bytes. */
  constants(bytes: Uint8Array): number {
    const key = bytes.length < costs.comparedBytes ? String.fromCharCode(...bytes) : undefined
    let at = key === undefined ? undefined : this.#constantAt.get(key)
    if (at === undefined) {
      at = this.#allocate(bytes.length)
      this.#fill(at, bytes)
      if (key !== undefined) this.#constantAt.set(key, at)
    }
    return at
  }

  #allocate(size: number): number {
    const at = roundUp(this.#frame.top, 16)
    this.#frame.top = at + size
    return at
  }

  /** Adds the bytes that differ from zero, since the region begins as zeros. */
  #fill(at: number, bytes: Uint8Array): void {
    this.#work.spend('output', bytes.length >> 6)
    for (let start = 0; start < bytes.length; start++) {
      if (bytes[start] === 0) continue
      start &= ~3
      let end = start + 4
      for (let i = end; i < bytes.length && i - end < costs.zerosApart; i++) if (bytes[i] !== 0) end = (i | 3) + 1
      end = Math.min(end, bytes.length)
      this.#work.spend('output', end - start)
      this.#filled.push({ at: at + start, bytes: bytes.subarray(start, end) })
      start = end
    }
  }
}
