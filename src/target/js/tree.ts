/** JavaScript as a tree: what emission makes, folding tidies and printing writes. */

/** A variable of the output. `fixed` ones never change after their declaration. */
export class Local {
  /** Wanted name; printing makes it unique. */
  readonly hint: string
  readonly fixed: boolean
  /** The final name of a module-level variable; undefined for those of a function. */
  readonly name: string | undefined
  /** How often it is read; kept by folding. */
  uses = 0

  constructor(hint: string, fixed: boolean, name?: string) {
    this.hint = hint
    this.fixed = fixed
    this.name = name
  }
}

export type Expr =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'name'; readonly local: Local }
  | { readonly kind: 'unary'; readonly op: string; readonly x: Expr }
  | { readonly kind: 'binary'; readonly op: string; readonly x: Expr; readonly y: Expr }
  | { readonly kind: 'cond'; readonly c: Expr; readonly x: Expr; readonly y: Expr }
  /** `pure`: neither writes, nor reads what can be written. */
  | { readonly kind: 'call'; readonly callee: string; readonly args: readonly Expr[]; readonly pure: boolean; readonly delegate: boolean }
  | { readonly kind: 'method'; readonly of: Expr; readonly method: string; readonly args: readonly Expr[] }
  | { readonly kind: 'index'; readonly of: Expr; readonly at: Expr }
  | { readonly kind: 'list'; readonly items: readonly Expr[] }

export type Stmt =
  | { readonly kind: 'const'; readonly locals: readonly Local[]; init: Expr }
  | { readonly kind: 'let'; readonly local: Local; init: Expr | undefined }
  | { readonly kind: 'set'; target: Expr; value: Expr }
  | { readonly kind: 'do'; value: Expr }
  | { readonly kind: 'if'; c: Expr; yes: Stmt[]; no: Stmt[]; labelled: boolean }
  | { readonly kind: 'switch'; x: Expr; readonly cases: Case[]; labelled: boolean }
  /** Endless where `c` is undefined. */
  | { readonly kind: 'loop'; c: Expr | undefined; body: Stmt[]; labelled: boolean; /** What messages call it. */ readonly name: string }
  | { readonly kind: 'block'; body: Stmt[]; labelled: boolean }
  | { readonly kind: 'break'; readonly of: Stmt }
  | { readonly kind: 'return'; value: Expr | undefined }
  | { readonly kind: 'throw'; readonly text: string }
  | { readonly kind: 'yield' }

/** Literals of the labels; none for the default. */
export interface Case {
  readonly labels: readonly string[]
  body: Stmt[]
}

export const text = (s: string): Expr => ({ kind: 'text', text: s })
export const name = (local: Local): Expr => ({ kind: 'name', local })
export const unary = (op: string, x: Expr): Expr => ({ kind: 'unary', op, x })
export const binary = (op: string, x: Expr, y: Expr): Expr => ({ kind: 'binary', op, x, y })
export const cond = (c: Expr, x: Expr, y: Expr): Expr => ({ kind: 'cond', c, x, y })
export const call = (callee: string, ...args: readonly Expr[]): Expr => ({ kind: 'call', callee, args, pure: true, delegate: false })
export const method = (of: Expr, m: string, ...args: readonly Expr[]): Expr => ({ kind: 'method', of, method: m, args })
export const index = (of: Expr, at: Expr): Expr => ({ kind: 'index', of, at })
export const list = (items: readonly Expr[]): Expr => ({ kind: 'list', items })

/** True for what may be written twice: a literal or a name. */
export function isAtom(e: Expr): boolean {
  return e.kind === 'name' || e.kind === 'text'
}

/** The operands of an expression. */
export function operands(e: Expr): readonly Expr[] {
  switch (e.kind) {
    case 'text': case 'name': return none
    case 'unary': return [e.x]
    case 'binary': return [e.x, e.y]
    case 'cond': return [e.c, e.x, e.y]
    case 'call': return e.args
    case 'method': return [e.of, ...e.args]
    case 'index': return [e.of, e.at]
    case 'list': return e.items
  }
}

