/** `condition ? then : otherwise`. */
import * as derivative from '../../base/errors/derivative.ts'
import type * as ast from '../../syntax/ast.ts'
import type { Env } from '../model/context.ts'
import { errorTerm, value, type Term } from '../model/term.ts'
import type { Expr } from '../model/tree.ts'
import { boolShape, boolType, poisoned, same, scalarName } from '../model/type.ts'
import { withScalar } from '../types/index.ts'
import { coerce, convertExpr } from './convert.ts'
import { checkCondition, checkExpr, toExpr } from './expr.ts'
import { coerceList } from './init.ts'
import { balance, contents, isNumber } from './operator.ts'

export function checkConditional(env: Env, e: ast.ConditionalExpr): Term {
  const condTerm = checkExpr(env, e.condition)
  const thenTerm = checkExpr(env, e.then)
  const elseTerm = checkExpr(env, e.else)
  if (condTerm.kind === 'error' || thenTerm.kind === 'error' || elseTerm.kind === 'error') return errorTerm
  const cond = toExpr(env, condTerm, e.condition.span)
  if (cond.kind === 'error' || poisoned(cond.type)) return errorTerm
  const wide = cond.type.kind === 'vector' || cond.type.kind === 'matrix' || cond.type.kind === 'shape'
  if (wide && env.level !== 'none' && !env.cx.isCore)
    env.cx.sink.add(derivative.vectorConditional, e.condition.span, {})
  const test = wide ? convertExpr(env.cx, cond, boolShape(cond.type)) : checkConditionOf(env, cond, e.condition)
  let then: Expr
  let otherwise: Expr
  if (thenTerm.kind === 'list' && elseTerm.kind !== 'list') {
    otherwise = contents(toExpr(env, elseTerm, e.else.span))
    then = coerceList(env, thenTerm, otherwise.type, e.then.span)
  } else if (elseTerm.kind === 'list') {
    then = contents(toExpr(env, thenTerm, e.then.span))
    otherwise = coerceList(env, elseTerm, then.type, e.else.span)
  } else {
    then = contents(toExpr(env, thenTerm, e.then.span))
    otherwise = contents(toExpr(env, elseTerm, e.else.span))
  }
  if (then.kind === 'error' || otherwise.kind === 'error' || poisoned(then.type) || poisoned(otherwise.type))
    return errorTerm
  if (!same(then.type, otherwise.type)) {
    const both = isNumber(env, then.type) && isNumber(env, otherwise.type) ? balance(env, then, otherwise, '?') : null
    if (both !== null) [then, otherwise] = [both.left, both.right]
    else otherwise = coerce(env, value(otherwise), then.type, e.else.span)
  }
  if (wide && scalarName(then.type) !== null && then.type.kind === 'scalar') {
    const type = withScalar(cond.type, then.type)
    then = convertExpr(env.cx, then, type)
    otherwise = convertExpr(env.cx, otherwise, type)
  }
  return value({ kind: 'conditional', type: then.type, span: e.span, cond: test, then, otherwise })
}

function checkConditionOf(env: Env, cond: Expr, e: ast.Expr): Expr {
  if (cond.type.kind === 'scalar' || cond.type.kind === 'enum') return convertExpr(env.cx, cond, boolType)
  return checkCondition(env, e)
}
