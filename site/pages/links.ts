/** Links of Markdown pages: finds them outside of code, and says where on the site the file is that a link leads to. */
import { posix } from 'node:path'
import { pages } from './navigation.ts'

/** Where npm's copy of the repository is: the README links there, because npm shows it without the pages beside it. */
const published = 'https://cdn.jsdelivr.net/npm/cotangent/'

const places = new Map(pages.map(({ from, at }) => [from, `${at}.md`]))

/** Where a file of the repository stands on the site, from its root. Files that are no pages are shown as text, under `source/`. */
export function placeOf(file: string): string {
  if (file.endsWith('.png')) return posix.basename(file)
  return places.get(file) ?? (file.endsWith('.md') ? `source/${file}` : `source/${file}.md`)
}

/** What a link of a page leads to. */
export interface Target {
  /** From the root of the repository. */
  readonly file: string
  /** With `#`, or empty. */
  readonly anchor: string
}

/** The file that a link means; undefined where it leads to another host or to a place of its own page. */
export function targetOf(link: string, from: string): Target | undefined {
  const own = link.startsWith(published)
  if (!own && (/^[a-z]+:/.test(link) || link.startsWith('#') || link.startsWith('/'))) return undefined
  const [path = '', anchor] = (own ? link.slice(published.length) : link).split('#')
  const file = posix.normalize(own ? path : posix.join(posix.dirname(from), path)).replace(/\/$/, '')
  return { file, anchor: anchor === undefined ? '' : `#${anchor}` }
}

/** Replaces the targets of the links and pictures of a page, and leaves its code alone. */
export function mapLinks(page: string, map: (link: string) => string): string {
  const code = /^```[^]*?^```$|^(?: {4}.*\n)+|`[^`\n]+`/gm
  let out = ''
  let at = 0
  for (const match of page.matchAll(code)) {
    out += mapped(page.slice(at, match.index), map)
    // A name in code may be the text of a link, and then the link goes on after it.
    out += match[0]
    at = match.index + match[0].length
  }
  return out + mapped(page.slice(at), map)
}

const mapped = (text: string, map: (link: string) => string): string =>
  text.replace(/\]\(([^)\s]+)\)/g, (_, link: string) => `](${map(link)})`)
