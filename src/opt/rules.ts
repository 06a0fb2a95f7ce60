/**
 * Local rewrites: each looks at one instruction and the definitions of its operands. No rewrite changes a result of IEEE
 * arithmetic: `x * 0` and `x + 0` stay, but `x * 1`, `x - 0` and `x + -0` become `x`.
 */
import { roundTo } from '../base/number.ts'
import { isOne, type Builder } from '../ir/build.ts'
import { exact } from '../ir/exact.ts'
import type { Constant } from '../ir/op.ts'
import * as t from '../ir/type.ts'
import type { ScalarName, Type } from '../ir/type.ts'
import type { Inst, Value } from '../ir/value.ts'
import { rewriteComposite } from './composite.ts'
import { evaluate, fit, fold, isFoldable } from './fold.ts'
import { constantOf, definedBy, inverse, isCommutative, isComparison, turned } from './match.ts'

/** A cheaper value that equals the only result of the instruction; undefined if there is none. `wide` is that of `Cx`. */
export function rewrite(b: Builder, inst: Inst, wide: boolean): Value | undefined {
  const { op, args } = inst
  if (args.length === 0 || inst.results.length !== 1 || inst.regions.length > 0) return undefined
  if (op === 'call') return exactCall(b, inst, wide)
  if (inst.row.effect !== 'none' || op === 'field' || op === 'elem') return undefined
  if (args.length === 2 && isConstant(args[0]!) && !isConstant(args[1]!)) {
    if (isCommutative(op)) inst.args = [args[1]!, args[0]!]
    else if (isComparison(op)) return b.emit1(turned[op], [args[1]!, args[0]!])
  }
  if (op === 'add' && inst.args[0]!.type.scalar === undefined) return accumulated(inst)
  const simpler = constants(b, inst, wide) ?? rewriteComposite(b, inst)
  return simpler ?? (t.isFloat(inst.args[0]!.type) ? floats(b, inst) : discrete(b, inst)) ?? common(b, inst)
}

/** Simplifies a sum of arrays or structs. Only derivatives make such sums, and the sign of a zero does not matter in them. */
function accumulated(inst: Inst): Value | undefined {
  const x = inst.args[0]!,
    y = inst.args[1]!
  return definedBy(x, 'zero') !== undefined ? y : definedBy(y, 'zero') !== undefined ? x : undefined
}

/** The constant as a value of a scalar or vector type. */
function literal(b: Builder, type: Type, value: Constant): Value {
  return b.splatLike(b.const(t.scalars[type.scalar!], value), type)
}

/** The same constant in all lanes. */
function uniform(value: Value): Constant | undefined {
  const { def } = value
  switch (def.op) {
    case 'const':
      return def.attr
    case 'splat':
      return constantOf(def.args[0]!)
    case 'zero':
      return value.type.scalar === undefined ? undefined : lanesOf(value)?.[0]
    default:
      return undefined
  }
}

function isConstant(value: Value): boolean {
  return uniform(value) !== undefined
}

/** All lanes of a constant scalar or vector. */
function lanesOf(value: Value): Constant[] | undefined {
  const { type } = value
  if (type.kind === 'scalar') {
    const c = constantOf(value)
    return c === undefined ? undefined : [c]
  }
  if (type.kind !== 'vec') return undefined
  const parts = definedBy(value, 'construct')
  if (parts !== undefined) {
    const lanes: Constant[] = []
    for (let i = 0; i < parts.args.length; i++) {
      const lane = constantOf(parts.args[i]!)
      if (lane === undefined) return undefined
      lanes.push(lane)
    }
    return lanes
  }
  const splat = definedBy(value, 'splat')
  const scalar = type.scalar
  const c =
    splat !== undefined
      ? constantOf(splat.args[0]!)
      : definedBy(value, 'zero') === undefined
        ? undefined
        : scalar === 'bool'
          ? false
          : scalar === 'i64' || scalar === 'u64'
            ? 0n
            : 0
  return c === undefined ? undefined : Array.from({ length: type.count }, () => c)
}

/**
 * A scalar constant, or what arithmetic on two gives: `0.0 / 0.0` is no constant, since targets cannot write it, but what compares it has an answer,
 * which a GPU need not find.
 */
