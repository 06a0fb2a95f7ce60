/** What a name may mean where it stands. */
import type * as ast from '../../syntax/ast.ts'
import { asArgument, paramLists, selfType, substFor } from './conform.ts'
import type { Cx } from '../model/context.ts'
import type { Decl, ModuleDecl, NamespaceDecl } from '../model/decl.ts'
import { membersOf } from './inherit.ts'
import type { Member } from './member.ts'
import { overloads, type Scope } from '../model/scope.ts'
import type { Type } from '../model/type.ts'

/** A declaration that a name may mean. */
export interface Found {
  readonly decl: Decl
  readonly distance: number
  /** The member that it is of a type around the name, and how it was found there. */
  readonly member: Member | null
  readonly type: Type | null
}

/** Everything that a name may mean in a scope: the nearest declaration, or functions from all scopes around. */
export function lookup(cx: Cx, start: Scope, name: string, topOnly = false): readonly Found[] {
  const found: Found[] = []
  let distance = 0
  let left = false
  for (let scope: Scope | null = start; scope !== null; scope = scope.parent, distance++) {
    const from = found.length
    if (topOnly && scope.kind !== 'module') continue
    if (scope.kind === 'type' && scope.owner !== null) {
      const type = scope.owner.kind === 'struct' && scope.owner.isBlock ? null : selfType(cx, scope.owner)
      if (type !== null) {
        const own = scope.names.get(name)
        if (own !== undefined && scope.owner.kind === 'extension') {
          const subst = substFor(
            scope.owner,
            paramLists(scope.owner).flatMap(l => l.params.map(asArgument)),
            null,
          )
          for (const decl of own)
            found.push({ decl, distance, member: { decl, subst, via: 1, extensionParams: 0, requirement: null }, type })
        }
        for (const member of membersOf(cx, type, name)) {
          if (!found.some(f => f.decl === member.decl)) found.push({ decl: member.decl, distance, member, type })
        }
      }
    } else if (scope.owner?.kind === 'module') lookupModule(cx, scope, scope.owner, name, distance, found)
    else if (scope.owner?.kind === 'namespace' || scope.usings.length > 0)
      declared(cx, scope, name, start, (decl, extra) =>
        found.push({ decl, distance: distance + extra, member: null, type: null }),
      )
    else
      for (const decl of scope.names.get(name) ?? [])
        if (!left || (decl.kind !== 'local' && decl.kind !== 'parameter'))
          found.push({ decl, distance, member: null, type: null })
    // What a function around this one holds is not to be had.
    left ||= scope.owner?.kind === 'func'
    if (endsIn(found, from)) {
      return found[0] !== undefined && overloads(found[0].decl)
        ? found.filter(f => overloads(f.decl))
        : found.slice(from)
    }
  }
  return found
}

/** Whether something that cannot be overloaded was found from there on. */
function endsIn(found: readonly Found[], from: number): boolean {
  for (let i = from; i < found.length; i++) if (!overloads(found[i]!.decl)) return true
  return false
}

function lookupModule(cx: Cx, scope: Scope, module: ModuleDecl, name: string, distance: number, found: Found[]): void {
  const from = found.length
  const add = (decl: Decl, extra: number): void => {
    if (!found.some(f => f.decl === decl)) found.push({ decl, distance: distance + extra, member: null, type: null })
  }
  declared(cx, scope, name, scope, add)
  if (endsIn(found, from)) return
  for (const decl of cx.library.lookup(name)) add(decl, module.isCore && scope === cx.library.module.inner ? 0 : 2)
}

/** The module that a scope is part of. */
function moduleOf(scope: Scope): ModuleDecl {
  if (scope.parent !== null) return moduleOf(scope.parent)
  if (scope.owner?.kind !== 'module') throw new Error('a scope outside of all modules')
  return scope.owner
}

