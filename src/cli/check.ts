/**
 * `cotangent check`: every differentiable function of a file at random inputs. Forward mode against central differences,
 * and reverse against forward by the inner product ⟨w, J v⟩ = ⟨Jᵀ w, v⟩, all in double precision through JavaScript.
 */
import { CompileError, type DataType, type Program, type WasmFunction } from '../index.ts'
import { Failed, UsageError, compileFile, report, type SharedOptions } from './host.ts'
import { progress } from './progress.ts'

interface CheckOptions extends SharedOptions {
  readonly fn?: string
  readonly samples: number
  readonly seed?: number
  readonly json?: boolean
}

/** What came of one function. */
interface Outcome {
  readonly name: string
  readonly status: 'ok' | 'failed' | 'skipped'
  /** Inputs that were compared, and those left out because the function is not smooth there. */
  readonly compared: number
  readonly kinks: number
  /** Why it failed or was skipped. */
  readonly detail: string
}

type Call = (...args: unknown[]) => unknown
type Random = () => number

/** A reproducible source of numbers in [0, 1): Mulberry32. */
function randomFrom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let z = Math.imul(state ^ (state >>> 15), state | 1)
    z ^= z + Math.imul(z ^ (z >>> 7), z | 61)
    return ((z ^ (z >>> 14)) >>> 0) / 2 ** 32
  }
}

const isFloat = (scalar: string): boolean => scalar.startsWith('f')

/** A value of a type, its scalars made by `scalar`. */
function build(type: DataType, scalar: (name: string) => unknown): unknown {
  switch (type.kind) {
    case 'void': return undefined
    case 'scalar': return scalar(type.scalar)
    case 'vector': return Array.from({ length: type.count }, () => scalar(type.scalar))
    case 'matrix': return Array.from({ length: type.rows }, () => Array.from({ length: type.cols }, () => scalar(type.scalar)))
    case 'array': return Array.from({ length: type.count }, () => build(type.elem, scalar))
    case 'struct': return Object.fromEntries(type.fields.map(f => [f.name, build(f.type, scalar)]))
  }
}

/** Combines numbers of two values of one shape; what the second lacks stays as it is in the first. */
function combine(a: unknown, b: unknown, f: (x: number, y: number) => number): unknown {
  if (b === undefined || b === null) return a
  if (typeof a === 'number' && typeof b === 'number') return f(a, b)
  if (isList(a) && isList(b)) return Array.from(a, (x, i) => combine(x, b[i], f))
  if (typeof a === 'object' && a !== null) return Object.fromEntries(Object.entries(a).map(([k, x]) => [k, combine(x, (b as Record<string, unknown>)[k], f)]))
  return a
}

function isList(v: unknown): v is ArrayLike<unknown> {
  return Array.isArray(v) || ArrayBuffer.isView(v)
}

/** The inner product of two values, over the shape of the second. */
function inner(a: unknown, b: unknown): number {
  if (typeof b === 'number') return typeof a === 'number' ? a * b : 0
  if (isList(b)) return Array.from(b, (x, i) => inner((a as ArrayLike<unknown> | undefined)?.[i], x)).reduce((s, x) => s + x, 0)
  if (typeof b === 'object' && b !== null) return Object.entries(b).reduce((s, [k, x]) => s + inner((a as Record<string, unknown> | undefined)?.[k], x), 0)
  return 0
}

/** The halves of a pair, undefined for another type. */
function halves(type: DataType | undefined): { readonly p: DataType; readonly d: DataType } | undefined {
  if (type?.kind !== 'struct' || type.fields.length !== 2 || !type.name.startsWith('DifferentialPair')) return undefined
  return { p: type.fields[0]!.type, d: type.fields[1]!.type }
}

/** One function with its derivatives, ready to be called. */
class Subject {
  readonly #primal: WasmFunction
  readonly #forward: WasmFunction
  readonly #reverse: WasmFunction | undefined
  readonly #call: Readonly<Record<string, Call>>
  readonly #name: string

  constructor(name: string, functions: readonly WasmFunction[], call: Readonly<Record<string, Call>>) {
    const find = (key: string): WasmFunction | undefined => functions.find(f => f.name === key)
    this.#name = name
    this.#primal = find(name)!
    this.#forward = find(`fwd_diff(${name})`)!
    this.#reverse = find(`bwd_diff(${name})`)
    this.#call = call
  }

  get inputs(): readonly { readonly name: string; readonly type: DataType; readonly d: DataType | undefined }[] {
    return this.#primal.params.filter(p => p.dir !== 'out').map(p => ({ name: p.name, type: p.type, d: halves(this.#forward.params.find(q => q.name === p.name)?.type)?.d }))
  }

