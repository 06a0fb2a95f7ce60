/** Names and members, as values and as places that can be written. */
import * as names from '../../base/errors/names.ts'
import { isResource } from '../model/builtin.ts'
import type { Span } from '../../base/source.ts'
import type * as ast from '../../syntax/ast.ts'
import { bitsTerm } from './bits.ts'
import { isPointer, pointee } from './pointer.ts'
import { candidatesOf } from './call.ts'
import {
  builtinTerm,
  closure,
  declared,
  describe,
  differentialOf,
  enumValue,
  extensionInfo,
  fieldType,
  funcSig,
  globalInfo,
  isDescriptor,
  foreignFeature,
  isMutating,
  lookup,
  membersOf,
  objectFor,
  put,
  resolveType,
  suggestMember,
  suggestName,
  termType,
  typeTerm,
  type Found,
  type Member,
} from '../types/index.ts'
import type { Cx, Env } from '../model/context.ts'
import type {
  Decl,
  FieldDecl,
  FuncDecl,
  GlobalDecl,
  PropertyDecl,
  SubscriptDecl,
  ValueParamDecl,
} from '../model/decl.ts'
import { toExpr } from './expr.ts'
import { swizzle } from './swizzle.ts'
import { emptyError, errorTerm, funcsOf, typeOf, value, type Candidate, type Term } from '../model/term.ts'
import type { Arg, Expr, Place } from '../model/tree.ts'
import type { FuncRef } from '../model/func-ref.ts'
import {
  errorType,
  intParam,
  intType,
  isFloatName,
  noSubst,
  poisoned,
  show,
  structType,
  type StructType,
  type Subst,
  type Type,
  isWrapper,
} from '../model/type.ts'

/** The implicit object of member names, as a term; null if there is none. */
export function objectTerm(env: Env, place: Place | null): Term | null {
  return place === null ? null : { kind: 'place', place, fixed: env.selfFixed }
}

/** What a name means where it stands. */
export function nameTerm(env: Env, e: ast.NameExpr): Term {
  const { cx } = env
  const found = lookup(cx, env.scope, e.name, e.global)
  const first = found[0]
  if (first === undefined) {
    const builtin = builtinTerm(e.name)
    if (builtin !== null) return builtin
    const feature = foreignFeature(cx, e.name)
    if (feature !== null) cx.lacks.push({ span: e.span, feature })
    else cx.sink.add(names.undefinedName, e.span, { name: e.name }, ...suggestName(cx, env.scope, e.name))
    return errorTerm
  }
  cx.observer?.named(e.span, first.decl)
  if (first.decl.kind === 'func') return funcsTerm(env, e.name, found, e.span)
  return foundTerm(env, first, e.span)
}

function funcsTerm(env: Env, name: string, found: readonly Found[], span: Span): Term {
  const candidates: Candidate[] = []
  for (const f of found) {
    if (f.decl.kind !== 'func') continue
    const object = objectTerm(env, env.objectOf(f.type, span))
    if (f.member !== null) candidates.push(...candidatesOf(env.cx, [f.member], object, f.distance))
    else
      candidates.push({
        decl: f.decl,
        subst: noSubst,
        requirement: null,
        distance: f.distance,
        steps: 0,
        via: 0,
        extensionParams: 0,
        object: null,
      })
  }
  return funcsOf(name, candidates)
}

function foundTerm(env: Env, found: Found, span: Span): Term {
  const { decl, member, type } = found
  const term =
    member !== null && type !== null
      ? memberDeclTerm(env, objectTerm(env, env.objectOf(type, span)), type, [member], span)
      : declTerm(env, decl, span)
  return noteLack(env, term, span)
}

/** Notes the use of a type that no target has, or of a variable, field or property of such a type. */
function noteLack(env: Env, term: Term, span: Span): Term {
  const type = term.kind === 'type' ? term.type : typeOf(term)
  if (type?.kind === 'error' && type.lack !== undefined) env.cx.lacks.push({ ...type.lack, span })
  return term
}

