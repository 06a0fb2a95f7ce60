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
const wanted = [
  'maxStorageBuffersPerShaderStage',
  'maxComputeInvocationsPerWorkgroup',
  'maxComputeWorkgroupSizeX',
  'maxBufferSize',
  'maxStorageBufferBindingSize',
]
const device = await adapter.requestDevice({
  requiredFeatures: ['shader-f16', 'subgroups'].filter(name => adapter.features.has(name)),
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

/** What is bound for a buffer, texture or sampler, and how a layout describes it. */
function resource(b) {
  if (b.kind === 'sampler')
    return { resource: device.createSampler(b.sampler), layout: { sampler: { type: b.layout } } }
  if (b.kind === 'texture' || b.kind === 'storage-texture') {
    const { data, bytesPerTexel, view, ...descriptor } = b.texture
    const role = b.kind === 'texture' ? GPUTextureUsage.TEXTURE_BINDING : GPUTextureUsage.STORAGE_BINDING
    const texture = device.createTexture({
      ...descriptor,
      usage: role | GPUTextureUsage.COPY_DST | GPUTextureUsage.COPY_SRC,
    })
    const [width, height = 1] = descriptor.size
    if (data !== undefined)
      device.queue.writeTexture(
        { texture },
        data,
        { bytesPerRow: width * bytesPerTexel, rowsPerImage: height },
        descriptor.size,
      )
    return {
      resource: texture.createView(view),
      texture,
      layout: b.kind === 'texture' ? { texture: b.layout } : { storageTexture: b.layout },
    }
  }
  const size = Math.max(16, Math.ceil(b.bytes.length / 16) * 16)
  const usage = b.kind === 'uniform' ? GPUBufferUsage.UNIFORM : GPUBufferUsage.STORAGE
  const buffer = device.createBuffer({ size, usage: usage | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST })
  const padded = new Uint8Array(size)
  padded.set(b.bytes)
  device.queue.writeBuffer(buffer, 0, padded)
  const length = Math.max(4, Math.ceil(b.bytes.length / 4) * 4)
  return {
    resource: b.kind === 'uniform' ? { buffer } : { buffer, size: length },
    buffer,
    size: length,
    layout: { buffer: { type: b.kind } },
  }
}

/** `began` is called once nothing is left to compile. */
async function run({ wgsl, entry, buffers, dispatch }, began) {
  const { module, messages } = await compile(wgsl)
  if (messages.some(m => m.type === 'error')) return { messages }
  device.pushErrorScope('validation')
  const groups = []
  for (let group = 0; group <= Math.max(-1, ...buffers.map(b => b.group)); group++) {
    const own = buffers.filter(b => b.group === group)
    const made = own.map(b => ({ ...resource(b), of: b }))
    const layout = device.createBindGroupLayout({
      entries: made.map(m => ({ binding: m.of.binding, visibility: GPUShaderStage.COMPUTE, ...m.layout })),
    })
    groups.push({ layout, made })
  }
  const layout = device.createPipelineLayout({ bindGroupLayouts: groups.map(g => g.layout) })
  const pipeline = await device.createComputePipelineAsync({ layout, compute: { module, entryPoint: entry } })
  began()
  const encoder = device.createCommandEncoder()
  const pass = encoder.beginComputePass()
  pass.setPipeline(pipeline)
  groups.forEach((g, i) => {
    const entries = g.made.map(m => ({ binding: m.of.binding, resource: m.resource }))
    pass.setBindGroup(i, device.createBindGroup({ layout: g.layout, entries }))
  })
  pass.dispatchWorkgroups(...dispatch)
  pass.end()
  const reads = groups
    .flatMap(g => g.made)
    .filter(m => m.of.kind === 'storage')
    .map(m => {
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
    out.push({
      group: r.of.group,
      binding: r.of.binding,
      bytes: new Uint8Array(r.to.getMappedRange().slice(0, r.of.bytes.length)),
    })
    r.to.destroy()
  }
  for (const g of groups) for (const m of g.made) m.buffer?.destroy()
  return { messages, buffers: out }
}

/** Draws into as many targets of four floats a pixel as asked for; gives their contents, row by row. */
async function render({ wgsl, vertex, fragment, vertexBuffers, bindings, targets, size, count, instances, depth }) {
  const { module, messages } = await compile(wgsl)
  if (messages.some(m => m.type === 'error')) return { messages }
  device.pushErrorScope('validation')
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: {
      module,
      entryPoint: vertex,
      buffers: vertexBuffers.map(v => ({
        arrayStride: v.stride,
        stepMode: v.perInstance ? 'instance' : 'vertex',
        attributes: v.attributes,
      })),
    },
    fragment: { module, entryPoint: fragment, targets: targets.map(format => ({ format })) },
    ...(depth ? { depthStencil: { format: 'depth32float', depthWriteEnabled: true, depthCompare: 'less' } } : {}),
  })
  const textures = targets.map(format =>
    device.createTexture({
      size: [size, size],
      format,
      usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
    }),
  )
  const depthTexture = depth
    ? device.createTexture({ size: [size, size], format: 'depth32float', usage: GPUTextureUsage.RENDER_ATTACHMENT })
    : undefined
  const encoder = device.createCommandEncoder()
  const pass = encoder.beginRenderPass({
    colorAttachments: textures.map(texture => ({
      view: texture.createView(),
      loadOp: 'clear',
      storeOp: 'store',
      clearValue: [0, 0, 0, 0],
    })),
    ...(depthTexture
      ? {
          depthStencilAttachment: {
            view: depthTexture.createView(),
            depthLoadOp: 'clear',
            depthStoreOp: 'store',
            depthClearValue: 1,
          },
        }
      : {}),
  })
  pass.setPipeline(pipeline)
  vertexBuffers.forEach((v, i) => {
    const buffer = device.createBuffer({ size: v.bytes.length, usage: GPUBufferUsage.VERTEX | GPUBufferUsage.COPY_DST })
    device.queue.writeBuffer(buffer, 0, v.bytes)
    pass.setVertexBuffer(i, buffer)
  })
  for (const group of new Set(bindings.map(b => b.group))) {
    const entries = bindings
      .filter(b => b.group === group)
      .map(b => ({ binding: b.binding, resource: resource(b).resource }))
    pass.setBindGroup(group, device.createBindGroup({ layout: pipeline.getBindGroupLayout(group), entries }))
  }
  pass.draw(count, instances)
  pass.end()
  const row = Math.ceil((size * 16) / 256) * 256
  const copies = textures.map(texture => {
    const buffer = device.createBuffer({ size: row * size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST })
    encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow: row }, [size, size])
    return buffer
  })
  device.queue.submit([encoder.finish()])
  const error = await device.popErrorScope()
  if (error !== null) return { messages: [{ type: 'error', text: error.message }] }
  const pictures = []
  for (const copy of copies) {
    await copy.mapAsync(GPUMapMode.READ)
    const bytes = new Uint8Array(copy.getMappedRange())
    const picture = new Uint8Array(size * size * 16)
    for (let y = 0; y < size; y++) picture.set(bytes.subarray(y * row, y * row + size * 16), y * size * 16)
    pictures.push(picture)
  }
  return { messages, pictures }
}

let last = Promise.resolve()
process.on('message', request => {
  last = last.then(async () => {
    try {
      const answer =
        request.vertex !== undefined
          ? await render(request)
          : request.entry === undefined
            ? { messages: (await compile(request.wgsl)).messages }
            : await run(request, () => process.send({ id: request.id, began: true }))
      process.send({ id: request.id, ...answer })
    } catch (e) {
      process.send({ id: request.id, messages: [{ type: 'error', text: String(e?.stack ?? e) }] })
    }
  })
})
process.on('disconnect', () => process.exit(keep.length > 0 ? 0 : 1))
process.send({ id: 0, ready: adapter.info?.description ?? adapter.info?.vendor ?? 'unknown' })