  /** Outputs that carry a derivative: by name, the result as ''. */
  get outputs(): readonly { readonly name: string; readonly d: DataType }[] {
    const all = [{ name: '', type: this.#forward.result }, ...this.#forward.params.filter(p => p.dir !== 'in')]
    return all.flatMap(o => {
      const pair = halves(o.type)
      return pair === undefined || (o.name === '' && this.#primal.result.kind === 'struct' && this.#primal.result.name === (o.type as { name?: string }).name) ? [] : [{ name: o.name, d: pair.d }]
    })
  }

  /** The outputs of a call by name. */
  #out(signature: WasmFunction, raw: unknown): Record<string, unknown> {
    if (!signature.params.some(p => p.dir !== 'in')) return { '': raw }
    const { result, out } = raw as { result?: unknown; out: Record<string, unknown> }
    return { '': result, ...out }
  }

  value(inputs: readonly unknown[]): Record<string, unknown> {
    return this.#out(this.#primal, this.#call[this.#name]!(...inputs))
  }

  /** Tangents of the outputs. */
  jvp(inputs: readonly unknown[], tangents: readonly unknown[]): Record<string, unknown> {
    const raw = this.#call[`fwd_diff(${this.#name})`]!(...this.inputs.map((p, i) => p.d === undefined ? inputs[i] : { p: inputs[i], d: tangents[i] }))
    const out = this.#out(this.#forward, raw)
    return Object.fromEntries(this.outputs.map(o => [o.name, (out[o.name] as { d: unknown }).d]))
  }

  /** Gradients of the inputs, undefined where one carries none; undefined where the function has no reverse derivative. */
  vjp(inputs: readonly unknown[], cotangents: Readonly<Record<string, unknown>>): unknown[] | undefined {
    if (this.#reverse === undefined) return undefined
    const args: unknown[] = []
    let next = 0
    for (const p of this.#primal.params) {
      const at = p.dir === 'out' ? -1 : next++
      const target = this.#reverse.params.find(q => q.name === p.name)
      if (target === undefined) continue
      const pair = at < 0 ? undefined : this.inputs[at]!.d
      if (p.dir === 'out') args.push(cotangents[p.name])
      else if (pair === undefined) args.push(inputs[at])
      else args.push({ p: inputs[at], d: cotangents[p.name] ?? build(pair, () => 0) })
    }
    if ('' in cotangents) args.push(cotangents[''])
    const raw = this.#call[`bwd_diff(${this.#name})`]!(...args) as { out?: Record<string, { d: unknown }> } | undefined
    return this.inputs.map(p => p.d === undefined ? undefined : raw?.out?.[p.name]?.d)
  }
}

const near = (a: number, b: number, tolerance: number): boolean => Math.abs(a - b) <= tolerance * (1 + Math.abs(a) + Math.abs(b))

/** Compares derivatives at one input; a sentence where they disagree, 'kink' where the function is not smooth or not finite. */
function compare(subject: Subject, random: Random): 'ok' | 'kink' | string {
  const symmetric = (range: number) => (scalar: string): unknown => isFloat(scalar) ? (random() * 2 - 1) * range
    : scalar === 'bool' ? random() < 0.5 : scalar.endsWith('64') ? BigInt(Math.floor(random() * 4)) : Math.floor(random() * 4)
  const positive = random() < 0.5
  const inputs = subject.inputs.map(p => build(p.type, s => {
    const x = symmetric(2)(s)
    return positive && typeof x === 'number' ? Math.abs(x) + (isFloat(s) ? 0.05 : 0) : x
  }))
  const tangents = subject.inputs.map(p => p.d === undefined ? undefined : build(p.d, s => isFloat(s) ? random() * 2 - 1 : 0))
  const weights = Object.fromEntries(subject.outputs.map(o => [o.name, build(o.d, s => isFloat(s) ? random() * 2 - 1 : 0)]))
  const along = (direction: readonly unknown[]): string | 'ok' | 'kink' => {
    const moved = (h: number): number => inner(subject.value(inputs.map((x, i) => direction[i] === undefined ? x : combine(x, direction[i], (p, d) => p + h * d))), weights)
    const slope = (h: number): number => (moved(h) - moved(-h)) / (2 * h)
    const forward = inner(subject.jvp(inputs, direction.map((d, i) => d ?? (subject.inputs[i]!.d && build(subject.inputs[i]!.d, () => 0)))), weights)
    const [coarse, fine] = [slope(1e-4), slope(1e-5)]
    const sides = [(moved(1e-5) - moved(0)) / 1e-5, (moved(0) - moved(-1e-5)) / 1e-5]
    if (![forward, coarse, fine].every(Number.isFinite)) return 'kink'
    const gradients = subject.vjp(inputs, weights)
    if (gradients !== undefined) {
      const reverse = gradients.reduce<number>((sum, g, i) => sum + inner(g, direction[i]), 0)
      if (!near(reverse, forward, 1e-6)) return `reverse gives ${reverse}, forward ${forward}, finite differences ${fine}`
    }
    if (!near(coarse, fine, 1e-4) || !near(sides[0]!, sides[1]!, 1e-2)) return 'kink'
    return near(forward, fine, 1e-4) ? 'ok' : `forward gives ${forward}, finite differences ${fine}`
  }
  const all = along(tangents)
  if (all === 'ok' || all === 'kink') return all
  // Which parameter it is: one direction at a time.
  for (let i = 0; i < tangents.length; i++) {
    if (tangents[i] === undefined) continue
    const one = along(tangents.map((t, k) => k === i ? t : undefined))
    if (one !== 'ok' && one !== 'kink') return `parameter ${subject.inputs[i]!.name}: ${one}; inputs ${JSON.stringify(inputs)}`
  }
  return `${all}; inputs ${JSON.stringify(inputs)}`
}

async function examine(program: Program, name: string, samples: number, seed: number): Promise<Outcome> {
  const skipped = (detail: string): Outcome => ({ name, status: 'skipped', compared: 0, kinks: 0, detail })
  const { host } = program.wasm({ derivativesOf: name })
  if (host.buffers.length > 0 || host.uniforms.length > 0) return skipped('it reads buffers or uniforms')
  if (!program.exports.some(f => f.name === name)) return skipped('it takes or gives what JSON cannot say')
  const { code } = program.js({ derivativesOf: name, mode: 'f64' })
  const module = await import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`) as Record<string, Call>
  const subject = new Subject(name, host.functions, module)
  if (subject.outputs.length === 0 || subject.inputs.every(p => p.d === undefined)) return skipped('nothing in it carries a derivative from a parameter to a result')
  // Names enter the seed, so that a function gets the same inputs whatever stands beside it.
  let own = seed
  for (const c of name) own = Math.imul(own ^ c.charCodeAt(0), 16777619)
  const random = randomFrom(own)
  let compared = 0, kinks = 0
  for (let i = 0; i < samples; i++) {
    const outcome = compare(subject, random)
    if (outcome === 'ok') compared++
    else if (outcome === 'kink') kinks++
    else return { name, status: 'failed', compared, kinks, detail: outcome }
  }
  return { name, status: 'ok', compared, kinks, detail: compared === 0 ? 'no input was smooth and finite' : '' }
}

/** `cotangent check`; status 1 where a derivative disagrees. */
export async function checkCommand(file: string, raw: Record<string, unknown>): Promise<void> {
  const options = raw as unknown as CheckOptions
  const listing = compileFile(file, options)
  const names = listing.functions.filter(f => f.differentiable !== 'none').map(f => f.name)
  const wanted = options.fn === undefined ? [...new Set(names)] : [options.fn]
  if (options.fn !== undefined && !names.includes(options.fn)) throw new UsageError(`${file} has no differentiable function ${options.fn}`, 1)
  const seed = options.seed ?? Math.floor(Math.random() * 2 ** 31) + 1
  const program = wanted.length === 0 ? listing : compileFile(file, { ...options, time: false }, { exports: wanted, entries: [] })
  const outcomes: Outcome[] = []
  const bar = progress(wanted.length)
  for (const name of wanted) {
    try {
      outcomes.push(await examine(program, name, options.samples, seed))
    } catch (error) {
      if (!(error instanceof CompileError)) throw error
      report(error.diagnostics, options)
      outcomes.push({ name, status: 'failed', compared: 0, kinks: 0, detail: 'its derivative cannot be made' })
    }
    bar.update(outcomes.length, name)
  }
  bar.stop()
  const failed = outcomes.some(o => o.status === 'failed')
  if (options.json === true) {
    process.stdout.write(`${JSON.stringify({ seed, ok: !failed, functions: outcomes })}\n`)
  } else {
    for (const o of outcomes) {
      const counts = o.status === 'ok' ? `${o.compared} inputs${o.kinks > 0 ? `, ${o.kinks} left out at kinks` : ''}` : ''
      process.stdout.write(`${o.status.padEnd(8)}${o.name}${counts === '' ? '' : `: ${counts}`}${o.detail === '' ? '' : `: ${o.detail}`}\n`)
    }
    process.stdout.write(`${outcomes.length === 0 ? 'no differentiable function' : `${outcomes.filter(o => o.status === 'ok').length} of ${outcomes.length} agree`} (seed ${seed})\n`)
  }
  if (failed) throw new Failed()
}
