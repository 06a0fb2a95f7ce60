/** Buffers in the memory of a loaded program, and the typed arrays through which a host sees them. */
import type { WasmBuffer } from '../index.ts'
import { onlyScalar, unknownName } from '../host/given.ts'
import type { Part } from '../host/tensor.ts'
import { shown } from '../host/texture.ts'
import { BufferError, NameError, ShapeError } from './errors.ts'
import { typeName } from './marshal.ts'
import type { ProgramMemory } from './memory.ts'

/** The typed array of numbers of one kind: halves are their bits, booleans are words. */
const arrays = {
  f16: Uint16Array,
  f32: Float32Array,
  f64: Float64Array,
  i8: Int8Array,
  i16: Int16Array,
  i32: Int32Array,
  i64: BigInt64Array,
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  u64: BigUint64Array,
  bool: Uint32Array,
} as const

type View = InstanceType<(typeof arrays)[keyof typeof arrays]>

interface Kept {
  readonly count: number
  readonly show: () => View
  view: View
}

/** The buffers of a program that lie in its own memory, by name. */
export class OwnBuffers {
  readonly #memory: ProgramMemory
  readonly #buffers: ReadonlyMap<string, WasmBuffer>
  readonly #kept = new Map<WasmBuffer, Kept>()

  constructor(memory: ProgramMemory, buffers: readonly WasmBuffer[], parameters: readonly Part[]) {
    this.#memory = memory
    const known = new Map(buffers.map(b => [b.name, b]))
    // By the names of parameters too, and tensors by the names of what holds their elements.
    for (const { path, binding } of parameters) {
      const buffer = known.get(binding)
      if (buffer === undefined) continue
      const tensor = path.at(-1) === 'data' ? path.slice(0, path.at(-2) === 'primal' ? -2 : -1) : path
      for (const name of [path.join('_'), tensor.join('_')])
        if (name !== '' && !known.has(name)) known.set(name, buffer)
    }
    this.#buffers = known
  }

  /** The buffer's numbers: a new view where memory has grown. `n` elements are made, all zeros, where there are none yet. */
  view(name: string, n: number | undefined): ArrayBufferView {
    this.#memory.turn.refuseClosed('buffer')
    const buffer = this.#buffers.get(name)
    if (buffer === undefined) {
      const what = 'the program has no buffer'
      throw new NameError(unknownName({ [String(name)]: n }, () => this.#buffers.keys(), what) ?? what)
    }
    const least = buffer.stride === 0 ? 1 : 0
    if (n !== undefined && !(Number.isSafeInteger(n) && n >= least && (least === 0 || n === 1)))
      throw new ShapeError(
        `n of buffer ${name}`,
        least === 0 ? 'a whole number of elements, not below 0' : `1, for it is one ${typeName(buffer.elem)}`,
        shown(n),
      )
    const kept = this.#kept.get(buffer) ?? this.#make(name, buffer, n)
    if (n !== undefined && n !== kept.count)
      throw new BufferError(
        `buffer ${name} has ${kept.count} elements already, and ${n} were asked for: it keeps its size; load the program again for another`,
      )
    if (kept.view.buffer !== this.#memory.buffer) kept.view = kept.show()
    return kept.view
  }

  #make(name: string, buffer: WasmBuffer, n: number | undefined): Kept {
    const { elem, stride } = buffer
    const count = n ?? (stride === 0 ? 1 : undefined)
    if (count === undefined)
      throw new BufferError(
        `buffer ${name} has no memory yet: say how many elements it is to have, m.buffer('${name}', n)`,
      )
    this.#memory.turn.check('buffer')
    const only = onlyScalar(elem)
    const Kind = only !== undefined && Object.hasOwn(arrays, only) ? arrays[only as keyof typeof arrays] : Uint8Array
    const memory = this.#memory
    const place = memory.keep(name, count * (stride === 0 ? elem.size : stride))
    const show = (): View => memory.show(new Kind(memory.buffer, place.at, place.bytes / Kind.BYTES_PER_ELEMENT), place)
    const kept = { count, show, view: show() }
    this.#kept.set(buffer, kept)
    return kept
  }
}
