/** What an author may write; `‸` stands where the cursor is. Lists are compared by what must and what must not be in them. */
import { describe, expect, test } from 'vitest'
import { Sink } from '../../src/base/diag.ts'
import { SourceFile } from '../../src/base/source.ts'
import { attributeTexts } from '../../src/editor/attributes.ts'
import { complete, type Completion } from '../../src/editor/complete.ts'
import { plainOf, type CompletionItem } from '../../src/editor/complete-items.ts'
import { memberSnippets, statementSnippets, topSnippets } from '../../src/editor/complete-words.ts'
import { semantics } from '../../src/editor/semantics.ts'
import { offsetOf } from '../../src/editor/range.ts'
import { parse } from '../../src/syntax/parse.ts'
import { compile } from '../../src/index.ts'
import { cursor, placeAt } from '../support/editor-place.ts'

type Files = Readonly<Record<string, string>>

function offered(source: string, files: Files = {}): Completion {
  const place = placeAt(source, files)
  return complete(place, {
    list: (_, endings) => Object.keys(files).filter(path => endings.some(e => path.endsWith(e))),
  })
}

function labels(source: string, files: Files = {}): readonly string[] {
  return offered(source, files)
    .list.items.toSorted((a, b) => (a.sortText < b.sortText ? -1 : 1))
    .map(i => i.label)
}

function item(source: string, label: string, files: Files = {}): CompletionItem {
  const { list, resolve } = offered(source, files)
  const found = list.items.find(i => i.label === label)
  if (found === undefined) throw new Error(`${label} is not offered`)
  return resolve(found)
}

/** The program after an item has been chosen. */
function chosen(source: string, label: string): string {
  const place = placeAt(source)
  const { range, newText } = item(source, label).textEdit
  const { text } = place.file
  return text.slice(0, offsetOf(place.file, range.start)) + newText + text.slice(offsetOf(place.file, range.end))
}

const prelude = `enum Color { Red, Green, Blue }
interface IShape
{
    associatedtype Result;
    /// How large it is.
    [Differentiable] float area(float scale);
    static float unit() { return 1; }
    property int sides { get; }
}
struct P : IDifferentiable
{
    float x;
    float3 dir;
    private int secret;
    static const int Count = 3;
    property float twice { get { return 2 * x; } }
    [Differentiable] float len(float k) { return x * k; }
    static P make() { return {}; }
}
extension P { float extra() { return 1; } }
struct Q : P { int own; }
namespace ns { float inner(float a) { return a; } struct T { int i; } }
float plain(float a, int b = 2) { return a; }
[Differentiable] float smooth(float a) { return a; }
float over(int a) { return 1; }
float over(float a) { return 1; }
float over(float a, float b) { return 1; }
static const int N = 8;
`

/** A statement in a function of a program, with what may stand around. */
const inFunction = (statement: string, before = ''): string =>
  `${prelude}${before}float f(P p, Q q, float3 v, IShape shape)\n{\n    int local = 1;\n    ${statement}\n}\nfloat later(float a) { return a; }\n`

/** The same statement in three programs. */
const documents: readonly (readonly [string, (statement: string) => string])[] = [
  ['a whole program', s => inFunction(s)],
  [
    'a broken one',
    s =>
      `${inFunction(s).replace('float plain(float a, int b = 2)', 'float plain(float a, int b = )')}\nfloat broken( { return `,
  ],
  ['one with characters of two units', s => inFunction(`/* 𝛿𝛿 */ ${s}`)],
]

