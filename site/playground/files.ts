/** Tabs of the files of a project, to open, add, rename and remove them. */
import { element } from './panes/element.ts'
import { wrongName, type Project } from './project/project.ts'
import type { Store } from './project/store.ts'

/** Draws the tabs, and again when the list changes. */
export function fileTabs(into: HTMLElement, project: Store<Project>, say: (message: string) => void): void {
  const draw = (): void => {
    const { files, open } = project.value
    const tabs = files.map(({ name }, i) => {
      const isOpen = name === open
      const tab = element(
        'button',
        {
          type: 'button',
          role: 'tab',
          'aria-selected': `${isOpen}`,
          'aria-controls': 'editor',
          tabindex: isOpen ? '0' : '-1',
          'data-testid': `file-${name}`,
        },
        name,
      )
      tab.addEventListener('click', () => project.change(p => ({ ...p, open: name })))
      tab.addEventListener('keydown', event => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
        if (step === undefined) return
        const next = files[(i + step + files.length) % files.length]!
        project.change(p => ({ ...p, open: next.name }))
        into.querySelector<HTMLElement>('[aria-selected="true"]')?.focus()
      })
      return tab
    })
    const add = element(
      'button',
      { type: 'button', class: 'small', 'data-testid': 'add-file', 'aria-label': 'Add a file' },
      '+',
    )
    add.addEventListener('click', () =>
      ask(into, 'Name of the new file', 'lib.slang', project, say, name => ({
        ...project.value,
        files: [...project.value.files, { name, text: '' }],
        open: name,
      })),
    )
    const remove = element(
      'button',
      { type: 'button', class: 'small', 'data-testid': 'remove-file', 'aria-label': `Remove ${open}` },
      '×',
    )
    remove.disabled = open === files[0]!.name
    remove.addEventListener('click', () => {
      project.change(p => ({ ...p, files: p.files.filter(f => f.name !== open), open: p.files[0]!.name }))
      say(`Removed ${open}.`)
    })
    const list = element('div', { role: 'tablist', 'aria-label': 'Files' }, ...tabs)
    into.replaceChildren(list, add, remove)
  }
  let key = ''
  const follow = (p: Project): void => {
    const now = JSON.stringify([p.open, p.files.map(f => f.name)])
    if (now === key) return
    key = now
    draw()
  }
  project.subscribe(follow)
  follow(project.value)
}

/** Asks for a name in place of the tabs, until one fits or Escape. */
function ask(
  into: HTMLElement,
  label: string,
  value: string,
  project: Store<Project>,
  say: (message: string) => void,
  made: (name: string) => Project,
): void {
  const input = element('input', {
    type: 'text',
    value,
    'aria-label': label,
    'data-testid': 'file-name',
    spellcheck: 'false',
  })
  const form = element('form', { class: 'name' }, input, element('button', { type: 'submit' }, 'Add'))
  form.addEventListener('submit', event => {
    event.preventDefault()
    const wrong = wrongName(project.value, input.value)
    if (wrong !== undefined) {
      say(wrong)
      return
    }
    form.remove()
    project.set(made(input.value))
  })
  form.addEventListener('keydown', event => {
    if (event.key === 'Escape') form.remove()
  })
  into.querySelector('form')?.remove()
  into.append(form)
  input.select()
}
