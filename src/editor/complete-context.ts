/** What may be written at a place, as far as the tokens before it say. They say it of broken programs too. */
import type { SourceFile } from '../base/source.ts'
import { badKind, charKind, floatKind, intKind, nameKind, punctuatorText, stringKind } from '../syntax/token.ts'
import type { Analysis } from './analysis.ts'
import { inComment } from './comments.ts'
import { bodyAt } from './marked.ts'
import { tokenBefore, tokensOf } from './lexed.ts'

/** What may be written at a place. */
export type Context =
  /** Nothing that could be known: a comment, a string, a number, a new name. */
  | { readonly kind: 'none' }
  /** A member of what stands before `.`, `::` or `->`. */
  | { readonly kind: 'member' }
  | { readonly kind: 'statement' }
  | { readonly kind: 'expression' }
  | { readonly kind: 'case' }
  /** The function of `fwd_diff(` or `bwd_diff(`. */
  | { readonly kind: 'derivative'; readonly mode: 'forward' | 'backward' }
  /** `isArgument`: or a constant, for a generic parameter. */
  | { readonly kind: 'type'; readonly isArgument?: true }
  /** An interface, or a struct to inherit from. */
  | { readonly kind: 'base'; readonly of: 'type' | 'enum' | 'parameter' }
  | { readonly kind: 'top' }
  | { readonly kind: 'memberDecl'; readonly isOverride: boolean }
  | { readonly kind: 'parameter' }
  | { readonly kind: 'attribute'; readonly at: 'top' | 'member' | 'statement' | 'parameter' }
  | { readonly kind: 'attributeArgument'; readonly name: string; readonly index: number; readonly isString: boolean }
  | { readonly kind: 'semantic'; readonly at: 'parameter' | 'result' | 'field' | 'global' }
  /** A module after `import` or `__include`, from an offset on. */
  | { readonly kind: 'import'; readonly start: number; readonly isPath: boolean; readonly isInclude: boolean }
  | { readonly kind: 'directive' }
  | { readonly kind: 'macro' }

/** What may be written at a place, and where the word begins that is being written. */
export interface Spot {
  readonly context: Context
  readonly start: number
}

const none: Context = { kind: 'none' }

/** Modifiers after which a declaration goes on. */
const modifiers: ReadonlySet<string> = new Set(
  'static const public internal private export extern uniform groupshared override inline no_diff row_major column_major nointerpolation __exported __extern_cpp in out inout ref constref'.split(
    ' ',
  ),
)
/** Words after which a name stands that is new. */
const namers: ReadonlySet<string> = new Set(
  'struct enum interface class namespace typealias associatedtype let var module property func cbuffer tbuffer implementing'.split(
    ' ',
  ),
)
/** Words after which an expression stands. */
const operators: ReadonlySet<string> = new Set(
  'return else do defer no_diff case each expand in is as discard throw'.split(' '),
)

/** The tokens before a place, read backwards. */
class Back {
  readonly file: SourceFile
  readonly #raw

  constructor(file: SourceFile) {
    this.file = file
    this.#raw = tokensOf(file)
  }

