/**
 * Joins two branches on one condition, where only pure work stands between them:
 *
 *   %a = if %c () { A; yield %x } () { … }   %b = if %c () { B(%a) … } () { … }   →   %a, %b = if %c () { A; B(%x) … } () { … }
 */
import { Inst, Region, noRegions, type Value } from '../ir/value.ts'
import { walk, type ValueTable } from '../ir/walk.ts'
import { sizeOf } from './inline.ts'
import { isPure } from './match.ts'
import * as costs from '../ir/costs.ts'

/**
 * Joins `second` with an earlier `if` of `done`, and removes that one from `done`. Undefined where there is none. Instructions in
 * `second` may still use values that were replaced, also results of the first `if`: `resolve` gives their replacements.
 */
export function joinBranches(
  done: Inst[],
  second: Inst,
  leaves: (inst: Inst) => number,
  resolve: (value: Value) => Value,
): Inst | undefined {
  if (leaves(second) > 0) return undefined
  const at = findFirst(done, second.args[0]!)
  const first = done[at]
  if (first === undefined || leaves(first) > 0) return undefined
  if (first.regions.some(r => sizeOf(r, costs.branchSize) > costs.branchSize)) return undefined
  done.splice(at, 1)
  const regions = first.regions.map((r, k) => {
    const next = second.regions[k]!
    const end = r.end
    if (end.op !== 'yield') return r
    const values: ValueTable = []
    first.results.forEach((result, i) => {
      values[result.id] = end.args[i]!
    })
    walk(next, ({ args }) => {
      for (let i = 0; i < args.length; i++) {
        const v = resolve(args[i]!)
        args[i] = values[v.id] ?? v
      }
    })
    const joined = new Region()
    joined.insts = [...r.insts.slice(0, -1), ...next.insts]
    const last = joined.end
    if (last.op === 'yield') {
      joined.insts[joined.insts.length - 1] = new Inst('yield', [...end.args, ...last.args], null, noRegions, last.span)
    }
    return joined
  })
  const both = new Inst('if', first.args, null, regions, first.span)
  both.results = [...first.results, ...second.results]
  both.results.forEach((r, i) => {
    r.def = both
    r.index = i
  })
  return both
}

/** The index of the nearest `if` on the condition, if only pure work that does not use its results follows it. Otherwise -1. */
function findFirst(done: readonly Inst[], condition: Value): number {
  for (let i = done.length - 1; i >= 0 && i >= done.length - costs.branchReach; i--) {
    const inst = done[i]!
    if (inst.op === 'if')
      return inst.args[0] !== condition || done.slice(i + 1).some(later => later.args.some(a => a.def === inst))
        ? -1
        : i
    if (!isPure(inst)) return -1
  }
  return -1
}
