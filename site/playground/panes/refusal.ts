/** Why the server gives no derivative: the sentence, the mistakes and the chain of reasons, with a button to each place. */
import './refusal.css'
import type { Diagnostic, Location } from 'vscode-languageserver-protocol'
import { textOfMessage } from '../editor/actions.ts'
import type { Editor } from '../editor/editor.ts'
import { nameOf } from '../editor/workspace.ts'
import { element } from './element.ts'
import { messageOf } from './functions.ts'

interface Reason {
  readonly text: string
  readonly location?: Location
  readonly because: readonly Reason[]
}

/** The data of the error that answers `cotangent/derivative`. */
interface RefusalData {
  readonly diagnostics: readonly Diagnostic[]
  readonly reasons: readonly Reason[]
}

/** Draws why there is nothing. */
export function refusal(cause: unknown, editor: Editor): HTMLElement {
  const { reasons, diagnostics } = dataOf(cause)
  // The server's sentence lists the reasons once more, for those who show text alone.
  const said = reasons.length === 0 ? messageOf(cause) : messageOf(cause).split('\n- ', 1)[0]!
  const about = element('div', { class: 'refusal' }, element('p', {}, sentence(said)))
  if (reasons.length > 0) about.append(reasonList(reasons, editor))
  for (const d of diagnostics) {
    const file = fileOf(d, editor)
    if (file === undefined) continue
    const { line, character } = d.range.start
    about.append(element('p', {}, placeButton(editor, file, line, character)))
  }
  return about
}

/** A button that leads to a place in the source. */
export function placeButton(editor: Editor, file: string, line: number, character: number, text = ''): HTMLElement {
  const place = element('span', { class: 'place' }, `${file}:${line + 1}:${character + 1}`)
  const button = element('button', { type: 'button', class: 'to-place' }, text === '' ? 'Go to ' : `${text} `, place)
  button.addEventListener('click', () => editor.reveal(file, line, character))
  return button
}

/** A sentence of the server's, with a capital letter unless it begins with a name, and a full stop. */
export function sentence(text: string): string {
  const begun = /^(?:no|the|this|errors|it)\b/.test(text) ? `${text[0]!.toUpperCase()}${text.slice(1)}` : text
  return /[.!?:]$/.test(begun) ? begun : `${begun}.`
}

function reasonList(reasons: readonly Reason[], editor: Editor): HTMLElement {
  return element('ul', {}, ...reasons.map(r => reasonItem(r, editor)))
}

function reasonItem({ text, location, because }: Reason, editor: Editor): HTMLElement {
  const file = location && nameOf(location.uri)
  const { line, character } = location?.range.start ?? { line: 0, character: 0 }
  const said = file === undefined ? text : placeButton(editor, file, line, character, text)
  return element('li', {}, said, ...(because.length === 0 ? [] : [reasonList(because, editor)]))
}

function dataOf(cause: unknown): RefusalData {
  const none: RefusalData = { diagnostics: [], reasons: [] }
  if (typeof cause !== 'object' || cause === null || !('data' in cause)) return none
  const { data } = cause
  return typeof data === 'object' && data !== null ? { ...none, ...data } : none
}

/** The file of a mistake, which the refusal does not name: that of the same mistake in the list, or the only one. */
function fileOf(d: Diagnostic, { diagnostics, client }: Editor): string | undefined {
  const isSame = (o: Diagnostic): boolean =>
    o.code === d.code &&
    o.range.start.line === d.range.start.line &&
    o.range.start.character === d.range.start.character &&
    textOfMessage(o) === textOfMessage(d)
  const { files } = client.workspace
  return diagnostics.value.find(isSame)?.file ?? (files.length === 1 ? nameOf(files[0]!.uri) : undefined)
}
