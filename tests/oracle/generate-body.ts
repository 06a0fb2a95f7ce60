/** Random statements and expressions. */
import type { Options } from './generate.ts'
import { bin, bool, call, cast, decl, detached, elem, give, isNamed, lit, make, part, pairOf, prim, ref, root, set, when } from './make.ts'
import { lanewise, safely } from './prims.ts'
import type { Random } from './random.ts'
import {
  array, differentialOf, int, isActive, isDerived, nothing, partsOf, real, same, signatureOf, uint, vec, type Callable, type Expr, type Func, type Param, type Static, type Stmt, type Type,
} from './tree.ts'

interface Var {
  readonly name: string
  readonly type: Type
  readonly mutable: boolean
  /** An integer that is never negative. */
  readonly natural: boolean
}

/** A loop or switch that statements can leave. */
interface Exit {
  readonly label: string | undefined
  readonly isLoop: boolean
}

const mostOrder = 2
/** Code grows with each derivative; a function is not differentiated again once it has grown to so much. */
const mostWeight = 900

export class Bodies {
  readonly rand: Random
  readonly options: Options
  readonly funcs: Func[] = []
  /** Functions and methods that bodies may call. */
  readonly callable: Func[] = []
  readonly statics: Static[] = []
  types: readonly Type[] = [real]
  readonly #orders = new Map<Func, number>()
  readonly #weights = new Map<Func, number>()
  #vars: Var[] = []
  #names = 0
  #left = 0
  #exits: Exit[] = []
  #loops = 0
  #isDeferred = false
  #order = 0
  #weight = 0
  /** Effects in an expression are few, so that their order says itself. */
  #mayAct = false
  #func: Func | undefined

  constructor(rand: Random, options: Options) {
    this.rand = rand
    this.options = options
  }

  add(...funcs: Func[]): void {
    this.funcs.push(...funcs)
    const first = funcs[0]!
    this.callable.push(first)
    // What a function claims of itself in one direction and not in the other is settled for first derivatives only.
    if (first.wrong) this.#orders.set(first, mostOrder)
  }

  /** Of how high an order the derivatives are that a function asks for. */
  orderOf(f: Func): number {
    return this.#orders.get(f) ?? 0
  }

  weightOf(of: Callable): number {
    return isDerived(of) ? this.weightOf(of.of) * (of.op === 'fwd' ? 2 : 4) : this.#weights.get(of) ?? 10
  }

