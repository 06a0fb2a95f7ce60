import { error, type Entry } from '../diag.ts'

export const recursiveMemory: Entry<'func'> = error('E37101', '{func} calls itself and keeps an array in memory, which the wasm target cannot do', {
  help: 'write the recursion as a loop, or pass the array as an inout parameter of a function that does not recurse',
  example: {
    source: `public float walk(int n, float x)
{
    float seen[40];
    for (int i = 0; i < 40; i++)
        seen[i] = x * i;
    return n <= 0 ? seen[int(x) % 40] : walk(n - 1, seen[n % 40]) + seen[(n + 1) % 40];
}`,
    target: 'wasm',
  },
})

export const resourceMissing: Entry<'func'> = error('E37102', '{func} hands over a resource, which only shaders can', {
  help: 'export a function of numbers, vectors, matrices, arrays and structs, and read module-level buffers inside',
  example: {
    source: `public float first(StructuredBuffer<float> values)
{
    return values[0];
}`,
    target: 'wasm',
  },
})

export const semanticMissing: Entry<'semantic'> = error('E37103', 'a compute kernel on the CPU has no system value {semantic}', {
  help: 'use SV_DispatchThreadID, SV_GroupID, SV_GroupThreadID or SV_GroupIndex',
  example: {
    source: `RWStructuredBuffer<uint> outp;
[shader("compute")] [numthreads(1, 1, 1)]
void computeMain(uint3 id : SV_DispatchThreadID, uint sample : SV_SampleIndex)
{
    outp[id.x] = sample;
}`,
    target: 'wasm',
  },
})

export const unspelled: Entry<'func'> = error('E37104', '{func} has neither an instruction nor a body on the CPU', {
  help: 'use it in GPU code only, and read numbers from a buffer on the CPU',
  example: {
    source: `Texture3D<float4> picture;
RWStructuredBuffer<float> outp;
[shader("compute")] [numthreads(1, 1, 1)]
void computeMain(uint3 id : SV_DispatchThreadID)
{
    outp[id.x] = picture.Load(int4(int(id.x), 0, 0, 0)).x;
}`,
    target: 'wasm',
  },
})

export const barrierInside: Entry<'func'> = error('E37105', '{func} calls itself around a barrier, so its threads cannot be run in step on the CPU', {
  help: 'write the recursion as a loop',
  example: {
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
})

export const memoryMissing: Entry<'bytes'> = error('E37106', 'the program keeps {bytes} bytes in variables, more than WebAssembly can hold', {
  help: 'use smaller arrays, or give inner loops a smaller [MaxIters]: a derivative stores values for each trip',
  example: {
    source: `public float f(int i)
{
    float a[600000000];
    for (int k = 0; k < 1000; k++)
        a[k * i] = float(k);
    return a[i];
}`,
    target: 'wasm',
  },
})

export const tooManyLocals: Entry<'func' | 'count' | 'what' | 'limit'> = error('E37107', '{func} has {count} {what}, and engines for WebAssembly allow {limit}', {
  help: 'use arrays, which lie in memory, or divide the function',
  example: {
    source: `public float f(${Array.from({ length: 1001 }, (_, i) => `float x${i}`).join(', ')}) { return x1; }`,
    target: 'wasm',
  },
})
