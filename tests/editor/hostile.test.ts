/** Requests on texts that nest deeply, or mean themselves: each is answered, and soon. */
import { expect, test } from 'vitest'
import { complete } from '../../src/editor/complete.ts'
import { definition, typeDefinition } from '../../src/editor/definition.ts'
import { checkLenses } from '../../src/editor/derivative/check.ts'
import { explainFile } from '../../src/editor/derivative/explain.ts'
import { fixAll, quickFixes } from '../../src/editor/fixes/quick.ts'
import { foldingRanges } from '../../src/editor/fold.ts'
import { hints } from '../../src/editor/hints.ts'
import { hover } from '../../src/editor/hover.ts'
import { positionOf, type Range } from '../../src/editor/range.ts'
import { highlights, references } from '../../src/editor/references.ts'
import { rename } from '../../src/editor/rename.ts'
import { signatureHelp } from '../../src/editor/signature.ts'
import { documentSymbols } from '../../src/editor/symbols.ts'
import { semanticTokens } from '../../src/editor/tokens.ts'
import { Workspace } from '../../src/editor/workspace.ts'
import { format } from '../../src/format/format.ts'

const path = '/main.slang'
const uri = `file://${path}`
const everything: Range = { start: { line: 0, character: 0 }, end: { line: 1e6, character: 0 } }

/** Texts; the cursor stands where the second text stands last. */
const texts: Readonly<Record<string, readonly [text: string, cursor: string]>> = {
  'a struct in itself': ['struct A { A a; float x; }\n[Differentiable] float f(A a) { return a.x; }', 'A a)'],
  'two structs in each other': [
    'struct A : IDifferentiable { B b; float x; }\nstruct B { A a[2]; }\n[Differentiable] float f(A a) { return a.x; }',
    'A a)',
  ],
  'structs that inherit from each other': [
    'struct A : B { float x; }\nstruct B : A { }\n[Differentiable] float f(A a) { return a.; }',
    '; }',
  ],
  'names of types that stand for each other': [
    'typealias A = B; typealias B = A;\n[Differentiable] float f(A a) { return a.; }',
    '; }',
  ],
  'a long sum': [`float f(float x) { return ${'x + '.repeat(20_000)}x; }`, 'x; }'],
  'a long choice': [`float f(float x) { return ${'x > 1 ? x : '.repeat(5000)}x; }`, 'x; }'],
  'many signs': [`float f(float x) { return ${'- '.repeat(20_000)}x; }`, 'x; }'],
  'many members': [`struct S { S s; }\nfloat f(S x) { return x${'.s'.repeat(5000)}; }`, 's; }'],
  'deep calls': [`float f(float x) { return ${'f('.repeat(3000)}x${')'.repeat(3000)}; }`, 'x)'],
  'open parentheses': [`float f(float x) { return ${'('.repeat(20_000)}x; }`, 'x; }'],
  'open brackets': [`float f(float x) { ${'['.repeat(20_000)}x; }`, 'x; }'],
  'open brackets outside of functions': [`${'['.repeat(20_000)}x`, 'x'],
  'open braces': [`float f(float x) { ${'{'.repeat(20_000)}x`, 'x'],
  'an open list of lists': [`float f(float x) { int a = ${'{'.repeat(20_000)}x`, 'x'],
  'open generic arguments': [`float f(float x) { return ${'A<'.repeat(3000)}x; }`, 'x; }'],
  'many attributes': [`float f(float x) { ${'[a]'.repeat(5000)}x; }`, 'x; }'],
  'a chain of else': [`void f(float x) { ${'if (x > 1) x = 2; else '.repeat(3000)}x = 3; }`, 'x = 3'],
  'namespaces in each other': [`${'namespace a { '.repeat(3000)}float f(float x) { return x; }`, 'x; }'],
  'structs inside of each other': [`${'struct a { '.repeat(3000)}float f(float x) { return x; }`, 'x; }'],
  'an array of arrays': [`float f(float${'[2]'.repeat(3000)} x) { return x; }`, 'x; }'],
  'a call without its try': [
    `int f() throws E { return 1; }
void c() { do { f(); } catch { } }
RWStructuredBuffer<float> numbers;
interface IPlace : IDifferentiablePtrType { uint at(); }
[BackwardDerivative(back)] float read<P : IPlace>(P p) where P.Differential : IPlace { return numbers[p.at()]; }
void back<P : IPlace>(DifferentialPtrPair<P> p, float d) where P.Differential : IPlace { numbers[p.d.at()] += d; }`,
    'f(); }',
  ],
  'ways out of nothing': [
    `[Differentiable] float lost(functype (float) -> float f, float x) { return f(x); }
float ints(int x) { break x; }
float more(int x) { continue; }`,
    'x; }',
  ],
  'a comment without an end': ['/*'.repeat(20_000), '*'],
}

test.each(Object.entries(texts))('%s', (_, [text, cursor]) => {
  const start = performance.now()
  const workspace = new Workspace({ read: () => undefined })
  workspace.open(uri, 1, text)
  const analysis = workspace.analysis(uri)!
  Array.from(workspace.diagnoseFully(uri))
  expect(analysis.faults).toEqual([])
  const file = workspace.document(uri)!.file
  const position = positionOf(file, text.lastIndexOf(cursor))
  const place = workspace.at(uri, position)
  if (place !== undefined) {
    hover(place)
    complete(place)
    signatureHelp(place)
  }
  const program = { checked: analysis.checked, diagnostics: analysis.diagnostics, options: {} }
  checkLenses(program, path)
  explainFile(program, path)
  hints(analysis, path, everything)
  semanticTokens(workspace, uri)
  foldingRanges(file)
  documentSymbols(workspace, uri)
  definition(workspace, uri, position)
  typeDefinition(workspace, uri, position)
  references(workspace, uri, position, { includeDeclaration: true })
  highlights(workspace, uri, position)
  rename(workspace, uri, position, 'other')
  quickFixes(analysis, path, everything)
  fixAll(analysis, path)
  expect(format(text)).not.toHaveProperty('refused')
  expect(performance.now() - start).toBeLessThan(10_000)
})
