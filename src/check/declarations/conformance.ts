/** Checks the conformances that types and extensions declare. */
import type { Span } from '../../base/source.ts'
import * as derivative from '../../base/errors/derivative.ts'
import * as generics from '../../base/errors/generics.ts'
import { noMember } from '../../base/errors/names.ts'
import { typeMismatch } from '../../base/errors/types.ts'
import { hasModifier } from '../../syntax/ast.ts'
import type {
  AssocDecl,
  Decl,
  EnumDecl,
  ExtensionDecl,
  FieldDecl,
  FuncDecl,
  InterfaceType,
  StructDecl,
  StructType,
  Type,
} from '../model/decl.ts'
import { Env, type Cx } from '../model/context.ts'
import {
  adapts,
  assocBounds,
  factsOf,
  associated,
  attributesOf,
  closure,
  conforms,
  declaredBases,
  derivativeAttribute,
  derivativeMember,
  differentialOf,
  extensionInfo,
  externFields,
  fieldSigs,
  fieldType,
  functionsOf,
  implementation,
  meets,
  membersOf,
  packsOf,
  shadowOf,
  put,
  resolveType,
  selfType,
  substFor,
  template,
  userDifferential,
  writtenOut,
} from '../types/index.ts'
import { checkExpr } from '../expressions/index.ts'
import { isIntName, isOpen, poisoned, same, show, vectorType } from '../model/type.ts'

/** Reports what a type or extension lacks for the interfaces that it declares. */
export function checkConformances(cx: Cx, decl: StructDecl | EnumDecl | ExtensionDecl): void {
  const type = selfType(cx, decl)
  if (type === null || type.kind === 'error' || type.kind === 'interface' || isOpen(type)) return
  const bases = decl.kind === 'extension' ? (extensionInfo(cx, decl)?.bases ?? []) : declaredBases(cx, decl)
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
  checkPointerDifferential(cx, decl)
}

type ConformingDecl = Decl & { readonly kind: 'struct' | 'enum' | 'extension' }

