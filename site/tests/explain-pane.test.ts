/** The pane Explain, in Chromium. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { explainPicks, limitsFor, type Explained } from '../playground/panes/explain-answer.ts'
import { projectOf } from '../playground/project/project.ts'
import { part, siteOfTests, typed } from './browser.ts'
import { openPane, shared } from './pane-page.ts'

const site = siteOfTests()

const spring = readFileSync(join(import.meta.dirname, '../playground/starters/spring.slang'), 'utf8')
const loop =
  '[Differentiable]\nfloat f(float x)\n{\n    float y = x;\n    for (int i = 0; i < 50; i++)\n        y = sin(y) * x;\n    return y;\n}\n\nfloat plain(float x) { return x; }\n'

const totals = (page: Page, name: string): Promise<string> =>
  page.locator(`.explained-function[data-function="${name}"] summary`).innerText()
const said = (page: Page): Promise<string | null> => part(page, 'explain-status').textContent()

/** The marks over the source, as `decision text`. */
async function marks(page: Page): Promise<string[]> {
  await page.waitForSelector('#editor .explained')
  return await page
    .locator('#editor .explained')
    .evaluateAll(list => list.map(e => `${e.className.replace('explained ', '')} ${e.textContent}`))
}

it('tells what each function keeps, recomputes and stores, and draws it over the source', async () => {
  const page = await openPane(site, loop, 'explain')
  await expect.poll(() => said(page), { timeout: 20_000 }).toMatch(/^Without a limit: 1 function, [\d,]+ B stored/)
  expect(await totals(page, 'f')).toMatch(/^f 200 B stored, [\d,]+ operations? done again/)
  const rows = await page.locator('.explained-function tbody tr').allTextContents()
  expect(rows.join('\n')).toMatch(/^5y\s*stored4 B × 50 trips = 200 Bcarried from trip to trip/m)
  expect(rows.some(r => /recomputed/.test(r))).toBe(true)
  const drawn = await marks(page)
  expect(drawn).toContain('stored for (int i = 0; i < 50; i++)')
  expect(drawn.filter(m => m.startsWith('recomputed')).every(m => loop.includes(m.replace('recomputed ', '')))).toBe(
    true,
  )
  // Each kind is another kind of line, too.
  const styles = await page
    .locator('.legend .explained')
    .evaluateAll(list => list.map(e => getComputedStyle(e).textDecorationStyle))
  expect(new Set(styles).size).toBe(3)
  await page.locator('#editor .explained.stored').first().hover()
  await page.waitForSelector('.cm-tooltip .why')
  expect(await page.locator('.cm-tooltip .why').textContent()).toMatch(
    /y: stored \(4 B × 50 trips = 200 B\)\. Why: carried/,
  )
  const why = await part(page, 'pane-explain').locator('.unexplained').textContent()
  expect(why).toMatch(/plain.*main\.slang:10:.*plain has no reverse derivative.*plain is not marked/s)
})

