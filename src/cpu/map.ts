/** Exported functions over arrays of arguments, by kernels that the compiler makes for each way in which arguments come. */
import type { DataType, ExportedFunction, LoadableProgram, WasmKernel, WasmOutput } from '../index.ts'
import { unknownName } from '../host/given.ts'
import { blockOfSums, mapBuffers, mapGroup, mapKernels, mapUniforms, type MapRequest } from '../host/map.ts'
import { put } from '../host/record.ts'
import { unpacked } from './columns.ts'
import { zeroOf } from './constant.ts'
import { BufferError, NameError, TrapError } from './errors.ts'
import type { Launch, Machine, Resources } from './machine.ts'
import { takeArguments, type Taken } from './map-arguments.ts'
import { reader } from './marshal.ts'
import type { HostPart } from './memory.ts'

/** What the maps of a loaded program need of it. */
export interface MapHost {
  readonly program: LoadableProgram
  /** The machine of the exported functions. */
  readonly machine: Machine
  /** The module of the kernels. */
  readonly output: (request: MapRequest) => Pick<WasmOutput, 'bytes' | 'host'>
  /** A machine of such a module. Nothing is printed while `quiet` says so. */
  readonly made: (output: Pick<WasmOutput, 'bytes' | 'host'>, quiet: () => boolean) => Machine
  /** What is bound. */
  readonly bound: () => Resources
}

/** Bytes that gradients of held arguments take before they are summed, at most; but a block may have more. */
const mostRows = 2 ** 21
/** Elements whose gradients wait, at most. */
const mostElements = 2 ** 16

/** The kernels for one way in which arguments come. */
interface Kernels {
  readonly machine: Machine
  /** Elements of buffers, by name. */
  readonly types: ReadonlyMap<string, DataType>
  /** What they use of what is bound. */
  readonly used: Pick<WasmKernel, 'buffers' | 'uniforms'>
  /** The held arguments that have a gradient. */
  readonly summed: readonly string[]
  /** How many elements are worked on at a time. */
  readonly step: number
  /** Where gradients of held arguments wait. */
  readonly rows: Map<string, HostPart>
}

/** A call, ready to run. */
interface Call extends Kernels, Taken {
  readonly signature: ExportedFunction
  /** What was bound when the call began; where nobody waits, as it was then. */
  readonly bound: Resources
  /** Gives what the kernel wrote to what is bound, where that is a copy. */
  readonly back: () => void
  /** What the kernel writes: buffers by name. */
  readonly written: ReadonlyMap<string, Uint8Array<ArrayBuffer>>
}

/** What is to run next; who runs it throws here what stopped it. */
type Work = Generator<Launch, void, void>

/** The maps of a loaded program. */
export class Maps {
  readonly #host: MapHost
  readonly #known = new Map<string, Kernels>()
  #isQuiet = false

  constructor(host: MapHost) {
    this.#host = host
  }

  /** Runs and waits. */
  run(name: string, args: unknown, options: unknown): unknown {
    const call = this.#prepare('map', name, args, options)
    const { turn } = call.machine.memory
    const work = this.#work(call)
    turn.begin(name)
    try {
      for (let step = work.next(); step.done !== true;) {
        try {
          call.machine.launch(step.value, name)
        } catch (cause) {
          step = work.throw(cause)
          continue
        }
        step = work.next()
      }
    } finally {
      turn.end()
    }
    return result(call)
  }

  /** The same without waiting. */
  async runAsync(name: string, args: unknown, options: unknown): Promise<unknown> {
    const call = this.#prepare('mapAsync', name, args, options)
    const { turn } = call.machine.memory
    const work = this.#work(call)
    turn.begin(name)
    try {
      for (let step = work.next(); step.done !== true;) {
        try {
          await call.machine.launchAsync(step.value, name)
        } catch (cause) {
          step = work.throw(cause)
          continue
        }
        step = work.next()
      }
      call.back()
    } finally {
      turn.end()
    }
    return result(call)
  }

