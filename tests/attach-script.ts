// Runs in a process of its own, bundled: what a program does with `cotangent/gpu` and a device. Prints one JSON object.
import { create } from 'webgpu'
import { attach } from '../src/gpu/index.ts'
import { compile } from '../src/index.ts'

const gpu = create([])
const adapter = await gpu.requestAdapter()
if (adapter === null) throw new Error('no WebGPU adapter')
const device = await adapter.requestDevice()
const keep = [gpu, adapter, device]

const source = `
struct Light { float3 direction; float power; }
uniform float scale;
uniform bool halve;
ConstantBuffer<Light> light;
StructuredBuffer<float> inp;
RWStructuredBuffer<float> outp;
RWStructuredBuffer<Light> lights;
[shader("compute")] [numthreads(4, 1, 1)]
void shade(uint3 id : SV_DispatchThreadID)
{
    float x = inp[id.x] * scale * light.power;
    outp[id.x] = halve ? x * 0.5 : x;
}
[shader("compute")] [numthreads(1, 1, 1)]
void copyLight(uint3 id : SV_DispatchThreadID)
{
    lights[id.x] = light;
    lights[id.x].power += float(id.x);
}`

const result: Record<string, unknown> = {}
const g = await attach(compile(source), device)
const shade = g.kernel('shade')
const light = { direction: [1, 2, 3], power: 10 }
const outp = new Float32Array(4)
await shade.dispatch([1, 1, 1], { buffers: { inp: new Float32Array([1, 2, 3, 4]), outp }, uniforms: { scale: 2, halve: false, light } })
result['inPlace'] = [...outp]
const plain = await shade.dispatch([1, 1, 1], { buffers: { inp: [1, 2, 3, 4], outp: [0, 0, 0, 0] }, uniforms: { scale: 1, halve: true, light } })
result['plain'] = plain['outp']
const own = device.createBuffer({ size: 16, usage: 0x80 | 0x4 })
const bound = await shade.dispatch([1, 1, 1], { buffers: { inp: new Float32Array(4), outp: own }, uniforms: { scale: 1, halve: true, light } })
result['deviceBuffer'] = Object.keys(bound)
const structs = await g.kernel('copyLight').dispatch([2, 1, 1], { buffers: { lights: [light, light] }, uniforms: { light } })
result['structs'] = structs['lights']
result['sizes'] = [shade.workgroupSize, g.kernel('copyLight').workgroupSize]

async function failure(run: () => unknown): Promise<string> {
  try {
    await run()
    return 'none'
  } catch (e) {
    return e instanceof Error ? `${e.name}: ${e.message}` : String(e)
  }
}
const inp = new Float32Array(4)
result['failures'] = {
  kernel: await failure(() => g.kernel('nope')),
  missing: await failure(() => shade.dispatch([1, 1, 1], { buffers: { inp }, uniforms: { scale: 1, halve: true, light } })),
  unknown: await failure(() => shade.dispatch([1, 1, 1], { buffers: { inp, outp, lights: inp }, uniforms: { scale: 1, halve: true, light } })),
  size: await failure(() => shade.dispatch([1, 1, 1], { buffers: { inp: new Uint8Array(3), outp }, uniforms: { scale: 1, halve: true, light } })),
  uniform: await failure(() => shade.dispatch([1, 1, 1], { buffers: { inp, outp }, uniforms: { scale: 1, light } })),
  shape: await failure(() => shade.dispatch([1, 1, 1], { buffers: { inp, outp }, uniforms: { scale: 1, halve: true, light: { direction: [1, 2], power: 1 } } })),
  groups: await failure(() => shade.dispatch([1.5, 1, 1], { buffers: { inp, outp }, uniforms: { scale: 1, halve: true, light } })),
  program: await failure(() => attach(compile('float f() { return nothing; }'), device)),
}
console.log(JSON.stringify(result))
process.exit(keep.length > 0 ? 0 : 1)
