/**
 * The op table: one row says everything about an operation. Anything that a user could write as a function is a function
 * in core/; an op exists only where no function could express it. Rows are shared by identity: `inst.op === ops.mul`.
 */
import type { Builder } from './build.ts'
import * as t from './type.ts'
import type { Type } from './type.ts'
import type { Attr, Inst, Value } from './value.ts'

/**
 * none: pure · read: reads memory · write: writes memory or the outside world · trap: pure but may stop the program ·
 * control: owns regions or ends one.
 */
export type Effect = 'none' | 'read' | 'write' | 'trap' | 'control'

/** The kind of immediate; drives printing, parsing, verifying and cloning without a case per op. */
/**
 * `hint` is for loops: null, the bound that `[MaxIters]` gives, 'unroll' for `[ForceUnroll]`, or the number of states for
 * `[Checkpoints]` and perhaps a bound.
 */
export type AttrKind = 'none' | 'number' | 'value' | 'text' | 'numbers' | 'func' | 'global' | 'label' | 'hint'

/** The cotangent of operand `i`, given the cotangent of the only result. Other operands of `inst` are residuals. */
export type Transpose = (b: Builder, inst: Inst, i: number, ct: Value) => Value | undefined

/** The tangent of the only result; `ts[i]` is undefined where operand `i` has no tangent. Written in linear ops. */
export type Jvp = (b: Builder, inst: Inst, ts: readonly (Value | undefined)[]) => Value | undefined

/** How an op differentiates. Exactly one holds, so exactly one rule is written for it. */
export type Ad =
  /** Linear in its differentiable operands together: the tangent is the op itself, with zeros for absent tangents. */
  | { readonly is: 'linear'; readonly transpose: Transpose }
  /** Linear in each differentiable operand alone: the tangent is a sum of the op itself. */
  | { readonly is: 'multilinear'; readonly transpose: Transpose }
  /** The tangent is written in linear ops, and its transpose follows from theirs. */
  | { readonly is: 'smooth'; readonly jvp: Jvp }
  /** No derivative. */
  | { readonly is: 'flat' }
  /** Owns regions, memory, calls or control: the passes of ad/ know it by name. */
  | { readonly is: 'structure' }

/** Spelling of a call of the op in a C-like target; undefined where the target has a case of its own. */
export type Spell = { readonly infix: string } | { readonly prefix: string } | { readonly call: string }

export interface Op {
  readonly name: string
  /** A number that few others have, to hash by. */
  readonly hash: number
  readonly doc: string
  readonly attr: AttrKind
  readonly effect: Effect
  /** Ends a region. */
  readonly ends: boolean
  /** Result types from operands and immediate; undefined where the instruction states them (constants, calls, control). */
  readonly type: ((args: readonly Value[], attr: Attr) => readonly Type[]) | undefined
  /** What must hold of the operands, as a sentence, where it does not; undefined where all is well. */
  readonly check: ((args: readonly Value[], attr: Attr, results: readonly Type[]) => string | undefined) | undefined
  readonly ad: Ad
  /** Value on constant scalars, before rounding to the result type. Integers are given and returned as numbers (i64: not folded). */
  readonly fold: ((...args: number[]) => number | boolean | undefined) | undefined
  readonly spell: Spell | undefined
  /** Operands in the differentiable range, one list a test; each entry is a scalar to be splatted. */
  readonly samples: readonly (readonly number[])[]
}

type Row = Pick<Op, 'doc' | 'ad'> & Partial<Op>

/** Every row by name, for the text parser and for tests that loop over the table. */
export const byName: Map<string, Op> = new Map()

function op(name: string, row: Row): Op {
  const full: Op = {
    name, hash: byName.size, doc: row.doc, attr: row.attr ?? 'none', effect: row.effect ?? 'none', ends: row.ends ?? false,
    type: row.type, check: row.check, ad: row.ad, fold: row.fold, spell: row.spell, samples: row.samples ?? [],
  }
  byName.set(name, full)
  return full
}

