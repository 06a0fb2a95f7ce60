import { describe, expect, test } from 'vitest'
import { InternalError } from '../../src/base/diag.ts'
import { whiteSpaceEdits } from '../../src/format/edits.ts'
import {
  format,
  formatRanges,
  formatTyped,
  type FormatOptions,
  type Formatted,
  type Refusal,
  type TextEdit,
} from '../../src/format/format.ts'

function good<T>(result: T | Refusal): T {
  if (typeof result === 'object' && result !== null && 'refused' in result) throw result.refused
  return result
}

const formatted = (text: string, options?: FormatOptions): string => good<Formatted>(format(text, options)).text

function applied(text: string, edits: readonly TextEdit[]): string {
  return edits.reduceRight((t, { start, end, text: by }) => t.slice(0, start) + by + t.slice(end), text)
}

const body = 'void f()\n{\n  if(x)\n  {\n  y=1;\n  }\n}\n'

describe('options of the formatter', () => {
  test('indent by spaces or tabs', () => {
    expect(formatted(body)).toBe('void f()\n{\n    if (x)\n    {\n        y = 1;\n    }\n}\n')
    expect(formatted(body, { tabSize: 2 })).toBe('void f()\n{\n  if (x)\n  {\n    y = 1;\n  }\n}\n')
    expect(formatted(body, { insertSpaces: false })).toBe('void f()\n{\n\tif (x)\n\t{\n\t\ty = 1;\n\t}\n}\n')
  })

  test('say where braces stand, or leave that to the file', () => {
    const sameLine = 'void f() {\n    if (x) {\n        y = 1;\n    }\n}\n'
    expect(formatted(body, { braces: 'same-line' })).toBe(sameLine)
    expect(formatted(sameLine)).toBe(sameLine)
    expect(formatted(sameLine, { braces: 'own-line' })).toBe(formatted(body))
    // One of each: no majority.
    expect(formatted('void f(){\nx();}\nvoid g()\n{x();\n}')).toBe(
      'void f()\n{\n    x();\n}\nvoid g()\n{\n    x();\n}\n',
    )
  })

  test('break lines that are wider than asked for', () => {
    const call = 'void f() { call(first, second); }\n'
    expect(formatted(call, { lineWidth: 33 })).toBe(call)
    expect(formatted(call, { lineWidth: 32 })).toBe('void f()\n{\n    call(first, second);\n}\n')
    expect(formatted(call, { lineWidth: 20 })).toBe('void f()\n{\n    call(\n        first,\n        second);\n}\n')
    // Characters of two code units take one column.
    const wide = 'float x = /* 𝛿𝛿𝛿 */ a + b;\n'
    expect(formatted(wide, { lineWidth: 26 })).toBe(wide)
    expect(formatted(wide, { lineWidth: 25 })).toBe('float x = /* 𝛿𝛿𝛿 */ a\n    + b;\n')
  })

  test('end the file', () => {
    expect(formatted('float  a;')).toBe('float a;\n')
    expect(formatted('float  a;\n\n\n')).toBe('float a;\n')
    expect(formatted('float  a;', { insertFinalNewline: false })).toBe('float a;')
    expect(formatted('float  a; // b', { insertFinalNewline: false })).toBe('float a; // b')
    expect(formatted('float  a;\n\n', { insertFinalNewline: false })).toBe('float a;\n')
    expect(formatted('')).toBe('')
    expect(formatted(' \n\n')).toBe('')
  })
})

describe('the formatter keeps', () => {
  test('line ends and a byte order mark', () => {
    expect(formatted(body.replaceAll('\n', '\r\n'))).toBe(formatted(body).replaceAll('\n', '\r\n'))
    expect(formatted('/* a\r\n   b */\r\nvoid f(){\r\n/* a\r\n   b */}\r\n')).toBe(
      '/* a\r\n   b */\r\nvoid f()\r\n{\r\n    /* a\r\n       b */\r\n}\r\n',
    )
    expect(formatted('\ufefffloat  a;')).toBe('\ufefffloat a;\n')
    expect(formatted('\ufeff  float  a')).toBe('\ufeff  float  a\n')
    expect(formatted('\ufeff// c\nfloat  a;')).toBe('\ufeff// c\nfloat a;\n')
  })

  test('literals, names and numbers', () => {
    const text = 'float x = f("a  b\\"", \'c\', R"(raw\n  text)", 0x1Fu, 1\'000, 1.e-3f, .5h, 1.xxx, 𝛿);\n'
    expect(formatted(text)).toBe(text)
  })

  test('tokens apart that would become one', () => {
    expect(formatted('float x=a- -b+ +c&&(&d)+e++ + ++f;')).toBe('float x = a - -b + +c && (&d) + e++ + ++f;\n')
    expect(formatted('A<B<C> > x;A<B<C>> y;')).toBe('A<B<C> > x;\nA<B<C>> y;\n')
    expect(formatted('let x=1 .xx;')).toBe('let x = 1 .xx;\n')
  })

  test('a backslash that continues a line', () => {
    const text = 'float a; \\\nfloat b;\n'
    expect(formatted(text)).toBe(text)
    expect(formatted('#define A(x) x; \\\n   \nfloat  a;')).toBe('#define A(x) x; \\\n   \nfloat a;\n')
    expect(formatted('// c \\\n  d\nfloat  a;')).toBe('// c \\\n  d\nfloat a;\n')
  })

  test('a variable on the line of its struct, and the line behind a typedef without semicolon', () => {
    expect(formatted('struct S{int a;}s;')).toBe('struct S { int a; } s;\n')
    expect(formatted('typedef struct S{int a;}T;')).toBe('typedef struct S { int a; } T;\n')
    expect(formatted('typedef int   I\nfloat  a;')).toBe('typedef int I\nfloat a;\n')
  })
})

