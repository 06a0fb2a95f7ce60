/** The pipeline of an entry point, and the layouts of its bind groups. */
import type { BindingInfo } from '../index.ts'
import { errorOf, GpuError, refuse } from './error.ts'
import type { Signature } from './signature.ts'
import type { Slot } from './uniform-slots.ts'
import { computeStage } from './usage.ts'

/** A compiled entry point. New code with the same bindings replaces its pipeline. */
export interface Compiled {
  pipeline: GPUComputePipeline
  readonly layouts: readonly GPUBindGroupLayout[]
}

/** The uniform buffers of a group in the order in which WebGPU takes their offsets. */
export function uniformsOf(bindings: readonly BindingInfo[], group?: number): readonly BindingInfo[] {
  return bindings
    .filter(b => b.kind === 'uniform' && (group === undefined || b.group === group))
    .sort((a, b) => a.binding - b.binding)
}

/** Whether uniform buffers get their offsets when they are bound. A device allows that for some, and one dispatch can do without. */
export function isDynamic({ device, bindings }: Signature): boolean {
  return uniformsOf(bindings).length <= device.limits.maxDynamicUniformBuffersPerPipelineLayout
}

/** Makes the layouts of bind groups. Throws a `GpuError` where the device grants too few storage buffers. */
function describe(
  module: GPUShaderModule,
  signature: Signature,
): { readonly layouts: readonly GPUBindGroupLayout[]; readonly descriptor: GPUComputePipelineDescriptor } {
  const { device, name, entry, bindings, parts } = signature
  const buffers = bindings.filter(b => b.kind === 'storage' || b.kind === 'read-only-storage').length
  const allowed = device.limits.maxStorageBuffersPerShaderStage
  if (buffers > allowed)
    refuse(
      'DeviceError',
      `${name} uses ${buffers} storage buffers, and the device allows ${allowed}: ask for more by requestDevice({ requiredLimits: { maxStorageBuffersPerShaderStage: ${buffers} } })`,
    )
  const hasOffsets = isDynamic(signature)
  const layoutOf = ({ handle, kind }: BindingInfo): Partial<GPUBindGroupLayoutEntry> =>
    handle === null
      ? { buffer: { type: kind as GPUBufferBindingType, hasDynamicOffset: kind === 'uniform' && hasOffsets } }
      : parts.textures!.handleLayout(handle)
  const layouts = Array.from({ length: Math.max(-1, ...bindings.map(b => b.group)) + 1 }, (_, group) =>
    device.gpu.createBindGroupLayout({
      entries: bindings
        .filter(b => b.group === group)
        .map(b => ({ binding: b.binding, visibility: computeStage, ...layoutOf(b) })),
    }),
  )
  const layout = device.gpu.createPipelineLayout({ bindGroupLayouts: layouts })
  return { layouts, descriptor: { layout, compute: { module, entryPoint: entry.target } } }
}

/** Compiles without holding up anything else. Throws a `GpuError` where the device refuses. */
export async function compile(module: GPUShaderModule, signature: Signature): Promise<Compiled> {
  const { device, name } = signature
  const { layouts, descriptor } = await device.scoped(name, () => describe(module, signature))
  try {
    return { pipeline: await device.until(device.gpu.createComputePipelineAsync(descriptor)), layouts }
  } catch (cause) {
    if (cause instanceof GpuError) throw cause
    return refuse('DeviceError', `${name}: ${errorOf(cause).message}`)
  }
}

/** Compiles at once. What the device refuses it says to the error scope that is open. */
export function compileAtOnce(module: GPUShaderModule, signature: Signature): Compiled {
  const { layouts, descriptor } = describe(module, signature)
  return { pipeline: signature.device.gpu.createComputePipeline(descriptor), layouts }
}

/** Sets the pipeline and the bind groups of a pass. */
export function setPipeline(pass: GPUComputePassEncoder, { pipeline }: Compiled, { groups, offsets }: Slot): void {
  pass.setPipeline(pipeline)
  for (let i = 0; i < groups.length; i++) {
    const own = offsets[i]
    if (own === undefined || own.length === 0) pass.setBindGroup(i, groups[i])
    else pass.setBindGroup(i, groups[i], own)
  }
}
