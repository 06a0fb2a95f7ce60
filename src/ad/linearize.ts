/**
 * Linearizes a function in one walk over its regions. With one builder, tangent code stands among the primal code: that is the
 * forward derivative. With two (`unzip`), primal and tangent code go to two region trees of the same shape. The values of the
 * primal tree that the linear tree uses are the residuals, which the reverse pass needs. The tree that holds a value says what the
 * value is; no instruction carries a tag.
 */
import type { Jvp, Split, Trees, Trips } from './model.ts'
import { InternalError } from '../base/diag.ts'
import { lacksShadow, lostInBody, lostInDerivative, lostInInstance } from '../base/errors/ad.ts'
import { Builder } from '../ir/build.ts'
import type { PlainOp, Single, Tangents } from '../ir/op.ts'
import { receivers } from '../ir/exits.ts'
import * as t from '../ir/type.ts'
import type { Inst } from '../ir/value.ts'
import { Func, Region, inputs, type Value } from '../ir/value.ts'
import { counterOf } from '../opt/loops.ts'
import { activityOf, type Activity } from './activity.ts'
import { isHeld, zeroOf, type AdContext } from './context.ts'
import {
  carryingThrough,
  differentiableResults,
  reachesSubstitute,
  runsWhenInactive,
  planOf,
  type Mode,
  type Plan,
} from './plan.ts'
import { hasShadow, lacksShadows, withoutShadows } from './shadow.ts'
import { tangentOf } from './tangent.ts'

/** Where the derivatives of called functions come from. */
export interface Callees {
  /** `(inputs, tangents of active inputs) → (results, tangents of active results)`. */
  readonly jvp: (func: Func, active: readonly boolean[]) => Jvp | undefined
  /** The forward rule on plain values: `(inputs, tangents of active inputs) → (results, tangents of differentiable results)`. */
  readonly rule: (func: Func, forward: Func, active: readonly boolean[]) => Jvp
  /** The reverse of a forward rule that calls functions with derivatives of their own on pairs; undefined if it would be too large. */
  readonly jacobian: (func: Func, forward: Func, active: readonly boolean[]) => Split | undefined
  /** Primal and reverse half of a function. */
  readonly split: (func: Func, active: readonly boolean[]) => Split | undefined
  /** A placeholder for the linear map of a split call: `(needed inputs, context, tangents) → tangents`. */
  readonly linearMap: (split: Split) => Func
}

interface Frame {
  readonly activity: Activity
  readonly map: Value[]
  readonly tan: (Value | undefined)[]
  readonly labels: Map<Inst, Inst>
  readonly func: Func
}

class Linearizer {
  readonly cx: AdContext
  readonly callees: Callees
  readonly mode: Mode
  readonly p: Builder
  readonly l: Builder
  readonly mirrors: Map<Region, readonly Region[]> = new Map()
  readonly trips: Map<Inst, Trips> = new Map()
  /** Zeros that stand for the tangents of inlined rules, and primal values computed from them. */
  readonly placeholders: Set<Value> = new Set()
  /** The call of a library function whose rule is being walked. The rule's instructions get the span of the call. */
  #site: Inst | undefined

  /** The function, if its forward derivative is made of a body for which only a reverse derivative is written. */
  unchecked: Func | undefined

  constructor(cx: AdContext, callees: Callees, p: Builder, l: Builder) {
    this.cx = cx
    this.callees = callees
    this.mode = p === l ? 'forward' : 'reverse'
    this.p = p
    this.l = l
  }

  zero = (type: t.Type): Value => zeroOf(this.cx, this.l, type)

  frame(func: Func, activity: Activity, args: readonly Value[], tangents: Tangents): Frame {
    const f: Frame = { activity, map: [], tan: [], labels: new Map(), func }
    func.body!.params.forEach((param, i) => {
      f.map[param.id] = args[i]!
      f.tan[param.id] = tangents[i]
    })
    return f
  }

  /** Walks a region but for its terminator. */
  walk(f: Frame, region: Region): void {
    this.cx.sink.work.within(1, this.p.span, () => {
      for (let i = 0; i < region.insts.length - 1; i++) this.#visit(f, region.insts[i]!)
    })
  }

