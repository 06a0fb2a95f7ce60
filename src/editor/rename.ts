/** Gives a declaration another name, in all files of the workspace. The result is checked before it is given: a name must not come to mean another thing. */
import { SourceFile, type Span } from '../base/source.ts'
import type { Decl } from '../check/model/decl.ts'
import { Analysis } from './analysis.ts'
import { familyOf } from './family.ts'
import { meaningAt, type Meaning } from './meaning.ts'
import { rangeOf, type Position, type Range, type TextEdit } from './range.ts'
import { keyOf, macroUses, named, programsFor, type Reference } from './references.ts'
import { isName } from './words.ts'
import type { Place, Workspace } from './workspace.ts'

/** Edits by the URIs of the documents. */
export interface WorkspaceEdit {
  readonly changes: Readonly<Record<string, readonly TextEdit[]>>
}

/** Why something cannot be renamed: one sentence, without a full stop. */
export interface Refusal {
  readonly refused: string
}

const refuse = (refused: string): Refusal => ({ refused })

/** The range of the name at a place that can be renamed, and the name. */
export function prepareRename(
  workspace: Workspace,
  uri: string,
  position: Position,
): { readonly range: Range; readonly placeholder: string } | Refusal {
  const found = renameable(workspace, uri, position)
  if ('refused' in found) return found
  return { range: rangeOf(found.meaning.span), placeholder: nameOf(found.meaning) }
}

/** The edits that give what stands at a place another name. */
export function rename(
  workspace: Workspace,
  uri: string,
  position: Position,
  newName: string,
): WorkspaceEdit | Refusal {
  const found = renameable(workspace, uri, position)
  if ('refused' in found) return found
  const { place, meaning } = found
  if (newName === nameOf(meaning)) return { changes: {} }
  if (!isName(newName)) return refuse(`'${newName}' cannot be a name`)
  const programs = programsFor(workspace, place.analysis, meaning)
  const group = groupOf(programs, place.analysis, meaning)
  if ('refused' in group) return group
  const clash = programs.flatMap(p => clashes(p, group.keys, newName))[0]
  if (clash !== undefined) return refuse(clash)
  const all = programs.flatMap(p => usesOf(p, meaning, group.keys))
  const spans = new Map(all.map(({ span }) => [`${span.file.name}:${span.start}`, span]))
  const edits = new Map<string, Span[]>()
  for (const span of spans.values()) {
    const list = edits.get(span.file.name)
    if (list === undefined) edits.set(span.file.name, [span])
    else list.push(span)
  }
  const outside = [...edits.keys()].find(path => !isOurs(workspace, path))
  if (outside !== undefined) return refuse(`${outside} names it too, and is outside of the workspace`)
  const wrong = programs.flatMap(p => changedMeaning(workspace, p, edits, newName))[0]
  if (wrong !== undefined) return refuse(wrong)
  return {
    changes: Object.fromEntries(
      [...edits].map(([path, list]) => [
        workspace.uri(path),
        list.map(span => ({ range: rangeOf(span), newText: newName })),
      ]),
    ),
  }
}

const nameOf = ({ span }: Meaning): string => span.file.text.slice(span.start, span.end)

/** Whether a file is the user's to change: open, or in a folder of the workspace. */
function isOurs(workspace: Workspace, path: string): boolean {
  const { folders } = workspace
  return folders.length === 0 || workspace.files.includes(path) || folders.some(f => path.startsWith(`${f}/`))
}

function renameable(
  workspace: Workspace,
  uri: string,
  position: Position,
): { readonly place: Place; readonly meaning: Meaning } | Refusal {
  const place = workspace.at(uri, position)
  const meaning = place === undefined ? undefined : meaningAt(place)
  if (place === undefined || meaning === undefined) return refuse('no name stands here that a program declares')
  const text = nameOf(meaning)
  switch (meaning.kind) {
    case 'file':
      return refuse('a file is renamed where it lies')
    case 'label':
      break
    case 'macro':
      if (meaning.macro.span === undefined) return refuse(`an option of the project defines ${text}`)
      break
    case 'decl': {
      const why = fixed(meaning.decl, text)
      if (why !== undefined) return refuse(why)
    }
  }
  return { place, meaning }
}

/** Why a declaration keeps its name; undefined where it need not. */
function fixed(decl: Decl, text: string): string | undefined {
  if (decl.kind === 'module') return 'a module has the name of its file'
  if (('module' in decl && decl.module.isCore) || decl.span?.file.isCore === true)
    return `${decl.name} belongs to the core library`
  if (decl.span === null) return `the compiler makes ${decl.name}`
  if (decl.name !== text) return `this is another spelling of ${decl.name}`
  if (!/^\w+$/.test(decl.name) || decl.name.startsWith('__init')) return `${decl.name} is no name that one can choose`
  return decl.span.file.text.slice(decl.span.start, decl.span.end) === decl.name
    ? undefined
    : `a macro declares ${decl.name}`
}

