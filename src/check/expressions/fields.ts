/** The fields of a struct as an initialiser sees them: which a list or an implicit constructor sets. */
import type { Env } from '../model/context.ts'
import type { FieldDecl, StructDecl, Visibility } from '../model/decl.ts'
import type { StructType, Type } from '../model/type.ts'
import { fieldSigs, put, substFor } from '../types/index.ts'

/** A field of a struct with the struct's arguments put in. */
export interface Field {
  readonly type: Type
  readonly index: number
  readonly isBase: boolean
  /** It is less visible than its struct, so neither a list nor an implicit constructor sets it. */
  readonly hidden: boolean
}

const ranks: Readonly<Record<Visibility, number>> = { private: 0, internal: 1, public: 2 }

const saysVisibility = ({ syntax }: StructDecl | FieldDecl): boolean =>
  syntax?.modifiers.some(m => m.name in ranks) === true

/**
 * How visible a struct or field is. Before version 2026 it is internal without a modifier, also in a file that is not a module, where
 * every name is visible.
 */
function rankOf(decl: StructDecl | FieldDecl): number {
  const isSaid = saysVisibility(decl) || (decl.module.version ?? 0) >= 2026
  return isSaid ? ranks[decl.visibility] : Math.min(ranks[decl.visibility], ranks.internal)
}

/**
 * Whether a field is less visible than its struct. In a file that is not a module, a field of a public struct is so only with a
 * modifier.
 */
function isHidden(field: FieldDecl, struct: StructDecl): boolean {
  if (field.isBase === true || rankOf(field) >= rankOf(struct)) return false
  return saysVisibility(field) || field.visibility !== 'public' || struct.fields.some(saysVisibility)
}

export function fieldsOf(env: Env, type: StructType): readonly Field[] {
  const subst = substFor(type.decl, type.args, null)
  return fieldSigs(env.cx, type.decl).map(({ decl, type: own }, index) => ({
    type: put(env.cx, own, subst),
    index,
    isBase: decl.isBase === true,
    hidden: decl.holdsBits === true || isHidden(decl, type.decl),
  }))
}

/** The fields that a list or an implicit constructor may set. */
export function givenFields(env: Env, type: StructType): readonly Field[] {
  return fieldsOf(env, type).filter(f => !f.hidden)
}

/** Whether the values of its fields may be in the list of its owner, without braces of their own. */
export const mayBeFlat = (env: Env, type: Type): boolean =>
  type.kind !== 'struct' || !fieldsOf(env, type).some(f => f.hidden)
