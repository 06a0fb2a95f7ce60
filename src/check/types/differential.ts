/**
 * Differential types: which types carry a derivative, and of what type. A struct that conforms to `IDifferentiable` without a
 * `Differential` of its own gets one made of its differentiable fields. If that has the same fields, it is the struct itself.
 */
import * as ast from '../../syntax/ast.ts'
import { conforms, coreInterface, extensionInfo, memberType, ownArgs, associated, isFloatParam } from './conform.ts'
import type { Cx } from '../model/context.ts'
import type { ExtensionDecl, FieldDecl, StructDecl } from '../model/decl.ts'
import { lookupMember } from './member.ts'
import { writeExtensionsFor } from './pack.ts'
import { newScope, declare } from '../model/scope.ts'
import { conditionalElem } from './optional.ts'
import { fieldSigs } from './signature.ts'
import {
  arrayType,
  interfaceType,
  isFloatName,
  poisoned,
  same,
  scalarName,
  structType,
  type StructType,
  type Type,
} from '../model/type.ts'

/** The differential of a type, or null where it carries no derivative. */
export function differentialOf(cx: Cx, type: Type): Type | null {
  switch (type.kind) {
    case 'scalar':
      return isFloatName(type.name) ? type : null
    case 'vector':
    case 'matrix': {
      const scalar = scalarName(type)
      if (scalar !== null) return isFloatName(scalar) ? type : null
      const iface = coreInterface(cx, 'IDifferentiable')
      return iface !== null && (isFloatParam(cx, type.elem) || conforms(cx, type.elem, iface)) ? type : null
    }
    case 'shape':
      return type.scalar.kind === 'scalar' && isFloatName(type.scalar.name) ? type : null
    case 'array': {
      const elem = differentialOf(cx, type.elem)
      return elem === null ? null : same(elem, type.elem) ? type : arrayType(elem, type.count)
    }
    case 'interface':
    case 'param':
    case 'this':
    case 'assoc': {
      if (type.kind === 'assoc' && type.base.kind === 'interface') return type
      const iface = coreInterface(cx, 'IDifferentiable')
      if (iface === null || !conforms(cx, type, iface)) return null
      const decl = iface.decl.inner.names.get('Differential')?.[0]
      return decl !== undefined && decl.kind === 'assoc'
        ? associated(cx, type, interfaceType(iface.decl, []), decl)
        : null
    }
    case 'struct': {
      const known = cx.differentials.get(type.key)
      if (known !== undefined) return known === 'busy' ? null : known
      cx.differentials.set(type.key, 'busy')
      const answer = structDifferential(cx, type)
      cx.differentials.set(type.key, answer)
      return answer
    }
    default:
      return null
  }
}

/** The type of the shadows of a pointer type (`IDifferentiablePtrType`): its `Differential`. Null for other types. */
export function shadowOf(cx: Cx, type: Type): Type | null {
  const iface = coreInterface(cx, 'IDifferentiablePtrType')
  if (
    iface === null ||
    (type.kind !== 'struct' && type.kind !== 'array' && type.kind !== 'param' && type.kind !== 'assoc') ||
    !conforms(cx, type, iface)
  )
    return null
  const decl = iface.decl.inner.names.get('Differential')?.[0]
  const found = decl?.kind === 'assoc' ? associated(cx, type, iface, decl) : null
  return found === null || poisoned(found) ? null : found
}

function structDifferential(cx: Cx, type: StructType): Type | null {
  if (type.decl.differentialOf !== null) return type
  if (type.decl.intrinsic === 'DifferentialPair') {
    const elem = type.args[0] as Type
    const diff = differentialOf(cx, elem)
    return diff === null ? null : same(diff, elem) ? type : structType(type.decl, [diff])
  }
  // Optionals and tuples of differentiable types: those of their differentials.
  if (type.decl.intrinsic === 'Optional' || type.decl.intrinsic === 'Tuple') {
    const diffs = type.args.map(a => differentialOf(cx, a as Type))
    return diffs.some(d => d === null)
      ? null
      : diffs.every((d, i) => same(d!, type.args[i]!))
        ? type
        : structType(type.decl, diffs as Type[])
  }
  const held = conditionalElem(type)
  if (held !== null) {
    const diff = differentialOf(cx, held)
    return diff === null ? null : structType(type.decl, [diff, type.args[1]!])
  }
  const iface = coreInterface(cx, 'IDifferentiable')
  if (iface === null || !conforms(cx, type, iface)) return null
  const written = userDifferential(cx, type)
  if (written !== null) return written
  const made = synthesize(cx, type.decl)
  return made === 'self' ? type : structType(made, type.args)
}

/** The `Differential` that the type or an extension of it declares. */
export function userDifferential(cx: Cx, type: StructType): Type | null {
  for (const m of lookupMember(cx, type, 'Differential')) {
    if (m.decl.kind === 'assoc') continue
    const found = memberType(cx, m.decl, m.subst)
    if (found !== null) return found
  }
  return null
}

