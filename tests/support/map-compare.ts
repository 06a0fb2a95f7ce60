/** Compares a map with as many calls, bit for bit. */
import { expect } from 'vitest'
import type { CpuModule } from '../../src/cpu/index.ts'
import { anyDirection, anyScalar, build, randomFrom, type Random } from '../../src/cpu/sample.ts'
import type { DataType, ExportedFunction } from '../../src/index.ts'

type Values = Readonly<Record<string, unknown>>
type List = ArrayLike<unknown>

/** The value of one element of a list, in the form in which a call gives it. */
export function pick(type: DataType, list: unknown, i: number): unknown {
  const each = (count: number, f: (k: number) => unknown): unknown[] => Array.from({ length: count }, (_, k) => f(k))
  switch (type.kind) {
    case 'void':
      return undefined
    case 'scalar': {
      const x = (list as List)[i]
      return type.scalar === 'bool' ? x === 1 || x === true : x
    }
    case 'vector':
      return each(type.count, k => pick({ kind: 'scalar', scalar: type.scalar, size: 4 }, list, i * type.count + k))
    case 'matrix':
      return each(type.rows, r =>
        pick({ kind: 'vector', scalar: type.scalar, count: type.cols, size: 0 }, list, i * type.rows + r),
      )
    case 'array':
      if (Array.isArray(list) && holdsStruct(type)) return list[i]
      return each(type.count, k => pick(type.elem, list, i * type.count + k))
    case 'struct':
      return Array.isArray(list)
        ? list[i]
        : Object.fromEntries(type.fields.map(f => [f.name, pick(f.type, (list as Values)[f.name], i)]))
  }
}

function holdsStruct(type: DataType): boolean {
  return type.kind === 'struct' || (type.kind === 'array' && holdsStruct(type.elem))
}

/** The numbers of a value, in order. */
function numbers(value: unknown): number[] {
  if (typeof value === 'number') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbers) : []
}

/** Sums of 64 rows each, one after the other, and then their sum: in single precision. */
export function summed(rows: readonly (readonly number[])[]): number[] {
  const add = (a: readonly number[], b: readonly number[]): number[] => a.map((x, k) => Math.fround(x + b[k]!))
  const blocks: (readonly number[])[][] = []
  rows.forEach((row, i) => (blocks[Math.floor(i / 64)] ??= []).push(row))
  return [...blocks.map(block => block.reduce(add)).reduce(add)]
}

/** The lists that values make, by fields where they are structs, else number by number. */
export function columns(type: DataType, values: readonly unknown[]): unknown {
  if (type.kind === 'struct')
    return Object.fromEntries(
      type.fields.map(f => [
        f.name,
        columns(
          f.type,
          values.map(v => (v as Values)[f.name]),
        ),
      ]),
    )
  if (type.kind === 'array' && type.elem.kind === 'struct')
    return columns(
      type.elem,
      values.flatMap(v => v as unknown[]),
    )
  return values.flatMap(flat)
}

function flat(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(flat) : [value]
}

/** Arguments of a function by name: lists of values for those that are mapped. */
interface Inputs {
  readonly signature: ExportedFunction
  readonly inputs: readonly { readonly name: string; readonly type: DataType; readonly gradient: DataType | null }[]
  readonly isMapped: (name: string) => boolean
  readonly count: number
  /** By argument: a value for each element, or one. */
  readonly values: ReadonlyMap<string, unknown>
  readonly tangents: ReadonlyMap<string, unknown>
  /** How lists are given. */
  readonly given: (type: DataType, values: readonly unknown[]) => unknown
}

