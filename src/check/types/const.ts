/** Folds integers and booleans that are known at compile time. */
import { roundTo } from '../../base/number.ts'
import { unsupported } from '../../base/errors/names.ts'
import { put, putArg } from './conform.ts'
import type { Cx } from '../model/context.ts'
import {
  isOpen,
  bits,
  errorInt,
  foldInt,
  intChoice,
  intConst,
  intMember,
  intOp,
  isFloatName,
  isSignedName,
  known,
  same,
  substKey,
  type Int,
  type ScalarName,
  type Subst,
  type Type,
  isGeneric,
  show,
  substituteInt,
} from '../model/type.ts'
import { globalInit, globalInfo } from './signature.ts'
import type { Expr, Place } from '../model/tree.ts'
import { convertNumber } from '../model/number.ts'
import type { Member } from './member.ts'
import { byteSize } from './size.ts'
import { membersOf } from './inherit.ts'

function wrap(value: number, type: Type): Int {
  if (type.kind !== 'scalar') return intConst(value)
  const n = bits(type.name)
  if (type.name === 'bool') return intConst(value !== 0 ? 1 : 0)
  if (n >= 64) return intConst(value)
  return intConst(
    isSignedName(type.name) ? (value << (32 - n)) >> (32 - n) : n === 32 ? value >>> 0 : value & ((1 << n) - 1),
  )
}

const whole = (type: Type): boolean => type.kind === 'enum' || (type.kind === 'scalar' && !isFloatName(type.name))

/** The initial value of a constant, or of an element of one. */
function initOf(cx: Cx, place: Place, subst: Subst, depth: number): Expr | null {
  switch (place.kind) {
    case 'local':
      return cx.localInits.get(place.decl) ?? cx.core.localInits.get(place.decl) ?? null
    case 'global':
      return place.decl.storage === 'constant' ? globalInit(cx, place.decl) : null
    case 'index': {
      const [base, at] = [initOf(cx, place.base, subst, depth), foldExpr(cx, place.index, subst, depth + 1)]
      const n = at === null ? null : known(at)
      return base?.kind === 'construct' && base.type.kind === 'array' && n !== null ? (base.parts[n] ?? null) : null
    }
    default:
      return null
  }
}

function fromFloat(value: number, from: ScalarName, type: Type): Int | null {
  if (type.kind !== 'scalar') return intConst(Math.trunc(roundTo(from, value)))
  return intConst(Number(convertNumber(value, from, type.name)))
}

/** The folded initial value of a constant. Each is found once, since constants that need two others each would take exponential work. */
function foldInit(cx: Cx, init: Expr, subst: Subst, depth: number): Int | null {
  const key = substKey(subst)
  let found = cx.folded.get(init)
  const known = found?.get(key)
  if (known !== undefined) return known
  if (found === undefined) cx.folded.set(init, (found = new Map()))
  // Constants in a circle have no value. Without arguments there are only so many constants; those of generic types may go on for ever.
  if (key === '') found.set(key, null)
  const value = cx.sink.work.within(1, init.span, () => foldExpr(cx, init, subst, key === '' ? 0 : depth + 1))
  if (key === '' || value !== null) found.set(key, value)
  return value
}

