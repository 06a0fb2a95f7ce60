/**
 * The driver of differentiation: fills in the bodies of the functions that `fwd_diff` and `bwd_diff` ask for. A derivative is an
 * ordinary function. So a request for the derivative of a request resolves the inner one first, in any order and depth.
 */
import type { Split } from './model.ts'
import { InternalError, type Sink } from '../base/diag.ts'
import { noReverse } from '../base/errors/ad.ts'
import { Builder } from '../ir/build.ts'
import { carries, differential, shadowType } from '../ir/type.ts'
import type { Form } from '../ir/verify.ts'
import { Region, inputs, outputs, type Func, type Global, type Module, type Value } from '../ir/value.ts'
import { cloneFunc, walk } from '../ir/walk.ts'
import { baseOf } from '../ir/pointer.ts'
import { withinBudget } from './budget.ts'
import { adContext, under, uniqueName, zeroOf, type AdContext, type AdStage, type Explain } from './context.ts'
import { hasShadow, withShadows } from './shadow.ts'
import { specialiseRequests } from './specialise.ts'
import { half, jvpOf, ruleOf, splitOf } from './extract.ts'
import { pairOf } from './pair.ts'
import { carryingOf, carryingThrough, differentiableInputs, planOf, resultCarries } from './plan.ts'

/** What the derivative transforms need from the rest of the compiler. */
export interface AdHooks {
  readonly sink: Sink
  /** Fills in `info.forward`, `info.backward` and `info.substitute` of a function, lowering them when first asked. */
  readonly derivatives: (func: Func) => void
  /** Brings a function into clean SSA form. */
  readonly tidy: (func: Func) => void
  /** Whether a function is in clean SSA form already. */
  readonly isTidy: (func: Func) => boolean
  readonly observe: (stage: AdStage, func: Func, form?: Form) => void
  /** Unrolls loops of few trips in a function before it is differentiated; true if there were any. */
  readonly expand?: ((func: Func) => boolean) | undefined
  /** True on a CPU, where the context grows as it is filled instead of having its largest size from the start. */
  readonly growable?: boolean | undefined
  readonly explain?: Explain | undefined
  /** How many bytes a reverse pass may keep. */
  readonly maxContext?: number | undefined
}

/** Writes the bodies of all functions of the module that are still requests. It adds new functions to the module. */
export function resolveRequests(module: Module, hooks: AdHooks): void {
  const cx: AdContext = adContext(module, hooks, resolveInner)
  specialiseRequests(cx)
  for (let i = 0; i < module.funcs.length; i++) {
    const func = module.funcs[i]!
    if (func.request !== undefined) resolve(cx, func)
  }
}

/**
 * Writes the body of a derivative that is itself differentiated. It has no windows; if it was written with windows before, another
 * function takes its place.
 */
function resolveInner(outer: AdContext, func: Func): void {
  const cx = under(outer, { windows: false })
  const request = cx.requests.get(func)
  if (request !== undefined && cx.windowed.some && !cx.writing.has(func)) {
    cx.requests.delete(func)
    const other = (func.info.substitute = cloneFunc(func, uniqueName(cx.module.funcs, func.name)))
    other.request = request
    cx.module.funcs.push(other)
    resolve(cx, other)
  }
  resolve(cx, func)
}

/** Writes the body of one request, after that of the function that it differentiates. */
export function resolve(cx: AdContext, func: Func): void {
  const request = func.request
  if (request === undefined) return
  resolveInner(cx, request.of)
  func.request = undefined
  if (cx.dropped.delete(func)) cx.module.funcs.push(func)
  cx.origins.set(func, request.of)
  if (cx.policy.windows) cx.requests.set(func, request)
  cx.writing.add(func)
  func.info.level = 'backward'
  func.body = new Region()
  const b = new Builder(func, func.body)
  b.span = func.span
  const params = inputs(func.sig).map(p => b.param(p.type, p.name))
  const given = splitPairs(b, request.of, request.kind, params)
  const of = given.length > params.length ? withShadows(cx, request.of) : request.of
  const results = request.kind === 'forward' ? forward(cx, b, func, of, given) : backward(cx, b, func, of, given)
  b.emit('ret', results)
  cx.writing.delete(func)
  cx.tidy(func)
}

