/** Diagnostics in the forms that bundlers take. */
import { resolve } from 'node:path'
import type { PartialMessage, PartialNote } from 'esbuild'
import type { Diagnostic, Note } from '../base/diag.ts'
import { frameOf, renderDiagnostic } from '../base/render.ts'
import type { Span } from '../base/source.ts'

/** What a hook of a bundler can say. Rollup's `error` throws; that of webpack does not. */
export interface Reporter {
  readonly meta?: { readonly rolldownVersion?: string } | undefined
  error(message: RollupMessage | PlainMessage): void
  warn(message: RollupMessage | PlainMessage): void
  addWatchFile(file: string): void
}

/** A message of Rollup, Rolldown and Vite. */
export interface RollupMessage {
  readonly message: string
  readonly pluginCode: string
  /** The file that holds the mistake, which may be one that the shader imports: bundlers write it in front of the place. */
  readonly id: string
  readonly loc?: { readonly file: string; readonly line: number; readonly column: number }
  readonly frame: string
  /** What Vite shows behind the message. There is no call to trace. */
  readonly stack: string
}

/** What follows the first line of a diagnostic, each in a line. */
function remarks({ notes, help }: Diagnostic): string[] {
  return [
    ...notes.map(({ text, span }) => `note: ${text}${span === undefined ? '' : ` (${placeOf(span)})`}`),
    ...(help === undefined ? [] : [`help: ${help}`]),
  ]
}

function placeOf(span: Span): string {
  const { file, line, column } = span.position
  return `${file}:${line}:${column}`
}

/**
 * A diagnostic as a message, with others in its text: the bundler stops at the first error. One without a place is about `request`. Columns
 * count from `firstColumn`: Rollup counts from 0, and Vite hands them to an editor, which counts from 1.
 */
export function rollupMessage(
  first: Diagnostic,
  others: readonly Diagnostic[],
  request: string,
  root: string,
  firstColumn: 0 | 1,
): RollupMessage {
  const { code, message, span } = first
  const file = span === undefined ? request : resolve(root, span.position.file)
  const rest = others.map(d => renderDiagnostic(d).trimEnd())
  return {
    message: [`${code}: ${message}`, ...remarks(first), ...(rest.length === 0 ? [] : ['', ...rest])].join('\n'),
    pluginCode: code,
    id: file,
    ...(span === undefined
      ? {}
      : { loc: { file, line: span.position.line, column: span.position.column - 1 + firstColumn } }),
    frame: span === undefined ? '' : frameOf(span),
    stack: '',
  }
}

const bytes = new TextEncoder()

/** A place in a file, as esbuild counts: columns and lengths in bytes, from 0. */
function esbuildPlace(span: Span | undefined): NonNullable<PartialMessage['location']> | null {
  if (span === undefined) return null
  const { line, column } = span.file.position(span.start)
  const lineText = span.file.line(line)
  const { length } = bytes.encode(span.file.text.slice(span.start, span.end).split('\n', 1)[0])
  const { file, line: presumed } = span.position
  return { file, line: presumed, column: bytes.encode(lineText.slice(0, column - 1)).length, length, lineText }
}

/** A diagnostic as esbuild shows it, with notes and help. */
export function esbuildMessage({ code, message, span, notes, help }: Diagnostic): PartialMessage {
  const told = (n: Pick<Note, 'text' | 'span'>): PartialNote => ({ text: n.text, location: esbuildPlace(n.span) })
  return {
    id: code,
    text: `${code}: ${message}`,
    location: esbuildPlace(span),
    notes: [...notes.map(told), ...(help === undefined ? [] : [told({ text: `help: ${help}`, span: undefined })])],
  }
}

/** A message that is text alone. Without a stack of its own, it would be shown once more with that of the plugin. */
export interface PlainMessage {
  readonly message: string
  readonly id: string
  readonly stack: string
}

/** What is wrong with a file, but has no place in it. */
export function plainMessage(message: string, id: string): PlainMessage {
  return { message, id, stack: '' }
}

/** A diagnostic as text, for bundlers that show nothing else. */
export function textMessage(diagnostic: Diagnostic, request: string): PlainMessage {
  return plainMessage(renderDiagnostic(diagnostic).trimEnd(), request)
}
