/** The worker of `cotangent/cpu` travels with what bundlers build: two threads run at once, in pages of Chromium and in Node. */
import { copyFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../../tools/chromium.mjs'
import { isolating, open, origin, serve } from './browser.ts'
import { build, bundler, bundlers, project, run, vites, type Bundler } from './projects.ts'

interface Meeting {
  readonly met: readonly number[]
  readonly threads?: { readonly count: number; readonly reason?: string }
  /** How often the thread of the page had a turn meanwhile. */
  readonly turns: number
  readonly error?: string
}

/** Drivers whose bundler leaves the worker to whoever uses it, in pages and for Node: it has to be put beside the bundle. */
const leaving = { page: ['esbuild'], node: ['bun', 'esbuild', 'rolldown', 'rollup', 'vite'] }

const putWorker = (folder: string): void =>
  copyFileSync(join(folder, 'node_modules/cotangent/dist/cpu-worker.js'), join(folder, 'out/cpu-worker.js'))

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser.close())

/** Builds a page with two threads. Gives its folder. */
function pageOf(by: Bundler): string {
  const folder = project(`threads-${by.driver}`)
  const isVite = by.driver === 'vite'
  const head = '<link rel="icon" href="data:,">'
  if (isVite) writeFileSync(join(folder, 'meet.html'), `${head}<script type="module" src="/meet.js"></script>`)
  const { errors } = build(folder, by, { entry: isVite ? 'meet.html' : 'meet.js', page: true, minify: true })
  expect(errors).toEqual([])
  const out = join(folder, 'out')
  if (!isVite) {
    const main = readdirSync(out).find(name => /^main\.m?js$/.test(name))
    writeFileSync(join(out, 'meet.html'), `${head}<script type="module" src="/${main}"></script>`)
  }
  if (leaving.page.includes(by.driver)) putWorker(folder)
  return out
}

async function visit(out: string, headers?: Readonly<Record<string, string>>): Promise<Meeting> {
  const watched = await open(browser)
  await serve(watched, out, headers)
  await watched.page.goto(`${origin}meet.html`)
  const meeting = await (await watched.page.waitForFunction('window.meeting')).jsonValue()
  expect(watched.errors).toEqual([])
  await watched.page.close()
  return meeting as Meeting
}

describe('two threads meet', () => {
  it.each([...vites, bundler('webpack'), bundler('esbuild')])('in a page that $name built', async by => {
    const { met, error, turns } = await visit(pageOf(by), isolating)
    expect({ met, error }).toEqual({ met: [2, 2] })
    expect(turns).toBeGreaterThan(0)
  })

  // What Rsbuild builds for Node looks for files at the root of a server.
  it.each(bundlers.filter(b => b.skip === undefined && b.name !== 'Rsbuild'))(
    'in Node, where $name built the program',
    by => {
      const folder = project(`node-threads-${by.driver}`)
      const { errors } = build(folder, by, { entry: 'meet.js' })
      expect(errors).toEqual([])
      if (leaving.node.includes(by.driver)) putWorker(folder)
      const { met, error } = JSON.parse(run(folder)) as Meeting
      expect({ met, error }).toEqual({ met: [2, 2] })
    },
  )
})

it('a page without isolation has one thread, and says why', async () => {
  const { threads } = await visit(pageOf(bundler('esbuild')))
  expect(threads?.count).toBe(1)
  expect(threads?.reason).toMatch(/not cross-origin isolated.*Cross-Origin-Embedder-Policy: require-corp/)
})
