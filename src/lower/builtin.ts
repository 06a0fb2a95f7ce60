/** How the built-in types meet the requirements of the core interfaces, and the members that the compiler makes for `IDifferentiable`. */
import type { Fn } from './context.ts'
import { constant } from './convert.ts'
import type { Operand } from './ref.ts'
import type { BinaryOp } from '../check/model/tree.ts'
import type { FuncRef } from '../check/model/func-ref.ts'
import { show } from '../check/model/type.ts'
import * as t from '../ir/type.ts'
import type { Value } from '../ir/value.ts'
import { valueOf } from './call.ts'
import { opened } from './columns.ts'
import { impossible } from './context.ts'
import { convert } from './convert.ts'
import { binary, unary } from './expr.ts'
import { componentOf, indexValue, indexOf, write } from './place.ts'
import { scaleDifferential } from './scale.ts'
import { addDifferentials, zeroDifferential } from './zero.ts'

const binaries: Readonly<Record<string, BinaryOp>> = {
  add: '+',
  sub: '-',
  mul: '*',
  div: '/',
  mod: '%',
  shl: '<<',
  shr: '>>',
  bitAnd: '&',
  bitOr: '|',
  bitXor: '^',
  and: '&',
  or: '|',
  equals: '==',
  lessThan: '<',
  lessThanOrEquals: '<=',
}

const conversions: Readonly<Record<string, t.Type>> = {
  toInt: t.i32,
  toInt64: t.i64,
  toUInt: t.u32,
  toUInt64: t.u64,
  toFloat: t.f32,
}

/** Evaluates a requirement on a type that has no declaration for it. */
export function builtinMember(
  fn: Fn,
  ref: FuncRef & { readonly kind: 'requirement' },
  operands: readonly Operand[],
): Value | undefined {
  const { b } = fn
  const type = fn.cx.types.of(ref.type)
  const name = ref.decl.name
  const value = (i: number): Value => valueOf(fn, operands[i] ?? impossible(`too few operands of ${name}`))
  if (name === 'dzero') return zeroDifferential(fn, type)
  if (name === 'dadd') return addDifferentials(fn, type, value(0), value(1))
  if (name === 'dmul') return scaleDifferential(fn, ref, value(0), value(1))
  if (ref.decl.role === 'constructor') return convert(fn, value(0), type)
  const op = binaries[name]
  if (op !== undefined) {
    const out = binary(fn, op, value(0), value(1))
    return out.type.scalar === 'bool' && out.type.kind === 'vec' && op !== '&' && op !== '|' ? allLanes(fn, out) : out
  }
  const to = conversions[name]
  if (to !== undefined) return convert(fn, value(0), to)
  switch (name) {
    case 'neg':
      return unary(fn, '-', value(0))
    case 'bitNot':
      return unary(fn, '~', value(0))
    case 'not':
      return unary(fn, '!', value(0))
    case 'scale':
      return b.mul(value(0), convert(fn, value(1), type))
    case 'getPi':
      return b.splatLike(constant(fn, t.scalars[type.scalar!], Math.PI), type)
    case 'getCount':
      return b.const(t.i32, type.count)
    default:
  }
  // A field meets the requirement of a property.
  const field = ref.decl.role === 'accessor' ? type.fields.findIndex(f => f.name === name) : -1
  if (field >= 0 && ref.decl.accessor === 'get') return opened(b, b.extract(value(0), field))
  const object = operands[0]
  if (field >= 0 && object !== undefined && object.dir !== 'in') {
    write(fn, componentOf(fn, object.ref, field), value(1))
    return undefined
  }
  if (ref.decl.role === 'accessor' && ref.decl.accessor === 'get') return indexValue(fn, value(0), value(1))
  if (ref.decl.role === 'accessor' && ref.decl.accessor === 'set' && operands[0]!.dir !== 'in') {
    write(fn, indexOf(fn, operands[0]!.ref, value(1)), value(2))
    return undefined
  }
  fn.unsupported(`${name} of ${show(ref.type)}`)
  const result = fn.cx.types.of(fn.cx.program.signature(ref).result)
  return result.kind === 'void' ? undefined : b.zero(result)
}

function allLanes(fn: Fn, value: Value): Value {
  let all = fn.b.extract(value, 0)
  for (let i = 1; i < value.type.count; i++) all = binary(fn, '&', all, fn.b.extract(value, i))
  return all
}
