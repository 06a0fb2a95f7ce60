/** Operators: on built-in types lane by lane after the usual conversions, on other types by the user's `operator` functions. */
import * as names from '../../base/errors/names.ts'
import * as types from '../../base/errors/types.ts'
import type { Span } from '../../base/source.ts'
import type * as ast from '../../syntax/ast.ts'
import {
  isWrapper,
  boolShape,
  boolType,
  errorType,
  interfaceType,
  intType,
  isFloatName,
  noSubst,
  poisoned,
  same,
  scalarName,
  scalars,
  show,
  type StructType,
  type Type,
  isOpen,
} from '../model/type.ts'
import { addressTerm, isPointer, isSet, nullTerm, pointee } from './pointer.ts'
import { candidatesOf, resolveCall } from './call.ts'
import {
  boundsOf,
  commonScalar,
  conforms,
  enumTag,
  costs,
  intsAgree,
  isNumberLike,
  isNumericParam,
  lookup,
  lookupMember,
  membersOf,
  typeCost,
  withScalar,
} from '../types/index.ts'
import type { Cx, Env } from '../model/context.ts'
import { castExpr, coerce, convertExpr, literalOf } from './convert.ts'
import { checkExpr, maxDepth, toExpr } from './expr.ts'
import { emptyError, errorTerm, funcsOf, typeOf, unusable, value, type Candidate, type Term } from '../model/term.ts'
import { compareNone } from './optional.ts'
import type { AheadExpr, BinaryOp, Expr, OldExpr, Place } from '../model/tree.ts'
import { eachExpr } from '../model/walk.ts'

const comparisons = new Set(['<', '<=', '>', '>=', '==', '!='])
const bitwise = new Set(['&', '|', '^', '<<', '>>'])

/** The user's functions and methods for an operator; a call with the operands, or null where none takes them. */
export function userOperator(env: Env, op: string, operands: readonly Term[], span: Span): Term | null {
  const name = `operator${op}`
  const candidates: Candidate[] = []
  for (const f of lookup(env.cx, env.scope, name)) {
    if (f.decl.kind === 'func' && f.decl.role !== 'method')
      candidates.push({
        decl: f.decl,
        subst: f.member?.subst ?? noSubst,
        requirement: null,
        distance: f.distance,
        steps: 0,
        via: 0,
        extensionParams: 0,
        object: null,
      })
  }
  const seen = new Set<string>()
  for (const o of operands) {
    const type = typeOf(o)
    if (type === null || seen.has(type.key) || scalarName(type) !== null) continue
    seen.add(type.key)
    for (const c of candidatesOf(env.cx, membersOf(env.cx, type, name), null, 0))
      if (c.decl.role === 'static' && !candidates.some(o2 => o2.decl === c.decl)) candidates.push(c)
  }
  if (candidates.length > 0) {
    const funcs = funcsOf(name, candidates)
    if (resolveCall(env, funcs, operands, span, true) !== null) return resolveCall(env, funcs, operands, span)
  }
  const first = operands[0]!
  const type = typeOf(first)
  if (type === null || scalarName(type) !== null) return null
  const methods = candidatesOf(env.cx, membersOf(env.cx, type, name), first, 0).filter(c => c.decl.role === 'method')
  if (methods.length === 0) return byInterface(env, op, operands, span)
  return resolveCall(env, funcsOf(name, methods), operands.slice(1), span)
}

/**
 * The methods of `IComparable`, `IArithmetic` and `ILogical` that operators call, and whether the call swaps the operands or
 * negates the result.
 */
const methodOf: Readonly<Record<string, readonly [method: string, how?: 'swapped' | 'denied']>> = {
  '<': ['lessThan'],
  '<=': ['lessThanOrEquals'],
  '>': ['lessThan', 'swapped'],
  '>=': ['lessThanOrEquals', 'swapped'],
  '==': ['equals'],
  '!=': ['equals', 'denied'],
  '+': ['add'],
  '-': ['sub'],
  '*': ['mul'],
  '/': ['div'],
  '%': ['mod'],
  '<<': ['shl'],
  '>>': ['shr'],
  '&': ['bitAnd'],
  '|': ['bitOr'],
  '^': ['bitXor'],
}
const prefixMethodOf: Readonly<Record<string, readonly [method: string]>> = {
  '-': ['neg'],
  '~': ['bitNot'],
  '!': ['not'],
}
const operatorInterfaces = ['IComparable', 'IArithmetic', 'ILogical']

