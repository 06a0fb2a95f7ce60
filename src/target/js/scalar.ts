/** Scalar operations as JavaScript expressions: integers wrap, floats round to their type in the exact mode. */
import { InternalError } from '../../base/diag.ts'
import { roundTo } from '../../base/number.ts'
import type { Comparison, LaneOp } from '../../ir/op.ts'
import type { Mode } from '../../ir/scalar.ts'
import type { ScalarName } from '../../ir/type.ts'
import { isComparison } from '../../opt/match.ts'
import { binary, call, cond, name, negative, number, unary, type Text } from './text.ts'

/** Writes scalar expressions, and notes which helpers they call. */
export class Scalars {
  readonly mode: Mode
  readonly used: Set<string>

  constructor(mode: Mode, used: Set<string>) {
    this.mode = mode
    this.used = used
  }

  /** A call of a helper. */
  help(helper: string, ...args: readonly Text[]): Text {
    this.used.add(helper)
    return call(helper, ...args)
  }

  literal(type: ScalarName, value: number | boolean | bigint): Text {
    if (typeof value === 'boolean') return name(String(value))
    if (typeof value === 'bigint') return value < 0n ? negative(`${value}n`) : number(`${value}n`)
    if (type === 'i64' || type === 'u64') return value < 0 ? negative(`${value}n`) : number(`${value}n`)
    const x = this.mode === 'f32' ? roundTo(type, value) : value
    if (type === 'bool') return name(String(x !== 0))
    return Object.is(x, -0) ? negative('-0') : x < 0 ? negative(String(x)) : number(String(x))
  }

  /** Brings a number into the range of its type. */
  fit(type: ScalarName, x: Text): Text {
    switch (type) {
      case 'i32':
        return binary('|', x, number('0'))
      case 'u32':
        return binary('>>>', x, number('0'))
      case 'i16':
        return binary('>>', binary('<<', x, number('16')), number('16'))
      case 'i8':
        return binary('>>', binary('<<', x, number('24')), number('24'))
      case 'u16':
        return binary('&', x, number('65535'))
      case 'u8':
        return binary('&', x, number('255'))
      case 'i64':
        return call('BigInt.asIntN', number('64'), x)
      case 'u64':
        return call('BigInt.asUintN', number('64'), x)
      case 'f32':
        return this.mode === 'f32' ? this.help('fround', x) : x
      case 'f16':
        return this.mode === 'f32' ? this.help('half', x) : x
      default:
        return x
    }
  }

