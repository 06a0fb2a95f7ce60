/** What the programs of the pages take as given. */
import { load } from '../../src/cpu/index.ts'
import { attach } from '../../src/gpu/index.ts'
import { compile } from '../../src/index.ts'
import { openDevice } from './script-device.ts'

const slang = `
[Differentiable] public float loss(float2 p, no_diff float2 goal) { float2 d = p - goal; return dot(d, d); }
RWStructuredBuffer<float2> points;
[shader("compute")] [numthreads(64, 1, 1)]
void descend(uint3 id : SV_DispatchThreadID, uniform float rate) { points[id.x] -= rate * points[id.x]; }
RWStructuredBuffer<float> weights;
[shader("compute")] [numthreads(64, 1, 1)]
void step(uint3 id : SV_DispatchThreadID, uniform float rate) { weights[id.x] *= rate; if (id.x == 0) printf("%f\\n", rate); }
[CUDAKernel] [Differentiable]
void layer(DiffTensorView x, DiffTensorView output)
{
    uint i = cudaThreadIdx().x;
    if (i < output.size(0)) output[i] = x[i] * x[i];
}`

type Gpu = Awaited<ReturnType<typeof attach>>

interface Tensor {
  readonly data: Float32Array
  readonly shape: readonly number[]
}

export interface Given {
  readonly source: string
  readonly util: string
  readonly program: ReturnType<typeof compile>
  readonly device: GPUDevice
  readonly g: Gpu
  readonly cpu: Awaited<ReturnType<typeof load>>
  readonly step: ReturnType<ReturnType<Gpu['kernel']>['bind']>
  /** A program in whose memory `points` lies. */
  readonly m: Awaited<ReturnType<typeof load>>
  readonly points: Float32Array
  readonly losses: ReturnType<Gpu['buffer']>
  readonly counts: GPUBuffer
  readonly pass: GPUComputePassEncoder
  readonly buffers: Readonly<Record<string, Float32Array>>
  readonly uniforms: Readonly<Record<string, number>>
  readonly textures: Readonly<Record<string, never>>
  readonly samplers: Readonly<Record<string, never>>
  readonly tensors: Readonly<Record<string, Tensor>>
  readonly cotangents: Readonly<Record<string, number>>
  readonly attach: typeof attach
  readonly load: typeof load
  readonly navigator: { readonly gpu: { requestAdapter(): Promise<{ requestDevice(): Promise<GPUDevice> }> } }
  readonly fetch: (file: string) => Promise<{ text(): Promise<string> }>
}

/** What a block takes as given: a device, and the program that is compiled of `source`, or for a page that says none, of one for all. */
export async function given(source?: string): Promise<Given> {
  const program = compile(source ?? slang)
  const device = await openDevice()
  const g = await attach(program, device)
  const own = source === undefined ? g : await attach(compile(slang), device)
  const m = await load(compile(slang))
  m.buffer('points', 64)
  const points = new Float32Array(128)
  const counts = device.createBuffer({ size: 12, usage: 0x100 | 0x8 })
  device.queue.writeBuffer(counts, 0, new Uint32Array([1, 1, 1]))
  const tensor = (): Tensor => ({ data: new Float32Array(4).fill(2), shape: [4] })
  return {
    source: source ?? slang,
    util: 'module util;',
    program,
    device,
    g,
    cpu: await load(program),
    step: own.kernel('descend').bind({ buffers: { points: own.buffer(points) }, uniforms: { rate: 0.1 } }),
    m,
    points,
    losses: g.buffer(new Float32Array(64)),
    counts,
    pass: device.createCommandEncoder().beginComputePass(),
    buffers: { points },
    uniforms: { rate: 0.01 },
    textures: {},
    samplers: {},
    tensors: { x: tensor(), output: tensor() },
    cotangents: { output: 1 },
    attach,
    load,
    navigator: { gpu: { requestAdapter: () => Promise.resolve({ requestDevice: openDevice }) } },
    fetch: _file => Promise.resolve({ text: () => Promise.resolve(source ?? slang) }),
  }
}
