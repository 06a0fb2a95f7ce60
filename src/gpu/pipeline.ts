/** The pipeline of an entry point, and the layouts of its bind groups. */
import type { BindingInfo, EntryReflection } from '../index.ts'
import type { Signature } from './signature.ts'
import type { Slot } from './uniform-slots.ts'
import { computeStage } from './usage.ts'

/** A compiled entry point. New code with the same bindings replaces its pipeline. */
export interface Compiled {
  pipeline: GPUComputePipeline
  readonly layout: GPUPipelineLayout
  readonly layouts: readonly GPUBindGroupLayout[]
}

/** An entry point of a module, which is compiled when it first runs. */
export interface Code {
  readonly signature: Signature
  module: GPUShaderModule
  compiled?: Compiled | undefined
  compiling?: Promise<Compiled> | undefined
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
export function layoutsOf(signature: Signature): Omit<Compiled, 'pipeline'> {
  const { device, name, bindings, context } = signature
  const buffers = bindings.filter(b => b.kind === 'storage' || b.kind === 'read-only-storage').length
  device.needs('maxStorageBuffersPerShaderStage', buffers, `${name} uses ${buffers} storage buffers`)
  const hasOffsets = isDynamic(signature)
  const layoutOf = ({ handle, kind }: BindingInfo): Partial<GPUBindGroupLayoutEntry> =>
    handle === null
      ? { buffer: { type: kind as GPUBufferBindingType, hasDynamicOffset: kind === 'uniform' && hasOffsets } }
      : context.parts.textures!.handleLayout(handle)
  const layouts = Array.from({ length: Math.max(-1, ...bindings.map(b => b.group)) + 1 }, (_, group) =>
    device.gpu.createBindGroupLayout({
      entries: bindings
        .filter(b => b.group === group)
        .map(b => ({ binding: b.binding, visibility: computeStage, ...layoutOf(b) })),
    }),
  )
  return { layouts, layout: device.gpu.createPipelineLayout({ bindGroupLayouts: layouts }) }
}

/** What a pipeline is made of. */
export function descriptorOf(
  module: GPUShaderModule,
  { target }: EntryReflection,
  { layout }: Omit<Compiled, 'pipeline'>,
): GPUComputePipelineDescriptor {
  return { layout, compute: { module, entryPoint: target } }
}

/** Compiles at once. What the device refuses it says to the error scope that is open. */
export function compileAtOnce(code: Code): Compiled {
  const { module, signature } = code
  if (code.compiled === undefined) {
    const layouts = layoutsOf(signature)
    const pipeline = signature.device.gpu.createComputePipeline(descriptorOf(module, signature.entry, layouts))
    code.compiled = { ...layouts, pipeline }
  }
  return code.compiled
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
