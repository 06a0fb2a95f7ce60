/**
 * Writes the Markdown of the site to `site/pages/.assembled`, from the pages of the repository: links lead to where their files are on the site,
 * examples get a link that opens them in the playground, and files that pages link to become pages that show their text.
 *
 *     node tools/script.mjs site/pages/assemble.ts
 */
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { compile } from '../../dist/index.js'
import { toHash } from '../playground/project/codec.ts'
import { examplesOf } from './examples.ts'
import { withDerivatives } from './home.ts'
import { llmsFull, llmsIndex } from './llms.ts'
import { mapLinks, placeOf, targetOf } from './links.ts'
import { pages } from './navigation.ts'

const root = join(import.meta.dirname, '../..')
const out = join(import.meta.dirname, '.assembled')

function write(path: string, text: string): void {
  const file = join(out, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** The files that pages link to and that are still to be written, and all that ever were. */
const queue: string[] = []
const seen = new Set<string>()

/** The link from one file of the repository to another, as it is on the site. */
function linked(from: string, link: string): string {
  const target = targetOf(link, from)
  if (target === undefined) return link
  // A page of the table that is still to come: the test of the table names it.
  if (pages.some(({ from }) => from === target.file) && !existsSync(join(root, target.file))) return '#'
  if (!existsSync(join(root, target.file))) throw new Error(`${from} links to ${link}, which is not there`)
  if (!seen.has(target.file)) {
    seen.add(target.file)
    queue.push(target.file)
  }
  if (target.file.endsWith('.png')) return `/${placeOf(target.file)}`
  return `/${placeOf(target.file)}${target.anchor}`
}

/** A page that shows a file. Its lines can be linked to: `#L12`. */
function sourcePage(file: string): string {
  const text = readFileSync(join(root, file), 'utf8').trimEnd()
  const kind = /\.(\w+)$/.exec(file)?.[1] ?? 'text'
  const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)))
  const front = '---\nsearch: false\nlines: true\noutline: false\nprev: false\nnext: false\n---\n'
  return `${front}\n# ${posix.basename(file)}\n\n\`${file}\` of the repository.\n\n${fence}${kind}\n${text}\n${fence}\n`
}

/** A page that lists the files of a folder. */
function folderPage(folder: string): string {
  const inside = readdirSync(join(root, folder), { withFileTypes: true })
    .filter(entry => !/^(\.|node_modules$|dist$|out$)/.test(entry.name))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const rows = inside.map(({ name }) => `- [${name}](${linked(`${folder}/x`, name)})`)
  return `---\nsearch: false\nprev: false\nnext: false\n---\n\n# ${folder}\n\n${rows.join('\n')}\n`
}

/**
 * A page as it is on the site. A program gets a link below it that opens it in the playground, and a comment `<!-- site: Name -->`, which other readers of
 * Markdown do not show, is where the component `Name` of `site/pages/components` goes.
 */
async function sitePage(file: string, page: string): Promise<string> {
  const lines = page.split('\n').map(line => line.replace(/^<!-- site: (\w+) -->$/, '<$1 />'))
  for (const { block, kind, found, name, project } of examplesOf(page, compile))
    if ((kind === 'program' && found.length === 0) || kind === 'warning')
      lines[block.end] += `\n\n<OpenInPlayground name="${name}" hash="${await toHash(project)}" />\n`
  const text = mapLinks(lines.join('\n'), link => linked(file, link))
  // The evidence names every feature many times, and would bury what users' pages say of it.
  return placeOf(file).startsWith('evidence/') ? `---\nsearch: false\n---\n\n${text}` : text
}

async function assembled(file: string): Promise<void> {
  const at = join(root, file)
  if (file.endsWith('.png')) {
    mkdirSync(join(out, 'public'), { recursive: true })
    cpSync(at, join(out, 'public', placeOf(file)))
  } else if (statSync(at).isDirectory()) write(placeOf(file), folderPage(file))
  else if (file.endsWith('.md')) {
    write(placeOf(file), await sitePage(file, readFileSync(at, 'utf8')))
  } else write(placeOf(file), sourcePage(file))
}

/** A page as Markdown that stands on the site beside it: the text as it is, with links that work there. */
function plain(file: string, page: string): string {
  const folder = posix.dirname(placeOf(file))
  return mapLinks(page, link => {
    const target = targetOf(link, file)
    if (target === undefined) return link
    const place = placeOf(target.file)
    const to = posix.relative(folder, place.startsWith('source/') ? place.replace(/\.md$/, '.html') : place)
    return `${to}${target.anchor}`
  })
}

rmSync(out, { recursive: true, force: true })
for (const { from } of pages)
  if (existsSync(join(root, from))) {
    seen.add(from)
    queue.push(from)
  }
for (let file = queue.shift(); file !== undefined; file = queue.shift()) await assembled(file)
const home = 'site/pages/home.md'
write('index.md', await sitePage(home, withDerivatives(readFileSync(join(root, home), 'utf8'))))

const texts = new Map<string, string>()
for (const { from, at } of pages)
  if (existsSync(join(root, from))) texts.set(at, plain(from, readFileSync(join(root, from), 'utf8')))
for (const [at, text] of texts) write(`public/${at}.md`, text)
write(
  'public/llms.txt',
  llmsIndex(({ at }) => texts.has(at)),
)
write('public/llms-full.txt', llmsFull(texts))