/** An operator as a call of the method that one of the library's interfaces requires; null where the type of an operand conforms to none. */
function byInterface(env: Env, op: string, operands: readonly Term[], span: Span): Term | null {
  const [method, how] = (operands.length === 1 ? prefixMethodOf : methodOf)[op] ?? ['']
  const [object, ...args] = how === 'swapped' ? [...operands].reverse() : operands
  const type = typeOf(object)
  if (type === null) return null
  if (type.kind === 'struct' && type.decl.intrinsic === 'Tuple')
    return orders[op] === undefined ? null : compareTuples(env, op, operands, span)
  for (const name of operatorInterfaces) {
    const decl = env.cx.library.lookup(name)[0]
    if (
      decl?.kind !== 'interface' ||
      !(decl.inner.names.has(method) && conforms(env.cx, type, interfaceType(decl, [])))
    )
      continue
    const candidates = candidatesOf(env.cx, membersOf(env.cx, type, method), object!, 0)
    const made = resolveCall(env, funcsOf(method, candidates), args, span)
    return made?.kind !== 'value' || how !== 'denied'
      ? made
      : value({ kind: 'unary', type: boolType, span, op: '!', operand: made.expr })
  }
  return null
}

/** The results of `__order` that make a comparison of tuples true. */
const orders: Readonly<Record<string, number>> = { '<': 1, '>': 1, '<=': 3, '>=': 3, '==': 2, '!=': 2 }

/** A comparison of tuples, part by part. */
function compareTuples(env: Env, op: string, operands: readonly Term[], span: Span): Term | null {
  const candidates = [
    {
      decl: env.cx.library.the('func', '__order'),
      subst: noSubst,
      requirement: null,
      distance: 0,
      steps: 0,
      via: 0,
      extensionParams: 0,
      object: null,
    },
  ]
  const order = resolveCall(
    env,
    funcsOf(`operator${op}`, candidates),
    op.startsWith('>') ? [...operands].reverse() : operands,
    span,
  )
  if (order?.kind !== 'value') return order
  const number = (n: number): Expr => ({ kind: 'const', type: intType, span, value: n })
  const masked: Expr = { kind: 'binary', type: intType, span, op: '&', left: order.expr, right: number(orders[op]!) }
  return value({ kind: 'binary', type: boolType, span, op: op === '!=' ? '==' : '!=', left: masked, right: number(0) })
}

/** Whether operators on the type are built in. */
export function isNumber(env: Env, type: Type): boolean {
  if (type.kind === 'enum') return true
  if (scalarName(type) !== null) return true
  if (type.kind === 'vector' || type.kind === 'matrix') return isNumericParam(env.cx, type.elem) || isOpen(type.elem)
  return isNumericParam(env.cx, type)
}

/** The contents of a `ConstantBuffer<float>`, as an operand. */
export function contents(e: Expr): Expr {
  const held = e.type.kind === 'struct' && isWrapper(e.type) ? (e.type.args[0] as Type) : null
  return held === null || held.kind === 'struct' ? e : { kind: 'convert', type: held, span: e.span, value: e }
}

/** Both operands in the common type of the operator; null if there is none. */
export function balance(
  env: Env,
  left: Expr,
  right: Expr,
  op: string,
): { readonly left: Expr; readonly right: Expr; readonly type: Type } | null {
  const { cx } = env
  const number = (e: Expr, other: Expr): Expr =>
    e.type.kind === 'enum' && !(comparisons.has(op) && same(e.type, other.type))
      ? convertExpr(cx, e, enumTag(cx, e.type.decl))
      : e
  const [l, r] = [number(left, right), number(right, left)]
  const both = (type: Type) => ({ left: convertExpr(cx, l, type), right: convertExpr(cx, r, type), type })
  const [a, b] = [scalarName(l.type), scalarName(r.type)]
  const boolean = a === 'bool' && b === 'bool' && ['==', '!=', '&', '|', '^', '?'].includes(op)
  if (same(l.type, r.type) && (a !== 'bool' || boolean)) return { left: l, right: r, type: l.type }
  if (a !== null && b !== null) {
    const shape = commonShape(l.type, r.type)
    if (shape === null) return null
    // The type of a choice is that of the literals in it, that of other operations is that of what is no literal.
    const literal = op === '?' || (literalOf(l) !== null && literalOf(r) !== null) ? () => null : literalOf
    return both(withScalar(shape, scalars[boolean ? 'bool' : commonScalar(a, b, literal(l), literal(r))]))
  }
  // In generic code: a number of known type becomes the generic one, and a lane its vector.
  const toRight = typeCost(cx, l.type, r.type, literalOf(l))
  const toLeft = typeCost(cx, r.type, l.type, literalOf(r))
  if (toLeft !== null && toLeft < costs.explicit && (toRight === null || toLeft <= toRight)) return both(l.type)
  return toRight !== null && toRight < costs.explicit ? both(r.type) : null
}

