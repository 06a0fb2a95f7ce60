/**
 * Simplifies values that a loop carries into a trip that never happens. Where a flag among the carried values ends the loop, the
 * other carried values then matter only to the loop's results:
 *
 *   loop (%i, %go) { test (and %c %go) } { … next (select %e, %i, %j), (not %e) }   →   next %j, (not %e)
 *
 * So a counter stays a counter although the loop may end early.
 */
import { Inst, Value, noRegions, type Func, type Region } from '../ir/value.ts'
import { walk } from '../ir/walk.ts'
import { constantOf, definedBy } from './match.ts'
import * as costs from '../ir/costs.ts'

/** Simplifies the carried values that nothing uses once a flag ends the loop. True if it changed one. */
export function forgetCarried(func: Func, loop: Inst<'loop'>): boolean {
  const head = loop.regions[0]!
  const again = loop.regions[1]!.end
  if (head.end.op !== 'test' || again.op !== 'next') return false
  const flags = new Set<Value>()
  collectFlags(head.end.args[0]!, head, flags)
  if (flags.size === 0) return false
  const seen = seenAtExit(head)
  if (seen === undefined) return false
  let changed = false
  for (const flag of flags) {
    const goes = again.args[flag.index]!
    for (let k = 0; k < head.params.length; k++) {
      const p = head.params[k]!
      if (p === flag || seen.has(p) || flags.has(p)) continue
      const simpler = unseen(func, loop, again.args[k]!, goes)
      if (simpler === undefined) continue
      again.args[k] = simpler
      changed = true
    }
  }
  return changed
}

/** The carried flags that must all hold for the loop to go on. */
function collectFlags(condition: Value, head: Region, into: Set<Value>): void {
  if (condition.def === head) into.add(condition)
  const both = definedBy(condition, 'and')
  if (both !== undefined) for (const part of both.args) collectFlags(part, head, into)
}

/** The parameters of a head that its exits depend on; undefined where the head does more than compute. */
function seenAtExit(head: Region): Set<Value> | undefined {
  if (head.insts.length > costs.carriedHead || head.insts.some(inst => !inst.row.ends && inst.row.effect !== 'none'))
    return undefined
  const seen = new Set<Value>()
  const see = (v: Value): void => {
    if (seen.has(v)) return
    seen.add(v)
    if (v.def.op !== 'param' && head.insts.includes(v.def)) v.def.args.forEach(see)
  }
  head.end.args.slice(1).forEach(see)
  return seen
}

/** A simpler value that may replace a carried one, given that nothing uses it where `goes` is false. */
function unseen(func: Func, loop: Inst<'loop'>, value: Value, goes: Value): Value | undefined {
  const choice = definedBy(value, 'select')
  if (choice !== undefined) {
    const [c, x, y] = [choice.args[0]!, choice.args[1]!, choice.args[2]!]
    if (needs(goes, c, true)) return x
    return needs(goes, c, false) ? y : undefined
  }
  const branch = definedBy(value, 'if')
  if (branch === undefined || goes.def !== branch || usesIn(loop, value) > 1) return undefined
  let changed = false
  for (const r of branch.regions) {
    const end = r.end
    if (end.op !== 'yield' || constantOf(end.args[goes.index]!) !== false) continue
    const old = end.args[value.index]!
    if (definedBy(old, 'undef') !== undefined) continue
    const undef = new Inst('undef', [], null, noRegions, end.span)
    const any = new Value(func.nextValue++, old.type, undef, 0, '')
    undef.results.push(any)
    r.insts.splice(r.insts.length - 1, 0, undef)
    end.args[value.index] = any
    changed = true
  }
  return changed ? value : undefined
}

/** How often a value that a loop's body defines is used. */
function usesIn(loop: Inst<'loop'>, value: Value): number {
  let count = 0
  walk(loop.regions[1]!, inst => {
    for (const a of inst.args) if (a === value) count++
  })
  return count
}

/** True where `goes` can only hold if the condition is as `holds` says. */
function needs(goes: Value, condition: Value, holds: boolean): boolean {
  if (goes === condition) return holds
  const inverse = definedBy(goes, 'not')
  if (inverse !== undefined) return inverse.args[0] === condition && !holds
  const both = definedBy(goes, 'and')
  return both !== undefined && both.args.some(part => needs(part, condition, holds))
}
