/** What no target has may stand in a program. It is reported where an entry point or exported function reaches it, and only there. */
import { describe, expect, test } from 'vitest'
import { renderDiagnostics } from '../../src/base/render.ts'
import { compile, CompileError, type CompileOptions, type Diagnostic, type Program } from '../../src/index.ts'
import { evaluate } from '../support/js-run.ts'

/** Functions that use what no target has, each with the text that is to blame. */
const lacking: readonly (readonly [name: string, code: string, blamed: string])[] = [
  ['address', 'void to(Ptr<float> p) {} float use() { float x = 1; to(&x); return x; }', '&x'],
  [
    'part of an element',
    'struct P { float x; } uniform P* ps; float use() { float* p = &ps->x; return *p; }',
    '&ps->x',
  ],
  ['bits of booleans', 'struct B { bool a, b, c, d; } uint use() { B b = {}; return *(uint*)&b; }', '&b'],
  ['pointer as a number', 'uniform float* ps; float use() { return float(uint64_t(ps)); }', 'uint64_t(ps)'],
  ['list', 'struct N { N* next; float v; } float use(N n) { return n.next->next->v; }', 'N* next'],
  ['buffer of pointers', 'StructuredBuffer<float*> ps; float use() { return *ps[0]; }', 'ps'],
  ['cooperative matrix', 'float use() { CoopMat<float, 4> m; return 0; }', 'CoopMat'],
  [
    'descriptor of a number',
    'float4 use() { return Texture2D.Handle(uint2(1)).Load(int3(0)); }',
    'Texture2D.Handle(uint2(1))',
  ],
  ['assembly', 'float use(float x) { __intrinsic_asm "sin($0)"; }', '__intrinsic_asm "sin($0)";'],
  ['assembly of SPIR-V', 'float use(float x) { return spirv_asm { result: $$float = OpFAdd $x $x }; }', 'spirv_asm'],
  ['target switch', 'float use(float x) { __target_switch { case cuda: __intrinsic_asm "f"; } }', '__target_switch'],
  [
    'stage switch',
    'float use(float x) { __stage_switch { case fragment: return 1; default: return 2; } }',
    '__stage_switch',
  ],
  [
    'tracing',
    'RaytracingAccelerationStructure s; void use() { RayDesc r = {}; TraceRay(s, 0, 1, 0, 0, 0, r, r); }',
    'TraceRay',
  ],
  [
    'array without a length that is handed on',
    'Texture2D all[]; float4 pick(Texture2D of[], int i) { return of[i].Load(int3(0)); } float4 use() { return pick(all, 1); }',
    'all',
  ],
  ['scene', 'RaytracingAccelerationStructure s; void use() { let t = s; }', 's'],
]

const entry = 'RWStructuredBuffer<float> outp; [numthreads(1, 1, 1)] void main() { outp[0] = 1; }'

function built(source: string, options: CompileOptions = {}): Program {
  return compile(source, { fileName: 'main.slang', verify: true, ...options })
}

function text(list: readonly Diagnostic[]): string {
  return renderDiagnostics(list)
}

/** What each target says: nothing where it makes code. */
function said(program: Program): readonly string[] {
  return (['wgsl', 'js', 'wasm'] as const).map(target => {
    try {
      program[target]()
      return ''
    } catch (error) {
      if (!(error instanceof CompileError)) throw error
      return text(error.diagnostics)
    }
  })
}

