/**
 * Says what is wrong with documents, whenever something may have changed. Each open document is checked as a program of its own, in slices between
 * which requests are answered; a check of a state that is gone is dropped. Files that are not open get what the programs that import them find.
 */
import type { PublishDiagnosticsParams } from 'vscode-languageserver'
import type { Analysis } from '../editor/analysis.ts'
import type { Document } from '../editor/document.ts'
import type { FileDiagnostics, Workspace } from '../editor/workspace.ts'
import { turn } from './turn.ts'
import { told, type Shown } from './told.ts'

/** Milliseconds after a change until work begins: what changes together is looked at together. */
const delay = 10
/** Milliseconds of work between which requests are answered. */
const slice = 12
/** Milliseconds without a change after which programs are compiled, for mistakes that only show then. */
const rest = 400

/** What the publisher needs of the server. */
export interface Outlet {
  readonly shown: Shown
  send(params: PublishDiagnosticsParams): void
  /** Hears of an exception, which is a bug. */
  failed(uri: string, cause: unknown): void
  /** Hears of each program that was checked. */
  checked(analysis: Analysis): void
}

/** Work that can be stopped between two steps. */
type Steps<T> = Generator<void, T>

/** Works to the end, unless `stopped` says that nobody needs it any more: then undefined. */
export async function inSlices<T>(steps: Steps<T>, stopped: () => boolean): Promise<T | undefined> {
  for (let until = performance.now() + slice; ;) {
    const { done, value } = steps.next()
    if (done === true) return value
    if (performance.now() < until) continue
    await turn()
    if (stopped()) return undefined
    until = performance.now() + slice
  }
}

/** Programs and versions of documents, by path. */
type Looked = Map<string, { readonly analysis: Analysis; readonly version: number }>

/** Keeps what clients show up to date. */
export class Publisher {
  readonly #workspace: Workspace
  readonly #outlet: Outlet
  /** The program of each open document and its version when it was looked at, by path. */
  readonly #looked: Looked = new Map()
  /** The same when it was compiled. */
  readonly #compiled: Looked = new Map()
  /** What was sent last, as JSON by URI. */
  readonly #sent = new Map<string, string>()
  #generation = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #later: ReturnType<typeof setTimeout> | undefined
  /** The document that changed last: it is looked at first. */
  #first = ''

  constructor(workspace: Workspace, outlet: Outlet) {
    this.#workspace = workspace
    this.#outlet = outlet
  }

  /** Something changed: a document, or a file that programs may read. */
  changed(uri = ''): void {
    this.#generation++
    if (uri !== '') this.#first = uri
    clearTimeout(this.#later)
    // Changes that follow each other fast put off nothing.
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      void this.#run(this.#generation)
    }, delay)
  }

  /** A document is no longer open. `left` is what is to be shown of the files that it showed something of. */
  closed(document: Document, left: readonly FileDiagnostics[]): void {
    this.#looked.delete(document.path)
    this.#compiled.delete(document.path)
    const own = left.find(file => file.uri === document.uri) ?? {
      uri: document.uri,
      version: undefined,
      diagnostics: [],
    }
    this.#send([own, ...left])
    this.changed()
  }

  stop(): void {
    this.#generation++
    clearTimeout(this.#timer)
    clearTimeout(this.#later)
  }

  async #run(generation: number): Promise<void> {
    const isOld = (): boolean => generation !== this.#generation
    const ended = await this.#each(this.#looked, uri => this.#workspace.diagnose(uri), isOld)
    if (!ended) return
    this.#later = setTimeout(() => {
      void this.#each(this.#compiled, uri => this.#workspace.diagnoseFully(uri), isOld)
    }, rest)
  }

  /** Looks at each document that is another than it was then. Says whether all were looked at. */
  async #each(
    known: Looked,
    look: (uri: string) => Steps<readonly FileDiagnostics[]>,
    isOld: () => boolean,
  ): Promise<boolean> {
    const all = [...this.#workspace.documents]
    const ordered = [...all.filter(d => d.uri === this.#first), ...all.filter(d => d.uri !== this.#first)]
    for (const { uri, path, version } of ordered) {
      try {
        const analysis = this.#workspace.analysis(uri)
        const before = known.get(path)
        if (analysis === undefined || (before?.analysis === analysis && before.version === version)) continue
        const found = await inSlices(look(uri), isOld)
        if (found === undefined) return false
        known.set(path, { analysis, version })
        this.#send(found)
        this.#outlet.checked(analysis)
      } catch (cause) {
        this.#outlet.failed(uri, cause)
      }
      await turn()
      if (isOld()) return false
    }
    return true
  }

  /** Sends what is another than before. */
  #send(found: readonly FileDiagnostics[]): void {
    for (const { uri, version, diagnostics } of found) {
      const list = diagnostics.map(d => told(d, this.#outlet.shown, span => this.#workspace.location(span)))
      const text = JSON.stringify([version, list])
      if ((this.#sent.get(uri) ?? '[null,[]]') === text) continue
      // Of a file that is not open, that nothing is wrong with it needs no memory.
      if (version === undefined && list.length === 0) this.#sent.delete(uri)
      else this.#sent.set(uri, text)
      this.#outlet.send({ uri, ...(version === undefined ? {} : { version }), diagnostics: list })
    }
  }
}
