/** Pure instructions on flat values: lists of scalar nodes in, lists of scalar nodes out. */
import type { LaneOp, PlainOp } from '../../ir/op.ts'
import type { ScalarName, Type } from '../../ir/type.ts'
import type { Inst } from '../../ir/value.ts'
import type { Graph } from './graph.ts'
import { intrinsicNamed, type Intrinsic } from './intrinsic.ts'
import type { Leaves } from './leaf.ts'
import { valType } from './leaf.ts'
import type { Node } from './node.ts'
import { f32, i32, i64, op, type ValType } from './opcode.ts'
import { bitcast, constant, convert, lane, missing, narrow } from './scalar.ts'

type Nodes = readonly Node[]

/** Calls a helper with scalars and gives its only result. */
export type Helper = (name: 'fmod32' | 'fmod64', args: Nodes) => Node

/** The scalars of a pure instruction's result. */
export function compute(
  g: Graph,
  leaves: Leaves,
  inst: Inst<Exclude<PlainOp, 'length'>>,
  args: readonly Nodes[],
  helper: Helper,
): Nodes {
  const type = inst.results[0]!.type
  const x = args[0]
  switch (inst.op) {
    case 'const':
      return [constant(g, type.scalar!, inst.attr)]
    case 'zero':
    case 'undef':
      return zeros(g, leaves.of(type))
    case 'detach':
      return x!
    case 'construct':
      return args.flat()
    case 'splat':
      return Array.from({ length: leaves.count(type) }, () => x![0]!)
    case 'extract': {
      const from = inst.args[0]!.type
      const start = leaves.start(from, inst.attr)
      return x!.slice(start, start + leaves.count(type))
    }
    case 'insert': {
      const start = leaves.start(type, inst.attr)
      return [...x!.slice(0, start), ...args[1]!, ...x!.slice(start + args[1]!.length)]
    }
    case 'swizzle':
      return inst.attr.map(i => x![i]!)
    case 'index':
      return pick(g, leaves, inst, x!, args[1]![0]!)
    case 'select': {
      const c = args[0]!
      return args[1]!.map((a, i) => g.select(c[c.length === 1 ? 0 : i]!, a, args[2]![i]!))
    }
    case 'dot':
      return [products(g, inst.args[0]!.type.scalar!, x!, args[1]!)]
    case 'matmul':
      return matmul(g, inst.args[0]!.type, inst.args[1]!.type, x!, args[1]!)
    case 'transpose': {
      const [rows, cols] = [inst.args[0]!.type.count, inst.args[0]!.type.elem!.count]
      const out: Node[] = []
      for (let c = 0; c < cols; c++) for (let r = 0; r < rows; r++) out.push(x![r * cols + c]!)
      return out
    }
    case 'convert': {
      const from = leaves.of(inst.args[0]!.type)
      return leaves.of(type).map((to, i) => convert(g, from[i]!, to, x![i]!))
    }
    case 'bitcast': {
      const from = leaves.of(inst.args[0]!.type)
      return leaves.of(type).map((to, i) => {
        const y = bitcast(g, from[i]!, to, x![i]!)
        if (y === undefined) throw missing('bitcast', to)
        return y
      })
    }
    case 'rem': {
      const scalars = leaves.of(inst.args[0]!.type)
      return x!.map((a, i) => remainder(g, scalars[i]!, a, args[1]![i]!, helper))
    }
    default:
      return lanes(g, leaves.of(inst.args[0]!.type), inst.op, args)
  }
}

function lanes(g: Graph, scalars: readonly ScalarName[], row: LaneOp, args: readonly Nodes[]): Nodes {
  return scalars.map((s, i) => {
    const y = lane(
      g,
      row,
      s,
      args.map(a => a[i]!),
    )
    if (y === undefined) throw missing(row, s)
    return y
  })
}

export function zeros(g: Graph, scalars: readonly ScalarName[]): Nodes {
  return scalars.map(s => g.zero(valType(s)))
}

