/**
 * Loops without a bound, loops that break their bound, and loops of which few states are kept: what they cost, where they
 * are refused, what stops them. Their derivatives are held to differences in `grad/` and in generated programs.
 */
import { afterAll, describe, expect, it } from 'vitest'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Sink } from '../../src/base/diag.ts'
import { loadSync, TrapError } from '../../src/cpu/index.ts'
import { compile, CompileError, type Program } from '../../src/index.ts'
import { parseModule } from '../../src/ir/parse.ts'
import { funcNamed, run } from '../../src/ir/run.ts'
import { emitJs } from '../../src/target/js/js.ts'
import { compileWasm } from '../../src/target/wasm/wasm.ts'
import { closeGpu } from '../support/gpu.ts'
import { evaluate } from '../support/js-run.ts'
import { runEverywhere, targetsOf } from '../support/three-targets.ts'

afterAll(closeGpu)

/** A pendulum with drag, for n steps, under an attribute. */
const pendulum = (attribute: string): string => `
[Differentiable] public float f(float x, float k, int n)
{
    float y = x, v = 0.0;
    ${attribute} for (int i = 0; i < n; i++) { v -= (sin(y) * k + v * abs(v)) * 0.001; y += v * 0.001; }
    return y;
}`

/** An instance of a module with nothing around it. */
function instance(output: ReturnType<Program['wasm']>): {
  readonly call: (name: string, ...args: number[]) => unknown
  readonly bytes: () => number
} {
  const memory = new WebAssembly.Memory({ initial: Math.ceil(output.host.heap / 65536) })
  const made = new WebAssembly.Instance(new WebAssembly.Module(output.bytes), {
    host: {
      memory,
      base: 0,
      trap: (id: number) => {
        throw new Error(output.host.traps[id])
      },
    },
  })
  return {
    call: (name, ...args) => (made.exports[name] as (...a: number[]) => unknown)(...args),
    bytes: () => memory.buffer.byteLength,
  }
}

function errors(action: () => unknown): string[] {
  try {
    action()
    return []
  } catch (e) {
    if (!(e instanceof CompileError)) throw e
    return e.diagnostics.map(d => `${d.code}:${d.span?.file.position(d.span.start).line}`)
  }
}

