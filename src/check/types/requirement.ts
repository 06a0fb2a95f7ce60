/** What meets a requirement of an interface on a concrete type, and whether declared conformances hold. */
import * as derivative from '../../base/errors/derivative.ts'
import * as generics from '../../base/errors/generics.ts'
import { unsupported } from '../../base/errors/names.ts'
import { typeMismatch } from '../../base/errors/types.ts'
import { hasModifier } from '../../syntax/ast.ts'
import { attributesOf } from './attribute.ts'
import { assocBounds, associated, closure, conforms, declaredBases, extensionInfo, put, putArg, selfType, settledOf, substFor } from './conform.ts'
import { foldExpr } from './const.ts'
import { type Cx, Env } from '../model/context.ts'
import { explicitOnly, typeCost } from '../expressions/convert.ts'
import type { AssocDecl, Decl, EnumDecl, ExtensionDecl, FieldDecl, FuncDecl, StructDecl } from '../model/decl.ts'
import { derivativeMember, differentialOf, placeDifferentialOf, userDifferential } from './differential.ts'
import { checkExpr } from '../expressions/expr.ts'
import { membersOf } from './inherit.ts'
import { isOpen, type Member } from './member.ts'
import { packsOf, writtenOut } from './pack.ts'
import { fieldSigs, funcSig, globalInfo, globalInit, template } from './signature.ts'
import { byteSize } from './size.ts'
import type { FuncRef } from '../model/tree.ts'
import {
  compose, intConst, intMember, intParam, isGeneric, paramType, poisoned, same, show, substituteInt, type GenericArg, type Int,
  type InterfaceType, type StructType, type Subst, type Type,
} from '../model/type.ts'

/** Puts the types of the caller into a reference, and resolves requirements of what has become concrete. */
export function putRef(cx: Cx, ref: FuncRef, subst: Subst): FuncRef {
  if (subst.args.size === 0 && subst.self === null) return ref
  switch (ref.kind) {
    case 'direct': return { kind: 'direct', decl: ref.decl, subst: putSubst(cx, ref.subst, subst) }
    case 'requirement': {
      const type = put(cx, ref.type, subst)
      return resolveRef(cx, { kind: 'requirement', type, iface: put(cx, ref.iface, subst) as InterfaceType, decl: ref.decl, subst: putSubst(cx, ref.subst, subst) })
    }
    case 'dynamic': return { kind: 'dynamic', iface: put(cx, ref.iface, subst) as InterfaceType, decl: ref.decl, subst: putSubst(cx, ref.subst, subst) }
    case 'derivative': return { kind: 'derivative', mode: ref.mode, of: putRef(cx, ref.of, subst) }
  }
}

function putSubst(cx: Cx, first: Subst, then: Subst): Subst {
  const args = new Map<number, GenericArg>()
  for (const [id, arg] of first.args) args.set(id, putArg(cx, arg, then))
  return { args, self: first.self === null ? null : put(cx, first.self, then) }
}

/** Zero and sum of the differentials of an interface's values are the compiler's, whatever the values are. */
export function isOwn(requirement: FuncDecl): boolean {
  return requirement.role === 'static' && requirement.module.isCore
}

/** A requirement on a type whose members are known becomes the function that meets it; anything else stays. */
export function resolveRef(cx: Cx, ref: FuncRef): FuncRef {
  if (ref.kind === 'derivative') {
    const of = resolveRef(cx, ref.of)
    return of === ref.of ? ref : { kind: 'derivative', mode: ref.mode, of }
  }
  if (ref.kind !== 'requirement' || isOpen(ref.type)) return ref
  if (ref.type.kind === 'interface') return isOwn(ref.decl) ? ref : { kind: 'dynamic', iface: ref.iface, decl: ref.decl, subst: ref.subst }
  const found = implementation(cx, ref.type, ref.iface, ref.decl)
  if (found !== null) {
    const args = new Map<number, GenericArg>(found.subst.args)
    const theirs = ref.decl.generics?.params ?? []
    const own = found.decl.generics?.params ?? []
    for (let i = 0; i < Math.min(own.length, theirs.length); i++) {
      const arg = ref.subst.args.get(theirs[i]!.id)
      if (arg !== undefined) args.set(own[i]!.id, arg)
    }
    return { kind: 'direct', decl: found.decl, subst: { args, self: null } }
  }
  if (!ref.decl.hasBody) return ref
  return { kind: 'direct', decl: ref.decl, subst: compose(ref.subst, substFor(ref.iface.decl, ref.iface.args, ref.type)) }
}

