/** Conversions by value, decided on the concrete types; `ConvertExpr` of the tree lists them. */
import { roundTo } from '../base/number.ts'
import type { Fn } from './context.ts'
import type { Builder } from '../ir/build.ts'
import * as t from '../ir/type.ts'
import type { Type } from '../ir/type.ts'
import type { Value } from '../ir/value.ts'
import { loaded } from './box.ts'
import { closed, opened } from './columns.ts'
import { impossible } from './context.ts'

/** The value as another type. */
export function convert(fn: Fn, value: Value, to: Type): Value {
  const { b } = fn
  const from = value.type
  if (from === to) return value
  // What a block holds may convert on.
  if (from.kind === 'ptr' && from.space === 'uniform' && to.kind !== 'ptr') return convert(fn, loaded(fn, value), to)
  if (from.columnsOf !== null) return convert(fn, opened(b, value), to)
  if (to.columnsOf !== null) return closed(b, convert(fn, value, to.columnsOf), to)
  if (from.kind === 'array' && to.kind === 'array')
    return b.construct(
      to,
      Array.from({ length: to.count }, (_, i) => convert(fn, b.extract(value, i), to.elem!)),
    )
  // Pairs convert half by half.
  if (from.kind === 'struct' && to.kind === 'struct' && from.count === to.count)
    return b.construct(
      to,
      to.fields.map((f, i) => convert(fn, b.extract(value, i), f.type)),
    )
  if (from.scalar === undefined || to.scalar === undefined) {
    fn.unsupported(`a conversion from ${from.name} to ${to.name} in generic code`)
    return b.emit1('undef', [], null, to)
  }
  if (from.kind !== 'scalar') return b.convert(reshape(b, value, to), to)
  const scalar = t.scalars[to.scalar]
  const def = value.def
  const known =
    def.op !== 'param' &&
    def.op === 'const' &&
    typeof def.attr !== 'object' &&
    typeof def.attr !== 'string' &&
    // It may have more digits than its type, which are lost on the way to another.
    (!t.isFloat(from) || scalar === t.f16 || roundTo(from.scalar, Number(def.attr)) === def.attr)
  return b.splat(known ? constant(fn, scalar, def.attr) : b.convert(value, scalar), to)
}

/** The lanes in the shape of `to`, with the scalar they had. */
function reshape(b: Builder, value: Value, to: Type): Value {
  const from = value.type
  const target = t.withScalar(to, t.scalars[from.scalar!])
  if (from === target) return value
  if (from.kind === 'scalar') return b.splat(value, target)
  if (from.kind === 'vec' && from.count === 1) return reshape(b, b.extract(value, 0), to)
  if (to.kind === 'scalar') return scalars(b, value)[0]!
  if (from.kind === 'vec' && to.kind === 'vec' && to.count < from.count) {
    if (to.count === 1) return b.construct(target, [b.extract(value, 0)])
    return b.swizzle(
      value,
      Array.from({ length: to.count }, (_, i) => i),
    )
  }
  if (from.kind === 'mat' && to.kind === 'mat') {
    const rows: Value[] = []
    for (let i = 0; i < to.count; i++) rows.push(reshape(b, b.extract(value, i), to.elem!))
    return b.construct(target, rows)
  }
  return fill(b, target, scalars(b, value))
}

/** The scalars of a vector or matrix, row by row. */
export function scalars(b: Builder, value: Value): Value[] {
  if (value.type.kind === 'scalar') return [value]
  const out: Value[] = []
  for (let i = 0; i < value.type.count; i++) out.push(...scalars(b, b.extract(value, i)))
  return out
}

/** A scalar, vector or matrix from its scalars, row by row. */
export function fill(b: Builder, type: Type, parts: readonly Value[]): Value {
  if (type.kind === 'scalar') return parts[0] ?? impossible('too few parts')
  if (type.kind === 'vec') {
    if (type.count > 1 && parts.every(p => p === parts[0])) return b.splat(parts[0]!, type)
    return b.construct(type, parts.slice(0, type.count))
  }
  const cols = type.elem!.count
  const rows: Value[] = []
  for (let i = 0; i < type.count; i++) rows.push(fill(b, type.elem!, parts.slice(i * cols, (i + 1) * cols)))
  return b.construct(type, rows)
}

/** A scalar constant of a type: rounded where the type has fewer bits than the number. */
export function constant(fn: Fn, type: Type, value: number | bigint | boolean): Value {
  const { b } = fn
  switch (type.scalar) {
    case 'bool':
      return b.const(type, Boolean(value))
    // With all its digits: each target rounds it, unless it computes in double precision.
    case 'f32':
      return b.const(type, Number.isFinite(Math.fround(Number(value))) ? Number(value) : Math.fround(Number(value)))
    case 'f64':
    case 'f16':
      return b.const(type, Number(value))
    case 'i64':
      return b.const(type, BigInt.asIntN(64, whole(value)))
    case 'u64':
      return b.const(type, BigInt.asUintN(64, whole(value)))
    case 'i8':
      return b.const(type, (Number(value) << 24) >> 24)
    case 'i16':
      return b.const(type, (Number(value) << 16) >> 16)
    case 'i32':
      return b.const(type, Number(value) | 0)
    case 'u8':
      return b.const(type, Number(value) & 0xff)
    case 'u16':
      return b.const(type, Number(value) & 0xffff)
    case 'u32':
      return b.const(type, Number(value) >>> 0)
    case undefined:
      return impossible(`a constant of type ${type.name}`)
  }
}

function whole(value: number | bigint | boolean): bigint {
  return typeof value === 'number' ? BigInt(Math.trunc(value)) : BigInt(value)
}
