// Runs in a process of its own, bundled: tensors and gradients on the CPU and on a device. Prints one JSON object.
import { loadSync, type GradResources, type KernelResources } from '../../src/cpu/index.ts'
import { attach, type DispatchOptions, type GradOptions } from '../../src/gpu/index.ts'
import { compile } from '../../src/index.ts'
import { openDevice } from './script-device.ts'
import { tensorProgram } from './tensor-program.ts'

const device = await openDevice()

const program = compile(tensorProgram, { verify: true })
const m = loadSync(program)
const g = await attach(program, device)
const result: Record<string, unknown> = {}
const lists = (grads: Readonly<Record<string, unknown>>): unknown =>
  Object.fromEntries(Object.entries(grads).map(([k, v]) => [k, [...(v as Float32Array)]]))
const failed = async (f: () => unknown): Promise<string> => {
  try {
    await f()
    return 'nothing'
  } catch (e) {
    return `${(e as Error).name}: ${(e as Error).message}`
  }
}

/** What a kernel is given; made anew for each run. */
const cases: Record<string, readonly [string, readonly [number, number, number], () => GradOptions & DispatchOptions]> =
  {
    flat: [
      'square',
      [1, 1, 1],
      () => ({
        tensors: {
          input: { data: new Float32Array([1, 2, 3]), shape: [3] },
          output: { data: new Float32Array(3), shape: [3] },
        },
        uniforms: { factor: 2 },
        cotangents: { output: [1, 10, 100] },
      }),
    ],
    // Columns of a matrix of 2 rows in a larger one, from behind.
    strided: [
      'rows',
      [1, 1, 1],
      () => ({
        tensors: {
          input: { data: new Float32Array([0, 1, 2, 3, 4, 5, 6, 7, 8]), shape: [2, 2], strides: [1, 3], offset: 1 },
          output: { data: new Float32Array(2), shape: [2] },
        },
        uniforms: { factor: 3 },
        cotangents: { output: 1 },
      }),
    ],
    five: [
      'deep',
      [1, 1, 1],
      () => ({
        tensors: {
          x: { data: new Float32Array(24).fill(2), shape: [2, 1, 3, 2, 2] },
          y: { data: new Float32Array(1), shape: [1] },
        },
        cotangents: { y: 0.5 },
      }),
    ],
    ownReverse: [
      'squareBackwards',
      [1, 1, 1],
      () => ({
        tensors: { x: { data: new Float32Array([3, 4]), shape: [2] }, y: { data: new Float32Array(2), shape: [2] } },
        uniforms: { factor: 1 },
        cotangents: { y: [1, 2] },
      }),
    ],
    ownBuffers: [
      'train',
      [1, 1, 1],
      () => ({
        buffers: {
          weights: new Float32Array([1, 2, 3]),
          data: new Float32Array([0.5, 1, 2]),
          weightsGrad: new Float32Array([9, 9, 9]),
        },
        gradients: { weightsGrad: 'weights' },
      }),
    ],
    // Of the other tensor in the block nothing is said.
    block: [
      'blocked',
      [1, 1, 1],
      () => ({
        tensors: {
          net_w: { data: new Float32Array([1, 2]), shape: [2] },
          net_more_1: { data: new Float32Array([5, 6]), shape: [2] },
          output: { data: new Float32Array(2), shape: [2] },
        },
        uniforms: { net: { k: 3 } },
        cotangents: { output: [1, 10] },
      }),
    ],
    global: [
      'polynomial',
      [1, 1, 1],
      () => ({
        tensors: {
          learned_coefficients: { data: new Float32Array([1, 2, 3]), shape: [3] },
          loss: { data: new Float32Array(1), shape: [1] },
        },
        buffers: { places_primal: new Float32Array([2, 3]) },
        cotangents: { loss: 1 },
      }),
    ],
  }
const onCpu: Record<string, unknown> = {}
const onGpu: Record<string, unknown> = {}
for (const [name, [kernel, groups, make]] of Object.entries(cases)) {
  const [a, b] = [make(), make()]
  onCpu[name] = lists(m.kernel(kernel).grad(groups, a as GradResources))
  onGpu[name] = lists(await g.kernel(kernel).grad(groups, b))
  // Forwards.
  const { cotangents: _a, gradients: _b, ...forward } = make()
  if (['flat', 'strided', 'five'].includes(name)) {
    const out = (from: DispatchOptions): number[] => [...(Object.values(from.tensors!).at(-1)!.data as Float32Array)]
    const [c, d] = [forward, make()]
    m.kernel(kernel).dispatch(groups, c as KernelResources)
    await g.kernel(kernel).dispatch(groups, { tensors: d.tensors, uniforms: d.uniforms ?? {} })
    result[`${name} forwards`] = [out(c), out(d)]
  }
}
result['cpu'] = onCpu
result['gpu'] = onGpu

// Lists of elements on the CPU; buffers of the device stay there.
result['plain'] = m
  .kernel('square')
  .grad([1, 1, 1], {
    tensors: { input: { data: [1, 2, 3], shape: [3] }, output: { data: [0, 0, 0], shape: [3] } },
    uniforms: { factor: 2 },
    cotangents: { output: 1 },
  })
const own = device.createBuffer({ size: 12, usage: 0x80 | 0x4 | 0x8 })
device.queue.writeBuffer(own, 0, new Float32Array([1, 2, 3]))
const there = await g
  .kernel('square')
  .grad([1, 1, 1], {
    tensors: { input: { data: own, shape: [3] }, output: { data: new Float32Array(3), shape: [3] } },
    uniforms: { factor: 2 },
    cotangents: { output: [1, 10, 100] },
  })
