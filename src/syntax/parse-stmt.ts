/** Statements. After an error the parser goes on at the next `;`, `}` or line that begins a statement. */
import { oneError, tryBlock, statementBeforeCase, unintendedEmpty } from '../base/errors/syntax.ts'
import type {
  Attribute,
  Block,
  CaseGroup,
  CatchClause,
  DeclStmt,
  Expr,
  ExprStmt,
  Modifier,
  Name,
  Param,
  Stmt,
  TargetCase,
} from './ast.ts'
import type { Cursor } from './cursor.ts'
import { declWords, inBraces, isOutside, parseDeclAfterModifiers } from './parse-decl.ts'
import { parseArgument, parseExpr } from './parse-expr.ts'
import { parseModifiers, parseParams } from './parse-param.ts'
import { afterType } from './scan.ts'
import { eofKind, lineFlag, nameKind, punctuatorText } from './token.ts'

/** How long a chain of `else if` may be: it nests in the tree. */
const elseLimit = 500

/** `{ … }`; `isBody` is set for that of a function. */
export function parseBlock(p: Cursor, isBody = false): Block {
  const open = p.pos
  if (!p.expect('{')) return { kind: 'block', span: p.spanFrom(open), stmts: [] }
  if (!p.enter()) return { kind: 'block', span: p.spanFrom(open), stmts: [] }
  const { errors } = p
  p.errors = 0
  const stmts = inBraces(p, open, () => {
    const list = parseStmts(p, () => false)
    while (isBody && closesTooEarly(p)) {
      p.unexpected()
      p.recovered()
      p.advance()
      p.breaks('braces', p.pos - 1)
      for (const s of parseStmts(p, () => false)) list.push(s)
    }
    return list
  })
  p.close('}', open)
  p.breaks('braces', open, open)
  p.errors = errors
  p.leave()
  return { kind: 'block', span: p.spanFrom(open), stmts }
}

/** Whether the `}` at the cursor is one too many: it stands deeper than its function, and there is another that closes nothing. */
function closesTooEarly(p: Cursor): boolean {
  if (!p.is('}') || !p.onNewLine || p.unclosed.length > 0) return false
  return p.tokens.strayBrace > p.pos && !p.isOutside(p.columnOf(p.declaration))
}

/** Statements up to a `}`, the end, or where `stop` says so. */
function parseStmts(p: Cursor, stop: () => boolean): Stmt[] {
  const stmts: Stmt[] = []
  while (!p.is('}') && p.kind !== eofKind && !stop() && !isOutside(p)) {
    const before = p.pos
    stmts.push(parseStmt(p))
    if (p.recovering) recover(p, before)
    if (p.pos === before) {
      p.unexpected()
      p.advance()
    }
    p.breaks('statement', before)
  }
  return stmts
}

/** Skips what is left of a broken statement. */
function recover(p: Cursor, before: number): void {
  p.recovered()
  // The statement was complete but for its end, and the next begins on a line of its own.
  if (p.pos > before && (p.onNewLine || p.tokens.text(p.pos - 1) === ';' || p.tokens.text(p.pos - 1) === '}')) return
  while (p.kind !== eofKind && !p.is('}')) {
    if (p.accept(';')) return
    if (p.pos > before && p.onNewLine && (p.kind === nameKind || p.is('[') || isOutside(p))) return
    const next = p.afterBracket(p.pos)
    if (next > p.pos) p.jump(next)
    else p.advance()
  }
}

/** One statement. */
export function parseStmt(p: Cursor): Stmt {
  if (!p.enter()) return { kind: 'empty', span: p.spanFrom(p.pos) }
  const stmt = parseStmtInside(p)
  p.leave()
  return stmt
}

