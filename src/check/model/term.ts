/** A term is what an expression means before its use is known: a value, a place, a type, a set of functions, a namespace. */
import type { Span } from '../../base/source.ts'
import type { AliasDecl, FuncDecl, InterfaceDecl, NamespaceDecl, StructDecl } from './decl.ts'
import type { Expr, Place } from './tree.ts'
import type { GenericArg, InterfaceType, Subst, Type } from './type.ts'

/** One function that a name may mean. */
export interface Candidate {
  readonly decl: FuncDecl
  /** The generic arguments that are settled already: those of the type that it was found in. */
  readonly subst: Subst
  /** A requirement of an interface, looked up on a type that is not concrete. */
  readonly requirement: { readonly type: Type; readonly iface: InterfaceType } | null
  /** How far out it was found; smaller wins ties. */
  readonly distance: number
  /** How many bases up a struct inherits it. */
  readonly steps: number
  /** 0 a member of the type, 1 of an extension, 2 of an interface. */
  readonly via: number
  /** Generic parameters of the extension that it was found in. */
  readonly extensionParams: number
  /** `this`, where the function is a method that was named through a value or inside a method. */
  readonly object: Term | null
}

export type Builtin = 'vector' | 'matrix' | 'Array' | 'Tuple' | '__Shape' | '_Texture'

export type Term =
  | { readonly kind: 'value'; readonly expr: Expr }
  /** `fixed` says why it may not be written, or is null. */
  | { readonly kind: 'place'; readonly place: Place; readonly fixed: string | null }
  | { readonly kind: 'type'; readonly type: Type }
  /** A generic type without its arguments. */
  | { readonly kind: 'open'; readonly decl: StructDecl | InterfaceDecl | AliasDecl | Builtin; readonly outer: Subst }
  | { readonly kind: 'namespace'; readonly decl: NamespaceDecl }
  | {
      readonly kind: 'funcs'
      readonly name: string
      readonly candidates: readonly Candidate[]
      readonly args: readonly GenericArg[] | null
      /** Outermost last: `bwd_diff(fwd_diff(f))` is forward, backward. */
      readonly modes: readonly ('forward' | 'backward')[]
    }
  /** An initialiser list, whose type its use decides. */
  | { readonly kind: 'list'; readonly items: readonly Term[]; readonly span: Span }
  | { readonly kind: 'error' }

export const errorTerm: Term = { kind: 'error' }

/** A value for an expression with an error that has been reported. */
export function emptyError(type: Type): Expr {
  return { kind: 'error', type, span: null }
}

/**
 * Why a place cannot be used, or null. A write-only place may be assigned as a whole, but neither read nor changed in part, nor in
 * place.
 */
export function unusable(place: Place, onlyWritten = false): string | null {
  switch (place.kind) {
    case 'field':
    case 'index':
    case 'swizzle':
    case 'elements':
    case 'parts':
    case 'convert':
      return unusable(place.base, onlyWritten && place.kind === 'convert')
    case 'accessor':
      if (place.get === null && !onlyWritten) return 'it can be written but not read'
      return place.object === null || place.object.dir === 'in' ? null : unusable(place.object.place)
    default:
      return null
  }
}

export function value(expr: Expr): Term {
  return { kind: 'value', expr }
}

/** Functions to choose from by the arguments of a call. */
export function funcsOf(name: string, candidates: readonly Candidate[]): Term & { readonly kind: 'funcs' } {
  return { kind: 'funcs', name, candidates, args: null, modes: [] }
}

/** The type of a term that has a value; null for others. */
export function typeOf(term: Term & { readonly kind: 'value' | 'place' }): Type
export function typeOf(term: Term | undefined): Type | null
export function typeOf(term: Term | undefined): Type | null {
  return term?.kind === 'value' ? term.expr.type : term?.kind === 'place' ? term.place.type : null
}

/** The span of a term, if it has one. */
export function spanOf(term: Term): Span | null {
  return term.kind === 'value'
    ? term.expr.span
    : term.kind === 'place'
      ? term.place.span
      : term.kind === 'list'
        ? term.span
        : null
}

export function spanOfFirst(items: readonly Term[]): Span | null {
  for (const i of items) {
    const span = spanOf(i)
    if (span !== null) return span
  }
  return null
}
