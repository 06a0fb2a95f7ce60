/**
 * Draws what the server says of the whole document: asks a while after each change and once the server is there, and keeps what is drawn where
 * the text moves meanwhile. Hints, lenses and colours each are one of these.
 */
import { LSPPlugin } from '@codemirror/lsp-client'
import { StateEffect, StateField, type Extension, type Text } from '@codemirror/state'
import { Decoration, EditorView, ViewPlugin, type DecorationSet, type ViewUpdate } from '@codemirror/view'

/** How long the text rests before the server is asked, in milliseconds. */
const rest = 350

/** Asks the server again, though the text is the same: by settings, for instance. */
export const askAgain = StateEffect.define()

/** One kind of decoration. `make` gives it for a document, from the answer. */
export interface Drawn<Answer> {
  readonly method: string
  readonly params: (uri: string, doc: Text) => object
  readonly make: (answer: Answer, doc: Text, view: EditorView) => DecorationSet
}

export function drawn<Answer>({ method, params, make }: Drawn<Answer>): Extension {
  const replaced = StateEffect.define<DecorationSet>()
  const field = StateField.define<DecorationSet>({
    create: () => Decoration.none,
    update(set, transaction) {
      for (const effect of transaction.effects) if (effect.is(replaced)) return effect.value
      return set.map(transaction.changes)
    },
    provide: own => EditorView.decorations.from(own),
  })
  class Asking {
    readonly #view: EditorView
    #timer: ReturnType<typeof setTimeout> | undefined
    #isDone = false

    constructor(view: EditorView) {
      this.#view = view
      this.#later()
    }

    update(update: ViewUpdate): void {
      if (update.docChanged || update.transactions.some(t => t.effects.some(e => e.is(askAgain)))) this.#later()
    }

    destroy(): void {
      this.#isDone = true
      clearTimeout(this.#timer)
    }

    #later(): void {
      clearTimeout(this.#timer)
      this.#timer = setTimeout(() => void this.#ask(), rest)
    }

    async #ask(): Promise<void> {
      const plugin = LSPPlugin.get(this.#view)
      if (plugin === null || !plugin.client.connected) return
      try {
        await plugin.client.initializing
        if (this.#isDone) return
        plugin.client.sync()
        const { doc } = this.#view.state
        const answer = await plugin.client.request<object, Answer | null>(method, params(plugin.uri, doc))
        // What was typed meanwhile will be asked for.
        if (this.#isDone || this.#view.state.doc !== doc) return
        const set = answer === null ? Decoration.none : make(answer, doc, this.#view)
        this.#view.dispatch({ effects: replaced.of(set) })
      } catch {
        // The server was asked about an older text, or is busy: what is drawn stays until the next change.
      }
    }
  }
  return [field, ViewPlugin.fromClass(Asking)]
}

/** The offset of a place; undefined where the document has no such place. */
export function offsetOf(
  doc: Text,
  { line, character }: { readonly line: number; readonly character: number },
): number | undefined {
  if (line >= doc.lines) return undefined
  const { from, to } = doc.line(line + 1)
  return from + character <= to ? from + character : undefined
}
