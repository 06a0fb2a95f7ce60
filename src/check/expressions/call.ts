/** Calls: resolves overloads, infers generic arguments, and converts arguments. */
import * as derivative from '../../base/errors/derivative.ts'
import * as errors from '../../base/errors/types.ts'
import * as generics from '../../base/errors/generics.ts'
import { needsObject as noObject } from '../../base/errors/names.ts'
import type { Note } from '../../base/diag.ts'
import type { Span } from '../../base/source.ts'
import {
  attributesOf,
  isReverseOnly,
  levelOf,
  baseOfPlace,
  closure,
  costs,
  constraintsOf,
  derive,
  funcSig,
  inferArg,
  isOwn,
  miscounted,
  objectFor,
  put,
  showSignature,
  stepsTo,
  template,
  typeCost,
  violation,
  writerOf,
  type Member,
} from '../types/index.ts'
import { mustTry, throwingDerivative } from '../../base/errors/thrown.ts'
import { isBroken, misfitting } from './callable.ts'
import { canStandFor, coerce, convertPlace, termCost } from './convert.ts'
import type { Cx, Env } from '../model/context.ts'
import type { FuncDecl, GenericParams, Scope } from '../model/decl.ts'
import { asArg } from './expr.ts'
import { emptyError, errorTerm, spanOf, typeOf, unusable, value, type Candidate, type Term } from '../model/term.ts'
import { infer, inferExtended } from './infer.ts'
import { forArguments } from './packed.ts'
import type { FuncRef, SigParam, Template } from '../model/func-ref.ts'
import type { Arg, Place } from '../model/tree.ts'
import { noSubst, poisoned, same, show, type GenericArg, type Subst } from '../model/type.ts'

type Funcs = Term & { readonly kind: 'funcs' }

/** Candidates of members that are functions. */
export function candidatesOf(
  cx: Cx,
  members: readonly Member[],
  object: Term | null,
  distance: number,
): readonly Candidate[] {
  const list: Candidate[] = []
  for (const m of members) {
    if (m.decl.kind !== 'func') continue
    const own = m.decl.role === 'method' || isDynamic(m) ? objectFor(cx, object, m) : null
    list.push({
      decl: m.decl,
      subst: m.subst,
      requirement: m.requirement,
      distance,
      steps: m.steps ?? 0,
      via: m.via,
      extensionParams: m.extensionParams,
      object: own,
    })
  }
  return list
}

/** A candidate with its generic arguments found. */
interface Match {
  /** The arguments, with functions as values. */
  readonly args: readonly Term[]
  readonly candidate: Candidate
  readonly subst: Subst
  readonly sig: Template
  readonly cost: number
}

/** The template of a candidate with the settled arguments, through the derivative operators around its name. */
export function templateOf(cx: Cx, candidate: Candidate, modes: Funcs['modes'], floats = false): Template {
  let sig = template(cx, candidate.decl, candidate.subst)
  for (const mode of modes) sig = derive(cx, sig, mode, floats)
  return sig
}

function putTemplate(cx: Cx, sig: Template, subst: Subst): Template {
  return {
    ...sig,
    params: sig.params.map(p => ({ ...p, type: put(cx, p.type, subst) })),
    result: put(cx, sig.result, subst),
    self: sig.self === null ? null : put(cx, sig.self, subst),
  }
}

/** How many arguments a call may have. */
function arity({ params }: Template): number {
  return params.at(-1)?.thrown === true ? params.length - 1 : params.length
}

type Failure = 'few' | 'many' | 'infer' | 'convert'

