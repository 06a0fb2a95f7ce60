/** Whether functions have effects outside of themselves: writes to global memory, atomics, output. */
import type { PlainOp } from '../ir/op.ts'
import type { Func } from '../ir/value.ts'
import { walk } from '../ir/walk.ts'
import { baseOf } from '../ir/pointer.ts'
import type { AdContext } from './context.ts'

/** Whether a function itself writes global memory or prints. Its callees are not looked at. */
export function writesOutside(func: Func): boolean {
  let found = false
  walk(func.body!, inst => {
    switch (inst.op) {
      case 'printf':
      case 'atomic':
        found = true
        return
      case 'store': {
        const { def } = baseOf(inst.args[0]!)
        if (def.op !== 'param' && def.op === 'global') found = true
        return
      }
      case 'var':
      case 'global':
      case 'field':
      case 'elem':
      case 'load':
      case 'barrier':
      case 'trap':
      case 'call':
      case 'if':
      case 'switch':
      case 'loop':
      case 'block':
      case 'yield':
      case 'test':
      case 'next':
      case 'leave':
      case 'ret':
      case 'unreachable':
        return
      case 'intrinsic.pure':
      case 'intrinsic.read':
      case 'intrinsic.write':
      case 'intrinsic.hide':
        return
      default:
        inst.op satisfies PlainOp
    }
  })
  return found
}

/** Whether a function or any of its callees writes global memory or prints. */
export function writesAnywhere(cx: AdContext, func: Func, seen: Set<Func> = new Set()): boolean {
  if (seen.has(func) || func.info.library || cx.writing.has(func)) return false
  seen.add(func)
  cx.resolve(cx, func)
  if (func.body === undefined) return false
  let found = writesOutside(func)
  walk(func.body, inst => {
    if (!found && inst.op === 'call') found = writesAnywhere(cx, inst.attr, seen)
  })
  return found
}
