/** Random expressions. */
import type { Options } from './generate.ts'
import { bin, bool, call, cast, detached, elem, isNamed, lit, make, part, pairOf, prim, ref, root } from './make.ts'
import { safely } from './prims.ts'
import type { Random } from './random.ts'
import {
  differentialOf,
  int,
  isActive,
  isDerived,
  nothing,
  partsOf,
  real,
  same,
  signatureOf,
  uint,
  vec,
  type Callable,
  type Expr,
  type Func,
  type Param,
  type Static,
  type StructType,
  type Type,
} from './tree.ts'

interface Var {
  readonly name: string
  readonly type: Type
  readonly mutable: boolean
  /** An integer that is never negative. */
  readonly natural: boolean
}

/** Derivatives of functions of the program are of this order at most, before the test takes derivatives of its own. */
const mostOrder = 2
/** Code grows with each derivative; a function is not differentiated again once it has grown to so much. */
const mostWeight = 900

/** What can be called, and what stands in scope. */
export class Expressions {
  readonly rand: Random
  readonly options: Options
  /** Functions, methods and requirements that bodies may call. */
  readonly callable: Func[] = []
  readonly statics: Static[] = []
  types: readonly Type[] = [real]
  /** Types that the test knows nothing of. */
  inner: Type[] = []
  /** What nothing calls so far. */
  protected readonly unused: Set<Func> = new Set()
  protected readonly orders: Map<Func, number> = new Map<Func, number>()
  protected readonly weights: Map<Func, number> = new Map<Func, number>()
  protected vars: readonly Var[] = []
  protected names = 0
  protected order = 0
  protected weight = 0
  /** Whether an expression may change what it is passed. */
  protected mayAct = false
  protected func: Func | undefined

  constructor(rand: Random, options: Options) {
    this.rand = rand
    this.options = options
  }

  /** Of how high an order the derivatives are that a function asks for. */
  orderOf(f: Func): number {
    return this.orders.get(f) ?? 0
  }

  protected weightOf(of: Callable): number {
    return isDerived(of) ? this.weightOf(of.of) * (of.op === 'fwd' ? 2 : 4) : (this.weights.get(of) ?? 10)
  }

  protected fresh(prefix: string): string {
    return `${prefix}${this.names++}`
  }

  protected declare(name: string, type: Type, mutable: boolean, natural = false): void {
    this.vars = [...this.vars, { name, type, mutable, natural }]
  }

  protected lacks(what: Options['without'] extends ReadonlySet<infer P> ? P : never): boolean {
    return this.options.without.has(what)
  }

  /** A formula over parameters alone. */
  formula(params: readonly Param[], depth: number): Expr {
    const saved = [this.vars, this.mayAct, this.func] as const
    this.vars = []
    this.func = undefined
    this.mayAct = false
    for (const p of params) this.declare(p.name, p.type, false)
    const calls = this.callable.splice(0)
    const out = this.expr(real, depth)
    this.callable.push(...calls)
    ;[this.vars, this.mayAct, this.func] = saved
    return out
  }

  /** Expressions made meanwhile may have effects. */
  protected acting<T>(write: () => T): T {
    const saved = this.mayAct
    this.mayAct = !this.lacks('effects')
    const out = write()
    this.mayAct = saved
    return out
  }

  // ── Places ─────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Whether values of a type keep their derivatives. */
  protected holds(type: Type): boolean {
    return type.kind !== 'struct' || type.differentiable
  }

  /** A place of a type, and whether it keeps derivatives. */
  protected place(type: Type): { readonly to: Expr; readonly holds: boolean } | undefined {
    const found = this.reach(type, true)
    return found === undefined ? undefined : { to: found, holds: holdsDerivative(found, this.func) }
  }

