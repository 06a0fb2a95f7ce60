/**
 * Compiled programs on the CPU: exported functions as typed JavaScript functions with their derivatives, and compute entry
 * points as kernels over buffers, all through one WebAssembly instance. Runs wherever WebAssembly does.
 */
import type {
  BufferName,
  BufferView,
  DataType,
  EntryOf,
  KernelName,
  ExportedFunction,
  FunctionTypes,
  LoadableProgram,
  ProgramTypes,
  TypesOf,
  Unchecked,
  UnknownFunction,
  UnknownTypes,
  WasmOutput,
} from '../index.ts'
import { onesOf, zeroOf } from './constant.ts'
import { ArityError, NameError, ShapeError } from './errors.ts'
import { unknownName } from '../host/given.ts'
import { flattener } from './marshal.ts'
import { makeKernel, noteViews, withTextures, type Kernel } from './kernel.ts'
import type { Given, Tangent } from './call-types.ts'
import { OwnBuffers } from './buffers.ts'
import { Machine, printed, type CallResult, type MachineOptions, type Resources } from './machine.ts'
import { lanesHere } from './lanes.ts'
import { Maps } from './map.ts'
import type { MapOptions } from './map-arguments.ts'
import type { FunctionOf, MapArguments, MapOptionsOf, MapResult } from './map-types.ts'
import { ProgramMemory } from './memory.ts'
import { mostRegions } from './crew.ts'
import { obstacle, Team, usualThreads, type Threads } from './team.ts'
import type { TextureResources } from './texture.ts'
import { put } from '../host/record.ts'

export { ArityError, BufferError, BusyError, ClosedError, NameError, ShapeError, TrapError } from './errors.ts'
export { checkDerivatives, type CheckOptions, type CheckOutcome, type CheckReport, type Disagreement } from './check.ts'
export { Machine } from './machine.ts'
export type { SamplerData, TextureData, TextureResources } from './texture.ts'
export type { GradResources, Kernel, KernelResources, Tensor } from './kernel.ts'
export type { CallResult, MachineOptions, Resources } from './machine.ts'
export type { BufferData } from './upload.ts'
export type { MapOptions } from './map-arguments.ts'
export type { ColumnsOf, ListOf, MapArguments, MapOptionsOf, MapResult, NumberArray } from './map-types.ts'
export type { Threads } from './team.ts'

/** A value and its gradient. `grad` has one entry per argument, in the shape of its differential; null where it has none. */
export interface ValueAndGrad<Value = unknown, Grad = readonly unknown[]> {
  /** What the call gives. */
  readonly value: Value
  /** By argument. */
  readonly grad: Grad
}

/** A value and its directional derivative, both in the form in which a call gives its result. */
export interface ValueAndTangent<Value = unknown, Tangent = unknown> {
  readonly value: Value
  readonly tangent: Tangent
}

/** What weighs the outputs of a function; what is missing is zero. */
type Cotangent<F extends FunctionTypes> = F extends { readonly outTangent: infer O }
  ? { readonly result?: F['tangent']; readonly out?: Partial<O> }
  : F['tangent']

/** Gradients by parameter. */
type Gradients<F extends FunctionTypes> = F extends { readonly gradients: infer G } ? G : readonly unknown[]

/** A derivative by reverse mode, of functions that have one. */
type Backward<F extends FunctionTypes, M> = F extends { readonly differentiable: 'forward' } ? never : Forward<F, M>

/** A derivative, of functions that have one. */
type Forward<F extends FunctionTypes, M> = F extends { readonly gradients: readonly unknown[] } ? M : never

/** Tangents by parameter; null or undefined is zero. */
type Tangents<G> = { readonly [I in keyof G]: G[I] | null | undefined }

