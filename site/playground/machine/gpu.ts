/** Runs a planned program on a WebGPU device. */
import type { Program } from 'cotangent'
import { attach, type BoundKernel } from 'cotangent/gpu'
import { Blit } from './blit.ts'
import { valueAt, type BufferPlan, type Moment, type Plan, type TexturePlan } from './plan.ts'
import { printedWords, textOfWords } from './printing.ts'
import { Raster } from './raster.ts'
import { contents, put, type Picture, type Runner } from './runner.ts'
import { awaited } from './server.ts'
import { formatOf, pictureOf, texelBytes } from './texels.ts'
import type { Plain } from './values.ts'

/** The format of a picture that shaders draw. */
const drawnFormat = 'rgba8unorm'

/** Makes ready to run: pipelines are compiled, and resources filled. Throws what the device refuses. */
export async function gpuRunner(
  program: Program,
  plan: Plan,
  device: GPUDevice,
  context: GPUCanvasContext | OffscreenCanvasRenderingContext2D | undefined,
  strings: ReadonlyMap<number, string>,
  size: readonly [number, number],
): Promise<Runner> {
  const owned: { destroy(): void }[] = []
  const own = <T extends { destroy(): void }>(made: T): T => {
    owned.push(made)
    return made
  }
  const end = (): void => {
    for (const o of owned.splice(0)) o.destroy()
  }
  try {
    return await ready()
  } catch (cause) {
    end()
    throw cause
  }

  async function ready(): Promise<Runner> {
    let texts = ''
    const buffers = new Map(plan.buffers.map(b => [b.name, own(filled(device, b))]))
    const textures = new Map(plan.textures.map(t => [t.name, own(black(device, t))]))
    const samplers = new Map(
      plan.reflection.bindings
        .filter(b => b.kind === 'sampler')
        .map(b => [
          b.name,
          device.createSampler(
            samplerOf(b.handle?.kind === 'sampler' ? b.handle.sampler : 'filtering', plan.repeating.has(b.name)),
          ),
        ]),
    )
    const uses = (entry: { readonly bindings: readonly string[] }, name: string): boolean =>
      entry.bindings.includes(name)
    const uniformsOf = (
      kernel: { readonly name: string; readonly bindings: readonly string[] },
      moment: Moment,
    ): Record<string, Plain> =>
      Object.fromEntries(
        plan.uniforms
          .filter(u => uses(kernel, u.binding) && (u.entry === null || u.entry === kernel.name))
          .map(u => [u.name, valueAt(u, moment)]),
      )
    const start: Moment = { seconds: 0, frame: 0, mouse: [0, 0, 0, 0], keys: new Set(), controls: {} }
    // Errors of making pipelines reach `ready`; the rest of this scope's are ours to say.
    const attached =
      plan.calls.length > 0 ? await attach(program, device, { print: text => (texts += text) }) : undefined
    const bound: BoundKernel[] = plan.calls.map(({ kernel }) =>
      own(
        attached!
          .kernel(kernel.name)
          .bind({
            buffers: only(buffers, kernel.bindings),
            uniforms: uniformsOf(kernel, start),
            textures: only(textures, kernel.bindings),
            samplers: only(samplers, kernel.bindings),
          }),
      ),
    )
    const drawn =
      plan.raster === undefined
        ? undefined
        : own(
            device.createTexture({
              size: [...size],
              format: drawnFormat,
              usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_SRC,
            }),
          )
    const raster =
      plan.raster === undefined
        ? undefined
        : await Raster.make(device, program, plan, drawnFormat, { buffers, textures, samplers })
    if (raster !== undefined) own(raster)
    const shown = drawn ?? (plan.shown === undefined ? undefined : textures.get(plan.shown.name))
    const shownFormat = drawn === undefined ? plan.shown?.format : drawnFormat
    const blit =
      shown === undefined || context === undefined || 'putImageData' in context
        ? undefined
        : new Blit(device, context, shown, formatOf(shownFormat!)!.channels === 1)
    for (const k of bound) await k.ready

    return {
      threads: undefined,
      async frame(moment, isFirst) {
        if (buffers.has(printedWords)) device.queue.writeBuffer(buffers.get(printedWords)!, 0, new Uint32Array(1))
        const encoder = device.createCommandEncoder()
        plan.calls.forEach(({ kernel, groups, once }, i) => {
          if (once && !isFirst) return
          Object.assign(bound[i]!.uniforms, uniformsOf(kernel, moment))
          const pass = encoder.beginComputePass()
          if ('buffer' in groups) bound[i]!.encodeIndirect(pass, buffers.get(groups.buffer)!, groups.offset)
          else bound[i]!.encode(pass, groups)
          pass.end()
        })
        raster?.encode(encoder, drawn!, moment)
        blit?.encode(encoder)
        device.queue.submit([encoder.finish()])
        attached?.submitted()
        await awaited(device.queue.onSubmittedWorkDone())
        if (shown === undefined || context === undefined || !('putImageData' in context)) return
        const picture = await awaited(readPicture(device, shown, shownFormat!))
        if (picture !== undefined) put(context, picture)
      },
      async printed() {
        for (const k of bound) await awaited(k.flush())
        const words = plan.buffers.find(b => b.name === printedWords)
        const bytes =
          words && (await awaited(readBuffer(device, buffers.get(printedWords)!, words.elements * words.stride)))
        const text = texts + (bytes === undefined ? '' : textOfWords(new Uint32Array(bytes.buffer), strings))
        texts = ''
        return text
      },
      bytes: ({ name, elements, stride }: BufferPlan, most) =>
        awaited(readBuffer(device, buffers.get(name)!, Math.min(most, elements * stride))),
      picture: () =>
        shown === undefined ? Promise.resolve(undefined) : awaited(readPicture(device, shown, shownFormat!)),
      end,
    }
  }
}

