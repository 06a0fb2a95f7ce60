/** Code actions: Ctrl-. (Cmd-. on macOS) lists what the server can do about the place of the cursor, and the chosen one is done. */
import { LSPPlugin, type LSPClient } from '@codemirror/lsp-client'
import type { Diagnostic as Marked } from '@codemirror/lint'
import { type EditorView, keymap, showPanel, type Panel } from '@codemirror/view'
import { StateEffect, StateField, type Extension } from '@codemirror/state'
import type { CodeAction, Command, Diagnostic, WorkspaceEdit } from 'vscode-languageserver-protocol'

type Action = CodeAction | Command

const shown = StateEffect.define<readonly Action[] | undefined>()

const field = StateField.define<readonly Action[] | undefined>({
  create: () => undefined,
  update(actions, transaction) {
    for (const effect of transaction.effects) if (effect.is(shown)) return effect.value
    return transaction.docChanged ? undefined : actions
  },
  provide: own => showPanel.from(own, actions => (actions === undefined ? null : view => panelOf(view, actions))),
})

/** The list of actions, with a key that opens it. `diagnosticsAt` gives the server's diagnostics between two offsets. */
export function codeActions(diagnosticsAt: (uri: string) => readonly Diagnostic[]): Extension {
  const ask = (view: EditorView): boolean => {
    void open(view, diagnosticsAt)
    return true
  }
  return [field, keymap.of([{ key: 'Mod-.', run: ask }])]
}

/** Asks for the actions at the selection, and lists them. */
export async function open(view: EditorView, diagnosticsOf: (uri: string) => readonly Diagnostic[]): Promise<void> {
  const plugin = LSPPlugin.get(view)
  if (plugin === null) return
  plugin.client.sync()
  const { from, to } = view.state.selection.main
  const [start, end] = [plugin.toPosition(from), plugin.toPosition(to)]
  const touches = ({ range }: Diagnostic): boolean => range.start.line <= end.line && range.end.line >= start.line
  const context = { diagnostics: diagnosticsOf(plugin.uri).filter(touches) }
  const params = { textDocument: { uri: plugin.uri }, range: { start, end }, context }
  const actions = await plugin.client
    .request<object, readonly Action[] | null>('textDocument/codeAction', params)
    .catch(() => null)
  view.dispatch({ effects: shown.of(actions ?? []) })
}

function panelOf(view: EditorView, actions: readonly Action[]): Panel {
  const dom = document.createElement('div')
  dom.className = 'actions'
  dom.setAttribute('role', 'group')
  dom.setAttribute('aria-label', 'What can be done here')
  const close = (): void => {
    view.dispatch({ effects: shown.of(undefined) })
    view.focus()
  }
  for (const action of actions) {
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = action.title
    button.addEventListener('click', () => {
      close()
      void done(view, action)
    })
    dom.append(button)
  }
  const leave = document.createElement('button')
  leave.type = 'button'
  leave.textContent = actions.length === 0 ? 'Nothing to do here' : 'Cancel'
  leave.addEventListener('click', close)
  dom.append(leave)
  dom.addEventListener('keydown', event => {
    if (event.key === 'Escape') close()
  })
  return { dom, mount: () => dom.querySelector('button')?.focus() }
}

async function done(view: EditorView, action: Action): Promise<void> {
  const plugin = LSPPlugin.get(view)
  if (plugin === null) return
  const { client } = plugin
  if (typeof action.command === 'string') {
    await client
      .request('workspace/executeCommand', { command: action.command, arguments: (action as Command).arguments })
      .catch(() => {})
    return
  }
  const whole = action as CodeAction
  const resolved =
    whole.edit === undefined
      ? await client.request<CodeAction, CodeAction>('codeAction/resolve', whole).catch(() => whole)
      : whole
  if (resolved.edit !== undefined) applyEdit(client, resolved.edit)
}

/** Makes an edit of the server's in all files that it names. */
export function applyEdit(client: LSPClient, { changes, documentChanges }: WorkspaceEdit): void {
  const edits = new Map(Object.entries(changes ?? {}))
  for (const change of documentChanges ?? []) {
    if ('textDocument' in change)
      edits.set(change.textDocument.uri, change.edits as NonNullable<typeof changes>[string])
  }
  client.sync()
  for (const [uri, list] of edits) {
    const file = client.workspace.getFile(uri)
    if (file === null) continue
    const at = ({ line, character }: { line: number; character: number }): number =>
      file.doc.line(line + 1).from + character
    client.workspace.updateFile(uri, {
      changes: list.map(({ range, newText }) => ({ from: at(range.start), to: at(range.end), insert: newText })),
      userEvent: 'input.fix',
    })
  }
}

/** A diagnostic as the editor marks it. */
export function markOf(view: EditorView, d: Diagnostic): Marked | undefined {
  const plugin = LSPPlugin.get(view)
  if (plugin === null) return undefined
  const { doc } = view.state
  const at = (p: { line: number; character: number }): number =>
    Math.min(doc.length, plugin.unsyncedChanges.mapPos(plugin.fromPosition(p, plugin.syncedDoc)))
  return {
    from: at(d.range.start),
    to: at(d.range.end),
    severity: d.severity === 1 ? 'error' : d.severity === 2 ? 'warning' : d.severity === 3 ? 'info' : 'hint',
    message: d.code === undefined ? textOfMessage(d) : `${d.code}: ${textOfMessage(d)}`,
    ...(d.source === undefined ? {} : { source: d.source }),
  }
}

/** The message of a diagnostic as plain text. */
export function textOfMessage({ message }: Diagnostic): string {
  return typeof message === 'string' ? message : message.value
}