const first = (args: readonly Value[]): readonly Type[] => [args[0]!.type]
const second = (args: readonly Value[]): readonly Type[] => [args[1]!.type]
const boolLike = (args: readonly Value[]): readonly Type[] => [t.withScalar(args[0]!.type, t.bool)]
const none = (): readonly Type[] => []
const alike = (args: readonly Value[]): string | undefined =>
  args.length === 2 && args[0]!.type === args[1]!.type ? undefined : 'two operands of one type are needed'
const numeric = (args: readonly Value[]): string | undefined =>
  args.every(a => a.type.scalar !== undefined && a.type.scalar !== 'bool') ? alike(args) : 'numbers are needed'
const flat: Ad = { is: 'flat' }
const structure: Ad = { is: 'structure' }

// ── Constants ────────────────────────────────────────────────────────────────────────────────────────────────────

/** A scalar constant. */
export const constant: Op = op('const', { doc: 'A scalar constant: number, boolean, or bigint for 64-bit integers.', attr: 'value', ad: flat })
export const zero: Op = op('zero', { doc: 'All bits zero, of any value type.', ad: flat })
/** What an uninitialised variable holds: any value. */
export const undef: Op = op('undef', { doc: 'An unspecified value; targets give zero.', ad: flat })

// ── Arithmetic, lane by lane on scalars, vectors and matrices of one type ─────────────────────────────────────────

export const add: Op = op('add', {
  doc: 'Sum; on arrays, lists and structs element by element (the accumulation of derivatives), which `expand` takes apart.',
  type: first, check: alike, fold: (x, y) => x + y, spell: { infix: '+' },
  ad: { is: 'linear', transpose: (_b, _inst, _i, ct) => ct }, samples: [[2, 3], [-0.5, 8]],
})
export const sub: Op = op('sub', {
  doc: 'Difference.', type: first, check: numeric, fold: (x, y) => x - y, spell: { infix: '-' },
  ad: { is: 'linear', transpose: (b, _inst, i, ct) => i === 0 ? ct : b.neg(ct) }, samples: [[2, 3], [-0.5, 8]],
})
export const mul: Op = op('mul', {
  doc: 'Product, lane by lane; matrices too.', type: first, check: numeric, fold: (x, y) => x * y, spell: { infix: '*' },
  ad: { is: 'multilinear', transpose: (b, inst, i, ct) => b.mul(ct, inst.args[1 - i]!) }, samples: [[2, 3], [-0.5, 8]],
})
export const div: Op = op('div', {
  doc: 'Quotient; of integers truncated, where x / 0 is x, and the least integer by -1 itself.', type: first, check: numeric, spell: { infix: '/' },
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
  },
  samples: [[2, 3], [-0.5, 8]],
})
export const rem: Op = op('rem', {
  doc: 'Remainder with the sign of the first operand, x - y * trunc(x / y); of integers x % 0 is 0.',
  type: first, check: numeric, spell: { infix: '%' },
  ad: {
    is: 'smooth',
    jvp: (b, inst, [dx, dy]) => {
      if (dy === undefined) return dx
      const [x, y] = [inst.args[0]!, inst.args[1]!]
      const trips = b.div(b.sub(x, b.emit1(rem, [x, y])), y)
      const fromY = b.neg(b.mul(dy, trips))
      return dx === undefined ? fromY : b.add(dx, fromY)
    },
  },
  samples: [[7.25, 2], [-5.5, 3]],
})
export const neg: Op = op('neg', {
  doc: 'Negation.', type: first, fold: x => -x, spell: { prefix: '-' },
  ad: { is: 'linear', transpose: (b, _inst, _i, ct) => b.neg(ct) }, samples: [[2], [-0.5]],
})

// ── Bits and logic: integers and booleans ─────────────────────────────────────────────────────────────────────────