  /** A variable or a part of one, of a type. */
  protected reach(type: Type, mutable: boolean): Expr | undefined {
    const found: (() => Expr)[] = []
    const look = (t: Type, e: () => Expr, depth: number): void => {
      if (same(t, type)) found.push(e)
      if (depth === 0 || (t.kind === 'pair' && mutable)) return
      if (t.kind === 'array' || t.kind === 'mat' || (t.kind === 'vec' && this.rand.once(3))) {
        look(
          t.kind === 'array' ? t.of : t.kind === 'mat' ? vec(t.cols) : real,
          () => elem(e(), this.index(t.kind === 'mat' ? t.rows : t.n)),
          depth - 1,
        )
      } else partsOf(t).forEach((p, i) => look(p.type, () => part(e(), i), depth - 1))
    }
    for (const v of this.vars) if (v.mutable || !mutable) look(v.type, () => ref(v.name, v.type), 3)
    return found.length === 0 ? undefined : this.rand.one(found)()
  }

  /** An index of something that has so many parts; two of them may be equal. */
  protected index(n: number): Expr {
    return this.rand.once(3) ? lit(this.rand.below(n), int) : bin('%', this.natural(1), lit(n, int))
  }

  /** An expression for a place; where that holds no derivative, none is lost by accident. */
  protected stored(type: Type, noDiff: boolean, depth: number): Expr {
    const e = this.expr(type, depth)
    return noDiff ? detached(e) : e
  }

  /** What a variable of an aggregate begins with, part by part. */
  protected filled(type: Type): Expr {
    return type.kind === 'array' || type.kind === 'struct'
      ? make(
          type,
          partsOf(type).map(p => this.stored(p.type, p.noDiff || !this.holds(type), 1)),
        )
      : this.expr(type, 1)
  }

  // ── Calls ──────────────────────────────────────────────────────────────────────────────────────────────────────

  protected isDifferentiable(f: Func): boolean {
    return (
      f.differentiable || f.forward !== undefined || f.backward !== undefined || f.treated || f.substitute !== undefined
    )
  }

  /** How the function at hand may call another. */
  protected mark(f: Func): 'plain' | 'noDiff' {
    if (this.func?.differentiable !== true) return 'plain'
    if (!this.isDifferentiable(f))
      return f.params.some(p => differentialOf(p.type) !== undefined) || differentialOf(f.result) !== undefined
        ? 'noDiff'
        : 'plain'
    return !this.lacks('nodiff') && this.rand.once(8) ? 'noDiff' : 'plain'
  }

  protected use(of: Callable): void {
    const { func, order } = root(of)
    this.unused.delete(func)
    this.order = Math.max(this.order, this.orderOf(func) + order)
    this.weight += this.weightOf(of)
  }

  /** One of some functions; what nothing calls is compared with nothing. */
  protected oneOf(funcs: readonly Func[]): Func {
    const unused = funcs.filter(f => this.unused.has(f))
    return this.rand.one(unused.length > 0 && this.rand.below(4) > 0 ? unused : funcs)
  }

  /** Whether code does not grow too large by a call. */
  protected fits(of: Callable): boolean {
    const { func, order } = root(of)
    return this.orderOf(func) + order <= mostOrder && this.weight + this.weightOf(of) < mostWeight
  }

  /** Whether the derivatives of a function can be asked for by name here. */
  protected isOperand(f: Func): boolean {
    // Effects on statics happen as often as they happen.
    return (
      this.statics.length === 0 &&
      this.isDifferentiable(f) &&
      f.generic === undefined &&
      f.params.every(p => isNamed(p.type)) &&
      (f.result === nothing || isNamed(f.result)) &&
      f.params.some(isActive)
    )
  }

  /** Integers of functions are never negative: they choose elements there. */
  protected argument(type: Type, depth: number): Expr {
    return type === int ? this.natural(1) : this.expr(type, depth)
  }

