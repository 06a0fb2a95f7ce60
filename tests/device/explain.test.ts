import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { loadSync } from '../../src/cpu/index.ts'
import { CompileError, compile, type Explanation } from '../../src/index.ts'
import { closeGpu, runByName } from '../support/gpu.ts'

const explain = (source: string, name: string, maxContext?: number): Explanation => {
  const found = compile(source, { fileName: 'e.slang', ...(maxContext === undefined ? {} : { maxContext }) }).explain(
    name,
  )
  return found[found.length - 1]!
}

const named = (e: Explanation, value: string): Explanation['residuals'][number] => {
  const found = e.residuals.find(r => r.value === value)
  if (found === undefined) throw new Error(`${value} is not among ${e.residuals.map(r => r.value).join(', ')}`)
  return found
}

afterAll(closeGpu)

describe('explain', () => {
  test('says of a loop what is kept, computed again and stored, where, and how much', () => {
    const e = explain(
      `[Differentiable]
float f(float x, float k)
{
    float y = x;
    for (int i = 0; i < 10; i++)
        y = y * sin(k * y);
    return y;
}`,
      'f',
    )
    expect(e).toMatchObject({ name: 'f', file: 'e.slang', line: 2, custom: false, bytes: 40, memory: 40 })
    expect(named(e, 'y')).toMatchObject({ decision: 'stored', line: 5, bytes: 4, trips: 10, stored: 40, used: true })
    expect(named(e, 'k')).toMatchObject({ decision: 'kept', line: 2, stored: 0 })
    const sine = e.residuals.filter(r => r.value === 'sin(k * y)' && r.decision === 'recomputed' && r.used)
    expect(sine.length).toBeGreaterThan(0)
    expect(sine[0]).toMatchObject({ line: 6, trips: 10 })
    expect(sine.some(r => r.change?.attribute === 'PreferCheckpoint' && r.change.bytes >= 40)).toBe(true)
    expect(e.operations).toBe(e.residuals.reduce((sum, r) => sum + r.operations, 0))
  })

  test('says of parts of a parameter that they are where the function is', () => {
    const e = explain(
      `struct Rates : IDifferentiable { float fast[3]; float slow; }
[Differentiable]
float f(Rates r, float x)
{
    for (int i = 0; i < 3; i++)
        x = sin(x * r.fast[i]) * exp(-r.slow * r.fast[i]);
    return x;
}`,
      'f',
    )
    expect(e.residuals.filter(r => r.value.startsWith('r_')).map(r => r.line)).toContain(3)
    expect(e.residuals.filter(r => r.line === 0 || r.file !== 'e.slang')).toEqual([])
  })

  test('stores no counter, not even of a loop that breaks', () => {
    const e = explain(
      `[Differentiable]
float f(float x)
{
    float y = x;
    for (int i = 3; i < 60; i += 2)
    {
        if (y > 4.0)
            break;
        y = y * (1.0 + 0.1 * float(i)) * x;
    }
    return y;
}`,
      'f',
    )
    expect(e.residuals.filter(r => r.decision === 'stored').map(r => r.value)).toEqual(['y'])
  })

  test('stores nothing for straight-line code: it is one function with its reverse', () => {
    expect(explain('[Differentiable] float f(float x) { return sin(x) * exp(x * x) / (1.0 + x); }', 'f').memory).toBe(0)
  })

  test('heeds [PreferRecompute] and [PreferCheckpoint] of differentiable functions, and says what they change', () => {
    const program = (attribute: string): string => `[Differentiable] ${attribute}
float g(float x) { float y = x; for (int i = 0; i < 4; i++) y = y * sin(y); return y; }
[Differentiable]
float f(float x) { float y = x; for (int i = 0; i < 100; i++) y = y * g(y + 0.1); return y; }`
    const slots = (e: Explanation): number =>
      e.residuals.filter(r => r.value === 'context of g').reduce((sum, r) => sum + r.stored, 0)
    const recompute = explain(program('[PreferRecompute]'), 'f'),
      store = explain(program('[PreferCheckpoint]'), 'f')
    expect(slots(recompute)).toBe(0)
    expect(slots(store)).toBeGreaterThanOrEqual(1600)
    expect(store.residuals.find(r => r.value === 'context of g')!.reason).toContain('[PreferCheckpoint]')
    expect(recompute.callees.map(c => c.name)).toEqual(['g'])
  })

  test('finds methods, instances of generic functions, and what an entry point differentiates', () => {
    const source = `interface IShape : IDifferentiable { [Differentiable] float area(float s); }
struct Square : IShape { float k; [Differentiable] float area(float s) { float a = k; for (int i = 0; i < 12; i++) a = a * sin(a + s); return a; } }
[Differentiable] float twice<S : IShape>(S shape, float x) { return shape.area(x) * x; }
RWStructuredBuffer<float> data;
[shader("compute")] [numthreads(1, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    Square s; s.k = data[0];
    var p = diffPair(s, { 0.0 });
    var x = diffPair(data[1]);
    bwd_diff(twice<Square>)(p, x, 1.0);
    data[2] = x.d;
}`
    expect(explain(source, 'Square.area').bytes).toBe(48)
    expect(explain(source, 'twice<Square>').name).toContain('twice')
    expect(
      compile(source)
        .explain('main')
        .map(e => e.name),
    ).toEqual(
      compile(source)
        .explain()
        .map(e => e.name),
    )
    expect(() => explain(source, 'thrice')).toThrow(CompileError)
  })

  test('says so where the derivative is written by hand', () => {
    const e = explain(
      `[BackwardDerivative(b)] float g(float x) { return x * x; }
void b(inout DifferentialPair<float> x, float d) { x = diffPair(x.p, 2.0 * x.p * d); }
[Differentiable] float f(float x) { return g(x) * 2.0; }`,
      'f',
    )
    expect(e.callees).toMatchObject([{ name: 'g', custom: true, memory: 0 }])
  })
})