function commonShape(a: Type, b: Type): Type | null {
  if (a.kind === 'scalar') return b
  if (b.kind === 'scalar') return a
  if (a.kind === 'vector' && b.kind === 'vector') return intsAgree(a.count, b.count) ? a : null
  if (a.kind === 'matrix' && b.kind === 'matrix')
    return intsAgree(a.rows, b.rows) && intsAgree(a.cols, b.cols) ? a : null
  return null
}

// ── Binary ───────────────────────────────────────────────────────────────────────────────────────────────────────

/** `a + b + c …`: the left side is walked in a loop, since it may be thousands deep. */
export function checkBinary(env: Env, e: ast.BinaryExpr): Term {
  const chain: ast.BinaryExpr[] = []
  let first: ast.Expr = e
  while (first.kind === 'binary') {
    chain.push(first)
    first = first.left
  }
  // The tree is as deep as the chain is long, and is walked by recursion later.
  const depth = env.depth
  if (depth + chain.length > maxDepth) {
    env.cx.sink.add(names.tooDeep, e.span, {})
    return errorTerm
  }
  env.depth = depth + chain.length
  let left = checkExpr(env, first)
  for (let i = chain.length - 1; i >= 0; i--) {
    const node = chain[i]!
    env.depth = depth + i
    left = binaryTerm(env, node, left, checkExpr(env, node.right))
  }
  env.depth = depth
  return left
}

function binaryTerm(env: Env, e: ast.BinaryExpr, leftTerm: Term, rightTerm: Term): Term {
  if (leftTerm.kind === 'error' || rightTerm.kind === 'error') return errorTerm
  if (e.op === ',') {
    const parts = [toExpr(env, leftTerm, e.left.span), toExpr(env, rightTerm, e.right.span)]
    return value({ kind: 'sequence', type: parts[1]!.type, span: e.span, parts })
  }
  const left = contents(toExpr(env, leftTerm, e.left.span))
  const right = contents(toExpr(env, rightTerm, e.right.span))
  if (left.kind === 'error' || right.kind === 'error' || poisoned(left.type) || poisoned(right.type)) return errorTerm
  if (e.op === '&&' || e.op === '||') return logical(env, e.op, left, right, e.span, [e.left.span, e.right.span])
  if (!isNumber(env, left.type) || !isNumber(env, right.type)) {
    const asked = compareNone(e.op, left, right, e.span)
    if (asked !== null) return value(asked)
    const made = userOperator(env, e.op, [leftTerm, rightTerm], e.span)
    if (made !== null) return made
  }
  const called =
    same(left.type, right.type) && isNumberLike(env.cx, left.type)
      ? byInterface(env, e.op, [leftTerm, rightTerm], e.span)
      : null
  return called ?? value(binaryExpr(env, e.op, left, right, e.span))
}