function edgeOf(value: Value, scalar: ScalarName): Constant | undefined {
  const { def } = value
  if (def.op !== 'div' && def.op !== 'mul' && def.op !== 'add' && def.op !== 'sub') return constantOf(value)
  const [x, y] = [constantOf(def.args[0]!), constantOf(def.args[1]!)]
  return x === undefined || y === undefined ? undefined : evaluate(def.op, scalar, x, y)
}

/** False if `lanesOf` surely finds no constants in the value. A quick test. */
function mayBeConstant({ def: { op } }: Value): boolean {
  return op === 'const' || op === 'splat' || op === 'zero' || op === 'construct'
}

/** Lane by lane on constant operands. */
function constants(b: Builder, inst: Inst, wide: boolean): Value | undefined {
  if (!isFoldable(inst)) return undefined
  const { op, args } = inst
  const type = inst.results[0]!.type
  if (type.kind !== 'scalar' && type.kind !== 'vec') return undefined
  if (isComparison(op) && type.kind === 'scalar' && t.isFloat(args[0]!.type)) {
    const scalar = computedAs(args[0]!.type, wide).scalar!
    const [x, y] = [edgeOf(args[0]!, scalar), edgeOf(args[1]!, scalar)]
    const c = x === undefined || y === undefined ? undefined : evaluate(op, scalar, x, y)
    if (c !== undefined) return b.const(type, c)
  }
  for (let k = 0; k < args.length; k++) if (!mayBeConstant(args[k]!)) return undefined
  const first = lanesOf(args[0]!)
  if (first === undefined) return undefined
  const second = args.length > 1 ? lanesOf(args[1]!) : undefined
  if (args.length > 1 && second === undefined) return undefined
  const from = args[0]!.type
  const [as, to] = op === 'bitcast' ? [from, type] : [computedAs(from, wide), computedAs(type, wide)]
  const out: Constant[] = []
  for (let i = 0; i < first.length; i++) {
    const c = fold(op, as, to, first[i]!, second?.[i])
    if (c === undefined) return undefined
    out.push(c)
  }
  if (type.kind === 'scalar') return b.const(type, out[0]!)
  if (out.every(c => Object.is(c, out[0]))) return literal(b, type, out[0]!)
  return b.emit1(
    'construct',
    out.map(c => b.const(type.elem!, c)),
    null,
    type,
  )
}

/** Evaluates a call with constants, lane by lane, of a function with a single right answer. */
function exactCall(b: Builder, inst: Inst<'call'>, wide: boolean): Value | undefined {
  const { computes } = inst.attr.info
  const type = inst.results[0]!.type
  const f = computes === undefined ? undefined : exact[computes]
  if (f === undefined || (type.kind !== 'scalar' && type.kind !== 'vec') || !inst.args.every(a => a.type === type))
    return undefined
  const args: Constant[][] = []
  for (let i = 0; i < inst.args.length; i++) {
    const a = inst.args[i]!
    const lanes = lanesOf(a)
    if (lanes === undefined || !lanes.every(c => typeof c === 'number')) return undefined
    // Constants of floats may have more digits than their type.
    args.push(lanes.map(c => roundTo(computedAs(type, wide).scalar!, c)))
  }
  const out: Constant[] = []
  for (let i = 0; i < type.count; i++) {
    const c = fit(f(...args.map(lanes => lanes[i] as number)), computedAs(type, wide).scalar!)
    if (c === undefined) return undefined
    out.push(c)
  }
  return type.kind === 'scalar'
    ? b.const(type, out[0]!)
    : b.emit1(
        'construct',
        out.map(c => b.const(type.elem!, c)),
        null,
        type,
      )
}

/** The scalar type in which a type's lanes are computed. */
function computedAs(type: Type, wide: boolean): Type {
  return wide && t.isFloat(type) ? t.f64 : t.scalars[type.scalar!]
}

