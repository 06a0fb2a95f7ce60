/**
 * What every language server has, over standard input and output and in a worker: on a whole document, on a broken one, and on one in which a
 * character of two UTF-16 units stands before.
 */
import { describe, expect, it } from 'vitest'
import type {
  CodeAction,
  CompletionItem,
  CompletionList,
  Diagnostic,
  DocumentHighlight,
  DocumentSymbol,
  FoldingRange,
  Hover,
  InlayHint,
  Location,
  MarkupContent,
  SemanticTokens,
  SemanticTokensDelta,
  SemanticTokensLegend,
  SignatureHelp,
  SymbolInformation,
  TextEdit,
  WorkspaceEdit,
} from 'vscode-languageserver/node'
import { Document } from '../../src/editor/document.ts'
import { Client, capable, places } from '../support/lsp-client.ts'

const uri = 'file:///a/main.slang'

/** The program of all tests. */
const whole = `/// The kinetic energy of a ball.
[Differentiable]
float energy(float mass, float speed) { return 0.5 * mass * speed * speed; }

struct Ball { float mass; float radius; }

float total(Ball ball) {
  let twice = energy(ball.mass, 2.0);
  return twice + ball.radius;
}
`

const documents = {
  'a whole document': whole,
  'a document with a character of two units before': whole.replace(/^(?=float|struct| {2}|\})/gm, '/* 𝛿 */ '),
  'a broken document': `${whole}\nfloat broken(float x) { return x +; }\nfloat wrong() { return missing; }\nstruct Open { float a`,
} as const

/** The place of the n-th time that a text stands in another, and of an offset in it. */
function placeIn(text: string, part: string, n = 0, offset = 0): { line: number; character: number } {
  let at = -1
  for (let i = 0; i <= n; i++) at = text.indexOf(part, at + 1)
  expect(at, part).toBeGreaterThanOrEqual(0)
  const before = text.slice(0, at + offset).split('\n')
  return { line: before.length - 1, character: before.at(-1)!.length }
}

/** Words with their types. */
function decoded(text: string, data: readonly number[], legend: SemanticTokensLegend): [string, string][] {
  const lines = text.split('\n')
  const found: [string, string][] = []
  let [line, start] = [0, 0]
  for (let i = 0; i < data.length; i += 5) {
    const [down, right, length, type] = data.slice(i) as [number, number, number, number]
    start = down === 0 ? start + right : right
    line += down
    found.push([lines[line]!.slice(start, start + length), legend.tokenTypes[type]!])
  }
  return found
}

