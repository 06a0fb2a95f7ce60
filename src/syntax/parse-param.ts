/** Parameters, semantics, attributes and modifiers. */
import type { Argument, Attribute, Expr, Modifier, Name, Param, Semantic, TypeExpr } from './ast.ts'
import type { Cursor } from './cursor.ts'
import { parseLiteral } from './literal.ts'
import { parseArgument, parsePostfixArgs } from './parse-expr.ts'
import { parseArraySuffixes, parseType } from './parse-type.ts'
import { typeModifiers } from './scan.ts'
import { eofKind, intKind, nameKind, punctuatorKind } from './token.ts'

/** Words that always are modifiers before a declaration. */
const modifiers: ReadonlySet<string> = new Set([
  'in',
  'out',
  'inout',
  '__ref',
  '__constref',
  '__borrow',
  'const',
  'static',
  'uniform',
  'groupshared',
  'public',
  'private',
  'internal',
  'no_diff',
  'row_major',
  'column_major',
  'precise',
  'extern',
  'export',
  'override',
  'constexpr',
  'volatile',
  'inline',
  '__exported',
  '__prefix',
  '__postfix',
  'nointerpolation',
  'noperspective',
  'globallycoherent',
  'unorm',
  'snorm',
  '__builtin',
  '__global',
  '__extern_cpp',
  'dynamic_uniform',
  'highp',
  'mediump',
  'lowp',
  'restrict',
  'readonly',
  'writeonly',
  'coherent',
  'flat',
])

/** Words that are modifiers where a further word follows, and may name things otherwise. */
const softModifiers: ReadonlySet<string> = new Set([
  'ref',
  'constref',
  'borrow',
  'linear',
  'sample',
  'centroid',
  'shared',
  'param',
  'require',
  'dyn',
  'point',
  'line',
  'triangle',
  'lineadj',
  'triangleadj',
  'vertices',
  'indices',
  'primitives',
  'payload',
  'interpolation',
  'patch',
  'pervertex',
])

/** Modifiers of the form `name(…)`, whose arguments mean nothing here. */
const modifiersWithArgs: ReadonlySet<string> = new Set([
  'layout',
  '__target_intrinsic',
  '__specialized_for_target',
  '__glsl_extension',
  '__glsl_version',
  '__spirv_version',
  '__wgsl_extension',
  '__cuda_sm_version',
  '__builtin_type',
  '__builtin_requirement',
  '__magic_type',
  '__implicit_conversion',
  '__attributeTarget',
])

/** The attributes and modifiers that stand before a declaration, parameter or statement. */
export function parseModifiers(p: Cursor, attributes: Attribute[], found: Modifier[]): void {
  for (;;) {
    if (p.is('[')) {
      if (p.tokens.matches[p.pos] === -1) return
      parseAttributes(p, attributes)
      continue
    }
    const word = p.word()
    if (word === '') return
    if (/^__intrinsic_(?:op|type)$/.test(word)) {
      attributes.push(parseAttribute(p))
      continue
    }
    if (!isModifier(p, word)) return
    found.push(p.modifier())
    if (!modifiersWithArgs.has(word) || !p.is('(')) continue
    const end = Math.max(p.afterBracket(p.pos), p.pos + 1)
    if (word === 'layout') layoutAttributes(p, end, attributes)
    p.jump(end)
  }
}

/** `layout(binding = 2, set = 1)` and `layout(location = 3)`, as the attributes that say the same. */
function layoutAttributes(p: Cursor, end: number, attributes: Attribute[]): void {
  const found = new Map<string, Argument>()
  for (let i = p.pos + 1; i < end - 2; i++) {
    const word = p.wordAt(i)
    if (!/^(?:binding|set|location)$/.test(word) || !p.isAt(i + 1, '=')) continue
    p.jump(i + 2)
    found.set(word, parseNamedArgument(p))
    i = p.pos - 1
  }
  for (const [word, name] of [
    ['binding', 'vk::binding'],
    ['location', 'vk::location'],
  ] as const) {
    const first = found.get(word)
    if (first === undefined) continue
    const args = [first, ...(word === 'binding' ? [found.get('set') ?? []].flat() : [])]
    attributes.push({ kind: 'attribute', span: first.span, name, nameSpan: first.span, args })
  }
}

function isModifier(p: Cursor, word: string): boolean {
  if (softModifiers.has(word)) return p.kindAt(p.pos + 1) === nameKind && isFollowedByDeclarator(p)
  if (modifiersWithArgs.has(word)) return word !== 'layout' || startsLayout(p)
  if (!modifiers.has(word) || namesType(p)) return false
  const next = p.pos + 1
  if (p.kindAt(next) === nameKind || p.isAt(next, '::')) return true
  if (word === 'in' || word === 'out') return false
  // `static [unroll] int x`, not `flat[0] = 1`.
  let i = next
  while (p.isAt(i, '[') && p.afterBracket(i) > i) i = p.afterBracket(i)
  return i > next && p.kindAt(i) === nameKind
}

/** `layout(binding = 0) buffer …`, not a call of a function of that name: what is declared follows the parenthesis. */
function startsLayout(p: Cursor): boolean {
  if (!p.isAt(p.pos + 1, '(')) return p.kindAt(p.pos + 1) === nameKind && isFollowedByDeclarator(p)
  const behind = p.afterBracket(p.pos + 1)
  if (p.kindAt(behind) !== nameKind) return false
  return !/^(is|as)$/.test(p.wordAt(behind))
}

