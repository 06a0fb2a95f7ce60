/**
 * Shadows of pointers. A value of pointer type (`IDifferentiablePtrType`) says where numbers lie; its *shadow*, of the type's
 * `Differential`, says where their derivatives lie.
 *
 *     float f(P p)   →   float f_shadow(P p, no_diff P.Differential d_p)
 *
 * In both modes a pointer and its shadow travel together in the direction of the program. So before a function is differentiated, it is
 * copied with shadows as plain values beside the pointers that it takes, hands on and returns. A call of a user's derivative
 * joins pointer and shadow into the pair that the user expects. The transforms see plain values only.
 *
 * A pointer that the function makes itself has no shadow, and one that may be such a pointer has none either. That is a mistake only where
 * a user's derivative is to be called with it (`linearize.ts`).
 */
import { InternalError } from '../base/diag.ts'
import { noReverse } from '../base/errors/ad.ts'
import { Builder } from '../ir/build.ts'
import type { PlainOp, Single } from '../ir/op.ts'
import { carries, differential, shadowType, type Type } from '../ir/type.ts'
import { Func, Region, inputs, outputs, type Inst, type ParamSig, type Value } from '../ir/value.ts'
import { receivers } from '../ir/exits.ts'
import { baseOf } from '../ir/pointer.ts'
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

/** Whether a function takes pointers that should come with shadows, and none does. */
export function lacksShadows(cx: AdContext, func: Func): boolean {
  return takesShadows(func) && cx.shadowed.get(func) !== func
}

/** The function that takes a shadow after each pointer, and gives the shadow of its result last. */
export function withShadows(cx: AdContext, func: Func): Func {
  const known = cx.shadowed.get(func)
  if (known !== undefined) return known
  const params = addShadows(func.sig.params)
  const shadow = shadowType(func.sig.result)
  if (shadow !== null) params.push({ name: 'd_result', type: shadow, dir: 'out', noDiff: true })
  const made = new Func(uniqueName(cx.module.funcs, `${func.name}_shadow`), { ...func.sig, params }, func.span)
  cx.shadowed.set(func, made).set(made, made)
  cx.origins.set(made, func)
  if (func.request !== undefined) cx.resolve(cx, func)
  cx.derivatives(func)
  const { level, treatAsDifferentiable, forceInline, noInline, prefer, pure, forward, backward, substitute } = func.info
  Object.assign(made.info, { level, treatAsDifferentiable, forceInline, noInline, prefer, pure })
  if (substitute !== undefined && substitute !== func) made.info.substitute = withShadows(cx, substitute)
  if (backward !== undefined) made.info.backward = withSplitPairs(cx, func, backward, 'backward')
  if (forward !== undefined && shadow === null) made.info.forward = withSplitPairs(cx, func, forward, 'forward')
  if (forward !== undefined && shadow !== null) byRule(cx, made, func, forward)
  else if (func.body !== undefined) {
    // Again without the shadows that turn out to be missing where ways meet, until all that are left are known.
    const lost = new Set<number>()
    for (let known = -1; known < lost.size;) {
      known = lost.size
      made.body = new Region()
      new ShadowBuilder(cx, made, lost).body(func)
    }
    cx.tidy(made)
  }
  // Not earlier: what derivatives bring in is tidied with all that the module holds.
  cx.module.funcs.push(made)
  return made
}

/** Fills in a function that gives a pointer: the user's forward derivative makes the shadow. */
function byRule(cx: AdContext, made: Func, func: Func, forward: Func): void {
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
  const own = func.sig.params.filter(p => kind === 'forward' || p.dir !== 'out' || !p.noDiff)
  const parts = taken.map((p, i) => (i < own.length && hasShadow(own[i]!) ? addShadows([own[i]!]) : [p]))
  const made = new Func(
    uniqueName(cx.module.funcs, `${derivative.name}_pairs`),
    { ...derivative.sig, params: parts.flat() },
    derivative.span,
  )
  made.info.level = derivative.info.level
  made.info.forceInline = true
  cx.module.funcs.push(made)
  made.body = new Region()
  const b = new Builder(made, made.body)
  const args = parts.flatMap((part, i) => {
    const { dir, type } = taken[i]!
    if (dir === 'out') return []
    const values = part.map(p => b.param(p.type, p.name))
    return type === values[0]!.type ? values.slice(0, 1) : [b.construct(type, values)]
  })
  b.emit('ret', b.call(derivative, args))
  return made
}

