/** The call graph, and what initial values need. Chains of calls are as long as programs are, so nothing here follows them by recursion. */
import type { Func, Global } from './value.ts'
import { walk } from './walk.ts'

/** The functions that a function calls, each once, in the order of its calls. */
export function calleesOf(func: Func): readonly Func[] {
  const callees = new Set<Func>()
  if (func.body !== undefined)
    walk(func.body, inst => {
      if (inst.op === 'call') callees.add(inst.attr)
    })
  return [...callees]
}

/**
 * Functions and all that they call, callees before callers. Calls `circle` for each callee that also calls its caller, directly or not.
 * Leaves out functions for which `isKnown` holds, and what only those call.
 */
export function calleesFirst(
  roots: readonly Func[],
  circle?: (callee: Func) => void,
  isKnown?: (func: Func) => boolean,
): readonly Func[] {
  const order: Func[] = []
  const seen = new Set<Func>()
  /** The functions being visited, each with the callees still to visit, the next one last. */
  const open: { readonly func: Func; readonly left: Func[] }[] = []
  const enter = (func: Func): void => {
    if (!seen.has(func)) {
      seen.add(func)
      if (isKnown?.(func) === true) return
      open.push({ func, left: calleesOf(func).toReversed() })
    } else if (circle !== undefined && open.some(o => o.func === func)) circle(func)
  }
  for (const root of roots) {
    if (!seen.has(root)) enter(root)
    for (let at = open.at(-1); at !== undefined; at = open.at(-1)) {
      const callee = at.left.pop()
      if (callee !== undefined) enter(callee)
      else order.push(open.pop()!.func)
    }
  }
  return order
}

/** Whether the initial value of a variable needs the variable, through the functions that it calls and the variables that those read. */
export function needsItself(global: Global): boolean {
  const needed = new Set<Func>(global.init === undefined ? [] : [global.init])
  let found = false
  // A set that grows is gone through to its end.
  for (const func of needed) {
    if (func.body !== undefined)
      walk(func.body, inst => {
        if (inst.op === 'call') needed.add(inst.attr)
        if (inst.op !== 'global') return
        const other = inst.attr
        if (other === global) found = true
        if (other.init !== undefined) needed.add(other.init)
      })
    if (found) return true
  }
  return false
}
