// Runs in a process of its own, bundled: kernels over textures on the CPU and on a device. Prints one JSON object.
import { loadSync, type GradResources, type KernelResources, type SamplerData } from '../../src/cpu/index.ts'
import { attach, type DispatchOptions, type GradOptions } from '../../src/gpu/index.ts'
import { compile } from '../../src/index.ts'
import { openDevice } from './script-device.ts'

const device = await openDevice()

const source = `
struct Material { Texture2D<float4> albedo; float gain; }
Texture2D picture;
Texture2D<float2> pair;
Texture2D<int2> whole;
Texture2D<uint> ids;
Material materials[2];
SamplerState state;
[format("rgba8")] WTexture2D<float4> canvas;
[format("r32f")] RWTexture2D<float> sums;
[format("rgba32ui")] WTexture2D<uint4> marks;
StructuredBuffer<float4> places;
RWStructuredBuffer<float4> outp;

float4 look(Texture2D<float4> t, float2 at, float level) { return t.SampleLevel(state, at, level); }

[shader("compute")] [numthreads(4, 1, 1)]
void sample(uint3 id : SV_DispatchThreadID)
{
    float4 p = places[id.x];
    outp[id.x * 4] = look(picture, p.xy, p.z);
    outp[id.x * 4 + 1] = picture.SampleLevel(state, p.xy, 0.0, int2(1, -1));
    outp[id.x * 4 + 2] = float4(pair.SampleLevel(state, p.xy, 0), materials[1].gain * look(materials[1].albedo, p.xy, 0).zw);
}
[shader("compute")] [numthreads(1, 1, 1)]
void load(uint3 id : SV_DispatchThreadID)
{
    uint w, h, levels;
    float fw, fh;
    picture.GetDimensions(fw, fh);
    pair.GetDimensions(0, w, h, levels);
    outp[0] = float4(fw, fh, w * 10 + h, levels);
    outp[1] = picture.Load(int3(2, 1, 0)) + picture[uint2(3, 2)];
    outp[2] = float4(float2(whole[uint2(1, 0)]), ids.Load(int3(1, 1, 0)), picture.Load(int3(0, 1, 0), int2(1, 1)).y);
    outp[3] = float4(pair[uint2(1, 0)], materials[0].albedo[uint2(1, 1)].xy);
}
[shader("compute")] [numthreads(2, 2, 1)]
void paint(uint3 id : SV_DispatchThreadID)
{
    canvas[id.xy] = float4(id.x * 0.5, id.y * 0.25, 0.2, 1.5);
    sums[id.xy] = sums[id.xy] * 2 + id.x;
    marks[id.xy] = uint4(id.x, id.y, 7, 4000000000);
    uint w, h;
    canvas.GetDimensions(w, h);
    if (id.x == 0 && id.y == 0) outp[0] = float4(w, h, sums.Load(int2(1, 1)) * 0, 0);
}
DiffTexture2D<float4> learned;
[Differentiable] float slope(float2 at) { return picture.SampleLevel(state, at, 0).x; }
[CUDAKernel] [Differentiable]
void fit(DiffTensorView<float> where, DiffTensorView<float> found)
{
    if (cudaThreadIdx().x != 0) return;
    float2 at = float2(where[0], where[1]);
    found[0] = slope(at) + learned.SampleLevel(state, at, 0).y * 2 + learned[uint2(1, 1)].z;
}`
const program = compile(source, { verify: true })
const m = loadSync(program)
const g = await attach(program, device)
const result: Record<string, unknown> = { diagnostics: program.diagnostics.length }

const bytes = (n: number): Uint8Array => Uint8Array.from({ length: n }, (_, i) => (i * 97 + 31 * (i % 7)) % 256)
const halves = new Uint16Array([0x3c00, 0x4000, 0xb800, 0x3555, 0, 0x4200, 0x3c01, 0xc000])
const textures = {
  picture: { size: [4, 3], data: bytes(48) },
  pair: { size: [2, 2], format: 'rg16float' as const, data: halves },
  whole: { size: [2, 1], format: 'rg32sint' as const, data: new Int32Array([1, -2, -3, 4]) },
  ids: { size: [2, 2], format: 'r8uint' as const, data: new Uint8Array([1, 2, 3, 200]) },
  materials_0_albedo: { size: [2, 2], format: 'bgra8unorm' as const, data: bytes(16) },
  materials_1_albedo: { size: [2, 2], format: 'rgba8unorm-srgb' as const, data: bytes(16) },
}
const places = new Float32Array([
  0.31, 0.47, 0, 0, 0.05, 0.9, 0, 0, -0.3, 0.2, 0.7, 0, 1.23, 1.4, -1, 0, 0.6, -0.8, 3, 0, 0.8, 0.55, 0, 0, 0.125, 0.5,
  0, 0, -2.6, 5.3, 0, 0,
])
const pick = (...names: (keyof typeof textures)[]): Partial<typeof textures> =>
  Object.fromEntries(names.map(n => [n, textures[n]]))
