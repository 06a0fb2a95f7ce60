/** `_Texture<T, Shape, isArray, isMS, sampleCount, access, isShadow, isCombined, format>`: the textures of the library by what they are. */
import * as generics from '../../base/errors/generics.ts'
import type { Span } from '../../base/source.ts'
import type * as ast from '../../syntax/ast.ts'
import type { Cx } from '../model/context.ts'
import type { Scope } from '../model/scope.ts'
import type { Term } from '../model/term.ts'
import { errorType, known, type Int, type Type } from '../model/type.ts'
import { applyGeneric, resolveInt, resolveType } from './resolve.ts'

/** The parameters of `_Texture`. */
const textureParams = 9

/** How a program may use texels, by the number that stands for it. */
const accesses: ReadonlyMap<number, string> = new Map([
  [0, ''],
  [1, 'RW'],
  [2, 'RasterizerOrdered'],
  [3, 'Feedback'],
  [4, 'W'],
])

/** The name that the library gives a texture; null if generic parameters decide it, or if it has none. */
function textureName(shape: Type, numbers: readonly Int[]): string | null {
  const [isArray, isMultisampled, , access, isShadow, isCombined] = numbers.map(known)
  const dimensions = shape.kind === 'struct' ? /^__Shape(1D|2D|3D|Cube|Buffer)$/.exec(shape.decl.name)?.[1] : undefined
  const way = accesses.get(access ?? -1)
  if (dimensions === undefined || way === undefined) return null
  if ([isArray, isMultisampled, isShadow, isCombined].some(n => n === null || n === undefined)) return null
  if (dimensions === 'Buffer') return way === '' || way === 'RW' ? `${way}Buffer` : null
  const form = `${dimensions}${isMultisampled === 0 ? '' : 'MS'}${isArray === 0 ? '' : 'Array'}`
  return isCombined === 0 ? `${way}Texture${form}` : `Sampler${form}${isShadow === 0 ? '' : 'Shadow'}`
}

/** A texture by its shape, access and so on. The format says nothing here: an attribute does. */
export function textureOf(
  cx: Cx,
  open: Term & { readonly kind: 'open' },
  args: readonly ast.Expr[],
  scope: Scope | null,
  span: Span,
): Type {
  if (args.length !== textureParams) {
    cx.sink.add(generics.argumentCount, span, { name: '_Texture', expected: textureParams, got: args.length })
    return errorType
  }
  const shape = resolveType(cx, args[1]!, scope!)
  const numbers = args.slice(2).map(a => resolveInt(cx, a, scope!))
  if (shape === errorType || numbers.some(n => n.kind === 'error')) return errorType
  const name = textureName(shape, numbers)
  const made = name === null ? undefined : cx.library.lookup(name)[0]
  if (made?.kind === 'struct') return applyGeneric(cx, { ...open, decl: made }, args.slice(0, 1), scope, span)
  cx.lacks.push({ span, feature: name ?? 'a _Texture whose generic arguments are not known where it is declared' })
  return errorType
}
