/**
 * User-written derivatives: `[ForwardDerivative(g)]` on the function and `[ForwardDerivativeOf(f)]` on the derivative, the
 * same for backward derivatives and primal substitutes, resolved to declarations.
 */
import * as errors from '../../base/errors/derivative.ts'
import * as names from '../../base/errors/names.ts'
import * as types from '../../base/errors/types.ts'
import type { Entry, PlaceholderValues } from '../../base/diag.ts'
import type { Span } from '../../base/source.ts'
import type * as ast from '../../syntax/ast.ts'
import { applyRefs, extensionsFor } from './extend.ts'
import { asArgument, boundsOf, paramLists, selfType } from './conform.ts'
import { Env, type Cx } from '../model/context.ts'
import type { Decl, FuncDecl } from '../model/decl.ts'
import { derive, showSignature, template } from './template.ts'
import type { FuncRef, Template } from '../model/func-ref.ts'
import type { DerivativeInfo } from '../model/tree.ts'
import type { Candidate } from '../model/term.ts'
import { noSubst, paramType, poisoned, same, show, type GenericArg, type Subst, type Type } from '../model/type.ts'
import { differentialOf } from './differential.ts'

type Kind = 'forward' | 'backward' | 'substitute'

export const forwardNames: ReadonlyMap<string, Kind> = new Map([
  ['ForwardDerivative', 'forward'],
  ['BackwardDerivative', 'backward'],
  ['PrimalSubstitute', 'substitute'],
])
export const ofNames: ReadonlyMap<string, Kind> = new Map([
  ['ForwardDerivativeOf', 'forward'],
  ['BackwardDerivativeOf', 'backward'],
  ['PrimalSubstituteOf', 'substitute'],
])

/** A derivative attribute of a declaration. */
interface Attached {
  readonly kind: Kind
  readonly attribute: ast.Attribute
}

export function attached(func: FuncDecl, table: ReadonlyMap<string, Kind>): readonly Attached[] {
  const list = func.of === null ? func.syntax.attributes : [...func.of.syntax.attributes, ...func.syntax.attributes]
  const found: Attached[] = []
  for (const attribute of list) {
    const kind = table.get(attribute.name)
    if (kind !== undefined) found.push({ kind, attribute })
  }
  return found
}

/** The last name in a reference such as `ns.S.f<T>`. */
export function lastName(e: ast.Expr | undefined): string {
  if (e === undefined) return ''
  switch (e.kind) {
    case 'name':
      return e.name
    case 'member':
      return e.name.text
    case 'generic':
      return lastName(e.base)
    default:
      return ''
  }
}

/** The functions that a reference in an attribute may mean; null where it is none, which is reported. */
function referenced(cx: Cx, from: FuncDecl, e: ast.Expr, report: boolean): readonly Candidate[] | null {
  const scope = from.inner
  const env = new Env(
    cx,
    scope,
    null,
    from.role === 'method' && from.parent !== null ? selfType(cx, from.parent) : null,
  )
  const term = cx.above.term(env, e)
  if (term.kind === 'funcs') return term.candidates
  if (term.kind !== 'error' && report)
    cx.sink.add(errors.derivativeNotFunction, e.span, { name: lastName(e) || 'this' })
  return null
}

/** All generic parameters that a function sees, as arguments. */
function allParams(decl: Decl): readonly GenericArg[] {
  return paramLists(decl).flatMap(l => l.params.map(asArgument))
}

/** The substitution of the parameters that `from` sees by those that `to` sees; null if the lists differ. */
function rename(from: FuncDecl, to: FuncDecl): Subst | null {
  const theirs = allParams(to)
  const own = paramLists(from).flatMap(l => l.params)
  if (own.length !== theirs.length) {
    // Of two members of one generic type only their own parameters differ.
    const [a, b] = [from.generics?.params ?? [], to.generics?.params ?? []]
    if (from.parent !== to.parent || a.length !== b.length) return null
    return { args: new Map(a.map((p, i) => [p.id, asArgument(b[i]!)])), self: null }
  }
  return { args: new Map(own.map((p, i) => [p.id, theirs[i]!])), self: null }
}

