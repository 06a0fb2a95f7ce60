/** Types, generic arguments and parameters, and the constraints on them. */
import type { Expr, Generics, GenericParam, Modifier, Name, TypeExpr, TypeParam, ValueParam, Where } from './ast.ts'
import { depthLimit, type Cursor } from './cursor.ts'
import { relationalLevel, parseArgument, parseBinary, parseExpr, parsePostfixArgs } from './parse-expr.ts'
import { parseParams } from './parse-param.ts'
import { afterType, isOptionalSuffix, typeModifiers } from './scan.ts'
import { eofKind, nameKind, punctuatorKind } from './token.ts'

/** A type with its modifiers and suffixes; with `joined`, also `I & J`. */
export function parseType(p: Cursor, joined = true): TypeExpr {
  if (!p.enter()) return { kind: 'error', span: p.spanFrom(p.pos) }
  const first = p.pos
  const modifiers = parseTypeModifiers(p)
  let type = parseSuffixes(p, first, parseSimpleType(p))
  while (joined && p.is('&')) {
    p.advance()
    const right = parseSuffixes(p, p.pos, parseSimpleType(p))
    type = { kind: 'binary', span: p.spanFrom(first), op: '&', left: type, right }
  }
  p.leave()
  return modifiers.length === 0 ? type : { kind: 'modified', span: p.spanFrom(first), modifiers, type }
}

function parseTypeModifiers(p: Cursor): Modifier[] {
  const modifiers: Modifier[] = []
  for (;;) {
    const word = p.word()
    if (word === 'each' || word === 'expand' || !typeModifiers.has(word) || p.kindAt(p.pos + 1) !== nameKind)
      return modifiers
    modifiers.push(p.modifier())
  }
}

function parseSimpleType(p: Cursor): TypeExpr {
  const first = p.pos
  switch (p.word()) {
    case 'expand':
    case 'each': {
      if (p.kindAt(p.pos + 1) !== nameKind) break
      const kind = p.word() === 'each' ? 'each' : 'expand'
      p.advance()
      const operand = parseType(p, false)
      return { kind, span: p.spanFrom(first), operand }
    }
    case 'functype': {
      p.advance()
      const params = parseParams(p)
      p.expect('->')
      const result = parseType(p, false)
      return { kind: 'funcType', span: p.spanFrom(first), params, result }
    }
    case 'decltype': {
      p.advance()
      const open = p.pos
      p.expect('(')
      const operand = parseExpr(p)
      p.close(')', open)
      return { kind: 'decltype', span: p.spanFrom(first), operand }
    }
    case '__first':
    case '__last':
    case '__trimFirst':
    case '__trimLast': {
      if (!p.isAt(p.pos + 1, '(')) break
      const callee: TypeExpr = { kind: 'name', span: p.tokens.span(first, first), name: p.word(), global: false }
      p.advance()
      const open = p.pos
      p.expect('(')
      const args = p.list(')', open, () => parseType(p, false))
      return { kind: 'call', span: p.spanFrom(first), callee, args }
    }
    case 'This':
      p.advance()
      return parsePath(p, first, { kind: 'thisType', span: p.spanFrom(first) })
    default:
  }
  const global = p.accept('::')
  const name = p.name('a type')
  if (name.text === '') return { kind: 'error', span: name.span }
  return parsePath(p, first, { kind: 'name', span: p.spanFrom(first), name: name.text, global })
}

function parsePath(p: Cursor, first: number, start: TypeExpr): TypeExpr {
  let type = start
  for (let depth = 0; depth < depthLimit; depth++) {
    if (p.is('<')) type = { kind: 'generic', span: type.span, base: type, args: parseGenericArgs(p) }
    else if (p.is('::') || p.is('.')) {
      const separator = p.is('.') ? '.' : '::'
      p.advance()
      const name = p.name('the name of a type')
      if (name.text === '') return type
      type = { kind: 'member', span: type.span, base: type, name, separator }
    } else return type
    type = { ...type, span: p.spanFrom(first) }
  }
  p.giveUp()
  return type
}