const spring = readFileSync(join(import.meta.dirname, '../../examples/spring/spring.slang'), 'utf8')

describe('--max-context', () => {
  const programs: Readonly<
    Record<string, { readonly source: string; readonly args: readonly unknown[]; readonly budgets: readonly number[] }>
  > = {
    'a long loop': { source: spring, args: [[0.3, 0.4], [1, 1], 8], budgets: [2000, 400, 200, 100, 48] },
    'a loop in a loop': {
      source: `[Differentiable] public float loss(float x)
{
    float y = x;
    for (int i = 0; i < 12; i++)
    {
        float z = y;
        for (int j = 0; j < 9; j++)
            z = z * 0.9 + 0.2 * sin(z * x);
        y = y + 0.1 * z * z;
    }
    return y;
}`,
      args: [0.7],
      budgets: [300, 100, 60],
    },
    'a loop with a way out': {
      source: `[Differentiable] public float loss(float x)
{
    float y = x;
    [MaxIters(200)]
    for (int i = 0; i < 200; i++)
    {
        y = y * 1.01 + 0.01 * cos(y);
        if (y > 2.0 + 0.1 * x)
            break;
    }
    return y * x;
}`,
      args: [0.7],
      budgets: [500, 100, 40],
    },
    'calls in a loop': {
      source: `[Differentiable] float g(float x, float y) { return exp(-x * x) * sin(y) + sqrt(x * x + y * y + 1.0) * cos(x * y) + pow(abs(x) + 1.0, 1.5) * tanh(y); }
[Differentiable] float h(float x, float y) { return g(g(x, y), g(y, x)) + g(x * y, x - y) * 0.1; }
[Differentiable] public float loss(float x) { float y = x; for (int i = 0; i < 30; i++) y = 0.5 * y + 0.1 * h(y, x); return y; }`,
      args: [0.7],
      budgets: [400, 120, 60],
    },
    'straight-line code': {
      source: '[Differentiable] public float loss(float x) { return sin(x) * exp(x * x) / (1.0 + x); }',
      args: [0.7],
      budgets: [0],
    },
  }

  test.each(Object.keys(programs))('%s keeps within it, with the same gradient', name => {
    const { source, args, budgets } = programs[name]!
    const gradient = (maxContext?: number): number[] => {
      const { grad } = loadSync(compile(source, maxContext === undefined ? {} : { maxContext })).fn[
        'loss'
      ]!.valueAndGrad(...args)
      return [grad[0]].flat() as number[]
    }
    const wanted = gradient()
    for (const budget of budgets) {
      expect(explain(source, 'loss', budget).memory, `within ${budget}`).toBeLessThanOrEqual(budget)
      gradient(budget).forEach((g, i) => expect(g).toBeCloseTo(wanted[i]!, 4))
    }
  })

  test('says what is in the way, where, and how much it takes', () => {
    let error: unknown
    try {
      compile(spring, { fileName: 'spring.slang', maxContext: 16 }).explain('loss')
    } catch (e) {
      error = e
    }
    const [d] = (error as CompileError).diagnostics
    expect(d).toMatchObject({ code: 'E36005' })
    expect(d!.message).toMatch(/loss keeps \d+ bytes, and 16 are allowed/)
    expect(d!.notes.some(n => /^s_position: \d+ bytes/.test(n.text))).toBe(true)
  })

  test('a long loop with few states gives the same gradient on a GPU', async () => {
    const source = `${programs['a loop with a way out']!.source}
RWStructuredBuffer<float> data;
[shader("compute")] [numthreads(1, 1, 1)]
void main() { var p = diffPair(data[0]); bwd_diff(loss)(p, 1.0); data[1] = p.d; }`
    const gradients: number[] = []
    for (const maxContext of [undefined, 400, 100]) {
      const { code, reflection } = compile(source, { maxContext }).wgsl()
      const out = await runByName(
        code,
        'main',
        reflection.bindings,
        { data: new Uint8Array(new Float32Array([0.7, 0]).buffer) },
        [1, 1, 1],
      )
      gradients.push(new Float32Array(out['data']!.slice().buffer)[1]!)
    }
    expect(gradients[0]).not.toBe(0)
    for (const g of gradients) expect(g).toBeCloseTo(gradients[0]!, 3)
  })
})

describe('long loops on a GPU', () => {
  test('keep about the square root of the states', () => {
    const loop = (n: number): string =>
      `[Differentiable] float f(float x) { float y = x; for (int i = 0; i < ${n}; i++) y = y * sin(y); return y; }`
    expect(explain(loop(100), 'f').memory).toBe(400)
    expect(explain(loop(10000), 'f').memory).toBeLessThanOrEqual(1000)
  })
})
