import { afterAll, describe, expect, it, test } from 'vitest'
import { compile, type Program } from '../../src/index.ts'
import { parseModule } from '../../src/ir/parse.ts'
import { printModule } from '../../src/ir/print.ts'
import { Machine } from '../../src/cpu/machine.ts'
import { closeGpu, runByName } from '../support/gpu.ts'
import { evaluate, type Evaluated } from '../support/js-run.ts'
import { lanesOf, libraryCases, type LibraryCase } from '../support/library-cases.ts'
import { isNear, sizeOf } from '../support/near.ts'

// Every function of the library: value against mathematics, derivative against central differences in double precision, reverse
// against forward, second order, and the same numbers from JavaScript, WebAssembly and WGSL.

/** Lanes as a host hands them over. */
function nest(type: string, lanes: readonly number[]): unknown {
  const shape = /\dx(\d)$/.exec(type)
  if (lanes.length === 1 && shape === null) return lanes[0]
  if (shape === null) return [...lanes]
  const cols = Number(shape[1])
  return Array.from({ length: lanes.length / cols }, (_, r) => lanes.slice(r * cols, (r + 1) * cols))
}

const flat = (value: unknown): number[] => {
  if (typeof value === 'number') return [value]
  return Array.from(value as ArrayLike<unknown>).flatMap(flat)
}

/** The arguments of a case, cut up by parameter. */
function cut(c: LibraryCase, lanes: readonly number[]): number[][] {
  let at = 0
  return c.params.map(type => lanes.slice(at, (at += lanesOf(type))))
}

const host = (c: LibraryCase, lanes: readonly number[]): unknown[] => cut(c, lanes).map((l, k) => nest(c.params[k]!, l))

/** Directions without a pattern: some numbers between -1 and 1. */
const direction = (n: number, seed: number): number[] =>
  Array.from({ length: n }, (_, i) => Math.sin(12.9898 * (i + 1) + 78.233 * seed) * 0.9 + 0.05)

const dot = (x: readonly number[], y: readonly number[]): number => x.reduce((sum, v, i) => sum + v * y[i]!, 0)

function close(got: readonly number[], wanted: readonly number[], tolerance: number, what: string): void {
  expect(got.length, what).toBe(wanted.length)
  const most = tolerance * sizeOf(wanted)
  got.forEach((g, i) => expect(isNear(g, wanted[i]!, most), `${what}: lane ${i} is ${g}, not ${wanted[i]}`).toBe(true))
}

const pairs = (c: LibraryCase, x: readonly number[], v: readonly number[]): unknown[] => {
  const ds = host(c, v)
  return host(c, x).map((p, k) => ({ p, d: ds[k] }))
}

function forward(
  m: Evaluated,
  name: string,
  c: LibraryCase,
  x: readonly number[],
  v: readonly number[],
): { p: number[]; d: number[] } {
  const out = m[`fwd_diff(${name})`]!(...pairs(c, x, v)) as { p: unknown; d: unknown }
  return { p: flat(out.p), d: flat(out.d) }
}

function reverse(
  m: Evaluated,
  name: string,
  c: LibraryCase,
  x: readonly number[],
  result: string,
  w: readonly number[],
): number[] {
  const zero = x.map(() => 0)
  const out = m[`bwd_diff(${name})`]!(...pairs(c, x, zero), nest(result, w)) as { out: Record<string, { d: unknown }> }
  return Object.values(out.out).flatMap(p => flat(p.d))
}

/** The directional derivative of a function of lanes by central differences, fourth order. */
function difference(
  f: (x: readonly number[]) => readonly number[],
  x: readonly number[],
  v: readonly number[],
): number[] {
  const h = 1e-4
  const at = (s: number): readonly number[] => f(x.map((a, i) => a + s * h * v[i]!))
  const [a, b, c, d] = [at(-2), at(-1), at(1), at(2)]
  return a.map((_, i) => (a[i]! - 8 * b[i]! + 8 * c[i]! - d[i]!) / (12 * h))
}

const secondSource = (c: LibraryCase): string => {
  const params = c.params.map((type, k) => `${type} ${'xyz'[k]!}`).join(', ')
  const given = c.params.map((type, k) => `diffPair(${'xyz'[k]!}, ${type}(${[0.75, -0.5, 1.25][k]}))`).join(', ')
  return `${c.source}\n[Differentiable] public ${c.result} f_along(${params}) { return fwd_diff(f)(${given}).d; }\n`
}

