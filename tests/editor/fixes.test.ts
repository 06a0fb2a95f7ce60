import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Sink, type Diagnostic, type Entry, type Example } from '../../src/base/diag.ts'
import { unboundedLoop } from '../../src/base/errors/derivative.ts'
import { renderDiagnostics } from '../../src/base/render.ts'
import { SourceFile } from '../../src/base/source.ts'
import { finish, middle } from '../../src/compile.ts'
import { Analysis } from '../../src/editor/analysis.ts'
import { fixAll, fixes, fixesOf, quickFixes, wordsOf, type FileEdit } from '../../src/editor/fixes/quick.ts'
import { lowering } from '../../src/editor/lowering.ts'
import { offsetOf } from '../../src/editor/range.ts'
import { emitWgsl } from '../../src/target/wgsl/emit.ts'

const root = 'test.slang'
type Files = Readonly<Record<string, string>>

/** Programs with mistakes whose example in the catalogue shows no fix, or not every one. */
const programs: Readonly<Record<string, string | readonly (string | Files)[]>> = {
  badCharacter: ['float f(float x) { return x − 2.0; }', 'float f(float x) { return x; ` }'],
  bidirectionalControl: 'float f(float x) { /* \u202e */ return x; }',
  expectedToken: [
    'float f(float x) { return x + 1.0 }',
    'float f(float x)\n{\n    float y = x // twice\n    return y * 2.0;\n}',
  ],
  undefinedName: [
    'float f(float value) { return valeu; }',
    {
      [root]: 'module test;\nimport b;\n\nfloat f(float x) { return other(helper(x)); }',
      'b.slang': 'module b; import c; public float other(float x) { return helper(x); }',
      'c.slang': 'module c; public float helper(float x) { return x; }',
    },
  ],
  noModule: [{ [root]: 'import helpesr;\nfloat f(float x) { return x; }', 'helpers.slang': 'module helpers;' }],
  noMember: 'struct S { float value; } float f(S s) { return s.valeu; }',
  noNamespaceMember: 'namespace n { static const float alpha = 1; } float f() { return n::alhpa; }',
  needsObject: 'struct S { float a() { return 1; } static float f() { return a(); } }',
  notVisible: [
    'struct S { private float a; } float f(S s) { return s.a; }',
    {
      [root]: 'import b;\nfloat f(float x) { S s; return s.a(x); }',
      'b.slang': 'module b; public struct S { float a(float x) { return x; } }',
    },
  ],
  unknownAttribute: [
    '[Diferentiable] float f(float x) { return x; }',
    '[Disc]\nfloat f(float x) { return x; }',
    '[Disc, Differentiable] float f(float x) { return x; }',
  ],
  pairMismatch: [
    '[Differentiable] float f(float x) { return x; } float g() { return fwd_diff(f)(diffPair(1.0, 1.0)); }',
    'float g(float x) { DifferentialPair<float> p = x; return p.p; }',
  ],
  lossyConversion: ['int f(float x) { int y = x; return y; }', 'int3 f(float3 x) { return x + 1.0; }'],
  notAssignable: [
    'float f(float x) { const float y = x; y = 2.0; return y; }',
    'float f(float x) { let y = x; y = 2.0; return y; }',
    'float f(const float x) { x = 1; return x; }',
    'struct S\n{\n    float a;\n    void f() { a = 1; }\n}',
  ],
  argumentNotAssignable: 'void f(out float x) { x = 1; }\nvoid g()\n{\n    f(1.0);\n}',
  argumentConverted: [
    'void f(out uint x) { x = 1; } float g() { float y; f(y); return y; }',
    'void f(inout uint x) { x += 1; }\nfloat g(float y)\n{\n    f(y);\n    return y;\n}',
  ],
  tooManyArguments: [
    'float f(float x) { return x; } float g() { return f(1.0, 2.0); }',
    'float f() { return 1; } float g() { return f(1.0, 2.0); }',
  ],
  noBinary: 'float4 f(float4x4 m, float4 v) { return m * v; }',
  conditionType: 'float f(bool3 b) { if (b) return 1; return 2; }',
  noReturn: [
    'export float f(float x) { if (x > 0) return x; }',
    'export float f(float x)\n{\n    if (x > 0) return x;\n}',
  ],
  deprecated:
    '[deprecated("use g")] float f(float x) { return x; } float g(float x) { return x; } float h(float x) { return f(x); }',
  unclosedBracket: [
    'float f(float x) { return x;',
    'float f(float x)\n{\n    return x;\n',
    'float f(float x) { return sin(x; }',
  ],
  eachOutside: 'void g<T>(T x) {} void f<each T>(expand each T v) { g(each v); }',
  missingRequirement: [
    'interface I { float f(); } struct S : I { float a; }',
    'interface I\n{\n    [Differentiable]\n    float f(float x);\n    void g(inout int n);\n}\nstruct S : I\n{\n    float a;\n    void g(inout int n) {}\n}',
  ],
  doesNotConform: [
    'struct S { int a; } float f(DifferentialPair<S> p) { return 1; }',
    'interface I { float f(); float g(int n); }\nstruct S\n{\n    float a;\n}\nfloat h<T : I>(T x) { return x.f(); }\nfloat k(S s) { return h(s); }',
  ],
  lostInCall: [
    'float g(float x) { return x * x; } [Differentiable] float f(float x) { return g(x); }',
    {
      [root]: 'import b;\n[Differentiable] float f(float x) { return g(x); }',
      'b.slang': 'module b;\n\npublic float g(float x) { return x; }',
    },
    'struct S : IDifferentiable { float k; float g(float x) { return x * k; } [Differentiable] float f(float x) { return g(x); } }',
  ],
  noDerivativeMember:
    'struct D : IDifferentiable { float alpha; } struct S : IDifferentiable { typealias Differential = D; [DerivativeMember(D.alhpa)] float x; }',
  unboundedLoop: [
    '[Differentiable] float f(float x) { float y = x; while (y < 10.0) y = y * 2.0; return y; }',
    '[Differentiable]\nfloat f(float x, int n)\n{\n    for (int i = 0; i < n; i++)\n        x *= x;\n    return x;\n}',
  ],
  statesOfUnrolled:
    '[Differentiable] float f(float x) { [ForceUnroll, Checkpoints(2)] for (int i = 0; i < 4; i++) x *= x; return x; }',
}

