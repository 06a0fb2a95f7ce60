/** The WebGPU device of a script in a process of its own. */
import { create } from 'webgpu'

// Dawn stops when the object that made it is collected.
const kept: unknown[] = []

export async function openDevice(): Promise<GPUDevice> {
  const gpu = create([])
  const adapter = await gpu.requestAdapter()
  if (adapter === null) throw new Error('no WebGPU adapter')
  kept.push(gpu, adapter)
  return adapter.requestDevice()
}
