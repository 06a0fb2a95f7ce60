/** Training in the playground, in Chromium, as a visitor does it. */
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../../tools/chromium.mjs'
import { toHash } from '../playground/project/codec.ts'
import { projectOf, type Project } from '../playground/project/project.ts'
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

/** What no page may do: write to the console, fail, or ask another host. */
let trouble: string[] = []
let pages: Page[] = []
afterEach(async () => {
  await Promise.all(pages.map(p => p.close()))
  pages = []
})

async function opened(project?: Project): Promise<Page> {
  trouble = []
  const hash = project === undefined ? '' : await toHash(project)
  return await openedAt(`${server.address}/playground/${hash}`)
}

async function openedAt(url: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1200, height: 800 } })
  pages.push(page)
  page.on('console', message => trouble.push(`console: ${message.text()}`))
  page.on('pageerror', error => trouble.push(`error: ${error.message}`))
  page.on('request', request => {
    const asked = request.url()
    if (!asked.startsWith(server.address) && !asked.startsWith('data:')) trouble.push(`asked ${asked}`)
  })
  await page.goto(url)
  return page
}

const part = (page: Page, id: string) => page.locator(`[data-testid="${id}"]`)
const textOf = async (page: Page, id: string): Promise<string> => (await part(page, id).textContent()) ?? ''
const numberOf = async (page: Page, id: string): Promise<number> => Number(await textOf(page, id))

/** The loss, once there is one. */
async function lossOf(page: Page): Promise<number> {
  await expect.poll(() => numberOf(page, 'loss'), { timeout: 20_000 }).not.toBeNaN()
  return await numberOf(page, 'loss')
}

/** Waits until the loss has fallen by a factor. */
async function fallen(page: Page, from: number, factor: number, timeout = 30_000): Promise<void> {
  await expect.poll(() => numberOf(page, 'loss'), { timeout }).toBeLessThan(from / factor)
}

const noted = (page: Page, what: RegExp): Promise<void> =>
  expect.poll(() => textOf(page, 'training-note'), { timeout: 15_000 }).toMatch(what)

/** Steps rest: their number is the same for a while. */
async function resting(page: Page): Promise<number> {
  await page.waitForTimeout(300)
  const steps = await numberOf(page, 'steps')
  await page.waitForTimeout(400)
  expect(await numberOf(page, 'steps')).toBe(steps)
  return steps
}

async function typed(page: Page, text: string): Promise<void> {
  await part(page, 'editor').locator('.cm-content').click()
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText(text)
}

const square = '[Differentiable]\npublic float loss(float x)\n{\n    return (x - 3.0) * (x - 3.0);\n}\n'
const planned = (values: object, rate = 0.01, kind = 'sgd'): Project['picks'] => ({
  train: { subject: 'loss', parameters: Object.keys(values), values, optimizer: { kind, rate } } as never,
})
const projectWith = (text: string, more: Partial<Project> = {}): Project => ({ ...projectOf(text), ...more })

/** By which factor the loss of each starter falls at least. */
const starters = { gradient: 10, spring: 10, brdf: 4, splat2d: 3, sdf: 10, mlp: 10, texture: 3, wrong: 10 }

describe.each(Object.entries(starters))('the starter %s', (name, factor) => {
  it('trains on WebGPU, goes on on the CPU, and rests', async () => {
    const page = await opened()
    await expect.poll(() => textOf(page, 'backend')).toBe('WebGPU')
    await part(page, `starter-${name}`).click()
    await expect.poll(() => textOf(page, 'steps')).toBe('0')
    const begin = await lossOf(page)
    expect(await textOf(page, 'steps')).toBe('0')
    await part(page, 'train').click()
    await fallen(page, begin, factor)
    await part(page, 'pause').click()
    const steps = await resting(page)
    expect(steps).toBeGreaterThan(0)
    const loss = await numberOf(page, 'loss')
    // The other backend goes on from the same numbers.
    await part(page, 'backend-switch').click()
    await expect.poll(() => textOf(page, 'backend')).toBe('CPU')
    await expect.poll(() => part(page, 'strip').getAttribute('data-on'), { timeout: 15_000 }).toBe('cpu')
    expect(await numberOf(page, 'steps')).toBe(steps)
    expect(Math.abs((await lossOf(page)) / loss - 1)).toBeLessThan(0.01)
    // From the start on the CPU.
    await part(page, 'reset').click()
    await expect.poll(() => textOf(page, 'steps')).toBe('0')
    expect(Math.abs((await lossOf(page)) / begin - 1)).toBeLessThan(1e-3)
    await part(page, 'train').click()
    await fallen(page, begin, factor)
    await part(page, 'pause').click()
    await resting(page)
    expect(trouble).toEqual([])
  })
})

