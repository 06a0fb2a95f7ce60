/**
 * Names the constructs that need a label, since something other than a plain `break` leaves them. A construct that runs once and
 * needs no label is replaced by its content.
 */
import type { Stmt, Target } from './tree.ts'

/** Gives a label to each construct that is left from inside another loop or `switch`, or that is neither itself. */
export function nameLabels(list: Stmt[], fresh: (hint: string) => string): void {
  visit(list, undefined, fresh)
}

/** Visits statements; a `break` without a label leaves `plain`. */
function visit(list: Stmt[], plain: Target | undefined, fresh: (hint: string) => string): void {
  let opens = false
  for (let i = 0; i < list.length; i++) {
    const s = list[i]!
    switch (s.kind) {
      case 'break':
        if (s.of !== plain && s.of.label === '') s.of.label = fresh(s.of.kind === 'loop' ? 'loop' : 'block')
        break
      case 'if':
        visit(s.yes, plain, fresh)
        visit(s.no, plain, fresh)
        break
      case 'switch':
        for (let k = 0; k < s.cases.length; k++) visit(s.cases[k]!.body, s, fresh)
        break
      case 'loop':
        visit(s.body, s, fresh)
        visit(s.continuing, s, fresh)
        break
      case 'once':
        visit(s.body, plain, fresh)
        opens ||= s.label === ''
        break
      case 'assign':
      case 'continue':
      case 'do':
      case 'let':
      case 'return':
      case 'unreachable':
      case 'var':
        break
    }
  }
  if (!opens) return
  const flat = list.flatMap(s => (s.kind === 'once' && s.label === '' ? s.body : [s]))
  list.length = 0
  for (const s of flat) list.push(s)
}
