import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Sink } from '../../src/base/diag.ts'
import { loadSync } from '../../src/cpu/index.ts'
import { compile } from '../../src/index.ts'
import { parseModule } from '../../src/ir/parse.ts'
import { printModule } from '../../src/ir/print.ts'
import { dispatch, run, type Data } from '../../src/ir/run.ts'
import { verifyModule } from '../../src/ir/verify.ts'
import { emitJs } from '../../src/target/js/js.ts'
import { callEmitted, evaluate } from '../support/js-run.ts'
import { generate } from '../support/generate-ir.ts'
import { expectData, readRunLines } from '../support/ir-run.ts'

const here = join(import.meta.dirname, '..')
const folders = ['ir/text', 'target/js']

describe('JavaScript', () => {
  for (const folder of folders) {
    for (const file of readdirSync(join(here, folder)).filter(f => f.endsWith('.ir'))) {
      for (const mode of ['f32', 'f64'] as const) {
        it(`runs ${file} in mode ${mode}`, () => {
          const source = readFileSync(join(here, folder, file), 'utf8')
          const module = parseModule(source)
          for (const func of module.funcs)
            if (func.body !== undefined && func.info.entry === undefined) func.info.exported = func.name
          const sink = new Sink()
          const { code } = emitJs(module, { mode }, sink)
          expect(sink.list).toEqual([])
          const emitted = evaluate(code)
          for (const line of readRunLines(source)) {
            const func = module.funcs.find(f => f.name === line.name)!
            expectData(callEmitted(emitted, func, line.name, line.args), line.results, `${line.text}\n${code}`)
          }
        })
      }
    }
  }

  it('prints numbers of any precision, and characters that are none', async () => {
    const { code } = compile('public void f(int x) { printf("%.999f %x %X %c%c %d", 0.5, x, x, 65, x, x); }').js()
    const { host, f } = (await import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`)) as {
      host: { print: (text: string) => void }
      f: (x: number) => void
    }
    const said: string[] = []
    host.print = text => {
      said.push(text)
    }
    f(-1)
    expect(said).toEqual([`0.5${'0'.repeat(99)} ffffffff FFFFFFFF A\ufffd -1`])
  })

  it('gives back structs without members', () => {
    const source = 'struct None { } public None make() { return {}; } public void keep(inout None none) { }'
    const { make, keep } = evaluate(compile(source).js().code)
    expect(make!()).toEqual({})
    expect(keep!({})).toEqual({ out: { none: {} } })
  })

  for (const mode of ['f32', 'f64'] as const) {
    it(`means what the interpreter says on generated programs, mode ${mode}`, () => {
      let compared = 0
      for (let seed = 0; seed < 200; seed++) {
        const { module, main } = generate(seed, 30)
        verifyModule(module, `seed ${seed}`)
        main.info.exported = 'main'
        const sink = new Sink()
        const { code } = emitJs(module, { mode }, sink)
        for (const args of [
          [3, 0.5],
          [-2, 1.25],
        ]) {
          const data = [1, 2, 3, 4]
          let expected: readonly Data[]
          try {
            expected = run(main, args, { mode, steps: 100_000, globals: { buf: data, u: 0.75 } })
          } catch (error) {
            expect((error as Error).message).toBe('the run takes too many steps')
            continue
          }
          compared++
          const buf = new Float32Array([1, 2, 3, 4])
          const emitted = evaluate(code)
          emitted['bind']?.({ buf, u: 0.75 })
          const where = `seed ${seed}, main(${args.join(', ')})\n${process.env['SHOW'] === undefined ? '' : `${printModule(module)}\n${code}`}`
          expectData(callEmitted(emitted, main, 'main', args), expected, where)
          expectData(
            [...buf],
            data.map(x => Math.fround(x)),
            where,
          )
        }
      }
      expect(compared).toBeGreaterThan(380)
    })
  }

  it('runs kernels over buffers in the layout of WGSL, group by group, from barrier to barrier', () => {
    const module = parseModule(readFileSync(join(here, 'target/js/kernels.ir'), 'utf8'))
    const sink = new Sink()
    const { code, exports } = emitJs(module, {}, sink)
    expect(sink.list).toEqual([])
    expect(exports).toEqual(['main'])
    // A particle takes 32 bytes: position, mass, id, and what aligns the next one.
    const words = new ArrayBuffer(8 * 32)
    const floats = new Float32Array(words)
    for (let i = 0; i < 8; i++) floats[i * 8 + 3] = i
    const [sums, counter] = [new Float32Array(8), new Uint32Array(1)]
    evaluate(code)['main']!(
      [2, 1, 1],
      { particles: words, sums, counter, params: { scale: 2, offset: 0 } },
      { bias: 0.5 },
    )
    expect([...sums]).toEqual([12.5, 12.5, 12.5, 12.5, 44.5, 44.5, 44.5, 44.5])
    expect([...counter]).toEqual([12])
    expect(Array.from(floats.subarray(32, 36))).toEqual([44.5, 44.5, 44.5, 4])
    expect([...new Uint32Array(words)].filter((_, i) => i % 8 === 4)).toEqual(Array.from({ length: 8 }, () => 10))

    const particles = Array.from({ length: 8 }, (_, i): Data[] => [[0, 0, 0], i, 0])
    const globals = { particles, sums: Array.from({ length: 8 }, () => 0), counter: [0], params: [2, 0] }
    dispatch(
      module.funcs.find(f => f.name === 'main')!,
      [2, 1, 1],
      [0.5],
      { globals },
    )
    expect(globals.sums).toEqual([...sums])
    expect(globals.counter).toEqual([12])
    expect(particles[4]).toEqual([[44.5, 44.5, 44.5], 4, 10])
  })

  it('gives module-level variables their initial values after those that these are made of, whichever is used first', () => {
    const program =
      compile(`static int last = middle * 2; static int first = o[0]; static int middle = both(first); static int other = o[1]++;
RWStructuredBuffer<int> o; int both(int x) { return x + hidden; } static int hidden = o[0] + 1;
public int f(int x) { last += x; return last; }
[shader("compute")] [numthreads(1, 1, 1)] void main() { last += 1; other += last; hidden++; o[2] = other; }
[shader("compute")] [numthreads(1, 1, 1)] void waits() { last += 1; GroupMemoryBarrierWithGroupSync(); other += last; hidden++; o[2] = other; }`)
    expect(program.diagnostics).toEqual([])
    const { main, f, bind } = evaluate(program.js().code)
    const o = Int32Array.of(3, 5, 0)
    main!([1, 1, 1], { o })
    expect([...o]).toEqual([3, 6, 20])
    bind!({ o: Int32Array.of(7, 0, 0) })
    expect([f!(1), f!(1)]).toEqual([31, 31])
    for (const lanes of [1, 4] as const)
      for (const kernel of ['main', 'waits']) {
        const same = Int32Array.of(3, 5, 0)
        loadSync(program, { lanes })
          .kernel(kernel)
          .dispatch([1, 1, 1], { buffers: { o: same } })
        expect([...same], `${kernel}, ${lanes} at once`).toEqual([3, 6, 20])
      }
  })

  it('reads a buffer before it writes another one, which may lie in the same memory', () => {
    const program = compile(`RWStructuredBuffer<float> x; RWStructuredBuffer<float> y;
[shader("compute")] [numthreads(1, 1, 1)] void both() { float old = x[0]; y[0] = 1; x[1] = old; }`)
    const { both } = evaluate(program.js().code)
    const memory = new Float32Array([5, 0])
    both!([1, 1, 1], { x: memory, y: memory })
    expect([...memory]).toEqual([1, 5])
  })

  it('refuses buffers, uniforms and fields of blocks that there are not, and blocks without a field', () => {
    const program =
      compile(`uniform float p; uniform float q; RWStructuredBuffer<float> outp; RWStructuredBuffer<float> idle;
[shader("compute")] [numthreads(1, 1, 1)] void k() { outp[0] = p + q; }`)
    const { k, bind } = evaluate(program.js().code)
    const outp = new Float32Array(1)
    const message = (call: () => unknown): string => {
      try {
        return `returned ${String(call())}`
      } catch (error) {
        return String(error)
      }
    }
    expect(message(() => k!([1, 1, 1], { outp, p: 1, q: 2 }))).toBe(
      'TypeError: the module has no p: expected globalParams, outp, idle',
    )
    expect(message(() => bind!({ globalParams: { p: 1 } }))).toBe('TypeError: globalParams.q is missing')
    expect(message(() => bind!({ globalParams: { p: 1, q: 2, r: 3 } }))).toBe(
      'TypeError: globalParams has no r: expected p, q',
    )
    k!([1, 1, 1], { outp, idle: new Float32Array(1), globalParams: { p: 1, q: 2 } })
    expect(outp[0]).toBe(3)
  })

  it('gives no other thing the name of what it keeps of a buffer', () => {
    const program = compile(`RWStructuredBuffer<float> a; int a_length() { return 3; }
[shader("compute")] [numthreads(1, 1, 1)] void twice() { float a_f32 = a[0] * 2; a[1] = a_f32 + a_length(); a[2] = a_f32; }`)
    const { twice } = evaluate(program.js().code)
    const a = new Float32Array([4, 0, 0])
    twice!([1, 1, 1], { a })
    expect([...a]).toEqual([4, 11, 8])
  })

  it('takes an element of an array that a call gives once, not in each trip of a loop', () => {
    const { code } = compile(
      `float[4] four(float x) { float a[4] = { x, x * x, x + 1, x - 1 }; for (int i = 0; i < 3; i++) a[i + 1] += a[i]; return a; }
export float sum(float x, int n) { let a = four(x); float s = 0; for (int i = 0; i < n; i++) s += sin(s) * a[2]; return s; }`,
      { optimize: 1 },
    ).js({ derivatives: false })
    expect(/for \([^)]*\) \{[^}]*\[2\]/.test(code)).toBe(false)
  })

  it('exports the derivatives that can be made, beside others that cannot', () => {
    const program = compile(`[BackwardDerivative(backward)] float g(float y) { return y * y; }
void backward(inout DifferentialPair<float> y, float d) { y = diffPair(y.p, 2 * y.p * d); }
public float plain(float x) { return x; }
[Differentiable] public float a(float x) { return x * x; }
[Differentiable] public float h(float x) { var p = diffPair(x); bwd_diff(g)(p, 1.0); return p.d; }
[ForwardDifferentiable] public float b(float x) { return a(x); }
`)
    const kept = ['plain', 'a', 'fwd_diff(a)', 'bwd_diff(a)', 'h', 'b', 'fwd_diff(b)']
    expect(program.js().exports).toEqual(kept)
    expect(program.wasm().host.functions.map(f => f.name)).toEqual(kept)
    expect(() => program.js({ derivativesOf: 'h' })).toThrow(/E41020/)
  })
})
