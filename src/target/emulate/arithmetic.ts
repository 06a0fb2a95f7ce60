/** Computes with emulated numbers. Operands are values of the types that stand for those of the source. */
import { roundHalf } from '../../base/number.ts'
import type { Builder } from '../../ir/build.ts'
import type { LaneOp } from '../../ir/op.ts'
import * as t from '../../ir/type.ts'
import type { ScalarName, Type } from '../../ir/type.ts'
import type { Func, Value } from '../../ir/value.ts'
import { pair, type TypeMap } from './types.ts'

/** By what an operation on pairs is computed: a function of `library.slang`, and that for signed numbers. */
const functions = {
  add: ['longAdd'],
  sub: ['longSub'],
  mul: ['longMul'],
  shl: ['longShl'],
  shr: ['longShr', 'longSar'],
  div: ['longDiv', 'longSignedDiv'],
  rem: ['longRem', 'longSignedRem'],
  less: ['longLess', 'longBelow'],
  toFloat: ['longToFloat', 'longSignedToFloat'],
  ofFloat: ['longOfFloat', 'longSignedOfFloat'],
  halfBits: ['halfBits'],
  halfNumber: ['halfNumber'],
} as const

type Helper = keyof typeof functions

/** The functions of `library.slang` that emulation calls. */
export const helperNames: readonly string[] = Object.values(functions).flat()

/** Operations whose result may have more bits than the type. */
const widening: ReadonlySet<LaneOp> = new Set(['add', 'sub', 'mul', 'neg', 'not', 'shl', 'div'])

export class Arithmetic {
  readonly #b: Builder
  readonly #types: TypeMap
  readonly #helper: (name: string) => Func

  constructor(b: Builder, types: TypeMap, helper: (name: string) => Func) {
    this.#b = b
    this.#types = types
    this.#helper = helper
  }

  /** Does something with each scalar of the operands, which have the shape of the type. */
  lanes(type: Type, args: readonly Value[], f: (args: readonly Value[]) => Value): Value {
    if (type.kind === 'scalar') return f(args)
    return this.#b.construct(
      this.#types.value(type),
      Array.from({ length: type.count }, (_, i) =>
        this.lanes(
          type.elem!,
          args.map(a => this.#b.extract(a, i)),
          f,
        ),
      ),
    )
  }

