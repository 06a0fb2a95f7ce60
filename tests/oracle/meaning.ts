/**
 * What a program means: its tree as closures over nested dual numbers. A derivative is a run with numbers that carry a perturbation of
 * their own; a reverse one is as many such runs as there are inputs. Nothing here knows the compiler.
 */
import * as d from './dual.ts'
import type { Num } from './dual.ts'
import { binary, negated } from './operators.ts'
import { lanewise, whole } from './prims.ts'
import { gradientOf, reverseArguments } from './rules.ts'
import { Scope, type Exit, type Frame, type Jump, type Ref, type Run, type Step } from './scope.ts'
import {
  differentialOf,
  hasActiveResult,
  isActive,
  isDerived,
  partsOf,
  signatureOf,
  type BinaryOp,
  type Callable,
  type Expr,
  type Func,
  type Program,
  type Signature,
  type StructType,
  type Stmt,
  type Type,
} from './tree.ts'
import {
  Dynamic,
  attach,
  held,
  highest,
  kept,
  list,
  num,
  numbersOf,
  primalPart,
  shapedLike,
  sumOfProducts,
  tangentPart,
  zero,
  type Value,
} from './value.ts'

/** A run that says nothing: it takes too long, or what it should say is not settled. */
export class Unclear extends Error {}

const returned: object = {}
/** The slot of what a function returns. */
const resultSlot = 0

interface Outcome {
  readonly result: Value
  /** What parameters hold afterwards. */
  readonly after: readonly Value[]
}

interface Code {
  readonly params: readonly number[]
  readonly body: Step
}

/** What is meant by changing a rule here is what the oracle's own test uses: a meaning that is wrong on purpose. */
export interface Twist {
  readonly forgetNoDiff?: boolean
  readonly forgetRules?: boolean
  readonly forgetDetach?: boolean
}

const fuelOfARun = 2e6

export class Meaning {
  readonly program: Program
  readonly twist: Twist
  readonly #codes = new Map<Func, Code>()
  #statics = new Map<string, Value>()
  #fuel = 0
  /** How many derivatives the code at hand is differentiated by. */
  #depth = 0
  shown: number[] = []

  constructor(program: Program, twist: Twist = {}) {
    this.program = program
    this.twist = twist
  }

  /** The numbers that the test shows for inputs. */
  run(inputs: readonly number[]): readonly number[] {
    d.forgetTags()
    this.#statics = new Map(this.program.statics.map(s => [s.name, s.init]))
    this.#fuel = fuelOfARun
    this.#depth = 0
    this.shown = []
    this.apply(this.program.test, [inputs])
    return this.shown
  }

  // ── Calls ──────────────────────────────────────────────────────────────────────────────────────────────────────

  apply(of: Callable, args: readonly Value[]): Outcome {
    if (isDerived(of)) return of.op === 'fwd' ? this.#forward(of.of, args) : this.#backward(of.of, args)
    return this.#call(of, args)
  }

  #call(f: Func, given: readonly Value[]): Outcome {
    // What is called in derivative code is derivative code, whether it is given derivatives or not.
    if (f.substitute !== undefined && this.#depth > 0 && this.twist.forgetRules !== true)
      return this.#call(f.substitute, given)
    const isDropped = (noDiff: boolean): boolean => noDiff && this.twist.forgetNoDiff !== true
    const args = given.map((v, i) => (isDropped(f.params[i]!.noDiff) ? held(v) : v))
    const tag = args.reduce<number>((most, v, i) => (f.params[i]!.dir === 'out' ? most : Math.max(most, highest(v))), 0)
    if (f.treated || (!f.differentiable && f.forward === undefined && f.backward === undefined))
      return this.#undifferentiated(() => this.#body(f, args.map(held)))
    if (tag === 0) return this.#body(f, args)
    if (this.twist.forgetRules !== true) {
      const mode = d.modeOf(tag)
      const byForward = f.forward !== undefined && (mode === 'fwd' || (f.backward === undefined && !f.differentiable))
      const byBackward = f.backward !== undefined && mode === 'bwd'
      if (byForward || byBackward) {
        this.#depth--
        try {
          return byForward ? this.#byForward(f, f.forward!, args, tag) : this.#byBackward(f, f.backward!, args, tag)
        } finally {
          this.#depth++
        }
      }
    }
    const { result, after } = this.#body(f, args)
    return {
      result: isDropped(f.noDiffResult) ? held(result) : result,
      after: after.map((v, i) => (isDropped(f.params[i]!.noDiff) ? held(v) : v)),
    }
  }