function remainder(g: Graph, scalar: ScalarName, x: Node, y: Node, helper: Helper): Node {
  return lane(g, 'rem', scalar, [x, y]) ?? helper(valType(scalar) === f32 ? 'fmod32' : 'fmod64', [x, y])
}

function products(g: Graph, scalar: ScalarName, x: Nodes, y: Nodes): Node {
  let sum: Node | undefined
  for (let i = 0; i < x.length; i++) {
    const product = lane(g, 'mul', scalar, [x[i]!, y[i]!])!
    sum = sum === undefined ? product : lane(g, 'add', scalar, [sum, product])!
  }
  return sum!
}

function matmul(g: Graph, xType: Type, yType: Type, x: Nodes, y: Nodes): Nodes {
  const scalar = xType.scalar!
  const inner = yType.count
  const rows = xType.kind === 'vec' ? 1 : xType.count
  const cols = yType.kind === 'vec' ? 1 : yType.elem!.count
  const out: Node[] = []
  for (let r = 0; r < rows; r++) {
    const row = x.slice(r * inner, (r + 1) * inner)
    for (let c = 0; c < cols; c++) {
      const column: Node[] = []
      for (let k = 0; k < inner; k++) column.push(y[k * cols + c]!)
      out.push(products(g, scalar, row, column))
    }
  }
  return out
}

/** A component chosen at run time, by a chain of selects; past the end it is the last. */
function pick(g: Graph, leaves: Leaves, inst: Inst, x: Nodes, at: Node): Nodes {
  const type = inst.args[0]!.type
  const size = leaves.count(type.elem!)
  const index = at.type === i64 ? g.pure(op.i32WrapI64, i32, at) : at
  if (index.op === op.i32Const) {
    const k = Math.min((index.imm as number) >>> 0, type.count - 1)
    return x.slice(k * size, (k + 1) * size)
  }
  let out = x.slice((type.count - 1) * size)
  for (let k = type.count - 2; k >= 0; k--) {
    const here = g.pure(op.i32Eq, i32, index, g.i32(k))
    out = out.map((other, i) => g.select(here, x[k * size + i]!, other))
  }
  return out
}

/** A library function that is one instruction, lane by lane; undefined where the scalar kind has no such instruction. */
export function applyIntrinsic(g: Graph, name: string, scalar: ScalarName, args: readonly Nodes[]): Nodes | undefined {
  const intrinsic = intrinsicNamed(name)
  const type: ValType = valType(scalar)
  const code = intrinsic.opcodes?.[type]
  const out: Node[] = []
  for (let i = 0; i < args[0]!.length; i++) {
    const lanes = args.map(a => a[a.length === 1 ? 0 : i]!)
    const y =
      code !== undefined
        ? narrow(g, scalar, g.pure(code, type, ...lanes))
        : integerIntrinsic(g, intrinsic, scalar, lanes)
    if (y === undefined) return undefined
    out.push(y)
  }
  return out
}

/** What an intrinsic is of integers that has no instruction for them; undefined if it is nothing. */
function integerIntrinsic(g: Graph, { ofIntegers }: Intrinsic, scalar: ScalarName, [x, y]: Nodes): Node | undefined {
  switch (ofIntegers) {
    case 'min':
      return g.select(lane(g, 'lt', scalar, [x!, y!])!, x!, y!)
    case 'max':
      return g.select(lane(g, 'gt', scalar, [x!, y!])!, x!, y!)
    case 'abs': {
      if (scalar.charCodeAt(0) === 117) return x
      return g.select(lane(g, 'lt', scalar, [x!, g.zero(x!.type)])!, lane(g, 'neg', scalar, [x!])!, x!)
    }
    default:
      return undefined
  }
}

/** Whether `applyIntrinsic` knows an intrinsic for a kind of scalar. */
export function hasIntrinsic(name: string, scalar: ScalarName): boolean {
  const { opcodes, ofIntegers } = intrinsicNamed(name)
  const type = valType(scalar)
  if (opcodes?.[type] !== undefined) return true
  return ofIntegers !== undefined && scalar !== 'bool' && (type === i32 || type === i64)
}
