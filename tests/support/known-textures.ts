/** Textures with texels that tests know, bound as reflection says. */
import type { BindingInfo, HandleInfo } from '../../src/index.ts'
import type { GpuResource } from './gpu.ts'

/** Texels of each texture in every direction. */
const side = 4
const layers: Readonly<Record<string, number>> = { '2d-array': 2, '3d': side, cube: 6, 'cube-array': 12 }

/** A texture whose texels say where they are, in a format that fits what reflection asks for. */
function texture(b: BindingInfo, handle: HandleInfo & { readonly kind: 'texture' }): GpuResource {
  const { dimension, sampleType } = handle.texture
  const depth = layers[dimension] ?? 1
  const height = dimension === '1d' ? 1 : side
  const texels = Array.from({ length: depth * height * side }, (_, i) => [
    i % side,
    Math.floor(i / side) % height,
    Math.floor(i / side / height),
    1,
  ])
  const [format, data, bytesPerTexel] =
    sampleType === 'float'
      ? (['rgba8unorm', new Uint8Array(texels.flat().map(x => x * 10)), 4] as const)
      : sampleType === 'depth'
        ? (['depth16unorm', new Uint16Array(texels.map(([x]) => (x! / side) * 65535)), 2] as const)
        : sampleType === 'sint'
          ? (['rgba32sint', new Int32Array(texels.flat()), 16] as const)
          : sampleType === 'uint'
            ? (['rgba32uint', new Uint32Array(texels.flat()), 16] as const)
            : (['rgba32float', new Float32Array(texels.flat()), 16] as const)
  const shape = dimension === '1d' || dimension === '3d' ? dimension : '2d'
  return {
    group: b.group,
    binding: b.binding,
    kind: 'texture',
    layout: { viewDimension: dimension, sampleType },
    texture: {
      size: shape === '1d' ? [side] : [side, height, depth],
      format,
      dimension: shape,
      mipLevelCount: shape === '1d' ? 1 : 2,
      data: new Uint8Array(data.buffer),
      bytesPerTexel,
      view: { dimension },
    },
  }
}

/** What to bind: textures of known texels, samplers that take the nearest, buffers of zeros. */
export function bindKnown(b: BindingInfo): GpuResource {
  const at = { group: b.group, binding: b.binding }
  const { handle } = b
  if (handle === null)
    return {
      ...at,
      kind: b.kind as 'storage',
      bytes: b.kind === 'uniform' ? new Uint8Array(new Float32Array([1, 2, 3, 4]).buffer) : new Uint8Array(16 * 32),
    }
  if (handle.kind === 'sampler')
    return {
      ...at,
      kind: 'sampler',
      layout: handle.sampler,
      sampler: handle.sampler === 'comparison' ? { compare: 'less' } : {},
    }
  if (handle.kind === 'texture') return texture(b, handle)
  const { dimension, format, access } = handle.storageTexture
  const shape = dimension === '1d' || dimension === '3d' ? dimension : '2d'
  return {
    ...at,
    kind: 'storage-texture',
    layout: { viewDimension: dimension, format, access },
    texture: {
      size: shape === '1d' ? [side] : [side, side, layers[dimension] ?? 1],
      format,
      dimension: shape,
      view: { dimension },
    },
  }
}
