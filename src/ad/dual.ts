/**
 * Functions that take places with derivatives elsewhere (`IDifferentiablePtrType`). Such a value and the place of its
 * derivative travel together in the direction of the program, in both modes, so before anything is differentiated a function
 * is doubled: beside each place it takes, hands on and returns the place of the derivative as a plain value. What calls a
 * user's derivative joins the two into the pair that it expects. The transforms see plain values only.
 */
import { InternalError } from '../base/diag.ts'
import { noReverse } from '../base/errors/ad.ts'
import { Builder } from '../ir/build.ts'
import type { PlainOp, Single } from '../ir/op.ts'
import { places, type Type } from '../ir/type.ts'
import { Func, Region, inputs, type Inst, type ParamSig, type Value } from '../ir/value.ts'
import { cloneFunc } from '../ir/walk.ts'
import { uniqueName, type AdContext } from './context.ts'

/** Whether a parameter comes with the place of its derivative. */
export function isPlace(p: ParamSig): boolean {
  return p.dir === 'in' && !p.noDiff && places(p.type) !== null
}

/** Whether a function takes places. */
export function takesPlaces(func: Func): boolean {
  return func.sig.params.some(isPlace)
}

/** The function that takes, after each place, that of the derivative, and gives that of its result last. */
export function dualOf(cx: AdContext, func: Func): Func {
  const known = cx.duals.get(func)
  if (known !== undefined) return known
  const params = doubled(func.sig.params)
  const place = places(func.sig.result)
  if (place !== null) params.push({ name: 'd_result', type: place, dir: 'out', noDiff: true })
  const dual = new Func(uniqueName(cx.module.funcs, `${func.name}_dual`), { ...func.sig, params }, func.span)
  cx.duals.set(func, dual)
  if (func.request !== undefined) cx.resolve(cx, func)
  cx.derivatives(func)
  const { level, treatAsDifferentiable, forceInline, noInline, prefer, pure, forward, backward, substitute } = func.info
  Object.assign(dual.info, { level, treatAsDifferentiable, forceInline, noInline, prefer, pure })
  if (substitute !== undefined && substitute !== func) dual.info.substitute = dualOf(cx, substitute)
  if (backward !== undefined) dual.info.backward = joined(cx, func, backward, 'backward')
  if (forward !== undefined && place === null) dual.info.forward = joined(cx, func, forward, 'forward')
  if (func.body !== undefined) {
    dual.body = new Region()
    new Doubler(cx, dual).body(func)
    cx.tidy(dual)
  }
  // Not earlier: what derivatives bring in is tidied with all that the module holds.
  cx.module.funcs.push(dual)
  return dual
}

function doubled(params: readonly ParamSig[]): ParamSig[] {
  return params.flatMap(p => isPlace(p) ? [p, { name: `d_${p.name}`, type: places(p.type)!, dir: 'in' as const, noDiff: true }] : [p])
}

/** A user's derivative with the two halves of each pair of places as parameters of their own. */
function joined(cx: AdContext, func: Func, derivative: Func, kind: 'forward' | 'backward'): Func {
  const taken = derivative.sig.params
  const params: ParamSig[] = []
  const joins: boolean[] = []
  let at = 0
  for (const p of func.sig.params) {
    const own = taken[at]
    if (own === undefined) break
    if (kind === 'backward' && p.dir === 'out' && p.noDiff) continue
    params.push(...isPlace(p) ? doubled([p]) : [own])
    joins.push(isPlace(p))
    at++
  }
  params.push(...taken.slice(at))
  const made = new Func(uniqueName(cx.module.funcs, `${derivative.name}_places`), { ...derivative.sig, params }, derivative.span)
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
    if (joins[i] !== true) { args.push(value); return }
    const dual = given[next++]!
    args.push(p.type === value.type ? value : b.construct(p.type, [value, dual]))
  })
  b.emit('ret', b.call(derivative, args))
  return made
}

/** The function itself, without any derivative. */
function plainOf(cx: AdContext, func: Func): Func {
  const known = cx.plains.get(func)
  if (known !== undefined) return known
  const plain = cloneFunc(func, uniqueName(cx.module.funcs, `${func.name}_plain`))
  Object.assign(plain.info, { level: 'none', forward: undefined, backward: undefined, substitute: undefined, forceInline: false })
  cx.plains.set(func, plain)
  cx.module.funcs.push(plain)
  return plain
}

