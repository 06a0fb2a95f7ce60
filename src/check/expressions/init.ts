/** Initialiser lists and constructors: `{a, b}`, `T(a, b)`, `{}`. */
import * as names from '../../base/errors/names.ts'
import * as errors from '../../base/errors/types.ts'
import type { Span } from '../../base/source.ts'
import { visible } from './access.ts'
import {
  calledAs,
  costs,
  fieldDefault,
  isNumberLike,
  isNumericParam,
  lookupMember,
  conditionalElem,
  optionalElem,
  typeCost,
} from '../types/index.ts'
import { castExpr, coerce, convertExpr, literalOf, termCost } from './convert.ts'
import type { Env } from '../model/context.ts'
import {
  emptyError,
  errorTerm,
  funcsOf,
  spanOf,
  typeOf,
  value,
  type Candidate,
  type Term,
  spanOfFirst,
} from '../model/term.ts'
import { toExpr } from './expr.ts'
import { castPointer } from './pointer.ts'
import { fieldsOf, givenFields, mayBeFlat, type Field } from './fields.ts'
import { candidatesOf, resolveCall, showArgs } from './call.ts'
import type { Expr } from '../model/tree.ts'
import {
  arrayType,
  intConst,
  known,
  matrixType,
  poisoned,
  same,
  show,
  vectorType,
  type StructType,
  type Type,
  isOpen,
} from '../model/type.ts'

/** `{}` of a type. */
export function defaultOf(type: Type, span: Span | null): Expr {
  return { kind: 'default', type, span }
}

/** The explicit constructors of a struct. */
export function constructors(env: Env, type: Type): readonly Candidate[] {
  return candidatesOf(env.cx, lookupMember(env.cx, type, '__init'), null, 0).filter(
    c => c.decl.role === 'constructor' && (c.requirement === null || type.kind !== 'struct'),
  )
}

/** Those that keep a struct from being made of its fields, which those of extensions do not. */
function ownConstructors(env: Env, type: StructType): readonly Candidate[] {
  return constructors(env, type).filter(c => c.via !== 1)
}

/** `DifferentialPair<T>`, `DifferentialPtrPair<T>` and tuples. */
export function isPair(type: StructType): boolean {
  return /^(Differential(Ptr)?Pair|Tuple)$/.test(type.decl.intrinsic ?? '')
}

/** Whether there are constructors, and none is visible here. Reports it unless this is only a query. */
function noneVisible(env: Env, found: readonly Candidate[], type: Type, span: Span, quiet: boolean): boolean {
  if (found.length === 0 || found.some(c => visible(env, c.decl))) return false
  if (!quiet) env.cx.sink.add(names.notVisible, span, { name: `the constructor of ${show(type)}` })
  return true
}

/** Whether flattened and short lists may fill the type: a struct whose constructors have no parameters, an array, a vector or a matrix. */
function isPlain(env: Env, type: Type): boolean {
  return (
    type.kind === 'struct' &&
    (type.decl.intrinsic === null || isPair(type)) &&
    !constructors(env, type).some(c => c.decl.syntax.kind === 'init' && c.decl.syntax.params.length > 0)
  )
}

/** Whether it is a type of generic code whose interfaces require constructors. */
const isBuilt = (env: Env, type: Type): type is Type & { readonly kind: 'param' | 'this' | 'assoc' } =>
  isOpen(type) && !isNumericParam(env.cx, type) && constructors(env, type).length > 0

// ── Lists ────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Whether a list can initialise a type. */
export function listFits(env: Env, items: readonly Term[], to: Type): boolean {
  return new Filler(env, items, true).all(to) !== null
}