/** The function of a type that meets a requirement, with the generic parameters around it; null where it has none of its own. */
function implementation(cx: Cx, type: Type, iface: InterfaceType, requirement: FuncDecl): { readonly decl: FuncDecl, readonly subst: Subst } | null {
  const members = membersOf(cx, type, requirement.of === null ? requirement.name : requirement.of.name).filter(m => m.via < 2)
  let loose: { readonly decl: FuncDecl, readonly subst: Subst } | null = null
  for (const m of members) {
    for (const decl of functionsOf(cx, m, requirement)) {
      // What does not fit is another function than what the compiler would make.
      if (isOwn(requirement) && !fits(cx, decl, m.subst, requirement, iface, type)) continue
      if (fits(cx, decl, m.subst, requirement, iface, type)) return { decl, subst: m.subst }
      if (funcSig(cx, decl).params.length === funcSig(cx, requirement).params.length) loose ??= { decl, subst: m.subst }
    }
  }
  return loose
}

/** The functions of a member that could meet a requirement: itself, with packs as long as there, or the accessor of the same kind. */
function functionsOf(cx: Cx, m: Member, requirement: FuncDecl): readonly FuncDecl[] {
  if (m.decl.kind === 'func') {
    // A static function does what one of an object should, without it.
    if (requirement.of !== null || (m.decl.role !== requirement.role && (m.decl.role !== 'static' || requirement.role !== 'method'))) return []
    if (m.decl.generics?.packed !== true) return [m.decl]
    const counts = cx.of(requirement).variadic.get(requirement)
    const made = counts?.length === packsOf(m.decl.generics).length ? writtenOut(cx, m.decl, counts) : null
    return made === null ? [] : [made]
  }
  if (m.decl.kind === 'property' || m.decl.kind === 'subscript') return m.decl.accessors.filter(a => a.accessor === requirement.accessor)
  return []
}

/** Whether a value of one type serves as one of another. */
type Serves = (cx: Cx, from: Type, to: Type, dir: 'in' | 'out' | 'inout') => boolean

const alike: Serves = (_, from, to) => same(from, to) || poisoned(from) || poisoned(to)

/** A call of the requirement converts numbers that it hands on, and the number that comes back. */
const adapts: Serves = (cx, from, to, dir) => alike(cx, from, to, dir)
  || (dir === 'in' && isNumber(from) && isNumber(to) && (typeCost(cx, from, to) ?? explicitOnly) < explicitOnly)

const isNumber = (type: Type): boolean => type.kind === 'scalar' || type.kind === 'vector' || type.kind === 'matrix'

function fits(cx: Cx, decl: FuncDecl, subst: Subst, requirement: FuncDecl, iface: InterfaceType, type: Type, serves: Serves = alike): boolean {
  const [own, theirs] = [decl.generics?.params ?? [], requirement.generics?.params ?? []]
  if (own.length !== theirs.length) return false
  const renamed = new Map<number, GenericArg>(substFor(iface.decl, iface.args, type).args)
  for (let i = 0; i < theirs.length; i++) renamed.set(theirs[i]!.id, own[i]!.kind === 'typeparam' ? paramType(own[i] as Parameters<typeof paramType>[0]) : intParam(own[i] as Parameters<typeof intParam>[0]))
  const want = template(cx, requirement, { args: renamed, self: type })
  const got = template(cx, decl, subst)
  // One that changes its object would change a copy of it.
  return (want.mutating || !got.mutating) && want.params.length === got.params.length && want.params.every((p, i) => p.dir === got.params[i]!.dir && serves(cx, p.type, got.params[i]!.type, p.dir))
    && (decl.role === 'constructor' || serves(cx, got.result, want.result, 'in'))
}