/**
 * An exported function. Arguments are the `in` and `inout` parameters in order: numbers, booleans, arrays or typed arrays
 * for vectors and arrays, arrays of rows for matrices, objects for structs. It gives its result; a function with `out` or
 * `inout` parameters gives `{ result, out }`, `out` by name. Throws `ArityError` and `ShapeError`.
 */
export interface CpuFunction<F extends FunctionTypes = UnknownFunction> {
  (...args: F['params']): Given<F>
  /** Names, directions and types of the parameters, and what has a derivative. */
  readonly signature: ExportedFunction
  /** The same call, always as `{ result, out }`. */
  readonly run: (...args: F['params']) => {
    readonly result: F['result']
    readonly out: F extends { readonly out: infer O } ? O : Readonly<Record<string, unknown>>
  }
  /** The value and the gradient of the result (of the sum of its components where it has several). Reverse mode. */
  readonly valueAndGrad: Backward<F, (...args: F['params']) => ValueAndGrad<Given<F>, Gradients<F>>>
  /** The derivative along `tangents`: one per argument, in the shape of its differential; null or undefined for zero. Forward mode. */
  readonly jvp: Forward<
    F,
    (primals: Readonly<F['params']>, tangents: Tangents<Gradients<F>>) => ValueAndTangent<Given<F>, Tangent<F>>
  >
  /**
   * The gradient of the inner product of the result with `cotangent`, one entry per argument. For a function with `out` or
   * `inout` parameters the cotangent is `{ result, out }`; what is missing is zero. Reverse mode.
   */
  readonly vjp: Backward<F, (primals: Readonly<F['params']>, cotangent: Cotangent<F>) => Gradients<F>>
}

/** The exported functions by name: typed where their types are known. */
type Functions<F> = unknown extends F
  ? Unchecked
  : { readonly [N in keyof F]: F[N] extends FunctionTypes ? CpuFunction<F[N]> : never }

/** A loaded program. */
export interface CpuModule<T extends ProgramTypes = UnknownTypes> {
  /** The exported functions by name. */
  readonly fn: Functions<T['functions']>
  /** A compute entry point by name. Throws `NameError` where there is none. */
  readonly kernel: <N extends KernelName<T>>(name: N) => Kernel<EntryOf<T, N>>
  /** Sets the buffers and uniforms that the exported functions read and write, and the textures that they read. */
  readonly bind: (resources: Resources & TextureResources) => void
  /**
   * A buffer in the module's own memory, as a typed array: what you give for it to `dispatch`, `grad` or `bind` is not copied. The name is
   * one of reflection, or a tensor's. The first call says how many elements it has, which are zeros; later ones give the same numbers.
   * Any call may let memory grow. Where one thread has it, a view from before then has length 0, and `buffer(name)` gives a new one. Throws `NameError`,
   * `ShapeError`, and `BufferError` where the buffer has another size or memory is out.
   */
  readonly buffer: <N extends BufferName<T>>(name: N, n?: number) => BufferView<T, N>
  /**
   * Calls an exported function for each element of arrays, as a kernel. Arguments are given by name: each is one value, which is the same for
   * all elements, or a list with a value for each: a typed array of all components, an array of values, or of structs an object with a list
   * for each field. It gives typed arrays, of structs by fields. With `derivative: 'valueAndGrad'` it gives `{ value, grad }`, `grad` by
   * name: for a list a list, in its form; for one value the sum over all elements, in blocks of 64 elements and each in order, whatever threads
   * run. With `derivative: 'jvp'` it gives `{ value, tangent }`. Throws `NameError`, `ShapeError`, `BufferError` where the function uses a
   * buffer that is not bound, and `TrapError` with the element where it stops.
   */
  readonly map: <
    N extends keyof T['functions'] & string,
    const A extends MapArguments<FunctionOf<T, N>>,
    const D extends MapOptions['derivative'] = undefined,
  >(
    name: N,
    args: A,
    options?: MapOptionsOf<FunctionOf<T, N>, D>,
  ) => MapResult<FunctionOf<T, N>, A, D>
  /**
   * The same without waiting, as `dispatchAsync` of a kernel. Arguments and what is bound are read at once, and what is bound is written just
   * before the promise resolves.
   */
  readonly mapAsync: <
    N extends keyof T['functions'] & string,
    const A extends MapArguments<FunctionOf<T, N>>,
    const D extends MapOptions['derivative'] = undefined,
  >(
    name: N,
    args: A,
    options?: MapOptionsOf<FunctionOf<T, N>, D>,
  ) => Promise<MapResult<FunctionOf<T, N>, A, D>>
  /** How many threads run kernels, and why not as many as were asked for. */
  readonly threads: Threads
  /** Gives the memory back, and detaches all views of it (not of memory that threads share). Each later call throws `ClosedError`; closing twice does nothing. */
  readonly close: () => void
}

