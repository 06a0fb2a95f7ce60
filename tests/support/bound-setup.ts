/** What scripts of bound kernels and buffers of the device share: a device, programs, and ways to use them. */
import { attach, type GpuProgram } from '../../src/gpu/index.ts'
import { compile, type Program } from '../../src/index.ts'
import { openDevice } from './script-device.ts'

export const device: GPUDevice = await openDevice()

/** What a call throws, or 'none'. */
export async function failure(run: () => unknown): Promise<string> {
  try {
    await run()
    return 'none'
  } catch (e) {
    return e instanceof Error ? `${e.name}: ${e.message}` : String(e)
  }
}

/** A pass of the caller, and its submit. */
export function inPass(record: (pass: GPUComputePassEncoder) => void): void {
  const encoder = device.createCommandEncoder()
  const pass = encoder.beginComputePass()
  record(pass)
  pass.end()
  device.queue.submit([encoder.finish()])
}

export const create: GPUDevice['createBuffer'] = device.createBuffer.bind(device)

/** How many buffers the device makes meanwhile. */
export async function counting(run: () => unknown): Promise<number> {
  let made = 0
  device.createBuffer = descriptor => {
    made++
    return create(descriptor)
  }
  await run()
  device.createBuffer = create
  return made
}

const source = `
struct Goal { float2 at; float weight; }
uniform float rate;
ConstantBuffer<Goal> goal;
StructuredBuffer<float> scales;
RWStructuredBuffer<float2> points;
[Differentiable] float loss(float2 p, no_diff Goal g, no_diff float scale)
{
    float2 d = (p - g.at) * scale;
    return g.weight * dot(d, d) + sin(p.x);
}
[shader("compute")] [numthreads(4, 1, 1)]
void step(uint3 id : SV_DispatchThreadID)
{
    var p = diffPair(points[id.x]);
    bwd_diff(loss)(p, goal, scales[id.x], 1.0);
    points[id.x] -= rate * p.d;
}`
export const program: Program = compile(source, { verify: true })
export const g: GpuProgram = await attach(program, device)
export const marking: GpuProgram = await attach(
  compile(`
RWStructuredBuffer<float> marks;
RWStructuredBuffer<uint> counted;
[shader("compute")] [numthreads(1, 1, 1)]
void mark(uint3 group : SV_GroupID, uniform uint at, uniform float value) { marks[at] = value + float(group.x); }
[shader("compute")] [numthreads(1, 1, 1)]
void markTwice(uniform uint at, uniform float value) { marks[at] = 2.0 * value; }
[shader("compute")] [numthreads(1, 1, 1)]
void count(uint3 group : SV_GroupID) { InterlockedMax(counted[0], group.x + 1 + 10 * group.y); }`),
  device,
)