const here = join(import.meta.dirname, '../../src/base/errors')
const names = new Map<Entry, { readonly name: string; readonly example: Exclude<Example, string> }>()
for (const file of readdirSync(here)) {
  if (file.endsWith('.examples.ts')) continue
  const area = (await import(`../../src/base/errors/${file.replace('.ts', '')}.ts`)) as Record<string, Entry>
  const { examples } = (await import(`../../src/base/errors/${file.replace('.ts', '')}.examples.ts`)) as {
    readonly examples: Record<string, Example>
  }
  for (const [name, entry] of Object.entries(area)) {
    if (typeof entry.code !== 'string') continue
    const example = examples[name]!
    names.set(entry, { name, example: typeof example === 'string' ? { source: example } : example })
  }
}

function analyse(files: Files): Analysis {
  return new Analysis(root, files[root]!, {}, path => files[path])
}

/** What checking finds, and lowering to WGSL where `lowers` and nothing is wrong until then. */
function diagnosticsOf(analysis: Analysis, lowers: boolean): readonly Diagnostic[] {
  const { diagnostics } = analysis
  if (!lowers || diagnostics.some(d => d.severity === 'error')) return diagnostics
  const sink = new Sink()
  const roots = analysis.checked.roots(sink)
  const options = { level: 2, target: 'wgsl' } as const
  const module = middle(analysis.program, roots, sink, options)
  if (sink.errors === 0) finish(module, sink, options)
  if (sink.errors === 0) emitWgsl(module, {}, sink)
  const own = new Sink()
  if (roots.entries.length === 0) for (const span of analysis.program.unbounded) own.add(unboundedLoop, span, {})
  return [...diagnostics, ...sink.list, ...own.list]
}

function applied(files: Files, edits: readonly FileEdit[]): Files {
  const made: Record<string, string> = { ...files }
  for (const [name, text] of Object.entries(files)) {
    const source = new SourceFile(name, text)
    const own = edits
      .filter(e => e.file === name)
      .map(e => ({ start: offsetOf(source, e.range.start), end: offsetOf(source, e.range.end), text: e.newText }))
      // Of what is put at one place, the first stands first.
      .map((e, i) => ({ ...e, i }))
      .toSorted((a, b) => b.start - a.start || b.end - a.end || b.i - a.i)
    for (const { start, end, text: put } of own) made[name] = made[name]!.slice(0, start) + put + made[name]!.slice(end)
  }
  return made
}

const shown = (files: Files): string => {
  const { [root]: own, ...others } = files
  return [own!, ...Object.entries(others).map(([name, text]) => `// ${name}\n${text}`)].join('\n')
}

const rows = fixes.map(f => ({ ...f, ...names.get(f.entry)! }))

