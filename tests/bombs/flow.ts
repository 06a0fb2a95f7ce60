/** Bombs of code: inlining, unrolling, loops, switches, `defer`, derivatives of any order, dispatch, large values, targets. */
import { fill, kernel, nest, times, type Bombs } from './recipe.ts'

const room = 'x'.repeat(400)
const make = (n: number, one: (inner: string, level: number) => string, last: string): string => {
  let text = last
  for (let i = 0; i < n; i++) text = one(text, i)
  return text
}
const order = (n: number, first: string, mode: 'fwd' | 'bwd' | 'both'): string =>
  `[Differentiable] float f0(float x) { ${first} }\n${times(n, i =>
    mode === 'fwd' || (mode === 'both' && i % 2 === 0)
      ? `[Differentiable] float f${i + 1}(float x) { return fwd_diff(f${i})(diffPair(x, 1.0)).d; }\n`
      : `[Differentiable] float f${i + 1}(float x) { var p = diffPair(x); bwd_diff(f${i})(p, 1.0); return p.d; }\n`,
  )}${kernel(`o[0] = f${n}(o[1]);`)}`
const diff = (body: string, before = '', n = 1): string =>
  `${before}\n[Differentiable] public float f(float x, int n) { ${body} }\n${n < 2 ? '' : '[Differentiable] public float g(float x, int n) { return fwd_diff(f)(diffPair(x, 1.0), n).d; }\n'}`