/** Whether a candidate takes the arguments, and at what cost. */
function tryCandidate(env: Env, candidate: Candidate, funcs: Funcs, given: readonly Term[]): Match | Failure {
  const { cx } = env
  const args = [...given]
  const list = candidate.decl.generics
  if (list !== null) constraintsOf(cx, list)
  // What the arguments settle is asked of a form that fits the instances that are differentiable.
  const floats =
    list !== null &&
    funcs.modes.length > 0 &&
    candidate.decl.module.isCore &&
    attributesOf(cx, candidate.decl).level !== 'none'
  let sig = templateOf(cx, candidate, funcs.modes, floats)
  const apart = inferExtended(env, candidate, funcs, args)
  if (apart === null) {
    if (args.length > arity(sig)) return 'many'
    for (let i = args.length; i < sig.params.length; i++) if (!sig.defaults[i]) return 'few'
  }
  let subst: Subst = candidate.subst
  if (list !== null) {
    const own = apart ?? infer(env, list, sig, funcs.args, args, subst)
    if (own === null) return 'infer'
    subst = { args: new Map([...candidate.subst.args, ...own]), self: candidate.subst.self }
    // The derivative of a generic function is that of its instance: with T = float, `T x` becomes a pair even if T's bounds do not say so.
    sig =
      funcs.modes.length > 0
        ? templateOf(cx, { ...candidate, subst }, funcs.modes)
        : putTemplate(cx, sig, { args: own, self: null })
    if (args.length > arity(sig)) return 'many'
    for (let i = args.length; i < sig.params.length; i++) if (!sig.defaults[i]) return 'few'
  } else if (funcs.args !== null && funcs.args.length > 0) return 'infer'
  let cost = 0
  for (let i = 0; i < args.length; i++) {
    const p = sig.params[i]!
    const arg = args[i]!
    let one = termCost(env, arg, p.type)
    if (one === null) return 'convert'
    if (
      p.dir !== 'in' &&
      arg.kind === 'place' &&
      !same(arg.place.type, p.type) &&
      stepsTo(cx, arg.place.type, p.type) === null
    ) {
      const back = typeCost(cx, p.type, arg.place.type)
      if (back === null) return 'convert'
      if (arg.place.type.kind !== 'error' && arg.place.type.kind !== 'array') one += costs.back
    }
    cost += one
  }
  return { args, candidate, subst, sig, cost }
}

/** Which of two matches of equal cost is better: negative for the first, 0 if neither is. */
function compare(cx: Cx, a: Match, b: Match): number {
  const [x, y] = [a.candidate, b.candidate]
  const order = [
    (x.via === 2 && x.requirement !== null ? 1 : 0) - (y.via === 2 && y.requirement !== null ? 1 : 0),
    x.via - y.via,
    refines(cx, y, x) - refines(cx, x, y),
    x.extensionParams - y.extensionParams,
    (x.decl.generics === null ? 0 : 1) - (y.decl.generics === null ? 0 : 1),
    (cx.of(x.decl).variadic.has(x.decl) ? 1 : 0) - (cx.of(y.decl).variadic.has(y.decl) ? 1 : 0),
    farther(x, y) === 0 ? rank(y.decl) - rank(x.decl) : 0,
    a.sig.params.length - b.sig.params.length,
    farther(x, y),
    // A declaration without a body and its definition are one function.
    (x.decl.hasBody ? 0 : 1) - (y.decl.hasBody ? 0 : 1),
    moreSpecific(a, b),
    asks(cx, y) - asks(cx, x),
    // Of two that `using` brings, the one in the outer namespace is nearer.
    depth(x.decl.scope) - depth(y.decl.scope),
    (y.decl.of?.accessors.length ?? 0) - (x.decl.of?.accessors.length ?? 0),
  ]
  for (const o of order) if (o !== 0) return o
  return 0
}

/**
 * Positive if the first is declared in a scope farther out. An inherited member comes after the struct's own and before the scopes
 * around.
 */
function farther(x: Candidate, y: Candidate): number {
  return x.distance - y.distance || x.steps - y.steps
}

function depth(scope: Scope): number {
  let n = 0
  for (let s = scope.parent; s !== null; s = s.parent) n++
  return n
}

