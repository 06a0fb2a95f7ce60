/** Elementary functions of four floats: the helper of one, of vectors. So the results are the same, bit for bit. */
import { Doubles } from '../doubles.ts'
import { Floats, usualRange, type InDoubles } from '../elementary.ts'
import { Callee, Code, type Node } from '../node.ts'
import { f32, f32x4, f64x2, i32x4, op } from '../opcode.ts'
import { laneCount, WideGraph } from './graph.ts'

/**
 * The code of the helper of four floats; `one` is that of one, for operands outside of its range. `inMemory` gives the address of constant
 * bytes.
 */
export function wideElementaryCode(name: string, one: Callee, inMemory: (bytes: Uint8Array) => number): Code {
  const code = new Code(
    new Callee(
      `${name}32x4`,
      one.params.map(() => f32x4),
      [f32x4],
    ),
  )
  const g = new WideGraph(code, inMemory)
  const args = code.callee.params.map((_, i) => g.get(i))
  const usual = usualRange(g, name, args)
  if (usual !== undefined) {
    g.when(g.eqz(g.all(usual)), () => {
      const lanes = Array.from({ length: laneCount }, (_, k) => {
        const local = code.local(f32)
        g.stmt({ kind: 'call', func: one, args: args.map(x => g.lane(x, k)), locals: [local], pure: true })
        return g.get(local)
      })
      g.stmt({ kind: 'return', values: [g.collect(f32x4, lanes)] })
      g.at.open = false
    })
  }
  g.stmt({ kind: 'return', values: [new Floats(g, inDoubles(g)).result(name, args)] })
  return code
}

/** Computes in doubles for two lanes, and for the other two. */
function inDoubles(g: WideGraph): InDoubles {
  return (args, compute) => {
    const m = new Doubles(g)
    const [low, high] = [0, 1].map(half => {
      const [x, y] = args.map(a => promoted(g, a, half))
      return compute(m, x!, y!)
    })
    return low!.map((first, i) => {
      const second = high![i]!
      if (first.type !== f64x2) return g.shuffle(i32x4, first, second, [0, 2, 4, 6])
      const [x, y] = [first, second].map(r => g.plain(op.f32x4DemoteF64x2Zero, f32x4, [r]))
      return g.shuffle(f32x4, x!, y!, [0, 1, 4, 5])
    })
  }
}

/** Two of four floats as doubles. */
function promoted(g: WideGraph, x: Node, half: number): Node {
  const low = half === 0 ? x : g.shuffle(f32x4, x, x, [2, 3, 2, 3])
  return g.plain(op.f64x2PromoteLowF32x4, f64x2, [low])
}
