/** The pane Derivative, in Chromium. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { stages } from '../playground/panes/derivative-picks.ts'
import { projectOf } from '../playground/project/project.ts'
import { part, siteOfTests, typed } from './browser.ts'
import { openPane, shared } from './pane-page.ts'

const site = siteOfTests()

const modes = ['primal', 'forward', 'reverse'] as const
type Mode = (typeof modes)[number]

const column = (page: Page, mode: Mode): Locator => part(page, `derivative-${mode}`)

/** The text of a column, once it is there. */
async function textOf(page: Page, mode: Mode): Promise<string> {
  await page.waitForSelector(`[data-testid="derivative-${mode}"][data-state="text"]`, { timeout: 20_000 })
  return await column(page, mode).locator('.cm-content').innerText()
}

/** All three texts once what `has` tells of the text of the reverse pass. */
async function texts(page: Page, has: RegExp): Promise<Record<Mode, string>> {
  await expect.poll(() => textOf(page, 'reverse'), { timeout: 20_000 }).toMatch(has)
  return {
    primal: await textOf(page, 'primal'),
    forward: await textOf(page, 'forward'),
    reverse: await textOf(page, 'reverse'),
  }
}

/** The lines of a view that are lit, as texts. */
async function lit(view: Locator): Promise<string[]> {
  return (await view.locator('.cm-line.lit').allTextContents()).map(t => t.trim())
}

const square =
  '[Differentiable]\nfloat f(float x)\n{\n    float a = x * x;\n    float b = sin(a);\n    return b * 3.0;\n}\n'

