/**
 * Formats Slang. Only white space changes: the tokens and comments of a text stay, and so does their order. What the parser does not understand
 * stays as it is.
 *
 * The way is: tokens and what lies between them (`tokens.ts`), the parsed tree, what tokens mean (`roles.ts`), a document with places where
 * lines may break (`declaration.ts`, `statement.ts`, `inline.ts`), and its layout (`layout.ts`).
 */
import { InternalError, Sink } from '../base/diag.ts'
import { SourceFile } from '../base/source.ts'
import { lex } from '../syntax/lex.ts'
import { parseTokens } from '../syntax/parse.ts'
import { badKind, lineFlag, punctuatorText, type RawTokens } from '../syntax/token.ts'
import { Cx, type Place } from './context.ts'
import { declarations } from './declaration.ts'
import { concat, hard } from './doc.ts'
import { whiteSpaceEdits, type TextEdit } from './edits.ts'
import { Printer } from './layout.ts'
import { ended, type Typed } from './on-type.ts'
import { completed, type FormatOptions, type Options } from './options.ts'
import { Roles } from './roles.ts'
import { Tokens, type Extent } from './tokens.ts'

export type { TextEdit } from './edits.ts'
export type { Typed } from './on-type.ts'
export type { FormatOptions } from './options.ts'
export type { Extent } from './tokens.ts'

/** A formatted text, and the edits that make it of the one that was given: as few and as small as can be. */
export interface Formatted {
  readonly text: string
  readonly edits: readonly TextEdit[]
}

/** Says that nothing was formatted, because the formatter has a fault: it would have changed more than white space. */
export interface Refusal {
  readonly refused: InternalError
}

/** Formats a text. */
export function format(text: string, options: FormatOptions = {}): Formatted | Refusal {
  const file = new SourceFile('', text)
  const sink = new Sink()
  try {
    const formatted = print(file, sink, completed(options))
    const edits = whiteSpaceEdits(text, formatted)
    compareTokens(text, formatted)
    return { text: formatted, edits }
  } catch (error) {
    if (!(error instanceof InternalError)) throw error
    // A text that does not parse may stand in no form that keeps its tokens: a `#` in the middle of a line begins a directive on the next.
    return sink.errors > 0 ? { text, edits: [] } : { refused: error }
  }
}

/** The edits of `format` that touch one of some parts of the text. */
export function formatRanges(
  text: string,
  ranges: readonly Extent[],
  options: FormatOptions = {},
): readonly TextEdit[] | Refusal {
  const formatted = format(text, options)
  if ('refused' in formatted) return formatted
  return formatted.edits.filter(e => ranges.some(({ start, end }) => e.start <= end && e.end >= start))
}

/**
 * The edits of `format` inside what a character ends that was just typed: a `}`, a `;` or a new line. None of them reaches behind the `offset` of the
 * cursor, nor into the line that a new line begins.
 */
export function formatTyped(
  text: string,
  offset: number,
  typed: Typed,
  options: FormatOptions = {},
): readonly TextEdit[] | Refusal {
  const part = ended(new SourceFile('', text), offset, typed)
  if (part === undefined) return []
  const formatted = format(text, options)
  if ('refused' in formatted) return formatted
  return formatted.edits.filter(({ start, end }) => start >= part.start && start < part.end && end <= part.end)
}

function print(file: SourceFile, sink: Sink, options: Options): string {
  const tokens = new Tokens(file, options.tabSize)
  const { decls } = parseTokens(tokens.stream, sink)
  for (const { severity, span } of sink.list)
    if (severity === 'error' && span !== undefined) tokens.faults.push(span.start)
  const roles = new Roles(tokens)
  const braces = options.braces === 'file' ? bracesOf(tokens) : options.braces
  const cx = new Cx(tokens, roles, options, braces)
  const eol = endOfMostLines(file.text)
  const printer = new Printer(options, eol)
  let place: Place = 'first'
  // One declaration at a time, so that the document of a long file need not be kept.
  for (const { first, doc, frozen } of declarations(cx, decls, 0, tokens.count - 1)) {
    printer.print(cx.gap(first, hard, place, frozen))
    printer.print(doc)
    place = 'between'
  }
  const { comments, then } = cx.split(tokens.count, '', 'last')
  printer.print(concat(comments))
  if (tokens.off(tokens.count) === 'all') printer.print(then)
  return withEnds(tokens, printer.text(), options, eol)
}