function declTerm(env: Env, decl: Decl, span: Span): Term {
  const { cx } = env
  switch (decl.kind) {
    case 'local':
      return {
        kind: 'place',
        place: { kind: 'local', type: decl.type, span, decl },
        fixed: decl.constant ? `${decl.name} is constant` : null,
      }
    case 'parameter':
      return {
        kind: 'place',
        place: { kind: 'param', type: decl.type, span, decl },
        fixed: decl.constant ? `${decl.name} is constant` : null,
      }
    case 'global':
      return globalTerm(env, decl, span)
    case 'namespace':
      return { kind: 'namespace', decl }
    case 'valueparam':
      return value({ kind: 'int', type: valueParamType(cx, decl), span, value: intParam(decl) })
    case 'case':
      return caseTerm(cx, decl, span)
    case 'field': {
      // A member of a cbuffer, which is seen from outside.
      const block = cx.blockMembers.get(decl)
      if (block === undefined) break
      const base: Place = { kind: 'global', type: structType(block.block!, []), span, decl: block, subst: noSubst }
      return {
        kind: 'place',
        place: { kind: 'field', type: fieldType(cx, decl), span, base, field: decl },
        fixed: 'it is a shader parameter',
      }
    }
    case 'property':
      return propertyTerm(env, null, decl, noMember(decl), span)
    default: {
      const term = typeTerm(cx, decl, noSubst, null)
      if (term !== null) return term
    }
  }
  cx.sink.add(names.expectedValue, span, { what: decl.name })
  return errorTerm
}

/** The type of a generic parameter that is a value: `let N : int`, or an enum. */
function valueParamType(cx: Cx, decl: ValueParamDecl): Type {
  const type = resolveType(cx.of(decl), decl.syntax.type, decl.scope)
  // Other types are reported where the parameter is declared.
  return type.kind === 'enum' || (type.kind === 'scalar' && !isFloatName(type.name)) ? type : intType
}

const noMember = (decl: Decl): Member => ({ decl, subst: noSubst, via: 0, extensionParams: 0, requirement: null })

function caseTerm(cx: Cx, decl: Decl & { readonly kind: 'case' }, span: Span): Term {
  const type: Type = { kind: 'enum', key: `${decl.owner.name}@${decl.owner.id}`, decl: decl.owner }
  return value({ kind: 'const', type, span, value: enumValue(cx, decl) })
}

function globalTerm(env: Env, decl: GlobalDecl, span: Span, member: Member | null = null): Term {
  const info = globalInfo(env.cx, decl)
  const subst = member?.subst ?? noSubst
  const type = put(env.cx, info.type, subst)
  if (poisoned(type)) {
    if (type.kind === 'error' && type.lack !== undefined) env.cx.lacks.push({ ...type.lack, span })
    return errorTerm
  }
  if (decl.storage === 'parameter' && type.kind === 'array' && type.count === null)
    env.cx.lacks.push({ span, feature: `${decl.name}, an array without a length` })
  const fixed =
    decl.storage === 'constant'
      ? `${decl.name} is constant`
      : decl.storage === 'static' || decl.storage === 'groupshared'
        ? null
        : 'it is a shader parameter'
  return { kind: 'place', place: { kind: 'global', type, span, decl, subst }, fixed }
}

// ── Members ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** `base.name` and `base::name`. */
export function memberTerm(env: Env, base: Term, name: string, span: Span): Term {
  const { cx } = env
  switch (base.kind) {
    case 'error':
      return base
    case 'namespace': {
      const found: Decl[] = []
      declared(cx, base.decl.inner, name, env.scope, decl => {
        if (!found.includes(decl)) found.push(decl)
      })
      const first = found[0]
      if (first === undefined) {
        cx.sink.add(names.noNamespaceMember, span, { name, namespace: base.decl.name })
        return errorTerm
      }
      cx.observer?.named(span, first)
      if (first.kind === 'func')
        return funcsTerm(
          env,
          name,
          found.map(decl => ({ decl, distance: 0, member: null, type: null })),
          span,
        )
      return declTerm(env, first, span)
    }
    case 'type':
      return staticMember(env, base.type, name, span)
    case 'open':
      if (name === 'Handle') return memberTerm(env, { kind: 'type', type: termType(cx, base, span) }, name, span)
      cx.sink.add(names.expectedValue, span, { what: describe(base) })
      return errorTerm
    case 'funcs':
      // `f.fwd_diff(…)` is `fwd_diff(f)(…)`.
      if (name === 'fwd_diff' || name === 'bwd_diff')
        return { ...base, modes: [...base.modes, name === 'fwd_diff' ? 'forward' : 'backward'] }
      cx.sink.add(names.expectedValue, span, { what: describe(base) })
      return errorTerm
    case 'list':
      cx.sink.add(names.expectedValue, span, { what: describe(base) })
      return errorTerm
    case 'value':
    case 'place':
      return noteLack(env, valueMember(env, base, name, span), span)
  }
}