/** More than cores of any machine; each takes some megabytes. */
const maxThreads = 256

/** How a program is loaded. */
export interface LoadOptions extends MachineOptions {
  /**
   * How many threads share the workgroups of a dispatch, 256 at most; 1 has none beside the one that calls. Default: of a program with
   * kernels and without `limits`, all cores of Node, Bun and Deno, whose workers are started once enough work for them has been seen; else 1.
   * If you give a number, `load` resolves when the workers are ready, and throws where they cannot be started. Numbers depend on threads only where
   * workgroups depend on their order: sums by atomic additions of floats, what atomic operations return, and elements that several of
   * them write. A module that prints, or counts trips, runs on one. `close` lets go of the workers, which end with the last program.
   */
  readonly threads?: number | undefined
}

/**
 * Instantiates a program. Throws the program's `CompileError` where it has errors. With the type of an imported shader, functions
 * and kernels are typed: `load<typeof program>(cpu)`.
 *
 * ```ts
 * const m = await load(compile('[Differentiable] public float square(float x) { return x * x; }'))
 * m.fn.square.valueAndGrad(3)    // { value: 9, grad: [6] }
 * ```
 */
export async function load<E = unknown>(
  program: LoadableProgram,
  options: LoadOptions = {},
): Promise<CpuModule<TypesOf<E>>> {
  checkLoad(program, options, ['threads'])
  const { threads: asked, ...machineOptions } = options
  if (asked !== undefined && (!Number.isInteger(asked) || asked < 1 || asked > maxThreads))
    throw new ShapeError('threads', `a whole number from 1 to ${maxThreads}`, asked)
  const wanted = asked ?? (sharesByItself(program, options) ? Math.min(usualThreads(), maxThreads) : 1)
  const counts = options.limits?.trips !== undefined
  const missing = wanted === 1 ? undefined : counts ? 'one counter counts the trips of limits.trips' : obstacle()
  const output = program.wasm({
    derivatives: false,
    limits: options.limits,
    lanes: lanesHere(options.lanes),
    shared: wanted > 1 && missing === undefined,
  })
  const { host } = output
  const fit = Math.max(1, Math.floor(mostRegions / host.heap))
  const count = host.shared && host.prints.length === 0 ? Math.min(wanted, fit) : 1
  const reason =
    count === wanted
      ? undefined
      : (missing ??
        (host.prints.length > 0
          ? 'the lines of printf come in the order of workgroups'
          : host.shared
            ? `each thread has ${host.heap} bytes of variables`
            : 'the program was compiled for one thread'))
  const memory = new ProgramMemory(host.limits?.bytes, host.shared)
  const module = await WebAssembly.compile(output.bytes)
  if (count > 1) memory.team = new Team(count, memory.linear)
  try {
    if (asked !== undefined) await memory.team?.start()
    const machine = new Machine(module, host, machineOptions, memory)
    return assemble(program, output, machine, machineOptions, { count, reason })
  } catch (cause) {
    // Its threads would be nobody's.
    memory.close()
    throw cause
  }
}