/** A built-in binary operation, or an error that is reported. */
export function binaryExpr(env: Env, op: BinaryOp, left: Expr, right: Expr, span: Span): Expr {
  const { cx } = env
  const fail = (): Expr => {
    cx.sink.add(types.noBinary, span, { op, left: show(left.type), right: show(right.type) })
    return emptyError(left.type)
  }
  if (!isNumber(env, left.type) || !isNumber(env, right.type)) {
    if ((op === '==' || op === '!=') && same(left.type, right.type) && isOpen(left.type))
      return { kind: 'binary', type: comparisonType(cx, left.type), span, op, left, right }
    return fail()
  }
  const hasFloats = (type: Type): boolean => scalarName(type) !== null && isFloatName(scalarName(type)!)
  if (op === '<<' || op === '>>') {
    const base =
      scalarName(left.type) === 'bool'
        ? convertExpr(cx, left, withScalar(left.type, intType))
        : left.type.kind === 'enum'
          ? convertExpr(cx, left, enumTag(cx, left.type.decl))
          : left
    if (hasFloats(base.type) || hasFloats(right.type)) return fail()
    const cost = typeCost(cx, right.type, base.type)
    if (base.type.kind === 'scalar' && right.type.kind === 'vector') {
      const both = balance(env, base, right, op)
      return both === null ? fail() : { kind: 'binary', type: both.type, span, op, left: both.left, right: both.right }
    }
    if (cost === null || cost >= costs.explicit) return fail()
    return { kind: 'binary', type: base.type, span, op, left: base, right: convertExpr(cx, right, base.type) }
  }
  const both = balance(env, left, right, op)
  if (both === null) return fail()
  if (bitwise.has(op) && hasFloats(both.type)) return fail()
  if (
    (op === '/' || op === '%') &&
    scalarName(both.type) !== null &&
    !hasFloats(both.type) &&
    both.right.kind === 'const' &&
    both.right.value === 0
  )
    cx.sink.add(types.divisionByZero, right.span ?? span, {})
  const made: Expr = {
    kind: 'binary',
    type: comparisons.has(op) ? comparisonType(cx, both.type) : both.type,
    span,
    op,
    left: both.left,
    right: both.right,
  }
  // Flags that are joined are flags.
  return left.type.kind === 'enum' && same(left.type, right.type) && bitwise.has(op)
    ? convertExpr(cx, made, left.type)
    : made
}

/** The type of a comparison. Of type parameters, only those that are lane-wise may stand for vectors and matrices. */
function comparisonType(cx: Cx, type: Type): Type {
  if (!isOpen(type) || type.kind === 'shape') return boolShape(type)
  return boundsOf(cx, type).some(b => b.decl.module.isCore && b.decl.name.startsWith('__Lanewise'))
    ? boolShape(type)
    : boolType
}

function logical(env: Env, op: '&&' | '||', left: Expr, right: Expr, span: Span, spans: readonly [Span, Span]): Term {
  const vector =
    left.type.kind === 'vector' ||
    right.type.kind === 'vector' ||
    left.type.kind === 'matrix' ||
    right.type.kind === 'matrix' ||
    left.type.kind === 'shape' ||
    right.type.kind === 'shape'
  if (vector) {
    const shape = left.type.kind === 'scalar' ? right.type : left.type
    const type = boolShape(shape)
    const [l, r] = [castExpr(env, left, type), castExpr(env, right, type)]
    if (l === null || r === null) {
      env.cx.sink.add(types.noBinary, span, { op, left: show(left.type), right: show(right.type) })
      return errorTerm
    }
    return value({ kind: 'binary', type, span, op: op === '&&' ? '&' : '|', left: l, right: r })
  }
  const one = (e: Expr, at: Span): Expr | null => {
    if (e.type.kind === 'scalar' || e.type.kind === 'enum') return convertExpr(env.cx, e, boolType)
    const set = isSet(env, e, at)
    if (set !== null) return set
    env.cx.sink.add(types.conditionType, at, { type: show(e.type) })
    return null
  }
  const [l, r] = [one(left, spans[0]), one(right, spans[1])]
  if (l === null || r === null) return errorTerm
  return value({ kind: 'logical', type: boolType, span, op, left: l, right: r })
}

// ── Unary ────────────────────────────────────────────────────────────────────────────────────────────────────────

export function checkPrefix(env: Env, e: ast.PrefixExpr): Term {
  const term = checkExpr(env, e.operand)
  if (term.kind === 'error') return term
  if (e.op === '++' || e.op === '--') return step(env, term, e.op, e.span, false)
  if (e.op === '&' || e.op === '*') {
    const type = typeOf(term)
    const made = e.op === '*' ? pointee(env, term, e.span) : addressTerm(env, term, e.span)
    if (made !== null) return made
    if (e.op === '&' && term.kind === 'place')
      env.cx.lacks.push({ span: e.span, feature: 'a pointer to what is no element of a buffer' })
    else if (type === null || !poisoned(type))
      env.cx.sink.add(types.noUnary, e.span, {
        op: e.op,
        type: type === null ? 'this' : e.op === '&' ? 'a value without a place in memory' : show(type),
      })
    return errorTerm
  }
  const operand = contents(toExpr(env, term, e.operand.span))
  if (operand.kind === 'error' || poisoned(operand.type)) return errorTerm
  if (!isNumber(env, operand.type)) {
    if (e.op === '!' && isPointer(operand.type)) return userOperator(env, '==', [term, nullTerm(env, e.span)], e.span)!
    const made = userOperator(env, e.op, [term], e.span)
    if (made !== null) return made
    env.cx.sink.add(types.noUnary, e.span, { op: e.op, type: show(operand.type) })
    return errorTerm
  }
  return (
    (isNumberLike(env.cx, operand.type) ? byInterface(env, e.op, [term], e.span) : null) ??
    value(unary(env, e.op, operand, e.span))
  )
}