/** `S::p::get` and `S::__subscript::set`, which derivatives may name; null for anything else. */
export function accessorsTerm(env: Env, { base, name }: ast.MemberExpr): Term | null {
  const { cx } = env
  if (base.kind !== 'member' || (!/^(?:get|set|ref)$/.test(name.text) && base.name.text !== '__subscript')) return null
  const type = cx.above.term(env, base.base)
  if (type.kind !== 'type') return null
  const members = membersOf(cx, type.type, base.name.text === '__subscript' ? 'operator[]' : base.name.text)
  const candidates: Candidate[] = []
  for (const m of members) {
    if (m.decl.kind !== 'property' && m.decl.kind !== 'subscript') return null
    cx.observer?.named(base.name.span, m.decl)
    for (const decl of m.decl.accessors)
      if (decl.accessor === name.text) candidates.push(...candidatesOf(cx, [{ ...m, decl }], null, 0))
  }
  if (members.length === 0) return null
  if (candidates.length > 0) return funcsOf(`${base.name.text}::${name.text}`, candidates)
  cx.sink.add(names.noMember, name.span, { name: name.text, type: base.name.text })
  return errorTerm
}

function staticMember(env: Env, type: Type, name: string, span: Span): Term {
  const { cx } = env
  if (type.kind === 'error') return errorTerm
  if (name === 'Differential') {
    const diff = differentialOf(cx, type)
    if (diff !== null) return { kind: 'type', type: diff }
  }
  if (type.kind === 'vector' && name === 'Element') return { kind: 'type', type: type.elem }
  const members = membersOf(cx, type, name)
  if (members.length === 0) {
    if (name === 'Handle' && isDescriptor(cx, type)) return { kind: 'type', type }
    reportMissing(cx, type, name, span)
    return errorTerm
  }
  return memberDeclTerm(env, null, type, members, span)
}

/** Reports that a type has no member of a name, or has it only where it conforms to an optional interface. */
function reportMissing(cx: Cx, type: Type, name: string, span: Span): void {
  const optional = cx.optionals.get(type.key)?.find(i => closure(cx, i).some(c => c.decl.inner.names.has(name)))
  if (optional !== undefined) cx.sink.add(names.unasked, span, { name, type: show(type), interface: show(optional) })
  else cx.sink.add(names.noMember, span, { name, type: show(type) }, ...suggestMember(cx, type, name))
}

function valueMember(env: Env, base: Term & { readonly kind: 'value' | 'place' }, name: string, span: Span): Term {
  const { cx } = env
  const type = typeOf(base)
  if (poisoned(type)) return errorTerm
  const swizzled = swizzle(env, base, type, name, span)
  if (swizzled !== null) return swizzled
  if (isPointer(type) && !cx.isCore) {
    const of = pointee(env, base, span)
    return of === null || (of.kind !== 'place' && of.kind !== 'value') ? errorTerm : valueMember(env, of, name, span)
  }
  if (type.kind === 'struct' && isWrapper(type)) {
    // `ConstantBuffer<T>` shows the members of what it holds.
    const held = type.args[0] as Type
    if (held.kind !== 'struct') return valueMember(env, unwrapped(base, held, span), name, span)
    const inner = membersOf(cx, held, name)
    if (inner.length > 0) return memberDeclTerm(env, base, held, inner, span)
  }
  const picked = type.kind === 'struct' && type.decl.intrinsic === 'Tuple' ? pick(env, base, name, span) : null
  if (picked !== null) return picked
  const members = membersOf(cx, type, name)
  if (members.length === 0) {
    if (name === 'Length' && type.kind === 'array' && type.count !== null)
      return value({ kind: 'int', type: intType, span, value: type.count })
    // WGSL lacks some of what textures and buffers have elsewhere.
    if (
      foreignFeature(cx, name) !== null ||
      (type.kind === 'struct' && isResource(type.decl) && /^(?:_Nv)?(?:Sample|Gather|Interlocked)/.test(name))
    ) {
      cx.lacks.push({ span, feature: `${name} of ${show(type)}` })
    } else reportMissing(cx, type, name, span)
    return errorTerm
  }
  return memberDeclTerm(env, base, type, members, span)
}

