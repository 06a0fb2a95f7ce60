/** Bombs of declarations: generics, interfaces, extensions, overloads, enums, constants, lists, attributes, modules. */
import { fill, kernel, levels, times, type Bombs } from './recipe.ts'

const room = 'x'.repeat(400)
const four = ['int', 'uint', 'float', 'half']
const deep = (n: number, one: (inner: string) => string, last: string): string => {
  let text = last
  for (let i = 0; i < n; i++) text = one(text)
  return text
}

export const declaredBombs: Bombs = {
  'a generic function of eight numbers that count': () =>
    `float f<let A : int, let B : int, let C : int, let D : int>(float x) { return x > 0 ? f<A + 1, B, C, D>(x) + f<A, B + 1, C, D>(x) + f<A, B, C + 1, D>(x) + f<A, B, C, D + 1>(x) : A; }\n${kernel('o[0] = f<0, 0, 0, 0>(o[1]);')}`,
  'generic methods that give lists of themselves': () =>
    `struct L<T> { T x; Tuple<T, T> two() { return makeTuple(x, x); } float go(int n) { L<Tuple<T, T>> l; l.x = two(); return n > 0 ? l.go(n - 1) : 1; } }\n${kernel('L<float> l; o[0] = l.go(int(o[1]));')}`,
  'a generic function that grows arrays': () =>
    `float f<T>(T x, int n) { T y[2]; y[0] = x; return n > 0 ? f(y, n - 1) : 1; }\n${kernel('o[0] = f(1.0, int(o[1]));')}`,
  'a generic function that grows functions': () =>
    `float go<F : IFunc<float, float>>(F f, int n) { return n > 0 ? go((float x) => f(x) + 1, n - 1) : f(1); }\n${kernel('o[0] = go((float x) => x, int(o[1]));')}`,
  'generic functions with many type parameters': () =>
    `float f<${times(500, i => `T${i},`)} U>(${times(500, i => `T${i} x${i},`)} U u) { return 1; }\n${kernel(`o[0] = ${times(6, () => `f(${times(500, () => '1.0,')} 1) +`)} 0;`)}`,
  'generic functions inferred through each other': () =>
    `T id<T>(T x) { return x; }\n${kernel(`o[0] = ${'id('.repeat(9000)}o[1]${')'.repeat(9000)};`)}`,
  'overloaded generic functions in each other': () =>
    `${times(8, i => `T id<T : I${i}>(T x) { return x; } interface I${i} { } extension float : I${i} { } \n`)}${kernel(`o[0] = ${'id('.repeat(3000)}o[1]${')'.repeat(3000)};`)}`,
  'overloads by vectors in each other': () =>
    `${times(4, i => times(4, k => `${four[i]}${k === 0 ? '' : k + 1} g(${four[i]}${k === 0 ? '' : k + 1} x, int y = 0) { return x; }\n`))}${kernel(`o[0] = ${deep(3000, s => `g(${s})`, '1')};`)}`,
  'overloads with both arguments overloaded': () =>
    `${times(4, i => times(4, k => `${four[(i + k) & 3]} g(${four[i]} x, ${four[k]} y) { return ${four[(i + k) & 3]}(1); }\n`))}${kernel(`o[0] = ${deep(12, s => (s.length > 14000 ? s : `g(${s},${s})`), '1')};`)}`,
  'operators of users on generic types': () =>
    `struct V<T> { T x; }\n${['+', '-', '*', '/', '<', '&', '|', '^'].map(op => `V<T> operator${op}<T>(V<T> a, V<T> b) { return a; }\n`).join('')}${kernel(`V<float> v = {}; v = ${fill(() => '(v+v)*v-v/', 'x'.repeat(700))} v; o[0] = v.x;`)}`,
  'operators of users that nest to the right': () =>
    `struct V { float x; }\n${times(120, i => `struct W${i} { } V operator+(V a, W${i} b) { return a; }\n`)}V operator+(V a, V b) { return a; }\n${kernel(`V v = {}; v = ${deep(2000, s => `v+(${s})`, 'v')}; o[0] = v.x;`)}`,
  'interfaces with many requirements, without them': () =>
    `interface I { ${fill(i => `float f${i}(float x);`, room + 'x'.repeat(200))} }\nstruct S : I { }\nstruct T : I { }\nstruct U : I { }\n${kernel('S s; o[0] = 1;')}`,
  'interfaces with many requirements, with bodies': () =>
    `interface I { ${times(700, i => `float f${i}(float x);`)} }\nstruct S : I { ${times(700, i => `float f${i}(float x) { return x * ${i}; }`)} }\nfloat g<T : I>(T t) { return ${times(300, i => `t.f${i}(1)+`)} 0; }\n${kernel('S s; I i = s; o[0] = g(s) + i.f7(2);')}`,
  'interfaces with many requirements, of many types, dispatched': () =>
    `interface I { ${times(40, i => `float f${i}(float x);`)} }\n${times(30, k => `struct S${k} : I { ${times(40, i => `float f${i}(float x) { return x*${i + k}; }`)} }\n`)}${kernel(`I i = createDynamicObject<I, float>(uint(o[1]), 1.0); o[0] = ${times(40, i => `i.f${i}(2)+`)} 0;`)}`,
  'interfaces of interfaces in a grid': () =>
    `${times(30, i => times(12, k => `interface I${i}_${k}${i === 0 ? '' : ` : ${times(12, j => `I${i - 1}_${j}${j === 11 ? '' : ','}`)}`} { }\n`))}struct S : I29_3 { }\n`,
  'interfaces in a diamond': () =>
    `interface A0 { float f(); } ${times(300, i => `interface B${i} : A${i} { } interface C${i} : A${i} { } interface A${i + 1} : B${i}, C${i} { }\n`)}struct S : A300 { float f() { return 1; } }\nfloat g<T : A0>(T t) { return t.f(); }\nfloat h<T : A300>(T t) { return g(t); }\n${kernel('S s; o[0] = h(s);')}`,
  'interfaces in a diamond, called': () =>
    `interface A0 { float f(); } ${times(60, i => `interface B${i} : A${i} { } interface C${i} : A${i} { } interface A${i + 1} : B${i}, C${i} { }\n`)}struct S : A60 { float f() { return 1; } }\nfloat h<T : A60>(T t) { return ${times(400, () => 't.f()+')} 0; }\n${kernel('S s; A60 a = s; o[0] = h(s) + a.f();')}`,
  'associated types that each are two of the next': () =>
    `interface I { associatedtype A : I; associatedtype B : I; static float f(); }\nstruct W<T, U> : I { typealias A = W<U, T>; typealias B = W<W<T, U>, U>; static float f() { return A.f() + B.f(); } }\n${kernel('o[0] = W<int, float>.f();')}`,
  'associated types asked for of each other': () =>
    `interface I { associatedtype A : I; }\n${times(300, i => `struct S${i} : I { typealias A = S${(i + 1) % 300}.A; }\n`)}void f<T : I>() { T.A x; }\n${kernel('f<S0>(); o[0] = 1;')}`,
  'an associated type that is itself': () =>
    `interface I { associatedtype A; }\nstruct S : I { typealias A = S.A; }\n${kernel('S.A x; o[0] = 1;')}`,
  'associated types through generic arguments': () =>
    `interface I { associatedtype A : I; static float f(); }\nstruct P<T : I> : I { typealias A = T.A; static float f() { return T.f() + 1; } }\nstruct E : I { typealias A = E; static float f() { return 1; } }\n${kernel(`o[0] = ${deep(900, s => `P<${s}>`, 'E')}.f(); ${deep(400, s => `P<${s}>`, 'E')}.A x;`)}`,
  'extensions that need each other': () => {
    const n = 60
    return `${times(n, i => `interface I${i} { float f${i}(); }\n`)}${times(n, i => `extension<T : I${(i + 1) % n}> T : I${i} { float f${i}() { return f${(i + 1) % n}(); } }\n`)}struct S { }\nfloat g<T : I0>(T t) { return t.f0(); }\n${kernel('S s; o[0] = g(s);')}`
  },
  'extensions that lead to one': () => {
    const n = 150
    return `${times(n, i => `interface I${i} { float f${i}(); }\n`)}${times(n - 1, i => `extension<T : I${i + 1}> T : I${i} { float f${i}() { return this.f${i + 1}(); } }\n`)}struct S : I${n - 1} { float f${n - 1}() { return 1; } }\nfloat g<T : I0>(T t) { return t.f0(); }\n${kernel('S s; o[0] = g(s);')}`
  },
  'extensions whose methods call those of the one before': () => {
    const n = 145
    return `${times(n, i => `interface I${i} { float f${i}(); } extension<T : I${i}> T : I${i + 1} { float f${i + 1}() { return f${i}(); } }\n`)}interface I${n} { float f${n}(); }\nstruct S : I0 { float f0() { return 1; } }\n${kernel(`S s; o[0] = s.f${n}();`)}`
  },
  'extensions whose methods call those of the one before, as many as fit': () => {
    const n = 690
    return `${times(n, i => `interface I${i} { float f${i}(); } extension<T:I${i}> T:I${i + 1} { float f${i + 1}() { return f${i}(); } }\n`)}interface I${n} { float f${n}(); }\nstruct S : I0 { float f0() { return 1; } }\n${kernel(`S s; o[0] = s.f${n}();`)}`
  },
  'extensions that lead to one by two ways': () => {
    const n = 40
    return `${times(n, i => `interface I${i} { } interface J${i} { }\n`)}${times(n - 1, i => `extension<T : I${i + 1}> T : I${i} { } extension<T : J${i + 1}> T : I${i} { } extension<T : I${i + 1}> T : J${i} { } extension<T : J${i + 1}> T : J${i} { }\n`)}struct S { }\nfloat g<T : I0>(T t) { return 1; }\n${kernel('S s; o[0] = g(s);')}`
  },
  'extensions of generic types that grow in where': () =>
    `interface I { } struct G<T> { T x; }\nextension<T> G<T> : I where G<G<T>> : I { }\nextension<T> G<G<T>> : I where G<T> : I { }\nvoid g<T : I>(T t) { }\n${kernel('G<float> x; g(x); o[0] = 1;')}`,
  'extensions with one method each, all called': () =>
    `struct S { float x; }\n${times(700, i => `extension S { float m${i}() { return x + ${i}; } }\n`)}${kernel(`S s = {}; o[0] = ${times(700, i => `s.m${i}()+`)} 0;`)}`,
  'conformances of packs': () =>
    `interface I { float f(); } struct S : I { float f() { return 1; } }\nfloat all<each T : I>(expand each T x) { float s = 0; expand s += (each x).f(); return s; }\n${kernel(`S s; o[0] = ${times(40, i => `all(${'s,'.repeat(i * 8)}s)+`)} 0;`)}`,
  'packs that grow': () =>
    `float f<each T>(expand each T x, int n) { return n > 0 ? f(expand each x, 1.0, n - 1) : 1; }\n${kernel('o[0] = f(1.0, 2.0, int(o[1]));')}`,
  'packs that double': () =>
    `float g<each T>(expand each T x) { return 1; }\nfloat f<each T>(expand each T x) { return f(expand each x, expand each x); }\n${kernel('o[0] = f(1.0, 2.0);')}`,
  'packs expanded in packs': () =>
    `float two<each T>(expand each T x) { float s = 0; expand s += float(each x); return s; }\nfloat f<each T>(expand each T x) { float s = 0; expand s += two(expand each x) * float(each x); return s; }\n${kernel(`o[0] = f(${'1.0,'.repeat(300)} 1);`)}`,
  'enums of constants in chains': () =>
    `enum E { a0 = 1, ${times(2500, i => `a${i + 1} = a${i} + 1,`)} }\n${kernel('o[0] = int(E.a2500);')}`,
  'enums of constants that double': () =>
    `enum E { a0 = 1, ${times(900, i => `a${i + 1} = (int(E.a${i}) + int(E.a${i})) & 255,`)} }\n${kernel('o[0] = int(E.a900);')}`,
  'enums in a circle': () =>
    `${times(900, i => `enum E${i} { a = int(E${(i + 1) % 900}.a) + 1 }\n`)}${kernel('o[0] = int(E0.a);')}`,
  'a switch of all of an enum': () =>
    `enum E { ${times(1800, i => `a${i},`)} }\n${kernel(`switch (E(int(o[1]))) { ${times(1800, i => `case E.a${i}: o[0]=${i};break;`)} }`)}`,
  'constants of arrays of constants': () =>
    `static const int a0[4] = { 1, 1, 1, 1 };\n${times(500, i => `static const int a${i + 1}[4] = { a${i}[0] + a${i}[1], a${i}[1], a${i}[2] - a${i}[3], a${i}[a${i}[1] & 3] };\n`)}${kernel('o[0] = a500[int(o[1])];')}`,
  'constants of structs that double': () =>
    `struct S { int a; int b; }\nstatic const S c0 = { 1, 2 };\n${times(700, i => `static const S c${i + 1} = { c${i}.a + c${i}.b, c${i}.b & c${i}.a };\n`)}${kernel('float a[(c700.a & 7) + 1]; o[0] = c700.a;')}`,
  'constants chosen by constants': () =>
    `static const int c0 = 1; static const int c1 = 2;\n${times(900, i => `static const int c${i + 2} = c${i} > 3 ? c${i + 1} - c${i} : c${i} + c${i + 1};\n`)}${kernel('float a[(c901 & 7) + 1]; o[0] = a[0];')}`,
  'constants chosen by constants, last first': () =>
    `${times(900, i => `static const int c${901 - i} = c${899 - i} > 3 ? c${900 - i} - c${899 - i} : c${899 - i} + c${900 - i};\n`)}static const int c1 = 2; static const int c0 = 1;\n${kernel('float a[(c901 & 7) + 1]; o[0] = a[0];')}`,
  'constants of generic types chosen by constants': () =>
    `struct F<let N : int> { static const int v = N < 2 ? 1 : (F<N - 1>.v + F<N - 2>.v) & 255; }\n${kernel('float a[F<40>.v + 1]; a[0] = 1; o[0] = a[0];')}`,
  'local constants chosen by constants': () =>
    kernel(
      `const int c0 = 1; const int c1 = 2; ${times(900, i => `const int c${i + 2} = c${i} > 3 ? c${i + 1} - c${i} : c${i} + c${i + 1};`)} float a[(c901 & 7) + 1]; o[0] = a[0];`,
    ),
  'default values of fields that double': () =>
    `struct S0 { int x = 1; }\n${times(28, i => `struct S${i + 1} { int x = S${i}().x + S${i}().x; }\n`)}${kernel('S28 s; o[0] = s.x;')}`,
  'constants that double in what runs': () =>
    `static const float c0 = 1.5;\n${times(40, i => `static const float c${i + 1} = c${i} > 3 ? c${i} - 1 : c${i} + c${i};\n`)}${kernel('o[0] = c40;')}`,
  'shifts and powers of constants': () =>
    kernel(`float a[(${fill(i => `(${i}<<31>>1)*`, room)} 1) & 3 | 1]; o[0] = 1;`),
  'an initializer list of lists, wide': () =>
    `struct A { float x[4]; float2 y; } struct B { A a[4]; float z; }\nstatic const B t[] = { ${fill(() => '{{{{1,2,3,4},{1,2}}},3},', room + 'x'.repeat(200))} };\n${kernel('o[0] = t[int(o[1])].a[0].x[int(o[2])];')}`,
  'a flat initializer list of structs': () =>
    `struct A { float x[4]; float2 y; } struct B { A a[4]; float z; }\nstatic const B t[1000] = { ${fill(() => '1,', room + 'x'.repeat(200))} };\n${kernel('o[0] = t[int(o[1])].a[0].x[int(o[2])];')}`,
  'initializer lists of a struct of arrays of itself': () =>
    `struct S0 { float x; }\n${times(10, i => `struct S${i + 1} { S${i} a[4]; }\n`)}${kernel('S10 s = { 1, 2, 3 }; S10 t = {}; o[0] = s.a[0].a[1].a[int(o[1])].a[0].a[0].a[0].a[0].a[0].a[0].a[0].x;')}`,
  'default values that call each other': () =>
    `struct S0 { float x = 1; }\n${times(24, i => `struct S${i + 1} { S${i} a = S${i}(); S${i} b = S${i}(); }\n`)}${kernel(`S24 s; o[0] = s${'.a'.repeat(24)}.x;`)}`,
  'default values of structs in arrays': () =>
    `struct S { float x = 1; float y = 2; }\nstruct T { S s[64]; } struct U { T t[64]; } struct V { U u[64]; }\n${kernel('V v = {}; o[0] = v.u[int(o[0])].t[1].s[2].x;')}`,
  'default arguments that call each other': () =>
    `float f0(float x = 1) { return x; }\n${times(600, i => `float f${i + 1}(float x = f${i}(), float y = f${i}()) { return x + y; }\n`)}${kernel('o[0] = f600();')}`,
  'default arguments that double': () =>
    `float f0(float x = 1) { return x; }\n${times(24, i => `float f${i + 1}(float x = f${i}() + f${i}()) { return x; }\n`)}${kernel('o[0] = f24();')}`,
  'constructors that call each other': () =>
    `struct S { float x; __init(float a) { x = a; } ${times(300, i => `__init(${'float a,'.replace('a', 'a0')} ${times(i % 20, k => `float b${k},`)} int${(i % 3) + 2} z) { x = a0; }`)} }\n${kernel(`S s = S(1); ${times(500, () => 's = S(s.x);')} o[0] = s.x;`)}`,
  'properties that read each other twice': () =>
    `struct S { float x; property float p0 { get { return x; } } ${times(26, i => `property float p${i + 1} { get { return p${i} + p${i}; } }`)} }\n${kernel('S s = { o[1] }; o[0] = s.p26;')}`,
  'attributes with arguments': () => `${fill(i => `[numthreads(${i},1,1)] `, room)} void f() { }`,
  'attributes with long strings': () =>
    `[Differentiable] [deprecated("${'a'.repeat(30000)}")] float f(float x) { return x; }\n${kernel(times(60, () => 'o[0]=f(1);') + times(1, () => ''))}`,
  'attributes with derivatives in a circle': () =>
    `${times(600, i => `[Differentiable] [ForwardDerivative(f${(i + 1) % 600})] float f${i}(float x) { return x; }\n`)}${kernel('o[0] = fwd_diff(f0)(diffPair(1.0, 1.0)).d;')}`,
  'attributes of derivatives of oneself': () =>
    `[Differentiable] [BackwardDerivative(f)] [ForwardDerivative(f)] [PrimalSubstitute(f)] float f(float x) { return x; }\n${kernel('o[0] = fwd_diff(f)(diffPair(1.0, 1.0)).d;')}`,
  'attributes of derivatives of many functions': () =>
    `[Differentiable] float g(float x) { return x; }\n${fill(i => `[ForwardDerivativeOf(g)] DifferentialPair<float> g${i}(DifferentialPair<float> x) { return x; }\n`, room)}`,
  'enumerated attributes of users': () =>
    `${times(500, i => `[__AttributeUsage(_AttributeTargets.Function)] struct A${i}Attribute { int x; float y; string z; }\n`)}${times(500, i => `[A${i}(1, 2.0, "x")] `)} float f(float x) { return x; }`,
  'names of namespaces in names of namespaces': () =>
    `${times(30, i => `namespace a${i} {`)} int x; ${'}'.repeat(30)}\n${fill(() => `static int y = ${times(30, i => `a${i}::`)}x;\n`, room + 'x'.repeat(800))}`,
  'namespaces that use each other': () =>
    `${times(700, i => `namespace n${i} { using namespace n${(i + 1) % 700}; }\n`)}${times(700, i => `namespace n${i} { int v${i}; }\n`)}using namespace n0;\n${kernel('o[0] = v699;')}`,
  'deep inheritance of overridden methods': () =>
    `interface I { float f(float x); }\nstruct S0 : I { float x; float f(float y) { return x + y; } }\n${times(500, i => `struct S${i + 1} : S${i} { float g${i}() { return f(${i}); } }\n`)}${kernel('S500 s; s.x = 1; o[0] = s.g499() + s.g0() + s.f(1);')}`,
  'deep inheritance of differentiable structs': () =>
    `struct S0 : IDifferentiable { float x; }\n${times(250, i => `struct S${i + 1} : S${i}, IDifferentiable { float y${i}; }\n`)}[Differentiable] public float f(S250 s) { return s.x * s.y7; }`,
  'strings joined in many printfs': () => kernel(fill(i => `printf("%d ${'y'.repeat(100)}", ${i});`, room)),
  'formats of many places': () => kernel(`printf("${'%d '.repeat(2000)}"${', 1'.repeat(2000)});`),
  'formats of many places, none given': () => kernel(`printf("${'%99d%s%f'.repeat(6000)}");`),
  'conditions of conditions that are true': () =>
    `${fill(i => `#if ${i} ? ${i} : 0\n#if defined(A${i}) || 1\n#endif\n#endif\n`)}`,
  'conditions that double by defined': () =>
    `#define a0 1\n${times(40, i => `#define a${i + 1} (a${i} && a${i})\n`)}#if a40\nint x;\n#endif`,
  'a condition of long numbers': () => `#if ${'9'.repeat(60000)} > 1\n#endif`,
  'includes of the file by other spellings': () => fill(i => `#include "${'./'.repeat(i % 50)}main.slang"\n`),
  'imports of the module itself': () => fill(() => `import main; __include main; import "main.slang";\n`),
  'names by tens of thousands in one expression': () => kernel(`o[0] = ${fill(i => `a${i}+`, room)} 0;`),
  'wrong arguments for a library function': () => kernel(fill(() => 'lerp("", true);', room)),
  'wrong operands in nested calls': () => kernel(`o[0] = ${deep(6000, s => `max(${s},"")`, '1')};`),
  'wrong types in one list': () => kernel(`float2 a[] = { ${fill(() => '"",', room)} };`),
  'methods of methods of a library type': () =>
    kernel(`Optional<float> x = 1.0; o[0] = ${fill(() => 'x.value.xxx.x + ', room)} 0;`),
  'tuples of thousands': () => kernel(`var t = makeTuple(${fill(() => '1.0,', room)} 1); o[0] = t._0;`),
  'tuples joined': () =>
    kernel(`var t0 = makeTuple(1.0, 2.0); ${times(20, i => `var t${i + 1} = concat(t${i}, t${i});`)} o[0] = t20._0;`),
  'swizzles of tuples': () =>
    kernel(
      `var t = makeTuple(${'1.0,'.repeat(60)} 1); ${times(300, () => 't = t' + times(1, () => '._0') + times(60, i => `_${i}`).replace(/^/, '') + '; ')} o[0] = 1;`,
    ),
  'matrices of every size in each other': () =>
    kernel(`float4x4 m = 1; m = ${deep(levels('mul(m,)', room), s => `mul(m,${s})`, 'm')}; o[0] = m[0][0];`),
  'types that are aliases of members': () =>
    `struct S { ${times(400, i => `typealias A${i + 1} = S.A${i};`)} typealias A0 = float; }\n${kernel('S.A400 x = 1; o[0] = x;')}`,
  'classes of members in a circle by arrays': () =>
    times(800, i => `struct S${i} { S${(i + 1) % 800} x[2]; static const int n = S${(i + 7) % 800}.n; }\n`),
  'arrays sized by constants of each other': () =>
    `${times(500, i => `static const int n${i} = sizeof(S${i}); struct S${i} { float x[n${(i + 1) % 500}]; }\n`)}${kernel('S0 s; o[0] = 1;')}`,
  'accessors with many names': () =>
    `struct S { float x; ${fill(i => `property float p${i} { get { return x; } set { x = newValue; } }`, room)} }\n${kernel('S s = {}; s.p7 += 1; o[0] = s.p9;')}`,
  'optionals in conditions in each other': () =>
    kernel(`Optional<float> x = o[0]; ${times(700, i => `if (let y${i} = x) {`)} o[1] = y0; ${'}'.repeat(700)}`),
}
