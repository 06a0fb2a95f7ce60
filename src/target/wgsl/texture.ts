/**
 * Textures and samplers as WGSL declares them. The kind follows from the type in the source and from uses: a texture that is
 * compared is a depth texture, and one that is written and read is `read_write`.
 */
import type { Sink } from '../../base/diag.ts'
import { formatNotInTarget, readWriteInTarget, textureNotInTarget } from '../../base/errors/target.ts'
import type { Builder } from '../../ir/build.ts'
import * as t from '../../ir/type.ts'
import type { Global, Value } from '../../ir/value.ts'
import { walk } from '../../ir/walk.ts'
import { constantOf } from './expand.ts'
import { intrinsicOf, type Intrinsic } from './intrinsic.ts'
import type { Reach } from './reach.ts'
import type { HandleInfo, TextureDimension } from '../reflect.ts'

/** The uses of a texture or sampler by entry points. */
interface Use {
  reads: boolean
  writes: boolean
  samples: boolean
  compares: boolean
  /** For a sampler: the textures that it samples. */
  readonly textures: Set<Global>
}

/** The uses of each reached texture and sampler. */
export function textureUses({ funcs, intrinsics }: Reach): ReadonlyMap<Global, Use> {
  const uses = new Map<Global, Use>()
  if (![...intrinsics].some(i => i.texture !== undefined)) return uses
  const useOf = (global: Global): Use => {
    let use = uses.get(global)
    if (use === undefined)
      uses.set(global, (use = { reads: false, writes: false, samples: false, compares: false, textures: new Set() }))
    return use
  }
  for (const func of funcs) {
    walk(func.body!, inst => {
      if (inst.op !== 'call') return
      const intrinsic = intrinsicOf(inst.attr)
      if (intrinsic?.texture === undefined) return
      const handles = inst.args.flatMap(a => (a.type.kind === 'ptr' && a.def.op === 'global' ? [a.def.attr] : []))
      const texture = handles.find(g => g.type.handle?.is === 'texture')
      if (texture === undefined) return
      for (const g of handles) if (g !== texture) useOf(g).textures.add(texture)
      const use = useOf(texture)
      if (intrinsic.texture === 'store') use.writes = true
      else if (intrinsic.texture === 'load') use.reads = true
      else if (intrinsic.compares === true) use.compares = true
      else if (intrinsic.texture !== 'query') use.samples = true
    })
  }
  return uses
}

/** A texture or sampler as WGSL and WebGPU know it. */
export interface Handle {
  readonly type: string
  readonly info: HandleInfo
}

/** Slang's formats as WGSL has them. */
const formats: ReadonlyMap<string, string> = new Map(
  Object.entries({
    rgba32f: 'rgba32float',
    rgba16f: 'rgba16float',
    rg32f: 'rg32float',
    r32f: 'r32float',
    rgba8: 'rgba8unorm',
    rgba8_snorm: 'rgba8snorm',
    bgra8: 'bgra8unorm',
    rgba32i: 'rgba32sint',
    rgba16i: 'rgba16sint',
    rgba8i: 'rgba8sint',
    rg32i: 'rg32sint',
    r32i: 'r32sint',
    rgba32ui: 'rgba32uint',
    rgba16ui: 'rgba16uint',
    rgba8ui: 'rgba8uint',
    rg32ui: 'rg32uint',
    r32ui: 'r32uint',
  }),
)

/** The default format of a written texture, by its texel type. */
const defaults: Readonly<Record<string, string>> = {
  f32x1: 'r32float',
  f32x2: 'rg32float',
  f32x3: 'rgba32float',
  f32x4: 'rgba32float',
  f16x4: 'rgba16float',
  f16x3: 'rgba16float',
  i32x1: 'r32sint',
  i32x2: 'rg32sint',
  i32x3: 'rgba32sint',
  i32x4: 'rgba32sint',
  u32x1: 'r32uint',
  u32x2: 'rg32uint',
  u32x3: 'rgba32uint',
  u32x4: 'rgba32uint',
}

/** The dimension of a texture; undefined if WGSL has none like it. */
function dimensionOf({ shape, isArray, isMultisampled }: t.Texture): TextureDimension | undefined {
  if (isMultisampled) return shape === '2D' && !isArray ? '2d' : undefined
  switch (shape) {
    case '1D':
      return isArray ? undefined : '1d'
    case '2D':
      return isArray ? '2d-array' : '2d'
    case '3D':
      return isArray ? undefined : '3d'
    case 'Cube':
      return isArray ? 'cube-array' : 'cube'
  }
}

const sampled: Readonly<Partial<Record<t.ScalarName, 'float' | 'sint' | 'uint'>>> = {
  f32: 'float',
  f16: 'float',
  i32: 'sint',
  u32: 'uint',
}

