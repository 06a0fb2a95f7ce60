/** The panes over the server's own requests, in Chromium. */
import { readFileSync } from 'node:fs'
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

it('Check blames the function whose derivative is wrong, and leads to it', async () => {
  const wrong = readFileSync(join(import.meta.dirname, '../playground/starters/wrong.slang'), 'utf8')
  const page = await browser.newPage({ viewport: { width: 1200, height: 800 } })
  const trouble: string[] = []
  page.on('console', message => trouble.push(`console: ${message.text()}`))
  page.on('pageerror', error => trouble.push(`error: ${error.message}`))
  page.on('request', request => {
    const url = request.url()
    if (!url.startsWith(server.address) && !url.startsWith('data:')) trouble.push(`asked ${url}`)
  })
  await page.goto(`${server.address}/playground/${await toHash(projectOf(wrong))}`)
  await page.locator('[data-testid="check"]').click()
  await page.locator('[data-testid="check-all"]:enabled').click()
  const badge = (name: string) => page.locator(`[data-function="${name}"] [data-state]`)
  await expect.poll(() => badge('ease').textContent(), { timeout: 30_000 }).toBe('✗ wrong')
  await expect.poll(() => badge('ease_gradient').textContent(), { timeout: 30_000 }).toBe('cannot be checked')
  expect(await page.locator('[data-function="ease_gradient"] .verdict').textContent()).toMatch(/not differentiable/)
  await expect.poll(() => badge('loss').textContent(), { timeout: 30_000 }).toBe('✗ wrong')
  const blame = page.locator('[data-function="loss"] [data-testid="blame"]')
  expect(await blame.textContent()).toMatch(/ease.*main\.slang:\d+:/)
  await blame.click()
  expect(await page.locator('.cm-activeLine').textContent()).toMatch(/ease/)
  expect(trouble).toEqual([])
})