  /** The value that a generic function or a requirement is called for. */
  protected object(p: Param, generic: boolean): Expr | undefined {
    if (p.type.kind !== 'interface') return p.dir === 'in' ? this.reach(p.type, false) : this.placeFor(p)
    const known = p.type
    if (!generic && this.rand.below(3) > 0) {
      const found = p.dir === 'in' ? this.reach(known, false) : this.placeFor(p)
      if (found !== undefined) return found
    }
    // A value of the interface has no type that a generic function could have for its own.
    if (!generic && p.dir !== 'in') return undefined
    const struct = this.rand.one(known.structs)
    const found = p.dir === 'in' ? this.reach(struct, false) : this.placeFor({ ...p, type: struct })
    return found === undefined ? undefined : { kind: 'up', type: known, x: found }
  }

  /** A place for an output, which must not lose what comes out. */
  protected placeFor(p: Param): Expr | undefined {
    const place = this.place(p.type)
    return place !== undefined && (place.holds || p.noDiff || differentialOf(p.type) === undefined)
      ? place.to
      : undefined
  }

  /** Arguments of a call inside an expression; undefined where there are none that fit. */
  protected passed(f: Func, depth: number): Expr[] | undefined {
    const outputs: string[] = []
    const args: Expr[] = []
    for (const [i, p] of f.params.entries()) {
      const isObject = i === 0 && (f.method || f.generic !== undefined || f.requirement)
      const arg = isObject
        ? this.object(p, f.generic !== undefined)
        : p.dir === 'in'
          ? this.argument(p.type, depth - 1)
          : this.placeFor(p)
      if (arg === undefined) return undefined
      if (p.dir !== 'in') {
        const name = rootName(arg)
        if (outputs.includes(name)) return undefined
        outputs.push(name)
      }
      args.push(arg)
    }
    return args
  }

  /** A call of a function by what it is. */
  protected invoke(f: Func, args: Expr[], noDiff: boolean): Expr {
    return f.requirement ? { kind: 'dispatch', type: f.result, of: f, args } : call(f, args, noDiff)
  }

  /** A call or derivative of a function that gives a type. */
  protected called(type: Type, depth: number): Expr | undefined {
    const { rand } = this
    const fits = this.callable.filter(
      f => same(f.result, type) && this.fits(f) && (this.mayAct || f.params.every(p => p.dir === 'in')),
    )
    if (fits.length === 0) return undefined
    const f = this.oneOf(fits)
    if (
      !this.lacks('inner') &&
      rand.once(4) &&
      type.kind !== 'struct' &&
      type.kind !== 'array' &&
      this.isOperand(f) &&
      f.params.every(p => p.dir === 'in')
    ) {
      const of: Callable = { op: 'fwd', of: f }
      const s = signatureOf(of)
      if (s.result.kind === 'pair' && this.fits(of)) {
        this.use(of)
        return part(
          call(
            of,
            s.params.map(p => this.argument(p.type, depth - 2)),
          ),
          rand.once(4) ? 0 : 1,
        )
      }
    }
    const mark = f.requirement ? 'plain' : this.mark(f)
    if (mark === 'noDiff' && f.params.some(p => p.dir !== 'in')) return undefined
    const args = this.passed(f, depth)
    if (args === undefined) return undefined
    this.use(f)
    return this.invoke(f, args, mark === 'noDiff')
  }

  // ── Expressions ────────────────────────────────────────────────────────────────────────────────────────────────

  expr(type: Type, depth: number): Expr {
    const { rand } = this
    this.weight++
    switch (type.kind) {
      case 'int':
      case 'uint':
        return this.whole(type, depth)
      case 'bool':
        return this.condition(depth)
      case 'pair':
        return pairOf(this.expr(type.of, depth), this.tangent(differentialOf(type.of)!, depth))
      case 'real':
        return this.real(depth)
      case 'vec':
        return this.vector(type, depth)
      case 'mat':
        return this.matrix(type, depth)
      case 'interface': {
        const found = rand.once(2) ? undefined : this.reach(type, false)
        return found ?? { kind: 'up', type, x: this.expr(rand.one(type.structs), depth) }
      }
      default: {
        const found = rand.once(3) ? undefined : this.reach(type, false)
        if (found !== undefined) return found
        return (
          (depth > 1 ? this.called(type, depth) : undefined) ??
          make(
            type,
            partsOf(type).map(p => this.stored(p.type, p.noDiff || !this.holds(type), depth - 1)),
          )
        )
      }
    }
  }

