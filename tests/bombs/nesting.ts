/** Bombs of depth: anything that may stand in itself. */
import { fill, kernel, levels, nest, times, type Bombs } from './recipe.ts'

const around = kernel('o[0] = ;').length + 60
const room = 'x'.repeat(around)
const diff = (body: string, before = ''): string =>
  `${before}[Differentiable] public float f(float x) { ${body} }\n${kernel('var p = diffPair(o[0]); bwd_diff(f)(p, 1.0); o[1] = p.d;')}`
const diffRoom = 'x'.repeat(diff('').length + 30)

export const nestingBombs: Bombs = {
  'brackets around an expression': () => kernel(`o[0] = ${nest('(', '1', ')', room)};`),
  blocks: () => kernel(nest('{', 'o[0] = 1;', '}', room)),
  ifs: () => kernel(fill(() => 'if (o[0] > 0) ', room) + 'o[0] = 1;'),
  'ifs in blocks': () => kernel(nest('if (o[0] > 0) {', 'o[0] = 1;', '}', room)),
  'ifs and elses in blocks, 12 deep': () =>
    kernel(
      times(1, () =>
        ((make: (n: number) => string) => make(8))(function make(n: number): string {
          return n === 0 ? 'o[0] += 1;' : `if (o[${n}] > 0) { ${make(n - 1)} } else { ${make(n - 1)} }`
        }),
      ),
    ),
  'else-ifs': () => kernel(fill(i => `if (o[0] == ${i}) o[1] = ${i}; else `, room) + 'o[0] = 1;'),
  'else-ifs that are differentiated': () =>
    diff(`${fill(i => `if (x < ${i}) x *= 2; else `, diffRoom)} x += 1; return x;`),
  'ifs in blocks that are differentiated': () =>
    diff(`${nest('if (x > 0) { x *= 2;', 'x = 1;', '}', diffRoom)} return x;`),
  'ifs of returns': () => diff(`${fill(i => `if (x < ${i}) return x * ${i};`, diffRoom)} return x;`),
  'loops in loops': () => kernel(nest('for (int i = 0; i < 2; i++) {', 'o[0] += 1;', '}', room)),
  'loops in loops that are differentiated, 60 deep': () =>
    diff(`${times(60, i => `for (int i${i} = 0; i${i} < 2; i${i}++) {`)} x *= x; ${'}'.repeat(60)} return x;`),
  'loops in loops that are differentiated, 8 deep, of unknown trips': () =>
    diff(
      `${times(8, i => `[MaxIters(9)] for (int i${i} = 0; i${i} < int(x); i${i}++) {`)} x *= sin(x); ${'}'.repeat(8)} return x;`,
    ),
  'loops unrolled in loops': () =>
    kernel(`${times(12, i => `[ForceUnroll] for (int i${i} = 0; i${i} < 4; i${i}++) {`)} o[0] += 1; ${'}'.repeat(12)}`),
  'a loop unrolled a million times': () => kernel('[ForceUnroll] for (int i = 0; i < 1000000; i++) { o[i] = i; }'),
  'a loop unrolled that is differentiated': () =>
    diff('[ForceUnroll] for (int i = 0; i < 100000; i++) { x = sin(x) * i; } return x;'),
  'switches in switches': () => kernel(nest('switch (int(o[0])) { case 0:', 'o[0] = 1;', '}', room)),
  'a switch of many cases': () => kernel(`switch (int(o[0])) { ${fill(i => `case ${i}: o[1] = ${i}; break;`, room)} }`),
  'a switch that falls through': () => kernel(`switch (int(o[0])) { ${fill(i => `case ${i}: o[1] += ${i};`, room)} }`),
  'a switch of the same case': () => kernel(`switch (int(o[0])) { ${fill(() => 'case 1: ', room)} }`),
  whiles: () => kernel(fill(() => 'while (o[0] > 0) ', room) + 'o[0] = 1;'),
  'do-whiles': () => kernel(nest('do {', 'o[0] += 1;', '} while (o[0] < 3);', room)),
  'minus signs': () => kernel(`o[0] = ${fill(() => '- ', room)}1;`),
  'plus signs': () => kernel(`o[0] = ${fill(() => '+ ', room)}1;`),
  'minus signs before what runs': () => kernel(`o[0] = ${fill(() => '- ', room)}o[1];`),
  nots: () => kernel(`o[0] = ${fill(() => '!', room)}true;`),
  casts: () => kernel(`o[0] = ${fill(() => '(float)', room)}o[1];`),
  'casts to and fro': () => kernel(`o[0] = ${fill(() => '(float)(int)', room)}o[1];`),
  'conditional expressions': () => kernel(`o[0] = ${fill(() => 'o[1] > 0 ? 1 : ', room)} 2;`),
  'conditional expressions in the middle': () => kernel(`o[0] = ${nest('o[1] > 0 ? ', '1', ' : 2', room)};`),
  'conditional expressions in conditions': () =>
    kernel(`o[0] = ${nest('(', 'true', ' ? o[0] > 1 : o[1] > 2)', room)} ? 1 : 2;`),
  'conditional expressions that are differentiated': () =>
    diff(`return ${fill(() => 'x > 1 ? sin(x) : ', diffRoom)} x;`),
  'a sum': () => kernel(`o[0] = ${fill(() => 'o[1]+', room)} 0;`),
  'a sum of constants': () => kernel(`o[0] = ${fill(() => '1+', room)} 0;`),
  'a sum that is differentiated': () => diff(`return ${fill(() => 'x*', diffRoom)} x;`),
  'a sum to the right': () => kernel(`o[0] = ${nest('o[1]+(', '1', ')', room)};`),
  'logical ands': () => kernel(`o[0] = ${fill(() => 'o[1]>0&&', room)} true ? 1 : 0;`),
  'logical ors and ands': () => kernel(`o[0] = ${fill(() => '(o[1]>0||o[2]<0)&&', room)} true ? 1 : 0;`),
  assignments: () => kernel(`float x; ${fill(() => 'x=', room)}1; o[0] = x;`),
  'compound assignments': () => kernel(`float x = 0; ${fill(() => 'x+=', room)}1; o[0] = x;`),
  'a comma expression': () => kernel(`float x = 1; ${fill(() => 'x=1,', room)}x; o[0] = x;`),
  indices: () => kernel(`o[0] = ${nest('o[int(', '1', ')]', room)};`),
  'indices of no array': () => kernel(`o[0] = o${fill(() => '[0]', room)};`),
  calls: () => kernel(`o[0] = ${nest('sin(', 'o[1]', ')', room)};`),
  'calls of max': () => kernel(`o[0] = ${nest('max(1,', 'o[1]', ')', room)};`),
  'calls that are differentiated': () => diff(`return ${nest('sin(', 'x', ')', diffRoom)};`),
  'calls of overloads': () =>
    kernel(
      `o[0] = ${nest('f(', '1', ')', room + 'x'.repeat(300))};`,
      times(
        8,
        i =>
          `${['float', 'int', 'uint', 'half', 'float2', 'float3', 'int2', 'bool'][i]} f(${['float', 'int', 'uint', 'half', 'float2', 'float3', 'int2', 'bool'][i]} x) { return x; }\n`,
      ),
    ),
  constructors: () => kernel(`o[0] = ${nest('float(', '1', ')', room)};`),
  'vectors of vectors': () => kernel(`o[0] = ${nest('float2(', '1,1', ').x', room)};`),
  swizzles: () => kernel(`float4 v = o[0]; o[0] = v${fill(() => '.xyzw', room)}.x;`),
  'initializer lists': () => kernel(`int x = ${nest('{', '1', '}', room)};`),
  'initializer lists in arrays': () => kernel(`int x[] = ${nest('{', '1', '}', room)}; o[0] = x[0];`),
  lambdas: () => kernel(`let f = ${fill(() => '(float x) => ', room)} 1.0; o[0] = 1;`),
  'lambdas in lambdas that are called': () =>
    kernel(`let f = ${nest('(float x) => { let g = ', '1.0', '; return 1.0; }', room)}; o[0] = f(1);`),
  'derivative operators': () =>
    `float f(float x) { return x; }\n${kernel(`o[0] = ${nest('fwd_diff(', 'f', ')', room)}(1);`)}`,
  'derivatives of the order 30': () =>
    `[Differentiable] float f0(float x) { return x * x * sin(x); }\n${times(30, i => `[Differentiable] float f${i + 1}(float x) { return fwd_diff(f${i})(diffPair(x, 1.0)).d; }\n`)}${kernel('o[0] = f30(o[1]);')}`,
  'derivatives in reverse of the order 20': () =>
    `[Differentiable] float f0(float x) { return x * x * sin(x); }\n${times(20, i => `[Differentiable] float f${i + 1}(float x) { var p = diffPair(x); bwd_diff(f${i})(p, 1.0); return p.d; }\n`)}${kernel('o[0] = f20(o[1]);')}`,
  namespaces: () => nest('namespace a {', 'int x;', '}'),
  'namespaces by one name': () => `namespace ${'a::'.repeat(20000)}a { int x; }`,
  'structs in structs': () => nest('struct a {', 'int x;', '};'),
  'structs in structs by name': () => {
    const n = levels('struct a1234 {} x1234;')
    return times(n, i => `struct a${i} {`) + times(n, i => `} x${i};`)
  },
  'functions in functions': () => nest('void f() {', '', '}'),
  'types in brackets': () => kernel(`${nest('vector<', 'float', ',2>', room)} x; o[0] = 1;`),
  'optionals of optionals': () => kernel(`${nest('Optional<', 'float', '>', room)} x; o[0] = 1;`),
  'optionals of optionals, 300 deep': () =>
    kernel(`${'Optional<'.repeat(300)}float${'>'.repeat(300)} x = {}; o[0] = x.hasValue ? 1 : 0;`),
  'tuples of tuples, 20 deep': () =>
    kernel(
      `${((make: (n: number) => string) => make(11))(function make(n: number): string {
        return n === 0 ? 'float' : `Tuple<${make(n - 1)},${make(n - 1)}>`
      })} x; o[0] = 1;`,
    ),
  'arrays of arrays': () => kernel(`float x${fill(() => '[2]', room)}; o[0] = 1;`),
  'arrays of arrays of one': () => kernel(`float x${fill(() => '[1]', room)}; o[0] = 1;`),
  'arrays of arrays that are used': () =>
    kernel(`float x${'[1]'.repeat(9000)}; x${'[0]'.repeat(9000)} = 1; o[0] = x${'[0]'.repeat(3000)};`),
  'pointers to pointers': () => `void f(float ${fill(() => '*', room)}p) { }`,
  attributes: () => `${fill(() => '[Differentiable] ', room)} float f(float x) { return x; }`,
  modifiers: () => `${fill(() => 'static ', room)} int x = 1;`,
  'attributes with brackets': () => `${nest('[a(', '1', ')]', room)} float f(float x) { return x; }`,
  'generic arguments': () => `struct G<T> { T x; }\n${nest('G<', 'float', '>', room)} x;`,
  'generic arguments, 400 deep': () =>
    `struct G<T> { T x; }\n${kernel(`${'G<'.repeat(400)}float${'>'.repeat(400)} x; o[0] = x${'.x'.repeat(400)};`)}`,
  'generic parameters': () => `struct G<${fill(i => `T${i},`, room)}U> { U x; }\n`,
  'where clauses': () => `interface I { }\nvoid f<T>() ${fill(() => 'where T : I ', room)} { }`,
  'a chain of structs': () =>
    `struct S0 { float x; }\n${times(1500, i => `struct S${i + 1} { S${i} x; }\n`)}${kernel(`S1500 s = {}; o[0] = s${'.x'.repeat(1501)};`)}`,
  'a chain of structs that are differentiated': () =>
    `struct S0 : IDifferentiable { float x; }\n${times(400, i => `struct S${i + 1} : IDifferentiable { S${i} x; }\n`)}[Differentiable] public float f(S400 s) { return s${'.x'.repeat(401)}; }`,
  'a chain of bases': () =>
    `struct S0 { float x; }\n${times(1800, i => `struct S${i + 1} : S${i} { }\n`)}${kernel('S1800 s; s.x = 1; o[0] = s.x;')}`,
  'a chain of interfaces': () =>
    `interface I0 { float f(); }\n${times(1500, i => `interface I${i + 1} : I${i} { }\n`)}struct S : I1500 { float f() { return 1; } }\nfloat g<T : I0>(T x) { return x.f(); }\n${kernel('S s; o[0] = g(s);')}`,
  'a chain of aliases': () =>
    `typealias A0 = float;\n${times(2300, i => `typealias A${i + 1} = A${i};\n`)}${kernel('A2300 x = 1; o[0] = x;')}`,
  'a chain of constants': () =>
    `static const int c0 = 1;\n${times(1500, i => `static const int c${i + 1} = c${i} + 1;\n`)}${kernel('float a[c1500]; a[0] = 1; o[0] = a[0];')}`,
  'a chain of calls': () =>
    `float f0(float x) { return x; }\n${times(1200, i => `float f${i + 1}(float x) { return f${i}(x) + 1; }\n`)}${kernel('o[0] = f1200(o[1]);')}`,
  'a chain of calls that are differentiated': () =>
    `[Differentiable] float f0(float x) { return x * x; }\n${times(600, i => `[Differentiable] float f${i + 1}(float x) { return f${i}(x) * x; }\n`)}${kernel('var p = diffPair(o[0]); bwd_diff(f600)(p, 1); o[1] = p.d;')}`,
  'functions in a circle': () =>
    `${times(1000, i => `float f${i}(float x) { return x > 0 ? f${(i + 1) % 1000}(x - 1) : 1; }\n`)}public float g(float x) { return f0(x); }`,
  'types in a circle': () => times(2000, i => `struct S${i} { S${(i + 1) % 2000} x; }\n`),
  'interfaces in a circle': () => times(2000, i => `interface I${i} : I${(i + 1) % 2000} { }\n`),
  'aliases in a circle': () => times(2000, i => `typealias A${i} = A${(i + 1) % 2000};\n`),
  'constants in a circle': () => times(1800, i => `static const int c${i} = c${(i + 1) % 1800} + 1;\n`),
  'associated types in chains': () =>
    `interface I { associatedtype A : I; }\nstruct S : I { typealias A = S; }\nvoid f<T : I>(T${fill(() => '.A', room + room)} x) { }\n${kernel('S s; f<S>(s);')}`,
  'defers in branches, 12 deep': () =>
    kernel(
      ((make: (n: number) => string) => make(12))(function make(n: number): string {
        return n === 0
          ? 'return;'
          : `defer { if (o[${n}] > 0) { o[${n}] += 1; } } if (o[${n + 20}] > 0) { defer o[${n}] += 2; ${make(n - 1)} }`
      }),
    ),
  'defers in defers': () => kernel(nest('defer {', 'o[0] += 1;', '}', room)),
  'defers before returns': () => kernel(fill(i => `defer o[${i}] += 1; if (o[${i}] > 0) return;`, room)),
  'defers nested in both branches': () =>
    kernel(
      ((make: (n: number) => string) => make(7))(function make(n: number): string {
        return n === 0
          ? 'return;'
          : `defer o[${n}] += 1; if (o[${n + 20}] > 0) { ${make(n - 1)} } else { ${make(n - 1)} }`
      }),
    ),
  'deferred breaks of loops': () =>
    kernel(
      `for (int i = 0; i < 4; i++) { ${fill(i => `defer o[${i}] += 1; if (o[${i}] > 0) break; if (o[1] > ${i}) continue;`, room)} }`,
    ),
}
