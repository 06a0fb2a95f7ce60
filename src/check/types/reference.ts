/** Functions with the result `Ref<T>`: a call reads the place that they return, or writes it by a twin of the function. */
import type * as ast from '../../syntax/ast.ts'
import { assigned } from '../modules/ref.ts'
import type { Cx } from '../model/context.ts'
import type { FuncDecl } from '../model/decl.ts'
import { lookup } from './lookup.ts'

/** What a function with the result `Ref<T>` refers to; undefined for others, and where a program has a `Ref` of its own. */
export function referred(cx: Cx, { syntax, inner }: FuncDecl): ast.Expr | undefined {
  if (syntax.kind !== 'func' || syntax.body === undefined || syntax.result?.kind !== 'generic') return undefined
  const { base, args } = syntax.result
  return base.kind === 'name' && base.name === 'Ref' && args.length === 1 && lookup(cx, inner, 'Ref').length === 0
    ? args[0]
    : undefined
}

/** The function that writes where one with the result `Ref<T>` points; undefined for others. */
export function writerOf(from: Cx, func: FuncDecl): FuncDecl | undefined {
  const cx = from.of(func)
  const type = referred(cx, func)
  if (type === undefined) return undefined
  let made = cx.refWriters.get(func)
  if (made === undefined) {
    const syntax = func.syntax as ast.FuncDecl
    const value: ast.Param = {
      kind: 'param',
      span: type.span,
      attributes: [],
      modifiers: [],
      name: { text: 'newValue', span: type.span },
      type,
      fallback: undefined,
      semantics: [],
    }
    const params = [...syntax.params, value]
    const body = assigned(syntax.body, 0) as ast.Block
    made = { ...func, id: cx.id(), name: `${func.name}.set`, syntax: { ...syntax, result: undefined, params, body } }
    cx.refWriters.set(func, made)
    cx.userDecls.push(made)
  }
  return made
}