  /** A call without derivatives inside what may be differentiated: there its substitute counts. */
  #primal(of: Callable, args: readonly Value[]): Outcome {
    const called =
      this.#depth > 0 && !isDerived(of) && of.substitute !== undefined && this.twist.forgetRules !== true
        ? of.substitute
        : of
    return this.#undifferentiated(() => this.apply(called, args.map(held)))
  }

  #undifferentiated(run: () => Outcome): Outcome {
    const depth = this.#depth
    this.#depth = 0
    try {
      return run()
    } finally {
      this.#depth = depth
    }
  }

  /** A call with numbers of a tag by the user's forward derivative. */
  #byForward(f: Func, rule: Func, args: readonly Value[], tag: number): Outcome {
    const { result, after } = this.apply(
      rule,
      f.params.map((p, i) =>
        isActive(p)
          ? p.dir === 'out'
            ? zero(rule.params[i]!.type)
            : [primalPart(args[i]!, tag), tangentPart(p.type, args[i]!, tag)]
          : args[i]!,
      ),
    )
    const joined = (type: Type, v: Value): Value => attach(type, list(v)[0]!, list(v)[1]!, tag)
    return {
      result: hasActiveResult(f) ? joined(f.result, result) : result,
      after: f.params.map((p, i) => (p.dir === 'in' ? args[i]! : isActive(p) ? joined(p.type, after[i]!) : after[i]!)),
    }
  }

  /** The same by the user's reverse derivative: a row of the Jacobian for each number that comes out. */
  #byBackward(f: Func, rule: Func, args: readonly Value[], tag: number): Outcome {
    const primals = args.map(v => primalPart(v, tag))
    const plain = this.#call(f, primals)
    const tangents = f.params.flatMap((p, i) =>
      isActive(p) && p.dir !== 'out' ? numbersOf(tangentPart(p.type, args[i]!, tag)) : [],
    )
    const row = (which: number, k: number): Num => {
      const unit = (type: Type, own: number): Value => {
        const like = zero(differentialOf(type)!)
        return shapedLike(
          like,
          numbersOf(like).map((_, i) => (own === which && i === k ? 1 : 0)),
        )
      }
      const { after } = this.apply(
        rule,
        reverseArguments(
          f,
          primals,
          i => unit(f.params[i]!.type, i),
          () => unit(f.result, -1),
        ),
      )
      return sumOfProducts(gradientOf(f, after), tangents)
    }
    const whole = (type: Type, v: Value, which: number): Value => {
      const like = zero(differentialOf(type)!)
      return attach(
        type,
        v,
        shapedLike(
          like,
          numbersOf(like).map((_, k) => row(which, k)),
        ),
        tag,
      )
    }
    return {
      result: hasActiveResult(f) ? whole(f.result, plain.result, -1) : plain.result,
      after: f.params.map((p, i) =>
        p.dir !== 'in' && isActive(p) ? whole(p.type, plain.after[i]!, i) : plain.after[i]!,
      ),
    }
  }

  #forward(of: Callable, args: readonly Value[]): Outcome {
    if (!isDerived(of) && of.substitute !== undefined) return this.#forward(of.substitute, args)
    const s = signatureOf(of)
    if (!isDerived(of) && of.forward !== undefined && !of.treated && this.twist.forgetRules !== true)
      return this.apply(of.forward, args)
    const tag = d.newTag('fwd')
    const own = s.params.map((p, i) =>
      !isActive(p) || p.dir === 'out' ? args[i]! : attach(p.type, list(args[i]!)[0]!, list(args[i]!)[1]!, tag),
    )
    const { result, after } = this.#deeper(() => this.apply(of, own))
    const split = (type: Type, v: Value): Value => [primalPart(v, tag), tangentPart(type, v, tag)]
    return {
      result: hasActiveResult(s) ? split(s.result, result) : primalPart(result, tag),
      after: s.params.map((p, i) =>
        isActive(p) && p.dir !== 'in' ? split(p.type, after[i]!) : primalPart(after[i]!, tag),
      ),
    }
  }

  #backward(of: Callable, args: readonly Value[]): Outcome {
    if (!isDerived(of) && of.substitute !== undefined) return this.#backward(of.substitute, args)
    const s = signatureOf(of)
    if (!isDerived(of) && of.backward !== undefined && !of.treated && this.twist.forgetRules !== true)
      return this.apply(of.backward, args)
    let next = 0
    const inputs: Value[] = []
    const cotangents: Num[] = []
    for (const p of s.params) {
      if (!isActive(p)) inputs.push(p.dir === 'out' ? zero(p.type) : args[next++]!)
      else if (p.dir === 'out') {
        inputs.push(zero(p.type))
        cotangents.push(...numbersOf(args[next++]!))
      } else {
        const [primal, derivative] = list(args[next++]!)
        inputs.push(primal!)
        if (p.dir === 'inout') cotangents.push(...numbersOf(derivative!))
      }
    }
    if (hasActiveResult(s)) cotangents.push(...numbersOf(args[next]!))
    const before = new Map(this.#statics)
    const gradient = (which: number, k: number): Num => {
      this.#statics = new Map(before)
      const tag = d.newTag('bwd')
      const seeded = s.params.map((p, i) => {
        if (!isActive(p) || p.dir === 'out') return inputs[i]!
        const like = zero(differentialOf(p.type)!)
        return attach(
          p.type,
          inputs[i]!,
          shapedLike(
            like,
            numbersOf(like).map((_, n) => (i === which && n === k ? 1 : 0)),
          ),
          tag,
        )
      })
      const { result, after } = this.#deeper(() => this.apply(of, seeded))
      const tangents = s.params.flatMap((p, i) =>
        isActive(p) && p.dir !== 'in' ? numbersOf(tangentPart(p.type, after[i]!, tag)) : [],
      )
      if (hasActiveResult(s)) tangents.push(...numbersOf(tangentPart(s.result, result, tag)))
      return sumOfProducts(tangents, cotangents)
    }
    const after = s.params.flatMap((p, i): Value[] => {
      if (!isActive(p)) return p.dir === 'out' ? [] : [inputs[i]!]
      if (p.dir === 'out') return [0]
      const like = zero(differentialOf(p.type)!)
      return [
        [
          inputs[i]!,
          shapedLike(
            like,
            numbersOf(like).map((_, k) => gradient(i, k)),
          ),
        ],
      ]
    })
    if (hasActiveResult(s)) after.push(0)
    return { result: 0, after }
  }

  #deeper(run: () => Outcome): Outcome {
    if (this.#depth > 3) throw new Unclear('derivatives of the fifth order')
    this.#depth++
    try {
      return run()
    } finally {
      this.#depth--
    }
  }

  #body(f: Func, args: readonly Value[]): Outcome {
    const code = this.#code(f)
    const frame: Frame = [0]
    f.params.forEach((p, i) => {
      frame[code.params[i]!] = p.dir === 'out' ? zero(p.type) : args[i]!
    })
    code.body(frame)
    return { result: frame[resultSlot]!, after: code.params.map(slot => frame[slot]!) }
  }

  #code(f: Func): Code {
    const known = this.#codes.get(f)
    if (known !== undefined) return known
    const scope = new Scope(new Map(), { slots: 1 }, [])
    const params = f.params.map(p => scope.declare(p.name))
    const code = { params, body: this.#block(f.body, scope) }
    this.#codes.set(f, code)
    return code
  }

  // ── Statements ─────────────────────────────────────────────────────────────────────────────────────────────────

  #block(body: readonly Stmt[], outer: Scope): Step {
    const scope = outer.inner()
    const steps: { readonly step: Step; readonly isDeferred: boolean }[] = body.map(s =>
      s.kind === 'defer'
        ? { step: this.#block(s.body, scope), isDeferred: true }
        : { step: this.#statement(s, scope), isDeferred: false },
    )
    if (steps.length === 1 && !steps[0]!.isDeferred) return steps[0]!.step
    return frame => {
      const deferred: Step[] = []
      let jump: Jump
      for (const { step, isDeferred } of steps) {
        if (isDeferred) deferred.unshift(step)
        else if ((jump = step(frame)) !== undefined) break
      }
      for (const step of deferred) step(frame)
      return jump
    }
  }

  #burn(): void {
    if (--this.#fuel < 0) throw new Unclear('too long')
  }

  #statement(s: Stmt, scope: Scope): Step {
    switch (s.kind) {
      case 'decl': {
        const init = s.init === undefined ? undefined : this.#expr(s.init, scope)
        const slot = scope.declare(s.name)
        const { type } = s
        return frame => {
          frame[slot] = init === undefined ? zero(type) : kept(type, false, init(frame))
          return undefined
        }
      }
      case 'set': {
        const value = this.#expr(s.value, scope)
        const place = this.#place(s.to, scope)
        const { type } = s.to
        // Calls in an index come first, as they are written; the place itself is read once the right side is there.
        if (s.op === '=')
          return frame => {
            const ref = place(frame)
            ref.set(value(frame))
            return undefined
          }
        const op = binary(s.op[0] as BinaryOp, type)
        // Lanes are no place of their own: what they hold is copied as they are named.
        const isCopied = s.to.kind === 'lanes'
        return frame => {
          const ref = place(frame)
          const early = isCopied ? ref.get() : undefined
          const v = value(frame)
          ref.set(op(early ?? ref.get(), v))
          return undefined
        }
      }
      case 'if': {
        const c = this.#expr(s.c, scope),
          yes = this.#block(s.yes, scope),
          no = this.#block(s.no, scope)
        return frame => {
          this.#burn()
          return c(frame) === true ? yes(frame) : no(frame)
        }
      }
      case 'for': {
        const own = scope.inner()
        const slot = own.declare(s.name)
        const to = this.#expr(s.to, own)
        const exit: Exit = { label: s.label, out: {}, on: {} }
        const body = this.#block(s.body, own.inner(exit))
        const { from, step } = s
        return frame => {
          for (
            frame[slot] = from;
            step > 0 ? frame[slot] < (to(frame) as number) : frame[slot] > (to(frame) as number);
            frame[slot] = frame[slot] + step
          ) {
            this.#burn()
            const jump = body(frame)
            if (jump === exit.out) break
            if (jump !== undefined && jump !== exit.on) return jump
          }
          return undefined
        }
      }
      case 'while': {
        const exit: Exit = { label: s.label, out: {}, on: {} }
        const slot = scope.declare(s.counter)
        const c = s.c === undefined ? undefined : this.#expr(s.c, scope)
        const body = this.#block(s.body, scope.inner(exit))
        const { form, max } = s
        return frame => {
          frame[slot] = 0
          // The counter is asked first, and stepped as the first thing in the body.
          const goesOn = (): boolean => (frame[slot] as number) < max && (c === undefined || c(frame) === true)
          while (form === 'do' || goesOn()) {
            this.#burn()
            frame[slot] = frame[slot] + 1
            const jump = body(frame)
            if (jump === exit.out) break
            if (jump !== undefined && jump !== exit.on) return jump
            if (form === 'do' && !goesOn()) break
          }
          return undefined
        }
      }
      case 'switch': {
        const x = this.#expr(s.x, scope)
        const exit: Exit = { label: s.label, out: {}, on: undefined }
        const bodies = s.cases.map(c => this.#block(c.body, scope.inner(exit)))
        const { cases } = s
        return frame => {
          const v = x(frame) as number
          let at = cases.findIndex(c => c.values.includes(v))
          // The last case is the default.
          if (at < 0) at = cases.length - 1
          for (; at < cases.length; at++) {
            this.#burn()
            const jump = bodies[at]!(frame)
            if (jump === exit.out) return undefined
            if (jump !== undefined) return jump
            if (!cases[at]!.falls) return undefined
          }
          return undefined
        }
      }
      case 'block':
        return this.#block(s.body, scope)
      case 'defer':
        throw new Error('handled by the block')
      case 'break': {
        const exit = s.label === undefined ? scope.exits[0]! : scope.exits.find(e => e.label === s.label)!
        return () => exit.out
      }
      case 'continue': {
        const exit = scope.exits.find(e => e.on !== undefined)!
        return () => exit.on
      }
      case 'return': {
        if (s.value === undefined) return () => returned
        const value = this.#expr(s.value, scope)
        return frame => {
          frame[resultSlot] = value(frame)
          return returned
        }
      }
      case 'expr': {
        const x = this.#expr(s.x, scope)
        return frame => {
          x(frame)
          return undefined
        }
      }
      case 'show': {
        const x = this.#expr(s.x, scope)
        return frame => {
          this.shown.push(d.real(num(x(frame))))
          return undefined
        }
      }
    }
  }

  // ── Places ─────────────────────────────────────────────────────────────────────────────────────────────────────

  #place(e: Expr, scope: Scope): (frame: Frame) => Ref {
    switch (e.kind) {
      case 'var': {
        const slot = scope.names.get(e.name)!
        const { type } = e
        return frame => ({
          get: () => frame[slot]!,
          set: v => {
            frame[slot] = kept(type, false, v)
          },
        })
      }
      case 'static': {
        const { name } = e
        return () => ({
          get: () => this.#statics.get(name)!,
          set: v => {
            this.#statics.set(name, held(v))
          },
        })
      }
      case 'part': {
        const of = this.#place(e.of, scope)
        const { at, type } = e
        const { noDiff } = partsOf(e.of.type)[at]!
        return frame => partOf(of(frame), at, v => kept(type, noDiff, v))
      }
      case 'elem': {
        const of = this.#place(e.of, scope)
        const index = this.#expr(e.at, scope)
        return frame => {
          const whole = of(frame)
          return partOf(whole, index(frame) as number, v => v)
        }
      }
      case 'lanes': {
        const of = this.#place(e.of, scope)
        const { lanes } = e
        return frame => {
          const ref = of(frame)
          return {
            get: () => lanes.map(at => list(ref.get())[at]!),
            set: v => ref.set(list(ref.get()).map((x, i) => (lanes.includes(i) ? list(v)[lanes.indexOf(i)]! : x))),
          }
        }
      }
      case 'up': {
        const of = this.#place(e.x, scope)
        const struct = e.x.type as StructType
        return frame => {
          const ref = of(frame)
          return { get: () => new Dynamic(struct, ref.get()), set: v => ref.set((v as Dynamic).value) }
        }
      }
      default:
        throw new Error(`no place: ${e.kind}`)
    }
  }

  // ── Expressions ────────────────────────────────────────────────────────────────────────────────────────────────

  #expr(e: Expr, scope: Scope): Run {
    switch (e.kind) {
      case 'lit': {
        const value = e.type.kind === 'bool' ? e.value !== 0 : e.value
        return () => value
      }
      case 'var': {
        const slot = scope.names.get(e.name)
        if (slot === undefined) throw new Error(`no variable ${e.name}`)
        return frame => frame[slot]!
      }
      case 'static': {
        const { name } = e
        return () => this.#statics.get(name)!
      }
      case 'neg': {
        const x = this.#expr(e.x, scope)
        const f = e.type.kind === 'int' ? (v: Value): Value => -(v as number) | 0 : negated
        return frame => f(x(frame))
      }
      case 'not': {
        const x = this.#expr(e.x, scope)
        return frame => x(frame) !== true
      }
      case 'bin': {
        const x = this.#expr(e.x, scope),
          y = this.#expr(e.y, scope)
        if (e.op === '&&') return frame => x(frame) === true && y(frame) === true
        if (e.op === '||') return frame => x(frame) === true || y(frame) === true
        const op = binary(e.op, e.x.type)
        return frame => {
          const v = x(frame)
          return op(v, y(frame))
        }
      }
      case 'cond': {
        const c = this.#expr(e.c, scope),
          x = this.#expr(e.x, scope),
          y = this.#expr(e.y, scope)
        return frame => (c(frame) === true ? x(frame) : y(frame))
      }
      case 'prim': {
        const args = e.args.map(a => this.#expr(a, scope))
        const total = whole[e.name]
        if (total !== undefined) return frame => total(...args.map(a => a(frame)))
        const lane = lanewise[e.name]!
        const n = e.type.kind === 'vec' ? e.type.n : 0
        if (n === 0) return frame => lane(...args.map(a => num(a(frame))))
        return frame => {
          const values = args.map(a => a(frame))
          return Array.from({ length: n }, (_, i) => lane(...values.map(v => num(Array.isArray(v) ? list(v)[i]! : v))))
        }
      }
      case 'make': {
        const args = e.args.map(a => this.#expr(a, scope))
        const { type } = e
        return frame =>
          kept(
            type,
            false,
            args.map(a => a(frame)),
          )
      }
      case 'part': {
        const of = this.#expr(e.of, scope)
        const { at } = e
        return frame => list(of(frame))[at]!
      }
      case 'elem': {
        const of = this.#expr(e.of, scope),
          at = this.#expr(e.at, scope)
        return frame => {
          const whole = list(of(frame))
          return whole[at(frame) as number]!
        }
      }
      case 'lanes': {
        const of = this.#expr(e.of, scope)
        const { lanes } = e
        return frame => {
          const v = list(of(frame))
          return lanes.map(i => v[i]!)
        }
      }
      case 'cast': {
        const x = this.#expr(e.x, scope)
        const from = e.x.type.kind
        switch (e.type.kind) {
          case 'int':
            return from === 'real'
              ? frame => whole32(d.stepwise(num(x(frame)), Math.trunc))
              : frame => (x(frame) as number) | 0
          case 'uint':
            return from === 'real'
              ? frame => whole32(d.stepwise(num(x(frame)), Math.trunc)) >>> 0
              : frame => (x(frame) as number) >>> 0
          default:
            return x
        }
      }
      case 'detach': {
        const x = this.#expr(e.x, scope)
        return this.twist.forgetDetach === true ? x : frame => held(x(frame))
      }
      case 'call': {
        const { noDiff, of } = e
        return this.#invoke(e.args, signatureOf(of), scope, args =>
          noDiff && this.twist.forgetNoDiff !== true ? heldOutcome(this.#primal(of, args)) : this.apply(of, args),
        )
      }
      case 'lambda': {
        const inner = scope.inner()
        const slot = inner.declare(e.name)
        const x = this.#expr(e.x, scope),
          body = this.#expr(e.body, inner)
        return frame => {
          // It takes along what variables hold before its argument changes them.
          const own = [...frame]
          own[slot] = x(frame)
          return body(own)
        }
      }
      case 'up': {
        const x = this.#expr(e.x, scope)
        const struct = e.x.type as StructType
        return frame => new Dynamic(struct, x(frame))
      }
      case 'dispatch': {
        const requirement = e.of
        return this.#invoke(e.args, requirement, scope, args => {
          const self = args[0] as Dynamic
          const method = self.struct.methods.find(m => m.name === requirement.name)!
          const { result, after } = this.apply(method, [self.value, ...args.slice(1)])
          return { result, after: [new Dynamic(self.struct, after[0]!), ...after.slice(1)] }
        })
      }
    }
  }

  /** Evaluates arguments in order, calls, and writes back in order. */
  #invoke(given: readonly Expr[], s: Signature, scope: Scope, call: (args: Value[]) => Outcome): Run {
    // What is passed by reference is read once all arguments are there.
    const args = s.params.map((p, i) => (p.dir === 'in' ? this.#expr(given[i]!, scope) : undefined))
    const places = s.params.map((p, i) => (p.dir === 'in' ? undefined : this.#place(given[i]!, scope)))
    return frame => {
      this.#burn()
      const refs: Ref[] = []
      const values = s.params.map((p, i) => {
        const arg = args[i]
        if (arg !== undefined) return kept(p.type, false, arg(frame))
        refs[i] = places[i]!(frame)
        return zero(p.type)
      })
      s.params.forEach((p, i) => {
        if (p.dir === 'inout') values[i] = refs[i]!.get()
      })
      const { result, after } = call(values)
      s.params.forEach((p, i) => {
        if (p.dir !== 'in') refs[i]!.set(after[i]!)
      })
      return result
    }
  }
}

/** An integer of a number that has one. */
function whole32(x: number): number {
  if (!(Math.abs(x) < 2 ** 31)) throw new Unclear('large')
  return x | 0
}

const heldOutcome = ({ result, after }: Outcome): Outcome => ({ result: held(result), after: after.map(held) })

function partOf(of: Ref, at: number, keep: (v: Value) => Value): Ref {
  return {
    get: () => list(of.get())[at]!,
    set: v => {
      const parts = [...list(of.get())]
      if (!(at >= 0 && at < parts.length)) throw new Unclear('an index out of bounds')
      parts[at] = keep(v)
      of.set(parts)
    },
  }
}
