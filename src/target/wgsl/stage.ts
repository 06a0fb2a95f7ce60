/**
 * Checks features that only some stages have: derivatives between pixels and `discard` in fragment entry points, and shared memory
 * in compute entry points.
 */
import type { Sink } from '../../base/diag.ts'
import { notInStage } from '../../base/errors/target.ts'
import type { Func, Inst } from '../../ir/value.ts'
import { walk } from '../../ir/walk.ts'
import { together } from './legal.ts'
import type { Reach } from './reach.ts'

/** WGSL functions that use values of neighbouring pixels. */
const implicit = /^(dpd[xy](Fine|Coarse)?|fwidth(Fine|Coarse)?|textureSample(Bias|Compare)?)$/

/** How the source says it. */
const sourceNames: Readonly<Record<string, string>> = {
  textureSample: 'Sample',
  textureSampleBias: 'SampleBias',
  textureSampleCompare: 'SampleCmp',
  dpdx: 'ddx',
  dpdy: 'ddy',
  dpdxFine: 'ddx_fine',
  dpdyFine: 'ddy_fine',
  dpdxCoarse: 'ddx_coarse',
  dpdyCoarse: 'ddy_coarse',
}

/** Whether only fragment stages have a function. */
function isOfPixels(name: string): boolean {
  return name === 'discard' || implicit.test(name)
}

function intrinsicOf(inst: Inst): string | undefined {
  return inst.op === 'call' ? inst.attr.info.intrinsics?.['wgsl'] : undefined
}

/** Whether some function uses operations on subgroups. */
export function usesSubgroups({ intrinsics }: Reach): boolean {
  for (const name of intrinsics) if (together.test(name)) return true
  return false
}

/** Adds a diagnostic for each reached feature that the entry point's stage lacks. */
export function checkStage(entry: Func, reach: Reach, sink: Sink): void {
  const { stage } = entry.info.entry!
  if (stage === 'compute' && ![...reach.intrinsics].some(isOfPixels)) return
  const seen = new Set<string>()
  const report = (what: string, needed: string, inst: Inst): void => {
    if (seen.has(what)) return
    seen.add(what)
    sink.add(notInStage, inst.span ?? entry.span ?? undefined, { what, name: entry.name, stage, needed })
  }
  for (const func of reach.funcs) {
    walk(func.body!, inst => {
      const name = intrinsicOf(inst)
      if (stage !== 'fragment' && name !== undefined && isOfPixels(name))
        report(sourceNames[name] ?? name, 'fragment', inst)
      if (stage === 'compute') return
      if (stage === 'vertex' && name !== undefined && together.test(name))
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

/** Whether pixels may have diverged where the entry point compares them: after any branch, or in a called function. */
export function mayPart(entry: Func, { funcs }: Reach): boolean {
  if (entry.info.entry!.stage !== 'fragment') return false
  let parted = false
  for (const inst of entry.body!.insts) {
    if (parted && intrinsicOf(inst) !== undefined && implicit.test(intrinsicOf(inst)!)) return true
    if (inst.regions.length > 0) parted = true
    for (const region of inst.regions) if (compares(region.insts)) return true
  }
  return [...funcs].some(f => f !== entry && compares(f.body!.insts))
}

function compares(insts: readonly Inst[]): boolean {
  return insts.some(i => implicit.test(intrinsicOf(i) ?? '') || i.regions.some(r => compares(r.insts)))
}
