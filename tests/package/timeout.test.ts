/** Commands that take too long: `--timeout` and Ctrl-C end them, whatever they are doing. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'

const cli = join(import.meta.dirname, '../../dist/cli.js')
const dir = mkdtempSync(join(tmpdir(), 'cotangent-'))
afterAll(() => rmSync(dir, { recursive: true }))
const file = join(dir, 'loop.slang')
writeFileSync(
  file,
  `
public float forever(float x) { printf("in\\n"); float s = 0.0; while (x > 0.0) s += 1.0; return s; }
[Differentiable] public float longer(float x) { float s = x; for (int i = 0; i < 1000000000; i++) { if (i == 0) printf("in\\n"); s = sin(s); } return s; }
public float short(float x) { return x + 1.0; }`,
)

const call = (
  ...args: string[]
): { readonly status: number | null; readonly stdout: string; readonly stderr: string } =>
  spawnSync(process.execPath, [cli, ...args], { encoding: 'utf8', timeout: 60_000 })

describe('--timeout', () => {
  // A check bounds the trips of loops, so nothing goes on for ever there: only a time that no check can keep ends it.
  it.each([
    ['1.5', 'run', file, '--fn', 'forever', '1'],
    ['1.5', 'grad', file, '--fn', 'longer', '1'],
    ['0.01', 'check', file],
  ])('after %s seconds ends %s', (seconds, ...args) => {
    const { status, stderr } = call(...args, '--timeout', seconds)
    expect(status).toBe(124)
    expect(stderr).toContain(`cotangent: ${args[0]} was ended after ${seconds} seconds, as --timeout asks\n`)
  })

  it('leaves alone what ends before', () => {
    expect(call('run', file, '--fn', 'short', '1', '--timeout', '50')).toMatchObject({
      status: 0,
      stdout: '2\n',
      stderr: '',
    })
    expect(call('run', file, '--fn', 'none', '1', '--timeout', '50').status).toBe(1)
    expect(call('run', file, '--fn', 'short', 'x', '--timeout', '50').status).toBe(2)
  })

  it.each(['0', '-1', 'x', 'NaN', 'Infinity', '1e9', ''])('refuses %j', seconds => {
    expect(call('run', file, '--fn', 'short', '1', '--timeout', seconds)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('a positive number of seconds is needed') as string,
    })
  })
})

describe('Ctrl-C', () => {
  it.each([[[]], [['--timeout', '600']]])(
    'ends a program at once, with %j',
    async more => {
      const child = spawn(process.execPath, [cli, 'run', file, '--fn', 'forever', '1', ...more], {
        stdio: ['ignore', 'inherit', 'pipe'],
      })
      const ended = new Promise(resolve =>
        child.on('exit', (code, signal) => {
          resolve(signal ?? code)
        }),
      )
      await new Promise(resolve => child.stderr.once('data', resolve))
      child.kill('SIGINT')
      expect(await ended).toBe('SIGINT')
    },
    60_000,
  )
})
