/** Texture and sampler types, and formats of textures, from types and declarations. */
import { handleKind } from '../base/handle.ts'
import type { Attribute } from '../syntax/ast.ts'
import * as t from '../ir/type.ts'
import type { Type } from '../ir/type.ts'

/** A texture or sampler of the core library, which has texels of that type; undefined for other types of the library. */
export function handleType(name: string, texel: Type | undefined): Type | undefined {
  return handleKind(name) === undefined
    ? undefined
    : t.handle(name, { scalar: texel?.scalar ?? 'f32', lanes: texel === undefined ? 4 : t.lanes(texel) })
}

/** The format in `[format("…")]` of a texture that the program writes. */
export function textureFormat(attributes: readonly Attribute[]): string | undefined {
  const value = attributes.find(
    a => a.name === 'format' || a.name === 'vk::image_format' || a.name === 'vk_image_format',
  )?.args[0]?.value
  return value?.kind === 'string' ? value.value : undefined
}
