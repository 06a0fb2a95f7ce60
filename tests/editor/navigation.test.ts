/** Definitions, references and other names: of whole documents, of broken ones, and behind characters of two code units. */
import { describe, expect, test } from 'vitest'
import { definition, typeDefinition } from '../../src/editor/definition.ts'
import { implementation } from '../../src/editor/implementation.ts'
import { highlights, references } from '../../src/editor/references.ts'
import { prepareRename, rename } from '../../src/editor/rename.ts'
import { workspaceOf } from '../support/marked.ts'

const main = `import lib;
#define SCALE 2.0
struct ‹ball›Ball : IShape, IDifferentiable
{
    float ‹radius›radius;
    /* 𝛿 */ [Differentiable] float ‹area›area() { return SC‹scale›ALE * ra‹field›dius; }
    __init(float r) { radius = r; }
}
interface IShape { float area(); }
float pick(int i) { return 1.0; }
float ‹pick›pick(float x) { return x; }
float total<let N : int, T : IShape>(T s[N])
{
    float sum = 0.0;
    for (int i = 0; i < ‹n›N; i++) /* 𝛿𝛿 */ sum += s[‹i›i].‹call›area();
    ‹typed›var b = Ba‹ctor›ll(1.0);
    let twice = (float v) => v * su‹captured›m;
    return sum + b.area() + pi‹overload›ck(1.0) + helper(t‹core›anh(sum)) + Kind.So‹case›ft;
}
enum Kind { Hard, Soft }
`
const lib = `module lib;
__include part;
public float ‹helper›helper(float x) { return x * ‹inpart›part(x); }
`
const part = `implementing lib;
internal float part(float x) { return helper(x); }
`
const files = { 'main.slang': main, 'lib.slang': lib, 'part.slang': part }
/** The same with a function that nobody has finished. */
const broken = { ...files, 'main.slang': `float unfinished(Ball b)\n{\n    b.\n${main}` }

describe.each([
  ['a whole document', files, 0],
  ['a broken one', broken, 3],
])('in %s', (_, given, more) => {
  const { workspace, at, shown } = workspaceOf(given)
  const found = (name: string): readonly string[] => {
    const { uri, position } = at(name)
    return definition(workspace, uri, position).map(shown)
  }
  const line = (n: number): number => n + more

  test.each([
    ['scale', () => `main.slang ${line(2)}:9-14 SCALE`],
    ['field', () => `main.slang ${line(5)}:11-17 radius`],
    ['call', () => `main.slang ${line(9)}:26-30 area`],
    ['i', () => `main.slang ${line(15)}:14-15 i`],
    ['n', () => `main.slang ${line(12)}:17-18 N`],
    ['ctor', () => `main.slang ${line(3)}:8-12 Ball`],
    ['captured', () => `main.slang ${line(14)}:11-14 sum`],
    ['overload', () => `main.slang ${line(11)}:7-11 pick`],
    ['case', () => `main.slang ${line(20)}:19-23 Soft`],
    ['helper', () => 'lib.slang 3:14-20 helper'],
    ['inpart', () => 'part.slang 2:16-20 part'],
  ])('the definition at %s', (name, where) => {
    expect(found(name)).toEqual([where()])
  })

  test('the definition of a function of the library is in its text', () => {
    const { uri, position } = at('core')
    const [place] = definition(workspace, uri, position)
    expect(place!.uri).toBe('cotangent-core:/math.slang')
    const text = workspace.text('cotangent-core:/math.slang')!.split('\n')[place!.range.start.line]!
    expect(text.slice(place!.range.start.character, place!.range.end.character)).toBe('tanh')
  })

  test('the definition of an import is its file', () => {
    const uri = 'file:///p/main.slang'
    expect(definition(workspace, uri, { line: line(1) - 1, character: 8 }).map(shown)).toEqual(['lib.slang 1:1-1 '])
  })

  test('the type of a variable, an expression and a type itself', () => {
    for (const name of ['ball', 'ctor', 'typed']) {
      const { uri, position } = at(name)
      const { character } = position
      const there = name === 'typed' ? { ...position, character: character + 4 } : position
      expect(typeDefinition(workspace, uri, there).map(shown)).toEqual([`main.slang ${line(3)}:8-12 Ball`])
    }
  })

  test('references are found in all files, once', () => {
    const { uri, position } = at('helper')
    expect(references(workspace, uri, position, { includeDeclaration: true }).map(shown)).toEqual([
      'lib.slang 3:14-20 helper',
      `main.slang ${line(18)}:41-47 helper`,
      'part.slang 2:39-45 helper',
    ])
    expect(references(workspace, uri, position, { includeDeclaration: false })).toHaveLength(2)
    const field = at('radius')
    expect(references(workspace, field.uri, field.position, { includeDeclaration: true }).map(shown)).toEqual([
      `main.slang ${line(5)}:11-17 radius`,
      `main.slang ${line(6)}:61-67 radius`,
      `main.slang ${line(7)}:23-29 radius`,
    ])
    const macro = at('scale')
    expect(highlights(workspace, macro.uri, macro.position)).toHaveLength(2)
  })
})

