/** Programs that nest so many levels, one for each way in which things may be in one another, or need one another. */

const times = (n: number, part: (i: number) => string): string => Array.from({ length: n }, (_, i) => part(i)).join('')
const nest = (n: number, open: string, middle: string, close: string): string =>
  open.repeat(n) + middle + close.repeat(n)
const kernel = (body: string, before = ''): string =>
  `RWStructuredBuffer<float> o;\n${before}\n[shader("compute")] [numthreads(1, 1, 1)]\nvoid main() { ${body} }\n`
const diff = (body: string, before = ''): string =>
  `${before}\n[Differentiable] public float f(float x) { ${body} }\n${kernel('var p = diffPair(o[0]); bwd_diff(f)(p, 1.0); o[1] = p.d;')}`
/** Functions each of which calls the one before. */
const calls = (n: number, body: (callee: string, i: number) => string, head = ''): string =>
  `${head} float f0(float x) { return x * x; }\n${times(n, i => `${head} float f${i + 1}(float x) { ${body(`f${i}`, i)} }\n`)}`

/** Extensions each of which needs the next: what is found out of them takes time with more than the square of their number. */
const extensions = (n: number): string =>
  kernel(
    'S s; o[0] = g(s);',
    `${times(n, i => `interface I${i} { float f${i}(); }\n`)}${times(
      n - 1,
      i => `extension<T : I${i + 1}> T : I${i} { float f${i}() { return this.f${i + 1}(); } }\n`,
    )}struct S : I${n - 1} { float f${n - 1}() { return 1; } }\nfloat g<T : I0>(T t) { return t.f0(); }`,
  )

