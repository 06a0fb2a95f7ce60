/** Expressions of WGSL from instructions, with the parentheses that its grammar wants. */
import { InternalError } from '../../base/diag.ts'
import type { OpName } from '../../ir/op.ts'
import type { Type } from '../../ir/type.ts'
import { Inst, type Func, type Global, type Value } from '../../ir/value.ts'
import { literal } from './literal.ts'

/** How tightly an expression binds; greater binds tighter. */
export const binds = { logic: 1, bits: 2, compare: 3, shift: 4, add: 5, mul: 6, unary: 7, primary: 8 } as const

/** A variable: a global, or the pointer to a local one. */
export type Root = Global | Value

/** The text of an expression, and what it depends on. */
export interface Expr {
  readonly text: string
  readonly binds: number
  /** The variables and buffers it reads that something may write. */
  readonly reads: readonly Root[]
  /** The loop variables in it. */
  readonly vars: readonly string[]
  /** Of an operation between two operands: what it is made of, so that `x = x + y` can be written `x += y`. */
  readonly parts?: { readonly left: string; readonly symbol: string; readonly right: Expr }
}

const none: readonly never[] = []

/** An expression that nothing can tear apart. */
export function primary(text: string, vars: readonly string[] = none): Expr {
  return { text, binds: binds.primary, reads: none, vars }
}

/** What an expression needs from the printer. */
export interface Scope {
  /** The expression of an operand; one that is written once is consumed by this. */
  get(v: Value): Expr
  typeText(type: Type): string
  /** The text of a struct's field. */
  fieldText(type: Type, i: number): string
  funcText(func: Func): string
  globalText(global: Global): string
}

function at(e: Expr, least: number): string {
  return e.binds < least ? `(${e.text})` : e.text
}

function merge(binding: number, text: string, x: Expr, y?: Expr): Expr {
  if (y === undefined) return { text, binds: binding, reads: x.reads, vars: x.vars }
  return { text, binds: binding, reads: union(x.reads, y.reads), vars: union(x.vars, y.vars) }
}

function union<T>(x: readonly T[], y: readonly T[]): readonly T[] {
  return y.length === 0 ? x : x.length === 0 ? y : [...new Set([...x, ...y])]
}

/** The variable that a pointer points into. */
export function rootOf(ptr: Value): Root {
  let at = ptr
  for (;;) {
    const def = at.def
    if (def.op === 'param') return at
    if (def.op !== 'field' && def.op !== 'elem') return def.op === 'global' ? def.attr : at
    at = def.args[0]!
  }
}

/** Comparisons among arguments are put in parentheses: `f(a < b, c > d)` would be a list of template arguments. */
function argument(e: Expr, count: number): string {
  return count > 1 && e.binds <= binds.shift && /[<>]/.test(e.text) ? `(${e.text})` : e.text
}

function list(args: readonly Expr[]): string {
  return args.map(a => argument(a, args.length)).join(', ')
}

function callText(name: string, args: readonly Expr[]): Expr {
  let [reads, vars]: [readonly Root[], readonly string[]] = [none, none]
  for (let i = 0; i < args.length; i++) {
    reads = union(reads, args[i]!.reads)
    vars = union(vars, args[i]!.vars)
  }
  return { text: `${name}(${list(args)})`, binds: binds.primary, reads, vars }
}

const infix: ReadonlyMap<OpName, readonly [string, number]> = new Map([
  ['add', ['+', binds.add]], ['sub', ['-', binds.add]], ['mul', ['*', binds.mul]], ['div', ['/', binds.mul]],
  ['rem', ['%', binds.mul]], ['and', ['&', binds.bits]], ['or', ['|', binds.bits]], ['xor', ['^', binds.bits]],
  ['shl', ['<<', binds.shift]], ['shr', ['>>', binds.shift]], ['lt', ['<', binds.compare]], ['le', ['<=', binds.compare]],
  ['gt', ['>', binds.compare]], ['ge', ['>=', binds.compare]], ['eq', ['==', binds.compare]], ['ne', ['!=', binds.compare]],
])

const lanes = 'xyzw'

/** Operand of a lane-wise operation: a scalar stands for a vector that repeats it where the other operand is a vector. */
function operand(v: Value, other: Value): Value {
  const def = v.def
  if (def.op === 'param' || def.op !== 'splat' || v.type.kind !== 'vec') return v
  const sibling = other.def
  return sibling instanceof Inst && sibling.op === 'splat' ? v : def.args[0]!
}

/** Joins two operands. */
export function binary(symbol: string, binding: number, x: Expr, y: Expr): Expr {
  // Operands of bit operations and shifts are unary in the grammar; only sums and products chain.
  const tight = binding === binds.bits || binding === binds.shift
  const chains = binding === binds.add || binding === binds.mul
  const left = tight ? binds.unary : chains ? binding : binding === binds.compare ? binds.shift + 1 : binds.bits
  const right = tight ? binds.unary : chains ? binding + 1 : left
  const text = `${at(x, left)} ${symbol} ${at(y, right)}`
  return { text, binds: binding, reads: union(x.reads, y.reads), vars: union(x.vars, y.vars), parts: { left: x.text, symbol, right: y } }
}

/** The text of an assignment. */
export function assignment(target: string, value: Expr): string {
  const { parts } = value
  if (parts === undefined || parts.left !== target || !compound.has(parts.symbol)) return `${target} = ${value.text};`
  return `${target} ${parts.symbol}= ${parts.right.text};`
}

const compound: ReadonlySet<string> = new Set(['+', '-', '*', '/', '%', '&', '|', '^', '<<', '>>'])

