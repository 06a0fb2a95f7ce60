import { describe, expect, it } from 'vitest'
import { loadSync } from '../../src/cpu/index.ts'
import { compile } from '../../src/index.ts'
import { Machine } from '../../src/cpu/machine.ts'

// The elementary functions that WebAssembly gets from core/libm.slang and target/wasm/elementary.ts, against those of the JavaScript engine,
// which are good to a unit in the last place: doubles over the whole range, floats to the nearest or its neighbour.

const one: Readonly<Record<string, (x: number) => number>> = {
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  asin: Math.asin,
  acos: Math.acos,
  atan: Math.atan,
  sinh: Math.sinh,
  cosh: Math.cosh,
  tanh: Math.tanh,
  asinh: Math.asinh,
  acosh: Math.acosh,
  atanh: Math.atanh,
  exp: Math.exp,
  exp2: x => 2 ** x,
  log: Math.log,
  log2: Math.log2,
  sqrt: Math.sqrt,
}
const two: Readonly<Record<string, (x: number, y: number) => number>> = {
  pow: Math.pow,
  atan2: Math.atan2,
  fmod: (x, y) => x % y,
}

/** Numbers over all magnitudes, dense between -10 and 10, and the special ones. */
function samples(): number[] {
  const out = [
    0,
    -0,
    1,
    -1,
    0.5,
    -0.5,
    2,
    -2,
    3,
    Infinity,
    -Infinity,
    NaN,
    5e-324,
    -5e-324,
    2.5e-308,
    1e-310,
    1e300,
    -1e300,
    1e22,
    Math.PI,
    Math.PI / 2,
    1e6,
    710,
    -745,
    709.5,
  ]
  for (let i = -400; i <= 400; i++) out.push(i * 0.0253)
  for (let e = -40; e <= 40; e++) out.push(1.2345 * 2 ** e, -1.8765 * 2 ** e)
  for (let e = -1000; e <= 1000; e += 97) out.push(1.37 * 2 ** e, -1.37 * 2 ** e)
  return out
}

const spacing = (x: number): number => Math.max(2 ** (Math.floor(Math.log2(Math.abs(x))) - 52), 5e-324)
const spacing32 = (x: number): number => Math.max(2 ** (Math.floor(Math.log2(Math.abs(x))) - 23), 2 ** -149)

function expectClose(got: number, wanted: number, unit: number, what: string): void {
  const fits = Object.is(got, wanted) || (Number.isFinite(wanted) && wanted !== 0 && Math.abs(got - wanted) <= unit)
  expect(fits, `${what} is ${got}, not ${wanted}`).toBe(true)
}

function machine(name: string, arity: number): Machine {
  const params = (type: string): string =>
    ['x', 'y']
      .slice(0, arity)
      .map(p => `${type} ${p}`)
      .join(', ')
  const args = ['x', 'y'].slice(0, arity).join(', ')
  const { bytes, host } = compile(
    ['float', 'double']
      .map(type => `public ${type} of_${type}(${params(type)}) { return ${name}(${args}); }`)
      .join('\n'),
  ).wasm()
  return new Machine(new WebAssembly.Module(bytes), host)
}

/** Whether rounding to float alone moves the value by many units, as where a float overflows or is subnormal. */
const inFloat = (x: number): boolean =>
  Number.isNaN(x) || Math.abs(Math.fround(x)) === Infinity || x === 0 || Math.abs(x) > 2 ** -126

describe('libm', () => {
  it.each(Object.keys(one))('%s', name => {
    const wasm = machine(name, 1)
    const f = one[name]!
    for (const x of samples()) {
      const wanted = f(x)
      expectClose(wasm.call('of_double', [x]).result as number, wanted, 4 * spacing(wanted), `${name}(${x})`)
      const x32 = Math.fround(x)
      const wanted32 = Math.fround(f(x32))
      if (inFloat(wanted32))
        expectClose(
          wasm.call('of_float', [x32]).result as number,
          wanted32,
          spacing32(wanted32),
          `${name}(${x32}) in float`,
        )
    }
  })

  it.each(Object.keys(two))('%s', name => {
    const wasm = machine(name, 2)
    const f = two[name]!
    const few = samples().filter((_, i) => i < 25 || i % 23 === 0)
    for (const x of few) {
      for (const y of few) {
        const wanted = f(x, y)
        expectClose(wasm.call('of_double', [x, y]).result as number, wanted, 4 * spacing(wanted), `${name}(${x}, ${y})`)
        const [x32, y32] = [Math.fround(x), Math.fround(y)]
        const wanted32 = Math.fround(f(x32, y32))
        if (inFloat(wanted32))
          expectClose(
            wasm.call('of_float', [x32, y32]).result as number,
            wanted32,
            spacing32(wanted32),
            `${name}(${x32}, ${y32}) in float`,
          )
      }
    }
  })
})

