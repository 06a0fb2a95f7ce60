/** `__return_val`: a variable that holds the result of the function, which its end returns. */
import { Span } from '../../base/source.ts'
import type * as ast from '../../syntax/ast.ts'

const name = '__return_val'

/** The body of a function, with that variable where it stands in the text. */
export function withReturnValue(syntax: ast.FuncDecl | ast.InitDecl | ast.AccessorDecl): ast.Block | undefined {
  const { body } = syntax
  if (body === undefined || syntax.kind !== 'func' || syntax.result === undefined) return body
  const { span } = body
  if (!span.file.text.slice(span.start, span.end).includes(name)) return body
  const variable: ast.VarDecl = {
    kind: 'var',
    span,
    attributes: [],
    modifiers: [],
    name: { text: name, span: new Span(span.file, span.start, span.start) },
    form: 'typed',
    type: syntax.result,
    init: undefined,
    semantics: [],
  }
  const value: ast.Expr = { kind: 'name', span, name, global: false }
  const last: readonly ast.Stmt[] = body.stmts.at(-1)?.kind === 'return' ? [] : [{ kind: 'return', span, value }]
  return { ...body, stmts: [{ kind: 'decl', span, decls: [variable] }, ...body.stmts, ...last] }
}
