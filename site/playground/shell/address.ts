/**
 * The project in the address of the page. Changes replace the hash a moment after the last one, so a reload brings back what was there; only a program that is
 * begun anew makes an entry in the history.
 */
import { fromHash, LinkError, toHash } from '../project/codec.ts'
import type { Project } from '../project/project.ts'
import type { Store } from '../project/store.ts'

/** How long the project rests before the address follows, in milliseconds. Browsers refuse hundreds of changes in half a minute. */
const rest = 800

/** Whether the page is a part of another one. */
export const isEmbedded = new URLSearchParams(location.search).has('embed')

/** The project of the address; undefined where the address has none. Throws a `LinkError` for what is no project. */
export function linked(): Promise<Project | undefined> {
  return fromHash(location.hash)
}

export class Address {
  readonly #project: Store<Project>
  readonly #first: Project
  readonly #warn: (message: string) => void
  #timer: ReturnType<typeof setTimeout> | undefined
  /** The project that the address has, so that reading it does not write it. */
  #known: Project

  /** `first` is the project of an address without one; `warn` shows why an address cannot be read. */
  constructor(project: Store<Project>, first: Project, warn: (message: string) => void) {
    this.#project = project
    this.#first = first
    this.#warn = warn
    this.#known = project.value
    project.subscribe(now => {
      clearTimeout(this.#timer)
      if (now !== this.#known) this.#timer = setTimeout(() => void this.#follow(), rest)
    })
    addEventListener('hashchange', () => void this.#read())
  }

  /** Makes an entry in the history for another program, which the caller opens next; the one that is open stays one step back. */
  async begin(next: Project): Promise<void> {
    await this.#follow()
    try {
      const hash = await toHash(next)
      if (location.hash !== hash) history.pushState(null, '', hash)
      this.#known = next
    } catch {
      // Too large for a link: the history keeps the program before it.
    }
  }

  /** Brings the address up to date and gives it. Throws a `LinkError` where the project is too large. */
  async link(): Promise<URL> {
    clearTimeout(this.#timer)
    const project = this.#project.value
    const hash = await toHash(project)
    replaceBy(hash)
    this.#known = project
    const url = new URL(location.href)
    url.search = ''
    url.hash = hash
    return url
  }

  async #follow(): Promise<void> {
    if (this.#project.value === this.#known) return
    try {
      await this.link()
    } catch (cause) {
      // Share says it; nobody asked here. The address keeps the last project that fits.
      if (!(cause instanceof LinkError)) throw cause
    }
  }

  /** The visitor went back or forth, or wrote another address. */
  async #read(): Promise<void> {
    clearTimeout(this.#timer)
    const { hash } = location
    try {
      const found = (await linked()) ?? this.#first
      // Whoever goes back twice wants the second program, whichever unpacks first.
      if (location.hash !== hash) return
      if (JSON.stringify(found) === JSON.stringify(this.#project.value)) return
      this.#known = found
      this.#project.set(found)
    } catch (cause) {
      this.#warn(cause instanceof Error ? cause.message : String(cause))
    }
  }
}

function replaceBy(hash: string): void {
  if (location.hash === hash) return
  try {
    history.replaceState(null, '', hash)
  } catch {
    throw new LinkError(`This browser takes no address of ${hash.length} characters. Download the project instead.`)
  }
}
