/**
 * `__func_extension fwd_diff(f<T>)(…)`: derivatives that stand apart from their function, for all of its instances or for some. Which
 * function one extends follows from its signature; which instances, from its generic parameters and their bounds.
 */
import * as errors from '../../base/errors/derivative.ts'
import type * as ast from '../../syntax/ast.ts'
import { asArgument, constraintsAround, paramLists, put, putArg, selfType } from './conform.ts'
import { Env, type Cx, type FuncExtension } from '../model/context.ts'
import type { ExtensionDecl, FuncDecl } from '../model/decl.ts'
import { lastName } from './links.ts'
import { newScope } from '../model/scope.ts'
import type { Candidate, Term } from '../model/term.ts'
import type { FuncRef, SigParam, Template } from '../model/func-ref.ts'
import {
  isInt,
  noSubst,
  poisoned,
  same,
  show,
  structType,
  voidType,
  type GenericArg,
  type StructType,
  type Subst,
  type Type,
} from '../model/type.ts'
import { differentialOf } from './differential.ts'
import { inferArg, solve } from './generic.ts'
import { membersOf } from './inherit.ts'
import { showSignature, derive, openTemplate, template, withShadow } from './template.ts'

const syntaxOf = (decl: FuncDecl): ast.FuncExtension | undefined =>
  decl.syntax.kind === 'func' ? decl.syntax.extends : undefined

export const isExtension = (decl: FuncDecl): boolean => syntaxOf(decl) !== undefined

/** The generic parameters that a function sees, as its arguments. */
export function ownSubst(func: FuncDecl): Subst {
  const args = new Map<number, GenericArg>()
  for (const list of paramLists(func)) for (const p of list.params) args.set(p.id, asArgument(p))
  return { args, self: null }
}

/** The name of the function that an extension names: that of the property or subscript, for an accessor. */
function targetName(decl: FuncDecl): string {
  let e = syntaxOf(decl)?.target
  while (e?.kind === 'generic') e = e.base
  if (e?.kind === 'member' && /^(?:get|set|ref)$/.test(e.name.text) && e.base.kind === 'member') e = e.base
  const name = lastName(e)
  return name === '__subscript' ? 'operator[]' : name
}

/** What the target of an extension means. */
function named(cx: Cx, decl: FuncDecl, { target }: ast.FuncExtension): Term {
  constraintsAround(cx, decl)
  return cx.above.term(new Env(cx, decl.inner), target)
}

/** Makes each `__apply` of a method a method of the same type: its body has a `this`. */
export function adoptApplied(cx: Cx): void {
  for (const decl of cx.funcExtensions) {
    const syntax = syntaxOf(decl)
    const term = syntax?.derives === 'apply' && decl.role === 'function' ? named(cx, decl, syntax) : null
    const first = term?.kind === 'funcs' ? term.candidates[0] : undefined
    if (first === undefined || (first.decl.role !== 'method' && first.decl.role !== 'accessor')) continue
    const self = first.decl.parent === null ? null : selfType(cx, first.decl.parent)
    if (self === null || decl.syntax.kind !== 'func') continue
    const { id: _, ...common } = decl
    const inner = newScope(decl.inner, 'type', null)
    const owner: ExtensionDecl = {
      ...common,
      kind: 'extension',
      id: cx.id(),
      name: '',
      // Its target is known already.
      syntax: {
        ...decl.syntax,
        kind: 'extension',
        target: { kind: 'error', span: decl.syntax.span },
        bases: [],
        members: [],
      },
      inner,
    }
    Object.assign(inner, { owner })
    cx.extensionInfos.set(owner, { decl: owner, target: put(cx, self, first.subst), bases: [] })
    Object.assign(decl, { role: 'method', parent: owner, scope: inner, inner, generics: null })
  }
}

/** What the function of an extension is in terms of its parameters; null where it extends none. Mistakes are reported. */
export function extended(cx: Cx, decl: FuncDecl, report = false): FuncExtension | null {
  const known = cx.extendedFuncs.get(decl)
  if (known === 'busy') return null
  if (known !== undefined && !report) return known
  cx.extendedFuncs.set(decl, 'busy')
  const found = find(cx, decl, report)
  cx.extendedFuncs.set(decl, found)
  return found
}

