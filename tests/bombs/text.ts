/** Bombs of characters, tokens and the preprocessor. */
import { fill, kernel, largest, levels, nest, times, type Bombs } from './recipe.ts'

export const textBombs: Bombs = {
  'illegal characters': () => '\u0001'.repeat(largest),
  'megabytes of illegal characters': () => '\u0001'.repeat(2_000_000) + '`\n'.repeat(1_000_000),
  'illegal characters apart': () => '\u0001 '.repeat(largest / 2),
  'back slashes': () => '\\'.repeat(largest),
  'backticks in lines': () => '`\n'.repeat(largest / 2),
  'surrogates by halves': () => '\ud800'.repeat(largest / 3),
  'one name': () => 'a'.repeat(largest),
  'a name for a function and its calls': () => {
    const n = 'f'.repeat(7000)
    return `float ${n}(float x) { return x; } export float g(float x) { return ${times(6, () => `${n}(`)}x${')'.repeat(6)}; }`
  },
  'a long decimal number': () => kernel(`o[0] = ${'9'.repeat(64000)};`),
  'a long float': () => kernel(`o[0] = 0.${'1'.repeat(64000)};`),
  'a long hexadecimal number': () => kernel(`o[0] = 0x${'f'.repeat(64000)};`),
  'a long binary number': () => kernel(`o[0] = 0b${'1'.repeat(64000)};`),
  'a long hexadecimal float': () => kernel(`o[0] = 0x1.${'f'.repeat(64000)}p3;`),
  'a long exponent': () => kernel(`o[0] = 1e${'9'.repeat(64000)};`),
  'long hexadecimal numbers': () => kernel(`o[0] = ${fill(() => `0x${'e'.repeat(600)} +`, 'x'.repeat(400))} 0;`),
  'a string that never ends': () => `"${'x'.repeat(64000)}`,
  'a character that never ends': () => `'${'x'.repeat(64000)}`,
  'strings that never end': () => fill(() => '"x\n'),
  'a comment that never ends': () => `/*${'x/*'.repeat(21000)}`,
  'comments that never end, in lines': () => fill(() => '/*\n'),
  'a long string': () => kernel(`printf("${'%d'.repeat(30000)}", 1);`),
  'a string of escapes': () => kernel(`printf("${'\\n'.repeat(30000)}");`),
  'a raw string that never ends': () => fill(i => (i === 0 ? 'R"x(' : ')y" ')),
  'joined strings': () => kernel(`printf(${fill(() => '"a" ', 'x'.repeat(300))});`),
  'spliced lines': () => `int a${'\\\n'.repeat(32000)};`,
  'line numbers': () => fill(i => `#line ${i + 1} "f${i}"\n`),
  'empty directives': () => fill(() => '#\n'),
  'unknown directives': () => fill(i => `#what${i}\n`),
  'conditions that never end': () => fill(() => '#if 1\n'),
  'conditions in conditions': () => times(4000, () => '#if 1\n') + times(4000, () => '#endif\n'),
  'else after else': () => `#if 1\n${fill(() => '#else\n', '#if 1\n')}`,
  'a condition nested in brackets': () => `#if ${nest('(', '1', ')', '#if \n#endif')}\n#endif`,
  'a condition of many operators': () => `#if ${fill(() => '1+', 'x'.repeat(20))}1\n#endif`,
  'a condition of unary operators': () => `#if ${fill(() => '!~-', 'x'.repeat(20))}1\n#endif`,
  'conditions chosen in chains': () => `#if ${fill(() => '0?1:', 'x'.repeat(20))}1\n#endif`,
  'macros that double': () => `#define a0 1 +\n${times(40, i => `#define a${i + 1} a${i} a${i}\n`)}int x = a40 1;`,
  'macros with parameters that double': () =>
    `#define a0(x) x\n${times(40, i => `#define a${i + 1}(x) a${i}(x x)\n`)}int x = a40(1);`,
  'macros called in their arguments': () => `#define f(x) x x\nint x = ${'f('.repeat(3000)}1${')'.repeat(3000)};`,
  'macros called twice in their arguments': () =>
    `#define f(x, y) x y x y\nint x = ${'f(1, '.repeat(40)}1${')'.repeat(40)};`,
  'macros that stringify each other': () =>
    `#define s(x) #x\n#define e0(x) s(x x)\n${times(30, i => `#define e${i + 1}(x) e${i}(s(x) s(x))\n`)}${kernel('printf(e30("\\""));')}`,
  'macros that stringify each other twice': () =>
    `#define t(x) #x\n#define s(x) t(x)\n${times(28, i => `#define q${i} s(${i === 0 ? '"' : `q${i - 1}`} ${i === 0 ? '\\"' : `q${i - 1}`})\n`)}${kernel('printf(q27);')}`,
  'macros that double strings of quotes': () =>
    `#define s(x) #x\n#define t(x) s(x)\n#define q0 "\\\\"\n${times(24, i => `#define q${i + 1} t(q${i})\n`)}${kernel('printf(q24);')}`,
  'macros that paste': () =>
    `#define p(a, b) a##b\n#define e(a, b) p(a, b)\n#define n0 a\n${times(30, i => `#define n${i + 1} e(n${i}, n${i})\n`)}int n30;`,
  'macros pasted one after the other': () => `#define p(x) ${fill(() => 'x##', 'y'.repeat(60))}x\nint p(aaaa);`,
  'macros of many parameters': () => {
    const n = 6000
    return `#define f(${times(n, i => `p${i},`)}q) ${times(200, i => `p${i} `)}\nf(${times(1000, () => '1,')}1)`
  },
  'macros that name themselves': () => `#define f f f\n${fill(() => 'f ', '#define f f f\n')}`,
  'macros that name each other': () =>
    `${times(300, i => `#define m${i} m${(i + 1) % 300} m${(i + 7) % 300}\n`)}int x = m0;`,
  'a macro defined again and again': () => fill(i => `#define A ${i}\n`),
  'many macros': () => `${fill(i => `#define m${i} m${i - 1}\n`, 'int x = m3000;'.repeat(2))}int x = m3000;`,
  'a chain of macros': () => `#define m0 1\n${times(2600, i => `#define m${i + 1} m${i}\n`)}int x = m2600;`,
  'a chain of macros with parameters': () =>
    `#define m0(x) x\n${times(2000, i => `#define m${i + 1}(x) m${i}(x)\n`)}int x = m2000(1);`,
  'macros with variable arguments that double': () =>
    `#define a0(...) __VA_ARGS__\n${times(40, i => `#define a${i + 1}(...) a${i}(__VA_ARGS__, __VA_ARGS__)\n`)}int x[] = { a40(1) };`,
  'macros in conditions that double': () =>
    `#define a0 1 +\n${times(40, i => `#define a${i + 1} a${i} a${i}\n`)}#if a40 1\nint x;\n#endif`,
  'a call of a macro that never ends': () => `#define f(x) x\nf(${'('.repeat(60000)}`,
  'calls of macros that never end': () => `#define f(x) x\n${fill(() => 'f(', '#define f(x) x\n')}`,
  'a file that includes itself': () => '#include "main.slang"\n'.repeat(2800),
  'files that are not there': () => fill(i => `#include "f${i}"\n`),
  'modules that are not there': () => fill(i => `import m${i};\n`),
  'warnings of the preprocessor': () => fill(i => `#warning ${i}\n`),
  pragmas: () => fill(() => '#pragma x\n'),
  'deep brackets without end': () => '('.repeat(largest),
  'deep brackets that close wrongly': () => '({['.repeat(levels('({[)]}')) + '}])'.repeat(levels('({[)]}')),
  'braces without begin': () => '}'.repeat(largest),
  'angle brackets': () => `int x = ${'a<'.repeat(30000)};`,
  shifts: () => `int x = a${'>>'.repeat(30000)};`,
  semicolons: () => ';'.repeat(largest),
  commas: () => `int f(${','.repeat(largest - 20)}) { }`,
  scopes: () => `int x = ${'a::'.repeat(21000)}a;`,
  dots: () => kernel(`o[0] = o${'.x'.repeat(32000)};`),
}
