/** The capabilities of WGSL, for the statement tree. */
import type { Capabilities } from '../code/tree.ts'
import { intrinsicNamed } from './intrinsic.ts'

export const capabilities: Capabilities = {
  labels: undefined,
  continuing: true,
  lazyChoice: false,
  distinctBuffers: true,
  isFree: () => true,
  initial: undefined,
  keepsNames: true,
  isConvergent(name) {
    const { uniformity, texture } = intrinsicNamed(name)
    // Samples of a given level could move; they stay where they are like the others.
    return uniformity !== undefined || texture === 'sample'
  },
}
