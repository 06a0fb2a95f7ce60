/** Collects the functions and kernels that test one operation, and adds the same on constants and their derivatives. */
import { tidy } from './passes.ts'
import { adContext, type AdContext } from '../../src/ad/context.ts'
import { jvpOf, splitOf } from '../../src/ad/extract.ts'
import { resolve } from '../../src/ad/request.ts'
import { Sink } from '../../src/base/diag.ts'
import { Builder, region } from '../../src/ir/build.ts'
import type { CommonOp } from '../../src/ir/op.ts'
import type { Scalar } from '../../src/ir/scalar.ts'
import * as t from '../../src/ir/type.ts'
import type { Type } from '../../src/ir/type.ts'
import { Func, Global, Module, inputs, type ParamSig, type Region, type Value } from '../../src/ir/value.ts'
import { verifyForm } from '../../src/ir/verify.ts'
import type { Data } from '../../src/ir/run.ts'
import { fill } from './gradients.ts'
import { assemble, lanewise, scalarsOf, smooth, some, spread, type Point } from './op-values.ts'

/** Builds the body of a function from its operands; gives its results. */
export type Build = (b: Builder, ...args: Value[]) => Value | readonly Value[]

export interface CaseOptions {
  /** Default: operands of one shape meet in every combination of the usual values, others take some of them. */
  readonly points?: readonly Point[]
  /** Where the row promises a value; elsewhere the op must only not stop the program. Default: everywhere. */
  readonly promised?: (args: Point) => boolean
  /** Where floats are smooth: then derivatives of the function are tested. `true`: where it is with moderate numbers. */
  readonly smooth?: true | readonly Point[]
  /** Relative error that a GPU may make. */
  readonly gpuError?: number
  /** False where the outcome depends on more than the operands. */
  readonly constants?: boolean
  /** Calls itself, which GPUs do not. */
  readonly cpuOnly?: boolean
  /** The operation stands in what the function calls. */
  readonly elsewhere?: boolean
}

/** A function to call with points, on every target. */
export interface Case {
  readonly name: string
  readonly func: Func
  readonly points: readonly Point[]
  /** The operands from which result `k` is computed: the arguments, or the constants that stand for them. */
  readonly operands: (args: Point, k: number) => Point
  /** Whether results have to be the same everywhere, by operands. */
  readonly promised: (operands: Point) => boolean
  readonly gpuError: number
  /** Uses the operation itself in its body. */
  readonly isOwn: boolean
  readonly cpuOnly: boolean
}

/** A function and its derivatives in one: `(arguments, tangents, cotangents) → (results, their tangents, gradients)`. */
export interface Derivative {
  readonly name: string
  readonly of: Func
  readonly func: Func
  readonly points: readonly Point[]
}

/** The contents of a buffer. */
export interface BufferCase {
  readonly scalar: 'f32' | 'i32' | 'u32'
  readonly data: readonly number[]
  readonly readonly?: boolean
}

/** An entry point to dispatch, on every target. */
export interface KernelCase {
  readonly name: string
  readonly module: Module
  readonly entry: Func
  readonly groups: readonly [number, number, number]
  readonly buffers: Readonly<Record<string, BufferCase>>
  readonly uniforms: Readonly<Record<string, number>>
  /** What the CPU targets print; on GPUs the host has to read it. */
  readonly prints: readonly string[]
  /** What stops it on the CPU. */
  readonly trap: string | undefined
}

export interface KernelOptions {
  readonly threads: number
  readonly buffers: KernelCase['buffers']
  readonly groups?: number
  readonly uniforms?: Readonly<Record<string, number>>
  readonly prints?: readonly string[]
  readonly trap?: string
}