describe('what the trips of a loop without a bound store', () => {
  it('grows as the trips do, and is used again by the next call', () => {
    const wasm = instance(compile(pendulum('')).wasm({ derivativesOf: 'f' }))
    const reverse = (n: number): unknown => wasm.call('bwd_diff(f)', 1.2, 0, 3, 0, n, 1)
    const first = reverse(100)
    const small = wasm.bytes()
    for (let i = 0; i < 100_000; i++) reverse(100)
    expect(wasm.bytes()).toBe(small)
    reverse(100_000)
    const large = wasm.bytes()
    // Three floats a trip, and no more than four times that while the lists grow.
    expect(large - small).toBeGreaterThan(1_200_000)
    expect(large - small).toBeLessThan(4_800_000)
    for (let i = 0; i < 50; i++) reverse(100_000)
    expect(wasm.bytes()).toBe(large)
    expect(reverse(100)).toEqual(first)
  })

  it('does not depend on how generous the bound is', () => {
    const size = (attribute: string): [number, number] => {
      const program = compile(pendulum(attribute))
      return [program.wasm({ derivativesOf: 'f' }).host.heap, program.js({ derivativesOf: 'f' }).code.length]
    }
    const [heap, length] = size('[MaxIters(10000)]')
    expect(size('[MaxIters(1000000)]')).toEqual([heap, length])
    expect(heap).toBeLessThan(4096)
    expect(compile(pendulum('[MaxIters(1000000)]')).js({ derivativesOf: 'f' }).code).not.toContain('0000)')
  })

  it('is given up for each thread of a kernel, also where threads meet at barriers', () => {
    const kernel = (barrier: string): string => `
[Differentiable] float f(float x, int n) { float y = x; for (int i = 0; i < n; i++) { float z = y; while (z < 2.0) z = z * z + 0.5; y = sin(y) * x + z * 0.01; } return y; }
groupshared float shared[32];
RWStructuredBuffer<float> values;
[shader("compute")] [numthreads(32, 1, 1)]
void main(uint3 id : SV_DispatchThreadID, uint3 local : SV_GroupThreadID)
{
    var p = diffPair(0.5 + 0.01 * id.x);
    bwd_diff(f)(p, 40 + int(id.x % 7), 1.0);
    shared[local.x] = p.d;
    ${barrier}
    values[id.x] = shared[${barrier === '' ? 'local.x' : '31 - local.x'}];
}`
    const values = (barrier: string): Float32Array => {
      const data = new Float32Array(64)
      loadSync(compile(kernel(barrier)))
        .kernel('main')
        .dispatch([2, 1, 1], { buffers: { values: data } })
      return data
    }
    const [plain, met] = [values(''), values('GroupMemoryBarrierWithGroupSync();')]
    expect(plain.every(v => Number.isFinite(v) && v !== 0)).toBe(true)
    for (let i = 0; i < 64; i++) expect(met[i]).toBe(plain[(i & 32) + 31 - (i & 31)])
  })

  it('stops the program with a message where memory ends', () => {
    const text = `func @f(%i: i32) -> f32 [exported "f"] {
      %list: ptr<function, list<f32>> = var
      %place: ptr<function, f32> = elem %list, %i
      %x: f32 = const 1
      store %place, %x
      %y: f32 = load %place
      ret %y
    }`
    const wasm = instance(compileWasm(parseModule(text), new Sink())!)
    const script = evaluate(emitJs(parseModule(text), {}, new Sink()).code)
    for (const call of [(i: number) => wasm.call('f', i), (i: number) => script['f']!(i)]) {
      expect(call(100)).toBe(1)
      expect(() => call(600_000_000)).toThrow('out of memory: a reverse derivative stores more trips')
    }
  })

  it('adds up, lists in lists too, whichever is longer', () => {
    const text = `func @f(%n: i32, %m: i32, %at: i32) -> f32 [exported "f"] {
      %zero: i32 = const 0
      %one: i32 = const 1
      %half: f32 = const 0.5
      %a: ptr<function, list<list<f32>>> = var
      %b: ptr<function, list<list<f32>>> = var
      loop %zero (%i: i32) { %go: bool = lt %i, %n test %go } {
        %p: ptr<function, list<f32>> = elem %a, %i
        %q: ptr<function, f32> = elem %p, %i
        %x: f32 = convert %i
        store %q, %x
        %next: i32 = add %i, %one
        next %next
      }
      loop %zero (%k: i32) { %go2: bool = lt %k, %m test %go2 } {
        %p2: ptr<function, list<f32>> = elem %b, %k
        %q2: ptr<function, f32> = elem %p2, %one
        store %q2, %half
        %next2: i32 = add %k, %one
        next %next2
      }
      %x1: list<list<f32>> = load %a
      %x2: list<list<f32>> = load %b
      %sum: list<list<f32>> = add %x1, %x2
      %c: ptr<function, list<list<f32>>> = var
      store %c, %sum
      %r: ptr<function, list<f32>> = elem %c, %one
      %s: ptr<function, f32> = elem %r, %at
      %old: f32 = load %s
      %ten: f32 = const 10
      store %s, %ten
      %p3: ptr<function, list<f32>> = elem %a, %one
      %q3: ptr<function, f32> = elem %p3, %at
      %kept: f32 = load %q3
      %new: f32 = load %s
      %t1: f32 = add %old, %kept
      %t2: f32 = add %t1, %new
      ret %t2
    }`
    const wasm = instance(compileWasm(parseModule(text), new Sink())!)
    const script = evaluate(emitJs(parseModule(text), {}, new Sink()).code)
    const expected = (n: number, m: number, at: number): number => {
      const first = at === 1 && n > 1 ? 1 : 0
      return first + (at === 1 && m > 1 ? 0.5 : 0) + first + 10
    }
    for (const n of [0, 1, 2, 40]) {
      for (const m of [0, 2, 70]) {
        for (const at of [0, 1, 30]) {
          const all = [
            run(funcNamed(parseModule(text), 'f'), [n, m, at])[0],
            wasm.call('f', n, m, at),
            script['f']!(n, m, at),
          ]
          expect(all, `${n} ${m} ${at}`).toEqual(all.map(() => expected(n, m, at)))
        }
      }
    }
  })
})

