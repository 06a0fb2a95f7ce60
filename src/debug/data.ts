/** Values of the interpreter: conversion from and to host values, and arithmetic along derivatives. */
import type { Data } from '../ir/run.ts'
import { zeroOf } from '../ir/run.ts'
import { differential, type Type } from '../ir/type.ts'

/** A host's value (numbers, arrays, objects for structs) as the interpreter has it; what is missing is zero. */
export function toData(type: Type, host: unknown): Data {
  if (host === undefined || host === null) return zeroOf(type)
  switch (type.kind) {
    case 'scalar': {
      if (type.scalar === 'bool') return Boolean(host)
      if (type.scalar === 'i64' || type.scalar === 'u64') return BigInt(host as number | string | bigint)
      return typeof host === 'number' ? host : Number(host)
    }
    case 'struct':
      if (type.columnsOf !== null) {
        const rows = toData(type.columnsOf, host) as readonly Data[]
        return [Array.from({ length: type.columnsOf.elem!.count }, (_, c) => rows.map(row => part(row, c)))]
      }
      return type.fields.map(f => toData(f.type, (host as Record<string, unknown>)[f.name]))
    case 'vec':
    case 'mat':
    case 'array': {
      const list = host as ArrayLike<unknown>
      return Array.from({ length: type.count || list.length }, (_, i) => toData(type.elem!, list[i]))
    }
    default:
      return zeroOf(type)
  }
}

/** Whether every float of a value is finite. */
export function isFinite(x: Data): boolean {
  if (typeof x === 'number') return Number.isFinite(x)
  return !Array.isArray(x) || (x as readonly Data[]).every(isFinite)
}

const part = (x: Data, i: number): Data => (x as readonly Data[])[i]!

/** `x + h·d`, where `d` is of the type's differential. */
export function moved(type: Type, x: Data, d: Data, h: number): Data {
  if (differential(type) === null) return x
  if (type.kind === 'scalar') return (x as number) + h * (d as number)
  if (type.kind !== 'struct') return (x as readonly Data[]).map((y, i) => moved(type.elem!, y, part(d, i), h))
  const to = type.diff!.fields
  return (x as readonly Data[]).map((y, i) => (to[i]! < 0 ? y : moved(type.fields[i]!.type, y, part(d, to[i]!), h)))
}

/** `(x − y) / h`, as a value of the type's differential. */
export function quotient(type: Type, x: Data, y: Data, h: number): Data {
  if (type.kind === 'scalar') return ((x as number) - (y as number)) / h
  if (type.kind !== 'struct') return (x as readonly Data[]).map((a, i) => quotient(type.elem!, a, part(y, i), h))
  const { type: d, fields } = type.diff!
  const out = d.fields.map(f => zeroOf(f.type))
  type.fields.forEach((f, i) => {
    const to = fields[i]!
    if (to >= 0 && differential(f.type) !== null) out[to] = quotient(f.type, part(x, i), part(y, i), h)
  })
  return out
}

/** The inner product of two values of one shape, over their floats. */
export function inner(x: Data, y: Data): number {
  if (typeof x === 'number' && typeof y === 'number') return x * y
  return Array.isArray(x) && Array.isArray(y)
    ? (x as readonly Data[]).reduce<number>((sum, a, i) => sum + inner(a, part(y as Data, i)), 0)
    : 0
}

/** A value of a type with its floats made by `float`, and zeros for the rest. */
export function filled(type: Type, float: () => number): Data {
  if (type.kind === 'scalar') return type.scalar!.startsWith('f') ? float() : zeroOf(type)
  if (type.kind === 'struct') return type.fields.map(f => filled(f.type, float))
  return type.kind === 'vec' || type.kind === 'mat' || type.kind === 'array'
    ? Array.from({ length: type.count }, () => filled(type.elem!, float))
    : zeroOf(type)
}
