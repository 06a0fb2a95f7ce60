/** Training sessions on the CPU: what can be trained, steps, reset, seeds, other backends, and what stops them. */
import { compile, type Program } from 'cotangent'
import { describe, expect, test } from 'vitest'
import { defaultPlan, PlanError, Session, trainables, type Plan } from '../playground/train/index.ts'

const cpu = { backend: 'cpu' } as const

const compiled = (text: string): Program => {
  const program = compile(text)
  expect(program.diagnostics.filter(d => d.severity === 'error').map(d => d.message)).toEqual([])
  return program
}

const valley = `
[Differentiable] public float loss(float x, float2 y, no_diff float goal)
{ return (x - goal) * (x - goal) + dot(y, y); }
public float plain(float x) { return x; }
[Differentiable] public float2 vector(float x) { return float2(x, x); }
[Differentiable] public float counted(int n) { return float(n); }
`
const valleyPlan: Plan = {
  subject: 'loss',
  parameters: ['x', 'y'],
  values: { x: 1, y: [2, -1], goal: 3 },
  optimizer: { kind: 'sgd', rate: 0.25 },
}

const noisy = `
DiffStructuredBuffer<float3> points;
DiffRWStructuredBuffer<float> loss;
StructuredBuffer<int> chosen;
uniform float scale;
RWTexture2D<float4> outputTexture;
[shader("compute")] [numthreads(4, 1, 1)] [Differentiable]
void fit(uint3 id : SV_DispatchThreadID)
{
    float3 p = points[chosen[id.x]] * scale;
    loss.Store(id.x, dot(p, p));
}
[shader("compute")] [numthreads(1, 1, 1)]
void draw(uint3 id : SV_DispatchThreadID) { outputTexture[id.xy] = float4(points[0] * scale, 1.0); }
`
const noisyPlan: Plan = {
  subject: 'fit',
  parameters: ['points'],
  buffers: { points: { count: 3, low: [0, 1, 2], high: [1, 2, 3] }, loss: { count: 4 }, chosen: [0, 1, 1, 2] },
  uniforms: { scale: 0.5 },
  optimizer: { kind: 'adam', rate: 0.1 },
  picture: 'draw',
}

describe('what can be trained', () => {
  test('exported functions that return a differentiable float', () => {
    const found = trainables(compiled(valley))
    expect(found.map(t => [t.kind, t.name, t.picks.map(p => p.name)])).toEqual([['function', 'loss', ['x', 'y']]])
    expect(found[0]!.picks.map(p => p.labels)).toEqual([[''], ['x', 'y']])
  })

  test('kernels that write loss, and what they differentiate', () => {
    const found = trainables(compiled(noisy))
    expect(found.map(t => [t.kind, t.name, t.picks.map(p => p.name)])).toEqual([['kernel', 'fit', ['points']]])
  })

  test('functions of a program that has no WGSL', async () => {
    const endless = `
      DiffStructuredBuffer<float> w; DiffRWStructuredBuffer<float> loss;
      [Differentiable] public float fall(float x) { float y = x; while (y > 1.0) y = 0.25 * y * y; return y * y; }
      [shader("compute")] [numthreads(1, 1, 1)] [Differentiable] void fit() { loss.Store(0, fall(w[0])); }`
    const program = compiled(endless)
    expect(() => program.wgsl({ reverseOf: 'fit' })).toThrow('bound')
    expect(trainables(program).map(t => t.name)).toEqual(['fall'])
    const plan: Plan = { subject: 'fall', parameters: ['x'], values: { x: 3 }, optimizer: { kind: 'sgd', rate: 0.1 } }
    const session = await Session.open(program, plan, cpu)
    // From 3 to 2.25, 1.265625 and 0.40045166015625.
    expect(session.state.loss).toBeCloseTo(0.40045166015625 ** 2, 6)
    expect(session.state.gradients[0]).toBeCloseTo(2 * 0.40045166015625 * 1.5 * 1.125 * 0.6328125, 6)
    await session.close()
  })

  test('structs of floats, by the names of their fields', () => {
    const [found] = trainables(
      compiled(`public struct P : IDifferentiable { public float2 at; public float size[2]; }
        [Differentiable] public float loss(P p) { return p.at.x * p.size[1]; }`),
    )
    expect(found!.picks[0]!.labels).toEqual(['at.x', 'at.y', 'size.0', 'size.1'])
  })

  test('a default plan opens', async () => {
    for (const text of [valley, noisy]) {
      const program = compiled(text)
      const [found] = trainables(program)
      const session = await Session.open(program, defaultPlan(found!), cpu)
      const before = session.state.loss
      expect(Number.isFinite(before)).toBe(true)
      for (let i = 0; i < 10; i++) await session.step()
      expect(session.state.loss).toBeLessThan(before)
      await session.close()
    }
  })
})

