/**
 * How many places an addition takes: what CONTRIBUTING.md lists is what the type checker names. A name is added in a copy of
 * the sources, and the files that no longer compile are compared with the table.
 */
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const copy = mkdtempSync(join(tmpdir(), 'places-'))

beforeAll(() => {
  const { include } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')) as {
    readonly include: readonly string[]
  }
  for (const name of [...include, 'core', 'tsconfig.json', 'package.json']) {
    cpSync(join(root, name), join(copy, name), { recursive: true, filter: path => !path.endsWith('node_modules') })
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction')
})

afterAll(() => rmSync(copy, { recursive: true }))

/** The files that do not compile. */
async function failing(): Promise<string[]> {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const said = await new Promise<string>(resolve => {
    execFile(
      process.execPath,
      [tsc, '--noEmit', '--pretty', 'false'],
      { cwd: copy, maxBuffer: 1 << 24 },
      (_error, stdout) => resolve(stdout),
    )
  })
  return [...new Set([...said.matchAll(/^(.+?)\(\d+,\d+\): error/gm)].map(m => m[1]!))].sort()
}

/** The files of a row of the table in CONTRIBUTING.md. */
function listed(what: string): string[] {
  const text = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')
  const line = text.split('\n').find(l => l.startsWith(`| ${what} |`))
  if (line === undefined) throw new Error(`CONTRIBUTING.md does not list ${what}`)
  const files = [...line.matchAll(/`([^`]+)`/g)].map(m => m[1]!).sort()
  expect(Number(line.split('|')[2]), `the number of places for ${what}`).toBe(files.length)
  return files
}

interface Addition {
  readonly what: string
  readonly file: string
  /** Texts of the file and what stands in their stead. */
  readonly edits: readonly (readonly [string, string])[]
}

const op = (group: string): readonly [string, string] => [
  `export interface ${group} {\n`,
  `export interface ${group} {\n  dummy: 'none'\n`,
]

const additions: readonly Addition[] = [
  { what: 'a flat operation', file: 'src/ir/op.ts', edits: [op('FlatOps')] },
  { what: 'a linear operation', file: 'src/ir/op.ts', edits: [op('LinearOps')] },
  { what: 'a smooth operation', file: 'src/ir/op.ts', edits: [op('SmoothOps')] },
  {
    what: 'an operation lane by lane',
    file: 'src/ir/op.ts',
    edits: [op('SmoothOps'), ['export type LaneOp =', "export type LaneOp =\n  | 'dummy'"]],
  },
  { what: 'a structural operation', file: 'src/ir/op.ts', edits: [op('StructuralOps')] },
  {
    what: 'a diagnostic',
    file: 'src/base/errors/target.ts',
    edits: [
      [
        'export const noPosition',
        "export const dummy: Entry<never> = error('E99999', 'nothing', 'nothing')\n\nexport const noPosition",
      ],
    ],
  },
  {
    what: 'a target',
    file: 'src/lower/target.ts',
    edits: [['export type Target =', "export type Target = 'dummy' |"]],
  },
]

describe('what is added is asked for in all places that CONTRIBUTING.md lists', () => {
  it.each(additions)(
    '$what',
    async ({ what, file, edits }) => {
      const path = join(copy, file)
      const before = readFileSync(path, 'utf8')
      let text = before
      for (const [from, to] of edits) {
        expect(text).toContain(from)
        text = text.replace(from, () => to)
      }
      writeFileSync(path, text)
      try {
        expect([...new Set([file, ...(await failing())])].sort()).toEqual(listed(what))
      } finally {
        writeFileSync(path, before)
      }
    },
    60_000,
  )
})
