/** `Optional<T>`, `none`, `if (let x = e)`, and the type tests `is` and `as`. */
import * as types from '../../base/errors/types.ts'
import type { Span } from '../../base/source.ts'
import type * as ast from '../../syntax/ast.ts'
import { conditionalElem, conforms, isNone, optionalElem, optionalType, resolveType } from '../types/index.ts'
import type { Cx, Env } from '../model/context.ts'
import { convertExpr } from './convert.ts'
import { checkExpr, toExpr } from './expr.ts'
import { emptyError, errorTerm, value, type Term } from '../model/term.ts'
import type { Expr } from '../model/tree.ts'
import {
  boolType,
  poisoned,
  same,
  show,
  structType,
  type InterfaceType,
  type StructType,
  type Type,
} from '../model/type.ts'

/** `none`, which becomes an empty `Optional` of any type. */
export function noneTerm(env: Env, span: Span): Term {
  return value({ kind: 'default', type: structType(env.cx.library.the('struct', '__None'), []), span })
}

/** Whether an `Optional` holds a value. */
export function hasValue(e: Expr): Expr {
  return { kind: 'field', type: boolType, span: e.span, base: e, field: (e.type as StructType).decl.fields[0]! }
}

/** What an `Optional` holds. */
export function heldValue(e: Expr): Expr {
  return {
    kind: 'field',
    type: optionalElem(e.type)!,
    span: e.span,
    base: e,
    field: (e.type as StructType).decl.fields[1]!,
  }
}

/** `x == none` and the like; null where it is something else. */
export function compareNone(op: string, left: Expr, right: Expr, span: Span): Expr | null {
  if (op !== '==' && op !== '!=') return null
  const other = isNone(left.type) ? right : isNone(right.type) ? left : null
  if (other === null || optionalElem(other.type) === null) return null
  const has = hasValue(other)
  return op === '!=' ? has : { kind: 'unary', type: boolType, span, op: '!', operand: has }
}

/** The value that `if (let x = e)` looks into. */
export function optionalValue(env: Env, e: ast.Expr): Expr | null {
  const term = checkExpr(env, e)
  const expr = term.kind === 'error' ? emptyError(boolType) : toExpr(env, term, e.span)
  if (expr.kind === 'error' || poisoned(expr.type)) return null
  if (optionalElem(expr.type) !== null) return expr
  const there = conditionalElem(expr.type)
  if (there !== null) return convertExpr(env.cx, expr, optionalType(env.cx, there))
  env.cx.sink.add(types.typeMismatch, e.span, { expected: 'an Optional', got: show(expr.type) })
  return null
}

/** Checks code that only runs where a type parameter conforms to an interface. */
export function granting<R>(cx: Cx, type: Type, iface: InterfaceType, check: () => R): R {
  const bounds = cx.bounds.get(type.key) ?? []
  cx.bounds.set(type.key, [...bounds, iface])
  const result = check()
  cx.bounds.set(type.key, bounds)
  return result
}

/** `x is T` and `x as T`. */
export function typeQuestion(env: Env, e: ast.IsExpr | ast.AsExpr): Term {
  const { cx } = env
  const term = checkExpr(env, e.value)
  const of = resolveType(cx, e.type, env.scope)
  if (term.kind === 'error' || poisoned(of)) return errorTerm
  // `T is float` asks about the type itself.
  const expr: Expr =
    term.kind === 'type' ? { kind: 'default', type: term.type, span: e.span } : toExpr(env, term, e.value.span)
  if (expr.kind === 'error' || poisoned(expr.type)) return errorTerm
  if (
    of.kind === 'interface' &&
    (e.kind === 'as' || cx.optionals.get(expr.type.key)?.some(i => i.key === of.key) !== true)
  ) {
    cx.sink.add(e.kind === 'is' ? types.isInterface : types.asInterface, e.span, {})
    return errorTerm
  }
  const isOpen = expr.type.kind === 'param' || expr.type.kind === 'this' || expr.type.kind === 'assoc'
  if (expr.type.kind === 'interface' ? !conforms(cx, of, expr.type) : !isOpen && !same(expr.type, of)) {
    cx.sink.add(types.typeMismatch, e.span, { expected: `a value that may be ${show(of)}`, got: show(expr.type) })
    return errorTerm
  }
  return value({ kind: e.kind, type: e.kind === 'is' ? boolType : optionalType(cx, of), span: e.span, value: expr, of })
}