/** Whether a word that may be a modifier is a type of this file here: `flat x;` where the file has a struct of that name. */
export function namesType(p: Cursor): boolean {
  const word = p.word()
  return (p.types.has(word) || p.typeParams.has(word)) && !isFollowedByDeclarator(p)
}

/** After a soft modifier comes a type and then a name, or another modifier: `sample float x`, not `sample x`. */
function isFollowedByDeclarator(p: Cursor): boolean {
  const word = p.wordAt(p.pos + 1)
  if (modifiers.has(word) || softModifiers.has(word)) return true
  return !p.isAt(p.pos + 2, ';') && !p.isAt(p.pos + 2, ',') && !p.isAt(p.pos + 2, ')') && !p.isAt(p.pos + 2, '=')
}

/** `[a, b(1)]` or `[[vk::binding(0, 1)]]`. */
export function parseAttributes(p: Cursor, attributes: Attribute[]): void {
  const open = p.advance()
  const double = p.accept('[')
  while (!p.is(']') && p.kind !== eofKind) {
    const before = p.pos
    attributes.push(parseAttribute(p))
    // Slang lets attributes follow one another without a comma.
    if (p.pos === before || (!p.accept(',') && p.kind !== nameKind)) break
  }
  if (double) p.expect(']')
  p.closeBehind(']', open)
}

function parseAttribute(p: Cursor): Attribute {
  const first = p.pos
  p.accept('::')
  let name = p.name('the name of an attribute').text
  while (p.is('::') || p.is('.')) {
    p.advance()
    name += `::${p.name('the name of an attribute').text}`
  }
  const nameSpan = p.spanFrom(first)
  const args = p.is('(') ? p.list(')', p.advance(), () => parseNamedArgument(p)) : []
  return { kind: 'attribute', span: p.spanFrom(first), name, nameSpan, args }
}

function parseNamedArgument(p: Cursor): Argument {
  const first = p.pos
  const named = p.kind === nameKind && p.isAt(p.pos + 1, ':')
  const name = named ? p.name('a name') : undefined
  if (named) p.advance()
  const value = parseArgument(p)
  return { kind: 'argument', span: p.spanFrom(first), name, value }
}

/**
 * How a parameter may be written. Of a function in C style, `float3 : NORMAL` is a type and a semantic; elsewhere `n : float3` is a
 * name and a type. In a lambda a parameter may also be a name only.
 */
export type ParamStyle = 'c' | 'modern' | 'lambda'

/** `(float x, inout y : int = 0)`. */
export function parseParams(p: Cursor, style: ParamStyle = 'modern'): Param[] {
  const open = p.pos
  p.expect('(')
  const params = p.list(')', open, () => parseParam(p, style))
  return params.length === 1 && isVoidParam(params[0]!) ? [] : params
}

/** `f(void)`. */
function isVoidParam(param: Param): boolean {
  return param.name === undefined && param.type?.kind === 'name' && param.type.name === 'void'
}

function parseParam(p: Cursor, style: ParamStyle): Param {
  const first = p.pos
  const attributes: Attribute[] = []
  const found: Modifier[] = []
  parseModifiers(p, attributes, found)
  // Modifiers that also belong to types all count as the parameter's.
  while (
    typeModifiers.has(p.word()) &&
    !namesType(p) &&
    p.word() !== 'each' &&
    p.word() !== 'expand' &&
    p.kindAt(p.pos + 1) === nameKind &&
    !p.isAt(p.pos + 2, ':')
  ) {
    const at = p.advance()
    found.push({ kind: 'modifier', span: p.tokens.span(at, at), name: p.tokens.text(at) })
  }
  const next = p.kindAt(p.pos + 1)
  let name: Name | undefined
  let type: TypeExpr | undefined
  let semantics: Semantic[] = []
  if (style !== 'c' && p.kind === nameKind && next === punctuatorKind(':')) {
    name = p.name('the name of a parameter')
    p.advance()
    parseModifiers(p, attributes, found)
    type = parseType(p)
  } else if (
    style === 'lambda' &&
    p.kind === nameKind &&
    (next === punctuatorKind(',') || next === punctuatorKind(')'))
  ) {
    name = p.name('the name of a parameter')
  } else {
    type = parseType(p)
    if (p.kind === nameKind) {
      name = p.name('the name of a parameter')
      type = parseArraySuffixes(p, type)
    }
    semantics = parseSemantics(p)
  }
  if (name !== undefined) p.locals.add(name.text)
  const fallback = p.accept('=') ? parseArgument(p) : undefined
  return { kind: 'param', span: p.spanFrom(first), attributes, modifiers: found, name, type, fallback, semantics }
}

/** `: SV_Position : register(b0)`. */
export function parseSemantics(p: Cursor): Semantic[] {
  const semantics: Semantic[] = []
  while (p.is(':')) {
    p.advance()
    const first = p.pos
    if (p.kind === intKind) {
      const width = parseLiteral(p)
      semantics.push({ kind: 'semantic', span: width.span, name: ':', args: [width] })
      continue
    }
    const name = p.name('a semantic')
    if (name.text === '') break
    const args: Expr[] = p.is('(') ? parsePostfixArgs(p, '(', ')') : []
    semantics.push({ kind: 'semantic', span: p.spanFrom(first), name: name.text, args })
  }
  return semantics
}
