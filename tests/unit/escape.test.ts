import { describe, expect, it } from 'vitest'
import { compile, diagnosticJson, escapeControls, renderDiagnostics, safeJson } from '../../src/index.ts'

/** Everything that a terminal or an editor obeys. */
const controls = [
  ...Array.from({ length: 32 }, (_, i) => i),
  0x7f,
  ...Array.from({ length: 32 }, (_, i) => 0x80 + i),
  0x061c,
  0x200e,
  0x200f,
  0x2028,
  0x2029,
  0x202a,
  0x202b,
  0x202c,
  0x202d,
  0x202e,
  0x2066,
  0x2067,
  0x2068,
  0x2069,
]
  .map(c => String.fromCharCode(c))
  .filter(c => c !== '\n' && c !== '\t')

const raw = (text: string): string[] => controls.filter(c => text.includes(c))

/** What is said to a program that holds a text wherever a program can. */
const places: Readonly<Record<string, (text: string) => string>> = {
  '#error': text => `#error ${text}`,
  '#warning': text => `#warning a${text}b\nfloat f(float x) { return y; }`,
  'a comment beside a mistake': text => `float f(float x) { /* ${text} */ return y; }`,
  'a string literal': text => `void f() { printf("${text}", y); }`,
  'the name of a module': text => `import "${text}";`,
  'the path of an include': text => `#include "${text}"`,
  'between tokens': text => `float f(float x) { return ${text} y; }`,
  'a condition': text => `#if ${text}\n#endif`,
  'the arguments of a macro': text => `#define M(a) #a\nfloat f() { return M(${text}) + y; }`,
  'a name': text => `float f(float x) { return x${text}y; }`,
  '#line': text => `#line 7 "${text}"\nfloat f(float x) { return y; }`,
  'an attribute': text => `[deprecated("${text}")] float f() { return 1; } float g() { return f() + y; }`,
}

describe('control characters of a program', () => {
  it.each(Object.entries(places))('are shown escaped: %s', (_, program) => {
    for (const control of controls) {
      const { diagnostics } = compile(program(control), { fileName: `a${control}b.slang` })
      expect(diagnostics.length).toBeGreaterThan(0)
      expect(raw(renderDiagnostics(diagnostics)), control).toEqual([])
      const json = safeJson(diagnostics.map(diagnosticJson))
      expect(raw(json)).toEqual([])
      expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(diagnostics.map(diagnosticJson))))
    }
  })

  it('are escaped in the name of a file, a line feed too', () => {
    const said = renderDiagnostics(compile('float f() { return y; }', { fileName: 'a\n\x1b[2Jb.slang' }).diagnostics)
    expect(said.split('\n')[0]).toBe('a<U+000A><U+001B>[2Jb.slang:1:20: error E30015: undefined identifier y')
  })

  it('leave the caret under what it is about', () => {
    const lines = (source: string): string[] =>
      renderDiagnostics(compile(source).diagnostics.filter(d => d.severity === 'error')).split('\n')
    expect(lines('/*\x1b\u202e*/\tfloat f() { return y; }').slice(1, 3)).toEqual([
      '  /*<U+001B><U+202E>*/\tfloat f() { return y; }',
      '                      \t                   ^',
    ])
  })

  it('mark all of what is escaped', () => {
    const [, excerpt, caret] = renderDiagnostics(compile('import "\x1b\x07";').diagnostics).split('\n')
    expect(excerpt).toBe('  import "<U+001B><U+0007>";')
    expect(caret).toBe('         ^~~~~~~~~~~~~~~~~~'.slice(0, excerpt!.length - 1))
  })

  it('stay away from what text is made of', () => {
    expect(escapeControls('a\tb\nc é 漢 🙂 \u00a0')).toBe('a\tb\nc é 漢 🙂 \u00a0')
    expect(escapeControls('\r\x1b\x9b\u2066')).toBe('<U+000D><U+001B><U+009B><U+2066>')
  })
})

describe('bidirectional controls', () => {
  it.each([
    '\u061c',
    '\u200e',
    '\u200f',
    '\u202a',
    '\u202b',
    '\u202c',
    '\u202d',
    '\u202e',
    '\u2066',
    '\u2067',
    '\u2068',
    '\u2069',
  ])('are warned of, once a line: %j', control => {
    const { diagnostics, ok } = compile(
      `// ${control}\r\nfloat f() { /* ${control} } ${control} if (x) */ return 1; }\nvoid g() { printf("${control}"); }`,
    )
    expect(ok).toBe(true)
    expect(diagnostics.map(d => [d.code, d.severity, d.span?.position.line, d.span?.position.column])).toEqual([
      ['W10010', 'warning', 1, 4],
      ['W10010', 'warning', 2, 16],
      ['W10010', 'warning', 3, 20],
    ])
    expect(diagnostics[0]!.message).toContain(`U+${control.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`)
    expect(diagnostics[0]!.help).toContain('remove it')
  })

  it('are found in what is included and imported, and where nothing is compiled', () => {
    const files = {
      'a.h': '#pragma once\n#if 0\n\u202e\n#endif\n',
      'm.slang': 'public int m() { return 1; } // \u2066',
    }
    const { diagnostics } = compile('#include "a.h"\n#include "a.h"\nimport m;\n', { files })
    expect(diagnostics.map(d => [d.code, d.span?.position.file, d.span?.position.line])).toEqual([
      ['W10010', 'a.h', 3],
      ['W10010', 'm.slang', 1],
    ])
  })

  it('do not hide errors where there are many', () => {
    const { diagnostics, ok } = compile(`${'// \u202e\n'.repeat(5000)}float f() { return y; }`)
    expect(ok).toBe(false)
    expect(diagnostics.filter(d => d.severity === 'error').map(d => d.code)).toEqual(['E30015'])
  })
})