// ── Checking ─────────────────────────────────────────────────────────────────────────────────────────────────────

/** Reports what a type or extension lacks for the interfaces that it declares. */
export function checkConformances(cx: Cx, decl: StructDecl | EnumDecl | ExtensionDecl): void {
  const type = selfType(cx, decl)
  if (type === null || type.kind === 'error' || type.kind === 'interface' || isOpen(type)) return
  const bases = decl.kind === 'extension' ? extensionInfo(cx, decl)?.bases ?? [] : declaredBases(cx, decl)
  const seen = new Set<string>()
  for (const b of bases) {
    for (const iface of closure(cx, b)) {
      if (seen.has(iface.key)) continue
      seen.add(iface.key)
      checkInterface(cx, decl, type, iface)
    }
  }
  if (decl.kind !== 'struct') return
  checkDifferential(cx, decl)
  checkPlaceDifferential(cx, decl)
}

type ConformingDecl = Decl & { readonly kind: 'struct' | 'enum' | 'extension' }

function checkInterface(cx: Cx, decl: ConformingDecl, type: Type, iface: InterfaceType): void {
  if (iface.decl.module.isCore) {
    // The compiler makes what these require, or the type is built in.
    if (iface.decl.name === 'IDifferentiable' || /^I(Differentiable)?(Mutating)?Func$/.test(iface.decl.name) || iface.decl.name.startsWith('__') || type.kind !== 'struct') return
  }
  for (const list of iface.decl.inner.names.values()) {
    for (const requirement of list) {
      switch (requirement.kind) {
        case 'func': checkFunction(cx, decl, type, iface, requirement); break
        case 'property': case 'subscript': for (const a of requirement.accessors) checkFunction(cx, decl, type, iface, a); break
        case 'assoc':
          if (requirement.syntax.fallback === undefined && !hasMember(cx, type, requirement.name)) missing(cx, decl, type, iface, requirement.name)
          else if (!iface.decl.module.isCore) checkAssociated(cx, decl, type, iface, requirement)
          break
        case 'global':
          if (!hasMember(cx, type, requirement.name)) missing(cx, decl, type, iface, requirement.name)
          break
        default:
      }
    }
  }
}

/** Reports where the type that stands for an associated one lacks what is asked of that. */
function checkAssociated(cx: Cx, decl: ConformingDecl, type: Type, iface: InterfaceType, requirement: AssocDecl): void {
  const subst = substFor(iface.decl, iface.args, type)
  const given = associated(cx, type, iface, requirement)
  const at = membersOf(cx, type, requirement.name)[0]?.decl ?? decl
  const span = at.kind === 'module' ? undefined : at.span ?? undefined
  for (const b of assocBounds(cx, requirement)) {
    const bound = put(cx, b, subst) as InterfaceType
    if (!poisoned(given) && !conforms(cx, given, bound)) cx.sink.add(generics.doesNotConform, span, { type: show(given), interface: show(bound) })
  }
  for (const [open, is] of settledOf(cx, requirement)) {
    const [found, wanted] = [put(cx, open, subst), put(cx, is, subst)]
    if (!poisoned(found) && !same(found, wanted)) cx.sink.add(typeMismatch, span, { expected: show(wanted), got: show(found) })
  }
}

const hasMember = (cx: Cx, type: Type, name: string): boolean => membersOf(cx, type, name).some(m => m.via < 2)

function missing(cx: Cx, decl: ConformingDecl, type: Type, iface: InterfaceType, name: string): void {
  cx.sink.add(generics.missingRequirement, decl.span ?? undefined, { type: show(type), name, interface: show(iface) })
}

