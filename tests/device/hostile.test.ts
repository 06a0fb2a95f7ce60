import { afterAll, describe, expect, it } from 'vitest'
import { checkDerivatives, loadSync } from '../../src/cpu/index.ts'
import { compile } from '../../src/index.ts'
import { exercise } from '../support/exercise.ts'
import { closeGpu, compileWgsl, refuse } from '../support/gpu.ts'
import { evaluate } from '../support/js-run.ts'

afterAll(closeGpu)

const kernel = (body: string, around = ''): string => `RWStructuredBuffer<float> o;
${around}
[shader("compute")] [numthreads(4, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) { ${body} }
`

/** Programs that once ended in an exception, or in code that a target refused. */
const chain = (count: number, line: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => `${line(i)}\n`).join('')

/** Interfaces each of which says that what conforms to it conforms to every other. */
const circles = Array.from(
  { length: 12 },
  (_, i) =>
    `interface I${i} { int f${i}(); }\n${Array.from({ length: 12 }, (_, k) =>
      i === k ? '' : `extension<T : I${i}> T : I${k} { int f${k}() { return this.f${i}() + 1; } }\n`,
    ).join('')}`,
).join('')

const programs: Readonly<Record<string, string>> = {
  'constant indices outside of a buffer': kernel('o[-1] = 1; o[0xffffffff] = 2; o[1 << 31] = o[id.x - 4] + o[-2];'),
  'bits of a signed number': kernel(
    'int x = int(o[1]); o[0] = countbits(x) + countbits(-1) + countbits(int2(x, 3)).y;',
  ),
  'functions as values': 'export void f(functype (int, float) -> int g) { }',
  'bindings that no device has': `[vk::binding(0xffffffff)] ${kernel('o[0] = 1;')}`,
  'a function named as the memory of WebAssembly is': 'export float memory(float x) { return x; }',
  'arrays whose generic length is too small': `float f<let N : int>(float x) { float a[N]; a[0] = x; return a[0]; }
export float g(float x) { return f<0>(x) + f<-3>(x); }`,
  'exported functions that take buffers':
    'public float f(StructuredBuffer<float> b, RWStructuredBuffer<int> c) { c[0] = 1; return b[0]; }',
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
  'lanes that no wave has': kernel(
    'o[0] = WaveReadLaneAt(o[1], -1) + WaveReadLaneAt(o[2], 128u) + WaveReadLaneAt(float2(o[3]), id.x + 1000).y;',
  ),
  'a resource of an array that the run chooses': `struct Data { StructuredBuffer<float> inputs[2]; float fetch(int which) { return inputs[which][2]; } }
ParameterBlock<Data> data;
${kernel('o[0] = data.fetch(int(o[1]));')}`,
  'an index past an array of resources': `StructuredBuffer<float> all[];
${kernel('o[0] = all[0][1] + all[1][1];')}`,
  'a value of which no interface says anything': `interface I { associatedtype A; A make(); int use(A a); }
struct P : I { typealias A = int; int make() { return 3; } int use(int a) { return a; } }
struct Q : I { typealias A = float; float make() { return 2.5; } int use(float a) { return int(a * 2); } }
I pick(int i) { if (i == 0) { P p; return p; } Q q; return q; }
${kernel('I i = pick(int(o[0])); let a = i.make(); o[1] = i.use(a);')}`,
  'atomics on what is no number': kernel(
    'InterlockedAdd(b[0].on, 2u);',
    'struct B { bool on; } RWStructuredBuffer<B> b;',
  ),
  'textures with gradients of every width': `DiffTexture2D<float> a; DiffTexture2D<float3> b; SamplerState s;
[Differentiable] float f(float2 p) { return a.SampleLevel(s, p, 0) + b.SampleLevel(s, p, 1.5).z + a[uint2(0,1)]; }
[shader("compute")] [numthreads(1,1,1)] void main() { var p = diffPair(float2(0.1)); bwd_diff(f)(p, 1); let q = fwd_diff(f)(diffPair(float2(0.1), float2(1))); RWs[0] = q.d; }
RWStructuredBuffer<float> RWs;`,
  'system values that each stage is asked for twice, in structs of structs': `struct V { uint v : SV_VertexID; int again : SV_VertexID; }
struct In { V inner; uint i : SV_InstanceID; float3 at : POSITION; }
struct P { float4 p : SV_Position; } struct Out { P p; float2 uv : UV; }
struct F { Out o; bool front : SV_IsFrontFace; bool back : SV_IsFrontFace; }
[shader("vertex")] Out vs(In i, uint third : SV_VertexID) { Out o; o.p.p = float4(i.at, float(i.inner.v + third) + i.inner.again); o.uv = float2(i.i); return o; }
[shader("fragment")] float4 fs(F f, float4 p : SV_Position, float3 q : SV_Position) : SV_Target { return f.front && f.back ? p : float4(q, f.o.uv.x); }
[shader("compute")] [numthreads(1, 1, 1)] void cs(V0 a, V0 b, uint3 c : SV_GroupID) { o[a.id.x] = float(b.id.y + c.z); }
struct V0 { uint3 id : SV_DispatchThreadID; uint3 g : SV_GroupID; } RWStructuredBuffer<float> o;`,
  'tensors of structs and vectors': `struct S { float a; int b; }
[CUDAKernel] void k(TensorView<S> x, TensorView<float3> y) { S s = x[0]; y[1] = float3(s.a); x.store(1, s); x[0].a = 4; y[0].x += 2; }`,
  'atomics on tensors of vectors': `[CUDAKernel] void k(TensorView<float3> y) { float3 old; y.InterlockedAdd(0, float3(1), old); }`,
  'tensors that are changed in place': `[CUDAKernel] [Differentiable] void k(DiffTensorView x, DiffTensorView y) { x[0] += y[0]; x.primal[1] = 3; y[0]++; }`,
  'buffers of matrices and arrays with gradients': `struct G : IDifferentiable { float3 a; int k; }
DiffStructuredBuffer<G> gs; DiffStructuredBuffer<float4x4> ms; DiffStructuredBuffer<float[3]> as;
[Differentiable] float f(uint i) { return gs[i].a.x * ms[i][0][1] + as[i][2]; }
[shader("compute")] [numthreads(1, 1, 1)] void main(uint3 id : SV_DispatchThreadID) { bwd_diff(f)(id.x, 1); }`,
  'textures with gradients behind an interface': `interface IShape { [Differentiable] float at(float2 p); }
struct Tex : IShape { DiffTexture2D<float> t; SamplerState s; [Differentiable] float at(float2 p) { return t.SampleLevel(s, p, 0); } }
[Differentiable] float go<T : IShape>(T x, float2 p) { return x.at(p) * 2; }
ParameterBlock<Tex> t;
RWStructuredBuffer<float2> o;
[shader("compute")] [numthreads(1,1,1)] void main(uint3 id: SV_DispatchThreadID) { var p = diffPair(float2(0.3)); Tex x = t; bwd_diff(go<Tex>)(x, p, 1); o[0] = p.d; }`,
  'places that a texture moves': `Texture2D t; SamplerState s; RWStructuredBuffer<float2> o;
[Differentiable] float f(float2 p) { float2 q = p; for (int i = 0; i < 4; i++) q += 0.1 * t.SampleLevel(s, q, 0).xy; return dot(q, q); }
[shader("compute")] [numthreads(1,1,1)] void main() { var p = diffPair(float2(0.3)); bwd_diff(f)(p, 1); o[0] = p.d; }`,
  'textures and samplers wherever they may stand': `Texture2D t[2]; SamplerState s[2]; struct P { Texture2D a; SamplerState b; float4 at(float2 p) { return a.SampleLevel(b, p, 0); } }
ParameterBlock<P> block; P plain;
Texture2D choose(bool c) { return c ? t[0] : t[1]; }
float4 go(Texture2D x, SamplerState y, float2 p) { return x.SampleLevel(y, p, 0); }
RWTexture2D<float4> img[2];
[shader("compute")] [numthreads(1,1,1)] void main(uint3 id : SV_DispatchThreadID, uniform Texture2D own, uniform SamplerState mine) {
 float2 p = float2(id.xy) * 0.1;
 img[0][id.xy] = go(t[1], s[0], p) + block.at(p) + plain.at(p) + own.SampleLevel(mine, p, 0) + go(own, block.b, p);
 img[1].Store(id.xy, t[0][id.xy]);
}
[shader("fragment")] float4 fs(float2 uv : TEXCOORD) : SV_Target { return t[0].Sample(s[1], uv) + t[0].SampleGrad(s[1], uv, uv, uv); }`,
  'what a sampler of integers would be': `Texture2D<int4> t; SamplerState s; export float f(float2 d) { return t.SampleLevel(s, d, 0).x + t.SampleLevel(s, d, 0, int2(1, 0)).x; }`,
  'constants that need the two before them': `${chain(60, i => `static const float c${i} = ${i < 2 ? '1.5' : `c${i - 1} * 0.5 + c${i - 2}`};`)}${kernel('o[0] = c59;')}`,
  'calls of the function before, twice each': `[Differentiable] float f0(float x) { return x * x; }
${chain(12, i => `[Differentiable] float f${i + 1}(float x) { return f${i}(x) * f${i}(x + 1); }`)}${kernel('var p = diffPair(o[0]); bwd_diff(f12)(p, 1); o[1] = p.d;')}`,
  'structs of two of the struct before': `${chain(12, i => `struct D${i + 1} { ${i === 0 ? 'float' : `D${i}`} a; ${i === 0 ? 'float' : `D${i}`} b; }`)}
RWStructuredBuffer<D12> q; ${kernel(`D12 x; x.${'b.'.repeat(11)}a = o[1]; o[0] = x.${'b.'.repeat(11)}a;`)}`,
  'structs of a million numbers': `${chain(20, i => `struct D${i + 1} { ${i === 0 ? 'float' : `D${i}`} a; ${i === 0 ? 'float' : `D${i}`} b; }`)}
RWStructuredBuffer<D20> q; ${kernel(`D20 x; x.${'b.'.repeat(19)}a = o[1]; o[0] = x.${'b.'.repeat(19)}a;`)}`,
  'arrays of many dimensions': kernel(
    `float x${'[8]'.repeat(9)}; x${'[1]'.repeat(9)} = o[0]; o[1] = x${'[1]'.repeat(9)}; float y${'[8]'.repeat(16)}; y[int(o[2])]${'[1]'.repeat(15)} = 1; o[3] = y[int(o[4])]${'[1]'.repeat(15)};`,
  ),
  'buffers of elements that no memory holds': kernel(
    'b[0].x[int(o[0])][int(o[1])] = 1;',
    'struct S { float x[50000][50000]; } RWStructuredBuffer<S> b;',
  ),
  'extensions that ask each other in circles': `${circles}interface Base { } int needs<V : I0>(V v) { return v.f0(); } int use<U : Base>(U u) { return needs(u); }`,
  'locations of inputs that no device has': `struct V { [[vk::location(0xffffffff)]] float3 position : POSITION; }
[shader("vertex")] float4 main(V v) : SV_Position { return float4(v.position, 1); }`,
  'locations of outputs that no device has': `struct O { float4 a : SV_Target70000; float4 b : SV_Target; }
[shader("fragment")] O main(float4 x : TEXCOORD99999) { return { x, x }; }`,
  'resources that were never set': kernel(
    'V v; o[0] = v.d[0] + get(v);',
    'struct V { StructuredBuffer<float> d; int k; } float get(out V v) { return v.d[0]; }',
  ),
  'generic parameters with defaults before such without': `struct B<T, int N = 4, int S> { T v[N]; float s[S]; }
float g<T, int N = 4, int S>(T x) { return N; }
export float f() { B<float, 3> b; return g<float, 3>(1.0); }`,
  'samplers of devices beside pictures': `TextureCube c; Texture2D t; SamplerState s; SamplerComparisonState z; export float f(float3 d) { return c.SampleLevel(s, d, 0).x + t.SampleCmpLevelZero(z, d.xy, 0.5); }`,
  'a function that calls itself through its derivative': `[ForceInline] float chooses(float x) { run(); return x; }
[Differentiable] float f(float x) { return x + chooses(x); }
void run() { var x = diffPair(3.0); bwd_diff(f)(x, 1.0); o[0] = x.d; }
${kernel('run();')}`,
  'a method that calls itself through its derivative': `struct T : IDifferentiable { float k; [Differentiable] float with(float x) { return x; } [Differentiable] float without(float x) { run(); return x; } }
[Differentiable] float f(T t, float x) { return t.with(x) + t.without(x); }
void run() { T t = {}; var p = diffPair(t); var x = diffPair(5.0); bwd_diff(f)(p, x, 1.0); o[0] = p.d.k + x.d; }
${kernel('run();')}`,
  'variables that nothing writes, with values that constant expressions refuse': kernel(
    `
    o[0] = float(5 / zero); o[1] = float(big + 1); o[2] = float(1 << shift); o[3] = huge * 10.0; o[4] = float(most + 1u); o[5] = float(table[past]);
    o[6] = float(uint(minus)); o[7] = float(7 % zero); o[8] = sqrt(half_); o[9] = float(uint(half_)); o[10] = pair[pair.y]; o[11] = table[pair.x + 7];`,
    `static int zero = 0; static int big = 2147483647; static int shift = 40; static float huge = 3e38; static uint most = 4294967295u; static int past = 7;
   static int minus = -1; static float half_ = -2.5; static int table[3] = { 1, 2, 3 }; static int2 pair = int2(0, 9);`,
  ),
}

