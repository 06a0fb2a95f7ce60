/** The conditions of `#if` and `#elif`: integer expressions over 64 bits. */
import { badCondition, divideByZeroInCondition, undefinedInCondition } from '../base/errors/syntax.ts'
import type { Sink } from '../base/diag.ts'
import type { Span } from '../base/source.ts'
import type { Tok } from './macro.ts'
import { charKind, intKind, nameKind, punctuatorText } from './token.ts'

const levels: Readonly<Record<string, number>> = {
  '?': 1,
  '||': 2,
  '&&': 3,
  '|': 4,
  '^': 5,
  '&': 6,
  '==': 7,
  '!=': 7,
  '<': 8,
  '>': 8,
  '<=': 8,
  '>=': 8,
  '<<': 9,
  '>>': 9,
  '+': 10,
  '-': 10,
  '*': 11,
  '/': 11,
  '%': 11,
}
const maxDepth = 200

/** Evaluates the tokens of a condition whose macros are expanded; a broken one counts as false. */
export function evaluateCondition(toks: readonly Tok[], at: Span, sink: Sink, spanOf: (tok: Tok) => Span): boolean {
  const state: State = { toks, at, sink, spanOf, pos: 0, depth: 0, failed: false, dead: 0 }
  const value = parseLevel(state, 1)
  if (!state.failed && state.pos < toks.length) fail(state, 'an operator')
  return !state.failed && value !== 0n
}

interface State {
  readonly toks: readonly Tok[]
  readonly at: Span
  readonly sink: Sink
  readonly spanOf: (tok: Tok) => Span
  pos: number
  depth: number
  failed: boolean
  /** Above 0 where the value does not matter: right of `0 &&`. */
  dead: number
}

function fail(state: State, what: string): bigint {
  const tok = state.toks[state.pos]
  if (!state.failed) state.sink.add(badCondition, tok === undefined ? state.at : state.spanOf(tok), { what })
  state.failed = true
  state.pos = state.toks.length
  return 0n
}

function parseLevel(state: State, level: number): bigint {
  if (++state.depth > maxDepth) return fail(state, 'less nesting')
  let left = parseUnary(state)
  for (;;) {
    const tok = state.toks[state.pos]
    const op = tok === undefined ? undefined : punctuatorText(tok.kind)
    const own = op === undefined ? undefined : levels[op]
    if (op === undefined || own === undefined || own < level) break
    state.pos++
    if (op === '?') {
      left = parseChoice(state, left !== 0n)
      continue
    }
    const isDead = (op === '&&' && left === 0n) || (op === '||' && left !== 0n)
    if (isDead) state.dead++
    const right = parseLevel(state, own + 1)
    if (isDead) state.dead--
    left = apply(state, op, left, right, tok!)
  }
  state.depth--
  return left
}

function parseChoice(state: State, condition: boolean): bigint {
  if (!condition) state.dead++
  const then = parseLevel(state, 1)
  if (!condition) state.dead--
  const colon = state.toks[state.pos]
  if (colon === undefined || punctuatorText(colon.kind) !== ':') return fail(state, `':'`)
  state.pos++
  if (condition) state.dead++
  const otherwise = parseLevel(state, 1)
  if (condition) state.dead--
  return condition ? then : otherwise
}

function parseUnary(state: State): bigint {
  const tok = state.toks[state.pos]
  if (tok === undefined) return fail(state, 'an operand')
  state.pos++
  if (tok.kind === intKind) {
    const match = /^(0x[0-9a-f]+|0b[01]+|[0-9]+)[ul]*$/i.exec(tok.text.replace(/'/g, ''))
    if (match === null) {
      state.pos--
      return fail(state, 'an integer')
    }
    const digits = match[1]!
    return BigInt.asIntN(64, BigInt(/^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits))
  }
  if (tok.kind === charKind) return BigInt(tok.text.codePointAt(1) ?? 0)
  if (tok.kind === nameKind) {
    if (tok.text === 'true') return 1n
    if (tok.text !== 'false' && state.dead === 0)
      state.sink.add(undefinedInCondition, state.spanOf(tok), { name: tok.text })
    return 0n
  }
  switch (punctuatorText(tok.kind)) {
    case '(': {
      const value = parseLevel(state, 1)
      const end = state.toks[state.pos]
      if (end === undefined || punctuatorText(end.kind) !== ')') return fail(state, `')'`)
      state.pos++
      return value
    }
    case '!':
      return nestedUnary(state) === 0n ? 1n : 0n
    case '-':
      return BigInt.asIntN(64, -nestedUnary(state))
    case '+':
      return nestedUnary(state)
    case '~':
      return ~nestedUnary(state)
    default:
      state.pos--
      return fail(state, 'an operand')
  }
}

function nestedUnary(state: State): bigint {
  if (++state.depth > maxDepth) return fail(state, 'less nesting')
  const value = parseUnary(state)
  state.depth--
  return value
}

function apply(state: State, op: string, a: bigint, b: bigint, tok: Tok): bigint {
  const truth = (x: boolean): bigint => (x ? 1n : 0n)
  switch (op) {
    case '||':
      return truth(a !== 0n || b !== 0n)
    case '&&':
      return truth(a !== 0n && b !== 0n)
    case '|':
      return a | b
    case '^':
      return a ^ b
    case '&':
      return a & b
    case '==':
      return truth(a === b)
    case '!=':
      return truth(a !== b)
    case '<':
      return truth(a < b)
    case '>':
      return truth(a > b)
    case '<=':
      return truth(a <= b)
    case '>=':
      return truth(a >= b)
    case '<<':
      return BigInt.asIntN(64, a << (b & 63n))
    case '>>':
      return a >> (b & 63n)
    case '+':
      return BigInt.asIntN(64, a + b)
    case '-':
      return BigInt.asIntN(64, a - b)
    case '*':
      return BigInt.asIntN(64, a * b)
    default:
      if (b !== 0n) return BigInt.asIntN(64, op === '/' ? a / b : a % b)
      if (state.dead === 0 && !state.failed) {
        state.sink.add(divideByZeroInCondition, state.spanOf(tok), {})
        state.failed = true
      }
      return 0n
  }
}
