/**
 * Shadows of pointers. A value of pointer type (`IDifferentiablePtrType`) says where numbers lie; its *shadow*, of the type's
 * `Differential`, says where their derivatives lie.
 *
 *     float f(P p)   →   float f_shadow(P p, no_diff P.Differential d_p)
 *
 * In both modes a pointer and its shadow travel together in the direction of the program. So before a function is differentiated, it is
 * copied with shadows as plain values beside the pointers that it takes, hands on and returns. A call of a user's derivative
 * joins pointer and shadow into the pair that the user expects. The transforms see plain values only.
 */
import { InternalError } from '../base/diag.ts'
import { noReverse } from '../base/errors/ad.ts'
import { Builder } from '../ir/build.ts'
import type { PlainOp, Single } from '../ir/op.ts'
import { differential, shadowType, type Type } from '../ir/type.ts'
import { Func, Region, inputs, outputs, type Inst, type ParamSig, type Value } from '../ir/value.ts'
import { cloneFunc } from '../ir/walk.ts'
import { uniqueName, zeroOf, type AdContext } from './context.ts'

/** Whether a parameter is a pointer that comes with a shadow. */
export function hasShadow(p: ParamSig): boolean {
  return p.dir === 'in' && !p.noDiff && shadowType(p.type) !== null
}

/** Whether a function takes pointers that come with shadows. */
export function takesShadows(func: Func): boolean {
  return func.sig.params.some(hasShadow)
}

/** The function that takes a shadow after each pointer, and gives the shadow of its result last. */
export function withShadows(cx: AdContext, func: Func): Func {
  const known = cx.shadowed.get(func)
  if (known !== undefined) return known
  const params = addShadows(func.sig.params)
  const shadow = shadowType(func.sig.result)
  if (shadow !== null) params.push({ name: 'd_result', type: shadow, dir: 'out', noDiff: true })
  const made = new Func(uniqueName(cx.module.funcs, `${func.name}_shadow`), { ...func.sig, params }, func.span)
  cx.shadowed.set(func, made)
  if (func.request !== undefined) cx.resolve(cx, func)
  cx.derivatives(func)
  const { level, treatAsDifferentiable, forceInline, noInline, prefer, pure, forward, backward, substitute } = func.info
  Object.assign(made.info, { level, treatAsDifferentiable, forceInline, noInline, prefer, pure })
  if (substitute !== undefined && substitute !== func) made.info.substitute = withShadows(cx, substitute)
  if (backward !== undefined) made.info.backward = withSplitPairs(cx, func, backward, 'backward')
  if (forward !== undefined && shadow === null) made.info.forward = withSplitPairs(cx, func, forward, 'forward')
  if (forward !== undefined && shadow !== null) byRule(cx, made, func, forward)
  else if (func.body !== undefined) {
    made.body = new Region()
    new ShadowBuilder(cx, made).body(func)
    cx.tidy(made)
  }
  // Not earlier: what derivatives bring in is tidied with all that the module holds.
  cx.module.funcs.push(made)
  return made
}

/** Fills in a function that gives a pointer: the user's forward derivative makes the shadow. */
function byRule(cx: AdContext, made: Func, func: Func, forward: Func): void {
  const carries = (p: ParamSig): boolean => !p.noDiff && differential(p.type) !== null
  if (outputs(func.sig).some(carries)) cx.sink.add(noReverse, func.span ?? undefined, { name: func.name })
  // The pointer has no derivative with respect to numbers.
  Object.assign(made.info, { level: 'none', treatAsDifferentiable: true, forceInline: true })
  made.body = new Region()
  const b = new Builder(made, made.body)
  const args = inputs(func.sig).map((p, i) => {
    const { type } = inputs(forward.sig)[i]!
    const value = b.param(p.type, p.name)
    if (hasShadow(p)) return b.construct(type, [value, b.param(shadowType(p.type)!, `d_${p.name}`)])
    return type === p.type ? value : b.construct(type, [value, zeroOf(cx, b, differential(p.type)!)])
  })
  const [pair, ...outs] = b.call(forward, args)
  const primals = outs.map((v, i) => (v.type === func.results[i + 1] ? v : b.extract(v, 0)))
  b.emit('ret', [b.extract(pair!, 0), ...primals, b.extract(pair!, 1)])
}

function addShadows(params: readonly ParamSig[]): ParamSig[] {
  return params.flatMap(p =>
    hasShadow(p) ? [p, { name: `d_${p.name}`, type: shadowType(p.type)!, dir: 'in' as const, noDiff: true }] : [p],
  )
}