  /** A derivative to begin with. */
  protected tangent(type: Type, depth: number): Expr {
    if (type.kind === 'real' || type.kind === 'vec' || type.kind === 'mat')
      return this.rand.once(2) ? this.constant(type) : this.expr(type, depth)
    return make(
      type,
      partsOf(type).map(p => this.tangent(p.type, depth)),
    )
  }

  protected number(): number {
    return (this.rand.below(25) - 12) / 8
  }

  protected constant(type: Type): Expr {
    return type.kind === 'real'
      ? lit(this.number())
      : make(
          type,
          partsOf(type).map(p => this.constant(p.type)),
        )
  }

  /** Something simple, of what is there if possible. */
  protected simple(type: Type): Expr {
    const found = this.rand.once(6) ? undefined : this.reach(type, false)
    return (
      found ??
      (type.kind === 'real'
        ? lit(this.number())
        : make(
            type,
            partsOf(type).map(p => this.simple(p.type)),
          ))
    )
  }

  protected real(depth: number): Expr {
    const { rand } = this
    if (depth <= 0) return this.simple(real)
    const roll = rand.below(21)
    if (roll < 4) return bin(rand.one(['+', '-'] as const), this.expr(real, depth - 1), this.expr(real, depth - 1))
    if (roll < 7) return bin('*', this.expr(real, depth - 1), this.small(depth - 1))
    if (roll < 11) return this.library(real, depth)
    if (roll < 14) return this.called(real, depth) ?? this.simple(real)
    if (roll === 14)
      return {
        kind: 'cond',
        type: real,
        c: this.condition(1),
        x: this.expr(real, depth - 1),
        y: this.expr(real, depth - 1),
      }
    if (roll === 15) {
      const v = vec(2 + rand.below(3))
      const kind = rand.below(4)
      if (kind === 0) return prim('dot', [this.expr(v, depth - 1), this.expr(v, depth - 1)])
      if (kind === 1) return prim('length', [bin('+', this.expr(v, depth - 1), lit(2.5))])
      if (kind === 2) return prim('distance', [this.expr(v, depth - 1), bin('+', this.expr(v, depth - 1), lit(3.5))])
      const m = this.types.find(t => t.kind === 'mat' && t.rows === t.cols)
      return m === undefined
        ? prim('dot', [this.expr(v, depth - 1), this.expr(v, depth - 1)])
        : prim('determinant', [this.expr(m, depth - 1)])
    }
    if (roll === 16 && !this.lacks('nodiff')) return detached(this.expr(real, depth - 1))
    if (roll === 17) return cast(real, this.whole(int, 1))
    if (roll === 18) return bin('/', this.expr(real, depth - 1), this.pattern('positive', real, depth - 1))
    if (roll === 19) return { kind: 'neg', type: real, x: this.expr(real, depth - 1) }
    if (roll === 20 && rand.once(3) && this.func?.differentiable === true && this.func.generic === undefined)
      return this.lambda(depth)
    return this.simple(real)
  }

  /** A lambda of one number, called where it stands; it takes what it speaks of with it. */
  protected lambda(depth: number): Expr {
    const saved = [this.vars, this.mayAct] as const
    this.mayAct = false
    const name = this.fresh('y')
    // What is taken along is constant there.
    this.vars = this.vars
      .filter(v => v.name !== 'this' && this.holds(v.type) && isNamed(v.type) && v.type.kind !== 'pair')
      .map(v => ({ ...v, mutable: false }))
    this.declare(name, real, false)
    const body = this.expr(real, depth)
    ;[this.vars, this.mayAct] = saved
    return { kind: 'lambda', type: real, name, body, x: this.expr(real, depth - 1) }
  }

