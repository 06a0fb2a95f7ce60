/** Pairs of a value and its derivative, as users see them. */
import type { Builder } from '../ir/build.ts'
import { differential, type Type } from '../ir/type.ts'
import type { Value } from '../ir/value.ts'

/**
 * The pair of `p` and `d`. A field that the differential repeats from the value is taken from `p`, since the transforms do not
 * maintain it in `d`.
 */
export function pairOf(b: Builder, type: Type, p: Value, d: Value): Value {
  return b.construct(type, [p, likePrimal(b, p, d)])
}

/** Whether a type is that of a pair, or looks like one. */
export function isPair(type: Type): boolean {
  const [p, d] = type.kind === 'struct' && type.count === 2 ? type.fields : []
  return p?.name === 'p' && d?.name === 'd' && differential(p.type) === d.type
}

/** Whether the differential repeats a field of the value. */
function repeats(type: Type): boolean {
  if (type.kind === 'array') return repeats(type.elem!)
  if (type.kind !== 'struct' || type.diff === null) return false
  const { alike, fields } = type.diff
  return alike !== undefined || type.fields.some((f, i) => fields[i]! >= 0 && repeats(f.type))
}

function likePrimal(b: Builder, p: Value, d: Value): Value {
  const type = p.type
  if (!repeats(type) || differential(type) !== d.type) return d
  let out = d
  if (type.kind === 'array') {
    for (let i = 0; i < type.count; i++) out = b.insert(out, i, likePrimal(b, b.extract(p, i), b.extract(d, i)))
    return out
  }
  type.diff!.fields.forEach((at, i) => {
    if (at >= 0 && repeats(type.fields[i]!.type))
      out = b.insert(out, at, likePrimal(b, b.extract(p, i), b.extract(d, at)))
  })
  for (const [from, to] of type.diff!.alike ?? []) out = b.insert(out, to, b.extract(p, from))
  return out
}
