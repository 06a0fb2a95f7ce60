/** `cotangent init`: what it writes, and where it refuses to. */
import { mkdirSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ignored, packageName } from '../../src/cli/init.ts'
import { commandLine } from '../support/command-line.ts'

const { at, call, read, root } = commandLine()

interface Manifest {
  name: string
  version: string
  dependencies: Record<string, string>
}
const manifestOf = (path: string): Manifest => JSON.parse(readFileSync(path, 'utf8')) as Manifest
const { version } = manifestOf(join(root, 'package.json'))

const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => !/(^|\/)(node_modules|dist)(\/|$)|\.d\.slang\.ts$|package-lock/.test(name))
    .filter(name => statSync(join(folder, name)).isFile())
    .toSorted()

describe('init', () => {
  it('copies the example, under the name of the folder and with this version', () => {
    const { status, stderr, stdout } = call(['init', 'a/My App'])
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^a\/My App holds .*\n\n {2}cd "a\/My App"\n {2}npm install\n {2}npm run dev\n/)
    const example = join(root, 'examples/vite')
    const files = filesOf(example)
    expect(files).toEqual(expect.arrayContaining(['.gitignore', 'README.md', 'src/fit.slang', 'src/fit.test.ts']))
    expect(filesOf(at('a/My App'))).toEqual(files)
    for (const file of files.filter(name => name !== 'package.json'))
      expect(read(`a/My App/${file}`), file).toBe(readFileSync(join(example, file), 'utf8'))
    const manifest = manifestOf(join(example, 'package.json'))
    expect(manifestOf(at('a/My App/package.json'))).toEqual({
      ...manifest,
      name: 'my-app',
      dependencies: { ...manifest.dependencies, cotangent: `^${version}` },
    })
  })

  it('writes the .gitignore that npm does not pack', () => {
    expect(readFileSync(join(root, 'examples/vite/.gitignore'), 'utf8')).toBe(ignored)
  })

  it('takes no empty name, which would mean the working folder', () => {
    mkdirSync(at('here'))
    expect(call(['init', ''], { cwd: at('here') })).toMatchObject({
      status: 2,
      stderr: 'cotangent: the name of the folder is empty: name a folder, or . for this one\n',
    })
    expect(readdirSync(at('here'))).toEqual([])
  })

  it('says what it would overwrite, and does so only by --force', () => {
    at('full/notes.txt', 'mine\n')
    expect(call(['init', 'full'])).toMatchObject({
      status: 2,
      stdout: '',
      stderr: 'cotangent: full is not empty; --force writes into it, and overwrites nothing\n',
    })
    at('full/package.json', '{}')
    at('full/src/main.ts', '')
    expect(call(['init', '.'], { cwd: at('full') }).stderr).toBe(
      'cotangent: . is not empty; --force writes into it, and overwrites package.json, src/main.ts\n',
    )
    expect(read('full/package.json')).toBe('{}')
    const { status, stdout } = call(['init', '.', '--force'], {
      cwd: at('full'),
      env: { npm_config_user_agent: 'pnpm/10.0.0 npm/? node/v22' },
    })
    expect(status).toBe(0)
    expect(stdout).toContain('Next:\n\n  pnpm install\n  pnpm run dev\n')
    expect(manifestOf(at('full/package.json')).name).toBe('full')
    expect(read('full/notes.txt')).toBe('mine\n')
  })

  it('takes an empty folder, with or without a new repository, and nothing that is no folder', () => {
    mkdirSync(at('empty/.git'), { recursive: true })
    expect(call(['init', 'empty']).status).toBe(0)
    at('file', '')
    expect(call(['init', 'file'])).toMatchObject({ status: 2, stderr: 'cotangent: file is a file: name a folder\n' })
    expect(call(['init', 'file/app']).status).toBe(2)
    expect(call(['init']).status).toBe(2)
  })

  it.each([
    ['My App', 'my-app'],
    ['.hidden', 'hidden'],
    ['Größe & Maß', 'gro-e-ma'],
    ['日本', 'cotangent-project'],
    ['node_modules', 'cotangent-project'],
    ['x'.repeat(250), 'x'.repeat(214)],
  ])('calls the package of %s %s', (folder, name) => {
    expect(packageName(folder)).toBe(name)
  })
})

describe('versions', () => {
  it('of create-cotangent and of the examples are those of the package', () => {
    const projects = readdirSync(join(root, 'examples'))
      .map(name => join(root, 'examples', name, 'package.json'))
      .filter(path => statSync(path, { throwIfNoEntry: false }) !== undefined)
    const create = join(root, 'create-cotangent/package.json')
    expect(projects.length).toBeGreaterThan(0)
    for (const path of [create, ...projects])
      expect(manifestOf(path).dependencies['cotangent'], path).toBe(`^${version}`)
    expect(manifestOf(create).version).toBe(version)
    expect(readFileSync(join(root, 'examples/deno/deno.json'), 'utf8')).toContain(`"npm:cotangent@^${version}"`)
  })
})
