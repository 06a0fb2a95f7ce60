/**
 * Coalesces results of branches: where no branch gives both of two results, one result serves for both.
 *
 *   %a, %b = if %c () { yield %x, %u } () { yield %u, %y }   →   %a = if %c () { yield %x } () { yield %y }
 *
 * Here `%u` is unspecified, so it may be any value. Derivatives give such results: they keep one value for each branch that
 * needs one, and those of a chain of `else if`s become a single value.
 */
import { Inst, type Func, type Value } from '../ir/value.ts'
import { resolved, substitute, walk, walkBack, type ValueTable } from '../ir/walk.ts'
import { Exits } from '../ir/exits.ts'
import { definedBy } from './match.ts'
import * as costs from '../ir/costs.ts'

/** Results that coalesce, and what the end of each branch gives for all of them. */
interface Group {
  readonly args: Value[]
  readonly results: number[]
}

/** Coalesces results of branches that have one type and fit together; true where it changed something. */
export function coalesce(func: Func): boolean {
  if (func.body === undefined) return false
  const carried = new Set<Value>()
  walk(func.body, inst => {
    if (inst.op === 'next') inst.args.forEach(v => collect(v, carried))
  })
  const exits = Exits.in(func)
  let changed = false
  const to: ValueTable = []
  // Inner branches first: results that coalesce in them may coalesce in the branches around them too.
  walkBack(func.body, inst => {
    if (
      (inst.op === 'if' || inst.op === 'switch') &&
      inst.results.length > 1 &&
      !exits.isLeft(inst) &&
      coalesceResults(inst, carried, to)
    )
      changed = true
  })
  if (changed) substitute(func.body, to)
  return changed
}

/** Adds a value that a loop carries on, and the values that it is chosen from: a counter must stay a counter. */
function collect(v: Value, carried: Set<Value>): void {
  if (carried.has(v) || !(v.def instanceof Inst) || v.def.regions.length === 0) return
  carried.add(v)
  for (const { end } of v.def.regions) {
    if (end.op === 'yield') collect(end.args[v.index]!, carried)
    else if (end.op === 'test') collect(end.args[v.index + 1]!, carried)
  }
}

function coalesceResults(inst: Inst, carried: ReadonlySet<Value>, to: ValueTable): boolean {
  const ends = inst.regions.map(r => r.end)
  if (!ends.every(e => e.op === 'yield')) return false
  const found: Group[] = []
  let changed = false
  for (let k = 0; k < inst.results.length; k++) {
    if (carried.has(inst.results[k]!)) continue
    const args: Value[] = []
    for (let i = 0; i < ends.length; i++) args.push(resolved(ends[i]!.args[k]!, to))
    const group = groupFor(args, found)
    if (group === undefined) {
      if (found.length >= costs.comparedResults) break
      found.push({ args, results: [k] })
      continue
    }
    changed = true
    group.results.push(k)
    args.forEach((a, i) => {
      if (isAny(group.args[i]!)) group.args[i] = a
    })
  }
  for (const { args, results } of found) {
    if (results.length < 2) continue
    const [first, ...others] = results.map(k => inst.results[k]!)
    ends.forEach((e, i) => {
      e.args[first!.index] = args[i]!
    })
    for (const other of others) to[other.id] = first!
  }
  return changed
}

/** The first group that can give these values too. */
function groupFor(args: readonly Value[], groups: readonly Group[]): Group | undefined {
  for (let n = 0; n < groups.length; n++) {
    const own = groups[n]!.args
    let fits = own[0]!.type === args[0]!.type
    for (let i = 0; i < args.length && fits; i++) fits = own[i] === args[i] || isAny(own[i]!) || isAny(args[i]!)
    if (fits) return groups[n]
  }
  return undefined
}

function isAny(v: Value): boolean {
  return definedBy(v, 'undef') !== undefined
}
