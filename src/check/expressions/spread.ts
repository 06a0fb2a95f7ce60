/** `expand` over the parts of tuples: `f(expand each pair)` is `f(pair._0, pair._1)`. */
import * as errors from '../../base/errors/generics.ts'
import type * as ast from '../../syntax/ast.ts'
import type { Env } from '../model/context.ts'
import { typeOf, type Term } from '../model/term.ts'
import type { Expr, Place } from '../model/tree.ts'
import { show } from '../model/type.ts'
import { eachesOf, patternAt } from '../types/index.ts'
import { checkExpr } from './expr.ts'

/** The expressions that one of a list stands for: itself, or one for each part; of a mistake, what means nothing. */
export function spread(env: Env, e: ast.Expr): readonly ast.Expr[] {
  if (e.kind !== 'expand') return [e]
  const { sink } = env.cx
  const tuples = eachesOf(e.operand)
  const mistake: ast.Expr = { kind: 'error', span: e.span }
  if (tuples.length === 0) {
    sink.add(errors.nothingToExpand, e.span, {})
    return [mistake]
  }
  const counts: number[] = []
  for (const tuple of tuples) {
    const before = sink.errors
    const term = checkExpr(env, tuple)
    const type = typeOf(term)
    const isTuple = type?.kind === 'struct' && type.decl.intrinsic === 'Tuple'
    if (isTuple && isStored(term)) counts.push(type.args.length)
    else if (sink.errors === before) {
      const what = isTuple
        ? 'a tuple that is no variable'
        : type === null
          ? 'what is no value'
          : `a value of type ${show(type)}`
      sink.add(errors.noTuple, tuple.span, { what })
    }
  }
  if (counts.length < tuples.length) return [mistake]
  const other = counts.find(c => c !== counts[0])
  if (other !== undefined) {
    sink.add(errors.packLengths, e.span, { one: counts[0]!, other })
    return [mistake]
  }
  return Array.from({ length: counts[0]! }, (_, i) =>
    patternAt(e.operand, base => ({
      kind: 'member',
      span: base.span,
      base,
      name: { text: `_${i}`, span: base.span },
      separator: '.',
    })),
  )
}

/** Whether a tuple is a variable, a parameter or a field of one: reading it for each part does the work of reading it once. */
function isStored(term: Term): boolean {
  let at: Place | Expr | null = term.kind === 'place' ? term.place : term.kind === 'value' ? term.expr : null
  while (at !== null) {
    if (at.kind === 'field') at = at.base
    else if (at.kind === 'read') at = at.place
    else return at.kind === 'local' || at.kind === 'param' || at.kind === 'this' || at.kind === 'global'
  }
  return false
}