describe.each(documents)('in %s', (_, at) => {
  test.each([
    ['p.‸', ['x', 'dir', 'len', 'twice', 'extra'], ['make', 'Count', 'secret', 'plain', 'local', 'if']],
    ['float y = p.‸', ['x', 'len'], ['make']],
    ['float y = p.l‸;', ['len', 'x'], []],
    ['float y = smooth(p.‸', ['x', 'len'], []],
    ['float y = smooth(plain(p.x, 1) + p.dir.‸', ['x', 'xy', 'xyz', 'r'], ['w', 'xyzw', 'len']],
    ['p.‸\n    local = 2;', ['x', 'len'], []],
    ['if (p.‸', ['x', 'len'], []],
    ['for (int i = 0; i < p.‸', ['x', 'len'], []],
    ['for (int i = 0; i < 3; i++) { v.‸', ['x', 'xyz'], []],
    ['q.‸', ['own', 'x', 'len', 'extra'], ['make']],
    ['P.‸', ['make', 'Count', 'Differential'], ['x', 'len']],
    ['P::‸', ['make', 'Count'], ['x']],
    ['Color c = Color.‸', ['Red', 'Green', 'Blue'], ['x', 'plain']],
    ['Color c = Color::G‸', ['Red', 'Green', 'Blue'], []],
    ['float y = ns::‸', ['inner', 'T'], ['plain', 'x']],
    ['shape.‸', ['area', 'sides'], []],
    ['diffPair(1.0, 2.0).‸', ['p', 'd'], []],
    ['p.dir.normal‸', [], ['plain']],
  ])('members: %s', (statement, must, mustNot) => {
    const found = labels(at(statement))
    expect(found).toEqual(expect.arrayContaining(must))
    for (const label of mustNot) expect(found).not.toContain(label)
  })

  test.each([
    [
      '‸',
      ['local', 'p', 'v', 'smooth', 'over', 'N', 'P', 'ns', 'lerp', 'float3', 'for', 'return', 'if else', 'later'],
      ['x', 'len', 'inner', 'compute kernel'],
    ],
    ['float y = ‸', ['local', 'p', 'smooth', 'N', 'lerp', 'float3', 'fwd_diff'], ['y', 'x', 'for', 'return', 'struct']],
    ['float y = lo‸;', ['local'], ['y']],
    ['return ‸', ['local', 'smooth'], ['for']],
    ['smooth(‸', ['local', 'p'], ['for']],
    ['for (int i = 0; ‸', ['i', 'local'], ['for']],
    ['for (int i = 0; i < 3; i++) { float inside = 1; ‸', ['i', 'inside', 'local', 'continue'], []],
    ['{ int hidden = 1; } ‸', ['local'], ['hidden']],
    ['‸ int after = 2;', ['local'], ['after']],
    ['if (local > 1) ‸', ['return', 'smooth'], []],
    ['Color c = ‸', ['Color.Red', 'Color.Blue', 'local'], []],
    ['Color c = Color.Red; if (c == ‸', ['Color.Red'], []],
    ['Color c = Color.Red; switch (c) { case ‸', ['Color.Red', 'Color.Green'], []],
  ])('names: %s', (statement, must, mustNot) => {
    const found = labels(at(statement))
    expect(found).toEqual(expect.arrayContaining(must))
    for (const label of mustNot) expect(found).not.toContain(label)
  })

  test.each([
    '// text ‸',
    '/* text ‸ */',
    'printf("text ‸");',
    'printf("text ‸',
    'int a = 12‸;',
    'float a = 1.‸;',
    'float a = 1.5e‸;',
    'float ‸',
    'float a‸',
    'let ‸',
    'P ‸',
  ])('nothing: %s', statement => {
    expect(labels(at(statement))).toEqual([])
  })

  test('only differentiable functions are differentiated', () => {
    const found = labels(at('bwd_diff(‸'))
    expect(found).toEqual(expect.arrayContaining(['smooth', 'sin', 'lerp']))
    for (const label of ['plain', 'over', 'local', 'asuint', 'for']) expect(found).not.toContain(label)
    expect(labels(at('fwd_diff(P.‸'))).toContain('len')
  })

  test('what is nearer comes first', () => {
    const found = labels(at('‸'))
    const order = ['local', 'smooth', 'lerp'].map(label => found.indexOf(label))
    expect(order).toEqual(order.toSorted((a, b) => a - b))
  })

  test('attributes of loops', () => {
    const found = labels(at('[‸] for (;;) {}'))
    expect(found).toEqual(expect.arrayContaining(['MaxIters', 'ForceUnroll', 'unroll', 'flatten']))
    expect(found).not.toContain('Differentiable')
  })
})