describe('the formatter leaves as it is', () => {
  test('what the lexer does not understand', () => {
    for (const text of ['float  a = "x;', 'float a;   /* b', 'float\u0001  a;', 'String s = "abc\\'])
      expect(formatted(text).trimEnd()).toBe(text)
  })

  test('a declaration with a mistake, but neither its neighbours nor the members around it', () => {
    expect(formatted('int  a;\nint  b\nint  c;\nint  d;')).toBe('int a;\nint  b\nint c;\nint d;\n')
    expect(formatted('struct S\n{int  a;\nvoid f(){x=;}int  b;}')).toBe(
      'struct S\n{\n    int a;\nvoid f(){x=;}\n    int b;\n}\n',
    )
    expect(formatted('void f(){(}\nint  b;')).toBe('void f(){(}\nint b;\n')
    expect(formatted('void f(){\nint  b;')).toBe('void f(){\nint  b;\n')
  })

  test('features that are recognised by their keyword only', () => {
    const text = 'void f()\n{\n    __intrinsic_asm   "x";\n    let a = spirv_asm { result:$$float  =  OpFAdd $a };\n}\n'
    expect(formatted(text)).toBe(text)
  })

  test('branches under #if 0, with characters that are no tokens, or with brackets that close elsewhere', () => {
    const zero = "#if 0\n don't   {\n#else\nfloat a;\n#endif\n"
    expect(formatted(zero)).toBe(zero)
    const bad = '#if GLSL\n  a  @ `b`\n#endif\nfloat a;\n'
    expect(formatted(bad)).toBe(bad)
    expect(formatted('void f()\n#if A\n{a  ( );\n#else\n{b  ( );\n#endif\nc  ( );}')).toBe(
      'void f()\n#if A\n{\n    a();\n#else\n{b  ( );\n#endif\n    c();\n}\n',
    )
  })

  test('a statement that is turned off from within, as a whole', () => {
    expect(formatted('int a=call(x, // clang-format off\n y,z  );\nint  b;')).toBe(
      'int a=call(x, // clang-format off\n y,z  );\nint  b;',
    )
    expect(formatted('int  a;  // clang-format off\nint  b;\n// clang-format on\nint  c;')).toBe(
      'int a; // clang-format off\nint  b;\n// clang-format on\nint c;\n',
    )
  })
})

describe('edits', () => {
  test('are the least, and make the formatted text', () => {
    const text = 'float  a;\nvoid f( ) {\n\n\n  x=1; }\n'
    const { text: made, edits } = good<Formatted>(format(text))
    expect(applied(text, edits)).toBe(made)
    expect(edits.map(({ start, end, text: by }) => [text.slice(start, end), by])).toEqual([
      [' ', ''],
      [' ', ''],
      ['\n\n', '  '],
      ['', ' '],
      ['', ' '],
      [' ', '\n'],
    ])
    expect(good<Formatted>(format(made)).edits).toEqual([])
  })

  test('never cut a line end in two', () => {
    const text = 'void f()\r\n{\r\nx=1;\r\n\r\n\r\ny=2; }'
    const { text: made, edits } = good<Formatted>(format(text))
    expect(applied(text, edits)).toBe(made)
    for (const { start, end } of edits)
      for (const at of [start, end]) expect(text.slice(at - 1, at + 1)).not.toBe('\r\n')
  })

  test('change white space, or the formatter has a fault', () => {
    expect(whiteSpaceEdits('a  b', 'a b')).toEqual([{ start: 2, end: 3, text: '' }])
    expect(() => whiteSpaceEdits('a b', 'a c')).toThrow(InternalError)
    expect(() => whiteSpaceEdits('a b', 'a')).toThrow('internal error in format: the text at 2 changed')
    expect(() => whiteSpaceEdits('a', 'a b')).toThrow(InternalError)
  })

  test('are none where no form of a broken text keeps its tokens', () => {
    const deep = `${'namespace N {'.repeat(300)} float  x; ${'}'.repeat(300)}`
    for (const text of ['float  x; #', deep]) expect(good(format(text)).edits).toEqual([])
  })

  test('of a range are those in it', () => {
    const text = 'float  a;\nfloat  b;\nfloat  c;\n'
    const start = text.indexOf('float  b')
    expect(applied(text, good(formatRanges(text, [{ start, end: start + 9 }])))).toBe(
      'float  a;\nfloat b;\nfloat  c;\n',
    )
  })
})

