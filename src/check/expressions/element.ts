/** `base[index]`: elements of arrays, vectors and matrices, and subscripts that a program declares. */
import * as names from '../../base/errors/names.ts'
import * as types from '../../base/errors/types.ts'
import type { Span } from '../../base/source.ts'
import type * as ast from '../../syntax/ast.ts'
import { accessorTerm, unwrapped } from './access.ts'
import { candidatesOf, resolveCall } from './call.ts'
import { describe, foldExpr, membersOf, objectFor, typeCost, type Member } from '../types/index.ts'
import type { Env } from '../model/context.ts'
import { coerce } from './convert.ts'
import type { FuncDecl, SubscriptDecl } from '../model/decl.ts'
import { checkExpr, toExpr } from './expr.ts'
import { errorTerm, funcsOf, typeOf, value, type Candidate, type Term } from '../model/term.ts'
import type { Expr } from '../model/tree.ts'
import {
  intType,
  isIntName,
  isWrapper,
  known,
  noSubst,
  poisoned,
  show,
  uintType,
  vectorType,
  type Type,
} from '../model/type.ts'

/** `base[args]`. */
export function indexTerm(env: Env, base: Term, e: ast.IndexExpr): Term {
  const { cx } = env
  if (base.kind === 'error') return base
  if (base.kind !== 'value' && base.kind !== 'place') {
    cx.sink.add(names.expectedValue, e.base.span, { what: describe(base) })
    return errorTerm
  }
  const type = typeOf(base)
  if (poisoned(type)) return errorTerm
  const args = e.args.map(a => checkExpr(env, a))
  if (args.some(a => a.kind === 'error')) return errorTerm
  if (type.kind === 'struct' && isWrapper(type) && elementType(type.args[0] as Type) !== null)
    return indexTerm(env, unwrapped(base, type.args[0] as Type, e.base.span), e)
  const elem = elementType(type)
  if (elem !== null && args.length === 1) {
    const index = indexValue(env, args[0]!, e.args[0]!.span, countOf(type))
    if (index === null) return errorTerm
    return elementTerm(base, elem, index, e.span)
  }
  const subscript = subscriptTerm(env, base, type, args, e.span)
  if (subscript !== null) return subscript
  cx.sink.add(types.notIndexable, e.span, { type: show(type) })
  return errorTerm
}

function elementType(type: Type): Type | null {
  switch (type.kind) {
    case 'array':
    case 'vector':
      return type.elem
    case 'matrix':
      return vectorType(type.elem, type.cols)
    default:
      return null
  }
}

function countOf(type: Type): number | null {
  switch (type.kind) {
    case 'array':
      return type.count === null ? null : known(type.count)
    case 'vector':
      return known(type.count)
    case 'matrix':
      return known(type.rows)
    default:
      return null
  }
}

function elementTerm(base: Term & { readonly kind: 'value' | 'place' }, type: Type, index: Expr, span: Span): Term {
  if (base.kind === 'place')
    return { kind: 'place', place: { kind: 'index', type, span, base: base.place, index }, fixed: base.fixed }
  return value({ kind: 'index', type, span, base: base.expr, index })
}

/** An index as int or uint; null where it is none, which is reported. */
function indexValue(env: Env, term: Term, span: Span, count: number | null): Expr | null {
  const e = toExpr(env, term, span)
  if (e.kind === 'error') return null
  const type = e.type
  const whole = type.kind === 'enum' || (type.kind === 'scalar' && (isIntName(type.name) || type.name === 'bool'))
  if (!whole && typeCost(env.cx, type, intType) === null) {
    env.cx.sink.add(types.indexType, span, { type: show(type) })
    return null
  }
  const index =
    type.kind === 'scalar' && (type.name === 'i32' || type.name === 'u32')
      ? e
      : coerce(env, value(e), type.kind === 'scalar' && type.name.startsWith('u') ? uintType : intType, span)
  if (count !== null) {
    const folded = foldExpr(env.cx, index, noSubst)
    const n = folded === null ? null : known(folded)
    if (n !== null && (n < 0 || n >= count)) {
      env.cx.sink.add(types.indexBounds, span, { index: n, count })
      return null
    }
  }
  return index
}

/** A subscript that a type declares; null where it declares none. */
export function subscriptTerm(
  env: Env,
  base: Term & { readonly kind: 'value' | 'place' },
  type: Type,
  args: readonly Term[],
  span: Span,
): Term | null {
  const { cx } = env
  const members = membersOf(cx, type, 'operator[]')
  // A subscript is chosen like a function with its parameters.
  const byGetter = new Map<FuncDecl, { readonly decl: SubscriptDecl; readonly member: Member }>()
  const candidates: Candidate[] = []
  for (const m of members) {
    if (m.decl.kind === 'func') candidates.push(...candidatesOf(cx, [m], base, 0))
    if (m.decl.kind !== 'subscript') continue
    // What can only be written is chosen as if it could be read: the value given is no index.
    const first: FuncDecl = m.decl.accessors.find(a => a.accessor !== 'set') ?? {
      ...m.decl.accessors[0]!,
      accessor: 'get',
    }
    byGetter.set(first, { decl: m.decl, member: m })
    candidates.push({
      decl: first,
      subst: m.subst,
      requirement: m.requirement,
      distance: 0,
      steps: 0,
      via: m.via,
      extensionParams: m.extensionParams,
      object: objectFor(cx, base, m),
    })
  }
  if (candidates.length === 0) return null
  const chosen = resolveCall(env, funcsOf('operator[]', candidates), args, span)
  if (chosen === null || chosen.kind !== 'value' || chosen.expr.kind !== 'call') return chosen ?? errorTerm
  const call = chosen.expr
  const ref = call.func
  if (ref.kind !== 'direct' && ref.kind !== 'requirement' && ref.kind !== 'dynamic') return chosen
  const found = byGetter.get(ref.decl)
  if (found === undefined) return chosen
  const member: Member = ref.kind === 'direct' ? { ...found.member, subst: ref.subst } : found.member
  return accessorTerm(env, found.decl, member, objectFor(cx, base, member), call.args, call.type, span, ref.subst)
}
