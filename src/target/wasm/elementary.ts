/**
 * Elementary functions of floats as helpers. They compute in doubles without branches: after range reduction a polynomial
 * (interpolated at Chebyshev nodes, relative error below 3e-10) gives results that round to the nearest float but for rare
 * cases next to a tie. Doubles, sines of huge numbers and powers of negative ones use the bodies of core/libm.slang.
 */
import { InternalError } from '../../base/diag.ts'
import { Graph } from './graph.ts'
import { intrinsics } from './intrinsic.ts'
import { Callee, Code, type Node } from './node.ts'
import { f32, f64, i32, i64, op } from './opcode.ts'

/** The target intrinsics that they are. */
export const elementaryNames: readonly string[] = [...intrinsics.keys()].filter(
  name => intrinsics.get(name)!.isElementary === true,
)

/** From here on, more digits of pi are needed for the quadrant of an angle than two doubles have. */
const hugeAngle = 2 ** 22
/** Adding it rounds a double to an integer, which the low bits then hold. */
const magic = 1.5 * 2 ** 52
/** Its bits: small integers added to them make the double that is as much more. */
const magicBits = 0x4338000000000000n
const log2e = 1.4426950408889634
const ln2 = [0.6931471796706319, 8.893134238886677e-10] as const
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
/** sin(r) / r and cos(r) by r². */
const sinTerms = [
  0.9999999999956731, -0.16666666631591165, 0.00833332878245888, -0.000198392022122311, 2.7173456841089953e-6,
]
const cosTerms = [
  0.9999999999999444, -0.49999999999351113, 0.04166666654391119, -0.0013888880393776424, 2.4798928755323667e-5,
  -2.717342984102282e-7,
]

/** The code of a helper of floats. It calls `body`, the library's function, for operands outside of its range. */
export function elementaryCode(name: string, body: () => Callee): Code {
  const code = new Code(new Callee(`${name}32`, name === 'pow' ? [f32, f32] : [f32], [f32]))
  const m = new Doubles(new Graph(code))
  const g = m.g
  const args = code.callee.params.map((_, i) => g.get(i))
  const wide = args.map(x => g.pure(op.f64PromoteF32, f64, x))
  const usual = usualRange(m, name, wide)
  if (usual !== undefined) {
    g.when(g.eqz(usual), () => {
      const local = code.local(f32)
      g.stmt({ kind: 'call', func: body(), args, locals: [local], pure: true })
      g.stmt({ kind: 'return', values: [g.get(local)] })
      g.at.open = false
    })
  }
  const value = g.pure(op.f32DemoteF64, f32, result(m, name, wide[0]!, wide[1]))
  g.stmt({ kind: 'return', values: [name === 'tanh' ? g.pure(op.f32Copysign, f32, value, args[0]!) : value] })
  return code
}

/** The condition under which the operands are in the helper's range; undefined if they always are. */
export function usualRange(m: Doubles, name: string, [x, y]: readonly Node[]): Node | undefined {
  const g = m.g
  const below = (v: Node, limit: number): Node => g.pure(op.f64Lt, i32, v, g.f64(limit))
  const size = (v: Node): Node => g.pure(op.f64Abs, f64, v)
  switch (name) {
    case 'sin':
    case 'cos':
      return below(size(x!), hugeAngle)
    case 'pow': {
      const finite = g.pure(op.i32And, i32, below(x!, Infinity), below(size(y!), Infinity))
      return g.pure(op.i32And, i32, g.pure(op.f64Gt, i32, x!, g.f64(0)), finite)
    }
    default:
      return undefined
  }
}

/** The value as a double; that of tanh with any sign. */
export function result(m: Doubles, name: string, x: Node, power: Node | undefined): Node {
  const g = m.g
  switch (name) {
    case 'exp':
      return m.exp(m.clamp(x, -110, 90))
    case 'exp2':
      return m.exp2(m.clamp(x, -160, 130))
    case 'log':
      return m.log(x, 1)
    case 'log2':
      return m.log(x, log2e)
    case 'sin':
      return m.sine(x, 0)
    case 'cos':
      return m.sine(x, 1)
    case 'pow':
      return m.exp2(m.clamp(m.mul(power!, m.log(x, log2e)), -160, 130))
    case 'tanh': {
      const e = m.expm1(m.clamp(m.add(x, x), -40, 40))
      return m.div(e, m.add(e, g.f64(2)))
    }
    case 'cosh': {
      const e = m.exp(m.clamp(g.pure(op.f64Abs, f64, x), 0, 100))
      return m.mul(m.add(e, m.div(g.f64(1), e)), g.f64(0.5))
    }
    default:
      throw new InternalError('wasm', `no helper for ${name}`)
  }
}

/** Arithmetic of doubles, short; of a graph of vectors, of two at once. */
export class Doubles {
  readonly g: Graph

  constructor(g: Graph) {
    this.g = g
  }

