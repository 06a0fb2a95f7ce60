// Steps of a tiny kernel through a bound kernel and by hand, in turns, on any WebGPU device. Used by loop.mjs, in Node and in a page.
import { attach } from '../src/gpu/index.ts'
import { compile } from '../src/wgsl.ts'

const source = `
uniform float rate;
RWStructuredBuffer<float> points;
[Differentiable] float loss(float x) { return (x - 3.0) * (x - 3.0) * sin(x); }
[shader("compute")] [numthreads(64, 1, 1)]
void step(uint3 id : SV_DispatchThreadID)
{
    var x = diffPair(points[id.x]);
    bwd_diff(loss)(x, 1.0);
    points[id.x] -= rate * x.d;
}`
const count = 64
const inPass = 100

const median = list => [...list].sort((a, b) => a - b)[list.length >> 1]
const rateOf = i => 0.01 / (1 + i)

/** The same step in hand-written WebGPU: made once, then as little as WebGPU allows. */
async function byHand(device, { code, reflection }) {
  const [rate, points] = ['globalParams', 'points'].map(name => reflection.bindings.find(b => b.name === name))
  const pipelineOf = async dynamic => {
    const layout = device.createBindGroupLayout({
      entries: [
        { binding: rate.binding, visibility: 4, buffer: { type: 'uniform', hasDynamicOffset: dynamic } },
        { binding: points.binding, visibility: 4, buffer: { type: 'storage' } },
      ],
    })
    const pipeline = await device.createComputePipelineAsync({
      layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
      compute: { module: device.createShaderModule({ code }), entryPoint: reflection.entries[0].target },
    })
    return { layout, pipeline }
  }
  const [one, many] = [await pipelineOf(false), await pipelineOf(true)]
  const memory = device.createBuffer({ size: count * 4, usage: 0x80 | 0x4 | 0x8 })
  const uniform = device.createBuffer({ size: 16, usage: 0x40 | 0x8 })
  const slots = device.createBuffer({ size: 256 * inPass, usage: 0x40 | 0x8 })
  const groupOf = (layout, buffer) =>
    device.createBindGroup({
      layout,
      entries: [
        { binding: rate.binding, resource: { buffer, size: 16 } },
        { binding: points.binding, resource: { buffer: memory } },
      ],
    })
  const [oneGroup, manyGroup] = [groupOf(one.layout, uniform), groupOf(many.layout, slots)]
  const value = new Float32Array(4)
  const values = new Float32Array(64 * inPass)
  const { queue } = device
  const submit = record => {
    const encoder = device.createCommandEncoder()
    const pass = encoder.beginComputePass()
    record(pass)
    pass.end()
    queue.submit([encoder.finish()])
  }
  return {
    memory,
    same() {
      submit(pass => {
        pass.setPipeline(one.pipeline)
        pass.setBindGroup(0, oneGroup)
        pass.dispatchWorkgroups(1)
      })
    },
    changed(i) {
      value[0] = rateOf(i)
      queue.writeBuffer(uniform, 0, value)
      this.same()
    },
    passSame() {
      submit(pass => {
        for (let k = 0; k < inPass; k++) {
          pass.setPipeline(one.pipeline)
          pass.setBindGroup(0, oneGroup)
          pass.dispatchWorkgroups(1)
        }
      })
    },
    passChanged(i) {
      for (let k = 0; k < inPass; k++) values[k * 64] = rateOf(i + k)
      queue.writeBuffer(slots, 0, values)
      submit(pass => {
        for (let k = 0; k < inPass; k++) {
          pass.setPipeline(many.pipeline)
          pass.setBindGroup(0, manyGroup, [k * 256])
          pass.dispatchWorkgroups(1)
        }
      })
    },
  }
}

/** Microseconds that a step takes by hand and through a bound kernel, and the median of their ratios, for each way to run steps. */
export async function measure(device, { rounds, steps }) {
  const program = compile(source)
  const g = await attach(program, device)
  const points = g.buffer(new Float32Array(count))
  const k = g.kernel('step').bind({ buffers: { points }, uniforms: { rate: rateOf(0) } })
  await k.ready
  const hand = await byHand(device, program.wgsl())
  const submit = record => {
    const encoder = device.createCommandEncoder()
    const pass = encoder.beginComputePass()
    record(pass)
    pass.end()
    device.queue.submit([encoder.finish()])
    g.submitted()
  }
  const bound = {
    same: () => k.dispatch([1, 1, 1]),
    changed: i => {
      k.uniforms.rate = rateOf(i)
      k.dispatch([1, 1, 1])
    },
    passSame: () =>
      submit(pass => {
        for (let s = 0; s < inPass; s++) k.encode(pass, [1, 1, 1])
      }),
    passChanged: i =>
      submit(pass => {
        for (let s = 0; s < inPass; s++) {
          k.uniforms.rate = rateOf(i + s)
          k.encode(pass, [1, 1, 1])
        }
      }),
  }
  const ways = {
    'a submit each, uniforms change': ['changed', 1],
    'a submit each, uniforms stay': ['same', 1],
    [`${inPass} in a pass, uniforms change`]: ['passChanged', inPass],
    [`${inPass} in a pass, uniforms stay`]: ['passSame', inPass],
  }
  const rows = []
  for (const [name, [way, each]] of Object.entries(ways)) {
    const time = async runner => {
      const start = performance.now()
      for (let i = 0; i < steps; i += each) runner[way](i)
      await device.queue.onSubmittedWorkDone()
      return ((performance.now() - start) / steps) * 1000
    }
    await time(hand)
    await time(bound)
    const times = { hand: [], bound: [] }
    for (let r = 0; r < rounds; r++) {
      // Who goes first may find the processor warmer.
      const order = r % 2 === 0 ? ['hand', 'bound'] : ['bound', 'hand']
      for (const who of order) times[who].push(await time(who === 'hand' ? hand : bound))
    }
    rows.push({
      name,
      hand: median(times.hand),
      bound: median(times.bound),
      ratio: median(times.bound.map((t, r) => t / times.hand[r])),
    })
  }
  k.destroy()
  points.destroy()
  return rows
}
