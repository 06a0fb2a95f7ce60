/** The types of an imported shader, in every place where `cotangent types` can put them. */
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { install, uninstall } from '../support/install.ts'
import { compilers, marked, mistakes } from './compilers.ts'

// Packages are found by the usual way, not by `typeRoots`.
const client = { types: ['cotangent/client'], typeRoots: undefined }

/** Each way to find declarations: where they are, and what TypeScript must be told. */
const ways = [
  { name: '.d.slang.ts by nodenext', args: [], resolution: 'nodenext', more: client },
  { name: '.d.slang.ts by bundler', args: [], resolution: 'bundler', more: client },
  {
    name: 'a folder of .d.slang.ts',
    args: ['--types', 'generated'],
    resolution: 'nodenext',
    more: { ...client, rootDirs: ['.', 'generated'] },
  },
  {
    name: '.slang.d.ts by bundler',
    args: ['--types-suffix', '.slang.d.ts'],
    resolution: 'bundler',
    more: { ...client, allowArbitraryExtensions: false },
  },
] as const

let app = ''

/** `cotangent types`, as it is installed. */
function declare(folder: string, args: readonly string[]): void {
  const cli = join(app, 'node_modules/cotangent/dist/cli.js')
  const { status, stderr } = spawnSync(process.execPath, [cli, 'types', '.', ...args], {
    cwd: folder,
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([0, ''])
}

const folderOf = (index: number): string => join(app, `way${index}`)

beforeAll(() => {
  app = install()
  ways.forEach(({ args }, i) => {
    const folder = folderOf(i)
    cpSync(join(import.meta.dirname, 'programs/imports'), folder, { recursive: true })
    const shader = readFileSync(join(folder, 'fit.slang'), 'utf8')
    writeFileSync(join(folder, 'renamed.slang'), shader)
    declare(folder, args)
    writeFileSync(join(folder, 'renamed.slang'), shader.replaceAll('rate', 'speed'))
    declare(folder, args)
  })
})

afterAll(() => uninstall(app))

describe.each(compilers)('TypeScript $version', compiler => {
  it.each(ways.map((way, i) => ({ ...way, folder: () => folderOf(i) })))(
    'finds $name, and each mistake where it is, once',
    ({ folder: at, more, resolution }) => {
      const folder = at()
      const files = ['right.ts', 'wrong.ts', 'renamed.ts']
      const expected = files.flatMap(file =>
        marked(readFileSync(join(folder, file), 'utf8'), compiler).map(place => `${file} ${place}`),
      )
      expect(expected.length).toBeGreaterThan(12)
      const found = mistakes(compiler, folder, files, 'DOM', resolution, more)
      expect(found.map(m => `${m.file} ${m.line}:${m.column}`).toSorted(), JSON.stringify(found, null, 1)).toEqual(
        expected.toSorted(),
      )
    },
  )

  it('never finds .slang.d.ts by nodenext', () => {
    const folder = folderOf(ways.findIndex(way => way.name === '.slang.d.ts by bundler'))
    const found = mistakes(compiler, folder, ['renamed.ts'], 'DOM', 'nodenext')
    expect(found.map(m => `${m.line}:${m.column} ${m.text.slice(0, 6)}`)).toEqual(['2:21 TS2307'])
  })
})
