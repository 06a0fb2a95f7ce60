/** How values of structs are differentiated. */
import type { Cx } from '../model/context.ts'
import type { StructDiffInfo } from '../model/tree.ts'
import type { FuncRef } from '../model/func-ref.ts'
import type { StructType, Type } from '../model/decl.ts'
import { derivativeMember, differentialOf } from './differential.ts'
import { fieldSigs } from './signature.ts'
import { lookupMember } from './member.ts'
import { poisoned, same } from '../model/type.ts'
import { put, substFor } from './conform.ts'
import { template } from './template.ts'

/** How a struct is differentiated, field by field; null where it carries no derivative. */
export function structDiff(cx: Cx, type: StructType): StructDiffInfo | null {
  const known = cx.structDiffs.get(type.key)
  if (known !== undefined) return known
  const diff = differentialOf(cx, type)
  if (diff === null) {
    cx.structDiffs.set(type.key, null)
    return null
  }
  const subst = substFor(type.decl, type.args, null)
  const fields: number[] = []
  const theirs = diff.kind === 'struct' ? diff.decl.fields : []
  for (const f of fieldSigs(cx, type.decl)) {
    const own = f.noDiff ? null : differentialOf(cx, put(cx, f.type, subst))
    fields.push(own === null ? -1 : theirs.findIndex(t => t.name === (derivativeMember(cx, f.decl) ?? f.decl.name)))
  }
  const info: StructDiffInfo = {
    type: diff,
    fields,
    dzero: userMethod(cx, type, diff, 'dzero', 0),
    dadd: userMethod(cx, type, diff, 'dadd', 2),
  }
  cx.structDiffs.set(type.key, info)
  return info
}

/** The `dzero` or `dadd` of the user, where it is one: what has another signature is another function. */
function userMethod(cx: Cx, type: StructType, diff: Type, name: string, params: number): FuncRef | null {
  if (type.decl.differentialOf !== null) return null
  for (const m of lookupMember(cx, type, name)) {
    if (
      m.via === 2 ||
      m.decl.kind !== 'func' ||
      m.decl.role !== 'static' ||
      !m.decl.hasBody ||
      m.decl.syntax.kind !== 'func' ||
      m.decl.syntax.params.length !== params
    )
      continue
    const sig = template(cx, m.decl, m.subst)
    if (![sig.result, ...sig.params.map(p => p.type)].every(t => same(t, diff) || poisoned(t))) continue
    return { kind: 'direct', decl: m.decl, subst: m.subst }
  }
  return null
}
