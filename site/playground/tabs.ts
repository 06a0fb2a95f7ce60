/** Tabs of panes: one is open at a time, and each loads when it is opened first. */
import { element } from './panes/element.ts'
import type { Site } from './panes/pane.ts'
import { panes } from './panes/registry.ts'

/** Draws the tabs, and opens the first pane. Gives what opens another. */
export function paneTabs(tabs: HTMLElement, into: HTMLElement, site: Site): (id: string) => void {
  let close = (): void => {}
  let latest = 0
  const buttons = new Map(
    panes.map(({ id, title }) => [
      id,
      element(
        'button',
        { type: 'button', role: 'tab', id: `tab-${id}`, 'data-testid': testIdOf(id), 'aria-controls': 'pane' },
        title,
      ),
    ]),
  )
  const open = async (id: string): Promise<void> => {
    const entry = panes.find(p => p.id === id)
    if (entry === undefined) return
    const own = ++latest
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
  void open(ids[0]!)
  return id => void open(id)
}

/** Buttons of panes carry the names of these; of Output and Train, `run` and `train` are other buttons. */
function testIdOf(id: string): string {
  return id === 'output' || id === 'train' ? `tab-${id}` : id
}
