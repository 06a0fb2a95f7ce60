/** `m.map` and `m.mapAsync`: functions over arrays of arguments. */
import { describe, expect, it } from 'vitest'
import { load, type CpuModule } from '../../src/cpu/index.ts'
import { compile, type CompileOptions, type ExportedFunction } from '../../src/index.ts'
import { columns, expectCalls, inputsOf } from '../support/map-compare.ts'

async function loaded(
  source: string,
  options: Parameters<typeof load>[1] = {},
  how: CompileOptions = {},
): Promise<{ readonly m: CpuModule; readonly signature: (name: string) => ExportedFunction }> {
  const program = compile(source, { verify: true, ...how })
  expect(program.diagnostics.filter(d => d.severity === 'error')).toEqual([])
  return { m: await load(program, options), signature: name => program.exports.find(f => f.name === name)! }
}

const shapes = `
struct Inner : IDifferentiable { float2 uv; float k; }
struct Ray : IDifferentiable { float3 o; no_diff int id; float w[3]; Inner inner[2]; }
[Differentiable] public float loss(float3 p, float3 goal) {
  float3 d = p - goal;
  return sqrt(dot(d, d) + 1.0) * sin(p.x);
}
[Differentiable] public Ray step(Ray r, float t) {
  r.o = r.o * t + r.inner[1].uv.xyx;
  r.w[1] *= t * r.w[0];
  r.inner[0].k = r.o.x * r.inner[1].k;
  return r;
}
[Differentiable] public float2 turn(float2x3 m, float3 v, no_diff uint times) {
  float2 r = mul(m, v);
  for (uint i = 0; i < min(times, 5u); i++) r = sin(r.yx);
  return r;
}
[Differentiable] public float total(float values[5], float scale[5]) {
  float sum = 0.0;
  for (int i = 0; i < 5; i++) sum += values[i] * values[i] * scale[i];
  return sum;
}
[Differentiable] public float parts(float x, out float low, inout float calls) {
  low = x - floor(x) * calls;
  calls = calls * x + 1.0;
  return x * low;
}
[Differentiable] public void scaled(float x, inout float3 v, no_diff inout int n) { v = v * x; n += 1; }
[ForwardDifferentiable] public float forwards(float x, float y) { return x * x * y; }
public bool above(float x, bool strict) { return strict ? x > 1.0 : x >= 1.0; }
public uint64_t wide(uint64_t x, int8_t y) { return x + uint64_t(uint(y)); }
public half2 halves(half2 x, half y) { return x * y; }
public double doubles(double x, float y) { return x * y; }
`

/** Functions with the arguments that are mapped. */
const ways = [
  ['loss', ['p']],
  ['loss', ['goal']],
  ['loss', ['p', 'goal']],
  ['step', ['r']],
  ['step', ['t']],
  ['step', ['r', 't']],
  ['turn', ['m', 'times']],
  ['turn', ['v']],
  ['total', ['values']],
  ['total', ['values', 'scale']],
  ['parts', ['x']],
  ['parts', ['x', 'calls']],
  ['scaled', ['v']],
  ['scaled', ['x', 'v', 'n']],
  ['forwards', ['x']],
  ['above', ['x']],
  ['above', ['x', 'strict']],
  ['wide', ['x', 'y']],
  ['halves', ['x']],
  ['doubles', ['x', 'y']],
] as const