describe('a GPU', () => {
  const kernel = (
    loop: string,
    call = 'bwd_diff(f)(p, int(id.x), 1.0);',
  ): string => `[Differentiable] float f(float x, int n)
{
    float y = x; int k = 0;
    ${loop}
    return y;
}
RWStructuredBuffer<float> values;
[shader("compute")] [numthreads(1, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) { var p = diffPair(values[0]); ${call} values[0] = p.d; }`
  const wgsl = (source: string): string[] =>
    errors(() => {
      const program = compile(source)
      expect(program.diagnostics).toEqual([])
      program.wgsl()
    })

  it.each([
    'for (int i = 0; i < n; i++) y = y * y;',
    'while (y < 10.0) y = y * y + 1.0;',
    'do y = y * y + 1.0; while (y < 10.0);',
    'for (;;) { y = y * y + 1.0; if (y > 10.0) break; }',
    'for (int i = 0; i < 4; i++) while (y < i) y = y * y + 1.0;',
  ])('needs a bound, and says so at the loop: %s', loop => {
    expect(wgsl(kernel(loop))).toEqual(['E30510:4'])
    expect(
      errors(() => {
        loadSync(compile(kernel(loop)))
        compile(kernel(loop)).js()
      }),
    ).toEqual([])
  })

  it('needs a bound each time that its WGSL is asked for', () => {
    const program = compile(kernel('for (int i = 0; i < n; i++) y = y * y;'))
    const asked = (): string[] => errors(() => program.wgsl())
    expect(asked()).toEqual(['E30510:4'])
    expect(asked()).toEqual(['E30510:4'])
  })

  it.each([
    'for (int i = 0; i < 3; i++) for (int j = 0; j < 3 - i; j++) y = y * y + x;',
    'while (k < 5) { k++; y = y * sin(y); }',
    'do { y = y * sin(y); k += 2; } while (k < 9);',
    'for (int i = 0; i < min(n, 7); i++) y = y * sin(y);',
    'for (uint i = 0; i < (uint(n) & 15); i++) y = y * sin(y);',
    'for (int i = 0; i < 4; i++) for (int j = i; j < min(n, 2 * i + 1); j++) { if (y > 9.0) break; y = y * y + x; }',
    // What nobody needs again may run as often as it likes.
    'for (int i = 0; i < n; i++) y += x * i;',
    '[Checkpoints(5)] while (y < 10.0) y = y * y + 1.0;',
  ])('finds bounds itself: %s', loop => {
    expect(wgsl(kernel(loop))).toEqual([])
  })

  it('finds bounds in arguments that are known where the derivative is called', () => {
    const loop = '[loop] for (int i = 0; i < n; i++) y = y * y * 0.5 + x;'
    expect(wgsl(kernel(loop, 'bwd_diff(f)(p, 6, 1.0);'))).toEqual([])
    const twice = 'bwd_diff(f)(p, 6, 1.0); var q = diffPair(p.d); bwd_diff(f)(q, 9, 1.0); p = q;'
    expect(wgsl(kernel(loop, twice))).toEqual([])
    expect(compile(kernel(loop, twice)).wgsl().code).toMatch(/array<f32, 6>[^]*array<f32, 9>/)
  })

  it('needs no bound of loops that are run forward only, or are no part of its program', () => {
    const loop = 'while (y < 10.0) y = y * y + 1.0;'
    expect(wgsl(kernel(loop, 'p = fwd_diff(f)(p, 3);'))).toEqual([])
    expect(
      wgsl(
        `${kernel('y = y * x;')}\n[Differentiable] public float g(float x) { while (x < 9.0) x = x * x + 1.0; return x; }`,
      ),
    ).toEqual([])
  })

  it('copies no context from call to call', () => {
    const twice = 'bwd_diff(f)(p, int(id.x), 1.0); var q = diffPair(p.d); bwd_diff(f)(q, int(id.y), 1.0); p = q;'
    const { code } = compile(kernel('[MaxIters(500)] for (int i = 0; i < n; i++) y = y * y * 0.5 + x;', twice)).wgsl()
    for (const [line] of code.matchAll(/.*array<f32, 500>.*/g)) expect(line).toMatch(/^ +var \w+: array<f32, 500>;$/)
  })
})

