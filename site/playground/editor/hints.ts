/** Inlay hints: types that the source leaves out, names of parameters, and what a reverse pass keeps. */
import type { Extension, Range } from '@codemirror/state'
import { Decoration, WidgetType } from '@codemirror/view'
import type { InlayHint } from 'vscode-languageserver-protocol'
import { drawn, offsetOf } from './drawn.ts'

class Hint extends WidgetType {
  readonly #text: string
  readonly #title: string

  constructor(text: string, title: string) {
    super()
    this.#text = text
    this.#title = title
  }

  override eq(other: Hint): boolean {
    return other.#text === this.#text && other.#title === this.#title
  }

  override toDOM(): HTMLElement {
    const span = document.createElement('span')
    span.className = 'hint'
    span.textContent = this.#text
    span.title = this.#title
    return span
  }
}

export const hints: Extension = drawn<readonly InlayHint[]>({
  method: 'textDocument/inlayHint',
  params: (uri, doc) => ({
    textDocument: { uri },
    range: { start: { line: 0, character: 0 }, end: { line: doc.lines - 1, character: doc.line(doc.lines).length } },
  }),
  make(answer, doc) {
    const found: Range<Decoration>[] = []
    for (const { position, label, tooltip, paddingLeft, paddingRight } of answer) {
      const at = offsetOf(doc, position)
      if (at === undefined) continue
      const text = typeof label === 'string' ? label : label.map(part => part.value).join('')
      const title = tooltip === undefined ? '' : typeof tooltip === 'string' ? tooltip : tooltip.value
      const padded = `${paddingLeft === true ? ' ' : ''}${text}${paddingRight === true ? ' ' : ''}`
      found.push(Decoration.widget({ widget: new Hint(padded, title), side: 1 }).range(at))
    }
    return Decoration.set(found, true)
  },
})
