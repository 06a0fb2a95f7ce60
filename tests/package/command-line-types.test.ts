/** `cotangent types`: which shaders it takes, where declarations go, and what it never touches. */
import { existsSync, renameSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { importShader } from '../../src/plugin/shaders.ts'
import { commandLine } from '../support/command-line.ts'

const { at, call, dir, read, watching } = commandLine()

const kernel = (name: string): string =>
  `RWStructuredBuffer<float> o;\n[shader("compute")] [numthreads(1,1,1)] void ${name}() { o[0] = 1; }\n`
const broken = 'float f() { return y; }\n'
const mistake = (file: string): string =>
  `${file}:1:20: error E30015: undefined identifier y\n  float f() { return y; }\n                     ^\n  help: declare it, import the module that does, or mend the spelling\n`
const types = (...args: string[]): ReturnType<typeof call> => call(['types', ...args])
const is = (status: number, stdout: string, stderr = ''): object => ({ status, stdout, stderr })

describe('types', () => {
  it('takes files, patterns and folders, and leaves out what is no shader and what is installed', () => {
    at('many/a.slang', kernel('a'))
    at('many/sub/b.slang', kernel('b'))
    at('many/sub/[c].slang', kernel('c'))
    at('many/notes.txt', '')
    at('many/node_modules/pkg/d.slang', kernel('d'))
    expect(types('many/a.slang')).toEqual(expect.objectContaining(is(0, 'wrote many/a.d.slang.ts\n')))
    expect(read('many/a.d.slang.ts')).toMatch(/^\/\/ Written by cotangent from a\.slang\./)
    expect(types('many/a.slang')).toMatchObject(is(0, ''))
    expect(types('many/**/*.slang')).toMatchObject(
      is(0, 'wrote many/sub/[c].d.slang.ts\nwrote many/sub/b.d.slang.ts\n'),
    )
    for (const file of ['many/a.d.slang.ts', 'many/sub/b.d.slang.ts', 'many/sub/[c].d.slang.ts']) rmSync(at(file))
    // A folder, and a file of it that is also named; a shell that expands `many/*`; names that look like patterns.
    expect(types('many', 'many/sub/b.slang').stdout.split('\n').length).toBe(4)
    expect(types('many/a.slang', 'many/notes.txt', 'many/sub/[c].slang', `${dir}/many/*.slang`)).toMatchObject(
      is(0, ''),
    )
    expect(existsSync(at('many/node_modules/pkg/d.d.slang.ts'))).toBe(false)
  })

  it('writes what the plugin writes', () => {
    at('same/cotangent.json', '{ "defines": { "N": 7 }, "entries": ["main"] }')
    const source = at(
      'same/k.slang',
      'uniform float rate;\nRWStructuredBuffer<float> o;\n[shader("compute")] [numthreads(N,1,1)] void main() { o[0] = rate; }\n[shader("compute")] [numthreads(1,1,1)] void other() {}\n[Differentiable] public float f(float x) { return x; }\n',
    )
    expect(types('same').stdout).toBe('wrote same/k.d.slang.ts\n')
    const ours = read('same/k.d.slang.ts')
    expect(ours).toContain('workgroupSize: readonly [7, 1, 1]')
    rmSync(at('same/k.d.slang.ts'))
    expect(importShader({ file: source, query: '' }, {}, { root: at('same'), hot: false }).code).toBeDefined()
    expect(read('same/k.d.slang.ts')).toBe(ours)
  })

  it('puts declarations where options or the project file say', () => {
    at('places/app/src/k.slang', kernel('k'))
    expect(types('places', '--types', 'gen').stdout).toBe('wrote gen/places/app/src/k.d.slang.ts\n')
    expect(read('gen/places/app/src/k.d.slang.ts')).toContain('from ../../../../places/app/src/k.slang.')
    at('places/app/cotangent.json', '{ "types": "made", "typesSuffix": ".slang.d.ts" }')
    expect(types('places').stdout).toBe('wrote places/app/made/src/k.slang.d.ts\n')
    expect(types('places', '--types', 'beside', '--types-suffix', '.d.slang.ts').stdout).toBe(
      'wrote places/app/src/k.d.slang.ts\n',
    )
    expect(call(['types', '../src', '--types', 'made'], { cwd: at('places/app/made') })).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('../src/k.slang lies outside of'),
    })
    at('places/app/cotangent.json', '{ "types": false }')
    expect(types('places')).toMatchObject(
      is(
        0,
        '',
        'cotangent: places/app/src/k.slang: its cotangent.json sets types to false; --types beside writes them\n',
      ),
    )
    at('places/app/cotangent.json', '{ "typos": false }')
    expect(types('places').status).toBe(2)
  })

  it('reports each mistake once, and declares the other shaders', () => {
    at('wrong/a.slang', `import lib;\n${kernel('a')}`)
    at('wrong/b.slang', `import lib;\n${kernel('b')}`)
    at('wrong/c.slang', kernel('c'))
    at('wrong/lib.slang', broken)
    expect(types('wrong')).toMatchObject(is(1, 'wrote wrong/c.d.slang.ts\n', mistake('wrong/lib.slang')))
    const said = types('wrong', '--diagnostics', 'json')
    expect(
      said.stderr
        .trim()
        .split('\n')
        .map(line => (JSON.parse(line) as { code: string }).code),
    ).toEqual(['E30015'])
    expect(types('wrong/c.slang', 'none.slang', 'wrong/*.glsl')).toMatchObject(
      is(
        2,
        '',
        'cotangent: none.slang: no such file or folder\ncotangent: wrong/*.glsl matches no .slang file; node_modules is left out\n',
      ),
    )
    expect(types('many/notes.txt')).toMatchObject(
      is(2, '', 'cotangent: many/notes.txt: no .slang file is among these\n'),
    )
    at('empty/notes.txt', '')
    expect(types('empty').stderr).toBe('cotangent: empty: no .slang file in this folder; node_modules is left out\n')
    expect(types('-')).toMatchObject({ status: 2, stderr: expect.stringContaining('standard input') })
    expect(types().status).toBe(2)
  })

  it('declares nothing for files that only others include', () => {
    at('lib/a.slang', `#define SCALE 2\n#include "part.slang"\nimport tools;\n${kernel('a')}`)
    at('lib/part.slang', 'float scaled(float x) { return x * SCALE; }\n')
    at('lib/tools.slang', 'module tools;\n__include more;\npublic float twice(float x) { return add(x, x); }\n')
    at('lib/more.slang', 'implementing tools;\nfloat add(float a, float b) { return a + b; }\n')
    expect(types('lib')).toMatchObject(is(0, 'wrote lib/a.d.slang.ts\nwrote lib/tools.d.slang.ts\n'))
    // Alone, the part is a program with a mistake.
    expect(types('lib/part.slang')).toMatchObject({ status: 1, stderr: expect.stringContaining('SCALE') })
    expect(types('lib/more.slang')).toMatchObject(
      is(0, '', 'cotangent: nothing is declared: no file has an entry point or a public function\n'),
    )
  })

  it('says where WGSL keeps kernels from having types', () => {
    at('cpu/k.slang', 'RWStructuredBuffer<double> o;\n[shader("compute")] [numthreads(1,1,1)] void k() { o[0] = 1; }\n')
    expect(types('cpu')).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('cpu/k.slang: WGSL cannot express its kernels'),
    })
  })

  it('never writes over a file of somebody else', () => {
    at('mine/k.slang', kernel('k'))
    at('mine/k.d.slang.ts', 'export {}\n')
    const refused = {
      status: 2,
      stdout: '',
      stderr:
        'cotangent: mine/k.d.slang.ts was not written by cotangent, so it stays as it is: remove or rename it, or name a folder with --types DIR\n',
    }
    expect(types('mine')).toMatchObject(refused)
    expect(types('mine', '--check')).toMatchObject(refused)
    expect(read('mine/k.d.slang.ts')).toBe('export {}\n')
    at('mine/file', '')
    expect(types('mine', '--types', 'mine/file')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--types DIR names another folder'),
    })
  })

  it('--check writes nothing, and fails where something is missing or stale', () => {
    at('ci/k.slang', kernel('k'))
    expect(types('ci', '--check')).toMatchObject(
      is(1, '', 'cotangent: ci/k.d.slang.ts is missing: cotangent types ci/k.slang writes it\n'),
    )
    expect(existsSync(at('ci/k.d.slang.ts'))).toBe(false)
    types('ci')
    expect(types('ci', '--check')).toMatchObject(is(0, ''))
    at('ci/k.slang', kernel('renamed'))
    const before = read('ci/k.d.slang.ts')
    const { status, stderr } = types('ci', '--check', '--diagnostics', 'json')
    expect([status, JSON.parse(stderr)]).toEqual([
      1,
      {
        severity: 'error',
        code: 'E50307',
        message: 'ci/k.d.slang.ts is stale: cotangent types ci/k.slang writes it',
        file: 'ci/k.d.slang.ts',
      },
    ])
    expect(read('ci/k.d.slang.ts')).toBe(before)
    expect(types('ci', '--check', '--watch').status).toBe(2)
  })

  it('removes what is left over of shaders that are gone, and --check says so', () => {
    at('left/src/kept.slang', kernel('kept'))
    at('left/src/sub/gone.slang', kernel('gone'))
    at('left/node_modules/pkg/gone.slang', kernel('gone'))
    types('left', 'left/node_modules/pkg/gone.slang')
    types('left', '--types', 'left/gen', '--types-suffix', '.slang.d.ts')
    at('left/src/mine.d.slang.ts', 'export {}\n')
    for (const file of ['left/src/sub/gone.slang', 'left/node_modules/pkg/gone.slang']) rmSync(at(file))
    const beside = 'left/src/sub/gone.d.slang.ts'
    const mirrored = 'left/gen/left/src/sub/gone.slang.d.ts'
    const leftOver = (file: string): string =>
      `cotangent: ${file} is left over: left/src/sub/gone.slang is gone; cotangent types removes it\n`
    expect(types('left/src', '--check')).toMatchObject(is(1, '', leftOver(beside)))
    expect(types('left/src', '--check', '--types', 'left/gen', '--types-suffix', '.slang.d.ts')).toMatchObject(
      is(1, '', leftOver(mirrored) + leftOver(beside)),
    )
    // Other folders, and single files, are none of its business.
    at('left/other/o.slang', kernel('other'))
    expect(types('left/other', 'left/src/kept.slang').stdout).toBe('wrote left/other/o.d.slang.ts\n')
    expect([beside, mirrored].map(file => existsSync(at(file)))).toEqual([true, true])
    const removed = (file: string): string => `removed ${file}, for left/src/sub/gone.slang is gone\n`
    expect(types('left/s*/**/*.slang', '--types', 'left/gen', '--types-suffix', '.slang.d.ts').stdout).toBe(
      removed(mirrored) + removed(beside),
    )
    expect(existsSync(at('left/node_modules/pkg/gone.d.slang.ts'))).toBe(true)
    expect(read('left/src/mine.d.slang.ts')).toBe('export {}\n')
    // A folder without any shader left.
    rmSync(at('left/other/o.slang'))
    expect(types('left/other')).toMatchObject({
      status: 2,
      stdout: 'removed left/other/o.d.slang.ts, for left/other/o.slang is gone\n',
    })
  })

  it('without a word takes the project around it, and says what to do where there is none', () => {
    at('alone/deep/k.slang', kernel('k'))
    const nothing = { status: 2, stderr: expect.stringContaining('name files, folders or patterns') as string }
    expect(call(['types'], { cwd: at('alone/deep') })).toMatchObject(nothing)
    at('alone/cotangent.json', '{}')
    expect(call(['types', '--no-project'], { cwd: at('alone/deep') })).toMatchObject(nothing)
    expect(call(['types'], { cwd: at('alone') }).stdout).toBe('wrote deep/k.d.slang.ts\n')
    at('alone/top.slang', kernel('top'))
    expect(call(['types'], { cwd: at('alone/deep') }).stdout).toBe(`wrote ${at('alone/top.d.slang.ts')}\n`)
    rmSync(at('alone/deep/k.d.slang.ts'))
    expect(types('--project', 'alone/cotangent.json').stdout).toBe('wrote alone/deep/k.d.slang.ts\n')
  })

  it('--watch takes new shaders, and removes the declarations of those that are gone', async () => {
    at('seen/a.slang', kernel('a'))
    at('seen/old.d.slang.ts', 'export {}\n')
    const { until, interrupt } = watching('types', 'seen/**/*.slang', '--watch')
    await until(/done in \d+ ms; watching 1 file\n/)
    at('seen/sub/b.slang', kernel('b'))
    await until(/done in \d+ ms; watching 2 files\n/)
    expect(read('seen/sub/b.d.slang.ts')).toContain('declare const b:')
    at('seen/a.slang', broken)
    await until(/seen\/a\.slang:1:20: error[^]*failed in \d+ ms/)
    expect(read('seen/a.d.slang.ts')).toContain('declare const a:')
    at('seen/a.slang', kernel('c'))
    await until(/done in \d+ ms/)
    expect(read('seen/a.d.slang.ts')).toContain('declare const c:')
    renameSync(at('seen/sub/b.slang'), at('seen/sub/d.slang'))
    await until(/done in \d+ ms; watching 2 files\n/)
    expect([existsSync(at('seen/sub/b.d.slang.ts')), existsSync(at('seen/sub/d.d.slang.ts'))]).toEqual([false, true])
    // Another place: the old declarations go.
    at('seen/cotangent.json', '{ "typesSuffix": ".slang.d.ts" }')
    await until(/done in \d+ ms; watching 3 files\n/)
    expect([existsSync(at('seen/a.d.slang.ts')), existsSync(at('seen/a.slang.d.ts'))]).toEqual([false, true])
    rmSync(resolve(at('seen'), 'a.slang'))
    rmSync(at('seen/sub/d.slang'))
    await until(/matches no \.slang file[^]*failed in \d+ ms/)
    expect(existsSync(at('seen/a.slang.d.ts'))).toBe(false)
    expect(read('seen/old.d.slang.ts')).toBe('export {}\n')
    expect(await interrupt()).toEqual([130, null])
  })
})
