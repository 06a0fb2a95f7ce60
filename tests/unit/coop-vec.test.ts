/** Vectors of numbers that WebGPU lacks without a feature or altogether: in WebAssembly. */
import { describe, expect, it } from 'vitest'
import { load } from '../../src/cpu/index.ts'
import { compile } from '../../src/index.ts'

const source = `
RWStructuredBuffer<float> o;
RWByteAddressBuffer m;
RWStructuredBuffer<half> halves;
StructuredBuffer<int8_t> bytes;
typealias C = CoopVecComponentType;
typealias L = CoopVecMatrixLayout;
[Differentiable] half f(CoopVec<half, 3> x) { return coopVecMatMul<half, 1>(x * x, C.Float16, halves, 2, C.Float16, L.RowMajor, false, 6)[0]; }
[shader("compute")] [numthreads(1, 1, 1)] void main()
{
  int at = 0;
  for (int i = 0; i < 4; i++) halves[i] = half(i);
  var x = diffPair(CoopVec<half, 3>(1.0h, 2.0h, -3.0h));
  bwd_diff(f)(x, 2.0h);
  o[at++] = f(x.p); o[at++] = x.d[0]; o[at++] = x.d[2];
  coopVecOuterProductAccumulate(x.p, CoopVec<half, 1>(0.5h), halves, 2, 2, L.RowMajor, C.Float16);
  o[at++] = halves[3];
  coopVecOuterProductAccumulate(x.p, x.p, m, 0, 6, L.RowMajor, C.Float16);
  coopVecReduceSumAccumulate(x.p, m, 18);
  o[at++] = m.Load<half>(8); o[at++] = m.Load<half>(22);
  x.p.store(m, 32);
  o[at++] = coopVecLoad<2, half>(m, 34)[1];
  let d = CoopVec<double, 2>(1.0lf / 3, 2.0lf);
  o[at++] = abs((d * d)[0] * 9 - 1) < 1e-14lf ? 1 : 0;
  let i = coopVecMatMul<int, 2>(CoopVec<int8_t, 2>(-1, 2), C.SignedInt8, bytes, 1, C.SignedInt8, L.RowMajor, false, 2);
  o[at++] = i[0]; o[at++] = i[1];
  // The input is rounded to halves.
  o[at++] = coopVecMatMul<float, 1>(CoopVec<float, 1>(1.0 + 1.0 / 4096), C.Float16, halves, 4, C.Float16, L.RowMajor, false, 2)[0];
}`
const numbers = [36, 4, -36, 1.5, 4, -3, -3, 1, 8, 14, 3]

const buffers = (): { o: Float32Array; rest: Record<string, Uint8Array> } => ({
  o: new Float32Array(numbers.length),
  rest: {
    m: new Uint8Array(64),
    halves: new Uint8Array(8),
    bytes: Uint8Array.from([1, 256 - 2, 3, 256 - 4, 5, 0, 0, 0]),
  },
})

describe('a CoopVec of numbers that WebGPU lacks', () => {
  for (const optimize of [0, 2] as const) {
    it(`works in WebAssembly at -O${optimize}`, async () => {
      const { o, rest } = buffers()
      const program = await load(compile(source, { optimize }))
      program.kernel('main').dispatch([1, 1, 1], { buffers: { o, ...rest } })
      expect([...o]).toEqual(numbers)
    })
  }
})
