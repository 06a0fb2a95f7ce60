/** Diagnostics as text for people and as JSON for tools. */
import type { Diagnostic, Note, Severity } from './diag.ts'
import { escapeLine } from './escape.ts'
import type { Span } from './source.ts'

/** How diagnostics become text. */
export interface RenderOptions {
  /** Whether to use ANSI escapes for colour. Default: false. */
  readonly color?: boolean
}

const maxWidth = 140
const codes: Readonly<Record<Severity | 'help' | 'place' | 'caret', string>> = {
  error: '1;31',
  warning: '1;33',
  note: '1;36',
  help: '1;32',
  place: '1',
  caret: '1;32',
}

/**
 * `FILE:LINE:COL: error E01234: message`, the source line with a caret, then notes and help. Ends with a line end. Control characters of the
 * program and of its file's name are shown as `<U+001B>`, so that they do nothing to a terminal.
 */
export function renderDiagnostic(diagnostic: Diagnostic, options: RenderOptions = {}): string {
  const paint = painter(options)
  const kind = paint(diagnostic.severity, `${diagnostic.severity} ${diagnostic.code}:`)
  const head = `${positionOf(diagnostic.span, paint)}${kind} ${escapeLine(diagnostic.message)}\n`
  const notes = diagnostic.notes.map(note => renderNote(note, paint)).join('')
  const help = diagnostic.help === undefined ? '' : `  ${paint('help', 'help:')} ${escapeLine(diagnostic.help)}\n`
  return `${head}${excerpt(diagnostic.span, paint)}${notes}${help}`
}

/** All of them, each with a line end. */
export function renderDiagnostics(list: readonly Diagnostic[], options: RenderOptions = {}): string {
  return list.map(d => renderDiagnostic(d, options)).join('')
}

/** A span as tools read it; lines and columns count from 1, the end column is the one after the last. */
export interface JsonRange {
  readonly file: string
  readonly line: number
  readonly column: number
  readonly endLine: number
  readonly endColumn: number
}

/** A diagnostic as plain data. Lines and columns count from 1, and the end is the column after the last; without a place it has none of them. */
export interface JsonDiagnostic extends Partial<JsonRange> {
  readonly severity: Severity
  readonly code: string
  readonly message: string
  readonly help?: string
  readonly notes?: readonly (Partial<JsonRange> & { readonly message: string })[]
}

/** A diagnostic as a plain object, with its texts as they are: `safeJson` makes JSON of it that may be shown on a terminal. */
export function diagnosticJson(diagnostic: Diagnostic): JsonDiagnostic {
  const { severity, code, message, help, notes } = diagnostic
  return {
    severity,
    code,
    message,
    ...jsonRange(diagnostic.span),
    ...(help === undefined ? {} : { help }),
    ...(notes.length === 0 ? {} : { notes: notes.map(n => ({ message: n.text, ...jsonRange(n.span) })) }),
  }
}

function jsonRange(span: Span | undefined): Partial<JsonRange> {
  if (span === undefined) return {}
  const start = span.file.position(span.start)
  const end = span.file.position(span.end)
  const { position } = span
  return { ...position, endLine: end.line + position.line - start.line, endColumn: end.column }
}

type Paint = (style: keyof typeof codes, text: string) => string

function painter(options: RenderOptions): Paint {
  return options.color === true ? (style, text) => `\x1b[${codes[style]}m${text}\x1b[0m` : (_, text) => text
}

function positionOf(span: Span | undefined, paint: Paint): string {
  if (span === undefined) return ''
  const { file, line, column } = span.position
  return paint('place', `${escapeLine(file)}:${line}:${column}: `)
}

function renderNote(note: Note, paint: Paint): string {
  return `${positionOf(note.span, paint)}${paint('note', 'note:')} ${escapeLine(note.text)}\n${excerpt(note.span, paint)}`
}

/** The line that a span begins in, and carets under it; '' where there is nothing to show. */
export function frameOf(span: Span | undefined): string {
  return excerpt(span, painter({})).trimEnd()
}

/** The line that the span begins in, and carets under it. A long line is cut around the caret. */
function excerpt(span: Span | undefined, paint: Paint): string {
  if (span === undefined) return ''
  const { line, column } = span.file.position(span.start)
  const whole = span.file.line(line)
  if (whole.trim() === '') return ''
  const from = column - 1 < maxWidth - 20 ? 0 : column - 1 - maxWidth / 2
  const text = whole.slice(from, from + maxWidth)
  const at = column - 1 - from
  // Tabs stay tabs, so that the caret stands under its character; what is escaped takes more columns than it has characters.
  const indent = escapeLine(text.slice(0, at)).replace(/[^\t]/g, ' ')
  const marked = text.slice(at, at + Math.max(span.end - span.start, 1))
  const length = Math.max(1, escapeLine(marked).length)
  return `  ${escapeLine(text)}\n  ${indent}${paint('caret', `^${'~'.repeat(length - 1)}`)}\n`
}
