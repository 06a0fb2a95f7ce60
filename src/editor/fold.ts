/** The parts of a document that an editor can fold: bodies and lists in brackets, comments, conditions of the preprocessor, imports. */
import type { SourceFile } from '../base/source.ts'
import { lineFlag, nameKind, punctuatorText } from '../syntax/token.ts'
import { commentsOf } from './comments.ts'
import { tokensOf } from './lexed.ts'

/** Lines that fold, counted from 0. The first stays visible. */
export interface FoldingRange {
  readonly startLine: number
  readonly endLine: number
  readonly kind?: 'comment' | 'imports' | 'region'
}

const closers: Readonly<Record<string, string>> = { '{': '}', '(': ')', '[': ']' }

export function foldingRanges(file: SourceFile): readonly FoldingRange[] {
  const found: FoldingRange[] = []
  const lineOf = (offset: number): number => file.position(offset).line - 1
  const add = (startLine: number, endLine: number, kind?: FoldingRange['kind']): void => {
    if (endLine > startLine) found.push({ startLine, endLine, ...(kind === undefined ? {} : { kind }) })
  }
  brackets(file, lineOf, add)
  conditions(file, lineOf, add)
  for (const { start, end } of blocksOfComments(file, lineOf)) add(start, end, 'comment')
  for (const { start, end } of blocksOfImports(file, lineOf)) add(start, end, 'imports')
  // Of what begins on one line the longest folds.
  const longest = new Map<number, FoldingRange>()
  for (const range of found) {
    const other = longest.get(range.startLine)
    if (other === undefined || other.endLine < range.endLine) longest.set(range.startLine, range)
  }
  return [...longest.values()].toSorted((a, b) => a.startLine - b.startLine)
}

type LineOf = (offset: number) => number
type Add = (startLine: number, endLine: number, kind?: FoldingRange['kind']) => void

function brackets(file: SourceFile, lineOf: LineOf, add: Add): void {
  const raw = tokensOf(file)
  const open: { readonly text: string; readonly line: number }[] = []
  for (let i = 0; i < raw.count; i++) {
    const text = punctuatorText(raw.kinds[i]!) ?? ''
    if (text in closers) open.push({ text, line: lineOf(raw.starts[i]!) })
    else if (text === '}' || text === ')' || text === ']') {
      // What is not closed does not fold.
      const at = open.findLastIndex(o => closers[o.text] === text)
      if (at < 0) continue
      // The line of the closing bracket stays visible.
      add(open[at]!.line, lineOf(raw.starts[i]!) - 1)
      open.length = at
    }
  }
}

function conditions(file: SourceFile, lineOf: LineOf, add: Add): void {
  const open: number[] = []
  for (const m of file.text.matchAll(/^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b/gm)) {
    const line = lineOf(m.index)
    const word = m[1]!
    if (word.startsWith('if')) open.push(line)
    else {
      const start = open.pop()
      if (start === undefined) continue
      add(start, word === 'endif' ? line : line - 1, 'region')
      if (word !== 'endif') open.push(line)
    }
  }
}

interface Lines {
  readonly start: number
  readonly end: number
}

/** Comments of several lines; lines of `//` one after the other are one. */
function blocksOfComments(file: SourceFile, lineOf: LineOf): readonly Lines[] {
  const found: Lines[] = []
  for (const { start, end } of commentsOf(file)) {
    const lines = { start: lineOf(start), end: lineOf(Math.max(start, end - 1)) }
    const before = found.at(-1)
    const isLine = file.text.startsWith('//', start)
    // Only a comment that has its line to itself goes on with the one before.
    const isAlone = /^[ \t]*$/.test(file.text.slice(file.lineStarts[lines.start], start))
    if (before !== undefined && isLine && isAlone && before.end === lines.start - 1)
      found[found.length - 1] = { ...before, end: lines.end }
    else if (isAlone) found.push(lines)
  }
  return found
}

/** Imports and includes one after the other. */
function blocksOfImports(file: SourceFile, lineOf: LineOf): readonly Lines[] {
  const found: Lines[] = []
  const raw = tokensOf(file)
  for (let i = 0; i < raw.count; i++) {
    if ((raw.flags[i]! & lineFlag) === 0) continue
    const at = punctuatorText(raw.kinds[i]!) === '#' ? i + 1 : i
    const word = raw.kinds[at] === nameKind ? file.text.slice(raw.starts[at], raw.ends[at]) : ''
    if (!/^(?:import|__import|__include|include|using|__exported)$/.test(word)) continue
    const line = lineOf(raw.starts[i]!)
    const before = found.at(-1)
    if (before !== undefined && /^\s*$/.test(file.line(line)) && before.end === line - 2)
      found[found.length - 1] = { ...before, end: line }
    else if (before !== undefined && before.end === line - 1) found[found.length - 1] = { ...before, end: line }
    else found.push({ start: line, end: line })
  }
  return found
}