const both = async (
  kernel: string,
  groups: readonly [number, number, number],
  make: () => DispatchOptions,
  read: (o: DispatchOptions) => ArrayBufferView[],
): Promise<number[][][]> => {
  const [a, b] = [make(), make()]
  m.kernel(kernel).dispatch(groups, a as KernelResources)
  await g.kernel(kernel).dispatch(groups, b)
  return [a, b].map(o => read(o).map(v => [...(v as Float32Array)]))
}
const outp = (o: DispatchOptions): ArrayBufferView[] => [o.buffers!['outp'] as Float32Array]
const samplers: Record<string, GPUSamplerDescriptor> = {}
for (const mode of ['clamp-to-edge', 'repeat', 'mirror-repeat'] as const) {
  for (const filter of ['linear', 'nearest'] as const)
    samplers[`${mode} ${filter}`] = {
      addressModeU: mode,
      addressModeV: mode,
      magFilter: filter,
      minFilter: filter,
      mipmapFilter: filter,
    }
}
samplers['mixed'] = {
  addressModeU: 'repeat',
  addressModeV: 'mirror-repeat',
  magFilter: 'linear',
  minFilter: 'nearest',
  mipmapFilter: 'nearest',
}
const sampled: Record<string, unknown> = {}
for (const [name, state] of Object.entries(samplers)) {
  sampled[name] = await both(
    'sample',
    [2, 1, 1],
    () => ({
      buffers: { places, outp: new Float32Array(128) },
      uniforms: { materials_1_gain: 3, materials_0_gain: 1 },
      textures: pick('picture', 'pair', 'materials_1_albedo'),
      samplers: { state },
    }),
    outp,
  )
}
result['sampled'] = sampled
result['loaded'] = await both(
  'load',
  [1, 1, 1],
  () => ({
    buffers: { outp: new Float32Array(16) },
    textures: pick('picture', 'pair', 'whole', 'ids', 'materials_0_albedo'),
    uniforms: { materials_1_gain: 3, materials_0_gain: 1 },
  }),
  outp,
)
result['painted'] = await both(
  'paint',
  [1, 1, 1],
  () => ({
    buffers: { outp: new Float32Array(4) },
    uniforms: { materials_1_gain: 3, materials_0_gain: 1 },
    textures: {
      canvas: { size: [2, 2], data: new Uint8Array(16) },
      sums: { size: [2, 2], data: new Float32Array([1, 2, 3, 4]) },
      marks: { size: [2, 2], data: new Uint32Array(16) },
    },
  }),
  o => [...outp(o), ...Object.values(o.textures!).map(t => (t as { readonly data: ArrayBufferView }).data)],
)
const gradients: unknown[] = []
const fit = (picture: string): GradOptions => ({
  tensors: {
    where: { data: new Float32Array([1.1, 0.3]), shape: [2] },
    found: { data: new Float32Array(1), shape: [1] },
  },
  cotangents: { found: 1 },
  uniforms: { materials_1_gain: 3, materials_0_gain: 1 },
  textures: { picture: textures.picture, [picture]: textures.picture },
  samplers: {
    state: { addressModeU: 'mirror-repeat', addressModeV: 'repeat', magFilter: 'linear', minFilter: 'linear' },
  },
})
gradients.push(
  m.kernel('fit').grad([1, 1, 1], fit('learned_primal') as GradResources),
  await g.kernel('fit').grad([1, 1, 1], fit('learned_primal')),
)
result['gradients'] = gradients.map(x =>
  Object.fromEntries(Object.entries(x as object).map(([k, v]) => [k, [...(v as Float32Array)]])),
)

const failed = (textures: object, samplers?: Readonly<Record<string, SamplerData>>): string => {
  try {
    m.kernel('load').dispatch([1, 1, 1], {
      buffers: { outp: new Float32Array(16) },
      uniforms: { materials_1_gain: 3, materials_0_gain: 1 },
      textures: { ...pick('picture', 'pair', 'whole', 'ids', 'materials_0_albedo'), ...textures },
      samplers,
    })
    return 'nothing'
  } catch (e) {
    return `${(e as Error).name}: ${(e as Error).message}`
  }
}
result['mistakes'] = [
  failed({ picture: undefined }),
  failed({ pictures: textures.picture }),
  failed({ picture: { size: [4, 3], data: new Uint8Array(3) } }),
  failed({ ids: { size: [2, 2], format: 'rgba32float' } }),
  failed({ picture: { size: [4, 3, 2] } }),
  failed({}, { states: {} }),
  failed({}, { state: { addressModeU: 'wrap' as 'repeat' } }),
]
console.log(JSON.stringify(result))
process.exit(0)
