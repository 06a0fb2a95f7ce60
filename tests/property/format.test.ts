import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Sink, type Example } from '../../src/base/diag.ts'
import { SourceFile } from '../../src/base/source.ts'
import { format, type FormatOptions, type Formatted } from '../../src/format/format.ts'
import { Tokens } from '../../src/format/tokens.ts'
import { compile, CompileError } from '../../src/index.ts'
import { lex } from '../../src/syntax/lex.ts'
import { parseTokens } from '../../src/syntax/parse.ts'
import { Random } from '../fuzz/random.ts'
import { framed, readCases } from '../support/cases.ts'
import { syntaxTree, typedTree } from '../support/trees.ts'

const root = join(import.meta.dirname, '../..')

function slangFiles(folder: string): string[] {
  const path = join(root, folder)
  if (!existsSync(path)) return []
  return readdirSync(path, { withFileTypes: true })
    .flatMap(entry => {
      if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : slangFiles(`${folder}/${entry.name}`)
      return entry.name.endsWith('.slang') ? [`${folder}/${entry.name}`] : []
    })
    .sort()
}

// What is beside the repository is not always there.
const files = ['core', 'examples', 'bench', 'tests', '../shared/bench', '../shared/conformance'].flatMap(slangFiles)
/** Files that are one program each, and most of which compile. */
const programs = files.filter(f =>
  /^(examples|bench\/programs|tests\/(target|lang\/run|grad|graphics|textures|waves))\//.test(f),
)

/** A program without what the number of a line goes into. */
function withoutLines(text: string): string {
  return text.replaceAll('__LINE__', '7')
}

const textOf = (file: string): string => withoutLines(readFileSync(join(root, file), 'utf8'))

function formatted(text: string, options?: FormatOptions): Formatted {
  const result = format(text, options)
  if ('refused' in result) throw result.refused
  return result
}

/** Whether a text is free of mistakes before its macros are expanded. Where there is one, lines stay as they are. */
function parses(text: string): boolean {
  const sink = new Sink()
  parseTokens(new Tokens(new SourceFile('', text), 4).stream, sink)
  return sink.errors === 0
}

/** Formats a text twice, and gives the result. */
function settled(text: string, options?: FormatOptions): string {
  const { text: made, edits } = formatted(text, options)
  expect(edits.reduceRight((t, { start, end, text: by }) => t.slice(0, start) + by + t.slice(end), text)).toBe(made)
  expect(formatted(made, options)).toEqual({ text: made, edits: [] })
  return made
}

const narrow: FormatOptions = { lineWidth: 40, tabSize: 3, insertSpaces: false, braces: 'same-line' }

describe('a formatted file means the same, and formats to itself', () => {
  test('there are files', () => expect(files.length).toBeGreaterThan(250))

  test.each(files)('%s', file => {
    const text = textOf(file)
    const tree = syntaxTree(text)
    for (const options of [{}, narrow]) expect(syntaxTree(settled(text, options))).toBe(tree)
  })
})

/** What a program becomes, without comments that name lines: WGSL and JavaScript, or the codes of what keeps it from being that. */
function outputs(source: string): readonly string[] {
  const program = compile(source)
  return [() => program.wgsl().code, () => program.js().code].map(make => {
    try {
      return make().replace(/\/\/ main\.slang:\d+/g, '')
    } catch (error) {
      if (!(error instanceof CompileError)) throw error
      return error.diagnostics.map(d => d.code).join()
    }
  })
}

