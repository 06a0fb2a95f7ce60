/** The example for Vite, as it is built: what its page loads, and what it computes. */
import { readdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { load } from '../../src/cpu/index.ts'
import { compile } from '../../src/index.ts'
import { launchChromium } from '../../tools/chromium.mjs'
import { open, origin, serve } from './browser.ts'
import { example, link, read, script } from './projects.ts'

/** How many bytes of ours the page may load, gzipped. */
const most = 12 * 1024

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser.close())

/** Builds the example with its own configuration. Gives the names of its scripts, that of the entry first. */
function built(folder: string, out: string): string[] {
  script(folder, 'node_modules/vite/bin/vite.js', 'build', '--outDir', out)
  const [, entry] = /<script[^>]* src="\/assets\/([^"]+)"/.exec(read(folder, out, 'index.html')) ?? []
  if (entry === undefined) throw new Error('the page has no script')
  const scripts = readdirSync(join(folder, out, 'assets')).filter(file => file.endsWith('.js'))
  return [entry, ...scripts.filter(file => file !== entry)]
}

/** The losses of the example by step, on the CPU. */
async function losses(folder: string, steps: number): Promise<number[]> {
  const module = await load(compile(read(folder, 'src/fit.slang'), { fileName: 'fit.slang' }))
  const points = new Float32Array(512)
  for (let i = 0; i < 256; i++) points.set([(6 * i) / 256, 1.5 * Math.sin((1.3 * 6 * i) / 256 + 0.4)], 2 * i)
  const buffers = { points, wave: new Float32Array([1, 1, 0]), losses: new Float32Array(1) }
  const found: number[] = []
  for (let i = 0; i < steps; i++) {
    module.kernel('train').dispatch([1, 1, 1], { buffers, uniforms: { rate: 0.02 } })
    found.push(buffers.losses[0] ?? NaN)
  }
  return found
}

it('the page of the example loads little, asks nobody, and takes the steps that Node takes', async () => {
  const folder = example('vite')
  link(folder, 'vite-8', 'vite')
  const [entry = '', ...others] = built(folder, 'dist')
  const text = (name: string): string => read(folder, 'dist/assets', name)
  // A keyword that only the compiler knows.
  for (const name of [entry, ...others]) expect(text(name)).not.toContain('groupshared')

  const watched = await open(browser)
  const { page, asked, errors } = watched
  await serve(watched, join(folder, 'dist'))
  await page.addInitScript(`
    window.told = []
    addEventListener('DOMContentLoaded', () => {
      const [steps, loss] = ['#steps', '#loss'].map(name => document.querySelector(name))
      new MutationObserver(() => told.push([Number(steps.textContent), Number(loss.textContent)])).observe(loss, { childList: true })
    })`)
  await page.goto(origin)
  await page.waitForFunction('window.told.length >= 20 || document.querySelector("#message").textContent')
  expect(await page.textContent('#message')).toBe('')
  const told = (await page.evaluate('window.told.slice(0, 20)')) as [number, number][]
  await page.close()
  expect(errors).toEqual([])
  expect(asked.filter(url => !url.startsWith(origin) && !url.startsWith('data:'))).toEqual([])

  const expected = await losses(folder, 200)
  expect(told.map(([step]) => step)).toEqual(told.map((_, i) => 10 * (i + 1)))
  for (const [step, loss] of told)
    expect(Math.abs(loss - (expected[step - 1] ?? NaN)), `step ${step}`).toBeLessThan(1e-4)
  expect(told.at(-1)?.[1]).toBeLessThan((told[0]?.[1] ?? 0) / 2)

  // What is ours of the entry is what is left of it without the example's own code.
  const loaded = asked.map(url => basename(new URL(url).pathname)).filter(name => others.includes(name))
  writeFileSync(
    join(folder, 'src/main.ts'),
    "import { attach } from 'cotangent/gpu'\nimport program from './fit.slang'\n\nglobalThis.ours = [attach, program]\n",
  )
  const [ours = ''] = built(folder, 'ours')
  const sizes = [read(folder, 'ours/assets', ours), ...loaded.map(text)].map(
    code => gzipSync(code, { level: 9 }).length,
  )
  const size = sizes.reduce((sum, n) => sum + n, 0)
  expect(size).toBeGreaterThan(most / 2)
  expect(size, `${[ours, ...loaded].join(', ')}: ${sizes.join(', ')} bytes`).toBeLessThanOrEqual(most)
})
