import { describe, expect, test } from 'vitest'
import { checkDerivatives, type CheckOutcome } from '../../src/cpu/index.ts'
import { compile } from '../../src/index.ts'

async function outcomes(
  source: string,
  { debug = false, ...more }: { samples?: number; traceNan?: boolean; debug?: boolean } = {},
): Promise<Readonly<Record<string, CheckOutcome>>> {
  const { functions } = await checkDerivatives(compile(source, { fileName: 'c.slang', debug }), {
    seed: 3,
    samples: 8,
    ...more,
  })
  return Object.fromEntries(functions.map(o => [o.name, o]))
}

const cube = `[Differentiable] [ForwardDerivative(d_cube)]
float cube(float x) { return x * x * x; }
[Differentiable]
DifferentialPair<float> d_cube(DifferentialPair<float> x) { return diffPair(x.p * x.p * x.p, 2.0 * x.p * x.p * x.d); }
`
const square = `[BackwardDerivative(b_square)]
float square(float x) { return x * x; }
void b_square(inout DifferentialPair<float> x, float d) { x = diffPair(x.p, 3.0 * x.p * d); }
`

describe('values of derivatives', () => {
  test('the value that a forward derivative with derivatives of its own gives is what goes on', async () => {
    // f' is taken where the rule says 2 x², not where f says x²: sin(x²) has no part in it.
    const { top } = await outcomes(`[ForwardDerivative(fF)] float f(float x) { return x * x; }
[Differentiable] [ForwardDerivative(fFF)] DifferentialPair<float> fF(DifferentialPair<float> x) { return diffPair(2.0 * x.p * x.p, 4.0 * x.p * x.d); }
DifferentialPair<DifferentialPair<float>> fFF(DifferentialPair<DifferentialPair<float>> w) { return diffPair(fF(w.p), diffPair(4.0 * w.p.p * w.d.p, 4.0 * w.d.p * w.p.d + 4.0 * w.p.p * w.d.d)); }
[Differentiable] float h(float x) { return sin(f(x)) * f(x); }
[Differentiable] float top(float x) { var p = diffPair(x); bwd_diff(h)(p, 1.0); return p.d; }`)
    expect(top!.status).toBe('ok')
  })
})

describe('derivatives that are wrong', () => {
  test('a forward derivative is named with its line, and the parameter along which it differs', async () => {
    const { viaCube } = await outcomes(
      `${cube}[Differentiable] float viaCube(float x, float y) { return y * cube(x + 1.0); }`,
    )
    expect(viaCube).toMatchObject({
      status: 'failed',
      disagreement: { parameter: 'x', mode: 'forward', blame: { name: 'cube', derivative: 'd_cube', line: 4 } },
    })
  })

  test('a reverse derivative likewise, through loops and methods', async () => {
    const { 'Lens.pass': pass, square: own } = await outcomes(`${square}struct Lens : IDifferentiable
{
    float f;
    [Differentiable] float pass(float x) { float y = 0.0; for (int i = 0; i < 3; i++) y = y + square(x) * f; return y; }
}`)
    expect(pass).toMatchObject({
      status: 'failed',
      disagreement: { mode: 'reverse', blame: { name: 'square', derivative: 'b_square', line: 3 } },
    })
    expect(own).toMatchObject({ status: 'failed', disagreement: { parameter: 'x', blame: { derivative: 'b_square' } } })
  })

  test('is found where it is only wrong for the arguments of one call', async () => {
    const { f } = await outcomes(`[BackwardDerivative(b)] float g(float x) { return x * x; }
void b(inout DifferentialPair<float> x, float d) { x = diffPair(x.p, x.p > 100.0 ? 0.0 : 2.0 * x.p * d); }
[Differentiable] float f(float x) { return g(x) + g(x + 200.0); }`)
    expect(f!.disagreement?.blame).toMatchObject({ derivative: 'b', line: 2 })
  })

  test('one that reads a buffer is checked with contents', async () => {
    const { useRead } = await outcomes(`RWStructuredBuffer<float> data;
[BackwardDerivative(b_read)] float read(float x, int i) { return x * data[i]; }
void b_read(inout DifferentialPair<float> x, int i, float d) { x = diffPair(x.p, data[i] * d * 2.0); }
[Differentiable] float useRead(float x, int i) { return read(x * x, i); }`)
    expect(useRead).toMatchObject({ status: 'failed', disagreement: { blame: { derivative: 'b_read', line: 3 } } })
  })
})

