/** What WGSL has, for the statement tree; and which of its functions depend on the invocations that call them. */
import type { Capabilities } from '../code/tree.ts'

/** Functions of WGSL that the threads of a subgroup call together; they stand where they are called. */
export const together: RegExp = /^(subgroup|quad)[A-Z]/

/** Functions whose outcome depends on which invocations call them together. */
const convergent = /^(dpd[xy]|fwidth|textureSample)/

/** What WGSL has. */
export const capabilities: Capabilities = {
  labels: false,
  continuing: true,
  lazyChoice: false,
  distinctBuffers: true,
  freeArrays: true,
  zeroes: true,
  keepsNames: true,
  staysPut: name => convergent.test(name) || together.test(name),
}
