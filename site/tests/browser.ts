/** The site as it is built, in Chromium: what several tests share. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { launchChromium } from '../../tools/chromium.mjs'
import { serve } from '../serve.mjs'

export const dist: string = join(import.meta.dirname, '../dist')

/** Sizes of a laptop and of a phone. */
export const sizes = { laptop: { width: 1200, height: 800 }, phone: { width: 390, height: 844 } } as const
export const themes = ['light', 'dark'] as const

/** What a site is made of, and the headers of all its files. */
export interface Served {
  readonly folder?: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface Site {
  readonly browser: Browser
  readonly address: string
  /** Opens a page in a profile of its own. `before` prepares it. */
  open(path: string, options?: BrowserContextOptions, before?: (page: Page) => Promise<unknown>): Promise<Opened>
  /** Closes the pages that are open, and gives what they did that none may do. */
  closePages(): Promise<readonly string[]>
  close(): Promise<void>
}

export interface Opened {
  readonly page: Page
  /** What no page may do: write to the console, fail, or ask another host. */
  readonly trouble: readonly string[]
}

/** Starts a browser and a server. Whoever asks closes both. */
export async function openSite({ folder = dist, headers }: Served = {}): Promise<Site> {
  const [browser, server] = await Promise.all([launchChromium(), serve(folder, 0, headers)])
  const { address } = server
  const opened = new Map<BrowserContext, readonly string[]>()
  return {
    browser,
    address,
    async open(path, options, before) {
      const context = await browser.newContext({ viewport: sizes.laptop, ...options })
      const page = await context.newPage()
      const trouble: string[] = []
      opened.set(context, trouble)
      context.once('close', () => opened.delete(context))
      page.on('console', message => trouble.push(`console: ${message.text()}`))
      page.on('pageerror', error => trouble.push(`error: ${error.message}`))
      page.on('request', request => {
        const url = request.url()
        if (!url.startsWith(address) && !/^(data|blob):/.test(url)) trouble.push(`asked ${url}`)
      })
      await before?.(page)
      await page.goto(new URL(path, address).href)
      return { page, trouble }
    },
    async closePages() {
      const all = [...opened]
      await Promise.all(all.map(([context]) => context.close()))
      return all.flatMap(([, trouble]) => trouble)
    },
    async close() {
      await browser.close()
      await server.close()
    },
  }
}

/** The site for the tests of a file. After each test its pages are closed, and none may have done what no page may do. */
export function siteOfTests(served?: Served): Site {
  let site: Site | undefined
  const opened = (): Site => {
    if (site === undefined) throw new Error('the site opens before the first test, and not before that')
    return site
  }
  beforeAll(async () => {
    site = await openSite(served)
  })
  afterEach(async () => {
    expect(await opened().closePages()).toEqual([])
  })
  afterAll(() => site?.close())
  return {
    get browser() {
      return opened().browser
    },
    get address() {
      return opened().address
    },
    open: (...how) => opened().open(...how),
    closePages: () => opened().closePages(),
    close: () => opened().close(),
  }
}

/** The part of a page with that `data-testid`. */
export function part(page: Page, id: string): Locator {
  return page.locator(`[data-testid="${id}"]`)
}

export async function textOf(page: Page, id: string): Promise<string> {
  return (await part(page, id).textContent()) ?? ''
}

/** Replaces the text of the playground's editor by typing. */
export async function typed(page: Page, text: string): Promise<void> {
  await part(page, 'editor').locator('.cm-content').click()
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText(text)
}

/** Paths of all pages of the site. */
export function pagesOfSite(): string[] {
  return readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.html'))
    .map(name => `/${name.replaceAll('\\', '/').replace(/(^|\/)index\.html$/, '$1')}`)
    .toSorted()
}

/** Waits until the program of the playground has run, and the editor is drawn by the server. */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(
    () =>
      document.body.dataset['server'] === 'ready' &&
      /^(Ran|Runs|Compiled)/.test(document.querySelector('#status')!.textContent),
    undefined,
    { timeout: 30_000 },
  )
}
