// Runs in a process of its own, bundled: what a program does with `cotangent/gpu` and a device. Prints one JSON object.
import { load } from '../../src/cpu/index.ts'
import { attach } from '../../src/gpu/index.ts'
import { compile } from '../../src/index.ts'
import { openDevice } from './script-device.ts'

const device = await openDevice()

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
await shade.dispatch([1, 1, 1], {
  buffers: { inp: new Float32Array([1, 2, 3, 4]), outp },
  uniforms: { scale: 2, halve: false, light },
})
result['inPlace'] = [...outp]
const plain = await shade.dispatch([1, 1, 1], {
  buffers: { inp: [1, 2, 3, 4], outp: [0, 0, 0, 0] },
  uniforms: { scale: 1, halve: true, light },
})
result['plain'] = plain['outp']
const own = device.createBuffer({ size: 16, usage: 0x80 | 0x4 | 0x8 })
const bound = await shade.dispatch([1, 1, 1], {
  buffers: { inp: new Float32Array([1, 2, 3, 4]), outp: own },
  uniforms: { scale: 1, halve: true, light },
})
const read = device.createBuffer({ size: 16, usage: 0x1 | 0x8 })
const encoder = device.createCommandEncoder()
encoder.copyBufferToBuffer(own, 0, read, 0, 16)
device.queue.submit([encoder.finish()])
await read.mapAsync(1)
result['deviceBuffer'] = [Object.keys(bound), [...new Float32Array(read.getMappedRange())]]
const structs = await g
  .kernel('copyLight')
  .dispatch([2, 1, 1], { buffers: { lights: [light, light] }, uniforms: { light } })
result['structs'] = structs['lights']
const dispatching = compile(
  `interface IShape { [mutating] void grow(float k); }
struct Square : IShape { float side; [mutating] void grow(float k) { side *= k; } }
struct Box : IShape { float2 size; bool tall; [mutating] void grow(float k) { size.x *= k; tall = !tall; } }
uniform IShape other;
RWStructuredBuffer<IShape> shapes;
[shader("compute")] [numthreads(1, 1, 1)]
void grow(uint i : SV_DispatchThreadID) { shapes[i].grow(2.0); if (i == 2) shapes[i] = other; }`,
  { conformances: ['Square:IShape=7', 'Box:IShape=3'] },
)
const grow = {
  buffers: {
    shapes: [
      { type: 'Square', value: { side: 3 } },
      { type: 'Box', value: { size: [1, 2], tall: false } },
      { type: 'Square', value: { side: 1 } },
    ],
  },
  uniforms: { other: { type: 'Square', value: { side: 5 } } },
}
const grown = (await attach(dispatching, device)).kernel('grow')
const grownOnCpu = (await load(dispatching)).kernel('grow')
const inPlace = structuredClone(grow)
grownOnCpu.dispatch([3, 1, 1], inPlace)
result['interfaces'] = [await grown.dispatch([3, 1, 1], grow), inPlace.buffers]
const disc = { ...grow, uniforms: { other: { type: 'Disc', value: { side: 5 } } } }
const more = { ...grow, uniforms: { other: { type: 'Square', value: { side: 5 }, size: 1 } } }
result['noInterface'] = [
  await failure(() => grown.dispatch([3, 1, 1], disc)),
  await failure(() => grownOnCpu.dispatch([3, 1, 1], disc)),
  await failure(() => grown.dispatch([3, 1, 1], more)),
  await failure(() => grownOnCpu.dispatch([3, 1, 1], more)),
]
result['sizes'] = [shade.workgroupSize, g.kernel('copyLight').workgroupSize]

const painter = await attach(
  compile(`
[format("rgba8")] WTexture2D<float4> canvas;
Texture2D<float4> picture;
Texture3D<uint> volume;
SamplerState state;
RWStructuredBuffer<float4> outp;
[shader("compute")] [numthreads(2, 1, 1)]
void paint(uint3 id : SV_DispatchThreadID) { canvas[id.xy] = float4(id.x, id.y, 0.2, 1.0); }
[shader("compute")] [numthreads(1, 1, 1)]
void look(uint3 id : SV_DispatchThreadID)
{
    outp[0] = picture.SampleLevel(state, float2(0.5, 0.5), 0.0);
    outp[1] = float(volume[uint3(1, 0, 1)]);
}`),
  device,
)
const texels = new Uint8Array(4 * 4)
await painter.kernel('paint').dispatch([1, 2, 1], { textures: { canvas: { size: [2, 2], data: texels } } })
result['painted'] = [...texels]
const look = painter.kernel('look')
const volume = { size: [2, 1, 2], format: 'r32uint' as const, data: new Uint32Array([1, 2, 3, 4]) }
const outs = await look.dispatch([1, 1, 1], {
  buffers: {
    outp: [
      [0, 0, 0, 0],
      [0, 0, 0, 0],
    ],
  },
  textures: { picture: { size: [2, 2], data: texels }, volume },
})
result['looked'] = outs['outp']
const ownTexture = device.createTexture({ size: [1, 1], format: 'rgba8unorm', usage: 0x2 | 0x4 })
device.queue.writeTexture({ texture: ownTexture }, new Uint8Array([255, 0, 255, 0]), { bytesPerRow: 4 }, [1, 1])
const again = await look.dispatch([1, 1, 1], {
  buffers: {
    outp: [
      [0, 0, 0, 0],
      [0, 0, 0, 0],
    ],
  },
  textures: { picture: ownTexture, volume },
  samplers: { state: device.createSampler({ magFilter: 'nearest' }) },
})
result['lookedAtDevice'] = again['outp']

