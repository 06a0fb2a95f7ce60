/**
 * The derivative of a function in a document beside its source. Where the cursor stands in one of the two, the lines of the other that belong to it
 * are lit. The document is made again when its source changes.
 */
import * as vscode from 'vscode'
import type { BaseLanguageClient } from 'vscode-languageclient'
import { linesBehind, linesMadeOf, type Link } from './links.ts'

const scheme = 'cotangent-derivative'

type Mode = 'primal' | 'forward' | 'reverse'
type Form = 'ir' | 'wgsl' | 'js'

/** The stages that `--dump-ir` knows, and what they show. */
const stages = {
  final: 'as targets get it',
  extracted: 'the reverse pass as a function of its own',
  checkpointed: 'with what is kept and what is computed again',
  transposed: 'the linear part, backwards',
  unzipped: 'values and tangents apart',
  linearized: 'values and tangents together',
  prepared: 'before it is differentiated',
  ssa: 'the function itself, without variables',
  lower: 'the function itself, as it was lowered',
}

/** What a document shows. */
interface Subject {
  readonly source: vscode.Uri
  readonly position: vscode.Position
  readonly mode: Mode
  readonly as: Form
  readonly stage: string | undefined
}

interface Answer {
  readonly text: string
  readonly links: readonly Link[]
}

const endings: Readonly<Record<Form, string>> = { ir: 'txt', wgsl: 'wgsl', js: 'js' }

/** Milliseconds without an edit after which derivatives are made again. */
const quiet = 300