function parseStmtInside(p: Cursor): Stmt {
  const first = p.pos
  if (p.is('{')) return parseBlock(p)
  if (p.accept(';')) return { kind: 'empty', span: p.spanFrom(first) }
  const attributes: Attribute[] = []
  const modifiers: Modifier[] = []
  parseModifiers(p, attributes, modifiers)
  const isNoDiffExpr = modifiers.length > 0 && modifiers.every(m => m.name === 'no_diff') && !startsDecl(p)
  if (isNoDiffExpr) p.jump(first)
  else if (modifiers.length > 0) return parseDecls(p, first, attributes, modifiers)
  switch (p.word()) {
    case 'if':
      return parseIf(p, first, attributes)
    case 'for':
      return parseFor(p, first, attributes)
    case 'while':
      return parseWhile(p, first, attributes)
    case 'do':
      return parseDo(p, first, attributes)
    case 'switch':
      return parseSwitch(p, first, attributes)
    case 'break': {
      p.advance()
      const label = p.word() === '' ? undefined : p.name('a label')
      p.expect(';')
      return { kind: 'break', span: p.spanFrom(first), label }
    }
    case 'continue':
    case 'discard': {
      const kind = p.word() as 'continue' | 'discard'
      p.advance()
      p.expect(';')
      return { kind, span: p.spanFrom(first) }
    }
    case 'return': {
      p.advance()
      const value = p.is(';') || p.is('}') ? undefined : parseExpr(p)
      p.expect(';')
      return { kind: 'return', span: p.spanFrom(first), value }
    }
    case 'defer': {
      if (p.isAt(first + 1, '=') || p.isAt(first + 1, '.')) break
      p.advance()
      const body = parseStmt(p)
      return { kind: 'defer', span: p.spanFrom(first), body }
    }
    case 'else':
      p.unexpected()
      p.recovered()
      p.advance()
      return parseStmt(p)
    case 'case':
    case 'default':
      return parseStrayCase(p, first)
    case '__target_switch':
      return parseTargetSwitch(p, first, 'target')
    case '__stage_switch':
      return parseTargetSwitch(p, first, 'stage')
    case 'try':
      if (p.isAt(p.pos + 1, '{')) {
        p.report(tryBlock, p.tokens.span(p.pos, p.pos), {})
        return parseDo(p, first, [])
      }
      if (p.kindAt(p.pos + 1) !== nameKind && !p.isAt(p.pos + 1, '(')) break
      return parseExprStmt(p, first)
    case 'goto':
      if (p.kindAt(p.pos + 1) !== nameKind) break
      return parseUnsupported(p, first)
    case 'throw': {
      p.advance()
      const value = parseExpr(p)
      p.expect(';')
      return { kind: 'throw', span: p.spanFrom(first), value }
    }
    case '__intrinsic_asm':
    case '__requireCapability':
    case '__require_capability':
      return parseUnsupported(p, first)
    default:
  }
  if (p.kind === nameKind && p.isAt(p.pos + 1, ':') && !p.isAt(p.pos + 2, ':')) return parseLabel(p, first)
  if (p.is('{')) return parseBlock(p)
  if (p.is('$')) return parseCompileTimeFor(p, first)
  if (startsDecl(p)) return parseDecls(p, first, attributes, modifiers)
  return parseExprStmt(p, first)
}

/** Whether a declaration begins here: a keyword of one, or a type and a name. */
export function startsDecl(p: Cursor): boolean {
  const word = p.word()
  if (word !== '' && declWords.has(word) && p.kindAt(p.pos + 1) === nameKind) return true
  if (word === 'struct' || word === 'enum' || word === '__generic') return true
  let end = afterType(p, p.pos)
  // `A & B x`: what no name follows on the line is an expression.
  while (end > 0 && p.isAt(end, '&')) {
    end = afterType(p, end + 1)
    if (end > 0 && p.kindAt(end) === nameKind && (p.tokens.flags[end]! & lineFlag) !== 0) return false
  }
  if (end < 0) return false
  const name = p.wordAt(end)
  if (name !== 'is' && name !== 'as') return name !== ''
  // `x is T` asks for a type, and `float is = x` names a variable.
  return [';', '=', ',', '[', ':'].includes(punctuatorText(p.kindAt(end + 1)) ?? '')
}

function parseDecls(p: Cursor, first: number, attributes: Attribute[], modifiers: Modifier[]): Stmt {
  const decls = parseDeclAfterModifiers(p, first, attributes, modifiers, 'local')
  for (const decl of decls) if (decl.kind === 'var') p.locals.add(decl.name.text)
  return { kind: 'decl', span: p.spanFrom(first), decls }
}

function parseExprStmt(p: Cursor, first: number): ExprStmt {
  const expr = parseExpr(p)
  if (p.pos > first) p.expect(';')
  return { kind: 'expr', span: p.spanFrom(first), expr }
}

