/** What a function has, so that a pass that would find nothing need not look. */
import type { Func, Region } from '../ir/value.ts'

/** Each is true where the function may have some. */
export interface Shape {
  calls: boolean
  loops: boolean
  variables: boolean
  /** Stores to memory of one invocation. */
  ownStores: boolean
  /** Branches with several results. */
  choices: boolean
  /** How many regions are in one another. */
  depth: number
}

/** Looks through a function once. */
export function shapeOf(func: Func): Shape {
  const shape: Shape = { calls: false, loops: false, variables: false, ownStores: false, choices: false, depth: 0 }
  // Nothing is known yet of how deep it is, so this goes down without recursion.
  let level: Region[] = func.body === undefined ? [] : [func.body]
  for (; level.length > 0; shape.depth++) {
    const inner: Region[] = []
    for (let i = 0; i < level.length; i++) look(level[i]!, shape, inner)
    level = inner
  }
  return shape
}

function look(region: Region, shape: Shape, inner: Region[]): void {
  const { insts } = region
  for (let i = 0; i < insts.length; i++) {
    const inst = insts[i]!
    switch (inst.op) {
      case 'call':
        shape.calls = true
        break
      case 'loop':
        shape.loops = true
        break
      case 'var':
        shape.variables = true
        break
      case 'if':
      case 'switch':
        shape.choices ||= inst.results.length > 1
        break
      case 'store': {
        const { space } = inst.args[0]!.type
        if (space === 'function' || space === 'private') shape.ownStores = true
        break
      }
      default:
    }
    for (let k = 0; k < inst.regions.length; k++) inner.push(inst.regions[k]!)
  }
}