/** A new function of plain values. */
export function declare(
  module: Module,
  name: string,
  ins: readonly Type[],
  outs: readonly Type[],
): { readonly func: Func; readonly b: Builder; readonly args: Value[] } {
  const param = (type: Type, at: string, dir: 'in' | 'out'): ParamSig => ({
    name: at,
    type,
    dir,
    noDiff: t.differential(type) === null,
  })
  const params = [
    ...ins.map((type, i) => param(type, `a${i}`, 'in')),
    ...outs.map((type, i) => param(type, `r${i}`, 'out')),
  ]
  const func = new Func(name, { params, result: t.voidType, resultNoDiff: true }, null)
  func.info.level = 'backward'
  func.body = region()
  module.funcs.push(func)
  const b = new Builder(func, func.body)
  return { func, b, args: ins.map((type, i) => b.param(type, `a${i}`)) }
}

function list(values: Value | readonly Value[]): readonly Value[] {
  return Array.isArray(values) ? (values as readonly Value[]) : [values as Value]
}

/** A constant of any type, made of constant scalars. */
export function constant(b: Builder, type: Type, data: Data): Value {
  if (type.kind === 'scalar') return b.const(type, data as Scalar)
  const parts = (data as readonly Data[]).map((part, i) => constant(b, t.component(type, i), part))
  return b.emit1('construct', parts, null, type)
}

/** The sum of the squares of all floats in some values: its derivative depends on the point, so that residuals count. */
function squares(b: Builder, values: readonly Value[]): Value {
  let sum: Value | undefined
  const visit = (v: Value): void => {
    if (v.type.kind !== 'scalar') {
      for (let i = 0; i < v.type.count; i++) visit(b.emit1('extract', [v], i))
    } else if (t.isFloat(v.type)) {
      const x = b.convert(v, t.f32)
      const square = b.emit1('mul', [x, x])
      sum = sum === undefined ? square : b.emit1('add', [sum, square])
    }
  }
  values.forEach(visit)
  return sum ?? b.const(t.f32, 0)
}

/** Operands of rows where differences are certain to be good: no jump is near. */
const samples: Readonly<Partial<Record<CommonOp, readonly number[]>>> = {
  add: [2, 3],
  sub: [2, 3],
  mul: [2, 3],
  div: [2, 3],
  rem: [7.25, 2],
  neg: [2],
  dot: [2, 3],
  matmul: [2, 3],
  transpose: [2],
}

/** Makes the tests of one row. */
export class Maker {
  readonly row: CommonOp
  readonly module: Module = new Module()
  readonly cases: Case[] = []
  readonly derivatives: Derivative[] = []
  readonly kernels: KernelCase[] = []
  #context: AdContext | undefined

  constructor(row: CommonOp) {
    this.row = row
  }

  /** Adds a struct type. */
  struct(name: string, fields: readonly (readonly [string, Type])[], isDifferentiable = false): Type {
    // Rows share modules: names are unique among them.
    const type = t.struct(
      `${this.row}_${name}`,
      fields.map(([field, of]) => ({ name: field, type: of })),
    )
    this.module.structs.push(type)
    if (isDifferentiable) type.diff = { type, fields: fields.map((_, i) => i), dzero: undefined, dadd: undefined }
    return type
  }

  /** An empty region. */
  region(): Region {
    return region()
  }

  /** Adds a function that others may call. */
  helper(
    name: string,
    ins: readonly Type[],
    outs: readonly Type[],
    body: (b: Builder, ...args: Value[]) => void,
  ): Func {
    const { func, b, args } = declare(this.module, name, ins, outs)
    body(b, ...args)
    return func
  }