/** `t._2_0` of a tuple: a tuple of those parts. Null if the name has another form, or there is no such part. */
function pick(env: Env, base: Term & { readonly kind: 'value' | 'place' }, name: string, span: Span): Term | null {
  const at = /^(?:_\d+){2,8}$/.test(name) ? name.slice(1).split('_').map(Number) : []
  const type = typeOf(base) as StructType
  if (at.length === 0 || at.some(n => n >= type.args.length)) return null
  const made = env.cx.library.lookup(`__Tuple${at.length}`)[0]
  if (made?.kind !== 'struct') return null
  const of: Place = base.kind === 'place' ? base.place : { kind: 'temp', type, span, value: base.expr }
  const picked = structType(
    made,
    at.map(n => type.args[n]!),
  )
  const fixed = base.kind === 'place' ? base.fixed : 'it is a value'
  return {
    kind: 'place',
    place: { kind: 'parts', type: picked, span, base: of, at },
    fixed: fixed ?? (new Set(at).size < at.length ? 'a part stands in it twice' : null),
  }
}

/** What a `ConstantBuffer<T>` holds, as a value. */
export function unwrapped(
  base: Term & { readonly kind: 'value' | 'place' },
  held: Type,
  span: Span,
): Term & { readonly kind: 'value' } {
  const value: Expr =
    base.kind === 'value' ? base.expr : { kind: 'read', type: base.place.type, span, place: base.place }
  return { kind: 'value', expr: { kind: 'convert', type: held, span, value } }
}

function memberDeclTerm(env: Env, given: Term | null, type: Type, found: readonly Member[], span: Span): Term {
  const { cx } = env
  // Overloads may be more and less visible.
  const members = found.filter(m => visible(env, m.decl))
  const member = members[0] ?? found[0]!
  const object = member.decl.kind === 'func' ? given : objectFor(cx, given, member)
  const { decl } = member
  if (members.length === 0) {
    cx.sink.add(names.notVisible, span, { name: decl.name })
    return errorTerm
  }
  cx.observer?.named(span, decl)
  switch (decl.kind) {
    case 'func': {
      const candidates = candidatesOf(cx, members, object, 0)
      return funcsOf(decl.name, candidates)
    }
    case 'field':
      return object === null
        ? needObject(env, decl.name, span)
        : fieldTerm(object, decl, put(cx, fieldType(cx, decl), member.subst), span)
    case 'property':
      if (object === null && !decl.isStatic) return needObject(env, decl.name, span)
      return propertyTerm(env, object, decl, member, span)
    case 'global':
      if (decl.parent?.kind === 'interface') return requiredConstant(env, decl, member, type, span)
      return globalTerm(env, decl, span, member)
    case 'case':
      return caseTerm(cx, decl, span)
    default: {
      const term = typeTerm(cx, decl, member.subst, type)
      if (term !== null) return term
      cx.sink.add(names.expectedValue, span, { what: decl.name })
      return errorTerm
    }
  }
}

/** `T.N`, a constant that an interface requires of a type that is not known yet. */
function requiredConstant(env: Env, decl: GlobalDecl, member: Member, type: Type, span: Span): Term {
  const info = globalInfo(env.cx, decl)
  return {
    kind: 'place',
    place: {
      kind: 'global',
      type: put(env.cx, info.type, member.subst),
      span,
      decl,
      subst: { args: member.subst.args, self: type },
    },
    fixed: `${decl.name} is constant`,
  }
}

function needObject(env: Env, name: string, span: Span): Term {
  env.cx.sink.add(names.needsObject, span, { name })
  return errorTerm
}

/** Whether a declaration may be named here. */
export function visible(env: Env, decl: Decl): boolean {
  if (!('visibility' in decl)) return true
  const here = moduleOf(env)
  if (decl.visibility === 'public') return true
  if (here === null || decl.module.isCore) return true
  if (decl.visibility === 'internal') return decl.module === here
  // Members of a type, of its extensions and of types nested in it see what is private in the type and its extensions.
  const home = extendedBy(env.cx, decl.parent)
  for (let s: typeof env.scope | null = env.scope; s !== null; s = s.parent) {
    if (s.owner !== null && (s.owner === decl.parent || extendedBy(env.cx, s.owner) === home)) return true
  }
  return false
}

/** What a declaration is part of: for an extension of a struct or enum, that. */
function extendedBy(cx: Cx, owner: Decl | null): Decl | null {
  if (owner?.kind !== 'extension') return owner
  const target = extensionInfo(cx, owner)?.target
  return target?.kind === 'struct' || target?.kind === 'enum' ? target.decl : owner
}

function moduleOf(env: Env): Decl | null {
  for (let s: typeof env.scope | null = env.scope; s !== null; s = s.parent)
    if (s.owner !== null && s.owner.kind === 'module') return s.owner
  return null
}

