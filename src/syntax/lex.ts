/**
 * Splits a text into tokens in one pass, without making an object or a string per token. `describeBad` explains an invalid token,
 * and only if the token survives preprocessing: text under `#if 0` may hold anything.
 */
import type { SourceFile } from '../base/source.ts'
import {
  badKind,
  charKind,
  eofKind,
  floatKind,
  intKind,
  lineFlag,
  nameKind,
  punctuatorKind,
  spaceFlag,
  stringKind,
  type Punctuator,
  type RawTokens,
} from './token.ts'

// Classes of the first 128 characters.
const letter = 1
const digit = 2
const blank = 3
const newline = 4
const classes: Uint8Array = classTable()

// The tree of punctuators: candidates by first character, longest first.
const byFirst: readonly (readonly { readonly text: string; readonly kind: number }[])[] = punctuatorTable()

/** The tokens of `text` between two offsets. */
export function lex(file: SourceFile, from = 0, to: number = file.text.length): RawTokens {
  const text = file.text
  let capacity = Math.max(64, ((to - from) >> 2) + 16)
  let kinds = new Uint8Array(capacity)
  let flags = new Uint8Array(capacity)
  let starts = new Int32Array(capacity)
  let ends = new Int32Array(capacity)
  let count = 0
  let flag = lineFlag
  let directives = false
  let i = from
  if (i === 0 && text.charCodeAt(0) === 0xfeff) i = 1
  while (i < to) {
    const c = text.charCodeAt(i)
    const cls = c < 128 ? classes[c]! : wideClass(text, i)
    if (cls === blank) {
      flag |= spaceFlag
      i++
      continue
    }
    if (cls === newline) {
      flag |= lineFlag | spaceFlag
      i++
      continue
    }
    if (c === 92 && isLineSplice(text, i)) {
      i += text.charCodeAt(i + 1) === 13 && text.charCodeAt(i + 2) === 10 ? 3 : 2
      flag |= spaceFlag
      continue
    }
    const start = i
    let kind = badKind
    if (c === 47 && (text.charCodeAt(i + 1) === 47 || text.charCodeAt(i + 1) === 42)) {
      const end = text.charCodeAt(i + 1) === 47 ? endOfLineComment(text, i, to) : endOfBlockComment(text, i, to)
      if (end > 0) {
        i = end
        flag |= spaceFlag
        continue
      }
      i = to
    } else if (cls === letter) {
      i++
      while (i < to && isNamePart(text, i)) i++
      kind = nameKind
      if (c === 82 && i === start + 1 && text.charCodeAt(i) === 34) {
        const end = endOfRawString(text, i, to)
        i = end < 0 ? to : end
        kind = end < 0 ? badKind : stringKind
      }
    } else if (cls === digit || (c === 46 && classes[text.charCodeAt(i + 1)] === digit)) {
      const number = lexNumber(text, i, to)
      i = number < 0 ? -number : number
      kind = number < 0 ? floatKind : intKind
    } else if (c === 34 || c === 39) {
      const end = endOfQuoted(text, i, to, c)
      i = end < 0 ? -end : end
      kind = end < 0 ? badKind : c === 34 ? stringKind : charKind
    } else {
      const found = c < 128 ? findPunctuator(text, i, byFirst[c]!) : undefined
      if (found === undefined) i += c >= 0xd800 && c < 0xdc00 ? 2 : 1
      else {
        i += found.text.length
        kind = found.kind
        if (c === 35 && (flag & lineFlag) !== 0) directives = true
      }
    }
    if (i > to) i = to
    if (count + 1 >= capacity) {
      capacity *= 2
      kinds = grow(kinds, new Uint8Array(capacity))
      flags = grow(flags, new Uint8Array(capacity))
      starts = grow(starts, new Int32Array(capacity))
      ends = grow(ends, new Int32Array(capacity))
    }
    kinds[count] = kind
    flags[count] = flag
    starts[count] = start
    ends[count] = i
    count++
    flag = 0
  }
  kinds[count] = eofKind
  flags[count] = lineFlag | spaceFlag
  starts[count] = to
  ends[count] = to
  return { kinds, flags, starts, ends, count: count + 1, directives }
}

/** The kind of the token that `text` spells, or undefined if it is none or more than one. */
export function kindOfText(file: SourceFile): number | undefined {
  const tokens = lex(file)
  return tokens.count === 2 && tokens.kinds[0] !== badKind && tokens.ends[0] === file.text.length
    ? tokens.kinds[0]
    : undefined
}