  /** A function that applies the operation to its operands: with arguments, with constants, and its derivatives. */
  func(label: string, ins: readonly Type[], build: Build, options: CaseOptions = {}): void {
    const shapes = new Set(ins.filter(type => type.kind !== 'scalar').map(type => scalarsOf(type).length))
    const meet = ins.length <= 2 && ins.every(type => type.scalar !== undefined) && shapes.size <= 1
    const points = ins.length === 0 ? [[]] : (options.points ?? (meet ? lanewise(ins) : spread(ins)))
    const name = label === '' ? this.row : `${this.row} ${label}`
    const promised = options.promised ?? (() => true)
    const common = {
      gpuError: options.gpuError ?? 1e-6,
      isOwn: options.elsewhere !== true,
      cpuOnly: options.cpuOnly === true,
    }
    const func = this.#define(ins, build)
    this.cases.push({ name, func, points, operands: args => args, promised, ...common })
    // Large constants are many instructions, which say little that small ones do not.
    const size = ins.reduce((n, type) => n + scalarsOf(type).length, 0)
    if (size > 0 && size <= 12 && options.constants !== false)
      this.#ofConstants(name, ins, build, some(points, size <= 2 ? 6 : 2), promised, common)
    if (options.smooth !== undefined)
      this.#differentiate(name, ins, build, options.smooth === true ? this.#smooth(ins) : options.smooth)
  }

  /** Points from the sample of the row, where it fits, and others. */
  #smooth(ins: readonly Type[]): Point[] {
    const own = samples[this.row]
    if (own?.length !== ins.length) return smooth(ins, 2)
    return [ins.map((type, i) => assemble(type, () => own[i]!)), ...smooth(ins, 1)]
  }

  #define(ins: readonly Type[], build: Build): Func {
    // The result types are known once the body is there.
    const draft = declare(new Module(), 'draft', ins, [])
    const outs = list(build(draft.b, ...draft.args)).map(v => v.type)
    const { func, b, args } = declare(this.module, `f${this.module.funcs.length}`, ins, outs)
    b.emit('ret', [...list(build(b, ...args))])
    return func
  }

  #ofConstants(
    name: string,
    ins: readonly Type[],
    build: Build,
    points: readonly Point[],
    promised: (args: Point) => boolean,
    common: Pick<Case, 'gpuError' | 'isOwn' | 'cpuOnly'>,
  ): void {
    let each = 1
    const func = this.#define([], b => {
      const results = points.map(point => list(build(b, ...ins.map((type, i) => constant(b, type, point[i]!)))))
      each = results[0]!.length
      return results.flat()
    })
    this.cases.push({
      name: `${name}, of constants`,
      func,
      points: [[]],
      operands: (_, k) => points[Math.floor(k / each)]!,
      promised,
      ...common,
    })
  }

  #differentiate(name: string, ins: readonly Type[], build: Build, points: readonly Point[]): void {
    const cx = (this.#context ??= context(this.module))
    const of = this.#define(ins, (b, ...args) => squares(b, list(build(b, ...args))))
    const first = derivative(cx, of)
    const full = points.map((p, i) => argumentsOf(of, p, 1 + i))
    this.derivatives.push({ name: `derivative of ${name}`, of, func: first, points: full })
    this.cases.push({
      name: `derivative of ${name}`,
      func: first,
      points: full,
      operands: args => args,
      promised: () => true,
      gpuError: 1e-4,
      isOwn: false,
      cpuOnly: false,
    })
    const second = derivative(cx, first)
    this.derivatives.push({
      name: `second derivative of ${name}`,
      of: first,
      func: second,
      points: full.slice(0, 1).map(p => argumentsOf(first, p, 3)),
    })
  }

  /** An entry point of `threads` threads a group over buffers; the body gets a pointer to each and the number of its thread. */
  kernel(
    label: string,
    options: KernelOptions,
    body: (b: Builder, id: Value, at: (name: string) => Value, module: Module) => void,
  ): void {
    const { threads, buffers, groups = 1, uniforms = {}, prints = [], trap } = options
    const module = new Module()
    const globals = new Map<string, Global>()
    const add = (g: Global): void => {
      module.globals.push(g)
      globals.set(g.name, g)
    }
    for (const [name, { scalar, readonly }] of Object.entries(buffers)) {
      add(
        new Global(
          name,
          t.array(t.scalars[scalar], 0),
          readonly === true ? 'storage' : 'storage_rw',
          'structured',
          undefined,
          undefined,
          null,
        ),
      )
    }
    for (const name of Object.keys(uniforms))
      add(new Global(name, t.f32, 'uniform', 'uniform', undefined, undefined, null))
    const uint3 = t.vec(t.u32, 3)
    const entry = new Func(
      'computeMain',
      { params: [{ name: 'id', type: uint3, dir: 'in', noDiff: true }], result: t.voidType, resultNoDiff: true },
      null,
    )
    entry.info.entry = { stage: 'compute', numthreads: [threads, 1, 1], semantics: ['SV_DISPATCHTHREADID'] }
    entry.body = region()
    module.funcs.push(entry)
    const b = new Builder(entry, entry.body)
    body(b, b.extract(b.param(uint3, 'id'), 0), name => b.emit1('global', [], globals.get(name)!), module)
    b.emit('ret', [])
    this.kernels.push({
      name: `${this.row} ${label}`,
      module,
      entry,
      groups: [groups, 1, 1],
      buffers,
      uniforms,
      prints,
      trap,
    })
  }
}