/** The user's arguments, with the pointer and the shadow of a pair as two values. */
function splitPairs(b: Builder, of: Func, kind: 'forward' | 'backward', params: readonly Value[]): readonly Value[] {
  const given: Value[] = []
  let at = 0
  for (const p of of.sig.params) {
    if (p.dir === 'out' && (kind === 'forward' || !carries(p))) continue
    const v = params[at++]!
    if (hasShadow(p) && v.type !== p.type) given.push(half(b, v, 'p'), half(b, v, 'd'))
    else given.push(v)
  }
  return [...given, ...params.slice(at)]
}

/**
 * Whether two functions of one type hold the same values constant. If not, a derivative of one cannot stand in for a derivative of
 * the other.
 */
function sameCarrying(a: Func, b: Func): boolean {
  if (a === b) return true
  const [x, y] = [carryingOf(a), carryingOf(b)]
  return x.inputs.every((c, i) => c === y.inputs[i]) && x.results.every((c, i) => c === y.results[i])
}

function forward(cx: AdContext, b: Builder, stub: Func, of: Func, params: readonly Value[]): Value[] {
  const plan = planOf(cx, of, 'forward')
  const func = plan.func
  const isSame = sameCarrying(of, func)
  if (plan.is === 'rule' && isSame) return b.call(plan.forward, [...params])
  const pairs = differentiableInputs(of)
  const { inputs: can } = carryingThrough(of, func)
  const primals = params.map((v, i) => (pairs[i] ? half(b, v, 'p') : v))
  const made =
    plan.is === 'transform'
      ? jvpOf(cx, func, can)
      : plan.is === 'rule'
        ? ruleOf(cx, func, plan.forward, can)
        : undefined
  const out =
    made === undefined
      ? b.call(func, primals)
      : b.call(made.func, [...primals, ...params.filter((_, i) => can[i]).map(v => half(b, v, 'd'))])
  let k = func.results.length
  const tangents = func.results.map((_, i) => (made?.results[i] === true ? out[k++] : undefined))
  return stub.results.map((type, i) => {
    const own = func.results[i]!
    if (type !== own && shadowType(own) !== null) return b.construct(type, [out[i]!, out[func.results.length - 1]!])
    return type === own ? out[i]! : pairOf(b, type, out[i]!, tangents[i] ?? zeroOf(cx, b, differential(own)!))
  })
}

function backward(cx: AdContext, b: Builder, stub: Func, of: Func, params: readonly Value[]): Value[] {
  const plan = planOf(cx, of, 'reverse')
  const func = plan.func
  if (plan.is === 'backward' && sameCarrying(of, func)) return b.call(plan.backward, [...params])
  // The user's signature, parameter by parameter: pairs, cotangents of outputs, plain inputs.
  const primals: Value[] = [],
    grads: Value[] = []
  const outCts: (Value | undefined)[] = []
  const pairs: { readonly param: Value; readonly input: number }[] = []
  let at = 0
  for (const p of of.sig.params) {
    if (!carries(p)) {
      if (p.dir !== 'in') outCts.push(undefined)
      if (p.dir !== 'out') primals.push(params[at++]!)
    } else if (p.dir === 'out') {
      outCts.push(params[at++])
    } else {
      const v = params[at++]!
      pairs.push({ param: v, input: primals.length })
      primals.push(half(b, v, 'p'))
      if (p.dir === 'inout') outCts.push(half(b, v, 'd'))
    }
  }
  const hasResult = of.sig.result.kind !== 'void'
  const resultCt = resultCarries(of) ? params[at] : undefined
  const cts = hasResult ? [resultCt, ...outCts] : outCts
  const { inputs: can } = carryingThrough(of, func)
  const split = withinBudget({ ...cx, root: func }, func, own =>
    plan.is === 'transform' || plan.is === 'backward'
      ? splitOf(own, func, can)
      : ruleSplit(own, func, can, plan.is === 'rule'),
  )
  if (split === undefined) {
    grads.push(...pairs.map(({ input }) => zeroOf(cx, b, differential(primals[input]!.type)!)))
  } else {
    const out = b.call(withoutEffects(cx, split), primals)
    const residuals = [...split.needs.map(i => primals[i]!), ...out.slice(split.own)]
    const given = split.activeResults.flatMap((a, i) =>
      a ? [cts[i] ?? zeroOf(cx, b, differential(func.results[i]!)!)] : [],
    )
    const made = b.call(split.vjp, [...residuals, ...given])
    let k = 0
    grads.push(
      ...pairs.map(({ input }) => (can[input] ? made[k++]! : zeroOf(cx, b, differential(primals[input]!.type)!))),
    )
  }
  if (outputs(stub.sig).length !== pairs.length)
    throw new InternalError('ad/request', `signature of ${stub.name} does not fit`)
  return pairs.map(({ param }, i) => pairOf(b, param.type, half(b, param, 'p'), grads[i]!))
}

