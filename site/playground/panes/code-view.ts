/** A text that can be read but not written: with colours, a cursor, and lines that are lit. Whoever points at a line is heard, by mouse and by keyboard. */
import { defaultKeymap } from '@codemirror/commands'
import { Compartment, EditorState, StateEffect, StateField, type Extension, type Text } from '@codemirror/state'
import { Decoration, drawSelection, EditorView, keymap, lineNumbers, type DecorationSet } from '@codemirror/view'

/** What a view tells. Lines count from 0. */
export interface CodeListener {
  /** The mouse is on a line; undefined: it has left. */
  readonly hovered: (line: number | undefined) => void
  /** The cursor was put on a line. */
  readonly placed: (line: number) => void
  /** Somebody wants to go to what the line was made of. */
  readonly followed: (line: number) => void
}

export interface CodeView {
  readonly dom: HTMLElement
  /** Replaces the text. */
  readonly show: (text: string, label: string, language: Extension) => void
  /** Lights lines, and no others. `isScrolled`: brings the first of them into the view. */
  readonly light: (lines: readonly number[], isScrolled: boolean) => void
  readonly destroy: () => void
}

const lit = Decoration.line({ class: 'lit' })

/** The decorations that light lines of a document. */
export function litLines(doc: Text, lines: readonly number[]): DecorationSet {
  return Decoration.set(lines.filter(l => l < doc.lines).map(l => lit.range(doc.line(l + 1).from)))
}

/**
 * The line under the mouse. The page knows it better than the view, which guesses the heights of lines until it has drawn them, such as those of a text
 * that was just scrolled to.
 */
export function lineUnder(view: EditorView, { target }: MouseEvent): number | undefined {
  const line = target instanceof Element ? target.closest('.cm-line') : null
  if (line === null || !view.contentDOM.contains(line)) return undefined
  return view.state.doc.lineAt(view.posAtDOM(line)).number - 1
}

/** Brings a line into what a view shows of its text, and scrolls nothing else. */
export function scrollTo(view: EditorView, line: number): void {
  if (line >= view.state.doc.lines) return
  const { top, bottom } = view.lineBlockAt(view.state.doc.line(line + 1).from)
  const { scrollDOM } = view
  const [first, last] = [scrollDOM.scrollTop, scrollDOM.scrollTop + scrollDOM.clientHeight]
  if (top < first || bottom > last) scrollDOM.scrollTop = Math.max(0, (top + bottom - scrollDOM.clientHeight) / 2)
}

export function codeView(into: HTMLElement, { hovered, placed, followed }: CodeListener): CodeView {
  const lighted = StateEffect.define<readonly number[]>()
  const field = StateField.define<DecorationSet>({
    create: () => Decoration.none,
    update(set, transaction) {
      for (const effect of transaction.effects)
        if (effect.is(lighted)) return litLines(transaction.newDoc, effect.value)
      return transaction.docChanged ? Decoration.none : set
    },
    provide: own => EditorView.decorations.from(own),
  })
  const lineAt = (state: EditorState): number => state.doc.lineAt(state.selection.main.head).number - 1
  const [language, label] = [new Compartment(), new Compartment()]
  const view = new EditorView({
    parent: into,
    state: EditorState.create({
      extensions: [
        // The text stays focusable, so that the cursor can be moved in it.
        EditorState.readOnly.of(true),
        lineNumbers(),
        drawSelection(),
        EditorView.lineWrapping,
        field,
        language.of([]),
        label.of([]),
        keymap.of([
          {
            key: 'Enter',
            run: ({ state }) => {
              followed(lineAt(state))
              return true
            },
          },
          ...defaultKeymap,
        ]),
        EditorView.updateListener.of(update => {
          if (update.selectionSet && !update.docChanged) placed(lineAt(update.state))
        }),
        EditorView.domEventHandlers({
          mousemove: (event, of) => {
            hovered(lineUnder(of, event))
          },
          mouseleave: () => {
            hovered(undefined)
          },
        }),
      ],
    }),
  })
  return {
    dom: view.dom,
    show(text, name, words) {
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: text },
        selection: { anchor: 0 },
        effects: [
          language.reconfigure(words),
          // A phone needs no keyboard for what cannot be written.
          label.reconfigure(
            EditorView.contentAttributes.of({
              'aria-label': name,
              'aria-readonly': 'true',
              inputmode: 'none',
              tabindex: '0',
            }),
          ),
        ],
      })
      view.scrollDOM.scrollTop = 0
    },
    light(lines, isScrolled) {
      view.dispatch({ effects: lighted.of(lines) })
      const [first] = lines
      if (isScrolled && first !== undefined) scrollTo(view, first)
    },
    destroy: () => view.destroy(),
  }
}
