/**
 * Breaks programs and changes them. `broken` cuts and shuffles text, which mostly leaves no program; `altered` knows tokens,
 * statements and types, so that most of what it makes is a program still, and gets as far as the targets.
 */
import { floatKind, intKind, nameKind } from '../../src/syntax/token.ts'
import type { Random } from './random.ts'
import {
  functions,
  match,
  statements,
  text,
  tokens,
  variables,
  type FunctionRange,
  type Range,
  type Token,
} from './tokens.ts'

/** Operators of which each may stand for any other. */
const operators: readonly (readonly string[])[] = [
  ['+', '-', '*', '/'],
  ['*', '/', '%'],
  ['<', '<=', '>', '>=', '==', '!='],
  ['&&', '||'],
  ['&', '|', '^', '<<', '>>'],
  ['=', '+=', '-=', '*=', '/='],
  ['+=', '-=', '*=', '/=', '%='],
  ['++', '--'],
  ['&=', '|=', '^=', '<<=', '>>='],
  ['!', '-', '~'],
]
const integers = [
  '0',
  '1',
  '-1',
  '2',
  '3',
  '5',
  '16',
  '31',
  '32',
  '33',
  '64',
  '1000',
  '2147483647',
  '(-2147483647 - 1)',
  '4294967295u',
  '0xffffffff',
]
const floats = [
  '0.0',
  '1.0',
  '-1.0',
  '0.5',
  '2.0',
  '1e-3',
  '1e-8',
  '3.4e38',
  '-3.4e38',
  '1e-38',
  '1e-45',
  '1e38 * 10.0',
  '(0.0 / 0.0)',
  '(1.0 / 0.0)',
  '-0.0',
  'sqrt(-1.0)',
  'log(0.0)',
  '1e10',
  '1.0f',
  '1.0h',
  '0x1p-3',
]
/** Functions and types of which each may stand for any other. */
const families: readonly (readonly string[])[] = [
  [
    'sin',
    'cos',
    'tan',
    'exp',
    'exp2',
    'log',
    'log2',
    'sqrt',
    'rsqrt',
    'abs',
    'tanh',
    'asin',
    'acos',
    'atan',
    'sinh',
    'cosh',
    'floor',
    'ceil',
    'frac',
    'saturate',
    'sign',
    'round',
    'trunc',
    'rcp',
    'degrees',
  ],
  ['min', 'max', 'pow', 'atan2', 'fmod', 'step'],
  ['lerp', 'clamp', 'smoothstep', 'mad', 'fma'],
  ['dot', 'distance'],
  ['length', 'any', 'all'],
  ['normalize', 'abs', 'sin'],
  ['cross', 'reflect', 'min'],
  ['float', 'half', 'double', 'int', 'uint', 'bool'],
  ['float', 'double'],
  ['int', 'uint', 'int16_t', 'uint64_t', 'int64_t', 'uint8_t'],
  ['float2', 'float3', 'float4', 'int2', 'int3', 'uint3', 'half2', 'double3', 'bool2'],
  ['float2x2', 'float3x3', 'float2x3', 'float4x4', 'int2x2'],
  ['StructuredBuffer', 'RWStructuredBuffer', 'Buffer', 'RWBuffer'],
  ['break', 'continue', 'return'],
  ['true', 'false'],
  ['x', 'y', 'z', 'w'],
  ['xy', 'yx', 'zz', 'xx', 'rg'],
  ['xyz', 'zyx', 'xxy'],
  ['p', 'd'],
  ['fwd_diff', 'bwd_diff'],
  ['struct', 'interface', 'enum'],
]
const attributes = [
  '[Differentiable]',
  '[BackwardDifferentiable]',
  '[ForwardDifferentiable]',
  '[PreferRecompute]',
  '[PreferCheckpoint]',
  '[ForceInline]',
  '[TreatAsDifferentiable]',
  '[NoInline]',
  'public',
  'static',
  'no_diff',
  '[NoDiffThis]',
  '[mutating]',
]
const loopAttributes = [
  '[MaxIters(3)]',
  '[MaxIters(0)]',
  '[ForceUnroll]',
  '[ForceUnroll(4)]',
  '[unroll]',
  '[loop]',
  '[MaxIters(100000)]',
]
const parameterWords = ['in', 'out', 'inout', 'no_diff', 'const', 'constref', 'uniform', 'inout no_diff']
const sizes = ['0', '1', '2', '3', '7', '64', '1000', '-1', '2 + 1']
const loops = [
  (s: string) => `for (int _k = 0; _k < 3; _k++) { ${s} }`,
  (s: string) => `for (int _k = 4; _k > 0; _k -= 2) { ${s} }`,
  (s: string) => `[MaxIters(4)] for (int _k = 0; ; _k++) { if (_k > 2) break; ${s} }`,
  (s: string) => `[ForceUnroll] for (int _k = 0; _k < 2; _k++) { ${s} }`,
  (s: string) => `{ int _k = 0; [MaxIters(5)] while (_k < 2) { _k++; if (_k == 1) continue; ${s} } }`,
  (s: string) => `{ int _k = 0; [MaxIters(5)] do { ${s} _k += 1; } while (_k < 2); }`,
]

