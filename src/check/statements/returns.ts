/**
 * How statements end, and functions that return no value on some path. Constant conditions choose a path. A condition that may turn
 * out constant is unknown, and an error is reported only if it is one either way.
 */
import * as errors from '../../base/errors/types.ts'
import { foldExpr, funcSig } from '../types/index.ts'
import type { Cx } from '../model/context.ts'
import type { FuncDecl, LocalDecl, ParamDecl } from '../model/decl.ts'
import { rootVariable } from './loop.ts'
import type { Arg, AssignExpr, Body, Expr, Place, Stmt, SwitchCase } from '../model/tree.ts'
import type { FuncRef } from '../model/func-ref.ts'
import { known, noSubst, show } from '../model/type.ts'
import { eachExpr, eachStmt, expressions, operands, placeOperands } from '../model/walk.ts'

type Variable = LocalDecl | ParamDecl

/** How far variables are followed to their values. */
const maxDepth = 100

/** The exits of statements: to the next statement, to the next trip of a loop, or out of a number of loops and switches. */
type Ends = ReadonlySet<number>
const onward = -1
const again = -2

/** A known condition; or that it varies at run time; or nothing. */
type Known = boolean | 'varies' | 'unknown'

const union = (...all: readonly Ends[]): Ends => new Set(all.flatMap(e => [...e]))
const common = (a: Ends, b: Ends): Ends => new Set([...a].filter(x => b.has(x)))
const straight: Ends = new Set([onward])
const nowhere: Ends = new Set()

/** The exits of a loop or switch by its breaks, and those to the next trip of a loop around a switch. */
function left(body: Ends, isLoop: boolean): Ends {
  return new Set(
    [...body].filter(e => e >= 0 || (e === again && !isLoop)).map(e => (e > 0 ? e - 1 : e === 0 ? onward : e)),
  )
}

/** Follows statements; with `sure` only paths that are taken however unknown conditions turn out. */
class Paths {
  readonly #condition: (e: Expr, loop: Stmt | null) => Known
  readonly #sure: boolean

  constructor(condition: (e: Expr, loop: Stmt | null) => Known, sure: boolean) {
    this.#condition = condition
    this.#sure = sure
  }

  all(stmts: readonly Stmt[]): Ends {
    const found = new Set<number>()
    for (const s of stmts) {
      const ends = this.#one(s)
      for (const e of ends) if (e !== onward) found.add(e)
      if (!ends.has(onward)) return found
    }
    return found.add(onward)
  }

  /** Where one of two ways is taken. */
  #either(how: Known, then: () => Ends, otherwise: () => Ends): Ends {
    if (typeof how === 'boolean') return how ? then() : otherwise()
    return how === 'unknown' && this.#sure ? common(then(), otherwise()) : union(then(), otherwise())
  }

  #one(s: Stmt): Ends {
    switch (s.kind) {
      case 'return':
      case 'discard':
        return nowhere
      case 'break':
        return new Set([s.levels])
      case 'continue':
        return new Set([again])
      case 'block':
        return s.exits === undefined ? this.all(s.body) : union(this.all(s.body), ...s.exits.map(e => this.#one(e)))
      case 'if':
        return this.#either(
          this.#condition(s.cond, null),
          () => this.#one(s.then),
          () => (s.otherwise === null ? straight : this.#one(s.otherwise)),
        )
      case 'for':
      case 'while': {
        const body = left(this.#one(s.body), true)
        const how = s.cond === null || this.#condition(s.cond, s)
        // One that goes on is left by its breaks alone, if at all; each trip asks anew whether it does.
        return this.#either(
          how,
          () => body,
          () => (how === false ? straight : union(straight, how === 'varies' ? body : nowhere)),
        )
      }
      case 'do': {
        const ends = this.#one(s.body)
        const body = left(ends, true)
        if (!ends.has(onward) && !ends.has(again)) return body
        return this.#either(
          this.#condition(s.cond, s),
          () => body,
          () => union(body, straight),
        )
      }
      case 'switch':
        return this.#switch(s.value, s.cases)
      default:
        return straight
    }
  }

  #switch(value: Expr, cases: readonly SwitchCase[]): Ends {
    // Each case with those that it falls into.
    const from: Ends[] = []
    for (let i = cases.length - 1; i >= 0; i--) {
      const own = this.all(cases[i]!.body)
      const next = from[0]
      from.unshift(
        cases[i]!.falls && next !== undefined && own.has(onward)
          ? union(new Set([...own].filter(e => e !== onward)), next)
          : own,
      )
    }
    const ways = cases.some(c => c.isDefault || c.target !== undefined) ? from : [...from, straight]
    const isOpen = this.#sure && (cases.some(c => c.target !== undefined) || this.#condition(value, null) !== 'varies')
    const ends = ways.reduce((a, b) => (isOpen ? common(a, b) : union(a, b)), ways[0] ?? straight)
    const out = left(ends, false)
    return ends.has(onward) ? union(out, straight) : out
  }
}

