/** Assignments whose value nothing reads. */
import type { LocalDecl } from '../model/decl.ts'
import type { Expr, Place, Stmt } from '../model/tree.ts'
import { eachStmt, expressions, operands, placeOperands } from '../model/walk.ts'

/** How many statements are searched for one that overwrites a variable. */
const lookAhead = 64

/** Whether a later statement overwrites a variable before anything reads it. */
export function overwritten(list: readonly Stmt[], at: number, decl: LocalDecl): boolean {
  for (let i = at + 1; i < Math.min(list.length, at + lookAhead); i++) {
    const s = list[i]!
    if (s.kind !== 'expr' || s.expr.kind !== 'assign' || s.expr.place.kind !== 'local' || s.expr.place.decl !== decl)
      continue
    let read = mentions(s.expr.value, decl)
    eachStmt(list.slice(at + 1, i), t => {
      read ||= t.kind === 'break' || t.kind === 'continue' || expressions(t).some(e => mentions(e, decl))
    })
    return !read
  }
  return false
}

function mentions(e: Expr, decl: LocalDecl): boolean {
  let found = false
  const place = (p: Place): void => {
    found ||= p.kind === 'local' && p.decl === decl
    placeOperands(p, visit, place)
  }
  const visit = (x: Expr): void => {
    operands(x, visit, place)
  }
  visit(e)
  return found
}