/** The scopes of the same module or namespace name in a module and in those that it imports. */
function namesakes(scope: Scope, home: ModuleDecl): readonly Scope[] {
  const { owner } = scope
  if (owner?.kind === 'namespace') {
    const found: Scope[] = []
    for (const s of namesakes(scope.parent!, home)) {
      for (const d of s.names.get(owner.name) ?? []) if (d.kind === 'namespace') found.push(d.inner)
    }
    return found
  }
  if (owner?.kind !== 'module') return []
  if (home.imports.length === 0) return [home.inner]
  const seen = new Set([home])
  const visit = (module: ModuleDecl): void => {
    for (const i of module.imports) {
      if ((module !== home && !i.exported) || seen.has(i.module)) continue
      seen.add(i.module)
      visit(i.module)
    }
  }
  visit(home)
  return [...seen].map(m => m.inner)
}

/** How much farther away than a scope's own declarations those are that it uses: less than the next scope. */
const usedBehind = 1 / 1024

/**
 * Gives the declarations of a name in a module, a namespace or a block, and those that it uses, as seen from another scope: first
 * its own, then those of others.
 */
export function declared(
  cx: Cx,
  scope: Scope,
  name: string,
  from: Scope,
  give: (decl: Decl, extra: number) => void,
): void {
  const home = moduleOf(from)
  for (const s of new Set([scope, ...namesakes(scope, home)])) {
    const mine = moduleOf(s) === home
    let more = true
    for (const decl of s.names.get(name) ?? []) {
      if (!mine && decl.kind !== 'namespace' && !('visibility' in decl && decl.visibility === 'public')) continue
      give(decl, mine ? 0 : 1)
      more &&= overloads(decl)
    }
    // What is used may itself use.
    const usings = s.usings.splice(0)
    for (const u of usings) {
      u.found ??= namespaceOf(cx, u.target, s)
      // Of two functions for the same arguments the scope's own comes before one that it uses.
      if (u.found !== null) declared(cx, u.found.inner, name, from, (decl, extra) => give(decl, extra + usedBehind))
    }
    s.usings.push(...usings)
    if (mine && !more) return
  }
}

/** Gives every declaration in a module, a namespace or a block, and in those that it uses, as `declared` does by name. */
export function declaredNames(
  cx: Cx,
  scope: Scope,
  from: Scope,
  give: (decl: Decl, extra: number) => void,
  seen: Set<Scope> = new Set(),
): void {
  const home = moduleOf(from)
  for (const s of [scope, ...namesakes(scope, home)]) {
    if (seen.has(s)) continue
    seen.add(s)
    const mine = moduleOf(s) === home
    for (const decls of s.names.values())
      for (const decl of decls)
        if (mine || decl.kind === 'namespace' || ('visibility' in decl && decl.visibility === 'public'))
          give(decl, mine ? 0 : 1)
    for (const u of s.usings) {
      u.found ??= namespaceOf(cx, u.target, s)
      if (u.found !== null) declaredNames(cx, u.found.inner, from, give, seen)
    }
  }
}

/** Finds the namespaces that a scope uses; others are found when somebody looks for a name in theirs. */
export function findUsed(cx: Cx, scope: Scope): void {
  for (const u of scope.usings) u.found ??= namespaceOf(cx, u.target, scope)
}

function namespaceOf(cx: Cx, e: ast.Expr, scope: Scope): NamespaceDecl | null {
  let found: NamespaceDecl | null = null
  const take = (decl: Decl): void => {
    if (decl.kind === 'namespace') found ??= decl
  }
  if (e.kind === 'name') for (const f of lookup(cx, scope, e.name)) take(f.decl)
  if (e.kind === 'member') {
    const base = namespaceOf(cx, e.base, scope)
    if (base !== null) declared(cx, base.inner, e.name.text, scope, take)
  }
  if (found !== null) cx.observer?.named(e.kind === 'member' ? e.name.span : e.span, found)
  return found
}
