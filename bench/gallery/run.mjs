// Runs programs of the gallery for `bench/gallery.mjs`, in a process of its own: Dawn does not let a process end, and the real
// compiler may die. Each program has one kernel, `computeMain`, which reads the buffer `at` and writes the buffer `grad`.
import process from 'node:process'
import { create, globals } from 'webgpu'
import { compile } from '../../dist/index.js'
import { loadSync } from '../../dist/cpu.js'
import { attach } from '../../dist/gpu.js'
import { loadPeer } from '../others/peer.mjs'

Object.assign(globalThis, globals)
// Dawn stops when the object that made it is collected.
const gpu = create([])
let device
let peer

async function openDevice() {
  const adapter = await gpu.requestAdapter()
  if (adapter === null) throw new Error('there is no WebGPU adapter')
  return adapter.requestDevice()
}

/** What the kernel of a program writes on each target, by the public library. */
async function ours({ source, at, count }) {
  const program = compile(source, { fileName: 'gallery.slang' })
  if (!program.ok) throw new Error(program.diagnostics.map(d => `E${d.code}: ${d.message}`).join('; '))
  const buffers = () => ({ at: Float32Array.from(at), grad: new Float32Array(count) })
  const [onGpu, onCpu, inScript] = [buffers(), buffers(), buffers()]
  await (await attach(program, device)).kernel('computeMain').dispatch([1, 1, 1], { buffers: onGpu })
  const loaded = loadSync(program)
  loaded.kernel('computeMain').dispatch([1, 1, 1], { buffers: onCpu })
  loaded.close()
  const { code } = program.js({ derivatives: false, mode: 'f32' })
  const module = await import(`data:text/javascript,${encodeURIComponent(code)}`)
  module.computeMain([1, 1, 1], inScript)
  return { webgpu: [...onGpu.grad], wasm: [...onCpu.grad], js: [...inScript.grad] }
}

/** Runs WGSL of the real compiler. */
async function runTheirs(code, at, count) {
  const name = /@compute[^{}]*?\bfn\s+(\w+)/.exec(code)[1]
  device.pushErrorScope('validation')
  const module = device.createShaderModule({ code })
  const { messages } = await module.getCompilationInfo()
  const scope = await device.popErrorScope()
  const bad = messages.find(m => m.type === 'error')
  if (bad !== undefined || scope !== null)
    return { refused: `WebGPU refuses its WGSL: ${(bad?.message ?? scope.message).split('\n')[0]}` }
  const pipeline = await device.createComputePipelineAsync({ layout: 'auto', compute: { module, entryPoint: name } })
  const usage = GPUBufferUsage
  const buffer = (n, use) => device.createBuffer({ size: Math.max(16, n * 4), usage: use })
  const given = buffer(at.length, usage.STORAGE | usage.COPY_DST)
  device.queue.writeBuffer(given, 0, Float32Array.from(at))
  const grad = buffer(count, usage.STORAGE | usage.COPY_SRC)
  const back = buffer(count, usage.MAP_READ | usage.COPY_DST)
  const bindings = [...code.matchAll(/@binding\((\d+)\)[^;]*?\b(at|grad)(?:_\d+)?\s*:/g)]
  const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: bindings.map(([, binding, name]) => ({
      binding: Number(binding),
      resource: { buffer: name === 'at' ? given : grad },
    })),
  })
  const encoder = device.createCommandEncoder()
  const pass = encoder.beginComputePass()
  pass.setPipeline(pipeline)
  pass.setBindGroup(0, group)
  pass.dispatchWorkgroups(1)
  pass.end()
  encoder.copyBufferToBuffer(grad, 0, back, 0, back.size)
  device.queue.submit([encoder.finish()])
  await back.mapAsync(GPUMapMode.READ)
  const numbers = [...new Float32Array(back.getMappedRange().slice(0, count * 4))]
  for (const b of [given, grad, back]) b.destroy()
  return { numbers }
}

/** What the real compiler makes of a program: its numbers, or why there are none. */
async function theirs({ source, at, count }) {
  peer ??= await loadPeer()
  const made = peer({ file: `/p${Math.random().toString(36).slice(2)}/gallery.slang`, source })
  if (made.dead) peer = undefined
  if (made.error !== undefined)
    return { refused: /error (\d+: [^\n]*)/.exec(made.error)?.[1] ?? made.error.split('\n')[0] }
  return runTheirs(made.code, at, count)
}

const jobs = { ours, theirs }

process.on('message', job => {
  const answer = (async () => {
    device ??= await openDevice()
    return jobs[job.who](job)
  })().catch(error => ({ failed: String(error?.message ?? error) }))
  void answer.then(it => process.send(it))
})
process.on('disconnect', () => process.exit(0))
