/** Generic parameters: their bounds, and inference of arguments from the types of a call. */
import * as errors from '../../base/errors/generics.ts'
import { typeMismatch } from '../../base/errors/types.ts'
import type { Constraint, Cx } from '../model/context.ts'
import type { GenericParams } from '../model/decl.ts'
import { conforms, put, putArg, instancesOf, type Reach } from './conform.ts'
import { commonScalar, scalarCost } from './cost.ts'
import {
  isOpen,
  errorInt,
  isFloatName,
  intConst,
  isInt,
  known,
  matrixType,
  poisoned,
  same,
  scalarName,
  scalars,
  show,
  vectorType,
  type GenericArg,
  type Int,
  type InterfaceType,
  type ScalarName,
  type Subst,
  type Type,
} from '../model/type.ts'
import { conjuncts } from '../model/conjunct.ts'
import { resolveInt, resolveType } from './resolve.ts'

/** The bounds and `where` clauses of a parameter list; entering them makes the parameters conform. */
export function constraintsOf(from: Cx, list: GenericParams): readonly Constraint[] {
  const cx = within(from, list)
  const old = cx.constraints.get(list)
  if (old !== undefined) return old === 'busy' ? [] : old
  cx.constraints.set(list, 'busy')
  const found: Constraint[] = []
  const equalities: (readonly [Type, Type])[] = []
  const counts: (readonly [Int, Int])[] = []
  const add = (subject: Type, iface: InterfaceType, optional: boolean): void => {
    if (!optional) found.push({ subject, iface })
    const table = optional ? cx.optionals : cx.bounds
    table.set(subject.key, [...(table.get(subject.key) ?? []), iface])
  }
  const bound = (subject: Type, syntax: Parameters<typeof resolveType>[1], optional = false): void => {
    if (syntax.kind === 'binary' && syntax.op === '&') {
      bound(subject, syntax.left, optional)
      bound(subject, syntax.right, optional)
      return
    }
    const iface = resolveType(cx, syntax, list.scope)
    const got: Type = iface
    if (got.kind === 'interface') for (const i of conjuncts(got)) add(subject, i, optional)
    else if (got.kind !== 'error') cx.sink.add(errors.notInterface, syntax.span, { name: subject.key.split('#')[0]! })
  }
  for (const p of list.params) {
    if (p.kind === 'valueparam') {
      const { type: syntax } = p.syntax
      const type = resolveType(cx, syntax, list.scope)
      if (
        type.kind === 'scalar'
          ? isFloatName(type.name)
          : type.kind === 'vector' || type.kind === 'matrix' || type.kind === 'struct'
      )
        cx.sink.add(typeMismatch, syntax.span, { expected: 'int', got: show(type) })
      continue
    }
    const subject: Type = { kind: 'param', key: `${p.name}#${p.id}`, decl: p }
    for (const b of p.syntax.bounds) bound(subject, b)
  }
  for (const w of list.syntax.where) {
    if (w.kind === 'conforms') {
      const subject = resolveType(cx, w.subject, list.scope)
      for (const b of w.bounds) bound(subject, b, w.optional)
    } else if (w.kind === 'equals') {
      const left = resolveType(cx, w.left, list.scope)
      const right = resolveType(cx, w.right, list.scope)
      if (left.kind === 'assoc' || left.kind === 'param') cx.equal.set(left.key, right)
      else if (right.kind === 'assoc' || right.kind === 'param') cx.equal.set(right.key, left)
      equalities.push([left, right])
    } else if (w.kind === 'nonempty') cx.sink.add(errors.countOfNoPack, w.pack.span, {})
    else if (w.kind === 'counts') {
      // The length of a pack is a number where the pack is written out.
      if (w.left.kind !== 'int') cx.sink.add(errors.countOfNoPack, w.left.span, {})
      else {
        const pair = [resolveInt(cx, w.left, list.scope), resolveInt(cx, w.right, list.scope)] as const
        counts.push(pair)
        if (known(pair[1]) === null) cx.sameCounts.add(`${pair[0].key}=${pair[1].key}`)
      }
    }
  }
  cx.counts.set(list, counts)
  cx.constraints.set(list, found)
  cx.equalities.set(list, equalities)
  return found
}

function within(cx: Cx, list: GenericParams): Cx {
  const first = list.params[0]
  return first === undefined ? cx : cx.of(first)
}

/** The type that two arguments convert to best, for a parameter that both determine. */
function join(cx: Cx, a: Type, b: Type): Type {
  if (a.key === b.key) return a
  const sa = scalarName(a)
  const sb = scalarName(b)
  if (sa === null || sb === null) {
    // A lane of a vector whose type is a parameter itself: the vector.
    if ((b.kind === 'vector' || b.kind === 'matrix') && a.kind !== b.kind && (b.elem.key === a.key || sa !== null))
      return b
    if (sa !== null && sb === null && b.kind !== 'struct') return b
    if (b.kind === 'interface' && conforms(cx, a, b)) return b
    return a
  }
  const scalar = scalars[commonScalar(sa, sb)]
  const shape = a.kind === 'scalar' ? b : a
  return withScalar(shape, scalar)
}

