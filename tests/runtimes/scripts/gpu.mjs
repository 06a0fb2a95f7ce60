// Runs on every runtime: the GPU host, on the runtime's own WebGPU or else that of npm's `webgpu`.
import { readFileSync } from 'node:fs'
import { compile } from 'cotangent'
import { attach } from 'cotangent/gpu'

let gpu = globalThis.navigator?.gpu
const own = gpu !== undefined
if (!own) {
  const { create, globals } = await import('webgpu')
  Object.assign(globalThis, globals)
  gpu = create([])
}
const adapter = await gpu.requestAdapter()
const device = await adapter.requestDevice()
const g = await attach(compile(readFileSync('program.slang', 'utf8')), device)
const o = new Float32Array([1, 2, 3, 4])
await g.kernel('main').dispatch([1, 1, 1], { buffers: { o }, uniforms: { k: 10 } })
console.log(JSON.stringify({ own, wrote: [...o] }))
// A device keeps a process alive.
process.exit(0)
