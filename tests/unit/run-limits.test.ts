/** Programs of strangers on a CPU: what one call may take is bounded, and what ends it names the loop or the function. */
import { describe, expect, it } from 'vitest'
import { load, loadSync, TrapError, type CpuModule } from '../../src/cpu/index.ts'
import { compile, type RunLimits } from '../../src/index.ts'
import { evaluate } from '../support/js-run.ts'

const source = `
public float forever(float x) {
  float s = 0.0;
  while (x > 0.0)
    s += sin(s) + 1.0;
  return s;
}
public float twice(int n) {
  float s = 0.0;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++)
      s += sin(float(i * k));
  return s;
}
public int deep(int n) { return n <= 0 ? 0 : deep(n - 1) + 1; }
public int even(int n) { return n <= 0 ? 1 : odd(n - 1) * 2; }
int odd(int n) { return n <= 0 ? 0 : even(n - 1) + 1; }
[Differentiable] public float tape(float x) {
  float s = x;
  while (s < 1e30)
    s = s + sin(s) * 0.0 + 1e-3;
  return s;
}
[Differentiable] public float sums(float x, int n) {
  float s = x;
  for (int i = 0; i < n; i++)
    s = sin(s) + x;
  return s;
}
RWStructuredBuffer<float> outp;
groupshared float shared_[4];
[shader("compute")] [numthreads(4, 1, 1)] void k(uint3 id : SV_DispatchThreadID) { outp[id.x % 4] = twice(3 + int(outp[id.x] * 0.0)); }
[shader("compute")] [numthreads(4, 1, 1)] void together(uint3 id : SV_DispatchThreadID) {
  for (int i = 0; i < 100000000; i++) {
    shared_[id.x % 4] = float(i);
    GroupMemoryBarrierWithGroupSync();
    outp[id.x % 4] += shared_[0] * 1e-30;
  }
}`
const program = compile(source, { fileName: 'stranger.slang', verify: true })

function message(run: () => unknown): string {
  try {
    run()
    return 'none'
  } catch (e) {
    return `${(e as Error).name}: ${(e as Error).message}`
  }
}

/** A call on both CPU targets. */
function both(
  limits: RunLimits,
  run: (
    fn: Readonly<Record<string, (...args: unknown[]) => unknown>>,
    kernel: (name: string, groups: number[]) => unknown,
  ) => unknown,
): string[] {
  const m: CpuModule = loadSync(program, { limits })
  const js = evaluate(program.js({ limits }).code)
  const buffer = (): Record<string, Float32Array> => ({ outp: new Float32Array(4) })
  return [
    message(() =>
      run(m.fn, (name, groups) => m.kernel(name).dispatch(groups as [number, number, number], { buffers: buffer() })),
    ),
    message(() => run(js, (name, groups) => js[name]!(groups, buffer()))),
  ]
}

