/**
 * Removes early exits from blocks. If every `leave` of a block ends a branch of an `if` directly in it, the code after the `if`
 * moves into the other branch. The same holds for branches of an `if` or `switch`.
 *
 *   block () { A; if %c () { leave } () { yield }; B; yield }   →   A; if %c () { yield } () { B; yield }
 */
import { Inst, Value, noRegions, type Func, type Region } from '../ir/value.ts'
import { moveTail } from '../ir/exits.ts'
import * as costs from '../ir/costs.ts'

/** Rewrites the regions of a block, `if` or `switch`. It calls `replace` with each result of an `if` that another value replaces. */
export function nestGuards(
  func: Func,
  block: Inst,
  leaves: Map<Inst, number>,
  replace: (from: Value, to: Value) => void,
): boolean {
  const total = leaves.get(block) ?? 0
  if (total === 0 || total > costs.guardNest) return false
  let direct = 0
  for (const region of block.regions) {
    for (const inst of region.insts) {
      if (isGuard(inst, block, leaves)) direct += inst.regions.filter(r => leavesBlock(r, block)).length
    }
    if (leavesBlock(region, block)) direct++
  }
  if (direct !== total) return false
  for (const region of block.regions) nest(func, block, region, leaves, replace)
  leaves.set(block, 0)
  return true
}

function leavesBlock(region: Region, block: Inst): boolean {
  return region.end.op === 'leave' && region.end.attr === block
}

function isGuard(inst: Inst, block: Inst, leaves: Map<Inst, number>): boolean {
  return inst.op === 'if' && (leaves.get(inst) ?? 0) === 0 && inst.regions.some(r => leavesBlock(r, block))
}

function nest(
  func: Func,
  block: Inst,
  region: Region,
  leaves: Map<Inst, number>,
  replace: (from: Value, to: Value) => void,
): void {
  if (leavesBlock(region, block)) region.insts[region.insts.length - 1] = yields(region.end)
  const at = region.insts.findIndex(inst => isGuard(inst, block, leaves))
  if (at < 0) return
  const guard = region.insts[at]!
  const onward = guard.regions.find(r => r.end.op === 'yield' && !leavesBlock(r, block))
  if (onward === undefined) region.insts.length = at + 1
  else moveTail(region, at, onward, replace)
  const merged = new Inst('if', guard.args, null, guard.regions, guard.span)
  for (let k = 0; k < block.results.length; k++) {
    merged.results.push(new Value(func.nextValue++, block.results[k]!.type, merged, k, block.results[k]!.name))
  }
  region.insts[at] = merged
  region.insts.push(new Inst('yield', [...merged.results], null, noRegions, guard.span))
  for (const r of guard.regions) {
    if (leavesBlock(r, block)) r.insts[r.insts.length - 1] = yields(r.end)
  }
  if (onward !== undefined) nest(func, block, onward, leaves, replace)
}

function yields(leave: Inst): Inst {
  return new Inst('yield', leave.args, null, noRegions, leave.span)
}
