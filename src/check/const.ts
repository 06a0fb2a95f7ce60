/** Folding of integers (and booleans) that are known before a program runs. */
import { put, putArg } from './conform.ts'
import type { Cx } from './context.ts'
import type { GlobalDecl } from './decl.ts'
import { isOpen } from './member.ts'
import { globalInit } from './signature.ts'
import type { Expr } from './tree.ts'
import {
  bits, foldInt, intConst, intMember, intOp, isFloatName, isSignedName, known, same, substituteInt, type Int, type IntOp, type ScalarName, type Subst, type Type,
} from './type.ts'

function wrap(value: number, type: Type): Int {
  if (type.kind !== 'scalar') return intConst(value)
  const n = bits(type.name)
  if (type.name === 'bool') return intConst(value !== 0 ? 1 : 0)
  if (n >= 64) return intConst(value)
  return intConst(isSignedName(type.name) ? (value << (32 - n)) >> (32 - n) : n === 32 ? value >>> 0 : value & ((1 << n) - 1))
}

const whole = (type: Type): boolean => type.kind === 'enum' || (type.kind === 'scalar' && !isFloatName(type.name))

/** The value of an expression as an integer, perhaps in terms of generic parameters; null where it is not constant. */
export function foldExpr(cx: Cx, e: Expr, subst: Subst, depth = 0): Int | null {
  if (depth > 64) return null
  switch (e.kind) {
    case 'const': return typeof e.value === 'boolean' ? intConst(e.value ? 1 : 0) : whole(e.type) ? intConst(Number(e.value)) : null
    case 'int': return putArg(cx, e.value, subst) as Int
    case 'is': {
      const type = put(cx, e.value.type, subst)
      return type.kind === 'interface' || isOpen(type) ? null : intConst(same(type, put(cx, e.of, subst)) ? 1 : 0)
    }
    case 'read': {
      if (e.place.kind === 'local') {
        const init = cx.localInits.get(e.place.decl) ?? cx.core.localInits.get(e.place.decl)
        return init === undefined || !whole(e.type) ? null : foldExpr(cx, init, subst, depth + 1)
      }
      if (e.place.kind !== 'global' || e.place.decl.storage !== 'constant' || !whole(e.type)) return null
      const decl: GlobalDecl = e.place.decl
      if (decl.parent?.kind === 'interface') return e.place.subst.self === null ? null : intMember(e.place.subst.self, decl.name)
      const init = globalInit(cx, decl)
      if (init === null) return null
      const value = foldExpr(cx, init, e.place.subst, depth + 1)
      return value === null ? null : substituteInt(value, subst)
    }
    case 'convert': {
      if (!whole(e.type)) return null
      if (e.value.kind === 'const' && typeof e.value.value === 'number') return wrap(Math.trunc(e.value.value), e.type)
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
      if (n === null) return null
      return e.op === '!' ? intConst(n === 0 ? 1 : 0) : wrap(~n, e.type)
    }
    case 'binary': {
      if (!whole(e.left.type)) return null
      const left = foldExpr(cx, e.left, subst, depth + 1)
      const right = left === null ? null : foldExpr(cx, e.right, subst, depth + 1)
      if (left === null || right === null) return null
      const [a, b] = [known(left), known(right)]
      switch (e.op) {
        case '<': case '<=': case '>': case '>=': case '==': case '!=': {
          if (a === null || b === null) return null
          const yes = e.op === '<' ? a < b : e.op === '<=' ? a <= b : e.op === '>' ? a > b : e.op === '>=' ? a >= b : e.op === '==' ? a === b : a !== b
          return intConst(yes ? 1 : 0)
        }
        default: {
          if (a === null || b === null) return intOp(e.op, left, right)
          const value = foldInt(e.op as IntOp, a, b)
          return value === null ? null : wrap(value, e.type)
        }
      }
    }
    case 'logical': {
      const left = foldExpr(cx, e.left, subst, depth + 1)
      const a = left === null ? null : known(left)
      if (a === null) return null
      if (e.op === '&&' ? a === 0 : a !== 0) return intConst(a !== 0 ? 1 : 0)
      return foldExpr(cx, e.right, subst, depth + 1)
    }
    case 'conditional': {
      const cond = foldExpr(cx, e.cond, subst, depth + 1)
      const n = cond === null ? null : known(cond)
      return n === null ? null : foldExpr(cx, n !== 0 ? e.then : e.otherwise, subst, depth + 1)
    }
    case 'default': return whole(e.type) ? intConst(0) : null
    default: return null
  }
}

/** A number converted to a scalar type, as a program would. */
export function convertNumber(value: number | bigint | boolean, to: ScalarName): number | bigint | boolean {
  if (to === 'bool') return typeof value === 'boolean' ? value : typeof value === 'bigint' ? value !== 0n : value !== 0
  if (isFloatName(to)) return to === 'f32' ? Math.fround(Number(value)) : Number(value)
  const n = bits(to)
  if (n === 64) {
    const big = typeof value === 'bigint' ? value : BigInt(Number.isFinite(Number(value)) ? Math.trunc(Number(value)) : 0)
    const cut = isSignedName(to) ? BigInt.asIntN(64, big) : BigInt.asUintN(64, big)
    return cut >= BigInt(Number.MIN_SAFE_INTEGER) && cut <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(cut) : cut
  }
  const int = typeof value === 'bigint' ? Number(BigInt.asIntN(32, value)) : Math.trunc(Number(value))
  return isSignedName(to) ? (int << (32 - n)) >> (32 - n) : n === 32 ? int >>> 0 : int & ((1 << n) - 1)
}
