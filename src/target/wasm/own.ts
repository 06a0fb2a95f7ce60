/**
 * Kernels whose static variables are variables of their own: values where they can be, instead of memory that functions share. Functions that use
 * them become part of the kernel.
 */
import { barrierInside } from '../../base/errors/wasm.ts'
import type { Work } from '../../base/limits.ts'
import * as costs from '../../ir/costs.ts'
import type { Func, Global } from '../../ir/value.ts'
import { cloneFunc, walk } from '../../ir/walk.ts'
import { sizeOf } from '../../opt/inline.ts'
import { isRecursive } from '../../opt/recursion.ts'
import { sroa } from '../../opt/sroa.ts'
import { ssa } from '../../opt/ssa.ts'
import { hasBarrier, localise, touches } from './lockstep.ts'
import type { Plan } from './plan.ts'
import type { Reach } from './reach.ts'

/**
 * A copy of a kernel that runs one thread at a time, whose static variables are its own: of each kernel with barriers, since threads take turns, and
 * of others where that takes little code, which is taken from the allowance of the program. Undefined for the rest.
 */
export function ownKernel(
  func: Func,
  privates: readonly Global[],
  plan: Plan,
  reach: Reach,
  allowance: { left: number },
): Func | undefined {
  const { sink } = plan
  const inside = belongsInside(privates, reach)
  if ([...reach.from(func)].some(hasBarrier)) {
    sink.work.spend('instructions', sizeOf(func.body!) + privates.length, func.span)
    const copy = copyOf(func, privates, inside, sink.work)
    for (const callee of reach.calls(copy).filter(inside))
      sink.add(barrierInside, callee.span ?? undefined, { func: callee.name })
    return copy
  }
  if (privates.length === 0 || reach.lists(func)) return undefined
  const roots = [func, ...privates.flatMap(g => g.init ?? [])]
  const users = roots.flatMap(root => [...reach.from(root)]).filter(f => f !== func && inside(f))
  if (users.some(f => isRecursive(f) || plan.target(f).kind !== 'call')) return undefined
  const sizeOfAll = inlinedSizes(inside, 1)
  const size = roots.reduce((sum, root) => sum + sizeOfAll(root), 0)
  if (size > Math.min(costs.ownKernel, allowance.left)) return undefined
  allowance.left -= size
  // The allowance bounds it, whatever the limits of the program.
  const copy = copyOf(func, privates, inside, undefined)
  // Of a chain of very many calls some are left. Variables in memory are right, too.
  return reach.calls(copy).some(inside) ? undefined : copy
}

/** A copy of a kernel with what is inside of it, and with variables of its own. */
function copyOf(
  func: Func,
  privates: readonly Global[],
  inside: (callee: Func) => boolean,
  work: Work | undefined,
): Func {
  const copy = cloneFunc(func, func.name)
  copy.info.entry = func.info.entry
  localise(copy, privates, inside, work)
  promote(copy)
  return copy
}

/** Tells of functions that have to be part of a kernel with variables of its own: those with barriers or with uses of static variables. */
export function belongsInside(privates: readonly Global[], reach: Reach): (callee: Func) => boolean {
  const known = new Map<Func, boolean>()
  return callee => {
    let is = known.get(callee)
    if (is === undefined)
      known.set(callee, (is = [...reach.from(callee)].some(f => hasBarrier(f) || touches(f, privates))))
    return is
  }
}

/** Makes values of what a function holds in variables that have just become its own. */
export function promote(func: Func): void {
  sroa(func)
  ssa(func)
}

/** Tells how many instructions a function has with all that becomes part of it, where an atomic access counts as so many. */
export function inlinedSizes(mayInline: (callee: Func) => boolean, atomic: number): (func: Func) => number {
  const sizes = new Map<Func, number>()
  const size = (f: Func): number => {
    const old = sizes.get(f)
    if (old !== undefined) return old
    sizes.set(f, 0)
    let sum = 0
    if (f.body !== undefined) {
      sum = sizeOf(f.body)
      walk(f.body, inst => {
        if (inst.op === 'call' && mayInline(inst.attr)) sum += size(inst.attr)
        else if (inst.op === 'atomic') sum += atomic - 1
      })
    }
    sizes.set(f, sum)
    return sum
  }
  return size
}
