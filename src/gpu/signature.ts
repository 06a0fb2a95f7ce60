/** What an entry point may be given, and the checks of names and numbers of groups that all its calls share. */
import type { BindingInfo, EntryReflection, PrintInfo, Wgsl } from '../index.ts'
import { isCount, shown, unknownName } from '../host/given.ts'
import { Parameters, type Part, type Prepared } from '../host/parameters.ts'
import type { Device } from './device.ts'
import { refuse, refuseIf, type GpuErrorName } from './error.ts'
import type { AttachOptions, BufferData, DispatchOptions, Groups } from './options.ts'
import type { Plain } from './pack.ts'
import type { Parts } from './parts.ts'

/** What a call is given, with tensors as buffers and uniforms. Fields of uniform buffers that are `foreign` need no value. */
export interface Given extends DispatchOptions {
  readonly uniforms: Readonly<Record<string, Plain>>
  readonly foreign: ReadonlySet<string>
}

const dispatchOptions: readonly string[] = ['buffers', 'uniforms', 'textures', 'tensors', 'samplers']

/** Throws for options that there are not; `what` says whose they would be. */
export function refuseOptions(what: string, given: unknown, known: readonly string[]): void {
  refuseIf(
    'UnknownOption',
    unknownName(given, () => known, what),
  )
}

/** What all kernels of a module share. */
export interface Context {
  readonly device: Device
  readonly options: AttachOptions
  readonly parts: Parts
  readonly wgsl: Wgsl
}

export class Signature {
  readonly device: Device
  readonly options: AttachOptions
  readonly parts: Parts
  readonly name: string
  readonly entry: EntryReflection
  readonly bindings: readonly BindingInfo[]
  readonly prints: PrintInfo | null
  /** The bindings that callers may set; for a reverse kernel also those that only the kernel itself uses. */
  readonly known: readonly BindingInfo[]
  /** The name of the kernel; of a reverse kernel, that of the kernel that it reverses. */
  readonly source: string
  readonly isReverse: boolean
  /** The shader parameters that callers may name. */
  readonly own: readonly Part[]
  /** The shader parameters of all kernels. */
  readonly parameters: Wgsl['reflection']['parameters']
  readonly #uniformNames: ReadonlySet<string>
  readonly #prepare: (from: DispatchOptions) => Prepared<BufferData>

  /** `of` is the kernel that this one is the reverse of. */
  constructor({ device, options, parts, wgsl }: Context, entry: EntryReflection, of?: Signature) {
    const { bindings, parameters, prints } = wgsl.reflection
    this.device = device
    this.options = options
    this.parts = parts
    this.name = entry.name
    this.entry = entry
    this.prints = prints
    this.bindings = bindings.filter(b => entry.bindings.includes(b.name))
    this.known = of === undefined ? this.bindings : [...this.bindings, ...of.bindings]
    this.source = of?.name ?? entry.name
    this.isReverse = of !== undefined
    this.parameters = parameters
    const blocks = bindings.flatMap(b =>
      b.kind !== 'uniform'
        ? []
        : [b.name, ...(b.name === 'globalParams' && b.type?.kind === 'struct' ? b.type.fields.map(f => f.name) : [])],
    )
    this.#uniformNames = new Set([
      ...blocks,
      ...parameters.flatMap(p => (p.field === null ? [] : [p.binding, p.field, p.path.join('_')])),
    ])
    const plain = new Parameters(this.source, parameters, entry.bindings)
    this.own = plain.own
    this.#prepare =
      parts.tensors?.preparing(this) ?? (from => plain.named<BufferData>(from, m => refuse('WrongTensor', m)))
  }

  /** Whether a binding is the buffer that the kernel prints into, which callers do not bind. */
  isPrinted(info: BindingInfo): boolean {
    return info.name === this.prints?.binding
  }

  /** Hands on what the kernel printed. */
  readonly report = (bytes: Uint8Array): void => {
    this.parts.prints!.report(this.name, bytes, this.prints!, this.options)
  }

  /** Throws for options that a call does not take. */
  checkOptions(call: string, options: unknown, more: readonly string[] = []): void {
    refuseOptions(`${call} of ${this.source} takes no`, options, [...dispatchOptions, ...more])
  }

  /** Maps tensors to buffers and uniforms. Throws a `GpuError` for names that there are not. */
  prepare(from: DispatchOptions): Given {
    const prepared = this.#prepare(from)
    const given = { ...from, ...prepared, uniforms: prepared.uniforms as Readonly<Record<string, Plain>> }
    const check = (
      error: GpuErrorName,
      what: string,
      values: object | undefined,
      known: () => Iterable<string>,
    ): void => refuseIf(error, unknownName(values, known, `${this.name} uses no ${what}`))
    const of = (is: (b: BindingInfo) => boolean) => (): string[] => this.known.filter(is).map(b => b.name)
    const isBuffer = (b: BindingInfo): boolean => b.handle === null && b.kind !== 'uniform' && !this.isPrinted(b)
    check('UnknownBuffer', 'buffer', given.buffers, of(isBuffer))
    const isTexture = (b: BindingInfo): boolean => b.handle !== null && b.kind !== 'sampler'
    check('WrongTexture', 'texture', given.textures, of(isTexture))
    const isSampler = (b: BindingInfo): boolean => b.kind === 'sampler'
    check('WrongTexture', 'sampler', given.samplers, of(isSampler))
    check('WrongUniform', 'uniform', given.uniforms, () => this.#uniformNames)
    return given
  }

  /** Throws a `GpuError` for numbers of groups that cannot be. */
  checkGroups(groups: Groups): void {
    const most = this.device.mostGroups
    const came: unknown = groups
    const isList = Array.isArray(came) && came.length === 3
    if (isList && isCount(came[0], most) && isCount(came[1], most) && isCount(came[2], most)) return
    const mistake =
      isList && came.every(n => isCount(n))
        ? `, and the device allows ${most} along each dimension`
        : ': three whole numbers are needed, none below 0'
    const text = Array.isArray(came) ? came.join(' × ') : shown(came)
    refuse('WrongGroups', `${this.name}: the number of groups is ${text}${mistake}`)
  }
}
