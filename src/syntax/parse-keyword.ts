/** Declarations that begin with a keyword. */
import type {
  AccessorDecl,
  AliasDecl,
  AssertDecl,
  AssociatedTypeDecl,
  BufferDecl,
  Decl,
  EnumCase,
  EnumDecl,
  ExtensionDecl,
  FuncDecl,
  ImportDecl,
  IncludeDecl,
  InitDecl,
  InterfaceDecl,
  ModuleDecl,
  Modifier,
  Attribute,
  Name,
  NamespaceDecl,
  Param,
  PropertyDecl,
  StructDecl,
  SubscriptDecl,
  TypeExpr,
  UnsupportedDecl,
  UsingDecl,
  VarDecl,
} from './ast.ts'
import { depthLimit, type Cursor } from './cursor.ts'
import {
  common,
  inBraces,
  parseBody,
  parseDecls,
  parseDeclAfterModifiers,
  parseDeclarators,
  parseFunctionName,
  parseOptionalBody,
  parseThrows,
  type Head,
} from './parse-decl.ts'
import { parseArgument } from './parse-expr.ts'
import { parseFuncExtension } from './parse-func-extension.ts'
import { parseModifiers, parseParams, parseSemantics } from './parse-param.ts'
import { parseAssert } from './parse-stmt.ts'
import { parseArraySuffixes, parseBounds, parseGenericParams, parseType, parseWhere, withWhere } from './parse-type.ts'
import { stringValue } from './literal.ts'
import { eofKind, nameKind, punctuatorText, stringKind } from './token.ts'

type KeywordParser = (p: Cursor, head: Head) => Decl[]

/** The parser for the declaration keyword at the cursor; undefined where the word is an ordinary name. */
export function keywordParser(p: Cursor): KeywordParser | undefined {
  const word = p.word()
  if (word === '') return undefined
  const next = p.pos + 1
  const nameFollows = p.kindAt(next) === nameKind
  switch (word) {
    case 'struct':
      return parseStruct
    case 'enum':
      return nameFollows || p.isAt(next, '{') || p.isAt(next, ':') ? parseEnum : undefined
    case 'interface':
      return nameFollows ? parseInterface : undefined
    case 'extension':
    case '__extension':
      return nameFollows || p.isAt(next, '<') ? parseExtension : undefined
    case 'namespace':
      return nameFollows ? parseNamespace : undefined
    case 'using':
      return nameFollows || p.isAt(next, '::') ? parseUsing : undefined
    case 'module':
      return nameFollows || p.kindAt(next) === stringKind ? parseModuleDecl : undefined
    case 'implementing':
      return nameFollows || p.kindAt(next) === stringKind ? parseModuleDecl : undefined
    case 'import':
    case '__import':
      return nameFollows || p.kindAt(next) === stringKind ? parseImport : undefined
    case '__include':
      return parseInclude
    case 'typedef':
      return parseTypedef
    case 'typealias':
      return nameFollows ? parseTypealias : undefined
    case 'associatedtype':
      return nameFollows ? parseAssociatedType : undefined
    case 'let':
    case 'var':
      return nameFollows ? parseLet : undefined
    case 'func':
      return nameFollows ? parseFunc : undefined
    case '__init':
      return parseInit
    case '__subscript':
      return parseSubscript
    case 'property':
      return nameFollows ? parseProperty : undefined
    case 'cbuffer':
    case 'tbuffer':
      return nameFollows || p.isAt(next, '{') || p.isAt(next, ':') ? parseBuffer : undefined
    case 'static_assert':
      return p.isAt(next, '(') ? parseStaticAssert : undefined
    case '__generic':
      return parseGenericPrefix
    case '__func_extension':
      return parseFuncExtension
    case 'class':
    case 'syntax':
    case 'attribute_syntax':
    case '__ignored_block':
    case '__transparent_block':
    case '__file_decl':
    case 'type_param':
    case '__generic_value_param':
    case '__require_capability':
    case '__glsl_version_directive':
      return nameFollows || p.isAt(next, '{') || p.isAt(next, '[') ? parseUnsupported : undefined
    default:
      return undefined
  }
}

