/**
 * A function over arrays of arguments, as kernels: thread i calls the function, or a derivative of it, with element i of each
 * argument that is mapped, and with the whole of each that is held.
 *
 *     map:    if (i < count) { out[i] = f(p[i], goal);  gradient_p[i], row_goal[i] = bwd_diff(f)(…) }
 *     sum:    sums[b] = row[64 b] + row[64 b + 1] + … + row[64 b + 63]
 *     total:  total = sums[0] + sums[1] + …
 *
 * So the gradient of a held argument is summed in an order that depends on nothing but the number of elements.
 */
import {
  blockOfSums,
  mapBuffers,
  mapGroup,
  mapKernels,
  mapUniforms,
  type Coming,
  type MapRequest,
} from '../base/map.ts'
import { Builder, region } from '../ir/build.ts'
import * as t from '../ir/type.ts'
import type { Type } from '../ir/type.ts'
import { Func, Global, inputs, outputs, type Module, type ParamSig, type Value } from '../ir/value.ts'
import { addOf } from './context.ts'
import { isPair } from './pair.ts'

/** The function and, where one is asked for, its derivative, in a module of their own. */
export interface Mapped {
  readonly func: Func
  readonly derivative: Func | undefined
}

/** Adds the kernels to the module, and exports nothing else of it. */
export function addMap(module: Module, mapped: Mapped, request: MapRequest): void {
  for (const func of module.funcs) {
    func.info.exported = undefined
    func.info.entry = undefined
  }
  new MapWriter(module, mapped, request).write()
}

class MapWriter {
  readonly #module: Module
  readonly #func: Func
  readonly #derivative: Func | undefined
  readonly #request: MapRequest
  readonly #globals = new Map<string, Global>()
  /** The held arguments that have a gradient, with its type. */
  readonly #summed: { readonly name: string; readonly type: Type }[] = []

  constructor(module: Module, { func, derivative }: Mapped, request: MapRequest) {
    this.#module = module
    this.#func = func
    this.#derivative = derivative
    this.#request = request
  }