describe('each fix', () => {
  it.each(rows)('of $name mends its mistake', ({ entry, name, example, remedies }) => {
    const given = programs[name] ?? example.source
    const sources = (typeof given === 'string' ? [given] : given).map((s): Files =>
      typeof s === 'string' ? { [root]: s, ...example.files } : s,
    )
    const titles: string[] = []
    const texts: string[] = []
    for (const files of sources) {
      const analysis = analyse(files)
      const diagnostic = diagnosticsOf(analysis, true).find(d => d.entry === entry)
      expect(diagnostic, `${shown(files)}\n${renderDiagnostics(diagnosticsOf(analysis, true))}`).toBeDefined()
      // After an edit elsewhere, bodies are not checked again; their fixes stay the same.
      if (analysis.diagnostics.includes(diagnostic!)) {
        const edited = new Analysis(root, `${files[root]!}\n// more`, {}, path => files[path], analysis)
        const again = edited.diagnostics.filter(d => d.entry === entry).flatMap(d => fixesOf(edited, d))
        expect(again.map(f => f.title)).toEqual(
          expect.arrayContaining(fixesOf(analysis, diagnostic!).map(f => f.title)),
        )
      }
      const modules = Object.keys(files).map(file => file.replace('.slang', ''))
      const others = { names: () => modules, declaring: () => [] }
      for (const fix of fixesOf(analysis, diagnostic!, others)) {
        const after = applied(files, fix.edits)
        const left = diagnosticsOf(analyse(after), true)
        expect(
          left.filter(d => d.severity === 'error' || (d.entry === entry && d.span?.start === diagnostic!.span?.start)),
          `${fix.title}\n${shown(after)}\n${renderDiagnostics(left)}`,
        ).toEqual([])
        expect(left.filter(d => d.entry === entry).length).toBeLessThan(
          diagnosticsOf(analysis, true).filter(d => d.entry === entry).length,
        )
        titles.push(fix.title)
        texts.push(`${fix.isPreferred ? '★ ' : ''}${fix.title}\n${shown(files)}\n→\n${shown(after)}`)
      }
    }
    for (const remedy of remedies) {
      const pattern = wordsOf(remedy)
        .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
        .replace(/\\\{\w+\\\}/g, '.+')
      expect(titles.join('\n'), 'every remedy is shown').toMatch(new RegExp(pattern, 'i'))
    }
    expect(`\n${texts.join('\n\n')}\n`).toMatchSnapshot()
  })
})

describe('the titles of fixes', () => {
  it.each(rows)('of $name are parts of the help', ({ entry, remedies }) => {
    for (const remedy of remedies) {
      if (remedy.title !== undefined) continue
      let from = 0
      for (const part of typeof remedy.does === 'string' ? [remedy.does] : remedy.does) {
        const at = entry.help?.indexOf(part, from) ?? -1
        expect(at, `${part} in the help of ${entry.code}: ${entry.help}`).toBeGreaterThanOrEqual(0)
        from = at + part.length
      }
    }
    // Where there is help, only what a fix finds in the program may be said in other words.
    if (entry.help !== undefined)
      expect(
        remedies.every(r => r.does !== undefined || r.find !== undefined),
        entry.help,
      ).toBe(true)
  })

  it('belong to a diagnostic once', () => {
    expect(new Set(fixes.map(f => f.entry)).size).toBe(fixes.length)
    expect(fixes.length).toBeGreaterThan(80)
  })
})

describe('the fixes of a place', () => {
  const source = `/* 𝛿 */ float g(float x) { return x; }
[Differentiable] float f(float x) { int a = x; int b = x; return g(x) + g(x * 2.0); }
`
  const line = (n: number) => ({ start: { line: n, character: 0 }, end: { line: n, character: 0 } })

  it('are those of the diagnostics there', () => {
    const analysis = analyse({ [root]: source })
    const at = source.split('\n')[1]!.indexOf('g(x)')
    const there = { start: { line: 1, character: at }, end: { line: 1, character: at } }
    expect(quickFixes(analysis, root, there).map(f => f.title)).toEqual([
      'Mark g [Differentiable]',
      'Write no_diff before the call',
    ])
    expect(quickFixes(analysis, root, line(0))).toEqual([])
    expect(quickFixes(analysis, 'other.slang', line(0))).toEqual([])
  })

  it('count in UTF-16', () => {
    const [fix] = quickFixes(analyse({ [root]: '/* 𝛿 */ float f(float x) { return x }' }), root, {
      start: { line: 0, character: 0 },
      end: { line: 1, character: 0 },
    })
    expect(fix!.edits).toEqual([
      { file: root, range: { start: { line: 0, character: 36 }, end: { line: 0, character: 36 } }, newText: ';' },
    ])
  })

  it('are also those of what only compiling shows', () => {
    const text =
      'float g(float x);\nexport float f(float x) { return g(x); }\nexport float h(float x) { return g(x); }\n'
    const analysis = analyse({ [root]: text })
    expect(quickFixes(analysis, root, line(1))).toEqual([])
    Array.from(lowering(analysis))
    const everything = { start: { line: 0, character: 0 }, end: { line: 3, character: 0 } }
    expect(quickFixes(analysis, root, everything).map(f => f.title)).toContain('Give the function a body')
  })

  it('can be made all at once, an edit that several want once', () => {
    const files = { [root]: source }
    const analysis = analyse(files)
    expect(shown(applied(files, fixAll(analysis, root)))).toBe(`/* 𝛿 */ [Differentiable] float g(float x) { return x; }
[Differentiable] float f(float x) { int a = int(x); int b = int(x); return g(x) + g(x * 2.0); }
`)
    expect(shown(applied(files, fixAll(analysis, root, 'W30081')))).toBe(source.replaceAll('= x;', '= int(x);'))
    expect(fixAll(analysis, root, 'E00001')).toEqual([])
  })
})
