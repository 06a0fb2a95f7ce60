/** Statements as structured control flow. */
import { read } from './place.ts'
import { outputs } from '../ir/value.ts'
import type { Fn } from './context.ts'
import type { InterfaceType } from '../check/model/type.ts'
import type { LoopAttributes } from '../check/model/loop-attributes.ts'
import type { Expr, Stmt, SwitchCase } from '../check/model/tree.ts'
import { i32, voidType } from '../ir/type.ts'
import type { Hint } from '../ir/op.ts'
import type { Inst, Value } from '../ir/value.ts'
import { impossible } from './context.ts'
import { countedTrips } from './counted.ts'
import { lowerEffect, lowerExpr } from './expr.ts'
import { callExternal } from './external.ts'
import { block, branch, closed, leave, loop, select } from './flow.ts'
import { holdsArray } from './type.ts'

/** Lowers statements until one closes the region; what follows can never run. */
export function lowerStmts(fn: Fn, stmts: readonly Stmt[]): void {
  for (const stmt of stmts) {
    if (closed(fn.b.at)) return
    lowerStmt(fn, stmt)
  }
}

type If = Stmt & { readonly kind: 'if' }

/** How many `else if` may nest. In a longer chain each branch leaves a block around the chain, so that nothing nests. */
const longestNest = 64

function isLong(chain: If): boolean {
  let arms = 0
  for (let s: Stmt | null = chain; s?.kind === 'if' && arms <= longestNest; s = s.otherwise) arms++
  return arms > longestNest
}

/**
 * The branch of an `if` that tests the type of a value, if types decide it. The other branch may use members that the type does not
 * have.
 */
function decided(fn: Fn, { cond, then, otherwise }: If): { readonly taken: Stmt | null } | null {
  if (cond.kind !== 'is' || cond.of.kind !== 'interface') {
    const known = fn.decides || cond.kind === 'is' ? fn.cx.program.fold(cond, fn.subst) : null
    return known === null ? null : { taken: known === 0 ? otherwise : then }
  }
  return {
    taken: fn.cx.program.conforms(fn.source(cond.value.type), fn.source(cond.of) as InterfaceType) ? then : otherwise,
  }
}

function lowerIf(fn: Fn, stmt: If): void {
  if (isLong(stmt)) {
    lowerChain(fn, stmt)
    return
  }
  const known = decided(fn, stmt)
  if (known !== null) {
    if (known.taken !== null) lowerStmt(fn, known.taken)
    return
  }
  const { then, otherwise } = stmt
  branch(
    fn.b,
    lowerExpr(fn, stmt.cond),
    () => lowerStmt(fn, then),
    () => {
      if (otherwise !== null) lowerStmt(fn, otherwise)
    },
    fn.left,
  )
}

function lowerChain(fn: Fn, chain: If): void {
  const { b } = fn
  block(
    b,
    inst => {
      let rest: Stmt | null = chain
      while (rest?.kind === 'if') {
        const arm: If = rest
        const known = decided(fn, arm)
        if (known === null) {
          branch(
            b,
            lowerExpr(fn, arm.cond),
            () => {
              lowerStmt(fn, arm.then)
              if (!closed(b.at)) leave(b, inst, fn.left)
            },
            () => {},
            fn.left,
          )
        } else if (known.taken !== arm.otherwise) {
          rest = known.taken
          break
        }
        rest = arm.otherwise
      }
      if (rest !== null) lowerStmt(fn, rest)
    },
    fn.left,
  )
}

export function lowerStmt(fn: Fn, stmt: Stmt): void {
  const saved = fn.b.span
  fn.b.span = stmt.span ?? saved
  statement(fn, stmt)
  fn.b.span = saved
}

