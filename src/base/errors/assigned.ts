/** Mistakes about variables without a value. */
import { warning, type Entry } from '../diag.ts'

export const unassigned: Entry<'name'> = warning(
  'W41016',
  '{name} is read before it has a value',
  'give it a value where it is declared',
)

export const unassignedOutput: Entry<'name' | 'func'> = warning(
  'W41018',
  '{func} gives its out parameter {name} no value',
  'assign to it on every path',
)
