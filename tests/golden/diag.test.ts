import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Sink, type Diagnostic, type Entry, type Example } from '../../src/base/diag.ts'
import { diagnosticJson, renderDiagnostic, renderDiagnostics } from '../../src/base/render.ts'
import { SourceFile, Span } from '../../src/base/source.ts'
import { compile, CompileError } from '../../src/index.ts'
import { readProject } from '../../src/project/read.ts'
import { parse } from '../../src/syntax/parse.ts'

const here = join(import.meta.dirname, '..')
const areas = readdirSync(join(here, '../src/base/errors'))
  .filter(f => f.endsWith('.ts') && !f.endsWith('.examples.ts'))
  .sort()
  .map(f => f.replace('.ts', ''))

/** Every entry of the catalogue with its area, name and example. */
const catalogue: {
  readonly area: string
  readonly name: string
  readonly entry: Entry
  readonly example: Exclude<Example, string>
}[] = []
for (const area of areas) {
  const entries = (await import(`../../src/base/errors/${area}.ts`)) as Record<string, Entry>
  const { examples } = (await import(`../../src/base/errors/${area}.examples.ts`)) as {
    readonly examples: Record<string, Example>
  }
  for (const [name, entry] of Object.entries(entries)) {
    if (typeof entry.code !== 'string') continue
    const example = examples[name]!
    catalogue.push({ area, name, entry, example: typeof example === 'string' ? { source: example } : example })
  }
}

/** What the compiler says to the example, with the code for its target if it names one. */
function diagnose(example: Exclude<Example, string>): readonly Diagnostic[] {
  if (example.project !== undefined) return readProject(example.project).diagnostics
  const program = compile(example.source, {
    fileName: 'example.slang',
    ...(example.files === undefined ? {} : { files: example.files }),
    ...(example.resolve === undefined ? {} : { resolve: example.resolve }),
    ...(example.entry === undefined ? {} : { entries: [example.entry] }),
    ...(example.exports === undefined ? {} : { exports: example.exports }),
    ...(example.maxContext === undefined ? {} : { maxContext: example.maxContext }),
    ...(example.unknown === undefined ? {} : { [example.unknown]: 1 }),
  })
  if (example.target === 'wgsl' && program.wgslDiagnostics.length > 0) return program.wgslDiagnostics
  try {
    if (program.ok && example.target !== undefined) program[example.target]()
  } catch (e) {
    if (!(e instanceof CompileError)) throw e
    return e.diagnostics
  }
  return program.diagnostics
}

