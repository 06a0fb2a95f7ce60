/** What stands between two tokens of a line where no line may break: a space or nothing. */
import { eofKind, nameKind, punctuatorText, type Punctuator } from '../syntax/token.ts'
import type { Cx } from './context.ts'

/** Words before which `(` does not open arguments. */
const operatorWords: ReadonlySet<string> = new Set([
  'if',
  'for',
  'while',
  'switch',
  'return',
  'case',
  'else',
  'do',
  'in',
  'out',
  'inout',
  'is',
  'as',
  'functype',
  'throw',
  'catch',
  'defer',
  'where',
  'const',
])

/** Pairs of characters that would become one token: `- -x`, `> >`, `1 .x`. */
const glued: ReadonlySet<string> = new Set([
  '++',
  '--',
  '<<',
  '>>',
  '&&',
  '||',
  '==',
  '!=',
  '<=',
  '>=',
  '+=',
  '-=',
  '*=',
  '/=',
  '%=',
  '&=',
  '|=',
  '^=',
  '->',
  '=>',
  '::',
  '//',
  '/*',
  '..',
  '##',
])

/** What stands before a token that is not the first of its line. */
export function space(cx: Cx, right: number): '' | ' ' {
  const { tokens } = cx
  const isTight = isTightBefore(cx, right - 1, right)
  return !isTight || tokens.end(right - 1) === tokens.start(right) || !wouldGlue(cx, right) ? (isTight ? '' : ' ') : ' '
}

function isTightBefore(cx: Cx, left: number, right: number): boolean {
  const { tokens, roles } = cx
  const l = punctuatorText(tokens.kind(left))
  const r = punctuatorText(tokens.kind(right))
  const leftRole = roles.of(left)
  const rightRole = roles.of(right)
  if (leftRole === 'prefix' || rightRole === 'suffix' || rightRole === 'named') return true
  switch (r) {
    case ',':
    case ';':
    case ')':
    case ']':
      return true
    case '.':
      return true
    case '::':
      return rightRole !== 'prefix'
    case '->':
      return rightRole !== 'result'
    case '(':
      if (isOperatorName(cx, left) || isOperatorName(cx, left - 1)) return true
      return opensArguments(cx, right) || leftRole === 'cast'
    case '[':
      return isOperatorName(cx, left) || (rightRole !== 'attribute' && l !== '=' && leftRole !== 'attribute')
    case '<':
    case '>':
    case '>>':
    case '>=':
    case '>>=':
      if (rightRole === 'angle') return true
      break
    default:
  }
  if (isOperatorName(cx, left)) return r !== undefined
  switch (l) {
    case '(':
    case '[':
      return true
    case '.':
    case '::':
      return true
    case '->':
      return leftRole !== 'result'
    case '<':
      return leftRole === 'angle'
    case ')':
      return leftRole === 'cast'
    default:
      return false
  }
}

/** Whether the bracket at `open` holds the arguments or parameters of what stands before it. */
export function opensArguments(cx: Cx, open: number): boolean {
  const { tokens, roles } = cx
  const before = open - 1
  if (before < 0) return false
  const kind = tokens.kind(before)
  if (kind === nameKind) return !operatorWords.has(tokens.text(before))
  const text = punctuatorText(kind)
  if (text === ')') return roles.of(before) !== 'cast'
  if (text === ']') return roles.of(before) !== 'attribute'
  return roles.of(before) === 'angle' || isOperatorName(cx, before - 1)
}

/** Whether the word `operator` of the name of an operator stands there. */
function isOperatorName(cx: Cx, index: number): boolean {
  return index >= 0 && cx.tokens.kind(index) === nameKind && cx.tokens.text(index) === 'operator'
}

/** Whether a token would become one with the token before it. */
function wouldGlue(cx: Cx, right: number): boolean {
  const { tokens } = cx
  const l = tokens.text(right - 1)
  const r = tokens.text(right)
  if (tokens.kind(right) === eofKind) return false
  const isWord = (kind: number): boolean => punctuatorText(kind) === undefined
  if (isWord(tokens.kind(right - 1))) return isWord(tokens.kind(right)) || (r.startsWith('.') && /^[\d.]/.test(l))
  return glued.has(l.at(-1)! + r[0]!) || (l.endsWith('.') && /^\d/.test(r))
}

/** The spelling of a token that is a punctuator. */
export function punctuator(cx: Cx, index: number): Punctuator | undefined {
  return punctuatorText(cx.tokens.kind(index))
}