export function withScalar(shape: Type, scalar: Type): Type {
  if (shape.kind === 'vector') return vectorType(scalar, shape.count)
  if (shape.kind === 'matrix') return matrixType(scalar, shape.rows, shape.cols)
  return scalar
}

/** The contents of a block, where the parameter can only mean that. */
function held(param: GenericArg, arg: GenericArg): GenericArg {
  if (
    isInt(arg) ||
    arg.kind !== 'struct' ||
    (arg.decl.intrinsic !== 'ConstantBuffer' && arg.decl.intrinsic !== 'ParameterBlock')
  )
    return arg
  const inner = arg.args[0]
  if (inner === undefined || isInt(param) || (param.kind === 'struct' && param.decl === arg.decl)) return arg
  return param.kind !== 'param' || (!isInt(inner) && scalarName(inner) !== null) ? inner : arg
}

/** Settles variables of `vars` (null: open) so that `param` becomes `arg`, as far as the two have the same form. */
export function inferArg(cx: Cx, param: GenericArg, given: GenericArg, vars: Map<number, GenericArg | null>): void {
  const arg = held(param, given)
  if (isInt(param)) {
    if (param.kind === 'param' && vars.get(param.decl.id) === null && isInt(arg)) vars.set(param.decl.id, arg)
    return
  }
  if (isInt(arg)) return
  switch (param.kind) {
    case 'param': {
      const old = vars.get(param.decl.id)
      if (old === undefined) return
      vars.set(param.decl.id, old === null ? arg : isInt(old) ? old : join(cx, old, arg))
      return
    }
    case 'vector':
      if (arg.kind === 'vector') {
        inferArg(cx, param.elem, arg.elem, vars)
        inferArg(cx, param.count, arg.count, vars)
      } else if (arg.kind === 'scalar') inferArg(cx, param.elem, arg, vars)
      return
    case 'matrix':
      if (arg.kind === 'matrix') {
        inferArg(cx, param.elem, arg.elem, vars)
        inferArg(cx, param.rows, arg.rows, vars)
        inferArg(cx, param.cols, arg.cols, vars)
      } else if (arg.kind === 'scalar') inferArg(cx, param.elem, arg, vars)
      return
    case 'array':
      if (arg.kind === 'array') {
        inferArg(cx, param.elem, arg.elem, vars)
        // Nobody knows how long an array without a length is; what uses one is reported where it is reached.
        if (param.count !== null) inferArg(cx, param.count, arg.count ?? errorInt, vars)
      }
      return
    case 'struct':
    case 'interface':
      if (arg.kind === param.kind && arg.decl === param.decl)
        for (let i = 0; i < param.args.length; i++) inferArg(cx, param.args[i]!, arg.args[i]!, vars)
      else if (param.kind === 'interface') for (const i of conjuncts(param)) inferInstance(cx, i, arg, vars)
      return
    case 'shape': {
      // `__Shape<bool, T>` given a bool of some shape says nothing of T's scalar.
      return
    }
    case 'func':
      if (arg.kind === 'func') {
        for (let i = 0; i < Math.min(param.params.length, arg.params.length); i++)
          inferArg(cx, param.params[i]!.type, arg.params[i]!.type, vars)
        inferArg(cx, param.result, arg.result, vars)
      }
      return
    default:
      return
  }
}

/** Infers from the one instance of a generic interface that a type conforms to. */
function inferInstance(
  cx: Cx,
  iface: InterfaceType,
  type: Type,
  vars: Map<number, GenericArg | null>,
  reach: Reach = 'all',
): void {
  const only = iface.args.length === 0 ? [] : instancesOf(cx, type, iface, reach)
  if (only.length === 1)
    iface.args.forEach((a, i) => {
      inferArg(cx, a, only[0]!.args[i]!, vars)
    })
}

/** Settles what one instance of an interface says. An extension that asks what others add may be asked itself, and then goes without. */
function settle(
  cx: Cx,
  list: GenericParams,
  iface: InterfaceType,
  subject: Type,
  vars: Map<number, GenericArg | null>,
  ofExtension: boolean,
): void {
  const key = `${list.params[0]!.id}:${subject.key}`
  const again = ofExtension && cx.settling.has(key)
  if (ofExtension) cx.settling.add(key)
  inferInstance(cx, iface, subject, vars, again ? 'core' : 'all')
  if (ofExtension && !again) cx.settling.delete(key)
}

/** Slang's number for rows one after the other. */
const rowMajor = intConst(1)

const promotions: readonly ScalarName[] = ['i32', 'u32', 'i64', 'u64', 'f32', 'f16', 'f64']

