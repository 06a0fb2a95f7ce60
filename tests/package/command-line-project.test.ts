/** The project file of the command line: where it is looked for, what overrides it, and how its mistakes end a command. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { commandLine } from '../support/command-line.ts'

const { at, call, dir, root } = commandLine()

const scaled = 'import lib;\npublic float f(float x) { return x * SCALE + one(); }\n'
at('app/shaders/deep/scaled.slang', scaled)
at('app/lib/lib.slang', 'public float one() { return 1; }\n')
at('other/lib.slang', 'public float one() { return 100; }\n')
at('app/cotangent.json', '{ "searchPaths": ["lib"], "defines": { "SCALE": 3 } }')
const source = 'app/shaders/deep/scaled.slang'
const run = (...args: string[]): string => call(['run', source, '--fn', 'f', '2', ...args]).stdout

describe('the project file', () => {
  it('is the nearest one upwards from the source, and its paths are relative to it', () => {
    expect(run()).toBe('7\n')
    expect(call(['run', 'shaders/deep/scaled.slang', '--fn', 'f', '2'], { cwd: `${dir}/app` }).stdout).toBe('7\n')
    expect(call(['run', '-', '--fn', 'f', '2'], { cwd: `${dir}/app/shaders`, input: scaled }).stdout).toBe('7\n')
    at('app/shaders/deep/cotangent.json', '{ "searchPaths": ["../../lib"], "defines": { "SCALE": 10 } }')
    expect(run()).toBe('21\n')
    expect(run('--project', 'app/cotangent.json')).toBe('7\n')
    at('app/shaders/deep/cotangent.json', '{}')
    expect(call(['run', source, '--fn', 'f', '2']).stderr).toContain('cannot open module lib')
    at('app/shaders/deep/cotangent.json', '{ "searchPaths": ["../../lib"], "defines": { "SCALE": 10 } }')
  })

  it('gives way to options', () => {
    expect(run('-D', 'SCALE=5')).toBe('11\n')
    expect(run('-I', 'other')).toBe('120\n')
    expect(run('-D', 'SCALE=5', '-I', 'other')).toBe('110\n')
    expect(call(['run', source, '--fn', 'f', '2', '--no-project']).stderr).toContain('cannot open module lib')
    expect(run('--no-project', '-D', 'SCALE=5', '-I', 'other')).toBe('110\n')
  })

  it('says which entry points to compile, how matrices lie, and how much a reverse pass keeps', () => {
    const kernels = at(
      'layout/k.slang',
      'RWStructuredBuffer<float2x3> o;\nRWStructuredBuffer<float> p;\n[shader("compute")] [numthreads(1,1,1)] void a() { o[0][0][1] = 1; }\nvoid b() { p[0] = 2; }\n',
    )
    const project = (text: string): string => at('layout/cotangent.json', text)
    const wgsl = (...args: string[]): string => call(['compile', kernels, ...args]).stdout
    project('{ "entries": [{ "name": "b", "stage": "vertex" }, "a"] }')
    expect(call(['compile', kernels]).stderr).toContain('error')
    project('{ "entries": ["a"] }')
    const rows = wgsl()
    expect(rows).toContain('fn a(')
    project('{ "entries": ["a"], "matrixLayout": "column-major" }')
    expect(wgsl()).not.toBe(rows)
    expect(wgsl('--matrix-layout', 'row-major')).toBe(rows)
    project('{ "entries": ["none"] }')
    expect(call(['compile', kernels])).toMatchObject({ status: 1, stderr: expect.stringContaining('none') })
    expect(wgsl('--entry', 'a')).toBe(rows)
    // Only compile makes entry points: the other commands take functions by name.
    expect(call(['check', kernels]).status).toBe(0)
    const loop = at('budget/spring.slang', readFileSync(join(root, 'examples/spring/spring.slang'), 'utf8'))
    const explain = (...args: string[]): string => call(['explain', loop, '--fn', 'loss', ...args]).stdout
    const free = explain()
    at('budget/cotangent.json', '{ "maxContext": 100 }')
    const tight = explain()
    expect(tight).not.toBe(free)
    expect(tight).toBe(explain('--no-project', '--max-context', '100'))
    expect(explain('--max-context', '100000')).toBe(explain('--no-project', '--max-context', '100000'))
  })

  it('with mistakes ends the command in status 2, with their places', () => {
    at('wrong/x.slang', 'public float f(float x) { return x; }\n')
    at('wrong/cotangent.json', '{ "searchPath": [] }\n')
    expect(call(['run', 'wrong/x.slang', '--fn', 'f', '1'])).toMatchObject({
      status: 2,
      stdout: '',
      stderr:
        'wrong/cotangent.json:1:3: error E50212: cotangent.json has no option searchPath\n  { "searchPath": [] }\n    ^~~~~~~~~~~~\nnote: did you mean searchPaths?\n',
    })
    // Once, however many sources it is for.
    at('wrong/y.slang', 'public float f(float x) { return x; }\n')
    const { status, stderr } = call(['compile', 'wrong/x.slang', 'wrong/y.slang', '--target', 'js', '-o', 'out'])
    expect([status, stderr.match(/E50212/g)?.length]).toEqual([2, 1])
    expect(call(['run', 'wrong/x.slang', '--fn', 'f', '1', '--no-project']).stdout).toBe('1\n')
    expect(call(['run', 'wrong/x.slang', '--fn', 'f', '1', '--project', 'none.json'])).toMatchObject({
      status: 2,
      stderr: 'cotangent: none.json: no such file\n',
    })
  })
})
