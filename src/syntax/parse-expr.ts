/** Expressions: a loop for each level of binary operators, so that long chains cost no stack. */
import { emptyParentheses, expectedExpression } from '../base/errors/syntax.ts'
import { Span } from '../base/source.ts'
import type { AssignOp, BinaryOp, Block, Expr, PrefixOp } from './ast.ts'
import { depthLimit, type Cursor } from './cursor.ts'
import { parseLiteral } from './literal.ts'
import { parseParams } from './parse-param.ts'
import { isOutside } from './parse-decl.ts'
import { parseBlock } from './parse-stmt.ts'
import { parseGenericArgs, parseType, parseTypeOrExpr } from './parse-type.ts'
import { afterType, isTypeName, opensGenericArgs } from './scan.ts'
import { charKind, errorKind, floatKind, intKind, nameKind, punctuatorText, stringKind } from './token.ts'

/** How closely binary operators, assignments, `?` and the comma bind; the closest has the highest number. */
export const precedence: Readonly<Record<string, number>> = {
  ',': 1,
  '?': 3,
  '||': 4,
  '&&': 5,
  '|': 6,
  '^': 7,
  '&': 8,
  '==': 9,
  '!=': 9,
  '<': 10,
  '>': 10,
  '<=': 10,
  '>=': 10,
  '<<': 11,
  '>>': 11,
  '+': 12,
  '-': 12,
  '*': 13,
  '/': 13,
  '%': 13,
  '=': 2,
  '+=': 2,
  '-=': 2,
  '*=': 2,
  '/=': 2,
  '%=': 2,
  '<<=': 2,
  '>>=': 2,
  '&=': 2,
  '|=': 2,
  '^=': 2,
}
const assignLevel = 2
const conditionalLevel = 3
export const relationalLevel = 10

/** A full expression, with the comma operator. */
export function parseExpr(p: Cursor): Expr {
  return outsideAngles(p, 1)
}

/** An expression without the comma operator: an argument, an initial value. */
export function parseArgument(p: Cursor): Expr {
  return outsideAngles(p, assignLevel)
}

function outsideAngles(p: Cursor, level: number): Expr {
  const outer = p.inAngles
  p.inAngles = false
  const expr = parseBinary(p, level)
  p.inAngles = outer
  return expr
}

/** Operators of at least the given precedence. */
export function parseBinary(p: Cursor, level: number): Expr {
  if (!p.enter()) return { kind: 'error', span: p.spanFrom(p.pos) }
  const first = p.pos
  let left = parseUnary(p)
  for (;;) {
    const word = p.word()
    if (word !== '') {
      if ((word !== 'is' && word !== 'as') || level > relationalLevel) break
      p.advance()
      const type = parseType(p, false)
      left =
        word === 'is'
          ? { kind: 'is', span: p.spanFrom(first), value: left, type }
          : { kind: 'as', span: p.spanFrom(first), value: left, type }
      continue
    }
    const op = punctuatorText(p.kind)
    const own = op === undefined ? undefined : precedence[op]
    if (op === undefined || own === undefined || own < level) break
    if (p.inAngles && (op === '>' || op === '>>' || op === '>=' || op === '>>=')) break
    p.advance()
    if (own === assignLevel) {
      const value = parseBinary(p, assignLevel)
      left = { kind: 'assign', span: p.spanFrom(first), op: op as AssignOp, target: left, value }
    } else if (own === conditionalLevel) {
      const then = outsideAngles(p, assignLevel)
      p.expect(':')
      const otherwise = parseBinary(p, assignLevel)
      left = { kind: 'conditional', span: p.spanFrom(first), condition: left, then, else: otherwise }
    } else {
      const right = parseBinary(p, own + 1)
      left = { kind: 'binary', span: p.spanFrom(first), op: op as BinaryOp, left, right }
    }
    if (p.atEnd) break
  }
  p.leave()
  return left
}

