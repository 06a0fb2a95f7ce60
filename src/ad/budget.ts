/**
 * `--max-context`: how many bytes a reverse pass may keep in memory. A derivative that keeps more is made again under more
 * pressure: stored bytes cost more than any computation, loops are cut into ever shorter stretches, those within loops too, and in the end
 * keep few of their states and run again from these.
 */
import type { Note } from '../base/diag.ts'
import { overBudget } from '../base/errors/ad.ts'
import { under, type AdContext, type Split } from './context.ts'
import type { Held } from './explain.ts'
import type { Func, Region } from '../ir/value.ts'
import { walk } from '../ir/walk.ts'
import { boundOf, statesOf, tripBound } from '../opt/loops.ts'
import { unrepeatable } from './rerun.ts'
import { bytesOf } from './residual.ts'
import { costs } from '../opt/costs.ts'

export interface Budget {
  readonly max: number
  /** Bytes besides registers of the context of a split function, by its primal half; and of what its reverse half has of its own, by that. */
  readonly slots: Map<Func, number>
  readonly inside: Map<Func, number>
}

/** Notes what a split function keeps: its slots, what its reverse half keeps, and what that calls. */
export function noteMemory(budget: Budget, split: Pick<Split, 'primal' | 'vjp'>, slots: number, inside: number, reverse: Region): void {
  const called = new Set<Func>()
  walk(reverse, inst => { if (inst.op === 'call') called.add(inst.attr) })
  let sum = inside
  for (const func of called) sum += (budget.slots.get(func) ?? 0) + (budget.inside.get(func) ?? 0)
  budget.slots.set(split.primal, slots)
  budget.inside.set(split.vjp, sum)
}

/** After so many attempts a derivative is said not to fit. */
const maxPressure = 2 * costs.budgetHalvings
/** Values that a complaint names. */
const namedLimit = 5

/** By how much a stored byte weighs more than else. */
export function byteScale(cx: AdContext): number {
  return cx.policy.pressure === 0 ? 1 : costs.byteUnderPressure
}

/** Bytes of states that a loop may keep before it is cut into stretches, where that is not as else. */
export function loopLimit(cx: AdContext): number | undefined {
  return cx.budget === undefined || cx.policy.pressure === 0 ? undefined : cx.budget.max / 2 ** ((cx.policy.pressure - 1) % costs.budgetHalvings)
}

/** Lets long loops keep no more states than the budget has room for: the rest is run again, as under `[Checkpoints]`. */
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
      if (statesOf(inst.attr) !== undefined || unrepeatable(inst) !== undefined || (bound !== undefined && bound * bytes <= limit)) continue
      const states = Math.max(1, Math.floor(limit / bytes))
      inst.attr = bound === undefined ? [states] : [states, bound]
    }
  }
  visit(func.body!)
}

/** Makes the derivative of `of` so that it keeps within the budget, or says what is in the way. */
export function withinBudget(cx: AdContext, of: Func, make: (cx: AdContext) => Split | undefined): Split | undefined {
  const { budget } = cx
  if (budget === undefined) return make(cx)
  const mark = cx.explain?.mark?.() ?? 0
  for (let pressure = 0; ; pressure++) {
    const split = make(under(cx, { pressure }))
    const bytes = split === undefined ? 0 : (budget.slots.get(split.primal) ?? 0) + (budget.inside.get(split.vjp) ?? 0)
    if (split === undefined || bytes <= budget.max || pressure >= maxPressure || cx.sink.errors > 0) {
      if (bytes > budget.max) complain(cx, of, split!, bytes, budget.max)
      return split
    }
    cx.explain?.forget?.(mark)
  }
}

function complain(cx: AdContext, of: Func, split: Split, bytes: number, max: number): void {
  const held = cx.explain?.heldBy?.(split.primal) ?? []
  const notes = [...held].sort((a, b) => b.residual.stored - a.residual.stored).slice(0, namedLimit).map(noteOf)
  cx.sink.add(overBudget, of.span ?? undefined, { name: of.name, bytes: Number.isFinite(bytes) ? String(bytes) : 'any number of', max: String(max) }, ...notes)
}

function noteOf({ residual: r, span, func }: Held): Note {
  const each = r.trips === 1 ? '' : `, ${r.bytes} for each of ${r.trips ?? 'its'} trips`
  return { span: span ?? func.span ?? undefined, text: `${r.value}: ${r.stored} bytes${each}: ${r.reason}` }
}
