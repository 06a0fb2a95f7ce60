/**
 * What an editor has open, and the programs that it is part of. Each open document begins a program of its own, unless another file includes it.
 * A program is read from open documents first, then from the host; it is read again when any of its texts changes.
 */
import type { Diagnostic } from '../base/diag.ts'
import type { SourceFile, Span } from '../base/source.ts'
import { mergeOptions } from '../project/merge.ts'
import { projectFileName } from '../project/name.ts'
import type { ProjectOptions } from '../project/options.ts'
import { readProject, type Project } from '../project/read.ts'
import { Analysis } from './analysis.ts'
import { coreFile, readable } from './core.ts'
import { Document, includesOf, type TextChange } from './document.ts'
import { lowered, lowering } from './lowering.ts'
import { offsetOf, rangeOf, type Location, type Position } from './range.ts'
import { coreScheme, folderOf, joined, pathOf, uriOf } from './uri.ts'

/** What a workspace asks of where it runs: files by their paths (see `uri.ts`). */
export interface Host {
  /** The text of a file; undefined where there is none. May throw, with a message that says why the file cannot be read. */
  read(path: string): string | undefined
  /** The paths of all files below a folder whose names end in one of these ways, if they can be listed. */
  list?(folder: string, endings: readonly string[]): readonly string[]
}

/** How the names of modules end. */
export const moduleEndings: readonly string[] = ['.slang']

/** A place in a program. */
export interface Place {
  readonly analysis: Analysis
  readonly file: SourceFile
  readonly offset: number
}

/** What is wrong with a file. */
export interface FileDiagnostics {
  readonly uri: string
  /** Of an open document: the version that they belong to. */
  readonly version: number | undefined
  readonly diagnostics: readonly Diagnostic[]
}

/** How many programs are kept that no open document begins. */
const keptPrograms = 8

/** Open documents, and an analysis for each program that one of them is part of. */
export class Workspace {
  readonly #host: Host
  /** By path. */
  readonly #documents = new Map<string, Document>()
  /** What was read from the host, by path. */
  readonly #read = new Map<string, { readonly text: string | undefined; readonly why: Error | undefined }>()
  readonly #projects = new Map<string, Project>()
  /** By the path of the root, the one that was asked for last at the end. */
  readonly #analyses = new Map<string, Analysis>()
  /** The root of the program that includes a file, by path. */
  readonly #includers = new Map<string, string>()
  /** What is wrong with which files, by the root of the program that it was found in. */
  readonly #found = new Map<string, ReadonlyMap<string, readonly Diagnostic[]>>()
  #listed: readonly string[] | undefined
  #folders: readonly string[] = []
  #settings: ProjectOptions = {}

  constructor(host: Host) {
    this.#host = host
  }

  /** Sets the folders of the workspace (URIs), and options below those of project files. */
  configure({ folders, settings }: { readonly folders?: readonly string[]; readonly settings?: ProjectOptions }): void {
    if (settings !== undefined) this.#settings = settings
    if (folders === undefined) return
    this.#folders = folders.map(pathOf)
    this.#listed = undefined
    this.#includers.clear()
  }

  /** The paths of the folders of the workspace. */
  get folders(): readonly string[] {
    return this.#folders
  }

  // ── Documents ────────────────────────────────────────────────────────────────────────────────────────────────────

  get documents(): Iterable<Document> {
    return this.#documents.values()
  }

  document(uri: string): Document | undefined {
    return this.#documents.get(pathOf(uri))
  }

  open(uri: string, version: number, text: string): void {
    this.#documents.set(pathOf(uri), new Document(uri, version, text))
    this.#includers.clear()
  }

  /** Edits an open document. */
  change(uri: string, version: number, changes: readonly TextChange[]): void {
    const document = this.document(uri)
    if (document === undefined) return
    const changed = document.changed(version, changes)
    this.#documents.set(document.path, changed)
    if (changed.includes !== document.includes) this.#includers.clear()
  }

  /**
   * From now on the file on disk counts. Gives what is to be shown of the file, and of those of which something was found in programs that no open
   * document is part of any longer.
   */
  close(uri: string): readonly FileDiagnostics[] {
    const path = pathOf(uri)
    this.#documents.delete(path)
    this.#includers.clear()
    this.#forget(path)
    return this.#forsaken(path)
  }

  /** Files that may be others on disk than before, that came or that went. */
  changedOnDisk(uris: readonly string[]): void {
    for (const uri of uris) this.#forget(pathOf(uri))
    this.#includers.clear()
    this.#listed = undefined
  }