function parseUnary(p: Cursor): Expr {
  const op = punctuatorText(p.kind)
  switch (op) {
    case '+':
    case '-':
    case '!':
    case '~':
    case '++':
    case '--':
    case '&':
    case '*': {
      const at = p.advance()
      const operand = nested(p, parseUnary)
      return { kind: 'prefix', span: p.spanFrom(at), op: op satisfies PrefixOp, operand }
    }
    case '(':
      return parseParenthesised(p)
    default:
  }
  const word = p.word()
  if (word === '') return parsePostfix(p, p.pos, parsePrimary(p))
  const first = p.pos
  const next = p.kindAt(first + 1)
  const startsOperand =
    next === nameKind || next === intKind || next === floatKind || p.isAt(first + 1, '(') || p.isAt(first + 1, '{')
  switch (word) {
    case 'no_diff':
      p.advance()
      return noDiff(p, first)
    case 'each':
    case 'expand': {
      if (!startsOperand || p.declaresFunction(word)) break
      p.advance()
      // An expansion takes the whole pattern after it, `each` only its operand.
      const operand = word === 'each' ? nested(p, parseUnary) : parseBinary(p, assignLevel)
      return { kind: word, span: p.spanFrom(first), operand }
    }
    case 'try': {
      if (next !== nameKind && !p.isAt(first + 1, '(')) break
      p.advance()
      const operand = nested(p, parseUnary)
      return { kind: 'try', span: p.spanFrom(first), operand }
    }
    case 'new': {
      if (next !== nameKind) break
      p.advance()
      nested(p, parseUnary)
      return { kind: 'unsupported', span: p.spanFrom(first), feature: `'${word}'` }
    }
    case 'spirv_asm':
      if (!p.isAt(first + 1, '{')) break
      p.advance()
      p.jump(Math.max(p.afterBracket(p.pos), p.pos + 1))
      return { kind: 'unsupported', span: p.spanFrom(first), feature: `'spirv_asm'` }
    default:
  }
  return parsePostfix(p, first, parsePrimary(p))
}

function noDiff(p: Cursor, first: number): Expr {
  const operand = nested(p, parseUnary)
  return { kind: 'noDiff', span: p.spanFrom(first), operand }
}

function nested(p: Cursor, parse: (p: Cursor) => Expr): Expr {
  if (!p.enter()) return { kind: 'error', span: p.spanFrom(p.pos) }
  const expr = parse(p)
  p.leave()
  return expr
}

/** `(e)`, a cast `(T)e`, or a lambda `(x) => e`. */
function parseParenthesised(p: Cursor): Expr {
  const open = p.pos
  const close = p.tokens.matches[open]!
  if (close > 0 && p.isAt(close + 1, '=>')) return parseLambda(p)
  if (close > 0 && isCast(p, open, close)) {
    p.advance()
    const type = parseType(p)
    p.close(')', open)
    const value = nested(p, parseUnary)
    return { kind: 'cast', span: p.spanFrom(open), type, value }
  }
  p.advance()
  if (p.is(')')) {
    p.report(emptyParentheses, p.tokens.span(open, p.pos), {})
    p.recovered()
    p.advance()
    return { kind: 'error', span: p.spanFrom(open) }
  }
  const inner = tupleOf(p, open, parseExpr(p))
  p.close(')', open)
  return parsePostfix(p, open, inner.kind === 'int' ? { ...inner, grouped: true } : inner, false)
}

/** `(a, b)` is a tuple since version 2026. */
function tupleOf(p: Cursor, open: number, inner: Expr): Expr {
  if (p.tokens.version < 2026 || inner.kind !== 'binary' || inner.op !== ',') return inner
  const args: Expr[] = []
  let rest: Expr = inner
  for (; rest.kind === 'binary' && rest.op === ','; rest = rest.left) args.unshift(rest.right)
  args.unshift(rest)
  const { file, start } = p.tokens.span(open, open)
  const callee: Expr = { kind: 'name', span: new Span(file, start, start), name: 'makeTuple', global: true }
  return { kind: 'call', span: p.spanFrom(open), callee, args }
}

