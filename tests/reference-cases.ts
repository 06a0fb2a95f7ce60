/**
 * The programs under `tests/reference` and the page that lists what they show. A file holds many small programs:
 *
 *     //# name of the program
 *     //@ UG-12 Section | one sentence: what the reference says (several lines where a program shows several)
 *     //@ UG-13                                          (another test of a sentence that stands elsewhere)
 *     …                                                  a program with a function `run` that shows numbers
 *     //: other.slang                                    what follows is another file, for imports
 *     //= 1 2 3                                          the numbers that it shows
 *     //! cpu                                            not on WGSL, which lacks a type that the program is about
 *     //~      ^ E41020                                  or: the diagnostic, in this column of the line above
 *
 * Sentences that say nothing on what a program means stand in `not-applicable.txt`: `UG-1 Section | what it is | why not`.
 */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** A sentence of the reference, in other words. */
export interface Sentence {
  readonly id: string
  readonly section: string
  readonly text: string
}

/** A program with what it must show or be told. */
export interface Case {
  readonly name: string
  /** The file under `tests/reference`, and the line of its head there. */
  readonly file: string
  readonly line: number
  readonly source: string
  readonly files: Readonly<Record<string, string>>
  readonly sentences: readonly Sentence[]
  /** Ids of sentences whose text stands at another case. */
  readonly also: readonly string[]
  /** Whether WGSL lacks what the program needs. */
  readonly cpuOnly: boolean
  /** The numbers shown; undefined where the program must not compile. */
  readonly numbers: readonly number[] | undefined
  /** `line:column code` of every diagnostic, in the lines of the source. */
  readonly diagnostics: readonly string[]
}

/** A sentence without a test, and the reason. */
export interface Excused extends Sentence {
  readonly reason: string
}

const folder = join(import.meta.dirname, 'reference')

/** All programs, file by file. */
export function readCases(): Case[] {
  return readdirSync(folder).filter(f => f.endsWith('.slang')).sort().flatMap(file => casesOf(file, readFileSync(join(folder, file), 'utf8')))
}

/** The sentences without a test. */
export function readExcused(): Excused[] {
  const lines = readFileSync(join(folder, 'not-applicable.txt'), 'utf8').split('\n').filter(l => /^[A-Z]{2}-\d/.test(l))
  return lines.map(line => {
    const [head = '', text = '', reason = ''] = line.split(' | ')
    const at = head.indexOf(' ')
    return { id: head.slice(0, at), section: head.slice(at + 1), text, reason }
  })
}

function casesOf(file: string, text: string): Case[] {
  const lines = text.split('\n')
  const heads = lines.flatMap((line, i) => line.startsWith('//# ') ? [i] : [])
  return heads.map((head, k) => caseOf(file, head + 1, lines[head]!.slice(4).trim(), lines.slice(head + 1, heads[k + 1])))
}

function caseOf(file: string, line: number, name: string, lines: readonly string[]): Case {
  const sentences: Sentence[] = []
  const also: string[] = []
  const diagnostics: string[] = []
  const parts = new Map<string, string[]>([['', []]])
  let numbers: number[] | undefined
  let cpuOnly = false
  let part = parts.get('')!
  for (const text of lines) {
    const mark = /^\s*\/\/([@:=~!])\s*(.*)$/.exec(text)
    const rest = mark?.[2]?.trim() ?? ''
    if (mark?.[1] === '@') {
      const entry = /^(\S+) (.*?) \| (.*)$/.exec(rest)
      if (entry === null) also.push(...rest.split(/\s+/))
      else sentences.push({ id: entry[1]!, section: entry[2]!, text: entry[3]! })
    } else if (mark?.[1] === ':') {
      part = []
      parts.set(rest, part)
    } else if (mark?.[1] === '=') {
      numbers = [...numbers ?? [], ...rest.split(/\s+/).filter(w => w !== '').map(numberOf)]
    } else if (mark?.[1] === '!') {
      cpuOnly = true
    } else if (mark?.[1] === '~') {
      const at = /(\^|<)\s*([EW]\d{5})/.exec(text)
      if (at === null) throw new Error(`${file}: ${text} names no diagnostic`)
      diagnostics.push(`${part.length}:${at[1] === '<' ? text.indexOf('//') + 1 : at.index + 1} ${at[2]!}`)
    } else {
      part.push(text)
    }
  }
  const source = parts.get('')!.join('\n')
  parts.delete('')
  const files = Object.fromEntries([...parts].map(([path, own]) => [path, own.join('\n')]))
  return { name, file, line, source, files, sentences, also, cpuOnly, numbers, diagnostics }
}

function numberOf(word: string): number {
  const value = word === 'nan' ? NaN : word === 'inf' ? Infinity : word === '-inf' ? -Infinity : Number(word)
  if (Number.isNaN(value) && word !== 'nan') throw new Error(`${word} is no number`)
  return value
}

/** What stands below each program: `show` collects numbers of any shape, `main` calls `run`. */
export const frame = `
RWStructuredBuffer<float> shown;
static int shownCount = 0;
void show(float x) { shown[shownCount] = x; shownCount = shownCount + 1; }
void show(int x) { show(float(x)); }
void show(uint x) { show(float(x)); }
void show(bool x) { show(x ? 1.0 : 0.0); }
void show<let N : int>(vector<float, N> v) { for (int i = 0; i < N; i++) show(v[i]); }
void show<let R : int, let C : int>(matrix<float, R, C> m) { for (int i = 0; i < R; i++) show(m[i]); }
void show<let N : int>(float[N] a) { for (int i = 0; i < N; i++) show(a[i]); }
[shader("compute")] [numthreads(1, 1, 1)] void main() { run(); }
`

const documents: readonly (readonly [string, string])[] = [
  ['UG', 'User guide: Automatic Differentiation'], ['TY', 'Types'], ['DE', 'Decorators'], ['IR', 'IR passes'],
  ['MI', 'Mistakes that the compiler reports'], ['FA', 'What must not be reported'], ['CO', 'Combinations of features'],
]

/** The page of all sentences with their tests, as Markdown. */
export function renderPage(cases: readonly Case[], excused: readonly Excused[]): string {
  const shows = new Map<string, Case[]>()
  for (const c of cases) for (const id of [...c.sentences.map(s => s.id), ...c.also]) shows.set(id, [...shows.get(id) ?? [], c])
  const out = [
    '# What the reference says, and the test that shows it', '',
    'Each line says in our own words what a sentence of Slang\'s documents on automatic differentiation (v2025.15) means for a program, and',
    'names the programs under `tests/reference` that show it. They run in the interpreter, as JavaScript, as WebAssembly and as WGSL on a',
    'WebGPU implementation. `tests/reference.test.ts` writes this page (`npm test -- -u`) and fails where it is stale.', '',
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
        const tests = shows.get(s.id)!.map(c => `[${c.name}](../tests/reference/${c.file}#L${c.line})`)
        out.push(`| ${s.id} | ${s.text.replaceAll('|', '\\|')} | ${tests.join(', ')} |`)
      }
      out.push('')
    }
  }
  out.push('## Not applicable', '', 'Sentences that say how Slang\'s own compiler is built or why, not what a program means.', '', '| | | | why there is no test |', '|---|---|---|---|')
  for (const e of excused) out.push(`| ${e.id} | ${e.section} | ${e.text} | ${e.reason} |`)
  return `${out.join('\n')}\n`
}

/** The number of an id such as `UG-12`. */
export function number(id: string): number {
  return Number(id.slice(3))
}