/** The value of a list for a type. */
export function coerceList(env: Env, list: Term & { readonly kind: 'list' }, to: Type, span: Span): Expr {
  if (poisoned(to)) return emptyError(to)
  if (list.items.length === 0 && wantsArguments(env, to)) {
    const found = constructors(env, to)
    if (found.length > 0) resolveCall(env, funcsOf(show(to), found), [], list.span)
    else env.cx.sink.add(errors.tooFewArguments, list.span, { expected: countOf(env, to) ?? 0, got: 0 })
    return emptyError(to)
  }
  const filler = new Filler(env, list.items, false)
  const made = filler.all(to)
  if (made !== null) return made
  if (!filler.reported) {
    const expected = countOf(env, to)
    if (expected !== null && list.items.length > expected)
      env.cx.sink.add(errors.listTooLong, list.span, { type: show(to), expected, got: list.items.length })
    else if (expected !== null && (to.kind === 'vector' || to.kind === 'matrix'))
      env.cx.sink.add(errors.listTooShort, list.span, { type: show(to), expected, got: list.items.length })
    else env.cx.sink.add(errors.typeMismatch, span, { expected: show(to), got: 'an initialiser list' })
  }
  return emptyError(to)
}

function countOf(env: Env, type: Type): number | null {
  switch (type.kind) {
    case 'vector':
      return known(type.count)
    case 'matrix':
      return (known(type.rows) ?? 0) * (known(type.cols) ?? 0)
    case 'array':
      return type.count === null ? null : known(type.count)
    case 'struct':
      return givenFields(env, type).length
    case 'scalar':
      return 1
    default:
      return null
  }
}

/** Whether a list has another number of values than the struct has fields, so that it must be meant for a constructor. */
function listTooOdd(env: Env, items: readonly Term[], to: Type): boolean {
  return to.kind !== 'struct' || to.decl.intrinsic !== null || items.length !== givenFields(env, to).length
}

/** Fills a type from a list, taking items in order; nested aggregates take from the same list where it is flat. */
class Filler {
  readonly #env: Env
  readonly #items: readonly Term[]
  readonly #quiet: boolean
  #at = 0
  #top: Type | null = null
  reported = false

  constructor(env: Env, items: readonly Term[], quiet: boolean) {
    this.#env = env
    this.#items = items
    this.#quiet = quiet
  }

