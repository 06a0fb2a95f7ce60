/**
 * The editor: one view of one file of the project at a time, with the language server behind it. The server loads when `connect` is called; until it answers,
 * the editor has its own colours.
 */
import { closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { bracketMatching, indentOnInput, indentUnit } from '@codemirror/language'
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint'
import {
  findReferencesKeymap,
  formatKeymap,
  hoverTooltips,
  jumpToDefinitionKeymap,
  LSPClient,
  LSPPlugin,
  renameKeymap,
  serverCompletion,
  signatureHelp,
  type LSPClientExtension,
} from '@codemirror/lsp-client'
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search'
import { EditorState, type Extension } from '@codemirror/state'
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers, ViewPlugin } from '@codemirror/view'
import type {
  ApplyWorkspaceEditParams,
  Diagnostic,
  PublishDiagnosticsParams,
  ShowDocumentParams,
} from 'vscode-languageserver-protocol'
import { modules } from '../machine/modules.ts'
import { textOf, withText, type Project } from '../project/project.ts'
import { Store } from '../project/store.ts'
import { applyEdit, codeActions, markOf } from './actions.ts'
import { askAgain } from './drawn.ts'
import { hints } from './hints.ts'
import { slang } from './language.ts'
import { layers, redrawn, type Layer } from './layers.ts'
import { lenses } from './lenses.ts'
import { tokenCapabilities, tokens } from './tokens.ts'
import { transportTo, type ServerWorker } from './transport.ts'
import { nameOf, ProjectWorkspace, uriOf } from './workspace.ts'

/** A diagnostic of the server with the name of its file. */
export interface FileDiagnostic extends Diagnostic {
  readonly file: string
}

/** Where the cursor is: the file, and line and column from 0. */
export interface Cursor {
  readonly file: string
  readonly line: number
  readonly character: number
}

/** How long the library waits for an answer, in milliseconds. Its three seconds are too few for a derivative of a large program. */
const timeout = 60_000

/** How long a pane waits for an answer, in milliseconds, if it says nothing else. */
const patience = 20_000

/** How to ask the server. */
export interface Asking {
  /** Ends the request: nobody waits for the answer any more. */
  readonly signal?: AbortSignal
  /** How long to wait, in milliseconds. */
  readonly patience?: number
}

/** The server has not answered in time. */
export class TooLate extends Error {
  override readonly name = 'TooLate'

  constructor(milliseconds: number) {
    super(
      `The server has not answered within ${Math.round(milliseconds / 1000)} seconds. The program may be too large for it.`,
    )
  }
}

export class Editor {
  readonly view: EditorView
  readonly client: LSPClient
  /** All diagnostics of the project, file by file. */
  readonly diagnostics: Store<readonly FileDiagnostic[]> = new Store<readonly FileDiagnostic[]>([])
  readonly cursor: Store<Cursor>
  /** Whether the server answers. */
  readonly ready: Store<boolean> = new Store(false)
  readonly #project: Store<Project>
  readonly #workspace: ProjectWorkspace
  readonly #states = new Map<string, EditorState>()
  readonly #byFile = new Map<string, readonly Diagnostic[]>()
  readonly #layers = new Map<string, Layer>()
  #shown: string

