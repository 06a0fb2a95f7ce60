/** The site as it is built, in Chromium: what several tests share. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { launchChromium } from '../../tools/chromium.mjs'
import { serve } from '../serve.mjs'

export const dist: string = join(import.meta.dirname, '../dist')

/** Sizes of a laptop and of a phone. */
export const sizes = { laptop: { width: 1200, height: 800 }, phone: { width: 390, height: 844 } } as const
export const themes = ['light', 'dark'] as const

export interface Site {
  readonly browser: Browser
  readonly address: string
  /** Opens a page in a profile of its own. What it may not do is written down in `trouble`. */
  open(path: string, options?: BrowserContextOptions): Promise<Opened>
  close(): Promise<void>
}

export interface Opened {
  readonly page: Page
  /** What no page may do: write to the console, fail, or ask another host. */
  readonly trouble: readonly string[]
}

/** Starts a browser and a server. Whoever asks closes both. */
export async function openSite(): Promise<Site> {
  const [browser, server] = await Promise.all([launchChromium(), serve(dist)])
  const { address } = server
  return {
    browser,
    address,
    async open(path, options) {
      const context = await browser.newContext({ viewport: sizes.laptop, ...options })
      const page = await context.newPage()
      const trouble: string[] = []
      page.on('console', message => trouble.push(`console: ${message.text()}`))
      page.on('pageerror', error => trouble.push(`error: ${error.message}`))
      page.on('request', request => {
        const url = request.url()
        if (!url.startsWith(address) && !/^(data|blob):/.test(url)) trouble.push(`asked ${url}`)
      })
      await page.goto(`${address}${path}`)
      return { page, trouble }
    },
    async close() {
      await browser.close()
      await server.close()
    },
  }
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
