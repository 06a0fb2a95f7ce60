/**
 * The tutorial, followed by pasting its blocks: in Node, in Chromium on the development server that the page starts, and in Chromium in the playground,
 * which must be built.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../../tools/chromium.mjs'
import { openSite, part, settled, typed } from './browser.ts'
import { packed, Reader } from './follow.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/tutorial.md'), 'utf8')

describe('the tutorial', () => {
  let reader: Reader
  let browser: Browser
  let remove: () => void
  beforeAll(async () => {
    const made = packed()
    remove = made.remove
    reader = new Reader(made.tarball)
    reader.follow(page)
    browser = await launchChromium()
  }, 180_000)
  afterAll(async () => {
    await browser.close()
    await reader.close()
    remove()
  })

  it('prints in Node what the page says', () => {
    expect(reader.differences).toEqual([])
    expect(reader.agreed).toBe(7)
  })

  it('trains on WebGPU in the browser, draws the loss, and ends with what the page says', async () => {
    // The only block that is neither a file nor a command: what the page in the browser ends with.
    expect(reader.left.map(block => block.kind)).toEqual(['text'])
    const errors: string[] = []
    const tab = await browser.newPage()
    tab.on('pageerror', error => errors.push(error.message))
    tab.on('console', message => {
      // Browsers ask for an icon that the page does not have.
      if (message.type() === 'error' && !message.location().url.endsWith('/favicon.ico')) errors.push(message.text())
    })
    await tab.goto(await reader.address!)
    await tab.waitForFunction(
      () => !(document.querySelector('#result')?.textContent ?? 'Training').startsWith('Training'),
    )
    expect(await tab.textContent('#result')).toBe(reader.left[0]!.lines.join('\n'))
    // The curve begins high and ends low.
    const heights = await tab.evaluate(() => {
      const canvas = document.querySelector('canvas')!
      const { data, width, height } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height)
      const top = (x: number): number => {
        for (let y = 0; y < height; y++) if (data[4 * (y * width + x) + 3]! > 0) return y
        return -1
      }
      return [top(2), top(width - 4)]
    })
    expect(heights[0]).toBeGreaterThanOrEqual(0)
    expect(heights[1]).toBeGreaterThan(heights[0]! + 100)
    expect(errors).toEqual([])
  })

  it.each(['WebGPU', 'CPU'])('trains in the playground on %s, as the page says', async backend => {
    const site = await openSite()
    try {
      const { page: tab, trouble } = await site.open('/playground/')
      await settled(tab)
      if (backend === 'CPU') await part(tab, 'backend-switch').click()
      await expect.poll(() => part(tab, 'backend').textContent()).toBe(backend)
      await typed(tab, readFileSync(join(reader.folder, 'tea.slang'), 'utf8'))
      const loss = async (): Promise<number> => Number(await part(tab, 'loss').textContent())
      await part(tab, 'train').click()
      await expect.poll(() => part(tab, 'steps').textContent().then(Number)).toBeGreaterThan(0)
      expect(await part(tab, 'subject').inputValue()).toBe('loss')
      for (const name of ['number-c.start', 'number-c.rate']) expect(await part(tab, name).count(), name).toBe(1)
      await part(tab, 'values-open').click()
      await part(tab, 'value-time').fill('2')
      await part(tab, 'value-measured').fill('3.4')
      await part(tab, 'value-measured').press('Enter')
      // The curve begins with the measurement now: (0.5 · exp(−0.5 · 2) − 3.4)².
      await expect.poll(loss).toBeCloseTo((0.5 * Math.exp(-1) - 3.4) ** 2, 3)
      expect(await part(tab, 'steps').textContent()).toBe('0')
      await part(tab, 'train').click()
      await expect.poll(loss, { timeout: 30_000 }).toBeLessThan(1e-4)
      await part(tab, 'pause').click()
      // The trained curve goes through that measurement.
      const [start, rate] = await Promise.all(
        ['number-c.start', 'number-c.rate'].map(async name => Number(await part(tab, name).inputValue())),
      )
      expect(start! * Math.exp(-rate! * 2)).toBeCloseTo(3.4, 1)
      expect(await part(tab, 'diagnostics').textContent()).toBe('')
      expect(trouble).toEqual([])
    } finally {
      await site.close()
    }
  })
})