/** Whether a program that is loaded without `threads` has more than one: it has kernels, and nobody bounds its memory. */
function sharesByItself({ entries }: LoadableProgram, { limits }: LoadOptions): boolean {
  return limits === undefined && entries !== undefined && entries.some(e => e.stage === 'compute')
}

/**
 * Instantiates a program synchronously. Some browsers do not compile large modules so on their main thread. Throws as `load` does.
 */
export function loadSync<E = unknown>(program: LoadableProgram, options: MachineOptions = {}): CpuModule<TypesOf<E>> {
  checkLoad(program, options, [])
  const output = program.wasm({ derivatives: false, limits: options.limits, lanes: lanesHere(options.lanes) })
  return assemble(program, output, machineOf(output, options), options, { count: 1, reason: undefined })
}

function checkLoad(program: LoadableProgram, options: MachineOptions, more: readonly string[]): void {
  if (typeof (program as Partial<LoadableProgram> | null | undefined)?.wasm !== 'function')
    throw new ShapeError('load', 'a program that compile made', program)
  const wrong = unknownName(options, () => ['print', 'limits', 'lanes', ...more], 'load takes no option')
  if (wrong !== undefined) throw new NameError(wrong)
  const { print } = options as { readonly print?: unknown }
  if (print !== undefined && typeof print !== 'function') throw new ShapeError('print', 'a function', print)
}

/** A module with what a host must know of it. */
type Output = Pick<WasmOutput, 'bytes' | 'host'>

function machineOf(output: Output, options: MachineOptions, memory?: ProgramMemory): Machine {
  return new Machine(new WebAssembly.Module(output.bytes), output.host, options, memory)
}

function assemble<T extends ProgramTypes>(
  program: LoadableProgram,
  whole: Output,
  machine: Machine,
  options: MachineOptions,
  threads: Threads,
): CpuModule<T> {
  const { memory } = machine
  const emitting = { limits: options.limits, shared: whole.host.shared === true, lanes: lanesHere(options.lanes) }
  const derivatives = new Map<string, Machine>()
  let bound: Resources = {}
  // Each machine takes memory for good when it is made.
  const differentiated = (name: string): Machine => {
    let made = derivatives.get(name)
    if (made === undefined) {
      memory.turn.check(name)
      const output = program.wasm({ derivativesOf: name, ...emitting })
      // A build puts functions and derivatives into one module.
      made = output === whole ? machine : machineOf(output, options, memory)
      made.bind(bound)
      derivatives.set(name, made)
    }
    return made
  }
  const reverses = new Map<string, Machine>()
  const reversed = (name: string): Machine => {
    let made = reverses.get(name)
    if (made === undefined) {
      memory.turn.check(name)
      made = machineOf(program.wasm({ reverseOf: name, ...emitting }), options, memory)
      reverses.set(name, made)
    }
    return made
  }
  const backward = (name: string): boolean =>
    program.functions.find(f => f.name === name)?.differentiable === 'backward'
  function* derived(): Iterable<Machine> {
    for (const { name, differentiable } of program.exports)
      if (differentiable !== 'none' && machine.find(name) !== undefined) yield differentiated(name)
    for (const { name } of machine.host.kernels) if (backward(name)) yield reversed(name)
  }
  const buffers = new OwnBuffers(machine, derived)
  const { print = printed } = options
  const maps = new Maps({
    program,
    machine,
    output: map => program.wasm({ map, ...emitting }),
    made: (output, isQuiet) =>
      machineOf(output, { ...options, print: text => (isQuiet() ? undefined : print(text)) }, memory),
    bound: () => bound,
  })
  // Functions may be called what every object has: constructor, toString, __proto__.
  const fn = Object.create(null) as Record<string, unknown>
  for (const signature of program.exports) {
    if (machine.find(signature.name) !== undefined)
      put(
        fn,
        signature.name,
        makeFunction(machine, () => differentiated(signature.name), signature),
      )
  }
  return {
    fn: fn as Functions<T['functions']>,
    kernel: name => makeKernel(machine, name, () => (backward(name) ? reversed(name) : undefined)),
    bind: resources => {
      const wrong = unknownName(resources, () => ['buffers', 'uniforms', 'textures', 'samplers'], 'bind takes no')
      if (wrong !== undefined || resources === undefined)
        throw new NameError(wrong ?? 'bind takes an object: { buffers, uniforms, textures, samplers }')
      noteViews(machine, resources)
      const given =
        resources.textures === undefined && resources.samplers === undefined
          ? resources
          : withTextures(machine, resources)
      machine.refuseUnknown('the program', given)
      machine.bind(given)
      bound = given
      for (const m of derivatives.values()) m.bind(bound)
    },
    get threads() {
      return memory.team?.threads(threads.reason) ?? threads
    },
    map: (name, args, options) => maps.run(name, args, options) as Unchecked,
    mapAsync: (name, args, options) => maps.runAsync(name, args, options) as Promise<Unchecked>,
    buffer: (name, n) => buffers.view(name, n) as BufferView<T, typeof name>,
    close: () => memory.close(),
  }
}