afterAll(closeGpu)

describe.each(libraryCases)('$name', c => {
  let compiled: Program | undefined
  const made = (): Program => (compiled ??= compile(secondSource(c), { verify: true }))
  const results = lanesOf(c.result)

  it('compiles', () => {
    expect(made().diagnostics.map(d => d.message)).toEqual([])
    expect(c.args.length).toBeGreaterThan(0)
  })

  it('has the value and the derivatives of mathematics', () => {
    const m = evaluate(made().js({ mode: 'f64' }).code)
    const f = (x: readonly number[]): number[] => flat(m['f']!(...host(c, x)))
    const along = (x: readonly number[]): number[] => flat(m['f_along']!(...host(c, x)))
    c.args.forEach((x, at) => {
      const v = direction(x.length, at + 1)
      const w = direction(results, at + 31)
      const y = f(x)
      if (c.reference !== undefined) {
        const byParam = cut(c, x)
        close(
          y,
          y.map((_, lane) => c.reference!(...byParam.map(l => l[lane]!))),
          4e-15,
          'value',
        )
      }
      const { p, d } = forward(m, 'f', c, x, v)
      close(p, y, 1e-15, 'value beside the derivative')
      close(d, difference(f, x, v), 1e-8, 'derivative')
      close([dot(reverse(m, 'f', c, x, c.result, w), v)], [dot(w, d)], 1e-12, 'reverse against forward')
      const second = forward(m, 'f_along', c, x, v)
      close(second.p, along(x), 1e-15, 'derivative beside the second')
      close(second.d, difference(along, x, v), 1e-7, 'second derivative')
      close(
        [dot(reverse(m, 'f_along', c, x, c.result, w), v)],
        [dot(w, second.d)],
        1e-11,
        'second derivative, reverse against forward',
      )
    })
  })

  it('is the same in WebAssembly', () => {
    const js = evaluate(made().js({ mode: 'f64' }).code)
    const { bytes, host: wasmHost } = made().wasm()
    const wasm = new Machine(new WebAssembly.Module(bytes), wasmHost)
    for (const x of c.args.map(l => l.map(Math.fround))) {
      const w = direction(results, 5).map(Math.fround)
      close(flat(wasm.call('f', host(c, x)).result), flat(js['f']!(...host(c, x))), 4e-7, 'value')
      const v = direction(x.length, 3).map(Math.fround)
      const pushed = wasm.call('fwd_diff(f)', pairs(c, x, v)).result as { d: unknown }
      close(flat(pushed.d), forward(js, 'f', c, x, v).d, 2e-6, 'tangent')
      const grads = wasm.call('bwd_diff(f)', [
        ...pairs(
          c,
          x,
          x.map(() => 0),
        ),
        nest(c.result, w),
      ]).out as Record<string, { d: unknown }>
      close(
        Object.values(grads).flatMap(p => flat(p.d)),
        reverse(js, 'f', c, x, c.result, w),
        2e-6,
        'gradient',
      )
    }
  })

  it('is printed and read back as the same text', () => {
    const text = made().ir('final')
    expect(printModule(parseModule(text))).toBe(text)
  })
})

// ── As operands of the derivative operators ──────────────────────────────────────────────────────────────────────

/** What a case calls, where it does nothing else. */
const called = (c: LibraryCase): string | undefined => {
  const names = c.params.map((_, k) => 'xyz'[k]!).join(', ')
  // The scalar of `lerp` is made a vector on the way, which a pair is not.
  return c.name === 'lerp by a scalar' ? undefined : new RegExp(`return (\\w+)\\(${names}\\);`).exec(c.source)?.[1]
}

test.each(libraryCases.filter(c => called(c) !== undefined))('$name is an operand of the derivative operators', c => {
  const names = c.params.map((_, k) => 'xyz'[k]!)
  const params = names.map((n, k) => `${c.params[k]} ${n}`).join(', ')
  const derivatives = (of: string, suffix: string): string => `
public ${c.result} along${suffix}(${params}) { return fwd_diff(${of})(${names.map((n, k) => `diffPair(${n}, ${c.params[k]}(${[0.75, -0.5, 1.25][k]}))`).join(', ')}).d; }
${names.map((n, k) => `public ${c.params[k]} back${n}${suffix}(${params}) { ${names.map(m => `var p${m} = diffPair(${m});`).join(' ')} bwd_diff(${of})(${names.map(m => `p${m}`).join(', ')}, ${c.result}(0.7)); return p${n}.d; }`).join('\n')}`
  const program = compile(`${c.source}${derivatives(called(c)!, '_direct')}${derivatives('f', '')}`)
  expect(program.diagnostics.map(d => d.message)).toEqual([])
  const m = evaluate(program.js({ mode: 'f64' }).code)
  for (const x of c.args) {
    for (const name of ['along', ...names.map(n => `back${n}`)])
      close(flat(m[`${name}_direct`]!(...host(c, x))), flat(m[name]!(...host(c, x))), 1e-12, name)
  }
})

