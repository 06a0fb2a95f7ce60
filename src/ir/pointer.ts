/** Where pointers lead. */
import type { Value } from './value.ts'

/** The variable, global or parameter that a pointer points into. */
export function baseOf(pointer: Value): Value {
  let at = pointer
  while (at.def.op === 'field' || at.def.op === 'elem') at = at.def.args[0]!
  return at
}
