/** Documents, the files that they import, folders and settings, over standard input and output and in a worker. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import type { CodeAction, CodeLens, CompletionList, Diagnostic } from 'vscode-languageserver/node'
import { Client, capable, places, type Start } from '../support/lsp-client.ts'

const dir = realpathSync(mkdtempSync(join(tmpdir(), 'lsp-')))
afterAll(() => rmSync(dir, { recursive: true }))

/** Files for a server, wherever it runs: on disk, or sent by the client. */
class Files {
  readonly #client: Client
  readonly #isSent: boolean
  readonly #folder: string

  constructor(client: Client, place: (typeof places)[number], folder: string) {
    this.#client = client
    this.#isSent = place === 'worker'
    this.#folder = folder
  }

  uri(name: string): string {
    return pathToFileURL(join(dir, this.#folder, name)).href
  }

  /** Writes files, or removes those that are null, and says so. */
  async write(files: Readonly<Record<string, string | null>>): Promise<void> {
    const uris = Object.keys(files).map(name => this.uri(name))
    if (this.#isSent) {
      await this.#client.notify('cotangent/files', {
        files: Object.fromEntries(Object.entries(files).map(([name, text]) => [this.uri(name), text])),
      })
      return
    }
    for (const [name, text] of Object.entries(files)) {
      const path = join(dir, this.#folder, name)
      mkdirSync(dirname(path), { recursive: true })
      if (text === null) rmSync(path)
      else writeFileSync(path, text)
    }
    await this.#client.notify('workspace/didChangeWatchedFiles', { changes: uris.map(uri => ({ uri, type: 2 })) })
  }
}

/** The codes of errors. */
const codes = (list: readonly Diagnostic[]): unknown[] => list.filter(d => d.severity === 1).map(d => d.code)

describe.each(places)('%s', place => {
  let number = 0
  const begin = async (start: Start = {}): Promise<[Client, Files]> => {
    const folder = `${place}-${number++}`
    const client = await Client.start(place, { folders: [pathToFileURL(join(dir, folder)).href], ...start })
    return [client, new Files(client, place, folder)]
  }
  /** Waits until the last that was said of a document has these codes. */
  const until = (client: Client, uri: string, expected: readonly string[]): Promise<unknown> =>
    client.until(() => {
      const last = client.published.findLast(p => p.uri === uri)
      return last !== undefined && JSON.stringify(codes(last.diagnostics)) === JSON.stringify(expected)
    }, `[${expected.join()}] of ${uri}`)

  it('checks what is imported: in the editor, on disk, and when it goes', async () => {
    const [client, files] = await begin()
    const [main, part] = [files.uri('main.slang'), files.uri('sub/part.slang')]
    await files.write({ 'sub/part.slang': 'public float halved(float x) { return 0.5 * x; }\n' })
    await client.open(main, 'import sub.part;\nfloat f(float x) { return halved(x); }\n')
    await until(client, main, [])
    // On disk.
    await files.write({ 'sub/part.slang': 'public float third(float x) { return x / 3; }\n' })
    await until(client, main, ['E30015'])
    await files.write({ 'sub/part.slang': 'public float halved(float x) { return 0.5 * x; }\n' })
    await until(client, main, [])
    // In the editor, whose text counts, also while it is not saved.
    await client.open(part, 'public float halved(float x) { return 0.5 * x; }\n')
    await client.replace(part, 'public float whole(float x) { return x; }\n', 2)
    await until(client, main, ['E30015'])
    await client.notify('textDocument/didClose', { textDocument: { uri: part } })
    await until(client, main, [])
    await files.write({ 'sub/part.slang': null })
    await until(client, main, ['E00001'])
    expect(await client.end()).toBe(0)
  })

  it('says of a file that is not open what those that import it find there, once', async () => {
    const [client, files] = await begin()
    const part = files.uri('part.slang')
    await files.write({ 'part.slang': '/* 𝛿 */ public float halved(float x) { return wrong; }\n' })
    for (const name of ['a', 'b']) await client.open(files.uri(`${name}.slang`), 'import part;\n')
    await until(client, part, ['E30015'])
    await until(client, files.uri('b.slang'), [])
    expect(client.published.filter(p => p.uri === part).length).toBe(1)
    await client.notify('textDocument/didClose', { textDocument: { uri: files.uri('a.slang') } })
    await client.notify('textDocument/didClose', { textDocument: { uri: files.uri('b.slang') } })
    await until(client, part, [])
    expect(await client.end()).toBe(0)
  })

  it('drops versions that come late, and says nothing of a version that is gone', async () => {
    const [client, files] = await begin()
    const uri = files.uri('main.slang')
    await client.open(uri, 'float f() { return 1; }\n', 5)
    await until(client, uri, [])
    const versions = Array.from({ length: 30 }, (_, i) => 6 + i)
    await Promise.all(versions.map(v => client.replace(uri, `float f() { return ${v % 2 === 0 ? 'x' : '1'}; }\n`, v)))
    await client.diagnostics(uri, 35)
    await client.replace(uri, 'float f() { return late; }\n', 7)
    await client.replace(uri, 'float f() { return 2; }\n', 36)
    expect((await client.diagnostics(uri, 36)).diagnostics).toEqual([])
    const said = client.published.filter(p => p.uri === uri).map(p => p.version!)
    expect(said).toEqual(said.toSorted((a, b) => a - b))
    // What comes at once is looked at once.
    expect(said.length).toBeLessThan(20)
    expect(client.logged.join('\n')).toContain('version 7 comes after version 35, and is dropped')
    await client.notify('textDocument/didClose', { textDocument: { uri } })
    await client.until(() => client.published.at(-1)!.version === undefined, 'the end')
    expect(client.published.at(-1)).toEqual({ uri, diagnostics: [] })
    expect(await client.end()).toBe(0)
  })

  it('reads cotangent.json, again when it changes, and the settings below it', async () => {
    const [client, files] = await begin({ settings: { cotangent: { defines: { LEVEL: 1 } } } })
    const main = files.uri('src/main.slang')
    const text = 'import tools;\n#if LEVEL != 3\n#error "no"\n#endif\n'
    await files.write({ 'lib/tools.slang': 'public float a() { return 1; }\n' })
    await client.open(main, text)
    await until(client, main, ['E00001', 'E15900'])
    await files.write({ 'cotangent.json': '{ "searchPaths": ["lib"] }' })
    await until(client, main, ['E15900'])
    await files.write({ 'cotangent.json': '{ "searchPaths": ["lib"], "defines": { "LEVEL": 3 } }' })
    await until(client, main, [])
    await files.write({ 'cotangent.json': null })
    await until(client, main, ['E00001', 'E15900'])
    // The settings of the official extension, and our own.
    client.settings = { cotangent: { searchPaths: ['lib'] }, slang: { predefinedMacros: ['LEVEL=3', 'OTHER'] } }
    await client.notify('workspace/didChangeConfiguration', { settings: null })
    await until(client, main, [])
    client.settings = { slang: { additionalSearchPaths: ['lib'] } }
    await client.notify('workspace/didChangeConfiguration', { settings: null })
    await until(client, main, ['E15900'])
    expect(await client.end()).toBe(0)
  })

  it('says after a while what only shows when a program is compiled, and keeps saying it', async () => {
    const [client, files] = await begin()
    const uri = files.uri('main.slang')
    const text = `/* 𝛿 */ float other() { return 1; }\n[shader("vertex")] float4 main(float3 at : POSITION) : COLOR { return float4(at, 1.0); }\n`
    await client.open(uri, text)
    const { diagnostics } = await client.until(
      () => client.published.find(p => p.uri === uri && p.diagnostics.some(d => d.severity === 1)),
      'the error',
    )
    await client.replace(uri, text.replace('return 1;', 'return\n  2;'), 2)
    const next = await client.diagnostics(uri, 2)
    expect(codes(next.diagnostics)).toEqual(codes(diagnostics))
    expect(next.diagnostics[0]!.range.start.line).toBe(diagnostics[0]!.range.start.line + 1)
    await client.replace(uri, 'float f() { return 1; }\n', 3)
    expect((await client.diagnostics(uri, 3)).diagnostics).toEqual([])
    expect(await client.end()).toBe(0)
  })

  it('says what is wrong with cotangent.json, until it is mended', async () => {
    const [client, files] = await begin()
    const [main, project] = [files.uri('main.slang'), files.uri('cotangent.json')]
    await files.write({ 'cotangent.json': '{ "searchPath": ["lib"] }' })
    await client.open(main, 'float f() { return 1; }\n')
    await client.until(() => client.published.some(p => p.uri === project && p.diagnostics.length === 1), 'the mistake')
    await until(client, main, [])
    await files.write({ 'cotangent.json': '{ "searchPaths": ["lib"] }' })
    await until(client, project, [])
    expect(await client.end()).toBe(0)
  })

  it('takes an included file as a part of the program that includes it', async () => {
    const [client, files] = await begin()
    const [main, part] = [files.uri('main.slang'), files.uri('part.slang')]
    await files.write({ 'main.slang': 'module main;\n__include part;\nfloat twice(float x) { return 2 * x; }\n' })
    const text = '/* 𝛿 */ implementing main;\n[Differentiable] float f(float x) { return no_diff twice(x) * x; }\n'
    await client.open(part, text)
    await until(client, part, [])
    const textDocument = { uri: part }
    const lenses = await client.request<CodeLens[]>('textDocument/codeLens', { textDocument })
    expect(lenses.map(l => l.range.start)).toEqual([{ line: 1, character: 23 }])
    await client.replace(part, text.replace('twice(', 'thrice('), 2)
    await until(client, part, ['E30015'])
    // The file that includes it is opened, and then has what was missing.
    await client.open(main, 'module main;\n__include part;\nfloat thrice(float x) { return 3 * x; }\n')
    await until(client, part, [])
    await until(client, main, [])
    expect(await client.end()).toBe(0)
  })

  it('takes settings from clients that cannot be asked', async () => {
    const { configuration: _, ...workspace } = capable.workspace!
    const [client, files] = await begin({
      capabilities: { ...capable, workspace },
      initializationOptions: { defines: { A: 1 } },
    })
    const uri = files.uri('main.slang')
    await client.open(uri, '#if A != 1 && B != 2\n#error "no"\n#endif\n')
    await until(client, uri, [])
    await client.notify('workspace/didChangeConfiguration', { settings: { cotangent: { defines: { A: 7 } } } })
    await until(client, uri, ['E15900'])
    await client.notify('workspace/didChangeConfiguration', { settings: { cotangent: { defines: { B: 2 } } } })
    await until(client, uri, [])
    expect(await client.end()).toBe(0)
  })

  it('has several folders, each with a project, and others later', async () => {
    const folders = ['one', 'two', 'three'].map(name => pathToFileURL(join(dir, `${place}-folders`, name)).href)
    const client = await Client.start(place, {
      folders: folders.slice(0, 2),
      settings: { cotangent: { searchPaths: ['inc'] } },
    })
    const files = new Files(client, place, `${place}-folders`)
    await files.write({
      'one/cotangent.json': '{ "defines": { "NAME": "first" } }',
      'two/cotangent.json': '{ "defines": { "NAME": "second" } }',
      'one/inc/only.slang': 'public float only() { return 1; }\n',
      'three/inc/more.slang': 'public float more() { return 1; }\n',
    })
    const text = 'import only;\nfloat first() { return only(); }\nfloat g() { return NAME(); }\n'
    await client.open(files.uri('one/a.slang'), text)
    await client.open(files.uri('two/a.slang'), text)
    await until(client, files.uri('one/a.slang'), [])
    await until(client, files.uri('two/a.slang'), ['E30015'])
    await client.open(files.uri('one/b.slang'), 'import more;\n')
    await until(client, files.uri('one/b.slang'), ['E00001'])
    const folder = { uri: folders[2], name: 'three' }
    await client.notify('workspace/didChangeWorkspaceFolders', { event: { added: [folder], removed: [] } })
    await until(client, files.uri('one/b.slang'), [])
    await client.notify('workspace/didChangeWorkspaceFolders', { event: { added: [], removed: [folder] } })
    await until(client, files.uri('one/b.slang'), ['E00001'])
    expect(await client.end()).toBe(0)
  })

  const twice = '/* 𝛿 */ float twice(float x) { return x; }\nfloat twice(float x) { return 2 * x; }\n'

  it('shows other places that belong to a diagnostic, or tells of them', async () => {
    const [client, files] = await begin()
    const uri = files.uri('main.slang')
    await client.open(uri, twice)
    const [found] = (await client.diagnostics(uri)).diagnostics
    expect(found!.relatedInformation).toMatchObject([
      { location: { uri, range: { start: { line: 0, character: twice.indexOf('twice') } } } },
    ])
    expect(await client.end()).toBe(0)
    const plain = await Client.start(place, { capabilities: {} })
    await plain.open(uri, twice)
    const [told] = (await plain.diagnostics(uri)).diagnostics
    expect(told!.relatedInformation).toBeUndefined()
    expect(told!.message).toMatch(/\nnote: .*main\.slang:1:16\)/)
    expect(await plain.end()).toBe(0)
  })

  it('answers clients that ask for diagnostics', async () => {
    const [client, files] = await begin()
    const uri = files.uri('main.slang')
    await client.open(uri, 'float f() { return x; }\n')
    const report = await client.request<{ kind: string; items: Diagnostic[] }>('textDocument/diagnostic', {
      textDocument: { uri },
    })
    expect([report.kind, codes(report.items)]).toEqual(['full', ['E30015']])
    expect(await client.request('textDocument/diagnostic', { textDocument: { uri: files.uri('none.slang') } })).toEqual(
      { kind: 'full', items: [] },
    )
    expect(await client.end()).toBe(0)
  })

  it('offers fixes, which mend the mistake', async () => {
    const [client, files] = await begin()
    const uri = files.uri('main.slang')
    const text = '/* 𝛿 */ float f(float value) { return valeu; }\n'
    await client.open(uri, text)
    const [found] = (await client.diagnostics(uri)).diagnostics
    const ask = (only?: string[]): Promise<CodeAction[]> =>
      client.request('textDocument/codeAction', {
        textDocument: { uri },
        range: found!.range,
        context: { diagnostics: [found], ...(only === undefined ? {} : { only }) },
      })
    const [fix] = await ask()
    expect(fix!.kind).toBe('quickfix')
    expect(fix!.diagnostics).toEqual([found])
    const [edit] = fix!.edit!.changes![uri]!
    await client.notify('textDocument/didChange', {
      textDocument: { uri, version: 2 },
      contentChanges: [{ range: edit!.range, text: edit!.newText }],
    })
    expect((await client.diagnostics(uri, 2)).diagnostics).toEqual([])
    expect(await ask(['refactor'])).toEqual([])
    expect(await ask(['source.fixAll'])).toEqual([])
    expect(await client.end()).toBe(0)
  })

  it('offers to import a module that nobody imports yet', async () => {
    const [client, files] = await begin()
    await files.write({
      'cotangent.json': '{ "searchPaths": ["lib"] }',
      'lib/shape/ball.slang': 'module ball;\n__include parts;\nfloat area() { return 1; }\n',
      'lib/shape/parts.slang': 'implementing ball;\npublic float volume() { return 1; }\n',
      'lib/old.slang': 'float area() { return volume(); }\n',
    })
    const uri = files.uri('main.slang')
    await client.open(uri, 'float f() { return volume() + area(); }\n')
    const found = (await client.diagnostics(uri)).diagnostics
    const titles = async ({ range }: Diagnostic): Promise<string[]> => {
      const context = { diagnostics: [] }
      const parameters = { textDocument: { uri }, range, context }
      return (await client.request<CodeAction[]>('textDocument/codeAction', parameters)).map(a => a.title)
    }
    expect(await titles(found[0]!)).toEqual(['Import the module that does: shape.ball'])
    expect(await titles(found[1]!)).toEqual(['Import the module that does: old'])
    expect(await client.end()).toBe(0)
  })

  it('offers fixes of what only compiling finds', async () => {
    const [client, files] = await begin()
    const uri = files.uri('main.slang')
    const text = `[Differentiable]
float f(float x, no_diff float n) { while (x < n) x = x * x + 1.0; return x; }
RWStructuredBuffer<float> b;
[shader("compute")] [numthreads(1, 1, 1)]
void k() { var p = diffPair(b[0]); bwd_diff(f)(p, 3.0, 1.0); b[0] = p.d; }
`
    await client.open(uri, text)
    await until(client, uri, ['E30510'])
    const position = { line: 1, character: 37 }
    const actions = await client.request<CodeAction[]>('textDocument/codeAction', {
      textDocument: { uri },
      range: { start: position, end: position },
      context: { diagnostics: [] },
    })
    expect(actions.map(a => a.title)).toContain('Put [MaxIters(n)] before the loop')
    expect(await client.end()).toBe(0)
  })

  it('offers the files that can be imported', async () => {
    const [client, files] = await begin()
    const uri = files.uri('main.slang')
    await files.write({ 'near.slang': '', 'sub/far.slang': '', 'sub/notes.txt': '' })
    await client.open(uri, '/* 𝛿 */ import \n')
    const { items } = await client.request<CompletionList>('textDocument/completion', {
      textDocument: { uri },
      position: { line: 0, character: '/* 𝛿 */ import '.length },
    })
    expect(items.map(i => i.label)).toEqual(expect.arrayContaining(['near', 'sub.far']))
    expect(items.map(i => i.label).join()).not.toContain('notes')
    expect(await client.end()).toBe(0)
  })

  it('shows the core library', async () => {
    const [client] = await begin()
    const { text } = await client.request<{ text: string }>('workspace/textDocumentContent', {
      uri: 'cotangent-core:/math.slang',
    })
    expect(text).toContain('T frac<T : __Lanewise>')
    expect(await client.refusal('workspace/textDocumentContent', { uri: 'cotangent-core:/none.slang' })).toMatchObject({
      code: -32803,
    })
    expect(await client.end()).toBe(0)
  })
})

