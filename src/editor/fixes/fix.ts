/**
 * What a quick fix is, and what it may look at. A fix carries out a part of the help of a diagnostic: `does` quotes that part, and is the title of the
 * fix, so that both say the same.
 */
import type { Diagnostic, Entry, PlaceholderValues } from '../../base/diag.ts'
import { Span, type SourceFile } from '../../base/source.ts'
import type { FuncDecl, InterfaceDecl, StructDecl } from '../../check/model/decl.ts'
import type * as ast from '../../syntax/ast.ts'
import type { Analysis } from '../analysis.ts'
import { nameSpan } from '../names.ts'
import type { OtherModules } from './modules.ts'
import { eachChild, type Node } from '../path.ts'

/** A change of a text: what stands in the span makes room for other text. */
export interface Edit {
  readonly span: Span
  readonly text: string
}

/** Names for the title of a fix. */
export type Found = Readonly<Record<string, string>>

interface RemedyOf<P extends string> {
  /** Looks for what the edit needs and the title names; without it there is no fix. */
  find?(at: Mistake<P>): Found | undefined
  /** The edits; undefined where the text is not as they need it. */
  edit(at: Mistake<P>, found: Found): readonly Edit[] | undefined
  /** Whether it is what the author most likely wants. */
  readonly isPreferred?: true
}

/**
 * One way to mend a mistake: `does` is a part of the entry's help, or several parts in their order, and `with` says to what the edit does it. What has
 * no help needs a title.
 */
export type Remedy<P extends string> = RemedyOf<P> &
  (
    | { readonly does: string | readonly string[]; readonly with?: string; readonly title?: never }
    | { readonly title: string; readonly does?: never }
  )

/** A kind of mistake, with the ways to mend it. */
export interface Row {
  readonly entry: Entry
  readonly remedies: readonly Remedy<string>[]
}

/** Ties remedies to an entry of the catalogue; they see the placeholders of its text. */
export function row<P extends string>(entry: Entry<P>, ...remedies: readonly Remedy<NoInfer<P>>[]): Row {
  return { entry, remedies }
}

type NodeOf<K extends Node['kind']> = Extract<Node, { readonly kind: K }>

/** A declaration of functions in the text. */
export type FuncSyntax = ast.FuncDecl | ast.InitDecl | ast.AccessorDecl

/** A diagnostic, and what stands around it in the text. */
export class Mistake<P extends string = string> {
  readonly analysis: Analysis
  readonly diagnostic: Diagnostic
  readonly span: Span
  readonly given: PlaceholderValues<P>
  /** Undefined where nobody knows of other files. */
  readonly modules: OtherModules | undefined
  #path: readonly Node[] | undefined

  constructor(analysis: Analysis, diagnostic: Diagnostic, span: Span, modules: OtherModules | undefined) {
    this.modules = modules
    this.analysis = analysis
    this.diagnostic = diagnostic
    this.span = span
    this.given = (diagnostic.given ?? {}) as PlaceholderValues<P>
  }

  get file(): SourceFile {
    return this.span.file
  }

  /** What the span covers. */
  get text(): string {
    return textOf(this.span)
  }

