/**
 * What tokens mean where their spelling does not tell: a `<` opens arguments or compares, a `-` negates or subtracts. The parsed tree knows.
 * A token without a role means what it mostly does: `-` subtracts.
 */
import { assertNever } from '../base/diag.ts'
import type {
  AccessorDecl,
  Attribute,
  Block,
  Decl,
  Expr,
  Generics,
  Param,
  Semantic,
  Stmt,
  Where,
} from '../syntax/ast.ts'
import { punctuatorText } from '../syntax/token.ts'
import type { Tokens } from './tokens.ts'

/** What a token is. */
export type Role =
  /** Belongs to what follows it: `-x`. */
  | 'prefix'
  /** Belongs to what stands before it: `x++`, `T*`, `T?`. */
  | 'suffix'
  /** Opens or closes generic arguments or parameters. */
  | 'angle'
  /** The `?` or `:` of a conditional expression. */
  | 'conditional'
  /** The `:` behind the name of an argument. */
  | 'named'
  /** Closes the type of a cast. */
  | 'cast'
  /** The `->` before the type of a result. */
  | 'result'
  /** Opens or closes attributes. */
  | 'attribute'

/** The roles of the tokens of a file. */
export class Roles {
  /** The blocks of lambdas, by their `{`. */
  readonly blocks: Map<number, Block> = new Map()
  readonly #tokens: Tokens
  readonly #roles: (Role | undefined)[]
  /** The `<` of generic parameters; others open arguments. */
  readonly parameters: Set<number> = new Set()
  /** By `<`: the token that closes it. A `>>` closes two. */
  readonly #angles = new Map<number, number>()
  /** How many `<` a token closes. */
  readonly #closes = new Map<number, number>()
  /** Parts that only their first word tells about, by their first token. */
  readonly #opaque = new Map<number, number>()

  constructor(tokens: Tokens) {
    this.#tokens = tokens
    this.#roles = new Array<undefined>(tokens.count + 1)
  }

  of(index: number): Role | undefined {
    return this.#roles[index]
  }

  /** The token that closes what a bracket opens, or `index` for any other token. */
  close(index: number): number {
    return this.#angles.get(index) ?? Math.max(this.#tokens.match(index), index)
  }

  /** The last token of a part that is left as it is, if one begins here. */
  opaque(index: number): number | undefined {
    return this.#opaque.get(index)
  }

  /** Marks what a declaration consists of, but not its members. */
  declaration(decl: Decl): void {
    const tokens = this.#tokens
    this.#attributes(decl.attributes)
    if ('generics' in decl && decl.generics !== undefined) {
      this.#generics(decl.generics)
      this.#genericPrefix(tokens.first(decl.span))
      // Those of extensions stand before what is extended, others behind the name.
      const isExtension = decl.kind === 'extension' || (decl.kind === 'func' && decl.extends !== undefined)
      this.#parameters(isExtension ? tokens.first(decl.generics.span) : tokens.last(decl.name.span) + 1)
    }
    switch (decl.kind) {
      case 'moduleDecl':
      case 'import':
      case 'include':
      case 'namespace':
        return
      case 'using':
        return this.#expr(decl.target)
      case 'struct':
        if (decl.alias !== undefined) this.#expr(decl.alias)
        return this.#exprs(decl.bases)
      case 'interface':
        return this.#exprs(decl.bases)
      case 'enum':
        this.#exprs(decl.bases)
        for (const c of decl.cases) this.declaration(c)
        return
      case 'enumCase':
        return this.#optional(decl.value)
      case 'extension':
        this.#expr(decl.target)
        return this.#exprs(decl.bases)
      case 'func':
        if (decl.extends !== undefined) this.#expr(decl.extends.target)
        this.#params(decl.params)
        this.#result(decl.result)
        this.#semantics(decl.semantics)
        return this.#block(decl.body)
      case 'init':
        this.#params(decl.params)
        return this.#block(decl.body)
      case 'subscript':
        this.#params(decl.params)
        this.#result(decl.result)
        return this.#accessors(decl.accessors)
      case 'property':
        this.#expr(decl.type)
        return this.#accessors(decl.accessors)
      case 'accessor':
        return this.#accessors([decl])
      case 'alias':
        return this.#expr(decl.target)
      case 'associatedtype':
        this.#exprs(decl.bounds)
        this.#where(decl.where)
        return this.#optional(decl.fallback)
      case 'var':
        this.#optional(decl.type)
        this.#semantics(decl.semantics)
        return this.#optional(decl.init)
      case 'buffer':
        return this.#semantics(decl.semantics)
      case 'assert':
        this.#expr(decl.condition)
        return this.#optional(decl.message)
      case 'unsupported':
        return
      default:
        return assertNever(decl, 'format')
    }
  }