describe('watching', () => {
  const patterns = (client: Client): string[] =>
    client.registered.flatMap(r =>
      r.method === 'workspace/didChangeWatchedFiles'
        ? (r.registerOptions as { watchers: { globPattern: unknown }[] }).watchers.map(w =>
            JSON.stringify(w.globPattern),
          )
        : [],
    )

  it('asks for shaders and project files, and for what programs include from elsewhere', async () => {
    const folder = join(dir, 'watched/here')
    const client = await Client.start('stdio', { folders: [pathToFileURL(folder).href] })
    await client.until(() => patterns(client).length === 2, 'the first watchers')
    expect(patterns(client)).toEqual(['"**/*.slang"', '"**/cotangent.json"'])
    mkdirSync(join(dir, 'watched/there'), { recursive: true })
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(dir, 'watched/there/defs.h'), '#define A 1\n')
    const uri = pathToFileURL(join(folder, 'main.slang')).href
    await client.open(uri, '#include "../there/defs.h"\n#include "own.hlsl"\nint a = A;\n')
    await client.until(() => patterns(client).length > 2, 'more watchers')
    const there = { baseUri: pathToFileURL(join(dir, 'watched/there')).href, pattern: 'defs.h' }
    expect(patterns(client)).toContain(JSON.stringify(there))
    expect(patterns(client).some(p => p.includes('own.hlsl'))).toBe(true)
    const count = patterns(client).length
    await client.replace(uri, '#include "../there/defs.h"\nint a = A;\n', 2)
    await client.diagnostics(uri, 2)
    expect(patterns(client).length).toBe(count)
    expect(await client.end()).toBe(0)
  })

  it('looks again whenever a document is saved, for clients that do not watch', async () => {
    const folder = join(dir, 'unwatched')
    mkdirSync(folder)
    const client = await Client.start('stdio', { capabilities: {}, folders: [pathToFileURL(folder).href] })
    const uri = pathToFileURL(join(folder, 'main.slang')).href
    await client.open(uri, '#include "defs.h"\nint a() { return A; }\n')
    await client.until(() => client.published.at(-1)?.diagnostics.length === 1, 'a missing file')
    writeFileSync(join(folder, 'defs.h'), '#define A 1\n')
    await client.notify('textDocument/didSave', { textDocument: { uri } })
    await client.until(() => client.published.at(-1)?.diagnostics.length === 0, 'the file')
    expect(await client.end()).toBe(0)
  })
})