describe('the strip', () => {
  it('plays once though Train is pressed twice, steps, and begins again while it plays', async () => {
    const page = await opened(projectWith(square, { picks: planned({ x: 0 }) }))
    expect(await lossOf(page)).toBe(9)
    await part(page, 'step').click()
    await expect.poll(() => textOf(page, 'steps')).toBe('1')
    expect(await numberOf(page, 'loss')).toBeCloseTo(9 * 0.98 ** 2, 4)
    await part(page, 'train').click()
    await part(page, 'train').click()
    await expect.poll(() => numberOf(page, 'steps')).toBeGreaterThan(10)
    expect(await numberOf(page, 'rate')).toBeGreaterThan(0)
    expect(await part(page, 'train').getAttribute('aria-pressed')).toBe('true')
    await part(page, 'reset').click()
    await expect.poll(() => textOf(page, 'steps')).toBe('0')
    expect(await resting(page)).toBe(0)
    expect(await numberOf(page, 'loss')).toBe(9)
    expect(await part(page, 'train').getAttribute('aria-pressed')).toBe('false')
    expect(trouble).toEqual([])
  })

  it('trains the first project of the page', async () => {
    const page = await opened()
    const begin = await lossOf(page)
    await part(page, 'train').click()
    await fallen(page, begin, 10)
    await expect.poll(() => part(page, 'training-picture').getAttribute('data-step')).not.toBe(null)
    expect(await textOf(page, 'training-note')).toBe('')
    expect(trouble).toEqual([])
  })

  it('goes on on the other backend while it plays', async () => {
    const page = await opened()
    await part(page, 'starter-sdf').click()
    await expect.poll(() => textOf(page, 'steps')).toBe('0')
    const begin = await lossOf(page)
    await part(page, 'train').click()
    await expect.poll(() => numberOf(page, 'steps'), { timeout: 20_000 }).toBeGreaterThan(5)
    await part(page, 'backend-switch').click()
    await expect.poll(() => part(page, 'strip').getAttribute('data-on'), { timeout: 15_000 }).toBe('cpu')
    const steps = await numberOf(page, 'steps')
    expect(steps).toBeGreaterThan(5)
    await expect.poll(() => numberOf(page, 'steps')).toBeGreaterThan(steps)
    await part(page, 'backend-switch').click()
    await expect.poll(() => part(page, 'strip').getAttribute('data-on'), { timeout: 15_000 }).toBe('webgpu')
    await fallen(page, begin, 10)
    expect(trouble).toEqual([])
  })
})

