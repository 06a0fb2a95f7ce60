/**
 * Textures and samplers. An IR type names the source's texture type and the type of its texels. An access is a call of a target
 * intrinsic, which only targets with textures have. WGSL reads and writes four channels; `T` has the first few of them.
 */
import type { Fn } from './context.ts'
import * as t from '../ir/type.ts'
import type { Type } from '../ir/type.ts'
import type { Value } from '../ir/value.ts'
import { convert } from './convert.ts'
import { callExternal } from './external.ts'

/** What the accesses of the library do, by the WGSL function that each is. */
const accesses: ReadonlyMap<string, 'query' | 'load' | 'store' | 'sample' | 'compare'> = new Map([
  ['textureDimensions', 'query'],
  ['textureNumLayers', 'query'],
  ['textureNumLevels', 'query'],
  ['textureNumSamples', 'query'],
  ['textureLoad', 'load'],
  ['textureStore', 'store'],
  ['textureSample', 'sample'],
  ['textureSampleBias', 'sample'],
  ['textureSampleGrad', 'sample'],
  ['textureSampleLevel', 'sample'],
  ['textureGather', 'sample'],
  ['textureSampleCompare', 'compare'],
  ['textureSampleCompareLevel', 'compare'],
  ['textureGatherCompare', 'compare'],
])

/** Whether an intrinsic of the library is an access to a texture: `textureLoad`, or `textureLoad.0` with a variant. */
export function isTextureAccess(intrinsic: string): boolean {
  return accesses.has(intrinsic.split('.')[0]!)
}

/**
 * Emits an access to a texture: a call of the WGSL function of that name; undefined for a store. `args[0]` is the texture. The
 * source has coordinates, layer and level in one vector, and WGSL has them apart.
 */
export function textureAccess(fn: Fn, intrinsic: string, args: readonly Value[], result: Type): Value | undefined {
  const { b } = fn
  const texture = args[0]!
  if (texture.type.kind === 'struct') {
    const own = fn.cx.textureEmulation?.access(fn, intrinsic, args, result)
    return own === null ? callExternal(fn, intrinsic, [], result, true) : own
  }
  const kind = texture.type.elem!.handle as t.Texture
  const [name, variant] = intrinsic.split('.') as [string, string | undefined]
  const access = accesses.get(name)
  if (access === 'query') return callExternal(fn, name, args, result, true)
  if (access === 'store') {
    callExternal(fn, name, [texture, ...place(fn, kind, args[1]!), widen(fn, args[2]!)], t.voidType, false)
    return undefined
  }
  if (access === 'load') {
    const isStorage = kind.access !== 'read'
    const [at, ...level] = place(fn, kind, args[1]!)
    if (!isStorage && variant !== undefined) level.push(b.const(t.i32, 0))
    // The second operand is a sample, or whole texels to the side.
    const second = args[2]
    const texel = second !== undefined && !kind.isMultisampled ? b.add(at!, second) : at!
    if (second !== undefined && kind.isMultisampled) level.push(second)
    return convert(fn, callExternal(fn, name, [texture, texel, ...level], four(result), !isStorage)!, result)
  }
  const sampling =
    args[1]!.type.kind === 'struct'
      ? [texture]
      : [texture, args[1]!, ...(kind.isArray ? layered(fn, args[2]!) : [args[2]!]), ...args.slice(3)]
  if (access === 'compare') return callExternal(fn, name, sampling, result, true)
  if (kind.texel.scalar !== 'f32' && kind.texel.scalar !== 'f16') fn.unsupported('sampling a texture of integers')
  if (variant !== undefined) return callExternal(fn, name, [b.const(t.i32, Number(variant)), ...sampling], result, true)
  return convert(fn, callExternal(fn, name, sampling, t.vec(t.f32, 4), true)!, result)
}

/** The coordinates of a texel, then the layer, then the level or sample, as far as the vector has them. */
function place(fn: Fn, { shape }: t.Texture, at: Value): Value[] {
  if (at.type.kind === 'scalar') return [at]
  const { b } = fn
  const count = shape === '1D' ? 1 : shape === '3D' ? 3 : 2
  const coordinates =
    count === 1
      ? b.extract(at, 0)
      : count === at.type.count
        ? at
        : b.swizzle(
            at,
            Array.from({ length: count }, (_, i) => i),
          )
  return [coordinates, ...Array.from({ length: at.type.count - count }, (_, i) => b.extract(at, count + i))]
}

/** Coordinates of an array of textures, and the number of the texture, which rounds. */
function layered(fn: Fn, at: Value): Value[] {
  const { b } = fn
  const last = at.type.count - 1
  const layer = callExternal(fn, 'round', [b.extract(at, last)], t.f32, true)!
  return [
    b.swizzle(
      at,
      Array.from({ length: last }, (_, i) => i),
    ),
    b.convert(layer, t.i32),
  ]
}

const four = (type: Type): Type => t.vec(type.scalar === 'f16' ? t.f32 : t.scalars[type.scalar!], 4)

/** A value with fewer channels as one with four. */
export function widen(fn: Fn, value: Value): Value {
  const { b } = fn
  const scalar = value.type.scalar === 'f16' ? t.f32 : t.scalars[value.type.scalar!]
  const lanes = (
    value.type.kind === 'scalar' ? [value] : Array.from({ length: value.type.count }, (_, i) => b.extract(value, i))
  ).map(v => b.convert(v, scalar))
  while (lanes.length < 4) lanes.push(b.zero(scalar))
  return b.construct(t.vec(scalar, 4), lanes)
}
