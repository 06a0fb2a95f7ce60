/** Short ways to write trees. */
import {
  bool,
  differentialOf,
  int,
  isDerived,
  nothing,
  pair,
  partsOf,
  real,
  signatureOf,
  uint,
  vec,
  type BinaryOp,
  type Callable,
  type Expr,
  type Func,
  type Interface,
  type Param,
  type Stmt,
  type Type,
} from './tree.ts'

export const lit = (value: number, type: Type = real): Expr => ({ kind: 'lit', type, value })
export const ref = (name: string, type: Type): Expr => ({ kind: 'var', type, name })
export const part = (of: Expr, at: number): Expr => ({ kind: 'part', type: partsOf(of.type)[at]!.type, of, at })
export const elem = (of: Expr, at: Expr): Expr => ({
  kind: 'elem',
  type: of.type.kind === 'mat' ? vec(of.type.cols) : of.type.kind === 'array' ? of.type.of : real,
  of,
  at,
})
export const make = (type: Type, args: Expr[]): Expr => ({ kind: 'make', type, args })
export const pairOf = (p: Expr, d: Expr): Expr => make(pair(p.type), [p, d])
export const prim = (name: string, args: Expr[], type: Type = real): Expr => ({ kind: 'prim', type, name, args })
export const detached = (x: Expr): Expr =>
  differentialOf(x.type) === undefined ? x : { kind: 'detach', type: x.type, x }
export const cast = (type: Type, x: Expr): Expr => (x.type.kind === type.kind ? x : { kind: 'cast', type, x })
export const call = (of: Callable, args: Expr[], noDiff = false): Expr => ({
  kind: 'call',
  type: signatureOf(of).result,
  of,
  args,
  noDiff,
})
export const set = (to: Expr, value: Expr, op: '=' | '+=' | '-=' | '*=' = '='): Stmt => ({ kind: 'set', to, op, value })
export const decl = (name: string, type: Type, init?: Expr): Stmt => ({ kind: 'decl', name, type, init })
export const give = (value: Expr): Stmt => ({ kind: 'return', value })
export const when = (c: Expr, yes: Stmt[], no: Stmt[] = []): Stmt => ({ kind: 'if', c, yes, no })

const comparisons: ReadonlySet<string> = new Set(['<', '>', '<=', '>=', '==', '!=', '&&', '||'])

export function bin(op: BinaryOp, x: Expr, y: Expr): Expr {
  const rank = (t: Type): number => (t.kind === 'vec' || t.kind === 'mat' ? 1 : 0)
  return { kind: 'bin', op, x, y, type: comparisons.has(op) ? bool : rank(x.type) >= rank(y.type) ? x.type : y.type }
}

export const sum = (terms: readonly Expr[]): Expr =>
  terms.length === 0 ? lit(0) : terms.reduce((x, y) => bin('+', x, y))

export function func(name: string, params: Param[], result: Type, body: Stmt[], more: Partial<Func> = {}): Func {
  return {
    name,
    params,
    result,
    body,
    noDiffResult: false,
    differentiable: true,
    method: false,
    forward: undefined,
    backward: undefined,
    ruleOf: false,
    treated: false,
    prefer: 'none',
    generic: undefined,
    substitute: undefined,
    requirement: false,
    ...more,
  }
}

export const param = (name: string, type: Type, dir: Param['dir'] = 'in', noDiff = false): Param => ({
  name,
  type,
  dir,
  noDiff,
})

/** The numbers of an expression without effects, each as a real. */
export function numbersIn(e: Expr): Expr[] {
  const { type } = e
  switch (type.kind) {
    case 'real':
      return [e]
    case 'int':
    case 'uint':
      return [cast(real, e)]
    case 'bool':
      return [{ kind: 'cond', type: real, c: e, x: lit(1), y: lit(0) }]
    default:
      return partsOf(type).flatMap((_, i) => numbersIn(type.kind === 'array' ? elem(e, lit(i, int)) : part(e, i)))
  }
}

export const isNamed = (type: Type): boolean =>
  type.kind === 'pair'
    ? isNamed(type.of)
    : type.kind !== 'interface' && type.kind !== 'void' && partsOf(type).every(p => isNamed(p.type))

/** The function that a callable is a derivative of, and of what order. */
export function root(of: Callable): { readonly func: Func; readonly order: number } {
  if (!isDerived(of)) return { func: of, order: 0 }
  const { func, order } = root(of.of)
  return { func, order: order + 1 }
}

export { bool, int, nothing, pair, real, uint, vec }
export type { Interface }
