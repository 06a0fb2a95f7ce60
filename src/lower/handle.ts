/** Names of texture and sampler types, and formats of textures, from types and declarations. */
import type { Attribute } from '../syntax/ast.ts'
import * as t from '../ir/type.ts'
import type { Type } from '../ir/type.ts'

/** The name in IR of a texture or sampler of the core library; undefined for other types. */
export function handleName(name: string, channel: Type | undefined): string | undefined {
  if (name.startsWith('Sampler')) return name
  if (!/^(RW|W)?Texture/.test(name)) return undefined
  return `${name}<${channel?.scalar ?? 'f32'}x${channel === undefined ? 4 : t.lanes(channel)}>`
}

/** The format in `[format("…")]` of a texture that the program writes. */
export function textureFormat(attributes: readonly Attribute[]): string | undefined {
  const value = attributes.find(
    a => a.name === 'format' || a.name === 'vk::image_format' || a.name === 'vk_image_format',
  )?.args[0]?.value
  return value?.kind === 'string' ? value.value : undefined
}
