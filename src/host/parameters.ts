/** Shader parameters of a kernel by the names of the source, and the buffers and uniforms that targets have for them. */
import { unknownName, wrongGroup } from './given.ts'

/** A resource or plain value among the shader parameters, as reflection describes it. */
export interface Part {
  readonly path: readonly (string | number)[]
  readonly entry: string | null
  readonly binding: string
  readonly field: string | null
}

/** A tensor that a kernel is given. `D` is what the host takes for a buffer. */
export interface TensorData<D> {
  /** The elements; written in place where the kernel writes them. */
  readonly data: D
  /** The length of each of one to five dimensions. */
  readonly shape: readonly number[]
  /** The distance of neighbours along each dimension, in elements. Default: the last dimension closest, without gaps. */
  readonly strides?: readonly number[] | undefined
  /** The index of the first element. Default: 0. */
  readonly offset?: number | undefined
  /** For a `DiffTensorView`: its gradient, of the same shape, without gaps. `grad` makes one of its own. */
  readonly grad?: D | undefined
}

/** Buffers by binding and uniforms by name, as targets have them. */
export interface Prepared<D> {
  readonly buffers: Record<string, D>
  readonly uniforms: Record<string, unknown>
  /** Fields of uniform buffers that need no value: those of other kernels, and of tensors and gradients that this kernel does not use. */
  readonly foreign: Set<string>
  /** What the caller calls the elements of tensors, by binding. */
  readonly names: Map<string, string>
}

/** What a caller gives. */
export interface Given<D> {
  readonly buffers?: Readonly<Record<string, D>> | undefined
  readonly uniforms?: Readonly<Record<string, unknown>> | undefined
  readonly tensors?: Readonly<Record<string, TensorData<D>>> | undefined
}

/** Names in a message. */
export const list = (names: Iterable<string>): string => [...names].join(', ') || 'none'

/** The shader parameters of a kernel. */
export class Parameters {
  /** The name of the kernel; for a reverse kernel, of the kernel that it reverses. */
  readonly of: string
  /** Those of the kernel and of the module; no other kernel's. */
  readonly own: readonly Part[]
  /** The bindings that the kernel uses. */
  readonly used: ReadonlySet<string>
  /** Fields of uniform buffers that belong to other kernels. */
  readonly foreign: ReadonlySet<string>

  constructor(of: string, parts: readonly Part[], used: Iterable<string>) {
    this.of = of
    this.own = parts.filter(p => p.entry === null || p.entry === of)
    this.used = new Set(used)
    this.foreign = new Set(parts.filter(p => p.entry !== null && p.entry !== of && p.field !== null).map(p => p.field!))
  }

  /** What a caller gives, by the names that targets have. Fails for tensors that there are not. */
  named<D>(
    given: Given<D>,
    fail: (message: string) => never,
    tensors: ReadonlyMap<string, unknown> = new Map(),
  ): Prepared<D> {
    const wrong = wrongGroup(given, this.of)
    if (wrong !== undefined) fail(wrong)
    const unknown = unknownName(given.tensors, () => tensors.keys(), `${this.of} takes no tensor`)
    if (unknown !== undefined) fail(unknown)
    return { ...this.#renamed(given), foreign: new Set(this.foreign), names: new Map() }
  }

  /** Buffers and uniforms by the names that targets have for parameters of this kernel, which may have a number at the end. */
  #renamed<D>(given: Given<D>): { readonly buffers: Record<string, D>; readonly uniforms: Record<string, unknown> } {
    const buffers: Record<string, D> = { ...given.buffers }
    const uniforms: Record<string, unknown> = { ...given.uniforms }
    for (const { path, entry, binding, field } of this.own) {
      const name = path.join('_')
      const own = field ?? binding
      const into: Record<string, unknown> = field === null ? buffers : uniforms
      if (entry === null || own === name || Object.hasOwn(into, own) || !Object.hasOwn(into, name)) continue
      into[own] = into[name]
      if (!this.used.has(name)) delete into[name]
    }
    return { buffers, uniforms }
  }
}
