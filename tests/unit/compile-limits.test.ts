import { expect, it } from 'vitest'
import { CompileError, compile, type Limits } from '../../src/index.ts'
import { counted } from '../../src/base/limits.ts'

/** A program that takes more than so little of each; output is only there once a target is asked for. */
const programs: Readonly<Record<Exclude<keyof Limits, 'output'>, { readonly source: string; readonly most: number }>> =
  {
    tokens: { source: '#define A 1 + 2 + 3\npublic int f() { return A + A + A; }', most: 20 },
    text: { source: '#define S(x) #x\npublic void f() { printf(S(aaaaaaaaaaaaaaaaaaaa)); }', most: 10 },
    typeText: {
      source: 'struct Pair<A, B> { A a; B b; } public int f(Pair<Pair<int, int>, int> p) { return p.b; }',
      most: 20,
    },
    instances: { source: 'T g<T>(T x) { return x; } public float f(float x) { return g(x) + g(int(x)); }', most: 2 },
    statements: { source: 'public float f(float x) { x += 1; x += 2; return x; }', most: 2 },
    instructions: { source: '[Differentiable] public float f(float x) { return sin(x) * cos(x) + x; }', most: 12 },
    nesting: {
      source:
        'static float a = 1; static float b = a; static float c = b; static float d = c; public float f() { return d; }',
      most: 5,
    },
    scalars: { source: 'struct S { float4x4 m; float3 v; } public float f(S s) { return s.v.x; }', most: 18 },
  }

it.each(Object.entries(programs))(
  'says which limit was met, once, and how to raise it: %s',
  (limit, { source, most }) => {
    expect(compile(source).diagnostics).toEqual([])
    const { ok, diagnostics } = compile(source, { limits: { [limit]: most } })
    expect(ok).toBe(false)
    expect(diagnostics.map(d => d.code)).toEqual(['E50200'])
    expect(diagnostics[0]!.message).toBe(`the program takes more than ${most} ${counted[limit as keyof Limits]}`)
    expect(diagnostics[0]!.help).toContain(`--limit ${limit}=N`)
  },
)

it.each(['wgsl', 'js', 'wasm'] as const)('counts what is written, to each target anew: %s', target => {
  const source =
    'RWStructuredBuffer<float4x4> m; [shader("compute")] [numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID) { m[id.x] = mul(m[id.x], m[id.y]); }'
  const program = compile(source, { limits: { output: 100 } })
  expect(program.diagnostics).toEqual([])
  const codes: string[] = []
  for (let i = 0; i < 2; i++) {
    try {
      program[target]()
    } catch (error) {
      codes.push(...(error as CompileError).diagnostics.map(d => `${d.code} ${d.message}`))
    }
  }
  expect(codes).toEqual(
    Array.from({ length: 2 }, () => 'E50200 the program takes more than 100 characters or bytes of output'),
  )
  expect(() => compile(source)[target]()).not.toThrow()
})

it('leaves loops as they are where all of them written out would be too much', () => {
  const loop = 'for (int i = 0; i < 8; i++) x = x * 0.9 + sin(x * y) * 0.1;\n'
  const source = `[Differentiable] public float f(float x, float y) { ${loop.repeat(150)} return x; }`
  expect(compile(source).js().code).toMatch(/\b(for|while) \(/)
})

it('writes once what many functions of a CPU begin with', () => {
  const source = (
    functions: number,
  ): string => `${Array.from({ length: 100 }, (_, i) => `static float g${i} = ${i};\n`).join('')}float all() { return ${Array.from({ length: 100 }, (_, i) => `(g${i} += 1) + `).join('')} 0; }
${Array.from({ length: functions }, (_, i) => `public float f${i}(float x) { return all() + x; }\n`).join('')}`
  const [few, many] = [2, 40].map(n => compile(source(n)))
  expect(many!.js().code.length / few!.js().code.length).toBeLessThan(2)
  expect(many!.wasm().bytes.length / few!.wasm().bytes.length).toBeLessThan(2)
})

it('compiles what comes after a program that met a limit', () => {
  const { source, most } = programs.instances
  compile(source, { limits: { instances: most } })
  expect(compile(source).js().code).toContain('f')
})

it('counts derivatives where a target asks for them', () => {
  const program = compile(programs.instructions.source, { limits: { instructions: 40 } })
  expect(program.diagnostics).toEqual([])
  expect(() => program.js()).toThrow(CompileError)
  expect(program.js({ derivatives: false }).code).toContain('f')
})

it('counts what is searched for the end of a call of a macro, and nothing where none begins', () => {
  const source = (arg: string): string =>
    `#define f(x) x\n#define g(x) 1\n#define h(x) g(x)\npublic int a() { return h(${arg.repeat(900)}); }`
  expect(compile(source('f '), { limits: { tokens: 10_000 } }).diagnostics).toEqual([])
  // What a macro opens in an argument has no end there.
  const open = compile(`#define r f (\n${source('r ')}`, { limits: { tokens: 10_000 } })
  expect(open.diagnostics.map(d => d.code)).toEqual(['E50200'])
})

it('gives derivatives that are made again until they fit ten times the instructions', () => {
  const source =
    '[ForceUnroll] for (int i = 0; i < 4000; i++) { x = x * x + 1; x = x * y + i; y = y * x + 2; y = y * y + x; }'
  const most = (maxContext?: number): string =>
    compile(`public float f(float x, float y) { ${source} return x; }`, { maxContext }).diagnostics[0]?.message ?? ''
  expect(most()).toContain('more than 22000 instructions')
  expect(most(64)).not.toContain('more than 22000 instructions')
})