describe('texts', () => {
  it('of the function at the cursor are shown side by side, in every form', async () => {
    const page = await openPane(site, square, 'derivative')
    const wgsl = await texts(page, /fn bwd_f\(/)
    expect(wgsl.primal).toMatch(/fn f\(x: f32\) -> f32/)
    expect(wgsl.forward).toMatch(/fn fwd_f\(/)
    expect(wgsl.reverse).toMatch(/cos\(/)
    const boxes = await Promise.all(modes.map(m => column(page, m).boundingBox()))
    expect(new Set(boxes.map(b => b!.y)).size).toBe(1)
    // Words have their colours.
    expect(await column(page, 'reverse').locator('.tok-keyword').allTextContents()).toContain('fn')
    await part(page, 'derivative-form').selectOption('js')
    const js = await texts(page, /Math\.cos/)
    expect(js.primal).toMatch(/Math\.sin/)
    await part(page, 'derivative-form').selectOption('ir')
    const ir = await texts(page, /func @/)
    expect(ir.primal).toMatch(/%b: f32 = call @sin/)
    expect(ir.reverse).toMatch(/@cos/)
  })

  it('are those of every stage, or say through which stages the function goes', async () => {
    const page = await openPane(site, square, 'derivative')
    await textOf(page, 'reverse')
    await part(page, 'derivative-form').selectOption('ir')
    const seen: Record<string, string> = {}
    for (const stage of Object.keys(stages)) {
      await part(page, 'derivative-stage').selectOption(stage)
      await page.waitForFunction(
        name => {
          const all = [...document.querySelectorAll('.column')]
          const label = all[2]!.querySelector('.cm-content')!.getAttribute('aria-label') ?? ''
          const states = all.map(c => c.getAttribute('data-state'))
          return (
            states.every(s => s === 'text' || s === 'refused') &&
            (states[2] === 'refused' || label.endsWith(`after ${name}`))
          )
        },
        stage,
        { timeout: 20_000 },
      )
      for (const mode of modes) {
        const state = await column(page, mode).getAttribute('data-state')
        const text = await column(page, mode)
          .locator(state === 'text' ? '.cm-content' : '.refusal')
          .innerText()
        expect(text).toMatch(
          state === 'text' ? /^(struct|func)/ : /does not go through the stage \w+; it goes through [\w, ]+\./,
        )
        seen[`${mode} ${stage}`] = state!
        if (mode === 'reverse' && state === 'text') seen[stage] = text
      }
    }
    expect(seen['primal lower']).toBe('text')
    expect(seen['primal final']).toBe('text')
    expect(seen['primal transposed']).toBe('refused')
    for (const stage of ['prepared', 'unzipped', 'transposed', 'checkpointed', 'extracted', 'final'])
      expect(seen[`reverse ${stage}`], stage).toBe('text')
    expect(seen['forward linearized']).toBe('text')
    expect(seen['reverse linearized']).toBe('refused')
    expect(seen['transposed']).not.toBe(seen['unzipped'])
  })

  it('follow the cursor from function to function, and stay with one that was chosen', async () => {
    const page = await openPane(
      site,
      '[Differentiable]\nfloat one(float x)\n{\n    return x * x;\n}\n\n[Differentiable]\nfloat two(float x)\n{\n    return exp(x);\n}\n',
      'derivative',
    )
    await texts(page, /fn bwd_one\(/)
    await part(page, 'editor').locator('.cm-line', { hasText: 'return exp' }).click()
    await texts(page, /fn bwd_two\(/)
    await part(page, 'derivative-function').selectOption('one')
    await texts(page, /fn bwd_one\(/)
    await part(page, 'editor').locator('.cm-line', { hasText: 'float two' }).click()
    await page.waitForTimeout(500)
    expect(await textOf(page, 'reverse')).toMatch(/bwd_one/)
  })

  it('of a generic function are those of the instance that is chosen', async () => {
    const page = await openPane(
      site,
      '[Differentiable]\nT twice<T : __BuiltinFloatingPointType>(T x)\n{\n    return x * x;\n}\n[Differentiable]\nexport float a(float x) { return twice(x); }\n[Differentiable]\nexport double b(double x) { return twice(x); }\n',
      'derivative',
    )
    // WGSL has no double.
    await expect
      .poll(() => column(page, 'reverse').textContent(), { timeout: 20_000 })
      .toMatch(/WGSL has no type double/)
    await part(page, 'derivative-instance').waitFor()
    const instances = await part(page, 'derivative-instance').locator('option').allTextContents()
    expect(instances).toEqual(['twice<double>', 'twice<float>'])
    await part(page, 'derivative-form').selectOption('ir')
    await part(page, 'derivative-instance').selectOption('twice<double>')
    await expect.poll(() => textOf(page, 'primal')).toMatch(/f64/)
    await part(page, 'derivative-instance').selectOption('twice<float>')
    await expect.poll(() => textOf(page, 'primal')).toMatch(/f32/)
  })

  it('are made again when the program changes', async () => {
    const page = await openPane(site, square, 'derivative')
    await texts(page, /cos\(/)
    await typed(page, square.replace('sin(a)', 'exp(a)'))
    const now = await texts(page, /exp\(/)
    for (const mode of modes) expect(now[mode]).not.toMatch(/sin|cos/)
    await typed(page, square.replace('sin(a)', 'sin(nothing)'))
    const about = column(page, 'reverse').locator('.refusal')
    await expect.poll(() => about.textContent(), { timeout: 20_000 }).toMatch(/f has an error/)
    expect(await column(page, 'reverse').locator('.cm-content').isVisible()).toBe(false)
    await about.locator('button').click()
    expect(await page.locator('#editor .cm-activeLine').textContent()).toMatch(/nothing/)
    await typed(page, square)
    await texts(page, /cos\(/)
  })
})

describe('lines that belong together', () => {
  const source = (page: Page): Locator => part(page, 'editor')

  it('are lit in all texts by pointing at the source, and in the source by pointing at any text', async () => {
    const page = await openPane(site, square, 'derivative')
    await texts(page, /cos\(/)
    await source(page).locator('.cm-line', { hasText: 'sin(a)' }).hover()
    await expect.poll(() => lit(source(page))).toEqual(['float b = sin(a);'])
    expect((await lit(column(page, 'primal'))).join()).toMatch(/sin/)
    expect((await lit(column(page, 'forward'))).join()).toMatch(/sin|cos/)
    expect((await lit(column(page, 'reverse'))).join()).toMatch(/cos/)
    for (const mode of modes) {
      await source(page).locator('.cm-line', { hasText: 'float f' }).hover()
      await expect.poll(() => lit(source(page))).not.toContain('float b = sin(a);')
      await column(page, mode)
        .locator('.cm-line', { hasText: /sin|cos/ })
        .first()
        .hover()
      await expect.poll(() => lit(source(page)).then(l => l.join()), { timeout: 5000 }).toMatch(/sin\(a\)/)
      for (const other of modes) expect((await lit(column(page, other))).length, other).toBeGreaterThan(0)
    }
  })

  it('are lit by the cursor, too, and Enter leads to the source', async () => {
    const page = await openPane(site, square, 'derivative')
    const { reverse } = await texts(page, /cos\(/)
    await source(page).locator('.cm-line', { hasText: 'sin(a)' }).click()
    // The mouse is away: what is lit now is by the cursor.
    await page.mouse.move(2, 2)
    await expect.poll(() => lit(source(page))).toEqual(['float b = sin(a);'])
    await page.keyboard.press('ArrowUp')
    await expect.poll(() => lit(source(page))).toEqual(['float a = x * x;'])
    expect((await lit(column(page, 'reverse'))).length).toBeGreaterThan(0)
    await column(page, 'reverse').locator('.cm-content').focus()
    await page.keyboard.press('Control+Home')
    const lines = reverse.split('\n')
    const at = lines.findIndex(l => l.includes('cos('))
    expect(at).toBeGreaterThan(0)
    for (let i = 0; i < 40 && !(await lit(source(page))).join().includes('sin(a)'); i++)
      await page.keyboard.press('ArrowDown')
    expect((await lit(source(page))).join()).toMatch(/sin\(a\)/)
    expect((await lit(column(page, 'primal'))).join()).toMatch(/sin/)
    expect(await page.locator('.told').textContent()).toMatch(/^From .*main\.slang:5.*Lines: \d+ of primal/)
    await page.keyboard.press('Enter')
    const [first] = /\d+/.exec((await page.locator('.told').textContent())!)!
    await expect
      .poll(() => page.locator('#editor .cm-activeLine').textContent())
      .toBe(square.split('\n')[Number(first) - 1])
    // A text cannot be written.
    await column(page, 'reverse').locator('.cm-content').focus()
    await page.keyboard.type('abc')
    expect(await textOf(page, 'reverse')).not.toMatch(/abc/)
  })

  it('are lit in the file that they are in, and are dark once the pane is closed', async () => {
    const project = {
      ...projectOf('import shade;\n[Differentiable]\nexport float g(float x)\n{\n    return shade(x) + x;\n}\n'),
      files: [
        {
          name: 'main.slang',
          text: 'import shade;\n[Differentiable]\nexport float g(float x)\n{\n    return shade(x) + x;\n}\n',
        },
        {
          name: 'shade.slang',
          text: 'module shade;\n[Differentiable]\npublic float shade(float x)\n{\n    return tanh(x);\n}\n',
        },
      ],
    }
    const page = await openPane(site, project, 'derivative')
    await texts(page, /fn bwd_g\(/)
    await part(page, 'derivative-function').selectOption('g')
    await texts(page, /cosh\(/)
    await part(page, 'derivative-form').selectOption('ir')
    await part(page, 'derivative-stage').selectOption('lower')
    await expect.poll(() => textOf(page, 'primal')).toMatch(/call @tanh/)
    const line = column(page, 'primal').locator('.cm-line', { hasText: 'call @tanh' }).first()
    await line.click()
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('[data-testid="file-shade.slang"]').getAttribute('aria-selected')).toBe('true')
    expect(await page.locator('#editor .cm-activeLine').textContent()).toMatch(/tanh|shade/)
    await page.locator('[data-testid="tab-output"]').click()
    await expect.poll(() => page.locator('#editor .lit').count()).toBe(0)
    await page.locator('[data-testid="file-main.slang"]').click()
    expect(await page.locator('#editor .lit').count()).toBe(0)
  })
})

it('refusals say why, with a button to each place', async () => {
  const page = await openPane(
    site,
    'float inner(float x) { return floor(x) * x; }\n\nfloat outer(float x)\n{\n    return inner(x) * 2.0;\n}\n',
    'derivative',
  )
  await part(page, 'derivative-function').selectOption('outer')
  expect(await textOf(page, 'primal')).toMatch(/fn outer/)
  const refusal = column(page, 'reverse').locator('.refusal')
  await expect.poll(() => refusal.textContent()).toMatch(/outer is not differentiable/)
  expect(await refusal.textContent()).toMatch(
    /it calls inner \(line 5\), which is not differentiable.*inner is not marked/,
  )
  await refusal.locator('button', { hasText: 'inner is not marked' }).click()
  expect(await page.locator('#editor .cm-activeLine').textContent()).toMatch(/float inner/)
})

it('says what a file without functions lacks', async () => {
  const page = await openPane(site, 'static const int N = 3;\n', 'derivative')
  await expect.poll(() => column(page, 'primal').textContent()).toMatch(/no function with a body/)
})

it('a link keeps the function, the form and the stage, and a link that says nonsense does no harm', async () => {
  const spring = readFileSync(join(import.meta.dirname, '../playground/starters/spring.slang'), 'utf8')
  const page = await openPane(site, spring, 'derivative')
  await textOf(page, 'reverse')
  await part(page, 'derivative-function').selectOption('loss')
  await part(page, 'derivative-form').selectOption('ir')
  await part(page, 'derivative-stage').selectOption('transposed')
  await expect
    .poll(() => column(page, 'reverse').locator('.cm-content').getAttribute('aria-label'))
    .toMatch(/loss.*after transposed/)
  // A long text is drawn as far as it is seen.
  const begins = async (of: Page): Promise<string> => (await textOf(of, 'reverse')).split('\n', 12).join('\n')
  const text = await begins(page)
  expect(text).toMatch(/^func @loss/)
  const again = await openPane(site, await shared(page), 'derivative')
  await expect.poll(() => part(again, 'derivative-function').inputValue(), { timeout: 20_000 }).toBe('loss')
  expect(await part(again, 'derivative-form').inputValue()).toBe('ir')
  expect(await part(again, 'derivative-stage').inputValue()).toBe('transposed')
  await expect.poll(() => begins(again)).toBe(text)
  const odd = await openPane(
    site,
    { ...projectOf(square), picks: { derivative: { function: 'none', form: 'toString', stage: 7, instance: ['x'] } } },
    'derivative',
  )
  await texts(odd, /fn bwd_f\(/)
  const wrongInstance = await openPane(
    site,
    { ...projectOf(square), picks: { derivative: { instance: 'f<float>' } } },
    'derivative',
  )
  await texts(wrongInstance, /fn bwd_f\(/)
})

it('a server that does not answer is waited for so long, and can be asked again', async () => {
  const page = await openPane(site, square, 'derivative', {
    before: p =>
      p.addInitScript(() => {
        const state = { isDeaf: true }
        Object.assign(globalThis, { state })
        globalThis.Worker = class extends Worker {
          override postMessage(message: unknown, more: Transferable[] | StructuredSerializeOptions = []): void {
            const { method } = message as { readonly method?: string }
            if (!state.isDeaf || method !== 'cotangent/derivative') super.postMessage(message, more as Transferable[])
          }
        }
      }),
  })
  await expect
    .poll(() => column(page, 'reverse').textContent(), { timeout: 40_000 })
    .toMatch(/has not answered within 20 seconds.*Try again/)
  await page.evaluate(() => Object.assign((globalThis as unknown as { state: object }).state, { isDeaf: false }))
  await column(page, 'reverse').locator('button', { hasText: 'Try again' }).click()
  await texts(page, /fn bwd_f\(/)
})

it.each(['light', 'dark'] as const)('a phone has the columns one below the other (%s)', async colorScheme => {
  const page = await openPane(site, square, 'derivative', {
    size: [390, 800],
    before: p => p.emulateMedia({ colorScheme }),
  })
  await texts(page, /fn bwd_f\(/)
  const boxes = await Promise.all(modes.map(m => column(page, m).boundingBox()))
  expect(boxes[1]!.y).toBeGreaterThanOrEqual(boxes[0]!.y + boxes[0]!.height)
  expect(boxes[2]!.y).toBeGreaterThanOrEqual(boxes[1]!.y + boxes[1]!.height)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
})

it('a line of a text that was just scrolled to is lit itself', async () => {
  const spring = readFileSync(join(import.meta.dirname, '../playground/starters/spring.slang'), 'utf8')
  const page = await openPane(site, spring, 'explain', { size: [390, 800] })
  // The marks of Explain change the source, and with it where the texts stand.
  await page.waitForSelector('.explained-function')
  await part(page, 'derivative').click()
  await texts(page, /fn bwd_step\(/)
  const line = column(page, 'reverse').locator('.cm-line', { hasText: 'inverseSqrt' })
  await line.click()
  // Pointing at a line goes before the cursor, so both must say the same.
  await expect.poll(() => line.getAttribute('class')).toMatch(/\blit\b/)
  expect(await lit(part(page, 'editor'))).toEqual(['float2 pull = -8.0 * stretch * normalize(s.position);'])
})
