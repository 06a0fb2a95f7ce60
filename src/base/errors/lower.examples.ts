/** The smallest programs that get the diagnostics of `lower.ts`; the documentation and the tests use them. */
import type { Examples } from '../diag.ts'
import type * as lowerErrors from './lower.ts'

export const examples: Examples<typeof lowerErrors> = {
  unsizedArray: `struct S { float a[]; }
float first(S s) { return s.a[0]; }
export float f(float x) { S s; return first(s) * x; }`,
  unknownNumber:
    'struct S<let N : int> { float data[8 / (N - 2)]; } float f() { S<2> s; return s.data[0]; } public float g() { return f(); }',
  resourceInBuffer: `RWStructuredBuffer<StructuredBuffer<float>> o;
export float f(float x) { return o[0][0] * x; }`,
  endlessInstances: `struct Box<T> { T value; }
float depth<T>(T x, int n) { if (n == 0) return 0.0; Box<T> b; b.value = x; return depth<Box<T>>(b, n - 1); }
export float f(float x) { return depth<float>(x, 3); }`,
  tooLarge: `[anyValueSize(4)] interface IShape { float area(); }
struct Box : IShape { float width; float height; float area() { return width * height; } }
RWStructuredBuffer<IShape> shapes;
[shader("compute")] [numthreads(1, 1, 1)]
void main() { Box box = { 2.0, 3.0 }; shapes[0] = box; }`,
  resourceElement: `StructuredBuffer<float> inputs[2];
RWStructuredBuffer<float> outputs;
[shader("compute")] [numthreads(1, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) { outputs[0] = inputs[id.x][0]; }`,
  opaqueVariable: `StructuredBuffer<float> a;
static StructuredBuffer<float> chosen;
RWStructuredBuffer<float> o;
[shader("compute")] [numthreads(1, 1, 1)]
void main() { chosen = a; o[0] = chosen[0]; }`,
  unsupportedHere: `RWTexture2D<uint> counts;
[shader("compute")] [numthreads(1, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) { InterlockedAdd(counts[id.xy], 1u); }`,
  atomicOnCopy: `RWStructuredBuffer<uint> counts;
void count(inout uint n) { InterlockedAdd(n, 1u); }
[shader("compute")] [numthreads(8, 1, 1)]
void main() { count(counts[0]); }`,
  genericEntry: '[numthreads(N, 1, 1)] void main<let N : int>() { }',
  noTarget: 'float first(float* p) { return p[0]; } public float f(float x) { return first(&x); }',
  systemType: `[shader("compute")] [numthreads(1, 1, 1)]
void main(float4 id : SV_DispatchThreadID) { }`,
  mixedParameter: `struct Input { uint3 id : SV_DispatchThreadID; float scale; }
RWStructuredBuffer<float> o;
[shader("compute")] [numthreads(1, 1, 1)]
void main(Input i) { o[i.id.x] = i.scale; }`,
  varyingType: {
    source: `[shader("vertex")]
float3 main(uint i : SV_VertexID) : SV_Position { return float3(i); }`,
    target: 'wgsl',
  },
  notVarying: {
    source: `interface IShape { float area(); }
struct Square : IShape { float side; float area() { return side * side; } }
[shader("fragment")]
float4 main(IShape shape : SHAPE) : SV_Target { return float4(shape.area()); }`,
    target: 'wgsl',
  },
  doubleSemantic: {
    source: `[shader("fragment")]
float4 main(float4 a : COLOR, float4 b : COLOR0) : SV_Target { return a + b; }`,
    target: 'wgsl',
  },
  doubleLocation: {
    source: `struct Vertex { [[vk::location(0)]] float3 at : POSITION; [[vk::location(0)]] float2 uv : TEXCOORD; }
[shader("vertex")]
float4 main(Vertex v) : SV_Position { return float4(v.at.xy + v.uv, v.at.z, 1.0); }`,
    target: 'wgsl',
  },
  bindingTaken: `[[vk::binding(0, 0)]] RWStructuredBuffer<float> a;
[[vk::binding(0, 0)]] RWStructuredBuffer<float> b;
[shader("compute")] [numthreads(1, 1, 1)]
void main() { a[0] = b[0]; }`,
  missingExport: { source: 'float f(float x) { return x; }', exports: ['g'] },
  nobodyConforms:
    'interface I { float f(); } struct S : I { float f() { return 1; } } export float g(int id) { return createDynamicObject<I, uint4>(id, uint4(0)).f(); }',
  missingBody: `float twice(float x);
export float f(float x) { return twice(x); }`,
}
