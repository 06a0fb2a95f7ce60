/** Neighbouring elements of a buffer, which four threads access at once, against the same kernels one thread at a time. */
import { describe, expect, it } from 'vitest'
import { loadSync } from '../../src/cpu/index.ts'
import { compile } from '../../src/index.ts'

/** `n` is read and `o` is written, `k` is four times the thread. `guard` lies behind `o`. */
const cases: readonly {
  readonly name: string
  /** Elements of `n` and of `o`. */
  readonly sizes?: readonly [number, number]
  readonly globals?: string
  readonly body: string
  /** How many vectors are loaded, stored and shuffled where all is in bounds; not said where lanes access single words. */
  readonly code?: { readonly loads: number; readonly stores: number; readonly shuffles: number }
}[] = [
  {
    name: 'rows of four',
    body: 'int a = n[k], b = n[k + 1], c = n[k + 2], d = n[k + 3]; o[k] = d; o[k + 1] = c; o[k + 2] = b; o[k + 3] = a * b;',
    code: { loads: 4, stores: 4, shuffles: 16 },
  },
  {
    name: 'rows in another order',
    body: 'int a = n[k + 2], b = n[k]; o[k + 3] = n[k + 3] - a; o[k + 1] = b; o[k] = n[k + 1]; o[k + 2] = 7;',
    code: { loads: 4, stores: 4, shuffles: 16 },
  },
  {
    name: 'signed indices',
    body: 'int s = int(k); int a = n[s], b = n[s + 1], c = n[s + 2], d = n[s + 3]; o[s] = d; o[s + 1] = c; o[s + 2] = b; o[s + 3] = a * b;',
    code: { loads: 4, stores: 4, shuffles: 16 },
  },
  {
    name: 'signed indices in any order',
    body: 'int r = (n[t] ^ int(t)) * 4; int a = n[r], b = n[r + 1]; r = int(t ^ 5u) * 4; o[r] = a; o[r + 3] = b; o[r + 1] = 5; o[r + 2] = a;',
  },
  {
    name: 'signed indices from below zero to beyond the end',
    sizes: [60, 59],
    body: 'int s = int(k) * 2 - 8; int a = n[s], b = n[s + 3]; o[s] = a; o[s + 1] = b; o[s + 2] = 5; o[s + 3] = n[s - 1];',
  },
  {
    name: 'signed and unsigned indices',
    body: 'int s = int(n[t] & 3); o[k + s] = 3; o[k] = n[s + 1] - n[uint(s) + 2]; o[uint(s & 1) + k + 1] = n[s]; o[k + 3] = s;',
  },
  {
    name: 'sums of neighbours',
    body: 'o[k] += 1; o[k + 1] += 2; o[k + 2] -= 3; o[k + 3] *= 2;',
    code: { loads: 4, stores: 4, shuffles: 16 },
  },
  {
    name: 'sums of neighbours, each of what came before',
    body: 'o[k] += n[t]; o[k + 1] += o[k]; o[k + 2] -= o[k + 1] * 3; o[k] = o[k + 3]; o[k + 3] = 7;',
  },
  {
    name: 'sums of neighbours at the end of a buffer',
    sizes: [64, 57],
    body: 'o[k + 1] += n[t]; o[k] += o[k + 2]; o[k + 2] += 5; int a = o[k + 3]; o[k + 3] = a * 2 + o[k + 1]; o[k + 4 - 4] = a;',
  },
  {
    name: 'sums of neighbours beyond the end of a buffer',
    sizes: [64, 5],
    body: 'if (t == 1) { o[k] += n[t]; o[k + 1] += 3; int a = o[k + 2]; o[k] = a; o[k + 3] += o[k + 2]; }',
  },
  {
    name: 'sums of what lies side by side, by some threads',
    body: 'if (n[t] & 1) { o[t + 16] = 5; o[t] += 3; } for (int i = n[t] & 3; i > 0; i--) { o[t + 36] += i; o[t + 32] += 3; }',
  },
  {
    name: 'sums of parts of elements',
    globals: 'struct Pair { int a; float f; int b[2]; }; RWStructuredBuffer<Pair> v;',
    body: 'v[t].a += 2; v[t].b[1] += v[t].a; v[t].f *= 2.0; v[t].b[0] = v[t].b[1] - 1; o[t] = v[t].b[0];',
  },
  {
    name: 'neighbours are loaded behind stores',
    body: 'int s = int(k); o[s + 2] = 4; int a = o[s]; o[s + 3] = a + 1; int b = o[s + 1]; o[s] = b; o[s + 1] = a;',
    code: { loads: 0, stores: 4, shuffles: 10 },
  },
  {
    name: 'pairs',
    body: 'o[2 * t] = n[2 * t + 1]; o[2 * t + 1] = n[2 * t] + n[2 * t + 1];',
    code: { loads: 0, stores: 0, shuffles: 4 },
  },
  {
    name: 'rows of three',
    body: 'uint r = 3 * t; int a = n[r], b = n[r + 1], c = n[r + 2]; o[r] = b; o[r + 1] = c; o[r + 2] = a;',
  },
  {
    name: 'three of four',
    body: 'int a = n[k], b = n[k + 1], c = n[k + 3]; o[k] = b; o[k + 1] = c; o[k + 3] = a;',
    code: { loads: 0, stores: 0, shuffles: 4 },
  },
  {
    name: 'what lies side by side for threads that follow each other',
    body: 'o[t] = n[t] + 3 * n[t + 1] - n[t + 2];',
    code: { loads: 3, stores: 1, shuffles: 0 },
  },
  {
    name: 'sums of constants',
    body: 'int a = n[k + 0], b = n[(k + 0) + 1]; o[(k + 2) - 1] = a; o[k] = b; o[4 * (t + 0) + 2] = 1; o[k + 3] = 2;',
    code: { loads: 0, stores: 4, shuffles: 10 },
  },
  {
    name: 'the last row has a part',
    sizes: [61, 58],
    body: 'int a = n[k + 3], b = n[k]; o[k] = a; o[k + 1] = b; o[k + 2] = 5; o[k + 3] = 6;',
  },
  {
    name: 'a buffer is smaller than what threads reach together',
    sizes: [3, 5],
    body: 'int a = n[k + 3], b = n[k]; o[k] = a; o[k + 1] = b; o[k + 2] = 5; o[k + 3] = 6;',
  },
  {
    name: 'a buffer has one element',
    sizes: [1, 1],
    body: 'int a = n[k + 3], b = n[k]; o[k] = a + 1; o[k + 1] = b; o[k + 2] = 5;',
  },
  {
    name: 'indices wrap around',
    body: 'uint r = k - 2; int a = n[r], b = n[r + 3]; o[r] = a; o[r + 1] = b; o[r + 2] = 5; o[r + 3] = 6;',
  },
  {
    name: 'indices wrap around between threads',
    body: 'uint r = t * 0x40000001u; int a = n[r], b = n[r + 1]; if (t == 4) { o[r] = a + 1; o[r + 1] = b; }',
  },
  {
    name: 'rows far apart',
    body: 'uint r = t * 0x20000u; int a = n[r], b = n[r + 1]; o[r] = a + 1; o[r + 1] = b; o[k + 2] = b;',
  },
  {
    name: 'rows so far apart that addresses wrap around',
    body: 'uint r = t * 0x1fffffc0u, s = t * 0x40000000u; int a = n[r], b = n[r + 1] + n[s] + n[s + 1]; o[r] = a + 1; o[r + 1] = b; o[k + 2] = b;',
  },
  {
    name: 'rows backwards',
    body: 'uint r = 60 - k; int a = n[r], b = n[r + 1]; o[r] = b; o[r + 1] = a; o[r + 2] = 5; o[r + 3] = 6;',
  },
  {
    name: 'rows in any order',
    sizes: [62, 61],
    body: 'uint r = (n[t] ^ t) * 4; int a = n[r + 1], b = n[r + 2]; r = (t ^ 5u) * 4; o[r] = a; o[r + 1] = b; o[r + 2] = 5; o[r + 3] = a;',
  },
  { name: 'the same row for all threads', body: 'int a = n[4] + n[5] * n[6]; o[t] = a; o[3 + t - t] = a;' },
  {
    name: 'some threads write',
    body: 'int a = n[k], b = n[k + 1]; if ((a & 3) != 1) { o[k] = a + 1; o[k + 1] = b; o[k + 2] = 5; o[k + 3] = 6; }',
  },
  {
    name: 'some threads write what lies side by side',
    body: 'int a = n[k]; if ((a & 3) != 1) { o[t] = a + 1; o[t + 4] = a; }',
  },
  {
    name: 'what is loaded is written in between',
    body: 'int a = o[k]; o[k + (n[t] & 3)] = 50; int b = o[k + 1] + 2 * o[k + 2] + 3 * o[k + 3]; o[k] = a + b;',
  },
  {
    name: 'what is written is loaded in between',
    body: 'o[k] = n[t]; int a = o[k + (n[t] & 1)]; o[k + 1] = a + 1; o[k + 2] = o[k + (n[k] & 3)];',
  },
  {
    name: 'something is written twice',
    body: 'o[k] = 1; o[k + 1] = n[t]; o[k + (n[t] & 1)] = 3; o[k] = n[k]; o[k + 1] += 2;',
  },
  {
    name: 'something that may be the same is written in between',
    body: 'o[k] = 1; o[k + (n[t] & 1)] = 3; o[k + 1] = 4; o[k + (n[k] & 1) + 2] = 5; o[k + 3] = 6;',
  },
  {
    name: 'other memory is written in between',
    body: 'o[k] = n[k]; guard[t] = n[k + 1]; o[k + 1] = guard[t] + 1; int a = guard[t + 16]; o[k + 2] = n[k + 2]; o[k + 3] = a;',
  },
  {
    name: 'threads meet in between',
    body: 'o[k] = n[t]; o[k + 1] = 3; AllMemoryBarrierWithGroupSync(); uint r = (k + 4) & 63; int a = o[r] + o[r + 1]; AllMemoryBarrierWithGroupSync(); o[k + 2] = a; o[k + 3] = a + 1;',
  },
  {
    name: 'an atomic operation comes in between',
    body: 'int was; o[k] = n[t]; o[k + 1] = 4; InterlockedAdd(o[k + (n[t] & 1)], 5, was); o[k + 2] = was; o[k + 3] = 1;',
  },
  {
    name: 'a function that writes is called in between',
    globals: 'void put(uint at, int by) { o[at] += by; }',
    body: 'o[k] = n[t]; o[k + 1] = 4; put(k + (n[t] & 1), 3); int a = o[k] + o[k + 1]; o[k + 2] = a; o[k + 3] = a;',
  },
  {
    name: 'a loop writes in between',
    body: 'o[k] = n[t]; o[k + 1] = 4; for (int i = 0; i < (n[t] & 3); i++) o[k + i] += 3; o[k + 2] += 1; o[k + 3] = o[k];',
  },
  {
    name: 'elements of four',
    globals: 'RWStructuredBuffer<int4> v;',
    body: 'int4 a = v[t]; v[t] = a.wxzy * n[k]; o[t] = a.x + a.w;',
    code: { loads: 4, stores: 5, shuffles: 16 },
  },
  {
    name: 'elements of three, and parts of them',
    globals: 'RWStructuredBuffer<int3> v;',
    body: 'int3 a = v[t]; v[t].xz = a.yx; int b = v[t].z; v[t].y = b + 1; o[t] = a.x;',
  },
  { name: 'components alone', globals: 'RWStructuredBuffer<int3> v;', body: 'o[t] = v[t].x + 2 * v[t].y - v[t].z;' },
  {
    name: 'elements of arrays alone',
    globals: 'struct Three { int b[3]; }; RWStructuredBuffer<Three> v;',
    body: 'o[t] = v[t].b[0] + 2 * v[t].b[2];',
  },
  {
    name: 'elements of matrices alone',
    globals: 'RWStructuredBuffer<int3x3> v;',
    body: 'o[t] = v[t][0][1] + 2 * v[t][2].x;',
  },
  {
    name: 'a variable comes in between',
    body: 'int a[4]; a[t & 3] = n[k]; int b[4]; b[n[t] & 3] = n[k + 1]; o[k] = a[t & 3] + b[n[t] & 3]; o[k + 1] = n[k + 2];',
  },
  {
    name: 'structs, and elements of arrays in them',
    globals: 'struct Pair { int a; float f; int b[2]; }; RWStructuredBuffer<Pair> v;',
    body: 'Pair p = v[t]; v[t].b[1] = p.a; v[t].f = p.f * 2.0 + float(p.b[0]); v[t].b[n[t] & 1] += 3; o[t] = v[t].b[0]; v[t].a = 2;',
  },
]

