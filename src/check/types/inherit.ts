/**
 * Structs that inherit from a struct (`struct D : Base`). The base is a first field without a name of its own. Members of the base
 * are found through it, and a value of the struct converts to its base by reading it.
 */
import type * as ast from '../../syntax/ast.ts'
import { isWrapper, same, type Type } from '../model/type.ts'
import { put, substFor } from './conform.ts'
import type { Cx } from '../model/context.ts'
import type { FieldDecl, StructDecl } from '../model/decl.ts'
import { lookupMember, type Member } from './member.ts'
import { lookup } from './lookup.ts'
import { overloads, type Scope } from '../model/scope.ts'
import { fieldType } from './signature.ts'
import type { Term } from '../model/term.ts'
import type { Expr, Place } from '../model/tree.ts'

/** A longer chain of bases counts as a cycle, which is reported as a type that contains itself. */
const maxBases = 32

/** Gives a struct the field that holds what it inherits, before anything asks for its fields. */
export function adoptBase(cx: Cx, decl: StructDecl): void {
  const { syntax } = decl
  const type = syntax?.kind === 'struct' ? syntax.bases[0] : undefined
  const scope = decl.inner.parent
  if (
    type === undefined ||
    scope === null ||
    decl.fields[0]?.isBase === true ||
    decl.module.isCore ||
    !meansStruct(cx, type, scope)
  )
    return
  const name = { text: decl.inner.names.has('base') ? 'base_' : 'base', span: type.span }
  const own: ast.VarDecl = {
    kind: 'var',
    span: type.span,
    attributes: [],
    modifiers: [],
    name,
    form: 'typed',
    type,
    init: undefined,
    semantics: [],
  }
  const field: FieldDecl = {
    kind: 'field',
    id: cx.id(),
    name: name.text,
    parent: decl,
    module: decl.module,
    span: type.span,
    visibility: 'public',
    scope,
    index: 0,
    owner: decl,
    syntax: own,
    isBase: true,
  }
  for (const f of decl.fields) Object.assign(f, { index: f.index + 1 })
  decl.fields.unshift(field)
}

/** Whether a type expression names a struct; it is not resolved, since that may need fields. */
function meansStruct(cx: Cx, e: ast.TypeExpr, scope: Scope, depth = 0): boolean {
  if (e.kind === 'generic') return meansStruct(cx, e.base, scope, depth)
  if (e.kind !== 'name' && e.kind !== 'member') return false
  const decl = e.kind === 'name' ? lookup(cx, scope, e.name, e.global)[0]?.decl : inNamespace(cx, e, scope)
  if (decl?.kind === 'alias' && depth < maxBases) return meansStruct(cx, decl.target, decl.inner, depth + 1)
  return decl?.kind === 'struct'
}

function inNamespace(cx: Cx, e: ast.MemberExpr, scope: Scope): ReturnType<typeof lookup>[number]['decl'] | undefined {
  const base =
    e.base.kind === 'name'
      ? lookup(cx, scope, e.base.name, e.base.global)[0]?.decl
      : e.base.kind === 'member'
        ? inNamespace(cx, e.base, scope)
        : undefined
  return base !== undefined && 'inner' in base ? base.inner.names.get(e.name.text)?.[0] : undefined
}

/** The field of a struct that holds what it inherits, with its type; null where it inherits nothing. */
function baseField(cx: Cx, type: Type): { readonly field: FieldDecl; readonly type: Type } | null {
  if (type.kind !== 'struct') return null
  // A block shows the fields of what it holds.
  if (isWrapper(type)) return baseField(cx, type.args[0] as Type)
  const field = type.decl.fields[0]
  if (field === undefined || field.isBase !== true) return null
  return { field, type: put(cx, fieldType(cx, field), substFor(type.decl, type.args, null)) }
}

/** How many steps up another struct is a base of a struct; null if it is none. */
export function stepsTo(cx: Cx, from: Type, to: Type): number | null {
  if (from.kind !== 'struct' || to.kind !== 'struct') return null
  let type: Type = from
  for (let steps = 0; steps < maxBases; steps++) {
    if (same(type, to)) return steps
    const base = baseField(cx, type)
    if (base === null) return null
    type = base.type
  }
  return null
}

/** The base part of a value, so many steps up. */
export function baseOfExpr(cx: Cx, e: Expr, steps: number): Expr {
  const base = steps === 0 ? null : baseField(cx, e.type)
  if (base === null) return e
  const part: Expr =
    e.kind === 'read'
      ? { ...e, type: base.type, place: baseOfPlace(cx, e.place, 1) }
      : { kind: 'field', type: base.type, span: e.span, base: e, field: base.field }
  return baseOfExpr(cx, part, steps - 1)
}

/** The base part of a place, so many steps up. */
export function baseOfPlace(cx: Cx, place: Place, steps: number): Place {
  const base = steps === 0 ? null : baseField(cx, place.type)
  return base === null
    ? place
    : baseOfPlace(cx, { kind: 'field', type: base.type, span: place.span, base: place, field: base.field }, steps - 1)
}

/** The object of a member as that has it. */
export function objectFor(cx: Cx, object: Term | null, member: Member): Term | null {
  const { steps = 0 } = member
  if (steps === 0 || object === null) return object
  if (object.kind === 'place') return { ...object, place: baseOfPlace(cx, object.place, steps) }
  return object.kind === 'value' ? { kind: 'value', expr: baseOfExpr(cx, object.expr, steps) } : object
}

/** Every member of that name, its own and those it inherits: functions of all, else what is nearest. */
export function membersOf(cx: Cx, type: Type, name: string): readonly Member[] {
  const own = lookupMember(cx, type, name)
  let base = baseField(cx, type)
  if (base === null || own.some(m => !overloads(m.decl))) return own
  const found = [...own]
  for (let steps = 1; base !== null && steps < maxBases; steps++) {
    const members: readonly Member[] = lookupMember(cx, base.type, name).filter(
      m => found.length === 0 || overloads(m.decl),
    )
    for (const m of members) if (!found.some(f => f.decl === m.decl)) found.push({ ...m, steps })
    if (found.some(m => !overloads(m.decl))) return found
    base = baseField(cx, base.type)
  }
  return found
}