const talker = compile(`
struct Mixed { float x; bool on; int2 pair; }
RWStructuredBuffer<float> outp;
void say(int n, float x) { printf("%d says %.2f\\n", n, x); }
[shader("compute")] [numthreads(1, 1, 1)]
void talk(uint3 id : SV_DispatchThreadID)
{
    printf("start\\n");
    Mixed m = { outp[0], true, int2(-1, 2) };
    printf("%f %d %d %d | %x %u%%\\n", m, 255u, 7);
    for (int i = 0; i < 3; i++)
        say(i, float(i) * -1.5);
    outp[0] = 2;
}
[shader("compute")] [numthreads(1, 1, 1)]
void quiet() { outp[0] = 3; }`)
const heard: string[] = []
const speaker = await attach(talker, device, { print: text => heard.push(text) })
await speaker.kernel('talk').dispatch([1, 1, 1], { buffers: { outp: [0.5] } })
await speaker.kernel('quiet').dispatch([1, 1, 1], { buffers: { outp: [0.5] } })
result['heard'] = heard
const onCpu: string[] = []
const machine = await load(talker, { print: text => onCpu.push(text) })
machine.kernel('talk').dispatch([1, 1, 1], { buffers: { outp: new Float32Array([0.5]) } })
result['heardOnCpu'] = onCpu
const cut: string[] = []
const small = await attach(talker, device, { print: text => cut.push(text), printBytes: 48 })
await small.kernel('talk').dispatch([1, 1, 1], { buffers: { outp: [0.5] } })
result['cut'] = cut

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
  missing: await failure(() =>
    shade.dispatch([1, 1, 1], { buffers: { inp }, uniforms: { scale: 1, halve: true, light } }),
  ),
  unknown: await failure(() =>
    shade.dispatch([1, 1, 1], { buffers: { inp, outp, lihgts: inp }, uniforms: { scale: 1, halve: true, light } }),
  ),
  size: await failure(() =>
    shade.dispatch([1, 1, 1], {
      buffers: { inp: new Uint8Array(3), outp },
      uniforms: { scale: 1, halve: true, light },
    }),
  ),
  uniform: await failure(() => shade.dispatch([1, 1, 1], { buffers: { inp, outp }, uniforms: { scale: 1, light } })),
  shape: await failure(() =>
    shade.dispatch([1, 1, 1], {
      buffers: { inp, outp },
      uniforms: { scale: 1, halve: true, light: { direction: [1, 2], power: 1 } },
    }),
  ),
  groups: await failure(() =>
    shade.dispatch([1.5, 1, 1], { buffers: { inp, outp }, uniforms: { scale: 1, halve: true, light } }),
  ),
  texture: await failure(() => look.dispatch([1, 1, 1], { buffers: { outp: [[0, 0, 0, 0]] }, textures: { volume } })),
  texels: await failure(() =>
    look.dispatch([1, 1, 1], {
      buffers: { outp: [[0, 0, 0, 0]] },
      textures: { volume, picture: { size: [2, 2], data: new Uint8Array(3) } },
    }),
  ),
  sampler: await failure(() =>
    look.dispatch([1, 1, 1], { buffers: { outp: [[0, 0, 0, 0]] }, samplers: { states: {} } }),
  ),
  description: await failure(() =>
    look.dispatch([1, 1, 1], {
      buffers: { outp: [[0, 0, 0, 0]] },
      textures: { volume, picture: { size: 4 } as unknown as { readonly size: readonly number[] } },
    }),
  ),
  filter: await failure(() =>
    look.dispatch([1, 1, 1], {
      buffers: { outp: [[0, 0, 0, 0]] },
      textures: { volume, picture: { size: [1, 1] } },
      samplers: { state: { magFilter: 'cubic' as 'linear' } },
    }),
  ),
  program: await failure(() => attach(compile('float f() { return nothing; }'), device)),
}

