/** Functions that the target writes itself: remainders of floats, exact as in C. */
import { Graph } from './graph.ts'
import { Callee, Code, Label, type Node } from './node.ts'
import { f32, f64, i32, i64, op } from './opcode.ts'

/** The code of a helper: `fmod` of two floats, with the sign of the first. */
export function helperCode(name: 'fmod32' | 'fmod64'): Code {
  const type = name === 'fmod32' ? f32 : f64
  const code = new Code(new Callee(name, [type, type], [type]))
  const g = new Graph(code)
  const [x, y] = [g.get(0), g.get(1)]
  const wide = (v: Node): Node => (type === f32 ? g.pure(op.f64PromoteF32, f64, v) : v)
  const [dividend, divisor] = [g.pure(op.f64Abs, f64, wide(x)), g.pure(op.f64Abs, f64, wide(y))]
  const nan = g.pure(
    op.i32Or,
    i32,
    g.eqz(g.pure(op.f64Lt, i32, dividend, g.f64(Infinity))),
    g.eqz(g.pure(op.f64Gt, i32, divisor, g.f64(0))),
  )
  g.when(nan, () => g.stmt({ kind: 'return', values: [g.constant(type, NaN)] }))
  /** Reduces a number by multiples of another, in a local of its own. */
  const reduced = (value: Node, by: Node): Node => {
    const rest = code.local(f64)
    g.stmt({ kind: 'set', local: rest, value })
    const [top, exit] = [new Label(), new Label()]
    const body = g.nested(true, () => {
      const r = g.get(rest)
      g.br(exit, g.eqz(g.pure(op.f64Ge, i32, r, by)))
      g.stmt({ kind: 'set', local: rest, value: name === 'fmod32' ? step32(g, r, by) : step64(g, r, by) })
      g.br(top)
    })
    g.stmt({ kind: 'loop', body, top, exit })
    return g.get(rest)
  }
  let r: Node
  if (name === 'fmod32') {
    r = reduced(dividend, divisor)
  } else {
    // A divisor near the subnormals: first by a large multiple of it, then all times 2^200, which is exact and leaves them behind.
    const small = g.pure(op.f64Lt, i32, divisor, g.f64(2 ** -900))
    const [up, down] = [g.select(small, g.f64(2 ** 200), g.f64(1)), g.select(small, g.f64(2 ** -200), g.f64(1))]
    const multiple = g.pure(op.f64Mul, f64, divisor, up)
    const near = reduced(dividend, multiple)
    r = g.pure(op.f64Mul, f64, reduced(g.pure(op.f64Mul, f64, near, up), multiple), down)
  }
  const result =
    type === f32 ? g.pure(op.f32Copysign, f32, g.pure(op.f32DemoteF64, f32, r), x) : g.pure(op.f64Copysign, f64, r, x)
  g.stmt({ kind: 'return', values: [result] })
  return code
}

/** Takes off a multiple of at most 28 bits, so that product and difference of 24-bit numbers are exact in doubles. */
function step32(g: Graph, r: Node, by: Node): Node {
  const q = g.pure(op.f64Trunc, f64, g.pure(op.f64Div, f64, r, by))
  const lowered = g.pure(op.i64ReinterpretF64, i64, g.pure(op.f64Mul, f64, q, g.f64(1 - 2 ** -22)))
  const short = g.pure(op.f64ReinterpretI64, f64, g.pure(op.i64And, i64, lowered, g.i64(-(1n << 29n))))
  const times = g.select(g.pure(op.f64Lt, i32, q, g.f64(2 ** 28)), q, short)
  const rest = g.pure(op.f64Sub, f64, r, g.pure(op.f64Mul, f64, by, times))
  return g.select(g.pure(op.f64Lt, i32, rest, g.f64(0)), g.pure(op.f64Add, f64, rest, by), rest)
}

/**
 * Takes off the largest power of two times the divisor: the exponent of the rest on the divisor's fraction. Numbers below
 * the least normal one are integers in their bits.
 */
function step64(g: Graph, r: Node, by: Node): Node {
  const bits = (x: Node): Node => g.pure(op.i64ReinterpretF64, i64, x)
  const least = g.f64(2 ** -1022)
  const normal = g.select(g.pure(op.f64Lt, i32, by, least), g.pure(op.f64Mul, f64, by, g.f64(2 ** 54)), by)
  const fraction = g.pure(op.i64And, i64, bits(normal), g.i64((1n << 52n) - 1n))
  const exponent = g.pure(op.i64And, i64, bits(r), g.i64(0x7ffn << 52n))
  const scaled = g.pure(op.f64ReinterpretI64, f64, g.pure(op.i64Or, i64, fraction, exponent))
  const fits = g.select(g.pure(op.f64Gt, i32, scaled, r), g.pure(op.f64Mul, f64, scaled, g.f64(0.5)), scaled)
  const tiny = g.pure(op.f64ReinterpretI64, f64, g.pure(op.i64RemU, i64, bits(r), bits(by)))
  return g.select(g.pure(op.f64Lt, i32, r, least), tiny, g.pure(op.f64Sub, f64, r, fits))
}
