/** What the checker found out about a program's text, by place: which names mean which declarations, and what expressions are. */
import { Sink, type Diagnostic } from '../base/diag.ts'
import { Span, type SourceFile } from '../base/source.ts'
import type { Env, Observer } from '../check/model/context.ts'
import type { Decl, FieldDecl, FuncDecl } from '../check/model/decl.ts'
import type { Scope } from '../check/model/scope.ts'
import type { Term } from '../check/model/term.ts'
import type { Place } from '../check/model/tree.ts'
import type { FuncRef } from '../check/model/func-ref.ts'
import type { Type } from '../check/model/type.ts'
import type * as ast from '../syntax/ast.ts'
import type { Later, ReadBody } from '../syntax/cursor.ts'
import type { Macro } from '../syntax/macro.ts'

/** Where something stands, for names that are looked up from there. */
export interface Surroundings {
  readonly scope: Scope
  readonly func: FuncDecl | null
  /** The type of `this`, null where there is none. */
  readonly self: Type | null
}

/** An expression that was checked. */
export interface Known extends Surroundings {
  readonly term: Term
}

/** A name in a text, and what it means. */
export interface Use {
  readonly span: Span
  readonly decl: Decl
}

/** What was named in the course of something. A later use of a span corrects an earlier one: a call chooses among overloads. */
export interface Heard {
  readonly uses: readonly Use[]
  /** What is named where the text is another: by a macro. */
  readonly hidden: ReadonlySet<Decl>
}

/** The span of the name that an expression ends with: of `f` in `f`, `a.f`, `ns::f<int>` and `bwd_diff(f)`. */
export function nameSpan(e: ast.Expr): Span | undefined {
  switch (e.kind) {
    case 'name':
      // `::f` begins with its colons.
      return e.global ? new Span(e.span.file, e.span.end - e.name.length, e.span.end) : e.span
    case 'member':
      return e.name.span
    case 'generic':
      return nameSpan(e.base)
    case 'differentiate':
      return nameSpan(e.func)
    default:
      return undefined
  }
}

/** The function that a reference means at last. */
export function functionOf(ref: FuncRef): FuncDecl {
  return ref.kind === 'derivative' ? functionOf(ref.of) : ref.decl
}

/** A body with what reading it found. */
interface Reading extends ReadBody {
  readonly diagnostics: readonly Diagnostic[]
}

/** Takes down what the checker says. */
export class Names implements Observer {
  /** The trees of the files of the program. */
  readonly trees: Map<SourceFile, ast.Module> = new Map()
  /** Files that others read in their midst. */
  readonly includes: Set<SourceFile> = new Set()
  /** Where macros are named, in order. */
  readonly macros: { readonly span: Span; readonly macro: Macro }[] = []
  /** The files that imports and includes mean. */
  readonly links: { readonly span: Span; readonly file: SourceFile }[] = []
  readonly #onBody: (func: FuncDecl) => void
  readonly #onShared: () => void
  readonly #uses = new Map<SourceFile, Map<number, Use>>()
  readonly #known = new Map<ast.Expr, Known>()
  readonly #blocks = new Map<readonly ast.Stmt[], Surroundings>()
  readonly #read = new Map<ast.Block, () => Reading>()
  readonly #copies = new Map<Decl, Decl>()
  /** What was named since somebody began to listen. */
  #heard: { readonly uses: Use[]; readonly hidden: Set<Decl> } | undefined

  constructor(onBody: (func: FuncDecl) => void, onShared: () => void) {
    this.#onBody = onBody
    this.#onShared = onShared
  }

  /** Bodies are read when somebody asks for them, and what is wrong with them is kept apart. */
  readonly later: Later = (span, read) => {
    let known: Reading | undefined
    const body = (): Reading => {
      const sink = new Sink()
      return (known ??= { ...read(sink), diagnostics: sink.list })
    }
    const block: ast.Block = {
      kind: 'block',
      span,
      get stmts() {
        return body().stmts
      },
    }
    this.#read.set(block, body)
    return block
  }

