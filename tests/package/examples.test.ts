import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PNG } from 'pngjs'
import { afterAll, describe, expect, test } from 'vitest'
import { closeGpu, compileWgsl, refuse } from '../support/gpu.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const cli = join(root, 'dist', 'cli.js')
const out = mkdtempSync(join(tmpdir(), 'cotangent-'))

function run(...args: string[]): string {
  return execFileSync(process.execPath, [cli, ...args], { encoding: 'utf8', cwd: root })
}

afterAll(closeGpu)

const examples = ['splat2d', 'brdf', 'spring']

/** The numbers of a text, in order. */
function numbersIn(text: string): number[] {
  return (text.match(/-?\d+(\.\d+)?(e[+-]\d+)?/g) ?? []).map(Number)
}

describe('examples', () => {
  test('splat2d draws nearer to the photograph than it began', () => {
    const dir = join(out, 'splat2d')
    const text = run('demo', 'splat2d', '--steps', '12', '-o', dir)
    const psnr = Number(/^PSNR ([\d.]+) dB after 12 steps in [\d.]+ s$/m.exec(text)?.[1])
    expect(psnr).toBeGreaterThan(17)
    for (const file of ['target.png', 'start.png', 'result.png', 'loss.svg'])
      expect(existsSync(join(dir, file)), file).toBe(true)
  })

  test('brdf recovers the material', () => {
    const text = run('demo', 'brdf', '-o', join(out, 'brdf'))
    expect(text).toContain('recovered: colour 0.900, 0.500, 0.100, roughness 0.350')
    const files = ['truth', 'start', 'result'].map(name => join(out, 'brdf', `${name}.png`))
    for (const file of files) expect(text).toContain(file)
    const [truth, start, result] = files.map(file => PNG.sync.read(readFileSync(file)))
    expect([truth!.width, truth!.height]).toEqual([192, 192])
    const apart = (a: PNG, b: PNG): number => a.data.reduce((most, x, i) => Math.max(most, Math.abs(x - b.data[i]!)), 0)
    expect(apart(truth!, result!)).toBeLessThan(3)
    expect(apart(truth!, start!)).toBeGreaterThan(50)
  })

  test('spring finds the throw', () => {
    const text = run('demo', 'spring', '-o', join(out, 'spring'))
    const loss = Number(/to ([\d.e+-]+) after/.exec(text)?.[1])
    expect(loss).toBeLessThan(1e-6)
    for (const file of ['loss.svg', 'path.svg'])
      expect(readFileSync(join(out, 'spring', file), 'utf8')).toContain('<svg')
  })

  // What stands before the last line, which tells the time, and how far its numbers may be apart: WGSL's sines are less exact.
  test.each([
    ['splat2d', 3, /^PSNR [\d.]+/m, 0.1],
    ['brdf', 100, /^recovered: .*/m, 0.005],
    ['spring', 200, /^initial velocity .*/m, 0.005],
  ] as const)('%s comes to the same on WebGPU', (name, steps, line, tolerance) => {
    const said = (...more: string[]): string =>
      run('demo', name, '--steps', String(steps), '-o', join(out, `${name}-again`), ...more)
    const onGpu = said('--gpu')
    expect(onGpu).toMatch(new RegExp(`${steps} steps.* on WebGPU \\(.+\\)\n`))
    const [found, wanted] = [numbersIn(line.exec(onGpu)![0]), numbersIn(line.exec(said())![0])]
    expect(found.length).toBeGreaterThan(0)
    expect(found.length).toBe(wanted.length)
    found.forEach((x, i) => expect(Math.abs(x - wanted[i]!)).toBeLessThanOrEqual(tolerance))
  })

  test.each(examples)('WebGPU accepts what the command line makes of %s', async name => {
    const code = run('compile', join('examples', name, `${name}.slang`), '--target', 'wgsl')
    expect(code).toContain('@compute')
    refuse(code, await compileWgsl(code))
  })

  test.each(examples)('the derivatives of %s agree', name => {
    const said = run('check', join('examples', name, `${name}.slang`), '--seed', '5', '--samples', '8')
    const count = (status: string): number => said.split(`\n${status}`).length + (said.startsWith(status) ? 1 : 0) - 1
    const [ok, skipped] = [count('ok '), count('skipped ')]
    expect(ok).toBeGreaterThan(0)
    expect(said).toContain(`${ok} of ${ok} agree${skipped > 0 ? `, ${skipped} skipped` : ''} (seed 5)`)
  })
})

