/** Shortens statements: negated conditions, empty branches, unreachable code. */
import { bool, isInt } from '../../ir/type.ts'
import { expr, type Expr, type ExprOp, type If, type Stmt } from './tree.ts'

/** The opposite of each comparison. Among those of floats only equality has one, because of NaN. */
const opposites: ReadonlyMap<ExprOp, 'lt' | 'le' | 'gt' | 'ge' | 'eq' | 'ne'> = new Map([
  ['lt', 'ge'],
  ['le', 'gt'],
  ['gt', 'le'],
  ['ge', 'lt'],
  ['eq', 'ne'],
  ['ne', 'eq'],
])

/** The opposite of a condition. */
export function negate(cond: Expr): Expr {
  if (cond.op === 'not') return cond.args[0]!
  const turned = opposites.get(cond.op)
  if (turned !== undefined && (turned === 'eq' || turned === 'ne' || isInt(cond.args[0]!.type)))
    return expr(turned, null, bool, cond.args, cond.reads)
  return expr('not', null, bool, [cond])
}

/** Tidies statements in place. */
export function tidy(list: Stmt[]): void {
  let kept = 0
  for (let i = 0; i < list.length; i++) {
    const s = list[i]!
    switch (s.kind) {
      case 'if':
        tidy(s.yes)
        tidy(s.no)
        if (s.yes.length === 0 && s.no.length === 0) continue
        if (s.yes.length === 0) swap(s)
        break
      case 'switch':
        for (let k = 0; k < s.cases.length; k++) tidy(s.cases[k]!.body)
        break
      case 'loop':
        tidy(s.body)
        tidy(s.continuing)
        break
      case 'once': {
        tidy(s.body)
        const last = s.body[s.body.length - 1]
        if (last?.kind === 'break' && last.of === s) s.body.pop()
        if (s.body.length === 0) continue
        break
      }
      case 'assign':
      case 'break':
      case 'continue':
      case 'do':
      case 'let':
      case 'return':
      case 'unreachable':
      case 'var':
        break
    }
    list[kept++] = s
  }
  list.length = kept
}

function swap(s: If): void {
  s.cond = negate(s.cond)
  s.yes = s.no
  s.no = []
}