  /** What reading a body found; nothing of one that was read with its file. */
  reading(block: ast.Block): Omit<Reading, 'stmts'> {
    return this.#read.get(block)?.() ?? { diagnostics: [], broken: [] }
  }

  parsed(tree: ast.Module): void {
    this.trees.set(tree.file, tree)
  }

  file(span: Span, file: SourceFile): void {
    this.links.push({ span, file })
  }

  included(file: SourceFile): void {
    this.includes.add(file)
  }

  macro(span: Span, macro: Macro): void {
    if (span.file.text.startsWith(macro.name, span.start)) this.macros.push({ span, macro })
  }

  body(func: FuncDecl): void {
    this.#onBody(func)
  }

  shared(): void {
    this.#onShared()
  }

  named(span: Span, decl: Decl): void {
    const meant = this.#copies.get(decl) ?? decl
    // `::name` begins with its colons, and an instance of a pack has a number behind its name.
    const name = meant.name.replace(/\.\d+$/, '')
    const start = span.end - name.length
    if (start < span.start || !span.file.text.startsWith(name, start)) {
      this.#heard?.hidden.add(meant)
      return
    }
    const own = start === span.start ? span : new Span(span.file, start, span.end)
    this.#enter({ span: own, decl: meant })
  }

  /** A declaration as a use of its own name, where its text is that. */
  declared(decl: Decl): void {
    // A `__func_extension` has no name that others could use.
    if (!('span' in decl) || decl.span === null || decl.name === '' || decl.name.endsWith(')')) return
    const { file, start, end } = decl.span
    if (file.text.slice(start, end) === decl.name) this.#enter({ span: decl.span, decl })
  }

  #enter(use: Use): void {
    let uses = this.#uses.get(use.span.file)
    if (uses === undefined) this.#uses.set(use.span.file, (uses = new Map()))
    uses.set(use.span.start, use)
    this.#heard?.uses.push(use)
  }

  term(env: Env, e: ast.Expr, term: Term): void {
    this.#known.set(e, { term, scope: env.scope, func: env.func, self: env.self })
    if (e.kind !== 'call' || term.kind !== 'value' || term.expr.kind !== 'call') return
    // A call chooses among overloads.
    const at = nameSpan(e.callee)
    const before = at === undefined ? undefined : this.#uses.get(at.file)?.get(at.start)
    if (before?.decl.kind === 'func') this.#enter({ span: before.span, decl: functionOf(term.expr.func) })
  }

  block(env: Env, stmts: readonly ast.Stmt[]): void {
    this.#blocks.set(stmts, { scope: env.scope, func: env.func, self: env.self })
  }

  captured(field: FieldDecl, of: Place): void {
    if (of.kind === 'local' || of.kind === 'param') this.#copies.set(field, this.#copies.get(of.decl) ?? of.decl)
    else if (of.kind === 'field') this.#copies.set(field, this.#copies.get(of.field) ?? of.field)
  }

  /** What an expression is; undefined for one that was not checked. */
  known(e: ast.Expr): Known | undefined {
    return this.#known.get(e)
  }

  /** Where the statements of a block stand. */
  inside(stmts: readonly ast.Stmt[]): Surroundings | undefined {
    return this.#blocks.get(stmts)
  }

  /** The block or parameter list that a variable is declared in. */
  scopeOf(decl: Decl): Scope | undefined {
    for (const { scope } of this.#blocks.values())
      for (let s: Scope | null = scope; s !== null && s.kind === 'block'; s = s.parent)
        if (s.names.get(decl.name)?.includes(decl) === true) return s
    return undefined
  }

  /** The names of a file so far, in no particular order. */
  in(file: SourceFile): readonly Use[] {
    return [...(this.#uses.get(file)?.values() ?? [])]
  }

  /** The name that begins at an offset. */
  at(file: SourceFile, start: number): Use | undefined {
    return this.#uses.get(file)?.get(start)
  }

  /** Runs `work` and gives what it names besides. */
  during(work: () => void): Heard {
    const outer = this.#heard
    const heard = (this.#heard = { uses: [], hidden: new Set() })
    try {
      work()
    } finally {
      this.#heard = outer
    }
    return heard
  }
}