function parseSuffixes(p: Cursor, first: number, start: TypeExpr): TypeExpr {
  let type = start
  for (let depth = 0; depth < depthLimit; depth++) {
    if (p.is('[')) {
      const args = parsePostfixArgs(p, '[', ']')
      type = { kind: 'index', span: p.spanFrom(first), base: type, args }
    } else if (p.accept('*')) type = { kind: 'pointer', span: p.spanFrom(first), target: type }
    else if (p.is('?') && isOptionalSuffix(p, p.pos) && p.accept('?'))
      type = { kind: 'optional', span: p.spanFrom(first), target: type }
    else return type
  }
  p.giveUp()
  return type
}

/** `[N][M]` after a declared name, wrapped around the type so that the first suffix is the outermost array. */
export function parseArraySuffixes(p: Cursor, element: TypeExpr): TypeExpr {
  const suffixes: { readonly args: Expr[]; readonly at: number; readonly end: number }[] = []
  while (p.is('[') && suffixes.length < depthLimit) {
    const at = p.pos
    const args = parsePostfixArgs(p, '[', ']')
    suffixes.push({ args, at, end: p.pos - 1 })
  }
  if (suffixes.length >= depthLimit) p.giveUp()
  let type = element
  for (const suffix of suffixes.reverse()) {
    type = { kind: 'index', span: element.span.to(p.tokens.span(suffix.at, suffix.end)), base: type, args: suffix.args }
  }
  return type
}

/** `<args>`: each a type or an expression in which `>` does not compare. */
export function parseGenericArgs(p: Cursor): Expr[] {
  const args: Expr[] = []
  p.expect('<')
  const outer = p.inAngles
  p.inAngles = true
  while (!isAngle(p) && p.kind !== eofKind) {
    const before = p.pos
    args.push(parseGenericArg(p))
    if (!p.accept(',') || p.pos === before) break
  }
  p.inAngles = outer
  if (!p.acceptAngle()) p.missing(`'>'`)
  return args
}

const closers: ReadonlySet<number> = new Set([
  punctuatorKind('>'),
  punctuatorKind('>>'),
  punctuatorKind('>='),
  punctuatorKind('>>='),
])

function isAngle(p: Cursor): boolean {
  return closers.has(p.kind)
}

function parseGenericArg(p: Cursor): Expr {
  if (p.word() === 'true' || p.word() === 'false') return parseBinary(p, 3)
  const end = afterType(p, p.pos)
  if (end > 0 && (p.isAt(end, ',') || closers.has(p.kindAt(end)) || p.isAt(end, '&'))) return parseType(p)
  return parseBinary(p, 3)
}

/** `<T : I, let N : int>` after `__generic`, `struct S`, `f` …, if it is there. */
export function parseGenericParams(p: Cursor): Generics | undefined {
  const prefix = p.pendingGenerics
  p.pendingGenerics = undefined
  if (!p.is('<')) return prefix
  const first = p.advance()
  const params: GenericParam[] = []
  while (!isAngle(p) && p.kind !== eofKind) {
    const before = p.pos
    params.push(parseGenericParam(p))
    if (!p.accept(',') || p.pos === before) break
  }
  if (!p.acceptAngle()) p.missing(`'>'`)
  const own: Generics = { kind: 'generics', span: p.spanFrom(first), params, where: [] }
  return prefix === undefined ? own : { ...prefix, params: [...prefix.params, ...own.params] }
}

