/** Tabs of panes: one is open at a time, and each loads when it is opened first. */
import { element } from './panes/element.ts'
import type { Site } from './panes/pane.ts'
import { panes } from './panes/registry.ts'

/** Panes whose tab cannot have their own name as `data-testid`, since another part of the page has it, or may. */
const renamed: ReadonlySet<string> = new Set(['output', 'train'])

/** Draws the tabs, and opens the pane that the project remembers in `picks.pane`, or the first. Gives what opens another. */
export function paneTabs(tabs: HTMLElement, into: HTMLElement, site: Site): (id: string) => void {
  let close = (): void => {}
  let latest = 0
  const buttons = new Map(
    panes.map(({ id, title }) => [
      id,
      element(
        'button',
        {
          type: 'button',
          role: 'tab',
          id: `tab-${id}`,
          'aria-controls': 'pane',
          'data-testid': renamed.has(id) ? `tab-${id}` : id,
        },
        title,
      ),
    ]),
  )
  let current = ''
  const open = async (id: string): Promise<void> => {
    const entry = panes.find(p => p.id === id)
    if (entry === undefined) return
    const own = ++latest
    current = id
    for (const [name, button] of buttons) {
      button.setAttribute('aria-selected', `${name === id}`)
      button.tabIndex = name === id ? 0 : -1
    }
    try {
      const { pane } = await entry.load()
      if (own !== latest) return
      close()
      close = (): void => {}
      const room = element('div', {
        class: `pane pane-${id}`,
        'data-testid': `pane-${id}`,
        role: 'tabpanel',
        'aria-labelledby': `tab-${id}`,
      })
      into.replaceChildren(room)
      close = pane(room, site)
    } catch (cause) {
      site.say(`${entry.title} did not load: ${cause instanceof Error ? cause.message : String(cause)}`)
    }
  }
  /** Opens a pane that the visitor wants, which a link remembers. */
  const choose = (id: string): void => {
    void open(id)
    site.project.change(p => (p.picks['pane'] === id ? p : { ...p, picks: { ...p.picks, pane: id } }))
  }
  const ids = [...buttons.keys()]
  for (const [id, button] of buttons) {
    button.addEventListener('click', () => choose(id))
    button.addEventListener('keydown', event => {
      const at = ids.indexOf(id)
      const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: ids.length - 1 }[event.key]
      if (to === undefined) return
      event.preventDefault()
      const next = ids[(to + ids.length) % ids.length]!
      choose(next)
      buttons.get(next)!.focus()
    })
  }
  tabs.replaceChildren(...buttons.values())
  const { pane } = site.project.value.picks
  void open(ids.find(id => id === pane) ?? ids[0]!)
  // Another project, such as a starter, may name its pane; one that names none leaves the open one open.
  site.project.subscribe(({ picks }) => {
    if (typeof picks['pane'] === 'string' && picks['pane'] !== current) void open(picks['pane'])
  })
  return choose
}
