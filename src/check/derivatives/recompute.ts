/** `[PreferRecompute]`: what a function does to memory happens again in the reverse pass. */
import { sideEffectsRecomputed } from '../../base/errors/derivative.ts'
import type { Cx } from '../model/context.ts'
import type { FuncDecl } from '../model/decl.ts'
import type { Body, Place } from '../model/tree.ts'
import { eachExpr, eachStmt, expressions } from '../model/walk.ts'

/** Warns of a function that the reverse pass runs again and that writes memory which outlives it. */
export function checkRecompute(cx: Cx, func: FuncDecl, body: Body): void {
  const attribute = func.syntax.attributes.find(a => a.name === 'PreferRecompute')
  const arg = attribute?.args[0]?.value
  if (arg?.kind === 'member' && arg.name.text === 'Allow') return
  if (func.syntax.attributes.some(a => a.name === '__NoSideEffect')) return
  let effects = false
  eachStmt(body.stmts, s => {
    for (const e of expressions(s)) {
      eachExpr(e, x => {
        if ((x.kind === 'assign' || x.kind === 'update') && outlives(x.place)) effects = true
        if (x.kind === 'call') for (const a of x.args) if (a.dir !== 'in' && outlives(a.place)) effects = true
      })
    }
  })
  if (effects) cx.sink.add(sideEffectsRecomputed, func.span ?? undefined, { name: func.name })
}

function outlives(p: Place): boolean {
  switch (p.kind) {
    case 'global':
    case 'ref':
      return true
    case 'field':
    case 'index':
    case 'swizzle':
    case 'elements':
    case 'parts':
    case 'convert':
      return outlives(p.base)
    default:
      return false
  }
}
