/** Which constructs need a label: those that something leaves which is no plain `break`. What runs once and needs none is its content. */
import type { Stmt, Target } from './tree.ts'

/** Gives a label to each construct that is left from inside another loop or `switch`, or is neither itself. */
export function nameLabels(list: Stmt[], fresh: (hint: string) => string): void {
  visit(list, undefined, fresh)
}

/** `plain` is what a `break` without a label leaves. */
function visit(list: Stmt[], plain: Target | undefined, fresh: (hint: string) => string): void {
  let opens = false
  for (let i = 0; i < list.length; i++) {
    const s = list[i]!
    switch (s.kind) {
      case 'break': if (s.of !== plain && s.of.label === '') s.of.label = fresh(s.of.kind === 'loop' ? 'loop' : 'block'); break
      case 'if':
        visit(s.yes, plain, fresh)
        visit(s.no, plain, fresh)
        break
      case 'switch': for (let k = 0; k < s.cases.length; k++) visit(s.cases[k]!.body, s, fresh); break
      case 'loop':
        visit(s.body, s, fresh)
        visit(s.continuing, s, fresh)
        break
      case 'once':
        visit(s.body, plain, fresh)
        opens ||= s.label === ''
    }
  }
  if (!opens) return
  const flat = list.flatMap(s => s.kind === 'once' && s.label === '' ? s.body : [s])
  list.length = 0
  for (const s of flat) list.push(s)
}
