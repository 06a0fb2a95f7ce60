/** The tabs of the panes, in Chromium. */
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchChromium } from '../../tools/chromium.mjs'
import { toHash } from '../playground/project/codec.ts'
import { projectOf } from '../playground/project/project.ts'
import { serve } from '../serve.mjs'

let browser: Browser
let server: Awaited<ReturnType<typeof serve>>
beforeAll(async () => {
  ;[browser, server] = await Promise.all([launchChromium(), serve(join(import.meta.dirname, '../dist'))])
})
afterAll(async () => {
  await browser.close()
  await server.close()
})

it('opens a pane for each tab, by click and by keyboard', async () => {
  const page = await browser.newPage({ viewport: { width: 1200, height: 800 } })
  await page.goto(`${server.address}/playground/`)
  const tab = (id: string) => page.locator(`#tabs [data-testid="${id}"]`)
  const isOpen = async (tabId: string, pane: string): Promise<void> => {
    await page.waitForSelector(`[data-testid="pane-${pane}"]`)
    expect(await tab(tabId).getAttribute('aria-selected')).toBe('true')
    expect(await page.locator('#tabs [aria-selected="true"]').count()).toBe(1)
    expect(await page.locator('[role="tabpanel"]').count()).toBe(1)
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
  const page = await browser.newPage()
  await page.goto(`${server.address}/playground/`)
  await page.locator('[data-testid="explain"]').click()
  await page.waitForSelector('[data-testid="pane-explain"]')
  await page.locator('[data-testid="share"]').click()
  await page.waitForFunction(() => location.hash.startsWith('#1='))
  const again = await browser.newPage()
  await again.goto(page.url())
  await again.waitForSelector('[data-testid="pane-explain"]')
  const odd = await browser.newPage()
  await odd.goto(`${server.address}/playground/${await toHash({ ...projectOf(''), picks: { pane: 'toString' } })}`)
  await odd.waitForSelector('[data-testid="pane-output"]')
})
