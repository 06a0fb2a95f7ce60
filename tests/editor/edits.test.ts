/** What an editor knows after edits, and what it knows of the same text when that is opened. EDITS says how many are made of each program. */
import { readFileSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { Sink, type Diagnostic } from '../../src/base/diag.ts'
import { core } from '../../src/compile.ts'
import type { Analysis } from '../../src/editor/analysis.ts'
import { definition, typeDefinition } from '../../src/editor/definition.ts'
import { foldingRanges } from '../../src/editor/fold.ts'
import { positionOf, type Position } from '../../src/editor/range.ts'
import { highlights, references } from '../../src/editor/references.ts'
import { rename } from '../../src/editor/rename.ts'
import { documentSymbols, workspaceSymbols } from '../../src/editor/symbols.ts'
import { semanticTokens } from '../../src/editor/tokens.ts'
import { Workspace } from '../../src/editor/workspace.ts'
import { uriOf } from '../../src/editor/uri.ts'
import { front } from '../../src/front.ts'
import { Random } from '../fuzz/random.ts'
import { randomEdit } from '../support/edits.ts'
import { setting } from '../support/setting.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

function programs(...folders: readonly string[]): string[] {
  return folders
    .flatMap(folder => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter(e => e.isFile() && e.name.endsWith('.slang') && !e.parentPath.includes('node_modules'))
    .map(e => join(e.parentPath, e.name).replaceAll('\\', '/'))
}

const examples = programs('examples')
const edits = Math.ceil(setting('EDITS', 10_000) / examples.length)

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** Everything that an analysis says of a program, in words. */
function stateOf(analysis: Analysis): string {
  const at = (span: Diagnostic['span'] | undefined): string => `${span?.file.name}:${span?.start}-${span?.end}`
  const said = analysis.diagnostics.map(
    d => `${at(d.span)} ${d.code} ${d.message} ${d.notes.map(n => `${at(n.span)} ${n.text}`).join('; ')}`,
  )
  const named = analysis.files.flatMap(file =>
    analysis.named(file.name).map(({ start, end, target }) => {
      const place = target.core ?? analysis.place(target)
      const where = typeof place?.file === 'string' ? place.file : place?.file.name
      return `${start}-${end} ${target.kind} ${target.modifiers.join()} ${target.name} ${where}:${place?.start}`
    }),
  )
  return [...said, ...named].join('\n')
}

/** Every request at a place: none may end in an exception, whatever the text. */
function askAll(workspace: Workspace, uri: string, position: Position): void {
  expect(definition(workspace, uri, position)).toBeInstanceOf(Array)
  expect(typeDefinition(workspace, uri, position)).toBeInstanceOf(Array)
  expect(references(workspace, uri, position, { includeDeclaration: true })).toBeInstanceOf(Array)
  expect(highlights(workspace, uri, position)).toBeInstanceOf(Array)
  expect(rename(workspace, uri, position, 'another')).toBeInstanceOf(Object)
  expect(documentSymbols(workspace, uri)).toBeInstanceOf(Array)
  expect(workspaceSymbols(workspace, 'a')).toBeInstanceOf(Array)
  const tokens = semanticTokens(workspace, uri).data
  expect(tokens.filter((n, i) => n < 0 || !Number.isInteger(n) || (i % 5 === 2 && n === 0))).toEqual([])
  for (const { startLine, endLine } of foldingRanges(workspace.document(uri)!.file))
    expect(endLine).toBeGreaterThan(startLine)
}

function opened(path: string, text: string): Analysis {
  const workspace = new Workspace({ read })
  workspace.open(uriOf(path), 1, text)
  return workspace.analysis(uriOf(path))!
}

describe('after edits all is as if the result had been opened', () => {
  test.each(examples.map((path, i) => [relative(root, path), path, i] as const))('%s', (_, path, index) => {
    const random = new Random(18, index)
    const uri = uriOf(path)
    const original = readFileSync(path, 'utf8')
    const workspace = new Workspace({ read })
    workspace.open(uri, 0, original)
    for (let version = 1; version <= edits; version++) {
      const { text } = workspace.document(uri)!
      const other = readFileSync(random.one(examples), 'utf8')
      // Now and then a new start, so that not everything is broken.
      workspace.change(uri, version, [random.pick(10) === 0 ? { text: original } : randomEdit(random, text, other)])
      const what = random.pick(24)
      if (what > 4 && version < edits) continue
      const analysis = workspace.analysis(uri)!
      if (what === 1) {
        // The check is stopped half way.
        const steps = analysis.check()
        for (let k = random.pick(5); k > 0; k--) steps.next()
      } else if (what === 2) {
        const file = analysis.files[0]!
        analysis.use(file, random.pick(file.text.length + 1))
        analysis.scope(file, random.pick(file.text.length + 1))
        if (random.pick(4) === 0) askAll(workspace, uri, positionOf(file, random.pick(file.text.length + 1)))
      } else if (what === 3) expect(analysis.diagnostics).toBeDefined()
      else if (what === 4 || version === edits)
        expect(stateOf(analysis)).toBe(stateOf(opened(path, workspace.document(uri)!.text)))
      expect(analysis.faults).toEqual([])
    }
  })
})

test('an edit in one body leaves the others unchecked', () => {
  const uri = 'file:///main.slang'
  const workspace = new Workspace({ read: () => undefined })
  const text = 'float f(float x) { return x; }\nfloat g(float y) { return f(y); }\nfloat h(float z) { return q; }\n'
  workspace.open(uri, 1, text)
  expect(workspace.analysis(uri)!.diagnostics.map(d => d.span?.position.line)).toEqual([3])
  workspace.change(uri, 2, [
    { range: { start: { line: 0, character: 18 }, end: { line: 0, character: 18 } }, text: '\n float a = b;\n' },
  ])
  const analysis = workspace.analysis(uri)!
  expect(analysis.diagnostics.map(d => d.span?.position)).toMatchObject([
    { line: 2, column: 12 },
    { line: 5, column: 27 },
  ])
  const tree = analysis.tree(analysis.files[0]!)!
  const checked = tree.decls.map(d => d.kind === 'func' && analysis.names.inside(d.body!.stmts) !== undefined)
  expect(checked).toEqual([true, false, false])
})

describe('an editor shows all that checking shows', () => {
  const one = (d: Diagnostic): string => `${d.span?.file.name}:${d.span?.start} ${d.code} ${d.message}`

  test.each(
    programs('examples', 'bench/programs', 'tests/diag', 'tests/target', 'tests/lang', 'tests/reference').map(path => [
      relative(root, path),
      path,
    ]),
  )('%s', (_, path) => {
    const text = readFileSync(path, 'utf8')
    const sink = new Sink()
    front(text, { fileName: path, resolve: read }, core, sink)
    const shown = opened(path, text).diagnostics.map(one)
    expect(shown).toEqual(expect.arrayContaining(sink.list.map(one)))
    // What is only said of programs without mistakes an editor says of functions without mistakes.
    if (sink.errors === 0) expect(shown).toHaveLength(sink.list.length)
  })
})
