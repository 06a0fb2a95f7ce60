/**
 * Checks features that only some stages have: derivatives between pixels and `discard` in fragment entry points, and shared memory
 * in compute entry points.
 */
import type { Sink } from '../../base/diag.ts'
import { notInStage } from '../../base/errors/target.ts'
import type { Func, Inst } from '../../ir/value.ts'
import { walk } from '../../ir/walk.ts'
import { intrinsicOf, type Intrinsic } from './intrinsic.ts'
import type { Reach } from './reach.ts'

function calledBy(inst: Inst): Intrinsic | undefined {
  return inst.op === 'call' ? intrinsicOf(inst.attr) : undefined
}

/** Whether some function uses operations on subgroups. */
export function usesSubgroups({ intrinsics }: Reach): boolean {
  for (const { uniformity } of intrinsics) if (uniformity === 'subgroup') return true
  return false
}

/** Adds a diagnostic for each reached feature that the entry point's stage lacks. */
export function checkStage(entry: Func, reach: Reach, sink: Sink): void {
  const { stage } = entry.info.entry!
  if (stage === 'compute' && ![...reach.intrinsics].some(i => i.stage === 'fragment')) return
  const seen = new Set<string>()
  const report = (what: string, needed: string, inst: Inst): void => {
    if (seen.has(what)) return
    seen.add(what)
    sink.add(notInStage, inst.span ?? entry.span ?? undefined, { what, name: entry.name, stage, needed })
  }
  for (const func of reach.funcs) {
    walk(func.body!, inst => {
      const intrinsic = calledBy(inst)
      if (intrinsic?.stage !== undefined && intrinsic.stage !== stage)
        report(intrinsic.source ?? intrinsic.name, intrinsic.stage, inst)
      if (stage === 'compute') return
      if (stage === 'vertex' && intrinsic?.uniformity === 'subgroup')
        report('a wave operation', 'compute and fragment', inst)
      if (stage === 'vertex' && inst.op === 'printf') report('printf', 'compute and fragment', inst)
      if (stage === 'vertex' && inst.op === 'global' && inst.attr.space === 'storage_rw') {
        report(`the writable buffer ${inst.attr.name}`, 'compute and fragment', inst)
      }
      if (inst.op === 'barrier') report('a barrier', 'compute', inst)
      if (inst.op === 'global' && inst.attr.space === 'workgroup')
        report(`groupshared ${inst.attr.name}`, 'compute', inst)
    })
  }
}

/** Whether pixels may have diverged where an entry point or a function for one compares them: after any branch, or in a called function. */
export function mayDiverge(root: Func, { funcs }: Reach): boolean {
  if (root.info.entry !== undefined && root.info.entry.stage !== 'fragment') return false
  let diverged = false
  for (const inst of root.body!.insts) {
    if (diverged && calledBy(inst)?.uniformity === 'derivative') return true
    if (inst.regions.length > 0) diverged = true
    for (const region of inst.regions) if (compares(region.insts)) return true
  }
  return [...funcs].some(f => f !== root && compares(f.body!.insts))
}

function compares(insts: readonly Inst[]): boolean {
  return insts.some(i => calledBy(i)?.uniformity === 'derivative' || i.regions.some(r => compares(r.insts)))
}
