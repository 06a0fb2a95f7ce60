/** Chromium with WebGPU, and what goes on in its pages. */
import { existsSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { Browser, Page } from 'playwright-core'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
}

/** A page, and what it logged and asked for. */
export interface Watched {
  readonly page: Page
  /** Errors that were logged or thrown. */
  readonly errors: readonly string[]
  /** Addresses that it asked for. */
  readonly asked: readonly string[]
}

/** Opens an empty page, and writes down what happens in it. */
export async function open(browser: Browser): Promise<Watched> {
  const page = await browser.newPage()
  page.setDefaultTimeout(60_000)
  const errors: string[] = []
  const asked: string[] = []
  page.on('pageerror', error => errors.push(String(error)))
  page.on('console', message => {
    if (message.type() === 'error') errors.push(message.text())
  })
  page.on('request', request => asked.push(request.url()))
  return { page, errors, asked }
}

/** The address under which `serve` answers. Pages have WebGPU in secure contexts only; nobody is asked over a network. */
export const origin = 'https://page.test/'

/** Headers with which a page is cross-origin isolated: then its threads may share memory. */
export const isolating: Readonly<Record<string, string>> = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
}

/** Answers a page with the files of a folder. */
export async function serve(
  { page }: Watched,
  folder: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  await page.route(`${origin}**`, route => {
    const { pathname } = new URL(route.request().url())
    const file = join(folder, pathname === '/' ? 'index.html' : pathname)
    if (!existsSync(file)) return route.fulfill({ status: 404, body: '' })
    const contentType = types[extname(file)] ?? 'application/octet-stream'
    return route.fulfill({ contentType, headers, body: readFileSync(file) })
  })
}

/** What `train.js` writes down. */
export interface Training {
  readonly steps: number
  readonly loss: number
  readonly first: number
  readonly error: string
  readonly scaled: readonly number[]
  readonly cpuLoss: number
}

/** Waits until something holds of the training of a page. `condition` is JavaScript about `t`. */
export async function until(page: Page, condition: string): Promise<Training> {
  const found = await page.waitForFunction(
    `(t => t && (t.error !== '' || (${condition})) && { ...t })(window.training)`,
    undefined,
    { polling: 100 },
  )
  const training = (await found.jsonValue()) as Training
  if (training.error !== '') throw new Error(`the page failed: ${training.error}`)
  return training
}