const obvious = (e: Expr): Known => (e.kind === 'const' && typeof e.value === 'boolean' ? e.value : 'varies')

/** Whether the end of the statements can be reached, as far as their text shows. */
export function fallsThrough(stmts: readonly Stmt[]): boolean {
  return new Paths(obvious, false).all(stmts).has(onward)
}

/** The values that a body writes to its variables; null for those that callees write. */
function writesOf(stmts: readonly Stmt[]): Map<Variable, (Expr | null)[]> {
  const found = new Map<Variable, (Expr | null)[]>()
  const write = (v: Variable, value: Expr | null): void => {
    const before = found.get(v)
    if (before === undefined) found.set(v, [value])
    else before.push(value)
  }
  const add = (place: Place, value: Expr | null): void => {
    const v = rootVariable(place)
    if (v !== null) write(v, value)
  }
  const given = (a: Arg | null): void => {
    if (a !== null && a.dir !== 'in') add(a.place, null)
  }
  eachStmt(stmts, s => {
    if (s.kind === 'local' && s.init !== null) write(s.decl, s.init)
    for (const e of expressions(s)) {
      eachExpr(e, x => {
        if (x.kind === 'assign' || x.kind === 'update') add(x.place, x.value)
        else if (x.kind === 'call') [x.object, ...x.args].forEach(given)
      })
    }
  })
  return found
}

/** Which values surely vary at run time: those that depend on parameters, memory and results of functions. */
class Varying {
  readonly #cx: Cx
  readonly #writes: ReadonlyMap<Variable, readonly (Expr | null)[]>
  readonly #known = new Map<Variable, boolean>()
  readonly #stepping = new Map<Stmt, ReadonlySet<Variable>>()
  #depth = 0

  constructor(cx: Cx, stmts: readonly Stmt[]) {
    this.#cx = cx
    this.#writes = writesOf(stmts)
  }

  readonly condition = (e: Expr, loop: Stmt | null): Known => {
    const folded = foldExpr(this.#cx, e, noSubst)
    const value = folded === null ? null : known(folded)
    if (value !== null) return value !== 0
    return this.#varies(e) || (loop !== null && this.#steps(e, loop)) ? 'varies' : 'unknown'
  }

  /** Whether a condition reads a variable that its loop changes, and the loop makes another trip. */
  #steps(e: Expr, loop: Stmt): boolean {
    let changed = this.#stepping.get(loop)
    if (changed === undefined) {
      changed = this.#changedBy(loop)
      this.#stepping.set(loop, changed)
    }
    const found = changed
    let reads = false
    eachExpr(e, x => {
      const v = x.kind === 'read' ? rootVariable(x.place) : null
      reads ||= v !== null && found.has(v)
    })
    return reads
  }