describe('the catalogue of diagnostics', () => {
  it.each(catalogue)('$area: the example of $name is what it says', ({ entry, example }) => {
    const list = diagnose(example)
    const codes = new Set(list.filter(d => d.severity === 'error' || d.code === entry.code).map(d => d.code))
    expect([...codes], renderDiagnostics(list)).toEqual([entry.code])
  })

  it.each(catalogue)('$area: $name is written in the style of the house', ({ entry }) => {
    const letter = { error: 'E', warning: 'W', note: 'N' }[entry.severity]
    expect(entry.code).toMatch(new RegExp(`^${letter}\\d{5}$`))
    expect(entry.text, 'starts in lower case, unless with a name').toMatch(/^[^A-Z]|^[A-Z]\w*[A-Z{<_]/)
    expect(entry.text, 'one sentence without a full stop').not.toMatch(/\.$/)
    expect(entry.help ?? 'x', 'help is an edit, in lower case').toMatch(/^[^A-Z]/)
  })

  it('has a code of its own for each mistake, unless two texts belong to one number of Slang', () => {
    const texts = catalogue.map(e => `${e.entry.code} ${e.entry.text} ${e.entry.help ?? ''}`)
    expect(texts.filter((text, i) => texts.indexOf(text) !== i)).toEqual([])
  })

  it('finds mistakes of syntax without the rest of the compiler', () => {
    for (const { name, entry, example } of catalogue.filter(e => e.area === 'syntax')) {
      const sink = new Sink()
      const files = new Map(
        Object.entries(example.files ?? {}).map(([path, text]) => [path, new SourceFile(path, text)]),
      )
      parse(new SourceFile('example.slang', example.source), { include: path => files.get(path) }, sink)
      expect(
        sink.list.map(d => d.code),
        `${name}\n${renderDiagnostics(sink.list)}`,
      ).toEqual([entry.code])
    }
  })
})

/**
 * Files under `tests/diag`: under each line with mistakes stand lines such as `//~   ^ E20001`, whose caret is in the column of
 * the diagnostic. For the first columns, `//~< E20001` says that it is in the column in which the comment begins.
 */
describe('programs with mistakes', () => {
  for (const file of readdirSync(join(here, 'diag'))
    .filter(f => f.endsWith('.slang'))
    .sort()) {
    it(`${file} gives exactly the diagnostics that it announces`, () => {
      const source = readFileSync(join(here, 'diag', file), 'utf8')
      const lines = source.split('\n')
      const expected: string[] = []
      let line = 0
      lines.forEach((text, i) => {
        const match = /^\s*\/\/~\s*(\^|<)\s*([EW]\d{5})/.exec(text)
        if (match === null && text.includes('//~')) throw new Error(`${file}: ${text} names no diagnostic`)
        if (match === null) line = i + 1
        else expected.push(`${line}:${match[1] === '<' ? text.indexOf('//~') + 1 : text.indexOf('^') + 1} ${match[2]}`)
      })
      const list = compile(source, { fileName: file }).diagnostics
      const found = list.map(d => {
        const at = d.span?.file.position(d.span.start)
        return `${at?.line}:${at?.column} ${d.code}`
      })
      expect(found.sort(), renderDiagnostics(list)).toEqual(expected.sort())
    })
  }
})

describe('a rendered diagnostic', () => {
  const file = new SourceFile('a.slang', 'float f(float x)\n{\n\treturn y + 1;\n}\n')
  const at = file.text.indexOf('y')
  const diagnostic: Diagnostic = {
    code: 'E30015',
    severity: 'error',
    message: 'undefined y',
    help: 'declare it',
    span: new Span(file, at, at + 5),
    notes: [{ span: new Span(file, 6, 7), text: 'in this function' }],
  }

  it('shows the place, the line, carets, notes and help', () => {
    expect(renderDiagnostic(diagnostic)).toBe(
      [
        'a.slang:3:9: error E30015: undefined y',
        '  \treturn y + 1;',
        '  \t       ^~~~~',
        'a.slang:1:7: note: in this function',
        '  float f(float x)',
        '        ^',
        '  help: declare it',
        '',
      ].join('\n'),
    )
    expect(renderDiagnostic(diagnostic, { color: true })).toContain('\x1b[1;31merror E30015:\x1b[0m')
  })

  it('is an object with places for tools', () => {
    expect(diagnosticJson(diagnostic)).toEqual({
      severity: 'error',
      code: 'E30015',
      message: 'undefined y',
      file: 'a.slang',
      line: 3,
      column: 9,
      endLine: 3,
      endColumn: 14,
      help: 'declare it',
      notes: [{ message: 'in this function', file: 'a.slang', line: 1, column: 7, endLine: 1, endColumn: 8 }],
    })
  })

  it('counts lines as #line says, and cuts long lines', () => {
    const long = new SourceFile('b', `int a = ${'1 + '.repeat(200)};`)
    const span = new Span(long, 700, 701, { file: 'x.slang', line: 42 })
    const cut = renderDiagnostic({ ...diagnostic, span, notes: [], help: undefined })
    expect(cut).toMatch(/^x\.slang:42:701: /)
    expect(Math.max(...cut.split('\n').map(l => l.length))).toBeLessThan(150)
  })
})

describe('mistakes that only lowering can see', () => {
  it.each([
    ['E39999', 'static float a = a + 1; export float f(float x) { return a * x; }'],
    [
      'E38203',
      'vector<float, N + 1> grow<let N : int>(vector<float, N> v) { return 0; } export float f(float4 x) { return grow(x)[0]; }',
    ],
    [
      'E38204',
      'struct Inner { StructuredBuffer<float> list; } StructuredBuffer<Inner> all; export float f(float x) { return all[0].list[1]; }',
    ],
  ])('%s: %s', (code, source) => {
    expect([...new Set(diagnose({ source }).map(d => d.code))]).toEqual([code])
  })
})
