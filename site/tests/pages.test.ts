/** The pages, as they are built: links, examples, search, both themes, in Chromium where a browser decides. */
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'
import { compile } from 'cotangent'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../../tools/chromium.mjs'
import { entries } from '../pages/api-entries.ts'
import { examplesOf, type Example } from '../pages/examples.ts'
import { pages } from '../pages/navigation.ts'
import { fromHash } from '../playground/project/codec.ts'
import { serve } from '../serve.mjs'

const root = join(import.meta.dirname, '../..')
const dist = join(root, 'site/dist')
const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).map(path => path.replaceAll('\\', '/'))
const html = files.filter(path => path.endsWith('.html') && !path.startsWith('playground/')).toSorted()
const textOf = (path: string): string => readFileSync(join(dist, path), 'utf8')

let browser: Browser
let server: Awaited<ReturnType<typeof serve>>
beforeAll(async () => {
  ;[browser, server] = await Promise.all([launchChromium(), serve(dist)])
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

/** A new page, with all that it does and should not: writing to the console, failing, asking another host. */
async function watched(colorScheme: 'light' | 'dark' = 'light'): Promise<{ page: Page; trouble: string[] }> {
  const page = await browser.newPage({ viewport: { width: 1200, height: 800 }, colorScheme })
  const trouble: string[] = []
  page.on('console', message => trouble.push(`${page.url()}: console: ${message.text()}`))
  page.on('pageerror', error => trouble.push(`${page.url()}: ${error.message}`))
  page.on('request', request => {
    const url = request.url()
    if (!url.startsWith(server.address) && !/^(data|blob):/.test(url)) trouble.push(`${page.url()} asks ${url}`)
  })
  return { page, trouble }
}

describe('the table of pages', () => {
  it.each(pages.map(({ from, at }) => [at, from] as const))('%s is there', (at, from) => {
    expect(existsSync(join(root, from)), from).toBe(true)
    expect(html).toContain(`${at}.html`)
  })

  it('has every page of docs/', () => {
    const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter(path => path.endsWith('.md'))
      .map(path => `docs/${path.replaceAll('\\', '/')}`)
    expect(docs.filter(path => !pages.some(({ from }) => from === path))).toEqual([])
  })
})

describe('links', () => {
  /** The ids of a page. */
  const ids = new Map<string, ReadonlySet<string>>()
  const idsOf = (path: string): ReadonlySet<string> => {
    let found = ids.get(path)
    if (found === undefined) {
      found = new Set([...textOf(path).matchAll(/ id="([^"]+)"/g)].map(([, id]) => unescaped(id!)))
      ids.set(path, found)
    }
    return found
  }

  /** Why a link leads nowhere; undefined where it leads somewhere. */
  function broken(from: string, link: string): string | undefined {
    if (/^(https?|mailto|data):/.test(link)) return undefined
    const [path = '', hash = ''] = link.split('#')
    let to = path === '' ? from : posix.join('/', posix.dirname(from), path).slice(1)
    if (path.startsWith('/')) to = path.slice(1)
    if (to === '' || to.endsWith('/')) to += 'index.html'
    if (!existsSync(join(dist, to)) || !statSync(join(dist, to)).isFile()) return `${link} (no ${to})`
    if (hash === '' || to.startsWith('playground/') || !to.endsWith('.html')) return undefined
    return idsOf(to).has(decodeURIComponent(hash)) ? undefined : `${link} (no such place)`
  }

  it.each(html)('of %s lead somewhere', path => {
    const links = [...textOf(path).matchAll(/<(?:a|img|link|script)\b[^>]*? (?:href|src)="([^"]*)"/g)].map(([, link]) =>
      unescaped(link!),
    )
    expect(links.length).toBeGreaterThan(3)
    expect(links.flatMap(link => broken(path, link) ?? [])).toEqual([])
  })

  it('of llms.txt lead to Markdown pages, one for each row', () => {
    const text = textOf('llms.txt')
    expect(text).toMatch(/^# Cotangent\n\n> \S/)
    const links = [...text.matchAll(/^- \[[^\]]+\]\(([^)]+)\): \S.*$/gm)].map(([, link]) => link!)
    expect(links).toEqual(
      expect.arrayContaining(pages.filter(({ from }) => existsSync(join(root, from))).map(({ at }) => `${at}.md`)),
    )
    expect(links.flatMap(link => broken('llms.txt', link) ?? [])).toEqual([])
    const all = textOf('llms-full.txt')
    for (const { from } of pages)
      if (existsSync(join(root, from))) expect(all).toContain(readFileSync(join(root, from), 'utf8').split('\n')[0]!)
  })
})

const unescaped = (text: string): string =>
  text.replace(/&(amp|quot|lt|gt|#39|#x27);/g, (_, name: string) => named[name] ?? '')
const named: Readonly<Record<string, string>> = { amp: '&', quot: '"', lt: '<', gt: '>', '#39': "'", '#x27': "'" }

/** Examples by page. */
const examples = pages
  .filter(({ from }) => existsSync(join(root, from)))
  .map(page => ({ ...page, examples: examplesOf(readFileSync(join(root, page.from), 'utf8'), compile) }))

/** Whether an example has a link. */
const opens = ({ kind }: Example): boolean => kind === 'program' || kind === 'warning'

/** The hashes of the links of a page that open the playground. */
const hashesOf = (at: string): string[] =>
  [...textOf(`${at}.html`).matchAll(/href="\/playground\/(#1=[^"]+)"/g)].map(([, hash]) => hash!)

describe('Slang examples', () => {
  for (const { from, at, examples: found } of examples) {
    if (found.length === 0) continue
    it(`of ${from} compile, or fail as they say`, () => {
      for (const { block, kind, says, found: diagnostics } of found) {
        const text = block.lines.join('\n')
        const told = diagnostics.map(({ code, message }) => `${code} ${message}`)
        if (kind === 'program') {
          expect(block.info, text).toBe('')
          expect(told, text).toEqual([])
        } else if (kind === 'fragment') {
          expect(says, text).not.toBe('')
          expect(told, `this compiles, so it is no fragment:\n${text}`).not.toEqual([])
        } else {
          expect(says, text).toMatch(/^[EW]\d{5}$/)
          expect(
            diagnostics.map(({ code }) => code),
            text,
          ).toContain(says)
          if (kind === 'warning')
            expect(
              diagnostics.filter(({ severity }) => severity === 'error'),
              text,
            ).toEqual([])
        }
      }
    })

    it(`of ${from} open in the playground`, async () => {
      const programs = found.filter(e => opens(e))
      const hashes = hashesOf(at)
      expect(await Promise.all(hashes.map(hash => fromHash(hash)))).toEqual(programs.map(({ project }) => project))
    })
  }

  it('open without a diagnostic in Chromium: the last of each page', async () => {
    let opened = 0
    for (const { at, examples: found } of examples) {
      const hash = hashesOf(at).findLast((_, i) => found.filter(e => opens(e))[i]!.kind === 'program')
      if (hash === undefined) continue
      opened++
      const { page, trouble } = await watched()
      await page.goto(`${server.address}/playground/${hash}`)
      // Both have said what they think: the server, which alone knows these colours, and the machine.
      await page.waitForSelector('.tok-variable, .tok-parameter, .tok-property')
      await page.waitForFunction(() => {
        const status = document.querySelector('[data-testid="status"]')?.textContent ?? ''
        return status !== '' && !status.startsWith('Running')
      })
      expect(await page.locator('[data-testid="diagnostics"]').textContent(), `${at} ${hash}`).toBe('')
      expect(trouble).toEqual([])
      await page.close()
    }
    expect(opened).toBeGreaterThan(10)
  }, 300_000)
})

describe('in Chromium', () => {
  it('no page writes to the console or asks another host', async () => {
    const { page, trouble } = await watched()
    for (const path of html) {
      if (path.startsWith('source/')) continue
      await page.goto(`${server.address}/${path}`)
      await page.waitForLoadState('networkidle')
    }
    await page.close()
    expect(trouble).toEqual([])
  }, 300_000)

  it.each(['bwd_diff', '[MaxIters]', 'valueAndGrad', 'maxContext'])('the search finds %s', async word => {
    const { page, trouble } = await watched()
    await page.goto(`${server.address}/formatting.html`)
    await page.waitForLoadState('networkidle')
    await page.keyboard.press('Control+k')
    await page.locator('#localsearch-input').fill(word)
    await page.waitForSelector('.results .result')
    const found = await page
      .locator('.results a.result')
      .evaluateAll(list => list.map(item => item.getAttribute('href')!))
    // What is found first has the word itself, not only its parts.
    expect(textOf(found[0]!.slice(1).split('#')[0]!).replace(/<[^>]*>/g, '')).toContain(word)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(url => !url.pathname.endsWith('/formatting.html'))
    expect(trouble).toEqual([])
    await page.close()
  })

  it.each(['light', 'dark'] as const)('follows the system (%s), and changes at a click', async scheme => {
    const { page, trouble } = await watched(scheme)
    await page.goto(server.address)
    const brightness = (): Promise<number> =>
      page.evaluate(() => {
        const [, r = '0'] = /rgba?\((\d+)/.exec(getComputedStyle(document.body).backgroundColor) ?? []
        return Number(r)
      })
    expect((await brightness()) > 128).toBe(scheme === 'light')
    await page.locator('.VPSwitchAppearance:visible').first().click()
    await expect.poll(async () => (await brightness()) > 128).toBe(scheme === 'dark')
    expect(trouble).toEqual([])
    await page.close()
  })

  it('a phone reads pages without scrolling sideways', async () => {
    const { page } = await watched()
    await page.setViewportSize({ width: 390, height: 800 })
    const wide: string[] = []
    for (const path of html.filter(path => !path.startsWith('source/'))) {
      await page.goto(`${server.address}/${path}`)
      const width = await page.evaluate(() => document.documentElement.scrollWidth)
      if (width > 390) wide.push(`${path}: ${width}`)
    }
    expect(wide).toEqual([])
    await page.close()
  }, 120_000)

  it('an address without a page says so', async () => {
    const { page } = await watched()
    const answer = await page.goto(`${server.address}/nowhere`)
    expect(answer?.status()).toBe(404)
    await page.waitForSelector('text=There is no page here')
    await page.close()
  })
})

it('the reference has a page for each entry, and the home page its derivative', () => {
  for (const entry of entries) expect(html).toContain(`reference/${entry}.html`)
  expect(textOf('index.html')).toContain('bwd_wave')
})
