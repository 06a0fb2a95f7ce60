import { error, warning, type Entry } from '../diag.ts'

export const unsizedArray: Entry<'type'> = error('E30834', 'an array without a length cannot be stored: {type}', {
  help: 'give the array a length, or take the elements from a StructuredBuffer',
  example: `float first(float a[]) { return a[0]; }
export float f(float x) { float a[2] = { x, x }; return first(a); }`,
})

export const unknownNumber: Entry<'value'> = error('E36118', 'with the generic arguments that the program gives, {value} is no number', {
  help: 'a length that divides by zero, or needs a constant that a type has not, cannot be made',
  example: 'struct S<let N : int> { float data[8 / (N - 2)]; } float f() { S<2> s; return s.data[0]; } public float g() { return f(); }',
})

export const resourceInBuffer: Entry<'type'> = error('E38204', 'a structured buffer cannot hold {type}: that is a resource, or has one', {
  help: 'declare the resources by themselves, or as an array of resources',
  example: `RWStructuredBuffer<StructuredBuffer<float>> o;
export float f(float x) { return o[0][0] * x; }`,
})

export const endlessInstances: Entry<'name'> = error('E36110', 'the generic {name} asks for itself with ever larger arguments', {
  help: 'end the recursion in the types: each instance may ask for finitely many others',
  example: `struct Box<T> { T value; }
float depth<T>(T x, int n) { if (n == 0) return 0.0; Box<T> b; b.value = x; return depth<Box<T>>(b, n - 1); }
export float f(float x) { return depth<float>(x, 3); }`,
})

export const resourceElement: Entry<never> = error('E36112', 'this index chooses no resource that is known when compiling', {
  help: 'index arrays of resources with constants: write the loop out',
  example: `StructuredBuffer<float> inputs[2];
RWStructuredBuffer<float> outputs;
[shader("compute")] [numthreads(1, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) { outputs[0] = inputs[id.x][0]; }`,
})

export const opaqueVariable: Entry<'name' | 'type'> = error('E30076', 'the variable {name} cannot be of type {type}: that is a resource, or has one', {
  help: 'make it `static const` with an initial value, or hand the resource over as a parameter',
  example: `StructuredBuffer<float> a;
static StructuredBuffer<float> chosen;
RWStructuredBuffer<float> o;
[shader("compute")] [numthreads(1, 1, 1)]
void main() { chosen = a; o[0] = chosen[0]; }`,
})

export const unsupportedHere: Entry<'what'> = error('E36113', '{what} is not supported', {
  help: 'write it another way, or leave it out for this target',
  example: `RWTexture2D<uint> counts;
[shader("compute")] [numthreads(1, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) { InterlockedAdd(counts[id.xy], 1u); }`,
})

export const systemType: Entry<'name' | 'semantic' | 'lanes'> = error('E38024', '{name} has the system value {semantic}, which is one to {lanes} of int or uint', {
  help: 'declare it as int or uint, or as a vector of them, and convert it where it is used',
  example: `[shader("compute")] [numthreads(1, 1, 1)]
void main(float4 id : SV_DispatchThreadID) { }`,
})

export const mixedParameter: Entry<'name' | 'parameter'> = error('E38025', '{name} has no semantic, but other fields of the parameter {parameter} are system values', {
  help: 'keep system values and what the host gives in parameters of their own; a parameter that is uniform as a whole is said to be by `uniform`',
  example: `struct Input { uint3 id : SV_DispatchThreadID; float scale; }
RWStructuredBuffer<float> o;
[shader("compute")] [numthreads(1, 1, 1)]
void main(Input i) { o[i.id.x] = i.scale; }`,
})

export const varyingType: Entry<'name' | 'semantic' | 'expected'> = error('E38024', '{name} has the system value {semantic}, which is {expected} here', {
  help: 'declare it with that type, and convert it where it is used',
  example: { source: `[shader("vertex")]
float3 main(uint i : SV_VertexID) : SV_Position { return float3(i); }`, target: 'wgsl' },
})

export const notVarying: Entry<'name'> = error('E38024', '{name} cannot pass between stages: its type is not made of numbers', {
  help: 'use scalars, vectors, matrices, and structs and arrays of them',
  example: { source: `interface IShape { float area(); }
struct Square : IShape { float side; float area() { return side * side; } }
[shader("fragment")]
float4 main(IShape shape : SHAPE) : SV_Target { return float4(shape.area()); }`, target: 'wgsl' },
})

export const doubleSemantic: Entry<'semantic'> = error('E36116', 'the entry point has the semantic {semantic} twice', {
  help: 'give each input and each output a semantic or number of its own',
  example: { source: `[shader("fragment")]
float4 main(float4 a : COLOR, float4 b : COLOR0) : SV_Target { return a + b; }`, target: 'wgsl' },
})

export const doubleLocation: Entry<'name' | 'location'> = error('E36117', '{name} has the location {location}, which another has', {
  help: 'give each its own, or leave [[vk::location(n)]] out',
  example: { source: `struct Vertex { [[vk::location(0)]] float3 at : POSITION; [[vk::location(0)]] float2 uv : TEXCOORD; }
[shader("vertex")]
float4 main(Vertex v) : SV_Position { return float4(v.at.xy + v.uv, v.at.z, 1.0); }`, target: 'wgsl' },
})

export const missingExport: Entry<'name'> = error('E38001', 'there is no function {name} to export', {
  help: 'name methods Type.method, and generic functions name<arguments> as the program calls them',
  example: { source: 'float f(float x) { return x; }', exports: ['g'] },
})

export const nobodyConforms: Entry<'name' | 'interface'> = warning('W50100', '{name} is called, and no type is known to conform to {interface}: the call gives zeros', {
  help: 'make such a value, or ask for conformances as Type:{interface}=id',
  example: 'interface I { float f(); } struct S : I { float f() { return 1; } } export float g(int id) { return createDynamicObject<I, uint4>(id, uint4(0)).f(); }',
})

export const missingBody: Entry<'name'> = error('E36115', '{name} is called and has no body', {
  help: 'give the function a body, or import the module that has it',
  example: `float twice(float x);
export float f(float x) { return twice(x); }`,
})
