/** The pane Check: a badge for each function that says whether its derivatives agree with differences, and where the mistake is if they do not. */
import { nameOf } from '../editor/workspace.ts'
import { element } from './element.ts'
import { functionsOf, messageOf, whenChanged, type ListedFunction } from './functions.ts'
import type { Pane } from './pane.ts'

interface Verdict {
  readonly function: string
  readonly state: 'agrees' | 'differs' | 'cannot'
  readonly title: string
  readonly reason: string
  readonly blame?: {
    readonly message: string
    readonly location: { readonly uri: string; readonly range: { readonly start: ListedFunction['position'] } }
  }
}

const badges = { agrees: '✓ agrees', differs: '✗ wrong', cannot: 'cannot be checked' } as const

interface Row {
  readonly item: HTMLElement
  readonly check: () => Promise<void>
}

export const pane: Pane = (into, site) => {
  const { editor } = site
  const all = element('button', { type: 'button', class: 'main', 'data-testid': 'check-all' }, 'Check all')
  const list = element('ul', { class: 'verdicts', 'aria-label': 'Functions' })
  const note = element('p', { class: 'empty', role: 'status' }, 'The language server is loading …')
  into.append(element('div', {}, all), note, list)
  all.disabled = true
  let rows: readonly Row[] = []
  /** Rises with each change of the program: what was asked about an older one is not shown. */
  let version = 0

  const draw = async (): Promise<void> => {
    const own = ++version
    try {
      const functions = await functionsOf(site)
      if (own !== version) return
      rows = functions.map(f => rowOf(f))
      list.replaceChildren(...rows.map(r => r.item))
      note.textContent = rows.length === 0 ? 'This file has no functions.' : ''
      note.hidden = rows.length > 0
      all.disabled = rows.length === 0
    } catch (cause) {
      if (own === version) fail(cause)
    }
  }
  const fail = (cause: unknown): void => {
    note.textContent = messageOf(cause)
    note.hidden = false
  }

  const rowOf = ({ name, position }: ListedFunction): Row => {
    const place = element('button', { type: 'button', class: 'small' }, name)
    const one = element('button', { type: 'button', 'aria-label': `Check ${name}` }, 'Check')
    const badge = element('strong', { 'data-state': 'unchecked' }, 'not checked')
    const result = element('div', { class: 'verdict' })
    const file = site.project.value.open
    place.addEventListener('click', () => editor.reveal(file, position.line, position.character))
    const check = async (): Promise<void> => {
      const own = version
      one.disabled = true
      show(badge, 'running', 'checking …')
      result.replaceChildren()
      const verdicts = await editor
        .request<object, { readonly verdicts: readonly Verdict[] }>('cotangent/check', {
          textDocument: { uri: editor.uri },
          position,
        })
        .then(
          answer => answer.verdicts,
          // The server refuses what cannot be checked, and says why.
          (cause: unknown): Verdict[] => [{ function: name, state: 'cannot', title: '', reason: messageOf(cause) }],
        )
      if (own !== version) return
      one.disabled = false
      // Of a generic function there are several: the worst is that of the function.
      const state = (['differs', 'cannot'] as const).find(s => verdicts.some(v => v.state === s)) ?? 'agrees'
      show(badge, state, badges[state])
      result.replaceChildren(...verdicts.flatMap(told))
    }
    one.addEventListener('click', () => void check())
    return { item: element('li', { 'data-function': name }, place, badge, one, result), check }
  }

  const told = (v: Verdict): HTMLElement[] => {
    const said = element('p', {}, [v.title && `${v.function}: ${v.title}`, v.reason].filter(s => s !== '').join('. '))
    if (v.blame === undefined) return [said]
    const { message, location } = v.blame
    const { line, character } = location.range.start
    const file = nameOf(location.uri)
    if (file === undefined) return [said, element('p', {}, message)]
    const jump = element('button', { type: 'button', 'data-testid': 'blame' }, `${message} `)
    jump.append(element('span', { class: 'place' }, `${file}:${line + 1}:${character + 1}`))
    jump.addEventListener('click', () => editor.reveal(file, line, character))
    return [said, jump]
  }

  const checkAll = async (): Promise<void> => {
    const own = version
    all.disabled = true
    for (const row of rows) {
      await row.check()
      if (own !== version) return
    }
    all.disabled = false
  }
  all.addEventListener('click', () => void checkAll())
  const end = whenChanged(site, () => void draw())
  return () => {
    version++
    end()
  }
}

function show(badge: HTMLElement, state: string, text: string): void {
  badge.dataset['state'] = state
  badge.textContent = text
}