  /** A number that is not large. */
  protected small(depth: number): Expr {
    return this.rand.once(2)
      ? lit(this.number())
      : prim(this.rand.one(['sin', 'cos', 'tanh']), [this.expr(real, depth - 1)])
  }

  protected pattern(name: string, type: Type, depth: number): Expr {
    const x = (): Expr => this.expr(type, depth)
    switch (name) {
      case 'positive':
        return bin('+', lit(1.5), prim('sin', [x()], type))
      case 'bounded':
        return prim('sin', [x()], type)
      case 'small':
        return bin('*', lit(0.75), prim('sin', [x()], type))
      case 'low':
        return type.kind === 'real' ? lit(-0.625) : this.splat(type, -0.625)
      case 'high':
        return type.kind === 'real' ? lit(1.125) : this.splat(type, 1.125)
      default:
        return x()
    }
  }

  protected splat(type: Type, value: number): Expr {
    return make(
      type,
      partsOf(type).map(() => lit(value)),
    )
  }

  protected library(type: Type, depth: number): Expr {
    const rule = this.rand.one(safely)
    return prim(
      rule.name,
      rule.args.map(a => this.pattern(a, type, depth - 1)),
      type,
    )
  }

  protected vector(type: Type & { kind: 'vec' }, depth: number): Expr {
    const { rand } = this
    const found = this.reach(type, false)
    if (depth <= 0) return found ?? this.simple(type)
    const roll = rand.below(14)
    if (roll < 3 && found !== undefined) return found
    if (roll < 5) return bin(rand.one(['+', '-', '*'] as const), this.expr(type, depth - 1), this.expr(type, depth - 1))
    if (roll === 5) return bin('*', this.expr(type, depth - 1), this.expr(real, depth - 1))
    if (roll === 6) return this.library(type, depth)
    if (roll === 7) return this.called(type, depth) ?? found ?? this.simple(type)
    if (roll === 8) return prim('normalize', [bin('+', this.expr(type, depth - 1), lit(2.25))], type)
    if (roll === 9 && type.n === 3) return prim('cross', [this.expr(type, depth - 1), this.expr(type, depth - 1)], type)
    if (roll === 10) {
      const n = 2 + rand.below(3)
      const of = this.reach(vec(n), false)
      if (of !== undefined)
        return { kind: 'lanes', type, of, lanes: Array.from({ length: type.n }, () => rand.below(n)) }
    }
    if (roll === 11) {
      const m = this.types.find(t => t.kind === 'mat' && t.rows === type.n)
      if (m?.kind === 'mat') return prim('mulMV', [this.expr(m, depth - 1), this.expr(vec(m.cols), depth - 1)], type)
      return prim('reflect', [this.expr(type, depth - 1), this.expr(type, depth - 1)], type)
    }
    return make(
      type,
      Array.from({ length: type.n }, () => this.expr(real, depth - 1)),
    )
  }

  protected matrix(type: Type & { kind: 'mat' }, depth: number): Expr {
    const { rand } = this
    const found = this.reach(type, false)
    if (depth <= 0) return found ?? this.simple(type)
    const roll = rand.below(8)
    if (roll < 2 && found !== undefined) return found
    if (roll === 2)
      return bin(rand.one(['+', '-', '*'] as const), this.expr(type, depth - 1), this.expr(type, depth - 1))
    if (roll === 3) return bin('*', this.expr(type, depth - 1), this.expr(real, depth - 1))
    if (roll === 4 && type.rows === type.cols) {
      const x = this.expr(type, depth - 1)
      return rand.once(2) ? prim('transpose', [x], type) : prim('mulMM', [x, this.expr(type, depth - 1)], type)
    }
    if (roll === 5) return this.called(type, depth) ?? found ?? this.simple(type)
    return make(
      type,
      Array.from({ length: type.rows }, () => this.expr(vec(type.cols), depth - 1)),
    )
  }

  // ── Integers and conditions ────────────────────────────────────────────────────────────────────────────────────