/** 1 if an interface that requires the first inherits from the one that requires the second. */
function refines(cx: Cx, x: Candidate, y: Candidate): number {
  if (x.requirement === null || y.requirement === null || x.requirement.iface.key === y.requirement.iface.key) return 0
  const { iface } = y.requirement
  return closure(cx, x.requirement.iface).some(i => i.key === iface.key) ? 1 : 0
}

/** Of two generic functions the one with fewer parameters is the more specific: `f<T>(vector<T, 3>)` against `f<T, N>(vector<T, N>)`. */
function moreSpecific(a: Match, b: Match): number {
  return (a.candidate.decl.generics?.params.length ?? 0) - (b.candidate.decl.generics?.params.length ?? 0)
}

/** How many interfaces the arguments of a generic function must conform to. */
function asks(cx: Cx, { decl: { generics } }: Candidate): number {
  return generics === null ? 0 : constraintsOf(cx, generics).reduce((n, c) => n + closure(cx, c.iface).length, 0)
}

function rank(decl: FuncDecl): number {
  const value = decl.syntax.attributes.find(a => a.name === 'OverloadRank')?.args[0]?.value
  if (value === undefined) return 0
  return value.kind === 'int'
    ? Number(value.value)
    : value.kind === 'prefix' && value.operand.kind === 'int'
      ? -Number(value.operand.value)
      : 0
}

/** Whether two matches are the same function: one with two bodies, which is reported elsewhere, or one that two interfaces require. */
function isTwice(a: Match, b: Match): boolean {
  return (
    (a.candidate.decl.scope === b.candidate.decl.scope ||
      (a.candidate.requirement !== null && b.candidate.requirement !== null)) &&
    a.sig.params.every((p, i) => same(p.type, b.sig.params[i]!.type))
  )
}

/** How arguments read in a message. */
export function showArgs(args: readonly Term[]): string {
  return args
    .map(a =>
      a.kind === 'list'
        ? '{...}'
        : a.kind === 'funcs'
          ? `function ${a.name}`
          : a.kind === 'type'
            ? `type ${show(a.type)}`
            : typeOf(a) === null
              ? '?'
              : show(typeOf(a)!),
    )
    .join(', ')
}

/** Resolves a call of an overload set. Null where nothing fits and `quiet` is set; otherwise mistakes are reported. */
export function resolveCall(env: Env, funcs: Funcs, args: readonly Term[], span: Span, quiet = false): Term | null {
  const { cx } = env
  if (args.some(a => a.kind === 'error' || typeOf(a)?.kind === 'error' || isBroken(env, a))) return errorTerm
  const matches: Match[] = []
  const failures: { readonly candidate: Candidate; readonly why: Failure }[] = []
  for (const packed of funcs.candidates) {
    const candidate = forArguments(cx, packed, funcs, args)
    if (candidate === 'reported') return errorTerm
    if (candidate === null) continue
    const tried = tryCandidate(env, candidate, funcs, args)
    if (typeof tried === 'string') failures.push({ candidate, why: tried })
    else matches.push(tried)
  }
  if (matches.length === 0) {
    if (quiet) return null
    reportNone(env, funcs, args, failures, span)
    return errorTerm
  }
  let best = matches[0]!
  let tie = false
  for (const m of matches.slice(1)) {
    const order = m.cost - best.cost || compare(cx, m, best)
    if (order < 0) {
      best = m
      tie = false
    } else if (order === 0 && m.candidate.decl !== best.candidate.decl && !isTwice(m, best)) tie = true
  }
  if (tie) {
    if (quiet) return errorTerm
    cx.sink.add(
      errors.ambiguous,
      span,
      { name: funcs.name, args: showArgs(args) },
      ...matches.filter(m => m.cost === best.cost).map(m => takes(m.candidate, m.sig)),
    )
    return errorTerm
  }
  if (quiet) return value(emptyError(best.sig.result))
  return finish(env, best, funcs, best.args, span)
}