function mismatched(cx: Cx, at: Exclude<Decl, { readonly kind: 'module' }>, type: Type, iface: InterfaceType, requirement: FuncDecl, name: string): void {
  cx.sink.add(generics.requirementMismatch, at.span ?? undefined, { type: show(type), name, interface: show(iface) },
    { span: requirement.span ?? undefined, text: 'required here' })
}

function checkFunction(cx: Cx, decl: ConformingDecl, type: Type, iface: InterfaceType, asked: FuncDecl): void {
  // Of packs, those with one part each stand for all.
  const requirement = asked.generics?.packed === true ? writtenOut(cx, asked, packsOf(asked.generics).map(() => 1)) ?? asked : asked
  const name = requirement.of === null ? requirement.name : requirement.of.name
  const members = membersOf(cx, type, name).filter(m => m.via < 2)
  const found = implementation(cx, type, iface, requirement)
  if (found === null) {
    if (requirement.hasBody) return
    // A field serves as a property.
    if (requirement.of?.kind === 'property' && members.some(m => m.decl.kind === 'field')) return
    const other = members.find(m => functionsOf(cx, m, requirement).length > 0)
    if (other !== undefined && other.decl.kind !== 'module') mismatched(cx, other.decl, type, iface, requirement, name)
    else missing(cx, decl, type, iface, name === 'operator[]' ? '__subscript' : name)
    return
  }
  if (!fits(cx, found.decl, found.subst, requirement, iface, type)) {
    if (requirement.hasBody) return
    if (!fits(cx, found.decl, found.subst, requirement, iface, type, adapts)) {
      cx.sink.add(generics.requirementMismatch, found.decl.span ?? undefined, { type: show(type), name, interface: show(iface) },
        { span: requirement.span ?? undefined, text: 'required here' })
      return
    }
  }
  if (requirement.module.isCore) return
  if (requirement.hasBody && requirement.of === null && !hasModifier(found.decl.syntax, 'override')) cx.sink.add(generics.missingOverride, found.decl.span ?? undefined, { name, interface: show(iface) })
  const [want, got] = [attributesOf(cx, requirement), attributesOf(cx, found.decl)]
  if (want.treatAsDifferentiable) return
  if (want.level !== 'none' && (got.level === 'none' || (want.level === 'backward' && got.level === 'forward'))) {
    cx.sink.add(generics.notDifferentiableRequirement, found.decl.span ?? undefined, { type: show(type), name, interface: show(iface) },
      { span: requirement.span ?? undefined, text: 'required here' })
  }
}

/** Checks a hand-written `Differential` and `[DerivativeMember]`. */
function checkDifferential(cx: Cx, decl: StructDecl): void {
  const type = selfType(cx, decl)
  if (type === null || type.kind !== 'struct') return
  const diff = differentialOf(cx, type)
  for (const f of fieldSigs(cx, decl)) {
    const attribute = f.decl.syntax?.attributes.find(a => a.name === 'DerivativeMember')
    const own = f.noDiff ? null : differentialOf(cx, f.type)
    if (attribute !== undefined) {
      if (diff === null) cx.sink.add(derivative.memberOfPlainType, attribute.span, { type: show(type) })
      else if (own === null) cx.sink.add(derivative.memberNotDifferentiable, attribute.span, { name: f.decl.name })
      else if (!namesMemberOf(cx, decl, f.decl, diff)) {
        cx.sink.add(derivative.noDerivativeMember, attribute.span, { name: derivativeMember(f.decl) ?? '?', differential: show(diff) })
      }
    }
  }
  const written = userDifferential(cx, type)
  if (diff === null || written === null || written.kind === 'error') return
  if (diff.kind === 'struct') checkCounterparts(cx, decl, diff)
  const again = differentialOf(cx, written)
  if (again === null || !same(again, written)) {
    cx.sink.add(derivative.ownDifferential, decl.span ?? undefined, { type: show(written), differential: again === null ? 'none' : show(again) })
    return
  }
  for (const f of fieldSigs(cx, decl)) {
    if (f.noDiff || differentialOf(cx, f.type) === null || f.decl.syntax?.attributes.some(a => a.name === 'DerivativeMember') === true) continue
    if (same(written, type)) continue
    cx.sink.add(derivative.noCounterpart, f.decl.span ?? undefined, { name: f.decl.name, type: show(type), differential: show(written) })
  }
}

