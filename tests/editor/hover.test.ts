/** What an editor shows of a name; `‸` stands where the pointer is. */
import { describe, expect, test } from 'vitest'
import { hover } from '../../src/editor/hover.ts'
import { cursor, placeAt } from '../support/editor-place.ts'

function shown(source: string, files: Readonly<Record<string, string>> = {}): string | undefined {
  return hover(placeAt(source, files))?.contents.value
}

/** The program with the cursor in front of the first text like that. */
function at(source: string, text: string, skip = 0): string {
  const i = source.indexOf(text) + skip
  if (i < skip) throw new Error(`${text} is not in the program`)
  return source.slice(0, i) + cursor + source.slice(i)
}

const code = (text: string): string => `\`\`\`slang\n${text}\n\`\`\``

const whole = `/// A ray.
struct Ray : IDifferentiable
{
    float3 origin;
    no_diff float tmax;
    int id;
    /** The point at a distance.
     * @param t the distance
     */
    [Differentiable] float3 at(float t) { return origin * t; }
}
static const int N = 3 * 4;
enum Color { Red, Green = 5 }
/* 𝛿 */ float helper(float x) { return x; }
[Differentiable] float f(float x, no_diff float k = 2) { return x * k; }
float g(float x) { return helper(x) + f(x, 1.0); }
[numthreads(N, 1, 1)] void main(uint3 id : SV_DispatchThreadID)
{
    Ray r;
    r.id = 1;
    let q = r.at(2.0).xy;
    DifferentialPair<float> p = diffPair(lerp(1.0, 2.0, 0.5), 0.0);
    bwd_diff(f)(p, 2.0, 1.0);
    Color c = Color.Green;
    const int local = N + 1;
}
`

// Only half of it can be read, and the rest still means what it means.
const broken = whole
  .replace('    r.id = 1;\n', '    r.id = 1;\n    float z = (r.\n    foo(;\n')
  .replace('float g(float x) { return', 'float g(float x { return')

describe.each([
  ['a whole program', whole],
  ['a broken one', broken],
])('of %s', (what, program) => {
  test('a type: its doc comment, its size and its differential', () => {
    expect(shown(at(program, 'Ray r;'))).toBe(
      [
        code('struct Ray : IDifferentiable'),
        '*struct* · line 2',
        'A ray.',
        '32 bytes in a buffer, aligned to 16.',
        code(
          'struct Ray.Differential\n{\n    float3 origin;\n    // without tmax: no_diff\n    // without id: int carries no derivative\n}',
        ),
      ].join('\n\n'),
    )
  })

  test('a field: its place', () => {
    expect(shown(at(program, 'id = 1'))).toContain('4 bytes at offset 16 in a buffer.')
  })

  test('a method: its doc comment with its parameters', () => {
    const text = shown(at(program, 'at(2.0'))
    expect(text).toContain(code('float3 Ray.at(float t)'))
    expect(text).toContain('The point at a distance.\n\n- `t`: the distance')
    expect(text).toContain('Differentiable, forward and backward.')
  })

  test('constants: their values', () => {
    expect(shown(at(program, 'N + 1'))).toContain(code('static const int N = 12'))
    expect(shown(at(program, 'local ='))).toContain(code('const int local = 13'))
    expect(shown(at(program, 'Green;'))).toContain(code('Color.Green = 5'))
  })

  test('a function of the library: its doc comment and what its type parameters are', () => {
    const text = shown(at(program, 'lerp('))
    expect(text).toContain(code('T lerp<T : __Lanewise>(T x, T y, T s)'))
    expect(text).toContain('core library')
    expect(text).toContain('The straight line from `x` at 0 to `y` at 1.')
    expect(text).toContain('Here `T = float`.')
  })

  test('a derivative: its signature', () => {
    expect(shown(at(program, 'bwd_diff'))).toContain(
      code('void bwd_diff(f)(inout DifferentialPair<float> x, float k, float resultGradient)'),
    )
  })

  test('what has no declaration', () => {
    expect(shown(at(program, 'xy;'))).toContain(code('float2 xy'))
    expect(shown(at(program, 'float tmax'))).toContain(code('typealias float.Differential = float;'))
    expect(shown(at(program, 'numthreads'))).toContain('The number of threads in a group')
    expect(shown(at(program, 'return x * k'))).toContain('Leaves the function')
  })

  test('nothing on literals, operators and in comments', () => {
    for (const text of ['3 * 4', '* 4', ' A ray', '{ return x * k', '𝛿'])
      expect(shown(at(program, text, text === ' A ray' ? 1 : 0))).toBeUndefined()
  })

  if (what === 'a broken one') return
  test('why a function is not differentiable', () => {
    const text = shown(at(program, 'g(float x)'))
    expect(text).toContain(
      'Not differentiable:\n- g is not marked [Differentiable]\n- it calls helper (line 16), which is not differentiable\n  - helper is not marked',
    )
  })
})

