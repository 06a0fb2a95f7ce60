/**
 * Conformances: which types conform to which interfaces, and by which members. There are no witness tables: members, extensions and
 * defaults of interfaces are looked up by name once the type is known.
 */
import * as errors from '../../base/errors/generics.ts'
import * as types from '../../base/errors/types.ts'
import { builtinConforms, impliedBy, isFloatBound, isResource } from '../model/builtin.ts'
import type { Cx, ExtensionInfo } from '../model/context.ts'
import type {
  AssocDecl,
  Decl,
  EnumDecl,
  ExtensionDecl,
  GenericParams,
  InterfaceDecl,
  StructDecl,
  TypeParamDecl,
  ValueParamDecl,
} from '../model/decl.ts'
import { differentialOf } from './differential.ts'
import { isOwnBound, saidBounds, saidType } from './facts.ts'
import { constraintsOf, inferArg, solve } from './generic.ts'
import { lookupMember, type Member } from './member.ts'
import { knownConstant } from './const.ts'
import { conjuncts } from '../model/conjunct.ts'
import { writeExtensionsFor } from './pack.ts'
import { resolveType } from './resolve.ts'
import {
  arrayType,
  assocType,
  errorType,
  interfaceType,
  isInt,
  isIntName,
  noSubst,
  paramType,
  intParam,
  scalarName,
  show,
  structType,
  substitute,
  substituteInt,
  thisType,
  type GenericArg,
  type InterfaceType,
  type Subst,
  type Type,
} from '../model/type.ts'

/** Substitutes types, and looks up associated types of types that became concrete. */
export function put(cx: Cx, type: Type, subst: Subst): Type {
  if (type.kind === 'scalar' || (subst.args.size === 0 && subst.self === null)) return type
  return substitute(
    type,
    subst,
    (base, iface, decl) => associated(cx, base, iface, decl),
    (base, name) => knownConstant(cx, base, name),
  )
}

export function putArg(cx: Cx, arg: GenericArg, subst: Subst): GenericArg {
  return isInt(arg) ? substituteInt(arg, subst, (base, name) => knownConstant(cx, base, name)) : put(cx, arg, subst)
}

function putInterface(cx: Cx, iface: InterfaceType, subst: Subst): InterfaceType {
  return put(cx, iface, subst) as InterfaceType
}

/** The generic parameter lists around and on a type declaration or extension, the outermost first. */
export function paramLists(decl: Decl | null): GenericParams[] {
  const lists: GenericParams[] = []
  for (let d: Decl | null = decl; d !== null && d.kind !== 'module'; d = 'parent' in d ? d.parent : null) {
    if ('generics' in d && d.generics !== null) lists.unshift(d.generics)
  }
  return lists
}

/** A generic parameter as an argument: itself. */
export function asArgument(p: TypeParamDecl | ValueParamDecl): GenericArg {
  return p.kind === 'typeparam' ? paramType(p) : intParam(p)
}

/** The parameters of `decl` and of the declarations around it, as arguments: its own type arguments inside of it. */
export function ownArgs(decl: StructDecl | InterfaceDecl): GenericArg[] {
  const args: GenericArg[] = []
  for (const list of paramLists(decl)) for (const p of list.params) args.push(asArgument(p))
  return args
}

/** The substitution that arguments make for the parameters of a declaration. */
export function substFor(decl: Decl, args: readonly GenericArg[], self: Type | null): Subst {
  if (args.length === 0) return self === null ? noSubst : { args: noSubst.args, self }
  const map = new Map<number, GenericArg>()
  let i = 0
  for (const list of paramLists(decl))
    for (const p of list.params) {
      const arg = args[i++]
      if (arg !== undefined) map.set(p.id, arg)
    }
  return { args: map, self }
}

/** The type that `This` is inside a type declaration. */
export function selfType(cx: Cx, decl: Decl): Type | null {
  switch (decl.kind) {
    case 'struct':
      return structType(decl, ownArgs(decl))
    case 'interface':
      return thisType(decl)
    case 'enum':
      return { kind: 'enum', key: `${decl.name}@${decl.id}`, decl }
    case 'extension':
      return extensionInfo(cx, decl)?.target ?? errorType
    default:
      return null
  }
}

