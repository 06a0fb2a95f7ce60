/** A syntax error hides no mistake elsewhere, and nothing is reported that only follows from it. */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { uriOf } from '../../src/editor/uri.ts'
import { Workspace } from '../../src/editor/workspace.ts'
import type { FuncDecl } from '../../src/check/model/decl.ts'
import type { Analysis } from '../../src/editor/analysis.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

function analysed(text: string, path = '/main.slang'): Analysis {
  const workspace = new Workspace({ read: asked => (existsSync(asked) ? readFileSync(asked, 'utf8') : undefined) })
  workspace.open(uriOf(path), 1, text)
  return workspace.analysis(uriOf(path))!
}

const said = (text: string): readonly string[] =>
  analysed(text).diagnostics.map(d => `${d.span?.position.line}: ${d.message}`)

const other = '\nfloat other(float y)\n{\n    return unknown + y;\n}\n'

describe('mistakes beside a syntax error', () => {
  test.each([
    [
      'a missing semicolon',
      'float f(float x)\n{\n    float y = x\n    return y;\n}',
      ["3: expected ';' before 'return'"],
    ],
    ['a missing parenthesis', 'float f(float x)\n{\n    return max(x, 1.0;\n}', ["3: this '(' is not closed"]],
    ['a missing brace', 'float f(float x)\n{\n    return x;\n', ["2: this '{' is not closed"]],
    [
      'a missing brace inside',
      'float f(float x)\n{\n    if (x > 1.0) {\n        x = 2.0;\n    return x;\n}',
      ["2: this '{' is not closed"],
    ],
    ['a brace too many', 'float f(float x)\n{\n    x = 2.0;\n    }\n    return x;\n}', ["4: unexpected '}'"]],
    [
      'a member that is not written yet',
      'float f(float2 p)\n{\n    p.\n    float y = p.x;\n    return y;\n}',
      ["4: expected the name of a member before 'float'"],
    ],
    [
      'a call that is not written yet',
      'float f(float x)\n{\n    max(x,\n    float y = x;\n    return y;\n}',
      ["3: this '(' is not closed"],
    ],
    [
      'a variable that is not written yet',
      'float f(float x)\n{\n    float y =\n    return x;\n}',
      ["3: expected an expression before 'return'"],
    ],
    [
      'a condition that is not written yet',
      'float f(float x)\n{\n    if (\n    return x;\n}',
      ["3: expected an expression before 'return'"],
    ],
    ['a type alone', 'float', ["2: expected a name before 'float'"]],
    ['a function that is not written yet', 'float f(', ["1: this '(' is not closed"]],
    ['parameters that are not written yet', 'float f(float x,\n', ["1: this '(' is not closed"]],
    ['a struct without its end', 'struct S\n{\n    float a;\n    float b;\n', ["2: this '{' is not closed"]],
    ['a field that is not written yet', 'struct S\n{\n    float a;\n    float\n};', ["5: expected a name before '}'"]],
    [
      'an attribute without its end',
      '[Differentiable\nfloat f(float x)\n{\n    return x;\n}',
      ["1: this '[' is not closed"],
    ],
    [
      'a condition of the preprocessor without its end',
      '#if 0\nfloat f(float x)\n{\n    return x;\n}',
      ['1: the file ends inside this #if'],
    ],
    ['a string without its end', 'void f()\n{\n    printf("hello);\n}', ['3: this literal does not end on its line']],
    [
      'a macro call without its end',
      '#define TWICE(x) x + x\nfloat f(float x)\n{\n    return TWICE(x;\n}',
      ['4: the arguments of the macro TWICE do not end'],
    ],
  ])('%s', (_, text, expected) => {
    const lines = text.split('\n').length
    const found = said(`${text}${other}`)
    expect(found).toEqual([...expected, `${lines + 3}: undefined identifier unknown`])
  })

  test('what is declared in a broken declaration is not unknown elsewhere', () => {
    expect(said('float3 tint(float3 c {\n    return c;\n}\nfloat3 g() { return tint(float3(1.0)) + lost; }')).toEqual([
      "1: this '(' is not closed",
      '4: undefined identifier lost',
    ])
    expect(said('struct S { float a; floot b c; };\nfloat f(S s) { return s.a + s.b + s.c + s.d; }')).toHaveLength(1)
  })

  test('a missing import hides other mistakes no longer', () => {
    expect(said('import nowhere;\nfloat f(float x) { return there(x); }\nvoid g() { int i = float2(1.0); }')).toEqual([
      '1: cannot open module nowhere',
      '3: expected an expression of type int, got float2',
    ])
  })
})

/** What people have typed when they stop. */
const half = ['foo(', 'float x1 =', 'if (', 'for (int i1', 'for (int i1 = 0; i1 <', 'return', 'float', 'x1 +']

describe('half a statement in any function of an example', () => {
  const paths = readdirSync(join(root, 'examples'), { recursive: true, withFileTypes: true })
    .filter(e => e.isFile() && e.name.endsWith('.slang') && !e.parentPath.includes('node_modules'))
    .map(e => join(e.parentPath, e.name).replaceAll('\\', '/'))

  test.each(paths.map(path => [relative(root, path), path]))('%s', (_, path) => {
    const text = readFileSync(path, 'utf8')
    const { cx, files } = analysed(text, path)
    const funcs = cx.userDecls.filter((d): d is FuncDecl => d.kind === 'func' && d.hasBody && d.span?.file === files[0])
    const wrong: string[] = []
    for (const [i, { syntax }] of funcs.entries()) {
      const { span } = syntax.body!
      const behind = funcs[(i + 1) % funcs.length]!.syntax.body!.span
      if (behind === span) continue
      const param = syntax.kind === 'accessor' ? undefined : syntax.params[0]?.name?.text
      for (const typed of param === undefined ? half : [...half, `${param}.`]) {
        const edits = [
          [span.start + 1, `\n    ${typed}\n`],
          [behind.start + 1, ' int i2 = unknown; '],
        ] as const
        let changed = text
        for (const [at, put] of edits.toSorted((a, b) => b[0] - a[0]))
          changed = changed.slice(0, at) + put + changed.slice(at)
        const found = analysed(changed, path).diagnostics
        const elsewhere = found.filter(d => !/^E200|^E15/.test(d.code))
        if (
          found.length === elsewhere.length ||
          elsewhere.map(d => d.message).join() !== 'undefined identifier unknown'
        )
          wrong.push(
            `${typed} at ${span.position.line}: ${elsewhere.map(d => `${d.span?.position.line} ${d.message}`).join('; ')}`,
          )
      }
    }
    expect(wrong).toEqual([])
  })
})