function find(cx: Cx, decl: FuncDecl, report: boolean): FuncExtension | null {
  const syntax = syntaxOf(decl)
  if (syntax === undefined) return null
  const funcs = named(cx, decl, syntax)
  if (funcs.kind !== 'funcs' || funcs.modes.length > 0) {
    if (report && funcs.kind !== 'error')
      cx.sink.add(errors.derivativeNotFunction, syntax.target.span, { name: targetName(decl) || 'this' })
    return null
  }
  const { derives } = syntax
  const got = template(cx, decl, noSubst)
  const wanted: Template[] = []
  let lacking: Type | undefined
  for (const c of funcs.candidates) {
    const subst = instanceFor(cx, c, funcs.args, decl, got)
    const primal = openTemplate(cx, c.decl, subst ?? c.subst)
    const want = derives === 'apply' ? applied(cx, primal, got) : derive(cx, primal, derives)
    wanted.push(want)
    if (derives === 'apply' && contextType(primal, got) === null) {
      lacking = primal.result
      continue
    }
    if (subst === null || !fits(want, got)) continue
    if (c.decl.owner !== null && !c.decl.hasBody) {
      if (report) cx.sink.add(errors.derivativeOfRequirement, syntax.target.span, {})
      return null
    }
    if (derives !== 'apply') return { decl, derives, primal: c.decl, pattern: subst, context: null }
    const context = contextOf(cx, decl, primal, got, report)
    return context === null ? null : { decl, derives, primal: c.decl, pattern: subst, context }
  }
  if (!report || poisoned(got.result) || got.params.some(p => poisoned(p.type))) return null
  if (lacking !== undefined) {
    const expected = lacking.kind === 'void' ? 'a context' : `Tuple<${show(lacking)}, a context>`
    cx.sink.add(errors.applyResult, decl.span ?? undefined, { expected, got: show(got.result) })
  } else
    cx.sink.add(
      errors.extensionUnresolved,
      decl.span ?? undefined,
      { name: targetName(decl) },
      ...wanted
        .slice(0, 8)
        .map((sig, i) => ({
          span: funcs.candidates[i]!.decl.module.isCore ? undefined : (funcs.candidates[i]!.decl.span ?? undefined),
          text: `for this one it has the signature ${sig.mutating ? '[mutating] ' : ''}${showSignature(sig)}`,
        })),
    )
  return null
}

/** The generic arguments with which a candidate is the function that an extension extends; null where they stay open. */
function instanceFor(
  cx: Cx,
  c: Candidate,
  explicit: readonly GenericArg[] | null,
  decl: FuncDecl,
  got: Template,
): Subst | null {
  const list = c.decl.generics
  if (list === null) return explicit === null || explicit.length === 0 ? c.subst : null
  const sig = openTemplate(cx, c.decl, c.subst)
  const derives = syntaxOf(decl)!.derives
  const want = derives === 'apply' ? sig : derive(cx, sig, derives, true)
  const open = new Map<number, GenericArg | null>(list.params.slice(explicit?.length ?? 0).map(p => [p.id, null]))
  want.params.forEach((p, i) => {
    const own = got.params[i]
    if (own !== undefined) inferArg(cx, p.type, own.type, open)
  })
  const given = list.params.flatMap((p, i) => (explicit?.[i] === undefined ? [] : [[p.id, explicit[i]] as const]))
  const own = solve(cx, list, new Map([...given, ...open]), c.subst)
  return own === null ? null : { args: new Map([...c.subst.args, ...own]), self: c.subst.self }
}

function fits(want: Template, got: Template): boolean {
  return (
    want.params.length === got.params.length &&
    want.params.every((p, i) => p.dir === got.params[i]!.dir && same(p.type, got.params[i]!.type)) &&
    same(want.result, got.result) &&
    want.self?.key === got.self?.key &&
    want.mutating === got.mutating
  )
}

/** The signature of `__apply(f)`: that of f, with the shadows of pointers, and a context beside the result. */
function applied(cx: Cx, sig: Template, got: Template): Template {
  const context = contextType(sig, got)
  const tuple = got.result.kind === 'struct' && sig.result.kind !== 'void' ? got.result.decl : null
  const result = context === null || tuple === null ? context : structType(tuple, [sig.result, context])
  return { ...sig, params: sig.params.map(p => withShadow(cx, p)), result: result ?? voidType }
}

/** The type of the context that an `__apply` returns; null where it returns none. */
function contextType(primal: Template, { result }: Template): Type | null {
  if (result.kind !== 'struct') return null
  if (primal.result.kind === 'void') return result
  const [, context] = result.args
  return result.decl.intrinsic === 'Tuple' && result.args.length === 2 && context !== undefined && !isInt(context)
    ? context
    : null
}

