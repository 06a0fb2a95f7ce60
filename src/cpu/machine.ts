/** A WebAssembly instance in the memory of its program: functions by plain values, kernels over buffers. */
import type { DataType, RunLimits, WasmFunction, WasmInterface, WasmKernel, WasmUniform } from '../index.ts'
import { ArityError, BufferError, NameError, TrapError } from './errors.ts'
import { formatPrint } from '../host/format.ts'
import { unknownName, withArticle } from '../host/given.ts'
import { flattener, gatherer, reader, typeName, writer, type Gather, type Read, type Scalar } from './marshal.ts'
import { Crew, type Dispatch } from './crew.ts'
import { runAsync, runNow } from './dispatch.ts'
import { groupsNow, type Groups } from './groups.ts'
import type { CompiledModule } from './job.ts'
import { align, ProgramMemory } from './memory.ts'
import {
  bufferText,
  copyBack,
  copyIn,
  elementsOf,
  refuseShared,
  sizeOf,
  withEmpty,
  type BufferData,
  type Upload,
} from './upload.ts'
import { put } from '../host/record.ts'
import { shown } from '../host/texture.ts'

/** The result of a call, and its `out` and `inout` parameters by name. */
export interface CallResult {
  /** Undefined for a function without a result. */
  readonly result: unknown
  /** Empty for a function without such parameters. */
  readonly out: Readonly<Record<string, unknown>>
}

/** Resources by name. The fields of `globalParams` may be given by their own names. */
export interface Resources {
  readonly buffers?: Readonly<Record<string, BufferData>> | undefined
  /** Numbers, lists, and objects by the names of fields, as arguments of functions are. */
  readonly uniforms?: Readonly<Record<string, unknown>> | undefined
}

/** The same with what errors call the buffers whose names callers do not know. */
interface Named extends Resources {
  readonly names?: ReadonlyMap<string, string>
}

/** All workgroups of a kernel. */
export interface Launch {
  readonly kernel: string
  readonly groups: Groups
  readonly resources: Resources
}

/** Prints to the console, which ends each line by itself. */
export function printed(text: string): void {
  console.log(text.replace(/\n$/, ''))
}

/** How a program runs on the CPU. */
export interface MachineOptions {
  /** Takes what `printf` prints; default: the console. */
  readonly print?: ((text: string) => void) | undefined
  /**
   * Limits on one call or dispatch, for programs that nobody trusts. If one is exceeded, a `TrapError` names the loop or function.
   * A limit that is absent costs nothing.
   */
  readonly limits?: RunLimits | undefined
  /** How many threads of a kernel run at once: 4, by vectors, where that can be, or 1. By default the compiler estimates for each kernel which takes less time. */
  readonly lanes?: 1 | 4 | undefined
}

type Callable = (...args: Scalar[]) => unknown

/** A running module. */
export class Machine {
  readonly host: WasmInterface
  readonly memory: ProgramMemory
  /** Where the instance's own region of memory begins. */
  readonly #base: number
  /** Its instances in other threads; undefined where it runs on one. */
  readonly #crew: Crew | undefined
  #exports: WebAssembly.Exports
  readonly #functions = new Map<string, (args: readonly unknown[]) => CallResult>()
  readonly #kernels = new Map<string, WasmKernel>()
  #bound: Resources = {}