/** The signature that a derivative of `primal` must have, in the generic parameters of `derivative`. */
function expected(cx: Cx, primal: FuncDecl, derivative: FuncDecl, kind: Kind): Template | null {
  const subst = rename(primal, derivative)
  if (subst === null) return null
  const sig = template(cx, primal, subst)
  if (kind === 'substitute') return sig
  // A method of a type without derivative keeps its this.
  const keeps = sig.self !== null && sig.selfNoDiff && derivative.role === 'method'
  return derive(cx, keeps ? { ...sig, self: null } : sig, kind)
}

/** The number of the first parameter that differs; -1 where all agree, -2 where their number does not, -3 where the result does not. */
function mismatch(want: Template, got: Template): number {
  if (want.params.length !== got.params.length) return -2
  for (let i = 0; i < want.params.length; i++) {
    const [a, b] = [want.params[i]!, got.params[i]!]
    if (
      a.dir !== b.dir ||
      !(same(a.type, b.type) || poisoned(a.type) || poisoned(b.type) || isAnyDifferential(a.type, b.type))
    )
      return i
  }
  return same(want.result, got.result) || poisoned(want.result) || poisoned(got.result) ? -1 : -3
}

/** The differential of a value of interface type may be taken as any `IDifferentiable`. */
function isAnyDifferential(want: Type, got: Type): boolean {
  return (
    want.kind === 'assoc' &&
    want.base.kind === 'interface' &&
    got.kind === 'interface' &&
    got.decl.module.isCore &&
    got.decl.name === 'IDifferentiable'
  )
}

/** Whether the bounds of the generic parameters agree, for overloads that differ in nothing else. */
function sameBounds(cx: Cx, a: FuncDecl, b: FuncDecl): boolean {
  const [p, q] = [a.generics?.params ?? [], b.generics?.params ?? []]
  return (
    p.length === q.length &&
    p.every((x, i) => {
      const y = q[i]!
      if (x.kind !== 'typeparam' || y.kind !== 'typeparam') return x.kind === y.kind
      const [bx, by] = [boundsOf(cx, paramType(x)), boundsOf(cx, paramType(y))]
      return bx.length === by.length && bx.every(k => by.some(l => l.key === k.key))
    })
  )
}

/**
 * Whether a derivative that is a method may be one: its primal is a method of the same type, which has no derivative itself. A
 * substitute always may.
 */
function isMethodLike(primal: Template, derivative: Template, kind: Kind): boolean {
  return (
    primal.self !== null && (primal.selfNoDiff || kind === 'substitute') && primal.self.key === derivative.self?.key
  )
}

/** The only number of a parameter in which signatures differ, by its direction; -1 where there is another difference, or none. */
function directionMismatch(want: Template | null, got: Template): number {
  if (want === null || want.params.length !== got.params.length || !same(want.result, got.result)) return -1
  if (!want.params.every((p, i) => same(p.type, got.params[i]!.type))) return -1
  return want.params.findIndex((p, i) => p.dir !== got.params[i]!.dir)
}

const showParam = (sig: Template, at: number): string =>
  (sig.params[at]!.dir === 'in' ? '' : `${sig.params[at]!.dir} `) + show(sig.params[at]!.type)

