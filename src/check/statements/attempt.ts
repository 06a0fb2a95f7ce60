/**
 * Errors that functions throw. A function that `throws E` has one more parameter, `out Optional<E>`, which its text does not show.
 * `try` looks at that after the call, and leaves.
 *
 *     do { A; } catch (e : E) { H; }   →   { { A; break to the end; } H; }
 */
import * as errors from '../../base/errors/thrown.ts'
import type { Span } from '../../base/source.ts'
import type * as ast from '../../syntax/ast.ts'
import { checkExpr, coerce, toExpr } from '../expressions/index.ts'
import type { Env, Handler } from '../model/context.ts'
import type { FieldDecl, FuncDecl, LocalDecl, ParamDecl, StructDecl } from '../model/decl.ts'
import { declare, newScope } from '../model/scope.ts'
import { errorTerm, value, type Term } from '../model/term.ts'
import type { Expr, Place, Stmt } from '../model/tree.ts'
import { boolType, errorType, intType, poisoned, same, show, type Type } from '../model/type.ts'
import { conforms, funcSig, optionalElem, resolveType, signatureOf, typeCost } from '../types/index.ts'
import { fallsThrough } from './returns.ts'

/** What this asks of the file that checks statements. */
export interface Statements {
  /** A statement in a scope of its own. */
  readonly one: (env: Env, s: ast.Stmt) => Stmt
  /** Appends the deferred statements that run when all but so many blocks are left. */
  readonly catchUp: (env: Env, outside: number, out: Stmt[]) => void
}

/** The parameter that takes what a function throws; undefined where it throws nothing. */
function thrownOf(env: Env): ParamDecl | undefined {
  const { func } = env
  const last = func === null ? undefined : funcSig(env.cx, func).params.at(-1)
  return last?.thrown === true ? last : undefined
}

function fieldOf(base: Place, index: number, type: Type, span: Span | null): Place {
  const { fields } = (base.type as Type & { readonly decl: StructDecl }).decl
  const field: FieldDecl = fields[index]!
  return { kind: 'field', type, span, base, field }
}

function assigned(place: Place, value: Expr, span: Span | null): Stmt {
  return { kind: 'expr', expr: { kind: 'assign', type: place.type, span, place, value }, span }
}

function setFailed(param: ParamDecl, failed: boolean, span: Span | null): Stmt {
  const place: Place = { kind: 'param', type: param.type, span, decl: param }
  return assigned(fieldOf(place, 0, boolType, span), { kind: 'const', type: boolType, span, value: failed }, span)
}

/** What a body begins with: nothing is thrown yet. */
export function beforeBody(env: Env, func: FuncDecl): Stmt[] {
  const param = thrownOf(env)
  return param === undefined ? [] : [setFailed(param, false, func.span)]
}

const errorOf = (type: Type): Type => optionalElem(type) ?? errorType

/** Whether an error is thrown as one of another type: only numbers are converted, and what conforms to an interface. */
function mayBecome({ cx }: Env, type: Type, wanted: Type): boolean {
  if (wanted.kind === 'interface') return conforms(cx, type, wanted)
  return (
    same(type, wanted) || (type.kind === 'scalar' && wanted.kind === 'scalar' && typeCost(cx, type, wanted) !== null)
  )
}

/** Reports that nothing catches. */
function uncaught(env: Env, span: Span, by: 'throw' | 'try'): void {
  const entry = env.deferring
    ? by === 'throw'
      ? errors.throwInDefer
      : errors.tryInDefer
    : by === 'throw'
      ? errors.uncaughtThrow
      : errors.uncaughtTry
  env.cx.sink.add(entry, span, {})
}

/** The statements that take an error to where it is caught. */
function leave(env: Env, error: Expr, span: Span, by: 'throw' | 'try', { catchUp }: Statements): Stmt {
  const out: Stmt[] = []
  const block: Stmt = { kind: 'block', body: out, span }
  const lost: Stmt = { kind: 'return', value: null, span }
  if (poisoned(error.type)) return lost
  const handler = env.handlers.findLast((h, i) => i >= env.caughtFrom && (h.type === null || same(h.type, error.type)))
  if (handler !== undefined) {
    handler.used = true
    const { caught } = handler
    if (caught !== null) out.push(assigned({ kind: 'local', type: caught.type, span, decl: caught }, error, span))
    else out.push({ kind: 'expr', expr: error, span })
    catchUp(env, handler.outside, out)
    out.push({ kind: 'break', levels: env.exits.length - 1 - handler.exit, span })
    return block
  }
  const param = env.deferring ? undefined : thrownOf(env)
  if (param === undefined) {
    uncaught(env, span, by)
    return lost
  }
  const wanted = errorOf(param.type)
  if (!poisoned(wanted) && !mayBecome(env, error.type, wanted)) {
    const entry = by === 'throw' ? errors.throwsAnother : errors.calleeThrowsAnother
    env.cx.sink.add(entry, error.span ?? span, { type: show(error.type), expected: show(wanted) })
    return lost
  }
  const place: Place = { kind: 'param', type: param.type, span, decl: param }
  out.push(
    assigned(fieldOf(place, 1, wanted, span), coerce(env, value(error), wanted, span), span),
    setFailed(param, true, span),
  )
  catchUp(env, 0, out)
  out.push(lost)
  return block
}