/** A name with dots or scopes between its parts, or a string; `::` counts as `.`. */
function parseDottedName(p: Cursor, what: string): { readonly name: Name; readonly isPath: boolean } {
  const first = p.pos
  if (p.kind === stringKind) {
    p.advance()
    return { name: { text: stringValue(p.tokens.text(first)), span: p.tokens.span(first, first) }, isPath: true }
  }
  let text = p.name(what).text
  while (p.is('.') || p.is('::')) {
    p.advance()
    text += `.${p.name(what).text}`
  }
  return { name: { text, span: p.spanFrom(first) }, isPath: false }
}

function parseModuleDecl(p: Cursor, head: Head): Decl[] {
  const implementing = p.word() === 'implementing'
  p.advance()
  const { name } = parseDottedName(p, 'the name of a module')
  p.expect(';')
  const decl: ModuleDecl = { kind: 'moduleDecl', ...common(p, head), name, implementing }
  return [decl]
}

function parseImport(p: Cursor, head: Head): Decl[] {
  p.advance()
  const { name, isPath } = parseDottedName(p, 'the name of a module')
  p.expect(';')
  const decl: ImportDecl = {
    kind: 'import',
    ...common(p, head),
    name,
    isPath,
    exported: head.modifiers.some(m => m.name === '__exported'),
  }
  return [decl]
}

function parseInclude(p: Cursor, head: Head): Decl[] {
  p.advance()
  const { name, isPath } = parseDottedName(p, 'the name of a file')
  p.expect(';')
  const decl: IncludeDecl = { kind: 'include', ...common(p, head), name, isPath }
  return [decl]
}

function parseUsing(p: Cursor, head: Head): Decl[] {
  p.advance()
  p.acceptWord('namespace')
  const target = parseType(p, false)
  p.expect(';')
  const decl: UsingDecl = { kind: 'using', ...common(p, head), target }
  return [decl]
}

function parseNamespace(p: Cursor, head: Head): Decl[] {
  p.advance()
  const names = [p.name('the name of a namespace')]
  while (p.is('::') || p.is('.')) {
    p.advance()
    names.push(p.name('the name of a namespace'))
    if (names.length <= depthLimit) continue
    p.giveUp()
    return []
  }
  const decls = parseMembers(p, head) ?? []
  let inner: Decl[] = decls
  for (const name of names.reverse()) {
    const decl: NamespaceDecl = { kind: 'namespace', ...common(p, head), name, decls: inner }
    inner = [decl]
  }
  return inner
}

/** `{ declarations }`, or undefined and an error. */
function parseMembers(p: Cursor, head: Head): Decl[] | undefined {
  const open = p.pos
  if (!p.expect('{')) return undefined
  const outer = p.pendingGenerics
  p.pendingGenerics = undefined
  p.breaks('declaration', p.declaration)
  const decls = inBraces(p, open, () => parseDecls(p, 'type'))
  p.pendingGenerics = outer
  p.close('}', open)
  p.breaks('braces', open, open)
  if (head.context !== 'local') p.accept(';')
  return decls
}

function parseBases(p: Cursor): TypeExpr[] {
  return p.accept(':') ? parseBounds(p, true) : []
}

function parseStruct(p: Cursor, head: Head): Decl[] {
  p.advance()
  const attributes: Attribute[] = head.attributes
  if (p.is('[')) parseModifiers(p, attributes, head.modifiers)
  const at = p.pos
  const name: Name =
    p.kind === nameKind
      ? p.name('the name of a struct')
      : { text: `_struct${p.tokens.starts[at]!}`, span: p.tokens.span(at, at) }
  // `struct S x;` in C style uses a struct that exists.
  if (p.kind === nameKind && p.word() !== 'where') {
    return parseDeclarators(p, head, { kind: 'name', span: name.span, name: name.text, global: false })
  }
  const own = parseGenericParams(p)
  const bases = parseBases(p)
  let generics = withWhere(p, own)
  let alias: TypeExpr | undefined
  let members: Decl[] | undefined
  if (p.accept('=')) {
    alias = parseType(p)
    p.expect(';')
  } else if (!p.accept(';')) {
    members = parseMembersThen(p)
    generics = withWhere(p, generics)
  }
  const decl: StructDecl = {
    kind: 'struct',
    span: p.spanFrom(head.first),
    attributes,
    modifiers: head.modifiers,
    name,
    generics,
    bases,
    members,
    alias,
  }
  // `struct S { … } x;` declares a variable too, if it stands on the same line.
  const declares = members !== undefined && p.kind === nameKind && !p.onNewLine && !p.recovering
  if (declares && [';', ',', '=', '['].includes(punctuatorText(p.kindAt(p.pos + 1)) ?? '')) {
    const type: TypeExpr = { kind: 'name', span: name.span, name: name.text, global: false }
    return [decl, ...parseDeclarators(p, { ...head, attributes: [], first: p.pos }, type)]
  }
  if (members !== undefined) p.accept(';')
  return [decl]
}

