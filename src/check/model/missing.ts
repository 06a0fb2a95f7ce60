/** What lowering asks of a checked program about things that no target has, or no module exports. */
import type { Span } from '../../base/source.ts'
import type { Sink } from '../../base/diag.ts'
import type { FuncDecl, GlobalDecl, Type } from './decl.ts'
import type { Lack } from './lack.ts'
import type { Subst } from './type.ts'

/** A generic function with its arguments. */
export interface Instance {
  readonly decl: FuncDecl
  readonly subst: Subst
}

export interface Missing {
  /** The first use in a part of the text of something that no target has; undefined where there is none. */
  lacking(part: Span): Lack | undefined
  /** Whether what a function needs uses what no target has. */
  reachesLack(func: FuncDecl): boolean
  /** Whether values of a type hold what no target has. */
  isMissing(type: Type): boolean
  /** The instance of a generic function of the root module by its text, `main<64>`; null if there is none. */
  instance(name: string, sink: Sink): Instance | null
  /** Whether a constant is to come from another module, and none exports it. */
  isUnresolved(decl: GlobalDecl): boolean
}
