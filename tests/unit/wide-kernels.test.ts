/** Kernels four threads wide give what one thread at a time gives: the smallest programs that once did not. */
import { describe, expect, it } from 'vitest'
import { loadSync } from '../../src/cpu/index.ts'
import { compile } from '../../src/index.ts'

interface Case {
  readonly what: string
  readonly body: string
  readonly inp: readonly number[]
}

const below = [-3, 2, 0, -1, -5, -6, -7, -8]
const rising = [0, 1, 2, 3, 5, 6, 2, 8]

const cases: readonly Case[] = [
  {
    what: 'count down from below zero, and look at the counter after the loop',
    body: 'int i = inp[id.x], sum = 0; for (; i > 0; i--) sum = sum * 3 + i; outp[id.x] = i + 1000 * sum;',
    inp: below,
  },
  {
    what: 'count down from below zero, and look at the counter in the condition',
    body: 'int i = inp[id.x], sum = 0; while ((sum += i * 2 + 1, i > 0)) i--; outp[id.x] = sum;',
    inp: below,
  },
  {
    what: 'count down from below zero, and write to memory in the condition',
    body: 'int i = inp[id.x]; while ((outp[id.x] += 10, i > 0)) i--;',
    inp: below,
  },
  {
    what: 'leave a loop with other steps from thread to thread than it carries',
    body: `int r = int(id.x);
      for (int k = 0; k < 8; k++) { if (inp[k] > 2) { r = r * 5; break; } r += 3; }
      outp[id.x] = r;`,
    inp: rising,
  },
  {
    what: 'leave a loop with numbers that are not evenly apart',
    body: `int r = int(id.x);
      for (int k = 0; k < 8; k++) { if (inp[k] > 2) { r = inp[r]; break; } r += 3; }
      outp[id.x] = r;`,
    inp: rising,
  },
  {
    what: 'write far below the first element, where no address is',
    body: 'outp[int(id.x) * 100000000 - 300000000] = 5;',
    inp: rising,
  },
]

/** What a kernel writes, with so many threads at once. */
function run({ body, inp }: Case, optimize: 0 | 2, lanes: 1 | 4): readonly number[] {
  const program = compile(
    `StructuredBuffer<int> inp; RWStructuredBuffer<int> outp;
     [shader("compute")] [numthreads(8, 1, 1)] void main(uint3 id : SV_DispatchThreadID) { ${body} }`,
    { optimize },
  )
  const module = loadSync(program, { lanes })
  const kernel = module.kernel('main')
  expect(kernel.lanes.count).toBe(lanes)
  const outp = new Int32Array(8)
  kernel.dispatch([1, 1, 1], { buffers: { inp: Int32Array.from(inp), outp } })
  module.close()
  return [...outp]
}

describe('four threads at once', () => {
  for (const made of cases)
    for (const optimize of [0, 2] as const)
      it(`${made.what}, at level ${optimize}`, () => {
        expect(run(made, optimize, 4)).toEqual(run(made, optimize, 1))
      })
})