describe('functions', () => {
  const at = (statement: string): string => inFunction(statement)

  test('have a place for each argument that they need', () => {
    expect(item(at('float y = pl‸'), 'plain').textEdit.newText).toBe('plain(${1:a})')
    expect(item(at('p.‸'), 'len').textEdit.newText).toBe('len(${1:k})')
    expect(item(at('P.‸'), 'make').textEdit.newText).toBe('make()')
    expect(item(at('float y = ‸'), 'plain').insertTextFormat).toBe(2)
  })

  test('with overloads are one, and say so', () => {
    const found = labels(at('float y = ov‸')).filter(label => label === 'over')
    expect(found).toHaveLength(1)
    const over = item(at('float y = ov‸'), 'over')
    expect(over.labelDetails?.description).toBe('+2 overloads')
    expect(over.textEdit.newText).toBe('over($1)')
    expect(over.detail).toContain('float over(float a, float b)')
  })

  test('are names alone where arguments follow, and for editors without snippets', () => {
    expect(item(at('float y = pl‸(1)'), 'plain').textEdit.newText).toBe('plain')
    const { list } = complete(placeAt(at('float y = pl‸')), { snippets: false })
    expect(list.items.find(i => i.label === 'plain')).toMatchObject({
      insertTextFormat: 1,
      textEdit: { newText: 'plain' },
    })
    expect(list.items.find(i => i.label === 'fwd_diff')?.textEdit.newText).toBe('fwd_diff')
  })

  test('of the library say what they do once somebody asks', () => {
    const { list, resolve } = offered(at('float y = ‸'))
    const lerp = list.items.find(i => i.label === 'lerp')!
    expect(lerp.documentation).toBeUndefined()
    expect(resolve(lerp).documentation?.value).toContain('The straight line')
    expect(resolve(lerp).detail).toBe('T lerp<T : __Lanewise>(T x, T y, T s)')
  })
})

test('the range is that of the word, in UTF-16', () => {
  const place = placeAt('float f(float abc)\n{\n    /* 𝛿 */ return ab‸c; }')
  const { list } = complete(place)
  expect(list.items.find(i => i.label === 'abc')?.textEdit.range).toEqual({
    start: { line: 2, character: 20 },
    end: { line: 2, character: 22 },
  })
})

test('this, and members without it, in methods', () => {
  const found = labels('struct S { float a; static int b; float g(float c) { ‸ } }')
  expect(found).toEqual(expect.arrayContaining(['a', 'b', 'c', 'g', 'this']))
  expect(labels('struct S { float a; float g() { this.‸ } }')).toEqual(expect.arrayContaining(['a', 'g']))
  const fixed = labels('struct S { float a; static int b; static float g() { ‸ } }')
  expect(fixed).toContain('b')
  expect(fixed).not.toContain('a')
})

test('generic parameters, their members and arguments', () => {
  const source = 'interface IFoo { float foo(); }\nstruct G<T : IFoo> { T t; float h() { return t.‸ } }'
  expect(labels(source)).toContain('foo')
  expect(labels('interface IFoo { float foo(); }\nfloat g<T : IFoo>(‸')).toContain('T')
  expect(labels('interface IFoo { float foo(); }\nfloat g<T : ‸')).toEqual(
    expect.arrayContaining(['IFoo', 'IDifferentiable']),
  )
  expect(labels('struct S { int i; }\nStructuredBuffer<‸')).toEqual(expect.arrayContaining(['S', 'float4']))
  expect(labels('void f() { StructuredBuffer<‸')).toContain('float4')
})

test('what lambdas capture', () => {
  const source = 'struct S { int m; float g(float k) { float near = 1; return h((float x) => x * ‸, 2); } }'
  expect(labels(source)).toEqual(expect.arrayContaining(['k', 'near', 'x', 'm']))
})

test('variables of functions with packs', () => {
  const source = 'float f<each T>(float k, expand each T x) { float s = 0; s += ‸ }'
  expect(labels(source)).toEqual(expect.arrayContaining(['k', 'x', 's']))
})

test('members in a method that has taken the brace of its type', () => {
  const source = 'struct S\n{\n    float m;\n    float f(float a)\n    {\n        if (a > ‸\n    }\n'
  expect(labels(source)).toEqual(expect.arrayContaining(['a', 'm', 'this']))
  expect(labels(`${source}\nfloat later() { return 1; }`)).toEqual(expect.arrayContaining(['a', 'm']))
})