function unary(env: Env, op: '+' | '-' | '!' | '~', given: Expr, span: Span): Expr {
  const { cx } = env
  let operand = given.type.kind === 'enum' ? convertExpr(cx, given, enumTag(cx, given.type.decl)) : given
  const name = scalarName(operand.type)
  if (op === '!')
    return {
      kind: 'unary',
      type: boolShape(operand.type),
      span,
      op,
      operand: convertExpr(cx, operand, boolShape(operand.type)),
    }
  if (name === 'bool') operand = convertExpr(cx, operand, withScalar(operand.type, intType))
  if (op === '+') return operand
  if (op === '~' && name !== null && isFloatName(name)) {
    cx.sink.add(types.noUnary, span, { op, type: show(operand.type) })
    return emptyError(operand.type)
  }
  if (
    op === '-' &&
    operand.kind === 'const' &&
    operand.type.kind === 'scalar' &&
    typeof operand.value !== 'boolean' &&
    name !== 'u32' &&
    name !== 'u64'
  ) {
    return {
      kind: 'const',
      type: operand.type,
      span,
      value: -operand.value,
      ...(operand.literal === undefined ? {} : { literal: operand.literal }),
    }
  }
  const made: Expr = { kind: 'unary', type: operand.type, span, op, operand }
  return given.type.kind === 'enum' && op === '~' ? convertExpr(cx, made, given.type) : made
}

export function checkPostfix(env: Env, e: ast.PostfixExpr): Term {
  const term = checkExpr(env, e.operand)
  return term.kind === 'error' ? term : step(env, term, e.op, e.span, true)
}

function step(env: Env, term: Term, op: '++' | '--', span: Span, post: boolean): Term {
  const place = placeOf(env, term, span, false)
  if (place === null) return errorTerm
  const old: OldExpr = { kind: 'old', type: place.type, span }
  if (isAtomic(place.type)) {
    const before = atomicCall(env, term, op === '++' ? 'increment' : 'decrement', [], span)
    // Both give what stood there before.
    if (post) return before
    const one: Expr = { kind: 'const', type: intType, span, value: 1, literal: true }
    return value(binaryExpr(env, op === '++' ? '+' : '-', toExpr(env, before, span), one, span))
  }
  const one: Expr = { kind: 'const', type: intType, span, value: 1 }
  const how = op === '++' ? '+' : '-'
  const moved = isPointer(place.type) ? userOperator(env, how, [value(old), value(one)], span) : null
  if (moved === null && !isNumber(env, place.type)) {
    env.cx.sink.add(types.noUnary, span, { op, type: show(place.type) })
    return errorTerm
  }
  const made = moved === null ? binaryExpr(env, how, old, one, span) : toExpr(env, moved, span)
  return value({
    kind: 'update',
    type: place.type,
    span,
    place,
    ahead: null,
    old,
    value: convertExpr(env.cx, made, place.type),
    post,
  })
}

// ── Assignment ───────────────────────────────────────────────────────────────────────────────────────────────────

/** The place of a term that can be written, and read unless it is `onlyWritten`. Otherwise null, with a diagnostic. */
function placeOf(env: Env, term: Term, span: Span, onlyWritten: boolean): Place | null {
  if (term.kind === 'error') return null
  const fixed = term.kind === 'place' ? (term.fixed ?? unusable(term.place, onlyWritten)) : null
  if (term.kind === 'place' && fixed === null) return poisoned(term.place.type) ? null : term.place
  if (term.kind === 'value' && (term.expr.kind === 'error' || poisoned(term.expr.type))) return null
  env.cx.sink.add(types.notAssignable, span, {
    why: fixed ?? (term.kind === 'value' ? 'it is a value' : 'it is no variable'),
  })
  return null
}

