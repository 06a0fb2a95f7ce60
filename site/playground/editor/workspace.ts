/**
 * The files of the project as the server sees them: all are open there, and one of them is in the editor. The text of the one in the editor is the editor's;
 * that of others is here.
 */
import { LSPPlugin, Workspace, type LSPClient, type WorkspaceFile } from '@codemirror/lsp-client'
import { ChangeSet, Text, type TransactionSpec } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'

const scheme = 'file:///'

/** The server's name of a file of the project. */
export function uriOf(name: string): string {
  return scheme + name.split('/').map(encodeURIComponent).join('/')
}

/** The file of the project by the server's name; undefined for what is none, such as the core library. */
export function nameOf(uri: string): string | undefined {
  return uri.startsWith(scheme) ? decodeURIComponent(uri.slice(scheme.length)) : undefined
}

class OpenFile implements WorkspaceFile {
  readonly uri: string
  readonly languageId = 'slang'
  version = 0
  doc: Text
  view: EditorView | null = null
  /** What changed here while no editor had it, and the server does not know yet. */
  pending: ChangeSet | undefined

  constructor(uri: string, doc: Text) {
    this.uri = uri
    this.doc = doc
  }

  getView(): EditorView | null {
    return this.view
  }
}

/** What a workspace asks of the page. */
export interface WorkspaceHost {
  /** Brings a file into the editor. */
  show(name: string): EditorView | null
  /** A file that is not in the editor has another text. */
  changed(name: string, text: string): void
}

export class ProjectWorkspace extends Workspace {
  override files: OpenFile[] = []
  readonly #host: WorkspaceHost

  constructor(client: LSPClient, host: WorkspaceHost) {
    super(client)
    this.#host = host
  }

  /** Makes the files these: opens, closes and changes what differs. The one in the editor is left to the editor. */
  take(files: readonly { readonly name: string; readonly text: string }[]): void {
    const uris = new Map(files.map(f => [uriOf(f.name), f.text]))
    for (const file of this.files.filter(f => !uris.has(f.uri))) {
      this.files = this.files.filter(f => f !== file)
      this.client.didClose(file.uri)
    }
    for (const [uri, text] of uris) {
      const file = this.#find(uri)
      if (file === undefined) this.#open(uri, text)
      else if (file.view === null) replace(file, text)
    }
    this.client.sync()
  }

  override syncFiles(): { file: WorkspaceFile; prevDoc: Text; changes: ChangeSet }[] {
    const updates: { file: WorkspaceFile; prevDoc: Text; changes: ChangeSet }[] = []
    for (const file of this.files) {
      const plugin = file.view && LSPPlugin.get(file.view)
      const changes = plugin?.uri === file.uri ? plugin.unsyncedChanges : file.pending
      if (changes === undefined || changes.empty) continue
      const prevDoc = file.doc
      file.doc = changes.apply(prevDoc)
      file.version++
      file.pending = undefined
      if (plugin?.uri === file.uri) plugin.clear()
      updates.push({ file, prevDoc, changes })
    }
    return updates
  }

  override openFile(uri: string, _languageId: string, view: EditorView): void {
    const file = this.#find(uri) ?? this.#open(uri, view.state.doc.toString())
    file.view = view
  }

  /** The file stays open in the server: only its editor is gone. */
  override closeFile(uri: string): void {
    const file = this.#find(uri)
    if (file !== undefined) file.view = null
  }

  override updateFile(uri: string, update: TransactionSpec): void {
    const file = this.#find(uri)
    if (file === undefined) return
    if (file.view !== null) {
      file.view.dispatch(update)
      return
    }
    const before = file.pending?.apply(file.doc) ?? file.doc
    const changes = ChangeSet.of(update.changes ?? [], before.length)
    file.pending = file.pending?.compose(changes) ?? changes
    const name = nameOf(uri)
    if (name !== undefined) this.#host.changed(name, changes.apply(before).toString())
  }

  override displayFile(uri: string): Promise<EditorView | null> {
    const name = nameOf(uri)
    return Promise.resolve(name === undefined ? null : this.#host.show(name))
  }

  override connected(): void {
    for (const file of this.files) this.client.didOpen(file)
  }

  #find(uri: string): OpenFile | undefined {
    return this.files.find(f => f.uri === uri)
  }

  #open(uri: string, text: string): OpenFile {
    const file = new OpenFile(uri, Text.of(text.split('\n')))
    this.files.push(file)
    if (this.client.connected) this.client.didOpen(file)
    return file
  }
}

function replace(file: OpenFile, text: string): void {
  const before = file.pending?.apply(file.doc) ?? file.doc
  if (before.toString() === text) return
  const changes = ChangeSet.of({ from: 0, to: before.length, insert: text }, before.length)
  file.pending = file.pending?.compose(changes) ?? changes
}