  /** The number of the last token that ends at an offset or before. */
  before(offset: number): number {
    let i = tokenBefore(this.#raw, offset)
    while (i >= 0 && this.#raw.ends[i]! > offset) i--
    return i
  }

  /** A token as it is spelled: a name or a punctuator, `"` for a string, `0` for a number; '' before the first. */
  text(i: number): string {
    if (i < 0) return ''
    const kind = this.#raw.kinds[i]!
    if (kind === stringKind) return '"'
    if (kind === intKind || kind === floatKind || kind === charKind) return '0'
    return punctuatorText(kind) ?? this.file.text.slice(this.#raw.starts[i], this.#raw.ends[i])
  }

  isName(i: number): boolean {
    return i >= 0 && this.#raw.kinds[i] === nameKind
  }

  start(i: number): number {
    return this.#raw.starts[i]!
  }

  end(i: number): number {
    return this.#raw.ends[i]!
  }

  kind(i: number): number {
    return this.#raw.kinds[i]!
  }

  /** The bracket that is open before a token, with the number of commas since; -1 where there is none. */
  open(i: number): { readonly at: number; readonly commas: number } {
    let depth = 0
    let commas = 0
    for (let at = i; at >= 0; at--) {
      const text = this.text(at)
      if (text === ')' || text === ']' || text === '}') depth++
      else if (text === '(' || text === '[' || text === '{') {
        if (depth-- === 0) return { at, commas }
      } else if (text === ',' && depth === 0) commas++
    }
    return { at: -1, commas }
  }

  /** The token before the bracket that the one at a token closes. */
  beforePair(i: number): number {
    const close = this.text(i)
    const open = close === ')' ? '(' : close === ']' ? '[' : close === '}' ? '{' : '<'
    let depth = 0
    for (let at = i; at >= 0; at--) {
      const text = this.text(at)
      if (text === close) depth++
      else if (text === open && --depth === 0) return at - 1
    }
    return -1
  }
}

/** What may be written at a place. */
export function contextAt(analysis: Analysis, file: SourceFile, offset: number): Spot {
  const back = new Back(file)
  let last = back.before(offset)
  const around = tokenBefore(tokensOf(file), offset)
  const inside = around >= 0 && back.end(around) >= offset ? around : -1
  const line = lineBefore(file, offset)
  const directive = /^[ \t]*#[ \t]*(\w*)(.*)$/s.exec(line)
  const isComment = inComment(file, offset)
  if (directive !== null && !isComment) return directiveSpot(directive, offset, back, inside)
  if (inside >= 0 && back.start(inside) < offset) {
    const kind = back.kind(inside)
    if (kind === stringKind || kind === badKind) return stringSpot(back, inside, offset)
    if (kind === intKind || kind === floatKind || kind === charKind) return { context: none, start: offset }
  }
  if (isComment) return { context: none, start: offset }
  let start = offset
  if (back.isName(inside)) {
    start = back.start(inside)
    last = inside - 1
  }
  // `[[vk::binding]]` has a name of two words.
  if (back.text(last) === '::' && back.isName(last - 1) && isAttribute(back, back.open(last).at))
    return { context: classify(analysis, back, last - 2, back.start(last - 1)), start: back.start(last - 1) }
  const context = classify(analysis, back, last, start)
  return { context, start: context.kind === 'import' ? context.start : start }
}

function lineBefore({ text }: SourceFile, offset: number): string {
  const from = Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1)) + 1
  return text.slice(from, offset)
}

function directiveSpot([, name = '', rest = '']: RegExpExecArray, offset: number, back: Back, inside: number): Spot {
  if (rest === '') return { context: { kind: 'directive' }, start: offset - name.length }
  const path = /^[ \t]*["<]([^">]*)$/.exec(rest)
  if (name === 'include')
    return path === null
      ? { context: none, start: offset }
      : {
          context: { kind: 'import', start: offset - path[1]!.length, isPath: true, isInclude: true },
          start: offset - path[1]!.length,
        }
  if (/^(?:if|elif|ifdef|ifndef|undef)$/.test(name)) {
    const start = back.isName(inside) ? back.start(inside) : offset
    return { context: { kind: 'macro' }, start }
  }
  return { context: none, start: offset }
}

/** In a string: the path of an import, or an argument of an attribute. */
function stringSpot(back: Back, inside: number, offset: number): Spot {
  const start = back.start(inside) + 1
  if (back.kind(inside) !== stringKind && back.file.text[start - 1] !== '"') return { context: none, start: offset }
  // Behind the closing quote.
  if (offset > start && back.kind(inside) === stringKind && back.end(inside) === offset)
    return { context: none, start: offset }
  const word = back.text(inside - 1)
  if (word === 'import' || word === '__include')
    return { context: { kind: 'import', start, isPath: true, isInclude: false }, start }
  const { at, commas } = back.open(inside - 1)
  if (back.text(at) === '(' && isAttribute(back, back.open(at - 1).at))
    return { context: { kind: 'attributeArgument', name: back.text(at - 1), index: commas, isString: true }, start }
  return { context: none, start: offset }
}