export const flowBombs: Bombs = {
  'derivatives of order 6 of a loop': () =>
    order(6, 'float s = x; [MaxIters(8)] for (int i = 0; i < 8; i++) s = sin(s) * x; return s;', 'fwd'),
  'derivatives of order 5 of a loop, in reverse': () =>
    order(5, 'float s = x; [MaxIters(8)] for (int i = 0; i < 8; i++) s = sin(s) * x; return s;', 'bwd'),
  'derivatives of order 8 in both modes': () => order(8, 'return x * x * sin(x) / (1 + exp(x));', 'both'),
  'derivatives of order 6 of a loop of unknown trips, both modes': () =>
    order(
      6,
      'float s = x; [MaxIters(9)] for (int i = 0; i < int(x); i++) { if (s > 1) s = s * x; else s = sqrt(s) + x; } return s;',
      'both',
    ),
  'derivatives of order 7 of many library functions': () =>
    order(
      7,
      'return pow(x, 1.5) * smoothstep(0, x, 2) * lerp(x, 1, x) * atan2(x, 2) * normalize(float3(x, 1, x)).x;',
      'fwd',
    ),
  'derivatives of order 5 through dispatch': () =>
    `interface I : IDifferentiable { [Differentiable] float v(float x); }\n${times(20, i => `struct S${i} : I { float a; [Differentiable] float v(float x) { return x * x * a + ${i}; } }\n`)}[Differentiable] float f0(float x) { I s = createDynamicObject<I, float>(uint(detach(x)), 1.0); return s.v(x) * s.v(x * x); }\n${times(5, i => `[Differentiable] float f${i + 1}(float x) { return fwd_diff(f${i})(diffPair(x, 1.0)).d; }\n`)}${kernel('o[0] = f5(o[1]);')}`,
  'derivatives of derivatives in loops': () =>
    `[Differentiable] float f0(float x) { return x * x * x; }\n${times(8, i => `[Differentiable] float f${i + 1}(float x) { float s = 0; [MaxIters(3)] for (int i = 0; i < 3; i++) s += fwd_diff(f${i})(diffPair(x + i, 1.0)).d; return s; }\n`)}${kernel('o[0] = f8(o[1]);')}`,
  'derivatives of derivatives, unrolled': () =>
    `[Differentiable] float f0(float x) { return x * x * x; }\n${times(6, i => `[Differentiable] float f${i + 1}(float x) { float s = 0; [ForceUnroll] for (int i = 0; i < 4; i++) s += fwd_diff(f${i})(diffPair(x + i, 1.0)).d; return s; }\n`)}${kernel('o[0] = f6(o[1]);')}`,
  'derivatives of matrices of order 4': () =>
    `[Differentiable] float f0(float x) { float4x4 m = float4x4(x, 1, 2, 3, 1, x, 4, 5, 6, 7, x, 8, 9, 1, 2, x); return determinant(mul(m, mul(m, m))); }\n${times(4, i => `[Differentiable] float f${i + 1}(float x) { return fwd_diff(f${i})(diffPair(x, 1.0)).d; }\n`)}${kernel('o[0] = f4(o[1]);')}`,
  'a derivative of two derivatives each': () =>
    `[Differentiable] float f0(float x) { return x * sin(x); }\n${times(9, i => `[Differentiable] float f${i + 1}(float x) { var p = diffPair(x); bwd_diff(f${i})(p, 1.0); return p.d + fwd_diff(f${i})(diffPair(x, 1.0)).d; }\n`)}${kernel('o[0] = f9(o[1]);')}`,
  'nested unrolled loops of sums': () =>
    kernel(
      make(6, (s, i) => `[ForceUnroll] for (int i${i} = 0; i${i} < 10; i${i}++) { ${s} }`, 'o[i0] += i1 * i2 + i3;'),
    ),
  'nested unrolled loops by twos': () =>
    diff(
      `${make(16, (s, i) => `[ForceUnroll] for (int i${i} = 0; i${i} < 2; i${i}++) { ${s} }`, 'x = x * x + i3;')} return x;`,
    ),
  'unrolled loops one after the other': () =>
    diff(`${fill(() => '[ForceUnroll] for (int i = 0; i < 20; i++) x += sin(x * i);', room)} return x;`),
  'an unrolled loop of long bodies': () =>
    diff(
      `[ForceUnroll] for (int i = 0; i < 64; i++) { ${times(200, k => `x += a[i + ${k}] * x;`)} } return x;`,
      'StructuredBuffer<float> a;',
    ),
  'an unrolled loop that never ends': () => kernel('[ForceUnroll] for (int i = 1; i > 0; i += 0) o[0] += i;'),
  'an unrolled loop of two billion trips': () => kernel('[ForceUnroll] for (int i = 0; i < 2147483647; i++) { }'),
  'an unrolled loop that doubles its index': () => kernel('[ForceUnroll] for (uint i = 1; i != 0; i += 2) o[i] += 1;'),
  'unrolled loops in functions that call each other': () =>
    `float f0(float x) { return sin(x); }\n${times(8, i => `float f${i + 1}(float x) { [ForceUnroll] for (int i = 0; i < 8; i++) x = f${i}(x + i); return x; }\n`)}${kernel('o[0] = f8(o[1]);')}`,
  'a loop of constants that a compiler could run': () =>
    kernel('int s = 0; for (int i = 0; i < 1000000000; i++) s += i; float a[4]; a[s & 3] = 1; o[0] = a[0];'),
  'loops of constants in loops of constants': () =>
    kernel(
      `int s = 0; ${make(12, (t, i) => `for (int i${i} = 0; i${i} < 1000; i${i}++) { ${t} }`, 's += i0 ^ i1;')} o[0] = s;`,
    ),
  'small loops in small loops': () =>
    kernel(
      `float s = 0; ${make(10, (t, i) => `for (int i${i} = 0; i${i} < 3; i${i}++) { ${t} }`, 's += i0 * s;')} o[0] = s;`,
    ),
  'small loops in small loops, differentiated': () =>
    diff(`${make(7, (t, i) => `for (int i${i} = 0; i${i} < 3; i${i}++) { ${t} }`, 'x += i0 * sin(x);')} return x;`),
  'a loop of huge MaxIters, differentiated': () =>
    diff('[MaxIters(2147483647)] for (int i = 0; i < n; i++) x = sin(x) * x; return x;'),
  'loops of huge MaxIters in each other, differentiated': () =>
    diff(
      `${make(4, (t, i) => `[MaxIters(65535)] for (int i${i} = 0; i${i} < n; i${i}++) { ${t} }`, 'x = sin(x) * x;')} return x;`,
    ),
  'a loop that keeps a large array, differentiated': () =>
    diff(
      'float a[1000]; for (int k = 0; k < 1000; k++) a[k] = x; [MaxIters(10000)] for (int i = 0; i < n; i++) { a[i % 1000] = sin(a[(i * 7) % 1000]) * x; } return a[3];',
    ),
  'MaxIters of every kind': () =>
    diff(
      `${fill(i => `[MaxIters(${i % 3 === 0 ? -i : i * 1000000})] for (int i = 0; i < n; i++) x *= x;`, room)} return x;`,
    ),
  'switches in loops in switches': () =>
    kernel(
      `int k = int(o[1]); ${make(60, (s, i) => `switch (k + ${i}) { case 0: for (int i${i} = 0; i${i} < k; i${i}++) { ${s} if (o[${i}] > 0) break; if (o[${i}] < -1) continue; } case 1: o[${i}] += 1; break; default: return; }`, 'o[0] += 1;')}`,
    ),
  'switches in loops in switches, differentiated': () =>
    diff(
      `${make(24, (s, i) => `switch (n + ${i}) { case 0: [MaxIters(4)] for (int i${i} = 0; i${i} < n; i${i}++) { ${s} if (x > ${i}) break; } case 1: x *= sin(x); break; default: return x; }`, 'x *= x;')} return x;`,
    ),
  'switches that return in loops, differentiated': () =>
    diff(
      `[MaxIters(4)] for (int i = 0; i < n; i++) { switch (i) { ${fill(i => `case ${i}: if (x > ${i}) return x * ${i}; x *= x; break;`, room)} } } return x;`,
    ),
  'breaks out of many loops by labels': () =>
    kernel(
      `${times(60, i => `l${i}: for (int i${i} = 0; i${i} < 4; i${i}++) {`)} ${times(60, i => `if (o[${i}] > 0) break l${i};`)} o[0] += 1; ${'}'.repeat(60)}`,
    ),
  'breaks out of many loops by labels, differentiated': () =>
    diff(
      `${times(14, i => `l${i}: for (int i${i} = 0; i${i} < 4; i${i}++) {`)} ${times(14, i => `if (x > ${i}) break l${i}; x *= sin(x);`)} ${'}'.repeat(14)} return x;`,
    ),
  'returns out of loops in loops, differentiated': () =>
    diff(
      `${make(12, (s, i) => `[MaxIters(4)] for (int i${i} = 0; i${i} < n; i${i}++) { if (x > ${i}) return x * ${i}; ${s} x = sin(x); if (x < -${i}) continue; x += 1; }`, 'x *= x;')} return x;`,
    ),
  'defers in loops with every way out': () =>
    kernel(
      make(
        30,
        (s, i) =>
          `for (int i${i} = 0; i${i} < 3; i${i}++) { defer o[${i}] += 1; if (o[${i}] > 0) return; if (o[${i}] > 1) break; if (o[${i}] > 2) continue; ${s} }`,
        'o[0] += 1;',
      ),
    ),
  'defers with calls that have defers': () =>
    `void f0() { defer o[0] += 1; if (o[1] > 0) return; o[2] += 1; }\n`.replace(/^/, 'RWStructuredBuffer<float> o;\n') +
    times(20, i => `void f${i + 1}() { defer f${i}(); if (o[1] > ${i}) { f${i}(); return; } o[2] += 1; }\n`) +
    '[shader("compute")] [numthreads(1, 1, 1)] void main() { f20(); }',
  'dispatch among many types in a derivative': () =>
    `interface I : IDifferentiable { [Differentiable] float v(float x); }\n${times(150, i => `struct S${i} : I { float a; [Differentiable] float v(float x) { return x * a + sin(x * ${i}); } }\n`)}[Differentiable] public float f(float x, int n) { I s = createDynamicObject<I, float>(uint(n), x); return s.v(x) * s.v(x * x); }`,
  'dispatch in dispatch in dispatch': () =>
    `interface I { float v(float x, int d); }\n${times(40, i => `struct S${i} : I { float a; float v(float x, int d) { if (d <= 0) return x; I n = createDynamicObject<I, float>(uint(d), x); return n.v(x * ${i}, d - 1); } }\n`)}${kernel('I s = createDynamicObject<I, float>(uint(o[1]), 1.0); o[0] = s.v(2, 9);')}`,
  'dispatch among interfaces of interfaces': () =>
    `interface I { float v(); }\n${times(100, i => `struct S${i} : I { float a; float v() { return a; } }\n`)}struct P { I a; I b; I c; I d; }\nP make(int i) { P p; p.a = S1(1); p.b = S2(2); p.c = S3(3); p.d = S4(4); if (i > 3) p.a = S7(2); return p; }\n${kernel('P p[8]; for (int i = 0; i < 8; i++) p[i] = make(i); for (int k = 0; k < 8; k++) o[k] = p[k].a.v() + p[(k + 1) & 7].b.v() * p[k].c.v() + p[int(o[0])].d.v();')}`,
  'dispatch on types of many sizes': () =>
    `interface I { float v(int i); }\n${times(120, i => `struct S${i} : I { float a[${i * 16 + 1}]; float v(int i) { return a[i]; } }\n`)}I pick(int k) { ${times(120, i => `if (k == ${i}) { S${i} s = {}; return s; }`)} S0 z = {}; return z; }\n${kernel('I s = pick(int(o[1])); I t = pick(int(o[2])); o[0] = s.v(int(o[3])) + t.v(1);')}`,
  'a dense graph of values, differentiated': () =>
    diff(
      `${times(40, i => `float v${i} = sin(x + ${i});`)} ${times(6, r =>
        times(40, i => `float w${r}_${i} = ${times(40, k => `${r === 0 ? 'v' : `w${r - 1}_`}${k}*`).slice(0, -1)};`),
      )
        .slice(0, 40000)
        .replace(/[^;]*$/, '')} return v0 * w0_0 * w0_7;`,
    ),
  'a dense graph of values in a loop, differentiated': () =>
    diff(
      `${times(30, i => `float v${i} = x + ${i};`)} [MaxIters(100)] for (int i = 0; i < n; i++) { ${times(30, i => `v${i} = sin(${times(30, k => `v${(k + i) % 30}+`)}0);`)} } return v0 + v7;`,
    ),
  'a dense graph of small steps in a loop, differentiated': () =>
    diff(
      `${times(200, i => `float v${i} = x + ${i};`)} [MaxIters(100)] for (int i = 0; i < n; i++) { ${times(1200, i => `v${(i * 7) % 200} = v${(i * 13 + 5) % 200} * v${(i * 31 + 2) % 200} + sin(v${i % 200});`)} } return v0 + v7;`,
    ),
  'conditions in a loop that are kept, differentiated': () =>
    diff(
      `[MaxIters(64)] for (int i = 0; i < n; i++) { ${times(300, i => `if (x * ${i} > n) x = x * sin(x); else x = x + cos(x * i);`)} } return x;`,
    ),
  'an array of arrays of structs, differentiated': () =>
    diff(
      'T t[4]; for (int i = 0; i < 4; i++) for (int k = 0; k < 8; k++) t[i].m[k] = float4x4(x); [MaxIters(16)] for (int i = 0; i < n; i++) { t[i & 3].m[i & 7] = mul(t[(i + 1) & 3].m[(i + 3) & 7], t[0].m[1]); t[i & 3].s.v[i & 7] += t[1].m[2][3]; } return t[0].m[0][0][0] + t[1].s.v[2].x;',
      'struct S : IDifferentiable { float4 v[8]; } struct T : IDifferentiable { float4x4 m[8]; S s; }',
    ),
  'matrices of the largest sizes in structs, differentiated': () =>
    `struct S : IDifferentiable { ${times(200, i => `float4x4 m${i};`)} }\n[Differentiable] public float f(S s) { S t = s; ${times(200, i => `t.m${i} = mul(s.m${i}, t.m${(i + 199) % 200});`)} return t.m199[0][0]; }`,
  'structs passed through many functions, differentiated': () =>
    `struct S : IDifferentiable { ${times(60, i => `float a${i};`)} }\n[Differentiable] S f0(S s) { s.a0 *= s.a1; return s; }\n${times(200, i => `[Differentiable] S f${i + 1}(S s) { S t = f${i}(s); t.a${i % 60} *= s.a${(i * 7) % 60}; return t; }\n`)}[Differentiable] public float g(S s) { return f200(s).a7; }`,
  'structs carried in loops, differentiated': () =>
    `struct S : IDifferentiable { ${times(300, i => `float a${i};`)} }\n[Differentiable] public float f(S s, int n) { [MaxIters(8)] for (int i = 0; i < n; i++) { S t = s; ${times(300, i => `t.a${i} = s.a${(i * 7 + 1) % 300} * s.a${i};`)} if (t.a0 > 1) s = t; else s.a7 = t.a9; } return s.a7; }`,
  'a struct of 16,000 numbers, differentiated': () =>
    `struct A : IDifferentiable { ${times(125, i => `float x${i};`)} } struct B : IDifferentiable { ${times(125, i => `A a${i};`)} }\n[Differentiable] public float f(B b, int n) { B c = b; [MaxIters(4)] for (int i = 0; i < n; i++) { c.a7.x9 *= b.a1.x1; if (c.a7.x9 > 3) b = c; } return c.a7.x9 * b.a124.x124; }`,
  'a struct of 16,000 numbers, in a tuple of itself': () =>
    `struct A { ${times(125, i => `float x${i};`)} } struct B { ${times(120, i => `A a${i};`)} }\nB pick(B a, B b, bool c) { return c ? a : b; }\n${kernel('B b = {}; B c = {}; c.a7.x9 = o[1]; B d = pick(pick(b, c, o[0] > 0), pick(c, b, o[1] > 0), o[2] > 0); for (int i = 0; i < 4; i++) d = pick(d, b, o[i] > 0); o[0] = d.a7.x9;')}`,
  'structs of 8,000 numbers in a buffer': () =>
    `struct A { ${times(125, i => `float x${i};`)} } struct B { ${times(64, i => `A a${i};`)} }\nRWStructuredBuffer<B> bs;\n${kernel('bs[0] = bs[1]; bs[2] = bs[int(o[0])]; B b = bs[3]; b.a7.x7 += 1; bs[4] = b;')}`,
  'structs of 8,000 numbers compared and swapped': () =>
    `struct A { ${times(125, i => `float x${i};`)} } struct B { ${times(64, i => `A a${i};`)} }\nvoid swap(inout B a, inout B b) { B c = a; a = b; b = c; }\npublic float f(B a, B b, B c) { swap(a, b); swap(b, c); swap(a, c); if (a.a1.x1 > 0) swap(a, b); return a.a7.x7 + b.a9.x9 + c.a3.x3; }`,
  'groupshared memory without end': () =>
    `${fill(i => `groupshared float4x4 g${i}[1000000];\n`, room)}${kernel('g1[int(o[0])] = 1; o[0] = g1[int(o[1])][0][0];')}`,
  'a groupshared array of 2³⁰ numbers': () =>
    `groupshared float g[1073741824];\n${kernel('g[id.x] = 1; GroupMemoryBarrierWithGroupSync(); o[0] = g[int(o[1])];')}`,
  'groupshared structs of arrays of structs': () =>
    `struct A { float4x4 m[4096]; } struct B { A a[4096]; }\ngroupshared B b[4096];\n${kernel('b[id.x].a[1].m[2] = 1; o[0] = b[int(o[1])].a[7].m[3][1][2];')}`,
  'buffers by thousands, all used': () =>
    `${times(1100, i => `RWStructuredBuffer<float> b${i};\n`)}${kernel(times(1100, i => `b${i}[0]=b${(i + 1) % 1100}[1];`))}`,
  'arrays of buffers and textures': () =>
    `Texture2D t[100000]; RWStructuredBuffer<float> b[100000]; SamplerState s;\n${kernel('o[0] = t[int(o[1])].SampleLevel(s, float2(0), 0).x + b[int(o[2])][1];')}`,
  'parameter blocks in parameter blocks': () =>
    `struct S0 { float x; RWStructuredBuffer<float> b; }\n${times(100, i => `struct S${i + 1} { ParameterBlock<S${i}> p; ConstantBuffer<S${i}> q; }\n`)}ParameterBlock<S100> p;\n${kernel(`o[0] = p${'.p'.repeat(100)}.x;`)}`,
  'structs of resources that double': () =>
    `struct S0 { RWStructuredBuffer<float> b; Texture2D t; }\n${times(20, i => `struct S${i + 1} { S${i} a; S${i} b; }\n`)}uniform S20 s;\n${kernel(`o[0] = s${'.a'.repeat(20)}.b[0];`)}`,
  'workgroups without end': () =>
    '[shader("compute")] [numthreads(2147483647, 2147483647, 2147483647)] void main() { }',
  'entries that all use all': () =>
    `${times(60, i => `RWStructuredBuffer<float> b${i};\n`)}float all(int k) { return ${times(60, i => `b${i}[k]+`)} 0; }\n${times(300, i => `[shader("compute")] [numthreads(1,1,1)] void m${i}() { b${i % 60}[0] = all(${i}); }\n`)}`,
  'a function of thousands of locals in arrays': () =>
    kernel(
      `${times(1000, i => `float a${i}[4]; a${i}[int(o[${i}]) & 3] = ${i};`)} o[0] = ${times(1000, i => `a${i}[int(o[1])]+`)} 0;`,
    ),
  'a function of thousands of vectors that all live': () =>
    kernel(`${times(1500, i => `float4 a${i} = o[${i}];`)} o[0] = (${times(1500, i => `a${i}+`)} 0).x;`),
  'a function of many results': () =>
    `void g(${times(800, i => `out float a${i},`)} float x) { ${times(800, i => `a${i}=x;`)} }\n${kernel(`${times(800, i => `float v${i};`)} g(${times(800, i => `v${i},`)} o[0]); o[1] = v7 + v799;`)}`,
  'a function of many inout parameters, differentiated': () =>
    `[Differentiable] void g(${times(300, i => `inout float a${i},`)} float x) { ${times(300, i => `a${i}*=a${(i + 1) % 300};`)} }\n[Differentiable] public float f(float x) { ${times(300, i => `float v${i}=x;`)} g(${times(300, i => `v${i},`)} x); return v7; }`,
  'blocks that WGSL must nest': () =>
    kernel(make(500, (s, i) => `if (o[${i % 9}] > 0) { ${s} o[1] += 1; }`, 'o[0] = 1;')),
  'calls that WGSL must nest': () => kernel(`o[0] = ${make(3000, s => `abs(o[int(${s})])`, '0')};`),
  'switches that WGSL must nest': () =>
    kernel(
      make(
        300,
        (s, i) => `switch (int(o[${i % 9}])) { case 1: { ${s} o[1] += 1; break; } default: o[2] += 1; }`,
        'o[0] = 1;',
      ),
    ),
  'loops that WGSL must nest': () =>
    kernel(make(200, (s, i) => `while (o[${i % 9}] > 0) { ${s} o[1] += 1; }`, 'o[0] = 1;')),
  'expressions that WGSL must nest': () =>
    kernel(`float x = o[1]; o[0] = ${make(1500, (s, i) => `(${s} * x + ${i})`, 'x')};`),
  'conditions that WGSL must nest': () =>
    kernel(`float x = o[1]; o[0] = ${make(1500, (s, i) => `(x > ${i} ? ${s} : x)`, 'x')};`),
  'ands that WGSL must nest': () =>
    kernel(`float x = o[1]; o[0] = ${make(1500, (s, i) => `(x > ${i} && ${s})`, 'true')} ? 1 : 0;`),
  'ands of calls that WGSL must nest': () =>
    `bool g(inout float x) { x += 1; return x > 2; }\n${kernel(`float x = o[1]; o[0] = ${make(1500, s => `(g(x) || ${s})`, 'true')} ? 1 : 0;`)}`,
  'types that WGSL must nest': () =>
    kernel(`float x${'[2]'.repeat(25)}; x${'[0]'.repeat(25)} = o[1]; o[0] = x${'[int(o[0])]'.repeat(25)};`),
  'structs that WGSL must nest': () =>
    `struct S0 { float x; }\n${times(300, i => `struct S${i + 1} { S${i} x; float y; }\n`)}RWStructuredBuffer<S300> ss;\n${kernel(`ss[0] = ss[1]; o[0] = ss[2]${'.x'.repeat(301)};`)}`,
  'else-ifs that WGSL must nest': () =>
    kernel(fill(i => `if (o[${i % 9}] > ${i}) { o[1] = ${i}; } else `, room) + '{ o[2] = 1; }'),
  'returns in else-ifs of functions': () =>
    `float g(float x) { ${fill(i => `if (x > ${i}) return ${i}; else `, room)} return 0; }\n${kernel('o[0] = g(o[1]);')}`,
  'inlined functions that take each other': () =>
    `${times(12, i => `[ForceInline] float g${i}(float x) { ${i === 0 ? 'return sin(x);' : times(6, () => `x = g${i - 1}(x);`) + 'return x;'} }\n`)}${kernel('o[0] = g11(o[1]);')}`,
  'inlined functions with loops': () =>
    `float g0(float x) { for (int i = 0; i < 4; i++) x = sin(x); return x; }\n${times(14, i => `float g${i + 1}(float x) { for (int i = 0; i < 3; i++) { x = g${i}(x); x = g${i}(x + i); } return x; }\n`)}public float f(float x) { return g14(x); }`,
  'inlined functions with early returns': () =>
    `float g0(float x) { if (x > 1) return x; return sin(x); }\n${times(20, i => `float g${i + 1}(float x) { if (x > ${i}) return g${i}(x - 1); if (x < 0) return g${i}(x + 1); return g${i}(x); }\n`)}public float f(float x) { return g20(x); }`,
  'inlined functions with early returns, differentiated': () =>
    `[Differentiable] float g0(float x) { if (x > 1) return x; return sin(x); }\n${times(14, i => `[Differentiable] float g${i + 1}(float x) { if (x > ${i}) return g${i}(x - 1); if (x < 0) return g${i}(x + 1); return g${i}(x); }\n`)}[Differentiable] public float f(float x) { return g14(x); }`,
  'lambdas in lambdas that double': () =>
    kernel(
      `let f0 = (float x) => sin(x); ${times(22, i => `let f${i + 1} = (float x) => f${i}(x) + f${i}(x + 1);`)} o[0] = f22(o[1]);`,
    ),
  'functions taken by generic functions that double': () =>
    `float twice<F : IFunc<float, float>>(F f, float x) { return f(f(x)); }\n${kernel(`let f0 = (float x) => sin(x); ${times(20, i => `let f${i + 1} = (float x) => twice(f${i}, x);`)} o[0] = f20(o[1]);`)}`,
  'recursion in all targets, differentiated': () =>
    `${times(30, i => `[Differentiable] float f${i}(float x, int n) { return n > 0 ? f${(i * 7 + 1) % 30}(x * x, n - 1) * f${(i * 11 + 3) % 30}(x + 1, n - 1) : x; }\n`)}[Differentiable] public float g(float x, int n) { return f0(x, n); }`,
  'derivatives of textures': () =>
    diff(
      `${times(100, i => `x += t.SampleLevel(s, float2(x, ${i}), x).x;`)} return x;`,
      'Texture2D t; SamplerState s;',
    ),
  'atomics one after the other': () =>
    `RWStructuredBuffer<uint> u;\n${kernel(fill(i => `InterlockedAdd(u[${i}], 1);`, room))}`,
  'barriers one after the other': () => kernel(fill(() => 'GroupMemoryBarrierWithGroupSync();', room)),
  'barriers in loops in branches': () =>
    kernel(nest('for (int i = 0; i < 2; i++) { GroupMemoryBarrierWithGroupSync();', 'o[0] += 1;', '}', room)),
  'waves one after the other': () => kernel(fill(() => 'o[0]=WaveActiveSum(o[0]);', room)),
  'waves in loops in switches on the CPU': () =>
    kernel(
      make(
        40,
        (s, i) =>
          `for (int i${i} = 0; i${i} < 2; i${i}++) { switch (i${i}) { case 0: ${s} o[0] += WaveActiveSum(o[${i}]); break; } GroupMemoryBarrierWithGroupSync(); }`,
        'o[1] += 1;',
      ),
    ),
  'barriers in calls that double': () =>
    `groupshared float g[4];\n${kernel('f12(id.x);', `void f0(uint i) { g[i & 3] += 1; GroupMemoryBarrierWithGroupSync(); }\n${times(12, i => `void f${i + 1}(uint i) { f${i}(i); f${i}(i + 1); }\n`)}`)}`,
}