function parseMembersThen(p: Cursor): Decl[] | undefined {
  return parseMembers(p, { first: p.pos, attributes: [], modifiers: [], context: 'local' })
}

function parseInterface(p: Cursor, head: Head): Decl[] {
  p.advance()
  const name = p.name('the name of an interface')
  const own = parseGenericParams(p)
  const bases = parseBases(p)
  const generics = withWhere(p, own)
  const members = p.accept(';') ? undefined : parseMembers(p, { ...head, context: 'file' })
  const decl: InterfaceDecl = { kind: 'interface', ...common(p, head), name, generics, bases, members }
  return [decl]
}

function parseExtension(p: Cursor, head: Head): Decl[] {
  p.advance()
  const own = parseGenericParams(p)
  const target = parseType(p, false)
  const bases = parseBases(p)
  const generics = withWhere(p, own)
  const members = parseMembers(p, { ...head, context: 'file' }) ?? []
  const decl: ExtensionDecl = { kind: 'extension', ...common(p, head), generics, target, bases, members }
  return [decl]
}

function parseEnum(p: Cursor, head: Head): Decl[] {
  p.advance()
  const isClass = p.word() === 'class' && p.acceptWord('class')
  const at = p.pos
  const name: Name =
    p.kind === nameKind
      ? p.name('the name of an enum')
      : { text: `_enum${p.tokens.starts[at]!}`, span: p.tokens.span(at, at) }
  const bases = parseBases(p)
  let cases: EnumCase[] = []
  const open = p.pos
  if (p.expect('{')) {
    cases = p.list('}', open, () => parseEnumCase(p))
    p.accept(';')
  }
  const decl: EnumDecl = { kind: 'enum', ...common(p, head), name, isClass, bases, cases }
  return [decl]
}

function parseEnumCase(p: Cursor): EnumCase {
  const first = p.pos
  const attributes: Attribute[] = []
  const modifiers: Modifier[] = []
  parseModifiers(p, attributes, modifiers)
  const name = p.name('a case')
  const value = p.accept('=') ? parseArgument(p) : undefined
  return { kind: 'enumCase', span: p.spanFrom(first), attributes, modifiers, name, value }
}

function parseLet(p: Cursor, head: Head): Decl[] {
  const form = p.word() === 'let' ? 'let' : 'var'
  p.advance()
  const decls: Decl[] = []
  do {
    const at = p.pos
    const name = p.name('the name of a variable')
    if (name.text === '') break
    const type = p.accept(':') ? parseType(p) : undefined
    const init = p.accept('=') ? parseArgument(p) : undefined
    const decl: VarDecl = {
      kind: 'var',
      ...common(p, decls.length === 0 ? head : { ...head, first: at }),
      name,
      form,
      type,
      init,
      semantics: [],
    }
    decls.push(decl)
  } while (p.accept(','))
  p.expect(';')
  return decls
}

function parseFunc(p: Cursor, head: Head): Decl[] {
  p.advance()
  const name = parseFunctionName(p)
  const own = parseGenericParams(p)
  const params = parseParams(p)
  const before = parseThrows(p)
  const result = p.accept('->') ? parseType(p) : undefined
  const throws = before ?? parseThrows(p)
  const semantics = parseSemantics(p)
  const generics = withWhere(p, own)
  const body = parseOptionalBody(p)
  const decl: FuncDecl = { kind: 'func', ...common(p, head), name, generics, params, result, semantics, throws, body }
  return [decl]
}

