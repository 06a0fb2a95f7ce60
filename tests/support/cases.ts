/**
 * Small programs with the numbers that they show, or with the diagnostics that they get. A file holds many:
 *
 *     //# name of the program
 *     //@ UG-12 Section | one sentence that it shows, or ids of what stands elsewhere
 *     …                                                  a program with a function `run` that shows numbers, or with a kernel `main` of its own
 *     //: other.slang                                    what follows is another file, for imports
 *     //= 1 2 3                                          the numbers that it shows
 *     //< name [1, 2, 3]                                 contents of a buffer or uniform
 *     //! cpu                                            not on WGSL, which lacks a type that the program is about; `gpu`: only there
 *     //~      ^ E41020                                  or: the diagnostic, in this column of the line above
 *     //~ nothing                                       or: nothing is said of it
 *     //? words                                          that occur in what is said
 */
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Plain } from '../../src/gpu/pack.ts'

/** A sentence of the reference, in other words. */
export interface Sentence {
  readonly id: string
  readonly section: string
  readonly text: string
}

/** A program with what it must show or be told. */
export interface Case {
  readonly name: string
  /** The file, and the line of its head there. */
  readonly file: string
  readonly line: number
  readonly source: string
  readonly files: Readonly<Record<string, string>>
  readonly sentences: readonly Sentence[]
  /** Ids of sentences whose text stands at another case. */
  readonly also: readonly string[]
  /** Contents of buffers and uniforms. */
  readonly inputs: Readonly<Record<string, Plain>>
  /** Whether WGSL lacks what the program needs, or CPUs do. */
  readonly only: 'cpu' | 'gpu' | undefined
  /** The numbers shown; undefined where the program must not compile. */
  readonly numbers: readonly number[] | undefined
  /** Words that occur in the diagnostics. */
  readonly words: readonly string[]
  /** `line:column code` of every diagnostic, in the lines of the source. */
  readonly diagnostics: readonly string[]
}

/** All programs of a folder of tests, file by file. */
export function readCases(folder: string): Case[] {
  const path = join(import.meta.dirname, '..', folder)
  return readdirSync(path)
    .filter(f => f.endsWith('.slang'))
    .sort()
    .flatMap(file => casesOf(file, readFileSync(join(path, file), 'utf8')))
}

function casesOf(file: string, text: string): Case[] {
  const lines = text.split('\n')
  const heads = lines.flatMap((line, i) => (line.startsWith('//# ') ? [i] : []))
  return heads.map((head, k) =>
    caseOf(file, head + 1, lines[head]!.slice(4).trim(), lines.slice(head + 1, heads[k + 1])),
  )
}

function caseOf(file: string, line: number, name: string, lines: readonly string[]): Case {
  const sentences: Sentence[] = []
  const also: string[] = []
  const diagnostics: string[] = []
  const parts = new Map<string, string[]>([['', []]])
  let numbers: number[] | undefined
  const inputs: Record<string, Plain> = {}
  const words: string[] = []
  let only: Case['only']
  let isSilent = false
  let part = parts.get('')!
  for (const text of lines) {
    const mark = /^\s*\/\/([@:=~!<?])\s*(.*)$/.exec(text)
    const rest = mark?.[2]?.trim() ?? ''
    if (mark?.[1] === '@') {
      const entry = /^(\S+) (.*?) \| (.*)$/.exec(rest)
      if (entry === null) also.push(...rest.split(/\s+/))
      else sentences.push({ id: entry[1]!, section: entry[2]!, text: entry[3]! })
    } else if (mark?.[1] === ':') {
      part = []
      parts.set(rest, part)
    } else if (mark?.[1] === '=') {
      numbers = [
        ...(numbers ?? []),
        ...rest
          .split(/\s+/)
          .filter(w => w !== '')
          .map(numberOf),
      ]
    } else if (mark?.[1] === '!') {
      if (rest !== 'gpu' && rest !== 'cpu') throw new Error(`${file}: ${text} is neither cpu nor gpu`)
      only = rest
    } else if (mark?.[1] === '<') {
      const space = rest.indexOf(' ')
      inputs[rest.slice(0, space)] = JSON.parse(rest.slice(space + 1)) as Plain
    } else if (mark?.[1] === '?') {
      words.push(rest)
    } else if (mark?.[1] === '~') {
      if (rest === 'nothing') {
        isSilent = true
        continue
      }
      const at = /(\^|<)\s*([EW]\d{5})/.exec(text)
      if (at === null) throw new Error(`${file}: ${text} names no diagnostic`)
      diagnostics.push(`${part.length}:${at[1] === '<' ? text.indexOf('//') + 1 : at.index + 1} ${at[2]!}`)
    } else {
      part.push(text)
    }
  }
  if (numbers?.length === 0) throw new Error(`${file}: ${name} shows no numbers`)
  if (numbers === undefined && (diagnostics.length === 0) !== isSilent)
    throw new Error(`${file}: ${name} neither shows numbers nor gets diagnostics, nor is said to get none`)
  const source = parts.get('')!.join('\n')
  parts.delete('')
  const files = Object.fromEntries([...parts].map(([path, own]) => [path, own.join('\n')]))
  return { name, file, line, source, files, sentences, also, inputs, only, numbers, words, diagnostics }
}

function numberOf(word: string): number {
  const value = word === 'nan' ? NaN : word === 'inf' ? Infinity : word === '-inf' ? -Infinity : Number(word)
  if (Number.isNaN(value) && word !== 'nan') throw new Error(`${word} is no number`)
  return value
}

const shows = `
RWStructuredBuffer<float> shown;
static int shownCount = 0;
void show(float x) { shown[shownCount] = x; shownCount = shownCount + 1; }
void show(int x) { show(float(x)); }
void show(uint x) { show(float(x)); }
void show(bool x) { show(x ? 1.0 : 0.0); }
void show<let N : int>(vector<float, N> v) { for (int i = 0; i < N; i++) show(v[i]); }
void show<let R : int, let C : int>(matrix<float, R, C> m) { for (int i = 0; i < R; i++) show(m[i]); }
void show<let N : int>(float[N] a) { for (int i = 0; i < N; i++) show(a[i]); }
`

/** The program with what stands below it: `show` collects numbers of any shape, `main` calls `run`. */
export function framed(c: Case): string {
  return (
    c.source +
    shows +
    (/\bvoid main\(/.test(c.source) ? '' : '[shader("compute")] [numthreads(1, 1, 1)] void main() { run(); }\n')
  )
}
