/**
 * Textures and samplers. Their types carry the names that WGSL has for them, and what is done with them are calls of
 * functions that only targets with textures spell. WGSL reads and writes four channels; `T` has the first few of them.
 */
import * as t from '../ir/type.ts'
import type { Type } from '../ir/type.ts'
import type { Value } from '../ir/value.ts'
import { convert } from './convert.ts'
import { callExternal } from './external.ts'
import type { Fn } from './func.ts'

const storageFormats: Readonly<Record<string, string>> = {
  f32x1: 'r32float', f32x2: 'rg32float', f32x4: 'rgba32float', i32x1: 'r32sint', i32x2: 'rg32sint', i32x4: 'rgba32sint',
  u32x1: 'r32uint', u32x2: 'rg32uint', u32x4: 'rgba32uint', f16x4: 'rgba16float',
}

/** What WGSL calls a texture or sampler of the core library; undefined for other types. */
export function handleName(name: string, channel: Type | undefined): string | undefined {
  const scalar = channel?.scalar === undefined ? 'f32' : channel.scalar
  const lanes = channel === undefined ? 4 : t.lanes(channel)
  const format = storageFormats[`${scalar}x${lanes}`] ?? storageFormats[`${scalar}x4`] ?? 'rgba32float'
  switch (name) {
    case 'SamplerState': return 'sampler'
    case 'SamplerComparisonState': return 'sampler_comparison'
    case 'Texture2D': return `texture_2d<${scalar === 'f16' ? 'f32' : scalar}>`
    case 'RWTexture2D': return `texture_storage_2d<${format}, ${format.startsWith('r32') ? 'read_write' : 'write'}>`
    case 'WTexture2D': return `texture_storage_2d<${format}, write>`
    default: return undefined
  }
}

/** Emits an access to a texture; undefined for a store. `args[0]` is the texture. */
export function textureAccess(fn: Fn, name: string, args: readonly Value[], result: Type): Value | undefined {
  const { b } = fn
  const [texture, x, y] = args
  switch (name) {
    case 'textureSize': return callExternal(fn, 'textureDimensions', [texture!], t.vec(t.u32, 2), true)
    case 'textureLoad': {
      const at = x!
      const storage = texture!.type.elem!.name
      if (storage.startsWith('texture_storage') && !storage.includes('read_write')) {
        fn.unsupported('reading a texture that is also written, unless it has one 32-bit channel,')
      }
      if (at.type.count === 2) return narrow(fn, callExternal(fn, 'textureLoad', [texture!, at], four(result), false)!, result)
      return narrow(fn, callExternal(fn, 'textureLoad', [texture!, b.swizzle(at, [0, 1]), b.extract(at, 2)], four(result), true)!, result)
    }
    case 'textureStore': return callExternal(fn, 'textureStore', [texture!, x!, widen(fn, y!)], t.voidType, false)
    default: return narrow(fn, callExternal(fn, name, args, t.vec(t.f32, 4), true)!, result)
  }
}

const four = (type: Type): Type => t.vec(type.scalar === 'f16' ? t.f32 : t.scalars[type.scalar!], 4)

function narrow(fn: Fn, value: Value, type: Type): Value {
  return convert(fn, value, type)
}

function widen(fn: Fn, value: Value): Value {
  const { b } = fn
  const scalar = t.scalars[value.type.scalar!]
  const lanes = value.type.kind === 'scalar' ? [value] : Array.from({ length: value.type.count }, (_, i) => b.extract(value, i))
  while (lanes.length < 4) lanes.push(b.zero(scalar))
  return b.construct(t.vec(scalar, 4), lanes)
}
