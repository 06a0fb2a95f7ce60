/** The playground in Chromium with a pane open, for tests of panes. */
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { toHash } from '../playground/project/codec.ts'
import { projectOf, type Project } from '../playground/project/project.ts'
import { part, type Site } from './browser.ts'

export interface PaneOptions {
  readonly size?: readonly [number, number]
  /** Prepares the page. */
  readonly before?: (page: Page) => Promise<unknown>
}

/** Opens a project, or an address, and a pane of it. */
export async function openPane(
  site: Site,
  project: string | Project | URL,
  pane: string,
  { size: [width, height] = [1200, 800], before }: PaneOptions = {},
): Promise<Page> {
  const path =
    project instanceof URL
      ? project.href
      : `/playground/${await toHash(typeof project === 'string' ? projectOf(project) : project)}`
  const { page } = await site.open(path, { viewport: { width, height } }, before)
  await part(page, pane).click()
  await part(page, `pane-${pane}`).waitFor()
  return page
}

/** The address that “Share” makes. */
export async function shared(page: Page): Promise<URL> {
  await part(page, 'share').click()
  // The status of the page may say something else a moment later.
  await expect.poll(() => part(page, 'share-said').textContent()).toMatch(/link is/)
  return new URL(page.url())
}