/** The interfaces written behind `:` of a declaration, in terms of its own parameters. */
export function declaredBases(from: Cx, decl: StructDecl | InterfaceDecl | EnumDecl): readonly InterfaceType[] {
  const cx = from.of(decl)
  const known = cx.bases.get(decl)
  if (known !== undefined) return known
  cx.bases.set(decl, [])
  const list: InterfaceType[] = []
  const syntax = decl.syntax
  if (syntax !== null && syntax.kind !== 'buffer')
    for (const b of syntax.bases) {
      const type = resolveType(cx, b, decl.kind === 'enum' ? decl.scope : decl.inner.parent!)
      if (type.kind === 'interface') list.push(...conjuncts(type))
      else if (decl.kind === 'enum' && type.kind === 'scalar') {
        if (isIntName(type.name)) cx.enumTags.set(decl, type)
        else cx.sink.add(types.enumTag, b.span, { type: show(type) })
      } else if (type.kind === 'struct' && decl.kind === 'struct') {
        if (b !== syntax.bases[0] || decl.fields[0]?.isBase !== true)
          cx.sink.add(errors.secondBase, b.span, { name: decl.name, base: show(type) })
      } else if (type.kind !== 'error') cx.sink.add(errors.notInterface, b.span, { name: decl.name })
    }
  if (decl.kind === 'struct' && decl.differentialOf !== null) {
    const iface = coreInterface(cx, 'IDifferentiable')
    if (iface !== null) list.push(iface)
  }
  cx.bases.set(decl, list)
  return list
}

/** An interface of the core library; null where the library has none of that name. */
export function coreInterface(cx: Cx, name: string): InterfaceType | null {
  const decl = cx.library.lookup(name)[0]
  return decl !== undefined && decl.kind === 'interface' ? interfaceType(decl, []) : null
}

/** An interface with everything that it inherits, itself first. */
export function closure(cx: Cx, iface: InterfaceType): readonly InterfaceType[] {
  const seen: InterfaceType[] = []
  const visit = (i: InterfaceType): void => {
    if (seen.some(s => s.key === i.key) || seen.length > 100) return
    seen.push(i)
    const joined = conjuncts(i)
    if (joined.length > 1) {
      joined.forEach(visit)
      return
    }
    const subst = substFor(i.decl, i.args, null)
    for (const b of declaredBases(cx, i.decl)) visit(putInterface(cx, b, subst))
  }
  visit(iface)
  return seen
}

/** The interfaces that a type parameter, `This` or an associated type conforms to, with inherited ones. */
export function boundsOf(cx: Cx, type: Type): readonly InterfaceType[] {
  const direct: InterfaceType[] = []
  if (type.kind === 'param') {
    const list = cx.of(type.decl).paramLists.get(type.decl.scope)
    if (list !== undefined) constraintsOf(cx, list)
  } else if (type.kind === 'this') direct.push(interfaceType(type.decl, ownArgs(type.decl)))
  else if (type.kind === 'assoc') {
    const subst = substFor(type.iface.decl, type.iface.args, type.base)
    for (const b of assocBounds(cx, type.decl)) direct.push(putInterface(cx, b, subst))
    direct.push(...saidBounds(cx, type))
  }
  for (const b of cx.boundsAt(type.key)) direct.push(b)
  const all: InterfaceType[] = []
  for (const d of direct) for (const i of closure(cx, d)) if (!all.some(a => a.key === i.key)) all.push(i)
  return all
}

export function assocBounds(from: Cx, decl: AssocDecl): readonly InterfaceType[] {
  const cx = from.of(decl)
  const known = cx.bases.get(decl)
  if (known !== undefined) return known
  cx.bases.set(decl, [])
  const list: InterfaceType[] = []
  const own = decl.syntax.where.filter(w => isOwnBound(decl, w)).flatMap(w => (w.kind === 'conforms' ? w.bounds : []))
  for (const b of [...decl.syntax.bounds, ...own]) {
    const type = resolveType(cx, b, decl.scope)
    if (type.kind === 'interface') list.push(...conjuncts(type))
    else if (type.kind !== 'error') cx.sink.add(errors.notInterface, b.span, { name: decl.name })
  }
  cx.bases.set(decl, list)
  return list
}

/** Whether a type stands for numbers of unknown kind: a parameter bound to floats is its own differential. */
export function isFloatParam(cx: Cx, type: Type): boolean {
  return (
    (type.kind === 'param' || type.kind === 'this' || type.kind === 'assoc') &&
    boundsOf(cx, type).some(b => b.decl.module.isCore && isFloatBound(b.decl.name))
  )
}