/** The numeric type nearest to `type` that conforms to `iface`: what `sin(1)` makes of the 1. */
function promote(cx: Cx, type: Type, iface: InterfaceType): Type | null {
  const from = scalarName(type)
  if (from === null) return null
  let best: Type | null = null
  let least = Infinity
  for (const to of promotions) {
    const cost = scalarCost(from, to, null)
    if (cost >= least || cost >= 900) continue
    const candidate = withScalar(type, scalars[to])
    if (!conforms(cx, candidate, iface)) continue
    best = candidate
    least = cost
  }
  return best
}

/** The first argument of a parameter list that does not conform to its bounds. */
export function violation(
  cx: Cx,
  list: GenericParams,
  subst: Subst,
): { readonly subject: Type; readonly iface: Type } | null {
  for (const c of constraintsOf(cx, list)) {
    const subject = put(cx, c.subject, subst)
    const iface = put(cx, c.iface, subst) as InterfaceType
    if (!conforms(cx, subject, iface)) return { subject, iface }
  }
  return unequal(cx, list, subst)
}

/** The first two types that a `where` clause says to be equal and that are not. */
function unequal(cx: Cx, list: GenericParams, subst: Subst): { readonly subject: Type; readonly iface: Type } | null {
  for (const [left, right] of within(cx, list).equalities.get(list) ?? []) {
    const [subject, iface] = [put(cx, left, subst), put(cx, right, subst)]
    if (!isOpen(subject) && !isOpen(iface) && !poisoned(subject) && !poisoned(iface) && !same(subject, iface))
      return { subject, iface }
  }
  return null
}

/** The first pack of a written-out list that has another length than a `where countof(T) == N` says. */
export function miscounted(
  cx: Cx,
  list: GenericParams,
  subst: Subst,
): { readonly got: Int; readonly expected: Int } | null {
  constraintsOf(cx, list)
  const { counts, sameCounts } = within(cx, list)
  for (const [left, right] of counts.get(list) ?? []) {
    const [got, expected] = [left, putArg(cx, right, subst) as Int]
    // `N` of a caller that says the same of its own pack has that value.
    if (!intsAgree(got, expected) && !sameCounts.has(`${got.key}=${expected.key}`)) return { got, expected }
  }
  return null
}

/** Completes inferred arguments with defaults and promotions, `outer` being those around; null where one stays open or does not conform. */
export function solve(
  cx: Cx,
  list: GenericParams,
  vars: ReadonlyMap<number, GenericArg | null>,
  outer: Subst,
  ofExtension = false,
): Map<number, GenericArg> | null {
  const args = new Map(outer.args)
  const subst: Subst = { args, self: outer.self }
  // What a parameter conforms to settles others: `f<T, S : I<T>>(S s)`.
  const constraints = constraintsOf(cx, list)
  const found = [...vars.values()].includes(null) ? new Map(vars) : null
  if (found !== null)
    for (const c of constraints) {
      const subject = c.subject.kind === 'param' ? (vars.get(c.subject.decl.id) ?? null) : null
      if (subject !== null && !isInt(subject) && c.iface.kind === 'interface')
        settle(cx, list, put(cx, c.iface, subst) as InterfaceType, subject, found, ofExtension)
    }
  ;(found ?? vars).forEach((arg, id) => {
    if (arg !== null) args.set(id, arg)
  })
  for (const p of list.params) {
    let arg = args.get(p.id)
    if (arg === undefined) {
      if (p.syntax.fallback === undefined) {
        // `where A == B` can settle a parameter too.
        const equal = p.kind === 'typeparam' ? cx.equalTo(`${p.name}#${p.id}`) : undefined
        if (equal !== undefined) arg = put(cx, equal, subst)
        // A matrix does not say in which order it lies.
        else if (p.kind === 'valueparam' && cx.of(p).orders.has(p)) arg = rowMajor
        else return null
      } else
        arg =
          p.kind === 'typeparam'
            ? put(cx, resolveType(cx, p.syntax.fallback, list.scope), subst)
            : putArg(cx, resolveInt(cx, p.syntax.fallback, list.scope), subst)
      args.set(p.id, arg)
    }
  }
  for (const c of constraints) {
    const subject = put(cx, c.subject, subst)
    const iface = put(cx, c.iface, subst) as InterfaceType
    if (conforms(cx, subject, iface)) continue
    const better = c.subject.kind === 'param' ? promote(cx, subject, iface) : null
    if (better === null || c.subject.kind !== 'param') return null
    args.set(c.subject.decl.id, better)
  }
  return unequal(cx, list, subst) === null && miscounted(cx, list, subst) === null
    ? new Map(list.params.map(p => [p.id, args.get(p.id)!]))
    : null
}

/** Whether integer values agree, where both are known. */
export function intsAgree(a: Int, b: Int): boolean {
  const x = known(a)
  const y = known(b)
  return x !== null && y !== null ? x === y : same(a, b) || a.kind === 'error' || b.kind === 'error'
}
