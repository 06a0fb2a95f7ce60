/**
 * How the playground looks: each pane on a laptop and on a phone, light and dark. `-u` writes the pictures anew; look at each before you commit it. What
 * programs draw is not part of them.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { PNG } from 'pngjs'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { picture } from '../picture.mjs'
import { panes } from '../playground/panes/registry.ts'
import { openSite, settled, sizes, themes, type Site } from './browser.ts'
import { againstGolden, difference, kept, tolerated } from './pictures.ts'

const folder = join(import.meta.dirname, 'screens')
let site: Site
beforeAll(async () => {
  site = await openSite()
})
afterAll(() => site.close())

/** Numbers of this machine, and what programs draw. */
async function masked(page: Page): Promise<void> {
  // Nothing is pointed at.
  await page.mouse.move(0, 0)
  await page.addStyleTag({
    content: 'canvas { visibility: hidden } .picture { background: #888 } .go, footer { position: static !important }',
  })
  await page.evaluate(async () => {
    document.querySelector('#status')!.textContent = 'Ran on WebGPU.'
    await document.fonts.ready
  })
}

/** The page once it rests: two pictures in a row are the same. */
async function shot(page: Page): Promise<Buffer> {
  await masked(page)
  const taken = (): Promise<Buffer> => page.screenshot({ fullPage: true, animations: 'disabled' })
  for (let last = await taken(), i = 0; ; i++) {
    await page.waitForTimeout(200)
    const now = await taken()
    if (now.equals(last)) return now
    if (i === 30) throw new Error('the page does not come to rest')
    last = now
  }
}

/** Waits until the server has drawn over the source, and nothing waits for an answer. */
async function drawn(page: Page): Promise<void> {
  await settled(page)
  await page.locator('.lens').first().waitFor()
  await page.locator('.hint').first().waitFor()
  await page.waitForFunction(
    () =>
      document.querySelector('[aria-busy="true"]') === null &&
      document.querySelector<HTMLElement>('#strip')!.dataset['on'] === 'webgpu',
  )
}

const cases = themes.flatMap(colorScheme =>
  Object.entries(sizes).map(([size, viewport]) => [`${size}-${colorScheme}`, { colorScheme, viewport }] as const),
)

describe.each(cases)('%s', (name, options) => {
  it.each(panes.map(p => [p.title, p.id]))('%s', { timeout: 60_000 }, async (title, id) => {
    const { page, trouble } = await site.open('/playground/', { ...options, reducedMotion: 'reduce' })
    await settled(page)
    await page.locator('#tabs').getByRole('tab', { name: title, exact: true }).click()
    await page.locator('#pane [role="tabpanel"]').waitFor()
    await drawn(page)
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
    expect(wide, 'something stands out sideways').toBeLessThanOrEqual(0)
    expect(againstGolden(kept(await shot(page)), join(folder, `${id}-${name}.png`), inject('update'))).toBe('')
    expect(trouble).toEqual([])
    await page.context().close()
  })
})

it('each picture belongs to a pane, and is small', () => {
  const expected = cases.flatMap(([name]) => panes.map(p => `${p.id}-${name}.png`))
  expect(readdirSync(folder).toSorted()).toEqual(expected.toSorted())
  for (const file of expected) expect(statSync(join(folder, file)).size, file).toBeLessThan(80_000)
})

it('the picture that README.md shows is one of the playground', { timeout: 120_000 }, async () => {
  const file = join(import.meta.dirname, '../../docs/playground.png')
  if (inject('update')) writeFileSync(file, await picture(site.browser, site.address))
  const { width, height } = PNG.sync.read(readFileSync(file))
  expect([width, height]).toEqual([1200, 760])
  expect(statSync(file).size).toBeLessThan(300_000)
})

describe('the comparison', () => {
  /** The same page with other letters, or with something amiss. */
  const differs = async (style: string): Promise<number> => {
    const { page } = await site.open('/playground/')
    await drawn(page)
    const before = kept(await shot(page))
    await page.addStyleTag({ content: style })
    const after = kept(await shot(page))
    await page.context().close()
    return difference(before, after)
  }

  it.each([
    ['letters with other edges', 'body { -webkit-font-smoothing: antialiased; text-rendering: geometricPrecision }'],
    ['letters that are a little bolder', 'body { -webkit-text-stroke: 0.15px }'],
    ['letters a third of a pixel to the right', 'body { position: relative; left: 0.33px }'],
  ])('takes %s for the same', { timeout: 60_000 }, async (_name, style) => {
    expect(await differs(style)).toBeLessThanOrEqual(tolerated)
  })

  it.each([
    ['a missing button', '#share { visibility: hidden }'],
    ['a missing label', '[data-testid="starter-spring"] { color: transparent }'],
    ['a row that is lower', 'header { padding-top: 12px }'],
    ['another colour', '#run { background: #b3261e }'],
    ['a line of code that is missing', '.cm-line:nth-child(2) { visibility: hidden }'],
  ])('finds %s', { timeout: 60_000 }, async (_name, style) => {
    expect(await differs(style)).toBeGreaterThan(tolerated)
  })
})