describe('command line', () => {
  const spring = join('examples', 'spring', 'spring.slang')
  const call = (...args: string[]): { status: number | null; stdout: string; stderr: string } =>
    spawnSync(process.execPath, [cli, ...args], { encoding: 'utf8', cwd: root })
  const fail = (...args: string[]): { status: number | null; stderr: string } => {
    const done = call(...args)
    expect(done.status).not.toBe(0)
    return done
  }

  test('grad prints value and gradient as JSON', () => {
    const { value, grad } = JSON.parse(run('grad', spring, '--fn', 'loss', '[0.3,0.4]', '[1,1]', '8', '--json')) as {
      value: number
      grad: { velocity: number[] }
    }
    const at = (x: number, y: number): number =>
      (JSON.parse(run('run', spring, '--fn', 'loss', `[${x},${y}]`, '[1,1]', '8', '--json')) as { result: number })
        .result
    expect(at(0.3, 0.4)).toBeCloseTo(value, 5)
    expect(grad.velocity[0]).toBeCloseTo((at(0.32, 0.4) - at(0.28, 0.4)) / 0.04, 1)
  })

  test('compile takes the spellings of slangc', () => {
    const code = run(
      'compile',
      join('bench', 'programs', '01_poly.slang'),
      '-target',
      'wgsl',
      '-entry',
      'computeMain',
      '-stage',
      'compute',
      '-O2',
    )
    expect(code).toContain('fn computeMain')
  })

  test('mistakes in a program end in status 1 and a caret, those of the command line in 2', () => {
    const broken = join('tests', 'examples', 'broken.slang')
    const inProgram = fail('compile', broken)
    expect(inProgram.status).toBe(1)
    expect(inProgram.stderr).toMatch(/broken\.slang:\d+:\d+: error E\d+: .*\n.*\n +\^/)
    expect(fail('compile', 'no-such-file.slang').status).toBe(2)
    expect(fail('compile').status).toBe(2)
    expect(fail('nonsense').status).toBe(2)
    expect(fail('run', spring, '--fn', 'loss', '[1,2]').status).toBe(2)
  })

  test('a name that is not there is answered with those that are', () => {
    expect(fail('grad', spring, '--fn', 'los', '[1,2]', '[1,1]', '8').stderr).toContain('did you mean loss?')
    expect(fail('compile', spring, '--entry', 'main').stderr).toContain('there are descend, follow')
    // Without a stage a function is no entry point.
    expect(fail('compile', spring, '--entry', 'loss').stderr).toContain('there is no entry point loss')
  })

  test('what is empty comes with a word on why', () => {
    const lone = join(out, 'lone.slang')
    writeFileSync(lone, '[Differentiable] public float square(float x) { return x * x; }\n')
    const compiled = call('compile', lone)
    expect(compiled).toMatchObject({ status: 0, stdout: '' })
    expect(compiled.stderr).toMatch(/lone\.slang has no entry point.* for square/)
    expect(call('compile', lone, '--diagnostics', 'json').stderr).toBe('')
    expect(call('compile', lone, '--dump-ir', 'transposed').stdout).toContain('// transposed of square\nfunc @square')
    const blend = call('grad', join('examples', 'splat2d', 'splat2d.slang'), '--fn', 'blend', '0', '[1,2]')
    expect(blend.stderr).toMatch(
      /blend uses .*shapes.*: from here, buffers are empty.*\n.*no parameter of blend carries a derivative/,
    )
  })

  test('splat2d has a larger picture, and a demo without one says so', () => {
    const text = run('demo', 'splat2d', '--large', '--steps', '2', '-o', join(out, 'large'))
    expect(text).toContain('2000 Gaussians, 256x256 pixels, 2 steps on CPU')
    const { status, stderr } = fail('demo', 'brdf', '--large', '-o', join(out, 'brdf-large'))
    expect(status).toBe(2)
    expect(stderr).toContain('brdf has one size only; --large is for splat2d (256x256 pixels, 2,000 Gaussians)')
  })

  test('a demo that cannot write says so', () => {
    const { status, stderr } = fail('demo', 'brdf', '--steps', '1', '-o', join(root, 'package.json'))
    expect(stderr).toContain('package.json cannot be written')
    expect(status).toBe(2)
  })

  test('diagnostics come as JSON when asked', () => {
    const { stderr } = fail('compile', join('tests', 'examples', 'broken.slang'), '--diagnostics', 'json')
    expect(JSON.parse(stderr.split('\n')[0]!)).toMatchObject({ severity: 'error', line: 3 })
  })
})
