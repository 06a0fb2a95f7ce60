/** Which functions write what lies outside them. */
import type { Func } from '../ir/value.ts'
import { walk } from '../ir/walk.ts'
import { rootOf } from './activity.ts'
import type { AdContext } from './context.ts'

/** Whether a function itself writes global memory or prints; what its callees do is not asked. */
export function writesOutside(func: Func): boolean {
  let found = false
  walk(func.body!, inst => {
    if (inst.op === 'printf' || inst.op === 'atomic') found = true
    if (inst.op !== 'store') return
    const { def } = rootOf(inst.args[0]!)
    if (def.op !== 'param' && def.op === 'global') found = true
  })
  return found
}

/** The same, with its callees. */
export function writesAnywhere(cx: AdContext, func: Func, seen: Set<Func> = new Set()): boolean {
  if (seen.has(func) || func.info.library || cx.writing.has(func)) return false
  seen.add(func)
  cx.resolve(cx, func)
  if (func.body === undefined) return false
  let found = writesOutside(func)
  walk(func.body, inst => { if (!found && inst.op === 'call') found = writesAnywhere(cx, inst.attr, seen) })
  return found
}