  write(): void {
    const { of, mode } = this.#request
    this.#kernel(mapKernels.map(of), mapGroup, (b, i) => {
      const primals = inputs(this.#func.sig).map((p, k) =>
        this.#given(b, mapBuffers.primal(p.name), p.type, this.#request.primals[k]!, i),
      )
      if (mode === 'tangent') this.#tangents(b, i, primals)
      else this.#values(b, i, b.call(this.#func, primals))
      if (mode === 'gradient') this.#gradients(b, i, primals)
    })
    if (this.#summed.length === 0) return
    this.#kernel(mapKernels.sum(of), 1, (b, block) => {
      const from = b.mul(block, b.const(t.u32, blockOfSums))
      const end = b.add(from, b.const(t.u32, blockOfSums))
      const count = this.#count(b)
      const to = b.select(b.emit1('lt', [end, count]), end, count)
      for (const { name, type } of this.#summed) {
        const row = (k: Value): Value => this.#element(b, mapBuffers.row(name), type, k)
        this.#sum(b, type, row, this.#element(b, mapBuffers.sums(name), type, block), from, to)
      }
    })
    this.#kernel(mapKernels.total(of), 1, (b, zero) => {
      const resumes = b.emit1('ne', [
        b.load(this.#pointer(b, mapUniforms.resumes, t.u32, 'uniform')),
        b.const(t.u32, 0),
      ])
      for (const { name, type } of this.#summed) {
        const sums = (k: Value): Value => this.#element(b, mapBuffers.sums(name), type, k)
        this.#sum(b, type, sums, this.#element(b, mapBuffers.total(name), type, zero), zero, this.#count(b), resumes)
      }
    })
  }

  /** A compute entry point whose threads below the count run a body. */
  #kernel(name: string, threads: number, body: (b: Builder, thread: Value) => void): void {
    const id: ParamSig = { name: 'thread', type: t.vec(t.u32, 3), dir: 'in', noDiff: true }
    const func = new Func(name, { params: [id], result: t.voidType, resultNoDiff: true }, this.#func.span)
    func.info.entry = { stage: 'compute', numthreads: [threads, 1, 1], semantics: ['SV_DISPATCHTHREADID'] }
    func.body = region()
    const b = new Builder(func, func.body)
    b.span = this.#func.span
    const thread = b.extract(b.param(id.type, id.name), 0)
    const [inside, outside] = [region(), region()]
    b.emit('if', [b.emit1('lt', [thread, this.#count(b)])], null, [], [inside, outside])
    b.within(inside, () => {
      body(b, thread)
      b.emit('yield', [])
    })
    b.within(outside, () => b.emit('yield', []))
    b.emit('ret', [])
    this.#module.funcs.push(func)
  }

  // ── The function and its derivatives ─────────────────────────────────────────────────────────────────────────

  /** Stores what the function gives. */
  #values(b: Builder, i: Value, values: readonly Value[]): void {
    this.#outputs().forEach((name, k) => this.#store(b, mapBuffers.output(name), i, values[k]!))
  }

  /** The names of what the function gives: of its result, and of what it writes to parameters. */
  #outputs(): readonly string[] {
    const { sig } = this.#func
    return [...(sig.result.kind === 'void' ? [] : ['']), ...outputs(sig).map(p => p.name)]
  }

  #tangents(b: Builder, i: Value, primals: readonly Value[]): void {
    const derivative = this.#derivative!
    const names = this.#outputs()
    const given = inputs(derivative.sig).map((q, k) => {
      const primal = primals[k]!
      if (q.type === primal.type) return primal
      const coming = this.#request.tangents[k]!
      const type = q.type.fields[1]!.type
      const tangent = coming === 'zero' ? b.zero(type) : this.#given(b, mapBuffers.tangent(q.name), type, coming, i)
      return b.construct(q.type, [primal, tangent])
    })
    b.call(derivative, given).forEach((both, k) => {
      const isPlain = both.type === this.#func.results[k] || !isPair(both.type)
      this.#store(b, mapBuffers.output(names[k]!), i, isPlain ? both : b.extract(both, 0))
      if (!isPlain) this.#store(b, mapBuffers.outputTangent(names[k]!), i, b.extract(both, 1))
    })
  }

  /** The gradient of the result, or where there is none of the sum of all outputs. */
  #gradients(b: Builder, i: Value, primals: readonly Value[]): void {
    const { sig } = this.#func
    const derivative = this.#derivative!
    const seed = (type: Type): Value => (sig.result.kind === 'void' ? one(b, type) : b.zero(type))
    const given: Value[] = []
    let at = 0
    for (const p of sig.params) {
      const primal = p.dir === 'out' ? undefined : primals[at++]!
      const own = derivative.sig.params.find(q => q.name === p.name)
      if (own === undefined) continue
      if (primal === undefined) given.push(seed(own.type))
      else if (own.type === primal.type) given.push(primal)
      else {
        const type = own.type.fields[1]!.type
        given.push(b.construct(own.type, [primal, p.dir === 'in' ? b.zero(type) : seed(type)]))
      }
    }
    // Last stands the cotangent of the result, if that has one.
    const last = inputs(derivative.sig)[given.length]
    if (last !== undefined) given.push(one(b, last.type))
    const names = inputs(sig).map(p => p.name)
    const pairs = b.call(derivative, given)
    outputs(derivative.sig).forEach(({ name }, k) => {
      const gradient = b.extract(pairs[k]!, 1)
      if (this.#request.primals[names.indexOf(name)] === 'mapped') {
        this.#store(b, mapBuffers.gradient(name), i, gradient)
      } else if (gradient.type.scalars > 0) {
        this.#summed.push({ name, type: gradient.type })
        this.#store(b, mapBuffers.row(name), i, gradient)
      }
    })
  }

  // ── Sums ─────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Sums the elements `from` up to `to` of a buffer, one after the other; to what lies at `target` already, where it `resumes`. */
  #sum(
    b: Builder,
    type: Type,
    source: (k: Value) => Value,
    target: Value,
    from: Value,
    to: Value,
    resumes?: Value,
  ): void {
    const second = b.add(from, b.const(t.u32, 1))
    const first = b.load(source(from))
    b.store(target, resumes === undefined ? first : b.select(resumes, b.load(target), first))
    const [head, body] = [region(), region()]
    b.emit('loop', [resumes === undefined ? second : b.select(resumes, from, second)], null, [], [head, body])
    const k = b.param(t.u32, 'k', head)
    b.within(head, () => b.emit('test', [b.emit1('lt', [k, to])]))
    b.within(body, () => {
      this.#add(b, type, target, source(k))
      b.emit('next', [b.add(k, b.const(t.u32, 1))])
    })
  }

  /** Adds what lies at `source` to what lies at `target`: along memory, which is fastest where gradients are large. */
  #add(b: Builder, type: Type, target: Value, source: Value): void {
    if (type.kind === 'array') {
      b.each(type.count, j => this.#add(b, type.elem!, b.elem(target, j), b.elem(source, j)))
    } else if (type.kind === 'struct' && !hasOwnSum(this.#module, type)) {
      type.fields.forEach((f, i) => this.#add(b, f.type, b.field(target, i), b.field(source, i)))
    } else {
      b.store(target, addOf({ module: this.#module }, b, b.load(target), b.load(source)))
    }
  }

  // ── Memory ───────────────────────────────────────────────────────────────────────────────────────────────────

  #count(b: Builder): Value {
    return b.load(this.#pointer(b, mapUniforms.count, t.u32, 'uniform'))
  }

  /** An argument or tangent of one call. */
  #given(b: Builder, name: string, type: Type, coming: Coming, i: Value): Value {
    // What holds nothing takes no room.
    if (type.scalars === 0) return b.zero(type)
    const list = this.#pointer(b, name, t.array(type, 0, 'tight'), 'storage')
    return b.load(b.elem(list, coming === 'held' ? b.const(t.u32, 0) : i))
  }

  #store(b: Builder, name: string, i: Value, value: Value): void {
    if (value.type.scalars > 0) b.store(this.#element(b, name, value.type, i), value)
  }

  /** A pointer to an element of a buffer that kernels write. */
  #element(b: Builder, name: string, type: Type, i: Value): Value {
    return b.elem(this.#pointer(b, name, t.array(type, 0, 'tight'), 'storage_rw'), i)
  }

  #pointer(b: Builder, name: string, type: Type, space: 'uniform' | 'storage' | 'storage_rw'): Value {
    let global = this.#globals.get(name)
    if (global === undefined) {
      const resource = space === 'uniform' ? 'uniform' : 'structured'
      global = new Global(name, type, space, resource, undefined, undefined, null)
      this.#globals.set(name, global)
      this.#module.globals.push(global)
    }
    return b.emit1('global', [], global)
  }
}

/** Whether a struct of derivatives has a sum of its own, `dadd`. */
function hasOwnSum(module: Module, type: Type): boolean {
  return module.structs.some(s => s.diff?.type === type && s.diff.dadd !== undefined)
}

/** A value of a type all of whose numbers are one. */
function one(b: Builder, type: Type): Value {
  if (type.kind === 'struct')
    return b.construct(
      type,
      type.fields.map(f => one(b, f.type)),
    )
  if (type.scalar === 'bool') return b.splatLike(b.const(t.bool, true), type)
  if (type.kind !== 'array') return b.one(type)
  const elem = one(b, type.elem!)
  return b.construct(
    type,
    Array.from({ length: type.count }, () => elem),
  )
}
