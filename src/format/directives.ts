/**
 * Directives, and what stands between them. The formatter expands no macros and decides no conditions: it reads all branches of a conditional
 * as if they followed one another. A branch that cannot be read so is left as it is: one under `#if 0`, one with characters that are no
 * tokens, and all but the first where brackets open in one branch and close behind it.
 */
import type { SourceFile } from '../base/source.ts'
import { endOfBlockComment, endOfLineComment } from '../syntax/lex.ts'
import { badKind, lineFlag, punctuatorKind, punctuatorText, type RawTokens } from '../syntax/token.ts'

/** A part of the text that is no code: a directive, or a branch that is left as it is. */
export interface Skipped {
  readonly kind: 'directive' | 'branch'
  /** Of a branch, the start of its first line. */
  readonly start: number
  readonly end: number
}

/** A directive among the tokens. */
interface Directive extends Skipped {
  readonly word: string
  /** Its tokens. */
  readonly first: number
  readonly after: number
}

interface Branch {
  readonly opening: Directive
  closing: Directive | undefined
}

const hash = punctuatorKind('#')
/** Branches of conditionals in more than so many others are not looked at. */
const deepest = 100

/** The directives and the branches that are left as they are, in order; `dropped` gets a 1 for each of their tokens. */
export function findSkipped(file: SourceFile, raw: RawTokens, dropped: Uint8Array): readonly Skipped[] {
  const found: Skipped[] = []
  const open: Branch[][] = []
  const last = raw.count - 1
  for (let i = 0; i < last; i++) {
    if (raw.kinds[i] !== hash || (raw.flags[i]! & lineFlag) === 0) continue
    const directive = readDirective(file, raw, i)
    dropped.fill(1, directive.first, directive.after)
    found.push(directive)
    i = directive.after - 1
    const branches = open.at(-1)
    switch (directive.word) {
      case 'if':
      case 'ifdef':
      case 'ifndef':
        open.push([{ opening: directive, closing: undefined }])
        break
      case 'elif':
      case 'elifdef':
      case 'elifndef':
      case 'else':
      case 'endif':
        if (branches === undefined) break
        branches.at(-1)!.closing = directive
        if (directive.word !== 'endif') branches.push({ opening: directive, closing: undefined })
        else if (open.length > deepest) open.pop()
        else for (const branch of unreadable(file, raw, dropped, open.pop()!)) found.push(drop(file, branch, dropped))
        break
      default:
    }
  }
  // A branch that is left as it is covers the directives in it.
  found.sort((a, b) => a.start - b.start || b.end - a.end)
  let end = -1
  return found.filter(({ start, end: own }) => {
    if (start < end) return false
    end = own
    return own > start
  })
}

/** The directive whose `#` is a token, with its comments. */
function readDirective(file: SourceFile, raw: RawTokens, first: number): Directive {
  let after = first + 1
  // The end of the file is a token too, and part of no directive.
  while (after < raw.count - 1 && (raw.flags[after]! & lineFlag) === 0) after++
  const { text } = file
  let end = raw.ends[after - 1]!
  // The lexer has no tokens for comments. One that begins on the line belongs to it.
  for (let i = end; i < text.length;) {
    const c = text[i]
    const next = text[i + 1]
    if (c === '/' && next === '/') i = end = endOfLineComment(text, i, text.length)
    else if (c === '/' && next === '*') {
      const close = endOfBlockComment(text, i, text.length)
      if (close === 0) break
      i = end = close
    } else if (c === '\\' && (next === '\n' || next === '\r')) i += text.startsWith('\r\n', i + 1) ? 3 : 2
    else if (c === '\n' || c === '\r') break
    else i++
  }
  const named = after > first + 1
  const word = named ? text.slice(raw.starts[first + 1], raw.ends[first + 1]) : ''
  return { kind: 'directive', start: raw.starts[first]!, end, word, first, after }
}

/** The branches of a conditional that are left as they are. */
function unreadable(
  file: SourceFile,
  raw: RawTokens,
  dropped: Uint8Array,
  branches: readonly Branch[],
): readonly Branch[] {
  const { starts, ends } = raw
  const isDead = ({ opening: { word, first, after } }: Branch): boolean =>
    (word === 'if' || word === 'elif') &&
    after === first + 3 &&
    file.text.slice(starts[first + 2], ends[first + 2]) === '0'
  const isBad = (branch: Branch): boolean => {
    for (let i = branch.opening.after; i < branch.closing!.first; i++)
      if (raw.kinds[i] === badKind && dropped[i] === 0) return true
    return false
  }
  const left = branches.filter(b => isDead(b) || isBad(b))
  const rest = branches.filter(b => !left.includes(b))
  return rest.every(b => isBalanced(raw, dropped, b)) ? left : [...left, ...rest.slice(1)]
}

/** Whether the brackets of a branch close in it. */
function isBalanced(raw: RawTokens, dropped: Uint8Array, { opening, closing }: Branch): boolean {
  const open: string[] = []
  for (let i = opening.after; i < closing!.first; i++) {
    if (dropped[i] !== 0) continue
    const text = punctuatorText(raw.kinds[i]!)
    if (text === '(' || text === '[' || text === '{') open.push(text)
    else if (text === ')' || text === ']' || text === '}') {
      if (open.pop() !== (text === ')' ? '(' : text === ']' ? '[' : '{')) return false
    }
  }
  return open.length === 0
}

function drop(file: SourceFile, { opening, closing }: Branch, dropped: Uint8Array): Skipped {
  dropped.fill(1, opening.after, closing!.first)
  const inside = file.text.slice(opening.end, closing!.start)
  const end = opening.end + inside.trimEnd().length
  const before = inside.slice(0, inside.length - inside.trimStart().length)
  const start = opening.end + Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1
  return { kind: 'branch', start: Math.min(start, end), end }
}