const count = (text: string, what: string): number => text.split(what).length - 1

describe('four threads at once access neighbours as one at a time does', () => {
  it.each(cases)('$name', ({ sizes = [70, 64], globals = '', body, code }) => {
    for (const optimize of [0, 2] as const) {
      const program = compile(
        `StructuredBuffer<int> n; RWStructuredBuffer<int> o; RWStructuredBuffer<int> guard; ${globals}
        [shader("compute")] [numthreads(16, 1, 1)]
        void computeMain(uint3 id : SV_DispatchThreadID) { uint t = id.x, k = 4 * t; guard[t] = 9; ${body} }`,
        { optimize },
      )
      const [one, four] = ([1, 4] as const).map(lanes => {
        const module = loadSync(program, { lanes })
        const kernel = module.kernel('computeMain')
        const v = Int32Array.from({ length: 192 }, (_, i) => 1065353216 + 3 * i)
        const all: Record<string, Int32Array | Uint8Array> = {
          n: Int32Array.from({ length: sizes[0] }, (_, i) => (i * 7) % 23),
          o: Int32Array.from({ length: sizes[1] }, (_, i) => 100 + i),
          guard: new Int32Array(32),
          // Structs come as bytes.
          v: /struct|x3>/.test(globals) ? new Uint8Array(v.buffer) : v,
        }
        const buffers = Object.fromEntries(kernel.buffers.map(name => [name, all[name]!]))
        kernel.dispatch([1, 1, 1], { buffers })
        module.close()
        return { buffers, lanes: kernel.lanes }
      })
      expect(four!.lanes).toEqual({ count: 4, reason: undefined })
      expect(four!.buffers).toEqual(one!.buffers)
      if (code === undefined || optimize === 0) continue
      const text = program.wasm({ derivatives: false }).text()
      expect({
        // Constants are loaded in front of all loops.
        loads: text.match(/^ {6,}v128\.load( offset=\d+)?$/gm)?.length ?? 0,
        // That of `guard` is one.
        stores: count(text, 'v128.store') - 1,
        shuffles: count(text, 'i8x16.shuffle'),
      }).toEqual(code)
    }
  })
})