describe('a session', () => {
  test('begins with the loss and the gradient, and follows it', async () => {
    const session = await Session.open(compiled(valley), valleyPlan, cpu)
    expect(session.state).toMatchObject({ step: 0, loss: 9, stopped: undefined })
    expect([...session.state.gradients]).toEqual([-4, 4, -2])
    // Half of the way with each step.
    const after = await session.step()
    expect([...after.parameters]).toEqual([2, 1, -0.5])
    expect(after).toMatchObject({ step: 1, loss: 2.25 })
    await session.close()
  })

  test('trains what is picked only', async () => {
    const session = await Session.open(compiled(valley), { ...valleyPlan, parameters: ['y'] }, cpu)
    expect([...(await session.step()).parameters]).toEqual([1, -0.5])
    expect(session.state.loss).toBe(5.25)
    await session.close()
  })

  test('resets to step 0 and the starting loss', async () => {
    const session = await Session.open(compiled(noisy), noisyPlan, cpu)
    const began = session.state
    const first = await session.step()
    for (let i = 0; i < 5; i++) await session.step()
    expect(session.state.step).toBe(6)
    expect(await session.reset()).toEqual({ ...began, stepsPerSecond: 0 })
    const again = await session.step()
    expect(again.parameters).toEqual(first.parameters)
    await session.close()
  })

  test('adds up the losses of all threads', async () => {
    const session = await Session.open(compiled(noisy), noisyPlan, cpu)
    // An element of three floats takes four.
    const [p, q, r] = [0, 4, 8].map(i => [...session.state.parameters.subarray(i, i + 3)])
    const square = (v: readonly number[]): number => v.reduce((sum, x) => sum + 0.25 * x * x, 0)
    expect(session.state.loss).toBeCloseTo(square(p!) + 2 * square(q!) + square(r!), 5)
    expect([...session.state.gradients.subarray(4, 7)]).toEqual(q!.map(x => Math.fround(x)))
    await session.close()
  })

  test('random numbers come from the seed, within their bounds', async () => {
    const begin = async (seed: number): Promise<number[]> => {
      const session = await Session.open(compiled(noisy), { ...noisyPlan, seed }, cpu)
      await session.close()
      return [...session.state.parameters]
    }
    const one = await begin(1)
    expect(await begin(1)).toEqual(one)
    expect(await begin(2)).not.toEqual(one)
    one.forEach((x, i) => expect(i % 4 === 3 ? x === 0 : x >= i % 4 && x <= (i % 4) + 1).toBe(true))
  })

  test('another session goes on from a snapshot', async () => {
    const program = compiled(noisy)
    const whole = await Session.open(program, noisyPlan, cpu)
    for (let i = 0; i < 6; i++) await whole.step()
    const half = await Session.open(program, noisyPlan, cpu)
    for (let i = 0; i < 3; i++) await half.step()
    const rest = await Session.open(program, noisyPlan, cpu, { from: half.snapshot })
    expect(rest.state).toMatchObject({ step: 3, loss: half.state.loss })
    for (let i = 0; i < 3; i++) await rest.step()
    expect(rest.state.parameters).toEqual(whole.state.parameters)
    for (const s of [whole, half, rest]) await s.close()
  })

  test('goes on with numbers that somebody sets', async () => {
    const session = await Session.open(compiled(valley), valleyPlan, cpu)
    expect((await session.set(Float32Array.of(3, 0, 1))).loss).toBe(1)
    await expect(session.set(new Float32Array(2))).rejects.toThrow(RangeError)
    await session.close()
  })

  test('takes another rate, and another optimiser', async () => {
    const session = await Session.open(compiled(valley), { ...valleyPlan, parameters: ['x'] }, cpu)
    session.optimizer = { kind: 'sgd', rate: 0.5 }
    expect((await session.step()).loss).toBe(5)
    await session.reset()
    // The first step of Adam has the length of the rate, also after steps of another kind.
    await session.step()
    await session.set(Float32Array.of(1))
    session.optimizer = { kind: 'adam', rate: 0.25 }
    expect((await session.step()).parameters[0]).toBeCloseTo(1.25, 5)
    await session.close()
  })

  test('counts the steps of the last second', async () => {
    let now = 0
    const session = await Session.open(compiled(valley), valleyPlan, cpu, { now: () => now })
    for (let i = 0; i < 30; i++) {
      now += 100
      await session.step()
    }
    expect(session.state.stepsPerSecond).toBe(10)
    now += 950
    expect(session.state.stepsPerSecond).toBe(1)
    await session.close()
  })

  test('draws the state', async () => {
    const session = await Session.open(compiled(noisy), noisyPlan, cpu)
    const picture = await session.picture([3, 2])
    expect(picture!.size).toEqual([3, 2])
    expect(picture!.data.length).toBe(24)
    const [r] = session.state.parameters
    expect(picture!.data[0]).toBe(Math.round(r! * 0.5 * 255))
    expect(picture!.data[3]).toBe(255)
    await session.close()
  })

  test('a function may read buffers and uniforms', async () => {
    const program = compiled(`
      StructuredBuffer<float2> points;
      uniform float scale;
      [Differentiable] public float loss(float x)
      { float2 p = points[1]; return scale * x * x * p.y; }`)
    const plan: Plan = {
      subject: 'loss',
      parameters: ['x'],
      values: { x: 2 },
      buffers: { points: [1, 2, 3, 4] },
      uniforms: { scale: 10 },
      optimizer: { kind: 'sgd', rate: 0 },
    }
    const session = await Session.open(program, plan, cpu)
    expect(session.state.loss).toBe(160)
    expect([...session.state.gradients]).toEqual([160])
    await session.close()
  })

  test('tensors are trained too', async () => {
    const program = compiled(`
      DiffTensorView weights;
      DiffTensorView loss;
      [shader("compute")] [numthreads(2, 1, 1)] [Differentiable]
      void fit(uint3 id : SV_DispatchThreadID) { float w = weights[id.x, 1]; loss[id.x] = w * w; }`)
    const plan: Plan = {
      subject: 'fit',
      parameters: ['weights'],
      buffers: { weights: { count: 4, low: 3, shape: [2, 2] }, loss: { count: 2 } },
      optimizer: { kind: 'sgd', rate: 0.5 },
    }
    const session = await Session.open(program, plan, cpu)
    expect(session.state.loss).toBe(18)
    expect([...session.state.gradients]).toEqual([0, 6, 0, 6])
    expect((await session.step()).loss).toBe(0)
    await session.close()
  })

  test('a shape has as many elements as its buffer', async () => {
    const program = compiled(`
      DiffTensorView weights;
      DiffTensorView loss;
      [shader("compute")] [numthreads(1, 1, 1)] [Differentiable]
      void fit(uint3 id : SV_DispatchThreadID) { loss[id.x] = weights[id.x, 1]; }`)
    const plan: Plan = {
      subject: 'fit',
      parameters: ['weights'],
      buffers: { weights: { count: 4, shape: [1000, 1000] }, loss: { count: 1 } },
      optimizer: { kind: 'sgd', rate: 0.5 },
    }
    const opened = Session.open(program, plan, cpu)
    await expect(opened).rejects.toThrow(PlanError)
    await expect(opened).rejects.toThrow('buffers.weights has 4 elements, and its shape 1000 × 1000')
  })

  test('a kernel may call bwd_diff itself', async () => {
    const program = compiled(`
      DiffStructuredBuffer<float> weights;
      RWStructuredBuffer<float> loss;
      [Differentiable] float square(uint i) { return weights[i] * weights[i]; }
      [shader("compute")] [numthreads(2, 1, 1)]
      void fit(uint3 id : SV_DispatchThreadID) { loss[id.x] = square(id.x); bwd_diff(square)(id.x, 1.0); }`)
    const plan: Plan = {
      subject: 'fit',
      parameters: ['weights'],
      buffers: { weights: [3, 4], loss: { count: 2 } },
      optimizer: { kind: 'sgd', rate: 0.5 },
    }
    const session = await Session.open(program, plan, cpu)
    expect(session.state.loss).toBe(25)
    expect([...session.state.gradients]).toEqual([6, 8])
    await session.close()
  })
})