/** Whether `(` … `)` holds a type and an operand follows. */
function isCast(p: Cursor, open: number, close: number): boolean {
  if (afterType(p, open + 1) !== close) return false
  const next = p.kindAt(close + 1)
  if (next === nameKind) {
    // `(x) is T` asks for a type, and `(T)is` converts a variable.
    const isOperator = p.wordAt(close + 1) === 'is' || p.wordAt(close + 1) === 'as'
    return !isOperator || !(p.kindAt(close + 2) === nameKind || p.isAt(close + 2, '::'))
  }
  if (next === intKind || next === floatKind || next === stringKind || next === charKind) return true
  switch (punctuatorText(next)) {
    case '!':
    case '~':
    case '{':
      return true
    case '(':
    case '+':
    case '-':
    case '*':
    case '&':
    case '++':
    case '--':
      return isSurelyType(p, open + 1, close)
    default:
      return false
  }
}

function isSurelyType(p: Cursor, first: number, close: number): boolean {
  const last = punctuatorText(p.kindAt(close - 1))
  if (last === '>' || last === '>>' || last === '*') return true
  // A dotted name is a type if its last part is one: `Lib.Color`.
  let i = first
  while (['each', 'expand', 'no_diff'].includes(p.wordAt(i))) i++
  while (p.isAt(i + 1, '::') || p.isAt(i + 1, '.')) i += 2
  return isTypeName(p, p.wordAt(i)) || (p.kindAt(i) === nameKind && p.kindAt(i + 1) === nameKind)
}

function parseLambda(p: Cursor): Expr {
  const first = p.pos
  const params = parseParams(p, 'lambda')
  p.expect('=>')
  const body: Expr | Block = p.is('{') ? parseBlock(p) : parseArgument(p)
  return { kind: 'lambda', span: p.spanFrom(first), params, body }
}

function parsePrimary(p: Cursor): Expr {
  const first = p.pos
  switch (p.kind) {
    case intKind:
    case floatKind:
    case stringKind:
    case charKind:
      return parseLiteral(p)
    case nameKind:
      if (!p.startsAnew) return parseWord(p)
      p.report(expectedExpression, p.gap, { found: p.found() })
      return { kind: 'error', span: p.gap }
    case errorKind:
      p.advance()
      return { kind: 'error', span: p.spanFrom(first) }
    default:
  }
  if (p.accept('::')) {
    const name = p.name('a name')
    return { kind: 'name', span: p.spanFrom(first), name: name.text, global: true }
  }
  if (p.is('{')) {
    const items = parsePostfixArgs(p, '{', '}')
    return { kind: 'list', span: p.spanFrom(first), items }
  }
  p.report(expectedExpression, p.tokens.span(first, first), { found: p.found() })
  return { kind: 'error', span: p.tokens.span(first, first) }
}

