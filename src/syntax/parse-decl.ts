/** Declarations: decides which kind begins here, and parses variables and functions. `parse-keyword.ts` parses the kinds with a keyword. */
import { bodyAfterSemicolon, misplacedDeclaration } from '../base/errors/syntax.ts'
import type { Span } from '../base/source.ts'
import type { Attribute, Block, Decl, FuncDecl, Modifier, Name, TypeExpr, VarDecl } from './ast.ts'
import { statementWords, type Cursor } from './cursor.ts'
import { parseArgument } from './parse-expr.ts'
import { keywordParser } from './parse-keyword.ts'
import { parseModifiers, parseParams, parseSemantics } from './parse-param.ts'
import { parseBlock } from './parse-stmt.ts'
import { parseArraySuffixes, parseGenericParams, parseType, withWhere } from './parse-type.ts'
import { afterType } from './scan.ts'
import { eofKind, nameKind, punctuatorText } from './token.ts'

/** Where a declaration stands. */
export type DeclContext = 'file' | 'type' | 'local'

/** What every declaration begins with. */
export interface Head {
  readonly first: number
  readonly attributes: Attribute[]
  readonly modifiers: Modifier[]
  readonly context: DeclContext
}

/** The fields that all declarations have, for one that ends before the cursor. */
export function common(
  p: Cursor,
  head: Head,
): { readonly span: Span; readonly attributes: Attribute[]; readonly modifiers: Modifier[] } {
  return { span: p.spanFrom(head.first), attributes: head.attributes, modifiers: head.modifiers }
}

/** Words that begin a declaration when a name follows. */
export const declWords: ReadonlySet<string> = new Set([
  'let',
  'var',
  'struct',
  'enum',
  'interface',
  'class',
  'typedef',
  'typealias',
  'func',
  'property',
  'extension',
  'namespace',
  'using',
  'module',
  'import',
  'implementing',
  'associatedtype',
  'cbuffer',
  'tbuffer',
])

/** Declarations up to a `}` or the end. */
export function parseDecls(p: Cursor, context: DeclContext): Decl[] {
  const decls: Decl[] = []
  while (p.kind !== eofKind && !(context === 'type' && (p.is('}') || isOutside(p)))) {
    const before = p.pos
    for (const decl of parseDecl(p, context)) decls.push(decl)
    if (p.recovering) recover(p, before)
    if (p.pos === before) {
      p.unexpected()
      p.recovered()
      p.advance()
    }
    p.breaks('declaration', before)
  }
  return decls
}

/** Runs `parse` for what is inside a brace. */
export function inBraces<T>(p: Cursor, open: number, parse: () => T): T {
  if (p.tokens.matches[open] !== -1) return parse()
  const column = p.columnOf(p.declaration)
  // Code that begins behind the brace ends with its line, if it is well laid out.
  const isIndented = p.kind !== eofKind && (!p.onNewLine || !p.isOutside(column))
  p.unclosed.push({ open, column, isIndented })
  const parsed = parse()
  p.unclosed.pop()
  return parsed
}

/** Whether the next token stands outside of the innermost brace that nothing closes: no deeper than what that is part of. */
export function isOutside(p: Cursor): boolean {
  const around = p.unclosed.at(-1)
  if (around === undefined || !p.onNewLine || p.is('}') || p.is('{') || !p.isOutside(around.column)) return false
  return around.isIndented || declaresMore(p)
}

const topWords =
  /^(struct|enum|interface|extension|namespace|import|__include|implementing|cbuffer|tbuffer|typedef|typealias|func|public|export|uniform)$/

/** Whether a declaration begins here that hardly stands in a function. */
function declaresMore(p: Cursor): boolean {
  let i = p.pos
  while (p.isAt(i, '[') && p.afterBracket(i) > i) i = p.afterBracket(i)
  if (topWords.test(p.wordAt(i))) return p.kindAt(i + 1) === nameKind || p.wordAt(i) === 'struct'
  const name = afterType(p, i)
  if (name < 0 || p.kindAt(name) !== nameKind || !p.isAt(name + 1, '(')) return false
  const behind = p.afterBracket(name + 1)
  return p.isAt(behind, '{') || p.isAt(behind, ':')
}

/** Skips what is left of a broken declaration. */
function recover(p: Cursor, before: number): void {
  p.recovered()
  const last = p.pos > before ? p.tokens.text(p.pos - 1) : ''
  const column = p.columnOf(before)
  const begins = (): boolean => p.onNewLine && (p.kind === nameKind || p.is('[')) && p.isOutside(column)
  if (last === ';' || last === '}' || (p.pos > before && begins())) return
  while (p.kind !== eofKind && !p.is('}')) {
    if (p.accept(';')) return
    const isBody = p.is('{')
    p.jump(Math.max(p.afterBracket(p.pos), p.pos + 1))
    if (isBody || begins()) {
      p.accept(';')
      return
    }
  }
}