/** The differential that a struct gets from its fields: itself, or a struct with the same generic parameters. */
function synthesize(from: Cx, decl: StructDecl): StructDecl | 'self' {
  // What a program's extension makes differentiable is the program's.
  const cx = from.extensions.some(e => extendsStruct(from, e, decl)) ? from : from.of(decl)
  const known = cx.synthesized.get(decl)
  if (known === 'busy') return 'self'
  if (known !== undefined) return known
  cx.synthesized.set(decl, 'busy')
  adoptBounds(cx, decl)
  const fields = fieldSigs(cx, decl)
  const parts = fields.map(f => ({ f, diff: f.noDiff ? null : differentialOf(cx, f.type) }))
  if (parts.every(p => p.diff !== null && same(p.diff, p.f.type))) {
    cx.synthesized.set(decl, 'self')
    return 'self'
  }
  const inner = newScope(decl.inner.parent, 'type', null)
  const made: StructDecl = {
    kind: 'struct',
    id: cx.id(),
    name: 'Differential',
    parent: decl.parent,
    module: decl.module,
    span: decl.span,
    visibility: decl.visibility,
    scope: decl.scope,
    generics: decl.generics,
    nested: `${decl.nested ?? decl.name}.Differential`,
    intrinsic: null,
    differentialOf: decl,
    isBlock: false,
    syntax: null,
    inner,
    fields: [],
  }
  Object.assign(inner, { owner: made })
  const sigs: { decl: FieldDecl; type: Type; noDiff: boolean; semantic: string }[] = []
  for (const { f, diff } of parts) {
    if (diff === null) continue
    const field: FieldDecl = {
      ...f.decl,
      id: cx.id(),
      parent: made,
      owner: made,
      index: made.fields.length,
      syntax: null,
      scope: inner,
    }
    made.fields.push(field)
    if (field.isBase !== true) declare(inner, field)
    sigs.push({ decl: field, type: diff, noDiff: false, semantic: '' })
  }
  cx.of(made).fieldSigs.set(made, sigs)
  cx.synthesized.set(decl, made)
  return made
}

/** The struct type that an extension extends, if it is an instance of a declaration. */
function extendsStruct(cx: Cx, e: ExtensionDecl, decl: StructDecl): StructType | undefined {
  const target = extensionInfo(cx, e)?.target
  return target?.kind === 'struct' && target.decl === decl ? target : undefined
}

/** Adds the bounds of an extension that makes a generic struct differentiable to the struct's own parameters. */
function adoptBounds(cx: Cx, decl: StructDecl): void {
  if (decl.generics === null) return
  writeExtensionsFor(cx, decl, ownArgs(decl))
  for (const e of cx.extensions) {
    const target = extendsStruct(cx, e, decl)
    if (target === undefined) continue
    const own = ownArgs(decl)
    for (let i = 0; i < own.length; i++) {
      const theirs = target.args[i]!
      if (theirs.kind !== 'param') continue
      for (const b of cx.boundsAt(theirs.key)) {
        const bounds = cx.bounds.get(own[i]!.key)
        if (bounds === undefined) cx.bounds.set(own[i]!.key, [b])
        else if (!bounds.some(o => o.key === b.key)) bounds.push(b)
      }
    }
  }
}

/** The fields that an extension declares again to give them attributes: `[DerivativeMember(D.x)] extern float x;`. */
export function externFields(decl: ExtensionDecl): readonly ast.VarDecl[] {
  return decl.syntax.members.filter((m): m is ast.VarDecl => m.kind === 'var' && ast.hasModifier(m, 'extern'))
}

/** The `[DerivativeMember]` of a field, which an extension may also give it. */
export function derivativeAttribute(cx: Cx, field: FieldDecl): ast.Attribute | undefined {
  const of = (syntax: ast.VarDecl | null | undefined): ast.Attribute | undefined =>
    syntax?.attributes.find(a => a.name === 'DerivativeMember')
  const own = of(field.syntax)
  if (own !== undefined || field.syntax === null) return own
  for (const e of cx.extensions) {
    const again = externFields(e).find(f => f.name.text === field.name)
    const given = again === undefined || extendsStruct(cx, e, field.owner) === undefined ? undefined : of(again)
    if (given !== undefined) return given
  }
  return undefined
}

/** The name of the member of the differential that `[DerivativeMember(D.name)]` gives a field, else null. */
export function derivativeMember(cx: Cx, field: FieldDecl): string | null {
  const arg = derivativeAttribute(cx, field)?.args[0]?.value
  if (arg === undefined) return null
  return arg.kind === 'member' ? arg.name.text : arg.kind === 'name' ? arg.name : null
}
