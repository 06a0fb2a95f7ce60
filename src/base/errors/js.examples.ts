/** The smallest programs that get the diagnostics of `js.ts`; the documentation and the tests use them. */
import type { Examples } from '../diag.ts'
import type * as jsErrors from './js.ts'

export const examples: Examples<typeof jsErrors> = {
  notInScript: {
    source: `Texture3D<float4> tex;
SamplerState state;
RWStructuredBuffer<float> outp;
[shader("compute")] [numthreads(1, 1, 1)]
void computeMain(uint3 id : SV_DispatchThreadID)
{
    outp[0] = tex.SampleLevel(state, float3(0.5), 0.0).x;
}`,
    target: 'js',
  },
  storageInScript: {
    source: `RWStructuredBuffer<half> outp;
[shader("compute")] [numthreads(1, 1, 1)]
void computeMain(uint3 id : SV_DispatchThreadID)
{
    outp[id.x] = half(1.0);
}`,
    target: 'js',
  },
  choiceOnCpu: {
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
    target: 'js',
  },
}
