/** Where else a name stands that means the same. */
import { Span } from '../base/source.ts'
import type { Decl } from '../check/model/decl.ts'
import { nameKind } from '../syntax/token.ts'
import type { Macro } from '../syntax/macro.ts'
import type { Analysis } from './analysis.ts'
import { tokensOf } from './lexed.ts'
import { meaningAt, type Meaning } from './meaning.ts'
import { rangeOf, type Location, type Position, type Range } from './range.ts'
import type { Workspace } from './workspace.ts'

/** One place where something is named. */
export interface Reference {
  readonly span: Span
  readonly isDeclaration: boolean
}

/** All places where what stands at a place is named, in the files of the workspace and in those that they import. */
export function references(
  workspace: Workspace,
  uri: string,
  position: Position,
  { includeDeclaration }: { readonly includeDeclaration: boolean },
): readonly Location[] {
  const place = workspace.at(uri, position)
  const meaning = place === undefined ? undefined : meaningAt(place)
  if (place === undefined || meaning === undefined) return []
  return referencesOf(workspace, place.analysis, meaning)
    .filter(r => includeDeclaration || !r.isDeclaration)
    .map(r => workspace.location(r.span))
}

/** The places in one file where what stands at a place is named. */
export function highlights(workspace: Workspace, uri: string, position: Position): readonly Range[] {
  const place = workspace.at(uri, position)
  const meaning = place === undefined ? undefined : meaningAt(place)
  if (place === undefined || meaning === undefined) return []
  const found = new References()
  collect(found, place.analysis, meaning, keysOf(place.analysis, meaning))
  return found.list.filter(r => r.span.file.name === place.file.name).map(r => rangeOf(r.span))
}

/** All places where something is named. */
export function referencesOf(workspace: Workspace, analysis: Analysis, meaning: Meaning): readonly Reference[] {
  const keys = keysOf(analysis, meaning)
  const found = new References()
  for (const program of programsFor(workspace, analysis, meaning)) collect(found, program, meaning, keys)
  return found.list
}

/** The programs that may name something, the one that it was asked of first. */
export function programsFor(workspace: Workspace, analysis: Analysis, meaning: Meaning): readonly Analysis[] {
  const name = meaning.kind === 'decl' ? meaning.decl.name : meaning.kind === 'macro' ? meaning.macro.name : ''
  // What is local to a function no other program names.
  const isLocal = meaning.kind === 'decl' && (meaning.decl.kind === 'local' || meaning.decl.kind === 'parameter')
  const programs = new Map([[analysis.root, analysis]])
  if (name === '' || isLocal) return [analysis]
  const word = new RegExp(`(?<!\\w)${name.replace(/[^\w]/g, '\\$&')}(?!\\w)`)
  for (const path of workspace.files) {
    let text: string | undefined
    try {
      text = workspace.text(path)
    } catch {
      continue
    }
    if (text === undefined || !word.test(text)) continue
    const program = workspace.program(path)
    if (program !== undefined) programs.set(program.root, program)
  }
  return [...programs.values()]
}

/** Declarations in words that mean the same in all programs. */
function keysOf(analysis: Analysis, meaning: Meaning): ReadonlySet<string> {
  return new Set(meaning.kind === 'decl' ? [keyOf(analysis, meaning.decl)] : [])
}

export function keyOf(analysis: Analysis, decl: Decl): string {
  return analysis.keyOf(analysis.targetOf(decl))
}

/** References, each once, in order. */
class References {
  readonly #found = new Map<string, Reference>()

  add(reference: Reference): void {
    const { file, start } = reference.span
    this.#found.set(`${file.name}:${start}`, reference)
  }

  get list(): readonly Reference[] {
    return [...this.#found.values()].toSorted((a, b) =>
      a.span.file.name === b.span.file.name
        ? a.span.start - b.span.start
        : a.span.file.name < b.span.file.name
          ? -1
          : 1,
    )
  }
}

function collect(found: References, program: Analysis, meaning: Meaning, keys: ReadonlySet<string>): void {
  switch (meaning.kind) {
    case 'decl':
      for (const r of named(program, keys)) found.add(r)
      return
    case 'macro':
      for (const r of macroUses(program, meaning.macro)) found.add(r)
      return
    case 'label':
      for (const span of meaning.breaks) found.add({ span, isDeclaration: span === meaning.label.name.span })
      return
    case 'file':
      for (const { span, file } of program.names.links)
        if (file.name === meaning.path) found.add({ span, isDeclaration: false })
  }
}

/** The places in a program where some declarations are named. */
export function named(program: Analysis, keys: ReadonlySet<string>): readonly Reference[] {
  return program.sources.flatMap(file =>
    program.named(file.name).flatMap(({ start, end, target }) => {
      const key = program.keyOf(target)
      if (!keys.has(key)) return []
      return [{ span: new Span(file, start, end), isDeclaration: key === `${file.name}:${start}` }]
    }),
  )
}

/** The places in a program where a macro is named: in the text, and in the definitions of other macros. */
export function macroUses(program: Analysis, macro: Macro): readonly Reference[] {
  const same = (a: Span | undefined, b: Span | undefined): boolean =>
    a !== undefined && b !== undefined && a.file.name === b.file.name && a.start === b.start
  const uses = program.names.macros.filter(use => same(use.macro.span, macro.span))
  if (uses.length === 0) return []
  const inDefinitions = program.sources.flatMap(file => {
    const raw = tokensOf(file)
    const spans: Span[] = []
    for (let i = 0; i < raw.count; i++) {
      const [start, end] = [raw.starts[i]!, raw.ends[i]!]
      if (raw.kinds[i] !== nameKind || file.text.slice(start, end) !== macro.name) continue
      if (/^\s*#\s*define\b/.test(file.line(file.position(start).line))) spans.push(new Span(file, start, end))
    }
    return spans
  })
  return [...uses.map(use => use.span), ...inDefinitions].map(span => ({ span, isDeclaration: same(span, macro.span) }))
}