describe('what stops it', () => {
  const optimizer = { kind: 'sgd', rate: 1 } as const

  test('a NaN in a function: the instruction is named', async () => {
    const program = compiled('[Differentiable] public float loss(float x)\n{ return sqrt(x) * 4.0; }\n')
    const session = await Session.open(
      program,
      { subject: 'loss', parameters: ['x'], values: { x: 1 }, optimizer },
      cpu,
    )
    // The gradient is 2: the next x is −1.
    const { stopped, step } = await session.step()
    expect(step).toBe(1)
    expect(stopped).toMatchObject({ file: 'main.slang', line: 2 })
    expect(stopped!.message).toContain('sqrt makes NaN: sqrt(x), of x = -1')
    // It stays as it is until somebody resets it.
    expect((await session.step()).step).toBe(1)
    expect((await session.reset()).stopped).toBeUndefined()
    await session.close()
  })

  test('an infinity that only the derivative makes', async () => {
    const program = compiled('[Differentiable] public float loss(float x)\n{ return 1.0 / x; }\n')
    const session = await Session.open(
      program,
      { subject: 'loss', parameters: ['x'], values: { x: 1e-25 }, optimizer },
      cpu,
    )
    expect(session.state.stopped).toMatchObject({ line: 2 })
    expect(session.state.stopped!.message).toContain('A gradient is not finite at step 0')
    await session.close()
  })

  test('a NaN in one thread of a kernel', async () => {
    const program = compiled(`DiffStructuredBuffer<float> weights; DiffRWStructuredBuffer<float> loss;
[shader("compute")] [numthreads(4, 1, 1)] [Differentiable]
void fit(uint3 id : SV_DispatchThreadID)
{
    float w = weights[id.x];
    loss.Store(id.x, log(w));
}`)
    const plan: Plan = {
      subject: 'fit',
      parameters: ['weights'],
      buffers: { weights: [1, 2, -3, 4], loss: { count: 4 } },
      optimizer,
    }
    const session = await Session.open(program, plan, cpu)
    expect(session.state.stopped).toMatchObject({ file: 'main.slang', line: 6 })
    expect(session.state.stopped!.message).toContain('log makes NaN: log(w), of w = -3')
    await session.close()
  })

  test('a picture that no kernel draws', async () => {
    const session = await Session.open(compiled(valley), { ...valleyPlan, picture: 'draw' }, cpu)
    await expect(session.picture([4, 4])).rejects.toThrow('the program has no compute kernel draw')
    await session.close()
  })

  test.each<[string, Partial<Plan>, string]>([
    ['an unknown function', { subject: 'lost' }, 'lost cannot be trained; these can be: loss'],
    ['a parameter without a gradient', { parameters: ['goal'] }, 'goal of loss has no gradient; these have one: x, y'],
    ['nothing to train', { parameters: [] }, 'Nothing is picked'],
    ['an unknown buffer', { buffers: { points: [1] } }, 'The program has no buffer points'],
    ['an object for a number', { values: { x: { a: 1 }, y: 1 } }, 'values.x does not fit x of loss'],
    ['a number that no float holds', { values: { x: 1e300, y: 1 } }, 'values.x does not fit x of loss'],
  ])('%s is a mistake of the plan', async (_, change, message) => {
    const opened = Session.open(compiled(valley), { ...valleyPlan, ...change }, cpu)
    await expect(opened).rejects.toThrow(PlanError)
    await expect(opened).rejects.toThrow(message)
  })
})