describe('a map', () => {
  it.each(ways)('of %s over %s gives what calls give, bit for bit', async (name, mapped) => {
    const { m, signature } = await loaded(shapes)
    for (const count of [1, 3, 63, 64, 65, 200]) {
      await expectCalls(m, inputsOf(signature(name), mapped, count, count))
      await expectCalls(m, inputsOf(signature(name), mapped, count, count + 1, columns), count % 2 === 0)
    }
  })

  it('takes no elements, and many', async () => {
    const { m, signature } = await loaded(shapes)
    await expectCalls(m, inputsOf(signature('loss'), ['p'], 1000, 7))
    expect(m.map('loss', { p: new Float32Array(), goal: [1, 2, 3] }, { derivative: 'valueAndGrad' })).toEqual({
      value: new Float32Array(),
      grad: { p: new Float32Array(), goal: [0, 0, 0] },
    })
    expect(m.map('step', { r: [], t: 1 })).toMatchObject({ o: new Float32Array(), inner: { uv: new Float32Array() } })
  })

  it('gives typed arrays, and of structs an array for each field', async () => {
    const { m } = await loaded(shapes)
    const r = { o: [1, 2, 3], id: 4, w: [1, 2, 3], inner: [0, 1].map(k => ({ uv: [k, 1], k: 2 })) }
    expect(m.map('step', { r: [r, r], t: 2 })).toEqual({
      o: Float32Array.of(3, 5, 7, 3, 5, 7),
      id: Int32Array.of(4, 4),
      w: Float32Array.of(1, 4, 3, 1, 4, 3),
      inner: { uv: Float32Array.of(0, 1, 1, 1, 0, 1, 1, 1), k: Float32Array.of(6, 2, 6, 2) },
    })
    expect(m.map('above', { x: [0, 1, 2], strict: true })).toEqual(Uint8Array.of(0, 0, 1))
    expect(m.map('wide', { x: [1n, 2n], y: 3 })).toEqual(BigUint64Array.of(4n, 5n))
    expect(m.map('doubles', { x: Float64Array.of(0.1), y: 2 })).toEqual(Float64Array.of(0.2))
  })

  it('rounds floats to halves, and takes any number but zero for true', async () => {
    const { m } = await loaded('public half h(half x) { return x; } public bool b(bool x) { return x; }')
    const given = [0.1, 9.001, 70000]
    const wanted = Float32Array.from(given, x => m.fn['h'](x))
    expect([...wanted]).toEqual([0.0999755859375, 9, Infinity])
    for (const x of [given, Float32Array.from(given), Float64Array.from(given)])
      expect(m.map('h', { x }, { mapped: ['x'] })).toEqual(wanted)
    expect(m.map('b', { x: Uint8Array.of(0, 1, 2, 255) })).toEqual(Uint8Array.of(0, 1, 1, 1))
  })

  it('gives gradients in the form of the arguments', async () => {
    const { m } = await loaded(`
struct P : IDifferentiable { float2 at; no_diff int id; float w; }
struct Q : IDifferentiable { float2 at; float w; }
[Differentiable] public float f(P p) { return p.at.x * p.at.y * p.w; }
[Differentiable] public float g(Q p) { return p.at.x * p.at.y * p.w; }`)
    const gradient = (name: string, p: unknown): unknown => m.map(name, { p }, { derivative: 'valueAndGrad' }).grad.p
    expect(gradient('f', [{ at: [1, 2], id: 1, w: 3 }])).toEqual([{ at: [6, 3], w: 2 }])
    expect(gradient('f', { at: [1, 2], id: [1], w: [3] })).toEqual({ at: Float32Array.of(6, 3), w: Float32Array.of(2) })
    expect(gradient('f', { at: [[1, 2]], id: Int8Array.of(1), w: Float64Array.of(3) })).toEqual({
      at: Float32Array.of(6, 3),
      w: Float32Array.of(2),
    })
    expect(gradient('g', Float32Array.of(1, 2, 3, 2, 2, 1))).toEqual(Float32Array.of(6, 3, 2, 2, 2, 4))
  })

  it('takes tangents for each element or for all, also of an argument that is held', async () => {
    const { m } = await loaded(shapes)
    const basis = [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
    ]
    const args = { p: [1, 2, 3], goal: [0, 0, 1] }
    const { tangent, value } = m.map('loss', args, { derivative: 'jvp', tangents: { p: basis } })
    const { grad } = m.fn['loss'].valueAndGrad(args.p, args.goal)
    expect([...tangent].map((x, k) => Math.abs(x - grad[0][k]) < 1e-6)).toEqual([true, true, true])
    expect(value).toEqual(new Float32Array(3).fill(m.fn['loss'](args.p, args.goal)))
    const one = m.map('loss', { ...args, p: basis }, { derivative: 'jvp', tangents: { p: [1, 2, 3], goal: null } })
    basis.forEach((p, i) => expect(one.tangent[i]).toBe(m.fn['loss'].jvp([p, args.goal], [[1, 2, 3], null]).tangent))
    expect(m.map('loss', { ...args, p: basis }, { derivative: 'jvp' }).tangent).toEqual(new Float32Array(3))
  })

  it('takes a list of one element where it is said to be one', async () => {
    const { m } = await loaded(shapes)
    const p = Float32Array.of(1, 2, 3)
    const goal = [0, 0, 1]
    expect(() => m.map('loss', { p, goal })).toThrow(
      "arguments of map of loss: expected a list with a value for each element, for one of them at least, but one value for each came; say which are lists of one element, such as { mapped: ['p'] }",
    )
    expect(m.map('loss', { p, goal }, { mapped: ['p'] })).toEqual(Float32Array.of(m.fn['loss'](p, goal)))
    expect(m.map('total', { values: new Float32Array(25), scale: [1, 2, 3, 4, 5] }, { held: ['scale'] })).toEqual(
      new Float32Array(5),
    )
    expect(() => m.map('loss', { p, goal: [p, p] }, { held: ['goal'] })).toThrow(
      'goal: expected 3 numbers for a float3',
    )
  })

  it('sums the gradients of held arguments in blocks of 64 elements, whatever fits into memory', async () => {
    // So many numbers that a few hundred elements are worked on at a time.
    const { m, signature } = await loaded(`
[Differentiable] public float f(float x, float w[5000]) { return x * x * w[int(x * 10.0) + 30] * w[3] + w[4999] * x; }`)
    await expectCalls(m, inputsOf(signature('f'), ['x'], 700, 1))
    await expectCalls(m, inputsOf(signature('f'), ['x'], 100, 2), true)
  })

  it('takes matrices of either layout, numbers of several sizes, and what holds nothing', async () => {
    const { m } = await loaded(`
struct Nothing {}
struct S { column_major float2x3 m; int8_t b; double d; half2 h[2]; Nothing nothing; }
public float pick(S s, float x) { return s.m[1][2] * x + float(s.d) + float(s.b) + float(s.h[1].y); }
public S same(S s, int times) { return s; }
public float nothing(Nothing n, float x) { return x; }
public Nothing none(float x) { Nothing n; return n; }`)
    const s = {
      m: Float32Array.from({ length: 12 }, (_, k) => k),
      b: [-1, 2],
      d: Float64Array.of(0.5, 1.5),
      h: [1, 2, 3, 4, 5, 6, 7, 8],
      nothing: {},
    }
    expect(m.map('pick', { s, x: 2 })).toEqual(Float32Array.of(13.5, 33.5))
    const list = [0, 1].map(i => ({
      m: [s.m.slice(6 * i, 6 * i + 3), s.m.slice(6 * i + 3, 6 * i + 6)],
      b: s.b[i],
      d: s.d[i],
      h: [s.h.slice(4 * i, 4 * i + 2), s.h.slice(4 * i + 2, 4 * i + 4)],
      nothing: {},
    }))
    expect(m.map('pick', { s: list, x: 2 })).toEqual(Float32Array.of(13.5, 33.5))
    expect(m.map('same', { s: list, times: 1 })).toEqual({ ...s, b: Int8Array.from(s.b), h: Float32Array.from(s.h) })
    expect(m.map('same', { s: list[1], times: [1, 2, 3] }).b).toEqual(Int8Array.of(2, 2, 2))
    expect(m.map('nothing', { n: {}, x: [1, 2] })).toEqual(Float32Array.of(1, 2))
    expect(m.map('none', { x: [1, 2] })).toEqual({})
  })

  it('takes derivatives that a user wrote', async () => {
    const { m, signature } = await loaded(`
[Differentiable] [BackwardDerivative(seven)] float q(float x, float y) { return x * x * y; }
[Differentiable] void seven(inout DifferentialPair<float> x, inout DifferentialPair<float> y, float d) {
  x = diffPair(x.p, 7.0 * d);
  y = diffPair(y.p, x.p * d);
}
[Differentiable] [ForwardDerivative(eight)] float r(float x) { return x; }
[Differentiable] DifferentialPair<float> eight(DifferentialPair<float> x) { return diffPair(x.p, 8.0 * x.d); }
[Differentiable] public float f(float x, float y) { return q(x, y) * r(y) + x; }`)
    for (const mapped of [['x'], ['y'], ['x', 'y']]) await expectCalls(m, inputsOf(signature('f'), mapped, 70, 3))
  })

  it('adds gradients by the sum of their own type', async () => {
    const { m } = await loaded(`
struct Most : IDifferentiable {
  typealias Differential = Most;
  float x;
  [Differentiable] static Most dzero() { Most m; m.x = 0.0; return m; }
  [Differentiable] static Most dadd(Most a, Most b) { Most m; m.x = max(a.x, b.x); return m; }
}
[Differentiable] public float f(float x, Most m) { return x * m.x; }`)
    expect(m.map('f', { x: [1, 5, 3], m: { x: 2 } }, { derivative: 'valueAndGrad' }).grad.m).toEqual({ x: 5 })
  })

  it('reads and writes what is bound', async () => {
    const source = `
RWStructuredBuffer<float> data;
uniform float scale;
[Differentiable] public float f(float x, no_diff int i) { data[i] = detach(x); return x * scale; }`
    const { m } = await loaded(source)
    expect(() => m.map('f', { x: [1, 2], i: [0, 1] })).toThrow(
      'map of f uses data, which is not bound: m.bind({ buffers, uniforms, textures, samplers }) binds what functions use',
    )
    const data = new Float32Array(3)
    m.bind({ buffers: { data } })
    expect(() => m.map('f', { x: [1, 2], i: [0, 1] })).toThrow('map of f uses scale, which is not bound')
    m.bind({ buffers: { data }, uniforms: { scale: 3 } })
    expect(m.map('f', { x: [1, 2], i: [2, 1] })).toEqual(Float32Array.of(3, 6))
    expect(data).toEqual(Float32Array.of(0, 2, 1))
    expect(m.map('f', { x: [1, 2], i: 0 }, { derivative: 'valueAndGrad' })).toEqual({
      value: Float32Array.of(3, 6),
      grad: { x: Float32Array.of(3, 3), i: null },
    })
    const own = m.buffer('data', 3)
    m.bind({ buffers: { data: own }, uniforms: { scale: 3 } })
    m.map('f', { x: [7, 8], i: [2, 1] })
    expect([...m.buffer('data')]).toEqual([0, 8, 7])
    // Memory that grows while the kernel is made.
    expect(m.map('f', { x: m.buffer('data'), i: 0 }, { derivative: 'jvp' }).value).toEqual(Float32Array.of(0, 24, 21))
  })

  it('samples textures', async () => {
    const { m } = await loaded(`
Texture2D<float4> image; SamplerState nearby; uniform float scale;
public float f(float2 uv) { return image.SampleLevel(nearby, uv, 0.0).x * scale; }`)
    expect(() => m.map('f', { uv: [[0, 0]] })).toThrow('map of f uses image, which is not bound')
    m.bind({
      textures: { image: { data: Float32Array.from({ length: 16 }, (_, k) => k), size: [2, 2] } },
      samplers: { nearby: {} },
      uniforms: { scale: 2 },
    })
    const uv = [0.25, 0.6, 0.75].map(x => [x, 0.5])
    expect(m.map('f', { uv })).toEqual(Float32Array.from(uv, x => m.fn['f'](x)))
  })

  it('prints in the order of elements', async () => {
    const lines: string[] = []
    const { m } = await loaded('public float f(float x) { printf("%g\\n", x); return x; }', {
      print: text => lines.push(text.trim()),
    })
    m.map('f', { x: Float32Array.from({ length: 100 }, (_, i) => i) })
    expect(lines).toEqual(Array.from({ length: 100 }, (_, i) => String(i)))
  })

  it('names the element at which the program stops', async () => {
    const lines: string[] = []
    const source = `
RWStructuredBuffer<int> calls;
int deep(int x) { if (x > 100000) return deep(x + 1) + 1; return x; }
[Differentiable] public float f(float x, no_diff int n) {
  calls[0] = 1;
  printf("%d", n);
  float r = x + float(deep(n));
  [MaxIters(10)] for (int i = 0; i < n; i++) r = sin(r);
  return r;
}`
    const { m } = await loaded(source, { print: text => lines.push(text) }, { debug: true })
    const calls = new Int32Array(1)
    m.bind({ buffers: { calls } })
    const n = Int32Array.from({ length: 300 }, (_, i) => (i === 130 || i === 200 ? 11 : 3))
    expect(() => m.map('f', { x: 1, n })).toThrow(/^element 130 of the map of f: .*10/)
    // Nothing is told twice, and nothing is written.
    expect([lines.length, calls[0]]).toEqual([131, 0])
    await expect(m.mapAsync('f', { x: 1, n }, { derivative: 'valueAndGrad' })).rejects.toThrow(
      /^element 130 of the map of f: /,
    )
    // Also where a buffer lies in the program's memory, which grows meanwhile.
    m.bind({ buffers: { calls: m.buffer('calls', 1) } })
    expect(() => m.map('f', { x: 1, n }, { derivative: 'jvp' })).toThrow(/^element 130 of the map of f: /)
    m.bind({ buffers: { calls } })
    n.fill(3)
    n[299] = 100001
    expect(() => m.map('f', { x: 1, n })).toThrow('element 299 of the map of f: f calls itself too deeply')
    n[299] = 3
    expect(m.map('f', { x: 1, n })[299]).toBe(m.fn['f'](1, 3))
  })

  it('keeps to the limits of the module', async () => {
    const source =
      '[Differentiable] public float f(float x, no_diff int n) { for (int i = 0; i < n; i++) x = sin(x); return x; }'
    const { m } = await loaded(source, { limits: { trips: 100, groups: 3 } })
    expect(m.map('f', { x: [1, 2], n: 3 })).toHaveLength(2)
    expect(() => m.map('f', { x: [1, 2], n: [3, 1000] })).toThrow('the call makes more than 100 trips of loops')
    expect(() => m.map('f', { x: new Float32Array(200), n: 1 })).toThrow('limits.groups allows 3')
  })

  it('holds the module while it runs', async () => {
    const { m } = await loaded(shapes)
    const pending = m.mapAsync('loss', { p: [[1, 2, 3]], goal: [0, 0, 1] }, { derivative: 'valueAndGrad' })
    expect(() => m.map('loss', { p: [[1, 2, 3]], goal: [0, 0, 1] })).toThrow('map is called while loss runs')
    await expect(m.mapAsync('loss', { p: [[1, 2, 3]], goal: [0, 0, 1] })).rejects.toThrow('while loss runs')
    expect((await pending).value).toHaveLength(1)
    m.close()
    expect(() => m.map('loss', { p: [[1, 2, 3]], goal: [0, 0, 1] })).toThrow('map is called after close')
  })

  it('reads what is bound once where nobody waits, however many elements there are', async () => {
    const { m } = await loaded(`
struct Rate { float value; float more[2]; }
uniform Rate rate; uniform float scale;
StructuredBuffer<float> table; StructuredBuffer<float> list; RWStructuredBuffer<int> seen; RWStructuredBuffer<int> own;
[Differentiable] public float f(float x, no_diff int i, float w) {
  seen[i] = i + 1;
  own[i] = own[i] + 1;
  return x * w * scale * rate.more[1] + detach(table[0] + list[0]);
}`)
    const seen = [0, 0]
    const [table, list, own] = [Float32Array.of(1), [2], m.buffer('own', 2)]
    const uniforms = { rate: { value: 0, more: [0, 3] }, scale: 2 }
    m.bind({ buffers: { table, list, seen, own }, uniforms })
    // So many that gradients of what is held are summed more than once.
    const i = new Int32Array(2 ** 16 + 64)
    i[i.length - 1] = 1
    const pending = m.mapAsync('f', { x: new Float32Array(i.length).fill(1), i, w: 1 }, { derivative: 'valueAndGrad' })
    table[0] = list[0] = uniforms.scale = uniforms.rate.more[1] = 100
    list.push(3)
    expect(seen).toEqual([0, 0])
    const { value, grad } = await pending
    expect([value[0], value[i.length - 1], grad.w]).toEqual([9, 9, 6 * i.length])
    expect([seen, m.buffer('own')[1], table[0], list]).toEqual([[1, 2], 1, 100, [100, 3]])
  })

  it('calls generic instances, methods and functions with lists of any length inside', async () => {
    const { m, signature } = await loaded(
      `
interface IScale { [Differentiable] float apply(float x); }
struct Twice : IScale { [Differentiable] float apply(float x) { return x * 2.0; } }
[Differentiable] float scaled<T : IScale>(T t, float x) { return t.apply(x); }
struct V : IDifferentiable { float x; [Differentiable] float squared() { return x * x; } }
[Differentiable] public float f(float x) { Twice t; V v = { x }; return scaled(t, x) + v.squared(); }
[Differentiable] public float grown(float x, no_diff int n) {
  float r = x;
  for (int i = 0; i < n; i++) r = sin(r) * 1.5 + x;
  return r;
}`,
      {},
      { exports: ['f', 'grown', 'V.squared'] },
    )
    await expectCalls(m, inputsOf(signature('f'), ['x'], 70, 1))
    await expectCalls(m, inputsOf(signature('grown'), ['x', 'n'], 70, 1))
    await expectCalls(m, inputsOf(signature('V.squared'), ['this'], 70, 1))
  })
})