const boundaries: ReadonlySet<string> = new Set(['', ';', '{', '}', ']'])

/** Whether a bracket opens attributes, and not an index. */
function isAttribute(back: Back, bracket: number): boolean {
  if (back.text(bracket) !== '[') return false
  let at = bracket
  // `[[a]]` is one attribute, `[a] [b]` are two, and `x[0][1]` is an index: the first bracket of the row says it.
  for (let before = back.text(at - 1); before === '[' || before === ']'; before = back.text(at - 1)) {
    at = before === '[' ? at - 1 : back.beforePair(at - 1) + 1
    if (back.text(at) !== '[') return false
  }
  const before = back.text(at - 1)
  if (boundaries.has(before)) return true
  // Parameters have attributes too, as the bodies of loops have.
  if (before === '(' || before === ',') return back.isName(back.open(at - 1).at - 1) && !insideBody(back, at)
  return before === 'else' || (before === ')' && /^(?:if|for|while|switch)$/.test(back.text(back.beforePair(at - 1))))
}

/** Whether braces of a function are open at a token, as the tokens have it: those behind `)`. */
function insideBody(back: Back, i: number): boolean {
  for (let { at } = back.open(i - 1); at >= 0; { at } = back.open(at - 1))
    if (back.text(at) === '{' && (back.text(at - 1) === ')' || /^(?:else|do|get|set|ref)$/.test(back.text(at - 1))))
      return true
  return false
}

function classify(analysis: Analysis, back: Back, last: number, start: number): Context {
  const before = back.text(last)
  if (before === '.' || before === '::' || before === '->')
    return (
      importSpot(back, last, start) ??
      (before === '->' && !inBody(analysis, back, start) ? { kind: 'type' } : { kind: 'member' })
    )
  if (before === 'import' || before === '__include') return { kind: 'import', start, isPath: false, isInclude: false }
  const attribute = attributeSpot(analysis, back, last, start)
  if (attribute !== undefined) return attribute
  if (namers.has(before)) return none
  if (before === 'using' || before === 'extension' || before === 'typedef') return { kind: 'type' }
  return inBody(analysis, back, start) ? inCode(back, last) : outside(back, last)
}

function inBody(analysis: Analysis, back: Back, start: number): boolean {
  return bodyAt(analysis, back.file, start) !== undefined || insideBody(back, back.before(start) + 1)
}

/** `import a.b.` goes on. */
function importSpot(back: Back, last: number, start: number): Context | undefined {
  let at = last
  while (back.text(at) === '.' && back.isName(at - 1)) at -= 2
  const word = back.text(at)
  if (word !== 'import' && word !== '__include') return undefined
  return { kind: 'import', start: at + 1 <= last ? back.start(at + 1) : start, isPath: false, isInclude: false }
}

function attributeSpot(analysis: Analysis, back: Back, last: number, start: number): Context | undefined {
  const { at, commas } = back.open(last)
  if (isAttribute(back, at)) {
    const before = back.text(last)
    if (before !== '[' && before !== ',') return none
    const inner = back.text(at - 1) === '[' ? at - 1 : at
    if (bodyAt(analysis, back.file, start) !== undefined || insideBody(back, at))
      return { kind: 'attribute', at: 'statement' }
    const outer = back.open(inner - 1).at
    const where =
      back.text(outer) === '(' ? 'parameter' : back.text(outer) === '{' && !isNamespace(back, outer) ? 'member' : 'top'
    return { kind: 'attribute', at: where }
  }
  if (back.text(at) === '(' && back.isName(at - 1) && isAttribute(back, back.open(at - 2).at))
    return { kind: 'attributeArgument', name: back.text(at - 1), index: commas, isString: false }
  return undefined
}

/** Whether a brace opens a namespace. */
function isNamespace(back: Back, at: number): boolean {
  let i = at - 1
  while (back.isName(i) && back.text(i - 1) === '::') i -= 2
  return back.text(i - 1) === 'namespace'
}

