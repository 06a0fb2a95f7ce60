/** The tutorial, followed by pasting its blocks: in Node, and in Chromium on the development server that the page starts. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compile } from 'cotangent'
import { launchChromium } from '../../tools/chromium.mjs'
import { defaultPlan, Session, trainables } from '../playground/train/index.ts'
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

  it('has a function that the playground trains, as it is', async () => {
    const program = compile(readFileSync(join(reader.folder, 'tea.slang'), 'utf8'))
    const loss = trainables(program).find(t => t.name === 'loss')
    expect(loss?.picks.map(pick => pick.name)).toEqual(['c'])
    const session = await Session.open(program, defaultPlan(loss!), { backend: 'cpu' })
    const first = session.state.loss
    for (let i = 0; i < 200; i++) await session.step()
    expect(session.state.stopped).toBeUndefined()
    expect(session.state.loss).toBeLessThan(first / 10)
    await session.close()
  })
})
