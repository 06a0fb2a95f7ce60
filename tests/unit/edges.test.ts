import { describe, expect, it } from 'vitest'
import { loadSync } from '../../src/cpu/index.ts'
import { compile } from '../../src/index.ts'
import { evaluate } from '../support/js-run.ts'
import { isNear } from '../support/near.ts'

// Derivatives where mathematics leaves a choice: those of Slang, but where Slang is plainly wrong. Both modes give the same.

type Numbers = number | readonly number[]

const edges: readonly (readonly [
  params: string,
  body: string,
  args: readonly Numbers[],
  gradients: readonly Numbers[],
])[] = [
  ['float x, float y', 'max(x, y)', [2, 2], [0.5, 0.5]],
  ['float x, float y', 'min(x, y)', [2, 2], [0.5, 0.5]],
  ['float x, float y', 'max(x, y)', [3, 2], [1, 0]],
  ['float x, float y', 'min(x, y)', [3, 2], [0, 1]],
  ['float x', 'abs(x)', [0], [0]],
  ['float x', 'abs(x)', [-0.5], [-1]],
  ['float3 x', 'length(x)', [[0, 0, 0]], [[0, 0, 0]]],
  ['float3 x', 'length(x)', [[1e-12, 0, 0]], [[1, 0, 0]]],
  [
    'float2 x, float2 y',
    'distance(x, y)',
    [
      [1, 2],
      [1, 2],
    ],
    [
      [0, 0],
      [0, 0],
    ],
  ],
  ['float x', 'saturate(x)', [0], [1]],
  ['float x', 'saturate(x)', [1], [1]],
  ['float x', 'saturate(x)', [-1], [0]],
  ['float x', 'saturate(x)', [2], [0]],
  ['float x, float y, float z', 'clamp(x, y, z)', [1, 1, 3], [1, 0, 0]],
  ['float x, float y, float z', 'clamp(x, y, z)', [3, 1, 3], [1, 0, 0]],
  ['float x, float y, float z', 'clamp(x, y, z)', [0, 1, 3], [0, 1, 0]],
  ['float x, float y, float z', 'clamp(x, y, z)', [4, 1, 3], [0, 0, 1]],
  ['float x', 'sqrt(x)', [0], [0.5 / Math.sqrt(1e-7)]],
  ['float x', 'rcp(x)', [0], [-1e7]],
  ['float x', 'rsqrt(x)', [0], [-Infinity]],
  ['float x', 'log(x)', [0], [Infinity]],
  ['float x', 'asin(x)', [1], [Infinity]],
  ['float x', 'acos(x)', [-1], [-Infinity]],
  ['float x', 'frac(x)', [2], [1]],
  ['float x', 'smoothstep(0, 1, x)', [0], [0]],
  ['float x', 'smoothstep(0, 1, x)', [1], [0]],
  ['float x', 'smoothstep(0, 1, x)', [2], [0]],
  ['float3 x', 'dot(refract(x, float3(0, 1, 0), 1.5), float3(1, 2, 3))', [[0.9, -0.1, 0]], [[0, 0, 0]]],
  ['float x, float y', 'pow(x, y)', [0.99e-6, 2], [0, 0]],
  ['float x, float y', 'pow(x, y)', [0, 2], [0, 0]],
  ['float x, float y', 'pow(x, y)', [-2, 2], [0, 0]],
  ['float x, float y', 'copysign(x, y)', [2, -3], [-1, 0]],
  ['float x, float y', 'copysign(x, y)', [2, 0], [0, 0]],
  ['float x, float y', 'fmod(x, y)', [7.5, 2], [1, -3]],
  ['float x, float y', 'x % y', [-7.5, 2], [1, 3]],
  ['float x', 'exp2(x)', [1], [2 * Math.LN2]],
  ['float x', 'log2(x)', [2], [0.5 / Math.LN2]],
  ['float x', 'log10(x)', [2], [0.5 / Math.LN10]],
  ['float x', 'floor(x) + ceil(x) + round(x) + trunc(x) + rint(x) + step(0.5, x)', [0.7], [0]],
  ['float x', 'x * sign(x)', [-2], [-1]],
  ['float x', 'x > 0 ? sqrt(x) : 0', [0], [0]],
  ['float x', 'x > 1e-8 ? atan2(x, x) : 0', [0], [0]],
  ['float x', 'tanh(x)', [100], [0]],
]