describe('derivatives that are right', () => {
  test('agree, whatever the function takes and gives', async () => {
    const all = await outcomes(`
[BackwardDerivative(b_only)] float only(float x) { return x * x * x; }
void b_only(inout DifferentialPair<float> x, float d) { x = diffPair(x.p, 3.0 * x.p * x.p * d); }
[Differentiable] void inOut(inout float a, in float b, out float c, int n) { c = a * b; for (int i = 0; i < n; i++) a = a * b + sin(a); }
struct V : IDifferentiable { float x; float3 y; int k; [Differentiable] [mutating] void grow(float s) { x = x * s; y = y * x; } }
[Differentiable] float arrays(float a[4]) { float s = 0; for (int k = 0; k < 4; k++) s += a[k] * a[(k + 1) & 3]; return s; }
[Differentiable] float2x2 matrices(float2x2 a, float2x2 b) { return mul(a, b); }
interface IShape : IDifferentiable { [Differentiable] float area(float s); }
struct Square : IShape { float k; [Differentiable] float area(float s) { return s * s * k; } }
struct Circle : IShape { float r; [Differentiable] float area(float s) { return s * r * r; } }
[Differentiable] float dynamic(int id, float x) { IShape s; if (id == 0) { Square q; q.k = x; s = q; } else { Circle c; c.r = x; s = c; } return s.area(x); }
[Differentiable] float generic<T : IShape>(T t, float x) { return t.area(x) * x; }
[Differentiable] float useGeneric(float x) { Square q; q.k = x; return generic(q, x); }`)
    expect(
      Object.entries(all)
        .filter(([, o]) => o.status !== 'ok')
        .map(([name, o]) => `${name}: ${o.detail}`),
    ).toEqual([])
    expect(
      Object.entries(all)
        .filter(([, o]) => o.compared === 0)
        .map(([name]) => name),
      'nothing was compared',
    ).toEqual([])
    expect(Object.keys(all)).toEqual(
      expect.arrayContaining(['only', 'V.grow', 'Circle.area', 'generic<Square>', 'dynamic']),
    )
  })

  test('agree where no_diff, detach, substitutes and [TreatAsDifferentiable] hold something constant', async () => {
    const all = await outcomes(`float steps(float x) { return x * x; }
[Differentiable] float ignores(float x, float y) { return x * y + no_diff(steps(x)); }
[Differentiable] float detached(float x, float y) { return detach(x * x) * y + x; }
[TreatAsDifferentiable] float treated(float x) { return x * x; }
[Differentiable] float useTreated(float x, float y) { return treated(x) * y; }
[Differentiable] float smooth(float x) { return x; }
[PrimalSubstitute(smooth)] float stepped(float x) { return floor(x * 8.0) / 8.0; }
[Differentiable] float useStepped(float x) { return stepped(x) * x; }
float behind(float x) { return stepped(x) * 10; }
[Differentiable] float useBehind(float x) { return no_diff behind(x) * x; }
float slope(float x) { return fwd_diff(useStepped)(diffPair(x, 1.0)).d; }
[Differentiable] float useSlope(float x) { return no_diff slope(x) * x; }`)
    expect(Object.keys(all).sort()).toEqual([
      'detached',
      'ignores',
      'smooth',
      'stepped',
      'treated',
      'useBehind',
      'useSlope',
      'useStepped',
      'useTreated',
    ])
    for (const o of Object.values(all)) {
      expect(o, o.name).toMatchObject({ status: 'ok', disagreement: null })
      expect(o.compared + o.held, o.name).toBeGreaterThan(0)
    }
    expect(all['detached']!.held).toBeGreaterThan(0)
  })

  test('are not looked for at kinks, where nothing is finite, or where a call does not end', async () => {
    const all = await outcomes(
      `[Differentiable] float kinks(float x) { float s = 0.0; for (int i = -20; i < 20; i++) s += abs(x - float(i) * 0.1) * 100000.0; return s; }
[Differentiable] float roots(float x) { return sqrt(x) + x; }
[Differentiable] float endless(float x) { float y = x; while (y < 10.0) y = y * 1.5 + 0.1; return y; }`,
      { traceNan: true },
    )
    expect(all['kinks']!.status).toBe('ok')
    expect(all['roots']).toMatchObject({ status: 'ok', nonFinite: { operation: 'sqrt', line: 2, in: 'primal' } })
    expect(all['roots']!.notFinite).toBeGreaterThan(0)
    expect(all['endless']!.stopped).toBeGreaterThan(0)
    expect(all['endless']!.disagreement).toBeNull()
  })
})