test('the range is that of the name, in UTF-16', () => {
  const place = placeAt('/* 𝛿 */ float abc‸d(float x) { return x; }')
  expect(hover(place)?.range).toEqual({ start: { line: 0, character: 15 }, end: { line: 0, character: 19 } })
})

test('a macro: its definition and what it stands for', () => {
  const text = shown('#define SQR(x) ((x) * (x))\nfloat f(float a) { return SQ‸R(a + 1); }')
  expect(text).toContain(code('#define SQR(x) ((x) * (x))'))
  expect(text).toContain(code('((a + 1) * (a + 1))'))
  expect(shown('float f() { return ‸N; }\n', {})).toBeUndefined()
})

test('a name of another file: where it is declared', () => {
  const files = { '/lib.slang': '\n/// Twice.\npublic float twice(float x) { return 2 * x; }' }
  const text = shown('import lib;\nfloat f(float a) { return tw‸ice(a); }', files)
  expect(text).toContain('[lib.slang:3](file:///lib.slang#L3)')
  expect(text).toContain('Twice.')
})

test('an import and an include: the file that was found', () => {
  const files = { '/lib/tools.slang': 'module tools;', '/lib/n.h': '' }
  const [lib, header] = ['[tools.slang](file:///lib/tools.slang)', '[n.h](file:///lib/n.h)']
  expect(shown('import lib.to‸ols;', files)).toBe(`*file* · ${lib}\n\n\`/lib/tools.slang\``)
  expect(shown('#include "li‸b/n.h"\n', files)).toBe(`*file* · ${header}\n\n\`/lib/n.h\``)
  expect(shown('import mis‸sing;', files)).toBeUndefined()
})

test('a member of a generic type: what it is here', () => {
  const box = 'struct Box<T> { T held; T take() { return held; } }\n'
  const text = (name: string): string | undefined =>
    shown(at(`${box}float3 f(Box<float3> b) { return b.held + b.take(); }`, name, name.length > 2 ? 2 : 0))
  expect(text('b.held')).toContain('*field* · line 1\n\nHere of type `float3`.')
  expect(text('b.take')).toContain('Here `T = float3`.')
  expect(shown(at(`${box}T g<T>(Box<T> b) { return b.held; }`, 'b.held', 2))).not.toContain('Here')
})

test('an operator and a subscript of the program: the function that they call', () => {
  const vec = `struct V { float x; __subscript(int i) -> float { get { return x; } } }
V operator+(V a, V b) { return a; }
`
  const main = 'float f(V v) { return (v + v)[0] + 1.0; }'
  expect(shown(at(vec + main, '+ v'))).toContain(code('V operator+(V a, V b)'))
  expect(shown(at(vec + main, '[0]'))).toContain('*subscript* · line 1')
  expect(shown(at(vec + main, '+ 1.0'))).toBeUndefined()
  expect(shown(at(`${vec}V f(V v) { return v /* - */ + v; }`, '- */'))).toBeUndefined()
})

test('a lambda: what it takes and gives, for its type has no name', () => {
  const text = shown(
    'int f(float x) { let scaled = (float a, int2 b) => int(a * x) + b.x; return sca‸led(x, int2(1)); }',
  )
  expect(text).toContain(code('const (float, int2) -> int scaled'))
})
