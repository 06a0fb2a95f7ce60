/**
 * Results of branches that share a slot: where no branch gives both, one result serves, since what was unspecified may be
 * anything. A derivative keeps a value for each branch that needs one, and those of a chain of `else if`s become one value:
 *
 *   %a, %b = if %c () { yield %x, %u } () { yield %u, %y }   →   %a = if %c () { yield %x } () { yield %y }
 */
import { Inst, type Func, type Value } from '../ir/value.ts'
import { substitute, walk, walkBack, type ValueTable } from '../ir/walk.ts'
import { definedBy } from './match.ts'
import { costs } from './costs.ts'

/** What the ends of the branches give for results that share it. */
interface Slot {
  readonly args: Value[]
  readonly results: number[]
}

/** Gives results of branches of one type the same values where they can have them; true where that changes any. */
export function slots(func: Func): boolean {
  if (func.body === undefined) return false
  const carried = new Set<Value>()
  const left = new Set<Inst>()
  walk(func.body, inst => {
    if (inst.op === 'next') inst.args.forEach(v => collect(v, carried))
    if (inst.op === 'leave') left.add(inst.attr)
  })
  let changed = false
  const to: ValueTable = []
  // Inner branches first: what they give in one slot, those around them do too.
  walkBack(func.body, inst => {
    if ((inst.op === 'if' || inst.op === 'switch') && inst.results.length > 1 && !left.has(inst) && share(inst, carried, to)) changed = true
  })
  if (changed) substitute(func.body, to)
  return changed
}

/** Adds a value that a loop carries on, and what it is chosen from: a counter must stay a counter. */
function collect(v: Value, carried: Set<Value>): void {
  if (carried.has(v) || !(v.def instanceof Inst) || v.def.regions.length === 0) return
  carried.add(v)
  for (const { end } of v.def.regions) {
    if (end.op === 'yield') collect(end.args[v.index]!, carried)
    else if (end.op === 'test') collect(end.args[v.index + 1]!, carried)
  }
}

function share(inst: Inst, carried: ReadonlySet<Value>, to: ValueTable): boolean {
  const ends = inst.regions.map(r => r.end)
  if (!ends.every(e => e.op === 'yield')) return false
  const found: Slot[] = []
  let changed = false
  for (let k = 0; k < inst.results.length; k++) {
    if (carried.has(inst.results[k]!)) continue
    const args: Value[] = []
    for (let i = 0; i < ends.length; i++) args.push(resolve(ends[i]!.args[k]!, to))
    const slot = slotFor(args, found)
    if (slot === undefined) {
      if (found.length >= costs.comparedResults) break
      found.push({ args, results: [k] })
      continue
    }
    changed = true
    slot.results.push(k)
    args.forEach((a, i) => { if (isAny(slot.args[i]!)) slot.args[i] = a })
  }
  for (const { args, results } of found) {
    if (results.length < 2) continue
    const [first, ...others] = results.map(k => inst.results[k]!)
    ends.forEach((e, i) => { e.args[first!.index] = args[i]! })
    for (const other of others) to[other.id] = first!
  }
  return changed
}

/** The first slot that can give these values too. */
function slotFor(args: readonly Value[], slots: readonly Slot[]): Slot | undefined {
  for (let n = 0; n < slots.length; n++) {
    const own = slots[n]!.args
    let fits = own[0]!.type === args[0]!.type
    for (let i = 0; i < args.length && fits; i++) fits = own[i] === args[i] || isAny(own[i]!) || isAny(args[i]!)
    if (fits) return slots[n]
  }
  return undefined
}

function resolve(v: Value, to: ValueTable): Value {
  let now = v
  for (let next = to[now.id]; next !== undefined; next = to[now.id]) now = next
  return now
}

function isAny(v: Value): boolean {
  return definedBy(v, 'undef') !== undefined
}
