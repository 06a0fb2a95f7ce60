/** Members of a type by name: its own, those of extensions, and those of interfaces. */
import {
  boundsOf,
  closure,
  conforms,
  coreInterface,
  declaredBases,
  extensionsOf,
  providing,
  put,
  substFor,
} from './conform.ts'
import type { Cx } from '../model/context.ts'
import type { Decl } from '../model/decl.ts'
import { type InterfaceType, type Subst, type Type, isOpen } from '../model/type.ts'

export interface Member {
  readonly decl: Decl
  /** The generic parameters around the member, put in for the type it was looked up on. */
  readonly subst: Subst
  /** 0 the type's own, 1 from an extension, 2 from an interface. */
  readonly via: number
  readonly extensionParams: number
  /** The interface that requires it, if the member that meets the requirement is unknown or built in. */
  readonly requirement: { readonly type: Type; readonly iface: InterfaceType } | null
  /** How many bases up a struct inherits it. */
  readonly steps?: number
}

const builtinInterfaces = [
  '__BuiltinFloatingPointType',
  'IFloat',
  '__BuiltinIntegerType',
  'IInteger',
  '__BuiltinArithmeticType',
  'IArithmetic',
  '__BuiltinLogicalType',
  'ILogical',
  'IComparable',
  'IRangedValue',
  'IDifferentiable',
]

/** The interfaces that a concrete type conforms to, for their default members; by extensions perhaps only those that have a member. */
export function interfacesOf(cx: Cx, type: Type, member?: string): readonly InterfaceType[] {
  const all: InterfaceType[] = []
  const add = (i: InterfaceType): void => {
    for (const c of closure(cx, i)) if (!all.some(a => a.key === c.key)) all.push(c)
  }
  switch (type.kind) {
    case 'param':
    case 'this':
    case 'assoc':
      return boundsOf(cx, type)
    case 'interface':
      add(type)
      return all
    case 'struct':
    case 'enum': {
      const subst = substFor(type.decl, type.kind === 'struct' ? type.args : [], null)
      for (const b of declaredBases(cx, type.decl)) add(put(cx, b, subst) as InterfaceType)
      break
    }
    default:
      for (const name of builtinInterfaces) {
        const iface = coreInterface(cx, name)
        if (iface !== null && conforms(cx, type, iface)) add(iface)
      }
  }
  const asked = member === undefined ? undefined : providing(cx, d => d.inner.names.has(member))
  for (const e of extensionsOf(cx, type, asked)) for (const b of e.info.bases) add(put(cx, b, e.subst) as InterfaceType)
  return all
}

/** Every member of that name, the nearest kind first; functions of all kinds, else only of the first kind that has one. */
export function lookupMember(cx: Cx, type: Type, name: string): readonly Member[] {
  const found: Member[] = []
  if (type.kind === 'struct' || type.kind === 'enum') {
    const own = type.decl.inner.names.get(name)
    if (own !== undefined) {
      const subst = substFor(type.decl, type.kind === 'struct' ? type.args : [], null)
      for (const decl of own) found.push({ decl, subst, via: 0, extensionParams: 0, requirement: null })
      if (own.some(d => d.kind !== 'func' && d.kind !== 'subscript')) return found
    }
  }
  if (mayExtend(cx, type, name)) {
    for (const e of extensionsOf(cx, type, info => info.decl.inner.names.has(name))) {
      for (const decl of e.info.decl.inner.names.get(name) ?? []) {
        found.push({
          decl,
          subst: e.subst,
          via: 1,
          extensionParams: e.info.decl.generics?.params.length ?? 0,
          requirement: null,
        })
      }
    }
  }
  if (found.some(m => m.decl.kind !== 'func' && m.decl.kind !== 'subscript')) return found
  if (
    type.kind === 'struct' &&
    !type.decl.module.isCore &&
    declaredBases(cx, type.decl).length === 0 &&
    cx.extensions.length + cx.packedExtensions.length === 0
  )
    return found
  if (found.length > 0 && !isOpen(type) && type.kind !== 'interface') return found
  const generic = isOpen(type) || type.kind === 'interface'
  for (const iface of interfacesOf(cx, type, name)) {
    const own = iface.decl.inner.names.get(name)
    if (own === undefined) continue
    const subst = substFor(iface.decl, iface.args, type)
    for (const decl of own) {
      if (found.some(f => f.decl === decl)) continue
      const direct = !generic && decl.kind === 'func' && decl.hasBody
      found.push({ decl, subst, via: 2, extensionParams: 0, requirement: direct ? null : { type, iface } })
    }
  }
  return found
}

/** Whether any extension may have a member of that name. A quick test. */
function mayExtend(cx: Cx, type: Type, name: string): boolean {
  if (cx.packedExtensions.length > 0) return true
  for (const e of cx.extensions) if (e.inner.names.has(name)) return true
  return cx.library.mayExtend(type)
}
