/** `--diagnostics json` and `--json`: whatever goes wrong, standard error holds one JSON object a line. */
import { describe, expect, it } from 'vitest'
import { commandLine } from '../support/command-line.ts'

const { at, call } = commandLine()

at(
  'good.slang',
  '[Differentiable] public float f(float x) { return x * x; }\npublic void stuck(int x) { for (;;) x++; }\n',
)
at('bad.slang', 'float f() { return y; }\n')
at('binary.slang', String.fromCharCode(...Array.from({ length: 900 }, (_, i) => i % 32)))
at('project.json', '{ "x": 1 }')
at('args.json', '[1, ]')
at('wrong.json', '["x"]')

interface Line {
  readonly severity: string
  readonly code: string
  readonly message: string
  readonly file?: string
  readonly line?: number
  readonly help?: string
}

/** The objects of standard error: anything else there fails the test. */
function lines(stderr: string): Line[] {
  return stderr
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as Line)
}

describe('--diagnostics json', () => {
  it.each([
    [1, 'E30015', 'compile bad.slang'],
    [1, 'E30015', 'run bad.slang --fn f'],
    [1, 'E30015', 'check bad.slang'],
    [1, 'E30015', 'explain bad.slang'],
    [2, 'E50300', 'comple good.slang'],
    [2, 'E50300', 'compile'],
    [2, 'E50300', 'compile good.slang --nothing'],
    [2, 'E50300', 'compile good.slang --target spirv'],
    [2, 'E50300', 'compile good.slang --target wgsl --target js'],
    [2, 'E50300', 'compile good.slang -D 1x'],
    [2, 'E50300', 'compile good.slang --dump-ir nothing'],
    [2, 'E50300', 'compile - --watch'],
    [2, 'E50300', 'run good.slang'],
    [2, 'E50300', 'check good.slang --samples 0'],
    [2, 'E50300', 'demo nothing'],
    [2, 'E50300', 'completion csh'],
    [2, 'E50301', 'compile none.slang'],
    [2, 'E50301', 'compile binary.slang'],
    [2, 'E50301', 'compile good.slang --project none.json'],
    [2, 'E50301', 'run good.slang --fn f @none.json'],
    [2, 'E50302', 'compile good.slang --target js -o /none/x.js'],
    [2, 'E50302', 'demo brdf --steps 1 -o good.slang/x'],
    [2, 'E50212', 'compile good.slang --project project.json'],
    [2, 'E50303', 'run good.slang --fn f x'],
    [2, 'E50303', 'run good.slang --fn f'],
    [2, 'E50303', 'run good.slang --fn f [1,2]'],
    [2, 'E50303', 'grad good.slang --fn f 1 --cotangent [1]'],
    [2, 'E50303', 'run good.slang --fn f @wrong.json'],
    [2, 'E50210', 'run good.slang --fn f @args.json'],
    [1, 'E38001', 'run good.slang --fn nothing 1'],
    [1, 'E50304', 'run good.slang --fn stuck 1'],
    [1, 'E50304', 'check good.slang --fn nothing'],
    [1, 'E50304', 'explain good.slang'],
    [1, 'E50304', 'grad good.slang --fn stuck 1'],
    [124, 'E50305', 'check good.slang --samples 100000000 --timeout 0.2'],
  ] as const)('ends in %i with %s: %s', (status, code, text) => {
    const found = call([...text.split(' '), '--diagnostics', 'json'])
    expect(found.stdout).toBe('')
    expect(lines(found.stderr)).toEqual([expect.objectContaining({ severity: 'error', code })])
    expect(found.status).toBe(status)
  })

  it('names files and places', () => {
    const of = (...args: string[]): Line => lines(call([...args, '--diagnostics=json']).stderr)[0]!
    expect(of('compile', 'none.slang')).toEqual({
      severity: 'error',
      code: 'E50301',
      message: 'none.slang: no such file',
      file: 'none.slang',
    })
    expect(of('compile', 'good.slang', '--project', 'project.json')).toMatchObject({
      file: 'project.json',
      line: 1,
      column: 3,
    })
    expect(of('run', 'good.slang', '--fn', 'f', '@wrong.json')).toMatchObject({
      file: 'wrong.json',
      line: 1,
      column: 2,
    })
    expect(of('compile', 'good.slang', '--taget', 'js').help).toBe('did you mean --target?')
  })

  it('is asked for by --json too, and --diagnostics text declines', () => {
    const said = (...args: string[]): string => call(['run', 'bad.slang', '--fn', 'f', ...args]).stderr
    expect(lines(said('--json'))).toEqual([expect.objectContaining({ code: 'E30015' })])
    expect(said('--json', '--diagnostics', 'text')).toMatch(/^bad\.slang:1:20: error E30015/)
    expect(call(['run', 'good.slang', '--fn', 'f', '--', '--json']).stderr).toMatch(
      /^cotangent: argument 1 is not JSON/,
    )
    expect(call(['run', 'good.slang', '--fn', 'f', '3', '--json'])).toMatchObject({
      status: 0,
      stdout: '{"result":9,"out":{}}\n',
      stderr: '',
    })
  })

  it('tells the time of phases as an object, and leaves out remarks', () => {
    const { stderr } = call(['compile', 'good.slang', '--time', '--diagnostics', 'json'])
    expect(JSON.parse(stderr)).toMatchObject({ event: 'time', phases: { total: expect.any(Number) } })
    expect(call(['compile', 'good.slang']).stderr).toContain('has no entry point')
  })

  it.runIf(process.platform === 'linux')('says that output cannot be written', () => {
    const { status, stderr } = call([
      'compile',
      'good.slang',
      '--target',
      'js',
      '-o',
      '/dev/full',
      '--diagnostics',
      'json',
    ])
    expect([status, lines(stderr)]).toEqual([2, [expect.objectContaining({ code: 'E50302', file: '/dev/full' })]])
  })
})
