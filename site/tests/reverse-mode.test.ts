/** The page on reverse mode: what it shows is what the compiler makes, also of a function that the reader edits. */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { compile, stages } from 'cotangent'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { launchChromium } from '../../tools/chromium.mjs'
import { blocksOf } from '../../tests/support/doc-blocks.ts'
import { flowOf } from '../reverse-mode/flow.ts'
import { labelOf, pictureOf } from '../reverse-mode/picture.ts'
import { readFunctions, type IrInstruction } from '../reverse-mode/read.ts'
import { viewsOf, type StageView } from '../reverse-mode/stages.ts'
import { serve } from '../serve.mjs'

const text = readFileSync(join(import.meta.dirname, '../../docs/reverse-mode.md'), 'utf8')
const sections = text.split(/^## /m).slice(1)
const sources = blocksOf(text)
  .filter(b => b.kind === 'hlsl')
  .map(b => b.lines.join('\n'))
const [example = '', loop = ''] = sources

/** The stages of a source that compiles. */
function viewed(source: string): readonly StageView[] {
  const views = viewsOf(source)
  if (views.subject === undefined) throw new Error(views.problem)
  return views.stages
}
const stage = (source: string, name: string): StageView => viewed(source).find(v => v.stage === name)!
const rolesOf = (view: StageView, column: number): string[] =>
  view.columns[column]!.flow.rows.map((row, i) => `${labelOf(row)}: ${view.columns[column]!.roles[i]}`)
const residualsOf = (view: StageView): string[] =>
  view.residuals.map(({ value, to }) => `${value} → ${labelOf(view.columns[1]!.flow.rows[to.row]!)}`)

describe('the page', () => {
  it('has each stage in order, with its text as the compiler makes it, and a paragraph', () => {
    const found = sections.filter(s => stages.some(name => s.startsWith(`${name}:`)))
    expect(found.map(s => s.split(':')[0])).toEqual([...stages])
    const views = viewed(example)
    found.forEach((section, i) => {
      const ir = blocksOf(section).filter(b => b.kind === 'ir')
      expect(ir.map(b => b.lines.join('\n'))).toEqual([views[i]!.text])
      const prose = section
        .replace(/```[^]*?```/g, '')
        .split('\n\n')
        .slice(1)
      expect(prose.join(' ').split(/\s+/).length, section.slice(0, 40)).toBeGreaterThan(50)
    })
  })

  it('computes by hand what the compiler computes', () => {
    const rows = [...text.matchAll(/^\| (\S+)(?: =)? .*\| (−?[\d.]+) \|$/gm)].map(
      ([, name, number]) => [name, number] as const,
    )
    const [x, y] = [1, 2]
    const a = x * y
    const b = Math.sin(a)
    const byA = 2 * b * Math.cos(a)
    const shown = (value: number): string => String(Number(value.toFixed(3))).replace('-', '−')
    const forwards: [string, number][] = [
      ['a', a],
      ['b', b],
      ['loss', b * b],
    ]
    const backwards: [string, number][] = [
      ['loss', 1],
      ['b', 2 * b],
      ['a', byA],
      ['x', byA * y],
      ['y', byA * x],
    ]
    expect(rows).toEqual([...forwards, ...backwards].map(([name, value]) => [name, shown(value)]))
  })
})

describe('the reader of IR', () => {
  const folder = join(import.meta.dirname, '../playground/starters')
  it.each(readdirSync(folder).filter(name => name.endsWith('.slang')))(
    'reads every line of every stage of %s',
    name => {
      const program = compile(readFileSync(join(folder, name), 'utf8'))
      const count = (list: readonly IrInstruction[]): number =>
        list.reduce((n, i) => n + 1 + i.regions.reduce((m, r) => m + count(r.instructions), 0), 0)
      let functions = 0
      for (const at of stages) {
        const ir = program.ir(at)
        for (const func of readFunctions(ir)) {
          functions++
          // A line that only closes or goes on with a region is no instruction.
          const lines = func.text
            .split('\n')
            .slice(1)
            .filter(line => !line.trimStart().startsWith('}'))
          expect(count(func.body?.instructions ?? [])).toBe(lines.length)
          const taken = new Set(
            func.text
              .split('\n')
              .slice(1)
              .join('\n')
              .replace(/"[^"]*"/g, '')
              .match(/%[\w.$]+/g),
          )
          const { rows } = flowOf(func)
          const known = new Set(rows.flatMap(row => [...row.args, ...row.defines.map(v => v.name)]))
          expect([...taken].filter(value => !known.has(value))).toEqual([])
          // Only the trees of a split take values from outside.
          if (!/\.(linear|adjoint|primal)/.test(func.name))
            expect(
              flowOf(func).edges.filter(edge => edge.from === undefined),
              func.name,
            ).toEqual([])
        }
      }
      expect(functions).toBeGreaterThanOrEqual(3)
    },
  )
})

describe('the pictures', () => {
  it('show the tangents beside the values', () => {
    expect(rolesOf(stage(example, 'linearized'), 0)).toEqual([
      'x: primal',
      'y: primal',
      'd_x: tangent',
      'd_y: tangent',
      'a = x · y: primal',
      '%0 = d_x · y: tangent',
      '%1 = x · d_y: tangent',
      '%2 = %0 + %1: tangent',
      'b, %3 = sin_float_rule(a, %2): tangent',
      '%4 = b · b: primal',
      '%5 = %3 · b: tangent',
      '%6 = b · %3: tangent',
      '%7 = %5 + %6: tangent',
      'ret %4, %7: tangent',
    ])
  })

  it('show the residuals that cross', () => {
    expect(residualsOf(stage(example, 'unzipped'))).toEqual([
      '%y → %4 = d_x · y',
      '%x → %5 = x · d_y',
      '%1 → %7 = %6 · %1',
      '%b → %8 = %7 · b',
      '%b → %9 = b · %7',
    ])
    expect(residualsOf(stage(example, 'transposed'))).toContain('%1 → %7 = %6 · %1')
    expect(residualsOf(stage(example, 'checkpointed'))).toEqual(['%b → b', '%1 → %0'])
    expect(residualsOf(stage(example, 'extracted'))).toEqual(['%b → b', '%1 → %0'])
  })

  it('show what a loop stores and computes again', () => {
    const roles = rolesOf(stage(loop, 'checkpointed'), 1)
    expect(roles.filter(r => r.endsWith(': stored'))).toHaveLength(1)
    expect(roles.filter(r => /= (sin|cos)\(.*: recomputed$/.test(r))).toHaveLength(2)
  })

  it('have a box for each line and a path for each use', () => {
    for (const source of sources)
      for (const view of viewed(source)) {
        const svg = pictureOf(view, 'id')!
        const rows = view.columns.reduce((n, c) => n + c.flow.rows.length, 0)
        const uses = view.columns.reduce((n, c) => n + c.flow.edges.filter(e => e.from !== undefined).length, 0)
        expect(svg.match(/<g class="row/g)).toHaveLength(rows)
        expect(svg.match(/class="edge/g)).toHaveLength(uses + view.residuals.length)
      }
  })

  it('leave out what has no gradient', () => {
    const held = stage(example.replace('float y)', 'no_diff float y)'), 'transposed')
    expect(rolesOf(held, 1).filter(r => r.endsWith('cotangent'))).toHaveLength(6)
    expect(rolesOf(stage(example, 'transposed'), 1).filter(r => r.endsWith('cotangent'))).toHaveLength(7)
  })

  it('draw names that are no markup', () => {
    const view = stage(example, 'ssa')
    const column = view.columns[0]!
    const row = { ...column.flow.rows[2]!, attribute: '<img src=x onerror="alert(1)">', op: 'call' }
    const flow = { ...column.flow, rows: column.flow.rows.map((r, i) => (i === 2 ? row : r)) }
    const svg = pictureOf({ ...view, columns: [{ ...column, flow }] }, 'id')!
    expect(svg).not.toContain('<img')
  })

  it.each([
    ['nothing', ''],
    ['no derivative', 'public float f(float x) { return x; }'],
    ['an integer', '[Differentiable] public float f(int x) { return 1.0; }'],
    [
      'a derivative by hand',
      '[BackwardDerivative(d)] public float f(float x) { return x; } void d(inout DifferentialPair<float> x, float g) { x = diffPair(x.p, g); }',
    ],
    ['a mistake', '[Differentiable] public float f(float x) { return z; }'],
  ])('are replaced by a sentence where there is %s', (_, source) => {
    const views = viewsOf(source)
    if (views.subject === undefined) expect(views.problem).toMatch(/\w+ \w+ \w+/)
    else expect(views.stages).toHaveLength(stages.length)
  })
})

describe('the page in a browser', () => {
  let browser: Browser
  let server: Awaited<ReturnType<typeof serve>>
  beforeAll(async () => {
    ;[browser, server] = await Promise.all([launchChromium(), serve(join(import.meta.dirname, '../dist'))])
  })
  afterAll(async () => {
    await browser.close()
    await server.close()
  })
  let page: Page
  let trouble: string[] = []
  afterEach(async () => {
    await page.close()
    expect(trouble).toEqual([])
  })

  async function opened(width = 1200): Promise<void> {
    trouble = []
    page = await browser.newPage({ viewport: { width, height: 800 } })
    page.on('console', message => {
      // Browsers ask for an icon that pages need not have.
      if (!message.location().url.endsWith('/favicon.ico')) trouble.push(message.text())
    })
    page.on('pageerror', error => trouble.push(error.message))
    page.on('request', request => {
      if (!request.url().startsWith(server.address)) trouble.push(`asked ${request.url()}`)
    })
    await page.goto(`${server.address}/reverse-mode.html`)
    await page.waitForSelector('#reverse-mode-source')
  }
  const drawn = (name: string) => page.locator(`figure[data-stage="${name}"] svg`)
  const status = async (what: RegExp): Promise<void> => {
    await page.waitForFunction(
      ([source]) => new RegExp(source!).test(document.querySelector('#reverse-mode-status')?.textContent ?? ''),
      [what.source],
    )
  }

  it('loads no compiler before the reader comes near, then draws every stage', async () => {
    await opened()
    expect(page.workers()).toEqual([])
    await page.locator('.vp-doc h2').nth(1).scrollIntoViewIfNeeded()
    await status(/All stages show the function loss/)
    for (const name of stages) expect(await drawn(name).count()).toBe(1)
    expect(await drawn('ssa').locator('[data-values="%a"] text').textContent()).toBe('a = x · y')
    expect(await drawn('unzipped').locator('.residual').count()).toBe(5)
  })

  it('follows what the reader types, shows a mistake with its code, and goes on once it is mended', async () => {
    await opened()
    await page.fill('#reverse-mode-source', example.replace('x * y', 'x * y * y'))
    await status(/loss/)
    await page.waitForFunction(() => document.querySelectorAll('figure[data-stage="ssa"] .row').length === 7)
    await page.fill('#reverse-mode-source', example.replace('sin(a)', 'sine(a)'))
    await status(/E30015.*sine/)
    expect(await page.locator('#reverse-mode-status').getAttribute('class')).toContain('problem')
    await page.getByRole('button', { name: 'Reset' }).click()
    await status(/All stages/)
    await page.waitForFunction(() => document.querySelectorAll('figure[data-stage="ssa"] .row').length === 6)
  })

  it('takes the loop of the page by the keyboard', async () => {
    await opened()
    await page.getByRole('button', { name: 'Put this function in the editor' }).focus()
    await page.keyboard.press('Enter')
    await page.waitForSelector('figure[data-stage="checkpointed"] .stored')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('reverse-mode-source')
    expect(await page.locator('figure[data-stage="checkpointed"] .recomputed .tag').first().textContent()).toBe('again')
  })

  it('fits a phone', async () => {
    await opened(390)
    await page.locator('.vp-doc h2').nth(1).scrollIntoViewIfNeeded()
    await status(/All stages/)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  })

  it('comes and goes with other pages', async () => {
    await opened()
    await page.locator('.VPSidebar a, .VPDoc a').filter({ hasText: 'Tutorial' }).first().click()
    await page.waitForURL(/tutorial/)
    await page.waitForSelector('#reverse-mode-source', { state: 'detached' })
    await page.goBack()
    await page.waitForSelector('#reverse-mode-source')
    expect(await page.locator('#reverse-mode-source').count()).toBe(1)
  })
})
