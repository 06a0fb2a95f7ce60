/**
 * Functions in doubles whose results are used as floats: after range reduction a polynomial (interpolated at Chebyshev nodes, relative
 * error below 1.3e-9) gives what rounds to the nearest float but for rare cases next to a tie.
 */
import { Arithmetic, magic } from './arithmetic.ts'
import type { Graph } from './graph.ts'
import type { Node } from './node.ts'
import { f64, i32, i64, op } from './opcode.ts'

/** The bits of `magic`: with a small integer added they are the double that is as much more. */
const magicBits = 0x4338000000000000n
/** pi / 2 in two parts. */
const halfPi = [1.570796325802803, 9.920935796805404e-10] as const

/** (e^r - 1) / r for |r| up to ln 2 / 2. */
const expm1Terms = [
  1, 0.5000000047117786, 0.1666666671899754, 0.041666352896649515, 0.008333298483740934, 0.0013941108444434013,
  0.00019899273970266023,
]
/** atanh(s) / s by s². */
const atanhTerms = [
  1.0000000000041798, 0.3333333262374376, 0.20000192336187594, 0.14267525518908156, 0.11808179549572992,
]
/** atan(t) / t by t², for |t| up to tan(pi / 8). */
const atanTerms = [
  0.9999999993708759, -0.3333330688087329, 0.1999818238429247, -0.14239520496019037, 0.10569738020637064,
  -0.0602607096060536,
]
/** tan(r) / r by r², for |r| up to pi / 4. */
const tanTerms = [
  0.9999999988543271, 0.33333357057898766, 0.13332533771548047, 0.05406994604001738, 0.02124247921096884,
  0.010919891409833167, -1.0887026091349932e-6, 0.004415346765019442,
]

export class Doubles extends Arithmetic {
  constructor(g: Graph) {
    super(g, f64)
  }

