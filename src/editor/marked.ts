/**
 * A program as if a name stood at the cursor, so that what is half written can be read: of `float y = p.` after the cursor nothing is known, and of
 * `float y = p.name; }` the parser and the checker know what `p` is. What follows the cursor in the same body is left out, since it may not fit.
 */
import type { SourceFile } from '../base/source.ts'
import type * as ast from '../syntax/ast.ts'
import { nameKind, punctuatorText } from '../syntax/token.ts'
import type { Analysis } from './analysis.ts'
import type { Surroundings } from './names.ts'
import type { Node } from './path.ts'
import { tokenBefore, tokensOf } from './lexed.ts'

/** The name that stands at the cursor. */
export const markName = 'cursor__'

/** A program with the mark. */
export interface Marked {
  readonly analysis: Analysis
  readonly file: SourceFile
  /** Where the mark begins: at the same place as in the program without it. */
  readonly offset: number
  /** The nodes around the mark, the outermost first. */
  readonly path: readonly Node[]
  /** From where names are looked up there. */
  readonly around: Surroundings
}

/** The body that an offset lies in: between its braces, or behind the first one if it has no other. */
export function bodyAt(analysis: Analysis, file: SourceFile, offset: number): ast.Block | undefined {
  let found: ast.Block | undefined
  for (const node of analysis.path(file, offset)) {
    if (node.kind !== 'func' && node.kind !== 'init' && node.kind !== 'accessor') continue
    const { body } = node
    if (body === undefined || body.span.file !== file || body.span.start >= offset) continue
    const isClosed = file.text[body.span.end - 1] === '}' && body.span.end - body.span.start > 1
    if (offset < body.span.end || (offset === body.span.end && !isClosed)) found = body
  }
  return found
}

/** The last one of each program: completion and signature help ask for the same. */
const last = new WeakMap<Analysis, { readonly key: string; readonly made: Marked | undefined }>()

/**
 * The program with a mark in place of what stands between two offsets, a part of a name or nothing. Without a name for the mark only what
 * follows in the body is left out.
 */
export function marked(
  analysis: Analysis,
  file: SourceFile,
  start: number,
  end: number,
  name: string = markName,
): Marked | undefined {
  const key = `${start} ${end} ${name} ${file.name}`
  const known = last.get(analysis)
  if (known?.key === key) return known.made
  const made = mark(analysis, file, start, end, name)
  last.set(analysis, { key, made })
  return made
}

function mark(analysis: Analysis, file: SourceFile, start: number, end: number, name: string): Marked | undefined {
  const { text } = file
  const body = bodyAt(analysis, file, start)
  const made =
    body === undefined
      ? `${text.slice(0, start)}${name}${missing(file, start)}${text.slice(end)}`
      : `${text.slice(0, start)}${name}${closers(file, body.span.start, start)}${text.slice(body.span.end)}`
  const variant = analysis.variant(file.name, made)
  const own = variant.file(file.name)
  if (own === undefined) return undefined
  const path = variant.path(own, start)
  const inner = path.at(-1)
  const known = inner === undefined ? undefined : variant.names.known(inner as ast.Expr)
  return { analysis: variant, file: own, offset: start, path, around: known ?? variant.scope(own, start) }
}

const heads: ReadonlySet<string> = new Set(['for', 'if', 'while', 'switch'])
/** Before these a brace opens a list of values. */
const beforeList: ReadonlySet<string> = new Set(['=', ',', '(', 'return'])

/** A bracket that is open at the mark. */
interface Open {
  readonly bracket: string
  readonly before: string
  semicolons: number
}

/** What closes all that is open between the start of a body and the mark. */
function closers(file: SourceFile, start: number, end: number): string {
  const raw = tokensOf(file)
  const stack: Open[] = []
  let before = ''
  let isCase = false
  for (let i = tokenBefore(raw, start) + 1; i < raw.count && raw.starts[i]! < end; i++) {
    const token =
      raw.kinds[i] === nameKind ? file.text.slice(raw.starts[i], raw.ends[i]) : (punctuatorText(raw.kinds[i]!) ?? '0')
    if (token === '(' || token === '[' || token === '{') stack.push({ bracket: token, before, semicolons: 0 })
    else if (token === ')' || token === ']' || token === '}') {
      const opener = token === ')' ? '(' : token === ']' ? '[' : '{'
      const at = stack.findLastIndex(o => o.bracket === opener)
      // A brace ends what is open in it; a bracket without another one means nothing.
      if (at > 0 && (token === '}' || !stack.slice(at).some(o => o.bracket === '{'))) stack.length = at
    } else if (token === ';' && stack.length > 0) stack.at(-1)!.semicolons++
    if (token === 'case') isCase = true
    else if (token === ':' || token === ';') isCase = false
    before = token
  }
  let text = isCase && stack.at(-1)?.bracket === '{' ? ':' : ''
  for (const { bracket, before: head, semicolons } of stack.toReversed()) {
    if (bracket === '[') text += ']'
    else if (bracket === '(')
      text += heads.has(head) ? `${head === 'for' ? ';'.repeat(Math.max(0, 2 - semicolons)) : ''}) {}` : ')'
    else text += beforeList.has(head) ? '}' : ';}'
  }
  return text
}

/** The parentheses that an initial value outside of bodies lacks at its end. */
function missing(file: SourceFile, start: number): string {
  const raw = tokensOf(file)
  const text = (i: number): string | undefined => punctuatorText(raw.kinds[i]!)
  const isEnd = (i: number): boolean => i < 0 || i >= raw.count || text(i) === ';' || text(i) === '{' || text(i) === '}'
  const last = tokenBefore(raw, start)
  let depth = 0
  let open = 0
  for (let i = last; !isEnd(i); i--) {
    if (text(i) === ')') depth++
    else if (text(i) === '(' && depth-- === 0) {
      depth = 0
      open++
    }
  }
  for (let i = last + 1, inner = 0; !isEnd(i) && open > 0; i++) {
    if (text(i) === '(') inner++
    else if (text(i) === ')' && inner-- === 0) {
      inner = 0
      open--
    }
  }
  return ')'.repeat(open)
}