/** Calls `visit` with each variable that an expression reads, as often as it does; without a list for each node, of which there are very many. */
export function eachName(e: Expr, visit: (local: Local) => void): void {
  switch (e.kind) {
    case 'text': return
    case 'name': visit(e.local); return
    case 'unary': eachName(e.x, visit); return
    case 'binary': eachName(e.x, visit); eachName(e.y, visit); return
    case 'cond': eachName(e.c, visit); eachName(e.x, visit); eachName(e.y, visit); return
    case 'call': for (let i = 0; i < e.args.length; i++) eachName(e.args[i]!, visit); return
    case 'method': eachName(e.of, visit); for (let i = 0; i < e.args.length; i++) eachName(e.args[i]!, visit); return
    case 'index': eachName(e.of, visit); eachName(e.at, visit); return
    case 'list': for (let i = 0; i < e.items.length; i++) eachName(e.items[i]!, visit)
  }
}

/** The same for the expressions that a statement computes itself. */
export function eachRead(s: Stmt, visit: (local: Local) => void): void {
  switch (s.kind) {
    case 'const': eachName(s.init, visit); return
    case 'let': case 'return': {
      const e = s.kind === 'let' ? s.init : s.value
      if (e !== undefined) eachName(e, visit)
      return
    }
    case 'set':
      if (s.target.kind !== 'name') eachName(s.target, visit)
      eachName(s.value, visit)
      return
    case 'do': eachName(s.value, visit); return
    case 'if': eachName(s.c, visit); return
    case 'switch': eachName(s.x, visit)
  }
}

/** The expression with variables replaced. */
function replace(e: Expr, by: ReadonlyMap<Local, Expr>): Expr {
  if (e.kind === 'text') return e
  if (e.kind === 'name') return by.get(e.local) ?? e
  const sub = (x: Expr): Expr => replace(x, by)
  switch (e.kind) {
    case 'unary': return { ...e, x: sub(e.x) }
    case 'binary': return { ...e, x: sub(e.x), y: sub(e.y) }
    case 'cond': return { ...e, c: sub(e.c), x: sub(e.x), y: sub(e.y) }
    case 'call': return { ...e, args: e.args.map(sub) }
    case 'method': return { ...e, of: sub(e.of), args: e.args.map(sub) }
    case 'index': return { ...e, of: sub(e.of), at: sub(e.at) }
    case 'list': return { ...e, items: e.items.map(sub) }
  }
}

/** The lists of statements inside a statement. */
export function inner(s: Stmt): readonly Stmt[][] {
  switch (s.kind) {
    case 'if': return [s.yes, s.no]
    case 'switch': return s.cases.map(c => c.body)
    case 'loop': case 'block': return [s.body]
    default: return none
  }
}

const none: readonly never[] = []

/** The expressions that a statement computes itself, before anything it writes. */
export function direct(s: Stmt): readonly Expr[] {
  switch (s.kind) {
    case 'const': return [s.init]
    case 'let': return s.init === undefined ? none : [s.init]
    case 'set': return s.target.kind === 'name' ? [s.value] : [...operands(s.target), s.value]
    case 'do': return [s.value]
    case 'if': return [s.c]
    case 'switch': return [s.x]
    case 'return': return s.value === undefined ? none : [s.value]
    default: return none
  }
}

/** Replaces variables in the expressions that a statement computes itself. */
export function replaceIn(s: Stmt, by: ReadonlyMap<Local, Expr>): void {
  switch (s.kind) {
    case 'const': s.init = replace(s.init, by); break
    case 'let': if (s.init !== undefined) s.init = replace(s.init, by); break
    case 'set':
      if (s.target.kind !== 'name') s.target = replace(s.target, by)
      s.value = replace(s.value, by)
      break
    case 'do': s.value = replace(s.value, by); break
    case 'if': s.c = replace(s.c, by); break
    case 'switch': s.x = replace(s.x, by); break
    case 'return': if (s.value !== undefined) s.value = replace(s.value, by); break
    default: break
  }
}
