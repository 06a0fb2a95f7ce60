/** One function with its derivatives in double precision, as JavaScript that can be called. */
import type { DataSignature, DataType, JsOutput } from '../index.ts'
import { texturePart } from './texture.ts'
import { zeroOf } from './constant.ts'
import { anyScalar, bufferLength, build, bytesOf, openEnd, type Random } from './sample.ts'
import { put } from '../host/record.ts'

type Call = (...args: unknown[]) => unknown

/** An input: its type, and that of its derivative where it carries one. */
export interface Input {
  readonly name: string
  readonly type: DataType
  readonly d: DataType | undefined
}

/** An output that carries a derivative: by name, the result as ''. */
export interface Output {
  readonly name: string
  readonly d: DataType
}

/** The halves of a pair, undefined for another type. */
function halves(type: DataType | undefined): { readonly p: DataType; readonly d: DataType } | undefined {
  if (type?.kind !== 'struct' || type.fields.length !== 2 || !type.name.startsWith('DifferentialPair')) return undefined
  return { p: type.fields[0]!.type, d: type.fields[1]!.type }
}

/** An address from which every runtime imports the code; Bun misreads some of those whose text is escaped by percent signs. */
function addressOf(code: string): string {
  let bytes = ''
  for (const byte of new TextEncoder().encode(code)) bytes += String.fromCharCode(byte)
  return `data:text/javascript;base64,${btoa(bytes)}`
}

/** Instances of the compiled code. */
export class Subject {
  readonly name: string
  readonly inputs: readonly Input[]
  readonly outputs: readonly Output[]
  readonly #primal: DataSignature
  readonly #forward: DataSignature
  readonly #reverse: DataSignature | undefined
  readonly #call: Readonly<Record<string, Call>>
  readonly #resources: Readonly<Record<string, unknown>>
  /** Contents of buffers and uniforms by name, as plain data. */
  readonly globals: Readonly<Record<string, unknown>>

  /** Imports the code; undefined if plain data cannot represent an argument or result. */
  static async load(name: string, output: JsOutput, random: Random): Promise<Subject | undefined> {
    const find = (key: string): DataSignature | undefined => output.functions.find(f => f.name === key)
    const [primal, forward] = [find(name), find(`fwd_diff(${name})`)]
    if (primal === undefined || forward === undefined) return undefined
    const call = (await import(/* @vite-ignore */ /* webpackIgnore: true */ addressOf(output.code))) as Record<
      string,
      Call
    >
    const globals: Record<string, unknown> = {},
      resources: Record<string, unknown> = {}
    for (const b of output.buffers) {
      const scalar = anyScalar(random, false)
      const isOne = openEnd(b.elem) !== undefined
      const count = isOne ? 1 : bufferLength
      const values = texturePart(b.name, random) ?? Array.from({ length: count }, () => build(b.elem, scalar))
      put(globals, b.name, isOne ? values[0] : values)
      put(resources, b.name, bytesOf(values, b.elem, b.stride))
    }
    for (const u of output.uniforms) {
      const value = build(u.type, anyScalar(random, true))
      put(globals, u.name, value)
      put(resources, u.name, value)
    }
    const own = { ...call, [name]: call[output.renamed[name] ?? name]! }
    return new Subject(name, primal, forward, find(`bwd_diff(${name})`), own, globals, resources)
  }

  private constructor(
    name: string,
    primal: DataSignature,
    forward: DataSignature,
    reverse: DataSignature | undefined,
    call: Readonly<Record<string, Call>>,
    globals: Readonly<Record<string, unknown>>,
    resources: Readonly<Record<string, unknown>>,
  ) {
    this.name = name
    this.globals = globals
    this.#primal = primal
    this.#forward = forward
    this.#reverse = reverse
    this.#call = call
    this.#resources = resources
    this.inputs = primal.params
      .filter(p => p.dir !== 'out')
      .map(p => ({ name: p.name, type: p.type, d: halves(forward.params.find(q => q.name === p.name)?.type)?.d }))
    const all = [{ name: '', type: forward.result }, ...forward.params.filter(p => p.dir !== 'in')]
    this.outputs = all.flatMap(o => {
      const pair = halves(o.type)
      const isOwn =
        o.name === '' && primal.result.kind === 'struct' && primal.result.name === (o.type as { name?: string }).name
      return pair === undefined || isOwn ? [] : [{ name: o.name, d: pair.d }]
    })
  }

  /** Calls the function with buffers and uniforms reset to their first contents. */
  #run(key: string, signature: DataSignature, args: readonly unknown[]): Record<string, unknown> {
    this.#call['bind']?.(
      Object.fromEntries(
        Object.entries(this.#resources).map(([name, r]) => [name, r instanceof Uint8Array ? r.slice() : r]),
      ),
    )
    const raw = this.#call[key]!(...args)
    if (!signature.params.some(p => p.dir !== 'in')) return { '': raw }
    const { result, out } = raw as { result?: unknown; out: Record<string, unknown> }
    return { '': result, ...out }
  }

  /** The outputs of a call by name. */
  value(inputs: readonly unknown[]): Record<string, unknown> {
    return this.#run(this.name, this.#primal, inputs)
  }

  /** Tangents of the outputs. */
  jvp(inputs: readonly unknown[], tangents: readonly unknown[]): Record<string, unknown> {
    const out = this.#run(
      `fwd_diff(${this.name})`,
      this.#forward,
      this.inputs.map((p, i) => (p.d === undefined ? inputs[i] : { p: inputs[i], d: tangents[i] })),
    )
    return Object.fromEntries(this.outputs.map(o => [o.name, (out[o.name] as { d: unknown }).d]))
  }

  /** Gradients of the inputs, undefined where one carries none; undefined where the function has no reverse derivative. */
  vjp(inputs: readonly unknown[], cotangents: Readonly<Record<string, unknown>>): unknown[] | undefined {
    if (this.#reverse === undefined) return undefined
    const args: unknown[] = []
    let next = 0
    for (const p of this.#primal.params) {
      const at = p.dir === 'out' ? -1 : next++
      if (!this.#reverse.params.some(q => q.name === p.name)) continue
      const pair = at < 0 ? undefined : this.inputs[at]!.d
      if (p.dir === 'out') args.push(cotangents[p.name])
      else if (pair === undefined) args.push(inputs[at])
      else args.push({ p: inputs[at], d: cotangents[p.name] ?? zeroOf(pair) })
    }
    if ('' in cotangents) args.push(cotangents[''])
    const out = this.#run(`bwd_diff(${this.name})`, this.#reverse, args) as Record<string, { d: unknown } | undefined>
    return this.inputs.map(p => (p.d === undefined ? undefined : out[p.name]?.d))
  }
}