function parseInit(p: Cursor, head: Head): Decl[] {
  const at = p.advance()
  const own = parseGenericParams(p)
  const params = parseParams(p)
  const generics = withWhere(p, own)
  const body = parseOptionalBody(p)
  const decl: InitDecl = {
    kind: 'init',
    ...common(p, head),
    name: { text: '__init', span: p.tokens.span(at, at) },
    generics,
    params,
    body,
  }
  return [decl]
}

function parseSubscript(p: Cursor, head: Head): Decl[] {
  const at = p.advance()
  const own = parseGenericParams(p)
  const params = parseParams(p)
  p.expect('->')
  const result = parseType(p)
  const generics = withWhere(p, own)
  const accessors = parseAccessors(p)
  const decl: SubscriptDecl = {
    kind: 'subscript',
    ...common(p, head),
    name: { text: '__subscript', span: p.tokens.span(at, at) },
    generics,
    params,
    result,
    accessors,
  }
  return [decl]
}

function parseProperty(p: Cursor, head: Head): Decl[] {
  p.advance()
  let name: Name
  let type: TypeExpr
  if (p.isAt(p.pos + 1, ':') || p.isAt(p.pos + 1, '{')) {
    name = p.name('the name of a property')
    p.expect(':')
    type = parseType(p)
  } else {
    parseModifiers(p, head.attributes, head.modifiers)
    const element = parseType(p, false)
    name = p.name('the name of a property')
    type = parseArraySuffixes(p, element)
  }
  const accessors = parseAccessors(p)
  const decl: PropertyDecl = { kind: 'property', ...common(p, head), name, type, accessors }
  return [decl]
}

/** `{ get {…} set(v) {…} }`; a plain function body is a getter. */
function parseAccessors(p: Cursor): AccessorDecl[] {
  if (p.accept(';')) return []
  const open = p.pos
  if (!p.is('{')) {
    p.expect('{')
    return []
  }
  if (!startsAccessor(p)) {
    const body = parseBody(p)
    const span = body.span
    return [
      {
        kind: 'accessor',
        span,
        attributes: [],
        modifiers: [],
        name: { text: 'get', span },
        which: 'get',
        param: undefined,
        body,
      },
    ]
  }
  p.advance()
  const accessors: AccessorDecl[] = []
  while (!p.is('}') && p.kind !== eofKind) {
    if (p.accept(';')) continue
    const before = p.pos
    const accessor = parseAccessor(p)
    if (accessor !== undefined) accessors.push(accessor)
    if (p.recovering || p.pos === before) break
  }
  p.closeBehind('}', open)
  return accessors
}

/** Whether accessors, perhaps with attributes and modifiers, follow the brace at the cursor. */
function startsAccessor(p: Cursor): boolean {
  let i = p.pos + 1
  for (;;) {
    const word = p.wordAt(i)
    const isAccessor = word === 'get' || word === 'set' || word === 'ref'
    if (isAccessor && (p.isAt(i + 1, '{') || p.isAt(i + 1, ';') || p.isAt(i + 1, '('))) return true
    if (p.isAt(i, '}')) return true
    if (p.isAt(i, '[')) {
      const next = p.afterBracket(i)
      if (next === i) return false
      i = next
    } else if (word !== '' && p.kindAt(i + 1) === nameKind && word !== 'return') i++
    else return false
  }
}

function parseAccessor(p: Cursor): AccessorDecl | undefined {
  const first = p.pos
  const attributes: Attribute[] = []
  const modifiers: Modifier[] = []
  // `ref` before a brace is the accessor itself.
  parseModifiers(p, attributes, modifiers)
  const which = p.word()
  if (which !== 'get' && which !== 'set' && which !== 'ref') {
    p.missing(`'get', 'set' or 'ref'`)
    return undefined
  }
  const name = p.name('an accessor')
  let param: Param | undefined
  if (p.is('(')) {
    // `set(v)` leaves the type to the property.
    param = parseParams(p, 'lambda')[0]
  }
  const body = p.accept(';') ? undefined : parseBody(p)
  return { kind: 'accessor', span: p.spanFrom(first), attributes, modifiers, name, which, param, body }
}

