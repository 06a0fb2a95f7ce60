/** `cotangent.json`: what is taken, what each mistake says, the schema for editors, and options from two places. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { renderDiagnostics } from '../../src/base/render.ts'
import { mergeOptions } from '../../src/project/merge.ts'
import { readProject } from '../../src/project/read.ts'
import { projectSchema } from '../../src/project/schema.ts'

const whole = {
  $schema: './node_modules/cotangent/cotangent.schema.json',
  searchPaths: ['shaders', '../lib'],
  defines: { SAMPLES: 16, NAME: 'x', FAST: true, SCALE: -1.5 },
  conformances: ['Matte:Material', 'Glossy:Material=2'],
  matrixLayout: 'column-major',
  entries: ['fit', { name: 'shade', stage: 'fragment' }],
  maxContext: 4096,
  types: 'generated',
}

const codes = (text: string): string[] => readProject(text).diagnostics.map(d => d.code)

describe('a project file', () => {
  it('gives its options', () => {
    const { $schema: _, ...options } = whole
    expect(readProject(JSON.stringify(whole))).toEqual({ options, diagnostics: [] })
    expect(readProject('{}')).toEqual({ options: {}, diagnostics: [] })
    expect(readProject('{ "types": false }').options).toEqual({ types: false })
  })

  it('may hold comments, commas at the end, and a byte order mark', () => {
    expect(readProject('\ufeff// a\n{ /* b */ "searchPaths": ["a",], "defines": {"X": 1,}, }\n')).toEqual({
      options: { searchPaths: ['a'], defines: { X: 1 } },
      diagnostics: [],
    })
  })

  it('keeps what is right beside what is wrong', () => {
    const { options, diagnostics } = readProject('{ "searchPaths": ["a", 1], "maxContext": "x", "types": false }')
    expect(options).toEqual({ searchPaths: ['a'], types: false })
    expect(diagnostics.map(d => d.message)).toEqual([
      'searchPaths[1] takes the name of a folder, but 1 came',
      'maxContext takes a whole number of bytes, none below 0, but "x" came',
    ])
  })

  it('shows the place of a mistake, and what was probably meant', () => {
    const text = '{\n\t"searchPath": ["a"],\n\t"matrixLayout": "row-mayor"\n}\n'
    expect(renderDiagnostics(readProject(text, 'p/cotangent.json').diagnostics)).toBe(
      [
        'p/cotangent.json:2:2: error E50212: cotangent.json has no option searchPath',
        '  \t"searchPath": ["a"],',
        '  \t^~~~~~~~~~~~',
        'note: did you mean searchPaths?',
        'p/cotangent.json:3:18: error E50211: matrixLayout takes "row-major" or "column-major", but "row-mayor" came',
        '  \t"matrixLayout": "row-mayor"',
        '  \t                ^~~~~~~~~~~',
        'note: did you mean row-major?',
        '',
      ].join('\n'),
    )
  })

  it.each([
    ['', '1:1', 'a value'],
    ['{ "types": false', '1:17', 'a closing brace }'],
    ['{ "searchPaths": ["a" "b"] }', '1:23', 'a comma, or the end of the list or object'],
    [
      '{ types: false }',
      '1:3',
      'a name or a string in double quotes, a number, true, false, null, a list or an object',
    ],
    ['{ 1: false }', '1:3', 'the name of an option in double quotes'],
    ['{ "types" false }', '1:11', 'a colon after the name'],
    ['{ "types": }', '1:12', 'a value'],
    ['{ "types": "a\n" }', '1:12', 'the closing quote of the string on the same line'],
    ['{ "types": "\\x" }', '1:12', 'one of \\" \\\\ \\/ \\b \\f \\n \\r \\t \\u after a backslash'],
    [
      '{ "types": nothing }',
      '1:12',
      'a name or a string in double quotes, a number, true, false, null, a list or an object',
    ],
    ['{} {}', '1:4', 'nothing after the value'],
    ['{ /* }', '1:3', 'the end of the comment, */'],
  ])('that is no JSON says what was expected: %j', (text, place, expected) => {
    const [first, ...more] = readProject(text).diagnostics
    expect(first).toMatchObject({ code: 'E50210', message: `this is not JSON: expected ${expected}` })
    expect(`${first!.span!.position.line}:${first!.span!.position.column}`).toBe(place)
    expect(more).toEqual([])
  })

  it('that nests deeply is refused in words', () => {
    expect(readProject('['.repeat(1_000_000)).diagnostics.map(d => d.message)).toEqual([
      'this is not JSON: expected less nesting',
    ])
  })

  it.each([
    ['[]', 'cotangent.json takes an object, but a list came'],
    [
      '{ "defines": { "1x": 1 } }',
      'a key of defines takes the name of a macro: letters, digits and _, without a digit at its start, but "1x" came',
    ],
    ['{ "defines": { "X": null } }', 'defines.X takes a string, a number, true or false, but null came'],
    ['{ "defines": { "X": 1e999 } }', 'defines.X takes a string, a number, true or false, but 1e999 came'],
    ['{ "conformances": ["A"] }', 'conformances[0] takes "Type:Interface" or "Type:Interface=ID", but "A" came'],
    ['{ "entries": [7] }', 'entries[0] takes the name of a function, or an object with name and stage, but 7 came'],
    [
      '{ "entries": [{ "name": "a", "stage": "pixel" }] }',
      'entries[0].stage takes "compute", "vertex" or "fragment", but "pixel" came',
    ],
    ['{ "entries": [{ "name": "a", "stage": "vertex", "x": 1 }] }', 'entries[0] has no option x'],
    ['{ "maxContext": 1.5 }', 'maxContext takes a whole number of bytes, none below 0, but 1.5 came'],
    ['{ "types": true }', 'types takes "beside", the name of a folder, or false, but true came'],
    ['{ "types": " " }', 'types takes "beside", the name of a folder, or false, but " " came'],
    [
      `{ "types": ${'9'.repeat(50)} }`,
      `types takes "beside", the name of a folder, or false, but ${'9'.repeat(40)}… came`,
    ],
    ['{ "$schema": 1 }', '$schema takes the place of a JSON schema, but 1 came'],
  ])('with %s has a mistake', (text, message) => {
    expect(readProject(text).diagnostics.map(d => d.message)).toEqual([message])
  })

  it('gives each option once, and all fields of an object', () => {
    const twice = readProject('{ "types": false, "types": "a" }')
    expect(twice.options).toEqual({ types: false })
    expect(twice.diagnostics).toMatchObject([{ code: 'E50213', notes: [{ text: 'the first one' }] }])
    expect(codes('{ "entries": [{}] }')).toEqual(['E50214'])
    expect(readProject('{ "entries": [{ "stage": "vertex" }] }').options).toEqual({ entries: [] })
  })

  it('may have keys that every object has', () => {
    expect(codes('{ "constructor": 1 }')).toEqual(['E50212'])
    const { options } = readProject('{ "defines": { "__proto__": 1, "constructor": 2 } }')
    expect(Object.entries(options.defines!)).toEqual([
      ['__proto__', 1],
      ['constructor', 2],
    ])
  })
})

