/** The playground in a page that is cross-origin isolated, where programs on the CPU have several threads. */
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { toHash } from '../playground/project/codec.ts'
import { projectOf } from '../playground/project/project.ts'
import { isolating } from '../serve.mjs'
import { dist, openSite, part, siteOfTests, textOf, typed, type Site } from './browser.ts'

/** Each workgroup waits until its neighbour has come too: on one thread, until its patience ends, since the second of two comes later. */
const meeting = `import playground;
[playground::ZEROS(256)] RWStructuredBuffer<uint> came;
[playground::ZEROS(256)] RWStructuredBuffer<uint> met;
[playground::CALL(1024, 1, 1)] [playground::CALL::ONCE] [shader("compute")] [numthreads(4, 1, 1)]
void meet(uint3 group : SV_GroupID)
{
    uint there;
    InterlockedAdd(came[group.x], 1u, there);
    for (int i = 0; i < 500000; i++)
    {
        InterlockedAdd(came[group.x ^ 1u], 0u, there);
        if (there > 0) break;
    }
    met[group.x] = there;
}
`

async function opened(site: Site, text: string): Promise<Page> {
  const { page } = await site.open(`/playground/${await toHash({ ...projectOf(text), backend: 'cpu' })}`)
  return page
}

const status = (page: Page): Promise<string> => textOf(page, 'status')

/** How many groups met the one that comes after them. */
async function meetings(page: Page): Promise<number> {
  await part(page, 'buffer-met').locator('summary').click()
  const cells = part(page, 'buffer-met').locator('tbody td')
  await expect.poll(() => cells.count()).toBe(256)
  const numbers = await cells.allTextContents()
  // The second of two always meets the first.
  expect(numbers.filter((n, i) => i % 2 === 1 && n === '0')).toEqual([])
  return numbers.filter((n, i) => i % 2 === 0 && n !== '0').length
}

const isolated = siteOfTests({ headers: isolating })

describe.skipIf(availableParallelism() === 1)('an isolated page', () => {
  it('runs workgroups on several threads at once, and says on how many', async () => {
    const page = await opened(isolated, meeting)
    const cores = await page.evaluate(() => navigator.hardwareConcurrency)
    await expect.poll(() => status(page)).toMatch(new RegExp(`^Ran on the CPU, ${cores} threads: compiled in`))
    expect(await meetings(page)).toBeGreaterThan(0)
  })

  it('ends all threads of a program that hangs, and runs the next one', async () => {
    const page = await opened(isolated, meeting)
    await expect.poll(() => status(page)).toMatch(/^Ran on the CPU, /)
    const threads = (): number => page.workers().filter(w => w.url().includes('cpu-worker')).length
    expect(threads()).toBeGreaterThan(0)
    await typed(
      page,
      meeting.replace('i < 500000; i++', 'i < 2; i += came[256 + group.x]').replace('there > 0', 'i > 2'),
    )
    await expect.poll(() => status(page)).toMatch(/did not come to an end/)
    await expect.poll(threads).toBe(0)
    await typed(page, meeting)
    await expect.poll(() => status(page)).toMatch(/^Ran on the CPU, /)
  })

  it('prints in the order of workgroups', async () => {
    const page = await opened(
      isolated,
      'import printing;\n[playground::CALL(40, 1, 1)] [playground::CALL::ONCE] [shader("compute")] [numthreads(1, 1, 1)]\nvoid main(uint3 i : SV_DispatchThreadID) { print("%u,", i.x); }\n',
    )
    await expect.poll(() => status(page)).toMatch(/^Ran on the CPU: /)
    await expect.poll(() => textOf(page, 'printed')).toBe(Array.from({ length: 40 }, (_, i) => `${i},`).join(''))
  })

  it('trains', async () => {
    const page = await opened(isolated, meeting)
    await part(page, 'starter-sdf').click()
    await expect.poll(async () => Number(await textOf(page, 'loss'))).toBeGreaterThan(0)
    const begin = Number(await textOf(page, 'loss'))
    await part(page, 'train').click()
    await expect.poll(async () => Number(await textOf(page, 'loss'))).toBeLessThan(begin / 2)
  })
})

describe.skipIf(availableParallelism() === 1)('without its worker', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cotangent-site-'))
  afterAll(() => rmSync(folder, { recursive: true }))

  it('an isolated page runs programs on one thread, and says why', async () => {
    cpSync(join(dist, 'playground'), join(folder, 'playground'), { recursive: true })
    const assets = join(folder, 'playground/assets')
    for (const name of readdirSync(assets)) if (name.startsWith('cpu-worker')) rmSync(join(assets, name))
    const site = await openSite({ folder, headers: isolating })
    try {
      const page = await opened(site, meeting)
      await expect.poll(() => status(page)).toMatch(/^Ran on the CPU, one thread since cpu-worker\.js .*: compiled in/)
      expect(await meetings(page)).toBe(0)
    } finally {
      await site.close()
    }
  })
})

describe('a page that is not isolated', () => {
  const site = siteOfTests()

  it('runs programs on one thread', async () => {
    const page = await opened(site, meeting)
    await expect.poll(() => status(page)).toMatch(/^Ran on the CPU: /)
    expect(await meetings(page)).toBe(0)
  })
})
