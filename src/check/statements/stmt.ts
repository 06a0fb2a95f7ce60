/** Statements and bodies. */
import * as names from '../../base/errors/names.ts'
import * as types from '../../base/errors/types.ts'
import type * as ast from '../../syntax/ast.ts'
import {
  adoptBase,
  attributesOf,
  constraintsAround,
  foldExpr,
  funcSig,
  isMutating,
  packBits,
  selfType,
} from '../types/index.ts'
import { collectLocal } from '../modules/collect.ts'
import { withReturnValue } from './return-value.ts'
import { staticLocal } from './static-local.ts'
import {
  checkCondition,
  checkExpr,
  spread,
  checkValue,
  coerce,
  granting,
  hasValue,
  heldValue,
  optionalValue,
  toExpr,
} from '../expressions/index.ts'
import { Env, type Cx } from '../model/context.ts'
import type { FuncDecl } from '../model/decl.ts'
import { emptyError } from '../model/term.ts'
import { boolType, errorType, intType, isFloatName, known, noSubst, poisoned, show, voidType } from '../model/type.ts'
import { checkAssert, isAssert } from './assert.ts'
import { beforeBody, checkDoCatch, checkThrow, withExits, type Statements } from './attempt.ts'
import { checkLocal, constantLocal, isGlobal } from './local.ts'
import { loopAttributes } from './loop-attributes.ts'
import { fallsThrough, openEnd } from './returns.ts'
import { declare, newScope } from '../model/scope.ts'
import type { Body, Expr, Stmt, SwitchCase } from '../model/tree.ts'

const maxDepth = 200

/** The checked body of a function; null where it has none. */
export function checkBody(from: Cx, func: FuncDecl): Body | null {
  const cx = from.of(func)
  cx.observer?.body(func)
  const old = cx.bodies.get(func)
  if (old !== undefined) return old
  const block = withReturnValue(func.syntax)
  if (block === undefined) {
    cx.bodies.set(func, null)
    return null
  }
  // A body that is asked for while it is being checked is asked for by its own recursion.
  cx.bodies.set(func, { params: [], stmts: [] })
  const sig = funcSig(cx, func)
  constraintsAround(cx, func)
  const hasThis = func.role === 'method' || func.role === 'accessor' || func.role === 'constructor'
  const self = hasThis && func.parent !== null ? selfType(cx, func.parent) : null
  const fixed = func.role === 'constructor' || isMutating(func) ? null : 'this method is not [mutating]'
  const scope = newScope(func.inner, 'block', func)
  for (const p of sig.params) {
    if (p.thrown === true) continue
    if (scope.names.has(p.name)) cx.sink.add(names.redeclared, p.span ?? undefined, { name: p.name })
    else declare(scope, p)
  }
  const result = func.role === 'constructor' ? voidType : sig.result
  const env = new Env(cx, scope, func, self, fixed, result, attributesOf(cx, func).level)
  const stmts = [...beforeBody(env, func), ...checkStmts(env, block.stmts)]
  const open = result.kind === 'void' || poisoned(result) || func.module.isCore ? null : openEnd(cx, stmts)
  const body: Body = { params: sig.params, stmts, ...(open === null ? {} : { open }) }
  cx.bodies.set(func, body)
  return body
}

/** Statements of one block, in the scope that `env` has. */
function checkStmts(env: Env, list: readonly ast.Stmt[]): readonly Stmt[] {
  env.cx.observer?.block(env, list)
  // Local types and functions are known in the whole block.
  const before = env.cx.userDecls.length
  for (const s of list)
    if (s.kind === 'decl')
      for (const d of s.decls) if (d.kind !== 'var' && env.func !== null) collectLocal(env.cx, d, env.func, env.scope)
  const structs = env.cx.userDecls.slice(before).filter(d => d.kind === 'struct')
  for (const decl of structs) adoptBase(env.cx, decl)
  for (const decl of structs) packBits(env.cx, decl)
  const out: Stmt[] = []
  const outside = env.defers.length
  for (const s of list) {
    if (s.kind === 'defer') env.defers.push({ body: s.body, scope: env.scope })
    else checkStmt(env, s, out)
  }
  if (env.defers.length > outside && fallsThrough(out)) catchUp(env, outside, out)
  env.defers.length = outside
  return out
}

