/**
 * Words that lie side by side in memory, for each lane at an address of its own. A lane reads or writes up to four of them at once, and
 * the vectors are transposed: the first has the first word of each lane, and so on.
 */
import { laneAt } from '../encode.ts'
import type { Node } from '../node.ts'
import { f32x4, i32, i32x4, i64, i64x2, op, f32 } from '../opcode.ts'
import { laneCount, type WideGraph } from './graph.ts'

export interface Word {
  /** Bytes from the address of the lane. */
  readonly offset: number
  readonly type: typeof f32x4 | typeof i32x4
}

/** Memory that is in bounds for all lanes: so many bytes from an address of each. */
export interface Span {
  readonly addr: Node
  readonly offset: number
  readonly bytes: number
  readonly object: object | undefined
}

/** Neighbours, by their places in a list, that are accessed as one: of four words, of which some may be missing, of two or of one. */
interface Piece {
  readonly offset: number
  readonly words: readonly (number | undefined)[]
}

const lanes: readonly number[] = [0, 1, 2, 3]

/** Whether words of lanes that follow each other lie side by side, so that they are a vector as they are. */
export function isLine(g: WideGraph, addr: Node): boolean {
  return g.rowOf(addr)?.step === 4
}

/** One vector for each word. No two words have one offset. */
export function loadWords(g: WideGraph, span: Span, words: readonly Word[]): readonly Node[] {
  const out: Node[] = []
  const from = (offset: number) => lanes.map(k => g.laneAddress(span.addr, span.offset + offset, k))
  for (const piece of inPieces(g, words, span.addr, span.bytes)) {
    const at = from(piece.offset)
    const load = (code: number, k: number, before?: Node, lane = 0): Node =>
      g.loads(
        code,
        i32x4,
        before === undefined ? [at[k]!.base] : [at[k]!.base, before],
        laneAt(at[k]!.offset, lane),
        false,
        span.object,
      )
    const types = piece.words.map(w => (w === undefined ? i32x4 : words[w]!.type))
    if (piece.words.length === laneCount) {
      const rows = lanes.map(k => load(op.v128Load, k))
      const columns = transpose(g, rows, types)
      piece.words.forEach((w, k) => {
        if (w !== undefined) out[w] = columns[k]!
      })
    } else if (piece.words.length === 2) {
      const [low, high] = [0, 2].map(k => load(op.v128Load64Lane, k + 1, load(op.v128Load64Zero, k), 1))
      out[piece.words[0]!] = g.shuffle(types[0]!, low!, high!, [0, 2, 4, 6])
      out[piece.words[1]!] = g.shuffle(types[1]!, low!, high!, [1, 3, 5, 7])
    } else {
      const [w] = piece.words
      const code = words[w!]!.type === f32x4 ? op.f32Load : op.i32Load
      out[w!] = g.read(code, code === op.f32Load ? f32 : i32, span.addr, span.offset + piece.offset, false, span.object)
    }
  }
  return out
}

/** Writes one vector for each word, where lanes have them side by side. */
export function storeLines(g: WideGraph, span: Span, words: readonly Word[], values: readonly Node[]): void {
  const { base, offset } = g.laneAddress(span.addr, span.offset, 0)
  words.forEach((word, k) =>
    g.stmt({
      kind: 'store',
      op: op.v128Store,
      addr: base,
      value: values[k]!,
      offset: offset + word.offset,
      object: span.object,
    }),
  )
}

/** Prepares to write one vector for each word; what it gives writes those of a lane. No two words have one offset. */
export function storeWords(
  g: WideGraph,
  span: Span,
  words: readonly Word[],
  values: readonly Node[],
): (lane: number) => void {
  const writes = inPieces(g, words, span.addr, 0).map(({ offset, words: some }) => {
    const own = some.map(w => values[w!]!)
    const store = (lane: number, code: number, value: Node): void => {
      const at = g.laneAddress(span.addr, span.offset + offset, lane)
      g.stmt({ kind: 'store', op: code, addr: at.base, value, offset: at.offset, object: span.object })
    }
    if (own.length === laneCount) {
      const rows = transpose(g, own, [i32x4, i32x4, i32x4, i32x4])
      return (lane: number) => store(lane, op.v128Store, rows[lane]!)
    }
    if (own.length === 2) {
      const halves = [
        g.shuffle(i64x2, own[0]!, own[1]!, [0, 4, 1, 5]),
        g.shuffle(i64x2, own[0]!, own[1]!, [2, 6, 3, 7]),
      ]
      return (lane: number) =>
        store(lane, op.i64Store, g.plain(op.i64x2ExtractLane, i64, [halves[lane >> 1]!], lane & 1))
    }
    const code = words[some[0]!]!.type === f32x4 ? op.f32Store : op.i32Store
    return (lane: number) => store(lane, code, g.lane(own[0]!, lane))
  })
  return lane => writes.forEach(write => write(lane))
}

/** Four vectors by columns instead of rows. */
function transpose(
  g: WideGraph,
  [a, b, c, d]: readonly Node[],
  types: readonly (typeof f32x4 | typeof i32x4)[],
): readonly Node[] {
  const [low, high] = [
    [0, 4, 1, 5],
    [2, 6, 3, 7],
  ]
  const halves = [low, high].map(words => [g.shuffle(i32x4, a!, b!, words), g.shuffle(i32x4, c!, d!, words)] as const)
  return types.map((type, k) => g.shuffle(type, ...halves[k >> 1]!, k % 2 === 0 ? [0, 1, 4, 5] : [2, 3, 6, 7]))
}

/** Words in pieces. What lanes have side by side already stays as it is. Within `bytes` from the address, a piece may have more words than are asked for. */
function inPieces(g: WideGraph, words: readonly Word[], addr: Node, bytes: number): readonly Piece[] {
  if (isLine(g, addr)) return words.map(({ offset }, k) => ({ offset, words: [k] }))
  const byOffset = new Map(words.map(({ offset }, k) => [offset, k]))
  const left = [...byOffset.keys()].sort((a, b) => a - b)
  const pieces: Piece[] = []
  while (left.length > 0) {
    const first = left[0]!
    const near = left.filter(offset => offset < first + 16)
    const last = near[near.length - 1]!
    // Where four words from the first on are too many, those up to the last may be in bounds.
    const start = first + 16 <= bytes ? first : last - 12
    const isWhole = near.length === laneCount || (near.length === 3 && start >= 0 && start + 16 <= bytes)
    const offset = isWhole ? start : first
    const count = isWhole ? laneCount : near[1] === first + 4 ? 2 : 1
    pieces.push({ offset, words: Array.from({ length: count }, (_, k) => byOffset.get(offset + 4 * k)) })
    left.splice(0, isWhole ? near.length : count)
  }
  return pieces
}
