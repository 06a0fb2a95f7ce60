/**
 * Atomic accesses. Where one thread at a time runs, they are plain reads and writes. Where threads share the buffers, WebAssembly's
 * atomic instructions do what they can: integers of 32 and 64 bits. Everything else reads, computes, and writes if nothing has changed
 * meanwhile, until that succeeds.
 */
import type { AtomicOp } from '../../ir/op.ts'
import type { ScalarName } from '../../ir/type.ts'
import { scalarSize } from '../../ir/layout.ts'
import type { Inst } from '../../ir/value.ts'
import { rootOf } from '../../opt/match.ts'
import type { Body } from './body.ts'
import type { Graph } from './graph.ts'
import { valType } from './leaf.ts'
import type { Location } from './memory.ts'
import { Label, type Node } from './node.ts'
import { f32, f64, i32, i64, op } from './opcode.ts'
import { floatToHalf, halfToFloat, lane } from './scalar.ts'

/** An atomic access. Out of bounds it does nothing and gives 0. */
export function atomic(body: Body, inst: Inst<'atomic'>): void {
  const { g, memory } = body
  const [pointer, ...operands] = inst.args
  if (rootOf(pointer!)?.op === 'var') {
    ofVariable(body, inst)
    return
  }
  const scalar = pointer!.type.elem!.scalar!
  const type = valType(scalar)
  const p = body.at(pointer!)
  const values = operands.map(x => body.node(x))
  // Other memory than buffers belongs to one instance, and so to one thread.
  const access = body.plan.shared && pointer!.type.space === 'storage_rw' ? together : alone
  const result = inst.results[0]
  const before = body.eachLane(result === undefined ? [] : [type], lane => {
    const old = result === undefined ? undefined : g.code.local(type)
    const own = lane.location(p)
    const given = values.map(v => lane.node(v))
    if (old !== undefined && own.write !== undefined) g.stmt({ kind: 'set', local: old, value: g.zero(type) })
    memory.guarded(own, exact => access(body, inst.attr, scalar, exact, given, old))
    return old === undefined ? [] : [g.get(old)]
  })
  if (result !== undefined) body.set(result, before)
}

/** An access to a variable, which each thread has for itself. */
function ofVariable(body: Body, inst: Inst<'atomic'>): void {
  const { g, memory } = body
  const [pointer, ...operands] = inst.args
  const scalar = pointer!.type.elem!.scalar!
  const p = body.at(pointer!)
  const values = operands.map(x => body.node(x))
  const was = memory.load(p)[0]!
  if (inst.attr !== 'load') {
    const value = changed(g, inst.attr, scalar, was, values)
    memory.store(p, [inst.attr === 'compare' ? g.select(sameBits(g, was, values[0]!), value, was) : value])
  }
  if (inst.results[0] !== undefined) body.set(inst.results[0], [was])
}

/** An access to exact memory; the local, if there is one, gets what was there. */
type Access = (
  body: Body,
  kind: AtomicOp,
  scalar: ScalarName,
  p: Location,
  operands: readonly Node[],
  old: number | undefined,
) => void

const alone: Access = ({ g, memory }, kind, scalar, p, operands, old) => {
  const was = memory.load(p)[0]!
  if (old !== undefined) g.stmt({ kind: 'set', local: old, value: was })
  if (kind === 'load') return
  const put = (): void => memory.store(p, [changed(g, kind, scalar, was, operands)])
  if (kind === 'compare') g.when(sameBits(g, was, operands[0]!), put)
  else put()
}

const together: Access = ({ g }, kind, scalar, p, operands, old) => {
  const cell = cellOf(g, scalar, scalarSize(scalar, p.layouts.rule))
  const run = (code: number, values: readonly Node[], local: number): void =>
    g.stmt({ kind: 'atomic', op: code, args: [p.base, ...values], offset: p.offset, local, object: p.object })
  const raw = g.code.local(cell.type)
  const [first, second] = operands
  const whole = cell.whole?.[kind]
  if (kind === 'load') {
    run(cell.load, [], raw)
  } else if (whole !== undefined) {
    run(whole, [cell.encode(first!)], raw)
  } else if (kind === 'compare' && cell.whole !== undefined) {
    run(cell.swap, [cell.encode(first!), cell.encode(second!)], raw)
  } else {
    const seen = g.code.local(cell.type)
    const [top, exit] = [new Label(), new Label()]
    run(cell.load, [], raw)
    const loop = g.nested(true, () => {
      const was = cell.decode(g.get(raw))
      if (kind === 'compare') g.br(exit, g.eqz(sameBits(g, was, first!)))
      run(cell.swap, [g.get(raw), cell.encode(changed(g, kind, scalar, was, operands))], seen)
      g.br(exit, g.pure(cell.type === i64 ? op.i64Eq : op.i32Eq, i32, g.get(seen), g.get(raw)))
      g.stmt({ kind: 'set', local: raw, value: g.get(seen) })
      g.br(top)
    })
    g.stmt({ kind: 'loop', body: loop, top, exit })
  }
  if (old !== undefined) g.stmt({ kind: 'set', local: old, value: cell.decode(g.get(raw)) })
}

