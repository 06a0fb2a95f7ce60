/** Code lenses: buttons above lines, such as the one that checks derivatives. */
import { LSPPlugin } from '@codemirror/lsp-client'
import type { Extension, Range } from '@codemirror/state'
import { Decoration, type EditorView, WidgetType } from '@codemirror/view'
import type { CodeLens } from 'vscode-languageserver-protocol'
import { drawn, offsetOf } from './drawn.ts'

class Lenses extends WidgetType {
  readonly #lenses: readonly CodeLens[]

  constructor(lenses: readonly CodeLens[]) {
    super()
    this.#lenses = lenses
  }

  override eq(other: Lenses): boolean {
    return JSON.stringify(other.#lenses) === JSON.stringify(this.#lenses)
  }

  override toDOM(view: EditorView): HTMLElement {
    const line = document.createElement('div')
    line.className = 'lens'
    for (const { command } of this.#lenses) {
      if (command === undefined) continue
      const button = document.createElement('button')
      button.type = 'button'
      button.textContent = command.title
      button.disabled = command.command === ''
      button.addEventListener('click', () => {
        const { command: name, arguments: args } = command
        LSPPlugin.get(view)
          ?.client.request('workspace/executeCommand', { command: name, arguments: args })
          .catch(() => {})
      })
      line.append(button)
    }
    return line
  }

  override ignoreEvent(): boolean {
    return true
  }
}

export const lenses: Extension = drawn<readonly CodeLens[]>({
  method: 'textDocument/codeLens',
  params: uri => ({ textDocument: { uri } }),
  make(answer, doc) {
    const byLine = new Map<number, CodeLens[]>()
    for (const lens of answer) {
      const at = offsetOf(doc, lens.range.start)
      if (lens.command === undefined || at === undefined) continue
      const { from } = doc.lineAt(at)
      byLine.set(from, [...(byLine.get(from) ?? []), lens])
    }
    const found: Range<Decoration>[] = []
    for (const [from, list] of byLine)
      found.push(Decoration.widget({ widget: new Lenses(list), block: true, side: -1 }).range(from))
    return Decoration.set(found, true)
  },
})