function makeFunction(machine: Machine, differentiated: () => Machine, signature: ExportedFunction): CpuFunction {
  const call = machine.find(signature.name)!
  const plain = signature.params.every(p => p.dir === 'in')
  const form = ({ result, out }: CallResult): unknown => (plain ? result : { result, out })
  const run = (...args: readonly unknown[]): CallResult => call(args)
  const direct = plain
    ? (...args: readonly unknown[]): unknown => call(args).result
    : (...args: readonly unknown[]): unknown => form(call(args))
  let planned: Reverse | undefined
  const plan = (): Reverse => (planned ??= reverseOf(differentiated(), signature))
  const vjp = (primals: readonly unknown[], cotangent: unknown): readonly unknown[] =>
    reverse(
      plan(),
      signature.name,
      primals,
      plain ? { result: cotangent ?? null, out: {} } : cotangents(signature, cotangent),
      { result: 'zero', out: 'zero' },
    )
  // The value is the result, or where there is none all outputs.
  const ones = { result: 'one', out: signature.result.kind === 'void' ? 'one' : 'zero' } as const
  return Object.assign(direct, {
    signature,
    run,
    vjp,
    valueAndGrad: (...args: readonly unknown[]): ValueAndGrad => {
      const value = call(args)
      return { value: form(value), grad: reverse(plan(), signature.name, args, {}, ones) }
    },
    jvp: (primals: readonly unknown[], tangents: readonly unknown[]): ValueAndTangent => {
      const both = forward(differentiated(), signature, primals, tangents)
      return { value: form(both.value), tangent: form(both.tangent) }
    },
  })
}

/** The cotangents of a function with `out` parameters. Unknown names are errors; missing ones count as zero. */
function cotangents({ name, params, result }: ExportedFunction, given: unknown): Partial<CallResult> {
  const outs = params.filter(p => p.dir !== 'in').map(p => p.name)
  if (typeof given !== 'object' || given === null)
    throw new ShapeError(
      `cotangent of ${name}`,
      `an object with ${result.kind === 'void' ? '' : 'result and '}out, whose fields are ${outs.join(', ')},`,
      given,
    )
  const { out } = given as Partial<CallResult>
  const wrong =
    unknownName(
      given,
      () => (result.kind === 'void' ? ['out'] : ['result', 'out']),
      `the cotangent of ${name} has no`,
    ) ?? unknownName(out, () => outs, `${name} has no output`)
  if (wrong !== undefined) throw new NameError(wrong)
  return given
}

// ── Derivatives ──────────────────────────────────────────────────────────────────────────────────────────────────

interface Pair {
  readonly p: unknown
  readonly d: unknown
}