/** Appends the deferred statements, the latest first. They are checked anew at each exit. */
function catchUp(env: Env, outside: number, out: Stmt[]): void {
  const { scope } = env
  const due = env.defers.splice(outside)
  const { caughtFrom, deferring } = env
  env.caughtFrom = env.handlers.length
  env.deferring = true
  for (let i = due.length - 1; i >= 0; i--) {
    env.scope = due[i]!.scope
    out.push(one(env, due[i]!.body))
  }
  env.caughtFrom = caughtFrom
  env.deferring = deferring
  env.scope = scope
  env.defers.push(...due)
}

/** The statements of a block, in the scope that `env` has. */
export function checkBlock(env: Env, block: ast.Block): readonly Stmt[] {
  return checkStmts(env, block.stmts)
}

/** What errors ask of statements. */
export const statements: Statements = { one: (env, s) => one(env, s), catchUp }

/** Runs `work` in a scope of its own. */
function scoped<T>(env: Env, work: () => T): T {
  const outer = env.scope
  env.scope = newScope(outer, 'block', null)
  const result = work()
  env.scope = outer
  return result
}

function one(env: Env, s: ast.Stmt): Stmt {
  return scoped(env, () => {
    if (s.kind === 'block') return { kind: 'block', body: checkStmts(env, s.stmts), span: s.span }
    const body = checkStmts(env, [s])
    return body.length === 1 && body[0]!.kind !== 'local' ? body[0]! : { kind: 'block', body, span: s.span }
  })
}

function checkStmt(env: Env, s: ast.Stmt, out: Stmt[]): void {
  const { cx } = env
  const { work } = cx.sink
  if (env.depth > maxDepth || !work.descend(1)) {
    cx.sink.add(names.tooDeep, s.span, {})
    return
  }
  work.spend('statements', 1, s.span)
  env.depth++
  const { leaving } = env
  env.leaving = []
  const from = out.length
  statement(env, s, out)
  withExits(env, leaving, from, out)
  env.depth--
  work.ascend(1)
}

function statement(env: Env, s: ast.Stmt, out: Stmt[]): void {
  const { cx } = env
  switch (s.kind) {
    case 'empty':
      return
    case 'block':
      out.push(one(env, s))
      return
    case 'expr': {
      if (isAssert(s.expr)) {
        checkAssert(env, s.expr, out)
        return
      }
      for (const part of spread(env, s.expr)) {
        const term = checkExpr(env, part)
        const expr = term.kind === 'error' ? emptyError(errorType) : toExpr(env, term, s.expr.span)
        out.push({ kind: 'expr', expr, span: s.span })
      }
      // What another target's assembly returns is not missing.
      if (s.expr.kind === 'unsupported') out.push({ kind: 'return', value: null, span: s.span })
      return
    }
    case 'decl':
      for (const d of s.decls) {
        if (d.kind !== 'var') continue
        // A static of a function is a global that only the function sees.
        const first = isGlobal(d) ? staticLocal(env, d) : null
        if (first !== null) checkStmt(env, first, out)
        if (!isGlobal(d)) checkLocal(env, d, out)
      }
      return
    case 'if':
      out.push(checkIf(env, s))
      return
    case 'for':
      out.push(checkFor(env, s))
      return
    case 'while': {
      const { cond, first } = head(env, s.condition)
      out.push({
        kind: 'while',
        cond: cond ?? { kind: 'const', type: boolType, span: s.span, value: true },
        body: behind(first, loopBody(env, s.body)),
        loop: loopAttributes(env, s.attributes),
        span: s.span,
      })
      return
    }
    case 'do': {
      const body = loopBody(env, s.body)
      out.push({
        kind: 'do',
        body,
        cond: checkPredicate(env, s.condition),
        loop: loopAttributes(env, s.attributes),
        span: s.span,
      })
      return
    }
    case 'switch':
      out.push(checkSwitch(env, s))
      return
    case 'break': {
      const last = env.exits.findLastIndex(e => e.breaks)
      const { label } = s
      const at = label === undefined ? last : env.exits.findLastIndex(e => e.label === label.text)
      if (last < 0) cx.sink.add(types.breakOutside, s.span, {})
      else if (at < 0) cx.sink.add(names.undefinedName, label?.span, { name: label?.text ?? '' })
      catchUp(env, env.exits[at]?.outside ?? 0, out)
      if (last < 0) out.push({ kind: 'return', value: null, span: s.span })
      else out.push({ kind: 'break', levels: env.exits.length - 1 - Math.max(at, 0), span: s.span })
      return
    }
    case 'continue':
      if (env.loops === 0) cx.sink.add(types.continueOutside, s.span, {})
      catchUp(env, env.outsideLoop, out)
      out.push(env.loops === 0 ? { kind: 'return', value: null, span: s.span } : { kind: 'continue', span: s.span })
      return
    case 'return':
      returnOf(env, checkReturn(env, s), out)
      return
    case 'discard':
      out.push({ kind: 'discard', span: s.span })
      return
    case 'ifLet':
      checkIfLet(env, s, out)
      return
    case 'throw':
      out.push(checkThrow(env, s, statements))
      return
    case 'doCatch':
      out.push(checkDoCatch(env, s, statements))
      return
    case 'defer':
      out.push(one(env, s.body))
      return
    case 'label':
      if (s.body.kind === 'for' || s.body.kind === 'while' || s.body.kind === 'do' || s.body.kind === 'switch')
        env.label = s.name.text
      else cx.sink.add(names.unsupported, s.span, { feature: 'a label before anything but a loop or a switch' })
      checkStmt(env, s.body, out)
      return
    case 'targetSwitch':
      out.push(targetCase(env, s))
      return
    case 'unsupported':
      cx.lacks.push({ span: s.span, feature: s.feature })
      out.push({ kind: 'expr', expr: { kind: 'error', type: errorType, span: s.span }, span: s.span })
      out.push({ kind: 'return', value: null, span: s.span })
      return
  }
}