/** Random arguments. */
export function inputsOf(
  signature: ExportedFunction,
  mapped: readonly string[],
  count: number,
  seed: number,
  given: Inputs['given'] = (_, values) => values,
): Inputs {
  const random: Random = randomFrom(seed)
  const inputs = signature.params.flatMap((p, i) =>
    p.dir === 'out' ? [] : [{ name: p.name, type: p.type, gradient: signature.gradients[i]! }],
  )
  const isMapped = (name: string): boolean => mapped.includes(name)
  const many = (name: string, make: () => unknown): unknown =>
    isMapped(name) ? Array.from({ length: count }, make) : make()
  const values = new Map(
    inputs.map(p => [p.name, many(p.name, () => build(p.type, anyScalar(random, random() < 0.5)))] as const),
  )
  const tangents = new Map(
    inputs.map(p => [p.name, p.gradient && many(p.name, () => anyDirection(random, p.gradient))] as const),
  )
  return { signature, inputs, isMapped, count, values, tangents, given }
}

/** Calls the function for each element and by a map, and expects the same. */
export async function expectCalls(m: CpuModule, at: Inputs, isAsync = false): Promise<void> {
  const { signature, inputs, isMapped, count, values, tangents, given } = at
  const { name, differentiable } = signature
  const fn = m.fn[name]
  const args = (i: number, of = values): unknown[] =>
    inputs.map(p => (isMapped(p.name) ? ((of.get(p.name) as List | null)?.[i] ?? null) : of.get(p.name)))
  const listed = (of: typeof values, type: (p: Inputs['inputs'][number]) => DataType): Values =>
    Object.fromEntries(
      inputs.flatMap(p => {
        const value = of.get(p.name)
        if (value === null) return []
        return [[p.name, isMapped(p.name) ? given(type(p), value as unknown[]) : value]]
      }),
    )
  const primals = listed(values, p => p.type)
  const how = { mapped: inputs.flatMap(p => (isMapped(p.name) ? [p.name] : [])) }
  const run = (options: object): unknown =>
    isAsync ? m.mapAsync(name, primals, { ...how, ...options }) : m.map(name, primals, { ...how, ...options })
  const outs = signature.params.flatMap((p, i) =>
    p.dir === 'in' ? [] : [{ name: p.name, type: p.type, gradient: signature.gradients[i]! }],
  )
  const one = (all: unknown, i: number, isTangent = false): unknown => {
    const own = (type: DataType, derivative: DataType | null, list: unknown): unknown =>
      isTangent ? (derivative === null || list === null ? null : pick(derivative, list, i)) : pick(type, list, i)
    if (outs.length === 0) return own(signature.result, signature.tangent, all)
    const { result, out } = all as { result: unknown; out: Values }
    return {
      result:
        signature.result.kind === 'void'
          ? isTangent
            ? null
            : undefined
          : own(signature.result, signature.tangent, result),
      out: Object.fromEntries(outs.map(o => [o.name, own(o.type, o.gradient, out[o.name])])),
    }
  }
  const all = Array.from({ length: count }, (_, i) => i)
  const value = await run({})
  all.forEach(i => expect(one(value, i), `value ${i}`).toEqual(fn(...args(i))))
  if (differentiable === 'none') return
  const along = await run({ derivative: 'jvp', tangents: listed(tangents, p => p.gradient!) })
  all.forEach(i => {
    const expected = fn.jvp(args(i), args(i, tangents))
    expect(one((along as Values)['value'], i), `value ${i} by jvp`).toEqual(expected.value)
    expect(one((along as Values)['tangent'], i, true), `tangent ${i}`).toEqual(expected.tangent)
  })
  if (differentiable === 'forward') return
  const both = (await run({ derivative: 'valueAndGrad' })) as { readonly value: unknown; readonly grad: Values }
  const calls = all.map(i => fn.valueAndGrad(...args(i)))
  calls.forEach((call, i) => expect(one(both.value, i), `value ${i} by valueAndGrad`).toEqual(call.value))
  inputs.forEach((p, k) => {
    const got = both.grad[p.name]
    if (p.gradient === null) expect(got).toBe(null)
    else if (isMapped(p.name))
      calls.forEach((call, i) => expect(pick(p.gradient!, got, i), `gradient ${i} of ${p.name}`).toEqual(call.grad[k]))
    else if (count > 0 && p.gradient.size > 0)
      expect(numbers(got), `gradient of ${p.name}`).toEqual(summed(calls.map(call => numbers(call.grad[k]))))
  })
}
