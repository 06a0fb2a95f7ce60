/** A bit field of an object: a place in the integer that holds it. */
import type { Span } from '../../base/source.ts'
import type { Env } from '../model/context.ts'
import type { Bits } from '../model/decl.ts'
import { convertNumber } from '../model/number.ts'
import { value, type Term } from '../model/term.ts'
import type { Arg, Place } from '../model/tree.ts'
import type { FuncRef } from '../model/func-ref.ts'
import { intType, type Type } from '../model/type.ts'
import { fieldType } from '../types/index.ts'
import { convertExpr, convertPlace } from './convert.ts'

/** The bits of an object as a value of a type. */
export function bitsTerm(
  { cx }: Env,
  object: Term & { readonly kind: 'value' | 'place' },
  { field, word, up, down, mask }: Bits,
  type: Type,
  span: Span,
): Term {
  const held = { type: fieldType(cx, field), span, field } as const
  const call = (name: string): FuncRef => {
    const decl = cx.library.the('func', name)
    return { kind: 'direct', decl, subst: { args: new Map([[decl.generics!.params[0]!.id, word]]), self: null } }
  }
  const args: Arg[] = [
    { dir: 'in', value: { kind: 'const', type: intType, span, value: up } },
    { dir: 'in', value: { kind: 'const', type: intType, span, value: down } },
    { dir: 'in', value: { kind: 'const', type: word, span, value: convertNumber(mask, 'u64', word.name) } },
  ]
  const get = call('__takeBits')
  if (object.kind === 'value') {
    const whole = convertExpr(cx, { kind: 'field', base: object.expr, ...held }, word)
    const made = { kind: 'call', type: word, span, func: get, object: { dir: 'in', value: whole }, args } as const
    return value(convertExpr(cx, made, type))
  }
  const whole = convertPlace({ kind: 'field', base: object.place, ...held }, word)
  const place: Place = {
    kind: 'accessor',
    type: word,
    span,
    get,
    set: call('__putBits'),
    object: { dir: 'inout', place: whole },
    args,
    byRef: false,
  }
  return { kind: 'place', place: convertPlace(place, type), fixed: object.fixed }
}
