/**
 * Words that lie side by side in memory, for each lane at an address of its own. A lane reads or writes up to four of them at once, and
 * the vectors are transposed: the first has the first word of each lane, and so on.
 */
import { laneAt } from '../encode.ts'
import type { Node } from '../node.ts'
import { f32, f32x4, i32, i32x4, i64, i64x2, op } from '../opcode.ts'
import { lanes, type WideGraph } from './graph.ts'

export type WordType = typeof f32x4 | typeof i32x4

/** Memory that is in bounds for all lanes, from an address of each. */
export interface Span {
  readonly addr: Node
  readonly object: object | undefined
}

/** Words that are accessed as one: so many from an offset. */
interface Piece {
  readonly offset: number
  readonly count: 4 | 2 | 1
}

/** Whether words of lanes that follow each other lie side by side, so that they are a vector as they are. */
export function isLine(g: WideGraph, { addr }: Span): boolean {
  return g.rowOf(addr)?.step === 4
}

/** Vectors of words, by their offsets from the address. */
export function loadWords(g: WideGraph, span: Span, types: ReadonlyMap<number, WordType>): ReadonlyMap<number, Node> {
  const out = new Map<number, Node>()
  const { addr, object } = span
  for (const { offset, count } of piecesOf(g, span, types.keys())) {
    const own = lanes.slice(0, count).map(k => types.get(offset + 4 * k)!)
    const load = (code: number, lane: number, to: number, ...before: Node[]): Node => {
      const at = g.laneAddress(addr, offset, lane)
      return g.loads(code, i32x4, [at.base, ...before], laneAt(at.offset, to), false, object)
    }
    const pair = (lane: number): Node => load(op.v128Load64Lane, lane + 1, 1, load(op.v128Load64Zero, lane, 0))
    const found =
      count === 4
        ? transpose(
            g,
            lanes.map(lane => load(op.v128Load, lane, 0)),
            own,
          )
        : count === 2
          ? unzip(g, pair(0), pair(2), own)
          : own.map(t =>
              g.read(t === f32x4 ? op.f32Load : op.i32Load, t === f32x4 ? f32 : i32, addr, offset, false, object),
            )
    found.forEach((vector, k) => out.set(offset + 4 * k, vector))
  }
  return out
}

/** Prepares to write vectors to words, by their offsets from the address. What it gives writes those of a lane; of a line, that of the first writes all. */
export function storeWords(g: WideGraph, span: Span, values: ReadonlyMap<number, Node>): (lane: number) => void {
  const writes = piecesOf(g, span, values.keys()).map(({ offset, count }) => {
    const own = lanes.slice(0, count).map(k => values.get(offset + 4 * k)!)
    const store = (lane: number, code: number, value: Node): void => {
      const at = g.laneAddress(span.addr, offset, lane)
      g.stmt({ kind: 'store', op: code, addr: at.base, value, offset: at.offset, object: span.object })
    }
    const [x, y] = own
    if (count === 4) {
      const rows = transpose(g, own, [i32x4, i32x4, i32x4, i32x4])
      return (lane: number): void => store(lane, op.v128Store, rows[lane]!)
    }
    if (count === 2) {
      const halves = zip(g, x!, y!)
      return (lane: number): void =>
        store(lane, op.i64Store, g.plain(op.i64x2ExtractLane, i64, [halves[lane >> 1]!], lane & 1))
    }
    if (isLine(g, span)) return (lane: number): void => (lane === 0 ? store(0, op.v128Store, x!) : undefined)
    return (lane: number): void => store(lane, x!.type === f32x4 ? op.f32Store : op.i32Store, g.lane(x!, lane))
  })
  return lane => writes.forEach(write => write(lane))
}

/** The words of two vectors in turns. */
function zip(g: WideGraph, x: Node, y: Node): readonly [Node, Node] {
  return [g.shuffle(i64x2, x, y, [0, 4, 1, 5]), g.shuffle(i64x2, x, y, [2, 6, 3, 7])]
}

/** Every other word of two vectors, and the others. */
function unzip(g: WideGraph, x: Node, y: Node, types: readonly WordType[]): readonly Node[] {
  return types.map((type, k) => g.shuffle(type, x, y, [k, k + 2, k + 4, k + 6]))
}

/** Four vectors by columns instead of rows. */
function transpose(g: WideGraph, [a, b, c, d]: readonly Node[], types: readonly WordType[]): readonly Node[] {
  const [low, high] = [zip(g, a!, b!), zip(g, c!, d!)]
  return types.map((type, k) => {
    const half = k >> 1
    return g.shuffle(type, low[half]!, high[half]!, k % 2 === 0 ? [0, 1, 4, 5] : [2, 3, 6, 7])
  })
}

/** Words in pieces; those of a line one by one. */
function piecesOf(g: WideGraph, span: Span, offsets: Iterable<number>): readonly Piece[] {
  const left = [...offsets].sort((a, b) => a - b)
  if (isLine(g, span)) return left.map(offset => ({ offset, count: 1 }))
  const pieces: Piece[] = []
  while (left.length > 0) {
    const first = left[0]!
    const count = left[3] === first + 12 ? 4 : left[1] === first + 4 ? 2 : 1
    pieces.push({ offset: first, count })
    left.splice(0, count)
  }
  return pieces
}
