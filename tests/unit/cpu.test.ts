import { describe, expect, it } from 'vitest'
import { formatPrint } from '../../src/host/format.ts'
import { evaluate } from '../support/js-run.ts'
import { load } from '../../src/cpu/index.ts'
import { isStackOverflow } from '../../src/cpu/errors.ts'
import { compile } from '../../src/index.ts'

/** Compiles and loads a program without mistakes. */
async function program(source: string, print?: (text: string) => void) {
  const compiled = compile(source, { verify: true })
  expect(compiled.diagnostics.filter(d => d.severity === 'error')).toEqual([])
  return load(compiled, print === undefined ? {} : { print })
}

describe('functions on the CPU', () => {
  it('take and give numbers, vectors, matrices, arrays and structs', async () => {
    const m = await program(`
struct Item { int count; float3 position; float weights[20]; }
public float square(float x) { return x * x; }
public float2 swap(float2 v) { return v.yx; }
public float2x3 twice(float2x3 m) { return m + m; }
public uint wrap(uint x) { return x - 1u; }
public bool negate(bool b) { return !b; }
public Item next(Item item) { item.count += 1; item.position *= 2.0; item.weights[3] = item.weights[2]; return item; }
public float total(float values[5]) { float s = 0.0; for (int i = 0; i < 5; i++) s += values[i]; return s; }`)
    expect(m.fn['square']!(3)).toBe(9)
    expect(m.fn['swap']!([1, 2])).toEqual([2, 1])
    expect(m.fn['swap']!(new Float32Array([1, 2]))).toEqual([2, 1])
    expect(
      m.fn['twice']!([
        [1, 2, 3],
        [4, 5, 6],
      ]),
    ).toEqual([
      [2, 4, 6],
      [8, 10, 12],
    ])
    expect(m.fn['twice']!([1, 2, 3, 4, 5, 6])).toEqual([
      [2, 4, 6],
      [8, 10, 12],
    ])
    expect(m.fn['wrap']!(0)).toBe(0xffffffff)
    expect(m.fn['negate']!(true)).toBe(false)
    expect(m.fn['total']!([1, 2, 3, 4, 5])).toBe(15)
    const weights = Array.from({ length: 20 }, (_x, i) => i)
    expect(m.fn['next']!({ count: 1, position: [1, 2, 3], weights })).toEqual({
      count: 2,
      position: [2, 4, 6],
      weights: weights.map((w, i) => (i === 3 ? 2 : w)),
    })
  })

  it('give `out` and `inout` parameters by name', async () => {
    const m = await program(
      'public float split(float x, out float low, inout int calls) { low = x - floor(x); calls++; return floor(x); }',
    )
    expect(m.fn['split']!(2.5, 7)).toEqual({ result: 2, out: { low: 0.5, calls: 8 } })
    expect(m.fn['split']!.run(2.5, 7)).toEqual({ result: 2, out: { low: 0.5, calls: 8 } })
  })

  it('have values, gradients and directional derivatives', async () => {
    const m = await program(`
struct Ball : IDifferentiable { float2 at; float radius; }
[Differentiable] public float cubic(float x, float y) { return x * x * y; }
[Differentiable] public float size(Ball b, no_diff float scale) { return dot(b.at, b.at) * scale + b.radius; }
[Differentiable] public float2 polar(float r, float t) { return float2(r * cos(t), r * sin(t)); }
[Differentiable] public void both(float x, out float square, inout float sum) { square = x * x; sum = sum * x; }`)
    expect(m.fn['cubic']!.valueAndGrad(3, 2)).toEqual({ value: 18, grad: [12, 9] })
    expect(m.fn['cubic']!.jvp([3, 2], [1, 0])).toEqual({ value: 18, tangent: 12 })
    expect(m.fn['cubic']!.vjp([3, 2], 10)).toEqual([120, 90])
    expect(m.fn['size']!.valueAndGrad({ at: [1, 2], radius: 3 }, 2)).toEqual({
      value: 13,
      grad: [{ at: [4, 8], radius: 1 }, null],
    })
    expect(m.fn['polar']!.vjp([2, 0], [1, 0])).toEqual([1, 0])
    expect(m.fn['polar']!.jvp([2, 0], [null, 1]).tangent).toEqual([0, 2])
    expect(m.fn['both']!.vjp([3, 5], { out: { square: 1, sum: 1 } })).toEqual([11, 3])
    expect(m.fn['both']!.jvp([3, 5], [1, 0])).toEqual({
      value: { result: undefined, out: { square: 9, sum: 15 } },
      tangent: { result: null, out: { square: 6, sum: 5 } },
    })
  })

  it('print', async () => {
    const lines: string[] = []
    const m = await program(
      'public void show(int i, float x) { printf("%d is %.2f%%\\n", i, x); printf("%s: %d, %s %%\\n", "all", i, "50%"); }',
      text => lines.push(text),
    )
    m.fn['show']!(3, 0.5)
    expect(lines).toEqual(['3 is 0.50%\n', 'all: 3, 50% %\n'])
  })

  it('call themselves, up to a depth', async () => {
    const m = await program(
      'public int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); } public int down(int n) { return n == 0 ? 0 : down(n - 1) + 1; }',
    )
    expect(m.fn['fib']!(20)).toBe(6765)
    expect(() => m.fn['down']!(100000000)).toThrow('down calls itself too deeply')
  })

  it('know that the stack is full by what each engine throws', () => {
    expect(isStackOverflow(new RangeError('Maximum call stack size exceeded'))).toBe(true)
    expect(isStackOverflow(Object.assign(new Error('too much recursion'), { name: 'InternalError' }))).toBe(true)
    expect(isStackOverflow(new TypeError('too much recursion'))).toBe(false)
  })

  it('read and write bound resources', async () => {
    const m = await program(
      'RWStructuredBuffer<float> data; uniform float scale; public float sum(int n) { float s = 0.0; for (int i = 0; i < n; i++) { s += data[i] * scale; data[i] = 0.0; } return s; }',
    )
    const data = Float32Array.from([1, 2, 3])
    m.bind({ buffers: { data }, uniforms: { scale: 2 } })
    expect(m.fn['sum']!(3)).toBe(12)
    expect([...data]).toEqual([0, 0, 0])
  })

  it('find buffers that nobody has bound empty, and uniforms zero', async () => {
    const m = await program(
      `RWStructuredBuffer<float> x, y; uniform float s;
       public void set(float v) { x[0] = v; } public float get() { return y[0]; } public float scaled() { return y[0] * s; }
       public float third(float v[16]) { return v[3]; }`,
    )
    const given = Float32Array.of(4, 0)
    m.bind({ buffers: { x: given, y: given.slice() }, uniforms: { s: 2 } })
    m.fn['set']!(1)
    expect([given[0], m.fn['get']!(), m.fn['scaled']!()]).toEqual([1, 4, 8])
    m.bind({})
    // Where x was is now something else.
    const own = (m.buffer('y', 4) as Float32Array).fill(7)
    m.fn['set']!(99)
    m.fn['third']!(new Array<number>(16).fill(100))
    expect([...own]).toEqual([7, 7, 7, 7])
    expect([m.fn['get']!(), m.fn['scaled']!()]).toEqual([0, 0])
    m.bind({ buffers: { y: own } })
    expect([m.fn['get']!(), m.fn['scaled']!()]).toEqual([7, 0])
  })

  it('keep static variables and tables apart from call to call', async () => {
    const m = await program(`
static int calls = 3;
static const float table[6] = { 1, 2, 4, 8, 16, 32 };
void touch() { calls += 1; }
public int count(int n) { for (int i = 0; i < n; i++) touch(); return calls; }
public float look(int i) { return table[i]; }`)
    expect(m.fn['count']!(2)).toBe(5)
    expect(m.fn['count']!(2)).toBe(5)
    expect(m.fn['look']!(3)).toBe(8)
    expect(m.fn['look']!(99)).toBe(32)
  })

  it('compute with doubles, halves and 64-bit integers', async () => {
    const m = await program(`
public double third(double x) { return x / 3.0l; }
public half halved(half x) { return x * half(0.1); }
public int64_t product(int64_t x, int64_t y) { return x * y; }
public uint16_t wrap(uint16_t x) { return uint16_t(x + uint16_t(1)); }`)
    expect(m.fn['third']!(1)).toBe(1 / 3)
    expect(m.fn['halved']!(1)).toBe(0.0999755859375)
    expect(m.fn['product']!(3000000000n, 3000000000n)).toBe(9000000000000000000n)
    expect(m.fn['wrap']!(65535)).toBe(0)
  })

  it('take and give more scalars than engines allow', async () => {
    const params = Array.from({ length: 60 }, (_x, i) => `float4x4 m${i}`).join(', ')
    const sum = Array.from({ length: 60 }, (_x, i) => `m${i}[1][2]`).join(' + ')
    const m = await program(`public float total(${params}, out float4x4 last) { last = m59 + m58; return ${sum}; }
public float twice(${params}) { float4x4 last; return total(${Array.from({ length: 60 }, (_x, i) => `m${i}`).join(', ')}, last) + last[0][0]; }`)
    const matrices = Array.from({ length: 60 }, (_x, k) =>
      Array.from({ length: 4 }, (_y, r) => Array.from({ length: 4 }, (_z, c) => k + r * 4 + c)),
    )
    const { result, out } = m.fn['total']!.run(...matrices)
    expect(result).toBe((60 * 59) / 2 + 60 * 6)
    expect((out['last'] as number[][])[0]).toEqual([117, 119, 121, 123])
    expect(m.fn['twice']!(...matrices)).toBe((60 * 59) / 2 + 60 * 6 + 117)
  })

  it('say what a caller got wrong', async () => {
    const m = await program(
      'public float f(float3 v, float a[20]) { return v.x + a[3]; } public float g(float x) { return x; }',
    )
    const a = new Float32Array(20)
    expect(() => m.fn['f']!([1, 2, 3])).toThrow('f takes 2 arguments (v: float3, a: float[20]), but 1 came')
    expect(() => m.fn['f']!([1, 2], a)).toThrow('v: expected 3 numbers for a float3, but an array of length 2 came')
    expect(() => m.fn['f']!([1, 2, 'x'], a)).toThrow('v[2]: expected a number, but the text "x" came')
    expect(() => m.fn['f']!([1, 2, 3], [1])).toThrow(
      'a: expected 20 elements for a float[20], but an array of length 1 came',
    )
    expect(() => m.fn['g']!.valueAndGrad(1)).toThrow('g has no reverse derivative: mark it [Differentiable]')
    expect(() => m.kernel('main')).toThrow('there is no kernel main')
  })

  it('may have the names that modules use', async () => {
    const m = await program(
      'public float memory(float x) { return x; } public float then(float x) { return memory(x) + 1; }',
    )
    expect(m.fn['memory']!(2)).toBe(2)
    expect(m.fn['then']!(2)).toBe(3)
  })

  it('name what a derivative is given as the caller does', async () => {
    const m = await program(`
struct P : IDifferentiable { float x; float2 y; }
[Differentiable] public float f(P p, inout float q, out float o, no_diff int n) { q = q * p.x; o = q; return p.y.x; }
[Differentiable] public float g(float x, float2 y) { return x * y.x; }`)
    const { f, g } = m.fn
    const p = { x: 1, y: [1, 2] }
    expect(() => g!.vjp([1, [1, 2]], 'x')).toThrow('cotangent: expected a number, but the text "x" came')
    expect(() => g!.vjp([1, [1, 'x']], 1)).toThrow('y[1]: expected a number')
    expect(() => g!.jvp([1, ['x', 1]], [1, null])).toThrow('y[0]: expected a number')
    expect(() => g!.jvp([1, [1, 2]], [1, [1]])).toThrow('tangents.y: expected 2 numbers for a float2')
    expect(() => f!.vjp([{ ...p, y: [1, 'x'] }, 2, 3], { result: 1 })).toThrow(/^p\.y\[1\]: expected a number/)
    expect(() => f!.vjp([p, 2, 'x'], { result: 1 })).toThrow(/^n: expected an integer/)
    expect(() => f!.vjp([p, 2, 3], { out: { q: 'x' } })).toThrow(/^cotangent of q: expected a number/)
    expect(() => f!.vjp([p, 2, 3], { out: { o: 'x' } })).toThrow(/^cotangent of o: expected a number/)
    expect(() => f!.jvp([p, 2, 3], [{ x: 1, y: [1, 'x'] }, null, null])).toThrow(/^tangents\.p\.y\[1\]: expected/)
  })

  it('name elements of matrices by row and column, and take those of one column as flat lists', async () => {
    const m = await program(`struct S { column_major float2x3 m; }
StructuredBuffer<S> s; RWStructuredBuffer<float> o;
public float f(S s) { return s.m[1][2]; }
public bool b(bool2x1 m) { return m[1][0]; }
public int64_t i(matrix<int64_t, 2, 1> m) { return m[1][0]; }
[shader("compute")] [numthreads(1, 1, 1)] void k() { o[0] = s[0].m[1][2]; }`)
    const wrong = { m: [[1, 2, 3], 'x4y'.split('')] }
    wrong.m[1]![0] = 0
    expect(() => m.fn['f']!(wrong)).toThrow('s.m[1][1]: expected a number, but the text "4" came')
    const buffers = { s: [wrong], o: [0] }
    expect(() => m.kernel('k').dispatch([1, 1, 1], { buffers })).toThrow('s[0].m[1][1]: expected a number')
    expect(m.fn['b']!([false, true])).toBe(true)
    expect(m.fn['i']!([1n, 2n])).toBe(2n)
    expect(m.fn['i']!([[1n], [2n]])).toBe(2n)
    expect(m.map('i', { m: [1n, 2n] }, { mapped: ['m'] })).toEqual(BigInt64Array.of(2n))
  })

  it('say which field was meant', async () => {
    const m = await program(`struct Line { float slope; float start; }
struct Scene { Line line; float2 size; }
public float f(Scene scene) { return scene.line.slope; }
uniform Line plain; uniform float rate; RWStructuredBuffer<Line> lines; RWStructuredBuffer<float> o;
[shader("compute")] [numthreads(1, 1, 1)] void k() { o[0] = plain.slope * rate + lines[0].start; }`)
    const line = { slope: 1, start: 2 }
    const f = (scene: unknown) => () => m.fn['f']!(scene)
    expect(f({ line, size: [1, 2] })()).toBe(1)
    expect(f({ line: { slope: 1, strat: 2 }, size: [1, 2] })).toThrow(
      'scene.line: expected an object with fields slope, start for a Line, but an object with fields slope, strat came; did you mean start by strat?',
    )
    expect(f({ Line: line, size: [1, 2] })).toThrow('did you mean line by Line?')
    expect(f({ line: { slope: 1 }, size: [1, 2] })).toThrow(/scene\.line: .*; start is missing$/)
    expect(f({ line: { ...line, width: 1 }, size: [1, 2] })).toThrow(/scene\.line: .*; there is no field width$/)
    const k =
      (plain: unknown, lines: unknown = [line], more: object = {}) =>
      () =>
        m
          .kernel('k')
          .dispatch([1, 1, 1], {
            buffers: { o: new Float32Array(1), lines: lines as object[] },
            uniforms: { plain, rate: 1, ...more },
          })
    expect(k(line)).not.toThrow()
    expect(k({ slope: 1, strat: 2 })).toThrow(/plain: .*; did you mean start by strat\?$/)
    expect(k(line, [{ slop: 1, start: 2 }])).toThrow(/lines\[0\]: .*; did you mean slope by slop\?$/)
    // Only what is a uniform is listed.
    expect(k(line, [line], { raet: 1 })).toThrow(
      /k has no uniform raet: did you mean rate\?; there are globalParams, plain, rate$/,
    )
  })

  it('tell labels of 64 bits apart', async () => {
    const m = await program(`public int f(int64_t x) {
  switch (x) { case 5000000000: return 1; case 705032704: return 2; case -5000000000: return 3; default: return 4; }
}`)
    expect([5000000000, 705032704, -5000000000, 1].map(x => m.fn['f']!(x))).toEqual([1, 2, 3, 4])
  })

  it('take no number that an integer cannot hold, and no field that a struct has not', async () => {
    const m = await program(`struct S { int n; uint8_t b; }
public int f(S s) { return s.n + s.b; }
public uint g(uint x) { return x; }
public int64_t h(int64_t x) { return x; }`)
    expect(m.fn['f']!({ n: 2, b: 3 })).toBe(5)
    expect(() => m.fn['f']!({ n: 2.5, b: 3 })).toThrow('s.n: expected an integer of 32 bits, but number 2.5 came')
    expect(() => m.fn['f']!({ n: 2 ** 32, b: 3 })).toThrow('s.n: expected an integer of 32 bits')
    expect(() => m.fn['f']!({ n: 2, b: 256 })).toThrow('s.b: expected an integer of 8 bits')
    expect(() => m.fn['f']!({ n: 2, b: 3, c: 4 })).toThrow(
      's: expected an object with fields n, b for a S, but an object with fields n, b, c came',
    )
    expect(() => m.fn['h']!(NaN)).toThrow('x: expected an integer of 64 bits, but number NaN came')
    expect(m.fn['g']!(-1)).toBe(0xffffffff)
  })
})

