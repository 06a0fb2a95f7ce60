/** Kernels over textures on the CPU find and write what they do on a device. */
import { beforeAll, describe, expect, test } from 'vitest'
import { checkDerivatives, loadSync } from '../../src/cpu/index.ts'
import { compile } from '../../src/index.ts'
import { runScript } from '../support/script.ts'

let said: Record<string, unknown>
beforeAll(async () => {
  said = await runScript('emulated-texture-script.ts')
}, 60_000)

/** Fails where lists of numbers differ by more than what devices round weights and tables to. */
function alike(found: unknown, expected: unknown, where: string): void {
  // What is no finite number comes as null.
  expect(typeof found, where).toBe(typeof expected)
  if (typeof expected === 'number')
    expect(Math.abs((found as number) - expected), `${where}: ${String(found)} instead of ${expected}`).toBeLessThan(
      2e-3 * Math.max(1, Math.abs(expected)),
    )
  else {
    expect(Object.keys(found as object), where).toEqual(Object.keys(expected as object))
    expect(Object.keys(expected as object).length, where).toBeGreaterThan(0)
    for (const [key, x] of Object.entries(expected as object))
      alike((found as Readonly<Record<string, unknown>>)[key], x, `${where} ${key}`)
  }
}

describe('textures on the CPU', () => {
  test('are sampled as on a device, whatever the sampler', () => {
    const all = Object.entries(said['sampled'] as Readonly<Record<string, readonly [unknown, unknown]>>)
    expect(all.length).toBe(7)
    for (const [sampler, [cpu, gpu]] of all) alike(cpu, gpu, sampler)
  })
  test('are loaded in every format, and have sizes', () => {
    const [cpu, gpu] = said['loaded'] as readonly [number[][], number[][]]
    alike(cpu, gpu, 'loaded')
    expect(cpu[0]!.slice(0, 4)).toEqual([4, 3, 22, 1])
  })
  test('are written in their formats', () => {
    const [cpu, gpu] = said['painted'] as readonly [unknown, unknown]
    expect(cpu).toEqual(gpu)
    expect(cpu).toEqual([
      [2, 2, 0, 0],
      [0, 0, 51, 255, 128, 0, 51, 255, 0, 64, 51, 255, 128, 64, 51, 255],
      [2, 5, 6, 9],
      [0, 0, 7, 4e9, 1, 0, 7, 4e9, 0, 1, 7, 4e9, 1, 1, 7, 4e9],
    ])
  })
  test('have gradients of coordinates and texels', () => {
    const [cpu, gpu] = said['gradients'] as readonly [Readonly<Record<string, number[]>>, unknown]
    alike(cpu, gpu, 'gradients')
    expect(cpu['learned']![13]).toBeCloseTo(1.2, 5)
  })
  test('are refused where they do not fit', () => {
    expect(said['mistakes']).toEqual([
      'BufferError: load needs the texture picture: textures: { picture: { size, data } }',
      'BufferError: load uses no texture pictures: did you mean picture?; there are picture, pair, whole, ids, materials_0_albedo, materials_1_albedo, canvas, sums, marks, learned_primal',
      'BufferError: texture picture: expected 48 bytes for 12 texels of rgba8unorm, but 3 came',
      'BufferError: texture ids: the program has texels of uint, and the format is rgba32float',
      'BufferError: size of texture picture: expected a list of at most a width and a height, each a whole number above 0, but [4, 3, 2] came',
      'BufferError: load uses no sampler states: did you mean state?; there is state',
      'BufferError: addressModeU of sampler state: expected one of clamp-to-edge, repeat, mirror-repeat, but "wrap" came',
    ])
  })

  const program = compile(
    `
Texture2D picture;
SamplerState state;
[Differentiable] export float look(float2 at) { return picture.SampleLevel(state, at, 0).x; }
export float texel(int2 at) { return picture.Load(int3(at, 0)).y; }`,
    { verify: true },
  )
  test('are bound for functions, with derivatives', () => {
    expect(program.diagnostics).toEqual([])
    const m = loadSync(program)
    m.bind({
      textures: { picture: { size: [2, 1], data: new Float32Array([1, 0, 0, 0, 3, 7, 0, 0]) } },
      samplers: { state: { addressModeU: 'repeat' } },
    })
    expect(m.fn['look']!([0.5, 0.5])).toBe(2)
    expect(m.fn['look']!.valueAndGrad([0.5, 0.5])).toEqual({ value: 2, grad: [[4, 0]] })
    expect(m.fn['look']!.jvp([[1, 0.5]], [[1, 1]])).toEqual({ value: 2, tangent: -4 })
    expect([m.fn['texel']!([1, 0]), m.fn['texel']!([2, 0]), m.fn['texel']!([-1, 0])]).toEqual([7, 0, 0])
  })
  test('are bound by their parts in JavaScript', () => {
    expect(program.js().code).toContain('picture___texels')
  })
  test('of other dimensions stay with devices', () => {
    const cube = compile('TextureCube c; SamplerState s; export float f(float3 d) { return c.SampleLevel(s, d, 0).x; }')
    expect(cube.diagnostics).toEqual([])
    expect(() => cube.wasm()).toThrow(/textureSampleLevel/)
    expect(() => cube.js()).toThrow(/textureSampleLevel/)
    const gather = compile('Texture2D t; SamplerState s; export float f(float2 d) { return t.Gather(s, d).x; }')
    expect(() => gather.wasm()).toThrow(/textureGather/)
    expect(() => gather.js()).toThrow(/textureGather/)
  })
})

test('second derivatives of what samplers find are made for CPUs too', () => {
  const program = compile(
    `
Texture2D picture;
SamplerState state;
[Differentiable] float sampled(float2 at) { return picture.SampleLevel(state, at, 0).x; }
[Differentiable] float slope(float2 at) { return fwd_diff(sampled)(diffPair(at, float2(1, 0))).d; }
export float2 bend(float2 at) { var p = diffPair(at); bwd_diff(slope)(p, 1.0); return p.d; }`,
    { verify: true },
  )
  const m = loadSync(program)
  m.bind({ textures: { picture: { size: [2, 2], data: new Float32Array([1, 2, 4, 9]) } } })
  // (9 - 4) - (2 - 1) across a texel each way, two texels wide and high.
  expect(m.fn['bend']!([0.5, 0.5])).toEqual([0, 16])
  expect(program.js().code.length).toBeLessThan(60_000)
})

test('textures do not keep anyone from looking into derivatives', async () => {
  const program = compile(`
Texture2D picture;
SamplerState state;
[Differentiable] export float sampled(float2 at, float k) { return k * picture.SampleLevel(state, at, 0.5).x; }
[BackwardDerivative(d_gain)] float gain(float x) { return x * x; }
void d_gain(inout DifferentialPair<float> x, float d) { x = diffPair(x.p, x.p * d); }
[Differentiable] float wrong(float2 at) { return gain(picture.SampleLevel(state, at, 0).x); }
float edge(float x) { return log(x - 2) * picture.Load(int3(0)).x; }`)
  for (const seed of [1, 2, 3]) {
    const { functions } = await checkDerivatives(program, { seed, functions: ['sampled', 'wrong'] })
    expect(functions.map(o => [o.name, o.status])).toEqual([
      ['sampled', 'ok'],
      ['wrong', 'failed'],
    ])
  }
  expect(program.traceNonFinite('edge', [1])).toMatchObject({ operation: 'log', text: 'log(x - 2)' })
})