function checkInterface(cx: Cx, decl: ConformingDecl, type: Type, iface: InterfaceType): void {
  if (iface.decl.module.isCore) {
    // The compiler makes what these require, or the type is built in.
    if (
      iface.decl.name === 'IDifferentiable' ||
      /^I(Differentiable)?(Mutating)?Func$/.test(iface.decl.name) ||
      iface.decl.name.startsWith('__') ||
      type.kind !== 'struct'
    )
      return
  }
  if (cx.interfacesWithFacts.has(iface.decl)) checkFacts(cx, decl, type, iface)
  for (const list of iface.decl.inner.names.values()) {
    for (const requirement of list) {
      switch (requirement.kind) {
        case 'func':
          checkFunction(cx, decl, type, iface, requirement)
          break
        case 'property':
        case 'subscript':
          for (const a of requirement.accessors) checkFunction(cx, decl, type, iface, a)
          break
        case 'assoc':
          if (requirement.syntax.fallback === undefined && !hasMember(cx, type, requirement.name))
            missing(cx, decl, type, iface, requirement.name)
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

/** Reports an associated type that does not conform to the requirement's bounds. */
function checkAssociated(cx: Cx, decl: ConformingDecl, type: Type, iface: InterfaceType, requirement: AssocDecl): void {
  const subst = substFor(iface.decl, iface.args, type)
  const given = associated(cx, type, iface, requirement)
  const at = membersOf(cx, type, requirement.name)[0]?.decl ?? decl
  const span = at.kind === 'module' ? undefined : (at.span ?? undefined)
  for (const b of assocBounds(cx, requirement)) {
    const bound = put(cx, b, subst) as InterfaceType
    if (!poisoned(given) && !conforms(cx, given, bound))
      cx.sink.add(generics.doesNotConform, span, { type: show(given), interface: show(bound) })
  }
}

/** Reports associated types that are not what the `where` clauses of an interface say. */
function checkFacts(cx: Cx, decl: ConformingDecl, type: Type, iface: InterfaceType): void {
  const subst = substFor(iface.decl, iface.args, type)
  const { bounds, equal } = factsOf(cx, iface.decl)
  const spanOf = (of: Type): Span | undefined => {
    let first = of
    while (first.kind === 'assoc' && first.base.kind === 'assoc') first = first.base
    const at = first.kind === 'assoc' ? membersOf(cx, type, first.decl.name)[0]?.decl : undefined
    return (at === undefined || at.kind === 'module' ? decl.span : at.span) ?? undefined
  }
  for (const [of, bound] of bounds) {
    const [found, wanted] = [put(cx, of, subst), put(cx, bound, subst) as InterfaceType]
    if (!poisoned(found) && !conforms(cx, found, wanted))
      cx.sink.add(generics.doesNotConform, spanOf(of), { type: show(found), interface: show(wanted) })
  }
  for (const [of, is] of equal) {
    const [found, wanted] = [put(cx, of, subst), put(cx, is, subst)]
    if (!poisoned(found) && !poisoned(wanted) && !same(found, wanted))
      cx.sink.add(typeMismatch, spanOf(of), { expected: show(wanted), got: show(found) })
  }
}

const hasMember = (cx: Cx, type: Type, name: string): boolean => membersOf(cx, type, name).some(m => m.via < 2)

function missing(cx: Cx, decl: ConformingDecl, type: Type, iface: InterfaceType, name: string): void {
  cx.sink.add(generics.missingRequirement, decl.span ?? undefined, { type: show(type), name, interface: show(iface) })
}

function mismatched(
  cx: Cx,
  at: Exclude<Decl, { readonly kind: 'module' }>,
  type: Type,
  iface: InterfaceType,
  requirement: FuncDecl,
  name: string,
): void {
  cx.sink.add(
    generics.requirementMismatch,
    at.span ?? undefined,
    { type: show(type), name, interface: show(iface) },
    { span: requirement.span ?? undefined, text: 'required here' },
  )
}

/** Whether a requirement asks for the elements of an array, vector or matrix, which the compiler itself gives. */
function isElement(cx: Cx, type: Type, iface: InterfaceType, requirement: FuncDecl): boolean {
  if (requirement.of?.kind !== 'subscript' || requirement.accessor === 'ref') return false
  const elem =
    type.kind === 'array' || type.kind === 'vector'
      ? type.elem
      : type.kind === 'matrix'
        ? vectorType(type.elem, type.cols)
        : null
  if (elem === null) return false
  const { params, result } = template(cx, requirement, substFor(iface.decl, iface.args, type))
  const index = params[0]?.type
  return (
    index?.kind === 'scalar' &&
    isIntName(index.name) &&
    (requirement.accessor === 'get'
      ? params.length === 1 && same(result, elem)
      : params.length === 2 && same(params[1]!.type, elem))
  )
}

function checkFunction(cx: Cx, decl: ConformingDecl, type: Type, iface: InterfaceType, asked: FuncDecl): void {
  // Of packs, those with one part each stand for all.
  const requirement =
    asked.generics?.packed === true
      ? (writtenOut(
          cx,
          asked,
          packsOf(asked.generics).map(() => 1),
        ) ?? asked)
      : asked
  const name = requirement.of === null ? requirement.name : requirement.of.name
  const members = membersOf(cx, type, name).filter(m => m.via < 2)
  const found = implementation(cx, type, iface, requirement)
  if (found === null) {
    if (requirement.hasBody || isElement(cx, type, iface, requirement)) return
    // A field serves as a property.
    if (requirement.of?.kind === 'property' && members.some(m => m.decl.kind === 'field')) return
    const other = members.find(m => functionsOf(cx, m, requirement).length > 0)
    if (other !== undefined && other.decl.kind !== 'module') mismatched(cx, other.decl, type, iface, requirement, name)
    else missing(cx, decl, type, iface, name === 'operator[]' ? '__subscript' : name)
    return
  }
  if (!meets(cx, found.decl, found.subst, requirement, iface, type)) {
    if (requirement.hasBody) return
    if (!meets(cx, found.decl, found.subst, requirement, iface, type, adapts)) {
      cx.sink.add(
        generics.requirementMismatch,
        found.decl.span ?? undefined,
        { type: show(type), name, interface: show(iface) },
        { span: requirement.span ?? undefined, text: 'required here' },
      )
      return
    }
  }
  if (requirement.module.isCore) return
  if (requirement.hasBody && requirement.of === null && !hasModifier(found.decl.syntax, 'override'))
    cx.sink.add(generics.missingOverride, found.decl.span ?? undefined, { name, interface: show(iface) })
  const target = cx.bridgeTargets.get(found.decl) ?? found.decl
  const [want, got] = [attributesOf(cx, requirement), attributesOf(cx, target)]
  if (want.treatAsDifferentiable) return
  if (want.level !== 'none' && (got.level === 'none' || (want.level === 'backward' && got.level === 'forward'))) {
    cx.sink.add(
      generics.notDifferentiableRequirement,
      found.decl.span ?? undefined,
      { type: show(type), name, interface: show(iface) },
      { span: requirement.span ?? undefined, text: 'required here' },
    )
  }
}

/** Checks the fields that an extension declares again: the type must have them. */
export function checkExternFields(cx: Cx, decl: ExtensionDecl): void {
  const type = extensionInfo(cx, decl)?.target
  if (type === undefined || poisoned(type)) return
  for (const { name, type: written } of externFields(decl)) {
    const field = type.kind === 'struct' ? type.decl.fields.find(f => f.name === name.text) : undefined
    if (type.kind !== 'struct' || field === undefined) {
      cx.sink.add(noMember, name.span, { name: name.text, type: show(type) })
      continue
    }
    const has = put(cx, fieldType(cx, field), substFor(type.decl, type.args, null))
    const said = written === undefined ? has : resolveType(cx, written, decl.inner)
    if (!same(said, has) && !poisoned(said) && !poisoned(has))
      cx.sink.add(typeMismatch, written?.span ?? name.span, { expected: show(has), got: show(said) })
  }
}

/** Checks a hand-written `Differential` and `[DerivativeMember]`. */
function checkDifferential(cx: Cx, decl: StructDecl): void {
  const type = selfType(cx, decl)
  if (type === null || type.kind !== 'struct') return
  const diff = differentialOf(cx, type)
  for (const f of fieldSigs(cx, decl)) {
    const attribute = derivativeAttribute(cx, f.decl)
    const own = f.noDiff ? null : differentialOf(cx, f.type)
    if (attribute !== undefined) {
      if (diff === null) {
        // An extension may make some instances of a generic type differentiable, and not the others.
        if (f.decl.syntax?.attributes.includes(attribute) === true)
          cx.sink.add(derivative.memberOfPlainType, attribute.span, { type: show(type) })
      } else if (own === null) cx.sink.add(derivative.memberNotDifferentiable, attribute.span, { name: f.decl.name })
      else if (!namesMemberOf(cx, decl, f.decl, diff)) {
        cx.sink.add(derivative.noDerivativeMember, attribute.span, {
          name: derivativeMember(cx, f.decl) ?? '?',
          differential: show(diff),
        })
      }
    }
  }
  const written = userDifferential(cx, type)
  if (diff === null || written === null || written.kind === 'error') return
  if (diff.kind === 'struct') checkCounterparts(cx, decl, diff)
  const again = differentialOf(cx, written)
  if (again === null || !same(again, written)) {
    cx.sink.add(derivative.ownDifferential, decl.span ?? undefined, {
      type: show(written),
      differential: again === null ? 'none' : show(again),
    })
    return
  }
  for (const f of fieldSigs(cx, decl)) {
    if (f.noDiff || differentialOf(cx, f.type) === null || derivativeAttribute(cx, f.decl) !== undefined) continue
    if (same(written, type)) continue
    cx.sink.add(derivative.noCounterpart, f.decl.span ?? undefined, {
      name: f.decl.name,
      type: show(type),
      differential: show(written),
    })
  }
}

/** Whether `[DerivativeMember]` of a field names a field of the differential, and not one of another type. */
function namesMemberOf(cx: Cx, decl: StructDecl, field: FieldDecl, diff: Type): boolean {
  if (diff.kind !== 'struct' || !diff.decl.fields.some(t => t.name === derivativeMember(cx, field))) return false
  const arg = derivativeAttribute(cx, field)?.args[0]?.value
  if (arg?.kind !== 'member') return true
  const owner = checkExpr(new Env(cx, decl.inner), arg.base)
  return owner.kind === 'type' ? same(owner.type, diff) : owner.kind !== 'value' && owner.kind !== 'place'
}

/** The differential of a pointer type is a pointer type too, and its own differential. */
function checkPointerDifferential(cx: Cx, decl: StructDecl): void {
  const type = selfType(cx, decl)
  const diff = type === null ? null : shadowOf(cx, type)
  if (diff === null) return
  const again = shadowOf(cx, diff)
  if (again === null || !same(again, diff))
    cx.sink.add(derivative.ownDifferential, decl.span ?? undefined, {
      type: show(diff),
      differential: again === null ? 'none' : show(again),
    })
}

/** The counterpart of a field must be of the field's differential type. */
function checkCounterparts(cx: Cx, decl: StructDecl, diff: StructType): void {
  const subst = substFor(diff.decl, diff.args, null)
  const theirs = fieldSigs(cx, diff.decl)
  for (const f of fieldSigs(cx, decl)) {
    const own = f.noDiff ? null : differentialOf(cx, f.type)
    const target = theirs.find(t => t.decl.name === (derivativeMember(cx, f.decl) ?? f.decl.name))
    if (own === null || target === undefined) continue
    const got = put(cx, target.type, subst)
    if (same(own, got) || poisoned(own) || poisoned(got)) continue
    cx.sink.add(derivative.counterpartType, f.decl.span ?? undefined, {
      name: f.decl.name,
      counterpart: `${show(diff)}.${target.decl.name}`,
      expected: show(own),
      got: show(got),
    })
  }
}
