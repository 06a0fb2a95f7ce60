/**
 * Elementary functions of four floats: the helper of one, computed for two and two lanes in doubles. So the results are the same, bit for
 * bit.
 */
import { Doubles, result, usualRange } from '../elementary.ts'
import { Callee, Code, type Node } from '../node.ts'
import { f32, f32x4, f64x2, i32, op } from '../opcode.ts'
import { laneCount, WideGraph } from './graph.ts'

/** The code of the helper of four floats; `one` is that of one, for operands outside of its range. */
export function wideElementaryCode(name: string, one: Callee): Code {
  const code = new Code(
    new Callee(
      `${name}32x4`,
      one.params.map(() => f32x4),
      [f32x4],
    ),
  )
  const g = new WideGraph(code)
  const m = new Doubles(g)
  const args = code.callee.params.map((_, i) => g.get(i))
  const halves = [0, 1].map(k => args.map(x => promoted(g, x, k)))
  const usual = halves.map(half => usualRange(m, name, half))
  if (usual[0] !== undefined) {
    const all = g.pure(op.i32And, i32, ...usual.map(u => g.plain(op.i64x2AllTrue, i32, [u!])))
    g.when(g.eqz(all), () => {
      const lanes = Array.from({ length: laneCount }, (_, k) => {
        const local = code.local(f32)
        g.stmt({ kind: 'call', func: one, args: args.map(x => g.lane(x, k)), locals: [local], pure: true })
        return g.get(local)
      })
      g.stmt({ kind: 'return', values: [g.collect(f32x4, lanes)] })
      g.at.open = false
    })
  }
  const [low, high] = halves.map(([x, y]) => g.plain(op.f32x4DemoteF64x2Zero, f32x4, [result(m, name, x!, y)]))
  const value = g.shuffle(f32x4, low!, high!, [0, 1, 4, 5])
  g.stmt({ kind: 'return', values: [name === 'tanh' ? g.pure(op.f32Copysign, f32, value, args[0]!) : value] })
  return code
}

/** Two of four floats as doubles. */
function promoted(g: WideGraph, x: Node, half: number): Node {
  const low = half === 0 ? x : g.shuffle(f32x4, x, x, [2, 3, 2, 3])
  return g.plain(op.f64x2PromoteLowF32x4, f64x2, [low])
}
