/**
 * Elementary functions of floats as helpers, one form for scalars and for vectors. They compute in floats without branches, with errors below
 * 1.6 units in the last place. What needs more digits on the way is computed in doubles (`doubles.ts`): powers, binary logarithms,
 * tangents, sinh, cosh, inverses of trigonometric and hyperbolic functions, and what an angle is more than quarters of a turn. Doubles, and
 * floats outside of `usualRange`, use the bodies of core/libm.slang.
 */
import { InternalError } from '../../base/diag.ts'
import { Arithmetic } from './arithmetic.ts'
import { Doubles } from './doubles.ts'
import { Graph } from './graph.ts'
import { intrinsics } from './intrinsic.ts'
import { Callee, Code, type Node } from './node.ts'
import { f32, f64, i32, op } from './opcode.ts'

/** The target intrinsics that they are. */
export const elementaryNames: readonly string[] = [...intrinsics.keys()].filter(
  name => intrinsics.get(name)!.isElementary === true,
)

/** From here on, more digits of pi are needed for the quadrant of an angle than two doubles have. */
const hugeAngle = 2 ** 22
/** The bits of `magic`. */
const magicBits = 0x4b400000
/** ln 2 in two parts; the first has 9 bits, so that its product with an exponent is exact. */
const ln2 = [0.693359375, -2.1219444e-4] as const

// Polynomials of least relative error, by the method of Lawson (1961); coefficients rounded to floats one after the other.

/** (e^r - 1 - r) / r² for |r| up to ln 2 / 2. */
const expTerms = [
  0.4999999403953552, 0.1666652113199234, 0.04166825860738754, 0.008368666283786297, 0.0013821235625073314,
]
/** (2 atanh(s) / s - 2) / s² by s². */
const logTerms = [0.6666677594184875, 0.39977580308914185, 0.2987091839313507]
/** (sin(r) / r - 1) / r² and (1 - cos(r)) / r² by r², for |r| up to pi / 4. */
const sinTerms = [-0.16666655242443085, 0.008332191966474056, -0.0001951878803083673]
const cosTerms = [0.5, -0.04166664555668831, 0.00138873013202101, -2.4430661142105237e-5]
/** (tanh(x) / x - 1) / x² by x², for |x| up to `smallTanh`. */
const tanhTerms = [
  -0.3333328366279602, 0.133314847946167, -0.053742989897727966, 0.020649010315537453, -0.005715354811400175,
]
const smallTanh = 0.625
/** Below it asinh(x) and atanh(x) differ from x by less than a sixth of a unit in the last place. */
const ownResult = 2 ** -13

/**
 * Computes in doubles: gives `compute` its operands as doubles, and what that gives back as floats, and integers by their low halves. Of
 * vectors, of two lanes at a time.
 */
export type InDoubles = (
  args: readonly Node[],
  compute: (m: Doubles, x: Node, y: Node) => readonly Node[],
) => readonly Node[]

/** The code of a helper of floats. It calls `body`, the library's function, for operands outside of its range. */
export function elementaryCode(name: string, body: () => Callee): Code {
  const code = new Code(new Callee(`${name}32`, name === 'pow' || name === 'atan2' ? [f32, f32] : [f32], [f32]))
  const g = new Graph(code)
  const args = code.callee.params.map((_, i) => g.get(i))
  const inDoubles: InDoubles = (operands, compute) => {
    const [x, y] = operands.map(a => g.pure(op.f64PromoteF32, f64, a))
    return compute(new Doubles(g), x!, y!).map(r =>
      r.type === f64 ? g.pure(op.f32DemoteF64, f32, r) : g.pure(op.i32WrapI64, i32, r),
    )
  }
  const usual = usualRange(g, name, args)
  if (usual !== undefined) {
    g.when(g.eqz(usual), () => {
      const local = code.local(f32)
      g.stmt({ kind: 'call', func: body(), args, locals: [local], pure: true })
      g.stmt({ kind: 'return', values: [g.get(local)] })
      g.at.open = false
    })
  }
  g.stmt({ kind: 'return', values: [new Floats(g, inDoubles).result(name, args)] })
  return code
}

/** The condition under which the operands are in the helper's range; undefined if they always are. */
export function usualRange(g: Graph, name: string, [x, y]: readonly Node[]): Node | undefined {
  const below = (v: Node, limit: number): Node => g.pure(op.f32Lt, i32, v, g.f32(limit))
  switch (name) {
    case 'sin':
    case 'cos':
    case 'tan':
      return below(g.pure(op.f32Abs, f32, x!), hugeAngle)
    case 'pow': {
      // Of infinite powers the negative one needs nothing special.
      const finite = g.pure(op.i32And, i32, below(x!, Infinity), below(y!, Infinity))
      return g.pure(op.i32And, i32, g.pure(op.f32Gt, i32, x!, g.f32(0)), finite)
    }
    case 'atan2': {
      // The quotient of two zeros or infinities is no number. In passing, this leaves out sums that overflow.
      const sum = g.pure(op.f32Add, f32, g.pure(op.f32Abs, f32, x!), g.pure(op.f32Abs, f32, y!))
      return g.pure(op.i32And, i32, g.pure(op.f32Gt, i32, sum, g.f32(0)), below(sum, Infinity))
    }
    default:
      return undefined
  }
}

