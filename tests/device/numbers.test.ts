/**
 * Numbers at edges: what a program means is computed here by itself, and JavaScript (in both modes), WebAssembly, the interpreter,
 * constants folded by the compiler, and a WebGPU device must give that.
 */
import { afterAll, describe, expect, it } from 'vitest'
import { loadSync } from '../../src/cpu/index.ts'
import { compile } from '../../src/index.ts'
import { funcNamed, run } from '../../src/ir/run.ts'
import type { Scalar } from '../../src/ir/scalar.ts'
import type { ScalarName } from '../../src/ir/type.ts'
import { closeGpu, runByName } from '../support/gpu.ts'
import { inspect } from '../support/inspect.ts'
import { evaluate } from '../support/js-run.ts'
import { combinations, fromWord, toWord } from '../support/op-values.ts'

afterAll(closeGpu)

const scalarOf: Readonly<Record<string, ScalarName>> = {
  float: 'f32',
  double: 'f64',
  half: 'f16',
  int: 'i32',
  uint: 'u32',
  int64_t: 'i64',
  uint64_t: 'u64',
  int16_t: 'i16',
  uint16_t: 'u16',
  int8_t: 'i8',
  uint8_t: 'u8',
}

type Args = readonly Scalar[]

/** How a source writes a number. */
function literal(type: string, x: Scalar): string {
  if (typeof x === 'bigint')
    return x === -(2n ** 63n) ? '(-9223372036854775807ll - 1ll)' : `${type}(${x}${type === 'uint64_t' ? 'ull' : 'll'})`
  const suffix = { double: 'l', float: 'f', half: 'h' }[type]
  if (suffix === undefined)
    return x === -(2 ** 31) ? '(-2147483647 - 1)' : `${type}(${Number(x)}${type === 'uint' ? 'u' : ''})`
  if (Number.isNaN(x)) return `${type}(0.0${suffix} / 0.0${suffix})`
  if (!Number.isFinite(x)) return `${type}(${x === Infinity ? '' : '-'}1.0${suffix} / 0.0${suffix})`
  return `(${Object.is(x, -0) ? '-0.0' : Number(x).toExponential(17)}${suffix})`
}

/** Expects `expr` of parameters a, b, c to be `wanted` at all points, on everything that computes. */
async function expectEverywhere(
  types: readonly string[],
  result: string,
  expr: string,
  points: readonly Args[],
  wanted: (...args: never[]) => Scalar,
  onGpu = true,
): Promise<void> {
  const source = `public ${result} f(${types.map((type, i) => `${type} ${'abc'[i]}`).join(', ')}) { return ${expr}; }\n`
  const constants = points.map(
    (args, k) =>
      `public ${result} at${k}() { return ${expr.replace(/\b[abc]\b/g, name => literal(types['abc'.indexOf(name)]!, args['abc'.indexOf(name)]!))}; }`,
  )
  const [plain, folded] = [compile(source), compile(constants.join('\n'))]
  expect(folded.diagnostics.filter(d => d.severity === 'error').map(d => d.message)).toEqual([])
  const unoptimised = compile(source, { optimize: 0 })
  const js = [plain, unoptimised].flatMap(p => [evaluate(p.js().code), evaluate(p.js({ mode: 'f64' }).code)])
  const wasm = [loadSync(plain), loadSync(unoptimised)]
  const known = [evaluate(folded.js().code), loadSync(folded).fn]
  const func = funcNamed(inspect(source, 'f.slang', 2)(), 'f')
  const device = onGpu ? await onDevice(types, result, source, points) : undefined
  const wrong: string[] = []
  points.forEach((args, k) => {
    const right = wanted(...(args as never[]))
    const found: Readonly<Record<string, unknown>> = {
      js: js[0]!['f']!(...args),
      'js in f64': js[1]!['f']!(...args),
      'js -O0': js[2]!['f']!(...args),
      wasm: wasm[0]!.fn['f']!(...args),
      'wasm -O0': wasm[1]!.fn['f']!(...args),
      interpreter: run(func, args)[0],
      'js constant': known[0]![`at${k}`]!(),
      'wasm constant': known[1]![`at${k}`]!(),
      ...(device === undefined || args.some(Number.isNaN) ? {} : { wgsl: device[k] }),
    }
    for (const [who, x] of Object.entries(found))
      if (!Object.is(x, right))
        wrong.push(
          `${expr} at ${args.join(', ')} (${types.join(', ')}): ${who} gives ${String(x)}, not ${String(right)}`,
        )
  })
  expect(wrong).toEqual([])
}

