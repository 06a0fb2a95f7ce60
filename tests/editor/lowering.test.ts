/** What only shows when a program is compiled, an editor shows after a while. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Diagnostic, Example } from '../../src/base/diag.ts'
import { renderDiagnostics } from '../../src/base/render.ts'
import { lowering } from '../../src/editor/lowering.ts'
import { Workspace } from '../../src/editor/workspace.ts'
import { compile, CompileError } from '../../src/index.ts'
import { Random } from '../fuzz/random.ts'

const folder = new URL('../../src/base/errors/', import.meta.url)
const examples: (readonly [string, Exclude<Example, string>])[] = []
for (const area of readdirSync(folder).flatMap(f => /^(.*)\.examples\.ts$/.exec(f)?.[1] ?? [])) {
  const { examples: own } = (await import(`../../src/base/errors/${area}.examples.ts`)) as {
    readonly examples: Record<string, Example>
  }
  for (const [name, example] of Object.entries(own))
    examples.push([name, typeof example === 'string' ? { source: example } : example])
}

function run<T>(steps: Generator<void, T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

/** All that an editor finds in a program. */
function found({ source, files = {}, resolve, entry }: Exclude<Example, string>): readonly Diagnostic[] {
  const workspace = new Workspace({ read: path => files[path.slice(1)] ?? resolve?.(path.slice(1)) })
  if (entry !== undefined) workspace.configure({ settings: { entries: [entry] } })
  workspace.open('file:///example.slang', 1, source)
  const analysis = workspace.analysis('file:///example.slang')!
  const more = run(lowering(analysis))
  expect(analysis.faults).toEqual([])
  return [...analysis.diagnostics, ...more]
}

describe('an editor finds what compiling to WGSL finds', () => {
  // The others are mistakes of options, of project files, and of other targets.
  const fit = examples.filter(
    ([, e]) =>
      e.exports === undefined &&
      e.maxContext === undefined &&
      e.unknown === undefined &&
      e.project === undefined &&
      (e.target === undefined || e.target === 'wgsl'),
  )

  test('most examples of the catalogue fit', () => expect(fit.length).toBeGreaterThan(200))

  test.each(fit)('%s', (_, example) => {
    const program = compile(example.source, {
      fileName: '/example.slang',
      ...(example.files === undefined
        ? {}
        : { files: Object.fromEntries(Object.entries(example.files).map(([n, t]) => [`/${n}`, t])) }),
      ...(example.resolve === undefined ? {} : { resolve: (path: string) => example.resolve!(path.slice(1)) }),
      ...(example.entry === undefined ? {} : { entries: [example.entry] }),
    })
    let expected = [...program.diagnostics, ...program.wgslDiagnostics]
    try {
      if (program.ok) program.wgsl()
    } catch (e) {
      if (!(e instanceof CompileError)) throw e
      expected = [...e.diagnostics]
    }
    const said = found(example)
    for (const { code } of expected)
      expect(
        said.map(d => d.code),
        renderDiagnostics(expected),
      ).toContain(code)
  })
})

test('what an edit does not touch is not compiled again', () => {
  const text = `RWStructuredBuffer<float> a;
float f(float x) { return x; }
float g(float x) { return x + 1.0; }
[shader("compute")] [numthreads(1, 1, 1)] void one(uint3 id : SV_DispatchThreadID) { a[0] = f(1.0); }
[shader("compute")] [numthreads(1, 1, 1)] void two(uint3 id : SV_DispatchThreadID) { a[1] = g(1.0); }
`
  const workspace = new Workspace({ read: () => undefined })
  workspace.open('file:///main.slang', 1, text)
  const uri = 'file:///main.slang'
  run(workspace.diagnoseFully(uri))
  const before = workspace.analysis(uri)!.lowered
  expect([...before.keys()]).toEqual(['entry one', 'entry two'])
  workspace.change(uri, 2, [
    { range: { start: { line: 1, character: 26 }, end: { line: 1, character: 27 } }, text: '2.0' },
  ])
  expect([...workspace.analysis(uri)!.lowered.keys()]).toEqual(['entry two'])
  workspace.change(uri, 3, [
    { range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } }, text: 'static int k;\n' },
  ])
  expect([...workspace.analysis(uri)!.lowered.keys()]).toEqual([])
})

test('a mistake of the second stage moves with its text', () => {
  const text = `RWStructuredBuffer<float> values;
float other() { return 1.0; }
[Differentiable] float f(float x) { float y = x; while (y < 10.0) y = y * y + 0.1; return y; }
[shader("compute")] [numthreads(1, 1, 1)] void g() { var p = diffPair(values[0]); bwd_diff(f)(p, 1.0); values[0] = p.d; }
`
  const uri = 'file:///main.slang'
  const workspace = new Workspace({ read: () => undefined })
  workspace.open(uri, 1, text)
  const shown = (): unknown =>
    run(workspace.diagnoseFully(uri))[0]!.diagnostics.map(d => `${d.code} ${d.span?.position.line}`)
  const before = shown()
  workspace.change(uri, 2, [
    { range: { start: { line: 1, character: 15 }, end: { line: 1, character: 15 } }, text: '\n\n' },
  ])
  expect(workspace.analysis(uri)!.lowered.size).toBe(1)
  expect(before).toEqual([expect.stringMatching(/^E30510 3$/)])
  expect(shown()).toEqual([expect.stringMatching(/^E30510 5$/)])
})

test('after edits of bodies the second stage finds what it finds in the result', () => {
  const uri = 'file:///main.slang'
  const path = new URL('../../examples/splat2d/splat2d.slang', import.meta.url)
  const original = readFileSync(path, 'utf8')
  const workspace = new Workspace({ read: () => undefined })
  workspace.open(uri, 0, original)
  const random = new Random(18, 1)
  const said = (of: Workspace): readonly string[] =>
    run(of.diagnoseFully(uri))[0]!.diagnostics.map(d => `${d.span?.start}-${d.span?.end} ${d.code} ${d.message}`)
  // Some of these leave a loop without a bound, an index out of range, a function without a derivative.
  const puts = ['0', '1', '-1', 'PER_TILE', 'id.x', '', '[MaxIters(2)]', 'discard;']
  let kinds = 0
  for (let version = 1; version < 40; version++) {
    const { text } = workspace.document(uri)!
    const words = [...text.matchAll(/(?<=^ {4}.*)(?:\d+(?:\.\d+)?|\[MaxIters.*\]|\[Differentiable\])/gm)]
    const word = random.one(words)
    const changed = text.slice(0, word.index) + random.one(puts) + text.slice(word.index + word[0].length)
    workspace.change(uri, version, [{ text: random.pick(5) === 0 ? original : changed }])
    const fresh = new Workspace({ read: () => undefined })
    fresh.open(uri, 1, workspace.document(uri)!.text)
    const expected = said(fresh)
    expect(said(workspace)).toEqual(expected)
    if (workspace.analysis(uri)!.lowered.size > 0 && expected.length > 0) kinds++
  }
  expect(kinds).toBeGreaterThan(0)
})