describe('another name', () => {
  const { workspace, at } = workspaceOf(files)
  const renamed = (name: string, newName: string): unknown => {
    const { uri, position } = at(name)
    const result = rename(workspace, uri, position, newName)
    return 'refused' in result
      ? result.refused
      : Object.fromEntries(Object.entries(result.changes).map(([u, e]) => [u.slice(10), e.length]))
  }

  test('is given in all files', () => {
    expect(renamed('helper', 'assist')).toEqual({ 'lib.slang': 1, 'main.slang': 1, 'part.slang': 1 })
  })

  test('is given to a requirement and all that meet it', () => {
    expect(renamed('call', 'size')).toEqual({ 'main.slang': 4 })
    expect(renamed('area', 'size')).toEqual({ 'main.slang': 4 })
  })

  test('is given to a macro', () => {
    expect(renamed('scale', 'FACTOR')).toEqual({ 'main.slang': 2 })
  })

  test('is given to a variable that a lambda captures', () => {
    expect(renamed('captured', 'all')).toEqual({ 'main.slang': 5 })
  })

  test.each([
    ['core', 'th', 'tanh belongs to the core library'],
    ['i', 'sum', 'then sum on line 15 would mean something else'],
    ['captured', 'b', 'b is declared in the same scope already, on line 16'],
    ['radius', 'area', 'area is declared in the same scope already, on line 6'],
    ['helper', '2nd', "'2nd' cannot be a name"],
    ['helper', 'float3', "'float3' cannot be a name"],
    ['helper', 'return', "'return' cannot be a name"],
    ['pick', 'scoped', { 'main.slang': 2 }],
  ])('of what is at %s: %s', (name, newName, expected) => {
    expect(renamed(name, newName)).toEqual(expected)
  })

  test('is refused with the reason before it is asked for', () => {
    const prepared = (name: string): unknown => prepareRename(workspace, at(name).uri, at(name).position)
    expect(prepared('core')).toEqual({ refused: 'tanh belongs to the core library' })
    expect(prepared('field')).toMatchObject({ placeholder: 'radius', range: { start: { line: 5, character: 60 } } })
    expect(prepareRename(workspace, at('core').uri, { line: 18, character: 0 })).toEqual({
      refused: 'no name stands here that a program declares',
    })
  })

  test('is refused where a macro names it', () => {
    const { workspace: own } = workspaceOf({
      'main.slang': '#define F f(1.0)\nfloat f(float x) { return x; }\nfloat g() { return F; }',
    })
    expect(rename(own, 'file:///p/main.slang', { line: 1, character: 6 }, 'h')).toEqual({
      refused: 'a macro names it too',
    })
  })

  test('is refused where it would hide another thing', () => {
    const source = 'static const float k = 1.0;\nfloat f(float x) { return x * k; }'
    const { workspace: own } = workspaceOf({ 'main.slang': source })
    expect(rename(own, 'file:///p/main.slang', { line: 1, character: 14 }, 'k')).toEqual({
      refused: 'then k on line 2 would mean something else',
    })
  })
})

test('names of letters that are no ASCII are found from anywhere in them', () => {
  const { workspace, at, shown } = workspaceOf({
    'main.slang': 'float f(float größe) { return grö‹mid›ße + größ‹end›e; }',
  })
  for (const name of ['mid', 'end']) {
    const { uri, position } = at(name)
    expect(definition(workspace, uri, position).map(shown)).toEqual(['main.slang 1:15-20 größe'])
    expect(highlights(workspace, uri, position)).toHaveLength(3)
  }
})

test('implementations: of an interface in all files, of a requirement, and of what is none', () => {
  const { workspace, at, shown } = workspaceOf({
    'main.slang': `import shapes;
struct Ball : IRound { float area() { return 3.0; } }
extension float : IShape { float area() { return 0.0; } }
struct Other { float area() { return 0.0; } }
float ‹plain›plain(IShape s) { return s.ar‹call›ea(); }
struct D : IDiff‹core›erentiable { float x; }
`,
    'shapes.slang': `module shapes;
public interface ISh‹face›ape { float ‹need›area(); }
public interface IRound : IShape {}
`,
    'more.slang': 'import shapes;\nstruct Disc : IRound { float area() { return 1.0; } }\n',
  })
  const found = (name: string): readonly string[] => {
    const { uri, position } = at(name)
    return implementation(workspace, uri, position).map(shown).toSorted()
  }
  expect(found('face')).toEqual(['main.slang 2:8-12 Ball', 'main.slang 3:11-16 float', 'more.slang 2:8-12 Disc'])
  const areas = ['main.slang 2:30-34 area', 'main.slang 3:34-38 area', 'more.slang 2:30-34 area']
  expect(found('need')).toEqual(areas)
  expect(found('call')).toEqual(areas)
  expect(found('plain')).toEqual(['main.slang 5:7-12 plain'])
  expect(found('core')).toEqual(['main.slang 6:8-9 D'])
})

test('the name of a namespace in what uses it, and of a macro in conditions and arguments', () => {
  const { workspace, at, shown } = workspaceOf({
    'main.slang': `namespace ‹space›N { float f() { return 1; } }
using namespace N;
#define ‹macro›FAST 1
#define SAME(x) x
#if FAST && defined(FAST)
float g() { return f() * SAME(FAST); }
#endif
`,
  })
  const found = (name: string): readonly string[] => {
    const { uri, position } = at(name)
    return references(workspace, uri, position, { includeDeclaration: false }).map(shown)
  }
  expect(found('space')).toEqual(['main.slang 2:17-18 N'])
  expect(found('macro')).toEqual(['main.slang 5:5-9 FAST', 'main.slang 5:21-25 FAST', 'main.slang 6:31-35 FAST'])
})

test('a method that a struct inherits has the name of the requirement that it meets', () => {
  const { workspace, at } = workspaceOf({
    'main.slang': `interface IArea { float ‹asked›area(); }
struct Base { float a; float area() { return a; } }
struct Disc : Base, IArea { float c; }
`,
  })
  const { uri, position } = at('asked')
  const edit = rename(workspace, uri, position, 'size')
  expect('refused' in edit ? edit.refused : edit.changes[uri]!.map(e => e.range.start.line)).toEqual([0, 1])
})