  /** An integer that is not negative. */
  protected natural(depth: number): Expr {
    const { rand } = this
    const naturals = this.vars.filter(v => v.natural)
    const roll = rand.below(6)
    if (roll < 3 && naturals.length > 0) {
      const v = rand.one(naturals)
      return rand.once(3) ? bin('+', ref(v.name, v.type), lit(rand.below(3), int)) : ref(v.name, v.type)
    }
    if (roll === 3) return cast(int, prim('abs', [bin('*', this.expr(real, depth - 1), lit(3))]))
    if (roll === 4) return bin('&', this.whole(int, depth), lit(7, int))
    const step = this.step()
    return step === undefined ? lit(rand.below(4), int) : cast(int, bin('%', step, lit(2 + rand.below(4), uint)))
  }

  /** A random number of the program's own, where an effect may stand. */
  protected step(): Expr | undefined {
    const next = this.callable.find(f => f.name === 'next')
    const states = this.vars.filter(v => v.type === uint && v.mutable)
    return this.mayAct && next !== undefined && states.length > 0
      ? call(next, [ref(this.rand.one(states).name, uint)])
      : undefined
  }

  protected whole(type: Type, depth: number): Expr {
    const { rand } = this
    const vars = this.vars.filter(v => v.type === type)
    const leaf = (): Expr =>
      vars.length > 0 && rand.below(3) > 0 ? ref(rand.one(vars).name, type) : lit(rand.below(9), type)
    if (depth <= 0) return leaf()
    const roll = rand.below(9)
    if (roll < 2)
      return bin(
        rand.one(['+', '-', '*', '&', '|', '^'] as const),
        this.whole(type, depth - 1),
        this.whole(type, depth - 1),
      )
    if (roll === 2) return bin(rand.one(['/', '%'] as const), this.whole(type, depth - 1), lit(2 + rand.below(5), type))
    if (roll === 3)
      return bin(rand.one(['<<', '>>'] as const), this.whole(type, depth - 1), lit(1 + rand.below(5), type))
    if (roll === 4) return cast(type, this.whole(type === int ? uint : int, depth - 1))
    if (roll === 5 && type === int) return cast(int, bin('*', prim('sin', [this.expr(real, depth - 1)]), lit(6)))
    if (roll === 6) return this.called(type, depth) ?? leaf()
    return leaf()
  }

  protected condition(depth: number): Expr {
    const { rand } = this
    const roll = rand.below(8)
    if (depth > 1 && roll === 0)
      return bin(rand.one(['&&', '||'] as const), this.condition(depth - 1), this.condition(depth - 1))
    if (depth > 1 && roll === 1) return { kind: 'not', type: bool, x: bin('<', this.expr(real, 1), this.expr(real, 1)) }
    if (roll < 4)
      return bin(
        rand.one(['==', '!=', '<'] as const),
        bin('%', this.natural(1), lit(2 + rand.below(2), int)),
        lit(rand.below(2), int),
      )
    return bin(
      rand.one(['<', '>'] as const),
      this.expr(real, depth),
      rand.once(2) ? lit(this.number() / 2) : this.expr(real, depth - 1),
    )
  }
}

export function rootName(e: Expr): string {
  while (e.kind === 'part' || e.kind === 'elem' || e.kind === 'lanes' || e.kind === 'up')
    e = e.kind === 'up' ? e.x : e.of
  return e.kind === 'var' ? e.name : ''
}

/** Whether what is stored in a place keeps its derivative. */
function holdsDerivative(e: Expr, f: Func | undefined): boolean {
  switch (e.kind) {
    case 'var':
      return !(f?.params.some(p => p.name === e.name && p.noDiff) ?? false)
    case 'part':
      return partsOf(e.of.type)[e.at]!.noDiff || (e.of.type.kind === 'struct' && !e.of.type.differentiable)
        ? false
        : holdsDerivative(e.of, f)
    case 'elem':
    case 'lanes':
      return holdsDerivative(e.of, f)
    default:
      return true
  }
}

export type { StructType }
