/** Finds definitions that need themselves: constants, default values, and interfaces that inherit from themselves. */
import type { Cx } from '../model/context.ts'
import { leadsToItself } from '../model/cycle.ts'
import type { FieldDecl, FuncDecl, GlobalDecl, InterfaceDecl } from '../model/decl.ts'
import { declaredBases, fieldDefault, fieldSigs, globalInit, paramDefault } from '../types/index.ts'
import { checkBody } from '../statements/stmt.ts'
import type { Expr, Place } from '../model/tree.ts'
import type { FuncRef } from '../model/func-ref.ts'
import type { Type } from '../model/type.ts'
import { eachExpr, eachStmt, expressions, operands, placeOperands } from '../model/walk.ts'

/** Whether the initial value of a constant or static variable is computed from itself, perhaps by functions that it calls. */
export function globalNeedsItself(cx: Cx, root: GlobalDecl): boolean {
  return leadsToItself<GlobalDecl | FuncDecl>(root, (node, give) => {
    const func = (ref: FuncRef): void => {
      if (ref.kind === 'derivative') func(ref.of)
      else if (ref.kind === 'direct' && !ref.decl.module.isCore) give(ref.decl)
    }
    const place = (p: Place): void => {
      if (p.kind === 'global' && (p.decl.storage === 'constant' || p.decl.storage === 'static')) give(p.decl)
      placeOperands(p, expr, place)
    }
    const expr = (e: Expr): void => {
      if (e.kind === 'call') func(e.func)
      operands(e, expr, place)
    }
    if (node.kind === 'func') eachStmt(checkBody(cx, node)?.stmts ?? [], s => expressions(s).forEach(expr))
    else {
      const init = globalInit(cx, node)
      if (init !== null) expr(init)
    }
  })
}

/** Whether the default value of a field makes a value with that very default. */
export function defaultNeedsItself(cx: Cx, root: FieldDecl): boolean {
  if (fieldDefault(cx, root) === null) return false
  return leadsToItself<FieldDecl>(root, (field, give) => {
    const struct = (type: Type): void => {
      let inner = type
      while (inner.kind === 'array') inner = inner.elem
      if (inner.kind === 'struct') inner.decl.fields.forEach(give)
    }
    const init = fieldDefault(cx, field)
    // A value without initialiser has the default values of its fields.
    if (init === null) struct(fieldSigs(cx, field.owner)[field.index]!.type)
    else
      eachExpr(init, x => {
        if (x.kind === 'fieldDefault') give(x.field)
        else if (x.kind === 'default') struct(x.type)
      })
  })
}

/** Whether the default value of a parameter is a call that leaves out the same argument. */
export function argumentNeedsItself(cx: Cx, func: FuncDecl, index: number): boolean {
  const known = new Map<string, { readonly func: FuncDecl; readonly index: number }>()
  const argument = (func: FuncDecl, index: number): { readonly func: FuncDecl; readonly index: number } => {
    const key = `${func.id}:${index}`
    const made = known.get(key) ?? { func, index }
    known.set(key, made)
    return made
  }
  return leadsToItself(argument(func, index), (node, give) =>
    eachExpr(paramDefault(cx, node.func, node.index), e => {
      if (e.kind === 'paramDefault' && e.func.kind !== 'derivative') give(argument(e.func.decl, e.index))
    }),
  )
}

/** Whether an interface inherits from itself. */
export function inheritsItself(cx: Cx, root: InterfaceDecl): boolean {
  return leadsToItself(root, (decl, give) => {
    for (const base of declaredBases(cx, decl)) give(base.decl)
  })
}