/** The functions in floats; of a graph of vectors, of four at once. */
export class Floats extends Arithmetic {
  readonly #inDoubles: InDoubles

  constructor(g: Graph, inDoubles: InDoubles) {
    super(g, f32)
    this.#inDoubles = inDoubles
  }

  /** What the function gives. */
  result(name: string, args: readonly Node[]): Node {
    const { g } = this
    const x = args[0]!
    const inDoubles = (compute: (m: Doubles, x: Node, y: Node) => Node): Node =>
      this.#inDoubles(args, (m, d, e) => [compute(m, d, e)])[0]!
    switch (name) {
      case 'exp':
        return this.#exp(this.clamp(x, -104, 89))
      case 'exp2':
        return this.#exp2(this.clamp(x, -150, 128))
      case 'log':
        return this.#orEdge(x, this.#log(x))
      case 'log2':
        return this.#orEdge(
          x,
          inDoubles((m, d) => m.log2(d)),
        )
      case 'sin':
        return this.#sine(x, 0)
      case 'cos':
        return this.#sine(x, 1)
      case 'tan':
        return inDoubles((m, d) => m.tan(d))
      case 'atan2':
        return this.#signed(
          x,
          inDoubles((m, height, width) => m.angle(height, width)),
        )
      case 'atan':
        return this.#signed(
          x,
          inDoubles((m, d) => m.angle(d, m.number(1))),
        )
      case 'asin':
        return this.#signed(
          x,
          inDoubles((m, d) => m.angle(d, m.leg(d))),
        )
      case 'acos':
        return inDoubles((m, d) => m.angle(m.leg(d), d))
      case 'pow':
        return inDoubles((m, base, power) => m.pow(base, power))
      case 'tanh':
        return this.#tanh(x)
      case 'cosh':
        return inDoubles((m, d) => m.cosh(d))
      case 'sinh':
        return this.#signed(
          x,
          inDoubles((m, d) => m.sinh(m.abs(d))),
        )
      case 'asinh':
        return this.#oddly(
          x,
          inDoubles((m, d) => m.asinh(m.abs(d))),
          Infinity,
          x,
        )
      case 'atanh':
        // The quotient is infinite at 1, and no number beyond.
        return this.#oddly(
          x,
          inDoubles((m, d) => m.atanh(m.abs(d))),
          1,
          this.div(x, g.pure(op.f32Sqrt, f32, this.sub(this.number(1), this.abs(x)))),
        )
      case 'acosh': {
        const usual = this.#whole(
          op.i32And,
          this.less(x, this.number(Infinity)),
          g.pure(op.f32Ge, i32, x, this.number(1)),
        )
        const edge = g.select(this.less(x, this.number(1)), this.number(NaN), x)
        return g.select(
          usual,
          inDoubles((m, d) => m.acosh(d)),
          edge,
        )
      }
      default:
        throw new InternalError('wasm', `no helper for ${name}`)
    }
  }

  /** An operation of integers. */
  #whole(code: number, x: Node, y: Node | number): Node {
    return this.g.pure(code, i32, x, typeof y === 'number' ? this.g.i32(y) : y)
  }

  /** The integer in the low bits of a sum that `rounded` gave. */
  #integer(sum: Node): Node {
    return this.#whole(op.i32Sub, this.bits(sum), magicBits)
  }

  /** 2 to an integer from -126 to 127. */
  #power(k: Node): Node {
    return this.fromBits(this.#whole(op.i32Add, this.#whole(op.i32Shl, k, 23), 127 << 23))
  }

  /** A float times 2 to an integer, in two steps, since the power alone may be out of range. */
  #scaled(x: Node, k: Node): Node {
    const half = this.#whole(op.i32ShrS, k, 1)
    return this.mul(this.mul(x, this.#power(half)), this.#power(this.#whole(op.i32Sub, k, half)))
  }

  /** e^r for |r| up to ln 2 / 2. */
  #near(r: Node): Node {
    return this.add(this.add(r, this.mul(this.mul(r, r), this.polynomial(r, expTerms))), this.number(1))
  }

  /** x = k ln 2 + r: k, and e^r. */
  #exponential(x: Node): readonly [k: Node, near: Node] {
    const { sum, whole } = this.rounded(this.mul(x, this.number(Math.LOG2E)))
    return [this.#integer(sum), this.#near(this.rest(x, whole, ln2))]
  }

  #exp(x: Node): Node {
    const [k, near] = this.#exponential(x)
    return this.#scaled(near, k)
  }

  #exp2(x: Node): Node {
    const { sum, whole } = this.rounded(x)
    return this.#scaled(this.#near(this.mul(this.sub(x, whole), this.number(Math.LN2))), this.#integer(sum))
  }

  /**
   * The logarithm of a positive finite number: x = 2^k m with m around 1, and log(1 + f) = f - f²/2 + s (f²/2 + R(s²)) with s = f / (2 + f),
   * where 2 atanh(s) = 2s + s R(s²).
   */
  #log(x: Node): Node {
    const { g } = this
    const isSubnormal = this.less(x, this.number(2 ** -126))
    const all = this.bits(g.select(isSubnormal, this.mul(x, this.number(2 ** 23)), x))
    const k = this.#whole(op.i32ShrS, this.#whole(op.i32Sub, all, 0x3f3504f3), 23)
    const m = this.fromBits(this.#whole(op.i32Sub, all, this.#whole(op.i32Shl, k, 23)))
    const whole = this.sub(g.pure(op.f32ConvertI32S, f32, k), g.select(isSubnormal, this.number(23), this.number(0)))
    const f = this.sub(m, this.number(1))
    const s = this.div(f, this.add(f, this.number(2)))
    const z = this.mul(s, s)
    const half = this.mul(this.mul(this.number(0.5), f), f)
    const tail = this.mul(s, this.add(half, this.mul(z, this.polynomial(z, logTerms))))
    const small = this.add(tail, this.mul(whole, this.number(ln2[1])))
    return this.sub(this.mul(whole, this.number(ln2[0])), this.sub(this.sub(half, small), f))
  }

  /** A logarithm of x where that is positive and finite, and what it is elsewhere. */
  #orEdge(x: Node, logarithm: Node): Node {
    const { g } = this
    const zero = this.number(0)
    const edge = g.select(
      g.pure(op.f32Eq, i32, x, zero),
      this.number(-Infinity),
      g.select(this.less(x, zero), this.number(NaN), x),
    )
    const usual = this.#whole(op.i32And, this.less(zero, x), this.less(x, this.number(Infinity)))
    return g.select(usual, logarithm, edge)
  }

  /** The sine of x plus so many quarters of a turn. */
  #sine(x: Node, quarters: number): Node {
    const { g } = this
    const [rest, turns] = this.#inDoubles([x], (m, angle) => m.quarters(angle))
    const quadrant = this.#whole(op.i32Add, turns!, quarters)
    const z = this.mul(rest!, rest!)
    const sum = this.add(rest!, this.mul(this.mul(rest!, z), this.polynomial(z, sinTerms)))
    // The sum of a negative zero and a positive one is positive.
    const sin = g.pure(op.f32Copysign, f32, sum, rest!)
    const cos = this.sub(this.number(1), this.mul(z, this.polynomial(z, cosTerms)))
    const isOdd = this.#whole(op.i32Ne, this.#whole(op.i32And, quadrant, 1), 0)
    const sign = this.#whole(op.i32Shl, this.#whole(op.i32And, quadrant, 2), 30)
    return this.fromBits(this.#whole(op.i32Xor, this.bits(g.select(isOdd, cos, sin)), sign))
  }

  /** y with the sign of x. */
  #signed(x: Node, y: Node): Node {
    return this.g.pure(op.f32Copysign, f32, y, x)
  }

  /** An odd function of x that is x itself near zero: it has the value y of |x| below a limit, and `edge` from there on. */
  #oddly(x: Node, y: Node, limit: number, edge: Node): Node {
    const { g } = this
    const size = this.abs(x)
    const usual = g.select(this.less(size, this.number(ownResult)), x, this.#signed(x, y))
    return g.select(this.less(size, this.number(limit)), usual, edge)
  }

  /** A polynomial near 0, and 1 - 2 / (e^2x + 1) elsewhere. */
  #tanh(x: Node): Node {
    const { g } = this
    const size = this.abs(x)
    const z = this.mul(x, x)
    const small = this.add(x, this.mul(this.mul(x, z), this.polynomial(z, tanhTerms)))
    const most = this.number(20)
    const limited = g.select(this.less(most, size), most, size)
    const [k, near] = this.#exponential(this.add(limited, limited))
    const [one, two] = [this.number(1), this.number(2)]
    const large = this.sub(one, this.div(two, this.add(this.mul(near, this.#power(k)), one)))
    return g.pure(op.f32Copysign, f32, g.select(this.less(size, this.number(smallTanh)), small, large), x)
  }
}
