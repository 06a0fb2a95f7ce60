/** The tabs of the panes, in Chromium. */
import { expect, it } from 'vitest'
import { toHash } from '../playground/project/codec.ts'
import { projectOf } from '../playground/project/project.ts'
import { siteOfTests } from './browser.ts'
import { shared } from './pane-page.ts'

const site = siteOfTests()

it('opens a pane for each tab, by click and by keyboard', async () => {
  const { page } = await site.open('/playground/')
  const tab = (id: string) => page.locator(`#tabs [data-testid="${id}"]`)
  const isOpen = async (tabId: string, pane: string): Promise<void> => {
    await page.waitForSelector(`[data-testid="pane-${pane}"]`)
    expect(await tab(tabId).getAttribute('aria-selected')).toBe('true')
    expect(await page.locator('#tabs [aria-selected="true"]').count()).toBe(1)
    expect(await page.locator('#pane [role="tabpanel"]').count()).toBe(1)
  }
  await isOpen('tab-output', 'output')
  await tab('check').click()
  await isOpen('check', 'check')
  const all = await page.locator('#tabs [role="tab"]').evaluateAll(list => list.map(e => e.id.replace('tab-', '')))
  const [first, last] = [all[0]!, all.at(-1)!]
  const focused = () => page.evaluate(() => document.activeElement?.id)
  await page.keyboard.press('Home')
  await page.waitForSelector(`[data-testid="pane-${first}"]`)
  expect(await focused()).toBe(`tab-${first}`)
  await page.keyboard.press('ArrowLeft')
  await page.waitForSelector(`[data-testid="pane-${last}"]`)
  expect(await focused()).toBe(`tab-${last}`)
  await page.keyboard.press('ArrowRight')
  await page.waitForSelector(`[data-testid="pane-${first}"]`)
  await page.keyboard.press('End')
  await page.waitForSelector(`[data-testid="pane-${last}"]`)
  expect(await focused()).toBe(`tab-${last}`)
  // Only the open tab is reached by Tab.
  expect(await page.locator('#tabs [role="tab"][tabindex="0"]').count()).toBe(1)
})

it('a link opens the pane that was open, and one that names none opens the first', async () => {
  const { page } = await site.open('/playground/')
  await page.locator('[data-testid="explain"]').click()
  await page.waitForSelector('[data-testid="pane-explain"]')
  const { page: again } = await site.open((await shared(page)).href)
  await again.waitForSelector('[data-testid="pane-explain"]')
  const { page: odd } = await site.open(
    `/playground/${await toHash({ ...projectOf(''), picks: { pane: 'toString' } })}`,
  )
  await odd.waitForSelector('[data-testid="pane-output"]')
})