/** Every so many floats, by their bits: all signs and magnitudes, subnormal numbers and NaN. */
function floats(step: number): Float32Array {
  const bits = Uint32Array.from({ length: Math.ceil(2 ** 32 / step / 64) * 64 }, (_, i) => i * step)
  return new Float32Array(bits.buffer)
}

describe('helpers of floats', () => {
  const elementary: readonly [name: string, call: string, of: (x: number) => number][] = [
    ...Object.keys(one)
      .filter(name => name !== 'sqrt')
      .map(name => [name, `${name}(x)`, one[name]!] satisfies [string, string, (x: number) => number]),
    ['pow', 'pow(x, -1.5)', x => x ** -1.5],
    ['atan2 to the left', 'atan2(x, -1.5)', x => Math.atan2(x, -1.5)],
    ['atan2 above', 'atan2(2.5, x)', x => Math.atan2(2.5, x)],
    ['atan2 below', 'atan2(-1.0e-30, x)', x => Math.atan2(Math.fround(-1e-30), x)],
    ['atan2 of two that vary', 'atan2(x, 1 / x)', x => Math.atan2(x, Math.fround(1 / x))],
    ['atan2 of nothing', 'atan2(0.0, x)', x => Math.atan2(0, x)],
  ]

  it.each(elementary)('%s is within 1.6 units in the last place, of one thread as of four', (_, call, of) => {
    const program = compile(
      `StructuredBuffer<float> xs; RWStructuredBuffer<float> ys;
       [shader("compute")] [numthreads(64, 1, 1)]
       void computeMain(uint3 id : SV_DispatchThreadID) { float x = xs[id.x]; ys[id.x] = ${call}; }`,
    )
    const xs = floats(40_009)
    // Where errors were found to be largest.
    xs.set([1.4091180562973022, -3.650498867034912, 6275.5830078125, 0.6309728026390076, -81.42243957519531])
    // In vectors beside others, and alone.
    xs.set([0, -0, Infinity, 1, -Infinity, 2, -0, -0, -0, -0], 5)
    const [single, four] = ([1, 4] as const).map(lanes => {
      const module = loadSync(program, { lanes })
      const buffers = { xs, ys: new Float32Array(xs.length) }
      module.kernel('computeMain').dispatch([xs.length / 64, 1, 1], { buffers })
      module.close()
      return buffers.ys
    })
    const wrong: string[] = []
    xs.forEach((x, i) => {
      const [y, wanted] = [single![i]!, of(x)]
      const fits =
        Object.is(y, Math.fround(wanted)) ||
        (Number.isFinite(y) && Math.abs(y - wanted) <= 1.6 * spacing32(Math.abs(y) > 2 ** -126 ? y : 2 ** -126))
      if (!fits || !Object.is(y, four![i]!)) wrong.push(`${x}: ${y} and ${four![i]}, not ${wanted}`)
    })
    expect(wrong.slice(0, 5)).toEqual([])
  })
})

it.each([
  ['sin', [4194304]],
  ['cos', [4194304]],
  ['tan', [1e9]],
  ['pow', [-1.1, 7]],
  ['atan2', [3e38, 1e38]],
] as const)('%s of floats has all digits beside that of halves', (name, given) => {
  const names = given.map((_, i) => `x${i}`)
  const params = (type: string): string => names.map(x => `${type} ${x}`).join(', ')
  const calls = ['half', 'float'].map(
    type => `public ${type} of_${type}(${params(type)}) { return ${name}(${names.join(', ')}); }`,
  )
  for (const order of [calls, calls.toReversed()]) {
    const module = loadSync(compile(order.join('\n')))
    const wanted = (Math as unknown as Record<string, (...args: readonly number[]) => number>)[name]!(
      ...given.map(Math.fround),
    )
    expectClose(module.fn['of_float']!(...given) as number, Math.fround(wanted), spacing32(wanted), name)
    module.close()
  }
})
