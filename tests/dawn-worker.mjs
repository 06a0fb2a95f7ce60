// Owns the one WebGPU device of a test run: compiles WGSL and runs entry points for its parent, over IPC.
// A parent must never hold a device itself: Dawn neither survives a fork nor lets a process end by itself.
import process from 'node:process'
import { create, globals } from 'webgpu'

Object.assign(globalThis, globals)
const gpu = create([])
const adapter = await gpu.requestAdapter()
if (adapter === null) {
  process.send({ id: 0, fatal: 'no WebGPU adapter' })
  process.exit(1)
}
const wanted = ['maxStorageBuffersPerShaderStage', 'maxComputeInvocationsPerWorkgroup', 'maxComputeWorkgroupSizeX', 'maxBufferSize', 'maxStorageBufferBindingSize']
const device = await adapter.requestDevice({
  requiredFeatures: adapter.features.has('shader-f16') ? ['shader-f16'] : [],
  requiredLimits: Object.fromEntries(wanted.map(name => [name, adapter.limits[name]])),
})
const keep = [gpu, adapter, device]

/** Errors and warnings of a module, as `line: message`. */
async function compile(wgsl) {
  device.pushErrorScope('validation')
  const module = device.createShaderModule({ code: wgsl })
  const info = await module.getCompilationInfo()
  const error = await device.popErrorScope()
  const messages = info.messages.map(m => ({ type: m.type, text: `${m.lineNum}:${m.linePos}: ${m.message}` }))
  if (error !== null && !messages.some(m => m.type === 'error')) messages.push({ type: 'error', text: error.message })
  return { module, messages }
}

async function run({ wgsl, entry, buffers, dispatch }) {
  const { module, messages } = await compile(wgsl)
  if (messages.some(m => m.type === 'error')) return { messages }
  device.pushErrorScope('validation')
  const groups = []
  for (let group = 0; group <= Math.max(-1, ...buffers.map(b => b.group)); group++) {
    const own = buffers.filter(b => b.group === group)
    const layout = device.createBindGroupLayout({
      entries: own.map(b => ({ binding: b.binding, visibility: GPUShaderStage.COMPUTE, buffer: { type: b.kind } })),
    })
    const made = own.map(b => {
      const size = Math.max(16, Math.ceil(b.bytes.length / 16) * 16)
      const usage = b.kind === 'uniform' ? GPUBufferUsage.UNIFORM : GPUBufferUsage.STORAGE
      const buffer = device.createBuffer({ size, usage: usage | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST })
      const padded = new Uint8Array(size)
      padded.set(b.bytes)
      device.queue.writeBuffer(buffer, 0, padded)
      return { buffer, size: Math.max(4, Math.ceil(b.bytes.length / 4) * 4), of: b }
    })
    groups.push({ layout, made })
  }
  const layout = device.createPipelineLayout({ bindGroupLayouts: groups.map(g => g.layout) })
  const pipeline = device.createComputePipeline({ layout, compute: { module, entryPoint: entry } })
  const encoder = device.createCommandEncoder()
  const pass = encoder.beginComputePass()
  pass.setPipeline(pipeline)
  groups.forEach((g, i) => {
    const entries = g.made.map(m => ({
      binding: m.of.binding,
      resource: m.of.kind === 'uniform' ? { buffer: m.buffer } : { buffer: m.buffer, size: m.size },
    }))
    pass.setBindGroup(i, device.createBindGroup({ layout: g.layout, entries }))
  })
  pass.dispatchWorkgroups(...dispatch)
  pass.end()
  const reads = groups.flatMap(g => g.made).filter(m => m.of.kind === 'storage').map(m => {
    const to = device.createBuffer({ size: m.size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST })
    encoder.copyBufferToBuffer(m.buffer, 0, to, 0, m.size)
    return { to, of: m.of, from: m.buffer }
  })
  device.queue.submit([encoder.finish()])
  const error = await device.popErrorScope()
  if (error !== null) return { messages: [{ type: 'error', text: error.message }] }
  const out = []
  for (const r of reads) {
    await r.to.mapAsync(GPUMapMode.READ)
    out.push({ group: r.of.group, binding: r.of.binding, bytes: new Uint8Array(r.to.getMappedRange().slice(0, r.of.bytes.length)) })
    r.to.destroy()
  }
  for (const g of groups) for (const m of g.made) m.buffer.destroy()
  return { messages, buffers: out }
}

let last = Promise.resolve()
process.on('message', request => {
  last = last.then(async () => {
    try {
      const answer = request.entry === undefined ? { messages: (await compile(request.wgsl)).messages } : await run(request)
      process.send({ id: request.id, ...answer })
    } catch (e) {
      process.send({ id: request.id, messages: [{ type: 'error', text: String(e?.stack ?? e) }] })
    }
  })
})
process.on('disconnect', () => process.exit(keep.length > 0 ? 0 : 1))
process.send({ id: 0, ready: adapter.info?.description ?? adapter.info?.vendor ?? 'unknown' })