describe('what nothing reaches', () => {
  test.each(lacking)('%s compiles', (_, code) => {
    for (const program of [
      built(`${code} ${entry}`),
      built(`import lib; ${entry}`, {
        files: { 'lib.slang': `module lib; public ${code.replace(/ (\w+ use\()/, ' public $1')}` },
      }),
    ]) {
      expect(text(program.diagnostics)).toBe('')
      expect(said(program)).toEqual(['', '', ''])
    }
  })

  test('compiles as method, in extensions, generics and beside what is used', () => {
    const program = built(`
struct S { float x; float* p() { return &x; } float ok() { return x * 2; } }
extension S { float bad(CoopMat<half, 4> m) { return 0; } float good() { return ok() + 1; } }
struct Box<T> { T v; T* where_() { return &v; } T get() { return v; } }
float over(float* p) { return 1; } float over(int* p) { return 2; } float over(float x) { return x; }
public float f(float x) { S s = { x }; Box<float> b = { x }; return s.good() + b.get() + over(x); }`)
    expect(text(program.diagnostics)).toBe('')
    expect(evaluate(program.js().code)['f']!(3)).toBe(13)
  })

  test('may lie in a buffer that nobody reads', () => {
    const program = built(`struct N { float v; N* next; } StructuredBuffer<N> nodes; uniform int* where_; ${entry}`)
    expect(said(program)).toEqual(['', '', ''])
    expect(program.wgsl().reflection.bindings.map(b => b.name)).toEqual(['outp'])
  })
})

describe('what is reached', () => {
  test.each(lacking)('%s gets one diagnostic at the use', (_, code, blamed) => {
    const [, params = ''] = /\buse\(([^)]*)\)/.exec(code) ?? []
    for (const program of [
      built(code, { exports: ['use'] }),
      built(`import lib; public void run() { call(); }`, {
        files: { 'lib.slang': `module lib; ${code} public void call() { use(${params === '' ? '' : '{}'}); }` },
      }),
    ]) {
      const errors = program.diagnostics.filter(d => d.severity === 'error')
      expect(
        errors.map(d => d.code),
        text(errors),
      ).toEqual(['E50100'])
      const { span } = errors[0]!
      expect(span!.file.text.slice(span!.start, span!.end)).toContain(blamed)
      expect(program.ok).toBe(false)
    }
  })

  test('is told with the way that leads to it', () => {
    const { diagnostics } = built(`
float leaf(float x) { float* p = &x; return *p; }
struct S { float middle(float x) { return leaf(x); } }
float outer<T : IFloat>(T x) { S s; return s.middle(1); }
${entry.replace('= 1', '= outer(2.0)')}`)
    expect(diagnostics.map(d => d.notes.map(n => n.text))).toEqual([
      ['S.middle needs leaf here', 'outer needs S.middle here', 'main needs outer here'],
    ])
  })

  test('goes on with other functions', () => {
    const { diagnostics } = built(`
public float a(float x) { return *(&x); } public float b(float x) { spirv_asm { OpNop }; return x; }
public float c(float x) { __intrinsic_asm "x"; }`)
    expect(diagnostics.map(d => d.message).sort()).toEqual([
      "'__intrinsic_asm' is not supported yet",
      "'spirv_asm' is not supported yet",
      'a pointer to what is no element of a buffer is not supported yet',
    ])
  })

  test('is told of some functions, where very many use it', () => {
    const many = Array.from({ length: 400 }, (_, i) => `public float f${i}(float x) { return *(&x); }`).join('\n')
    const { length } = built(many).diagnostics
    expect(length).toBeGreaterThan(20)
    expect(length).toBeLessThan(100)
  })

  test('may be reached by derivatives and initial values', () => {
    for (const source of [
      `float f(float x) { return x * x; } [BackwardDerivativeOf(f)] void g(inout DifferentialPair<float> x, float d) { float y; float* p = &y; x = diffPair(x.p, d); }
       public float h(float x) { var p = diffPair(x); bwd_diff(f)(p, 1.0); return p.d; }`,
      'float bad() { return spirv_asm { OpNop }; } static float x = bad(); public float h() { return x; }',
      'float bad() { return spirv_asm { OpNop }; } static const float x = bad(); public float h() { return x; }',
      'float bad() { return spirv_asm { OpNop }; } struct S { float x = bad(); } public float h() { S s = {}; return s.x; }',
    ])
      expect(
        built(source).diagnostics.map(d => d.code),
        source,
      ).toEqual(['E50100'])
  })
})

