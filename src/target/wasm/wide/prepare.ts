/** Prepares a kernel for several threads at once: what is called with different arguments becomes part of it. */
import * as costs from '../../../ir/costs.ts'
import { bitsOf } from '../../../ir/type.ts'
import type { Func, Global } from '../../../ir/value.ts'
import { cloneFunc, walk } from '../../../ir/walk.ts'
import { inlineAll } from '../../../opt/inline.ts'
import { isRecursive } from '../../../opt/recursion.ts'
import type { KernelSetup } from '../kernel.ts'
import { hasBarrier, holds, localise } from '../lockstep.ts'
import { belongsInside, inlinedSizes, promote } from '../own.ts'
import type { Plan } from '../plan.ts'
import type { Reach } from '../reach.ts'
import { NotWide } from './graph.ts'
import { orderOf, rootsOf } from './order.ts'
import { Varying } from './varying.ts'

/**
 * A copy of a kernel that runs several threads at once. Throws `NotWide` where that cannot be, or does not pay; what it takes is taken from
 * the allowance of its program.
 */
export function wideFunc(
  func: Func,
  { privates, shared }: Pick<KernelSetup, 'shared'> & { readonly privates: readonly Global[] },
  plan: Plan,
  reach: Reach,
  allowance: { left: number },
): Func {
  const from = [...reach.from(func)]
  if (reach.lists(func)) throw new NotWide('it keeps lists')
  if (from.some(f => f.body !== undefined && holds(f.body, i => i.op === 'printf'))) throw new NotWide('it prints')
  const mayInline = (callee: Func): boolean => plan.target(callee).kind === 'call' && !isRecursive(callee)
  const sizeOfAll = inlinedSizes(mayInline, costs.wideAtomic)
  const size = privates.reduce((sum, g) => sum + costs.wideStatic + (g.init ? sizeOfAll(g.init) : 0), sizeOfAll(func))
  if (size > Math.min(costs.wideKernel, allowance.left)) throw new NotWide('it is large')
  allowance.left -= size
  const { work } = plan.sink
  const isTogether = from.some(hasBarrier)
  // Where lanes run over groups of one thread, what a group shares is that thread's own.
  const own =
    !isTogether && orderOf(func.info.entry!.numthreads).over === 'groups' ? [...privates, ...shared] : privates
  work.spend('instructions', size + own.length, func.span)
  const copy = cloneFunc(func, func.name)
  copy.info.entry = func.info.entry
  const inside = belongsInside(own, reach)
  const inlines = (callee: Func): boolean => mayInline(callee) && (inside(callee) || !computesIn64(callee))
  localise(copy, own, callee => mayInline(callee) && (isTogether || inside(callee)), work)
  // Until what is left of calls is made once for all lanes, or lane by lane.
  for (let found = true; found;) {
    const varying = isTogether
      ? undefined
      : new Varying(copy, rootsOf(copy), new Set(), plan.limits.trips !== undefined)
    const callees = new Set<Func>()
    walk(copy.body!, inst => {
      if (inst.op !== 'call' || !inlines(inst.attr)) return
      if (varying === undefined || !varying.isShared(inst)) callees.add(inst.attr)
    })
    found = callees.size > 0 && inlineAll(copy, callee => callees.has(callee), Infinity, work)
  }
  // Last, since the loop inlines what uses them.
  if (own.length > 0) promote(copy)
  const left = reach.calls(copy).find(inside)
  if (left !== undefined) throw new NotWide(`it calls ${left.name}`)
  return copy
}

/** True for functions with numbers of 64 bits, which vectors do not hold: each lane calls them. */
function computesIn64(func: Func): boolean {
  return holds(func.body!, i => i.results.some(r => r.type.kind === 'scalar' && bitsOf(r.type.scalar!) === 64))
}