  #forget(path: string): void {
    this.#read.delete(path)
    if (path.endsWith(projectFileName)) this.#projects.clear()
  }

  /** The text that a path has now: of an open document, else of the host. Throws where the host does. */
  text(path: string): string | undefined {
    const open = this.#documents.get(path)
    if (open !== undefined) return open.text
    if (path.startsWith(`${coreScheme}:`)) return coreFile(path)?.text
    let read = this.#read.get(path)
    if (read === undefined) {
      try {
        read = { text: this.#host.read(path), why: undefined }
      } catch (why) {
        read = { text: undefined, why: why instanceof Error ? why : new Error(String(why)) }
      }
      this.#read.set(path, read)
    }
    if (read.why !== undefined) throw read.why
    return read.text
  }

  /** The text of a path; undefined also where it cannot be read. */
  #quietly(path: string): string | undefined {
    try {
      return this.text(path)
    } catch {
      return undefined
    }
  }

  /** The paths of the files in the folders of the workspace, and of open documents; not of the core library, which is no program. */
  get files(): readonly string[] {
    this.#listed ??= this.#folders.flatMap(folder => {
      try {
        return this.#host.list?.(folder, moduleEndings) ?? []
      } catch {
        return []
      }
    })
    const open = [...this.#documents.keys()].filter(path => !path.startsWith(`${coreScheme}:`))
    return [...new Set([...open, ...this.#listed])]
  }

  // ── Projects ─────────────────────────────────────────────────────────────────────────────────────────────────────

  /** The options for a file: those of the nearest project file, on top of the settings of the editor. */
  options(path: string): ProjectOptions {
    const project = this.#project(folderOf(path))
    return project === undefined ? this.#settings : mergeOptions(this.#settings, project.options)
  }

  #project(folder: string): Project | undefined {
    const path = joined(folder, projectFileName)
    const known = this.#projects.get(path)
    if (known !== undefined) return known
    const text = this.#quietly(path)
    if (text === undefined) {
      const outer = folderOf(folder)
      return outer === folder || folder === '' ? undefined : this.#project(outer)
    }
    const read = readProject(text, path)
    const { searchPaths } = read.options
    const project: Project =
      searchPaths === undefined
        ? read
        : { ...read, options: { ...read.options, searchPaths: searchPaths.map(p => joined(folder, p)) } }
    this.#projects.set(path, project)
    return project
  }

  // ── Programs ─────────────────────────────────────────────────────────────────────────────────────────────────────

  /** The program that a document is part of, as it is now; undefined for a document that is not open. */
  analysis(uri: string): Analysis | undefined {
    const path = pathOf(uri)
    return this.#documents.has(path) && !path.startsWith(`${coreScheme}:`) ? this.program(path) : undefined
  }

  /** The program that a file is part of, open or not; undefined where there is no such file. */
  program(path: string): Analysis | undefined {
    return this.#analyse(this.#rootOf(path))
  }

  /** The program that begins with a file. */
  #analyse(root: string): Analysis | undefined {
    const text = this.#quietly(root)
    if (text === undefined) return undefined
    const options = this.options(root)
    const known = this.#analyses.get(root)
    const isAlike = known !== undefined && JSON.stringify(known.options) === JSON.stringify(options)
    this.#analyses.delete(root)
    const now =
      isAlike && this.#holds(known)
        ? known
        : new Analysis(root, text, options, p => this.text(p), isAlike ? known : undefined)
    this.#analyses.set(root, now)
    // Each letter of an import asks for another file that is not there.
    if (known !== undefined)
      for (const [path, was] of known.inputs) if (was === undefined && !now.inputs.has(path)) this.#read.delete(path)
    this.#dropOld()
    return now
  }

  /** Whether an analysis read what there is now. */
  #holds(analysis: Analysis): boolean {
    for (const [path, text] of analysis.inputs) if (this.#quietly(path) !== text) return false
    return true
  }

  #dropOld(): void {
    const roots = new Set([...this.#documents.keys()].map(path => this.#includers.get(path) ?? path))
    const others = [...this.#analyses.keys()].filter(root => !roots.has(root))
    for (const root of others.slice(0, Math.max(0, others.length - keptPrograms))) this.#analyses.delete(root)
  }

  /** The file that the program of a file begins with: one that includes it, if there is any, else itself. */
  #rootOf(path: string): string {
    let root = this.#includers.get(path)
    if (root === undefined) this.#includers.set(path, (root = this.#includerOf(path) ?? path))
    return root
  }

  #includerOf(path: string): string | undefined {
    const text = this.#quietly(path) ?? ''
    const name = path.replace(/^.*\//, '').replace(/\.\w+$/, '')
    const implementing = /^\s*implementing\s+"?([\w./-]+)/m.exec(text)?.[1]
    const module = implementing === undefined ? [] : [implementing, implementing.replaceAll('_', '-')]
    const near = module.map(m => joined(folderOf(path), `${m.replace(/\.slang$/, '')}.slang`))
    // Files beside it and further up that mention it are looked into.
    const others = this.files.filter(
      other =>
        other !== path &&
        path.startsWith(folderOf(other)) &&
        includesOf(this.#quietly(other) ?? '')
          .replaceAll('_', '-')
          .includes(name.replaceAll('_', '-')),
    )
    return [...near, ...others].find(root => root !== path && this.#includes(root, path))
  }

  /** Whether a file is part of the module that another begins. */
  #includes(root: string, path: string): boolean {
    const analysis = this.#analyse(root)
    return analysis !== undefined && analysis.ownFiles.some(file => file.name === path)
  }

  // ── Places ───────────────────────────────────────────────────────────────────────────────────────────────────────

  /** A place of an open document in the program that it is part of. */
  at(uri: string, position: Position): Place | undefined {
    const analysis = this.analysis(uri)
    const file = analysis?.file(pathOf(uri))
    return analysis === undefined || file === undefined
      ? undefined
      : { analysis, file, offset: offsetOf(file, position) }
  }

  /** The URI of a path, as the editor spells it where it has the file open. */
  uri(path: string): string {
    return this.#documents.get(path)?.uri ?? uriOf(path)
  }

  /** Where a span stands, for the editor. */
  location(span: Span): Location {
    const own = readable(span)
    return { uri: this.uri(own.file.name), range: rangeOf(own) }
  }

  // ── What is wrong ────────────────────────────────────────────────────────────────────────────────────────────────

  /**
   * Checks the program of a document, in steps between which it may be stopped, and gives what is wrong with each of its files: also an empty
   * list for a file with which nothing is wrong any longer. Ask for a new one after each edit, and drop the old one.
   */
  *diagnose(uri: string): Generator<void, readonly FileDiagnostics[]> {
    const analysis = this.analysis(uri)
    if (analysis === undefined) return []
    yield* analysis.check()
    return this.show(analysis, [...analysis.diagnostics, ...lowered(analysis)])
  }

  /** The same with what only shows when the program is compiled. That takes longer: do it when nobody has typed for a while. */
  *diagnoseFully(uri: string): Generator<void, readonly FileDiagnostics[]> {
    const analysis = this.analysis(uri)
    if (analysis === undefined) return []
    const more = yield* lowering(analysis)
    return this.show(analysis, [...analysis.diagnostics, ...more])
  }

  /** What is to be shown of each file of a program, given everything that was found in that. */
  show(analysis: Analysis, diagnostics: readonly Diagnostic[]): readonly FileDiagnostics[] {
    const { root } = analysis
    const byPath = new Map<string, Diagnostic[]>([[root, []]])
    for (const file of analysis.ownFiles) byPath.set(file.name, [])
    for (const d of [...diagnostics, ...(this.#project(folderOf(root))?.diagnostics ?? [])]) {
      const path = d.span?.file.name ?? root
      const list = byPath.get(path)
      if (list === undefined) byPath.set(path, [d])
      else list.push(d)
    }
    return this.#shown(root, byPath)
  }

  #shown(root: string, now: ReadonlyMap<string, readonly Diagnostic[]>): readonly FileDiagnostics[] {
    const paths = new Set([...(this.#found.get(root)?.keys() ?? []), ...now.keys()])
    this.#found.delete(root)
    if (now.size > 0) this.#found.set(root, now)
    // An open document shows what its own program says of it.
    const own = [...paths].filter(path => !this.#documents.has(path) || this.#rootOf(path) === root)
    return [...own.map(path => this.#shownOf(path)), ...this.#forsaken()]
  }

  /**
   * Forgets what was found in programs that no open document is part of any longer. Gives what is to be shown of their files instead, and of `others`.
   */
  #forsaken(...others: readonly string[]): readonly FileDiagnostics[] {
    const paths = new Set(others)
    const roots = new Set([...this.#documents.keys()].map(path => this.#rootOf(path)))
    for (const [root, found] of this.#found) {
      if (roots.has(root)) continue
      for (const path of found.keys()) if (!this.#documents.has(path)) paths.add(path)
      this.#found.delete(root)
      this.#analyses.delete(root)
    }
    return [...paths].map(path => this.#shownOf(path))
  }

  /** What is to be shown of a file: of an open document what its own program says, of others what all programs say. */
  #shownOf(path: string): FileDiagnostics {
    const open = this.#documents.get(path)
    const from = open === undefined ? [...this.#found.values()] : [this.#found.get(this.#rootOf(path))]
    const said = new Set<string>()
    const diagnostics = from
      .flatMap(found => found?.get(path) ?? [])
      .filter(d => said.size < said.add(`${d.span?.start}:${d.code}:${d.message}`).size)
    return { uri: this.uri(path), version: open?.version, diagnostics }
  }
}
