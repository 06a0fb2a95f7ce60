import { error, type Entry } from '../diag.ts'

export const notInScript: Entry<'name'> = error('E37101', 'JavaScript has no {name}', {
  help: 'compile this for wgsl',
  example: {
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
})

export const storageInScript: Entry<'type'> = error('E37102', 'JavaScript buffers cannot hold {type}', {
  help: 'use 32-bit or 64-bit types in buffers',
  example: {
    source: `RWStructuredBuffer<half> outp;
[shader("compute")] [numthreads(1, 1, 1)]
void computeMain(uint3 id : SV_DispatchThreadID)
{
    outp[id.x] = half(1.0);
}`,
    target: 'js',
  },
})

export const choiceOnCpu: Entry = error('E37103', 'which resource this is depends on the run, and JavaScript and WebAssembly need to know when compiling', {
  help: 'choose between the values read from the resources instead',
  example: {
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
})
