import { SourceMap } from 'node:module'
import { afterAll, expect, it } from 'vitest'
import { compile, sourceMapJson, sourceOf, withSourceLines } from '../../src/index.ts'
import { closeGpu, compileWgsl, refuse } from '../support/gpu.ts'

afterAll(closeGpu)

const shape = `module shape;
public [Differentiable] float area(float side)
{
    return side * side;
}`

const scene = `import shape;
RWStructuredBuffer<float> data;

[Differentiable]
float loss(float x)
{
    float y = area(x);
    if (y > 1.0)
        y = sin(y);
    return y;
}

[shader("compute")] [numthreads(1, 1, 1)]
void computeMain(uint3 id : SV_DispatchThreadID)
{
    var x = diffPair(data[id.x]);
    bwd_diff(loss)(x, 1.0);
    data[id.x] = apart(x.d);
}

[noinline]
float apart(float x) { return x * 3.0; }
`

const compiled = (source = scene): ReturnType<ReturnType<typeof compile>['wgsl']> =>
  compile(source, { fileName: 'scene.slang', files: { 'shape.slang': shape } }).wgsl()

/** The line of WGSL, counted from 1, that holds a text. */
function lineOf(code: string, text: string | RegExp): number {
  const at = code.split('\n').findIndex(l => (typeof text === 'string' ? l.includes(text) : text.test(l)))
  expect(at, `${text} in\n${code}`).toBeGreaterThanOrEqual(0)
  return at + 1
}

it('names the place in the source of each line', () => {
  const wgsl = compiled()
  expect(sourceOf(wgsl, lineOf(wgsl.code, 'var<storage'))).toEqual({
    file: 'scene.slang',
    line: 2,
    column: expect.any(Number) as number,
  })
  expect(sourceOf(wgsl, lineOf(wgsl.code, 'cos('))?.line).toBe(9)
  expect(sourceOf(wgsl, lineOf(wgsl.code, /^ *data\[id\.x\] = /))?.line).toBe(18)
  expect(sourceOf(wgsl, 0)).toBeUndefined()
})

it('writes maps that other tools read', () => {
  const wgsl = compiled()
  const map = new SourceMap(
    JSON.parse(sourceMapJson(wgsl, { file: 'scene.wgsl', source: name => `src/${name}` })) as ConstructorParameters<
      typeof SourceMap
    >[0],
  )
  expect(map.payload.version).toBe(3)
  expect(map.payload.file).toBe('scene.wgsl')
  expect(map.payload.sourcesContent[map.payload.sources.indexOf('src/scene.slang')]).toBe(scene)
  expect(wgsl.sourceMap.length).toBeGreaterThan(5)
  for (const { line, span } of wgsl.sourceMap.filter(m => !m.span.file.isCore)) {
    const indent = /^ */.exec(wgsl.code.split('\n')[line - 1]!)![0].length
    const { line: from, column } = span.file.position(span.start)
    expect(map.findEntry(line - 1, indent)).toMatchObject({
      generatedLine: line - 1,
      originalLine: from - 1,
      originalColumn: column - 1,
      originalSource: `src/${span.file.name}`,
    })
  }
})

it('comments lines with where they come from, and WGSL stays WGSL', async () => {
  const wgsl = compiled()
  const text = withSourceLines(wgsl)
  expect(text).toMatch(/^ *data\[id\.x\] = .* \/\/ scene\.slang:18$/m)
  expect(text.replace(/ \/\/ .*$/gm, '').split('\n').length).toBe(wgsl.code.split('\n').length)
  expect(wgsl.code).toContain('// scene.slang:22\nfn apart(')
  refuse(text, await compileWgsl(text))
})

it('lets no name of a file end a comment', async () => {
  const wgsl = compiled(`#line 7 "a\\nb\u2028c"\n${scene}`)
  for (const text of [wgsl.code, withSourceLines(wgsl)]) refuse(text, await compileWgsl(text))
  const odd = compile(scene, { fileName: 'a\nb\u2028}\r.slang', files: { 'shape.slang': shape } }).wgsl()
  expect(odd.code).toContain('// a?b?}?.slang:')
  refuse(odd.code, await compileWgsl(withSourceLines(odd)))
})