describe('a map refuses', () => {
  const source = shapes
  const goal = [0, 0, 1]
  const p = new Float32Array(6)
  const cases: readonly (readonly [what: string, call: (m: CpuModule) => unknown, message: string])[] = [
    ['an unknown function', m => m.map('lose', {}), 'there is no function lose: did you mean loss?'],
    ['an unknown argument', m => m.map('loss', { p, gaol: goal }), 'loss has no argument gaol: did you mean goal?'],
    ['a missing argument', m => m.map('loss', { p }), 'goal: expected 3 numbers for a float3, or for many'],
    ['a list of arguments', m => m.map('loss', [p, goal] as never), 'loss has no argument 0'],
    ['no arguments', m => m.map('loss', undefined as never), 'arguments of map of loss: expected an object of values'],
    ['an unknown option', m => m.map('loss', { p, goal }, { mode: 1 } as never), 'map takes no option mode'],
    [
      'an unknown derivative',
      m => m.map('loss', { p, goal }, { derivative: 'grad' as never }),
      "derivative: expected 'valueAndGrad' or 'jvp', but the text \"grad\" came",
    ],
    [
      'a derivative that a function does not have',
      m => m.map('above', { x: [1], strict: true }, { derivative: 'valueAndGrad' }),
      'above has no reverse derivative: mark it [Differentiable]',
    ],
    [
      'a reverse derivative of a function that has the other only',
      m => m.map('forwards', { x: [1], y: 1 }, { derivative: 'valueAndGrad' }),
      'forwards has no reverse derivative: it has forward derivatives only',
    ],
    [
      'tangents for another derivative',
      m => m.map('loss', { p, goal }, { tangents: { p } }),
      "map of loss: tangents are for { derivative: 'jvp' }",
    ],
    [
      'tangents of what has none',
      m =>
        m.map(
          'turn',
          { m: new Float32Array(6), v: [[1, 2, 3]], times: 1 },
          { derivative: 'jvp', tangents: { times: 1 } },
        ),
      'turn has no argument with a derivative called times',
    ],
    [
      'lists of several lengths',
      m => m.map('loss', { p, goal: new Float32Array(9) }),
      'goal: expected 2 elements, as p has, but 3 came',
    ],
    [
      'tangents of another length',
      m => m.map('loss', { p, goal }, { derivative: 'jvp', tangents: { p: new Float32Array(9) } }),
      'tangents.p: expected 2 elements, as p has, but 3 came',
    ],
    [
      'part of an element',
      m => m.map('loss', { p: new Float32Array(7), goal }),
      'p: expected 3 numbers for a float3, or for many a list of 3 numbers for each or a list of values, but a Float32Array of length 7 came',
    ],
    [
      'a wrong value in a list',
      m =>
        m.map('loss', {
          p: [
            [1, 2, 3],
            [1, 2],
          ],
          goal,
        }),
      'p[1]: expected 3 numbers for a float3, but an array of length 2 came',
    ],
    [
      'a wrong number in a list',
      m =>
        m.map('loss', {
          p: [
            [1, 2, 3],
            [1, 'x', 2],
          ],
          goal,
        }),
      'p[1][1]: expected a number, but the text "x" came',
    ],
    [
      'a wrong number deep in a struct',
      m =>
        m.map('step', {
          r: [0, 1, 2, 3].map(i => ({
            o: [0, 0, i === 3 ? null : 0],
            id: 0,
            w: [0, 0, 0],
            inner: [0, 1].map(() => ({ uv: [0, 0], k: 0 })),
          })),
          t: 1,
        }),
      'r[3].o[2]: expected a number, but null came',
    ],
    [
      'fields of several lengths',
      m => m.map('step', { r: { o: p, id: [1, 2], w: new Float32Array(9), inner: { uv: [], k: [] } }, t: 1 }),
      'r.w: expected 2 elements, as r.o has, but 3 came',
    ],
    [
      'a wrong number in an object that should be one value',
      m => m.map('step', { r: { o: [0, 0, 0], id: 0, w: [0, 0, 0], inner: 'none' }, t: [1] }),
      'r.inner: expected 2 elements for a Inner[2], or for many a list of 6 numbers for each or a list of values or an object with a list for each field, but the text "none" came',
    ],
    [
      'fields that do not exist',
      m => m.map('step', { r: { o: p, id: [1, 2], weights: [], inner: [] }, t: 1 }),
      'r: expected an object with fields o, id, w, inner for a Ray',
    ],
    [
      'a name that is mapped and held',
      m => m.map('loss', { p, goal }, { mapped: ['p'], held: ['p'] }),
      'map of loss: p is mapped and held',
    ],
    [
      'an unknown name of a mapped argument',
      m => m.map('loss', { p, goal }, { mapped: ['q'] }),
      'map of loss: there is no argument q',
    ],
    [
      'names that are no list',
      m => m.map('loss', { p, goal }, { held: 'p' as never }),
      'held: expected a list of names of arguments',
    ],
    [
      'memory that is gone',
      m => {
        const gone = new Float32Array(6)
        structuredClone(gone, { transfer: [gone.buffer] })
        return m.map('loss', { p: gone, goal })
      },
      'p: expected 3 numbers for a float3, or for many a list of 3 numbers for each or a list of values, but a detached Float32Array of length 0 came',
    ],
  ]

  it.each(cases)('%s', async (_, call, message) => {
    const { m } = await loaded(source)
    expect(() => call(m)).toThrow(message)
  })

  it('what a build compiled without it', async () => {
    const program = compile('public float f(float x) { return x; }')
    const whole = program.wasm()
    const m = await load({ exports: program.exports, functions: program.functions, wasm: () => whole })
    expect(() => m.map('f', { x: [1] })).toThrow('a program that a build compiled has no map of f')
  })
})