const copy = device.createBuffer({ size: 12, usage: 0x1 | 0x8 })
const encoder = device.createCommandEncoder()
encoder.copyBufferToBuffer(there['input'] as GPUBuffer, 0, copy, 0, 12)
device.queue.submit([encoder.finish()])
await copy.mapAsync(1)
result['onDevice'] = [...new Float32Array(copy.getMappedRange())]

// Gradients are added to those that are given.
const grad = new Float32Array([1000, 1000, 1000])
m.kernel('square').grad([1, 1, 1], {
  tensors: {
    input: { data: new Float32Array([1, 2, 3]), shape: [3], grad },
    output: { data: new Float32Array(3), shape: [3] },
  },
  uniforms: { factor: 2 },
  cotangents: { output: 1 },
})
result['added'] = [...grad]

const input = { data: new Float32Array(3), shape: [3] }
const mistakes: Record<string, readonly [string, DispatchOptions & GradOptions, boolean]> = {
  unknown: ['square', { tensors: { inputs: input, output: input } }, false],
  missing: ['square', { tensors: { output: input } }, false],
  short: [
    'square',
    { tensors: { input, output: { data: new Float32Array(2), shape: [3] } }, uniforms: { factor: 1 } },
    false,
  ],
  kind: [
    'square',
    { tensors: { input: { data: new Int32Array(3), shape: [3] }, output: input }, uniforms: { factor: 1 } },
    false,
  ],
  shape: [
    'square',
    { tensors: { input: { data: new Float32Array(3), shape: [1, 1, 1, 1, 1, 3] }, output: input } },
    false,
  ],
  strides: [
    'square',
    { tensors: { input: { data: new Float32Array(3), shape: [3], strides: [1, 1] }, output: input } },
    false,
  ],
  noCotangent: ['square', { tensors: { input, output: input }, uniforms: { factor: 1 } }, true],
  cotangentLength: [
    'square',
    { tensors: { input, output: input }, uniforms: { factor: 1 }, cotangents: { output: [1, 2] } },
    true,
  ],
  cotangentName: [
    'square',
    { tensors: { input, output: input }, uniforms: { factor: 1 }, cotangents: { out: 1 } },
    true,
  ],
  twoCotangents: [
    'square',
    {
      tensors: { input, output: { ...input, grad: new Float32Array(3) } },
      uniforms: { factor: 1 },
      cotangents: { output: 1 },
    },
    true,
  ],
  noGradient: ['plain', { buffers: { data: new Float32Array(3) } }, true],
  noGrad: ['squareBackwards', { tensors: { x: input, y: input }, uniforms: { factor: 1 } }, false],
}
const said: Record<string, unknown> = {}
for (const [name, [kernel, given, isGrad]] of Object.entries(mistakes)) {
  said[name] = [
    await failed(() =>
      isGrad
        ? m.kernel(kernel).grad([1, 1, 1], given as GradResources)
        : m.kernel(kernel).dispatch([1, 1, 1], given as KernelResources),
    ),
    await failed(() =>
      isGrad ? g.kernel(kernel).grad([1, 1, 1], given) : g.kernel(kernel).dispatch([1, 1, 1], given),
    ),
  ]
}
result['mistakes'] = said

const many = Array.from({ length: 6 }, (_, i) => `x${i}`)
const wide = await attach(
  compile(
    `[CUDAKernel] [Differentiable] void wide(${many.map(x => `DiffTensorView ${x}`).join(', ')}) { x0[0] = ${many
      .slice(1)
      .map(x => `${x}[0]`)
      .join(' * ')}; }`,
  ),
  device,
)
result['tooMany'] = await failed(() =>
  wide
    .kernel('wide')
    .grad([1, 1, 1], {
      tensors: Object.fromEntries(many.map(x => [x, { data: new Float32Array(1), shape: [1] }])),
      cotangents: { x0: 1 },
    }),
)

const textured = await attach(
  compile(`
DiffTexture2D<float4> picture;
SamplerState state, other;
[CUDAKernel] [Differentiable] void look(DiffTensorView<float> places, DiffTensorView<float> found)
{
  found[0] = picture.SampleLevel(state, float2(places[0], places[1]), 0).y * 2;
}
[CUDAKernel] [Differentiable] void twice(DiffTensorView<float> found)
{
  found[0] = picture.SampleLevel(state, float2(0.5), 0).y + picture.SampleLevel(other, float2(1.5), 0).y;
}`),
  device,
)
const texels = new Uint8Array(16).map((_, i) => i * 17)
const view = {
  tensors: {
    places: { data: new Float32Array([1.1, 0.5]), shape: [2] },
    found: { data: new Float32Array(1), shape: [1] },
  },
  textures: { picture_primal: { size: [4, 1], data: texels } },
  cotangents: { found: 1 },
}
result['clamped'] = lists(await textured.kernel('look').grad([1, 1, 1], view))
result['repeated'] = lists(
  await textured
    .kernel('look')
    .grad([1, 1, 1], {
      ...view,
      samplers: { state: { addressModeU: 'repeat', magFilter: 'linear', minFilter: 'linear' } },
    }),
)
result['sampler'] = await failed(() =>
  textured
    .kernel('twice')
    .grad([1, 1, 1], {
      ...view,
      tensors: { found: view.tensors.found },
      samplers: { state: { addressModeU: 'repeat' } },
    }),
)
console.log(JSON.stringify(result))
process.exit(0)
