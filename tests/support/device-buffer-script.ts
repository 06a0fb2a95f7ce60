// Runs in a process of its own, bundled: buffers of the device and their parts, and what dispatch and grad read back. Prints one JSON object.
import { attach, type GradOptions } from '../../src/gpu/index.ts'
import { compile } from '../../src/index.ts'
import { counting, create, device, failure, g, inPass, marking } from './bound-setup.ts'

const result: Record<string, unknown> = {}

// Parts of buffers, in all calls.
const large = g.buffer(Float32Array.from({ length: 256 }, (_, i) => i))
const part = { buffer: large, offset: 256, size: 32 }
await g
  .kernel('step')
  .dispatch([1, 1, 1], {
    buffers: { points: part, scales: [1, 0.5, 2, 1] },
    uniforms: { rate: 0, goal: { at: [0, 0], weight: 1 } },
  })
const setPart = marking
  .kernel('mark')
  .bind({ buffers: { marks: { buffer: large.buffer, offset: 512 } }, uniforms: { at: 1, value: -5 } })
setPart.dispatch([1, 1, 1])
result['parts'] = [...(await large.read())].flatMap((x, i) => (x === i ? [] : [i, x]))
const uniforms = { at: 0, value: 0 }
const bindPart = (marks: object): Promise<string> =>
  failure(() => marking.kernel('mark').bind({ buffers: { marks: marks as GPUBuffer }, uniforms }))
result['wrongParts'] = [
  await bindPart({ buffer: large, offset: 100 }),
  await bindPart({ buffer: large, offset: 1024 }),
  await bindPart({ buffer: large, offset: -256 }),
  await bindPart({ buffer: large, offset: 256, size: 2000 }),
  await bindPart({ buffer: large, offset: 0, size: 6 }),
  await bindPart({ buffer: large, ofset: 0 }),
  await bindPart({ buffer: new Float32Array(4) }),
  await failure(() =>
    marking.kernel('mark').dispatch([1, 1, 1], { buffers: { marks: { buffer: large, offset: 4 } }, uniforms }),
  ),
]

// Buffers of the device.
const words = g.buffer(new Int32Array([1, 2, 3, 4]))
words.write(new Int32Array([7, 8]), 1)
const bytes = g.buffer(new Uint8Array([1, 2, 3, 4, 5]))
bytes.write(new Uint8Array([9]), 4)
const shared: Float32Array = new Float32Array(new SharedArrayBuffer(8))
shared.set([1.5, 2.5])
const fromShared = g.buffer(shared)
const into = new Float32Array(1)
result['buffers'] = [
  [...(await words.read())],
  (await words.read()).constructor.name,
  [words.length, words.byteLength, words.buffer.size, words.destroyed],
  [...(await bytes.read())],
  [bytes.length, bytes.byteLength, bytes.buffer.size],
  [...(await fromShared.read())],
  (await fromShared.read(into)) === into && into[0] === 1.5,
]
const gone = g.buffer(new Float32Array(4))
const onGone = marking.kernel('mark').bind({ buffers: { marks: gone }, uniforms })
gone.destroy()
gone.destroy()
const detached = new Float32Array(4)
structuredClone(detached.buffer, { transfer: [detached.buffer] })
const buffer = (data: unknown, options?: object): Promise<string> =>
  failure(() => g.buffer(data as Float32Array, options))
// No buffer is for storage and for mapping: the device refuses, and the caller hears of it later.
const odd = g.buffer(new Float32Array(1), { usage: 0x1 })
await device.queue.onSubmittedWorkDone()
result['wrongBuffers'] = {
  refused: await failure(() => odd.read()),
  read: await failure(() => gone.read()),
  write: await failure(() => gone.write(new Float32Array(1))),
  buffer: await failure(() => gone.buffer),
  bind: await failure(() => marking.kernel('mark').bind({ buffers: { marks: gone }, uniforms })),
  part: await failure(() => marking.kernel('mark').bind({ buffers: { marks: { buffer: gone } }, uniforms })),
  dispatch: await failure(() => marking.kernel('mark').dispatch([1, 1, 1], { buffers: { marks: gone }, uniforms })),
  bound: await failure(() => onGone.dispatch([1, 1, 1])),
  encoded: await failure(() => inPass(pass => onGone.encode(pass, [1, 1, 1]))),
  kind: await failure(() => marking.kernel('mark').bind({ buffers: { marks: words }, uniforms })),
  into: await failure(() => words.read(new Float32Array(4) as unknown as Int32Array)),
  long: await failure(() => words.read(new Int32Array(5))),
  writeKind: await failure(() => words.write([1] as unknown as Int32Array)),
  writeLong: await failure(() => words.write(new Int32Array(2), 3)),
  writeOffset: await failure(() => words.write(new Int32Array(1), -1)),
  writeBytes: await failure(() => bytes.write(new Uint8Array(1), 1)),
  list: await buffer([1, 2]),
  view: await buffer(new DataView(new ArrayBuffer(4))),
  empty: await buffer(new Float32Array(0)),
  detached: await buffer(detached),
  option: await buffer(new Float32Array(1), { usag: 1 }),
  usage: await buffer(new Float32Array(1), { usage: 'VERTEX' }),
}

