// Runs in a process of its own, bundled: bound kernels. Prints one JSON object.
import { attach } from '../../src/gpu/index.ts'
import { compile } from '../../src/index.ts'
import { counting, create, device, failure, g, inPass, marking, program } from './bound-setup.ts'
import { openDevice } from './script-device.ts'
import { tensorProgram } from './tensor-program.ts'

const result: Record<string, unknown> = {}

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
marks.write(new Float32Array(many))
inPass(pass => {
  own.encode(pass, [1, 1, 1])
  for (let i = 1; i < 200; i++) {
    own.uniforms.at = i
    own.uniforms.value = i
    own.encode(pass, [1, 1, 1])
  }
})
result['kept'] = [...(await marks.read(new Float32Array(200)))].every((x, i) => x === (i === 0 ? 4 : i))
// Also the first that is recorded keeps its values beside a dispatch of its own.
const fresh = marking.kernel('mark').bind<Mark>({ buffers: { marks }, uniforms: { at: 3, value: 30 } })
inPass(pass => {
  fresh.encode(pass, [1, 1, 1])
  fresh.uniforms.at = 4
  fresh.uniforms.value = 40
  fresh.dispatch([1, 1, 1])
})
result['first'] = [...(await marks.read(new Float32Array(5)))].slice(3)
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

// Mistakes of a bind, and of what is bound.
const large = g.buffer(new Float32Array(256))
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
  sameBuffer: await bind({
    ...right,
    buffers: { points: { buffer: large, size: 32 }, scales: { buffer: large, offset: 256 } },
  }),
  uniform: await bind({ ...right, uniforms: { rate: 1 } }),
  unknownUniform: await bind({ ...right, uniforms: { ...right.uniforms, raet: 1 } }),
  groups: await failure(() => mark.dispatch([1, 1.5, 1])),
  two: await failure(() => inPass(pass => mark.encode(pass, [1, 1] as unknown as [number, number, number]))),
  many: await failure(() => mark.dispatch([70000, 1, 1])),
  pass: await bad(null),
  encoder: await bad(device.createCommandEncoder()),
  destroyed: await failure(() => destroyed.dispatch([1, 1, 1])),
  flushed: await failure(() => destroyed.flush()),
  ready: await failure(() => huge.ready),
  afterReady: await failure(() => huge.dispatch([1, 1, 1])),
  dispatchAfter: await failure(() => tooLarge.kernel('huge').dispatch([1, 1, 1], { buffers: { o: marks } })),
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

// Fields that describe tensors in a block stay as they are when the rest of the block is set; groups have uniforms each.
const blocks = await attach(compile(tensorProgram), device)
const output = blocks.buffer(new Float32Array(2))
const blocked = blocks
  .kernel('blocked')
  .bind<{ net: { k: number } }>({
    tensors: {
      net_w: { data: blocks.buffer(new Float32Array([1, 2])), shape: [2] },
      net_more_1: { data: blocks.buffer(new Float32Array([5, 6])), shape: [2] },
      output: { data: output, shape: [2] },
    },
    uniforms: { net: { k: 3 } },
  })
blocked.dispatch([1, 1, 1])
const outputs = [[...(await output.read())]]
blocked.uniforms.net = { k: 10 }
blocked.dispatch([1, 1, 1])
outputs.push([...(await output.read())])
blocked.uniforms.net.k = 100
inPass(pass => blocked.encode(pass, [1, 1, 1]))
outputs.push([...(await output.read())])
result['blocks'] = outputs

// More uniform buffers than a device binds with offsets.
const names = Array.from({ length: 9 }, (_, i) => `block${i}`)
const nine = await attach(
  compile(`struct B { float x; }
${names.map(name => `ConstantBuffer<B> ${name};`).join('\n')}
RWStructuredBuffer<float> sum;
[shader("compute")] [numthreads(1, 1, 1)] void add() { sum[0] = ${names.map(name => `${name}.x`).join(' + ')}; }`),
  device,
)
const blockValues = Object.fromEntries(names.map((name, i) => [name, { x: 2 ** i }]))
const added = new Float32Array(1)
await nine.kernel('add').dispatch([1, 1, 1], { buffers: { sum: added }, uniforms: blockValues })
result['nine'] = [
  added[0],
  await failure(() =>
    nine.kernel('add').bind({ buffers: { sum: nine.buffer(new Float32Array(1)) }, uniforms: blockValues }),
  ),
]

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
