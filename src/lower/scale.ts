/** The product of a number and a differential, with a struct's own `dmul`. */
import type { Fn } from './context.ts'
import type { FuncRef } from '../check/model/func-ref.ts'
import type * as s from '../check/model/type.ts'
import { isFloat, type Type } from '../ir/type.ts'
import type { Value } from '../ir/value.ts'
import { impossible } from './context.ts'
import { convert } from './convert.ts'

/** `T.dmul` of `IDifferentiable`, as a requirement on the type T. */
type Product = FuncRef & { readonly kind: 'requirement' }

/** `factor` times a differential of the type that `product` names: by the type's own function where it has one, else part by part. */
export function scaleDifferential(fn: Fn, product: Product, factor: Value, differential: Value): Value {
  const { b, cx } = fn
  const own = cx.resolve(product)
  if (own.kind === 'direct') return b.call(cx.instance(own), [factor, differential])[0]!
  const to = differential.type
  if (isFloat(to)) return b.mul(convert(fn, factor, to), differential)
  const count = to.kind === 'struct' ? to.fields.length : to.count
  return b.construct(
    to,
    Array.from({ length: count }, (_, k) => {
      const part = b.extract(differential, k)
      const of = partOf(fn, product.type, to, k)
      return of === null ? part : scaleDifferential(fn, { ...product, type: of }, factor, part)
    }),
  )
}

/** The type whose differential a part of a type's differential is; null for a part that is not one, such as a flag. */
function partOf(fn: Fn, type: s.Type, differential: Type, k: number): s.Type | null {
  const { program, types, variants } = fn.cx
  const made = types.of(type)
  if (type.kind === 'array') return type.elem
  const source = made.diff?.fields.indexOf(k) ?? -1
  if (type.kind === 'interface') return variants.of(fn.cx, type)[source - 1]?.type ?? null
  const theirs = program.differentialOf(type)
  const [from, at] = source >= 0 ? [type, source] : [theirs, k]
  if (from?.kind === 'array') return from.elem
  if (from?.kind !== 'struct') return impossible(`parts of ${differential.name}`)
  const part = from.decl.intrinsic === 'DifferentialPair' ? types.pairParts(from)[at] : program.fields(from)[at]?.type
  return part === undefined || program.differentialOf(part) === null ? null : part
}
