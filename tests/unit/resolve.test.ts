import { describe, expect, it } from 'vitest'
import { compile, type CompileOptions } from '../../src/index.ts'

/** What a program in JavaScript may answer, which knows no types. */
const answering = (answer: () => unknown): CompileOptions => ({ resolve: answer as () => string | undefined })

const said = (source: string, options: CompileOptions): string[] =>
  compile(source, options).diagnostics.map(d => `${d.code} ${d.span?.position.line}: ${d.message}`)

const wrong: Readonly<Record<string, readonly [() => unknown, string]>> = {
  null: [() => null, 'resolve answered null'],
  'a number': [() => 7, 'resolve answered a number'],
  'a boolean': [() => false, 'resolve answered a boolean'],
  bytes: [() => Buffer.from('int x;'), 'resolve answered bytes'],
  'a Promise': [() => Promise.resolve('int x;'), 'resolve answered a Promise'],
  'a String object': [() => Object('int x;'), 'resolve answered an object'],
  'a function': [() => () => 'int x;', 'resolve answered a function'],
  'a symbol': [() => Symbol('x'), 'resolve answered a symbol'],
  'an exception': [
    () => {
      throw new Error('the disk is gone')
    },
    'the disk is gone',
  ],
  'a thrown string': [
    () => {
      // oxlint-disable-next-line typescript/only-throw-error -- a user's function may throw anything
      throw 'no disk'
    },
    'no disk',
  ],
  'something thrown without a text': [
    () => {
      throw Object.create(null)
    },
    'resolve threw something that has no text',
  ],
}

describe('what resolve answers', () => {
  it.each(Object.entries(wrong))('is refused at the place that asks: %s', (_, [answer, why]) => {
    for (const source of [
      '\nimport m;',
      '\nimport "m.slang";',
      '\n__include m;',
      '\n#include "m.slang"',
      '\n#include <m.slang>',
    ]) {
      const list = said(source, answering(answer))
      expect(list).toHaveLength(1)
      expect(list[0]).toContain('E00001 2: cannot read m.slang: ')
      expect(list[0]).toContain(why)
    }
  })

  it.each(['"no.h"', '<no.h>', '< dir/no.h >'])('is missed at the whole path that an include names: %s', path => {
    const [only] = compile(`#include ${path} // none`, {}).diagnostics
    const { file, start, end } = only!.span!
    expect(file.text.slice(start, end)).toBe(path)
  })

  it('is found for a path with another dot before the .slang that an import leaves out', () => {
    const files = { 'm.ps.slang': 'int f() { return 1; }' }
    expect(said('import "m.ps";\nint g() { return f(); }', { files })).toEqual([])
  })

  it('may be the empty text, or undefined for what is not there', () => {
    expect(
      said(
        'import m;\nint f() { return 1; }',
        answering(() => ''),
      ),
    ).toEqual([])
    expect(
      said(
        'import m;',
        answering(() => undefined),
      ),
    ).toEqual(['E00001 1: cannot open module m'])
  })

  it('is asked for once a path, with dots taken out', () => {
    const asked: string[] = []
    compile('import m;\nimport m;\n#include "../x/./y/../z.h"\n#include "../x/z.h"\n', {
      fileName: 'a/b/main.slang',
      searchPaths: ['/lib', 'inc'],
      resolve: path => {
        asked.push(path)
        return undefined
      },
    })
    const paths = (dirs: readonly string[], name: string): string[] => dirs.map(dir => `${dir}${name}`)
    expect(asked).toEqual([
      ...paths(['a/', '/', ''], 'x/z.h'),
      '../x/z.h',
      ...paths(['a/b/', '/lib/', 'inc/', ''], 'm.slang'),
    ])
  })
})

it('a source or file that is no text is told of', () => {
  const text = 7 as unknown as string
  expect(said('import m;', { files: { 'm.slang': text } })).toEqual([
    'E00001 1: cannot read m.slang: files has a number for it, and must have a string',
  ])
  for (const source of [undefined, null, 7, {}, Buffer.from('')]) {
    const { diagnostics, ok } = compile(source as string)
    expect(ok).toBe(false)
    expect(diagnostics.map(d => d.message)).toEqual([
      expect.stringMatching(/^cannot read main\.slang: the source is .*, and must be a string$/),
    ])
  }
})
