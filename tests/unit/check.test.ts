import { compile } from '../../src/index.ts'
import { readFileSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { core } from '../../src/check/core.generated.ts'
import { Sink } from '../../src/base/diag.ts'
import { check } from '../../src/check/check.ts'
import type { CheckedProgram } from '../../src/check/model/tree.ts'
import { noSubst, show, structType, type StructType } from '../../src/check/model/type.ts'

interface Checked {
  readonly program: CheckedProgram
  readonly codes: readonly string[]
}

function checked(
  source: string,
  files: Readonly<Record<string, string>> = {},
  more: { searchPaths?: readonly string[]; defines?: Readonly<Record<string, string>> } = {},
): Checked {
  const sink = new Sink()
  const program = check(
    {
      source,
      fileName: 'main.slang',
      files,
      resolve: undefined,
      searchPaths: more.searchPaths ?? [],
      defines: more.defines ?? {},
      columnMajor: false,
    },
    core,
    sink,
  )
  return { program, codes: sink.list.map(d => d.code) }
}

const codes = (source: string, files: Readonly<Record<string, string>> = {}): readonly string[] =>
  checked(source, files).codes

describe('modules', () => {
  it('are found beside the file, below folders, with dashes for underscores, and on the search path', () => {
    const a = 'public float a() { return 1; }'
    expect(codes('import m; float f() { return a(); }', { 'm.slang': a })).toEqual([])
    expect(codes('import lib.deep_m; float f() { return a(); }', { 'lib/deep-m.slang': a })).toEqual([])
    expect(codes('import "lib/m.slang"; float f() { return a(); }', { 'lib/m.slang': a })).toEqual([])
    expect(
      checked('import m; float f() { return a(); }', { 'shared/m.slang': a }, { searchPaths: ['shared'] }).codes,
    ).toEqual([])
    expect(codes('import m;')).toEqual(['E00001'])
  })

  it('show what is public, and everything where they do not say that they are modules', () => {
    const use = 'import m; float f() { return a() + b(); }'
    expect(codes(use, { 'm.slang': 'float a() { return 1; } float b() { return 2; }' })).toEqual([])
    expect(codes(use, { 'm.slang': 'module m; public float a() { return b(); } float b() { return 2; }' })).toEqual([
      'E30015',
    ])
  })

  it('hand on what they import only with __exported', () => {
    const files = {
      'low.slang': 'float low() { return 1; }',
      'plain.slang': 'import low; float p() { return low(); }',
      'open.slang': '__exported import low;',
    }
    expect(codes('import open; float f() { return low(); }', files)).toEqual([])
    expect(codes('import plain; float f() { return low(); }', files)).toEqual(['E30015'])
  })

  it('consist of several files, may not import themselves, and share no macros', () => {
    const parts = {
      'm.slang': 'module m; __include part; public float a() { return hidden(); }',
      'part.slang': 'implementing m; float hidden() { return 3; }',
    }
    expect(codes('import m; float f() { return a(); }', parts)).toEqual([])
    expect(codes('import a;', { 'a.slang': 'import b;', 'b.slang': 'import a;' })).toEqual(['E38200'])
    expect(
      codes('#define N 2\nimport m; int f() { return n; }', { 'm.slang': '#ifdef N\nstatic const int n = 1;\n#endif' }),
    ).toEqual(['E30015'])
  })

  it('carry derivatives and extensions for what others declare', () => {
    const files = { 'm.slang': 'float cube(float x) { return x * x * x; } struct Box { float side; }' }
    expect(
      codes(
        `import m;
      [BackwardDerivativeOf(cube)] void dcube(inout DifferentialPair<float> x, float d) { x = diffPair(x.p, 3 * x.p * x.p * d); }
      extension Box { float volume() { return cube(side); } }
      [Differentiable] float f(float x) { return cube(x); }
      float g(Box b) { return b.volume(); }`,
        files,
      ),
    ).toEqual([])
  })
})

describe('a checked program', () => {
  const struct = (program: CheckedProgram, name: string): StructType => program.typeNamed(name) as StructType

  it('knows differentials: of itself where all fields take part, a struct of the others where not', () => {
    const { program, codes } = checked(`
      struct Same : IDifferentiable { float3 a; Same2 b; } struct Same2 : IDifferentiable { float x[4]; }
      struct Part : IDifferentiable { int n; float a; no_diff float k; Same2 s; } struct None { float a; }
      struct Gen<T : IDifferentiable> : IDifferentiable { T a; int n; }`)
    expect(codes).toEqual([])
    const diff = (name: string): string => {
      const d = program.differentialOf(struct(program, name))
      return d === null ? 'none' : show(d)
    }
    expect([
      diff('Same'),
      diff('Part'),
      diff('None'),
      diff('Gen<float3>'),
      diff('DifferentialPair<Part>'),
      diff('float[3]'),
      diff('int[3]'),
    ]).toEqual([
      'Same',
      'Part.Differential',
      'none',
      'Gen.Differential<float3>',
      'DifferentialPair<Part.Differential>',
      'float[3]',
      'none',
    ])
    expect(program.structDiff(struct(program, 'Part'))!.fields).toEqual([-1, 0, -1, 1])
    const made = program.differentialOf(struct(program, 'Gen<half>')) as StructType
    expect(program.fields(made).map(f => `${show(f.type)} ${f.name}`)).toEqual(['half a'])
    expect(show(program.differentialOf(made)!)).toBe(show(made))
  })

  it('derives signatures for every direction', () => {
    const { program } = checked(
      '[Differentiable] float f(float a, inout float3 b, out float c, no_diff float d, int e, inout int g, out int h) { c = a; h = 0; return a; }',
    )
    const func = program.functions[0]!
    const sig = (mode: 'forward' | 'backward'): string => {
      const s = program.signature({ kind: 'derivative', mode, of: { kind: 'direct', decl: func, subst: noSubst } })
      return `(${s.params.map(p => (p.dir === 'in' ? '' : `${p.dir} `) + show(p.type)).join(', ')}) ${show(s.result)}`
    }
    expect(sig('forward')).toBe(
      '(DifferentialPair<float>, inout DifferentialPair<float3>, out DifferentialPair<float>, float, int, inout int, out int) DifferentialPair<float>',
    )
    expect(sig('backward')).toBe(
      '(inout DifferentialPair<float>, inout DifferentialPair<float3>, float, float, int, int, float) void',
    )
  })

  it('brings in of the library only what is used', () => {
    const { program } = checked('float f(float x) { return sin(x) + max(x, 1.0); }')
    expect(program.core('struct', 'DifferentialPair').name).toBe('DifferentialPair')
    const core = program.functions[0]!.module === program.modules[0]
    expect(core).toBe(true)
    expect(show(structType(program.core('struct', 'SamplerState'), []))).toBe('SamplerState')
  })
})

describe('a misspelt name', () => {
  const notes = (source: string): readonly string[] => {
    const sink = new Sink()
    check(
      {
        source,
        fileName: 'main.slang',
        files: {},
        resolve: undefined,
        searchPaths: [],
        defines: {},
        columnMajor: false,
      },
      core,
      sink,
    )
    return sink.list.flatMap(d => d.notes.map(n => n.text))
  }

  it('is compared with locals, members and the library', () => {
    expect(notes('float f(float radius) { return raduis; }')).toEqual(['did you mean radius?'])
    expect(notes('struct P { float mass; } float f(P p) { return p.Mass; }')).toEqual(['did you mean mass?'])
    expect(notes('float f(float3 v) { return lenght(v); }')).toEqual(['did you mean length?'])
    expect(notes('float f(float x) { return unlike(x); }')).toEqual([])
    expect(notes('flaot f(float x) { return x; }')).toEqual(['did you mean float?'])
    expect(notes('[Diferentiable] float f(float x) { return x; }')).toEqual(['did you mean Differentiable?'])
  })

  it('may be one of another language', () => {
    expect(notes('float3 f(vec3 x) { return mix(x, ivec3(1), 0.5); }')).toEqual([
      'did you mean float3?',
      'did you mean lerp?',
      'did you mean int3?',
    ])
    expect(notes('static mat3 m; static mat4 n; static f32 x; static uvec2 u;')).toEqual([
      'did you mean float3x3?',
      'did you mean float4x4?',
      'did you mean float?',
      'did you mean uint2?',
    ])
  })
})

describe('a byte order mark', () => {
  it('moves no columns', () => {
    const sink = new Sink()
    check(
      {
        source: '\uFEFFfloat f() { return y; }',
        fileName: 'main.slang',
        files: {},
        resolve: undefined,
        searchPaths: [],
        defines: {},
        columnMajor: false,
      },
      core,
      sink,
    )
    const { file, start } = sink.list[0]!.span!
    expect([file.position(start), file.line(1)]).toEqual([{ line: 1, column: 20 }, 'float f() { return y; }'])
  })
})

describe('a number without a value', () => {
  const warned = (source: string): readonly string[] => compile(source).diagnostics.map(d => d.code)
  it.each([
    ['read at once', 'float f() { float x; return x; }', ['W41016']],
    ['read to be changed', 'int f() { int x; x += 1; return x; }', ['W41016']],
    [
      'never written, read in a loop',
      'float f(int n) { float s; float t = 0; for (int i = 0; i < n; i++) t += s; return t; }',
      ['W41016'],
    ],
    [
      'written further down in a loop',
      'float f(int n) { float s; float t = 0; for (int i = 0; i < n; i++) { if (i > 0) t += s; s = i; } return t; }',
      [],
    ],
    ['written in a branch', 'float f(bool b) { float x; if (b) x = 1; return x; }', []],
    ['written in part', 'float f() { float3 v; v.x = 1; return v.x; }', []],
    ['written by a function', 'void g(out float x) { x = 1; } float f() { float x; g(x); return x; }', []],
    ['an output that is left', 'void f(float x, out float y) { }', ['W41018']],
    ['an output that is written', 'void f(float x, out float y) { y = x; }', []],
    ['== for =', 'int f(int x) { int y = 1; y == x; return y; }', ['W30058']],
    ['a constant', 'static const float g; extern static const int n = 2;', ['E31225']],
    [
      'leaving loops in a defer',
      'static int t = 0; void f() { defer { for (int i = 0; i < 3; i++) { if (i == 1) continue; if (i == 2) break; t++; } } t = 2; }',
      [],
    ],
    [
      'a lambda in a defer',
      'static int t = 0; void f() { defer { let g = (int x) => { return x + 1; }; t = g(t); } t = 2; }',
      [],
    ],
    ['two results of overloads', 'float f(float x) { return x; } int f(int x) { return x; }', []],
  ])('%s', (_, source, expected) => expect(warned(source)).toEqual(expected))
})

describe('what follows from a mistake', () => {
  it.each([
    ['a semicolon is missing', 'float f(float x) { float y = x * 2 float z = y; return z; }', ['E20001']],
    ['a comma is missing', 'float f(float x float y) { return x + y; }', ['E20001']],
    ['a field is not understood', 'struct S { float a b; float c; } float f(S s) { return s.b; }', ['E20001']],
    ['a module is missing', 'import nothing; float f(float x) { return g(x); }', ['E00001']],
    [
      'what stands elsewhere is still checked',
      'float f(float x) { return x } float g(float2 x) { float3 y = x; return y.x; }',
      ['E20001', 'E30019'],
    ],
    [
      'two bodies',
      'float f(float x) { return x; } float f(float y) { return y; } float g() { return f(1); }',
      ['E30201'],
    ],
    [
      '= for ==',
      'float f(float x) { if (x = 1) return 2; if ((x = 2)) return 3; while (x = 4) { } return (x = 5) ? 1 : 0; }',
      ['E30057', 'E30057'],
    ],
    [
      'override is missing',
      'interface I { float f() { return 1; } float g(); } struct S : I { float f() { return 2; } float g() { return 1; } }',
      ['E30853'],
    ],
    [
      'override is there',
      'interface I { float f() { return 1; } float g(); } struct S : I { override float f() { return 2; } override float g() { return 1; } }',
      [],
    ],
    [
      'an argument that stands explicitly is not promoted',
      'T sq<T : IFloat>(T x) { return x * x; } float f() { return sq<int>(2); }',
      ['E38029'],
    ],
    ['two defaults', 'float f(int i) { switch (i) { default: return 1; case 2: default: return 2; } }', ['E30600']],
    [
      'a constructor of a field wants arguments',
      'struct A { int v; __init(int x) { v = x; } } struct B { A a; int w = 4; } int f() { B b = {}; return b.w; }',
      ['E39999'],
    ],
    [
      'a constructor of a later field wants arguments',
      'struct A { int v; __init(int x) { v = x; } } struct B { int w; A a; } int f() { B b = { 3 }; return b.w; }',
      ['E39999'],
    ],
    [
      'a constructor of a field of a field wants arguments',
      'struct A { int v; __init(int x) { v = x; } } struct B { A a; } struct C { B b; } int f() { C c = {}; return c.b.a.v; }',
      ['E39999'],
    ],
    [
      'a constructor of a field wants arguments that the field has',
      'struct A { int v; __init(int x) { v = x; } } struct B { A a = A(3); int w; } int f() { B b = {}; B c = { A(5) }; B d[2] = {}; return b.w + c.w + d[0].w; }',
      [],
    ],
    [
      'a constructor wants arguments',
      'struct S { float a; __init(float x) { a = x; } } float f() { S s = S(); return s.a; }',
      ['E39999'],
    ],
    ['a stage without quotes', '[shader(compute)] void f() { }', ['E31001']],
    ['a type has no differential', 'struct S { float a; } void f(S s) { var p = diffPair(s); }', ['E38029']],
  ])('%s', (_, source, expected) => expect(codes(source)).toEqual(expected))

  const said = (source: string): string => {
    const sink = new Sink()
    check(
      {
        source,
        fileName: 'main.slang',
        files: {},
        resolve: undefined,
        searchPaths: [],
        defines: {},
        columnMajor: false,
      },
      core,
      sink,
    )
    return sink.list.map(d => [d.message, d.help, ...d.notes.map(n => n.text)].join('; ')).join('\n')
  }

  it('is told how to mend it', () => {
    const f = '[Differentiable] float f(float x, float y) { return x * y; } '
    expect(said(`${f} void g() { var p = diffPair(1.0); bwd_diff(f)(p, 1.0); }`)).toContain(
      'it takes (inout DifferentialPair<float>, inout DifferentialPair<float>, float) -> void',
    )
    expect(said(`${f} void g() { let d = fwd_diff(f)(1.0, diffPair(1.0)); }`)).toContain('diffPair(...)')
    expect(said(`${f} float g() { return fwd_diff(f)(diffPair(1.0), diffPair(1.0)); }`)).toContain('.d, the derivative')
    expect(said('struct S { float mass; float size; } float f(S s) { return s.volume; }')).toContain(
      'there are mass, size',
    )
    expect(said('float f() { float[3][2] m = 1; return m[0][0]; }')).toContain('float[3][2]')
    expect(said('float4 f(float4x4 m, float4 v) { return m * v; }')).toContain('mul(a, b)')
    expect(said('float f(float3 a, float2 b) { return dot(a, b); }')).toContain(
      'it takes (vector<T, N>, vector<T, N>) -> T',
    )
  })
})

it('takes no conformance for its own reason', () => {
  const circle = `interface A { int fa(); } interface B { int fb(); }
extension<T : A> T : B { int fb() { return this.fa() + 1; } }
extension<T : B> T : A { int fa() { return this.fb() + 1; } }
struct S { int x; } struct R : B { int x; int fb() { return x; } }
int need<V : A>(V v) { return v.fa(); }`
  expect(codes(`${circle} int f(S s) { return need(s); }`)).toEqual(['E38029'])
  expect(codes(`${circle} int f(R r) { return need(r); }`)).toEqual([])
})

describe('the benchmark programs', () => {
  const folder = new URL('../../bench/programs/', import.meta.url)
  for (const name of readdirSync(folder).filter(f => f.endsWith('.slang'))) {
    it(`${name} has no mistakes`, () => {
      expect(codes(readFileSync(new URL(name, folder), 'utf8'))).toEqual([])
    })
  }
})