// Tensors describe themselves, also in parts of buffers.
const tensors = await attach(
  compile(`
[CUDAKernel] [Differentiable] [numthreads(1, 1, 1)]
void square(no_diff uniform float factor, DiffTensorView x, DiffTensorView y)
{
    [MaxIters(4)] for (uint i = 0; i < x.size(0); i++) y[i] = factor * x[i] * x[i];
}
RWStructuredBuffer<float> weights, weightsGrad;
[Differentiable] float cube(float w) { return w * w * w; }
[shader("compute")] [numthreads(1, 1, 1)]
void train(uint3 id : SV_DispatchThreadID)
{
    var w = diffPair(weights[id.x]);
    bwd_diff(cube)(w, 1.0);
    weightsGrad[id.x] += w.d;
}`),
  device,
)
const xs = tensors.buffer(new Float32Array([1, 2, 3, 4]))
const ys = tensors.buffer(new Float32Array(128))
type Square = { factor: number }
const square = tensors
  .kernel('square')
  .bind<Square>({
    tensors: {
      x: { data: xs, shape: [2], strides: [2], offset: 1, grad: g.buffer(new Float32Array(2)) },
      y: { data: { buffer: ys, offset: 256, size: 8 }, shape: [2], grad: g.buffer(new Float32Array(2)) },
    },
    uniforms: { factor: 1 },
  })
square.dispatch([1, 1, 1])
const squares = [[...(await ys.read())].slice(64, 66)]
square.uniforms.factor = 10
square.dispatch([1, 1, 1])
squares.push([...(await ys.read())].slice(64, 66))
result['tensors'] = squares

// A kernel may write two parts of one buffer.
const both = tensors.buffer(new Float32Array(65).fill(2))
const twoParts = tensors
  .kernel('train')
  .bind({ buffers: { weights: { buffer: both, size: 256 }, weightsGrad: { buffer: both, offset: 256 } } })
await twoParts.ready
twoParts.dispatch([1, 1, 1])
result['twoParts'] = (await both.read())[64]

// Gradients on their way to arrays use the same memory again, and arrays that were given stay as they are.
const gradient = (values: readonly number[]): Promise<Readonly<Record<string, unknown>>> =>
  tensors
    .kernel('train')
    .grad([values.length, 1, 1], {
      buffers: { weights: new Float32Array(values) },
      gradients: { weightsGrad: 'weights' },
    })
let before: Readonly<Record<string, unknown>> = {}
let after: Readonly<Record<string, unknown>> = {}
const firstMade = await counting(async () => {
  before = await gradient([1, 2])
})
const secondMade = await counting(async () => {
  after = await gradient([3, 4])
})
const longer = await gradient([1, 2, 3])
const [one, two] = await Promise.all([gradient([1, 1]), gradient([2, 2])])
const chain = (given: Partial<GradOptions>): Promise<Readonly<Record<string, unknown>>> =>
  tensors
    .kernel('square')
    .grad([1, 1, 1], {
      tensors: { x: { data: new Float32Array([1, 2]), shape: [2] }, y: { data: new Float32Array(2), shape: [2] } },
      uniforms: { factor: 1 },
      ...given,
    })
const half = await chain({ cotangents: { y: 0.5 } })
const whole = await chain({ cotangents: { y: [1, 10] } })
const onDevice = await tensors
  .kernel('square')
  .grad([1, 1, 1], {
    tensors: { x: { data: xs, shape: [4] }, y: { data: { buffer: ys, offset: 256, size: 16 }, shape: [4] } },
    uniforms: { factor: 1 },
    cotangents: { y: 1 },
  })
const xGradient = onDevice['x'] as typeof xs
result['gradients'] = [
  ...[before, after, longer, one, two].map(of => [...(of['weightsGrad'] as Float32Array)]),
  ...[half, whole].map(of => [...(of['x'] as Float32Array)]),
  [...(await xGradient.read())],
  firstMade - secondMade,
]

// Everything that a dispatch reads is asked for before it waits for the first.
const order: string[] = []
device.createBuffer = descriptor => {
  const made = create(descriptor)
  const map = made.mapAsync.bind(made)
  made.mapAsync = async mode => {
    order.push('asked')
    await map(mode)
    order.push('came')
  }
  return made
}
await tensors
  .kernel('train')
  .dispatch([1, 1, 1], { buffers: { weights: new Float32Array([1]), weightsGrad: new Float32Array(1) } })
device.createBuffer = create
result['order'] = order

console.log(JSON.stringify(result))
process.exit(0)
