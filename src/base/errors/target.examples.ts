/** The smallest programs that get the diagnostics of `target.ts`; the documentation and the tests use them. */
import type { Examples } from '../diag.ts'
import type * as targetErrors from './target.ts'

export const examples: Examples<typeof targetErrors> = {
  typeNotInTarget: {
    source: `RWStructuredBuffer<float> outp;
[shader("compute")] [numthreads(1, 1, 1)]
void main1(uint3 id : SV_DispatchThreadID)
{
    double x = double(outp[0]);
    outp[0] = float(x * x);
}`,
    target: 'wgsl',
  },
  recursionInTarget: {
    source: `RWStructuredBuffer<int> outp;
int fib(int n)
{
    if (n < 2)
        return n;
    return fib(n - 1) + fib(n - 2);
}
[shader("compute")] [numthreads(1, 1, 1)]
void computeMain(uint3 id : SV_DispatchThreadID)
{
    outp[id.x] = fib(int(id.x));
}`,
    target: 'wgsl',
  },
  noPosition: {
    source: `[shader("vertex")]
float4 vertexMain(float3 at : POSITION) : COLOR
{
    return float4(at, 1.0);
}`,
    target: 'wgsl',
  },
  arrayTooLong: {
    source: `RWStructuredBuffer<float> outp;
[shader("compute")] [numthreads(1, 1, 1)]
void computeMain(uint3 id : SV_DispatchThreadID)
{
    float seen[100000];
    seen[int(outp[0])] = 1.0;
    outp[1] = seen[id.x];
}`,
    target: 'wgsl',
  },
  atomicTypeInTarget: {
    source: `RWStructuredBuffer<half> outp;
[shader("compute")] [numthreads(1, 1, 1)]
void computeMain(uint3 id : SV_DispatchThreadID)
{
    InterlockedAdd(outp[0], half(1.0));
}`,
    target: 'wgsl',
  },
  notInStage: {
    source: `RWStructuredBuffer<float> outp;
[shader("compute")] [numthreads(1, 1, 1)]
void computeMain(uint3 id : SV_DispatchThreadID)
{
    outp[0] = ddx(float(id.x));
}`,
    target: 'wgsl',
  },
  textureNotInTarget: {
    source: `Texture1DArray<float4> rows;
RWStructuredBuffer<float4> outp;
[shader("compute")] [numthreads(1, 1, 1)]
void computeMain(uint3 id : SV_DispatchThreadID)
{
    outp[0] = rows.Load(int3(0, 0, 0));
}`,
    target: 'wgsl',
  },
  formatNotInTarget: {
    source: `[format("r11f_g11f_b10f")] RWTexture2D<float3> picture;
[shader("compute")] [numthreads(1, 1, 1)]
void computeMain(uint3 id : SV_DispatchThreadID)
{
    picture[id.xy] = float3(1.0);
}`,
    target: 'wgsl',
  },
  readWriteInTarget: {
    source: `RWTexture2D<float4> picture;
[shader("compute")] [numthreads(1, 1, 1)]
void computeMain(uint3 id : SV_DispatchThreadID)
{
    picture[id.xy] = picture[id.xy] * 2.0;
}`,
    target: 'wgsl',
  },
  offsetInTarget: {
    source: `Texture2D<float4> picture;
SamplerState state;
RWStructuredBuffer<float4> outp;
[shader("compute")] [numthreads(1, 1, 1)]
void computeMain(uint3 id : SV_DispatchThreadID)
{
    outp[0] = picture.SampleLevel(state, float2(0.5), 0.0, int2(id.xy));
}`,
    target: 'wgsl',
  },
  semanticNotInTarget: {
    source: `RWStructuredBuffer<uint> outp;
[shader("compute")] [numthreads(1, 1, 1)]
void computeMain(uint id : SV_VertexID)
{
    outp[0] = id;
}`,
    target: 'wgsl',
  },
  divergentBarrier: {
    source: `RWStructuredBuffer<float> outp;
groupshared float shared[8];
[shader("compute")] [numthreads(8, 1, 1)]
void computeMain(uint3 id : SV_DispatchThreadID, uint i : SV_GroupIndex)
{
    shared[i] = outp[id.x];
    if (i < 4)
        GroupMemoryBarrierWithGroupSync();
    outp[id.x] = shared[7 - i];
}`,
    target: 'wgsl',
  },
  tooManyParams: {
    source: `RWStructuredBuffer<float> outp;
[noinline] float sum(${Array.from({ length: 256 }, (_, i) => `float x${i}`).join(', ')}) { return ${Array.from({ length: 256 }, (_, i) => `x${i}`).join(' + ')}; }
[shader("compute")] [numthreads(1, 1, 1)]
void computeMain(uint3 id : SV_DispatchThreadID)
{
    outp[0] = sum(${Array.from({ length: 256 }, (_, i) => `outp[${i}]`).join(', ')}) * sum(${Array.from({ length: 256 }, () => 'outp[0]').join(', ')});
}`,
    target: 'wgsl',
  },
  nestedTooDeep: {
    source: `RWStructuredBuffer<float> outp;
[shader("compute")] [numthreads(1, 1, 1)]
void computeMain(uint3 id : SV_DispatchThreadID)
{
${Array.from({ length: 65 }, (_, i) => `if (outp[${i}] > 0.0) {`).join('')} return; ${'outp[id.y] += 1.0; }'.repeat(65)}
    outp[id.x] *= 2.0;
}`,
    target: 'wgsl',
  },
  resourceChoiceInTarget: {
    source: `StructuredBuffer<float> a;
StructuredBuffer<float> b;
RWStructuredBuffer<float> outp;
[shader("compute")] [numthreads(1, 1, 1)]
void computeMain(uint3 id : SV_DispatchThreadID)
{
    StructuredBuffer<float> chosen = a;
    if (id.x > 3)
        chosen = b;
    outp[id.x] = chosen[id.x];
}`,
    target: 'wgsl',
  },
  missingEntry: { source: 'float f(float x) { return x; }', target: 'wgsl', entry: 'computeMain' },
}
