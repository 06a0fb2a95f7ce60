/** What an editor makes of derivatives that stand apart from their function. */
import { expect, test } from 'vitest'
import { definition } from '../../src/editor/definition.ts'
import { hover } from '../../src/editor/hover.ts'
import { prepareRename, rename } from '../../src/editor/rename.ts'
import { references } from '../../src/editor/references.ts'
import { documentSymbols } from '../../src/editor/symbols.ts'
import { cursor, placeAt } from '../support/editor-place.ts'
import { workspaceOf } from '../support/marked.ts'

const main = `float ‹cube›cube(float x) { return x * x * x; }
struct V { float ‹a›a; float f(float o) { return a * o; } }
struct Context { float a; float o; void operator()(out float d_o, float d) { d_o = a * d; } }
__func_extension ‹word›fwd_diff(c‹target›ube)(DifferentialPair<float> x) -> DifferentialPair<float>
{
    return diffPair(cu‹inside›be(x.p), 3.0 * x.p * x.p * x.d);
}
__func_extension __apply(V::f)(float o) -> Tuple<float, Context>
{
    return makeTuple(f(o), Context(‹member›a, o));
}
`

const { workspace, at, shown } = workspaceOf({ 'main.slang': main })

test('goes to the function, and to a member of this', () => {
  for (const [name, to] of [
    ['target', 'main.slang 1:7-11 cube'],
    ['inside', 'main.slang 1:7-11 cube'],
    ['member', 'main.slang 2:18-19 a'],
  ] as const) {
    const { uri, position } = at(name)
    expect(definition(workspace, uri, position).map(shown)).toEqual([to])
  }
})

test('renames the function in its derivative, and nothing by the word before', () => {
  const { uri, position } = at('cube')
  expect(references(workspace, uri, position, { includeDeclaration: true })).toHaveLength(3)
  const renamed = rename(workspace, uri, position, 'power')
  expect(JSON.stringify(renamed)).toContain('power')
  const word = at('word')
  expect(prepareRename(workspace, word.uri, word.position)).toHaveProperty('refused')
})

test('says that the function has the derivative, and lists it', () => {
  const place = placeAt(main.replace(/‹target›/, cursor).replaceAll(/‹\w+›/g, ''))
  expect(hover(place)?.contents.value).toContain('orward')
  expect(documentSymbols(workspace, at('target').uri).map(s => s.name)).toContain('fwd_diff(cube)')
})
