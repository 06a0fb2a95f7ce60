import { expect, test } from 'vitest'
import { definition } from '../../src/editor/definition.ts'
import { semanticTokens } from '../../src/editor/tokens.ts'
import { workspaceSymbols } from '../../src/editor/symbols.ts'
import { Workspace, type FileDiagnostics } from '../../src/editor/workspace.ts'
import { pathOf, uriOf } from '../../src/editor/uri.ts'

const file = 'file:///project/main.slang'

test('paths and URIs name each other', () => {
  expect(pathOf('file:///a%20b/c.slang')).toBe('/a b/c.slang')
  expect(uriOf('/a b/c.slang')).toBe('file:///a%20b/c.slang')
  expect(pathOf('file:///C%3A/x.slang')).toBe('c:/x.slang')
  expect(uriOf('c:/x.slang')).toBe('file:///c%3A/x.slang')
  expect(pathOf('untitled:Untitled-1')).toBe('untitled:Untitled-1')
  expect(uriOf(pathOf('memory://host/x.slang'))).toBe('memory://host/x.slang')
  expect(uriOf(pathOf('cotangent-core:/math.slang'))).toBe('cotangent-core:/math.slang')
})

test('edits count in UTF-16 code units, each on top of those before', () => {
  const workspace = new Workspace({ read: () => undefined })
  workspace.open(file, 1, '/* 𝛿 */ float a;\r\nfloat b;')
  workspace.change(file, 2, [
    { range: { start: { line: 0, character: 15 }, end: { line: 0, character: 16 } }, text: 'xy' },
    { range: { start: { line: 1, character: 6 }, end: { line: 1, character: 7 } }, text: 'z' },
  ])
  expect(workspace.document(file)).toMatchObject({ version: 2, text: '/* 𝛿 */ float xy;\r\nfloat z;' })
  workspace.change(file, 3, [{ text: 'int c;' }])
  expect(workspace.document(file)?.text).toBe('int c;')
})

test('an import is read from open documents first, and a change of it counts', () => {
  const disk = new Map([['/project/lib.slang', 'public float f(float x) { return x; }']])
  const workspace = new Workspace({ read: path => disk.get(path) })
  workspace.open(file, 1, 'import lib; float g(int i) { return f(i, i); }')
  const messages = (): readonly string[] => workspace.analysis(file)!.diagnostics.map(d => d.code)
  expect(messages()).toEqual(['E39999'])
  workspace.open('file:///project/lib.slang', 1, 'public float f(float x, float y) { return x; }')
  expect(messages()).toEqual([])
  workspace.close('file:///project/lib.slang')
  expect(messages()).toEqual(['E39999'])
  disk.set('/project/lib.slang', 'public float f(float x, float y, float z) { return x; }')
  workspace.changedOnDisk(['file:///project/lib.slang'])
  expect(messages()).toEqual(['E39999'])
})

test('settings come from the nearest project file', () => {
  const disk = new Map([
    ['/project/cotangent.json', '{ "defines": { "N": 3 }, "searchPaths": ["shared"] }'],
    ['/project/shared/lib.slang', 'public static const int M = N;'],
  ])
  const workspace = new Workspace({ read: path => disk.get(path) })
  workspace.open('file:///project/sub/main.slang', 1, 'import lib; static const int K = M + N;')
  expect(workspace.analysis('file:///project/sub/main.slang')!.diagnostics).toEqual([])
})

test('a file that another includes is part of its program', () => {
  const disk = new Map([
    [
      '/project/main.slang',
      'module main;\n__include part;\n#include "macros.slangh"\nfloat scale() { return SCALE * twice(1.0); }',
    ],
    ['/project/part.slang', 'implementing main;\nfloat twice(float x) { return x * scale() * wrong; }'],
    ['/project/macros.slangh', '#define SCALE 2.0\nfloat thrice(float x) { return twice(x) + also; }'],
  ])
  const workspace = new Workspace({ read: path => disk.get(path), list: () => [...disk.keys()] })
  workspace.configure({ folders: ['file:///project'] })
  const shown = (uri: string): unknown => {
    const steps = workspace.diagnose(uri)
    for (;;) {
      const { done, value } = steps.next()
      if (done === true) return Object.fromEntries(value.map(f => [f.uri.slice(16), f.diagnostics.map(d => d.message)]))
    }
  }
  workspace.open('file:///project/part.slang', 1, disk.get('/project/part.slang')!)
  expect(workspace.analysis('file:///project/part.slang')!.root).toBe('/project/main.slang')
  workspace.open('file:///project/macros.slangh', 1, disk.get('/project/macros.slangh')!)
  expect(workspace.analysis('file:///project/macros.slangh')!.root).toBe('/project/main.slang')
  expect(shown('file:///project/part.slang')).toEqual({
    'main.slang': [],
    'part.slang': ['undefined identifier wrong'],
    'macros.slangh': ['undefined identifier also'],
  })
  // What the editor has open counts.
  workspace.open('file:///project/main.slang', 1, 'module main; float scale() { return 1.0; }')
  expect(workspace.analysis('file:///project/part.slang')!.root).toBe('/project/part.slang')
})

