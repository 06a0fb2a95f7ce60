/** The textures and samplers of a kernel: objects of the device are bound as they are, and plain descriptions become new ones. */
import type { BindingInfo, HandleInfo } from '../index.ts'
import { wrongSampler, wrongTexture } from '../host/texture.ts'
import type { TextureData, TextureSource } from './options.ts'
import type { BoundTexture } from './parts.ts'
import { copyBuffer, isObject, refuse, refuseIf, shown, type Device, type Own, type Read } from './core.ts'

const textureUsage = { COPY_SRC: 0x1, COPY_DST: 0x2, TEXTURE_BINDING: 0x4, STORAGE_BINDING: 0x8 } as const

/** The layout entry of a texture or sampler. */
export function handleLayout(handle: HandleInfo): Partial<GPUBindGroupLayoutEntry> {
  switch (handle.kind) {
    case 'texture':
      return {
        texture: {
          viewDimension: handle.texture.dimension,
          sampleType: handle.texture.sampleType,
          multisampled: handle.texture.multisampled,
        },
      }
    case 'storage-texture': {
      const { dimension, format, access } = handle.storageTexture
      return { storageTexture: { viewDimension: dimension, format: format as GPUTextureFormat, access } }
    }
    case 'sampler':
      return { sampler: { type: handle.sampler } }
  }
}

/** Bytes of a texel, by the size of a channel and their number; 0 for formats that cannot be filled from here. */
function texelSize(format: string): number {
  const [, channels, bits] = /^(r|rg|rgba|bgra)(8|16|32)(unorm|snorm|uint|sint|float)(-srgb)?$/.exec(format) ?? []
  return channels === undefined ? 0 : (channels.length * Number(bits)) / 8
}

function formatOf(info: BindingInfo, given: TextureData): GPUTextureFormat {
  if (given.format !== undefined) return given.format as GPUTextureFormat
  if (info.handle?.kind === 'storage-texture') return info.handle.storageTexture.format as GPUTextureFormat
  if (given.data instanceof Uint8Array || given.data instanceof Uint8ClampedArray) return 'rgba8unorm'
  const type = info.handle?.kind === 'texture' ? info.handle.texture.sampleType : 'float'
  return type === 'sint'
    ? 'rgba32sint'
    : type === 'uint'
      ? 'rgba32uint'
      : type === 'depth'
        ? 'depth32float'
        : 'rgba32float'
}

/** Binds what was given for a texture. Throws a `GpuError` where it does not fit. */
export function bindTexture(
  device: GPUDevice,
  info: BindingInfo,
  given: TextureSource | undefined,
  kernel: string,
  own: Own,
): BoundTexture {
  if (given === undefined) refuse('MissingTexture', `${kernel} needs the texture ${info.name}`)
  if (!isObject(given))
    return refuse('WrongTexture', `${info.name}: expected a texture, a view or { size, data }, got ${shown(given)}`)
  const handle = info.handle!
  const dimension =
    handle.kind === 'texture'
      ? handle.texture.dimension
      : handle.kind === 'storage-texture'
        ? handle.storageTexture.dimension
        : '2d'
  const bound = (view: GPUTextureView): BoundTexture => ({
    view,
    texture: undefined,
    size: [0, 0, 0],
    bytesPerRow: 0,
    into: undefined,
  })
  if ('createView' in given) {
    return bound(given.createView({ dimension, ...(handle.kind === 'storage-texture' ? { mipLevelCount: 1 } : {}) }))
  }
  const isPlain = [null, Object.prototype].includes(Object.getPrototypeOf(given) as object | null)
  if (isPlain || 'size' in given) refuseIf('WrongTexture', wrongTexture(info.name, given, 3))
  if (!('size' in given)) return bound(given)
  const [width = 1, height = 1, depth = 1] = given.size
  const format = formatOf(info, given)
  const bytes = texelSize(format)
  const expected = width * height * depth * bytes
  const { data } = given
  if (data !== undefined && (bytes === 0 || data.byteLength !== expected)) {
    const what =
      bytes === 0
        ? `no data, for ${format} cannot be filled`
        : `${expected} bytes for ${given.size.join(' × ')} texels of ${format}`
    refuse('WrongTexture', `${info.name}: expected ${what}, got ${data.byteLength} bytes`)
  }
  const role = handle.kind === 'storage-texture' ? textureUsage.STORAGE_BINDING : textureUsage.TEXTURE_BINDING
  const texture = own(
    device.createTexture({
      size: [width, height, depth],
      format,
      dimension: dimension === '1d' || dimension === '3d' ? dimension : '2d',
      usage: role | textureUsage.COPY_SRC | textureUsage.COPY_DST,
    }),
  )
  const bytesPerRow = width * bytes
  if (data !== undefined) {
    // A device does not read shared memory.
    const source = new Uint8Array(new Uint8Array(data.buffer, data.byteOffset, data.byteLength))
    device.queue.writeTexture({ texture }, source, { bytesPerRow, rowsPerImage: height }, [width, height, depth])
  }
  const writes = handle.kind === 'storage-texture' && handle.storageTexture.access !== 'read-only'
  return {
    view: texture.createView({ dimension }),
    texture,
    size: [width, height, depth],
    bytesPerRow,
    into: writes ? data : undefined,
  }
}