describe('mistakes of the language', () => {
  test.each([
    ['float use(float* p) { return nothing; }', 'E30015'],
    ['float use(float* p) { int x = float2(1, 2).z; return x; }', 'E30027'],
    ['float use(Nowhere* p) { return 1; }', 'E30015'],
    ['float use(float x) { return *x; }', 'E39999'],
    ['float use() { return &1.0; }', 'E39999'],
    ['void use(CoopVecc v) { }', 'E30015'],
    ['void use() { float x = 1; x.Handle; }', 'E30027'],
  ])('%s stays wrong', (code, expected) => {
    expect(built(`${code} ${entry}`).diagnostics.map(d => d.code)).toContain(expected)
  })
})

describe('target switches', () => {
  test('choose a case that the target can take', () => {
    const program = built(`
float which(float x) { __target_switch {
  case wgsl: return 1; case cpp: return 2; case spirv: return spirv_asm { OpNop }; default: return 3; } }
float other(float x) { __target_switch { case wgsl: { float* p = &x; return *p; } default: return x + 4; } }
public float f(float x) { return which(x) * 10 + other(x); }
RWStructuredBuffer<float> outp; [numthreads(1, 1, 1)] void main() { outp[0] = which(1) * 10 + other(1); }`)
    expect(text(program.diagnostics)).toBe('')
    expect(evaluate(program.js().code)['f']!(1)).toBe(25)
    expect(program.wgsl().code).toContain('outp[0] = 15')
  })
})

describe('constants that no module exports', () => {
  const lib = 'module lib; extern static const int N; extern static const float S; extern struct T;'

  test('do not keep a module from compiling alone', () => {
    const program = built(
      `${lib} float[N] row() { float[N] r; for (int i = 0; i < N; i++) r[i] = i * S; return r; } float g(T t) { return t.x; }`,
    )
    expect(text(program.diagnostics)).toBe('')
    expect(said(program)).toEqual(['', '', ''])
  })

  test.each([
    ['public float f() { return S; }', 'S'],
    ['public float f() { float[N] r; r[0] = 1; return r[0]; }', 'N'],
    ['static const int M = N + 1; public float f() { float[M] r; r[0] = 1; return r[0]; }', 'M'],
    ['public float f(T t) { return 1; }', 'T'],
    ['[numthreads(N, 1, 1)] void main() { }', 'N'],
  ])('are missing where code needs them: %s', (code, name) => {
    const { diagnostics } = built(`${lib} ${code}`)
    expect(
      diagnostics.map(d => d.code),
      text(diagnostics),
    ).toEqual(['E45001'])
    const { span } = diagnostics[0]!
    expect(span!.file.text.slice(span!.start, span!.end)).toContain(name === 'T' ? 'T' : name)
  })
})

describe('stages that no target has', () => {
  const rays = '[shader("raygeneration")] void generate() { }'

  test('are reported of what is compiled', () => {
    expect(built(`${rays} ${entry}`).diagnostics.map(d => d.code)).toEqual(['E50100'])
  })

  test('are no matter of other entry points, nor of imports', () => {
    expect(said(built(`${rays} ${entry}`, { entries: ['main'] }))).toEqual(['', '', ''])
    expect(said(built(`import lib; ${entry}`, { files: { 'lib.slang': `module lib; ${rays}` } }))).toEqual(['', '', ''])
  })
})

describe('functions of resources', () => {
  const source = 'public float f(StructuredBuffer<float> b) { return b[0]; } public float g(float x) { return x * x; }'

  test.each(['js', 'wasm'] as const)('are left out of %s with a note', target => {
    const program = built(source)
    expect(program.diagnostics).toEqual([])
    program[target]()
    program[target]()
    expect(program.diagnostics.map(d => [d.severity, d.code])).toEqual([['note', 'N37102']])
    expect(program.ok).toBe(true)
    expect(program.exports.map(f => f.name)).toEqual(['g'])
  })

  test('are an error where they are named', () => {
    expect(said(built(source, { exports: ['f', 'g'] })).map(s => /error (E\d+)/.exec(s)?.[1])).toEqual([
      undefined,
      'E37102',
      'E37102',
    ])
  })
})