/** A user's derivative with the pointer and the shadow of each pair as two parameters. */
function withSplitPairs(cx: AdContext, func: Func, derivative: Func, kind: 'forward' | 'backward'): Func {
  const taken = derivative.sig.params
  const params: ParamSig[] = []
  const joins: boolean[] = []
  let at = 0
  for (const p of func.sig.params) {
    const own = taken[at]
    if (own === undefined) break
    if (kind === 'backward' && p.dir === 'out' && p.noDiff) continue
    params.push(...(hasShadow(p) ? addShadows([p]) : [own]))
    joins.push(hasShadow(p))
    at++
  }
  params.push(...taken.slice(at))
  const made = new Func(
    uniqueName(cx.module.funcs, `${derivative.name}_pairs`),
    { ...derivative.sig, params },
    derivative.span,
  )
  made.info.level = derivative.info.level
  made.info.forceInline = true
  cx.module.funcs.push(made)
  made.body = new Region()
  const b = new Builder(made, made.body)
  const given = params.filter(p => p.dir !== 'out').map(p => b.param(p.type, p.name))
  const args: Value[] = []
  let next = 0
  taken.forEach((p, i) => {
    if (p.dir === 'out') return
    const value = given[next++]!
    if (joins[i] !== true) {
      args.push(value)
      return
    }
    const shadow = given[next++]!
    args.push(p.type === value.type ? value : b.construct(p.type, [value, shadow]))
  })
  b.emit('ret', b.call(derivative, args))
  return made
}

/** The function itself, without any derivative. */
function plainOf(cx: AdContext, func: Func): Func {
  const known = cx.plains.get(func)
  if (known !== undefined) return known
  const plain = cloneFunc(func, uniqueName(cx.module.funcs, `${func.name}_plain`))
  Object.assign(plain.info, {
    level: 'none',
    forward: undefined,
    backward: undefined,
    substitute: undefined,
    forceInline: false,
  })
  cx.plains.set(func, plain)
  cx.module.funcs.push(plain)
  return plain
}

/** Other plain ops give numbers, which have no shadows. */
const noShadow = (_op: PlainOp): undefined => undefined

/** Copies a body with shadows beside the pointers. */
class ShadowBuilder {
  readonly cx: AdContext
  readonly b: Builder
  readonly map: Value[] = []
  readonly #shadows: (Value | undefined)[] = []
  readonly labels: Map<Inst, Inst> = new Map()
  /** Parameters without a shadow, by id. */
  readonly #bare: Set<number> = new Set()

  constructor(cx: AdContext, into: Func) {
    this.cx = cx
    this.b = new Builder(into, into.body!)
  }

  body(func: Func): void {
    inputs(func.sig).forEach((p, i) => {
      const v = func.body!.params[i]!
      this.take(v, undefined, hasShadow(p))
      if (!hasShadow(p)) this.#bare.add(v.id)
    })
    for (const inst of func.body!.insts) this.#visit(inst)
  }

  /** A parameter, with one for its shadow after it. */
  take(v: Value, region: Region | undefined, shadowed: boolean): void {
    this.map[v.id] = this.b.param(v.type, v.name, region)
    const shadow = shadowed ? shadowType(v.type) : null
    if (shadow !== null) this.#shadows[v.id] = this.b.param(shadow, `d_${v.name}`, region)
  }

  /** Values, with a shadow after each pointer. */
  #hand(values: readonly Value[]): Value[] {
    return values.flatMap(v => {
      const shadow = shadowType(v.type)
      return shadow === null
        ? [this.map[v.id]!]
        : [this.map[v.id]!, this.#shadows[v.id] ?? this.b.emit1('undef', [], null, shadow)]
    })
  }

  bind(from: readonly Value[], to: readonly Value[]): void {
    let k = 0
    for (const v of from) {
      this.map[v.id] = to[k]!
      to[k++]!.name = v.name
      if (shadowType(v.type) !== null) this.#shadows[v.id] = to[k++]
    }
  }

  #visit(inst: Inst): void {
    const { b } = this
    b.span = inst.span
    switch (inst.op) {
      case 'call':
        this.call(inst)
        return
      case 'ret':
        this.#ret(inst)
        return
      case 'yield':
      case 'test':
      case 'next':
      case 'leave':
      case 'unreachable': {
        const [head, rest] = inst.op === 'test' ? [inst.args.slice(0, 1), inst.args.slice(1)] : [[], inst.args]
        b.emit(
          inst.op,
          [...head.map(v => this.map[v.id]!), ...this.#hand(rest)],
          inst.op === 'leave' ? this.labels.get(inst.attr)! : inst.attr,
        )
        return
      }
      case 'if':
      case 'switch':
      case 'loop':
      case 'block':
        this.control(inst)
        return
      case 'intrinsic.pure':
      case 'intrinsic.read':
      case 'intrinsic.write':
      case 'intrinsic.hide':
        throw new InternalError('shadow', `${inst.op} before legal code is made`)
      default:
        this.#single(inst)
    }
  }

  #ret(inst: Inst<'ret'>): void {
    const { b } = this
    const values = inst.args.map(v => this.map[v.id]!)
    const first = inst.args[0]
    const shadow =
      first === undefined || shadowType(first.type) === null || shadowType(b.func.sig.result) === null
        ? null
        : shadowType(first.type)
    if (shadow !== null) values.push(this.#shadows[first!.id] ?? b.emit1('undef', [], null, shadow))
    b.emit('ret', values)
  }