function statement(fn: Fn, stmt: Stmt): void {
  const { b } = fn
  switch (stmt.kind) {
    case 'expr':
      lowerEffect(fn, stmt.expr)
      return
    case 'local':
      lowerLocal(fn, stmt)
      return
    case 'block':
      lowerStmts(fn, stmt.body)
      return
    case 'if':
      lowerIf(fn, stmt)
      return
    case 'for': {
      const counted = countedTrips(fn, stmt)
      if (counted !== null) {
        block(
          b,
          inst => {
            for (const value of counted.values) {
              if (closed(b.at)) return
              fn.locals.set(counted.decl.id, { kind: 'value', value: b.const(fn.type(counted.decl.type), value) })
              body(fn, inst, stmt.body)
            }
          },
          fn.left,
        )
        return
      }
      lowerStmts(fn, stmt.init)
      const { cond, step } = stmt
      whileLoop(fn, stmt.loop, cond, stmt.body, () => {
        if (step !== null) lowerEffect(fn, step)
      })
      return
    }
    case 'while':
      whileLoop(fn, stmt.loop, stmt.cond, stmt.body, () => undefined)
      return
    case 'do': {
      loop(
        b,
        hint(fn, stmt.loop),
        () => undefined,
        inst => {
          body(fn, inst, stmt.body)
          if (closed(b.at)) return
          const cond = lowerExpr(fn, stmt.cond)
          branch(
            b,
            cond,
            () => undefined,
            () => leave(b, inst, fn.left),
            fn.left,
          )
        },
        fn.left,
      )
      return
    }
    case 'switch':
      lowerSwitch(fn, stmt)
      return
    case 'return': {
      const value = stmt.value === null ? undefined : lowerEffect(fn, stmt.value)
      leaveFunction(fn, value)
      return
    }
    case 'break':
      leave(b, fn.breaks[fn.breaks.length - 1 - stmt.levels] ?? impossible('break outside a loop'), fn.left)
      return
    case 'continue':
      leave(b, fn.continues[fn.continues.length - 1] ?? impossible('continue outside a loop'), fn.left)
      return
    case 'discard':
      callExternal(fn, 'discard', [], voidType, false)
      return
    case 'assert':
      fn.cx.program.assert(stmt, fn.subst, fn.cx.reach.outside())
      return
  }
}

function lowerLocal(fn: Fn, stmt: Stmt & { readonly kind: 'local' }): void {
  const { decl } = stmt
  const init: Value | undefined = stmt.init === null ? undefined : lowerExpr(fn, stmt.init)
  if (init !== undefined && decl.constant && !holdsArray(init.type)) {
    if (init.name === '') init.name = decl.name
    fn.locals.set(decl.id, { kind: 'value', value: init })
    return
  }
  const type = fn.type(decl.type)
  if (init !== undefined) {
    fn.locals.set(decl.id, fn.variable(type, decl.name, init))
    return
  }
  fn.locals.set(decl.id, fn.variable(type, decl.name))
}

function hint(fn: Fn, attributes: LoopAttributes): Hint {
  if (attributes.forceUnroll) return 'unroll'
  const bound = attributes.maxIters === null ? null : fn.int(attributes.maxIters)
  const states = attributes.checkpoints === null ? null : fn.int(attributes.checkpoints)
  // A generic argument may be too small; one state there is always.
  return states === null ? (bound ?? attributes.hint) : [Math.max(1, states), ...(bound === null ? [] : [bound])]
}

/** The body in a block of its own, which `continue` leaves. */
function body(fn: Fn, inst: Inst, stmt: Stmt): void {
  fn.breaks.push(inst)
  block(
    fn.b,
    wrapped => {
      fn.continues.push(wrapped)
      lowerStmt(fn, stmt)
      fn.continues.pop()
    },
    fn.left,
  )
  fn.breaks.pop()
}

function whileLoop(fn: Fn, attributes: LoopAttributes, cond: Expr | null, stmt: Stmt, step: () => void): void {
  const { b } = fn
  loop(
    b,
    hint(fn, attributes),
    () => (cond === null ? undefined : lowerExpr(fn, cond)),
    inst => {
      body(fn, inst, stmt)
      if (!closed(b.at)) step()
    },
    fn.left,
  )
}

