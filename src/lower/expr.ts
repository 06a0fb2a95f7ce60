/** Expressions as values. */
import type { Fn } from './context.ts'
import type { BinaryOp, Expr } from '../check/model/tree.ts'
import * as s from '../check/model/type.ts'
import type { BareOp } from '../ir/op.ts'
import * as t from '../ir/type.ts'
import type { Type } from '../ir/type.ts'
import type { Value } from '../ir/value.ts'
import { cut, lowerCall } from './call.ts'
import { loaded } from './box.ts'
import { assemble, opened } from './columns.ts'
import { impossible } from './context.ts'
import { convert, fill, scalars, constant } from './convert.ts'
import { asks, wrap } from './dispatch.ts'
import { branch, choose } from './flow.ts'
import { defaultValue } from './init.ts'
import { elements, indexValue, isCopied, lowerPlace, read, swizzle, write } from './place.ts'
import { lowerStmt } from './stmt.ts'

/** The value of an expression that has one. */
export function lowerExpr(fn: Fn, expr: Expr): Value {
  return lowerEffect(fn, expr) ?? impossible(`a value of a ${expr.kind} expression that has none`)
}

/** Lowers an expression for its value and effects; undefined where its type is void. */
export function lowerEffect(fn: Fn, expr: Expr): Value | undefined {
  const saved = fn.b.span
  fn.b.span = expr.span ?? saved
  const value = valueOf(fn, expr)
  fn.b.span = saved
  return value
}

/** The number that replaces a string on every target: Slang's own hash of its bytes, which are signed. */
function hash(text: string): number {
  let sum = 0
  for (const byte of new TextEncoder().encode(text)) sum = (Math.imul(sum, 65599) + ((byte << 24) >> 24)) | 0
  return sum >>> 0
}

function valueOf(fn: Fn, expr: Expr): Value | undefined {
  const { b } = fn
  switch (expr.kind) {
    case 'const':
      return splatted(fn, fn.type(expr.type), expr.value)
    case 'int': {
      const n = fn.int(expr.value)
      if (n === null) fn.unsupported(`a constant that is not known when compiling (${s.show(expr.value)})`)
      return splatted(fn, fn.type(expr.type), n ?? 0)
    }
    case 'string':
      return b.const(t.u32, hash(expr.value))
    case 'default':
      return defaultValue(fn, fn.source(expr.type))
    case 'fieldDefault': {
      const struct = fn.source(expr.struct) as s.StructType
      const init = fn.cx.program.fieldDefault(expr.field) ?? impossible(`no default for ${expr.field.name}`)
      return fn.elsewhere(fn.cx.program.structSubst(struct), () => lowerExpr(fn, init))
    }
    case 'paramDefault': {
      const ref = fn.ref(expr.func)
      if (ref.kind !== 'direct') return impossible('a default of a parameter of an unknown function')
      return fn.elsewhere(ref.subst, () => lowerExpr(fn, fn.cx.program.paramDefault(ref.decl, expr.index)))
    }
    case 'read': {
      const ref = lowerPlace(fn, expr.place)
      // Reports what has no length, and so no value.
      fn.type(expr.type)
      return read(fn, ref)
    }
    case 'field': {
      const base = lowerExpr(fn, expr.base)
      return opened(
        b,
        base.type.kind === 'ptr' ? loaded(fn, b.field(base, expr.field.index)) : b.extract(base, expr.field.index),
      )
    }
    case 'index': {
      const base = lowerExpr(fn, expr.base)
      const index = lowerExpr(fn, expr.index)
      // An array without elements.
      if (base.type.kind === 'struct') return b.zero(fn.type(expr.type))
      return indexValue(fn, base, index)
    }
    case 'swizzle':
      return swizzle(fn, lowerExpr(fn, expr.base), expr.lanes)
    case 'elements':
      return elements(fn, lowerExpr(fn, expr.base), expr.at)
    case 'unary':
      return unary(fn, expr.op, lowerExpr(fn, expr.operand))
    case 'binary': {
      const left = lowerExpr(fn, expr.left)
      return binary(fn, expr.op, left, lowerExpr(fn, expr.right))
    }
    case 'logical': {
      const left = lowerExpr(fn, expr.left)
      if (cheap(expr.right, 3)) return b.emit1(expr.op === '&&' ? 'and' : 'or', [left, lowerExpr(fn, expr.right)])
      const right = (): Value => lowerExpr(fn, expr.right)
      if (expr.op === '&&') return choose(b, left, t.bool, right, () => b.const(t.bool, false))
      return choose(b, left, t.bool, () => b.const(t.bool, true), right)
    }
    case 'conditional':
      return conditional(fn, expr)
    case 'convert': {
      const value = lowerExpr(fn, expr.value)
      if (expr.lift === undefined) return convert(fn, value, fn.type(expr.type))
      fn.held.set(expr.lift.held, opened(b, b.extract(value, 1)))
      return assemble(b, fn.type(expr.type), [b.extract(value, 0), lowerExpr(fn, expr.lift.part)])
    }
    case 'wrap':
      return wrap(fn, expr)
    case 'is':
    case 'as':
      return asks(fn, expr)
    case 'construct': {
      const type = fn.type(expr.type)
      const parts = expr.parts.map(p => lowerExpr(fn, p))
      const [first] = parts
      if (first?.type.kind === 'ptr' && first.type !== t.component(type, 0))
        fn.cx.reach.refuse({ span: expr.span!, feature: 'a pointer into a buffer without ScalarDataLayout' })
      return type.scalar === undefined
        ? assemble(b, type, parts)
        : fill(
            b,
            type,
            parts.flatMap(p => scalarsOf(fn, type, p)),
          )
    }
    case 'call':
      return lowerCall(fn, expr)
    case 'noDiff': {
      fn.noDiff++
      const value = lowerEffect(fn, expr.value)
      const out = value === undefined ? undefined : cut(fn, value)
      fn.noDiff--
      return out
    }
    case 'attempt':
      return attempt(fn, expr)
    case 'assign': {
      const ref = lowerPlace(fn, expr.place)
      const value = lowerExpr(fn, expr.value)
      if (value.name === '' && expr.place.kind === 'local') value.name = expr.place.decl.name
      write(fn, ref, value)
      return value
    }
    case 'update': {
      const ref = lowerPlace(fn, expr.place)
      const early = isCopied(expr.place) ? read(fn, ref) : undefined
      if (expr.ahead !== null) fn.held.set(expr.ahead, lowerExpr(fn, expr.ahead.value))
      const old = early ?? read(fn, ref)
      fn.held.set(expr.old, old)
      const value = lowerExpr(fn, expr.value)
      write(fn, ref, value)
      return expr.post ? old : value
    }
    case 'old':
    case 'ahead':
      return fn.held.get(expr) ?? impossible('a value outside its update')
    case 'sequence': {
      let last: Value | undefined
      for (const part of expr.parts) last = lowerEffect(fn, part)
      return last
    }
    case 'error':
      fn.cx.reach.refuse(fn.cx.reach.at(b.span) ?? (expr.type.kind === 'error' ? expr.type.lack : undefined))
      if (fn.cx.sink.errors === 0) fn.unsupported('this expression')
      return b.zero(t.i32)
  }
}

