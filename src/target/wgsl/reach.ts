/** Finds the functions, globals and intrinsics that entry points reach, in one walk. */
import type { Func, Global, Region } from '../../ir/value.ts'
import { intrinsicOf, type Intrinsic } from './intrinsic.ts'

export interface Reach {
  /** The functions with bodies, through calls that WGSL has no intrinsic for. */
  readonly funcs: Set<Func>
  /** In order of first use. */
  readonly globals: Set<Global>
  /** The intrinsics of WGSL that the other calls become. */
  readonly intrinsics: Set<Intrinsic>
  prints: boolean
}

/** What the functions reach. */
export function reachOf(roots: readonly Func[]): Reach {
  const reach: Reach = { funcs: new Set(roots), globals: new Set(), intrinsics: new Set(), prints: false }
  for (const func of reach.funcs) {
    if (func.body === undefined) reach.funcs.delete(func)
    else look(func.body, reach)
  }
  return reach
}

function look({ insts }: Region, reach: Reach): void {
  for (let i = 0; i < insts.length; i++) {
    const { op, attr, regions } = insts[i]!
    if (op === 'call') {
      const intrinsic = intrinsicOf(attr)
      if (intrinsic === undefined) reach.funcs.add(attr)
      else reach.intrinsics.add(intrinsic)
    } else if (op === 'global') {
      const { init } = attr
      reach.globals.add(attr)
      if (init !== undefined) reach.funcs.add(init)
    } else if (op === 'printf') reach.prints = true
    for (let k = 0; k < regions.length; k++) look(regions[k]!, reach)
  }
}
