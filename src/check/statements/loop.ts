/** Bounds of `for` loops that the header shows, and suspicious headers. */
import * as errors from '../../base/errors/derivative.ts'
import { foldExpr } from '../types/index.ts'
import type { Cx } from '../model/context.ts'
import type { LocalDecl, ParamDecl } from '../model/decl.ts'
import type { Expr, Place, Stmt } from '../model/tree.ts'
import { known, noSubst, type Int } from '../model/type.ts'
import { eachExpr, eachStmt, expressions } from '../model/walk.ts'

type For = Stmt & { readonly kind: 'for' }
type Variable = LocalDecl | ParamDecl

const variable = (p: Place): Variable | null =>
  p.kind === 'local' || p.kind === 'param' ? p.decl : p.kind === 'convert' ? variable(p.base) : null

function strip(e: Expr): Expr {
  return e.kind === 'convert' ? strip(e.value) : e
}

/** The variable that an expression reads, perhaps converted. */
function readVariable(e: Expr): Variable | null {
  const inner = strip(e)
  return inner.kind === 'read' ? variable(inner.place) : null
}

/** Whether the header shows a bound. Warns of suspicious headers. */
export function hasKnownBound(cx: Cx, s: For, warn: boolean): boolean {
  const start = initial(s)
  const test = s.cond === null ? null : comparison(s.cond)
  const stepped = s.step === null ? null : stepOf(cx, s.step)
  if (start === null || test === null || stepped === null) return false
  const { name } = start.variable
  if (test.variable !== start.variable) {
    if (warn && stepped.variable === start.variable)
      cx.sink.add(errors.testsAnother, s.cond?.span ?? s.span ?? undefined, { name, other: test.variable.name })
    return false
  }
  if (stepped.variable !== start.variable) {
    if (warn)
      cx.sink.add(errors.stepsAnother, s.step?.span ?? s.span ?? undefined, { name, other: stepped.variable.name })
    return false
  }
  if (writes(s.body, start.variable)) return false
  const from = foldExpr(cx, start.value, noSubst)
  const to = foldExpr(cx, test.limit, noSubst)
  if (from === null || to === null || stepped.by === null) return false
  const trips = count(cx, s, from, to, stepped.by, test.op, name, warn)
  if (trips !== null && s.loop.maxIters !== null && warn) {
    const given = known(s.loop.maxIters)
    if (given !== null && given > trips)
      cx.sink.add(errors.maxItersTooLarge, s.span ?? undefined, { given, known: trips })
  }
  return true
}

function count(cx: Cx, s: For, from: Int, to: Int, by: Int, op: string, name: string, warn: boolean): number | null {
  const [a, b, step] = [known(from), known(to), known(by)]
  if (step === 0) {
    if (warn) cx.sink.add(errors.stepZero, s.span ?? undefined, { name })
    return null
  }
  if (a === null || b === null || step === null) return null
  const up = op === '<' || op === '<='
  if (up === step < 0) {
    if (warn) cx.sink.add(errors.runsAway, s.span ?? undefined, { name })
    return null
  }
  const runs = op === '<' ? a < b : op === '<=' ? a <= b : op === '>' ? a > b : a >= b
  if (!runs) {
    if (warn) cx.sink.add(errors.neverRuns, s.span ?? undefined, {})
    return 0
  }
  const span = Math.abs(b - a) + (op === '<=' || op === '>=' ? 1 : 0)
  return Math.ceil(span / Math.abs(step))
}

function initial(s: For): { readonly variable: Variable; readonly value: Expr } | null {
  if (s.init.length !== 1) return null
  const first = s.init[0]!
  if (first.kind === 'local') return first.init === null ? null : { variable: first.decl, value: first.init }
  if (first.kind !== 'expr' || first.expr.kind !== 'assign') return null
  const v = variable(first.expr.place)
  return v === null ? null : { variable: v, value: first.expr.value }
}

const mirrored: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' }

function comparison(e: Expr): { readonly variable: Variable; readonly op: string; readonly limit: Expr } | null {
  if (e.kind !== 'binary' || mirrored[e.op] === undefined) return null
  const left = readVariable(e.left)
  if (left !== null) return { variable: left, op: e.op, limit: e.right }
  const right = readVariable(e.right)
  return right === null ? null : { variable: right, op: mirrored[e.op]!, limit: e.left }
}

function stepOf(cx: Cx, e: Expr): { readonly variable: Variable; readonly by: Int | null } | null {
  if (e.kind !== 'update') return null
  const v = variable(e.place)
  const made = strip(e.value)
  if (v === null || made.kind !== 'binary' || (made.op !== '+' && made.op !== '-') || strip(made.left) !== e.old)
    return null
  const amount = foldExpr(cx, made.right, noSubst)
  if (amount === null) return { variable: v, by: null }
  const n = known(amount)
  return { variable: v, by: made.op === '-' && n !== null ? { kind: 'const', key: `${-n}`, value: -n } : amount }
}

/** Whether anything in a statement writes the variable. */
function writes(body: Stmt, v: Variable): boolean {
  let found = false
  const root = (p: Place): void => {
    if (rootVariable(p) === v) found = true
  }
  eachStmt([body], s => {
    for (const e of expressions(s)) {
      eachExpr(e, x => {
        if (x.kind === 'assign' || x.kind === 'update') root(x.place)
        if (x.kind === 'call')
          for (const a of x.object === null ? x.args : [x.object, ...x.args]) if (a.dir !== 'in') root(a.place)
      })
    }
  })
  return found
}

/** The variable that a place is part of, or null. */
export function rootVariable(p: Place): Variable | null {
  switch (p.kind) {
    case 'local':
    case 'param':
      return p.decl
    case 'field':
    case 'index':
    case 'swizzle':
    case 'elements':
    case 'parts':
    case 'convert':
      return rootVariable(p.base)
    case 'accessor':
      return p.object !== null && p.object.dir !== 'in' ? rootVariable(p.object.place) : null
    default:
      return null
  }
}