/** Those that end in a diagnostic: of any target, and of WGSL. All others come to code. */
const refused: ReadonlySet<string> = new Set([
  'bindings that no device has',
  'arrays whose generic length is too small',
  'the derivative of a static requirement, of no type',
  'an index past an array of resources',
  'a value of which no interface says anything',
  'atomics on what is no number',
  'atomics on tensors of vectors',
  'what a sampler of integers would be',
  'extensions that ask each other in circles',
  'locations of inputs that no device has',
  'locations of outputs that no device has',
  'generic parameters with defaults before such without',
  'structs of a million numbers',
  'an initial value that needs itself through an interface',
])
const refusedForGpus: ReadonlySet<string> = new Set([
  'an entry point that calls itself',
  'a resource of an array that the run chooses',
  'arrays of many dimensions',
  'buffers of elements that no memory holds',
  'resources that were never set',
  'a function that calls itself through its derivative',
  'a method that calls itself through its derivative',
])

const resources = `Texture2D t; Texture2D u; StructuredBuffer<float> a; StructuredBuffer<float> b; SamplerState q; SamplerState r; RWTexture2D<float> rw; RWTexture2D<float> rx;
Texture2D many[2]; struct S { Texture2D t; float k; }
float at(Texture2D x) { return x.Load(int3(0, 0, 0)).x; }
Texture2D pick(bool c) { if (c) return t; return u; } void get(out Texture2D o) { o = t; } void swap(inout Texture2D o) { o = u; } T same<T>(T x) { return x; }
interface I { float get(); } struct A : I { Texture2D t; float get() { return at(t); } } struct B : I { float k; float get() { return k; } }
`