  #fresh(prefix: string): string {
    return `${prefix}${this.#names++}`
  }

  // ── Bodies ─────────────────────────────────────────────────────────────────────────────────────────────────────

  body(f: Func, size: number): Stmt[] {
    this.#func = f
    this.#names = 0
    this.#order = 0
    this.#weight = 0
    this.#left = size
    this.#vars = []
    for (const p of f.params) if (p.dir !== 'out') this.#declare(p.name, p.type, !(f.method && p.name === 'this' && p.dir === 'in') && p.type !== int, p.type === int)
    const out: Stmt[] = []
    for (const p of f.params) {
      if (p.dir !== 'out') continue
      out.push(set(ref(p.name, p.type), this.#stored(p.type, p.noDiff, 2)))
      this.#declare(p.name, p.type, true)
    }
    const vars = this.#vars
    out.push(...this.#list(0, 2 + this.rand.below(6)))
    this.#vars = vars
    if (f.result !== nothing && out.at(-1)?.kind !== 'return') out.push(this.#returning())
    this.#orders.set(f, Math.max(this.#order, this.orderOf(f)))
    this.#weights.set(f, this.#weight)
    return out
  }

  #returning(): Stmt {
    const f = this.#func!
    return give(this.#stored(f.result, f.noDiffResult, 3))
  }

  /** A formula over parameters alone. */
  formula(params: readonly Param[], depth: number): Expr {
    const saved = [this.#vars, this.#mayAct, this.#func] as const
    this.#vars = []
    this.#func = undefined
    this.#mayAct = false
    for (const p of params) this.#declare(p.name, p.type, false)
    const calls = this.callable.splice(0)
    const out = this.expr(real, depth)
    this.callable.push(...calls)
    ;[this.#vars, this.#mayAct, this.#func] = saved
    return out
  }

  #declare(name: string, type: Type, mutable: boolean, natural = false): void {
    this.#vars = [...this.#vars, { name, type, mutable, natural }]
  }

  #list(depth: number, count: number): Stmt[] {
    const saved = this.#vars
    const out: Stmt[] = []
    for (let i = 0; i < count && this.#left > 0; i++) {
      const made = this.#statement(depth)
      out.push(...made)
      const last = made.at(-1)!.kind
      if (last === 'break' || last === 'continue' || last === 'return') break
    }
    this.#vars = saved
    return out
  }

  #statement(depth: number): Stmt[] {
    const { rand } = this
    this.#left--
    this.#weight += 3
    const roll = rand.below(24)
    if (depth < 3) {
      if (roll < 3) return [when(this.#acting(() => this.condition(2)), this.#list(depth + 1, 2), rand.once(2) ? this.#list(depth + 1, 2) : [])]
      if (roll < 6 && this.#loops < 2) return [this.#loop(depth)]
      if (roll === 6) return [this.#switch(depth)]
      if (roll === 7 && !this.#isDeferred && depth > 0) return this.#deferred()
    }
    if (depth > 0 && roll === 8 && !this.#isDeferred) {
      const jump = this.#jump()
      if (jump !== undefined) return [when(this.condition(1), [...rand.once(2) ? [this.#assignment()] : [], jump])]
    }
    if (roll < 13) {
      const made = this.#calling()
      if (made !== undefined) return made
    }
    if (roll < 15) {
      const made = this.#derivative()
      if (made !== undefined) return made
    }
    if (roll < 18) {
      const type = rand.one(this.types)
      const name = this.#fresh('v')
      const init = rand.once(6) && type.kind !== 'struct' ? undefined : this.#acting(() => this.#initial(type, 3))
      const out = [decl(name, type, init ?? this.#filled(type))]
      this.#declare(name, type, true)
      return out
    }
    if (roll === 18) {
      const name = this.#fresh('k')
      const type = rand.one([int, uint])
      const out = decl(name, type, this.#acting(() => this.whole(type, 2)))
      this.#declare(name, type, true)
      return [out]
    }
    return [this.#assignment()]
  }

  #acting<T>(make: () => T): T {
    const saved = this.#mayAct
    this.#mayAct = true
    this.#hidden = []
    const out = make()
    this.#mayAct = saved
    this.#vars = [...this.#vars, ...this.#hidden]
    return out
  }

  /** What a variable of an aggregate begins with, part by part. */
  #filled(type: Type): Expr {
    return type.kind === 'array' || type.kind === 'struct' ? make(type, partsOf(type).map(p => this.#stored(p.type, p.noDiff || !this.#holds(type), 1))) : this.expr(type, 1)
  }

  #initial(type: Type, depth: number): Expr {
    return this.rand.once(2) && (type.kind === 'array' || type.kind === 'struct') ? this.#filled(type) : this.expr(type, depth)
  }

  #holds(type: Type): boolean {
    return type.kind !== 'struct' || type.differentiable
  }

  /** An expression for a place; where that holds no derivative, none is lost by accident. */
  #stored(type: Type, noDiff: boolean, depth: number): Expr {
    const e = this.expr(type, depth)
    return noDiff ? detached(e) : e
  }

  #loop(depth: number): Stmt {
    const { rand } = this
    const saved = [this.#vars, this.#exits] as const
    const weight = this.#weight
    this.#loops++
    const label = rand.once(4) ? this.#fresh('loop') : undefined
    this.#exits = [{ label, isLoop: true }, ...this.#exits]
    let out: Stmt
    if (rand.below(3) > 0) {
      const name = this.#fresh('i')
      const max = 2 + rand.below(3)
      const kind = rand.below(5)
      const down = kind === 0
      const bounded = kind === 1
      const n: Expr = bounded ? bin('%', this.natural(1), lit(max + 1, int)) : lit(down ? -1 : max, int)
      this.#declare(name, int, false, true)
      out = { kind: 'for', name, from: down ? max - 1 : rand.below(2), to: n, step: down ? -1 : rand.once(5) ? 2 : 1, max: bounded ? max : undefined, label, body: this.#list(depth + 1, 3) }
    } else {
      const counter = this.#fresh('c')
      const max = 2 + rand.below(3)
      const c = rand.once(3) ? undefined : this.condition(1)
      this.#declare(counter, int, false, true)
      out = { kind: 'while', form: rand.one(['while', 'do'] as const), counter, c, max, label, body: this.#list(depth + 1, 3) }
    }
    this.#loops--
    this.#weight += (this.#weight - weight) / 2
    ;[this.#vars, this.#exits] = saved
    return out
  }

  #switch(depth: number): Stmt {
    const { rand } = this
    const saved = this.#exits
    const label = rand.once(4) ? this.#fresh('choice') : undefined
    this.#exits = [{ label, isLoop: false }, ...this.#exits]
    const count = 2 + rand.below(2)
    const x = this.#acting(() => bin('%', this.natural(1), lit(count + 1, int)))
    const cases = Array.from({ length: count }, (_, i) => ({ values: i === 0 && rand.once(3) ? [0, count] : [i], body: this.#list(depth + 1, 2), falls: i < count - 1 && rand.once(4) }))
    this.#exits = saved
    return { kind: 'switch', x, label, cases }
  }

  #deferred(): Stmt[] {
    const saved = [this.#vars, this.#exits] as const
    this.#exits = []
    this.#isDeferred = true
    const body = [this.#assignment()]
    this.#isDeferred = false
    ;[this.#vars, this.#exits] = saved
    return [{ kind: 'defer', body }, this.#assignment()]
  }

  #jump(): Stmt | undefined {
    const { rand } = this
    const roll = rand.below(4)
    if (roll === 0) return this.#func!.result === nothing ? { kind: 'return', value: undefined } : this.#returning()
    const labelled = this.#exits.filter(e => e.label !== undefined)
    if (roll === 1 && labelled.length > 0) return { kind: 'break', label: rand.one(labelled).label }
    if (roll === 2 && this.#exits.some(e => e.isLoop)) return { kind: 'continue' }
    return this.#exits.length > 0 ? { kind: 'break', label: undefined } : undefined
  }

  // ── Assignments ────────────────────────────────────────────────────────────────────────────────────────────────

  #assignment(): Stmt {
    const { rand } = this
    if (this.statics.length > 0 && rand.once(8)) {
      const s = this.statics[0]!
      return set({ kind: 'static', type: s.type, name: s.name }, s.type === real ? detached(prim('sin', [this.expr(real, 1)])) : this.whole(s.type, 1))
    }
    const type = rand.one(this.types)
    const found = this.#place(type) ?? this.#place(real) ?? this.#place(vec(2))
    if (found === undefined) return { kind: 'block', body: [decl(this.#fresh('u'), real, this.expr(real, 2))] }
    let { to } = found
    const { holds } = found
    if (to.type.kind === 'vec' && rand.once(3)) {
      const first = rand.below(to.type.n)
      const second = (first + 1) % to.type.n
      to = { kind: 'lanes', type: vec(2), of: to, lanes: [first, second] }
    }
    const isArithmetic = to.type.kind === 'real' || to.type.kind === 'vec' || to.type.kind === 'mat'
    const op = isArithmetic && rand.once(2) ? rand.one(['+=', '-=', '*='] as const) : '='
    const depends = hasIndex(to)
    const value = depends ? this.expr(to.type, 3) : this.#acting(() => this.expr(to.type, 3))
    const bounded = op === '*=' && to.type.kind === 'real' ? prim('cos', [value]) : value
    return set(to, holds ? bounded : detached(bounded), op)
  }

  /** A place of a type, and whether it holds derivatives. */
  #place(type: Type): { readonly to: Expr; readonly holds: boolean } | undefined {
    const found = this.#reach(type, true)
    return found === undefined ? undefined : { to: found, holds: holdsDerivative(found, this.#func) }
  }

  /** A variable or a part of one, of a type. */
  #reach(type: Type, mutable: boolean): Expr | undefined {
    const found: (() => Expr)[] = []
    const look = (t: Type, e: () => Expr, depth: number): void => {
      if (same(t, type)) found.push(e)
      if (depth === 0) return
      if (t.kind === 'pair' && mutable) return
      if (t.kind === 'array' || t.kind === 'mat' || (t.kind === 'vec' && this.rand.once(3))) {
        look(t.kind === 'array' ? t.of : t.kind === 'mat' ? vec(t.cols) : real, () => elem(e(), this.#index(t.kind === 'mat' ? t.rows : t.n)), depth - 1)
      } else partsOf(t).forEach((p, i) => look(p.type, () => part(e(), i), depth - 1))
    }
    for (const v of this.#vars) if (v.mutable || !mutable) look(v.type, () => ref(v.name, v.type), 3)
    return found.length === 0 ? undefined : this.rand.one(found)()
  }

  /** An index of something that has so many parts; two of them may be equal. */
  #index(n: number): Expr {
    return this.rand.once(3) ? lit(this.rand.below(n), int) : bin('%', this.natural(1), lit(n, int))
  }

  // ── Calls ──────────────────────────────────────────────────────────────────────────────────────────────────────

  /** Whether and how the function at hand may call another. */
  #mark(f: Func): 'plain' | 'noDiff' {
    const isHere = this.#func?.differentiable === true
    if (!isHere) return 'plain'
    const isDifferentiable = f.differentiable || f.forward !== undefined || f.backward !== undefined || f.treated
    if (!isDifferentiable) return f.params.some(p => differentialOf(p.type) !== undefined) || differentialOf(f.result) !== undefined ? 'noDiff' : 'plain'
    return !this.options.without.has('nodiff') && this.rand.once(8) ? 'noDiff' : 'plain'
  }

  #use(of: Callable): void {
    const { func, order } = root(of)
    this.#order = Math.max(this.#order, this.orderOf(func) + order)
    this.#weight += this.weightOf(of)
  }

  /** Whether a function may be called here as often as a loop goes round. */
  #fits(of: Callable): boolean {
    const { func, order } = root(of)
    return this.orderOf(func) + order <= mostOrder && this.#weight + this.weightOf(of) < mostWeight
  }

  /** A call as a statement, whatever its parameters are. */
  #calling(): Stmt[] | undefined {
    const { rand } = this
    const fits = this.callable.filter(f => this.#fits(f) && this.#canPass(f))
    if (fits.length === 0) return undefined
    const f = rand.one(fits)
    const mark = this.#mark(f)
    if (mark === 'noDiff' && f.params.some(p => p.dir !== 'in')) return undefined
    const before: Stmt[] = []
    const saved = this.#vars
    const args = this.#arguments(f.params, before, f.params.some(p => p.dir !== 'in'))
    if (args === undefined) {
      this.#vars = saved
      return undefined
    }
    this.#use(f)
    const e = call(f, args, mark === 'noDiff')
    if (f.result === nothing) return [...before, { kind: 'expr', x: e }]
    if (rand.once(3)) {
      const place = this.#place(f.result)
      if (place !== undefined && !hasIndex(place.to) && !overlaps(place.to, args)) {
        const op = !this.options.without.has('effects') && f.result.kind === 'real' && rand.once(2) ? '+=' : '='
        return [...before, set(place.to, place.holds ? e : detached(e), op)]
      }
    }
    const name = this.#fresh('v')
    this.#declare(name, f.result, true)
    return [...before, decl(name, f.result, e)]
  }

  /** Integers of functions are never negative: they choose elements there. */
  #argument(type: Type, depth: number): Expr {
    return type === int ? this.natural(1) : this.expr(type, depth)
  }

  #canPass(f: Func): boolean {
    return !f.method || this.#vars.some(v => same(v.type, f.params[0]!.type)) || this.types.some(t => same(t, f.params[0]!.type))
  }

  /** Arguments; those of outputs are places, none twice. Variables that they need are declared before. */
  #arguments(params: readonly Param[], before: Stmt[], hasOutputs: boolean): Expr[] | undefined {
    const taken: Expr[] = []
    const out: Expr[] = []
    for (const p of params) {
      if (p.dir === 'in') {
        out.push(p.name === 'this' ? this.#object(p.type, before) : this.#argument(p.type, 2))
        continue
      }
      const place = this.#place(p.type)
      const isFree = place !== undefined && !hasIndex(place.to) && !overlaps(place.to, taken) && (place.holds || p.noDiff || differentialOf(p.type) === undefined)
      if (isFree) {
        out.push(place.to)
        taken.push(place.to)
        continue
      }
      const name = this.#fresh('o')
      before.push(decl(name, p.type, p.dir === 'out' ? undefined : p.type.kind === 'uint' ? lit(this.rand.below(1000), uint) : this.expr(p.type, 1)))
      this.#declare(name, p.type, true)
      const made = ref(name, p.type)
      out.push(made)
      taken.push(made)
    }
    // What another argument changes is read before or after: nobody asks for that here.
    if (hasOutputs && out.some((e, i) => params[i]!.dir === 'in' && taken.some(t => mentions(e, rootName(t))))) return undefined
    return out
  }

  /** What a method is called on: a variable. */
  #object(type: Type, before: Stmt[]): Expr {
    const found = this.#reach(type, false)
    if (found !== undefined) return found
    const name = this.#fresh('o')
    before.push(decl(name, type, this.#filled(type)))
    this.#declare(name, type, true)
    return ref(name, type)
  }

  /** A derivative of a function that is called here; what it leaves in pairs is there for what follows. */
  #derivative(): Stmt[] | undefined {
    const { rand } = this
    if (this.options.without.has('inner')) return undefined
    const of = this.#derived()
    if (of === undefined) return undefined
    const s = signatureOf(of)
    const before: Stmt[] = []
    const args: Expr[] = []
    for (const p of s.params) {
      if (p.dir === 'in' && p.name !== 'this') {
        args.push(this.#argument(p.type, 1))
        continue
      }
      const name = this.#fresh('q')
      before.push(decl(name, p.type, p.dir === 'out' ? undefined : this.#seeded(p.type)))
      args.push(ref(name, p.type))
    }
    this.#use(of)
    const e = call(of, args)
    for (const [i, a] of args.entries()) if (a.kind === 'var' && s.params[i]!.dir !== 'in') this.#declare(a.name, a.type, rand.once(2))
    if (s.result === nothing) return [...before, { kind: 'expr', x: e }]
    const name = this.#fresh('q')
    this.#declare(name, s.result, false)
    return [...before, decl(name, s.result, e)]
  }

  #seeded(type: Type): Expr {
    return type.kind === 'pair' ? pairOf(this.expr(type.of, 2), this.#tangent(differentialOf(type.of)!, 1)) : this.expr(type, 1)
  }

  #derived(): Callable | undefined {
    const { rand } = this
    const fits = this.callable.filter(f => (f.differentiable || f.treated || f.forward !== undefined || f.backward !== undefined) && f.params.every(p => isNamed(p.type)) && isNamedResult(f) && f.params.some(isActive)
      // A body that is not marked is not differentiated where only the other direction is given.
      && this.#isWhole(f))
    if (fits.length === 0) return undefined
    const f = rand.one(fits)
    let of: Callable = { op: rand.one(['fwd', 'bwd'] as const), of: f }
    if (!this.options.without.has('second') && rand.once(5)) of = { op: rand.one(['fwd', 'bwd'] as const), of }
    return this.#fits(of) ? of : undefined
  }

  #isWhole(f: Func): boolean {
    // Effects of what is differentiated here happen as often as they happen.
    return this.statics.length === 0 && f.params.every(p => differentialOf(p.type) !== undefined || p.type === int || p.type === uint || p.noDiff || true)
  }

  // ── Expressions ────────────────────────────────────────────────────────────────────────────────────────────────

  expr(type: Type, depth: number): Expr {
    const { rand } = this
    this.#weight++
    switch (type.kind) {
      case 'int': case 'uint': return this.whole(type, depth)
      case 'bool': return this.condition(depth)
      case 'pair': return pairOf(this.expr(type.of, depth), this.#tangent(differentialOf(type.of)!, depth))
      case 'real': return this.#real(depth)
      case 'vec': return this.#vector(type, depth)
      case 'mat': return this.#matrix(type, depth)
      default: {
        const found = rand.once(3) ? undefined : this.#reach(type, false)
        if (found !== undefined) return found
        return (depth > 1 ? this.#called(type, depth) : undefined) ?? make(type, partsOf(type).map(p => this.#stored(p.type, p.noDiff || !this.#holds(type), depth - 1)))
      }
    }
  }

  /** A derivative to begin with. */
  #tangent(type: Type, depth: number): Expr {
    if (type.kind === 'real' || type.kind === 'vec' || type.kind === 'mat') return this.rand.once(2) ? this.#constant(type) : this.expr(type, depth)
    return make(type, partsOf(type).map(p => this.#tangent(p.type, depth)))
  }

  #number(): number {
    return (this.rand.below(25) - 12) / 8
  }

  #constant(type: Type): Expr {
    return type.kind === 'real' ? lit(this.#number()) : make(type, partsOf(type).map(p => this.#constant(p.type)))
  }

  #real(depth: number): Expr {
    const { rand } = this
    if (depth <= 0) return rand.once(5) ? lit(this.#number()) : this.#reach(real, false) ?? lit(this.#number())
    const roll = rand.below(20)
    if (roll < 4) return bin(rand.one(['+', '-'] as const), this.expr(real, depth - 1), this.expr(real, depth - 1))
    if (roll < 7) return bin('*', this.expr(real, depth - 1), this.#small(depth - 1))
    if (roll < 11) return this.#library(real, depth)
    if (roll < 13) return this.#called(real, depth) ?? this.#reach(real, false) ?? lit(this.#number())
    if (roll === 13) return { kind: 'cond', type: real, c: this.condition(1), x: this.expr(real, depth - 1), y: this.expr(real, depth - 1) }
    if (roll === 14) {
      const v = vec(2 + rand.below(3))
      const kind = rand.below(4)
      if (kind === 0) return prim('dot', [this.expr(v, depth - 1), this.expr(v, depth - 1)])
      if (kind === 1) return prim('length', [bin('+', this.expr(v, depth - 1), lit(2.5))])
      if (kind === 2) return prim('distance', [this.expr(v, depth - 1), bin('+', this.expr(v, depth - 1), lit(3.5))])
      const m = this.types.find(t => t.kind === 'mat' && t.rows === t.cols)
      return m === undefined ? prim('dot', [this.expr(v, depth - 1), this.expr(v, depth - 1)]) : prim('determinant', [this.expr(m, depth - 1)])
    }
    if (roll === 15 && !this.options.without.has('nodiff')) return detached(this.expr(real, depth - 1))
    if (roll === 16) return cast(real, this.whole(int, 1))
    if (roll === 17) return bin('/', this.expr(real, depth - 1), this.#pattern('positive', real, depth - 1))
    if (roll === 18) return { kind: 'neg', type: real, x: this.expr(real, depth - 1) }
    return this.#reach(real, false) ?? lit(this.#number())
  }

  /** A number that is not large. */
  #small(depth: number): Expr {
    return this.rand.once(2) ? lit(this.#number()) : prim(this.rand.one(['sin', 'cos', 'tanh']), [this.expr(real, depth - 1)])
  }

  #pattern(name: string, type: Type, depth: number): Expr {
    const x = (): Expr => this.expr(type, depth)
    switch (name) {
      case 'positive': return bin('+', lit(1.5), prim('sin', [x()], type))
      case 'bounded': return prim('sin', [x()], type)
      case 'small': return bin('*', lit(0.75), prim('sin', [x()], type))
      case 'low': return type.kind === 'real' ? lit(-0.625) : this.#splat(type, -0.625)
      case 'high': return type.kind === 'real' ? lit(1.125) : this.#splat(type, 1.125)
      default: return x()
    }
  }

  #splat(type: Type, value: number): Expr {
    return make(type, partsOf(type).map(() => lit(value)))
  }

  #library(type: Type, depth: number): Expr {
    const rule = this.rand.one(safely)
    if (lanewise[rule.name] === undefined) throw new Error(rule.name)
    return prim(rule.name, rule.args.map(a => this.#pattern(a, type, depth - 1)), type)
  }

  #vector(type: Type & { kind: 'vec' }, depth: number): Expr {
    const { rand } = this
    const found = this.#reach(type, false)
    if (depth <= 0) return found ?? this.#constant(type)
    const roll = rand.below(14)
    if (roll < 3 && found !== undefined) return found
    if (roll < 5) return bin(rand.one(['+', '-', '*'] as const), this.expr(type, depth - 1), this.expr(type, depth - 1))
    if (roll === 5) return bin('*', this.expr(type, depth - 1), this.expr(real, depth - 1))
    if (roll === 6) return this.#library(type, depth)
    if (roll === 7) return this.#called(type, depth) ?? found ?? this.#constant(type)
    if (roll === 8) return prim('normalize', [bin('+', this.expr(type, depth - 1), lit(2.25))], type)
    if (roll === 9 && type.n === 3) return prim('cross', [this.expr(type, depth - 1), this.expr(type, depth - 1)], type)
    if (roll === 10) {
      const wide = vec(2 + rand.below(3))
      const of = this.#reach(wide, false)
      if (of !== undefined) return { kind: 'lanes', type, of, lanes: Array.from({ length: type.n }, () => rand.below((wide as typeof type).n)) }
    }
    if (roll === 11) {
      const m = this.types.find(t => t.kind === 'mat' && t.rows === type.n)
      if (m?.kind === 'mat') return prim('mulMV', [this.expr(m, depth - 1), this.expr(vec(m.cols), depth - 1)], type)
      return prim('reflect', [this.expr(type, depth - 1), this.expr(type, depth - 1)], type)
    }
    return make(type, Array.from({ length: type.n }, () => this.expr(real, depth - 1)))
  }

  #matrix(type: Type & { kind: 'mat' }, depth: number): Expr {
    const { rand } = this
    const found = this.#reach(type, false)
    if (depth <= 0) return found ?? this.#constant(type)
    const roll = rand.below(8)
    if (roll < 2 && found !== undefined) return found
    if (roll === 2) return bin(rand.one(['+', '-', '*'] as const), this.expr(type, depth - 1), this.expr(type, depth - 1))
    if (roll === 3) return bin('*', this.expr(type, depth - 1), this.expr(real, depth - 1))
    if (roll === 4 && type.rows === type.cols) {
      const x = this.expr(type, depth - 1)
      return rand.once(2) ? prim('transpose', [x], type) : prim('mulMM', [x, this.expr(type, depth - 1)], type)
    }
    if (roll === 5) return this.#called(type, depth) ?? found ?? this.#constant(type)
    return make(type, Array.from({ length: type.rows }, () => this.expr(vec(type.cols), depth - 1)))
  }

  /** A call or derivative of a function without outputs that gives a type. */
  #called(type: Type, depth: number): Expr | undefined {
    const { rand } = this
    const plain = this.callable.filter(f => f.params.every(p => p.dir === 'in') && same(f.result, type) && this.#fits(f) && !f.method)
    const methods = this.callable.filter(f => f.method && f.params.every(p => p.dir === 'in') && same(f.result, type) && this.#fits(f) && this.#reach(f.params[0]!.type, false) !== undefined)
    const all = [...plain, ...methods]
    if (all.length === 0) return undefined
    const f = rand.one(all)
    if (!this.options.without.has('inner') && rand.once(4) && f.result.kind !== 'struct' && f.result.kind !== 'array') {
      const of: Callable = { op: 'fwd', of: f }
      const s = signatureOf(of)
      if (s.result.kind === 'pair' && f.params.some(isActive) && this.#isWhole(f) && this.#fits(of) && (f.differentiable || f.treated || f.forward !== undefined || f.backward !== undefined)) {
        this.#use(of)
        return part(call(of, s.params.map(p => this.#argument(p.type, depth - 2))), rand.once(4) ? 0 : 1)
      }
    }
    const mark = this.#mark(f)
    this.#use(f)
    return call(f, f.params.map(p => p.name === 'this' ? this.#reach(p.type, false)! : this.#argument(p.type, depth - 1)), mark === 'noDiff')
  }

  // ── Integers and conditions ────────────────────────────────────────────────────────────────────────────────────

  /** An integer that is not negative. */
  natural(depth: number): Expr {
    const { rand } = this
    const naturals = this.#vars.filter(v => v.natural)
    const roll = rand.below(6)
    if (roll < 3 && naturals.length > 0) {
      const v = rand.one(naturals)
      return rand.once(3) ? bin('+', ref(v.name, v.type), lit(rand.below(3), int)) : ref(v.name, v.type)
    }
    if (roll === 3) return cast(int, prim('abs', [bin('*', this.expr(real, depth - 1), lit(3))]))
    if (roll === 4) return bin('&', this.whole(int, depth), lit(7, int))
    const step = this.#random()
    return step === undefined ? lit(rand.below(4), int) : cast(int, bin('%', step, lit(2 + rand.below(4), uint)))
  }

  /** A random number of the program's own, where an effect may stand. */
  #random(): Expr | undefined {
    const next = this.callable.find(f => f.name === 'next')
    const states = this.#vars.filter(v => v.type === uint && v.mutable)
    if (!this.#mayAct || next === undefined || states.length === 0) return undefined
    this.#mayAct = false
    const state = this.rand.one(states)
    // It is the only one that reads or changes the state in this statement.
    this.#vars = this.#vars.filter(v => v !== state)
    this.#hidden.push(state)
    return call(next, [ref(state.name, uint)])
  }

  #hidden: Var[] = []

  whole(type: Type, depth: number): Expr {
    const { rand } = this
    const vars = this.#vars.filter(v => v.type === type)
    const leaf = (): Expr => vars.length > 0 && rand.below(3) > 0 ? ref(rand.one(vars).name, type) : lit(rand.below(9), type)
    if (depth <= 0) return leaf()
    const roll = rand.below(8)
    if (roll < 2) return bin(rand.one(['+', '-', '*', '&', '|', '^'] as const), this.whole(type, depth - 1), this.whole(type, depth - 1))
    if (roll === 2) return bin(rand.one(['/', '%'] as const), this.whole(type, depth - 1), lit(2 + rand.below(5), type))
    if (roll === 3) return bin(rand.one(['<<', '>>'] as const), this.whole(type, depth - 1), lit(1 + rand.below(5), type))
    if (roll === 4) return cast(type, this.whole(type === int ? uint : int, depth - 1))
    if (roll === 5 && type === int) return cast(int, bin('*', prim('sin', [this.expr(real, depth - 1)]), lit(6)))
    return leaf()
  }

  condition(depth: number): Expr {
    const { rand } = this
    const roll = rand.below(8)
    if (depth > 1 && roll === 0) return bin(rand.one(['&&', '||'] as const), this.condition(depth - 1), this.condition(depth - 1))
    if (depth > 1 && roll === 1) return { kind: 'not', type: bool, x: bin('<', this.expr(real, 1), this.expr(real, 1)) }
    if (roll < 4) return bin(rand.one(['==', '!=', '<'] as const), bin('%', this.natural(1), lit(2 + rand.below(2), int)), lit(rand.below(2), int))
    return bin(rand.one(['<', '>'] as const), this.expr(real, depth), rand.once(2) ? lit(this.#number() / 2) : this.expr(real, depth - 1))
  }
}

function isNamedResult(f: Func): boolean {
  return f.result === nothing || isNamed(f.result)
}

function hasIndex(e: Expr): boolean {
  return e.kind === 'elem' ? e.at.kind !== 'lit' || hasIndex(e.of) : (e.kind === 'part' || e.kind === 'lanes') && hasIndex(e.of)
}

function rootName(e: Expr): string {
  while (e.kind === 'part' || e.kind === 'elem' || e.kind === 'lanes') e = e.of
  return e.kind === 'var' ? e.name : ''
}

function overlaps(place: Expr, others: readonly Expr[]): boolean {
  return others.some(o => mentions(o, rootName(place)))
}

/** Whether an expression reads a variable. */
function mentions(e: Expr, name: string): boolean {
  switch (e.kind) {
    case 'lit': case 'static': return false
    case 'var': return e.name === name
    case 'neg': case 'not': case 'cast': case 'detach': case 'up': return mentions(e.x, name)
    case 'bin': return mentions(e.x, name) || mentions(e.y, name)
    case 'cond': return mentions(e.c, name) || mentions(e.x, name) || mentions(e.y, name)
    case 'prim': case 'make': case 'call': case 'dispatch': return e.args.some(a => mentions(a, name))
    case 'part': case 'lanes': return mentions(e.of, name)
    case 'elem': return mentions(e.of, name) || mentions(e.at, name)
  }
}

/** Whether what is stored in a place keeps its derivative. */
function holdsDerivative(e: Expr, f: Func | undefined): boolean {
  switch (e.kind) {
    case 'var': return !(f?.params.some(p => p.name === e.name && p.noDiff) ?? false)
    case 'part': return partsOf(e.of.type)[e.at]!.noDiff || (e.of.type.kind === 'struct' && !e.of.type.differentiable) ? false : holdsDerivative(e.of, f)
    case 'elem': case 'lanes': return holdsDerivative(e.of, f)
    default: return true
  }
}

export { array, when }
