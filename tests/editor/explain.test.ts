import { describe, expect, it } from 'vitest'
import { compile } from '../../src/index.ts'
import { explainFile, reverseHints, type ExplainQuery } from '../../src/editor/derivative/explain.ts'
import { editorProgram, fileName, placeOf, textIn } from '../support/editor-program.ts'

const source = `[Differentiable]
float step(float x, float k)
{
    float e = exp(x * k);
    return e / (1.0 + e) + k;
}

/* 𝛿 */ [Differentiable] float loss(float x, int n)
{
    float s = x;
    [MaxIters(64)]
    for (int i = 0; i < n; i++)
    {
        float t = sin(s);
        s = t * s + step(t, s);
    }
    return s;
}

float plain(float x) { return x; }
`
const everything = { start: { line: 0, character: 0 }, end: { line: 1000, character: 0 } }

/** The source with the hints where they stand. */
function shown(text: string, range = everything, options = {}): string {
  const hints = reverseHints(editorProgram(text, options), fileName, range)
  return text
    .split('\n')
    .map((line, i) =>
      hints
        .filter(h => h.position.line === i)
        .toSorted((a, b) => b.position.character - a.position.character)
        .reduce((l, h) => `${l.slice(0, h.position.character)} «${h.label}»${l.slice(h.position.character)}`, line),
    )
    .join('\n')
}

const explain = (query: ExplainQuery, text = source): ReturnType<typeof explainFile> =>
  explainFile(editorProgram(text), fileName, query)

describe('hints of the reverse pass', () => {
  it('stand behind what is stored and computed again', () => {
    expect(shown(source)).toMatchInlineSnapshot(`
      "[Differentiable]
      float step(float x, float k)
      {
          float e = exp(x * k);
          return e / (1.0 + e) «recomputed» + k;
      }

      /* 𝛿 */ [Differentiable] float loss(float x, int n)
      {
          float s = x;
          [MaxIters(64)]
          for (int i = 0; i < n; i++) «s stored 4 B × 64 trips»
          {
              float t = sin(s) «recomputed»;
              s = t * s + step(t, s);
          }
          return s;
      }

      float plain(float x) { return x; }
      "
    `)
  })

  it('say in a sentence what they mean', () => {
    const loop = reverseHints(editorProgram(source), fileName, everything).find(h => h.label.startsWith('s stored'))
    expect(loop?.tooltip).toBe(
      's: stored in the reverse pass (4 B × 64 trips, 256 bytes in all): carried from trip to trip: a trip starts from what the one before left',
    )
  })

  it('are those of a range', () => {
    const line = placeOf(source, 'sin(s)').line
    const hints = reverseHints(editorProgram(source), fileName, {
      start: { line, character: 0 },
      end: { line: line + 1, character: 0 },
    })
    expect(hints.map(h => h.position.line)).toEqual([line])
  })

  it('follow the budget of the project', () => {
    expect(shown(source, everything, { maxContext: 64 })).not.toBe(shown(source))
  })

  it('are not kept away by mistakes in other functions', () => {
    const hints = reverseHints(editorProgram(`${source}float broken() { return y; }`), fileName, everything)
    expect(hints.length).toBe(reverseHints(editorProgram(source), fileName, everything).length)
    expect(
      reverseHints(editorProgram('[Differentiable] float f(float x) { return y; }'), fileName, everything),
    ).toEqual([])
  })
})

describe('the explanation of a file', () => {
  it('says of the function at a place what explain says', () => {
    const { functions } = explain({ position: placeOf(source, 'float t') })
    const [own] = compile(source).explain('loss')
    expect(functions.map(f => f.name)).toEqual(['loss'])
    expect(functions[0]).toMatchObject({ bytes: own!.bytes, memory: own!.memory, operations: own!.operations })
    expect(functions[0]!.values.length).toBe(own!.residuals.length)
    expect(textIn(source, functions[0]!.range)).toBe('loss')
    const stored = functions[0]!.values.find(v => v.decision === 'stored')
    expect(stored).toMatchObject({ value: 's', bytes: 4, trips: 64, stored: 256 })
  })

  it('has all functions of a file, in order of the source', () => {
    expect(explain({}).functions.map(f => f.name)).toEqual(['step', 'loss'])
  })

  it('keeps less where less is allowed, and says where that is impossible', () => {
    const bytes = [1000, 100, 32].map(
      maxContext =>
        explain({ position: placeOf(source, 'float t'), maxContext }).functions.find(f => f.name === 'loss')!.bytes,
    )
    expect(bytes[0]).toBe(256)
    expect(bytes[1]).toBeLessThan(bytes[0]!)
    expect(bytes[2]).toBeLessThanOrEqual(bytes[1]!)
    expect(explain({ position: placeOf(source, 'float t'), maxContext: 1 }).diagnostics.map(d => d.code)).toEqual([
      'E36005',
    ])
  })

  it('says why there is none', () => {
    expect(explain({ position: placeOf(source, 'return x;') }).refused).toBe(
      'plain has no reverse derivative\n- plain is not marked [Differentiable]',
    )
    expect(explain({ position: { line: 6, character: 0 } }).refused).toBe('no function with a body stands here')
  })

  it('knows of derivatives that are written by hand', () => {
    const text = `float f(float x) { return x; }
[BackwardDerivativeOf(f)] void b(inout DifferentialPair<float> x, float d) { x = diffPair(x.p, d); }
[Differentiable] float g(float x) { return f(x); }`
    expect(explain({}, text).functions.find(e => e.name === 'f')).toMatchObject({ custom: true, values: [] })
  })

  it('has the instances of a generic function', () => {
    const text = `[Differentiable] T f<T : IFloat>(T x) { return x * x; }
float g(float x) { return f(x) + f(half(x)); }`
    expect(explain({ position: placeOf(text, 'return x * x') }, text).functions.map(f => f.name)).toEqual([
      'f_float',
      'f_half',
    ])
  })
})

it("leaves out a function whose derivative of the user's has a mistake", () => {
  const text = `struct V : IDifferentiable { float x, y; [mutating] void turn(float k) { let t = x; x = k * y; y = t; } }
struct Turn { V v; float k; void operator()(inout V d, out float dk) { dk = d.x * v.y; d = V(d., k * d.x); } }
[mutating] __func_extension __apply(V::turn)(float k) -> Turn { let kept = Turn(this, k); turn(k); return kept; }
[Differentiable] float f(float k) { V v = { k, 1 }; v.turn(k); return v.x; }
[Differentiable] float g(float k) { return k * k; }
`
  expect(explain({}, text).functions.map(f => f.name)).toEqual(['g'])
})
