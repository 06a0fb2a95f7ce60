/**
 * Expressions, types and the heads of declarations: tokens on a line, with operators and brackets as places where it may break.
 *
 * A line that is too wide breaks at its outermost brackets or operators first: before operators of the lowest precedence, behind commas, and
 * inside brackets.
 */
import { precedence } from '../syntax/parse-expr.ts'
import { bracket } from './brackets.ts'
import type { Cx } from './context.ts'
import { concat, follow, group, indent, isHard, line, raw, type Doc } from './doc.ts'
import { punctuator, space } from './space.ts'
import { braceGap } from './body.ts'
import { block } from './statement.ts'

/** An operator or separator among tokens, outside their brackets. */
export interface Separator {
  readonly index: number
  /** How closely it binds: 0 for `;`, 1 for `,`, 2 for `=`, 3 for `?` and `:`, more for other operators. */
  readonly level: number
}

const semicolonLevel = 0
const commaLevel = 1
const assignLevel = 2
const conditionalLevel = 3
const productLevel = 13

/** Tokens from `first` to `last`, without what stands before the first. */
export function inline(cx: Cx, first: number, last: number): Doc {
  if (first > last) return ''
  return split(cx, first, last, separators(cx, first, last))
}

/** The same for a whole statement or declaration, which may end with `;`. */
export function sentence(cx: Cx, first: number, last: number): Doc {
  let end = last
  while (end > first && punctuator(cx, end) === ';') end--
  const parts = [inline(cx, first, end)]
  for (let i = end + 1; i <= last; i++) parts.push(cx.gap(i, ''), ';')
  return concat(parts)
}

/** The operators and separators from `first` to `last`, outside brackets. */
export function separators(cx: Cx, first: number, last: number): Separator[] {
  const found: Separator[] = []
  for (let i = first; i <= last; i = end(cx, i, last) + 1) {
    if (i === first || i === last) continue
    const level = levelOf(cx, i)
    if (level !== undefined) found.push({ index: i, level })
  }
  return found
}

/** The last token of the part that begins at `index`: a token, or brackets with all in them. */
function end(cx: Cx, index: number, last: number): number {
  return Math.min(cx.roles.opaque(index) ?? cx.roles.close(index), last)
}

function levelOf(cx: Cx, index: number): number | undefined {
  const text = punctuator(cx, index)
  if (text === undefined) return undefined
  if (text === ';') return semicolonLevel
  const role = cx.roles.of(index)
  if (role === 'conditional') return conditionalLevel
  if (role !== undefined || text === '?') return undefined
  if (cx.tokens.text(index - 1) === 'operator') return undefined
  return precedence[text]
}

/** Tokens that have the operators `marks[from]` to `marks[to - 1]` among them. */
function split(cx: Cx, first: number, last: number, marks: readonly Separator[], from = 0, to = marks.length): Doc {
  if (from === to) return atoms(cx, first, last)
  let level = Infinity
  for (let k = from; k < to; k++) level = Math.min(level, marks[k]!.level)
  /** Those of the lowest level, as places in `marks`. */
  const own: number[] = []
  for (let k = from; k < to; k++) if (marks[k]!.level === level) own.push(k)
  const operand = (k: number): Doc => {
    const [left, right] = [own[k - 1], own[k]]
    const start = left === undefined ? first : marks[left]!.index + 1
    const end = right === undefined ? last : marks[right]!.index - 1
    return start > end ? '' : split(cx, start, end, marks, left === undefined ? from : left + 1, right ?? to)
  }
  const places = own.map(k => marks[k]!.index)
  const operands = Array.from({ length: places.length + 1 }, (_, k) => operand(k))
  if (level === assignLevel) return assignments(cx, places, operands)
  if (level <= commaLevel) return enumeration(cx, places, operands)
  const isPolynomial = level === productLevel && isParenthesised(cx, places.at(-1)! + 1, last)
  return chain(cx, places, operands, isPolynomial)
}

/** `a, b`: separators stand behind operands. */
function enumeration(cx: Cx, places: readonly number[], operands: readonly Doc[]): Doc {
  const rest: Doc[] = []
  places.forEach((index, k) => {
    const next = operands[k + 1]!
    rest.push(cx.gap(index, ''), cx.tokens.text(index))
    if (next !== '') rest.push(cx.gap(index + 1, punctuator(cx, index + 1) === ';' ? '' : line), next)
  })
  return group(operands[0]!, indent(concat(rest)))
}

/**
 * `a + b`: operators begin lines. So that polynomials do not run off to the right, the last operand of some stays on the line: `isOpen`.
 *
 *     x * (a
 *         + x * b)
 */
function chain(cx: Cx, places: readonly number[], operands: readonly Doc[], isOpen: boolean): Doc {
  const rest: Doc[] = []
  const separated = isOpen ? places.slice(0, -1) : places
  separated.forEach((index, k) =>
    rest.push(cx.gap(index, line), cx.tokens.text(index), cx.gap(index + 1, ' '), operands[k + 1]!),
  )
  const doc = rest.length === 0 ? operands[0]! : group(operands[0]!, indent(concat(rest)))
  if (!isOpen) return doc
  const index = places.at(-1)!
  return concat([doc, cx.gap(index, ' '), cx.tokens.text(index), cx.gap(index + 1, ' '), operands.at(-1)!])
}

/** Whether tokens are an expression in parentheses, and no arguments. */
function isParenthesised(cx: Cx, first: number, last: number): boolean {
  return punctuator(cx, first) === '(' && cx.roles.close(first) === last
}

/** `a = b = c`: what follows `=` stands on the same line if it can begin there. */
function assignments(cx: Cx, places: readonly number[], operands: readonly Doc[]): Doc {
  let value = operands.at(-1)!
  for (let k = places.length - 1; k >= 0; k--) {
    const index = places[k]!
    const rest = cx.isPlain(index + 1) ? follow(value, 1) : concat([cx.gap(index + 1, ' '), value])
    value = concat([operands[k]!, cx.gap(index, ' '), cx.tokens.text(index), rest])
  }
  return value
}

/** Tokens and brackets without operators between them. */
function atoms(cx: Cx, first: number, last: number): Doc {
  const parts: Doc[] = []
  let isBroken = false
  for (let i = first; i <= last;) {
    const close = end(cx, i, last)
    const lambda = cx.roles.blocks.get(i)
    if (i > first && lambda === undefined) {
      const gap = cx.gap(i, space(cx, i))
      isBroken ||= isHard(gap)
      parts.push(gap)
    }
    if (lambda !== undefined) parts.push(group(cx.gap(i, braceGap(cx)), block(cx, lambda)))
    else if (cx.roles.opaque(i) !== undefined)
      parts.push(raw(cx.tokens.file.text.slice(cx.tokens.start(i), cx.tokens.end(close))))
    else if (cx.roles.close(i) > i) parts.push(bracket(cx, i, last))
    else parts.push(raw(cx.tokens.text(i)))
    i = close + 1
  }
  // What begins a line below a comment is a continuation.
  return isBroken ? indent(...parts) : concat(parts)
}
