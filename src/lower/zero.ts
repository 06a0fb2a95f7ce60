/** The zero and the sum of differentials, with a struct's own `dzero` and `dadd`. */
import type { Fn } from './context.ts'
import { differential, type Type } from '../ir/type.ts'
import type { Value } from '../ir/value.ts'
import { impossible } from './context.ts'

/** Whether a struct in the type has a `dzero` or `dadd` of its own. */
function custom(type: Type): boolean {
  if (type.kind === 'array') return custom(type.elem!)
  if (type.kind !== 'struct' || type.diff === null) return false
  if (type.diff.dzero !== undefined || type.diff.dadd !== undefined) return true
  return type.fields.some((f, i) => type.diff!.fields[i]! >= 0 && custom(f.type))
}

/** The zero of the differential of a type. */
export function zeroDifferential(fn: Fn, type: Type): Value {
  const { b } = fn
  const diff = differential(type) ?? impossible(`no differential of ${type.name}`)
  if (!custom(type)) return b.zero(diff)
  if (type.kind === 'array')
    return b.construct(
      diff,
      Array.from({ length: type.count }, () => zeroDifferential(fn, type.elem!)),
    )
  const info = type.diff!
  if (info.dzero !== undefined) return b.call(info.dzero, [])[0]!
  const parts = diff.fields.map((f, k) => {
    const source = info.fields.indexOf(k)
    return source < 0 ? b.zero(f.type) : zeroDifferential(fn, type.fields[source]!.type)
  })
  return b.construct(diff, parts)
}

/** The sum of two differentials of a type. */
export function addDifferentials(fn: Fn, type: Type, x: Value, y: Value): Value {
  const { b } = fn
  const diff = x.type
  if (type.kind === 'struct') {
    const info = type.diff ?? impossible(`no differential of ${type.name}`)
    if (info.dadd !== undefined) return b.call(info.dadd, [x, y])[0]!
    const parts = diff.fields.map((f, k) => {
      const source = info.fields.indexOf(k)
      return addDifferentials(fn, source < 0 ? f.type : type.fields[source]!.type, b.extract(x, k), b.extract(y, k))
    })
    return b.construct(diff, parts)
  }
  return b.emit1('add', [x, y])
}
