/** How the user's reverse derivatives are called, and what they give. */
import type { Num } from './dual.ts'
import { differentialOf, hasActiveResult, isActive, type Func } from './tree.ts'
import { list, numbersOf, zero, type Value } from './value.ts'

/** What the user's reverse derivative takes: pairs, and cotangents of what comes out. */
export function reverseArguments(
  f: Func,
  primals: readonly Value[],
  cotangent: (param: number) => Value,
  ofResult: () => Value,
): Value[] {
  const out = f.params.flatMap((p, i): Value[] => {
    if (!isActive(p)) return p.dir === 'out' ? [] : [primals[i]!]
    if (p.dir === 'out') return [cotangent(i)]
    return [[primals[i]!, p.dir === 'inout' ? cotangent(i) : zero(differentialOf(p.type)!)]]
  })
  if (hasActiveResult(f)) out.push(ofResult())
  return out
}

/** The gradient that the user's reverse derivative leaves in its pairs. */
export function gradientOf(f: Func, after: readonly Value[]): Num[] {
  const left = f.params.filter(p => isActive(p) || p.dir !== 'out')
  return left.flatMap((p, i) => (isActive(p) && p.dir !== 'out' ? numbersOf(list(after[i]!)[1]!) : []))
}
