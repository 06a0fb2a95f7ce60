/** Checks textures and samplers that are given as plain descriptions. */
import { isObject, shown, unknownName } from './given.ts'

export { shown } from './given.ts'

const filters = ['nearest', 'linear']
const addresses = ['clamp-to-edge', 'repeat', 'mirror-repeat']
const comparisons = ['never', 'less', 'equal', 'less-equal', 'greater', 'not-equal', 'greater-equal', 'always']
/** What WebGPU says of a sampler: the words that a field may have, or undefined where it takes a number or any text. */
const ofSamplers: Readonly<Record<string, readonly string[] | undefined>> = {
  addressModeU: addresses,
  addressModeV: addresses,
  addressModeW: addresses,
  magFilter: filters,
  minFilter: filters,
  mipmapFilter: filters,
  compare: comparisons,
  lodMinClamp: undefined,
  lodMaxClamp: undefined,
  maxAnisotropy: undefined,
  label: undefined,
}

/** What is wrong with the description of a texture of at most so many dimensions; undefined where nothing is. */
export function wrongTexture(name: string, given: unknown, dimensions: number): string | undefined {
  const wrong = wrongObject(`texture ${name}`, given, '{ size, format, data }', ['size', 'format', 'data'])
  if (wrong !== undefined) return wrong
  const { size, format, data } = given as Readonly<Record<'size' | 'format' | 'data', unknown>>
  const isList = Array.isArray(size) || (ArrayBuffer.isView(size) && 'length' in size)
  const counts = isList ? Array.from(size as ArrayLike<unknown>) : []
  if (
    !isList ||
    counts.length === 0 ||
    counts.length > dimensions ||
    !counts.every(n => Number.isInteger(n) && (n as number) > 0)
  )
    return `size of texture ${name}: expected a list of at most ${dimensions === 2 ? 'a width and a height' : 'a width, a height and a depth'}, each a whole number above 0, but ${isList ? `[${counts.map(shown).join(', ')}]` : shown(size)} came`
  if (format !== undefined && typeof format !== 'string')
    return `format of texture ${name}: expected the name of a format, but ${shown(format)} came`
  if (data !== undefined && !ArrayBuffer.isView(data))
    return `data of texture ${name}: expected a typed array or a DataView, but ${shown(data)} came`
  return undefined
}

/** What is wrong with the description of a sampler; undefined where nothing is. */
export function wrongSampler(name: string, given: unknown): string | undefined {
  const wrong = wrongObject(`sampler ${name}`, given, '{ addressModeU, magFilter, … }', Object.keys(ofSamplers))
  if (wrong !== undefined) return wrong
  for (const [field, value] of Object.entries(given as object) as [string, unknown][]) {
    const words = ofSamplers[field]
    if (value !== undefined && words !== undefined && !words.includes(value as string))
      return `${field} of sampler ${name}: expected one of ${words.join(', ')}, but ${shown(value)} came`
  }
  return undefined
}

function wrongObject(what: string, given: unknown, expected: string, known: readonly string[]): string | undefined {
  if (!isObject(given) || Array.isArray(given)) return `${what}: expected ${expected}, but ${shown(given)} came`
  return unknownName(given, () => known, `${what} has no`)
}