describe('printf', () => {
  const cases: [string, (number | bigint | boolean)[], string][] = [
    ['%d %i %u', [-3, 2.9, -1], '-3 2 4294967295'],
    ['%x %X %#x', [255, 255], 'ff FF %#x'],
    ['[%5d] [%-5d] [%05d] [%+d]', [42, 42, -42, 42], '[   42] [42   ] [-0042] [+42]'],
    ['%f %.0f %.3f %8.2f', [1.5, 2.6, 1 / 3, 3.14159], '1.500000 3 0.333     3.14'],
    ['%e %.2e', [12345.678, 0], '1.234568e+04 0.00e+00'],
    ['%g %g %g %g', [0.0001, 1e-5, 123456, 1234567], '0.0001 1e-05 123456 1.23457e+06'],
    ['%lld %llu', [-1n, -1n], '-1 18446744073709551615'],
    ['100%% %f %f', [Infinity, NaN], '100% inf nan'],
    ['%d and %d', [1], '1 and %d'],
    ['%c%c%c%c', [65, 0x1f642, 0x110000, -1], 'A🙂\ufffd\ufffd'],
    ['%c', [0xd800], '\ufffd'],
    ['%4000000000d', [7], `${' '.repeat(999)}7`],
    ['%-4000000000d|', [7], `7${' '.repeat(999)}|`],
    ['%099999999999999999999d', [-7], `-${'0'.repeat(998)}7`],
    ['%.4000000000f', [0.5], `0.5${'0'.repeat(99)}`],
    ['%.999e', [0.5], `5.${'0'.repeat(100)}e-01`],
    ['%.999g', [0.0001220703125], '0.0001220703125'],
  ]
  for (const [format, args, text] of cases) {
    it(`formats ${JSON.stringify(format)}`, () => expect(formatPrint(format, args)).toBe(text))
  }
})