/** Chooses and makes changes; the same random numbers make the same ones. */
export class Mutator {
  readonly #random: Random

  constructor(random: Random) {
    this.#random = random
  }

  /** A whole number from 0 to n - 1. */
  pick(n: number): number {
    return this.#random.pick(n)
  }

  #one<T>(list: readonly T[]): T {
    return this.#random.one(list)
  }

  /** Cuts the text off, takes some of it out, puts a word of it elsewhere, one word for another, or any byte anywhere. */
  broken(original: string): string {
    let source = this.pick(4) === 0 ? original.slice(0, this.pick(original.length)) : original
    for (let k = this.pick(4); k >= 0; k--) {
      const at = this.pick(source.length)
      const words = [...source.matchAll(/\w+|[^\w\s]/g)]
      const [a, b] = [words[this.pick(words.length)], words[this.pick(words.length)]]
      if (a === undefined || b === undefined) return source
      const kind = this.pick(6)
      const [first, second] = a.index < b.index ? [a, b] : [b, a]
      if (kind === 0) source = source.slice(0, at) + source.slice(at + 1 + this.pick(20))
      else if (kind === 1) source = `${source.slice(0, at)} ${a[0]} ${source.slice(at)}`
      else if (kind === 2) source = source.slice(0, a.index) + b[0] + source.slice(a.index + a[0].length)
      else if (kind === 3) source = source.slice(0, a.index) + source.slice(a.index + a[0].length)
      else if (kind === 4)
        source =
          source.slice(0, at) +
          String.fromCharCode(this.pick(4) === 0 ? this.pick(65536) : this.pick(128)) +
          source.slice(at + this.pick(2))
      else if (first !== second) {
        source =
          source.slice(0, first.index) +
          second[0] +
          source.slice(first.index + first[0].length, second.index) +
          first[0] +
          source.slice(second.index + second[0].length)
      }
    }
    return source
  }

  /** A program much like the original, with one to three changes. */
  altered(original: string): string {
    let source = original
    for (let k = this.pick(3); k >= 0; k--) {
      for (let tries = 0; tries < 8; tries++) {
        const next = this.#change(source)
        if (next === undefined || next === source) continue
        source = next
        break
      }
    }
    return source
  }

  #change(source: string): string | undefined {
    const list = tokens(source)
    switch (this.pick(16)) {
      case 0:
      case 1:
        return this.#operator(list)
      case 2:
        return this.#literal(list)
      case 3:
      case 4:
        return this.#family(list)
      case 5:
      case 6:
        return this.#variable(list)
      case 7:
        return this.#swap(list)
      case 8:
        return this.#wrap(list)
      case 9:
        return this.#statement(list)
      case 10:
        return this.#exit(list)
      case 11:
        return this.#attribute(list)
      case 12:
        return this.#parameter(list)
      case 13:
        return this.#size(list)
      case 14:
        return this.#expression(list)
      default:
        return this.#body(list)
    }
  }

  #token(list: readonly Token[], wanted: (token: Token, i: number) => boolean): number | undefined {
    const found: number[] = []
    list.forEach((token, i) => {
      if (!token.fixed && wanted(token, i)) found.push(i)
    })
    return found.length === 0 ? undefined : this.#one(found)
  }

  #replace(list: Token[], i: number | undefined, by: (old: string) => string): string | undefined {
    if (i === undefined) return undefined
    list[i]!.text = by(list[i]!.text)
    return text(list)
  }

  #operator(list: Token[]): string | undefined {
    const i = this.#token(list, token => operators.some(o => o.includes(token.text)))
    return this.#replace(list, i, old => this.#one(this.#one(operators.filter(o => o.includes(old)))))
  }

  #literal(list: Token[]): string | undefined {
    const i = this.#token(list, token => token.kind === intKind || token.kind === floatKind)
    return this.#replace(list, i, () => (list[i!]!.kind === intKind ? this.#one(integers) : this.#one(floats)))
  }

  #family(list: Token[]): string | undefined {
    const i = this.#token(list, token => token.kind === nameKind && families.some(f => f.includes(token.text)))
    return this.#replace(list, i, old => this.#one(this.#one(families.filter(f => f.includes(old)))))
  }

  /** One variable for another of its type, or for another place in it. */
  #variable(list: Token[]): string | undefined {
    const f = this.#function(list)
    if (f === undefined) return undefined
    const known = variables(list, f)
    const i = this.#token(
      list,
      (token, k) => k > f.body && k < f.to && known.some(v => v.name === token.text) && list[k - 1]!.text !== '.',
    )
    if (i === undefined) return undefined
    const { type } = known.find(v => v.name === list[i]!.text)!
    const others = known.filter(v => v.type === type && v.at < i)
    return others.length === 0 ? undefined : this.#replace(list, i, () => this.#one(others).name)
  }

  #function(list: readonly Token[]): FunctionRange | undefined {
    const all = functions(list)
    return all.length === 0 ? undefined : this.#one(all)
  }

  #statementIn(list: readonly Token[], f: FunctionRange): Range | undefined {
    const all = statements(list, f)
    return all.length === 0 ? undefined : this.#one(all)
  }

  #swap(list: Token[]): string | undefined {
    const f = this.#function(list)
    const a = f === undefined ? undefined : this.#statementIn(list, f)
    if (f === undefined || a === undefined) return undefined
    const b = statements(list, f).find(s => s.from === a.to + 1)
    if (b === undefined) return undefined
    return (
      text(list.slice(0, a.from)) +
      text(list.slice(b.from, b.to + 1)) +
      text(list.slice(a.from, a.to + 1)) +
      text(list.slice(b.to + 1))
    )
  }

  #condition(list: readonly Token[], f: FunctionRange, at: number): string {
    const known = variables(list, f).filter(
      v => v.at < at && (v.type === 'float' || v.type === 'int' || v.type === 'uint' || v.type === 'bool'),
    )
    if (known.length === 0) return this.#one(['1 < 2', 'true', 'false'])
    const v = this.#one(known)
    return v.type === 'bool'
      ? v.name
      : `${v.name} ${this.#one(['<', '>', '==', '!='])} ${v.type === 'float' ? '0.5' : '2'}`
  }

  #wrap(list: Token[]): string | undefined {
    const f = this.#function(list)
    const s = f === undefined ? undefined : this.#statementIn(list, f)
    if (f === undefined || s === undefined) return undefined
    const inner = text(list.slice(s.from, s.to + 1))
    const c = this.#condition(list, f, s.from)
    const kind = this.pick(4)
    const wrapped =
      kind === 0
        ? `if (${c}) { ${inner} }`
        : kind === 1
          ? `if (${c}) { ${inner} } else { ${inner} }`
          : kind === 2
            ? `switch (int(${c})) { case 0: { ${inner} break; } default: { ${inner} break; } }`
            : this.#one(loops)(inner)
    return `${text(list.slice(0, s.from))} ${wrapped} ${text(list.slice(s.to + 1))}`
  }

  /** A statement goes, stands twice, or stands elsewhere. */
  #statement(list: Token[]): string | undefined {
    const f = this.#function(list)
    const s = f === undefined ? undefined : this.#statementIn(list, f)
    if (f === undefined || s === undefined) return undefined
    const before = text(list.slice(0, s.from))
    const own = text(list.slice(s.from, s.to + 1))
    const after = text(list.slice(s.to + 1))
    const kind = this.pick(3)
    if (kind === 0) return before + after
    if (kind === 1) return before + own + own + after
    const other = this.#statementIn(list, f)!
    return `${text(list.slice(0, other.from))} ${own} ${text(list.slice(other.from))}`
  }

  /** A way out before a statement, on a condition. */
  #exit(list: Token[]): string | undefined {
    const f = this.#function(list)
    const s = f === undefined ? undefined : this.#statementIn(list, f)
    if (f === undefined || s === undefined) return undefined
    const returns = statements(list, f)
      .filter(r => list[r.from]!.text === 'return')
      .map(r => text(list.slice(r.from, r.to + 1)))
    const exits = [...returns, 'break;', 'continue;', ...(returns.length === 0 ? ['return;'] : [])]
    return `${text(list.slice(0, s.from))} if (${this.#condition(list, f, s.from)}) ${this.#one(exits)} ${text(list.slice(s.from))}`
  }

  #attribute(list: Token[]): string | undefined {
    const kind = this.pick(3)
    if (kind === 0) {
      const i = this.#token(list, token => token.text === 'for' || token.text === 'while' || token.text === 'do')
      return this.#replace(list, i, old => `${this.#one(loopAttributes)} ${old}`)
    }
    if (kind === 1) {
      const f = this.#function(list)
      return f === undefined
        ? undefined
        : `${text(list.slice(0, f.from))} ${this.#one(attributes)} ${text(list.slice(f.from))}`
    }
    const i = this.#token(
      list,
      (token, k) =>
        token.text === '[' && list[k + 1]?.kind === nameKind && (k === 0 || /^[{};\])]$/.test(list[k - 1]!.text)),
    )
    const end = i === undefined ? -1 : match(list, i)
    return end < 0 ? undefined : text(list.slice(0, i)) + text(list.slice(end + 1))
  }

  #parameter(list: Token[]): string | undefined {
    const f = this.#function(list)
    if (f === undefined) return undefined
    const i = this.#token(
      list,
      (token, k) =>
        k > f.from && k < f.body && token.kind === nameKind && (list[k - 1]!.text === '(' || list[k - 1]!.text === ','),
    )
    return this.#replace(list, i, old =>
      parameterWords.includes(old)
        ? this.pick(2) === 0
          ? ''
          : this.#one(parameterWords)
        : `${this.#one(parameterWords)} ${old}`,
    )
  }

  #size(list: Token[]): string | undefined {
    const i = this.#token(
      list,
      (token, k) =>
        token.text !== ']' && list[k - 1]?.text === '[' && list[k + 1]?.text === ']' && list[k - 2]?.kind === nameKind,
    )
    return this.#replace(list, i, () => this.#one(sizes))
  }

  /** Something around a number or a variable. */
  #expression(list: Token[]): string | undefined {
    const f = this.#function(list)
    if (f === undefined) return undefined
    const known = variables(list, f)
    const i = this.#token(
      list,
      (token, k) =>
        k > f.body &&
        k < f.to &&
        list[k - 1]!.text !== '.' &&
        (token.kind === floatKind ||
          (known.some(v => v.name === token.text) &&
            !/^(=|\+=|-=|\*=|\/=|\[|\.|\(|;)$/.test(list[k + 1]!.text) &&
            list[k - 1]!.kind !== nameKind)),
    )
    return this.#replace(list, i, old => {
      const c = this.#condition(list, f, i!)
      return this.#one([
        `sin(${old})`,
        `(${c} ? ${old} : ${this.#one(floats)})`,
        `(${old} * ${old})`,
        `detach(${old})`,
        `max(${old}, ${this.#one(floats)})`,
        `-${old}`,
        `pow(${old}, 2)`,
        `(${old} / 0.0)`,
        `float3(${old}).x`,
        `select(${c}, ${old}, ${old})`,
        `float(int(${old}))`,
        `no_diff(${old})`,
        `abs(${old})`,
        `(${c} && ${c} ? 1.0 : 0.0)`,
        `lerp(${old}, ${old}, 0.5)`,
      ])
    })
  }

  /** The body of one function in the place of another's. */
  #body(list: Token[]): string | undefined {
    const f = this.#function(list)
    const g = this.#function(list)
    return f === undefined || g === undefined
      ? undefined
      : text(list.slice(0, f.body)) + text(list.slice(g.body, g.to + 1)) + text(list.slice(f.to + 1))
  }
}