/** Other plain ops give numbers, which have no places. */
const nowhere = (_op: PlainOp): undefined => undefined

/** Copies a body with the places of derivatives beside the places. */
class Doubler {
  readonly cx: AdContext
  readonly b: Builder
  readonly map: Value[] = []
  readonly #dual: (Value | undefined)[] = []
  readonly labels: Map<Inst, Inst> = new Map()
  /** Parameters whose places carry no derivative, by id. */
  readonly #bare: Set<number> = new Set()

  constructor(cx: AdContext, into: Func) {
    this.cx = cx
    this.b = new Builder(into, into.body!)
  }

  body(func: Func): void {
    inputs(func.sig).forEach((p, i) => {
      const v = func.body!.params[i]!
      this.take(v, undefined, isPlace(p))
      if (!isPlace(p)) this.#bare.add(v.id)
    })
    for (const inst of func.body!.insts) this.#visit(inst)
  }

  /** A parameter, with that for the place of its derivative after it. */
  take(v: Value, region: Region | undefined, doubled: boolean): void {
    this.map[v.id] = this.b.param(v.type, v.name, region)
    const place = doubled ? places(v.type) : null
    if (place !== null) this.#dual[v.id] = this.b.param(place, `d_${v.name}`, region)
  }

  /** Values, with the place of the derivative after each place. */
  #hand(values: readonly Value[]): Value[] {
    return values.flatMap(v => {
      const place = places(v.type)
      return place === null ? [this.map[v.id]!] : [this.map[v.id]!, this.#dual[v.id] ?? this.b.emit1('undef', [], null, place)]
    })
  }

  bind(from: readonly Value[], to: readonly Value[]): void {
    let k = 0
    for (const v of from) {
      this.map[v.id] = to[k]!
      to[k++]!.name = v.name
      if (places(v.type) !== null) this.#dual[v.id] = to[k++]
    }
  }

  #visit(inst: Inst): void {
    const { b } = this
    b.span = inst.span
    switch (inst.op) {
      case 'call': this.call(inst); return
      case 'ret': this.#ret(inst); return
      case 'yield': case 'test': case 'next': case 'leave': case 'unreachable': {
        const [head, rest] = inst.op === 'test' ? [inst.args.slice(0, 1), inst.args.slice(1)] : [[], inst.args]
        b.emit(inst.op, [...head.map(v => this.map[v.id]!), ...this.#hand(rest)], inst.op === 'leave' ? this.labels.get(inst.attr)! : inst.attr)
        return
      }
      case 'if': case 'switch': case 'loop': case 'block': this.control(inst); return
      case 'intrinsic.pure': case 'intrinsic.read': case 'intrinsic.write': case 'intrinsic.hide':
        throw new InternalError('dual', `${inst.op} before legal code is made`)
      default: this.#single(inst)
    }
  }

  #ret(inst: Inst<'ret'>): void {
    const { b } = this
    const values = inst.args.map(v => this.map[v.id]!)
    const first = inst.args[0]
    const place = first === undefined || places(first.type) === null || places(b.func.sig.result) === null ? null : places(first.type)
    if (place !== null) values.push(this.#dual[first!.id] ?? b.emit1('undef', [], null, place))
    b.emit('ret', values)
  }

  #single(inst: Inst<Single>): void {
    const { b } = this
    const args = inst.args.map(v => this.map[v.id]!)
    const copy = b.emit(inst.op, args, inst.attr, inst.results.map(r => r.type))
    inst.results.forEach((r, i) => {
      this.map[r.id] = copy.results[i]!
      copy.results[i]!.name = r.name
    })
    const result = inst.results[0]
    const made = this.plain(inst, args)
    if (result !== undefined) this.#dual[result.id] = made
  }

