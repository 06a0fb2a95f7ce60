import { error, type Entry } from '../diag.ts'

export const typeNotInTarget: Entry<'func' | 'type'> = error('E37001', 'WGSL has no type {type}, which {func} uses', {
  help: 'use a 32-bit type, or compile for wasm or js',
  example: {
    source: `RWStructuredBuffer<float> outp;
[shader("compute")] [numthreads(1, 1, 1)]
void main1(uint3 id : SV_DispatchThreadID)
{
    double x = double(outp[0]);
    outp[0] = float(x * x);
}`,
    target: 'wgsl',
  },
})

export const recursionInTarget: Entry<'func'> = error('E37002', '{func} calls itself, which WGSL does not allow', {
  help: 'write the recursion as a loop',
  example: {
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
})

export const noPosition: Entry<'name'> = error('E37004', 'the vertex entry point {name} gives no SV_Position', {
  help: 'give a float4 the semantic SV_Position: a field of the struct it returns, the result, or an out parameter',
  example: {
    source: `[shader("vertex")]
float4 vertexMain(float3 at : POSITION) : COLOR
{
    return float4(at, 1.0);
}`,
    target: 'wgsl',
  },
})

export const arrayTooLong: Entry<'count' | 'limit'> = error('E37007', 'an array of {count} elements is too long for WGSL, which allows {limit} here', {
  help: 'keep the elements in a buffer, or give inner loops a smaller [MaxIters]: a derivative stores values for each trip',
  example: {
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
})

export const atomicTypeInTarget: Entry<'type'> = error('E37010', 'WGSL has no atomic operations on {type}', {
  help: 'use int, uint or float where several threads write',
  example: {
    source: `RWStructuredBuffer<half> outp;
[shader("compute")] [numthreads(1, 1, 1)]
void computeMain(uint3 id : SV_DispatchThreadID)
{
    InterlockedAdd(outp[0], half(1.0));
}`,
    target: 'wgsl',
  },
})

export const notInStage: Entry<'what' | 'name' | 'stage' | 'needed'> = error('E36107', '{what} cannot be used by {name}: it is a {stage} entry point, and only {needed} ones have it', {
  help: 'sample with SampleLevel or SampleGrad; share memory and wait in compute shaders; read StructuredBuffers in vertex shaders',
  example: {
    source: `RWStructuredBuffer<float> outp;
[shader("compute")] [numthreads(1, 1, 1)]
void computeMain(uint3 id : SV_DispatchThreadID)
{
    outp[0] = ddx(float(id.x));
}`,
    target: 'wgsl',
  },
})

export const textureNotInTarget: Entry<'name' | 'type'> = error('E37011', '{name} is a {type}, which WGSL has not', {
  help: 'use a texture of 1, 2 or 3 dimensions or a cube, or an array of 2D textures or cubes, of 32-bit numbers',
  example: {
    source: `Texture1DArray<float4> rows;
RWStructuredBuffer<float4> outp;
[shader("compute")] [numthreads(1, 1, 1)]
void computeMain(uint3 id : SV_DispatchThreadID)
{
    outp[0] = rows.Load(int3(0, 0, 0));
}`,
    target: 'wgsl',
  },
})

export const formatNotInTarget: Entry<'name' | 'format'> = error('E37012', '{name} would be written in the format {format}, which WGSL has not', {
  help: 'use a format of four channels, or of one or two of 32 bits, and texels of the same kind of number',
  example: {
    source: `[format("r11f_g11f_b10f")] RWTexture2D<float3> picture;
[shader("compute")] [numthreads(1, 1, 1)]
void computeMain(uint3 id : SV_DispatchThreadID)
{
    picture[id.xy] = float3(1.0);
}`,
    target: 'wgsl',
  },
})

export const readWriteInTarget: Entry<'name' | 'format'> = error('E37013', '{name} is read and written, which WGSL allows in formats of one 32-bit channel, not in {format}', {
  help: 'read from another texture than the one that is written, or use a buffer',
  example: {
    source: `RWTexture2D<float4> picture;
[shader("compute")] [numthreads(1, 1, 1)]
void computeMain(uint3 id : SV_DispatchThreadID)
{
    picture[id.xy] = picture[id.xy] * 2.0;
}`,
    target: 'wgsl',
  },
})

export const offsetInTarget: Entry = error('E37014', 'WGSL samples with constant offsets from -8 to 7 only', {
  help: 'write the offset in numbers, or add it to the coordinates',
  example: {
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
})

const noSemantic = 'WGSL has no system value {semantic} in a {stage} entry point'
export const semanticNotInTarget: Entry<'semantic' | 'stage'> = error('E37005', noSemantic, {
  help: `compute: SV_DispatchThreadID, SV_GroupID, SV_GroupThreadID, SV_GroupIndex; vertex: SV_VertexID, SV_InstanceID, and SV_Position out; fragment: SV_Position, \
SV_IsFrontFace, SV_SampleIndex, SV_Coverage, and SV_Target, SV_Depth, SV_Coverage out`,
  example: {
    source: `RWStructuredBuffer<uint> outp;
[shader("compute")] [numthreads(1, 1, 1)]
void computeMain(uint id : SV_VertexID)
{
    outp[0] = id;
}`,
    target: 'wgsl',
  },
})

export const divergentBarrier: Entry<'func'> = error('E37008', 'threads of a workgroup may part before this barrier of {func}, which WGSL does not allow', {
  help: 'decide by uniforms, constants and SV_GroupID, and keep barriers out of what single threads do',
  example: {
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
})

export const tooManyParams: Entry<'func' | 'count' | 'limit'> = error('E37015', '{func} has {count} parameters, and WGSL allows {limit}', {
  help: 'pass an array or a struct',
  example: {
    source: `RWStructuredBuffer<float> outp;
[noinline] float sum(${Array.from({ length: 256 }, (_, i) => `float x${i}`).join(', ')}) { return ${Array.from({ length: 256 }, (_, i) => `x${i}`).join(' + ')}; }
[shader("compute")] [numthreads(1, 1, 1)]
void computeMain(uint3 id : SV_DispatchThreadID)
{
    outp[0] = sum(${Array.from({ length: 256 }, (_, i) => `outp[${i}]`).join(', ')}) * sum(${Array.from({ length: 256 }, () => 'outp[0]').join(', ')});
}`,
    target: 'wgsl',
  },
})

export const nestedTooDeep: Entry<'func' | 'limit'> = error('E37009', 'statements of {func} are nested more than {limit} deep, which WGSL does not allow', {
  help: 'make inner statements a function of their own',
  example: {
    source: `RWStructuredBuffer<float> outp;
[shader("compute")] [numthreads(1, 1, 1)]
void computeMain(uint3 id : SV_DispatchThreadID)
{
${Array.from({ length: 65 }, (_, i) => `if (outp[${i}] > 0.0) {`).join('')} return; ${'outp[id.y] += 1.0; }'.repeat(65)}
    outp[id.x] *= 2.0;
}`,
    target: 'wgsl',
  },
})

const resourceChoice = 'which resource this is depends on the run, and WGSL needs to know when compiling'
export const resourceChoiceInTarget: Entry = error('E37006', resourceChoice, {
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
    target: 'wgsl',
  },
})

export const missingEntry: Entry<'name'> = error('E38000', 'there is no entry point {name}', {
  help: 'an entry point has [shader("compute")] or [numthreads(x, y, z)]; else its stage must be given (--stage)',
  example: { source: 'float f(float x) { return x; }', target: 'wgsl', entry: 'computeMain' },
})
