/**
 * Functions and lambdas as values. A function that is passed by its name becomes a struct whose method `operator()` calls it, and so
 * does a lambda whose result has to be converted.
 */
import type { Span } from '../../base/source.ts'
import {
  attributesOf,
  calledAs,
  conforms,
  constraintsOf,
  funcSig,
  inferArg,
  membersOf,
  put,
  typeCost,
  costs,
} from '../types/index.ts'
import { coerce } from './convert.ts'
import { candidatesOf, resolveCall, templateOf } from './call.ts'
import { closureOf, parameter } from './closure.ts'
import { toExpr } from './expr.ts'
import type { Env } from '../model/context.ts'
import type { GenericParams } from '../model/decl.ts'
import { funcsOf, spanOf, typeOf, value, type Term } from '../model/term.ts'
import type { Expr, Stmt } from '../model/tree.ts'
import type { Template } from '../model/func-ref.ts'
import {
  intConst,
  noSubst,
  poisoned,
  same,
  show,
  type GenericArg,
  type InterfaceType,
  type Type,
} from '../model/type.ts'

type Funcs = Term & { readonly kind: 'funcs' }

/** What a term is called by, if it takes all by value; null where it is no function, or one of an object. */
function funcsIn(env: Env, term: Term, object: Term): Funcs | null {
  const byValue = (all: Funcs['candidates']): Funcs['candidates'] =>
    all.filter(c => funcSig(env.cx, c.decl).params.every(p => p.dir === 'in'))
  if (term.kind === 'funcs') {
    // A backward derivative changes what it is given.
    if (term.modes.includes('backward')) return null
    if (term.candidates.some(c => c.object !== null || c.decl.role === 'method')) return null
    const candidates = byValue(term.candidates)
    return candidates.length === 0 ? null : { ...term, candidates }
  }
  const type = typeOf(term)
  if (type?.kind !== 'struct') return null
  const found = byValue(candidatesOf(env.cx, membersOf(env.cx, type, 'operator()'), object, 0))
  return found.length === 0 ? null : funcsOf('operator()', found)
}

/** Whether a term is a lambda in which a mistake has been reported. */
export function isBroken(env: Env, term: Term): boolean {
  const type = typeOf(term)
  if (type?.kind !== 'struct' || type.decl.name !== 'Lambda' || type.decl.syntax !== null) return false
  const funcs = funcsIn(env, term, term)
  return funcs !== null && poisoned(funcSig(env.cx, funcs.candidates[0]!.decl).result)
}

/** The signature of a term that can be called in one way only. */
function signatureIn(env: Env, funcs: Funcs): Template | null {
  const [only, second] = funcs.candidates
  if (only === undefined || second !== undefined) return null
  const list = only.decl.generics?.params ?? []
  const given = funcs.args ?? []
  if (list.length !== given.length) return null
  const args = new Map([...only.subst.args, ...list.map((p, i): [number, GenericArg] => [p.id, given[i]!])])
  const sig = templateOf(env.cx, { ...only, subst: { args, self: only.subst.self } }, funcs.modes)
  return sig.params.every(p => p.dir === 'in') ? sig : null
}

/** A struct that calls a term with parameters of given types; null where the term takes no such, or gives something else. */
function adapter(env: Env, term: Term, params: readonly Type[], result: Type | null, span: Span): Term | null {
  const { cx } = env
  const funcs = funcsIn(env, term, term)
  if (funcs === null) return null
  const given = params.map(type => value({ kind: 'default', type, span }))
  const type = typeOf(resolveCall(env, funcs, given, span, true) ?? undefined)
  if (type === null || type.kind === 'error') return null
  const to = result ?? type
  const cost = to.kind === 'void' || same(type, to) ? 0 : typeCost(cx, type, to)
  if (cost === null || cost >= costs.lossy) return null
  const closure = closureOf(env, span)
  const held = term.kind === 'funcs' ? null : toExpr(env, term, span)
  if (held !== null) closure.capture('callee', held, false)
  const list = params.map((p, i) => parameter(cx, `p${i}`, i, p, span))
  const callee: Term =
    held === null
      ? term
      : { kind: 'place', place: closure.field(0, held.type), fixed: 'what a lambda captures is constant' }
  const isSmooth = funcs.modes.length > 0 || funcs.candidates.every(c => attributesOf(cx, c.decl).level === 'backward')
  const level = isSmooth ? 'backward' : 'none'
  const method = closure.method(list, level, inner => {
    const args = list.map((decl): Term => ({
      kind: 'place',
      place: { kind: 'param', type: decl.type, span, decl },
      fixed: null,
    }))
    const called = resolveCall(inner, funcsIn(inner, callee, callee)!, args, span)
    const expr: Expr = toExpr(inner, called ?? { kind: 'error' }, span)
    const stmts: Stmt[] =
      to.kind === 'void'
        ? [{ kind: 'expr', expr, span }]
        : [{ kind: 'return', value: coerce(inner, value(expr), to, span), span }]
    return { stmts, result: to }
  })
  return value(closure.finish(method, level))
}