/** The function of a context that takes the derivatives of what the function gives, and gives those of what it takes. */
function contextOf(cx: Cx, decl: FuncDecl, primal: Template, got: Template, report: boolean): FuncExtension['context'] {
  const type = contextType(primal, got) as StructType
  const params: SigParam[] = []
  const self: SigParam[] =
    primal.self === null
      ? []
      : [{ name: 'this', type: primal.self, dir: primal.mutating ? 'inout' : 'in', noDiff: primal.selfNoDiff }]
  for (const p of [...self, ...primal.params]) {
    const diff = p.noDiff ? null : differentialOf(cx, p.type)
    const dir = p.dir === 'in' ? 'out' : p.dir === 'out' ? 'in' : 'inout'
    if (diff !== null) params.push({ name: `d_${p.name}`, type: diff, dir, noDiff: false })
  }
  const result = primal.resultNoDiff || primal.result.kind === 'void' ? null : differentialOf(cx, primal.result)
  if (result !== null) params.push({ name: 'd_result', type: result, dir: 'in', noDiff: false })
  const want: Template = {
    params,
    result: voidType,
    resultNoDiff: false,
    self: null,
    mutating: false,
    selfNoDiff: false,
    defaults: [],
  }
  for (const m of membersOf(cx, type, 'operator()')) {
    if (m.decl.kind !== 'func' || m.decl.generics !== null || m.requirement !== null) continue
    const own = template(cx, m.decl, m.subst)
    if (fits(want, { ...own, self: null, mutating: false })) return { decl: m.decl, subst: m.subst }
  }
  if (report)
    cx.sink.add(errors.applyContext, decl.span ?? undefined, {
      type: show(type),
      expected: showSignature(want).replace(/^(?:functype )?/, ''),
    })
  return null
}

/** The extensions of a function. */
export function funcExtensionsOf(cx: Cx, func: FuncDecl): readonly FuncExtension[] {
  if (cx.funcExtensions.length === 0) return none
  const known = cx.extensionsOfFuncs.get(func)
  if (known !== undefined) return known
  const near = cx.funcExtensions.filter(decl => targetName(decl) === func.name)
  const found = near.map(decl => extended(cx, decl)).filter(e => e?.primal === func) as FuncExtension[]
  if (!near.some(decl => cx.extendedFuncs.get(decl) === 'busy')) cx.extensionsOfFuncs.set(func, found)
  return found
}

const none: readonly FuncExtension[] = []

/** The generic arguments of an extension where its function has the arguments of `subst`; null where it does not extend that instance. */
export function extensionArgs(cx: Cx, { decl, pattern }: FuncExtension, subst: Subst): Subst | null {
  const lists = paramLists(decl)
  const vars = new Map<number, GenericArg | null>(lists.flatMap(l => l.params.map(p => [p.id, null])))
  for (const [id, arg] of pattern.args) {
    const given = subst.args.get(id)
    if (given === undefined) return null
    inferArg(cx, arg, given, vars)
  }
  let own: Subst = noSubst
  for (const list of lists) {
    const solved = solve(cx, list, vars, own)
    if (solved === null) return null
    own = { args: new Map([...own.args, ...solved]), self: null }
  }
  for (const [id, arg] of pattern.args) if (putArg(cx, arg, own).key !== subst.args.get(id)!.key) return null
  return own
}

/** The extensions of an instance of a function, by what they give; of several that of the fewest instances. */
export function extensionsFor(
  cx: Cx,
  func: FuncDecl,
  subst: Subst,
): Partial<Record<FuncExtension['derives'], { readonly of: FuncExtension; readonly args: Subst }>> {
  const found: Partial<Record<FuncExtension['derives'], { readonly of: FuncExtension; readonly args: Subst }>> = {}
  for (const e of funcExtensionsOf(cx, func)) {
    const other = found[e.derives]
    if (other !== undefined && extensionArgs(cx, e, other.of.pattern) !== null) continue
    const args = extensionArgs(cx, e, subst)
    if (args !== null) found[e.derives] = { of: e, args }
  }
  return found
}

/** Whether an extension gives an instance of a function a derivative. */
export function isExtended(cx: Cx, func: FuncDecl, subst: Subst): boolean {
  return subst.args.size > 0 && Object.keys(extensionsFor(cx, func, subst)).length > 0
}

/** The functions of an `__apply` in an instance. */
export function applyRefs(
  cx: Cx,
  { of, args }: { readonly of: FuncExtension; readonly args: Subst },
  self: Subst['self'],
): { readonly apply: FuncRef; readonly context: FuncRef } {
  return {
    apply: { kind: 'direct', decl: of.decl, subst: { args: args.args, self } },
    context: { kind: 'direct', decl: of.context!.decl, subst: putSubst(cx, of.context!.subst, args) },
  }
}

function putSubst(cx: Cx, subst: Subst, by: Subst): Subst {
  const args = new Map<number, GenericArg>()
  for (const [id, arg] of subst.args) args.set(id, putArg(cx, arg, by))
  return { args, self: subst.self === null ? null : put(cx, subst.self, by) }
}