/** A chain of `else if` is no nesting: it is checked in a loop. */
function checkIf(env: Env, s: ast.IfStmt): Stmt {
  const arms: (Stmt & { readonly kind: 'if' })[] = []
  let rest: ast.Stmt | undefined = s
  for (; rest?.kind === 'if'; rest = rest.else) {
    if (rest !== s) env.cx.sink.work.spend('statements', 1, rest.span)
    const cond = checkPredicate(env, rest.condition)
    const { then } = rest
    arms.push({
      kind: 'if',
      cond,
      then:
        cond.kind === 'is' && cond.of.kind === 'interface'
          ? granting(env.cx, cond.value.type, cond.of, () => one(env, then))
          : one(env, then),
      otherwise: null,
      span: rest.span,
    })
  }
  let otherwise = rest === undefined ? null : one(env, rest)
  for (const arm of arms.reverse()) otherwise = { ...arm, otherwise }
  return otherwise!
}

/** `if (let x = e)`: the optional is looked at once; its value has a name where there is one. */
function checkIfLet(env: Env, s: ast.IfLetStmt, out: Stmt[]): void {
  const { cx } = env
  const init = optionalValue(env, s.value)
  const type = init?.type ?? errorType
  const held = constantLocal(cx, '', type, s.value.span)
  const read: Expr = {
    kind: 'read',
    type,
    span: s.value.span,
    place: { kind: 'local', type, span: s.value.span, decl: held },
  }
  const then = scoped(env, (): Stmt => {
    const decl = constantLocal(cx, s.name.text, init === null ? errorType : heldValue(read).type, s.name.span)
    declare(env.scope, decl)
    cx.observer?.named(s.name.span, decl)
    const body = one(env, s.then)
    if (init === null) return body
    return {
      kind: 'block',
      body: [{ kind: 'local', decl, init: heldValue(read), span: s.name.span }, body],
      span: s.then.span,
    }
  })
  const otherwise = s.else === undefined ? null : one(env, s.else)
  if (init === null) return
  const branch: Stmt = { kind: 'if', cond: hasValue(read), then, otherwise, span: s.span }
  out.push({ kind: 'block', body: [{ kind: 'local', decl: held, init, span: s.value.span }, branch], span: s.span })
}

/** A return, with the deferred statements between its value and the end. */
function returnOf(env: Env, s: Stmt, out: Stmt[]): void {
  if (env.defers.length === 0 || s.kind !== 'return' || s.value === null) {
    catchUp(env, 0, out)
    out.push(s)
    return
  }
  const { type, span } = s.value
  const decl = constantLocal(env.cx, '', type, span ?? s.span!)
  out.push({ kind: 'local', decl, init: s.value, span: s.span })
  catchUp(env, 0, out)
  out.push({
    kind: 'return',
    value: { kind: 'read', type, span, place: { kind: 'local', type, span, decl } },
    span: s.span,
  })
}

