/**
 * Textures and samplers on targets that have none: structs of the library (`core/picture.slang`) stand for them, and functions
 * of the library for what is done with them. Only two dimensions; the rest stays without a spelling.
 */
import type { FuncDecl } from '../check/model/decl.ts'
import type { CheckedProgram } from '../check/model/tree.ts'
import * as s from '../check/model/type.ts'
import * as t from '../ir/type.ts'
import type { Type } from '../ir/type.ts'
import type { Value } from '../ir/value.ts'
import type { Pictures } from './context.ts'
import { convert } from './convert.ts'
import type { Fn } from './func.ts'
import { widen } from './texture.ts'

const stands: Readonly<Record<string, string>> = { Texture2D: '__Picture', RWTexture2D: '__Canvas', WTexture2D: '__Canvas', SamplerState: '__Sampler' }

/** What lowering asks where a target has no textures. */
export const pictures: Pictures = {
  stand(program: CheckedProgram, type: s.StructType): s.StructType | undefined {
    const name = stands[type.decl.intrinsic ?? '']
    if (name === undefined) return undefined
    const [texel] = type.args
    const scalar = texel === undefined || s.isInt(texel) ? undefined : texel.kind === 'vector' ? texel.elem : texel
    // Halves are floats in a picture, as in a texture.
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
    const isCanvas = source.decl.name === '__Canvas'
    const at = args[0]
    const lanes = (value: Value, count: number): Value => b.convert(value.type.count === count ? value : b.swizzle(value, [0, 1].slice(0, count)), t.vec(t.i32, count))
    switch (name) {
      case 'textureLoad': {
        if (isCanvas) return convert(fn, call('__canvasLoad', lanes(at!, 2))!, result)
        return convert(fn, call('__pictureLoad', args[1] === undefined ? lanes(at!, 2) : b.add(lanes(at!, 2), args[1]), b.convert(b.extract(at!, 2), t.i32))!, result)
      }
      case 'textureLoad.0':
        return convert(fn, isCanvas ? call('__canvasLoad', lanes(at!, 2))! : call('__pictureLoad', lanes(at!, 2), b.const(t.i32, 0))!, result)
      case 'textureStore':
        call('__canvasStore', lanes(at!, 2), convert(fn, widen(fn, args[1]!), four))
        return undefined
      case 'textureSampleLevel':
        if (four.scalar !== 'f32') {
          fn.unsupported('sampling a texture of integers')
          return b.zero(result)
        }
        return convert(fn, call('__pictureSample', at!, args[1]!, args[2]!, args[3] ?? none)!, result)
      case 'textureDimensions': return isCanvas ? call('__canvasSize') : call('__pictureSize', at ?? b.const(t.u32, 0))
      case 'textureNumLevels': return call('__pictureLevels')
      default: return null
    }
  },
}

/** The type of texels that a function of pictures is made for, where it is generic. */
function substOf(decl: FuncDecl, picture: s.StructType): s.Subst {
  const param = decl.generics?.params[0]
  return param === undefined ? s.noSubst : { args: new Map([[param.id, picture.args[0]!]]), self: null }
}
