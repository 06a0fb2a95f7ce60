/** Where an expression or statement stands: its scope, its function, what `this` is, and what is allowed. */
import type { Span } from '../../base/source.ts'
import type { Stmt } from '../../syntax/ast.ts'
import type { Cx } from './context.ts'
import type { FuncDecl, Level } from './decl.ts'
import type { Scope } from './scope.ts'
import type { Place } from './tree.ts'
import { voidType, type Type } from './type.ts'

export class Env {
  readonly cx: Cx
  scope: Scope
  readonly func: FuncDecl | null
  /** The type of `this`, null where there is none. */
  readonly self: Type | null
  /** Why `this` may not be written, or null. */
  readonly selfFixed: string | null
  /** In a lambda, whose own object has no name: where it keeps what `this` is outside; null where that is nothing. */
  outer: Place | null | undefined
  result: Type
  /** The result type is that of the first `return`: in lambdas. */
  infers = false
  readonly level: Level
  loops = 0
  depth = 0
  /** What `defer` has put off, in the scopes where it stands; how many of it were there outside the innermost loop. */
  readonly defers: { readonly body: Stmt, readonly scope: Scope }[] = []
  outsideLoop = 0
  /** The loops and switches that `break` may leave, the innermost last, with the number of `defer`s outside. */
  readonly exits: { readonly label: string | null, readonly outside: number }[] = []
  /** The label before the loop or switch that comes next. */
  label: string | null = null

  constructor(cx: Cx, scope: Scope, func: FuncDecl | null = null, self: Type | null = null, selfFixed: string | null = null, result: Type = voidType, level: Level = 'none') {
    this.cx = cx
    this.scope = scope
    this.func = func
    this.self = self
    this.selfFixed = selfFixed
    this.result = result
    this.level = level
  }

  /** The object whose members stand here without a name, and have a type; null where there is none. */
  objectOf(type: Type | null, span: Span): Place | null {
    if (type === null) return null
    if (type.key === this.self?.key) return { kind: 'this', type: this.self, span }
    return type.key === this.outer?.type.key ? this.outer : null
  }

  /** What `this` means. */
  object(span: Span): Place | null {
    return this.outer === undefined ? this.objectOf(this.self, span) : this.outer
  }
}
