/**
 * Tensors among the shader parameters of a kernel: the buffers and uniforms that they consist of, their contents from the host's
 * tensors, and the buffers for their gradients.
 */
import { isCount, isObject, shown, unknownName } from './given.ts'
import { list, Parameters, type Given, type Part, type Prepared, type TensorData } from './parameters.ts'
import { put } from './record.ts'

export type { Given, Part, Prepared, TensorData } from './parameters.ts'

const viewFields = ['sizes', 'strides', 'lastSize', 'lastStride', 'offset', 'rank'] as const

interface View {
  readonly data: string
  readonly parts: Readonly<Record<(typeof viewFields)[number], Part>>
}

/** A `TensorView` or `DiffTensorView`. */
interface Tensor {
  readonly name: string
  readonly primal: View
  readonly diff: View | undefined
}

/** A buffer or texture with a gradient buffer beside it. */
interface Paired {
  readonly name: string
  readonly primal: string
  readonly diff: string
  /** Of a texture: how it is addressed along x and y. */
  readonly address: Part | undefined
}

/** What a host says of its buffers. */
export interface Buffers<D> {
  /** Throws the host's error for a caller's mistake. */
  readonly fail: (message: string) => never
  /** How many elements of a binding's type some data has. Checks that the data can be bound there; `name` is what the caller calls it. */
  readonly count: (binding: string, data: D, name?: string) => number
  /** Zeros for so many elements of a binding, of the kind of some other data. */
  readonly zeros: (binding: string, count: number, like: D) => D
  /** How many texels a texture has, all levels together; undefined where none is given. */
  readonly texels: (binding: string, name: string) => number | undefined
  /** The address mode of the kernel's samplers along x and y, if all agree: 0 clamps, 1 repeats, 2 repeats mirrored. */
  readonly address: () => readonly [number, number] | undefined
  /** Fills such zeros with one number, or with as many as there are, elements of plain lists as such; `what` names it in errors. */
  readonly fill: (data: D, values: number | ArrayLike<unknown>, what: string) => void
}

/** The options of a caller who wants gradients. */
export interface GradGiven<D> extends Given<D> {
  /**
   * By name of a tensor, or of a buffer with its gradient beside it: what its gradient is before the kernel runs backwards, as many
   * numbers as it has, without gaps, or one number for all. What the kernel writes needs one.
   */
  readonly cotangents?: Readonly<Record<string, number | ArrayLike<unknown>>> | undefined
  /** Buffers to which the kernel itself adds gradients, by name: each is made of zeros, like the buffer that is named. */
  readonly gradients?: Readonly<Record<string, string>> | undefined
}

/** The shader parameters of a kernel with its tensors, by the names of the source. */
export class KernelParameters extends Parameters {
  readonly #reverse: boolean
  readonly #tensors = new Map<string, Tensor>()
  /** Buffers and textures with gradients beside them, by name. */
  readonly #pairs = new Map<string, Paired>()

  /** The parameters of the kernel `of`, or of its reverse; `used` are the bindings that it uses. */
  constructor(of: string, parts: readonly Part[], used: Iterable<string>, reverse = false) {
    super(of, parts, used)
    this.#reverse = reverse
    const all = new Map(this.own.map(p => [JSON.stringify(p.path), p]))
    const find = (...path: (string | number)[]): Part | undefined => all.get(JSON.stringify(path))
    const view = (path: readonly (string | number)[]): View | undefined => {
      const parts = viewFields.map(f => [f, find(...path, f)] as const)
      const data = find(...path, 'data')
      return data?.field !== null || parts.some(([, p]) => p === undefined || p.field === null)
        ? undefined
        : { data: data.binding, parts: Object.fromEntries(parts) as unknown as View['parts'] }
    }
    for (const { path } of this.own) {
      const [inner, last] = [path.slice(0, -1), path.at(-1)]
      const outer = inner.slice(0, -1)
      const own = last === 'data' ? view(inner) : undefined
      if (own !== undefined) {
        const isPrimal = inner.at(-1) === 'primal'
        const isGradient =
          inner.at(-1) === 'diff' && outer.at(-1) === 'diff' && view([...outer.slice(0, -1), 'primal']) !== undefined
        const name = (isPrimal ? outer : inner).join('_')
        if (!isGradient)
          this.#tensors.set(name, { name, primal: own, diff: isPrimal ? view([...outer, 'diff', 'diff']) : undefined })
      }
      // On CPUs a texture is a struct with its texels.
      const [primal, diff] = [find(...inner, 'primal') ?? find(...inner, 'primal', '__texels'), find(...inner, 'diff')]
      if (last === 'diff' && primal?.field === null && diff?.field === null) {
        const name = inner.join('_')
        this.#pairs.set(name, { name, primal: primal.binding, diff: diff.binding, address: find(...inner, 'address') })
      }
    }
  }

