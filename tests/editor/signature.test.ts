/** The signatures of the function that is being called; `‸` stands where the cursor is. */
import { describe, expect, test } from 'vitest'
import { signatureHelp } from '../../src/editor/signature.ts'
import { cursor, placeAt } from '../support/editor-place.ts'

/** The active signature with its active parameter in brackets, and how many others there are. */
function shown(source: string): string | undefined {
  const help = signatureHelp(placeAt(source))
  if (help === undefined) return undefined
  const { label, parameters } = help.signatures[help.activeSignature]!
  const at = parameters[help.activeParameter]?.label
  const others = help.signatures.length === 1 ? '' : ` +${help.signatures.length - 1}`
  return (at === undefined ? label : `${label.slice(0, at[0])}[${label.slice(...at)}]${label.slice(at[1])}`) + others
}

const prelude = `#define SQR(x, y) ((x) * (y))
struct Ray : IDifferentiable
{
    float3 origin;
    float tmax;
    [Differentiable] float at(float t, no_diff int n) { return t; }
    static Ray make(float3 o) { return {}; }
}
struct Made { float v; __init(float a, float b) { v = a; } __init(int n) { v = n; } }
struct Box<T> { T value; T put(T other, int count) { return other; } }
struct Fn { float operator()(float first, int second) { return first; } }
/// A mean.
/// @param a the first
/// @param b the other
[Differentiable] float f(float a, float b = 2) { return a + b; }
float over(int one) { return 1; }
float over(float one, float two) { return 1; }
float over(float3 one, float two) { return 1; }
T gen<T : IDifferentiable>(T first, T second) { return first; }
namespace ns { float inner(float depth, float other) { return depth; } }
static const float K = 1;
`
const inFunction = (statement: string): string =>
  `${prelude}void g(Ray r, Box<float3> box, Fn fn, float3 v)\n{\n    int local = 1;\n    ${statement}\n}\nfloat later(float x) { return x; }\n`

const documents: readonly (readonly [string, (statement: string) => string])[] = [
  ['a whole program', inFunction],
  ['a broken one', s => `${inFunction(s).replace('K = 1;', 'K = ;')}\nfloat broken( { return `],
  ['one with characters of two units', s => inFunction(`/* 𝛿𝛿 */ ${s}`)],
]

describe.each(documents)('in %s', (_, at) => {
  test.each([
    ['f(‸', 'float f([float a], float b = 2)'],
    ['f(‸);', 'float f([float a], float b = 2)'],
    ['f(1, ‸', 'float f(float a, [float b = 2])'],
    ['f(1, ‸);', 'float f(float a, [float b = 2])'],
    ['f(1‸, 2);', 'float f([float a], float b = 2)'],
    ['f(local‸', 'float f([float a], float b = 2)'],
    ['f(local + ‸', 'float f([float a], float b = 2)'],
    ['float y = 1 + f(1, local.‸\n    local = 2;', 'float f(float a, [float b = 2])'],
    ['f(f(1, 2), ‸', 'float f(float a, [float b = 2])'],
    ['f(1, ns::inner(2, ‸', 'float ns::inner(float depth, [float other])'],
    ['f(ns::inner(2, 3), f(1, 2)‸', 'float f(float a, [float b = 2])'],
    ['f(vector<float, 3>(1).x, ‸', 'float f(float a, [float b = 2])'],
    ['over(‸', 'float over([int one]) +2'],
    ['over(1.0, ‸', 'float over(float one, [float two]) +2'],
    ['over(v, ‸', 'float over(float3 one, [float two]) +2'],
    ['over(v‸, 1.0);', 'float over([float3 one], float two) +2'],
    ['gen(1.0, ‸', 'T gen<T : IDifferentiable>(T first, [T second])'],
    ['lerp(1.0, ‸', 'T lerp<T : __Lanewise>(T x, [T y], T s)'],
    ['r.at(‸', 'float Ray.at([float t], no_diff int n)'],
    ['r.at(1, ‸', 'float Ray.at(float t, [no_diff int n])'],
    ['Ray.make(‸', 'static Ray Ray.make([float3 o])'],
    ['box.put(v, ‸', 'float3 Box.put(float3 other, [int count])'],
    ['Ray q = Ray(‸', 'Ray([float3 origin], float tmax)'],
    ['Made m = Made(1.0, ‸', 'Made(float a, [float b]) +1'],
    ['float3(1, ‸', 'float3(float x, [float y], float z) +1'],
    ['fn(1, ‸', 'float Fn.operator()(float first, [int second])'],
    [
      'bwd_diff(f)(‸',
      'void bwd_diff(f)([inout DifferentialPair<float> a], inout DifferentialPair<float> b, float resultGradient)',
    ],
    [
      'bwd_diff(f)(a, b, ‸',
      'void bwd_diff(f)(inout DifferentialPair<float> a, inout DifferentialPair<float> b, [float resultGradient])',
    ],
    ['fwd_diff(f)(‸', 'DifferentialPair<float> fwd_diff(f)([DifferentialPair<float> a], DifferentialPair<float> b)'],
    [
      'bwd_diff(r.at)(‸',
      'void bwd_diff(Ray.at)([inout DifferentialPair<Ray> this], inout DifferentialPair<float> t, int n, float resultGradient)',
    ],
    ['SQR(1, ‸', 'SQR(x, [y])'],
    ['if (f(‸', 'float f([float a], float b = 2)'],
    ['for (int i = 0; i < f(1, ‸', 'float f(float a, [float b = 2])'],
    ['return f(‸', 'float f([float a], float b = 2)'],
    ['later(‸', 'float later([float x])'],
  ])('%s', (statement, expected) => {
    expect(shown(at(statement))).toBe(expected)
  })

  test.each(['‸', 'f(1)‸;', 'local = 1‸;', '(1 + ‸', 'if (‸', 'f(1 // ‸', 'unknown(‸', 'v.x‸'])(
    'none: %s',
    statement => {
      expect(shown(at(statement))).toBeUndefined()
    },
  )
})

test('outside of bodies', () => {
  expect(shown(`${prelude}static const float L = lerp(1.0, ‸\nfloat h() { return 1; }`)).toContain('[T y]')
  expect(shown(`${prelude}static const float L = lerp(1.0, ‸);\nfloat h() { return 1; }`)).toContain('[T y]')
})

test('doc comments of the function and its parameters', () => {
  const help = signatureHelp(placeAt(inFunction('f(1, ‸')))!
  const [signature] = help.signatures
  expect(signature?.documentation?.value).toBe('A mean.\n\n- `a`: the first\n- `b`: the other')
  expect(signature?.parameters.map(p => p.documentation?.value)).toEqual(['the first', 'the other'])
})

test('the cursor may stand anywhere', () => {
  const source = inFunction('float y = r.at(1, 2) + f(v.x, bwd_diff(f)(1)); // end')
  for (let i = 0; i <= source.length; i++) {
    const place = placeAt(source.slice(0, i) + cursor + source.slice(i))
    expect(() => signatureHelp(place)).not.toThrow()
    expect(place.analysis.faults).toEqual([])
  }
})
