/**
 * The pane Explain: what the reverse pass of each function keeps, recomputes and stores, as tables and drawn over the source, with a slider that limits
 * what it may store.
 */
import './explain.css'
import type { Text } from '@codemirror/state'
import { Decoration } from '@codemirror/view'
import { textOfMessage } from '../editor/actions.ts'
import { element } from './element.ts'
import {
  counted,
  decisions,
  explainPicks,
  limitsFor,
  number,
  type ExplainAnswer,
  type Explained,
} from './explain-answer.ts'
import { explainMarks } from './explain-layer.ts'
import { explainTables } from './explain-table.ts'
import { functionsOf, messageOf, whenChanged, type ListedFunction } from './functions.ts'
import type { Pane } from './pane.ts'
import { placeButton, sentence } from './refusal.ts'

/** How long the slider rests before the server is asked, in milliseconds. */
const rest = 120

/** What is shown, all of one text. */
interface Shown {
  readonly file: string
  readonly text: Text
  readonly functions: readonly ListedFunction[]
  /** Without a limit. */
  readonly free: ExplainAnswer
  readonly limits: readonly number[]
  /** Why there is nothing to explain of some functions. */
  readonly refusals: Map<ListedFunction, string>
}

export const pane: Pane = (into, site) => {
  const { editor, project } = site
  const limitNow = (): number | undefined => explainPicks(project.value.picks['explain']).maxContext

  const slider = element('input', { type: 'range', min: '0', max: '1', step: '1', 'data-testid': 'max-context' })
  const value = element('output', { 'data-testid': 'max-context-value' })
  const all = element('input', { type: 'checkbox', 'data-testid': 'explain-all' })
  const status = element('p', { class: 'empty', role: 'status', 'data-testid': 'explain-status' })
  const mistakes = element('div', { class: 'mistakes' })
  const tables = element('div', { class: 'explained-functions' })
  const others = element('ul', { class: 'unexplained', 'aria-label': 'Functions without a reverse pass' })
  into.append(
    element('label', { class: 'control' }, element('span', {}, 'May store'), slider, value),
    element('ul', { class: 'legend', 'aria-label': 'What the lines under the source mean' }, ...legend()),
    element('label', {}, all, ' Also values that only serve to compute others'),
    status,
    mistakes,
    tables,
    others,
  )

  let shown: Shown | undefined
  let answer: ExplainAnswer | undefined
  let asking = new AbortController()
  const anew = (): AbortSignal => {
    asking.abort()
    asking = new AbortController()
    tables.setAttribute('aria-busy', 'true')
    return asking.signal
  }

  // ── Drawing ──────────────────────────────────────────────────────────────────────────────────────────────────

  const drawSlider = (): void => {
    const limit = limitNow()
    const limits = shown?.limits ?? []
    slider.disabled = limits.length === 0 && limit === undefined
    slider.max = `${Math.max(1, limits.length)}`
    const at = limit === undefined ? limits.length : limits.findLastIndex(l => l <= limit)
    slider.value = `${limits.length === 0 ? (limit === undefined ? 1 : 0) : Math.max(0, at)}`
    value.textContent = limit === undefined ? 'no limit' : `at most ${number(limit)} B`
    slider.setAttribute('aria-valuetext', value.textContent)
  }

  const drawAnswer = (): void => {
    if (shown === undefined || answer === undefined) return
    const { functions, file, text } = shown
    const { functions: explained, diagnostics } = answer
    tables.setAttribute('aria-busy', 'false')
    const before = new Map([...tables.querySelectorAll('details')].map(d => [d.dataset['function'], d.open]))
    tables.replaceChildren(
      ...explainTables(explained, {
        all: all.checked,
        wasOpen: name => before.get(name),
        go: (line, character) => editor.reveal(file, line, character),
      }),
    )
    mistakes.replaceChildren(
      ...diagnostics.map(d => {
        const { line, character } = d.range.start
        const said = element('p', {}, textOfMessage(d))
        return element('div', { class: 'mistake' }, said, placeButton(editor, file, line, character))
      }),
    )
    editor.draw('explain', (name, doc) =>
      name === file && doc.eq(text) ? explainMarks(doc, explained, functions, all.checked) : Decoration.none,
    )
    markRows()
    status.textContent = summary(explained, limitNow())
    status.hidden = false
  }
  const markRows = (): void => {
    const { line, file } = editor.cursor.value
    for (const row of tables.querySelectorAll<HTMLElement>('tr[data-line]'))
      row.classList.toggle('current', file === shown?.file && row.dataset['line'] === `${line}`)
  }

  const fail = (cause: unknown, again: () => void): void => {
    const retry = element('button', { type: 'button' }, 'Try again')
    retry.addEventListener('click', again)
    tables.replaceChildren()
    tables.setAttribute('aria-busy', 'false')
    editor.draw('explain', undefined)
    status.replaceChildren(`${sentence(messageOf(cause))} `, retry)
    status.hidden = false
  }

  // ── Asking ───────────────────────────────────────────────────────────────────────────────────────────────────

  const ask = (more: object, signal: AbortSignal): Promise<ExplainAnswer> =>
    editor.request<object, ExplainAnswer>(
      'cotangent/explain',
      { textDocument: { uri: editor.uri }, ...more },
      { signal },
    )

  /** Asks about a program that is new. */
  const list = async (): Promise<void> => {
    const signal = anew()
    const { open: file } = project.value
    const { doc: text } = editor.view.state
    shown = undefined
    try {
      const functions = await functionsOf(site, signal)
      const free = await ask({}, signal)
      if (signal.aborted) return
      shown = { file, text, functions, free, limits: limitsFor(free.functions), refusals: new Map() }
      drawSlider()
      await limited(signal)
      await drawOthers(signal)
    } catch (cause) {
      if (!signal.aborted) fail(cause, () => void list())
    }
  }

  /** Asks what the limit changes. */
  const limited = async (signal: AbortSignal): Promise<void> => {
    if (shown === undefined) return
    const limit = limitNow()
    const given = limit === undefined ? shown.free : await ask({ maxContext: limit }, signal)
    if (signal.aborted) return
    answer = given
    drawAnswer()
  }

  /** Asks about functions that the answer leaves out, one by one: some have no reverse pass, and a large file is explained in part only. */
  const drawOthers = async (signal: AbortSignal): Promise<void> => {
    if (shown === undefined || answer === undefined) return
    const { functions, free, refusals } = shown
    const limit = limitNow()
    const isTold = ({ position: { line, character } }: ListedFunction): boolean =>
      free.functions.some(({ range: { start } }) => start.line === line && start.character === character)
    const more: Explained[] = []
    for (const f of functions.filter(f => !isTold(f) && !refusals.has(f))) {
      const given = await ask({ position: f.position, ...(limit === undefined ? {} : { maxContext: limit }) }, signal)
      if (signal.aborted) return
      more.push(...given.functions)
      if (given.functions.length === 0) {
        const [mistake] = given.diagnostics
        const nothing = mistake === undefined ? 'The program makes no instance of it' : textOfMessage(mistake)
        refusals.set(f, given.refused ?? nothing)
      }
    }
    others.replaceChildren(...[...refusals].map(([f, why]) => otherOf(f, why)))
    if (more.length === 0) return
    const all = [...answer.functions, ...more].toSorted((a, b) => a.range.start.line - b.range.start.line)
    answer = { ...answer, functions: all }
    drawAnswer()
  }

  const otherOf = ({ name, position: { line, character } }: ListedFunction, why: string): HTMLElement => {
    const [first = '', ...reasons] = why.split('\n')
    const lines = [sentence(first), ...reasons].map(text => element('p', {}, text))
    const place = placeButton(editor, project.value.open, line, character, name)
    return element('li', { 'data-function': name }, place, ...lines)
  }

  const limitedAnew = async (signal: AbortSignal): Promise<void> => {
    try {
      await limited(signal)
      await drawOthers(signal)
    } catch (cause) {
      if (!signal.aborted) fail(cause, limitChanged)
    }
  }

  let timer: ReturnType<typeof setTimeout> | undefined
  const limitChanged = (): void => {
    drawSlider()
    clearTimeout(timer)
    const signal = anew()
    if (shown === undefined) {
      if (editor.ready.value) void list()
      return
    }
    timer = setTimeout(() => void limitedAnew(signal), rest)
  }

  slider.addEventListener('input', () => {
    const limit = shown?.limits[Number(slider.value)]
    project.change(p => ({ ...p, picks: { ...p.picks, explain: limit === undefined ? {} : { maxContext: limit } } }))
  })
  all.addEventListener('change', drawAnswer)
  const ends = [
    editor.cursor.subscribe(markRows),
    project.subscribe((now, before) => {
      if (now.files !== before.files || now.open !== before.open) {
        anew()
        clearTimeout(timer)
        editor.draw('explain', undefined)
        status.textContent = 'Updating …'
        status.hidden = false
      } else if (now.picks['explain'] !== before.picks['explain']) limitChanged()
    }),
    whenChanged(site, () => void list()),
  ]
  if (!editor.ready.value) status.textContent = 'The language server is loading …'
  drawSlider()
  return () => {
    asking.abort()
    clearTimeout(timer)
    for (const end of ends) end()
    editor.draw('explain', undefined)
  }
}

function legend(): readonly HTMLElement[] {
  return Object.entries(decisions).map(([name, meaning]) =>
    element('li', {}, element('span', { class: `explained ${name}` }, name), `: ${meaning}`),
  )
}

function summary(explained: readonly Explained[], limit: number | undefined): string {
  if (explained.length === 0) return 'This file has no function with a reverse derivative.'
  const bytes = explained.reduce((sum, f) => sum + f.bytes, 0)
  const operations = explained.reduce((sum, f) => sum + f.operations, 0)
  const under = limit === undefined ? 'Without a limit' : `With at most ${number(limit)} B`
  return `${under}: ${counted(explained.length, 'function')}, ${number(bytes)} B stored, ${counted(operations, 'operation')} done again.`
}