test('operands of casts, and arguments of generics', () => {
  expect(labels('float f(int k) { return (float)‸; }')).toContain('k')
  expect(labels('float f(int k) { return sqrt(k) ‸; }')).toEqual([])
  expect(labels('static const int N = 2;\nvoid f(vector<float, ‸')).toContain('N')
})

describe('declarations', () => {
  test('at module level', () => {
    const found = labels(`${prelude}‸`)
    expect(found).toEqual(
      expect.arrayContaining([
        'struct',
        'P',
        'float',
        'compute kernel',
        'differentiable function',
        'import',
        'StructuredBuffer',
      ]),
    )
    for (const label of ['return', 'local', 'plain', 'N']) expect(found).not.toContain(label)
    expect(labels(`${prelude}static const ‸`)).toContain('P')
  })

  test('bases', () => {
    expect(labels(`${prelude}struct R : ‸ {}`)).toEqual(expect.arrayContaining(['IShape', 'IDifferentiable', 'P']))
    expect(labels(`${prelude}struct R : P, I‸ {}`)).toContain('IShape')
    expect(labels(`${prelude}extension P : ‸`)).toContain('IShape')
    expect(labels('enum E : ‸')).toEqual(expect.arrayContaining(['uint', 'int']))
    expect(labels('enum E : ‸')).not.toContain('float')
  })

  test('parameters', () => {
    const found = labels(`${prelude}float h(inout P a, ‸)`)
    expect(found).toEqual(expect.arrayContaining(['P', 'float3', 'inout', 'no_diff']))
    for (const label of ['plain', 'return', 'N']) expect(found).not.toContain(label)
    expect(labels(`${prelude}float h(inout ‸)`)).toContain('P')
    expect(labels(`${prelude}float h(float ‸)`)).toEqual([])
  })

  test('calls and types behind no_diff', () => {
    for (const source of ['float h(float x) { return no_diff pl‸; }', 'float h(float x) { no_diff ‸ }'])
      expect(labels(`${prelude}${source}`)).toEqual(expect.arrayContaining(['plain', 'x', 'float', 'P']))
    expect(labels(`${prelude}struct Q { no_diff ‸ }`)).not.toContain('plain')
  })

  test('members of generic types with the types that they have here', () => {
    const pair = `${prelude}float h(P v) { var p = diffPair(v); p.‸ }`
    expect(item(pair, 'd').labelDetails?.description).toBe('P.Differential')
    expect(item(pair, 'updateDiff').labelDetails?.detail).toBe('(P.Differential d)')
    expect(item(pair, 'getPrimal').labelDetails?.description).toBe('P')
    const box = 'struct Box<T> { T held; T take(T other, int n = 2) { return held; } }'
    const boxed = `${box} void h(Box<float3> b) { b.‸ }`
    expect(item(boxed, 'held').labelDetails?.description).toBe('float3')
    expect(item(boxed, 'take').labelDetails).toEqual({ detail: '(float3 other, int n = 2)', description: 'float3' })
  })

  test.each([
    'float h() { let a : ‸ = 1; return a; }',
    'float h() { var a : fl‸; }',
    'typedef ‸',
    'func h(x : ‸) -> float { return x; }',
    'func h(x : float, inout y : ‸)',
  ])('types where a type stands behind its name, or is renamed: %s', source => {
    const found = labels(`${prelude}${source}`)
    expect(found).toEqual(expect.arrayContaining(['P', 'float3']))
    for (const label of ['plain', 'sin', 'return', 'SV_Position']) expect(found).not.toContain(label)
  })

  test('what an interface asks for', () => {
    const source = `${prelude}struct Disc : IShape\n{\n    float r;\n    ‸\n}\n`
    expect(labels(source)).toEqual(expect.arrayContaining(['area', 'Result', 'sides', 'unit', 'float', 'property']))
    const area = item(source, 'area')
    expect(area.textEdit.newText).toBe('[Differentiable]\nfloat area(float scale)\n{\n\t$0\n}')
    expect(area.labelDetails?.description).toBe('asked for by IShape')
    expect(area.documentation?.value).toBe('How large it is.')
    const steered = `interface I { [Differentiable] no_diff float go(no_diff float x, no_diff out float y); }\nstruct S : I\n{\n    ‸\n}`
    expect(item(steered, 'go').textEdit.newText).toContain('\nno_diff float go(no_diff float x, no_diff out float y)\n')
    const generic = `interface I { T go<T : IFloat, let N : int>(T x[N]) where T : IDifferentiable; }\nstruct S : I\n{\n    ‸\n}`
    expect(item(generic, 'go').textEdit.newText).toBe(
      'T go<T : IFloat, let N : int>(T[N] x) where T : IDifferentiable\n{\n\t$0\n}',
    )
    expect(item(source, 'unit').textEdit.newText).toMatch(/^override static float unit\(\)/)
    expect(
      labels(`${prelude}struct Disc : IShape\n{\n    float area(float s) { return s; }\n    ‸\n}\n`),
    ).not.toContain('area')
    expect(labels(`${prelude}struct Disc : IShape\n{\n    override ‸\n}\n`)).toEqual(['unit'])
  })

  test('semantics', () => {
    const found = labels('void main(uint3 id : ‸) {}')
    expect(found).toContain('SV_DispatchThreadID')
    expect(found).not.toContain('float')
    expect(labels('struct V { float4 p : SV_‸; }')).toContain('SV_Position')
    expect(labels('float4 main() : ‸')).toContain('SV_Target')
    expect(labels('Texture2D<float4> t : ‸')).toEqual(['register'])
  })

  test('types after an arrow and an equals sign', () => {
    expect(labels(`${prelude}typealias A = ‸`)).toEqual(expect.arrayContaining(['P', 'float']))
    expect(labels(`${prelude}func g() -> ‸`)).toEqual(expect.arrayContaining(['P', 'float']))
    expect(labels(`${prelude}static const int M = ‸`)).toEqual(expect.arrayContaining(['N', 'max']))
  })
})

