/**
 * Expands arithmetic and composites for WGSL. Its matrices have only `+`, `-` and products, so other element-wise work goes row by
 * row. Its shift amounts are unsigned. Constants that a WGSL compiler would refuse to evaluate are hidden from it.
 */
import type { Builder } from '../../ir/build.ts'
import type { LaneOp, OpName } from '../../ir/op.ts'
import * as costs from '../../ir/costs.ts'
import * as t from '../../ir/type.ts'
import type { Type } from '../../ir/type.ts'
import { Inst, type Value } from '../../ir/value.ts'
import type { Intrinsic } from './intrinsic.ts'
import type { TypeMap } from './types.ts'

/** True for a matrix type that WGSL lacks, which becomes an array of rows. */
function byRow(type: Type): boolean {
  return type.kind === 'mat' || type.kind === 'array'
}

/** The value if it is a scalar constant, or a vector that repeats one. */
export function constantOf(v: Value): number | boolean | bigint | undefined {
  const def = v.def
  if (def.op === 'param') return undefined
  if (def.op === 'const') return def.attr
  if (def.op === 'zero' && v.type.kind === 'vec') return 0
  return def.op === 'splat' ? constantOf(def.args[0]!) : undefined
}

const composing: readonly (OpName | undefined)[] = ['construct', 'splat', 'extract', 'swizzle', 'load', 'field', 'elem']

/** True for what a WGSL compiler sees as a constant expression; of variables only constants have a value there. */
function isConstant({ def }: Value): boolean {
  if (def.op === 'param') return false
  if (def.op === 'global') return def.attr.init !== undefined
  return def.op === 'const' || def.op === 'zero' || (composing.includes(def.op) && def.args.every(isConstant))
}

/** The value, hidden where it is a constant. */
export function hidden(b: Builder, v: Value): Value {
  return isConstant(v) ? b.emit1('intrinsic.hide', [v]) : v
}

/** The operands, the first of them hidden where all are constants. */
function guarded(b: Builder, args: readonly Value[]): Value[] {
  if (!args.every(isConstant)) return [...args]
  return args.map((a, i) => (i === 0 ? hidden(b, a) : a))
}

/** Applies `f` to the operands, or row by row to those that are matrices. */
function perRow(
  b: Builder,
  type: Type,
  args: readonly Value[],
  f: (args: readonly Value[], type: Type) => Value,
): Value {
  if (!byRow(type)) return f(args, type)
  const rows: Value[] = []
  for (let i = 0; i < type.count; i++)
    rows.push(
      f(
        args.map(a => (byRow(a.type) ? b.extract(a, i) : a)),
        type.elem!,
      ),
    )
  return b.construct(type, rows)
}

/** A unary or binary operation on operands of one shape; `type` is the result's. */
export function arithmetic(b: Builder, op: LaneOp, args: readonly Value[], type: Type): Value {
  // Sums of arrays and structs go element by element.
  if ((type.kind === 'array' && !isRows(type)) || type.kind === 'struct') {
    const parts: Value[] = []
    for (let i = 0; i < type.count; i++)
      parts.push(
        arithmetic(
          b,
          op,
          args.map(a => b.extract(a, i)),
          t.component(type, i),
        ),
      )
    return b.construct(type, parts)
  }
  if (type.kind === 'mat') {
    if (op === 'add' || op === 'sub') return b.emit1(op, guarded(b, args), null, type)
    if (op === 'neg') return b.emit1('mul', [...guarded(b, args), b.const(t.scalars[type.scalar!], -1)], null, type)
    const scalar = op === 'mul' ? scaleOf(args) : undefined
    if (scalar !== undefined) return b.emit1('mul', scalar, null, type)
  }
  return perRow(b, type, args, (parts, part) => onLanes(b, op, parts, part))
}

/** An array that stands for a matrix of integers or booleans. */
function isRows(type: Type): boolean {
  return type.elem!.kind === 'vec' && type.count <= 4 && !t.isFloat(type.elem!)
}

/** Matrix and scalar, where one factor repeats a scalar. */
function scaleOf(args: readonly Value[]): Value[] | undefined {
  for (let k = 0; k < 2; k++) {
    const scalar = repeated(args[k]!)
    if (scalar !== undefined) return [args[1 - k]!, scalar]
  }
  return undefined
}

/** The scalar that fills a matrix. */
function repeated(v: Value): Value | undefined {
  const def = v.def
  if (def.op === 'param' || def.op !== 'construct') return undefined
  const first = def.args[0]!.def
  return first instanceof Inst && first.op === 'splat' && def.args.every(a => a === def.args[0])
    ? first.args[0]
    : undefined
}

