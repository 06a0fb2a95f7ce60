/**
 * docs/differences.md: each row of a table of programs gets the diagnostic that its second column names, or compiles where that names none. The
 * blocks and commands of the page are run with those of all pages.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { CompileError, compile, type Diagnostic } from '../../src/index.ts'

const page = readFileSync(new URL('../../docs/differences.md', import.meta.url), 'utf8')

interface Row {
  readonly section: string
  readonly source: string
  /** The code that the row promises; undefined where the program compiles. */
  readonly code: string | undefined
  /** Whose code it is: of the compiler for every target, or of one target alone. */
  readonly target: 'any' | 'wgsl' | 'wasm'
}

/** The cells of a line of a table; `\|` stands for a bar. */
const cellsOf = (line: string): string[] =>
  line
    .replace(/^\| | \|$/g, '')
    .split(/ (?<!\\)\| /)
    .map(cell => cell.replaceAll('\\|', '|'))

/** The rows of each table whose first column is `program`. */
function rowsOf(text: string): Row[] {
  const rows: Row[] = []
  for (const part of text.split(/^## /m).slice(1)) {
    const section = part.slice(0, part.indexOf('\n'))
    for (const [table] of part.matchAll(/^\| program [^]*?(?=\n\n)/gm)) {
      const [head = '', , ...lines] = table.split('\n')
      for (const line of lines) {
        const [program = '', second = ''] = cellsOf(line)
        const where = `${head} ${second}`
        rows.push({
          section,
          source: /^`(.*)`$/.exec(program)?.[1] ?? '',
          code: /^[EW]\d{5}/.exec(second)?.[0],
          target: where.includes('for WGSL') ? 'wgsl' : where.includes('for a CPU') ? 'wasm' : 'any',
        })
      }
    }
  }
  return rows
}

/** What a target says of a program. */
function complaints(source: string, target: 'wgsl' | 'wasm' | 'js'): readonly Diagnostic[] {
  const program = compile(source)
  try {
    program[target]()
  } catch (error) {
    if (error instanceof CompileError) return error.diagnostics
    throw error
  }
  return program.diagnostics
}

const rows = rowsOf(page)

it('has rows', () => {
  expect(rows.length).toBeGreaterThan(35)
  expect(rows.filter(row => row.code === undefined).length).toBeGreaterThan(3)
})

describe.each(rows)('$section: $source', ({ source, code, target }) => {
  it(code === undefined ? 'compiles' : `gives ${code}`, () => {
    const codes = (of: 'wgsl' | 'wasm' | 'js'): string[] =>
      complaints(source, of).map(d => `${d.severity === 'error' ? 'E' : 'W'}${d.code.replace(/^[EW]/, '')}`)
    if (code === undefined) for (const of of ['wgsl', 'wasm', 'js'] as const) expect(codes(of)).toEqual([])
    else {
      const found = codes(target === 'any' ? 'wasm' : target)
      const row = `this row of docs/differences.md has become false, and is to be mended or taken out: ${source}`
      expect(found, row).toContain(code)
      // What only one target refuses is no mistake of the program.
      expect(compile(source).ok || target === 'any', `the program has a mistake: ${source}`).toBe(true)
    }
  })
})
