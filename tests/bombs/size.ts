/** Bombs of small sources that stand for much: types, instances, values, code. */
import { fill, kernel, times, type Bombs } from './recipe.ts'

const room = 'x'.repeat(400)
const props = (n: number): string =>
  `struct S0 { float x; property float p { get { return x; } set { x = newValue; } } }\n${times(n, i => `struct S${i + 1} { S${i} x; property S${i} p { get { return x; } set { x = newValue; } } }\n`)}`

export const sizeBombs: Bombs = {
  'generic functions that instantiate each other': () =>
    `struct A<T> { T x; }\nstruct B<T> { T x; }\nvoid f<T>(T x, int n) { A<T> a; B<T> b; if (n > 0) { g(a, n - 1); g(b, n - 1); } }\nvoid g<T>(T x, int n) { A<T> a; B<T> b; if (n > 0) { f(a, n - 1); f(b, n - 1); } }\n${kernel('f(1.0, 3);')}`,
  'a generic function that grows': () =>
    `struct A<T> { T x; }\nvoid f<T>(T x, int n) { A<T> a; if (n > 0) f(a, n - 1); }\n${kernel('f(1.0, 3);')}`,
  'a generic function of numbers that grows': () =>
    `float f<let N : int>(float x) { return x > 0 ? f<N + 1>(x - 1) : N; }\n${kernel('o[0] = f<0>(o[1]);')}`,
  'a generic function of numbers that doubles': () =>
    `float f<let N : int>(float x) { return x > 0 ? f<N * 2>(x - 1) + f<N * 2 + 1>(x - 2) : N; }\n${kernel('o[0] = f<1>(o[1]);')}`,
  'a list for an array of elements without fields': () =>
    `struct E { }\nstruct F { E e; E all[2]; }\nvoid f() { E a[] = { 1 }; F b[] = { 1, 2 }; E c[2000000000] = { 1 }; }\n${kernel('o[0] = 1;')}`,
  'types that dispatch finds one after another': () =>
    `interface I { float f(float x); }\nstruct T700 : I { float f(float x) { return x; } }\n${times(700, i => `struct T${i}:I{float f(float x){I t=T${i + 1}();return t.f(x);}}\n`)}${kernel('I t = T0(); o[0] = t.f(1);')}`,
  'generic types that dispatch finds without end': () =>
    `interface I { float f(float x); }\nstruct Z : I { float f(float x) { return x; } }\nstruct G<T : I> : I { float f(float x) { I t = G<G<T>>(); if (x < 0) return t.f(x + 1); return x; } }\n${kernel('I t = G<Z>(); o[0] = t.f(-3);')}`,
  'a generic struct that grows': () =>
    `struct A<T> { T x; }\nstruct L<T> { T x; L<A<T>> next() { L<A<T>> n; return n; } float deep(int n) { return n > 0 ? next().deep(n - 1) : 1; } }\n${kernel('L<float> l; o[0] = l.deep(3);')}`,
  'a generic struct that contains more of itself': () =>
    `struct A<T> { T x; }\nstruct L<T> { T x; A<L<A<T>>> next; }\n${kernel('L<float> l; o[0] = 1;')}`,
  'an interface whose generic method grows': () =>
    `struct A<T> { T x; }\ninterface I { float go<T>(T x, int n); }\nstruct S : I { float go<T>(T x, int n) { A<T> a; return n > 0 ? this.go(a, n - 1) : 1; } }\nfloat run<J : I>(J j) { return j.go(1.0, 3); }\n${kernel('S s; o[0] = run(s);')}`,
  'an associated type that grows': () =>
    `struct W<T> : I { typealias N = W<W<T>>; static float f(int n) { return n > 0 ? N.f(n - 1) : 1; } }\ninterface I { associatedtype N : I; static float f(int n); }\n${kernel('o[0] = W<float>.f(3);')}`,
  'an extension that grows': () =>
    `struct A<T> { T x; }\ninterface I { float f(); }\nextension<T> A<T> : I where A<A<T>> : I { float f() { return 1; } }\nfloat g<T : I>(T x) { return x.f(); }\n${kernel('A<float> a; o[0] = g(a);')}`,
  'pairs of pairs by aliases': () =>
    `struct P<T, U> { T a; U b; }\ntypealias T0 = float;\n${times(30, i => `typealias T${i + 1} = P<T${i}, T${i}>;\n`)}${kernel('T30 x; o[0] = 1;')}`,
  'pairs of pairs by aliases, used': () =>
    `struct P<T, U> { T a; U b; }\ntypealias T0 = float;\n${times(20, i => `typealias T${i + 1} = P<T${i}, T${i}>;\n`)}${kernel(`T20 x = {}; o[0] = x${'.a'.repeat(20)};`)}`,
  'pairs of pairs that are differentiable': () =>
    `struct P<T : IDifferentiable, U : IDifferentiable> : IDifferentiable { T a; U b; }\ntypealias T0 = float;\n${times(25, i => `typealias T${i + 1} = P<T${i}, T${i}>;\n`)}[Differentiable] public float f(T25 x) { return x${'.a'.repeat(25)}; }`,
  'tuples of tuples by aliases': () =>
    `typealias T0 = float;\n${times(28, i => `typealias T${i + 1} = Tuple<T${i}, T${i}>;\n`)}${kernel('T28 x; o[0] = 1;')}`,
  'generic types in generic types by aliases': () =>
    `struct G<T> { T x; }\ntypealias T0 = float;\n${times(30, i => `typealias T${i + 1} = G<G<G<T${i}>>>;\n`)}${kernel('T30 x; o[0] = 1;')}`,
  'generic aliases that double': () =>
    `struct P<T, U> { T a; U b; }\ntypealias D0<T> = P<T, T>;\n${times(28, i => `typealias D${i + 1}<T> = D${i}<P<T, T>>;\n`)}${kernel('D28<float> x; o[0] = 1;')}`,
  'structs of two of the struct before': () =>
    `struct S0 { float x; }\n${times(28, i => `struct S${i + 1} { S${i} a; S${i} b; }\n`)}${kernel(`S28 s = {}; o[0] = s${'.a'.repeat(28)}.x;`)}`,
  'structs of two of the struct before that are differentiated': () =>
    `struct S0 : IDifferentiable { float x; }\n${times(22, i => `struct S${i + 1} : IDifferentiable { S${i} a; S${i} b; }\n`)}[Differentiable] public float f(S22 s) { return s${'.a'.repeat(22)}.x; }`,
  'a struct of 4,096 scalars': () =>
    `struct S0 { float x; }\n${times(12, i => `struct S${i + 1} { S${i} a; S${i} b; }\n`)}public float f(S12 s) { S12 t = s; t${'.a'.repeat(12)}.x += 1; return t${'.b'.repeat(12)}.x + t${'.a'.repeat(12)}.x; }`,
  'a struct of 65,536 scalars': () =>
    `struct S0 { float x; }\n${times(16, i => `struct S${i + 1} { S${i} a; S${i} b; }\n`)}public float f(S16 s) { S16 t = s; t${'.a'.repeat(16)}.x += 1; return t${'.b'.repeat(16)}.x; }`,
  'a struct of 4,096 scalars that is differentiated': () =>
    `struct S0 : IDifferentiable { float x; }\n${times(12, i => `struct S${i + 1} : IDifferentiable { S${i} a; S${i} b; }\n`)}[Differentiable] public float f(S12 s) { S12 t = s; t${'.a'.repeat(12)}.x *= 2; return t${'.b'.repeat(12)}.x * t${'.a'.repeat(12)}.x; }`,
  'a struct of 4,096 scalars, passed and returned': () =>
    `struct S0 { float x; }\n${times(12, i => `struct S${i + 1} { S${i} a; S${i} b; }\n`)}S12 g(S12 s, bool b) { S12 z = {}; return b ? s : z; }\npublic S12 f(S12 s, bool b) { for (int i = 0; i < 3; i++) s = g(s, b); return s; }`,
  'a struct of 4,096 scalars in a loop': () =>
    `struct S0 { float x; }\n${times(12, i => `struct S${i + 1} { S${i} a; S${i} b; }\n`)}public S12 f(S12 s, int n) { S12 t = {}; for (int i = 0; i < n; i++) { if (i > 3) t = s; else s = t; } return t; }`,
  'a struct of 4,096 fields': () =>
    `struct S { ${times(4096, i => `float x${i};`)} }\npublic float f(S s) { S t = s; t.x7 = 2; return t.x9 + t.x7; }`,
  'a struct of as many fields as fit': () =>
    `struct S { ${fill(i => `int a${i};`, room)} }\n${kernel('S s = {}; o[0] = s.a7;')}`,
  'a struct of as many differentiable fields as fit': () =>
    `struct S : IDifferentiable { ${fill(i => `float a${i};`, room)} }\n[Differentiable] public float f(S s) { return s.a7 * s.a9; }`,
  'a large array of a struct': () =>
    `struct S { float a[1000]; float4x4 m[100]; int4 i; }\npublic float f(S s[1000], int i) { S t[1000] = s; t[i].a[i] = 1; return t[i + 1].a[i]; }`,
  'an array of 2³¹ elements': () => kernel('float a[2147483647]; a[int(o[1])] = 1; o[0] = a[int(o[0])];'),
  'arrays of 65,536 elements by 65,536': () =>
    kernel('float a[65536][65536]; a[int(o[1])][1] = 1; o[0] = a[int(o[0])][2];'),
  'a table of constants': () =>
    `static const int t[] = { ${fill(i => `${i % 10},`, room)} };\n${kernel('o[0] = t[int(o[1])];')}`,
  'a table of tables': () =>
    `static const float2 t[] = { ${fill(() => '{1,2},', room)} };\n${kernel('o[0] = t[int(o[1])].x;')}`,
  'an array of 100,000 elements set to zero': () =>
    `public float f(int i) { float a[100000] = {}; a[i] = 1; return a[i + 1]; }`,
  'an array of 100,000 elements that is differentiated': () =>
    `[Differentiable] public float f(float x, int i) { float a[100000] = {}; a[i] = x * x; return a[i] * a[i + 1]; }`,
  'an array of 100,000 elements as constant': () =>
    `static const int a[100000] = { 1, 2, 3 };\npublic int f(int i) { return a[i]; }`,
  'a matrix table': () => `public float f(float4x4 m[4096], int i) { m[i] = mul(m[i], m[i + 1]); return m[3][2][1]; }`,
  'properties of properties': () =>
    `${props(20)}${kernel(`S20 s = {}; s${'.p'.repeat(21)} += 1; o[0] = s${'.x'.repeat(21)};`)}`,
  'properties of properties, 60 deep': () =>
    `${props(60)}${kernel(`S60 s = {}; s${'.p'.repeat(61)} += 1; o[0] = s${'.x'.repeat(61)};`)}`,
  'properties of properties that are incremented': () =>
    `${props(20)}${kernel(`S20 s = {}; s${'.p'.repeat(21)}++; --s${'.p'.repeat(21)}; o[0] = s${'.x'.repeat(21)};`)}`,
  'properties passed as inout': () =>
    `void inc(inout float x) { x += 1; }\n${props(20)}${kernel(`S20 s = {}; inc(s${'.p'.repeat(21)}); o[0] = s${'.x'.repeat(21)};`)}`,
  'subscripts of subscripts': () =>
    `struct S0 { float x; __subscript(int i) -> float { get { return x; } set { x = newValue; } } }\n${times(18, i => `struct S${i + 1} { S${i} x; __subscript(int i) -> S${i} { get { return x; } set { x = newValue; } } }\n`)}${kernel(`S18 s = {}; s${'[0]'.repeat(19)} += 1; o[0] = 1;`)}`,
  'calls that double': () =>
    `float f0(float x) { return x * x + 1; }\n${times(24, i => `float f${i + 1}(float x) { return f${i}(x) * f${i}(x + 1); }\n`)}public float g(float x) { return f24(x); }`,
  'calls that double, differentiated': () =>
    `[Differentiable] float f0(float x) { return x * x; }\n${times(24, i => `[Differentiable] float f${i + 1}(float x) { return f${i}(x) * f${i}(x + 1); }\n`)}${kernel('var p = diffPair(o[0]); bwd_diff(f24)(p, 1); o[1] = p.d;')}`,
  'calls that double, forward': () =>
    `[Differentiable] float f0(float x) { return x * x; }\n${times(24, i => `[Differentiable] float f${i + 1}(float x) { return f${i}(x) * f${i}(x + 1); }\n`)}${kernel('o[1] = fwd_diff(f24)(diffPair(o[0], 1.0)).d;')}`,
  'calls inlined that double': () =>
    `[ForceInline] float f0(float x) { return x * x + 1; }\n${times(24, i => `[ForceInline] float f${i + 1}(float x) { return f${i}(x) * f${i}(x + 1); }\n`)}${kernel('o[0] = f24(o[1]);')}`,
  'calls with arrays that double': () =>
    `float f0(float x[4]) { return x[int(x[0])]; }\n${times(24, i => `float f${i + 1}(float x[4]) { float y[4] = x; y[1] += ${i}; return f${i}(x) * f${i}(y); }\n`)}public float g(float x[4]) { return f24(x); }`,
  'methods that double': () =>
    `struct S0 { float x; float f() { return x; } }\n${times(24, i => `struct S${i + 1} { S${i} a; float f() { return a.f() * a.f(); } }\n`)}public float g(S24 s) { return s.f(); }`,
  'calls in constants that double': () =>
    `float f0(float x) { return x + 1; }\n${times(24, i => `float f${i + 1}(float x) { return f${i}(x) * f${i}(x); }\n`)}static const float c = f24(1);\n${kernel('o[0] = c;')}`,
  'constants that each need two others': () =>
    `static const int c0 = 1;\nstatic const int c1 = 1;\n${times(60, i => `static const int c${i + 2} = (c${i + 1} + c${i}) & 255;\n`)}${kernel('float a[c60 + 1]; a[0] = 1; o[0] = a[0] + c61;')}`,
  'constants that each need the one before twice': () =>
    `static const int c0 = 1;\n${times(60, i => `static const int c${i + 1} = (c${i} + c${i}) & 255 | 1;\n`)}${kernel('float a[c60]; a[0] = 1; o[0] = a[0];')}`,
  'constants of members that each need two others': () =>
    `struct S { static const int c0 = 1; static const int c1 = 1; ${times(40, i => `static const int c${i + 2} = (c${i + 1} + c${i}) & 255;\n`)} }\n${kernel('float a[S.c40 + 1]; a[0] = 1; o[0] = a[0];')}`,
  'constants of generic types that each need two others': () =>
    `struct F<let N : int> { static const int v = (F<N - 1>.v + F<N - 2>.v) & 255; }\n${kernel('float a[F<40>.v + 1]; a[0] = 1; o[0] = a[0];')}`,
  'values that double': () =>
    `public float f(float x) { ${times(60, i => `float x${i} = ${i === 0 ? 'x' : `x${i - 1}`}; x${i} = x${i} * x${i} + x${i};`)} return x59; }`,
  'values that double in conditions': () =>
    `public float f(float x) { ${times(40, i => `float x${i} = ${i === 0 ? 'x' : `x${i - 1}`}; x${i} = x${i} > 1 ? x${i} * x${i} : x${i} + x${i};`)} return x39; }`,
  'conditions of conditions that double': () =>
    `public float f(float x) { bool b0 = x > 0; ${times(40, i => `bool b${i + 1} = (b${i} && x > ${i}) || (!b${i} && x < ${i});`)} return b40 ? 1 : 0; }`,
  'branches one after the other': () =>
    `public float f(float x) { ${fill(i => `if (x > ${i}) x = x * 2 + ${i};`, room)} return x; }`,
  'branches one after the other, differentiated': () =>
    `[Differentiable] public float f(float x) { ${fill(i => `if (x > ${i}) x = x * x + ${i};`, room)} return x; }`,
  'assignments one after the other': () =>
    `public float f(float x) { ${fill(i => `x = x * 2 + ${i};`, room)} return x; }`,
  'assignments one after the other, differentiated': () =>
    `[Differentiable] public float f(float x) { ${fill(i => `x = sin(x) * ${i};`, room)} return x; }`,
  'products one after the other, each computed again from the one before': () =>
    `[Differentiable] public float f(float x) { ${times(900, () => 'x = detach(x) * x;')} return x; }`,
  'vectors one after the other, differentiated': () =>
    `[Differentiable] public float f(float3 v) { ${fill(() => 'v = normalize(v) * v + cross(v, v);', room)} return v.x; }`,
  'matrices one after the other, differentiated': () =>
    `[Differentiable] public float f(float4x4 m) { ${fill(() => 'm = mul(m, m) + transpose(m);', room)} return m[0][0]; }`,
  'calls of the library one after the other, differentiated': () =>
    `[Differentiable] public float f(float x) { ${fill(() => 'x = pow(x, 1.5) + smoothstep(0, x, 2) * lerp(x, 1, x) + atan2(x, 2);', room)} return x; }`,
  'elements one after the other': () => kernel(fill(i => `o[${i}] = ${i};`, room)),
  'elements added to one after the other': () => kernel(fill(i => `o[${i}] += o[${i + 1}];`, room)),
  'elements of an array one after the other, differentiated': () =>
    `[Differentiable] public float f(float x) { float a[64]; for (int i = 0; i < 64; i++) a[i] = x; ${fill(i => `a[${i % 64}] *= a[${(i * 7) % 64}];`, room)} return a[0]; }`,
  'elements at unknown places, differentiated': () =>
    `[Differentiable] public float f(float x, int k) { float a[64]; for (int i = 0; i < 64; i++) a[i] = x; ${fill(i => `a[k + ${i}] *= x;`, room)} return a[0]; }`,
  'loops one after the other': () =>
    `public float f(float x) { ${fill(() => 'for (int i = 0; i < 9; i++) x += i;', room)} return x; }`,
  'loops one after the other, differentiated': () =>
    `[Differentiable] public float f(float x) { ${fill(() => 'for (int i = 0; i < 9; i++) x *= sin(x);', room)} return x; }`,
  'a loop of many variables': () =>
    `public float f(float x) { ${times(1000, i => `float v${i} = x + ${i};`)} for (int i = 0; i < 100; i++) { ${times(1000, i => `v${i} += v${(i + 1) % 1000};`)} } return v7; }`,
  'a loop of many variables, differentiated': () =>
    `[Differentiable] public float f(float x) { ${times(800, i => `float v${i} = x + ${i};`)} for (int i = 0; i < 100; i++) { ${times(800, i => `v${i} *= v${(i + 1) % 800};`)} } return v7; }`,
  'many variables': () => `public float f(float x) { ${fill(i => `float a${i} = x + ${i};`, room)} return a9; }`,
  'many variables that all live': () => {
    const n = 1500
    return `public float f(float x) { ${times(n, i => `float a${i} = sin(x + ${i});`)} return ${times(n, i => `a${i} + `)} 0; }`
  },
  'many parameters': () => `float f(${fill(i => `float a${i},`, room)} float z) { return z; }\n${kernel('o[0] = 1;')}`,
  'many arguments': () => `public float f(float x) { return max(${fill(() => '1,', room)} 2); }`,
  'many functions': () => fill(i => `public float f${i}(float x) { return x + ${i}; }\n`),
  'many differentiable functions': () => fill(i => `[Differentiable] public float f${i}(float x) { return x * x; }\n`),
  'many entry points': () =>
    `RWStructuredBuffer<float> o;\n${fill(i => `[shader("compute")] [numthreads(1,1,1)] void m${i}() { o[${i}] = ${i}; }\n`, room)}`,
  'many buffers': () => `${fill(i => `RWStructuredBuffer<float> b${i};\n`, room)}${kernel('o[0] = b7[0];')}`,
  'many uniforms': () => `${fill(i => `uniform float u${i};\n`, room)}${kernel('o[0] = u7 + u9;')}`,
  'many globals that all need their initial value': () =>
    `${fill(i => `static float g${i} = ${i};\n`, room)}${kernel('o[0] = g7;')}`,
  'a deep dispatch': () =>
    `interface I { float f(float x); }\n${times(200, i => `struct S${i} : I { float f(float x) { return x * ${i}; } }\n`)}I pick(int i) { ${times(200, i => `if (i == ${i}) { S${i} s; return s; }`)} S0 z; return z; }\n${kernel('I x = pick(int(o[0])); o[1] = x.f(o[2]) + x.f(o[3]);')}`,
  'many varyings': () =>
    `struct V { float4 p : SV_Position; ${times(1500, i => `float a${i} : T${i};`)} }\n[shader("vertex")] V main(V v) { return v; }`,
}