test('inputs for which a loop makes more trips than it promised are left out and named', async () => {
  const { promised } = await outcomes(
    `[Differentiable]
float promised(float x, float t) { [MaxIters(3)] do { x = x * x * 0.5; t -= 0.3; } while (t > 0.0); return x; }`,
    { debug: true, samples: 40 },
  )
  expect(promised).toMatchObject({
    status: 'ok',
    disagreement: null,
    detail: 'c.slang:2:36: this loop makes more trips than its [MaxIters(3)] allows',
  })
  expect(promised!.stopped).toBeGreaterThan(3)
  expect(promised!.compared + promised!.kinks + promised!.stopped).toBe(40)
})

test('the same seed gives the same inputs, whatever stands beside a function', async () => {
  const alone = await outcomes(cube)
  const beside = await outcomes(`${square}${cube}`)
  expect(alone['cube']!.disagreement?.inputs).toEqual(beside['cube']!.disagreement?.inputs)
})

describe('what first is not finite', () => {
  const trace = (
    source: string,
    args: readonly unknown[],
    gradient = true,
  ): ReturnType<ReturnType<typeof compile>['traceNonFinite']> =>
    compile(source, { fileName: 't.slang' }).traceNonFinite('f', args, { gradient })

  test('is named in the function itself, with its operands', () => {
    const found = trace(
      '[Differentiable] float f(float x, float y)\n{\n    float d = x - y;\n    return 1.0 / d + log(x);\n}',
      [2, 2],
    )
    expect(found).toMatchObject({
      in: 'primal',
      operation: 'div',
      line: 4,
      value: Infinity,
      text: '1.0 / d',
      operands: [{ value: 1 }, { name: 'd', value: 0 }],
    })
  })

  test('is named in the derivative, where only that makes it', () => {
    const source =
      '[Differentiable] float f(float x)\n{\n    float r = x * x;\n    return pow(r, 0.5) * rsqrt(r + 1.0) + asin(x);\n}'
    expect(trace(source, [1], false)).toBeNull()
    expect(trace(source, [1])).toMatchObject({ in: 'derivative', file: 't.slang', line: 4 })
  })

  test('is named in what is called, and nothing is where all is finite', () => {
    const source =
      'struct S { float k; }\n[Differentiable] float g(float3 v)\n{\n    return 1.0 / dot(v, v);\n}\n[Differentiable] float f(float3 v) { return g(v) * 2.0; }'
    expect(trace(source, [[0, 0, 0]])).toMatchObject({ in: 'primal', line: 4 })
    expect(trace(source, [[1, 2, 3]])).toBeNull()
  })
})

