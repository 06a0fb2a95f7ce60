/** A WebGPU device in Node, from the `webgpu` package (Dawn) where it is installed. */
import { UsageError } from './host.ts'

export interface Device {
  readonly device: GPUDevice
  readonly name: string
  /** Lets go of the device; the process may end. */
  close(): void
}

// Dawn stops when the object that made it is collected.
const kept: unknown[] = []

/** Finds a device; a clear message where there is none. */
export async function findDevice(): Promise<Device> {
  let create: (options: string[]) => GPU
  try {
    const module = 'webgpu'
    const found = await import(module) as { create: typeof create; globals: Record<string, unknown> }
    Object.assign(globalThis, found.globals)
    create = found.create
  } catch {
    throw new UsageError('--gpu needs WebGPU for Node: npm install webgpu', 1)
  }
  const gpu = create([])
  kept.push(gpu)
  const adapter = await gpu.requestAdapter()
  if (adapter === null) throw new UsageError('no WebGPU adapter was found; a software one is in Debian\'s chromium: set VK_ICD_FILENAMES=/usr/lib/chromium/vk_swiftshader_icd.json', 1)
  const { limits } = adapter
  const device = await adapter.requestDevice({ requiredLimits: { maxStorageBuffersPerShaderStage: limits.maxStorageBuffersPerShaderStage } })
  const { vendor, architecture, device: model, description } = adapter.info
  return { device, name: [description, model, architecture, vendor].find(s => s !== '') ?? 'unknown device', close: () => device.destroy() }
}