/** What is wrong with a token of the kind `bad`. */
export function describeBad(text: string): 'comment' | 'literal' | 'character' {
  if (text.startsWith('/*')) return 'comment'
  return /^R?["']/.test(text) ? 'literal' : 'character'
}

function grow<T extends Uint8Array | Int32Array>(from: T, to: T): T {
  to.set(from)
  return to
}

function isNamePart(text: string, i: number): boolean {
  const c = text.charCodeAt(i)
  if (c < 128) {
    const cls = classes[c]!
    return cls === letter || cls === digit
  }
  return wideClass(text, i) === letter || /\p{M}/u.test(text[i]!)
}

function isLineSplice(text: string, i: number): boolean {
  const next = text.charCodeAt(i + 1)
  return next === 10 || next === 13
}

/** The end of the comment in `//` that begins at `start`: that of its line, without what ends that. */
export function endOfLineComment(text: string, start: number, to: number): number {
  let i = start + 2
  while (i < to) {
    const c = text.charCodeAt(i)
    if (c === 92 && isLineSplice(text, i)) i += text.charCodeAt(i + 1) === 13 && text.charCodeAt(i + 2) === 10 ? 2 : 1
    else if (c === 10 || c === 13) break
    i++
  }
  return i
}

/** The end of the comment in `/*` that begins at `start`; 0 when it does not end. */
export function endOfBlockComment(text: string, start: number, to: number): number {
  const end = text.indexOf('*/', start + 2)
  return end < 0 || end + 2 > to ? 0 : end + 2
}

const hexFloat = /0x[0-9a-f]*(\.[0-9a-f]*)?p[+-]?[0-9]+\w*/iy

/** The end of a number, negated when it is a floating-point literal. Letters that follow belong to it: they are its suffix. */
function lexNumber(text: string, start: number, to: number): number {
  let i = start
  const second = text.charCodeAt(i + 1) | 32
  if (text.charCodeAt(i) === 48 && (second === 120 || second === 98)) {
    hexFloat.lastIndex = start
    if (second === 120 && hexFloat.test(text)) return -Math.min(hexFloat.lastIndex, to)
    i += 2
    while (i < to && isNamePart(text, i)) i++
    return i
  }
  let isFloat = false
  const digits = (): void => {
    while (
      i < to &&
      (classes[text.charCodeAt(i)] === digit ||
        (text.charCodeAt(i) === 39 && classes[text.charCodeAt(i + 1)] === digit))
    )
      i++
  }
  digits()
  if (text.charCodeAt(i) === 46 && !isSwizzle(text, i + 1)) {
    isFloat = true
    i++
    digits()
  }
  if (text.startsWith('#INF', i)) {
    isFloat = true
    i += 4
  }
  if ((text.charCodeAt(i) | 32) === 101) {
    const next = text.charCodeAt(i + 1)
    const sign = next === 43 || next === 45 ? 1 : 0
    if (classes[text.charCodeAt(i + 1 + sign)] === digit) {
      isFloat = true
      i += 1 + sign
      digits()
    }
  }
  const suffix = i
  while (i < to && isNamePart(text, i)) i++
  if (i > suffix && /^(f|h|lf|fl|hf)$/i.test(text.slice(suffix, i))) isFloat = true
  return isFloat ? -i : i
}

/** `1.xxx` is a swizzle of 1, and `1.f` is not. */
function isSwizzle(text: string, i: number): boolean {
  let end = i
  while (end < text.length && isNamePart(text, end)) end++
  return end > i && end - i <= 4 && /^([xyzw]+|[rgba]+)$/.test(text.slice(i, end))
}

/** The end of `R"tag(…)tag"` whose first quote is at `quote`, or -1. */
function endOfRawString(text: string, quote: number, to: number): number {
  const open = text.indexOf('(', quote)
  if (open < 0 || open > quote + 17) return -1
  const closer = `)${text.slice(quote + 1, open)}"`
  const end = text.indexOf(closer, open)
  return end < 0 || end + closer.length > to ? -1 : end + closer.length
}

/** The end of a string or character, negated when the line ends before it does. */
function endOfQuoted(text: string, start: number, to: number, quote: number): number {
  let i = start + 1
  while (i < to) {
    const c = text.charCodeAt(i)
    if (c === quote) return i + 1
    if (c === 10 || c === 13) return -i
    i += c === 92 ? 2 : 1
  }
  return -to
}

function findPunctuator(
  text: string,
  i: number,
  candidates: readonly { readonly text: string; readonly kind: number }[],
): { readonly text: string; readonly kind: number } | undefined {
  for (let k = 0; k < candidates.length; k++) {
    const candidate = candidates[k]!
    if (candidate.text.length === 1 || text.startsWith(candidate.text, i)) return candidate
  }
  return undefined
}

function wideClass(text: string, i: number): number {
  const char = String.fromCodePoint(text.codePointAt(i)!)
  if (/\p{ID_Start}/u.test(char) && char.length === 1) return letter
  if (/[\p{Zs}\ufeff\u200b]/u.test(char)) return blank
  return char === '\u2028' || char === '\u2029' ? newline : 0
}

function classTable(): Uint8Array {
  const table = new Uint8Array(128)
  for (let c = 0; c < 128; c++) {
    const lower = c | 32
    if ((lower >= 97 && lower <= 122) || c === 95) table[c] = letter
    else if (c >= 48 && c <= 57) table[c] = digit
    else if (c === 10 || c === 13) table[c] = newline
    else if (c === 32 || c === 9 || c === 11 || c === 12 || c === 0) table[c] = blank
  }
  return table
}

function punctuatorTable(): { readonly text: string; readonly kind: number }[][] {
  const all: readonly Punctuator[] = [
    '...',
    '<<=',
    '>>=',
    '::',
    '->',
    '=>',
    '<<',
    '>>',
    '<=',
    '>=',
    '==',
    '!=',
    '&&',
    '||',
    '+=',
    '-=',
    '*=',
    '/=',
    '%=',
    '&=',
    '|=',
    '^=',
    '++',
    '--',
    '##',
    '(',
    ')',
    '[',
    ']',
    '{',
    '}',
    ',',
    ';',
    ':',
    '.',
    '?',
    '=',
    '+',
    '-',
    '*',
    '/',
    '%',
    '<',
    '>',
    '!',
    '~',
    '&',
    '|',
    '^',
    '#',
    '$',
    '@',
  ]
  const table: { readonly text: string; readonly kind: number }[][] = Array.from({ length: 128 }, () => [])
  for (const text of all) table[text.charCodeAt(0)]!.push({ text, kind: punctuatorKind(text) })
  return table
}