describe('trips', () => {
  const said = (loop: string, trips: number): string =>
    `TrapError: the call makes more than ${trips} trips of loops, which is all that limits.trips allows: the loop at stranger.slang:${loop} goes on`
  it('end endless loops, which are named', () => {
    for (const text of both({ trips: 1000 }, fn => fn['forever']!(1))) expect(text).toBe(said('4:3', 1000))
  })
  it('are those of all loops of one call together, and every call begins anew', () => {
    for (const text of both({ trips: 12 }, fn => [fn['twice']!(3), fn['twice']!(3)])) expect(text).toBe('none')
    for (const text of both({ trips: 11 }, fn => fn['twice']!(3))) expect(text).toBe(said('11:5', 11))
    for (const text of both({ trips: 0 }, fn => fn['twice']!(1))) expect(text).toBe(said('10:3', 0))
    for (const text of both({ trips: 0 }, fn => fn['twice']!(0))) expect(text).toBe('none')
  })
  it('are those of all threads of a dispatch', () => {
    for (const text of both({ trips: 1000 }, (_, kernel) => kernel('k', [2, 1, 1]))) expect(text).toBe('none')
    for (const text of both({ trips: 20 }, (_, kernel) => kernel('k', [2, 1, 1])))
      expect(text).toMatch(/^TrapError: the call makes more than 20 trips of loops.*stranger\.slang:1[01]:/)
  })
  it('end loops with barriers', () => {
    for (const text of both({ trips: 5000 }, (_, kernel) => kernel('together', [1, 1, 1])))
      expect(text).toMatch(
        /^TrapError: the call makes more than 5000 trips of loops.* the loop at stranger\.slang:\d+:\d+ goes on$/,
      )
  })
  it('of loops with barriers are those of each thread, and threads that take turns make none', () => {
    const turns = compile(`
      RWStructuredBuffer<int> o; groupshared int s[64];
      [shader("compute")] [numthreads(64, 1, 1)] void k(uint i : SV_GroupIndex) {
        s[i] = int(i);
        GroupMemoryBarrierWithGroupSync();
        for (int q = 0; q < o[64]; q++) {
          o[i] += s[63 - i];
          GroupMemoryBarrierWithGroupSync();
        }
      }`)
    for (const [count, trips, wanted] of [
      [0, 0, 'none'],
      [4, 256, 'none'],
      [4, 255, 'TrapError: the call makes more than 255 trips'],
    ] as const) {
      const buffer = (): Int32Array => Int32Array.from({ length: 65 }, (_, i) => (i === 64 ? count : 0))
      const limits = { trips }
      expect(
        message(() =>
          loadSync(turns, { limits })
            .kernel('k')
            .dispatch([1, 1, 1], { buffers: { o: buffer() } }),
        ),
      ).toContain(wanted)
      expect(message(() => evaluate(turns.js({ limits }).code)['k']!([1, 1, 1], { o: buffer() }))).toContain(wanted)
    }
  })
  it('end derivatives in all forms', () => {
    const m = loadSync(program, { limits: { trips: 5000 } })
    const { tape, sums } = m.fn
    for (const run of [
      () => tape!(1),
      () => tape!.valueAndGrad(1),
      () => tape!.vjp([1], 1),
      () => tape!.jvp([1], [1]),
      () => sums!.vjp([1, 1_000_000], 1),
      () => sums!.jvp([1, 1_000_000], [1, null]),
    ]) {
      expect(message(run)).toMatch(
        /^TrapError: the call makes more than 5000 trips of loops, which is all that limits\.trips allows: the loop at stranger\.slang:\d+:3 goes on$/,
      )
    }
    expect(sums!.valueAndGrad(0.5, 10)).toEqual(loadSync(program).fn['sums']!.valueAndGrad(0.5, 10))
    const js = evaluate(program.js({ limits: { trips: 5000 } }).code)
    expect(message(() => js['bwd_diff(tape)']!({ p: 1, d: 0 }, 1))).toMatch(
      /^TrapError: the call makes more than 5000 trips/,
    )
    expect(message(() => js['fwd_diff(tape)']!({ p: 1, d: 1 }))).toMatch(
      /^TrapError: the call makes more than 5000 trips/,
    )
  })
})

describe('depth', () => {
  it('ends functions that call themselves, also through others', () => {
    for (const text of both({ depth: 50 }, fn => fn['deep']!(1000)))
      expect(text).toBe(
        'TrapError: calls are nested more than 50 deep, which is all that limits.depth allows: deep at stranger.slang:15 calls itself',
      )
    for (const text of both({ depth: 50 }, fn => fn['even']!(1000)))
      expect(text).toMatch(
        /^TrapError: calls are nested more than 50 deep, which is all that limits\.depth allows: (even|odd) at stranger\.slang:1[67] calls itself$/,
      )
  })
  it('is given back by calls that return', () => {
    for (const text of both({ depth: 50 }, fn => {
      for (let i = 0; i < 10; i++) if (fn['deep']!(40) !== 40) throw new Error('wrong')
    }))
      expect(text).toBe('none')
  })
})

describe('bytes', () => {
  it('end what a reverse derivative stores, and name the loop', () => {
    const m = loadSync(program, { limits: { bytes: 2 ** 20 } })
    expect(message(() => m.fn['tape']!.vjp([1], 1))).toMatch(
      /^TrapError: the loop at stranger\.slang:20:3: out of memory/,
    )
    expect(m.fn['sums']!.valueAndGrad(0.5, 10).value).toBe(m.fn['sums']!(0.5, 10))
    const js = evaluate(program.js({ limits: { bytes: 2 ** 20 } }).code)
    expect(message(() => js['bwd_diff(tape)']!({ p: 1, d: 0 }, 1))).toMatch(
      /^TrapError: the loop at stranger\.slang:20:3: out of memory/,
    )
  })
  it('bound what is bound, and what the program itself has', () => {
    const m = loadSync(program, { limits: { bytes: 2 ** 17 } })
    expect(message(() => m.kernel('k').dispatch([1, 1, 1], { buffers: { outp: new Float32Array(2 ** 16) } }))).toMatch(
      /^TrapError: \d+ bytes of memory are needed for what is bound, and limits\.bytes allows 131072$/,
    )
    const large = compile('static float table[100000]; public float f(int i) { table[i] = 1.0; return table[i + 1]; }')
    expect(message(() => loadSync(large, { limits: { bytes: 2 ** 17 } }))).toMatch(
      /^TrapError: the program has \d+ bytes of variables and tables, and limits\.bytes allows 131072$/,
    )
  })
})