  /** The variables that a loop changes by themselves; none where it comes to no other trip. */
  #changedBy(loop: Stmt): ReadonlySet<Variable> {
    const changed = new Set<Variable>()
    eachStmt([loop], s =>
      expressions(s).forEach(x =>
        eachExpr(x, u => {
          const v = u.kind === 'update' || u.kind === 'assign' ? rootVariable(u.place) : null
          if (v !== null && (u.kind === 'update' || this.#changes(v, (u as AssignExpr).value))) changed.add(v)
        }),
      ),
    )
    const body =
      loop.kind === 'for' || loop.kind === 'while' || loop.kind === 'do'
        ? new Paths(this.condition, true).all([loop.body])
        : nowhere
    return body.has(onward) || body.has(again) ? changed : new Set()
  }

  /** Whether an assigned value is another than the variable's only constant. */
  #changes(v: Variable, value: Expr): boolean {
    return (
      value.kind !== 'const' || (this.#writes.get(v) ?? []).some(w => w?.kind === 'const' && w.value !== value.value)
    )
  }

  #variable(v: Variable): boolean {
    const before = this.#known.get(v)
    if (before !== undefined) return before
    if (this.#depth > maxDepth) return false
    this.#depth++
    // While it is being looked at it depends on nothing but what else is written.
    this.#known.set(v, true)
    const writes = this.#writes.get(v) ?? []
    const is = (v.kind === 'parameter' || writes.length > 0) && writes.every(w => w === null || this.#varies(w))
    this.#known.set(v, is)
    this.#depth--
    return is
  }

  #place(p: Place): boolean {
    switch (p.kind) {
      case 'local':
      case 'param':
        return this.#variable(p.decl)
      case 'this':
      case 'ref':
      case 'accessor':
        return true
      case 'global':
        return p.decl.storage !== 'constant'
      case 'index':
        return this.#place(p.base) || this.#varies(p.index)
      case 'field':
      case 'swizzle':
      case 'elements':
      case 'parts':
      case 'convert':
        return this.#place(p.base)
      case 'temp':
        return this.#varies(p.value)
    }
  }

  #any(e: Expr): boolean {
    let found = false
    operands(
      e,
      x => {
        found ||= this.#varies(x)
      },
      p => {
        found ||= this.#place(p)
      },
    )
    return found
  }