/** Values beside derivatives: of `pow` at bases whose derivative is cut, the value is that of mathematics. */
const values: readonly (readonly [string, readonly number[], number])[] = [
  ['pow(x, y)', [-2, 2], 4],
  ['pow(x, y)', [1e-7, 1], 1e-7],
]

const close = (got: number, wanted: number): boolean => isNear(got, wanted, 1e-6 * Math.max(1, Math.abs(wanted)))
const flat = (x: unknown): number[] => (typeof x === 'number' ? [x] : Array.from(x as ArrayLike<number>))
const like = (x: Numbers, fill: (lane: number) => number): Numbers =>
  typeof x === 'number' ? fill(0) : x.map((_, i) => fill(i))

describe('derivatives at edges', () => {
  it.each(edges)('(%s) %s at %j', (params, body, args, gradients) => {
    const program = compile(`[Differentiable] public float f(${params}) { return ${body}; }`, { verify: true })
    expect(program.diagnostics.filter(d => d.severity === 'error').map(d => d.message)).toEqual([])
    const m = evaluate(program.js({ mode: 'f64' }).code)
    const pairs = (d: (k: number, lane: number) => number): unknown[] =>
      args.map((p, k) => ({ p, d: like(p, lane => d(k, lane)) }))
    const back = m['bwd_diff(f)']!(...pairs(() => 0), 1) as { out: Record<string, { d: unknown }> }
    const found = Object.values(back.out).map(p => flat(p.d))
    expect(found.map(f => f.length)).toEqual(gradients.map(wanted => flat(wanted).length))
    gradients.forEach((wanted, k) => {
      flat(wanted).forEach((w, lane) => {
        expect(
          close(found[k]![lane]!, w),
          `reverse, parameter ${k}, lane ${lane}: ${found[k]![lane]} instead of ${w}`,
        ).toBe(true)
        const forward = m['fwd_diff(f)']!(...pairs((i, l) => (i === k && l === lane ? 1 : 0))) as { d: number }
        expect(close(forward.d, w), `forward, parameter ${k}, lane ${lane}: ${forward.d} instead of ${w}`).toBe(true)
      })
    })
  })

  it.each(values)('%s at %j has the value of mathematics', (body, args, wanted) => {
    const program = compile(`[Differentiable] public float f(float x, float y) { return ${body}; }`)
    const m = evaluate(program.js({ mode: 'f64' }).code)
    const out = m['fwd_diff(f)']!(...args.map(p => ({ p, d: 1 }))) as { p: number }
    expect(close(out.p, wanted)).toBe(true)
  })
})

// ── What carries no derivative: classification, bits, integers ───────────────────────────────────────────────────

