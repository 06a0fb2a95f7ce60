/** The declarations of a document as a tree, and those of all files of the workspace by name. They are read from syntax alone. */
import { Sink } from '../base/diag.ts'
import { LimitReached } from '../base/limits.ts'
import { SourceFile, type Span } from '../base/source.ts'
import type * as ast from '../syntax/ast.ts'
import { parse } from '../syntax/parse.ts'
import { printType } from '../syntax/print-expr.ts'
import { rangeOf, type Location, type Range } from './range.ts'
import { pathOf } from './uri.ts'
import type { Workspace } from './workspace.ts'

/** Kinds of symbols, with the numbers of the protocol. */
export const symbolKinds = {
  module: 2,
  namespace: 3,
  class: 5,
  method: 6,
  property: 7,
  field: 8,
  constructor: 9,
  enum: 10,
  interface: 11,
  function: 12,
  variable: 13,
  constant: 14,
  object: 19,
  enumMember: 22,
  struct: 23,
  operator: 25,
  typeParameter: 26,
} as const
export type SymbolKind = (typeof symbolKinds)[keyof typeof symbolKinds]

export interface DocumentSymbol {
  readonly name: string
  /** A signature or a type. */
  readonly detail?: string
  readonly kind: SymbolKind
  /** The whole declaration. */
  readonly range: Range
  /** Its name. */
  readonly selectionRange: Range
  readonly children?: readonly DocumentSymbol[]
}

export interface WorkspaceSymbol {
  readonly name: string
  readonly kind: SymbolKind
  readonly location: Location
  readonly containerName?: string
}

/** The declarations of a document, the members of types and namespaces inside them. */
export function documentSymbols(workspace: Workspace, uri: string): readonly DocumentSymbol[] {
  const path = pathOf(uri)
  const analysis = workspace.analysis(uri)
  const file = analysis?.file(path)
  if (analysis === undefined || file === undefined) return []
  const trees = analysis.tree(file) === undefined ? [...analysis.names.trees.values()] : [analysis.tree(file)!]
  return trees.flatMap(tree => symbolsOf(tree.decls, file, 'file'))
}

/** The declarations outside of functions in all files of the workspace whose names hold the letters of a query in that order. */
export function workspaceSymbols(workspace: Workspace, query: string): readonly WorkspaceSymbol[] {
  const letters = [...query.toLowerCase()]
  const fits = (name: string): boolean => {
    let at = 0
    for (const c of name.toLowerCase()) if (c === letters[at]) at++
    return at === letters.length
  }
  const found: WorkspaceSymbol[] = []
  for (const path of workspace.files) {
    const file = fileOf(workspace, path)
    if (file === undefined) continue
    const add = (symbols: readonly DocumentSymbol[], containerName: string | undefined): void => {
      for (const { name, kind, selectionRange, children } of symbols) {
        const location = { uri: workspace.uri(path), range: selectionRange }
        if (fits(name)) found.push({ name, kind, location, ...(containerName === undefined ? {} : { containerName }) })
        add(children ?? [], name)
      }
    }
    add(symbolsOf(declsOf(file), file, 'file'), undefined)
  }
  // The better a name is hit, the further up it stands.
  const rank = ({ name }: WorkspaceSymbol): number =>
    name === query ? 0 : name.startsWith(query) ? 1 : name.toLowerCase().includes(query.toLowerCase()) ? 2 : 3
  return found.toSorted((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
}

function fileOf(workspace: Workspace, path: string): SourceFile | undefined {
  try {
    const text = workspace.text(path)
    return text === undefined ? undefined : new SourceFile(path, text)
  } catch {
    return undefined
  }
}

/** The declarations of a file; none of one that takes too much to read, which must not keep those of others from being found. */
function declsOf(file: SourceFile): readonly ast.Decl[] {
  try {
    return parse(file, {}, new Sink()).decls
  } catch (error) {
    if (error instanceof LimitReached) return []
    throw error
  }
}

type Around = 'file' | 'type'

/** The symbols of declarations that stand in a file. */
function symbolsOf(decls: readonly ast.Decl[], file: SourceFile, around: Around): readonly DocumentSymbol[] {
  return decls.flatMap(decl => (decl.span.file === file ? symbolOf(decl, file, around) : []))
}

function symbolOf(decl: ast.Decl, file: SourceFile, around: Around): readonly DocumentSymbol[] {
  const make = (
    name: ast.Name,
    kind: SymbolKind,
    detail: string | undefined,
    children: readonly DocumentSymbol[] = [],
  ): readonly DocumentSymbol[] => {
    // Where nothing is written yet there is nothing to show.
    if (name.text === '') return []
    const selection = name.span.file === file ? within(decl.span, name.span) : decl.span
    return [
      {
        name: name.text,
        ...(detail === undefined || detail === '' ? {} : { detail }),
        kind,
        range: rangeOf(decl.span),
        selectionRange: rangeOf(selection),
        ...(children.length === 0 ? {} : { children }),
      },
    ]
  }
  const inside = (members: readonly ast.Decl[] | undefined): readonly DocumentSymbol[] =>
    symbolsOf(members ?? [], file, 'type')
  const k = symbolKinds
  switch (decl.kind) {
    case 'moduleDecl':
      return make(decl.name, k.module, undefined)
    case 'namespace':
      return make(decl.name, k.namespace, undefined, symbolsOf(decl.decls, file, 'file'))
    case 'struct':
      return make(decl.name, k.struct, undefined, inside(decl.members))
    case 'interface':
      return make(decl.name, k.interface, undefined, inside(decl.members))
    case 'extension':
      return make(
        { text: `extension ${printType(decl.target)}`, span: decl.target.span },
        k.class,
        undefined,
        inside(decl.members),
      )
    case 'enum':
      return make(decl.name, k.enum, undefined, symbolsOf(decl.cases, file, 'type'))
    case 'enumCase':
      return make(decl.name, k.enumMember, undefined)
    case 'func': {
      const kind = decl.name.text.startsWith('operator') ? k.operator : around === 'type' ? k.method : k.function
      return make(decl.name, kind, signature(decl.params, decl.result))
    }
    case 'init':
      return make(decl.name, k.constructor, signature(decl.params, undefined))
    case 'subscript':
      return make(decl.name, k.operator, signature(decl.params, decl.result))
    case 'property':
      return make(decl.name, k.property, printType(decl.type))
    case 'alias':
      return make(decl.name, k.class, printType(decl.target))
    case 'associatedtype':
      return make(decl.name, k.typeParameter, undefined)
    case 'var': {
      const constant = decl.form === 'let' || decl.modifiers.some(m => m.name === 'const')
      const kind = constant ? k.constant : around === 'type' ? k.field : k.variable
      return make(decl.name, kind, decl.type === undefined ? undefined : printType(decl.type))
    }
    case 'buffer':
      return make(decl.name, k.object, decl.which, inside(decl.members))
    case 'accessor':
    case 'import':
    case 'include':
    case 'using':
    case 'assert':
    case 'unsupported':
      return []
  }
}

/** A name's span inside of its declaration's, as editors want it; where a macro made one of them, that is not so. */
function within(outer: Span, inner: Span): Span {
  return inner.start >= outer.start && inner.end <= outer.end ? inner : outer
}

function signature(params: readonly ast.Param[], result: ast.TypeExpr | undefined): string {
  const list = params.map(p => (p.type === undefined ? '' : printType(p.type))).join(', ')
  return `(${list})${result === undefined ? '' : ` -> ${printType(result)}`}`
}