test('what is wrong is shown with the file that it is wrong in, and cleared when it is mended', () => {
  const disk = new Map([
    ['/project/lib.slang', 'public float f() { return wrong; }'],
    ['/project/cotangent.json', '{ "defines": 1 }'],
  ])
  const workspace = new Workspace({ read: path => disk.get(path) })
  const shown = (uri: string): Record<string, string[]> => {
    const steps = workspace.diagnose(uri)
    for (;;) {
      const { done, value } = steps.next()
      if (done === true) return Object.fromEntries(value.map(f => [f.uri.slice(16), f.diagnostics.map(d => d.code)]))
    }
  }
  workspace.open(file, 1, 'import lib; float g() { return f() + wrong; }')
  expect(shown(file)).toEqual({ 'main.slang': ['E30015'], 'lib.slang': ['E30015'], 'cotangent.json': ['E50211'] })
  disk.set('/project/lib.slang', 'public float f() { return 1.0; }')
  disk.set('/project/cotangent.json', '{}')
  workspace.changedOnDisk(['file:///project/lib.slang', 'file:///project/cotangent.json'])
  expect(shown(file)).toEqual({ 'main.slang': ['E30015'], 'lib.slang': [], 'cotangent.json': [] })
  expect(shown(file)).toEqual({ 'main.slang': ['E30015'] })
  expect(workspace.close(file)).toMatchObject([{ uri: file, diagnostics: [] }])
})

test('a program that nests deeply, or is too much, is answered like any other', () => {
  const workspace = new Workspace({ read: () => undefined })
  const sum = Array.from({ length: 800 }, () => 'x').join(' + ')
  workspace.open(
    file,
    1,
    `float f(float x) { return ${sum}; }\nfloat g() { return f(${'('.repeat(400)}1${')'.repeat(400)}); }`,
  )
  const analysis = workspace.analysis(file)!
  expect(analysis.diagnostics.length).toBeGreaterThan(0)
  expect(analysis.faults).toEqual([])
  expect(semanticTokens(workspace, file).data.length).toBeGreaterThan(1000)
  expect(definition(workspace, file, { line: 0, character: 26 + 4 * 700 })).toMatchObject([
    { range: { start: { line: 0, character: 14 } } },
  ])
  workspace.open(
    file,
    2,
    `#define A A2 A2 A2 A2\n${Array.from({ length: 40 }, (_, i) => `#define A${i + 2} A${i + 3} A${i + 3}`).join('\n')}\nint x = A;`,
  )
  expect(workspace.analysis(file)!.diagnostics.map(d => d.code)).toContain('E50200')
})

test('of a program that no open document is part of any longer nothing is shown', () => {
  const disk = new Map([
    ['/project/main.slang', 'module main;\n__include part;\nfloat f() { return wrong; }'],
    ['/project/part.slang', 'implementing main;\nfloat g() { return also; }'],
  ])
  const workspace = new Workspace({ read: path => disk.get(path), list: () => [...disk.keys()] })
  workspace.configure({ folders: ['file:///project'] })
  const part = 'file:///project/part.slang'
  const main = 'file:///project/main.slang'
  const told = (files: readonly FileDiagnostics[]): unknown =>
    Object.fromEntries(files.map(f => [f.uri.slice(16), f.diagnostics.map(d => d.message)]))
  const diagnose = (uri: string): unknown => {
    const steps = workspace.diagnose(uri)
    for (;;) {
      const { done, value } = steps.next()
      if (done === true) return told(value)
    }
  }
  const both = { 'main.slang': ['undefined identifier wrong'], 'part.slang': ['undefined identifier also'] }
  // The file that includes it is not open.
  workspace.open(part, 1, disk.get('/project/part.slang')!)
  expect(diagnose(part)).toEqual(both)
  expect(told(workspace.close(part))).toEqual({ 'main.slang': [], 'part.slang': [] })
  // That file does so no longer.
  workspace.open(part, 1, disk.get('/project/part.slang')!)
  diagnose(part)
  const including = disk.get('/project/main.slang')!
  disk.set('/project/main.slang', 'module main;')
  workspace.changedOnDisk([main])
  expect(diagnose(part)).toEqual({
    'main.slang': [],
    'part.slang': expect.arrayContaining(both['part.slang']) as unknown,
  })
  workspace.close(part)
  disk.set('/project/main.slang', including)
  workspace.changedOnDisk([main])
  // It is, and goes on being shown with that.
  workspace.open(main, 1, disk.get('/project/main.slang')!)
  workspace.open(part, 1, disk.get('/project/part.slang')!)
  expect(diagnose(main)).toEqual(both)
  expect(told(workspace.close(part))).toEqual({ 'part.slang': ['undefined identifier also'] })
})

test('documents that show the core library are no programs', () => {
  const workspace = new Workspace({ read: () => undefined })
  const math = 'cotangent-core:/math.slang'
  workspace.open(math, 1, workspace.text(math)!)
  workspace.open(file, 1, 'float g(float x) { return frac(x); }')
  expect(workspace.files).toEqual(['/project/main.slang'])
  expect(workspaceSymbols(workspace, 'frac')).toEqual([])
})

test('one file that takes too much to read hides no symbols of others', () => {
  const twice = Array.from({ length: 30 }, (_, i) => `#define A${i + 1}(x) A${i}(x) A${i}(x)\n`).join('')
  const bomb = `#define A0(x) x\n${twice}float f() { return A30(1); }`
  const workspace = new Workspace({ read: () => undefined })
  workspace.open('file:///project/bomb.slang', 1, bomb)
  workspace.open(file, 1, 'float found() { return 1; }')
  expect(workspaceSymbols(workspace, 'found').map(s => s.name)).toEqual(['found'])
})

test('that a file was not there is forgotten once nothing asks for it', () => {
  const disk = new Map<string, string>()
  const workspace = new Workspace({ read: path => disk.get(path) })
  const codes = (): readonly string[] => workspace.analysis(file)!.diagnostics.map(d => d.code)
  workspace.open(file, 1, 'import lib;')
  expect(codes()).not.toEqual([])
  workspace.change(file, 2, [{ text: '' }])
  expect(codes()).toEqual([])
  // Nobody says that it came, since nobody was asked to watch for it any longer.
  disk.set('/project/lib.slang', '')
  workspace.change(file, 3, [{ text: 'import lib;' }])
  expect(codes()).toEqual([])
})
