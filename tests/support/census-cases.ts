/**
 * The census of what differentiable Slang programs use (`tests/census/table.txt`), the programs that show each feature (cases.ts says
 * how they are written), and the page of both. What is tested in another way stands in `elsewhere.txt`: `number | file | what there shows it`.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Case } from './cases.ts'

/** A feature: how many files use it, and how soon it was wanted. */
export interface Row {
  readonly id: string
  readonly feature: string
  readonly counts: readonly number[]
  readonly tier: string
}

/** A test of a feature that is none of the programs here. */
export interface Elsewhere {
  readonly id: string
  readonly file: string
  readonly what: string
}

const folder = join(import.meta.dirname, '../census')
const lines = (file: string): string[] =>
  readFileSync(join(folder, file), 'utf8')
    .split('\n')
    .filter(l => l !== '' && !l.startsWith('#'))

/** All features, in the order of the census. */
export function readRows(): Row[] {
  return lines('table.txt').map(line => {
    const [id = '', feature = '', ...rest] = line.split('; ')
    return { id, feature, counts: rest.slice(0, -1).map(Number), tier: rest.at(-1)! }
  })
}

/** The tests that stand elsewhere; throws where one names no file, or words that are not in it. */
export function readElsewhere(): Elsewhere[] {
  return lines('elsewhere.txt').map(line => {
    const [id = '', file = '', what = ''] = line.split(' | ')
    const path = join(import.meta.dirname, '..', file)
    if (!existsSync(path)) throw new Error(`there is no ${file}`)
    if (what === '' || !readFileSync(path, 'utf8').includes(what)) throw new Error(`${file} says nothing of ${what}`)
    return { id, file, what }
  })
}

const tiers: readonly (readonly [string, string])[] = [
  ['T1', 'First tier: needed for the first release'],
  ['T2', 'Second tier: used by a visible group of programs'],
  ['T3', 'Third tier: added on request'],
]

/** The page of all features with their tests, as Markdown. */
export function renderCensus(rows: readonly Row[], cases: readonly Case[], elsewhere: readonly Elsewhere[]): string {
  const out = [
    '# The features that Slang programs use, and the tests that show them',
    '',
    'A census of differentiable Slang as people write it. Regular expressions count the files that use a feature, comments left out:',
    '',
    '| column | counts |',
    '|---|---|',
    '| R | of 282 files of 18 public repositories |',
    '| repositories | of those 18 |',
    '| C | of 438 files: those 282, and what they import |',
    "| E | of 59 of Slang's examples |",
    "| T | of 245 of Slang's tests of automatic differentiation (v2025.15) |",
    '',
    'Each row names the programs under `tests/census` that use the feature. They must show the same numbers in the interpreter, as JavaScript, as WebAssembly and as',
    'WGSL on a WebGPU implementation, as far as a target has the feature. Other tests show some features. If a feature is missing here, a program with it',
    'parses and ends in a diagnostic that names the feature.',
    '',
    '`tests/device/census.test.ts` writes this page (`npm test -- -u`). It fails if the page is stale or a row has no test.',
    '',
  ]
  for (const [tier, title] of tiers) {
    out.push(
      `## ${title}`,
      '',
      '| | feature | R | repositories | C | E | T | shown by |',
      '|--:|---|--:|--:|--:|--:|--:|---|',
    )
    for (const row of rows) {
      if (row.tier !== tier) continue
      const tests = cases
        .filter(c => c.also.includes(row.id))
        .map(c => `[${c.name}](../../tests/census/${c.file}#L${c.line})`)
      for (const e of elsewhere) if (e.id === row.id) tests.push(`[${e.what}](../../tests/${e.file})`)
      const counts = row.counts.length === 0 ? ['0', '0', '0', '', ''] : row.counts
      out.push(
        `| ${row.id} | ${row.feature.replaceAll('|', '\\|').replaceAll('<', '&lt;')} | ${counts.join(' | ')} | ${tests.join(', ')} |`,
      )
    }
    out.push('')
  }
  return `${out.join('\n').trimEnd()}\n`
}
