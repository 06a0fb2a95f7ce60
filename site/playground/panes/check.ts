/** The pane Check: a badge for each function that says whether its derivatives agree with differences, and where the mistake is if they do not. */
import './check.css'
import type { CodeLens, Location } from 'vscode-languageserver-protocol'
import { TooLate } from '../editor/editor.ts'
import { nameOf } from '../editor/workspace.ts'
import { element } from './element.ts'
import { functionsOf, messageOf, whenChanged, type ListedFunction } from './functions.ts'
import type { Pane, Site } from './pane.ts'
import { placeButton, sentence } from './refusal.ts'

interface Verdict {
  readonly function: string
  readonly state: 'agrees' | 'differs' | 'cannot' | 'late'
  readonly title: string
  readonly reason: string
  readonly blame?: { readonly message: string; readonly location: Location }
}
type State = Verdict['state'] | 'unchecked' | 'running'

/** Signs and words, so that no state is told by its colour alone. */
const badges: Readonly<Record<State, string>> = {
  unchecked: 'not checked',
  running: 'checking …',
  agrees: '✓ agrees',
  differs: '✗ wrong',
  cannot: 'cannot be checked',
  late: '… took too long',
}
/** Of several instances of a generic function, the worst says how the function is. */
const worst = ['differs', 'late', 'cannot', 'agrees'] as const

/** How long to wait for a verdict, in milliseconds. The server gives up before, unless other checks are before this one. */
const patience = 45_000

/** What came of checks, as long as the files are these, by the file and the name of the function. */
const known = new WeakMap<object, Map<string, readonly Verdict[]>>()

interface Row {
  readonly name: string
  readonly item: HTMLElement
  /** Checks the function, and gives what came of it; undefined where the check was ended. */
  readonly check: () => Promise<Verdict['state'] | undefined>
}

export const pane: Pane = (into, site) => {
  const { editor, project } = site
  const all = element('button', { type: 'button', class: 'main', 'data-testid': 'check-all' }, 'Check all')
  const cancel = element('button', { type: 'button', 'data-testid': 'check-cancel' }, 'Stop')
  const bar = element('progress', { 'aria-label': 'Functions checked' })
  const list = element('ul', { class: 'verdicts', 'aria-label': 'Functions' })
  const note = element('p', { class: 'empty', role: 'status' }, 'The language server is loading …')
  const about = element(
    'p',
    { class: 'quiet' },
    'At random inputs, Check compares the reverse derivative of each function with its forward derivative, and that with finite differences.',
  )
  into.append(about, element('div', { class: 'check-controls' }, all, cancel, bar), note, list)
  all.disabled = true
  cancel.hidden = true
  bar.hidden = true
  let rows: readonly Row[] = []
  /** Ends what is checked: of an older program nobody wants to know. */
  let ending = new AbortController()

  const anew = (): AbortSignal => {
    ending.abort()
    ending = new AbortController()
    cancel.hidden = true
    bar.hidden = true
    all.disabled = rows.length === 0
    return ending.signal
  }
  const say = (text: string): void => {
    note.textContent = text
    note.hidden = text === ''
  }

  const draw = async (): Promise<void> => {
    const signal = anew()
    try {
      const functions = await functionsOf(site, signal)
      const lenses = await lensesOf(site, signal)
      if (signal.aborted) return
      rows = functions.map(f => rowOf(f, lenses))
      list.replaceChildren(...rows.map(r => r.item))
      list.inert = false
      say(rows.length === 0 ? 'This file has no functions with a body.' : '')
      all.disabled = rows.length === 0
    } catch (cause) {
      if (signal.aborted) return
      const again = element('button', { type: 'button' }, 'Try again')
      again.addEventListener('click', () => void draw())
      say(`${sentence(messageOf(cause))} `)
      note.append(again)
    }
  }

  const rowOf = ({ name, position }: ListedFunction, lenses: readonly CodeLens[]): Row => {
    const { files, open: file } = project.value
    const place = element('button', { type: 'button', class: 'small' }, name)
    const one = element('button', { type: 'button', 'aria-label': `Check ${name}` }, 'Check')
    const badge = element('strong', {})
    const result = element('div', { class: 'verdict' })
    place.addEventListener('click', () => editor.reveal(file, position.line, position.character))

    const show = (verdicts: readonly Verdict[]): Verdict['state'] => {
      const state = worst.find(s => verdicts.some(v => v.state === s)) ?? 'cannot'
      setBadge(badge, state)
      const blame = verdicts.find(v => v.blame !== undefined)?.blame
      const blamed = blame && nameOf(blame.location.uri)
      if (state === 'differs' && blame !== undefined && blamed !== undefined) {
        const { line, character } = blame.location.range.start
        const jump = element('button', { type: 'button', title: blame.message }, badges.differs)
        jump.addEventListener('click', () => editor.reveal(blamed, line, character))
        badge.replaceChildren(jump)
      }
      result.replaceChildren(...verdicts.flatMap(v => told(site, v)))
      return state
    }

    const check = async (): Promise<Verdict['state'] | undefined> => {
      const { signal } = ending
      const giveBack = focusKept(one)
      one.disabled = true
      setBadge(badge, 'running')
      result.replaceChildren()
      try {
        const verdicts = await verdictsOf(site, name, position, signal)
        const of = known.get(files) ?? new Map<string, readonly Verdict[]>()
        known.set(files, of.set(`${file} ${name}`, verdicts))
        return show(verdicts)
      } catch {
        setBadge(badge, 'unchecked')
        return undefined
      } finally {
        one.disabled = false
        giveBack()
      }
    }
    one.addEventListener('click', () => {
      cancel.hidden = false
      void check().then(state => {
        if (all.disabled) return
        cancel.hidden = true
        if (state !== undefined) say(`${name}: ${badges[state]}.`)
      })
    })
    const before = known.get(files)?.get(`${file} ${name}`) ?? verdictsOfLenses(lenses, position)
    if (before.length > 0) show(before)
    else setBadge(badge, 'unchecked')
    return { name, item: element('li', { 'data-function': name }, place, badge, one, result), check }
  }

  const checkAll = async (): Promise<void> => {
    const signal = anew()
    const total = rows.length
    const counts = new Map<State, number>()
    const giveBack = focusKept(all)
    all.disabled = true
    cancel.hidden = false
    bar.hidden = false
    bar.max = total
    for (const [i, row] of rows.entries()) {
      bar.value = i
      say(`Checking ${row.name}, ${i + 1} of ${total} …`)
      const state = await row.check()
      if (signal.aborted) return
      if (state !== undefined) counts.set(state, (counts.get(state) ?? 0) + 1)
    }
    anew()
    giveBack()
    const parts = worst.filter(s => counts.has(s)).map(s => `${counts.get(s)} ${badges[s].replace(/^\W+ /, '')}`)
    say(`Checked ${total} ${total === 1 ? 'function' : 'functions'}: ${parts.join(', ')}.`)
  }

  all.addEventListener('click', () => void checkAll())
  cancel.addEventListener('click', () => {
    anew()
    say('Stopped.')
    all.focus()
  })
  const ends = [
    project.subscribe((now, before) => {
      if (now.files === before.files && now.open === before.open) return
      anew()
      // What is listed is of an older text, and so are its verdicts. A check that began there would end when the list is drawn anew.
      all.disabled = true
      list.inert = true
      for (const row of rows) row.item.classList.add('old')
      say('Updating …')
    }),
    whenChanged(site, () => void draw()),
  ]
  return () => {
    ending.abort()
    for (const end of ends) end()
  }
}