  #prepare(called: 'map' | 'mapAsync', name: string, args: unknown, options: unknown): Call {
    const { machine, program } = this.#host
    machine.memory.turn.check(called)
    const signature = program.exports.find(f => f.name === name)
    if (signature === undefined || machine.find(name) === undefined) {
      const all = program.exports.flatMap(f => (machine.find(f.name) === undefined ? [] : [f.name]))
      const what = 'there is no function'
      throw new NameError(unknownName({ [String(name)]: 0 }, () => all, what) ?? what)
    }
    const taken = takeArguments(called, signature, args, options, machine.memory)
    const kernels = this.#kernels(taken.request)
    const written = new Map<string, Uint8Array<ArrayBuffer>>()
    for (const buffer of kernels.machine.kernel(mapKernels.map(name)).buffers) {
      const type = kernels.types.get(buffer)
      // Rows stay in the memory of the program.
      if (type !== undefined && /^(out|gradient)/.test(buffer))
        written.set(buffer, new Uint8Array(taken.count * type.size))
    }
    for (const p of kernels.summed)
      written.set(mapBuffers.total(p), new Uint8Array(kernels.types.get(mapBuffers.total(p))!.size))
    const bound = this.#host.bound()
    refuseUnbound(`${called} of ${name}`, kernels, bound)
    const [copy, back] =
      called === 'map' ? [bound, () => undefined] : kernels.machine.snapshot(kernels.used, bound, false)
    return { ...kernels, ...taken, signature, written, bound: copy, back }
  }

  #kernels(request: MapRequest): Kernels {
    const key = JSON.stringify(request)
    let known = this.#known.get(key)
    if (known === undefined) {
      const output = this.#host.output(request)
      if (!output.host.kernels.some(k => k.name === mapKernels.map(request.of)))
        throw new NameError(
          `a program that a build compiled has no map of ${request.of}, for each way in which arguments come has kernels of its own: import it with ?runtime, and compile it in the page`,
        )
      const machine = this.#host.made(output, () => this.#isQuiet)
      const types = new Map(
        machine.host.buffers.flatMap(({ name, elem }) => (name.includes(':') ? [[name, elem] as const] : [])),
      )
      const summed = machine.host.buffers.flatMap(({ name }) => (name.startsWith('row:') ? [name.slice(4)] : []))
      const bytes = summed.reduce((sum, p) => sum + types.get(mapBuffers.row(p))!.size, 0)
      const fitting = Math.max(1, Math.floor(Math.min(mostElements, mostRows / bytes) / blockOfSums)) * blockOfSums
      const { buffers, uniforms } = machine.kernel(mapKernels.map(request.of))
      const used = {
        buffers: buffers.filter(name => !types.has(name)),
        uniforms: uniforms.filter(name => name !== mapUniforms.count),
      }
      known = { machine, types, used, summed, step: summed.length === 0 ? Infinity : fitting, rows: new Map() }
      this.#known.set(key, known)
    }
    return known
  }

  // ── Work ─────────────────────────────────────────────────────────────────────────────────────────────────────

  *#work(call: Call): Work {
    const { count, step, request, summed, types } = call
    for (let from = 0; from < count; from += step) {
      const size = Math.min(step, count - from)
      const launch = this.#elements(call, from, size, call.bound)
      try {
        yield launch
      } catch (cause) {
        yield* this.#blame(call, from, from + size, cause)
      }
      if (summed.length === 0) continue
      const blocks = Math.ceil(size / blockOfSums)
      const sums = Object.fromEntries(
        summed.map(p => [mapBuffers.sums(p), new Uint8Array(blocks * types.get(mapBuffers.sums(p))!.size)]),
      )
      yield {
        kernel: mapKernels.sum(request.of),
        groups: [blocks, 1, 1],
        resources: { buffers: { ...this.#rows(call), ...sums }, uniforms: { [mapUniforms.count]: size } },
      }
      const totals = Object.fromEntries(summed.map(p => [mapBuffers.total(p), call.written.get(mapBuffers.total(p))!]))
      yield {
        kernel: mapKernels.total(request.of),
        groups: [1, 1, 1],
        resources: {
          buffers: { ...sums, ...totals },
          uniforms: { [mapUniforms.count]: blocks, [mapUniforms.resumes]: from > 0 ? 1 : 0 },
        },
      }
    }
  }

  /** Calls the function for some elements. */
  #elements(call: Call, from: number, size: number, bound: Resources): Launch {
    const { lists, written, types, values, request } = call
    const part = ([name, bytes]: readonly [string, Uint8Array]): readonly [string, Uint8Array] => {
      const stride = types.get(name)?.size ?? 0
      return [name, bytes.subarray(from * stride, (from + size) * stride)]
    }
    return {
      kernel: mapKernels.map(request.of),
      groups: [Math.ceil(size / mapGroup), 1, 1],
      resources: {
        buffers: {
          ...bound.buffers,
          ...Object.fromEntries([...values, ...[...lists, ...written].map(part)]),
          ...this.#rows(call),
        },
        uniforms: { ...bound.uniforms, [mapUniforms.count]: size },
      },
    }
  }

  /** Memory for the gradients of held arguments, in which they stay: views of it as it is now. */
  #rows({ machine: { memory }, summed, types, rows, count, step }: Call): Record<string, Uint8Array> {
    const views: Record<string, Uint8Array> = {}
    for (const p of summed) {
      const name = mapBuffers.row(p)
      // What is kept stays, so that what calls need next is not always a little more.
      const least = Math.min(step, 2 ** Math.ceil(Math.log2(Math.max(count, blockOfSums)))) * types.get(name)!.size
      let part = rows.get(name)
      if (part === undefined || part.bytes < least) rows.set(name, (part = memory.keep(name, least)))
      views[name] = memory.show(new Uint8Array(memory.buffer, part.at, part.bytes), part)
    }
    return views
  }

  /** Throws what stopped the program, with the first element at which it stops, which it looks for. */
  *#blame(call: Call, from: number, to: number, cause: unknown): Work {
    // What counts the trips of all elements stops at none of them.
    if (!(cause instanceof TrapError) || call.machine.host.limits?.trips !== undefined) throw cause
    const [bound] = call.machine.snapshot(call.used, call.bound, true)
    let [first, end, why] = [from, to, cause as TrapError | undefined]
    this.#isQuiet = true
    try {
      while (why !== undefined && end - first > 1) {
        const middle = Math.ceil((first + end) / 2)
        if ((yield* this.#stops(call, first, middle, bound)) === undefined) first = middle
        else end = middle
      }
      why = yield* this.#stops(call, first, end, bound)
    } finally {
      this.#isQuiet = false
    }
    throw why === undefined
      ? cause
      : new TrapError(`element ${first} of the map of ${call.request.of}: ${why.message}`, { cause: why })
  }

  /** What stops the program at some elements; undefined where nothing does. */
  *#stops(call: Call, from: number, to: number, bound: Resources): Generator<Launch, TrapError | undefined, void> {
    const launch = this.#elements(call, from, to - from, bound)
    try {
      yield launch
      return undefined
    } catch (cause) {
      if (cause instanceof TrapError) return cause
      throw cause
    }
  }
}