/** An operation on scalars or vectors. */
function onLanes(b: Builder, op: LaneOp, args: readonly Value[], type: Type): Value {
  const [x, y] = [args[0]!, args[1]]
  const of = x.type
  if (op === 'neg' && of.scalar === 'u32') return b.emit1('sub', guarded(b, [b.zero(of), x]), null, type)
  if (op === 'xor' && of.scalar === 'bool') return b.emit1('ne', [x, y!], null, type)
  if (op === 'shl' || op === 'shr') return b.emit1(op, [...guarded(b, [x, shiftAmount(b, y!)])], null, type)
  if ((op === 'div' || op === 'rem') && t.isInt(of)) {
    const by = constantOf(y!)
    if (by === 0 && op === 'div') return x
    if (by === 0) return b.zero(of)
    const divisor = by === undefined ? hidden(b, y!) : y!
    return b.emit1(op, guarded(b, [x, divisor]), null, type)
  }
  const comparison = type.scalar === 'bool'
  return b.emit1(op, comparison ? [...args] : guarded(b, args), null, type)
}

/** Shift amounts are u32, and constant ones have to be less than the width. */
function shiftAmount(b: Builder, y: Value): Value {
  const type = t.withScalar(y.type, t.u32)
  const known = constantOf(y)
  if (known !== undefined) return b.splat(b.const(t.u32, Number(known) & 31), type)
  return b.convert(hidden(b, y), type)
}

/** Chooses between two values of any type; a condition that is no scalar chooses lane by lane. */
export function select(b: Builder, cond: Value, x: Value, y: Value): Value {
  const type = x.type
  if (type.kind === 'scalar' || type.kind === 'vec') return b.emit1('select', [cond, x, y], null, type)
  if (cond.type.kind !== 'scalar' || type.kind === 'mat') {
    return perRow(b, type, [cond, x, y], ([c, p, q], part) => b.emit1('select', [c!, p!, q!], null, part))
  }
  return b.choice(cond, x, y)
}

/** Converts by value or by bits. */
export function recast(b: Builder, op: 'convert' | 'bitcast', x: Value, type: Type): Value {
  if (x.type === type) return x
  return perRow(b, type, [x], ([part], to) => {
    if (part!.type === to) return part!
    return op === 'convert' && t.isFloat(part!.type) && t.isInt(to)
      ? saturate(b, part!, to)
      : b.emit1(op, guarded(b, [part!]), null, to)
  })
}

/** Floats as integers. Past the greatest, implementations give the greatest, or the greatest float that is less. */
function saturate(b: Builder, x: Value, type: Type): Value {
  const wide = t.withScalar(x.type, t.f32)
  const from = hidden(b, x.type === wide ? x : b.emit1('convert', guarded(b, [x]), null, wide))
  const [greatest, end] = type.scalar === 'i32' ? [2 ** 31 - 1, 2 ** 31] : [2 ** 32 - 1, 2 ** 32]
  const past = b.emit1('ge', [from, b.splat(b.const(t.f32, end), wide)])
  return b.emit1('select', [
    past,
    b.splat(b.const(t.scalars[type.scalar!], greatest), type),
    b.emit1('convert', [from], null, type),
  ])
}

/** Whether a WGSL compiler accepts the last two operands. */
const accepts: Readonly<Record<NonNullable<Intrinsic['bounds']>, (parts: readonly Value[]) => boolean>> = {
  inOrder: parts => {
    if (parts.filter(isConstant).length <= 1) return true
    const [, low, high] = parts.map(constantOf)
    return low !== undefined && high !== undefined && low <= high && !parts.every(isConstant)
  },
  insideOfWidth: parts => {
    const known = parts.slice(-2).filter(isConstant).map(constantOf)
    const end = known.reduce<number>((sum, n) => sum + Number(n ?? Infinity), 0)
    return end <= 32
  },
}

/** Calls a built-in function of WGSL; `part` is the type of its result. */
type Call = (args: readonly Value[], part: Type) => Value

/** Calls of functions that devices may compute wrongly, so that they give what they should. */
const mends: Readonly<
  Record<NonNullable<Intrinsic['mend']>, (b: Builder, args: readonly Value[], part: Type, call: Call) => Value>
> = {
  // Some devices take -0 for a number below 0: the angle of `atan2` is then wrong by pi.
  signOfZero: (b, [y, x], part, call) => {
    const zero = b.zero(y!.type)
    return call([b.select(b.emit1('eq', [y!, zero]), zero, y!), x!], part)
  },
  // By the definition of `asinh` in WGSL, log(x + sqrt(x * x + 1)), all digits cancel for large negative numbers.
  cancellation: (b, [x], part, call) => {
    const sign = b.emit1('intrinsic.pure', [x!], 'sign', part)
    return b.mul(sign, call([b.emit1('intrinsic.pure', [x!], 'abs', part)], part))
  },
}

/** A call of a target intrinsic without effects; where it gives a matrix, row by row. */
export function callBuiltin(b: Builder, { name, bounds, mend }: Intrinsic, args: readonly Value[], type: Type): Value {
  const plain = (parts: readonly Value[], part: Type): Value => {
    const safe = bounds === undefined || accepts[bounds](parts) ? guarded(b, parts) : parts.map(p => hidden(b, p))
    return b.emit1('intrinsic.pure', safe, name, part)
  }
  const call: Call =
    mend === undefined || args.every(isConstant) ? plain : (parts, part) => mends[mend](b, parts, part, plain)
  return perRow(b, type, args, call)
}