/** The texture or sampler that a global is. Undefined, with a diagnostic, if WGSL has none like it. */
export function handleOf(global: Global, uses: ReadonlyMap<Global, Use>, sink: Sink): Handle | undefined {
  const handle = global.type.handle!
  const use = uses.get(global)
  if (handle.is === 'sampler') {
    if (handle.compares) return { type: 'sampler_comparison', info: { kind: 'sampler', sampler: 'comparison' } }
    // Depth is not filtered.
    const depth = use !== undefined && [...use.textures].some(texture => uses.get(texture)?.compares === true)
    return { type: 'sampler', info: { kind: 'sampler', sampler: depth ? 'non-filtering' : 'filtering' } }
  }
  const { access, isMultisampled: multisampled, texel } = handle
  const dimension = dimensionOf(handle)
  const of = sampled[texel.scalar]
  if (dimension === undefined || of === undefined) {
    sink.add(textureNotInTarget, global.span ?? undefined, {
      name: global.name,
      type: global.type.name.replace(/<.*/, ''),
    })
    return undefined
  }
  const text = dimension.replace('-', '_')
  if (access !== 'read') return storage(global, access, dimension, text, `${texel.scalar}x${texel.lanes}`, use, sink)
  if (use?.compares === true)
    return {
      type: `texture_depth_${text}`,
      info: { kind: 'texture', texture: { dimension, sampleType: 'depth', multisampled: false } },
    }
  const scalar = of === 'float' ? 'f32' : texel.scalar
  const sampleType = of === 'float' && use?.samples !== true ? 'unfilterable-float' : of
  return {
    type: `texture_${multisampled ? 'multisampled_' : ''}${text}<${scalar}>`,
    info: { kind: 'texture', texture: { dimension, sampleType, multisampled } },
  }
}

function storage(
  global: Global,
  access: 'write' | 'read-write',
  dimension: TextureDimension,
  text: string,
  texel: string,
  use: Use | undefined,
  sink: Sink,
): Handle | undefined {
  const format = global.format === undefined ? defaults[texel] : formats.get(global.format)
  const kind = format?.endsWith('sint') === true ? 'i32' : format?.endsWith('uint') === true ? 'u32' : 'f'
  if (format === undefined || !texel.startsWith(kind)) {
    sink.add(formatNotInTarget, global.span ?? undefined, { name: global.name, format: global.format ?? texel })
    return undefined
  }
  const both = use?.reads === true && use.writes
  if (both && !format.startsWith('r32')) {
    sink.add(readWriteInTarget, global.span ?? undefined, { name: global.name, format })
    return undefined
  }
  const how = both ? 'read-write' : access === 'read-write' && use?.reads === true ? 'read-only' : 'write-only'
  const word = how === 'read-write' ? 'read_write' : how === 'read-only' ? 'read' : 'write'
  return {
    type: `texture_storage_${text}<${format}, ${word}>`,
    info: { kind: 'storage-texture', storageTexture: { dimension, format, access: how } },
  }
}

/** An offset in texels, which WGSL wants as a constant expression: made again if it is constant from -8 to 7, else undefined. */
export function constantOffset(b: Builder, v: Value): Value | undefined {
  const { def } = v
  if (def.op === 'zero')
    return b.construct(
      v.type,
      Array.from({ length: v.type.count }, () => b.const(t.i32, 0)),
    )
  if (def.op !== 'construct' && def.op !== 'splat') return undefined
  const lanes = def.op === 'splat' ? Array.from({ length: v.type.count }, () => def.args[0]!) : def.args
  const known = lanes.map(constantOf)
  return known.some(k => k === undefined || Number(k) < -8 || Number(k) > 7)
    ? undefined
    : b.construct(
        v.type,
        known.map(k => b.const(t.i32, Number(k))),
      )
}

/** Whether a call of a texture function takes an offset, as its last operand. */
export function takesOffset({ texture }: Intrinsic, args: readonly Value[]): boolean {
  const last = args[args.length - 1]?.type
  return last?.kind === 'vec' && last.scalar === 'i32' && (texture === 'sample' || texture === 'gather')
}

/**
 * A call of a texture function on a depth texture, where WGSL takes whole levels and gives one channel. Undefined if it is the same
 * as for other textures.
 */
export function depthCall(
  b: Builder,
  { texture, compares, takesLevel }: Intrinsic,
  args: Value[],
  result: t.Type,
  call: (args: Value[], type: t.Type) => Value,
): Value | undefined {
  const at = args.findIndex(a => a.type.kind === 'ptr' && a.type.elem!.name.startsWith('texture_depth'))
  if (at < 0 || result.kind !== 'vec' || result.count !== 4 || compares === true) return undefined
  // The component that is gathered is the only one.
  if (texture === 'gather') return call(args.slice(1), result)
  const level = takesLevel === true ? args.findLastIndex(a => a.type === t.f32) : -1
  const whole = args.map((a, i) => (i === level ? b.convert(a, t.i32) : a))
  const depth = call(whole, t.f32)
  return b.construct(result, [depth, b.zero(t.f32), b.zero(t.f32), b.one(t.f32)])
}