/** Throws if a function uses a resource that nobody has bound. */
function refuseUnbound(of: string, { machine, used }: Kernels, { buffers = {}, uniforms = {} }: Resources): void {
  const missing = [
    ...used.buffers.filter(name => !Object.hasOwn(buffers, name)),
    // The fields of a block may be bound by their own names.
    ...machine.host.uniforms
      .filter(u => used.uniforms.includes(u.name) && !Object.hasOwn(uniforms, u.name))
      .flatMap(({ name, type }) => (type.kind === 'struct' ? type.fields.map(f => f.name) : [name]))
      .filter(name => !Object.hasOwn(uniforms, name)),
  ]
  if (missing.length > 0)
    throw new BufferError(
      `${of} uses ${missing[0]!.replace(/___(texels|shape|modes)$/, '')}, which is not bound: m.bind({ buffers, uniforms, textures, samplers }) binds what functions use`,
    )
}

// ── Results ──────────────────────────────────────────────────────────────────────────────────────────────────────

function result(call: Call): unknown {
  const { signature, request } = call
  const value = outputs(call, mapBuffers.output)
  if (request.mode === 'value') return value
  if (request.mode === 'tangent') return { value, tangent: outputs(call, mapBuffers.outputTangent) }
  const grad: Record<string, unknown> = {}
  let at = 0
  signature.params.forEach((p, i) => {
    if (p.dir !== 'out') put(grad, p.name, gradient(call, p.name, signature.gradients[i]!, request.primals[at++]!))
  })
  return { value, grad }
}

/** What the function gives, or its tangent, as a call gives it. */
function outputs({ signature, written, count }: Call, buffer: (name: string) => string): unknown {
  const list = (name: string, type: DataType): unknown => {
    // Of what holds nothing there is no buffer.
    if (type.size === 0) return type.kind === 'void' ? undefined : unpacked(type, new ArrayBuffer(0), count)
    const bytes = written.get(buffer(name))
    return bytes === undefined ? null : unpacked(type, bytes.buffer, count)
  }
  const isTangent = buffer === mapBuffers.outputTangent
  const type = (own: DataType, derivative: DataType | null): DataType => (isTangent ? (derivative ?? own) : own)
  const whole = list('', type(signature.result, signature.tangent))
  if (signature.params.every(p => p.dir === 'in')) return whole
  const out: Record<string, unknown> = {}
  signature.params.forEach((p, i) => {
    if (p.dir !== 'in') put(out, p.name, list(p.name, type(p.type, signature.gradients[i]!)))
  })
  return { result: whole, out }
}

function gradient(call: Call, name: string, type: DataType | null, coming: 'mapped' | 'held'): unknown {
  const { written, forms, count } = call
  if (type === null) return null
  if (coming === 'held') {
    const total = written.get(mapBuffers.total(name))
    return total === undefined || count === 0 ? zeroOf(type) : reader(type)(new DataView(total.buffer), 0)
  }
  return unpacked(type, written.get(mapBuffers.gradient(name))?.buffer ?? new ArrayBuffer(0), count, forms.get(name))
}