function floats(b: Builder, inst: Inst): Value | undefined {
  const x = inst.args[0],
    y = inst.args[1]
  const type = inst.results[0]!.type
  switch (inst.op) {
    case 'add': {
      if (Object.is(uniform(y!), -0)) return x
      const nx = definedBy(x!, 'neg'),
        ny = definedBy(y!, 'neg')
      if (ny !== undefined) return b.sub(x!, ny.args[0]!)
      return nx === undefined ? undefined : b.sub(y!, nx.args[0]!)
    }
    case 'sub': {
      if (Object.is(uniform(y!), 0)) return x
      if (Object.is(uniform(x!), -0)) return b.neg(y!)
      const ny = definedBy(y!, 'neg')
      return ny === undefined ? undefined : b.emit1('add', [x!, ny.args[0]!])
    }
    case 'mul': {
      if (isOne(y!)) return x
      if (uniform(y!) === -1) return b.neg(x!)
      const nx = definedBy(x!, 'neg')?.args[0],
        ny = definedBy(y!, 'neg')?.args[0]
      if (nx === undefined && ny === undefined) return undefined
      const c = nx === undefined ? undefined : uniform(y!)
      if (typeof c === 'number') return b.emit1('mul', [nx!, literal(b, type, -c)])
      const product = b.emit1('mul', [nx ?? x!, ny ?? y!])
      return nx === undefined || ny === undefined ? b.neg(product) : product
    }
    case 'div': {
      if (isOne(y!)) return x
      if (uniform(y!) === -1) return b.neg(x!)
      const nx = definedBy(x!, 'neg')?.args[0],
        ny = definedBy(y!, 'neg')?.args[0]
      if (nx === undefined && ny === undefined) return undefined
      const quotient = b.emit1('div', [nx ?? x!, ny ?? y!])
      return nx === undefined || ny === undefined ? b.neg(quotient) : quotient
    }
    case 'neg':
      return definedBy(x!, 'neg')?.args[0]
    case 'convert': {
      const inner = definedBy(x!, 'convert')?.args[0]
      return inner?.type === type && widens(inner.type, x!.type) ? inner : undefined
    }
    default:
      return undefined
  }
}

/** True where every value of the first type is one of the second. */
function widens(from: Type, to: Type): boolean {
  const f = from.scalar!,
    w = to.scalar!
  if (f === 'bool') return true
  if (f === 'f16') return w === 'f32' || w === 'f64'
  if (f === 'f32') return w === 'f64'
  if (w === 'f64') return f === 'i32' || f === 'u32' || f.length < 4
  if (w === 'f32') return f === 'i8' || f === 'u8' || f === 'i16' || f === 'u16'
  return false
}

/** Integers and booleans. */
function discrete(b: Builder, inst: Inst): Value | undefined {
  const x = inst.args[0],
    y = inst.args[1]
  const c = y === undefined ? undefined : uniform(y)
  const type = inst.results[0]!.type
  const zero = c === 0 || c === 0n
  switch (inst.op) {
    case 'add':
      return zero ? x : t.isInt(type) ? sumOfConstants(b, x!, c, 1) : undefined
    case 'sub':
      return zero ? x : x === y ? b.zero(type) : sumOfConstants(b, x!, c, -1)
    case 'mul': {
      if (c === 1 || c === 1n) return x
      if (zero) return y
      const inner = definedBy(x!, 'mul')
      const d = inner === undefined ? undefined : uniform(inner.args[1]!)
      if (typeof c !== 'number' || typeof d !== 'number') return undefined
      return b.emit1('mul', [inner!.args[0]!, literal(b, type, fit(Math.imul(c, d), type.scalar!)!)])
    }
    case 'div':
      return c === 1 || c === 1n ? x : undefined
    case 'rem':
      return c === 1 || c === 1n ? b.zero(type) : undefined
    case 'neg':
      return definedBy(x!, 'neg')?.args[0]
    case 'shl':
    case 'shr':
      return zero ? x : undefined
    case 'and': {
      const all = c === true || c === -1 || (c === 0xffffffff && type.scalar === 'u32')
      return x === y || all ? x : c === false || zero ? y : undefined
    }
    case 'or':
      return x === y || c === false || zero ? x : c === true || c === -1 ? y : undefined
    case 'xor':
      if (x === y) return b.zero(type)
      return c === false || zero ? x : c === true ? b.emit1('not', [x!]) : undefined
    case 'not':
      return complement(b, x!)
    case 'eq':
      if (x!.type.kind === 'ptr' && x !== y) return resourcesAlike(b, x!, y!)
      return x === y ? literal(b, type, true) : c === true ? x : c === false ? b.emit1('not', [x!]) : undefined
    case 'ne':
      return x === y ? literal(b, type, false) : c === false ? x : c === true ? b.emit1('not', [x!]) : undefined
    case 'le':
    case 'ge':
      return x === y || (inst.op === 'ge' && zero && unsigned(x!)) ? literal(b, type, true) : undefined
    case 'lt':
    case 'gt':
      return x === y || (inst.op === 'lt' && zero && unsigned(x!)) ? literal(b, type, false) : undefined
    case 'convert': {
      const inner = definedBy(x!, 'convert')?.args[0]
      if (inner === undefined || type.scalar === 'bool') return undefined
      const fits = t.isInt(inner.type) && t.bitsOf(x!.type.scalar!) >= t.bitsOf(type.scalar!)
      return inner.type === type && fits ? inner : undefined
    }
    default:
      return undefined
  }
}

