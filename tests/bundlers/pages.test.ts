/** Pages that bundlers built train in Chromium. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { launchChromium } from '../../tools/chromium.mjs'
import { open, origin, serve, until } from './browser.ts'
import { build, bundler, project, vites } from './projects.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser.close())

it.each([...vites, bundler('webpack'), bundler('esbuild')])('a page that $name built trains', async by => {
  const folder = project(by.driver)
  const isVite = by.driver === 'vite'
  const { errors } = build(folder, by, { entry: isVite ? 'index.html' : 'train.js', page: true, minify: true })
  expect(errors).toEqual([])
  const out = join(folder, 'out')
  if (!isVite) {
    const name = by.driver === 'webpack' ? 'main.js' : 'main.mjs'
    writeFileSync(
      join(out, 'index.html'),
      `<link rel="icon" href="data:,"><script type="module" src="/${name}"></script>`,
    )
  }
  const watched = await open(browser)
  await serve(watched, out)
  await watched.page.goto(origin)
  const begun = await until(watched.page, 't.steps > 1')
  expect(begun.scaled).toEqual([2, 4, 6])
  expect(begun.cpuLoss).toBe(1)
  const { first } = begun
  await until(watched.page, `t.loss < ${first} / 2`)
  expect(watched.errors).toEqual([])
  expect(watched.asked.filter(url => !url.startsWith(origin) && !url.startsWith('data:'))).toEqual([])
  await watched.page.close()
})

it('a worker imports shaders when worker.plugins has the plugin, too', async () => {
  const folder = project('worker')
  writeFileSync(
    join(folder, 'worker.js'),
    "import { entryPoints } from './fit.slang'\npostMessage(entryPoints[0].name)\n",
  )
  writeFileSync(
    join(folder, 'train.js'),
    "const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })\nworker.onmessage = ({ data }) => (document.title = data)\n",
  )
  const { errors } = build(folder, bundler('Vite 8'), { entry: 'index.html', page: true, worker: true })
  expect(errors).toEqual([])
  const watched = await open(browser)
  await serve(watched, join(folder, 'out'))
  await watched.page.goto(origin)
  await watched.page.waitForFunction("document.title === 'train'")
  await watched.page.close()
})