async function onDevice(
  types: readonly string[],
  result: string,
  source: string,
  points: readonly Args[],
): Promise<Scalar[]> {
  const args = types.map(
    (type, i) => `${{ float: 'asfloat', int: 'asint' }[type] ?? ''}(inp[id.x * ${types.length} + ${i}])`,
  )
  const { code, reflection } = compile(`${source}
    StructuredBuffer<uint> inp; RWStructuredBuffer<uint> outp;
    [shader("compute")] [numthreads(1, 1, 1)] void k(uint3 id : SV_DispatchThreadID) { outp[id.x] = asuint(f(${args.join(', ')})); }`).wgsl()
  const inp = new Uint8Array(
    Uint32Array.from(points.flatMap(point => point.map((x, i) => toWord(scalarOf[types[i]!]!, x)))).buffer,
  )
  const out = await runByName(code, 'k', reflection.bindings, { inp, outp: new Uint8Array(points.length * 4) }, [
    points.length,
    1,
    1,
  ])
  return [...new Uint32Array(out['outp']!.slice().buffer)].map(word => fromWord(scalarOf[result]!, word))
}

const floats: Readonly<Record<string, readonly number[]>> = {
  float: [
    0,
    -0,
    0.99999994,
    -0.99999994,
    1.5,
    -1.5,
    126.99999,
    127.5,
    128,
    -128.9,
    -129,
    255.9,
    256,
    32767.998,
    32768,
    -32769,
    65536,
    8388609,
    2147483520,
    2147483648,
    -2147483648,
    -2147483904,
    4294967040,
    4294967296,
    9.223371e18,
    9.223372036854775808e18,
    -9.223372036854775808e18,
    1.8446742e19,
    1.8446744073709552e19,
    3e38,
    -3e38,
    Infinity,
    -Infinity,
    NaN,
  ].map(Math.fround),
  double: [
    -0.9,
    127.99999999,
    2147483647.5,
    -2147483648.9,
    2147483648,
    4294967295.5,
    4294967296,
    9007199254740992,
    9223372036854774784,
    9223372036854775808,
    18446744073709549568,
    18446744073709551616,
    -9223372036854775808,
    -9223372036854777856,
    1e300,
    -1e300,
    Infinity,
    -Infinity,
    NaN,
  ],
  half: [0.5, -0.5, 127.5, 128, -129, 256, 32768, 65504, -65504, Infinity, -Infinity, NaN],
}

/** A float as an integer, by integers of any size. */
function asInteger(type: string, x: number): Scalar {
  const bits = BigInt(scalarOf[type]!.slice(1))
  const [low, high] = type.startsWith('u') ? [0n, 2n ** bits - 1n] : [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n]
  const whole = Number.isNaN(x) ? 0n : x === Infinity ? high : x === -Infinity ? low : BigInt(Math.trunc(x))
  const kept = whole < low ? low : whole > high ? high : whole
  return bits === 64n ? kept : Number(kept)
}

const integers = ['int', 'uint', 'int64_t', 'uint64_t', 'int16_t', 'uint16_t', 'int8_t', 'uint8_t']

