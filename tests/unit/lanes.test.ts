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
    name: 'quotients of numbers with a sign',
    body: `int x = n[t];
      for (int k = 0; k < 16; k++) o[t] = o[t] * 31 + x / n[k] + x % n[k] * 7;
      o[t + 16] = x / 2 + x % 2 * 3 + x / 5 * 5 + x % 5 + x / 7 + x % 1000003 + x / -3 + x % -64 + x / 1073741824 + x % 16;
      o[t + 16] ^= x % -1 * 5 + x / -1;`,
  },
  {
    name: 'quotients of numbers without a sign',
    body: `uint x = uint(n[t]);
      for (int k = 0; k < 16; k++) o[t] = o[t] * 31 + int(x / uint(n[k]) + x % uint(n[k]) * 7);
      o[t + 16] = int(x / 2 + x % 2 * 3 + x / 5 * 5 + x % 5 + x / 7 + x % 1000003 + x / 4294967293u + x % 2147483648u + x / 65536 + x % 16);`,
  },
  {
    name: 'multiples of a divisor, and their neighbours, have the right quotient',
    body: `for (uint k = 0; k < 4000; k++) {
        uint by = 3 + (k * 2654435761u >> (k & 31)), x = by * (4294967295u / by - k % 5) + k % 3 - 1;
        o[t] = o[t] * 31 + int(x / by + x % by); o[t + 16] += int(x / 641 + x % 6700417 + x / 4294967291u);
        o[t] ^= int(x) / int(by >> 1) + int(x) % int(by | 1);
      }`,
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

/** A kernel of 64 threads with numbers of their own. */
const kernelOf = (globals: string, body: string): ReturnType<typeof compile> =>
  compile(`RWStructuredBuffer<int> o; ${globals}
    [shader("compute")] [numthreads(64, 1, 1)]
    void computeMain(uint3 id : SV_DispatchThreadID) { int x = o[id.x]; ${body} o[id.x] = x; }`)

describe('how many threads of a kernel run at once', () => {
  const lanesOf = (program: ReturnType<typeof compile>, lanes?: 1 | 4): unknown => {
    const module = loadSync(program, { lanes })
    const found = module.kernel('computeMain').lanes
    module.close()
    return found
  }

  /** Each thread takes another case, at another place of a stack. */
  const machine = kernelOf(
    'StructuredBuffer<int> code;',
    `int stack[12]; int top = 0, at = x; stack[0] = x;
    for (int k = 0; k < 200; k++) {
      int word = code[at++];
      switch (word & 7) {
        case 0: stack[top] += word; break;
        case 1: top++; stack[top] = word; break;
        case 2: top--; stack[top] ^= stack[top + 1]; break;
        case 3: stack[top] = -stack[top]; break;
        case 4: if (stack[top] > 0) { at = word >> 4; continue; } break;
        case 5: stack[top] *= stack[top - 1]; break;
        default: at += word >> 5;
      }
      if (top < 1 || top > 10) break;
    }
    x = stack[top];`,
  )

  it('is one where lanes cost more', () => {
    expect(lanesOf(machine)).toEqual({ count: 1, reason: 'it takes less time' })
  })

  it('is four where they do not', () => {
    expect(lanesOf(kernelOf('', 'for (int k = 0; k < 9; k++) x = x * 5 + (x >> 3);'))).toMatchObject({ count: 4 })
  })

  it('is what the options ask for', () => {
    expect(lanesOf(machine, 4)).toEqual({ count: 4, reason: undefined })
    expect(lanesOf(machine, 1)).toEqual({ count: 1, reason: 'the program was compiled for one' })
  })
})

describe('a static variable of a kernel', () => {
  it.each([1, 4] as const)('is no memory where its place is never asked for, with %i at once', lanes => {
    const program = kernelOf(
      'static int state = 7; static float2 pair; int next() { state = state * 5 + 1; pair += 0.5; return state; }',
      'for (int k = 0; k < x; k++) { if (next() % 3 == 0) break; } x = state + int(pair.y);',
    )
    const text = program.wasm({ lanes }).text()
    const stores = text.match(/\b(?:i32|f32|v128)\.store\b/g) ?? []
    // The result: of four lanes, all at once or each by itself.
    expect(stores.length).toBeLessThanOrEqual(lanes === 1 ? 1 : 5)
    const module = loadSync(program, { lanes })
    const o = Int32Array.from({ length: 64 }, (_, i) => i)
    module.kernel('computeMain').dispatch([1, 1, 1], { buffers: { o } })
    module.close()
    const expected = Array.from({ length: 64 }, (_, i) => {
      let [state, pair] = [7, 0]
      for (let k = 0; k < i; k++) {
        state = (Math.imul(state, 5) + 1) | 0
        pair += 0.5
        if (state % 3 === 0) break
      }
      return (state + Math.trunc(pair)) | 0
    })
    expect([...o]).toEqual(expected)
  })
})

it.each([1, 4] as const)(
  'static variables may begin with what a recursive function makes of others, with %i at once',
  lanes => {
    const program = kernelOf(
      'static int a = 3; int f(int n) { if (n <= 0) return a; return f(n - 1) + 1; } static int b = f(5);',
      'a += x; b += a; x = b;',
    )
    const module = loadSync(program, { lanes })
    const o = Int32Array.from({ length: 64 }, (_, i) => i)
    module.kernel('computeMain').dispatch([1, 1, 1], { buffers: { o } })
    module.close()
    expect([...o]).toEqual(Array.from({ length: 64 }, (_, i) => 11 + i))
  },
)

it('a long chain of calls that ends at a static variable is compiled', () => {
  const calls = Array.from(
    { length: 300 },
    (_, i) => `[noinline] int f${i + 1}(int x) { return f${i}(x + 1) + 1; }`,
  ).join('\n')
  const program = kernelOf(
    `static int total; [noinline] int f0(int x) { total += x; return total; }\n${calls}`,
    'x = f300(x);',
  )
  const module = loadSync(program, { lanes: 1 })
  const o = new Int32Array(64)
  module.kernel('computeMain').dispatch([1, 1, 1], { buffers: { o } })
  module.close()
  expect([...o]).toEqual(Array.from({ length: 64 }, () => 600))
})

describe('functions of the library', () => {
  it('are part of the code where they are small, whatever WGSL calls them', () => {
    const program = kernelOf(
      '',
      'int3 v = clamp(int3(x, x + 1, x + 2), int3(1), int3(9)); float f = saturate(x) + lerp(1, x, 0.25) + step(2, x); x = max(v.x, min(v.y, v.z)) + int(f);',
    )
    for (const lanes of [1, 4] as const) expect(program.wasm({ lanes }).text()).not.toMatch(/\bcall /)
  })
})
