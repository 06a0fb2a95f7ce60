/** The quick fixes of a program: the edits that its diagnostics speak of. */
import type { Diagnostic, Entry } from '../../base/diag.ts'
import type { Analysis } from '../analysis.ts'
import { lowered } from '../lowering.ts'
import { rangeOf, spanOf, type Range, type TextEdit } from '../range.ts'
import { derivativeFixes } from './derivative.ts'
import { Mistake, type Edit, type Remedy, type Row } from './fix.ts'
import { genericsFixes } from './generics.ts'
import { lowerFixes } from './lower.ts'
import type { OtherModules } from './modules.ts'
import { namesFixes } from './names.ts'
import { syntaxFixes } from './syntax.ts'
import { typesFixes } from './types.ts'

/** A change of one file. */
export interface FileEdit extends TextEdit {
  /** The name of the file. */
  readonly file: string
}

/** One way to mend a mistake. */
export interface QuickFix {
  readonly title: string
  readonly kind: 'quickfix'
  /** Whether it is what the author most likely wants. */
  readonly isPreferred: boolean
  readonly edits: readonly FileEdit[]
  /** The diagnostic that it mends. */
  readonly diagnostic: Diagnostic
}

/** Every kind of mistake that has fixes. */
export const fixes: readonly Row[] = [
  ...syntaxFixes,
  ...namesFixes,
  ...typesFixes,
  ...genericsFixes,
  ...derivativeFixes,
  ...lowerFixes,
]

const byEntry: ReadonlyMap<Entry, readonly Remedy<string>[]> = new Map(fixes.map(f => [f.entry, f.remedies]))

/** The fixes of a diagnostic, the likeliest first. */
export function fixesOf(analysis: Analysis, diagnostic: Diagnostic, modules?: OtherModules): readonly QuickFix[] {
  const { entry, span } = diagnostic
  const remedies = entry && byEntry.get(entry)
  if (remedies === undefined || span === undefined || span.file.isCore) return []
  const at = new Mistake(analysis, diagnostic, span, modules)
  return remedies.flatMap((remedy): QuickFix[] => {
    const found = remedy.find === undefined ? {} : remedy.find(at)
    const edits = found && remedy.edit(at, found)
    if (found === undefined || edits === undefined || edits.length === 0) return []
    return [
      {
        title: titleOf(remedy, { ...diagnostic.given, ...found }),
        kind: 'quickfix',
        isPreferred: remedy.isPreferred === true,
        edits: edits.map(fileEdit),
        diagnostic,
      },
    ]
  })
}

/** All that an editor shows of a program: what checking found, and what compiling found where that has been done. */
function shown(analysis: Analysis): readonly Diagnostic[] {
  return [...analysis.diagnostics, ...lowered(analysis)]
}

/**
 * The fixes of the diagnostics that touch a range of a file; of some diagnostics, where they are not those that an editor shows. Some fixes name
 * `modules` that the program does not import yet.
 */
export function quickFixes(
  analysis: Analysis,
  file: string,
  range: Range,
  diagnostics: readonly Diagnostic[] = shown(analysis),
  modules?: OtherModules,
): readonly QuickFix[] {
  const source = analysis.file(file)
  if (source === undefined) return []
  const asked = spanOf(source, range)
  return diagnostics
    .filter(({ span }) => span?.file === source && span.start <= asked.end && asked.start <= span.end)
    .flatMap(d => fixesOf(analysis, d, modules))
}

/**
 * The preferred fixes of all mistakes in a file, as one change: of one code, or of all. Where two want to change the same text, the first does; the
 * other mistake stays for another time.
 */
export function fixAll(analysis: Analysis, file: string, code?: string): readonly FileEdit[] {
  const taken: FileEdit[] = []
  for (const d of shown(analysis)) {
    if (d.span?.file.name !== file || (code !== undefined && d.code !== code)) continue
    const edits = fixesOf(analysis, d).find(f => f.isPreferred)?.edits ?? []
    const fresh = edits.filter(e => !taken.some(t => isSame(t, e)))
    if (!fresh.some(e => taken.some(t => meet(t, e)))) taken.push(...fresh)
  }
  return taken
}

function isSame(a: FileEdit, b: FileEdit): boolean {
  return a.file === b.file && a.newText === b.newText && JSON.stringify(a.range) === JSON.stringify(b.range)
}

/** Whether two edits change the same text; at one place, which comes first would matter. */
function meet(a: FileEdit, b: FileEdit): boolean {
  if (a.file !== b.file) return false
  const isBefore = (x: Range['start'], y: Range['start']): boolean =>
    x.line < y.line || (x.line === y.line && x.character < y.character)
  return !isBefore(a.range.end, b.range.start) && !isBefore(b.range.end, a.range.start)
}

function fileEdit({ span, text }: Edit): FileEdit {
  return { file: span.file.name, range: rangeOf(span), newText: text }
}

/** The parts of the help that a remedy does, or its own title. */
export function wordsOf(remedy: Remedy<string>): string {
  if (remedy.title !== undefined) return remedy.title
  const words = typeof remedy.does === 'string' ? remedy.does : remedy.does.join(' ')
  return remedy.with === undefined ? words : `${words}: ${remedy.with}`
}

function titleOf(remedy: Remedy<string>, values: Readonly<Record<string, string | number>>): string {
  const words = wordsOf(remedy).replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
  return words.charAt(0).toUpperCase() + words.slice(1)
}