// ── WGSL: some cases a module, so that the driver is started for few ─────────────────────────────────────────────

const perModule = 12
const batches = Array.from({ length: Math.ceil(libraryCases.length / perModule) }, (_, k) =>
  libraryCases.slice(k * perModule, (k + 1) * perModule),
)

/** Slang for a value of a type whose lanes start at a place of the input. */
const read = (type: string, at: number): string =>
  `${type}(${Array.from({ length: lanesOf(type) }, (_, i) => `given[${at + i}]`).join(', ')})`

/** Slang for the lanes of a value. */
function lanes(type: string, name: string): string[] {
  const shape = /(\d)(?:x(\d))?$/.exec(type)
  if (shape === null) return [name]
  const count = (n: string): number[] => [...Array(Number(n)).keys()]
  if (shape[2] === undefined) return count(shape[1]!).map(i => `${name}[${i}]`)
  return count(shape[1]!).flatMap(r => count(shape[2]!).map(k => `${name}[${r}][${k}]`))
}

describe('in WGSL', () => {
  it.each(batches.map((cases, k) => ({ k, cases, names: cases.map(c => c.name).join(', ') })))(
    '$names',
    async ({ cases }) => {
      const input: number[] = []
      const wanted: { what: string; lanes: readonly number[] }[] = []
      let functions = ''
      let body = ''
      let at = 0
      cases.forEach((c, k) => {
        const x = c.args[0]!.map(Math.fround)
        const w = direction(lanesOf(c.result), 5).map(Math.fround)
        const v = direction(x.length, 3).map(Math.fround)
        const js = evaluate(compile(c.source).js({ mode: 'f64' }).code)
        wanted.push(
          { what: `${c.name}: value`, lanes: flat(js['f']!(...host(c, x))) },
          { what: `${c.name}: tangent`, lanes: forward(js, 'f', c, x, v).d },
          { what: `${c.name}: gradient`, lanes: reverse(js, 'f', c, x, c.result, w) },
        )
        functions += `${c.source.replace(' public', '').replace(/\bf\(/, `f${k}(`)}\n`
        const start = input.length
        input.push(...x, ...v, ...w)
        let from = start
        const names = c.params.map((type, i) => {
          body += `  var p${k}_${i} = diffPair(${read(type, from)}, ${read(type, from + x.length)});\n`
          from += lanesOf(type)
          return `p${k}_${i}`
        })
        body += `  let r${k} = f${k}(${names.map(n => `${n}.p`).join(', ')});\n  let t${k} = fwd_diff(f${k})(${names.join(', ')});\n`
        body += `  bwd_diff(f${k})(${names.join(', ')}, ${read(c.result, from + x.length)});\n`
        const outs = [
          ...lanes(c.result, `r${k}`),
          ...lanes(c.result, `t${k}.d`),
          ...c.params.flatMap((type, i) => lanes(type, `p${k}_${i}.d`)),
        ]
        for (const out of outs) body += `  found[${at++}] = ${out};\n`
      })
      const source = `StructuredBuffer<float> given;\nRWStructuredBuffer<float> found;\n${functions}[shader("compute")] [numthreads(1, 1, 1)]\nvoid run() {\n${body}}\n`
      const program = compile(source, { verify: true })
      expect(program.diagnostics.map(d => d.message)).toEqual([])
      const { code, reflection } = program.wgsl()
      const data = { given: new Uint8Array(new Float32Array(input).buffer), found: new Uint8Array(at * 4) }
      const out = await runByName(code, reflection.entries[0]!.target, reflection.bindings, data, [1, 1, 1])
      const found = [...new Float32Array(out['found']!.slice().buffer)]
      let from = 0
      for (const { what, lanes: list } of wanted) {
        // A shader compiler may compute pow, tan and their kin with a relative error of some 2^-17.
        close(found.slice(from, from + list.length), list, 2e-4, what)
        from += list.length
      }
    },
  )
})
