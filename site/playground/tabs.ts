/** Tabs of panes: one is open at a time, and each loads when it is opened first. */
import { element } from './panes/element.ts'
import type { Site } from './panes/pane.ts'
import { panes } from './panes/registry.ts'
import type { Project } from './project/project.ts'

/** The name under which a project remembers the pane that is open, where it is not the first one. */
const remembered = 'pane'

/** Draws the tabs, and opens the pane that the project remembers. Gives what opens another. */
export function paneTabs(tabs: HTMLElement, into: HTMLElement, site: Site): (id: string) => void {
  let close = (): void => {}
  let latest = 0
  let shown = ''
  const buttons = new Map(
    panes.map(({ id, title }) => [
      id,
      element('button', { type: 'button', role: 'tab', id: `tab-${id}`, 'aria-controls': 'pane' }, title),
    ]),
  )
  const open = async (id: string): Promise<void> => {
    const entry = panes.find(p => p.id === id)
    if (entry === undefined) return
    const own = ++latest
    shown = id
    if (wanted(site.project.value) !== id) site.project.change(p => ({ ...p, picks: { ...p.picks, [remembered]: id } }))
    for (const [name, button] of buttons) {
      button.setAttribute('aria-selected', `${name === id}`)
      button.tabIndex = name === id ? 0 : -1
    }
    try {
      const { pane } = await entry.load()
      if (own !== latest) return
      close()
      const room = element('div', {
        class: `pane pane-${id}`,
        'data-testid': id,
        role: 'tabpanel',
        'aria-labelledby': `tab-${id}`,
      })
      into.replaceChildren(room)
      close = pane(room, site)
    } catch (cause) {
      site.say(`${entry.title} did not load: ${cause instanceof Error ? cause.message : String(cause)}`)
    }
  }
  const ids = [...buttons.keys()]
  for (const [id, button] of buttons) {
    button.addEventListener('click', () => void open(id))
    button.addEventListener('keydown', event => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
      if (step === undefined) return
      const next = ids[(ids.indexOf(id) + step + ids.length) % ids.length]!
      void open(next)
      buttons.get(next)!.focus()
    })
  }
  tabs.replaceChildren(...buttons.values())
  const follow = (project: Project): void => {
    if (wanted(project) !== shown) void open(wanted(project))
  }
  follow(site.project.value)
  site.project.subscribe(follow)
  return id => void open(id)
}

/** The pane that a project opens. A link may name one that is not there. */
function wanted({ picks }: Project): string {
  return (panes.find(p => p.id === picks[remembered]) ?? panes[0]!).id
}
