/** Random statements. */
import { Expressions, rootName } from './generate-expr.ts'
import { bin, call, decl, detached, give, isNamed, lit, pairOf, prim, ref, set, sum, when } from './make.ts'
import {
  differentialOf,
  int,
  nothing,
  real,
  signatureOf,
  uint,
  vec,
  type Callable,
  type Expr,
  type Func,
  type Param,
  type Stmt,
  type Type,
} from './tree.ts'

/** A loop or switch that statements can leave. */
interface Exit {
  readonly label: string | undefined
  readonly isLoop: boolean
}

export class Bodies extends Expressions {
  readonly funcs: Func[] = []
  protected left = 0
  protected exits: readonly Exit[] = []
  protected loops = 0
  protected isDeferred = false

  /** Adds functions to the program; the first of them can be called. */
  add(...funcs: Func[]): void {
    this.funcs.push(...funcs)
    this.offer(funcs[0]!)
  }

  offer(f: Func): void {
    this.callable.push(f)
    this.unused.add(f)
  }

  /** A requirement asks for as much as the methods that may stand for it. */
  offerRequirement(f: Func, methods: readonly Func[]): void {
    this.orders.set(f, Math.max(...methods.map(m => this.orderOf(m))))
    this.weights.set(
      f,
      methods.reduce((sum, m) => sum + this.weightOf(m), 0),
    )
    this.callable.push(f)
  }

  body(f: Func, size: number): Stmt[] {
    this.func = f
    this.names = 0
    this.order = 0
    this.weight = 0
    this.left = size
    this.vars = []
    for (const p of f.params)
      if (p.dir !== 'out')
        this.declare(
          p.name,
          p.type,
          !(f.method && p.name === 'this' && p.dir === 'in') && p.type !== int && f.generic !== p.type,
          p.type === int,
        )
    const out: Stmt[] = []
    for (const p of f.params) {
      if (p.dir !== 'out') continue
      out.push(set(ref(p.name, p.type), this.stored(p.type, p.noDiff, 2)))
      this.declare(p.name, p.type, true)
    }
    const { vars } = this
    out.push(...this.list(0, size))
    this.vars = vars
    if (f.result !== nothing && out.at(-1)?.kind !== 'return') out.push(this.returning())
    this.orders.set(f, Math.max(this.order, this.orderOf(f)))
    this.weights.set(f, this.weight)
    return out
  }

  protected returning(): Stmt {
    const f = this.func!
    const value = this.acting(() => {
      const own = this.expr(f.result, 3)
      // What was computed before shall count.
      return f.result.kind === 'real'
        ? sum([own, ...Array.from({ length: this.rand.below(3) }, () => this.simple(real))])
        : own
    })
    return give(f.noDiffResult ? detached(value) : value)
  }

  protected list(depth: number, count: number): Stmt[] {
    const saved = this.vars
    const out: Stmt[] = []
    for (let i = 0; i < count && (this.left > 0 || i === 0); i++) {
      const made = this.statement(depth)
      out.push(...made)
      const last = made.at(-1)!.kind
      if (last === 'break' || last === 'continue' || last === 'return') break
    }
    this.vars = saved
    return out
  }

  protected statement(depth: number): Stmt[] {
    const { rand } = this
    this.left--
    this.weight += 3
    const roll = rand.below(24)
    if (depth < 3 && this.left > 0) {
      if (roll < 3)
        return [
          when(
            this.acting(() => this.condition(2)),
            this.list(depth + 1, 2),
            rand.once(2) ? this.list(depth + 1, 2) : [],
          ),
        ]
      if (roll < 6 && this.loops < 2) return [this.loop(depth)]
      if (roll === 6) return [this.choice(depth)]
      if (roll === 7 && !this.isDeferred) return this.deferred()
    }
    if (depth > 0 && roll === 8 && !this.isDeferred) {
      const jump = this.jump()
      if (jump !== undefined)
        return [
          when(
            this.acting(() => this.condition(1)),
            [...(rand.once(2) ? this.list(3, 1) : []), jump],
          ),
        ]
    }
    if (roll < 13) {
      const made = this.calling()
      if (made !== undefined) return made
    }
    if (roll < 15) {
      const made = this.derivative()
      if (made !== undefined) return made
    }
    if (roll < 18) return [this.declaration(rand.one([...this.types, ...this.inner]))]
    if (roll === 18) {
      const name = this.fresh('k')
      const type = rand.one([int, uint])
      const out = decl(
        name,
        type,
        this.acting(() => this.whole(type, 2)),
      )
      this.declare(name, type, true)
      return [out]
    }
    return [this.assignment()]
  }

  protected declaration(type: Type): Stmt {
    const name = this.fresh('v')
    const out = decl(
      name,
      type,
      this.acting(() => (this.rand.once(2) ? this.filled(type) : this.expr(type, 3))),
    )
    this.declare(name, type, true)
    return out
  }

