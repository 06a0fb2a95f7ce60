/** Scopes: the names declared in one, and the scope around it. The order of names in a scope does not matter. */
import type { Container, Decl, Scope } from './decl.ts'

export type { Scope, Using } from './decl.ts'

export function newScope(parent: Scope | null, kind: Scope['kind'], owner: Container | null): Scope {
  return { parent, kind, owner, names: new Map(), usings: [], entered: null }
}

/** Enters a declaration under its name. */
export function declare(scope: Scope, decl: Decl): void {
  scope.entered?.push(decl)
  const old = scope.names.get(decl.name)
  if (old === undefined) scope.names.set(decl.name, [decl])
  else old.push(decl)
}

/** Whether declarations of the same name may stand side by side. */
export function overloads(decl: Decl): boolean {
  return decl.kind === 'func' || decl.kind === 'subscript'
}
