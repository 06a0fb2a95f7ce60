/** All names that mean something at a place, and all members of a type: what the checker only looks up by name. */
import { visible } from '../check/expressions/index.ts'
import { Env, type Cx } from '../check/model/context.ts'
import type { Decl } from '../check/model/decl.ts'
import type { Scope } from '../check/model/scope.ts'
import { isOpen, isWrapper, type Type } from '../check/model/type.ts'
import { declaredNames, extensionsOf, interfacesOf, membersOf, selfType, type Member } from '../check/types/index.ts'
import type { Surroundings } from './names.ts'
import { isLambda } from './show.ts'

/** How far from a place a name is declared. */
export type Distance = 'local' | 'member' | 'global' | 'imported' | 'core'

/** A name with what it means: of functions all overloads. */
export interface Named {
  readonly name: string
  readonly decls: Decl[]
  readonly distance: Distance
  /** For members: how the type has each of them. */
  readonly members: Member[]
}

/** Collects names; what is nearer hides what is farther, but functions stand beside each other. */
class Collected {
  readonly names = new Map<string, Named>()

  add(decl: Decl, distance: Distance, member?: Member): void {
    const { name } = decl
    if (!isWord(name)) return
    const known = this.names.get(name)
    if (known === undefined) {
      this.names.set(name, { name, decls: [decl], distance, members: member === undefined ? [] : [member] })
      return
    }
    if (decl.kind !== 'func' || known.decls[0]!.kind !== 'func' || known.decls.includes(decl)) return
    known.decls.push(decl)
    if (member !== undefined) known.members.push(member)
  }
}

/** Operators, instances of packs and what the parser could not read have no name that one could write. */
const isWord = (name: string): boolean => /^[\p{L}_]\w*$/u.test(name) && !name.startsWith('operator')

/** The names that mean something from a place. `before` says which locals are declared there. */
export function namesAt(
  cx: Cx,
  { scope: start, func, self }: Surroundings,
  before: (decl: Decl) => boolean,
): Iterable<Named> {
  const found = new Collected()
  const env = new Env(cx, start, func, self)
  // The type of the object whose members stand here without a name.
  let object = self
  // What a function around this one holds is not to be had, but for one around a lambda.
  let left = false
  for (let scope: Scope | null = start; scope !== null; scope = scope.parent) {
    const { owner } = scope
    if (owner !== null && isLambda(owner)) {
      left = false
      object = null
      continue
    }
    if (scope.kind === 'type' && owner !== null) {
      const type = owner.kind === 'struct' && owner.isBlock ? null : selfType(cx, owner)
      if (type !== null)
        for (const { decls, members } of membersOfType(cx, type, object?.key === type.key ? 'all' : 'static', env))
          decls.forEach((decl, i) => found.add(decl, 'member', members[i]))
    } else if (owner?.kind === 'module' || owner?.kind === 'namespace' || scope.usings.length > 0) {
      const isModule = owner?.kind === 'module' || owner?.kind === 'namespace'
      declaredNames(cx, scope, start, (decl, extra) => {
        if (isModule || before(decl)) found.add(decl, extra > 0 ? 'imported' : isModule ? 'global' : 'local')
      })
    } else {
      for (const decls of scope.names.values())
        for (const decl of decls)
          if (before(decl) && (!left || (decl.kind !== 'local' && decl.kind !== 'parameter'))) found.add(decl, 'local')
    }
    if (owner?.kind !== 'func') continue
    left = true
    const hasObject = owner.role !== 'function' && owner.role !== 'static' && owner.parent !== null
    if (hasObject && !isLambda(owner.parent)) object = selfType(cx, owner.parent)
  }
  return found.names.values()
}

/** The names of the core library, but for those that it keeps to itself. */
export function coreNames(cx: Cx, withPrivate: boolean): Iterable<Named> {
  const found = new Collected()
  for (const name of cx.library.names()) {
    if (!isWord(name) || (name.startsWith('__') && !withPrivate)) continue
    for (const decl of cx.library.lookup(name)) found.add(decl, 'core')
  }
  return found.names.values()
}

/** Which members are asked for: of a value, of a type, or both. */
export type MemberSort = 'object' | 'static' | 'all'

/** Whether a member belongs to a type and not to a value of it. */
function isStatic(decl: Decl): boolean {
  switch (decl.kind) {
    case 'func':
      return decl.role === 'static'
    case 'property':
      return decl.isStatic
    case 'field':
    case 'subscript':
      return false
    default:
      return true
  }
}

function isMember(decl: Decl, sort: MemberSort): boolean {
  if (decl.kind === 'extension' || decl.kind === 'subscript' || decl.kind === 'typeparam' || decl.kind === 'valueparam')
    return false
  if (decl.kind === 'func' && (decl.role === 'constructor' || decl.role === 'accessor')) return false
  if (decl.kind === 'field' && decl.isBase === true) return false
  return sort === 'all' || isStatic(decl) === (sort === 'static')
}

/** The members of a type that may be named from a place. */
export function membersOfType(cx: Cx, type: Type, sort: MemberSort, env: Env): readonly Named[] {
  const names = new Set<string>()
  memberNames(cx, type, sort, names, 0)
  const found: Named[] = []
  for (const name of names) {
    if (!isWord(name)) continue
    const members = membersOf(cx, type, name).filter(m => isMember(m.decl, sort) && visible(env, m.decl))
    if (members.length > 0)
      found.push({ name, decls: members.map(m => m.decl), distance: 'member', members: [...members] })
  }
  if (sort === 'object' && type.kind === 'struct' && isWrapper(type)) {
    const held = type.args[0] as Type
    for (const m of membersOfType(cx, held, sort, env)) if (!names.has(m.name)) found.push(m)
  }
  return found
}

/** How many structs may inherit one from the other. */
const maxBases = 64

function memberNames(cx: Cx, type: Type, sort: MemberSort, names: Set<string>, depth: number): void {
  const add = (scope: Scope): void => {
    for (const name of scope.names.keys()) names.add(name)
  }
  if (type.kind === 'struct' || type.kind === 'enum') add(type.decl.inner)
  for (const e of extensionsOf(cx, type)) add(e.info.decl.inner)
  // What interfaces ask of values of the built-in types are their operators under other names.
  if (sort !== 'object' || isOpen(type) || ['interface', 'struct', 'enum'].includes(type.kind))
    for (const i of interfacesOf(cx, type)) add(i.decl.inner)
  const base = type.kind === 'struct' ? type.decl.fields[0] : undefined
  if (base?.isBase !== true || depth > maxBases || type.kind !== 'struct') return
  const sig = cx.of(type.decl).fieldSigs.get(type.decl)?.[0]
  if (sig !== undefined) memberNames(cx, sig.type, sort, names, depth + 1)
}