  #single(inst: Inst<Single>): void {
    const { b } = this
    const args = inst.args.map(v => this.map[v.id]!)
    const copy = b.emit(
      inst.op,
      args,
      inst.attr,
      inst.results.map(r => r.type),
    )
    inst.results.forEach((r, i) => {
      this.map[r.id] = copy.results[i]!
      copy.results[i]!.name = r.name
    })
    const result = inst.results[0]
    const made = this.shadowOf(inst, args)
    if (result !== undefined) this.#shadows[result.id] = made
  }

  control(inst: Inst): void {
    const { b } = this
    const regions = inst.regions.map(() => new Region())
    const types = inst.results.flatMap(r => {
      const shadow = shadowType(r.type)
      return shadow === null ? [r.type] : [r.type, shadow]
    })
    const copy = b.emit(
      inst.op,
      inst.op === 'loop' ? this.#hand(inst.args) : inst.args.map(v => this.map[v.id]!),
      inst.attr,
      types,
      regions,
    )
    this.labels.set(inst, copy)
    this.bind(inst.results, copy.results)
    inst.regions.forEach((r, k) =>
      b.within(regions[k]!, () => {
        for (const v of r.params) this.take(v, regions[k], true)
        for (const i of r.insts) this.#visit(i)
      }),
    )
  }

  /** The shadow of what an instruction gives; undefined where there is none. */
  shadowOf(inst: Inst<Single>, args: readonly Value[]): Value | undefined {
    const { b } = this
    const shadows = inst.args.map(v => this.#shadows[v.id])
    const first = shadows[0]
    const type = inst.results[0]?.type
    const counterpart = (of: Type, i: number): number => (of.kind === 'struct' ? (of.shadow?.fields[i] ?? -1) : i)
    switch (inst.op) {
      case 'var': {
        const shadow = shadowType(type!.elem!)
        return shadow === null ? undefined : b.variable(shadow, `d_${inst.results[0]!.name}`)
      }
      case 'load':
        return first === undefined ? undefined : b.load(first)
      case 'store':
        if (first !== undefined && shadows[1] !== undefined) b.store(first, shadows[1])
        return undefined
      case 'field': {
        const at = counterpart(inst.args[0]!.type.elem!, inst.attr)
        return first === undefined || at < 0 ? undefined : b.field(first, at)
      }
      case 'elem':
        return first === undefined ? undefined : b.elem(first, args[1]!)
      case 'extract': {
        const at = counterpart(inst.args[0]!.type, inst.attr)
        return first === undefined || at < 0 ? undefined : b.extract(first, at)
      }
      case 'insert': {
        const at = counterpart(inst.args[0]!.type, inst.attr)
        return first === undefined
          ? undefined
          : at < 0 || shadows[1] === undefined
            ? first
            : b.insert(first, at, shadows[1])
      }
      case 'select':
        return shadows[1] === undefined || shadows[2] === undefined
          ? undefined
          : b.select(args[0]!, shadows[1], shadows[2])
      case 'construct':
        return this.construct(type!, shadows)
      case 'global':
      case 'atomic':
      case 'barrier':
      case 'printf':
      case 'trap':
        return undefined
      default:
        return noShadow(inst.op)
    }
  }

  construct(type: Type, shadows: readonly (Value | undefined)[]): Value | undefined {
    const shadow = shadowType(type)
    if (shadow === null) return undefined
    const parts = new Array<Value | undefined>(shadow.count).fill(undefined)
    shadows.forEach((d, i) => {
      const at = type.kind === 'struct' ? type.shadow!.fields[i]! : i
      if (at >= 0) parts[at] = d
    })
    return parts.every(p => p !== undefined) ? this.b.construct(shadow, parts) : undefined
  }

  call(inst: Inst<'call'>): void {
    const { b, cx } = this
    const callee = inst.attr
    const args = inst.args.map(v => this.map[v.id]!)
    cx.derivatives(callee)
    const { level, forward, backward, forceInline } = callee.info
    const matters =
      takesShadows(callee) && (level !== 'none' || forceInline || forward !== undefined || backward !== undefined)
    const ins = inputs(callee.sig)
    const known = inst.args.every((v, i) => !hasShadow(ins[i]!) || this.#shadows[v.id] !== undefined)
    if (!matters || !known) {
      // Without a shadow there is no derivative to take. Only where a parameter is said to have none does the program mean that.
      const meant = inst.args.every(
        (v, i) => !hasShadow(ins[i]!) || this.#shadows[v.id] !== undefined || this.#bare.has(v.id),
      )
      if (matters && !meant && (backward ?? forward) !== undefined)
        cx.sink.add(noReverse, inst.span ?? undefined, { name: callee.name })
      const results = b.call(matters ? plainOf(cx, callee) : callee, args)
      inst.results.forEach((r, i) => {
        this.map[r.id] = results[i]!
      })
      return
    }
    const results = b.call(
      withShadows(cx, callee),
      inst.args.flatMap((v, i) => (hasShadow(ins[i]!) ? [this.map[v.id]!, this.#shadows[v.id]!] : [this.map[v.id]!])),
    )
    inst.results.forEach((r, i) => {
      this.map[r.id] = results[i]!
    })
    if (results.length > inst.results.length) this.#shadows[inst.results[0]!.id] = results[inst.results.length]
  }
}
