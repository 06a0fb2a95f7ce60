/** Finds the function that meets a requirement of an interface on a concrete type. */
import { instancesOf, put, putArg, selfType, substFor } from './conform.ts'
import { typeCost } from './conversion.ts'
import { costs } from './cost.ts'
import type { Cx } from '../model/context.ts'
import type { FuncDecl } from '../model/decl.ts'
import { membersOf } from './inherit.ts'
import {
  isOpen,
  compose,
  intParam,
  paramType,
  poisoned,
  same,
  type GenericArg,
  type InterfaceType,
  type Subst,
  type Type,
} from '../model/type.ts'
import type { Member } from './member.ts'
import { packsOf, writtenOut } from './pack.ts'
import { funcSig } from './signature.ts'
import { template } from './template.ts'
import type { FuncRef } from '../model/func-ref.ts'

/** Substitutes the caller's types in a reference, and resolves requirements on types that became concrete. */
export function putRef(cx: Cx, ref: FuncRef, subst: Subst): FuncRef {
  if (subst.args.size === 0 && subst.self === null) return ref
  switch (ref.kind) {
    case 'direct':
      return { kind: 'direct', decl: ref.decl, subst: putSubst(cx, ref.subst, subst) }
    case 'requirement': {
      const type = put(cx, ref.type, subst)
      return resolveRef(cx, {
        kind: 'requirement',
        type,
        iface: put(cx, ref.iface, subst) as InterfaceType,
        decl: ref.decl,
        subst: putSubst(cx, ref.subst, subst),
      })
    }
    case 'dynamic':
      return {
        kind: 'dynamic',
        iface: put(cx, ref.iface, subst) as InterfaceType,
        decl: ref.decl,
        subst: putSubst(cx, ref.subst, subst),
      }
    case 'derivative':
      return { kind: 'derivative', mode: ref.mode, of: putRef(cx, ref.of, subst) }
  }
}

function putSubst(cx: Cx, first: Subst, then: Subst): Subst {
  const args = new Map<number, GenericArg>()
  for (const [id, arg] of first.args) args.set(id, putArg(cx, arg, then))
  return { args, self: first.self === null ? null : put(cx, first.self, then) }
}

/** Whether the compiler itself meets the requirement: zero and sum of the differentials of interface values. */
export function isOwn(requirement: FuncDecl): boolean {
  return requirement.role === 'static' && requirement.module.isCore
}

/** Resolves a requirement on a type whose members are known to the function that meets it. Any other reference stays. */
export function resolveRef(cx: Cx, ref: FuncRef): FuncRef {
  if (ref.kind === 'derivative') {
    const of = resolveRef(cx, ref.of)
    return of === ref.of ? ref : { kind: 'derivative', mode: ref.mode, of }
  }
  if (ref.kind !== 'requirement' || isOpen(ref.type)) return ref
  if (ref.type.kind === 'interface')
    return isOwn(ref.decl) ? ref : { kind: 'dynamic', iface: ref.iface, decl: ref.decl, subst: ref.subst }
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
  return {
    kind: 'direct',
    decl: ref.decl,
    subst: compose(ref.subst, substFor(ref.iface.decl, ref.iface.args, ref.type)),
  }
}

/** A function that meets a requirement, with the generic parameters around it. */
interface Implementation {
  readonly decl: FuncDecl
  readonly subst: Subst
}

/** The function of a type that meets a requirement, with the generic parameters around it; null where it has none of its own. */
export function implementation(cx: Cx, type: Type, iface: InterfaceType, requirement: FuncDecl): Implementation | null {
  const members = membersOf(cx, type, requirement.of === null ? requirement.name : requirement.of.name).filter(
    m => m.via < 2,
  )
  let loose: Implementation | null = null
  let close: Implementation | null = null
  for (const m of members) {
    for (const decl of functionsOf(cx, m, requirement)) {
      const fits = meets(cx, decl, m.subst, requirement, iface, type)
      // What does not fit is another function than what the compiler would make.
      if (isOwn(requirement) && !fits) continue
      // What no target has fits everywhere, but not before what is the same.
      if (fits && meets(cx, decl, m.subst, requirement, iface, type, exactly)) return { decl, subst: m.subst }
      if (fits) close ??= { decl, subst: m.subst }
      if (funcSig(cx, decl).params.length === funcSig(cx, requirement).params.length) loose ??= { decl, subst: m.subst }
    }
  }
  if (close !== null) return close
  if (loose !== null && meets(cx, loose.decl, loose.subst, requirement, iface, type, adapts)) return loose
  return bridged(cx, members, iface, requirement) ?? loose
}

