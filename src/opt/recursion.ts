/** Finds functions that may call themselves, directly or through others. They are never inlined, since that would not end. */
import type { Func } from '../ir/value.ts'
import { walk } from '../ir/walk.ts'

/** Forgets the answers for functions: a derivative that has a body now may call its callers. */
export function forgetRecursion(funcs: readonly Func[]): void {
  for (const func of funcs) func.recursive = undefined
}

interface Visit {
  readonly func: Func
  readonly callees: readonly Func[]
  /** How many of them have been looked at. */
  next: number
  /** The earliest function on the way here that this one reaches. */
  low: number
}

function calleesOf(func: Func): readonly Func[] {
  const found = new Set<Func>()
  if (func.body !== undefined)
    walk(func.body, inst => {
      if (inst.op === 'call') found.add(inst.attr)
    })
  // A derivative that is still to be made will call what its function calls.
  else if (func.request !== undefined) found.add(func.request.of)
  return [...found]
}

/**
 * True for a function that is part of a circle of calls. Tarjan's algorithm ("Depth-first search and linear graph algorithms",
 * 1972) settles each function that it visits, so all queries together take linear time.
 */
export function isRecursive(func: Func): boolean {
  // Of all passes, only derivatives add recursion.
  if (func.recursive !== undefined) return func.recursive
  const index = new Map<Func, number>()
  const open: Func[] = []
  const way: Visit[] = []
  const enter = (f: Func): void => {
    way.push({ func: f, callees: calleesOf(f), next: 0, low: index.size })
    index.set(f, index.size)
    open.push(f)
  }
  enter(func)
  for (let at = way.at(-1); at !== undefined; at = way.at(-1)) {
    const callee = at.callees[at.next++]
    if (callee !== undefined) {
      const seen = index.get(callee)
      if (callee.recursive !== undefined) continue
      if (seen === undefined) enter(callee)
      else at.low = Math.min(at.low, seen)
      continue
    }
    way.pop()
    const above = way.at(-1)
    if (above !== undefined) above.low = Math.min(above.low, at.low)
    if (at.low !== index.get(at.func)) continue
    const circle = open.splice(open.lastIndexOf(at.func))
    for (const f of circle) f.recursive = circle.length > 1 || at.callees.includes(f)
  }
  return func.recursive!
}
