/** Diagnostics of the compiler as the protocol has them. */
import {
  DiagnosticSeverity,
  DiagnosticTag,
  type ClientCapabilities,
  type Diagnostic as Told,
  type DiagnosticRelatedInformation,
} from 'vscode-languageserver'
import type { Diagnostic, Note, Severity } from '../base/diag.ts'
import { deprecated } from '../base/errors/types.ts'
import type { Span } from '../base/source.ts'
import { rangeOf, type Location } from '../editor/range.ts'

const severities: Readonly<Record<Severity, DiagnosticSeverity>> = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  note: DiagnosticSeverity.Information,
}

const tags: Readonly<Record<string, DiagnosticTag>> = { [deprecated.code]: DiagnosticTag.Deprecated }

/** What a client can show of diagnostics. */
export interface Shown {
  /** Whether it shows other places that belong to one. */
  readonly related: boolean
  readonly tags: readonly DiagnosticTag[]
}

/** What a client says that it can show. */
export function shownBy({ textDocument }: ClientCapabilities): Shown {
  const { relatedInformation = false, tagSupport } = textDocument?.publishDiagnostics ?? textDocument?.diagnostic ?? {}
  return { related: relatedInformation, tags: tagSupport?.valueSet ?? [] }
}

const nowhere = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }

/** A diagnostic for a client. The help and the notes without a place become further lines of its message; so do all notes where the client knows no other places. */
export function told(diagnostic: Diagnostic, shown: Shown, locate: (span: Span) => Location): Told {
  const { code, severity, message, help, notes, span } = diagnostic
  const apart = shown.related ? notes.filter((n): n is Note & { span: Span } => n.span !== undefined) : []
  const lines = [
    message,
    ...notes.filter(n => !(apart as readonly Note[]).includes(n)).map(n => `note: ${n.text}${placeOf(n.span)}`),
    ...(help === undefined ? [] : [`help: ${help}`]),
  ]
  const related = apart.map((n): DiagnosticRelatedInformation => {
    const { uri, range } = locate(n.span)
    return { message: n.text, location: { uri, range } }
  })
  const tag = tags[code]
  return {
    range: span === undefined ? nowhere : rangeOf(span),
    severity: severities[severity],
    code,
    source: 'cotangent',
    message: lines.join('\n'),
    ...(related.length === 0 ? {} : { relatedInformation: related }),
    ...(tag !== undefined && shown.tags.includes(tag) ? { tags: [tag] } : {}),
  }
}

function placeOf(span: Span | undefined): string {
  if (span === undefined) return ''
  const { line, column } = span.file.position(span.start)
  return ` (${span.file.name}:${line}:${column})`
}
