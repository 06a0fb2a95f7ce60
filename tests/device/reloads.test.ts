/** The reverse pass reads memory again that nothing writes while the derivative runs, and keeps what it read of other memory. */
import { beforeAll, describe, expect, test } from 'vitest'
import { loadSync } from '../../src/cpu/index.ts'
import { compile } from '../../src/index.ts'
import { reloadProgram } from '../support/reload-program.ts'
import { runScript } from '../support/script.ts'

type Gradients = Readonly<Record<string, readonly number[]>>

let said: Record<string, { readonly cpu: Gradients; readonly gpu: Gradients; readonly differences: Gradients }>
beforeAll(async () => {
  said = (await runScript('reload-script.ts')) as typeof said
}, 120_000)

/** How far apart numbers are, as a part of the larger one, or of one. */
function apart(a: readonly number[], b: readonly number[]): number {
  expect(a.length).toBe(b.length)
  return Math.max(...a.map((x, i) => Math.abs(x - b[i]!) / Math.max(1, Math.abs(x), Math.abs(b[i]!))))
}

describe('gradients of what is read in loops without a bound', () => {
  test.each(['nested', 'structs', 'ownStructs', 'buffers', 'counted', 'texels'])('%s', name => {
    const { cpu, gpu, differences } = said[name]!
    const inputs = Object.keys(differences).filter(key => key !== 'output' && key !== 'y')
    expect(inputs.length).toBeGreaterThan(0)
    for (const key of inputs) {
      // A view with strides has a gradient without gaps.
      const strided = name === 'nested'
      const expected = strided ? picked(key, differences[key]!) : differences[key]!
      expect(Math.max(...expected.map(Math.abs))).toBeGreaterThan(0.01)
      expect(apart(cpu[key]!, expected)).toBeLessThan(2e-3)
      expect(apart(gpu[key]!, cpu[key]!)).toBeLessThan(1e-3)
    }
  })
})

/** The elements of the views of `nested`, in order. */
function picked(key: string, all: readonly number[]): readonly number[] {
  const at = key === 'input' ? [1, 4] : [0, 1, 2].flatMap(i => [0, 1].map(j => 3 + 2 * i + 7 * j))
  expect(all.filter((x, i) => x !== 0 && !at.includes(i))).toEqual([])
  return at.map(i => all[i]!)
}

describe('what the derivative writes', () => {
  test.each(['inPlace', 'sameTwice'])('is kept as it was read: %s', name => {
    expect(said[name]!.cpu['state']).toEqual([6, 24, 6, 1.5])
    expect(said[name]!.gpu['state']).toEqual([6, 24, 6, 1.5])
  })
})

test('what a substitute with a derivative of its own writes is kept as it was read', () => {
  const o = new Float32Array(1)
  const source = `
RWStructuredBuffer<float> w;
RWStructuredBuffer<float> o;
[PrimalSubstitute(writes)] float plain(float x) { return x; }
[BackwardDerivative(backward)] [Differentiable] float writes(float x) { w[0] = 0.25; return x; }
void backward(inout DifferentialPair<float> x, float d) { x = diffPair(x.p, d); }
[Differentiable] float f(float x) { float y = sin(x * w[0]); return y * plain(x); }
[shader("compute")] [numthreads(1, 1, 1)]
void main() { var p = diffPair(2.0); bwd_diff(f)(p, 1.0); o[0] = p.d; }`
  loadSync(compile(source))
    .kernel('main')
    .dispatch([1, 1, 1], { buffers: { w: new Float32Array([0.7]), o } })
  expect(o[0]).toBeCloseTo(0.7 * Math.cos(1.4) * 2 + Math.sin(1.4), 5)
})

describe('what is made with a function twice, or by a user, is kept as it was read', () => {
  const start = [0.7, 0.3, 0.2]
  const kernel = (functions: string, body: string): number[] => {
    const o = new Float32Array(2)
    const source = `
RWStructuredBuffer<float> w;
RWStructuredBuffer<float> o;
${functions}
[shader("compute")] [numthreads(1, 1, 1)]
void main() { ${body} }`
    loadSync(compile(source, { verify: true }))
      .kernel('main')
      .dispatch([1, 1, 1], { buffers: { w: new Float32Array(start), o } })
    return [...o]
  }
  /** Of three times `y = sin(y * s)` at 2. */
  const ofSines = (): number => {
    let [y, d] = [2, 1]
    for (const s of start) [y, d] = [Math.sin(y * s), d * Math.cos(y * s) * s]
    return d
  }
  const run = (name: string, at: number): string =>
    `{ var p = diffPair(2.0); bwd_diff(${name})(p, 1.0); o[${at}] = p.d; }`

  test('by a function that a rule calls, of which only one caller writes', () => {
    const functions = `
[ForwardDerivative(forward)] [noinline] float g(float x) { return x; }
[Differentiable] [noinline]
float scaled(float t, no_diff float p)
{
    float sum = 0;
    for (int i = 0; i < 3; i++) sum += t * sin(p + i) * w[i];
    return sum;
}
[Differentiable] DifferentialPair<float> forward(DifferentialPair<float> x) { return diffPair(x.p, scaled(x.d, x.p)); }
[Differentiable] [noinline] float f(float x) { return g(x); }
void clear() { w[0] = 5.0; w[1] = 5.0; w[2] = 5.0; }
[Differentiable] float h(float x) { float y = f(x); clear(); return y * 2.0; }`
    const expected = start.reduce((sum, s, i) => sum + Math.sin(2 + i) * s, 0)
    const [f, h] = kernel(functions, run('f', 0) + run('h', 1))
    expect(f).toBeCloseTo(expected, 5)
    expect(h).toBeCloseTo(2 * expected, 5)
  })
  test('by a derivative of a library function', () => {
    const functions = `
[BackwardDerivativeOf(sin)]
void backward<T : __BuiltinFloatingPointType>(inout DifferentialPair<T> x, T d)
{
    w[0] = w[1] = w[2] = 9;
    x = diffPair(x.p, cos(x.p) * d);
}
[Differentiable] float f(float x) { float y = x; for (int i = 0; i < 3; i++) y = sin(y * w[i]); return y; }`
    expect(kernel(functions, run('f', 0))[0]).toBeCloseTo(ofSines(), 5)
  })
  test('by a function under [PreferRecompute]', () => {
    const functions = `
[PreferRecompute] [Differentiable] [noinline] float g(float x, int i) { return sin(x * w[i]); }
void put(int i) { w[i] = 9; }
[Differentiable] float f(float x) { float y = x; for (int i = 0; i < 3; i++) { y = g(y, i); put(i); } return y; }`
    expect(kernel(functions, run('f', 0))[0]).toBeCloseTo(ofSines(), 5)
  })
})