export const and: Op = op('and', { doc: 'Bitwise and; logical on booleans.', type: first, check: alike, fold: (x, y) => x & y, spell: { infix: '&' }, ad: flat })
export const or: Op = op('or', { doc: 'Bitwise or; logical on booleans.', type: first, check: alike, fold: (x, y) => x | y, spell: { infix: '|' }, ad: flat })
export const xor: Op = op('xor', { doc: 'Bitwise exclusive or; inequality on booleans.', type: first, check: alike, fold: (x, y) => x ^ y, ad: flat })
export const not: Op = op('not', { doc: 'Bitwise complement; logical on booleans.', type: first, ad: flat })
export const shl: Op = op('shl', { doc: 'Shift left by the second operand modulo the bit width.', type: first, fold: (x, y) => x << (y & 31), ad: flat })
export const shr: Op = op('shr', { doc: 'Shift right by the second operand modulo the bit width: arithmetic for signed, logical for unsigned.', type: first, ad: flat })

// ── Comparison ───────────────────────────────────────────────────────────────────────────────────────────────────

export const lt: Op = op('lt', { doc: 'Less than; false with a NaN.', type: boolLike, check: alike, fold: (x, y) => x < y, spell: { infix: '<' }, ad: flat })
export const le: Op = op('le', { doc: 'Less than or equal.', type: boolLike, check: alike, fold: (x, y) => x <= y, spell: { infix: '<=' }, ad: flat })
export const gt: Op = op('gt', { doc: 'Greater than.', type: boolLike, check: alike, fold: (x, y) => x > y, spell: { infix: '>' }, ad: flat })
export const ge: Op = op('ge', { doc: 'Greater than or equal.', type: boolLike, check: alike, fold: (x, y) => x >= y, spell: { infix: '>=' }, ad: flat })
export const eq: Op = op('eq', { doc: 'Equal; false with a NaN.', type: boolLike, check: alike, fold: (x, y) => x === y, spell: { infix: '==' }, ad: flat })
export const ne: Op = op('ne', { doc: 'Not equal; true with a NaN.', type: boolLike, check: alike, fold: (x, y) => x !== y, spell: { infix: '!=' }, ad: flat })

/** Both values are computed; the condition is a boolean, or a boolean vector for lane-wise choice. */
export const select: Op = op('select', {
  doc: 'The second operand where the first is true, else the third; of any type. A boolean vector or matrix chooses lane by lane.',
  type: second,
  check: ([c, x, y]) => x!.type === y!.type && c!.type.scalar === 'bool' ? undefined : 'a condition and two operands of one type are needed',
  ad: {
    is: 'linear',
    transpose: (b, inst, i, ct) => {
      const none = b.zero(ct.type)
      return i === 1 ? b.select(inst.args[0]!, ct, none) : b.select(inst.args[0]!, none, ct)
    },
  },
})

// ── Conversion ───────────────────────────────────────────────────────────────────────────────────────────────────

export const convert: Op = op('convert', {
  doc: 'To another scalar of the same shape, by value: float to int truncates (out of range is unspecified, without trap), to bool tests against zero, bool to number gives 0 or 1.',
  ad: { is: 'linear', transpose: (b, inst, _i, ct) => b.convert(ct, inst.args[0]!.type) },
})
export const bitcast: Op = op('bitcast', { doc: 'To another type of the same shape and size, by bits.', ad: flat })
/** The same value, with its derivative cut. */
export const detach: Op = op('detach', { doc: 'The value without its derivative.', type: first, ad: flat })

// ── Composites ───────────────────────────────────────────────────────────────────────────────────────────────────