/** The derivative that an attribute on `primal` names. */
export function forwardTarget(cx: Cx, primal: FuncDecl, a: Attached, report: boolean): FuncDecl | null {
  const syntax = a.attribute.args[0]?.value
  if (syntax === undefined) {
    if (report)
      cx.sink.add(names.attributeArguments, a.attribute.span, { name: a.attribute.name, expected: 'one function' })
    return null
  }
  const say = <S extends string>(entry: Entry<S>, given: PlaceholderValues<S>): null => {
    if (report) cx.sink.add(entry, syntax.span, given)
    return null
  }
  if (primal.owner !== null && !primal.hasBody) return say(errors.derivativeOfRequirement, {})
  const candidates = referenced(cx, primal, syntax, report)
  if (candidates === null || candidates.length === 0) return null
  const name = lastName(syntax)
  const usable = candidates.filter(c => c.decl.owner === null)
  if (usable.length === 0) return say(errors.requirementAsDerivative, { name })
  for (const c of usable) {
    const want = expected(cx, primal, c.decl, a.kind)
    if (want === null) continue
    const got = template(cx, c.decl, noSubst)
    if (mismatch(want, got) === -1 && (got.self === null || isMethodLike(template(cx, primal, noSubst), got, a.kind)))
      return c.decl
  }
  const only = usable[0]!.decl
  if (usable.length > 1) {
    for (const c of usable) {
      const [want, got] = [expected(cx, primal, c.decl, a.kind), template(cx, c.decl, noSubst)]
      const at = directionMismatch(want, got)
      if (at >= 0)
        return say(errors.derivativeSignature, {
          name,
          parameter: at,
          expected: showParam(want!, at),
          got: showParam(got, at),
        })
    }
    const want = expected(cx, primal, only, a.kind)
    return say(errors.derivativeOverload, { name, expected: want === null ? '?' : showSignature(want) })
  }
  const want = expected(cx, primal, only, a.kind)
  if (want === null) return say(errors.derivativeGenerics, { name })
  const got = template(cx, only, noSubst)
  const self = template(cx, primal, noSubst).self
  if (
    got.self !== null &&
    a.kind !== 'substitute' &&
    (self === null ? primal.parent === only.parent : differentialOf(cx, self) !== null)
  )
    return say(errors.derivativeMustBeStatic, { name })
  if (got.self !== null && self?.key !== got.self.key) return say(errors.derivativeThis, { name })
  const at = mismatch(want, got)
  if (at < -1) {
    if ((primal.generics === null) !== (only.generics === null)) return say(errors.derivativeGenerics, { name })
    return say(errors.derivativeOverload, { name, expected: showSignature(want) })
  }
  if (!same(want.params[at]!.type, got.params[at]!.type))
    say(types.typeMismatch, { expected: show(want.params[at]!.type), got: show(got.params[at]!.type) })
  return say(errors.derivativeSignature, {
    name,
    parameter: at,
    expected: showParam(want, at),
    got: showParam(got, at),
  })
}

function signatureDiffers(cx: Cx, span: Span, derivative: FuncDecl, want: Template, got: Template, at: number): void {
  const [a, b] = [want.params[at]!.type, got.params[at]!.type]
  if (!same(a, b)) cx.sink.add(types.typeMismatch, span, { expected: show(a), got: show(b) })
  cx.sink.add(errors.derivativeSignature, span, {
    name: derivative.name,
    parameter: at,
    expected: showParam(want, at),
    got: showParam(got, at),
  })
}

/** The function that `[…Of(f)]` on a derivative means. */
export function ofTarget(cx: Cx, derivative: FuncDecl, a: Attached, report: boolean): FuncDecl | null {
  const syntax = a.attribute.args[0]?.value
  if (syntax === undefined) {
    if (report)
      cx.sink.add(names.attributeArguments, a.attribute.span, { name: a.attribute.name, expected: 'one function' })
    return null
  }
  const candidates = referenced(cx, derivative, syntax, report)
  if (candidates === null || candidates.length === 0) return null
  const name = lastName(syntax)
  if (derivative.owner !== null) {
    if (report) cx.sink.add(errors.requirementAsDerivative, syntax.span, { name: derivative.name })
    return null
  }
  const got = template(cx, derivative, noSubst)
  const fits: FuncDecl[] = []
  for (const c of candidates) {
    if (c.decl === derivative) continue
    const want = expected(cx, c.decl, derivative, a.kind)
    if (want !== null && mismatch(want, got) === -1) fits.push(c.decl)
  }
  const first = fits[0]
  if (first !== undefined) {
    if (first.owner !== null && !first.hasBody) {
      if (report) cx.sink.add(errors.derivativeOfRequirement, syntax.span, {})
      return null
    }
    return fits.find(f => sameBounds(cx, f, derivative)) ?? first
  }
  if (!report) return null
  const others = candidates.filter(c => c.decl !== derivative)
  if (others.length === 1) {
    const primal = others[0]!.decl
    const want = expected(cx, primal, derivative, a.kind)
    if (want === null || (derivative.generics !== null && mismatch(want, got) === -3))
      cx.sink.add(errors.derivativeGenerics, syntax.span, { name: derivative.name })
    else {
      const at = mismatch(want, got)
      if (primal.owner !== null && !primal.hasBody) cx.sink.add(errors.derivativeOfRequirement, syntax.span, {})
      else if (at < 0)
        cx.sink.add(errors.derivativeOverload, syntax.span, { name: derivative.name, expected: showSignature(want) })
      else signatureDiffers(cx, syntax.span, derivative, want, got, at)
    }
    return null
  }
  for (const c of others) {
    const want = expected(cx, c.decl, derivative, a.kind)
    const at = directionMismatch(want, got)
    if (at < 0) continue
    signatureDiffers(cx, syntax.span, derivative, want!, got, at)
    return null
  }
  cx.sink.add(errors.primalUnresolved, syntax.span, { name })
  return null
}