function reportNone(
  env: Env,
  funcs: Funcs,
  args: readonly Term[],
  failures: readonly { readonly candidate: Candidate; readonly why: Failure }[],
  span: Span,
): void {
  const { cx } = env
  const only = failures.length === 1 ? failures[0]! : null
  if (only !== null) {
    const sig = templateOf(cx, only.candidate, funcs.modes)
    if (poisoned(sig.result) && sig.params.some(p => poisoned(p.type))) return
  }
  const list = only?.why === 'infer' ? only.candidate.decl.generics : null
  const misfit = list === null ? null : misfitting(env, list, funcs, args)
  if (misfit !== null) {
    const arg = args[misfit.at]!
    cx.sink.add(errors.notThatFunction, spanOf(arg) ?? span, { expected: misfit.expected, got: showArgs([arg]) })
    return
  }
  // Where all that take so many arguments want a conformance, that is what is missing.
  const near = failures.filter(f => f.why !== 'few' && f.why !== 'many')
  const wrong = near.length === 1 && near[0]!.why === 'infer' ? wrongCount(cx, near[0]!.candidate, funcs, args) : null
  if (wrong !== null) {
    cx.sink.add(generics.countDiffers, span, wrong)
    return
  }
  const broken = near.map(f => (f.why === 'infer' ? brokenBound(cx, f.candidate, funcs, args) : null))
  if (broken[0] && !broken.includes(null)) {
    cx.sink.add(generics.doesNotConform, span, broken[0])
    return
  }
  if (only !== null) {
    const sig = templateOf(cx, only.candidate, funcs.modes)
    if (only.why === 'many') {
      cx.sink.add(errors.tooManyArguments, span, { expected: arity(sig), got: args.length }, takes(only.candidate, sig))
      return
    }
    if (only.why === 'few') {
      cx.sink.add(
        errors.tooFewArguments,
        span,
        { expected: sig.params.filter((_, i) => !sig.defaults[i]).length, got: args.length },
        takes(only.candidate, sig),
      )
      return
    }
    if (only.why === 'infer') {
      const list = only.candidate.decl.generics
      cx.sink.add(list === null ? generics.notGeneric : errors.cannotInfer, span, { name: funcs.name })
      return
    }
    if (only.candidate.decl.generics === null) {
      // The first argument that does not fit says it best.
      for (let i = 0; i < args.length; i++) {
        const arg = args[i]!
        if (termCost(env, arg, sig.params[i]!.type) !== null) continue
        if (poisoned(sig.params[i]!.type)) return
        coerce(env, arg, sig.params[i]!.type, spanOf(arg) ?? span)
        return
      }
    }
  }
  if (
    failures.length > 0 &&
    failures.every(f => f.why === 'convert' && poisoned(templateOf(cx, f.candidate, funcs.modes).result))
  )
    return
  cx.sink.add(
    errors.noOverload,
    span,
    { name: funcs.name, args: showArgs(args) },
    ...failures.slice(0, 8).map(f => takes(f.candidate, templateOf(cx, f.candidate, funcs.modes))),
  )
}

/** What a candidate takes, as a note. */
function takes({ decl }: Candidate, sig: Template): Note {
  return { span: decl.module.isCore ? undefined : (decl.span ?? undefined), text: `it takes ${showSignature(sig)}` }
}

/** The generic arguments that the arguments of a call settle; null if that is not all. */
function settledBy(
  cx: Cx,
  candidate: Candidate,
  list: GenericParams,
  funcs: Funcs,
  args: readonly Term[],
): Subst | null {
  const sig = templateOf(cx, candidate, funcs.modes)
  const vars = new Map<number, GenericArg | null>(list.params.map(p => [p.id, null]))
  for (let i = 0; i < Math.min(args.length, sig.params.length); i++) {
    const from = typeOf(args[i])
    if (from !== null) inferArg(cx, sig.params[i]!.type, from, vars)
  }
  funcs.args?.forEach((arg, i) => vars.set(list.params[i]?.id ?? -1, arg))
  const known = new Map<number, GenericArg>()
  for (const [id, arg] of vars) if (arg !== null) known.set(id, arg)
  return known.size < list.params.length
    ? null
    : { args: new Map([...candidate.subst.args, ...known]), self: candidate.subst.self }
}

