// Owns a WebGPU device and times compute kernels for its parent, over IPC: Dawn neither survives a fork nor lets a process end.
import { readFileSync, readdirSync } from 'node:fs'
import process from 'node:process'
import { create, globals } from 'webgpu'

Object.assign(globalThis, globals)
const gpu = create([])
const adapter = await gpu.requestAdapter()
if (adapter === null) {
  process.send({ fatal: 'no WebGPU adapter' })
  process.exit(1)
}
const device = await adapter.requestDevice({
  requiredLimits: {
    maxBufferSize: adapter.limits.maxBufferSize,
    maxStorageBufferBindingSize: adapter.limits.maxStorageBufferBindingSize,
  },
})
const keep = [gpu, adapter, device]
const layout = device.createBindGroupLayout({
  entries: [0, 1].map(binding => ({
    binding,
    visibility: GPUShaderStage.COMPUTE,
    buffer: { type: binding === 0 ? 'read-only-storage' : 'storage' },
  })),
})

let modules = 0

async function pipeline(wgsl, entryPoint) {
  // No two texts are equal, or the device would give a pipeline that it has.
  const module = device.createShaderModule({ code: `${wgsl}\n// ${modules++}` })
  const bad = (await module.getCompilationInfo()).messages.filter(m => m.type === 'error')
  if (bad.length > 0) throw new Error(bad.map(m => `${m.lineNum}:${m.linePos}: ${m.message}`).join('\n'))
  const before = worked(),
    start = performance.now()
  const run = await device.createComputePipelineAsync({
    layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
    compute: { module, entryPoint },
  })
  const wall = performance.now() - start,
    work = (worked() - before) / 1e6
  return { run, wall, work }
}

function buffer(size, usage) {
  return device.createBuffer({ size: Math.max(16, Math.ceil(size / 16) * 16), usage })
}

/** Nanoseconds that the threads of a software driver have worked, which is this one's patience left out; 0 where the system does not say. */
function worked() {
  try {
    let sum = 0
    for (const task of readdirSync('/proc/self/task')) {
      if (task !== String(process.pid))
        sum += Number(readFileSync(`/proc/self/task/${task}/schedstat`, 'utf8').split(' ')[0])
    }
    return sum
  } catch {
    return 0
  }
}

const median = list => [...list].sort((a, b) => a - b)[list.length >> 1]

/** Times kernels of one input and output in turns, so that what else the machine does strikes all alike. */
async function time({ kernels, input, outputs, groups, budget, creations = 1 }) {
  const inp = buffer(input.byteLength, GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST)
  device.queue.writeBuffer(inp, 0, input)
  const outp = buffer(outputs * 4, GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC)
  const group = device.createBindGroup({
    layout,
    entries: [inp, outp].map((b, binding) => ({ binding, resource: { buffer: b } })),
  })
  const made = [],
    creation = []
  for (const k of kernels) {
    let least
    for (let i = 0; i < creations; i++) {
      const { run, ...took } = await pipeline(k.wgsl, k.entry)
      if (least === undefined) made.push(run)
      least = { wall: Math.min(took.wall, least?.wall ?? Infinity), work: Math.min(took.work, least?.work ?? Infinity) }
    }
    creation.push(least.work > 0 ? least.work : least.wall)
  }
  const once = async (k, copy) => {
    const encoder = device.createCommandEncoder()
    const pass = encoder.beginComputePass()
    pass.setPipeline(made[k])
    pass.setBindGroup(0, group)
    pass.dispatchWorkgroups(groups)
    pass.end()
    if (copy !== undefined) encoder.copyBufferToBuffer(outp, 0, copy, 0, copy.size)
    const commands = encoder.finish()
    const before = worked(),
      start = performance.now()
    device.queue.submit([commands])
    await device.queue.onSubmittedWorkDone()
    const wall = performance.now() - start,
      work = (worked() - before) / 1e6
    return { wall, work }
  }
  const results = []
  for (let k = 0; k < kernels.length; k++) {
    const copy = buffer(outputs * 4, GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST)
    await once(k, copy)
    await copy.mapAsync(GPUMapMode.READ)
    results.push(new Float32Array(copy.getMappedRange().slice(0)))
    copy.destroy()
  }
  const times = kernels.map(() => [])
  for (const end = performance.now() + budget; times[0].length < 5 || performance.now() < end;) {
    for (let k = 0; k < kernels.length; k++) times[k].push(await once(k))
  }
  inp.destroy()
  outp.destroy()
  const pick = (reduce, what) => times.map(list => reduce(list.map(t => t[what])))
  const least = list => Math.min(...list)
  return {
    wall: pick(least, 'wall'),
    median: pick(median, 'wall'),
    work: pick(least, 'work'),
    medianWork: pick(median, 'work'),
    creation,
    results,
  }
}

process.on('message', request => {
  const answer = time(request).catch(error => ({ error: String(error?.message ?? error) }))
  void answer.then(it => process.send(it))
})
process.on('disconnect', () => process.exit(keep.length > 0 ? 0 : 1))
process.send({ ready: adapter.info?.description ?? 'unknown' })