/** The first operand with one component replaced. Long arrays are copied to memory for it. */
export function insert(b: Builder, x: Value, i: number, part: Value): Value {
  const type = x.type
  if (type.kind === 'array' && type.count > costs.replacedElements) {
    const copy = b.variable(type, 'copy')
    b.store(copy, x)
    b.store(b.elem(copy, b.const(t.u32, i)), part)
    return b.load(copy)
  }
  const parts: Value[] = []
  for (let k = 0; k < type.count; k++) parts.push(k === i ? part : b.extract(x, k))
  return b.emit1('construct', parts, null, type)
}

/** A vector of chosen lanes. */
export function swizzle(b: Builder, x: Value, lanes: readonly number[], type: Type): Value {
  if (x.type.kind === 'scalar') return b.splat(x, type)
  if (type.kind === 'scalar') return b.extract(x, lanes[0]!)
  return b.swizzle(x, lanes)
}

/** A vector or matrix whose lanes are all the operand. */
export function splat(b: Builder, x: Value, type: Type): Value {
  if (!byRow(type)) return b.splat(x, type)
  const row = b.splat(x, type.elem!)
  return b.construct(
    type,
    Array.from({ length: type.count }, () => row),
  )
}

/** A lane or row by a computed index. */
export function index(b: Builder, x: Value, i: Value, type: Type): Value {
  if (x.type === type) return x
  const known = constantOf(i)
  if (known !== undefined) return b.extract(x, t.bounded(Number(known), x.type.count))
  return b.emit1('index', [x, hidden(b, i)], null, type)
}

/** A vector or matrix as rows and columns. */
interface Shape {
  readonly rows: number
  readonly cols: number
}

/** Element of a value that stands for a matrix of that shape. */
function at(b: Builder, v: Value, shape: Shape, i: number, j: number): Value {
  if (v.type.kind === 'scalar') return v
  if (shape.rows === 1) return b.extract(v, j)
  if (shape.cols === 1) return b.extract(v, i)
  return b.extract(b.extract(v, i), j)
}

/** Builds what stands for a matrix from its elements. */
function tabulate(b: Builder, shape: Shape, type: Type, f: (i: number, j: number) => Value): Value {
  const row = (i: number, to: Type): Value =>
    to.kind === 'scalar'
      ? f(i, 0)
      : b.construct(
          to,
          Array.from({ length: shape.cols }, (_, j) => f(i, j)),
        )
  if (shape.rows === 1) return row(0, type)
  if (shape.cols === 1)
    return b.construct(
      type,
      Array.from({ length: shape.rows }, (_, i) => f(i, 0)),
    )
  return b.construct(
    type,
    Array.from({ length: shape.rows }, (_, i) => row(i, type.elem!)),
  )
}

/** The inner product of two vectors, which may be of one lane. */
export function dot(b: Builder, x: Value, y: Value, type: Type): Value {
  return b.emit1(x.type.kind === 'scalar' ? 'mul' : 'dot', guarded(b, [x, y]), null, type)
}

/** The product of two operands of which at most one is a vector; the types are those of the source. */
export function matmul(b: Builder, types: TypeMap, x: Value, y: Value, xType: Type, yType: Type, result: Type): Value {
  const type = types.value(result)
  const ordinary = (v: Value): boolean => (v.type.kind === 'mat' || v.type.kind === 'vec') && t.isFloat(v.type)
  const degenerate = (of: Type): boolean => of.kind === 'mat' && (of.count === 1 || of.elem!.count === 1)
  if (ordinary(x) && ordinary(y) && !degenerate(xType) && !degenerate(yType))
    return b.emit1('matmul', guarded(b, [x, y]), null, type)
  const left: Shape =
    xType.kind === 'vec' ? { rows: 1, cols: xType.count } : { rows: xType.count, cols: xType.elem!.count }
  const right: Shape =
    yType.kind === 'vec' ? { rows: yType.count, cols: 1 } : { rows: yType.count, cols: yType.elem!.count }
  return tabulate(b, { rows: left.rows, cols: right.cols }, type, (i, j) => {
    let sum: Value | undefined
    for (let k = 0; k < left.cols; k++) {
      const term = onLanes(b, 'mul', [at(b, x, left, i, k), at(b, y, right, k, j)], t.scalars[xType.scalar!])
      sum = sum === undefined ? term : onLanes(b, 'add', [sum, term], term.type)
    }
    return sum!
  })
}

/** Rows to columns; the type is the operand's in the source. */
export function transpose(b: Builder, types: TypeMap, x: Value, xType: Type, result: Type): Value {
  const type = types.value(result)
  if (x.type.kind !== 'mat' && x.type.kind !== 'array') return x
  if (x.type.kind === 'mat') return b.emit1('transpose', guarded(b, [x]), null, type)
  const shape: Shape = { rows: xType.count, cols: xType.elem!.count }
  return tabulate(b, { rows: shape.cols, cols: shape.rows }, type, (i, j) => at(b, x, shape, j, i))
}