describe('kernels on the CPU', () => {
  const source = `
struct Point { float3 position; int hits; }
StructuredBuffer<float> inp;
RWStructuredBuffer<float> outp;
RWStructuredBuffer<Point> points;
uniform float scale;
[shader("compute")] [numthreads(4, 1, 1)]
void scaleMain(uint3 id : SV_DispatchThreadID) { outp[id.x] = inp[id.x] * scale; }
[shader("compute")] [numthreads(2, 1, 1)]
void moveMain(uint3 id : SV_DispatchThreadID) { points[id.x].position.y += 1.0; InterlockedAdd(points[id.x].hits, 2); }
[shader("compute")] [numthreads(8, 1, 1)]
void spillMain(uint3 id : SV_DispatchThreadID) { outp[id.x] = inp[id.x + 100u]; }`

  it('work on buffers in place', async () => {
    const m = await program(source)
    const outp = new Float32Array(8)
    m.kernel('scaleMain').dispatch([2, 1, 1], {
      buffers: { inp: Float32Array.from([1, 2, 3, 4, 5, 6, 7, 8]), outp },
      uniforms: { scale: 0.5 },
    })
    expect([...outp]).toEqual([0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4])
    const points = [
      { position: [1, 2, 3], hits: 0 },
      { position: [4, 5, 6], hits: 1 },
    ]
    m.kernel('moveMain').dispatch([1, 1, 1], { buffers: { points } })
    expect(points).toEqual([
      { position: [1, 3, 3], hits: 2 },
      { position: [4, 6, 6], hits: 3 },
    ])
  })

  it('read the last element and write nothing out of bounds', async () => {
    const m = await program(source)
    const outp = new Float32Array(4)
    const inp = Float32Array.from([1, 2, 3])
    m.kernel('spillMain').dispatch([1, 1, 1], { buffers: { inp, outp } })
    expect([...outp]).toEqual([3, 3, 3, 3])
    expect([...inp]).toEqual([1, 2, 3])
  })

  it('reach the rest of a buffer through a pointer to a struct that ends with an array without a length', async () => {
    const source = `
struct List { int n; uint64_t data[]; }
uniform List* list;
[shader("compute")] [numthreads(1, 1, 1)]
void main() { list->n += int(list->data[list->n]); list->data[1] = list->data[9] + 1; list->data[9] = 7; }`
    const compiled = compile(source)
    const made = (length: number): BigUint64Array => BigUint64Array.from({ length }, (_, i) => BigInt(i))
    const bytes = (list: BigUint64Array): Uint8Array => new Uint8Array(list.buffer)
    const m = await load(compiled)
    const list = made(4)
    m.kernel('main').dispatch([1, 1, 1], { buffers: { list: bytes(list) } })
    expect(list).toEqual(BigUint64Array.from([1n, 1n, 4n, 3n]))
    expect(() => m.kernel('main').dispatch([1, 1, 1], { buffers: { list: bytes(made(1)) } })).toThrow(
      'buffer list: expected at least 16 bytes of List, but 8 bytes came',
    )
    const script = evaluate(compiled.js().code)
    const other = made(4)
    script['main']!([1, 1, 1], { list: bytes(other) })
    expect(other).toEqual(list)
    expect(() => script['main']!([1, 1, 1], { list: bytes(made(1)) })).toThrow(
      'buffer list: expected at least 16 bytes, but 8 came',
    )
  })

  it('say what is missing', async () => {
    const m = await program(source)
    const kernel = m.kernel('scaleMain')
    expect(() => kernel.dispatch([1, 1, 1], { buffers: { outp: new Float32Array(4) } })).toThrow(
      'buffer inp is missing',
    )
    const buffers = { inp: new Float32Array(4), outp: new Float32Array(4) }
    expect(() => kernel.dispatch([1, 1, 1], { buffers })).toThrow('uniform scale is missing')
    expect(() => m.kernel('moveMain').dispatch([1, 1, 1], { buffers: { points: new Uint8Array(17) } })).toThrow(
      '17 bytes came',
    )
    // Holes would keep what memory holds of earlier calls.
    const holed = new Array<number>(4)
    holed[0] = 1
    expect(() => kernel.dispatch([1, 1, 1], { buffers: { ...buffers, inp: holed }, uniforms: { scale: 1 } })).toThrow(
      'inp[1]: expected a number, but undefined came',
    )
  })

  it('keep to the length that a list had when they began', async () => {
    const m = await program(source)
    const outp = [1, 2, 3, 4]
    const done = m
      .kernel('scaleMain')
      .dispatchAsync([1, 1, 1], { buffers: { inp: [1, 2, 3, 4], outp }, uniforms: { scale: 2 } })
    outp.push(5, 6)
    await done
    expect(outp).toEqual([2, 4, 6, 8, 5, 6])
  })
})