describe('cotangent.schema.json', () => {
  it('is what the table of options makes; npx vitest run tests/unit/project.test.ts -u writes it', async () => {
    const path = join(import.meta.dirname, '../../cotangent.schema.json')
    await expect(`${JSON.stringify(projectSchema(), null, 2)}\n`).toMatchFileSnapshot(path)
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(projectSchema())
  })

  it('takes and refuses what the reader takes and refuses', () => {
    const takes = new Ajv({ strict: false }).compile(projectSchema())
    const values: readonly unknown[] = [
      whole,
      {},
      [],
      null,
      { x: 1 },
      { $schema: 1 },
      ...[['a'], [''], 'a', [1], []].map(searchPaths => ({ searchPaths })),
      ...[{ A: 1 }, { A: 'x' }, { A: false }, { A: null }, { A: [] }, { 'a-b': 1 }, []].map(defines => ({ defines })),
      ...[['A:B'], ['A:B=3'], ['A:B=x'], ['A'], [1], 'A:B'].map(conformances => ({ conformances })),
      ...['row-major', 'column-major', 'rows', 1].map(matrixLayout => ({ matrixLayout })),
      ...[
        ['a'],
        [''],
        [{ name: 'a', stage: 'compute' }],
        [{ name: 'a', stage: 'mesh' }],
        [{ name: 'a' }],
        [{ name: 'a', stage: 'vertex', more: 1 }],
        [[]],
        'a',
      ].map(entries => ({ entries })),
      ...[0, 12, -1, 0.5, 2 ** 53, '1'].map(maxContext => ({ maxContext })),
      ...['beside', 'types', '', ' ', false, true, null].map(types => ({ types })),
    ]
    const ours = values.map(value => codes(JSON.stringify(value)).length === 0)
    expect(values.filter((value, i) => takes(value) !== ours[i])).toEqual([])
    expect(new Set(ours)).toEqual(new Set([true, false]))
  })
})

describe('options from two places', () => {
  it('join by name where they have names, and replace each other elsewhere', () => {
    expect(
      mergeOptions(
        {
          searchPaths: ['a', 'b'],
          defines: { X: 1, Y: 2 },
          conformances: ['A:I=1', 'B:I'],
          entries: ['f'],
          maxContext: 1,
          types: 'beside',
        },
        { searchPaths: ['c'], defines: { Y: 3 }, conformances: ['A:I=7'], entries: ['g'], types: false },
      ),
    ).toEqual({
      searchPaths: ['c', 'a', 'b'],
      defines: { X: 1, Y: 3 },
      conformances: ['B:I', 'A:I=7'],
      entries: ['g'],
      maxContext: 1,
      types: false,
    })
  })
})