describe('the pane', () => {
  it('says what the numbers are and where they go, and takes others', async () => {
    const page = await opened(projectWith(square, { picks: planned({ x: 0 }) }))
    await part(page, 'tab-train').click()
    await lossOf(page)
    const slider = part(page, 'number-x')
    expect(await slider.getAttribute('aria-valuetext')).toBe('0, gradient -6: more of it lowers the loss')
    await slider.fill('2')
    await expect.poll(() => numberOf(page, 'loss')).toBe(1)
    await part(page, 'train').click()
    await fallen(page, 1, 10)
    await part(page, 'pause').click()
    await expect
      .poll(() => textOf(page, 'loss-summary'))
      .toMatch(/^The loss went from .* at step 0 to .* at step \d+\.$/)
    expect(trouble).toEqual([])
  })

  it('keeps what is set in the link', async () => {
    const page = await opened(
      projectWith('[Differentiable]\npublic float loss(float x, float y)\n{\n    return x * x + y * y;\n}\n'),
    )
    await part(page, 'tab-train').click()
    await lossOf(page)
    await part(page, 'pick-y').uncheck()
    await expect.poll(() => part(page, 'slice-y').count()).toBe(0)
    await part(page, 'optimizer').selectOption('sgd')
    await part(page, 'learning-rate').fill('0.25')
    await part(page, 'learning-rate').press('Enter')
    await part(page, 'values-open').click()
    await part(page, 'value-y').fill('2')
    await part(page, 'value-y').press('Enter')
    await expect.poll(() => numberOf(page, 'loss')).toBe(4.25)
    await part(page, 'share').click()
    await expect.poll(() => page.url()).toMatch(/#1=/)
    const again = await openedAt(page.url())
    await part(again, 'tab-train').click()
    await expect.poll(() => numberOf(again, 'loss')).toBe(4.25)
    expect(await part(again, 'pick-y').isChecked()).toBe(false)
    expect(await part(again, 'optimizer').inputValue()).toBe('sgd')
    expect(await part(again, 'learning-rate').inputValue()).toBe('0.25')
    await part(again, 'step').click()
    await expect.poll(() => numberOf(again, 'loss')).toBeCloseTo(4.0625, 5)
    expect(trouble).toEqual([])
  })

  it('changes rates without losing what was learned, and a rate of zero changes nothing', async () => {
    const page = await opened(projectWith(square, { picks: planned({ x: 0 }, 0.1) }))
    await part(page, 'tab-train').click()
    await lossOf(page)
    await part(page, 'step').click()
    await expect.poll(() => textOf(page, 'steps')).toBe('1')
    const loss = await numberOf(page, 'loss')
    await part(page, 'learning-rate').fill('0')
    await part(page, 'learning-rate').press('Enter')
    await part(page, 'step').click()
    await expect.poll(() => textOf(page, 'steps')).toBe('2')
    expect(await numberOf(page, 'loss')).toBe(loss)
    expect(trouble).toEqual([])
  })

  it('says what is wrong where nothing is picked', async () => {
    const page = await opened(projectWith(square, { picks: planned({ x: 0 }) }))
    await part(page, 'tab-train').click()
    await lossOf(page)
    await part(page, 'pick-x').uncheck()
    await noted(page, /Nothing is picked/)
    await part(page, 'pick-x').check()
    await expect.poll(() => numberOf(page, 'loss')).toBe(9)
    expect(trouble).toEqual([])
  })
})

describe('what goes wrong', () => {
  it.each(['auto', 'cpu'] as const)('a NaN stops training and leads to the instruction (%s)', async backend => {
    const text = '[Differentiable]\npublic float loss(float x)\n{\n    return sqrt(x);\n}\n'
    const page = await opened(projectWith(text, { backend, picks: planned({ x: 1 }, 0.4) }))
    await lossOf(page)
    await part(page, 'train').click()
    await noted(page, /not finite at step \d+: main\.slang:4:\d+: .*sqrt makes NaN/)
    expect(await part(page, 'train').getAttribute('aria-pressed')).toBe('false')
    await resting(page)
    await part(page, 'stop-place').click()
    expect(await page.evaluate(() => document.querySelector('.cm-content')?.contains(document.activeElement))).toBe(
      true,
    )
    // Back at the start, it can be trained again.
    await part(page, 'reset').click()
    await expect.poll(() => textOf(page, 'steps')).toBe('0')
    await noted(page, /^$/)
    expect(trouble).toEqual([])
  })

  it('a NaN at step 0 is told before training', async () => {
    const text = '[Differentiable]\npublic float loss(float x)\n{\n    return sqrt(x);\n}\n'
    const page = await opened(projectWith(text, { picks: planned({ x: -1 }) }))
    await part(page, 'tab-train').click()
    await noted(page, /not finite at step 0: main\.slang:4:\d+: .*sqrt makes NaN/)
    await part(page, 'train').click()
    expect(await resting(page)).toBe(0)
    expect(trouble).toEqual([])
  })

  it.each(['auto', 'cpu'] as const)('a step that hangs is ended within five seconds (%s)', async backend => {
    // The loop ends as long as x is small.
    const text = (end: string): string =>
      `[Differentiable]\npublic float loss(float x)\n{\n    int i = 0;\n    while (i < ${end})\n        i = no_diff(spin(i));\n    return x * x + float(i);\n}\n\nint spin(int i) { return (i + 1) % 50; }\n`
    const page = await opened(projectWith(text('10'), { backend, picks: planned({ x: 1 }) }))
    await part(page, 'tab-train').click()
    await lossOf(page)
    const begin = performance.now()
    await typed(page, text('100'))
    await noted(page, /did not come to an end|takes? more than|does not end|limit/i)
    expect(performance.now() - begin).toBeLessThan(5000)
    await typed(page, text('11'))
    await expect.poll(() => numberOf(page, 'loss'), { timeout: 15_000 }).toBe(12)
    expect(trouble).toEqual([])
  })

  it.each(['auto', 'cpu'] as const)(
    'a later step that hangs is ended, too, and the next program trains (%s)',
    async backend => {
      // The loop ends as long as x is above 0.95; the third step takes it below.
      const text =
        '[Differentiable]\npublic float loss(float x)\n{\n    int i = 0;\n    while (i < 10)\n        i = no_diff(next(i, x));\n    return x * x + float(i);\n}\n\nint next(int i, float x) { return x < 0.95 ? 0 : i + 1; }\n'
      const page = await opened(projectWith(text, { backend, picks: planned({ x: 1 }, 0.01) }))
      expect(await lossOf(page)).toBe(11)
      const begin = performance.now()
      await part(page, 'train').click()
      await noted(page, /did not come to an end/)
      expect(performance.now() - begin).toBeLessThan(5000)
      await typed(page, square)
      await expect.poll(() => numberOf(page, 'loss'), { timeout: 15_000 }).toBe(4)
      await part(page, 'train').click()
      await fallen(page, 4, 10)
      expect(trouble).toEqual([])
    },
  )

  it('a change of the program stops training, and the new one is prepared', async () => {
    const page = await opened(projectWith(square, { picks: planned({ x: 0 }, 0.001) }))
    await lossOf(page)
    await part(page, 'train').click()
    await expect.poll(() => numberOf(page, 'steps')).toBeGreaterThan(5)
    await typed(page, square.replaceAll('3.0', '4.0'))
    await expect.poll(() => numberOf(page, 'loss')).toBe(16)
    expect(await resting(page)).toBe(0)
    await typed(page, square.replace('return', 'retrun'))
    await noted(page, /error/)
    expect(await textOf(page, 'loss')).toBe('…')
    await typed(page, 'public float twice(float x) { return 2 * x; }\n')
    await noted(page, /Nothing here can be trained.*\[Differentiable\]/)
    await typed(page, square.replace('loss', 'other'))
    await noted(page, /no loss to train any more/)
    expect(trouble).toEqual([])
  })

  it('a plan of a link that asks for too much is refused, and the default one is offered', async () => {
    const text =
      'DiffStructuredBuffer<float> w;\nDiffRWStructuredBuffer<float> loss;\n[shader("compute")] [numthreads(1, 1, 1)] [Differentiable]\nvoid fit(uint3 id : SV_DispatchThreadID) { loss.Store(0, w[0] * w[0]); }\n'
    const train = {
      subject: 'fit',
      parameters: ['w'],
      buffers: { w: { count: 1e12 } },
      optimizer: { kind: 'sgd', rate: 1 },
    }
    const page = await opened(projectWith(text, { picks: { train } }))
    await part(page, 'tab-train').click()
    await noted(page, /buffers\.w\.count must be a whole number/)
    await part(page, 'fresh').click()
    await lossOf(page)
    expect(trouble).toEqual([])
  })

  it('a lost device is followed by another one, and training goes on', async () => {
    const page = await opened(projectWith(square, { picks: planned({ x: 0 }, 0.00001) }))
    await lossOf(page)
    await part(page, 'train').click()
    await expect.poll(() => numberOf(page, 'steps')).toBeGreaterThan(20)
    const session = await browser.newBrowserCDPSession()
    await session.send('Browser.crashGpuProcess')
    await page.waitForTimeout(2500)
    const steps = await numberOf(page, 'steps')
    expect(steps).toBeGreaterThan(20)
    await expect.poll(() => numberOf(page, 'steps'), { timeout: 15_000 }).toBeGreaterThan(steps)
  })
})