function only<T>(all: ReadonlyMap<string, T>, names: readonly string[]): Record<string, T> {
  return Object.fromEntries([...all].filter(([name]) => names.includes(name)))
}

function filled(device: GPUDevice, plan: BufferPlan): GPUBuffer {
  const bytes = contents(plan)
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST | GPUBufferUsage.INDIRECT
  const buffer = device.createBuffer({ size: bytes.byteLength, usage })
  // Memory of a device begins as zeros.
  if (plan.fill === 'random') device.queue.writeBuffer(buffer, 0, bytes)
  return buffer
}

function black(device: GPUDevice, { size, format, dimension, written }: TexturePlan): GPUTexture {
  const role = written ? GPUTextureUsage.STORAGE_BINDING : 0
  return device.createTexture({
    size: [...size],
    format: format as GPUTextureFormat,
    dimension,
    usage: role | GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_SRC | GPUTextureUsage.COPY_DST,
  })
}

function samplerOf(kind: 'filtering' | 'non-filtering' | 'comparison', repeats: boolean): GPUSamplerDescriptor {
  const address = repeats ? 'repeat' : 'clamp-to-edge'
  const filter = kind === 'non-filtering' ? 'nearest' : 'linear'
  return {
    addressModeU: address,
    addressModeV: address,
    addressModeW: address,
    minFilter: filter,
    magFilter: filter,
    mipmapFilter: filter,
    ...(kind === 'comparison' ? { compare: 'less' as const } : {}),
  }
}

async function readBuffer(device: GPUDevice, buffer: GPUBuffer, bytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const size = Math.min(buffer.size, Math.ceil(bytes / 4) * 4)
  const copy = device.createBuffer({ size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST })
  const encoder = device.createCommandEncoder()
  encoder.copyBufferToBuffer(buffer, 0, copy, 0, size)
  device.queue.submit([encoder.finish()])
  await copy.mapAsync(GPUMapMode.READ)
  const read = new Uint8Array(copy.getMappedRange().slice(0, bytes))
  copy.destroy()
  return read
}

async function readPicture(device: GPUDevice, texture: GPUTexture, name: string): Promise<Picture | undefined> {
  const format = formatOf(name)
  if (format === undefined) return undefined
  const { width, height } = texture
  const row = width * texelBytes(format)
  // WebGPU wants rows at multiples of 256 bytes.
  const bytesPerRow = Math.ceil(row / 256) * 256
  const copy = device.createBuffer({
    size: bytesPerRow * height,
    usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
  })
  const encoder = device.createCommandEncoder()
  encoder.copyTextureToBuffer({ texture }, { buffer: copy, bytesPerRow }, [width, height])
  device.queue.submit([encoder.finish()])
  await copy.mapAsync(GPUMapMode.READ)
  const mapped = new Uint8Array(copy.getMappedRange())
  const bytes = new Uint8Array(row * height)
  for (let y = 0; y < height; y++) bytes.set(mapped.subarray(y * bytesPerRow, y * bytesPerRow + row), y * row)
  copy.destroy()
  const data = pictureOf(format, bytes)
  return data && { size: [width, height], data }
}
