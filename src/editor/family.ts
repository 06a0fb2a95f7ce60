/**
 * Declarations that must have one name: a function and its declarations without a body, a requirement of an interface and all that meet it.
 */
import type { Cx } from '../check/model/context.ts'
import type { Decl, FuncDecl, InterfaceDecl, StructDecl } from '../check/model/decl.ts'
import type { InterfaceType, Type } from '../check/model/type.ts'
import { closure, declaredBases, extensionInfo, fieldType, funcSig, selfType } from '../check/types/index.ts'
import type { Scope } from '../check/model/scope.ts'

/** The members of a type, in itself and in extensions, with the interfaces that it conforms to. */
interface Members {
  readonly scopes: Scope[]
  readonly interfaces: Set<InterfaceDecl>
}

/** The declarations of a program that must have the name of one of them, that one included. */
export function familyOf(cx: Cx, decl: Decl): ReadonlySet<Decl> {
  const family = new Set<Decl>(decl.kind === 'func' && decl.of !== null ? [decl.of] : [decl])
  const types = membersOfTypes(cx)
  // What is added on the way is visited too.
  for (const one of family) {
    for (const other of declaredAgain(cx, one)) family.add(other)
    if (!('scope' in one) || one.scope.kind !== 'type') continue
    const { scope } = one
    const add = (from: Scope): void => from.names.get(one.name)?.forEach(d => family.add(d))
    const owner = scope.owner?.kind === 'interface' ? scope.owner : undefined
    for (const { scopes, interfaces } of types) {
      const isMember = scopes.includes(scope)
      if (!isMember && (owner === undefined || !interfaces.has(owner))) continue
      const requirements = [...interfaces].map(i => i.inner).filter(inner => inner.names.has(one.name))
      // A member that no interface asks for has its name to itself.
      if (requirements.length === 0) continue
      scopes.forEach(add)
      requirements.forEach(add)
    }
  }
  return family
}

/** Functions of the same scope and shape, of which all but one have no body. */
function declaredAgain(cx: Cx, decl: Decl): readonly Decl[] {
  if (decl.kind !== 'func' || decl.module.isCore) return []
  const shape = (f: FuncDecl): string =>
    funcSig(cx, f)
      .params.map(p => `${p.dir} ${p.type.key}`)
      .join()
  const own = shape(decl)
  return (decl.scope.names.get(decl.name) ?? []).filter(
    d => d.kind === 'func' && (!d.hasBody || !decl.hasBody) && shape(d) === own,
  )
}

/** The user's types, and those of the library that a program extends. */
function membersOfTypes(cx: Cx): readonly Members[] {
  const found = new Map<string, Members>()
  const of = (type: Type | StructDecl): Members => {
    const decl = 'decl' in type ? type.decl : 'id' in type ? type : undefined
    const key = decl === undefined ? (type as Type).key : String(decl.id)
    let members = found.get(key)
    if (members === undefined) found.set(key, (members = { scopes: [], interfaces: new Set() }))
    return members
  }
  const conform = ({ interfaces }: Members, bases: readonly InterfaceType[]): void => {
    for (const base of bases) for (const i of closure(cx, base)) interfaces.add(i.decl)
  }
  for (const decl of cx.userDecls) {
    if (decl.kind === 'struct' || decl.kind === 'enum' || decl.kind === 'interface') {
      const type = selfType(cx, decl)
      if (type === null) continue
      const members = of(type)
      members.scopes.push(decl.inner)
      conform(members, declaredBases(cx, decl))
      // What a struct inherits meets what its interfaces ask for.
      for (let base = inherited(cx, decl); base !== undefined; base = inherited(cx, base))
        conform(of(base), declaredBases(cx, decl))
    } else if (decl.kind === 'extension') {
      const info = extensionInfo(cx, decl)
      if (info === null) continue
      const members = of(info.target)
      members.scopes.push(decl.inner)
      conform(members, info.bases)
    }
  }
  return [...found.values()]
}

/** The struct that a struct inherits from. */
function inherited(cx: Cx, decl: Decl): StructDecl | undefined {
  const field = decl.kind === 'struct' ? decl.fields[0] : undefined
  const type = field?.isBase === true ? fieldType(cx, field) : undefined
  return type?.kind === 'struct' ? type.decl : undefined
}