function fieldTerm(object: Term, field: FieldDecl, type: Type, span: Span): Term {
  if (object.kind === 'place') {
    const pair = object.place.kind === 'accessor' && object.place.set === null
    const place: Place =
      pair && object.place.kind === 'accessor'
        ? { kind: 'temp', type: object.place.type, span, value: readAccessor(object.place, span) }
        : object.place
    const isPair = field.owner.intrinsic === 'DifferentialPair' || field.owner.intrinsic === 'DifferentialPtrPair'
    return {
      kind: 'place',
      place: { kind: 'field', type, span, base: place, field },
      fixed: isPair ? 'pairs are immutable: make a new one with diffPair' : object.fixed,
    }
  }
  if (object.kind === 'value') return value({ kind: 'field', type, span, base: object.expr, field })
  return errorTerm
}

function readAccessor(place: Place & { readonly kind: 'accessor' }, span: Span): Expr {
  const object: Arg | null =
    place.object === null || place.object.dir === 'in'
      ? place.object
      : { dir: 'in', value: { kind: 'read', type: place.object.place.type, span, place: place.object.place } }
  return { kind: 'call', type: place.type, span, func: place.get!, object, args: place.args }
}

// ── Properties and subscripts ────────────────────────────────────────────────────────────────────────────────────

function refTo(accessor: FuncDecl, member: Member, own: Subst = noSubst): FuncRef {
  if (member.requirement === null) return { kind: 'direct', decl: accessor, subst: member.subst }
  const { type, iface } = member.requirement
  return type.kind === 'interface'
    ? { kind: 'dynamic', iface, decl: accessor, subst: own }
    : { kind: 'requirement', type, iface, decl: accessor, subst: own }
}

function propertyTerm(env: Env, object: Term | null, decl: PropertyDecl, member: Member, span: Span): Term {
  const get = decl.accessors.find(a => a.accessor === 'get')
  const any = decl.accessors[0]!
  const type = put(
    env.cx,
    get !== undefined ? funcSig(env.cx, get).result : (funcSig(env.cx, any).params.at(-1)?.type ?? errorType),
    member.subst,
  )
  if (decl.bits !== undefined && (object?.kind === 'value' || object?.kind === 'place'))
    return bitsTerm(env, object, decl.bits, type, span)
  return accessorTerm(env, decl, member, object, [], type, span)
}

export function accessorTerm(
  env: Env,
  decl: PropertyDecl | SubscriptDecl,
  member: Member,
  object: Term | null,
  args: readonly Arg[],
  type: Type,
  span: Span,
  own: Subst = noSubst,
): Term {
  const get = decl.accessors.find(a => a.accessor === 'get')
  const set = decl.accessors.find(a => a.accessor === 'set')
  const ref = decl.accessors.find(a => a.accessor === 'ref')
  const readonly =
    decl.syntax.attributes.some(a => a.name === '__readonly') ||
    ref?.syntax.attributes.some(a => a.name === '__readonly') === true
  if (ref !== undefined) {
    const mutating = isMutating(ref)
    const arg: Arg =
      object === null
        ? { dir: 'in', value: emptyError(errorType) }
        : mutating && object.kind === 'place'
          ? { dir: 'inout', place: object.place }
          : { dir: 'in', value: toExpr(env, object, span) }
    return {
      kind: 'place',
      place: { kind: 'ref', type, span, func: refTo(ref, member, own), object: arg, args },
      fixed: readonly ? 'it is read-only' : null,
    }
  }
  if (set === undefined) {
    if (get === undefined) return errorTerm
    const arg: Arg | null =
      object === null
        ? null
        : isMutating(get) && object.kind === 'place'
          ? { dir: 'inout', place: object.place }
          : { dir: 'in', value: toExpr(env, object, span) }
    return value({ kind: 'call', type, span, func: refTo(get, member, own), object: arg, args })
  }
  let arg: Arg | null = null
  let fixed: string | null = null
  if (object !== null) {
    if (!isMutating(set)) arg = { dir: 'in', value: toExpr(env, object, span) }
    else if (object.kind === 'place') {
      arg = { dir: 'inout', place: object.place }
      fixed = object.fixed
    } else {
      arg = { dir: 'in', value: toExpr(env, object, span) }
      fixed = 'it belongs to a value'
      if (get !== undefined)
        return value({ kind: 'call', type, span, func: refTo(get, member, own), object: arg, args })
    }
  }
  const byRef = decl.syntax.accessors.some(a => a.which === 'ref')
  return {
    kind: 'place',
    place: {
      kind: 'accessor',
      type,
      span,
      get: get === undefined ? null : refTo(get, member, own),
      set: refTo(set, member, own),
      object: arg,
      args,
      byRef,
    },
    fixed,
  }
}
