/** What stands at a place of a program: a name, an operator, a path; and what it means. */
import { Span, type SourceFile } from '../base/source.ts'
import type { Decl, FuncDecl } from '../check/model/decl.ts'
import type { Term } from '../check/model/term.ts'
import { funcSig } from '../check/types/index.ts'
import type * as ast from '../syntax/ast.ts'
import type { Macro } from '../syntax/macro.ts'
import type { Analysis } from './analysis.ts'
import { functionOf } from './names.ts'
import { eachNode } from './path.ts'
import type { Place } from './workspace.ts'

/** What stands at a place, with the span of it. */
export type Meaning =
  | { readonly kind: 'decl'; readonly span: Span; readonly decl: Decl }
  | { readonly kind: 'macro'; readonly span: Span; readonly macro: Macro }
  /** An import or include. */
  | { readonly kind: 'file'; readonly span: Span; readonly path: string }
  /** A label, with every place where it is named. */
  | { readonly kind: 'label'; readonly span: Span; readonly label: ast.LabelStmt; readonly breaks: readonly Span[] }

/** What stands at a place; undefined where nothing has a meaning. */
export function meaningAt({ analysis, file, offset }: Place): Meaning | undefined {
  return (
    macroAt(analysis, file, offset) ??
    fileAt(analysis, file, offset) ??
    declAt(analysis, file, offset) ??
    operatorAt(analysis, file, offset)
  )
}

const holds = (span: Span, file: SourceFile, offset: number): boolean =>
  span.file === file && span.start <= offset && offset <= span.end

function macroAt(analysis: Analysis, file: SourceFile, offset: number): Meaning | undefined {
  const found = analysis.names.macros.find(({ span }) => holds(span, file, offset))
  return found === undefined ? undefined : { kind: 'macro', ...found }
}

function fileAt(analysis: Analysis, file: SourceFile, offset: number): Meaning | undefined {
  const link = analysis.names.links.find(({ span }) => holds(span, file, offset))
  if (link !== undefined) return { kind: 'file', span: link.span, path: link.file.name }
  const { line } = file.position(offset)
  const start = file.lineStarts[line - 1]!
  const [, before = '', path] = /^(\s*#\s*include\s*["<])([^">]+)/.exec(file.line(line)) ?? []
  if (path === undefined) return undefined
  const span = new Span(file, start + before.length, start + before.length + path.length)
  if (!holds(span, file, offset)) return undefined
  const found = analysis.included(path, file)
  return found === undefined ? undefined : { kind: 'file', span, path: found }
}

function declAt(analysis: Analysis, file: SourceFile, offset: number): Meaning | undefined {
  const use = analysis.use(file, offset)
  if (use !== undefined) return { kind: 'decl', ...use }
  const path = analysis.path(file, offset)
  const last = path.at(-1)
  if (last?.kind === 'break' && last.label !== undefined && holds(last.label.span, file, offset)) {
    const name = last.label.text
    const label = path.findLast((n): n is ast.LabelStmt => n.kind === 'label' && n.name.text === name)
    return label === undefined ? undefined : labelled(label, last.label.span)
  }
  return last?.kind === 'label' && holds(last.name.span, file, offset) ? labelled(last, last.name.span) : undefined
}

function labelled(label: ast.LabelStmt, span: Span): Meaning {
  const breaks = [label.name.span]
  eachNode(label.body, node => {
    if (node.kind === 'break' && node.label?.text === label.name.text) breaks.push(node.label.span)
  })
  return { kind: 'label', span, label, breaks }
}

/** The function that an operator or a subscript calls. */
function operatorAt(analysis: Analysis, file: SourceFile, offset: number): Meaning | undefined {
  for (const node of analysis.path(file, offset).toReversed()) {
    const span = operatorSpan(node as ast.Expr)
    if (span === undefined || !holds(span, file, offset)) continue
    const term = analysis.names.known(node as ast.Expr)?.term
    const decl = term === undefined ? undefined : calledBy(term)
    return decl === undefined ? undefined : { kind: 'decl', span, decl }
  }
  return undefined
}

/** Where the operator of an expression stands, with the white space around it. */
function operatorSpan(e: ast.Expr): Span | undefined {
  const { file, start, end } = e.span
  switch (e.kind) {
    case 'binary':
      return new Span(file, e.left.span.end, e.right.span.start)
    case 'assign':
      return new Span(file, e.target.span.end, e.value.span.start)
    case 'prefix':
      return new Span(file, start, e.operand.span.start)
    case 'postfix':
      return new Span(file, e.operand.span.end, end)
    case 'index':
      return new Span(file, e.base.span.end, e.base.span.end + 1)
    default:
      return undefined
  }
}

/** The declaration that a term is a call of. */
function calledBy(term: Term): Decl | undefined {
  if (term.kind === 'value' && term.expr.kind === 'call') return functionOf(term.expr.func)
  if (term.kind === 'value' && (term.expr.kind === 'assign' || term.expr.kind === 'update')) {
    const { value } = term.expr
    return value.kind === 'call' ? functionOf(value.func) : undefined
  }
  if (term.kind !== 'place') return undefined
  const { place } = term
  if (place.kind === 'ref') return functionOf(place.func)
  const accessor = place.kind === 'accessor' ? (place.get ?? place.set) : null
  return accessor === null ? undefined : functionOf(accessor)
}

/** Where a declaration is written in full: a function with its body, an accessor with its property. */
export function writtenAt(analysis: Analysis, decl: Decl): Decl {
  if (decl.kind !== 'func') return decl
  if (decl.of !== null) return decl.of
  if (decl.hasBody || decl.owner !== null) return decl
  const shape = (f: FuncDecl): string =>
    funcSig(analysis.cx, f)
      .params.map(p => `${p.dir} ${p.type.key}`)
      .join()
  const alike = decl.scope.names.get(decl.name)?.filter(d => d.kind === 'func') ?? []
  return alike.find(f => f.hasBody && f.generics === null && shape(f) === shape(decl)) ?? decl
}
