/** Whatever a program calls its functions, kernels, parameters, structs, fields and resources: JavaScript and WebAssembly of it load, and give its numbers. */
import { describe, expect, it } from 'vitest'
import { load, type BufferData } from '../../src/cpu/index.ts'
import { checkDerivatives } from '../../src/cpu/check.ts'
import { compile } from '../../src/index.ts'
import { helpers } from '../../src/target/js/helper.ts'

const words = `arguments async await break case catch class const continue debugger default delete do else enum eval export extends false finally for function get if implements
import in instanceof interface let new null of package private protected public return set static super switch this throw true try typeof undefined var void while with yield
then catch finally resolve reject as from meta target accessor using constructor prototype __proto__ __defineGetter__ __lookupSetter__ hasOwnProperty isPrototypeOf propertyIsEnumerable toLocaleString
toString valueOf toJSON length name caller callee apply call bind groups buffers resources uniforms counts gx gy gz lx ly lz threads thread steps own done value buffer byteOffset byteLength
bytes host print trap memory running exports module require process global window self document trips e e1 i i1 r r0 t t_1 _ __ $ $0 x_host f_host f_turn main_host fwd_diff bwd_diff heap`

const names = [
  ...new Set([
    ...words.split(/\s+/),
    ...Object.getOwnPropertyNames(globalThis),
    ...Object.getOwnPropertyNames(Object.prototype),
    ...Object.keys(helpers),
  ]),
].filter(n => /^[A-Za-z_]\w*$/.test(n) && n !== 'true' && n !== 'false')

interface Row {
  readonly what: string
  readonly source: (name: string) => string
  /** What it gives, of functions or kernels by name. */
  readonly ask: (m: Asked, name: string) => unknown
  readonly wanted: unknown
}

interface Asked {
  readonly fn: (name: string) => (...args: unknown[]) => unknown
  readonly kernel: (name: string, buffers: Record<string, unknown>, uniforms: Record<string, unknown>) => void
}

const kernel = '[shader("compute")] [numthreads(2, 1, 1)]'
const rows: readonly Row[] = [
  {
    what: 'a function',
    source: n =>
      `float twice(float x) { return x * 2.0; } public float ${n}(float x) { return twice(x) + 1.0; } public float other(float x) { return ${n}(x) + 1.0; }`,
    ask: (m, n) => [m.fn(n)(3), m.fn('other')(3)],
    wanted: [7, 8],
  },
  {
    what: 'a function that prints',
    source: n => `public float ${n}(float x) { if (x > 100.0) printf("%f", x); return x + 1.0; }`,
    ask: (m, n) => m.fn(n)(3),
    wanted: 4,
  },
  {
    what: 'a parameter',
    source: n =>
      `public float f(float ${n}, out float2 y, int a[3]) { y = float2(${n}, 1.0); return ${n} * 2.0 + float(a[2]); }`,
    ask: m => m.fn('f')(3, [1, 2, 5]),
    wanted: { result: 11, out: { y: [3, 1] } },
  },
  {
    what: 'an output',
    source: n => `public void f(float x, out float ${n}) { ${n} = x * 2.0; }`,
    ask: (m, n) => (m.fn('f')(3) as { out: Record<string, unknown> }).out[n],
    wanted: 6,
  },
  {
    what: 'a local variable',
    source: n =>
      `public float f(float x) { float ${n} = x; for (int k = 0; k < int(x); k++) ${n} += float(k); float list[3] = { ${n}, x, 1.0 }; return list[int(x) % 3] + ${n}; }`,
    ask: m => m.fn('f')(3),
    wanted: 12,
  },
  {
    what: 'a struct and its method',
    source: n =>
      `struct ${n} { float a; float ${n}_(float x) { return a * x; } } public ${n} f(${n} s) { s.a = s.${n}_(2.0); return s; }`,
    ask: m => m.fn('f')({ a: 3 }),
    wanted: { a: 6 },
  },
  {
    what: 'a kernel',
    source: n =>
      `RWStructuredBuffer<float> outp; float twice(float x) { return x * 2.0; } ${kernel} void ${n}(uint3 id : SV_DispatchThreadID) { outp[id.x] = twice(float(id.x)) + 1.0; }`,
    ask: (m, n) => filled(data => m.kernel(n, { outp: data }, {})),
    wanted: [1, 3],
  },
  {
    what: 'a function that a kernel calls',
    source: n =>
      `RWStructuredBuffer<float> outp; [noinline] float ${n}(float x) { return sin(x) * 0.0 + x; } ${kernel} void k(uint3 id : SV_DispatchThreadID) { outp[id.x] = ${n}(float(id.x)); GroupMemoryBarrierWithGroupSync(); outp[id.x] += ${n}(1.0); }`,
    ask: m => filled(data => m.kernel('k', { outp: data }, {})),
    wanted: [1, 2],
  },
  {
    what: 'a buffer',
    source: n =>
      `RWStructuredBuffer<float> ${n}; ${kernel} void k(uint3 id : SV_DispatchThreadID) { ${n}[id.x] = float(id.x) + 1.0; }`,
    ask: (m, n) => filled(data => m.kernel('k', Object.fromEntries([[n, data]]), {})),
    wanted: [1, 2],
  },
  {
    what: 'a uniform',
    source: n =>
      `uniform float ${n}; RWStructuredBuffer<float> outp; ${kernel} void k(uint3 id : SV_DispatchThreadID) { outp[id.x] = ${n}; }`,
    ask: (m, n) => filled(data => m.kernel('k', { outp: data }, Object.fromEntries([[n, 4]]))),
    wanted: [4, 4],
  },
  {
    what: 'shared memory and a static',
    source: n =>
      `groupshared float ${n}[2]; static float s${n} = 1.0; RWStructuredBuffer<float> outp; ${kernel} void k(uint3 id : SV_DispatchThreadID) { ${n}[id.x] = float(id.x); s${n} += 1.0; GroupMemoryBarrierWithGroupSync(); outp[id.x] = ${n}[1 - id.x] + s${n}; }`,
    ask: m => filled(data => m.kernel('k', { outp: data }, {})),
    wanted: [3, 2],
  },
]

