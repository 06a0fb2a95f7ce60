import { afterAll, describe, expect, it } from 'vitest'
import { compile } from '../../src/index.ts'
import { closeGpu } from '../support/gpu.ts'
import { runEverywhere, targetsOf } from '../support/three-targets.ts'

afterAll(closeGpu)

/** A kernel of one thread for each of these trips; `call` sets `result` from `x`, `n` and the number of a thread, `id`. */
const trips = [
  0, 1, 2, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 95, 96, 97, 128, 130, 255, 256, 257, 288, 300, 511, 513, 600, 767,
  1000, 1025, 1300, 2100,
]

function kernel(functions: string, call: string): string {
  return `[Differentiable] float bow(float y) { return y - 0.15 * y * y * y; }
[Differentiable] float3 bow(float3 y) { return y - 0.15 * y * y * y; }
${functions}
RWStructuredBuffer<float> values;
static const int trips[${trips.length}] = { ${trips.join(', ')} };
[shader("compute")] [numthreads(${trips.length}, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    float x = values[id.x];
    int n = trips[id.x];
    float result = 0.0;
    ${call}
    values[id.x] = result;
}`
}

async function agree(functions: string, call: string): Promise<void> {
  const values = new Uint8Array(Float32Array.from(trips, (_, i) => 0.3 + 0.4 * ((i * 0.618) % 1)).buffer)
  await runEverywhere(
    await targetsOf(compile(kernel(functions, call), { verify: true })),
    'main',
    [1, 1, 1],
    { values },
    {},
    'largest',
  )
}

const reverse = 'var p = diffPair(x); bwd_diff(f)(p, n, 1.0); result = p.d;'

/** Elements of all arrays of a WGSL text that are not in buffers. */
function slots(wgsl: string): number {
  return [...wgsl.matchAll(/var(?:<private>)? \w+: ((?:array<)+[^;=]*);/g)].reduce(
    (sum, [, type]) => sum + [...type!.matchAll(/, (\d+)>/g)].reduce((n, [, of]) => n * Number(of), 1),
    0,
  )
}

// Pendulums, which never settle: a state in the wrong place shows. Devices are free in how exactly they compute sines.
const march = (bound: number): string => `[Differentiable] float f(float x, no_diff int n)
{
    float y = 0.5 + x, v = 0.0;
    [MaxIters(${bound})]
    for (int i = 0; i < n; i++) { v -= 0.06 * bow(y); y += 0.06 * v; }
    return y;
}`

const nested = (bound: number): string => `[Differentiable] float f(float x, no_diff int n)
{
    float y = 0.5 + x, v = 0.0, s = 0.0;
    [MaxIters(${bound})]
    for (int i = 0; i < n; i++)
    {
        [MaxIters(${bound})]
        for (int j = 0; j < i * 7 % 80; j++) { v -= 0.005 * bow(y); y += 0.005 * v; if (y < -0.9 && j > 40) break; }
        s += y * 0.01;
        if (s > 90.0) break;
    }
    return s + v;
}`

/** A loop that reads an array of so many numbers. */
const reads = (bound: number, length: number): string => `[Differentiable] float f(float x, no_diff int n)
{
    float w[${length}];
    for (int j = 0; j < ${length}; j++) w[j] = x + 0.1 * float(j % 4);
    float y = 0.5 + x, v = 0.0;
    [MaxIters(${bound})]
    for (int i = 0; i < n; i++) { v -= 0.06 * w[i % ${length}] * bow(y); y += 0.06 * v; }
    return y;
}`