// What no code with an effect reads, and what another kernel needs.
const idle = compile(`
StructuredBuffer<float> cfg, never, others;
cbuffer Unread { float bias; }
Texture2D<float4> picture;
SamplerState state;
TensorView<float> samples;
uniform float rate;
uniform float unread;
RWStructuredBuffer<float> outp;
[shader("compute")] [numthreads(1, 1, 1)]
void k()
{
    float dead = cfg[0] + picture.SampleLevel(state, float2(0), 0).x + samples[0u] + unread + bias;
    outp[0] = rate;
}
[shader("compute")] [numthreads(1, 1, 1)]
void other() { outp[0] = others[0]; }`)
const [onDevice, onProcessor] = [(await attach(idle, device)).kernel('k'), (await load(idle)).kernel('k')]
const [ones, dot] = [new Float32Array([1]), { size: [1, 1], data: new Uint8Array(4) }]
const everything = (buffer: Float32Array): object => ({
  buffers: { outp: buffer, cfg: ones, never: ones, others: ones },
  uniforms: { rate: 2, unread: 1, Unread: { bias: 1 } },
  textures: { picture: dot },
  samplers: { state: {} },
  tensors: { samples: { data: ones, shape: [1] } },
})
const wrongNames = {
  buffers: { cgf: ones },
  textures: { picturf: dot },
  samplers: { staet: {} },
  uniforms: { raet: 1 },
  tensors: { samplse: { data: ones, shape: [1] } },
}
const [left, right] = [new Float32Array(1), new Float32Array(1)]
await onDevice.dispatch([1, 1, 1], everything(left))
onProcessor.dispatch([1, 1, 1], everything(right))
result['unneeded'] = { gpu: [...left], cpu: [...right] }
const refusals: Record<'gpu' | 'cpu', Record<string, string>> = { gpu: {}, cpu: {} }
for (const [role, names] of Object.entries(wrongNames)) {
  const wrong = { buffers: { outp: left }, uniforms: { rate: 2 }, [role]: names }
  refusals.gpu[role] = await failure(() => onDevice.dispatch([1, 1, 1], wrong))
  refusals.cpu[role] = await failure(() => onProcessor.dispatch([1, 1, 1], wrong))
}
result['unknown'] = refusals

// Memory of another kind, names that there are not, and counts of groups that no device takes.
const given = { buffers: { inp, outp }, uniforms: { scale: 1, halve: true, light } }
result['refused'] = {
  doubles: await failure(() => shade.dispatch([1, 1, 1], { ...given, buffers: { inp: new Float64Array(4), outp } })),
  ints: await failure(() => shade.dispatch([1, 1, 1], { ...given, buffers: { inp: new Int32Array(4), outp } })),
  structs: await failure(() =>
    g.kernel('copyLight').dispatch([1, 1, 1], { buffers: { lights: new Uint32Array(8) }, uniforms: { light } }),
  ),
  number: await failure(() =>
    shade.dispatch([1, 1, 1], { ...given, buffers: { inp: 5 as unknown as number[], outp } }),
  ),
  uniform: await failure(() =>
    shade.dispatch([1, 1, 1], { ...given, uniforms: { scael: 1, scale: 1, halve: true, light } }),
  ),
  field: await failure(() =>
    shade.dispatch([1, 1, 1], { ...given, uniforms: { scale: 1, halve: true, light: { ...light, powr: 1 } } }),
  ),
  option: await failure(() => shade.dispatch([1, 1, 1], { ...given, buffer: {} } as object)),
  program: await failure(() => attach(null as unknown as Parameters<typeof attach>[0], device)),
  device: await failure(() => attach(compile(source), undefined as unknown as GPUDevice)),
  attach: await failure(() => attach(compile(source), device, { prnt: () => undefined } as object)),
  negative: await failure(() => shade.dispatch([1, -1, 1], given)),
  nan: await failure(() => shade.dispatch([1, NaN, 1], given)),
  many: await failure(() => shade.dispatch([70000, 1, 1], given)),
  two: await failure(() => shade.dispatch([1, 1] as unknown as [number, number, number], given)),
  // oxlint-disable-next-line no-sparse-arrays -- that is what it is about
  hole: await failure(() => shade.dispatch([1, , Symbol('s')] as unknown as [number, number, number], given)),
  bare: await failure(() =>
    shade.dispatch([1, 1, 1], {
      ...given,
      uniforms: { scale: 1, halve: true, light: { direction: Object.create(null) as number[], power: 1 } },
    }),
  ),
}
// Numbers of groups and matrices, as the CPU takes them too.
const grid = compile(`uniform float2x3 m; RWStructuredBuffer<float> o;
  [shader("compute")] [numthreads(1, 1, 1)] void k(uint3 id : SV_DispatchThreadID) { o[id.x] = m[1][2] * 10 + m[0][1]; }`)