  /** 2^x, as far as it differs from zero and infinity as a float: a power of two, and the rest less one. */
  #power(x: Node): readonly [power: Node, near: Node] {
    const { g } = this
    const limited = this.clamp(x, -160, 130)
    const { sum, whole } = this.rounded(limited)
    const rest = this.mul(this.sub(limited, whole), this.number(Math.LN2))
    const shifted = g.pure(op.i64Shl, i64, this.bits(sum), g.i64(52n))
    const power = this.fromBits(g.pure(op.i64Add, i64, shifted, g.i64(1023n << 52n)))
    return [power, this.mul(rest, this.polynomial(rest, expm1Terms))]
  }

  #exp2(x: Node): Node {
    const [power, near] = this.#power(x)
    return this.mul(this.add(near, this.number(1)), power)
  }

  /** The natural logarithm of a positive finite float. */
  #log(x: Node): Node {
    return this.mul(this.log2(x), this.number(Math.LN2))
  }

  #sqrt(x: Node): Node {
    return this.g.pure(op.f64Sqrt, f64, x)
  }

  /** The binary logarithm of a positive finite float: x = 2^k m with m around 1, and log m = 2 atanh((m - 1) / (m + 1)). */
  log2(x: Node): Node {
    const { g } = this
    const all = this.bits(x)
    const above = g.pure(op.i64Sub, i64, all, g.i64(0x3fe6a09e667f3bcdn))
    const k = g.pure(op.i64ShrS, i64, above, g.i64(52n))
    const m = this.fromBits(g.pure(op.i64Sub, i64, all, g.pure(op.i64Shl, i64, k, g.i64(52n))))
    const s = this.div(this.sub(m, this.number(1)), this.add(m, this.number(1)))
    const terms = atanhTerms.map(c => 2 * c * Math.LOG2E)
    const whole = this.sub(this.fromBits(g.pure(op.i64Add, i64, k, g.i64(magicBits))), this.number(magic[f64]))
    return this.add(whole, this.mul(s, this.polynomial(this.mul(s, s), terms)))
  }

  /** x^y for positive finite x, and y that is no positive infinity. */
  pow(x: Node, y: Node): Node {
    return this.#exp2(this.mul(y, this.log2(x)))
  }

  /**
   * The angle of the point (x, |y|), from 0 to pi; no number where x and y both are zero or infinite. The quotient of the smaller of |x| and
   * |y| by the larger is the tangent of an angle up to pi / 4, from which the other one follows. Above pi / 8 the polynomial is of that
   * angle less pi / 4: its tangent is the quotient of their difference by their sum.
   */
  angle(y: Node, x: Node): Node {
    const { g } = this
    const [height, width] = [y, x].map(v => this.abs(v)) as [Node, Node]
    const isSteep = this.less(width, height)
    const large = g.select(isSteep, height, width)
    const small = g.select(isSteep, width, height)
    const isLarge = this.less(this.mul(large, this.number(Math.SQRT2 - 1)), small)
    const tangent = this.div(
      g.select(isLarge, this.sub(small, large), small),
      g.select(isLarge, this.add(small, large), large),
    )
    const near = this.mul(tangent, this.polynomial(this.mul(tangent, tangent), atanTerms))
    const low = g.select(isLarge, this.add(near, this.number(Math.PI / 4)), near)
    const right = g.select(isSteep, this.sub(this.number(Math.PI / 2), low), low)
    return g.select(this.less(x, this.number(0)), this.sub(this.number(Math.PI), right), right)
  }

  /** sqrt(1 - x²): the cosine of an angle whose sine is x, and the other way round. */
  leg(x: Node): Node {
    const one = this.number(1)
    return this.#sqrt(this.mul(this.sub(one, x), this.add(one, x)))
  }

  /** For x = k pi / 2 + r the tangent of r, or where k is odd -1 / tan(r). */
  tan(x: Node): Node {
    const { g } = this
    const [rest, sum] = this.quarters(x)
    const tangent = this.mul(rest, this.polynomial(this.mul(rest, rest), tanTerms))
    const isOdd = g.pure(op.i64Ne, i32, g.pure(op.i64And, i64, sum, g.i64(1n)), g.i64(0n))
    return g.select(isOdd, this.div(this.number(-1), tangent), tangent)
  }

  cosh(x: Node): Node {
    const e = this.#exp2(this.mul(this.abs(x), this.number(Math.LOG2E)))
    return this.mul(this.add(e, this.div(this.number(1), e)), this.number(0.5))
  }

  /** Of x that is not negative, by m = e^x - 1: (m + m / (m + 1)) / 2. */
  sinh(x: Node): Node {
    const [power, near] = this.#power(this.mul(x, this.number(Math.LOG2E)))
    const one = this.number(1)
    const m = this.add(this.mul(near, power), this.sub(power, one))
    return this.mul(this.add(m, this.div(m, this.add(m, one))), this.number(0.5))
  }

  /** Of finite x that is not negative, and not so small that it is its own result. */
  asinh(x: Node): Node {
    return this.#log(this.add(x, this.#sqrt(this.add(this.mul(x, x), this.number(1)))))
  }

  /** Of finite x from 1 on. The square of a float is exact. */
  acosh(x: Node): Node {
    return this.#log(this.add(x, this.#sqrt(this.sub(this.mul(x, x), this.number(1)))))
  }

  /** Of x below 1 that is not negative, and not so small that it is its own result. */
  atanh(x: Node): Node {
    const one = this.number(1)
    return this.mul(this.#log(this.div(this.add(one, x), this.sub(one, x))), this.number(0.5))
  }

  /** What x is more than a multiple of a quarter of a turn, at most an eighth, and a number whose low bits hold the multiple. */
  quarters(x: Node): readonly [rest: Node, sum: Node] {
    const { sum, whole } = this.rounded(this.mul(x, this.number(2 / Math.PI)))
    return [this.rest(x, whole, halfPi), this.bits(sum)]
  }
}
