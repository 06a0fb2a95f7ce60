/** Numbers, characters and strings as values. */
import { literalTooLarge } from '../base/errors/syntax.ts'
import type { Expr, FloatExpr } from './ast.ts'
import type { Cursor } from './cursor.ts'
import { charKind, floatKind, stringKind } from './token.ts'

const integer = /^(0x[0-9a-f]+|0b[01]+|[0-9]+?)(u|l|ul|lu|ll|ull|llu|z|uz|zu)?$/i
const float = /^([0-9]*\.?[0-9]*(?:e[+-]?[0-9]+)?)(f|h|hf|l|lf|fl)?$/i
const hexFloat = /^(0x[0-9a-f]*\.?[0-9a-f]*p[+-]?[0-9]+)(f|h|hf|l|lf|fl)?$/i
const maxInteger = (1n << 64n) - 1n

/** The literal at the cursor. */
export function parseLiteral(p: Cursor): Expr {
  switch (p.kind) {
    case floatKind:
      return parseFloating(p)
    case stringKind:
      return parseString(p)
    case charKind: {
      const at = p.advance()
      const code = unescape(p.tokens.text(at).slice(1, -1)).codePointAt(0) ?? 0
      return { kind: 'int', span: p.tokens.span(at, at), value: BigInt(code), suffix: '' }
    }
    default:
      return parseInteger(p)
  }
}

function parseInteger(p: Cursor): Expr {
  const at = p.advance()
  const span = p.tokens.span(at, at)
  const plain = plainInteger(p.tokens.text(at))
  if (plain >= 0) return { kind: 'int', span, value: BigInt(plain), suffix: '' }
  const text = p.tokens.text(at).replace(/'/g, '')
  const match = integer.exec(text)
  const digits = match?.[1]
  if (match === null || digits === undefined || /^0[0-7]*[89]/.test(digits)) {
    p.badNumber(at)
    return { kind: 'int', span, value: 0n, suffix: '' }
  }
  const octal = /^0[0-7]+$/.test(digits)
  const value = BigInt(octal ? `0o${digits.slice(1)}` : digits)
  if (value > maxInteger) p.sink.add(literalTooLarge, span, { text: text.length > 40 ? `${text.slice(0, 40)}…` : text })
  return {
    kind: 'int',
    span,
    value: BigInt.asUintN(64, value),
    suffix: orderSuffix(match[2] ?? ''),
    hex: /^0./.test(digits),
  }
}

/** The value of a small integer without suffix, found without regular expressions: most are such; else -1. */
function plainInteger(text: string): number {
  if (text.length > 1 && text.charCodeAt(0) === 48) return -1
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : -1
}

function orderSuffix(suffix: string): string {
  const lower = suffix.toLowerCase()
  return lower.length > 1 && lower.endsWith('u') ? `u${lower.slice(0, -1)}` : lower
}

function parseFloating(p: Cursor): Expr {
  const at = p.advance()
  const span = p.tokens.span(at, at)
  const plain = Number(p.tokens.text(at))
  if (!Number.isNaN(plain)) return { kind: 'float', span, value: plain, suffix: '' }
  const text = p.tokens
    .text(at)
    .replace(/'/g, '')
    .replace(/^[^#]*#INF/, '1e999')
  const hex = hexFloat.exec(text)
  const match = hex ?? float.exec(text)
  if (match === null) {
    p.badNumber(at)
    return { kind: 'float', span, value: 0, suffix: '' }
  }
  const suffix = (match[2] ?? '').toLowerCase()
  const kind: FloatExpr['suffix'] = suffix.includes('l')
    ? 'l'
    : suffix.startsWith('h')
      ? 'h'
      : suffix === 'f'
        ? 'f'
        : ''
  return { kind: 'float', span, value: hex === null ? Number(match[1]) : hexValue(match[1]!), suffix: kind }
}

/** The value of `0x1.8p-3`. */
function hexValue(text: string): number {
  const [, whole = '', part = '', exponent = ''] = /^0x([0-9a-f]*)\.?([0-9a-f]*)p(.*)$/i.exec(text) ?? []
  return Number(`0x${whole}${part}` === '0x' ? '0' : `0x${whole}${part}`) * 2 ** (Number(exponent) - 4 * part.length)
}

function parseString(p: Cursor): Expr {
  const first = p.pos
  let value = ''
  while (p.kind === stringKind) value += stringValue(p.tokens.text(p.advance()))
  return { kind: 'string', span: p.spanFrom(first), value }
}

/** The value of a string literal, raw ones included. */
export function stringValue(text: string): string {
  return text.startsWith('R') ? text.slice(text.indexOf('(') + 1, text.lastIndexOf(')')) : unescape(text.slice(1, -1))
}

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  a: '\x07',
  0: '\0',
}

/** Resolves `\n`, `\x41`, `\101` and the like. */
function unescape(text: string): string {
  if (!text.includes('\\')) return text
  return text.replace(/\\(x[0-9a-fA-F]{1,4}|[0-7]{1,3}|\r\n|[\s\S])/g, (_, what: string) => {
    if (what.startsWith('x') && what.length > 1) return String.fromCharCode(parseInt(what.slice(1), 16))
    if (/^[0-7]+$/.test(what)) return String.fromCharCode(parseInt(what, 8))
    if (/^[\r\n]/.test(what)) return ''
    return escapes[what] ?? what
  })
}