/** The verdicts on the function at a place. Throws where the check was ended from here. */
async function verdictsOf(
  { editor }: Site,
  name: string,
  position: ListedFunction['position'],
  signal: AbortSignal,
): Promise<readonly Verdict[]> {
  try {
    const params = { textDocument: { uri: editor.uri }, position }
    const { verdicts } = await editor.request<object, { readonly verdicts: readonly Verdict[] }>(
      'cotangent/check',
      params,
      { signal, patience },
    )
    signal.throwIfAborted()
    return verdicts
  } catch (cause) {
    if (signal.aborted) throw cause
    // The server refuses what cannot be checked, and says why.
    const reason = messageOf(cause)
    const isLate = cause instanceof TooLate || reason.startsWith('the check was given up')
    return isLate
      ? [{ function: name, state: 'late', title: '', reason: late }]
      : [{ function: name, state: 'cannot', title: '', reason }]
  }
}

const late = 'The check did not come to an end in time. “Check” tries again; a smaller function may take less time'

function told({ editor }: Site, v: Verdict): HTMLElement[] {
  const words = [v.title && `${v.function}: ${v.title}`, v.reason].filter(s => s !== '').map(sentence)
  const said = words.length === 0 ? [] : [element('p', {}, words.join(' '))]
  if (v.blame === undefined) return said
  const { message, location } = v.blame
  const { line, character } = location.range.start
  const file = nameOf(location.uri)
  if (file === undefined) return [...said, element('p', {}, message)]
  const jump = placeButton(editor, file, line, character, message)
  jump.dataset['testid'] = 'blame'
  return [...said, jump]
}

/** What the editor shows above the functions. */
async function lensesOf({ editor }: Site, signal: AbortSignal): Promise<readonly CodeLens[]> {
  const params = { textDocument: { uri: editor.uri } }
  // A lens is an extra: without it the badge says that nothing was checked.
  return (
    (await editor
      .request<object, readonly CodeLens[] | null>('textDocument/codeLens', params, { signal })
      .catch(() => null)) ?? []
  )
}

/** What came of a check that was asked for above the function, in the editor. */
function verdictsOfLenses(lenses: readonly CodeLens[], position: ListedFunction['position']): readonly Verdict[] {
  return lenses.flatMap(({ range: { start }, command }): Verdict[] => {
    if (command === undefined || start.line !== position.line || start.character !== position.character) return []
    const title = command.title.replace(/^[✓✗] /, '')
    const base = { function: '', title: '', reason: title }
    if (command.title.startsWith('✓')) return [{ ...base, state: 'agrees' }]
    if (!command.title.startsWith('✗')) return []
    const [location] = (command.arguments ?? []) as readonly Location[]
    return [{ ...base, state: 'differs', ...(location && { blame: { message: 'Go to the mistake:', location } }) }]
  })
}

/** A button that is disabled loses the focus. What this gives brings it back, unless the visitor went elsewhere. */
function focusKept(button: HTMLButtonElement): () => void {
  const hadFocus = document.activeElement === button
  return () => {
    if (hadFocus && document.activeElement === document.body) button.focus()
  }
}

function setBadge(badge: HTMLElement, state: State): void {
  badge.dataset['state'] = state
  badge.textContent = badges[state]
}
