import { describe, expect, it } from 'vitest'
import { checkFunction, checkLenses, checkedAt, type CheckVerdict } from '../../src/editor/derivative/check.ts'
import { editorProgram, fileName, placeOf, textIn } from '../support/editor-program.ts'

const source = `/* 𝛿 */ [Differentiable] float right(float x) { return x * sin(x); }

[BackwardDerivative(halved)] float wrong(float x) { return x * x; }
void halved(inout DifferentialPair<float> x, float d) { x = diffPair(x.p, x.p * d); }

[Differentiable] float outer(float x, float3 v) { return wrong(x) + dot(v, v); }
[Differentiable] float read(RWStructuredBuffer<float> b, float x) { return x * b[0]; }
[Differentiable] T square<T : IFloat>(T x) { return x * x; }
[Differentiable] T cube<T : IFloat>(T x) { return x * x * x; }
struct Line : IDifferentiable { float k; [Differentiable] float at(float x) { return k * x; } }
[Differentiable] float over(float x) { return x; }
[Differentiable] float over(float2 x) { return x.x; }
float plain(float x) { return square(x) + square(double(x)); }
[CUDAKernel] [Differentiable] void kernel(DiffTensorView<float> x) { x[0] = x[1]; }
`

const verdict = (name: string, effort = {}, text = source): Promise<CheckVerdict> =>
  checkFunction(text, { fileName }, name, effort)

describe('the lenses of a file', () => {
  it('stand at the functions that can be checked', () => {
    const lenses = checkLenses(editorProgram(source), fileName)
    expect(lenses.map(l => l.function)).toEqual([
      'right',
      'wrong',
      'outer',
      'square<float>',
      'square<double>',
      'Line.at',
      'over',
      'over(float2)',
    ])
    expect(lenses.map(l => textIn(source, l.range))).toContain('at')
    expect(new Set(lenses.map(l => `${l.state} ${l.title}`))).toEqual(new Set(['unchecked check derivatives']))
  })

  it('say what is known', async () => {
    const known = new Map<string, CheckVerdict | 'running'>([
      ['right', await verdict('right')],
      ['outer', await verdict('outer')],
      ['Line.at', 'running'],
    ])
    const lenses = checkLenses(editorProgram(source), fileName, known)
    expect(lenses.map(l => `${l.function}: ${l.state}: ${l.title}`)).toEqual(
      expect.arrayContaining([
        'right: agrees: derivatives agree at 20 inputs',
        'outer: differs: the reverse derivative is wrong along x',
        'Line.at: running: checking derivatives …',
        'wrong: unchecked: check derivatives',
      ]),
    )
    expect(lenses.find(l => l.function === 'outer')!.blame!.file).toBe(fileName)
  })

  it('stay while something else is being written', () => {
    const lenses = checkLenses(editorProgram(`${source}\nfloat broken(float x) { return y`), fileName)
    expect(lenses.map(l => l.function)).toContain('right')
  })
})

describe('the verdict', () => {
  it('is that derivatives agree', async () => {
    expect(await verdict('right')).toMatchObject({ state: 'agrees', inputs: 20, reason: '' })
    expect(await verdict('square<double>')).toMatchObject({ state: 'agrees' })
    expect(await verdict('Line.at')).toMatchObject({ state: 'agrees' })
    expect(await verdict('over(float2)')).toMatchObject({ state: 'agrees' })
  })

  it('is that one is wrong, with its numbers and its place', async () => {
    const found = await verdict('outer')
    expect(found).toMatchObject({ state: 'differs', parameter: 'x' })
    expect(found.reverse! / found.differences!).toBeCloseTo(0.5)
    expect(found.forward! / found.differences!).toBeCloseTo(1)
    expect(textIn(source, found.blame!.range)).toBe('halved')
    expect(found.blame!.message).toMatch(
      /^halved, the reverse derivative of wrong, is wrong: it gives .*, finite differences /,
    )
    expect(JSON.parse(JSON.stringify(found))).toEqual(found)
    expect(JSON.parse(found.arguments!)).toMatchObject({ x: expect.any(Number) as number })
  })

  it('is the same each time', async () => {
    expect(await verdict('outer')).toEqual(await verdict('outer'))
  })

  it('comes within its time, after one input at least', async () => {
    const found = await verdict('right', { samples: 1_000_000, timeLimit: 50 })
    expect(found.state).toBe('agrees')
    expect(found.inputs).toBeLessThan(1_000_000)
    expect((await verdict('right', { samples: 10, timeLimit: 0 })).inputs).toBe(1)
  })

  it('may be none, with the reason', async () => {
    expect(await verdict('nobody')).toMatchObject({ state: 'cannot', reason: 'there is no function nobody' })
    expect(await verdict('plain')).toMatchObject({ state: 'cannot', reason: 'plain is not differentiable' })
    expect(await verdict('read')).toMatchObject({
      state: 'cannot',
      reason: 'it takes or gives what plain data cannot say',
    })
    expect(await verdict('right', {}, `${source}float g() { return y; }`)).toMatchObject({
      state: 'cannot',
      reason: 'the program has errors; the first is: undefined identifier y',
    })
    const recursive = '[Differentiable] float f(float x) { return x > 0 ? f(x - 1) * x : x; }'
    expect((await verdict('f', {}, recursive)).reason).toMatch(/cannot differentiate f: it calls itself/)
  })
})

describe('the function at a place', () => {
  const at = (mark: string) => checkedAt(editorProgram(source), fileName, placeOf(source, mark))

  it('can be checked by its names', () => {
    expect(at('return k')).toEqual({ names: ['Line.at'] })
    expect(at('return x * x; }\n[Diff')).toEqual({ names: ['square<float>', 'square<double>'] })
    expect(at('return x.x')).toEqual({ names: ['over(float2)'] })
  })

  it('or cannot', () => {
    expect(at('return x * b')).toEqual({ reason: 'parameter b of read is no plain data, which random inputs are' })
    expect(at('return square')).toEqual({ reason: 'plain is not differentiable' })
    expect(at('x[0] =')).toEqual({ reason: 'kernel is an entry point: check the functions that it calls' })
    expect(at('return x * x * x')).toEqual({
      reason: 'cube is generic, and nothing calls it: the argument of T is not known',
    })
    expect(checkedAt(editorProgram(source), fileName, { line: 1, character: 0 })).toEqual({
      reason: 'no function with a body stands here',
    })
  })
})