  /** The nodes of the syntax tree around the whole span, the outermost first. */
  get path(): readonly Node[] {
    return (this.#path ??= around(this.analysis.tree(this.file), this.span))
  }

  /** The innermost node around the span of some kinds. */
  inner<K extends Node['kind']>(...kinds: readonly K[]): NodeOf<K> | undefined {
    return innermost(this.path, ...kinds)
  }

  /** The innermost expression around the span that is exactly as large. */
  whole<K extends Node['kind']>(...kinds: readonly K[]): NodeOf<K> | undefined {
    const node = this.inner(...kinds)
    return node !== undefined && node.span.start === this.span.start && node.span.end === this.span.end
      ? node
      : undefined
  }

  /** The function that the mistake stands in. */
  func(): FuncSyntax | undefined {
    return this.inner('func', 'init', 'accessor')
  }

  /** The user's function that the expression of a call, or of a derivative, means. */
  called(e: ast.Expr): FuncDecl | undefined {
    const at = nameSpan(e)
    const decl = at && this.analysis.use(at.file, at.start)?.decl
    return decl?.kind === 'func' && !decl.module.isCore ? decl : undefined
  }

  /** The user's functions of a name; a method as `Type.method`. */
  functions(name: string): readonly FuncDecl[] {
    return this.analysis.program.declarations.filter(
      (d): d is FuncDecl =>
        d.kind === 'func' &&
        (d.name === name || (d.parent?.kind === 'struct' && `${d.parent.name}.${d.name}` === name)),
    )
  }

  /** The user's function of a name, if there is one alone. */
  onlyFunction(name: string): FuncDecl | undefined {
    const [first, ...others] = this.functions(name).filter(f => f.hasBody)
    return others.length === 0 ? first : undefined
  }

  /** The user's struct of a name, as messages show it: without generic arguments. */
  struct(shown: string): ast.StructDecl | undefined {
    const name = shown.replace(/<.*$/, '')
    const found = this.analysis.program.declarations.find(
      (d): d is StructDecl => d.kind === 'struct' && (d.nested ?? d.name) === name && d.syntax?.kind === 'struct',
    )
    return found?.syntax?.kind === 'struct' ? found.syntax : undefined
  }

  /** The user's interface of a name. */
  interface(name: string): InterfaceDecl | undefined {
    return this.analysis.program.declarations.find((d): d is InterfaceDecl => d.kind === 'interface' && d.name === name)
  }

  /** The name that a note suggests in place of a wrong one. */
  suggestion(): Found | undefined {
    for (const { text } of this.diagnostic.notes) {
      const best = /^did you mean (.+)\?$/.exec(text)?.[1]
      if (best !== undefined) return { best }
    }
    return undefined
  }

  /** A name like another that the file does not use. */
  fresh(name: string): string {
    const plain = /^[A-Za-z_]\w*$/.test(name) ? name : 'value'
    for (let k = 2; ; k++) if (!new RegExp(`\\b${plain}${k}\\b`).test(this.file.text)) return `${plain}${k}`
  }

  /** The statement of a block that the mistake stands in: others can be put before and behind it. */
  statement(): ast.Stmt | undefined {
    const { path } = this
    for (let i = path.length - 1; i > 0; i--) {
      const above = path[i - 1]!.kind
      if (above === 'block' || above === 'group') return path[i] as ast.Stmt
    }
    return undefined
  }

  /** The nodes around another span, the outermost first. */
  nodesAround(span: Span): readonly Node[] {
    return around(this.analysis.tree(span.file), span)
  }

  /** A part of this file. */
  part(start: number, end: number = start): Span {
    return new Span(this.file, start, end)
  }

  /** The first match of a pattern behind an offset, within `to`. */
  behind(pattern: RegExp, from: number, to: number = this.file.text.length): Span | undefined {
    const found = pattern.exec(this.file.text.slice(from, to))
    return found === null ? undefined : this.part(from + found.index, from + found.index + found[0].length)
  }
}

/** What a span covers. */
export function textOf({ file, start, end }: Span): string {
  return file.text.slice(start, end)
}

/** The innermost node of a path of some kinds. */
export function innermost<K extends Node['kind']>(
  path: readonly Node[],
  ...kinds: readonly K[]
): NodeOf<K> | undefined {
  return path.findLast((n): n is NodeOf<K> => (kinds as readonly string[]).includes(n.kind))
}

function around(tree: ast.Module | undefined, span: Span): readonly Node[] {
  const path: Node[] = []
  for (let node: Node | undefined = tree; node !== undefined;) {
    path.push(node)
    let next: Node | undefined
    eachChild(node, child => {
      const { file, start, end } = child.span
      if (file === span.file && start <= span.start && span.end <= end) next ??= child
    })
    node = next
  }
  return path
}