describe('attributes', () => {
  test('of functions', () => {
    const found = labels('[‸]\nfloat f(float x) { return x; }')
    expect(found).toEqual(expect.arrayContaining(['Differentiable', 'numthreads', 'shader', 'vk::binding']))
    expect(found).not.toContain('MaxIters')
    expect(chosen('[numth‸]\nvoid f() {}', 'numthreads')).toBe('[numthreads(${1:64}, ${2:1}, ${3:1})]\nvoid f() {}')
    expect(chosen('[[vk::bi‸]]\nTexture2D t;', 'vk::binding')).toContain('[[vk::binding(${1:0}, ${2:0})]]')
    expect(labels('[Differentiable, ‸]\nvoid f() {}')).toContain('shader')
    expect(labels('struct S { [‸] float f() { return 1; } }')).toContain('mutating')
  })

  test('and their arguments', () => {
    expect(labels('[shader("‸")]\nvoid f() {}')).toEqual(['compute', 'fragment', 'vertex'])
    expect(chosen('[shader(‸)]\nvoid f() {}', 'vertex')).toContain('[shader("vertex")]')
    expect(labels(`${prelude}[numthreads(‸, 1, 1)] void f() {}`)).toContain('N')
    const found = labels(`${prelude}[ForwardDerivativeOf(‸)] void f() {}`)
    expect(found).toContain('plain')
    expect(found).not.toContain('N')
  })

  test('an index is none', () => {
    expect(labels('float f(float a[3]) { int i = 0; return a[‸]; }')).toContain('i')
  })
})