  /** The tensors that the kernel uses, each with the buffer of its elements. */
  get tensors(): readonly { readonly name: string; readonly data: string }[] {
    return [...this.#tensors.values()]
      .filter(({ primal }) => this.used.has(primal.data))
      .map(({ name, primal }) => ({ name, data: primal.data }))
  }

  /** Buffers and uniforms that need not be given: tensors imply them, and `grad` makes those of gradients. */
  get implied(): ReadonlySet<string> {
    const names = new Set<string>()
    for (const { primal, diff } of this.#tensors.values()) {
      for (const view of diff === undefined ? [primal] : [primal, diff]) {
        names.add(view.data)
        for (const f of viewFields) names.add(view.parts[f].field!)
      }
    }
    for (const { diff, address } of this.#pairs.values()) {
      names.add(diff)
      if (typeof address?.field === 'string') names.add(address.field)
    }
    return names
  }

  /** Whether the kernel uses a gradient of any tensor, buffer or texture. */
  get usesGradients(): boolean {
    return (
      [...this.#tensors.values()].some(t => t.diff !== undefined && this.used.has(t.diff.data)) ||
      [...this.#pairs.values()].some(p => this.used.has(p.diff))
    )
  }

  /** Maps tensors to the buffers and uniforms of the target. */
  prepare<D>(given: Given<D>, host: Buffers<D>): Prepared<D> {
    const prepared = this.named(given, host.fail, this.#tensors)
    const { buffers, uniforms, foreign } = prepared
    const tensors = given.tensors ?? {}
    for (const { name, primal, diff } of this.#tensors.values()) {
      const tensor = tensors[name]
      if (tensor === undefined) {
        if (this.used.has(primal.data) && !Object.hasOwn(buffers, primal.data))
          host.fail(`${this.of} needs the tensor ${name}: tensors: { ${name}: { data, shape } }`)
        // Who binds its elements by hand describes it by hand.
        if (!this.used.has(primal.data))
          for (const v of diff === undefined ? [primal] : [primal, diff])
            for (const f of viewFields) foreign.add(v.parts[f].field!)
        continue
      }
      if (!isObject(tensor)) host.fail(`tensor ${name}: expected { data, shape }, but ${String(tensor)} came`)
      this.#put(name, primal, tensor, prepared, host)
      if (diff === undefined) {
        if (tensor.grad !== undefined) host.fail(`tensor ${name} has no gradient: it is no DiffTensorView`)
        continue
      }
      const { shape, grad } = tensor
      if (grad !== undefined) this.#put(`gradient of ${name}`, diff, { data: grad, shape }, prepared, host)
      else {
        if (this.used.has(diff.data) && !Object.hasOwn(buffers, diff.data))
          host.fail(`${this.of} uses the gradient of tensor ${name}: give its grad, or call grad`)
        this.#describe(diff, shape, dense(shape), 0, uniforms)
      }
    }
    for (const { name, diff, address } of this.#pairs.values()) {
      if (address === undefined || isGiven(uniforms, address)) continue
      if (!this.used.has(diff)) {
        foreign.add(address.field!)
        continue
      }
      const modes =
        host.address() ??
        host.fail(
          `${name}: the kernel's samplers are not known to address alike: give ${name}_address, 0 to clamp, 1 to repeat, 2 to mirror`,
        )
      setField(uniforms, address, modes)
    }
    return prepared
  }

  /**
   * Maps tensors, with gradients of their own, which it gives by name. `none` is data without elements, of the kind that a
   * texture's gradient should have.
   */
  withGradients<D>(
    given: GradGiven<D>,
    host: Buffers<D>,
    none: D,
  ): { readonly given: Given<D>; readonly gradients: Record<string, D> } {
    const gradients: Record<string, D> = {}
    const cotangents = given.cotangents ?? {}
    const buffers: Record<string, D> = { ...given.buffers }
    const tensors: Record<string, TensorData<D>> = { ...given.tensors }
    const made = (name: string, binding: string, count: number, like: D): D => {
      const cotangent = cotangents[name]
      const data = host.zeros(binding, count, like)
      if (cotangent !== undefined) host.fill(data, cotangent, `cotangent of ${name}`)
      return data
    }
    for (const { name, diff } of this.#tensors.values()) {
      const tensor = tensors[name]
      if (diff === undefined || tensor === undefined) continue
      this.#check(name, tensor, host)
      if (tensor.grad !== undefined && Object.hasOwn(cotangents, name))
        host.fail(`tensor ${name} has a grad of its own, which is its cotangent: give one of the two`)
      const grad =
        tensor.grad ??
        made(
          name,
          diff.data,
          tensor.shape.reduce((a, b) => a * b, 1),
          tensor.data,
        )
      put(gradients, name, grad)
      put(tensors, name, { ...tensor, grad })
    }
    for (const { name, primal, diff } of this.#pairs.values()) {
      const data = buffers[primal] ?? buffers[`${name}_primal`]
      if (!this.used.has(diff) || Object.hasOwn(buffers, diff)) continue
      const count = data === undefined ? host.texels(primal, name) : host.count(primal, data)
      if (count === undefined) continue
      const own = made(name, diff, count, data ?? none)
      put(gradients, name, own)
      put(buffers, diff, own)
    }
    for (const [name, like] of Object.entries(given.gradients ?? {})) {
      const data = buffers[like]
      if (data === undefined) host.fail(`gradients: ${name} is to be like the buffer ${like}, which is not given`)
      else {
        const own = host.zeros(name, host.count(like, data), data)
        put(gradients, name, own)
        put(buffers, name, own)
      }
    }
    const known = Object.keys(gradients)
    if (
      this.#reverse &&
      Object.keys(cotangents).length === 0 &&
      !Object.values(given.tensors ?? {}).some(t => isObject(t) && t.grad !== undefined)
    ) {
      host.fail(`${this.of} runs backwards from what it writes: give cotangents, by name of a tensor`)
    }
    for (const name of Object.keys(cotangents))
      if (!known.includes(name))
        host.fail(`cotangents: ${this.of} is given nothing with a gradient named ${name}; there is: ${list(known)}`)
    if (known.length === 0)
      host.fail(
        `${this.of} is given nothing that has a gradient; there may be: ${list(
          [...this.#tensors.values()]
            .filter(t => t.diff !== undefined)
            .map(t => t.name)
            .concat([...this.#pairs.keys()]),
        )}`,
      )
    return { given: { ...given, buffers, tensors }, gradients }
  }

  #check<D>(name: string, tensor: TensorData<D>, host: Buffers<D>): void {
    const unknown = unknownName(tensor, () => ['data', 'shape', 'strides', 'offset', 'grad'], `tensor ${name} takes no`)
    if (unknown !== undefined) host.fail(unknown)
    const { shape, strides, offset = 0 } = tensor
    const whole = (n: unknown): boolean => isCount(n, 2 ** 32 - 1)
    if (!Array.isArray(shape) || shape.length < 1 || shape.length > 5 || !shape.every(whole))
      host.fail(`tensor ${name}: its shape is one to five whole numbers, and ${listed(shape)} came`)
    if (strides !== undefined && (!Array.isArray(strides) || strides.length !== shape.length || !strides.every(whole)))
      host.fail(`tensor ${name}: expected ${shape.length} strides, whole numbers, and ${listed(strides)} came`)
    if (!whole(offset)) host.fail(`tensor ${name}: its offset is a whole number, and ${shown(offset)} came`)
  }

  #put<D>(
    name: string,
    view: View,
    tensor: TensorData<D>,
    { buffers, uniforms, names }: Prepared<D>,
    host: Buffers<D>,
  ): void {
    this.#check(name, tensor, host)
    const { data, shape, strides = dense(shape), offset = 0 } = tensor
    if (this.used.has(view.data)) {
      const needed = shape.some(n => n === 0) ? 0 : shape.reduce((sum, n, i) => sum + (n - 1) * strides[i]!, offset + 1)
      const count = host.count(view.data, data, name)
      if (count < needed)
        host.fail(`tensor ${name}: a shape of ${shape.join(' × ')} needs ${needed} elements, and ${count} came`)
      buffers[view.data] = data
      names.set(view.data, name)
    }
    this.#describe(view, shape, strides, offset, uniforms)
  }

  #describe(
    view: View,
    shape: readonly number[],
    strides: readonly number[],
    offset: number,
    uniforms: Record<string, unknown>,
  ): void {
    const four = (values: readonly number[]): number[] => [0, 1, 2, 3].map(i => values[i] ?? 0)
    const values = {
      sizes: four(shape),
      strides: four(strides),
      lastSize: shape[4] ?? 0,
      lastStride: strides[4] ?? 0,
      offset,
      rank: shape.length,
    }
    for (const f of viewFields) setField(uniforms, view.parts[f], values[f])
  }
}

/** Sets a field of a uniform buffer, which may be given as one object; those outside of blocks are given one by one. */
export function setField(uniforms: Record<string, unknown>, { binding, field }: Part, value: unknown): void {
  if (binding === 'globalParams' && !Object.hasOwn(uniforms, binding)) put(uniforms, field!, value)
  else put(uniforms, binding, { ...(uniforms[binding] as object | undefined), [field!]: value })
}

function isGiven(uniforms: Readonly<Record<string, unknown>>, { binding, field }: Part): boolean {
  const block = uniforms[binding]
  return isObject(block) ? Object.hasOwn(block, field!) : binding === 'globalParams' && Object.hasOwn(uniforms, field!)
}

/** Strides without gaps. */
function dense(shape: readonly number[]): number[] {
  return shape.map((_, i) => shape.slice(i + 1).reduce((a, b) => a * b, 1))
}

function listed(value: unknown): string {
  return Array.isArray(value) ? `[${value.map(shown).join(',')}]` : shown(value)
}