describe.each(places)('%s', place => {
  describe.each(Object.entries(documents))('%s', (_, text) => {
    const textDocument = { uri }
    const opened = async (): Promise<Client> => {
      const client = await Client.start(place)
      await client.open(uri, text)
      return client
    }

    it('textDocument/hover', async () => {
      const client = await opened()
      const at = (part: string, n = 0): Promise<Hover | null> =>
        client.request('textDocument/hover', { textDocument, position: placeIn(text, part, n, 1) })
      const energy = await at('energy(ball')
      expect(energy!.range!.start).toEqual(placeIn(text, 'energy(ball'))
      const { kind, value } = energy!.contents as MarkupContent
      expect(kind).toBe('markdown')
      expect(value).toContain('float energy(float mass, float speed)')
      expect(value).toContain('The kinetic energy of a ball.')
      expect(await at('{ return')).toBeNull()
      expect(await client.end()).toBe(0)
    })

    it('textDocument/definition and typeDefinition', async () => {
      const client = await opened()
      const at = (method: string, part: string, n = 0): Promise<Location[]> =>
        client.request(`textDocument/${method}`, { textDocument, position: placeIn(text, part, n, 1) })
      expect(await at('definition', 'energy(ball')).toMatchObject([
        { uri, range: { start: placeIn(text, 'energy(float') } },
      ])
      expect(await at('definition', 'radius;', 1)).toMatchObject([
        { uri, range: { start: placeIn(text, 'radius; }') } },
      ])
      expect(await at('typeDefinition', 'ball.mass')).toMatchObject([
        { uri, range: { start: placeIn(text, 'Ball {') } },
      ])
      expect(await at('definition', '0.5')).toEqual([])
      expect(await client.end()).toBe(0)
    })

    it('textDocument/references and documentHighlight', async () => {
      const client = await opened()
      const ask = <R>(method: string, more: object): Promise<R> =>
        client.request(`textDocument/${method}`, { textDocument, position: placeIn(text, 'speed * speed'), ...more })
      const starts = [placeIn(text, 'speed)'), placeIn(text, 'speed * speed'), placeIn(text, 'speed;')]
      const all = await ask<Location[]>('references', { context: { includeDeclaration: true } })
      expect(all.map(l => l.range.start)).toEqual(starts)
      const uses = await ask<Location[]>('references', { context: { includeDeclaration: false } })
      expect(uses.map(l => l.range.start)).toEqual(starts.slice(1))
      expect((await ask<DocumentHighlight[]>('documentHighlight', {})).map(h => h.range.start)).toEqual(starts)
      expect(await client.end()).toBe(0)
    })

    it('textDocument/prepareRename and rename', async () => {
      const client = await opened()
      const position = placeIn(text, 'radius;', 1, 2)
      const prepared = await client.request('textDocument/prepareRename', { textDocument, position })
      expect(prepared).toMatchObject({ range: { start: placeIn(text, 'radius;', 1) }, placeholder: 'radius' })
      const { changes } = await client.request<WorkspaceEdit>('textDocument/rename', {
        textDocument,
        position,
        newName: 'r',
      })
      expect(Object.keys(changes!)).toEqual([uri])
      const renamed = new Document(uri, 1, text).changed(
        2,
        changes![uri]!.map(e => ({ range: e.range, text: e.newText })).toReversed(),
      )
      expect(renamed.text).toBe(text.replaceAll('radius', 'r'))
      for (const newName of ['mass', '1x', 'float'])
        expect(await client.refusal('textDocument/rename', { textDocument, position, newName })).toMatchObject({
          code: -32803,
        })
      const nothing = { textDocument, position: placeIn(text, '0.5') }
      expect(await client.refusal('textDocument/prepareRename', nothing)).toMatchObject({ code: -32803 })
      expect(await client.end()).toBe(0)
    })

    it('textDocument/documentSymbol and workspace/symbol', async () => {
      const client = await opened()
      const symbols = await client.request<DocumentSymbol[]>('textDocument/documentSymbol', { textDocument })
      const names = symbols.map(s => s.name)
      expect(names.slice(0, 3)).toEqual(['energy', 'Ball', 'total'])
      expect(symbols[1]!.children!.map(s => s.name)).toEqual(['mass', 'radius'])
      expect(symbols[0]!.selectionRange.start).toEqual(placeIn(text, 'energy('))
      const found = await client.request<SymbolInformation[]>('workspace/symbol', { query: 'enrg' })
      expect(found.map(s => [s.name, s.location.range.start])).toEqual([['energy', placeIn(text, 'energy(')]])
      expect(await client.end()).toBe(0)
    })

    it('textDocument/completion and completionItem/resolve', async () => {
      const client = await opened()
      const at = (part: string, offset: number): Promise<CompletionList> =>
        client.request('textDocument/completion', { textDocument, position: placeIn(text, part, 0, offset) })
      const members = await at('ball.mass', 5)
      expect(members.items.map(i => i.label)).toEqual(expect.arrayContaining(['mass', 'radius']))
      expect(members.items.map(i => i.label)).not.toContain('energy')
      const names = await at('energy(ball', 3)
      const item = names.items.find(i => i.label === 'energy')!
      expect((item.textEdit as TextEdit).range.start).toEqual(placeIn(text, 'energy(ball'))
      const resolved = await client.request<CompletionItem>('completionItem/resolve', item)
      expect(JSON.stringify(resolved.documentation)).toContain('The kinetic energy of a ball.')
      // Of a list that is gone, an item stays as it is.
      for (let i = 0; i < 6; i++) await at('ball.mass', 5)
      expect(await client.request('completionItem/resolve', item)).toEqual(item)
      expect(await client.end()).toBe(0)
    })

    it('textDocument/signatureHelp', async () => {
      const client = await opened()
      const at = (part: string, offset: number): Promise<SignatureHelp | null> =>
        client.request('textDocument/signatureHelp', { textDocument, position: placeIn(text, part, 0, offset) })
      const help = await at('energy(ball.mass, 2.0)', 'energy(ball.mass, '.length)
      const { label, parameters, documentation } = help!.signatures[help!.activeSignature!]!
      expect(label).toContain('energy(float mass, float speed)')
      expect(parameters!.map(p => label.slice(...(p.label as [number, number])))).toEqual(['float mass', 'float speed'])
      expect(help!.activeParameter).toBe(1)
      expect((documentation as MarkupContent).value).toContain('The kinetic energy of a ball.')
      expect(await at('return twice', 8)).toBeNull()
      expect(await client.end()).toBe(0)
    })

    it('textDocument/semanticTokens, all of them, of a range and as a difference', async () => {
      const client = await opened()
      const all = await client.request<SemanticTokens>('textDocument/semanticTokens/full', { textDocument })
      const { legend } = client.capabilities.semanticTokensProvider as { legend: SemanticTokensLegend }
      const words = decoded(text, all.data, legend)
      expect(words).toContainEqual(['energy', 'function'])
      expect(words).toContainEqual(['Ball', 'struct'])
      expect(words).toContainEqual(['radius', 'property'])
      expect(words).toContainEqual(['let', 'keyword'])
      const range = { start: placeIn(text, 'struct Ball'), end: placeIn(text, 'float total') }
      const part = await client.request<SemanticTokens>('textDocument/semanticTokens/range', { textDocument, range })
      expect(decoded(text, part.data, legend).map(([word]) => word)).toEqual(
        expect.arrayContaining(['struct', 'Ball', 'mass', 'radius']),
      )
      expect(part.data.length).toBeLessThan(all.data.length)
      const changed = text.replace('let twice', 'let thrice')
      await client.replace(uri, changed, 2)
      const delta = (previousResultId: string): Promise<SemanticTokensDelta & SemanticTokens> =>
        client.request('textDocument/semanticTokens/full/delta', { textDocument, previousResultId })
      const { edits } = await delta(all.resultId!)
      const data = [...all.data]
      for (const edit of edits.toReversed()) data.splice(edit.start, edit.deleteCount, ...(edit.data ?? []))
      expect(data).toEqual(
        (await client.request<SemanticTokens>('textDocument/semanticTokens/full', { textDocument })).data,
      )
      expect(decoded(changed, data, legend)).toContainEqual(['thrice', 'variable'])
      // An answer that is gone.
      expect((await delta(all.resultId!)).data).toEqual(data)
      expect(await client.end()).toBe(0)
    })

    it('textDocument/foldingRange', async () => {
      const client = await opened()
      const ranges = await client.request<FoldingRange[]>('textDocument/foldingRange', { textDocument })
      const line = placeIn(text, 'float total').line
      expect(ranges.map(r => [r.startLine, r.endLine])).toContainEqual([line, line + 2])
      expect(await client.end()).toBe(0)
    })

    it('textDocument/diagnostic and publishDiagnostics', async () => {
      const client = await opened()
      // What no expression begins with, an unknown name, and a field and a struct that do not end.
      const mistakes = text.includes('float broken') ? ['E20001', 'E20002', 'E20006', 'E30015'] : []
      const { kind, items } = await client.request<{ kind: string; items: Diagnostic[] }>('textDocument/diagnostic', {
        textDocument,
      })
      expect(kind).toBe('full')
      const codes = items.map(d => String(d.code))
      expect([...codes].sort()).toEqual(mistakes)
      const at = items.find(d => d.code === 'E30015')?.range
      expect(at).toEqual(
        mistakes.length === 0 ? undefined : { start: placeIn(text, 'missing'), end: placeIn(text, 'missing', 0, 7) },
      )
      expect((await client.diagnostics(uri)).diagnostics.map(d => d.code)).toEqual(codes)
      expect(await client.end()).toBe(0)
    })

    it('workspace/textDocumentContent of where a definition leads', async () => {
      const client = await opened()
      const changed = `${text.slice(0, text.indexOf('{ return 0.5'))}{ return sin(mass) * speed; }\n`
      await client.replace(uri, changed, 2)
      const [found] = await client.request<Location[]>('textDocument/definition', {
        textDocument,
        position: placeIn(changed, 'sin(mass'),
      })
      const content = await client.request<{ text: string }>('workspace/textDocumentContent', { uri: found!.uri })
      expect(content.text.split('\n')[found!.range.start.line]).toContain('sin')
      expect(await client.end()).toBe(0)
    })

    it('textDocument/formatting, of ranges and on type', async () => {
      const client = await opened()
      const options = { tabSize: 4, insertSpaces: true }
      const ask = (method: string, more: object): Promise<TextEdit[]> =>
        client.request(`textDocument/${method}`, { textDocument, options, ...more })
      const applied = (edits: readonly TextEdit[], to = text): string =>
        new Document(uri, 1, to).changed(2, edits.map(e => ({ range: e.range, text: e.newText })).toReversed()).text
      const formatted = applied(await ask('formatting', {}))
      expect(formatted).toContain('float mass;')
      expect(formatted).toMatch(/^ {4}(?:\/\* 𝛿 \*\/ )?let twice/m)
      expect(formatted.replace(/\s/g, '')).toBe(text.replace(/\s/g, ''))
      await client.replace(uri, formatted, 2)
      expect(await ask('formatting', {})).toEqual([])
      // Tabs, and where the settings say that braces stand.
      client.settings = { cotangent: { format: { braces: 'own-line' } } }
      await client.notify('workspace/didChangeConfiguration', { settings: null })
      const tabs = { options: { tabSize: 2, insertSpaces: false } }
      const other = await client.until(async () => {
        const found = applied(await ask('formatting', tabs), formatted)
        return /^\{/m.test(found) && found
      }, 'braces on lines of their own')
      expect(other).toMatch(/^\t(?:\/\* 𝛿 \*\/ )?let twice/m)

      client.settings = {}
      await client.notify('workspace/didChangeConfiguration', { settings: null })
      await client.replace(uri, text.replaceAll('return', 'return  '), 3)
      const wide = text.replaceAll('return', 'return  ')
      const range = { start: placeIn(wide, 'return', 1), end: placeIn(wide, 'ball.radius;') }
      const inOne = applied(await ask('rangeFormatting', { range }), wide)
      expect(inOne).toContain('return twice + ball.radius;')
      expect(inOne).toContain('return   0.5')
      expect(applied(await ask('rangesFormatting', { ranges: [range] }), wide)).toBe(inOne)
      const position = placeIn(wide, 'ball.radius;', 0, 'ball.radius;'.length)
      expect(applied(await ask('onTypeFormatting', { position, ch: ';' }), wide)).toContain(
        'return twice + ball.radius;',
      )
      expect(await ask('onTypeFormatting', { position, ch: 'x' })).toEqual([])
      expect(await client.end()).toBe(0)
    })

    it('textDocument/codeAction', async () => {
      const client = await opened()
      const wrong = text.replace('return twice', 'return twise')
      await client.replace(uri, wrong, 2)
      const start = placeIn(wrong, 'twise')
      const ask = (position: { line: number; character: number }): Promise<CodeAction[]> =>
        client.request('textDocument/codeAction', {
          textDocument,
          range: { start: position, end: position },
          context: { diagnostics: [] },
        })
      const [fix] = await ask(start)
      const edits = fix!.edit!.changes![uri]!
      expect(
        new Document(uri, 2, wrong).changed(
          3,
          edits.map(e => ({ range: e.range, text: e.newText })),
        ).text,
      ).toBe(text)
      expect(await ask(placeIn(wrong, 'kinetic'))).toEqual([])
      expect(await client.end()).toBe(0)
    })

    it('textDocument/inlayHint, of the kinds that settings ask for', async () => {
      const client = await opened()
      const range = { start: { line: 0, character: 0 }, end: placeIn(text, 'return twice') }
      const ask = (): Promise<InlayHint[]> => client.request('textDocument/inlayHint', { textDocument, range })
      const places = (list: readonly InlayHint[]): unknown => list.map(h => [h.position, h.label])
      const call = placeIn(text, '2.0')
      const type = placeIn(text, 'twice =', 0, 'twice'.length)
      expect(places(await ask())).toEqual(
        expect.arrayContaining([
          [call, expect.stringContaining('speed')],
          [type, expect.stringContaining('float')],
        ]),
      )
      client.settings = { cotangent: { inlayHints: { parameters: false, types: false, derivative: true } } }
      await client.notify('workspace/didChangeConfiguration', { settings: null })
      const reverse = await client.until(async () => {
        const found = await ask()
        return found.length > 0 && found.every(h => !JSON.stringify(h.label).includes('speed:')) && found
      }, 'hints of the reverse pass')
      const energy = placeIn(text, '0.5').line
      expect(reverse.some(h => h.position.line === energy)).toBe(true)
      for (const { label } of reverse) expect(label).toMatch(/recomputed|stored/)
      expect(await client.end()).toBe(0)
    })
  })

  it('answers nothing for documents that are not open, and for places outside', async () => {
    const client = await Client.start(place)
    const ask = (method: string, position: object): Promise<unknown> =>
      client.request(method, { textDocument: { uri }, position })
    expect(await ask('textDocument/hover', { line: 0, character: 0 })).toBeNull()
    await client.open(uri, whole)
    expect(await ask('textDocument/hover', { line: 9999, character: 9999 })).toBeNull()
    await client.notify('textDocument/didClose', { textDocument: { uri } })
    for (const method of ['hover', 'completion', 'signatureHelp'])
      expect(await ask(`textDocument/${method}`, placeIn(whole, 'energy'))).toBeNull()
    for (const method of ['definition', 'typeDefinition', 'documentHighlight'])
      expect(await ask(`textDocument/${method}`, placeIn(whole, 'energy'))).toEqual([])
    const options = { tabSize: 4, insertSpaces: true }
    expect(await client.request('textDocument/formatting', { textDocument: { uri }, options })).toBeNull()
    expect(await client.end()).toBe(0)
  })

  it('shows plain text to clients that know no Markdown', async () => {
    const { hover: _, ...others } = capable.textDocument!
    const client = await Client.start(place, { capabilities: { ...capable, textDocument: others } })
    await client.open(uri, whole)
    const position = placeIn(whole, 'energy(ball')
    const found = await client.request<Hover>('textDocument/hover', { textDocument: { uri }, position })
    const { kind, value } = found.contents as MarkupContent
    expect(kind).toBe('plaintext')
    expect(value).not.toMatch(/[`*]/)
    // Code stays as it is.
    await client.replace(
      uri,
      '#define SQUARE(x) ((x) * (x))\n/// Not *less* than `0`.\nfloat f(float y) { return SQUARE(y); }',
      2,
    )
    const said = async (line: number, character: number): Promise<unknown> =>
      client.request('textDocument/hover', { textDocument: { uri }, position: { line, character } })
    expect(await said(2, 27)).toMatchObject({
      contents: { value: '#define SQUARE(x) ((x) * (x))\n\nmacro\n\nHere it is\n((y) * (y))\n' },
    })
    expect(await said(2, 6)).toMatchObject({
      contents: { value: expect.stringContaining('Not less than 0.') as string },
    })
    expect(await client.end()).toBe(0)
  })
})
