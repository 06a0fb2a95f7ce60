/** The capabilities of JavaScript, and functions in its legal form. */
import { nameLabels } from '../code/labels.ts'
import { zeroScalar } from '../../ir/scalar.ts'
import type { Func, Inst } from '../../ir/value.ts'
import { branchTails } from '../code/tails.ts'
import { expr, type Capabilities } from '../code/tree.ts'
import { legalize as inLeaves } from '../leaves/legalize.ts'
import type { Unit } from './unit.ts'

export const capabilities: Capabilities = {
  labels: nameLabels,
  continuing: false,
  lazyChoice: true,
  distinctBuffers: false,
  isFree: inst => !handlesArray(inst),
  initial: type =>
    type.kind === 'scalar' ? expr('const', zeroScalar(type.scalar!), type, []) : expr('zero', null, type, []),
  keepsNames: false,
  isConvergent: () => false,
}

/** Fills in the body of a legal function. */
export function legalize(from: Func, into: Func, unit: Unit): void {
  inLeaves(from, into, unit)
  branchTails(into, capabilities)
}

/** True for what makes an array of nothing, or takes an element of one. */
function handlesArray(inst: Inst): boolean {
  const whole =
    inst.op === 'extract' ? inst.args[0]! : inst.op === 'zero' || inst.op === 'undef' ? inst.results[0]! : undefined
  return whole !== undefined && (whole.type.kind === 'array' || whole.type.kind === 'list')
}