/** How a type of functions reads in a message. */
export function showCalled(type: Type): string {
  const called = calledAs(type)
  if (called === null || type.kind !== 'interface') return show(type)
  if (type.decl.name !== 'IDifferentiableFunc') return show(type)
  return `[Differentiable] functype (${called.params.map(show).join(', ')}) -> ${show(called.result)}`
}

/** Whether a type mentions a variable that is not settled. */
function isUnsettled(type: Type, vars: ReadonlyMap<number, GenericArg | null>): boolean {
  for (const [id, arg] of vars) if (arg === null && type.key.includes(`#${id}`)) return true
  return false
}

/**
 * A term as a value that conforms to an interface of functions; null where it does not fit. What its signature says settles variables
 * of `open` in that; `given` are settled.
 */
export function asCallable(
  env: Env,
  term: Term,
  iface: InterfaceType,
  open: Map<number, GenericArg | null>,
  span: Span,
  given: ReadonlyMap<number, GenericArg | null> = open,
): Term | null {
  const { cx } = env
  const wanted = calledAs(iface)
  if (wanted === null || term.kind === 'list') return null
  const funcs = funcsIn(env, term, term)
  const type = typeOf(term)
  // A value of interface type, or of a type parameter.
  if (funcs === null) return type === null ? null : term
  const sig = signatureIn(env, funcs)
  if (sig !== null) {
    if (sig.params.length !== wanted.params.length) return null
    wanted.params.forEach((p, i) => inferArg(cx, p, sig.params[i]!.type, open))
    inferArg(cx, wanted.result, sig.result, open)
    // A number alone is a vector of one.
    const count = wanted.result.kind === 'vector' ? wanted.result.count : null
    if (count?.kind === 'param' && open.get(count.decl.id) === null && sig.result.kind === 'scalar')
      open.set(count.decl.id, intConst(1))
  }
  const known = new Map<number, GenericArg>()
  for (const [id, arg] of [...given, ...open]) if (arg !== null) known.set(id, arg)
  const subst = known.size === 0 ? noSubst : { args: known, self: null }
  const params = wanted.params.map(p => put(cx, p, subst))
  const result = put(cx, wanted.result, subst)
  if ([...params, result].some(t => isUnsettled(t, open))) {
    if (type !== null) return term
    return sig === null
      ? null
      : adapter(
          env,
          term,
          sig.params.map(p => p.type),
          sig.result,
          span,
        )
  }
  if (type !== null && conforms(cx, type, put(cx, iface, subst) as InterfaceType)) return term
  if (sig !== null && !sig.params.every((p, i) => same(p.type, params[i]!))) return null
  if (result.kind !== 'void' && sig?.result.kind === 'void') return null
  return adapter(env, term, params, result, span)
}

/** Makes the arguments that a function calls values which conform to what it says of them. */
export function passCallables(
  env: Env,
  list: GenericParams,
  args: Term[],
  given: ReadonlyMap<number, GenericArg | null>,
  open: Map<number, GenericArg | null>,
): boolean {
  for (const p of list.params) {
    const at = p.kind === 'typeparam' ? p.syntax.hides : undefined
    const arg = at === undefined ? undefined : args[at]
    const iface = constraintsOf(env.cx, list).find(c => c.subject.kind === 'param' && c.subject.decl === p)?.iface
    if (at === undefined || arg === undefined || iface?.kind !== 'interface' || calledAs(iface) === null) continue
    const made = asCallable(env, arg, iface, open, spanOf(arg) ?? list.syntax.span, given)
    const type = typeOf(made ?? undefined)
    if (made === null || type === null) return false
    args[at] = made
    open.set(p.id, type)
  }
  return true
}

/** The first argument that should be called and is no function of that kind. */
export function misfitting(
  env: Env,
  list: GenericParams,
  funcs: Funcs,
  args: readonly Term[],
): { readonly at: number; readonly expected: string } | null {
  const open = new Map<number, GenericArg | null>(list.params.map((p, i) => [p.id, funcs.args?.[i] ?? null]))
  for (const { subject, iface } of constraintsOf(env.cx, list)) {
    const at = subject.kind === 'param' ? subject.decl.syntax.hides : undefined
    const arg = at === undefined ? undefined : args[at]
    if (at === undefined || arg === undefined || iface.kind !== 'interface' || calledAs(iface) === null) continue
    const type = typeOf(asCallable(env, arg, iface, open, list.syntax.span) ?? undefined)
    const known = new Map([...open].flatMap(([id, a]): [number, GenericArg][] => (a === null ? [] : [[id, a]])))
    const wanted = put(env.cx, iface, { args: known, self: null })
    if (type !== null && conforms(env.cx, type, wanted as InterfaceType)) continue
    return { at, expected: showCalled(wanted) }
  }
  return null
}
