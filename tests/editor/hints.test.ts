/** Hints of parameters' names and of types, as they show in the text. */
import { expect, test } from 'vitest'
import { hints, type HintOptions } from '../../src/editor/hints.ts'
import { offsetOf, type Range } from '../../src/editor/range.ts'
import { cursor, placeAt } from '../support/editor-place.ts'

const everything: Range = { start: { line: 0, character: 0 }, end: { line: 1e6, character: 0 } }

/** The text with its hints in brackets. */
function shown(source: string, options: HintOptions = {}, range = everything): string {
  const { analysis, file } = placeAt(source + cursor)
  let { text } = file
  for (const hint of hints(analysis, file.name, range, options).toReversed()) {
    const at = offsetOf(file, hint.position)
    text = `${text.slice(0, at)}[${hint.label}]${text.slice(at)}`
  }
  return text
}

const prelude =
  'float blend(float scale, float other, float x) { return x; }\nstruct Ray { float3 dir; float far; __init(float3 dir, float far) { this.dir = dir; this.far = far; } float at(float t, int count) { return t; } }\n'
const inFunction = (body: string): string =>
  `${prelude}void g(Ray ray, float scale, float lightScale)\n{\n    ${body}\n}\n`

test.each([
  ['blend(1, 2, 3);', 'blend([scale:]1, [other:]2, 3);'],
  ['blend(scale, lightScale, 3);', 'blend(scale, [other:]lightScale, 3);'],
  ['blend(lightScale, ray.far, 3);', 'blend(lightScale, [other:]ray.far, 3);'],
  ['float y = ray.at(1, 2);', 'float y = ray.at(1, [count:]2);'],
  ['sqrt(2.0);', 'sqrt(2.0);'],
  ['/* 𝛿 */ blend(1, 2, 3);', '/* 𝛿 */ blend([scale:]1, [other:]2, 3);'],
  ['let a = 1.5;', 'let a[: float] = 1.5;'],
  ['var a = ray.dir * 2;', 'var a[: float3] = ray.dir * 2;'],
  ['let a = Ray(1, 2);', 'let a = Ray([dir:]1, [far:]2);'],
  ['float a = 1;', 'float a = 1;'],
  ['for (var i = 0; i < 3; i++) { let b = ray; }', 'for (var i[: int] = 0; i < 3; i++) { let b[: Ray] = ray; }'],
  ['bwd_diff(sqrt)(diffPair(1.0), 2.0);', 'bwd_diff(sqrt)(diffPair(1.0), [resultGradient:]2.0);'],
  ['let a = unknown(1);', 'let a = unknown(1);'],
])('%s', (body, expected) => {
  expect(shown(inFunction(body))).toBe(inFunction(expected))
})

test('in a broken program', () => {
  const source = `${inFunction('let a = ray.dir;\n    let b = (;\n    blend(1, 2, 3);')}float broken( {`
  expect(shown(source)).toContain('let a[: float3] = ray.dir;')
  expect(shown(source)).toContain('blend([scale:]1, [other:]2, 3)')
})

test('of one kind, and of a range', () => {
  const source = inFunction('let a = blend(1, 2, 3);\n    let b = blend(1, 2, 3);')
  expect(shown(source, { parameters: false })).toBe(
    inFunction('let a[: float] = blend(1, 2, 3);\n    let b[: float] = blend(1, 2, 3);'),
  )
  const range = { start: { line: 4, character: 0 }, end: { line: 4, character: 80 } }
  expect(shown(source, { types: false }, range)).toBe(
    inFunction('let a = blend([scale:]1, [other:]2, 3);\n    let b = blend(1, 2, 3);'),
  )
})
