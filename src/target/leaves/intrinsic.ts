/**
 * The intrinsics that legal code of leaves calls. Their operands are a pointer to an array (or a list) and indices, which are
 * doubles:
 *
 *   at(i, n)                       `i` where it is below `n`, else the last
 *   halved(i)                      a word's number as that of a pair of words
 *   slice(a) · slice(a, from, to)  a copy of an array, or of a part
 *   sliceOfView(v, from, to)       the same of a buffer
 *   subarray(x, from, to)          a part of an array value
 *   set(a, x) · set(a, x, at)      writes an array value into an array
 *   copyOfList(l, i…)              a copy of a list, or of the one that a path of indices leads to; so `setList(l, i…, x)`
 *   sameBits(x, y)                 whether two floats are the same, NaN and the sign of zero included
 *   itemOfList(l, i…)              a scalar of a list, zero past its end; so `setItemOfList(l, i…, x)`
 *   partOfList(l, i…)              an array of a list; so `setPartOfList(l, i…, x)`
 */
export const leafIntrinsics = [
  'at',
  'halved',
  'slice',
  'sliceOfView',
  'subarray',
  'set',
  'copyOfList',
  'setList',
  'sameBits',
  'itemOfList',
  'setItemOfList',
  'partOfList',
  'setPartOfList',
] as const

export type LeafIntrinsic = (typeof leafIntrinsics)[number]

const names: ReadonlySet<string> = new Set(leafIntrinsics)

export function isLeafIntrinsic(name: string): name is LeafIntrinsic {
  return names.has(name)
}
