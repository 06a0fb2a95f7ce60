/**
 * The programs under `tests/reference` (cases.ts says how they are written) and the page that lists what they show. Sentences that say
 * nothing on what a program means stand in `not-applicable.txt`: `UG-1 Section | what it is | why not`.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Case, Sentence } from './cases.ts'

/** A sentence without a test, and the reason. */
export interface Excused extends Sentence {
  readonly reason: string
}

/** The sentences without a test. */
export function readExcused(): Excused[] {
  const lines = readFileSync(join(import.meta.dirname, '../reference', 'not-applicable.txt'), 'utf8')
    .split('\n')
    .filter(l => /^[A-Z]{2}-\d/.test(l))
  return lines.map(line => {
    const [head = '', text = '', reason = ''] = line.split(' | ')
    const at = head.indexOf(' ')
    return { id: head.slice(0, at), section: head.slice(at + 1), text, reason }
  })
}

const documents: readonly (readonly [string, string])[] = [
  ['UG', 'User guide: Automatic Differentiation'],
  ['TY', 'Types'],
  ['DE', 'Decorators'],
  ['IR', 'IR passes'],
  ['MI', 'Mistakes that the compiler reports'],
  ['FA', 'Correct programs that must get no diagnostic'],
  ['CO', 'Combinations of features'],
]

/** The page of all sentences with their tests, as Markdown. */
export function renderPage(cases: readonly Case[], excused: readonly Excused[]): string {
  const shows = new Map<string, Case[]>()
  for (const c of cases)
    for (const id of [...c.sentences.map(s => s.id), ...c.also]) shows.set(id, [...(shows.get(id) ?? []), c])
  const out = [
    "# The sentences of Slang's documents, and the tests that show them",
    '',
    "Each row says, in our own words, what a sentence of Slang's documents on automatic differentiation (v2025.15) means for a program. It names the programs under",
    '`tests/reference` that show it. They run in the interpreter, as JavaScript, as WebAssembly and as WGSL on a WebGPU implementation.',
    '',
    '`tests/device/reference.test.ts` writes this page (`npm test -- -u`). It fails if the page is stale, or if a sentence has neither a program nor a reason.',
    '',
  ]
  for (const [prefix, title] of documents) {
    const own = cases.flatMap(c => c.sentences).filter(s => s.id.startsWith(`${prefix}-`))
    if (own.length === 0) continue
    out.push(`## ${title}`, '')
    own.sort((a, b) => number(a.id) - number(b.id))
    for (const section of new Set(own.map(s => s.section))) {
      out.push(`### ${section}`, '', '| | | shown by |', '|---|---|---|')
      for (const s of own) {
        if (s.section !== section) continue
        const tests = shows.get(s.id)!.map(c => `[${c.name}](../../tests/reference/${c.file}#L${c.line})`)
        out.push(`| ${s.id} | ${s.text.replaceAll('|', '\\|')} | ${tests.join(', ')} |`)
      }
      out.push('')
    }
  }
  out.push(
    '## Not applicable',
    '',
    "These sentences say how Slang's own compiler is built, or why. They do not say what a program means.",
    '',
    '| | | | why there is no test |',
    '|---|---|---|---|',
  )
  for (const e of excused) out.push(`| ${e.id} | ${e.section} | ${e.text} | ${e.reason} |`)
  return `${out.join('\n')}\n`
}

/** The number of an id such as `UG-12`. */
export function number(id: string): number {
  return Number(id.slice(3))
}
