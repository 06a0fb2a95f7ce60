/**
 * What panes draw over the source while they are open. Each pane has a layer of its own. A mark that has a `why` in its spec tells it to whoever
 * points at the mark.
 */
import { StateEffect, StateField, type Extension, type Text, type TransactionSpec } from '@codemirror/state'
import { EditorView, hoverTooltip, type DecorationSet } from '@codemirror/view'

/** Gives the decorations for a file of the project. */
export type Layer = (file: string, doc: Text) => DecorationSet

const replaced = StateEffect.define<readonly DecorationSet[]>()

const field = StateField.define<readonly DecorationSet[]>({
  create: () => [],
  update(sets, transaction) {
    for (const effect of transaction.effects) if (effect.is(replaced)) return effect.value
    return transaction.docChanged ? sets.map(set => set.map(transaction.changes)) : sets
  },
  provide: own => EditorView.decorations.computeN([own], state => state.field(own)),
})

const reasons = hoverTooltip((view, at) => {
  const found: { readonly why: string; readonly from: number; readonly to: number }[] = []
  for (const set of view.state.field(field))
    set.between(at, at, (from, to, { spec }) => {
      const { why } = spec as { readonly why?: unknown }
      if (typeof why === 'string') found.push({ why, from, to })
    })
  const [first] = found
  if (first === undefined) return null
  return {
    pos: first.from,
    end: first.to,
    create: () => {
      const dom = document.createElement('div')
      dom.className = 'why'
      dom.append(...found.map(({ why }) => Object.assign(document.createElement('p'), { textContent: why })))
      return { dom }
    },
  }
})

export const layers: Extension = [field, reasons]

/** Replaces what all layers draw. */
export function redrawn(sets: readonly DecorationSet[]): TransactionSpec {
  return { effects: replaced.of(sets) }
}
