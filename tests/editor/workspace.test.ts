import { expect, test } from 'vitest'
import { Workspace } from '../../src/editor/workspace.ts'
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