describe('a formatted program', () => {
  test('is compared by trees that tell programs apart', () => {
    const tree = typedTree('float f(float x) { return x * 2; }')
    expect(typedTree('float f(float x)\n{ return x * 2; }')).toBe(tree)
    for (const other of ['x * 3', 'x + 2', '2 * x', 'x'])
      expect(typedTree(`float f(float x) { return ${other}; }`)).not.toBe(tree)
    expect(syntaxTree('float f(float x) { return (x * 2); }')).not.toBe(syntaxTree('float f(float x) { return x; }'))
  })

  const cases = ['census', 'reference', 'lang/targets'].flatMap(readCases)
  test.each([...new Set(cases.map(c => c.file))])('has the same typed tree: those of %s', file => {
    for (const c of cases.filter(other => other.file === file)) {
      const source = withoutLines(c.numbers === undefined ? c.source : framed(c))
      expect(typedTree(settled(source), c.files), c.name).toBe(typedTree(source, c.files))
    }
  })

  test.each(programs)('has the same typed tree: %s', file => {
    const source = textOf(file)
    expect(typedTree(settled(source))).toBe(typedTree(source))
  })

  const shown = programs.filter(f => f.startsWith('examples/') || existsSync(join(root, f.replace('.slang', '.wgsl'))))
  test.each(shown)('has the same WGSL and JavaScript: %s', file => {
    const source = textOf(file)
    expect(outputs(settled(source))).toEqual(outputs(source))
  })

  const errors = join(root, 'src/base/errors')
  test.each(readdirSync(errors).filter(f => f.endsWith('.examples.ts')))(
    'gets the same diagnostics: %s',
    async area => {
      const { examples } = (await import(join(errors, area))) as {
        readonly examples: Readonly<Record<string, Example>>
      }
      for (const [name, example] of Object.entries(examples)) {
        const { source, files: others, project } = typeof example === 'string' ? { source: example } : example
        if (project === undefined) expect(typedTree(settled(source), others), name).toBe(typedTree(source, others))
      }
    },
  )
})

/** Changes the white space of a text at random, and adds or removes things. */
function altered(text: string, random: Random, kinds: ReadonlySet<string>): string {
  const raw = lex(new SourceFile('', text))
  let made = ''
  let at = 0
  for (let i = 0; i + 1 < raw.count; i++) {
    let gap = text.slice(at, raw.starts[i])
    const token = text.slice(raw.starts[i], raw.ends[i])
    at = raw.ends[i]!
    const chance = random.pick(100)
    if (kinds.has('space') && chance < 30 && gap.trim() === '' && !raw.directives)
      gap = gap === '' ? random.one(['', ' ']) : random.one([' ', '\n', '  ', '\t', '\n\n', '\n\n\n   '])
    if (kinds.has('comment') && chance > 95 && !raw.directives)
      gap += random.one([
        ' /* c */ ',
        ' // c\n',
        '\n// c\n',
        '\n/* a\n   b */\n',
        '/**/',
        '\n// clang-format off\n',
        '\n// clang-format on\n',
      ])
    if (kinds.has('directive') && chance === 40)
      gap += random.one([
        '\n#if A\n',
        '\n#else\n',
        '\n#endif\n',
        '\n#define X(a) a \\\n  b\n',
        "\n#if 0\n don't {\n#endif\n",
      ])
    if (kinds.has('broken') && chance === 50)
      gap += random.one(['(', ')', '{', '}', ';', '"', "'", '<', '>', '=', '\\', '@'])
    made += kinds.has('broken') && chance === 51 ? gap : gap + token
  }
  return made + text.slice(at)
}

describe('what nobody wrote', () => {
  const small = files.filter(file => textOf(file).length < 8000)
  const everyKind = ['space', 'comment', 'directive', 'broken']
  test.each([...everyKind.map(kind => [kind]), everyKind].map(kinds => [kinds.join(' and '), kinds] as const))(
    'formats to itself, with all tokens: files with random %s',
    (name, kinds) => {
      for (let i = 0; i < 60; i++) {
        const random = new Random(name.length, i)
        const text = altered(textOf(random.one(small)), random, new Set(kinds))
        const options: FormatOptions = {
          tabSize: random.one([2, 4, 8]),
          insertSpaces: random.pick(2) === 0,
          lineWidth: random.one([20, 40, 80, 100, 200]),
          braces: random.one(['own-line', 'same-line'] as const),
        }
        settled(random.pick(8) === 0 ? text.replace(/\r?\n/g, '\r\n') : text, options)
      }
    },
  )

  test('does not depend on spaces in lines', () => {
    const readable = programs.filter(file => parses(textOf(file)))
    expect(readable.length).toBeGreaterThan(0.9 * programs.length)
    for (let i = 0; i < 60; i++) {
      const random = new Random(7, i)
      const text = textOf(random.one(readable))
      const spaced = text
        .split('\n')
        // Lines with comments, directives and strings stay.
        .map(line =>
          /[/#"'\\*]/.test(line) ? line : line.replace(/(?<=\S) (?=\S)/g, () => random.one([' ', '  ', '\t'])),
        )
        .join('\n')
      expect(formatted(spaced).text).toBe(formatted(text).text)
    }
  })
})