/** Ways of a resource through a program, and what each target says: null is code. */
const flows: readonly (readonly [body: string, cpu: string | null, gpu: string | null, around?: string])[] = [
  ['Texture2D l = t; float x = at(l); l = u; o[0] = x + at(l);', null, null],
  ['Texture2D l; get(l); o[0] = at(l); swap(l); o[1] = at(l);', null, null],
  ['S s; s.t = t; s.k = 2; o[0] = at(s.t) * s.k; s.t = u; o[1] = at(s.t);', null, null],
  [
    'S s = { t, 3 }; o[0] = at(same(s).t) * s.k; o[1] = at(true ? t : u) + at(same<Texture2D>(t)) + at(fixed_);',
    null,
    null,
    'static const Texture2D fixed_ = u;',
  ],
  ['A a = { t }; o[0] = a.get(); let l = (int i) => t.Load(int3(i, 0, 0)).x; o[1] = l(1);', null, null],
  ['Texture2D l = t; if (o[1] > 1) l = u; o[0] = at(l);', 'E37103', 'E37006'],
  ['o[0] = at(o[1] > 1 ? t : u);', 'E37103', 'E37006'],
  ['o[0] = at(pick(o[1] > 1));', 'E37103', 'E37006'],
  ['S s = { t, 3 }; if (o[1] > 1) s.t = u; o[0] = at(s.t) * s.k;', 'E37103', 'E37006'],
  [
    'Texture2D l; switch (int(o[1])) { case 1: l = t; break; default: l = u; break; } o[0] = at(l);',
    'E37103',
    'E37006',
  ],
  ['Texture2D l = t; for (int i = 0; i < int(o[1]); i++) { o[i] = at(l); l = u; }', 'E37103', 'E37006'],
  ['Texture2D l[2] = { t, u }; o[0] = at(l[int(o[1])]);', 'E37103', 'E37006'],
  ['Texture2D l; o[0] = at(l);', 'E37103', 'E37006'],
  ['SamplerState s = q; if (o[1] > 1) s = r; o[0] = t.SampleLevel(s, float2(0.5), 0).x;', 'E37103', 'E37006'],
  ['RWTexture2D<float> l = rw; if (o[1] > 1) l = rx; l[uint2(0, 0)] = 3;', 'E37103', 'E37006'],
  ['StructuredBuffer<float> l = a; if (o[1] > 1) l = b; o[0] = l[0];', 'E37103', 'E37006'],
  ['A a = { t }; I i = a; A c = { u }; if (o[1] > 1) i = c; o[0] = i.get();', 'E37103', 'E37006'],
  ['o[0] = at(many[int(o[1])]);', 'E36112', 'E36112'],
  ['s = t; o[0] = at(s);', 'E30076', 'E30076', 'static Texture2D s;'],
  ['o[0] = at(s);', 'E30076', 'E30076', 'static Texture2D s = t;'],
  ['o[0] = at(s);', 'E30076', 'E30076', 'groupshared Texture2D s;'],
  ['s.t = t; o[0] = at(s.t) * s.k;', 'E30076', 'E30076', 'static S s;'],
  ['s = b; o[0] = s[0];', 'E30076', 'E30076', 'static StructuredBuffer<float> s;'],
  ['s = q; o[0] = t.SampleLevel(s, float2(0.5), 0).x;', 'E30076', 'E30076', 'static SamplerState s;'],
]