/** The value of an expression as an integer, perhaps in terms of generic parameters; null where it is not constant. */
export function foldExpr(cx: Cx, e: Expr, subst: Subst, depth = 0): Int | null {
  if (depth > 64) return null
  // Of `&&` and `||` one side is what the condition is.
  const choice = (cond: Expr, then: Expr | null, otherwise: Expr | null): Int | null => {
    const c = foldExpr(cx, cond, subst, depth + 1)
    if (c === null) return null
    let all = true
    const side = (e: Expr | null, value: number) => (): Int => {
      const found = e === null ? intConst(value) : foldExpr(cx, e, subst, depth + 1)
      all &&= found !== null
      return found ?? errorInt
    }
    const chosen = intChoice(c, side(then, 1), side(otherwise, 0))
    return all ? chosen : null
  }
  switch (e.kind) {
    case 'const':
      return typeof e.value === 'boolean' ? intConst(e.value ? 1 : 0) : whole(e.type) ? intConst(Number(e.value)) : null
    case 'int':
      return putArg(cx, e.value, subst) as Int
    case 'is': {
      const type = put(cx, e.value.type, subst)
      return type.kind === 'interface' || isOpen(type) ? null : intConst(same(type, put(cx, e.of, subst)) ? 1 : 0)
    }
    case 'read': {
      const { place } = e
      if (!whole(e.type)) return null
      if (place.kind === 'param') return (subst.args.get(place.decl.id) as Int | undefined) ?? null
      if (place.kind === 'global' && place.decl.parent?.kind === 'interface')
        return place.subst.self === null
          ? null
          : (putArg(cx, intMember(place.subst.self, place.decl.name), subst) as Int)
      const init = initOf(cx, place, subst, depth)
      let root: Place = place
      while (root.kind === 'index') root = root.base
      if (init === null) return null
      if (root.kind !== 'global') return foldInit(cx, init, subst, depth)
      const value = foldInit(cx, init, root.subst, depth)
      return value === null ? null : (putArg(cx, value, subst) as Int)
    }
    case 'convert': {
      if (!whole(e.type)) return null
      if (
        e.value.kind === 'const' &&
        typeof e.value.value === 'number' &&
        e.value.type.kind === 'scalar' &&
        isFloatName(e.value.type.name)
      )
        return fromFloat(e.value.value, e.value.type.name, e.type)
      const value = foldExpr(cx, e.value, subst, depth + 1)
      if (value === null) return null
      const n = known(value)
      return n === null ? value : wrap(n, e.type)
    }
    case 'unary': {
      const value = foldExpr(cx, e.operand, subst, depth + 1)
      if (value === null) return null
      const n = known(value)
      if (e.op === '-') return n === null ? intOp('-', intConst(0), value) : wrap(-n, e.type)
      if (n === null) return e.op === '!' ? intOp('==', value, intConst(0)) : intOp('^', value, intConst(-1))
      return e.op === '!' ? intConst(n === 0 ? 1 : 0) : wrap(~n, e.type)
    }
    case 'binary': {
      if (!whole(e.left.type)) return null
      const left = foldExpr(cx, e.left, subst, depth + 1)
      const right = left === null ? null : foldExpr(cx, e.right, subst, depth + 1)
      if (left === null || right === null) return null
      const [a, b] = [known(left), known(right)]
      if (a === null || b === null) return intOp(e.op, left, right)
      const value = foldInt(e.op, a, b)
      return value === null ? null : wrap(value, e.type)
    }
    case 'logical':
      return choice(e.left, e.op === '&&' ? e.right : null, e.op === '&&' ? null : e.right)
    case 'conditional':
      return choice(e.cond, e.then, e.otherwise)
    case 'default':
      return whole(e.type) ? intConst(0) : null
    default:
      return null
  }
}

/** The value that a type has for a constant that an interface requires, as the declaration that holds it. */
export function requiredConstant(cx: Cx, type: Type, name: string): Member | null {
  const m = membersOf(cx, type, name).find(x => x.decl.kind === 'global' && x.via < 2)
  if (m === undefined || m.decl.kind !== 'global') return null
  globalInfo(cx, m.decl)
  return m
}

/** The integer constant of a type that meets an interface's requirement; `base.name` as it stands while that is unknown. */
export function knownConstant(cx: Cx, base: Type, name: string): Int {
  if (name === 'sizeof' || name === 'alignof') {
    if (isGeneric(base)) return intMember(base, name)
    const size = byteSize(cx, base)
    if (size === null) cx.sink.add(unsupported, undefined, { feature: `${name} of ${show(base)}` })
    return intConst(size === null ? 1 : name === 'sizeof' ? size.size : size.align)
  }
  const member = requiredConstant(cx, base, name)
  const init = member?.decl.kind === 'global' ? globalInit(cx, member.decl) : null
  if (member === null || init === null) return intMember(base, name)
  const value = foldExpr(cx, init, member.subst)
  // What it is made of may be required of other types in turn.
  return value === null
    ? intMember(base, name)
    : substituteInt(value, member.subst, (of, other) => knownConstant(cx, of, other))
}