/** The body of a statement that began at `first`; a lone `;` there is probably a mistake. */
function parseBody(p: Cursor, first: number, warn: boolean): Stmt {
  // What was not understood before the body does not spoil it.
  p.breaks('statement', first)
  // After half a header the next line is a statement of its own.
  if (p.recovering && p.onNewLine && !p.is('{')) return { kind: 'empty', span: p.gap }
  if (warn && p.is(';') && !p.recovering) p.sink.add(unintendedEmpty, p.tokens.span(p.pos, p.pos), {})
  const before = p.pos
  const body = parseStmt(p)
  if (p.recovering && !p.is('}') && p.pos > before) recover(p, before)
  return body
}

interface Arm {
  readonly first: number
  readonly attributes: readonly Attribute[]
  readonly name: Name | undefined
  readonly condition: Expr
  readonly then: Stmt
}

/** A chain of `else if` is read in a loop and nested afterwards. */
function parseIf(p: Cursor, start: number, attributes: readonly Attribute[]): Stmt {
  const arms: Arm[] = []
  let otherwise: Stmt | undefined
  let first = start
  for (;;) {
    p.advance()
    const open = p.pos
    p.expect('(')
    const isLet = p.word() === 'let' && p.kindAt(p.pos + 1) === nameKind
    let name: Name | undefined
    if (isLet) {
      p.advance()
      name = p.name('the name of a variable')
      p.locals.add(name.text)
      p.expect('=')
    }
    const condition = parseExpr(p)
    p.closeBehind(')', open)
    const then = parseBody(p, first, true)
    arms.push({ first, attributes: arms.length === 0 ? attributes : [], name, condition, then })
    if (!p.acceptWord('else')) break
    if (p.word() !== 'if') {
      otherwise = parseBody(p, first, true)
      break
    }
    first = p.pos
    if (arms.length < elseLimit) continue
    p.giveUp()
    break
  }
  let stmt = otherwise
  for (let i = arms.length - 1; i >= 0; i--) {
    const arm = arms[i]!
    const span = p.spanFrom(arm.first)
    stmt =
      arm.name === undefined
        ? { kind: 'if', span, attributes: arm.attributes, condition: arm.condition, then: arm.then, else: stmt }
        : {
            kind: 'ifLet',
            span,
            attributes: arm.attributes,
            name: arm.name,
            value: arm.condition,
            then: arm.then,
            else: stmt,
          }
  }
  return stmt!
}

function parseFor(p: Cursor, first: number, attributes: readonly Attribute[]): Stmt {
  p.advance()
  const open = p.pos
  p.expect('(')
  let init: DeclStmt | ExprStmt | undefined
  if (!p.accept(';')) {
    const at = p.pos
    const modifiers: Modifier[] = []
    parseModifiers(p, [], modifiers)
    if (modifiers.length > 0 || startsDecl(p)) {
      const stmt = parseDecls(p, at, [], modifiers)
      init = stmt.kind === 'decl' ? stmt : undefined
    } else init = parseExprStmt(p, at)
  }
  const condition = p.is(';') || p.is(')') ? undefined : parseExpr(p)
  p.expect(';')
  const step = p.is(')') ? undefined : parseExpr(p)
  p.closeBehind(')', open)
  const body = parseBody(p, first, false)
  return { kind: 'for', span: p.spanFrom(first), attributes, init, condition, step, body }
}

function parseWhile(p: Cursor, first: number, attributes: readonly Attribute[]): Stmt {
  p.advance()
  const condition = parseCondition(p)
  const body = parseBody(p, first, false)
  return { kind: 'while', span: p.spanFrom(first), attributes, condition, body }
}

function parseDo(p: Cursor, first: number, attributes: readonly Attribute[]): Stmt {
  p.advance()
  const body = parseBody(p, first, false)
  if (p.word() === 'catch') return parseCatch(p, first, body)
  if (!p.acceptWord('while')) p.missing(`'while'`)
  const condition = parseCondition(p)
  p.expect(';')
  return { kind: 'do', span: p.spanFrom(first), attributes, body, condition }
}

/** The clauses behind `do { … }`. */
function parseCatch(p: Cursor, first: number, body: Stmt): Stmt {
  const clauses: CatchClause[] = []
  // All of them are ways out of the block, one around the other.
  while (p.word() === 'catch' && p.enter()) {
    const at = p.advance()
    let param: Param | undefined
    if (p.is('(')) {
      const open = p.pos
      const params = parseParams(p)
      param = params[0]
      if (params.length !== 1) p.report(oneError, p.tokens.span(open, p.pos - 1), {})
    }
    const clause = parseBody(p, at, false)
    clauses.push({ kind: 'catch', span: p.spanFrom(at), param, body: clause })
  }
  for (let i = 0; i < clauses.length; i++) p.leave()
  return { kind: 'doCatch', span: p.spanFrom(first), body, clauses }
}