describe('the command line', () => {
  const dir = mkdtempSync(join(tmpdir(), 'cotangent-'))
  afterAll(() => rmSync(dir, { recursive: true }))
  const cli = join(import.meta.dirname, '../../dist/cli.js')
  const file = join(dir, 'loop.slang')

  it('checks a module without entry points for a GPU when WGSL is asked for, and runs it on a CPU', () => {
    writeFileSync(
      file,
      '[Differentiable] public float f(float x)\n{\n    while (x < 10.0) x = x * x + 1.0;\n    return x;\n}\n',
    )
    const compiled = spawnSync(process.execPath, [cli, 'compile', file], { encoding: 'utf8' })
    expect(compiled.status).toBe(1)
    expect(compiled.stderr).toContain('loop.slang:3:5: error E30510')
    const grad = execFileSync(process.execPath, [cli, 'grad', file, '--fn', 'f', '--json', '2'], { encoding: 'utf8' })
    expect(JSON.parse(grad)).toEqual({ value: 26, grad: { x: 40 } })
    expect(execFileSync(process.execPath, [cli, 'check', file, '--seed', '3'], { encoding: 'utf8' })).toContain(
      '1 of 1 agree',
    )
  })

  it('stops a loop that breaks its bound with --debug', () => {
    writeFileSync(file, pendulum('[MaxIters(4)]').trim())
    const grad = (n: string): string =>
      spawnSync(process.execPath, [cli, 'grad', file, '--fn', 'f', '--debug', '1', '2', n], { encoding: 'utf8' }).stderr
    expect(grad('4')).toBe('')
    expect(grad('5')).toContain('loop.slang:4:5: this loop makes more trips than its [MaxIters(4)] allows')
  })
})

describe('a debug build', () => {
  it('stops loops past their bounds, and lets the trip begin that breaks', () => {
    const source = `${pendulum('[MaxIters(6)]')}
[Differentiable] public float g(float x, int n)
{
    int i = 0;
    [MaxIters(3)] while (true) { if (i >= n) break; i++; if (x > 9.0) continue; x = x * sin(x); }
    return x;
}`
    const program = compile(source, { debug: true, fileName: 'bounds.slang' })
    const m = loadSync(program)
    const script = evaluate(program.js().code)
    expect(m.fn['f']!.valueAndGrad(1, 2, 6)).toEqual(loadSync(compile(source)).fn['f']!.valueAndGrad(1, 2, 6))
    expect(() => m.fn['f']!(1, 2, 7)).toThrow(TrapError)
    expect(() => m.fn['f']!.vjp([1, 2, 7], 1)).toThrow(
      'bounds.slang:5:5: this loop makes more trips than its [MaxIters(6)] allows',
    )
    expect(() => script['fwd_diff(f)']!({ p: 1, d: 1 }, { p: 2, d: 0 }, 7)).toThrow('bounds.slang:5:5')
    expect(() => m.fn['g']!.vjp([1, 3], 1)).not.toThrow()
    expect(() => m.fn['g']!.vjp([12, 4], 1)).toThrow('[MaxIters(3)]')
    expect(() => loadSync(compile(source)).fn['f']!.vjp([1, 2, 7], 1)).not.toThrow()
  })
})