it('a row leads to its value, and the cursor to its rows', async () => {
  const page = await openPane(site, loop, 'explain')
  await page.locator('.explained-function button', { hasText: /^y$/ }).first().click()
  expect(await page.locator('#editor .cm-activeLine').textContent()).toMatch(/for \(int i/)
  await expect.poll(() => page.locator('tr.current').count()).toBeGreaterThan(0)
  expect((await page.locator('tr.current td:first-child').allTextContents()).every(t => t === '5')).toBe(true)
})

it('the slider limits what is stored, by mouse or keyboard, and redraws both', async () => {
  const page = await openPane(site, spring, 'explain')
  await expect.poll(() => totals(page, 'loss').catch(() => ''), { timeout: 20_000 }).toMatch(/^loss 1,600 B stored/)
  expect(await part(page, 'max-context-value').textContent()).toBe('no limit')
  const slider = part(page, 'max-context')
  const before = await marks(page)
  await slider.focus()
  for (let i = 0; i < 5; i++) await page.keyboard.press('ArrowLeft')
  expect(await part(page, 'max-context-value').textContent()).toMatch(/^at most 400 B$/)
  expect(await slider.getAttribute('aria-valuetext')).toBe('at most 400 B')
  await expect.poll(() => totals(page, 'loss')).toMatch(/^loss 160 B stored/)
  expect(await said(page)).toMatch(/^With at most 400 B: 3 functions, 320 B stored/)
  await page.keyboard.press('Home')
  expect(await part(page, 'max-context-value').textContent()).toBe('at most 4 B')
  await expect
    .poll(() => part(page, 'pane-explain').locator('.mistake').textContent())
    .toMatch(/keeps \d+ bytes, and 4 are allowed/)
  await page.keyboard.press('End')
  expect(await part(page, 'max-context-value').textContent()).toBe('no limit')
  await expect.poll(() => totals(page, 'loss')).toMatch(/^loss 1,600 B stored/)
  expect(await part(page, 'pane-explain').locator('.mistake').count()).toBe(0)
  expect(await marks(page)).toEqual(before)
})

it('a link keeps the limit', async () => {
  const page = await openPane(site, { ...projectOf(spring), picks: { explain: { maxContext: 300 } } }, 'explain')
  await expect.poll(() => said(page), { timeout: 20_000 }).toMatch(/^With at most 300 B/)
  const text = await part(page, 'pane-explain').locator('.explained-functions').innerText()
  const again = await openPane(site, await shared(page), 'explain')
  await expect.poll(() => said(again), { timeout: 20_000 }).toMatch(/^With at most 300 B/)
  expect(await part(again, 'max-context-value').textContent()).toBe('at most 300 B')
  expect(await part(again, 'pane-explain').locator('.explained-functions').innerText()).toBe(text)
})

it('is told again after an edit, and leaves nothing behind when it is closed', async () => {
  const page = await openPane(site, loop, 'explain')
  await marks(page)
  await typed(page, loop.replace('i < 50', 'i < 40'))
  await expect.poll(() => totals(page, 'f'), { timeout: 20_000 }).toMatch(/^f 160 B stored/)
  expect(await marks(page)).toContain('stored for (int i = 0; i < 40; i++)')
  // Whatever is typed, no mark of an older text stays over the newer one.
  await typed(page, 'static const int N = 1;\n')
  expect(await page.locator('#editor .explained').count()).toBe(0)
  await expect.poll(() => said(page), { timeout: 20_000 }).toMatch(/no function with a reverse derivative/)
  await typed(page, loop)
  await marks(page)
  await part(page, 'tab-output').click()
  await expect.poll(() => page.locator('#editor .explained').count()).toBe(0)
})

it('says that a function with a derivative by hand stores nothing', async () => {
  const wrong = readFileSync(join(import.meta.dirname, '../playground/starters/wrong.slang'), 'utf8')
  const page = await openPane(site, wrong, 'explain')
  const ease = page.locator('.explained-function[data-function="ease"]')
  await expect.poll(() => ease.textContent(), { timeout: 20_000 }).toMatch(/written by hand, and stores nothing/)
  // Nothing is stored, so there is nothing to limit.
  expect(await part(page, 'max-context').isDisabled()).toBe(true)
})

it('a phone reads the tables without moving the page sideways', async () => {
  const page = await openPane(site, spring, 'explain', { size: [390, 800] })
  await page.waitForSelector('.explained-function')
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
})

it('takes of a link only what is a number of bytes', () => {
  expect(explainPicks({ maxContext: 64 })).toEqual({ maxContext: 64 })
  for (const odd of [
    undefined,
    null,
    7,
    'x',
    [1],
    {},
    { maxContext: -1 },
    { maxContext: 1.5 },
    { maxContext: '4' },
    { maxContext: 1e300 },
  ])
    expect(explainPicks(odd)).toEqual({})
})

it('offers limits from four bytes to what is stored without one', () => {
  const of = (bytes: number): Explained => ({
    name: 'f',
    range: { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } },
    custom: false,
    values: [],
    bytes,
    memory: bytes,
    operations: 0,
  })
  expect(limitsFor([])).toEqual([])
  expect(limitsFor([of(0)])).toEqual([])
  const limits = limitsFor([of(160), of(1600)])
  expect([limits[0], limits.at(-1)]).toEqual([4, 1600])
  expect(limits).toEqual([...new Set(limits)].toSorted((a, b) => a - b))
  expect(limitsFor([of(2 ** 30)]).length).toBeLessThan(80)
})