export const shapes: Readonly<Record<string, (n: number) => string>> = {
  parentheses: n => kernel(`o[0] = ${nest(n, '(', 'o[1]', ')')};`),
  'minus signs': n => kernel(`o[0] = ${'- '.repeat(n)}o[1];`),
  casts: n => kernel(`o[0] = ${'(float)(int)'.repeat(n)}o[1];`),
  'operators to the left': n => kernel(`o[0] = ${'o[1] + '.repeat(n)}1;`),
  'operators to the left, differentiated': n => diff(`return ${'sin(x) * '.repeat(n)}x;`),
  'operators to the right': n => kernel(`o[0] = ${nest(n, 'o[1] * (', '1', ' + 2)')};`),
  'operators to the right, differentiated': n => diff(`return ${nest(n, 'x * (', 'x', ' + 2)')};`),
  'logical operators': n => kernel(`o[0] = ${nest(n, '(o[1] > 0 || ', 'true', ')')} ? 1 : 0;`),
  'conditional expressions': n => kernel(`o[0] = ${times(n, i => `o[${i}] > 0 ? 1 : `)} 2;`),
  'conditional expressions, differentiated': n => diff(`return ${times(n, i => `x > ${i} ? sin(x) : `)} x;`),
  assignments: n => kernel(`float x; ${'x = '.repeat(n)}1; o[0] = x;`),
  'comma expressions': n => kernel(`float x = 1; ${'x += 1, '.repeat(n)}x; o[0] = x;`),
  indices: n => kernel(`o[0] = ${nest(n, 'o[int(', '1', ')]')};`),
  'calls in arguments': n => kernel(`o[0] = ${nest(n, 'max(1, ', 'o[1]', ')')};`),
  'calls in arguments, differentiated': n => diff(`return ${nest(n, 'sin(', 'x', ')')};`),
  'member chains': n =>
    kernel(`S s = { o[1] }; o[0] = s${'.self()'.repeat(n)}.x;`, 'struct S { float x; S self() { return this; } }'),
  swizzles: n => kernel(`float4 v = o[0]; o[0] = v${'.wzyx'.repeat(n)}.x;`),
  constructors: n => kernel(`o[0] = ${nest(n, 'float2(', 'o[1], 1', ').x')};`),
  'initialiser lists': n =>
    kernel(`float x${'[1]'.repeat(n)} = ${nest(n, '{', 'o[1]', '}')}; o[0] = x${'[0]'.repeat(n)};`),
  lambdas: n =>
    kernel(
      `${times(n, i => `let f${i} = (float x) => { `)} return x; ${times(n, i => `}; ${i < n - 1 ? `return f${n - 1 - i}(x);` : 'o[0] = f0(1);'} `)}`,
    ),
  blocks: n => kernel(nest(n, '{', 'o[0] = 1;', '}')),
  ifs: n => kernel(nest(n, 'if (o[0] > 0) {', 'o[0] = 1;', '} o[1] = 2;')),
  'ifs, differentiated': n => diff(`${nest(n, 'if (x > 0) { x *= 2;', 'x = 1;', '}')} return x;`),
  'else-ifs': n => kernel(`${times(n, i => `if (o[0] == ${i}) o[1] = ${i}; else `)} o[0] = 1;`),
  'else-ifs, differentiated': n => diff(`${times(n, i => `if (x < ${i}) x *= ${i}; else `)} x = 1; return x;`),
  'ifs of returns': n =>
    kernel('o[0] = f(o[1]);', `float f(float x) { ${times(n, i => `if (x > ${i}) return x * ${i};`)} return x; }`),
  'ifs of returns, differentiated': n => diff(`${times(n, i => `if (x > ${i}) return x * ${i};`)} return x;`),
  loops: n => kernel(`${times(n, i => `while (o[${i}] > 0) {`)} o[0] += 1; ${'}'.repeat(n)}`),
  'loops, differentiated': n =>
    diff(
      `${times(Math.min(n, 60), i => `for (int i${i} = 0; i${i} < 2; i${i}++) {`)} x *= x; ${'}'.repeat(Math.min(n, 60))} return x;`,
    ),
  'breaks of an unrolled loop': n =>
    kernel(`[ForceUnroll] for (int i = 0; i < ${n}; i++) { if (o[i] > 0) break; o[i] += 1; }`),
  'breaks of an unrolled loop, differentiated': n =>
    diff(`[ForceUnroll] for (int i = 0; i < ${n}; i++) { if (x > i) break; x *= x; } return x;`),
  switches: n => kernel(nest(n, 'switch (int(o[0])) { case 0: o[1] += 1;', 'o[0] = 1;', '}')),
  defers: n => kernel(nest(n, '{ defer o[0] += 1;', 'o[1] = 1;', '}')),
  'chains of calls': n =>
    kernel(
      `o[0] = f${n}(o[1]);`,
      calls(n, f => `return ${f}(x) + 1;`),
    ),
  'chains of calls in branches': n =>
    kernel(
      `o[0] = f${n}(o[1]);`,
      calls(n, (f, i) => `if (x > ${i}) return ${f}(x * 2); return x;`),
    ),
  'chains of calls in loops': n =>
    kernel(
      `o[0] = f${n}(o[1]);`,
      calls(n, f => `for (int i = 0; i < int(x); i++) x += ${f}(x * 2); return x;`),
    ),
  'chains of inlined calls': n =>
    kernel(
      `o[0] = f${n}(o[1]);`,
      calls(n, (f, i) => `if (x > ${i}) { p[0] = x; return ${f}(x * 2); } return x;`, '[ForceInline]'),
    ).replace(/^/, 'RWStructuredBuffer<float> p;\n'),
  'chains of calls, differentiated': n =>
    `${calls(n, f => `return ${f}(x) * x;`, '[Differentiable]')}${kernel(`var p = diffPair(o[0]); bwd_diff(f${n})(p, 1); o[1] = p.d;`)}`,
  'chains of calls in branches, differentiated': n =>
    `${calls(n, (f, i) => `if (x > ${i}) return ${f}(x * 2) * x; return x;`, '[Differentiable]')}${kernel(`var p = diffPair(o[0]); bwd_diff(f${n})(p, 1); o[1] = p.d;`)}`,
  'circles of calls': n =>
    `${times(n, i => `float f${i}(float x) { return x > 0 ? f${(i + 1) % n}(x - 1) : 1; }\n`)}public float g(float x) { return f0(x); }`,
  'generic types': n =>
    kernel(`${nest(n, 'G<', 'float', '>')} x = {}; o[0] = x${'.x'.repeat(n)};`, 'struct G<T> { T x; }'),
  'generic types, differentiated': n =>
    `struct G<T : IDifferentiable> : IDifferentiable { T x; }\n[Differentiable] public float f(${nest(n, 'G<', 'float', '>')} x) { return x${'.x'.repeat(n)} * 2; }`,
  'generic types by aliases': n =>
    kernel(
      `A${n} x = {}; o[0] = 1;`,
      `struct G<T> { T x; } typealias A0 = float;\n${times(n, i => `typealias A${i + 1} = G<A${i}>;\n`)}`,
    ),
  'generic types without end': () =>
    kernel('go(o[1]);', 'struct G<T> { T x; } void go<T>(T x) { G<T> g; g.x = x; go(g); }'),
  'generic functions': n =>
    kernel(`o[0] = f<${n}>(o[1]);`, 'float f<let N : int>(float x) { if (N > 0) return f<N - 1>(x) * x; return x; }'),
  optionals: n => kernel(`${nest(n, 'Optional<', 'float', '>')} x = {}; o[0] = x.hasValue ? 1 : 0;`),
  'arrays of arrays': n => kernel(`float x${'[1]'.repeat(n)}; x${'[0]'.repeat(n)} = 1; o[0] = x${'[0]'.repeat(n)};`),
  structs: n =>
    kernel(
      `S${n} s = {}; o[0] = s${'.x'.repeat(n + 1)};`,
      `struct S0 { float x = 1; }\n${times(n, i => `struct S${i + 1} { S${i} x; }\n`)}`,
    ),
  'structs backwards': n =>
    kernel(
      `S${n} s = {}; o[0] = s${'.x'.repeat(n + 1)};`,
      `${times(n, i => `struct S${n - i} { S${n - i - 1} x; }\n`)}struct S0 { float x; }\n`,
    ),
  'structs, differentiated': n =>
    `struct S0 : IDifferentiable { float x; }\n${times(n, i => `struct S${i + 1} : IDifferentiable { S${i} x; }\n`)}[Differentiable] public float f(S${n} s) { return s${'.x'.repeat(n + 1)}; }`,
  'structs in structs': n => `${times(n, i => `struct S${i} { `)} float x; ${'}'.repeat(n)}`,
  'structs in a circle': n => times(n, i => `struct S${i} { S${(i + 1) % n} x; }\n`),
  bases: n =>
    kernel(
      `S${n} s; s.x = 1; o[0] = s.x;`,
      `struct S0 { float x; }\n${times(n, i => `struct S${i + 1} : S${i} { }\n`)}`,
    ),
  interfaces: n =>
    kernel(
      'S s; o[0] = g(s);',
      `interface I0 { float f(); }\n${times(n, i => `interface I${i + 1} : I${i} { }\n`)}struct S : I${n} { float f() { return 1; } }\nfloat g<T : I0>(T x) { return x.f(); }`,
    ),
  'interfaces in a circle': n => times(n, i => `interface I${i} : I${(i + 1) % n} { }\n`),
  extensions: n => extensions(Math.min(n, 100)),
  'associated types': n =>
    kernel(
      'S s; f<S>(s);',
      `interface I { associatedtype A : I; }\nstruct S : I { typealias A = S; }\nvoid f<T : I>(T${'.A'.repeat(n)} x) { }`,
    ),
  aliases: n =>
    kernel(`A${n} x = 1; o[0] = x;`, `typealias A0 = float;\n${times(n, i => `typealias A${i + 1} = A${i};\n`)}`),
  'aliases backwards': n =>
    kernel(`A${n} x = 1; o[0] = x;`, `${times(n, i => `typealias A${n - i} = A${n - i - 1};\n`)}typealias A0 = float;`),
  'aliases in a circle': n => times(n, i => `typealias A${i} = A${(i + 1) % n};\n`),
  constants: n =>
    kernel(
      `float a[c${n} & 7 | 1]; o[0] = a[0];`,
      `static const int c0 = 1;\n${times(n, i => `static const int c${i + 1} = c${i} + 1;\n`)}`,
    ),
  'constants backwards': n =>
    kernel(
      `float a[c${n} & 7 | 1]; o[0] = a[0];`,
      `${times(n, i => `static const int c${n - i} = c${n - i - 1} > 3 ? c${n - i - 1} : 1;\n`)}static const int c0 = 1;`,
    ),
  'constants in a circle': n => times(n, i => `static const int c${i} = c${(i + 1) % n} + 1;\n`),
  'sizes of arrays of sizes': n =>
    kernel(
      `A${n} x; o[0] = x.x[0];`,
      `${times(n, i => `static const int n${n - i} = sizeof(A${n - i - 1}); struct A${n - i} { float x[n${n - i} / 4]; }\n`)}struct A0 { float x; }`,
    ),
  'static variables': n =>
    kernel(`o[0] = g${n};`, `static float g0 = 1;\n${times(n, i => `static float g${i + 1} = g${i} + 1;\n`)}`),
  'types of initial values': n =>
    kernel(
      `o[0] = g${n};`,
      `${times(n, i => `static const let g${n - i} = g${n - i - 1} + 1;\n`)}static const let g0 = 1.0;`,
    ),
  enums: n =>
    kernel(
      'o[0] = int(E0.a);',
      times(n, i => `enum E${i} { a = ${i === n - 1 ? '1' : `int(E${i + 1}.a) + 1`} }\n`),
    ),
  'default arguments': n =>
    kernel(
      `o[0] = f${n}();`,
      `float f0(float x = 1) { return x; }\n${times(n, i => `float f${i + 1}(float x = f${i}()) { return x; }\n`)}`,
    ),
  'default values of fields': n =>
    kernel(
      `S${n} s; o[0] = s.x;`,
      `struct S0 { float x = 1; }\n${times(n, i => `struct S${i + 1} { float x = S${i}().x; }\n`)}`,
    ),
  properties: n =>
    kernel(
      `S s = {}; o[0] = s.p${n};`,
      `struct S { float x; property float p0 { get { return x; } }\n${times(n, i => `property float p${i + 1} { get { return p${i} + 1; } }\n`)} }`,
    ),
  namespaces: n => nest(n, 'namespace a {', 'int x;', '}'),
  'namespaces by one name': n => `namespace ${'a::'.repeat(n)}a { int x; }`,
  'derivative operators': n => kernel(`o[0] = ${nest(n, 'fwd_diff(', 'f', ')')}(1);`, 'float f(float x) { return x; }'),
  attributes: n => `${nest(n, '[a(', '1', ')]')} float f(float x) { return x; }`,
  macros: n => `#define A0 1\n${times(n, i => `#define A${i + 1} A${i}\n`)}${kernel(`o[0] = A${n};`)}`,
  'macros in arguments': n => `#define F(x) x\n${kernel(`o[0] = ${nest(n, 'F(', '1', ')')};`)}`,
  'conditions of directives': n =>
    `#if ${nest(n, '(', '1', ')')} || ${'!'.repeat(n)}1\n${'#if 1\n'.repeat(n)}int x;\n${'#endif\n'.repeat(n)}#endif\n`,
}
