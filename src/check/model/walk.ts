/** Walks over the typed tree: every expression and place of a body, with the operands of each. */
import type { ParamDecl } from './decl.ts'
import type { Arg, Expr, Place, Stmt } from './tree.ts'

function argument(a: Arg, onExpr: (e: Expr) => void, onPlace: (p: Place) => void): void {
  if (a.dir === 'in') onExpr(a.value)
  else onPlace(a.place)
}

function eachArgument(args: readonly Arg[], onExpr: (e: Expr) => void, onPlace: (p: Place) => void): void {
  for (let i = 0; i < args.length; i++) argument(args[i]!, onExpr, onPlace)
}

/** Calls `visit` for the direct operands of an expression: values, and places that it reads or writes. */
export function operands(e: Expr, onExpr: (e: Expr) => void, onPlace: (p: Place) => void): void {
  switch (e.kind) {
    case 'read':
      onPlace(e.place)
      return
    case 'field':
    case 'swizzle':
    case 'elements':
      onExpr(e.base)
      return
    case 'index':
      onExpr(e.base)
      onExpr(e.index)
      return
    case 'unary':
      onExpr(e.operand)
      return
    case 'binary':
    case 'logical':
      onExpr(e.left)
      onExpr(e.right)
      return
    case 'conditional':
      onExpr(e.cond)
      onExpr(e.then)
      onExpr(e.otherwise)
      return
    case 'convert':
    case 'wrap':
    case 'noDiff':
    case 'is':
    case 'as':
    case 'ahead':
      onExpr(e.value)
      return
    case 'construct':
    case 'sequence':
      e.parts.forEach(onExpr)
      return
    case 'call':
      if (e.object !== null) argument(e.object, onExpr, onPlace)
      eachArgument(e.args, onExpr, onPlace)
      return
    case 'attempt':
      onExpr(e.call)
      return
    case 'assign':
    case 'update':
      onPlace(e.place)
      onExpr(e.value)
      return
    default:
  }
}

/** The same for a place: its base, indices and arguments. */
export function placeOperands(p: Place, onExpr: (e: Expr) => void, onPlace: (p: Place) => void): void {
  switch (p.kind) {
    case 'field':
    case 'swizzle':
    case 'elements':
    case 'parts':
    case 'convert':
      onPlace(p.base)
      return
    case 'index':
      onPlace(p.base)
      onExpr(p.index)
      return
    case 'ref':
    case 'accessor':
      if (p.object !== null) argument(p.object, onExpr, onPlace)
      eachArgument(p.args, onExpr, onPlace)
      return
    case 'temp':
      onExpr(p.value)
      return
    default:
  }
}

/** The statements directly in a statement. */
export function children(s: Stmt): readonly Stmt[] {
  switch (s.kind) {
    case 'block':
      return s.exits === undefined ? s.body : [...s.exits, ...s.body]
    case 'if':
      return s.otherwise === null ? [s.then] : [s.then, s.otherwise]
    case 'for':
      return [...s.init, s.body]
    case 'while':
    case 'do':
      return [s.body]
    case 'switch':
      return s.cases.flatMap(c => c.body)
    default:
      return none
  }
}

const none: readonly never[] = []

/** The expressions directly in a statement. */
export function expressions(s: Stmt): readonly Expr[] {
  switch (s.kind) {
    case 'expr':
      return [s.expr]
    case 'local':
      return s.init === null ? [] : [s.init]
    case 'if':
    case 'while':
    case 'do':
      return [s.cond]
    case 'for':
      return [s.cond, s.step].filter(e => e !== null)
    case 'switch':
      return [s.value]
    case 'return':
      return s.value === null ? [] : [s.value]
    default:
      return []
  }
}

/** Every statement in a list, outer ones first. */
export function eachStmt(list: readonly Stmt[], visit: (s: Stmt) => void): void {
  for (let i = 0; i < list.length; i++) {
    let s: Stmt | null = list[i]!
    visit(s)
    // A chain of `else if` is as deep as it is long.
    while (s?.kind === 'if') {
      eachStmt([s.then], visit)
      s = s.otherwise
      if (s !== null) visit(s)
    }
    if (s !== null) eachStmt(children(s), visit)
  }
}

/** Every expression under one, itself first, those inside places too. */
export function eachExpr(e: Expr, visit: (e: Expr) => void): void {
  const inner = (x: Expr): void => {
    visit(x)
    operands(x, inner, place)
  }
  const place = (p: Place): void => placeOperands(p, inner, place)
  inner(e)
}

/** The parameters that statements write, or hand to functions that may write them. */
export function writtenParams(stmts: readonly Stmt[]): ReadonlySet<ParamDecl> {
  const found = new Set<ParamDecl>()
  const arg = (a: Arg): void => {
    if (a.dir !== 'in') place(a.place)
  }
  const place = (p: Place): void => {
    switch (p.kind) {
      case 'param':
        found.add(p.decl)
        return
      case 'field':
      case 'index':
      case 'swizzle':
      case 'elements':
      case 'parts':
      case 'convert':
        place(p.base)
        return
      case 'ref':
        arg(p.object)
        return
      case 'accessor':
        if (p.object !== null) arg(p.object)
        return
      default:
    }
  }
  eachStmt(stmts, s =>
    expressions(s).forEach(e =>
      eachExpr(e, x => {
        if (x.kind === 'assign' || x.kind === 'update') place(x.place)
        else if (x.kind === 'call') {
          if (x.object !== null) arg(x.object)
          x.args.forEach(arg)
        }
      }),
    ),
  )
  return found
}
