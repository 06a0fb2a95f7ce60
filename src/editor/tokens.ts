/** What each word of a document is, for an editor that colours it by its meaning. */
import type { SourceFile } from '../base/source.ts'
import { builtinType } from '../check/model/builtin.ts'
import { charKind, floatKind, intKind, lineFlag, nameKind, punctuatorText, stringKind } from '../syntax/token.ts'
import type { Analysis } from './analysis.ts'
import { commentsOf } from './comments.ts'
import { tokensOf } from './lexed.ts'
import { eachNode } from './path.ts'
import { offsetOf, type Range } from './range.ts'
import { targetKinds, targetModifiers, type TargetKind, type TargetModifier } from './target.ts'
import { pathOf } from './uri.ts'
import { keywords } from './words.ts'
import type { Workspace } from './workspace.ts'

/** The types of tokens; a token names one by its number here. */
export type TokenType = TargetKind | 'keyword' | 'comment' | 'number' | 'string' | 'decorator'
export const tokenTypes: readonly TokenType[] = [...targetKinds, 'keyword', 'comment', 'number', 'string', 'decorator']

/** Modifiers of tokens; a token has a bit for each. */
export const tokenModifiers: readonly TargetModifier[] = targetModifiers

/** Tokens as the protocol has them: five numbers each, relative to the one before. */
export interface SemanticTokens {
  readonly data: readonly number[]
}

/** What to put in place of some numbers of an older answer. */
export interface SemanticTokensEdit {
  readonly start: number
  readonly deleteCount: number
  readonly data: readonly number[]
}

interface Token {
  readonly start: number
  readonly end: number
  readonly type: TokenType
  readonly modifiers: readonly TargetModifier[]
}

const types = new Map(tokenTypes.map((type, i) => [type, i]))
const bits = new Map(tokenModifiers.map((modifier, i) => [modifier, 1 << i]))

/** The tokens of a document, or of a range of it. */
export function semanticTokens(workspace: Workspace, uri: string, range?: Range): SemanticTokens {
  const analysis = workspace.analysis(uri)
  const file = analysis?.file(pathOf(uri))
  if (analysis === undefined || file === undefined) return { data: [] }
  const [from, to] = range === undefined ? [0, Infinity] : [offsetOf(file, range.start), offsetOf(file, range.end)]
  const tokens = [...words(analysis, file), ...comments(file)]
  return encoded(
    file,
    tokens.filter(t => t.end > from && t.start < to).toSorted((a, b) => a.start - b.start),
  )
}

/** The edits that make one answer of another. */
export function tokenEdits(before: readonly number[], after: readonly number[]): readonly SemanticTokensEdit[] {
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start] === after[start]) start++
  if (start === before.length && start === after.length) return []
  let behind = 0
  while (behind < shorter - start && before[before.length - 1 - behind] === after[after.length - 1 - behind]) behind++
  return [{ start, deleteCount: before.length - start - behind, data: after.slice(start, after.length - behind) }]
}

function encoded(file: SourceFile, tokens: readonly Token[]): SemanticTokens {
  const data: number[] = []
  const { lineStarts } = file
  let line = 0
  let lastLine = 0
  let lastStart = 0
  for (const { start, end, type, modifiers } of tokens) {
    while (line + 1 < lineStarts.length && lineStarts[line + 1]! <= start) line++
    const column = start - lineStarts[line]!
    const flags = modifiers.reduce((sum, m) => sum | bits.get(m)!, 0)
    data.push(line - lastLine, line === lastLine ? column - lastStart : column, end - start, types.get(type)!, flags)
    lastLine = line
    lastStart = column
  }
  return { data }
}

function words(analysis: Analysis, file: SourceFile): readonly Token[] {
  const named = new Map(analysis.named(file.name).map(n => [n.start, n]))
  const macros = new Map(
    analysis.names.macros.filter(m => m.span.file === file).map(({ span, macro }) => [span.start, macro]),
  )
  const attributes = attributeNames(analysis, file)
  const found: Token[] = []
  const raw = tokensOf(file)
  let inDirective = false
  for (let i = 0; i < raw.count; i++) {
    const start = raw.starts[i]!
    const end = raw.ends[i]!
    const beginsLine = (raw.flags[i]! & lineFlag) !== 0
    const isHash = punctuatorText(raw.kinds[i]!) === '#'
    if (beginsLine) inDirective = isHash
    const add = (type: TokenType, ...modifiers: TargetModifier[]): void => {
      found.push({ start, end, type, modifiers })
    }
    switch (raw.kinds[i]) {
      case intKind:
      case floatKind:
        add('number')
        continue
      case stringKind:
      case charKind:
        add('string')
        continue
      case nameKind:
        break
      default:
        if (isHash && beginsLine) add('keyword')
        continue
    }
    const name = named.get(start)
    const macro = macros.get(start)
    const before = i > 0 ? punctuatorText(raw.kinds[i - 1]!) : undefined
    const text = file.text.slice(start, end)
    if (macro !== undefined)
      add('macro', ...(macro.span?.file === file && macro.span.start === start ? (['declaration'] as const) : []))
    else if (name !== undefined) {
      const { target } = name
      const isOwn = analysis.keyOf(target) === `${file.name}:${start}`
      add(target.kind, ...(isOwn ? (['declaration'] as const) : []), ...target.modifiers)
    } else if (attributes.has(start)) add('decorator')
    else if (inDirective && before === '#') add('keyword')
    else if (before === '.') add('property')
    else if (builtinType(text) !== null) add('type', 'defaultLibrary')
    else if (keywords.has(text)) add('keyword')
  }
  return found
}

/** Where the names of attributes begin. */
function attributeNames(analysis: Analysis, file: SourceFile): ReadonlySet<number> {
  const found = new Set<number>()
  const own = analysis.tree(file)
  for (const tree of own === undefined ? analysis.names.trees.values() : [own])
    eachNode(tree, node => {
      if (node.kind === 'attribute' && node.nameSpan.file === file) found.add(node.nameSpan.start)
    })
  return found
}

/** Comments, line by line: not all editors take a token of several lines. */
function comments(file: SourceFile): readonly Token[] {
  return commentsOf(file).flatMap(({ start, end }) => {
    const found: Token[] = []
    for (const m of file.text.slice(start, end).matchAll(/[^\r\n]+/g))
      found.push({ start: start + m.index, end: start + m.index + m[0].length, type: 'comment', modifiers: [] })
    return found
  })
}