/** Where most braces of the file's bodies stand. */
function bracesOf(tokens: Tokens): 'own-line' | 'same-line' {
  let own = 0
  let same = 0
  for (let i = 1; i < tokens.count; i++) {
    const close = tokens.match(i)
    if (punctuatorText(tokens.kind(i)) !== '{' || close <= i + 1 || tokens.onOneLine(i, close)) continue
    // A list of values, a block in a block or behind a label, and a brace whose place a comment or a long head decides.
    if (
      /^(?:[=,({[;}:]|return)$/.test(tokens.text(i - 1)) ||
      tokens.pieces(i).length > 0 ||
      tokens.off(i) !== undefined
    )
      continue
    if (/^(?:where|:)$/.test(tokens.text(tokens.firstOfLine(i - 1)))) continue
    if (tokens.onNewLine(i)) own++
    else same++
  }
  return same > own ? 'same-line' : 'own-line'
}

/** How most lines end: the first may be one that goes. */
function endOfMostLines(text: string): string {
  const counts = { '\n': 0, '\r\n': 0, '\r': 0 }
  for (const [end] of text.matchAll(/\r\n?|\n/g)) counts[end as keyof typeof counts]++
  const most = Math.max(...Object.values(counts))
  return counts['\n'] === most ? '\n' : counts['\r\n'] === most ? '\r\n' : '\r'
}

/** The text with a byte order mark if the file has one, and with the end that the options ask for. */
function withEnds(tokens: Tokens, printed: string, options: Options, eol: string): string {
  const { text } = tokens.file
  const mark = text.charCodeAt(0) === 0xfeff ? '\ufeff' : ''
  if (tokens.off(tokens.count) === 'all') return mark + printed
  const isEnded = options.insertFinalNewline || /[\r\n]\s*$/.test(text)
  // Behind a backslash the end of a line would be none.
  return mark + printed + (isEnded && /[^\r\n\\]$/.test(printed) ? eol : '')
}

/** Throws unless two texts have the same tokens, and the same of them in directives. */
function compareTokens(before: string, after: string): void {
  const [a, b] = [before, after].map(text => ({ text, raw: lex(new SourceFile('', text)) }))
  const fail = (at: number): never => {
    throw new InternalError('format', `the token at ${at} changed`)
  }
  const [marksA, marksB] = [inDirectives(a!.raw), inDirectives(b!.raw)]
  const { kinds, starts, ends, count } = a!.raw
  for (let i = 0; i < count; i++) {
    const [was, is] = [before.slice(starts[i], ends[i]), after.slice(b!.raw.starts[i], b!.raw.ends[i])]
    // A literal that does not end goes on to the end of its line.
    const isSameText = was === is || (kinds[i] === badKind && was.trimEnd() === is.trimEnd())
    if (!isSameText || kinds[i] !== b!.raw.kinds[i] || marksA[i] !== marksB[i]) fail(starts[i]!)
  }
  if (count !== b!.raw.count) fail(before.length)
}

/** By token: 1 if it stands in a directive, 2 if it begins one. */
function inDirectives({ kinds, flags, count }: RawTokens): Uint8Array {
  const marks = new Uint8Array(count)
  for (let i = 0; i < count; i++) {
    const isFirst = (flags[i]! & lineFlag) !== 0
    if (isFirst) marks[i] = punctuatorText(kinds[i]!) === '#' ? 2 : 0
    else marks[i] = i > 0 && marks[i - 1] !== 0 ? 1 : 0
  }
  return marks
}