describe('floats become integers by saturating, and NaN becomes 0', () => {
  for (const from of Object.keys(floats)) {
    it.each(integers)(`${from} to %s`, async to => {
      await expectEverywhere(
        [from],
        to,
        `${to}(a)`,
        floats[from]!.map(x => [x]),
        (x: number) => asInteger(to, x),
        from === 'float' && (to === 'int' || to === 'uint'),
      )
    })
  }

  it('in every lane of a vector', () => {
    const source =
      'public uint3 f(float3 v) { return uint3(v); } public int2x2 g(float2x2 m) { return int2x2(m); } public uint8_t2 h(float2 v) { return uint8_t2(v); }'
    const [m, js] = [loadSync(compile(source)), evaluate(compile(source).js().code)]
    for (const fn of [m.fn, js]) {
      expect(fn['f']!([-1, 5e9, NaN])).toEqual([0, 2 ** 32 - 1, 0])
      expect(
        fn['g']!([
          [3e9, -3e9],
          [NaN, -1.5],
        ]),
      ).toEqual([
        [2 ** 31 - 1, -(2 ** 31)],
        [0, -1],
      ])
      expect(fn['h']!([300, -5])).toEqual([255, 0])
    }
  })

  it('and what is computed around that has the derivative of the rest', () => {
    const program = compile('[Differentiable] public float f(float x) { return x * float(int(x * 1e10)); }')
    const { fn } = loadSync(program)
    expect(fn['f']!.valueAndGrad(2)).toEqual({ value: 2 ** 32, grad: [2 ** 31] })
  })

  it('wherever a type is wanted that is known before the program runs', () => {
    const { fn } = loadSync(
      compile(
        'static const int most = int(3e10f); public int f() { int a[int(2.9999999999f)]; return most + int(16777217.0f) * 0 + sizeofA(a); } int sizeofA(int a[3]) { return 3; } public int g() { return int(16777217.0f); }',
      ),
    )
    expect([fn['f']!(), fn['g']!()]).toEqual([(2 ** 31 + 2) | 0, 16777216])
  })
})

describe('integers', () => {
  const edges: Readonly<Record<string, Args>> = {
    int: [0, 1, -1, 7, -7, 33, 2 ** 31 - 1, -(2 ** 31)],
    uint: [0, 1, 7, 33, 2 ** 31, 2 ** 32 - 1],
    int64_t: [0n, 1n, -1n, 7n, -7n, 65n, 2n ** 63n - 1n, -(2n ** 63n)],
    uint64_t: [0n, 1n, 7n, 65n, 2n ** 64n - 1n],
    int16_t: [0, 1, -1, 7, 17, 32767, -32768],
    uint16_t: [0, 1, 17, 65535],
    int8_t: [0, 1, -1, 9, 127, -128],
    uint8_t: [0, 1, 9, 255],
  }
  const fitted = (type: string, x: bigint): Scalar => {
    const bits = Number(scalarOf[type]!.slice(1))
    const cut = type.startsWith('u') ? BigInt.asUintN(bits, x) : BigInt.asIntN(bits, x)
    return bits === 64 ? cut : Number(cut)
  }
  const rows: readonly (readonly [string, string, (x: bigint, y: bigint, bits: bigint) => bigint])[] = [
    ['a quotient by 0 is the dividend', '/', (x, y) => (y === 0n ? x : x / y)],
    ['a remainder by 0 is 0', '%', (x, y) => (y === 0n ? 0n : x % y)],
    [
      'a shift takes its amount modulo the width, to the left',
      '<<',
      (x, y, bits) => x << (BigInt.asUintN(64, y) % bits),
    ],
    ['and to the right', '>>', (x, y, bits) => x >> (BigInt.asUintN(64, y) % bits)],
    ['the smaller', 'min', (x, y) => (x < y ? x : y)],
    ['the greater', 'max', (x, y) => (x > y ? x : y)],
  ]
  for (const [name, op, right] of rows) {
    it.each(integers)(`${name}: %s`, async type => {
      const points = combinations([edges[type]!, edges[type]!]) as Args[]
      const sayable = op === '/' || op === '%' ? points.filter(([, y]) => Number(y) !== 0) : points
      const expr = /\w/.test(op) ? `${op}(a, b)` : `(${type})(a ${op} b)`
      const bits = BigInt(scalarOf[type]!.slice(1))
      const wanted = (x: Scalar, y: Scalar): Scalar => fitted(type, right(BigInt(x), BigInt(y), bits))
      await expectEverywhere([type, type], type, expr, sayable, wanted, type === 'int' || type === 'uint')
      if (sayable === points) return
      // By a constant 0 it is a mistake of the program.
      const source = `public ${type} f(${type} a, ${type} b) { return (${type})(a ${op} b); }`
      const all = [loadSync(compile(source)).fn['f']!, evaluate(compile(source).js().code)['f']!]
      for (const f of all)
        for (const x of edges[type]!)
          expect(f(x, typeof x === 'bigint' ? 0n : 0)).toBe(wanted(x, typeof x === 'bigint' ? 0n : 0))
      if (bits !== 32n || type.includes('_')) return
      const device = await onDevice(
        [type, type],
        type,
        `${source}\n`,
        edges[type]!.map(x => [x, 0]),
      )
      expect(device).toEqual(edges[type]!.map(x => wanted(x, 0)))
    })
  }
})

