/** What axe finds on every page of the site, and on the playground in all of its panes: in both themes, on a laptop and on a phone; the pages light on a laptop and dark on a phone. */
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toHash } from '../playground/project/codec.ts'
import { projectOf } from '../playground/project/project.ts'
import { panes } from '../playground/panes/registry.ts'
import { openSite, pagesOfSite, settled, sizes, themes, type Site } from './browser.ts'

let site: Site
beforeAll(async () => {
  site = await openSite()
})
afterAll(() => site.close())

/** What axe calls serious or critical: the rule, and the elements. */
async function found(page: Page): Promise<string[]> {
  // Colours that still change are those of neither state.
  await page.evaluate(() => {
    for (const animation of document.getAnimations()) animation.finish()
  })
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate(
    async () => await (globalThis as unknown as { axe: typeof axe }).axe.run(document, { resultTypes: ['violations'] }),
  )
  return violations
    .filter(v => v.impact === 'serious' || v.impact === 'critical')
    .flatMap(v => v.nodes.map(n => `${v.id}: ${n.target.join(' ')} ${n.any.map(a => a.message).join('; ')}`))
}

const cases = themes.flatMap(colorScheme =>
  Object.entries(sizes).map(([size, viewport]) => [`${colorScheme}, ${size}`, { colorScheme, viewport }] as const),
)

/** Pages that one program makes: they differ in their words only. */
const isMade = (path: string): boolean => /^\/(?:source|reference)\//.test(path)

/** Both themes and both sizes occur: colours hang on the one, and what is scrolled on the other. */
const isOfPages = (name: string): boolean => [cases[0], cases.at(-1)].some(c => c?.[0] === name)

describe.each(cases)('%s', (name, options) => {
  it.runIf(isOfPages(name))('every page', { timeout: 400_000 }, async () => {
    // Before the site is built, there is nothing to find.
    expect(pagesOfSite()).toContain('/playground/')
    const made = pagesOfSite().filter(isMade)
    expect(made.length).toBeGreaterThan(20)
    // One in so many stands for the others that the same program makes.
    const share = name === cases[0]![0] ? 4 : 30
    const few = ['/source/', '/reference/'].flatMap(kind =>
      made.filter(path => path.startsWith(kind)).filter((_, i) => i % share === 0),
    )
    const paths = [...pagesOfSite().filter(path => !isMade(path)), ...few]
    const all: Record<string, string[]> = {}
    // One window for all of them: what pages share is loaded once.
    const { page } = await site.open(paths[0]!, options)
    for (const path of paths) {
      await page.goto(new URL(path, site.address).href)
      if (path === '/playground/') await settled(page)
      const here = await found(page)
      if (here.length > 0) all[path] = here
    }
    await page.context().close()
    expect(all).toEqual({})
  })

  it('every pane', { timeout: 120_000 }, async () => {
    const { page } = await site.open('/playground/', options)
    await settled(page)
    for (const { title } of panes) {
      await page.locator('#tabs').getByRole('tab', { name: title, exact: true }).click()
      await page.locator('#pane [role="tabpanel"]').waitFor()
      expect(await found(page), title).toEqual([])
    }
    await page.context().close()
  })

  it('with mistakes, with Share open, and with a link that is none', { timeout: 120_000 }, async () => {
    const { page } = await site.open(
      `/playground/${await toHash(projectOf('float f(float x) { return y; }\n'))}`,
      options,
    )
    await page.locator('#diagnostics button').first().waitFor()
    await page.locator('[data-testid="share"]').click()
    await page.locator('[data-testid="add-file"]').click()
    expect(await found(page)).toEqual([])
    await page.context().close()
    const other = await site.open('/playground/#1=AAAA', options)
    await other.page.locator('#notice p').waitFor()
    expect(await found(other.page)).toEqual([])
    await other.page.context().close()
  })

  it('as a part of another page', { timeout: 120_000 }, async () => {
    const { page } = await site.open('/playground/?embed', options)
    await settled(page)
    expect(await found(page)).toEqual([])
    await page.context().close()
  })
})