function parseWord(p: Cursor): Expr {
  const first = p.pos
  const word = p.word()
  switch (word) {
    case 'true':
    case 'false':
      p.advance()
      return { kind: 'bool', span: p.spanFrom(first), value: word === 'true' }
    case 'this':
      p.advance()
      return { kind: 'this', span: p.spanFrom(first) }
    case 'This':
      p.advance()
      return { kind: 'thisType', span: p.spanFrom(first) }
    case 'none':
      p.advance()
      return { kind: 'none', span: p.spanFrom(first) }
    case 'nullptr':
      p.advance()
      return { kind: 'null', span: p.spanFrom(first) }
    default:
  }
  if (p.isAt(first + 1, '(')) {
    const close = p.tokens.matches[first + 1]!
    switch (word) {
      case 'fwd_diff':
      case '__fwd_diff':
      case 'bwd_diff':
      case '__bwd_diff': {
        const open = first + 1
        p.jump(open + 1)
        const func = parseTypeOrExpr(p, close)
        p.close(')', open)
        return {
          kind: 'differentiate',
          span: p.spanFrom(first),
          mode: word.endsWith('fwd_diff') ? 'forward' : 'backward',
          func,
        }
      }
      case 'sizeof':
      case 'alignof':
      case 'countof': {
        if (word === 'countof' && p.declaresFunction(word)) break
        const open = first + 1
        p.jump(open + 1)
        const operand = parseTypeOrExpr(p, close)
        p.close(')', open)
        return { kind: 'sizeof', span: p.spanFrom(first), which: word, operand }
      }
      case 'decltype':
        return parseType(p)
      case 'functype':
        return parseType(p)
      case '__dispatch_kernel': {
        p.jump(p.afterBracket(first + 1))
        return { kind: 'unsupported', span: p.spanFrom(first), feature: `'${word}'` }
      }
      default:
    }
  }
  p.advance()
  if (word === 'operator') return parseOperatorName(p, first)
  return { kind: 'name', span: p.spanFrom(first), name: word, global: false }
}

/** `operator+` as a function that is named. */
function parseOperatorName(p: Cursor, first: number): Expr {
  const op = punctuatorText(p.kind)
  if (op === undefined || op === ';') return { kind: 'name', span: p.spanFrom(first), name: 'operator', global: false }
  p.advance()
  let name = `operator${op}`
  if (op === '(' && p.accept(')')) name = 'operator()'
  else if (op === '[' && p.accept(']')) name = 'operator[]'
  return { kind: 'name', span: p.spanFrom(first), name, global: false }
}

/** Suffixes. After parentheses a `<` compares: `bare` is false there. */
function parsePostfix(p: Cursor, first: number, start: Expr, bare = true): Expr {
  let expr = start
  for (let depth = 0; depth < depthLimit; depth++) {
    if (isOutside(p)) return expr
    switch (punctuatorText(p.kind)) {
      case '.':
      case '::':
      case '->': {
        const separator = p.is('.') ? '.' : p.is('::') ? '::' : '->'
        p.advance()
        const name = p.word() === 'operator' ? operatorMember(p) : p.nameHere('the name of a member')
        expr = { kind: 'member', span: p.spanFrom(first), base: expr, name, separator }
        if (name.text === '') return expr
        break
      }
      case '[': {
        const args = parsePostfixArgs(p, '[', ']')
        expr = { kind: 'index', span: p.spanFrom(first), base: expr, args }
        break
      }
      case '(': {
        const args = parsePostfixArgs(p, '(', ')')
        expr = { kind: 'call', span: p.spanFrom(first), callee: expr, args }
        break
      }
      case '<': {
        if ((expr === start && !bare) || !takesGenericArgs(p, expr) || !opensGenericArgs(p, p.pos)) return expr
        const args = parseGenericArgs(p)
        expr = { kind: 'generic', span: p.spanFrom(first), base: expr, args }
        break
      }
      case '++':
      case '--': {
        const op = p.is('++') ? '++' : '--'
        p.advance()
        expr = { kind: 'postfix', span: p.spanFrom(first), op, operand: expr }
        break
      }
      default:
        return expr
    }
  }
  p.giveUp()
  return expr
}

function operatorMember(p: Cursor): { readonly text: string; readonly span: Expr['span'] } {
  const first = p.advance()
  const named = parseOperatorName(p, first)
  return { text: named.kind === 'name' ? named.name : '', span: named.span }
}

function takesGenericArgs(p: Cursor, expr: Expr): boolean {
  if (expr.kind === 'name') return !p.locals.has(expr.name)
  return expr.kind === 'member'
}

/** The arguments between brackets; a comma may stand after the last. */
export function parsePostfixArgs(p: Cursor, opener: '(' | '[' | '{', closer: ')' | ']' | '}'): Expr[] {
  const open = p.pos
  p.expect(opener)
  return p.list(closer, open, () => parseArgument(p))
}