describe('files', () => {
  const files = { '/lib.slang': '', '/util/noise.slang': '', '/util/my-tools.slang': '', '/9.slang': '' }

  test('are offered to imports', () => {
    expect(labels('import ‸', files)).toEqual(['lib', 'util.my_tools', 'util.noise'])
    expect(labels('import util.n‸;', files)).toContain('util.noise')
    expect(item('import util.n‸;', 'util.noise', files).textEdit.range.start.character).toBe(7)
    expect(labels('import "‸"', files)).toEqual(['9.slang', 'lib.slang', 'util'])
    expect(labels('import "util/‸', files)).toEqual(['my-tools.slang', 'noise.slang'])
    expect(labels('__include ‸', files)).toContain('lib')
    expect(labels('#include "util/‸"\nfloat a;', files)).toEqual(['my-tools.slang', 'noise.slang'])
    const headers = { ...files, '/util/noise.h': '', '/util/noise.hlsl': '', '/util/noise.png': '' }
    expect(labels('#include "util/‸"\nfloat a;', headers)).toEqual([
      'my-tools.slang',
      'noise.h',
      'noise.hlsl',
      'noise.slang',
    ])
    expect(labels('import "util/‸', headers)).toEqual(['my-tools.slang', 'noise.slang'])
  })

  test('with their names once they are imported', () => {
    const lib = {
      '/lib.slang': 'module lib;\npublic float twice(float a) { return 2 * a; }\nfloat own() { return 1; }',
    }
    const found = labels('import lib;\nfloat f() { return ‸ }', lib)
    expect(found).toContain('twice')
    expect(found).not.toContain('own')
  })
})

test('macros in directives', () => {
  expect(labels('#define ABC 1\n#if ‸\n#endif')).toContain('ABC')
  expect(labels('#‸')).toContain('define')
  expect(labels('#define ‸')).toEqual([])
})

describe('what is offered is part of the language', () => {
  const errorsOf = (source: string): readonly string[] => {
    const sink = new Sink()
    parse(new SourceFile('s.slang', source), {}, sink)
    return sink.list.map(d => d.message)
  }

  test.each(topSnippets.map(s => [s.label, s.body]))('%s', (_, body) => {
    expect(errorsOf(plainOf(body).replace('return ;', 'return 0;'))).toEqual([])
  })

  test.each(memberSnippets.map(s => [s.label, s.body]))('member: %s', (_, body) => {
    expect(errorsOf(`struct S { ${plainOf(body).replace('return ;', 'return 0;')} }`)).toEqual([])
  })

  test.each(statementSnippets.map(s => [s.label, s.body]))('statement: %s', (_, body) => {
    expect(errorsOf(`void f() { ${plainOf(body)} }`)).toEqual([])
  })

  test.each(
    Object.entries(attributeTexts).flatMap(([name, { on, args }]) =>
      on.some(c => c === 'function' || c === 'method')
        ? [[name, args === undefined ? name : `${name}(${plainOf(args)})`]]
        : [],
    ),
  )('[%s]', (_, attribute) => {
    const { diagnostics } = compile(`[${attribute}] float f(float x) { return x; }`)
    expect(diagnostics.filter(d => /attribute/i.test(d.message))).toEqual([])
  })

  test.each(
    Object.entries(semantics).flatMap(([name, { type, stages }]) =>
      stages.split(', ').map(stage => [name, type, stage]),
    ),
  )('%s : %s of a %s entry point', (name, type, stage) => {
    const given = `${type} v : ${name}`
    const source =
      stage === 'compute'
        ? `RWStructuredBuffer<${type}> o;\n[shader("compute")] [numthreads(1, 1, 1)] void main(${given}) { o[0] = v; }`
        : /Target|Depth|Position/.test(name) && !(stage === 'fragment' && name === 'SV_Position')
          ? `[shader("${stage}")] ${type} main() : ${name} { return 1; }`
          : stage === 'vertex'
            ? `[shader("vertex")] float4 main(${given}) : SV_Position { return float(v); }`
            : `[shader("fragment")] float4 main(${given}) : SV_Target { return ${type === 'float4' ? 'v' : 'float(v)'}; }`
    expect(compile(source).diagnostics.filter(d => d.severity === 'error')).toEqual([])
  })
})

test('the cursor may stand anywhere', () => {
  const source = inFunction('float y = p.len(1) + smooth(v.x); // end\n    printf("a");')
  for (let i = 0; i <= source.length; i++) {
    const place = placeAt(source.slice(0, i) + cursor + source.slice(i))
    expect(() => complete(place).list.items.length).not.toThrow()
    expect(place.analysis.faults).toEqual([])
  }
})