test.each(['WaveActiveSum(i)', 'WaveActiveCountBits(i > 2)', 'mine(i)'])(
  'the reverse pass keeps what invocations made together, since others of them reverse the trip: %s',
  call => {
    const { code } = compile(`
RWStructuredBuffer<float> o;
int mine(int i) { return WavePrefixSum(i); }
[Differentiable]
float f(float x, int n) { float y = x; [MaxIters(8)] for (int i = 0; i < n; i++) y = sin(y * float(${call})); return y; }
[shader("compute")] [numthreads(32, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) { var p = diffPair(o[id.x]); bwd_diff(f)(p, int(id.x % 8), 1.0); o[id.x] = p.d; }`).wgsl()
    expect(code.match(/subgroup[A-Z]\w*\(/g)).toHaveLength(1)
  },
)

const program = compile(reloadProgram)

describe('memory', () => {
  test.each(['nested', 'structs', 'buffers', 'counted', 'texels'])('%s keeps nothing for each trip on a GPU', name => {
    const { code } = program.wgsl({ reverseOf: name })
    expect(code).not.toMatch(/var(?:<private>)? \w+: array</)
  })
  test('ownStructs keeps nothing either', () => {
    expect(program.wgsl({ entries: ['ownStructs'] }).code).not.toMatch(/var(?:<private>)? \w+: array</)
  })
})

describe('the help of E30510', () => {
  /** A kernel whose reverse pass needs states of a loop, which reads a tensor. */
  const kernel = (loop: string): string => `
[CUDAKernel] [Differentiable]
void run(DiffTensorView x, DiffTensorView output)
{
    float y = x[0];
    ${loop}
    output[0] = y;
}`
  const step = '{ y = sin(y * 1.5) + x[i] * y; }'
  const reported = (source: string): string[] => {
    try {
      program_(source)
      return []
    } catch (e) {
      return (e as { diagnostics: { code: string; help?: string }[] }).diagnostics.map(d => `${d.code}: ${d.help}`)
    }
  }
  const program_ = (source: string): string => {
    const made = compile(source)
    expect(made.diagnostics).toEqual([])
    return made.wgsl({ reverseOf: 'run' }).code
  }
  const help =
    'E30510: put [MaxIters(n)] or [Checkpoints(k)] before the loop, or [ForceUnroll] where the trips are known when compiling'
  const open = `for (uint i = 0; i < x.size(0); i++) ${step}`
  const doubling = `for (uint i = 1; i < 40; i *= 2) ${step}`

  test.each([open, doubling])('stands at a loop that carries what the reverse pass needs: %s', loop => {
    expect(reported(kernel(loop))).toEqual([help])
  })
  test.each([
    `[MaxIters(40)] ${open}`,
    `[MaxIters(4000)] ${open}`,
    `[Checkpoints(3)] ${open}`,
    `[MaxIters(6)] ${doubling}`,
    `[Checkpoints(2)] ${doubling}`,
    `[ForceUnroll] ${doubling}`,
  ])('names remedies that work: %s', loop => {
    expect(reported(kernel(loop))).toEqual([])
    const grad = (source: string): Float32Array => {
      const given = {
        x: { data: new Float32Array(40).fill(0.1), shape: [40] },
        output: { data: new Float32Array(1), shape: [1] },
      }
      return loadSync(compile(source))
        .kernel('run')
        .grad([1, 1, 1], { tensors: given, cotangents: { output: 1 } })['x'] as Float32Array
    }
    const expected = grad(kernel(loop.replace(/^\[.*?\] /, '')))
    expect(apart([...grad(kernel(loop))], [...expected])).toBeLessThan(1e-5)
    expect(Math.max(...expected.map(Math.abs))).toBeGreaterThan(0.01)
  })
})

test('a function that may give a resource back is differentiated as it is', () => {
  const program = compile(
    `StructuredBuffer<float> b;
     RWStructuredBuffer<float> o;
     [Differentiable] float weighed(inout StructuredBuffer<float> b, float x) { return x * x * b[1]; }
     [shader("compute")] [numthreads(1, 1, 1)] void main() { var x = diffPair(2.0); bwd_diff(weighed)(b, x, 1.0); o[0] = x.d; }`,
    { verify: true },
  )
  expect(program.diagnostics).toEqual([])
  const o = new Float32Array(1)
  loadSync(program)
    .kernel('main')
    .dispatch([1, 1, 1], { buffers: { b: new Float32Array([0, 5]), o } })
  expect([...o]).toEqual([20])
})