/** The function with pointers that are said to have no shadow. */
export function withoutShadows(cx: AdContext, func: Func): Func {
  const name = `${func.name}_plain`
  const known = cx.helpers.get(name)
  if (known !== undefined) return known
  const sig = { ...func.sig, params: func.sig.params.map(p => (hasShadow(p) ? { ...p, noDiff: true } : p)) }
  const plain = cloneFunc(func, uniqueName(cx.module.funcs, name), sig)
  plain.info.forward = plain.info.backward = plain.info.substitute = undefined
  cx.helpers.set(name, plain)
  cx.origins.set(plain, func)
  cx.module.funcs.push(plain)
  return plain
}

/** Which part of a shadow belongs to a part of a pointer; negative if none does. */
const counterpart = (of: Type, i: number): number => (of.kind === 'struct' ? (of.shadow?.fields[i] ?? -1) : i)

/** Copies a body with shadows beside the pointers. */
class ShadowBuilder {
  readonly cx: AdContext
  readonly b: Builder
  readonly map: Value[] = []
  readonly #shadows: (Value | undefined)[] = []
  readonly labels: Map<Inst, Inst> = new Map()
  /** The variables, and the values where ways meet, that have no shadow on some way; by id. */
  readonly #lost: Set<number>

  constructor(cx: AdContext, into: Func, lost: Set<number>) {
    this.cx = cx
    this.#lost = lost
    this.b = new Builder(into, into.body!)
  }

  body(func: Func): void {
    inputs(func.sig).forEach((p, i) => this.take(func.body!.params[i]!, hasShadow(p)))
    for (const inst of func.body!.insts) this.#visit(inst)
  }

  /** A parameter, with one for its shadow after it. */
  take(v: Value, shadowed = true): void {
    this.map[v.id] = this.b.param(v.type, v.name)
    const shadow = shadowed ? this.#typeOf(v) : null
    if (shadow !== null) this.#shadows[v.id] = this.b.param(shadow, `d_${v.name}`)
  }

