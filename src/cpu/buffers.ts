/** Buffers in the memory of a loaded program, and the typed arrays through which a host sees them. */
import type { WasmBuffer } from '../index.ts'
import { onlyScalar, unknownName } from '../host/given.ts'
import { arrays as lists } from './columns.ts'
import { BufferError, NameError, ShapeError } from './errors.ts'
import type { Machine } from './machine.ts'
import { typeName } from './marshal.ts'

/** The typed array of numbers of one kind: halves are their bits, booleans are words. */
const arrays: typeof lists = { ...lists, f16: Uint16Array, bool: Uint32Array }

type View = InstanceType<(typeof arrays)[keyof typeof arrays]>

interface Kept {
  readonly count: number
  readonly show: () => View
  view: View
}

/** The buffers of a program that lie in its own memory, by name. */
export class OwnBuffers {
  readonly #machine: Machine
  readonly #derived: () => Iterable<Machine>
  /** Bindings by their names, by those of parameters, and by those of the tensors whose elements they hold. */
  readonly #bindings = new Map<string, string>()
  readonly #kept = new Map<string, Kept>()

  /** `derived` makes the machines of all derivatives, which may use other buffers. */
  constructor(machine: Machine, derived: () => Iterable<Machine>) {
    this.#machine = machine
    this.#derived = derived
    const { buffers, parameters } = machine.host
    const add = (name: string, binding: string): void => {
      if (!this.#bindings.has(name)) this.#bindings.set(name, binding)
    }
    for (const { name } of buffers) add(name, name)
    for (const { path, binding, field } of parameters) {
      if (field !== null) continue
      add(binding, binding)
      add(path.join('_'), binding)
      if (path.at(-1) === 'data') add(path.slice(0, path.at(-2) === 'primal' ? -2 : -1).join('_'), binding)
    }
  }

  /** The buffer's numbers: a new view where memory has grown. `n` elements are made, all zeros, where there are none yet. */
  view(name: string, n: number | undefined): ArrayBufferView {
    const { memory } = this.#machine
    memory.turn.refuseClosed('buffer')
    const binding = this.#bindings.get(name)
    if (binding === undefined) {
      const what = 'the program has no buffer'
      throw new NameError(unknownName({ [String(name)]: n }, () => this.#bindings.keys(), what) ?? what)
    }
    if (n !== undefined && !(Number.isSafeInteger(n) && n >= 0))
      throw new ShapeError(`n of buffer ${name}`, 'a whole number of elements, not below 0', n)
    const kept = this.#kept.get(binding) ?? this.#make(name, binding, n)
    if (n !== undefined && n !== kept.count)
      throw new BufferError(
        `buffer ${name} has ${kept.count} elements already, and ${n} were asked for: it keeps its size; load the program again for another`,
      )
    if (kept.view.buffer !== memory.buffer) kept.view = kept.show()
    return kept.view
  }

  #find(binding: string): WasmBuffer | undefined {
    const is = (b: WasmBuffer): boolean => b.name === binding
    const own = this.#machine.host.buffers.find(is)
    if (own !== undefined) return own
    for (const { host } of this.#derived()) {
      const found = host.buffers.find(is)
      if (found !== undefined) return found
    }
    return undefined
  }

  #make(name: string, binding: string, n: number | undefined): Kept {
    const { memory } = this.#machine
    memory.turn.check('buffer')
    const buffer = this.#find(binding)
    if (buffer === undefined) throw new NameError(`no function or kernel of the program uses a buffer ${name}`)
    const { elem, stride } = buffer
    const count = n ?? (stride === 0 ? 1 : undefined)
    if (count === undefined)
      throw new BufferError(
        `buffer ${name} has no memory yet: say how many elements it is to have, m.buffer('${name}', n)`,
      )
    if (stride === 0 && count !== 1)
      throw new ShapeError(`n of buffer ${name}`, `1, for it is one ${typeName(elem)}`, n)
    const Kind = arrays[onlyScalar(elem) as keyof typeof arrays] ?? Uint8Array
    const part = memory.keep(name, count * (stride === 0 ? elem.size : stride))
    const show = (): View => memory.show(new Kind(memory.buffer, part.at, part.bytes / Kind.BYTES_PER_ELEMENT), part)
    const kept = { count, show, view: show() }
    this.#kept.set(binding, kept)
    return kept
  }
}