/** Shows derivatives. */
export class DerivativeView implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #client: BaseLanguageClient
  readonly #changed = new vscode.EventEmitter<vscode.Uri>()
  readonly onDidChange = this.#changed.event
  /** By the URI of the document. */
  readonly #subjects = new Map<string, Subject>()
  readonly #links = new Map<string, readonly Link[]>()
  readonly #lit = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('cotangent.linkedLine'),
    overviewRulerColor: new vscode.ThemeColor('cotangent.linkedLine'),
  })
  readonly #parts: readonly vscode.Disposable[]
  /** The sources that have changed since their derivatives were made. */
  readonly #stale = new Set<string>()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(client: BaseLanguageClient) {
    this.#client = client
    this.#parts = [
      this.#changed,
      this.#lit,
      vscode.workspace.registerTextDocumentContentProvider(scheme, this),
      vscode.commands.registerCommand('cotangent.showDerivative', () => this.#show()),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
        this.#light(textEditor)
      }),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        this.#sourceChanged(document.uri.toString(), contentChanges)
      }),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        this.#subjects.delete(uri.toString())
        this.#links.delete(uri.toString())
      }),
    ]
  }

  dispose(): void {
    clearTimeout(this.#timer)
    for (const part of this.#parts) part.dispose()
  }

  async provideTextDocumentContent(uri: vscode.Uri, token: vscode.CancellationToken): Promise<string> {
    const subject = this.#subjects.get(uri.toString())
    if (subject === undefined) return 'Close this document, and show the derivative again.'
    const { source, position, mode, as, stage } = subject
    const { line, character } = position
    try {
      const { text, links } = await this.#client.sendRequest<Answer>(
        'cotangent/derivative',
        { textDocument: { uri: source.toString() }, position: { line, character }, mode, as, stage },
        token,
      )
      this.#keep(uri, links)
      return text
    } catch (cause) {
      this.#keep(uri, [])
      return (cause as Error).message
    }
  }

  /** Keeps the links of a document, unless it was closed while it was made. */
  #keep(uri: vscode.Uri, links: readonly Link[]): void {
    if (this.#subjects.has(uri.toString())) this.#links.set(uri.toString(), links)
  }

  /** Asks what to show of the function at the cursor, and shows it. */
  async #show(): Promise<void> {
    const editor = vscode.window.activeTextEditor
    if (editor?.document.languageId !== 'slang') return
    const mode = await picked<Mode>('Which derivative?', {
      reverse: 'bwd_diff: the gradient',
      forward: 'fwd_diff: along a direction',
      primal: 'the function itself',
    })
    if (mode === undefined) return
    const as = await picked<Form>('As what?', {
      wgsl: 'WGSL',
      js: 'JavaScript',
      ir: 'the compiler’s IR, after a stage',
    })
    if (as === undefined) return
    const stage = as === 'ir' ? await picked('After which stage?', stages) : undefined
    if (as === 'ir' && stage === undefined) return
    await this.#open(editor, { source: editor.document.uri, position: editor.selection.active, mode, as, stage })
  }

  async #open(editor: vscode.TextEditor, subject: Subject): Promise<void> {
    const { source, position, mode, as, stage } = subject
    const name = source.path.split('/').at(-1) ?? ''
    const title = `${name}:${position.line + 1} ${mode}${stage === undefined ? '' : ` ${stage}`}.${endings[as]}`
    const query = `${source.toString()}:${position.line}:${position.character}`
    const uri = vscode.Uri.from({ scheme, path: `/${title}`, query })
    this.#subjects.set(uri.toString(), subject)
    this.#changed.fire(uri)
    const document = await vscode.workspace.openTextDocument(uri)
    await vscode.window.showTextDocument(document, {
      viewColumn: vscode.ViewColumn.Beside,
      preserveFocus: true,
      preview: true,
    })
    this.#light(editor)
  }

  /** Lights the lines that belong to those where the cursor stands. */
  #light(editor: vscode.TextEditor): void {
    const { document, selection } = editor
    const own = document.uri.toString()
    const [first, last] = [selection.start.line, selection.end.line]
    const shown = this.#subjects.get(own)
    if (shown !== undefined) {
      const links = this.#links.get(own) ?? []
      for (const other of vscode.window.visibleTextEditors) {
        if (other.document.uri.scheme === scheme) continue
        this.#decorate(other, linesBehind(links, shown.source.toString(), other.document.uri.toString(), first, last))
      }
      editor.setDecorations(this.#lit, [])
      return
    }
    for (const other of vscode.window.visibleTextEditors) {
      const uri = other.document.uri.toString()
      const subject = this.#subjects.get(uri)
      if (subject === undefined) continue
      this.#decorate(other, linesMadeOf(this.#links.get(uri) ?? [], subject.source.toString(), own, first, last))
      editor.setDecorations(this.#lit, [])
    }
  }

  #decorate(editor: vscode.TextEditor, lines: readonly number[]): void {
    const ranges = lines.filter(l => l < editor.document.lineCount).map(l => editor.document.lineAt(l).range)
    editor.setDecorations(this.#lit, ranges)
    const [first] = ranges
    if (first !== undefined) editor.revealRange(first, vscode.TextEditorRevealType.InCenterIfOutsideViewport)
  }

  /** Makes the documents of a source again, once nobody has typed for a while. */
  #sourceChanged(uri: string, changes: readonly vscode.TextDocumentContentChangeEvent[]): void {
    let isShown = false
    for (const [key, subject] of this.#subjects) {
      if (subject.source.toString() !== uri) continue
      isShown = true
      let { position } = subject
      for (const { range, text } of changes) position = moved(position, range, text)
      this.#subjects.set(key, { ...subject, position })
    }
    if (!isShown) return
    this.#stale.add(uri)
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      for (const [key, { source }] of this.#subjects)
        if (this.#stale.has(source.toString())) this.#changed.fire(vscode.Uri.parse(key))
      this.#stale.clear()
    }, quiet)
  }
}

/** Where a place is after an edit of lines above it. */
function moved(position: vscode.Position, { start, end }: vscode.Range, text: string): vscode.Position {
  if (end.line >= position.line) return position
  return position.translate(text.split('\n').length - 1 - (end.line - start.line))
}

/** What somebody chooses of a list. */
async function picked<T extends string>(
  placeHolder: string,
  choices: Readonly<Record<T, string>>,
): Promise<T | undefined> {
  const items = (Object.keys(choices) as T[]).map(label => ({ label, description: choices[label] }))
  return (await vscode.window.showQuickPick(items, { placeHolder }))?.label
}
