/** Values of interfaces as hosts give and get them: `{ type: 'Square', value: { side: 3 } }`. */

/** Bytes from the start of such a value in memory to its tag, and to the members. */
export const tagOffset = 8
export const valueOffset = 16

/** A type that such a value may have. */
interface Variant {
  readonly name: string
  readonly tag: number
}

/** A value that says its type. Others are given by the words in memory, field by field. */
export interface Tagged {
  readonly type: string
  readonly value: unknown
}

export function isTagged(given: unknown): given is Tagged {
  return typeof (given as Partial<Tagged> | null | undefined)?.type === 'string'
}

/** The names of types that there are. */
export function namesOf(variants: readonly Variant[]): string {
  return variants.map(v => v.name).join(' or ')
}