describe('formatting as one types', () => {
  /** The text with its cursor at `|`, right behind what was typed. */
  const typed = (marked: string, key?: '\n'): string => {
    const at = marked.indexOf('|')
    const text = marked.replace('|', '')
    const made = applied(text, good(formatTyped(text, at, key ?? (text[at - 1] as '}' | ';'))))
    expect(made.endsWith(text.slice(at))).toBe(true)
    return made
  }

  test('a semicolon formats its statement', () => {
    expect(typed('void f()\n{\nx  =1;\n  y  =1;|\nz  =1;\n}')).toBe('void f()\n{\nx  =1;\n    y = 1;\nz  =1;\n}')
    expect(typed('float  a;\nfloat  b;|\n')).toBe('float  a;\nfloat b;\n')
    expect(typed('void f() { for (int  i=0;| i<3; i++) {} }')).toBe('void f() { for (int i = 0; i<3; i++) {} }')
  })

  test('a closing brace formats its body and what stands before that', () => {
    expect(typed('int  a;\nvoid f( )\n{\nx=1;\n}|\nint  b;')).toBe('int  a;\nvoid f()\n{\n    x = 1;\n}\nint  b;')
    expect(typed('void f()\n{\ny =1;\nif(x){z=1;\n}|\n}')).toBe(
      'void f()\n{\ny =1;\n    if (x)\n    {\n        z = 1;\n    }\n}',
    )
  })

  test('a new line formats the line above and leaves the one of the cursor', () => {
    expect(typed('void f()\n{\n  x=1;\n   |\n}', '\n')).toBe('void f()\n{\n    x = 1;\n   \n}')
    expect(typed('void f()\r\n{\r\n  x=1;\r\n|\r\n}', '\n')).toBe('void f()\r\n{\r\n    x = 1;\r\n\r\n}')
  })

  test('nothing happens in comments and strings, or where brackets do not close', () => {
    for (const text of ['// a  ;|\nint  a;', 'int  a = "};|', '}|', 'void f(  ) {\n x=1;|', 'void  f( ) { // }|\n}'])
      expect(typed(text)).toBe(text.replace('|', ''))
  })
})

describe('ends of lines', () => {
  test('are those of most lines, not of a first one that goes', () => {
    expect(formatted('\r\nint  a;\nint  b;\n')).toBe('int a;\nint b;\n')
    expect(formatted('int\ra\n;\r\nint b;\r\n')).toBe('int a;\r\nint b;\r\n')
    expect(formatted('int  a;\rint  b;\r')).toBe('int a;\rint b;\r')
  })

  test('are not added behind a backslash that would swallow them', () => {
    for (const text of ['#define A(x) \\', '#\\', 'int a;\n\\']) expect(formatted(text)).toBe(text)
  })
})

describe('the formatter comes to an end', () => {
  const many = (text: string, count: number): string => text.repeat(count)
  test.each([
    ['parentheses', `float x = ${many('(', 5000)}a${many(')', 5000)};`],
    ['blocks', `void f() ${many('{', 5000)}${many('}', 5000)}`],
    ['a sum', `float x = a${many(' + a', 5000)};`],
    ['a list', `float x[] = { ${many('1.0, ', 5000)}};`],
    ['arguments', `float x = f(${many('g(1, 2), ', 5000)}1);`],
    ['conditions', `void f() { ${many('if (a) b(); else ', 490)} c(); }`],
    ['conditionals', `${many('#if A\n', 5000)}float x;\n${many('#endif\n', 5000)}`],
    ['comments', `void f() { ${many('// c\n', 5000)} }`],
    ['comments on a line', `${many('/**/', 50_000)}float x;`],
    ['parts that are turned off', many('// clang-format off\nint  x;\n// clang-format on\nint  y;\n', 1000)],
    ['attributes', `${many('[a] ', 5000)}float x;`],
    ['braces that do not match', many('{(', 5000) + many('}', 5000)],
  ])('for very many or very deep %s', (_, text) => {
    const made = formatted(text)
    expect(formatted(made)).toBe(made)
  })
})

// Each took a time that grew with the square of the length, 15 seconds for the first.
test.each([
  ['a line with a comment behind each statement', `void f() { ${'x(); /*a*/ '.repeat(20_000)}}`],
  ['comments one behind the other', '/**/'.repeat(20_000)],
  ['a declaration of many names', `int a${', b'.repeat(10_000)};`],
])('%s takes no longer than others of that length', (_, text) => {
  const start = performance.now()
  good(format(text))
  expect(performance.now() - start).toBeLessThan(2500)
})
