/** Scopes: where a name is declared and what lies around it. Names inside one do not depend on order. */
import type { Container, Decl, NamespaceDecl } from './decl.ts'
import type * as ast from '../../syntax/ast.ts'

/** A `using`: the namespace is found when a name is first looked up in it. */
export interface Using {
  readonly target: ast.Expr
  found: NamespaceDecl | null
}

export interface Scope {
  readonly parent: Scope | null
  /** A `type` scope belongs to a struct, interface, enum or extension: names in it are members, looked up with what it inherits. */
  readonly kind: 'module' | 'namespace' | 'type' | 'generics' | 'block'
  readonly owner: Container | null
  readonly names: Map<string, Decl[]>
  /** What it uses. */
  readonly usings: Using[]
  /** Takes note of what is declared, where somebody asks. */
  entered: Decl[] | null
}

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
