/** Finds which functions are pure, from their bodies. It assumes that they terminate. */
import { calleesFirst } from '../ir/calls.ts'
import type { Inst, Module, Region } from '../ir/value.ts'
import { isReadOnly, pathOf } from './alias.ts'

/** Sets `info.pure` of all functions with a body, callees before callers. True if that finds a new one. */
export function effects(module: Module): boolean {
  let changed = false
  for (const func of calleesFirst(module.funcs)) {
    if (func.body === undefined || func.info.pure || !isPureRegion(func.body)) continue
    func.info.pure = true
    changed = true
  }
  return changed
}

/** True if a region accesses only local variables and read-only memory, and cannot trap. */
function isPureRegion({ insts }: Region): boolean {
  for (let i = 0; i < insts.length; i++) if (!isSilent(insts[i]!)) return false
  return true
}

/** The same of an instruction. */
export function isSilent(inst: Inst): boolean {
  const { op } = inst
  if (op === 'call') {
    if (!inst.attr.info.pure) return false
  } else if (op === 'load' || op === 'store') {
    const space = inst.args[0]!.type.space!
    if (space !== 'function' && (op === 'store' || !isReadOnly(space))) return false
    if (space === 'function' && pathOf(inst.args[0]!).root === undefined) return false
  } else if (op !== 'var' && (inst.row.effect === 'write' || inst.row.effect === 'read')) return false
  for (let k = 0; k < inst.regions.length; k++) if (!isPureRegion(inst.regions[k]!)) return false
  return true
}