/** In the body of a function. */
function inCode(back: Back, last: number): Context {
  const before = back.text(last)
  const open = back.open(last)
  if (before === ';') {
    // The header of a `for` has two.
    return back.text(open.at) === '(' ? { kind: 'expression' } : { kind: 'statement' }
  }
  if (before === '{') return isList(back, last) ? { kind: 'expression' } : { kind: 'statement' }
  if (before === '}') return { kind: 'statement' }
  if (before === 'else' || before === 'do' || before === 'defer') return { kind: 'statement' }
  if (before === ')') {
    if (/^(?:if|for|while|switch)$/.test(back.text(back.beforePair(last)))) return { kind: 'statement' }
    return isCast(back, last) ? { kind: 'expression' } : none
  }
  if (before === ']') return isAttribute(back, back.beforePair(last) + 1) ? { kind: 'statement' } : none
  if (before === ':') return /^(?:let|var)$/.test(back.text(last - 2)) ? { kind: 'type' } : afterColon(back, last)
  if (before === '(') {
    const callee = back.text(last - 1)
    if (/^_{0,2}(?:fwd|bwd)_diff$/.test(callee))
      return { kind: 'derivative', mode: callee.includes('fwd') ? 'forward' : 'backward' }
    return callee === 'for' ? { kind: 'statement' } : { kind: 'expression' }
  }
  if (before === 'case') return { kind: 'case' }
  if (before === 'is' || before === 'as') return { kind: 'type' }
  if (before === '<' && back.isName(last - 1) && /^[A-Z]|^vector$|^matrix$/.test(back.text(last - 1)))
    return { kind: 'type', isArgument: true }
  // `no_diff` also stands before calls.
  if (before === 'no_diff') return { kind: 'expression' }
  if (modifiers.has(before)) return { kind: 'type' }
  // A name behind a name, a number or a type is new.
  if (before === '0' || before === '"' || (back.isName(last) && !operators.has(before))) return none
  if (before === '>' && isGenericEnd(back, last)) return none
  return { kind: 'expression' }
}

/** Whether a parenthesis closes the type of a cast, as in `(float3)x`. */
function isCast(back: Back, last: number): boolean {
  const at = back.beforePair(last)
  if (at < -1 || back.isName(at) ? !operators.has(back.text(at)) : /^[)\]0"]$/.test(back.text(at))) return false
  return /^\(\s*[A-Za-z_][\w\s<>,.:[\]]*\)$/.test(between(back, at + 1, last))
}

/** Whether `>` closes generic arguments: of a name that begins like a type. */
function isGenericEnd(back: Back, last: number): boolean {
  const at = back.beforePair(last)
  return back.isName(at) && /^[A-Z]|^vector$|^matrix$/.test(back.text(at)) && !/[;{}]/.test(between(back, at, last))
}

function between(back: Back, from: number, to: number): string {
  return back.file.text.slice(back.start(from), back.end(to))
}