describe('loops of which only a bound is known', () => {
  it.each([
    ['one state', march(1 << 20)],
    ['loops in loops', nested(3000)],
    [
      'a way out, a state that is only summed, and steps in both directions',
      `[Differentiable] float f(float x, no_diff int n)
{
    float3 p = float3(x, 0.2, 0.5), v = float3(0.0, 0.3, 0.1);
    float sum = 0.0, sumOfSums = 0.0;
    uint down = 15000;
    [MaxIters(4000)]
    for (int i = 3; i < 8000; i += 2)
    {
        if (i >= 2 * n + 3) break;
        sumOfSums += sum * 0.001;
        sum += v.y * 0.01;
        v -= 0.05 * bow(p * (0.6 + float(down) * 0.00002 + float(i) * 0.00003));
        p += 0.05 * v;
        down -= 3;
    }
    return v.z + p.x + p.y + sum + sumOfSums;
}`,
    ],
    [
      'two that change places',
      `[Differentiable] float f(float x, no_diff int n)
{
    float a = x, b = 0.5, c = 0.1, d = 0.0;
    [MaxIters(2500)]
    for (int i = 0; i < n; i++) { float t = a; a = b; b = t; t = c; c = d; d = t; if (i % 2 == 0) { d -= 0.05 * bow(a); a += 0.05 * d; } }
    return a * 2.0 + b + c + d;
}`,
    ],
    [
      'a test at the end, and a branch',
      `[Differentiable] float f(float x, no_diff int n)
{
    float y = x, v = 0.0;
    int i = 0;
    if (n > 3)
    {
        [MaxIters(2200)]
        do { v -= y > 0.0 ? 0.04 * bow(y) : 0.05 * y; y += 0.05 * v; i++; } while (i < n);
    }
    return y * y + v;
}`,
    ],
    [
      'arrays that are read, and that are written',
      `[Differentiable] float f(float x, no_diff int n)
{
    float w[3] = { x, 0.4, 0.7 };
    float r[2] = { x * x * 0.05, 0.04 };
    float v = 0.0;
    [MaxIters(30000)]
    for (int i = 0; i < n; i++) { v = v * 0.999 - r[i % 2] * bow(w[i % 3]); w[(i + 1) % 3] += 0.05 * v; }
    return v + w[1] + w[2];
}`,
    ],
    ['a small array', reads(2200, 4)],
    ['a larger array', reads(2200, 40)],
    [
      'calls, and a derivative of the user',
      `[BackwardDerivative(d_bend)] float bend(float y, float x) { return 0.05 * x * y * y; }
void d_bend(inout DifferentialPair<float> y, inout DifferentialPair<float> x, float d) { float p = y.p; y = diffPair(p, d * 0.1 * x.p * p); x = diffPair(x.p, d * 0.05 * p * p); }
[Differentiable] float g(float x, no_diff int n) { float y = x, v = 0.0; [MaxIters(1000)] while (y > -9.0) { v -= bend(y, x) * (y > 0.0 ? 1.0 : -1.0); y += 0.05 * v; if (--n <= 0) break; } return y; }
[Differentiable] float f(float x, no_diff int n) { float s = 0.0; for (int k = 0; k < 6; k++) s += g(x + 0.1 * float(k), n % 150 + k); return s; }`,
    ],
  ])('%s: all targets agree for any number of trips', (_, functions) => agree(functions, reverse))

  it.each([
    [
      'reverse of reverse',
      '[Differentiable] float g(float x, no_diff int n) { var p = diffPair(x); bwd_diff(f)(p, n, 1.0); return p.d * p.d; }',
      'n /= 8; var p = diffPair(x); bwd_diff(g)(p, n, 1.0); var q = diffPair(x); bwd_diff(f)(q, n, 1.0); result = p.d + q.d;',
    ],
    [
      'forward of reverse',
      '[Differentiable] float g(float x, no_diff int n) { var p = diffPair(x); bwd_diff(f)(p, n, 1.0); return p.d * p.d; }',
      'var q = diffPair(x); bwd_diff(f)(q, n, 1.0); result = q.d + fwd_diff(g)(diffPair(x, 1.0), n).d;',
    ],
    [
      'reverse of forward',
      '[Differentiable] float g(float x, no_diff int n) { return fwd_diff(f)(diffPair(x, 1.0), n).d; }',
      'var p = diffPair(x); bwd_diff(g)(p, n, 1.0); result = p.d;',
    ],
  ])('%s: all targets agree', (_, functions, call) => agree(`${march(2500)}\n${functions}`, call))

  it('take no more slots for a larger bound than its logarithm', () => {
    for (const make of [march, nested]) {
      const of = (bound: number): number => slots(compile(kernel(make(bound), reverse)).wgsl().code)
      expect(of(1000)).toBeLessThan(200)
      expect(of(100_000)).toBeLessThan(of(1000) + 80)
      expect(of(1 << 24)).toBeLessThan(of(1000) + 160)
    }
  })

  it('hand arrays from trip to trip where that costs less than slots', () => {
    const of = (bound: number, length: number): number =>
      slots(compile(kernel(reads(bound, length), reverse)).wgsl().code)
    expect(of(1000, 4)).toBeLessThan(200)
    expect(of(1000, 64)).toBeGreaterThanOrEqual(1000)
    expect(of(100_000, 64)).toBeLessThan(500)
  })

  it('take the memory that is told of them, or less where it must be less', () => {
    const memory = (maxContext?: number): number =>
      compile(kernel(march(1024), reverse), { maxContext }).explain('f')[0]!.memory
    expect(memory()).toBe(8 * (32 + 11))
    expect(memory(1000)).toBe(memory())
    expect(memory(200)).toBeLessThanOrEqual(200)
  })

  it('run nothing again that fits a window', () => {
    const wgsl = compile(kernel(march(1000), reverse)).wgsl().code
    expect(wgsl).toContain('array<f32, 32>')
    expect(compile(kernel(march(60), reverse)).wgsl().code).toContain('array<f32, 60>')
  })
})