/** All declarations that must have the name, in words; or why they keep it. */
function groupOf(
  programs: readonly Analysis[],
  analysis: Analysis,
  meaning: Meaning,
): { readonly keys: ReadonlySet<string> } | Refusal {
  if (meaning.kind !== 'decl') return { keys: new Set() }
  const keys = new Set([keyOf(analysis, meaning.decl)])
  for (let size = 0; size !== keys.size;) {
    size = keys.size
    for (const program of programs) {
      for (const decl of program.declared(keys)) {
        for (const other of familyOf(program.cx, decl)) {
          const why = fixed(other, decl.name)
          if (why !== undefined) return refuse(other === decl ? why : `${why}, and must have the same name`)
          keys.add(keyOf(program, other))
        }
      }
    }
  }
  for (const program of programs)
    if (program.hidden.some(target => keys.has(program.keyOf(target)))) return refuse('a macro names it too')
  return { keys }
}

function usesOf(program: Analysis, meaning: Meaning, keys: ReadonlySet<string>): readonly Reference[] {
  switch (meaning.kind) {
    case 'decl':
      return named(program, keys)
    case 'macro':
      return macroUses(program, meaning.macro)
    case 'label':
      return meaning.breaks.map(span => ({ span, isDeclaration: false }))
    case 'file':
      return []
  }
}

/** What of the new name is declared beside one of the declarations. */
function clashes(program: Analysis, keys: ReadonlySet<string>, newName: string): readonly string[] {
  return program.declared(keys).flatMap(decl => {
    const scope = 'scope' in decl ? decl.scope : program.names.scopeOf(decl)
    const other = scope?.names.get(newName)?.[0]
    if (other === undefined) return []
    const line = other.kind === 'module' ? undefined : other.span?.position.line
    return [`${newName} is declared in the same scope already${line === undefined ? '' : `, on line ${line}`}`]
  })
}

/** Says what would be wrong with a program after the edits: a mistake that it has not now, or a name that means another thing. */
function changedMeaning(
  workspace: Workspace,
  program: Analysis,
  edits: ReadonlyMap<string, readonly Span[]>,
  newName: string,
): readonly string[] {
  const texts = new Map<string, string>()
  for (const [path, spans] of edits) {
    let text = spans[0]!.file.text
    for (const { start, end } of spans.toSorted((a, b) => b.start - a.start))
      text = text.slice(0, start) + newName + text.slice(end)
    texts.set(path, text)
  }
  const read = (path: string): string | undefined => texts.get(path) ?? workspace.text(path)
  const after = new Analysis(program.root, read(program.root) ?? '', program.options, read)
  const count = (of: Analysis): Map<string, number> => {
    const counts = new Map<string, number>()
    for (const d of of.diagnostics) if (d.severity === 'error') counts.set(d.code, (counts.get(d.code) ?? 0) + 1)
    return counts
  }
  const before = count(program)
  for (const [code, many] of count(after)) {
    const more = after.diagnostics.find(d => d.code === code)
    if (many > (before.get(code) ?? 0) && more !== undefined)
      return [`then ${more.message} (line ${more.span?.position.line ?? 1} of ${more.span?.file.name ?? program.root})`]
  }
  // The names of a file keep their order, and each must mean what it meant.
  for (const file of program.sources) {
    const [old, now] = [program.named(file.name), after.named(file.name)]
    const move = (path: string, start: number): number => start + shift(edits.get(path) ?? [], start, newName)
    for (const [i, { start, target }] of old.entries()) {
      const key = program.keyOf(target)
      const [, path = '', at = ''] = /^(.*):(\d+)$/.exec(key) ?? []
      const moved = target.core === undefined && at !== '' ? `${path}:${move(path, Number(at))}` : key
      const one = now[i]
      if (one === undefined || one.start !== move(file.name, start) || after.keyOf(one.target) !== moved)
        return [
          `then ${target.name} on line ${new SourceFile('', file.text).position(start).line} would mean something else`,
        ]
    }
    if (now.length !== old.length) return [`then other names of ${file.name} would mean something`]
  }
  return []
}

/** How far an offset moves by edits before it. */
function shift(spans: readonly Span[], offset: number, newName: string): number {
  return spans.reduce((sum, s) => (s.start < offset ? sum + newName.length - (s.end - s.start) : sum), 0)
}