  readonly #varies = (e: Expr): boolean => {
    switch (e.kind) {
      case 'read':
        return this.#place(e.place)
      case 'call':
        return isOpaque(e.func) || (e.type.kind !== 'struct' && this.#any(e))
      // The part that is read may be a constant.
      case 'construct':
        return e.parts.length > 0 && e.parts.every(this.#varies)
      case 'old':
        return true
      case 'is':
        return false
      case 'assign':
      case 'update':
        return this.#varies(e.value)
      case 'sequence':
        return this.#varies(e.parts.at(-1)!)
      case 'logical':
        return this.#varies(e.left) && this.#varies(e.right)
      case 'conditional':
        return this.#varies(e.cond) && (this.#varies(e.then) || this.#varies(e.otherwise))
      case 'binary':
        return this.#any(e) && !mayBeConstant(e)
      default:
        return this.#any(e)
    }
  }
}

const absorbing = new Set(['*', '/', '%', '&', '|', '<<', '>>'])
const cancelling = new Set(['==', '!=', '<', '<=', '>', '>=', '-', '^'])

/** Whether an operation may give a constant though an operand is none: `x * 0`, `x == x`, `u >= 0`. */
function mayBeConstant({ op, left, right }: Expr & { readonly kind: 'binary' }): boolean {
  const strip = (e: Expr): Expr => (e.kind === 'convert' ? strip(e.value) : e)
  const [a, b] = [strip(left), strip(right)]
  const isNumber = (e: Expr): boolean => e.kind === 'const' || e.kind === 'default'
  if (absorbing.has(op))
    return [a, b].some(
      e => isNumber(e) && (e.kind !== 'const' || e.value === 0 || e.value === false || op === '|' || op === '%'),
    )
  if (!cancelling.has(op)) return false
  const unsigned = left.type.kind === 'scalar' && left.type.name.startsWith('u')
  if (unsigned && op !== '==' && op !== '!=' && (isNumber(a) || isNumber(b))) return true
  const root = (e: Expr): Variable | null => (e.kind === 'read' ? rootVariable(e.place) : null)
  return root(a) !== null && root(a) === root(b)
}

/**
 * Whether the result of a call is unknown until run time. Calls of functions that are inlined first, or belong to the library, may
 * be evaluated.
 */
function isOpaque(ref: FuncRef): boolean {
  if (ref.kind !== 'direct') return true
  const { decl } = ref
  return !decl.module.isCore && !decl.syntax.attributes.some(a => /inline/i.test(a.name))
}

/** Whether the end of a body can be reached: `surely`, `perhaps`, or not. */
export function openEnd(cx: Cx, stmts: readonly Stmt[]): 'surely' | 'perhaps' | null {
  if (!fallsThrough(stmts)) return null
  const { condition } = new Varying(cx, stmts)
  if (!new Paths(condition, false).all(stmts).has(onward)) return null
  return new Paths(condition, true).all(stmts).has(onward) ? 'surely' : 'perhaps'
}

/** What a body calls. */
export interface Calls {
  readonly funcs: ReadonlySet<FuncDecl>
  /** Requirements of interfaces, by name: any function of that name may meet one. */
  readonly names: ReadonlySet<string>
}

/** What the statements of a body call; a lambda is called by whom it is given to. */
export function callsOf(body: Body | null | undefined): Calls {
  const funcs = new Set<FuncDecl>()
  const names = new Set<string>()
  const meant = (ref: FuncRef): void => {
    if (ref.kind === 'derivative') return meant(ref.of)
    if (!ref.decl.module.isCore) funcs.add(ref.decl)
    if (ref.kind === 'requirement' || ref.kind === 'dynamic') names.add(ref.decl.name)
  }
  const expr = (e: Expr): void => {
    if (e.kind === 'call') meant(e.func)
    const made =
      e.kind === 'construct' && e.type.kind === 'struct' && e.type.decl.parent?.kind === 'func'
        ? e.type.decl.inner.names.get('operator()')
        : undefined
    for (const d of made ?? []) if (d.kind === 'func') funcs.add(d)
    operands(e, expr, place)
  }
  const place = (p: Place): void => {
    if (p.kind === 'accessor') for (const f of [p.get, p.set]) if (f !== null) meant(f)
    placeOperands(p, expr, place)
  }
  eachStmt(body?.stmts ?? [], s => expressions(s).forEach(expr))
  return { funcs, names }
}

/** The functions that are reached by calls; for a requirement, all functions that may meet it. */
function reached(cx: Cx, roots: readonly FuncDecl[]): ReadonlySet<FuncDecl> {
  const found = new Set(roots)
  const names = new Set<string>()
  // What is added on the way is visited too.
  for (const func of found) {
    const calls = callsOf(cx.bodies.get(func))
    for (const f of calls.funcs) found.add(f)
    for (const name of calls.names) {
      if (names.has(name)) continue
      names.add(name)
      for (const d of cx.userDecls) if (d.kind === 'func' && d.name === name && d.role !== 'function') found.add(d)
    }
  }
  return found
}

/** Reports functions that can end without the value that they must return: as errors if that is sure and the function is used. */
export function reportReturns(cx: Cx, roots: readonly FuncDecl[]): void {
  const open = [...cx.bodies].filter(([, body]) => body?.open !== undefined)
  if (open.length === 0) return
  const used = reached(cx, roots)
  for (const [func, body] of open) reportOpen(cx, func, used.has(func) && body!.open === 'surely')
}

/** Reports that a function can end without a value. */
export function reportOpen(cx: Cx, func: FuncDecl, isMistake: boolean): void {
  cx.sink.add(isMistake ? errors.noReturn : errors.missingReturn, func.span ?? undefined, {
    name: func.name,
    type: show(funcSig(cx, func).result),
  })
}