/** Names of targets that are most like those of this compiler; `undefined` is the default. */
const likeness = { gpu: ['wgsl', undefined, 'spirv', 'glsl', 'hlsl', 'metal'], cpu: ['cpp', 'c', undefined] } as const

/**
 * The case of a target switch. One checked program serves all targets, so it keeps the case that GPUs take and the one that CPUs
 * take, among those without code of another language and other things that no target has.
 */
function targetCase(env: Env, s: ast.TargetSwitchStmt): Stmt {
  const { cx } = env
  const usable = s.cases.filter(c => !c.body.some(isForeign))
  if (s.which !== 'target' || usable.length === 0) {
    const feature =
      s.which === 'target' ? 'a __target_switch without a case that this target can take' : `__${s.which}_switch`
    cx.lacks.push({ span: s.span, feature })
    return {
      kind: 'block',
      body: [
        { kind: 'expr', expr: { kind: 'error', type: errorType, span: s.span }, span: s.span },
        { kind: 'return', value: null, span: s.span },
      ],
      span: s.span,
    }
  }
  enterExit(env)
  const checked = new Map<ast.TargetCase, { readonly body: readonly Stmt[]; readonly lacks: boolean }>()
  const check = (of: ast.TargetCase): { readonly body: readonly Stmt[]; readonly lacks: boolean } => {
    let known = checked.get(of)
    if (known === undefined) {
      const before = cx.lacks.length
      const body = scoped(env, () => checkStmts(env, of.body))
      checked.set(of, (known = { body, lacks: cx.lacks.length > before }))
    }
    return known
  }
  const cases = (['gpu', 'cpu'] as const).map((target): SwitchCase => {
    const inOrder = new Set([
      ...likeness[target].flatMap(name => usable.filter(c => c.targets.some(t => t?.text === name))),
      ...usable,
    ])
    const chosen = [...inOrder].find(c => !check(c).lacks) ?? [...inOrder][0]!
    return { labels: [], isDefault: true, body: check(chosen).body, falls: false, target }
  })
  env.exits.pop()
  return { kind: 'switch', value: { kind: 'const', type: intType, span: s.span, value: 0 }, cases, span: s.span }
}

function isForeign(s: ast.Stmt): boolean {
  switch (s.kind) {
    case 'unsupported':
      return true
    case 'block':
      return s.stmts.some(isForeign)
    case 'return':
      return s.value?.kind === 'unsupported'
    case 'expr':
      return s.expr.kind === 'unsupported'
    default:
      return false
  }
}

function checkReturn(env: Env, s: ast.ReturnStmt): Stmt {
  const { cx } = env
  if (s.value === undefined) {
    if (env.result.kind !== 'void' && !poisoned(env.result))
      cx.sink.add(types.returnNeedsValue, s.span, { type: show(env.result) })
    return { kind: 'return', value: null, span: s.span }
  }
  const term = checkExpr(env, s.value)
  if (env.infers && env.result.kind === 'void') env.result = toExpr(env, term, s.value.span).type
  if (env.result.kind !== 'void')
    return { kind: 'return', value: coerce(env, term, env.result, s.value.span), span: s.span }
  let value = term.kind === 'error' ? emptyError(errorType) : toExpr(env, term, s.value.span)
  if (value.type.kind !== 'void' && value.kind !== 'error') {
    const self = env.func?.role === 'constructor' ? env.object(s.span) : null
    if (self === null) cx.sink.add(types.returnTakesNoValue, s.value.span, {})
    // What a constructor returns it has made.
    else
      value = {
        kind: 'assign',
        type: self.type,
        span: s.span,
        place: self,
        value: coerce(env, term, self.type, s.value.span),
      }
  }
  // `return g();` of two void functions: the call, then the return.
  return {
    kind: 'block',
    body: [
      { kind: 'expr', expr: value, span: s.span },
      { kind: 'return', value: null, span: s.span },
    ],
    span: s.span,
  }
}

// ── Loops and switches ───────────────────────────────────────────────────────────────────────────────────────────

