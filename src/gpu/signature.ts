/** What an entry point may be given, and the checks of names and numbers of groups that all its calls share. */
import type { BindingInfo, EntryReflection, PrintInfo, Wgsl } from '../index.ts'
import { unknownName } from '../host/given.ts'
import { shown } from '../host/texture.ts'
import { KernelParameters } from '../host/tensor.ts'
import type { Device } from './device.ts'
import { GpuError, type GpuErrorName } from './error.ts'
import { gpuBuffers } from './gradient.ts'
import type { DispatchOptions, Groups } from './options.ts'
import type { Plain } from './pack.ts'

/** What a call is given, with tensors as buffers and uniforms. Fields of uniform buffers that are `foreign` need no value. */
export interface Given extends DispatchOptions {
  readonly uniforms: Readonly<Record<string, Plain>>
  readonly foreign: ReadonlySet<string>
}

export const dispatchOptions: readonly string[] = ['buffers', 'uniforms', 'textures', 'tensors', 'samplers']

/** Throws for options that there are not; `what` says whose they would be. */
export function refuseOptions(what: string, given: unknown, known: readonly string[]): void {
  const wrong = unknownName(given, () => known, what)
  if (wrong !== undefined) throw new GpuError('UnknownOption', wrong)
}

export class Signature {
  readonly name: string
  readonly entry: EntryReflection
  readonly bindings: readonly BindingInfo[]
  readonly prints: PrintInfo | null
  readonly parameters: KernelParameters
  /** The bindings that callers may set; for a reverse kernel also those that only the kernel itself uses. */
  readonly known: readonly BindingInfo[]
  /** The shader parameters that callers may name. */
  readonly parts: Wgsl['reflection']['parameters']
  readonly #uniformNames: ReadonlySet<string>

  /** `of` is the kernel that this one is the reverse of. */
  constructor(entry: EntryReflection, wgsl: Wgsl, of?: Signature) {
    const { bindings, parameters, prints } = wgsl.reflection
    this.name = entry.name
    this.entry = entry
    this.prints = prints
    this.bindings = bindings.filter(b => entry.bindings.includes(b.name))
    this.known = of === undefined ? this.bindings : [...this.bindings, ...of.bindings]
    const source = of?.name ?? entry.name
    this.parts = parameters.filter(p => p.entry === null || p.entry === source)
    const blocks = bindings.flatMap(b =>
      b.kind !== 'uniform'
        ? []
        : [b.name, ...(b.name === 'globalParams' && b.type?.kind === 'struct' ? b.type.fields.map(f => f.name) : [])],
    )
    this.#uniformNames = new Set([
      ...blocks,
      ...parameters.flatMap(p => (p.field === null ? [] : [p.binding, p.field, p.path.join('_')])),
    ])
    this.parameters = new KernelParameters(source, parameters, entry.bindings, of !== undefined)
  }

  /** Whether a binding is the buffer that the kernel prints into, which callers do not bind. */
  isPrinted(info: BindingInfo): boolean {
    return info.name === this.prints?.binding
  }

  /** Maps tensors to buffers and uniforms. Throws a `GpuError` for names that there are not. */
  prepare(device: Device, from: DispatchOptions): Given {
    const prepared = this.parameters.prepare(from, gpuBuffers(device, this.known, from))
    const given = { ...from, ...prepared, uniforms: prepared.uniforms as Readonly<Record<string, Plain>> }
    const of = (is: (b: BindingInfo) => boolean) => (): string[] => this.known.filter(is).map(b => b.name)
    this.#refuse(
      'UnknownBuffer',
      'buffer',
      given.buffers,
      of(b => b.handle === null && b.kind !== 'uniform' && !this.isPrinted(b)),
    )
    this.#refuse(
      'WrongTexture',
      'texture',
      given.textures,
      of(b => b.kind === 'texture' || b.kind === 'storage-texture'),
    )
    this.#refuse(
      'WrongTexture',
      'sampler',
      given.samplers,
      of(b => b.kind === 'sampler'),
    )
    this.#refuse('WrongUniform', 'uniform', given.uniforms, () => this.#uniformNames)
    return given
  }

  /** Throws a `GpuError` for numbers of groups that cannot be. */
  checkGroups(device: Device, groups: Groups): void {
    const most = device.mostGroups
    const came: unknown = groups
    if (Array.isArray(came) && came.length === 3) {
      const isCount = (n: unknown): boolean => Number.isInteger(n) && (n as number) >= 0 && (n as number) <= most
      if (isCount(came[0]) && isCount(came[1]) && isCount(came[2])) return
    }
    const text = Array.isArray(came) ? came.join(' × ') : shown(came)
    if (!Array.isArray(came) || came.length !== 3 || !came.every(n => Number.isInteger(n) && (n as number) >= 0))
      throw new GpuError(
        'WrongGroups',
        `${this.name}: the number of groups is ${text}: three whole numbers are needed, none below 0`,
      )
    throw new GpuError(
      'WrongGroups',
      `${this.name}: the number of groups is ${text}, and the device allows ${most} along each dimension`,
    )
  }

  #refuse(error: GpuErrorName, what: string, given: object | undefined, known: () => Iterable<string>): void {
    const wrong = unknownName(given, known, `${this.name} uses no ${what}`)
    if (wrong !== undefined) throw new GpuError(error, wrong)
  }
}
