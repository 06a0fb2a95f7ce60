import { describe, expect, it } from 'vitest'
import { differentialText } from '../../src/editor/derivative/differential.ts'
import { differentiabilityOf, reasonText } from '../../src/editor/derivative/reasons.ts'
import { functionAt, fileOf } from '../../src/editor/derivative/subject.ts'
import { editorProgram, fileName, placeOf, textIn } from '../support/editor-program.ts'

const types = `struct Ray : IDifferentiable { float3 origin; no_diff float reach; int id; }
struct State : IDifferentiable { float2 position; float2 velocity; }
struct Own : IDifferentiable { typealias Differential = State; [DerivativeMember(State.position)] float2 p; }
struct Plain { float x; }
struct Box<T : IDifferentiable> : IDifferentiable { T value; int n; }
struct View : IDifferentiablePtrType { typealias Differential = View; RWStructuredBuffer<float> data; }
float use(Box<float> b, Box<State> s) { return b.value; }`

function differential(name: string): string {
  const { program } = editorProgram(types).checked
  return differentialText(program, program.typeNamed(name)!)
}

describe('the differential of a type', () => {
  it.each([
    'float',
    'int',
    'float3x3',
    'float[4]',
    'Ray',
    'State',
    'Own',
    'Plain',
    'Box<float>',
    'Box<State>',
    'View',
    'DifferentialPair<float>',
  ])('of %s', name => {
    expect(differential(name)).toMatchSnapshot()
  })
})

function reasons(source: string, mark: string): string {
  const program = editorProgram(source)
  const func = functionAt(program, fileOf(program, fileName)!, placeOf(source, mark))!
  const { level, reasons: list } = differentiabilityOf(program, func)
  return `${level}\n${reasonText(list)}`
}

describe('why a function is not differentiable', () => {
  it('is nothing where it is', () => {
    expect(reasons('[Differentiable] float f(float x) { return x; }', 'return')).toBe('backward\n')
    expect(reasons('[TreatAsDifferentiable] float f(float x) { return firstbithigh(int(x)); }', 'return')).toBe(
      'backward\n',
    )
  })

  it('is what goes in and what comes out', () => {
    expect(reasons('int f(int n, no_diff float x) { return n; }', 'return')).toBe(`none
- f is not marked [Differentiable]
- parameter n is of type int, which carries no derivative
- parameter x is marked no_diff
- its result is of type int, which carries no derivative
`)
    expect(reasons('void f() { }', '{ }')).toMatch(
      /it takes no parameter .*\n- it returns nothing, and no out parameter/,
    )
    expect(reasons('struct S { float k; float f(float x) { return x * k; } }', 'return')).toBe(
      'none\n- S.f is not marked [Differentiable]\n- field k is read from a this of type S, which is not differentiable\n',
    )
  })

  it('is a call of the library without a derivative', () => {
    expect(reasons('float f(float x) { return WaveReadLaneFirst(x); }', 'return')).toMatchInlineSnapshot(`
      "none
      - f is not marked [Differentiable]
      - it calls WaveReadLaneFirst (line 1), a function of the library without a derivative
      "
    `)
    expect(reasons('float g(float x); float f(float x) { return g(x); }', 'return g')).toMatchInlineSnapshot(`
      "none
      - f is not marked [Differentiable]
      - it calls g (line 1), which is not differentiable
        - g is not marked [Differentiable]
      "
    `)
  })

  it('is a derivative that is dropped on the way', () => {
    expect(reasons('static float kept; float f(float x) { kept = x; return x; }', 'return')).toMatchInlineSnapshot(`
      "none
      - f is not marked [Differentiable]
      - derivative is lost: it is stored where no derivative can be kept
      "
    `)
    expect(
      reasons(
        '[Differentiable] float g(float x) { return x; } float f(float x) { return no_diff g(x); }',
        'return no_diff',
      ),
    ).toMatchInlineSnapshot(`
      "none
      - f is not marked [Differentiable]
      - no_diff drops the derivative of g, which is differentiable
      "
    `)
    expect(
      reasons(
        'struct P { float x; } float g(P p) { return p.x; } float f(float x) { P p = { x }; return g(p); }',
        'P p = {',
      ),
    ).toMatchInlineSnapshot(`
      "none
      - f is not marked [Differentiable]
      - derivative is lost: P does not conform to IDifferentiable
      "
    `)
  })

  it('is said of a marked function too, where derivatives get lost in it', () => {
    expect(reasons('float g(float x) { return x; } [Differentiable] float f(float x) { return g(x); }', 'return g'))
      .toBe(`backward
- it calls g (line 1), which is not differentiable
  - g is not marked [Differentiable]
`)
  })

  it('ends where functions call each other', () => {
    expect(
      reasons(
        'float g(float x); float f(float x) { return x > 0 ? g(x - 1) : x; } float g(float x) { return f(x); }',
        'return x >',
      ),
    ).toMatch(/it calls g .*\n {2}- g is not marked/)
  })

  it('has places', () => {
    const source = '/* 𝛿 */ float g(float x) { return x; } float f(float x) { return g(x); }'
    const program = editorProgram(source)
    const func = functionAt(program, fileOf(program, fileName)!, placeOf(source, 'return g'))!
    const [, call] = differentiabilityOf(program, func).reasons
    expect(textIn(source, call!.place!.range)).toBe('g(x)')
    expect(textIn(source, call!.because[0]!.place!.range)).toBe('g')
  })
})