export const construct: Op = op('construct', {
  doc: 'A vector of its lanes, a matrix of its rows, an array of its elements, a struct of its fields: one operand a component.',
  ad: { is: 'linear', transpose: (b, _inst, i, ct) => b.extract(ct, i) },
})
export const splat: Op = op('splat', {
  doc: 'A vector or matrix whose lanes are all the operand.',
  ad: { is: 'linear', transpose: (b, _inst, _i, ct) => b.sumLanes(ct) },
})
export const extract: Op = op('extract', {
  doc: 'A component with a constant index: lane, row, element or field.', attr: 'number',
  type: ([x], attr) => [t.component(x!.type, attr as number)],
  check: ([x], attr) => (attr as number) < x!.type.count ? undefined : 'the index is past the end',
  ad: { is: 'linear', transpose: (b, inst, _i, ct) => b.insert(b.zero(inst.args[0]!.type), inst.attr as number, ct) },
})
export const insert: Op = op('insert', {
  doc: 'The first operand with one component replaced by the second.', attr: 'number', type: first,
  ad: {
    is: 'linear',
    transpose: (b, inst, i, ct) => i === 1 ? b.extract(ct, inst.attr as number)
      : b.insert(ct, inst.attr as number, b.zero(inst.args[1]!.type)),
  },
})
export const swizzle: Op = op('swizzle', {
  doc: 'A vector of chosen lanes of a vector; several lanes, so never a scalar.', attr: 'numbers',
  type: ([x], attr) => [t.vec(x!.type.elem!, (attr as readonly number[]).length)],
  ad: {
    is: 'linear',
    transpose: (b, inst, _i, ct) => {
      const type = inst.args[0]!.type
      const parts: (Value | undefined)[] = new Array<Value | undefined>(type.count).fill(undefined)
      const lanes = inst.attr as readonly number[]
      for (let k = 0; k < lanes.length; k++) {
        const part = b.extract(ct, k)
        const old = parts[lanes[k]!]
        parts[lanes[k]!] = old === undefined ? part : b.add(old, part)
      }
      return b.construct(type, parts.map(p => p ?? b.zero(type.elem!)))
    },
  },
})
export const index: Op = op('index', {
  doc: 'A lane of a vector or row of a matrix with a computed index; past the end, or below zero, the last. Arrays with computed indices live in memory instead.',
  type: ([x]) => [x!.type.elem!],
  ad: {
    is: 'linear',
    transpose: (b, inst, i, ct) => {
      if (i !== 0) return undefined
      const [x, at] = [inst.args[0]!, inst.args[1]!]
      const none = b.zero(ct.type)
      const parts: Value[] = []
      const last = x.type.count - 1
      for (let k = 0; k < last; k++) parts.push(b.select(b.emit1(eq, [at, b.const(at.type, k)]), ct, none))
      parts.push(b.select(b.emit1(lt, [b.convert(at, t.u32), b.const(t.u32, last)]), none, ct))
      return b.construct(x.type, parts)
    },
  },
})
export const dot: Op = op('dot', {
  doc: 'Inner product of two vectors.', type: ([x]) => [x!.type.elem!], check: numeric,
  ad: { is: 'multilinear', transpose: (b, inst, i, ct) => b.mul(b.splat(ct, inst.args[1 - i]!.type), inst.args[1 - i]!) },
  samples: [[2, 3], [-0.5, 8]],
})
export const matmul: Op = op('matmul', {
  doc: 'Row vector times matrix, matrix times column vector, or matrix times matrix.',
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
      const vx = x.type.kind === 'vec', vy = y.type.kind === 'vec'
      if (i === 0) return vy ? b.outer(ct, y) : b.emit1(matmul, [ct, b.transpose(y)])
      return vx ? b.outer(x, ct) : b.emit1(matmul, [b.transpose(x), ct])
    },
  },
  samples: [[2, 3]],
})
export const transpose: Op = op('transpose', {
  doc: 'Rows to columns.', type: ([x]) => [t.mat(x!.type.elem!.elem!, x!.type.elem!.count, x!.type.count)],
  ad: { is: 'linear', transpose: (b, _inst, _i, ct) => b.transpose(ct) }, samples: [[2]],
})

// ── Memory ───────────────────────────────────────────────────────────────────────────────────────────────────────