/** Whether two resources are one, where that is known; one that is undefined is no other. */
function resourcesAlike(b: Builder, x: Value, y: Value): Value | undefined {
  if (x.def.op === 'undef' || y.def.op === 'undef') return literal(b, t.bool, false)
  const [p, q] = [definedBy(x, 'global'), definedBy(y, 'global')]
  return p === undefined || q === undefined ? undefined : literal(b, t.bool, p.attr === q.attr)
}

function unsigned(x: Value): boolean {
  return t.isInt(x.type) && !t.isSigned(x.type)
}

/** `x + sign * c` where `x` is itself a sum or difference with a constant. */
function sumOfConstants(b: Builder, x: Value, c: Constant | undefined, sign: number): Value | undefined {
  if (typeof c !== 'number' || (x.type.scalar !== 'i32' && x.type.scalar !== 'u32')) return undefined
  const inner = definedBy(x, 'add') ?? definedBy(x, 'sub')
  const d = inner === undefined ? undefined : uniform(inner.args[1]!)
  if (typeof d !== 'number') return undefined
  const total = (sign * c + (inner!.op === 'add' ? d : -d)) | 0
  const [op, by] = total < 0 && total !== -0x80000000 ? (['sub', -total] as const) : (['add', total] as const)
  return b.emit1(op, [inner!.args[0]!, literal(b, x.type, fit(by, x.type.scalar)!)])
}

function complement(b: Builder, x: Value): Value | undefined {
  const inner = definedBy(x, 'not')
  if (inner !== undefined) return inner.args[0]
  if (x.type.scalar !== 'bool') return undefined
  const compare = x.def
  if (compare.op === 'param' || !isComparison(compare.op)) return undefined
  // With a NaN neither an order nor its inverse holds.
  if (t.isFloat(compare.args[0]!.type) && compare.op !== 'eq' && compare.op !== 'ne') return undefined
  return b.emit1(inverse[compare.op], [...compare.args])
}

/** Rules for operands of any type. */
function common(b: Builder, inst: Inst): Value | undefined {
  const x = inst.args[0],
    y = inst.args[1],
    z = inst.args[2]
  const type = inst.results[0]!.type
  switch (inst.op) {
    case 'select': {
      const c = uniform(x!)
      if (y === z || c === true) return y
      if (c === false) return z
      const inner = definedBy(x!, 'not')
      if (inner !== undefined) return b.emit1('select', [inner.args[0]!, z!, y!])
      if (type !== x!.type) return undefined
      const cy = uniform(y!),
        cz = uniform(z!)
      if (cy === true) return cz === false ? x : b.emit1('or', [x!, z!])
      if (cz === false) return b.emit1('and', [x!, y!])
      if (cy === false && cz === true) return b.emit1('not', [x!])
      return undefined
    }
    case 'convert':
      if (x!.type === type) return x
      return x!.type.scalar === 'bool' || type.scalar !== 'bool' ? undefined : boolOf(x!, type)
    case 'bitcast': {
      if (x!.type === type) return x
      const inner = definedBy(x!, 'bitcast')?.args[0]
      return inner === undefined ? undefined : inner.type === type ? inner : b.emit1('bitcast', [inner], null, type)
    }
    case 'detach':
      return definedBy(x!, 'detach') !== undefined || isConstant(x!) || !mayCarry(type) ? x : undefined
    case 'transpose':
      return definedBy(x!, 'transpose')?.args[0]
    default:
      return undefined
  }
}

/** The boolean that a number was made of. */
function boolOf(x: Value, type: Type): Value | undefined {
  const inner = definedBy(x, 'convert')?.args[0]
  return inner?.type === type ? inner : undefined
}

function mayCarry(type: Type): boolean {
  return t.differential(type) !== null
}