describe('derivatives of derivatives', () => {
  const held = `[Differentiable] float f0(no_diff float k, float x) { return k * x * x; }
[Differentiable] float f4(float x) { return f0(x * x, x); }
[Differentiable] public float F(float a) { return fwd_diff(f4)(diffPair(a, 1.0)).d; }
[Differentiable] public float B(float a) { var p = diffPair(a); bwd_diff(f4)(p, 1.0); return p.d; }
`

  test('are right where what no_diff holds is held, one call deep too', async () => {
    const all = await outcomes(held)
    for (const name of ['f0', 'f4', 'F', 'B'])
      expect(all[name], name).toMatchObject({ status: 'ok', disagreement: null })
    expect(all['F']!.held).toBe(8)
  })

  test('are compared with what the program says, whatever is compiled from it', () => {
    const program = compile(held)
    // F = 2 K a and B the same, with K = a² held: the slope is 2 a².
    for (const name of ['F', 'B']) expect(program.reference(name).slope([0.7], [1], { '': 1 })).toBeCloseTo(0.98, 6)
    expect(program.reference('f4').slope([0.7], [1], { '': 1 })).toBeCloseTo(2 * 0.7 ** 3, 6)
  })

  test('are those that the user gives, and held through dispatch, results, objects and branches', () => {
    const program =
      compile(`interface I : IDifferentiable { [Differentiable] [NoDiffThis] float f(float x); [Differentiable] no_diff float g(float x, out float y); }
struct A : I { float k; [Differentiable] [NoDiffThis] float f(float x) { return k * x * x; } [Differentiable] no_diff float g(float x, out float y) { y = sin(x); return x * x; } }
struct C : I { float2 k; [Differentiable] [NoDiffThis] float f(float x) { return k.y * x; } [Differentiable] no_diff float g(float x, out float y) { y = x; return x; } }
[Differentiable] float both(I i, float x) { float y; float r = i.g(x, y); return r * y + i.f(x); }
[Differentiable] float f(float x, bool other) { A a = { x * x }; I i = a; C c = { float2(x, x) }; if (other) i = c; return both(i, x); }
[Differentiable] float first(float x, bool other) { return fwd_diff(f)(diffPair(x, 1.0), other).d; }
[BackwardDerivative(b)] float g(float x) { return x * x; }
[Differentiable] void b(inout DifferentialPair<float> x, float r) { x = diffPair(x.p, 5 * x.p * x.p * r); }
[Differentiable] float sumOf(float x) { return g(x) * x; }
[Differentiable] float own(float x) { var p = diffPair(x); bwd_diff(sumOf)(p, 1.0); return p.d; }
`)
    const first = program.reference('first')
    // K sin x + K x² with K = x² held: K cos x + 2 K x, then −K sin x + 2 K.
    expect(first.slope([0.7, false], [1, undefined], { '': 1 })).toBeCloseTo(0.49 * (2 - Math.sin(0.7)), 6)
    // r x + k x with r = k = x held: r + k, then nothing.
    expect(first.slope([0.7, true], [1, undefined], { '': 1 })).toBeCloseTo(0, 6)
    // What the user gives stands for the slope of g: 5 x³ + x², then 15 x² + 2 x.
    expect(program.reference('own').slope([0.7], [1], { '': 1 })).toBeCloseTo(15 * 0.49 + 1.4, 6)
  })

  test('of third order agree too', async () => {
    const all = await outcomes(
      `${held}[Differentiable] float third(float a, float b) { var p = diffPair(a * b); bwd_diff(F)(p, b); return p.d * a; }`,
    )
    expect(all['third']).toMatchObject({ status: 'ok' })
    expect(
      compile(
        `${held}[Differentiable] float third(float a) { var p = diffPair(a); bwd_diff(F)(p, 1.0); return p.d * a; }`,
      )
        .reference('third')
        .slope([0.7], [1], { '': 1 }),
    ).toBeCloseTo(0.98, 6)
  })

  test('say so where differences cannot be taken', () => {
    const endless = compile(
      `${held}[Differentiable] float slow(float a) { float s = 0; for (int i = 0; i < 10000000; i++) s += detach(a) * a; return s; }`,
    )
    expect(endless.reference('slow').slope([0.7], [1], { '': 1 })).toEqual({ why: 'the run takes too many steps' })
    expect(
      compile(`${held}[Differentiable] float edge(float a) { return fwd_diff(f4)(diffPair(abs(a), 1.0)).d + abs(a); }`)
        .reference('edge')
        .slope([0], [1], { '': 1 }),
    ).toBe('kink')
  })
})

describe('options', () => {
  const program = compile('[Differentiable] float f(float x) { return x * x; }')
  test.each([
    { samples: NaN },
    { samples: 0 },
    { samples: -1 },
    { samples: 1.5 },
    { samples: Infinity },
    { samples: '20' },
    { samples: null },
    { seed: NaN },
    { seed: 1.5 },
    { functions: 'f' },
    { functions: [1] },
    { traceNan: 'yes' },
    { progress: 5 },
    { sample: 5 },
  ])('%j are refused', async options => {
    await expect(checkDerivatives(program, options as object)).rejects.toThrow(/expected|takes no option/)
  })
  test('and so is what is no program', async () => {
    for (const given of [null, undefined, {}, { ok: true }])
      await expect(checkDerivatives(given as unknown as typeof program)).rejects.toThrow(
        /^checkDerivatives: expected a program that compile of 'cotangent' made/,
      )
  })
  test('that are not given have defaults', async () => {
    const { ok, functions } = await checkDerivatives(program, {
      samples: undefined,
      seed: undefined,
      functions: undefined,
    })
    expect([ok, functions.map(f => f.compared + f.kinks)]).toEqual([true, [20]])
  })
  test('do not make a check ok that compares nothing', async () => {
    expect((await checkDerivatives(program, { functions: [] })).ok).toBe(false)
    expect((await checkDerivatives(compile('float f(float x) { return x; }'))).ok).toBe(false)
    const notFinite = await checkDerivatives(compile('[Differentiable] float f(float x) { return log(-x * x - 1.0); }'))
    expect([notFinite.ok, notFinite.functions.map(f => f.status)]).toEqual([false, ['skipped']])
  })
})
