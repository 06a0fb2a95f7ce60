/** The uniform buffers of a kernel, which lie one behind the other in one buffer of the device. */
import type { BindingInfo, DataType } from '../index.ts'
import { isObject } from '../host/given.ts'
import { roundTo } from './buffer.ts'
import { refuse } from './error.ts'
import type { DispatchOptions } from './options.ts'
import { pack } from './pack.ts'
import { uniformsOf } from './pipeline.ts'
import type { Entry } from './resources.ts'
import type { Given, Signature } from './signature.ts'
import type { UniformMemory, UniformPlace } from './uniform-values.ts'

/** A uniform buffer, and where it lies. */
interface Block {
  readonly info: BindingInfo
  readonly type: DataType
  readonly offset: number
  readonly size: number
}

export interface Uniforms {
  readonly blocks: readonly Block[]
  readonly memory: UniformMemory
  /** The entries of bind groups over a buffer with these contents. */
  readonly entries: (buffer: GPUBuffer) => Entry[]
}

/** Lays out the uniform buffers of a kernel, and fills them. Throws a `GpuError` for what is missing or does not fit. */
export function uniformsFor({ device, bindings }: Signature, { uniforms, foreign }: Given): Uniforms {
  let end = 0
  const blocks = uniformsOf(bindings).map((info): Block => {
    const { type, name } = info
    if (type === null || type.kind === 'void') return refuse('WrongUniform', `${name} cannot be set from here`)
    const offset = roundTo(end, device.limits.minUniformBufferOffsetAlignment)
    const size = roundTo(type.size, 16)
    end = offset + size
    return { info, type, offset, size }
  })
  const bytes = new Uint8Array(end)
  const view = new DataView(bytes.buffer)
  for (const { info, type, offset } of blocks) {
    // Uniforms outside of blocks are fields of one buffer, but the caller knows them one by one.
    const value = uniforms[info.name] ?? (info.name === 'globalParams' ? uniforms : undefined)
    pack(view, offset, type, value, info.name === 'globalParams' ? '' : info.name, foreign)
  }
  return {
    blocks,
    memory: { bytes, view, changes: 0 },
    entries: buffer =>
      blocks.map(({ info: { group, binding }, offset, size }) => ({
        group,
        binding,
        resource: { buffer, offset, size },
      })),
  }
}

/** The names under which callers set uniforms: those outside of blocks each by their own, also where the compiled text has another. */
export function placesOf(
  { own }: Signature,
  { blocks }: Uniforms,
  { uniforms, foreign }: Given,
  options: DispatchOptions,
): Iterable<UniformPlace> {
  const places = new Map<string, UniformPlace>()
  for (const { info, type, offset } of blocks) {
    if (info.name === 'globalParams' && type.kind === 'struct') {
      const add = (name: string, field: string): void => {
        const f = type.fields.find(of => of.name === field)
        if (f !== undefined) places.set(name, { name, type: f.type, offset: offset + f.offset, optional: new Set() })
      }
      for (const f of type.fields) add(f.name, f.name)
      for (const p of own) if (p.binding === info.name && p.field !== null) add(p.path.join('_'), p.field)
      continue
    }
    // Tensors describe themselves in fields that callers need not set.
    const fieldsOf = (block: unknown): string[] => (isObject(block) ? Object.keys(block) : [])
    const said = fieldsOf(options.uniforms?.[info.name])
    const optional = new Set([...foreign, ...fieldsOf(uniforms[info.name]).filter(name => !said.includes(name))])
    places.set(info.name, { name: info.name, type, offset, optional })
  }
  return places.values()
}