/** The halves of a `DifferentialPair`; undefined for other types. */
function halves(type: DataType): { readonly p: DataType; readonly d: DataType } | undefined {
  if (type.kind !== 'struct') return undefined
  const [p, d] = [type.fields.find(f => f.name === 'p'), type.fields.find(f => f.name === 'd')]
  return p === undefined || d === undefined || type.fields.length !== 2 ? undefined : { p: p.type, d: d.type }
}

function derivative(
  machine: Machine,
  signature: ExportedFunction,
  mode: 'fwd_diff' | 'bwd_diff',
): {
  readonly call: (args: readonly unknown[]) => CallResult
  readonly types: Map<string, DataType>
  readonly result: DataType
} {
  const name = `${mode}(${signature.name})`
  const call = machine.find(name)
  const host = machine.host.functions.find(f => f.name === name)
  if (call === undefined || host === undefined) {
    const need =
      signature.differentiable === 'none'
        ? 'mark it [Differentiable]'
        : mode === 'bwd_diff'
          ? 'it has forward derivatives only'
          : 'compile it to see why'
    throw new NameError(`${signature.name} has no ${mode === 'bwd_diff' ? 'reverse' : 'forward'} derivative: ${need}`)
  }
  return { call, types: new Map(host.params.map(p => [p.name, p.type])), result: host.result }
}

function inputsOf(signature: ExportedFunction): Reverse['inputs'] {
  return signature.params.filter(p => p.dir !== 'out')
}

/** How an argument of `bwd_diff` is made. */
type Slot =
  | { readonly kind: 'primal'; readonly from: number }
  /** A pair whose derivative is only written. */
  | { readonly kind: 'in'; readonly from: number; readonly zero: unknown }
  /** A pair that brings the cotangent of the output of that name. */
  | { readonly kind: 'inout'; readonly from: number; readonly name: string; readonly type: DataType }
  | { readonly kind: 'out'; readonly name: string; readonly type: DataType }
  | { readonly kind: 'result'; readonly type: DataType }

interface Reverse {
  readonly call: (args: readonly unknown[]) => CallResult
  readonly inputs: readonly ExportedFunction['params'][number][]
  readonly slots: readonly Slot[]
}

function reverseOf(machine: Machine, signature: ExportedFunction): Reverse {
  const { call, types } = derivative(machine, signature, 'bwd_diff')
  const slots: Slot[] = []
  let from = 0
  signature.params.forEach((p, i) => {
    const type = types.get(p.name)
    const at = p.dir === 'out' ? -1 : from++
    if (type === undefined) return
    const pair = signature.noDiff[i] ? undefined : halves(type)
    if (p.dir === 'out') slots.push({ kind: 'out', name: p.name, type })
    else if (pair === undefined) slots.push({ kind: 'primal', from: at })
    else if (p.dir === 'in') slots.push({ kind: 'in', from: at, zero: zeroOf(pair.d) })
    else slots.push({ kind: 'inout', from: at, name: p.name, type: pair.d })
  })
  const own = new Set(signature.params.map(p => p.name))
  const last = [...types].filter(([name]) => !own.has(name)).pop()
  if (last !== undefined) slots.push({ kind: 'result', type: last[1] })
  return { call, inputs: inputsOf(signature), slots }
}

/** What a caller gave for a parameter of a derivative, or for one half of it. */
interface Part {
  readonly where: string
  readonly type: DataType
  readonly value: unknown
}

/** The value, of which it notes what the caller calls it. */
function part(parts: Part[], where: string, type: DataType, value: unknown): unknown {
  parts.push({ where, type, value })
  return value
}

/** Calls a derivative. Where something does not fit it, an error says what the caller calls that. */
function named(call: Reverse['call'], args: readonly unknown[], parts: readonly Part[]): CallResult {
  try {
    return call(args)
  } catch (cause) {
    if (cause instanceof ShapeError) for (const { where, type, value } of parts) flattener(type)(value, [], where)
    throw cause
  }
}

