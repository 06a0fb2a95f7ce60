/**
 * Quotients and remainders of integers of 32 bits, for which vectors have no instruction. Doubles find them: a quotient that is no whole
 * number differs from the next one by a part of 2⁻³², of which a double has 2⁵³.
 */
import type { Node } from '../node.ts'
import { f64x2, i32, i32x4, op } from '../opcode.ts'
import type { WideGraph } from './graph.ts'

/** The quotient or remainder of each lane, rounded toward zero; undefined for other instructions. No divisor is zero. */
export function divided(g: WideGraph, code: number, x: Node, y: Node): Node | undefined {
  switch (code) {
    case op.i32DivS:
      return quotient(g, x, y, true)
    case op.i32DivU:
      return quotient(g, x, y, false)
    case op.i32RemS:
      return remainder(g, x, y, true)
    case op.i32RemU:
      return remainder(g, x, y, false)
    default:
      return undefined
  }
}

function quotient(g: WideGraph, x: Node, y: Node, signed: boolean): Node {
  const n = y.op === op.i32Const ? (y.imm as number) : 0
  const wide = g.as(i32x4, x)
  if (n > 1 && (n & (n - 1)) === 0) {
    const bits = 31 - Math.clz32(n)
    if (!signed) return g.plain(op.i32x4ShrU, i32x4, [wide, g.i32(bits)])
    // A shift rounds down: below zero, the divisor less one comes first.
    const sign = g.plain(op.i32x4ShrS, i32x4, [wide, g.i32(31)])
    const most = g.plain(op.i32x4ShrU, i32x4, [sign, g.i32(32 - bits)])
    return g.plain(op.i32x4ShrS, i32x4, [g.plain(op.i32x4Add, i32x4, [wide, most]), g.i32(bits)])
  }
  const convert = signed ? op.f64x2ConvertLowI32x4S : op.f64x2ConvertLowI32x4U
  const truncate = signed ? op.i32x4TruncSatF64x2SZero : op.i32x4TruncSatF64x2UZero
  const [low, high] = [
    [0, 1, 0, 1],
    [2, 3, 2, 3],
  ].map(half => {
    const part = (of: Node): Node => g.plain(convert, f64x2, [half[0] === 0 ? of : g.shuffle(i32x4, of, of, half)])
    const by = (): Node => part(g.as(i32x4, y))
    const found =
      n === 0
        ? g.plain(op.f64x2Div, f64x2, [part(wide), by()])
        : g.plain(op.f64x2Mul, f64x2, [part(wide), g.as(f64x2, g.f64(reciprocal(signed ? n : n >>> 0)))])
    return g.plain(truncate, i32x4, [found])
  })
  return g.shuffle(i32x4, low!, high!, [0, 1, 4, 5])
}

/** What to multiply by instead of a division: a little too much, so that multiples of the divisor do not end below their quotient. */
function reciprocal(by: number): number {
  return (1 + 2 ** -50) / by
}

function remainder(g: WideGraph, x: Node, y: Node, signed: boolean): Node {
  // Of the least integer and -1 the quotient is too large; of 1 the remainder is the same.
  const by = signed && y.op !== op.i32Const ? g.select(g.pure(op.i32Eq, i32, y, g.i32(-1)), g.i32(1), y) : y
  const whole = g.plain(op.i32x4Mul, i32x4, [quotient(g, x, by, signed), g.as(i32x4, by)])
  return g.plain(op.i32x4Sub, i32x4, [g.as(i32x4, x), whole])
}
