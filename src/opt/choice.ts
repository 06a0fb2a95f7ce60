/**
 * Moves a choice among results of an `if` into the branches:
 *
 *   %g, %a, %b = if %c () { yield false, %u, %x } () { yield %e, %y, %y }     %r = select %g, %a, %b
 *   →   %g, %a, %b, %r = if %c () { yield false, %u, %x, %x } () { yield %e, %y, %y, %y }
 */
import { Value, type Func, type Inst } from '../ir/value.ts'
import { constantOf, definedBy } from './match.ts'

/**
 * Replaces a `select` by a new result of the `if` or `switch` that its condition is a result of. `isBefore` says whether a value is
 * defined before that instruction, and `leaves` how many `leave`s name it.
 */
export function chooseInside(
  func: Func,
  select: Inst,
  isBefore: (value: Value, control: Inst) => boolean,
  leaves: (control: Inst) => number,
): Value | undefined {
  const [condition, x, y] = [select.args[0]!, select.args[1]!, select.args[2]!]
  const owner = definedBy(condition, 'if') ?? definedBy(condition, 'switch')
  if (owner === undefined || leaves(owner) > 0) return undefined
  if (![x, y].every(v => v.def === owner || isBefore(v, owner))) return undefined
  const chosen: Value[] = []
  for (const r of owner.regions) {
    const { end } = r
    if (end.op !== 'yield') continue
    const inside = (v: Value): Value => (v.def === owner ? end.args[v.index]! : v)
    const choice = choose(constantOf(inside(condition)), inside(x), inside(y))
    if (choice === undefined) return undefined
    chosen.push(choice)
  }
  let k = 0
  for (const r of owner.regions) if (r.end.op === 'yield') r.end.args.push(chosen[k++]!)
  const result = new Value(func.nextValue++, x.type, owner, owner.results.length, select.results[0]!.name)
  owner.results.push(result)
  return result
}

function choose(condition: unknown, x: Value, y: Value): Value | undefined {
  if (x === y || condition === true || definedBy(y, 'undef') !== undefined) return x
  return condition === false || definedBy(x, 'undef') !== undefined ? y : undefined
}