  /** The type of the shadow of a value where ways meet, or of a variable's; null if it has none. */
  #typeOf(v: Value, type = v.type): Type | null {
    return this.#lost.has(v.id) ? null : shadowType(type)
  }

  /** Values that become others where ways meet, with a shadow after each pointer. */
  #hand(values: readonly Value[], to: readonly (Value | undefined)[]): Value[] {
    return values.flatMap((v, i) => {
      const target = to[i] ?? v
      const type = this.#typeOf(target)
      const shadow = this.#shadows[v.id]
      if (type === null) return [this.map[v.id]!]
      if (shadow === undefined) this.#lost.add(target.id)
      return [this.map[v.id]!, shadow ?? this.b.emit1('undef', [], null, type)]
    })
  }

  bind(from: readonly Value[], to: readonly Value[]): void {
    let k = 0
    for (const v of from) {
      this.map[v.id] = to[k]!
      to[k++]!.name = v.name
      if (this.#typeOf(v) !== null) this.#shadows[v.id] = to[k++]
    }
  }

  #visit(inst: Inst, owner?: Inst): void {
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
      case 'unreachable':
        b.emit(
          inst.op,
          this.#hand(inst.args, receivers(inst, owner)),
          inst.op === 'leave' ? this.labels.get(inst.attr)! : inst.attr,
        )
        return
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
        throw new InternalError('shadow', `${inst.op} stands where it cannot`)
      default:
        this.#single(inst)
    }
  }

  #ret(inst: Inst<'ret'>): void {
    const { b } = this
    const values = inst.args.map(v => this.map[v.id]!)
    const shadow = shadowType(b.func.sig.result)
    if (shadow !== null) values.push(this.#shadows[inst.args[0]!.id] ?? b.emit1('undef', [], null, shadow))
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
    this.bind(inst.results, copy.results)
    const made = this.shadowOf(inst, args)
    for (const r of inst.results) this.#shadows[r.id] = made
  }

  control(inst: Inst): void {
    const { b } = this
    const regions = inst.regions.map(() => new Region())
    const types = inst.results.flatMap(r => {
      const shadow = this.#typeOf(r)
      return shadow === null ? [r.type] : [r.type, shadow]
    })
    const copy = b.emit(inst.op, this.#hand(inst.args, inst.regions[0]!.params), inst.attr, types, regions)
    this.labels.set(inst, copy)
    this.bind(inst.results, copy.results)
    inst.regions.forEach((r, k) =>
      b.within(regions[k]!, () => {
        for (const v of r.params) this.take(v)
        for (const i of r.insts) this.#visit(i, inst)
      }),
    )
  }

  /** The shadow of what an instruction gives; undefined where there is none. */
  shadowOf(inst: Inst<Single>, args: readonly Value[]): Value | undefined {
    const { b } = this
    const shadows = inst.args.map(v => this.#shadows[v.id])
    const [first, second, third] = shadows
    const type = inst.results[0]?.type
    switch (inst.op) {
      case 'var': {
        const shadow = this.#typeOf(inst.results[0]!, type!.elem)
        return shadow === null ? undefined : b.variable(shadow, `d_${inst.results[0]!.name}`)
      }
      case 'load':
        return first && b.load(first)
      case 'store': {
        const root = baseOf(inst.args[0]!).id
        if (first && second) b.store(first, second)
        else if (this.#shadows[root]) this.#lost.add(root)
        return undefined
      }
      case 'field': {
        const at = counterpart(inst.args[0]!.type.elem!, inst.attr)
        return at < 0 ? undefined : first && b.field(first, at)
      }
      case 'elem':
        return first && b.elem(first, args[1]!)
      case 'extract': {
        const at = counterpart(inst.args[0]!.type, inst.attr)
        return at < 0 ? undefined : first && b.extract(first, at)
      }
      case 'insert': {
        const at = counterpart(type!, inst.attr)
        return at < 0 ? undefined : first && second && b.insert(first, at, second)
      }
      case 'select':
        return second && third && b.select(args[0]!, second, third)
      case 'construct': {
        const shadow = shadowType(type!)
        if (shadow === null) return undefined
        const parts = new Array<Value | undefined>(shadow.count).fill(undefined)
        shadows.forEach((d, i) => {
          const at = counterpart(type!, i)
          if (at >= 0) parts[at] = d
        })
        return parts.every(p => p !== undefined) ? b.construct(shadow, parts) : undefined
      }
      default:
        // Others give no pointers.
        inst.op satisfies PlainOp | 'global' | 'atomic' | 'barrier' | 'printf' | 'trap'
        return undefined
    }
  }

  call(inst: Inst<'call'>): void {
    const { b, cx } = this
    const callee = inst.attr
    const args = inst.args.map(v => this.map[v.id]!)
    cx.derivatives(callee)
    const { level, forward, backward, forceInline } = callee.info
    const given = inputs(callee.sig).flatMap((p, i) =>
      hasShadow(p) ? [args[i], this.#shadows[inst.args[i]!.id]] : [args[i]],
    )
    // Where a shadow is missing, the function stays as it is: whoever needs the shadow reports that.
    const known =
      given.length > args.length &&
      given.every(v => v !== undefined) &&
      (level !== 'none' || forceInline || (forward ?? backward) !== undefined)
    const made = known ? withShadows(cx, callee) : callee
    const results = b.call(made, known ? given : args)
    inst.results.forEach((r, i) => {
      this.map[r.id] = results[i]!
    })
    const last = inst.results.length
    if (results.length > last && made.body?.insts.at(-1)?.args[last]?.def.op !== 'undef')
      this.#shadows[inst.results[0]!.id] = results[last]
  }
}