/** Whether `[DerivativeMember]` of a field names a field of the differential, and not one of another type. */
function namesMemberOf(cx: Cx, decl: StructDecl, field: FieldDecl, diff: Type): boolean {
  if (diff.kind !== 'struct' || !diff.decl.fields.some(t => t.name === derivativeMember(field))) return false
  const arg = field.syntax?.attributes.find(a => a.name === 'DerivativeMember')?.args[0]?.value
  if (arg?.kind !== 'member') return true
  const owner = checkExpr(new Env(cx, decl.inner), arg.base)
  return owner.kind === 'type' ? same(owner.type, diff) : owner.kind !== 'value' && owner.kind !== 'place'
}

/** The differential of a type of places is one too, and its own. */
function checkPlaceDifferential(cx: Cx, decl: StructDecl): void {
  const type = selfType(cx, decl)
  const diff = type === null ? null : placeDifferentialOf(cx, type)
  if (diff === null) return
  const again = placeDifferentialOf(cx, diff)
  if (again === null || !same(again, diff)) cx.sink.add(derivative.ownDifferential, decl.span ?? undefined, { type: show(diff), differential: again === null ? 'none' : show(again) })
}

/** The counterpart of a field must be of the field's differential type. */
function checkCounterparts(cx: Cx, decl: StructDecl, diff: StructType): void {
  const subst = substFor(diff.decl, diff.args, null)
  const theirs = fieldSigs(cx, diff.decl)
  for (const f of fieldSigs(cx, decl)) {
    const own = f.noDiff ? null : differentialOf(cx, f.type)
    const target = theirs.find(t => t.decl.name === (derivativeMember(f.decl) ?? f.decl.name))
    if (own === null || target === undefined) continue
    const got = put(cx, target.type, subst)
    if (same(own, got) || poisoned(own) || poisoned(got)) continue
    cx.sink.add(derivative.counterpartType, f.decl.span ?? undefined, { name: f.decl.name, counterpart: `${show(diff)}.${target.decl.name}`, expected: show(own), got: show(got) })
  }
}

/** The value that a type has for a constant that an interface requires, as the declaration that holds it. */
export function requiredConstant(cx: Cx, type: Type, name: string): Member | null {
  const m = membersOf(cx, type, name).find(x => x.decl.kind === 'global' && x.via < 2)
  if (m === undefined || m.decl.kind !== 'global') return null
  globalInfo(cx, m.decl)
  return m
}

/** What a type has for an integer constant that an interface requires; `base.name` as it stands while that is not known. */
export function knownConstant(cx: Cx, base: Type, name: string): Int {
  if (name === 'sizeof' || name === 'alignof') {
    if (isGeneric(base)) return intMember(base, name)
    const size = byteSize(cx, base)
    if (size === null) cx.sink.add(unsupported, undefined, { feature: `${name} of ${show(base)}` })
    return intConst(size === null ? 1 : name === 'sizeof' ? size.size : size.align)
  }
  const member = requiredConstant(cx, base, name)
  const init = member?.decl.kind === 'global' ? globalInit(cx, member.decl) : null
  if (member === null || init === null) return intMember(base, name)
  const value = foldExpr(cx, init, member.subst)
  // What it is made of may be required of other types in turn.
  return value === null ? intMember(base, name) : substituteInt(value, member.subst, (of, other) => knownConstant(cx, of, other))
}
