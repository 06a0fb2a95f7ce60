/** The quick start, each way of it followed by pasting its blocks: in Node, in a page that is opened from a file, and with Vite. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../../tools/chromium.mjs'
import { root } from '../../tests/support/install.ts'
import { packed, Reader } from './follow.ts'

const text = readFileSync(join(root, 'docs/quick-start.md'), 'utf8')
const [, ...sections] = text.split(/^## /m)
const section = (title: string): string => {
  const found = sections.find(s => s.startsWith(`${title}\n`))
  if (found === undefined) throw new Error(`the page has no section ${title}`)
  return found
}

let browser: Browser
let made: ReturnType<typeof packed>
beforeAll(async () => {
  made = packed()
  browser = await launchChromium()
}, 120_000)
afterAll(async () => {
  await browser.close()
  made.remove()
})

/** A page, with what goes wrong in it. */
async function watched(): Promise<{ readonly page: Page; readonly errors: readonly string[] }> {
  const page = await browser.newPage()
  const errors: string[] = []
  page.on('pageerror', error => errors.push(error.message))
  page.on('console', message => {
    // Browsers ask for an icon that the page does not have.
    if (message.type() === 'error' && !message.location().url.endsWith('/favicon.ico')) errors.push(message.text())
  })
  return { page, errors }
}

/** Waits until a page has printed its last line, and gives all lines. */
async function lines(page: Page): Promise<string[]> {
  await page.waitForFunction(() =>
    /first point|Error|no WebGPU/.test(document.querySelector('#out')?.textContent ?? ''),
  )
  return ((await page.textContent('#out')) ?? '').trimEnd().split('\n')
}

/** What the text block of a section says, the only block that is neither a file nor a command. */
function expected(reader: Reader): readonly string[] {
  expect(reader.left.map(block => block.kind)).toEqual(['text'])
  return reader.left[0]!.lines
}

describe('the quick start', () => {
  it('has only sections that are followed here, and one that has no block', () => {
    expect(sections.map(s => s.split('\n')[0])).toEqual([
      'In Node',
      'In a browser',
      'With a bundler',
      'On the command line',
    ])
    expect(section('On the command line')).not.toMatch(/```|^ {4}/m)
  })

  it('runs in Node, and prints what the page says', async () => {
    const reader = new Reader(made.tarball)
    reader.follow(section('In Node'))
    expect(reader.differences).toEqual([])
    expect(reader.agreed).toBe(1)
    expect(reader.left).toEqual([])
    await reader.close()
  }, 120_000)

  it.each([
    ['WebGPU', ''],
    ['WebAssembly', "Object.defineProperty(navigator, 'gpu', { value: undefined })"],
  ])('runs in a browser without a bundler, from a file, on %s', async (_, before) => {
    const reader = new Reader(made.tarball)
    reader.follow(section('In a browser'))
    const { page, errors } = await watched()
    if (before !== '') await page.addInitScript(before)
    // The network has the package once it is published; here it is that of this checkout.
    const host = 'https://cdn.jsdelivr.net/npm/cotangent/'
    await page.route(`${host}**`, route =>
      route.fulfill({
        contentType: 'text/javascript',
        headers: { 'access-control-allow-origin': '*' },
        body: readFileSync(join(root, route.request().url().slice(host.length))),
      }),
    )
    await page.goto(pathToFileURL(join(reader.folder, 'index.html')).href)
    const printed = await lines(page)
    expect(printed.slice(-1)).toEqual(expected(reader))
    const losses = printed.slice(0, -1).map(line => Number(/^step \d+: mean loss ([\d.]+)$/.exec(line)?.[1]))
    expect(losses).toHaveLength(3)
    expect(losses[2]).toBeLessThan(losses[0]! / 1000)
    expect(errors).toEqual([])
    await page.close()
    await reader.close()
  })

  it('runs with a bundler', async () => {
    const reader = new Reader(made.tarball)
    reader.follow(section('With a bundler'))
    const { page, errors } = await watched()
    await page.goto(await reader.address!)
    expect(await lines(page)).toEqual(expected(reader))
    expect(errors).toEqual([])
    await page.close()
    await reader.close()
  }, 120_000)
})