function loopBody(env: Env, s: ast.Stmt): Stmt {
  const { outsideLoop } = env
  env.outsideLoop = env.defers.length
  enterExit(env)
  env.loops++
  const body = one(env, s)
  env.loops--
  env.exits.pop()
  env.outsideLoop = outsideLoop
  return body
}

/** The condition of a loop. One that an error may leave is asked in the body, before all else. */
function head(env: Env, condition: ast.Expr): { readonly cond: Expr | null; readonly first: Stmt | null } {
  const { leaving } = env
  env.leaving = []
  env.exits.push({ label: null, outside: env.defers.length, breaks: false })
  const cond = checkPredicate(env, condition)
  env.exits.pop()
  const exits = env.leaving
  env.leaving = leaving
  if (exits.length === 0) return { cond, first: null }
  const { span } = condition
  const none: Stmt = { kind: 'block', body: [], span }
  const test: Stmt = { kind: 'if', cond, then: none, otherwise: { kind: 'break', levels: 0, span }, span }
  return { cond: null, first: { kind: 'block', body: [test], exits, span } }
}

function behind(first: Stmt | null, body: Stmt): Stmt {
  return first === null ? body : { kind: 'block', body: [first, body], span: body.span }
}

/** Begins what a `break` leaves. */
function enterExit(env: Env): void {
  env.exits.push({ label: env.label, outside: env.defers.length, breaks: true })
  env.label = null
}

/** A condition of a statement. Warns of `=` in it, unless it is in parentheses of its own. */
function checkPredicate(env: Env, e: ast.Expr): Expr {
  if (e.kind === 'assign' && e.op === '=' && !/\(\s*\(\s*$/.test(e.span.file.text.slice(0, e.span.start)))
    env.cx.sink.add(types.assignedCondition, e.span, {})
  return checkCondition(env, e)
}

function checkFor(env: Env, s: ast.ForStmt): Stmt {
  return scoped(env, () => {
    const init: Stmt[] = []
    if (s.init !== undefined) checkStmt(env, s.init, init)
    const { cond, first } = s.condition === undefined ? { cond: null, first: null } : head(env, s.condition)
    let step: Expr | null = null
    if (s.step !== undefined) {
      const term = checkExpr(env, s.step)
      step = term.kind === 'error' ? emptyError(errorType) : toExpr(env, term, s.step.span)
    }
    const loop = loopAttributes(env, s.attributes)
    return { kind: 'for', init, cond, step, body: behind(first, loopBody(env, s.body)), loop, span: s.span }
  })
}

function checkSwitch(env: Env, s: ast.SwitchStmt): Stmt {
  const { cx } = env
  const value = checkValue(env, s.value)
  const { type } = value
  const whole = type.kind === 'enum' || (type.kind === 'scalar' && type.name !== 'bool' && !isFloatName(type.name))
  if (!whole && !poisoned(type) && value.kind !== 'error')
    cx.sink.add(types.switchType, s.value.span, { type: show(type) })
  const cases: SwitchCase[] = []
  const seen = new Set<number>()
  const last = s.groups.findLastIndex(g => g.body.length > 0)
  enterExit(env)
  for (let i = 0; i < s.groups.length; i++) {
    const group = s.groups[i]!
    const labels: number[] = []
    let isDefault = false
    for (const label of group.labels) {
      if (label === undefined) {
        if (isDefault || cases.some(c => c.isDefault))
          cx.sink.add(types.secondDefault, group.body[0]?.span ?? s.span, {})
        isDefault = true
        continue
      }
      const e = coerce(env, checkExpr(env, label), type, label.span)
      if (e.kind === 'error') continue
      const folded = foldExpr(cx, e, noSubst)
      const n = folded === null ? null : known(folded)
      if (n === null) cx.sink.add(types.notConstant, label.span, {})
      else if (seen.has(n)) cx.sink.add(types.duplicateCase, label.span, { value: n })
      else {
        seen.add(n)
        labels.push(n)
      }
    }
    const body = scoped(env, () => checkStmts(env, group.body))
    // Falling into cases without statements is leaving the switch.
    const falls = fallsThrough(body) && i < last
    cases.push({ labels, isDefault, body, falls })
  }
  env.exits.pop()
  return { kind: 'switch', value, cases, span: s.span }
}