/** The derivatives of a function as declarations. */
interface Links {
  forward: FuncDecl | null
  backward: FuncDecl | null
  substitute: FuncDecl | null
}

export function linksOf(from: Cx, func: FuncDecl): Links {
  // Programs may give functions of the library derivatives of their own.
  const cx = mayHaveElsewhere(from, func) ? from : from.of(func)
  const known = cx.links.get(func)
  if (known !== undefined) return known
  const links: Links = { forward: null, backward: null, substitute: null }
  cx.links.set(func, links)
  for (const a of attached(func, forwardNames)) links[a.kind] = forwardTarget(cx, func, a, false)
  const others = [...cx.derivativeOfs, ...(func.module.isCore ? cx.library.derivativesOf(func.name) : [])]
  for (const d of others) {
    for (const a of attached(d, ofNames)) {
      if (links[a.kind] !== null || lastName(a.attribute.args[0]?.value) !== func.name) continue
      if (ofTarget(cx, d, a, false) === func) links[a.kind] = d
    }
  }
  // A declaration without a body that repeats this one may carry the attribute.
  for (const other of cx.redeclared.get(func.name) ?? []) {
    if (other === func || other.hasBody || other.owner !== null) continue
    for (const a of attached(other, forwardNames)) {
      if (links[a.kind] !== null) continue
      if (mismatch(template(cx, other, noSubst), template(cx, func, noSubst)) === -1)
        links[a.kind] = forwardTarget(cx, func, a, false)
    }
  }
  return links
}

/** Whether the program may declare derivatives of a function elsewhere. */
export function mayHaveElsewhere(cx: Cx, func: FuncDecl): boolean {
  return (
    cx.redeclared.has(func.name) ||
    cx.derivativeOfs.some(d => attached(d, ofNames).some(a => lastName(a.attribute.args[0]?.value) === func.name))
  )
}

/** User-written derivatives of a function with the types of the reference put in. */
export function derivativesOf(cx: Cx, ref: FuncRef & { readonly kind: 'direct' }): DerivativeInfo {
  const { self } = ref.subst
  const apart = extensionsFor(cx, ref.decl, ref.subst)
  const from = (e: (typeof apart)['forward']): FuncRef | null =>
    e === undefined ? null : { kind: 'direct', decl: e.of.decl, subst: { args: e.args.args, self } }
  const links = linksOf(cx, ref.decl)
  const to = (decl: FuncDecl | null): FuncRef | null => {
    if (decl === null) return null
    const subst = rename(decl, ref.decl)
    const args = new Map<number, GenericArg>(decl.parent === ref.decl.parent ? ref.subst.args : [])
    for (const [id, own] of subst?.args ?? []) {
      const mine = own.kind === 'param' ? ref.subst.args.get(own.decl.id) : undefined
      if (mine !== undefined) args.set(id, mine)
    }
    return { kind: 'direct', decl, subst: { args, self: ref.subst.self } }
  }
  // A program's derivative of a library function counts before the library's.
  const own = (decl: FuncDecl | null, e: (typeof apart)['forward']): FuncRef | null =>
    ref.decl.module.isCore ? (from(e) ?? to(decl)) : (to(decl) ?? from(e))
  return {
    forward: own(links.forward, apart.forward),
    backward: own(links.backward, apart.backward),
    substitute: to(links.substitute),
    apply: apart.apply === undefined ? null : applyRefs(cx, apart.apply, self),
  }
}
