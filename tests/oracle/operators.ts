/** Operators on values. Nothing here knows the compiler. */
import * as d from './dual.ts'
import type { Num } from './dual.ts'
import type { BinaryOp, Type } from './tree.ts'
import { list, num, type Value } from './value.ts'

export function negated(v: Value): Value {
  return Array.isArray(v) ? list(v).map(negated) : d.neg(num(v))
}

/** A lane-by-lane operator; a number beside a vector or matrix counts for each lane. */
function spread(op: (x: Num, y: Num) => Num): (x: Value, y: Value) => Value {
  const f = (x: Value, y: Value): Value => {
    if (Array.isArray(x)) return list(x).map((v, i) => f(v, Array.isArray(y) ? list(y)[i]! : y))
    return Array.isArray(y) ? list(y).map(w => f(x, w)) : op(num(x), num(y))
  }
  return f
}

const reals: Readonly<Record<string, (x: Num, y: Num) => Num>> = { '+': d.add, '-': d.sub, '*': d.mul, '/': d.div }
const wholes: Readonly<Record<string, (x: number, y: number) => number>> = {
  '+': (x, y) => x + y,
  '-': (x, y) => x - y,
  '*': Math.imul,
  '/': (x, y) => Math.trunc(x / y),
  '%': (x, y) => x % y,
  '&': (x, y) => x & y,
  '|': (x, y) => x | y,
  '^': (x, y) => x ^ y,
  '<<': (x, y) => x << y,
}

/** A binary operator on values whose left one has a type. */
export function binary(op: BinaryOp, type: Type): (x: Value, y: Value) => Value {
  const isWhole = type.kind === 'int' || type.kind === 'uint'
  if (isWhole) {
    if (op === '>>')
      return type.kind === 'int' ? (x, y) => (x as number) >> (y as number) : (x, y) => (x as number) >>> (y as number)
    const f = wholes[op]
    if (f !== undefined)
      return type.kind === 'int'
        ? (x, y) => f(x as number, y as number) | 0
        : (x, y) => f(x as number, y as number) >>> 0
  }
  const order = (f: (x: number, y: number) => boolean): ((x: Value, y: Value) => Value) =>
    isWhole
      ? (x, y) => f(x as number, y as number)
      : (x, y) => {
          const [a, b] = [d.real(num(x)), d.real(num(y))]
          d.compared(a, b)
          return f(a, b)
        }
  switch (op) {
    case '<':
      return order((x, y) => x < y)
    case '>':
      return order((x, y) => x > y)
    case '<=':
      return order((x, y) => x <= y)
    case '>=':
      return order((x, y) => x >= y)
    case '==':
      return order((x, y) => x === y)
    case '!=':
      return order((x, y) => x !== y)
    default:
      return spread(reals[op]!)
  }
}
