/** One column of the pane Derivative: a text, or why there is none. */
import { nameOf } from '../editor/workspace.ts'
import { codeView, type CodeListener } from './code-view.ts'
import { languages } from './code-languages.ts'
import { forms, type DerivativePicks, type Mode } from './derivative-picks.ts'
import { element } from './element.ts'
import { LinkedLines, type Link } from './links.ts'
import type { Site } from './pane.ts'
import { refusal } from './refusal.ts'

const titles: Readonly<Record<Mode, string>> = { primal: 'Primal', forward: 'Forward', reverse: 'Reverse' }

/** The answer to `cotangent/derivative`. */
interface Answer {
  readonly name: string
  readonly text: string
  readonly links: readonly Link[]
  readonly instances: readonly string[]
}

/** What a column learns of its function. */
export interface Learned {
  readonly name: string
  /** All instances of a generic function, this one first. */
  readonly instances: readonly string[]
}

/** What to ask for. */
export interface Asked {
  readonly uri: string
  readonly position: { readonly line: number; readonly character: number }
  readonly picks: DerivativePicks
  readonly signal: AbortSignal
}

export class Column {
  readonly dom: HTMLElement
  readonly mode: Mode
  /** Which lines of its text belong to which of the source; none while the text is not that of the program. */
  links: LinkedLines = none
  readonly #site: Site
  readonly #about: HTMLElement
  readonly #name: HTMLElement
  readonly #view: ReturnType<typeof codeView>
  readonly #room: HTMLElement

  constructor(mode: Mode, site: Site, listener: CodeListener) {
    this.mode = mode
    this.#site = site
    this.#name = element('code', {})
    this.#about = element('div', { class: 'column-about' })
    this.#room = element('div', { class: 'column-text' })
    this.dom = element(
      'section',
      { class: 'column', 'data-testid': `derivative-${mode}`, 'aria-label': titles[mode] },
      element('h3', {}, `${titles[mode]} `, this.#name),
      this.#about,
      this.#room,
    )
    this.#view = codeView(this.#room, listener)
    this.#state('asking', 'The language server is loading …')
  }

  /** What is shown belongs to an older program: its lines lead nowhere until the next answer. */
  outdate(): void {
    this.links = none
    this.light([], false)
    this.#state('asking', 'Updating …')
  }

  /** Says something in place of a text. */
  say(...about: (Node | string)[]): void {
    this.links = none
    this.#name.textContent = ''
    this.#state('none', ...about)
  }

  /** Asks for the text, and shows it, or why there is none. Gives nothing where there is none. */
  async ask(asked: Asked, retry: () => void): Promise<Learned | undefined> {
    const { uri, position, picks, signal } = asked
    const { form, stage, instance } = picks
    try {
      const answer = await this.#site.editor.request<object, Answer>(
        'cotangent/derivative',
        {
          textDocument: { uri },
          position,
          mode: this.mode,
          as: form,
          ...(form === 'ir' ? { stage } : {}),
          ...(instance === undefined ? {} : { instance }),
        },
        { signal },
      )
      if (signal.aborted) return undefined
      this.#show(answer, uri, picks)
      return { name: answer.name, instances: [answer.name, ...answer.instances] }
    } catch (cause) {
      if (signal.aborted) return undefined
      this.links = none
      this.#name.textContent = ''
      const isRefused = typeof cause === 'object' && cause !== null && 'code' in cause && cause.code === refusedCode
      this.#state(isRefused ? 'refused' : 'failed', refusal(cause, this.#site.editor))
      if (!isRefused) {
        const again = element('button', { type: 'button' }, 'Try again')
        again.addEventListener('click', retry)
        this.#about.append(again)
      }
      return undefined
    }
  }

  /** Lights lines of the text. */
  light(lines: readonly number[], isScrolled: boolean): void {
    this.#view.light(lines, isScrolled)
  }

  destroy(): void {
    this.#view.destroy()
  }

  #show({ name, text, links }: Answer, uri: string, { form, stage }: DerivativePicks): void {
    const what = form === 'ir' ? `IR after ${stage}` : forms[form]
    this.#name.textContent = name
    this.#view.show(text.replace(/\n$/, ''), `${titles[this.mode]} of ${name} as ${what}`, languages[form])
    this.links = new LinkedLines(links, other => nameOf(other ?? uri))
    this.#state('text')
  }

  #state(state: 'asking' | 'text' | 'refused' | 'failed' | 'none', ...about: (Node | string)[]): void {
    this.dom.dataset['state'] = state
    this.dom.setAttribute('aria-busy', `${state === 'asking'}`)
    this.#about.replaceChildren(...about)
    this.#about.hidden = about.length === 0
    // An older text stays, faint, until the next one is there. What is no text any more goes.
    this.#room.hidden = state !== 'text' && (state !== 'asking' || this.#name.textContent === '')
  }
}

/** The protocol's code of a request that was understood and refused. */
const refusedCode = -32803

const none = new LinkedLines([], () => undefined)
