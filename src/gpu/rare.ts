/** Values that few programs exchange with a GPU: halves, integers of 8, 16 and 64 bits, and values of interfaces. */
import { fromHalf, halfBits } from '../host/half.ts'
import { isTagged, namesOf, tagOffset, valueOffset } from '../host/variant.ts'
import { pack, refuseIf, unknownName, unpack, wrong, type Plain, type RareValues } from './core.ts'

export const sizeOf: RareValues['sizeOf'] = scalar => Number(/\d+/.exec(scalar) ?? 32) / 8

const isWord = (scalar: string): boolean => /^(?:[iuf]32|bool)$/.test(scalar)

export const setNumber: RareValues['setNumber'] = (view, offset, scalar, given, path) => {
  if (isWord(scalar)) return false
  if (scalar === 'f64') return wrong(path, 'a type that WebGPU has (f64 is none)', given)
  if (typeof given !== 'number' && typeof given !== 'bigint' && typeof given !== 'boolean')
    return wrong(path, scalar, given)
  const value = Number(given)
  if (scalar === 'f16') {
    view.setUint16(offset, halfBits(value), true)
    return true
  }
  const bits = 8 * sizeOf(scalar)
  const whole = Number.isInteger(value) ? BigInt(given) : undefined
  // The same bits may be asked for with or without sign.
  if (whole === undefined || whole < -(1n << BigInt(bits - 1)) || whole >> BigInt(bits) > 0n)
    return wrong(path, `an integer of ${bits} bits for ${scalar}`, given)
  if (bits === 64) view.setBigInt64(offset, whole, true)
  else view[`setInt${bits as 8 | 16}`](offset, Number(whole), true)
  return true
}

export const getNumber: RareValues['getNumber'] = (view, offset, scalar) => {
  if (isWord(scalar)) return undefined
  if (scalar === 'f16') return fromHalf(view.getUint16(offset, true))
  const bits = 8 * sizeOf(scalar)
  const kind = scalar.startsWith('i') ? 'Int' : 'Uint'
  return bits === 64 ? view[`getBig${kind}64`](offset, true) : view[`get${kind}${bits as 8 | 16 | 32}`](offset, true)
}

export const packTagged: RareValues['packTagged'] = (view, offset, { name, variants }, value, path) => {
  if (variants === undefined || !isTagged(value)) return false
  refuseIf(
    'WrongUniform',
    unknownName(value, () => ['type', 'value'], `${path}: a value of ${name} has no field`),
  )
  const { tag, type } = variants.find(v => v.name === value.type) ?? wrong(path, namesOf(variants), value.type)
  view.setUint32(offset + tagOffset, tag, true)
  pack(view, offset + valueOffset, type, value.value as Plain, path)
  return true
}

export const unpackTagged: RareValues['unpackTagged'] = (view, offset, { variants }) => {
  const chosen = variants?.find(v => v.tag === view.getUint32(offset + tagOffset, true))
  return chosen && { type: chosen.name, value: unpack(view, offset + valueOffset, chosen.type) }
}
