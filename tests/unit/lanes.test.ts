/** Kernels four threads wide against the same kernels one thread at a time: the smallest programs that once differed. */
import { describe, expect, it } from 'vitest'
import { loadSync } from '../../src/cpu/index.ts'
import { compile, type Level } from '../../src/index.ts'

/** Each number of `n` for a thread; and as floats. */
const numbers = [3, -6, 0, 7, 1, 2147483647, -2147483648, 5, -1, 2, 4, 9, 33, -4, 6, 8]

const rising = [0, 1, 2, 3, 5, 6, 2, 8]

const cases: readonly {
  readonly name: string
  readonly globals?: string
  /** Other numbers. */
  readonly n?: readonly number[]
  readonly threads?: number
  readonly groups?: number
  readonly body: string
}[] = [
  {
    name: 'a counter below zero stays so after a loop that counts down',
    body: 'int i = min(n[t], 9); for (; i > 0; i--) o[t] += i * 2; o[t + 16] = i;',
  },
  {
    name: 'the condition of a loop that counts down has effects where it has no trip',
    body: 'int i = min(n[t], 9); for (; o[t]++, i > 0; i--) o[t + 16] += i;',
  },
  { name: 'a condition as a number is 0 or 1 in memory', body: 'o[t] = n[t] > 2 ? 1 : 0;' },
  {
    name: 'each thread adds to a variable of its own',
    body: 'int c = 2; int was; InterlockedAdd(c, n[t], was); o[t] = c * 3 + was;',
  },
  {
    name: 'some threads change an element of a variable by an atomic operation',
    body: `int a[3] = { 1, 2, 3 }; int was = 9;
      if (n[t] > 0) { InterlockedMax(a[n[t] % 3], 3, was); InterlockedCompareExchange(a[1], 2, n[t], was); }
      o[t] = a[0] + 5 * a[1] + 7 * a[2]; o[t + 16] = was;`,
  },
  {
    name: 'each thread adds to an element of a static variable',
    globals: 'static int a[4] = { 1, 2, 3, 4 };',
    body: 'InterlockedAdd(a[n[t] & 3], n[t]); o[t] = a[0] + 3 * a[1] + 7 * a[2];',
  },
  {
    name: 'threads are divided by more than half of all numbers',
    body: 'uint q = t / 0x80000000u; uint r = t % 0xfffffffcu; if (q > 1) o[t] = 3; while (q > 0) { q--; o[t] += 1; } o[t] += int(r);',
  },
  {
    name: 'a condition of a loop that counts down looks at the counter',
    body: 'int i = min(n[t], 9), sum = 0; while ((sum += i * 2 + 1, i > 0)) i--; o[t] = sum;',
  },
  {
    name: 'a loop is left with other steps from thread to thread than it carries',
    threads: 8,
    groups: 1,
    n: rising,
    body: `int r = int(t);
      for (int k = 0; k < 8; k++) { if (n[k] > 2) { r = r * 5; break; } r += 3; }
      o[t] = r;`,
  },
  {
    name: 'a loop is left with numbers that are not evenly apart',
    threads: 8,
    groups: 1,
    n: rising,
    body: `int r = int(t);
      for (int k = 0; k < 8; k++) { if (n[k] > 2) { r = n[r]; break; } r += 3; }
      o[t] = r;`,
  },
  {
    name: 'threads write far below the first element, where no address is',
    body: 'o[int(t) * 100000000 - 300000000] = 5;',
  },
  {
    name: 'threads change what they all got from one call',
    globals:
      'struct Many { int a[9]; } Many many(int by) { Many m; for (int k = 0; k < 9; k++) m.a[k] = n[k] * by; return m; }',
    body: 'Many m = many(3); m.a[n[t] & 7] += int(t); m.a[1] = n[t]; o[t] = m.a[n[t + 1] & 7] + m.a[2];',
  },
  {
    // One call of a dispatch has several groups only where there are many.
    name: 'groups of one thread have shared variables of their own',
    globals: 'groupshared int shares[4];',
    threads: 1,
    groups: 1100,
    body: 'shares[n[t & 15] & 3] += 1; o[t] = shares[0] + 2 * shares[1] + 3 * shares[2];',
  },
]

describe('four threads at once give what one at a time gives', () => {
  it.each(cases)('$name', ({ globals = '', n = numbers, threads = 4, groups = 4, body }) => {
    for (const optimize of [0, 2] as const satisfies readonly Level[]) {
      const program = compile(
        `StructuredBuffer<int> n; RWStructuredBuffer<int> o; ${globals}
        [shader("compute")] [numthreads(${threads}, 1, 1)]
        void computeMain(uint3 id : SV_DispatchThreadID) { uint t = id.x; ${body} }`,
        { optimize },
      )
      const [one, four] = ([1, 4] as const).map(lanes => {
        const module = loadSync(program, { lanes })
        const kernel = module.kernel('computeMain')
        const o = new Int32Array(Math.max(32, threads * groups))
        kernel.dispatch([groups, 1, 1], { buffers: { n: Int32Array.from(n), o } })
        module.close()
        return { o, lanes: kernel.lanes }
      })
      expect(four!.lanes).toEqual({ count: 4, reason: undefined })
      expect(four!.o).toEqual(one!.o)
    }
  })
})

describe('a kernel with very many atomic operations', () => {
  it('runs one thread at a time, for engines would take seconds over it', () => {
    const adds = 'InterlockedAdd(o[id.x], s, was); s += was;'.repeat(600)
    const program = compile(
      `RWStructuredBuffer<int> o;
      [shader("compute")] [numthreads(4, 1, 1)]
      void computeMain(uint3 id : SV_DispatchThreadID) { int s = 0; int was; ${adds} o[id.x] = s; }`,
    )
    const module = loadSync(program)
    expect(module.kernel('computeMain').lanes).toEqual({ count: 1, reason: 'it is large' })
    module.close()
  })
})