function filled(run: (data: Float32Array) => void): number[] {
  const data = new Float32Array(2)
  run(data)
  return [...data]
}

describe.each(rows)('$what', ({ source, ask, wanted }) => {
  it('may be called anything that the language allows', async () => {
    const wrong: string[] = []
    let tried = 0
    for (const name of names) {
      const program = compile(source(name))
      if (!program.ok) continue
      tried++
      try {
        const { code, renamed } = program.js()
        const js = (await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(code)}`)) as Record<
          string,
          (...args: unknown[]) => unknown
        >
        const own = (n: string): ((...args: unknown[]) => unknown) => js[Object.hasOwn(renamed, n) ? renamed[n]! : n]!
        const m = await load(program)
        const uses: readonly Asked[] = [
          {
            fn: own,
            kernel: (n, buffers, uniforms) =>
              own(n)([1, 1, 1], {
                ...buffers,
                ...(Object.keys(uniforms).length > 0 ? { globalParams: uniforms } : {}),
              }),
          },
          {
            fn: n => m.fn[n],
            kernel: (n, buffers, uniforms) =>
              m.kernel(n).dispatch([1, 1, 1], { buffers: buffers as Record<string, BufferData>, uniforms }),
          },
        ]
        for (const [k, asked] of uses.entries()) {
          const found = ask(asked, name)
          if (JSON.stringify(found) !== JSON.stringify(wanted))
            wrong.push(`${name} in ${['JavaScript', 'WebAssembly'][k]}: ${JSON.stringify(found)}`)
        }
      } catch (e) {
        wrong.push(`${name}: ${String(e)}`)
      }
    }
    expect(wrong).toEqual([])
    expect(tried).toBeGreaterThan(100)
  }, 120_000)
})

it('a function named then has derivatives that are checked, and no module is a promise', async () => {
  const program = compile(
    '[Differentiable] public float then(float x) { return x * x; } public float then_(float x) { return x; } uniform float scale; public float bind(float x) { return x * scale; }',
  )
  expect(Object.entries(program.js().renamed)).toEqual([
    ['then', 'then__'],
    ['bind', 'bind_'],
  ])
  const { ok, functions } = await checkDerivatives(program, { functions: ['then'], samples: 3, seed: 1 })
  expect([ok, functions.map(f => f.compared)]).toEqual([true, [3]])
})

it('tables of any length', async () => {
  const count = 70_000
  const program = compile(
    `static const float table[${count}] = { ${Array.from({ length: count }, (_, i) => i % 100).join(', ')} }; public float f(int i) { return table[i]; }`,
  )
  const js = (await import(
    /* @vite-ignore */ `data:text/javascript,${encodeURIComponent(program.js().code)}`
  )) as Record<string, (i: number) => number>
  const m = await load(program)
  for (const i of [0, 1, 65_535, 65_599, 69_999]) expect([js['f']!(i), m.fn['f']!(i)]).toEqual([i % 100, i % 100])
})