function parseTypedef(p: Cursor, head: Head): Decl[] {
  p.advance()
  const decls: Decl[] = []
  if ((p.word() === 'struct' && !p.isAt(p.pos + 2, '{')) || p.word() === 'enum') p.advance()
  let target = p.word() === 'struct' ? undefined : parseType(p, false)
  if (target === undefined) {
    const inner = parseStructBody(p)
    decls.push(inner)
    target = { kind: 'name', span: inner.name.span, name: inner.name.text, global: false }
  }
  const name = p.name('the name of a type')
  target = parseArraySuffixes(p, target)
  // Slang does without the semicolon here, and programs do.
  if (!p.onNewLine) p.expect(';')
  else p.accept(';')
  decls.push(aliasOf(p, head, name, undefined, target))
  return decls
}

/** The `struct S { … }` inside a typedef. */
function parseStructBody(p: Cursor): StructDecl {
  const first = p.advance()
  const at = p.pos
  const name: Name =
    p.kind === nameKind
      ? p.name('the name of a struct')
      : { text: `_struct${p.tokens.starts[at]!}`, span: p.tokens.span(at, at) }
  const members = parseMembersThen(p)
  return {
    kind: 'struct',
    span: p.spanFrom(first),
    attributes: [],
    modifiers: [],
    name,
    generics: undefined,
    bases: [],
    members,
    alias: undefined,
  }
}

function aliasOf(p: Cursor, head: Head, name: Name, generics: AliasDecl['generics'], target: TypeExpr): AliasDecl {
  return { kind: 'alias', ...common(p, head), name, generics, target }
}

function parseTypealias(p: Cursor, head: Head): Decl[] {
  p.advance()
  const name = p.name('the name of a type')
  const own = parseGenericParams(p)
  const generics = withWhere(p, own)
  p.expect('=')
  const target = parseType(p)
  p.expect(';')
  return [aliasOf(p, head, name, generics, target)]
}

function parseAssociatedType(p: Cursor, head: Head): Decl[] {
  p.advance()
  const name = p.name('the name of a type')
  const bounds = parseBases(p)
  const where = parseWhere(p)
  const fallback = p.accept('=') ? parseType(p) : undefined
  p.expect(';')
  const decl: AssociatedTypeDecl = { kind: 'associatedtype', ...common(p, head), name, bounds, where, fallback }
  return [decl]
}

function parseBuffer(p: Cursor, head: Head): Decl[] {
  const which = p.word() === 'tbuffer' ? 'tbuffer' : 'cbuffer'
  const at = p.advance()
  const name: Name =
    p.kind === nameKind
      ? p.name('the name of a buffer')
      : { text: `_${which}${p.tokens.starts[at]!}`, span: p.tokens.span(at, at) }
  const semantics = parseSemantics(p)
  const members = parseMembers(p, { ...head, context: 'file' }) ?? []
  const decl: BufferDecl = { kind: 'buffer', ...common(p, head), name, which, semantics, members }
  return [decl]
}

function parseStaticAssert(p: Cursor, head: Head): Decl[] {
  p.advance()
  const { condition, message } = parseAssert(p)
  const decl: AssertDecl = { kind: 'assert', ...common(p, head), condition, message }
  return [decl]
}

function parseGenericPrefix(p: Cursor, head: Head): Decl[] {
  p.advance()
  p.pendingGenerics = parseGenericParams(p)
  parseModifiers(p, head.attributes, head.modifiers)
  if (!p.enter()) return []
  const decls = parseDeclAfterModifiers(p, head.first, head.attributes, head.modifiers, head.context)
  p.leave()
  p.pendingGenerics = undefined
  return decls
}

/** Skips a declaration that is recognised only by its keyword. */
function parseUnsupported(p: Cursor, head: Head): Decl[] {
  const feature = `'${p.word()}'`
  p.advance()
  while (p.kind !== eofKind && !p.is('}') && !p.is(';')) {
    const isBody = p.is('{')
    p.jump(Math.max(p.afterBracket(p.pos), p.pos + 1))
    if (isBody) break
  }
  p.accept(';')
  const decl: UnsupportedDecl = { kind: 'unsupported', ...common(p, head), feature }
  return [decl]
}