  args(f: Frame, inst: Inst): Value[] {
    return inst.args.map(a => f.map[a.id]!)
  }

  #visit(f: Frame, inst: Inst): void {
    this.p.span = this.#site?.span ?? inst.span
    this.l.span = this.p.span
    switch (inst.op) {
      case 'call':
        this.call(f, inst)
        return
      case 'if':
      case 'switch':
        if (this.mode === 'forward') this.#fusedControl(f, inst)
        else this.#splitBranch(f, inst)
        return
      case 'loop':
        if (this.mode === 'forward') this.#fusedControl(f, inst)
        else this.#splitLoop(f, inst)
        return
      case 'block':
        if (this.mode === 'reverse') throw new InternalError('linearize', 'a block is not in reversible form')
        this.#fusedControl(f, inst)
        return
      case 'yield':
      case 'test':
      case 'next':
      case 'leave':
      case 'ret':
      case 'unreachable':
      case 'intrinsic.pure':
      case 'intrinsic.read':
      case 'intrinsic.write':
      case 'intrinsic.hide':
        throw new InternalError('linearize', `${inst.op} stands where it cannot`)
      default:
        this.#single(f, inst)
    }
  }

  #single(f: Frame, inst: Inst<Single>): void {
    const copy = this.p.emit(
      inst.op,
      this.args(f, inst),
      inst.attr,
      inst.results.map(r => r.type),
    )
    this.bind(f, inst.results, copy.results)
    if (copy.args.some(a => this.placeholders.has(a))) for (const v of copy.results) this.placeholders.add(v)
    const tangent = this.memory(f, inst, copy)
    if (inst.results.length === 1) f.tan[inst.results[0]!.id] = tangent
  }

  bind(f: Frame, from: readonly Value[], to: readonly Value[]): void {
    for (let i = 0; i < from.length; i++) {
      f.map[from[i]!.id] = to[i]!
      if (this.#site === undefined) to[i]!.name = from[i]!.name
    }
  }

  /** The tangent of an instruction without regions, memory included. */
  memory(f: Frame, inst: Inst<Single>, copy: Inst): Value | undefined {
    const l = this.l
    const base = inst.args.length > 0 ? f.tan[inst.args[0]!.id] : undefined
    switch (inst.op) {
      case 'var': {
        if (f.activity.active[inst.results[0]!.id] !== 1) return undefined
        const type = t.differential(inst.results[0]!.type.elem!)
        return type === null
          ? undefined
          : l.variable(type, inst.results[0]!.name === '' ? '' : `d_${inst.results[0]!.name}`)
      }
      case 'field': {
        const at = t.tangentIndex(inst.args[0]!.type.elem!, inst.attr)
        return base === undefined || at < 0 ? undefined : l.field(base, at)
      }
      case 'elem':
        return base === undefined || t.differential(inst.results[0]!.type.elem!) === null
          ? undefined
          : l.elem(base, copy.args[1]!)
      case 'load':
        return base === undefined ? undefined : l.load(base)
      case 'store':
        if (base !== undefined) l.store(base, f.tan[inst.args[1]!.id] ?? this.zero(base.type.elem!))
        return undefined
      case 'global':
      case 'atomic':
      case 'barrier':
      case 'printf':
      case 'trap':
        return undefined
      default:
        return this.#plain(f, inst, copy)
    }
  }

  #plain(f: Frame, inst: Inst<PlainOp>, copy: Inst): Value | undefined {
    const ts = inst.args.map(a => f.tan[a.id])
    return copy.row.ad.is === 'smooth' && this.mode === 'reverse'
      ? this.smooth(copy, ts)
      : tangentOf(this.l, copy, ts, this.zero)
  }

  /**
   * Applies a smooth op's rule. It computes partial derivatives as well as tangents: what depends on no tangent belongs to the
   * primal tree.
   */
  smooth(copy: Inst, ts: Tangents): Value | undefined {
    const piece = new Region()
    const tangent = this.l.within(piece, () => tangentOf(this.l, copy, ts, this.zero))
    const linear = new Set(ts)
    for (const inst of piece.insts) {
      if (inst.args.some(a => linear.has(a))) {
        for (const r of inst.results) linear.add(r)
        this.l.at.insts.push(inst)
      } else {
        this.p.at.insts.push(inst)
      }
    }
    return tangent
  }

  call(f: Frame, inst: Inst<'call'>): void {
    const callee = inst.attr
    const plan = this.#shadowless(f, inst, planOf(this.cx, callee, this.mode))
    const { inputs: can, results: gives } = carryingThrough(callee, plan.func)
    // Where the signature of what is called does not say it, a derivative of this derivative must still see it held constant.
    const isOpen = plan.func !== callee || (plan.is === 'rule' && this.mode === 'reverse')
    const hold = (values: readonly Value[], carries: readonly boolean[]): readonly Value[] =>
      isOpen
        ? values.map((v, i) => (carries[i] || t.differential(v.type) === null ? v : this.p.emit1('detach', [v])))
        : values
    const args = hold(this.args(f, inst), can)
    const active = inst.args.map((a, i) => can[i]! && f.tan[a.id] !== undefined)
    const fed = active.some(a => a)
    const tangents = inst.args.filter((_, i) => active[i]).map(a => f.tan[a.id]!)
    const bind = (results: readonly Value[]): void => this.bind(f, inst.results, hold(results, gives))
    const plain = (): void => {
      // What is called in derivative code is derivative code too, so that substitutes count behind it.
      const stands =
        plan.is === 'transform' && reachesSubstitute(this.cx, plan.func)
          ? this.callees.jvp(
              plan.func,
              active.map(() => false),
            )?.func
          : undefined
      bind(this.p.call(stands ?? plan.func, [...args]).slice(0, inst.results.length))
    }
    const bindTangents = (ts: readonly Value[], mask: readonly boolean[]): void => {
      let k = 0
      inst.results.forEach((r, i) => {
        const tangent = mask[i] ? ts[k++] : undefined
        if (gives[i]) f.tan[r.id] = tangent
      })
    }
    if (plan.is === 'plain' && fed) this.lost(plan.func, inst)
    if (plan.is === 'plain' || (!fed && !runsWhenInactive(this.cx, plan.func, this.mode))) {
      plain()
      return
    }
    if (this.mode === 'forward') {
      const made =
        plan.is === 'rule' ? this.callees.rule(plan.func, plan.forward, active) : this.callees.jvp(plan.func, active)
      if (made === undefined) {
        plain()
        return
      }
      const out = this.p.call(made.func, [...args, ...tangents])
      bind(out.slice(0, inst.results.length))
      bindTangents(out.slice(inst.results.length), made.results)
      return
    }
    const isCalled = plan.is === 'rule' && this.callees.rule(plan.func, plan.forward, active).callsPairs === true
    const jacobian = plan.is === 'rule' && isCalled ? this.callees.jacobian(plan.func, plan.forward, active) : undefined
    if (plan.is === 'rule' && jacobian === undefined) {
      const { results, made } = this.#inlineRule(inst, plan.func, plan.forward, active, args, tangents)
      bind(results)
      made.forEach((v, i) => {
        if (gives[i]) f.tan[inst.results[i]!.id] = v
      })
      return
    }
    const split = jacobian ?? this.callees.split(plan.func, active)
    if (split === undefined) {
      plain()
      return
    }
    const out = this.p.call(split.primal, [...args])
    bind(out.slice(0, split.own))
    // What is computed again may take tangents, but those of a linear map do not change it: a zero that stands for one is no more than that.
    const residuals = [
      ...split.needs.map(i => {
        const v = args[i]!
        return this.placeholders.has(v) && Math.min(active.indexOf(true), i) >= plan.func.tangentsFrom
          ? zeroOf(this.cx, this.p, v.type)
          : v
      }),
      ...out.slice(split.own),
    ]
    const map = this.callees.linearMap(split)
    const ts = this.l.call(map, [...residuals, ...tangents])
    bindTangents(ts, split.activeResults)
  }

  /**
   * What is done for a call with pointers that have no shadows. Only where they are parameters that are said to have none does the program
   * mean that.
   */
  #shadowless(f: Frame, inst: Inst<'call'>, plan: Plan): Plan {
    const { is, func } = plan
    if (is === 'plain' || !lacksShadows(this.cx, func)) return plan
    const isMeant = inputs(func.sig).every((p, i) => !hasShadow(p) || isHeld(f.func, inst.args[i]!))
    if (is === 'transform') return isMeant ? { is, func: withoutShadows(this.cx, func) } : plan
    // Who takes a pointer that such a function gives misses its shadow.
    if (t.shadowType(func.sig.result) === null && !(isMeant && inst.args.every(a => f.tan[a.id] === undefined)))
      this.cx.sink.add(lacksShadow, inst.span ?? undefined, { name: func.name })
    return { is: 'plain', func }
  }

  /**
   * Reports a lost derivative that the check of generic code leaves open: the function that meets a requirement may have none. Nobody has
   * checked the body of a function for which only a reverse derivative is written either.
   */
  lost(func: Func, inst: Inst): void {
    const { info } = func
    if (
      info.level !== 'none' ||
      info.library ||
      info.treatAsDifferentiable ||
      !differentiableResults(func).some(r => r)
    )
      return
    if (this.unchecked !== undefined) {
      this.cx.sink.add(lostInBody, inst.span ?? undefined, { name: this.unchecked.name, callee: func.name })
      return
    }
    const isDerivative = info.derives !== undefined
    if (!(isDerivative || (info.serves && !info.pure)) || this.cx.lost.has(func)) return
    this.cx.lost.add(func)
    if (isDerivative) this.cx.sink.add(lostInDerivative, func.span ?? undefined, { name: info.derives! })
    else this.cx.sink.add(lostInInstance, inst.span ?? undefined, { name: func.name })
  }

  /**
   * Inlines a forward rule. The rule is linear in its tangents, so its own derivative with respect to them is the linear map that
   * it computes. Its body is walked with zeros as placeholders for the tangents, and with the true tangents as tangents of those.
   */
  #inlineRule(
    inst: Inst,
    func: Func,
    forward: Func,
    active: readonly boolean[],
    args: readonly Value[],
    tangents: readonly Value[],
  ): { readonly results: readonly Value[]; readonly made: Tangents } {
    const rule = this.callees.rule(func, forward, active)
    const body = rule.func.body!
    const inActive = body.params.map((_, i) => i >= args.length)
    const zeros = tangents.map(v => zeroOf(this.cx, this.p, v.type))
    // A function that takes a pair whole may use its tangent as it likes: that it is linear in it is for its derivative to say.
    if (rule.callsPairs !== true) for (const v of zeros) this.placeholders.add(v)
    const activity = activityOf(this.cx, rule.func, inActive, 'reverse')
    const g = this.frame(rule.func, activity, [...args, ...zeros], [...args.map(() => undefined), ...tangents])
    const outer = this.#site
    if (func.info.library) this.#site ??= inst
    this.walk(g, body)
    this.#site = outer
    const ret = body.end.args
    const n = inst.results.length
    const results = inst.results.map((r, i) => {
      const v = g.map[ret[i]!.id]!
      if (v.name === '') v.name = r.name
      return v
    })
    let k = n
    return { results, made: inst.results.map((_, i) => (rule.results[i] ? g.tan[ret[k++]!.id] : undefined)) }
  }

  /** Forward mode: each control instruction and terminator carries the tangents after the primal values. */
  #fusedControl(f: Frame, inst: Inst): void {
    const b = this.p
    const live = (vs: readonly Value[]): Value[] => vs.filter(v => f.activity.active[v.id] === 1)
    const regions = inst.regions.map(() => new Region())
    const carried = inst.op === 'loop' ? live(inst.regions[0]!.params) : []
    const inits = carried.map(v => {
      const from = inst.args[v.index]!
      return f.tan[from.id] ?? this.zero(t.differential(from.type)!)
    })
    const outs = live(inst.results)
    const types = [...inst.results.map(r => r.type), ...outs.map(r => t.differential(r.type)!)]
    const copy = b.emit(inst.op, [...this.args(f, inst), ...inits], inst.attr, types, regions)
    f.labels.set(inst, copy)
    this.bind(f, inst.results, copy.results)
    outs.forEach((v, i) => {
      f.tan[v.id] = copy.results[inst.results.length + i]
    })
    inst.regions.forEach((r, k) =>
      b.within(regions[k]!, () => {
        for (const v of r.params) f.map[v.id] = b.param(v.type, v.name)
        for (const v of live(r.params))
          f.tan[v.id] = b.param(t.differential(v.type)!, v.name === '' ? '' : `d_${v.name}`)
        this.walk(f, r)
        this.fusedEnd(f, r.end, inst)
      }),
    )
  }

  fusedEnd(f: Frame, end: Inst, owner: Inst | undefined): void {
    this.p.span = end.span
    const args = this.args(f, end)
    const to = receivers(end, owner)
    end.args.forEach((v, i) => {
      const isActive = end.op === 'ret' ? f.activity.results[i] : f.activity.active[to[i]?.id ?? -1] === 1
      if (isActive) args.push(f.tan[v.id] ?? this.zero(t.differential(v.type)!))
    })
    this.p.emit(end.op, args, end.op === 'leave' ? f.labels.get(end.attr)! : end.attr)
  }

  /** `if` and `switch` in two trees: the linear one decides by the primal one's condition. */
  #splitBranch(f: Frame, inst: Inst<'if' | 'switch'>): void {
    const primal = inst.regions.map(() => new Region())
    const linear = inst.regions.map(() => new Region())
    const args = this.args(f, inst)
    const outs = inst.results.filter(v => f.activity.active[v.id] === 1)
    const a = this.p.emit(
      inst.op,
      args,
      inst.attr,
      inst.results.map(r => r.type),
      primal,
    )
    const b = this.l.emit(
      inst.op,
      [...args],
      inst.attr,
      outs.map(r => t.differential(r.type)!),
      linear,
    )
    inst.regions.forEach((r, k) => {
      this.mirrors.set(linear[k]!, [primal[k]!])
      this.p.within(primal[k]!, () =>
        this.l.within(linear[k]!, () => {
          this.walk(f, r)
          const end = r.end
          this.p.emit(end.op, this.args(f, end), end.attr)
          const ts =
            end.op === 'unreachable'
              ? []
              : outs.map(v => f.tan[end.args[v.index]!.id] ?? this.zero(t.differential(v.type)!))
          this.l.emit(end.op, ts, end.attr)
        }),
      )
    })
    this.bind(f, inst.results, a.results)
    outs.forEach((v, i) => {
      f.tan[v.id] = b.results[i]
    })
    if (outs.length === 0 && linear.every(r => r.insts.length === 1)) this.l.at.insts.pop()
  }

  /** A loop in two trees. Tangent code of the head goes to the start of the linear body: exits are carried values only. */
  #splitLoop(f: Frame, inst: Inst<'loop'>): void {
    const p = this.p,
      l = this.l
    const [head, body] = inst.regions as [Region, Region]
    const [ph, pb, lh, lb] = [new Region(), new Region(), new Region(), new Region()]
    const counts = counterOf(inst)
    const exit = counts === undefined ? -1 : head.end.args.indexOf(counts, 1) - 1
    const carried = head.params.filter(v => f.activity.active[v.id] === 1)
    const outs = inst.results.filter(v => f.activity.active[v.id] === 1)
    const inits = this.args(f, inst)
    const types = inst.results.map(r => r.type)
    if (counts === undefined) inits.push(p.const(t.i32, 0))
    if (exit < 0) types.push(counts === undefined ? t.i32 : counts.type)
    const a = p.emit('loop', inits, inst.attr, types, [ph, pb])
    const dInits = carried.map(v => f.tan[inst.args[v.index]!.id] ?? this.zero(t.differential(v.type)!))
    const b = l.emit(
      'loop',
      dInits,
      inst.attr,
      outs.map(v => t.differential(v.type)!),
      [lh, lb],
    )
    this.mirrors.set(lb, [ph, pb])

    for (const v of head.params) f.map[v.id] = p.param(v.type, v.name, ph)
    for (const v of carried) f.tan[v.id] = l.param(t.differential(v.type)!, v.name === '' ? '' : `d_${v.name}`, lh)
    const counter = counts === undefined ? p.param(t.i32, 'trip', ph) : f.map[counts.id]!
    p.within(ph, () => l.within(lb, () => this.walk(f, head)))
    const test = head.end
    p.within(ph, () => p.emit('test', [...this.args(f, test), ...(exit < 0 ? [counter] : [])]))
    l.within(lh, () =>
      l.emit('test', [
        f.map[test.args[0]!.id]!,
        ...outs.map(v => {
          const from = test.args[v.index + 1]!
          return f.tan[from.id] ?? this.zero(t.differential(from.type)!)
        }),
      ]),
    )
    p.within(pb, () =>
      l.within(lb, () => {
        this.walk(f, body)
        const next = this.args(f, body.end)
        if (counts === undefined) next.push(p.add(counter, p.const(t.i32, 1)))
        p.emit('next', next)
        l.emit(
          'next',
          carried.map(v => f.tan[body.end.args[v.index]!.id] ?? this.zero(t.differential(v.type)!)),
        )
      }),
    )
    this.bind(f, inst.results, a.results)
    outs.forEach((v, i) => {
      f.tan[v.id] = b.results[i]
    })
    this.trips.set(b, { primal: a, counter, count: a.results[exit < 0 ? a.results.length - 1 : exit]! })
    if (carried.length === 0 && outs.length === 0 && lb.insts.length === 1) l.at.insts.pop()
  }
}