  protected loop(depth: number): Stmt {
    const { rand } = this
    const saved = [this.vars, this.exits] as const
    const { weight } = this
    this.loops++
    const label = rand.once(4) ? this.fresh('loop') : undefined
    this.exits = [{ label, isLoop: true }, ...this.exits]
    let out: Stmt
    const max = 2 + rand.below(3)
    if (rand.below(3) > 0) {
      const name = this.fresh('i')
      const kind = rand.below(5)
      const [down, bounded] = [kind === 0, kind === 1]
      const to: Expr = bounded
        ? bin(
            '%',
            this.acting(() => this.natural(1)),
            lit(max + 1, int),
          )
        : lit(down ? -1 : max, int)
      this.declare(name, int, false, true)
      out = {
        kind: 'for',
        name,
        from: down ? max - 1 : rand.below(2),
        to,
        step: down ? -1 : rand.once(5) ? 2 : 1,
        max: bounded ? max : undefined,
        unroll: !bounded && rand.once(6),
        label,
        body: this.list(depth + 1, 3),
      }
    } else {
      const counter = this.fresh('c')
      const c = rand.once(3) ? undefined : this.acting(() => this.condition(1))
      this.declare(counter, int, false, true)
      out = {
        kind: 'while',
        form: rand.one(['while', 'do'] as const),
        counter,
        c,
        max,
        label,
        body: this.list(depth + 1, 3),
      }
    }
    this.loops--
    this.weight += (this.weight - weight) / 2
    ;[this.vars, this.exits] = saved
    return out
  }

  protected choice(depth: number): Stmt {
    const { rand } = this
    const saved = this.exits
    const label = rand.once(4) ? this.fresh('choice') : undefined
    this.exits = [{ label, isLoop: false }, ...this.exits]
    const count = 2 + rand.below(2)
    const x = this.acting(() => bin('%', this.natural(1), lit(count + 1, int)))
    const cases = Array.from({ length: count }, (_, i) => ({
      values: i === 0 && rand.once(3) ? [0, count] : [i],
      body: this.list(depth + 1, 2),
      falls: i < count - 1 && rand.once(4),
    }))
    this.exits = saved
    return { kind: 'switch', x, label, cases }
  }

  protected deferred(): Stmt[] {
    const saved = [this.vars, this.exits] as const
    this.exits = []
    this.isDeferred = true
    const body = [this.assignment()]
    this.isDeferred = false
    ;[this.vars, this.exits] = saved
    return [{ kind: 'defer', body }, this.assignment()]
  }

  protected jump(): Stmt | undefined {
    const { rand } = this
    const roll = rand.below(4)
    if (roll === 0) return this.func!.result === nothing ? { kind: 'return', value: undefined } : this.returning()
    const labelled = this.exits.filter(e => e.label !== undefined)
    if (roll === 1 && labelled.length > 0) return { kind: 'break', label: rand.one(labelled).label }
    if (roll === 2 && this.exits.some(e => e.isLoop)) return { kind: 'continue' }
    return this.exits.length > 0 ? { kind: 'break', label: undefined } : undefined
  }

  protected assignment(): Stmt {
    const { rand } = this
    if (this.statics.length > 0 && rand.once(8)) {
      const s = this.statics[0]!
      return set(
        { kind: 'static', type: s.type, name: s.name },
        s.type === real ? detached(prim('sin', [this.expr(real, 1)])) : this.whole(s.type, 1),
      )
    }
    const type = rand.one([...this.types, ...this.inner])
    const find = (t: Type): { readonly to: Expr; readonly holds: boolean } | undefined =>
      this.acting(() => this.place(t))
    const found = find(type) ?? find(real) ?? find(vec(2))
    if (found === undefined) return this.declaration(real)
    let { to } = found
    const { holds } = found
    if (to.type.kind === 'vec' && rand.once(3)) {
      const first = rand.below(to.type.n)
      to = { kind: 'lanes', type: vec(2), of: to, lanes: [first, (first + 1) % to.type.n] }
    }
    const isArithmetic = to.type.kind === 'real' || to.type.kind === 'vec' || to.type.kind === 'mat'
    const op = isArithmetic && rand.once(2) ? rand.one(['+=', '-=', '*='] as const) : '='
    const value = this.acting(() => this.expr(to.type, 3))
    const bounded = op === '*=' && to.type.kind === 'real' ? prim('cos', [value]) : value
    return set(to, holds ? bounded : detached(bounded), op)
  }

  // ── Calls ──────────────────────────────────────────────────────────────────────────────────────────────────────

