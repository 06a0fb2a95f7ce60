/** Runs a kernel once and reads back what it wrote. `dispatch` loads this file when it is first called. */
import type { BindingInfo } from '../index.ts'
import type { BufferData, DispatchOptions, DispatchResult, Groups } from './options.ts'
import {
  bindGroups,
  bindResources,
  bytesOf,
  descriptorOf,
  errorOf,
  GpuError,
  layoutsOf,
  refuse,
  type Compiled,
  copyBuffer,
  isDynamic,
  put,
  readBack,
  recordCopy,
  roundTo,
  setPipeline,
  storageBuffer,
  uniformsFor,
  uniformsOf,
  unpack,
  usage,
  write,
  type Code,
  type PassageFor,
  type Entry,
  type Plain,
  type Read,
} from './core.ts'

/** Submits one dispatch, and waits for what it writes. */
export async function run(
  code: Code,
  groups: Groups,
  options: DispatchOptions,
  passages?: PassageFor,
): Promise<DispatchResult> {
  const { signature } = code
  const { device, name, bindings, context } = signature
  device.check()
  const counts = signature.checkGroups(groups)
  const given = signature.prepare(options)
  const uniforms = uniformsFor(signature, given)
  const compiled = await compile(code)
  const results: Record<string, BufferData> = {}
  await readBack(device, name, (encoder, own) => {
    const reads: (() => Read)[] = []
    const { entries, output } = bindResources(signature, given, own, {
      buffer: (info, bytes, data) => {
        const size = roundTo(bytes.length, 4)
        const passage = passages?.(info, data, size)
        const buffer = passage?.buffer ?? own(storageBuffer(signature, size))
        if (passage?.zero === true) encoder.clearBuffer(buffer)
        else write(device, buffer, 0, bytes)
        reads.push(() => {
          const copy = passage?.copy ?? own(copyBuffer(device, size))
          recordCopy(encoder, buffer, copy)
          return { copy, take: left => put(results, info.name, written(left.subarray(0, bytes.length), data, info)) }
        })
        return buffer
      },
      texture: bound => reads.push(() => context.parts.textures!.readTexture(device, encoder, bound, own)),
    })
    if (output !== undefined) reads.push(() => context.parts.prints!.readOutput(signature, encoder, output, own))
    const all: Entry[] = [...entries]
    const { bytes } = uniforms.memory
    if (bytes.length > 0) {
      const buffer = own(device.gpu.createBuffer({ size: bytes.length, usage: usage.UNIFORM | usage.COPY_DST }))
      write(device, buffer, 0, bytes)
      all.push(...uniforms.entries(buffer))
    }
    const offsets = compiled.layouts.map((_, group) =>
      isDynamic(signature) ? uniformsOf(bindings, group).map(() => 0) : [],
    )
    const pass = encoder.beginComputePass()
    setPipeline(pass, compiled, { groups: bindGroups(signature, compiled, all), offsets })
    pass.dispatchWorkgroups(...counts)
    pass.end()
    return reads.map(read => read())
  })
  return results
}

/** What a caller gave, with the bytes that a kernel left: memory is written in place, plain values are made anew. */
function written(bytes: Uint8Array, data: BufferData, info: BindingInfo): BufferData {
  const memory = bytesOf(data)
  if (memory !== undefined) {
    memory.set(bytes)
    return data
  }
  return unpack(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), 0, info.type!) as readonly Plain[]
}

/** Compiles without holding up anything else. Throws a `GpuError` where the device refuses. */
export async function compile(code: Code): Promise<Compiled> {
  const { device } = code.signature
  device.check()
  return (code.compiled ??= await device.until((code.compiling ??= compileAside(code))))
}

async function compileAside({ module, signature }: Code): Promise<Compiled> {
  const { device, name, entry } = signature
  const { result: layouts, accepted } = device.watched(name, () => layoutsOf(signature))
  await accepted
  try {
    const pipeline = device.gpu.createComputePipelineAsync(descriptorOf(module, entry, layouts))
    return { ...layouts, pipeline: await device.until(pipeline) }
  } catch (cause) {
    if (cause instanceof GpuError) throw cause
    return refuse('DeviceError', `${name}: ${errorOf(cause).message}`)
  }
}
