/** Definitions that need themselves: constants, default values, and structs that would hold a value of their own type. */
import type { Cx } from '../model/context.ts'
import type { FieldDecl, FuncDecl, GlobalDecl, InterfaceDecl, StructDecl } from '../model/decl.ts'
import { declaredBases, fieldDefault, fieldSigs, globalInit, paramDefault, paramLists } from '../types/index.ts'
import { checkBody } from '../statements/stmt.ts'
import type { Expr, FuncRef, Place } from '../model/tree.ts'
import { isInt, type GenericArg, type Type } from '../model/type.ts'
import { eachExpr, eachStmt, expressions, operands, placeOperands } from '../model/walk.ts'

/** Whether the initial value of a constant or static variable is computed from itself, perhaps by functions that it calls. */
export function globalNeedsItself(cx: Cx, root: GlobalDecl): boolean {
  const seen = new Set<GlobalDecl | FuncDecl>()
  let found = false
  const global = (decl: GlobalDecl): void => {
    if (decl.storage !== 'constant' && decl.storage !== 'static') return
    if (decl === root) found = true
    if (seen.has(decl)) return
    seen.add(decl)
    const init = globalInit(cx, decl)
    if (init !== null) expr(init)
  }
  const func = (ref: FuncRef): void => {
    if (ref.kind === 'derivative') func(ref.of)
    else if (ref.kind === 'direct' && !ref.decl.module.isCore && !seen.has(ref.decl)) {
      seen.add(ref.decl)
      eachStmt(checkBody(cx, ref.decl)?.stmts ?? [], s => expressions(s).forEach(expr))
    }
  }
  const place = (p: Place): void => {
    if (p.kind === 'global') global(p.decl)
    placeOperands(p, expr, place)
  }
  const expr = (e: Expr): void => {
    if (found) return
    if (e.kind === 'call') func(e.func)
    operands(e, expr, place)
  }
  const init = globalInit(cx, root)
  if (init !== null) expr(init)
  return found
}

/** Whether the default value of a field makes a value with that very default. */
export function defaultNeedsItself(cx: Cx, root: FieldDecl): boolean {
  const seen = new Set<FieldDecl>()
  const field = (f: FieldDecl): boolean => {
    if (seen.has(f)) return f === root
    seen.add(f)
    const init = fieldDefault(cx, f)
    return init !== null && value(init)
  }
  const struct = (type: Type): boolean => {
    let inner = type
    while (inner.kind === 'array') inner = inner.elem
    return inner.kind === 'struct' && inner.decl.fields.some(f => field(f) || (fieldDefault(cx, f) === null && !seen.has(f) && struct(fieldSigs(cx, inner.decl)[f.index]!.type)))
  }
  const value = (e: Expr): boolean => {
    let found = false
    eachExpr(e, x => {
      if (found) return
      if (x.kind === 'fieldDefault') found = field(x.field)
      else if (x.kind === 'default') found = struct(x.type)
    })
    return found
  }
  return field(root)
}

/** Whether the default value of a parameter is a call that leaves out the same argument. */
export function argumentNeedsItself(cx: Cx, func: FuncDecl, index: number): boolean {
  const seen = new Set<string>()
  const visit = (decl: FuncDecl, i: number): boolean => {
    let found = false
    eachExpr(paramDefault(cx, decl, i), e => {
      if (found || e.kind !== 'paramDefault' || e.func.kind === 'derivative') return
      const other = e.func.decl
      if (other === func && e.index === index) found = true
      else if (!seen.has(`${other.id}:${e.index}`)) {
        seen.add(`${other.id}:${e.index}`)
        found = visit(other, e.index)
      }
    })
    return found
  }
  return visit(func, index)
}

/** Whether an interface inherits from itself. */
export function inheritsItself(cx: Cx, root: InterfaceDecl): boolean {
  const seen = new Set<InterfaceDecl>()
  const visit = (decl: InterfaceDecl): boolean => declaredBases(cx, decl).some(({ decl: base }) => {
    if (base === root) return true
    if (seen.has(base)) return false
    seen.add(base)
    return visit(base)
  })
  return visit(root)
}

/** Whether a value of the struct would hold one of itself, through fields, arrays and generic arguments that are held by value. */
export function containsItself(cx: Cx, root: StructDecl): boolean {
  const seen = new Set<StructDecl>()
  const visit = (type: GenericArg): boolean => {
    if (isInt(type)) return false
    if (type.kind === 'array') return visit(type.elem)
    if (type.kind !== 'struct' || type.decl.intrinsic !== null) return false
    if (type.decl === root) return true
    const { decl } = type
    if (type.args.some((arg, i) => holds(cx, decl, i, new Set()) && visit(arg))) return true
    if (seen.has(decl)) return false
    seen.add(decl)
    return fieldSigs(cx, decl).some(f => visit(f.type))
  }
  return fieldSigs(cx, root).some(f => visit(f.type))
}

/** Whether a value of a generic struct holds a value of its parameter of that number. */
function holds(cx: Cx, decl: StructDecl, index: number, busy: Set<StructDecl>): boolean {
  if (decl.intrinsic !== null || busy.has(decl)) return false
  busy.add(decl)
  const param = paramLists(decl).flatMap(l => l.params)[index]
  const inside = (type: GenericArg): boolean => {
    if (isInt(type)) return false
    switch (type.kind) {
      case 'param': return type.decl === param
      case 'array': return inside(type.elem)
      case 'struct': return type.args.some((arg, i) => inside(arg) && holds(cx, type.decl, i, busy))
      default: return false
    }
  }
  return fieldSigs(cx, decl).some(f => inside(f.type))
}