  /** A call as a statement; variables for its outputs are declared before where there are none. */
  protected calling(): Stmt[] | undefined {
    const { rand } = this
    const fits = this.callable.filter(f => this.fits(f))
    if (fits.length === 0) return undefined
    const f = this.oneOf(fits)
    const mark = f.requirement ? 'plain' : this.mark(f)
    if (mark === 'noDiff' && f.params.some(p => p.dir !== 'in')) return undefined
    const saved = this.vars
    const before: Stmt[] = []
    const args = this.given(f, before)
    if (args === undefined) {
      this.vars = saved
      return undefined
    }
    this.use(f)
    const e = this.invoke(f, args, mark === 'noDiff')
    if (f.result === nothing) return [...before, { kind: 'expr', x: e }]
    if (rand.once(3)) {
      const place = this.place(f.result)
      if (place !== undefined)
        return [
          ...before,
          set(
            place.to,
            place.holds ? e : detached(e),
            f.result.kind === 'real' && !this.lacks('effects') && rand.once(2) ? '+=' : '=',
          ),
        ]
    }
    const name = this.fresh('v')
    this.declare(name, f.result, true)
    return [...before, decl(name, f.result, e)]
  }

  protected given(f: Func, before: Stmt[]): Expr[] | undefined {
    const taken: string[] = []
    const out: Expr[] = []
    // Until the call, nothing is in it: other arguments must not read it.
    const empty: { readonly name: string; readonly type: Type }[] = []
    const fresh = (type: Type, init: Expr | undefined): Expr => {
      const name = this.fresh('o')
      before.push(decl(name, type, init))
      if (init === undefined) empty.push({ name, type })
      else this.declare(name, type, true)
      return ref(name, type)
    }
    for (const [i, p] of f.params.entries()) {
      const isObject = i === 0 && (f.method || f.generic !== undefined || f.requirement)
      if (isObject && p.type.kind === 'interface') {
        const found = this.object(p, f.generic !== undefined)
        if (found === undefined && p.dir !== 'in' && f.generic === undefined) return undefined
        const struct = this.rand.one(p.type.structs)
        const own: Expr = found ?? { kind: 'up', type: p.type, x: fresh(struct, this.filled(struct)) }
        out.push(own)
        if (p.dir !== 'in') taken.push(rootName(own))
        continue
      }
      if (p.dir === 'in') {
        out.push(
          isObject
            ? (this.reach(p.type, false) ?? fresh(p.type, this.filled(p.type)))
            : this.acting(() => this.argument(p.type, 2)),
        )
        continue
      }
      const found = this.acting(() => this.placeFor(p))
      const own = found !== undefined && !taken.includes(rootName(found)) ? found : fresh(p.type, this.begun(p))
      out.push(own)
      taken.push(rootName(own))
    }
    for (const { name, type } of empty) this.declare(name, type, true)
    return out
  }

  protected begun(p: Param): Expr | undefined {
    // Until something is put in there, a value of an interface is of no type; what follows may read it.
    if (p.dir === 'out' && isNamed(p.type)) return undefined
    return p.type === uint ? lit(this.rand.below(1000), uint) : this.expr(p.type, 1)
  }

  /** A derivative of a function that is called here; what it leaves in pairs is there for what follows. */
  protected derivative(): Stmt[] | undefined {
    const { rand } = this
    const of = this.lacks('inner') ? undefined : this.derived()
    if (of === undefined) return undefined
    const s = signatureOf(of)
    const before: Stmt[] = []
    const args: Expr[] = []
    const own: Expr[] = []
    for (const p of s.params) {
      if (p.dir === 'in') {
        args.push(this.argument(p.type, 1))
        continue
      }
      const made = ref(this.fresh('q'), p.type)
      before.push(decl(made.kind === 'var' ? made.name : '', p.type, p.dir === 'out' ? undefined : this.seeded(p.type)))
      args.push(made)
      own.push(made)
    }
    this.use(of)
    const e = call(of, args)
    for (const made of own) this.declare(rootName(made), made.type, rand.once(2))
    if (s.result === nothing) return [...before, { kind: 'expr', x: e }]
    const name = this.fresh('q')
    this.declare(name, s.result, false)
    return [...before, decl(name, s.result, e)]
  }

  protected seeded(type: Type): Expr {
    return type.kind === 'pair'
      ? pairOf(this.expr(type.of, 2), this.tangent(differentialOf(type.of)!, 1))
      : this.expr(type, 1)
  }

  protected derived(): Callable | undefined {
    const { rand } = this
    const fits = this.callable.filter(f => this.isOperand(f))
    if (fits.length === 0) return undefined
    let of: Callable = { op: rand.one(['fwd', 'bwd'] as const), of: this.oneOf(fits) }
    if (!this.lacks('second') && rand.once(5)) of = { op: rand.one(['fwd', 'bwd'] as const), of }
    return this.fits(of) ? of : undefined
  }
}
