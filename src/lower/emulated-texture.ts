/**
 * Emulates textures and samplers on targets that have none, by structs and functions of the library (`core/emulated-texture.slang`).
 *
 *     Texture2D<float4> t; t.SampleLevel(s, at, 0)   →   __EmulatedTexture<float4> t; __textureSample(t, s, at, 0, int2(0))
 *
 * Only textures of two dimensions are emulated. A target refuses the others.
 */
import type { Fn } from './context.ts'
import type { FuncDecl } from '../check/model/decl.ts'
import type { CheckedProgram } from '../check/model/tree.ts'
import * as s from '../check/model/type.ts'
import * as t from '../ir/type.ts'
import type { Type } from '../ir/type.ts'
import type { Value } from '../ir/value.ts'
import type { TextureEmulation } from './context.ts'
import { convert } from './convert.ts'
import { widen } from './texture.ts'

const emulated: Readonly<Record<string, string>> = {
  Texture2D: '__EmulatedTexture',
  RWTexture2D: '__EmulatedRWTexture',
  WTexture2D: '__EmulatedRWTexture',
  SamplerState: '__EmulatedSampler',
}

/** Emulates textures for targets without textures. */
export const textureEmulation: TextureEmulation = {
  structFor(program: CheckedProgram, type: s.StructType): s.StructType | undefined {
    const name = emulated[type.decl.intrinsic ?? '']
    if (name === undefined) return undefined
    const [texel] = type.args
    const scalar = texel === undefined || s.isInt(texel) ? undefined : texel.kind === 'vector' ? texel.elem : texel
    // The texels of a texture of halves are floats.
    const own = scalar?.kind === 'scalar' && (scalar.name === 'i32' || scalar.name === 'u32') ? scalar : s.floatType
    return s.structType(program.core('struct', name), scalar === undefined ? [] : [s.vectorType(own, s.intConst(4))])
  },

  access(fn: Fn, name: string, [texture, ...args]: readonly Value[], result: Type): Value | null | undefined {
    const { b } = fn
    const source = fn.cx.types.source(texture!.type)!
    const four = texture!.type.fields[0]!.type.elem!.elem!
    const call = (own: string, ...given: Value[]): Value | undefined => {
      const decl = fn.cx.program.core('func', own)
      return b.call(fn.cx.instance({ kind: 'direct', decl, subst: substOf(decl, source) }), [texture!, ...given])[0]
    }
    const none = b.zero(t.vec(t.i32, 2))
    const isWritable = source.decl.name === '__EmulatedRWTexture'
    const at = args[0]
    const lanes = (value: Value, count: number): Value =>
      b.convert(value.type.count === count ? value : b.swizzle(value, [0, 1].slice(0, count)), t.vec(t.i32, count))
    switch (name) {
      case 'textureLoad': {
        if (isWritable) return convert(fn, call('__rwTextureLoad', lanes(at!, 2))!, result)
        return convert(
          fn,
          call(
            '__textureLoad',
            args[1] === undefined ? lanes(at!, 2) : b.add(lanes(at!, 2), args[1]),
            b.convert(b.extract(at!, 2), t.i32),
          )!,
          result,
        )
      }
      case 'textureLoad.0':
        return convert(
          fn,
          isWritable
            ? call('__rwTextureLoad', lanes(at!, 2))!
            : call('__textureLoad', lanes(at!, 2), b.const(t.i32, 0))!,
          result,
        )
      case 'textureStore':
        call('__rwTextureStore', lanes(at!, 2), convert(fn, widen(fn, args[1]!), four))
        return undefined
      case 'textureSampleLevel':
        if (four.scalar !== 'f32') {
          fn.unsupported('sampling a texture of integers')
          return b.zero(result)
        }
        return convert(fn, call('__textureSample', at!, args[1]!, args[2]!, args[3] ?? none)!, result)
      case 'textureDimensions':
        return isWritable ? call('__rwTextureSize') : call('__textureSize', at ?? b.const(t.u32, 0))
      case 'textureNumLevels':
        return call('__textureLevels')
      default:
        return null
    }
  },
}

/** The type of texels that a generic function of the emulation is made for. */
function substOf(decl: FuncDecl, texture: s.StructType): s.Subst {
  const param = decl.generics?.params[0]
  return param === undefined ? s.noSubst : { args: new Map([[param.id, texture.args[0]!]]), self: null }
}
