/** Enums: their tag types and the values of their cases. */
import * as names from '../../base/errors/names.ts'
import { literalDoesNotFit } from '../../base/errors/types.ts'
import { declaredBases } from './conform.ts'
import { convertNumber, misfits } from '../model/number.ts'
import type { Cx } from '../model/context.ts'
import type { EnumCaseDecl, EnumDecl } from '../model/decl.ts'
import { resolveInt } from './resolve.ts'
import { intType, known, scalarName, show, type Type } from '../model/type.ts'

/** The integer type behind an enum. */
export function enumTag(cx: Cx, decl: EnumDecl): Type {
  declaredBases(cx, decl)
  return cx.of(decl).enumTags.get(decl) ?? intType
}

/** The values of the cases in order. */
export function enumValues(from: Cx, decl: EnumDecl): readonly number[] {
  const cx = from.of(decl)
  const old = cx.enumValues.get(decl)
  if (old !== undefined) return old
  const flags = decl.syntax.attributes.some(a => a.name === 'Flags')
  const tag = scalarName(enumTag(cx, decl)) ?? 'i32'
  const values: number[] = []
  let next = flags ? 1 : 0
  // A case may use the ones before it, so they are known as they come.
  cx.enumValues.set(decl, values)
  for (const c of decl.cases) {
    const given = c.syntax.value === undefined ? next : (known(resolveInt(cx, c.syntax.value, decl.inner)) ?? 0)
    const value = Number(convertNumber(given, 'i64', tag))
    if (misfits(given, enumTag(cx, decl)))
      cx.sink.add(literalDoesNotFit, c.span ?? undefined, {
        value: String(given),
        type: show(enumTag(cx, decl)),
        got: String(value),
      })
    values.push(value)
    next = flags ? value << 1 || 1 : value + 1
  }
  return values
}

/** The value of a case. */
export function enumValue(cx: Cx, decl: EnumCaseDecl): number {
  const value = enumValues(cx, decl.owner)[decl.index]
  // One that is not known yet is asked for by a case before it.
  if (value === undefined) cx.sink.add(names.cyclic, decl.span ?? undefined, { name: decl.name })
  return value ?? 0
}