/** The number of arguments of a pack that a constraint on it refuses. */
function wrongCount(
  cx: Cx,
  candidate: Candidate,
  funcs: Funcs,
  args: readonly Term[],
): { got: string; expected: string } | null {
  const list = candidate.decl.generics
  const subst = list === null ? null : settledBy(cx, candidate, list, funcs, args)
  const wrong = list === null || subst === null ? null : miscounted(cx, list, subst)
  return wrong === null ? null : { got: show(wrong.got), expected: show(wrong.expected) }
}

/** The bound that the arguments of a call break, where they settle all generic parameters. */
function brokenBound(
  cx: Cx,
  candidate: Candidate,
  funcs: Funcs,
  args: readonly Term[],
): { type: string; interface: string } | null {
  const list = candidate.decl.generics
  const subst = list === null ? null : settledBy(cx, candidate, list, funcs, args)
  const broken = list === null || subst === null ? null : violation(cx, list, subst)
  return broken === null ? null : { type: show(broken.subject), interface: show(broken.iface) }
}

/** The reference that a match means. */
function refOf(match: Match, modes: Funcs['modes']): FuncRef {
  const { candidate, subst } = match
  let ref: FuncRef
  if (candidate.requirement !== null) {
    const { type, iface } = candidate.requirement
    const own = new Map<number, GenericArg>()
    for (const p of candidate.decl.generics?.params ?? []) {
      const arg = subst.args.get(p.id)
      if (arg !== undefined) own.set(p.id, arg)
    }
    ref =
      type.kind === 'interface' && !isOwn(candidate.decl)
        ? { kind: 'dynamic', iface, decl: candidate.decl, subst: { args: own, self: null } }
        : { kind: 'requirement', type, iface, decl: candidate.decl, subst: { args: own, self: null } }
  } else ref = { kind: 'direct', decl: candidate.decl, subst }
  for (const mode of modes) ref = { kind: 'derivative', mode, of: ref }
  return ref
}

/** Whether a static requirement is called on a value whose type is only known at run time: then the value chooses the function. */
function isDynamic(member: Member): boolean {
  return member.decl.kind === 'func' && member.decl.role === 'static' && member.requirement !== null
}

/** The function with a body for a declaration without one, which may have default values that the function lacks. */
function definitionOf(cx: Cx, decl: FuncDecl): FuncDecl {
  if (decl.hasBody || decl.owner !== null || decl.module.isCore || decl.generics !== null || decl.of !== null)
    return decl
  const params = (f: FuncDecl): string =>
    template(cx, f, noSubst)
      .params.map(p => `${p.dir} ${p.type.key}`)
      .join()
  const own = params(decl)
  for (const other of decl.scope.names.get(decl.name) ?? []) {
    if (other.kind === 'func' && other.hasBody && other.generics === null && params(other) === own) return other
  }
  return decl
}