describe('[Checkpoints(k)]', () => {
  const gradient = (attribute: string, n: number): readonly unknown[] =>
    loadSync(compile(pendulum(attribute))).fn['f']!.vjp([1.2, 3, n], 1)

  it('keeps k states whatever the trips, in memory of that size', () => {
    const memory = (attribute: string, n: number): number => {
      const output = compile(pendulum(attribute)).wasm({ derivativesOf: 'f' })
      const wasm = instance(output)
      wasm.call('bwd_diff(f)', 1.2, 0, 3, 0, n, 1)
      return output.host.heap + wasm.bytes() - Math.ceil(output.host.heap / 65536) * 65536
    }
    const plain = memory('', 10_000)
    const kept = memory('[Checkpoints(100)]', 10_000)
    expect(plain).toBeGreaterThan(80_000)
    expect(kept).toBeLessThan(3000)
    expect(memory('[Checkpoints(100)]', 100_000)).toBe(kept)
    expect(memory('[Checkpoints(20)]', 10_000)).toBeLessThan(kept / 2)
  })

  it('simulates 10,000 steps of examples/spring in memory that grows like the square root of the steps, or less', () => {
    const spring = readFileSync(join(import.meta.dirname, '../../examples/spring/spring.slang'), 'utf8')
    const simulation = (steps: number, attribute: string): { readonly heap: number; readonly gradient: number[] } => {
      const program = compile(
        spring
          .replace('STEPS = 200', `STEPS = ${steps}`)
          .replace('DT = 0.02', `DT = ${4 / steps}`)
          .replace('for (int i = 0; i < STEPS; i++)', `${attribute} for (int i = 0; i < STEPS; i++)`),
      )
      const gradient = loadSync(program).fn['loss']!.vjp([[0.5, 3], [3, 1], 20], 1)[0] as number[]
      return { heap: program.wasm({ derivativesOf: 'loss' }).host.heap, gradient }
    }
    const [plain, kept, longer] = [
      simulation(10_000, ''),
      simulation(10_000, '[Checkpoints(100)]'),
      simulation(40_000, '[Checkpoints(200)]'),
    ]
    kept.gradient.forEach((g, i) => expect(Math.abs(g - plain.gradient[i]!)).toBeLessThan(1e-5))
    expect(plain.heap).toBeGreaterThan(160_000)
    expect(kept.heap).toBeLessThan(2600)
    expect(longer.heap).toBeLessThan(2 * kept.heap)
  })

  it('gives the derivatives of the plain loop', () => {
    for (const n of [0, 1, 2, 3, 10, 11, 12, 100, 1000]) {
      const plain = gradient('', n) as number[]
      for (const k of [1, 2, 3, 10, 11, 2000]) {
        const kept = gradient(`[Checkpoints(${k})]`, n) as number[]
        for (const i of [0, 1])
          expect(Math.abs(kept[i]! - plain[i]!), `${k} of ${n}`).toBeLessThan(1e-4 * (1 + Math.abs(plain[i]!)))
      }
    }
  })

  it('runs trips as seldom as the binomial schedule promises', () => {
    const module = parseModule(compile(pendulum('[Checkpoints(10)]')).ir('final', 'f'))
    const reverse = funcNamed(module, 'bwd_f')
    for (const [n, runs] of [
      [10, 1],
      [11, 1],
      [66, 2],
      [286, 3],
      [1001, 4],
    ] as const) {
      let steps = 0
      run(reverse, [[1.2, 0], [3, 0], n, 1], {
        watch: inst => {
          if (inst.results[0]?.name === 'y') steps++
        },
      })
      // Griewank and Walther (2000): C(k + r, k) trips take r C(k + r, k) - C(k + r, r - 1) steps, and one more each where they are differentiated.
      expect(steps, `${n} trips`).toBeGreaterThan(n * runs * 0.8 - 12)
      expect(steps / n, `${n} trips`).toBeLessThanOrEqual(runs)
    }
  })

  it('takes little more than three times the work of the plain loop for 10,000 steps and 100 states', () => {
    const work = (attribute: string): number => {
      const module = parseModule(compile(pendulum(attribute)).ir('final', 'f'))
      let insts = 0
      run(funcNamed(module, 'bwd_f'), [[1.2, 0], [3, 0], 10_000, 1], {
        watch: () => {
          insts++
        },
      })
      return insts
    }
    const plain = work('')
    expect(plain).toBeGreaterThan(100_000)
    // Each trip runs forward three times at most where the plain loop runs once, and the schedule takes some work of its own.
    expect(work('[Checkpoints(100)]') / plain).toBeLessThan(3.5)
  })

  it('is nothing to forward derivatives and plain calls', () => {
    const ir = (attribute: string): string => compile(pendulum(attribute)).js({ derivatives: false }).code
    expect(ir('[Checkpoints(4)]')).toBe(ir(''))
    const forward = (attribute: string): unknown =>
      evaluate(compile(pendulum(attribute)).js().code)['fwd_diff(f)']!({ p: 1.2, d: 1 }, { p: 3, d: 0.5 }, 50)
    expect(forward('[Checkpoints(4)]')).toEqual(forward(''))
  })

  it('runs on a device, where trips need no bound', async () => {
    const source = `${pendulum('[Checkpoints(7)]')}
[Differentiable] float g(float x, int n)
{
    float3 a[4] = { float3(x), float3(0.2), float3(x, 0.1, 0.4), float3(0.3) };
    float y = 0.0;
    [Checkpoints(3)]
    for (int i = 0; i < n; i++)
    {
        [Checkpoints(2)]
        for (int j = 0; j <= i % 4; j++) a[j] = a[j] * 0.9 + cross(a[(j + 1) % 4], a[(i + j) % 4]) * 0.3;
        if (a[i % 4].x > 4.0) break;
        y += a[i % 4].y;
    }
    return y + a[2].z;
}
RWStructuredBuffer<float> values;
[shader("compute")] [numthreads(16, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    var p = diffPair(values[id.x]);
    var k = diffPair(2.5);
    bwd_diff(f)(p, k, int(id.x) * 9, 1.0);
    var q = diffPair(values[id.x]);
    bwd_diff(g)(q, int(id.x), 1.0);
    values[id.x] = p.d + k.d * 0.1 + q.d;
}`
    const values = new Uint8Array(Float32Array.from({ length: 16 }, (_, i) => 0.3 + 0.07 * i).buffer)
    await runEverywhere(await targetsOf(compile(source)), 'main', [1, 1, 1], { values }, {})
  })

  it('works on what is known when compiling: fewer trips than states, generic numbers', () => {
    const source = `[Differentiable] float f<let K : int>(float x)
{
    [Checkpoints(K * 2)] for (int i = 0; i < 12; i++) x = x * x * 0.3 + 0.5;
    return x;
}
[Differentiable] public float few(float x) { return f<2>(x); }
[Differentiable] public float many(float x) { return f<8>(x); }`
    const program = compile(source)
    const m = loadSync(program)
    expect(m.fn['few']!.vjp([0.7], 1)[0]).toBeCloseTo(m.fn['many']!.vjp([0.7], 1)[0] as number, 5)
    expect(program.js({ derivativesOf: 'few' }).code).toContain('Float32Array(4)')
    expect(program.js({ derivativesOf: 'many' }).code).toContain('Float32Array(12)')
  })

  it.each([
    ['reads what the derivative writes', 'y += values[i];'],
    ['writes', 'y = y * y; values[i] = detach(y);'],
    ['prints', 'y = y * y; printf("%f", y);'],
  ])('is ignored with a warning where the loop %s', (_, body) => {
    const { diagnostics } = compile(`RWStructuredBuffer<float> values;
[Differentiable] float f(float x) { float y = x; [Checkpoints(4)] for (int i = 0; i < 40; i++) { ${body} } values[1] = detach(y); return y; }
public float g(float x) { var p = diffPair(x); bwd_diff(f)(p, 1.0); return p.d; }`)
    expect(diagnostics.map(d => [d.code, d.severity])).toEqual([['W42051', 'warning']])
  })

  it.each([
    ['[Checkpoints(0)]', 'E36004'],
    ['[Checkpoints(-3)]', 'E36004'],
    ['[Checkpoints]', 'E31001'],
    ['[Checkpoints(2, 3)]', 'E31001'],
    ['[Checkpoints(n)]', 'E39999'],
    ['[ForceUnroll] [Checkpoints(2)]', 'W36005'],
  ])('complains of %s', (attribute, code) => {
    const { diagnostics } = compile(
      `[Differentiable] float f(float x, int n) { ${attribute} for (int i = 0; i < 4; i++) x = x * x; return x; }`,
    )
    expect(diagnostics.map(d => d.code)).toEqual([code])
  })
})
