/**
 * The op table: what `op.ts` promises of each op. Anything that a user could write as a function is a function in core/; an
 * op exists only where no function could express it. An instruction has the name of its op, `inst.op === 'mul'`, and its
 * row, `inst.row.effect`.
 */
import type { Lanes, Op, OpName, Row, Tangents } from './op.ts'
import * as t from './type.ts'
import type { Type } from './type.ts'
import type { Inst, Value } from './value.ts'

const first = (args: readonly Value[]): readonly Type[] => [args[0]!.type]
const second = (args: readonly Value[]): readonly Type[] => [args[1]!.type]
const boolLike = ([x]: readonly Value[]): readonly Type[] => [
  x!.type.kind === 'ptr' ? t.bool : t.withScalar(x!.type, t.bool),
]
const none = (): readonly Type[] => []
/** The same of all numbers. */
const numbers = (f: (x: number, y: number) => number, long: (x: bigint, y: bigint) => bigint): Lanes => ({
  float: f,
  int: f,
  long,
})
const compare = (f: (x: number | bigint, y: number | bigint) => boolean): Lanes => ({ float: f, int: f, long: f })
const flat = { is: 'flat' } as const
const structure = { is: 'structure' } as const

/** The tangent of an operand, with a zero where it has none. */
function tangentOf(inst: Inst, ts: Tangents, i: number, zero: (type: Type) => Value): Value {
  return ts[i] ?? zero(t.differential(inst.args[i]!.type)!)
}

