/** What Share opens: the link, the lines that put the program into another page, and the project as files. It covers nothing. */
import { element } from '../panes/element.ts'
import type { Project } from '../project/project.ts'
import type { Store } from '../project/store.ts'
import type { Address } from './address.ts'

/** From here on some programs that pass links on cut them off. */
const longLink = 8000

export interface Sharing {
  readonly project: Store<Project>
  readonly address: Address
  readonly say: (message: string) => void
}

/** Lets a button copy the link and open the part of the page with the other ways to share. */
export function sharing(button: HTMLElement, into: HTMLElement, { project, address, ...page }: Sharing): void {
  const link = field('Link', 'share-link')
  const frame = field('Embed', 'share-embed')
  const about = element('p', {})
  // The status of the page may soon say something else.
  const done = element('p', { 'data-testid': 'share-said' })
  const say = (message: string): void => {
    done.textContent = message
    page.say(message)
  }
  const download = element('button', { type: 'button', 'data-testid': 'download' }, 'Download as Vite project')
  const close = element('button', { type: 'button', 'data-testid': 'share-close' }, 'Close')
  into.append(...link.parts, about, ...frame.parts, element('div', { class: 'last' }, download, close, done))
  const copyInto = async ({ input }: Field, what: string, otherwise: string): Promise<void> => {
    say((await copied(input.value)) ? `The ${what} is copied.` : otherwise)
  }
  const show = (isOpen: boolean): void => {
    into.hidden = !isOpen
    button.setAttribute('aria-expanded', `${isOpen}`)
  }
  const hide = (): void => {
    show(false)
    button.focus()
  }
  const fill = async (): Promise<boolean> => {
    try {
      const url = await address.link()
      link.input.value = url.href
      frame.input.value = snippet(url)
      about.textContent =
        url.href.length < longLink
          ? 'The link holds the whole program: nothing is stored on a server.'
          : `The link holds the whole program: ${url.href.length} characters. Some programs cut off links of that length; files never are.`
      return true
    } catch (cause) {
      link.input.value = frame.input.value = ''
      about.textContent = cause instanceof Error ? cause.message : String(cause)
      say(about.textContent)
      return false
    }
  }
  button.addEventListener('click', () => {
    void (async () => {
      const isMade = await fill()
      show(true)
      if (isMade) await copyInto(link, 'link', 'The link is in the address of this page.')
    })()
  })
  link.copy.addEventListener('click', () => void copyInto(link, 'link', 'Copy the link from its field.'))
  frame.copy.addEventListener('click', () => void copyInto(frame, 'code', 'Copy the code from its field.'))
  close.addEventListener('click', hide)
  into.addEventListener('keydown', event => {
    if (event.key === 'Escape') hide()
  })
  button.addEventListener('keydown', event => {
    if (event.key === 'Escape') show(false)
  })
  // What is shared is what is there now.
  let timer: ReturnType<typeof setTimeout> | undefined
  project.subscribe(() => {
    clearTimeout(timer)
    if (!into.hidden) timer = setTimeout(() => void fill(), 300)
  })
  download.addEventListener('click', () => {
    say('The project is being packed …')
    void (async () => {
      try {
        const { downloadProject } = await import('../download/download.ts')
        say(`${await downloadProject(project.value)} is downloaded: unpack it, then run npm install and npm run dev.`)
      } catch (cause) {
        say(`The project cannot be downloaded: ${cause instanceof Error ? cause.message : String(cause)}`)
      }
    })()
  })
}

interface Field {
  readonly input: HTMLInputElement
  readonly copy: HTMLButtonElement
  readonly parts: readonly Node[]
}

/** A line with a text that can be copied. */
function field(title: string, id: string): Field {
  const input = element('input', { type: 'text', readonly: '', id, 'data-testid': id, spellcheck: 'false' })
  input.addEventListener('focus', () => input.select())
  const copy = element(
    'button',
    { type: 'button', 'data-testid': `${id}-copy`, 'aria-label': `Copy: ${title}` },
    'Copy',
  )
  return { input, copy, parts: [element('label', { for: id }, title), input, copy] }
}

/** The lines for another page. A link has no character that HTML would need to escape. */
function snippet(url: URL): string {
  const framed = new URL(url)
  framed.search = '?embed'
  return `<iframe src="${framed.href}" title="Cotangent Playground" width="100%" height="480" style="border: 0" loading="lazy" allow="clipboard-write"></iframe>`
}

/** Whether the clipboard took a text: pages without a secure address, and frames, may not. */
async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}