/** The reverse of a function that has only a forward rule: the reverse of a wrapper that only calls it. */
function ruleSplit(cx: AdContext, func: Func, active: readonly boolean[], rule: boolean): Split | undefined {
  if (!rule) {
    if (!func.info.treatAsDifferentiable) cx.sink.add(noReverse, func.span ?? undefined, { name: func.name })
    return undefined
  }
  const wrapper = cloneFunc(func, `${func.name}_call`)
  wrapper.info.forward =
    wrapper.info.backward =
    wrapper.info.substitute =
    wrapper.info.intrinsics =
    wrapper.info.computes =
    wrapper.info.lanewise =
      undefined
  wrapper.info.library = false
  wrapper.info.level = 'backward'
  wrapper.body = new Region()
  const b = new Builder(wrapper, wrapper.body)
  const params = inputs(func.sig).map(p => b.param(p.type, p.name))
  b.emit('ret', b.call(func, params))
  return splitOf({ ...cx, root: wrapper }, wrapper, active)
}

/**
 * The primal half for a direct `bwd_diff`, without the function's own writes to global memory that the reverse does not read.
 * Writes of callees stay.
 */
function withoutEffects(cx: AdContext, split: Split): Func {
  if (split.primal.body === undefined) return split.primal
  const written = new Set<Global>()
  walk(split.primal.body, inst => {
    const global = inst.op === 'store' ? globalOf(inst.args[0]!) : undefined
    if (global !== undefined) written.add(global)
  })
  let prints = false
  walk(split.primal.body, inst => {
    prints ||= inst.op === 'printf'
  })
  // What is still read without the writes to it, here, in callees or in the reverse, must be written after all.
  for (;;) {
    if (written.size === 0 && !prints) return split.primal
    const copy = cloneFunc(split.primal, `${split.primal.name}_pure`)
    drop(copy.body!, written)
    cx.tidy(copy)
    const read = new Set<Global>()
    for (const func of [copy, split.vjp]) collectReads(func, read, new Set())
    const needed = [...written].filter(g => read.has(g))
    if (needed.length === 0) {
      cx.module.funcs.push(copy)
      return copy
    }
    for (const g of needed) written.delete(g)
  }
}

function globalOf(pointer: Value): Global | undefined {
  const { def } = baseOf(pointer)
  return def.op !== 'param' && def.op === 'global' ? def.attr : undefined
}

/** Removes the stores to some globals, and all output. */
function drop(region: Region, written: ReadonlySet<Global>): void {
  region.insts = region.insts.filter(inst => {
    for (const r of inst.regions) drop(r, written)
    const global = inst.op === 'store' ? globalOf(inst.args[0]!) : undefined
    return inst.op !== 'printf' && (global === undefined || !written.has(global))
  })
}

/** Adds the globals that a function or its callees read. */
function collectReads(func: Func, read: Set<Global>, seen: Set<Func>): void {
  if (func.body === undefined || seen.has(func)) return
  seen.add(func)
  walk(func.body, inst => {
    if (inst.op === 'call') collectReads(inst.attr, read, seen)
    if (inst.op === 'field' || inst.op === 'elem') return
    // Where a pointer is handed on, what lies behind it may be read.
    inst.args.forEach((v, i) => {
      const global = v.type.kind !== 'ptr' || (inst.op === 'store' && i === 0) ? undefined : globalOf(v)
      if (global !== undefined) read.add(global)
    })
  })
}
