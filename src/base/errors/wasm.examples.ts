/** The smallest programs that get the diagnostics of `wasm.ts`; the documentation and the tests use them. */
import type { Examples } from '../diag.ts'
import type * as wasmErrors from './wasm.ts'

export const examples: Examples<typeof wasmErrors> = {
  recursiveMemory: {
    source: `public float walk(int n, float x)
{
    float seen[40];
    for (int i = 0; i < 40; i++)
        seen[i] = x * i;
    return n <= 0 ? seen[int(x) % 40] : walk(n - 1, seen[n % 40]) + seen[(n + 1) % 40];
}`,
    target: 'wasm',
  },
  resourceLeftOut: { source: 'public float f(StructuredBuffer<float> b) { return b[0]; }', target: 'wasm' },
  resourceMissing: {
    source: `public float first(StructuredBuffer<float> values)
{
    return values[0];
}`,
    target: 'wasm',
    exports: ['first'],
  },
  semanticMissing: {
    source: `RWStructuredBuffer<uint> outp;
[shader("compute")] [numthreads(1, 1, 1)]
void computeMain(uint3 id : SV_DispatchThreadID, uint sample : SV_SampleIndex)
{
    outp[id.x] = sample;
}`,
    target: 'wasm',
  },
  missingIntrinsic: {
    source: `Texture3D<float4> picture;
RWStructuredBuffer<float> outp;
[shader("compute")] [numthreads(1, 1, 1)]
void computeMain(uint3 id : SV_DispatchThreadID)
{
    outp[id.x] = picture.Load(int4(int(id.x), 0, 0, 0)).x;
}`,
    target: 'wasm',
  },
  barrierInside: {
    source: `groupshared float shared[4];
RWStructuredBuffer<float> outp;
float halve(uint i, int depth)
{
    shared[i] = shared[i] * 0.5;
    GroupMemoryBarrierWithGroupSync();
    return depth == 0 ? shared[3 - i] : halve(i, depth - 1);
}
[shader("compute")] [numthreads(4, 1, 1)]
void computeMain(uint3 id : SV_DispatchThreadID)
{
    shared[id.x] = outp[id.x];
    outp[id.x] = halve(id.x, 2);
}`,
    target: 'wasm',
  },
  memoryMissing: {
    source: `public float f(int i)
{
    float a[600000000];
    for (int k = 0; k < 1000; k++)
        a[k * i] = float(k);
    return a[i];
}`,
    target: 'wasm',
  },
  tooManyLocals: {
    source: `public float f(${Array.from({ length: 1001 }, (_, i) => `float x${i}`).join(', ')}) { return x1; }`,
    target: 'wasm',
  },
}