/** The bridge to a function of a type that takes and returns what is required, if not in the same form. */
function bridged(
  cx: Cx,
  members: readonly Member[],
  iface: InterfaceType,
  requirement: FuncDecl,
): Implementation | null {
  const first = members.find(m => m.decl.kind === 'func')
  const owner = first !== undefined && 'parent' in first.decl ? first.decl.parent : null
  if (first === undefined || (owner?.kind !== 'struct' && owner?.kind !== 'extension')) return null
  if (
    requirement.hasBody ||
    requirement.of !== null ||
    requirement.generics?.packed === true ||
    requirement.module.isCore
  )
    return null
  // A generic type has one bridge for all its instances, in terms of its own parameters.
  const self = selfType(cx, owner)
  const own =
    self === null ? undefined : instancesOf(cx, self, iface).find(i => put(cx, i, first.subst).key === iface.key)
  if (self === null || own === undefined) return null
  const key = `${owner.id}:${own.key}:${requirement.id}`
  let made = cx.bridges.get(key)
  if (made === undefined) {
    cx.bridges.set(key, null)
    cx.bridges.set(key, (made = cx.above.bridge(cx, owner, self, requirement, own)))
    if (made !== null) cx.bridgeTargets.set(made.decl, made.target)
  }
  return made === null ? null : { decl: made.decl, subst: first.subst }
}

/** The functions of a member that could meet a requirement: itself, with packs as long as there, or the accessor of the same kind. */
export function functionsOf(cx: Cx, m: Member, requirement: FuncDecl): readonly FuncDecl[] {
  if (m.decl.kind === 'func') {
    // A static function does what one of an object should, without it.
    if (
      requirement.of !== null ||
      (m.decl.role !== requirement.role && (m.decl.role !== 'static' || requirement.role !== 'method'))
    )
      return []
    if (m.decl.generics?.packed !== true) return [m.decl]
    const counts = cx.of(requirement).variadic.get(requirement)
    const made = counts?.length === packsOf(m.decl.generics).length ? writtenOut(cx, m.decl, counts) : null
    return made === null ? [] : [made]
  }
  if (m.decl.kind === 'property' || m.decl.kind === 'subscript')
    return m.decl.accessors.filter(a => a.accessor === requirement.accessor)
  return []
}

/** Whether a value of one type serves as one of another. */
export type Serves = (cx: Cx, from: Type, to: Type, dir: 'in' | 'out' | 'inout') => boolean

export const alike: Serves = (_, from, to) => same(from, to) || poisoned(from) || poisoned(to)

const exactly: Serves = (_, from, to) => same(from, to)

/** Functions may take and return other types of numbers than the requirement, since a call of the requirement converts them. */
export const adapts: Serves = (cx, from, to, dir) =>
  alike(cx, from, to, dir) ||
  (dir === 'in' && isNumber(from) && isNumber(to) && (typeCost(cx, from, to) ?? costs.explicit) < costs.explicit)

const isNumber = (type: Type): boolean => type.kind === 'scalar' || type.kind === 'vector' || type.kind === 'matrix'

/** Whether a function of a type meets a requirement. */
export function meets(
  cx: Cx,
  decl: FuncDecl,
  subst: Subst,
  requirement: FuncDecl,
  iface: InterfaceType,
  type: Type,
  serves: Serves = alike,
): boolean {
  const [own, theirs] = [decl.generics?.params ?? [], requirement.generics?.params ?? []]
  if (own.length !== theirs.length) return false
  const renamed = new Map<number, GenericArg>(substFor(iface.decl, iface.args, type).args)
  for (let i = 0; i < theirs.length; i++)
    renamed.set(
      theirs[i]!.id,
      own[i]!.kind === 'typeparam'
        ? paramType(own[i] as Parameters<typeof paramType>[0])
        : intParam(own[i] as Parameters<typeof intParam>[0]),
    )
  const want = template(cx, requirement, { args: renamed, self: type })
  const got = template(cx, decl, subst)
  // One that changes its object would change a copy of it.
  return (
    (want.mutating || !got.mutating) &&
    want.params.length === got.params.length &&
    want.params.every((p, i) => p.dir === got.params[i]!.dir && serves(cx, p.type, got.params[i]!.type, p.dir)) &&
    (decl.role === 'constructor' || serves(cx, got.result, want.result, 'in'))
  )
}
