/** Diagnostics on standard error. */
import type { Diagnostic } from '../base/diag.ts'
import { safeJson } from '../base/escape.ts'
import { diagnosticJson, renderDiagnostic } from '../base/render.ts'
import { wantsColor, wantsJson, warn } from './output.ts'

/** Writes diagnostics as text, or as one JSON object a line. */
export function report(list: readonly Diagnostic[]): void {
  const color = wantsColor(process.stderr)
  for (const d of list) warn(wantsJson() ? `${safeJson(diagnosticJson(d))}\n` : renderDiagnostic(d, { color }))
}
