/** The package as it is published, on each runtime that people have: the command line, the library, and programs on CPU and GPU. */
import { cpSync, mkdtempSync, readFileSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compile } from '../../src/index.ts'
import { root, uninstall } from '../support/install.ts'
import { installed, nodes, run, runNative, runtimes, type Said } from './runtimes.ts'

const source = `RWStructuredBuffer<float> o;
uniform float k;
[Differentiable] public float f(float x, no_diff float y) { return x * x * y; }
[shader("compute")] [numthreads(4, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) { o[id.x] = o[id.x] * k + f(float(id.x), 2); }
`
// By hand: 10 · [1, 2, 3, 4] + 2 · [0, 1, 4, 9].
const written = [10, 22, 38, 58]

let app = ''
let cli = ''
beforeAll(() => {
  app = installed()
  cli = join(app, 'node_modules/cotangent/dist/cli.js')
  writeFileSync(join(app, 'program.slang'), source)
  writeFileSync(join(app, 'wrong.slang'), 'float f() { return y; }\n')
})

afterAll(() => uninstall(app))

const wgsl = compile(source, { fileName: 'program.slang' }).wgsl().code
const version = (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version

describe.each(runtimes)('$name', runtime => {
  const call = (...args: string[]): Said => run(runtime, cli, args, { cwd: app })
  const script = (name: string, start = run): Record<string, unknown> => {
    cpSync(join(import.meta.dirname, 'scripts', name), join(app, name))
    const { status, stdout, stderr } = start(runtime, name, [], { cwd: app })
    if (status !== 0) throw new Error(`${name} ended in ${status}:\n${stdout}${stderr}`)
    return JSON.parse(stdout.trim().split('\n').at(-1)!) as Record<string, unknown>
  }

  it('runs the command line', () => {
    expect(call('--version')).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' })
    expect(call('compile', 'program.slang')).toEqual({ status: 0, stdout: wgsl, stderr: '' })
    expect(call('run', 'program.slang', '--fn', 'f', '3', '2').stdout).toBe('18\n')
    expect(JSON.parse(call('grad', 'program.slang', '--fn', 'f', '--json', '3', '2').stdout)).toEqual({
      value: 18,
      grad: { x: 12 },
    })
    expect(call('check', 'program.slang', '--seed', '5')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('1 of 1 agree (seed 5)'),
    })
    expect(call('explain', 'program.slang', '--fn', 'f')).toMatchObject({ status: 0, stderr: '' })
    expect(call('compile', '--help')).toMatchObject({ status: 0, stderr: '' })
  })

  it('ends the command line as it should', () => {
    expect(call('compile', 'wrong.slang')).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining('wrong.slang:1:20: error E30015'),
    })
    expect(call('compile', 'none.slang')).toEqual({
      status: 2,
      stdout: '',
      stderr: 'cotangent: none.slang: no such file\n',
    })
    expect(call('compile', '.')).toEqual({ status: 2, stdout: '', stderr: 'cotangent: .: a folder, not a file\n' })
    expect(call('compile', '/dev/zero')).toEqual({
      status: 2,
      stdout: '',
      stderr: 'cotangent: /dev/zero: not a regular file\n',
    })
    expect(
      run(runtime, cli, ['run', '-', '--fn', 'g', '2'], {
        cwd: app,
        input: 'public float g(float x) { return x + 1; }',
      }),
    ).toEqual({ status: 0, stdout: '3\n', stderr: '' })
  })

  it('runs the library and programs on the CPU', () => {
    expect(script('library.mjs')).toEqual({
      wgsl,
      same: true,
      value: 18,
      gradient: { value: 18, grad: [12, null] },
      tangent: { value: 18, tangent: 12 },
      wrote: written,
      threads: [2, ...written, ...[4, 5, 6, 7].map(x => 2 * x * x)],
      check: [true, [['f', 'ok']]],
      wrong: expect.stringContaining('error E30015: undefined identifier y'),
      deep: false,
    })
  })

  it('runs programs on WebGPU', () => {
    expect(script('gpu.mjs', runNative)).toEqual({ own: runtime.name === 'Deno', wrote: written })
  })
})