/** `base.decl`: looked up where the base is concrete enough. */
export function associated(cx: Cx, base: Type, iface: InterfaceType, decl: AssocDecl): Type {
  if (base.kind === 'error') return errorType
  const isDifferential = decl.name === 'Differential' && decl.module.isCore
  if (base.kind === 'param' || base.kind === 'this' || base.kind === 'assoc') {
    if (isDifferential && decl.owner.name === 'IDifferentiable') {
      if (base.kind === 'assoc' && base.decl === decl) return base
      if (isFloatParam(cx, base)) return base
    }
    const type = assocType(base, iface, decl)
    const known =
      cx.equalTo(type.key) ??
      saidType(cx, type) ??
      (isBound(cx, base, decl.owner) ? undefined : extended(cx, base, decl.name))
    return known ?? type
  }
  if (base.kind === 'interface') {
    // Of a value whose type is known at run time only, it is known what the interface asks of it.
    if (isDifferential) return assocType(base, iface, decl)
    const bound = assocBounds(cx, decl)[0]
    return bound === undefined ? errorType : putInterface(cx, bound, substFor(iface.decl, iface.args, base))
  }
  if (isDifferential && decl.owner.name === 'IDifferentiable') return differentialOf(cx, base) ?? errorType
  if (isDifferential && base.kind === 'array') return arrayType(associated(cx, base.elem, iface, decl), base.count)
  let first: Type | null = null
  for (const m of lookupMember(cx, base, decl.name)) {
    const found = memberType(cx, m.decl, m.subst)
    if (found === null) continue
    if (m.via !== 1 || brings(cx, m, iface)) return found
    first ??= found
  }
  if (first !== null) return first
  if (decl.syntax.fallback !== undefined)
    return put(cx, resolveType(cx, decl.syntax.fallback, decl.scope), substFor(iface.decl, iface.args, base))
  return errorType
}

/** Whether the extension of a member says that the type conforms to an instance of an interface: each instance may have its own associated types. */
function brings(cx: Cx, { decl, subst }: Member, iface: InterfaceType): boolean {
  const owner = 'parent' in decl ? decl.parent : null
  return (
    owner?.kind === 'extension' &&
    extensionInfo(cx, owner)?.bases.some(b =>
      closure(cx, putInterface(cx, b, subst)).some(i => i.key === iface.key),
    ) === true
  )
}

/** Whether what is written of a type parameter or associated type says that it conforms to an interface. */
const isBound = (cx: Cx, type: Type, iface: InterfaceDecl): boolean => boundsOf(cx, type).some(b => b.decl === iface)

/** The type that an extension of type parameters gives one: `extension<T : I> T : J { typealias A = T; }`. */
function extended(cx: Cx, type: Type, name: string): Type | undefined {
  for (const m of lookupMember(cx, type, name)) {
    const found = m.via === 1 ? memberType(cx, m.decl, m.subst) : null
    if (found !== null) return found
  }
  return undefined
}

/** The type that a member stands for, where it is a type. */
export function memberType(cx: Cx, decl: Decl, subst: Subst): Type | null {
  if (decl.kind === 'alias' && decl.generics === null) return put(cx, resolveType(cx, decl.target, decl.inner), subst)
  if (decl.kind === 'struct' && decl.generics === null) return put(cx, structType(decl, ownArgs(decl)), subst)
  if (decl.kind === 'enum') return selfType(cx, decl)
  return null
}

/** Whether `type` conforms to `iface`. */
export function conforms(cx: Cx, type: Type, iface: InterfaceType): boolean {
  if (type.kind === 'error') return true
  const joined = conjuncts(iface)
  if (joined.length > 1) return joined.every(i => conforms(cx, type, i))
  return cx.conformances.ask(`${type.key}:${iface.key}`, type.kind === 'param' || type.kind === 'assoc', () =>
    findOut(cx, type, iface),
  )
}

