/** Arguments of functions from files. */
import { describe, expect, it } from 'vitest'
import { commandLine } from '../support/command-line.ts'

const { at, call } = commandLine()

at(
  'f.slang',
  `struct S : IDifferentiable { float a; float b[2]; }
[Differentiable] public float f(S s, float2 v) { return s.a * v.x + s.b[1] * v.y; }
[Differentiable] public float2 twice(float2 v) { return v * 2; }
public float first(float x[1]) { return x[0]; }
public int64_t next(int64_t x) { return x + 1; }
public float three() { return 3; }
public float apart(float x, out float y) { y = x; return x; }
`,
)
const run = (...args: string[]): ReturnType<typeof call> => call(['run', 'f.slang', '--fn', ...args])

describe('@FILE', () => {
  it('holds all arguments, as a list or as an object by name', () => {
    at('list.json', '[{ "a": 2, "b": [3, 4] }, [5, 6]]')
    at('named.json', '\ufeff{ "v": [5, 6], "s": { "a": 2, "b": [3, 4] } }')
    at('none.json', '[]')
    at('x.json', '{ "x": 7 }')
    expect(run('f', '@list.json')).toMatchObject({ status: 0, stdout: '34\n', stderr: '' })
    expect(run('f', '@named.json').stdout).toBe('34\n')
    expect(run('three', '@none.json').stdout).toBe('3\n')
    expect(run('apart', '@x.json').stdout).toBe('7\ny = 7\n')
    expect(call(['grad', 'f.slang', '--fn', 'f', '@named.json', '--json']).stdout).toBe(
      '{"value":34,"grad":{"s":{"a":5,"b":[0,6]},"v":[2,4]}}\n',
    )
  })

  it('holds one argument among others, and of one parameter also that alone', () => {
    at('s.json', '{ "a": 2, "b": [3, 4] }')
    at('v.json', '[5, 6]')
    at('vs.json', '[[5, 6]]')
    at('vn.json', '{ "v": [5, 6] }')
    at('one.json', '[[8]]')
    at('wide.json', '9007199254740993')
    expect(run('f', '@s.json', '[5, 6]').stdout).toBe('34\n')
    expect(run('f', '@s.json', '@v.json').stdout).toBe('34\n')
    for (const file of ['v', 'vs', 'vn']) expect(run('twice', `@${file}.json`).stdout).toBe('[10,12]\n')
    expect(run('first', '@one.json').stdout).toBe('8\n')
    expect(run('next', '@wide.json').stdout).toBe('9007199254740994\n')
    expect(call(['grad', 'f.slang', '--fn', 'twice', '--cotangent', '@v.json', '[1, 1]']).stdout).toBe(
      'value = [2,2]\nd/dv = [10,12]\n',
    )
  })

  it('shows mistakes at their place', () => {
    const wrong = (text: string, ...args: string[]): string => {
      at('wrong.json', text)
      const { status, stdout, stderr } = args.length > 0 ? call(args) : run('f', '@wrong.json')
      expect([status, stdout]).toEqual([2, ''])
      return stderr
    }
    expect(wrong('[1,\n  tru]')).toBe(
      'wrong.json:2:3: error E50210: this is not JSON: expected a name or a string in double quotes, a number, true, false, null, a list or an object\n    tru]\n    ^~~\n',
    )
    expect(wrong('[1, 2,]')).toContain('wrong.json:1:7: error E50210: this is not JSON: expected a value')
    expect(wrong('[1] // x')).toContain('expected no comment here')
    expect(wrong('[1, 2, 3]')).toContain('wrong.json:1:1: error E50303: f takes 2 arguments (s, v), but 3 came\n')
    expect(wrong('7')).toContain('expected a list of them, or an object by their names (s, v)')
    expect(wrong('{ "s": 1, "w": [1, 2] }')).toBe(
      'wrong.json:1:11: error E50303: f has no parameter w\n  { "s": 1, "w": [1, 2] }\n            ^~~\nnote: there are s, v\n',
    )
    expect(wrong('{ "v": [1, 2] }')).toContain('wrong.json:1:1: error E50303: f also takes s\n')
    expect(wrong('[{ "a": 1,\n "b": [1, "x"] }, [1, 2]]')).toBe(
      'wrong.json:2:11: error E50303: s.b[1]: expected a number, but the text "x" came\n   "b": [1, "x"] }, [1, 2]]\n            ^~~\n',
    )
    expect(wrong('{ "s": { "a": 1, "b": [1, 2] },\n "v": [1, 2, 3] }')).toContain(
      'wrong.json:2:7: error E50303: v: expected 2 numbers',
    )
    expect(wrong('[1, "x"]', 'run', 'f.slang', '--fn', 'f', '@s.json', '@wrong.json')).toContain(
      'wrong.json:1:5: error E50303: v[1]: expected a number',
    )
    expect(wrong('[1]', 'grad', 'f.slang', '--fn', 'twice', '--cotangent', '@wrong.json', '[1, 1]')).toContain(
      'wrong.json:1:1: error E50303: --cotangent: expected 2 numbers',
    )
    expect(wrong('', 'run', 'f.slang', '--fn', 'f', '@')).toContain('argument 1: a file is missing after @')
    expect(wrong('', 'run', 'f.slang', '--fn', 'f', '@gone.json')).toBe('cotangent: gone.json: no such file\n')
    expect(wrong('[['.repeat(200_000))).toContain('error E50210')
  })
})