/** A call that may throw. What it throws is looked at before anything else. */
function attempt(fn: Fn, { call, thrown, exit }: Expr & { readonly kind: 'attempt' }): Value | undefined {
  const { b } = fn
  const variable = fn.variable(fn.type(thrown.type), thrown.name)
  fn.locals.set(thrown.id, variable)
  const result = lowerCall(fn, call)
  const failed = b.extract(read(fn, variable), 0)
  branch(
    b,
    failed,
    () => lowerStmt(fn, exit),
    () => undefined,
    fn.left,
  )
  return result
}

function splatted(fn: Fn, type: Type, value: number | bigint | boolean): Value {
  return type.kind === 'scalar'
    ? constant(fn, type, value)
    : fn.b.splat(constant(fn, t.scalars[type.scalar!], value), type)
}

function scalarsOf(fn: Fn, type: Type, part: Value): Value[] {
  return scalars(fn.b, part).map(p => fn.b.convert(p, t.scalars[type.scalar!]))
}

function conditional(fn: Fn, expr: Expr & { readonly kind: 'conditional' }): Value {
  const { b } = fn
  const known = fn.decides ? fn.cx.program.fold(expr.cond, fn.subst) : null
  if (known !== null) return lowerExpr(fn, known === 0 ? expr.otherwise : expr.then)
  const cond = lowerExpr(fn, expr.cond)
  if (cond.type.kind !== 'scalar' || (cheap(expr.then, 2) && cheap(expr.otherwise, 2))) {
    const x = lowerExpr(fn, expr.then)
    return b.select(cond, x, lowerExpr(fn, expr.otherwise))
  }
  return choose(
    b,
    cond,
    fn.type(expr.type),
    () => lowerExpr(fn, expr.then),
    () => lowerExpr(fn, expr.otherwise),
  )
}

/** Whether an expression is cheap and has neither effects nor traps, so that it may be evaluated in vain. */
function cheap(expr: Expr, depth: number): boolean {
  if (depth < 0) return false
  switch (expr.kind) {
    case 'const':
    case 'int':
      return true
    case 'read':
      return (expr.place.kind === 'local' || expr.place.kind === 'param') && expr.type.kind === 'scalar'
    case 'unary':
      return cheap(expr.operand, depth - 1)
    case 'swizzle':
      return cheap(expr.base, depth - 1)
    case 'binary':
      return !'*/%'.includes(expr.op) && cheap(expr.left, depth - 1) && cheap(expr.right, depth - 1)
    case 'logical':
      return cheap(expr.left, depth - 1) && cheap(expr.right, depth - 1)
    default:
      return false
  }
}

/** Negation, logical not or complement. */
export function unary(fn: Fn, op: '-' | '!' | '~', x: Value): Value {
  const { b } = fn
  if (op !== '-') return b.emit1('not', [x])
  return t.isInt(x.type) && !t.isSigned(x.type) ? b.sub(b.zero(x.type), x) : b.neg(x)
}

const rows: Readonly<Record<BinaryOp, BareOp>> = {
  '+': 'add',
  '-': 'sub',
  '*': 'mul',
  '/': 'div',
  '%': 'rem',
  '&': 'and',
  '|': 'or',
  '^': 'xor',
  '<<': 'shl',
  '>>': 'shr',
  '<': 'lt',
  '<=': 'le',
  '>': 'gt',
  '>=': 'ge',
  '==': 'eq',
  '!=': 'ne',
}

/** A binary operation lane by lane; a scalar beside a vector or matrix stands for all lanes. */
export function binary(fn: Fn, op: BinaryOp, left: Value, right: Value): Value {
  const { b } = fn
  if (left.type.kind === 'scalar' && right.type.kind !== 'scalar') left = b.splat(left, right.type)
  if (right.type.kind === 'scalar' && left.type.kind !== 'scalar') right = b.splat(right, left.type)
  if (left.type !== right.type) right = convert(fn, right, left.type)
  // Targets order numbers only.
  if (left.type.scalar === 'bool' && /[<>]/.test(op)) {
    const order = t.withScalar(left.type, t.u32)
    ;[left, right] = [b.convert(left, order), b.convert(right, order)]
  }
  return b.emit1(rows[op], [left, right])
}
