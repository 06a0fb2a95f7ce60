/** How a call is differentiated: by the user's rule, by the transform, or not at all. */
import { recursiveDerivative } from '../base/errors/ad.ts'
import { carries } from '../ir/type.ts'
import { inputs, outputs, type Func } from '../ir/value.ts'
import { walk } from '../ir/walk.ts'
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

/** The function of the source that a derivative, or a copy for resources, was made of. */
export function sourceOf(cx: AdContext, func: Func): Func {
  let source = func
  for (let of = cx.origins.get(source); of !== undefined; of = cx.origins.get(source)) source = of
  return source
}

/** Adds the diagnostic that a recursive function cannot be differentiated. */
export function reportRecursion(cx: AdContext, func: Func): void {
  const { name, span } = sourceOf(cx, func)
  cx.sink.add(recursiveDerivative, span ?? undefined, { name })
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
    if (info.forward !== undefined && !byBody && (info.library || info.forward.info.level !== 'none'))
      return { is: 'rule', func, forward: info.forward }
  } else if (info.forward !== undefined) {
    return { is: 'rule', func, forward: info.forward }
  }
  if (info.treatAsDifferentiable || func.body === undefined) return { is: 'plain', func }
  if (info.level === 'none' && !info.forceInline && info.backward === undefined) return { is: 'plain', func }
  return { is: 'transform', func }
}

/** Whether the result of a function carries a derivative. */
export function resultCarries({ sig }: Func): boolean {
  return carries({ type: sig.result, noDiff: sig.resultNoDiff })
}

/** Per input value, whether it carries a derivative. */
export function differentiableInputs(func: Func): boolean[] {
  return inputs(func.sig).map(carries)
}

/** Per result value, likewise. */
export function differentiableResults(func: Func): boolean[] {
  const out = outputs(func.sig).map(carries)
  return func.sig.result.kind === 'void' ? out : [resultCarries(func), ...out]
}

/** Which inputs and results of a function carry a derivative. */
export function carryingOf(func: Func): Carrying {
  return { inputs: differentiableInputs(func), results: differentiableResults(func) }
}

/** The same for a call of `func` in place of `callee`: what either of them holds constant is held constant. */
export function carryingThrough(callee: Func, func: Func): Carrying {
  const own = carryingOf(callee)
  if (func === callee) return own
  const other = carryingOf(func)
  return {
    inputs: own.inputs.map((c, i) => c && other.inputs[i]!),
    results: own.results.map((c, i) => c && other.results[i]!),
  }
}

/** True if the reverse pass of a call must run even where all cotangents are zero: it may run a user's reverse derivative. */
export function hasBackwardEffects(cx: AdContext, func: Func): boolean {
  return anyPlan(cx, cx.effects, func, 'reverse', plan => plan.is === 'backward')
}

/** True if the forward pass of a call may give tangents even where no input has one: it may run a user's forward derivative. */
export function hasForwardSource(cx: AdContext, func: Func): boolean {
  return anyPlan(cx, cx.sources, func, 'forward', plan => plan.is === 'rule' && !plan.func.info.library)
}

function anyPlan(
  cx: AdContext,
  memo: Map<Func, boolean>,
  func: Func,
  mode: Mode,
  isOne: (plan: Plan) => boolean,
): boolean {
  const plan = planOf(cx, func, mode)
  return isOne(plan) || (plan.is === 'transform' && reaches(cx, memo, plan.func, mode, isOne, () => true))
}

/** Whether the derivative of a call is taken though no argument carries a tangent. */
export function runsWhenInactive(cx: AdContext, func: Func, mode: Mode): boolean {
  return mode === 'reverse' ? hasBackwardEffects(cx, func) : hasForwardSource(cx, func)
}

/** True if the derivative of a function calls a primal substitute, so that the function and its primal half may give different values. */
export function reachesSubstitute(cx: AdContext, func: Func): boolean {
  return reaches(cx, cx.substituted, func, 'reverse', (plan, callee) => plan.func !== callee, isUsers)
}

/**
 * True if a function and its primal half may give different values or derivatives: because of a primal substitute, because of
 * primal values that a user's forward derivative or first half gives, or because the reverse comes from the body although the user wrote a
 * forward derivative.
 */
export function differsFromPrimal(cx: AdContext, func: Func): boolean {
  const differs = (plan: Plan, callee: Func): boolean =>
    plan.func !== callee ||
    (plan.is === 'backward'
      ? plan.backward.info.halves !== undefined
      : callee.info.forward !== undefined && !callee.info.library)
  return differs(planOf(cx, func, 'reverse'), func) || reaches(cx, cx.differing, func, 'reverse', differs, isUsers)
}

const isUsers = (func: Func): boolean => !func.info.library

/**
 * Whether a function, or a function that is differentiated with it, calls one for which the predicate holds. There is no recursion,
 * since chains of calls are long.
 */
function reaches(
  cx: AdContext,
  memo: Map<Func, boolean>,
  func: Func,
  mode: Mode,
  isOne: (plan: Plan, callee: Func) => boolean,
  looksInto: (func: Func) => boolean,
): boolean {
  const known = memo.get(func)
  if (known !== undefined) return known
  /** The functions that were visited, each with its caller. */
  const callers = new Map<Func, Func | undefined>([[func, undefined]])
  for (const [at] of callers) {
    if (at.body === undefined || !looksInto(at)) continue
    let found = false
    walk(at.body, inst => {
      if (found || inst.op !== 'call') return
      const plan = planOf(cx, inst.attr, mode)
      if (isOne(plan, inst.attr)) found = true
      else if (plan.is === 'transform') {
        const other = memo.get(plan.func)
        if (other === true) found = true
        else if (other === undefined && !callers.has(plan.func)) callers.set(plan.func, at)
      }
    })
    if (!found) continue
    for (let caller: Func | undefined = at; caller !== undefined; caller = callers.get(caller)) memo.set(caller, true)
    return true
  }
  for (const other of callers.keys()) memo.set(other, false)
  return false
}
