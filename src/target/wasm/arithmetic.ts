/** What elementary functions are made of, for floats and for doubles. */
import type { Graph } from './graph.ts'
import type { Node } from './node.ts'
import { f32, f64, i32, i64, op } from './opcode.ts'

interface Opcodes {
  readonly add: number
  readonly sub: number
  readonly mul: number
  readonly div: number
  readonly abs: number
  readonly less: number
  readonly bits: number
  readonly fromBits: number
  /** The type of as many bits. */
  readonly whole: typeof i32 | typeof i64
}

/** Adding it rounds a number to an integer, which the low bits then hold. */
export const magic: Readonly<Record<typeof f32 | typeof f64, number>> = { [f32]: 1.5 * 2 ** 23, [f64]: 1.5 * 2 ** 52 }

const opcodes: Readonly<Record<typeof f32 | typeof f64, Opcodes>> = {
  [f32]: {
    add: op.f32Add,
    sub: op.f32Sub,
    mul: op.f32Mul,
    div: op.f32Div,
    abs: op.f32Abs,
    less: op.f32Lt,
    bits: op.i32ReinterpretF32,
    fromBits: op.f32ReinterpretI32,
    whole: i32,
  },
  [f64]: {
    add: op.f64Add,
    sub: op.f64Sub,
    mul: op.f64Mul,
    div: op.f64Div,
    abs: op.f64Abs,
    less: op.f64Lt,
    bits: op.i64ReinterpretF64,
    fromBits: op.f64ReinterpretI64,
    whole: i64,
  },
}

/** Arithmetic in one precision, short; of a graph of vectors, of all lanes at once. */
export class Arithmetic {
  readonly g: Graph
  readonly #type: typeof f32 | typeof f64
  readonly #op: Opcodes

  constructor(g: Graph, type: typeof f32 | typeof f64) {
    this.g = g
    this.#type = type
    this.#op = opcodes[type]
  }

  number(x: number): Node {
    return this.#type === f32 ? this.g.f32(x) : this.g.f64(x)
  }
  add(x: Node, y: Node): Node {
    return this.g.pure(this.#op.add, this.#type, x, y)
  }
  sub(x: Node, y: Node): Node {
    return this.g.pure(this.#op.sub, this.#type, x, y)
  }
  mul(x: Node, y: Node): Node {
    return this.g.pure(this.#op.mul, this.#type, x, y)
  }
  div(x: Node, y: Node): Node {
    return this.g.pure(this.#op.div, this.#type, x, y)
  }
  abs(x: Node): Node {
    return this.g.pure(this.#op.abs, this.#type, x)
  }

  less(x: Node, y: Node): Node {
    return this.g.pure(this.#op.less, i32, x, y)
  }
  bits(x: Node): Node {
    return this.g.pure(this.#op.bits, this.#op.whole, x)
  }
  fromBits(x: Node): Node {
    return this.g.pure(this.#op.fromBits, this.#type, x)
  }

  /** NaN stays NaN. Comparisons are cheaper than the minimum of WebAssembly, which orders zeros. */
  clamp(x: Node, low: number, high: number): Node {
    const [l, h] = [this.number(low), this.number(high)]
    const above = this.g.select(this.less(x, l), l, x)
    return this.g.select(this.less(h, above), h, above)
  }

  /** A polynomial by Estrin's scheme, whose parts can be computed side by side. */
  polynomial(x: Node, terms: readonly number[]): Node {
    let parts = terms.map(c => this.number(c))
    for (let power = x; parts.length > 1; power = this.mul(power, power)) {
      const next: Node[] = []
      for (let i = 0; i < parts.length; i += 2) {
        next.push(i + 1 < parts.length ? this.add(parts[i]!, this.mul(power, parts[i + 1]!)) : parts[i]!)
      }
      parts = next
    }
    return parts[0]!
  }

  /** The nearest integer, and a sum with it in its low bits. */
  rounded(x: Node): { readonly sum: Node; readonly whole: Node } {
    const rounding = this.number(magic[this.#type])
    const sum = this.add(x, rounding)
    return { sum, whole: this.sub(sum, rounding) }
  }

  /** What a quotient and a multiple of a divisor in two parts leave of x. The product of the first part is exact. */
  rest(x: Node, whole: Node, [high, low]: readonly [number, number]): Node {
    // Adding the negated product keeps the sign of a zero.
    return this.add(this.add(x, this.mul(whole, this.number(-high))), this.mul(whole, this.number(-low)))
  }
}