  add(x: Node, y: Node): Node {
    return this.g.pure(op.f64Add, f64, x, y)
  }
  sub(x: Node, y: Node): Node {
    return this.g.pure(op.f64Sub, f64, x, y)
  }
  mul(x: Node, y: Node): Node {
    return this.g.pure(op.f64Mul, f64, x, y)
  }
  div(x: Node, y: Node): Node {
    return this.g.pure(op.f64Div, f64, x, y)
  }
  bits(x: Node): Node {
    return this.g.pure(op.i64ReinterpretF64, i64, x)
  }
  #fromBits(x: Node): Node {
    return this.g.pure(op.f64ReinterpretI64, f64, x)
  }

  /** NaN stays NaN. */
  clamp(x: Node, low: number, high: number): Node {
    return this.g.pure(op.f64Min, f64, this.g.pure(op.f64Max, f64, x, this.g.f64(low)), this.g.f64(high))
  }

  /** A polynomial by Estrin's scheme, whose parts can be computed side by side. */
  #polynomial(x: Node, terms: readonly number[]): Node {
    let parts = terms.map(c => this.g.f64(c))
    for (let power = x; parts.length > 1; power = this.mul(power, power)) {
      const next: Node[] = []
      for (let i = 0; i < parts.length; i += 2) {
        next.push(i + 1 < parts.length ? this.add(parts[i]!, this.mul(power, parts[i + 1]!)) : parts[i]!)
      }
      parts = next
    }
    return parts[0]!
  }

  /** A double plus `magic`: rounded, with the integer in its low bits. */
  #rounded(x: Node): { readonly sum: Node; readonly whole: Node } {
    const sum = this.add(x, this.g.f64(magic))
    return { sum, whole: this.sub(sum, this.g.f64(magic)) }
  }

  /** 2 to an integer in the low bits. */
  power(sum: Node): Node {
    const { g } = this
    return this.#fromBits(
      g.pure(op.i64Add, i64, g.pure(op.i64Shl, i64, this.bits(sum), g.i64(52n)), g.i64(1023n << 52n)),
    )
  }

  /** x = k ln 2 + r: 2^k as a sum with `magic`, and r. */
  #reduced(x: Node): { readonly sum: Node; readonly rest: Node } {
    const { sum, whole } = this.#rounded(this.mul(x, this.g.f64(log2e)))
    return {
      sum,
      rest: this.sub(this.sub(x, this.mul(whole, this.g.f64(ln2[0]))), this.mul(whole, this.g.f64(ln2[1]))),
    }
  }

  exp(x: Node): Node {
    const { sum, rest } = this.#reduced(x)
    return this.mul(this.add(this.mul(rest, this.#polynomial(rest, expm1Terms)), this.g.f64(1)), this.power(sum))
  }

  exp2(x: Node): Node {
    const { sum, whole } = this.#rounded(x)
    const rest = this.mul(this.sub(x, whole), this.g.f64(ln2[0] + ln2[1]))
    return this.mul(this.add(this.mul(rest, this.#polynomial(rest, expm1Terms)), this.g.f64(1)), this.power(sum))
  }

  /** e^x - 1, without cancellation. */
  expm1(x: Node): Node {
    const { sum, rest } = this.#reduced(x)
    const power = this.power(sum)
    return this.add(this.mul(power, this.mul(rest, this.#polynomial(rest, expm1Terms))), this.sub(power, this.g.f64(1)))
  }

  /** The natural logarithm times a scale: x = 2^k m with m around 1, and log m = 2 atanh((m - 1) / (m + 1)). */
  log(x: Node, scale: number): Node {
    const { g } = this
    const all = this.bits(x)
    const above = g.pure(op.i64Sub, i64, all, g.i64(0x3fe6a09e667f3bcdn))
    const k = g.pure(op.i64ShrS, i64, above, g.i64(52n))
    const m = this.#fromBits(g.pure(op.i64Sub, i64, all, g.pure(op.i64Shl, i64, k, g.i64(52n))))
    const s = this.div(this.sub(m, g.f64(1)), this.add(m, g.f64(1)))
    const near = this.mul(
      s,
      this.#polynomial(
        this.mul(s, s),
        atanhTerms.map(c => 2 * c * scale),
      ),
    )
    const whole = this.sub(this.#fromBits(g.pure(op.i64Add, i64, k, g.i64(magicBits))), g.f64(magic))
    const value = this.add(this.mul(whole, g.f64(scale === 1 ? ln2[0] + ln2[1] : 1)), near)
    const edge = g.select(
      g.pure(op.f64Eq, i32, x, g.f64(0)),
      g.f64(-Infinity),
      g.select(g.pure(op.f64Lt, i32, x, g.f64(0)), g.f64(NaN), x),
    )
    const usual = g.pure(op.i32And, i32, g.pure(op.f64Gt, i32, x, g.f64(0)), g.pure(op.f64Lt, i32, x, g.f64(Infinity)))
    return g.select(usual, value, edge)
  }

  /** The sine of x plus so many quarters of a turn. */
  sine(x: Node, quarters: number): Node {
    const { g } = this
    const { sum, whole } = this.#rounded(this.mul(x, g.f64(1 / (halfPi[0] + halfPi[1]))))
    // Adding the negated product keeps the sign of a zero.
    const rest = this.add(this.add(x, this.mul(whole, g.f64(-halfPi[0]))), this.mul(whole, g.f64(-halfPi[1])))
    const turns = this.bits(sum)
    const quadrant = quarters === 0 ? turns : g.pure(op.i64Add, i64, turns, g.i64(BigInt(quarters)))
    const z = this.mul(rest, rest)
    const sin = this.mul(rest, this.#polynomial(z, sinTerms))
    const cos = this.#polynomial(z, cosTerms)
    const odd = g.pure(op.i64Ne, i32, g.pure(op.i64And, i64, quadrant, g.i64(1n)), g.i64(0n))
    const sign = g.pure(op.i64Shl, i64, g.pure(op.i64And, i64, quadrant, g.i64(2n)), g.i64(62n))
    return this.#fromBits(g.pure(op.i64Xor, i64, this.bits(g.select(odd, cos, sin)), sign))
  }
}
