/** What an editor shows beside and in a text: symbols, tokens, folds. */
import { expect, test } from 'vitest'
import { SourceFile } from '../../src/base/source.ts'
import { foldingRanges } from '../../src/editor/fold.ts'
import { documentSymbols, symbolKinds, workspaceSymbols, type DocumentSymbol } from '../../src/editor/symbols.ts'
import { semanticTokens, tokenEdits, tokenModifiers, tokenTypes } from '../../src/editor/tokens.ts'
import { workspaceOf } from '../support/marked.ts'

const source = `import lib;
// A ball
// with a radius.
/* 𝛿 */ struct Ball : IDifferentiable
{
    float radius;
    [Differentiable]
    float area(float s) { return s * radius; }
    __init(float r) { radius = r; }
    property float twice { get { return 2.0 * radius; } }
}
namespace shapes { enum Kind { Hard, Soft = 2 } static const int COUNT = 3; }
#if 1
cbuffer Settings { float scale; }
#endif
extension Ball { float size() { return area(scale); } }
[shader("compute")]
void run(uint3 id : SV_DispatchThreadID)
{
    let b = Ball(
        1.0
    );
}
`
const uri = 'file:///p/main.slang'

function tree(symbols: readonly DocumentSymbol[], indent = ''): readonly string[] {
  const kinds = Object.entries(symbolKinds)
  return symbols.flatMap(s => [
    `${indent}${kinds.find(([, n]) => n === s.kind)![0]} ${s.name}${s.detail === undefined ? '' : ` ${s.detail}`} ${s.range.start.line + 1}-${s.range.end.line + 1}`,
    ...tree(s.children ?? [], `${indent}  `),
  ])
}

const whole = [
  'struct Ball 4-11',
  '  field radius float 6-6',
  '  method area (float) -> float 7-8',
  '  constructor __init (float) 9-9',
  '  property twice float 10-10',
  'namespace shapes 12-12',
  '  enum Kind 12-12',
  '    enumMember Hard 12-12',
  '    enumMember Soft 12-12',
  '  constant COUNT int 12-12',
  'object Settings cbuffer 14-14',
  '  field scale float 14-14',
  'class extension Ball 16-16',
  '  method size () -> float 16-16',
  'function run (uint3) -> void 17-23',
]

test('symbols are a tree, with the names inside of their declarations', () => {
  const { workspace } = workspaceOf({ 'main.slang': source, 'lib.slang': 'public float area;' })
  const symbols = documentSymbols(workspace, uri)
  expect(tree(symbols)).toEqual(whole)
  expect(symbols[0]!.selectionRange).toEqual({ start: { line: 3, character: 16 }, end: { line: 3, character: 20 } })
})

test('a broken document has the symbols of what is whole', () => {
  const broken = `void half(float x)\n{\n    if (x >\n${source}`
  const { workspace } = workspaceOf({ 'main.slang': broken })
  const lines = whole.map(line => line.replace(/(\d+)-(\d+)$/, (_, a, b) => `${Number(a) + 3}-${Number(b) + 3}`))
  expect(tree(documentSymbols(workspace, uri)).slice(1)).toEqual(lines)
})

test('symbols of all files are found by letters of their names, the best first', () => {
  const { workspace } = workspaceOf({ 'main.slang': source, 'lib.slang': 'public float area; float aorea;' })
  const found = workspaceSymbols(workspace, 'area').map(
    s => `${s.name} ${s.location.uri.slice(10)} ${s.containerName ?? ''}`,
  )
  expect(found).toEqual(['area main.slang Ball', 'area lib.slang ', 'aorea lib.slang '])
})

/** The words of a text with their types, as `semanticTokens` gives them. */
function coloured(text: string, data: readonly number[]): readonly string[] {
  const lines = text.split('\n')
  let [line, column] = [0, 0]
  const found: string[] = []
  for (let i = 0; i < data.length; i += 5) {
    const [down, right, length, type, bits] = data.slice(i, i + 5) as [number, number, number, number, number]
    column = down === 0 ? column + right : right
    line += down
    const modifiers = tokenModifiers.filter((_, bit) => (bits & (1 << bit)) !== 0)
    found.push([lines[line]!.slice(column, column + length), tokenTypes[type], ...modifiers].join(' '))
  }
  return found
}

test('words are coloured by what they mean', () => {
  const { workspace } = workspaceOf({ 'main.slang': source, 'lib.slang': '' })
  const words = coloured(source, semanticTokens(workspace, uri).data)
  expect(words.slice(0, 12)).toEqual([
    'import keyword',
    '// A ball comment',
    '// with a radius. comment',
    '/* 𝛿 */ comment',
    'struct keyword',
    'Ball struct declaration',
    'IDifferentiable interface defaultLibrary',
    'float type defaultLibrary',
    'radius property declaration',
    'Differentiable decorator',
    'float type defaultLibrary',
    'area method declaration differentiable',
  ])
  for (const word of ['s parameter', 'radius property', 'twice property declaration readonly', 'scale property'])
    expect(words).toContain(word)
  for (const word of ['Hard enumMember declaration readonly', 'COUNT variable declaration readonly', '2 number'])
    expect(words).toContain(word)
  const part = semanticTokens(workspace, uri, { start: { line: 5, character: 0 }, end: { line: 6, character: 0 } })
  expect(coloured(source, part.data)).toEqual(['float type defaultLibrary', 'radius property declaration'])
})

test('edits of tokens make one answer of the other', () => {
  const { workspace } = workspaceOf({ 'main.slang': source, 'lib.slang': '' })
  const before = semanticTokens(workspace, uri).data
  workspace.change(uri, 2, [
    { range: { start: { line: 7, character: 33 }, end: { line: 7, character: 33 } }, text: '1.0 + ' },
  ])
  const after = semanticTokens(workspace, uri).data
  const edits = tokenEdits(before, after)
  expect(edits).toHaveLength(1)
  const { start, deleteCount, data } = edits[0]!
  expect([...before.slice(0, start), ...data, ...before.slice(start + deleteCount)]).toEqual(after)
  expect(data.length).toBeLessThan(15)
  expect(tokenEdits(after, after)).toEqual([])
})

test('bodies, lists, comments, conditions and imports fold', () => {
  const text = `import a;\nimport b;\n\n${source}/* a\n b */\n`
  const folds = foldingRanges(new SourceFile('', text)).map(f => `${f.startLine}-${f.endLine} ${f.kind ?? ''}`.trim())
  expect(folds).toEqual(['0-3 imports', '4-5 comment', '7-12', '15-17 region', '21-24', '22-23', '26-27 comment'])
  expect(foldingRanges(new SourceFile('', 'void f()\n{\n    if (x) {\n        g();\n    }\n'))).toEqual([
    { startLine: 2, endLine: 3 },
  ])
})
