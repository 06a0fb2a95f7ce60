/**
 * Quotients and remainders of integers of 32 bits, for which vectors have no instruction. Doubles find them. Where a divisor does not divide a
 * number, their quotient is away from the next whole number by at least one part in 2³² of itself; a double is right to one part in 2⁵³.
 */
import type { Graph } from '../graph.ts'
import type { Node } from '../node.ts'
import { f64x2, i32, i32x4, op, type VectorType } from '../opcode.ts'

/** What a graph of vectors does for this. */
interface Vectors extends Graph {
  as(type: VectorType, x: Node): Node
  shuffle(type: VectorType, x: Node, y: Node, words: readonly number[]): Node
}

/** The quotient or remainder of each lane, rounded toward zero; undefined for other instructions. No divisor is zero. */
export function divided(g: Vectors, code: number, x: Node, y: Node): Node | undefined {
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

function quotient(g: Vectors, x: Node, y: Node, signed: boolean): Node {
  const n = y.op === op.i32Const ? (y.imm as number) : 0
  const wide = g.as(i32x4, x)
  if (n > 1 && (n & (n - 1)) === 0) return shifted(g, wide, 31 - Math.clz32(n), signed)
  const convert = signed ? op.f64x2ConvertLowI32x4S : op.f64x2ConvertLowI32x4U
  const truncate = signed ? op.i32x4TruncSatF64x2SZero : op.i32x4TruncSatF64x2UZero
  const low = (of: Node): Node => g.plain(convert, f64x2, [of])
  const high = (of: Node): Node => low(g.shuffle(i32x4, of, of, [2, 3, 2, 3]))
  const [first, second] = [low, high].map(half => {
    const found =
      n === 0
        ? g.plain(op.f64x2Div, f64x2, [half(wide), half(g.as(i32x4, y))])
        : g.plain(op.f64x2Mul, f64x2, [half(wide), g.as(f64x2, g.f64(reciprocal(signed ? n : n >>> 0)))])
    return g.plain(truncate, i32x4, [found])
  })
  return g.shuffle(i32x4, first!, second!, [0, 1, 4, 5])
}

/** The quotient by a power of two. */
function shifted(g: Vectors, x: Node, bits: number, signed: boolean): Node {
  if (!signed) return g.plain(op.i32x4ShrU, i32x4, [x, g.i32(bits)])
  // A shift rounds down: to a number below zero, the divisor less one is added before.
  const sign = g.plain(op.i32x4ShrS, i32x4, [x, g.i32(31)])
  const less = g.plain(op.i32x4ShrU, i32x4, [sign, g.i32(32 - bits)])
  return g.plain(op.i32x4ShrS, i32x4, [g.plain(op.i32x4Add, i32x4, [x, less]), g.i32(bits)])
}

/**
 * What to multiply by instead of a division. It is a little too large, so that multiples of the divisor do not end below their quotient, and by
 * too little for other numbers to reach the next one.
 */
function reciprocal(by: number): number {
  return (1 + 2 ** -50) / by
}

function remainder(g: Vectors, x: Node, y: Node, signed: boolean): Node {
  // The quotient of the least integer by -1 is too large; the remainder by 1 is the same.
  const by = signed ? g.select(g.pure(op.i32Eq, i32, y, g.i32(-1)), g.i32(1), y) : y
  const whole = g.plain(op.i32x4Mul, i32x4, [quotient(g, x, by, signed), g.as(i32x4, by)])
  return g.plain(op.i32x4Sub, i32x4, [g.as(i32x4, x), whole])
}