/** A scalar as the integer that lies in memory, and the instructions for that. */
interface Cell {
  readonly type: typeof i32 | typeof i64
  readonly load: number
  /** Writes where memory still has what is expected. */
  readonly swap: number
  readonly encode: (value: Node) => Node
  readonly decode: (bits: Node) => Node
  /** What one instruction does; undefined where bits are fewer than 32, or where several mean the same. */
  readonly whole: Readonly<Partial<Record<AtomicOp, number>>> | undefined
}

/** What one instruction does to any bits. */
const written32 = { store: op.i32AtomicRmwXchg, exchange: op.i32AtomicRmwXchg }
const written64 = { store: op.i64AtomicRmwXchg, exchange: op.i64AtomicRmwXchg }
const whole32 = {
  ...written32,
  add: op.i32AtomicRmwAdd,
  and: op.i32AtomicRmwAnd,
  or: op.i32AtomicRmwOr,
  xor: op.i32AtomicRmwXor,
}
const whole64 = {
  ...written64,
  add: op.i64AtomicRmwAdd,
  and: op.i64AtomicRmwAnd,
  or: op.i64AtomicRmwOr,
  xor: op.i64AtomicRmwXor,
}

function cellOf(g: Graph, scalar: ScalarName, size: number): Cell {
  const same = (x: Node): Node => x
  const wide = { type: i64, load: op.i64AtomicLoad, swap: op.i64AtomicRmwCmpxchg } as const
  const word = { type: i32, load: op.i32AtomicLoad, swap: op.i32AtomicRmwCmpxchg } as const
  const short = { type: i32, load: op.i32AtomicLoad16U, swap: op.i32AtomicRmw16CmpxchgU } as const
  const byte = { type: i32, load: op.i32AtomicLoad8U, swap: op.i32AtomicRmw8CmpxchgU } as const
  switch (scalar) {
    case 'i64':
    case 'u64':
      return { ...wide, encode: same, decode: same, whole: whole64 }
    case 'f64':
      return {
        ...wide,
        encode: x => g.pure(op.i64ReinterpretF64, i64, x),
        decode: x => g.pure(op.f64ReinterpretI64, f64, x),
        whole: written64,
      }
    case 'f16':
      if (size === 2)
        return { ...short, encode: x => floatToHalf(g, x), decode: x => halfToFloat(g, x), whole: undefined }
      break
    case 'bool':
      return { ...word, encode: same, decode: x => g.pure(op.i32Ne, i32, x, g.i32(0)), whole: undefined }
    case 'i32':
    case 'u32':
      return { ...word, encode: same, decode: same, whole: whole32 }
    case 'i16':
    case 'u16':
    case 'i8':
    case 'u8': {
      if (size === 4) return { ...word, encode: same, decode: same, whole: undefined }
      const extend = size === 1 ? op.i32Extend8S : op.i32Extend16S
      const decode = scalar === 'i8' || scalar === 'i16' ? (x: Node) => g.pure(extend, i32, x) : same
      return { ...(size === 1 ? byte : short), encode: same, decode, whole: undefined }
    }
    case 'f32':
      break
  }
  return {
    ...word,
    encode: x => g.pure(op.i32ReinterpretF32, i32, x),
    decode: x => g.pure(op.f32ReinterpretI32, f32, x),
    whole: written32,
  }
}

/** What is written where `was` was. */
function changed(g: Graph, kind: AtomicOp, scalar: ScalarName, was: Node, operands: readonly Node[]): Node {
  const [x, y] = operands
  switch (kind) {
    case 'add':
    case 'and':
    case 'or':
    case 'xor':
      return lane(g, kind, scalar, [was, x!])!
    case 'min':
      return g.select(lane(g, 'lt', scalar, [x!, was])!, x!, was)
    case 'max':
      return g.select(lane(g, 'gt', scalar, [x!, was])!, x!, was)
    case 'compare':
      return y!
    default:
      return x!
  }
}

/** Whether two scalars have the same bits: a NaN equals itself, and zeros with different signs differ. */
function sameBits(g: Graph, x: Node, y: Node): Node {
  if (x.type === f32)
    return g.pure(op.i32Eq, i32, g.pure(op.i32ReinterpretF32, i32, x), g.pure(op.i32ReinterpretF32, i32, y))
  if (x.type === f64)
    return g.pure(op.i64Eq, i32, g.pure(op.i64ReinterpretF64, i64, x), g.pure(op.i64ReinterpretF64, i64, y))
  return g.pure(x.type === i64 ? op.i64Eq : op.i32Eq, i32, x, y)
}
