/** The pane Check, in Chromium. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { part, siteOfTests, typed } from './browser.ts'
import { openPane } from './pane-page.ts'

const site = siteOfTests()

const wrong = readFileSync(join(import.meta.dirname, '../playground/starters/wrong.slang'), 'utf8')
const badge = (page: Page, name: string): Locator => page.locator(`[data-function="${name}"] [data-state]`)
const checkOf = (page: Page, name: string): Locator => page.getByRole('button', { name: `Check ${name}`, exact: true })
const said = (page: Page): Promise<string | null> => part(page, 'pane-check').locator('[role="status"]').textContent()

/** A loop whose end depends on its input, and whose check takes far longer than the tests. */
const slow =
  '[Differentiable]\nfloat slow(float x)\n{\n    float y = x;\n    [MaxIters(100000)]\n    for (int i = 0; i < 100000; i++)\n        y = sin(y) + 0.001 * cos(y * x);\n    return y;\n}\n\n[Differentiable]\nfloat quick(float x) { return x; }\n'

it('blames the function whose derivative is wrong, and leads to it', async () => {
  const page = await openPane(site, wrong, 'check')
  await page.locator('[data-testid="check-all"]:enabled').click()
  await expect.poll(() => badge(page, 'ease').textContent(), { timeout: 30_000 }).toBe('✗ wrong')
  await expect.poll(() => badge(page, 'ease_gradient').textContent(), { timeout: 30_000 }).toBe('cannot be checked')
  expect(await page.locator('[data-function="ease_gradient"] .verdict').textContent()).toMatch(/not differentiable/)
  await expect.poll(() => badge(page, 'loss').textContent(), { timeout: 30_000 }).toBe('✗ wrong')
  await expect.poll(() => said(page)).toBe('Checked 3 functions: 2 wrong, 1 cannot be checked.')
  const blame = page.locator('[data-function="loss"] [data-testid="blame"]')
  expect(await blame.textContent()).toMatch(/ease.*main\.slang:\d+:/)
  await blame.click()
  expect(await page.locator('.cm-activeLine').textContent()).toMatch(/ease/)
  await page.keyboard.press('Control+End')
  await badge(page, 'loss').locator('button').click()
  expect(await page.locator('.cm-activeLine').textContent()).toMatch(/ease/)
})

it('keeps the badges when it is closed, and has them above the functions, too', async () => {
  const page = await openPane(
    site,
    '[Differentiable]\nfloat good(float x) { return x * x; }\n\n[Differentiable]\nfloat also(float x) { return sin(x); }\n',
    'check',
  )
  await checkOf(page, 'good').click()
  await expect.poll(() => badge(page, 'good').textContent(), { timeout: 30_000 }).toBe('✓ agrees')
  expect(await said(page)).toBe('good: ✓ agrees.')
  await expect.poll(() => page.locator('.lens').first().textContent()).toMatch(/✓ derivatives agree at \d+ inputs/)
  expect(await badge(page, 'also').textContent()).toBe('not checked')
  await part(page, 'tab-output').click()
  await part(page, 'pane-output').waitFor()
  // What is checked above a function is known in the pane.
  await page.locator('.lens button', { hasText: 'check derivatives' }).click()
  await expect.poll(() => page.locator('.lens').last().textContent(), { timeout: 30_000 }).toMatch(/✓/)
  await part(page, 'check').click()
  await expect.poll(() => badge(page, 'good').textContent()).toBe('✓ agrees')
  await expect.poll(() => badge(page, 'also').textContent()).toBe('✓ agrees')
})

it('forgets verdicts when the text changes, also of a check that runs', async () => {
  const good = '[Differentiable]\nfloat f(float x) { return x * x; }\n'
  const page = await openPane(site, good, 'check')
  await checkOf(page, 'f').click()
  await expect.poll(() => badge(page, 'f').textContent(), { timeout: 30_000 }).toBe('✓ agrees')
  await typed(page, `${good}// more\n`)
  await expect.poll(() => badge(page, 'f').textContent()).toBe('not checked')
  await typed(page, slow)
  await expect.poll(() => badge(page, 'slow').textContent()).toBe('not checked')
  await checkOf(page, 'slow').click()
  await expect.poll(() => badge(page, 'slow').textContent()).toBe('checking …')
  await typed(page, `${slow}// more\n`)
  await expect.poll(() => badge(page, 'slow').textContent()).toBe('not checked')
  // The server has let go of it, too.
  await checkOf(page, 'quick').click()
  await expect.poll(() => badge(page, 'quick').textContent()).toBe('✓ agrees')
  expect(await badge(page, 'slow').textContent()).toBe('not checked')
})

it('shows how far it is, and stops when it is told to', async () => {
  const page = await openPane(site, slow, 'check')
  await page.locator('[data-testid="check-all"]:enabled').click()
  await expect.poll(() => badge(page, 'slow').textContent()).toBe('checking …')
  await expect.poll(() => said(page)).toBe('Checking slow, 1 of 2 …')
  expect(await page.locator('progress').isVisible()).toBe(true)
  await part(page, 'check-cancel').click()
  await expect.poll(() => said(page)).toBe('Stopped.')
  await expect.poll(() => badge(page, 'slow').textContent()).toBe('not checked')
  expect(await page.locator('progress').isVisible()).toBe(false)
  // The next one does not wait for the one that was stopped.
  await checkOf(page, 'quick').click()
  await expect.poll(() => badge(page, 'quick').textContent(), { timeout: 10_000 }).toBe('✓ agrees')
})

it('says in words that a check took too long', async () => {
  const page = await openPane(site, '[Differentiable]\nfloat f(float x) { return x * x; }\n', 'check', {
    before: p =>
      p.addInitScript(() => {
        // The server's answer to a check that takes too long, as it would come after its limit of 20 seconds.
        globalThis.Worker = class extends Worker {
          override postMessage(message: unknown, more: Transferable[] | StructuredSerializeOptions = []): void {
            const { method, id } = message as { readonly method?: string; readonly id?: number }
            const error = {
              code: -32803,
              message: 'the check was given up after 20 seconds, as the setting cotangent.check.timeLimit asks',
            }
            if (method === 'cotangent/check')
              this.dispatchEvent(new MessageEvent('message', { data: { jsonrpc: '2.0', id, error } }))
            else super.postMessage(message, more as Transferable[])
          }
        }
      }),
  })
  await checkOf(page, 'f').click()
  await expect.poll(() => badge(page, 'f').textContent()).toBe('… took too long')
  expect(await page.locator('[data-function="f"] .verdict').textContent()).toMatch(
    /did not come to an end in time.*tries again/,
  )
  expect(await checkOf(page, 'f').isEnabled()).toBe(true)
})
