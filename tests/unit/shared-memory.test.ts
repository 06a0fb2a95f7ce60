/** Modules with a shared memory: their atomics are WebAssembly's, and give what plain ones give. */
import { expect, test } from 'vitest'
import { Machine } from '../../src/cpu/machine.ts'
import { ProgramMemory } from '../../src/cpu/memory.ts'
import { compile, type WasmOutput } from '../../src/index.ts'

const source = `
RWStructuredBuffer<int> i;
RWStructuredBuffer<uint> u;
RWStructuredBuffer<float> f;
RWStructuredBuffer<int64_t> w;
RWStructuredBuffer<int> was;
[shader("compute")] [numthreads(4, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
  int n = int(id.x), old;
  InterlockedAdd(i[0], n - 3, old); was[n] = old;
  InterlockedMin(i[1], 2 - n); InterlockedMax(i[2], n);
  InterlockedAnd(i[3], ~n); InterlockedOr(i[4], n); InterlockedXor(i[5], n);
  InterlockedExchange(i[6], n, old);
  InterlockedCompareExchange(i[7], n, n + 1, old);
  InterlockedAdd(i[100], 1, old); was[8 + n] = old + 1;
  InterlockedMin(u[0], 0xfffffff0 + id.x); InterlockedMax(u[1], 0xfffffff0 + id.x);
  InterlockedAdd(w[0], 0x100000000ll + n); InterlockedMax(w[1], int64_t(n) << 40);
  InterlockedAdd(f[0], 0.1 * n); InterlockedMax(f[1], 1.5 * n); float before; InterlockedExchange(f[2], 0.5 * n, before);
}
`

function run(output: WasmOutput, memory: ProgramMemory): unknown {
  const machine = new Machine(new WebAssembly.Module(output.bytes), output.host, {}, memory)
  const buffers = {
    i: new Int32Array(8),
    u: Uint32Array.of(0xffffffff, 0),
    f: Float32Array.of(0.1, 5, 0),
    w: new BigInt64Array(2),
    was: new Int32Array(16),
  }
  machine.dispatch('main', [3, 1, 1], { buffers })
  return buffers
}

test('atomics of shared memory give what plain ones give', () => {
  const program = compile(source)
  const [plain, shared] = [program.wasm(), program.wasm({ shared: true })]
  expect(plain.text()).not.toMatch(/atomic|shared/)
  for (const name of ['i32.atomic.rmw.add', 'i32.atomic.rmw.xchg', 'i32.atomic.rmw.cmpxchg', 'i64.atomic.rmw.add'])
    expect(shared.text()).toContain(name)
  expect(run(shared, new ProgramMemory(undefined, true))).toEqual(run(plain, new ProgramMemory(undefined)))
})
