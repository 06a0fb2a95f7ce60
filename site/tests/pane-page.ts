/** The playground in Chromium with a pane open, for tests of panes: a page that may neither write to the console nor ask another host. */
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { launchChromium } from '../../tools/chromium.mjs'
import { toHash } from '../playground/project/codec.ts'
import { projectOf, type Project } from '../playground/project/project.ts'
import { serve } from '../serve.mjs'

export class PanePages {
  readonly #browser: Browser
  readonly #server: Awaited<ReturnType<typeof serve>>
  #pages: Page[] = []
  /** What pages did that none may do. */
  trouble: string[] = []

  private constructor(browser: Browser, server: Awaited<ReturnType<typeof serve>>) {
    this.#browser = browser
    this.#server = server
  }

  static async start(): Promise<PanePages> {
    const [browser, server] = await Promise.all([launchChromium(), serve(join(import.meta.dirname, '../dist'))])
    return new PanePages(browser, server)
  }

  /** Opens a project, or an address, and a pane of it. `before` prepares the page. */
  async open(
    project: string | Project | URL,
    pane: string,
    {
      size = [1200, 800],
      before,
    }: { readonly size?: readonly [number, number]; before?: (page: Page) => Promise<unknown> } = {},
  ): Promise<Page> {
    const page = await this.#browser.newPage({ viewport: { width: size[0], height: size[1] } })
    this.#pages.push(page)
    page.on('console', message => this.trouble.push(`console: ${message.text()}`))
    page.on('pageerror', error => this.trouble.push(`error: ${error.message}`))
    page.on('request', request => {
      const url = request.url()
      if (!url.startsWith(this.#server.address) && !url.startsWith('data:')) this.trouble.push(`asked ${url}`)
    })
    await before?.(page)
    const address =
      project instanceof URL
        ? project.href
        : `${this.#server.address}/playground/${await toHash(typeof project === 'string' ? projectOf(project) : project)}`
    await page.goto(address)
    await part(page, pane).click()
    await part(page, `pane-${pane}`).waitFor()
    return page
  }

  /** Closes the pages, and gives what they did that none may do. */
  async closePages(): Promise<readonly string[]> {
    await Promise.all(this.#pages.map(p => p.close()))
    this.#pages = []
    const { trouble } = this
    this.trouble = []
    return trouble
  }

  async end(): Promise<void> {
    await this.#browser.close()
    await this.#server.close()
  }
}

export function part(page: Page, id: string): Locator {
  return page.locator(`[data-testid="${id}"]`)
}

/** Replaces the text of the editor by typing. */
export async function typed(page: Page, text: string): Promise<void> {
  await part(page, 'editor').locator('.cm-content').click()
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText(text)
}

/** The address that “Share” makes. */
export async function shared(page: Page): Promise<URL> {
  await part(page, 'share').click()
  await page.waitForFunction(() => location.hash.startsWith('#1='))
  await page.waitForFunction(() => /link is/.test(document.querySelector('[data-testid="status"]')?.textContent ?? ''))
  return new URL(page.url())
}