describe('rounding', () => {
  const points = [
    0, -0, 0.5, -0.5, 0.49999997, -0.49999997, 1.5, 2.5, -1.5, -2.5, 0.7, -0.7, 8388607.5, 8388608.5, -8388607.5, 3e9,
  ].map(x => [Math.fround(x)] as const)
  const even = (x: number): number => {
    const low = Math.floor(x)
    const near = x - low < 0.5 ? low : x - low > 0.5 ? low + 1 : low % 2 === 0 ? low : low + 1
    return near === 0 ? (x < 0 || Object.is(x, -0) ? -0 : 0) : near
  }
  it.each(['float', 'double', 'half'])('to even, with the sign of zero: %s', async type => {
    const own = type === 'half' ? points.filter(([x]) => Math.abs(x) < 100 && (x * 2) % 1 === 0) : points
    for (const name of ['round', 'rint'])
      await expectEverywhere([type], type, `${name}(a)`, own, even, type === 'float')
  })
  it('to other integers, with the sign of zero', async () => {
    await expectEverywhere(['float'], 'float', 'ceil(a)', points, (x: number) => Math.ceil(x))
    await expectEverywhere(['float'], 'float', 'floor(a)', points, (x: number) => Math.floor(x))
    await expectEverywhere(['float'], 'float', 'trunc(a)', points, (x: number) => Math.trunc(x))
  })
})

it('a value between bounds in the wrong order is the upper one', async () => {
  const points = combinations([
    [-1, 0, 1, 5],
    [2, 0],
    [1, -3],
  ]).map(p => p as unknown as Args)
  await expectEverywhere(
    ['float', 'float', 'float'],
    'float',
    'clamp(a, b, c)',
    points,
    (x: number, low: number, high: number) => Math.min(Math.max(x, low), high),
    false,
  )
  await expectEverywhere(
    ['int', 'int', 'int'],
    'int',
    'clamp(a, b, c)',
    points,
    (x: number, low: number, high: number) => Math.min(Math.max(x, low), high),
  )
  const gradient = loadSync(
    compile('[Differentiable] public float f(float x, float low, float high) { return clamp(x, low, high); }'),
  ).fn['f']!
  expect(gradient.valueAndGrad(5, 2, 1)).toEqual({ value: 1, grad: [0, 0, 1] })
  expect(gradient.valueAndGrad(0, 2, 1)).toEqual({ value: 1, grad: [0, 0, 1] })
})

it('a constant of half precision has the digits of its type', () => {
  const program = compile(
    'public float f() { half x = half(3.7); return float(x + x) + float(half(70000.0)) * 0.0; } public half g() { return half(3.7f); } public half h() { return half(100000); }',
  )
  for (const fn of [loadSync(program).fn, evaluate(program.js().code)])
    expect([fn['g']!(), fn['h']!()]).toEqual([3.69921875, Infinity])
})

