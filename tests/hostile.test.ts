import { afterAll, describe, expect, it } from 'vitest'
import { compile } from '../src/index.ts'
import { exercise } from './exercise.ts'
import { closeGpu, compileWgsl, refuse } from './gpu.ts'

afterAll(closeGpu)

const kernel = (body: string, around = ''): string => `RWStructuredBuffer<float> o;
${around}
[shader("compute")] [numthreads(4, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) { ${body} }
`

/** Programs that once ended in an exception, or in code that a target refused. */
const programs: Readonly<Record<string, string>> = {
  'constant indices outside of a buffer': kernel('o[-1] = 1; o[0xffffffff] = 2; o[1 << 31] = o[id.x - 4] + o[-2];'),
  'bits of a signed number': kernel('int x = int(o[1]); o[0] = countbits(x) + countbits(-1) + countbits(int2(x, 3)).y;'),
  'functions as values': 'export void f(functype (int, float) -> int g) { }',
  'bindings that no device has': `[vk::binding(0xffffffff)] ${kernel('o[0] = 1;')}`,
  'a function named as the memory of WebAssembly is': 'export float memory(float x) { return x; }',
  'arrays whose generic length is too small': `float f<let N : int>(float x) { float a[N]; a[0] = x; return a[0]; }
export float g(float x) { return f<0>(x) + f<-3>(x); }`,
  'exported functions that take buffers': 'public float f(StructuredBuffer<float> b, RWStructuredBuffer<int> c) { c[0] = 1; return b[0]; }',
  'an entry point that calls itself': kernel('main(id);'),
  'an initial value that needs itself through an interface': `interface I { static float f(); }
struct S : I { static float f() { return a; } }
float h<T : I>() { return T.f(); }
static float a = h<S>();
public float g(float x) { return a * x; }`,
  'the derivative of a static requirement, of no type': `interface I { [Differentiable] static float apply(float x) { return x; } }
export float f(float x) { var p = diffPair(x); bwd_diff(I.apply)(p, 1.0); return p.d; }`,
  'a varying that each stage takes for another type': `[shader("vertex")]
float4 vs(out bool lit : LIT) : SV_Position { lit = true; return 1.0; }
[shader("fragment")]
float4 fs(noperspective float lit : LIT) : SV_Target { return lit; }`,
  'lanes that no wave has': kernel('o[0] = WaveReadLaneAt(o[1], -1) + WaveReadLaneAt(o[2], 128u) + WaveReadLaneAt(float2(o[3]), id.x + 1000).y;'),
  'atomics on what is no number': kernel('InterlockedAdd(b[0].on, 2u);', 'struct B { bool on; } RWStructuredBuffer<B> b;'),
}

describe('hostile programs', () => {
  it.each(Object.entries(programs))('%s', async (_, source) => {
    const { wgsl } = await exercise(source, true)
    for (const code of wgsl) refuse(code, await compileWgsl(code))
  })

  it('says in WGSL that half floats are used, also where no type is written', () => {
    expect(compile(kernel('o[id.x] = log(half(o[0]) + 1.0h);')).wgsl().code).toMatch(/^enable f16;/)
    expect(compile(kernel('o[id.x] = log(1.0h) + 0.0;')).wgsl().code).toMatch(/^(enable f16;|[^h]*$)/)
  })
})
