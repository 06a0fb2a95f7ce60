/** What an editor has open, and the programs that it is part of. */
import type { Diagnostic } from '../base/diag.ts'
import type { SourceFile, Span } from '../base/source.ts'
import { mergeOptions } from '../project/merge.ts'
import { projectFileName } from '../project/name.ts'
import type { ProjectOptions } from '../project/options.ts'
import { readProject, type Project } from '../project/read.ts'
import { core } from '../compile.ts'
import { Analysis } from './analysis.ts'
import { Document, type TextChange } from './document.ts'
import { offsetOf, rangeOf, type Location, type Position } from './range.ts'
import { coreScheme, folderOf, joined, pathOf, uriOf } from './uri.ts'

/** What a workspace asks of where it runs: files by their paths (see `uri.ts`). */
export interface Host {
  /** The text of a file; undefined where there is none. May throw, with a message that says why the file cannot be read. */
  read(path: string): string | undefined
  /** The paths of all `.slang` files below a folder, if they can be listed. */
  list?(folder: string): readonly string[]
}

/** A place in a program. */
export interface Place {
  readonly analysis: Analysis
  readonly file: SourceFile
  readonly offset: number
}

/** What is wrong with a file, apart from what stands in other files. */
export interface FileDiagnostics {
  readonly uri: string
  /** Of an open document: the version that they belong to. */
  readonly version: number | undefined
  readonly diagnostics: readonly Diagnostic[]
}

/** Open documents, and an analysis for each program that one of them begins. */
export class Workspace {
  readonly #host: Host
  /** By path. */
  readonly #documents = new Map<string, Document>()
  /** What was read from the host, by path. */
  readonly #read = new Map<string, { readonly text: string | undefined; readonly why: Error | undefined }>()
  readonly #projects = new Map<string, Project>()
  /** By the path of the root. */
  readonly #analyses = new Map<string, Analysis>()
  #folders: readonly string[] = []
  #settings: ProjectOptions = {}

  constructor(host: Host) {
    this.#host = host
  }

  /** Sets the folders of the workspace (URIs), and options below those of project files. */
  configure({ folders, settings }: { readonly folders?: readonly string[]; readonly settings?: ProjectOptions }): void {
    if (folders !== undefined) this.#folders = folders.map(pathOf)
    if (settings !== undefined) this.#settings = settings
  }

  /** The paths of the folders of the workspace. */
  get folders(): readonly string[] {
    return this.#folders
  }

  get documents(): Iterable<Document> {
    return this.#documents.values()
  }

  document(uri: string): Document | undefined {
    return this.#documents.get(pathOf(uri))
  }

  open(uri: string, version: number, text: string): void {
    this.#documents.set(pathOf(uri), new Document(uri, version, text))
  }

  /** Edits an open document. */
  change(uri: string, version: number, changes: readonly TextChange[]): void {
    const document = this.document(uri)
    if (document !== undefined) this.#documents.set(document.path, document.changed(version, changes))
  }

  /** From now on the file on disk counts. */
  close(uri: string): void {
    const path = pathOf(uri)
    this.#documents.delete(path)
    this.#analyses.delete(path)
    this.#forget(path)
  }

  /** Files that may be others on disk than before. */
  changedOnDisk(uris: readonly string[]): void {
    for (const uri of uris) this.#forget(pathOf(uri))
  }

  #forget(path: string): void {
    this.#read.delete(path)
    if (path.endsWith(projectFileName)) this.#projects.clear()
  }

  /** The text that a path has now: of an open document, else of the host. Throws where the host does. */
  text(path: string): string | undefined {
    const open = this.#documents.get(path)
    if (open !== undefined) return open.text
    if (path.startsWith(`${coreScheme}:`)) return core.files.find(f => corePath(f.name) === path)?.text
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

  /** The text of a path; undefined also where it cannot be read. */
  #quietly(path: string): string | undefined {
    try {
      return this.text(path)
    } catch {
      return undefined
    }
  }

  /** The program that a document is part of, as it is now; undefined for a document that is not open. */
  analysis(uri: string): Analysis | undefined {
    const path = pathOf(uri)
    const text = this.#documents.get(path)?.text
    if (text === undefined) return undefined
    const options = this.options(path)
    const known = this.#analyses.get(path)
    const isAlike = known !== undefined && JSON.stringify(known.options) === JSON.stringify(options)
    if (isAlike && this.#holds(known)) return known
    const made = new Analysis(path, text, options, p => this.text(p), isAlike ? known : undefined)
    this.#analyses.set(path, made)
    return made
  }

  /** Whether an analysis read what there is now. */
  #holds(analysis: Analysis): boolean {
    for (const [path, text] of analysis.inputs) if (this.#quietly(path) !== text) return false
    return true
  }

  /** A place of an open document in the program that it is part of. */
  at(uri: string, position: Position): Place | undefined {
    const analysis = this.analysis(uri)
    const file = analysis?.file(pathOf(uri))
    return analysis === undefined || file === undefined
      ? undefined
      : { analysis, file, offset: offsetOf(file, position) }
  }

  /** Where a span stands, for the editor. */
  location(span: Span): Location {
    const path = span.file.isCore ? corePath(span.file.name) : span.file.name
    return { uri: this.#documents.get(path)?.uri ?? uriOf(path), range: rangeOf(span) }
  }

  /**
   * Checks the program of a document, in steps between which it may be stopped, and gives what is wrong with each of its files. Ask for a new
   * one after each edit, and drop the old one.
   */
  *diagnose(uri: string): Generator<void, readonly FileDiagnostics[]> {
    const analysis = this.analysis(uri)
    if (analysis === undefined) return []
    yield* analysis.check()
    const byPath = new Map<string, Diagnostic[]>([[analysis.root, []]])
    for (const d of analysis.diagnostics) {
      const path = d.span?.file.name ?? analysis.root
      const list = byPath.get(path)
      if (list === undefined) byPath.set(path, [d])
      else list.push(d)
    }
    return [...byPath].map(([path, diagnostics]) => {
      const open = this.#documents.get(path)
      return { uri: open?.uri ?? uriOf(path), version: open?.version, diagnostics }
    })
  }
}

/** The path of a file of the core library. */
function corePath(name: string): string {
  return `${coreScheme}:/${name}`
}