export function checkAssign(env: Env, e: ast.AssignExpr): Term {
  const target = checkExpr(env, e.target)
  const source = checkExpr(env, e.value)
  if (target.kind === 'error' || source.kind === 'error') return errorTerm
  const place = placeOf(env, target, e.target.span, e.op === '=')
  if (place === null) return errorTerm
  const method = atomicMethods[e.op]
  if (isAtomic(place.type) && method !== undefined) {
    const type = place.type.args[0] as Type
    if (e.op === '=') return atomicCall(env, target, method, [source], e.span)
    // The method gives what stood there before, the operator what stands there then.
    const given: OldExpr = { kind: 'old', type, span: e.value.span }
    const before = atomicCall(env, target, method, [value(given)], e.span)
    if (before.kind !== 'value') return before
    const now = binaryExpr(env, e.op.slice(0, -1) as BinaryOp, before.expr, given, e.span)
    return value({
      kind: 'update',
      type,
      span: e.span,
      place: { kind: 'temp', type, span: e.span, value: coerce(env, source, type, e.value.span) },
      ahead: null,
      old: given,
      value: now,
      post: false,
    })
  }
  if (e.op === '=')
    return value({
      kind: 'assign',
      type: place.type,
      span: e.span,
      place,
      value: coerce(env, source, place.type, e.value.span),
    })
  const op = e.op.slice(0, -1) as BinaryOp
  const old: OldExpr = { kind: 'old', type: place.type, span: e.target.span }
  const given = inScalarOf(env, op, place.type, toExpr(env, source, e.value.span), e.value.span)
  if (given.kind === 'error' || poisoned(given.type)) return errorTerm
  const ahead: AheadExpr | null = hasEffects(given)
    ? { kind: 'ahead', type: given.type, span: given.span, value: given }
    : null
  const right = ahead ?? given
  let made: Expr
  if (!isNumber(env, place.type) || !isNumber(env, right.type)) {
    const called = userOperator(env, op, [value(old), ahead === null ? source : value(ahead)], e.span)
    made = called === null ? binaryExpr(env, op, old, right, e.span) : toExpr(env, called, e.span)
  } else made = binaryExpr(env, op, old, right, e.span)
  if (made.kind === 'error') return errorTerm
  const cast = castExpr(env, made, place.type)
  // A vector cannot be assigned to a scalar, nor a long one to a short one.
  if (
    cast === null ||
    (scalarName(made.type) !== null && made.type.kind !== place.type.kind && place.type.kind === 'scalar')
  ) {
    env.cx.sink.add(types.typeMismatch, e.span, { expected: show(place.type), got: show(made.type) })
    return errorTerm
  }
  return value({ kind: 'update', type: place.type, span: e.span, place, ahead, old, value: cast, post: false })
}

/** The right side of a compound assignment, in the number type of the left side. A shift amount keeps its type. */
function inScalarOf(env: Env, op: BinaryOp, type: Type, right: Expr, span: Span): Expr {
  const [from, to] = [scalarName(right.type), scalarName(type)]
  if (from === null || to === null || from === to || op === '<<' || op === '>>') return right
  return coerce(env, value(right), withScalar(right.type, scalars[to]), span)
}

/** Whether evaluating an expression may change memory. */
function hasEffects(e: Expr): boolean {
  let found = false
  eachExpr(e, x => {
    found ||= x.kind === 'call' || x.kind === 'assign' || x.kind === 'update'
  })
  return found
}

const atomicMethods: Readonly<Record<string, string>> = {
  '=': 'store',
  '+=': 'add',
  '-=': 'sub',
  '&=': 'and',
  '|=': 'or',
  '^=': 'xor',
}

function isAtomic(type: Type): type is StructType {
  return type.kind === 'struct' && type.decl.intrinsic === 'Atomic'
}

/** Makes an operator on an `Atomic<T>` a call of its method. */
function atomicCall(env: Env, object: Term, method: string, args: readonly Term[], span: Span): Term {
  const type = object.kind === 'place' ? object.place.type : errorType
  const candidates = candidatesOf(env.cx, lookupMember(env.cx, type, method), object, 0)
  return resolveCall(env, funcsOf(method, candidates), args, span) ?? errorTerm
}
