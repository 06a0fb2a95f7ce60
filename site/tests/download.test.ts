/** A project that the playground downloads: it is checked and built with the package as npm installs it, and its page runs. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { strFromU8, unzipSync } from 'fflate'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../../tools/chromium.mjs'
import { install, root, uninstall } from '../../tests/support/install.ts'
import { toHash } from '../playground/project/codec.ts'
import { first } from '../playground/project/first.ts'
import { projectOf, type Json, type Project } from '../playground/project/project.ts'
import { serve } from '../serve.mjs'

let browser: Browser
let server: Awaited<ReturnType<typeof serve>>
let app = ''
beforeAll(async () => {
  ;[browser, server] = await Promise.all([launchChromium(), serve(join(import.meta.dirname, '../dist'))])
  // The site was built from the package a moment ago.
  app = install(true)
  // Where Node looks after the folder that holds our package: what the project's manifest asks for else.
  symlinkSync(join(root, 'node_modules'), join(app, '../node_modules'))
}, 120_000)
afterAll(async () => {
  await browser.close()
  await server.close()
  uninstall(app)
})

/** What vitest tells its own processes is not for those that run here. */
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_ENV$)/.test(name)))

/** Runs a script of a project, and gives what it printed. */
function script(folder: string, name: string): string {
  const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', name], { cwd: folder, encoding: 'utf8', env })
  expect(status, `npm run ${name}:\n${stdout}${stderr}`).toBe(0)
  return stdout
}

/** A page whose console and requests are watched. */
async function watched(address: string): Promise<{ readonly page: Page; readonly trouble: readonly string[] }> {
  const page = await browser.newPage({ acceptDownloads: true })
  const trouble: string[] = []
  page.on('console', message => trouble.push(`console: ${message.text()}`))
  page.on('pageerror', error => trouble.push(`error: ${error.message}`))
  page.on('request', request => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(new URL(address).origin))
      trouble.push(`asked ${request.url()}`)
  })
  await page.goto(address)
  return { page, trouble }
}

/** Downloads the project of an open page into a folder. */
async function downloaded(page: Page, into: string): Promise<string> {
  await page.locator('[data-testid="share"]').click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('[data-testid="download"]').click(),
  ])
  expect(download.suggestedFilename()).toBe('cotangent-project.zip')
  await expect.poll(() => page.locator('[data-testid="share-said"]').textContent()).toMatch(/is downloaded/)
  const files = unzipSync(readFileSync(await download.path()))
  const folder = join(app, into)
  for (const [name, bytes] of Object.entries(files)) {
    const path = join(folder, name.replace(/^cotangent-project\//, ''))
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, strFromU8(bytes))
  }
  return folder
}

const starter = (name: string): string => `[data-testid="starter-${name}"]`

describe('a project that trains', () => {
  it.each([
    ['spring', 10],
    ['sdf', 10],
    ['mlp', 10],
    ['gradient', 10],
  ])('%s is checked, built, and trains in its page', { timeout: 180_000 }, async (name, falls) => {
    const { page, trouble } = await watched(`${server.address}/playground/`)
    await page.locator(starter(name)).click()
    await expect
      .poll(() => page.evaluate(() => document.querySelector('.cm-content')!.textContent))
      .not.toContain('The height of a wave')
    const folder = await downloaded(page, name)
    await page.close()
    expect(trouble).toEqual([])
    expect(readFileSync(join(folder, 'src/main.slang'), 'utf8')).toBe(
      readFileSync(join(import.meta.dirname, `../playground/starters/${name}.slang`), 'utf8'),
    )
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
    const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>
    }
    expect(dependencies).toEqual({ cotangent: `^${version}` })
    expect(script(folder, 'check')).toMatch(/3 passed/)
    script(folder, 'build')
    const built = await serve(join(folder, 'dist'))
    try {
      const made = await watched(built.address)
      const loss = async (): Promise<number> => Number(await made.page.locator('#loss').textContent())
      await expect.poll(loss, { timeout: 30_000 }).toBeGreaterThan(0)
      const first = await made.page.evaluate(() => Number(document.querySelector('#loss')!.textContent))
      await expect.poll(loss, { timeout: 60_000 }).toBeLessThan(first / falls)
      if (name !== 'gradient') expect(await coloursOf(made.page)).toBeGreaterThan(10)
      await made.page.locator('button').click()
      expect(await made.page.locator('button').textContent()).toBe('Train')
      expect(await made.page.locator('#message').textContent()).toBe('')
      expect(made.trouble).toEqual([])
      await made.page.close()
    } finally {
      await built.close()
    }
  })
})

/** How many colours the picture of a page has. */
function coloursOf(page: Page): Promise<number> {
  return page.evaluate(() => {
    const shown = document.querySelector('canvas')!
    const copy = document.createElement('canvas')
    ;[copy.width, copy.height] = [shown.width, shown.height]
    const context = copy.getContext('2d')!
    context.drawImage(shown, 0, 0)
    return new Set(new Uint32Array(context.getImageData(0, 0, copy.width, copy.height).data.buffer)).size
  })
}

describe('a project that runs', () => {
  it('a program that draws is checked, built, and draws', { timeout: 180_000 }, async () => {
    const { page } = await watched(`${server.address}/playground/${await toHash({ ...first, picks: {} })}`)
    const folder = await downloaded(page, 'first')
    await page.close()
    for (const file of ['.gitignore', 'cotangent.json'])
      expect(readFileSync(join(folder, file), 'utf8'), file).toBe(
        readFileSync(join(root, 'examples/vite', file), 'utf8'),
      )
    expect(script(folder, 'check')).toMatch(/2 passed/)
    script(folder, 'build')
    const built = await serve(join(folder, 'dist'))
    try {
      const made = await watched(built.address)
      await expect.poll(() => made.page.locator('#message').textContent(), { timeout: 30_000 }).toMatch(/^Runs on/)
      await expect.poll(() => coloursOf(made.page)).toBeGreaterThan(10)
      await made.page.locator('[data-testid="control-frequency"]').fill('12')
      expect(made.trouble).toEqual([])
      await made.page.close()
    } finally {
      await built.close()
    }
  })

  it('keeps several files, and what they are called', { timeout: 180_000 }, async () => {
    const project: Project = {
      ...projectOf(
        'import lib.shade;\nimport printing;\nRWStructuredBuffer<float> x;\n[shader("compute")] [numthreads(1, 1, 1)]\nvoid main() { x[0] = shade(2.0); print("%.1f is printed\\n", x[0]); }\n',
        'fit.slang',
      ),
      backend: 'cpu',
    }
    const files = [
      ...project.files,
      { name: 'lib/shade.slang', text: 'module shade;\npublic float shade(float x) { return x * 3.5; }\n' },
    ]
    // What is no plan of training is none here either.
    const picks: Record<string, Json> = { train: { subject: 3 } }
    const { page } = await watched(`${server.address}/playground/${await toHash({ ...project, files, picks })}`)
    const folder = await downloaded(page, 'several')
    await page.close()
    expect(script(folder, 'check')).toMatch(/2 passed/)
    script(folder, 'build')
    const built = await serve(join(folder, 'dist'))
    try {
      const made = await watched(built.address)
      await expect.poll(() => made.page.locator('#message').textContent(), { timeout: 30_000 }).toBe('Runs on the CPU.')
      await expect.poll(() => made.page.locator('#printed').textContent()).toContain('7.0 is printed')
      expect(await made.page.locator('#buffers').textContent()).toMatch(/x/)
      expect(made.trouble).toEqual([])
      await made.page.close()
    } finally {
      await built.close()
    }
  })
})