export const variable: Op = op('var', { doc: 'A local variable of the enclosing region: a function pointer to it. Uninitialised; targets give zero.', effect: 'write', ad: structure })
export const global: Op = op('global', { doc: 'A pointer to a module-level variable or resource.', attr: 'global', type: (_args, attr) => { const g = attr as { space: t.Space; type: Type }; return [t.ptr(g.space, g.type)] }, ad: structure })
export const field: Op = op('field', { doc: 'A pointer to a field of the struct pointed to.', attr: 'number', type: ([p], attr) => [t.ptr(p!.type.space!, t.component(p!.type.elem!, attr as number))], ad: structure })
export const elem: Op = op('elem', { doc: 'A pointer to an element, row or lane; the index is clamped or the access dropped where it is out of bounds, never memory of another variable. A list grows to hold it.', type: ([p]) => [t.ptr(p!.type.space!, p!.type.elem!.elem!)], ad: structure })
export const load: Op = op('load', { doc: 'The value pointed to.', effect: 'read', type: ([p]) => [p!.type.elem!], check: ([p]) => p!.type.kind === 'ptr' ? undefined : 'a pointer is needed', ad: structure })
export const store: Op = op('store', { doc: 'Writes the second operand where the first points.', effect: 'write', type: none, check: ([p, v]) => p!.type.elem === v!.type ? undefined : 'the pointee and the value differ in type', ad: structure })
export const length: Op = op('length', { doc: 'The number of elements of a runtime-sized array, as u32.', effect: 'none', type: () => [t.u32], ad: flat })
export const atomic: Op = op('atomic', { doc: 'Read-modify-write of the scalar pointed to: add, min, max, and, or, xor, exchange, or compare (operands: pointer, expected, new); gives the old value. `load` and `store` are the atomic plain accesses; what `store` gives is unspecified.', attr: 'text', effect: 'write', ad: structure })
export const barrier: Op = op('barrier', { doc: 'workgroup, storage or all: waits for the workgroup and orders its memory. With a pointer to shared memory, which is for WGSL alone, it loads what all threads find there, between two barriers.', attr: 'text', effect: 'write', type: ([p]) => p === undefined ? [] : [p.type.elem!], ad: flat })
export const print: Op = op('printf', { doc: 'Prints the operands by a format string.', attr: 'text', effect: 'write', type: none, ad: flat })
export const trap: Op = op('trap', { doc: 'Stops the program where the condition is false; the text says why. GPU targets leave it out.', attr: 'text', effect: 'trap', type: none, ad: flat })

// ── Calls ────────────────────────────────────────────────────────────────────────────────────────────────────────

export const call: Op = op('call', { doc: 'Calls a function: operands are its inputs, results its result and outputs.', attr: 'func', effect: 'write', type: (_args, attr) => (attr as { results: readonly Type[] }).results, ad: structure })

// ── Control ──────────────────────────────────────────────────────────────────────────────────────────────────────

const control = (name: string, row: Partial<Op> & Pick<Op, 'doc'>): Op => op(name, { effect: 'control', ad: structure, ...row })
export const if_: Op = control('if', { doc: 'Two regions, then and else, each ended by `yield`; results are what they yield.' })
export const switch_: Op = control('switch', { doc: 'One region a case and the default last, each ended by `yield`. The immediate lists label, region, label, region ….', attr: 'numbers' })
export const loop: Op = control('loop', { doc: 'Region 0, the head, takes the carried values and ends in `test`; region 1, the body, sees the head\'s values and ends in `next`. Results are the exits of `test` or of a `leave`.', attr: 'hint' })
export const block: Op = control('block', { doc: 'One region that runs once; results are what it yields, or what a `leave` carries.' })
export const yield_: Op = control('yield', { doc: 'Ends a region of `if`, `switch` or `block` with the results.', ends: true, type: none })
export const test: Op = control('test', { doc: 'Ends the head of a loop: goes on to the body where the first operand is true, else leaves the loop with the other operands.', ends: true, type: none })
export const next: Op = control('next', { doc: 'Ends the body of a loop with the values of the next trip.', ends: true, type: none })
export const leave: Op = control('leave', { doc: 'Leaves the enclosing `loop`, `block`, `if` or `switch` that the label names, with its results.', ends: true, attr: 'label', type: none })
export const ret: Op = control('ret', { doc: 'Returns from the function.', ends: true, type: none })
export const unreachable: Op = control('unreachable', { doc: 'Cannot be reached.', ends: true, type: none })