it('a constant of half precision is rounded before it becomes another number', () => {
  const source = `static const float known = half(2049);
    T made<T : __BuiltinFloatingPointType>() { return T(2049.0); }
    public float f() { return float(half(2049)); } public float g() { return 2049.0h; } public int h() { return int(half(2049)); }
    public double i() { return double(half(0.1)); } public float j() { return known + float(made<half>()); }
    public float k() { return float(half(1.0e-8)); } public float l() { return float2(half2(2049.0h)).y; }`
  for (const optimize of [0, 2] as const) {
    const program = compile(source, { optimize })
    for (const fn of [loadSync(program).fn, evaluate(program.js().code)])
      expect([...'fghijkl'].map(name => fn[name]!())).toEqual([2048, 2048, 2048, 0.0999755859375, 4096, 0, 2048])
  }
})

describe('past the end of a buffer', () => {
  const rows: readonly (readonly [what: string, body: string, wanted: readonly number[]])[] = [
    ['stores are dropped', 'outp[id.x + 2] = id.x + 10;', [1, 2, 10, 11]],
    ['and below its beginning', 'outp[int(id.x) - 2] = id.x + 10;', [12, 13, 3, 4]],
    ['assignments that read too', 'outp[id.x + 2] += 10;', [1, 2, 13, 14]],
    [
      'atomics do nothing and give 0',
      'uint old; InterlockedAdd(outp[id.x + 2], 5, old); if (id.x == 3) outp[0] = old + 50;',
      [50, 2, 8, 9],
    ],
    ['reads find the last element', 'outp[id.x] = other[id.x + 2];', [7, 8, 8, 8]],
    ['of an empty buffer are zeros', 'outp[id.x] = empty[id.x] + 3;', [3, 3, 3, 3]],
    [
      'parts of elements are dropped too',
      'pairs[id.x].v[1] = 7.5; outp[id.x] = uint(pairs[id.x].v[0] + pairs[id.x].v[1] * 2.0);',
      [15, 15, 15, 15],
    ],
    [
      'arrays of threads have a last element',
      'uint a[4] = { 1, 2, 3, 4 }; a[id.x + 2] = 9; outp[id.x] = a[id.x + 2] * 100 + a[3];',
      [904, 909, 909, 909],
    ],
  ]
  it.each(rows)('%s', (_, body, wanted) => {
    for (const optimize of [0, 2] as const) {
      const program = compile(
        `struct Pair { float v[2]; } RWStructuredBuffer<Pair> pairs; RWStructuredBuffer<uint> outp; RWStructuredBuffer<uint> empty; StructuredBuffer<uint> other;
        [shader("compute")] [numthreads(4, 1, 1)] void k(uint3 id : SV_DispatchThreadID) { ${body} }`,
        { optimize },
      )
      const buffers = () => ({
        outp: new Uint32Array([1, 2, 3, 4]),
        other: new Uint32Array([5, 6, 7, 8]),
        empty: new Uint32Array(0),
        pairs: new Float32Array(4),
      })
      const [js, wasm] = [buffers(), buffers()]
      evaluate(program.js().code)['k']!([1, 1, 1], js)
      loadSync(program).kernel('k').dispatch([1, 1, 1], { buffers: wasm })
      expect([[...js.outp], [...wasm.outp]], `-O${optimize}`).toEqual([wanted, wanted])
    }
  })
})

it('the slope of a distance is that of one side or zero, of NaN too, on each kind of CPU', () => {
  const program = compile('[Differentiable] public float f(float x) { return abs(x); }')
  const script = evaluate(program.js().code)['bwd_diff(f)']!
  const machine = loadSync(program).fn['f']!
  for (const [x, slope] of [
    [2, 1],
    [-2, -1],
    [0, 0],
    [-0, 0],
    [NaN, 0],
  ] as const) {
    expect(machine.valueAndGrad(x).grad).toEqual([slope])
    expect(script({ p: x, d: 0 }, 1)).toEqual({ out: { x: { p: x, d: slope } } })
  }
})
