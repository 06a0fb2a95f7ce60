/** `static_assert`. */
import * as types from '../../base/errors/types.ts'
import type { Span } from '../../base/source.ts'
import type * as ast from '../../syntax/ast.ts'
import { checkCondition } from '../expressions/index.ts'
import type { Cx, Env } from '../model/context.ts'
import type { Expr, Stmt } from '../model/tree.ts'
import { known, noSubst, type Subst } from '../model/type.ts'
import { foldExpr } from '../types/index.ts'

/** Whether a statement is a call of `static_assert`. */
export function isAssert(e: ast.Expr): e is ast.CallExpr {
  return (
    e.kind === 'call' &&
    e.callee.kind === 'name' &&
    (e.callee.name === 'static_assert' || e.callee.name === '_Static_assert')
  )
}

/** A static assertion: decided here, or in each instance where it depends on generic parameters. */
export function checkAssert(env: Env, e: ast.CallExpr, out: Stmt[]): void {
  if (e.args[0] === undefined) return
  const cond = checkCondition(env, e.args[0])
  const message = messageOf(e.args[1])
  if (foldExpr(env.cx, cond, noSubst)?.kind !== 'const' && asksParameters(cond))
    out.push({ kind: 'assert', cond, message, span: e.span })
  else assertStatic(env.cx, cond, message, e.span, noSubst)
}

/** Whether a condition depends on what each instance of a function has of its own. */
function asksParameters(e: Expr): boolean {
  switch (e.kind) {
    case 'int':
      return true
    case 'is':
      return e.value.type.kind !== 'interface'
    case 'convert':
      return asksParameters(e.value)
    case 'unary':
      return asksParameters(e.operand)
    case 'binary':
    case 'logical':
      return asksParameters(e.left) || asksParameters(e.right)
    case 'read':
      return e.place.kind === 'param'
        ? e.place.decl.modifiers.includes('constexpr')
        : e.place.kind === 'global' && e.place.decl.storage === 'constant'
    default:
      return false
  }
}

/** What an assertion says. */
export function messageOf(e: ast.Expr | undefined): string {
  return e?.kind === 'string' ? e.value : 'the condition is false'
}

/** Reports a static assertion that fails with some arguments, or whose condition is not constant. */
export function assertStatic(cx: Cx, cond: Expr, message: string, span: Span, subst: Subst): void {
  if (cond.kind === 'error') return
  const folded = foldExpr(cx, cond, subst)
  const n = folded === null ? null : known(folded)
  if (n === null) cx.sink.add(types.notConstant, span, {})
  else if (n === 0) cx.sink.add(types.assertionFailed, span, { message })
}