function checkList(where: string, given: unknown): void {
  if (!Array.isArray(given)) throw new ShapeError(where, 'a list with one entry per argument', given)
}

/** What a cotangent that is not given stands for. */
type Missing = 'zero' | 'one'

function reverse(
  plan: Reverse,
  name: string,
  primals: readonly unknown[],
  cotangent: Partial<CallResult>,
  missing: { readonly result: Missing; readonly out: Missing },
): readonly unknown[] {
  const { inputs } = plan
  const names = inputs.map(p => p.name)
  checkList(`primals of ${name}`, primals)
  if (primals.length !== names.length) throw new ArityError(name, names, primals.length)
  const parts: Part[] = []
  const primal = (from: number): unknown => part(parts, inputs[from]!.name, inputs[from]!.type, primals[from])
  const seed = (type: DataType, value: unknown, none: Missing, where: string): unknown => {
    if (value === null) throw new ShapeError(where, 'a cotangent', value)
    return part(parts, where, type, value !== undefined ? value : none === 'one' ? onesOf(type) : zeroOf(type))
  }
  const args = plan.slots.map(slot => {
    switch (slot.kind) {
      case 'primal':
        return primal(slot.from)
      case 'in':
        return { p: primal(slot.from), d: slot.zero }
      case 'inout':
        return {
          p: primal(slot.from),
          d: seed(slot.type, cotangent.out?.[slot.name], missing.out, `cotangent of ${slot.name}`),
        }
      case 'out':
        return seed(slot.type, cotangent.out?.[slot.name], missing.out, `cotangent of ${slot.name}`)
      case 'result':
        return seed(slot.type, cotangent.result, missing.result, 'cotangent')
    }
  })
  const { out } = named(plan.call, args, parts)
  return names.map(n => (Object.hasOwn(out, n) ? (out[n] as Pair).d : null))
}

function forward(
  machine: Machine,
  signature: ExportedFunction,
  primals: readonly unknown[],
  tangents: readonly unknown[],
): { readonly value: CallResult; readonly tangent: CallResult } {
  checkList(`primals of ${signature.name}`, primals)
  checkList(`tangents of ${signature.name}`, tangents)
  const names = inputsOf(signature).map(p => p.name)
  if (primals.length !== names.length) throw new ArityError(signature.name, names, primals.length)
  if (tangents.length !== names.length) throw new ArityError(`tangents of ${signature.name}`, names, tangents.length)
  const { call, types, result } = derivative(machine, signature, 'fwd_diff')
  const args: unknown[] = []
  const parts: Part[] = []
  let next = 0
  signature.params.forEach((p, i) => {
    if (p.dir === 'out') return
    const [primal, tangent] = [part(parts, p.name, p.type, primals[next]), tangents[next]]
    next++
    const pair = signature.noDiff[i] ? undefined : halves(types.get(p.name)!)
    args.push(
      pair === undefined
        ? primal
        : { p: primal, d: part(parts, `tangents.${p.name}`, pair.d, tangent ?? zeroOf(pair.d)) },
    )
  })
  const both = named(call, args, parts)
  const value: Record<string, unknown> = {}
  const tangent: Record<string, unknown> = {}
  signature.params.forEach((p, i) => {
    if (p.dir === 'in') return
    const pair = signature.noDiff[i] ? undefined : (both.out[p.name] as Pair)
    put(value, p.name, pair === undefined ? both.out[p.name] : pair.p)
    put(tangent, p.name, pair === undefined ? null : pair.d)
  })
  // A result without derivative comes as it is.
  const same = result.kind === 'struct' && signature.result.kind === 'struct' && result.name === signature.result.name
  const isPair = halves(result) !== undefined && !same
  const whole = both.result as Pair
  return {
    value: { result: isPair ? whole.p : both.result, out: value },
    tangent: { result: isPair ? whole.d : null, out: tangent },
  }
}
