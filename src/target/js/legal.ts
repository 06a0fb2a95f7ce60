/** The capabilities of JavaScript, and functions in its legal form. */
import type { Func } from '../../ir/value.ts'
import { branchTails } from '../code/tails.ts'
import type { Capabilities } from '../code/tree.ts'
import { legalize as inLeaves } from '../leaves/legalize.ts'
import type { Unit } from './unit.ts'

export const capabilities: Capabilities = {
  labels: true,
  continuing: false,
  lazyChoice: true,
  distinctBuffers: false,
  freeArrays: false,
  zeroes: false,
  keepsNames: false,
  isConvergent: () => false,
}

/** Fills in the body of a legal function. */
export function legalize(from: Func, into: Func, unit: Unit): void {
  inLeaves(from, into, unit)
  branchTails(into, capabilities)
}