  /** The whole list for `to`; null where it does not fit. */
  all(to: Type): Expr | null {
    const env = this.#env
    const items = this.#items
    this.#top = to
    if (items.length === 0) return defaultFor(env, to, null)
    if (to.kind === 'interface' || to.kind === 'void' || to.kind === 'func') return null
    if ((to.kind === 'struct' && !isPlain(env, to)) || isBuilt(env, to)) {
      const found = constructors(env, to)
      if (found.length === 0) return null
      if (noneVisible(env, found, to, spanOfFirst(items) ?? to.decl.span!, this.#quiet))
        return this.#reportedError(errorTerm)
      const funcs = funcsOf(show(to), found)
      const at = spanOfFirst(items) ?? to.decl.span!
      // Where no constructor takes the values, they are the fields in order.
      const fits = resolveCall(env, funcs, items, at, true) !== null
      if (fits || listTooOdd(env, items, to)) {
        const made = fits && this.#quiet ? value(emptyError(to)) : resolveCall(env, funcs, items, at, this.#quiet)
        return made === null || made.kind === 'error' ? this.#reportedError(made) : toExpr(env, made, to.decl.span!)
      }
    }
    if (items.length === 1 && (to.kind === 'scalar' || to.kind === 'enum')) return this.one(to)
    // One number is in all lanes.
    if (items.length === 1 && (to.kind === 'vector' || to.kind === 'matrix') && typeOf(items[0])?.kind === 'scalar')
      return this.#quiet ? emptyError(to) : coerce(env, items[0]!, to, spanOfFirst(items)!)
    const made = this.#aggregate(to)
    if (made === null) return null
    return this.#at < items.length ? null : made
  }

  #reportedError(made: Term | null): null {
    if (made !== null) this.reported = true
    return null
  }

  /** The next item if it is a value of the type by itself; otherwise the parts of the type from the items. */
  one(to: Type): Expr | null {
    const env = this.#env
    const item = this.#items[this.#at]
    if (item === undefined) return this.rest(to)
    if (item.kind === 'list') {
      this.#at++
      if (this.#quiet) return listFits(env, item.items, to) ? emptyError(to) : null
      const made = coerceList(env, item, to, item.span)
      if (made.kind === 'error') this.reported = true
      return made.kind === 'error' ? null : made
    }
    if (item.kind === 'error') {
      this.#at++
      this.reported = true
      return this.#quiet ? emptyError(to) : null
    }
    // A function, or a lambda whose result is converted.
    if (calledAs(to) !== null && termCost(env, item, to) !== null) {
      this.#at++
      return this.#quiet ? emptyError(to) : coerce(env, item, to, spanOf(item) ?? spanOfFirst(this.#items)!)
    }
    const from = typeOf(item)
    if (from === null) return null
    const cost = typeCost(env.cx, from, to, item.kind === 'value' ? literalOf(item.expr) : null)
    const isAggregate =
      (to.kind === 'struct' && (optionalElem(to) ?? conditionalElem(to)) === null) ||
      to.kind === 'array' ||
      to.kind === 'vector' ||
      to.kind === 'matrix'
    if (cost !== null && cost < costs.explicit && !(isAggregate && from.kind === 'scalar')) {
      this.#at++
      return this.#quiet ? emptyError(to) : coerce(env, item, to, spanOf(item)!)
    }
    if (isAggregate && mayBeFlat(env, to)) return this.#aggregate(to)
    if (!this.#quiet && !this.reported) {
      env.cx.sink.add(cost === null ? errors.typeMismatch : errors.needsCast, spanOf(item) ?? undefined, {
        expected: show(to),
        got: show(from),
      })
      this.reported = true
    }
    return null
  }

  /** Whether the next item is a list or a value of the type. */
  #isWhole(type: Type): boolean {
    const item = this.#items[this.#at]!
    const from = typeOf(item)
    const cost = from === null ? null : typeCost(this.#env.cx, from, type, null)
    return item.kind === 'list' || item.kind === 'error' || (cost !== null && cost < costs.explicit)
  }

  /** What is left when the items have run out. */
  rest(to: Type): Expr | null {
    return defaultFor(this.#env, to, null)
  }

  #aggregate(to: Type): Expr | null {
    const env = this.#env
    switch (to.kind) {
      case 'vector':
      case 'matrix': {
        const n = to.kind === 'vector' ? known(to.count) : (known(to.rows) ?? 0) * (known(to.cols) ?? 0)
        if (n === null || n === 0) return null
        return this.lanes(to, n)
      }
      case 'array': {
        const n = to.count === null ? null : known(to.count)
        const parts: Expr[] = []
        for (let i = 0; n === null ? this.#at < this.#items.length : i < n; i++) {
          if (n !== null && this.#at >= this.#items.length && i > 0) {
            // The rest is zero; huge arrays are not spelled out.
            if (n > 4096) return null
          }
          const before = this.#at
          const part = this.one(to.elem)
          if (part === null) return null
          parts.push(part)
          // Elements without fields never use the list up.
          if (this.#at === before && this.#at < this.#items.length && (n ?? Infinity) > 4096) return null
        }
        if (n === null && to.count !== null) return null
        return {
          kind: 'construct',
          type: n === null ? arrayType(to.elem, intConst(parts.length)) : to,
          span: null,
          parts,
        }
      }
      case 'struct': {
        if (!isPlain(env, to) && to !== this.#top) return null
        const parts: Expr[] = []
        for (const f of fieldsOf(env, to)) {
          if (f.hidden || this.#at >= this.#items.length) {
            if (!this.#quiet && !this.reported && mustBeGiven(env, to, f)) {
              env.cx.sink.add(errors.tooFewArguments, spanOfFirst(this.#items) ?? undefined, {
                expected: givenFields(env, to).length,
                got: parts.length,
              })
              this.reported = true
            }
            parts.push(fieldValue(env, to, f.index, f.type))
            continue
          }
          // What is inherited has its fields in the list, unless it is given as a whole.
          const part =
            f.isBase && !mayBeFlat(env, f.type) && !this.#isWhole(f.type) ? this.#aggregate(f.type) : this.one(f.type)
          if (part === null) return null
          parts.push(part)
        }
        return { kind: 'construct', type: to, span: null, parts }
      }
      default:
        return this.one(to)
    }
  }

  /** Lanes of a vector or matrix: scalars, vectors or nested rows until it is full. */
  lanes(to: Type & { readonly kind: 'vector' | 'matrix' }, count: number): Expr | null {
    const env = this.#env
    const parts: Expr[] = []
    let filled = 0
    while (filled < count) {
      const item = this.#items[this.#at]
      if (item === undefined) {
        // What is missing is zero, but behind vectors it is none that can be meant.
        if (filled === 0 || (to === this.#top && this.#items.some(i => typeOf(i)?.kind === 'vector'))) return null
        parts.push(convertExpr(env.cx, zero(to.elem), to.elem))
        filled++
        continue
      }
      const nested = to.elem.kind === 'vector'
      if (item.kind === 'list') {
        if (to.kind !== 'matrix' && !nested) return null
        const row = this.one(to.kind === 'matrix' ? vectorType(to.elem, to.cols) : to.elem)
        if (row === null) return null
        parts.push(row)
        filled += to.kind === 'matrix' ? (known(to.cols) ?? 1) : 1
        continue
      }
      const from = item.kind === 'error' ? to.elem : typeOf(item)
      if (from === null) return null
      const n = from.kind === 'vector' && !nested ? (known(from.count) ?? 1) : 1
      const part = this.one(from.kind === 'vector' && !nested ? vectorType(to.elem, from.count) : to.elem)
      if (part === null) return null
      parts.push(part)
      filled += n
    }
    return filled === count ? { kind: 'construct', type: to, span: null, parts } : null
  }
}

function zero(type: Type): Expr {
  return { kind: 'default', type, span: null }
}

/** The value of a field that an initialiser leaves out. */
function fieldValue(env: Env, type: StructType, index: number, fieldType: Type): Expr {
  const field = type.decl.fields[index]!
  if (fieldDefault(env.cx, field) !== null)
    return { kind: 'fieldDefault', type: fieldType, span: null, struct: type, field }
  return defaultFor(env, fieldType, null) ?? zero(fieldType)
}

/** The user's constructors that can be called without arguments. */
export function emptyConstructors(env: Env, type: StructType): readonly Candidate[] {
  return constructors(env, type).filter(
    ({ decl: { syntax } }) => syntax.kind === 'init' && syntax.params.every(p => p.fallback !== undefined),
  )
}

/**
 * Whether all of the user's constructors of a type need arguments; or for a struct without constructors, those of a field without a
 * default.
 */
function wantsArguments(env: Env, type: Type, asked: Set<string> = new Set()): boolean {
  // Structs of structs have more paths than types: one that has been asked does not want any, or the answer would be there.
  if (type.kind !== 'struct' || type.decl.intrinsic !== null || asked.has(type.key)) return false
  asked.add(type.key)
  if (emptyConstructors(env, type).length > 0) return false
  const found = ownConstructors(env, type)
  return found.length > 0
    ? found.some(c => c.decl.generics === null)
    : fieldsOf(env, type).some(f => mustBeGiven(env, type, f, asked))
}

/** Whether a field must be given a value. */
function mustBeGiven(env: Env, struct: StructType, field: Field, asked: Set<string> = new Set()): boolean {
  return (
    !field.hidden &&
    fieldDefault(env.cx, struct.decl.fields[field.index]!) === null &&
    wantsArguments(env, field.type, asked)
  )
}

/** `{}` and `T()`: the constructor without parameters where there is one. */
export function defaultFor(env: Env, type: Type, span: Span | null): Expr | null {
  if (type.kind === 'void' || type.kind === 'func') return null
  if (type.kind === 'struct' && type.decl.intrinsic === null) {
    const candidates = emptyConstructors(env, type)
    if (candidates.length > 0)
      return toExpr(
        env,
        resolveCall(env, funcsOf(show(type), candidates), [], span ?? type.decl.span!)!,
        span ?? type.decl.span!,
      )
  }
  return defaultOf(type, span)
}

// ── T(a, b) ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** `T(args)`: a cast of one argument where there is one, else a constructor. */
export function construct(env: Env, type: Type, args: readonly Term[], span: Span): Term {
  if (type.kind === 'error' || args.some(a => a.kind === 'error')) return value(emptyError(type))
  if (args.length === 0) {
    // Where the user's constructors want arguments, there is no other.
    const made = wantsArguments(env, type) ? null : defaultFor(env, type, span)
    if (made !== null) return value(made)
  }
  if (args.length === 1) {
    const only = args[0]!
    if (only.kind === 'list') {
      // A constructor may take the list itself, as an array or a struct; else the list holds what a constructor takes.
      const found = type.kind === 'struct' ? constructors(env, type) : []
      const chosen = funcsOf(show(type), found)
      if (found.some(c => visible(env, c.decl)) && resolveCall(env, chosen, args, span, true)?.kind === 'value')
        return resolveCall(env, chosen, args, span) ?? errorTerm
      // It may be the first field alone: `S({{1, 2}, {3, 4}})` of a struct that holds an array.
      const isFirst = found.length === 0 && !listFits(env, only.items, type) && listFits(env, args, type)
      return value(coerceList(env, isFirst ? { ...only, items: args } : only, type, span))
    }
    if (only.kind === 'value' || only.kind === 'place') {
      const e = toExpr(env, only, span)
      if (e.kind === 'error') return value(emptyError(type))
      const pointer = castPointer(env, e, type, span)
      if (pointer !== null) return pointer
      // A zero that is cast to a struct is `{}`.
      if (type.kind === 'struct' && e.kind === 'const' && e.value === 0 && constructors(env, type).length === 0)
        return value(defaultFor(env, type, span)!)
      const found = isNumberLike(env.cx, type) ? constructors(env, type) : []
      const chosen = funcsOf(show(type), found)
      if (found.length > 0 && !same(e.type, type) && resolveCall(env, chosen, args, span, true) !== null)
        return resolveCall(env, chosen, args, span) ?? errorTerm
      const cast = castExpr(env, e, type)
      if (cast !== null) return value({ ...cast, span })
    }
  }
  switch (type.kind) {
    case 'vector':
    case 'matrix':
      return value(fromLanes(env, type, args, span))
    case 'array':
      return value(coerceList(env, { kind: 'list', items: args, span }, type, span))
    case 'struct': {
      const found = constructors(env, type)
      if (noneVisible(env, found, type, span, false)) return value(emptyError(type))
      const chosen = funcsOf(show(type), found)
      if (
        found.length > 0 &&
        (ownConstructors(env, type).length > 0 ||
          args.length !== givenFields(env, type).length ||
          resolveCall(env, chosen, args, span, true) !== null)
      )
        return resolveCall(env, chosen, args, span) ?? value(emptyError(type))
      if (type.decl.intrinsic === null || isPair(type)) return value(memberwise(env, type, args, span))
      break
    }
    default: {
      const found = constructors(env, type)
      if (found.length > 0 && !isNumericParam(env.cx, type))
        return resolveCall(env, funcsOf(show(type), found), args, span) ?? value(emptyError(type))
    }
  }
  env.cx.sink.add(errors.noCast, span, { from: showArgs(args), to: show(type) })
  return value(emptyError(type))
}

/** The implicit constructor of a struct: it takes a value for each field. The last ones may be left out if all fields are as visible. */
function memberwise(env: Env, type: StructType, args: readonly Term[], span: Span): Expr {
  // What is inherited has its fields among the arguments.
  if (type.decl.fields[0]?.isBase === true) return coerceList(env, { kind: 'list', items: args, span }, type, span)
  const { length: expected } = givenFields(env, type)
  if (args.length > expected) {
    env.cx.sink.add(errors.tooManyArguments, span, { expected, got: args.length })
    return emptyError(type)
  }
  const parts: Expr[] = []
  let at = 0
  for (const f of fieldsOf(env, type)) {
    const arg = f.hidden ? undefined : args[at++]
    if (arg !== undefined) parts.push(coerce(env, arg, f.type, spanOf(arg) ?? span))
    else if (
      f.hidden ||
      fieldDefault(env.cx, type.decl.fields[f.index]!) !== null ||
      (expected === type.decl.fields.length && !isPair(type) && !mustBeGiven(env, type, f))
    )
      parts.push(fieldValue(env, type, f.index, f.type))
    else {
      env.cx.sink.add(errors.tooFewArguments, span, { expected, got: args.length })
      return emptyError(type)
    }
  }
  return { kind: 'construct', type, span, parts }
}

function fromLanes(
  env: Env,
  type: Type & { readonly kind: 'vector' | 'matrix' },
  args: readonly Term[],
  span: Span,
): Expr {
  const wanted =
    type.kind === 'vector'
      ? known(type.count)
      : known(type.rows) === null || known(type.cols) === null
        ? null
        : known(type.rows)! * known(type.cols)!
  const parts: Expr[] = []
  let lanes = 0
  let unknown = wanted === null
  for (const a of args) {
    if (a.kind === 'list') {
      if (type.kind === 'matrix') {
        parts.push(coerceList(env, a, vectorType(type.elem, type.cols), a.span))
        lanes += known(type.cols) ?? 0
        continue
      }
      env.cx.sink.add(errors.listNeedsType, a.span, {})
      return emptyError(type)
    }
    const e = toExpr(env, a, span)
    if (e.kind === 'error') return emptyError(type)
    let to: Type = type.elem
    let n: number | null = 1
    if (e.type.kind === 'vector' && type.elem.kind !== 'vector') {
      to = vectorType(type.elem, e.type.count)
      n = known(e.type.count)
    } else if (e.type.kind === 'matrix') {
      to = matrixType(type.elem, e.type.rows, e.type.cols)
      n = known(e.type.rows) === null ? null : known(e.type.rows)! * (known(e.type.cols) ?? 0)
    }
    const cost = typeCost(env.cx, e.type, to, literalOf(e))
    if (cost === null) {
      env.cx.sink.add(errors.typeMismatch, spanOf(a) ?? span, { expected: show(type.elem), got: show(e.type) })
      return emptyError(type)
    }
    if (n === null) unknown = true
    lanes += n ?? 0
    parts.push(same(e.type, to) ? e : convertExpr(env.cx, e, to))
  }
  // Four lanes of two and one: the one stands for two.
  const single = parts.length === 2 && wanted === 4 && lanes === 3 ? parts.findIndex(p => p.type.kind !== 'vector') : -1
  if (single >= 0) parts[single] = convertExpr(env.cx, parts[single]!, parts[1 - single]!.type)
  else if (!unknown && lanes !== wanted) {
    if (lanes > wanted!) env.cx.sink.add(errors.tooManyArguments, span, { expected: wanted!, got: lanes })
    else env.cx.sink.add(errors.tooFewArguments, span, { expected: wanted!, got: lanes })
    return emptyError(type)
  }
  return { kind: 'construct', type, span, parts }
}
