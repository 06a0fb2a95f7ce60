// Runs in a process of its own, bundled: bound kernels, buffers of the device and their parts. Prints one JSON object.
import { attach, type GradOptions } from '../../src/gpu/index.ts'
import { compile } from '../../src/index.ts'
import { openDevice } from './script-device.ts'

const device = await openDevice()
const result: Record<string, unknown> = {}

async function failure(run: () => unknown): Promise<string> {
  try {
    await run()
    return 'none'
  } catch (e) {
    return e instanceof Error ? `${e.name}: ${e.message}` : String(e)
  }
}

/** A pass of the caller, and its submit. */
function inPass(record: (pass: GPUComputePassEncoder) => void): void {
  const encoder = device.createCommandEncoder()
  const pass = encoder.beginComputePass()
  record(pass)
  pass.end()
  device.queue.submit([encoder.finish()])
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
const program = compile(source, { verify: true })
const g = await attach(program, device)
const marking = await attach(
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

// A training loop, by both ways.
const start = new Float32Array([1, 2, -1, 0.5, 3, 3, 0, 0])
const scales = new Float32Array([1, 0.5, 2, 1])
const slow = start.slice()
const rates = Array.from({ length: 12 }, (_, i) => 0.1 / (i + 1))
for (const [i, rate] of rates.entries())
  await g
    .kernel('step')
    .dispatch([1, 1, 1], { buffers: { points: slow, scales }, uniforms: { rate, goal: { at: [i, 1], weight: 0.5 } } })
const points = g.buffer(start)
const loop = g
  .kernel('step')
  .bind<{ rate: number; goal: { at: number[]; weight: number } }>({
    buffers: { points, scales },
    uniforms: { rate: 0, goal: { at: [0, 1], weight: 0.5 } },
  })
for (const [i, rate] of rates.entries()) {
  loop.uniforms.rate = rate
  loop.uniforms.goal.at[0] = i
  loop.dispatch([1, 1, 1])
}
result['training'] = [[...slow], [...(await points.read())]]
points.write(start)
inPass(pass => {
  for (const [i, rate] of rates.entries()) {
    loop.uniforms.rate = rate
    loop.uniforms.goal = { at: [i, 1], weight: 0.5 }
    loop.encode(pass, [1, 1, 1])
  }
})
result['recorded'] = [[...slow], [...(await points.read())]]
await loop.ready
result['about'] = [loop.name, loop.workgroupSize, { ...loop.uniforms.goal, at: [...loop.uniforms.goal.at] }]

// Each recorded dispatch has the values of its time, in one pass, in several, and beside dispatches of their own.
type Mark = { at: number; value: number }
const many = 1000
const marks = g.buffer(new Float32Array(many))
const mark = marking.kernel('mark').bind<Mark>({ buffers: { marks }, uniforms: { at: 0, value: 0 } })
inPass(pass => {
  for (let i = 0; i < many; i++) {
    mark.uniforms.at = i
    mark.uniforms.value = i * 0.5
    mark.encode(pass, [1, 1, 1])
  }
})
result['many'] = (await marks.read()).every((x, i) => x === i * 0.5)
marks.write(new Float32Array(many))
const encoder = device.createCommandEncoder()
for (let p = 0; p < 3; p++) {
  const pass = encoder.beginComputePass()
  for (let i = 0; i < 5; i++) {
    mark.uniforms.at = p * 5 + i
    mark.uniforms.value = 100 + p * 5 + i
    mark.encode(pass, [1, 1, 1])
  }
  pass.end()
  // Runs before the passes, which are not submitted yet, and changes none of their values.
  mark.uniforms.at = 20 + p
  mark.uniforms.value = 7
  mark.dispatch([1, 1, 1])
}
device.queue.submit([encoder.finish()])
result['passes'] = [...(await marks.read(new Float32Array(24)))]
const twice = marking.kernel('markTwice').bind<Mark>({ buffers: { marks }, uniforms: { at: 1, value: 4 } })
inPass(pass => {
  mark.uniforms.at = 0
  mark.encode(pass, [1, 1, 1])
  twice.encode(pass, [1, 1, 1])
  twice.uniforms.at = 2
  twice.uniforms.value = 5
  twice.encode(pass, [1, 1, 1])
})
result['namesakes'] = [...(await marks.read(new Float32Array(3)))]

// Slots are used again after submitted(), and only changes take one.
let made = 0
const create = device.createBuffer.bind(device)
const counting = async (run: () => unknown): Promise<number> => {
  made = 0
  device.createBuffer = descriptor => {
    made++
    return create(descriptor)
  }
  await run()
  device.createBuffer = create
  return made
}
marking.submitted()
result['reused'] = await counting(() => {
  for (let i = 0; i < 3000; i++) {
    mark.uniforms.value = i
    inPass(pass => mark.encode(pass, [1, 1, 1]))
    marking.submitted()
  }
})
result['unchanged'] = await counting(() =>
  inPass(pass => {
    for (let i = 0; i < 3000; i++) mark.encode(pass, [1, 1, 1])
  }),
)
// What is recorded again after submitted() keeps its slot while others change.
marks.write(new Float32Array(many))
const own = marking.kernel('mark').bind<Mark>({ buffers: { marks }, uniforms: { at: 0, value: 1 } })
inPass(pass => {
  for (let i = 0; i < 5; i++) {
    own.uniforms.value = i
    own.encode(pass, [1, 1, 1])
  }
})
marking.submitted()
inPass(pass => {
  own.encode(pass, [1, 1, 1])
  for (let i = 1; i < 200; i++) {
    own.uniforms.at = i
    own.uniforms.value = i
    own.encode(pass, [1, 1, 1])
  }
})
result['kept'] = [...(await marks.read(new Float32Array(200)))].every((x, i) => x === (i === 0 ? 4 : i))
const full = await failure(() =>
  inPass(pass => {
    for (let i = 0; i < 70_000; i++) {
      own.uniforms.value = i
      own.encode(pass, [1, 1, 1])
    }
  }),
)
marking.submitted()
own.uniforms.at = 0
own.uniforms.value = 42
inPass(pass => own.encode(pass, [1, 1, 1]))
result['full'] = [full, (await marks.read(new Float32Array(1)))[0]]

// Uniforms of every shape, whole and in parts.
const shapes = await attach(
  compile(`
struct Inner { float3 direction; bool on; }
struct Outer { Inner inner; int2 pair; Inner more[2]; float list[3]; }
ConstantBuffer<Outer> block;
uniform row_major float2x3 rows;
uniform column_major float2x3 columns;
RWStructuredBuffer<float> outp;
[shader("compute")] [numthreads(1, 1, 1)]
void tell()
{
    int n = 0;
    for (int i = 0; i < 3; i++) outp[n++] = block.inner.direction[i];
    outp[n++] = block.inner.on ? 1.0 : 0.0;
    for (int i = 0; i < 2; i++) outp[n++] = float(block.pair[i]);
    for (int k = 0; k < 2; k++) { for (int i = 0; i < 3; i++) outp[n++] = block.more[k].direction[i]; outp[n++] = block.more[k].on ? 1.0 : 0.0; }
    for (int i = 0; i < 3; i++) outp[n++] = block.list[i];
    for (int r = 0; r < 2; r++) for (int c = 0; c < 3; c++) outp[n++] = rows[r][c];
    for (int r = 0; r < 2; r++) for (int c = 0; c < 3; c++) outp[n++] = columns[r][c];
}`),
  device,
)
type Inner = { direction: number[]; on: boolean }
type Shapes = {
  block: { inner: Inner; pair: number[]; more: Inner[]; list: number[] }
  rows: number[][]
  columns: number[][]
}
const inner = (x: number): Inner => ({ direction: [x, x + 1, x + 2], on: x % 2 === 0 })
const first = {
  block: { inner: inner(1), pair: [8, 9], more: [inner(4), inner(7)], list: [10, 11, 12] },
  rows: [
    [1, 2, 3],
    [4, 5, 6],
  ],
  columns: [
    [21, 22, 23],
    [24, 25, 26],
  ],
}
const told = shapes.buffer(new Float32Array(29))
const tell = shapes.kernel('tell').bind<Shapes>({ buffers: { outp: told }, uniforms: first })
const hear = async (): Promise<number[]> => {
  tell.dispatch([1, 1, 1])
  return [...(await told.read())].slice(0, 29)
}
const u = tell.uniforms
const heard = [await hear()]
u.block.inner.direction[1] = 50
u.block.inner.on = true
u.block.pair[0] = -3
u.block.more[1]!.direction = [60, 61, 62]
u.block.more[0] = { direction: [70, 71, 72], on: false }
u.block.list[2] = 80
u.rows[1]![2] = 90
u.columns[0] = [91, 92, 93]
u.columns[1]![0] = 94
heard.push(await hear())
u.rows = first.rows
u.columns = first.columns
u.block = first.block
heard.push(await hear())
u.block.inner = { direction: [1, 1, 1], on: false }
heard.push(await hear())
result['shapes'] = heard
result['read'] = JSON.parse(JSON.stringify(u))
result['wrongUniforms'] = [
  await failure(() => {
    u.block.inner.direction[1] = 'x' as unknown as number
  }),
  await failure(() => {
    u.block.inner = { direction: [9, 9, 'x' as unknown as number], on: true }
  }),
  await failure(() => {
    u.columns[0] = [1, 2]
  }),
  await failure(() => {
    u.rows = [[1, 2, 3]]
  }),
  await failure(() => {
    u.block.pair[1] = 0.5
  }),
  (
    await failure(() => {
      ;(u as unknown as Record<string, number>)['blokc'] = 1
    })
  ).slice(0, 10),
  (
    await failure(() => {
      u.block.list[3] = 1
    })
  ).slice(0, 10),
]
result['afterWrong'] = await hear()

// Numbers of groups on the device.
const counted = g.buffer(new Uint32Array(2))
const groups = g.buffer(new Uint32Array([9, 3, 2, 1]))
const count = marking.kernel('count').bind({ buffers: { counted } })
count.dispatchIndirect(groups, 4)
const byDispatch = [...(await counted.read())][0]
counted.write(new Uint32Array(2))
inPass(pass => {
  count.encodeIndirect(pass, groups.buffer)
})
result['indirect'] = [byDispatch, [...(await counted.read())][0]]
const notIndirect = create({ size: 16, usage: 0x80 })
const other = marking.kernel('count').bind({ buffers: { counted: groups } })
result['wrongIndirect'] = [
  await failure(() => count.dispatchIndirect(notIndirect)),
  await failure(() => count.dispatchIndirect(groups, 2)),
  await failure(() => count.dispatchIndirect(groups, 8)),
  await failure(() => count.dispatchIndirect(new Uint32Array(3) as unknown as GPUBuffer)),
  await failure(() => other.dispatchIndirect(groups)),
]

// Parts of buffers, in all calls.
const large = g.buffer(Float32Array.from({ length: 256 }, (_, i) => i))
const part = { buffer: large, offset: 256, size: 32 }
await g
  .kernel('step')
  .dispatch([1, 1, 1], { buffers: { points: part, scales }, uniforms: { rate: 0, goal: { at: [0, 0], weight: 1 } } })
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
result['wrongBuffers'] = {
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

// Mistakes of a bind, and of what is bound.
const bind = (options: object): Promise<string> => failure(() => g.kernel('step').bind(options))
const right = { buffers: { points, scales }, uniforms: { rate: 1, goal: { at: [0, 0], weight: 1 } } }
const bad = (pass: unknown): Promise<string> => failure(() => mark.encode(pass as GPUComputePassEncoder, [1, 1, 1]))
const destroyed = g.kernel('step').bind(right)
destroyed.destroy()
destroyed.destroy()
const tooLarge = await attach(
  compile(`RWStructuredBuffer<float> o; [shader("compute")] [numthreads(1024, 1, 1)] void huge() { o[0] = 1; }`),
  device,
)
const huge = tooLarge.kernel('huge').bind({ buffers: { o: marks } })
result['mistakes'] = {
  option: await bind({ ...right, buffer: {} }),
  unknown: await bind({ ...right, buffers: { points, scales, pionts: points } }),
  missing: await bind({ ...right, buffers: { points } }),
  memory: await bind({ ...right, buffers: { points: start, scales } }),
  kind: await bind({ ...right, buffers: { points, scales: new Int32Array(4) } }),
  value: await bind({ ...right, buffers: { points: 5, scales } }),
  usage: await bind({ ...right, buffers: { points: create({ size: 16, usage: 0x4 }), scales } }),
  small: await bind({ ...right, buffers: { points: create({ size: 4, usage: 0x80 }), scales } }),
  same: await bind({ ...right, buffers: { points, scales: points } }),
  uniform: await bind({ ...right, uniforms: { rate: 1 } }),
  unknownUniform: await bind({ ...right, uniforms: { ...right.uniforms, raet: 1 } }),
  groups: await failure(() => mark.dispatch([1, 1.5, 1])),
  two: await failure(() => inPass(pass => mark.encode(pass, [1, 1] as unknown as [number, number, number]))),
  many: await failure(() => mark.dispatch([70000, 1, 1])),
  pass: await bad(null),
  encoder: await bad(device.createCommandEncoder()),
  destroyed: await failure(() => destroyed.dispatch([1, 1, 1])),
  flushed: await failure(() => destroyed.flush()),
  ready: (await failure(() => huge.ready)).slice(0, 17),
  afterReady: (await failure(() => huge.dispatch([1, 1, 1]))).slice(0, 17),
  dispatchAfter: (await failure(() => tooLarge.kernel('huge').dispatch([1, 1, 1], { buffers: { o: marks } }))).slice(
    0,
    17,
  ),
}
const stages = await attach(
  compile(`[shader("fragment")] float4 colour() : SV_Target { return 1.0; }
RWStructuredBuffer<float> o; [shader("compute")] [numthreads(1, 1, 1)] void c() { o[0] = 1; }`),
  device,
)
result['stage'] = await failure(() => stages.kernel('colour'))

// What is printed collects until it is asked for.
const lines: string[] = []
const talker = compile(`
uniform int n;
[shader("compute")] [numthreads(1, 1, 1)] void talk() { printf("n is %d\\n", n); }`)
const speaker = await attach(talker, device, { print: text => lines.push(text), printBytes: 40 })
const talk = speaker.kernel('talk').bind<{ n: number }>({ uniforms: { n: 1 } })
talk.dispatch([1, 1, 1])
inPass(pass => {
  talk.uniforms.n = 2
  talk.encode(pass, [1, 1, 1])
  talk.uniforms.n = 3
  talk.encode(pass, [1, 1, 1])
})
const silent = lines.length
await talk.flush()
await talk.flush()
for (let i = 0; i < 7; i++) talk.dispatch([1, 1, 1])
await talk.flush()
await mark.flush()
result['printed'] = [silent, lines]

// Textures and samplers.
const painter = await attach(
  compile(`
[format("rgba8")] WTexture2D<float4> canvas;
Texture2D<float4> picture;
SamplerState state;
RWStructuredBuffer<float4> outp;
[shader("compute")] [numthreads(1, 1, 1)] void look() { outp[0] = picture.SampleLevel(state, float2(0.5, 0.5), 0.0); }
[shader("compute")] [numthreads(1, 1, 1)] void paint() { canvas[uint2(0, 0)] = float4(1.0, 0.0, 1.0, 1.0); }`),
  device,
)
const seen = painter.buffer(new Float32Array(4))
const canvas = device.createTexture({ size: [1, 1], format: 'rgba8unorm', usage: 0x4 | 0x8 })
painter.kernel('paint').bind({ textures: { canvas } }).dispatch([1, 1, 1])
painter
  .kernel('look')
  .bind({ buffers: { outp: seen }, textures: { picture: canvas } })
  .dispatch([1, 1, 1])
const pictured = [[...(await seen.read())]]
const look = painter
  .kernel('look')
  .bind({
    buffers: { outp: seen },
    textures: { picture: { size: [2, 1], data: new Uint8Array([0, 0, 0, 0, 255, 255, 255, 255]) } },
    samplers: { state: { magFilter: 'linear' } },
  })
look.dispatch([1, 1, 1])
pictured.push([...(await seen.read())].map(x => Math.round(x * 10) / 10))
result['textures'] = pictured
result['wrongTextures'] = [
  await failure(() => painter.kernel('look').bind({ buffers: { outp: seen } })),
  await failure(() =>
    painter.kernel('paint').bind({ textures: { canvas: { size: [1, 1], data: new Uint8Array(4) } } }),
  ),
]

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

// Refused binds keep nothing, scopes are closed, and a lost device says so.
const careful = await openDevice()
let [everMade, live, scopes] = [0, 0, 0]
const createOther = careful.createBuffer.bind(careful)
careful.createBuffer = descriptor => {
  const buffer = createOther(descriptor)
  const destroy = buffer.destroy.bind(buffer)
  live++
  everMade++
  buffer.destroy = () => {
    live--
    destroy()
  }
  return buffer
}
const [push, pop] = [careful.pushErrorScope.bind(careful), careful.popErrorScope.bind(careful)]
careful.pushErrorScope = filter => {
  scopes++
  push(filter)
}
careful.popErrorScope = () => {
  scopes--
  return pop()
}
const uncaptured: string[] = []
careful.addEventListener('uncapturederror', e => {
  uncaptured.push(e.error.message)
})
const c = await attach(program, careful, { printBytes: 64 })
const ten = createOther({ size: 64, usage: 0x80 })
const carefully = [
  await failure(() => c.kernel('step').bind({ ...right, buffers: { scales, points: 5 as unknown as GPUBuffer } })),
  await failure(() => c.kernel('step').bind({ ...right, buffers: { scales, points } })),
]
result['careful'] = [carefully, everMade, live, scopes]
const fine = c.kernel('step').bind({ ...right, buffers: { scales, points: ten } })
await fine.ready
fine.dispatch([1, 1, 1])
const during = live
fine.destroy()
const held = c.buffer(new Float32Array(4))
await held.read()
held.destroy()
await careful.queue.onSubmittedWorkDone()
result['freed'] = [during > 0, live, scopes, uncaptured]
const last = c.kernel('step').bind({ ...right, buffers: { scales, points: ten } })
const mine = c.buffer(new Float32Array(4))
careful.destroy()
await careful.lost
result['lost'] = [
  await failure(() => last.dispatch([1, 1, 1])),
  await failure(() => last.flush()),
  await failure(() => mine.read()),
  await failure(() => mine.write(new Float32Array(4))),
  await failure(() => c.buffer(new Float32Array(4))),
  await failure(() => c.kernel('step').bind({ ...right, buffers: { scales, points: ten } })),
]
console.log(JSON.stringify(result))
process.exit(0)
