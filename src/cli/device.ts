/** A WebGPU device in Node, from the `webgpu` package (Dawn) where it is installed. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { UsageError, failures } from './usage.ts'

export interface Device {
  readonly device: GPUDevice
  readonly name: string
  /** Lets go of the device; the process may end. */
  close(): void
}

/** A Vulkan driver for any CPU, and the loader beside it, as Debian's chromium has them. */
const softwareDriver = '/usr/lib/chromium/vk_swiftshader_icd.json'

/** Where Linux keeps the manifests of its Vulkan drivers. */
const manifests = ['/usr/share/vulkan/icd.d', '/usr/local/share/vulkan/icd.d', '/etc/vulkan/icd.d']

/** Runs the same command with the software driver: where libraries are looked up is settled when a process starts. */
function againWithSoftware(): number {
  const env = {
    ...process.env,
    VK_ICD_FILENAMES: softwareDriver,
    XDG_RUNTIME_DIR: process.env['XDG_RUNTIME_DIR'] ?? tmpdir(),
    LD_LIBRARY_PATH: [process.env['LD_LIBRARY_PATH'], dirname(softwareDriver)]
      .filter(p => p !== undefined && p !== '')
      .join(':'),
  }
  return spawnSync(process.execPath, process.argv.slice(1), { env, stdio: 'inherit' }).status ?? 1
}

// Dawn stops when the object that made it is collected.
const kept: unknown[] = []

/** Finds a device; a clear message where there is none. */
export async function findDevice(): Promise<Device> {
  let create: (options: string[]) => GPU
  try {
    const found = (await import('webgpu')) as { create: typeof create; globals: Record<string, unknown> }
    Object.assign(globalThis, found.globals)
    create = found.create
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    // Another module may be what is missing: one that the package needs.
    const isMissing = (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') && /['"]webgpu['"]/.test(message)
    throw new UsageError(
      isMissing
        ? '--gpu needs WebGPU for Node: npm install webgpu'
        : `--gpu: the package webgpu is installed, but cannot be loaded: ${message.split('\n')[0]}`,
      1,
      failures.machine,
    )
  }
  const asked = process.env['VK_ICD_FILENAMES'] ?? softwareDriver
  const hasLoader = process.env['LD_LIBRARY_PATH']?.split(':').includes(dirname(softwareDriver)) === true
  const canFallBack = asked === softwareDriver && !hasLoader && existsSync(softwareDriver)
  // Where there is no other driver, asking for one only makes Dawn print a warning.
  if (canFallBack && !manifests.some(existsSync)) process.exit(againWithSoftware())
  const gpu = create([])
  kept.push(gpu)
  const adapter = await gpu.requestAdapter()
  if (adapter === null) {
    if (canFallBack) process.exit(againWithSoftware())
    throw new UsageError(
      "no WebGPU adapter was found; Debian's package chromium brings one that needs no GPU",
      1,
      failures.machine,
    )
  }
  const { limits } = adapter
  const device = await adapter.requestDevice({
    requiredLimits: { maxStorageBuffersPerShaderStage: limits.maxStorageBuffersPerShaderStage },
  })
  const { vendor, architecture, device: model, description } = adapter.info
  return {
    device,
    name: [description, model, architecture, vendor].find(s => s !== '') ?? 'unknown device',
    close: () => device.destroy(),
  }
}
