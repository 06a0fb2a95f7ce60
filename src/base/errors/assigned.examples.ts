/** The smallest programs that get the diagnostics of `assigned.ts`; the documentation and the tests use them. */
import type { Examples } from '../diag.ts'
import type * as assignedErrors from './assigned.ts'

export const examples: Examples<typeof assignedErrors> = {
  unassigned: 'float f() { float x; return x; }',
  unassignedOutput: 'void f(float x, out float y) { }',
}