/** `throw e;`. */
export function checkThrow(env: Env, s: ast.ThrowStmt, statements: Statements): Stmt {
  const term = checkExpr(env, s.value)
  if (term.kind === 'error') return { kind: 'return', value: null, span: s.span }
  return leave(env, toExpr(env, term, s.value.span), s.span, 'throw', statements)
}

/** `try f(x)`. */
export function checkTry(env: Env, e: ast.TryExpr, statements: Statements): Term {
  const { operand } = e
  if (operand.kind !== 'call') {
    if (operand.kind !== 'error') env.cx.sink.add(errors.tryNeedsCall, operand.span, {})
    return errorTerm
  }
  env.tried.add(operand.span)
  const term = checkExpr(env, operand)
  if (term.kind === 'error') return errorTerm
  const call = toExpr(env, term, operand.span)
  const last = call.kind === 'call' ? call.args.at(-1) : undefined
  const place = last === undefined || last.dir === 'in' ? undefined : last.place
  const throws = call.kind === 'call' && signatureOf(env.cx, call.func).params.at(-1)?.thrown === true
  if (!throws || place?.kind !== 'local') {
    if (call.kind !== 'error') env.cx.sink.add(errors.throwsNothing, operand.span, {})
    return errorTerm
  }
  const error: Expr = {
    kind: 'read',
    type: errorOf(place.type),
    span: e.span,
    place: fieldOf(place, 1, errorOf(place.type), e.span),
  }
  const exit = leave(env, error, e.span, 'try', statements)
  env.leaving.push(exit)
  return value({ kind: 'attempt', type: call.type, span: e.span, call, thrown: place.decl, exit })
}

/** What a `break` may leave: a `switch` with one case, whose value does not matter. */
function exitBlock(body: readonly Stmt[], span: Span): Stmt {
  return {
    kind: 'switch',
    value: { kind: 'const', type: intType, span, value: 0 },
    cases: [{ labels: [], isDefault: true, body, falls: false, target: 'any' }],
    span,
  }
}

/** `do { … } catch (e : E) { … }`: errors leave a block behind which the clause stands, and the end of each leaves the block around all. */
export function checkDoCatch(env: Env, s: ast.DoCatchStmt, statements: Statements): Stmt {
  const { cx } = env
  const outer = env.handlers.length
  const outside = env.defers.length
  const count = s.clauses.length
  const enter = (): number => env.exits.push({ label: null, outside, breaks: false }) - 1
  const done = enter()
  const locals: Stmt[] = []
  const handlers: Handler[] = []
  // The first clause that fits catches, so it comes last.
  for (let i = count - 1; i >= 0; i--) {
    const { param } = s.clauses[i]!
    const type =
      param === undefined ? null : param.type === undefined ? errorType : resolveType(cx, param.type, env.scope)
    const caught: LocalDecl | null =
      param === undefined || type === null
        ? null
        : {
            kind: 'local',
            id: cx.id(),
            name: param.name?.text ?? '',
            type,
            span: param.name?.span ?? param.span,
            constant: false,
            noDiff: false,
          }
    if (caught !== null) locals.push({ kind: 'local', decl: caught, init: null, span: s.clauses[i]!.span })
    handlers.unshift({ type, caught, exit: enter(), outside, used: false })
    env.handlers.push(handlers[0]!)
  }
  const body = statements.one(env, s.body)
  env.handlers.length = outer
  let inner: Stmt[] = [body]
  for (let i = 0; i < count; i++) {
    const { caught, used } = handlers[i]!
    if (fallsThrough(inner)) inner.push({ kind: 'break', levels: env.exits.length - 1 - done, span: s.span })
    env.exits.pop()
    const scope = env.scope
    env.scope = newScope(scope, 'block', null)
    if (caught !== null) {
      if (caught.name !== '') declare(env.scope, caught)
      if (caught.span !== null) cx.observer?.named(caught.span, caught)
    }
    const clause = statements.one(env, s.clauses[i]!.body)
    env.scope = scope
    inner = used ? [exitBlock(inner, s.span), clause] : [exitBlock(inner, s.span)]
  }
  env.exits.pop()
  return exitBlock([...locals, ...inner], s.span)
}

/** A statement with the ways out of it that its expressions have. */
export function withExits(env: Env, outer: Stmt[], from: number, out: Stmt[]): void {
  const { leaving } = env
  env.leaving = outer
  if (leaving.length === 0) return
  const body = out.splice(from)
  out.push({ kind: 'block', body, exits: leaving, span: body[0]?.span ?? null })
}