/** Whether a brace opens a list of values. */
function isList(back: Back, brace: number): boolean {
  let at = brace
  // Of a list of lists the first brace says it.
  while (back.text(at - 1) === '{') at--
  return /^[=,(]$|^return$/.test(back.text(at - 1))
}

/** Behind `case x:`, `label:` or `a ? b :`. */
function afterColon(back: Back, last: number): Context {
  for (let at = last - 1; at >= 0; at--) {
    const text = back.text(at)
    if (text === 'case' || text === 'default') return { kind: 'statement' }
    if (text === '?') return { kind: 'expression' }
    if (text === ';' || text === '{' || text === '}')
      return at === last - 2 ? { kind: 'statement' } : { kind: 'expression' }
  }
  return { kind: 'expression' }
}

/** Outside of bodies. */
function outside(back: Back, last: number): Context {
  const before = back.text(last)
  const { at } = back.open(last)
  const opener = back.text(at)
  if (opener === '(') {
    if (headerBefore(back, last).angle) return { kind: 'type', isArgument: true }
    if (before === '(' || before === ',') return { kind: 'parameter' }
    if (before === ':') return isTypedAfter(back, at, last) ? { kind: 'type' } : { kind: 'semantic', at: 'parameter' }
    if (before === '=') return { kind: 'expression' }
    if (modifiers.has(before)) return { kind: 'parameter' }
    if (before === 'each' || before === 'expand') return { kind: 'type' }
    return back.isName(last) || before === '>' || before === ']' ? none : { kind: 'expression' }
  }
  if (opener === '[') return { kind: 'expression' }
  const header = headerBefore(back, last)
  if (before === ':' || ((before === ',' || before === '&') && header.isBases)) return colon(back, header, last)
  if (header.angle || before === '<') return header.angle ? { kind: 'type', isArgument: true } : none
  if (header.hasEquals) return header.isAlias ? { kind: 'type' } : { kind: 'expression' }
  if (before === 'where') return { kind: 'type' }
  const inEnum = opener === '{' && isEnum(back, at)
  if (inEnum) return none
  const isStart = boundaries.has(before) || modifiers.has(before)
  const isMember = opener === '{' && !isNamespace(back, at)
  if (isStart) return isMember ? { kind: 'memberDecl', isOverride: before === 'override' } : { kind: 'top' }
  return none
}

/** Whether the parameter before a colon has its type behind that, as in `func f(x : float)`. */
function isTypedAfter(back: Back, open: number, last: number): boolean {
  const before = back.text(last - 2)
  return back.text(open - 2) === 'func' && (last - 2 === open || before === ',' || modifiers.has(before))
}

interface Header {
  /** The words of the declaration so far. */
  readonly words: ReadonlySet<string>
  /** `<` is open. */
  readonly angle: boolean
  readonly hasEquals: boolean
  readonly isAlias: boolean
  /** A `:` stands in it behind which bases are listed. */
  readonly isBases: boolean
}

/** The declaration before a token, from the last boundary on. */
function headerBefore(back: Back, last: number): Header {
  const words = new Set<string>()
  let angles = 0
  let angle = false
  let hasEquals = false
  let hasColon = false
  for (let at = last; at >= 0; at--) {
    const text = back.text(at)
    if (text === ')' || text === ']') {
      const next = back.beforePair(at) + 1
      if (next <= 0 || next >= at) break
      at = next
      continue
    }
    if (text === ';' || text === '{' || text === '}' || text === '(' || text === '[') break
    if (text === '>') angles++
    else if (text === '<' && angles-- === 0) angle = true
    if (text === '=' && angles <= 0) hasEquals = true
    if (text === ':') hasColon = true
    if (back.isName(at)) words.add(text)
  }
  const isType = ['struct', 'interface', 'extension', 'enum', 'associatedtype', 'where'].some(w => words.has(w))
  return {
    words,
    angle,
    hasEquals,
    isAlias: words.has('typealias') || words.has('associatedtype') || words.has('struct'),
    isBases: hasColon && (isType || angle),
  }
}

function colon(back: Back, header: Header, last: number): Context {
  if (header.angle) return { kind: 'base', of: 'parameter' }
  if (header.words.has('enum')) return { kind: 'base', of: 'enum' }
  if (header.words.has('where') || header.words.has('associatedtype')) return { kind: 'base', of: 'parameter' }
  if (['struct', 'interface', 'extension'].some(w => header.words.has(w))) return { kind: 'base', of: 'type' }
  if (header.words.has('property') || header.words.has('let')) return { kind: 'type' }
  const { at } = back.open(last)
  if (back.text(last - 1) === ')') return { kind: 'semantic', at: 'result' }
  return { kind: 'semantic', at: back.text(at) === '{' && !isNamespace(back, at) ? 'field' : 'global' }
}

function isEnum(back: Back, at: number): boolean {
  for (let i = at - 1; i >= 0; i--) {
    const text = back.text(i)
    if (text === 'enum') return true
    if (text === ';' || text === '{' || text === '}' || text === ')') return false
  }
  return false
}
