/**
 * Fits a reverse pass into `--max-context` bytes of memory. A derivative that keeps more is made again under more pressure: stored
 * bytes then cost more than any computation, and loops are cut into ever shorter segments, inner loops too. In the end loops keep
 * few of their states and run again from these.
 */
import type { Budget, Held, Split } from './model.ts'
import type { Note } from '../base/diag.ts'
import { overBudget } from '../base/errors/ad.ts'
import { under, type AdContext } from './context.ts'
import type { Func, Region } from '../ir/value.ts'
import { walk } from '../ir/walk.ts'
import { boundOf, statesOf, tripBound } from '../opt/loops.ts'
import { unrepeatable } from './checkpointed-loop.ts'
import { sourceOf } from './plan.ts'
import { bytesOf } from './residual.ts'
import * as costs from '../ir/costs.ts'

/** Notes the bytes that a split function keeps: its context, and what its reverse half and the calls in there keep. */
export function noteMemory(
  budget: Budget,
  split: Pick<Split, 'primal' | 'vjp'>,
  context: number,
  inside: number,
  reverse: Region,
): void {
  const called = new Set<Func>()
  walk(reverse, inst => {
    if (inst.op === 'call') called.add(inst.attr)
  })
  let sum = inside
  for (const func of called) sum += (budget.context.get(func) ?? 0) + (budget.inside.get(func) ?? 0)
  budget.context.set(split.primal, context)
  budget.inside.set(split.vjp, sum)
}

/** After so many attempts the derivative does not fit, and an error says so. */
const maxPressure = 2 * costs.budgetHalvings
/** How many values the error names; it shapes no code. */
const namedLimit = 5

/** How much more a stored byte costs than it does without a budget. */
export function byteScale(cx: AdContext): number {
  return cx.policy.pressure === 0 ? 1 : costs.byteUnderPressure
}

/** How many bytes of states a loop may keep under the budget before it is cut into segments; undefined where the usual limits hold. */
export function loopLimit(cx: AdContext): number | undefined {
  return cx.budget === undefined || cx.policy.pressure === 0
    ? undefined
    : cx.budget.max / 2 ** ((cx.policy.pressure - 1) % costs.budgetHalvings)
}

/** Lets long loops keep no more states than the budget has room for. Their trips run again from those, as under `[Checkpoints]`. */
export function limitStates(cx: AdContext, func: Func): void {
  const limit = loopLimit(cx)
  if (limit === undefined || cx.policy.pressure <= costs.budgetHalvings) return
  const visit = (region: Region): void => {
    for (const inst of region.insts) {
      if (inst.op !== 'loop') {
        inst.regions.forEach(visit)
        continue
      }
      const bound = tripBound(inst)?.max ?? boundOf(inst.attr)
      const bytes = inst.args.reduce((sum, v) => sum + bytesOf(v.type), 4)
      if (
        statesOf(inst.attr) !== undefined ||
        unrepeatable(cx, inst, func.body!) !== undefined ||
        (bound !== undefined && bound * bytes <= limit)
      )
        continue
      const states = Math.max(1, Math.floor(limit / bytes))
      inst.attr = bound === undefined ? [states] : [states, bound]
    }
  }
  visit(func.body!)
}

/** Makes the derivative of `of` within the budget. Where it cannot fit, an error names the largest values. */
export function withinBudget(cx: AdContext, of: Func, make: (cx: AdContext) => Split | undefined): Split | undefined {
  const { budget } = cx
  if (budget === undefined) return make(cx)
  const mark = cx.explain?.mark?.() ?? 0
  for (let pressure = 0; ; pressure++) {
    const split = make(under(cx, { pressure }))
    const bytes =
      split === undefined ? 0 : (budget.context.get(split.primal) ?? 0) + (budget.inside.get(split.vjp) ?? 0)
    if (split === undefined || bytes <= budget.max || pressure >= maxPressure || cx.sink.errors > 0) {
      if (bytes > budget.max) complain(cx, of, split!, bytes, budget.max)
      return split
    }
    cx.explain?.forget?.(mark)
  }
}

function complain(cx: AdContext, of: Func, split: Split, bytes: number, max: number): void {
  const held = cx.explain?.heldBy?.(split.primal) ?? []
  const notes = [...held]
    .sort((a, b) => b.residual.stored - a.residual.stored)
    .slice(0, namedLimit)
    .map(noteOf)
  cx.sink.add(
    overBudget,
    of.span ?? undefined,
    { name: sourceOf(cx, of).name, bytes: Number.isFinite(bytes) ? String(bytes) : 'any number of', max: String(max) },
    ...notes,
  )
}

function noteOf({ residual: r, span, func }: Held): Note {
  const each = r.trips === 1 ? '' : `, ${r.bytes} for each of ${r.trips ?? 'its'} trips`
  return { span: span ?? func.span ?? undefined, text: `${r.value}: ${r.stored} bytes${each}: ${r.reason}` }
}
