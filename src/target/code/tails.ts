/**
 * Turns early exits of a block into branches: where one side of an `if` leaves the block, the code after the `if` moves into the
 * other side. Most blocks, such as those of inlined early returns, then need no `break` at all.
 */
import * as costs from '../../ir/costs.ts'
import { Inst, Value, type Func, type Region } from '../../ir/value.ts'
import { substitute, type ValueTable } from '../../ir/walk.ts'
import type { Capabilities } from './tree.ts'
import { Exits, moveTail } from '../../ir/exits.ts'

/** Rewrites a function of the legal form in place. */
export function branchTails(func: Func, can: Capabilities): void {
  yieldAtEnds(func.body!)
  visit(func, func.body!, Exits.in(func), can)
}

/** A `leave` of a construct that is the end of one of its regions is a `yield`. */
function yieldAtEnds(region: Region): void {
  for (let i = 0; i < region.insts.length; i++) {
    const inst = region.insts[i]!
    for (let k = 0; k < inst.regions.length; k++) {
      const { insts, end } = inst.regions[k]!
      if (end.op === 'leave' && end.attr === inst && inst.op !== 'loop')
        insts[insts.length - 1] = new Inst('yield', end.args, null, [], end.span)
      yieldAtEnds(inst.regions[k]!)
    }
  }
}

function visit(func: Func, region: Region, exits: Exits, can: Capabilities): void {
  // The first block of a loop's body is left by `continue`.
  const continued =
    can.continuing && region.end.op === 'next' ? region.insts.find(i => i.op === 'block' && exits.isLeft(i)) : undefined
  for (let i = 0; i < region.insts.length; i++) {
    const inst = region.insts[i]!
    for (let i = 0; i < inst.regions.length; i++) visit(func, inst.regions[i]!, exits, can)
    if (inst.op === 'block' && exits.isLeft(inst) && inst !== continued) tail(func, inst.regions[0]!, inst, exits, 0)
  }
}

/** The region's end is the block's end: a `leave` of the block there is a `yield`. */
function tail(func: Func, region: Region, block: Inst, exits: Exits, depth: number): void {
  const end = region.end
  if (end.op === 'leave' && end.attr === block) {
    region.insts[region.insts.length - 1] = new Inst('yield', end.args, null, [], end.span)
    return
  }
  if (end.op !== 'yield' || depth > costs.movedTailDepth) return
  for (let i = 0; i < region.insts.length - 1; i++) {
    const inst = region.insts[i]!
    if (inst.op !== 'if' || exits.isLeft(inst)) continue
    const leaves = inst.regions.map(r => r.end.op === 'leave' && r.end.attr === block)
    const goesOn = inst.regions.map(r => r.end.op === 'yield')
    const yes = inst.regions[0]!,
      no = inst.regions[1]!
    if (leaves[0] === true && goesOn[1] === true) move(func, region, i, no, block)
    else if (leaves[1] === true && goesOn[0] === true) move(func, region, i, yes, block)
    else continue
    break
  }
  const last = region.insts[region.insts.length - 2]
  if (last === undefined || last.op !== 'if') return
  const handsOn =
    region.end.args.length === last.results.length && region.end.args.every((a, k) => a === last.results[k])
  if (handsOn) for (let i = 0; i < last.regions.length; i++) tail(func, last.regions[i]!, block, exits, depth + 1)
}

/** Moves the code after the `if` at `at` to the end of one of its branches. The `if` then gives the results of the block. */
function move(func: Func, region: Region, at: number, into: Region, block: Inst): void {
  const old = region.insts[at]!
  const values: ValueTable = []
  moveTail(region, at, into, (result, value) => {
    values[result.id] = value
  })
  substitute(into, values)
  const inst = new Inst('if', old.args, null, old.regions, old.span)
  inst.results = block.results.map((r, k) => new Value(func.nextValue++, r.type, inst, k, r.name))
  region.insts[at] = inst
  region.insts.push(new Inst('yield', [...inst.results], null, [], block.span))
  // The other branch still leaves the block; its caller sees it at the tail and makes it a `yield`.
}