/** Appends the forward derivative of `func` to `b`; its parameters and results are those of `Callees.jvp`. */
export function linearizeFused(
  cx: AdContext,
  callees: Callees,
  func: Func,
  active: readonly boolean[],
  into: Func,
): readonly boolean[] {
  const activity = activityOf(cx, func, active, 'forward')
  const b = new Builder(into, into.body!)
  const walker = new Linearizer(cx, callees, b, b)
  if (func.info.backward !== undefined && !func.info.marked) walker.unchecked = func
  const params = func.body!.params
  const args = params.map(v => b.param(v.type, v.name))
  const tangents = params.map((v, i) =>
    active[i] ? b.param(t.differential(v.type)!, v.name === '' ? '' : `d_${v.name}`) : undefined,
  )
  const f = walker.frame(func, activity, args, tangents)
  walker.walk(f, func.body!)
  walker.fusedEnd(f, func.body!.end, undefined)
  return activity.results
}

/** Primal and linear tree of a function in reversible form. */
export function unzip(cx: AdContext, callees: Callees, func: Func, active: readonly boolean[]): Trees {
  const activity = activityOf(cx, func, active, 'reverse')
  const work = new Func(func.name, func.sig, func.span)
  const primal = new Region(),
    linear = new Region()
  const p = new Builder(work, primal),
    l = new Builder(work, linear)
  const walker = new Linearizer(cx, callees, p, l)
  walker.mirrors.set(linear, [primal])
  const params = func.body!.params
  const args = params.map(v => p.param(v.type, v.name))
  const tangents = params.map((v, i) =>
    active[i] ? l.param(t.differential(v.type)!, v.name === '' ? '' : `d_${v.name}`) : undefined,
  )
  const f = walker.frame(func, activity, args, tangents)
  walker.walk(f, func.body!)
  const end = func.body!.end.args
  return {
    work,
    primal,
    linear,
    tangents,
    results: end.map(v => f.map[v.id]!),
    resultTangents: end.map((v, i) => (activity.results[i] ? f.tan[v.id] : undefined)),
    mirrors: walker.mirrors,
    trips: walker.trips,
    isLinear: !uses(linear, walker.placeholders),
  }
}

function uses(region: Region, values: ReadonlySet<Value>): boolean {
  return region.insts.some(inst => inst.args.some(a => values.has(a)) || inst.regions.some(r => uses(r, values)))
}