  /** An arithmetic, bitwise, logical or comparison op on scalars of one type; `divides` where the divisor is known not to be zero. */
  apply(op: LaneOp, type: ScalarName, x: Text, y: Text, divides = false): Text {
    const big = type === 'i64' || type === 'u64'
    const float = type.startsWith('f')
    if (isComparison(op)) return binary(comparisons[op], x, y)
    if (type === 'bool') {
      switch (op) {
        case 'and':
          return binary('&&', x, y)
        case 'or':
          return binary('||', x, y)
        case 'xor':
          return binary('!==', x, y)
        case 'not':
          return unary('!', x)
        default:
          throw new InternalError('target/js', `${op} of booleans`)
      }
    }
    switch (op) {
      case 'add':
        return this.fit(type, binary('+', x, y))
      case 'sub':
        return this.fit(type, binary('-', x, y))
      case 'mul':
        if (float || big) return this.fit(type, binary('*', x, y))
        return type === 'i32' ? call('Math.imul', x, y) : this.fit(type, call('Math.imul', x, y))
      case 'div':
        return this.fit(type, binary('/', x, float || divides ? y : divisor(y, big)))
      case 'rem':
        return this.fit(type, binary('%', x, big && !divides ? divisor(y, big) : y))
      // Negating a float is exact.
      case 'neg':
        return float ? unary('-', x) : this.fit(type, unary('-', x))
      case 'and':
        return this.#bitwise('&', type, x, y)
      case 'or':
        return this.#bitwise('|', type, x, y)
      case 'xor':
        return this.#bitwise('^', type, x, y)
      case 'not':
        return type === 'i32' || type === 'i64' ? unary('~', x) : this.fit(type, unary('~', x))
      case 'shl':
        return type === 'i32' ? binary('<<', x, y) : this.fit(type, binary('<<', x, this.#amount(type, y)))
      case 'shr':
        if (big) return binary('>>', x, this.#amount(type, y))
        return binary(type.startsWith('i') ? '>>' : '>>>', x, this.#amount(type, y))
    }
  }

  #bitwise(op: string, type: ScalarName, x: Text, y: Text): Text {
    const e = binary(op, x, y)
    return type === 'u32' ? this.fit(type, e) : e
  }

  /** JavaScript takes the amount of a 32-bit shift modulo 32 by itself. */
  #amount(type: ScalarName, y: Text): Text {
    if (type === 'i32' || type === 'u32') return y
    return binary('&', y, number(type === 'i64' || type === 'u64' ? '63n' : type.endsWith('16') ? '15' : '7'))
  }

  convert(from: ScalarName, to: ScalarName, x: Text): Text {
    const fromFloat = from.startsWith('f')
    const fromBig = from === 'i64' || from === 'u64'
    if (from === to) return x
    if (to === 'bool') return binary('!==', x, number(fromBig ? '0n' : '0'))
    if (from === 'bool')
      return to === 'i64' || to === 'u64' ? cond(x, number('1n'), number('0n')) : cond(x, number('1'), number('0'))
    if (to === 'i64' || to === 'u64') {
      if (fromBig) return this.fit(to, x)
      return fromFloat ? this.help(to === 'i64' ? 'toI64' : 'toU64', x) : this.fit(to, call('BigInt', x))
    }
    if (fromBig) return this.fit(to, call('Number', to.startsWith('f') ? x : call('BigInt.asIntN', number('32'), x)))
    if (to.startsWith('f')) return this.fit(to, x)
    if (!fromFloat) return this.fit(to, x)
    if (to === 'i32') return this.help('toI32', x)
    if (to === 'u32') return this.help('toU32', x)
    return this.#saturate(to, x)
  }

  #saturate(to: ScalarName, x: Text): Text {
    const bits = Number(to.slice(1))
    const [lo, hi] = to.startsWith('i') ? [-(2 ** (bits - 1)), 2 ** (bits - 1) - 1] : [0, 2 ** bits - 1]
    return call(
      'Math.max',
      lo < 0 ? negative(String(lo)) : number(String(lo)),
      call('Math.min', number(String(hi)), this.help('toI32', x)),
    )
  }

  bitcast(from: ScalarName, to: ScalarName, x: Text): Text {
    if (from === to) return x
    const isInt = (s: ScalarName): boolean => !s.startsWith('f') && s !== 'bool'
    if (isInt(from) && isInt(to)) return this.fit(to, x)
    if (from === 'f16') return this.fit(to, this.help('halfBits', x))
    if (to === 'f16') return this.help('halfOf', x)
    const set = accessors[from]
    const get = accessors[to]
    if (set === undefined || get === undefined) return x
    return this.help('cast', name(`'set${set}'`), name(`'get${get}'`), x)
  }
}

/** A divisor that is 1 where it would be 0: `x / 0` is `x`, and `x % 0` is 0. */
function divisor(y: Text, big: boolean): Text {
  return binary('||', y, number(big ? '1n' : '1'))
}

const comparisons: Readonly<Record<Comparison, string>> = { lt: '<', le: '<=', gt: '>', ge: '>=', eq: '===', ne: '!==' }

const accessors: Readonly<Partial<Record<ScalarName, string>>> = {
  f32: 'Float32',
  f64: 'Float64',
  i32: 'Int32',
  u32: 'Uint32',
  i64: 'BigInt64',
  u64: 'BigUint64',
  i16: 'Int16',
  u16: 'Uint16',
}