  /** An instance of a compiled module, in a memory of its own or in the one that it shares with other machines of the program. */
  constructor(
    module: CompiledModule,
    host: WasmInterface,
    options: MachineOptions = {},
    memory: ProgramMemory = new ProgramMemory(host.limits?.bytes),
  ) {
    this.host = host
    this.memory = memory
    this.#crew = memory.team === undefined ? undefined : Crew.of(memory, memory.team, module, host)
    const { turn } = memory
    const { print = printed } = options
    this.#base = memory.region(host.heap)
    this.#exports = new WebAssembly.Instance(module, {
      host: {
        memory: memory.linear,
        base: this.#base,
        print: (id: number) => turn.print(print, this.#printed(id)),
        trap: (id: number) => {
          throw this.#trap(id, this.#base)
        },
      },
    }).exports
    memory.onClose(() => {
      this.#exports = {}
    })
    for (const f of host.functions) this.#functions.set(f.name, this.#caller(f))
    for (const k of host.kernels) this.#kernels.set(k.name, k)
  }

  /** Calls a function with one value per `in` or `inout` parameter. */
  call(name: string, args: readonly unknown[]): CallResult {
    const f = this.#functions.get(name)
    if (f === undefined)
      throw new NameError(`there is no function ${String(name)}; there ${are(this.host.functions.map(x => x.name))}`)
    return f(args)
  }

  /** The function by name, ready to be called many times; undefined where there is none. */
  find(name: string): ((args: readonly unknown[]) => CallResult) | undefined {
    return this.#functions.get(name)
  }

  /** Sets the resources that functions (not kernels) read and write; each call writes back what it changed. */
  bind(resources: Resources): void {
    for (const buffer of this.host.buffers) {
      const data = resources.buffers?.[buffer.name]
      if (data !== undefined) sizeOf(buffer, data, this.memory.partOf(buffer.name, data))
    }
    this.#bound = resources
  }

  /** Throws if the program has no buffer or uniform of a given name. `owner` names in errors what was called. */
  refuseUnknown(owner: string, { buffers, uniforms }: Resources): void {
    const parts = this.host.parameters
    // What the source declares and no code needs: nothing says whether it is a buffer or a block of uniforms.
    const unused = (): string[] => parts.filter(p => p.field === null).flatMap(p => [p.binding, p.path.join('_')])
    const wrong =
      unknownName(buffers, () => this.host.buffers.map(b => b.name), `${owner} has no buffer`, unused) ??
      unknownName(
        uniforms,
        () => [
          ...this.host.uniforms.flatMap(u => [
            u.name,
            ...(u.type.kind === 'struct' ? u.type.fields.map(f => f.name) : []),
          ]),
          ...parts.flatMap(p => (p.field === null ? [] : [p.binding, p.field, p.path.join('_')])),
        ],
        `${owner} has no uniform`,
        unused,
      )
    if (wrong !== undefined) throw new BufferError(wrong)
  }

  /** Fills the counters of what is bounded. */
  #beginLimits(): void {
    const { limits } = this.host
    if (limits === null) return
    const view = this.#region()
    const { cells, trips = 0, depth = 0 } = limits
    view.setUint32(cells.trips, trips, true)
    view.setUint32(cells.depth, depth, true)
    view.setUint32(cells.where, 0, true)
  }

  /** What a failed check of the instance says whose region begins at `base`. */
  #trap(id: number, base: number): TrapError {
    const text = this.host.traps[id]!
    // Other limits name the loop or function themselves.
    return new TrapError(text.startsWith('out of memory') ? this.#whereBytesEnd(base) + text : text)
  }

  /** Names the loop that began a trip last, when the limit on memory was exceeded. */
  #whereBytesEnd(base: number): string {
    const { limits } = this.host
    if (limits?.bytes === undefined) return ''
    const loop = limits.loops[this.#region(base).getUint32(limits.cells.where, true) - 1]
    return loop === undefined ? '' : `${loop}: `
  }

  // ── Functions ────────────────────────────────────────────────────────────────────────────────────────────────

  #caller(f: WasmFunction): (args: readonly unknown[]) => CallResult {
    const ins = f.params
      .map((p, i) => ({ ...p, flat: f.flat[i]!, flatten: flattener(p.type), write: writer(p.type) }))
      .filter(p => p.dir !== 'out')
    const outs: {
      readonly name: string
      readonly type: DataType
      readonly flat: boolean
      readonly gather: Gather
      readonly read: Read
    }[] = []
    if (f.result.kind !== 'void')
      outs.push({ name: '', type: f.result, flat: f.resultFlat, gather: gatherer(f.result), read: reader(f.result) })
    f.params.forEach((p, i) => {
      if (p.dir !== 'in')
        outs.push({ name: p.name, type: p.type, flat: f.outFlat[i]!, gather: gatherer(p.type), read: reader(p.type) })
    })
    const names = ins.map(p => `${p.name}: ${typeName(p.type)}`)
    const scratch = [...ins, ...outs].filter(p => !p.flat).reduce((sum, p) => sum + align(p.type.size), 0)
    const usesResources = f.buffers.length + f.uniforms.length > 0
    const call = (args: readonly unknown[]): CallResult => {
      const scalars: Scalar[] = []
      let at = this.memory.top
      if (scratch > 0) this.memory.reserve(at + scratch)
      const view = scratch > 0 ? new DataView(this.memory.buffer) : noView
      for (let i = 0; i < ins.length; i++) {
        const p = ins[i]!
        if (p.flat) {
          p.flatten(args[i], scalars, p.name)
        } else {
          p.write(view, at, args[i], p.name)
          scalars.push(at)
          at += align(p.type.size)
        }
      }
      const places: number[] = []
      for (const p of outs) {
        if (p.flat) continue
        places.push(at)
        scalars.push(at)
        at += align(p.type.size)
      }
      this.#top = at
      const back = usesResources ? this.#uploadBound(f, at) : undefined
      this.#placeTape()
      this.#beginLimits()
      const run = this.#exports[f.name] as Callable
      const raw = this.memory.turn.guarded(f.name, () => run(...scalars))
      if (back !== undefined) this.#download(back)
      const list = (Array.isArray(raw) ? raw : [raw]) as Scalar[]
      const cursor = { next: 0 }
      let place = 0
      let result: unknown
      const out = Object.create(null) as Record<string, unknown>
      const after = places.length > 0 ? new DataView(this.memory.buffer) : noView
      for (const p of outs) {
        const value = p.flat ? p.gather(list, cursor) : p.read(after, places[place++]!)
        if (p.name === '') result = value
        else put(out, p.name, value)
      }
      return { result, out }
    }
    return args => {
      if (args.length !== ins.length) throw new ArityError(f.name, names, args.length)
      this.memory.turn.begin(f.name)
      try {
        return call(args)
      } finally {
        this.memory.turn.end()
      }
    }
  }

  /** Copies what a function uses. Buffers that nobody has bound are empty, and uniforms are zeros where none are bound. */
  #uploadBound({ buffers, uniforms }: WasmFunction, at: number): Upload[] {
    const given = withEmpty(this.host.buffers, this.#bound.buffers)
    const hasUniforms = Object.keys(this.#bound.uniforms ?? {}).length > 0
    const region = new Uint8Array(this.memory.buffer, this.#base)
    if (!hasUniforms)
      for (const u of this.host.uniforms) if (uniforms.includes(u.name)) region.fill(0, u.at, u.at + u.type.size)
    return this.#upload({ buffers, uniforms: hasUniforms ? uniforms : [] }, { ...this.#bound, buffers: given }, at)
  }

  // ── Kernels ──────────────────────────────────────────────────────────────────────────────────────────────────

  /** The description of a kernel. */
  kernel(name: string): WasmKernel {
    const kernel = this.#kernels.get(name)
    if (kernel === undefined)
      throw new NameError(
        `there is no kernel ${typeof name === 'string' ? name : shown(name)}; there ${are([...this.#kernels.keys()])}`,
      )
    return kernel
  }

  /** Runs workgroups `from` up to `to` (default all) of a kernel. It does not read the `foreign` fields of uniforms. */
  dispatch(
    name: string,
    groups: Groups,
    resources: Resources,
    from = 0,
    end?: number,
    foreign: ReadonlySet<string> = none,
  ): void {
    const [kernel, counts] = this.#begin(name, groups)
    try {
      this.#run(kernel, counts, resources, from, end, foreign)
    } finally {
      this.memory.turn.end()
    }
  }

  /** Runs all workgroups of a kernel, and does not wait. The arrays of `resources` are read now, and written when the promise resolves. */
  async dispatchAsync(
    name: string,
    groups: Groups,
    resources: Resources,
    foreign: ReadonlySet<string> = none,
  ): Promise<void> {
    const [kernel, counts] = this.#begin(name, groups)
    try {
      await this.#runAsync(kernel, counts, resources, foreign)
    } finally {
      this.memory.turn.end()
    }
  }

  /** Runs a kernel for a caller that has the lock. `called` names in errors what the caller was asked for. */
  launch({ kernel, groups, resources }: Launch, called: string): void {
    this.#run(...this.#checked(kernel, groups), resources, 0, undefined, none, called)
  }

  /** The same without waiting. */
  async launchAsync({ kernel, groups, resources }: Launch, called: string): Promise<void> {
    await this.#runAsync(...this.#checked(kernel, groups), resources, none, called)
  }

  #run(
    kernel: WasmKernel,
    groups: Groups,
    resources: Resources,
    from: number,
    end: number | undefined,
    foreign: ReadonlySet<string>,
    called = kernel.name,
  ): void {
    const [dispatch, crew, back] = this.#place(kernel, groups, resources, from, end, foreign)
    this.memory.turn.guarded(called, () => runNow(dispatch, crew))
    this.#download(back)
  }

  async #runAsync(
    kernel: WasmKernel,
    groups: Groups,
    resources: Resources,
    foreign: ReadonlySet<string>,
    called = kernel.name,
  ): Promise<void> {
    const [dispatch, crew, back] = this.#place(kernel, groups, resources, 0, undefined, foreign)
    await this.memory.turn.guardedAsync(called, () => runAsync(dispatch, crew))
    this.#download(back)
  }

  /** Takes the lock for a kernel. */
  #begin(name: string, groups: Groups): [WasmKernel, Groups] {
    const checked = this.#checked(name, groups)
    this.memory.turn.begin(name)
    return checked
  }

  /** The kernel, which may run so many workgroups, and their numbers. */
  #checked(name: string, groups: Groups): [WasmKernel, Groups] {
    const kernel = this.kernel(name)
    const counts = groupsNow(name, groups)
    const all = counts[0] * counts[1] * counts[2]
    const most = this.host.limits?.groups
    if (most !== undefined && all > most)
      throw new TrapError(`${name} is to run ${all} workgroups, and limits.groups allows ${most}`)
    return [kernel, counts]
  }

  /** Copies what a dispatch needs into memory. Also gives the threads that may help, and what has to be copied back. */
  #place(
    kernel: WasmKernel,
    groups: Groups,
    resources: Resources,
    from: number,
    end: number | undefined,
    foreign: ReadonlySet<string>,
  ): [Dispatch, Crew | undefined, Upload[]] {
    const { name } = kernel
    const to = end ?? groups[0] * groups[1] * groups[2]
    const crew = to - from > 1 ? this.#crew : undefined
    crew?.assemble()
    const back = this.#upload(kernel, resources, this.memory.top, foreign)
    this.#placeTape()
    this.#beginLimits()
    const run = this.#exports[name] as Callable
    const dispatch = {
      kernel: name,
      groups,
      from,
      to,
      least: kernel.lanes.count === 4 && kernel.numthreads.every(n => n === 1) ? 4 : 1,
      run: (first: number, last: number) => void run(groups[0], groups[1], groups[2], first, last),
      base: this.#base,
      top: this.#top,
      globals: () =>
        Object.entries(this.#exports).flatMap(([key, global]) =>
          global instanceof WebAssembly.Global ? [[key, global.value as number] as const] : [],
        ),
      trap: (id: number, base: number) => this.#trap(id, base),
    }
    return [dispatch, crew, back]
  }

  /** Where the buffers of a kernel lie, or will from `at` on, and the end of that. */
  #measure(
    bindings: readonly string[],
    { buffers: given = {}, names }: Named,
    at: number,
  ): { readonly uploads: Upload[]; readonly top: number } {
    const uploads: Upload[] = []
    const places = new Map<BufferData, number>()
    let top = align(at)
    for (const binding of bindings) {
      const name = names?.get(binding) ?? binding
      const buffer = { ...this.host.buffers.find(b => b.name === binding)!, name }
      const data = Object.hasOwn(given, binding) ? given[binding] : undefined
      if (data === undefined)
        throw new BufferError(
          `buffer ${name} is missing: expected ${bufferText(buffer)}; given ${are(Object.keys(given))}`,
        )
      const own = this.memory.partOf(name, data)
      const bytes = sizeOf(buffer, data, own)
      const inPlace = own !== undefined && bytes > 0
      const known = inPlace ? own.at : places.get(data)
      const place = known ?? top
      if (known === undefined) {
        places.set(data, place)
        // A buffer without elements still has one to read, so that clamped reads stay inside.
        top = align(top + Math.max(bytes, buffer.stride, buffer.elem.size))
      }
      uploads.push({ buffer, binding, data, at: place, bytes, inPlace })
    }
    refuseShared(uploads)
    return { uploads, top }
  }

  /** Copies resources into memory from `at` on; gives what has to be copied back. */
  #upload(
    kernel: Pick<WasmKernel, 'buffers' | 'uniforms'>,
    resources: Resources,
    at: number,
    foreign: ReadonlySet<string> = none,
  ): Upload[] {
    const { uploads, top } = this.#measure(kernel.buffers, resources, at)
    this.#top = top
    this.memory.reserve(top)
    const { buffer: memory } = this.memory
    for (const upload of uploads) {
      const { buffer, binding, at: place, bytes, inPlace } = upload
      const length = elementsOf(upload)
      if (!inPlace) copyIn(upload, memory, place)
      if (bytes === 0) new Uint8Array(memory, place, Math.max(buffer.stride, buffer.elem.size)).fill(0)
      this.#setGlobal(`${binding}.base`, place)
      this.#setGlobal(`${binding}.length`, length)
      this.#setGlobal(`${binding}.last`, Math.max(length - 1, 0))
    }
    const view = this.#region()
    for (const name of kernel.uniforms)
      this.#uniform(
        this.host.uniforms.find(u => u.name === name)!,
        resources.uniforms ?? {},
        view,
        foreign,
      )
    return uploads
  }

  /**
   * A copy of what a kernel reads of resources, which launches may write; `back` gives what they wrote to the resources. What lies in this
   * memory stays there, unless `all` is to be copied.
   */
  snapshot(
    { buffers, uniforms }: Pick<WasmKernel, 'buffers' | 'uniforms'>,
    resources: Resources,
    all: boolean,
  ): readonly [copy: Resources, back: () => void] {
    const { uploads } = this.#measure(buffers, resources, this.memory.top)
    const copy = { buffers: {} as Record<string, BufferData>, uniforms: {} as Record<string, unknown> }
    const copies = uploads.map(upload => {
      const { binding, data, at, bytes, inPlace } = upload
      const own = new Uint8Array(bytes)
      if (!inPlace) copyIn(upload, own.buffer, 0)
      else if (all) own.set(new Uint8Array(this.memory.buffer, at, bytes))
      put(copy.buffers, binding, inPlace && !all ? data : own)
      return own
    })
    for (const name of uniforms) {
      const uniform = this.host.uniforms.find(u => u.name === name)!
      const view = new DataView(new ArrayBuffer(uniform.type.size))
      this.#uniform({ ...uniform, at: 0 }, resources.uniforms ?? {}, view, none)
      put(copy.uniforms, name, reader(uniform.type)(view, 0))
    }
    return [copy, () => uploads.forEach((upload, i) => copyBack(upload, copies[i]!.buffer, 0))]
  }

  #uniform(
    uniform: WasmUniform,
    given: Readonly<Record<string, unknown>>,
    view: DataView,
    foreign: ReadonlySet<string>,
  ): void {
    const { type } = uniform
    if (Object.hasOwn(given, uniform.name)) {
      const value = given[uniform.name] as Readonly<Record<string, unknown>>
      // What the kernel does not read may be missing.
      const part =
        type.kind === 'struct' && typeof value === 'object' && value !== null
          ? { ...type, fields: type.fields.filter(f => Object.hasOwn(value, f.name) || !foreign.has(f.name)) }
          : type
      const write =
        part.kind === 'struct' && type.kind === 'struct' && part.fields.length < type.fields.length
          ? writer(part)
          : writer(type)
      write(view, uniform.at, value, uniform.name)
      return
    }
    if (type.kind !== 'struct')
      throw new BufferError(
        `uniform ${uniform.name} is missing: expected ${withArticle(typeName(type))}; given ${are(Object.keys(given))}`,
      )
    for (const field of type.fields) {
      if (!Object.hasOwn(given, field.name)) {
        if (foreign.has(field.name)) continue
        throw new BufferError(
          `uniform ${field.name} is missing: expected ${withArticle(typeName(field.type))}, alone or as a field of ${uniform.name}; given ${are(Object.keys(given))}`,
        )
      }
      writer(field.type)(view, uniform.at + field.offset, given[field.name], field.name)
    }
  }

  #download(uploads: readonly Upload[]): void {
    for (const upload of uploads) copyBack(upload, this.memory.buffer, upload.at)
  }

  #setGlobal(name: string, value: number): void {
    ;(this.#exports[name] as WebAssembly.Global).value = value
  }

  /** The end of the memory that the host uses. */
  #top = 0

  /** Places the lists behind the memory that the host uses. */
  #placeTape(): void {
    const { tapeAt } = this.host
    if (tapeAt === 0) return
    const view = this.#region()
    view.setUint32(tapeAt, align(this.#top), true)
    view.setUint32(tapeAt + 4, this.memory.tapeEnd, true)
  }

  /** The instance's own region, in which the addresses of its interface count; or that of one in another thread. */
  #region(base = this.#base): DataView {
    return new DataView(this.memory.buffer, base)
  }

  #printed(id: number): string {
    const { format, args } = this.host.prints[id]!
    const view = this.#region()
    const values = args.map((scalar, k) => {
      const at = this.host.printAt + 8 * k
      switch (scalar) {
        case 'f16':
        case 'f32':
        case 'f64':
          return view.getFloat64(at, true)
        case 'i64':
          return view.getBigInt64(at, true)
        case 'u64':
          return view.getBigUint64(at, true)
        case 'u32':
          return view.getUint32(at, true)
        default:
          return view.getInt32(at, true)
      }
    })
    return formatPrint(format, values)
  }
}

const none: ReadonlySet<string> = new Set()
const noView = new DataView(new ArrayBuffer(0))

function are(names: readonly string[]): string {
  return names.length === 0 ? 'are none' : names.length === 1 ? `is ${names[0]}` : `are ${names.join(', ')}`
}