  #accessors(accessors: readonly AccessorDecl[]): void {
    for (const { attributes, param, body } of accessors) {
      this.#attributes(attributes)
      if (param !== undefined) this.#params([param])
      this.#block(body)
    }
  }

  #block(block: Block | undefined): void {
    for (const stmt of block?.stmts ?? []) this.#stmt(stmt)
  }

  #stmts(stmts: readonly Stmt[]): void {
    for (const stmt of stmts) this.#stmt(stmt)
  }

  /** A chain of `else if` is followed in a loop. */
  #stmt(start: Stmt): void {
    for (let stmt: Stmt | undefined = start; stmt !== undefined;) {
      if ('attributes' in stmt) this.#attributes(stmt.attributes)
      switch (stmt.kind) {
        case 'block':
          return this.#block(stmt)
        case 'expr':
          return this.#expr(stmt.expr)
        case 'decl':
          for (const decl of stmt.decls) this.declaration(decl)
          return
        case 'if':
        case 'ifLet':
          this.#expr(stmt.kind === 'if' ? stmt.condition : stmt.value)
          this.#stmt(stmt.then)
          stmt = stmt.else
          break
        case 'switch':
          this.#expr(stmt.value)
          for (const { labels, body } of stmt.groups) {
            for (const label of labels) this.#optional(label)
            this.#stmts(body)
          }
          return
        case 'for':
          if (stmt.init !== undefined) this.#stmt(stmt.init)
          this.#optional(stmt.condition)
          this.#optional(stmt.step)
          stmt = stmt.body
          break
        case 'while':
          this.#expr(stmt.condition)
          stmt = stmt.body
          break
        case 'do':
          this.#expr(stmt.condition)
          stmt = stmt.body
          break
        case 'return':
          return this.#optional(stmt.value)
        case 'throw':
          return this.#expr(stmt.value)
        case 'doCatch':
          for (const { param, body } of stmt.clauses) {
            if (param !== undefined) this.#params([param])
            this.#stmt(body)
          }
          stmt = stmt.body
          break
        case 'defer':
        case 'label':
          stmt = stmt.body
          break
        case 'targetSwitch':
          for (const { body } of stmt.cases) this.#stmts(body)
          return
        case 'break':
        case 'continue':
        case 'discard':
        case 'empty':
        case 'unsupported':
          return
        default:
          return assertNever(stmt, 'format')
      }
    }
  }

  #attributes(attributes: readonly Attribute[]): void {
    for (const { span, args } of attributes) {
      // `[a]` and `[[a]]`.
      const first = this.#tokens.first(span)
      for (let open = first - 1; open >= first - 2 && this.#is(open, '['); open--) {
        const close = this.#tokens.match(open)
        if (open < first - 1 && close !== this.#tokens.match(open + 1) + 1) break
        this.#set(open, 'attribute')
        this.#set(close, 'attribute')
      }
      for (const { name, value } of args) {
        if (name !== undefined) this.#set(this.#tokens.last(name.span) + 1, 'named')
        this.#expr(value)
      }
    }
  }

  #params(params: readonly Param[]): void {
    for (const { attributes, type, fallback, semantics } of params) {
      this.#attributes(attributes)
      this.#optional(type)
      this.#optional(fallback)
      this.#semantics(semantics)
    }
  }

  #semantics(semantics: readonly Semantic[]): void {
    for (const { args } of semantics) this.#exprs(args)
  }

  #generics({ params, where }: Generics): void {
    for (const param of params) {
      if (param.kind === 'typeParam') this.#exprs(param.bounds)
      else this.#expr(param.type)
      this.#optional(param.fallback)
    }
    this.#where(where)
  }

  #where(where: readonly Where[]): void {
    for (const clause of where) {
      switch (clause.kind) {
        case 'conforms':
          this.#expr(clause.subject)
          this.#exprs(clause.bounds)
          break
        case 'equals':
        case 'counts':
          this.#expr(clause.left)
          this.#expr(clause.right)
          break
        case 'nonempty':
          this.#expr(clause.pack)
          break
        case 'converts':
          this.#expr(clause.to)
          this.#expr(clause.from)
          break
        default:
          assertNever(clause, 'format')
      }
    }
  }

  /** The `<` of a `__generic<…>` before a declaration. */
  #genericPrefix(first: number): void {
    for (let i = first; i < this.#tokens.count && !this.#is(i, '{') && !this.#is(i, ';'); i = this.close(i) + 1)
      if (this.#tokens.text(i) === '__generic') return this.#parameters(i + 1)
  }

  #result(type: Expr | undefined): void {
    if (type === undefined) return
    const before = this.#tokens.first(type.span) - 1
    if (this.#is(before, '->')) this.#set(before, 'result')
    this.#expr(type)
  }

  #exprs(exprs: readonly Expr[]): void {
    for (const expr of exprs) this.#expr(expr)
  }

  #optional(expr: Expr | undefined): void {
    if (expr !== undefined) this.#expr(expr)
  }

  /** The side on which expressions nest deep is followed in a loop. */
  #expr(start: Expr): void {
    for (let expr: Expr | undefined = start; expr !== undefined;) expr = this.#exprBut(expr)
  }

  /** Marks an expression but for one part, which it returns. */
  #exprBut(expr: Expr): Expr | undefined {
    const tokens = this.#tokens
    switch (expr.kind) {
      case 'int':
      case 'float':
      case 'bool':
      case 'string':
      case 'none':
      case 'null':
      case 'this':
      case 'thisType':
      case 'error':
        return undefined
      case 'name':
        if (expr.global) this.#set(tokens.first(expr.span), 'prefix')
        return undefined
      case 'member':
        return expr.base
      case 'generic':
        this.#expr(expr.base)
        this.#exprs(expr.args)
        this.#angle(tokens.last(expr.base.span) + 1)
        return undefined
      case 'index':
        this.#exprs(expr.args)
        return expr.base
      case 'call':
        this.#exprs(expr.args)
        return expr.callee
      case 'prefix':
        this.#set(tokens.first(expr.span), 'prefix')
        return expr.operand
      case 'postfix':
        this.#set(tokens.last(expr.span), 'suffix')
        return expr.operand
      case 'binary':
        this.#expr(expr.right)
        return expr.left
      case 'assign':
        this.#expr(expr.target)
        return expr.value
      case 'conditional':
        this.#expr(expr.condition)
        this.#expr(expr.then)
        this.#set(this.#behind(expr.condition), 'conditional')
        this.#set(this.#behind(expr.then), 'conditional')
        return expr.else
      case 'cast':
        this.#expr(expr.type)
        this.#set(this.close(tokens.first(expr.span)), 'cast')
        return expr.value
      case 'list':
        this.#exprs(expr.items)
        return undefined
      case 'lambda':
        this.#params(expr.params)
        if (expr.body.kind !== 'block') return expr.body
        this.blocks.set(tokens.first(expr.body.span), expr.body)
        this.#block(expr.body)
        return undefined
      case 'differentiate':
        return expr.func
      case 'noDiff':
      case 'try':
      case 'each':
      case 'expand':
      case 'sizeof':
      case 'decltype':
        return expr.operand
      case 'is':
      case 'as':
        this.#expr(expr.type)
        return expr.value
      case 'pointer':
      case 'optional':
        this.#set(tokens.last(expr.span), 'suffix')
        return expr.target
      case 'funcType':
        this.#params(expr.params)
        this.#result(expr.result)
        return undefined
      case 'modified':
        return expr.type
      case 'unsupported':
        this.#opaque.set(tokens.first(expr.span), tokens.last(expr.span))
        return undefined
      default:
        return assertNever(expr, 'format')
    }
  }

  /** The token behind an expression and the parentheses around it. */
  #behind(expr: Expr): number {
    let i = this.#tokens.last(expr.span) + 1
    while (this.#is(i, ')')) i++
    return i
  }

  #parameters(open: number): void {
    this.#angle(open)
    this.parameters.add(open)
  }

  /** Pairs a `<` with the token that closes it. Those inside are paired already. */
  #angle(open: number): void {
    if (!this.#is(open, '<') || this.#angles.has(open)) return
    for (let i = open + 1; i < this.#tokens.count;) {
      const text = punctuatorText(this.#tokens.kind(i))
      const close = this.close(i)
      // What closes the inner ones may close this one too.
      const isShared = close > i && this.#angles.has(i) && this.#is(close, '>>') && this.#closes.get(close) === 1
      if (isShared || text === '>' || text === '>>' || text === '>=' || text === '>>=') {
        const at = isShared ? close : i
        this.#angles.set(open, at)
        this.#closes.set(at, (this.#closes.get(at) ?? 0) + 1)
        this.#set(open, 'angle')
        this.#set(at, 'angle')
        return
      }
      i = close + 1
    }
  }

  #is(index: number, text: string): boolean {
    return index >= 0 && punctuatorText(this.#tokens.kind(index)) === text
  }

  #set(index: number, role: Role): void {
    this.#roles[index] = role
  }
}
