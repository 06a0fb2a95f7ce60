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

export const printInTarget: Entry = error('E37003', 'printf prints on the CPU only', {
  help: 'write the value to a buffer, or run the kernel by the wasm or js target',
  example: {
    source: `RWStructuredBuffer<float> outp;
[shader("compute")] [numthreads(1, 1, 1)]
void computeMain(uint3 id : SV_DispatchThreadID)
{
    printf("%f\\n", outp[0]);
}`,
    target: 'wgsl',
  },
})

export const stageNotInTarget: Entry<'stage'> = error('E37004', '{stage} entry points cannot be compiled yet', {
  help: 'use a compute entry point',
  example: {
    source: `[shader("fragment")]
float4 fragmentMain() : SV_Target
{
    return float4(1.0);
}`,
    target: 'wgsl',
  },
})

const noSemantic = 'WGSL has no system value {semantic} in a {stage} entry point'
export const semanticNotInTarget: Entry<'semantic' | 'stage'> = error('E37005', noSemantic, {
  help: 'compute entry points know SV_DispatchThreadID, SV_GroupID, SV_GroupThreadID and SV_GroupIndex',
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
  help: 'an entry point has [shader("compute")] or [numthreads(x, y, z)]',
  example: { source: 'float f(float x) { return x; }', target: 'wgsl', entry: 'computeMain' },
})
