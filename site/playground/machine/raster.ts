/**
 * Draws the picture with a fragment shader. Where the program has no vertex shader, a triangle covers the picture, and each input of the fragment
 * shader is the place in the picture, from 0 to 1, from its upper left.
 */
import type { DataType, EntryReflection, Program } from 'cotangent'
import { valueAt, type Moment, type Plan } from './plan.ts'
import { Failed } from './protocol.ts'
import { leavesOf, write, type Plain } from './values.ts'

interface Resources {
  readonly buffers: ReadonlyMap<string, GPUBuffer>
  readonly textures: ReadonlyMap<string, GPUTexture>
  readonly samplers: ReadonlyMap<string, GPUSampler>
}

interface Group {
  readonly index: number
  readonly group: GPUBindGroup
}

/** A block of uniforms. */
interface Block {
  readonly name: string
  readonly type: DataType
  readonly buffer: GPUBuffer
}

/** Vertices of a vertex shader: one triangle. */
const vertices = 3

export class Raster {
  readonly #device: GPUDevice
  readonly #plan: Plan
  readonly #pipeline: GPURenderPipeline
  readonly #groups: readonly Group[]
  readonly #blocks: readonly Block[]

  private constructor(
    device: GPUDevice,
    plan: Plan,
    pipeline: GPURenderPipeline,
    groups: readonly Group[],
    blocks: readonly Block[],
  ) {
    this.#device = device
    this.#plan = plan
    this.#pipeline = pipeline
    this.#groups = groups
    this.#blocks = blocks
  }

  /** Compiles the pipeline. Throws a `Failed` with what the device refuses. */
  static async make(
    device: GPUDevice,
    program: Program,
    plan: Plan,
    format: GPUTextureFormat,
    resources: Resources,
  ): Promise<Raster> {
    const { vertex, fragment } = plan.raster!
    const names = [fragment.name, ...(vertex === undefined ? [] : [vertex.name])]
    const { code, reflection } = program.wgsl({ entries: names })
    const find = (name: string): EntryReflection => reflection.entries.find(e => e.name === name)!
    const own = find(fragment.name)
    const module = device.createShaderModule({ code })
    const cover = vertex === undefined ? device.createShaderModule({ code: coverFor(own) }) : module
    const pipeline = await device
      .createRenderPipelineAsync({
        layout: 'auto',
        vertex: { module: cover, entryPoint: vertex === undefined ? 'cover' : find(vertex.name).target },
        fragment: { module, entryPoint: own.target, targets: [{ format }] },
      })
      .catch((cause: unknown) => {
        throw new Failed({
          message: `The device refuses ${names.join(' and ')}: ${cause instanceof Error ? cause.message : String(cause)}`,
        })
      })
    const used = new Set([...own.bindings, ...(vertex === undefined ? [] : find(vertex.name).bindings)])
    const known = reflection.bindings.filter(b => used.has(b.name))
    const blocks = known
      .filter(b => b.kind === 'uniform')
      .map(b => ({
        name: b.name,
        type: b.type!,
        buffer: device.createBuffer({
          size: Math.max(16, Math.ceil(b.type!.size / 16) * 16),
          usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
        }),
      }))
    const resourceOf = (name: string): GPUBindingResource => {
      const buffer = blocks.find(b => b.name === name)?.buffer ?? resources.buffers.get(name)
      if (buffer !== undefined) return { buffer }
      const resource = resources.textures.get(name)?.createView() ?? resources.samplers.get(name)
      if (resource === undefined) throw new Failed({ message: `${name}: fragment shaders that print are not run here` })
      return resource
    }
    const groups = [...new Set(known.map(b => b.group))].map(index => ({
      index,
      group: device.createBindGroup({
        layout: pipeline.getBindGroupLayout(index),
        entries: known.filter(b => b.group === index).map(b => ({ binding: b.binding, resource: resourceOf(b.name) })),
      }),
    }))
    return new Raster(device, plan, pipeline, groups, blocks)
  }

  encode(encoder: GPUCommandEncoder, into: GPUTexture, moment: Moment): void {
    for (const { name, type, buffer } of this.#blocks)
      this.#device.queue.writeBuffer(buffer, 0, this.#bytesOf(name, type, buffer.size, moment))
    const pass = encoder.beginRenderPass({
      colorAttachments: [{ view: into.createView(), loadOp: 'clear', storeOp: 'store' }],
    })
    pass.setPipeline(this.#pipeline)
    for (const { index, group } of this.#groups) pass.setBindGroup(index, group)
    pass.draw(vertices)
    pass.end()
  }

  destroy(): void {
    for (const { buffer } of this.#blocks) buffer.destroy()
  }

  #bytesOf(name: string, type: DataType, size: number, moment: Moment): ArrayBuffer {
    const bytes = new ArrayBuffer(size)
    const view = new DataView(bytes)
    const { fragment, vertex } = this.#plan.raster!
    const isOurs = (entry: string | null): boolean =>
      entry === null || entry === fragment.name || entry === vertex?.name
    for (const u of this.#plan.uniforms) {
      if (u.binding !== name || !isOurs(u.entry)) continue
      const value: Plain = valueAt(u, moment)
      if (u.field === null) write(view, 0, type, value)
      else if (type.kind === 'struct') {
        const field = type.fields.find(f => f.name === u.field)
        if (field !== undefined) write(view, field.offset, field.type, value)
      }
    }
    return bytes
  }
}

/** A vertex shader for a triangle that covers the picture, with the inputs that a fragment shader has. */
function coverFor({ inputs, name }: EntryReflection): string {
  const varyings = inputs.filter(i => i.location !== null)
  const declared = varyings.map(i => {
    const leaves = leavesOf(i.type)
    if (leaves.some(l => l.scalar !== 'f32') || leaves.length > 4)
      throw new Failed({
        message: `${name} has an input ${i.name} that is no float. Write a vertex shader that gives it.`,
      })
    const interpolation = i.interpolation === '' ? '' : `@interpolate(${i.interpolation}) `
    return `@location(${i.location}) ${interpolation}v${i.location}: ${leaves.length === 1 ? 'f32' : `vec${leaves.length}f`},`
  })
  const set = varyings.map(i => {
    const n = leavesOf(i.type).length
    return `out.v${i.location} = ${['uv.x', 'uv', 'vec3f(uv, 0)', 'vec4f(uv, 0, 1)'][n - 1]};`
  })
  return `struct Out { @builtin(position) position: vec4f, ${declared.join(' ')} }
@vertex fn cover(@builtin(vertex_index) i: u32) -> Out {
  var out: Out;
  let uv = vec2f(f32(i & 1u), f32(i >> 1u)) * 2;
  out.position = vec4f(uv.x * 2 - 1, 1 - uv.y * 2, 0, 1);
  ${set.join('\n  ')}
  return out;
}`
}