function context(module: Module): AdContext {
  const sink = new Sink()
  const cx: AdContext = adContext(
    module,
    {
      sink,
      derivatives: () => undefined,
      isTidy: () => false,
      tidy,
      observe: (stage, func, form) => {
        if (form !== undefined) verifyForm(func, form, stage)
      },
    },
    resolve,
  )
  return cx
}

/** The inputs of a function that have derivatives. */
export function activeInputs(func: Func): boolean[] {
  return inputs(func.sig).map(p => t.differential(p.type) !== null)
}

/** The function with both derivatives, written by the transforms. */
function derivative(cx: AdContext, of: Func): Func {
  cx.tidy(of)
  const active = activeInputs(of)
  const jvp = jvpOf(cx, of, active)
  const split = splitOf(cx, of, active)
  if (jvp === undefined || split === undefined || cx.sink.errors > 0)
    throw new Error(`${of.name}: ${cx.sink.list.map(d => d.message).join('; ')}`)
  const ins = inputs(of.sig).map(p => p.type)
  const own = ins.filter((_, i) => active[i]).map(type => t.differential(type)!)
  const tangents = of.results.filter((_, i) => jvp.results[i]).map(type => t.differential(type)!)
  const cts = of.results.map(type => t.differential(type)!)
  const { func, b, args } = declare(
    cx.module,
    `d${cx.module.funcs.length}`,
    [...ins, ...own, ...cts],
    [...of.results, ...tangents, ...own],
  )
  const given = args.slice(0, ins.length)
  const pushed = b.call(jvp.func, args.slice(0, ins.length + own.length))
  const primal = b.call(split.primal, given)
  const weights = args.slice(ins.length + own.length).filter((_, i) => split.activeResults[i])
  const grads = b.call(split.vjp, [...split.needs.map(i => given[i]!), ...primal.slice(split.own), ...weights])
  let next = 0
  const zeroed = own.map((type, i) =>
    split.activeInputs[active.flatMap((a, k) => (a ? [k] : []))[i]!] === true ? grads[next++]! : b.zero(type),
  )
  b.emit('ret', [...pushed, ...zeroed])
  return func
}

/** Arguments of the derivative of a function: those of the function, then tangents and cotangents without a pattern. */
function argumentsOf(of: Func, args: Point, seed: number): Point {
  let at = 0
  const number = (): number => Math.fround(Math.sin(12.9898 * ++at + 78.233 * seed) * 0.9 + 0.05)
  const own = inputs(of.sig).flatMap(p => t.differential(p.type) ?? [])
  const cts = of.results.flatMap(type => t.differential(type) ?? [])
  return [...args, ...[...own, ...cts].map(type => fill(type, number))]
}