/** The case that a value chooses which an instance knows. */
function knownCase(fn: Fn, { cases, value }: Stmt & { readonly kind: 'switch' }): Pick<SwitchCase, 'body'> | undefined {
  const known = fn.decides && !cases.some(c => c.falls) ? fn.cx.program.fold(value, fn.subst) : null
  if (known === null) return undefined
  return cases.find(c => c.labels.includes(known)) ?? cases.find(c => c.isDefault) ?? { body: [] }
}

function lowerSwitch(fn: Fn, stmt: Stmt & { readonly kind: 'switch' }): void {
  const { b } = fn
  const own = stmt.cases.find(c => c.target === 'any' || c.target === fn.cx.target.processor) ?? knownCase(fn, stmt)
  if (own !== undefined) {
    block(
      b,
      inst => {
        fn.breaks.push(inst)
        lowerStmts(fn, own.body)
        fn.breaks.pop()
      },
      fn.left,
    )
    return
  }
  const value = lowerExpr(fn, stmt.value)
  if (stmt.cases.some(c => c.falls)) {
    lowerFallingCases(fn, stmt.cases, value)
    return
  }
  const labels: number[] = []
  const bodies: ((inst: Inst) => void)[] = []
  const lowered =
    (stmts: readonly Stmt[]) =>
    (inst: Inst): void => {
      fn.breaks.push(inst)
      lowerStmts(fn, stmts)
      fn.breaks.pop()
    }
  const ordered = [...stmt.cases.filter(c => !c.isDefault), ...stmt.cases.filter(c => c.isDefault)]
  for (const c of ordered) {
    for (const label of c.labels) labels.push(label, bodies.length)
    bodies.push(lowered(c.body))
  }
  if (!ordered.some(c => c.isDefault)) bodies.push(() => undefined)
  select(b, value, labels, bodies, fn.left)
}

/**
 * Lowers cases that fall through: a `switch` chooses where to enter, and each case runs if it is entered or if one before it was.
 *
 *    switch (v) { case 1: A; case 2: B; break; default: C; }
 *    →   { int entry = …; if (entry <= 0) A; if (entry <= 1) { B; break; } if (entry <= 2) C; }
 */
function lowerFallingCases(fn: Fn, cases: readonly SwitchCase[], value: Value): void {
  const { b } = fn
  const entry = b.variable(i32, 'entry')
  const labels: number[] = []
  const starts: ((inst: Inst) => void)[] = []
  const start = (at: number) => (): void => b.store(entry, b.const(i32, at))
  let otherwise = cases.length
  cases.forEach((c, at) => {
    if (c.isDefault) otherwise = at
    if (c.labels.length === 0) return
    for (const label of c.labels) labels.push(label, starts.length)
    starts.push(start(at))
  })
  starts.push(start(otherwise))
  select(b, value, labels, starts, fn.left)
  block(
    b,
    inst => {
      fn.breaks.push(inst)
      cases.forEach((c, at) => {
        if (closed(b.at)) return
        branch(
          b,
          b.emit1('le', [b.load(entry), b.const(i32, at)]),
          () => {
            lowerStmts(fn, c.body)
            if (!c.falls && !closed(b.at)) leave(b, inst, fn.left)
          },
          () => undefined,
          fn.left,
        )
      })
      fn.breaks.pop()
    },
    fn.left,
  )
}

/** Emits the return with the result and what `out` and `inout` parameters hold. */
export function leaveFunction(fn: Fn, value: Value | undefined): void {
  const { b, func } = fn
  if (fn.gives !== undefined) {
    b.emit('ret', [...fn.gives(value)])
    return
  }
  const results: Value[] = []
  if (fn.constructs) results.push(read(fn, fn.self!))
  else if (func.sig.result.kind !== 'void') results.push(value ?? b.emit1('undef', [], null, func.sig.result))
  const places = [...fn.params.values()]
  const method = func.sig.params.length - places.length
  for (const p of outputs(func.sig)) {
    const index = func.sig.params.indexOf(p)
    results.push(read(fn, index < method ? fn.self! : places[index - method]!))
  }
  b.emit('ret', results)
}