const [gridOnDevice, gridOnProcessor] = [(await attach(grid, device)).kernel('k'), (await load(grid)).kernel('k')]
const forms = [
  [
    [1, 2, 3],
    [4, 5, 6],
  ],
  [1, 2, 3, 4, 5, 6],
  Float32Array.of(1, 2, 3, 4, 5, 6),
]
const matrices: unknown[] = []
for (const m of forms) {
  const [a, b] = [new Float32Array(1), new Float32Array(1)]
  await gridOnDevice.dispatch([1, 1, 1], { buffers: { o: a }, uniforms: { m } })
  gridOnProcessor.dispatch([1, 1, 1], { buffers: { o: b }, uniforms: { m } })
  matrices.push([a[0], b[0]])
}
result['matrices'] = matrices
result['shortMatrix'] = await failure(() =>
  gridOnDevice.dispatch([1, 1, 1], { buffers: { o: [0] }, uniforms: { m: [1, 2, 3, 4] } }),
)
const counts: [number, number, number] = [2, 1, 1]
const late = new Float32Array(3)
const running = gridOnDevice.dispatch(counts, { buffers: { o: late }, uniforms: { m: forms[0]! } })
// The kernel is loaded by then, and the device not done.
await Promise.resolve()
await Promise.resolve()
counts[0] = 3
await running
result['lateCounts'] = [...late]
const resizable = Reflect.construct(ArrayBuffer, [16, { maxByteLength: 32 }]) as ArrayBuffer
new Float32Array(resizable).set([1, 2, 3, 4])
await shade.dispatch([1, 1, 1], { ...given, buffers: { inp: new Float32Array(resizable), outp } })
result['resizable'] = [...outp]
const shared = new Float32Array(new SharedArrayBuffer(16)),
  bits = new ArrayBuffer(16)
shared.set([1, 2, 3, 4])
await shade.dispatch([1, 1, 1], { ...given, buffers: { inp: shared, outp: bits } })
result['shared'] = [...new Float32Array(bits)]
const flat = new DataView(new ArrayBuffer(16))
await g.kernel('copyLight').dispatch([1, 1, 1], { buffers: { lights: flat }, uniforms: { light } })
result['view'] = [0, 4, 8, 12].map(at => flat.getFloat32(at, true))

// What is made is destroyed, and scopes are closed, whatever a dispatch is refused for.
const counted = await openDevice()
const live = new Set<string>()
let made = 0,
  scopes = 0
const create = counted.createBuffer.bind(counted)
counted.createBuffer = descriptor => {
  const buffer = create(descriptor)
  const [name, destroy] = [`${made++}`, buffer.destroy.bind(buffer)]
  live.add(name)
  buffer.destroy = () => {
    live.delete(name)
    destroy()
  }
  return buffer
}
const [push, pop] = [counted.pushErrorScope.bind(counted), counted.popErrorScope.bind(counted)]
counted.pushErrorScope = filter => {
  scopes++
  push(filter)
}
counted.popErrorScope = () => {
  scopes--
  return pop()
}
const careful = await attach(talker, counted, {
  print: () => {
    throw new Error('no printer')
  },
})
const painted = await attach(
  compile(`RWStructuredBuffer<float> a; RWStructuredBuffer<float> b; Texture2D<float4> picture;
[shader("compute")] [numthreads(1, 1, 1)] void k() { a[0] = b[0] + picture.Load(int3(0, 0, 0)).x; }`),
  counted,
)
const gone = create({ size: 16, usage: 0x80 })
gone.destroy()
result['careful'] = [
  await failure(() => painted.kernel('k').dispatch([1, 1, 1], { buffers: { a: [0], b: [1] } })),
  await failure(() =>
    painted
      .kernel('k')
      .dispatch([1, 1, 1], { buffers: { a: [0], b: new Uint8Array(3) }, textures: { picture: { size: [1, 1] } } }),
  ),
  (
    await failure(() =>
      painted
        .kernel('k')
        .dispatch([1, 1, 1], { buffers: { a: [0], b: gone }, textures: { picture: { size: [1, 1] } } }),
    )
  ).slice(0, 12),
  await failure(() =>
    painted.kernel('k').dispatch([1, 1, 1], { buffers: { a: [0], b: [1] }, textures: { picture: { size: [1, 1] } } }),
  ),
  await failure(() => careful.kernel('talk').dispatch([1, 1, 1], { buffers: { outp: [0.5] } })),
]
result['left'] = [live.size, scopes, made > 0]
counted.destroy()
await counted.lost
result['lost'] = [
  await failure(() =>
    painted.kernel('k').dispatch([1, 1, 1], { buffers: { a: [0], b: [1] }, textures: { picture: { size: [1, 1] } } }),
  ),
  await failure(() => attach(talker, counted)),
]
console.log(JSON.stringify(result))
process.exit(0)
