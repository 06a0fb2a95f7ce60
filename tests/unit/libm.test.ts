import { describe, expect, it } from 'vitest'
import { compile } from '../../src/index.ts'
import { Machine } from '../../src/cpu/machine.ts'

// The elementary functions that WebAssembly gets from core/libm.slang, against those of the JavaScript engine, which are good to a
// unit in the last place: doubles over the whole range, floats to the nearest or its neighbour.

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