const table: { readonly [K in OpName]: Row<K> } = {
  // ── Constants ────────────────────────────────────────────────────────────────────────────────────────────────────

  const: { ad: flat },
  zero: { ad: flat },
  undef: { ad: flat },

  // ── Arithmetic, lane by lane on scalars, vectors and matrices of one type ─────────────────────────────────────────

  add: {
    type: first,
    lanes: numbers(
      (x, y) => x + y,
      (x, y) => x + y,
    ),
    ad: {
      is: 'linear',
      transpose: (_b, _inst, _i, ct) => ct,
      jvp: (b, _inst, [dx, dy]) => (dx === undefined ? dy : dy === undefined ? dx : b.emit1('add', [dx, dy])),
    },
  },
  sub: {
    type: first,
    lanes: numbers(
      (x, y) => x - y,
      (x, y) => x - y,
    ),
    ad: {
      is: 'linear',
      transpose: (b, _inst, i, ct) => (i === 0 ? ct : b.neg(ct)),
      jvp: (b, _inst, [dx, dy]) => (dy === undefined ? dx : dx === undefined ? b.neg(dy) : b.sub(dx, dy)),
    },
  },
  mul: {
    type: first,
    lanes: { float: (x, y) => x * y, int: Math.imul, long: (x, y) => x * y },
    ad: { is: 'multilinear', transpose: (b, inst, i, ct) => b.mul(ct, inst.args[1 - i]!) },
  },
  div: {
    type: first,
    lanes: {
      float: (x, y) => x / y,
      int: (x, y) => (y === 0 ? x : Math.trunc(x / y)),
      long: (x, y) => (y === 0n ? x : x / y),
    },
    ad: {
      is: 'smooth',
      jvp: (b, inst, [dx, dy]) => {
        const y = inst.args[1]!
        const ry = b.div(b.splatLike(b.one(y.type), y.type), y)
        const fromX = dx === undefined ? undefined : b.mul(dx, ry)
        if (dy === undefined) return fromX
        const slope = b.mul(b.div(inst.args[0]!, y), ry)
        const fromY = b.neg(b.mul(dy, slope))
        return fromX === undefined ? fromY : b.add(fromX, fromY)
      },
      linearIn: { operand: 0, transpose: (b, inst, ct) => b.div(ct, inst.args[1]!) },
    },
  },
  rem: {
    type: first,
    lanes: { float: (x, y) => x % y, int: (x, y) => (y === 0 ? 0 : x % y), long: (x, y) => (y === 0n ? 0n : x % y) },
    ad: {
      is: 'smooth',
      jvp: (b, inst, [dx, dy]) => {
        if (dy === undefined) return dx
        const [x, y] = [inst.args[0]!, inst.args[1]!]
        const trips = b.div(b.sub(x, b.emit1('rem', [x, y])), y)
        const fromY = b.neg(b.mul(dy, trips))
        return dx === undefined ? fromY : b.add(dx, fromY)
      },
    },
  },
  neg: {
    type: first,
    lanes: numbers(
      x => -x,
      x => -x,
    ),
    ad: { is: 'linear', transpose: (b, _inst, _i, ct) => b.neg(ct) },
  },

  // ── Bits and logic: integers and booleans ─────────────────────────────────────────────────────────────────────────

  and: { type: first, lanes: { int: (x, y) => x & y, long: (x, y) => x & y, bool: (x, y) => x && y }, ad: flat },
  or: { type: first, lanes: { int: (x, y) => x | y, long: (x, y) => x | y, bool: (x, y) => x || y }, ad: flat },
  xor: { type: first, lanes: { int: (x, y) => x ^ y, long: (x, y) => x ^ y, bool: (x, y) => x !== y }, ad: flat },
  not: { type: first, lanes: { int: x => ~x, long: x => ~x, bool: x => !x }, ad: flat },
  shl: { type: first, lanes: { int: (x, y, bits) => x << (y & (bits - 1)), long: (x, y) => x << (y & 63n) }, ad: flat },
  shr: {
    type: first,
    lanes: {
      int: (x, y, bits) => x >> (y & (bits - 1)),
      uint: (x, y, bits) => x >>> (y & (bits - 1)),
      long: (x, y) => x >> (y & 63n),
    },
    ad: flat,
  },

  // ── Comparison ───────────────────────────────────────────────────────────────────────────────────────────────────

  lt: { type: boolLike, lanes: compare((x, y) => x < y), ad: flat },
  le: { type: boolLike, lanes: compare((x, y) => x <= y), ad: flat },
  gt: { type: boolLike, lanes: compare((x, y) => x > y), ad: flat },
  ge: { type: boolLike, lanes: compare((x, y) => x >= y), ad: flat },
  eq: { type: boolLike, lanes: { ...compare((x, y) => x === y), bool: (x, y) => x === y }, ad: flat },
  ne: { type: boolLike, lanes: { ...compare((x, y) => x !== y), bool: (x, y) => x !== y }, ad: flat },

  select: {
    type: second,
    ad: {
      is: 'linear',
      transpose: (b, inst, i, ct) => {
        const none = b.zero(ct.type)
        return i === 1 ? b.select(inst.args[0]!, ct, none) : b.select(inst.args[0]!, none, ct)
      },
      jvp: (b, inst, ts, zero) => b.select(inst.args[0]!, tangentOf(inst, ts, 1, zero), tangentOf(inst, ts, 2, zero)),
    },
  },

  // ── Conversion ───────────────────────────────────────────────────────────────────────────────────────────────────

  convert: {
    ad: {
      is: 'linear',
      transpose: (b, inst, _i, ct) => b.convert(ct, inst.args[0]!.type),
      jvp: (b, inst, [dx]) => b.convert(dx!, t.differential(inst.results[0]!.type)!),
    },
  },
  bitcast: { ad: flat },
  detach: { type: first, ad: flat },

  // ── Composites ───────────────────────────────────────────────────────────────────────────────────────────────────

  construct: {
    ad: {
      is: 'linear',
      transpose: (b, _inst, i, ct) => b.extract(ct, i),
      jvp: (b, inst, ts, zero) => {
        const of = inst.results[0]!.type,
          type = t.differential(of)!
        const parts = new Array<Value | undefined>(type.count)
        for (let i = 0; i < inst.args.length; i++) {
          const at = t.tangentIndex(of, i)
          if (at >= 0) parts[at] = tangentOf(inst, ts, i, zero)
        }
        return b.construct(
          type,
          Array.from(parts, (part, i) => part ?? zero(t.component(type, i))),
        )
      },
    },
  },
  splat: { ad: { is: 'linear', transpose: (b, _inst, _i, ct) => b.sumLanes(ct) } },
  extract: {
    type: ([x], attr) => [t.component(x!.type, attr)],
    ad: {
      is: 'linear',
      transpose: (_b, inst, _i, ct) => [{ component: inst.attr, ct }],
      jvp: (b, inst, [dx]) => {
        const at = t.tangentIndex(inst.args[0]!.type, inst.attr)
        return at < 0 ? undefined : b.extract(dx!, at)
      },
    },
  },
  insert: {
    type: first,
    ad: {
      is: 'linear',
      transpose: (b, inst, i, ct) =>
        i === 1 ? b.extract(ct, inst.attr) : b.insert(ct, inst.attr, b.zero(inst.args[1]!.type)),
      jvp: (b, inst, ts, zero) => {
        const at = t.tangentIndex(inst.args[0]!.type, inst.attr)
        return at < 0 ? ts[0] : b.insert(tangentOf(inst, ts, 0, zero), at, tangentOf(inst, ts, 1, zero))
      },
    },
  },
  swizzle: {
    type: ([x], attr) => [t.vec(x!.type.elem!, attr.length)],
    ad: {
      is: 'linear',
      transpose: (b, inst, _i, ct) => inst.attr.map((lane, k) => ({ component: lane, ct: b.extract(ct, k) })),
    },
  },
  index: {
    type: ([x]) => [x!.type.elem!],
    ad: {
      is: 'linear',
      transpose: (b, inst, _i, ct) => {
        const [x, at] = [inst.args[0]!, inst.args[1]!]
        const none = b.zero(ct.type)
        const parts: Value[] = []
        const last = x.type.count - 1
        for (let k = 0; k < last; k++) parts.push(b.select(b.emit1('eq', [at, b.const(at.type, k)]), ct, none))
        parts.push(b.select(b.emit1('lt', [b.convert(at, t.u32), b.const(t.u32, last)]), none, ct))
        return b.construct(x.type, parts)
      },
      jvp: (b, inst, [dx]) => b.emit1('index', [dx!, inst.args[1]!]),
    },
  },
  dot: {
    type: ([x]) => [x!.type.elem!],
    ad: {
      is: 'multilinear',
      transpose: (b, inst, i, ct) => b.mul(b.splat(ct, inst.args[1 - i]!.type), inst.args[1 - i]!),
    },
  },
  matmul: {
    type: ([x, y]) => {
      const elem = x!.type.kind === 'vec' ? x!.type.elem! : x!.type.elem!.elem!
      if (x!.type.kind === 'vec') return [t.vec(elem, y!.type.elem!.count)]
      if (y!.type.kind === 'vec') return [t.vec(elem, x!.type.count)]
      return [t.mat(elem, x!.type.count, y!.type.elem!.count)]
    },
    ad: {
      is: 'multilinear',
      transpose: (b, inst, i, ct) => {
        const [x, y] = [inst.args[0]!, inst.args[1]!]
        const vx = x.type.kind === 'vec',
          vy = y.type.kind === 'vec'
        if (i === 0) return vy ? b.outer(ct, y) : b.emit1('matmul', [ct, b.transpose(y)])
        return vx ? b.outer(x, ct) : b.emit1('matmul', [b.transpose(x), ct])
      },
    },
  },
  transpose: {
    type: ([x]) => [t.mat(x!.type.elem!.elem!, x!.type.elem!.count, x!.type.count)],
    ad: { is: 'linear', transpose: (b, _inst, _i, ct) => b.transpose(ct) },
  },

  // ── Memory ───────────────────────────────────────────────────────────────────────────────────────────────────────

  var: { effect: 'write', ad: structure },
  global: { type: (_args, g) => [t.ptr(g.space, g.type)], ad: structure },
  field: { type: ([p], attr) => [t.ptr(p!.type.space!, t.component(p!.type.elem!, attr))], ad: structure },
  elem: { type: ([p]) => [t.ptr(p!.type.space!, p!.type.elem!.elem!)], ad: structure },
  load: { effect: 'read', type: ([p]) => [p!.type.elem!], ad: structure },
  store: { effect: 'write', type: none, ad: structure },
  length: { type: () => [t.u32], ad: flat },
  atomic: { effect: 'write', ad: structure },
  barrier: { effect: 'write', type: ([p]) => (p === undefined ? [] : [p.type.elem!]), ad: structure },
  printf: { effect: 'write', type: none, ad: structure },
  trap: { effect: 'write', type: none, ad: structure },
  'intrinsic.pure': { ad: flat },
  'intrinsic.read': { effect: 'read', ad: flat },
  'intrinsic.write': { effect: 'write', ad: flat },
  'intrinsic.hide': { type: first, ad: flat },

  // ── Calls ────────────────────────────────────────────────────────────────────────────────────────────────────────

  call: { effect: 'write', type: (_args, func) => func.results, ad: structure },

  // ── Control ──────────────────────────────────────────────────────────────────────────────────────────────────────

  if: { effect: 'control', ad: structure },
  switch: { effect: 'control', ad: structure },
  loop: { effect: 'control', ad: structure },
  block: { effect: 'control', ad: structure },
  yield: { effect: 'control', ad: structure, ends: true, type: none },
  test: { effect: 'control', ad: structure, ends: true, type: none },
  next: { effect: 'control', ad: structure, ends: true, type: none },
  leave: { effect: 'control', ad: structure, ends: true, type: none },
  ret: { effect: 'control', ad: structure, ends: true, type: none },
  unreachable: { effect: 'control', ad: structure, ends: true, type: none },
}

/** Whether a text names an op. */
export function isOp(name: string): name is OpName {
  return Object.hasOwn(table, name)
}

/** Every op's name, in the order of the table. */
export const opNames: readonly OpName[] = Object.keys(table).filter(isOp)

/** A row with all columns, in one order, so that engines see one shape. */
function row(name: OpName): Op {
  const { effect = 'none', ends = false, type, ad, lanes }: Partial<Op> & Pick<Op, 'ad'> = table[name]
  return { name, hash: opNames.indexOf(name), effect, ends, type, ad, lanes }
}

/** A map, since engines look names up in it twice as fast as in an object with so many properties. */
const rows: ReadonlyMap<OpName, Op> = new Map(opNames.map(name => [name, row(name)]))

/** The row of an op. */
export function rowOf(op: OpName): Op {
  return rows.get(op)!
}
