/** Training in the playground, in Chromium, as a visitor does it. */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { toHash } from '../playground/project/codec.ts'
import { projectOf, type Project } from '../playground/project/project.ts'
import { part, siteOfTests, textOf, typed } from './browser.ts'
import { fastest } from './fastest.ts'
import { shared } from './pane-page.ts'

const site = siteOfTests()

/** The playground with a project, or with the first one. `before` prepares the page. */
async function opened(project?: Project, before?: (page: Page) => Promise<unknown>): Promise<Page> {
  const { page } = await site.open(`/playground/${project === undefined ? '' : await toHash(project)}`, {}, before)
  return page
}

const numberOf = async (page: Page, id: string): Promise<number> => Number(await textOf(page, id))

/** The loss, once there is one. */
async function lossOf(page: Page): Promise<number> {
  await expect.poll(() => numberOf(page, 'loss')).not.toBeNaN()
  return await numberOf(page, 'loss')
}

/** Waits until the program in the editor is not the first one any more. */
async function starterLoaded(page: Page): Promise<void> {
  await expect.poll(() => part(page, 'editor').textContent()).not.toContain('The height of a wave')
}

/** Waits until the loss has fallen by a factor. */
async function fallen(page: Page, from: number, factor: number, timeout = 30_000): Promise<void> {
  await expect.poll(() => numberOf(page, 'loss'), { timeout }).toBeLessThan(from / factor)
}

const noted = (page: Page, what: RegExp): Promise<void> =>
  expect.poll(() => textOf(page, 'training-note')).toMatch(what)

