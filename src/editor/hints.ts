/** Hints between the characters of a text: the names of parameters at arguments, and types that nobody wrote. */
import type { SourceFile } from '../base/source.ts'
import type { Decl } from '../check/model/decl.ts'
import type { Expr as Checked } from '../check/model/tree.ts'
import { signatureOf } from '../check/types/index.ts'
import type * as ast from '../syntax/ast.ts'
import { printType } from '../syntax/print-expr.ts'
import type { Analysis } from './analysis.ts'
import { markdown, codeBlock, type Markup } from './doc.ts'
import { eachNode, type Node } from './path.ts'
import { offsetOf, positionOf, type Position, type Range } from './range.ts'
import { declText, heldType, shownType } from './show.ts'

/** Kinds of hints by the numbers of the protocol. */
const kinds = { type: 1, parameter: 2 } as const

/** A text to show between two characters. */
export interface InlayHint {
  readonly position: Position
  readonly label: string
  readonly kind: (typeof kinds)[keyof typeof kinds]
  readonly tooltip?: Markup
  readonly paddingLeft?: true
  readonly paddingRight?: true
}

/** Which hints are wanted. */
export interface HintOptions {
  /** The names of parameters. */
  readonly parameters?: boolean
  /** The types of `let` and `var`. */
  readonly types?: boolean
}

/** The hints in a range of a file. */
export function hints(
  analysis: Analysis,
  path: string,
  range: Range,
  { parameters = true, types = true }: HintOptions = {},
): readonly InlayHint[] {
  const file = analysis.file(path)
  if (file === undefined) return []
  const [start, end] = [offsetOf(file, range.start), offsetOf(file, range.end)]
  const tree = analysis.tree(file)
  const found: InlayHint[] = []
  const visit = (node: Node): boolean => {
    if (node.span.file === file && (node.span.end < start || node.span.start > end)) return false
    // Checks the body, if that has not been done.
    if ((node.kind === 'func' || node.kind === 'init' || node.kind === 'accessor') && node.body !== undefined)
      analysis.path(file, node.body.span.start + 1)
    if (parameters && node.kind === 'call') found.push(...argumentHints(analysis, file, node))
    if (types && node.kind === 'var' && node.type === undefined)
      found.push(...typeHint(analysis, file, node.name, node.init))
    if (types && node.kind === 'ifLet') found.push(...typeHint(analysis, file, node.name, undefined))
    if (types && node.kind === 'param' && node.type === undefined && node.name !== undefined)
      found.push(...typeHint(analysis, file, node.name, undefined))
    return true
  }
  if (tree !== undefined) eachNode(tree, visit)
  const at = ({ position }: InlayHint): number => offsetOf(file, position)
  return found.filter(h => at(h) >= start && at(h) <= end).toSorted((a, b) => at(a) - at(b))
}

/** `: float3` behind the name of a variable whose type is that of its value, unless the value names it. */
function typeHint(
  analysis: Analysis,
  file: SourceFile,
  name: ast.Name,
  init: ast.Expr | undefined,
): readonly InlayHint[] {
  if (name.span.file !== file) return []
  const decl: Decl | undefined = analysis.names.at(file, name.span.start)?.decl
  const type = decl === undefined ? null : heldType(analysis.cx, decl)
  if (decl === undefined || type === null || type.kind === 'error' || decl.name !== name.text) return []
  const text = shownType(analysis.cx, type)
  const maker = init?.kind === 'call' ? init.callee : init?.kind === 'cast' ? init.type : undefined
  if (maker !== undefined && printType(maker) === text) return []
  const tooltip = markdown(codeBlock(declText(analysis.cx, decl)))
  return [{ position: positionOf(file, name.span.end), label: `: ${text}`, kind: kinds.type, tooltip }]
}

/** `scale:` before the arguments that do not say themselves what they are. */
function argumentHints(analysis: Analysis, file: SourceFile, call: ast.CallExpr): readonly InlayHint[] {
  if (call.span.file !== file || call.args.length === 0) return []
  const term = analysis.names.known(call)?.term
  const expr: Checked | null = term?.kind === 'value' ? term.expr : null
  if (expr?.kind !== 'call') return []
  const { params } = signatureOf(analysis.cx, expr.func)
  // The only argument of `sqrt(x)` is plain.
  if (params.length < 2) return []
  return call.args.flatMap((arg, i): InlayHint[] => {
    const name = params[i]?.name ?? ''
    if (arg.span.file !== file || isPlain(name) || says(arg, name)) return []
    return [
      { position: positionOf(file, arg.span.start), label: `${name}:`, kind: kinds.parameter, paddingRight: true },
    ]
  })
}

/** Names that say nothing: `x`, `a0`. */
function isPlain(name: string): boolean {
  return /^[a-z_]\d*$/i.test(name) || name === '' || name === 'value' || /^p\d+$/.test(name)
}

/** Whether an argument has the name of its parameter already, as in `f(scale)`, `f(this.scale)` and `f(lightScale)`. */
function says(arg: ast.Expr, name: string): boolean {
  const own = arg.kind === 'name' ? arg.name : arg.kind === 'member' ? arg.name.text : ''
  return own !== '' && own.toLowerCase().replaceAll('_', '').endsWith(name.toLowerCase().replaceAll('_', ''))
}