function parseGenericParam(p: Cursor): GenericParam {
  const first = p.pos
  if (p.word() === 'let' && p.kindAt(p.pos + 1) === nameKind) {
    p.advance()
    const pack = p.word() === 'each' && p.kindAt(p.pos + 1) === nameKind && p.acceptWord('each')
    const name = p.name('the name of a parameter')
    const type: TypeExpr = p.accept(':')
      ? parseType(p, false)
      : { kind: 'name', span: name.span, name: 'int', global: false }
    return finishValueParam(p, first, name, type, pack)
  }
  const pack = p.word() === 'each' && p.kindAt(p.pos + 1) === nameKind && p.acceptWord('each')
  const typename = p.word() === 'typename' && p.kindAt(p.pos + 1) === nameKind && p.acceptWord('typename')
  const next = p.kindAt(p.pos + 1)
  const isType =
    pack ||
    typename ||
    (p.kind === nameKind &&
      (closers.has(next) ||
        next === punctuatorKind(':') ||
        next === punctuatorKind(',') ||
        next === punctuatorKind('=')))
  if (!isType) {
    const type = parseType(p, false)
    return finishValueParam(p, first, p.name('the name of a parameter'), type)
  }
  const name = p.name('the name of a parameter')
  if (name.text !== '') p.typeParams.add(name.text)
  const bounds = p.accept(':') ? parseBounds(p, false) : []
  const fallback = p.accept('=') ? parseType(p) : undefined
  const param: TypeParam = { kind: 'typeParam', span: p.spanFrom(first), name, bounds, fallback, pack }
  return param
}

function finishValueParam(p: Cursor, first: number, name: Name, type: TypeExpr, pack = false): ValueParam {
  const outer = p.inAngles
  p.inAngles = true
  const fallback = p.accept('=') ? parseBinary(p, 3) : undefined
  p.inAngles = outer
  return { kind: 'valueParam', span: p.spanFrom(first), name, type, fallback, pack }
}

/** `I & J` (and, in a list of bases, `I, J`), one entry each. */
export function parseBounds(p: Cursor, commas: boolean): TypeExpr[] {
  const bounds: TypeExpr[] = []
  do {
    const before = p.pos
    bounds.push(parseType(p, false))
    if (p.pos === before) break
  } while (p.accept('&') || (commas && p.accept(',')))
  return bounds
}

/** All `where` clauses that stand here. */
export function parseWhere(p: Cursor): Where[] {
  const clauses: Where[] = []
  while (p.word() === 'where') {
    const first = p.advance()
    const optional = p.word() === 'optional' && p.kindAt(p.pos + 1) === nameKind && p.acceptWord('optional')
    if (!optional && p.word() === 'countof' && p.isAt(p.pos + 1, '(')) {
      const left = parseBinary(p, relationalLevel + 1)
      if (!p.expect('==')) break
      const right = parseBinary(p, relationalLevel + 1)
      clauses.push({ kind: 'counts', span: p.spanFrom(first), left, right })
      continue
    }
    if (p.word() === 'nonempty' && p.isAt(p.pos + 1, '(')) {
      const open = p.advance() + 1
      p.expect('(')
      const pack = parseType(p, false)
      p.close(')', open)
      clauses.push({ kind: 'nonempty', span: p.spanFrom(first), pack })
      continue
    }
    const subject = parseType(p, false)
    if (p.accept(':')) {
      const bounds = parseBounds(p, true)
      clauses.push({ kind: 'conforms', span: p.spanFrom(first), subject, bounds, optional })
    } else if (p.accept('==')) {
      const right = parseType(p)
      clauses.push({ kind: 'equals', span: p.spanFrom(first), left: subject, right })
    } else if (p.is('(')) {
      const open = p.advance()
      const from = parseType(p)
      p.close(')', open)
      p.acceptWord('implicit')
      clauses.push({ kind: 'converts', span: p.spanFrom(first), to: subject, from })
    } else {
      p.missing(`':' or '=='`)
      break
    }
  }
  return clauses
}

/** The generics of a declaration with the `where` clauses that follow later in it. */
export function withWhere(p: Cursor, generics: Generics | undefined): Generics | undefined {
  if (p.word() !== 'where') return generics
  const first = p.pos
  const where = parseWhere(p)
  if (generics === undefined) return { kind: 'generics', span: p.spanFrom(first), params: [], where }
  return { ...generics, span: generics.span, where: [...generics.where, ...where] }
}

/** An operand that may be a type or an expression, up to a closing bracket. */
export function parseTypeOrExpr(p: Cursor, close: number): Expr {
  // `operator*` names a function, not a pointer, and `this.f` one of an object; `nullptr` is a value.
  return !/^(operator|this|nullptr)$/.test(p.word()) && afterType(p, p.pos) === close && close > 0
    ? parseType(p)
    : parseArgument(p)
}
