/** Bombs of many names: what must be looked up, compared, matched or told. */
import { fill, kernel, times, type Bombs } from './recipe.ts'

const room = 'x'.repeat(400)

export const nameBombs: Bombs = {
  '3,000 unknown names': () => kernel(times(3000, i => `unknown${i} = 1;`)),
  'unknown names as many as fit': () => kernel(fill(i => `u${i};`, room)),
  'unknown long names': () => kernel(fill(i => `${'n'.repeat(300)}${i} = 1;`, room)),
  'unknown types': () => fill(i => `T${i} v${i};\n`),
  'unknown functions beside many': () =>
    `${times(1200, i => `void function${i}() { }\n`)}${kernel(times(1200, i => `functoin${i}();`))}`,
  'unknown members': () =>
    `struct S { ${times(2000, i => `int f${i};`)} }\n${kernel(`S s; ${times(3000, i => `s.g${i};`)}`)}`,
  'unknown attributes': () => `${fill(i => `[What${i}] `, room)} void f() { }`,
  'unknown semantics': () =>
    `struct V { ${fill(i => `float a${i} : SV_x${i};`, room)} }\n[shader("vertex")] float4 main(V v) : SV_Position { return 0; }`,
  '2,000 implementations of an interface': () =>
    `interface I { int f(); }\n${times(1600, i => `struct S${i}:I{int f(){return 1;}}\n`)}int g<T : I>(T x) { return x.f(); }\n${kernel('S7 s; o[0] = g(s);')}`,
  '2,000 implementations of an interface, dispatched': () =>
    `interface I { int f(); }\n${times(1500, i => `struct S${i}:I{int f(){return 1;}}\n`)}${kernel('I x = S7(); o[0] = x.f();')}`,
  'as many interfaces as fit': () =>
    `${fill(i => `interface I${i} { }\n`, room)}struct S : I1, I2 { }\n${kernel('S s; o[0] = 1;')}`,
  'a struct of many interfaces': () =>
    `${times(1000, i => `interface I${i} { int f${i}(); }\n`)}struct S : ${times(999, i => `I${i},`)} I999 { ${times(1000, i => `int f${i}() { return ${i % 10}; }`).slice(0, 24000)}`,
  '20,000 fields with misses': () =>
    `struct S { ${times(20_000, i => `int f${i};`)} }\n${kernel(`S s; ${times(1800, i => `s.g${i} = 1;`)}`)}`,
  '100,000 redeclarations': () => 'int a;'.repeat(100_000),
  'redeclarations of a variable': () => `${fill(() => 'int a;', room)}`,
  'redeclarations in a function': () => kernel(fill(() => 'int a;', room)),
  'redeclarations of a function': () => fill(() => 'void f(){}'),
  'redeclarations of a struct': () => fill(() => 'struct S{}'),
  'redeclarations of a field': () => `struct S { ${fill(() => 'int a;', room)} }`,
  'redeclarations of a parameter': () => `void f(${fill(() => 'int a,', room)} int b) { }`,
  'redeclarations of a generic parameter': () => `void f<${fill(() => 'T,', room)} U>() { }`,
  'redeclarations of a case': () => `enum E { ${fill(() => 'a,', room)} }`,
  'as many cases as fit': () => `enum E { ${fill(i => `a${i},`, room)} }\n${kernel('o[0] = int(E.a9);')}`,
  overloads: () =>
    `${times(900, i => `struct T${i} { } float f(T${i} x) { return ${i}; }\n`)}${kernel('T7 t; o[0] = f(t);')}`,
  'overloads that do not match': () =>
    `${times(900, i => `struct T${i} { } float f(T${i} x) { return ${i}; }\n`)}${kernel(times(400, () => 'o[0] = f(1);'))}`,
  'generic overloads': () =>
    `${times(300, i => `interface I${i} { } float f<T : I${i}>(T x) { return ${i}; }\n`)}struct S : I7 { }\n${kernel(`S s; ${times(300, () => 'o[0] = f(s);')}`)}`,
  'overloads of many parameters': () => {
    const ts = ['int', 'float', 'uint', 'half']
    return `${times(256, i => `float f(${ts[i & 3]} a, ${ts[(i >> 2) & 3]} b, ${ts[(i >> 4) & 3]} c, ${ts[i >> 6]} d) { return ${i}; }\n`)}${kernel(times(300, () => 'o[0] = f(1, 2.0, true, 3u);'))}`
  },
  'operators of many types': () =>
    `${times(500, i => `struct T${i} { float x; } T${i} operator+(T${i} a, T${i} b) { return a; }\n`)}${kernel(`T7 t = {}; o[0] = (${times(300, () => 't + ')} t).x;`)}`,
  extensions: () =>
    `struct S { float x; }\n${fill(i => `extension S { float f${i}() { return x; } }\n`, room)}${kernel('S s = {}; o[0] = s.f9();')}`,
  'extensions for all types': () =>
    `interface I { }\n${fill(i => `interface I${i} { } extension<T : I> T : I${i} { }\n`, room)}struct S : I { }\nvoid g<T : I7>(T x) { }\n${kernel('S s; g(s);')}`,
  conversions: () =>
    `${times(700, i => `struct T${i} { __init(float x) { } __init(int x) { } }\n`)}${kernel(`T7 t = 1; ${times(700, i => `T${i} t${i} = T${i}(1.0);`)}`)}`,
  'namespaces in use': () =>
    `${times(1000, i => `namespace n${i} { int x${i}; }\n`)}${times(1000, i => `using namespace n${i};\n`)}${kernel(times(500, i => `o[${i}] = x${i};`))}`,
  'namespaces opened again': () => fill(i => `namespace n { int x${i}; }\n`),
  'variables that hide others': () =>
    kernel(times(1, () => `${times(4000, () => '{ int a = 1; ')} ${'}'.repeat(4000)}`)),
  'names like the one that is meant': () =>
    `${times(2500, i => `float value${i}a;\n`)}${kernel(times(800, i => `o[0] = value${i}b;`))}`,
  'errors in every line': () => kernel(fill(() => 'o[0] = true + "";\n', room)),
  'warnings in every line': () => kernel(fill(i => `int a${i};\n`, room)),
  'expressions without a meaning': () => kernel(fill(() => '1 + + ;', room)),
  'declarations without an end': () => fill(() => 'void f(int '),
  'generics without an end': () => fill(() => 'A<B<'),
  'attributes without an end': () => fill(() => '[a('),
  'structs without an end': () => fill(() => 'struct S {'),
  'statements without an end': () => kernel(fill(() => 'if (', room)),
  'casts or brackets': () => kernel(`o[0] = ${fill(() => '(a)(', room)}`),
  'generic calls or comparisons': () => kernel(`o[0] = ${fill(() => 'a<b>(c<', room)}`),
  'generic arguments or comparisons': () => kernel(`o[0] = ${fill(() => '(a<b,c>', room)}`),
  'lambdas or brackets': () => kernel(`o[0] = ${fill(() => '((int x) => (', room)}`),
  'declarations or expressions': () => kernel(fill(() => 'a<b<c', room)),
  'array types or indices': () => kernel(fill(() => 'a[b[', room)),
  'function types': () => `void f(${fill(() => 'functype(', room)} int x) { }`,
  'lambdas with many captures': () =>
    kernel(
      `${times(500, i => `float a${i} = o[${i}];`)} let f = (float x) => { return x ${times(500, i => `+ a${i}`)}; }; o[0] = ${times(100, () => 'f(1) + ')} 0;`,
    ),
  packs: () => `void f<each T>(expand each T x) { }\n${kernel(`f(${fill(() => '1,', room)} 1);`)}`,
  'packs of packs': () =>
    `float f<each T>(expand each T x) { return 1; }\n${kernel(`o[0] = ${times(30, i => `f(${times(i, () => '1,')} 1) + `)} 0;`)}`,
  'where clauses that ask for each other': () => {
    const n = 12
    return `${times(n, i => `interface I${i} { }\n`)}${times(n, i => times(n, k => (i === k ? '' : `extension<T : I${i}> T : I${k} { }\n`)))}struct S { }\nvoid g<T : I3>(T x) { }\n${kernel('S s; g(s);')}`
  },
}
