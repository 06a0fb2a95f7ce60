/** Values that few programs exchange with a GPU: halves, integers of 8, 16 and 64 bits, and values of interfaces. */
import { fromHalf, halfBits } from '../host/half.ts'
import { isTagged, namesOf, tagOffset, valueOffset } from '../host/variant.ts'
import { pack, sizeOf, unpack, wrong, type Plain, type RareValues } from './core.ts'

export const setNumber: RareValues['setNumber'] = (view, offset, scalar, given) => {
  const value = Number(given)
  const bits = 8 * sizeOf(scalar)
  if (scalar === 'f64') return 'a type that WebGPU has (f64 is none)'
  if (scalar === 'f16') {
    view.setUint16(offset, halfBits(value), true)
    return undefined
  }
  const whole = Number.isInteger(value) ? BigInt(given) : undefined
  // The same bits may be asked for with or without sign.
  if (whole === undefined || whole < -(1n << BigInt(bits - 1)) || whole >> BigInt(bits) > 0n)
    return `an integer of ${bits} bits for ${scalar}`
  if (bits === 64) view.setBigInt64(offset, whole, true)
  else view[`setInt${bits as 8 | 16 | 32}`](offset, Number(whole), true)
  return undefined
}

export const getNumber: RareValues['getNumber'] = (view, offset, scalar) => {
  if (scalar === 'f16') return fromHalf(view.getUint16(offset, true))
  const bits = 8 * sizeOf(scalar)
  const kind = scalar.startsWith('i') ? 'Int' : 'Uint'
  return bits === 64 ? view[`getBig${kind}64`](offset, true) : view[`get${kind}${bits as 8 | 16 | 32}`](offset, true)
}

export const packTagged: RareValues['packTagged'] = (view, offset, variants, value, path) => {
  if (!isTagged(value)) return false
  const { tag, type } = variants.find(v => v.name === value.type) ?? wrong(path, namesOf(variants), value.type)
  view.setUint32(offset + tagOffset, tag, true)
  pack(view, offset + valueOffset, type, value.value as Plain, path)
  return true
}

export const unpackTagged: RareValues['unpackTagged'] = (view, offset, variants) => {
  const chosen = variants.find(v => v.tag === view.getUint32(offset + tagOffset, true))
  return chosen && { type: chosen.name, value: unpack(view, offset + valueOffset, chosen.type) }
}