describe('resources', () => {
  const said = (make: () => unknown): string | null => {
    try {
      make()
      return null
    } catch (error) {
      return /E\d{5}/.exec((error as Error).message)?.[0] ?? String(error)
    }
  }
  it.each(flows.map(flow => ({ flow, body: flow[0] })))(
    'end in code or in a diagnostic: $body',
    async ({ flow: [body, cpu, gpu, around = ''] }) => {
      for (const optimize of [0, 2] as const) {
        const source = kernel(body, `${resources}${around}`)
        const program = (): ReturnType<typeof compile> => compile(source, { optimize, verify: true })
        expect([said(() => program().wasm()), said(() => program().js()), said(() => program().wgsl())]).toEqual([
          cpu,
          cpu,
          gpu,
        ])
      }
      const { wgsl } = await exercise(kernel(body, `${resources}${around}`), true)
      for (const code of wgsl) refuse(code, await compileWgsl(code))
    },
  )
})

describe('hostile programs', () => {
  it.each(Object.entries(programs))('%s', async (name, source) => {
    const { compiled, wgsl } = await exercise(source, true)
    expect({ compiled, wgsl: wgsl.length > 0 }).toEqual({
      compiled: !refused.has(name),
      wgsl: !refused.has(name) && !refusedForGpus.has(name),
    })
    for (const code of wgsl) refuse(code, await compileWgsl(code))
  })

  it('refuses what only other targets have in a module where it is called, and nowhere else', () => {
    const files = {
      'lib.slang':
        'float next(float x) { __intrinsic_asm "nextafterf($0, 1)"; } float twice(float x) { return x + x; }',
    }
    expect(compile(`import lib; ${kernel('o[0] = twice(o[1]);')}`, { files }).wgsl().code).toContain('o[0] =')
    expect(() => compile(`import lib; ${kernel('o[0] = next(o[1]);')}`, { files }).wgsl()).toThrow('__intrinsic_asm')
  })

  it('says in WGSL that half floats are used, also where no type is written', () => {
    expect(compile(kernel('o[id.x] = log(half(o[0]) + 1.0h);')).wgsl().code).toMatch(/^enable f16;/)
    expect(compile(kernel('o[id.x] = log(1.0h) + 0.0;')).wgsl().code).toMatch(/^(enable f16;|[^h]*$)/)
  })

  it('leaves a resource that nothing sets without a value, and refuses vectors that generic arguments make of matrices', async () => {
    await exercise(`struct S { float a; Texture2D<float4> t; } ${kernel('S s = {}; s.a = o[1]; o[0] = s.a;')}`, true)
    expect(() =>
      compile(
        `struct G<T> { vector<T, 2> v; } ${kernel('G<float2x2> g; g.v[0][0].x = o[1]; o[0] = g.v[0][0].x;')}`,
      ).wgsl(),
    ).toThrow('E36113')
  })

  it('takes and gives fields, outputs and functions named __proto__ as any other', async () => {
    const name = '__proto__'
    const named = (value: number): Record<string, number> =>
      JSON.parse(`{ "${name}": ${value}, "k": 2 }`) as Record<string, number>
    const source = `struct S : IDifferentiable { float ${name}; float k; }
export S f(S s, out float ${name}) { ${name} = s.${name}; s.${name} *= 3; return s; }
[Differentiable] export float g(S s, float ${name}) { return s.${name} * ${name} * s.k; }
export float ${name}(float x) { return 2 * x; }
RWStructuredBuffer<S> o; uniform float ${name}_; cbuffer C { float ${name}c; }
[shader("compute")] [numthreads(1, 1, 1)] void main() { o[0].${name} = o[1].${name} + 1; }`
    const program = compile(source, { verify: true })
    const machine = loadSync(program)
    const wanted = { result: named(15), out: JSON.parse(`{ "${name}": 5 }`) as object }
    expect(machine.fn['f']!(named(5))).toEqual(wanted)
    expect(Object.keys((machine.fn['f']!(named(5)) as { result: object }).result)).toEqual([name, 'k'])
    expect(Object.keys(machine.fn)).toContain(name)
    expect(Object.getOwnPropertyDescriptor(machine.fn, name)!.value(4)).toBe(8)
    const emitted = evaluate(program.js().code)['f']!(named(5)) as { result: object; out: object }
    expect([Object.entries(emitted.result), Object.entries(emitted.out)]).toEqual([
      [
        [name, 15],
        ['k', 2],
      ],
      [[name, 5]],
    ])
    const data = [named(1), named(4)]
    machine.kernel('main').dispatch([1, 1, 1], { buffers: { o: data } })
    expect(data.map(d => Object.entries(d))).toEqual([
      [
        [name, 5],
        ['k', 2],
      ],
      [
        [name, 4],
        ['k', 2],
      ],
    ])
    expect((await checkDerivatives(program, { functions: ['g'] })).functions.map(f => f.status)).toEqual(['ok'])
  })

  it.each(Object.getOwnPropertyNames(Object.prototype))("knows nothing of JavaScript's %s", async name => {
    const { wgsl } = await exercise(
      `struct ${name} { float ${name}; float get() { return ${name}; } }
interface I { associatedtype A; [Differentiable] static float ${name}(float x); }
struct S : I { typedef float A; [Differentiable] static float ${name}(float x) { return x * x; } }
[${name}] float twice(float x) { return x + x; }
${kernel(`${name} v; v.${name} = o[1]; o[0] = twice(v.get()) + fwd_diff(S::${name})(diffPair(o[2], 1.0)).d;`)}`,
      true,
    )
    expect(wgsl).toHaveLength(1)
    for (const use of [
      `${name} x;`,
      `o[0] = ${name};`,
      `o[0] = ${name}(1.0);`,
      `o[0] = o[1].${name};`,
      `Texture2D<${name}> t;`,
    ]) {
      expect(
        compile(kernel(use)).diagnostics.filter(d => d.severity === 'error'),
        use,
      ).not.toEqual([])
    }
    expect(() => compile(kernel('t[id.xy] = 1.0;', `[format("${name}")] RWTexture2D<float4> t;`)).wgsl()).toThrow(
      'E37012',
    )
  })
})