describe.each(nodes.filter(n => n.keepsCode))('the compiled code that $name keeps', runtime => {
  /** Runs the command line with compiled code kept below a folder. */
  const below = (TMPDIR: string, file = cli): Said =>
    run(runtime, file, ['compile', 'program.slang'], { cwd: app, env: { TMPDIR } })
  const expected: Said = { status: 0, stdout: wgsl, stderr: '' }
  const kept = (folder: string): string[] =>
    (readdirSync(folder, { recursive: true }) as string[]).map(f => join(folder, f)).filter(f => statSync(f).isFile())

  it('may be damaged in any way', () => {
    const folder = mkdtempSync(join(app, 'kept-'))
    expect(below(folder)).toEqual(expected)
    const files = kept(folder)
    expect(files.length).toBeGreaterThan(2)
    const whole = files.map(file => readFileSync(file))
    const damages: readonly ((bytes: Buffer, i: number) => Uint8Array)[] = [
      () => Buffer.alloc(0),
      bytes => bytes.subarray(0, 7),
      bytes => bytes.subarray(0, bytes.length >> 1),
      bytes => Buffer.alloc(bytes.length),
      () => Buffer.from('no code at all'),
      (_, i) => whole[(i + 1) % whole.length]!,
      bytes => Buffer.concat([bytes, bytes]),
      ...[1, 2, 3, 5, 8, 13, 21].map(
        step =>
          (bytes: Buffer): Uint8Array =>
            bytes.map((b, i) => ((i * step) % 97 === 0 ? b ^ 255 : b)),
      ),
      ...[0, 4, 8, 12, 16, 20, 24, 28, 64, 1000].map(
        at =>
          (bytes: Buffer): Uint8Array =>
            bytes.map((b, i) => (i === at % bytes.length ? b ^ 1 : b)),
      ),
    ]
    for (const damage of damages) {
      files.forEach((file, i) => {
        writeFileSync(file, damage(whole[i]!, i))
      })
      expect(below(folder)).toEqual(expected)
    }
  })

  it('is done without where its folder is not there, or may not be written', () => {
    const file = join(app, 'no-folder')
    writeFileSync(file, '')
    for (const folder of [join(app, 'none'), file, '/proc', '/dev/null', ''])
      expect(below(folder), folder).toEqual(expected)
    const asked = run(runtime, cli, ['compile', 'program.slang'], { cwd: app, env: { NODE_COMPILE_CACHE: file } })
    expect(asked).toEqual(expected)
  })

  it('is that of the file as it stands', () => {
    const folder = mkdtempSync(join(app, 'kept-'))
    const copy = join(folder, 'package')
    cpSync(join(app, 'node_modules/cotangent'), copy, { recursive: true, preserveTimestamps: true })
    const help = (): string =>
      run(runtime, join(copy, 'dist/cli.js'), ['--help'], { cwd: app, env: { TMPDIR: folder } }).stdout
    expect(help()).toContain('The Slang shading language')
    expect(help()).toContain('The Slang shading language')
    // Of the same length and age.
    for (const file of kept(join(copy, 'dist/cli'))) {
      const { atime, mtime } = statSync(file)
      writeFileSync(
        file,
        readFileSync(file, 'utf8').replaceAll('The Slang shading language', 'The Slung shading language'),
      )
      utimesSync(file, atime, mtime)
    }
    expect(help()).toContain('The Slung shading language')
  })
})

it('one version of Node leaves another in peace', () => {
  const folder = mkdtempSync(join(app, 'kept-'))
  for (const runtime of [...nodes, ...nodes])
    expect(run(runtime, cli, ['compile', 'program.slang'], { cwd: app, env: { TMPDIR: folder } })).toEqual({
      status: 0,
      stdout: wgsl,
      stderr: '',
    })
})
