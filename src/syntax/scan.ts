/**
 * Looks ahead without building a tree: whether a type begins here, and whether a `<` opens generic arguments. Both jump over
 * brackets by the table of pairs, so they cost no more than the tokens of the type itself.
 */
import { statementWords, type Cursor } from './cursor.ts'
import { eofKind, intKind, lineFlag, nameKind, punctuatorKind, type Punctuator } from './token.ts'

const maxAngleLength = 400
/** Types nested deeper than this are given up. */
const maxAngleDepth = 100

const kinds = (texts: readonly Punctuator[]): ReadonlySet<number> => new Set(texts.map(punctuatorKind))

/** Tokens that may be between `<` and `>` outside brackets; `(` and `[` are jumped over. */
const insideAngles = kinds([
  ',',
  '.',
  '::',
  '*',
  '/',
  '+',
  '-',
  '%',
  '&',
  '|',
  '^',
  '<<',
  '->',
  '!',
  '~',
  '?',
  '==',
  '!=',
])
/** Tokens that may follow generic arguments in an expression; any other makes `<` a comparison. */
const afterAngles = kinds(['(', ')', '[', ']', '}', '.', '::', ',', ';', ':', '?', '=', '==', '!=', '&&', '||', '=>'])
const afterOptional = kinds(['>', '>>', ',', ')', ']', '{', '}', ';', '=', '*', '?'])
const afterOptionalName = kinds([';', '=', ',', ')'])
const less = punctuatorKind('<')
const greater = punctuatorKind('>')
const shiftRight = punctuatorKind('>>')
const openParen = punctuatorKind('(')
const openBracket = punctuatorKind('[')
const star = punctuatorKind('*')
const question = punctuatorKind('?')
const dot = punctuatorKind('.')
const scope = punctuatorKind('::')

/** Words that may stand before a type. */
export const typeModifiers: ReadonlySet<string> = new Set([
  'const',
  'no_diff',
  'in',
  'out',
  'inout',
  'uniform',
  'volatile',
  'row_major',
  'column_major',
  'unorm',
  'snorm',
  'some',
  'dyn',
  'each',
  'expand',
  '__ref',
  'ref',
  '__constref',
  'constref',
  'borrow',
  'groupshared',
  'static',
  'precise',
])

/**
 * The index after the `>` that closes the `<` at `open`, or -1. Where a `>>` closes an outer list too, it is the index of that
 * `>>` itself.
 */
export function afterGenericArgs(p: Cursor, open: number): number {
  let depth = 0
  const end = Math.min(p.tokens.count, open + maxAngleLength)
  for (let i = open; i < end; i++) {
    const kind = p.tokens.kinds[i]!
    if (kind === less) {
      if (++depth < maxAngleDepth) continue
      p.giveUp(maxAngleDepth)
      return -1
    }
    if (kind === greater) {
      if (--depth === 0) return i + 1
    } else if (kind === shiftRight) {
      depth -= 2
      if (depth === 0) return i + 1
      if (depth < 0) return i
    } else if (kind === openParen || kind === openBracket) {
      const match = p.tokens.matches[i]!
      if (match < 0) return -1
      i = match
    } else if (kind !== nameKind && kind !== intKind && !insideAngles.has(kind)) return -1
  }
  return -1
}

/** Whether the `<` at `open`, in an expression, opens generic arguments. */
export function opensGenericArgs(p: Cursor, open: number): boolean {
  const after = afterGenericArgs(p, open)
  if (after < 0) return false
  const kind = p.kindAt(after)
  if (kind === greater || kind === shiftRight) return p.inAngles
  return kind === eofKind || afterAngles.has(kind)
}

/** The index after the type that begins at `index`, or -1 where none does. What is in brackets is not looked at. */
export function afterType(p: Cursor, index: number): number {
  let i = index
  while (typeModifiers.has(p.wordAt(i))) i++
  if (p.wordAt(i) === 'functype') return afterFuncType(p, i + 1)
  if (/^(decltype|__(first|last|trimFirst|trimLast))$/.test(p.wordAt(i)) && p.kindAt(i + 1) === openParen) {
    i = p.afterBracket(i + 1)
    return afterSuffixes(p, i)
  }
  if (p.kindAt(i) === scope) i++
  for (;;) {
    if (p.kindAt(i) !== nameKind) return -1
    i++
    if (p.kindAt(i) === less) {
      i = afterGenericArgs(p, i)
      if (i < 0) return -1
    }
    const kind = p.kindAt(i)
    if (kind !== dot && kind !== scope) break
    i++
    if (isUnfinished(p, index, i)) return -1
  }
  return afterSuffixes(p, i)
}

/** Whether a dot ends its line because its name is not written yet: a declaration begins the next line, or a variable stands before the dot. */
function isUnfinished(p: Cursor, first: number, i: number): boolean {
  if ((p.tokens.flags[i]! & lineFlag) === 0) return false
  if (statementWords.has(p.wordAt(i))) return true
  return p.kindAt(i + 1) === nameKind && (builtinType.test(p.wordAt(i)) || p.locals.has(p.wordAt(first)))
}

function afterSuffixes(p: Cursor, index: number): number {
  let i = index
  for (;;) {
    const kind = p.kindAt(i)
    if (kind === star || (kind === question && isOptionalSuffix(p, i))) i++
    else if (kind === openBracket) {
      const match = p.tokens.matches[i]!
      if (match < 0) return -1
      i = match + 1
    } else return i
  }
}

/** Whether the `?` at `index`, after a type, belongs to it: what follows is no operand of a conditional expression. */
export function isOptionalSuffix(p: Cursor, index: number): boolean {
  const next = p.kindAt(index + 1)
  return afterOptional.has(next) || (next === nameKind && afterOptionalName.has(p.kindAt(index + 2)))
}

function afterFuncType(p: Cursor, index: number): number {
  if (p.kindAt(index) !== openParen) return -1
  const close = p.tokens.matches[index]!
  return close < 0 || !p.isAt(close + 1, '->') ? -1 : afterType(p, close + 2)
}

const builtinType =
  /^(bool|u?int|float|half|double|u?int(8|16|32|64)_t|float(16|32|64)_t)([1-4](x[1-4])?)?$|^(vector|matrix|Array)$/

/** Whether a name surely is a type. */
export function isTypeName(p: Cursor, name: string): boolean {
  return builtinType.test(name) || p.types.has(name) || p.typeParams.has(name)
}

/** The names that the tokens declare as types anywhere. */
export function declaredTypes(words: (index: number) => string, count: number): Set<string> {
  const types = new Set<string>()
  for (let i = 0; i + 1 < count; i++) {
    switch (words(i)) {
      case 'struct':
      case 'enum':
      case 'interface':
      case 'class':
      case 'typealias':
      case 'associatedtype': {
        const name = words(i + 1) === 'class' ? words(i + 2) : words(i + 1)
        if (name !== '') types.add(name)
        break
      }
      case 'typedef': {
        let end = i + 1
        while (end + 1 < count && end < i + 100 && (words(end) === '' || words(end + 1) !== '')) end++
        const name = words(end)
        if (name !== '') types.add(name)
        break
      }
      default:
    }
  }
  return types
}
