/** The pipeline of an entry point, and the layouts of its bind groups. */
import type { BindingInfo } from '../index.ts'
import type { Device } from './device.ts'
import { GpuError } from './error.ts'
import type { Signature } from './signature.ts'
import { handleLayout } from './texture.ts'
import { computeStage } from './usage.ts'

/** A compiled entry point. */
export interface Compiled {
  readonly pipeline: GPUComputePipeline
  readonly layouts: readonly GPUBindGroupLayout[]
}

/** The uniform buffers of a group in the order in which WebGPU takes their offsets. */
export function uniformsOf(bindings: readonly BindingInfo[], group?: number): readonly BindingInfo[] {
  return bindings
    .filter(b => b.kind === 'uniform' && (group === undefined || b.group === group))
    .sort((a, b) => a.binding - b.binding)
}

/** Whether uniform buffers get their offsets when they are bound. A device allows that for some, and one dispatch can do without. */
export function isDynamic(device: Device, bindings: readonly BindingInfo[]): boolean {
  return uniformsOf(bindings).length <= device.limits.maxDynamicUniformBuffersPerPipelineLayout
}

/** Throws where a device grants too few storage buffers. */
function checkLimits(device: Device, { name, bindings }: Signature): void {
  const buffers = bindings.filter(b => b.kind === 'storage' || b.kind === 'read-only-storage').length
  const allowed = device.limits.maxStorageBuffersPerShaderStage
  if (buffers > allowed)
    throw new GpuError(
      'DeviceError',
      `${name} uses ${buffers} storage buffers, and the device allows ${allowed}: ask for more by requestDevice({ requiredLimits: { maxStorageBuffersPerShaderStage: ${buffers} } })`,
    )
}

function describe(
  device: Device,
  module: GPUShaderModule,
  { entry, bindings }: Signature,
): { readonly layouts: readonly GPUBindGroupLayout[]; readonly descriptor: GPUComputePipelineDescriptor } {
  const count = Math.max(-1, ...bindings.map(b => b.group)) + 1
  const hasDynamicOffset = isDynamic(device, bindings)
  const layouts = Array.from({ length: count }, (_, group) =>
    device.gpu.createBindGroupLayout({
      entries: bindings
        .filter(b => b.group === group)
        .map(b => ({
          binding: b.binding,
          visibility: computeStage,
          ...(b.handle === null
            ? {
                buffer: {
                  type: b.kind as GPUBufferBindingType,
                  hasDynamicOffset: b.kind === 'uniform' && hasDynamicOffset,
                },
              }
            : handleLayout(b.handle)),
        })),
    }),
  )
  const layout = device.gpu.createPipelineLayout({ bindGroupLayouts: layouts })
  return { layouts, descriptor: { layout, compute: { module, entryPoint: entry.target } } }
}

/** Compiles without holding up anything else. Throws a `GpuError` where the device refuses. */
export async function compile(device: Device, module: GPUShaderModule, signature: Signature): Promise<Compiled> {
  checkLimits(device, signature)
  const { layouts, descriptor } = await device.scoped(signature.name, () => describe(device, module, signature))
  try {
    return { pipeline: await device.until(device.gpu.createComputePipelineAsync(descriptor)), layouts }
  } catch (cause) {
    if (cause instanceof GpuError) throw cause
    throw new GpuError('DeviceError', `${signature.name}: ${cause instanceof Error ? cause.message : String(cause)}`)
  }
}

/** Compiles at once. What the device refuses it says to the error scope that is open. */
export function compileAtOnce(device: Device, module: GPUShaderModule, signature: Signature): Compiled {
  checkLimits(device, signature)
  const { layouts, descriptor } = describe(device, module, signature)
  return { pipeline: device.gpu.createComputePipeline(descriptor), layouts }
}