  control(inst: Inst): void {
    const { b } = this
    const regions = inst.regions.map(() => new Region())
    const types = inst.results.flatMap(r => {
      const place = places(r.type)
      return place === null ? [r.type] : [r.type, place]
    })
    const copy = b.emit(inst.op, inst.op === 'loop' ? this.#hand(inst.args) : inst.args.map(v => this.map[v.id]!), inst.attr, types, regions)
    this.labels.set(inst, copy)
    this.bind(inst.results, copy.results)
    inst.regions.forEach((r, k) => b.within(regions[k]!, () => {
      for (const v of r.params) this.take(v, regions[k]!, true)
      for (const i of r.insts) this.#visit(i)
    }))
  }

  /** The place of the derivative of what an instruction gives; undefined where there is none. */
  plain(inst: Inst<Single>, args: readonly Value[]): Value | undefined {
    const { b } = this
    const duals = inst.args.map(v => this.#dual[v.id])
    const first = duals[0]
    const type = inst.results[0]?.type
    const counterpart = (of: Type, i: number): number => of.kind === 'struct' ? of.places?.fields[i] ?? -1 : i
    switch (inst.op) {
      case 'var': {
        const place = places(type!.elem!)
        return place === null ? undefined : b.variable(place, `d_${inst.results[0]!.name}`)
      }
      case 'load': return first === undefined ? undefined : b.load(first)
      case 'store':
        if (first !== undefined && duals[1] !== undefined) b.store(first, duals[1])
        return undefined
      case 'field': {
        const at = counterpart(inst.args[0]!.type.elem!, inst.attr)
        return first === undefined || at < 0 ? undefined : b.field(first, at)
      }
      case 'elem': return first === undefined ? undefined : b.elem(first, args[1]!)
      case 'extract': {
        const at = counterpart(inst.args[0]!.type, inst.attr)
        return first === undefined || at < 0 ? undefined : b.extract(first, at)
      }
      case 'insert': {
        const at = counterpart(inst.args[0]!.type, inst.attr)
        return first === undefined ? undefined : at < 0 || duals[1] === undefined ? first : b.insert(first, at, duals[1])
      }
      case 'select': return duals[1] === undefined || duals[2] === undefined ? undefined : b.select(args[0]!, duals[1], duals[2])
      case 'construct': return this.construct(type!, duals)
      case 'global': case 'atomic': case 'barrier': case 'printf': case 'trap': return undefined
      default: return nowhere(inst.op)
    }
  }

  construct(type: Type, duals: readonly (Value | undefined)[]): Value | undefined {
    const place = places(type)
    if (place === null) return undefined
    const parts = new Array<Value | undefined>(place.count).fill(undefined)
    duals.forEach((d, i) => {
      const at = type.kind === 'struct' ? type.places!.fields[i]! : i
      if (at >= 0) parts[at] = d
    })
    return parts.every(p => p !== undefined) ? this.b.construct(place, parts) : undefined
  }

  call(inst: Inst<'call'>): void {
    const { b, cx } = this
    const callee = inst.attr
    const args = inst.args.map(v => this.map[v.id]!)
    cx.derivatives(callee)
    const { level, forward, backward, forceInline } = callee.info
    const matters = takesPlaces(callee) && (level !== 'none' || forceInline || forward !== undefined || backward !== undefined)
    const ins = inputs(callee.sig)
    const known = inst.args.every((v, i) => !isPlace(ins[i]!) || this.#dual[v.id] !== undefined)
    if (!matters || !known) {
      // Without the place of the derivative there is none to take; only of a place that is said to have none this is meant.
      const meant = inst.args.every((v, i) => !isPlace(ins[i]!) || this.#dual[v.id] !== undefined || this.#bare.has(v.id))
      if (matters && !meant && (backward ?? forward) !== undefined) cx.sink.add(noReverse, inst.span ?? undefined, { name: callee.name })
      const results = b.call(matters ? plainOf(cx, callee) : callee, args)
      inst.results.forEach((r, i) => { this.map[r.id] = results[i]! })
      return
    }
    const results = b.call(dualOf(cx, callee), inst.args.flatMap((v, i) => isPlace(ins[i]!) ? [this.map[v.id]!, this.#dual[v.id]!] : [this.map[v.id]!]))
    inst.results.forEach((r, i) => { this.map[r.id] = results[i]! })
    if (results.length > inst.results.length) this.#dual[inst.results[0]!.id] = results[inst.results.length]
  }
}