/** Steps rest: their number is the same for a while. */
async function resting(page: Page): Promise<number> {
  await page.waitForTimeout(300)
  const steps = await numberOf(page, 'steps')
  await page.waitForTimeout(400)
  expect(await numberOf(page, 'steps')).toBe(steps)
  return steps
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
    await starterLoaded(page)
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
    await expect.poll(() => part(page, 'strip').getAttribute('data-on')).toBe('cpu')
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
  })

  it('trains the first project of the page', async () => {
    const page = await opened()
    const begin = await lossOf(page)
    await part(page, 'train').click()
    await fallen(page, begin, 10)
    await expect.poll(() => part(page, 'training-picture').getAttribute('data-step')).not.toBe(null)
    expect(await textOf(page, 'training-note')).toBe('')
  })

  it('goes on on the other backend while it plays', async () => {
    const page = await opened()
    await part(page, 'starter-sdf').click()
    await starterLoaded(page)
    const begin = await lossOf(page)
    await part(page, 'train').click()
    await expect.poll(() => numberOf(page, 'steps')).toBeGreaterThan(5)
    await part(page, 'backend-switch').click()
    await expect.poll(() => part(page, 'strip').getAttribute('data-on')).toBe('cpu')
    const steps = await numberOf(page, 'steps')
    expect(steps).toBeGreaterThan(5)
    await expect.poll(() => numberOf(page, 'steps')).toBeGreaterThan(steps)
    await part(page, 'backend-switch').click()
    await expect.poll(() => part(page, 'strip').getAttribute('data-on')).toBe('webgpu')
    await fallen(page, begin, 10)
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
  })

  it('asks for no picture once it is closed', async () => {
    const page = await opened(undefined, p =>
      p.addInitScript(() => {
        const counts = { asked: 0 }
        Object.assign(globalThis, { counts })
        globalThis.Worker = class extends Worker {
          override postMessage(message: unknown, more: Transferable[] | StructuredSerializeOptions = []): void {
            if ((message as { readonly name?: string }).name === 'train-picture') counts.asked++
            super.postMessage(message, more as Transferable[])
          }
        }
      }),
    )
    const asked = (): Promise<number> =>
      page.evaluate(() => (globalThis as unknown as { counts: { asked: number } }).counts.asked)
    await lossOf(page)
    await part(page, 'train').click()
    await expect.poll(asked).toBeGreaterThan(2)
    // It closes while it waits for a picture.
    await part(page, 'tab-output').click()
    await part(page, 'pane-output').waitFor()
    const before = await asked()
    const steps = await numberOf(page, 'steps')
    await expect.poll(() => numberOf(page, 'steps')).toBeGreaterThan(steps + 100)
    await page.waitForTimeout(1000)
    expect(await asked()).toBe(before)
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
    const { page: again } = await site.open((await shared(page)).href)
    await part(again, 'tab-train').click()
    await expect.poll(() => numberOf(again, 'loss')).toBe(4.25)
    expect(await part(again, 'pick-y').isChecked()).toBe(false)
    expect(await part(again, 'optimizer').inputValue()).toBe('sgd')
    expect(await part(again, 'learning-rate').inputValue()).toBe('0.25')
    await part(again, 'step').click()
    await expect.poll(() => numberOf(again, 'loss')).toBeCloseTo(4.0625, 5)
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
  })

  it('says what is wrong where nothing is picked', async () => {
    const page = await opened(projectWith(square, { picks: planned({ x: 0 }) }))
    await part(page, 'tab-train').click()
    await lossOf(page)
    await part(page, 'pick-x').uncheck()
    await noted(page, /Nothing is picked/)
    await part(page, 'pick-x').check()
    await expect.poll(() => numberOf(page, 'loss')).toBe(9)
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
  })

  it('a NaN at step 0 is told before training', async () => {
    const text = '[Differentiable]\npublic float loss(float x)\n{\n    return sqrt(x);\n}\n'
    const page = await opened(projectWith(text, { picks: planned({ x: -1 }) }))
    await part(page, 'tab-train').click()
    await noted(page, /not finite at step 0: main\.slang:4:\d+: .*sqrt makes NaN/)
    await part(page, 'train').click()
    expect(await resting(page)).toBe(0)
  })

  /** The loop ends after `first` turns where training begins, and after `later` turns where the first step leads. */
  const spinning = (first: number, later: number): string =>
    `[Differentiable]\npublic float loss(float x)\n{\n    int end = x > 1.0 ? ${later} : ${first};\n    int i = 0;\n    while (i < end)\n        i = no_diff(spin(i));\n    return (x - 3.0) * (x - 3.0) + float(i);\n}\n\nint spin(int i) { return (i + 1) % 50; }\n`
  const hanging = /^The program did not come to an end/

  it.each(['auto', 'cpu'] as const)('a program that hangs before the first step is ended (%s)', async backend => {
    const page = await opened(projectWith(spinning(10, 10), { backend, picks: planned({ x: 0 }) }))
    await part(page, 'tab-train').click()
    expect(await lossOf(page)).toBe(19)
    const took = await fastest(5000, async () => {
      const begin = performance.now()
      await typed(page, spinning(100, 100))
      await noted(page, hanging)
      const end = performance.now()
      await typed(page, spinning(11, 11))
      await expect.poll(() => numberOf(page, 'loss')).toBe(20)
      return end - begin
    })
    expect(took).toBeLessThan(5000)
  })

  it('a step that hangs is ended, and the program can be prepared and changed after that', async () => {
    const page = await opened(projectWith(spinning(10, 100), { backend: 'cpu', picks: planned({ x: 0 }, 0.5) }))
    await part(page, 'tab-train').click()
    expect(await lossOf(page)).toBe(19)
    const took = await fastest(5000, async () => {
      await part(page, 'reset').click()
      await expect.poll(() => numberOf(page, 'loss')).toBe(19)
      const begin = performance.now()
      await part(page, 'train').click()
      await noted(page, hanging)
      return performance.now() - begin
    })
    expect(took).toBeLessThan(5000)
    expect(await part(page, 'train').getAttribute('aria-pressed')).toBe('false')
    await typed(page, spinning(11, 11))
    await expect.poll(() => numberOf(page, 'loss')).toBe(20)
    await part(page, 'step').click()
    await expect.poll(() => textOf(page, 'steps')).toBe('1')
    expect(await numberOf(page, 'loss')).toBe(11)
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
  })

  it('a lost device is followed by another one, and training goes on', async () => {
    const page = await opened(projectWith(square, { picks: planned({ x: 0 }, 0.00001) }))
    await lossOf(page)
    await part(page, 'train').click()
    await expect.poll(() => numberOf(page, 'steps')).toBeGreaterThan(20)
    await page.evaluate(() => {
      const seen: (string | undefined)[] = []
      Object.assign(globalThis, { seen })
      const strip = document.querySelector<HTMLElement>('[data-testid="strip"]')!
      new MutationObserver(() => seen.push(strip.dataset['on'])).observe(strip, { attributeFilter: ['data-on'] })
    })
    const session = await site.browser.newBrowserCDPSession()
    await session.send('Browser.crashGpuProcess')
    // A session is opened for the next device, which goes on with the steps of this one.
    const seen = (): Promise<string[]> => page.evaluate(() => (globalThis as unknown as { seen: string[] }).seen)
    await expect.poll(async () => (await seen()).join()).toMatch(/opening,webgpu/)
    const steps = await numberOf(page, 'steps')
    expect(steps).toBeGreaterThan(20)
    await expect.poll(() => numberOf(page, 'steps')).toBeGreaterThan(steps)
    // The browser may write of the crash to the console.
    await site.closePages()
  })
})