describe('bytes that are no whole pages', () => {
  const dispatch = (bytes: number, floats: number): string =>
    message(() =>
      loadSync(program, { limits: { bytes } })
        .kernel('k')
        .dispatch([1, 1, 1], { buffers: { outp: new Float32Array(floats) } }),
    )
  it('allow what fits, and no more', () => {
    for (const [bytes, floats] of [
      [140_000, 33_000],
      [70_000, 16_800],
      [20_000, 4000],
    ] as const) {
      expect(dispatch(bytes, floats)).toBe('none')
      expect(dispatch(bytes, bytes / 4)).toMatch(
        new RegExp(
          `^TrapError: \\d+ bytes of memory are needed for what is bound, and limits\\.bytes allows ${bytes}$`,
        ),
      )
    }
    expect(dispatch(1, 1)).toMatch(/^TrapError: the program has \d+ bytes of variables/)
  })
  it('end lists there, too', () => {
    const sums = (bytes: number, trips: number): string =>
      message(() => loadSync(program, { limits: { bytes } }).fn['sums']!.vjp([0.5, trips], 1))
    // A list doubles, and four bytes of each trip are stored. Both limits end in the second page.
    expect(sums(70_000, 2 ** 14)).toBe('none')
    expect(sums(66_000, 2 ** 14)).toMatch(/^TrapError: .*out of memory/)
  })
})

describe('groups', () => {
  it('bound a dispatch', () => {
    for (const text of both({ groups: 6 }, (_, kernel) => kernel('k', [2, 2, 2])))
      expect(text).toBe('TrapError: k is to run 8 workgroups, and limits.groups allows 6')
    for (const text of both({ groups: 8 }, (_, kernel) => kernel('k', [2, 2, 2]))) expect(text).toBe('none')
  })
})

describe('limits', () => {
  it('cost nothing where none is given', () => {
    const plain = program.wasm(),
      without = program.wasm({ limits: {} }),
      endless = program.wasm({ limits: { trips: Infinity } })
    expect(without.bytes).toEqual(plain.bytes)
    expect(endless.bytes).toEqual(plain.bytes)
    expect(program.wasm({ limits: { trips: 5 } }).bytes.length).toBeGreaterThan(plain.bytes.length)
    expect(program.js({ limits: {} }).code).toBe(program.js().code)
  })
  it('leave the module usable', async () => {
    const m = await load(program, { limits: { trips: 1000, depth: 100, bytes: 2 ** 24, groups: 100 } })
    for (let i = 0; i < 3; i++) {
      expect(() => m.fn['forever']!(1)).toThrow(TrapError)
      expect(() => m.fn['deep']!(1000)).toThrow(TrapError)
      expect(m.fn['deep']!(50)).toBe(50)
      expect(m.fn['forever']!(0)).toBe(0)
    }
  })
  it.each([[{ trips: -1 }], [{ trips: 1.5 }], [{ depth: NaN }], [{ bytes: '5' }], [{ trip: 5 }]])(
    '%j are refused',
    limits => {
      expect(message(() => loadSync(program, { limits: limits as RunLimits }))).toMatch(
        /^CompileError: .*E50201.*the option limits of wasm is not /,
      )
    },
  )
})

it('never pass a loop that nothing can leave; one that does nothing may be assumed to end', () => {
  const program = compile(
    'public int never() { while (true) {} return 7; }\npublic int idle(float x) { while (x > 0) {} return 3; }\npublic int count(int x) { for (;;) x++; }',
  )
  const m = loadSync(program, { limits: { trips: 10, bytes: 100_000 } })
  for (const fn of [m.fn, evaluate(program.js({ limits: { trips: 10 } }).code)]) {
    expect(message(() => fn['never']!())).toBe(
      'TrapError: the call came to a loop that nothing ends: the loop at main.slang:1:22 goes on',
    )
    expect(message(() => fn['count']!(1))).toBe(
      'TrapError: the call came to a loop that nothing ends: the loop at main.slang:3:27 goes on',
    )
    expect(fn['idle']!(1)).toBe(3)
  }
  expect(() => loadSync(program).fn['never']!()).toThrow(TrapError)
})