/** Gives the sampler, or a new one as described. Default: clamped at the edges, and linear unless it compares depths. */
export function bindSampler(
  device: GPUDevice,
  info: BindingInfo,
  given: GPUSampler | GPUSamplerDescriptor | undefined,
): GPUSampler {
  if (given !== undefined && isOf(given, 'GPUSampler')) return given as GPUSampler
  if (given !== undefined) refuseIf('WrongTexture', wrongSampler(info.name, given))
  const kind = info.handle?.kind === 'sampler' ? info.handle.sampler : 'filtering'
  const linear =
    kind === 'non-filtering' ? {} : ({ minFilter: 'linear', magFilter: 'linear', mipmapFilter: 'linear' } as const)
  return device.createSampler({ ...linear, ...(kind === 'comparison' ? { compare: 'less' } : {}), ...given })
}

/** Whether a value is an object of a device, whichever implementation made it. */
function isOf(given: object | null, kind: string): boolean {
  return Object.prototype.toString.call(given) === `[object ${kind}]` || given?.constructor?.name === kind
}

/** Records a copy of the texels of a texture that was made for one dispatch. Once it is mapped, they are taken to the caller's memory. */
export function readTexture(device: Device, encoder: GPUCommandEncoder, bound: BoundTexture, own: Own): Read {
  const { bytesPerRow, into } = bound
  const [width, height, depth] = bound.size
  // WebGPU wants rows at multiples of 256 bytes.
  const row = Math.ceil(bytesPerRow / 256) * 256
  const copy = own(copyBuffer(device, row * height * depth))
  const to = { buffer: copy, bytesPerRow: row, rowsPerImage: height }
  encoder.copyTextureToBuffer({ texture: bound.texture! }, to, [width, height, depth])
  return {
    copy,
    take: bytes => {
      const target = new Uint8Array(into!.buffer, into!.byteOffset, into!.byteLength)
      for (let y = 0; y < height * depth; y++)
        target.set(bytes.subarray(y * row, y * row + bytesPerRow), y * bytesPerRow)
    },
  }
}

/** How many texels a texture has, all levels together. `name` is what it is given for. */
export function texelsOf(texture: TextureSource, name: string): number {
  if ('size' in texture) return texture.size.reduce((a, b) => a * b, 1)
  if (!('mipLevelCount' in texture))
    return refuse('WrongTensor', `the size of ${name} is not known from a view: give the texture`)
  return Array.from(
    { length: texture.mipLevelCount },
    (_, k) => Math.max(texture.width >> k, 1) * Math.max(texture.height >> k, 1),
  ).reduce((a, b) => a + b, 0)
}

/** The address modes of a described sampler along x and y; undefined if they are unknown, or gradients are not defined for the sampler. */
export function addressing(
  sampler: GPUSampler | GPUSamplerDescriptor | undefined,
): readonly [number, number] | undefined {
  if (sampler === undefined) return [0, 0]
  const described = Object.keys(sampler).length > 0 || Object.getPrototypeOf(sampler) === Object.prototype
  const {
    addressModeU = 'clamp-to-edge',
    addressModeV = 'clamp-to-edge',
    magFilter = 'linear',
    minFilter = 'linear',
  } = sampler as GPUSamplerDescriptor
  if (!described || magFilter !== 'linear' || minFilter !== 'linear') return undefined
  const modes = ['clamp-to-edge', 'repeat', 'mirror-repeat']
  return [modes.indexOf(addressModeU), modes.indexOf(addressModeV)]
}