/** `&&` and `||`; one inside the other is put in parentheses. */
export function logic(symbol: '&&' | '||', x: Expr, y: Expr): Expr {
  const other = symbol === '&&' ? '||' : '&&'
  const side = (e: Expr): string => e.binds === binds.logic && !e.text.includes(other) ? e.text : at(e, binds.compare)
  return merge(binds.logic, `${side(x)} ${symbol} ${at(y, binds.compare)}`, x, y)
}

/** The opposite of a condition. */
export function negate(cond: Expr): Expr {
  const plain = /^!([\w.]+|\([^()]*\))$/.exec(cond.text)
  if (plain !== null) {
    const inner = plain[1]!
    return { ...cond, text: inner.replace(/^\((.*)\)$/, '$1'), binds: inner.startsWith('(') ? binds.logic : binds.primary }
  }
  return merge(binds.unary, `!${at(cond, binds.unary)}`, cond)
}

/** `select(no, yes, cond)`. */
export function choiceText(cond: Expr, yes: Expr, no: Expr): Expr {
  return callText('select', [no, yes, cond])
}

/** The text of a component of a value or of the memory a pointer points to. */
function component(base: Expr, type: Type, i: number, scope: Scope): Expr {
  const path = at(base, binds.primary)
  const step = type.kind === 'vec' ? `.${lanes[i]!}` : type.kind === 'struct' ? `.${scope.fieldText(type, i)}` : `[${i}]`
  const text = path + step
  return merge(binds.primary, text, base)
}

function constantIndex(v: Value): number | undefined {
  return v.def.op !== 'param' && v.def.op === 'const' ? Number(v.def.attr) : undefined
}

function indexText(i: Expr, v: Value): string {
  return String(constantIndex(v) ?? i.text)
}

/** The expressions of all operands. */
function all(args: readonly Value[], scope: Scope): Expr[] {
  return args.map(a => scope.get(a))
}

/** The expression of an instruction without regions that has one result. */
export function expression(inst: Inst, scope: Scope): Expr {
  const { args } = inst
  const type = inst.results[0]!.type
  const spelling = infix.get(inst.op)
  if (spelling !== undefined) {
    const x = args[0]!, y = args[1]!
    const binding = spelling[1]
    const mixes = binding === binds.add || binding === binds.mul
    return binary(spelling[0], binding, scope.get(mixes ? operand(x, y) : x), scope.get(mixes ? operand(y, x) : y))
  }
  switch (inst.op) {
    case 'const': {
      const text = literal(type.scalar!, inst.attr)
      return { text, binds: text.startsWith('-') ? binds.unary : binds.primary, reads: none, vars: none }
    }
    case 'zero': return primary(`${scope.typeText(type)}()`)
    case 'neg': {
      const x = scope.get(args[0]!)
      return merge(binds.unary, x.text.startsWith('-') ? `-(${x.text})` : `-${at(x, binds.unary)}`, x)
    }
    case 'not': {
      const x = scope.get(args[0]!)
      return type.scalar === 'bool' ? negate(x) : merge(binds.unary, `~${at(x, binds.unary)}`, x)
    }
    case 'select': return callText('select', [scope.get(args[2]!), scope.get(args[1]!), scope.get(args[0]!)])
    case 'convert': return callText(scope.typeText(type), all(args, scope))
    case 'bitcast': return callText(`bitcast<${scope.typeText(type)}>`, all(args, scope))
    case 'construct': case 'splat': return callText(scope.typeText(type), all(args, scope))
    case 'extract': return component(scope.get(args[0]!), args[0]!.type, inst.attr, scope)
    case 'swizzle': {
      const x = scope.get(args[0]!)
      return merge(binds.primary, `${at(x, binds.primary)}.${inst.attr.map(l => lanes[l]!).join('')}`, x)
    }
    case 'index': {
      const [x, i] = [scope.get(args[0]!), scope.get(args[1]!)]
      return merge(binds.primary, `${at(x, binds.primary)}[${indexText(i, args[1]!)}]`, x, i)
    }
    case 'dot': return callText('dot', all(args, scope))
    // Rows here are columns there, so the product turns round.
    case 'matmul': return binary('*', binds.mul, scope.get(args[1]!), scope.get(args[0]!))
    case 'transpose': return callText('transpose', all(args, scope))
    case 'global': return primary(scope.globalText(inst.attr))
    case 'field': return component(scope.get(args[0]!), args[0]!.type.elem!, inst.attr, scope)
    case 'elem': {
      const lane = args[0]!.type.elem!.kind === 'vec' ? constantIndex(args[1]!) : undefined
      if (lane !== undefined) return component(scope.get(args[0]!), args[0]!.type.elem!, lane, scope)
      const [x, i] = [scope.get(args[0]!), scope.get(args[1]!)]
      return merge(binds.primary, `${x.text}[${indexText(i, args[1]!)}]`, x, i)
    }
    case 'load': {
      const p = scope.get(args[0]!)
      const space = args[0]!.type.space
      const constant = space === 'storage' || space === 'uniform' || space === 'handle'
      return constant ? p : { ...p, reads: union(p.reads, [rootOf(args[0]!)]) }
    }
    case 'call': return callText(scope.funcText(inst.attr), all(args, scope))
    case 'wgsl.hide': return scope.get(args[0]!)
    case 'wgsl.builtin': case 'wgsl.read': case 'wgsl.write': case 'wgsl.exchange': {
      const given = args.map(a => {
        const e = scope.get(a)
        return a.type.kind === 'ptr' && a.type.space !== 'handle' ? { ...e, text: `&${e.text}` } : e
      })
      const call = callText(inst.attr, given)
      if (inst.op !== 'wgsl.read') return call
      return { ...call, reads: union(call.reads, args.filter(a => a.type.kind === 'ptr').map(rootOf)) }
    }
    default: throw new InternalError('wgsl', `no expression for ${inst.op}`)
  }
}
