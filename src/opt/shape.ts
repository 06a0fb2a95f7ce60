/** What a function has for passes to work on, so that those that would find nothing need not look. */
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
}

/** Looks through a function once. */
export function shapeOf(func: Func): Shape {
  const shape: Shape = { calls: false, loops: false, variables: false, ownStores: false, choices: false }
  if (func.body !== undefined) look(func.body, shape)
  return shape
}

function look(region: Region, shape: Shape): void {
  const { insts } = region
  for (let i = 0; i < insts.length; i++) {
    const inst = insts[i]!
    switch (inst.op) {
      case 'call': shape.calls = true; break
      case 'loop': shape.loops = true; break
      case 'var': shape.variables = true; break
      case 'if': case 'switch': shape.choices ||= inst.results.length > 1; break
      case 'store': {
        const { space } = inst.args[0]!.type
        if (space === 'function' || space === 'private') shape.ownStores = true
      }
    }
    for (let k = 0; k < inst.regions.length; k++) look(inst.regions[k]!, shape)
  }
}