function parseDecl(p: Cursor, context: DeclContext): Decl[] {
  if (p.accept(';')) return []
  const first = p.pos
  const attributes: Attribute[] = []
  const modifiers: Modifier[] = []
  if (!p.enter()) return []
  const { locals, typeParams, declaration } = p
  p.declaration = first
  p.locals = new Set(locals)
  p.typeParams = new Set(typeParams)
  parseModifiers(p, attributes, modifiers)
  const decls = parseDeclAfterModifiers(p, first, attributes, modifiers, context)
  p.leave()
  p.locals = locals
  p.typeParams = typeParams
  p.declaration = declaration
  return decls
}

/** The rest of a declaration whose attributes and modifiers are read. */
export function parseDeclAfterModifiers(
  p: Cursor,
  first: number,
  attributes: Attribute[],
  modifiers: Modifier[],
  context: DeclContext,
): Decl[] {
  const head: Head = { first, attributes, modifiers, context }
  const keyword = keywordParser(p)
  if (keyword !== undefined) {
    if (
      context === 'local' &&
      /^(module|import|implementing|namespace|interface|extension|__func_extension|__include)$/.test(p.word())
    ) {
      p.report(misplacedDeclaration, p.tokens.span(p.pos, p.pos), { what: `'${p.word()}'` })
      p.recovered()
    }
    return keyword(p, head)
  }
  if (p.is('{') && context !== 'local') {
    p.unexpected()
    p.jump(Math.max(p.afterBracket(p.pos), p.pos + 1))
    return []
  }
  if (context !== 'local' && statementWords.has(p.word())) {
    p.missing('a declaration')
    return []
  }
  if (p.kind !== nameKind && !p.is('::')) {
    if (p.is('}')) {
      p.unexpected()
      p.recovered()
      p.advance()
      return []
    }
    if (p.is('[')) p.close(']', p.pos)
    else p.missing('a declaration')
    return []
  }
  const type = parseType(p)
  return parseDeclarators(p, head, type)
}

/** The rest of a declaration in C style after its type: a function, or variables. */
export function parseDeclarators(p: Cursor, head: Head, type: TypeExpr): Decl[] {
  if (p.word() === 'operator' || p.isAt(p.pos + 1, '(') || p.isAt(p.pos + 1, '<')) {
    if (p.kind === nameKind) return [parseFunction(p, head, type)]
  }
  const decls: Decl[] = []
  do {
    const at = p.pos
    const name = p.nameHere('a name')
    if (name.text === '') break
    const own = parseArraySuffixes(p, type)
    const semantics = parseSemantics(p)
    const init = p.accept('=') ? parseArgument(p) : undefined
    const first = decls.length === 0 ? head.first : at
    const decl: VarDecl = {
      kind: 'var',
      ...common(p, { ...head, first }),
      name,
      form: 'typed',
      type: own,
      init,
      semantics,
    }
    decls.push(decl)
  } while (p.accept(','))
  p.expect(';')
  return decls
}

function parseFunction(p: Cursor, head: Head, result: TypeExpr): FuncDecl {
  const name = parseFunctionName(p)
  const generics = parseGenericParams(p)
  const params = parseParams(p, 'c')
  const semantics = parseSemantics(p)
  const throws = parseThrows(p)
  const where = withWhere(p, generics)
  const body = parseOptionalBody(p)
  return { kind: 'func', ...common(p, head), name, generics: where, params, result, semantics, throws, body }
}

/** A name or `operator+`, `operator()`, `operator[]`. */
export function parseFunctionName(p: Cursor): Name {
  if (p.word() !== 'operator' || (p.isAt(p.pos + 1, '<') && p.kindAt(p.pos + 2) === nameKind))
    return p.name('the name of a function')
  const first = p.advance()
  const op = punctuatorText(p.kind)
  if (op === undefined) return { text: 'operator', span: p.spanFrom(first) }
  p.advance()
  let text = `operator${op}`
  if (op === '(' && p.accept(')')) text = 'operator()'
  else if (op === '[' && p.accept(']')) text = 'operator[]'
  else if (op === '?' && p.accept(':')) text = 'operator?:'
  return { text, span: p.spanFrom(first) }
}

/** `throws E`. */
export function parseThrows(p: Cursor): TypeExpr | undefined {
  return p.acceptWord('throws') ? parseType(p) : undefined
}

/** The body of a function. What was not understood before it does not spoil it. */
export function parseBody(p: Cursor): Block {
  p.breaks('declaration', p.declaration)
  const close = p.tokens.matches[p.pos]!
  // Where braces are missing only reading says where the body ends.
  const isWhole = p.is('{') && close > p.pos && p.unclosed.length === 0 && p.tokens.strayBrace < 0 && !p.recovering
  if (p.later === undefined || !isWhole) return parseBlock(p, true)
  const at = p.fork(p.sink)
  const block = p.later(p.tokens.span(p.pos, close), sink => {
    const own = at.fork(sink)
    return { stmts: parseBlock(own, true).stmts, broken: own.broken }
  })
  p.jump(close + 1)
  return block
}

/** `{ … }`, or `;` and no body. */
export function parseOptionalBody(p: Cursor): Block | undefined {
  if (p.is('{')) return parseBody(p)
  if (!p.expect(';')) return undefined
  if (p.is('{')) {
    p.report(bodyAfterSemicolon, p.tokens.span(p.pos - 1, p.pos - 1), {})
    p.recovered()
    return parseBody(p)
  }
  return undefined
}
