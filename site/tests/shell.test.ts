/** Around the editor and the panes: sharing, history, embedding, keys, themes, and a phone. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toHash } from '../playground/project/codec.ts'
import { projectOf, type Project } from '../playground/project/project.ts'
import { openSite, part, settled, sizes, typed, type Site } from './browser.ts'

let site: Site
beforeAll(async () => {
  site = await openSite()
})
afterAll(() => site.close())

const said = (page: Page) => expect.poll(() => part(page, 'status').textContent(), { timeout: 20_000 })
const source = (page: Page): Promise<string> => page.locator('.cm-content').innerText()
const small = (text: string): Project => ({ ...projectOf(text), size: [64, 48] })
const square = 'export float square(float x) { return x * x; }\n'

/** Replaces the text of the editor by pasting, which takes long texts at once. */
async function pasted(page: Page, text: string): Promise<void> {
  await page.locator('.cm-content').click()
  await page.keyboard.press('Control+a')
  await page.evaluate(given => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', given)
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true })
    document.querySelector('.cm-content')!.dispatchEvent(event)
  }, text)
}

describe('Share', () => {
  it('copies the link, and says so', async () => {
    const { page, trouble } = await site.open(`/playground/${await toHash(small(square))}`, {
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    await said(page).toMatch(/^Compiled/)
    await part(page, 'share').click()
    await expect.poll(() => part(page, 'share-said').textContent()).toBe('The link is copied.')
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(page.url())
    await part(page, 'share-embed-copy').click()
    await expect.poll(() => part(page, 'share-said').textContent()).toBe('The code is copied.')
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^<iframe src="http:.*\?embed#1=/)
    await page.keyboard.press('Escape')
    await expect.poll(() => page.locator('#sharing').isVisible()).toBe(false)
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('share')
    expect(trouble).toEqual([])
    await page.context().close()
  })

  it('works where a page may not write to the clipboard', async () => {
    const { page, trouble } = await site.open(`/playground/${await toHash(small(square))}`)
    await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }))
    await said(page).toMatch(/^Compiled/)
    await part(page, 'share').click()
    await expect.poll(() => part(page, 'share-said').textContent()).toBe('The link is in the address of this page.')
    expect(await part(page, 'share-link').inputValue()).toBe(page.url())
    expect(trouble).toEqual([])
    await page.context().close()
  })

  it('brings back all files, the open pane, and the backend', async () => {
    const project: Project = {
      ...small(`import lib;\n${square}`),
      files: [
        { name: 'main.slang', text: `import lib;\n${square}` },
        { name: 'lib.slang', text: 'module lib; // ∂ “y” 🜂\n' },
      ],
      open: 'lib.slang',
      backend: 'cpu',
    }
    const { page } = await site.open(`/playground/${await toHash(project)}`)
    await said(page).toMatch(/^Compiled/)
    await page.locator('#tabs').getByRole('tab', { name: 'Check', exact: true }).click()
    await part(page, 'share').click()
    await expect.poll(() => part(page, 'share-link').inputValue()).not.toBe('')
    const link = await part(page, 'share-link').inputValue()
    const again = await site.open(link.slice(site.address.length))
    await said(again.page).toMatch(/^Compiled/)
    expect(await source(again.page)).toContain('∂ “y” 🜂')
    expect(await again.page.locator('#tabs [aria-selected="true"]').textContent()).toBe('Check')
    expect(await part(again.page, 'backend').textContent()).toBe('CPU')
    await part(again.page, 'file-main.slang').click()
    await expect.poll(() => source(again.page)).toContain('square')
    expect(again.trouble).toEqual([])
    await page.context().close()
    await again.page.context().close()
  })

  it('holds large programs, and refuses those that no link holds', async () => {
    const { page, trouble } = await site.open(`/playground/${await toHash(small(square))}`)
    await said(page).toMatch(/^Compiled/)
    // Random digits do not pack well.
    const digits = Array.from({ length: 4000 }, () => `// ${Math.random()} ${Math.random()}`).join('\n')
    await pasted(page, `${square}${digits}\n`)
    await part(page, 'share').click()
    await expect.poll(() => part(page, 'share-link').inputValue(), { timeout: 20_000 }).toMatch(/#1=[\w-]{50000,}$/)
    expect(await page.locator('#sharing').textContent()).toMatch(/characters\. Some programs cut off/)
    const again = await site.open((await part(page, 'share-link').inputValue()).slice(site.address.length))
    await said(again.page).toMatch(/^Compiled/)
    expect(await source(again.page)).toContain(digits.slice(0, 30))
    await pasted(page, `${square}${`// ${'x'.repeat(1000)}\n`.repeat(1100)}`)
    await part(page, 'share').click()
    await expect.poll(() => part(page, 'share-said').textContent(), { timeout: 20_000 }).toMatch(/a link holds at most/)
    expect(await part(page, 'share-link').inputValue()).toBe('')
    expect([...trouble, ...again.trouble]).toEqual([])
    await page.context().close()
    await again.page.context().close()
  })
})

describe('the address', () => {
  it('follows what is typed, without a step in the history', async () => {
    const { page, trouble } = await site.open('/playground/')
    await settled(page)
    expect(page.url()).toBe(`${site.address}/playground/`)
    const steps = await page.evaluate(() => history.length)
    await typed(page, square)
    await expect.poll(() => page.url()).toMatch(/#1=/)
    expect(await page.evaluate(() => history.length)).toBe(steps)
    await page.reload()
    await said(page).toMatch(/^Compiled/)
    expect(await source(page)).toContain('square')
    expect(trouble).toEqual([])
    await page.context().close()
  })

  it('takes a starter for a step, and goes back and forth', async () => {
    const { page, trouble } = await site.open('/playground/')
    await settled(page)
    await typed(page, square)
    await part(page, 'starter-gradient').click()
    await expect.poll(() => source(page)).not.toContain('square')
    await page.goBack()
    await expect.poll(() => source(page)).toContain('square')
    await page.goForward()
    await expect.poll(() => source(page)).not.toContain('square')
    await page.goBack()
    await page.goBack()
    expect(trouble).toEqual([])
    await page.context().close()
  })

  it('that is no link says why until it is read, and the page works', async () => {
    const { page, trouble } = await site.open('/playground/#1=AAAA')
    await settled(page)
    expect(await page.locator('#notice').textContent()).toMatch(/damaged/)
    await page.locator('#notice button').click()
    expect(await page.locator('#notice').isVisible()).toBe(false)
    await page.evaluate(() => (location.hash = '#intro'))
    await expect.poll(() => page.locator('#notice').textContent()).toMatch(/does not begin with a version/)
    expect(await source(page)).toContain('The height of a wave')
    expect(trouble).toEqual([])
    await page.context().close()
  })
})

it('runs in a page of another origin, without storage, and opens whole', async () => {
  const src = `${site.address}/playground/?embed${await toHash({ ...small(square), backend: 'cpu' })}`
  const other = createServer((_request, response) =>
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(
        `<!doctype html><title>Other</title><iframe src="${src}" width="700" height="480"></iframe><iframe src="${src}" sandbox="allow-scripts allow-popups allow-same-origin"></iframe>`,
      ),
  )
  await new Promise<void>(done => other.listen(0, '127.0.0.1', done))
  try {
    const context = await site.browser.newContext()
    const page = await context.newPage()
    const trouble: string[] = []
    page.on('console', message => trouble.push(`console: ${message.text()}`))
    page.on('pageerror', error => trouble.push(`error: ${error.message}`))
    await page.addInitScript(() =>
      Object.defineProperty(globalThis, 'localStorage', {
        get: () => {
          throw new DOMException('no storage here', 'SecurityError')
        },
      }),
    )
    await page.goto(`http://localhost:${(other.address() as AddressInfo).port}/`)
    for (const i of [0, 1]) {
      const frame = page.frameLocator('iframe').nth(i)
      await expect
        .poll(() => frame.locator('[data-testid="status"]').textContent(), { timeout: 20_000 })
        .toMatch(/^Compiled/)
      expect(await frame.locator('#starters').isVisible()).toBe(false)
      expect(await frame.locator('[data-testid="share"]').isVisible()).toBe(false)
    }
    const frame = page.frameLocator('iframe').first()
    await frame.locator('.cm-content').click()
    await page.keyboard.insertText('// mine\n')
    const [whole] = await Promise.all([context.waitForEvent('page'), frame.locator('#whole').click()])
    await expect.poll(() => whole.locator('[data-testid="status"]').textContent()).toMatch(/^Compiled/)
    expect(whole.url()).not.toContain('embed')
    expect(await source(whole)).toContain('// mine')
    expect(await whole.locator('#starters').isVisible()).toBe(true)
    expect(trouble).toEqual([])
    await context.close()
  } finally {
    other.closeAllConnections()
    other.close()
  }
})

describe('by keys alone', () => {
  const focused = (page: Page): Promise<string> =>
    page.evaluate(() => document.activeElement?.id || document.activeElement?.className || '')

  it('the first stop skips to the results, and leaves the address alone', async () => {
    const { page } = await site.open('/playground/')
    await settled(page)
    await page.keyboard.press('Tab')
    expect(await focused(page)).toBe('skip')
    await page.keyboard.press('Enter')
    expect(await focused(page)).toBe('panes')
    expect(page.url()).not.toContain('#panes')
    await page.context().close()
  })

  it('Tab goes through the page in its order, into the editor and out of it', async () => {
    const { page } = await site.open('/playground/')
    await settled(page)
    const order: string[] = []
    for (let i = 0; i < 60 && order.at(-1) !== 'tab-output'; i++) {
      await page.keyboard.press('Tab')
      order.push(await focused(page))
    }
    const wanted = ['skip', 'docs', 'share', 'theme', 'run', 'backend-switch']
    expect(order.filter(id => wanted.includes(id))).toEqual(wanted)
    expect(order.some(name => name.includes('cm-content'))).toBe(true)
    expect(order.slice(-1)).toEqual(['tab-output'])
    // The program is what it was.
    expect(page.url()).not.toContain('#1=')
    await page.context().close()
  })

  it('the bar between source and panes moves', async () => {
    const { page } = await site.open('/playground/')
    await page.locator('#splitter').focus()
    const width = (): Promise<number> => page.locator('#source').evaluate(e => e.getBoundingClientRect().width)
    const before = await width()
    await page.keyboard.press('ArrowRight')
    expect(await width()).toBeCloseTo(before + 24, 0)
    await page.keyboard.press('Home')
    expect(await page.locator('#splitter').getAttribute('aria-valuenow')).toBe('20')
    await page.mouse.move(await width(), 400)
    const box = (await page.locator('#splitter').boundingBox())!
    await page.mouse.move(box.x + 4, 400)
    await page.mouse.down()
    await page.mouse.move(720, 400)
    await page.mouse.up()
    expect(await page.locator('#splitter').getAttribute('aria-valuenow')).toBe('60')
    await page.context().close()
  })

  it('the theme goes from that of the system to light and dark, and is remembered', async () => {
    const { page } = await site.open('/playground/', { colorScheme: 'dark' })
    const shade = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const dark = await shade()
    await part(page, 'theme').press('Enter')
    expect(await part(page, 'theme').getAttribute('aria-label')).toMatch(/^Theme: light/)
    expect(await shade()).not.toBe(dark)
    await part(page, 'theme').press('Enter')
    expect(await shade()).toBe(dark)
    await page.reload()
    expect(await part(page, 'theme').getAttribute('aria-label')).toMatch(/^Theme: dark/)
    await page.context().close()
  })
})

it('a phone brings the results into view when they are asked for, and Code leads back', async () => {
  const { page, trouble } = await site.open('/playground/', { viewport: sizes.phone, hasTouch: true })
  await settled(page)
  const topOf = (id: string): Promise<number> => page.locator(id).evaluate(e => e.getBoundingClientRect().top)
  for (const ask of ['run', 'train', 'starter-spring']) {
    await page.locator('#to-source').tap()
    await expect.poll(() => topOf('#source')).toBeLessThan(200)
    // Below the source: out of sight, or nearly.
    expect(await topOf('#panes')).toBeGreaterThan(300)
    await part(page, ask).tap()
    await expect.poll(() => topOf('#panes'), { message: ask }).toBeLessThan(100)
    // The bar above does not cover what stands on top of them.
    const bar = await page.locator('.go').evaluate(e => e.getBoundingClientRect().bottom)
    expect(await topOf('#train'), ask).toBeGreaterThanOrEqual(bar - 1)
  }
  expect(trouble).toEqual([])
  await page.context().close()
})

it('a phone runs, reads and edits; nothing stands out sideways, and fingers hit what they aim at', async () => {
  const { page, trouble } = await site.open('/playground/', { viewport: sizes.phone, hasTouch: true })
  await settled(page)
  await page.locator('#to-results').tap()
  await expect
    .poll(() => page.evaluate(() => document.querySelector('#panes')!.getBoundingClientRect().top))
    .toBeLessThan(200)
  // What runs the program stays in sight.
  const top = await part(page, 'run').evaluate(e => e.getBoundingClientRect().top)
  expect(top).toBeGreaterThanOrEqual(0)
  await page.locator('#to-source').tap()
  await typed(page, square)
  await said(page).toMatch(/^Compiled/)
  await part(page, 'share').tap()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(sizes.phone.width)
  const least = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('button, a, input, select')]
      .filter(e => e.checkVisibility() && !e.closest('.cm-editor, .skip'))
      .map(e => ({ name: e.textContent || e.id, ...e.getBoundingClientRect().toJSON() }) as DOMRect & { name: string })
      .filter(r => Math.min(r.width, r.height) < 24)
      .map(r => `${r.name}: ${r.width}×${r.height}`),
  )
  expect(least).toEqual([])
  expect(trouble).toEqual([])
  await page.context().close()
})