describe('printf', () => {
  it('bounds widths and precisions, which a program may make up', async () => {
    for (const kind of 'diufFeEgGxXocs')
      for (const format of [
        `%999999999${kind}`,
        `%-2000000000${kind}`,
        `%0999999999${kind}`,
        `%.999999999${kind}`,
        `%99999999999999999999.99999999999999999999${kind}`,
      ]) {
        for (const value of [0, -1.5, 1e-4, 1.2345e300, 5e-324, NaN, Infinity, 2 ** 53])
          expect(formatPrint(format, [value]).length, format).toBeLessThanOrEqual(1000)
      }
    expect(formatPrint('%.100f|%5d|%.3s', [0.5, 42, 7])).toBe(`0.5${'0'.repeat(99)}|   42|7`)
    const source =
      'public void f(float x) { printf("%999999999.999999999f", x); printf("%.999999999e", x); printf("%c", int(x) + 2000000); }'
    const said: string[] = []
    const m = await program(source, text => said.push(text))
    m.fn['f']!(0.5)
    expect(said.map(s => s.length)).toEqual([1000, 106, 1])
    const log = console.log
    const lines: unknown[] = []
    console.log = (line: unknown): void => {
      lines.push(line)
    }
    try {
      evaluate(compile(source).js().code)['f']!(0.5)
    } finally {
      console.log = log
    }
    expect(lines.every(line => String(line).length <= 1000)).toBe(true)
  })
})
