/** How a call is differentiated: by the user's rule, by the transform, or not at all. */
import { assertNever } from '../base/diag.ts'
import { recursiveDerivative } from '../base/errors/ad.ts'
import { differential } from '../ir/type.ts'
import { inputs, outputs, type Func, type Region } from '../ir/value.ts'
import type { AdContext, Carrying } from './context.ts'

export type Mode = 'forward' | 'reverse'

export type Plan =
  /** No derivative flows through: the call stays as it is. */
  | { readonly is: 'plain'; readonly func: Func }
  /** A forward derivative, on pairs; for reverse mode it is linearized in its tangents. */
  | { readonly is: 'rule'; readonly func: Func; readonly forward: Func }
  /** A reverse derivative written by the user. */
  | { readonly is: 'backward'; readonly func: Func; readonly backward: Func }
  /** The function's body is differentiated. */
  | { readonly is: 'transform'; readonly func: Func }

/** Says that a function cannot be differentiated since it calls itself, where the user wrote it. */
export function reportRecursion(cx: AdContext, func: Func): void {
  let source = func
  for (let of = cx.origins.get(source); of !== undefined; of = cx.origins.get(source)) source = of
  cx.sink.add(recursiveDerivative, source.span ?? undefined, { name: source.name })
}

/** Resolution order: primal substitute, user derivative, `[TreatAsDifferentiable]`, transform. */
export function planOf(cx: AdContext, func: Func, mode: Mode): Plan {
  cx.resolve(cx, func)
  if (cx.writing.has(func)) {
    // Its derivative needs that of its derivative, and so on.
    reportRecursion(cx, func)
    return { is: 'plain', func }
  }
  cx.derivatives(func)
  const info = func.info
  if (info.substitute !== undefined && info.substitute !== func) return planOf(cx, info.substitute, mode)
  if (mode === 'reverse') {
    if (info.backward !== undefined) return { is: 'backward', func, backward: info.backward }
    const byBody = info.marked && info.level === 'backward' && func.body !== undefined && !info.library
    if (info.forward !== undefined && !byBody && (info.library || info.forward.info.level !== 'none')) return { is: 'rule', func, forward: info.forward }
  } else if (info.forward !== undefined) {
    return { is: 'rule', func, forward: info.forward }
  }
  if (info.treatAsDifferentiable || func.body === undefined) return { is: 'plain', func }
  if (info.level === 'none' && !info.forceInline && info.backward === undefined) return { is: 'plain', func }
  return { is: 'transform', func }
}

/** Per input value: whether its type and the signature let it carry a derivative. */
export function differentiableInputs(func: Func): boolean[] {
  return inputs(func.sig).map(p => !p.noDiff && differential(p.type) !== null)
}

/** Per result value, likewise. */
export function differentiableResults(func: Func): boolean[] {
  const out = outputs(func.sig).map(p => !p.noDiff && differential(p.type) !== null)
  return func.sig.result.kind === 'void' ? out : [!func.sig.resultNoDiff && differential(func.sig.result) !== null, ...out]
}

/** The same for both, as the functions that a derivative is made of have it. */
export function carryingOf(func: Func): Carrying {
  return { inputs: differentiableInputs(func), results: differentiableResults(func) }
}

/** The same for a call of `func` that stands for one of `callee`: what either holds constant is held. */
export function carryingThrough(callee: Func, func: Func): Carrying {
  const own = carryingOf(callee)
  if (func === callee) return own
  const other = carryingOf(func)
  return { inputs: own.inputs.map((c, i) => c && other.inputs[i]!), results: own.results.map((c, i) => c && other.results[i]!) }
}

/** True where the reverse pass of a call must run even if no cotangent is known: a user's reverse derivative lies behind it. */
export function hasBackwardEffects(cx: AdContext, func: Func): boolean {
  const known = cx.effects.get(func)
  if (known !== undefined) return known
  cx.effects.set(func, false)
  const plan = planOf(cx, func, 'reverse')
  let found = false
  switch (plan.is) {
    case 'plain': case 'rule': break
    case 'backward': found = true; break
    case 'transform': found = plan.func.body !== undefined && regionHasEffects(cx, plan.func.body); break
    default: assertNever(plan, 'ad/plan')
  }
  cx.effects.set(func, found)
  return found
}

/** True where the forward pass of a call gives tangents even if none comes in: a user's forward derivative lies behind it, which may do so. */
export function hasForwardSource(cx: AdContext, func: Func): boolean {
  const known = cx.sources.get(func)
  if (known !== undefined) return known
  cx.sources.set(func, false)
  const plan = planOf(cx, func, 'forward')
  const found = plan.is === 'rule' ? !plan.func.info.library
    : plan.is === 'transform' && plan.func.body !== undefined && regionHasSource(cx, plan.func.body)
  cx.sources.set(func, found)
  return found
}

/** Whether the derivative of a call is taken though no argument carries a tangent. */
export function runsUnfed(cx: AdContext, func: Func, mode: Mode): boolean {
  return mode === 'reverse' ? hasBackwardEffects(cx, func) : hasForwardSource(cx, func)
}

function regionHasSource(cx: AdContext, region: Region): boolean {
  return region.insts.some(inst => (inst.op === 'call' && hasForwardSource(cx, inst.attr)) || inst.regions.some(r => regionHasSource(cx, r)))
}

/** True where a substitute stands in for a call in a function's derivative: the function itself says something else than its primal half. */
export function reachesSubstitute(cx: AdContext, func: Func): boolean {
  return reaches(cx, cx.substituted, func, (plan, callee) => plan.func !== callee)
}

/**
 * True where a function and its primal half are not the same to those who go on: for a substitute, for values that a forward derivative
 * gives, or since the user says what the forward derivative of a function is whose reverse comes from its body. The primal half is made of
 * that body, and so is a derivative of it.
 */
export function differsFromPrimal(cx: AdContext, func: Func): boolean {
  const differs = (plan: Plan, callee: Func): boolean => plan.func !== callee || (callee.info.forward !== undefined && !callee.info.library && plan.is !== 'backward')
  return differs(planOf(cx, func, 'reverse'), func) || reaches(cx, cx.differing, func, differs)
}

/** Whether a function calls what is asked for, itself or in what is differentiated with it. */
function reaches(cx: AdContext, memo: Map<Func, boolean>, func: Func, isOne: (plan: Plan, callee: Func) => boolean): boolean {
  const known = memo.get(func)
  if (known !== undefined) return known
  memo.set(func, false)
  const within = (region: Region): boolean => region.insts.some(inst => {
    if (inst.op !== 'call') return inst.regions.some(within)
    const plan = planOf(cx, inst.attr, 'reverse')
    return isOne(plan, inst.attr) || (plan.is === 'transform' && reaches(cx, memo, plan.func, isOne))
  })
  const found = func.body !== undefined && !func.info.library && within(func.body)
  memo.set(func, found)
  return found
}

function regionHasEffects(cx: AdContext, region: Region): boolean {
  for (const inst of region.insts) {
    if (inst.op === 'call' && hasBackwardEffects(cx, inst.attr)) return true
    for (const r of inst.regions) if (regionHasEffects(cx, r)) return true
  }
  return false
}