  #call(helper: Helper, type: Type, args: Value[]): Value {
    const [plain, signed = plain] = functions[helper] as readonly [string, string?]
    return this.#b.call(this.#helper(t.isSigned(type) ? signed : plain), args)[0]!
  }

  #pair(low: Value, high: Value): Value {
    return this.#b.construct(pair, [low, high])
  }

  #word(value: number): Value {
    return this.#b.const(t.u32, value)
  }

  /** A scalar constant of a type of the source. */
  constant(type: Type, value: number | boolean | bigint): Value {
    const kind = this.#types.kind(type)
    if (kind === 'half') return this.#b.const(t.f32, roundHalf(Number(value)))
    if (kind !== 'long') return this.#b.const(this.#types.value(type), value)
    const bits = BigInt.asUintN(64, BigInt(value))
    return this.#pair(this.#word(Number(bits & 0xffffffffn)), this.#word(Number(bits >> 32n)))
  }

  /** An operation on operands of a type of the source, which gives another. */
  op(op: LaneOp, of: Type, args: readonly Value[], result: Type): Value {
    const b = this.#b
    // Sums of derivatives.
    if (of.scalar === undefined)
      return b.construct(
        this.#types.value(of),
        Array.from({ length: of.count }, (_, i) => {
          const part = t.component(of, i)
          const parts = args.map(a => b.extract(a, i))
          return this.#types.holds(part) ? this.op(op, part, parts, part) : b.emit1(op, parts)
        }),
      )
    switch (this.#types.kind(of)) {
      case 'long':
        return this.lanes(result, args, ([x, y]) => this.#long(op, of, x!, y!))
      case 'small': {
        const [x, y] = args
        const shifts = op === 'shl' || op === 'shr'
        const given = shifts ? [x!, b.emit1('and', [y!, this.#filled(y!.type, t.bitsOf(of.scalar) - 1)])] : [...args]
        const made = b.emit1(op, given)
        return widening.has(op) ? this.wrapped(made, of) : made
      }
      default: {
        const made = b.emit1(op, [...args])
        return this.#types.kind(result) === 'half' && op !== 'neg' ? this.rounded(made) : made
      }
    }
  }

  #long(op: LaneOp, of: Type, x: Value, y: Value): Value {
    const b = this.#b
    const both = (op: 'eq' | 'ne', join: 'and' | 'or'): Value =>
      b.emit1(
        join,
        [0, 1].map(i => b.emit1(op, [b.extract(x, i), b.extract(y, i)])),
      )
    const less = (first: Value, second: Value): Value => this.#call('less', of, [first, second])
    switch (op) {
      case 'and':
      case 'or':
      case 'xor':
        return b.emit1(op, [x, y])
      case 'not':
        return b.emit1('not', [x])
      case 'neg':
        return this.#call('sub', of, [b.zero(pair), x])
      case 'shl':
      case 'shr':
        return this.#call(op, of, [x, b.extract(y, 0)])
      case 'eq':
        return both('eq', 'and')
      case 'ne':
        return both('ne', 'or')
      case 'lt':
        return less(x, y)
      case 'gt':
        return less(y, x)
      case 'le':
        return b.emit1('not', [less(y, x)])
      case 'ge':
        return b.emit1('not', [less(x, y)])
      default:
        return this.#call(op, of, [x, y])
    }
  }

  /** A number in all lanes. */
  #filled(type: Type, value: number): Value {
    return this.#b.splatLike(this.#b.const(t.scalars[type.scalar!], value), type)
  }

  /** The lowest bits of a value in 32 bits, as the integer of 8 or 16 bits that they are. */
  wrapped(v: Value, as: Type): Value {
    const b = this.#b
    const bits = t.bitsOf(as.scalar!)
    if (!t.isSigned(as)) return b.emit1('and', [v, this.#filled(v.type, 2 ** bits - 1)])
    const by = this.#filled(v.type, 32 - bits)
    return b.emit1('shr', [b.emit1('shl', [v, by]), by])
  }

  /** A float as the nearest half. */
  rounded(v: Value): Value {
    return this.lanes(v.type, [v], ([x]) => this.halfOf(this.bitsOfHalf(x!)))
  }

  /** The bits of the half that is nearest to a float. */
  bitsOfHalf(x: Value): Value {
    // A number that was just made of its bits has these.
    const { def } = x
    if (def.op === 'call' && def.attr === this.#helper('halfNumber')) return def.args[0]!
    return this.#call('halfBits', t.u32, [x])
  }

  /** The float that the bits of a half stand for. */
  halfOf(bits: Value): Value {
    return this.#call('halfNumber', t.u32, [bits])
  }

  /** By value, from one type of the source to another. */
  convert(x: Value, from: Type, to: Type): Value {
    const b = this.#b
    if (from.scalar === to.scalar) return x
    const [source, target] = [this.#types.kind(from), this.#types.kind(to)]
    if (source === 'long' || target === 'long')
      return this.lanes(to, [x], ([v]) => this.#convertLong(v!, t.scalars[from.scalar!], t.scalars[to.scalar!]))
    const made = b.convert(x, this.#types.value(to))
    if (target === 'half') return source === 'small' && t.bitsOf(from.scalar!) === 8 ? made : this.rounded(made)
    if (target !== 'small') return made
    if (t.isFloat(from)) return this.#saturated(made, to)
    return fits(from.scalar!, to.scalar!) ? made : this.wrapped(made, to)
  }

  #convertLong(x: Value, from: Type, to: Type): Value {
    const b = this.#b
    const none = this.#word(0)
    if (this.#types.kind(to) === 'long') {
      if (this.#types.kind(from) === 'long') return x
      if (from.scalar === 'f64') return b.zero(pair)
      if (t.isFloat(from)) return this.#call('ofFloat', to, [b.convert(x, t.f32)])
      const sign = t.isSigned(from) ? b.convert(b.emit1('shr', [x, b.const(x.type, 31)]), t.u32) : none
      return this.#pair(b.convert(x, t.u32), sign)
    }
    const [low, high] = [b.extract(x, 0), b.extract(x, 1)]
    if (to.scalar === 'bool') return b.emit1('ne', [b.emit1('or', [low, high]), none])
    // A float that holds only some of the digits is infinite as a half.
    if (t.isFloat(to)) return this.convert(this.#call('toFloat', from, [x]), t.f32, to)
    return this.convert(low, t.u32, to)
  }

  /** A saturated integer of 32 bits, saturated to fewer. */
  #saturated(x: Value, to: Type): Value {
    const b = this.#b
    const bits = t.bitsOf(to.scalar!) - (t.isSigned(to) ? 1 : 0)
    const most = this.#filled(x.type, 2 ** bits - 1)
    const bounded = b.select(b.emit1('gt', [x, most]), most, x)
    if (!t.isSigned(to)) return bounded
    const least = this.#filled(x.type, -(2 ** bits))
    return b.select(b.emit1('lt', [x, least]), least, bounded)
  }

  /** By bits, from one type of the source to another. */
  bitcast(x: Value, from: Type, to: Type): Value {
    const b = this.#b
    if (this.#types.kind(from) === 'long' || this.#types.kind(to) === 'long')
      return from.scalar === 'f64' || to.scalar === 'f64' ? b.zero(this.#types.value(to)) : x
    if (t.isFloat(from) === t.isFloat(to)) return this.convert(x, from, to)
    return this.lanes(to, [x], ([v]) => {
      const [own, other] = [t.scalars[from.scalar!], t.scalars[to.scalar!]]
      if (t.isFloat(from)) return this.convert(this.bitsOfHalf(b.convert(v!, t.f32)), t.u32, other)
      return b.convert(this.halfOf(this.convert(this.convert(v!, own, t.u16), t.u16, t.u32)), this.#types.value(other))
    })
  }

  /** The inner product of vectors, or of rows or columns. */
  dot(x: readonly Value[], y: readonly Value[], of: Type): Value {
    let sum: Value | undefined
    for (let i = 0; i < x.length; i++) {
      const term = this.op('mul', of, [x[i]!, y[i]!], of)
      sum = sum === undefined ? term : this.op('add', of, [sum, term], of)
    }
    return sum!
  }
}

/** Whether the second type has all values of the first. */
function fits(from: ScalarName, to: ScalarName): boolean {
  const [own, other] = [t.bitsOf(from), t.bitsOf(to)]
  if (t.isSigned(t.scalars[from])) return t.isSigned(t.scalars[to]) && own <= other
  return t.isSigned(t.scalars[to]) ? own < other : own <= other
}