const exact: readonly (readonly [source: string, args: readonly unknown[], wanted: unknown])[] = [
  ['public int3 f(float3 x) { return sign(x); }', [[-2, 0, 3]], [-1, 0, 1]],
  [
    'public int f(int x, int y) { return abs(x) * 100 + max(x, y) * 10 + min(x, y) + clamp(x, 0, 2) + sign(x); }',
    [-3, 4],
    300 + 40 - 3 + 0 - 1,
  ],
  ['public bool f(float x) { return isnan(x); }', [NaN], true],
  ['public bool f(float x) { return isnan(x) || isinf(x) || !isfinite(x); }', [1], false],
  ['public bool f(float x) { return isinf(x) && !isfinite(x); }', [-Infinity], true],
  ['public bool f(double x) { return isinf(x); }', [1e300], false],
  ['public bool f(float3 x) { return any(x) && !all(x); }', [[0, 1, 0]], true],
  ['public bool f(float3 x) { return all(x > 0.5); }', [[1, 2, 3]], true],
  [
    'public bool f(float2x2 x) { return any(x > 3.5); }',
    [
      [
        [1, 2],
        [3, 4],
      ],
    ],
    true,
  ],
  [
    'public uint4 f(uint x) { return uint4(countbits(x), firstbitlow(x), firstbithigh(x), reversebits(x)); }',
    [0b1011000],
    [3, 3, 6, 0x1a000000],
  ],
  ['public uint2 f(uint x) { return uint2(firstbitlow(x), firstbithigh(x)); }', [0], [4294967295, 4294967295]],
  ['public int f(int x) { return firstbithigh(x); }', [-5], 2],
  ['public uint f(float x) { return asuint(x); }', [-1.5], 0xbfc00000],
  ['public float f(uint x) { return asfloat(x); }', [0xbfc00000], -1.5],
  ['public int2 f(float2 x) { return asint(x); }', [[1, -1]], [0x3f800000, -0x40800000]],
  ['public float f(float x, float y) { return nextafter(x, y); }', [1, 2], 1 + 2 ** -23],
  ['public float f(float x, float y) { return nextafter(x, y); }', [0, -1], -(2 ** -149)],
  ['public float2 f(float x) { int e; float m = frexp(x, e); return float2(m, e); }', [-10], [-0.625, 4]],
  ['public float2 f(float x) { int e; float m = frexp(x, e); return float2(m, e); }', [2 ** -140], [0.5, -139]],
  ['public uint4 f(float4 x) { return f32tof16(x); }', [[1, -2.5, 65520, 5.96e-8]], [0x3c00, 0xc100, 0x7c00, 1]],
  [
    'public uint4 f(float4 x) { return f32tof16(x); }',
    [[1 + 2 ** -11, 1 + 3 * 2 ** -11, 65519, 3.05e-5]],
    [0x3c00, 0x3c02, 0x7bff, 0x0200],
  ],
  ['public float4 f(uint4 x) { return f16tof32(x); }', [[0x3c00, 0xc100, 0x7c00, 1]], [1, -2.5, Infinity, 2 ** -24]],
  ['public float f(float x) { return round(x) * 100 + rint(-x); }', [2.5], 198],
  ['public float f(float x) { return ldexp(x, 3.0); }', [1.5], 12],
  ['public bool f(int x) { return and(x > 1, x < 3) || or(x > 9, x < 0); }', [2], true],
  [
    'public int3 f(bool3 c, int3 x, int3 y) { return select(c, x, y); }',
    [
      [true, false, true],
      [1, 2, 3],
      [4, 5, 6],
    ],
    [1, 5, 3],
  ],
  [
    'public uint3 f(float4 x) { return uint3(packUnorm4x8(x), packUnorm2x16(x.xy), packHalf2x16(x.xy)); }',
    [[0, 0.5, 1, 2]],
    [0xffff8000, 0x80000000, 0x38000000],
  ],
  [
    'public uint2 f(float4 x) { return uint2(packSnorm4x8(x), packSnorm2x16(x.xy)); }',
    [[-1, 0.5, 1, -2]],
    [0x817f4081, 0x40008001],
  ],
  [
    'public float4 f(uint x) { return unpackUnorm4x8(x) + float4(unpackUnorm2x16(x), 0, 0); }',
    [0xff330000],
    [0, Math.fround(0xff33 / 65535), Math.fround(0.2), 1],
  ],
  ['public float4 f(uint x) { return unpackSnorm4x8(x); }', [0x817f0080], [-1, 0, 1, -1]],
  ['public float2 f(uint x) { return unpackSnorm2x16(x) + unpackHalf2x16(0xc1003c00u); }', [0x7fff8001], [0, -1.5]],
  ['public int f(int x) { return bit_cast<int>(asfloat(x)); }', [0x40490fdb], 0x40490fdb],
  ['public int f(int16_t x) { return bit_cast<int>(x); }', [-2], 0xfffe],
  ['public int16_t f(half x) { return bit_cast<int16_t>(x); }', [-2.5], -0x3f00],
  ['public float f(half x) { return x; }', [0.1], 0.0999755859375],
  [
    'public float2 f(half2 x, half y[2]) { return float2(x.y, y[1]); }',
    [
      [0, 0.1],
      [0, 0.2],
    ],
    [0.0999755859375, 0.199951171875],
  ],
  ['public half f(uint16_t x) { return bit_cast<half>(x); }', [0xc101], -2.501953125],
]

describe('numbers and bits', () => {
  it.each(exact)('%s of %j', (source, args, wanted) => {
    const program = compile(source, { verify: true })
    expect(program.diagnostics.map(d => d.message)).toEqual([])
    for (const got of [evaluate(program.js().code)['f']!(...args), loadSync(program).fn['f']!(...args)]) {
      expect(typeof wanted === 'object' ? Array.from(got as ArrayLike<number>) : got).toEqual(wanted)
    }
  })
})
