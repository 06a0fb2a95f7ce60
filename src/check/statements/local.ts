/** Local variables. */
import * as names from '../../base/errors/names.ts'
import * as types from '../../base/errors/types.ts'
import type { Span } from '../../base/source.ts'
import * as ast from '../../syntax/ast.ts'
import { checkExpr, coerce, constructors, defaultFor, emptyConstructors, toExpr } from '../expressions/index.ts'
import type { Cx, Env } from '../model/context.ts'
import type { LocalDecl } from '../model/decl.ts'
import { emptyError } from '../model/term.ts'
import type { Expr, Stmt } from '../model/tree.ts'
import { errorType, isOpen, noSubst, type Type } from '../model/type.ts'
import { resolveType } from '../types/index.ts'

/** A local that only its initialiser writes. */
export function constantLocal(cx: Cx, name: string, type: Type, span: Span): LocalDecl {
  return { kind: 'local', id: cx.id(), name, type, span, constant: true, noDiff: false }
}

/** Whether a variable that is declared in a body outlives it. */
export function isGlobal(d: ast.VarDecl): boolean {
  return ast.hasModifier(d, 'static') || ast.hasModifier(d, 'groupshared')
}

/** A declaration of a variable in a body that ends with it. */
export function checkLocal(env: Env, d: ast.VarDecl, out: Stmt[]): void {
  const { cx } = env
  const constant = d.form === 'let' || ast.hasModifier(d, 'const')
  let type: Type
  let init: Expr | null = null
  if (d.type !== undefined) {
    type = resolveType(cx, d.type, env.scope)
    if (type.kind === 'void') {
      cx.sink.add(types.voidVariable, d.name.span, { name: d.name.text })
      type = errorType
    }
    if (d.init !== undefined) {
      init = coerce(env, checkExpr(env, d.init), type, d.init.span)
      if (type.kind === 'array' && type.count === null && init.type.kind === 'array') type = init.type
    } else if (isOpen(type)) {
      const none = constructors(env, type).find(c => c.decl.syntax.kind === 'init' && c.decl.syntax.params.length === 0)
      if (none !== undefined && none.requirement !== null)
        init = {
          kind: 'call',
          type,
          span: d.name.span,
          func: { kind: 'requirement', type, iface: none.requirement.iface, decl: none.decl, subst: noSubst },
          object: null,
          args: [],
        }
    } else if (type.kind === 'struct' && type.decl.intrinsic === null && emptyConstructors(env, type).length > 0) {
      init = defaultFor(env, type, d.name.span)
    }
    if (type.kind === 'array' && type.count === null) {
      cx.sink.add(types.unknownSize, d.name.span, {})
      type = errorType
    }
  } else if (d.init !== undefined) {
    const term = checkExpr(env, d.init)
    init = term.kind === 'error' ? emptyError(errorType) : toExpr(env, term, d.init.span)
    type = init.type
    if (type.kind === 'void') {
      // `let x = f();` of a function that returns nothing is the call.
      if (init.kind !== 'read') out.push({ kind: 'expr', expr: init, span: d.span })
      const decl = constantLocal(cx, d.name.text, type, d.name.span)
      env.scope.names.set(decl.name, [decl])
      cx.observer?.named(d.name.span, decl)
      return
    }
  } else {
    cx.sink.add(types.noInitialiser, d.name.span, { name: d.name.text })
    type = errorType
  }
  const noDiff =
    ast.hasModifier(d, 'no_diff') || (d.type?.kind === 'modified' && d.type.modifiers.some(m => m.name === 'no_diff'))
  const decl: LocalDecl = { kind: 'local', id: cx.id(), name: d.name.text, type, span: d.name.span, constant, noDiff }
  if (constant && init !== null) cx.localInits.set(decl, init)
  const old = env.scope.names.get(decl.name)
  if (old !== undefined && old.some(o => o.kind === 'local'))
    cx.sink.add(names.redeclared, d.name.span, { name: decl.name })
  // A variable hides what has its name further out, and a parameter of the same block.
  env.scope.names.set(decl.name, [decl])
  cx.observer?.named(d.name.span, decl)
  out.push({ kind: 'local', decl, init, span: d.span })
}
