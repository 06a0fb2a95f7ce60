/**
 * Says what is wrong with documents, whenever something may have changed. Each open document is checked as a program of its own, in slices between
 * which requests are answered; a check of a state that is gone is dropped. Files that are not open get what the programs that import them find.
 */
import type { Diagnostic as Told, PublishDiagnosticsParams } from 'vscode-languageserver'
import type { Analysis } from '../editor/analysis.ts'
import type { Document } from '../editor/document.ts'
import type { FileDiagnostics, Workspace } from '../editor/workspace.ts'
import { turn } from './turn.ts'
import { told, type Shown } from './told.ts'

/** Milliseconds after a change until work begins: what changes together is looked at together. */
const delay = 10
/** Milliseconds of work between which requests are answered. */
const slice = 12

/** What the publisher needs of the server. */
export interface Outlet {
  readonly shown: Shown
  send(params: PublishDiagnosticsParams): void
  /** Hears of an exception, which is a bug. */
  failed(uri: string, cause: unknown): void
  /** Hears of each program that was checked. */
  checked(analysis: Analysis): void
}

/** Checks a document to the end, unless `stopped` says that nobody needs it any more: then undefined. */
export async function checkedInSlices(
  workspace: Workspace,
  uri: string,
  stopped: () => boolean,
): Promise<readonly FileDiagnostics[] | undefined> {
  const steps = workspace.diagnose(uri)
  for (let until = performance.now() + slice; ;) {
    const { done, value } = steps.next()
    if (done === true) return value
    if (performance.now() < until) continue
    await turn()
    if (stopped()) return undefined
    until = performance.now() + slice
  }
}

/** Keeps what clients show up to date. */
export class Publisher {
  readonly #workspace: Workspace
  readonly #outlet: Outlet
  /** The analysis of each open document whose diagnostics were sent, by path. */
  readonly #sent = new Map<string, { readonly analysis: Analysis; readonly version: number }>()
  /** By the path of the document that begins the program, what is wrong with files that are not open. */
  readonly #beyond = new Map<string, readonly FileDiagnostics[]>()
  /** What was sent last for such files, as JSON by URI. */
  readonly #shownBeyond = new Map<string, string>()
  #generation = 0
  #timer: ReturnType<typeof setTimeout> | undefined
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
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      void this.#run(this.#generation)
    }, delay)
  }

  /** A document is no longer open. */
  closed(document: Document): void {
    this.#sent.delete(document.path)
    this.#beyond.delete(document.path)
    this.#outlet.send({ uri: document.uri, diagnostics: [] })
    this.#sendBeyond()
    this.changed()
  }

  /** Everything is sent again. */
  again(): void {
    this.#sent.clear()
    this.changed()
  }

  stop(): void {
    this.#generation++
    clearTimeout(this.#timer)
  }

  async #run(generation: number): Promise<void> {
    const isOld = (): boolean => generation !== this.#generation
    const all = [...this.#workspace.documents]
    const ordered = [...all.filter(d => d.uri === this.#first), ...all.filter(d => d.uri !== this.#first)]
    for (const { uri, path, version } of ordered) {
      try {
        const analysis = this.#workspace.analysis(uri)
        const before = this.#sent.get(path)
        if (analysis === undefined || (before?.analysis === analysis && before.version === version)) continue
        const found = await checkedInSlices(this.#workspace, uri, isOld)
        if (found === undefined) return
        this.#sent.set(path, { analysis, version })
        this.#send(uri, path, version, found)
        this.#outlet.checked(analysis)
      } catch (cause) {
        this.#outlet.failed(uri, cause)
      }
      await turn()
      if (isOld()) return
    }
  }

  #told({ diagnostics }: FileDiagnostics): Told[] {
    return diagnostics.map(d => told(d, this.#outlet.shown, span => this.#workspace.location(span)))
  }

  #send(uri: string, path: string, version: number, found: readonly FileDiagnostics[]): void {
    const own = found.filter(f => f.uri === uri)
    this.#outlet.send({ uri, version, diagnostics: own.flatMap(f => this.#told(f)) })
    this.#beyond.set(
      path,
      found.filter(f => f.uri !== uri),
    )
    this.#sendBeyond()
  }

  /** Sends what is wrong with files that are not open, where that is another than before. */
  #sendBeyond(): void {
    const byUri = new Map<string, Map<string, Told>>([...this.#shownBeyond.keys()].map(uri => [uri, new Map()]))
    for (const list of this.#beyond.values()) {
      for (const file of list) {
        if (this.#workspace.document(file.uri) !== undefined) continue
        let found = byUri.get(file.uri)
        if (found === undefined) byUri.set(file.uri, (found = new Map()))
        // Several programs may say the same of a file.
        for (const d of this.#told(file)) found.set(JSON.stringify(d), d)
      }
    }
    for (const [uri, found] of byUri) {
      const text = [...found.keys()].join('\n')
      const isOpen = this.#workspace.document(uri) !== undefined
      if (!isOpen && text !== (this.#shownBeyond.get(uri) ?? '')) {
        this.#outlet.send({ uri, diagnostics: [...found.values()] })
      }
      if (text === '' || isOpen) this.#shownBeyond.delete(uri)
      else this.#shownBeyond.set(uri, text)
    }
  }
}
