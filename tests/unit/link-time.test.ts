/** Constants and types that one module asks for and another one exports. */
import { expect, test } from 'vitest'
import { compile, type Program } from '../../src/index.ts'
import { evaluate } from '../support/js-run.ts'

const shading = `
module shading;
public interface IShape { [Differentiable] float area(float r); }
public struct Square : IShape { [Differentiable] float area(float r) { return r * r; } }
extern static const int sides = 4;
extern struct Shape : IShape = Square;
[Differentiable] public float measured(float r) { Shape s; float sum = 0; [ForceUnroll] for (int i = 0; i < sides; i++) sum += s.area(r); return sum; }
public float[sides] row() { float[sides] r; for (int i = 0; i < sides; i++) r[i] = i; return r; }
`
const main = `
export float area(float r) { return measured(r); }
export float slope(float r) { var p = diffPair(r); bwd_diff(measured)(p, 1.0); return p.d; }
export int last() { return int(row()[countof(row()) - 1]); }
`

function build(source: string, files: Readonly<Record<string, string>>): Program {
  return compile(source, { fileName: 'main.slang', files: { 'shading.slang': shading, ...files }, verify: true })
}

/** Area of 3, its slope, and how many the last is. */
function numbers(program: Program): readonly unknown[] {
  expect(program.diagnostics).toEqual([])
  const js = evaluate(program.js().code)
  return [js['area']!(3), js['slope']!(3), js['last']!()]
}

test('defaults hold where nothing is exported', () => {
  expect(numbers(build(`import shading;${main}`, {}))).toEqual([36, 24, 3])
})

test('what an imported module exports holds instead', () => {
  const cubes = `
import shading;
export static const int sides = 2;
public struct Cube : IShape { [Differentiable] float area(float r) { return r * r * r; } }
export struct Shape : IShape = Cube;`
  expect(numbers(build(`import shading; import cubes;${main}`, { 'cubes.slang': cubes }))).toEqual([54, 54, 1])
})

test('what the program itself exports holds, a struct under the very name too', () => {
  const own = `
export static const int sides = 1 + 2;
export struct Shape : IShape { [Differentiable] float area(float r) { return 10 * r; } }`
  expect(numbers(build(`import shading;${own}${main}`, {}))).toEqual([90, 30, 2])
})

test.each([
  [
    'E45001',
    'nothing defines it',
    'extern struct Other : IShape; extern static const float scale; public float f() { return scale; }',
    {},
  ],
  [
    'E45001',
    'nothing defines a type that is named for its methods',
    'interface IOp { static float apply(float x); } extern struct Op : IOp; public float f(float x) { return Op.apply(x); }',
    {},
  ],
  ['E38029', 'it does not conform', 'export struct Shape { [Differentiable] float area(float r) { return r; } }', {}],
  [
    'E30200',
    'two modules export it',
    'import one; export static const int sides = 5;',
    { 'one.slang': 'export static const int sides = 6;' },
  ],
])('%s: %s', (code, _, source, files) => {
  const list = build(`import shading; ${source}${main}`, files).diagnostics
  expect(new Set(list.map(d => d.code))).toEqual(new Set([code]))
})