function findOut(cx: Cx, type: Type, iface: InterfaceType): boolean {
  const name = iface.decl.name
  const core = iface.decl.module.isCore
  switch (type.kind) {
    case 'scalar':
      if (builtinConforms(type.name, true, iface.decl)) return true
      break
    case 'vector':
    case 'matrix':
    case 'shape': {
      const scalar = scalarName(type.kind === 'shape' ? type.scalar : type)
      if (
        scalar !== null
          ? builtinConforms(scalar, type.kind === 'vector' && name === 'ITexelElement', iface.decl)
          : core && type.kind !== 'shape' && laneConforms(cx, type.elem, iface)
      )
        return true
      break
    }
    case 'array':
      if (core && name === 'IDifferentiable') return differentialOf(cx, type) !== null
      if (core && name === 'IDifferentiablePtrType') return conforms(cx, type.elem, iface)
      break
    case 'param':
    case 'this':
    case 'assoc':
      if (core && boundsOf(cx, type).some(b => b.decl.module.isCore && impliedBy(name).includes(b.decl.name)))
        return true
      break
    case 'enum':
      if (core && name === '__EnumType') return true
      break
    case 'struct':
      if (core && name === 'IOpaqueDescriptor') return isResource(type.decl)
      break
    case 'interface':
    case 'string':
      break
    default:
      return false
  }
  // By declaration, which is sooner known than what extensions add: what these extend may itself ask this.
  return (['declared', 'core', 'all'] as const).some(reach =>
    instancesOf(cx, type, iface, reach).some(i => i.key === iface.key),
  )
}

/** Whether a type is a resource, or stands for one. */
export function isDescriptor(cx: Cx, type: Type): boolean {
  const iface = coreInterface(cx, 'IOpaqueDescriptor')
  return iface !== null && type.kind !== 'error' && conforms(cx, type, iface)
}

/** Where conformances are looked for: in the declaration, also in what the library says of a kind of types, or also in all extensions. */
export type Reach = 'declared' | 'core' | 'all'

/** The instances of a generic interface that a type conforms to. */
export function instancesOf(cx: Cx, type: Type, iface: InterfaceType, reach: Reach = 'all'): readonly InterfaceType[] {
  const found = new Map<string, InterfaceType>()
  const visit = (bases: readonly InterfaceType[], subst: Subst): void => {
    for (const b of bases)
      for (const i of closure(cx, putInterface(cx, b, subst))) if (i.decl === iface.decl) found.set(i.key, i)
  }
  if (type.kind === 'struct') visit(declaredBases(cx, type.decl), substFor(type.decl, type.args, null))
  else if (type.kind === 'enum') visit(declaredBases(cx, type.decl), noSubst)
  else if (type.kind === 'interface') visit([type], noSubst)
  else visit(boundsOf(cx, type), noSubst)
  const asked = providing(cx, d => d === iface.decl)
  if (reach === 'all' || (reach === 'core' && iface.decl.module.isCore))
    for (const e of extensionsOf(
      cx,
      type,
      reach === 'all' ? asked : info => info.decl.module.isCore && info.target.kind !== 'param' && asked(info),
    ))
      visit(e.info.bases, e.subst)
  return [...found.values()]
}

function laneConforms(cx: Cx, elem: Type, iface: InterfaceType): boolean {
  switch (iface.decl.name) {
    case '__Lanewise':
    case '__LanewiseInt':
    case '__LanewiseAny':
    case 'IFloat':
    case 'IArithmetic':
      return elem.kind !== 'vector' && conforms(cx, elem, iface)
    case 'IDifferentiable':
      return conforms(cx, elem, iface)
    default:
      return false
  }
}

// ── Extensions ───────────────────────────────────────────────────────────────────────────────────────────────────

/** An extension with its target and bases; null while these are being resolved. */
export function extensionInfo(from: Cx, decl: ExtensionDecl): ExtensionInfo | null {
  const cx = from.of(decl)
  const known = cx.extensionInfos.get(decl)
  if (known !== undefined) return known === 'busy' ? null : known
  cx.extensionInfos.set(decl, 'busy')
  const target = resolveType(cx, decl.syntax.target, decl.inner.parent!)
  const bases: InterfaceType[] = []
  cx.extensionInfos.set(decl, { decl, target, bases })
  if (target.kind === 'interface') cx.sink.add(errors.extendsInterface, decl.syntax.target.span, { name: show(target) })
  for (const b of decl.syntax.bases) {
    const type = resolveType(cx, b, decl.inner.parent!)
    if (type.kind === 'interface') bases.push(...conjuncts(type))
    else if (type.kind !== 'error') cx.sink.add(errors.notInterface, b.span, { name: 'the extension' })
  }
  return { decl, target, bases }
}