  constructor(parent: HTMLElement, project: Store<Project>) {
    this.#project = project
    this.#shown = project.value.open
    this.cursor = new Store<Cursor>({ file: this.#shown, line: 0, character: 0 })
    const ours: LSPClientExtension = {
      clientCapabilities: {
        textDocument: { ...tokenCapabilities, documentSymbol: { hierarchicalDocumentSymbolSupport: true } },
        workspace: { applyEdit: true, configuration: true, codeLens: { refreshSupport: true } },
        window: { showDocument: { support: true } },
      },
      notificationHandlers: {
        'textDocument/publishDiagnostics': (_client, params: PublishDiagnosticsParams) => {
          this.#hear(params)
          return true
        },
        // What the server notes for those who look into it is no matter of a visitor's console.
        'window/logMessage': () => true,
      },
    }
    this.client = new LSPClient({
      timeout,
      rootUri: 'file:///',
      workspace: client =>
        new ProjectWorkspace(client, {
          show: name => this.#show(name),
          changed: (name, text) => project.change(p => withText(p, name, text)),
        }),
      extensions: [ours, serverCompletion(), hoverTooltips(), signatureHelp()],
    })
    this.#workspace = this.client.workspace as ProjectWorkspace
    this.#workspace.take(project.value.files)
    this.view = new EditorView({ parent, state: this.#stateOf(this.#shown) })
    project.subscribe(p => this.#follow(p))
  }

  /** Begins to talk to a server. */
  async connect(worker: ServerWorker): Promise<void> {
    this.client.connect(transportTo(worker, (method, params) => this.#answer(method, params)))
    await this.client.initializing
    this.#send(modules)
    this.view.dispatch({ effects: askAgain.of(null) })
    this.ready.set(true)
  }

  /** Gives the server files that are not in the editor. Those of the project go before. */
  #send(files: Readonly<Record<string, string>>): void {
    const byUri = Object.fromEntries(Object.entries(files).map(([name, text]) => [uriOf(name), text]))
    this.client.notification('cotangent/files', { files: byUri })
  }

  /** Asks the server something, such as `cotangent/derivative`. What is given up is cancelled in the server, too. */
  request<Params extends object, Result>(
    method: string,
    params: Params,
    { signal, patience: most = patience }: Asking = {},
  ): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      signal?.throwIfAborted()
      this.client.sync()
      const giveUp = (why: Error): void => {
        this.client.cancelRequest(params)
        reject(why)
      }
      const clock = setTimeout(() => giveUp(new TooLate(most)), most)
      const abort = (): void => giveUp(new DOMException('Nobody waits for this any more.', 'AbortError'))
      signal?.addEventListener('abort', abort, { once: true })
      this.client
        .request<Params, Result>(method, params)
        .then(resolve, reject)
        .finally(() => {
          clearTimeout(clock)
          signal?.removeEventListener('abort', abort)
        })
    })
  }

  /** Draws a layer over the source, in all files, in place of the one of that name; undefined takes it away. */
  draw(name: string, layer: Layer | undefined): void {
    if (layer === undefined && !this.#layers.has(name)) return
    if (layer === undefined) this.#layers.delete(name)
    else this.#layers.set(name, layer)
    this.#drawLayers()
  }

  #drawLayers(): void {
    const { doc } = this.view.state
    this.view.dispatch(redrawn([...this.#layers.values()].map(layer => layer(this.#shown, doc))))
  }

  /** Brings a place into the editor, with the cursor on it. Line and column count from 0. */
  reveal(file: string, line: number, character: number): void {
    const view = this.#show(file)
    if (view === null || line >= view.state.doc.lines) return
    const { from, to } = view.state.doc.line(line + 1)
    const at = Math.min(to, from + character)
    view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'center' }) })
    view.focus()
  }

  /** The server's name of the file in the editor. */
  get uri(): string {
    return uriOf(this.#shown)
  }

  #show(name: string): EditorView | null {
    if (textOf(this.#project.value, name) === undefined) return null
    this.#project.change(p => (p.open === name ? p : { ...p, open: name }))
    return this.view
  }

  /** The project changed: here, or from outside. */
  #follow(project: Project): void {
    const { open } = project
    if (open !== this.#shown) {
      this.client.sync()
      this.#states.set(this.#shown, this.view.state)
      this.#shown = open
      const known = this.#states.get(open)
      const text = textOf(project, open)!
      this.view.setState(known?.doc.toString() === text ? known : this.#stateOf(open))
      this.#mark()
      this.#drawLayers()
      this.#moved()
    }
    const text = textOf(project, open)!
    if (this.view.state.doc.toString() !== text)
      this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } })
    for (const name of this.#states.keys()) if (textOf(project, name) === undefined) this.#states.delete(name)
    for (const name of this.#byFile.keys()) if (textOf(project, name) === undefined) this.#byFile.delete(name)
    this.#workspace.take(project.files)
    this.#tell()
  }

  #stateOf(name: string): EditorState {
    return EditorState.create({ doc: textOf(this.#project.value, name) ?? '', extensions: this.#extensions(name) })
  }

  #extensions(name: string): Extension {
    return [
      lineNumbers(),
      history(),
      drawSelection(),
      EditorState.allowMultipleSelections.of(true),
      indentOnInput(),
      indentUnit.of('    '),
      bracketMatching(),
      closeBrackets(),
      highlightActiveLine(),
      highlightSelectionMatches(),
      lintGutter(),
      slang,
      tokens,
      hints,
      lenses,
      layers,
      codeActions(uri => this.#byFile.get(nameOf(uri) ?? '') ?? []),
      this.client.plugin(uriOf(name), 'slang'),
      keymap.of([
        ...closeBracketsKeymap,
        ...formatKeymap,
        ...renameKeymap,
        ...jumpToDefinitionKeymap,
        ...findReferencesKeymap,
        ...completionKeymap,
        ...searchKeymap,
        ...historyKeymap,
        ...lintKeymap,
        ...defaultKeymap,
      ]),
      // What can be edited takes the focus without a tabindex, but some readers look for one.
      EditorView.contentAttributes.of({
        tabindex: '0',
        'aria-label': `Source of ${name}`,
        'aria-describedby': 'editor-help',
      }),
      EditorView.updateListener.of(update => {
        if (update.docChanged) {
          const text = update.state.doc.toString()
          this.#project.change(p => (textOf(p, name) === text ? p : withText(p, name, text)))
        }
        if (update.docChanged || update.selectionSet) this.#moved()
      }),
      syncing,
    ]
  }

  #moved(): void {
    const { doc, selection } = this.view.state
    const line = doc.lineAt(selection.main.head)
    this.cursor.set({ file: this.#shown, line: line.number - 1, character: selection.main.head - line.from })
  }

  #hear({ uri, diagnostics, version }: PublishDiagnosticsParams): void {
    const name = nameOf(uri)
    const file = this.client.workspace.getFile(uri)
    // Of an older text: those of the newer one come.
    if (name === undefined || file === null || (version !== undefined && version !== file.version)) return
    this.#byFile.set(name, diagnostics)
    if (name === this.#shown) this.#mark()
    this.#tell()
  }

  #mark(): void {
    const marks = (this.#byFile.get(this.#shown) ?? []).flatMap(d => markOf(this.view, d) ?? [])
    this.view.dispatch(setDiagnostics(this.view.state, marks))
  }

  #tell(): void {
    const all = this.#project.value.files.flatMap(({ name }) =>
      (this.#byFile.get(name) ?? []).map(d => ({ ...d, file: name })),
    )
    if (JSON.stringify(all) !== JSON.stringify(this.diagnostics.value)) this.diagnostics.set(all)
  }

  /** Requests of the server's. */
  #answer(method: string, params: unknown): unknown {
    switch (method) {
      case 'workspace/applyEdit':
        applyEdit(this.client, (params as ApplyWorkspaceEditParams).edit)
        return { applied: true }
      case 'workspace/configuration':
        return (params as { readonly items: readonly unknown[] }).items.map(() => null)
      case 'window/showDocument': {
        const { uri, selection } = params as ShowDocumentParams
        const name = nameOf(uri)
        if (name === undefined || this.#show(name) === null) return { success: false }
        if (selection !== undefined) this.reveal(name, selection.start.line, selection.start.character)
        return { success: true }
      }
      case 'client/registerCapability':
      case 'client/unregisterCapability':
      case 'window/workDoneProgress/create':
        return null
      case 'workspace/codeLens/refresh':
      case 'workspace/inlayHint/refresh':
      case 'workspace/semanticTokens/refresh':
        this.view.dispatch({ effects: askAgain.of(null) })
        return null
      default:
        return undefined
    }
  }
}

/** Sends changes to the server a moment after they were typed. */
const syncing = ViewPlugin.define(view => {
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    update({ docChanged }) {
      if (!docChanged) return
      clearTimeout(timer)
      timer = setTimeout(() => LSPPlugin.get(view)?.client.sync(), 200)
    },
    destroy: () => clearTimeout(timer),
  }
})
