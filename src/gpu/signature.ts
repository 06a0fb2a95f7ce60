/** What an entry point may be given, and the checks of names and numbers of groups that all its calls share. */
import type { BindingInfo, EntryReflection, PrintInfo, Wgsl } from '../index.ts'
import { isCount, shown, unknownName } from '../host/given.ts'
import { Parameters, type Part, type Prepared } from '../host/parameters.ts'
import type { Device } from './device.ts'
import { refuse, refuseIf } from './error.ts'
import type { AttachOptions, BufferData, DispatchOptions, Groups } from './options.ts'
import type { Plain } from './pack.ts'
import type { Parts } from './parts.ts'
import type { Submissions } from './uniform-slots.ts'

/** What can be attached: a program of `cotangent`, of `cotangent/wgsl`, or one that a build compiled (`import program from './fit.slang'`). */
export interface Attachable {
  /** The code of the program, or of the reverse derivative of a kernel. */
  wgsl(options?: { readonly reverseOf?: string | undefined }): Wgsl
  readonly functions: readonly { readonly name: string; readonly differentiable: 'none' | 'forward' | 'backward' }[]
  /** A development server calls these when it has changed the code of the program, whose bindings are still the same. */
  readonly listeners?: Set<() => void> | undefined
}

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
  readonly program: Attachable
  readonly device: Device
  readonly options: AttachOptions
  readonly parts: Parts
  readonly wgsl: Wgsl
  readonly submissions: Submissions
  /** Compiles another module of the program, and loads the parts that either needs. */
  readonly load: (wgsl: Wgsl) => Promise<{ readonly module: GPUShaderModule; readonly parts: Parts }>
}

/** The options by which callers set bindings, and the error for a name that there is not. */
const roles = {
  buffers: 'UnknownBuffer',
  textures: 'WrongTexture',
  samplers: 'WrongTexture',
  uniforms: 'WrongUniform',
} as const

export class Signature {
  readonly context: Context
  readonly device: Device
  readonly name: string
  /** New code may have another entry point of that name, with the same bindings. */
  entry: EntryReflection
  prints: PrintInfo | null
  readonly bindings: readonly BindingInfo[]
  /** The bindings that callers may set; for a reverse kernel also those that only the kernel itself uses. */
  readonly known: readonly BindingInfo[]
  /** The name of the kernel; of a reverse kernel, that of the kernel that it reverses. */
  readonly source: string
  /** The shader parameters that callers may name. */
  readonly own: readonly Part[]
  readonly #uniformNames: ReadonlySet<string>
  readonly #prepare: (from: DispatchOptions) => Prepared<BufferData>

  /** `of` is the kernel that this one is the reverse of. */
  constructor(context: Context, entry: EntryReflection, of?: Signature) {
    const { bindings, parameters, prints } = context.wgsl.reflection
    this.context = context
    this.device = context.device
    this.name = entry.name
    this.entry = entry
    this.prints = prints
    this.bindings = bindingsOf(context.wgsl, entry)
    this.known = [...this.bindings, ...(of?.bindings ?? [])]
    this.source = of?.name ?? entry.name
    this.#uniformNames = new Set([
      ...parameters.flatMap(p => (p.field === null ? [] : [p.binding, p.field, p.path.join('_')])),
      ...bindings.filter(b => b.kind === 'uniform').map(b => b.name),
    ])
    const plain = new Parameters(this.source, parameters, entry.bindings)
    this.own = plain.own
    this.#prepare =
      context.parts.tensors?.preparing(this) ??
      (from => plain.named<BufferData>(from, message => refuse('WrongTensor', message)))
  }

  /** Whether a binding is the buffer that the kernel prints into, which callers do not bind. */
  isPrinted(info: BindingInfo): boolean {
    return info.name === this.prints?.binding
  }

  /** Throws for options that a call does not take. */
  checkOptions(call: string, options: unknown, ...more: readonly string[]): void {
    refuseOptions(`${call} of ${this.source} takes no`, options, [...dispatchOptions, ...more])
  }

  /** Maps tensors to buffers and uniforms. Throws a `GpuError` for names that there are not. */
  prepare(from: DispatchOptions): Given {
    const prepared = this.#prepare(from)
    const given = { ...from, ...prepared, uniforms: prepared.uniforms as Readonly<Record<string, Plain>> }
    for (const role of Object.keys(roles) as (keyof typeof roles)[]) {
      const names = (): Iterable<string> =>
        role === 'uniforms' ? this.#uniformNames : this.known.filter(b => this.#roleOf(b) === role).map(b => b.name)
      const unused = (): string[] => this.#unused(role)
      refuseIf(roles[role], unknownName(given[role], names, `${this.name} uses no ${role.slice(0, -1)}`, unused))
    }
    return given
  }

  /**
   * Names of resources that the source declares and this kernel does not need: another kernel does, or only code without effect reads them. Of
   * what no kernel needs, nothing says whether it is a buffer or a texture.
   */
  #unused(role: keyof typeof roles): string[] {
    const { bindings, parameters } = this.context.wgsl.reflection
    const needed = new Map(bindings.map(b => [b.name, this.#roleOf(b)]))
    return parameters
      .filter(p => p.field === null && (!needed.has(p.binding) || needed.get(p.binding) === role))
      .flatMap(p => [p.binding, p.path.join('_')])
  }

  #roleOf(info: BindingInfo): keyof typeof roles | undefined {
    if (info.kind === 'uniform') return 'uniforms'
    if (info.handle === null) return this.isPrinted(info) ? undefined : 'buffers'
    return info.kind === 'sampler' ? 'samplers' : 'textures'
  }

  /** The numbers of groups as they are now, whatever the caller does with its list. Throws a `GpuError` for those that cannot be. */
  checkGroups(groups: Groups): Groups {
    const most = this.device.mostGroups
    // A copy, whose holes are undefined.
    const came: unknown = Array.isArray(groups) ? [...groups] : groups
    const isList = Array.isArray(came) && came.length === 3
    if (isList && came.every(n => isCount(n, most))) return came as unknown as Groups
    const mistake =
      isList && came.every(n => isCount(n))
        ? `, and the device allows ${most} along each dimension`
        : ': give three whole numbers from 0 on'
    const text = Array.isArray(came) ? came.map(shown).join(' × ') : shown(came)
    return refuse('WrongGroups', `${this.name}: the number of groups is ${text}${mistake}`)
  }
}

/** The bindings that an entry point uses. */
export function bindingsOf({ reflection }: Wgsl, entry: EntryReflection): readonly BindingInfo[] {
  return reflection.bindings.filter(b => entry.bindings.includes(b.name))
}