/** The name under which core extensions of a type are filed. */
function headName(type: Type): string {
  switch (type.kind) {
    case 'struct':
      return type.decl.name
    case 'scalar':
    case 'vector':
    case 'matrix':
      return type.kind
    case 'array':
      return 'Array'
    default:
      return '*'
  }
}

const sourceNames: Readonly<Record<string, string>> = {
  bool: 'bool',
  i32: 'int',
  u32: 'uint',
  f16: 'half',
  f32: 'float',
  f64: 'double',
}

export interface AppliedExtension {
  readonly info: ExtensionInfo
  readonly subst: Subst
}

/** Which extensions are asked for: whether the others apply may be as much to find out again. */
type Asked = (info: ExtensionInfo) => boolean

/** Asks for the extensions that bring an interface. */
export function providing(cx: Cx, wanted: (decl: InterfaceDecl) => boolean): Asked {
  return info => info.bases.some(b => closure(cx, b).some(i => wanted(i.decl)))
}

/**
 * The extensions that apply to a type, with the arguments that make their target that type. With `of`, only extensions that may
 * provide that interface: to find out whether the others apply may take as much work again.
 */
export function extensionsOf(cx: Cx, type: Type, asked?: Asked): readonly AppliedExtension[] {
  return cx.conformances.survey(() => applying(cx, type, asked))
}

function applying(cx: Cx, type: Type, asked: Asked | undefined): readonly AppliedExtension[] {
  const list: AppliedExtension[] = []
  const consider = (decl: ExtensionDecl): void => {
    const info = extensionInfo(cx, decl)
    if (info === null || info.target.kind === 'error' || !couldBe(info.target, type) || asked?.(info) === false) return
    const subst = match(cx, info, type)
    if (subst !== null) list.push({ info, subst })
  }
  if (type.kind === 'struct') writeExtensionsFor(cx, type.decl, type.args)
  // Most extend one struct; what is being resolved in a call around this one is not known yet.
  while (cx.sorted < cx.extensions.length) {
    const e = cx.extensions[cx.sorted++]!
    const target = extensionInfo(cx, e)?.target
    const key = target?.kind === 'struct' ? target.decl : null
    const known = cx.extensionsByTarget.get(key)
    if (known === undefined) cx.extensionsByTarget.set(key, [e])
    else known.push(e)
  }
  if (type.kind === 'struct') cx.extensionsByTarget.get(type.decl)?.forEach(consider)
  cx.extensionsByTarget.get(null)?.forEach(consider)
  const head = headName(type)
  for (const e of cx.library.extensions(head)) consider(e)
  if (type.kind === 'scalar') for (const e of cx.library.extensions(sourceNames[type.name] ?? '')) consider(e)
  if (type.kind !== 'error' && head !== '*') for (const e of cx.library.extensions('*')) consider(e)
  return list
}

/** Whether some arguments could make one type of a pattern. A quick test. */
function couldBe(pattern: GenericArg, type: GenericArg): boolean {
  if (pattern.kind === 'scalar') return pattern === type
  if (pattern.kind !== 'struct') return true
  const isSame = type.kind === 'struct' && type.decl === pattern.decl
  return isSame && pattern.args.every((a, i) => couldBe(a, type.args[i]!))
}

function match(cx: Cx, info: ExtensionInfo, type: Type): Subst | null {
  const { decl, target } = info
  if (decl.generics === null) {
    if (target.key === type.key) return { args: new Map(), self: null }
    // An extension of an interface is one of every type that conforms to it.
    return target.kind === 'interface' && type.kind !== 'interface' && conforms(cx, type, target)
      ? { args: new Map(), self: type }
      : null
  }
  const vars = new Map<number, GenericArg | null>(decl.generics.params.map(p => [p.id, null]))
  inferArg(cx, target, type, vars)
  const args = solve(cx, decl.generics, vars, noSubst, true)
  if (args === null) return null
  const subst: Subst = { args, self: null }
  return put(cx, target, subst).key === type.key ? subst : null
}

/** Enters the bounds of the generic parameters around a declaration. */
export function constraintsAround(cx: Cx, decl: Decl): void {
  for (const list of paramLists(decl)) constraintsOf(cx, list)
}