function finish(env: Env, match: Match, funcs: Funcs, args: readonly Term[], span: Span): Term {
  const { cx } = env
  const { sig } = match
  const candidate = { ...match.candidate, decl: definitionOf(cx, match.candidate.decl) }
  const ref = refOf({ ...match, candidate }, funcs.modes)
  const why = candidate.decl.syntax.attributes.find(a => a.name === 'deprecated')?.args[0]?.value
  if (why?.kind === 'string') cx.sink.add(errors.deprecated, span, { name: funcs.name, why: why.value })
  if (funcs.modes.length > 0) {
    if (funcSig(cx, candidate.decl).params.at(-1)?.thrown === true)
      cx.sink.add(throwingDerivative, span, { name: funcs.name })
    const level = levelOf(cx, candidate.decl, match.subst)
    const wanted = funcs.modes[0] === 'forward' ? 'forward' : 'backward'
    const lacks =
      level === 'none' || (wanted === 'backward' ? level === 'forward' : isReverseOnly(cx, candidate.decl, match.subst))
    if (!candidate.decl.module.isCore && lacks) {
      cx.sink.add(
        derivative.notDifferentiable,
        span,
        { name: funcs.name, level: wanted },
        ...(candidate.decl.span === null ? [] : [{ span: candidate.decl.span, text: 'declared here' }]),
      )
    } else if (candidate.decl.module.isCore && level === 'none')
      cx.sink.add(derivative.notDifferentiable, span, { name: funcs.name, level: wanted })
  }
  const made: Arg[] = []
  for (let i = 0; i < sig.params.length; i++) {
    const p = sig.params[i]!
    const arg = args[i]
    if (p.thrown === true) {
      if (!env.tried.has(span)) {
        cx.sink.add(mustTry, span, { name: funcs.name })
        return value(emptyError(sig.result))
      }
      const decl = { id: cx.id(), name: p.name, type: p.type, span, constant: false, noDiff: false }
      made.push({ dir: 'out', place: { kind: 'local', type: p.type, span, decl: { kind: 'local', ...decl } } })
      continue
    }
    if (arg === undefined) {
      made.push({
        dir: 'in',
        value: { kind: 'paramDefault', type: p.type, span, func: refOf(match, funcs.modes), index: i },
      })
      continue
    }
    const at = spanOf(arg) ?? span
    if (p.dir === 'in') {
      made.push({ dir: 'in', value: coerce(env, arg, p.type, at) })
      continue
    }
    const place = argumentPlace(env, arg, p, at)
    made.push(place === null ? { dir: 'in', value: emptyError(p.type) } : { dir: p.dir, place })
  }
  let object: Arg | null = null
  if (funcs.modes.length === 0 && candidate.decl.role === 'accessor' && candidate.object === null) {
    cx.sink.add(noObject, span, { name: funcs.name })
    return errorTerm
  }
  if (funcs.modes.length === 0 && candidate.decl.role === 'method') {
    if (candidate.object === null) {
      cx.sink.add(noObject, span, { name: funcs.name })
      return errorTerm
    }
    object = asArg(env, candidate.object, sig.mutating, funcs.name, span)
  }
  if (candidate.decl.role === 'static' && candidate.requirement !== null && candidate.object !== null) {
    object = asArg(env, candidate.object, false, funcs.name, span)
  }
  const writer = ref.kind === 'direct' && made.every(a => a.dir === 'in') ? writerOf(cx, ref.decl) : undefined
  if (ref.kind === 'direct' && writer !== undefined) {
    const set = { ...ref, decl: writer }
    const place = { kind: 'accessor', type: sig.result, span, get: ref, set, object, args: made, byRef: true } as const
    return { kind: 'place', place, fixed: null }
  }
  return value({ kind: 'call', type: sig.result, span, func: ref, object, args: made })
}

/** The place for an `out` or `inout` argument; null, with a diagnostic, if it is not one. */
function argumentPlace(env: Env, arg: Term, param: SigParam, span: Span): Place | null {
  const fixed = arg.kind === 'place' ? (arg.fixed ?? unusable(arg.place, param.dir === 'out')) : null
  if (arg.kind === 'place' && fixed === null) {
    const steps = stepsTo(env.cx, arg.place.type, param.type)
    if (steps !== null) return baseOfPlace(env.cx, arg.place, steps)
    if (canStandFor(arg.place.type, param.type)) return convertPlace(arg.place, param.type)
    env.cx.sink.add(errors.argumentConverted, span, {
      name: param.name,
      dir: param.dir,
      type: show(param.type),
      got: show(arg.place.type),
    })
    return null
  }
  env.cx.sink.add(errors.argumentNotAssignable, span, { name: param.name, why: fixed ?? 'it is a value' })
  return null
}