function parseCondition(p: Cursor): Expr {
  const open = p.pos
  p.expect('(')
  const condition = parseExpr(p)
  p.closeBehind(')', open)
  return condition
}

function atCase(p: Cursor): boolean {
  const word = p.word()
  return word === 'case' || (word === 'default' && p.isAt(p.pos + 1, ':'))
}

function parseSwitch(p: Cursor, first: number, attributes: readonly Attribute[]): Stmt {
  p.advance()
  const value = parseCondition(p)
  const groups: CaseGroup[] = []
  const open = p.pos
  const isOpen = p.expect('{')
  while (isOpen && !p.is('}') && p.kind !== eofKind && !isOutside(p)) {
    const start = p.pos
    if (!atCase(p)) {
      p.report(statementBeforeCase, p.tokens.span(start, start), {})
    }
    const labels: (Expr | undefined)[] = []
    while (atCase(p)) {
      const isDefault = p.word() === 'default'
      p.advance()
      labels.push(isDefault ? undefined : parseExpr(p))
      p.expect(':')
    }
    const body = parseStmts(p, () => atCase(p))
    if (labels.length > 0) groups.push({ kind: 'group', span: p.spanFrom(start), labels, body })
    if (p.pos === start) p.advance()
  }
  if (isOpen) p.close('}', open)
  return { kind: 'switch', span: p.spanFrom(first), attributes, value, groups }
}

function parseStrayCase(p: Cursor, first: number): Stmt {
  if (!atCase(p)) return parseExprStmt(p, first)
  p.unexpected()
  p.recovered()
  if (p.advance() && !p.is(':')) parseExpr(p)
  p.accept(':')
  return { kind: 'empty', span: p.spanFrom(first) }
}

function parseTargetSwitch(p: Cursor, first: number, which: 'target' | 'stage'): Stmt {
  p.advance()
  const cases: TargetCase[] = []
  const open = p.pos
  p.expect('{')
  while (!p.is('}') && p.kind !== eofKind) {
    const start = p.pos
    const targets: (Name | undefined)[] = []
    while (atCase(p)) {
      const isDefault = p.word() === 'default'
      p.advance()
      targets.push(isDefault ? undefined : p.name('the name of a target'))
      p.expect(':')
    }
    const body = parseStmts(p, () => atCase(p))
    cases.push({ kind: 'targetCase', span: p.spanFrom(start), targets, body })
    if (p.pos === start) p.advance()
  }
  p.close('}', open)
  return { kind: 'targetSwitch', span: p.spanFrom(first), which, cases }
}

function parseLabel(p: Cursor, first: number): Stmt {
  const name = p.name('a label')
  p.advance()
  const body = parseStmt(p)
  return { kind: 'label', span: p.spanFrom(first), name, body }
}

/** Skips to the end of a statement that is recognised only by its keyword. */
function parseUnsupported(p: Cursor, first: number): Stmt {
  const feature = `'${p.word()}'`
  p.advance()
  while (p.kind !== eofKind && !p.is('}') && !p.is(';')) {
    if (p.is('{')) {
      p.jump(Math.max(p.afterBracket(p.pos), p.pos + 1))
      return { kind: 'unsupported', span: p.spanFrom(first), feature }
    }
    p.jump(Math.max(p.afterBracket(p.pos), p.pos + 1))
  }
  p.accept(';')
  return { kind: 'unsupported', span: p.spanFrom(first), feature }
}

/** `$for (i in Range(0, 4)) …`. */
function parseCompileTimeFor(p: Cursor, first: number): Stmt {
  p.advance()
  p.acceptWord('for')
  if (p.is('(')) {
    p.jump(Math.max(p.afterBracket(p.pos), p.pos + 1))
    parseStmt(p)
  }
  return { kind: 'unsupported', span: p.spanFrom(first), feature: `'$for'` }
}

/** The arguments of `static_assert(condition, message)`. */
export function parseAssert(p: Cursor): { readonly condition: Expr; readonly message: Expr | undefined } {
  const open = p.pos
  p.expect('(')
  const condition = parseArgument(p)
  const message = p.accept(',') ? parseArgument(p) : undefined
  p.closeBehind(')', open)
  p.expect(';')
  return { condition, message }
}
